package leadergate

import (
	"fmt"
	"math"
	"strings"

	"github.com/mirrorworthy/mirrorworthy/shared/copysimulation"
	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/trader"
)

// What the rules take.
const (
	minimumTrades   = 8
	minimumTokens   = 5
	highestAdjusted = 0.05
	highestConfirm  = 0.2
	lowestGain      = 0.9
	lowestEvidence  = 0.80
	lowestTrust     = 0.3
	highestRunUp    = 0.25
	highestImpact   = 0.03
	// smallSample is the size below which a sentence says how small its sample is.
	smallSample = 30
)

// judged joins what is wrong, or says what is right.
func judged(code string, wrong []string, right string) outcome {
	if len(wrong) > 0 {
		return outcome{code: code, text: "Gated out: " + strings.Join(wrong, "; ") + "."}
	}
	return outcome{code: code, passed: true, text: right}
}

// sample asks for enough simulated entries in enough tokens, and for a rated simulation.
func (c *copies) sample(closed int) outcome {
	s := c.simulation
	var wrong []string
	if s.Trades < minimumTrades || s.Tokens < minimumTokens {
		wrong = append(wrong, fmt.Sprintf("%s in %s could be simulated to the end, where %d in %d are needed",
			display.Count(s.Trades, "entry"), display.Count(s.Tokens, "token"), minimumTrades, minimumTokens))
	}
	if closed < copysimulation.MinimumTrades {
		wrong = append(wrong, fmt.Sprintf("it has %s of its own, where %d are needed", display.Count(closed, "closed position"), copysimulation.MinimumTrades))
	}
	return judged(SampleRule, wrong, fmt.Sprintf("%s in %s were simulated to the end, where at least %d in %d are needed.",
		display.Count(s.Trades, "entry"), display.Count(s.Tokens, "token"), minimumTrades, minimumTokens))
}

// judge asks whether the wallet was early in rising launches by more than chance, on older launches and again on newer ones.
func (d Discovery) judge() outcome {
	if d.Launches == 0 || math.IsNaN(d.AdjustedP) {
		return outcome{code: DiscoveryRule, text: "Gated out: it was not found among the first buyers of launches by more than chance; 0 launches tell of it."}
	}
	early := fmt.Sprintf("of %s bought early, %d later rose, where chance alone would give %.1f (adjusted p %s)",
		display.Count(d.Launches, "eligible launch"), d.Rose, d.Expected, probability(d.AdjustedP))
	var wrong []string
	if !(d.AdjustedP <= highestAdjusted) {
		wrong = append(wrong, early+fmt.Sprintf(", and at most %.2f is needed", highestAdjusted))
	} else if !d.Confirmed {
		if math.IsNaN(d.ConfirmedP) {
			wrong = append(wrong, early+", but no newer launch confirms it yet")
		} else {
			wrong = append(wrong, early+fmt.Sprintf(", but newer launches do not confirm it (p %s, where at most %.1f and a hit rate above chance are needed)", probability(d.ConfirmedP), highestConfirm))
		}
	}
	return judged(DiscoveryRule, wrong, "Of"+strings.TrimPrefix(early, "of")+fmt.Sprintf("; newer launches confirm it (p %s).", probability(d.ConfirmedP)))
}

func probability(p float64) string {
	if p < 0.001 {
		return "below 0.001"
	}
	return fmt.Sprintf("%.3g", display.Round(p, 3))
}

// gains asks whether copies won more often than random entries, gained in the middle, and gained on average beyond doubt.
func (c *copies) gains() outcome {
	s := c.simulation
	if math.IsNaN(s.GainProbability) {
		return outcome{code: SimulationRule, text: fmt.Sprintf("Gated out: a copier won %d of %d, but no comparable hours are known to tell what chance would give.", s.Wins, s.Trades)}
	}
	won := fmt.Sprintf("a copier entering at the hour close won %d of %d; random entries in the same tokens won %s", s.Wins, s.Trades, display.PercentText(s.BaseWinRate))
	var wrong []string
	if !(s.GainProbability >= lowestGain) {
		wrong = append(wrong, fmt.Sprintf("that is %s sure to be better, where %s is needed", under(s.GainProbability), display.PercentText(lowestGain)))
	}
	if !(s.Median > 0) {
		wrong = append(wrong, fmt.Sprintf("its middle result was %s, where it must gain", display.PercentText(s.Median)))
	}
	if !(s.Evidence >= lowestEvidence) {
		wrong = append(wrong, fmt.Sprintf("its average gain is only %s sure, where %s is needed", under(s.Evidence), display.PercentText(lowestEvidence)))
	}
	if len(wrong) > 0 {
		wrong = append([]string{won}, wrong...)
	}
	return judged(SimulationRule, wrong, "A"+strings.TrimPrefix(won, "a")+fmt.Sprintf(". The middle result was %s%s.", display.PercentText(s.Median), c.sampled()))
}

