package token

import (
	"cmp"
	"math"
	"slices"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/stats"
)

// The origins of demand.
const (
	OriginOrganic = "organic"
	OriginMixed   = "mixed"
	OriginBots    = "bot-driven"
	OriginUnknown = "unknown"
)

// Origin tells whether a token's buyers look like people or like machines. Shares are 0 to 1.
type Origin struct {
	Label string
	// Score is 0 for people and 1 for machines: the mean of the evidence of sizes, of arrivals and of accounts, so that no single
	// oddity makes demand bot-driven. NaN when unknown.
	Score  float64
	Buyers int
	// EqualSizes is the share of buys that at least two others equal to four significant digits, in value, in amount or in what was paid
	// in the pool's other token: the same payment, repeated, is worth something else in dollars every time that token's price moves.
	EqualSizes float64
	// Bundled is the share of buys made in one block by three accounts or more, beyond what as many buys would share by chance.
	Bundled float64
	// GapVariation is the standard deviation of the time between buys over its mean: 1 by chance, 0 for a clock. NaN where buys come
	// in too many of the blocks to tell.
	GapVariation float64
	// Churned is the share of the traded value that accounts bought and sold again.
	Churned float64
}

// The evidence grows from nothing at the first number to all of it at the second.
var (
	equalSizesRange   = [2]float64{0.10, 0.40}
	bundledRange      = [2]float64{0.10, 0.40}
	gapVariationRange = [2]float64{0.80, 0.40}
	churnedRange      = [2]float64{0.30, 0.80}
)

const (
	minimumBuyers  = 30
	organicBelow   = 0.3
	botDrivenAbove = 0.6
	// sameSize is the relative difference below which two sizes are equal.
	sameSize = 5e-5
	// bundleSize is how many accounts buying in one block make a bundle.
	bundleSize = 3
	// nearbyBlocks on either side of a block tell how many buys it would have by chance.
	nearbyBlocks = 10
	// sparseGap is the mean time between buys, in blocks, from which their timing can be told from that of the blocks.
	sparseGap = 4
)

// OriginOf judges the trades of a token in one pool, in any order. Below 30 distinct buyers it is unknown. Who funded the buyers and
// how old their accounts are is not among the facts.
func OriginOf(trades []market.TokenTrade) Origin {
	o := Origin{Label: OriginUnknown, Score: math.NaN(), EqualSizes: math.NaN(), Bundled: math.NaN(), GapVariation: math.NaN(), Churned: math.NaN()}
	trades = inChainOrder(trades)
	var buys []market.TokenTrade
	buyers := make(map[chain.Address]bool)
	for _, t := range trades {
		if t.Buy && t.ValueUSD > 0 && t.Amount > 0 && !math.IsInf(t.ValueUSD, 0) && !math.IsInf(t.Amount, 0) {
			buys = append(buys, t)
			buyers[t.Trader] = true
		}
	}
	o.Buyers = len(buyers)
	if o.Buyers < minimumBuyers {
		return o
	}
	o.EqualSizes = equalSizes(buys)
	o.Bundled = bundled(buys)
	o.GapVariation = gapVariation(buys)
	o.Churned = churned(trades)
	arrivals := ramp(o.Bundled, bundledRange)
	if !math.IsNaN(o.GapVariation) {
		arrivals = max(arrivals, ramp(o.GapVariation, gapVariationRange))
	}
	o.Score = (ramp(o.EqualSizes, equalSizesRange) + arrivals + ramp(o.Churned, churnedRange)) / 3
	switch {
	case o.Score < organicBelow:
		o.Label = OriginOrganic
	case o.Score > botDrivenAbove:
		o.Label = OriginBots
	default:
		o.Label = OriginMixed
	}
	return o
}

// ramp is 0 up to the range's first number and 1 from its second on.
func ramp(x float64, over [2]float64) float64 {
	return max(0, min(1, (x-over[0])/(over[1]-over[0])))
}

