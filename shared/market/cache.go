package market

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/cache"
	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

// Freshness says how old a cached fact may be, by kind.
type Freshness struct {
	Activity, Holdings, Pools, Approvals, Code, Security time.Duration
	Holders, Trades, Contracts, Simulation, Listings     time.Duration
	// PerpAccount is for what moves with every price, PerpHistory for what grows by the hour.
	PerpFills, PerpAccount, PerpHistory, PerpMarkets time.Duration
	// Decided is for prediction markets that are decided and for prices of the past.
	Predictions, PredictionMarkets, Decided time.Duration
	// NewestCandles is for hours that are not closed; ClosedCandles for those that are.
	NewestCandles, ClosedCandles time.Duration
	// RecentPrices is for times within the last hour; PastPrices for older ones.
	RecentPrices, PastPrices time.Duration
	// Computed is for what is computed from facts, see Remember.
	Computed time.Duration
	// Nothing bounds how long it is remembered that nothing was found.
	Nothing time.Duration
	// Deadline ends a fetch that several requests may be waiting for.
	Deadline time.Duration
	// MaximumBytes bounds what all caches hold together, roughly.
	MaximumBytes uint64
}

// DefaultFreshness suits answers that are read by people and acted upon within minutes.
func DefaultFreshness() Freshness {
	return Freshness{
		Activity: 30 * time.Second, Holdings: 30 * time.Second, Pools: 30 * time.Second, Approvals: time.Minute,
		Code: 5 * time.Minute, Security: time.Hour,
		Holders: time.Minute, Trades: 30 * time.Second, Contracts: 5 * time.Minute, Simulation: time.Minute, Listings: 5 * time.Minute,
		PerpFills: 30 * time.Second, PerpAccount: 10 * time.Second, PerpHistory: 5 * time.Minute, PerpMarkets: time.Minute,
		Predictions: time.Minute, PredictionMarkets: time.Minute, Decided: 6 * time.Hour,
		NewestCandles: time.Minute, ClosedCandles: 6 * time.Hour, RecentPrices: time.Minute, PastPrices: 24 * time.Hour,
		Computed: 10 * time.Second, Nothing: 30 * time.Second, Deadline: 25 * time.Second, MaximumBytes: 256 << 20,
	}
}

// Cached puts a cache before every port that has something behind it. Requests for the same fact share one fetch, which goes
// on when one of them gives up. Of lists only the missing part is asked for. Errors are never kept. What comes out of the
// cache is shared by all who ask and must not be modified.
//
// Behind Prices must be a port whose points carry the very times that were wanted.
func Cached(s Sources, f Freshness, clock func() time.Time) Sources {
	// Shares of the memory, by how much the kinds weigh where much is asked.
	share := func(percent uint64) uint64 { return max(1, f.MaximumBytes/100*percent) }
	if s.Activity != nil {
		s.Activity = &cachedActivity{s.Activity, f, newShelf[accountKey, *Activity](share(15), clock, f.Deadline)}
	}
	if s.Holdings != nil {
		s.Holdings = &cachedHoldings{s.Holdings, f, newShelf[accountKey, []Holding](share(6), clock, f.Deadline)}
	}
	if s.Prices != nil {
		s.Prices = &cachedPrices{s.Prices, f, clock, newShelf[priceKey, priceOrNothing](share(11), clock, f.Deadline)}
	}
	if s.Pools != nil {
		s.Pools = &cachedPools{s.Pools, f, newShelf[accountKey, []Pool](share(7), clock, f.Deadline)}
	}
	if s.Candles != nil {
		s.Candles = &cachedCandles{
			s.Candles, f, clock,
			newShelf[candleKey, *Candles](share(7), clock, f.Deadline), newShelf[poolKey, span](share(9), clock, f.Deadline),
		}
	}
	if s.Approvals != nil {
		s.Approvals = &cachedApprovals{s.Approvals, f, newShelf[accountKey, *Approvals](share(3), clock, f.Deadline)}
	}
	if s.Code != nil {
		s.Code = &cachedCode{s.Code, f, newShelf[accountKey, Code](share(1), clock, f.Deadline)}
	}
	if s.TokenSecurity != nil {
		s.TokenSecurity = &cachedTokenSecurity{s.TokenSecurity, f, newShelf[accountKey, finding[TokenSecurity]](share(3), clock, f.Deadline)}
	}
	if s.AddressSecurity != nil {
		s.AddressSecurity = &cachedAddressSecurity{s.AddressSecurity, f, newShelf[accountKey, finding[AddressSecurity]](share(2), clock, f.Deadline)}
	}
	if s.Holders != nil {
		s.Holders = &cachedHolders{s.Holders, f, newShelf[accountKey, *TokenHolders](share(2), clock, f.Deadline)}
	}
	if s.Trades != nil {
		s.Trades = &cachedTrades{s.Trades, f, newShelf[poolKey, *TokenTrades](share(3), clock, f.Deadline)}
	}
	if s.Contracts != nil {
		s.Contracts = &cachedContracts{s.Contracts, f, newShelf[accountKey, *Contract](share(3), clock, f.Deadline)}
	}
	if s.Simulation != nil {
		s.Simulation = &cachedSimulation{s.Simulation, f, newShelf[simulationKey, *Simulation](share(1), clock, f.Deadline)}
	}
	if s.Listings != nil {
		s.Listings = &cachedListings{s.Listings, f, newShelf[chain.Slug, []ListedToken](share(1), clock, f.Deadline)}
	}
	s = cachedVenues(s, f, clock, share)
	if f.Computed > 0 {
		s.memory = &memory{newShelf[any, any](share(7), clock, f.Deadline), f.Computed}
	}
	return s
}

