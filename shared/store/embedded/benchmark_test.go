package embedded_test

import (
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// BenchmarkMeteredRequests is what every request to the API costs here: Take and then Count, by a number of callers at once who
// each start the next as soon as one is done. It reports requests a second and the latency of a request. A single caller has a
// flush to itself for each of its two writes.
func BenchmarkMeteredRequests(b *testing.B) {
	for _, callers := range []int{1, 16, 64} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) { benchmarkMetered(b, callers) })
	}
}

func benchmarkMetered(b *testing.B, callers int) {
	meter := open(b, filepath.Join(b.TempDir(), "store.db")).Meter()
	limit := store.Limit{PerMinute: 10_000_000, Burst: 10_000_000}
	partners := []string{"acme", "bolt", "crab", "dune", "echo", "fern", "gale", "hush"}
	endpoints := []string{"token-intel", "wallet-trades", "portfolio-risk"}
	histograms := make([]*hdrhistogram.Histogram, callers)
	var next atomic.Int64
	b.ResetTimer()
	start := time.Now()
	done := make(chan struct{})
	for caller := range callers {
		histograms[caller] = hdrhistogram.New(1, int64(time.Minute/time.Microsecond), 3)
		go func() {
			defer func() { done <- struct{}{} }()
			for {
				n := int(next.Add(1))
				if n > b.N {
					return
				}
				began := time.Now()
				grant, err := meter.Take(b.Context(), partners[n%len(partners)], limit, 3, began)
				if err != nil || !grant.Granted {
					b.Errorf("%+v, %v", grant, err)
					return
				}
				if err := meter.Count(b.Context(), partners[n%len(partners)], endpoints[n%len(endpoints)], 3, began); err != nil {
					b.Error(err)
					return
				}
				if err := histograms[caller].RecordValue(int64(time.Since(began) / time.Microsecond)); err != nil {
					b.Error(err)
				}
			}
		}()
	}
	for range callers {
		<-done
	}
	all := hdrhistogram.New(1, int64(time.Minute/time.Microsecond), 3)
	for _, histogram := range histograms {
		all.Merge(histogram)
	}
	b.ReportMetric(float64(b.N)/time.Since(start).Seconds(), "requests/s")
	for _, quantile := range []struct {
		percent float64
		unit    string
	}{{50, "p50-ms"}, {99, "p99-ms"}} {
		b.ReportMetric(float64(all.ValueAtQuantile(quantile.percent))/1000, quantile.unit)
	}
}
