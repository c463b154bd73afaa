package stats

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Beta is a belief about an unknown probability: the beta distribution with shapes A and B, both positive. A+B is the number
// of observations the belief weighs as much as.
type Beta struct{ A, B float64 }

func (b Beta) valid() bool { return b.A > 0 && b.B > 0 && !math.IsInf(b.A, 1) && !math.IsInf(b.B, 1) }

// Mean is the expected probability, A/(A+B).
func (b Beta) Mean() float64 {
	if !b.valid() {
		return math.NaN()
	}
	return b.A / (b.A + b.B)
}

// CDF is the probability that the unknown probability is at most x.
func (b Beta) CDF(x float64) float64 {
	switch {
	case !b.valid() || math.IsNaN(x):
		return math.NaN()
	case x <= 0:
		return 0
	case x >= 1:
		return 1
	}
	return mathext.RegIncBeta(b.A, b.B, x)
}

// Quantile is the x with CDF(x) = p, for p in 0..1.
func (b Beta) Quantile(p float64) float64 {
	if !b.valid() || !(p >= 0 && p <= 1) {
		return math.NaN()
	}
	if p == 0 || p == 1 {
		return p
	}
	// The library's inverse is the start; Newton's steps inside a shrinking bracket take it to full precision.
	low, high := 0.0, 1.0
	x := min(max(mathext.InvRegIncBeta(b.A, b.B, p), math.SmallestNonzeroFloat64), 1-0x1p-53)
	logBeta := mathext.Lbeta(b.A, b.B)
	for range 60 {
		miss := mathext.RegIncBeta(b.A, b.B, x) - p
		if miss == 0 {
			return x
		}
		if miss > 0 {
			high = x
		} else {
			low = x
		}
		density := math.Exp(float64((b.A-1)*math.Log(x)) + float64((b.B-1)*math.Log1p(-x)) - logBeta)
		next := x - miss/density
		if !(next > low && next < high) {
			next = low + (high-low)/2
		}
		if math.Abs(next-x) <= 0x1p-52*x {
			return next
		}
		x = next
	}
	return x
}

// Posterior is the belief after seeing successes in trials. Negative counts, or more successes than trials, give a Beta whose
// every number is NaN.
func (b Beta) Posterior(successes, trials int) Beta {
	if successes < 0 || trials < successes {
		return Beta{A: math.NaN(), B: math.NaN()}
	}
	return Beta{A: b.A + float64(successes), B: b.B + float64(trials-successes)}
}

// smallestShape bounds the time of BetaGreater, whose integrand falls off ever more slowly as shapes approach 0.
const smallestShape = 0.001

// BetaGreater is the probability that a draw of a exceeds an independent draw of b, to 1e-9 for shapes from 0.001 to 1e6. Smaller
// shapes give NaN.
//
// It integrates density(a)*CDF(b) over the log-odds t = ln(x/(1-x)), where the integrand is analytic and falls off
// exponentially at both ends, so that the plain trapezoid sum converges geometrically (Trefethen & Weideman 2014).
func BetaGreater(a, b Beta) float64 {
	if !a.valid() || !b.valid() || min(a.A, a.B, b.A, b.B) < smallestShape {
		return math.NaN()
	}
	if a == b {
		return 0.5
	}
	// Integrate over the narrower of the two, whose range needs the fewest steps.
	if logOddsWidth(a) > logOddsWidth(b) {
		return 1 - betaGreater(b, a)
	}
	return betaGreater(a, b)
}

func logOddsWidth(b Beta) float64 { return math.Sqrt(1/b.A + 1/b.B) }

func betaGreater(a, b Beta) float64 {
	const negligible = -45 // e^-45: the share of the peak below which a term cannot be seen
	// The error falls as exp(-2*pi*width/step), where the width is that of the strip around the real line in which the integrand
	// stays small: pi/2 at most, and in proportion to its own width where that is narrow.
	step := min(0.25, min(logOddsWidth(a), logOddsWidth(b))/3)
	centre := math.Log(a.A / a.B)
	logDensity := func(t float64) float64 { // up to a constant
		if t > 0 {
			return -float64(a.B*t) - float64((a.A+a.B)*math.Log1p(math.Exp(-t)))
		}
		return float64(a.A*t) - float64((a.A+a.B)*math.Log1p(math.Exp(t)))
	}
	peak := logDensity(centre)
	weighted, total := 0.0, 0.0
	add := func(t float64) bool {
		height := logDensity(t) - peak
		if height < negligible {
			return false
		}
		weight := math.Exp(height)
		total += weight
		weighted += float64(weight * b.CDF(1/(1+math.Exp(-t))))
		return true
	}
	add(centre)
	for i := 1; add(centre + float64(float64(i)*step)); i++ {
	}
	for i := 1; add(centre - float64(float64(i)*step)); i++ {
	}
	// Dividing by the sum of the densities cancels their constant, and with it the error of the gamma function.
	return min(1, weighted/total)
}

// Bounds of the strength of an empirical prior, in observations, and the number of wallets it takes to learn one.
const (
	priorStrengthLow, priorStrengthHigh = 5, 50
	priorMinimumWallets                 = 200
)

// EmpiricalBayesPrior learns the prior of a success rate from many wallets by the method of moments (Casella 1985): the pooled
// rate is its mean, and the spread of the wallets' rates beyond what chance explains gives its strength, held between 5 and
// 50 observations. Wallets without trials do not count. It gives false when fewer than 200 wallets remain, when all or none
// of the trials succeeded, when the two slices differ in length, or when a count is impossible.
func EmpiricalBayesPrior(successes, trials []int) (Beta, bool) {
	if len(successes) != len(trials) {
		return Beta{}, false
	}
	wallets, won, played := 0, 0.0, 0.0
	for i, n := range trials {
		if successes[i] < 0 || successes[i] > n {
			return Beta{}, false
		}
		if n > 0 {
			wallets++
			won += float64(successes[i])
			played += float64(n)
		}
	}
	if wallets < priorMinimumWallets || won == 0 || won == played {
		return Beta{}, false
	}
	mean := won / played
	rates := make([]float64, 0, wallets)
	chance := 0.0
	for i, n := range trials {
		if n > 0 {
			rates = append(rates, float64(successes[i])/float64(n))
			chance += mean * (1 - mean) / float64(n)
		}
	}
	between := variance(rates) - chance/float64(wallets)
	strength := float64(priorStrengthHigh) // no spread beyond chance: every wallet looks like the mean
	if between > 0 {
		strength = min(max(mean*(1-mean)/between-1, priorStrengthLow), priorStrengthHigh)
	}
	return Beta{A: mean * strength, B: (1 - mean) * strength}, true
}
