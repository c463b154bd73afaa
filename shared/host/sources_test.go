package host

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-xray-sdk-go/v2/strategy/sampling"
	"github.com/aws/aws-xray-sdk-go/v2/xray"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// counts are metrics that add up.
type counts struct {
	mu  sync.Mutex
	sum map[string]int
}

func (c *counts) Count(name string, value int, dimensions ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sum == nil {
		c.sum = make(map[string]int)
	}
	c.sum[name+" "+strings.Join(dimensions, " ")] += value
}

func readTestConfig(t *testing.T, values map[string]string) Config {
	t.Helper()
	config, err := ReadConfig(func(name string) string { return values[name] })
	if err != nil {
		t.Fatal(err)
	}
	return config
}

func testParts(transport http.RoundTripper) Parts {
	return Parts{Log: slog.New(slog.DiscardHandler), Metrics: &counts{}, Transport: transport, Pepper: []byte("0123456789abcdef0123456789abcdef")}
}

var everyPort = []market.Port{
	market.ActivityFacts, market.HoldingFacts, market.PriceFacts, market.PoolFacts, market.CandleFacts, market.ApprovalFacts, market.CodeFacts,
	market.TokenSecurityFacts, market.AddressSecurityFacts, market.HolderFacts, market.TradeFacts, market.ContractFacts, market.SimulationFacts,
	market.ListingFacts, market.PerpFillFacts, market.PerpAccountFacts, market.PerpFundingFacts, market.PerpLedgerFacts, market.PerpMarketFacts,
	market.PerpCandleFacts, market.PredictionActivityFacts, market.PredictionPositionFacts, market.PredictionMarketFacts, market.PredictionPriceFacts,
	market.LaunchFacts, market.PoolHistoryFacts,
	market.PerpLeaderboardFacts, market.PredictionLeaderboardFacts, market.CallFacts, market.ReceiptFacts,
}

func TestAServiceHasEveryPort(t *testing.T) {
	folder := t.TempDir()
	for _, values := range []map[string]string{
		{}, {"PROVIDERS": "live"}, {"PROVIDERS": "live", "TRACING": "on"}, {"PROVIDERS": "live", "RECORD": filepath.Join(folder, "new", "folder")},
		{"PROVIDERS": "replay:" + folder, "CLOCK": "2026-11-20T00:00:00Z"},
	} {
		config := readTestConfig(t, values)
		service, err := NewService(config, testParts(nil))
		if err != nil {
			t.Fatalf("%v: %v", values, err)
		}
		for _, port := range everyPort {
			if !service.Sources.Has(port) {
				t.Errorf("%v: nothing stands behind %s", values, port)
			}
		}
		if service.SampleMarket != (config.Mode == Sample) || service.SingleTimeout != config.SingleTimeout || service.BundleTimeout != config.BundleTimeout ||
			service.Keys == nil || service.Present == nil || service.Clock == nil {
			t.Errorf("%v: %+v", values, service)
		}
		// Answers go by the configured clock, metering by the time that passes.
		if fixed := !config.FixedClock.IsZero(); fixed != service.Present().Equal(config.FixedClock) || time.Since(service.Clock()) > time.Minute {
			t.Errorf("%v: the present is %v, the clock says %v", values, service.Present(), service.Clock())
		}
	}
}

func TestAServiceWithoutItsFoldersIsAnError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	broken := t.TempDir()
	if err := os.WriteFile(filepath.Join(broken, "a.jsonl"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	config := readTestConfig(t, nil)
	config.Mode, config.ReplayDir = Replay, broken
	if _, err := NewService(config, testParts(nil)); err == nil || !strings.Contains(err.Error(), "PROVIDERS=replay:"+broken) {
		t.Error(err)
	}
	config.Mode, config.RecordDir = Live, file
	if _, err := NewService(config, testParts(nil)); err == nil || !strings.Contains(err.Error(), "RECORD="+file) {
		t.Error(err)
	}
}

// seen remembers the requests that reach a provider and answers each with an empty object.
type seen struct {
	mu       sync.Mutex
	requests []*http.Request
}

func (s *seen) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	return &http.Response{StatusCode: http.StatusOK, Header: make(http.Header), Body: io.NopCloser(strings.NewReader(`{}`)), Request: r}, nil
}

func (s *seen) by(host string) []*http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	var requests []*http.Request
	for _, r := range s.requests {
		if r.URL.Host == host {
			requests = append(requests, r)
		}
	}
	return requests
}

