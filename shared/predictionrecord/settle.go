package predictionrecord

import (
	"math"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/stats"
	"github.com/mirrorworthy/mirrorworthy/shared/trader"
)

const (
	// hedgedShare of an event's cost in pairs makes its result no decision about the outcome.
	hedgedShare = 0.9
	// dustUSD is the cost below which an event says nothing.
	dustUSD = 1.0
)

// settle adds a market to its event: to the result when it is over or everything is sold, to what is open otherwise.
func (b *book) settle(s *stake) {
	e := &b.events[s.event]
	if s.facts.Category != "" {
		e.category = s.facts.Category
	}
	e.bought += s.cost()
	if b.covered(s) {
		b.settleByVenue(b.rows[s.id], s)
		return
	}
	if s.opened.IsZero() {
		return // shares that came as a gift or by a conversion, and were only redeemed
	}
	decidedAt := time.Time{}
	value := s.worth(func(asset string) float64 {
		payout, at := b.payout(s, asset)
		if at.After(decidedAt) {
			decidedAt = at
		}
		return payout
	})
	flat := s.flat()
	switch {
	case s.oversold() && !e.converted, s.redeemedUSD > redeemedExcess*value+1 && !e.converted:
		b.unmatched(s)
	case !math.IsNaN(value):
		closedAt := s.last
		if !flat {
			closedAt = later(s.last, decidedAt)
			e.unredeemed = e.unredeemed || (value == 0 && math.IsNaN(s.redeemedUSD))
		}
		b.close(e, s, value, closedAt)
	case s.redeemedUSD >= 0:
		b.close(e, s, s.redeemedUSD, later(s.last, s.redeemedAt))
	case flat:
		b.close(e, s, s.pairs(), s.last)
	default:
		b.hold(s)
	}
}

func (b *book) close(e *event, s *stake, value float64, at time.Time) {
	e.add(s.cost(), s.cash()+value, s.opened, at)
	e.paired += s.paired()
	proceeds := s.cash() + value + s.cost()
	b.matchedUSD, b.proceedsUSD = b.matchedUSD+proceeds, b.proceedsUSD+proceeds
}

func (e *event) add(cost, pnl float64, opened, closed time.Time) {
	e.cost, e.pnl, e.over = e.cost+cost, e.pnl+pnl, true
	if e.openedAt.IsZero() || opened.Before(e.openedAt) {
		e.openedAt = opened
	}
	e.closedAt = later(e.closedAt, closed)
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// unmatched leaves a market out whose shares came in an unknown way.
func (b *book) unmatched(s *stake) {
	b.events[s.event].blind = true
	b.unknown++
	b.proceedsUSD += s.mergedUSD
	for i := range s.legs {
		b.proceedsUSD += s.legs[i].soldUSD
	}
}

// hold marks what is left of a market that is still open at the middle of the market.
func (b *book) hold(s *stake) {
	if !s.known && len(b.rows[s.id]) == 0 {
		b.unknown++
		return
	}
	cost := 0.0
	for i := range s.legs {
		if s.legs[i].account.Shares > 0 {
			cost += s.legs[i].account.CostUSD
		}
	}
	if worth := s.worth(func(asset string) float64 { return b.price(s, asset) }); cost > 0 && !math.IsNaN(worth) {
		b.open = append(b.open, trader.OpenResult{RecoverableUSD: worth, CostUSD: cost})
	}
}

// toFollow lists the latest first entries whose outcome is known, at most so many.
func (b *book) toFollow() []entry {
	entries := b.decided()
	return entries[max(0, len(entries)-followed):]
}

// decided lists the first entries of events whose outcome is known, in order of time. Events in which both sides were bought
// alike are no decisions.
func (b *book) decided() []entry {
	var entries []entry
	for i := range b.events {
		e := &b.events[i]
		if e.first != nil && !math.IsNaN(e.first.payout) && !e.hedged() && e.first.price > 0 && e.first.price < 1 {
			entries = append(entries, *e.first)
		}
	}
	slices.SortStableFunc(entries, func(x, y entry) int { return x.at.Compare(y.at) })
	return entries
}

func (e *event) hedged() bool { return e.over && e.paired >= hedgedShare*e.cost && e.paired > 0 }

// counts tells whether the event is a result.
func (e *event) counts() bool { return e.over && e.cost >= dustUSD && !e.hedged() }

// results lists the events that are over, each as one decision.
func (b *book) results() (results []trader.Result, hedged int) {
	for i := range b.events {
		e := &b.events[i]
		switch {
		case e.hedged() && e.cost >= dustUSD:
			hedged++
		case e.counts():
			results = append(results, trader.Result{
				Return: e.pnl / e.cost, CostUSD: e.cost, PnLUSD: e.pnl, OpenedAt: e.openedAt, ClosedAt: e.closedAt,
				Holding: e.closedAt.Sub(e.openedAt), Cluster: stats.Seed([]byte(e.id)),
			})
		}
	}
	return results, hedged
}
