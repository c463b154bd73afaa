package perpvenue

import (
	"math"

	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket/seeded"
)

// task is something that an account is going to do.
type task struct {
	at       int64
	do       deed
	coin     int
	buy      bool
	closing  bool
	halved   bool
	episode  int32
	schedule int32
	leverage int
	size     int64 // signed units, or millionths of a dollar where money is moved
	price    int64
	order    int64
	until    int64
	share    float64
}

type deed uint8

const (
	doDeposit deed = iota
	doWithdraw
	doEnter
	doAdd
	doClose
	doRest  // a part of a resting order is filled
	doSlice // a part of a TWAP is due
	doQuote
	doSpot
	doWatch
	doTakeOver
)

// withdrawalFee is what the venue keeps of a withdrawal.
const withdrawalFee = million

func (a *account) perform(t task) {
	switch t.do {
	case doDeposit:
		a.deposit(t)
	case doWithdraw:
		if s := a.standing(mainExchange, t.at); t.size <= s.free() {
			a.cash[mainExchange] -= t.size
			a.paidIn -= t.size
			a.enter(entry{time: t.at, kind: entryWithdrawal, usd: t.size - withdrawalFee})
		}
	case doEnter:
		a.enterPosition(t)
		a.checkMargin(t.at)
	case doAdd:
		if p := &a.positions[t.coin]; p.episode == t.episode && p.size != 0 {
			a.grow(task{at: t.at, coin: t.coin, size: t.size, order: a.order(t.at)})
			a.checkMargin(t.at)
		}
	case doClose:
		a.closePosition(t)
	case doRest, doSlice:
		a.fillPart(t)
	case doQuote:
		a.quote(t)
	case doSpot:
		a.swap(t)
	case doTakeOver:
		a.takeOver(t)
	case doWatch:
		a.watching = false
		a.checkMargin(t.at)
	}
}

func (a *account) deposit(t task) {
	a.paidIn += t.size
	a.deposited += t.size
	a.cash[mainExchange] += t.size
	a.enter(entry{time: t.at, kind: entryDeposit, usd: t.size})
	if toSpot := roundMoney(float64(t.size) / million * a.plan.spot); toSpot > 0 {
		a.cash[mainExchange] -= toSpot
		a.spotCash += toSpot
		a.spotMoved += toSpot
		a.enter(entry{time: t.at + 40, kind: entryToSpot, usd: toSpot})
	}
	if toBuilder := roundMoney(float64(t.size) / million * a.plan.builder); toBuilder > 0 {
		a.cash[mainExchange] -= toBuilder
		a.cash[builderExchange] += toBuilder
		a.enter(entry{time: t.at + 90, kind: entryToBuilder, usd: toBuilder})
	}
}

// enterPosition opens a position if the margin allows, and plans its end.
func (a *account) enterPosition(t task) {
	p, c := &a.positions[t.coin], &a.venue.coins[t.coin]
	if p.size != 0 {
		return
	}
	plan, share := &a.plan, t.share
	a.bets++
	if a.bets == plan.jackpot {
		share = 0.6
	}
	leverage := t.leverage
	if leverage == 0 {
		leverage = plan.leverage[0] + a.stream.IntN(plan.leverage[1]-plan.leverage[0]+1)
	}
	p.leverage = min(leverage, c.maxLeverage())
	p.isolated = c.onlyIsolate || a.stream.Chance(plan.isolated)
	s := a.standing(c.exchange, t.at)
	tied := min(int64(float64(s.value)*share), s.free()*9/10)
	size := c.units(tied*int64(p.leverage), a.venue.mark(t.coin, t.at))
	if tied*int64(p.leverage) < 20*million || size == 0 {
		return
	}
	if !t.buy {
		size = -size
	}
	schedule := plan.twap > 0 && a.stream.Chance(plan.twap)
	switch {
	case schedule:
		a.slice(t, size, c)
	case a.stream.Chance(plan.maker):
		a.rest(trade{coin: t.coin, at: t.at, size: size, order: a.order(t.at), maker: true}, false)
	default:
		a.grow(task{at: t.at, coin: t.coin, size: size, order: a.order(t.at)})
	}
	if plan.adds > 0 && a.stream.Chance(plan.adds) {
		a.put(task{at: t.at + a.stream.Int64N(6*hourMillis) + hourMillis/2, do: doAdd, coin: t.coin, size: size / 2 / 100 * 100, episode: p.episode})
	}
	if !plan.neverCloses && plan.role != roleMartingale {
		a.put(task{at: max(t.until, t.at+60_000), do: doClose, coin: t.coin, episode: p.episode})
	}
}

// slice cuts an order into a schedule of market orders, one every half minute.
func (a *account) slice(t task, size int64, c *contract) {
	lot := powersOfTen[c.unit-c.szDecimals]
	id, parts := int32(900_000+a.stream.IntN(900_000)), int64(8+a.stream.IntN(12))
	for n := range parts {
		part := size / parts / lot * lot
		if n == parts-1 {
			part = size - part*(parts-1)
		}
		if part != 0 {
			a.put(task{at: t.at + n*30_000, do: doSlice, coin: t.coin, size: part, episode: a.positions[t.coin].episode, schedule: id})
		}
	}
}

