package token

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenfacts"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenrisk"
)

// calmExit is a token that is easy to leave: a deep old pool that nobody can empty, tried sales, small holders.
func calmExit() *exitFacts {
	f := &exitFacts{
		risk:   &tokenrisk.Assessment{SellBlocked: market.No, SellTax: 0, BuyTax: 0, RemovableShare: 0.1, LockedShare: 0.9},
		pools:  []market.Pool{newScene().pool(flowToken, flowPool, 0.5, 4_000_000)},
		trades: &market.TokenTrades{Since: flowNow.Add(-24 * time.Hour)}, topShare: 0.2, supply: 1e6,
	}
	for h := range 7*24 + 1 {
		f.observed = append(f.observed, tokenfacts.Observation{At: flowNow.Add(time.Duration(h-7*24) * time.Hour), LiquidityUSD: 4_000_000 + 1000*float64(h%3)})
	}
	return f
}

func (f *exitFacts) deep(liquidity float64) { f.pools[0].LiquidityUSD = liquidity }

func (f *exitFacts) traded(buyUSD, sellUSD float64) {
	for range 10 {
		f.trades.Trades = append(f.trades.Trades, market.TokenTrade{Time: flowNow, Buy: true, ValueUSD: buyUSD / 10}, market.TokenTrade{Time: flowNow, ValueUSD: sellUSD / 10})
	}
}

// The points are those that stand beside the constants of the rule, by hand.
func TestExitPoints(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*exitFacts)
		score  float64
		risk   string
		code   string
	}{
		{"calm", func(*exitFacts) {}, 0, ExitLow, "IMPACT"},
		// 10k into 80k: 11 % and more; 1k into 80k: 1.5 %
		{"medium position hurts", func(f *exitFacts) { f.deep(160_000); f.supply = 1e5 }, 10, ExitLow, "IMPACT"},
		// 1k into 40k: 2.7 %, 10k: 20 %
		{"both hurt", func(f *exitFacts) { f.deep(80_000); f.supply = 1e4 }, 20, ExitLow, "IMPACT"},
		// 1k into 8k: 11 %, 10k: 55 %
		{"shallow", func(f *exitFacts) { f.deep(16_000); f.supply = 1e3 }, 50, ExitHigh, "IMPACT"},
		{"a puddle", func(f *exitFacts) { f.deep(100); f.supply = 1 }, 75, ExitExtreme, "IMPACT"},
		{"one owner", func(f *exitFacts) { f.risk.RemovableShare = 0.5 }, 25, ExitMedium, "ONE_OWNER"},
		{"nearly half", func(f *exitFacts) { f.risk.RemovableShare = 0.499 }, 0, ExitLow, "IMPACT"},
		{"owner unknown", func(f *exitFacts) { f.risk.RemovableShare = math.NaN() }, 10, ExitLow, "UNCHECKED_OWNER"},
		{"unlocks soon", func(f *exitFacts) { f.risk.UnlocksAt = flowNow.Add(6 * 24 * time.Hour) }, 15, ExitLow, "LP_EXPIRES"},
		{"unlocks later", func(f *exitFacts) { f.risk.UnlocksAt = flowNow.Add(8 * 24 * time.Hour) }, 0, ExitLow, "IMPACT"},
		// 20 % of 1e7 at 0.5 is 1M; the pool absorbs 2M/9 = 222k: 4.5 times
		{"overhang", func(f *exitFacts) { f.supply = 1e7 }, 15, ExitLow, "OVERHANG"},
		{"great overhang", func(f *exitFacts) { f.supply = 1e8 }, 25, ExitMedium, "OVERHANG"},
		{"holders unknown", func(f *exitFacts) { f.topShare = math.NaN() }, 0, ExitLow, "UNCHECKED_HOLDERS"},
		{"sell pressure", func(f *exitFacts) { f.traded(4000, 6000) }, 10, ExitLow, "SELL_PRESSURE"},
		{"balanced trades", func(f *exitFacts) { f.traded(4600, 5400) }, 0, ExitLow, "IMPACT"},
		{"young", func(f *exitFacts) { f.pools[0].CreatedAt = flowNow.Add(-23 * time.Hour) }, 5, ExitLow, "YOUNG_POOL"},
		{"honeypot", func(f *exitFacts) { f.risk.SellBlocked = market.Yes }, 90, ExitExtreme, "SELL_FAILS"},
		{"taxed", func(f *exitFacts) { f.risk.SellTax = 0.15 }, 90, ExitExtreme, "SELL_TAX"},
		{"a little taxed", func(f *exitFacts) { f.risk.SellTax = 0.05 }, 10, ExitLow, "IMPACT"},
		{"nobody tried", func(f *exitFacts) { f.risk.SellBlocked = market.Unknown }, 25, ExitMedium, "UNCHECKED_SELL"},
		{"drained", func(f *exitFacts) { f.deep(0) }, 100, ExitExtreme, "DRAINED"},
		{"honeypot without a pool", func(f *exitFacts) { f.pools, f.risk.SellBlocked = nil, market.Yes }, 90, ExitExtreme, "SELL_FAILS"},
		{"all of it", func(f *exitFacts) {
			f.deep(16_000)
			f.risk.RemovableShare, f.risk.UnlocksAt, f.pools[0].CreatedAt = 1, flowNow.Add(time.Hour), flowNow.Add(-2*time.Hour)
			f.traded(100, 900)
		}, 100, ExitExtreme, "ONE_OWNER"},
	} {
		f := calmExit()
		test.change(f)
		got := assessExit(f, flowNow)
		if got.Score == nil || *got.Score != test.score || got.ExitRisk != test.risk || got.SellableBand == nil {
			t.Errorf("%s: %v %+v, want %v %s: %v", test.name, got.Score, got, test.score, test.risk, reason.Codes(got.Reasons))
			continue
		}
		wantFlowReasons(t, got.Reasons, 2, test.code)
	}
}

