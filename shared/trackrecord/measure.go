package trackrecord

import (
	"math"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/stats"
)

const (
	// Horizon is how long a copier holds.
	Horizon = 7 * 24 * time.Hour
	// z is the two-sided 95 % normal quantile, level the level of intervals.
	z     = 1.959963984540054
	level = 0.95
	// minimumCalibrated is how many resolved forecasts a calibration table takes, calibrationBins into how many ranges it sorts them.
	minimumCalibrated = 50
	calibrationBins   = 10
	bootstrapRounds   = 1999
	// minimumResampled is how many tokens each side must have for whole tokens to be resampled: fewer make too few resamples to tell an
	// interval from.
	minimumResampled = 6
)

// The strength of evidence that entries gain more often than chance has it.
const (
	Weak     = "weak"     // below 3
	Moderate = "moderate" // 3 to below 20
	Strong   = "strong"   // 20 and more: by chance at most once in twenty records that are watched for ever
)

// Measures are what became of a group's entries. Shares are fractions, NaN where nothing tells.
type Measures struct {
	// Leaders and Tokens are counted; Tokens are those of resolved entries.
	Leaders, Tokens int
	// FollowUps is how many entries were followed: Resolved, Open, and Late, which were first seen when their outcome could be known
	// already and are in no measure.
	FollowUps, Resolved, Open, Late int
	// Hits are resolved entries with a gain after costs; HitRate is their share, between HitLow and HitHigh at 95 % (Wilson's interval,
	// with entries counted for what they are worth: EffectiveSize).
	Hits                     int
	HitRate, HitLow, HitHigh float64
	EffectiveSize            float64
	// BaseRate is what was forecast of random entries in comparable tokens, the mean over resolved entries of which something was; Lift
	// is the hit rate of those entries over it.
	BaseRate, Lift float64
	// MeanNet and MedianNet are of the net returns, Lost the number of total losses.
	MeanNet, MedianNet float64
	Lost               int
	// Forecasts is how many resolved entries had a probability and a base rate; Brier is the Brier score of the probabilities, BrierBase
	// that of the base rates, and BrierSkill 1 less the one over the other. MeanForecast is the mean probability, ForecastHits how many
	// of them gained.
	Forecasts, ForecastHits                    int
	MeanForecast, Brier, BrierBase, BrierSkill float64
	// E is the test martingale against the base rates, over Independent entries; Evidence is it in a word, empty without any.
	E           float64
	Independent int
	Evidence    string
	// Calibration is the table of forecasts against outcomes in ranges of a tenth, nil below minimumCalibrated.
	Calibration []stats.CalibrationBin
}

// measure expects entries in order.
func measure(entries []entry, leaders int, asOf time.Time) Measures {
	nan := math.NaN()
	m := Measures{
		Leaders: leaders, FollowUps: len(entries), HitRate: nan, HitLow: nan, HitHigh: nan, BaseRate: nan, Lift: nan,
		MeanNet: nan, MedianNet: nan, MeanForecast: nan, Brier: nan, BrierBase: nan, BrierSkill: nan, E: nan,
	}
	var nets, outcomes, probabilities, bases []float64
	var forecast []bool
	var cluster []int
	tokens := make(map[tokenKey]int)
	baseSum, baseCount, baseHits := 0.0, 0.0, 0.0
	for i := range entries {
		e := &entries[i]
		switch {
		case e.late():
			m.Late++
			continue
		case !e.resolved(asOf):
			m.Open++
			continue
		}
		m.Resolved++
		hit := 0.0
		if e.won() {
			m.Hits++
			hit = 1
		}
		if e.Net <= -1 {
			m.Lost++
		}
		nets, outcomes = append(nets, e.Net), append(outcomes, hit)
		key := tokenKey{e.Chain, e.Token}
		if _, seen := tokens[key]; !seen {
			tokens[key] = len(tokens)
		}
		cluster = append(cluster, tokens[key])
		p, base := e.forecast.Probability, e.forecast.BaseRate
		if !math.IsNaN(base) {
			baseSum, baseCount, baseHits = baseSum+base, baseCount+1, baseHits+hit
		}
		if !math.IsNaN(p) && !math.IsNaN(base) {
			probabilities, bases, forecast = append(probabilities, p), append(bases, base), append(forecast, e.won())
			m.ForecastHits += int(hit)
		}
	}
	m.Tokens, m.Forecasts = len(tokens), len(forecast)
	if m.Resolved == 0 {
		return m
	}
	n := float64(m.Resolved)
	m.HitRate, m.EffectiveSize = float64(m.Hits)/n, stats.ClusteredSize(outcomes, cluster)
	m.HitLow, m.HitHigh = stats.WilsonRate(m.HitRate, m.EffectiveSize, z)
	m.MeanNet, m.MedianNet = stats.Describe(nets).Mean, stats.Median(nets)
	if baseCount > 0 {
		m.BaseRate = baseSum / baseCount
		if m.BaseRate > 0 {
			m.Lift = baseHits / baseSum
		}
	}
	if m.Forecasts > 0 {
		m.MeanForecast = stats.Describe(probabilities).Mean
		m.Brier, m.BrierBase = stats.BrierScore(probabilities, forecast), stats.BrierScore(bases, forecast)
		if m.BrierBase > 0 {
			m.BrierSkill = 1 - m.Brier/m.BrierBase
		}
	}
	if m.Forecasts >= minimumCalibrated {
		m.Calibration = stats.Calibration(probabilities, forecast, calibrationBins)
	}
	gains := independentGains(entries, asOf)
	if m.Independent = len(gains); m.Independent > 0 {
		m.E = stats.TestMartingaleGains(gains)
		m.Evidence = evidenceOf(m.E)
	}
	return m
}

