package copytrade

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

var (
	measuredTo   = now.Truncate(day)
	measuredFrom = measuredTo.Add(-volatilityDays * day)
)

// walk makes days of hourly steps, each with normal returns, of this much a day.
func walk(random *rand.Rand, days, steps int, daily float64) []market.Candle {
	price := 100.0
	candles := make([]market.Candle, days)
	for i := range candles {
		c := market.Candle{Time: measuredTo.Add(time.Duration(i-days) * day), Open: price, High: price, Low: price}
		for range steps {
			price *= math.Exp(daily / math.Sqrt(float64(steps)) * random.NormFloat64())
			c.High, c.Low = max(c.High, price), min(c.Low, price)
		}
		c.Close = price
		candles[i] = c
	}
	return candles
}

func TestVolatilityByHand(t *testing.T) {
	// Days that range from 1 to e^0.045435 and close where they opened: 0.045435/1.5145 = 0.03.
	flat := steadyDays(30, 0.03)
	// Days that close 4 % higher or lower than the day before and trade at nothing else: 1.4826 times 0.04.
	var jumps []market.Candle
	price := 1.0
	for i := range 30 {
		price *= math.Exp(0.04 * float64(1-2*(i%2)))
		jumps = append(jumps, market.Candle{Time: measuredFrom.Add(time.Duration(i) * day), Open: price, High: price, Low: price, Close: price})
	}
	spike := slices.Clone(flat)
	spike[7].High, spike[7].Low = 50, 0.01
	// Every other day is missing, and with it every return of a day.
	var halved []market.Candle
	for i := 0; i < len(jumps); i += 2 {
		c := jumps[i]
		c.Close *= 1 + float64(i%4)
		c.High = max(c.High, c.Close) // of 15 ranges the 8 that count are those of days that do not move
		halved = append(halved, c)
	}
	gaps := slices.Clone(flat)
	gaps = slices.Delete(gaps, 3, 20)
	broken := slices.Clone(flat)
	broken[2].Low, broken[3].High, broken[4].Close, broken[5].High = 0, math.NaN(), math.NaN(), math.Inf(1)
	for _, c := range []struct {
		name    string
		candles []market.Candle
		daily   float64
		days    int
	}{
		{"ranges", flat, 0.03, 30}, {"closes", jumps, 0.059304, 30}, {"a wick", spike, 0.03, 30}, {"a gap", gaps, 0.03, 13}, {"every other day", halved, math.NaN(), 15}, {"bad rows", broken, 0.03, 26},
		{"nine days", flat[21:], math.NaN(), 9}, {"ten days", flat[20:], 0.03, 10}, {"none", nil, math.NaN(), 0}, {"no movement", steadyDays(30, 0), math.NaN(), 30},
	} {
		daily, days := dailyVolatility(c.candles, measuredFrom, measuredTo)
		if days != c.days || !same(daily, c.daily) && math.Abs(daily-c.daily) > 1e-6 {
			t.Errorf("%s: %v on %d days, want %v on %d", c.name, daily, days, c.daily, c.days)
		}
	}
}

// Over many markets the measure finds what they were made with; taking the larger of two measures puts it a little above.
func TestVolatilityOfKnownMarkets(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var ratios []float64
	for range 400 {
		daily, _ := dailyVolatility(walk(random, 30, 96, 0.05), measuredFrom, measuredTo)
		ratios = append(ratios, daily/0.05)
	}
	slices.Sort(ratios)
	if median := ratios[200]; median < 0.98 || median > 1.12 {
		t.Errorf("a median of %v of the true volatility", median)
	}
	if ratios[20] < 0.75 || ratios[380] > 1.5 {
		t.Errorf("one in twenty below %v, one in twenty above %v", ratios[20], ratios[380])
	}
}

func TestVolatilityReadsNothingOutsideItsWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		all := walk(random, 40, 12, 0.05)
		cut := rapid.IntRange(10, 40).Draw(t, "cut")
		to := measuredTo.Add(time.Duration(cut-40) * day)
		whole, n := dailyVolatility(all, to.Add(-volatilityDays*day), to)
		part, m := dailyVolatility(all[:cut], to.Add(-volatilityDays*day), to)
		if whole != part || n != m || n > volatilityDays {
			t.Fatalf("%v on %d and %v on %d", whole, n, part, m)
		}
	})
}

func TestAssumedVolatilityFallsWithTheMaximum(t *testing.T) {
	for _, c := range []struct{ maximum, want float64 }{{200, 0.035}, {40, 0.035}, {39, 0.05}, {20, 0.05}, {19, 0.065}, {10, 0.065}, {5, 0.08}, {4, 0.1}, {1, 0.1}} {
		if got := assumedVolatility(c.maximum); got != c.want {
			t.Errorf("%v: %v, want %v", c.maximum, got, c.want)
		}
	}
}

