package perp

import (
	"fmt"
	"math"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/margin"
	"github.com/mirrorworthy/mirrorworthy/shared/perprecord"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
)

// smallSample is the number of positions below which a sentence says how few they are.
const smallSample = 30

// because makes a reason of a template and its numbers.
func because(code string, weight float64, template string, values ...any) reason.Reason {
	return reason.Reason{Code: code, Weight: weight, Text: fmt.Sprintf(template, values...)}
}

// explain writes the weightiest of what there is to say.
func explain(record *perprecord.Record, e exposure, h history, paid float64, c Coverage, asOf time.Time) []reason.Reason {
	var reasons []reason.Reason
	if c.Reason == coverageOK {
		reasons = append(reasons, resultReasons(record, h)...)
	} else {
		reasons = append(reasons, thinReason(record, h, c))
	}
	reasons = append(reasons, exposureReasons(&e)...)
	reasons = append(reasons, conductReasons(record, &e, h, paid, asOf)...)
	reasons = append(reasons, gapReasons(record, &e, asOf)...)
	return reason.Top(reasons)
}

// thinReason says what a win rate is short of.
func thinReason(record *perprecord.Record, h history, c Coverage) reason.Reason {
	if c.Reason == coverageNoHistory {
		return because("NO_HISTORY", 100, "No trade of this wallet is known, where a win rate needs at least %d; that says nothing against it.", minimumTrades)
	}
	return because("THIN", 80, "A win rate needs %d closing trades and %d positions followed from beginning to end over at least %d days; there are %d and %d so far.",
		minimumTrades, minimumPositions, int(minimumAge.Hours()/24), h.orders, len(record.Book.Episodes))
}

const (
	// littleLeverage is what positions come to, in times of the margin, below which they say little.
	littleLeverage = 0.1
	// farMove is the move of prices beyond which a liquidation says little, as a fraction.
	farMove = 1
)

// exposureReasons says what the open positions risk.
func exposureReasons(e *exposure) []reason.Reason {
	var reasons []reason.Reason
	leverage := e.leverage()
	if leverage >= littleLeverage {
		reasons = append(reasons, because("LEV", 30+2.5*min(leverage, 10), "Positions total %s times the account's margin, where up to 1 needs nothing borrowed.", times(leverage)))
	}
	if leverage > 2 && math.Abs(e.net()) < 0.2 {
		reasons = append(reasons, because("HEDGED", 45, "Longs and shorts nearly cancel: %s times the margin in all, but %s times net.", times(leverage), times(leverage*math.Abs(e.net()))))
	}
	if nearest, found := e.nearest(); found && nearest.distance <= farMove {
		reasons = append(reasons, because("LIQ", liquidationWeight(nearest.distance),
			"Nearest liquidation is %s away, where less than 10%% is close: the %s position in %s, if other prices stay.",
			display.PercentText(nearest.distance), sideWord(nearest.side), nearest.name))
	}
	if len(e.positions) > 1 && math.Abs(e.stress) <= farMove {
		direction := "fall"
		if e.stress > 0 {
			direction = "rise"
		}
		reasons = append(reasons, because("STRESS", 35, "A %s of all prices together by %s would liquidate at least one of %d positions.",
			direction, display.PercentText(math.Abs(e.stress)), len(e.positions)))
	}
	return reasons
}

