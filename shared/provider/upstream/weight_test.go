package upstream_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

// timed is a client of one unit a second, ten at once, and the instants at which it asked, counted from now.
func timed(status func(call int) int) (c *upstream.Client, instants *[]time.Duration) {
	begun := time.Now()
	var mu sync.Mutex
	instants = new([]time.Duration)
	return newClient(upstream.Shared{
		Random: func() float64 { return 0.5 },
		Transport: transport(func(*http.Request) (*http.Response, error) {
			mu.Lock()
			defer mu.Unlock()
			*instants = append(*instants, time.Since(begun))
			return reply(status(len(*instants)), `{"answer":"yes"}`), nil
		}),
	}, func(config *upstream.Config) { config.PerMinute, config.Burst = 60, 10 }), instants
}

func ok(int) int { return 200 }

func weigh(ctx context.Context, c *upstream.Client, body string, weight upstream.Weight) error {
	_, err := upstream.PostWeighted(ctx, c, "/x", []byte(body), weight, upstream.JSON[answer])
	return err
}

func TestAQuestionTakesItsWeightBeforeItGoes(t *testing.T) {
	for name, test := range map[string]struct {
		weights []int
		third   time.Duration
	}{
		"light as any other":             {[]int{0, 0, 0}, 0},
		"together more than a burst":     {[]int{4, 4, 4}, 2 * time.Second},
		"one for all":                    {[]int{10, 1, 3}, 4 * time.Second},
		"heavier than a burst, the rest": {[]int{25, 1, 1}, 17 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, instants := timed(ok)
				for _, weight := range test.weights {
					if err := weigh(t.Context(), c, "{}", upstream.Weight{Asking: weight}); err != nil {
						t.Fatal(err)
					}
				}
				if (*instants)[0] != 0 || (*instants)[2] != test.third {
					t.Errorf("asked at %v, the third is due at %v", *instants, test.third)
				}
			})
		})
	}
}

func TestAnAnswersWeightIsOwed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, instants := timed(ok)
		heavy := upstream.Weight{Asking: 2, Answer: func(r *upstream.Response) int { return len(r.Body) + 9 }} // 25 and 2 of 10
		if err := weigh(t.Context(), c, "{}", heavy); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if err := weigh(ctx, c, "{}", heavy); !errors.Is(err, market.ErrUnavailable) || len(*instants) != 1 {
			t.Fatalf("a question without the time to wait for what is owed: %v after %v", err, *instants)
		}
		if err := weigh(t.Context(), c, "{}", upstream.Weight{Asking: 1}); err != nil || (*instants)[1] != 18*time.Second {
			t.Fatalf("%v, asked at %v: 17 are owed and one is asked for", err, *instants)
		}
	})
}

func TestOneFlightHasOneWeightAndEachAttemptItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		counted := 0
		weight := upstream.Weight{Asking: 4, Answer: func(*upstream.Response) int { counted++; return 2 }}
		c, instants := timed(func(call int) int {
			if call == 1 {
				return 500
			}
			return 200
		})
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				if err := weigh(t.Context(), c, "{}", weight); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		// Two attempts took eight, the one answer two: nothing is left but what grew back while waiting for the retry.
		if err := weigh(t.Context(), c, "{}", upstream.Weight{Asking: 4}); err != nil || counted != 1 || (*instants)[2].Round(time.Millisecond) != 4*time.Second {
			t.Fatalf("%v, %d answers counted, asked at %v", err, counted, *instants)
		}
	})
}

func TestAPanicOverAnAnswersWeightIsAFailure(t *testing.T) {
	c := newClient(upstream.Shared{Transport: transport(func(*http.Request) (*http.Response, error) { return reply(200, `{}`), nil })}, nil)
	err := weigh(t.Context(), c, "{}", upstream.Weight{Answer: func(*upstream.Response) int { panic("of what was sent") }})
	if !errors.Is(err, market.ErrUnavailable) {
		t.Fatal(err)
	}
}
