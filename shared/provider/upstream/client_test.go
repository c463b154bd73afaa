package upstream_test

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

const secret = "s3cr3t-key"

type answer struct {
	Answer string `json:"answer"`
}

type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(request *http.Request) (*http.Response, error) { return t(request) }

func reply(status int, body string, header ...string) *http.Response {
	response := &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
	for i := 0; i+1 < len(header); i += 2 {
		response.Header.Set(header[i], header[i+1])
	}
	return response
}

func newClient(shared upstream.Shared, change func(*upstream.Config)) *upstream.Client {
	config := upstream.Config{Name: "sample", Base: "http://host.invalid/" + secret, PerMinute: 60_000, Burst: 1000, Concurrency: 64}
	if change != nil {
		change(&config)
	}
	return upstream.New(config, shared)
}

func TestAnAnswerIsDecoded(t *testing.T) {
	var seen *http.Request
	var body string
	c := newClient(upstream.Shared{Transport: transport(func(r *http.Request) (*http.Response, error) {
		seen = r
		if r.Body != nil {
			sent, _ := io.ReadAll(r.Body)
			body = string(sent)
		}
		return reply(200, `{"answer":"yes","more":1}`), nil
	})}, func(config *upstream.Config) { config.Header = http.Header{"x-api-key": {"k"}} })
	got, err := upstream.Get(t.Context(), c, "/path", url.Values{"b": {"2"}, "a": {"1 2"}}, upstream.JSON[answer])
	if err != nil || got.Answer != "yes" {
		t.Fatal(got, err)
	}
	if seen.URL.String() != "http://host.invalid/"+secret+"/path?a=1+2&b=2" || seen.Header.Get("X-Api-Key") != "k" || seen.Method != "GET" {
		t.Fatal(seen.URL, seen.Header)
	}
	if _, err = upstream.Post(t.Context(), c, "", []byte(`{"q":1}`), upstream.JSON[answer]); err != nil {
		t.Fatal(err)
	}
	if seen.Method != "POST" || body != `{"q":1}` || seen.Header.Get("Content-Type") != "application/json" {
		t.Fatal(seen.Method, body, seen.Header)
	}
}

func TestClientErrorsOfTheQuestionReachTheDecoder(t *testing.T) {
	for _, status := range []int{400, 401, 403, 404, 422} {
		calls := 0
		c := newClient(upstream.Shared{Transport: transport(func(*http.Request) (*http.Response, error) {
			calls++
			return reply(status, "nothing known"), nil
		})}, nil)
		got, err := upstream.Get(t.Context(), c, "/x", nil, func(r *upstream.Response) (int, error) { return r.Status, nil })
		if err != nil || got != status || calls != 1 {
			t.Fatalf("status %d: got %d, %v after %d calls", status, got, err, calls)
		}
	}
}

