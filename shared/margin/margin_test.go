package margin_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/margin"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

func schedule(t interface{ Fatal(...any) }, tiers ...market.MarginTier) margin.Schedule {
	s, err := margin.NewSchedule(tiers)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.IsNaN(want) != math.IsNaN(got) || math.Abs(got-want) > tolerance {
		t.Errorf("%s: %.10g, not %.10g", what, got, want)
	}
}

// The tiers that Hyperliquid documents for BTC, and those of DOGE on its test network.
var (
	bitcoin  = []market.MarginTier{{MaximumLeverage: 40}, {FromUSD: 150e6, MaximumLeverage: 20}}
	dogecoin = []market.MarginTier{{MaximumLeverage: 10}, {FromUSD: 20_000, MaximumLeverage: 5}, {FromUSD: 100_000, MaximumLeverage: 3}}
)

func TestTheDocumentedTiers(t *testing.T) {
	btc, doge := schedule(t, bitcoin...), schedule(t, dogecoin...)
	near(t, "BTC rate above 150M", btc.Rate(150e6), 0.025, 1e-15)
	near(t, "BTC rate below 150M", btc.Rate(150e6-1), 0.0125, 1e-15)
	near(t, "BTC deduction", 200e6*0.025-btc.Maintenance(200e6), 1_875_000, 1e-6)
	near(t, "BTC maintenance of 200M", btc.Maintenance(200e6), 3_125_000, 1e-6)
	near(t, "DOGE deduction, first tier", 10_000*0.05-doge.Maintenance(10_000), 0, 1e-9)
	near(t, "DOGE deduction, second tier", 50_000*0.1-doge.Maintenance(50_000), 1_000, 1e-9)
	near(t, "DOGE deduction, third tier", 200_000./6-doge.Maintenance(200_000), 7_666.67, 0.004)
	near(t, "nothing", doge.Maintenance(0), 0, 0)
	for _, value := range []float64{-1, math.NaN()} {
		near(t, "no value", doge.Maintenance(value), math.NaN(), 0)
		near(t, "no value", doge.Rate(value), math.NaN(), 0)
	}
	near(t, "no schedule", margin.Schedule{}.Maintenance(1), math.NaN(), 0)
}

