package perpvenue

import (
	"math"

	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket/seeded"
)

// standing is an account's margin on one exchange, in millionths of a dollar.
type standing struct {
	value, crossValue       int64
	notional, crossNotional int64
	net, crossNet           int64 // signed values
	used, crossUsed         int64
	maintenance             int64 // of the positions that share margin
	tightest                float64
	open                    int
}

// standing adds up an account's positions on an exchange.
func (a *account) standing(exchange int8, at int64) standing {
	s := standing{value: a.cash[exchange], crossValue: a.cash[exchange], tightest: math.Inf(1)}
	for coin := range a.positions {
		p, c := &a.positions[coin], &a.venue.coins[coin]
		if p.size == 0 || c.spot || c.exchange != exchange {
			continue
		}
		s.open++
		value := c.value(absolute(p.size), a.venue.mark(coin, at))
		signed, profit := value, p.unrealized(value)
		if p.size < 0 {
			signed = -value
		}
		s.value += profit
		s.notional += value
		s.net += signed
		if p.isolated {
			s.used += p.margin + profit
			s.crossValue -= p.margin
			s.tightest = min(s.tightest, float64(p.margin+profit)/float64(max(c.needs(value), 1)))
			continue
		}
		s.crossValue += profit
		s.crossNotional += value
		s.crossNet += signed
		s.used += value / int64(p.leverage)
		s.crossUsed += value / int64(p.leverage)
		s.maintenance += c.needs(value)
	}
	if s.maintenance > 0 {
		s.tightest = min(s.tightest, float64(s.crossValue)/float64(s.maintenance))
	}
	return s
}

// needs is the maintenance margin of a position's value.
func (c *contract) needs(value int64) int64 {
	rate, deduction := c.maintenance(float64(value) / million)
	return int64(math.Round(float64(value)*rate - deduction*million))
}

// free is what margin is not in use.
func (s standing) free() int64 { return max(0, s.crossValue-s.crossUsed) }

// watched is how many times the maintenance margin equity has to be for nobody to look at it within the hour; below watchedClosely it
// is looked at every few minutes.
const (
	watched        = 4
	watchedClosely = 2
)

// largePosition is from where on a first liquidation order closes a fifth only.
const largePosition = 100_000 * million

// checkMargin liquidates what has too little margin. First the position is closed on the market; where less than two thirds of the
// maintenance margin is left, the backstop takes it over with what margin there is. As long as margin is short it is looked at more
// often than every hour.
func (a *account) checkMargin(at int64) {
	for exchange := range int8(exchangeCount) {
		s := a.standing(exchange, at)
		if s.open == 0 {
			continue
		}
		if s.tightest < watched && !a.watching {
			a.watching = true
			pause := int64(150_000)
			if s.tightest > watchedClosely {
				pause *= 6
			}
			a.put(task{at: at + pause, do: doWatch})
		}
		if s.maintenance > 0 && s.crossValue < s.maintenance {
			a.liquidateCross(exchange, s, at)
		}
		for coin := range a.positions {
			p, c := &a.positions[coin], &a.venue.coins[coin]
			if p.size == 0 || !p.isolated || c.exchange != exchange {
				continue
			}
			value := c.value(absolute(p.size), a.venue.mark(coin, at))
			equity, needs := p.margin+p.unrealized(value), c.needs(value)
			if equity < needs {
				a.enter(entry{time: at, kind: entryLiquidation, usd: value, value: equity, lost: []holding{{uint8(coin), value, p.size}}})
				a.liquidate(coin, equity, 3*equity < 2*needs, at)
			}
		}
	}
}

func (a *account) liquidateCross(exchange int8, s standing, at int64) {
	var lost []holding
	for coin := range a.positions {
		p, c := &a.positions[coin], &a.venue.coins[coin]
		if p.size != 0 && !p.isolated && !c.spot && c.exchange == exchange {
			lost = append(lost, holding{uint8(coin), c.value(absolute(p.size), a.venue.mark(coin, at)), p.size})
		}
	}
	a.enter(entry{time: at, kind: entryLiquidation, usd: s.crossNotional, value: s.crossValue, cross: true, lost: lost})
	backstop, left := 3*s.crossValue < 2*s.maintenance, s.crossValue
	for i, h := range lost {
		share := proportion(s.crossValue, a.venue.coins[h.coin].needs(h.value), s.maintenance)
		if i == len(lost)-1 {
			share = left
		}
		left -= share
		a.liquidate(int(h.coin), share, backstop, at)
	}
}

// liquidate closes a position, or a fifth of a large one when there was no such order within a minute. The backstop pays the price at
// which the position's equity is gone.
func (a *account) liquidate(coin int, equity int64, backstop bool, at int64) {
	c, p := &a.venue.coins[coin], &a.positions[coin]
	mark := a.venue.mark(coin, at)
	what := &liquidation{user: a.address, mark: mark, backstop: backstop}
	t := trade{coin: coin, at: at, size: -p.size, order: a.order(at), of: what}
	if backstop {
		side := 1.0
		if p.size < 0 {
			side = -1
		}
		price := float64(mark) - side*float64(equity)/float64(absolute(p.size))*float64(powersOfTen[c.unit])
		t.price, t.forced = c.tick(math.Max(price, 1)/million), dirLiquidatedCross
		if p.isolated {
			t.forced = dirLiquidatedIsolated
		}
		a.backstopped = append(a.backstopped, len(a.fills))
		a.fill(t)
		return
	}
	lot := powersOfTen[c.unit-c.szDecimals]
	if value := c.value(absolute(p.size), mark); value > largePosition && at-a.partialAt > 60_000 {
		t.size = t.size / 5 / lot * lot
		a.partialAt = at
		a.put(task{at: at + 30_000, do: doWatch})
	}
	a.sweep(t)
}

// deleverageJump is the market's move within an hour from which on winners may be closed to cover others' losses.
const deleverageJump = 0.04

// deleverage closes part of a winning position, at the price of the loss it covers, after some of the market's greatest jumps.
func (a *account) deleverage(at int64) {
	hour := a.venue.hour(at)
	if hour == 0 || math.Abs(a.venue.market.jumped[hour-1]) < deleverageJump {
		return
	}
	for coin := range a.positions {
		p, c := &a.positions[coin], &a.venue.coins[coin]
		if p.size == 0 || c.spot || p.leverage < 3 || c.delistedAt(hour) {
			continue
		}
		mark := a.venue.mark(coin, at)
		value := c.value(absolute(p.size), mark)
		if float64(p.unrealized(value)) < 0.04*float64(value) || !a.stream.Chance(0.2) {
			continue
		}
		size := -p.size
		if lot := powersOfTen[c.unit-c.szDecimals]; a.stream.Chance(0.5) && absolute(size) >= 2*lot {
			size = size / 2 / lot * lot
		}
		loser := addressOf(seeded.MixAll(a.venue.seed, seeded.HashText("crowd"), uint64(hour), uint64(coin)))
		a.fill(trade{coin: coin, at: at, size: size, price: mark, order: a.order(at), forced: dirDeleveraging,
			of: &liquidation{user: loser, mark: mark, backstop: true}})
	}
}

func (a *account) enter(e entry) { a.ledger = append(a.ledger, e) }
