package mirroring

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/agent"
)

// ordinary is an input of which an order comes: of a limit of 1,000 dollars a tenth, all copied.
func ordinary(venue agent.Venue) *Input {
	trade := &LeaderTrade{
		ID: "t", Venue: venue, Asset: Asset{Key: "BTC", Name: "BTC"}, Leg: Open, Side: Long, Price: 100, Quantity: 10, ValueUSD: 1000,
		Share: 0.1, Leverage: 1, At: start.Add(-time.Minute),
	}
	quote := unquoted()
	quote.Price, quote.DepthUSD = 100, 1e9
	switch venue {
	case agent.Spot:
		trade.Asset = Asset{Key: "0x52908400098527886e0f7030069857d2e4169ee7", Chain: "base", Name: "PEPE"}
	case agent.Perps:
		trade.Leverage, quote.MaximumLeverage, quote.MaintenanceRate, quote.FundingHourly = 4, 40, 0.0125, 0
	case agent.Prediction:
		trade.Asset = Asset{Key: "123", Market: "0xabc", Name: "outcome 0 of market 0xabc"}
		trade.Price, quote.Price, quote.TickSize, quote.Spread = 0.4, 0.4, 0.01, 0.02
	}
	return &Input{
		Venue: venue, Mode: agent.Paper, Status: agent.Active, Risk: &agent.RiskConfig{MaxUSD: 1000 * agent.Dollar, CopyPercent: 100},
		Gate: Gate{Mirrorable: true, Why: "The leader has not been graded.", MedianGain: math.NaN()}, Trade: trade, Quote: &quote, BalanceUSD: math.NaN(), Now: start,
	}
}

func of[T any](x T) *T { return &x }

// closing makes an input a close of half of what the leader held, of a copy that cost 100 dollars.
func closing(in *Input) {
	in.Trade.Leg, in.Trade.Share = Close, 0.5
	in.Copy = &Copy{Asset: in.Trade.Asset, Side: Long, Quantity: 1, Price: 100, Cost: 100 * agent.Dollar, Leverage: 1}
}

