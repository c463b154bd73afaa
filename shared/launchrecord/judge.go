package launchrecord

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// Window is how much of a pool's life is looked at.
const Window = 7 * 24 * time.Hour

const (
	referenceTrade     = 20             // whose price is the reference, counted from one
	leastTradeUSD      = 1              // below it a price is rounding
	eligibleUSD        = 5_000          // of the quote asset, at the reference
	riseMultiple       = 5              // over the reference
	riseUSD            = 10_000         // of the quote asset, at a trade that counts toward a rise
	riseBuyers         = 10             // distinct, within the hour
	riseSellers        = 5              // distinct, within the hour
	leastHistory       = 24 * time.Hour // after the reference; most rises peak within hours
	leastLeft          = 0.5            // of what the pool held before a withdrawal
	maximumTeam        = 8              // accounts
	firstBuyers        = 50             // accounts
	earlyMultiple      = 2              // over the reference
	leastEarlyUSD      = 50             // bought in all
	leastSuppliedShare = 0.0001         // of the supply: anybody can send anybody dust
	largeShare         = 0.03           // of the supply
	largeAfter         = time.Minute    // after the first trade
	launchBlocks       = 2              // the block of the first deposit and the next
)

// Judge says what became of a launch, by its pool's history. QuoteUSD is the price of the quote asset at a time, NaN where it is unknown.
// The outcome is Pending until asOf is a Window after the launch, and does not depend on asOf from then on.
func Judge(history *market.PoolHistory, launch market.PoolLaunch, quoteUSD func(time.Time) float64, asOf time.Time) Outcome {
	end := launch.Time.Add(Window)
	switch {
	case asOf.Before(end):
		return Outcome{Status: Pending}
	case history.MintedAt.IsZero() || history.MintedAt.After(end):
		return Outcome{Status: NotNew}
	}
	cut := history.Until.Before(end)
	if cut {
		end = history.Until
	}
	l := read(history, launch, quoteUSD, end)
	switch {
	case l.swaps < referenceTrade && cut:
		return Outcome{Status: HistoryCut}
	case l.swaps < referenceTrade:
		return Outcome{Status: FewTrades}
	case len(l.trades) < referenceTrade && l.unpriced > 0:
		return Outcome{Status: Unmeasured}
	case len(l.trades) < referenceTrade:
		return Outcome{Status: FewTrades}
	}
	reference := l.trades[referenceTrade-1]
	switch {
	case cut && end.Before(reference.Time.Add(leastHistory)):
		return Outcome{Status: HistoryCut}
	case !(reference.reserveUSD >= 0) || !(l.initialUSD > 0):
		return Outcome{Status: Unmeasured}
	case reference.reserveUSD < eligibleUSD:
		return Outcome{Status: Thin}
	}
	o := Outcome{
		Status: Eligible, LiquidityUSD: l.initialUSD, ReferencePrice: reference.price, ReferenceAt: reference.Time, Team: l.team(),
	}
	o.Peak, o.PeakAt = l.peak()
	o.Rose = o.Peak >= riseMultiple
	o.Early, o.Excluded = l.early()
	return o
}

// trade is a swap that tells a price.
type trade struct {
	*market.PoolSwap
	price    float64 // quote units for a token
	valueUSD float64
	// reserveUSD is what the pool held of the quote asset afterwards, NaN when unknown.
	reserveUSD float64
	// emptied is true when a withdrawal left the pool less than half of what it had held, and nobody filled it since.
	emptied bool
}

// record is the window of a history.
type record struct {
	history *market.PoolHistory
	launch  market.PoolLaunch
	// all are the swaps of the window, changes its changes of liquidity; trades are those swaps that tell a price.
	all     []market.PoolSwap
	changes []market.LiquidityChange
	trades  []trade
	// swaps counts the swaps of the window, unpriced those among them whose value is unknown.
	swaps, unpriced int
	initialUSD      float64
}

