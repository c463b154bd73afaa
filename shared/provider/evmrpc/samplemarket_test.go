package evmrpc_test

import (
	"math"
	"net/http/httptest"
	"slices"
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
	sample := samplemarket.New(samplemarket.Config{Seed: 16, Start: start, Clock: func() time.Time { return end }})
	server := httptest.NewServer(sample.Handler())
	defer server.Close()
	clients := map[chain.Slug]*upstream.Client{}
	for _, on := range chain.All() {
		clients[on.Slug] = upstream.New(upstream.Config{Name: "node", Base: server.URL + "/rpc/" + string(on.Slug), PerMinute: 1e6, Burst: 1e5, Examine: evmrpc.Examine},
			upstream.Shared{Clock: func() time.Time { return end }})
	}
	node := evmrpc.New(clients)
	const ofEach = 4 // tokens of one contract are alike
	tried, read := map[string]int{}, map[string]int{}
	for _, token := range sample.Truth().Tokens {
		if read[token.Contract]++; read[token.Contract] > 4*ofEach || tried[token.Contract] >= ofEach {
			continue
		}
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

// The sample market's launches are found, each once, and their histories tell what was planted: when and to whom the token was minted,
// who put the liquidity in, and that trades have traders. A history that ends earlier is the beginning of one that ends later.
func TestLaunchesAndPoolHistoriesOfTheSampleMarket(t *testing.T) {
	start := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	end := start.Add(10 * 24 * time.Hour)
	sample := samplemarket.New(samplemarket.Config{Seed: 11, Start: start, Clock: func() time.Time { return end }})
	server := httptest.NewServer(sample.Handler())
	defer server.Close()
	tokens := map[string]samplemarket.TokenTruth{}
	for _, token := range sample.Truth().Tokens {
		tokens[token.Chain+token.Address] = token
	}
	versions := map[string]int{}
	for _, on := range chain.All() {
		node := evmrpc.New(map[chain.Slug]*upstream.Client{on.Slug: upstream.New(upstream.Config{Name: "node", Base: server.URL + "/rpc/" + string(on.Slug), PerMinute: 1e6, Burst: 1e5, Examine: evmrpc.Examine},
			upstream.Shared{Clock: func() time.Time { return end }})})
		launches := sampleLaunches(t, node, on, tokens, start, end)
		for i, launch := range launches {
			if i%21 == 0 || launch.Version == "v4" && versions["v4"] < 2 {
				versions[launch.Version]++
				checkSampleHistory(t, node, on, launch, tokens[string(on.Slug)+launch.Token.String()])
			}
		}
	}
	if versions["v2"] == 0 || versions["v3"] == 0 || versions["v4"] == 0 {
		t.Error("not every version was looked at", versions)
	}
}

func sampleLaunches(t *testing.T, node *evmrpc.Adapter, on *chain.Chain, tokens map[string]samplemarket.TokenTruth, start, end time.Time) []market.PoolLaunch {
	t.Helper()
	read := func(from, to time.Time) []market.PoolLaunch {
		launches, err := node.Launches(t.Context(), on, market.LaunchesRequest{From: from, To: to})
		if err != nil {
			t.Fatal(on.Slug, err)
		}
		return launches
	}
	begin := start.AddDate(0, -7, 0)
	launches := read(begin, end.Add(time.Hour))
	if parts := slices.Concat(read(begin, start), read(start, end.Add(time.Hour))); !slices.Equal(parts, launches) {
		t.Errorf("%s: %d launches at once, %d in two parts", on.Slug, len(launches), len(parts))
	}
	pools := map[string]market.PoolLaunch{}
	for i, launch := range launches {
		if _, twice := pools[launch.Pool]; twice || i > 0 && launch.Block < launches[i-1].Block {
			t.Errorf("%s: twice or out of order: %+v", on.Slug, launch)
		}
		pools[launch.Pool] = launch
		if token, planted := tokens[string(on.Slug)+launch.Token.String()]; !planted || launch.Time.Before(token.Created.Add(-12*time.Second)) {
			t.Errorf("%s: %+v of %+v", on.Slug, launch, token)
		}
	}
	for _, token := range tokens {
		if token.Chain != string(on.Slug) || token.Pool == "" || token.Listed.Before(begin) {
			continue
		}
		launch, found := pools[token.Pool]
		if !found || launch.Token.String() != token.Address || !token.Migrated && launch.Time.Sub(token.Listed).Abs() > 12*time.Second {
			t.Errorf("%s: %s was listed at %s in %s: %+v", on.Slug, token.Symbol, token.Listed, token.Pool, launch)
		}
	}
	return launches
}

func checkSampleHistory(t *testing.T, node *evmrpc.Adapter, on *chain.Chain, launch market.PoolLaunch, token samplemarket.TokenTruth) {
	t.Helper()
	read := func(until time.Time) *market.PoolHistory {
		history, err := node.PoolHistory(t.Context(), on, market.PoolHistoryRequest{Launch: launch, Until: until})
		if err != nil {
			t.Fatal(on.Slug, err)
		}
		return history
	}
	whole, part := read(launch.Time.AddDate(0, 0, 7)), read(launch.Time.AddDate(0, 0, 1))
	if len(part.Swaps) > len(whole.Swaps) || !slices.Equal(part.Swaps, whole.Swaps[:len(part.Swaps)]) || !slices.Equal(part.Moves, whole.Moves[:len(part.Moves)]) {
		t.Errorf("%s: the first day of %s is another in its week", on.Slug, token.Symbol)
	}
	if whole.MintedAt.Sub(token.Created).Abs() > 12*time.Second || whole.MintedTo.String() != token.Creator {
		t.Errorf("%s: %s minted at %s to %s, want %s to %s", on.Slug, token.Symbol, whole.MintedAt, whole.MintedTo, token.Created, token.Creator)
	}
	if len(whole.Changes) == 0 || !token.Migrated && whole.Changes[0].Provider.String() != token.Creator || whole.Changes[0].Quote <= 0 {
		t.Errorf("%s: %s: liquidity %+v", on.Slug, token.Symbol, whole.Changes)
	}
	unknown := 0
	for i := range whole.Swaps {
		swap := &whole.Swaps[i]
		if swap.Trader.IsZero() {
			unknown++
		}
		if !(swap.Tokens > 0 && swap.Quote > 0 && swap.QuoteReserve >= 0) || i > 0 && swap.Time.Before(whole.Swaps[i-1].Time) || swap.Time.Before(launch.Time) {
			t.Fatalf("%s: %s: %+v", on.Slug, token.Symbol, swap)
		}
	}
	if unknown*20 > len(whole.Swaps) {
		t.Errorf("%s: %s: nobody's are %d of %d trades", on.Slug, token.Symbol, unknown, len(whole.Swaps))
	}
}
