package stats_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/stats"
)

// returnsOf draws a sample of returns; whole hundredths make ties common.
func returnsOf(t *rapid.T, label string, least, most int) []float64 {
	hundredths := rapid.SliceOfN(rapid.IntRange(-100, 300), least, most).Draw(t, label)
	out := make([]float64, len(hundredths))
	for i, h := range hundredths {
		out[i] = float64(h) / 100
	}
	return out
}

func near(t *rapid.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*max(1, math.Abs(want))) {
		t.Fatalf("%s: %v, want %v", what, got, want)
	}
}

func TestWilsonHoldsTheRateAndMirrors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 2000).Draw(t, "n")
		k := rapid.IntRange(0, n).Draw(t, "k")
		z := rapid.Float64Range(0.1, 4).Draw(t, "z")
		low, high := stats.Wilson(k, n, z)
		if rate := float64(k) / float64(n); low < 0 || high > 1 || low > rate+1e-12 || high < rate-1e-12 {
			t.Fatalf("%d of %d: %v to %v", k, n, low, high)
		}
		mirroredLow, mirroredHigh := stats.Wilson(n-k, n, z)
		near(t, "mirrored low", mirroredLow, 1-high, 1e-12)
		near(t, "mirrored high", mirroredHigh, 1-low, 1e-12)
		if widerLow, widerHigh := stats.Wilson(2*k, 2*n, z); widerHigh-widerLow > high-low {
			t.Fatal("more trials at one rate widened the interval")
		}
	})
}

func TestBetaQuantileInvertsItsCDF(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := stats.Beta{A: rapid.Float64Range(0.3, 500).Draw(t, "a"), B: rapid.Float64Range(0.3, 500).Draw(t, "b")}
		p := rapid.Float64Range(0.001, 0.999).Draw(t, "p")
		// A quantile next to 1 has few digits left, so p must lie between the CDF at its neighbours rather than near the CDF at it.
		x := b.Quantile(p)
		const step = 8 * 0x1p-53
		if b.CDF(x-step*x) > p+1e-12 || b.CDF(x+step*x) < p-1e-12 {
			t.Fatalf("quantile %v, where the CDF is %v", x, b.CDF(x))
		}
	})
}

// For whole shapes the comparison of two betas is a finite sum (Evan Miller 2014).
func TestBetaGreaterEqualsTheSumForWholeShapes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shape := func(label string) float64 { return float64(rapid.IntRange(1, 60).Draw(t, label)) }
		a, b := stats.Beta{A: shape("a.A"), B: shape("a.B")}, stats.Beta{A: shape("b.A"), B: shape("b.B")}
		logBeta := func(x, y float64) float64 {
			gx, _ := math.Lgamma(x)
			gy, _ := math.Lgamma(y)
			gxy, _ := math.Lgamma(x + y)
			return gx + gy - gxy
		}
		want := 0.0
		for i := 0.0; i < a.A; i++ {
			want += math.Exp(logBeta(b.A+i, a.B+b.B) - math.Log(a.B+i) - logBeta(1+i, a.B) - logBeta(b.A, b.B))
		}
		near(t, "P(a > b)", stats.BetaGreater(a, b), want, 1e-9)
		near(t, "P(a > b) + P(b > a)", stats.BetaGreater(a, b)+stats.BetaGreater(b, a), 1, 1e-12)
	})
}

func TestMomentsUnderShiftAndScale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := returnsOf(t, "x", 2, 60)
		shift, scale := rapid.Float64Range(-5, 5).Draw(t, "shift"), rapid.Float64Range(0.1, 10).Draw(t, "scale")
		moved := make([]float64, len(x))
		for i, v := range x {
			moved[i] = shift + scale*v
		}
		m, after := stats.Describe(x), stats.Describe(moved)
		if m.SD < 1e-3 {
			return
		}
		near(t, "mean", after.Mean, shift+scale*m.Mean, 1e-9)
		near(t, "sd", after.SD, scale*m.SD, 1e-9)
		near(t, "skew", after.Skew, m.Skew, 1e-7)
		near(t, "kurtosis", after.Kurtosis, m.Kurtosis, 1e-7)
		if m.Kurtosis < m.Skew*m.Skew+1-1e-9 {
			t.Fatalf("kurtosis %v is below skew^2+1, skew %v", m.Kurtosis, m.Skew)
		}
	})
}

func TestTheLossIsOneMoreReturn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := returnsOf(t, "x", 0, 60)
		want := stats.ProbabilisticSharpe(stats.Describe(append(slices.Clone(x), -1)), 0)
		near(t, "PSR with a loss", stats.ProbabilisticSharpeWithLoss(x), want, 1e-12)
	})
}

func TestFalseDiscoveryStepUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		thousandths := rapid.SliceOfN(rapid.IntRange(0, 1000), 0, 40).Draw(t, "p")
		p := make([]float64, len(thousandths))
		for i, v := range thousandths {
			p[i] = float64(v) / 1000
		}
		q, dependent := stats.BenjaminiHochberg(p), stats.BenjaminiYekutieli(p)
		level := rapid.Float64Range(0.01, 0.5).Draw(t, "level")
		// The step-up rule itself: reject the k smallest for the largest k with p_(k) <= k/n*level.
		sorted := slices.Sorted(slices.Values(p))
		cut := -1.0
		for i, v := range sorted {
			if v <= float64(i+1)/float64(len(p))*level {
				cut = v
			}
		}
		for i := range p {
			if q[i] < p[i] || dependent[i] < q[i] || q[i] > 1 || dependent[i] > 1 {
				t.Fatalf("p %v, q %v, under dependence %v", p[i], q[i], dependent[i])
			}
			if rejected := p[i] <= cut; rejected != (q[i] <= level) && math.Abs(q[i]-level) > 1e-12 {
				t.Fatalf("p %v: rejected %t at %v, q %v", p[i], rejected, level, q[i])
			}
		}
	})
}

func TestTailsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 60).Draw(t, "n")
		k := rapid.IntRange(-1, n+1).Draw(t, "k")
		p := rapid.Float64Range(0, 1).Draw(t, "p")
		same := slices.Repeat([]float64{p}, n)
		near(t, "Poisson binomial of equal rates", stats.PoissonBinomialTail(k, same), stats.BinomialTail(k, n, p), 1e-12)
		marked := rapid.IntRange(0, n).Draw(t, "marked")
		draws := rapid.IntRange(0, n).Draw(t, "draws")
		near(t, "hypergeometric with roles exchanged",
			stats.HypergeometricTail(k, n, marked, draws), stats.HypergeometricTail(k, n, draws, marked), 1e-12)
		near(t, "hypergeometric of the unmarked",
			stats.HypergeometricTail(k, n, marked, draws), 1-stats.HypergeometricTail(draws-k+1, n, n-marked, draws), 1e-12)
	})
}

func TestBetaBinomialTail(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 60).Draw(t, "n")
		k := rapid.IntRange(-1, n+1).Draw(t, "k")
		p := rapid.Float64Range(0.001, 0.999).Draw(t, "p")
		b := stats.Beta{A: rapid.Float64Range(0.01, 200).Draw(t, "A"), B: rapid.Float64Range(0.01, 200).Draw(t, "B")}
		tail := stats.BetaBinomialTail(k, n, b)
		near(t, "of the failures", tail, 1-stats.BetaBinomialTail(n-k+1, n, stats.Beta{A: b.B, B: b.A}), 1e-12)
		near(t, "with nothing known, every number as likely", stats.BetaBinomialTail(k, n, stats.Beta{A: 1, B: 1}), float64(n+1-max(0, k))/float64(n+1), 1e-12)
		near(t, "with the rate all but known", stats.BetaBinomialTail(k, n, stats.Beta{A: p * 1e12, B: (1 - p) * 1e12}), stats.BinomialTail(k, n, p), 1e-8)
		if n < 1 {
			return
		}
		// The first trial succeeds with the mean, and the rest go by what is then believed.
		mean := b.Mean()
		near(t, "after the first trial", tail,
			mean*stats.BetaBinomialTail(k-1, n-1, b.Posterior(1, 1))+(1-mean)*stats.BetaBinomialTail(k, n-1, b.Posterior(0, 1)), 1e-12)
	})
}

func TestTrendUnderLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		y := returnsOf(t, "y", 2, 40)
		tilt, scale := rapid.Float64Range(-3, 3).Draw(t, "tilt"), rapid.Float64Range(-3, 3).Draw(t, "scale")
		tilted, reversed := make([]float64, len(y)), slices.Clone(y)
		for i, v := range y {
			tilted[i] = scale*v + tilt*float64(i)
		}
		near(t, "slope", stats.TheilSen(tilted), scale*stats.TheilSen(y)+tilt, 1e-9)
		slices.Reverse(reversed)
		s, p := stats.MannKendall(y)
		back, backP := stats.MannKendall(reversed)
		if s != -back || p != backP || p < 0 || p > 1 {
			t.Fatalf("s %d, p %v; reversed %d, %v", s, p, back, backP)
		}
		want := 0
		for i := range y {
			for j := i + 1; j < len(y); j++ {
				if y[j] > y[i] {
					want++
				} else if y[j] < y[i] {
					want--
				}
			}
		}
		if s != want {
			t.Fatalf("s %d, counted %d", s, want)
		}
	})
}

