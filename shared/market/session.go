package market

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
)

// Session is one request's view of the sources. Facts asked for through Once are fetched at most once in its life.
type Session struct {
	// Sources are the ports behind this request.
	Sources Sources
	ctx     context.Context
	mu      sync.Mutex
	// flights holds a *flight[T] under every factKey[T].
	flights map[any]any
}

type factKey[T any] struct{ key any }

type flight[T any] struct {
	done  chan struct{}
	value T
	err   error
}

// errUnfinished is the result of a fetch that ended its goroutine instead of returning.
var errUnfinished = errors.New("the fetch did not return")

// NewSession starts a session whose fetches run under ctx, the request's own context: one asker that gives up does not take
// the fact away from the others.
func NewSession(ctx context.Context, sources Sources) *Session {
	return &Session{Sources: sources, ctx: ctx, flights: make(map[any]any)}
}

// Once returns the fact named by key, fetching it by the first call and waiting for it in all others. Keys are comparable
// values of a type private to the package that owns the fact, so that two packages never share one by accident; facts of
// different types T are different facts. The wait ends with ctx; the fetch ends with the session. A caller whose ctx has ended
// still gets a fact that is there, and starts no fetch. A fetch that panics is an error for everybody who asked.
func Once[T any](ctx context.Context, s *Session, key any, fetch func(context.Context) (T, error)) (T, error) {
	var zero T
	s.mu.Lock()
	f, found := s.flights[factKey[T]{key}].(*flight[T])
	if !found {
		if ctx.Err() != nil {
			s.mu.Unlock()
			return zero, fmt.Errorf("waiting for %T: %w", key, context.Cause(ctx))
		}
		f = &flight[T]{done: make(chan struct{}), err: errUnfinished}
		s.flights[factKey[T]{key}] = f
		go f.run(s.ctx, key, fetch)
	}
	s.mu.Unlock()
	select {
	case <-f.done:
		return f.value, f.err
	default:
	}
	select {
	case <-f.done:
		return f.value, f.err
	case <-ctx.Done():
		return zero, fmt.Errorf("waiting for %T: %w", key, context.Cause(ctx))
	}
}

func (f *flight[T]) run(ctx context.Context, key any, fetch func(context.Context) (T, error)) {
	defer close(f.done)
	defer func() {
		if cause := recover(); cause != nil {
			f.err = fmt.Errorf("fetching %T: panic: %v\n%s", key, cause, debug.Stack())
		}
	}()
	value, err := fetch(ctx)
	if err == nil {
		f.value = value
	}
	f.err = err
}
