package predictionrecord

import (
	"math"
	"slices"

	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
)

// ratedReasons are what keeps the wallet from being mirrored, the rating's own, and what the entries say, each code once.
func (f *findings) ratedReasons(blockers []reason.Reason) []reason.Reason {
	reasons := slices.Clone(blockers)
	add := func(more ...reason.Reason) {
		for _, r := range more {
			if !slices.ContainsFunc(reasons, func(said reason.Reason) bool { return said.Code == r.Code }) {
				reasons = append(reasons, r)
			}
		}
	}
	for _, r := range f.rating.Reasons {
		if r, fits := f.ofEvents(r); fits {
			add(r)
		}
	}
	if f.edge.Events >= 2 {
		add(f.edgeReason(45))
	}
	add(f.chanceReason()...)
	if f.signals.Entries == favouriteEntries {
		add(f.favouritesReason())
	}
	if f.signals.Diversification == concentrated {
		add(because("CONCENTRATED", 20, "Effectively %.1f independent bets by size, where 4 are moderate and 10 broad.", f.effectiveEvents))
	}
	if f.categoryShare >= 0.8 {
		add(because("CATEGORY", 5, "%s of what it put in went into one kind of markets, where under 80%% would tell of others too.", display.PercentText(f.categoryShare)))
	}
	if len(blockers) == 0 {
		add(because("COPIED_EDGE", 30, "A follower a minute later is left with at least %s a share with 80%% confidence%s.", cents(f.copiedLow), f.priced()))
		add(f.depthUnknown()...)
	}
	add(f.coverageReasons()...)
	return reasons
}

// ofEvents makes a rating's reason say what it speaks of here: its results are whole events, as they were bought, sold and paid out, and
// luck is measured on first entries, by its own sentence. False for what is then said twice, or not true of decided events.
func (f *findings) ofEvents(r reason.Reason) (reason.Reason, bool) {
	m := f.measures
	switch r.Code {
	case "WIN_RATE_CI":
		if 2*f.unchanged >= m.N {
			return because("UNCHANGED", r.Weight, "%d of %s ended with neither gain nor loss, which is no record of being right.", f.unchanged, display.Count(m.N, "decided event")), true
		}
		return f.winsReason(r.Weight), true
	case "PF_NONE":
		return because(r.Code, r.Weight, "No losing event among %s, shares that were never redeemed counted as what they paid%s.", display.Count(m.N, "decided event"), f.sampled(m.N)), m.Wins > 0
	case "SKILL":
		return r, math.IsNaN(f.chance)
	case "LUCK":
		return because(r.Code, r.Weight, "Returns of its whole events, with a total loss added, come by chance in about %s of wallets with as many%s.",
			display.PercentText(1-m.PSRStarStrict), f.sampled(m.N)), true
	case "NEGATIVE_EDGE":
		return because(r.Code, r.Weight, "Its whole events returned %s of what they cost on average, where 0%% is break-even%s.", display.PercentText(m.Moments.Mean), f.sampled(m.N)), true
	}
	return r, true
}

// winsReason tells how often events ended in profit, and first entries came true against the chances that they were bought at.
func (f *findings) winsReason(weight float64) reason.Reason {
	m := f.measures
	wins, events := m.Wins, display.Count(m.N, "decided event")
	low, high := display.PercentText(m.WinLow), display.PercentText(m.WinHigh)
	if len(f.entries) == 0 {
		return because("WIN_RATE_CI", weight, "Won %d of %s; the true rate is likely %s to %s%s.", wins, events, low, high, f.sampled(m.N))
	}
	right := 0.0
	for i := range f.entries {
		right += f.entries[i].payout
	}
	return because("WIN_RATE_CI", weight, "Won %d of %s; the true rate is likely %s to %s. First entries came true in %s of %s, where their prices imply about %s.",
		wins, events, low, high, display.PercentText(right/float64(len(f.entries))), display.Count(len(f.entries), "event"), display.PercentText(f.meanPrice))
}

func (f *findings) edgeReason(weight float64) reason.Reason {
	word, size := "less", f.edge.Mean
	low, high := f.edge.Low, f.edge.High
	if size < 0 {
		word, size, low, high = "more", -size, -high, -low
	}
	return because("EDGE_CENTS", weight, "Paid %s a share %s in first entries than outcomes were worth on average (90%% range %s to %s, %s).",
		cents(size), word, number(100*low), cents(high), display.Count(f.edge.Events, "event"))
}

func (f *findings) chanceReason() []reason.Reason {
	if math.IsNaN(f.chance) {
		return []reason.Reason{because("EDGE_UNMEASURED", 45, "The first entry of no decided event is known, so skill cannot be told from luck over %s.", display.Count(f.measures.N, "event"))}
	}
	beats := f.edge.Mean > 0 && f.chance <= evidenceNeeded
	weight := 35.0
	if !f.edgeShown() && f.rating.Score > unprovenScore {
		weight = 60 // it is what keeps the grade down
	}
	switch {
	case beats && f.tooDear():
		return []reason.Reason{because("DEAR_FAVOURITES", weight, "Its edge on favourites could be as low as %s a share, where more than %s is needed to outlast a fill one step worse%s.",
			cents(f.edge.Low), cents(usualTick), f.sampled(len(f.entries)))}
	case f.chance <= evidenceNeeded && !beats:
		return []reason.Reason{because("CHANCE", weight, "Fair luck does as well with the first entries' prices and sizes in %s of redraws, but only by size: the average edge is %s a share, where above 0 is needed%s.",
			oddsText(f.chance), cents(f.edge.Mean), f.sampled(len(f.entries)))}
	case beats && f.chance <= 0.05:
		return []reason.Reason{because("BEATS_CHANCE", weight, "Fair luck does as well with the first entries' prices and sizes in %s of redraws, where 5%% is the usual limit%s.",
			oddsText(f.chance), f.sampled(len(f.entries)))}
	}
	return []reason.Reason{because("CHANCE", weight, "Fair luck does as well with the first entries' prices and sizes in %s of redraws; %s show only an edge of about %s a share or more.",
		oddsText(f.chance), display.Count(len(f.entries), "event"), cents(f.detectable))}
}

// depthUnknown says that nothing is known of the books a follower would deal in.
func (f *findings) depthUnknown() []reason.Reason {
	switch {
	case f.booked > 0:
		return nil
	case f.openMarkets == 0:
		return []reason.Reason{because("DEPTH_UNKNOWN", 42, "It is in 0 open markets, so whether the books it trades in take a follower's order is unmeasured.")}
	}
	return []reason.Reason{because("DEPTH_UNKNOWN", 42, "The book of none of its %s could be read, so whether they take a follower's order is unmeasured.", display.Count(f.openMarkets, "open market"))}
}
