package perpvenue

import "math"

// AccountTruth is what was planted in an account and what became of it, over all its history and perpetual contracts alone.
type AccountTruth struct {
	Address string
	Kind    string
	// Skilled is true when the account sees something of the path to come.
	Skilled bool
	// Coverage is what can be said of the account: no-venue-history (no fills, no ledger), account-too-new (first activity less than
	// 7 days ago), open-positions-only (no closing order), below-min-closed-trades (fewer than 5 closing orders or 3 closed episodes)
	// or ok; the first of these that applies.
	Coverage string
	// ClosingOrders are orders that closed something, without those that came out at exactly nothing. One is won when the profit
	// realised less its fees is above zero.
	ClosingOrders, ClosingOrderWins int
	// Episodes are positions from flat to flat, or to a flip, that are over. One is won when profit less fees and funding is above zero.
	Episodes, EpisodeWins int
	// WinRate is the share of closing orders won, NaN unless Coverage is ok.
	WinRate float64
	// NetPnL is what was realised less fees and funding, FundingPaid the funding, negative for what was received; both in USD.
	NetPnL, FundingPaid float64
	// Liquidations counts the orders that the account was liquidated by.
	Liquidations int
	// Bias is where the open positions lean: long-only, long-heavy, balanced, short-heavy, short-only or flat.
	Bias string
	// Truncated is true when the account has more fills than the venue gives out.
	Truncated bool
}

// Truth is what became of everybody up to the present.
func (v *Venue) Truth() []AccountTruth {
	v.lock.RLock()
	defer v.lock.RUnlock()
	var all []AccountTruth
	addresses := []string{}
	for _, a := range v.accounts {
		if a.joined <= v.now {
			addresses = append(addresses, a.address)
		}
	}
	for _, address := range append(addresses, v.backstop.address) {
		v.with(address, func(a *account) { all = append(all, a.truth()) })
	}
	return append(all, AccountTruth{Address: v.stranger, Kind: kindStranger, Coverage: "no-venue-history", WinRate: math.NaN(), Bias: "flat"})
}

const (
	newDays              = 7
	minimumClosingOrders = 5
	minimumEpisodes      = 3
)

func (a *account) truth() AccountTruth {
	t := AccountTruth{Address: a.address, Kind: a.plan.kind, Skilled: a.plan.skilled, WinRate: math.NaN(),
		Truncated: len(a.fills) > reachableFills}
	var realised int64
	orders, closing := map[int64]int64{}, map[int64]bool{}
	liquidated := map[int64]bool{}
	for i := range a.fills {
		f := &a.fills[i]
		if a.venue.coins[f.coin].spot {
			continue
		}
		orders[f.order] += f.profit - f.fee
		realised += f.profit - f.fee
		closing[f.order] = closing[f.order] || f.closed() > 0
		if f.liquidation > 0 && a.liquidations[f.liquidation-1].user == a.address {
			liquidated[f.order] = true
		}
	}
	for order, net := range orders {
		if closing[order] && net != 0 {
			t.ClosingOrders++
			if net > 0 {
				t.ClosingOrderWins++
			}
		}
	}
	var paid int64
	for _, p := range a.payments {
		paid -= p.usd
	}
	t.Liquidations = len(liquidated)
	t.FundingPaid, t.NetPnL = float64(paid)/million, float64(realised-paid)/million
	t.Episodes, t.EpisodeWins = a.episodes()
	t.Bias, t.Coverage = a.bias(), a.coverage(t)
	if t.Coverage == "ok" {
		t.WinRate = float64(t.ClosingOrderWins) / float64(t.ClosingOrders)
	}
	return t
}

// closed is how much of the position a fill closed.
func (f *fill) closed() int64 {
	if f.before == 0 || (f.before > 0) == (f.size > 0) {
		return 0
	}
	return min(absolute(f.before), absolute(f.size))
}

// episodes counts the positions that are over and how many of them came out ahead.
func (a *account) episodes() (over, won int) {
	net := make([]int64, len(a.positions))
	next := 0
	pay := func(until int64) {
		for ; next < len(a.payments) && a.payments[next].time <= until; next++ {
			net[a.payments[next].coin] += a.payments[next].usd
		}
	}
	for i := range a.fills {
		f := &a.fills[i]
		if a.venue.coins[f.coin].spot {
			continue
		}
		pay(f.time)
		closed, after := f.closed(), f.before+f.size
		fee := f.fee
		flipped := closed > 0 && after != 0 && (after > 0) != (f.before > 0)
		if flipped {
			fee = proportion(f.fee, closed, absolute(f.size))
		}
		net[f.coin] += f.profit - fee
		if closed > 0 && (after == 0 || flipped) {
			over++
			if net[f.coin] > 0 {
				won++
			}
			net[f.coin] = fee - f.fee
		}
	}
	return over, won
}

func (a *account) bias() string {
	var long, short float64
	for coin := range a.positions {
		p, c := &a.positions[coin], &a.venue.coins[coin]
		value := float64(c.value(absolute(p.size), a.venue.mark(coin, a.venue.now)))
		switch {
		case c.spot || p.size == 0:
		case p.size > 0:
			long += value
		default:
			short += value
		}
	}
	if long+short == 0 {
		return "flat"
	}
	switch lean := (long - short) / (long + short); {
	case lean >= 0.95:
		return "long-only"
	case lean >= 0.3:
		return "long-heavy"
	case lean > -0.3:
		return "balanced"
	case lean > -0.95:
		return "short-heavy"
	}
	return "short-only"
}

func (a *account) coverage(t AccountTruth) string {
	first := int64(math.MaxInt64)
	if len(a.fills) > 0 {
		first = a.fills[0].time
	}
	if len(a.ledger) > 0 {
		first = min(first, a.ledger[0].time)
	}
	switch {
	case first > a.venue.now:
		return "no-venue-history"
	case a.venue.now-first < newDays*dayMillis:
		return "account-too-new"
	case t.ClosingOrders == 0:
		return "open-positions-only"
	case t.ClosingOrders < minimumClosingOrders || t.Episodes < minimumEpisodes:
		return "below-min-closed-trades"
	}
	return "ok"
}
