package perp

import (
	"fmt"
	"strconv"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/perprecord"
)

// The reasons of a coverage, in the order in which they are looked for.
const (
	coverageNoHistory = "no-venue-history"
	coverageTooNew    = "account-too-new"
	coverageOpenOnly  = "open-positions-only"
	coverageTooFew    = "below-min-closed-trades"
	coverageOK        = "ok"
)

const (
	// minimumAge is how long after its first activity an account is measured.
	minimumAge = 7 * 24 * time.Hour
	// minimumTrades and minimumPositions are how many closing trades and closed positions a win rate takes.
	minimumTrades, minimumPositions = 5, 3
)

// cover finds the first reason that holds and writes its note.
func cover(record *perprecord.Record, h history, open int, asOf time.Time) Coverage {
	first, known := record.FirstActivity()
	positions := len(record.Book.Episodes)
	switch {
	case first.IsZero() && open == 0:
		note := "No trade, transfer or position of this wallet was found on the venue."
		if !record.LedgerRead {
			note = "No trade or position of this wallet was found on the venue; its transfers could not be read."
		}
		return Coverage{coverageNoHistory, note}
	case known && !first.IsZero() && asOf.Sub(first) < minimumAge:
		return Coverage{coverageTooNew, fmt.Sprintf("First seen on the venue %s ago; results are measured from %d days on.",
			display.DurationText(asOf.Sub(first)), int(minimumAge.Hours()/24))}
	case len(record.Book.Orders) == 0 && open > 0:
		return Coverage{coverageOpenOnly, fmt.Sprintf("Has %s but no closing trade%s, so there is no result to measure yet.",
			display.Count(open, "open position"), among(record))}
	case len(record.Book.Orders) == 0:
		return Coverage{coverageOpenOnly, fmt.Sprintf(
			"Has been on the venue for %s without an open position or a closing trade%s, so there is no result to measure yet.",
			display.DurationText(asOf.Sub(first)), among(record))}
	case h.orders < minimumTrades:
		return Coverage{coverageTooFew, fmt.Sprintf("Only %s so far%s; at least %d are needed before a win rate means anything.",
			display.Count(h.orders, "closing trade"), among(record), minimumTrades)}
	case positions < minimumPositions:
		return Coverage{coverageTooFew, fmt.Sprintf("Only %s from beginning to end%s; at least %d are needed before a win rate means anything.",
			display.Count(positions, "closed position"), among(record), minimumPositions)}
	case record.Fills.Truncated:
		return Coverage{coverageOK, fmt.Sprintf("Based on the latest %s.", fillCount(record))}
	}
	return Coverage{coverageOK, fmt.Sprintf("Based on %s that closed %s over %s.",
		display.Count(h.orders, "trade"), display.Count(positions, "position"), display.DurationText(record.Book.Last.Sub(record.Book.First)))}
}

// among says how far back a count goes, where older fills exist.
func among(record *perprecord.Record) string {
	if !record.Fills.Truncated {
		return ""
	}
	return " in the last " + display.DurationText(record.AsOf.Sub(record.Fills.Since)) + ", as far back as fills could be read"
}

// fillCount writes how many fills of contracts were read, like "10,000 fills".
func fillCount(record *perprecord.Record) string {
	n := len(record.Fills.Fills)
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	if n == 1 {
		return digits + " fill"
	}
	return digits + " fills"
}
