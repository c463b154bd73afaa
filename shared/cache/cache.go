// Package cache remembers values in memory within a bound, typed at its edges.
//
// All caches of a process are one type of the library underneath, whatever they hold, and none takes memory before its first use: a
// process has several dozen of them, and a type of the library's own for each made every binary much larger and every
// start slower. The package decides nothing about what is worth keeping or for how long.
package cache

import (
	"context"
	"sync"
	"time"

	"github.com/maypok86/otter/v2"
)

// Options bound a cache. One of MaximumEntries and MaximumWeight must be set.
type Options[K comparable, V any] struct {
	// MaximumEntries is how many values are kept.
	MaximumEntries int
	// MaximumWeight bounds the sum of what Weigh says of each value, in bytes.
	MaximumWeight uint64
	Weigh         func(K, V) int
	// Lasts is how long a value is kept once it is written; nil for as long as there is room.
	Lasts func(V) time.Duration
	// Clock is what Lasts is measured by; nil for the computer's.
	Clock func() time.Time
}

// Cache holds values of one kind. It is safe for concurrent use. New makes one.
type Cache[K comparable, V any] struct{ library func() *otter.Cache[any, any] }

// New describes a cache, which is made when it is first used.
func New[K comparable, V any](options Options[K, V]) *Cache[K, V] {
	return &Cache[K, V]{library: sync.OnceValue(func() *otter.Cache[any, any] {
		made := &otter.Options[any, any]{MaximumSize: options.MaximumEntries, MaximumWeight: options.MaximumWeight}
		if weigh := options.Weigh; weigh != nil {
			made.Weigher = func(key, value any) uint32 { return uint32(max(0, min(weigh(key.(K), typed[V](value)), 1<<30))) }
		}
		if lasts := options.Lasts; lasts != nil {
			made.ExpiryCalculator = otter.ExpiryWritingFunc(func(e otter.Entry[any, any]) time.Duration { return lasts(typed[V](e.Value)) })
		}
		if options.Clock != nil {
			made.Clock = clock(options.Clock)
		}
		return otter.Must(made)
	})}
}

// clock gives the library our time. It has no ticks: what is over goes when something new comes.
type clock func() time.Time

func (c clock) NowNano() int64                      { return c().UnixNano() }
func (c clock) Tick(time.Duration) <-chan time.Time { return nil }

// typed gives back the type of a value; an interface that holds nothing has lost its own.
func typed[V any](value any) V {
	v, _ := value.(V)
	return v
}

// Get gives the value of a key, if it is there.
func (c *Cache[K, V]) Get(key K) (V, bool) {
	value, found := c.library().GetIfPresent(key)
	return typed[V](value), found
}

// Set keeps a value, in the place of an older one.
func (c *Cache[K, V]) Set(key K, value V) { c.library().Set(key, value) }

// Forget drops the value of a key.
func (c *Cache[K, V]) Forget(key K) { c.library().Invalidate(key) }

// GetOrMake gives the value of a key, which is made and kept where there is none. At most one is made for a key at a time.
func (c *Cache[K, V]) GetOrMake(key K, make func() V) V {
	value, _ := c.library().ComputeIfAbsent(key, func() (any, bool) { return make(), false })
	return typed[V](value)
}

// Load gives the value of a key, and loads and keeps it where there is none. Everybody who asks meanwhile waits for the same load and
// gets its error; errors are not kept.
func (c *Cache[K, V]) Load(ctx context.Context, key K, load func(context.Context) (V, error)) (V, error) {
	value, err := c.library().Get(ctx, key, otter.LoaderFunc[any, any](func(ctx context.Context, _ any) (any, error) {
		return load(ctx)
	}))
	return typed[V](value), err
}

// LoadAll is Load for several keys: those that are neither there nor being loaded by somebody else are loaded together. Load gives a
// value for every key that it is asked for.
func (c *Cache[K, V]) LoadAll(ctx context.Context, keys []K, load func(context.Context, []K) (map[K]V, error)) (map[K]V, error) {
	wanted := make([]any, len(keys))
	for i, key := range keys {
		wanted[i] = key
	}
	found, err := c.library().BulkGet(ctx, wanted, otter.BulkLoaderFunc[any, any](func(ctx context.Context, missing []any) (map[any]any, error) {
		absent := make([]K, len(missing))
		for i, key := range missing {
			absent[i] = key.(K)
		}
		loaded, err := load(ctx, absent)
		if err != nil {
			return nil, err
		}
		values := make(map[any]any, len(loaded))
		for key, value := range loaded {
			values[key] = value
		}
		return values, nil
	}))
	if err != nil {
		return nil, err
	}
	values := make(map[K]V, len(found))
	for key, value := range found {
		values[key.(K)] = typed[V](value)
	}
	return values, nil
}
