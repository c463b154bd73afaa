package mirroring

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/mirrorworthy/mirrorworthy/shared/agent"
	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/leader"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/store/embedded"
)

// start is when the tests' worlds begin.
var start = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

var leaderWallet = chain.Address{0x11}

// venue is a perpetuals venue with one leader. Its contracts cost what prices say.
type venue struct {
	mu     sync.Mutex
	fills  []market.PerpFill
	prices map[string]float64
	equity float64
	// leverage is what the leader sets everywhere.
	leverage float64
	delisted map[string]bool
	broken   bool
	order    int64
	// reads counts how often the fills were asked for, marketReads the markets.
	reads, marketReads int
}

func newVenue() *venue {
	return &venue{prices: map[string]float64{"BTC": 100, "ETH": 10, "SOL": 1}, equity: 10_000, leverage: 2, delisted: map[string]bool{}}
}

func (v *venue) PerpFills(context.Context, chain.Address) (*market.PerpFills, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.reads++
	return &market.PerpFills{Fills: slices.Clone(v.fills)}, nil
}

func (v *venue) PerpAccount(context.Context, chain.Address, []string) (*market.PerpAccount, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	house := market.PerpClearinghouse{ValueUSD: v.equity}
	for coin, size := range v.holding() {
		if size != 0 {
			house.Positions = append(house.Positions, market.PerpPosition{
				Coin: coin, Size: size, ValueUSD: math.Abs(size) * v.prices[coin], Leverage: v.leverage,
			})
		}
	}
	return &market.PerpAccount{Clearinghouses: []market.PerpClearinghouse{house}, SpotDollars: math.NaN()}, nil
}

func (v *venue) PerpMarkets(context.Context, string) ([]market.PerpMarket, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.marketReads++
	if v.broken {
		return nil, fmt.Errorf("markets: %w", market.ErrUnavailable)
	}
	var markets []market.PerpMarket
	for coin, price := range v.prices {
		markets = append(markets, market.PerpMarket{
			Coin: coin, MarkPrice: price, OraclePrice: price, FundingHourly: 0, VolumeUSD24h: 1e9, OpenInterestUSD: 1e9, Delisted: v.delisted[coin],
			Tiers: []market.MarginTier{{MaximumLeverage: 50}},
		})
	}
	return markets, nil
}

// holding is what the leader holds of each coin.
func (v *venue) holding() map[string]float64 {
	held := make(map[string]float64)
	for i := range v.fills {
		f := &v.fills[i]
		held[f.Coin] = f.Before + f.Size
		if !f.Buy {
			held[f.Coin] = f.Before - f.Size
		}
	}
	return held
}

// trade adds an order of the leader that takes from the book at the market's price: above zero it buys.
func (v *venue) trade(at time.Time, coin string, size float64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.order++
	v.fills = append(v.fills, market.PerpFill{
		Coin: coin, Time: at, Buy: size > 0, Price: v.prices[coin], Size: math.Abs(size), Before: v.holding()[coin], Order: v.order, Trade: v.order,
	})
}

func (v *venue) sources() market.Sources {
	return market.Sources{PerpFills: v, PerpAccounts: v, PerpMarkets: v}
}

// world is a venue, a store, and the job between them.
type world struct {
	t      testing.TB
	venue  *venue
	engine *embedded.Store
	memory Memory
	mirror *mirror
	now    time.Time
}

