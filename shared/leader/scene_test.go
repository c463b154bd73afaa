package leader

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
	"github.com/holiman/uint256"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/discovery"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/store/embedded"
)

// scene is a small spot market on one chain: wallets that buy and sell tokens for the native coin at 2,000 USD, tokens with one pool
// each whose hourly closes are 1 unless told otherwise, and a store.
type scene struct {
	on     *chain.Chain
	memory Memory
	events store.Events
	passes store.Passes

	mu         sync.Mutex
	activities map[chain.Address]*market.Activity
	pools      map[chain.Address][]market.Pool
	// closes are by pool and hour; NaN is an hour without a trade.
	closes   map[string]map[time.Time]float64
	security map[chain.Address]market.TokenSecurity
	// failing wallets and pools make their ports fail.
	failing map[string]error
	asked   map[string]int
}

// opening is when the scene's jobs run first: a Monday.
var opening = time.Date(2026, 6, 1, 12, 20, 0, 0, time.UTC)

const aDay = 24 * time.Hour

func newScene(t *testing.T) *scene {
	t.Helper()
	kept, err := embedded.Open(filepath.Join(t.TempDir(), "store"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := kept.Close(); err != nil {
			t.Error(err)
		}
	})
	s := newMarket()
	s.memory = Memory{Leaders: kept.Leaders(), Boards: kept.Boards(), Launches: kept.Launches(), TrackRecords: kept.TrackRecords(), Peers: kept.Peers()}
	s.events, s.passes = kept.Events(), kept.Passes()
	return s
}

// newMarket is a scene without a store.
func newMarket() *scene {
	on, _ := chain.Parse("base")
	return &scene{
		on: on, activities: make(map[chain.Address]*market.Activity), pools: make(map[chain.Address][]market.Pool),
		closes: make(map[string]map[time.Time]float64), security: make(map[chain.Address]market.TokenSecurity),
		failing: make(map[string]error), asked: make(map[string]int),
	}
}

func (s *scene) sources() market.Sources {
	return market.Sources{Activity: s, Prices: s, Pools: s, Candles: s, TokenSecurity: s}
}

func walletNumber(n int) chain.Address {
	return chain.Address{byte(37 * n), byte(n >> 8), byte(n), 0x11}
}

func coin(n int) chain.Address { return chain.Address{0xaa, byte(n >> 8), byte(n)} }

func (s *scene) ask(what string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked[what]++
	return s.failing[what]
}

func (s *scene) timesAsked(what string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[what]
}

func (s *scene) Activity(_ context.Context, _ *chain.Chain, wallet chain.Address) (*market.Activity, error) {
	if err := s.ask(wallet.String()); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.activities[wallet]; a != nil {
		return a, nil
	}
	return &market.Activity{}, nil
}

func (s *scene) Prices(_ context.Context, _ *chain.Chain, requests []market.PriceRequest) ([]market.PriceSeries, error) {
	var series []market.PriceSeries
	for _, r := range requests {
		usd := 1.0
		if r.Asset == chain.Native || r.Asset == s.on.WrappedNative.Address {
			usd = 2000
		}
		one := market.PriceSeries{Asset: r.Asset}
		for _, at := range r.Times {
			one.Points = append(one.Points, market.PricePoint{Time: at, USD: usd})
		}
		slices.SortFunc(one.Points, func(a, b market.PricePoint) int { return a.Time.Compare(b.Time) })
		series = append(series, one)
	}
	return series, nil
}

func (s *scene) Pools(_ context.Context, _ *chain.Chain, tokens []chain.Address) (map[chain.Address][]market.Pool, error) {
	found := make(map[chain.Address][]market.Pool)
	for _, token := range tokens {
		if pools := s.pools[token]; len(pools) > 0 {
			found[token] = pools
		}
	}
	return found, s.ask("pools")
}

func (s *scene) Candles(_ context.Context, _ *chain.Chain, r market.CandleRequest) (*market.Candles, error) {
	if err := s.ask(r.Pool); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	found := &market.Candles{}
	for at := r.From.UTC().Truncate(time.Hour); at.Before(r.To); at = at.Add(time.Hour) {
		price, told := s.closes[r.Pool][at]
		if !told {
			price = 1
		}
		if !math.IsNaN(price) {
			found.Hours = append(found.Hours, market.Candle{Time: at, Open: price, High: price, Low: price, Close: price, VolumeUSD: 1})
		}
	}
	return found, nil
}

