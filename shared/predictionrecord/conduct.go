package predictionrecord

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/trader"
)

const (
	// selfTradeShare of the volume in trades with itself is enough to suspect wash trading.
	selfTradeShare = 0.05
	// roundTripShare and roundTrips are what it takes in round trips: buying and selling as many shares at the same price.
	roundTripShare = 0.30
	roundTrips     = 5
	// roundTripTime is how soon a round trip is over, roundTripMargin how far quantity and price may differ.
	roundTripTime   = time.Hour
	roundTripMargin = 0.01
)

// inspectWash looks for trading made for show, as far as a wallet's own trades tell: both sides of one transaction, and outcomes
// taken up and given back at the same price within the hour. Who was on the other side is not known; groups of wallets that trade
// among themselves are found only through that.
func inspectWash(trades []market.PredictionTrade, stakes map[market.Hash]*stake) trader.Wash {
	volume := 0.0
	for i := range trades {
		volume += paid(&trades[i])
	}
	var wash trader.Wash
	if volume == 0 {
		return wash
	}
	self := selfTraded(trades, stakes) / volume
	turned, count := roundTripped(trades)
	trips := turned / volume
	if self >= selfTradeShare {
		wash.Signals = append(wash.Signals, washSignal("WASH_SELF", self, true,
			fmt.Sprintf("%s of its volume was traded with itself, where %s is enough to suspect wash trading.", display.PercentText(self), display.PercentText(selfTradeShare))))
	}
	if count >= roundTrips && trips >= roundTripShare {
		wash.Signals = append(wash.Signals, washSignal("WASH_ROUNDTRIP", trips, true,
			fmt.Sprintf("%s of its volume is buying and selling the same shares back within an hour at the same price (%s).", display.PercentText(trips), display.Count(count, "round trip"))))
	}
	wash.Suspected = len(wash.Signals) > 0
	wash.VolumeShare = min(1, max(self, trips))
	return wash
}

func washSignal(code string, share float64, hard bool, text string) trader.Signal {
	return trader.Signal{Code: code, Share: share, Hard: hard, Reason: reason.Reason{Code: code, Text: text}}
}

// selfTraded is the value of trades with itself: within one transaction both a purchase and a sale of an outcome, or purchases (or
// sales) of both outcomes of a market, which the venue matches by making (or taking back) pairs.
func selfTraded(trades []market.PredictionTrade, stakes map[market.Hash]*stake) float64 {
	type sides struct{ bought, sold float64 }
	total := 0.0
	for start := 0; start < len(trades); {
		end := start + 1
		for end < len(trades) && trades[end].Time.Equal(trades[start].Time) {
			end++
		}
		if group := trades[start:end]; len(group) > 1 {
			// Shares by transaction and outcome, in the order met.
			type key struct {
				transaction market.Hash
				asset       string
			}
			dealt := make(map[key]sides, len(group))
			var keys []key
			for i := range group {
				t := &group[i]
				if t.Transaction == (market.Hash{}) {
					continue
				}
				k := key{t.Transaction, t.Asset}
				d, seen := dealt[k]
				if !seen {
					keys = append(keys, k)
				}
				if t.Buy {
					d.bought += t.Shares
				} else {
					d.sold += t.Shares
				}
				dealt[k] = d
			}
			price := make(map[string]float64, len(group))
			opposite := make(map[string]string, len(group))
			for i := range group {
				t := &group[i]
				price[t.Asset] = t.Price
				if s := stakes[t.Market]; s != nil {
					opposite[t.Asset] = s.opposite(t.Asset)
				}
			}
			for _, k := range keys {
				d := dealt[k]
				total += 2 * min(d.bought, d.sold) * price[k.asset]
				if other, both := dealt[key{k.transaction, opposite[k.asset]}]; both && opposite[k.asset] != "" {
					total += (min(d.bought, other.bought) + min(d.sold, other.sold)) * price[k.asset]
				}
			}
		}
		start = end
	}
	return total
}

// roundTripped adds up the value of round trips and counts them. Those of two resting orders are left out: who quotes both sides earns the
// spread and takes the risk. One that rests and one that crosses is how two accounts pass the same shares to and fro.
func roundTripped(trades []market.PredictionTrade) (value float64, count int) {
	pending := make(map[string]*market.PredictionTrade)
	for i := range trades {
		t := &trades[i]
		if !(t.Shares > 0) {
			continue
		}
		before := pending[t.Asset]
		if before != nil && before.Buy != t.Buy && (before.Role != market.Maker || t.Role != market.Maker) &&
			t.Time.Sub(before.Time) <= roundTripTime && alike(before.Shares, t.Shares) && alike(before.Price, t.Price) {
			value += paid(before) + paid(t)
			count++
			delete(pending, t.Asset)
			continue
		}
		pending[t.Asset] = t
	}
	return value, count
}

