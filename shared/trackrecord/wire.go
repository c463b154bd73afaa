package trackrecord

import (
	"math"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/stats"
)

// Summary is a record as it is shown, without its leaders.
type Summary struct {
	// Status is accruing while there are fewer than ten resolutions. One of accruing or tracked.
	Status string `json:"status"`
	// FirstResolutionExpected is when the first outcome is expected; null once one is known.
	FirstResolutionExpected *time.Time `json:"firstResolutionExpected"`
	// Mirrorable is what became of the entries of leaders that passed the gate.
	Mirrorable Figures `json:"mirrorable"`
	// Control is what became of the entries of those that did not.
	Control Figures `json:"control"`
	// GateValue is how much better the first did than the second.
	GateValue ShownDifference `json:"gateValue"`
	// Calibration holds the forecasts against what came of them.
	Calibration []CalibrationRow `json:"calibration"`
	// Reasons are one to five sentences, the weightiest first.
	Reasons []reason.Reason `json:"reasons"`
}

// Figures are a group's measures as they are shown; null is unmeasured.
type Figures struct {
	// Leaders counts the leaders of the group.
	Leaders int `json:"leaders"`
	// Tokens counts the tokens that they entered.
	Tokens int `json:"tokens"`
	// Entries counts their entries after they were graded, late ones left out.
	Entries int `json:"entries"`
	// Resolved counts the entries whose outcome is known.
	Resolved int `json:"resolved"`
	// Open counts the entries whose outcome is not known yet.
	Open int `json:"open"`
	// Late entries were first seen when their outcome could be known already, and are in no figure.
	Late int `json:"late"`
	// Hits counts the resolved entries that gained after costs.
	Hits int `json:"hits"`
	// Lost entries could not be sold a week later, or had no price.
	Lost int `json:"lost"`
	// HitRate is the hits' part of the resolved entries, 0 to 1.
	HitRate *float64 `json:"hitRate"`
	// HitRateInterval is where the true rate likely is (95 %).
	HitRateInterval ShownInterval `json:"hitRateInterval"`
	// BaseRate is the rate of random entries in comparable tokens, 0 to 1.
	BaseRate *float64 `json:"baseRate"`
	// Lift is the hit rate over the base rate.
	Lift *float64 `json:"lift"`
	// MeanNetPct is the mean result after costs.
	MeanNetPct *float64 `json:"meanNetPct"`
	// MedianNetPct is the median result after costs.
	MedianNetPct *float64 `json:"medianNetPct"`
	// MeanForecast is the mean of the probabilities that were forecast, 0 to 1.
	MeanForecast *float64 `json:"meanForecast"`
	// Brier is the mean squared error of the forecasts, 0 to 1; less is better.
	Brier *float64 `json:"brier"`
	// BrierSkill is above 0 where the forecasts were better than the base rates.
	BrierSkill *float64 `json:"brierSkill"`
	// Evidence is how strongly the record speaks against chance. One of weak, moderate or strong; null without any.
	Evidence *string `json:"evidence"`
	// EvidenceScore is the test martingale behind evidence: by chance alone it passes 20 in at most 5 % of records.
	EvidenceScore *float64 `json:"evidenceScore"`
	// IndependentEntries counts the entries that are far enough apart to count each for itself.
	IndependentEntries int `json:"independentEntries"`
}

// ShownInterval is a 95 % interval.
type ShownInterval struct {
	// Low is the lower end, 0 to 1.
	Low *float64 `json:"low"`
	// High is the upper end, 0 to 1.
	High *float64 `json:"high"`
}

// ShownDifference is a difference of hit rates, mirrorable less control, and its 95 % interval, in percentage points.
type ShownDifference struct {
	// DifferencePct is the difference.
	DifferencePct *float64 `json:"differencePct"`
	// LowPct is the lower end of its interval.
	LowPct *float64 `json:"lowPct"`
	// HighPct is the upper end of its interval.
	HighPct *float64 `json:"highPct"`
}

// CalibrationRow is what came of the forecasts from one probability up to another.
type CalibrationRow struct {
	// From is the least probability of the row, 0 to 1.
	From float64 `json:"from"`
	// To is the probability below which the row ends, 0 to 1.
	To float64 `json:"to"`
	// Forecasts counts the resolved forecasts of the row.
	Forecasts int `json:"forecasts"`
	// MeanForecast is the mean of the probabilities, 0 to 1.
	MeanForecast *float64 `json:"meanForecast"`
	// HitRate is the part that came true, 0 to 1.
	HitRate *float64 `json:"hitRate"`
}

