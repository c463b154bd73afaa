package defillama_test

import (
	"math"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/defillama"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket"
)

// The whole way, over a real connection, against the sample market.
func TestPricesOfTheSampleMarket(t *testing.T) {
	start := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	end := start.Add(4 * 24 * time.Hour)
	sample := samplemarket.New(samplemarket.Config{Seed: 11, Start: start, Clock: func() time.Time { return end }})
	server := httptest.NewServer(sample.Handler())
	defer server.Close()
	config := defillama.Defaults()
	config.Base, config.PerMinute, config.Burst = server.URL+"/defillama", 60_000, 1000
	var dropped atomic.Int64
	a := defillama.New(upstream.New(config, upstream.Shared{
		Clock: func() time.Time { return end }, Observe: func(c upstream.Call) { dropped.Add(int64(c.Dropped)) },
	}))
	var times []time.Time
	for at := start.Add(time.Hour); at.Before(end); at = at.Add(17 * time.Minute) {
		times = append(times, at)
	}
	for _, on := range chain.All() {
		requests := []market.PriceRequest{
			{Asset: chain.Native, Times: times}, {Asset: on.Stables[0].Address, Times: times}, {Asset: chain.Address{0xde, 0xad}, Times: times},
		}
		got, err := a.Prices(t.Context(), on, requests)
		if err != nil {
			t.Fatal(on.Slug, err)
		}
		if len(got[0].Points) != len(times) || len(got[1].Points) != len(times) || len(got[2].Points) != 0 {
			t.Errorf("%s: %d, %d and %d prices of %d", on.Slug, len(got[0].Points), len(got[1].Points), len(got[2].Points), len(times))
		}
		for _, point := range got[1].Points {
			if math.Abs(point.USD-1) > 0.05 {
				t.Errorf("%s: a dollar stood at %g", on.Slug, point.USD)
			}
		}
		current, err := a.CurrentPrices(t.Context(), on, []chain.Address{chain.Native, on.WrappedNative.Address, {0xde, 0xad}})
		if err != nil || len(current) != 2 || current[chain.Native] != current[on.WrappedNative.Address] {
			t.Error(on.Slug, current, err)
		}
		if last := got[0].Points[len(got[0].Points)-1].USD; math.Abs(math.Log(last/current[chain.Native])) > 0.1 {
			t.Errorf("%s: %g now, %g a moment ago", on.Slug, current[chain.Native], last)
		}
	}
	if dropped.Load() != 0 {
		t.Errorf("%d rows dropped", dropped.Load())
	}
}
