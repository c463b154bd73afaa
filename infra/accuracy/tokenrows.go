package accuracy

import (
	"fmt"
	"time"
)

// The goals of the answers about tokens on the sample market.
const (
	honeypotRecall = 0.95
	ruggedRecall   = 0.95
	rugSignsRecall = 0.80
	falseAlarms    = 0.05
	pumpRecall     = 0.70
	trapSignals    = 0.0
	// A launch that leaves doubt is called mixed, which costs recall and misleads nobody.
	originRecall    = 0.85
	settledAge      = 30 * 24 * time.Hour
	triedAge        = 3 * time.Hour // the security provider has had its say by then
	unlockSignAhead = 25 * 24 * time.Hour
	rememberedRug   = 80 * 24 * time.Hour
)

// share is a part of what was counted.
type share struct{ part, whole int }

func (s *share) count(in bool) {
	s.whole++
	if in {
		s.part++
	}
}

func (s share) value() float64 {
	if s.whole == 0 {
		return 0
	}
	return float64(s.part) / float64(s.whole)
}

func (s share) String() string { return fmt.Sprintf("%.3f of %d", s.value(), s.whole) }

// atLeast is a row that is met when the share reaches the goal. Nothing counted does not.
func (s share) atLeast(name string, goal float64) Row {
	return Row{Name: "sample tokens: " + name, Goal: fmt.Sprintf("at least %.2f", goal), Measured: s.String(), Pass: s.whole > 0 && s.value() >= goal}
}

// atMost is a row that is met when the share stays within the goal. Nothing counted does not.
func (s share) atMost(name string, goal float64) Row {
	return Row{Name: "sample tokens: " + name, Goal: fmt.Sprintf("at most %.2f", goal), Measured: s.String(), Pass: s.whole > 0 && s.value() <= goal}
}

func alarming(verdict string) bool { return verdict == "high" || verdict == "critical" }

// trapRows measure whether traps are seen: honeypots, rugs after they were pulled, and rugs whose signs can be seen before.
func trapRows(all []tokenAnswers) []Row {
	var honeypots, overlooked, pulled, signs, missed, signals share
	for i := range all {
		a := &all[i]
		truth := &a.truth
		if a.Signal != nil {
			signals.count(a.Signal.Signal == "BUY" || a.Signal.Signal == "ACCUMULATE")
		}
		if a.Risk == nil {
			continue
		}
		verdict := a.Risk.Verdict
		switch {
		case truth.Honeypot && a.age() >= triedAge:
			honeypots.count(verdict == "critical")
			if truth.Overlooked {
				overlooked.count(verdict == "critical")
			}
		case truth.Trap == "rug" && !truth.RuggedAt.IsZero() && a.at.Sub(truth.RuggedAt) > rememberedRug:
			// Nothing of it is in the charts any more.
		case truth.Trap == "rug" && !truth.RuggedAt.IsZero():
			pulled.count(verdict == "critical")
		case truth.Trap == "rug" && rugShows(a):
			signs.count(alarming(verdict))
			if truth.Overlooked {
				missed.count(alarming(verdict))
			}
		}
	}
	return []Row{
		honeypots.atLeast("honeypots are critical", honeypotRecall),
		overlooked.atLeast("honeypots that the security provider overlooks are critical", honeypotRecall),
		pulled.atLeast("rugs that were pulled are critical", ruggedRecall),
		signs.atLeast("rugs to come whose signs show are high or critical", rugSignsRecall),
		missed.atLeast("the same where the security provider overlooks the contract", rugSignsRecall),
		signals.atMost("BUY or ACCUMULATE on a trap", trapSignals),
	}
}

// rugShows is true when something about a rug to come can be seen from outside: liquidity that its creator can take now or soon, or
// a contract that lets him mint.
func rugShows(a *tokenAnswers) bool {
	switch a.truth.Manner {
	case "withdrawal", "mint":
		return true
	case "lock-ended":
		return a.truth.LockedUntil.Sub(a.at) < unlockSignAhead
	}
	return false
}

// alarmRows measure false alarms on tokens that trap nobody, where nobody could take the liquidity of a young one either.
func alarmRows(all []tokenAnswers) []Row {
	kinds := []string{"major", "grower", "stagnant"}
	counts := make(map[string]*share, len(kinds))
	low := make(map[string]*share, len(kinds))
	var moved share
	for _, kind := range kinds {
		counts[kind], low[kind] = new(share), new(share)
	}
	for i := range all {
		a := &all[i]
		if counts[a.truth.Kind] == nil || a.Risk == nil || a.age() < settledAge && a.truth.LockedShare < 0.5 {
			continue
		}
		counts[a.truth.Kind].count(alarming(a.Risk.Verdict))
		low[a.truth.Kind].count(a.Risk.Verdict == "low")
		if a.truth.Migrated {
			moved.count(alarming(a.Risk.Verdict))
		}
	}
	rows := make([]Row, 0, len(kinds)+2)
	for _, kind := range kinds {
		rows = append(rows, counts[kind].atMost("false alarms on a "+kind, falseAlarms))
	}
	rows = append(rows, moved.atMost("false alarms on a token whose liquidity moved into another pool", falseAlarms))
	return append(rows, low["major"].atLeast("a major is low", 1-falseAlarms))
}

// originRows measure who trades a token, and where its holders go.
func originRows(all []tokenAnswers) []Row {
	var origins, trends []labelled
	for i := range all {
		a := &all[i]
		if a.Holders == nil {
			continue
		}
		origins = append(origins, labelled{a.truth.Origin, a.Holders.Origin})
		if a.trend {
			trends = append(trends, labelled{a.truth.Trend, a.Holders.Trend})
		}
	}
	return append(labelRows("sample tokens: origin", origins, originRecall), labelRows("sample tokens: trend", trends, labelGoal)...)
}

// marketRows measure whether a pump is seen in the price.
func marketRows(all []tokenAnswers) []Row {
	var seen, extended share
	for i := range all {
		a := &all[i]
		if !a.truth.Pumped || a.PriceAction == nil || a.Intel == nil || !a.PriceAction.Available || !(a.truth.Rise24h > 1) {
			continue
		}
		is := func(text *string, word string) bool { return text != nil && *text == word }
		p := a.PriceAction
		seen.count(is(p.Trend, "up") || is(p.Breakout, "up") || is(p.Structure, "breaking-out") || is(p.Structure, "higher-highs"))
		extended.count(a.Intel.Entry.Extended != nil && *a.Intel.Entry.Extended || a.Intel.Entry.Quality != "good")
	}
	return []Row{
		seen.atLeast("a pump that doubled within a day shows as a trend, a breakout or higher highs", pumpRecall),
		extended.atLeast("entry into such a pump is not called good", pumpRecall),
	}
}
