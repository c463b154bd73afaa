package token

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/holiman/uint256"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/endpointtest"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenfacts"
	"github.com/mirrorworthy/mirrorworthy/shared/wallet"
)

// flowNow is the instant that the answers of these tests describe.
var flowNow = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

var (
	flowToken = chain.Address{0xaa, 0xff}
	flowPool  = chain.Address{0xbb, 0xff}
)

// scene is a small market: one token with a pool, its trades, and wallets with a past. It stands behind every port.
type scene struct {
	mu         sync.Mutex
	trades     []market.TokenTrade
	histories  map[chain.Address]*market.Activity
	pools      map[chain.Address][]market.Pool
	holders    market.TokenHolders
	contract   market.Contract
	security   market.TokenSecurity
	unreadable map[chain.Address]bool
	asked      int
	kept       map[string][]store.Observation
	storeErr   error
	unread     bool // the store cannot be read
	peers      map[string]store.PeerSet
	peersAsked map[string]int
}

func storeObservation(at time.Time, data []byte) store.Observation {
	return store.Observation{At: at, Data: data}
}

func newScene() *scene {
	s := &scene{
		histories: make(map[chain.Address]*market.Activity), pools: make(map[chain.Address][]market.Pool), unreadable: make(map[chain.Address]bool),
		kept: make(map[string][]store.Observation), peers: make(map[string]store.PeerSet), peersAsked: make(map[string]int),
	}
	s.contract = market.Contract{
		Code: []byte{1}, AnswersSupply: market.Yes, AnswersDecimals: market.Yes, AnswersBalance: market.Yes, Decimals: 18,
		TotalSupply: *new(uint256.Int).Mul(uint256.NewInt(1_000_000), uint256.NewInt(1e18)),
	}
	s.security = market.TokenSecurity{Token: flowToken, BuyTax: 0, SellTax: 0}
	s.pools[flowToken] = []market.Pool{s.pool(flowToken, flowPool, 0.5, 400_000)}
	return s
}

func (s *scene) pool(token, at chain.Address, price, liquidity float64) market.Pool {
	return market.Pool{
		ID: at.String(), Token: token, Quote: flowChain().WrappedNative.Address, PriceUSD: price, LiquidityUSD: liquidity,
		MarketCapUSD: math.NaN(), FullyDilutedUSD: math.NaN(), CreatedAt: flowNow.Add(-400 * 24 * time.Hour),
	}
}

func flowChain() *chain.Chain { on, _ := chain.Parse("eth"); return on }

func (s *scene) Activity(_ context.Context, _ *chain.Chain, wallet chain.Address) (*market.Activity, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	if s.unreadable[wallet] {
		return nil, fmt.Errorf("%w: explorer", market.ErrUnavailable)
	}
	if found := s.histories[wallet]; found != nil {
		return found, nil
	}
	return &market.Activity{}, nil
}

