package perpvenue

import (
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

func near(t *testing.T, what string, got, want, relative float64) {
	t.Helper()
	if math.Abs(got-want) > relative*math.Max(math.Abs(want), 1e-12) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func TestFundingRate(t *testing.T) {
	for _, c := range []struct{ premium, rate float64 }{
		{0.01, 0.0095 / 8},                  // the documentation's example: 0.95 % in eight hours
		{0.0001, 0.0000125},                 // the interest alone
		{0.00029005, 0.0000125},             // within the clamp nothing but the interest is left
		{-0.000125, 0.0000125},              //
		{0.0007, (0.0007 - 0.0005) / 8},     //
		{-0.001, (-0.001 + 0.0005) / 8},     // shorts pay
		{1, 0.04}, {-1, -0.04}, {0.5, 0.04}, // at most 4 % an hour
		{-0.0004, 0.0000125}, {-0.0005, 0.0 / 8}, // −0.05 % + 0.05 %
	} {
		if got := fundingRate(c.premium); math.Abs(got-c.rate) > 1e-15 {
			t.Errorf("premium %v: %v, want %v", c.premium, got, c.rate)
		}
	}
}

func TestMaintenance(t *testing.T) {
	bitcoin := contract{tiers: marginTable(56)}
	rate, deduction := bitcoin.maintenance(200e6)
	near(t, "rate of the 20x tier", rate, 0.025, 1e-12)
	near(t, "its deduction", deduction, 1_875_000, 1e-12)
	near(t, "maintenance of 200 million", 200e6*rate-deduction, 3_125_000, 1e-12)
	coin := contract{tiers: []tier{{0, 10}, {20_000, 5}, {100_000, 3}}}
	for _, c := range []struct{ value, deduction float64 }{{20_000, 0}, {20_001, 1_000}, {100_000, 1_000}, {100_001, 7_666.666666667}} {
		if _, got := coin.maintenance(c.value); math.Abs(got-c.deduction) > 1e-6 {
			t.Errorf("deduction at %v: %v, want %v", c.value, got, c.deduction)
		}
	}
}

// Two positions as the venue itself showed them: an isolated long at 50x, and a short at 5x that was alone in its account.
func TestLiquidationPrice(t *testing.T) {
	long := contract{tiers: marginTable(50)}
	size := 0.0335
	near(t, "long", long.liquidationPrice(100.02765/size, size, 4.967826, 0, 1), 2866.26936529, 1e-8)
	short := contract{tiers: marginTable(5)}
	near(t, "short", short.liquidationPrice(2505.21713/3413.8, 3413.8, 519.954584, 0, -1), 0.8055996554, 1e-9)
	if got := long.liquidationPrice(2986, size, 500, 0, 1); got != 0 {
		t.Errorf("a long with more than its value behind it has no liquidation price, got %v", got)
	}
}

func TestEquityAtLiquidationPriceIsMaintenance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := contract{tiers: marginTable(rapid.SampledFrom([]int{3, 5, 10, 20, 51, 52, 55, 56}).Draw(t, "table"))}
		price := rapid.Float64Range(0.01, 90_000).Draw(t, "price")
		notional := rapid.Float64Range(100, 400e6).Draw(t, "notional")
		side := rapid.SampledFrom([]float64{1, -1}).Draw(t, "side")
		size, others := notional/price, rapid.Float64Range(0, notional/100).Draw(t, "others")
		rate, deduction := c.maintenance(notional)
		equity := (notional*rate - deduction) + others + notional*rapid.Float64Range(0.001, 0.5).Draw(t, "excess")
		at := c.liquidationPrice(price, size, equity, others, side)
		if at == 0 {
			return
		}
		rate, deduction = c.maintenance(at * size)
		left, needed := equity+side*size*(at-price), others+at*size*rate-deduction
		if math.Abs(left-needed) > 1e-9*notional {
			t.Fatalf("equity %v, maintenance %v", left, needed)
		}
	})
}

