package blockscout_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/blockscout"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/evm"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/evmrpc"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket"
)

// sources serves a sample market on loopback and makes both adapters on it.
func sources(t testing.TB) (*samplemarket.Market, *blockscout.Adapter, *evmrpc.Adapter) {
	t.Helper()
	start := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	now := start.Add(8 * 24 * time.Hour)
	clock := func() time.Time { return now }
	simulated := samplemarket.New(samplemarket.Config{Seed: 7, Start: start, Clock: clock})
	server := httptest.NewServer(simulated.Handler())
	t.Cleanup(server.Close)
	explorers, nodes := make(map[chain.Slug]*upstream.Client), make(map[chain.Slug]*upstream.Client)
	shared := upstream.Shared{Clock: clock}
	for _, slug := range chain.Slugs() {
		config := upstream.Config{Name: "node-" + slug, Base: server.URL + "/rpc/" + slug, PerMinute: 1e8, Burst: 1e6, Timeout: time.Minute, Concurrency: 64}
		nodes[chain.Slug(slug)] = upstream.New(config, shared)
		if slug != string(chain.BSC) {
			config.Name, config.Base = "explorer-"+slug, server.URL+"/blockscout/"+slug+"/api/v2"
			explorers[chain.Slug(slug)] = upstream.New(config, shared)
		}
	}
	return simulated, blockscout.New(explorers), evmrpc.New(nodes)
}

func TestSampleMarket(t *testing.T) {
	simulated, explorer, node := sources(t)
	t.Run("explorer and node agree", func(t *testing.T) { explorerAndNodeAgree(t, simulated, explorer, node) })
	t.Run("balances agree", func(t *testing.T) { balancesAgree(t, simulated, explorer, node) })
	t.Run("holders", func(t *testing.T) { holdersAreListed(t, simulated, explorer) })
	t.Run("node alone", func(t *testing.T) { nodeAlone(t, simulated, explorer, node) })
}

// explorerAndNodeAgree reads a wallet of every planted behaviour both ways. A node cannot see what leaves no log, so
// that only transactions with a token among their movements are compared, and only as far back as the node read.
func explorerAndNodeAgree(t *testing.T, simulated *samplemarket.Market, explorer *blockscout.Adapter, node *evmrpc.Adapter) {
	ctx := context.Background()
	groups := make(map[string]bool)
	wallets, compared := 0, 0
	for _, wallet := range simulated.Truth().Wallets {
		on, _ := chain.Parse(wallet.Chain)
		if groups[wallet.Group] || !explorer.Covers(on.Slug) {
			continue
		}
		groups[wallet.Group] = true
		address, err := chain.ParseWireAddress(wallet.Address)
		if err != nil {
			t.Fatal(err)
		}
		byExplorer, err := explorer.Activity(ctx, on, address)
		if err != nil {
			t.Fatal(err)
		}
		byNode, err := node.Activity(ctx, on, address)
		if err != nil {
			t.Fatal(err)
		}
		since := byNode.Since
		if byExplorer.Since.After(since) {
			since = byExplorer.Since
		}
		left, right := trades(byExplorer, since), trades(byNode, since)
		for hash, l := range left {
			if right[hash] != l {
				t.Errorf("%s %s:\n  explorer %s\n  node     %s", wallet.Group, wallet.Address, l, right[hash])
			}
		}
		for hash, r := range right {
			if left[hash] == "" {
				t.Errorf("%s %s: only the node has %s", wallet.Group, wallet.Address, r)
			}
		}
		wallets++
		compared += len(left)
	}
	if wallets < 30 || compared < 250 {
		t.Errorf("%d transactions of %d wallets were compared: too few to tell", compared, wallets)
	}
}

// trades writes down the transactions that a node can see: those with a token among their movements.
func trades(activity *market.Activity, since time.Time) map[market.Hash]string {
	found := make(map[market.Hash]string)
	for _, transaction := range activity.Transactions {
		if transaction.Time.Before(since) || !slices.ContainsFunc(transaction.Movements, func(m market.Movement) bool { return m.Token != chain.Native }) {
			continue
		}
		text := fmt.Sprint(transaction.Block, transaction.Time.Unix(), transaction.Failed, transaction.GasFee.Dec())
		movements := slices.Clone(transaction.Movements)
		slices.SortFunc(movements, func(x, y market.Movement) int {
			return cmp.Or(x.Token.Compare(y.Token), x.Amount.Cmp(&y.Amount))
		})
		for _, m := range movements {
			sign := "-"
			if m.In {
				sign = "+"
			}
			text += fmt.Sprintf(" %s%s %s %v%v", sign, m.Amount.Dec(), m.Token.Short(), m.Minted, m.Burned)
		}
		found[transaction.Hash] = text
	}
	return found
}

