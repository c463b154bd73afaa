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

// What is listed is traded, its trades are those that the pool counts, and each says who, when and how much at about the pool's price.
func TestListingsAndTradesOfTheSampleMarket(t *testing.T) {
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
	truths := make(map[string]samplemarket.TokenTruth)
	for _, truth := range sample.Truth().Tokens {
		truths[truth.Chain+truth.Address] = truth
	}
	known, traded := 0, 0
	for _, on := range chain.All() {
		listed, err := a.Listed(t.Context(), on)
		if err != nil || len(listed) < 5 {
			t.Fatal(on.Slug, len(listed), err)
		}
		for i, l := range listed {
			if i > 0 && l.Token.Compare(listed[i-1].Token) <= 0 {
				t.Fatalf("%s: %v after %v", on.Slug, l.Token, listed[i-1].Token)
			}
			if _, planted := truths[string(on.Slug)+l.Token.String()]; planted {
				known++
			}
			trades, err := a.Trades(t.Context(), on, market.TradesRequest{Pool: l.Pool.ID, Token: l.Token})
			if err != nil {
				t.Fatal(on.Slug, l, err)
			}
			buys := 0
			for i, trade := range trades.Trades {
				if trade.Buy {
					buys++
				}
				if trade.Time.Before(trades.Since) || trade.Time.After(end) || i > 0 && trade.Time.Before(trades.Trades[i-1].Time) {
					t.Errorf("%s %s: %+v", on.Slug, l.Token, trade)
				}
			}
			switch {
			case trades.Truncated != (l.Pool.Trades24h >= 300):
				t.Errorf("%s %s: truncated: %v, of %d trades", on.Slug, l.Token, trades.Truncated, l.Pool.Trades24h)
			case !trades.Truncated && (len(trades.Trades) != l.Pool.Trades24h || buys != l.Pool.Buys24h):
				t.Errorf("%s %s: %d trades, %d of them buys; the pool counts %d and %d", on.Slug, l.Token, len(trades.Trades), buys, l.Pool.Trades24h, l.Pool.Buys24h)
			}
			traded += len(trades.Trades)
			if count := len(trades.Trades); count > 0 {
				last := trades.Trades[count-1]
				if price := last.ValueUSD / last.Amount; math.Abs(math.Log(price/l.Pool.PriceUSD)) > math.Log(1.6) && last.ValueUSD > 1 && l.Pool.LiquidityUSD > 5_000 {
					t.Errorf("%s %s: last traded at %g, the pool's price is %g", on.Slug, l.Token, price, l.Pool.PriceUSD)
				}
			}
		}
	}
	if known < 30 || traded < 1000 || dropped.Load() != 0 {
		t.Errorf("%d planted tokens listed, %d trades, %d rows dropped", known, traded, dropped.Load())
	}
}
