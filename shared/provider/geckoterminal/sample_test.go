package geckoterminal_test

import (
	"math"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/geckoterminal"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket"
)

// The whole way, over a real connection, against the sample market.
func TestCandlesAndPoolsOfTheSampleMarket(t *testing.T) {
	start := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	end := start.Add(6 * 24 * time.Hour)
	sample := samplemarket.New(samplemarket.Config{Seed: 11, Start: start, Clock: func() time.Time { return end }})
	server := httptest.NewServer(sample.Handler())
	defer server.Close()
	config := geckoterminal.Defaults()
	config.Base, config.PerMinute, config.Burst = server.URL+"/geckoterminal/api/v2", 60_000, 1000
	var dropped atomic.Int64
	a := geckoterminal.New(upstream.New(config, upstream.Shared{
		Clock: func() time.Time { return end }, Observe: func(c upstream.Call) { dropped.Add(int64(c.Dropped)) },
	}))
	checked := 0
	for _, truth := range sample.Truth().Tokens {
		on, _ := chain.Parse(truth.Chain)
		token, err := chain.ParseWireAddress(truth.Address)
		if err != nil || truth.Listed.IsZero() || !truth.RuggedAt.IsZero() {
			continue
		}
		candles, err := a.Candles(t.Context(), on, market.CandleRequest{Pool: truth.Pool, Token: token, From: start.Add(-60 * 24 * time.Hour), To: end})
		if err != nil {
			t.Fatal(truth, err)
		}
		pools, err := a.Pools(t.Context(), on, []chain.Address{token})
		if err != nil {
			t.Fatal(truth, err)
		}
		if len(candles.Hours) == 0 || len(pools[token]) == 0 || candles.Truncated {
			continue
		}
		checked++
		for i, hour := range candles.Hours {
			if i > 0 && !hour.Time.After(candles.Hours[i-1].Time) || hour.Time.Before(truth.Listed.Add(-time.Hour)) {
				t.Fatalf("%s: %v after its listing at %v", truth.Symbol, hour.Time, truth.Listed)
			}
		}
		last, price := candles.Hours[len(candles.Hours)-1].Close, pools[token][0].PriceUSD
		if pools[token][0].ID == truth.Pool && math.Abs(math.Log(last/price)) > math.Log(1.5) {
			t.Errorf("%s: the last candle closed at %g, the pool's price is %g", truth.Symbol, last, price)
		}
	}
	if checked < 10 || dropped.Load() != 0 {
		t.Errorf("%d tokens checked, %d rows dropped", checked, dropped.Load())
	}
}