// askAll asks every port once. What the answers mean is not looked at.
func askAll(ctx context.Context, sources market.Sources, wallet chain.Address) {
	on, _ := chain.Parse("base")
	now := time.Now().UTC().Truncate(time.Hour)
	_, _ = sources.Activity.Activity(ctx, on, wallet)
	_, _ = sources.Holdings.Holdings(ctx, on, wallet)
	_, _ = sources.Prices.Prices(ctx, on, []market.PriceRequest{{Asset: wallet, Times: []time.Time{now.Add(-48 * time.Hour)}}})
	_, _ = sources.Pools.Pools(ctx, on, []chain.Address{wallet})
	_, _ = sources.Candles.Candles(ctx, on, market.CandleRequest{Pool: wallet.String(), Token: wallet, From: now.Add(-48 * time.Hour), To: now.Add(-24 * time.Hour)})
	_, _ = sources.Approvals.Approvals(ctx, on, wallet)
	_, _ = sources.Code.Code(ctx, on, wallet)
	_, _ = sources.TokenSecurity.TokenSecurity(ctx, on, []chain.Address{wallet})
	_, _ = sources.AddressSecurity.AddressSecurity(ctx, on, []chain.Address{wallet})
}

// Each provider is shown its own key in the way it documents, and no other provider's.
func TestKeysGoWhereTheyBelong(t *testing.T) {
	transport := &seen{}
	config := readTestConfig(t, map[string]string{
		"PROVIDERS": "live", "GOPLUS_KEY": "goplus-token", "BLOCKSCOUT_BASE_KEY": "pro+api/key", "BLOCKSCOUT_ETH_KEY": "other-key",
	})
	service, err := NewService(config, testParts(transport))
	if err != nil {
		t.Fatal(err)
	}
	askAll(t.Context(), service.Sources, chain.Address{1, 2})
	hosts := map[string]bool{}
	for _, r := range transport.requests {
		hosts[r.URL.Host] = true
		token, key := r.Header.Get("Authorization"), r.URL.Query()["apikey"]
		switch r.URL.Host {
		case "api.gopluslabs.io":
			if token != "goplus-token" || key != nil {
				t.Errorf("GoPlus sees %q and %q", token, key)
			}
		case "base.blockscout.com":
			if token != "" || len(key) != 1 || key[0] != "pro+api/key" {
				t.Errorf("Blockscout sees %q and %q in %s", token, key, r.URL)
			}
		default:
			if token != "" || key != nil || strings.Contains(r.URL.String(), "key") {
				t.Errorf("%s sees %q and %q", r.URL.Host, token, key)
			}
		}
		if r.Header.Get("User-Agent") != "mirrorworthy/1" {
			t.Errorf("%s sees the user agent %q", r.URL.Host, r.Header.Get("User-Agent"))
		}
	}
	for _, host := range []string{
		"api.gopluslabs.io", "base.blockscout.com", "base.publicnode.com", "coins.llama.fi", "api.dexscreener.com", "api.geckoterminal.com",
	} {
		if !hosts[host] {
			t.Errorf("%s was not asked", host)
		}
	}
	for _, r := range transport.by("api.geckoterminal.com") {
		if got := r.Header.Get("Accept"); !strings.Contains(got, "version=") {
			t.Errorf("GeckoTerminal is asked for %q", got)
		}
	}
}

func TestKeysAreShownToRealProvidersOnly(t *testing.T) {
	transport := &seen{}
	config := readTestConfig(t, map[string]string{"GOPLUS_KEY": "goplus-token", "BLOCKSCOUT_BASE_KEY": "pro-key"})
	config.Addresses = SampleAddresses("http://sample.invalid")
	service, err := NewService(config, testParts(transport))
	if err != nil {
		t.Fatal(err)
	}
	askAll(t.Context(), service.Sources, chain.Address{1, 2})
	if len(transport.by("sample.invalid")) != len(transport.requests) || len(transport.requests) == 0 {
		t.Errorf("%d requests, %d to the sample market", len(transport.requests), len(transport.by("sample.invalid")))
	}
	for _, r := range transport.requests {
		if r.Header.Get("Authorization") != "" || r.URL.Query().Has("apikey") {
			t.Errorf("a key goes to %s", r.URL)
		}
	}
}

// GoPlus reports overload with status 200. A client that looks asks once more; one that does not takes it for the answer.
func TestOverloadIsRecognisedAndOutlasted(t *testing.T) {
	var asked atomic.Int64
	metrics := &counts{}
	parts := testParts(roundTrip(func(r *http.Request) (*http.Response, error) {
		answer := `{"code":1,"message":"ok","result":{}}`
		if asked.Add(1) == 1 {
			answer = `{"code":4029,"message":"too many requests","result":null}`
		}
		return &http.Response{StatusCode: http.StatusOK, Header: make(http.Header), Body: io.NopCloser(strings.NewReader(answer)), Request: r}, nil
	}))
	parts.Metrics = metrics
	service, err := NewService(readTestConfig(t, map[string]string{"PROVIDERS": "live"}), parts)
	if err != nil {
		t.Fatal(err)
	}
	on, _ := chain.Parse("base")
	if _, err := service.Sources.TokenSecurity.TokenSecurity(t.Context(), on, []chain.Address{{1}}); err != nil {
		t.Error(err)
	}
	if asked.Load() != 2 || metrics.sum["provider_failed provider goplus"] != 1 || metrics.sum["provider_calls provider goplus"] != 2 {
		t.Errorf("asked %d times: %v", asked.Load(), metrics.sum)
	}
}

