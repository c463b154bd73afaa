package trader

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/position"
	"github.com/mirrorworthy/mirrorworthy/shared/stats"
)

// The shares of volume (of profit for thin tokens) from which a sign of wash trading counts, and from which it suffices alone.
const (
	selfSoft, selfHard           = 0.0001, 0.05
	ringSoft, ringHard           = 0.05, 0.50
	roundTripSoft, roundTripHard = 0.30, 0.30
	clusterSoft, clusterHard     = 0.10, 0.50
	thinSoft, thinHard           = 0.10, 0.50
	// A wallet that trades hardly anything but thin tokens makes their volume.
	thinVolumeHard = 0.80
	thinMinimum    = 20 // trades
	thinSales      = 5
	// softSignals together, over softVolume of the volume, are as good as a hard one.
	softSignals = 3
	softVolume  = 0.30
	// ringAccounts is how many partners an account of a ring has at most; a market maker has more.
	ringAccounts = 10
	// ringRisk is the change of price between buying and selling that a ring may see while it trades.
	ringRisk = 0.02
	// roundTripMinimum counts round trips; roundTripTrades is the longest one looked for.
	roundTripMinimum = 5
	roundTripTrades  = 50
	// roundTripPurity is the least part of all round trips that cost just the fees: who scalps wins some and loses some.
	roundTripPurity = 0.75
	roundTripWindow = time.Hour
	roundTripBrief  = 10 * time.Minute
	roundTripMargin = 0.01
	// roundTripCost is the highest loss that fees and taxes of a round trip explain.
	roundTripCost = 0.06
	// churnTurnover is in capitals a day, churnResult the profit or loss per volume below which it led to nothing.
	churnTurnover, churnResult = 50.0, 0.005
	// crowd is the number of account counterparties from which a two-sided trader is a market maker.
	crowd = 20
	// sizesMinimum is the sample for the distribution of sizes, sizesMisfit its chi-square per observation.
	sizesMinimum, sizesMisfit = 500, 0.05
)

// wash gathers the signs of wash trading. supplied are tokens received before their launch.
func (v *view) wash(supplied []chain.Address) Wash {
	var w Wash
	touched := make([]bool, len(v.trades))
	if v.volume > 0 {
		w.Signals = append(w.Signals, v.selfTrades(touched)...)
		w.Signals = append(w.Signals, v.rings(touched)...)
		w.Signals = append(w.Signals, v.roundTrips(touched)...)
		w.Signals = append(w.Signals, v.churn(touched)...)
		w.Signals = append(w.Signals, v.sameFunder(touched)...)
		w.Signals = append(w.Signals, v.sizes()...)
	}
	thin, signals := v.thinTokens(supplied, touched)
	w.Thin, w.Signals = thin, append(w.Signals, signals...)
	slices.SortStableFunc(w.Signals, func(a, b Signal) int {
		switch {
		case a.Hard && !b.Hard:
			return -1
		case b.Hard && !a.Hard:
			return 1
		}
		return cmp.Compare(b.Share, a.Share)
	})
	if v.volume > 0 {
		w.VolumeShare = v.valueOf(touched) / v.volume
	}
	hard := len(w.Signals) > 0 && w.Signals[0].Hard
	w.Suspected = hard || (len(w.Signals) >= softSignals && w.VolumeShare >= softVolume)
	return w
}

func (v *view) valueOf(chosen []bool) float64 {
	value := 0.0
	for i, in := range chosen {
		if in && v.trades[i].Priced {
			value += v.trades[i].ValueUSD
		}
	}
	return value
}

// signal makes the sign of the trades chosen, if they are enough to matter, and marks them as touched.
func (v *view) signal(code string, chosen, touched []bool, soft, hard float64, p parameters) []Signal {
	share := v.valueOf(chosen) / v.volume
	if share < soft {
		return nil
	}
	for i, in := range chosen {
		touched[i] = touched[i] || in
	}
	p.x = share
	return []Signal{{Code: code, Share: share, Hard: share >= hard, Reason: fact{code, disqualifying, p}.reason()}}
}

