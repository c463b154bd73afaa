package samplemarket

import (
	"math"

	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket/seeded"
)

// wallet is an agent: its plan and what it has open.
type wallet struct {
	entity    int32
	plan      *plan
	stream    seeded.Stream
	pay       payment
	joined    int32
	awakeFrom int32 // seconds of the day
	awakeFor  int32
	positions []position
	made      int // entries so far
	health    healthScenario
	partners  []int32 // ring members or sock puppets (wallet ids)
	own       []int32 // own thin tokens
	turn      int
	vault     int32 // its owner's second account, 0 for none yet
	record    record
}

// position is what a wallet holds of a token on purpose.
type position struct {
	token  int32
	units  int64
	cost   float64
	opened int32
}

// record is what a wallet's planted trades really brought.
type record struct {
	closed     int
	sumROI     float64
	wins       int
	holds      []int32 // seconds
	firstEntry int32
	lastEntry  int32
	failed     int
	weeks      int // weeks with an entry
}

// populate creates every wallet, planned to join between long before the history and its first weeks.
func (w *world) populate() {
	for i := range crowdPerChain {
		id := w.addWallet(&crowdPlan, i)
		w.crowd = append(w.crowd, id)
		w.wallets[id].joined = -int32(300+i%200) * daySeconds
	}
	for i := range plans {
		p := &plans[i]
		count := p.count
		if count == 0 {
			count = plantedPerPlan
		}
		first := len(w.wallets)
		for n := range count {
			id := w.addWallet(p, i*1000+n)
			switch p.role {
			case roleSniper:
				w.snipers = append(w.snipers, id)
			case roleInsider:
				w.insiders = append(w.insiders, id)
			case roleEarly:
				w.early = append(w.early, id)
			case roleTipped:
				w.tipped = append(w.tipped, id)
			}
		}
		switch p.role {
		case roleRing:
			w.formRings(first, count)
		case rolePrinter:
			w.formPuppets(first, count)
		case roleEarly:
			w.formHands(first, count)
		}
	}
	for id := range w.wallets {
		me := &w.wallets[id]
		w.queue.push(event{at: me.joined, kind: eventJoin, actor: int32(id)})
	}
}

// formRings ties ring wallets into closed groups of two, three and five.
func (w *world) formRings(first, count int) {
	sizes := []int{2, 3, 5}
	for i, turn := 0, 0; i < count; turn++ {
		size := min(sizes[turn%3], count-i)
		for j := range size {
			me := &w.wallets[first+i+j]
			for k := range size {
				me.partners = append(me.partners, int32(first+i+k))
			}
			me.turn = j
		}
		i += size
	}
}

func (w *world) addWallet(p *plan, key int) int32 {
	id := int32(len(w.wallets))
	s := seeded.NewStream(seeded.MixAll(w.seed, seeded.HashText("wallet"), seeded.HashText(p.group), uint64(key)))
	me := wallet{plan: p, stream: s, awakeFrom: int32(s.IntN(daySeconds)), awakeFor: int32(s.Between(13, 16) * hourSeconds)}
	if p.automated {
		me.awakeFor = daySeconds
	}
	switch {
	case p.role == roleRobot || p.role == roleSandwich:
	case p.role == roleCrowd || p.role == roleTrader || p.role == roleRotator:
		me.pay = [...]payment{payNative, payNative, payNative, payNative, payNative, payWrapped, payWrapped, payStable, payStable, paySponsored}[s.IntN(10)]
	}
	me.joined = int32(s.Between(-9, 12) * daySeconds)
	if p.activeFrom > 0 {
		me.joined = int32(s.Between(-6, p.activeFrom) * daySeconds)
	}
	if p.entries == 1 {
		me.joined = int32(s.Between(5, 100) * daySeconds)
	}
	me.entity = w.addEntity(entity{address: derivedAddress(seeded.MixAll(w.seed, seeded.HashText("wallet"), uint64(id))), kind: kindWallet, ref: id, created: me.joined})
	me.health = planHealth(int(id), p)
	w.byEntity[me.entity] = id
	w.wallets = append(w.wallets, me)
	return id
}

