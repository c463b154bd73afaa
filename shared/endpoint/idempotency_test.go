package endpoint_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/endpointtest"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/store/embedded"
)

var word = endpoint.Text("word", "A word.", 1, 20)

// made is an operation that makes something each time it is done, and tells its number and its name.
type made struct {
	times  atomic.Int64
	before func(ctx context.Context, r *endpoint.Request) error
	names  sync.Map
}

func (m *made) endpoint() endpoint.Endpoint {
	type answer struct {
		Number    int64  `json:"number"`
		Operation string `json:"operation"`
	}
	return endpoint.Operation(endpoint.Declaration{
		Name: "make", Units: 1, Status: http.StatusCreated, Idempotent: true, Parameters: []endpoint.Parameter{word},
		Check: func(_ context.Context, r *endpoint.Request) error {
			if wallet := r.Header.Get("Wallet"); wallet != "" {
				r.Wallet = chain.Address{wallet[0]}
			}
			return nil
		},
	}, func(ctx context.Context, r *endpoint.Request) (answer, error) {
		if m.before != nil {
			if err := m.before(ctx, r); err != nil {
				return answer{}, err
			}
		}
		m.names.Store(r.Operation, true)
		return answer{m.times.Add(1), r.Operation}, nil
	})
}

// brittleKeys keeps requests in a real store that can be told to fail.
type brittleKeys struct {
	store.Idempotency
	begin, answer error
}

func (f *brittleKeys) Begin(ctx context.Context, r store.KeyedRequest) (store.KeyedRequest, bool, error) {
	if f.begin != nil {
		return store.KeyedRequest{}, false, f.begin
	}
	return f.Idempotency.Begin(ctx, r)
}

func (f *brittleKeys) Answer(ctx context.Context, partner, key, token string, status int, answer []byte) error {
	if f.answer != nil {
		return f.answer
	}
	return f.Idempotency.Answer(ctx, partner, key, token, status, answer)
}