// times writes a multiple.
func times(x float64) string {
	switch {
	case x < 0.1:
		return fmt.Sprintf("%.2f", x)
	case x < 10:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}

func sideWord(side margin.Side) string {
	if side == margin.Short {
		return "short"
	}
	return "long"
}

func liquidationWeight(distance float64) float64 {
	switch {
	case distance < 0.05:
		return 95
	case distance < 0.1:
		return 92
	case distance < 0.5:
		return 40
	}
	return 12
}

const (
	// hiddenShare is the part of all closed gains from which on losses of open positions are worth saying.
	hiddenShare = 0.25
	// manyDoubled and doubledShare are how many closed positions, and which part of them, were doubled while losing.
	manyDoubled, doubledShare = 3, 1. / 3
	// recently and stale are when a liquidation still weighs most, and when trades are old, in days.
	recently, stale = 90, 30
)

// conductReasons says what the way of trading tells: liquidations, funding, losses not taken, losers doubled.
func conductReasons(record *perprecord.Record, e *exposure, h history, paid float64, asOf time.Time) []reason.Reason {
	var reasons []reason.Reason
	if count, last := record.Liquidations(); count > 0 {
		days := daysBetween(last, asOf)
		weight := 85.
		if days <= recently {
			weight = 90
		}
		reasons = append(reasons, because("LIQUIDATED", weight, "Was liquidated %s, the last time %s ago, where none is usual.",
			display.Count(count, "time"), display.Count(days, "day")))
	}
	if math.Abs(paid) >= 0.01 && !math.IsInf(paid, 0) {
		verb := "Paid"
		if paid < 0 {
			verb = "Received"
		}
		days := perprecord.FundingDays
		if first, known := record.FirstActivity(); known {
			days = max(1, min(days, daysBetween(first, asOf)))
		}
		reasons = append(reasons, because("FUNDING", 20+min(35, 200*math.Abs(paid)), "%s %s of margin in funding in %s, which is %s a year at that pace.",
			verb, display.PercentText(math.Abs(paid)), display.Count(days, "day"), display.PercentText(math.Abs(paid)*365/float64(days))))
	}
	losers, lossUSD := 0, 0.
	for i := range e.positions {
		if u := amount(e.positions[i].UnrealizedUSD); u < 0 {
			losers++
			lossUSD -= u
		}
	}
	if hidden := lossUSD / h.gainsUSD; h.gainsUSD > 0 && hidden >= hiddenShare && !math.IsInf(hidden, 0) {
		reasons = append(reasons, because("HIDDEN_LOSSES", 74+min(8, 8*hidden), "%s at a loss that is %s of everything its %s gained and no win rate shows.",
			stand(losers), display.PercentText(hidden), display.Count(h.episodeWins, "winning position")))
	}
	doubled, positions := 0, len(record.Book.Episodes)
	for i := range record.Book.Episodes {
		if record.Book.Episodes[i].Doubled {
			doubled++
		}
	}
	if doubled >= manyDoubled && float64(doubled) >= doubledShare*float64(positions) {
		reasons = append(reasons, because("DOUBLING_DOWN", 70, "At least doubled a losing position in %d of %s; such records look good until one loss is larger than all gains.",
			doubled, display.Count(positions, "closed position")))
	}
	if days := daysBetween(record.Book.Last, asOf); !record.Book.Last.IsZero() && days > stale {
		reasons = append(reasons, because("STALE", 25+min(25, float64(days)/10), "Last trade %s ago; results older than %d days say less of today.",
			display.Count(days, "day"), stale))
	}
	return reasons
}

func stand(positions int) string {
	if positions == 1 {
		return "1 open position stands"
	}
	return fmt.Sprintf("%d open positions stand", positions)
}

// auditShare is the part of closing fills whose profit must be reproduced within a ten-thousandth of their value.
const auditShare = 0.99

// gapReasons says what is missing from the answer, and where the venue's numbers are not ours.
func gapReasons(record *perprecord.Record, e *exposure, asOf time.Time) []reason.Reason {
	var reasons []reason.Reason
	unread := func(what, left string) {
		reasons = append(reasons, because("UNREAD", 58, "%s could not be read this time; %s left out.", what, left))
	}
	if record.Funding == nil {
		unread("Funding payments of the last 30 days", "what was paid is")
	} else if record.Funding.Truncated {
		unread("Some funding payments of the last 30 days", "what was paid is")
	}
	if record.LedgerTruncated {
		unread("The latest transfers", "liquidations that only they tell of are")
	}
	if !record.LedgerRead {
		unread("Transfers", "the account's age and liquidations before its first fill are")
	}
	if math.IsNaN(amount(record.Standing.SpotDollars)) {
		unread("Dollar coins beside the margin", "the size of the account is")
	}
	if record.MarketsUnread {
		unread("Margin tiers", "the stress move is")
	}
	if record.ExchangesLeftOut > 0 {
		unread("Positions on "+display.Count(record.ExchangesLeftOut, "builder's exchange")+" that it traded on earliest", "those are")
	}
	if e.differing != nil && !math.IsInf(e.differing.difference, 0) {
		reasons = append(reasons, because("LIQ_DIFFERS", 15, "By the documented formula %s is liquidated at a price %s off the venue's own, which is the one shown; the stress move is left out.",
			e.differing.name, display.PercentText(e.differing.difference)))
	}
	if a := record.Book.Audit; float64(a.Near) < auditShare*float64(a.Checked) {
		reasons = append(reasons, because("PNL_DIFFERS", 62, "Average-entry accounting does not reproduce the venue's profit on %d of %s; its results are uncertain.",
			a.Checked-a.Near, display.Count(a.Checked, "closing fill")))
	}
	if record.Fills.Truncated {
		reasons = append(reasons, because("TRUNCATED", 10, "Only fills back to %s ago could be read, %s of contracts among them; older trades are not in this answer.",
			display.DurationText(asOf.Sub(record.Fills.Since)), fillCount(record)))
	}
	if unknown := record.Book.Unknown; unknown > 0 {
		reasons = append(reasons, because("UNKNOWN_START", 8, "%d of %s closed positions that began before what could be read; they count in the win rate, not as positions.",
			unknown, display.Count(len(record.Book.Orders), "closing trade")))
	}
	return reasons
}