// selfTrades are with the wallet itself, an account it funded, or the one that funded it.
func (v *view) selfTrades(touched []bool) []Signal {
	chosen := make([]bool, len(v.trades))
	for i := range v.trades {
		other := v.trades[i].Counterparty
		chosen[i] = !other.IsZero() && (other == v.wallet ||
			(v.withPerson[i] && (v.s.Funder[other] == v.wallet || v.s.Funder[v.wallet] == other)))
	}
	return v.signal(codeWashSelf, chosen, touched, selfSoft, selfHard, parameters{})
}

// rings are closed clusters of accounts around the wallet, after Victor & Weintraud (2021). Trades with market makers are left
// out: whatever their clients do, much of it cancels out.
func (v *view) rings(touched []bool) []Signal {
	var own []int // the trade behind each of the wallet's own exchanges, which come first
	exchanges := make([]Exchange, 0, len(v.s.Exchanges))
	value := 0.0
	for i := range v.trades {
		t := &v.trades[i]
		if t.Counterparty == v.wallet || !v.withPerson[i] {
			continue
		}
		e := Exchange{Token: t.Token, Seller: v.wallet, Buyer: t.Counterparty, Quantity: t.Quantity, Time: t.Time}
		if t.Side == position.Buy {
			e.Seller, e.Buyer = e.Buyer, e.Seller
		}
		exchanges, own = append(exchanges, e), append(own, i)
		value += t.ValueUSD
	}
	if value < ringSoft*v.volume {
		return nil
	}
	for _, e := range v.s.Exchanges {
		late := !v.book.AsOf.IsZero() && e.Time.After(v.book.AsOf)
		if e.Seller != v.wallet && e.Buyer != v.wallet && !late {
			exchanges = append(exchanges, e)
		}
	}
	makers := marketMakers(exchanges)
	if makers[v.wallet] {
		return nil
	}
	kept, keptOwn := exchanges[:0], own[:0]
	for i, e := range exchanges {
		if makers[e.Seller] || makers[e.Buyer] {
			continue
		}
		kept = append(kept, e)
		if i < len(own) {
			keptOwn = append(keptOwn, own[i])
		}
	}
	own = keptOwn
	chosen := make([]bool, len(v.trades))
	partners := make(map[chain.Address]struct{})
	accounts := 0
	for _, cluster := range ClosedClusters(kept, WalletMatching()) {
		var circled []int
		var bought, sold float64
		for _, i := range cluster.Exchanges {
			if i >= len(own) {
				continue
			}
			circled = append(circled, own[i])
			if t := &v.trades[own[i]]; t.Side == position.Buy {
				bought += t.ValueUSD
			} else {
				sold += t.ValueUSD
			}
		}
		// Whoever bore a price change between buying and selling took a risk, as no ring does.
		if len(circled) == 0 || math.Abs(bought-sold) > ringRisk*max(bought, sold) {
			continue
		}
		accounts = max(accounts, len(cluster.Members))
		for _, i := range circled {
			chosen[i] = true
			partners[v.trades[i].Counterparty] = struct{}{}
		}
	}
	return v.signal(codeWashRing, chosen, touched, ringSoft, ringHard, parameters{k: max(accounts, len(partners)+1)})
}

// marketMakers are accounts that trade with effectively more partners than a ring has members. Partners are weighed by their
// number of trades, so that a few trades with many others make nobody a market maker.
func marketMakers(exchanges []Exchange) map[chain.Address]bool {
	number := make(map[chain.Address]uint64)
	var accounts []chain.Address
	numberOf := func(account chain.Address) uint64 {
		n, known := number[account]
		if !known {
			n = uint64(len(accounts))
			number[account] = n
			accounts = append(accounts, account)
		}
		return n
	}
	met := make(map[uint64]int) // by the numbers of both accounts, the lower one in the upper half
	for i := range exchanges {
		a, b := numberOf(exchanges[i].Seller), numberOf(exchanges[i].Buyer)
		met[min(a, b)<<32|max(a, b)]++
	}
	all, squares := make([]int, len(accounts)), make([]int, len(accounts))
	for pair, count := range met {
		a, b := pair>>32, pair&math.MaxUint32
		all[a], squares[a] = all[a]+count, squares[a]+count*count
		if a != b {
			all[b], squares[b] = all[b]+count, squares[b]+count*count
		}
	}
	makers := make(map[chain.Address]bool)
	for n, account := range accounts {
		if all[n]*all[n] > ringAccounts*squares[n] {
			makers[account] = true
		}
	}
	return makers
}

