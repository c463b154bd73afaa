package parallel_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestPanicIsAnErrorAndEndsTheOthers(t *testing.T) {
	group, ctx := parallel.WithContext(t.Context())
	var ended error
	group.Go(func() error {
		<-ctx.Done()
		ended = context.Cause(ctx)
		return ctx.Err()
	})
	group.Go(func() error { panic("no such place") })
	err := group.Wait()
	if err == nil || !strings.Contains(err.Error(), "panic: no such place") || !strings.Contains(err.Error(), "group_test.go") {
		t.Errorf("error %v, want the panic and where it happened", err)
	}
	if !errors.Is(ended, err) {
		t.Errorf("the other function ended with %v, want the panic", ended)
	}
}

func TestErrorsPassAsTheyAre(t *testing.T) {
	wrong := errors.New("wrong")
	group := parallel.NewGroup()
	var done atomic.Bool
	group.Go(func() error { return wrong })
	group.Go(func() error { done.Store(true); return nil })
	if err := group.Wait(); err != wrong || !done.Load() {
		t.Errorf("error %v, the other function done: %v", err, done.Load())
	}
}

func TestLimit(t *testing.T) {
	group := parallel.NewGroup()
	group.SetLimit(2)
	var running, most atomic.Int64
	for range 50 {
		group.Go(func() error {
			now := running.Add(1)
			for known := most.Load(); now > known && !most.CompareAndSwap(known, now); known = most.Load() {
			}
			running.Add(-1)
			return nil
		})
	}
	if err := group.Wait(); err != nil || most.Load() > 2 {
		t.Errorf("error %v, %d at a time", err, most.Load())
	}
}
