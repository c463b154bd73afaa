package stats

import (
	"math"
	"slices"
)

// madToSD makes the median absolute deviation of a normal sample estimate its standard deviation: 1/NormalQuantile(0.75).
const madToSD = 1.4826

// Quantile is the p-quantile of values sorted ascending, interpolated between neighbours (Hyndman & Fan 1996, type 7). p lies
// in 0..1. No values give NaN.
func Quantile(sorted []float64, p float64) float64 {
	if len(sorted) == 0 || !(p >= 0 && p <= 1) {
		return math.NaN()
	}
	position := p * float64(len(sorted)-1)
	below := int(position)
	if below >= len(sorted)-1 {
		return sorted[len(sorted)-1]
	}
	fraction := position - float64(below)
	if fraction == 0 {
		return sorted[below]
	}
	return float64((1-fraction)*sorted[below]) + float64(fraction*sorted[below+1])
}

// Median is the middle value, or the mean of the two middle ones, in any order given. No values, or a NaN among them, give NaN.
func Median(x []float64) float64 {
	return medianInPlace(slices.Clone(x))
}

// medianInPlace is Median, leaving x reordered.
func medianInPlace(x []float64) float64 {
	if len(x) == 0 || slices.ContainsFunc(x, math.IsNaN) {
		return math.NaN()
	}
	half := len(x) / 2
	upper := selectNth(x, half)
	if len(x)%2 == 1 {
		return upper
	}
	lower := slices.Max(x[:half])
	return lower + (upper-lower)/2
}

// MedianAbsoluteDeviation is the median distance from the median, not scaled to the standard deviation. No values, or a NaN
// among them, give NaN.
func MedianAbsoluteDeviation(x []float64) float64 {
	distances := slices.Clone(x)
	median := medianInPlace(distances)
	for i, v := range distances {
		distances[i] = math.Abs(v - median)
	}
	return medianInPlace(distances)
}

// RobustZ is the distance of x from a median in robust standard deviations, (x-median)/(1.4826*mad). When the deviation is 0
// the value at the median has 0 and any other none: NaN.
func RobustZ(x, median, mad float64) float64 {
	if mad == 0 && x == median {
		return 0
	}
	if !(mad > 0) {
		return math.NaN()
	}
	return (x - median) / (madToSD * mad)
}

// selectNth reorders x so that x[n] is what sorting would put there, nothing before it is larger and nothing after it is
// smaller, and gives x[n]. It takes time in proportion to len(x) on average (Hoare 1961). x must hold no NaN.
func selectNth(x []float64, n int) float64 {
	low, high := 0, len(x)-1
	for high-low > 16 {
		pivot := medianOfThree(x[low], x[low+(high-low)/2], x[high])
		i, j := low, high
		for i <= j {
			for x[i] < pivot {
				i++
			}
			for x[j] > pivot {
				j--
			}
			if i <= j {
				x[i], x[j] = x[j], x[i]
				i++
				j--
			}
		}
		switch {
		case n <= j:
			high = j
		case n >= i:
			low = i
		default:
			return x[n]
		}
	}
	slices.Sort(x[low : high+1])
	return x[n]
}

func medianOfThree(a, b, c float64) float64 { return max(min(a, b), min(max(a, b), c)) }

// mean is the arithmetic mean; NaN of nothing.
func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// variance has divisor n-1; NaN of fewer than two values.
func variance(x []float64) float64 {
	if len(x) < 2 {
		return math.NaN()
	}
	centre, sum := mean(x), 0.0
	for _, v := range x {
		d := v - centre
		sum += float64(d * d)
	}
	return sum / float64(len(x)-1)
}
