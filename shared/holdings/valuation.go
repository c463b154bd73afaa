package holdings

import (
	"math"
	"slices"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// When a price is believed. Anybody can make a token, a pool for it and a price, and send the token to strangers; so
//   - the price is the middle one of what the pools, the price index and the explorer say, the lower one of two;
//   - the chain's own assets need a price from the index or, where it has none, from a pool: their addresses are known, and no dollar
//     coin counts for more than a dollar;
//   - any other token needs a pool of leastLiquidityUSD or more, and either a second source that agrees within the factor agreement or
//     a pool against one of the chain's own assets that is not much smaller than the holding (largestInPools); without any such pool the
//     index and the explorer must agree;
//   - no holding counts for more than selling it into its pools would bring by x*y=k, and none above the token's whole supply or above
//     maximumUSD counts at all.
const (
	leastLiquidityUSD = 1_000
	// agreement is the factor within which two prices are the same.
	agreement = 2
	// largestInPools is how many times what its pools hold of other assets a holding may be listed at where only they know a price.
	largestInPools = 10
	// maximumUSD is more than any wallet holds of anything.
	maximumUSD = 1e12
	// pegUSD is the price of a dollar coin below which it is no dollar.
	pegUSD = 0.95
)

// depth is what a token's pools say.
type depth struct {
	// priceUSD is that of the deepest pool of leastLiquidityUSD or more, NaN without one.
	priceUSD float64
	// anchored is true when the pools are against the chain's own assets, whose value nobody can make up.
	anchored bool
	// reserveUSD is what the pools hold of the other assets: half of their liquidity. NaN when none tells.
	reserveUSD float64
}

// depthOf reads the pools against the chain's own assets or, where there are none, the others.
func depthOf(on *chain.Chain, pools []market.Pool) depth {
	d := depth{priceUSD: math.NaN(), reserveUSD: math.NaN()}
	d.anchored = slices.ContainsFunc(pools, func(p market.Pool) bool { return isPositive(p.LiquidityUSD) && on.IsQuote(p.Quote) })
	deepest := 0.0
	for i := range pools {
		p := &pools[i]
		if !isPositive(p.LiquidityUSD) || on.IsQuote(p.Quote) != d.anchored {
			continue
		}
		if math.IsNaN(d.reserveUSD) {
			d.reserveUSD = 0
		}
		d.reserveUSD += p.LiquidityUSD / 2
		if p.LiquidityUSD < leastLiquidityUSD || !isPositive(p.PriceUSD) {
			continue
		}
		if p.LiquidityUSD > deepest || p.LiquidityUSD == deepest && p.PriceUSD < d.priceUSD {
			deepest, d.priceUSD = p.LiquidityUSD, p.PriceUSD
		}
	}
	return d
}

// worth is what a holding counts for.
type worth struct {
	// usd is what it would bring, nominalUSD what it is at the believed price. Both are NaN when no price is believed.
	usd, nominalUSD float64
	priceUSD        float64
}

var unpriced = worth{math.NaN(), math.NaN(), math.NaN()}

// worthOf values a token that anybody could have made. indexedUSD is the price index's price, NaN for none.
func worthOf(on *chain.Chain, h *holding, indexedUSD float64, pools []market.Pool) worth {
	if !h.token.TotalSupply.IsZero() && h.amount.Gt(&h.token.TotalSupply) {
		return unpriced
	}
	d := depthOf(on, pools)
	w := worth{priceUSD: middlePrice(d.priceUSD, indexedUSD, h.listedUSD)}
	w.nominalUSD = h.units() * w.priceUSD
	believed := agree(indexedUSD, h.listedUSD)
	if isPositive(d.priceUSD) {
		believed = agree(d.priceUSD, indexedUSD) || agree(d.priceUSD, h.listedUSD) || d.anchored && w.nominalUSD <= largestInPools*d.reserveUSD
	}
	w.usd = w.nominalUSD
	if isPositive(d.reserveUSD) {
		w.usd = d.reserveUSD / (1 + d.reserveUSD/w.nominalUSD)
	}
	if !believed || !isPositive(w.usd) || !(w.nominalUSD <= math.MaxFloat64) || w.usd > maximumUSD {
		return unpriced
	}
	return w
}

// worthOfOwn values one of the chain's own assets.
func worthOfOwn(on *chain.Chain, h *holding, indexedUSD float64, pools []market.Pool) worth {
	market := indexedUSD
	if !isPositive(market) {
		market = depthOf(on, pools).priceUSD
	}
	if !isPositive(market) {
		return unpriced
	}
	w := worth{priceUSD: middlePrice(market, h.listedUSD)}
	if on.IsStable(h.asset) {
		w.priceUSD = min(w.priceUSD, 1)
	}
	w.nominalUSD = h.units() * w.priceUSD
	if w.usd = w.nominalUSD; !isPositive(w.usd) || w.usd > maximumUSD {
		return unpriced
	}
	return w
}

// middlePrice is the median of the prices that are known, the lower one of an even number, NaN of none.
func middlePrice(prices ...float64) float64 {
	prices = slices.DeleteFunc(prices, func(x float64) bool { return !isPositive(x) })
	if len(prices) == 0 {
		return math.NaN()
	}
	slices.Sort(prices)
	return prices[(len(prices)-1)/2]
}

// agree tells whether two prices are known and about the same.
func agree(a, b float64) bool {
	return isPositive(a) && isPositive(b) && max(a, b) <= agreement*min(a, b)
}

// Position is a holding at a price that is believed.
type Position struct {
	// Asset is the token, chain.Native for the chain's own coin and its wrapped form together.
	Asset chain.Address
	// Symbol is fit to be shown.
	Symbol string
	Class  Class
	// USD is what selling it would bring, NominalUSD what it is worth at PriceUSD, the price of one unit.
	USD, NominalUSD, PriceUSD float64
}

// Class is what kind of asset a position is in.
type Class uint8

const (
	// Ordinary tokens are ones that anybody could have made.
	Ordinary Class = iota
	// Cash is a dollar coin at its peg, Unpegged one below it.
	Cash
	Unpegged
	// Major is the chain's own coin or a staked receipt of it.
	Major
)

func classOf(on *chain.Chain, asset chain.Address, priceUSD float64) Class {
	switch {
	case on.IsStable(asset) && priceUSD < pegUSD:
		return Unpegged
	case on.IsStable(asset):
		return Cash
	case on.IsQuote(asset):
		return Major
	}
	return Ordinary
}
