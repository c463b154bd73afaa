package mirroring

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/agent"
	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/store/embedded"
)

// Every followed leader is in exactly one part, whoever came or went since the plan was made.
func TestEveryLeaderIsInOnePart(t *testing.T) {
	w := newWorld(t)
	if plan, err := w.mirror.plan(t.Context(), w.now); err != nil || plan.Parts != 0 {
		t.Fatalf("%+v %v", plan, err)
	}
	follow := func(i int) {
		w.follower(fmt.Sprintf("a%d", i), func(a *agent.Agent) { a.Leader = chain.Address{byte(i), 1} })
	}
	for i := range 130 {
		follow(i)
	}
	plan, err := w.mirror.plan(t.Context(), w.now)
	if err != nil || plan.Parts != 7 {
		t.Fatalf("%d parts: %v", plan.Parts, err)
	}
	for i := 130; i < 140; i++ {
		follow(i)
	}
	var read []chain.Address
	w.mirror.sources.PerpFills = recorded{&read, w.venue}
	for part := range plan.Parts {
		w.mirror.sources.PerpFills = recorded{&read, w.venue}
		if report, err := w.mirror.part(t.Context(), w.now, store.Pass{Data: plan.Data}, part); err != nil || report.Failed() != nil {
			t.Fatal(err, report.Failed())
		}
	}
	slices.SortFunc(read, chain.Address.Compare)
	if len(read) != 140 || len(slices.Compact(read)) != 140 {
		t.Errorf("%d readings", len(read))
	}
	if _, err := w.mirror.part(t.Context(), w.now, store.Pass{Data: plan.Data}, 7); err == nil {
		t.Error("a part that is none")
	}
}

// recorded notes which leaders are read.
type recorded struct {
	read *[]chain.Address
	*venue
}

func (r recorded) PerpFills(ctx context.Context, leader chain.Address) (*market.PerpFills, error) {
	r.mu.Lock()
	*r.read = append(*r.read, leader)
	r.mu.Unlock()
	return r.venue.PerpFills(ctx, leader)
}

func TestALeaderThatCannotBeReadKeepsNobodyElseFromBeingMirrored(t *testing.T) {
	w := newWorld(t)
	w.grade(true)
	a := w.follower("a", nil)
	w.follower("b", func(a *agent.Agent) { a.Leader = chain.Address{0xba} })
	w.now = w.now.Add(time.Minute)
	w.venue.trade(w.now, "BTC", 20)
	w.mirror.sources.PerpFills = failing{w.venue}
	if err := w.pass(); !errors.Is(err, market.ErrUnavailable) {
		t.Errorf("%v", err)
	}
	if got := words(w.executions(a)); !slices.Equal(got, []string{"open executed"}) {
		t.Errorf("%v", got)
	}
}

type failing struct{ *venue }

func (f failing) PerpFills(ctx context.Context, leader chain.Address) (*market.PerpFills, error) {
	if leader != leaderWallet {
		return nil, market.ErrUnavailable
	}
	return f.venue.PerpFills(ctx, leader)
}

// quotedWallet is a wallet on a chain whose token has a pool.
type quotedWallet struct {
	*wallet
	price, liquidity float64
	security         market.TokenSecurity
}

func (w *quotedWallet) Pools(_ context.Context, _ *chain.Chain, tokens []chain.Address) (map[chain.Address][]market.Pool, error) {
	pools := make(map[chain.Address][]market.Pool)
	for _, token := range tokens {
		if w.liquidity > 0 {
			pools[token] = []market.Pool{{ID: "p", Token: token, PriceUSD: w.price, LiquidityUSD: w.liquidity}}
		}
	}
	return pools, nil
}

func (w *quotedWallet) TokenSecurity(_ context.Context, _ *chain.Chain, tokens []chain.Address) (map[chain.Address]market.TokenSecurity, error) {
	return map[chain.Address]market.TokenSecurity{tokens[0]: w.security}, nil
}

func TestSpotCopiesFromPoolToPool(t *testing.T) {
	w := newWorld(t)
	on, _ := chain.Parse("base")
	a := w.follower("a", func(a *agent.Agent) { a.Venue, a.Chain = agent.Spot, on })
	w.gradeOf(a.Followed(), true)
	q := &quotedWallet{wallet: newWallet(), price: 0.202, liquidity: 100_000, security: market.TokenSecurity{Token: tokenA, BuyTax: 0, SellTax: 0.1}}
	q.holdings = []market.Holding{{Token: market.Token{Address: on.Stables[0].Address, Decimals: 6}, Amount: units(900, 6), PriceUSD: 1}}
	w.mirror.sources = market.Sources{Activity: q, Holdings: q, Pools: q, Prices: q, TokenSecurity: q}
	w.now = w.now.Add(time.Minute)
	q.swap(w.now, 500, 100) // a tenth of 1,000
	w.mustPass()
	c := w.account(a).Copies
	if len(c) != 1 || c[0].Cost != 100*agent.Dollar || math.Abs(c[0].Quantity-99.7/(0.202*(1+99.7/50_000))) > 1e-9 {
		t.Fatalf("%+v %v", c, w.executions(a)[0].Reason)
	}
	w.now = w.now.Add(time.Minute)
	q.price = 0.4
	q.swap(w.now, -500, 200)
	w.mustPass()
	all := w.executions(a)
	value := c[0].Quantity * 0.4 * 0.9
	in := value * 0.997
	want := in*50_000/(in+50_000) - 100
	if len(all) != 2 || all[1].Status != Executed || math.Abs(all[1].RealizedUSD.USD()-want) > 1e-5 || *all[1].Asset.Address != tokenA.String() || all[1].Side != "sell" {
		t.Errorf("%v, realised %v, by hand %v", words(all), *all[1].RealizedUSD, want)
	}
	// A token whose pool is gone is not closed for nothing, but owed.
	q.swap(w.now, 500, 100)
	q.price = 0.2
	w.now = w.now.Add(time.Minute)
	w.mustPass()
	q.swap(w.now, -500, 1)
	q.liquidity = 0
	w.now = w.now.Add(time.Minute)
	w.mustPass()
	if got := words(w.executions(a))[2:]; !slices.Equal(got, []string{"open executed", "close skipped market_closed"}) {
		t.Fatalf("%v", got)
	}
	w.now = w.now.Add(8 * 24 * time.Hour)
	w.mustPass()
	last := w.executions(a)[4]
	if last.Status != Executed || *last.RealizedUSD != -100*agent.Dollar || len(w.account(a).Copies) != 0 {
		t.Errorf("%+v", last)
	}
}

