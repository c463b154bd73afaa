package predictionrecord

import (
	"bytes"
	"math"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/trader"
)

// coveredShare of what the venue says was bought has to be in the history for the history to be believed.
const coveredShare = 0.98

// covered tells whether the venue's own accounts know more of a market than the history does, because older trades were not read or
// shares came in an unknown way.
func (b *book) covered(s *stake) bool {
	rows := b.rows[s.id]
	if len(rows) == 0 {
		return false
	}
	if s.oversold() && !b.events[s.event].converted {
		return true
	}
	if !b.record.Activity.Truncated {
		return false
	}
	seen, told := 0.0, 0.0
	for i := range s.legs {
		seen += s.legs[i].bought + s.split
	}
	for _, row := range rows {
		if row.BoughtShares > 0 {
			told += row.BoughtShares
		}
	}
	return seen < coveredShare*told
}

// settleByVenue adds a market by the venue's accounts. What was bought counts at its average price, which says nothing of when, so
// that the event's first entry is not known.
func (b *book) settleByVenue(rows []*market.PredictionPosition, s *stake) {
	b.events[s.event].blind = true
	var cost, pnl, openCost, openWorth float64
	closed := time.Time{}
	over, told := true, false
	for _, row := range rows {
		bought := row.BoughtShares * row.AveragePrice
		payout, at := b.payout(s, row.Asset)
		if row.Shares <= 0 {
			payout, at = 0, row.ClosedAt
			if at.IsZero() {
				_, at = b.payout(s, row.Asset)
			}
		}
		switch {
		case !(bought > 0) || at.After(b.asOf):
		case row.Shares > 0 && math.IsNaN(payout):
			over = false
			openCost += row.Shares * row.AveragePrice
			openWorth += row.Shares * row.Price
		default:
			told = true
			cost += bought
			pnl += row.RealizedUSD
			if row.Shares > 0 {
				pnl += row.Shares * (payout - row.AveragePrice)
			}
			closed = later(closed, at)
		}
	}
	switch {
	case !over:
		if openCost > 0 && !math.IsNaN(openWorth) {
			b.open = append(b.open, trader.OpenResult{RecoverableUSD: openWorth, CostUSD: openCost})
		}
	case told && !math.IsNaN(pnl) && !closed.IsZero():
		b.fromVenue++
		b.events[s.event].add(cost, pnl, closed, closed)
		b.matchedUSD, b.proceedsUSD = b.matchedUSD+cost+pnl, b.proceedsUSD+cost+pnl
	case told:
		b.unknown++
	}
}

// addUnseen adds markets that only the venue's accounts still know, in order of their hashes.
func (b *book) addUnseen() {
	var unseen []market.Hash
	for id := range b.rows {
		if b.byStake[id] == nil {
			unseen = append(unseen, id)
		}
	}
	slices.SortFunc(unseen, func(x, y market.Hash) int { return bytes.Compare(x[:], y[:]) })
	for _, id := range unseen {
		rows := b.rows[id]
		b.settleByVenue(rows, b.stake(id, rows[0].Event))
	}
}
