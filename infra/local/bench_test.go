package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/catalogue"
	"github.com/mirrorworthy/mirrorworthy/shared/host/copying"
	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/store/embedded"
)

// openLoop sends requests at a fixed rate whether or not earlier ones are answered, and records how long after its due time
// each answer came, so that a stall counts for everybody it kept waiting.
func openLoop(b *testing.B, rate int, send func() error) *hdrhistogram.Histogram {
	b.Helper()
	histogram := hdrhistogram.New(1, int64(time.Minute/time.Microsecond), 3)
	var mu sync.Mutex
	var all sync.WaitGroup
	interval := time.Second / time.Duration(rate)
	begin := time.Now()
	for i := range b.N {
		due := begin.Add(time.Duration(i) * interval)
		if wait := time.Until(due); wait > 0 {
			time.Sleep(wait)
		}
		all.Add(1)
		go func() {
			defer all.Done()
			if err := send(); err != nil {
				b.Error(err)
				return
			}
			took := time.Since(due)
			mu.Lock()
			_ = histogram.RecordValue(max(1, took.Microseconds()))
			mu.Unlock()
		}()
	}
	all.Wait()
	return histogram
}

func report(b *testing.B, h *hdrhistogram.Histogram) {
	b.ReportMetric(float64(h.ValueAtQuantile(50))/1000, "p50-ms")
	b.ReportMetric(float64(h.ValueAtQuantile(99))/1000, "p99-ms")
}

// loadClient keeps enough connections for an open loop.
func loadClient() *http.Client {
	return &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 512, MaxConnsPerHost: 512}}
}

func sender(client *http.Client, address, key, body string) func() error {
	return func() error {
		request, err := http.NewRequestWithContext(context.Background(), http.MethodPost, address, strings.NewReader(body))
		if err != nil {
			return err
		}
		request.Header.Set("Authorization", "Bearer "+key)
		response, err := client.Do(request)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			return err
		}
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("status %d: %.200s", response.StatusCode, text)
		}
		return nil
	}
}

// unlimited lifts the local partner's fair-use limit.
func unlimited(b *testing.B, getenv func(string) string) {
	b.Helper()
	config, err := host.ReadConfig(getenv)
	if err != nil {
		b.Fatal(err)
	}
	s, err := newServer(config, discardLog())
	if err != nil {
		b.Fatal(err)
	}
	s.shut()
	kept, err := embedded.Open(config.DataDir + "/store.db")
	if err != nil {
		b.Fatal(err)
	}
	if err := kept.Keys().SetLimit(context.Background(), localPartner, store.Limit{PerMinute: 10_000_000, Burst: 10_000_000}); err != nil {
		b.Fatal(err)
	}
	if err := kept.Close(); err != nil {
		b.Fatal(err)
	}
}

const loadRate = 2_000

// bareServer answers at once, which is the floor under every answer over HTTP.
func bareServer(b *testing.B) func() error {
	b.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	answer := []byte(`{"grade":"B"}`)
	web := &http.Server{ReadHeaderTimeout: 5 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = w.Write(answer)
	})}
	go func() { _ = web.Serve(listener) }()
	b.Cleanup(func() { _ = web.Close() })
	send := sender(loadClient(), "http://"+listener.Addr().String(), "none", `{"wallet":"0x","chain":"eth"}`)
	if err := send(); err != nil {
		b.Fatal(err)
	}
	return send
}

// BenchmarkWarmSingle asks for one warm trader-score 2,000 times a second, client and server side by side, each request metered
// in the store. Before that it puts the same load on a handler that answers at once, and reports both and their ratio. Run it
// with -benchtime 60000x for two half minutes of load.
func BenchmarkWarmSingle(b *testing.B) {
	getenv := environment(b)
	unlimited(b, getenv)
	s := start(b, getenv)
	sample := s.samples.Wallets[0]
	send := sender(loadClient(), s.address()+"/v1/trader-score", s.key, `{"wallet":"`+sample.Address+`","chain":"`+sample.Chain+`"}`)
	if err := send(); err != nil {
		b.Fatal(err)
	}
	bare := openLoop(b, loadRate, bareServer(b))
	b.ResetTimer()
	warm := openLoop(b, loadRate, send)
	report(b, warm)
	b.ReportMetric(float64(bare.ValueAtQuantile(50))/1000, "bare-p50-ms")
	b.ReportMetric(float64(bare.ValueAtQuantile(99))/1000, "bare-p99-ms")
	b.ReportMetric(float64(warm.ValueAtQuantile(50))/float64(bare.ValueAtQuantile(50)), "p50/bare")
	b.ReportMetric(float64(warm.ValueAtQuantile(99))/float64(bare.ValueAtQuantile(99)), "p99/bare")
}

// BenchmarkBareHandler is the floor under BenchmarkWarmSingle: the same load on a net/http handler that answers at once.
func BenchmarkBareHandler(b *testing.B) {
	send := bareServer(b)
	b.ResetTimer()
	report(b, openLoop(b, loadRate, send))
}

// BenchmarkWarmCost is what one warm trader-score costs from the gateway's handler to its answer, without a network.
func BenchmarkWarmCost(b *testing.B) {
	l := newLaboratory(b)
	s := l.service(b, plenty, plenty)
	sample := l.busiest(b)
	if answer := s.ask("/v1/trader-score", sample); answer.Code != http.StatusOK {
		b.Fatal(answer.Body)
	}
	b.ReportAllocs()
	for b.Loop() {
		s.ask("/v1/trader-score", sample)
	}
}

