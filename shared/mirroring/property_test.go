package mirroring

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/agent"
)

// anything is a number, now and then an odd one or none.
func anything(low, high float64) *rapid.Generator[float64] {
	return rapid.Custom(func(t *rapid.T) float64 {
		if rapid.IntRange(0, 24).Draw(t, "odd") > 0 {
			return low + (high-low)*evenly(t, "part")
		}
		return rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, -1, 1e300, 5e-324}).Draw(t, "number")
	})
}

// evenly draws from 0 to 1 without a liking for small numbers.
func evenly(t *rapid.T, name string) float64 {
	return rand.New(rand.NewPCG(rapid.Uint64().Draw(t, name), 7)).Float64()
}

func drawInput(t *rapid.T) *Input {
	in := ordinary(rapid.SampledFrom(agent.Venues()).Draw(t, "venue"))
	in.Status = rapid.SampledFrom([]agent.Status{agent.Active, agent.Active, agent.Active, agent.Paused}).Draw(t, "status")
	in.Mode = rapid.SampledFrom([]agent.Mode{agent.Paper, agent.Live}).Draw(t, "mode")
	in.Gate.Mirrorable = rapid.IntRange(0, 5).Draw(t, "gate") > 0
	in.Gate.MedianGain = anything(0.01, 2).Draw(t, "gain")
	r := in.Risk
	r.MaxUSD = agent.MicroUSD(math.Exp(evenly(t, "maximum")*10 + 17))
	r.CopyPercent = 100 * (1 - evenly(t, "percent"))
	optional := func(name string) bool { return rapid.Bool().Draw(t, name) }
	if optional("leveraged") {
		r.MaxLeverage = of(1 + 49*evenly(t, "leverage cap"))
	}
	if optional("slips") {
		r.MaxSlippageBps = of(1 + int(4999*evenly(t, "slippage")))
	}
	if optional("capped") {
		r.PerPositionCapPct = of(0.1 + 99*evenly(t, "cap"))
	}
	if optional("stops") {
		r.DailyLossUSD = of(agent.MicroUSD(1 + 1e12*evenly(t, "loss")))
	}
	in.Trade.Leg = rapid.SampledFrom([]Leg{Open, Open, Close}).Draw(t, "leg")
	if in.Venue == agent.Perps {
		in.Trade.Side = rapid.SampledFrom([]Side{Long, Short}).Draw(t, "side")
	}
	in.Trade.Share, in.Trade.Leverage = anything(0, 1).Draw(t, "share"), anything(0, 60).Draw(t, "leverage")
	in.Trade.Flat = rapid.IntRange(0, 4).Draw(t, "flat") == 0
	in.Trade.Existing = in.Trade.Leg == Open && rapid.IntRange(0, 9).Draw(t, "existing") == 0
	q := in.Quote
	if rapid.Bool().Draw(t, "another price") {
		q.Price *= rapid.Float64Range(0.97, 1.01).Draw(t, "moved")
	}
	if rapid.IntRange(0, 9).Draw(t, "odd") == 0 {
		q.Price, in.Trade.Price = anything(0, 200).Draw(t, "price"), anything(0, 200).Draw(t, "leader's price")
	}
	q.DepthUSD, q.Spread, q.FeeRate = anything(1e3, 1e8).Draw(t, "depth"), anything(0, 0.01).Draw(t, "spread"), anything(0, 0.1).Draw(t, "fee")
	q.MaximumLeverage, q.MaintenanceRate = anything(1, 60).Draw(t, "venue's leverage"), anything(0, 0.1).Draw(t, "maintenance")
	q.Closed = rapid.IntRange(0, 19).Draw(t, "closed") == 0
	q.Payout = anything(0, 1).Draw(t, "payout")
	in.Exposure = agent.MicroUSD(r.MaxUSD.USD() * evenly(t, "exposure") * float64(agent.Dollar))
	in.LostToday = agent.MicroUSD(rapid.SampledFrom([]int64{0, 0, 0, 1e6, 1e12}).Draw(t, "lost"))
	in.BalanceUSD = math.NaN()
	if in.Mode == agent.Live {
		in.BalanceUSD = anything(0, 1e6).Draw(t, "balance")
	}
	if in.Trade.Leg == Close || rapid.IntRange(0, 3).Draw(t, "adds") == 0 {
		in.Copy = &Copy{
			Asset: in.Trade.Asset, Side: in.Trade.Side, Quantity: rapid.Float64Range(1e-9, 1e6).Draw(t, "held"), Price: 100, Leverage: float64(rapid.IntRange(1, 20).Draw(t, "held at")),
			Cost: agent.MicroUSD(rapid.Int64Range(0, int64(in.Exposure)).Draw(t, "cost")), Owed: rapid.Float64Range(0, 1).Draw(t, "owed"),
		}
	}
	return in
}

