package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/endpointtest"
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/catalogue"
	"github.com/mirrorworthy/mirrorworthy/shared/host/copying"
	"github.com/mirrorworthy/mirrorworthy/shared/openapi/openapitest"
)

// environment is what the tests run the gateway with; pairs of names and values add to it.
func environment(t testing.TB, pairs ...string) func(string) string {
	t.Helper()
	values := map[string]string{
		"PORT": "0", "DATA_DIR": t.TempDir(), "TEMPLATE": filepath.Join(root, "template.yaml"), "CLOCK": "2026-09-01T12:00:00Z", "LOG_LEVEL": "error",
		"JOBS": "refresh-peers", // those that take little
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		values[pairs[i]] = pairs[i+1]
	}
	return func(name string) string { return values[name] }
}

// undocumented are the paths that the API's document does not describe: tools speak another protocol, and the rest is the local gateway's
// own.
var undocumented = []string{
	"/v1/mcp", "/api/v1/mcp", "/sample", "/sample/advance", "/queues", "/sample/nodes/eth", "/sample/nodes/base", "/sample/nodes/nowhere", "/sample/nodes/",
	"/sample/nodes/Eth", "/sample/nodes/eth/", "/sample/nodes/%65th", "/sample/nodes/../nodes/eth",
}

// start runs the service until the test ends, and holds everything that it is asked and answers to the API's document.
func start(t testing.TB, getenv func(string) string) *server {
	t.Helper()
	return startLogging(t, discardLog(), getenv)
}

func startLogging(t testing.TB, log *slog.Logger, getenv func(string) string) *server {
	t.Helper()
	config, err := host.ReadConfig(getenv)
	if err != nil {
		t.Fatal(err)
	}
	s, err := newServer(config, log)
	if err != nil {
		t.Fatal(err)
	}
	// Where functions are processes, the gateway itself answers for those that end or take no more, and its answers have another shape.
	if _, timed := t.(*testing.B); !timed && config.Runtime != host.Binaries {
		s.handler = openapitest.Handler(s.handler, func(err error) { t.Error(err) }, undocumented...)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.serve(ctx) }()
	<-s.settled
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return s
}

// sampled is one server on the sample market for all tests that change nothing in it.
var sampled = sync.OnceValue(func() *server {
	folder, err := os.MkdirTemp("", "mirrorworthy")
	if err != nil {
		panic(err)
	}
	config, err := host.ReadConfig(func(name string) string {
		return map[string]string{"PORT": "0", "DATA_DIR": folder, "TEMPLATE": filepath.Join(root, "template.yaml"), "CLOCK": "2026-09-01T12:00:00Z", "JOBS": "refresh-peers",
			"SINGLE_TIMEOUT": "25s", "BUNDLE_TIMEOUT": "28s"}[name] // the race detector slows everything down
	})
	if err != nil {
		panic(err)
	}
	s, err := newServer(config, discardLog())
	if err != nil {
		panic(err)
	}
	s.handler = described(s.handler)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.serve(ctx) }()
	<-s.settled
	atExit = func() {
		stop()
		<-ended
		_ = os.RemoveAll(folder)
	}
	return s
})

var atExit = func() {}

// undescribed are the exchanges that the API document does not allow.
var undescribed struct {
	sync.Mutex
	all []error
}

// described holds a service to the API document; what it finds fails the tests at their end.
func described(handler http.Handler) http.Handler {
	return openapitest.Handler(handler, func(err error) {
		undescribed.Lock()
		defer undescribed.Unlock()
		undescribed.all = append(undescribed.all, err)
	}, undocumented...)
}

func TestMain(m *testing.M) {
	if os.Getenv("AWS_LAMBDA_RUNTIME_API") != "" {
		beFunction(os.Getenv("AWS_LAMBDA_FUNCTION_NAME"))
	}
	code := m.Run()
	atExit()
	undescribed.Lock()
	for _, err := range undescribed.all[:min(len(undescribed.all), 20)] {
		fmt.Fprintln(os.Stderr, "not as in the API document:", err)
		code = 1
	}
	os.Exit(code)
}

