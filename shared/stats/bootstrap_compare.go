package stats

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// BootstrapMeanDifferencePValue is the one-sided p-value of the segment's mean being above the rest's: the share of studentised
// (Welch) differences, under resampling of both samples shifted to one mean, that reach the observed one (Efron & Tibshirani 1993,
// algorithm 16.2). It lies in 1/(rounds+1)..1. A sample of fewer than two values shows nothing: 1.
func BootstrapMeanDifferencePValue(segment, rest []float64, rounds int, seed uint64) float64 {
	if rounds < 1 {
		return math.NaN()
	}
	a, b := Describe(segment), Describe(rest)
	if math.IsNaN(a.Mean-b.Mean) || math.IsNaN(a.SD+b.SD) {
		return math.NaN()
	}
	if a.N < 2 || b.N < 2 {
		return 1
	}
	observed := welch(a.Mean-b.Mean, a.SD*a.SD/float64(a.N)+b.SD*b.SD/float64(b.N))
	sideA, sideB := newSide(segment, a), newSide(rest, b)
	source := generator(seed)
	normal := rand.New(source)
	reached := 0
	for range rounds {
		meanA, errorA := sideA.draw(source, normal)
		meanB, errorB := sideB.draw(source, normal)
		if welch(meanA-meanB, errorA+errorB) >= observed {
			reached++
		}
	}
	return float64(reached+1) / float64(rounds+1)
}

// side is one of two samples that are compared. A large one, within the bounds of the expansion, is not drawn value by value: the
// mean and variance of its resamples are drawn from their joint law to second order.
type side struct {
	resampler *resampler
	// Of the law: standard error, its square, skewness/sqrt(n), and the spread of the variance that the mean does not explain.
	error, squaredError, skew, rest float64
}

func newSide(x []float64, m Moments) side {
	n := float64(m.N)
	skew := m.Skew / math.Sqrt(n)
	if m.N < expansionAlways && (m.N < expansionFrom || skew < expansionSkewLow || skew > expansionSkewHigh) {
		return side{resampler: newResampler(x, m.Mean)}
	}
	standardError := m.SD / math.Sqrt(n)
	unexplained := max(0, m.Kurtosis-1-float64(m.Skew*m.Skew)) / n
	return side{error: standardError, squaredError: float64(standardError * standardError), skew: skew, rest: math.Sqrt(unexplained)}
}

// draw gives the mean of one resample, from the sample's mean, and the squared standard error of it.
func (s *side) draw(source *randomSource, normal *rand.Rand) (mean, squaredError float64) {
	if s.resampler != nil {
		return s.resampler.meanAndVariance(source)
	}
	// The mean by its Cornish-Fisher expansion; the variance by its covariance with the mean, which is the third moment.
	z, other := normal.NormFloat64(), normal.NormFloat64()
	mean = s.error * (z + float64(s.skew*(z*z-1)/6))
	growth := 1 + float64(s.skew*z) + float64(s.rest*other)
	return mean, s.squaredError * max(growth, 0.01)
}

// welch is a difference in units of its standard error, or the sign of it at infinity where there is no error.
func welch(difference, squaredError float64) float64 {
	switch {
	case squaredError > 0:
		return difference / math.Sqrt(squaredError)
	case difference == 0:
		return 0
	}
	return math.Inf(int(math.Copysign(1, difference)))
}

// meanAndVariance gives the mean of one resample, from the sample's mean, and the squared standard error of it.
func (r *resampler) meanAndVariance(source *randomSource) (mean, squaredError float64) {
	n := float64(r.n)
	sum, squares := r.sums(source)
	spread := squares - float64(sum*sum)/n
	if spread <= roundingResidue*squares {
		spread = 0
	}
	return sum / n, spread / (n - 1) / n
}

// clusterSums are the size of one cluster and the sum of its deviations from the mean of all.
type clusterSums struct{ size, deviation float64 }

// clusterTotals sums up clusters: what the mean of their values and its error need.
type clusterTotals struct{ size, deviation, sizeSquares, products, deviationSquares float64 }

func (c clusterSums) totals() clusterTotals {
	return clusterTotals{c.size, c.deviation, float64(c.size * c.size), float64(c.size * c.deviation), float64(c.deviation * c.deviation)}
}

func (t *clusterTotals) add(c *clusterTotals) {
	t.size += c.size
	t.deviation += c.deviation
	t.sizeSquares += c.sizeSquares
	t.products += c.products
	t.deviationSquares += c.deviationSquares
}

// mean gives the mean deviation and its standard error, linearised as a ratio of sums, for that many clusters.
func (t *clusterTotals) mean(clusters float64) (mean, standardError float64) {
	mean = t.deviation / t.size
	spread := t.deviationSquares - float64(2*mean*t.products) + float64(mean*mean*t.sizeSquares)
	if spread <= roundingResidue*t.deviationSquares {
		return mean, 0
	}
	return mean, math.Sqrt(spread*clusters/(clusters-1)) / t.size
}

// ClusterBootstrapMean is a two-sided confidence interval of the mean when the values of one cluster depend on each other, by the
// studentised bootstrap over whole clusters (Cameron, Gelbach & Miller 2008), with the linearised error of a ratio of sums.
// cluster[i] names the cluster of values[i]; level is that of the interval, such as 0.90. With fewer than two clusters nothing is
// known: -Inf, +Inf. Slices of different length give NaN.
func ClusterBootstrapMean(values []float64, cluster []int, level float64, rounds int, seed uint64) (low, high float64) {
	if len(values) != len(cluster) || !(level > 0 && level < 1) || rounds < 1 {
		return math.NaN(), math.NaN()
	}
	centre := Describe(values).Mean
	if math.IsNaN(centre) {
		return math.NaN(), math.NaN()
	}
	position := make(map[int]int)
	var clusters []clusterSums
	for i, name := range cluster {
		at, known := position[name]
		if !known {
			at = len(clusters)
			position[name] = at
			clusters = append(clusters, clusterSums{})
		}
		clusters[at].size++
		clusters[at].deviation += values[i] - centre
	}
	if len(clusters) < 2 {
		return math.Inf(-1), math.Inf(1)
	}
	g := float64(len(clusters))
	var all clusterTotals
	each := make([]clusterTotals, len(clusters))
	for i, c := range clusters {
		each[i] = c.totals()
		all.add(&each[i])
	}
	_, se := all.mean(g)
	if se == 0 {
		return centre, centre
	}
	source := generator(seed)
	statistics := make([]float64, rounds)
	for i := range statistics {
		var resample clusterTotals
		for range clusters {
			at, _ := bits.Mul64(source.Uint64(), uint64(len(clusters)))
			resample.add(&each[at])
		}
		mean, resampleSE := resample.mean(g)
		if resampleSE > 0 {
			statistics[i] = mean / resampleSE
		} else {
			statistics[i] = welch(mean, 0)
		}
	}
	at := orderStatistic((1+level)/2, rounds)
	upper := selectNth(statistics, at)
	lower := selectNth(statistics, rounds-1-at)
	return centre - float64(upper*se), centre - float64(lower*se)
}