func TestDrawdownIsTheDeepestPair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := returnsOf(t, "x", 0, 40)
		stake := rapid.Float64Range(0, 1).Draw(t, "stake")
		curve := []float64{1}
		for _, r := range x {
			curve = append(curve, curve[len(curve)-1]*(1+stake*r))
		}
		want := 0.0
		for i := range curve {
			for j := i; j < len(curve); j++ {
				if curve[i] > 0 {
					want = max(want, 1-curve[j]/curve[i])
				}
			}
		}
		near(t, "drawdown", stats.MaximumDrawdown(x, stake), want, 1e-9)
	})
}

func TestKellyIsTheBestShare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := returnsOf(t, "x", 1, 40)
		growth := func(share float64) float64 {
			sum := 0.0
			for _, r := range x {
				sum += math.Log1p(share * r)
			}
			return sum
		}
		best := stats.Kelly(x)
		if best < 0 || best > 1 {
			t.Fatalf("share %v", best)
		}
		for _, other := range []float64{0, best - 0.01, best + 0.01, 1} {
			if other >= 0 && other <= 1 && growth(other) > growth(best)+1e-9 {
				t.Fatalf("share %v grows by %v, %v by %v", best, growth(best), other, growth(other))
			}
		}
		if withLoss := stats.Kelly(append(slices.Clone(x), -1)); withLoss > best+1e-12 {
			t.Fatalf("a loss raised the share from %v to %v", best, withLoss)
		}
	})
}

func TestMurphySplitAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(t, "n")
		forecasts, outcomes := make([]float64, n), make([]bool, n)
		for i := range forecasts {
			forecasts[i] = float64(rapid.IntRange(0, 10).Draw(t, "forecast")) / 10
			outcomes[i] = rapid.Bool().Draw(t, "outcome")
		}
		reliability, resolution, uncertainty := stats.MurphySplit(forecasts, outcomes)
		score := stats.BrierScore(forecasts, outcomes)
		near(t, "split", reliability-resolution+uncertainty, score, 1e-12)
		if uncertainty > 0 {
			near(t, "skill", stats.BrierSkill(forecasts, outcomes), 1-score/uncertainty, 1e-12)
		}
		count, gap := 0, 0.0
		bins := stats.Calibration(forecasts, outcomes, 7)
		for _, b := range bins {
			count += b.Count
			gap += float64(b.Count) * math.Abs(b.MeanForecast-b.ObservedRate)
		}
		if count != n {
			t.Fatalf("%d of %d forecasts are in the bins", count, n)
		}
		near(t, "calibration error", stats.ExpectedCalibrationError(bins), gap/float64(n), 1e-12)
	})
}

func TestQuantilesAgainstSorting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := returnsOf(t, "x", 1, 200)
		given := slices.Clone(x)
		median, spread := stats.Median(x), stats.MedianAbsoluteDeviation(x)
		if !slices.Equal(x, given) {
			t.Fatal("the argument was changed")
		}
		slices.Sort(given)
		near(t, "median", median, stats.Quantile(given, 0.5), 1e-12)
		distances := make([]float64, len(x))
		for i, v := range x {
			distances[i] = math.Abs(v - median)
		}
		slices.Sort(distances)
		near(t, "median deviation", spread, stats.Quantile(distances, 0.5), 1e-12)
	})
}

func TestConcentration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := rapid.SliceOfN(rapid.Float64Range(0.001, 1000), 1, 30).Draw(t, "weights")
		h := stats.Herfindahl(w)
		if h < 1/float64(len(w))-1e-12 || h > 1+1e-12 {
			t.Fatalf("index %v of %d weights", h, len(w))
		}
		near(t, "effective number", stats.KishSize(w)*h, 1, 1e-12)
		sizes := rapid.SliceOfN(rapid.IntRange(0, 50), 0, 20).Draw(t, "sizes")
		total, clusters := 0.0, 0.0
		for _, s := range sizes {
			total += float64(s)
			clusters += min(1, float64(s))
		}
		near(t, "independent", stats.EffectiveSize(sizes, 0), total, 1e-12)
		near(t, "one bet a cluster", stats.EffectiveSize(sizes, 1), clusters, 1e-12)
	})
}
