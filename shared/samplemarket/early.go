package samplemarket

import (
	"math"

	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket/seeded"
)

// taste is which launches an early buyer takes: the odds of each kind, and the hours after the listing within which it buys.
type taste struct {
	runner, pump, other float64
	from, to            float64
	picky               bool // not where one hand bought up the launch
}

func (f *taste) odds(t *token) float64 {
	switch {
	case f.picky && len(t.bots) > 0:
		return 0
	case t.kind == kindRunner:
		return f.runner
	case t.kind == kindPump:
		return f.pump
	}
	return f.other
}

// formHands puts wallets that one hand leads together; only the first of them decides.
func (w *world) formHands(first, count int) {
	size := w.wallets[first].plan.hand
	if size == 0 {
		return
	}
	for i := 0; i < count; i += size {
		leader := &w.wallets[first+i]
		for n := 1; n < size; n++ {
			leader.partners = append(leader.partners, int32(first+i+n))
		}
	}
}

// planEarlyBuys lets early buyers aim at a pool that has just opened.
func (w *world) planEarlyBuys(tokenID int32) {
	t := &w.tokens[tokenID]
	if id := t.tipped; id > 0 {
		delay := w.wallets[id].stream.Spread(0.1, 3)
		w.queue.push(event{at: t.listed + int32(delay*hourSeconds), kind: eventEarlyBuy, actor: id, token: tokenID})
	}
	for _, id := range w.early {
		me := &w.wallets[id]
		if me.plan.hand > 0 && len(me.partners) == 0 || t.listed < me.joined {
			continue
		}
		takes, delay := me.stream.Chance(me.plan.taste.odds(t)), me.stream.Spread(me.plan.taste.from, me.plan.taste.to)
		if !takes {
			continue
		}
		at := t.listed + int32(delay*hourSeconds)
		w.queue.push(event{at: at, kind: eventEarlyBuy, actor: id, token: tokenID})
		for _, partner := range me.partners {
			w.queue.push(event{at: at + int32(me.stream.Between(60, 1500)), kind: eventEarlyBuy, actor: partner, token: tokenID})
		}
		if len(me.partners) > 0 {
			w.fundHand(t.listed, id)
		}
	}
}

// fundHand pays the wallets of one hand out of the account that it keeps for that.
func (w *world) fundHand(at, leaderID int32) {
	key := seeded.MixAll(w.seed, seeded.HashText("hand"), uint64(leaderID))
	address := derivedAddress(key)
	funder, known := w.byAddress[address]
	if !known {
		funder = w.addEntity(entity{address: address, kind: kindWallet, ref: -1, created: at})
	}
	leader := &w.wallets[leaderID]
	each := w.assets[nativeAsset].units(leader.plan.usd * 1.5 / w.nativeUSD.at(at))
	for _, id := range append([]int32{leaderID}, leader.partners...) {
		w.need(at, funder, nativeAsset, each)
		w.begin(at, funder, w.wallets[id].entity, methodPlain)
		w.send(each)
		w.commit(21_000)
	}
}

// tipOff lets the creator of a token that is going to rise pay somebody to be among its first buyers.
func (w *world) tipOff(at, tokenID int32) {
	t := &w.tokens[tokenID]
	s := seeded.NewStream(seeded.MixAll(w.seed, seeded.HashText("tip"), uint64(tokenID)))
	if t.kind != kindRunner && t.kind != kindPump || len(w.tipped) == 0 || !s.Chance(0.5) {
		return
	}
	id := w.anyOf(w.tipped, s)
	if at < w.wallets[id].joined {
		return
	}
	each := w.assets[nativeAsset].units(w.wallets[id].plan.usd * 1.6 / w.nativeUSD.at(at))
	w.need(at, t.creator, nativeAsset, each)
	w.begin(at, t.creator, w.wallets[id].entity, methodPlain)
	w.send(each)
	w.commit(21_000)
	t.tipped = id
}

// buyEarly buys a launch and plans the sale: those with skill pick, of a few times, the one at which the token is worth most.
func (w *world) buyEarly(at, id, tokenID int32) {
	me := &w.wallets[id]
	if me.position(tokenID) != nil {
		return
	}
	p := me.plan
	usd := math.Min(me.stream.Around(p.usd, 0.3), w.liquidityUSD(&w.tokens[tokenID])*0.01)
	units := w.buy(at, me.entity, tokenID, usd, payNative)
	if units <= 0 {
		return
	}
	me.opened(at, tokenID, units, usd)
	looks := 1
	if p.skilled {
		looks = 2
	}
	t, leave, best := &w.tokens[tokenID], int32(0), math.Inf(-1)
	for range looks {
		until := at + int32(me.stream.Spread(p.holdLow, p.holdHigh)*hourSeconds)
		if expected := t.foresight(at, until); expected > best {
			leave, best = until, expected
		}
	}
	w.queue.push(event{at: me.wake(leave), kind: eventExit, actor: id, token: tokenID, arg: 1000})
}