// roundTrips are purchases sold back within the hour at the cost of fees. What earned or lost more than that, or differs from
// the wallet's usual cost, was a trade that went well or badly; within a few minutes only a large difference is. What happened
// within a block is arbitrage.
func (v *view) roundTrips(touched []bool) []Signal {
	type trip struct {
		trades []int
		loss   float64
		took   time.Duration
	}
	var trips []trip
	var losses []float64
	for _, indices := range v.byToken {
		for start := 0; start < len(indices); {
			length := v.roundTrip(indices[start:])
			if length == 0 {
				start++
				continue
			}
			var bought, sold float64
			for _, i := range indices[start : start+length] {
				if t := &v.trades[i]; t.Side == position.Buy {
					bought += t.ValueUSD
				} else {
					sold += t.ValueUSD
				}
			}
			if bought > 0 {
				took := v.trades[indices[start+length-1]].Time.Sub(v.trades[indices[start]].Time)
				trips = append(trips, trip{indices[start : start+length], (bought - sold) / bought, took})
				losses = append(losses, (bought-sold)/bought)
			}
			start += length
		}
	}
	if len(trips) < roundTripMinimum {
		return nil
	}
	usual := stats.Median(losses)
	if usual < -0.001 || usual > roundTripCost {
		return nil
	}
	chosen := make([]bool, len(v.trades))
	count := 0
	for _, t := range trips {
		tolerance := max(0.003, 0.5*usual)
		if t.took < roundTripBrief {
			tolerance = max(0.01, usual)
		}
		if math.Abs(t.loss-usual) > tolerance {
			continue
		}
		count++
		for _, i := range t.trades {
			chosen[i] = true
		}
	}
	if count < roundTripMinimum || float64(count) < roundTripPurity*float64(len(trips)) {
		return nil
	}
	return v.signal(codeWashRoundTrip, chosen, touched, roundTripSoft, roundTripHard, parameters{k: count})
}

// roundTrip is how many trades of one token from the first on leave the wallet as it was; 0 for none.
func (v *view) roundTrip(indices []int) int {
	var net, gross float64
	begin := v.trades[indices[0]].Time
	for at, i := range indices[:min(len(indices), roundTripTrades)] {
		t := &v.trades[i]
		if t.SameBlock || !t.Priced || t.Time.Sub(begin) > roundTripWindow {
			return 0
		}
		gross += t.Quantity
		if t.Side == position.Buy {
			net += t.Quantity
		} else {
			net -= t.Quantity
		}
		if at > 0 && math.Abs(net) <= roundTripMargin*gross {
			return at + 1
		}
	}
	return 0
}

// churn is turning the money over many times a day for nothing. Market makers and arbitrage are not churn.
func (v *view) churn(touched []bool) []Signal {
	if 2*v.sameBlock >= len(v.trades) {
		return nil
	}
	var cash, lowest, largest, profit float64
	days, today := 0, int64(math.MinInt64)
	people := make(map[chain.Address]struct{})
	chosen := make([]bool, len(v.trades))
	for i := range v.trades {
		t := &v.trades[i]
		if date := t.Time.Unix() / int64(day/time.Second); date != today {
			days, today = days+1, date
		}
		if v.withPerson[i] {
			people[t.Counterparty] = struct{}{}
		}
		if !t.Priced {
			continue
		}
		chosen[i] = true
		largest = max(largest, t.ValueUSD)
		if t.Side == position.Buy {
			cash -= t.ValueUSD
		} else {
			cash += t.ValueUSD
		}
		lowest = min(lowest, cash)
	}
	for i := range v.book.Positions {
		if p := v.book.Positions[i].PnLUSD; finite(p) {
			profit += p
		}
	}
	// The least money that could have paid for the trades stands in for the balance.
	capital := max(-lowest, largest)
	turnover := v.volume / capital / float64(days)
	result := profit / v.volume
	if len(people) >= crowd || turnover <= churnTurnover || math.Abs(result) >= churnResult {
		return nil
	}
	for i, in := range chosen {
		touched[i] = touched[i] || in
	}
	reason := fact{codeWashChurn, disqualifying, parameters{x: turnover, low: result}}.reason()
	return []Signal{{Code: codeWashChurn, Share: 1, Reason: reason}}
}