// Faults that a server or network can produce, over real connections.
func TestFaultsAreUnavailableAndTellNoSecrets(t *testing.T) {
	bomb := func(w http.ResponseWriter) {
		w.Header().Set("Content-Encoding", "gzip")
		zip := gzip.NewWriter(w)
		block := []byte(strings.Repeat(" ", 1<<16))
		for range 512 {
			if _, err := zip.Write(block); err != nil {
				return
			}
		}
		zip.Close()
	}
	cases := map[string]struct {
		calls int32
		serve func(http.ResponseWriter, *http.Request)
	}{
		"hang":              {8, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }},
		"500":               {8, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }},
		"502 page":          {8, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(502); io.WriteString(w, "<html>") }},
		"429":               {8, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(429) }},
		"page with 200":     {8, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<!DOCTYPE html><html></html>") }},
		"empty":             {8, func(http.ResponseWriter, *http.Request) {}},
		"cut JSON":          {8, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"answer":"ye`) }},
		"two values":        {8, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"answer":"a"}{"answer":"b"}`) }},
		"NaN":               {8, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"answer":NaN}`) }},
		"wrong shape":       {1, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `["answer"]`) }},
		"moved":             {1, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", 307) }},
		"too large":         {1, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `"`+strings.Repeat("a", 1<<20)+`"`) }},
		"compression bomb":  {1, func(w http.ResponseWriter, _ *http.Request) { bomb(w) }},
		"not found for all": {1, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) }},
		"truncated": {8, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, `{"answer":"yes"}`)
		}},
		"reset": {8, func(w http.ResponseWriter, _ *http.Request) {
			connection, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				connection.Close()
			}
		}},
		"drip": {8, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "1000")
			tick := time.NewTicker(5 * time.Millisecond)
			defer tick.Stop()
			for {
				select {
				case <-r.Context().Done():
					return
				case <-tick.C:
					io.WriteString(w, " ")
					w.(http.Flusher).Flush()
				}
			}
		}},
	}
	// All at once, however few processors there are: every case waits between its attempts.
	var all sync.WaitGroup
	for name, fault := range cases {
		check := func(t *testing.T) {
			var calls atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				calls.Add(1)
				fault.serve(w, r)
			}))
			defer server.Close()
			var observed atomic.Int32
			c := newClient(upstream.Shared{
				Transport: &http.Transport{},
				Random:    func() float64 { return 0 },
				Observe: func(call upstream.Call) {
					if call.Err != nil {
						observed.Add(1)
					}
				},
			}, func(config *upstream.Config) {
				config.Base, config.Timeout, config.MaximumBytes = server.URL+"/"+secret, 60*time.Millisecond, 1<<16
				if fault.calls == 1 {
					config.Timeout = 5 * time.Second
				}
			})
			_, err := upstream.Get(t.Context(), c, "/path", url.Values{"apikey": {secret}}, upstream.JSON[answer])
			if !errors.Is(err, market.ErrUnavailable) {
				t.Fatalf("got %v", err)
			}
			if strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), server.URL) {
				t.Fatalf("tells too much: %v", err)
			}
			if !strings.Contains(err.Error(), "sample") || !strings.Contains(err.Error(), "/path") {
				t.Fatalf("tells too little: %v", err)
			}
			if calls.Load() != fault.calls || observed.Load() != fault.calls {
				t.Fatalf("%d calls, %d observed, want %d", calls.Load(), observed.Load(), fault.calls)
			}
		}
		all.Go(func() { t.Run(name, check) })
	}
	all.Wait()
}

func TestAFailureIsFollowedByTheGoodAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		c := newClient(upstream.Shared{Transport: transport(func(*http.Request) (*http.Response, error) {
			if calls++; calls < 3 {
				return nil, errors.New("connection reset")
			}
			return reply(200, `{"answer":"yes"}`), nil
		})}, nil)
		if got, err := upstream.Get(t.Context(), c, "/x", nil, upstream.JSON[answer]); err != nil || got.Answer != "yes" || calls != 3 {
			t.Fatal(got, err, calls)
		}
	})
}

func TestRetryAfterIsKept(t *testing.T) {
	for name, header := range map[string]func(time.Time) string{
		"seconds": func(time.Time) string { return "7" },
		"date":    func(now time.Time) string { return now.Add(7 * time.Second).UTC().Format(http.TimeFormat) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				refusedAt := time.Now()
				var refused atomic.Bool
				var calls atomic.Int32
				c := newClient(upstream.Shared{Transport: transport(func(r *http.Request) (*http.Response, error) {
					calls.Add(1)
					if refused.CompareAndSwap(false, true) {
						return reply(429, "{}", "Retry-After", header(refusedAt)), nil
					}
					if early := time.Until(refusedAt.Add(7 * time.Second)); early > 0 {
						t.Errorf("%s asked %v too early", r.URL.Path, early)
					}
					return reply(200, `{}`), nil
				})}, nil)
				var all sync.WaitGroup
				all.Go(func() {
					ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
					defer cancel()
					if _, err := upstream.Get(ctx, c, "/refused", nil, upstream.JSON[answer]); err != nil {
						t.Error(err)
					}
				})
				synctest.Wait()
				// Another question waits as well; one without the time to wait fails at once, without a call.
				all.Go(func() {
					ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
					defer cancel()
					if _, err := upstream.Get(ctx, c, "/other", nil, upstream.JSON[answer]); err != nil {
						t.Error(err)
					}
				})
				begun := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
				defer cancel()
				_, err := upstream.Get(ctx, c, "/hasty", nil, upstream.JSON[answer])
				if !errors.Is(err, market.ErrUnavailable) || time.Since(begun) != 0 {
					t.Errorf("got %v after %v", err, time.Since(begun))
				}
				all.Wait()
				if calls.Load() != 3 {
					t.Errorf("%d calls", calls.Load())
				}
			})
		})
	}
}

func TestAPauseBeyondTheDeadlineIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClient(upstream.Shared{Transport: transport(func(*http.Request) (*http.Response, error) {
			return reply(503, "", "Retry-After", "30"), nil
		})}, nil)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		begun := time.Now()
		_, err := upstream.Get(ctx, c, "/x", nil, upstream.JSON[answer])
		var failure *upstream.Error
		if !errors.As(err, &failure) || failure.RetryAfter != 30*time.Second || failure.Status != 503 || time.Since(begun) != 0 {
			t.Fatalf("got %v after %v", err, time.Since(begun))
		}
	})
}

func TestTheBreakerOpensAndProbesOnceASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls, healthy atomic.Int32
		c := newClient(upstream.Shared{Transport: transport(func(*http.Request) (*http.Response, error) {
			calls.Add(1)
			if healthy.Load() == 1 {
				return reply(200, `{"answer":"yes"}`), nil
			}
			return reply(500, ""), nil
		})}, nil)
		get := func() error {
			_, err := upstream.Get(t.Context(), c, "/x", nil, upstream.JSON[answer])
			return err
		}
		for range 20 {
			if err := get(); !errors.Is(err, market.ErrUnavailable) {
				t.Fatal(err)
			}
		}
		if calls.Load() > 10 {
			t.Fatalf("%d calls before the breaker opened", calls.Load())
		}
		// Twenty questions a second for ten seconds: one probe a second.
		before := calls.Load()
		for range 200 {
			_ = get()
			time.Sleep(50 * time.Millisecond)
		}
		if probes := calls.Load() - before; probes > 10 || probes < 5 {
			t.Fatalf("%d probes in ten seconds", probes)
		}
		healthy.Store(1)
		time.Sleep(time.Second)
		for range 3 {
			if err := get(); err != nil {
				t.Fatalf("not closed again: %v", err)
			}
		}
	})
}

func TestUnreadableAnswersOpenTheBreakerAndOtherDecodingErrorsDoNot(t *testing.T) {
	for name, test := range map[string]struct {
		err  error
		most int
	}{"shape": {nil, 10}, "marked": {upstream.ErrUnreadable, 10}, "the provider's word": {errors.New("execution reverted"), 50}} {
		calls := 0
		c := newClient(upstream.Shared{Transport: transport(func(*http.Request) (*http.Response, error) {
			calls++
			return reply(200, `[]`), nil
		})}, nil)
		for range 50 {
			_, err := upstream.Get(t.Context(), c, "/x", nil, func(r *upstream.Response) (answer, error) {
				if test.err != nil {
					return answer{}, test.err
				}
				return upstream.JSON[answer](r)
			})
			if !errors.Is(err, market.ErrUnavailable) {
				t.Fatal(name, err)
			}
		}
		if calls > test.most || (test.most == 50 && calls != 50) {
			t.Fatalf("%s: %d calls", name, calls)
		}
	}
}

func TestExamineMakesAGoodStatusAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		c := newClient(upstream.Shared{Transport: transport(func(*http.Request) (*http.Response, error) {
			if calls++; calls == 1 {
				return reply(200, `{"code":4029}`), nil
			}
			return reply(200, `{"code":1,"answer":"yes"}`), nil
		})}, func(config *upstream.Config) {
			config.Examine = func(r *upstream.Response) error {
				if strings.Contains(string(r.Body), "4029") {
					return errors.New("rate limit")
				}
				return nil
			}
		})
		if got, err := upstream.Get(t.Context(), c, "/x", nil, upstream.JSON[answer]); err != nil || got.Answer != "yes" || calls != 2 {
			t.Fatal(got, err, calls)
		}
	})
}

func TestAPanicOverAnAnswerIsAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		c := newClient(upstream.Shared{Transport: transport(func(*http.Request) (*http.Response, error) {
			calls++
			return reply(200, `{"answer":"yes"}`), nil
		})}, func(config *upstream.Config) {
			config.Concurrency = 1
			config.Examine = func(*upstream.Response) error {
				if calls == 1 {
					panic("index out of range")
				}
				return nil
			}
		})
		if _, err := upstream.Get(t.Context(), c, "/x", nil, upstream.JSON[answer]); !errors.Is(err, market.ErrUnavailable) || calls != 1 {
			t.Fatal(err, calls)
		}
		if got, err := upstream.Get(t.Context(), c, "/x", nil, upstream.JSON[answer]); err != nil || got.Answer != "yes" {
			t.Fatal("the room was not given back:", got, err)
		}
	})
}