// outcomes is a prediction venue with one market of two outcomes.
type outcomes struct {
	*forecast
	market market.PredictionMarket
}

func (o *outcomes) PredictionMarkets(context.Context, []market.Hash) (map[market.Hash]market.PredictionMarket, error) {
	return map[market.Hash]market.PredictionMarket{o.market.Market: o.market}, nil
}

func TestOutcomesAreHeldUntilTheMarketIsDecided(t *testing.T) {
	w := newWorld(t)
	on, _ := chain.Parse("polygon")
	a := w.follower("a", func(a *agent.Agent) { a.Venue, a.Chain = agent.Prediction, on })
	w.gradeOf(a.Followed(), true)
	o := &outcomes{forecast: &forecast{}, market: market.PredictionMarket{
		Market: market.Hash{7}, FeeRate: 0.02, TickSize: 0.01, Spread: 0.02, LiquidityUSD: 50_000,
		Outcomes: []market.PredictionOutcome{{Asset: "11", Price: 0.40, Payout: math.NaN()}, {Asset: "12", Price: 0.59, Payout: math.NaN()}},
	}}
	o.positions.Open = []market.PredictionPosition{{Asset: "11", Shares: 1000, Price: 0.4}, {Asset: "99", Shares: 600, Price: 1}}
	w.mirror.sources = market.Sources{PredictionActivity: o, PredictionPositions: o, PredictionMarkets: o}
	w.now = w.now.Add(time.Minute)
	bought := func(asset string, outcome int, shares float64) {
		o.activity.Trades = append(o.activity.Trades, market.PredictionTrade{
			Time: w.now, Market: market.Hash{7}, Asset: asset, Outcome: outcome, Buy: true, Price: 0.4, Shares: shares, Transaction: market.Hash{byte(len(o.activity.Trades) + 1)},
		})
	}
	bought("11", 0, 1000) // 400 dollars of 1,000
	w.mustPass()
	w.now = w.now.Add(time.Minute)
	bought("12", 1, 100)
	w.mustPass()
	all := w.executions(a)
	if got := words(all); !slices.Equal(got, []string{"open executed", "open skipped position_conflict"}) {
		t.Fatalf("%v %s", got, all[0].Reason)
	}
	condition := "0x" + hex.EncodeToString(append([]byte{7}, make([]byte, 31)...))
	if c := w.account(a).Copies[0]; c.Cost != 400*agent.Dollar || *all[0].Asset.Market != condition || *all[0].Asset.Outcome != 0 || *all[0].Asset.OutcomeToken != "11" {
		t.Errorf("%+v", c)
	}
	o.market.Decided, o.market.Outcomes[0].Payout, o.market.Outcomes[1].Payout = true, 1, 0
	w.now = w.now.Add(11 * time.Minute)
	w.mustPass()
	last := w.executions(a)[2]
	if last.Status != Executed || *last.Price != 1 || *last.RealizedUSD != signedMicro(*last.Quantity)-400*agent.Dollar || len(w.account(a).Copies) != 0 {
		t.Errorf("%+v", last)
	}
}

func BenchmarkTenThousandFollowers(b *testing.B) {
	const followers = 10_000
	for b.Loop() {
		b.StopTimer()
		engine, err := embedded.Open(filepath.Join(b.TempDir(), "store.db"))
		if err != nil {
			b.Fatal(err)
		}
		w := newWorld(b)
		w.engine = engine
		w.memory = Memory{Agents: engine.Agents(), Executions: engine.Executions(), Readings: engine.Readings(), Leaders: engine.Leaders()}
		w.mirror.memory = w.memory
		w.grade(true)
		for i := range followers {
			w.follower(fmt.Sprintf("a%05d", i), nil)
		}
		w.now = w.now.Add(time.Minute)
		w.venue.trade(w.now, "BTC", 20)
		b.StartTimer()
		w.mustPass()
		b.StopTimer()
		if got := w.executions(&agent.Agent{Partner: "partner", ID: "a09999"}); len(got) != 1 || got[0].Status != Executed {
			b.Fatalf("%v", words(got))
		}
		if err := engine.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	b.ReportMetric(float64(b.N)*followers/b.Elapsed().Seconds(), "copies/s")
}
