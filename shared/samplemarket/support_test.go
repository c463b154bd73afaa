package samplemarket

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"
)

// testSeed makes a market in which sixty days bring some of everything.
const testSeed = 7

// shared is one market that reading tests use together: sixty days of history.
var shared = sync.OnceValue(func() *Market {
	return New(Config{Seed: testSeed, Start: testStart, Clock: func() time.Time { return testStart.Add(60 * 24 * time.Hour) }})
})

var testStart = time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)

// get asks a market and returns the status and the body.
func get(t failing, m *Market, path string) (int, string) {
	t.Helper()
	recorder := httptest.NewRecorder()
	m.Handler().ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, path, nil))

	return recorder.Code, recorder.Body.String()
}

// rpc calls a chain's node and returns the body.
func rpc(t failing, m *Market, chain, call string) string {
	t.Helper()
	recorder := httptest.NewRecorder()
	m.Handler().ServeHTTP(recorder, httptest.NewRequest(http.MethodPost, "/rpc/"+chain, strings.NewReader(call)))
	return recorder.Body.String()
}

// failing is what tests, benchmarks and properties have in common.
type failing interface {
	Helper()
	Fatal(args ...any)
}

func secondsOf(n int32) time.Duration { return time.Duration(n) * time.Second }

// clockAt is a clock that stands still.
func clockAt(now time.Time) func() time.Time { return func() time.Time { return now } }
