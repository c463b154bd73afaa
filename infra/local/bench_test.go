package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/mirrorworthy/mirrorworthy/shared/host"
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
		if _, err := io.Copy(io.Discard, response.Body); err != nil {
			return err
		}
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("status %d", response.StatusCode)
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

// BenchmarkWarmSingle asks for one warm trader-score 2,000 times a second, client and server side by side, each request metered
// in the store. Run it with -benchtime 60000x for half a minute of load.
func BenchmarkWarmSingle(b *testing.B) {
	getenv := environment(b)
	unlimited(b, getenv)
	s := start(b, getenv)
	sample := s.samples.Wallets[0]
	send := sender(loadClient(), s.address()+"/v1/trader-score", s.key, `{"wallet":"`+sample.Address+`","chain":"`+sample.Chain+`"}`)
	if err := send(); err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	report(b, openLoop(b, loadRate, send))
}

// BenchmarkBareHandler is the floor under BenchmarkWarmSingle: the same load on a net/http handler that answers at once.
func BenchmarkBareHandler(b *testing.B) {
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
	defer web.Close()
	send := sender(loadClient(), "http://"+listener.Addr().String(), "none", `{"wallet":"0x","chain":"eth"}`)
	if err := send(); err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	report(b, openLoop(b, loadRate, send))
}
