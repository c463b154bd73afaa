package portfolio

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/holiman/uint256"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/endpointtest"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenfacts"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenrisk"
	"github.com/mirrorworthy/mirrorworthy/shared/wallet"
)

var (
	nan  = math.NaN()
	weth = ethereum().WrappedNative.Address
	usdc = ethereum().Stables[0].Address
	junk = chain.Address{0xbb}
)

// mostPriced is how many tokens besides the chain's own assets are priced.
const mostPriced = 240

// balance is a row of a token with 18 decimals, at the explorer's price.
func balance(asset chain.Address, units uint64, listed float64) market.Holding {
	return market.Holding{
		Token:    market.Token{Address: asset, Symbol: "SHIB", Name: "Shiba", Decimals: 18, Known: true},
		Amount:   *new(uint256.Int).Mul(uint256.NewInt(units), uint256.NewInt(1e18)),
		PriceUSD: listed,
	}
}

func poolOf(quote chain.Address, price, liquidity float64) market.Pool {
	return market.Pool{ID: "pool", Quote: quote, PriceUSD: price, LiquidityUSD: liquidity}
}

// noon is the instant that the tests' answers describe.
var noon = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// nature is what a token of the tests turns out to be.
type nature uint8

const (
	sound     nature = iota
	trap             // selling fails in a test trade
	dark             // too little can be checked
	noToken          // its address has no code
	broken           // the node does not answer
	hanging          // the node never answers
	panicking        // reading it is a bug
)

// venue stands behind every port with what one wallet holds, and counts what is asked.
type venue struct {
	holdings []market.Holding
	index    map[chain.Address]float64
	pools    map[chain.Address][]market.Pool
	natures  map[chain.Address]nature
	// failures are the errors of whole ports; hangs are the ports that never answer.
	failures map[market.Port]error
	hangs    map[market.Port]bool
	// takes is how long every call takes.
	takes time.Duration

	mu    sync.Mutex
	asked map[market.Port]int
}

func newVenue() *venue {
	return &venue{
		index: map[chain.Address]float64{chain.Native: 2000, usdc: 1}, pools: make(map[chain.Address][]market.Pool),
		natures: make(map[chain.Address]nature), failures: make(map[market.Port]error), hangs: make(map[market.Port]bool),
		asked: make(map[market.Port]int),
	}
}

func (v *venue) calls() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	total := 0
	for _, n := range v.asked {
		total += n
	}
	return total
}

func (v *venue) call(ctx context.Context, port market.Port) error {
	v.mu.Lock()
	v.asked[port]++
	v.mu.Unlock()
	if v.hangs[port] {
		<-ctx.Done()
		return fmt.Errorf("%w: %w", market.ErrUnavailable, ctx.Err())
	}
	if v.takes > 0 {
		time.Sleep(v.takes)
	}
	return v.failures[port]
}

// hold gives the wallet so many units of a token at a price in a deep pool.
func (v *venue) hold(asset chain.Address, symbol string, units uint64, price float64, of nature) {
	row := balance(asset, units, nan)
	row.Token.Symbol, row.Token.Name = symbol, symbol
	v.holdings = append(v.holdings, row)
	v.pools[asset] = []market.Pool{{
		ID: asset.String(), Token: asset, Quote: weth, PriceUSD: price, LiquidityUSD: 1e9, VolumeUSD24h: 1e6, Trades24h: 200,
		Buys24h: 100, Sells24h: 95, MarketCapUSD: nan, FullyDilutedUSD: nan, CreatedAt: noon.AddDate(-1, 0, 0),
	}}
	v.natures[asset] = of
}

func (v *venue) holdOwn(asset chain.Address, units uint64) {
	row := balance(asset, units, nan)
	if asset == usdc {
		row.Amount = *row.Amount.Div(&row.Amount, new(market.Amount).SetUint64(1e12))
	}
	v.holdings = append(v.holdings, row)
}

func (v *venue) Holdings(ctx context.Context, _ *chain.Chain, _ chain.Address) ([]market.Holding, error) {
	return v.holdings, v.call(ctx, market.HoldingFacts)
}

func (v *venue) Prices(ctx context.Context, _ *chain.Chain, requests []market.PriceRequest) ([]market.PriceSeries, error) {
	series := make([]market.PriceSeries, len(requests))
	for i, r := range requests {
		series[i].Asset = r.Asset
		if usd, found := v.index[r.Asset]; found {
			for _, at := range r.Times {
				series[i].Points = append(series[i].Points, market.PricePoint{Time: at, USD: usd}, market.PricePoint{Time: at.Add(time.Second), USD: 1e9})
			}
		}
	}
	return series, v.call(ctx, market.PriceFacts)
}

func (v *venue) Pools(ctx context.Context, _ *chain.Chain, tokens []chain.Address) (map[chain.Address][]market.Pool, error) {
	found := make(map[chain.Address][]market.Pool)
	for _, token := range tokens {
		if pools := v.pools[token]; len(pools) > 0 {
			found[token] = slices.Clone(pools)
		}
	}
	return found, v.call(ctx, market.PoolFacts)
}