func equalSizes(buys []market.TokenTrade) float64 {
	equal := make([]bool, len(buys))
	for _, size := range [...]func(market.TokenTrade) float64{
		func(t market.TokenTrade) float64 { return t.ValueUSD }, func(t market.TokenTrade) float64 { return t.Amount },
		func(t market.TokenTrade) float64 { return t.QuoteAmount },
	} {
		order := make([]int, 0, len(buys))
		for i := range buys {
			if size(buys[i]) > 0 {
				order = append(order, i)
			}
		}
		slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(size(buys[a]), size(buys[b])), cmp.Compare(a, b)) })
		low, high := 0, 0
		for _, i := range order {
			for size(buys[order[low]]) < size(buys[i])*(1-sameSize) {
				low++
			}
			for high < len(order) && size(buys[order[high]]) <= size(buys[i])*(1+sameSize) {
				high++
			}
			equal[i] = equal[i] || high-low >= 3
		}
	}
	return share(equal)
}

func share(of []bool) float64 {
	n := 0
	for _, is := range of {
		if is {
			n++
		}
	}
	return float64(n) / float64(len(of))
}

// bundled is the share of buys in blocks with at least bundleSize buyers less what chance would put there at the rate of the blocks
// around.
func bundled(buys []market.TokenTrade) float64 {
	counts := make(map[uint64]int)
	for i := range buys {
		counts[buys[i].Block]++
	}
	first, last := buys[0].Block, buys[len(buys)-1].Block
	together, chance := 0, 0.0
	for start := 0; start < len(buys); {
		block := buys[start].Block
		if block == 0 {
			return 0 // blocks are not told
		}
		end := start
		buyers := make(map[chain.Address]bool)
		for ; end < len(buys) && buys[end].Block == block; end++ {
			buyers[buys[end].Trader] = true
		}
		if len(buyers) >= bundleSize {
			together += end - start
		}
		near, blocks := 0, 0
		for d := uint64(1); d <= nearbyBlocks; d++ {
			if block >= first+d {
				near, blocks = near+counts[block-d], blocks+1
			}
			if block+d <= last {
				near, blocks = near+counts[block+d], blocks+1
			}
		}
		// The chance, for a buy of the block, that at least two others fall into it too.
		rate := float64(near) / float64(max(1, blocks))
		chance += float64(end-start) * (1 - math.Exp(-rate)*(1+rate))
		start = end
	}
	return max(0, (float64(together)-chance)/float64(len(buys)))
}

func gapVariation(buys []market.TokenTrade) float64 {
	var gaps []float64
	for i := 1; i < len(buys); i++ {
		if gap := buys[i].Time.Sub(buys[i-1].Time).Seconds(); gap > 0 {
			gaps = append(gaps, gap)
		}
	}
	if len(gaps) < minimumBuyers/2 {
		return math.NaN()
	}
	first, last := &buys[0], &buys[len(buys)-1]
	blockTime := 1.0
	if last.Block > first.Block {
		blockTime = max(blockTime, last.Time.Sub(first.Time).Seconds()/float64(last.Block-first.Block))
	}
	m := stats.Describe(gaps)
	if m.Mean < sparseGap*blockTime {
		return math.NaN()
	}
	return m.SD / m.Mean
}

// churned is the part of the traded value that the same accounts bought and sold.
func churned(trades []market.TokenTrade) float64 {
	type sides struct{ bought, sold float64 }
	accounts := make(map[chain.Address]*sides)
	var order []*sides
	for i := range trades {
		t := &trades[i]
		if !(t.ValueUSD > 0) || math.IsInf(t.ValueUSD, 0) {
			continue
		}
		a := accounts[t.Trader]
		if a == nil {
			a = new(sides)
			accounts[t.Trader] = a
			order = append(order, a)
		}
		if t.Buy {
			a.bought += t.ValueUSD
		} else {
			a.sold += t.ValueUSD
		}
	}
	both, all := 0.0, 0.0
	for _, a := range order {
		both += 2 * min(a.bought, a.sold)
		all += a.bought + a.sold
	}
	return both / all
}
