package webhook_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/endpointtest"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/partnerkey"
	"github.com/mirrorworthy/mirrorworthy/shared/job"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/webhook"
)

// got is an attempt as a receiver sees it.
type got struct {
	host, id, body, signature string
	at                        time.Time // when it came
	signedAt                  int64     // what it says
}

// receiverOf answers an attempt: by a status, or as a transport does. The number counts the attempts of its id from 1.
type receiverOf func(r *http.Request, number int) (*http.Response, error)

// world is the service with its receivers in memory. In a bubble of testing/synctest its time is the bubble's.
type world struct {
	t         *testing.T
	fixture   *endpointtest.Fixture
	handler   http.Handler
	keys      map[string]string // by partner
	memory    *memory
	service   webhook.Service
	spread    job.Spread
	log       bytes.Buffer
	logLock   sync.Mutex
	mu        sync.Mutex
	receivers map[string]receiverOf // by host
	attempts  []got
	byID      map[string]int
	secrets   map[string][]string // by partner
	busiest   map[string]int      // attempts at once by host, "" for all
	busy      map[string]int
	reports   int
	// off is by how much the service's clock is wrong.
	off time.Duration
	// lag is what the job last told of it.
	lag atomic.Int64
}

// now is the time as the service sees it.
func (w *world) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Now().Add(w.off)
}

func newWorld(t *testing.T) *world {
	w := &world{
		t: t, memory: newMemory(), receivers: make(map[string]receiverOf), byID: make(map[string]int), secrets: make(map[string][]string),
		busy: make(map[string]int), busiest: make(map[string]int), keys: make(map[string]string),
	}
	var key [32]byte
	copy(key[:], "the key of all secrets, 32 bytes")
	w.service = webhook.Service{
		Webhooks: w.memory, Sealer: webhook.NewSealer(key, rand.Reader), Random: rand.Reader, Jitter: func() float64 { return 0.5 }, Clock: w.now,
		Sender: webhook.NewSender(w.now, webhook.SenderOptions{Transport: w}), Log: slog.New(slog.NewJSONHandler(w, nil)),
	}
	w.service.Lag = func(lag time.Duration) { w.lag.Store(int64(lag)) }
	w.spread = webhook.Deliver(w.service, w.memory)
	w.fixture = endpointtest.New(t)
	w.fixture.Service.Clock = w.now
	w.fixture.Service.Idempotency = struct{ store.Idempotency }{} // nobody sends a key
	w.handler = endpoint.NewHandler(w.fixture.Service, webhook.Endpoints(w.service)...)
	return w
}

// Write takes the lines of the log.
func (w *world) Write(line []byte) (int, error) {
	w.logLock.Lock()
	defer w.logLock.Unlock()
	return w.log.Write(line)
}

// RoundTrip hands an attempt to its receiver.
func (w *world) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	signedAt, err := strconv.ParseInt(r.Header.Get("webhook-timestamp"), 10, 64)
	if err != nil {
		w.t.Errorf("an attempt without its time: %v", r.Header)
	}
	a := got{
		host: r.URL.Host, id: r.Header.Get("webhook-id"), body: string(body), signature: r.Header.Get("webhook-signature"),
		at: w.now(), signedAt: signedAt,
	}
	w.mu.Lock()
	w.attempts = append(w.attempts, a)
	w.byID[a.host+a.id]++
	number, answer := w.byID[a.host+a.id], w.receivers[a.host]
	for _, whose := range []string{"", a.host} {
		w.busy[whose]++
		w.busiest[whose] = max(w.busiest[whose], w.busy[whose])
	}
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.busy[""]--
		w.busy[a.host]--
	}()
	if answer == nil {
		return status(200), nil
	}
	return answer(r, number)
}

func status(code int) *http.Response {
	return &http.Response{StatusCode: code, Header: http.Header{}, Body: http.NoBody}
}

// always answers by a status.
func always(code int) receiverOf {
	return func(*http.Request, int) (*http.Response, error) { return status(code), nil }
}

// ask asks an endpoint as a partner, wants the status, and reads the answer.
func (w *world) ask(partner, method, path string, body any, want int, answer any) {
	w.t.Helper()
	if w.keys[partner] == "" {
		if partner != endpointtest.Partner {
			if _, err := w.fixture.Administration.Create(context.Background(), partner, partner, partnerkey.DefaultLimit); err != nil {
				w.t.Fatal(err)
			}
		}
		w.keys[partner] = w.fixture.Issue(w.t, partner, store.ModeLive)
	}
	text := ""
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			w.t.Fatal(err)
		}
		text = string(encoded)
	}
	got := endpointtest.Call{Method: method, Path: path, Key: w.keys[partner], Body: text}.Do(w.t, w.handler)
	if got.Status != want {
		w.t.Fatalf("%s %s: %d %s", method, path, got.Status, got.Body)
	}
	if answer != nil {
		if err := json.Unmarshal([]byte(got.Body), answer, json.RejectUnknownMembers(true)); err != nil {
			w.t.Fatal(err)
		}
	}
}

