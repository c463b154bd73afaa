package accuracy

import (
	"fmt"
	"math"
	"slices"
)

// forecastQuality rates probabilities against what happened.
type forecastQuality struct {
	n int
	// auc is the chance that a case gets a higher probability than a non-case; low and high bound it by Hanley and McNeil (1982), 95 %.
	auc, low, high float64
	// brier is the mean squared error, skill 1 less its ratio to that of the base rate, calibrationError the mean distance between
	// forecast and frequency over ten equal bins, weighted by size.
	brier, skill, calibrationError float64
}

func (q forecastQuality) String() string {
	return fmt.Sprintf("n=%d AUC %.4f [%.4f, %.4f], Brier %.4f, BSS %.3f, ECE %.4f", q.n, q.auc, q.low, q.high, q.brier, q.skill, q.calibrationError)
}

// rateForecasts wants at least one case and one non-case.
func rateForecasts(p []float64, happened []bool) forecastQuality {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		switch {
		case p[a] < p[b]:
			return -1
		case p[a] > p[b]:
			return 1
		}
		return 0
	})
	var rankSum, cases, others, squared float64
	var sums, hits, counts [10]float64
	for i := 0; i < len(order); {
		end := i
		for end < len(order) && p[order[end]] == p[order[i]] {
			end++
		}
		rank := float64(i+1+end) / 2
		for ; i < end; i++ {
			x, y := p[order[i]], 0.0
			if happened[order[i]] {
				y, rankSum, cases = 1, rankSum+rank, cases+1
			} else {
				others++
			}
			squared += (x - y) * (x - y)
			bin := min(int(x*10), 9)
			sums[bin], hits[bin], counts[bin] = sums[bin]+x, hits[bin]+y, counts[bin]+1
		}
	}
	n := cases + others
	q := forecastQuality{n: len(p), brier: squared / n}
	q.auc = (rankSum - cases*(cases+1)/2) / (cases * others)
	q1, q2 := q.auc/(2-q.auc), 2*q.auc*q.auc/(1+q.auc)
	half := 1.96 * math.Sqrt((q.auc*(1-q.auc)+(cases-1)*(q1-q.auc*q.auc)+(others-1)*(q2-q.auc*q.auc))/(cases*others))
	q.low, q.high = q.auc-half, min(q.auc+half, 1)
	q.skill = 1 - q.brier/(cases/n*others/n)
	for bin := range counts {
		q.calibrationError += math.Abs(sums[bin]-hits[bin]) / n
	}
	return q
}
