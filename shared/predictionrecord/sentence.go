package predictionrecord

import (
	"fmt"
	"math"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
)

// because makes a reason of a template and its numbers.
func because(code string, weight float64, template string, values ...any) reason.Reason {
	return reason.Reason{Code: code, Weight: weight, Text: fmt.Sprintf(template, values...)}
}

// What rules following out is said before what moved the grade, and after what disqualifies a wallet.
const (
	blocking = 500.0
	caveat   = 25.0
)

func inactiveReason(activity *market.PredictionActivity, asOf time.Time) reason.Reason {
	window := display.Count(int(Window/day), "day")
	for i := len(activity.Trades) - 1; i >= 0; i-- {
		if at := activity.Trades[i].Time; !at.After(asOf) {
			return because("INACTIVE", 100, "Last traded on this prediction market %s ago; only the last %s are looked at.", display.DurationText(asOf.Sub(at)), window)
		}
	}
	return because("INACTIVE", 100, "No trade of this wallet on this prediction market in the last %s.", window)
}

// thinReasons say what is missing for a rating, and what is known.
func (f *findings) thinReasons() []reason.Reason {
	n := f.measures.N
	reasons := f.washReasons()
	missing := minimumEvents - n
	if n == 0 {
		reasons = append(reasons, because("THIN", 100, "No decided event can be rated yet; at least %d are needed.", missing))
	} else {
		reasons = append(reasons, because("THIN", 100, "%s can be rated; at least %d more %s needed for a rating.", display.Count(n, "decided event"), missing, isOrAre(missing)),
			f.winsReason(50))
	}
	if f.signals.Execution == makerExecution {
		reasons = append(reasons, f.makerReason(40))
	}
	if f.edge.Events >= 2 {
		reasons = append(reasons, f.edgeReason(30))
	}
	return append(reasons, f.coverageReasons()...)
}

func (f *findings) washReasons() []reason.Reason {
	reasons := make([]reason.Reason, len(f.wash.Signals))
	for i := range f.wash.Signals {
		reasons[i] = f.wash.Signals[i].Reason
		reasons[i].Weight = 2000 - float64(i)
	}
	return reasons
}

// blockers say why the wallet cannot be mirrored; none when it can.
func (f *findings) blockers() []reason.Reason {
	var reasons []reason.Reason
	add := func(code, template string, values ...any) {
		reasons = append(reasons, because(code, blocking-float64(len(reasons)), template, values...))
	}
	if f.wash.Suspected {
		reasons = append(reasons, f.washReasons()...)
	}
	switch f.signals.Execution {
	case makerExecution:
		reasons = append(reasons, f.makerReason(blocking-float64(len(reasons))))
	case "":
		add("ROLES_UNKNOWN", "Which of its orders were resting is unknown for more than half of its volume, so a follower cannot count on the same fills.")
	}
	switch {
	case math.IsNaN(f.copiedLow):
		add("COPY_UNMEASURED", "No price a minute after any of its %s is known, so what a follower would have paid is unmeasured.", display.Count(len(f.entries), "decided entry"))
	case f.copiedLow <= 0 && f.copied.Mean <= 0:
		add("NEGATIVE_AT_COPY", "A follower a minute later pays %s more a share, and is left with %s a share on average%s, where above 0 is needed.",
			cents(f.follower.slippage), cents(f.copied.Mean), f.sampled(f.copied.Events))
	case f.copiedLow <= 0:
		add("COPY_UNPROVEN", "A follower a minute later is left with %s a share on average, but it could be as low as %s with 80%% confidence%s.",
			cents(f.copied.Mean), cents(f.copiedLow), f.sampled(f.copied.Events))
	}
	if f.signals.Activity == dormant {
		add("DORMANT", "Last bought %s ago, where up to 30 days leave something to follow.", display.DurationText(f.book.asOf.Sub(f.lastEntry())))
	}
	if len(f.entries) > 0 && f.timeToEnd < timeNeeded {
		add("TOO_LATE", "Half of its entries are decided within %s, where a follower needs %s%s.",
			display.DurationText(f.timeToEnd), display.DurationText(timeNeeded), f.sampled(len(f.entries)))
	}
	if 2*f.thinBooks > f.booked {
		add("SHALLOW", "Books are too thin for even a small follower's order in %d of %s it is in.", f.thinBooks, display.Count(f.booked, "open market"))
	}
	return reasons
}

func (f *findings) makerReason(weight float64) reason.Reason {
	return because("MAKER", weight, "%s of its volume is resting orders you cannot copy, where under 70%% is needed.", display.PercentText(f.maker))
}

// ratedReasons are the rating's own, with the win rate held against prices, and what the entries say.
func (f *findings) ratedReasons() []reason.Reason {
	var reasons []reason.Reason
	for _, r := range f.rating.Reasons {
		if f.wash.Suspected && r.Weight >= 1000 {
			continue // said already
		}
		if r.Code == "WIN_RATE_CI" && len(f.entries) > 0 {
			r = f.winsReason(r.Weight)
		}
		reasons = append(reasons, r)
	}
	if f.edge.Events >= 2 {
		reasons = append(reasons, f.edgeReason(45))
	}
	reasons = append(reasons, f.chanceReason()...)
	if f.signals.Entries == favouriteEntries {
		reasons = append(reasons, f.favouritesReason())
	}
	if f.signals.Diversification == concentrated {
		reasons = append(reasons, because("CONCENTRATED", 20, "Effectively %.1f independent bets by size, where 4 are moderate and 10 broad.", f.effectiveEvents))
	}
	if f.categoryShare >= 0.8 {
		reasons = append(reasons, because("CATEGORY", 5, "%s of what it put in went into one kind of markets, where under 80%% would tell of others too.", display.PercentText(f.categoryShare)))
	}
	if f.copiedLow > 0 {
		reasons = append(reasons, because("COPIED_EDGE", 30, "A follower a minute later is left with at least %s a share with 80%% confidence%s.", cents(f.copiedLow), f.sampled(f.copied.Events)))
	}
	return append(reasons, f.coverageReasons()...)
}

