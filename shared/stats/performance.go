package stats

import "math"

// MaximumDrawdown is the largest fall from a peak of the curve prod(1+stake*r), which starts at 1, as a fraction of that peak: 0.25
// means that a quarter was lost. stake is the share of the capital in each position. A curve that reaches 0 has lost all: 1.
func MaximumDrawdown(returns []float64, stake float64) float64 {
	equity, peak, worst := 1.0, 1.0, 0.0
	for _, r := range returns {
		growth := 1 + float64(stake*r)
		if math.IsNaN(growth) {
			return math.NaN()
		}
		equity *= max(0, growth)
		peak = max(peak, equity)
		worst = max(worst, 1-equity/peak)
		// Only the distance to the peak matters, so the curve starts anew before it leaves the range of numbers.
		if peak > 1e100 {
			equity, peak = equity/peak, 1
		}
	}
	return worst
}

// ProfitFactor is the sum of the gains over the sum of the losses, in any one currency. Without a loss it is not defined.
func ProfitFactor(pnl []float64) (factor float64, defined bool) {
	gains, losses := 0.0, 0.0
	for _, v := range pnl {
		switch {
		case v > 0:
			gains += v
		case v < 0:
			losses -= v
		case v != v:
			return math.NaN(), false
		}
	}
	if losses == 0 {
		return 0, false
	}
	return gains / losses, true
}

// Burstiness is (sd-mean)/(sd+mean) of the times between events, with the population standard deviation (Goh & Barabasi 2008): -1
// for a clock, 0 for chance (a Poisson process), towards 1 for bursts. Intervals may have any unit and must not be negative;
// fewer than two, or all 0, give NaN.
func Burstiness(intervals []float64) float64 {
	if len(intervals) < 2 {
		return math.NaN()
	}
	for _, v := range intervals {
		if !(v >= 0) {
			return math.NaN()
		}
	}
	n := float64(len(intervals))
	m := Describe(intervals)
	sd := m.SD * math.Sqrt((n-1)/n)
	return (sd - m.Mean) / (sd + m.Mean)
}

// Kelly is the share of the capital, 0..1, that maximises the mean of ln(1+share*return) over past returns (Kelly 1956). It is 0
// when the mean return is not positive, and never above 1: nothing is borrowed. No returns give 0.
func Kelly(returns []float64) float64 {
	worst, sum := 0.0, 0.0
	for _, r := range returns {
		if math.IsNaN(r) || math.IsInf(r, 0) {
			return math.NaN()
		}
		worst = min(worst, r)
		sum += r
	}
	if sum <= 0 {
		return 0
	}
	slope := func(share float64) float64 { // of the mean log growth, times the number of returns; falls as the share rises
		total := 0.0
		for _, r := range returns {
			total += r / (1 + float64(share*r))
		}
		return total
	}
	low, high := 0.0, 1.0
	if worst <= -1 {
		high = -1 / worst // ruin
	} else if slope(1) >= 0 {
		return 1
	}
	for range 60 {
		middle := low + (high-low)/2
		if middle <= low || middle >= high {
			break
		}
		if slope(middle) > 0 {
			low = middle
		} else {
			high = middle
		}
	}
	return low + (high-low)/2
}

// KellyShrink is the factor, 0..1, by which a Kelly fraction shrinks for the uncertainty of the mean return behind it:
// mean^2/(mean^2+se^2), the form of Baker & McHale 2013. A mean that is not positive gives 0; se is its standard error.
func KellyShrink(mean, se float64) float64 {
	switch {
	case math.IsNaN(mean) || !(se >= 0):
		return math.NaN()
	case mean <= 0:
		return 0
	}
	ratio := se / mean
	return 1 / (1 + float64(ratio*ratio))
}
