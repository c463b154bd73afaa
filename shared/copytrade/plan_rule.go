package copytrade

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/copysimulation"
	"github.com/mirrorworthy/mirrorworthy/shared/stats"
	"github.com/mirrorworthy/mirrorworthy/shared/trader"
)

const (
	// mostCapital is the largest part of the follower's money that any leader gets, trialCapital the largest for one of whom too little
	// is known, and leastCapital the smallest that is worth a copy.
	mostCapital, trialCapital, leastCapital = 0.10, 0.01, 0.0025
	// mostTogether is the largest part that all copies together get.
	mostTogether = 0.30
	// kellyShare is the part of the Kelly fraction that is taken.
	kellyShare = 0.25
	// planVolatility is the annual volatility that the money with one leader may give the follower's money as a whole.
	planVolatility = 0.15
	// positionsAtOnce is how many positions the money with a leader has room for: none takes more than its share.
	positionsAtOnce = 3
	// clusterCorrelation is how much the results of copies of one token are assumed to resemble each other.
	clusterCorrelation = 0.3
)

// planCaps are the largest parts of the follower's money by the leader's grade.
var planCaps = map[string]float64{"A": 0.10, "B": 0.06, "C": 0.02, "D": 0, "F": 0}

// profileScales are how much of the measured limits the risk profiles take. No scale lifts the limits that are not measured: those of
// the grade, of a trial, and of what any leader gets.
var profileScales = map[string]float64{conservative: 0.5, moderate: 1, aggressive: 1.5}

// volatilityWindows are the times over which the volatility of copies is measured; the most volatile one counts.
var volatilityWindows = []time.Duration{90 * 24 * time.Hour, 365 * 24 * time.Hour, 3 * 365 * 24 * time.Hour}

// sizing is what the size of a copy depends on.
type sizing struct {
	profile string
	rating  trader.Rating
	// copies are the simulated copies whose end is known; independence is how many independent results a gain among them is worth.
	copies       []copyResult
	independence float64
	// withoutBest is the mean net return without the best copy, NaN when unknown.
	withoutBest float64
	// stopped is true where nothing is to be copied whatever the results.
	stopped bool
	// investableUSD is the follower's money, NaN when unknown; committedUSD what its running copies may have at stake.
	investableUSD, committedUSD float64
	asOf                        time.Time
}

// copyResult is a simulated copy that has ended.
type copyResult struct {
	at time.Time
	// net is the net return as a fraction, -1 for a total loss.
	net float64
}

// The names of limits.
const (
	limitKelly      = "kelly"
	limitVolatility = "volatility"
	limitGrade      = "grade"
	limitTrial      = "trial"
	limitMaximum    = "maximum"
	limitTogether   = "running-copies"
)

// planLimit is a limit as a fraction of the follower's money; NaN where it could not be measured.
type planLimit struct {
	name string
	at   float64
}

// sized is the size of a copy, in fractions.
type sized struct {
	limits []planLimit
	// binding is the limit that is smallest.
	binding planLimit
	trial   bool
	// capital is the smallest limit, and 0 where that is too little or the copy is stopped.
	capital float64
	// kelly is the whole Kelly fraction, volatility the annual one of the money with the leader; NaN below three copies.
	kelly, volatility float64
}