// recorded is a folder of exchanges in which one wallet of the main chain has no history.
func recorded(t testing.TB) string {
	t.Helper()
	folder := t.TempDir()
	base := "https://eth.blockscout.com/api/v2/addresses/" + quietWallet
	var lines strings.Builder
	for _, list := range []string{"/token-transfers?type=*", "/transactions", "/internal-transactions"} {
		lines.WriteString(`{"method":"GET","url":"` + base + list + `","body":"","status":404,"response":"{\"message\":\"Not found\"}"}` + "\n")
	}
	if err := os.WriteFile(filepath.Join(folder, "quiet.jsonl"), []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return "replay:" + folder
}

const quietWallet = "0x00000000000000000000000000000000000a11ce"

// post calls the service as a partner would.
func (s *server) post(t testing.TB, path, key, body string) (int, http.Header, string) {
	t.Helper()
	return s.call(t, http.MethodPost, path, key, body)
}

func (s *server) call(t testing.TB, method, path, key, body string) (int, http.Header, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(context.Background(), method, s.address()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header, string(text)
}

func TestAPartnersFirstCalls(t *testing.T) {
	s := sampled()
	if len(s.samples.Wallets) == 0 {
		t.Fatal("the sample market offers no wallets")
	}
	for _, sample := range s.samples.Wallets[:min(12, len(s.samples.Wallets))] {
		status, header, body := s.post(t, "/v1/wallet-overview", s.key, `{"wallet":"`+sample.Address+`","chain":"`+sample.Chain+`"}`)
		if status != http.StatusOK || strings.Contains(body, `"partial"`) {
			t.Fatalf("%s: status %d: %.800s", sample.About, status, body)
		}
		if header.Get("X-Usage-Units") != "14" || header.Get("X-Method-Version") == "" || header.Get("X-Request-Id") == "" {
			t.Errorf("headers %v", header)
		}
		if strings.Contains(body, "$") || strings.Contains(body, "NaN") {
			t.Errorf("%s", body)
		}
		old, _, older := s.post(t, "/api/v1/wallet-overview", s.key, `{"wallet":"`+sample.Address+`","chain":"`+sample.Chain+`"}`)
		if old != http.StatusOK || older != body {
			t.Error("the older address answers otherwise")
		}
	}
	status, _, body := s.call(t, http.MethodGet, "/sample", "", "")
	if status != http.StatusOK || !strings.Contains(body, s.samples.Wallets[0].Address) {
		t.Errorf("/sample: %d %.200s", status, body)
	}
	for path, want := range map[string]int{"/v1/leaderboard": 404, "/v1//trader-score": 404, "/v1/trader-score/": 404, "/v1": 404, "/v1/usage": 200} {
		if status, header, body := s.call(t, http.MethodGet, path, s.key, ""); status != want || !strings.HasPrefix(header.Get("Content-Type"), "application/json") {
			t.Errorf("GET %s: %d %s", path, status, body)
		}
	}
	if status, header, body := s.call(t, http.MethodGet, "/v1/trader-score", s.key, ""); status != 405 || header.Get("Allow") == "" {
		t.Errorf("GET /v1/trader-score: %d %s", status, body)
	}
}

// Every slot's bytes are its single's bytes, for wallets of every kind.
func TestASlotIsItsSingle(t *testing.T) {
	s := sampled()
	for _, sample := range s.samples.Wallets[max(0, len(s.samples.Wallets)-6):] {
		body := `{"wallet":"` + sample.Address + `","chain":"` + sample.Chain + `"`
		_, _, bundle := s.post(t, "/v1/wallet-overview", s.key, body+`,"tradesLimit":3}`)
		for _, e := range catalogue.Endpoints(host.Kept{}, copying.Copying{})[0].Components {
			parameters := body
			if e.Name == "wallet-trades" {
				parameters += `,"tradesLimit":3`
			}
			status, _, single := s.post(t, e.Path, s.key, parameters+"}")
			if status != http.StatusOK || !strings.Contains(bundle, `"`+e.Slot()+`":`+single) {
				t.Errorf("%s of %s: status %d, %.300s is not in the bundle", e.Name, sample.About, status, single)
			}
		}
	}
}

func TestReadyLine(t *testing.T) {
	first := sampled()
	line, rest, _ := strings.Cut(first.greeting(), "\n")
	if line != "ready "+first.address()+" key="+first.key || !strings.HasPrefix(first.key, "mw_test_") {
		t.Errorf("%q", line)
	}
	if !strings.Contains(rest, "curl") {
		t.Errorf("no calls to try: %q", rest)
	}
	if !strings.HasPrefix(rest, "\nOpen the console:\n  "+first.address()+"/#key="+first.key+"\n") {
		t.Errorf("no console to open: %q", rest)
	}
	// A live key is in no address.
	live := start(t, environment(t, "PROVIDERS", recorded(t)))
	line, rest, _ = strings.Cut(live.greeting(), "\n")
	if line != "ready "+live.address()+" key="+live.key || !strings.HasPrefix(live.key, "mw_live_") || rest != "\nOpen the console:\n  "+live.address()+"/\n" {
		t.Errorf("%q %q", line, rest)
	}
}

func TestTheKeyIsMadeOnceAndKeptForItsOwner(t *testing.T) {
	config, _ := host.ReadConfig(environment(t, "PROVIDERS", recorded(t)))
	var keys []string
	for range 2 {
		s, err := newServer(config, discardLog())
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, s.key)
		s.shut()
	}
	if keys[0] != keys[1] {
		t.Error("a second start makes another key")
	}
	files, _ := filepath.Glob(filepath.Join(config.DataDir, "*"))
	for _, file := range files {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s is readable by others", file)
		}
	}
}

