package stats

import "math"

// periodsPerYear annualises daily bars of a market that never closes. Volatilities scale with its root: for hourly bars multiply
// by sqrt(24).
const periodsPerYear = 365

// CloseToClose is the annualised volatility from the closes of the last n bars: the sample standard deviation of their n-1 log returns
// times sqrt(365). Bars are days. n must be at least 3.
func CloseToClose(bars []Bar, n int) []float64 {
	out := warmUp(len(bars))
	if n < 3 {
		return out
	}
	returns := warmUp(len(bars))
	for i := 1; i < len(bars); i++ {
		returns[i] = math.Log(bars[i].Close / bars[i-1].Close)
	}
	eachWindow(len(bars), n, func(from, to int) {
		out[to-1] = math.Sqrt(variance(returns[from+1:to]) * periodsPerYear)
	})
	return out
}

// Parkinson is the annualised volatility from the high and low of n daily bars (Parkinson 1980). Sparse trading biases it down.
func Parkinson(bars []Bar, n int) []float64 {
	return rangeVolatility(bars, n, func(b Bar) float64 {
		span := math.Log(b.High / b.Low)
		return span * span / (4 * math.Ln2)
	})
}

// GarmanKlass is the annualised volatility from open, high, low and close of n daily bars, for a market without gaps between bars
// (Garman & Klass 1980).
func GarmanKlass(bars []Bar, n int) []float64 {
	return rangeVolatility(bars, n, func(b Bar) float64 {
		span, body := math.Log(b.High/b.Low), math.Log(b.Close/b.Open)
		return float64(0.5*span*span) - float64((2*math.Ln2-1)*body*body)
	})
}

// rogersSatchell is one bar's variance, free of drift (Rogers & Satchell 1991).
func rogersSatchell(b Bar) float64 {
	return float64(math.Log(b.High/b.Close)*math.Log(b.High/b.Open)) + float64(math.Log(b.Low/b.Close)*math.Log(b.Low/b.Open))
}

// rangeVolatility is the root of the mean variance of n bars, annualised.
func rangeVolatility(bars []Bar, n int, barVariance func(Bar) float64) []float64 {
	variances := make([]float64, len(bars))
	for i, b := range bars {
		variances[i] = barVariance(b)
	}
	out := SMA(variances, n)
	for i, v := range out {
		out[i] = math.Sqrt(v * periodsPerYear)
	}
	return out
}

// YangZhang is the annualised volatility from n daily bars, free of drift and with the gaps between bars (Yang & Zhang 2000; their
// alpha is 1.34). The gap needs the bar before, so that the first value stands at bar n+1. n must be at least 2.
func YangZhang(bars []Bar, n int) []float64 {
	out := warmUp(len(bars))
	if n < 2 {
		return out
	}
	const alpha = 1.34
	k := (alpha - 1) / (alpha + float64(n+1)/float64(n-1))
	gaps, bodies, inside := warmUp(len(bars)), make([]float64, len(bars)), make([]float64, len(bars))
	for i, b := range bars {
		if i > 0 {
			gaps[i] = math.Log(b.Open / bars[i-1].Close)
		}
		bodies[i] = math.Log(b.Close / b.Open)
		inside[i] = rogersSatchell(b)
	}
	eachWindow(len(bars), n, func(from, to int) {
		total := variance(gaps[from:to]) + float64(k*variance(bodies[from:to])) + float64((1-k)*mean(inside[from:to]))
		out[to-1] = math.Sqrt(total * periodsPerYear)
	})
	return out
}
