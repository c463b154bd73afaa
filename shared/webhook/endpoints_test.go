package webhook_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/mirrorworthy/mirrorworthy/shared/agent"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/endpointtest"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/webhook"
)

const acme = endpointtest.Partner

// refused sends a request that is refused, and reads why.
func (w *world) refused(method, path, body string, status int, code string) endpointtest.Problem {
	w.t.Helper()
	call := endpointtest.Call{Method: method, Path: path, Key: w.fixture.Key, Body: body}
	answer := call.Do(w.t, w.handler)
	return endpointtest.CheckRefusal(w.t, call, answer, status, code)
}

func TestEveryTypeOfEventCanBeSubscribedTo(t *testing.T) {
	want := []string{
		agent.EventActivated, agent.EventPaused, agent.EventResumed, agent.EventSessionExpiring, agent.EventExpired, agent.EventStopped,
		agent.EventExecutionExecuted, agent.EventExecutionPartial, agent.EventExecutionSkipped, agent.EventExecutionFailed, "leader.grade_changed",
	}
	if got := webhook.Types(); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestASecretIsShownOnceAndRotated(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		made := w.put(acme, "https://Hooks.Example.com:443/in", false, "execution.failed", "agent.paused", "agent.paused")
		raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(made.Secret, "whsec_"))
		if err != nil || len(raw) != 32 || !strings.HasPrefix(made.Secret, "whsec_") {
			t.Fatalf("%q: %v", made.Secret, err)
		}
		if made.URL != "https://hooks.example.com/in" || !slices.Equal(made.Events, []string{"agent.paused", "execution.failed"}) || made.Status != "active" ||
			made.CreatedAt != "2000-01-01T00:00:00Z" || made.ChangedAt != made.CreatedAt || len(made.Secrets) != 1 || made.Secrets[0].ExpiresAt != nil {
			t.Errorf("%+v", made)
		}
		time.Sleep(time.Hour)
		// The same again changes nothing but the time, and shows nothing.
		if again := w.put(acme, "https://hooks.example.com/in", false); again.Secret != "" || again.CreatedAt != made.CreatedAt || len(again.Secrets) != 1 ||
			!slices.Equal(again.Events, webhook.Types()) || again.ChangedAt != "2000-01-01T01:00:00Z" {
			t.Errorf("%+v", again)
		}
		rotated := w.put(acme, "https://hooks.example.com/in", true)
		if rotated.Secret == "" || rotated.Secret == made.Secret || len(rotated.Secrets) != 2 || rotated.Secrets[0].ExpiresAt != nil ||
			*rotated.Secrets[1].ExpiresAt != "2000-01-02T01:00:00Z" || rotated.Secrets[1].CreatedAt != made.CreatedAt {
			t.Errorf("%+v", rotated)
		}
		signedBy := func(want ...string) {
			t.Helper()
			var answer webhook.TestAnswer
			w.ask(acme, http.MethodPost, "/v1/webhooks/test", nil, http.StatusOK, &answer)
			last := w.attempts[len(w.attempts)-1]
			if !answer.Delivered || len(strings.Fields(last.signature)) != len(want) {
				t.Errorf("%+v %+v", answer, last)
			}
			for _, secret := range []string{made.Secret, rotated.Secret} {
				if err := verify(secret, last); (err == nil) != slices.Contains(want, secret) {
					t.Errorf("%+v: %v", last, err)
				}
			}
		}
		signedBy(rotated.Secret, made.Secret)
		time.Sleep(24*time.Hour - time.Second)
		signedBy(rotated.Secret, made.Secret)
		time.Sleep(time.Second)
		signedBy(rotated.Secret)
		if got := w.get(acme); got.Secret != "" || len(got.Secrets) != 1 {
			t.Errorf("%+v", got)
		}
	})
}

