package margin_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/margin"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// randomSchedule draws one to four tiers around the values that positions have.
func randomSchedule(t *testing.T, random *rand.Rand) margin.Schedule {
	tiers := []market.MarginTier{{MaximumLeverage: 2 + 98*random.Float64()}}
	for from := 0.; len(tiers) < 1+random.IntN(4); {
		from += math.Exp(4 + 10*random.Float64())
		tiers = append(tiers, market.MarginTier{FromUSD: from, MaximumLeverage: max(1, tiers[len(tiers)-1].MaximumLeverage*(0.3+0.7*random.Float64()))})
	}
	return schedule(t, tiers...)
}

func randomPosition(t *testing.T, random *rand.Rand) margin.Position {
	p := margin.Position{Price: math.Exp(-6 + 18*random.Float64()), Schedule: randomSchedule(t, random)}
	p.Size = math.Exp(2+12*random.Float64()) / p.Price
	if random.IntN(2) == 0 {
		p.Size = -p.Size
	}
	return p
}

// At the liquidation price of a position the equity is the maintenance, in 10,000 random accounts of one to eight positions.
func TestEquityIsMaintenanceAtTheLiquidationPrice(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 1))
	priced, worst := 0, 0.
	for range 10_000 {
		positions := make([]margin.Position, 1+random.IntN(8))
		value, maintenance := 0., 0.
		for i := range positions {
			positions[i] = randomPosition(t, random)
			value += positions[i].ValueUSD()
			maintenance += positions[i].MaintenanceUSD()
		}
		equity := maintenance + value*0.6*random.Float64()
		p := positions[0]
		others := maintenance - p.MaintenanceUSD()
		liquidation := margin.LiquidationPrice(p, equity, max(0, others))
		if math.IsNaN(liquidation) {
			// Only a long position that can be lost whole has none: at a price of zero the others are still maintained.
			if p.Size < 0 || equity-p.ValueUSD() < others-1e-9*value {
				t.Fatalf("no liquidation price of %+v with %v", p, equity)
			}
			continue
		}
		priced++
		after := p
		after.Price = liquidation
		gap := equity + p.Size*(liquidation-p.Price) - others - after.MaintenanceUSD()
		worst = max(worst, math.Abs(gap)/(equity+value+after.ValueUSD()))
	}
	if priced < 5_000 || worst > 1e-9 {
		t.Errorf("%d priced, worst gap %v of what is at stake", priced, worst)
	}
}

// A larger equity is never liquidated sooner.
func TestMoreEquityIsFurtherFromLiquidation(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 2))
	for range 2_000 {
		p := randomPosition(t, random)
		equity := p.MaintenanceUSD() + p.ValueUSD()*(0.001+0.5*random.Float64())
		near := margin.LiquidationPrice(p, equity, 0)
		far := margin.LiquidationPrice(p, equity*1.1, 0)
		side := margin.SideOf(p.Size)
		if margin.Distance(side, p.Price, near) < 0 || margin.Distance(side, p.Price, far) < margin.Distance(side, p.Price, near) {
			t.Fatalf("%+v: %v with %v, %v with more", p, near, equity, far)
		}
	}
}

func TestStressByHand(t *testing.T) {
	s, err := margin.SingleTier(50) // a maintenance rate of 1 %
	if err != nil {
		t.Fatal(err)
	}
	long := margin.Position{Size: 10, Price: 100, Schedule: s}
	short := margin.Position{Size: -4, Price: 100, Schedule: s}
	// 200 + 1000x = 10(1+x): x = −190/990. 200 − 400x = 4(1+x): x = 196/404. Together 200 + 600x = 14(1+x): x = −186/586.
	near(t, "long", margin.StressMove(200, []margin.Position{long}), -190./990, 1e-12)
	near(t, "short", margin.StressMove(200, []margin.Position{short}), 196./404, 1e-12)
	near(t, "both", margin.StressMove(200, []margin.Position{long, short}), -186./586, 1e-12)
	// Hedged to the coin, only the maintenance grows: 200 = 20(1+x).
	hedge := margin.Position{Size: -10, Price: 100, Schedule: s}
	near(t, "hedged", margin.StressMove(200, []margin.Position{long, hedge}), 9, 1e-12)
	near(t, "liquidated already", margin.StressMove(9, []margin.Position{long}), 0, 0)
	near(t, "fully paid", margin.StressMove(1000, []margin.Position{long}), math.NaN(), 0)
	near(t, "no position", margin.StressMove(1000, nil), math.NaN(), 0)
	near(t, "no equity", margin.StressMove(math.NaN(), []margin.Position{long}), math.NaN(), 0)
	near(t, "no schedule", margin.StressMove(10, []margin.Position{{Size: 1, Price: 1}}), math.NaN(), 0)
}

