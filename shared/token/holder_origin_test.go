package token

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

const blockTime = 12 * time.Second

// organicTrades arrive by chance at a rate, from many people, in sizes of every kind; a fifth of the buyers sell a part again.
func organicTrades(random *rand.Rand, buys int, between time.Duration) []market.TokenTrade {
	var trades []market.TokenTrade
	at := flowNow.Add(-24 * time.Hour)
	for i := range buys {
		at = at.Add(time.Duration(random.ExpFloat64() * float64(between)))
		block := uint64(at.Sub(flowNow.Add(-48*time.Hour)) / blockTime)
		usd := 200 * math.Exp(1.2*random.NormFloat64())
		t := market.TokenTrade{
			Time: flowNow.Add(-48 * time.Hour).Add(time.Duration(block) * blockTime), Block: block, LogIndex: i,
			Trader: person(random.IntN(buys)), Buy: true, ValueUSD: usd, Amount: usd / (0.5 + 0.1*random.Float64()),
		}
		trades = append(trades, t)
		if i%5 == 0 {
			t.Buy, t.LogIndex = false, i+10_000
			t.ValueUSD, t.Amount = t.ValueUSD/3, t.Amount/3
			trades = append(trades, t)
		}
	}
	return trades
}

// bundledLaunch has most of its buys from bots that buy equal amounts in the same blocks, a few people between them.
func bundledLaunch(random *rand.Rand, bots int) []market.TokenTrade {
	trades := organicTrades(random, bots/5, 20*time.Minute)
	for i := range bots {
		block := 3000 + uint64(i/12)*25
		usd := 0.05 * 3012.3
		trades = append(trades, market.TokenTrade{
			Time: flowNow.Add(-48 * time.Hour).Add(time.Duration(block) * blockTime), Block: block, LogIndex: i, Trader: person(5000 + i), Buy: true,
			ValueUSD: usd, Amount: usd / (0.5 + 0.001*float64(i)),
		})
	}
	return trades
}

// clockwork has as many accounts that buy one after the other, evenly spaced, and sell all again.
func clockwork(random *rand.Rand, bots int) []market.TokenTrade {
	var trades []market.TokenTrade
	for i := range bots {
		block := 3000 + uint64(i)*20 + uint64(random.IntN(3))
		usd := 100 * (1 + random.Float64())
		at := flowNow.Add(-48 * time.Hour).Add(time.Duration(block) * blockTime)
		buy := market.TokenTrade{Time: at, Block: block, LogIndex: 1, Trader: person(i), Buy: true, ValueUSD: usd, Amount: usd * 2}
		sell := buy
		sell.Buy, sell.Block, sell.Time = false, block+9, at.Add(9*blockTime)
		trades = append(trades, buy, sell)
	}
	return trades
}

func TestOriginOfPeopleAndOfBots(t *testing.T) {
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 3))
		for name, test := range map[string]struct {
			trades []market.TokenTrade
			want   string
		}{
			"slow people":    {organicTrades(random, 120, 10*time.Minute), OriginOrganic},
			"a crowd":        {organicTrades(random, 280, 8*time.Second), OriginOrganic},
			"a rush":         {organicTrades(random, 280, 3*time.Second), OriginOrganic},
			"bundled launch": {bundledLaunch(random, 120), OriginBots},
			"clockwork":      {clockwork(random, 80), OriginBots},
			"few people":     {organicTrades(random, 25, 10*time.Minute), OriginUnknown},
			"none":           {nil, OriginUnknown},
		} {
			got := OriginOf(test.trades)
			if got.Label != test.want {
				t.Errorf("seed %d: %s: %+v, want %s", seed, name, got, test.want)
			}
			if (got.Label == OriginUnknown) != math.IsNaN(got.Score) {
				t.Errorf("%s: %+v", name, got)
			}
		}
	}
}

// The label hangs on no single trade: three quarters of them, in any order, tell the same.
func TestOriginIsStableUnderResampling(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 8))
	for name, trades := range map[string][]market.TokenTrade{"people": organicTrades(random, 250, 4*time.Minute), "bundles": bundledLaunch(random, 180)} {
		want := OriginOf(trades).Label
		rapid.Check(t, func(t *rapid.T) {
			resample := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
			var kept []market.TokenTrade
			for _, trade := range trades {
				if resample.Float64() < 0.75 {
					kept = append(kept, trade)
				}
			}
			if got := OriginOf(kept); got.Label != want {
				t.Fatalf("%s: %+v of three quarters, %s of all", name, got, want)
			}
			resample.Shuffle(len(kept), func(i, j int) { kept[i], kept[j] = kept[j], kept[i] })
			if got := OriginOf(kept); got.Label != want {
				t.Fatalf("%s: %+v in another order", name, got)
			}
		})
	}
}