// size applies the limits. None of them rises when a loss is added to the copies, and none falls from one risk profile to the next.
func size(s sizing) sized {
	nets, gains := s.nets()
	scale := profileScales[s.profile]
	d := sized{kelly: math.NaN(), volatility: math.NaN()}
	kelly, volatility := math.NaN(), math.NaN()
	if len(nets) >= copysimulation.MinimumTrades {
		d.kelly = stats.Kelly(append(slices.Clone(nets), -1))
		kelly = scale * kellyShare * d.kelly * certainty(nets, s.independence)
		d.volatility = annualVolatility(s.copies, s.asOf)
		volatility = min(1, scale*planVolatility/d.volatility)
	}
	// Without three gains, or with one alone behind all of them, a record is too thin for more than a trial.
	d.trial = !s.rating.Rated || gains < copysimulation.MinimumTrades || s.withoutBest <= 0
	held := min(scale, 1)
	d.limits = []planLimit{{limitKelly, kelly}, {limitVolatility, volatility}}
	if s.rating.Rated {
		grade := planCaps[s.rating.Grade]
		if s.rating.Verdict == trader.Avoid {
			grade = 0
		}
		d.limits = append(d.limits, planLimit{limitGrade, held * grade})
	}
	if d.trial {
		d.limits = append(d.limits, planLimit{limitTrial, held * trialCapital})
	}
	d.limits = append(d.limits, planLimit{limitMaximum, held * mostCapital}, planLimit{limitTogether, s.room()})
	d.binding = planLimit{limitMaximum, held * mostCapital}
	for _, l := range d.limits {
		if l.at < d.binding.at {
			d.binding = l
		}
	}
	if d.capital = math.Floor(1e4*d.binding.at+1e-9) / 1e4; s.stopped || d.capital < leastCapital {
		d.capital = 0
	}
	return d
}

// nets are the net returns, and how many of them are gains.
func (s *sizing) nets() (nets []float64, gains int) {
	nets = make([]float64, 0, len(s.copies))
	for _, c := range s.copies {
		nets = append(nets, c.net)
		if c.net > 0 {
			gains++
		}
	}
	return nets, gains
}

// room is the part of the follower's money that is left of what all copies together may get; NaN where nothing is known of the money.
func (s *sizing) room() float64 {
	if !(s.investableUSD > 0) {
		return math.NaN()
	}
	return max(0, mostTogether-s.committedUSD/s.investableUSD)
}

// certainty is by how much a Kelly fraction shrinks for the uncertainty of the mean behind it, a total loss that has not happened yet
// among the results. Further losses make a record longer, and its mean a more certain one; that must not make a copy larger. So the
// shrinkage is the strongest of those with the largest losses alone, for any number of them.
//
// Gains in one token say less than as many in different ones: independence is how many independent results each is worth, 0 to 1.
func certainty(nets []float64, independence float64) float64 {
	ordered := append(slices.Clone(nets), -1)
	// Gains first, then losses from the largest to the smallest.
	slices.SortFunc(ordered, func(a, b float64) int {
		if (a > 0) != (b > 0) {
			return cmp.Compare(b, a)
		}
		return cmp.Compare(a, b)
	})
	least, n, mean, squares := 1.0, 0.0, 0.0, 0.0
	for _, net := range ordered {
		n++
		delta := net - mean
		mean += delta / n
		squares += float64(delta * (net - mean))
		if net <= 0 {
			se := math.Sqrt(squares / (n - 1) / (n * independence))
			if n == 1 {
				se = 0
			}
			least = min(least, stats.KellyShrink(mean, se))
		}
	}
	return least
}

// annualVolatility is that of the money with a leader when each copy takes its share of it: the square root of the sum of squared
// returns a year, those of the window in which that is greatest. It counts from zero and not from the mean, so that a further result
// never makes a record look calmer.
func annualVolatility(copies []copyResult, asOf time.Time) float64 {
	greatest := 0.0
	for _, window := range volatilityWindows {
		sum := 0.0
		for _, c := range copies {
			if asOf.Sub(c.at) <= window {
				stake := c.net / positionsAtOnce
				sum += float64(stake * stake)
			}
		}
		greatest = max(greatest, sum/(window.Hours()/(365*24)))
	}
	return math.Sqrt(greatest)
}

// downTo rounds an amount down to so many significant digits.
func downTo(digits int, amount float64) float64 {
	if !(amount > 0) || math.IsInf(amount, 1) {
		return 0
	}
	unit := math.Pow(10, math.Floor(math.Log10(amount))-float64(digits)+1)
	steps := math.Floor(amount/unit + 1e-9)
	if unit < 1 {
		return steps / math.Round(1/unit)
	}
	return steps * unit
}
