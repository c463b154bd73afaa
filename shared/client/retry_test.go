package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/client"
)

// script answers one request after the other, in memory.
type script struct {
	answers []func() (*http.Response, error)
	at      []time.Duration // when each request came, since the first
	keys    []string
	bodies  []string
	began   time.Time
}

func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	if s.began.IsZero() {
		s.began = time.Now()
	}
	s.at = append(s.at, time.Since(s.began))
	s.keys = append(s.keys, r.Header.Get("Idempotency-Key"))
	body := ""
	if r.Body != nil {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		body = string(text)
	}
	s.bodies = append(s.bodies, body)
	if len(s.at) > len(s.answers) {
		return answer(200, "", `{"agentId":"ag_1"}`)()
	}
	return s.answers[len(s.at)-1]()
}

func answer(status int, retryAfter, body string) func() (*http.Response, error) {
	return func() (*http.Response, error) {
		header := http.Header{}
		if retryAfter != "" {
			header.Set("Retry-After", retryAfter)
		}
		return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body))}, nil
	}
}

func fails(err error) func() (*http.Response, error) {
	return func() (*http.Response, error) { return nil, err }
}

func scripted(s *script, more func(*client.Options)) *client.Client {
	options := client.Options{
		BaseURL: "https://api.example.com/v1", APIKey: testKey, HTTPClient: &http.Client{Transport: s},
		AuthHeaders: func(context.Context) (http.Header, error) { return http.Header{}, nil },
	}
	if more != nil {
		more(&options)
	}
	c, err := client.New(options)
	if err != nil {
		panic(err)
	}
	return c
}

// What fails for a while is asked again, not before the service wants it, as the same request under the same key.
func TestWhatFailsForAWhileIsAskedAgain(t *testing.T) {
	refusal := `{"error":"x","message":"y"}`
	broken := func() (*http.Response, error) {
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(io.MultiReader(strings.NewReader("{"), failing{}))}, nil
	}
	for what, c := range map[string]struct {
		first func() (*http.Response, error)
		least time.Duration
	}{
		"too many":       {answer(429, "5", refusal), 5 * time.Second},
		"down":           {answer(503, "10", refusal), 10 * time.Second},
		"a date":         {answer(503, time.Date(2000, 1, 1, 0, 0, 20, 0, time.UTC).Format(http.TimeFormat), refusal), 20 * time.Second},
		"in the body":    {answer(429, "", `{"error":"x","retryAfterSeconds":7}`), 7 * time.Second},
		"gateway":        {answer(502, "", "<html>"), 0},
		"late gateway":   {answer(504, "", ""), 0},
		"under way":      {answer(409, "1", refusal), time.Second},
		"reset":          {fails(syscall.ECONNRESET), 0},
		"broken off":     {broken, 0},
		"ends too early": {fails(io.ErrUnexpectedEOF), 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &script{answers: []func() (*http.Response, error){c.first, c.first}}
			agent, err := scripted(s, nil).CreateAgent(t.Context(), client.CreateAgentRequest{Venue: "v"})
			if err != nil || agent.AgentID != "ag_1" || len(s.at) != 3 {
				t.Fatalf("%s: %v after %d", what, err, len(s.at))
			}
			first := s.at[1]
			if first < max(c.least, 100*time.Millisecond) || first > c.least+time.Second {
				t.Errorf("%s: asked again after %v", what, first)
			}
			if s.keys[0] == "" || s.keys[1] != s.keys[0] || s.keys[2] != s.keys[0] || s.bodies[1] != s.bodies[0] || s.bodies[0] == "" {
				t.Errorf("%s: %q %q", what, s.keys, s.bodies)
			}
		})
	}
}

// failing is a body that breaks off.
type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, syscall.ECONNRESET }

func TestWhatCannotSucceedIsAskedOnce(t *testing.T) {
	for what, first := range map[string]func() (*http.Response, error){
		"bad request": answer(400, "", `{"error":"invalid_param","message":"m"}`), "unauthorized": answer(401, "", "{}"), "conflict": answer(409, "", `{"error":"agent_expired"}`),
		"internal": answer(500, "", `{"error":"internal"}`), "later than worth waiting": answer(503, "31", "{}"), "redirect": answer(307, "", ""), "not JSON": answer(200, "", "<html>"),
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &script{answers: []func() (*http.Response, error){first}}
			if _, err := scripted(s, nil).GetAgent(t.Context(), "ag_1"); err == nil || len(s.at) != 1 {
				t.Errorf("%s: %v after %d", what, err, len(s.at))
			}
		})
	}
}

