package market

import (
	"context"
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
	flights map[any]*flight
}

type flight struct {
	done  chan struct{}
	value any
	err   error
}

// NewSession starts a session whose fetches run under ctx, the request's own context: one asker that gives up does not take
// the fact away from the others.
func NewSession(ctx context.Context, sources Sources) *Session {
	return &Session{Sources: sources, ctx: ctx, flights: make(map[any]*flight)}
}

// Once returns the fact named by key, fetching it by the first call and waiting for it in all others. Keys are comparable
// values of a type private to the package that owns the fact, so that two packages never share one by accident. The wait ends
// with ctx; the fetch ends with the session. A fetch that panics is an error for everybody who asked.
func Once[T any](ctx context.Context, s *Session, key any, fetch func(context.Context) (T, error)) (T, error) {
	s.mu.Lock()
	f, found := s.flights[key]
	if !found {
		f = &flight{done: make(chan struct{})}
		s.flights[key] = f
		go func() {
			defer close(f.done)
			defer func() {
				if cause := recover(); cause != nil {
					f.err = fmt.Errorf("fetching %T: panic: %v\n%s", key, cause, debug.Stack())
				}
			}()
			f.value, f.err = fetch(s.ctx)
		}()
	}
	s.mu.Unlock()
	var zero T
	select {
	case <-f.done:
		if f.err != nil {
			return zero, f.err
		}
		return f.value.(T), nil
	case <-ctx.Done():
		return zero, fmt.Errorf("waiting for %T: %w", key, context.Cause(ctx))
	}
}