// accountKey names a wallet, token or contract.
type accountKey struct {
	on      chain.Slug
	address chain.Address
}

// kept is a cached fact, how long it may be served, and its rough size in bytes.
type kept[V any] struct {
	value V
	lasts time.Duration
	bytes int
}

// shelf is the cache of one kind of fact.
type shelf[K comparable, V any] struct {
	cache    *cache.Cache[K, kept[V]]
	deadline time.Duration
}

// entryBytes is the cost of an entry besides its fact.
const entryBytes = 200

func newShelf[K comparable, V any](maximumBytes uint64, clock func() time.Time, deadline time.Duration) *shelf[K, V] {
	return &shelf[K, V]{deadline: deadline, cache: cache.New(cache.Options[K, kept[V]]{
		MaximumWeight: maximumBytes,
		Weigh:         func(_ K, k kept[V]) int { return entryBytes + k.bytes },
		Lasts:         func(k kept[V]) time.Duration { return k.lasts },
		Clock:         clock,
	})}
}

// get serves a fact, or fetches it in a flight of its own that all askers share.
func (s *shelf[K, V]) get(ctx context.Context, key K, load func(context.Context) (kept[V], error)) (V, error) {
	if found, ok := s.cache.Get(key); ok {
		return found.value, nil
	}
	return detached(ctx, s.deadline, func(ctx context.Context) (V, error) {
		found, err := s.cache.Load(ctx, key, func(ctx context.Context) (kept[V], error) {
			return guarded(key, func() (kept[V], error) { return load(ctx) })
		})
		return found.value, err
	})
}

// getAll serves facts and fetches the missing ones together, except those that are already on their way. Load must give a
// value for every key.
func (s *shelf[K, V]) getAll(ctx context.Context, keys []K, load func(context.Context, []K) (map[K]kept[V], error)) (map[K]V, error) {
	if all, ok := s.present(keys); ok {
		return all, nil
	}
	return detached(ctx, s.deadline, func(ctx context.Context) (map[K]V, error) {
		found, err := s.cache.LoadAll(ctx, keys, func(ctx context.Context, keys []K) (map[K]kept[V], error) {
			return guarded(keys[0], func() (map[K]kept[V], error) { return load(ctx, keys) })
		})
		if err != nil {
			return nil, err
		}
		all := make(map[K]V, len(found))
		for key := range found {
			all[key] = found[key].value
		}
		return all, nil
	})
}

func (s *shelf[K, V]) present(keys []K) (map[K]V, bool) {
	all := make(map[K]V, len(keys))
	for _, key := range keys {
		found, ok := s.cache.Get(key)
		if !ok {
			return nil, false
		}
		all[key] = found.value
	}
	return all, true
}

// detached runs a fetch that does not end when this asker gives up.
func detached[T any](ctx context.Context, deadline time.Duration, fetch func(context.Context) (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), deadline)
		defer cancel()
		value, err := fetch(ctx)
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var zero T
		if err := ctx.Err(); err == context.DeadlineExceeded {
			return zero, fmt.Errorf("%w: %w", ErrUnavailable, context.Cause(ctx))
		}
		return zero, context.Cause(ctx)
	}
}

// guarded turns a panic of a fetch, which runs in nobody's request, into an error.
func guarded[T any](key any, load func() (T, error)) (value T, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("fetching %T: panic: %v\n%s", key, cause, debug.Stack())
		}
	}()
	return load()
}

// lasting is how long a fact is kept: not long when there is nothing in it.
func (f Freshness) lasting(fresh time.Duration, something bool) time.Duration {
	if something {
		return fresh
	}
	return min(fresh, f.Nothing)
}
