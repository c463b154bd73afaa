package position_test

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/position"
)

func TestPriceBook(t *testing.T) {
	at := func(minutes float64) time.Time { return start.Add(time.Duration(minutes * float64(time.Minute))) }
	book := position.NewPriceBook([]market.PriceSeries{
		{Asset: weth, Points: []market.PricePoint{{Time: at(10), USD: 2000}, {Time: at(20), USD: 2100}}},
		{Asset: chain.Native, Points: []market.PricePoint{{Time: at(0), USD: 1900}, {Time: at(500), USD: math.NaN()}}},
		{Asset: usdc, Points: []market.PricePoint{{Time: at(100), USD: -1}}},
	}, map[chain.Address][]market.Pool{
		tokenA: {{LiquidityUSD: math.NaN()}, {LiquidityUSD: 500}, {LiquidityUSD: 700}, {LiquidityUSD: 600}},
		tokenB: {},
		tokenC: {{LiquidityUSD: math.NaN()}},
	})
	for _, c := range []struct {
		asset   chain.Address
		minutes float64
		want    float64
	}{
		{weth, 10, 2000}, {chain.Native, 10, 2000}, {weth, 0, 1900}, {weth, 14, 2000}, {weth, 15, 2000}, {weth, 15.1, 2100},
		{weth, 80, 2100}, {weth, 80.1, math.NaN()}, {weth, -60, 1900}, {weth, -60.1, math.NaN()}, {weth, 500, math.NaN()},
		{usdc, 100, math.NaN()}, {tokenA, 10, math.NaN()},
	} {
		usd, ok := book.At(c.asset, at(c.minutes))
		if ok == math.IsNaN(c.want) {
			t.Errorf("%v at %v: found %v", c.asset, c.minutes, ok)
		}
		near(t, "price", usd, c.want)
	}
	near(t, "deepest pool", book.Liquidity(tokenA), 700)
	near(t, "no pool", book.Liquidity(tokenB), 0)
	near(t, "unknown liquidity", book.Liquidity(tokenC), math.NaN())
	near(t, "not asked", book.Liquidity(scam), math.NaN())
}

// However the points lie, the nearest one is found.
func TestPriceBookFindsTheNearest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seconds := rapid.SliceOfN(rapid.Int64Range(0, 20_000), 1, 60).Draw(t, "seconds")
		when := rapid.Int64Range(-4000, 24_000).Draw(t, "when")
		points := make([]market.PricePoint, len(seconds))
		nearest := int64(math.MaxInt64)
		for i, s := range seconds {
			points[i] = market.PricePoint{Time: start.Add(time.Duration(s) * time.Second), USD: float64(s + 1)}
			nearest = min(nearest, max(s-when, when-s))
		}
		book := position.NewPriceBook([]market.PriceSeries{{Asset: tokenA, Points: points}}, nil)
		usd, ok := book.At(tokenA, start.Add(time.Duration(when)*time.Second))
		if ok != (nearest <= 3600) {
			t.Fatalf("nearest is %d s away, found %v", nearest, ok)
		}
		if away := math.Abs(usd - 1 - float64(when)); ok && away != float64(nearest) {
			t.Fatalf("found one %v s away, nearest is %d s", away, nearest)
		}
	})
}