func evidenceOf(e float64) string {
	switch {
	case e >= 20:
		return Strong
	case e >= 3:
		return Moderate
	}
	return Weak
}

// independentGains are what one unit staked on each entry's success won at the fair odds of its base rate, with what shares a fate
// counted once: of a token's entries, whoever made them, the first counts, and then the first that was made when that one's copier had
// sold. Entries of one hour are one purchase to a copier, and would all gain or lose together.
//
// Which entries count follows from their times alone: every earlier entry that could displace one was seen before that one was due,
// or is late and never counts. So the choice depends on no outcome, and while the base rates are the truth a gain's expectation, given
// all that was resolved before it was entered, is zero, which the bound on the score under continual watching takes (Ville 1939).
// Means over a token's entries would not do: they change while the entries are resolved one by one, and what a token's first outcome
// tells of its second is no fair bet. What moves all tokens at once, like a whole market that rises, is not allowed for here; the
// control group, which it moves too, shows it.
func independentGains(entries []entry, asOf time.Time) []float64 {
	var gains []float64
	busyUntil := make(map[tokenKey]time.Time)
	for i := range entries {
		e := &entries[i]
		base, key := e.forecast.BaseRate, tokenKey{e.Chain, e.Token}
		if e.late() || !(base > 0 && base < 1) || e.EnteredAt.Before(busyUntil[key]) {
			continue
		}
		busyUntil[key] = e.DueAt
		switch {
		case !e.resolved(asOf):
		case e.won():
			gains = append(gains, 1/base-1)
		default:
			gains = append(gains, -1)
		}
	}
	return gains
}

// Difference is how much more often one group's entries gained than another's.
type Difference struct {
	// Mean is a difference of hit rates, Low and High its 95 % interval; NaN without resolved entries on both sides.
	Mean, Low, High float64
}

// difference compares two groups. Where tokens have several entries, whole tokens are resampled, those of both groups together; where
// no token has, or one side has few tokens or no spread to resample, the interval is Newcombe's, by what the entries are worth.
func difference(first, second []entry, a, b Measures, asOf time.Time) Difference {
	d := Difference{math.NaN(), math.NaN(), math.NaN()}
	if a.Resolved == 0 || b.Resolved == 0 {
		return d
	}
	d.Mean = a.HitRate - b.HitRate
	d.Low, d.High = stats.NewcombeRates(a.HitRate, a.EffectiveSize, b.HitRate, b.EffectiveSize, z)
	var values []float64
	var control []bool
	var cluster []int
	tokens := make(map[tokenKey]int)
	for side, entries := range [][]entry{first, second} {
		for i := range entries {
			e := &entries[i]
			if e.late() || !e.resolved(asOf) {
				continue
			}
			key := tokenKey{e.Chain, e.Token}
			if _, seen := tokens[key]; !seen {
				tokens[key] = len(tokens)
			}
			hit := 0.0
			if e.won() {
				hit = 1
			}
			values, control, cluster = append(values, hit), append(control, side == 1), append(cluster, tokens[key])
		}
	}
	if len(tokens) == len(values) || min(a.Tokens, b.Tokens) < minimumResampled {
		return d
	}
	seed := stats.Seed([]byte("gate value"))
	if low, high, known := stats.ClusterBootstrapDifference(values, control, cluster, level, bootstrapRounds, seed); known {
		d.Low, d.High = max(-1, low), min(1, high)
	}
	return d
}
