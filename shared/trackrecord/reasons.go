package trackrecord

import (
	"fmt"
	"math"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
)

func because(code string, weight float64, template string, values ...any) reason.Reason {
	return reason.Reason{Code: code, Weight: weight, Text: fmt.Sprintf(template, values...)}
}

// explain says what the record shows, and how sure that is.
func (r *Record) explain() []reason.Reason {
	m := r.Mirrorable
	var reasons []reason.Reason
	if m.Resolved == 0 {
		reasons = append(reasons, r.nothingYet())
	} else {
		reasons = append(reasons, r.hits()...)
	}
	if m.Resolved > 0 && r.Control.Resolved > 0 {
		reasons = append(reasons, r.againstControl())
	}
	if !math.IsNaN(m.BrierSkill) {
		verdict := "no better than"
		if m.BrierSkill > 0 {
			verdict = "better than"
		}
		reasons = append(reasons, because("BRIER", 40, "Forecasts said that %s of %s would win, and %s did; as probabilities they were %s the base rates alone (Brier skill %.2f%s).",
			display.PercentText(m.MeanForecast), display.Count(m.Forecasts, "entry"), display.PercentText(float64(m.ForecastHits)/float64(m.Forecasts)), verdict, m.BrierSkill, small(m.Forecasts)))
	}
	if m.Late > 0 {
		reasons = append(reasons, because("LATE", 10, "First seen when the outcome could be known already, and left out: %s of %d.", display.Count(m.Late, "entry"), m.FollowUps))
	}
	if m.Resolved > 0 && m.Lost > 0 {
		reasons = append(reasons, because("LOST", 20, "Of %s, %d could not be sold a week later or had no price, and count as total losses.",
			display.Count(m.Resolved, "resolved entry"), m.Lost))
	}
	return reason.Top(reasons)
}

// smallSample is the size below which a sentence says how small its sample is.
const smallSample = 30

func small(n int) string {
	if n >= smallSample {
		return ""
	}
	return fmt.Sprintf(", from only %d", n)
}

func (r *Record) nothingYet() reason.Reason {
	m := r.Mirrorable
	switch {
	case m.Leaders == 0 && r.Control.Leaders == 0:
		return because("ACCRUING", 100, "No leader has been graded yet, so that 0 entries are followed.")
	case m.Leaders == 0:
		return because("ACCRUING", 100, "None of %s passed the gate, so that there is no entry to follow but those of the control group.", display.Count(r.Control.Leaders, "leader"))
	}
	so := fmt.Sprintf("None of %s of %s is resolved yet", display.Count(m.FollowUps, "entry"), display.Count(m.Leaders, "mirrorable leader"))
	if m.FollowUps == 0 {
		so = fmt.Sprintf("No entry of %s is followed yet", display.Count(m.Leaders, "mirrorable leader"))
	}
	if !r.FirstResolutionExpected.IsZero() {
		so += fmt.Sprintf("; the first outcome is expected on %s", r.FirstResolutionExpected.UTC().Format(time.DateOnly))
	}
	return because("ACCRUING", 100, "%s; it takes %d to read a rate.", so, minimumTracked)
}

func (r *Record) hits() []reason.Reason {
	m := r.Mirrorable
	base := ""
	if !math.IsNaN(m.BaseRate) {
		base = fmt.Sprintf("; random entries in comparable tokens: %s", display.PercentText(m.BaseRate))
	}
	reasons := []reason.Reason{because("HITS", 90, "%d of %s won (%s)%s. The true rate could be %s to %s.", m.Hits, display.Count(m.Resolved, "resolved entry"),
		display.PercentText(m.HitRate), base, display.PercentText(m.HitLow), display.PercentText(m.HitHigh))}
	if m.Evidence != "" {
		reasons = append(reasons, because("EVIDENCE", 80, "Evidence of more wins than chance so far: %s (E=%s from %s; by chance alone it would pass 20 in at most 5%% of records).",
			m.Evidence, score(m.E), display.Count(m.Independent, "independent entry")))
	}
	if m.Resolved < minimumTracked {
		reasons = append(reasons, because("ACCRUING", 100, "Only %s resolved yet; at least %d are needed to read a rate.", display.Count(m.Resolved, "entry"), minimumTracked))
	}
	return reasons
}

func score(e float64) string {
	switch {
	case e >= 1000:
		return "over 1000"
	case e >= 10:
		return fmt.Sprintf("%.0f", e)
	case e < 0.1:
		return "under 0.1"
	}
	return fmt.Sprintf("%.1f", e)
}

func (r *Record) againstControl() reason.Reason {
	d, c := r.GateValue, r.Control
	than := "more"
	if d.Mean < 0 {
		than = "less"
	}
	sure := "which chance alone can give"
	if d.Low > 0 || d.High < 0 {
		sure = "which chance alone hardly gives"
	}
	return because("GATE_VALUE", 60, "Gated-out leaders won %d of %s (%s): mirrorable ones win %s points %s often, %s (95%% range %s to %s points).",
		c.Hits, display.Count(c.Resolved, "resolved entry"), display.PercentText(c.HitRate), points(math.Abs(d.Mean)), than, sure, points(d.Low), points(d.High))
}

// points writes a difference of shares in percentage points.
func points(x float64) string { return fmt.Sprintf("%.0f", display.Round(100*x, 0)) }