// read goes once through the swaps and changes from the launch up to an end (exclusive), in chain order.
func read(history *market.PoolHistory, launch market.PoolLaunch, quoteUSD func(time.Time) float64, end time.Time) *record {
	l := &record{
		history: history, launch: launch,
		all:        before(history.Swaps, end, func(s *market.PoolSwap) time.Time { return s.Time }),
		changes:    before(history.Changes, end, func(c *market.LiquidityChange) time.Time { return c.Time }),
		initialUSD: math.NaN(),
	}
	l.swaps = len(l.all)
	l.trades = make([]trade, 0, len(l.all))
	reserve, level := math.NaN(), 0.0 // level is what was held before the withdrawals so far
	next := 0
	for i := range l.all {
		s := &l.all[i]
		for ; next < len(l.changes) && earlier(&l.changes[next], s); next++ {
			after := reserveAfter(&l.changes[next], reserve)
			if l.changes[next].Quote < 0 || after < reserve {
				level = max(level, orZero(reserve))
			}
			reserve = after
		}
		price := quoteUSD(s.Time)
		if !(price > 0) || math.IsInf(price, 0) {
			price = math.NaN()
		}
		if i == 0 {
			l.initialUSD = initialReserve(s, reserve) * price
		}
		reserve = s.QuoteReserve
		value := s.Quote * price
		switch {
		case math.IsNaN(value):
			l.unpriced++
		case value >= leastTradeUSD && s.Tokens > 0:
			l.trades = append(l.trades, trade{
				PoolSwap: s, price: s.Quote / s.Tokens, valueUSD: value, reserveUSD: s.QuoteReserve * price, emptied: !(s.QuoteReserve >= leastLeft*level),
			})
		}
	}
	return l
}

// before is the part of a list in time order that lies before an end.
func before[T any](list []T, end time.Time, at func(*T) time.Time) []T {
	n, _ := slices.BinarySearchFunc(list, end, func(item T, end time.Time) int { return at(&item).Compare(end) })
	return list[:n]
}

func earlier(change *market.LiquidityChange, swap *market.PoolSwap) bool {
	return cmp.Or(cmp.Compare(change.Block, swap.Block), cmp.Compare(change.LogIndex, swap.LogIndex)) < 0
}

// reserveAfter is what the pool held after a change, as far as it is known.
func reserveAfter(change *market.LiquidityChange, before float64) float64 {
	if !math.IsNaN(change.QuoteReserve) {
		return change.QuoteReserve
	}
	return before + change.Quote
}

// initialReserve is what the pool held before its first swap: what the swap left less what it brought, or else what the deposits left.
func initialReserve(first *market.PoolSwap, deposited float64) float64 {
	initial := first.QuoteReserve + first.Quote
	if first.Buy {
		initial = first.QuoteReserve - first.Quote
	}
	if initial > 0 {
		return initial
	}
	return deposited
}

func orZero(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return x
}

// peak is the largest volume-weighted price of an hour after the reference over the reference, and when that hour began; zero when no
// hour had enough money in the pool, buyers and sellers.
func (l *record) peak() (multiple float64, at time.Time) {
	reference := l.trades[referenceTrade-1].price
	after := l.trades[referenceTrade:]
	for len(after) > 0 {
		hour := after[0].Time.Truncate(time.Hour)
		n := 1
		for n < len(after) && after[n].Time.Before(hour.Add(time.Hour)) {
			n++
		}
		if price := hourlyPrice(after[:n]); price/reference > multiple {
			multiple, at = price/reference, hour
		}
		after = after[n:]
	}
	if math.IsInf(multiple, 0) {
		return 0, time.Time{}
	}
	return multiple, at
}

// hourlyPrice is the volume-weighted price of an hour's trades; zero when too few people traded, or too little was in the pool.
func hourlyPrice(trades []trade) float64 {
	var tokens, quote float64
	buyers, sellers := make(map[chain.Address]bool), make(map[chain.Address]bool)
	for _, t := range trades {
		if !(t.reserveUSD >= riseUSD) || t.emptied {
			continue
		}
		tokens += t.Tokens
		quote += t.Quote
		switch {
		case t.Trader.IsZero():
		case t.Buy:
			buyers[t.Trader] = true
		default:
			sellers[t.Trader] = true
		}
	}
	if len(buyers) < riseBuyers || len(sellers) < riseSellers {
		return 0
	}
	return quote / tokens
}

// team lists who had a part in the launch.
func (l *record) team() []chain.Address {
	var team []chain.Address
	add := func(account chain.Address) {
		if !account.IsZero() && len(team) < maximumTeam && !slices.Contains(team, account) {
			team = append(team, account)
		}
	}
	add(l.history.MintedTo)
	for i := range l.changes {
		if provides(&l.changes[i]) {
			add(l.changes[i].Provider)
		}
	}
	return team
}

// provides tells deposits; what was put in may be unknown.
func provides(change *market.LiquidityChange) bool {
	return !(change.Quote < 0) && !(change.Tokens < 0)
}
