package dexscreener_test

import (
	"math"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/dexscreener"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket"
)

// The whole way, over a real connection, against the sample market, whose truth is known.
func TestPoolsOfTheSampleMarket(t *testing.T) {
	start := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	clock := func() time.Time { return start.Add(6 * 24 * time.Hour) }
	sample := samplemarket.New(samplemarket.Config{Seed: 11, Start: start, Clock: clock})
	server := httptest.NewServer(sample.Handler())
	defer server.Close()
	config := dexscreener.Defaults()
	config.Base, config.PerMinute, config.Burst = server.URL+"/dexscreener", 60_000, 1000
	var dropped atomic.Int64
	a := dexscreener.New(upstream.New(config, upstream.Shared{Clock: clock, Observe: func(c upstream.Call) { dropped.Add(int64(c.Dropped)) }}))
	truths := make(map[chain.Slug]map[chain.Address]samplemarket.TokenTruth)
	for _, token := range sample.Truth().Tokens {
		on, known := chain.Parse(token.Chain)
		address, err := chain.ParseWireAddress(token.Address)
		if !known || err != nil {
			t.Fatal(token)
		}
		if truths[on.Slug] == nil {
			truths[on.Slug] = make(map[chain.Address]samplemarket.TokenTruth)
		}
		truths[on.Slug][address] = token
	}
	for _, on := range chain.All() {
		tokens := []chain.Address{{0xde, 0xad}}
		for token := range truths[on.Slug] {
			tokens = append(tokens, token)
		}
		got, err := a.Pools(t.Context(), on, tokens)
		if err != nil {
			t.Fatal(on.Slug, err)
		}
		found := 0
		for token, truth := range truths[on.Slug] {
			for _, pool := range got[token] {
				if pool.ID == truth.Pool {
					found++
				}
				if pool.Buys24h+pool.Sells24h != pool.Trades24h || pool.LastHour.Buys > pool.Buys24h || pool.LastHour.VolumeUSD > pool.VolumeUSD24h+0.01 ||
					pool.Version == market.UnknownPool || pool.MarketCapUSD > pool.FullyDilutedUSD*1.001 || math.IsNaN(pool.FullyDilutedUSD) && !math.IsNaN(pool.PriceUSD) {
					t.Errorf("%s: %+v", on.Slug, pool)
				}
				if pool.Token != token || pool.CreatedAt.After(clock()) {
					t.Errorf("%s: %+v", on.Slug, pool)
				}
			}
			if listed := !truth.Listed.IsZero(); listed != (len(got[token]) > 0) && truth.RuggedAt.IsZero() {
				t.Errorf("%s: %s is listed: %v, has %d pools", on.Slug, truth.Symbol, listed, len(got[token]))
			}
		}
		if found == 0 || len(got[chain.Address{0xde, 0xad}]) != 0 {
			t.Errorf("%s: %d pools of %d tokens", on.Slug, found, len(truths[on.Slug]))
		}
	}
	if dropped.Load() != 0 {
		t.Errorf("%d rows dropped", dropped.Load())
	}
}
