package samplemarket

import "math"

type payment uint8

const (
	payNative payment = iota
	payWrapped
	payStable
	paySponsored // a smart account whose gas somebody else pays
)

// hop swaps an input through one pool inside the open transaction and returns what the receiver got, taxes deducted.
func (w *world) hop(poolID int32, sellToken bool, input int64, payer, receiver, trader, router int32) int64 {
	p := &w.pools[poolID]
	var t *token
	if p.tokenID >= 0 {
		t = &w.tokens[p.tokenID]
	}
	in, out := p.quote, p.token
	if sellToken {
		in, out = p.token, p.quote
	}
	if sellToken && t != nil && t.sellTax > 0 {
		tax := input / 100 * t.sellTax
		w.move(in, payer, t.entity, tax)
		input -= tax
	}
	output := p.out(input, sellToken)
	w.move(in, payer, p.entity, input)
	received := output
	if !sellToken && t != nil && t.buyTax > 0 {
		tax := output / 100 * t.buyTax
		w.move(out, p.entity, t.entity, tax)
		received -= tax
	}
	w.move(out, p.entity, receiver, received)
	record := swap{after: int32(len(w.legs)) - 1, pool: poolID, trader: trader, router: router}
	quoteMoved := input
	if sellToken {
		p.tokenReserve += input
		p.quoteReserve -= output
		record.tokenOut, record.quoteOut = -input, output
		quoteMoved = output
	} else {
		p.quoteReserve += input
		p.tokenReserve -= output
		record.tokenOut, record.quoteOut = output, -input
	}
	record.tokenReserve, record.quoteReserve = p.tokenReserve, p.quoteReserve
	record.usd = w.assets[p.quote].coins(quoteMoved) * w.quoteUSD(p.quote, w.now)
	p.swaps = append(p.swaps, int32(len(w.swaps)))
	w.swaps = append(w.swaps, record)
	return received
}

func (w *world) routerOf(p *pool) (int32, method) {
	switch p.version {
	case poolV3:
		return w.routerV3, methodMulticall
	case poolV4:
		return w.universal, methodExecute
	}
	return w.routerV2, methodSwapTokens
}

// buy spends about so many USD on a token and returns the units received, 0 when it could not be done.
func (w *world) buy(at, trader, tokenID int32, usd float64, pay payment) int64 {
	t := &w.tokens[tokenID]
	if t.pool < 0 || w.pools[t.pool].drainedAt != 0 {
		return 0
	}
	p := &w.pools[t.pool]
	quote := &w.assets[p.quote]
	amount := quote.units(usd / w.quoteUSD(p.quote, at))
	if amount <= 0 || p.out(amount, false) <= 0 {
		return 0
	}
	router, m := w.routerOf(p)
	switch {
	case pay == paySponsored:
		w.need(at, trader, p.quote, amount)
		w.begin(at, w.bundler, w.entryPoint, methodHandleOps)
		got := w.hop(t.pool, false, amount, trader, trader, trader, router)
		w.commit(290_000)
		return got
	case quote.kind == assetWrapped && pay == payNative:
		w.need(at, trader, nativeAsset, amount)
		switch {
		case m == methodSwapTokens && t.buyTax > 0:
			m = methodBuyNativeTaxed
		case m == methodSwapTokens:
			m = methodBuyNative
		}
		w.begin(at, trader, router, m)
		w.send(amount)
		w.move(nativeAsset, router, quote.entity, amount)
		got := w.hop(t.pool, false, amount, router, trader, trader, router)
		w.commit(152_000)
		return got
	case quote.kind == assetWrapped && pay == payStable:
		// Two hops: the stablecoin pays for wrapped coin, which pays for the token, never touching the wallet.
		bridge := w.quotePools[wrappedAsset+1]
		stable := w.assets[wrappedAsset+1].units(usd)
		w.need(at, trader, wrappedAsset+1, stable)
		w.begin(at, trader, w.aggregator, methodAggregate)
		w.move(wrappedAsset+1, trader, w.aggregator, stable)
		middle := w.hop(bridge, true, stable, w.aggregator, w.aggregator, trader, w.aggregator)
		got := w.hop(t.pool, false, middle, w.aggregator, w.aggregator, trader, w.aggregator)
		w.move(t.asset, w.aggregator, trader, got)
		w.commit(236_000)
		return got
	}
	w.need(at, trader, p.quote, amount)
	w.begin(at, trader, router, m)
	got := w.hop(t.pool, false, amount, trader, trader, trader, router)
	w.commit(134_000)
	return got
}

// sell sells units of a token and returns the USD received and whether the sale went through. In a honeypot only the creator's does.
func (w *world) sell(at, trader, tokenID int32, units int64, pay payment) (float64, bool) {
	t := &w.tokens[tokenID]
	units = min(units, w.balance(trader, t.asset))
	if t.pool < 0 || units <= 0 {
		return 0, false
	}
	p := &w.pools[t.pool]
	quote := &w.assets[p.quote]
	router, m := w.routerOf(p)
	w.need(at, trader, nativeAsset, 0)
	if (t.kind == kindHoneypot && trader != t.creator) || p.drainedAt != 0 || p.out(units-units/100*t.sellTax, true) <= 0 {
		w.begin(at, trader, router, m)
		w.open.failed = true
		w.commit(61_000)
		return 0, false
	}
	var received int64
	switch {
	case pay == paySponsored:
		w.begin(at, w.bundler, w.entryPoint, methodHandleOps)
		received = w.hop(t.pool, true, units, trader, trader, trader, router)
		w.commit(300_000)
	case quote.kind == assetWrapped && pay == payNative:
		switch {
		case m == methodSwapTokens && t.sellTax > 0:
			m = methodSellNativeTaxed
		case m == methodSwapTokens:
			m = methodSellNative
		}
		w.begin(at, trader, router, m)
		received = w.hop(t.pool, true, units, trader, router, trader, router)
		w.move(nativeAsset, quote.entity, router, received)
		w.move(nativeAsset, router, trader, received)
		w.commit(166_000)
	case quote.kind == assetWrapped && pay == payStable:
		w.begin(at, trader, w.aggregator, methodAggregate)
		received = w.hop(t.pool, true, units, trader, w.aggregator, trader, w.aggregator)
		stable := w.hop(w.quotePools[wrappedAsset+1], false, received, w.aggregator, w.aggregator, trader, w.aggregator)
		w.move(wrappedAsset+1, w.aggregator, trader, stable)
		w.commit(248_000)
	default:
		w.begin(at, trader, router, m)
		received = w.hop(t.pool, true, units, trader, trader, trader, router)
		w.commit(141_000)
	}
	return quote.coins(received) * w.quoteUSD(p.quote, at), true
}

