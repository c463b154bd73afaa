package market

import (
	"context"
	"time"
)

// memory keeps what was computed from facts.
type memory struct {
	shelf *shelf[any, any]
	lasts time.Duration
}

// Remember is Once for what is computed from facts and dear: behind Cached sources it is also kept for as long as
// Freshness.Computed says and shared between requests, which compute it together when they ask at the same time. The key names
// everything the value depends on besides the facts. Errors are never kept. The value is shared by all who ask and must not be
// modified; weigh tells its rough size in bytes.
func Remember[T any](ctx context.Context, s *Session, key any, weigh func(T) int, compute func(context.Context) (T, error)) (T, error) {
	return Once(ctx, s, key, func(ctx context.Context) (T, error) {
		m := s.Sources.memory
		if m == nil {
			return compute(ctx)
		}
		value, err := m.shelf.get(ctx, factKey[T]{key}, func(ctx context.Context) (kept[any], error) {
			value, err := compute(ctx)
			if err != nil {
				return kept[any]{}, err
			}
			return kept[any]{value, m.lasts, weigh(value)}, nil
		})
		if err != nil {
			var zero T
			return zero, err
		}
		return value.(T), nil
	})
}