// under writes a share that is not enough, and over one that is too much, so that rounding never makes it look like what is needed.
// What could not be measured is none.
func under(p float64) string {
	if math.IsNaN(p) {
		p = 0
	}
	return fmt.Sprintf("%.1f%%", math.Floor(1000*max(0, p))/10)
}

func over(p float64) string { return fmt.Sprintf("%.1f%%", math.Ceil(1000*p)/10) }

func (c *copies) sampled() string {
	if c.simulation.Trades >= smallSample {
		return ""
	}
	return fmt.Sprintf(", from only %s", display.Count(c.simulation.Trades, "copy"))
}

// withoutBest asks that no single copy carries the result.
func (c *copies) withoutBest() outcome {
	mean := c.simulation.WithoutBest
	var wrong []string
	if !(mean > 0) {
		wrong = append(wrong, fmt.Sprintf("without the single best of %s the simulated average is %s, where it must stay above 0",
			display.Count(c.simulation.Trades, "copy"), display.PercentText(mean)))
	}
	return judged(WithoutBest, wrong, fmt.Sprintf("Without the single best of %s the simulated average is still %s.",
		display.Count(c.simulation.Trades, "copy"), display.PercentText(mean)))
}

// trader asks whether the wallet's own trading rules following out.
func (c *copies) trader(facts Facts, rating trader.Rating) outcome {
	conduct := facts.Record.Evidence.Conduct
	var wrong []string
	if rating.Verdict == trader.Avoid {
		wrong = append(wrong, fmt.Sprintf("its own %s say to avoid it (grade %s)", display.Count(rating.SampleSize, "closed position"), rating.Grade))
	}
	if conduct.Wash.Suspected {
		wrong = append(wrong, fmt.Sprintf("its trading shows %s of being made for show", display.Count(len(conduct.Wash.Signals), "sign")))
	}
	if conduct.Automated.Verdict == trader.AutomationLikely {
		wrong = append(wrong, fmt.Sprintf("its %s look like a program's", display.Count(conduct.Automated.Trades, "trade")))
	}
	if conduct.Insider.Suspected {
		wrong = append(wrong, fmt.Sprintf("it had supply or the creator's money of %s before others could buy", display.Count(len(conduct.Insider.Tokens), "token")))
	}
	deployed := 0
	for _, found := range facts.Security {
		if found.Creator == facts.Record.Wallet {
			deployed++
		}
	}
	if deployed > 0 {
		wrong = append(wrong, fmt.Sprintf("it deployed %s that it traded", display.Count(deployed, "token")))
	}
	if !(rating.Confidence >= lowestTrust) {
		wrong = append(wrong, fmt.Sprintf("%s of its own carry a confidence of %.2f, where %.1f is needed",
			display.Count(rating.SampleSize, "closed position"), math.Floor(100*rating.Confidence)/100, lowestTrust))
	}
	grade := "its own trading is unrated"
	if rating.Rated {
		grade = fmt.Sprintf("its own trading is graded %s at a confidence of %.2f", rating.Grade, rating.Confidence)
	}
	return judged(TraderRule, wrong, fmt.Sprintf("No sign of wash trading, a program or inside supply in %s; %s, where at least %.1f is needed.",
		display.Count(rating.SampleSize, "closed position"), grade, lowestTrust))
}

// copyable asks whether a follower would have met a price near the wallet's own, and a pool that takes its order.
func (c *copies) copyable() outcome {
	runUp, impact := c.simulation.MedianRunUp, c.simulation.CopierImpact
	var wrong []string
	switch {
	case math.IsNaN(runUp):
		wrong = append(wrong, "how far prices ran before a copier could buy is known for 0 entries")
	case runUp > highestRunUp:
		wrong = append(wrong, fmt.Sprintf("prices ran up %s in the middle between its buy and the hour close, at most %s leaves something to follow",
			over(runUp), display.PercentText(highestRunUp)))
	}
	switch {
	case math.IsNaN(impact):
		wrong = append(wrong, "what its pools hold is known for 0 entries, so whether they take a small follower's order is not known")
	case impact > highestImpact:
		wrong = append(wrong, fmt.Sprintf("a small follower's order costs %s in price impact, at most %s is affordable",
			over(impact), display.PercentText(highestImpact)))
	}
	return judged(CopyableRule, wrong, fmt.Sprintf("Between its buy and a copier's the price moved %s in the middle, at most %s leaves something to follow; a small order costs %s in price impact.",
		display.PercentText(runUp), display.PercentText(highestRunUp), display.PercentText(impact)))
}
