package main

import (
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/infra/runtimeapi"
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/catalogue"
	"github.com/mirrorworthy/mirrorworthy/shared/host/copying"
	hostjobs "github.com/mirrorworthy/mirrorworthy/shared/host/jobs"
	"github.com/mirrorworthy/mirrorworthy/shared/wallet"
)

// beFunction is what the test binary does where it is started as a function's. It does not return.
func beFunction(name string) {
	switch name {
	case "usage":
		host.ServeUsage()
	case catalogue.NotFound:
		host.ServeNotFound(catalogue.Routes)
	case "trader-score":
		host.Serve(wallet.TraderScore())
	case "expire-agents":
		hostjobs.Serve(name, copying.Expiry)
	}
	os.Exit(1)
}

// binaries is a folder in which this test's binary is every function's.
func binaries(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join(root, "template.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	deployed, err := readTemplate(source)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for name := range deployed.Functions {
		if err := os.Symlink(self, filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// Functions that are processes answer like those in this process, schedules run them, and what they cannot do is said.
func TestFunctionsAsBinaries(t *testing.T) {
	data := t.TempDir()
	var log logLines
	s := startLogging(t, slog.New(slog.NewTextHandler(&log, nil)), environment(t,
		"PROVIDERS", recorded(t), "JOBS", "expire-agents", "LOG_LEVEL", "info", "RUNTIME", "binaries", "BINARIES_DIR", binaries(t), "DATA_DIR", data))
	if !strings.Contains(s.greeting(), "DynamoDB in memory") {
		t.Errorf("greeting %s", s.greeting())
	}
	here := start(t, environment(t, "PROVIDERS", recorded(t), "JOBS", "none"))
	for _, c := range []struct {
		method, path, body string
		status             int
	}{
		{http.MethodPost, "/v1/trader-score", `{"wallet":"` + quietWallet + `","chain":"eth"}`, http.StatusOK},
		{http.MethodPost, "/v1/trader-score", `{"wallet":"nobody","chain":"eth"}`, http.StatusBadRequest},
		{http.MethodGet, "/v1/nothing", "", http.StatusNotFound},
		{http.MethodGet, "/v1/trader-score", "", http.StatusMethodNotAllowed},
	} {
		status, _, body := s.call(t, c.method, c.path, s.key, c.body)
		wantStatus, _, want := here.call(t, c.method, c.path, here.key, c.body)
		body, want = ofTheMoment.ReplaceAllString(body, ""), ofTheMoment.ReplaceAllString(want, "")
		if status != c.status || status != wantStatus || body != want {
			t.Errorf("%s %s: %d %s, want %d %s", c.method, c.path, status, body, wantStatus, want)
		}
	}
	if status, _, body := s.call(t, http.MethodGet, "/v1/usage", s.key, ""); status != http.StatusOK || !strings.Contains(body, `{"endpoint":"trader-score","units":`) {
		t.Errorf("usage: %d %s", status, body)
	}
	// A process that ends is an error of the gateway, as on AWS.
	if status, _, body := s.call(t, http.MethodGet, "/v1/copy/venues", s.key, ""); status != http.StatusInternalServerError || body != `{"message":"Internal Server Error"}` {
		t.Errorf("a function that cannot start: %d %s", status, body)
	}
	if status, _, body := s.call(t, http.MethodPost, "/v1/trader-score", s.key, strings.Repeat("x", 7<<20)); status != http.StatusRequestEntityTooLarge {
		t.Errorf("a body that is too large for a function: %d %s", status, body)
	}
	if status, _, body := s.call(t, http.MethodPost, "/sample/advance?by=1h", "", ""); status != http.StatusNotFound || !strings.Contains(body, "RUNTIME=binaries") {
		t.Errorf("moving time: %d %s", status, body)
	}
	if said := log.text(); !strings.Contains(said, `name=expire-agents says="`) || !strings.Contains(said, "job done") {
		t.Errorf("the job of the schedule says %s", said)
	}
	if _, err := os.Stat(filepath.Join(data, "key-live")); err == nil {
		t.Error("the key of the store in the data folder was written over")
	}
}

// startOptions are those of the catch-all function as this test's binary.
func startOptions(t *testing.T) runtimeapi.Options {
	t.Helper()
	config, err := host.ReadConfig(environment(t, "PROVIDERS", recorded(t), "KEY_PEPPER", strings.Repeat("01", 32), "RECORDS_TABLE", "r", "METERS_TABLE", "m"))
	if err != nil {
		t.Fatal(err)
	}
	return runtimeapi.Options{
		Name: catalogue.NotFound, Binary: filepath.Join(binaries(t), catalogue.NotFound), Environment: config.Environment(), Timeout: time.Minute, InitTimeout: time.Minute,
	}
}

// logLines keeps what is written to it.
type logLines struct {
	mu    sync.Mutex
	lines strings.Builder
}

func (l *logLines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lines.Write(line)
}

func (l *logLines) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lines.String()
}

func TestBinariesThatAreNotBuilt(t *testing.T) {
	config, err := host.ReadConfig(environment(t, "PROVIDERS", recorded(t), "RUNTIME", "binaries", "BINARIES_DIR", t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := newServer(config, discardLog()); err == nil || !strings.Contains(err.Error(), "make build-native builds it") {
		t.Errorf("error %v", err)
	}
}

// A function finds what the template gives to it alone, and what it gives to none.
func TestEnvironmentsOfFunctions(t *testing.T) {
	deployed := template{Functions: map[string]function{
		"a": {Variables: map[string]bool{"KEY_PEPPER": true, "AGENT_SECRET": true}},
		"b": {Variables: map[string]bool{"KEY_PEPPER": true, "QUEUE_GRADE_LEADERS": true}},
	}}
	config, err := host.ReadConfig(environment(t, "KEY_PEPPER", strings.Repeat("01", 32), "AGENT_SECRET", strings.Repeat("02", 32), "QUEUE_GRADE_LEADERS", "http://127.0.0.1/1/g"))
	if err != nil {
		t.Fatal(err)
	}
	a, b := environmentOf(deployed.Functions["a"], deployed, config), environmentOf(deployed.Functions["b"], deployed, config)
	if a["AGENT_SECRET"] == "" || a["QUEUE_GRADE_LEADERS"] != "" || b["AGENT_SECRET"] != "" || b["QUEUE_GRADE_LEADERS"] == "" {
		t.Errorf("a has %v, b has %v", a, b)
	}
	for _, name := range []string{"KEY_PEPPER", "PROVIDERS", "CLOCK", "SINGLE_TIMEOUT", "AWS_ACCESS_KEY_ID"} {
		if a[name] == "" || a[name] != b[name] {
			t.Errorf("%s is %q and %q", name, a[name], b[name])
		}
	}
}
