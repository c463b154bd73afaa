package samplemarket

import "math"

// roundTrip buys and plans to sell the same quantity back within the hour, always in the wallet's own few tokens.
func (w *world) roundTrip(at, id int32) {
	me := &w.wallets[id]
	choice := w.majors[(int(id)+me.made%2)%len(w.majors)]
	if me.position(choice) != nil {
		return
	}
	usd := me.stream.Around(me.plan.usd, 0.1)
	if units := w.buy(at, me.entity, choice, usd, me.pay); units > 0 {
		me.opened(at, choice, units, usd)
		w.queue.push(event{at: at + int32(me.stream.Between(180, 1800)), kind: eventExit, actor: id, token: choice, arg: 1000})
	}
}

// ringTrade passes one parcel of a token around a closed ring, each hand-over a direct settlement against the quote asset.
func (w *world) ringTrade(at, id int32) {
	me := &w.wallets[id]
	size := len(me.partners)
	if me.turn > 0 && me.turn < size && len(w.majors) == 0 || size < 2 {
		return
	}
	if me.made == 0 && me.turn != 0 { // only the first member starts the ring; the others are moved by it
		return
	}
	ring := me.partners
	tokenID := w.majors[int(ring[0])%len(w.majors)]
	t := &w.tokens[tokenID]
	price := w.priceUSD(t)
	leader := &w.wallets[ring[0]]
	asset := &w.assets[t.asset]
	parcel := asset.units(leader.plan.usd / price)
	if w.balance(leader.entity, t.asset) < parcel {
		w.buy(at, leader.entity, tokenID, leader.plan.usd*1.3, payNative)
	}
	step := leader.made % size
	from, to := &w.wallets[ring[step]], &w.wallets[ring[(step+1)%size]]
	if step > 0 {
		parcel = min(parcel, w.balance(from.entity, t.asset))
		if step == size-1 {
			parcel = w.balance(from.entity, t.asset)
		}
	}
	if parcel > 0 {
		quote := wrappedAsset
		if ring[0]%2 == 1 {
			quote = wrappedAsset + 1
		}
		value := w.assets[quote].units(asset.coins(parcel) * price / w.quoteUSD(quote, at))
		w.settleDirect(at, from.entity, to.entity, tokenID, parcel, value, quote)
	}
	leader.made++
	next := at + int32(leader.stream.Between(180, 840))
	if step == size-1 {
		next = at + leader.stream.Wait(1.6*daySeconds)
	}
	w.queue.push(event{at: next, kind: eventAct, actor: ring[0]})
}

// formPuppets gives every printer accounts of its own to trade against.
func (w *world) formPuppets(first, count int) {
	for i := first; i < first+count; i++ {
		for n := range puppetsPerPrinter {
			puppet := w.addWallet(&puppetPlan, i*100+n)
			w.wallets[i].partners = append(w.wallets[i].partners, puppet)
			w.wallets[puppet].joined = w.wallets[i].joined + int32(n)*900
		}
	}
}

// printProfit runs a printer's cycle: open an own token, buy it low, let the puppets lift it, sell, let them sink it again.
func (w *world) printProfit(at, id int32, step int64) {
	me := &w.wallets[id]
	const lifts = puppetsPerPrinter
	again := func(delay float64, next int64) {
		w.queue.push(event{at: at + int32(delay*hourSeconds), kind: eventAct, actor: id, arg: next})
	}
	if step == 0 {
		if len(me.own) == 0 || me.made == 9 && len(me.own) == 1 {
			w.need(at, me.entity, nativeAsset, 0)
			tokenID := w.createToken(at, kindThin, me.entity)
			w.listToken(at, tokenID, poolV2, wrappedAsset, 2500, 0.95, 3000)
			me.own = append(me.own, tokenID)
			again(me.stream.Between(4, 30), 1)
			return
		}
		step = 1
	}
	tokenID := me.own[len(me.own)-1]
	t := &w.tokens[tokenID]
	switch {
	case step == 1:
		usd := me.stream.Around(me.plan.usd, 0.2)
		if units := w.buy(at, me.entity, tokenID, usd, payNative); units > 0 {
			me.opened(at, tokenID, units, usd)
		}
		again(me.stream.Between(5, 14), 2)
	case step < 2+lifts:
		puppet := w.wallets[me.partners[step-2]].entity
		w.buy(at, puppet, tokenID, w.liquidityUSD(t)*0.16, payNative)
		again(me.stream.Between(5, 14), step+1)
	case step == 2+lifts:
		if held := me.position(tokenID); held != nil {
			if proceeds, done := w.sell(at, me.entity, tokenID, held.units, payNative); done {
				me.closedPosition(at, tokenID, proceeds)
			}
		}
		again(me.stream.Between(2, 9), step+1)
	case step < 3+2*lifts:
		puppet := w.wallets[me.partners[step-3-lifts]].entity
		w.sell(at, puppet, tokenID, w.balance(puppet, t.asset), payNative)
		again(me.stream.Between(1, 6), step+1)
	default:
		again(me.stream.Between(48, 130), 0)
	}
}