func TestTiersThatAreNone(t *testing.T) {
	for name, tiers := range map[string][]market.MarginTier{
		"empty":              {},
		"not from zero":      {{FromUSD: 1, MaximumLeverage: 10}},
		"not ascending":      {{MaximumLeverage: 10}, {FromUSD: 5, MaximumLeverage: 5}, {FromUSD: 5, MaximumLeverage: 3}},
		"rising leverage":    {{MaximumLeverage: 10}, {FromUSD: 5, MaximumLeverage: 20}},
		"no leverage":        {{MaximumLeverage: 0}},
		"negative leverage":  {{MaximumLeverage: -3}},
		"half":               {{MaximumLeverage: 0.5}},
		"no number":          {{MaximumLeverage: math.NaN()}},
		"infinite":           {{MaximumLeverage: math.Inf(1)}},
		"bound is no number": {{MaximumLeverage: 10}, {FromUSD: math.NaN(), MaximumLeverage: 5}},
		"infinite bound":     {{MaximumLeverage: 10}, {FromUSD: math.Inf(1), MaximumLeverage: 5}},
	} {
		if _, err := margin.NewSchedule(tiers); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestTheDocumentedLiquidationPrice(t *testing.T) {
	// The example of Hyperliquid's API documents: 0.0335 ETH with margin of its own at a maximum leverage of 50.
	const size, value, own = 0.0335, 100.02765, 4.967826
	s, err := margin.SingleTier(50)
	if err != nil {
		t.Fatal(err)
	}
	got := margin.LiquidationPrice(margin.Position{Size: size, Price: value / size, Schedule: s}, own, 0)
	near(t, "relative to the venue's", got/2866.26936529, 1, 1e-8)
}

func TestTheLegacyLiquidationPrice(t *testing.T) {
	// A recording of March 2023: twelve positions sharing 1182.312496 USD, all at a maintenance rate of 1 %.
	const equity, maintenance = 1182.312496, 34.34815334
	for _, p := range []struct{ size, value, want float64 }{
		{-0.00785, 211.64542, 173198.69592357}, {-121.2, 287.244, 11.841653}, {-131.8, 509.5388, 12.57589638},
		{-76.4, 156.238, 17.0707113}, {-0.45, 4.86, 2561.83187333},
	} {
		got := margin.LegacyLiquidationPrice(p.size, p.value/math.Abs(p.size), equity, maintenance)
		near(t, "relative to the recorded", got/p.want, 1, 1e-9)
	}
	near(t, "a long one below zero", margin.LegacyLiquidationPrice(0.1334, 1706.71, equity, maintenance), math.NaN(), 0)
	near(t, "no position", margin.LegacyLiquidationPrice(0, 1706.71, equity, maintenance), math.NaN(), 0)
}

func TestLiquidationAcrossTiers(t *testing.T) {
	// Short 1,000 DOGE-like coins at 19 USD with 11,000 of own margin. In the first tier (rate .05) the maintenance is 950 and the
	// price 19+10050/1000/1.05 = 28.571, where the position is worth 28,571 and so in the second: need .1·p−1 a coin, and
	// 11+19−p = .1p−1 gives p = 31/1.1.
	p := margin.Position{Size: -1000, Price: 19, Schedule: schedule(t, dogecoin...)}
	near(t, "into the second tier", margin.LiquidationPrice(p, 11_000, 0), 31/1.1, 1e-9)
	// Long from the third tier down into the first: 6,000 coins at 19, worth 114,000, with 103,000 of own margin. In the first tier
	// 103000+6000(p−19) = 300p gives p = 11000/5700.
	p = margin.Position{Size: 6000, Price: 19, Schedule: schedule(t, dogecoin...)}
	near(t, "down into the first tier", margin.LiquidationPrice(p, 103_000, 0), 11_000./5700, 1e-9)
}

func TestNoLiquidationPrice(t *testing.T) {
	s := schedule(t, dogecoin...)
	long := margin.Position{Size: 10, Price: 100, Schedule: s}
	for name, got := range map[string]float64{
		"a long one that is fully paid":  margin.LiquidationPrice(long, 1000, 0),
		"at its maintenance":             margin.LiquidationPrice(long, 50, 0),
		"below its maintenance":          margin.LiquidationPrice(long, 10, 0),
		"below the others' maintenance":  margin.LiquidationPrice(long, 500, 460),
		"negative equity":                margin.LiquidationPrice(long, -5, 0),
		"no size":                        margin.LiquidationPrice(margin.Position{Price: 100, Schedule: s}, 10, 0),
		"no price":                       margin.LiquidationPrice(margin.Position{Size: 1, Schedule: s}, 10, 0),
		"no schedule":                    margin.LiquidationPrice(margin.Position{Size: 1, Price: 1}, 1, 0),
		"equity is no number":            margin.LiquidationPrice(long, math.NaN(), 0),
		"infinite equity":                margin.LiquidationPrice(long, math.Inf(1), 0),
		"negative maintenance of others": margin.LiquidationPrice(long, 500, -1),
		"unknown maintenance of others":  margin.LiquidationPrice(long, 500, math.NaN()),
	} {
		if !math.IsNaN(got) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestDistance(t *testing.T) {
	near(t, "long", margin.Distance(margin.Long, 100, 90), 0.1, 1e-12)
	near(t, "short", margin.Distance(margin.Short, 100, 130), 0.3, 1e-12)
	near(t, "past it", margin.Distance(margin.Long, 100, 110), -0.1, 1e-12)
	near(t, "no side", margin.Distance(0, 100, 110), math.NaN(), 0)
	near(t, "no liquidation price", margin.Distance(margin.Long, 100, math.NaN()), math.NaN(), 0)
	near(t, "no price", margin.Distance(margin.Long, 0, 5), math.NaN(), 0)
}

func TestFollowerDistance(t *testing.T) {
	near(t, "long at 10", margin.FollowerDistance(margin.Long, 10, 0.0125), 0.0886, 5e-5)
	near(t, "short at 10", margin.FollowerDistance(margin.Short, 10, 0.0125), 0.0864, 5e-5)
	near(t, "long, to the digit", margin.FollowerDistance(margin.Long, 10, 0.0125), 0.0875/0.9875, 1e-15)
	near(t, "fully paid", margin.FollowerDistance(margin.Long, 1, 0.0125), 1, 1e-15)
	near(t, "margin below maintenance", margin.FollowerDistance(margin.Long, 50, 0.025), -0.005/0.975, 1e-15)
	for name, got := range map[string]float64{
		"no side":        margin.FollowerDistance(0, 10, 0.01),
		"another side":   margin.FollowerDistance(2, 10, 0.01),
		"no leverage":    margin.FollowerDistance(margin.Long, 0, 0.01),
		"negative":       margin.FollowerDistance(margin.Long, -3, 0.01),
		"infinite":       margin.FollowerDistance(margin.Long, math.Inf(1), 0.01),
		"no number":      margin.FollowerDistance(margin.Long, math.NaN(), 0.01),
		"negative rate":  margin.FollowerDistance(margin.Long, 10, -0.01),
		"rate of all":    margin.FollowerDistance(margin.Short, 10, 1),
		"rate no number": margin.FollowerDistance(margin.Short, 10, math.NaN()),
	} {
		near(t, name, got, math.NaN(), 0)
	}
}

// A follower's distance is that of the liquidation price of its position.
func TestFollowerDistanceIsThatOfTheLiquidationPrice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		side := rapid.SampledFrom([]margin.Side{margin.Long, margin.Short}).Draw(t, "side")
		maximum := rapid.Float64Range(1, 100).Draw(t, "maximum")
		leverage := rapid.Float64Range(0.2, 1).Draw(t, "part") * maximum
		price := rapid.Float64Range(1e-4, 1e6).Draw(t, "price")
		s, err := margin.SingleTier(maximum)
		if err != nil {
			t.Fatal(err)
		}
		distance := margin.FollowerDistance(side, leverage, s.Rate(0))
		p := margin.Position{Size: float64(side) * 3, Price: price, Schedule: s}
		liquidation := margin.LiquidationPrice(p, p.ValueUSD()/leverage, 0)
		if side == margin.Long && distance >= 1 {
			if !math.IsNaN(liquidation) {
				t.Fatalf("out of reach at %v, but liquidated at %v", distance, liquidation)
			}
			return
		}
		if got := margin.Distance(side, price, liquidation); math.Abs(got-distance) > 1e-9 {
			t.Fatalf("%v of the price, %v by formula", got, distance)
		}
	})
}

func TestTouchProbability(t *testing.T) {
	// Reference values to the digits given; the last is 2Φ(−ln(1.2)/(0.06·√7)) by hand.
	near(t, ".09 at 4 %", margin.TouchProbability(margin.Long, 0.09, 0.04, 1, 1), 0.0184, 5e-5)
	near(t, ".09 at 6 %", margin.TouchProbability(margin.Long, 0.09, 0.06, 1, 1), 0.116, 5e-4)
	near(t, ".2 at 6 % in a week", margin.TouchProbability(margin.Long, 0.2, 0.06, 7, 1), 0.160, 5e-4)
	near(t, "short", margin.TouchProbability(margin.Short, 0.2, 0.06, 7, 1), 0.2507, 5e-4)
	near(t, "a tail factor is more volatility", margin.TouchProbability(margin.Long, 0.2, 0.06, 7, 1.3),
		margin.TouchProbability(margin.Long, 0.2, 0.078, 7, 1), 1e-12)
	near(t, "touched", margin.TouchProbability(margin.Long, 0, 0.04, 1, 1), 1, 0)
	near(t, "past it", margin.TouchProbability(margin.Short, -0.1, 0, 0, 1), 1, 0)
	near(t, "out of reach", margin.TouchProbability(margin.Long, 1.2, 0.04, 1, 1), 0, 0)
	near(t, "a short one's far", margin.TouchProbability(margin.Short, 1.2, 0.5, 30, 1), 0.773, 1e-3)
	near(t, "nothing moves", margin.TouchProbability(margin.Long, 0.1, 0, 1, 1), 0, 0)
	near(t, "no time", margin.TouchProbability(margin.Long, 0.1, 0.04, 0, 1), 0, 0)
	for _, bad := range [][4]float64{{math.NaN(), .04, 1, 1}, {.1, math.NaN(), 1, 1}, {.1, -.04, 1, 1}, {.1, .04, -1, 1}, {.1, .04, math.Inf(1), 1}, {.1, .04, 1, -1}, {.1, .04, 1, math.NaN()}} {
		near(t, "bad input", margin.TouchProbability(margin.Long, bad[0], bad[1], bad[2], bad[3]), math.NaN(), 0)
	}
	near(t, "no side", margin.TouchProbability(0, .1, .04, 1, 1), math.NaN(), 0)
}

// A probability stays within 0 and 1, rises with volatility and time, and falls with the distance.
func TestTouchProbabilityIsMonotonic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		side := rapid.SampledFrom([]margin.Side{margin.Long, margin.Short}).Draw(t, "side")
		distance := rapid.Float64Range(-0.2, 2).Draw(t, "distance")
		volatility := rapid.Float64Range(0, 1).Draw(t, "volatility")
		days := rapid.Float64Range(0, 60).Draw(t, "days")
		more := rapid.Float64Range(0, 1).Draw(t, "more")
		p := margin.TouchProbability(side, distance, volatility, days, 1.3)
		if !(p >= 0 && p <= 1) {
			t.Fatal(p)
		}
		if margin.TouchProbability(side, distance, volatility+more, days, 1.3) < p || margin.TouchProbability(side, distance, volatility, days+more, 1.3) < p {
			t.Fatal("falls with volatility or time")
		}
		if margin.TouchProbability(side, distance+more, volatility, days, 1.3) > p {
			t.Fatal("rises with the distance")
		}
	})
}
