package mirroring

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/agent"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b)) }

func TestPaperFillsByHand(t *testing.T) {
	perps := unquoted()
	perps.Price, perps.DepthUSD, perps.FundingHourly = 200, 4e6, 0.0001 // half a spread of 10 basis points below ten million
	outcome := unquoted()
	outcome.Price, outcome.DepthUSD, outcome.Spread, outcome.FeeRate, outcome.TickSize = 0.5, 10_000, 0.04, 0.02, 0.01 // two cents of spread
	token := unquoted()
	token.Price, token.DepthUSD, token.BuyTax, token.SellTax = 2, 50_000, 0.05, 0.10
	unknownDepth := token
	unknownDepth.DepthUSD = math.NaN()
	dead := token
	dead.Price, dead.DepthUSD, dead.Closed, dead.Payout = math.NaN(), 0, true, 0
	held := &Copy{Side: Short, Quantity: 2, Price: 210, Leverage: 5, FundedAt: start.Add(-10 * time.Hour)}
	for name, c := range map[string]struct {
		order Order
		quote *Quote
		want  Fill
	}{
		// 0.04·√(400/4e6) = 0.0004, and 0.001 of spread
		"perps, long": {Order{Venue: agent.Perps, Leg: Open, Side: Long, Cost: 100 * agent.Dollar, Leverage: 4}, &perps,
			Fill{Quantity: 400 / 200.28, Price: 200.28, Cost: 100 * agent.Dollar, Fee: 180_000}},
		"perps, short": {Order{Venue: agent.Perps, Leg: Open, Side: Short, Cost: 100 * agent.Dollar, Leverage: 4}, &perps,
			Fill{Quantity: 400 / 199.72, Price: 199.72, Cost: 100 * agent.Dollar, Fee: 180_000}},
		// Ten hours of 0.01 % of 400 dollars are received by who is short.
		"perps, closing a short": {Order{Venue: agent.Perps, Leg: Close, Side: Short, Quantity: 2}, &perps,
			Fill{Quantity: 2, Price: 200.28, Fee: 180_252, Funding: 400_000}},
		// Price 0.5·(1+0.02+0.01) = 0.515, fee 0.02·0.515·0.485 a share
		"outcome": {Order{Venue: agent.Prediction, Leg: Open, Side: Long, Cost: 100 * agent.Dollar}, &outcome,
			Fill{Quantity: 100 / (0.515 + 0.0049955), Price: 0.515, Cost: 100 * agent.Dollar, Fee: 960_681}},
		"outcome, sold": {Order{Venue: agent.Prediction, Leg: Close, Side: Long, Quantity: 200}, &outcome,
			Fill{Quantity: 200, Price: 0.485, Fee: 999_100}},
		// 997 dollars against 50,000: 498.5/1.01994 tokens, of which a twentieth is kept
		"token": {Order{Venue: agent.Spot, Leg: Open, Side: Long, Cost: 1000 * agent.Dollar}, &token,
			Fill{Quantity: 498.5 / 1.01994 * 0.95, Price: 2 * 1.01994 / 0.95, Cost: 1000 * agent.Dollar, Fee: 3_000_000}},
		// 500 tokens of 1,000 dollars, 900 after the tax, 897.3 after the fee, 897.3·50000/50897.3 out
		"token, sold": {Order{Venue: agent.Spot, Leg: Close, Side: Long, Quantity: 500}, &token,
			Fill{Quantity: 500, Price: (897.3*50000/50897.3 + 2.7) / 500, Fee: 2_700_000}},
		"token, of unknown depth": {Order{Venue: agent.Spot, Leg: Close, Side: Long, Quantity: 500}, &unknownDepth,
			Fill{Quantity: 500, Price: (897.3*0.9 + 2.7) / 500, Fee: 2_700_000}},
		"token, dead": {Order{Venue: agent.Spot, Leg: Close, Side: Long, Quantity: 500}, &dead, Fill{Quantity: 500}},
	} {
		t.Run(name, func(t *testing.T) {
			c.order.At = start
			got := paper(&c.order, c.quote, held)
			if !near(got.Quantity, c.want.Quantity) || !near(got.Price, c.want.Price) || got.Cost != c.want.Cost || got.Fee != c.want.Fee || got.Funding != c.want.Funding || got.At != start {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
}

// Whoever buys and sells at once at an unchanged price loses what the venue takes, and never gains.
func TestNobodyGainsByPaperAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		in.Trade.Leg, in.Copy, in.Mode = Open, nil, agent.Paper
		d := Decide(in)
		if d.Skip != "" {
			t.Skip()
		}
		in.Quote.FundingHourly = 0
		o := Order{Execution: "e", Venue: in.Venue, Mode: agent.Paper, Asset: in.Trade.Asset, Leg: Open, Side: in.Trade.Side, Cost: d.Cost, Leverage: d.Leverage, At: in.Now}
		a := &account{}
		fill := paper(&o, in.Quote, nil)
		if !(fill.Quantity > 0) {
			t.Skip()
		}
		a.opened(&o, &fill)
		if a.exposure() != d.Cost {
			t.Fatalf("%v exposed after %v", a.exposure(), d.Cost)
		}
		parts := rapid.IntRange(1, 4).Draw(t, "parts")
		var realized agent.MicroUSD
		for i := range parts {
			c := a.copyOf(o.Asset.Key)
			back := o
			back.Leg, back.Quantity, back.Part = Close, c.Quantity/float64(parts-i), 1/float64(parts-i)
			fill := paper(&back, in.Quote, c)
			realized += a.closed(&back, &fill)
			if a.exposure() < 0 {
				t.Fatal("below nothing exposed")
			}
		}
		if len(a.Copies) != 0 || a.exposure() != 0 {
			t.Fatalf("left open: %+v", a.Copies)
		}
		if realized > 10 || realized < -d.Cost-micro(d.SizeUSD*0.3)-10 { // millionths are rounded
			t.Fatalf("realised %v of %v", realized, d.Cost)
		}
		if a.Realized != realized || a.lostToday(in.Now) != max(0, -realized) || a.lostToday(in.Now.Add(24*time.Hour)) != 0 {
			t.Fatalf("the day came to %v, want %v", a.Realized, realized)
		}
	})
}
