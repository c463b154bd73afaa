package leader_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/holiman/uint256"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/job"
	"github.com/mirrorworthy/mirrorworthy/shared/leader"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/store/embedded"
)

const day = 24 * time.Hour

// today is a noon; base the chain of the tests.
var (
	today   = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	base, _ = chain.Parse("base")
	onBase  = store.Group{Kind: leader.Spot, Place: "base"}
	errDown = errors.New("no such host")
)

func account(n int) chain.Address {
	var a chain.Address
	a[0] = 3
	binary.BigEndian.PutUint32(a[16:], uint32(n))
	return a
}

func memoryFor(t testing.TB) leader.Memory {
	t.Helper()
	kept, err := embedded.Open(filepath.Join(t.TempDir(), "store.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := kept.Close(); err != nil {
			t.Error(err)
		}
	})
	return leader.Memory{Leaders: kept.Leaders(), Boards: kept.Boards(), Launches: kept.Launches(), TrackRecords: kept.TrackRecords(), Peers: kept.Peers()}
}

// world is all that the job can ask.
type world struct {
	mu        sync.Mutex
	launches  []market.PoolLaunch
	histories map[string]*market.PoolHistory
	// down are the pools, tokens, wallets and boards that cannot be asked now.
	down       map[string]bool
	asked      []string
	activities map[chain.Address]*market.Activity
	contracts  map[chain.Address]market.Code
	listed     []market.ListedToken
	trades     map[string][]market.TokenTrade
	holders    map[chain.Address][]market.Holder
	perps      []market.PerpLeader
	boards     map[string][]market.PredictionLeader
}

func newWorld() *world {
	return &world{
		histories: make(map[string]*market.PoolHistory), down: make(map[string]bool), activities: make(map[chain.Address]*market.Activity),
		contracts: make(map[chain.Address]market.Code), trades: make(map[string][]market.TokenTrade), holders: make(map[chain.Address][]market.Holder),
		boards: make(map[string][]market.PredictionLeader),
	}
}

func (w *world) ask(what string, of ...any) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	name := fmt.Sprint(of...)
	w.asked = append(w.asked, what+" "+name)
	if w.down[name] || w.down[what] {
		return fmt.Errorf("%s: %w", name, errDown)
	}
	return nil
}

// questions returns what was asked since the last time, of a kind.
func (w *world) questions(what string) []string {
	var of []string
	for _, q := range w.asked {
		if strings.HasPrefix(q, what+" ") {
			of = append(of, strings.TrimPrefix(q, what+" "))
		}
	}
	w.asked = nil
	return of
}

func (w *world) Launches(_ context.Context, _ *chain.Chain, r market.LaunchesRequest) ([]market.PoolLaunch, error) {
	if err := w.ask("launches", r.From.Format("01-02T15:04-"), r.To.Format("01-02T15:04")); err != nil {
		return nil, err
	}
	var made []market.PoolLaunch
	for _, l := range w.launches {
		if !l.Time.Before(r.From) && l.Time.Before(r.To) {
			made = append(made, l)
		}
	}
	return made, nil
}

func (w *world) PoolHistory(_ context.Context, _ *chain.Chain, r market.PoolHistoryRequest) (*market.PoolHistory, error) {
	if err := w.ask("history", r.Launch.Pool); err != nil {
		return nil, err
	}
	if h := w.histories[r.Launch.Pool]; h != nil {
		return h, nil
	}
	return &market.PoolHistory{MintedAt: r.Launch.Time.Add(-time.Hour), Until: r.Until}, nil
}

func (w *world) Prices(_ context.Context, _ *chain.Chain, requests []market.PriceRequest) ([]market.PriceSeries, error) {
	series := make([]market.PriceSeries, len(requests))
	for i, r := range requests {
		series[i].Asset = r.Asset
		for _, at := range r.Times {
			series[i].Points = append(series[i].Points, market.PricePoint{Time: at, USD: 2_000})
		}
	}
	return series, w.ask("prices", len(requests))
}

func (w *world) Activity(_ context.Context, _ *chain.Chain, wallet chain.Address) (*market.Activity, error) {
	if err := w.ask("activity", wallet); err != nil {
		return nil, err
	}
	if a := w.activities[wallet]; a != nil {
		return a, nil
	}
	return &market.Activity{}, nil
}

func (w *world) Code(_ context.Context, _ *chain.Chain, account chain.Address) (market.Code, error) {
	if err := w.ask("code", account); err != nil {
		return market.Code{}, err
	}
	if code, known := w.contracts[account]; known {
		return code, nil
	}
	return market.Code{Empty: true}, nil
}

func (w *world) Listed(context.Context, *chain.Chain) ([]market.ListedToken, error) {
	return w.listed, w.ask("listed")
}

func (w *world) Trades(_ context.Context, _ *chain.Chain, r market.TradesRequest) (*market.TokenTrades, error) {
	return &market.TokenTrades{Trades: w.trades[r.Pool]}, w.ask("trades", r.Pool)
}