func TestWhatCannotStartSaysWhyInOneLine(t *testing.T) {
	taken := sampled()
	_, port, _ := strings.Cut(strings.TrimPrefix(taken.address(), "http://"), ":")
	for _, c := range []struct{ name, value, want string }{
		{"PORT", port, "PORT=" + port}, {"PORT", "http", "PORT=http: want a port number"}, {"PORT", "70000", "PORT=70000"},
		{"PROVIDERS", "real", "PROVIDERS=real: want sample, live or replay:DIR"}, {"PROVIDERS", "replay:/no/such/folder", "PROVIDERS=replay:/no/such/folder"},
		{"CLOCK", "yesterday", "CLOCK=yesterday: want a time like"}, {"LOG_LEVEL", "loud", "LOG_LEVEL=loud"},
		{"SINGLE_TIMEOUT", "soon", "SINGLE_TIMEOUT=soon"}, {"BUNDLE_TIMEOUT", "1s", "BUNDLE_TIMEOUT=1s"}, {"SAMPLE_SEED", "-1", "SAMPLE_SEED=-1"}, {"JOBS", "refresh-peers,nothing", "JOBS"},
		{"GOPLUS_URL", "gopher://x", "GOPLUS_URL=gopher://x: want an http"}, {"RECORD", "x", "RECORD=x"}, {"KEY_PEPPER", "hunter2hunter2", "KEY_PEPPER=***"},
		{"TEMPLATE", "/no/template", "TEMPLATE=/no/template"},
	} {
		err := run(context.Background(), environment(t, c.name, c.value), io.Discard, io.Discard)
		if err == nil {
			t.Errorf("%s=%s starts", c.name, c.value)
			continue
		}
		if line := oneLine(err); !strings.Contains(line, c.want) || strings.Contains(line, "\n") || strings.Contains(line, "hunter2") {
			t.Errorf("%s=%s: %q", c.name, c.value, line)
		}
	}
}

