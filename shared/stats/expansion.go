package stats

import "math"

// Where the expansion takes the bootstrap's place. The bounds on skewness/sqrt(n) were measured: within them, on lottery-like samples,
// the two differ by less than the noise of 2,000 rounds.
const (
	expansionFrom     = 50
	expansionSkewLow  = -0.2
	expansionSkewHigh = 0.6
	// expansionAlways is the size from which the expansion serves whatever the skew. Drawing would take tens of milliseconds there, and the
	// standard error, the unit of the difference, is small.
	expansionAlways = 5_000
)

// studentisedQuantile is the level quantile of the bootstrap's studentised mean without drawing, where that is known.
//
// The quantile agrees with its second-order expansion in the sample's skewness up to a term of order 1/n (Hall 1988). Of the forms
// of that expansion, Hall's (1992) cubic transformation is monotone for every skewness, so nothing has to be clamped. A sample
// with only two different values is a lattice, for which no smooth expansion holds, but whose resamples follow a
// binomial law.
func studentisedQuantile(x []float64, m Moments, level float64) (quantile float64, known bool) {
	if m.N < expansionFrom {
		return 0, false
	}
	if quantile, known = twoValuedQuantile(x, m, level); known {
		return quantile, true
	}
	skew := m.Skew / math.Sqrt(float64(m.N))
	if (skew < expansionSkewLow || skew > expansionSkewHigh) && m.N < expansionAlways {
		return 0, false
	}
	return hallQuantile(skew, NormalQuantile(level)), true
}

// hallQuantile turns a normal quantile z into that of the studentised mean, by the inverse of Hall's (1992) transformation
// g(t) = t + s*t^2/3 + s^2*t^3/27 + s/6, where s is the skewness over sqrt(n).
func hallQuantile(s, z float64) float64 {
	if math.Abs(s) < 1e-6 { // the cube root would cancel; two terms of its series are exact here
		return z - float64(s*(z*z/3+1.0/6))
	}
	return 3 / s * (math.Cbrt(1+float64(s*(z-s/6))) - 1)
}

// twoValuedQuantile is the exact quantile for a sample of only two different values: the number of draws of the larger one is
// binomial, and the studentised mean rises with it.
func twoValuedQuantile(x []float64, m Moments, level float64) (quantile float64, known bool) {
	low, high, larger := x[0], x[0], 0
	for _, v := range x {
		if v != low && v != high && low != high {
			return 0, false
		}
		low, high = min(low, v), max(high, v)
	}
	for _, v := range x {
		if v == high {
			larger++
		}
	}
	n := float64(m.N)
	share := float64(larger) / n
	// The smallest count whose distribution function reaches the level.
	from, to := 0, m.N
	for from < to {
		middle := from + (to-from)/2
		if 1-BinomialTail(middle+1, m.N, share) >= level {
			to = middle
		} else {
			from = middle + 1
		}
	}
	drawn := float64(from) / n
	return welch(drawn-share, drawn*(1-drawn)/(n-1)), true
}