func TestTheRateLimitWaitsAndFailsFast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var times []time.Time
		c := newClient(upstream.Shared{Transport: transport(func(*http.Request) (*http.Response, error) {
			times = append(times, time.Now())
			return reply(200, `{}`), nil
		})}, func(config *upstream.Config) { config.PerMinute, config.Burst = 60, 2 })
		begun := time.Now()
		for range 5 {
			if _, err := upstream.Get(t.Context(), c, "/x", nil, upstream.JSON[answer]); err != nil {
				t.Fatal(err)
			}
		}
		if waited := times[4].Sub(begun); waited != 3*time.Second {
			t.Fatalf("the fifth call went after %v, want 3s: two at once, then one a second", waited)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		begun = time.Now()
		if _, err := upstream.Get(ctx, c, "/x", nil, upstream.JSON[answer]); !errors.Is(err, market.ErrUnavailable) || time.Since(begun) != 0 {
			t.Fatalf("got %v after %v", err, time.Since(begun))
		}
	})
}

func TestConcurrencyIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int32
		c := newClient(upstream.Shared{Transport: transport(func(*http.Request) (*http.Response, error) {
			most.Store(max(most.Load(), now.Add(1)))
			time.Sleep(time.Millisecond)
			now.Add(-1)
			return reply(200, `{}`), nil
		})}, func(config *upstream.Config) { config.Concurrency = 3 })
		var all sync.WaitGroup
		for i := range 30 {
			all.Go(func() {
				if _, err := upstream.Get(t.Context(), c, "/"+string(rune('a'+i)), nil, upstream.JSON[answer]); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if most.Load() != 3 {
			t.Fatalf("%d at once", most.Load())
		}
	})
}

func TestOneFlightForTheSameQuestionWhoeverGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int32
		c := newClient(upstream.Shared{Transport: transport(func(r *http.Request) (*http.Response, error) {
			calls.Add(1)
			select {
			case <-time.After(time.Second):
				return reply(200, `{"answer":"yes"}`), nil
			case <-r.Context().Done():
				return nil, r.Context().Err()
			}
		})}, nil)
		leaving, leave := context.WithCancelCause(t.Context())
		reason := errors.New("the caller went home")
		var all sync.WaitGroup
		all.Go(func() {
			_, err := upstream.Get(leaving, c, "/x", url.Values{"a": {"1"}}, upstream.JSON[answer])
			if !errors.Is(err, reason) || errors.Is(err, market.ErrUnavailable) {
				t.Errorf("the one who left got %v", err)
			}
		})
		synctest.Wait()
		for range 10 {
			all.Go(func() {
				got, err := upstream.Get(t.Context(), c, "/x", url.Values{"a": {"1"}}, upstream.JSON[answer])
				if err != nil || got.Answer != "yes" {
					t.Error(got, err)
				}
			})
		}
		synctest.Wait()
		leave(reason)
		all.Wait()
		if calls.Load() != 1 {
			t.Fatalf("%d calls", calls.Load())
		}
		if _, err := upstream.Get(t.Context(), c, "/x", url.Values{"a": {"2"}}, upstream.JSON[answer]); err != nil || calls.Load() != 2 {
			t.Fatal("another question is another flight", err, calls.Load())
		}
	})
}

func TestAFollowerWithMoreTimeAsksAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClient(upstream.Shared{Transport: transport(func(r *http.Request) (*http.Response, error) {
			select {
			case <-time.After(time.Second):
				return reply(200, `{"answer":"yes"}`), nil
			case <-r.Context().Done():
				return nil, r.Context().Err()
			}
		})}, nil)
		var all sync.WaitGroup
		all.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			if _, err := upstream.Get(ctx, c, "/x", nil, upstream.JSON[answer]); !errors.Is(err, market.ErrUnavailable) {
				t.Error("the hurried one:", err)
			}
		})
		synctest.Wait()
		if got, err := upstream.Get(t.Context(), c, "/x", nil, upstream.JSON[answer]); err != nil || got.Answer != "yes" {
			t.Error("the patient one:", err)
		}
		all.Wait()
	})
}

func TestNothingGoesOutAfterTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		deadline := time.Now().Add(200 * time.Millisecond)
		c := newClient(upstream.Shared{Transport: transport(func(*http.Request) (*http.Response, error) {
			if time.Now().After(deadline) {
				t.Error("asked after the deadline")
			}
			time.Sleep(30 * time.Millisecond)
			return nil, errors.New("reset")
		})}, nil)
		ctx, cancel := context.WithDeadline(t.Context(), deadline)
		defer cancel()
		if _, err := upstream.Get(ctx, c, "/x", nil, upstream.JSON[answer]); !errors.Is(err, market.ErrUnavailable) {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
	})
}

// Three tenths of the attempts fail: 0.3 to the eighth, one of 15,000 questions, stays without an answer, and the breaker stays out
// of it. A question takes 1/0.7 attempts on average.
func TestMostQuestionsAreAnsweredByAFlakyProvider(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(1, 2))
		attempts, good := 0, 0
		c := newClient(upstream.Shared{Random: random.Float64, Transport: transport(func(*http.Request) (*http.Response, error) {
			if attempts++; random.Float64() < 0.3 {
				return reply(502, ""), nil
			}
			return reply(200, `{"answer":"yes"}`), nil
		})}, nil)
		for range 2000 {
			if _, err := upstream.Get(t.Context(), c, "/x", nil, upstream.JSON[answer]); err == nil {
				good++
			}
		}
		if good < 1998 || attempts > 3000 {
			t.Fatalf("%d of 2000 answered in %d attempts", good, attempts)
		}
		t.Logf("%d of 2000 answered in %d attempts", good, attempts)
	})
}

// What was asked a moment ago is not asked again, unless its answer could not be read or is too old.
func TestAnswersAreRememberedForAWhile(t *testing.T) {
	calls, body := 0, `{"answer":"yes"}`
	c := newClient(upstream.Shared{Transport: transport(func(*http.Request) (*http.Response, error) {
		calls++
		return reply(200, body), nil
	})}, func(config *upstream.Config) { config.Remember = time.Hour })
	ask := func(path string) error {
		_, err := upstream.Get(t.Context(), c, path, nil, upstream.JSON[answer])
		return err
	}
	for range 3 {
		if err := errors.Join(ask("/a"), ask("/b")); err != nil || calls != 2 {
			t.Fatal(calls, err)
		}
	}
	body = `{"answer":7}`
	first, second := ask("/c"), ask("/c")
	if first == nil || second == nil || calls != 4 {
		t.Fatalf("an unreadable answer is remembered: %d calls", calls)
	}
	body = `{"answer":"yes"}`
	if err := ask("/c"); err != nil || calls != 5 {
		t.Fatal(calls, err)
	}
}

func TestDroppedRowsAreObserved(t *testing.T) {
	var seen []upstream.Call
	c := newClient(upstream.Shared{Observe: func(call upstream.Call) { seen = append(seen, call) }}, nil)
	c.Drop("/x", 0)
	c.Drop("/x", 3)
	if len(seen) != 1 || seen[0].Dropped != 3 || seen[0].Provider != "sample" {
		t.Fatal(seen)
	}
}

func BenchmarkGet(b *testing.B) {
	c := newClient(upstream.Shared{Transport: transport(func(*http.Request) (*http.Response, error) {
		return reply(200, `{"answer":"yes"}`), nil
	})}, func(config *upstream.Config) { config.PerMinute, config.Burst = 1<<30, 1<<30 })
	for b.Loop() {
		if _, err := upstream.Get(b.Context(), c, "/x", nil, upstream.JSON[answer]); err != nil {
			b.Fatal(err)
		}
	}
}

// An answer of more bytes than are allowed is told apart, asked for once, and no reason to leave the provider alone.
func TestAnAnswerThatIsTooLarge(t *testing.T) {
	calls := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		calls++
		_, _ = w.Write([]byte(`{"value":"` + strings.Repeat("x", 100) + `"}`))
	}))
	defer server.Close()
	c := upstream.New(upstream.Config{Name: "sample", Base: server.URL, PerMinute: 1e6, Burst: 1e3, MaximumBytes: 50}, upstream.Shared{})
	for range 20 {
		if _, err := upstream.Get(t.Context(), c, "/path", nil, upstream.JSON[map[string]string]); !errors.Is(err, upstream.ErrTooLarge) || !errors.Is(err, market.ErrUnavailable) {
			t.Fatal(err)
		}
	}
	if calls != 20 {
		t.Errorf("%d calls for 20 questions", calls)
	}
}