func TestEveryInputHasOneOutcomeWithinTheLimits(t *testing.T) {
	outcomes := make(map[SkipReason]int)
	defer func() {
		all := 0
		for _, n := range outcomes {
			all += n
		}
		if 20*outcomes[""] < all || len(outcomes) < 5 {
			t.Errorf("hardly anything was tried: %v", outcomes)
		}
	}()
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		d := Decide(in)
		outcomes[d.Skip]++
		if d != Decide(in) {
			t.Fatal("another decision of the same input")
		}
		if d.Reason == "" || strings.Contains(d.Reason, "NaN") || strings.Contains(d.Reason, "Inf") || strings.Contains(d.Reason, "%!") {
			t.Fatalf("%q", d.Reason)
		}
		if d.Skip != "" {
			if d.Cost != 0 || d.Quantity != 0 {
				t.Fatalf("a skip with an order: %+v", d)
			}
			return
		}
		if in.Trade.Leg == Close {
			if !(d.Part > 0 && d.Part <= 1) || !(d.Quantity <= in.Copy.Quantity) || d.Cost != 0 {
				t.Fatalf("%+v of %v", d, in.Copy.Quantity)
			}
			return
		}
		if d.Cost <= 0 || in.Exposure+d.Cost > in.Risk.MaxUSD || !(d.Quantity > 0) || math.IsInf(d.Quantity, 0) || !(d.Leverage >= 1) {
			t.Fatalf("%+v with %v of %v exposed", d, in.Exposure, in.Risk.MaxUSD)
		}
		if limit := in.Risk.LeverageCap(); in.Venue == agent.Perps && d.Leverage > limit {
			t.Fatalf("a leverage of %v, allowed are %v", d.Leverage, limit)
		}
		if limit := in.Risk.PerPositionCapPct; limit != nil && in.Copy == nil && d.Cost.USD() > in.Risk.MaxUSD.USD()**limit/100+1e-6 {
			t.Fatalf("%v in one position", d.Cost)
		}
		fill := paper(&Order{Venue: in.Venue, Leg: Open, Side: in.Trade.Side, Cost: d.Cost, Leverage: d.Leverage, At: in.Now}, in.Quote, nil)
		if fill.Cost > d.Cost || !(fill.Quantity >= 0) || math.IsInf(fill.Quantity, 0) || math.IsNaN(fill.Price) {
			t.Fatalf("filled %+v of %+v", fill, d)
		}
	})
}

func TestLowerLimitsNeverOpenMore(t *testing.T) {
	opened, all := 0, 0
	defer func() {
		if 50*opened < all {
			t.Errorf("only %d of %d inputs opened anything", opened, all)
		}
	}()
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		in.Trade.Leg = Open
		before := Decide(in).Cost
		all++
		if before > 0 {
			opened++
		}
		risk := *in.Risk
		in.Risk = &risk
		factor := rapid.Float64Range(0, 1).Draw(t, "factor")
		switch rapid.SampledFrom([]string{"percent", "maximum", "position", "slippage", "exposure", "balance", "depth"}).Draw(t, "what") {
		case "percent":
			risk.CopyPercent *= factor
		case "maximum":
			risk.MaxUSD = agent.MicroUSD(float64(risk.MaxUSD) * factor)
		case "position":
			was := 100.0
			if risk.PerPositionCapPct != nil {
				was = *risk.PerPositionCapPct
			}
			risk.PerPositionCapPct = of(was * factor)
		case "slippage":
			if risk.MaxSlippageBps != nil {
				risk.MaxSlippageBps = of(int(float64(*risk.MaxSlippageBps) * factor))
			}
		case "exposure":
			in.Exposure += agent.MicroUSD(float64(risk.MaxUSD-in.Exposure) * factor)
		case "balance":
			if in.BalanceUSD > 0 {
				in.BalanceUSD *= factor
			}
		case "depth":
			quote := *in.Quote
			if in.Venue == agent.Spot && quote.DepthUSD > 0 {
				quote.DepthUSD *= factor
			}
			in.Quote = &quote
		}
		if after := Decide(in); after.Cost > before {
			t.Fatalf("%v instead of %v: %s", after.Cost, before, after.Reason)
		}
	})
}