// balancesAgree compares balances with those the node's contracts report.
func balancesAgree(t *testing.T, simulated *samplemarket.Market, explorer *blockscout.Adapter, node *evmrpc.Adapter) {
	ctx := context.Background()
	compared := 0
	for i, wallet := range simulated.Truth().Wallets {
		on, _ := chain.Parse(wallet.Chain)
		if i%199 != 0 || !explorer.Covers(on.Slug) {
			continue
		}
		address, err := chain.ParseWireAddress(wallet.Address)
		if err != nil {
			t.Fatal(err)
		}
		byExplorer, err := explorer.Holdings(ctx, on, address)
		if err != nil {
			t.Fatal(err)
		}
		byNode, err := node.Holdings(ctx, on, address)
		if err != nil {
			t.Fatal(err)
		}
		listed := make(map[chain.Address]string)
		for _, holding := range byExplorer {
			listed[holding.Token.Address] = holding.Amount.Dec()
		}
		for _, holding := range byNode {
			if listed[holding.Token.Address] != holding.Amount.Dec() {
				t.Errorf("%s holds %s %s by the node and %s by the explorer", wallet.Address, holding.Amount.Dec(), holding.Token.Symbol, listed[holding.Token.Address])
			}
			compared++
		}
	}
	if compared < 15 {
		t.Errorf("%d balances compared: too few to tell", compared)
	}
}

// nodeAlone reads wallets of the chain that has no explorer.
func nodeAlone(t *testing.T, simulated *samplemarket.Market, explorer *blockscout.Adapter, node *evmrpc.Adapter) {
	router := evm.NewRouter(explorer, node)
	on, _ := chain.Parse("bsc")
	trades, sales := 0, 0
	read := 0
	for _, wallet := range simulated.Truth().Wallets {
		if wallet.Chain != "bsc" || wallet.Closed == 0 {
			continue
		}
		if read++; read > 10 {
			break
		}
		address, err := chain.ParseWireAddress(wallet.Address)
		if err != nil {
			t.Fatal(err)
		}
		activity, err := router.Activity(context.Background(), on, address)
		if err != nil {
			t.Fatal(err)
		}
		for _, transaction := range activity.Transactions {
			if len(transaction.Movements) > 1 {
				trades++
			}
			if slices.ContainsFunc(transaction.Movements, func(m market.Movement) bool { return m.In && m.Token == chain.Native }) {
				sales++
			}
		}
	}
	if trades < 20 || sales < 5 {
		t.Errorf("%d trades, %d of them sales for the native coin", trades, sales)
	}
}

// holdersAreListed reads the holders of every planted token: the creator's part of the supply is among them, and no more than all.
func holdersAreListed(t *testing.T, simulated *samplemarket.Market, explorer *blockscout.Adapter) {
	creators := 0
	for _, truth := range simulated.Truth().Tokens {
		on, _ := chain.Parse(truth.Chain)
		token, err := chain.ParseWireAddress(truth.Address)
		if err != nil {
			t.Fatal(err)
		}
		creator, err := chain.ParseWireAddress(truth.Creator)
		if err != nil {
			t.Fatal(err)
		}
		got, err := explorer.Holders(t.Context(), on, token)
		if err != nil {
			t.Fatal(truth, err)
		}
		if got.Known != explorer.Covers(on.Slug) {
			t.Errorf("%s on %s: %+v", truth.Symbol, truth.Chain, got)
		}
		sum, held := 0.0, 0.0
		for i, holder := range got.Top {
			sum += holder.Share
			if holder.Account.Address == creator {
				held = holder.Share
			}
			if i > 0 && holder.Share > got.Top[i-1].Share {
				t.Errorf("%s: %+v", truth.Symbol, got.Top)
			}
		}
		if len(got.Top) > 100 || len(got.Top) > got.Count || sum > 1+1e-9 {
			t.Errorf("%s: %d of %d holders have %g", truth.Symbol, len(got.Top), got.Count, sum)
		}
		if got.Known && truth.CreatorShare > 0.02 {
			creators++
			if math.Abs(held-truth.CreatorShare) > 1e-6 {
				t.Errorf("%s: the creator holds %g, listed with %g", truth.Symbol, truth.CreatorShare, held)
			}
		}
	}
	if creators == 0 {
		t.Error("no creator holds anything")
	}
}