func (v *venue) Contract(ctx context.Context, _ *chain.Chain, token chain.Address) (*market.Contract, error) {
	contract := &market.Contract{
		Code: []byte{0}, AnswersSupply: market.Yes, AnswersDecimals: market.Yes, AnswersBalance: market.Yes, Decimals: 18, Owned: market.No,
	}
	switch v.natures[token] {
	case noToken:
		contract.Code = nil
	case broken:
		return nil, fmt.Errorf("%w: the node is down", market.ErrUnavailable)
	case hanging:
		<-ctx.Done()
		return nil, ctx.Err()
	case panicking:
		panic("a bug")
	}
	return contract, v.call(ctx, market.ContractFacts)
}

func (v *venue) TokenSecurity(ctx context.Context, _ *chain.Chain, tokens []chain.Address) (map[chain.Address]market.TokenSecurity, error) {
	if v.natures[tokens[0]] == dark {
		return nil, v.call(ctx, market.TokenSecurityFacts)
	}
	return map[chain.Address]market.TokenSecurity{tokens[0]: {
		Honeypot: market.No, OpenSource: market.Yes, HiddenOwner: market.No, CreatorShare: 0.0005,
		LiquidityProviders: []market.Holder{{Account: market.Account{Address: chain.Burn, Kind: market.BurnAccount}, Share: 0.99, Locked: true}},
	}}, v.call(ctx, market.TokenSecurityFacts)
}

func (v *venue) Simulate(ctx context.Context, _ *chain.Chain, request market.SimulationRequest) (*market.Simulation, error) {
	pass := market.Trial{Done: market.Yes}
	simulation := &market.Simulation{Source: "node", Buy: pass, SellAll: pass, SellHalves: pass, SellElsewhere: pass, SellLater: pass, SellLarge: pass}
	switch v.natures[request.Token] {
	case trap:
		simulation.SellAll = market.Trial{Done: market.No, Tax: nan}
	case dark:
		simulation = &market.Simulation{Reason: "no node"}
	}
	return simulation, v.call(ctx, market.SimulationFacts)
}

func (v *venue) Holders(ctx context.Context, _ *chain.Chain, token chain.Address) (*market.TokenHolders, error) {
	if v.natures[token] == dark {
		return &market.TokenHolders{}, v.call(ctx, market.HolderFacts)
	}
	return &market.TokenHolders{Known: true, Count: 900, Top: []market.Holder{{Account: market.Account{Address: chain.Address{0x30}}, Share: 0.03}}},
		v.call(ctx, market.HolderFacts)
}

func (v *venue) Candles(ctx context.Context, _ *chain.Chain, _ market.CandleRequest) (*market.Candles, error) {
	return &market.Candles{}, v.call(ctx, market.CandleFacts)
}

func (v *venue) Approvals(ctx context.Context, _ *chain.Chain, _ chain.Address) (*market.Approvals, error) {
	return &market.Approvals{}, v.call(ctx, market.ApprovalFacts)
}

func (v *venue) Code(ctx context.Context, _ *chain.Chain, _ chain.Address) (market.Code, error) {
	return market.Code{Empty: true}, v.call(ctx, market.CodeFacts)
}

func (v *venue) AddressSecurity(ctx context.Context, _ *chain.Chain, _ []chain.Address) (map[chain.Address]market.AddressSecurity, error) {
	return nil, v.call(ctx, market.AddressSecurityFacts)
}

func (v *venue) Activity(ctx context.Context, _ *chain.Chain, _ chain.Address) (*market.Activity, error) {
	return &market.Activity{}, v.call(ctx, market.ActivityFacts)
}

func (v *venue) sources() market.Sources {
	return market.Sources{
		Holdings: v, Prices: v, Pools: v, Contracts: v, TokenSecurity: v, Simulation: v, Holders: v, Candles: v,
		Approvals: v, Code: v, AddressSecurity: v, Activity: v,
	}
}

func page() []endpoint.Endpoint {
	all := append(Endpoints(wallet.WalletHealth(), wallet.WalletNetflow()), wallet.WalletHealth(), wallet.WalletNetflow())
	for i := range all {
		all[i].Open = true
	}
	return all
}

func (v *venue) handler() http.Handler {
	return endpoint.NewHandler(endpoint.Service{
		Sources: v.sources(), Clock: func() time.Time { return noon }, SingleTimeout: 30 * time.Second, BundleTimeout: 40 * time.Second,
	}, page()...)
}

// ask posts to an endpoint of the page about the venue's wallet on Ethereum; more continues the body.
func (v *venue) ask(t endpointtest.T, name, more string) endpointtest.Answer {
	t.Helper()
	body := `{"wallet":"0x1100000000000000000000000000000000000000","chain":"eth"` + more + `}`
	return endpointtest.Call{Method: http.MethodPost, Path: "/v1/" + name, Body: body}.Do(t, v.handler())
}

// score is what the assessor of tokens says of a token of the venue.
func (v *venue) score(t *testing.T, asset chain.Address) float64 {
	t.Helper()
	subject := tokenfacts.Subject{Chain: ethereum(), Token: asset, AsOf: noon}
	assessment, err := tokenrisk.Of(t.Context(), market.NewSession(t.Context(), v.sources()), subject)
	if err != nil {
		t.Fatal(err)
	}
	return assessment.Score
}
