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
	Status                  string           `json:"status"`
	FirstResolutionExpected *time.Time       `json:"firstResolutionExpected"`
	Mirrorable              Figures          `json:"mirrorable"`
	Control                 Figures          `json:"control"`
	GateValue               ShownDifference  `json:"gateValue"`
	Calibration             []CalibrationRow `json:"calibration"`
	Reasons                 []reason.Reason  `json:"reasons"`
}

// Figures are a group's measures as they are shown; null is unmeasured.
type Figures struct {
	Leaders  int `json:"leaders"`
	Tokens   int `json:"tokens"`
	Entries  int `json:"entries"`
	Resolved int `json:"resolved"`
	Open     int `json:"open"`
	// Late entries were first seen when their outcome could be known already, and are in no figure.
	Late int `json:"late"`
	Hits int `json:"hits"`
	// Lost entries could not be sold a week later, or had no price.
	Lost            int           `json:"lost"`
	HitRate         *float64      `json:"hitRate"`
	HitRateInterval ShownInterval `json:"hitRateInterval"`
	BaseRate        *float64      `json:"baseRate"`
	// Lift is the hit rate over the base rate.
	Lift         *float64 `json:"lift"`
	MeanNetPct   *float64 `json:"meanNetPct"`
	MedianNetPct *float64 `json:"medianNetPct"`
	MeanForecast *float64 `json:"meanForecast"`
	Brier        *float64 `json:"brier"`
	// BrierSkill is above 0 where the forecasts were better than the base rates.
	BrierSkill *float64 `json:"brierSkill"`
	// Evidence of more wins than chance: weak, moderate or strong; EvidenceScore is the test martingale behind it.
	Evidence           *string  `json:"evidence"`
	EvidenceScore      *float64 `json:"evidenceScore"`
	IndependentEntries int      `json:"independentEntries"`
}

// ShownInterval is a 95 % interval.
type ShownInterval struct {
	Low  *float64 `json:"low"`
	High *float64 `json:"high"`
}

// ShownDifference is a difference of hit rates, mirrorable less control, and its 95 % interval, in percentage points.
type ShownDifference struct {
	DifferencePct *float64 `json:"differencePct"`
	LowPct        *float64 `json:"lowPct"`
	HighPct       *float64 `json:"highPct"`
}

// CalibrationRow is what came of the forecasts from one probability up to another.
type CalibrationRow struct {
	From         float64  `json:"from"`
	To           float64  `json:"to"`
	Forecasts    int      `json:"forecasts"`
	MeanForecast *float64 `json:"meanForecast"`
	HitRate      *float64 `json:"hitRate"`
}

// Entry is one leader's part of a record as it is shown.
type Entry struct {
	Wallet                  string     `json:"wallet"`
	Chain                   string     `json:"chain"`
	GradedAt                time.Time  `json:"gradedAt"`
	Mirrorable              bool       `json:"mirrorable"`
	Status                  string     `json:"status"`
	FirstResolutionExpected *time.Time `json:"firstResolutionExpected"`
	WinProbability          *float64   `json:"winProbability"`
	BaseProbability         *float64   `json:"baseProbability"`
	Entries                 int        `json:"entries"`
	Resolved                int        `json:"resolved"`
	Open                    int        `json:"open"`
	Late                    int        `json:"late"`
	Hits                    int        `json:"hits"`
	// HitRate, its interval and the median are null while accruing.
	HitRate         *float64       `json:"hitRate"`
	HitRateInterval *ShownInterval `json:"hitRateInterval"`
	MedianNetPct    *float64       `json:"medianNetPct"`
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
