package stats

import "math"

// eulerMascheroni is the constant of Euler and Mascheroni.
const eulerMascheroni = 0.57721566490153286061

// smallestRadicand is where the variance of a Sharpe ratio counts as zero.
const smallestRadicand = 1e-9

// Moments describes a sample of returns.
type Moments struct {
	// N is the number of values.
	N int
	// Mean is the arithmetic mean.
	Mean float64
	// SD is the standard deviation with divisor N-1; exactly 0 when all values are equal.
	SD float64
	// Skew is the population skewness m3/m2^1.5.
	Skew float64
	// Kurtosis is the population kurtosis m4/m2^2, not in excess: 3 for a normal variable.
	Kurtosis float64
}

// Describe computes the moments of a sample. With fewer than two values, or all equal, SD and Skew are 0 and Kurtosis is 3;
// an empty sample has mean 0.
func Describe(x []float64) Moments {
	m := Moments{N: len(x), Kurtosis: 3}
	if m.N == 0 {
		return m
	}
	sum, low, high := 0.0, x[0], x[0]
	for _, v := range x {
		sum += v
		low, high = min(low, v), max(high, v)
	}
	n := float64(m.N)
	m.Mean = sum / n
	if low == high {
		m.Mean = low
		return m
	}
	m.complete(x)
	return m
}

// complete fills the moments about the mean, which must be there.
func (m *Moments) complete(x []float64, more ...float64) {
	var s central
	s.add(x, m.Mean)
	s.add(more, m.Mean)
	s.into(m)
}

// central holds the sums of the second to fourth powers of deviations from the mean.
type central struct{ s2, s3, s4 float64 }

func (c *central) add(x []float64, mean float64) {
	s2, s3, s4 := c.s2, c.s3, c.s4
	for _, v := range x {
		d := v - mean
		d2 := float64(d * d)
		s2 += d2
		s3 += float64(d2 * d)
		s4 += float64(d2 * d2)
	}
	c.s2, c.s3, c.s4 = s2, s3, s4
}

func (c *central) into(m *Moments) {
	n := float64(m.N)
	m2 := c.s2 / n
	m.SD = math.Sqrt(c.s2 / (n - 1))
	if m2 == 0 { // deviations so small that their squares vanish
		return
	}
	m.Skew = c.s3 / n / (m2 * math.Sqrt(m2))
	m.Kurtosis = c.s4 / n / (m2 * m2)
}

// Sharpe is the mean return over its standard deviation, per observation and not annualised; 0 when the deviation is 0.
func (m Moments) Sharpe() float64 {
	if m.SD == 0 {
		return 0
	}
	return m.Mean / m.SD
}

// sharpeRadicand is the variance of the Sharpe ratio's estimate times n-1 (Mertens 2002).
func sharpeRadicand(sharpe, skew, kurtosis float64) float64 {
	return 1 - float64(skew*sharpe) + float64((kurtosis-1)/4*sharpe*sharpe)
}

// ProbabilisticSharpe is the probability that the true Sharpe ratio exceeds a benchmark, given skewed and fat-tailed returns
// (Bailey & Lopez de Prado 2012). The benchmark is per observation. A sample that cannot tell (fewer than two values, no
// spread, a vanishing variance of the estimate) gives 0.5.
func ProbabilisticSharpe(m Moments, benchmark float64) float64 {
	if m.N < 2 || m.SD == 0 {
		return 0.5
	}
	sharpe := m.Sharpe()
	radicand := sharpeRadicand(sharpe, m.Skew, m.Kurtosis)
	if radicand <= smallestRadicand {
		return 0.5
	}
	return NormalCDF((sharpe - benchmark) * math.Sqrt(float64(m.N-1)) / math.Sqrt(radicand))
}

// ProbabilisticSharpeWithLoss is ProbabilisticSharpe against 0 of the sample plus one return of -1, a total loss that the
// trader has not met yet. The pseudo-loss takes the evidence away from those who win little and often and rarely lose all,
// whom the plain measure believes.
func ProbabilisticSharpeWithLoss(returns []float64) float64 {
	const loss = -1.0
	m := Moments{N: len(returns) + 1, Kurtosis: 3}
	sum, spread := loss, false
	for _, r := range returns {
		sum += r
		spread = spread || r != loss
	}
	if !spread {
		return 0.5
	}
	m.Mean = sum / float64(m.N)
	m.complete(returns, loss)
	return ProbabilisticSharpe(m, 0)
}

// MinimumTrackRecord is the number of observations after which a Sharpe ratio of this size would be credibly above 0 at the
// confidence given, such as 0.95 (Bailey & Lopez de Prado 2012). Kurtosis is not in excess. A ratio of 0 or less needs
// infinitely many: +Inf. Confidence must lie in 0.5..1, exclusive of 1.
func MinimumTrackRecord(sharpe, skew, kurtosis, confidence float64) float64 {
	if math.IsNaN(sharpe) || !(confidence >= 0.5 && confidence < 1) {
		return math.NaN()
	}
	if sharpe <= 0 {
		return math.Inf(1)
	}
	z := NormalQuantile(confidence) / sharpe
	return 1 + float64(max(0, sharpeRadicand(sharpe, skew, kurtosis))*z*z)
}

// ExpectedMaximumNormal approximates the expected largest of that many independent standard normal draws (Bailey & Lopez de
// Prado 2014). One trial expects 0; fewer give NaN.
func ExpectedMaximumNormal(trials int) float64 {
	switch {
	case trials < 1:
		return math.NaN()
	case trials == 1:
		return 0
	}
	n := float64(trials)
	// The upper quantiles are taken from the small side, which keeps their digits for many trials.
	return -float64((1-eulerMascheroni)*NormalQuantile(1/n)) - float64(eulerMascheroni*NormalQuantile(1/(n*math.E)))
}

// DeflatedSharpe judges the best of many trials (Bailey & Lopez de Prado 2014): benchmark is the Sharpe ratio that the luckiest
// of that many unskilled trials would show, when the trials' ratios vary by sharpeVariance, and probability is that of the
// true ratio exceeding it. Everything is per observation.
func DeflatedSharpe(m Moments, trials int, sharpeVariance float64) (benchmark, probability float64) {
	if !(sharpeVariance >= 0) || trials < 1 {
		return math.NaN(), math.NaN()
	}
	benchmark = math.Sqrt(sharpeVariance) * ExpectedMaximumNormal(trials)
	return benchmark, ProbabilisticSharpe(m, benchmark)
}