// grow takes liquidity for a new or a greater position, as far as free margin goes, and puts margin aside where it is isolated.
func (a *account) grow(t task) {
	p, c := &a.positions[t.coin], &a.venue.coins[t.coin]
	lot := powersOfTen[c.unit-c.szDecimals]
	needed := c.value(absolute(t.size), a.venue.mark(t.coin, t.at)) / int64(p.leverage)
	if free := a.standing(c.exchange, t.at).free(); needed > free {
		t.size = proportion(t.size, free*9/10, needed)
	}
	if t.size = t.size / lot * lot; t.size == 0 {
		return
	}
	basis := p.basis
	a.sweep(trade{coin: t.coin, at: t.at, size: t.size, order: t.order, schedule: t.schedule})
	p.secure(basis)
}

// secure puts margin aside for what an isolated position grew by.
func (p *position) secure(basis int64) {
	if p.isolated && p.size != 0 && p.basis > basis {
		p.margin += (p.basis - basis) / int64(p.leverage)
	}
}

// fillPart fills a part of an order that rests or is on a schedule, unless what it was for is over.
func (a *account) fillPart(t task) {
	p := &a.positions[t.coin]
	if p.episode != t.episode || a.venue.coins[t.coin].delistedAt(a.venue.hour(t.at)) {
		return
	}
	if t.do == doSlice {
		a.grow(task{at: t.at, coin: t.coin, size: t.size, order: a.order(t.at), schedule: t.schedule})
		return
	}
	if t.closing && absolute(t.size) > absolute(p.size) {
		t.size = -p.size
	}
	basis := p.basis
	a.fill(trade{coin: t.coin, at: t.at, size: t.size, price: t.price, order: t.order, maker: true})
	p.secure(basis)
}

// closePosition ends a position, or half of it first, or turns it over.
func (a *account) closePosition(t task) {
	p, c := &a.positions[t.coin], &a.venue.coins[t.coin]
	if p.size == 0 || p.episode != t.episode {
		return
	}
	plan := &a.plan
	lot := powersOfTen[c.unit-c.szDecimals]
	size := -p.size
	switch half := -p.size / 2 / lot * lot; {
	case !t.halved && half != 0 && a.stream.Chance(plan.halves):
		size = half
		a.put(task{at: t.at + hourMillis/2 + a.stream.Int64N(12*hourMillis), do: doClose, coin: t.coin, episode: p.episode, halved: true})
	case !p.isolated && plan.flips > 0 && !a.done(t.at) && a.stream.Chance(plan.flips):
		a.sweep(trade{coin: t.coin, at: t.at, size: 2 * size, order: a.order(t.at)})
		until := t.at + int64(math.Min(a.stream.Around(plan.hold, plan.spread), 240)*float64(hourMillis))
		a.put(task{at: until, do: doClose, coin: t.coin, episode: p.episode, halved: true})
		return
	}
	if a.stream.Chance(plan.maker) {
		a.rest(trade{coin: t.coin, at: t.at, size: size, order: a.order(t.at), maker: true}, true)
		return
	}
	a.sweep(trade{coin: t.coin, at: t.at, size: size, order: a.order(t.at)})
}

// quote fills one resting order of a market maker. Now and then the other side is somebody's liquidation.
func (a *account) quote(t task) {
	p, c := &a.positions[t.coin], &a.venue.coins[t.coin]
	p.leverage = min(a.plan.leverage[0], c.maxLeverage())
	mark := a.venue.markFloat(t.coin, t.at)
	equity := a.cash[mainExchange]
	held := float64(c.value(p.size, c.tick(mark))) / float64(max(equity, 1))
	side := 1.0
	if a.stream.Float64() < 0.5+4*held {
		side = -1
	}
	price := c.tick(mark * (1 - side*a.stream.Between(0.0003, 0.0008)))
	size := int64(side) * c.units(int64(float64(equity)*t.share), price)
	if absolute(c.value(size, price)) < 10*million {
		return
	}
	order := trade{coin: t.coin, at: t.at, size: size, price: price, order: a.order(t.at - a.stream.Int64N(20_000)), maker: true}
	if a.stream.Chance(0.01) {
		loser := addressOf(seeded.MixAll(a.key, seeded.HashText("crowd"), uint64(len(a.fills))))
		order.of = &liquidation{user: loser, mark: c.tick(mark)}
	}
	a.fill(order)
}

// swap buys or sells a share of what there is of a spot pair.
func (a *account) swap(t task) {
	p, c := &a.positions[t.coin], &a.venue.coins[t.coin]
	lot := powersOfTen[c.unit-c.szDecimals]
	size := -int64(float64(p.size)*t.share) / lot * lot
	if t.buy {
		size = c.units(int64(float64(a.spotCash)*t.share*0.98), a.venue.mark(t.coin, t.at))
	}
	if absolute(c.value(size, a.venue.mark(t.coin, t.at))) < 10*million {
		return
	}
	a.sweep(trade{coin: t.coin, at: t.at, size: size, order: a.order(t.at)})
}
