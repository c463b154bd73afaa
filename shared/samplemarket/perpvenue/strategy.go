package perpvenue

import "math"

// decide is what an account makes of a full hour.
func (a *account) decide(at int64) {
	switch a.plan.role {
	case roleMaker:
		a.quoteHour(at)
	case roleHedger:
		a.hedge(at)
	case roleFarmer:
		a.farm(at)
	case roleSpot:
		a.tradeSpot(at, a.plan.perDay)
	case roleMartingale:
		a.doubleDown(at)
		a.speculate(at)
	case roleTrader:
		a.speculate(at)
	case roleDepositor:
	}
	a.moveMoney(at)
}

// moment is some time within the hour that begins.
func (a *account) moment(at int64) int64 { return at + 1000 + a.stream.Int64N(hourMillis-240_000) }

// speculate closes what has gone far enough and now and then opens something new.
func (a *account) speculate(at int64) {
	a.takeOrCut(at)
	if a.plan.spot > 0 {
		a.tradeSpot(at, 0.15)
	}
	p := &a.plan
	if !a.stream.Chance(p.perDay/24) || a.done(at) || a.open() >= p.maxOpen {
		return
	}
	coin := p.coins[a.stream.IntN(len(p.coins))]
	hold := math.Min(math.Max(a.stream.Around(p.hold, p.spread), 0.05), 240)
	if a.bets+1 == p.jackpot {
		hold = jackpotHours
	}
	when := a.moment(at)
	until := when + int64(hold*float64(hourMillis))
	buy, sure := a.opinion(coin, when, until)
	if !sure || a.positions[coin].size != 0 || a.venue.coins[coin].delistedAt(a.venue.hour(when)+1) {
		return
	}
	a.put(task{at: when, do: doEnter, coin: coin, buy: buy, until: until, share: a.stream.Between(p.fraction[0], p.fraction[1])})
}

// done is true when the account opens nothing any more.
func (a *account) done(at int64) bool {
	p := &a.plan
	return p.maxBets > 0 && a.bets >= p.maxBets || p.activeDays > 0 && float64(at-a.joined) > p.activeDays*float64(dayMillis)
}

// jackpotHours is how long the one bet is held that is no bet.
const jackpotHours = 96

// opinion is which side to take, and whether to. Who has an edge sees the return over the hold through noise.
func (a *account) opinion(coin int, from, until int64) (buy, sure bool) {
	p := &a.plan
	path, v := a.venue.pathOf(coin), a.venue
	noise := a.stream.NormFloat64()
	coinToss := a.stream.Float64() < p.long
	edge, picky := p.edge, p.picky
	if jackpot := a.bets+1 == p.jackpot; jackpot || a.bets < p.streak {
		edge = 0.97
		if jackpot {
			picky = 1.2
		}
	}
	if edge == 0 {
		return coinToss, true
	}
	hours := math.Max(float64(until-from)/float64(hourMillis), 0.05)
	moved := (path.logAt(until-v.start) - path.logAt(from-v.start)) / (path.sigma[v.hour(from)] * math.Sqrt(hours))
	signal := edge*moved + math.Sqrt(1-edge*edge)*noise
	return signal > 0, math.Abs(signal) >= picky
}

// takeOrCut closes positions that have moved by as much as the account waits for or bears.
func (a *account) takeOrCut(at int64) {
	take, stop := a.plan.takeProfit, a.plan.stop
	if take == 0 && stop == 0 {
		return
	}
	for coin := range a.positions {
		p, c := &a.positions[coin], &a.venue.coins[coin]
		if p.size == 0 || c.spot {
			continue
		}
		moved := float64(p.unrealized(c.value(absolute(p.size), a.venue.mark(coin, at)))) / float64(max(p.basis, 1))
		if take > 0 && moved > take || stop > 0 && moved < -stop {
			a.put(task{at: at + 1 + a.stream.Int64N(60_000), do: doClose, coin: coin, episode: p.episode})
		}
	}
}