func TestTierOfAPosition(t *testing.T) {
	tiers := []market.MarginTier{{FromUSD: 0, MaximumLeverage: 40}, {FromUSD: 100, MaximumLeverage: 20}, {FromUSD: 200, MaximumLeverage: 10}}
	for _, c := range []struct{ value, want float64 }{{math.NaN(), 40}, {0, 40}, {99, 40}, {100, 20}, {199, 20}, {200, 10}, {1e9, 10}} {
		if got := tierOf(tiers, c.value).MaximumLeverage; got != c.want {
			t.Errorf("%v: %v, want %v", c.value, got, c.want)
		}
	}
}

func TestContractsAreFoundAsPartnersTypeThem(t *testing.T) {
	var markets []market.PerpMarket
	for _, coin := range []string{"BTC", "kPEPE", "PEOPLE", "USD", "PERP", "USUAL", "xyz:CL", "Abc", "aBC", "USDT"} {
		markets = append(markets, contract(coin, 1, 5))
	}
	for typed, want := range map[string]string{
		"BTC": "BTC", "btc": "BTC", "Btc": "BTC", "BTC-PERP": "BTC", "btc-usd": "BTC", "BTCUSD": "BTC", "BTCUSDT": "BTC", "BTC/USDC": "BTC", "BTC_USDT": "BTC",
		"BTC-USDT-PERP": "BTC", "kPEPE": "kPEPE", "KPEPE": "kPEPE", "kpepe-perp": "kPEPE", "PERP": "PERP", "PERP-PERP": "PERP", "usd": "USD", "usual": "USUAL", "XYZ:cl": "xyz:CL",
		"xyz:CL-USD": "xyz:CL", "Abc": "Abc", "aBC": "aBC", "USDT": "USDT",
		"PEPE": "", "ABC": "", "BTC2": "", "": "", "BT": "", "people2": "", "xyz": "", "CL": "",
	} {
		at, problem := matchCoin(typed, markets)
		switch {
		case want == "" && problem == nil:
			t.Errorf("%q is %s", typed, markets[at].Coin)
		case want != "" && (problem != nil || markets[at].Coin != want):
			t.Errorf("%q: %v %v, want %s", typed, markets[at].Coin, problem, want)
		case problem != nil && (problem.Status != 400 || problem.Parameter != "coin" || problem.Code != "invalid_param"):
			t.Errorf("%q: %+v", typed, problem)
		}
	}
}

// FuzzCoin looks for names that find another contract than theirs, and for refusals that repeat what was typed.
func FuzzCoin(f *testing.F) {
	for _, seed := range []string{"BTC", "btc-perp", "PEPE", "xyz:CL", "<script>", "k", "-", "USD", "BTC-USDT-PERP"} {
		f.Add(seed)
	}
	markets := newVenue().markets[""]
	f.Fuzz(func(t *testing.T, typed string) {
		if !coinName().MatchString(typed) {
			return // refused before it is looked for
		}
		at, problem := matchCoin(typed, markets)
		if problem == nil && !strings.HasPrefix(strings.ToLower(typed), strings.ToLower(markets[at].Coin)) {
			t.Errorf("%q finds %s", typed, markets[at].Coin)
		}
		if problem != nil && strings.Contains(problem.Message, "<") {
			t.Errorf("%q: %s", typed, problem.Message)
		}
	})
}

func TestFundingStandsAmongOtherContractsThatAreTraded(t *testing.T) {
	l := &listing{at: 0}
	for i := range 22 {
		m := contract("C", 1, 5)
		m.FundingHourly = 0.0001 * float64(i%2)
		l.markets = append(l.markets, m)
	}
	l.markets[21].FundingHourly = math.NaN()
	if share, n := l.standing(-0.00005); share != 0.5 || n != 20 {
		t.Errorf("%v of %d", share, n)
	}
	l.markets[20].Delisted = true
	if share, n := l.standing(0.00005); !math.IsNaN(share) || n != 19 {
		t.Errorf("%v of %d", share, n)
	}
}

func TestANameOfSeveralContractsIsRefused(t *testing.T) {
	_, problem := matchCoin("ABC", []market.PerpMarket{contract("Abc", 1, 5), contract("aBC", 1, 5)})
	if problem == nil || !strings.HasPrefix(problem.Message, "Several contracts") {
		t.Errorf("%+v", problem)
	}
}
