package predictionrecord

import (
	"fmt"
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
	partial  = 36.0 // what the answer rests on is a part of the record
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
	reasons := append(f.washReasons(), f.foresightReason()...)
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

func (f *findings) makerReason(weight float64) reason.Reason {
	return because("MAKER", weight, "%s of its volume is resting orders you cannot copy, where under 70%% is needed.", display.PercentText(f.maker))
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
			short := ""
			if b.record.Positions.Truncated {
				short = ", which were cut short too"
			}
			reasons = append(reasons, because("VENUE_ACCOUNTS", partial, "Only the last %s of its trades were read; %s before are taken from the venue's own accounts%s.",
				since, display.Count(b.fromVenue, "market"), short))
		} else {
			reasons = append(reasons, because("TRUNCATED", partial, "Only the last %s of its trades were read; what it did before is not in this answer.", since))
		}
	}
	if f.hedged > 0 {
		reasons = append(reasons, because("HEDGED", 22, "Bought both sides alike in %s, which are not decisions and left out of %s.", display.Count(f.hedged, "event"), display.Count(f.hedged+f.measures.N, "decided event")))
	}
	if f.unredeemed > 0 {
		weight := 3.0
		if 5*f.unredeemed >= 2*f.measures.N {
			weight = 29 // the venue's list of closed positions looks far better then
		}
		reasons = append(reasons, because("UNREDEEMED", weight, "Losing shares of %s were never redeemed; they count as lost among %s.", display.Count(f.unredeemed, "event"), display.Count(f.measures.N, "decided event")))
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
