package blockscout_test

import (
	"cmp"
	"context"
	"fmt"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/blockscout"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/evmrpc"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket"
)

// sources serves a sample market on loopback and makes both adapters on it.
func sources(t testing.TB) (*samplemarket.Market, *blockscout.Adapter, *evmrpc.Adapter) {
	t.Helper()
	start := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	now := start.Add(20 * 24 * time.Hour)
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

// TestExplorerAndNodeAgree reads a wallet of every planted behaviour both ways. A node cannot see what leaves no log, so
// that only transactions with a token among their movements are compared, and only as far back as the node read.
func TestExplorerAndNodeAgree(t *testing.T) {
	simulated, explorer, node := sources(t)
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
	if wallets < 30 || compared < 500 {
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
			return cmp.Or(slices.Compare(x.Token[:], y.Token[:]), x.Amount.Cmp(&y.Amount))
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
