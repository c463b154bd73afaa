package holdings

import (
	"math"
	"testing"

	"github.com/holiman/uint256"
	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

var (
	nan    = math.NaN()
	weth   = ethereum().WrappedNative.Address
	usdc   = ethereum().Stables[0].Address
	junk   = chain.Address{0xbb}
	shiba  = chain.Address{0xaa, 1}
	hugeIn = math.Inf(1)
)

func ethereum() *chain.Chain { on, _ := chain.Parse("eth"); return on }

// raw is so many units of a token with 18 decimals.
func raw(units uint64) market.Amount {
	return *new(uint256.Int).Mul(uint256.NewInt(units), uint256.NewInt(1e18))
}

// balance is a row of a token with 18 decimals, at the explorer's price.
func balance(asset chain.Address, units uint64, listed float64) market.Holding {
	return market.Holding{Token: market.Token{Address: asset, Symbol: "SHIB", Name: "Shiba", Decimals: 18, Known: true}, Amount: raw(units), PriceUSD: listed}
}

func poolOf(quote chain.Address, price, liquidity float64) market.Pool {
	return market.Pool{ID: "pool", Quote: quote, PriceUSD: price, LiquidityUSD: liquidity}
}

func TestWhichPriceIsBelieved(t *testing.T) {
	anchored, foreign := func(price, liquidity float64) []market.Pool { return []market.Pool{poolOf(weth, price, liquidity)} },
		func(price, liquidity float64) []market.Pool { return []market.Pool{poolOf(junk, price, liquidity)} }
	for _, c := range []struct {
		name            string
		units           uint64
		listed, indexed float64
		pools           []market.Pool
		want            float64 // NaN for none
	}{
		// 50,000 in the pool's other side: 50000/(1+50000/1000).
		{"a deep pool", 1000, nan, nan, anchored(1, 100_000), 980.392156862745},
		{"as much as the pool pays at most", 50_000, nan, nan, anchored(1, 100_000), 25_000},
		{"ten times the pool", 500_000, nan, nan, anchored(1, 100_000), 45_454.5454545454},
		{"more than ten times the pool", 500_001, nan, nan, anchored(1, 100_000), nan},
		{"more, but another source agrees", 5_000_000, nan, 1.9, anchored(1, 100_000), 49_504.9504950495},
		{"more, and another source disagrees", 5_000_000, nan, 2.1, anchored(1, 100_000), nan},
		{"the lower of two that disagree", 1000, nan, 0.1, anchored(1, 100_000), 99.8003992015968},
		{"the middle of three", 1000, 1e9, 0.9, anchored(1, 100_000), 980.392156862745},
		{"the middle of three is never the pool alone", 1000, 0.5, 0.5, anchored(100, 100_000), 495.04950495049},
		{"a pool of nearly nothing", 1000, nan, nan, anchored(1, 999), nan},
		{"a pool of the least that counts", 100, nan, nan, anchored(1, 1_000), 83.3333333333333},
		{"the explorer alone", 1000, 1, nan, nil, nan},
		{"the index alone", 1000, nan, 1, nil, nan},
		{"the index and the explorer", 1000, 1, 1.5, nil, 1000},
		{"the index and the explorer, far apart", 1000, 1, 2.5, nil, nan},
		{"both, but the market is gone", 1000, 1, 1, anchored(1e-9, 20), 9.9009900990099},
		{"a pool against a token that anybody made", 1000, nan, nan, foreign(1, 1e9), nan},
		{"such a pool, and another source agrees", 1000, nan, 1, foreign(1, 2_000), 500},
		{"such a pool, and another source disagrees", 1000, nan, 3, foreign(1, 2_000), nan},
		{"such a pool does not count beside a real one", 1000, nan, nan, append(foreign(1e9, 1e9), anchored(1, 100_000)...), 980.392156862745},
		{"two pools hold more than one", 1000, nan, nan, append(anchored(1, 100_000), anchored(1.5, 60_000)...), 987.654320987654},
		{"nobody", 1000, nan, nan, nil, nan},
		{"a price without end", 1000, hugeIn, hugeIn, anchored(hugeIn, hugeIn), nan},
		{"a negative price", 1000, -1, -1, anchored(-1, 100_000), nan},
		{"a price of zero", 1000, 0, 0, anchored(0, 100_000), nan},
		{"more than anybody has", 1_000_000_000, 2_000, 2_000, nil, nan},
	} {
		row := balance(shiba, c.units, c.listed)
		h := mergeHoldings(ethereum(), []market.Holding{row})[0]
		got := worthOf(ethereum(), &h, c.indexed, c.pools).usd
		if !(math.Abs(got-c.want) < 1e-9*c.want || math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestMoreThanTheSupplyIsWorthNothing(t *testing.T) {
	row := balance(shiba, 1000, 1)
	row.Token.TotalSupply = raw(1000)
	if h := mergeHoldings(ethereum(), []market.Holding{row})[0]; !(worthOf(ethereum(), &h, 1, nil).usd == 1000) {
		t.Error("all of the supply is worth something")
	}
	row.Token.TotalSupply = raw(999)
	if h := mergeHoldings(ethereum(), []market.Holding{row})[0]; !math.IsNaN(worthOf(ethereum(), &h, 1, nil).usd) {
		t.Error("more than the supply is worth nothing")
	}
}

func TestOwnAssets(t *testing.T) {
	on := ethereum()
	dollarRow := balance(usdc, 1, nan)
	dollarRow.Amount = *uint256.NewInt(1000e6)
	for _, c := range []struct {
		name            string
		row             market.Holding
		listed, indexed float64
		pools           []market.Pool
		want            float64
		class           Class
	}{
		{"native", balance(chain.Native, 2, nan), 2000, 2100, nil, 4000, Major},
		{"native, the explorer far too high", balance(chain.Native, 2, nan), 1e9, 2000, nil, 4000, Major},
		{"native, by the explorer alone", balance(chain.Native, 2, nan), 2000, nan, nil, nan, Major},
		{"native, by a pool", balance(chain.Native, 2, nan), nan, nan, []market.Pool{poolOf(usdc, 1999, 1e6)}, 3998, Major},
		{"native, by a pool of nothing", balance(chain.Native, 2, nan), nan, nan, []market.Pool{poolOf(usdc, 1999, 10)}, nan, Major},
		{"staked", balance(on.Staked[0].Address, 2, nan), nan, 2000, nil, 4000, Major},
		{"a dollar", dollarRow, nan, 1, nil, 1000, Cash},
		{"a dollar whose decimals are told wrong", func() market.Holding { r := dollarRow; r.Token.Decimals = 0; return r }(), nan, 1, nil, 1000, Cash},
		{"a dollar is worth no more than one", dollarRow, 50, 50, nil, 1000, Cash},
		{"a dollar at the border of its peg", dollarRow, nan, 0.95, nil, 950, Cash},
		{"a dollar that is none", dollarRow, nan, 0.949, nil, 949, Unpegged},
		{"a dollar listed as spam", func() market.Holding { r := dollarRow; r.Token.Spam = true; return r }(), nan, 1, nil, 1000, Cash},
	} {
		c.row.PriceUSD = c.listed
		h := mergeHoldings(on, []market.Holding{c.row})[0]
		w := worthOfOwn(on, &h, c.indexed, c.pools)
		if !(math.Abs(w.usd-c.want) < 1e-9*c.want || math.IsNaN(w.usd) && math.IsNaN(c.want)) {
			t.Errorf("%s: %v, want %v", c.name, w.usd, c.want)
		}
		if got := classOf(on, h.asset, w.priceUSD); got != c.class {
			t.Errorf("%s: class %v, want %v", c.name, got, c.class)
		}
	}
}

func TestRowsOfOneAssetAreOneHolding(t *testing.T) {
	flagged := balance(shiba, 5, 0.5)
	flagged.Token.Spam = true
	other := balance(shiba, 100, nan)
	other.Token.Decimals = 19
	overflowing := balance(junk, 1, nan)
	overflowing.Amount.SetAllOne()
	merged := mergeHoldings(ethereum(), []market.Holding{
		balance(weth, 2, 1990), balance(shiba, 4, nan), balance(chain.Native, 1, 2000), flagged, balance(shiba, 0, 1e9), other, overflowing, balance(junk, 5, nan),
	})
	if len(merged) != 3 {
		t.Fatalf("%+v", merged)
	}
	native, of, junk := &merged[0], &merged[1], &merged[2]
	if native.asset != chain.Native || native.units() != 3 || native.listedUSD != 1990 || native.token.Symbol != "ETH" {
		t.Errorf("%+v", native)
	}
	if of.asset != shiba || of.units() != 9 || of.listedUSD != 0.5 || !of.token.Spam {
		t.Errorf("%+v", of)
	}
	if all := *new(uint256.Int).SetAllOne(); junk.amount != all {
		t.Errorf("%v", junk.amount)
	}
}

func TestOnlySoManyTokensAreLookedUp(t *testing.T) {
	on := ethereum()
	rows := []market.Holding{balance(usdc, 1, nan), balance(chain.Native, 1, nan)}
	for i := range maximumPriced + 20 {
		rows = append(rows, balance(chain.Address{0xcc, byte(i >> 8), byte(i)}, 1, nan))
	}
	dear, popular := balance(chain.Address{0xff}, 1, 5), balance(chain.Address{0xfe}, 1, nan)
	popular.Token.Holders = 9000
	unknown, spam := balance(chain.Address{0xfd}, 1, 1e9), balance(chain.Address{0xfc}, 1, 1e9)
	unknown.Token.Known, spam.Token.Spam = false, true
	all := mergeHoldings(on, append(rows, dear, popular, unknown, spam))
	own, others, left := candidates(on, all)
	if len(own) != 2 || len(others) != maximumPriced || left != 22 || others[0].asset != dear.Token.Address || others[1].asset != popular.Token.Address {
		t.Errorf("%d, %d, %d left", len(own), len(others), left)
	}
}

// A holding never counts for more than it is listed at, nor for more than its pools hold, whatever anybody claims.
func TestNothingIsWorthMoreThanItsPoolsHold(t *testing.T) {
	price := rapid.Custom(func(t *rapid.T) float64 {
		if rapid.IntRange(0, 3).Draw(t, "kind") == 0 {
			return rapid.SampledFrom([]float64{nan, hugeIn, -1, 0, 1e300, 1e-300, math.MaxFloat64}).Draw(t, "hostile")
		}
		return math.Exp(rapid.Float64Range(-20, 20).Draw(t, "log price"))
	})
	rapid.Check(t, func(t *rapid.T) {
		row := balance(shiba, rapid.Uint64().Draw(t, "units"), price.Draw(t, "listed"))
		var pools []market.Pool
		held := 0.0
		for range rapid.IntRange(0, 4).Draw(t, "pools") {
			p := poolOf(rapid.SampledFrom([]chain.Address{weth, usdc, junk}).Draw(t, "quote"), price.Draw(t, "price"), price.Draw(t, "liquidity"))
			if isPositive(p.LiquidityUSD) {
				held += p.LiquidityUSD / 2
			}
			pools = append(pools, p)
		}
		merged := mergeHoldings(ethereum(), []market.Holding{row})
		if len(merged) == 0 {
			return
		}
		w := worthOf(ethereum(), &merged[0], price.Draw(t, "indexed"), pools)
		if math.IsNaN(w.usd) {
			return
		}
		if !isPositive(w.usd) || !isPositive(w.nominalUSD) || w.usd > maximumUSD || w.usd > w.nominalUSD*(1+1e-12) || held > 0 && w.usd > held*(1+1e-12) {
			t.Fatalf("%+v of pools with %v", w, held)
		}
	})
}