// The stress of one position is its own liquidation, and no smaller move of all coins liquidates an account.
func TestStressIsTheFirstMoveThatLiquidates(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 3))
	found := 0
	for range 1_500 {
		positions := make([]margin.Position, 1+random.IntN(5))
		value, maintenance := 0., 0.
		for i := range positions {
			positions[i] = randomPosition(t, random)
			value += positions[i].ValueUSD()
			maintenance += positions[i].MaintenanceUSD()
		}
		equity := maintenance + value*0.5*random.Float64()
		spare := func(move float64) float64 {
			left := equity
			for _, p := range positions {
				after := p
				after.Price *= 1 + move
				left += p.Size * p.Price * move
				if after.Price > 0 {
					left -= after.MaintenanceUSD()
				}
			}
			return left
		}
		stress := margin.StressMove(equity, positions)
		reach := 20.
		if !math.IsNaN(stress) {
			found++
			reach = math.Abs(stress)
			if gap := spare(stress); math.Abs(gap) > 1e-9*(equity+value*(1+reach)) {
				t.Fatalf("a move of %v leaves %v", stress, gap)
			}
			if p := positions[0]; len(positions) == 1 {
				own := margin.LiquidationPrice(p, equity, 0)
				if math.Abs(own/p.Price-1-stress) > 1e-9*(1+reach) {
					t.Fatalf("a move of %v, but liquidated at %v of %v", stress, own, p.Price)
				}
			}
		}
		for step := 1.; step < 40; step++ {
			move := reach * 0.999 * step / 40
			if spare(move) <= 0 || (move < 1 && spare(-move) <= 0) {
				t.Fatalf("a move of ±%v liquidates before %v", move, stress)
			}
		}
	}
	if found < 1_000 {
		t.Errorf("only %d accounts could be liquidated", found)
	}
}

func FuzzLiquidationPrice(f *testing.F) {
	f.Add(1.0, 100.0, 20.0, 5.0, 0.0, 1e5)
	f.Add(-3.0, 1e-9, 1e308, 2.0, 1e300, 1e-300)
	f.Add(math.Inf(1), math.NaN(), 0.0, 0.5, -1.0, 0.0)
	f.Fuzz(func(t *testing.T, size, price, equity, leverage, others, bound float64) {
		s, err := margin.NewSchedule([]market.MarginTier{{MaximumLeverage: leverage}, {FromUSD: bound, MaximumLeverage: leverage / 2}})
		if err != nil {
			return
		}
		p := margin.Position{Size: size, Price: price, Schedule: s}
		got := margin.LiquidationPrice(p, equity, others)
		if !math.IsNaN(got) && (!(got > 0) || math.IsInf(got, 0)) {
			t.Errorf("liquidated at %v", got)
		}
		if stress := margin.StressMove(equity, []margin.Position{p}); stress < -1 {
			t.Errorf("a move of %v", stress)
		}
	})
}

// Positions that are nothing but noise never give a price below zero or a move below a total loss.
func TestHostileNumbers(t *testing.T) {
	odd := rapid.OneOf(rapid.SampledFrom([]float64{0, -1, 1, math.NaN(), math.Inf(1), math.Inf(-1), 1e308, -1e308, 5e-324}), rapid.Float64())
	s := schedule(t, dogecoin...)
	rapid.Check(t, func(t *rapid.T) {
		p := margin.Position{Size: odd.Draw(t, "size"), Price: odd.Draw(t, "price"), Schedule: s}
		got := margin.LiquidationPrice(p, odd.Draw(t, "equity"), odd.Draw(t, "others"))
		if got <= 0 || math.IsInf(got, 0) {
			t.Fatal(got)
		}
		if stress := margin.StressMove(odd.Draw(t, "equity"), []margin.Position{p, p}); stress < -1 || math.IsInf(stress, 0) {
			t.Fatal(stress)
		}
	})
}