func (w *world) Holders(_ context.Context, _ *chain.Chain, token chain.Address) (*market.TokenHolders, error) {
	return &market.TokenHolders{Known: true, Top: w.holders[token]}, w.ask("holders", token)
}

func (w *world) PerpLeaderboard(_ context.Context, ofEach int) ([]market.PerpLeader, error) {
	return w.perps, w.ask("perps", ofEach)
}

func (w *world) PredictionLeaderboard(_ context.Context, r market.PredictionLeaderboardRequest) ([]market.PredictionLeader, error) {
	rows := w.boards[r.Category+"/"+string(r.Window)]
	return rows[:min(len(rows), r.Limit)], w.ask("predictions", r.Category, "/", r.Window, " ", r.Limit)
}

// onlyLaunches are the sources of launches and what their early buyers are asked about.
func (w *world) onlyLaunches() market.Sources {
	return market.Sources{Launches: w, PoolHistories: w, Prices: w, Activity: w, Code: w}
}

// pass runs a pass and returns its report by part: a whole one, or of the parts of launches only those of some days.
func pass(t testing.TB, spread job.Spread, at time.Time, days ...time.Time) map[string]job.Part {
	t.Helper()
	of, parts := planned(t, spread, at)
	var names []string
	if err := json.Unmarshal(of.Data, &names); err != nil || len(names) != of.Parts {
		t.Fatalf("%s: %v", of.Data, err)
	}
	for i, name := range names {
		if len(days) == 0 || slices.ContainsFunc(days, func(d time.Time) bool { return strings.HasSuffix(name, d.Format("/"+time.DateOnly)) }) {
			parts(i)
		}
	}
	report, err := spread.Conclude(t.Context(), at, of)
	if err != nil {
		t.Fatal(err)
	}
	all := parts(-1)
	for _, p := range report {
		all[p.Name] = p
	}
	return all
}

// planned plans a pass, and returns how to do a part of it and get what was reported so far.
func planned(t testing.TB, spread job.Spread, at time.Time) (store.Pass, func(int) map[string]job.Part) {
	t.Helper()
	plan, err := spread.Plan(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	of := store.Pass{Job: spread.Name, ID: "pass-" + at.Format(time.RFC3339), At: at, Parts: plan.Parts, Data: plan.Data}
	if plan.Parts > 0 {
		if err := of.Validate(); err != nil {
			t.Fatal(err)
		}
	}
	all := make(map[string]job.Part)
	return of, func(part int) map[string]job.Part {
		if part < 0 {
			return all
		}
		report, err := spread.Part(t.Context(), at, of, part)
		if err != nil {
			all[fmt.Sprintf("part %d", part)] = job.Part{Err: err}
		}
		for _, p := range report {
			all[p.Name] = p
		}
		return all
	}
}

// made adds a pool of a token, and a history in which twenty accounts buy and nothing else happens.
func (w *world) made(n int, at time.Time) market.PoolLaunch {
	l := market.PoolLaunch{
		Token: account(100_000 + n), Pool: fmt.Sprintf("0xpool%d", n), Version: "v2", Quote: base.WrappedNative.Address, Block: uint64(1_000 + n), Time: at,
	}
	w.launches = append(w.launches, l)
	slices.SortStableFunc(w.launches, func(a, b market.PoolLaunch) int { return a.Time.Compare(b.Time) })
	h := &market.PoolHistory{Supply: 1e9, MintedAt: at.Add(-time.Hour), MintedTo: account(9), Until: at.Add(7 * day)}
	h.Changes = []market.LiquidityChange{{Block: l.Block, Time: at, Provider: account(9), Quote: 10, Tokens: 1e6, QuoteReserve: 10}}
	for i := range 20 {
		h.Swaps = append(h.Swaps, market.PoolSwap{
			Block: l.Block + 100 + uint64(i), Time: at.Add(time.Duration(i+5) * time.Minute), Trader: account(i + 20), Buy: true, Tokens: 5_000, Quote: 0.05,
			QuoteReserve: 10 + 0.05*float64(i+1),
		})
	}
	w.histories[l.Pool] = h
	return l
}

func ofDay(t testing.TB, m leader.Memory, at time.Time) []store.Launch {
	t.Helper()
	all, err := m.Launches.OfDay(t.Context(), "base", at)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func leadersOf(t testing.TB, m leader.Memory, group store.Group) map[string]store.Leader {
	t.Helper()
	all, err := m.Leaders.List(t.Context(), group, "", "", 1_000)
	if err != nil {
		t.Fatal(err)
	}
	by := make(map[string]store.Leader)
	for _, l := range all {
		by[l.Address] = l
	}
	return by
}

// raw is an amount of 18 decimals.
func raw(units float64) market.Amount {
	var a uint256.Int
	a.SetUint64(uint64(units * 1e9))
	return *a.Mul(&a, uint256.NewInt(1e9))
}