func (s *scene) TokenSecurity(_ context.Context, _ *chain.Chain, tokens []chain.Address) (map[chain.Address]market.TokenSecurity, error) {
	found := make(map[chain.Address]market.TokenSecurity)
	for _, token := range tokens {
		if told, known := s.security[token]; known {
			found[token] = told
		}
	}
	return found, s.ask("security")
}

// pool gives a coin a pool; the first one is the deepest.
func (s *scene) pool(n int, id string) {
	s.pools[coin(n)] = append(s.pools[coin(n)], market.Pool{
		ID: id, Token: coin(n), Quote: s.on.WrappedNative.Address, PriceUSD: 1, LiquidityUSD: 500_000, MarketCapUSD: math.NaN(), FullyDilutedUSD: math.NaN(),
		CreatedAt: opening.Add(-300 * aDay),
	})
}

// price sets a pool's close in the hour of an instant.
func (s *scene) price(pool string, at time.Time, price float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closes[pool] == nil {
		s.closes[pool] = make(map[time.Time]float64)
	}
	s.closes[pool][at.UTC().Truncate(time.Hour)] = price
}

// trade has a wallet buy a thousand coins for an amount of the native coin, or, negative, sell them for it.
func (s *scene) trade(wallet chain.Address, n int, at time.Time, native float64) {
	if len(s.pools[coin(n)]) == 0 {
		s.pool(n, fmt.Sprint("pool-", n))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.activities[wallet]
	if a == nil {
		a = &market.Activity{Tokens: make(map[chain.Address]market.Token), Accounts: make(map[chain.Address]market.Account)}
		s.activities[wallet] = a
	}
	router, pool := chain.Address{0x77}, chain.Address{0xbb, byte(n)}
	a.Tokens[coin(n)] = market.Token{Address: coin(n), Symbol: "COIN", Decimals: 18, Known: true, Holders: 500}
	a.Accounts[router] = market.Account{Address: router, Kind: market.DexAccount, Contract: true}
	a.Accounts[pool] = market.Account{Address: pool, Kind: market.DexAccount, Contract: true}
	buying := native > 0
	moves := []market.Movement{
		{Token: chain.Native, Counterparty: router, Amount: *uint256.NewInt(uint64(math.Abs(native) * 1e18)), In: !buying, LogIndex: -1},
		{Token: coin(n), Counterparty: pool, In: buying, LogIndex: 5},
	}
	moves[1].Amount.Mul(uint256.NewInt(1000), uint256.NewInt(1e18))
	next := *a
	next.Transactions = append(slices.Clone(a.Transactions), market.Transaction{
		Hash: market.Hash{byte(len(a.Transactions)), byte(n), wallet[0], wallet[2]}, Block: uint64(at.Unix()), Time: at, Sender: wallet, Target: router, Movements: moves,
	})
	slices.SortStableFunc(next.Transactions, func(x, y market.Transaction) int { return x.Time.Compare(y.Time) })
	s.activities[wallet] = &next
}

// trades has a wallet make so many positions of a day that gain half, one every three days, the last closed a day before the opening.
func (s *scene) trades(wallet chain.Address, positions int) {
	for i := range positions {
		at := opening.Add(-time.Duration(2+3*i) * aDay)
		s.trade(wallet, 100+i, at, 0.5)
		s.trade(wallet, 100+i, at.Add(aDay), -0.5*(1.3+0.05*float64(i)))
	}
}

// find adds a leader of the scene's chain.
func (s *scene) find(t *testing.T, wallet chain.Address, source string, at time.Time, data any) {
	t.Helper()
	raw, err := json.Marshal(data)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.memory.Leaders.Find(t.Context(), s.group(), wallet.String(), store.Finding{Source: source, At: at, Data: raw}); err != nil {
		t.Fatal(err)
	}
}

func (s *scene) group() store.Group { return store.Group{Kind: Spot, Place: string(s.on.Slug)} }

// early is what discovery says of a wallet that it is sure of.
func early(wallet chain.Address) discovery.Finding {
	return discovery.Finding{
		Wallet: wallet, Older: discovery.Evidence{Launches: 20, Rose: 6, Expected: 2.4, P: 0.001}, Newer: discovery.Evidence{Launches: 8, Rose: 3, Expected: 1, P: 0.08},
		AdjustedP: 0.02, Tested: 400, HitRate: 0.3, BaseRate: 0.12, Confirmed: true,
	}
}

func (s *scene) leader(t *testing.T, wallet chain.Address) store.Leader {
	t.Helper()
	found, err := s.memory.Leaders.Leader(t.Context(), s.group(), wallet.String())
	if err != nil {
		t.Fatal(err)
	}
	return found
}
