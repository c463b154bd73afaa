package copytrade

import (
	"fmt"
	"math"

	"github.com/mirrorworthy/mirrorworthy/shared/copysimulation"
	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenrisk"
	"github.com/mirrorworthy/mirrorworthy/shared/trader"
)

// mostRunUp is the most that prices may usually have run up before a copier can buy, as on the boards.
const mostRunUp = 0.25

// because makes a reason of a template and its numbers.
func because(code string, weight float64, template string, values ...any) reason.Reason {
	return reason.Reason{Code: code, Weight: weight, Text: fmt.Sprintf(template, values...)}
}

// known tells whether the token's risk could be told.
func (t *leaderToken) known() bool {
	return t.assessment != nil && t.assessment.Verdict != tokenrisk.Unknown
}

// stop collects what rules a copy out, whatever the results: what the boards' gate asks of a leader besides its results.
func (d *draft) stop() {
	add := func(code, template string, values ...any) {
		d.stops = append(d.stops, because(code, stopWeight-float64(len(d.stops)), template, values...))
	}
	conduct := d.record.Evidence.Conduct
	if d.rating.Verdict == trader.Avoid {
		why := ""
		if len(d.rating.Reasons) > 0 {
			why = " " + d.rating.Reasons[0].Text
		}
		add("AVOID", "The leader's own trading is to be avoided (grade %s).%s", d.rating.Grade, why)
	} else {
		// Of a wallet without a grade this is known all the same.
		if conduct.Wash.Suspected {
			add("WASH", "The leader's trading shows %s of being made for show.", display.Count(len(conduct.Wash.Signals), "sign"))
		}
		if conduct.Insider.Suspected {
			add("INSIDER", "The leader had supply or the creator's money of %s before others could buy.",
				display.Count(len(conduct.Insider.Tokens), "token"))
		}
	}
	if conduct.Automated.Verdict == trader.AutomationLikely {
		add("AUTOMATED", "The leader's %s look like a program's, which a follower cannot keep up with.",
			display.Count(conduct.Automated.Trades, "trade"))
	}
	if tokens := d.deployed(); len(tokens) > 0 {
		add("DEPLOYER", "The leader made %s that it traded, and its buyers are who it sells to.", display.Count(len(tokens), "token"))
	}
	if runUp := d.simulation.MedianRunUp; runUp > mostRunUp {
		add("RUN_UP", "Prices usually ran up %s between the leader's buy and a copier's; at most %s leaves something to follow.",
			display.PercentText(runUp), display.PercentText(mostRunUp))
	}
	if impact := d.simulation.CopierImpact; impact > mostImpact {
		add("IMPACT", "Even a small order usually moves the price of the leader's tokens by %s; at most %s is affordable.",
			display.PercentText(impact), display.PercentText(mostImpact))
	}
	if entries, sameBlock := d.record.Entries(); len(entries) == 0 {
		if sameBlock {
			add("NO_ENTRIES", "Every position of the leader was over within the block in which it began; nobody can copy that.")
		} else {
			add("NO_ENTRIES", "The leader has bought nothing on %s that a copier could have followed.", d.chain.Slug)
		}
	}
}

// The weights of a plan's reasons, below what stops a copy: what limits it, what it rests on, and the leader's own record.
const (
	bindingWeight = 90
	restsWeight   = 60
	recordWeight  = 30
)

func (d *draft) reasons() []reason.Reason {
	reasons := append([]reason.Reason{}, d.stops...)
	if len(d.stops) == 0 {
		reasons = append(reasons, d.explainLimit())
	}
	reasons = append(reasons, d.explainCopies())
	if d.trial && len(d.stops) == 0 {
		reasons = append(reasons, d.explainTrial())
	}
	grade := "The leader is unrated"
	if d.rating.Rated {
		grade = "The leader is graded " + d.rating.Grade
	}
	reasons = append(reasons, because("GRADE", restsWeight-10, "%s on %s, with a confidence of %.2f.", grade,
		display.Count(d.rating.SampleSize, "closed position"), math.Floor(100*d.rating.Confidence)/100))
	for i, r := range d.rating.Reasons {
		r.Weight = recordWeight - float64(i)
		if len(d.stops) == 0 || d.stops[0].Code != "AVOID" || i > 0 {
			reasons = append(reasons, r)
		}
	}
	return reasons
}

