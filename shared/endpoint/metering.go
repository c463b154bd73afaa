package endpoint

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/mirrorworthy/mirrorworthy/shared/cache"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/partnerkey"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

const (
	// fallbackShare is the part of a partner's limit that one process grants by itself while the store cannot be asked. Other
	// processes do the same, so it must be small.
	fallbackShare = 10
	// fallbackBurst is the least burst then, enough for the dearest requests.
	fallbackBurst = 50
	// fallbackFor is how long the store is left alone after a failure, so that requests do not queue up for it.
	fallbackFor = time.Second
	// exceedsRetry is how long to wait before asking again for more than a burst: for a higher limit to be noticed, or for less.
	exceedsRetry = time.Minute
	// remembered bounds the partners, keys and addresses that limits in memory are kept for.
	remembered = 10_000
)

// meter charges partners. When the store fails or dawdles it charges in memory, carefully, so that the service stays up.
type meter struct {
	store   store.Meter
	timeout time.Duration
	log     *slog.Logger
	metrics Metrics
	// restUntil is when the store is asked again after a failure, in nanoseconds since 1970.
	restUntil atomic.Int64
	fallback  *limiters[partnerLimit]
	refunds   *limiters[partnerLimit]
}

// partnerLimit names a bucket in memory; a partner whose limit changes gets a new one.
type partnerLimit struct {
	partner string
	limit   store.Limit
}

func newMeter(s Service) *meter {
	return &meter{
		store: s.Meter, timeout: s.MeterTimeout, log: s.Log, metrics: s.Metrics,
		fallback: newLimiters(func(p partnerLimit) *rate.Limiter {
			burst := max(p.limit.Burst/fallbackShare, min(p.limit.Burst, fallbackBurst))
			return rate.NewLimiter(rate.Limit(float64(p.limit.PerMinute)/60/fallbackShare), burst)
		}),
		refunds: newLimiters(func(p partnerLimit) *rate.Limiter {
			return rate.NewLimiter(rate.Limit(float64(p.limit.PerMinute)/60), p.limit.Burst)
		}),
	}
}

// quota is the state of a partner's bucket as a response tells it.
type quota struct {
	limit store.Limit
	// refused is set when the units were not granted, exceeds when they never can be.
	refused, exceeds bool
	// left is in units; reset is when the bucket is full or, after a refusal, when it is worth trying again.
	left  int
	reset time.Duration
	// local is what was taken in memory; nil when the store was charged.
	local *rate.Reservation
}

// refusal is the Problem of a quota that did not grant the units.
func (q *quota) refusal(units int) *Problem {
	if !q.refused {
		return nil
	}
	message := "The fair-use limit is used up. Wait as long as Retry-After says, or ask less often."
	if q.exceeds {
		message = "This request counts " + strconv.Itoa(units) + " units, more than your burst of " + strconv.Itoa(q.limit.Burst) + " ever holds. Ask for less at once, or ask us for a higher limit."
	}
	return &Problem{Status: http.StatusTooManyRequests, Code: "rate_limited", Message: message, RetryAfter: max(q.reset, time.Second)}
}

// take charges units, or tells why not.
func (m *meter) take(ctx context.Context, who *partnerkey.Identity, units int, now time.Time) *quota {
	q := &quota{limit: who.Limit}
	grant, err := ask(ctx, m, now, func(ctx context.Context) (store.Grant, error) {
		return m.store.Take(ctx, who.PartnerID, who.Limit, units, now)
	})
	switch {
	case errors.Is(err, store.ErrExceedsBurst):
		q.refused, q.exceeds = true, true
		q.left, q.reset = m.state(ctx, who, now).left, exceedsRetry
		return q
	case err == nil:
		q.refused, q.left, q.reset = !grant.Granted, max(grant.Left, 0), grant.FullIn
		if q.refused {
			q.reset = grant.RetryAfter
		}
		return q
	}
	m.metrics.Count(MetricMeterFallback, 1)
	bucket := m.fallback.of(partnerLimit{who.PartnerID, who.Limit})
	if units > bucket.Burst() {
		q.refused, q.reset = true, fallbackFor
	} else if units > 0 {
		q.local = bucket.ReserveN(now, units)
		if wait := q.local.DelayFrom(now); wait > 0 {
			q.local.CancelAt(now)
			q.refused, q.reset = true, wait
		}
	}
	tokens := max(bucket.TokensAt(now), 0)
	q.left = int(tokens)
	if !q.refused {
		q.reset = time.Duration((float64(bucket.Burst()) - tokens) / float64(bucket.Limit()) * float64(time.Second))
	}
	return q
}