// sameFunder are trades with accounts whose first money came from where the wallet's came from.
func (v *view) sameFunder(touched []bool) []Signal {
	source, known := v.s.Funder[v.wallet]
	if !known || source.IsZero() || source == v.wallet {
		return nil
	}
	switch v.s.Accounts[source].Kind {
	case market.ExchangeAccount, market.BridgeAccount, market.DistributorAccount:
		return nil // they fund everybody
	}
	chosen := make([]bool, len(v.trades))
	siblings := make(map[chain.Address]struct{})
	for i := range v.trades {
		other := v.trades[i].Counterparty
		if other != v.wallet && v.withPerson[i] && v.s.Funder[other] == source {
			chosen[i] = true
			siblings[other] = struct{}{}
		}
	}
	return v.signal(codeWashCluster, chosen, touched, clusterSoft, clusterHard, parameters{k: len(siblings)})
}

// sizes compares first digits with Benford's law. Even honest robots fail it, so it only ever supports other signs.
func (v *view) sizes() []Signal {
	if len(v.trades) < sizesMinimum {
		return nil
	}
	values := make([]float64, 0, len(v.trades))
	for i := range v.trades {
		if v.trades[i].Priced {
			values = append(values, v.trades[i].ValueUSD)
		}
	}
	statistic, p, counted := stats.BenfordChiSquare(values)
	if counted < sizesMinimum || p >= 0.001 || statistic/float64(counted) < sizesMisfit {
		return nil
	}
	return []Signal{{Code: codeWashSizes, Reason: fact{codeWashSizes, disqualifying, parameters{n: counted}}.reason()}}
}

// thinTokens are tokens with hardly any holders, or under the wallet's control; the sign is how much of its profit they made.
func (v *view) thinTokens(supplied []chain.Address, touched []bool) ([]chain.Address, []Signal) {
	controlled := v.controlled()
	var thin []chain.Address
	for _, indices := range v.byToken {
		token := v.trades[indices[0]].Token
		holders := v.s.Holders[token]
		if (holders > 0 && holders < thinHolders) || containsAddress(supplied, token) || containsAddress(controlled, token) {
			thin = append(thin, token)
		}
	}
	thin = sortedAddresses(thin)
	if len(thin) == 0 {
		return nil, nil
	}
	var all, made float64
	makers := make(map[chain.Address]struct{})
	winners := 0
	for i := range v.book.Positions {
		p := &v.book.Positions[i]
		// What was received for free supply is profit too: a wallet that mints its own token pays nothing for it.
		gain := p.AirdropUSD
		if p.Status != position.Transferred && p.PnLUSD > 0 {
			gain += p.PnLUSD
		}
		if !(gain > 0) {
			continue
		}
		all += gain
		if containsAddress(thin, p.Token) {
			made += gain
			makers[p.Token] = struct{}{}
			winners++
		}
	}
	sales, thinVolume, thinTrades := 0, 0.0, 0
	for i := range v.trades {
		t := &v.trades[i]
		if !containsAddress(thin, t.Token) {
			continue
		}
		thinTrades++
		if t.Priced {
			thinVolume += t.ValueUSD
		}
		if _, made := makers[t.Token]; made && t.Side == position.Sell {
			sales++
		}
	}
	var signals []Signal
	if thinTrades >= thinMinimum && thinVolume >= thinVolumeHard*v.volume {
		for i := range v.trades {
			touched[i] = touched[i] || containsAddress(thin, v.trades[i].Token)
		}
		share := thinVolume / v.volume
		signals = append(signals, Signal{
			Code: codeThinVolume, Share: share, Hard: true,
			Reason: fact{codeThinVolume, disqualifying, parameters{k: len(thin), n: thinTrades, x: share}}.reason(),
		})
	}
	if all == 0 || made/all < thinSoft {
		return thin, signals
	}
	for i := range v.trades {
		if _, made := makers[v.trades[i].Token]; made {
			touched[i] = true
		}
	}
	share := made / all
	// A single position proves no pattern, but selling into the same thin market again and again does.
	return thin, append(signals, Signal{
		Code: codeThinTokens, Share: share, Hard: share >= thinHard && (winners > 1 || sales >= thinSales),
		Reason: fact{codeThinTokens, disqualifying, parameters{k: len(makers), x: share}}.reason(),
	})
}