// join funds a wallet and plans its first act.
func (w *world) join(at, id int32) {
	me := &w.wallets[id]
	p := me.plan
	if p.role == roleEmpty || p.role == roleTipped || p.hand > 0 {
		return // it has nothing, or what somebody gives it
	}
	wealth := p.wealth
	if wealth == 0 {
		wealth = math.Max(900, p.usd*8)
	}
	if p.role == roleCrowd {
		wealth = 30_000
	}
	stableShare := 0.3
	if me.pay == payStable || p.wealth > 0 {
		stableShare = 0.7
	}
	w.deposit(at, me.entity, nativeAsset, w.assets[nativeAsset].units(wealth*(1-stableShare)/w.nativeUSD.at(at)))
	w.deposit(at, me.entity, wrappedAsset+1, w.assets[wrappedAsset+1].units(wealth*stableShare))
	granted := me.stream.Between(1, 40)
	if me.health == healthStale {
		granted /= 10
	}
	w.queue.push(event{at: max(at, 0) + int32(granted*daySeconds), kind: eventHealth, actor: id})
	if p.role == roleRobot {
		w.queue.push(event{at: max(at, 0) + int32(me.stream.Between(1, 30)*daySeconds), kind: eventAct, actor: id})
		return
	}
	if p.role == roleCrowd || p.role == roleSniper || p.role == roleInsider || p.role == rolePuppet || p.role == roleEarly {
		return
	}
	begin := max(at, 0) + int32(me.stream.Between(0.1, 2.5)*daySeconds)
	if p.activeFrom > 0 {
		begin = max(at, 0) + int32(me.stream.Between(0.02, p.activeFrom)*daySeconds)
	}
	w.queue.push(event{at: me.wake(begin), kind: eventAct, actor: id})
}

// wake moves an instant into the wallet's waking hours.
func (me *wallet) wake(at int32) int32 {
	into := (at - me.awakeFrom) % daySeconds
	if into < 0 {
		into += daySeconds
	}
	if into <= me.awakeFor {
		return at
	}
	return at + daySeconds - into + int32(me.stream.IntN(3*hourSeconds))
}

// act lets a wallet do the next thing of its role.
func (w *world) act(at int32, e *event) {
	me := &w.wallets[e.actor]
	p := me.plan
	if p.activeTo > 0 && at > p.activeTo*daySeconds || p.entries > 0 && me.made >= p.entries {
		return
	}
	switch p.role {
	case roleTrader, roleHider, roleHolder, roleAccumulator:
		w.enter(at, e.actor)
	case roleRotator:
		w.rotate(at, e.actor)
	case roleRoundTripper:
		w.roundTrip(at, e.actor)
	case roleRing:
		w.ringTrade(at, e.actor)
		return
	case rolePrinter:
		w.printProfit(at, e.actor, e.arg)
		return
	case roleSandwich:
		w.sandwich(at, e.actor)
		return
	case roleFarmer:
		w.farm(at, e.actor)
	case roleMarketMaker:
		w.makeMarket(at, e.actor)
		return
	case roleRobot:
		w.robotBurst(at, e.actor)
		return
	}
	w.queue.push(event{at: me.wake(at + me.stream.Wait(7*daySeconds/p.perWeek)), kind: eventAct, actor: e.actor})
}