// limitTexts say what a limit is.
var limitTexts = map[string]string{
	limitKelly:      "a quarter of what past copies support, less for how uncertain they are",
	limitVolatility: "how far the value of the copies swings in a year",
	limitGrade:      "the leader's grade",
	limitTrial:      "how little is known of the leader, which makes this a trial",
	limitMaximum:    "the most that any leader gets",
	limitTogether:   "what running copies leave of the 30% that all copies may have together",
}

// explainLimit says which limit set the size, and that it leaves too little where it does.
func (d *draft) explainLimit() reason.Reason {
	of := limitTexts[d.binding.name]
	if d.capital > 0 {
		code := "CAP_" + map[string]string{limitKelly: "KELLY", limitVolatility: "VOLATILITY", limitGrade: "GRADE", limitTrial: "TRIAL",
			limitMaximum: "MAXIMUM", limitTogether: "TOGETHER"}[d.binding.name]
		return because(code, bindingWeight, "The size of %s is set by %s.", percentText(d.capital), of)
	}
	switch {
	case d.binding.name == limitGrade && d.binding.at == 0:
		return because("CAP_GRADE", stopWeight, "A leader graded %s gets no money; at least a C is needed.", d.rating.Grade)
	case d.binding.name == limitKelly && d.binding.at == 0:
		return because("NO_EDGE", stopWeight, "Past copies gained too little on average to outweigh one further total loss, so there is nothing to bet on.")
	case d.binding.name == limitTogether:
		return because("NO_BUDGET", stopWeight, "The running copies take up %s of this wallet's money or more; all together get no more.",
			percentText(mostTogether-leastCapital))
	}
	return because("TOO_SMALL", stopWeight, "What is left of the size after %s is %s, less than the %s that is worth a copy.",
		of, percentText(max(0, d.binding.at)), percentText(leastCapital))
}

func (d *draft) explainCopies() reason.Reason {
	r := &d.result
	switch {
	case r.Counted < copysimulation.MinimumTrades:
		return because("FEW_COPIES", restsWeight+5, "%s of the leader's entries could be simulated to the end; from %d on their results set the size.",
			display.Count(r.Counted, "copy"), copysimulation.MinimumTrades)
	case d.kelly > 0:
		return because("KELLY", restsWeight, "Past results of %s support risking up to %s; a quarter of that counts, less for how uncertain it is.",
			display.Count(r.Counted, "simulated copy"), percentText(d.kelly))
	}
	return because("KELLY", restsWeight, "Of %s %d gained, %s in the middle; such results support no bet once a total loss is added to them.",
		display.Count(r.Counted, "simulated copy"), r.Wins, display.PercentText(r.Median))
}

func (d *draft) explainTrial() reason.Reason {
	switch {
	case !d.rating.Rated:
		return because("TRIAL", restsWeight+10, "The leader has %s, too few for a grade; no more than a trial of %s is suggested.",
			display.Count(d.rating.SampleSize, "closed position"), percentText(trialCapital))
	case d.result.Wins < copysimulation.MinimumTrades:
		return because("TRIAL", restsWeight+10, "Of %s %d gained, where more than a trial of %s takes %d.",
			display.Count(d.result.Counted, "simulated copy"), d.result.Wins, percentText(trialCapital), copysimulation.MinimumTrades)
	}
	return because("TRIAL", restsWeight+10, "Without the single best of %s their average is %s, so no more than a trial of %s is suggested.",
		display.Count(d.result.Counted, "simulated copy"), display.PercentText(d.simulation.WithoutBest), percentText(trialCapital))
}