func startMaking(t *testing.T) (http.Handler, *endpointtest.Fixture, *made, *brittleKeys) {
	t.Helper()
	f := endpointtest.New(t)
	engine, err := embedded.Open(filepath.Join(t.TempDir(), "store.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	kept := &brittleKeys{Idempotency: engine.Idempotency()}
	f.Service.Idempotency = kept
	var operations atomic.Int64
	f.Service.NewOperation = func() string { return fmt.Sprintf("%032x", operations.Add(1)) }
	m := &made{}
	return endpointtest.Undocumented{Handler: endpoint.NewHandler(f.Service, m.endpoint())}, f, m, kept
}

func keyed(f *endpointtest.Fixture, key, body string) call {
	return call{Method: http.MethodPost, Path: "/v1/make", Key: f.Key, Body: body, Header: http.Header{"Idempotency-Key": {key}}}
}

func TestARepeatedRequestIsDoneOnce(t *testing.T) {
	handler, f, m, _ := startMaking(t)
	first := keyed(f, "a-key", `{"word":"x"}`).Do(t, handler)
	if first.Status != http.StatusCreated || !strings.HasPrefix(first.Body, `{"number":1,`) || first.Header.Get("Idempotent-Replayed") != "" {
		t.Fatal(first)
	}
	f.Clock.Advance(40 * time.Hour)
	for _, again := range []call{keyed(f, "a-key", `{"word":"x"}`), keyed(f, `"a-key"`, "\n{\"word\":\"x\"} "), {Method: http.MethodPost, Path: "/api/v1/make", Key: f.Key, Body: `{"word":"x"}`, Header: http.Header{"Idempotency-Key": {"a-key"}}}} {
		got := again.Do(t, handler)
		if got.Status != first.Status || got.Body != first.Body || got.Header.Get("Idempotent-Replayed") != "true" || got.Header.Get("X-Usage-Units") != "1" {
			t.Errorf("%+v: %+v", again, got)
		}
	}
	// Another body, another wallet and another endpoint's are other requests.
	wallet := keyed(f, "a-key", `{"word":"x"}`)
	wallet.Header.Set("Wallet", "w")
	for _, other := range []call{keyed(f, "a-key", `{"word":"y"}`), keyed(f, "a-key", ""), wallet} {
		got := other.Do(t, handler)
		if got.Status != http.StatusConflict || got.Problem(t).Error != "idempotency_conflict" || got.Header.Get("X-Usage-Units") != "0" {
			t.Errorf("%+v: %+v", other, got)
		}
	}
	if m.times.Load() != 1 {
		t.Errorf("done %d times", m.times.Load())
	}
	// Without a key, and under another, it is done again; so it is for another partner.
	if _, err := f.Administration.Create(t.Context(), "other", "Other", store.Limit{PerMinute: 100, Burst: 100}); err != nil {
		t.Fatal(err)
	}
	theirs := keyed(f, "a-key", `{"word":"x"}`)
	theirs.Key = f.Issue(t, "other", store.ModeLive)
	for n, fresh := range []call{post("/v1/make", f.Key, `{"word":"x"}`), keyed(f, "b-key", `{"word":"x"}`), theirs} {
		if got := fresh.Do(t, handler); got.Status != http.StatusCreated || m.times.Load() != int64(n+2) {
			t.Errorf("%+v: %+v", fresh, got)
		}
	}
}

func TestBadIdempotencyKeys(t *testing.T) {
	handler, f, m, _ := startMaking(t)
	for _, key := range []string{"", `""`, "a b", "a\tb", "ключ", `a"b`, `a\b`, "\x7f", strings.Repeat("k", 256)} {
		got := keyed(f, key, "").Do(t, handler)
		if got.Status != http.StatusBadRequest || got.Problem(t).Error != "invalid_param" || got.Problem(t).Parameter != "Idempotency-Key" {
			t.Errorf("%q: %+v", key, got)
		}
	}
	two := keyed(f, "a", "")
	two.Header["Idempotency-Key"] = []string{"a", "b"}
	if got := two.Do(t, handler); got.Status != http.StatusBadRequest {
		t.Error(got)
	}
	if m.times.Load() != 0 {
		t.Error("something was done")
	}
	if got := keyed(f, strings.Repeat("k", 255), "").Do(t, handler); got.Status != http.StatusCreated {
		t.Error(got)
	}
}

// Of requests at once under one key one is done; the others are told to wait, or get its answer.
func TestRequestsAtOnceUnderOneKey(t *testing.T) {
	handler, f, m, _ := startMaking(t)
	var others sync.WaitGroup
	answers := make([]endpointtest.Answer, 16)
	for i := range answers {
		others.Go(func() { answers[i] = keyed(f, "k", "").Do(t, handler) })
	}
	others.Wait()
	created := 0
	for _, got := range answers {
		switch got.Status {
		case http.StatusCreated:
			created++
		case http.StatusConflict:
			if got.Problem(t).Error != "idempotency_conflict" || got.Header.Get("Retry-After") != "1" {
				t.Error(got)
			}
		default:
			t.Error(got)
		}
	}
	if created == 0 || m.times.Load() != 1 {
		t.Errorf("%d created, done %d times", created, m.times.Load())
	}
}

// A refusal changed nothing: the key is free. What was cut short keeps its name, so that who goes on makes the same thing.
func TestWhatFailsUnderAKey(t *testing.T) {
	handler, f, m, kept := startMaking(t)
	m.before = func(context.Context, *endpoint.Request) error { return endpoint.Invalid("word", "Not this one.") }
	if got := keyed(f, "k", "").Do(t, handler); got.Status != http.StatusBadRequest {
		t.Error(got)
	}
	var cut string
	m.before = func(_ context.Context, r *endpoint.Request) error {
		cut = r.Operation
		return errors.New("the machine broke")
	}
	if got := keyed(f, "k", "").Do(t, handler); got.Status != http.StatusInternalServerError {
		t.Error(got)
	}
	m.before = nil
	if got := keyed(f, "k", "").Do(t, handler); got.Status != http.StatusConflict || got.Header.Get("Retry-After") != "1" {
		t.Errorf("while its lease lasts: %+v", got)
	}
	f.Clock.Advance(20 * time.Second)
	kept.answer = errors.New("the store broke")
	done := keyed(f, "k", "").Do(t, handler)
	if done.Status != http.StatusCreated || !strings.Contains(done.Body, cut) {
		t.Errorf("%+v, want the operation %s", done, cut)
	}
	// Its answer could not be kept; the next one to ask goes on with the same operation, which it can find done.
	kept.answer = nil
	f.Clock.Advance(20 * time.Second)
	if again := keyed(f, "k", "").Do(t, handler); again.Status != http.StatusCreated || !strings.Contains(again.Body, cut) {
		t.Errorf("%+v, want the operation %s", again, cut)
	}
	// Where keys cannot be kept nothing is done.
	before := m.times.Load()
	kept.begin = errors.New("the store is down")
	if got := keyed(f, "new", "").Do(t, handler); got.Status != http.StatusServiceUnavailable || got.Header.Get("Retry-After") == "" || m.times.Load() != before {
		t.Error(got)
	}
}

// Where nobody keeps keys, an endpoint that takes them cannot be served.
func TestIdempotentEndpointsNeedAStore(t *testing.T) {
	f := endpointtest.New(t)
	defer func() {
		if recover() == nil {
			t.Error("served")
		}
	}()
	endpoint.NewHandler(f.Service, (&made{}).endpoint())
}