func TestOriginEvidenceByHand(t *testing.T) {
	at := func(i int) time.Time { return flowNow.Add(time.Duration(i) * time.Minute) }
	var trades []market.TokenTrade
	for i := range 40 { // 40 buyers a minute apart, 5 blocks; the first ten spend the same
		usd := 100 * (1 + float64(i)/10)
		if i < 10 {
			usd = 77
		}
		trades = append(trades, market.TokenTrade{Time: at(i), Block: uint64(100 + 5*i), Trader: person(i), Buy: true, ValueUSD: usd, Amount: float64(1000 + 7*i)})
	}
	got := OriginOf(trades)
	if got.Buyers != 40 || got.EqualSizes != 0.25 || got.Bundled != 0 || got.GapVariation != 0 || got.Churned != 0 {
		t.Errorf("%+v", got)
	}
	// sizes (0.25-0.1)/0.3 = 0.5, arrivals 1, accounts 0
	if math.Abs(got.Score-0.5) > 1e-9 || got.Label != OriginMixed {
		t.Errorf("score %v", got.Score)
	}
	for i := range 20 { // twenty in one block, with nobody near
		trades[i].Block, trades[i].Time = 10_000, flowNow.Add(24*time.Hour)
	}
	if got := OriginOf(trades); math.Abs(got.Bundled-0.5) > 0.02 {
		t.Errorf("bundled %v, want half", got.Bundled)
	}
	for i := range 20 { // half of the accounts sell half of what they bought
		sell := trades[i+20]
		sell.Buy, sell.ValueUSD = false, sell.ValueUSD/2
		trades = append(trades, sell)
	}
	bought, sold := 770.0, 0.0
	for i := 10; i < 40; i++ {
		bought += 100 * (1 + float64(i)/10)
		if i >= 20 {
			sold += 50 * (1 + float64(i)/10)
		}
	}
	if got := OriginOf(trades); math.Abs(got.Churned-2*sold/(bought+sold)) > 1e-9 {
		t.Errorf("churned %v, want %v", got.Churned, 2*sold/(bought+sold))
	}
}

func TestOriginTakesAnyTrades(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{0, math.NaN(), math.Inf(1), -1, 1e-300, 1e300, 100}))
		trades := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) market.TokenTrade {
			return market.TokenTrade{
				Time: flowNow.Add(time.Duration(rapid.IntRange(-1000, 1000).Draw(t, "at")) * time.Second), Block: rapid.Uint64().Draw(t, "block"),
				Trader: person(rapid.IntRange(0, 60).Draw(t, "trader")), Buy: rapid.Bool().Draw(t, "buy"),
				ValueUSD: number.Draw(t, "usd"), Amount: number.Draw(t, "amount"), QuoteAmount: number.Draw(t, "paid"),
			}
		}), 0, 150).Draw(t, "trades")
		got := OriginOf(trades)
		if got.Label == OriginUnknown {
			return
		}
		for _, share := range []float64{got.Score, got.EqualSizes, got.Bundled} {
			if !(share >= 0 && share <= 1) {
				t.Fatalf("%+v", got)
			}
		}
	})
}

func TestTwoOfASizeAreNoPattern(t *testing.T) {
	for same, want := range map[int]float64{2: 0, 3: 0.1} {
		var buys []market.TokenTrade
		for i := range 30 {
			buys = append(buys, market.TokenTrade{ValueUSD: 100 + float64(max(i, same-1)), Amount: 1000 + float64(i)})
		}
		if got := equalSizes(buys); got != want {
			t.Errorf("%d of 30 of a size: %v, want %v", same, got, want)
		}
	}
}

// The same payment in a coin is worth something else in dollars, and buys something else, every time.
func TestRepeatedPaymentsAreEqualWhateverTheyAreWorth(t *testing.T) {
	var buys []market.TokenTrade
	for i := range 30 {
		buy := market.TokenTrade{ValueUSD: 100 + float64(i), Amount: 1000 + float64(i)}
		if i < 12 {
			buy.QuoteAmount = 0.05 * (1 + 1e-6*float64(i))
		} else if i < 20 {
			buy.QuoteAmount = 0.05 * (1 + 0.001*float64(i))
		}
		buys = append(buys, buy)
	}
	if got := equalSizes(buys); got != 0.4 {
		t.Errorf("%v equal, want 12 of 30: those that paid the same, not those whose payment is unknown", got)
	}
}