func TestOnlySoManySecretsSignAtATime(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		const body = `{"url":"https://hooks.example.com/","rotateSecret":true}`
		for range 4 {
			w.put(acme, "https://hooks.example.com/", true)
			time.Sleep(time.Hour)
		}
		problem := w.refused(http.MethodPut, "/v1/webhooks", body, http.StatusTooManyRequests, "rate_limited")
		// The first was rotated out after one of the four hours.
		if problem.RetryAfterSeconds != 21*3600 || len(w.get(acme).Secrets) != 4 {
			t.Errorf("%+v", problem)
		}
		time.Sleep(21 * time.Hour)
		if got := w.put(acme, "https://hooks.example.com/", true); len(got.Secrets) != 4 || got.Secret == "" {
			t.Errorf("%+v", got)
		}
		// To delete it is to forget them all at once.
		w.ask(acme, http.MethodDelete, "/v1/webhooks", nil, http.StatusOK, nil)
		if got := w.put(acme, "https://hooks.example.com/", false); len(got.Secrets) != 1 || got.Secret == "" || got.CreatedAt != "2000-01-02T01:00:00Z" {
			t.Errorf("%+v", got)
		}
	})
}

func TestAWebhookIsItsPartnersAlone(t *testing.T) {
	w := newWorld(t)
	w.put(acme, "https://hooks.example.com/", false)
	w.put("other", "https://other.example.com/", false)
	if got := w.get(acme); got.URL != "https://hooks.example.com/" {
		t.Errorf("%+v", got)
	}
	var removed webhook.RemovedAnswer
	for _, want := range []bool{true, false} {
		w.ask("other", http.MethodDelete, "/v1/webhooks", nil, http.StatusOK, &removed)
		if removed.Removed != want {
			t.Errorf("%+v", removed)
		}
	}
	w.ask("other", http.MethodGet, "/v1/webhooks", nil, http.StatusNotFound, nil)
	w.ask("other", http.MethodPost, "/v1/webhooks/test", nil, http.StatusNotFound, nil)
	if got := w.get(acme); got.URL != "https://hooks.example.com/" {
		t.Errorf("%+v", got)
	}
	if kept := string(w.memory.webhooks["other"].Data); strings.Contains(kept, "example") || strings.Contains(kept, "sealed") {
		t.Errorf("of what was removed %s is kept", kept)
	}
}

func TestRequestsAreRefusedAsEverywhere(t *testing.T) {
	w := newWorld(t)
	endpointtest.Refusals(t, w.handler, webhook.Endpoints(w.service), w.fixture.Key, func() int { return len(w.attempts) })
	for body, parameter := range map[string]string{
		`{"url":"http://hooks.example.com/"}`: "url", `{"url":"https://127.0.0.1/"}`: "url", `{"url":"https://localhost/"}`: "url", `{"url":""}`: "url",
		`{"url":"https://hooks.example.com/` + strings.Repeat("a", 2048) + `"}`: "url",
		`{"url":"https://hooks.example.com/","events":[]}`:                      "events", `{"url":"https://hooks.example.com/","events":["webhook.test"]}`: "events",
	} {
		if problem := w.refused(http.MethodPut, "/v1/webhooks", body, http.StatusBadRequest, "invalid_param"); problem.Parameter != parameter {
			t.Errorf("%s: %+v", body, problem)
		}
	}
	problem := w.refused(http.MethodPut, "/v1/webhooks", `{"url":"https://hooks.example.com/","events":["agent.deleted"]}`, http.StatusBadRequest, "invalid_param")
	for _, kind := range webhook.Types() {
		if !strings.Contains(problem.Message, kind) {
			t.Errorf("%s does not name %s", problem.Message, kind)
		}
	}
	if len(w.memory.webhooks) != 0 {
		t.Error("a refused request changed something")
	}
	for _, e := range webhook.Endpoints(w.service) {
		if e.Units != 1 {
			t.Errorf("%s costs %d", e.Name, e.Units)
		}
	}
}

