package predictionrecord

import (
	"math"
	"time"
)

// Signals are six words on how a wallet trades, each empty when it cannot be told.
type Signals struct {
	// Execution is taker, mixed or maker: the maker share of the value traded at most 0.30, between, or from 0.70 on.
	Execution string
	// Entries is favourites or value when 60 % of what was paid was paid at 0.80 or more, or at 0.50 or less; balanced otherwise.
	Entries string
	// Consistency is unproven below ten decided events; streaky with a PSR* (the probabilistic Sharpe ratio of event returns with a
	// total loss added) below 0.6 or half of all gains from one event; steady from a PSR* of 0.9 on when half the months are
	// profitable; mixed otherwise.
	Consistency string
	// Diversification is broad from ten effective events on (one over the Herfindahl index of cost), moderate from four, concentrated.
	Diversification string
	// Cadence is occasional below 2 entries a week with entries, regular below 20, busy to 200, machine above and with bursts.
	Cadence string
	// Activity is active when the last purchase is at most 7 days old, slowing to 30, dormant beyond.
	Activity string
}

// The words that rules depend on.
const (
	makerExecution   = "maker"
	favouriteEntries = "favourites"
	concentrated     = "concentrated"
	dormant          = "dormant"
)

func (f *findings) judgeSignals() Signals {
	return Signals{
		Execution:       executionOf(f.maker),
		Entries:         entriesOf(f.paid),
		Consistency:     consistencyOf(f.measures.N, f.measures.PSRStar, f.measures.TopTradeShare, profitableMonths(f.evidence.Results)),
		Diversification: diversificationOf(f.effectiveEvents),
		Cadence:         cadenceOf(f.pace),
		Activity:        activityOf(f.book.asOf.Sub(f.lastEntry())),
	}
}

// lastEntry is the last purchase, or the last trade of a wallet that has only sold.
func (f *findings) lastEntry() time.Time {
	if f.pace.lastEntry.IsZero() {
		return f.book.trades[len(f.book.trades)-1].Time
	}
	return f.pace.lastEntry
}

func executionOf(makerShare float64) string {
	switch {
	case math.IsNaN(makerShare):
		return ""
	case makerShare <= 0.30:
		return "taker"
	case makerShare >= 0.70:
		return makerExecution
	}
	return "mixed"
}

func entriesOf(b bought) string {
	switch {
	case math.IsNaN(b.favourites):
		return ""
	case b.favourites >= 0.6:
		return favouriteEntries
	case b.value >= 0.6:
		return "value"
	}
	return "balanced"
}

func consistencyOf(events int, psrStar, topShare, months float64) string {
	switch {
	case events < minimumEvents:
		return "unproven"
	case psrStar < 0.6 || topShare >= 0.5:
		return "streaky"
	case psrStar >= 0.9 && months >= 0.5:
		return "steady"
	}
	return "mixed"
}

func diversificationOf(effective float64) string {
	const rounding = 1e-9 // ten equal events are ten
	switch {
	case math.IsNaN(effective):
		return ""
	case effective >= 10-rounding:
		return "broad"
	case effective >= 4-rounding:
		return "moderate"
	}
	return concentrated
}

func cadenceOf(p pace) string {
	switch {
	case p.perWeek > 200 || p.bursts:
		return "machine"
	case p.perWeek >= 20:
		return "busy"
	case p.perWeek >= 2:
		return "regular"
	}
	return "occasional"
}

func activityOf(age time.Duration) string {
	switch {
	case age <= 7*day:
		return "active"
	case age <= 30*day:
		return "slowing"
	}
	return dormant
}
