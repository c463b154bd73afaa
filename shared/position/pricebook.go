package position

import (
	"math"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// priceTolerance is how far a price point may lie from the time it is used for.
const priceTolerance = time.Hour

// PriceBook is Prices made of what the ports returned. It is safe for concurrent use.
type PriceBook struct {
	series    map[chain.Address]priceLine
	liquidity map[chain.Address]float64
}

// priceLine is one asset's prices in time order.
type priceLine struct {
	times []int64
	usd   []float64
}

var _ Prices = (*PriceBook)(nil)

// NewPriceBook makes Prices of price series and current pools. A price is that of the nearest point within priceTolerance,
// the earlier of two equally near. The native coin and its wrapped form share their points. A token's liquidity is that
// of its deepest pool; zero when its pools were asked for and there are none, NaN when they were not asked for or no pool's
// liquidity is known. Points without a positive, finite price are left out.
func NewPriceBook(series []market.PriceSeries, pools map[chain.Address][]market.Pool) *PriceBook {
	book := &PriceBook{
		series:    make(map[chain.Address]priceLine, len(series)),
		liquidity: make(map[chain.Address]float64, len(pools)),
	}
	points := make(map[chain.Address][]market.PricePoint, len(series))
	for _, one := range series {
		asset := canonical(one.Asset)
		if len(points[asset]) == 0 {
			points[asset] = one.Points
		} else {
			points[asset] = slices.Concat(points[asset], one.Points)
		}
	}
	for asset, list := range points {
		book.series[asset] = newPriceLine(list)
	}
	for token, list := range pools {
		book.liquidity[token] = deepest(list)
	}
	return book
}

func newPriceLine(points []market.PricePoint) priceLine {
	if !slices.IsSortedFunc(points, comparePoints) {
		points = slices.Clone(points)
		slices.SortStableFunc(points, comparePoints)
	}
	line := priceLine{times: make([]int64, 0, len(points)), usd: make([]float64, 0, len(points))}
	for _, point := range points {
		if point.USD > 0 && !math.IsInf(point.USD, 0) {
			line.times = append(line.times, point.Time.Unix())
			line.usd = append(line.usd, point.USD)
		}
	}
	return line
}

func comparePoints(a, b market.PricePoint) int { return a.Time.Compare(b.Time) }

func deepest(pools []market.Pool) float64 {
	if len(pools) == 0 {
		return 0
	}
	depth := math.NaN()
	for i := range pools {
		if liquidity := pools[i].LiquidityUSD; liquidity >= 0 && !(depth >= liquidity) {
			depth = liquidity
		}
	}
	return depth
}

// canonical names a wrapped native coin, of whatever chain, by chain.Native.
func canonical(asset chain.Address) chain.Address {
	for _, on := range chain.All() {
		if asset == on.WrappedNative.Address {
			return chain.Native
		}
	}
	return asset
}

// At is the price nearest to a time.
func (b *PriceBook) At(asset chain.Address, at time.Time) (float64, bool) {
	line, found := b.series[asset]
	if !found {
		if line, found = b.series[canonical(asset)]; !found {
			return math.NaN(), false
		}
	}
	if len(line.times) == 0 {
		return math.NaN(), false
	}
	when := at.Unix()
	after := line.search(when)
	best := after
	if after == len(line.times) || after > 0 && when-line.times[after-1] <= line.times[after]-when {
		best = after - 1
	}
	away := line.times[best] - when
	if away < 0 {
		away = -away
	}
	if away > int64(priceTolerance/time.Second) {
		return math.NaN(), false
	}
	return line.usd[best], true
}

// search finds the first time at or after when. Points are mostly even in time, so a look where a straight line would have
// them is nearly always close; from there it doubles its steps and halves the interval.
func (l priceLine) search(when int64) int {
	times := l.times
	last := len(times) - 1
	if when <= times[0] {
		return 0
	}
	if when > times[last] {
		return last + 1
	}
	at := int(float64(when-times[0]) / float64(times[last]-times[0]) * float64(last))
	at = min(max(at, 0), last)
	low, high := at, at
	for step := 1; low > 0 && times[low] >= when; step *= 2 {
		high, low = low, max(0, low-step)
	}
	for step := 1; times[high] < when; step *= 2 {
		low, high = high, min(last, high+step)
	}
	// times[low] < when <= times[high]
	for high-low > 1 {
		middle := int(uint(low+high) / 2)
		if times[middle] < when {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// Liquidity is the liquidity of a token's deepest pool in USD.
func (b *PriceBook) Liquidity(token chain.Address) float64 {
	if liquidity, found := b.liquidity[token]; found {
		return liquidity
	}
	return math.NaN()
}
