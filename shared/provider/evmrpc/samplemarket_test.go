package evmrpc_test

import (
	"math"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/evmrpc"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket"
)

// The whole way, over a real connection, against the sample market, whose truth is known: what its contracts are, and how test trades
// of every token end.
func TestContractsAndTestTradesOfTheSampleMarket(t *testing.T) {
	start := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	end := start.Add(30 * 24 * time.Hour)
	sample := samplemarket.New(samplemarket.Config{Seed: 11, Start: start, Clock: func() time.Time { return end }})
	server := httptest.NewServer(sample.Handler())
	defer server.Close()
	clients := map[chain.Slug]*upstream.Client{}
	for _, on := range chain.All() {
		clients[on.Slug] = upstream.New(upstream.Config{Name: "node", Base: server.URL + "/rpc/" + string(on.Slug), PerMinute: 1e6, Burst: 1e5, Examine: evmrpc.Examine},
			upstream.Shared{Clock: func() time.Time { return end }})
	}
	node := evmrpc.New(clients)
	tried := map[string]int{}
	for _, token := range sample.Truth().Tokens {
		on, _ := chain.Parse(token.Chain)
		address, err := chain.ParseWireAddress(token.Address)
		if err != nil {
			t.Fatal(err)
		}
		contract, err := node.Contract(t.Context(), on, address)
		if err != nil {
			t.Fatal(token, err)
		}
		checkSampleContract(t, token, contract)
		if token.Pool == "" || len(token.Pool) != 42 || !token.RuggedAt.IsZero() {
			continue
		}
		for _, quote := range []chain.Address{on.WrappedNative.Address, on.Stables[0].Address} {
			pool := market.Pool{ID: token.Pool, Token: address, Quote: quote, LiquidityUSD: math.NaN()}
			if on.Stables[0].Address == quote {
				pool.LiquidityUSD = 1e5
			}
			outcome, err := node.Simulate(t.Context(), on, market.SimulationRequest{Token: address, Pools: []market.Pool{pool}})
			if err != nil {
				t.Fatal(token, err)
			}
			if outcome.Source == "" {
				continue // the pool is of the other quote asset
			}
			tried[token.Contract]++
			checkSampleTrades(t, token, outcome)
		}
	}
	t.Log(tried)
	for _, name := range []string{"Fixed", "FixedBurnable", "Mintable", "HiddenMint", "TaxedUnbounded", "TaxedBounded", "SwapBack", "TrapByWhitelist", "TrapByMark", "TrapBySilence", "TrapByAllowance"} {
		if tried[name] == 0 {
			t.Errorf("no token with the contract %s was tried", name)
		}
	}
}

func checkSampleContract(t *testing.T, token samplemarket.TokenTruth, got *market.Contract) {
	t.Helper()
	if len(got.Code) == 0 || got.AnswersSupply != market.Yes || got.AnswersDecimals != market.Yes || got.AnswersBalance != market.Yes || got.NonFungible != market.No || got.PoolShare != market.No {
		t.Errorf("%s of %s: %+v", token.Symbol, token.Contract, got)
	}
	if (got.Proxy != nil) != token.Proxy || token.Proxy && (len(got.Proxy.Code) == 0 || got.Proxy.Upgradeable != market.Yes || got.Proxy.AdminContract != market.Yes || got.Proxy.ChangedRecently != market.No) {
		t.Errorf("%s of %s: proxy %+v, want %v", token.Symbol, token.Contract, got.Proxy, token.Proxy)
	}
	if owned := got.Owned == market.Yes; owned != (token.Owner != "") || owned && got.Owner.String() != token.Owner {
		t.Errorf("%s of %s: owner %v %s, want %q", token.Symbol, token.Contract, got.Owned, got.Owner, token.Owner)
	}
}

func checkSampleTrades(t *testing.T, token samplemarket.TokenTruth, got *market.Simulation) {
	t.Helper()
	near := func(trial market.Trial, tax float64) bool {
		return trial.Done == market.Yes && math.Abs(trial.Tax-tax) < 1e-3
	}
	if !near(got.Buy, token.BuyTax) {
		t.Errorf("%s of %s: buy %+v, want a tax of %g", token.Symbol, token.Contract, got.Buy, token.BuyTax)
	}
	sales := []market.Trial{got.SellAll, got.SellHalves, got.SellElsewhere, got.SellLater, got.SellLarge}
	if token.Contract == "TrapByMark" && token.Honeypot {
		sales = sales[:2] // whoever is marked cannot move anything either
	}
	for i, sale := range sales {
		if token.Honeypot && sale.Done != market.No || !token.Honeypot && !near(sale, token.SellTax) {
			t.Errorf("%s of %s: sale %d is %+v, trap %v, tax %g", token.Symbol, token.Contract, i, sale, token.Honeypot, token.SellTax)
		}
	}
}

func TestWhatIsNoTokenInTheSampleMarket(t *testing.T) {
	start := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	end := start.Add(10 * 24 * time.Hour)
	sample := samplemarket.New(samplemarket.Config{Seed: 11, Start: start, Clock: func() time.Time { return end }})
	server := httptest.NewServer(sample.Handler())
	defer server.Close()
	seen := map[string]bool{}
	for _, one := range sample.Samples().Tokens {
		on, _ := chain.Parse(one.Chain)
		node := evmrpc.New(map[chain.Slug]*upstream.Client{on.Slug: upstream.New(upstream.Config{Name: "node", Base: server.URL + "/rpc/" + one.Chain, PerMinute: 1e6, Burst: 1e5, Examine: evmrpc.Examine},
			upstream.Shared{Clock: func() time.Time { return end }})})
		address, err := chain.ParseWireAddress(one.Address)
		if err != nil {
			t.Fatal(err)
		}
		got, err := node.Contract(t.Context(), on, address)
		if err != nil {
			t.Fatal(one, err)
		}
		kind := "token"
		switch {
		case len(got.Code) == 0:
			kind = "account"
		case got.NonFungible == market.Yes:
			kind = "collection"
		case got.PoolShare == market.Yes:
			kind = "pool"
		}
		if (kind == "token") == (one.Kind == "not-a-token") {
			t.Errorf("%+v is taken for a %s", one, kind)
		}
		seen[kind] = true
		if one.Kind == "stable" && (got.Owned != market.Yes || got.OwnerContract != market.Yes || got.Proxy == nil) {
			t.Errorf("%+v: %+v", one, got)
		}
	}
	if len(seen) != 4 {
		t.Error(seen)
	}
}