// convert swaps one token straight into another through two pools of the same quote asset, in one transaction.
func (w *world) convert(at, trader, from, to int32, units int64) int64 {
	a, b := &w.tokens[from], &w.tokens[to]
	units = min(units, w.balance(trader, a.asset))
	if a.pool < 0 || b.pool < 0 || units <= 0 || a.kind == kindHoneypot {
		return 0
	}
	first, second := &w.pools[a.pool], &w.pools[b.pool]
	if first.quote != second.quote || first.drainedAt != 0 || second.drainedAt != 0 || first.out(units, true) <= 0 {
		return 0
	}
	w.need(at, trader, nativeAsset, 0)
	w.begin(at, trader, w.universal, methodExecute)
	middle := w.hop(a.pool, true, units, trader, w.universal, trader, w.universal)
	got := w.hop(b.pool, false, middle, w.universal, trader, trader, w.universal)
	w.commit(228_000)
	return got
}

// settleDirect exchanges a token for a quote asset between two wallets in one transaction, without any pool.
func (w *world) settleDirect(at, seller, buyer, tokenID int32, units, quoteUnits int64, quoteID int32) {
	t := &w.tokens[tokenID]
	w.need(at, buyer, quoteID, quoteUnits)
	w.need(at, seller, nativeAsset, 0)
	w.begin(at, seller, w.settlement, methodSettle)
	w.move(t.asset, seller, buyer, units)
	w.move(quoteID, buyer, seller, quoteUnits)
	w.commit(118_000)
}

// transferToken moves tokens between wallets outside any trade.
func (w *world) transferToken(at, from, to, assetID int32, units int64) {
	w.need(at, from, nativeAsset, 0)
	w.begin(at, from, w.assets[assetID].entity, methodTransfer)
	w.move(assetID, from, to, units)
	w.commit(54_000)
}

// background is the anonymous crowd's trade in a token: it closes part of the gap to the regime's target, or is just noise.
func (w *world) background(at, tokenID int32) {
	t := &w.tokens[tokenID]
	p := &w.pools[t.pool]
	if p.drainedAt != 0 {
		return
	}
	hour := t.ageHours(at)
	rate := t.regime.rate(hour)
	w.queue.push(event{at: at + t.stream.Wait(hourSeconds/rate), kind: eventBackground, token: tokenID})
	factor := t.target(at) / w.poolPriceUSD(p)
	gap := math.Log(factor)
	closing := 0.9
	if rate > 5 {
		closing = 0.45
	}
	against := t.stream.Chance(0.3)
	trader := w.crowdMember(t)
	pay := w.wallets[w.byEntity[trader]].pay
	usd := w.liquidityUSD(t) * t.stream.Around(0.002, 0.8)
	if t.kind == kindMajor {
		usd = w.liquidityUSD(t) * t.stream.Around(0.0004, 0.9)
	}
	usd *= math.Max(0.25, math.Min(1, t.regime.swing(hour)))
	switch {
	case math.Abs(gap) < 0.006 || against:
		if gap > 0 != against || t.stream.Chance(0.2) {
			w.buy(at, trader, tokenID, usd, pay)
		} else {
			w.crowdSell(at, tokenID, t.asset, w.assets[t.asset].units(usd/w.poolPriceUSD(p)), pay)
		}
	case gap > 0:
		spend := w.assets[p.quote].coins(int64(p.quoteToReach(math.Exp(math.Min(gap*closing, 0.7))))) * w.quoteUSD(p.quote, at)
		w.buy(at, trader, tokenID, spend, pay)
	default:
		w.crowdSell(at, tokenID, t.asset, int64(p.tokensToReach(math.Exp(math.Max(gap*closing, -0.7)))), pay)
	}
}

func (w *world) crowdMember(t *token) int32 {
	return w.wallets[t.crowd[t.stream.IntN(len(t.crowd))]].entity
}

// crowdSell sells from the crowd's holdings, several sellers if one does not have enough.
func (w *world) crowdSell(at, tokenID, assetID int32, units int64, pay payment) {
	t := &w.tokens[tokenID]
	offset := t.stream.IntN(len(t.crowd))
	for i := 0; i < len(t.crowd) && units > 0; i++ {
		seller := w.wallets[t.crowd[(offset+i)%len(t.crowd)]].entity
		have := w.balance(seller, assetID)
		if have <= 0 {
			continue
		}
		part := min(units, have)
		if part < units/6 && i < len(t.crowd)-1 {
			continue
		}
		if _, done := w.sell(at, seller, tokenID, part, pay); !done {
			return
		}
		units -= part
	}
}