func TestWithoutAPricedPoolExitRiskIsUnknown(t *testing.T) {
	for _, pools := range [][]market.Pool{nil, {{PriceUSD: math.NaN(), LiquidityUSD: 5000}}, {{PriceUSD: 1, LiquidityUSD: math.NaN()}}} {
		f := calmExit()
		f.pools = pools
		got := assessExit(f, flowNow)
		if got.ExitRisk != ExitUnknown || got.Direction != DirectionUnknown || got.Score != nil || got.SellableBand != nil {
			t.Errorf("%+v", got)
		}
		wantFlowReasons(t, got.Reasons, 1, "NO_POOL")
	}
}

func TestExitDirection(t *testing.T) {
	week := func(liquidity func(hour int) float64) func(*exitFacts) {
		return func(f *exitFacts) {
			for h := range f.observed {
				f.observed[h].LiquidityUSD = liquidity(h)
			}
		}
	}
	for _, test := range []struct {
		name   string
		change func(*exitFacts)
		want   string
		code   string
	}{
		{"steady", func(*exitFacts) {}, DirectionStable, "STEADY"},
		{"falls over the week", week(func(h int) float64 { return 4e6 * math.Exp(-0.001*float64(h)) }), DirectionRising, "WORSENING"},
		{"grows over the week", week(func(h int) float64 { return 4e6 * math.Exp(0.001*float64(h)) }), DirectionFalling, "EASING"},
		{"a fall of the last day outweighs a week of growth", week(func(h int) float64 {
			return 4e6 * math.Exp(0.001*float64(h)-0.01*float64(max(0, h-144)))
		}), DirectionRising, "WORSENING"},
		{"pulled an hour ago", week(func(h int) float64 {
			if h == 7*24 {
				return 2e6
			}
			return 4e6
		}), DirectionRising, "WORSENING"},
		{"two measurements", func(f *exitFacts) { f.observed = f.observed[167:] }, DirectionUnknown, "DIRECTION_UNKNOWN"},
		{"two measurements, one half of the other", func(f *exitFacts) {
			f.observed = f.observed[167:]
			f.observed[1].LiquidityUSD /= 2
		}, DirectionRising, "WORSENING"},
		{"sold into", func(f *exitFacts) { f.observed = f.observed[168:]; f.traded(1e5, 4e5) }, DirectionRising, "WORSENING"},
		{"bought out of", func(f *exitFacts) { f.traded(4e5, 1e5) }, DirectionFalling, "EASING"},
	} {
		f := calmExit()
		test.change(f)
		got := assessExit(f, flowNow)
		if got.Direction != test.want {
			t.Errorf("%s: %s, want %s: %v", test.name, got.Direction, test.want, got.Reasons)
		}
		wantFlowReasons(t, got.Reasons, 2, test.code)
	}
}

// swap sells into a pool step by step as its contract does: the product of the reserves with the fee left out stays the same.
func swap(tokens, reserveTokens, reserveQuote, fee, tax float64) float64 {
	arrived := tokens * (1 - tax)
	product := reserveTokens * reserveQuote
	return reserveQuote - product/(reserveTokens+arrived*(1-fee))
}