// winsReason holds wins against the chances that first entries were bought at.
func (f *findings) winsReason(weight float64) reason.Reason {
	m := f.measures
	if len(f.entries) == 0 {
		return because("WIN_RATE_CI", weight, "Won %d of %s; the true rate is likely %s to %s%s.", m.Wins, display.Count(m.N, "decided event"),
			display.PercentText(m.WinLow), display.PercentText(m.WinHigh), f.sampled(m.N))
	}
	return because("WIN_RATE_CI", weight, "Won %d of %s; the true rate is likely %s to %s, where the prices it paid imply about %s.",
		m.Wins, display.Count(m.N, "decided event"), display.PercentText(m.WinLow), display.PercentText(m.WinHigh), display.PercentText(f.meanPrice))
}

func (f *findings) edgeReason(weight float64) reason.Reason {
	word, size := "less", f.edge.Mean
	low, high := f.edge.Low, f.edge.High
	if size < 0 {
		word, size, low, high = "more", -size, -high, -low
	}
	return because("EDGE_CENTS", weight, "Paid %s a share %s than outcomes were worth on average (90%% range %s to %s, %s).",
		cents(size), word, number(100*low), cents(high), display.Count(f.edge.Events, "event"))
}

func (f *findings) chanceReason() []reason.Reason {
	if math.IsNaN(f.chance) {
		return []reason.Reason{because("EDGE_UNMEASURED", 45, "The first entry of no decided event is known, so skill cannot be told from luck over %s.", display.Count(f.measures.N, "event"))}
	}
	if f.edgeShown() && f.chance <= 0.05 {
		return []reason.Reason{because("BEATS_CHANCE", 35, "Fair luck does as well with the same prices and sizes in %s of redraws, where 5%% is the usual limit%s.",
			oddsText(f.chance), f.sampled(len(f.entries)))}
	}
	weight := 35.0
	if f.rating.Score > unprovenScore {
		weight = 60 // it is what keeps the grade down
	}
	return []reason.Reason{because("CHANCE", weight, "Fair luck does as well with the same prices and sizes in %s of redraws; %s show only an edge of about %s a share or more.",
		oddsText(f.chance), display.Count(len(f.entries), "event"), cents(f.detectable))}
}

// favouritesReason says what a slightly worse price leaves of the gain.
func (f *findings) favouritesReason() reason.Reason {
	const worse = 0.02
	price := f.paid.price
	return because("FAVOURITES", caveat, "Buys at %.2f on average: a 2-cent worse fill removes %s of the possible gain.", price,
		display.PercentText(min(1, worse/max(worse, 1-price))))
}

// coverageReasons say what the answer rests on where that is not the wallet's whole history.
func (f *findings) coverageReasons() []reason.Reason {
	var reasons []reason.Reason
	b := f.book
	if b.record.Activity.Truncated {
		since := display.DurationText(b.asOf.Sub(b.record.Activity.Since))
		if b.fromVenue > 0 {
			reasons = append(reasons, because("VENUE_ACCOUNTS", caveat, "Only the last %s of its trades were read; %s before are taken from the venue's own accounts.", since, display.Count(b.fromVenue, "market")))
		} else {
			reasons = append(reasons, because("TRUNCATED", caveat, "Only the last %s of its trades were read; what it did before is not in this answer.", since))
		}
	}
	if f.hedged > 0 {
		reasons = append(reasons, because("HEDGED", 22, "Bought both sides alike in %s, which are not decisions and left out of %s.", display.Count(f.hedged, "event"), display.Count(f.hedged+f.measures.N, "decided event")))
	}
	if f.unredeemed > 0 {
		reasons = append(reasons, because("UNREDEEMED", 3, "Losing shares of %s were never redeemed; they count as lost among %s.", display.Count(f.unredeemed, "event"), display.Count(f.measures.N, "decided event")))
	}
	if b.unknown > 0 {
		reasons = append(reasons, because("UNKNOWN_MARKETS", 6, "How shares came in or what became of them is unknown in %s; %s left out.", display.Count(b.unknown, "market"), theyAre(b.unknown)))
	}
	return reasons
}

// sampled tells how small a small sample is.
func (f *findings) sampled(n int) string {
	if n >= 30 {
		return ""
	}
	return fmt.Sprintf(" (only %s, so uncertain)", display.Count(n, "event"))
}

// oddsText writes a probability, of which redraws show no less than leastChance.
func oddsText(p float64) string {
	if p <= leastChance {
		return "under " + display.PercentText(leastChance)
	}
	return display.PercentText(p)
}

// cents writes dollars a share in cents.
func cents(dollars float64) string {
	text := number(100 * dollars)
	if text == "1" || text == "-1" {
		return text + " cent"
	}
	return text + " cents"
}

func number(x float64) string { return fmt.Sprint(display.Round(x, 1)) }

func isOrAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

func theyAre(n int) string {
	if n == 1 {
		return "it is"
	}
	return "they are"
}