// doubleDown adds as much again to a position that is under water.
func (a *account) doubleDown(at int64) {
	for coin := range a.positions {
		p, c := &a.positions[coin], &a.venue.coins[coin]
		if p.size == 0 {
			continue
		}
		loss := -float64(p.unrealized(c.value(absolute(p.size), a.venue.mark(coin, at)))) / float64(max(p.basis, 1))
		if loss > 0.011 {
			a.put(task{at: a.moment(at), do: doAdd, coin: coin, size: p.size, episode: p.episode})
		}
	}
}

// hedge keeps one coin long and another short, equally much, for days.
func (a *account) hedge(at int64) {
	p := &a.plan
	if a.open() > 0 || len(a.queue) > 0 || !a.stream.Chance(p.perDay/24) {
		return
	}
	first := a.stream.IntN(len(p.coins))
	second := (first + 1 + a.stream.IntN(len(p.coins)-1)) % len(p.coins)
	when := a.moment(at)
	until := when + int64(math.Min(a.stream.Around(p.hold, p.spread), 240)*float64(hourMillis))
	share := a.stream.Between(p.fraction[0], p.fraction[1])
	a.put(task{at: when, do: doEnter, coin: p.coins[first], buy: true, until: until, share: share, leverage: p.leverage[1]})
	a.put(task{at: when + 2_000, do: doEnter, coin: p.coins[second], buy: false, until: until + 2_000, share: share, leverage: p.leverage[1]})
}

// farm holds a coin and is short its contract, as long as that is paid for.
func (a *account) farm(at int64) {
	coin := a.plan.coins[0]
	if a.open() > 0 || len(a.queue) > 0 || a.venue.pathOf(coin).premium[a.venue.hour(at)] < 0.0006 || !a.stream.Chance(a.plan.perDay/24) {
		return
	}
	when := a.moment(at)
	until := when + int64(math.Min(a.stream.Around(a.plan.hold, a.plan.spread), 24*40)*float64(hourMillis))
	a.put(task{at: when, do: doEnter, coin: coin, until: until, share: a.stream.Between(a.plan.fraction[0], a.plan.fraction[1]), leverage: 2})
	a.put(task{at: when + 1_500, do: doSpot, coin: coinHYPESpot, buy: true, share: 0.95})
	a.put(task{at: until + 1_500, do: doSpot, coin: coinHYPESpot, share: 1})
}

// tradeSpot buys or sells some of a coin itself.
func (a *account) tradeSpot(at int64, perDay float64) {
	if !a.stream.Chance(perDay/24) || a.done(at) {
		return
	}
	coin := coinHYPESpot
	if a.stream.Chance(0.3) {
		coin = coinPURRSpot
	}
	buy := a.positions[coin].size == 0 || a.stream.Chance(0.5)
	a.put(task{at: a.moment(at), do: doSpot, coin: coin, buy: buy, share: a.stream.Between(0.2, 0.9)})
}

// quoteHour lays out the hour's fills of a market maker; which side they are on leans against what it holds.
func (a *account) quoteHour(at int64) {
	for range int(a.stream.ExpFloat64()*a.plan.perDay/24*0.5 + a.plan.perDay/24*0.5 + a.stream.Float64()) {
		coin := a.plan.coins[a.stream.IntN(len(a.plan.coins))]
		a.put(task{at: a.moment(at), do: doQuote, coin: coin, share: a.stream.Between(a.plan.fraction[0], a.plan.fraction[1])})
	}
}

// moveMoney takes profits out and pays in again after ruin.
func (a *account) moveMoney(at int64) {
	if a.plan.role == roleDepositor || a.paidIn == 0 || !a.stream.Chance(1.0/60) {
		return
	}
	s := a.standing(mainExchange, at)
	switch {
	case s.value > a.deposited/2*3 && s.free() > s.value/3:
		a.put(task{at: a.moment(at), do: doWithdraw, size: s.value / 5 / million * million})
	case a.refilled < a.plan.refills && s.value < roundMoney(a.plan.deposit)/10 && !a.done(at):
		a.refilled++
		a.put(task{at: a.moment(at), do: doDeposit, size: roundMoney(a.plan.deposit * a.stream.Between(0.5, 1.2))})
	}
}

// open is how many contracts the account holds.
func (a *account) open() int {
	n := 0
	for coin := range a.positions {
		if a.positions[coin].size != 0 && !a.venue.coins[coin].spot {
			n++
		}
	}
	return n
}
