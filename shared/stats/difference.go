package stats

import (
	"math"
	"math/bits"
)

// Newcombe is the interval of the difference of two independent proportions, first less second, by Newcombe's hybrid of their Wilson
// intervals (Newcombe 1998, method 10). z is the normal quantile of the wanted level, 1.96 for two-sided 95 %. No trials on a side
// say nothing of it. Counts that are none and a negative z give NaN.
func Newcombe(successes1, trials1, successes2, trials2 int, z float64) (low, high float64) {
	if successes1 < 0 || successes2 < 0 || trials1 < successes1 || trials2 < successes2 {
		return math.NaN(), math.NaN()
	}
	if trials1 == 0 || trials2 == 0 {
		return newcombeWithNothing(successes1, trials1, successes2, trials2, z)
	}
	return NewcombeRates(float64(successes1)/float64(trials1), float64(trials1), float64(successes2)/float64(trials2), float64(trials2), z)
}

// newcombeWithNothing is Newcombe where a side has no trials: its rate can be anything.
func newcombeWithNothing(successes1, trials1, successes2, trials2 int, z float64) (low, high float64) {
	low1, high1 := Wilson(successes1, trials1, z)
	low2, high2 := Wilson(successes2, trials2, z)
	return low1 - high2, high1 - low2
}

// NewcombeRates is Newcombe's interval of rates from 0 to 1 that are worth so many independent trials each, above none, where they
// were counted on trials that are not independent.
func NewcombeRates(rate1, trials1, rate2, trials2, z float64) (low, high float64) {
	if !(trials1 > 0) || !(trials2 > 0) {
		return math.NaN(), math.NaN()
	}
	low1, high1 := WilsonRate(rate1, trials1, z)
	low2, high2 := WilsonRate(rate2, trials2, z)
	difference := rate1 - rate2
	return difference - math.Hypot(rate1-low1, high2-rate2), difference + math.Hypot(high1-rate1, rate2-low2)
}

// differenceTotals are what the difference of two means over clusters, and its error, are made of: the sizes of both sides, and the
// sums of deviations from each side's mean.
type differenceTotals struct{ size, deviation [2]float64 }

// ClusterBootstrapDifference is a two-sided confidence interval of the difference of two means, those values where second is false
// less those where it is true, when the values of one cluster depend on each other whichever side they are on: the studentised
// bootstrap over whole clusters (Cameron, Gelbach & Miller 2008), with the linearised error of a difference of ratios. level is that
// of the interval, such as 0.95. Known is false, and the bounds infinite, where nothing can be said: a side with values of fewer than
// two clusters, or without any spread. Slices of different length give NaN.
func ClusterBootstrapDifference(values []float64, second []bool, cluster []int, level float64, rounds int, seed uint64) (low, high float64, known bool) {
	if len(values) != len(second) || len(values) != len(cluster) || !(level > 0 && level < 1) || rounds < 1 {
		return math.NaN(), math.NaN(), false
	}
	var mean, size [2]float64
	for i, v := range values {
		mean[side2(second[i])] += v
		size[side2(second[i])]++
	}
	for s := range mean {
		mean[s] /= size[s]
	}
	if math.IsNaN(mean[0] - mean[1]) {
		return math.Inf(-1), math.Inf(1), false
	}
	position := make(map[int]int)
	var clusters []differenceTotals
	for i, name := range cluster {
		at, seen := position[name]
		if !seen {
			at = len(clusters)
			position[name] = at
			clusters = append(clusters, differenceTotals{})
		}
		s := side2(second[i])
		clusters[at].size[s]++
		clusters[at].deviation[s] += values[i] - mean[s]
	}
	var counts [2]int
	var spread [2]float64
	for i := range clusters {
		for s := range counts {
			if clusters[i].size[s] > 0 {
				counts[s]++
				spread[s] += clusters[i].deviation[s] * clusters[i].deviation[s]
			}
		}
	}
	if counts[0] < 2 || counts[1] < 2 || !(spread[0] > roundingResidue) || !(spread[1] > roundingResidue) {
		return math.Inf(-1), math.Inf(1), false
	}
	draw := make([]int, len(clusters))
	for i := range draw {
		draw[i] = i
	}
	_, standardError, _ := differenceOf(clusters, draw)
	source := generator(seed)
	statistics := make([]float64, rounds)
	for i := range statistics {
		for drawn := false; !drawn; {
			for j := range draw {
				at, _ := bits.Mul64(source.Uint64(), uint64(len(clusters)))
				draw[j] = int(at)
			}
			var difference, resampleError float64
			if difference, resampleError, drawn = differenceOf(clusters, draw); drawn {
				statistics[i] = welch(difference, resampleError*resampleError)
			}
		}
	}
	at := orderStatistic((1+level)/2, rounds)
	upper := selectNth(statistics, at)
	lower := selectNth(statistics, rounds-1-at)
	difference := mean[0] - mean[1]
	return difference - float64(upper*standardError), difference - float64(lower*standardError), true
}

// differenceOf gives the difference of mean deviations of the drawn clusters and its error. It is not known without values on a side.
func differenceOf(clusters []differenceTotals, draw []int) (difference, standardError float64, known bool) {
	var size, sum [2]float64
	for _, at := range draw {
		for s := range size {
			size[s] += clusters[at].size[s]
			sum[s] += clusters[at].deviation[s]
		}
	}
	if size[0] == 0 || size[1] == 0 {
		return 0, 0, false
	}
	mean := [2]float64{sum[0] / size[0], sum[1] / size[1]}
	squares := 0.0
	for _, at := range draw {
		c := &clusters[at]
		influence := (c.deviation[0]-float64(mean[0]*c.size[0]))/size[0] - (c.deviation[1]-float64(mean[1]*c.size[1]))/size[1]
		squares += float64(influence * influence)
	}
	n := float64(len(draw))
	return mean[0] - mean[1], math.Sqrt(squares * n / (n - 1)), true
}

func side2(second bool) int {
	if second {
		return 1
	}
	return 0
}