func TestWhatIsRecordedReplaysWithoutKeys(t *testing.T) {
	const token, key = "goplus-canary-token", "blockscout-canary-key"
	wallet := chain.Address{0xab, 0xcd, 19: 1}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/goplus/"):
			if r.Header.Get("Authorization") != token {
				t.Error("GoPlus got no token")
			}
			_, _ = io.WriteString(w, `{"code":1,"message":"ok","result":{"phishing_activities":"1","echo":"`+token+`"}}`)
		case strings.HasPrefix(r.URL.Path, "/blockscout/"):
			if r.URL.Query().Get("apikey") != key {
				t.Error("Blockscout got no key")
			}
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"message":"Not found"}`)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer server.Close()
	folder := filepath.Join(t.TempDir(), "recorded")
	settings := map[string]string{
		"PROVIDERS": "live", "RECORD": folder, "GOPLUS_KEY": token, "BLOCKSCOUT_BASE_KEY": key,
		"GOPLUS_URL": server.URL + "/goplus", "BLOCKSCOUT_BASE_URL": server.URL + "/blockscout/api/v2",
		// A stopped clock does not make two runs write to one file.
		"CLOCK": time.Now().UTC().Format(time.RFC3339),
	}
	on, _ := chain.Parse("base")
	ask := func(sources market.Sources) market.AddressSecurity {
		t.Helper()
		found, err := sources.AddressSecurity.AddressSecurity(t.Context(), on, []chain.Address{wallet})
		if err != nil {
			t.Fatal(err)
		}
		if holdings, err := sources.Holdings.Holdings(t.Context(), on, wallet); err != nil || len(holdings) != 0 {
			t.Fatal(holdings, err)
		}
		return found[wallet]
	}
	var recorded market.AddressSecurity
	for range 2 {
		service, err := NewService(readTestConfig(t, settings), testParts(nil))
		if err != nil {
			t.Fatal(err)
		}
		recorded = ask(service.Sources)
	}
	if recorded.Malicious != market.Yes {
		t.Fatalf("%+v", recorded)
	}
	server.Close()
	files, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	if err != nil || len(files) != 2 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if len(text) == 0 || bytes.Contains(text, []byte("canary")) {
			t.Errorf("%s", text)
		}
		info, err := os.Stat(file)
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Error(info.Mode(), err)
		}
	}
	delete(settings, "RECORD")
	settings["PROVIDERS"] = "replay:" + folder
	unasked := testParts(roundTrip(func(r *http.Request) (*http.Response, error) {
		t.Errorf("a replay asks %s", r.URL)
		return nil, errors.New("no network")
	}))
	service, err := NewService(readTestConfig(t, settings), unasked)
	if err != nil {
		t.Fatal(err)
	}
	if replayed := ask(service.Sources); replayed.Malicious != recorded.Malicious || len(replayed.Reasons) != len(recorded.Reasons) {
		t.Errorf("%+v instead of %+v", replayed, recorded)
	}
	// What was not recorded is a failure, not an empty fact.
	if _, err := service.Sources.Holdings.Holdings(t.Context(), on, chain.Address{9}); !errors.Is(err, market.ErrUnavailable) {
		t.Error(err)
	}
}

func TestTracesHoldNoPathAndRequestsStayWhole(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, _ = io.WriteString(w, r.Method+" "+r.URL.RequestURI()+" "+string(body))
	}))
	defer server.Close()
	sampling, err := sampling.NewLocalizedStrategy()
	if err != nil {
		t.Fatal(err)
	}
	daemon, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer daemon.Close()
	if err := daemon.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	emitter, err := xray.NewDefaultEmitter(daemon.LocalAddr().(*net.UDPAddr))
	if err != nil {
		t.Fatal(err)
	}
	ctx, err := xray.ContextWithConfig(t.Context(), xray.Config{DaemonAddr: daemon.LocalAddr().String(), Emitter: emitter, SamplingStrategy: sampling})
	if err != nil {
		t.Fatal(err)
	}
	ctx, segment := xray.BeginSegment(ctx, "invocation")
	client := &http.Client{Transport: traced(http.DefaultTransport)}
	question, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+"/v2/canary-in-path/?apikey=canary-in-query", strings.NewReader(`{"a":1}`))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := client.Do(question)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if text, _ := io.ReadAll(answer.Body); string(text) != `POST /v2/canary-in-path/?apikey=canary-in-query {"a":1}` {
		t.Errorf("%s", text)
	}
	segment.Close(nil)
	packet := make([]byte, 64<<10)
	n, _, err := daemon.ReadFrom(packet)
	if err != nil {
		t.Fatal(err)
	}
	// One segment for the one call, of which X-Ray keeps apart the parts of its connection.
	if text := string(packet[:n]); !strings.Contains(text, `"url":"`+server.URL+`"`) || strings.Count(text, `"namespace":"remote"`) != 1 || strings.Contains(text, "canary") {
		t.Errorf("the trace: %s", text)
	}
}

func TestProviderCallsAreCountedAndFailuresLogged(t *testing.T) {
	var log bytes.Buffer
	metrics := &counts{}
	observe := observeCalls(metrics, slog.New(slog.NewJSONHandler(&log, nil)))
	observe(upstream.Call{Provider: "goplus", Method: "GET", Path: "/a", Status: 200})
	if log.Len() > 0 {
		t.Errorf("a good call is logged: %s", log.String())
	}
	observe(upstream.Call{Provider: "goplus", Method: "GET", Path: "/b", Status: 503, Attempt: 2, Err: errors.New("status 503")})
	observe(upstream.Call{Provider: "goplus", Path: "/c", Dropped: 4})
	for name, want := range map[string]int{
		"provider_calls provider goplus": 2, "provider_failed provider goplus": 1, "provider_rows_dropped provider goplus": 4,
	} {
		if metrics.sum[name] != want {
			t.Errorf("%s: %d, want %d", name, metrics.sum[name], want)
		}
	}
	if text := log.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, `"path":"/b"`) || !strings.Contains(text, `"attempt":2`) {
		t.Error(text)
	}
}

func TestPassesAreCountedByWhatBecameOfThem(t *testing.T) {
	metrics := &counts{}
	began := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	tell := ObservePasses(metrics, "grade-leaders")
	tell(store.Pass{At: began, Parts: 3, Done: []int{0, 1, 2}}, began.Add(90*time.Second+999*time.Millisecond))
	tell(store.Pass{At: began, Parts: 3, Done: []int{1}}, began.Add(time.Hour))
	tell(store.Pass{At: began, Parts: 1, Done: []int{0}}, began.Add(-time.Second))
	want := map[string]int{"passes_finished job grade-leaders": 2, "pass_seconds job grade-leaders": 90, "pass_parts_left job grade-leaders": 2}
	if !maps.Equal(metrics.sum, want) {
		t.Errorf("%v, want %v", metrics.sum, want)
	}
}

func TestTheLagOfWebhooksIsNoted(t *testing.T) {
	metrics := &counts{}
	ObserveWebhookLag(metrics)(61*time.Second + 5*time.Millisecond)
	if want := map[string]int{"webhook_lag_seconds ": 61}; !maps.Equal(metrics.sum, want) {
		t.Errorf("%v, want %v", metrics.sum, want)
	}
	if ObserveWebhookLag(nil) != nil || ObservePasses(nil, "grade-leaders") != nil {
		t.Error("without metrics somebody counts")
	}
}

func TestEveryProviderHasALimitAndAnAddress(t *testing.T) {
	names, variables := make(map[string]bool), make(map[string]bool)
	for _, p := range providers() {
		if names[p.name] || variables[p.variable] || p.limits.PerMinute <= 0 || wantURL(p.limits.Base) != nil {
			t.Errorf("%+v", p)
		}
		names[p.name], variables[p.variable] = true, true
	}
	for _, on := range chain.All() {
		if !names[nodeOf(on)] || names[explorerOf(on)] != (explorers[on.Slug] != "") {
			t.Errorf("%s is not read", on.Slug)
		}
	}
}

// What only the local gateway and the tools need would slow every cold start down.
func TestFunctionsLinkNothingOfTheLocalGateway(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "../../functions/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	linked := strings.Fields(string(out))
	if len(linked) < 100 {
		t.Fatalf("%d packages", len(linked))
	}
	for _, name := range linked {
		for _, unwanted := range []string{"go.etcd.io/bbolt", "/shared/samplemarket", "/shared/store/embedded", "/shared/store/dynamo/tables", "/shared/store/conformance", "/endpointtest", "pgregory.net/rapid", "/infra/"} {
			if strings.Contains(name, unwanted) {
				t.Errorf("functions link %s", name)
			}
		}
	}
}