func newWorld(t testing.TB) *world {
	t.Helper()
	engine, err := embedded.Open(filepath.Join(t.TempDir(), "store.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	w := &world{t: t, venue: newVenue(), engine: engine, now: start}
	w.memory = Memory{Agents: engine.Agents(), Executions: engine.Executions(), Readings: engine.Readings(), Leaders: engine.Leaders()}
	w.mirror = &mirror{memory: w.memory, sources: w.venue.sources(), clock: func() time.Time { return w.now }}
	return w
}

var perpLeader = store.FollowedLeader{Group: store.Group{Kind: "perp", Place: "perpvenue"}, Leader: leaderWallet.String()}

// grade writes a grading of the leader.
func (w *world) grade(mirrorable bool) {
	w.t.Helper()
	w.gradeOf(perpLeader, mirrorable)
}

func (w *world) gradeOf(perpLeader store.FollowedLeader, mirrorable bool) {
	w.t.Helper()
	ctx := context.Background()
	if err := w.memory.Leaders.Find(ctx, perpLeader.Group, perpLeader.Leader, store.Finding{Source: "test", At: w.now, Data: []byte("{}")}); err != nil {
		w.t.Fatal(err)
	}
	data, err := json.Marshal(leader.Graded{AsOf: w.now, Assessment: &leader.Assessment{
		Mirrorable: mirrorable, Evidence: "closed-trades", Reasons: []reason.Reason{{Code: "LOSES", Text: "It loses."}},
	}})
	if err != nil {
		w.t.Fatal(err)
	}
	kept, err := w.memory.Leaders.Leader(ctx, perpLeader.Group, perpLeader.Leader)
	if err != nil {
		w.t.Fatal(err)
	}
	grading := store.Grading{At: w.now, Pass: "p", Verdict: "watch", Data: data}
	if err := w.memory.Leaders.Grade(ctx, perpLeader.Group, perpLeader.Leader, kept.Grading.At, grading); err != nil {
		w.t.Fatal(err)
	}
}

// follower makes an active agent with a limit of 1,000 dollars that copies everything.
func (w *world) follower(id string, change func(*agent.Agent)) *agent.Agent {
	w.t.Helper()
	a := &agent.Agent{
		Partner: "partner", ID: id, Owner: chain.Address{1}, SmartAccount: chain.Address{2}, Venue: agent.Perps, Leader: leaderWallet,
		Mode: agent.Paper, Status: agent.Active, Risk: agent.RiskConfig{MaxUSD: 1000 * agent.Dollar, CopyPercent: 100, MaxLeverage: of(20.0)}, ActivatedAt: w.now,
		CreatedAt: w.now, ChangedAt: w.now, Version: 1,
	}
	if change != nil {
		change(a)
	}
	record, err := a.Record()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := w.memory.Agents.Create(context.Background(), record); err != nil {
		w.t.Fatal(err)
	}
	return a
}

// pass runs the job once as of now.
func (w *world) pass() error {
	w.t.Helper()
	ctx := context.Background()
	plan, err := w.mirror.plan(ctx, w.now)
	if err != nil {
		return err
	}
	for part := range plan.Parts {
		report, err := w.mirror.part(ctx, w.now, store.Pass{Data: plan.Data, Parts: plan.Parts}, part)
		if err != nil {
			return err
		}
		if err := report.Failed(); err != nil {
			return err
		}
	}
	return nil
}

// mustPass is pass where nothing fails.
func (w *world) mustPass() {
	w.t.Helper()
	if err := w.pass(); err != nil {
		w.t.Fatal(err)
	}
}

// executions are an agent's, the oldest first.
func (w *world) executions(of *agent.Agent) []Execution {
	w.t.Helper()
	var all []Execution
	at, id := time.Time{}, ""
	for {
		rows, err := w.memory.Executions.List(context.Background(), of.Key(), "", at, id, store.MaximumListed)
		if err != nil {
			w.t.Fatal(err)
		}
		for i := range rows {
			k, err := readKept(&rows[i])
			if err != nil {
				w.t.Fatal(err)
			}
			all = append(all, k.Answer)
			at, id = rows[i].At, rows[i].ID
		}
		if len(rows) < store.MaximumListed {
			break
		}
	}
	slices.Reverse(all)
	return all
}

// account is an agent's book, whose exposure must be the sum of what is open and within the limit.
func (w *world) account(of *agent.Agent) *account {
	w.t.Helper()
	book, err := w.memory.Executions.Book(context.Background(), of.Key())
	if err != nil {
		w.t.Fatal(err)
	}
	a, err := readAccount(&book)
	if err != nil {
		w.t.Fatal(err)
	}
	if book.ExposureMicroUSD != int64(a.exposure()) || a.exposure() > of.Risk.MaxUSD || a.exposure() < 0 {
		w.t.Fatalf("exposure %d of a book of %v, limit %v", book.ExposureMicroUSD, a.exposure(), of.Risk.MaxUSD)
	}
	return a
}

// words are what executions came to, in short.
func words(all []Execution) []string {
	said := make([]string, len(all))
	for i, e := range all {
		said[i] = string(e.Leg) + " " + string(e.Status)
		if e.SkipReason != nil {
			said[i] += " " + string(*e.SkipReason)
		}
	}
	return said
}