func TestUsageSurvivesARestart(t *testing.T) {
	config, _ := host.ReadConfig(environment(t, "PROVIDERS", recorded(t)))
	usage := func(charge bool) string {
		s, err := newServer(config, discardLog())
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- s.serve(ctx) }()
		defer func() {
			stop()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}()
		if charge {
			if status, _, body := s.post(t, "/v1/trader-score", s.key, `{"wallet":"`+quietWallet+`","chain":"eth"}`); status != 200 || !strings.Contains(body, `"verdict":"unrated"`) {
				t.Fatal(body)
			}
		}
		_, _, body := s.call(t, http.MethodGet, "/v1/usage", s.key, "")
		used, _, _ := strings.Cut(body, `,"limit"`)
		_, today, _ := strings.Cut(used, `"byEndpoint"`)
		return today
	}
	if before, after := usage(true), usage(false); before != after || !strings.Contains(before, `"units":2`) {
		t.Errorf("before %s, after %s", before, after)
	}
}

// The sample market goes on where it was when its clock is stopped later; a clock that is stopped too early for it has one of its own.
func TestTheSampleMarketGoesOn(t *testing.T) {
	folder := t.TempDir()
	startAt := func(clock string) time.Time {
		config, err := host.ReadConfig(environment(t, "DATA_DIR", folder, "CLOCK", clock))
		if err != nil {
			t.Fatal(err)
		}
		start, err := sampleStart(&config)
		if err != nil {
			t.Fatal(err)
		}
		return start
	}
	first := startAt("2026-09-01T12:00:00Z")
	if again := startAt("2026-09-19T15:00:00Z"); !again.Equal(first) {
		t.Errorf("a market that began at %v begins at %v after a restart", first, again)
	}
	if earlier := startAt("2026-08-01T00:00:00Z"); !earlier.Equal(time.Date(2026, 8, 1, 0, 0, 0, 0, time.UTC).Add(-sampleHistory)) {
		t.Errorf("a market before the kept one begins at %v", earlier)
	}
	if again := startAt("2026-09-02T00:00:00Z"); !again.Equal(first) {
		t.Errorf("a market that began at %v begins at %v after one before it", first, again)
	}
}

func TestDraining(t *testing.T) {
	config, _ := host.ReadConfig(environment(t, "PROVIDERS", recorded(t)))
	s, err := newServer(config, discardLog())
	if err != nil {
		t.Fatal(err)
	}
	entered, leave := make(chan struct{}), make(chan struct{})
	s.handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(entered)
		<-leave
		_, _ = io.WriteString(w, "finished")
	})
	ctx, stop := context.WithCancel(context.Background())
	ended, answered := make(chan error, 1), make(chan string, 1)
	go func() { ended <- s.serve(ctx) }()
	go func() {
		_, _, body := s.call(t, http.MethodGet, "/slow", "", "")
		answered <- body
	}()
	<-entered
	stop()
	close(leave)
	if body := <-answered; body != "finished" {
		t.Errorf("a request under way got %q", body)
	}
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("does not stop")
	}
}

func discardLog() *slog.Logger { return slog.New(slog.DiscardHandler) }

// What was not recorded is a provider's failure, and is never remembered as an answer.
func TestWhatWasNotRecordedIsUnavailable(t *testing.T) {
	s := start(t, environment(t, "PROVIDERS", recorded(t)))
	for range 2 {
		status, header, body := s.post(t, "/v1/trader-score", s.key, `{"wallet":"0x000000000000000000000000000000000000b0b0","chain":"eth"}`)
		if status != http.StatusServiceUnavailable || !strings.Contains(body, `"provider_unavailable"`) || header.Get("Retry-After") == "" || header.Get("X-Usage-Units") != "0" {
			t.Errorf("status %d: %s", status, body)
		}
	}
	if !strings.HasPrefix(s.key, "mw_live_") {
		t.Errorf("recordings are asked with %.8s…", s.key)
	}
}

// Every refusal of the API, on every endpoint, through the gateway and the Lambda event path, without a single provider call.
func TestRefusals(t *testing.T) {
	s := sampled()
	calls := func() int {
		total := 0
		for _, n := range s.sample.Calls() {
			total += n
		}
		return total
	}
	endpointtest.Refusals(t, s.handler, catalogue.Endpoints(host.Kept{}, copying.Copying{}), s.key, calls)
}