// Entry is one leader's part of a record as it is shown.
type Entry struct {
	// Wallet is the leader's address.
	Wallet string `json:"wallet"`
	// Chain is the chain's slug.
	Chain string `json:"chain"`
	// GradedAt is when the leader was first graded; the record begins there.
	GradedAt time.Time `json:"gradedAt"`
	// Mirrorable is what the gate said then.
	Mirrorable bool `json:"mirrorable"`
	// Status is accruing while there are fewer than ten resolutions. One of accruing or tracked.
	Status string `json:"status"`
	// FirstResolutionExpected is when the first outcome is expected; null once one is known.
	FirstResolutionExpected *time.Time `json:"firstResolutionExpected"`
	// WinProbability is what was forecast for an entry then, 0 to 1.
	WinProbability *float64 `json:"winProbability"`
	// BaseProbability is what was forecast for random entries in comparable tokens, 0 to 1.
	BaseProbability *float64 `json:"baseProbability"`
	// Entries counts the entries since, late ones left out.
	Entries int `json:"entries"`
	// Resolved counts the entries whose outcome is known.
	Resolved int `json:"resolved"`
	// Open counts the entries whose outcome is not known yet.
	Open int `json:"open"`
	// Late counts the entries that were first seen when their outcome could be known already.
	Late int `json:"late"`
	// Hits counts the resolved entries that gained after costs.
	Hits int `json:"hits"`
	// HitRate is the hits' part of the resolved entries, 0 to 1; null while accruing.
	HitRate *float64 `json:"hitRate"`
	// HitRateInterval is where the true rate likely is (95 %); null while accruing.
	HitRateInterval *ShownInterval `json:"hitRateInterval"`
	// MedianNetPct is the median result after costs; null while accruing.
	MedianNetPct *float64 `json:"medianNetPct"`
}

// Summary shows the record without its leaders. The calibration table is of the mirrorable group's forecasts, and empty below 50.
func (r *Record) Summary() Summary {
	return Summary{
		Status: r.Status, FirstResolutionExpected: instant(r.FirstResolutionExpected), Mirrorable: r.Mirrorable.figures(), Control: r.Control.figures(),
		GateValue:   ShownDifference{display.Percent(r.GateValue.Mean), display.Percent(r.GateValue.Low), display.Percent(r.GateValue.High)},
		Calibration: calibrationRows(r.Mirrorable.Calibration), Reasons: r.Reasons,
	}
}

// Entry shows a leader's part.
func (l *Leader) Entry() Entry {
	m := l.Measures
	e := Entry{
		Wallet: l.Wallet, Chain: l.Chain, GradedAt: l.GradedAt.UTC(), Mirrorable: l.Mirrorable, Status: l.Status,
		FirstResolutionExpected: instant(l.FirstResolutionExpected), WinProbability: display.Probability(l.Probability),
		BaseProbability: display.Probability(l.BaseRate), Entries: m.FollowUps, Resolved: m.Resolved, Open: m.Open, Late: m.Late, Hits: m.Hits,
	}
	if l.Status == Tracked {
		e.HitRate, e.MedianNetPct = display.Probability(m.HitRate), display.Percent(m.MedianNet)
		e.HitRateInterval = &ShownInterval{display.Probability(m.HitLow), display.Probability(m.HitHigh)}
	}
	return e
}

func (m *Measures) figures() Figures {
	f := Figures{
		Leaders: m.Leaders, Tokens: m.Tokens, Entries: m.FollowUps, Resolved: m.Resolved, Open: m.Open, Late: m.Late, Hits: m.Hits, Lost: m.Lost,
		HitRate: display.Probability(m.HitRate), HitRateInterval: ShownInterval{display.Probability(m.HitLow), display.Probability(m.HitHigh)},
		BaseRate: display.Probability(m.BaseRate), Lift: rounded(m.Lift, 2), MeanNetPct: display.Percent(m.MeanNet), MedianNetPct: display.Percent(m.MedianNet),
		MeanForecast: display.Probability(m.MeanForecast), Brier: display.Probability(m.Brier), BrierSkill: display.Probability(m.BrierSkill),
		EvidenceScore: rounded(m.E, 2), IndependentEntries: m.Independent,
	}
	if m.Evidence != "" {
		f.Evidence = &m.Evidence
	}
	return f
}

func calibrationRows(bins []stats.CalibrationBin) []CalibrationRow {
	rows := []CalibrationRow{}
	for i, b := range bins {
		if b.Count > 0 {
			rows = append(rows, CalibrationRow{
				From: float64(i) / calibrationBins, To: float64(i+1) / calibrationBins, Forecasts: b.Count,
				MeanForecast: display.Probability(b.MeanForecast), HitRate: display.Probability(b.ObservedRate),
			})
		}
	}
	return rows
}

// instant is nil for the zero time.
func instant(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	at = at.UTC().Truncate(time.Second)
	return &at
}

func rounded(x float64, decimals int) *float64 {
	if x = display.Round(x, decimals); math.IsNaN(x) {
		return nil
	}
	return &x
}