// sandwich buys before and sells after somebody else's purchase, all in one block.
func (w *world) sandwich(at, id int32) {
	me := &w.wallets[id]
	w.queue.push(event{at: at + me.stream.Wait(1.5*daySeconds), kind: eventAct, actor: id})
	choice := w.candidate(at, me.stream, pickAny)
	if me.stream.Chance(0.4) {
		choice = w.anyOf(w.majors, me.stream)
	}
	if choice < 0 || w.tokens[choice].kind == kindHoneypot || w.tokens[choice].sellTax > 0 {
		return
	}
	t := &w.tokens[choice]
	p := &w.pools[t.pool]
	victim := w.crowdMember(t)
	depth := w.liquidityUSD(t)
	amount := w.assets[p.quote].units(math.Min(me.plan.usd, depth*0.02) / w.quoteUSD(p.quote, at))
	w.need(at, me.entity, p.quote, amount)
	w.need(at, victim, nativeAsset, w.assets[nativeAsset].units(depth*0.03/w.nativeUSD.at(at)))
	w.need(at, victim, p.quote, w.assets[p.quote].units(depth*0.03/w.quoteUSD(p.quote, at)))
	w.begin(at, me.entity, w.mevContract, methodMEV)
	units := w.hop(t.pool, false, amount, me.entity, me.entity, me.entity, w.mevContract)
	w.commit(210_000)
	w.buy(at, victim, choice, depth*0.025, payWrapped)
	w.begin(at, me.entity, w.mevContract, methodMEV)
	back := w.hop(t.pool, true, units, me.entity, me.entity, me.entity, w.mevContract)
	w.commit(190_000)
	me = &w.wallets[id]
	me.opened(at, choice, units, w.assets[p.quote].coins(amount))
	me.closedPosition(at, choice, w.assets[p.quote].coins(back))
}

// planSnipes lets some snipers aim at a pool that has just opened.
func (w *world) planSnipes(tokenID int32) {
	t := &w.tokens[tokenID]
	for _, id := range w.snipers {
		me := &w.wallets[id]
		if me.stream.Chance(0.3) {
			delay := int64(me.stream.IntN(3)) * w.spec.blockSeconds
			w.queue.push(event{at: t.listed + int32(delay), kind: eventSnipe, actor: id, token: tokenID})
		}
	}
}

// snipe buys within the first blocks of a pool and plans a quick exit.
func (w *world) snipe(at, id, tokenID int32) {
	me := &w.wallets[id]
	usd := me.stream.Around(me.plan.usd, 0.3)
	units := w.buy(at, me.entity, tokenID, usd, payNative)
	if units <= 0 {
		return
	}
	me.opened(at, tokenID, units, usd)
	w.queue.push(event{at: at + int32(me.stream.Spread(me.plan.holdLow, me.plan.holdHigh)*hourSeconds), kind: eventExit, actor: id, token: tokenID, arg: 1000})
}

// giveInsiders hands supply to insiders before the pool opens, or funds them to buy in the first minutes.
func (w *world) giveInsiders(at, tokenID int32) {
	t := &w.tokens[tokenID]
	if len(w.insiders) == 0 || (t.kind != kindPump && t.kind != kindGrower && t.kind != kindFader) {
		return
	}
	creator := t.creator
	first := t.stream.IntN(len(w.insiders))
	for i := range 2 {
		id := w.insiders[(first+i*3)%len(w.insiders)]
		me := &w.wallets[id]
		if int(id)%3 == 0 {
			w.need(at, creator, nativeAsset, w.assets[nativeAsset].units(600/w.nativeUSD.at(at)))
			w.begin(at, creator, me.entity, methodPlain)
			w.send(w.assets[nativeAsset].units(500 / w.nativeUSD.at(at)))
			w.commit(21_000)
			w.queue.push(event{at: at + 21*hourSeconds, kind: eventSnipe, actor: id, token: tokenID})
			continue
		}
		w.transferToken(at, creator, me.entity, t.asset, w.assets[t.asset].supply/1000*int64(4+t.stream.IntN(8)))
		leave := at + int32((20+me.stream.Spread(me.plan.holdLow, me.plan.holdHigh))*hourSeconds)
		w.queue.push(event{at: leave, kind: eventExit, actor: id, token: tokenID, arg: sellGift})
	}
}

