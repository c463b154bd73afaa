package market_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

type sumKey struct{ of int }

// What is computed is shared between requests for as long as it is fresh; errors are not kept, and other types and keys are other
// values.
func TestComputedOnceForAllRequestsWhileFresh(t *testing.T) {
	sources, _, clock := cached(t)
	var computed atomic.Int64
	fail := errors.New("no")
	ask := func(of int, err error) (int, error) {
		session := market.NewSession(t.Context(), sources)
		return market.Remember(t.Context(), session, sumKey{of}, func(int) int { return 8 }, func(context.Context) (int, error) {
			computed.Add(1)
			return 10 * of, err
		})
	}
	if _, err := ask(1, fail); !errors.Is(err, fail) {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if got, err := ask(1, nil); got != 10 || err != nil {
				t.Error(got, err)
			}
		})
	}
	all.Wait()
	if n := computed.Load(); n != 2 {
		t.Errorf("computed %d times", n)
	}
	if got, err := ask(2, nil); got != 20 || err != nil || computed.Load() != 3 {
		t.Error("another key:", got, err, computed.Load())
	}
	session := market.NewSession(t.Context(), sources)
	text, err := market.Remember(t.Context(), session, sumKey{1}, func(string) int { return 8 }, func(context.Context) (string, error) { return "other", nil })
	if text != "other" || err != nil {
		t.Error("another type:", text, err)
	}
	clock.advance(market.DefaultFreshness().Computed + time.Second)
	if got, err := ask(1, nil); got != 10 || err != nil || computed.Load() != 4 {
		t.Error("no longer fresh:", got, err, computed.Load())
	}
}

// Without a cache everything is computed by each request, once.
func TestComputedOnceARequestWithoutACache(t *testing.T) {
	computed := 0
	for range 2 {
		session := market.NewSession(t.Context(), market.Sources{})
		for range 2 {
			if got, err := market.Remember(t.Context(), session, sumKey{1}, func(int) int { return 8 }, func(context.Context) (int, error) {
				computed++
				return 7, nil
			}); got != 7 || err != nil {
				t.Fatal(got, err)
			}
		}
	}
	if computed != 2 {
		t.Errorf("computed %d times", computed)
	}
}