func TestEveryReasonToSkip(t *testing.T) {
	for name, c := range map[string]struct {
		venue  agent.Venue
		change func(*Input)
		want   SkipReason
	}{
		"nothing":                                  {agent.Perps, func(*Input) {}, ""},
		"paused":                                   {agent.Perps, func(in *Input) { in.Status = agent.Paused }, AgentPaused},
		"paused, closing":                          {agent.Perps, func(in *Input) { closing(in); in.Status = agent.Paused }, ""},
		"expired":                                  {agent.Perps, func(in *Input) { in.ExpiresAt = start }, AgentExpired},
		"expired, closing":                         {agent.Perps, func(in *Input) { closing(in); in.ExpiresAt = start }, AgentExpired},
		"expires in a second":                      {agent.Perps, func(in *Input) { in.ExpiresAt = start.Add(time.Second) }, ""},
		"gate":                                     {agent.Perps, func(in *Input) { in.Gate.Mirrorable = false }, LeaderGateFailed},
		"gate, closing":                            {agent.Perps, func(in *Input) { closing(in); in.Gate.Mirrorable = false }, ""},
		"five minutes old":                         {agent.Perps, func(in *Input) { in.Trade.At = start.Add(-5 * time.Minute) }, ""},
		"older than five minutes":                  {agent.Perps, func(in *Input) { in.Trade.At = start.Add(-5*time.Minute - 1) }, SignalStale},
		"old, closing":                             {agent.Perps, func(in *Input) { closing(in); in.Trade.At = start.Add(-24 * time.Hour) }, ""},
		"a percent dearer, spread included":        {agent.Perps, func(in *Input) { in.Quote.Price = 100.98 }, ""},
		"more than a percent dearer":               {agent.Perps, func(in *Input) { in.Quote.Price = 100.995 }, SlippageExceeded},
		"dearer, and the owner allows it":          {agent.Perps, func(in *Input) { in.Quote.Price = 104; in.Risk.MaxSlippageBps = of(500) }, ""},
		"short and cheaper":                        {agent.Perps, func(in *Input) { in.Trade.Side = Short; in.Quote.Price = 98 }, SlippageExceeded},
		"short and dearer":                         {agent.Perps, func(in *Input) { in.Trade.Side = Short; in.Quote.Price = 102 }, ""},
		"cheaper":                                  {agent.Perps, func(in *Input) { in.Quote.Price = 50 }, ""},
		"what the leader paid is unknown":          {agent.Spot, func(in *Input) { in.Trade.Price = math.NaN() }, SlippageExceeded},
		"half of a gain of 1 % is gone":            {agent.Perps, func(in *Input) { in.Gate.MedianGain = 0.01; in.Quote.Price = 100.5 }, ""},
		"more than half of it":                     {agent.Perps, func(in *Input) { in.Gate.MedianGain = 0.01; in.Quote.Price = 100.51 }, EdgeExhausted},
		"an outcome from 0.40 to 0.70":             {agent.Prediction, func(in *Input) { in.Quote.Price = 0.7; in.Risk.MaxSlippageBps = of(9999) }, ""},
		"an outcome from 0.40 to 0.71":             {agent.Prediction, func(in *Input) { in.Quote.Price = 0.71; in.Risk.MaxSlippageBps = of(9999) }, EdgeExhausted},
		"excluded by coin":                         {agent.Perps, func(in *Input) { in.Risk.ExcludeTokens = []string{"eth", "btc"} }, AssetExcluded},
		"excluded by address":                      {agent.Spot, func(in *Input) { in.Risk.ExcludeTokens = []string{"0x52908400098527886E0F7030069857D2E4169EE7"} }, AssetExcluded},
		"excluded, closing":                        {agent.Perps, func(in *Input) { closing(in); in.Risk.ExcludeTokens = []string{"BTC"} }, ""},
		"danger":                                   {agent.Spot, func(in *Input) { in.Quote.Danger = "It cannot be sold." }, TokenRisk},
		"the day's loss is reached":                {agent.Perps, func(in *Input) { in.LostToday = 50 * agent.Dollar; in.Risk.DailyLossUSD = of(50 * agent.Dollar) }, DailyLossLimit},
		"the day's loss is nearly reached":         {agent.Perps, func(in *Input) { in.LostToday = 50*agent.Dollar - 1; in.Risk.DailyLossUSD = of(50 * agent.Dollar) }, ""},
		"all is exposed":                           {agent.Perps, func(in *Input) { in.Exposure = 1000 * agent.Dollar }, MaxExposure},
		"two dollars are left, four times levered": {agent.Perps, func(in *Input) { in.Exposure = 998 * agent.Dollar }, MaxExposure},
		"three dollars are left, four times":       {agent.Perps, func(in *Input) { in.Exposure = 997 * agent.Dollar }, ""},
		"a copy too many":                          {agent.Perps, func(in *Input) { in.Copies = 200 }, MaxExposure},
		"less than ten dollars":                    {agent.Perps, func(in *Input) { in.Risk.CopyPercent = 2.4 }, BelowMinOrder},
		"ten dollars":                              {agent.Perps, func(in *Input) { in.Risk.CopyPercent = 2.5 }, ""},
		"less than five shares":                    {agent.Prediction, func(in *Input) { in.Risk.CopyPercent = 1.99 }, BelowMinOrder},
		"five shares":                              {agent.Prediction, func(in *Input) { in.Risk.CopyPercent = 2 }, ""},
		"less than gas is worth":                   {agent.Spot, func(in *Input) { in.Trade.Asset.Chain = "eth"; in.Risk.CopyPercent = 49 }, BelowMinOrder},
		"a small close":                            {agent.Perps, func(in *Input) { closing(in); in.Trade.Share = 0.09 }, BelowMinOrder},
		"a small close with what is owed":          {agent.Perps, func(in *Input) { closing(in); in.Trade.Share = 0.09; in.Copy.Owed = 0.02 }, ""},
		"a small close of everything":              {agent.Perps, func(in *Input) { closing(in); in.Trade.Flat = true; in.Copy.Quantity = 0.01 }, ""},
		"a shallow pool":                           {agent.Spot, func(in *Input) { in.Quote.DepthUSD = 249 }, InsufficientLiquidity},
		"a pool deep enough":                       {agent.Spot, func(in *Input) { in.Quote.DepthUSD = 251 }, ""},
		"a pool of unknown depth":                  {agent.Spot, func(in *Input) { in.Quote.DepthUSD = math.NaN() }, InsufficientLiquidity},
		"closed":                                   {agent.Perps, func(in *Input) { in.Quote.Closed = true }, MarketClosed},
		"without a price":                          {agent.Perps, func(in *Input) { in.Quote.Price = math.NaN() }, MarketClosed},
		"closing without a price":                  {agent.Perps, func(in *Input) { closing(in); in.Quote.Price = math.NaN() }, MarketClosed},
		"on the other side":                        {agent.Perps, func(in *Input) { in.Copy = &Copy{Side: Short, Leverage: 2} }, PositionConflict},
		"on another outcome":                       {agent.Prediction, func(in *Input) { in.Against = &Copy{} }, PositionConflict},
		"nothing to close":                         {agent.Perps, func(in *Input) { closing(in); in.Copy = nil }, NoPositionToClose},
		"the other side to close":                  {agent.Perps, func(in *Input) { closing(in); in.Copy.Side = Short }, NoPositionToClose},
		"a copy above the cap on leverage":         {agent.Perps, func(in *Input) { in.Copy = &Copy{Side: Long, Leverage: 5}; in.Risk.MaxLeverage = of(4.0) }, LeverageExceeded},
		"the leader above the cap":                 {agent.Perps, func(in *Input) { in.Trade.Leverage = 40; in.Risk.MaxLeverage = of(4.0) }, ""},
		"nothing to spend":                         {agent.Perps, func(in *Input) { in.Mode = agent.Live; in.BalanceUSD = 2.5 }, InsufficientBalance},
		"just enough to spend":                     {agent.Perps, func(in *Input) { in.Mode = agent.Live; in.BalanceUSD = 2.51 }, ""},
		"held already when it was activated":       {agent.Perps, func(in *Input) { in.Trade.Existing = true; in.Copy = &Copy{Side: Long, Leverage: 1} }, Duplicate},
	} {
		t.Run(name, func(t *testing.T) {
			in := ordinary(c.venue)
			c.change(in)
			d := Decide(in)
			if d.Skip != c.want {
				t.Errorf("skip %q, want %q: %s", d.Skip, c.want, d.Reason)
			}
			if !strings.HasSuffix(d.Reason, ".") || len(d.Reason) < 15 {
				t.Errorf("no sentence: %q", d.Reason)
			}
		})
	}
}