func TestATestTellsWhatBecameOfIt(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.put(acme, "https://hooks.example.com/in", false)
		for what, c := range map[string]struct {
			receiver receiverOf
			want     webhook.TestAnswer
		}{
			"fine": {func(*http.Request, int) (*http.Response, error) {
				time.Sleep(1500 * time.Millisecond)
				return status(202), nil
			},
				webhook.TestAnswer{Delivered: true, Status: new(202), DurationMs: 1500, Reason: "It answered with status 202."}},
			"redirect": {always(307), webhook.TestAnswer{Status: new(307), Reason: "It answered with status 307. Redirects are not followed: register the URL that it leads to."}},
			"gone":     {always(410), webhook.TestAnswer{Status: new(410), Reason: "It answered with status 410, which says that nobody listens there anymore."}},
			"broken": {func(*http.Request, int) (*http.Response, error) {
				answer := status(500)
				answer.Body = io.NopCloser(strings.NewReader("canary"))
				return answer, nil
			}, webhook.TestAnswer{Status: new(500), Reason: "It answered with status 500. Only 200 to 299 count as delivered."}},
			"silent": {func(r *http.Request, _ int) (*http.Response, error) { return hang(r) },
				webhook.TestAnswer{DurationMs: 3000, Reason: "It did not answer within 3 seconds. Events are given 15."}},
			"unreachable": {func(*http.Request, int) (*http.Response, error) { return nil, errors.New("canary") },
				webhook.TestAnswer{Reason: "The connection broke before there was an answer."}},
		} {
			w.receivers["hooks.example.com"] = c.receiver
			var got webhook.TestAnswer
			w.ask(acme, http.MethodPost, "/v1/webhooks/test", nil, http.StatusOK, &got)
			if g, want := encoded(t, got), encoded(t, c.want); g != want {
				t.Errorf("%s: %s, want %s", what, g, want)
			}
		}
		ids := make(map[string]bool)
		for _, a := range w.attempts {
			if a.body != `{"type":"webhook.test","timestamp":"`+a.at.UTC().Format(time.RFC3339)+`","data":{"message":"This is a test. Nothing happened."}}` || ids[a.id] {
				t.Errorf("%+v", a)
			}
			ids[a.id] = true
		}
		// It changes nothing, and what is disabled can be tried as well.
		if got := w.get(acme); got.Status != "active" || got.FailingSinceAt != nil || w.memory.left() != 0 {
			t.Errorf("%+v", got)
		}
		w.receivers["hooks.example.com"] = always(410)
		w.say(acme, "evt_1", "agent.paused")
		w.pass()
		w.receivers["hooks.example.com"] = nil
		var got webhook.TestAnswer
		w.ask(acme, http.MethodPost, "/v1/webhooks/test", map[string]any{}, http.StatusOK, &got)
		if !got.Delivered || w.get(acme).Status != "disabled" {
			t.Errorf("%+v", got)
		}
	})
}

func encoded(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Others change the webhook at the same time; the store fails.
func TestAChangeIsMadeAgainWhenOthersWereFaster(t *testing.T) {
	w := newWorld(t)
	w.put(acme, "https://hooks.example.com/", false)
	conflicts := 0
	w.memory.fail = func(step string) error {
		if step == "Put" && conflicts > 0 {
			conflicts--
			return fmt.Errorf("somebody else: %w", store.ErrConflict)
		}
		return nil
	}
	conflicts = 7
	if got := w.put(acme, "https://hooks.example.com/", true); len(got.Secrets) != 2 {
		t.Errorf("%+v", got)
	}
	conflicts = 8
	w.refused(http.MethodPut, "/v1/webhooks", `{"url":"https://new.example.com/"}`, http.StatusServiceUnavailable, "provider_unavailable")
	w.memory.fail = func(string) error { return errors.New("down") }
	w.refused(http.MethodGet, "/v1/webhooks", "", http.StatusServiceUnavailable, "provider_unavailable")
	w.refused(http.MethodDelete, "/v1/webhooks", "", http.StatusServiceUnavailable, "provider_unavailable")
	w.refused(http.MethodPost, "/v1/webhooks/test", "", http.StatusServiceUnavailable, "provider_unavailable")
	w.memory.fail = nil
	if got := w.get(acme); got.URL != "https://hooks.example.com/" || len(got.Secrets) != 2 {
		t.Errorf("%+v", got)
	}
}
