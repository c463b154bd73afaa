package stats

import (
	"math"
	"slices"
)

// BrierScore is the mean squared distance of forecast probabilities from outcomes (Brier 1950): 0 is perfect, 0.25 is what always
// saying one half gets. No forecasts, slices of different length or a forecast outside 0..1 give NaN.
func BrierScore(forecasts []float64, outcomes []bool) float64 {
	if len(forecasts) != len(outcomes) || len(forecasts) == 0 {
		return math.NaN()
	}
	sum := 0.0
	for i, f := range forecasts {
		if !(f >= 0 && f <= 1) {
			return math.NaN()
		}
		miss := f - indicator(outcomes[i])
		sum += float64(miss * miss)
	}
	return sum / float64(len(forecasts))
}

// BrierSkill is 1 less the Brier score over that of always forecasting the outcomes' own base rate: 1 is perfect, 0 no better than
// the base rate, negative worse. It is NaN where BrierScore is, and when all outcomes are the same.
func BrierSkill(forecasts []float64, outcomes []bool) float64 {
	base := rate(outcomes)
	uncertainty := base * (1 - base)
	if uncertainty == 0 {
		return math.NaN()
	}
	return 1 - BrierScore(forecasts, outcomes)/uncertainty
}

// MurphySplit splits the Brier score into reliability - resolution + uncertainty (Murphy 1973), over the groups of equal
// forecasts. Reliability is the miscalibration (smaller is better), resolution how far the groups' outcomes differ from the
// base rate (larger is better), uncertainty the variance of the outcomes. It is NaN where BrierScore is.
func MurphySplit(forecasts []float64, outcomes []bool) (reliability, resolution, uncertainty float64) {
	if math.IsNaN(BrierScore(forecasts, outcomes)) {
		return math.NaN(), math.NaN(), math.NaN()
	}
	n := float64(len(forecasts))
	base := rate(outcomes)
	order := ascending(forecasts)
	for start := 0; start < len(order); {
		forecast, hits, end := forecasts[order[start]], 0.0, start
		for ; end < len(order) && forecasts[order[end]] == forecast; end++ {
			hits += indicator(outcomes[order[end]])
		}
		share := float64(end-start) / n
		observed := hits / float64(end-start)
		reliability += float64(share * (forecast - observed) * (forecast - observed))
		resolution += float64(share * (observed - base) * (observed - base))
		start = end
	}
	return reliability, resolution, base * (1 - base)
}

// CalibrationBin is what came of the forecasts in one of equally wide ranges of probability.
type CalibrationBin struct {
	// Count is the number of forecasts in the range.
	Count int
	// MeanForecast and ObservedRate lie in 0..1; both are 0 for an empty range.
	MeanForecast, ObservedRate float64
}

// Calibration sorts forecasts into that many equally wide bins of 0..1, the last of which includes 1. It gives nil where BrierScore
// is NaN and when bins is less than 1.
func Calibration(forecasts []float64, outcomes []bool, bins int) []CalibrationBin {
	if bins < 1 || math.IsNaN(BrierScore(forecasts, outcomes)) {
		return nil
	}
	table := make([]CalibrationBin, bins)
	for i, f := range forecasts {
		bin := &table[min(int(f*float64(bins)), bins-1)]
		bin.Count++
		bin.MeanForecast += f
		bin.ObservedRate += indicator(outcomes[i])
	}
	for i := range table {
		if bin := &table[i]; bin.Count > 0 {
			bin.MeanForecast /= float64(bin.Count)
			bin.ObservedRate /= float64(bin.Count)
		}
	}
	return table
}

// ExpectedCalibrationError is the mean distance of forecast from observed rate over the bins, weighted by their counts (Naeini,
// Cooper & Hauskrecht 2015). No forecasts give NaN.
func ExpectedCalibrationError(bins []CalibrationBin) float64 {
	total, n := 0.0, 0.0
	for _, bin := range bins {
		total += float64(float64(bin.Count) * math.Abs(bin.MeanForecast-bin.ObservedRate))
		n += float64(bin.Count)
	}
	return total / n
}

// martingaleBets is how many bet sizes the test martingale spreads its stake over.
const martingaleBets = 32

// TestMartingale is the evidence, as a betting score, that the outcomes succeed more often than with probability p0: what one
// unit has become after betting on every success at the odds of p0 (Waudby-Smith & Ramdas 2024). The stake is spread evenly
// over bets lambda between 0 and 0.5/p0, each of which earns prod(1+lambda*(x-p0)), so none has to be chosen beforehand
// and the order of the outcomes does not matter. If p0 is the truth, the score exceeds 20 at any time, watched continually, with
// probability at most 1/20 (Ville 1939). No outcomes give 1. p0 lies between 0 and 1, exclusive. The score stops at the largest number.
func TestMartingale(outcomes []bool, p0 float64) float64 {
	if !(p0 > 0 && p0 < 1) {
		return math.NaN()
	}
	hits := 0.0
	for _, x := range outcomes {
		hits += indicator(x)
	}
	misses := float64(len(outcomes)) - hits
	var logs [martingaleBets]float64
	for i := range logs {
		bet := (float64(i) + 0.5) / martingaleBets * 0.5 / p0
		logs[i] = float64(hits*math.Log1p(bet*(1-p0))) + float64(misses*math.Log1p(-bet*p0))
	}
	largest := slices.Max(logs[:])
	sum := 0.0
	for _, v := range logs {
		sum += math.Exp(v - largest)
	}
	return min(math.Exp(largest+math.Log(sum/martingaleBets)), math.MaxFloat64)
}

func indicator(x bool) float64 {
	if x {
		return 1
	}
	return 0
}

func rate(outcomes []bool) float64 {
	hits := 0.0
	for _, x := range outcomes {
		hits += indicator(x)
	}
	return hits / float64(len(outcomes))
}

// ascending gives the indices of x in ascending order, equal values in the order they stand.
func ascending(x []float64) []int {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case x[a] < x[b]:
			return -1
		case x[a] > x[b]:
			return 1
		}
		return 0
	})
	return order
}