func TestRepetitionsEnd(t *testing.T) {
	always := func(n int, first func() (*http.Response, error)) []func() (*http.Response, error) {
		all := make([]func() (*http.Response, error), n)
		for i := range all {
			all[i] = first
		}
		return all
	}
	for retries, want := range map[int]int{-1: 1, 0: 5, 2: 3, 40: 41} {
		synctest.Test(t, func(t *testing.T) {
			s := &script{answers: always(100, answer(503, "", "{}"))}
			_, err := scripted(s, func(o *client.Options) { o.Retries = retries }).ListVenues(t.Context())
			var refused *client.Error
			if !errors.As(err, &refused) || len(s.at) != want {
				t.Errorf("%d: %v after %d", retries, err, len(s.at))
			}
			for i := range s.at[1:] {
				if gap := s.at[i+1] - s.at[i]; gap > 8*time.Second || i >= 6 && gap < 4*time.Second {
					t.Errorf("%v between repetitions", gap)
				}
			}
		})
	}
	// By a context: at once where the wait would outlast it, and in the middle of a wait.
	synctest.Test(t, func(t *testing.T) {
		s := &script{answers: always(100, answer(503, "20", "{}"))}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		began := time.Now()
		var refused *client.Error
		if _, err := scripted(s, nil).ListVenues(ctx); !errors.As(err, &refused) || refused.RetryAfter != 20*time.Second || time.Since(began) != 0 || len(s.at) != 1 {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		ctx, cancel = context.WithCancel(t.Context())
		time.AfterFunc(5*time.Second, cancel)
		if _, err := scripted(s, nil).ListVenues(ctx); err == nil || time.Since(began) != 5*time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

// A transaction may be on its way for longer than a request is repeated.
func TestAnActivationWaitsForItsTransaction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		step := `{"status":"pending_activation","steps":[{"step":"a","kind":"sign_message","message":"x"}]}`
		s := &script{answers: []func() (*http.Response, error){answer(200, "", step)}}
		for range 30 {
			s.answers = append(s.answers, answer(409, "3", `{"error":"agent_state_conflict","message":"It is in no block yet."}`))
		}
		s.answers = append(s.answers, answer(200, "", `{"status":"active","steps":[]}`))
		wallet := &signer{}
		done, err := scripted(s, nil).Activate(client.WithIdempotencyKey(t.Context(), "mine"), "ag_1", wallet, client.ActivateOptions{})
		if err != nil || done.Status != "active" || len(wallet.signed) != 1 || s.at[len(s.at)-1] < 90*time.Second || s.keys[1] == "mine" {
			t.Errorf("%+v %v after %v", done, err, s.at)
		}
	})
}

func TestEveryPostHasItsOwnKeyOrTheOneGiven(t *testing.T) {
	s := &script{}
	c := scripted(s, nil)
	for range 3 {
		if _, err := c.CreateAgent(t.Context(), client.CreateAgentRequest{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.CreateAgent(client.WithIdempotencyKey(t.Context(), "order-17"), client.CreateAgentRequest{}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.GetAgent(t.Context(), "ag_1"); err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]bool)
	for _, key := range s.keys {
		if seen[key] {
			t.Errorf("%q is used twice", key)
		}
		seen[key] = true
	}
	if s.keys[3] != "order-17" || s.keys[4] != "" || len(s.keys[0]) != 32 {
		t.Errorf("%q", s.keys)
	}
}

// Keys go to the service and to nobody else.
func TestRedirectsAreNotFollowed(t *testing.T) {
	other := newDouble()
	defer other.Close()
	d, c := start(t, func(o *client.Options) { o.HTTPClient = &http.Client{} })
	d.trouble = func(w http.ResponseWriter, r *http.Request) bool {
		http.Redirect(w, r, other.base()+"/copy/agents/ag_1", http.StatusTemporaryRedirect)
		return true
	}
	if _, err := c.GetAgent(t.Context(), "ag_1"); err == nil || len(other.asked) != 0 {
		t.Errorf("%v %v", err, other.asked)
	}
}

func TestErrorsHoldNoKey(t *testing.T) {
	s := &script{answers: []func() (*http.Response, error){fails(errors.New("no route")), answer(500, "", "x")}}
	c := scripted(s, func(o *client.Options) { o.Retries = -1 })
	for range 2 {
		_, err := c.ListVenues(t.Context())
		if err == nil || strings.Contains(fmt.Sprintf("%v %+v", err, err), testKey) {
			t.Errorf("%v", err)
		}
	}
}
