package mirroring

import (
	"math"
	"strings"
	"testing"
	"time"

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
		Venue: venue, Mode: agent.Paper, Status: agent.Active, Risk: &agent.RiskConfig{MaxUSD: 1000 * agent.Dollar, CopyPercent: 100, MaxLeverage: of(20.0)},
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
		"expired by its status":                    {agent.Perps, func(in *Input) { closing(in); in.Status = agent.Expired }, AgentExpired},
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
		"levered as the owner accepted":     {func(in *Input) { in.Trade.Leverage = 40; in.Risk.MaxLeverage = nil }, 100 * agent.Dollar, 100 * agent.DefaultLeverage, false},
		"levered as the owner allows":       {func(in *Input) { in.Trade.Leverage = 40 }, 100 * agent.Dollar, 2000, false},
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

func BenchmarkDecide(b *testing.B) {
	in := ordinary(agent.Perps)
	b.ReportAllocs()
	for b.Loop() {
		Decide(in)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "decisions/s")
}
