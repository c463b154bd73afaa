package copytrade

import (
	"math"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
)

// lastEntries is how many of the new leader's latest entries a sentence tells of.
const lastEntries = 10

// reasons say what the verdict rests on, of the most similar leader above all.
func (c *comparison) reasons() []reason.Reason {
	reasons := c.explainUnknown()
	if first := c.first(); first != nil {
		reasons = append(reasons, c.explainPair(first)...)
	}
	unread := 0
	for _, p := range c.pairs {
		if p.other == nil {
			unread++
		}
	}
	if unread > 0 {
		reasons = append(reasons, because("UNREAD", 40, "The records of %s could not be read this time and are not compared.",
			display.Count(unread, "leader")))
	}
	if c.left > 0 {
		reasons = append(reasons, because("BEYOND", 35, "The %d newest copies are compared; %s not.", mostLeaders, wasOrWere(c.left, "older one")))
	}
	if change := varianceChange(c.read, c.lead); !math.IsNaN(change) {
		word := "less"
		if change > 0 {
			word = "more"
		}
		reasons = append(reasons, because("VARIANCE", 20, "In equal parts, the leaders' daily results would vary %s %s with the new one than without.",
			display.PercentText(math.Abs(change)), word))
	}
	return reasons
}

// explainUnknown says what is missing, where nothing could be told.
func (c *comparison) explainUnknown() []reason.Reason {
	switch {
	case len(c.others) == 0 && c.named:
		return []reason.Reason{because("NOBODY", 100, "The list of leaders is empty, so there is nobody to compare with.")}
	case len(c.others) == 0:
		return []reason.Reason{because("NOBODY", 100, "This wallet has no running copies on %s, so there is nobody to compare with; name leaders to compare with them.", c.chain.Slug)}
	case c.lead.trades < leastTrades && c.first() == nil:
		return []reason.Reason{because("FEW_TRADES", 100, "The new leader made %s in %d days, where a comparison takes %d on each side.",
			display.Count(c.lead.trades, "trade"), overlapDays, leastTrades)}
	}
	few := 0
	for _, p := range c.pairs {
		if p.other != nil && math.IsNaN(p.redundancy) {
			few++
		}
	}
	if few == 0 || c.lead.trades < leastTrades {
		return nil
	}
	return []reason.Reason{because("FEW_TRADES", 50, "%s fewer than %d trades in %d days, too few to compare.",
		madeBy(few), leastTrades, overlapDays)}
}

func madeBy(n int) string {
	if n == 1 {
		return "1 leader made"
	}
	return display.Count(n, "leader") + " made"
}

func (c *comparison) explainPair(p *pair) []reason.Reason {
	name := p.leader.Short()
	if p.same {
		return []reason.Reason{because("SAME_LEADER", 100, "%s is the new leader itself: you copy it already.", name)}
	}
	var reasons []reason.Reason
	switch p.link {
	case paid:
		reasons = append(reasons, because("SAME_OPERATOR", 95, "Money went from one of the two wallets to the other (%s); they seem to have one operator.",
			name))
	case funded:
		reasons = append(reasons, because("SAME_OPERATOR",
			95, "Both wallets had their first money from one personal account within three days (%s); they seem to have one operator.", name))
	}
	if verdictOf(p.redundancy) == additive {
		reasons = append(reasons, because("ADDITIVE",
			90, "The most similar leader, %s, overlaps by %s; below %s a new leader adds something of its own.",
			name, display.PercentText(p.redundancy), display.PercentText(overlapFrom)))
	}
	reasons = append(reasons, p.explainTiming(name)...)
	if !math.IsNaN(p.holdings.shared) {
		reasons = append(reasons, because("SHARED", 60, "%s of what it and %s hold is in the same tokens.",
			display.PercentText(p.holdings.shared), name))
	} else if !math.IsNaN(p.bought.jaccard) {
		reasons = append(reasons, because("SHARED_BUYS", 60, "%s of what it and %s bought in %d days is in the same tokens.",
			display.PercentText(p.bought.jaccard), name, overlapDays))
	}
	if k := p.correlation; k.days > 0 {
		reasons = append(reasons, because("CORRELATION",
			50, "Daily results of both have a correlation of %.2f on %s; the true one is likely %.2f to %.2f.",
			k.value, display.Count(k.days, "common day"), k.low, k.high))
	}
	return reasons
}

// explainTiming tells how entries lie beside each other: of the latest ones, since those are what a copier would meet.
func (p *pair) explainTiming(name string) []reason.Reason {
	n := len(p.timing.lags)
	if n == 0 || math.IsNaN(p.timing.matched) {
		return nil
	}
	latest := p.timing.lags[max(0, n-lastEntries):]
	earlier, later := 0, 0
	for _, lag := range latest {
		if lag > 0 {
			earlier++
		} else if lag < 0 {
			later++
		}
	}
	lag := time.Duration(math.Abs(p.timing.medianLag())) * time.Minute
	switch p.direction() {
	case follows:
		return []reason.Reason{because("FOLLOWS", 80, "%d of its last %d buys were bought earlier by %s, about %s before.",
			earlier, len(latest), name, display.DurationText(lag))}
	case leads:
		return []reason.Reason{because("LEADS", 80, "%d of its last %d buys were bought later by %s, about %s after.",
			later, len(latest), name, display.DurationText(lag))}
	}
	return []reason.Reason{because("TIMING", 55, "%s of its %s came within a day of one by %s in the same token; chance would give %s.",
		display.PercentText(p.timing.matched), display.Count(n, "entry"), name, display.PercentText(p.timing.expected))}
}