// enter opens one position and plans its exit.
func (w *world) enter(at, id int32) {
	me := &w.wallets[id]
	p := me.plan
	hold := 0.0
	if p.holdHigh > 0 {
		hold = me.stream.Spread(p.holdLow, p.holdHigh) * hourSeconds
	}
	choice := w.choose(at, me, int32(hold))
	if choice < 0 || p.role != roleAccumulator && p.role != roleHolder && me.position(choice) != nil {
		return
	}
	usd := me.stream.Around(p.usd, 0.45)
	if p.role != roleHolder && p.wealth == 0 {
		usd = math.Min(usd, w.liquidityUSD(&w.tokens[choice])*0.006)
	}
	pay := me.pay
	if me.stream.Chance(0.03) {
		w.failedSwap(at, me)
	}
	if me.stream.Chance(0.02) {
		w.cashOut(at, me)
	}
	units := w.buy(at, me.entity, choice, usd, pay)
	if units <= 0 {
		return
	}
	me = &w.wallets[id]
	me.opened(at, choice, units, usd)
	switch {
	case p.role == roleHolder:
	case p.role == roleHider:
		w.queue.push(event{at: me.wake(at + int32(hold)), kind: eventExit, actor: id, token: choice, arg: 12})
	case p.role == roleAccumulator:
		if me.stream.Chance(0.22) {
			w.queue.push(event{at: me.wake(at + int32(hold)), kind: eventExit, actor: id, token: choice, arg: 50})
		}
	default:
		leave := at + int32(hold)
		if hold > 3*hourSeconds {
			leave = me.wake(leave)
		}
		w.queue.push(event{at: leave, kind: eventExit, actor: id, token: choice, arg: 1000})
	}
}

// failedSwap is a swap that reverted: too little slippage allowed, gas gone.
func (w *world) failedSwap(at int32, me *wallet) {
	w.need(at, me.entity, nativeAsset, 0)
	w.begin(at, me.entity, w.routerV2, methodBuyNative)
	w.open.failed = true
	w.commit(48_000)
	me.record.failed++
}

// cashOut sends part of a wallet's stablecoins away: to the exchange or, from every other wallet, to a second account of the same
// owner, whose gas the first one pays.
func (w *world) cashOut(at int32, me *wallet) {
	stable := wrappedAsset + 1
	units := w.balance(me.entity, stable) / 3
	if units < w.assets[stable].units(50) {
		return
	}
	to := w.exchange
	if me.entity%2 == 0 {
		if me.vault == 0 {
			key := seeded.MixAll(w.seed, seeded.HashText("vault"), uint64(me.entity))
			me.vault = w.addEntity(entity{address: derivedAddress(key), kind: kindWallet, ref: -1, created: at})
			w.need(at, me.entity, nativeAsset, w.gasReserve())
			w.begin(at, me.entity, me.vault, methodPlain)
			w.send(w.gasReserve() / 2)
			w.commit(21_000)
		}
		to = me.vault
	}
	w.transferToken(at, me.entity, to, stable, units)
}

func (me *wallet) opened(at, tokenID int32, units int64, usd float64) {
	if me.made == 0 {
		me.record.firstEntry = at
	}
	if week := at / (7 * daySeconds); me.made == 0 || week != me.record.lastEntry/(7*daySeconds) {
		me.record.weeks++
	}
	me.made++
	me.record.lastEntry = at
	for i := range me.positions {
		if held := &me.positions[i]; held.token == tokenID {
			held.units += units
			held.cost += usd
			return
		}
	}
	me.positions = append(me.positions, position{token: tokenID, units: units, cost: usd, opened: at})
}

// closedPosition forgets a position and notes what it brought.
func (me *wallet) closedPosition(at, tokenID int32, proceeds float64) {
	for i := range me.positions {
		if held := &me.positions[i]; held.token == tokenID {
			roi := proceeds/held.cost - 1
			me.record.closed++
			me.record.sumROI += roi
			if roi > 0 {
				me.record.wins++
			}
			me.record.holds = append(me.record.holds, at-held.opened)
			me.positions = append(me.positions[:i], me.positions[i+1:]...)
			return
		}
	}
}

func (me *wallet) position(tokenID int32) *position {
	for i := range me.positions {
		if me.positions[i].token == tokenID {
			return &me.positions[i]
		}
	}
	return nil
}

// sellGift tells exit to sell whatever the wallet has of a token it never bought.
const sellGift = -1