// register makes a partner's webhook and notes its secret.
func (w *world) register(partner, url string, events ...string) webhook.Answer {
	w.t.Helper()
	return w.put(partner, url, false, events...)
}

func (w *world) put(partner, url string, rotate bool, events ...string) webhook.Answer {
	w.t.Helper()
	asked := map[string]any{"url": url}
	if len(events) > 0 {
		asked["events"] = events
	}
	if rotate {
		asked["rotateSecret"] = true
	}
	var answer webhook.Answer
	w.ask(partner, http.MethodPut, "/v1/webhooks", asked, http.StatusOK, &answer)
	if answer.Secret != "" {
		w.secrets[partner] = append(w.secrets[partner], answer.Secret)
	}
	return answer
}

func (w *world) get(partner string) webhook.Answer {
	w.t.Helper()
	var answer webhook.Answer
	w.ask(partner, http.MethodGet, "/v1/webhooks", nil, http.StatusOK, &answer)
	return answer
}

// say puts an event into the outbox.
func (w *world) say(partner, id, kind string) {
	w.t.Helper()
	at := time.Now().UTC()
	event := store.Event{ID: id, Type: kind, Partner: partner, At: at, Data: []byte(`{"name":"` + id + `"}`)}
	if err := w.memory.Add(context.Background(), store.Delivery{ID: id, Partner: partner, Event: event, DueAt: at, FirstDueAt: at}); err != nil {
		w.t.Fatal(err)
	}
}

// pass runs the job once, all parts side by side.
func (w *world) pass() (delivered int) {
	w.t.Helper()
	plan, err := w.spread.Plan(context.Background(), w.now())
	if err != nil {
		w.t.Fatal(err)
	}
	var parts sync.WaitGroup
	counts := make([]int, plan.Parts)
	for part := range plan.Parts {
		parts.Go(func() {
			report, err := w.spread.Part(context.Background(), w.now(), store.Pass{}, part)
			if err != nil {
				w.t.Error(err)
			}
			for _, done := range report {
				counts[part] += done.Items
			}
		})
	}
	parts.Wait()
	for _, count := range counts {
		delivered += count
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reports += delivered
	return delivered
}

// passes runs the job every minute for as long as it takes, or for a time. Minutes at which nothing is due are passed over.
func (w *world) passes(atMost time.Duration) {
	w.t.Helper()
	for until := time.Now().Add(atMost); time.Now().Before(until) && w.memory.left() > 0; {
		next := time.Now().Add(time.Minute)
		w.pass()
		if quiet := w.memory.next().Sub(w.now()); quiet > time.Minute {
			next = next.Add((quiet - time.Minute).Truncate(time.Minute))
		}
		if next.After(until) {
			next = until
		}
		if wait := time.Until(next); wait > 0 {
			time.Sleep(wait)
		}
	}
}

// check holds all attempts against what every attempt must be: of a webhook's own body, signed by each of its secrets at the time.
func (w *world) check(partnerAt map[string]string) {
	w.t.Helper()
	bodies := make(map[string]string)
	times := make(map[string][]int64)
	for _, a := range w.attempts {
		key := a.host + a.id
		if before, known := bodies[key]; known && before != a.body {
			w.t.Errorf("%s has the bodies %s and %s", a.id, before, a.body)
		}
		bodies[key] = a.body
		if a.signedAt != a.at.Unix() || slices.Contains(times[key], a.signedAt) {
			w.t.Errorf("%s is signed at %d, sent at %d, after attempts at %v", a.id, a.signedAt, a.at.Unix(), times[key])
		}
		times[key] = append(times[key], a.signedAt)
		secrets := w.secrets[partnerAt[a.host]]
		if err := verify(secrets[len(secrets)-1], a); err != nil {
			w.t.Errorf("%s: %v", a.id, err)
		}
		if len(a.body) >= 20_000 || a.id == "" || strings.Contains(a.id, ".") {
			w.t.Errorf("%s with %d bytes", a.id, len(a.body))
		}
	}
}

func verify(secret string, a got) error {
	verifier, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		return err
	}
	header := http.Header{}
	header.Set("webhook-id", a.id)
	header.Set("webhook-timestamp", fmt.Sprint(a.signedAt))
	header.Set("webhook-signature", a.signature)
	// That the time is the attempt's is checked apart: it is long ago when this is looked at.
	return verifier.VerifyIgnoringTimestamp([]byte(a.body), header)
}