// busiest is the sample with the most pages and prices to read: the one whose cold page takes the most calls, of a chain with an
// explorer.
func (l *laboratory) busiest(b *testing.B) samplemarket.Sample {
	b.Helper()
	var busiest samplemarket.Sample
	most := 0
	for _, sample := range l.samples[:min(len(l.samples), 12)] {
		if sample.Chain == "bsc" {
			continue
		}
		s := l.service(b, plenty, plenty)
		s.overview(sample)
		if calls := len(s.Calls()); calls > most {
			busiest, most = sample, calls
		}
	}
	return busiest
}

// BenchmarkBundleSlowProviders compares a cold page with the slowest of its answers alone, cold too, when every provider takes
// 100 ms for everything.
func BenchmarkBundleSlowProviders(b *testing.B) {
	l := newLaboratory(b)
	sample := l.busiest(b)
	timed := func(path string) (time.Duration, int) {
		s := l.service(b, plenty, plenty)
		s.SetLatency(100 * time.Millisecond)
		begun := time.Now()
		answer := s.ask(path, sample)
		took := time.Since(begun)
		if answer.Code != http.StatusOK || strings.Contains(answer.Body.String(), `"partial"`) {
			b.Fatalf("%s: status %d: %.300s", path, answer.Code, answer.Body)
		}
		repeated := 0
		for _, times := range s.Calls() {
			repeated += times - 1
		}
		return took, repeated
	}
	var bundles, slowest time.Duration
	repeated := 0
	for b.Loop() {
		took, again := timed(overviewPath)
		bundles += took
		repeated += again
		longest := time.Duration(0)
		for _, e := range pageSlots() {
			single, again := timed(e.Path)
			longest = max(longest, single)
			repeated += again
		}
		slowest += longest
	}
	milliseconds := func(total time.Duration) float64 { return float64(total.Microseconds()) / 1000 / float64(b.N) }
	b.ReportMetric(milliseconds(bundles), "bundle-ms")
	b.ReportMetric(milliseconds(slowest), "slowest-single-ms")
	b.ReportMetric(milliseconds(bundles-slowest), "more-ms")
	b.ReportMetric(float64(repeated), "calls-repeated")
}

// remembering answers provider calls from memory: the market is asked only the first time.
type remembering struct {
	market  http.Handler
	mu      sync.Mutex
	answers map[string]*httptest.ResponseRecorder
}

// RoundTrip answers one call.
func (r *remembering) RoundTrip(request *http.Request) (*http.Response, error) {
	var body []byte
	if request.Body != nil {
		body, _ = io.ReadAll(request.Body)
	}
	key := request.URL.String() + " " + string(body)
	r.mu.Lock()
	answer := r.answers[key]
	r.mu.Unlock()
	if answer == nil {
		answer = httptest.NewRecorder()
		r.market.ServeHTTP(answer, httptest.NewRequestWithContext(request.Context(), request.Method, request.URL.String(), bytes.NewReader(body)))
		r.mu.Lock()
		r.answers[key] = answer
		r.mu.Unlock()
	}
	return &http.Response{
		StatusCode: answer.Code, Header: answer.Header(), Request: request, Body: io.NopCloser(bytes.NewReader(answer.Body.Bytes())),
	}, nil
}

// BenchmarkBundleAllocations compares what a cold page allocates with what its answers allocate one by one, each cold too. The
// providers' answers come from memory.
func BenchmarkBundleAllocations(b *testing.B) {
	l := newLaboratory(b)
	sample := l.busiest(b)
	providers := &remembering{market: l.market.Handler(), answers: make(map[string]*httptest.ResponseRecorder)}
	config := l.config
	config.SingleTimeout, config.BundleTimeout = plenty, plenty
	config.Addresses = host.SampleAddresses("http://market")
	endpoints := catalogue.Endpoints(host.KeptIn(l.kept), copying.Copying{})
	allocated := func(path string) (objects, size uint64) {
		made, err := host.NewService(config, host.Parts{
			Keys: l.kept.Keys(), Meter: l.kept.Meter(), Log: discardLog(), Metrics: &logMetrics{discardLog()}, Pepper: testPepper, Transport: providers,
		})
		if err != nil {
			b.Fatal(err)
		}
		s := &service{gateway: endpoint.NewHandler(made, endpoints...), key: l.key}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		answer := s.ask(path, sample)
		runtime.ReadMemStats(&after)
		if answer.Code != http.StatusOK || strings.Contains(answer.Body.String(), `"partial"`) {
			b.Fatalf("%s: status %d: %.300s", path, answer.Code, answer.Body)
		}
		return after.Mallocs - before.Mallocs, after.TotalAlloc - before.TotalAlloc
	}
	allocated(overviewPath) // records
	var bundle, singles, bundleSize, singlesSize uint64
	for b.Loop() {
		objects, size := allocated(overviewPath)
		bundle, bundleSize = bundle+objects, bundleSize+size
		for _, e := range pageSlots() {
			objects, size := allocated(e.Path)
			singles, singlesSize = singles+objects, singlesSize+size
		}
	}
	b.ReportMetric(float64(bundle)/float64(b.N), "bundle-allocs")
	b.ReportMetric(float64(singles)/float64(b.N), "singles-allocs")
	b.ReportMetric(float64(bundle)/float64(singles), "allocs-ratio")
	b.ReportMetric(float64(bundleSize)/float64(singlesSize), "bytes-ratio")
}