func TestExitLossIsThatOfASwap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.Float64Range(1, 1e6).Draw(t, "value")
		quote := rapid.Float64Range(10, 1e8).Draw(t, "quote")
		price := rapid.Float64Range(1e-6, 1e4).Draw(t, "price")
		fee, tax := rapid.Float64Range(0, 0.01).Draw(t, "fee"), rapid.Float64Range(0, 0.9).Draw(t, "tax")
		want := 1 - swap(value/price, quote/price, quote, fee, tax)/value
		if got := exitLoss(value, quote, fee, tax); math.Abs(got-want) > 1e-6 {
			t.Fatalf("loss %v, a swap loses %v", got, want)
		}
		if deeper := exitLoss(value, quote*1.5, fee, tax); deeper > exitLoss(value, quote, fee, tax) {
			t.Fatal("a deeper pool loses more")
		}
	})
	if got := swap(sellable(900)/2, 450, 900, 0, 0); math.Abs(got/sellable(900)-0.9) > 1e-12 {
		t.Errorf("what is sellable at a tenth gets %v of its value", got/sellable(900))
	}
}

// A deeper pool, a finding less, or a check more never makes the way out look worse; what was not checked is never low.
func TestExitRiskIsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func() *exitFacts {
			f := calmExit()
			f.observed = f.observed[168:]
			f.risk.SellBlocked = rapid.SampledFrom([]market.Tristate{market.Unknown, market.No, market.Yes}).Draw(t, "blocked")
			f.risk.SellTax = rapid.SampledFrom([]float64{math.NaN(), 0, 0.05, 0.15, 1}).Draw(t, "tax")
			f.risk.RemovableShare = rapid.SampledFrom([]float64{math.NaN(), 0, 0.5, 1}).Draw(t, "removable")
			f.topShare = rapid.SampledFrom([]float64{math.NaN(), 0, 0.5, 1}).Draw(t, "top")
			f.deep(rapid.Float64Range(1, 1e7).Draw(t, "liquidity"))
			return f
		}
		f := draw()
		base := assessExit(f, flowNow)
		score := *base.Score
		if !(score >= 0 && score <= 100) {
			t.Fatal(score)
		}
		if f.risk.SellBlocked == market.Unknown && base.ExitRisk == ExitLow {
			t.Fatal("low without anybody having tried to sell")
		}
		for name, better := range map[string]func(*exitFacts){
			"deeper":       func(f *exitFacts) { f.deep(f.pools[0].LiquidityUSD * 3) },
			"sold":         func(f *exitFacts) { f.risk.SellBlocked = market.No },
			"no tax":       func(f *exitFacts) { f.risk.SellTax = 0 },
			"locked":       func(f *exitFacts) { f.risk.RemovableShare = 0 },
			"spread":       func(f *exitFacts) { f.topShare = 0 },
			"not blocked?": func(f *exitFacts) { f.risk.SellBlocked = min(f.risk.SellBlocked, market.Unknown) },
		} {
			if name == "not blocked?" && f.risk.SellBlocked != market.Yes {
				continue
			}
			g := *f
			risk := *f.risk
			g.risk, g.pools = &risk, slices.Clone(f.pools)
			better(&g)
			if got := assessExit(&g, flowNow); *got.Score > score {
				t.Fatalf("%s: %v after %v", name, *got.Score, score)
			}
		}
		wantFlowReasons(t, base.Reasons, 2)
	})
}

func TestExitBands(t *testing.T) {
	for score, want := range map[float64]string{0: ExitLow, 24.9: ExitLow, 25: ExitMedium, 49.9: ExitMedium, 50: ExitHigh, 74.9: ExitHigh, 75: ExitExtreme, 100: ExitExtreme} {
		if got := exitBand(score); got != want {
			t.Errorf("%v is %s, want %s", score, got, want)
		}
	}
	f := calmExit() // 2M/9 is more than 100k; 16k/2/9 is 888
	if got := *assessExit(f, flowNow).SellableBand; got != "whale" {
		t.Error(got)
	}
	f.deep(16_000)
	if got := *assessExit(f, flowNow).SellableBand; got != "small" {
		t.Error(got)
	}
	f.risk.SellBlocked = market.Yes
	if got := *assessExit(f, flowNow).SellableBand; got != "dust" {
		t.Error(got)
	}
}

// Where nothing can be sold, neither what a sale would cost nor an easier way out is told.
func TestABlockedSaleHasNoPriceAndNoDirection(t *testing.T) {
	f := calmExit()
	f.risk.SellBlocked = market.Yes
	f.traded(900_000, 100)
	answer := assessExit(f, flowNow)
	codes := reason.Codes(answer.Reasons)
	if answer.Direction != DirectionUnknown || slices.Contains(codes, "IMPACT") || slices.Contains(codes, "EASING") || !slices.Contains(codes, "NO_DIRECTION") || len(codes) < 2 {
		t.Errorf("%s %v", answer.Direction, codes)
	}
	f.risk.SellBlocked = market.No
	if answer := assessExit(f, flowNow); answer.Direction != DirectionFalling {
		t.Errorf("not blocked: %s", answer.Direction)
	}
}