func (s *scene) Prices(_ context.Context, _ *chain.Chain, requests []market.PriceRequest) ([]market.PriceSeries, error) {
	var series []market.PriceSeries
	for _, r := range requests {
		if !flowChain().IsQuote(r.Asset) {
			continue
		}
		one := market.PriceSeries{Asset: r.Asset}
		for _, at := range r.Times {
			one.Points = append(one.Points, market.PricePoint{Time: at, USD: 2_000})
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
	return found, nil
}

func (s *scene) TokenSecurity(_ context.Context, _ *chain.Chain, tokens []chain.Address) (map[chain.Address]market.TokenSecurity, error) {
	if slices.Contains(tokens, flowToken) {
		return map[chain.Address]market.TokenSecurity{flowToken: s.security}, nil
	}
	return nil, nil
}

func (s *scene) Trades(context.Context, *chain.Chain, market.TradesRequest) (*market.TokenTrades, error) {
	return &market.TokenTrades{Trades: s.trades, Since: flowNow.Add(-24 * time.Hour)}, nil
}

func (s *scene) Contract(context.Context, *chain.Chain, chain.Address) (*market.Contract, error) {
	return &s.contract, nil
}

func (s *scene) Holders(context.Context, *chain.Chain, chain.Address) (*market.TokenHolders, error) {
	return &s.holders, nil
}

func (s *scene) Candles(context.Context, *chain.Chain, market.CandleRequest) (*market.Candles, error) {
	return &market.Candles{}, nil
}

func (s *scene) Simulate(context.Context, *chain.Chain, market.SimulationRequest) (*market.Simulation, error) {
	return &market.Simulation{Reason: "no node"}, nil
}

func (s *scene) Observe(_ context.Context, chain, token string, o store.Observation) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.storeErr != nil {
		return s.storeErr
	}
	for _, earlier := range s.kept[chain+token] {
		if earlier.At.Truncate(time.Hour).Equal(o.At.Truncate(time.Hour)) {
			return nil
		}
	}
	s.kept[chain+token] = append(s.kept[chain+token], o)
	return nil
}

func (s *scene) Observed(_ context.Context, chain, token string, from time.Time) ([]store.Observation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.unread {
		return nil, errors.New("the store is down")
	}
	var found []store.Observation
	for _, o := range s.kept[chain+token] {
		if !o.At.Before(from) {
			found = append(found, o)
		}
	}
	slices.SortFunc(found, func(a, b store.Observation) int { return a.At.Compare(b.At) })
	return found, nil
}

func (s *scene) PutPeers(_ context.Context, of string, set store.PeerSet) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.peers[of] = set
	return nil
}

func (s *scene) PeersOf(_ context.Context, of string) (store.PeerSet, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.peersAsked[of]++
	if s.unread {
		return store.PeerSet{}, errors.New("the store is down")
	}
	set, found := s.peers[of]
	if !found {
		return store.PeerSet{}, store.ErrNotFound
	}
	return set, nil
}

// observe keeps an observation of the scene's token so long ago.
func (s *scene) observe(t *testing.T, ago time.Duration, holders int, liquidity float64) {
	t.Helper()
	data, err := tokenfacts.Observation{Holders: holders, TopShare: math.NaN(), LiquidityUSD: liquidity, PriceUSD: math.NaN()}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Observe(t.Context(), "eth", flowToken.String(), store.Observation{At: flowNow.Add(-ago), Data: data}); err != nil {
		t.Fatal(err)
	}
}

func (s *scene) sources() market.Sources {
	return market.Sources{
		Activity: s, Prices: s, Pools: s, TokenSecurity: s, Trades: s, Contracts: s, Holders: s, Candles: s, Simulation: s,
	}
}

func (s *scene) page() page { return page{Memory{Observations: s, Peers: s}} }

// handler serves the page's endpoints of these tests, and trader-score, without a key.
func (s *scene) handler() http.Handler {
	p := s.page()
	endpoints := []endpoint.Endpoint{p.smartMoneyFlow(), p.tokenHoldersInsight(), p.exitRiskEndpoint(), wallet.TraderScore()}
	for i := range endpoints {
		endpoints[i].Open = true
	}
	return endpoint.NewHandler(endpoint.Service{Sources: s.sources(), Clock: func() time.Time { return flowNow }}, endpoints...)
}

// ask posts to an endpoint of the handler.
func (s *scene) ask(t endpointtest.T, name, body string) endpointtest.Answer {
	t.Helper()
	return endpointtest.Call{Method: http.MethodPost, Path: "/v1/" + name, Body: body}.Do(t, s.handler())
}

func (s *scene) askToken(t endpointtest.T, name string) string {
	t.Helper()
	answer := s.ask(t, name, `{"token":"`+flowToken.String()+`","chain":"eth"}`)
	if answer.Status != http.StatusOK {
		t.Fatalf("%s: status %d: %s", name, answer.Status, answer.Body)
	}
	return answer.Body
}