// farm claims airdrops, touches many contracts with tiny transactions, and sells some of what it got.
func (w *world) farm(at, id int32) {
	me := &w.wallets[id]
	w.need(at, me.entity, nativeAsset, 0)
	for range 1 + me.stream.IntN(3) {
		w.begin(at, me.entity, w.dapps[me.stream.IntN(len(w.dapps))], methodInteract)
		w.send(int64(me.stream.IntN(1000)))
		w.commit(64_000)
	}
	if !me.stream.Chance(0.6) {
		return
	}
	tokenID := w.anyOf(w.majors, me.stream)
	t := &w.tokens[tokenID]
	units := w.assets[t.asset].units(me.stream.Around(me.plan.usd*3, 0.4) / w.priceUSD(t))
	if t.distributor < 0 || w.balance(t.distributor, t.asset) < units {
		return
	}
	w.begin(at, me.entity, t.distributor, methodClaim)
	w.move(t.asset, t.distributor, me.entity, units)
	w.commit(88_000)
	if me.stream.Chance(0.5) {
		w.sell(at, me.entity, tokenID, units, payNative)
	}
}

// makeMarket takes the side that brings an established token back to its price, from an inventory it keeps level.
func (w *world) makeMarket(at, id int32) {
	me := &w.wallets[id]
	w.queue.push(event{at: at + me.stream.Wait(8*hourSeconds), kind: eventAct, actor: id})
	tokenID := w.majors[me.made%len(w.majors)]
	me.made++
	t := &w.tokens[tokenID]
	usd := me.stream.Around(me.plan.usd, 0.3)
	inventory := w.assets[t.asset].coins(w.balance(me.entity, t.asset)) * w.priceUSD(t)
	under := t.target(at) > w.priceUSD(t)
	switch {
	case inventory < me.plan.usd*2 || under && inventory < me.plan.usd*14:
		w.buy(at, me.entity, tokenID, usd, payWrapped)
	default:
		w.sell(at, me.entity, tokenID, w.assets[t.asset].units(usd/w.priceUSD(t)), payWrapped)
	}
}

// robotCampaign is how many entries a robot makes, around the clock, before it rests for weeks.
const robotCampaign = 90

// robotBurst buys every few seconds for a while and sells everything some hours later.
func (w *world) robotBurst(at, id int32) {
	me := &w.wallets[id]
	tokenID := w.majors[(me.turn+int(id))%len(w.majors)]
	usd := me.stream.Around(me.plan.usd, 0.05)
	units := w.buy(at, me.entity, tokenID, usd, payWrapped)
	if units <= 0 {
		w.queue.push(event{at: at + hourSeconds, kind: eventAct, actor: id})
		return
	}
	if me.position(tokenID) == nil {
		w.queue.push(event{at: at + int32(me.stream.Spread(me.plan.holdLow, me.plan.holdHigh)*hourSeconds), kind: eventExit, actor: id, token: tokenID, arg: 1000})
	}
	me.opened(at, tokenID, units, usd)
	next := at + int32(me.stream.Between(12, 38))
	if me.made%10 == 0 {
		me.turn++
		next = at + int32(me.stream.Between(1.2, 2.6)*hourSeconds)
	}
	if me.made%robotCampaign == 0 {
		next = at + int32(me.stream.Between(20, 29)*daySeconds)
	}
	w.queue.push(event{at: next, kind: eventAct, actor: id})
}

// rotate keeps a dozen positions; from then on the oldest is sold and another token bought within the hour.
func (w *world) rotate(at, id int32) {
	me := &w.wallets[id]
	buying := int32(-1)
	for range 8 {
		next := w.candidate(at, me.stream, pickAny)
		if me.stream.Chance(0.2) {
			next = w.anyOf(w.majors, me.stream)
		}
		if next >= 0 && w.tokens[next].kind != kindHoneypot && me.position(next) == nil {
			buying = next
			break
		}
	}
	if buying < 0 {
		return
	}
	usd := me.stream.Around(me.plan.usd, 0.2)
	if len(me.positions) >= 10 {
		oldest := me.positions[0]
		t := &w.tokens[oldest.token]
		if me.stream.Chance(0.4) {
			worth := w.assets[t.asset].coins(oldest.units) * w.priceUSD(t)
			if units := w.convert(at, me.entity, oldest.token, buying, oldest.units); units > 0 {
				me.closedPosition(at, oldest.token, worth)
				me.opened(at, buying, units, worth)
				return
			}
		}
		proceeds, _ := w.sell(at, me.entity, oldest.token, oldest.units, me.pay)
		me.closedPosition(at, oldest.token, proceeds)
	}
	if units := w.buy(at, me.entity, buying, usd, me.pay); units > 0 {
		me.opened(at, buying, units, usd)
	}
}