func TestSizesByHand(t *testing.T) {
	for name, c := range map[string]struct {
		change  func(*Input)
		cost    agent.MicroUSD
		size    float64
		reduced bool
	}{
		"a tenth, four times levered":   {func(*Input) {}, 100 * agent.Dollar, 400, false},
		"half copied":                   {func(in *Input) { in.Risk.CopyPercent = 50 }, 50 * agent.Dollar, 200, false},
		"unknown means are a twentieth": {func(in *Input) { in.Trade.Share = math.NaN() }, 50 * agent.Dollar, 200, false},
		"4 % for one position":          {func(in *Input) { in.Risk.PerPositionCapPct = of(4.0) }, 40 * agent.Dollar, 160, true},
		"of which 30 are taken": {func(in *Input) {
			in.Risk.PerPositionCapPct = of(4.0)
			in.Copy = &Copy{Side: Long, Leverage: 4, Cost: 30 * agent.Dollar}
		}, 10 * agent.Dollar, 40, true},
		"70 are left":                       {func(in *Input) { in.Exposure = 930 * agent.Dollar }, 70 * agent.Dollar, 280, true},
		"levered once at most":              {func(in *Input) { in.Risk.MaxLeverage = of(1.0) }, 100 * agent.Dollar, 100, false},
		"levered 20 times at most":          {func(in *Input) { in.Trade.Leverage = 40 }, 100 * agent.Dollar, 2000, false},
		"whole leverages":                   {func(in *Input) { in.Trade.Leverage = 3.9 }, 100 * agent.Dollar, 300, false},
		"the market takes 1 % impact":       {func(in *Input) { in.Quote.DepthUSD = 1600 }, 25 * agent.Dollar, 100, true}, // 1600·(0.01/0.04)²
		"half a dollar is spendable a dime": {func(in *Input) { in.BalanceUSD = 50.09 }, 50 * agent.Dollar, 200, true},
	} {
		t.Run(name, func(t *testing.T) {
			in := ordinary(agent.Perps)
			in.Quote.FeeRate = 0.00045
			in.Quote.Spread = 0
			c.change(in)
			d := Decide(in)
			if d.Skip != "" || d.Cost != c.cost || math.Abs(d.SizeUSD-c.size) > 1e-6 || d.Reduced != c.reduced || d.Quantity != d.SizeUSD/100 {
				t.Errorf("%+v", d)
			}
		})
	}
}

func TestClosesByHand(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Input)
		part   float64
	}{
		"half":                      {func(*Input) {}, 0.5},
		"half, a fifth is owed":     {func(in *Input) { in.Copy.Owed = 0.2 }, 0.6},
		"all that the leader has":   {func(in *Input) { in.Trade.Flat = true }, 1},
		"an unknown part is all":    {func(in *Input) { in.Trade.Share = math.NaN() }, 1},
		"more than there is":        {func(in *Input) { in.Trade.Share = 7 }, 1},
		"all at a worthless payout": {func(in *Input) { in.Trade.Own = true; in.Quote.Closed, in.Quote.Payout = true, 0 }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			in := ordinary(agent.Perps)
			closing(in)
			c.change(in)
			if d := Decide(in); d.Skip != "" || math.Abs(d.Part-c.part) > 1e-12 || math.Abs(d.Quantity-c.part) > 1e-12 {
				t.Errorf("%+v", d)
			}
		})
	}
}

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
		if outcomes[""] < 20 || len(outcomes) < 6 {
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
		if limit := in.Risk.MaxLeverage; limit != nil && d.Leverage > *limit {
			t.Fatalf("a leverage of %v, allowed are %v", d.Leverage, *limit)
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
	opened := 0
	defer func() {
		if opened < 10 {
			t.Errorf("only %d of the inputs opened anything", opened)
		}
	}()
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		in.Trade.Leg = Open
		before := Decide(in).Cost
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

func BenchmarkDecide(b *testing.B) {
	in := ordinary(agent.Perps)
	b.ReportAllocs()
	for b.Loop() {
		Decide(in)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "decisions/s")
}