// trade adds a trade of the scene's token.
func (s *scene) trade(trader chain.Address, buy bool, usd float64, ago time.Duration) {
	s.trades = append(s.trades, market.TokenTrade{
		Time: flowNow.Add(-ago), Block: uint64(1e6 - ago/(12*time.Second)), LogIndex: len(s.trades), Trader: trader, Buy: buy, Amount: usd / 0.5, ValueUSD: usd,
	})
	slices.SortStableFunc(s.trades, func(a, b market.TokenTrade) int { return a.Time.Compare(b.Time) })
}

// trader gives an account a past of so many closed positions that gain this much, give or take, funded by somebody.
func (s *scene) trader(account, funder chain.Address, positions int, gain float64) {
	router := chain.Address{0x77}
	activity := &market.Activity{Tokens: make(map[chain.Address]market.Token), Accounts: map[chain.Address]market.Account{
		router: {Address: router, Kind: market.DexAccount, Contract: true},
	}}
	native := func(units float64) uint256.Int { return *uint256.NewInt(uint64(units * 1e18)) }
	n := uint64(0)
	add := func(at time.Time, sender chain.Address, movements ...market.Movement) {
		n++
		tx := market.Transaction{Block: 1000 + n, Time: at, Sender: sender, Target: router, Movements: movements}
		binary.BigEndian.PutUint64(tx.Hash[:], n)
		copy(tx.Hash[8:], account[:])
		activity.Transactions = append(activity.Transactions, tx)
	}
	start := flowNow.Add(-time.Duration(positions+3) * 2 * 24 * time.Hour)
	add(start, funder, market.Movement{Token: chain.Native, Counterparty: funder, Amount: native(5), In: true, LogIndex: -1})
	for i := range positions {
		token := chain.Address{0xcc, byte(i), account[1]}
		pool := chain.Address{0xdd, byte(i), account[1]}
		activity.Tokens[token] = market.Token{Address: token, Symbol: "T", Decimals: 18, Known: true, Holders: 900}
		activity.Accounts[pool] = market.Account{Address: pool, Kind: market.DexAccount, Contract: true}
		s.pools[token] = []market.Pool{s.pool(token, pool, 0.01, 300_000)}
		result := gain
		if i%4 == 3 {
			result = -0.15
		}
		units := *new(uint256.Int).Mul(uint256.NewInt(uint64(1000+i)), uint256.NewInt(1e18))
		opened := start.Add(time.Duration(i+1) * 47 * time.Hour).Add(time.Duration(i*i%17) * time.Minute)
		add(opened, account, market.Movement{Token: chain.Native, Counterparty: router, Amount: native(0.3 + 0.01*float64(i%7)), LogIndex: -1},
			market.Movement{Token: token, Counterparty: pool, Amount: units, In: true, LogIndex: 4})
		add(opened.Add(9*time.Hour+time.Duration(i*31%60)*time.Minute), account,
			market.Movement{Token: chain.Native, Counterparty: router, Amount: native((0.3 + 0.01*float64(i%7)) * (1 + result)), In: true, LogIndex: -1},
			market.Movement{Token: token, Counterparty: pool, Amount: units, LogIndex: 4})
	}
	s.histories[account] = activity
}

// person is an account of the tests.
func person(n int) chain.Address { return chain.Address{0x11, byte(n), byte(n >> 8)} }

// wantFlowReasons checks that reasons are few, tell sentences, and name no amount of money and no account.
func wantFlowReasons(t endpointtest.T, reasons []reason.Reason, minimum int, codes ...string) {
	t.Helper()
	if len(reasons) < minimum || len(reasons) > reason.Maximum {
		t.Errorf("%d reasons: %v", len(reasons), reason.Codes(reasons))
	}
	for _, r := range reasons {
		if !strings.HasSuffix(r.Text, ".") || strings.ContainsAny(r.Text, "$") || strings.Contains(r.Text, "0x") || strings.Contains(r.Text, "NaN") || strings.Contains(r.Text, "unknown share") {
			t.Errorf("%s: %q", r.Code, r.Text)
		}
	}
	for _, code := range codes {
		if !slices.Contains(reason.Codes(reasons), code) {
			t.Errorf("no %s in %v", code, reason.Codes(reasons))
		}
	}
}
