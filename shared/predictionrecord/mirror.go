package predictionrecord

import (
	"math"

	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
)

// followScore is the least score, that of grade C, of a wallet that can be mirrored.
const followScore = 45

// blockers say why the wallet cannot be mirrored; none when it can.
func (f *findings) blockers(grade string, score float64) []reason.Reason {
	reasons := append(f.washReasons(), f.foresightReason()...)
	add := func(code, template string, values ...any) {
		reasons = append(reasons, because(code, blocking-float64(len(reasons)), template, values...))
	}
	switch f.signals.Execution {
	case makerExecution:
		reasons = append(reasons, f.makerReason(blocking-float64(len(reasons))))
	case "":
		add("ROLES_UNKNOWN", "Which of its orders were resting is unknown for more than half of its volume, so a follower cannot count on the same fills.")
	}
	switch {
	case len(f.entries) == 0:
		add("COPY_UNMEASURED", "The first entry of none of its %s is known, so what a follower would have paid is unmeasured.", display.Count(f.measures.N, "decided event"))
	case math.IsNaN(f.copiedLow):
		add("COPY_UNMEASURED", "What a follower pays a minute later is unmeasured: that price is known for %d of %s looked up, where half of them and at least %d are needed.",
			f.follower.measured, display.Count(f.follower.asked, "entry"), leastPriced)
	case f.copied.Mean <= 0:
		add("NEGATIVE_AT_COPY", "A follower a minute later pays %s more a share, and is left with %s a share on average%s, where above 0 is needed.",
			cents(f.follower.slippage), cents(f.copied.Mean), f.priced())
	case f.copiedLow <= 0:
		add("COPY_UNPROVEN", "A follower a minute later is left with %s a share on average, but it could be as low as %s with 80%% confidence%s.",
			cents(f.copied.Mean), cents(f.copiedLow), f.priced())
	case f.fades():
		add("EDGE_FADES", "A follower a minute later pays %s more a share, which takes %s of the edge, and could be left with as little as %s%s.",
			cents(f.follower.slippage), display.PercentText(f.follower.slippage/f.edge.Mean), cents(f.copied.Low), f.priced())
	}
	if f.signals.Activity == dormant {
		add("DORMANT", "Last bought %s ago, where up to 30 days leave something to follow.", display.DurationText(f.book.asOf.Sub(f.lastEntry())))
	}
	switch {
	case 2*f.timed < len(f.entries):
		add("TIME_UNKNOWN", "When its outcomes were known is unknown for %d of %s, so whether a follower had time is unmeasured.",
			len(f.entries)-f.timed, display.Count(len(f.entries), "decided entry"))
	case f.timed > 0 && f.timeToEnd < timeNeeded:
		add("TOO_LATE", "Half of its entries are decided within %s, where a follower needs %s%s.",
			display.DurationText(f.timeToEnd), display.DurationText(timeNeeded), f.sampled(f.timed))
	}
	if 2*f.thinBooks > f.booked {
		add("SHALLOW", "Books are too thin for even a small follower's order in %d of %s it is in.", f.thinBooks, display.Count(f.booked, "open market"))
	}
	if (grade == "D" || grade == "F") && !f.wash.Suspected && !f.foresight.suspected {
		add("POOR_RECORD", "Its record scores %.1f of 100, where %d (grade C) is needed to be worth following.", score, followScore)
	}
	if len(reasons) == 0 && !f.edgeShown() {
		for _, r := range f.chanceReason() {
			r.Weight = blocking
			reasons = append(reasons, r)
		}
	}
	return reasons
}

// fades tells whether most of the edge is gone within the minute, as when news breaks, and what is left is not shown at the stricter bound:
// where prices run away the lenient one lets one of five wallets pass whose followers gain nothing.
func (f *findings) fades() bool {
	return f.follower.slippage >= 0.5*f.edge.Mean && f.copied.Low <= 0
}

// priced tells on how many later prices a statement about followers rests.
func (f *findings) priced() string {
	if f.follower.measured == len(f.entries) {
		return f.sampled(f.copied.Events)
	}
	return " (" + display.Count(f.follower.measured, "later price") + " known for " + display.Count(len(f.entries), "event") + ")"
}

// foresightReason is about bets that look like private knowledge; none when they do not.
func (f *findings) foresightReason() []reason.Reason {
	if s := &f.foresight; s.suspected {
		return []reason.Reason{because("INSIDER", 1500, "Bets placed less than a day before the outcome came true in %d of %s, where their prices said about %s: that looks like private knowledge, which cannot be copied.",
			s.right, display.Count(s.late, "event"), display.PercentText(s.implied))}
	}
	return nil
}