// state is the partner's bucket as it is, charged with nothing.
func (m *meter) state(ctx context.Context, who *partnerkey.Identity, now time.Time) *quota {
	return m.take(ctx, who, 0, now)
}

// giveBack returns the units of a request that failed. A partner is given back no more than its limit grants, so that failing
// requests cannot be had for nothing without end.
func (m *meter) giveBack(ctx context.Context, who *partnerkey.Identity, q *quota, units int, now time.Time) {
	if units == 0 || !m.refunds.of(partnerLimit{who.PartnerID, who.Limit}).AllowN(now, units) {
		return
	}
	if q.local != nil {
		q.local.CancelAt(now)
	} else if _, err := ask(ctx, m, now, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, m.store.Return(ctx, who.PartnerID, who.Limit, units, now)
	}); err != nil {
		return
	}
	q.left = min(q.left+units, q.limit.Burst)
}

// count adds the units of a successful answer to the partner's usage.
func (m *meter) count(ctx context.Context, who *partnerkey.Identity, endpoint string, units int, now time.Time) {
	if units == 0 {
		return
	}
	if _, err := ask(ctx, m, now, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, m.store.Count(ctx, who.PartnerID, endpoint, units, now)
	}); err != nil {
		m.metrics.Count(MetricUncounted, units, "endpoint", endpoint)
	}
}

var (
	errResting       = errors.New("the meter's store failed a moment ago and is left alone")
	errStorePanicked = errors.New("the meter's store panicked")
)

// ask asks the store with the meter's own patience: a caller that hangs up does not look like a failing store, and a store that
// minds no context holds nobody up.
func ask[T any](ctx context.Context, m *meter, now time.Time, question func(context.Context) (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	var none T
	if now.UnixNano() < m.restUntil.Load() {
		return none, errResting
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), m.timeout)
	defer cancel()
	answered := make(chan result, 1)
	go func() {
		r := result{err: errStorePanicked}
		defer func() {
			if cause := recover(); cause != nil {
				m.log.ErrorContext(ctx, "metering store panicked", slog.Any("cause", cause), slog.String("stack", string(debug.Stack())))
			}
			answered <- r
		}()
		r.value, r.err = question(ctx)
	}()
	var r result
	select {
	case r = <-answered:
	case <-ctx.Done():
		r.err = ctx.Err()
	}
	if r.err != nil && !errors.Is(r.err, store.ErrExceedsBurst) {
		m.restUntil.Store(now.Add(fallbackFor).UnixNano())
		m.log.WarnContext(ctx, "metering store failed", slog.String("cause", r.err.Error()))
	}
	return r.value, r.err
}

// limiters keeps one limiter for each of the things most recently limited.
type limiters[K comparable] struct {
	kept *cache.Cache[K, *rate.Limiter]
	make func(K) *rate.Limiter
}

func newLimiters[K comparable](make func(K) *rate.Limiter) *limiters[K] {
	return &limiters[K]{kept: cache.New(cache.Options[K, *rate.Limiter]{MaximumEntries: remembered}), make: make}
}

func (l *limiters[K]) of(key K) *rate.Limiter {
	return l.kept.GetOrMake(key, func() *rate.Limiter { return l.make(key) })
}
