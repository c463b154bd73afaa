package endpointtest

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/partnerkey"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// T is what the helpers need of a test, a benchmark or a check of a property.
type T interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Fatal(args ...any)
}

// Recorder keeps the metrics that were counted.
type Recorder struct {
	mu     sync.Mutex
	counts map[string]int
}

// Count implements endpoint.Metrics.
func (m *Recorder) Count(name string, value int, dimensions ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.counts == nil {
		m.counts = make(map[string]int)
	}
	m.counts[name] += value
	m.counts[name+"{"+strings.Join(dimensions, ",")+"}"] += value
}

// Total is the sum of a metric, over all dimensions or, written name{a,b,c,d}, of one set of them.
func (m *Recorder) Total(name string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.counts[name]
}

// Clock is a clock that tests move.
type Clock struct{ now atomic.Pointer[time.Time] }

// Now tells the clock's time.
func (c *Clock) Now() time.Time { return *c.now.Load() }

// Advance moves the clock.
func (c *Clock) Advance(d time.Duration) {
	later := c.Now().Add(d)
	c.now.Store(&later)
}

// Log collects log lines; it may be written to from any goroutine.
type Log struct {
	mu  sync.Mutex
	all bytes.Buffer
}

// Write implements io.Writer.
func (l *Log) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(line)
}

// String is everything that was logged.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.String()
}

// Fixture is a service in memory with one partner, "acme", and its live key.
type Fixture struct {
	Service        endpoint.Service
	Store          *Store
	Administration *partnerkey.Administration
	Metrics        *Recorder
	Clock          *Clock
	Log            *Log
	// Key is the text of the partner's live key.
	Key string
}

// Partner is the id of the fixture's partner.
const Partner = "acme"

// New makes a fixture. Its keys are the same in every run.
func New(t T) *Fixture {
	t.Helper()
	f := &Fixture{Store: NewStore(), Metrics: &Recorder{}, Clock: &Clock{}, Log: &Log{}}
	start := time.Date(2026, 11, 20, 12, 30, 45, 0, time.UTC)
	f.Clock.now.Store(&start)
	pepper := bytes.Repeat([]byte{7}, 32)
	f.Administration = partnerkey.NewAdministration(f.Store, pepper, f.Clock.Now, rand.NewChaCha8([32]byte{1}))
	if _, err := f.Administration.Create(context.Background(), Partner, "Acme", partnerkey.DefaultLimit); err != nil {
		t.Fatal(err)
	}
	f.Key = f.Issue(t, Partner, store.ModeLive)
	var ids atomic.Int64
	f.Service = endpoint.Service{
		Keys: partnerkey.NewKeyring(f.Store, pepper, f.Clock.Now), Meter: f.Store, Clock: f.Clock.Now, Metrics: f.Metrics,
		Log:   slog.New(slog.NewJSONHandler(f.Log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		NewID: func() string { return fmt.Sprintf("request-%d", ids.Add(1)) },
	}
	return f
}

// Issue makes another key.
func (f *Fixture) Issue(t T, partner, mode string) string {
	t.Helper()
	key, err := f.Administration.Issue(context.Background(), partner, mode, "test")
	if err != nil {
		t.Fatal(err)
	}
	return key.Reveal()
}