func TestTick(t *testing.T) {
	coins := contracts()
	for _, c := range []struct {
		coin  int
		price float64
		want  string
	}{
		{coinBTC, 68_423.47, "68423.0"}, {coinBTC, 112_345.6, "112346.0"}, {coinBTC, 9_876.54, "9876.5"},
		{coinETH, 3_580.678, "3580.7"}, {coinSOL, 164.23456, "164.23"}, {coinPEPE, 0.0089149, "0.008915"},
		{coinDOGE, 0.1982345, "0.19823"}, {coinARB, 0.412678, "0.41268"},
	} {
		if got := moneyText(coins[c.coin].tick(c.price)); got != c.want {
			t.Errorf("%s at %v: %s, want %s", coins[c.coin].name, c.price, got, c.want)
		}
	}
}

func TestDecimalText(t *testing.T) {
	for want, c := range map[string]struct {
		value    int64
		decimals int
	}{"0.0": {0, 6}, "-0.00785": {-785, 5}, "145123.0": {145_123, 0}, "0.000001": {1, 6}, "12.5": {12_500_000, 6}, "-1.0": {-100_000_000, 8}} {
		if got := decimalText(c.value, c.decimals); got != want {
			t.Errorf("%d/10^%d: %s, want %s", c.value, c.decimals, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		value, decimals := rapid.Int64Range(-1<<50, 1<<50).Draw(t, "value"), rapid.IntRange(0, 8).Draw(t, "decimals")
		parsed, err := strconv.ParseFloat(decimalText(value, decimals), 64)
		if err != nil || math.Abs(parsed*math.Pow10(decimals)-float64(value)) > 0.3 {
			t.Fatalf("%d/10^%d: %v %v", value, decimals, parsed, err)
		}
	})
}

// By hand: 2 at 100 and 1 at 130 cost 330, 110 each. Selling 1 at 120 brings 10; selling 5 at 90 loses 40 on the 2 left and leaves 3
// short at 90; buying those back at 80 brings 30.
func TestAverageEntry(t *testing.T) {
	p := position{}
	for n, step := range []struct{ size, value, profit, basis int64 }{
		{2, 200, 0, 200}, {1, 130, 0, 330}, {-1, 120, 10, 220}, {-5, 450, -40, 270}, {3, 240, 30, 0},
	} {
		if profit := p.book(step.size, step.value); profit != step.profit || p.basis != step.basis {
			t.Errorf("step %d: profit %d, basis %d, want %d, %d", n, profit, p.basis, step.profit, step.basis)
		}
	}
	held := position{size: 3, basis: 330, margin: 66, fundingOpen: 5, fundingChange: 5}
	if held.book(-1, 120); held.margin != 44 || held.fundingOpen != 5 || held.fundingChange != 0 {
		t.Errorf("a third closed leaves two thirds of the margin: %+v", held)
	}
	if held.book(-2, 240); held.margin != 0 || held.fundingOpen != 0 {
		t.Errorf("nothing is left: %+v", held)
	}
	if p.episode != 2 || p.size != 0 {
		t.Errorf("a flip and a return to flat are two episodes, got %d; size %d", p.episode, p.size)
	}
}

func TestPathIsOne(t *testing.T) {
	v := played()
	var grid [gridSteps]float64
	for coin := range v.coins {
		p := v.pathOf(coin)
		for hour := 100; hour < 700; hour += 37 {
			p.hour(hour, &grid)
			for step := range grid {
				if grid[step] != p.grid(hour, step) {
					t.Fatalf("coin %d hour %d step %d: %v and %v", coin, hour, step, grid[step], p.grid(hour, step))
				}
			}
			if at := int64(hour) * hourMillis; p.logAt(at) != p.logs[hour] || math.Abs(p.logAt(at-1)-p.logs[hour]) > 0.01 {
				t.Fatalf("coin %d jumps at the full hour %d", coin, hour)
			}
		}
	}
}