func alike(a, b float64) bool {
	const rounding = 1e-9
	return math.Abs(a-b) <= (roundTripMargin+rounding)*a
}

// makerShare is the part of the value traded in resting orders, among trades whose side is known; NaN when that is less than half.
func makerShare(trades []market.PredictionTrade) float64 {
	var maker, known, all float64
	for i := range trades {
		usd := paid(&trades[i])
		all += usd
		if trades[i].Role == market.UnknownRole {
			continue
		}
		known += usd
		if trades[i].Role == market.Maker {
			maker += usd
		}
	}
	if !(known > 0) || 2*known < all {
		return math.NaN()
	}
	return maker / known
}

// bought is how a wallet's purchases spread over prices.
type bought struct {
	// Shares of what was paid at 0.80 or more, and at 0.50 or less; NaN without purchases.
	favourites, value float64
	// price is the mean price of what was paid.
	price float64
}

func pricesPaid(trades []market.PredictionTrade) bought {
	var all, high, low, weighted float64
	for i := range trades {
		t := &trades[i]
		if !t.Buy {
			continue
		}
		usd := paid(t)
		all += usd
		weighted += usd * t.Price
		if t.Price >= 0.80 {
			high += usd
		}
		if t.Price <= 0.50 {
			low += usd
		}
	}
	return bought{favourites: high / all, value: low / all, price: weighted / all}
}

// pace is how often a wallet enters.
type pace struct {
	// perWeek is entries by week with an entry; lastEntry the last purchase of all.
	perWeek   float64
	entries   int
	bursts    bool
	lastEntry time.Time
}

const (
	week = 7 * day
	// burstShare of at least burstOrders purchases in one second with another is no person's pace.
	burstShare  = 0.10
	burstOrders = 30
)

// paceOf counts entries since an instant: purchases, those of one transaction or of one outcome within a minute as one. Bursts are of
// purchases in different transactions, of one outcome too.
func paceOf(trades []market.PredictionTrade, since time.Time) pace {
	var p pace
	weeks, current := 0, int64(math.MinInt64)
	last := make(map[string]time.Time)
	var order, entry *market.PredictionTrade
	orders, together := 0, 0
	for i := range trades {
		t := &trades[i]
		if !t.Buy {
			continue
		}
		p.lastEntry = t.Time
		if t.Time.Before(since) {
			continue
		}
		if order == nil || !sameTransaction(order, t) {
			orders++
			if order != nil && order.Time.Equal(t.Time) {
				together++
			}
			order = t
		}
		previous, seen := last[t.Asset]
		last[t.Asset] = t.Time
		if seen && t.Time.Sub(previous) <= time.Minute || entry != nil && sameTransaction(entry, t) {
			continue
		}
		entry = t
		p.entries++
		// Weeks begin on Mondays in UTC; the epoch was a Thursday.
		if w := t.Time.Add(3*day).Unix() / int64(week/time.Second); w != current {
			weeks, current = weeks+1, w
		}
	}
	if weeks > 0 {
		p.perWeek = float64(p.entries) / float64(weeks)
	}
	p.bursts = orders >= burstOrders && float64(together) >= burstShare*float64(orders)
	return p
}

// sameTransaction tells whether two trades are known to be of one transaction.
func sameTransaction(a, b *market.PredictionTrade) bool {
	return a.Transaction == b.Transaction && a.Transaction != (market.Hash{})
}

// profitableMonths is how large a part of the calendar months (UTC) with a result ended in profit; NaN without any.
func profitableMonths(results []trader.Result) float64 {
	profit := make(map[int]float64)
	ordered := slices.Clone(results)
	slices.SortStableFunc(ordered, func(a, b trader.Result) int { return a.ClosedAt.Compare(b.ClosedAt) })
	for i := range ordered {
		year, month, _ := ordered[i].ClosedAt.UTC().Date()
		profit[12*year+int(month)] += ordered[i].PnLUSD
	}
	positive := 0
	for _, pnl := range profit {
		if pnl > 0 {
			positive++
		}
	}
	return float64(positive) / float64(len(profit))
}
