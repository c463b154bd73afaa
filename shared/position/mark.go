package position

import (
	"math"
	"sort"
	"time"
)

const (
	// poolFee is the fee of the constant-product pool an exit is simulated in.
	poolFee = 0.003
	// deadShare and deadFor: what cannot be sold for this part of its cost for that long is dead.
	deadShare = 0.05
	deadFor   = 7 * 24 * time.Hour
	// restShare and idleFor: a rest under this part of its cost, left alone for that long, is abandoned.
	restShare = 0.10
	idleFor   = 30 * 24 * time.Hour
)

// Recoverable is the USD that selling a quantity at once into the deepest pool would bring: the value v = quantity * price
// against a quote side of Y gives v*Y/(v+Y) by the constant-product rule (Adams et al. 2020, Uniswap v2 Core), less a pool fee of 0.3 % and
// the token's sell tax, where known. It is zero when holders cannot sell or there is no market, and NaN when there is a
// price but nobody knows how much can be taken out.
func Recoverable(quantity float64, mark Mark) float64 {
	return recoverableAt(quantity, mark.PriceUSD, &mark)
}

// recoverableAt is Recoverable at another price. The pool's depth is taken as it is now.
func recoverableAt(quantity, price float64, mark *Mark) float64 {
	if mark.Unsellable || !(quantity > 0) || !(price > 0) || mark.QuoteUSD <= 0 || mark.SellTax >= 1 {
		return 0
	}
	value := 1 / (1/(quantity*price) + 1/mark.QuoteUSD) * (1 - poolFee)
	if mark.SellTax > 0 {
		value *= 1 - mark.SellTax
	}
	if math.IsInf(value, 0) {
		return math.NaN()
	}
	return value
}

// deadSince tells whether a rest has been worth less than deadShare of its cost for at least deadFor at asOf, and since when.
// Prices between two points are those of the earlier one. A token without any market or that nobody can sell needs no past
// to prove it; any other needs a past that reaches back far enough.
func deadSince(quantity, cost float64, mark *Mark, lastTrade, asOf time.Time) (time.Time, bool) {
	if asOf.Sub(lastTrade) < deadFor || !(recoverableAt(quantity, mark.PriceUSD, mark) < deadShare*cost) {
		return time.Time{}, false
	}
	// A pool that is empty now was not when it had a price; how deep it was nobody knows.
	then := *mark
	if !(then.QuoteUSD > 0) {
		then.QuoteUSD = math.Inf(1)
	}
	worthless := func(price float64) bool { return recoverableAt(quantity, price, &then) < deadShare*cost }
	past := mark.Past[:sort.Search(len(mark.Past), func(i int) bool { return mark.Past[i].Time.After(asOf) })]
	first := len(past)
	for first > 0 && worthless(past[first-1].USD) {
		first--
	}
	since := asOf
	if first < len(past) {
		since = past[first].Time
	}
	proven := false
	if mark.Unsellable || !(mark.PriceUSD > 0) || mark.QuoteUSD <= 0 {
		switch {
		case len(past) == 0:
			since, proven = lastTrade, true
		case first == 0:
			proven = true
		case first == len(past):
			// The market went away after its last price.
			since = past[first-1].Time
		}
	}
	if !proven && asOf.Sub(since) < deadFor {
		return time.Time{}, false
	}
	if earliest := lastTrade.Add(deadFor); since.Before(earliest) {
		since = earliest
	}
	return since, true
}
