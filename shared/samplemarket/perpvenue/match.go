package perpvenue

import (
	"math"
	"strings"
)

// rule is why an order is refused, as the answer and as the order's status.
type rule struct{ text, status string }

var (
	ruleHalted     = &rule{"Trading is halted.", "delistedCanceled"}
	ruleTick       = &rule{"Price must be divisible by tick size.", "tickRejected"}
	ruleSize       = &rule{"Order has invalid size.", "rejected"}
	ruleKind       = &rule{"Only Ioc orders are simulated.", "rejected"}
	ruleFar        = &rule{"Order price cannot be more than 95% away from the reference price.", "oracleRejected"}
	ruleReduceOnly = &rule{"Reduce only order would increase position.", "reduceOnlyRejected"}
	ruleMinimum    = &rule{"Order must have minimum value of $10.", "minTradeNtlRejected"}
	ruleNoMatch    = &rule{"Order could not immediately match against any resting orders.", "iocCancelRejected"}
	ruleMargin     = &rule{"Insufficient margin to place order.", "perpMarginRejected"}
	ruleTier       = &rule{"Order would cause position to exceed margin tier limit at current leverage.", "perpMaxPositionRejected"}
)

// leastOrder is what an order is worth at least, unless it closes a position for good.
const leastOrder = 10 * million

// usualLeverage is that of a coin for which none was set, as far as the coin allows.
const usualLeverage = 20

// match fills an order against the book, and gives what was paid for it all.
func (v *Venue) match(a *account, o *order, w *orderWire) (int64, *rule) {
	c, p := &v.coins[o.coin], &a.positions[o.coin]
	size, sized := decimalUnits(w.Size, c.szDecimals)
	limit, priced := decimalUnits(w.Price, moneyDecimals)
	mark := v.mark(o.coin, v.now)
	o.size = size
	closing := p.size != 0 && (p.size > 0) != o.buy && size == absolute(p.size)
	switch {
	case c.delistedAt(v.hour(v.now)):
		return 0, ruleHalted
	case o.tif != "Ioc":
		return 0, ruleKind
	case !priced || limit <= 0 || !c.onTick(w.Price):
		return 0, ruleTick
	case !sized || size <= 0:
		return 0, ruleSize
	case limit > mark+mark/20*19 || limit < mark/20:
		return 0, ruleFar
	case o.reduceOnly && (p.size == 0 || (p.size > 0) == o.buy || size > absolute(p.size)):
		return 0, ruleReduceOnly
	case !(closing && o.reduceOnly) && c.value(size, min(limit, mark)) < leastOrder:
		return 0, ruleMinimum
	}
	if p.leverage == 0 {
		p.leverage, p.isolated = min(usualLeverage, c.maxLeverage()), c.onlyIsolate
	}
	parts := v.takes(o, limit)
	if len(parts) == 0 {
		return 0, ruleNoMatch
	}
	side, value, units := int64(1), int64(0), int64(0)
	if !o.buy {
		side = -1
	}
	for _, part := range parts {
		units += part.size
		value += c.value(part.size, part.price)
	}
	if refused := a.affords(o.coin, side, parts); refused != nil {
		return 0, refused
	}
	for _, part := range parts {
		basis := p.basis
		a.fill(trade{coin: o.coin, at: v.now, size: side * part.size, price: part.price, order: o.id})
		p.secure(basis)
	}
	o.filled = units
	a.checkMargin(v.now)
	return value, nil
}

// onTick tells whether a price has at most five significant digits, or no decimals, and not too many decimals.
func (c *contract) onTick(plain string) bool {
	whole, decimals, _ := strings.Cut(plain, ".")
	significant := strings.TrimLeft(whole+decimals, "0")
	return len(decimals) <= 6-c.szDecimals && (decimals == "" || len(significant) <= 5)
}

// takes is what an order takes out of the book, best price first.
func (v *Venue) takes(o *order, limit int64) []level {
	levels := v.book(o.coin)[map[bool]int{false: 0, true: 1}[o.buy]]
	var parts []level
	for left := o.size; left > 0 && len(levels) > 0; levels = levels[1:] {
		next := levels[0]
		if o.buy && next.price > limit || !o.buy && next.price < limit {
			break
		}
		next.size = min(next.size, left)
		if left -= next.size; next.size > 0 {
			parts = append(parts, next)
		}
	}
	return parts
}

// affords tells whether the account has the margin for what a trade adds to its position, by trying it.
func (a *account) affords(coin int, side int64, parts []level) *rule {
	c, p := &a.venue.coins[coin], &a.positions[coin]
	position, cash := *p, a.cash
	defer func() { *p, a.cash = position, cash }()
	for _, part := range parts {
		basis, value := p.basis, c.value(part.size, part.price)
		a.cash[c.exchange] += p.book(side*part.size, value) - int64(math.Round(float64(value)*takerFee/million))
		p.secure(basis)
	}
	if p.size == 0 || (p.size > 0) == (position.size > 0) && absolute(p.size) <= absolute(position.size) {
		return nil
	}
	for _, t := range c.tiers {
		if float64(c.value(absolute(p.size), a.venue.mark(coin, a.venue.now)))/million > t.from && float64(p.leverage) > t.maxLeverage {
			return ruleTier
		}
	}
	if s := a.standing(c.exchange, a.venue.now); s.crossUsed > s.crossValue {
		return ruleMargin
	}
	return nil
}