// exit sells a planned position. For a loss hider arg counts the looks that are left: it sells only what is a little up.
func (w *world) exit(at, id, tokenID int32, arg int64) {
	me := &w.wallets[id]
	held := me.position(tokenID)
	t := &w.tokens[tokenID]
	if arg == sellGift {
		w.sell(at, me.entity, tokenID, w.balance(me.entity, t.asset), me.pay)
		return
	}
	if held == nil {
		return
	}
	if me.plan.role == roleHider {
		worth := w.assets[t.asset].coins(held.units) * w.priceUSD(t) * 0.985
		if worth < held.cost*1.05 {
			if arg > 0 {
				w.queue.push(event{at: me.wake(at + int32(me.stream.Between(2, 9)*hourSeconds)), kind: eventExit, actor: id, token: tokenID, arg: arg - 1})
			}
			return
		}
	}
	if first := &me.record; first.closed < 2 && me.pay == payWrapped {
		w.approveRouter(at, me.entity, t.asset)
	}
	units := held.units
	if partial := me.plan.role == roleAccumulator && arg < 1000; partial {
		units = units / 1000 * arg
	}
	proceeds, done := w.sell(at, me.entity, tokenID, units, me.pay)
	if units < held.units {
		held.units -= units
		held.cost *= float64(held.units) / float64(held.units+units)
		return
	}
	if !done {
		me.record.failed++
		if t.kind == kindHoneypot || w.pools[t.pool].drainedAt != 0 {
			me.closedPosition(at, tokenID, 0)
		}
		return
	}
	me.closedPosition(at, tokenID, proceeds)
}

// choose picks a token by the plan's mode, -1 for none.
func (w *world) choose(at int32, me *wallet, hold int32) int32 {
	p := me.plan
	switch p.pick {
	case pickMajor:
		return w.anyOf(w.majors, me.stream)
	case pickPhoenix:
		if len(w.phoenixes) == 0 {
			return -1
		}
		return w.phoenixes[me.made%len(w.phoenixes)]
	}
	best, bestReturn := int32(-1), math.Inf(-1)
	looks := 3
	informed := p.hit > 0 && me.stream.Chance(p.hit)
	if informed {
		looks = 40
	}
	for range looks {
		id := w.candidate(at, me.stream, p.pick)
		if id < 0 {
			continue
		}
		if !informed {
			return id
		}
		t := &w.tokens[id]
		if me.position(id) != nil {
			continue
		}
		expected := t.foresight(at, at+hold)
		if p.pick == pickLoser {
			if expected < -4 {
				continue
			}
			expected = -expected
		}
		if expected > bestReturn {
			best, bestReturn = id, expected
		}
	}
	if informed && (p.pick == pickWinner || p.pick == pickLaunch) && bestReturn < 0.1 {
		return -1
	}
	return best
}

func (w *world) anyOf(list []int32, s seeded.Stream) int32 {
	if len(list) == 0 {
		return -1
	}
	return list[s.IntN(len(list))]
}

// candidate draws one token that has been trading for a while and still can be.
func (w *world) candidate(at int32, s seeded.Stream, mode pickMode) int32 {
	if len(w.listed) == 0 {
		return -1
	}
	var id int32
	switch {
	case mode == pickYoung || (mode == pickLaunch && s.Chance(0.7)):
		id = w.listed[len(w.listed)-1-s.IntN(min(7, len(w.listed)))]
	case s.Chance(0.12):
		id = w.anyOf(w.phoenixes, s)
	default:
		id = w.listed[len(w.listed)-1-s.IntN(min(77, len(w.listed)))]
	}
	t := &w.tokens[id]
	age := at - t.listed
	if age < 600 || w.pools[t.pool].drainedAt != 0 || w.liquidityUSD(t) < 6000 {
		return -1
	}
	if mode == pickYoung && age > 6*daySeconds {
		return -1
	}
	if t.regime.quietFrom < t.ageHours(at) {
		return -1
	}
	return id
}
