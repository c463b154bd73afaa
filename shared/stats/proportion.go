package stats

import "math"

// Wilson is the score interval of a proportion (Wilson 1927), which keeps its coverage for small samples (Brown, Cai &
// DasGupta 2001). z is the normal quantile of the wanted level: 1.96 for two-sided 95 %. Both ends lie in 0..1. No trials
// say nothing: 0, 1. Negative counts, more successes than trials and a negative z give NaN.
func Wilson(successes, trials int, z float64) (low, high float64) {
	if successes < 0 || trials < successes || !(z >= 0) {
		return math.NaN(), math.NaN()
	}
	if trials == 0 {
		return 0, 1
	}
	return WilsonRate(float64(successes)/float64(trials), float64(trials), z)
}

// WilsonRate is Wilson's interval of a rate from 0 to 1 that is worth so many independent trials, where it was counted on trials that
// are not independent. It contains the rate. Fewer than no trials, another rate and a negative z give NaN, no trials 0, 1.
func WilsonRate(rate, trials, z float64) (low, high float64) {
	if !(rate >= 0 && rate <= 1) || !(trials >= 0) || math.IsInf(trials, 1) || !(z >= 0) {
		return math.NaN(), math.NaN()
	}
	if trials == 0 {
		return 0, 1
	}
	z2 := z * z
	centre := (rate + z2/(2*trials)) / (1 + z2/trials)
	half := z * math.Sqrt(rate*(1-rate)/trials+z2/(4*trials*trials)) / (1 + z2/trials)
	low, high = min(max(0, centre-half), rate), max(min(1, centre+half), rate)
	// At the ends the bound is exact; the subtraction above would leave a rounding residue.
	if rate == 0 {
		low = 0
	}
	if rate == 1 {
		high = 1
	}
	return low, high
}

// EffectiveSize is the number of independent observations that clustered ones are worth: the sum over clusters of
// size/(1+(size-1)*rho), the design effect of Kish (1965). rho in 0..1 is the correlation within a cluster. Sizes must not
// be negative. No clusters give 0.
func EffectiveSize(clusterSizes []int, rho float64) float64 {
	if !(rho >= 0 && rho <= 1) {
		return math.NaN()
	}
	total := 0.0
	for _, size := range clusterSizes {
		if size < 0 {
			return math.NaN()
		}
		if size > 0 {
			total += float64(size) / (1 + float64(size-1)*rho)
		}
	}
	return total
}

// KishSize is the number of equally weighted observations that weighted ones are worth, (sum w)^2 / sum w^2 (Kish 1965).
// Weights must not be negative; their unit does not matter. No positive weight gives 0.
func KishSize(weights []float64) float64 {
	concentration := Herfindahl(weights)
	switch {
	case concentration == 0:
		return 0
	default:
		return 1 / concentration
	}
}

// Herfindahl is the Herfindahl-Hirschman index of concentration: the sum of squared shares, from 1/n for equal weights to
// 1 for a single one. Weights must not be negative; their unit does not matter. No positive weight gives 0.
func Herfindahl(weights []float64) float64 {
	largest := 0.0
	for _, w := range weights {
		if !(w >= 0) || math.IsInf(w, 1) {
			return math.NaN()
		}
		largest = max(largest, w)
	}
	if largest == 0 {
		return 0
	}
	// Scaling by the largest weight keeps the squares of huge and of tiny weights in range.
	sum, squares := 0.0, 0.0
	for _, w := range weights {
		share := w / largest
		sum += share
		squares += float64(share * share)
	}
	return squares / (sum * sum)
}
