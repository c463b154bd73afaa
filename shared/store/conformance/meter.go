package conformance

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// checkBucket goes through hand-computed steps. At 60 units a minute a unit comes back every second.
func checkBucket(t *testing.T, s Stores) {
	ctx := t.Context()
	slow, slower, faster := store.Limit{PerMinute: 60, Burst: 10}, store.Limit{PerMinute: 30, Burst: 10}, store.Limit{PerMinute: 6000, Burst: 20}
	const us, ms = time.Microsecond, time.Millisecond
	granted := func(left int, fullIn time.Duration) store.Grant {
		return store.Grant{Granted: true, Left: left, FullIn: fullIn}
	}
	refused := func(left int, fullIn, retryAfter time.Duration) store.Grant {
		return store.Grant{Left: left, FullIn: fullIn, RetryAfter: retryAfter}
	}
	steps := []struct {
		what   string
		limit  store.Limit
		at     time.Duration
		take   int
		giveTo int // units returned instead of taken
		want   store.Grant
	}{
		{"never touched", slow, 0, 0, 0, granted(10, 0)},
		{"some", slow, 0, 4, 0, granted(6, 4000*ms)},
		{"more than is left", slow, 0, 7, 0, refused(6, 4000*ms, 1000*ms)},
		{"the refusal cost nothing", slow, 0, 6, 0, granted(0, 10000*ms)},
		{"empty", slow, 0, 1, 0, refused(0, 10000*ms, 1000*ms)},
		{"just too early", slow, 1000*ms - us, 1, 0, refused(0, 9000*ms+us, us)},
		{"just in time", slow, 1000 * ms, 1, 0, granted(0, 10000*ms)},
		{"one and a half are back", slow, 2500 * ms, 0, 0, granted(1, 8500*ms)},
		{"the half is kept", slow, 2500 * ms, 1, 0, granted(0, 9500*ms)},
		{"and makes one", slow, 3000 * ms, 1, 0, granted(0, 10000*ms)},
		{"backwards refills nothing", slow, 1000 * ms, 1, 0, refused(0, 12000*ms, 3000*ms)},
		{"returned", slow, 3000 * ms, 0, 3, store.Grant{}},
		{"what was returned", slow, 3000 * ms, 0, 0, granted(3, 7000*ms)},
		{"returned at an earlier clock", slow, 0, 0, 1, store.Grant{}},
		{"taken at an earlier clock", slow, 0, 4, 0, granted(0, 13000*ms)},
		{"returned beyond the burst", slow, 4000 * ms, 0, 100, store.Grant{}},
		{"is full and no fuller", slow, 4000 * ms, 10, 0, granted(0, 10000*ms)},
		{"never more than the burst", slow, time.Hour, 10, 0, granted(0, 10000*ms)},
		{"and not again", slow, time.Hour, 1, 0, refused(0, 10000*ms, 1000*ms)},
		{"half the rate", slower, time.Hour, 1, 0, refused(0, 20000*ms, 2000*ms)},
		{"half the rate, later", slower, time.Hour + 4000*ms, 1, 0, granted(1, 18000*ms)},
		{"more room, a higher rate: nine are owed", faster, time.Hour + 4000*ms, 11, 0, granted(0, 200*ms)},
		{"less room than is owed", slow, time.Hour + 4000*ms, 1, 0, refused(0, 20000*ms, 11000*ms)},
		{"full at last", slow, 2 * time.Hour, 0, 0, granted(10, 0)},
	}
	for _, step := range steps {
		now := epoch.Add(step.at)
		if step.giveTo > 0 {
			mustDo(t, s.Meter.Return(ctx, "acme", step.limit, step.giveTo, now))
			continue
		}
		if got := must[store.Grant](t)(s.Meter.Take(ctx, "acme", step.limit, step.take, now)); got != step.want {
			t.Errorf("%s: %+v, want %+v", step.what, got, step.want)
		}
	}

	// Returning to a bucket that was never touched leaves it full.
	mustDo(t, s.Meter.Return(ctx, "untouched", slow, 5, epoch))
	if got := must[store.Grant](t)(s.Meter.Take(ctx, "untouched", slow, 10, epoch)); got != granted(0, 10000*ms) {
		t.Errorf("untouched bucket: %+v", got)
	}
	// Partners do not share, and the zone of a clock does not matter.
	zone := time.FixedZone("somewhere", 9*60*60)
	if got := must[store.Grant](t)(s.Meter.Take(ctx, "acme2", slow, 10, epoch.In(zone))); got != granted(0, 10000*ms) {
		t.Errorf("another partner: %+v", got)
	}
	// A clock is read to the microsecond, downwards.
	if got := must[store.Grant](t)(s.Meter.Take(ctx, "acme2", slow, 1, epoch.Add(time.Second).Truncate(us).Add(-1))); got.Granted {
		t.Errorf("a nanosecond too early: %+v", got)
	}
	// The burst can be taken one by one to the last unit, at a rate that does not divide a minute.
	odd := store.Limit{PerMinute: 7001, Burst: 100}
	for i := range odd.Burst {
		if got := must[store.Grant](t)(s.Meter.Take(ctx, "odd", odd, 1, epoch)); !got.Granted || got.Left != odd.Burst-1-i {
			t.Fatalf("unit %d: %+v", i, got)
		}
	}
	if got := must[store.Grant](t)(s.Meter.Take(ctx, "odd", odd, 1, epoch)); got.Granted {
		t.Errorf("one unit beyond the burst: %+v", got)
	}
}

func checkExtremeLimits(t *testing.T, s Stores) {
	ctx := t.Context()
	const most = 10_000_000
	first, last := time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2200, 12, 31, 23, 59, 59, 999_999_999, time.UTC)
	for i, limit := range []store.Limit{{PerMinute: 1, Burst: most}, {PerMinute: most, Burst: most}, {PerMinute: most, Burst: 1}, {PerMinute: 1, Burst: 1}} {
		id := fmt.Sprintf("extreme-%d", i)
		window := time.Minute / time.Duration(limit.PerMinute) * time.Duration(limit.Burst)
		for _, now := range []time.Time{first, last} {
			want := store.Grant{Granted: true, FullIn: window}
			if got := must[store.Grant](t)(s.Meter.Take(ctx, id, limit, limit.Burst, now)); got != want {
				t.Errorf("%+v at %v: %+v, want %+v", limit, now, got, want)
			}
			want = store.Grant{FullIn: window, RetryAfter: window}
			if got := must[store.Grant](t)(s.Meter.Take(ctx, id, limit, limit.Burst, now)); got != want {
				t.Errorf("%+v again at %v: %+v, want %+v", limit, now, got, want)
			}
		}
		// From the slowest rate to the fastest and back, with everything owed.
		for _, other := range []store.Limit{{PerMinute: most, Burst: most}, {PerMinute: 1, Burst: most}} {
			mustDo(t, s.Meter.Return(ctx, id, other, 1, last))
		}
		left := most - max(limit.Burst-2, 0)
		if got := must[store.Grant](t)(s.Meter.Take(ctx, id, store.Limit{PerMinute: 1, Burst: most}, 0, last)); got.Left != left {
			t.Errorf("%+v: %+v left at the slowest rate, want %d", limit, got, left)
		}
	}
}

// referenceBucket is a token bucket in exact fractions: what is owed to it is paid back at the rate.
type referenceBucket struct {
	owed *big.Rat // units
	asOf time.Time
}

// at returns what is owed at a time of whole microseconds, and that time: no earlier than the bucket's.
func (r *referenceBucket) at(limit store.Limit, now time.Time) (*big.Rat, time.Time) {
	if r.owed == nil {
		return new(big.Rat), now
	}
	if now.Before(r.asOf) {
		now = r.asOf
	}
	owed := new(big.Rat).Mul(big.NewRat(int64(now.Sub(r.asOf)), int64(time.Minute)), big.NewRat(int64(limit.PerMinute), 1))
	owed.Sub(r.owed, owed)
	if owed.Sign() < 0 {
		owed.SetInt64(0)
	}
	return owed, now
}

func (r *referenceBucket) take(limit store.Limit, units int, now time.Time) store.Grant {
	now = now.Truncate(time.Microsecond)
	owed, at := r.at(limit, now)
	sum := new(big.Rat).Add(owed, big.NewRat(int64(units), 1))
	room := new(big.Rat).Sub(big.NewRat(int64(limit.Burst), 1), owed)
	lasts := func(units *big.Rat) time.Duration {
		minutes := new(big.Rat).Quo(units, big.NewRat(int64(limit.PerMinute), 1))
		nanos := minutes.Mul(minutes, big.NewRat(int64(time.Minute), 1))
		return time.Duration(new(big.Int).Quo(nanos.Num(), nanos.Denom()).Int64()) + at.Sub(now)
	}
	var grant store.Grant
	if units == 0 || big.NewRat(int64(units), 1).Cmp(room) <= 0 {
		grant.Granted = true
		owed, room = sum, room.Sub(room, big.NewRat(int64(units), 1))
		if units > 0 {
			r.owed, r.asOf = sum, at
		}
	} else {
		grant.RetryAfter = lasts(new(big.Rat).Sub(big.NewRat(int64(units), 1), room))
	}
	if room.Sign() > 0 {
		grant.Left = int(new(big.Int).Quo(room.Num(), room.Denom()).Int64())
	}
	if owed.Sign() > 0 {
		grant.FullIn = lasts(owed)
	}
	return grant
}

func (r *referenceBucket) giveBack(limit store.Limit, units int, now time.Time) {
	if r.owed == nil || units == 0 {
		return
	}
	owed, at := r.at(limit, now.Truncate(time.Microsecond))
	if owed.Sub(owed, big.NewRat(int64(units), 1)); owed.Sign() < 0 {
		owed.SetInt64(0)
	}
	r.owed, r.asOf = owed, at
}

// checkBucketModel compares random sequences of calls with exact fractions. The rates divide a minute into whole microseconds, and
// clocks go by whole seconds where rates change, so that everything comes out even.
func checkBucketModel(t *testing.T, s Stores) {
	ctx := t.Context()
	rapid.Check(t, func(t *rapid.T) {
		id := unique("bucket")
		var reference referenceBucket
		limits := rapid.Custom(func(t *rapid.T) store.Limit {
			return store.Limit{PerMinute: rapid.SampledFrom([]int{60, 600, 6000}).Draw(t, "per minute"), Burst: rapid.IntRange(1, 1500).Draw(t, "burst")}
		})
		limit, now := limits.Draw(t, "limit"), epoch.Truncate(time.Second)
		changing := rapid.Bool().Draw(t, "limits change")
		for range rapid.IntRange(1, 30).Draw(t, "calls") {
			passed := time.Duration(rapid.Int64Range(-int64(5*time.Second), int64(10*time.Second)).Draw(t, "passed"))
			if changing {
				passed = passed.Truncate(time.Second)
				if rapid.IntRange(0, 3).Draw(t, "change") == 0 {
					limit = limits.Draw(t, "limit")
				}
			}
			now = now.Add(passed)
			units := rapid.OneOf(rapid.IntRange(0, min(20, limit.Burst)), rapid.IntRange(0, limit.Burst)).Draw(t, "units")
			if rapid.IntRange(0, 4).Draw(t, "return") == 0 {
				mustDo(t, s.Meter.Return(ctx, id, limit, units, now))
				reference.giveBack(limit, units, now)
				continue
			}
			got, want := must[store.Grant](t)(s.Meter.Take(ctx, id, limit, units, now)), reference.take(limit, units, now)
			if got != want {
				t.Fatalf("Take %d of %+v at %v: %+v, want %+v", units, limit, now, got, want)
			}
		}
	})
}

// checkConcurrentTakes: at one moment exactly the burst is granted, and no unit is lost.
func checkConcurrentTakes(t *testing.T, s Stores) {
	ctx := t.Context()
	limit := store.Limit{PerMinute: 6000, Burst: 200}
	for _, fresh := range []bool{true, false} {
		id := unique("rush")
		if !fresh {
			must[store.Grant](t)(s.Meter.Take(ctx, id, limit, 200, epoch.Add(-time.Minute)))
		}
		var granted, refused atomic.Int64
		atOnce(goroutines, func(int) {
			for range 4 {
				grant, err := s.Meter.Take(ctx, id, limit, 1, epoch)
				switch {
				case err != nil:
					t.Errorf("Take: %v", err)
				case grant.Granted:
					granted.Add(1)
				default:
					refused.Add(1)
				}
			}
		})
		if granted.Load() != 200 || refused.Load() != 4*goroutines-200 {
			t.Errorf("%d granted, %d refused at one moment; want 200 and %d", granted.Load(), refused.Load(), 4*goroutines-200)
		}

		// What all of them return is there again, to the unit.
		atOnce(goroutines, func(int) {
			if err := s.Meter.Return(ctx, id, limit, 2, epoch); err != nil {
				t.Errorf("Return: %v", err)
			}
		})
		if got := must[store.Grant](t)(s.Meter.Take(ctx, id, limit, 0, epoch)); got.Left != 2*goroutines {
			t.Errorf("%d units left, want %d", got.Left, 2*goroutines)
		}
	}
}

// checkSkewedTakes: callers whose clocks differ and move get the burst and what the latest clock refills, and all of it.
func checkSkewedTakes(t *testing.T, s Stores) {
	ctx := t.Context()
	limit := store.Limit{PerMinute: 6000, Burst: 100}
	const calls, step, span = 8, 20 * time.Millisecond, 500 * time.Millisecond
	var granted, returned atomic.Int64
	must[store.Grant](t)(s.Meter.Take(ctx, "skewed", limit, 0, epoch))
	atOnce(goroutines, func(i int) {
		skew := span * time.Duration(i) / goroutines
		for call := range calls {
			units := 1 + (i+call)%5
			now := epoch.Add(skew + time.Duration(call)*step)
			grant, err := s.Meter.Take(ctx, "skewed", limit, units, now)
			if err != nil {
				t.Errorf("Take: %v", err)
				return
			}
			if !grant.Granted {
				continue
			}
			granted.Add(int64(units))
			if call%4 == 3 {
				returned.Add(1)
				if err := s.Meter.Return(ctx, "skewed", limit, 1, now); err != nil {
					t.Errorf("Return: %v", err)
				}
			}
		}
	})
	latest := span*(goroutines-1)/goroutines + (calls-1)*step
	most := int64(limit.Burst) + int64(latest)*int64(limit.PerMinute)/int64(time.Minute)
	if got := granted.Load() - returned.Load(); got > most || got < int64(limit.Burst)-5 {
		t.Errorf("%d units granted and not returned, want at most %d and about the burst at least", got, most)
	}

	// Everything that was granted is accounted for: the rest can be taken at the latest clock, no more and no less.
	end := epoch.Add(latest)
	state := must[store.Grant](t)(s.Meter.Take(ctx, "skewed", limit, 0, end))
	rest := must[store.Grant](t)(s.Meter.Take(ctx, "skewed", limit, state.Left, end))
	more := must[store.Grant](t)(s.Meter.Take(ctx, "skewed", limit, 1, end))
	if !rest.Granted || more.Granted || granted.Load()-returned.Load()+int64(state.Left) > most {
		t.Errorf("left %+v, rest %+v, more %+v beside %d granted and %d returned; bound %d",
			state, rest, more, granted.Load(), returned.Load(), most)
	}
}

func wantUsage(t tester, s Stores, id string, now time.Time, today, minute int64, byEndpoint ...store.EndpointUsage) {
	t.Helper()
	got, err := s.Meter.Usage(t.Context(), id, now)
	mustDo(t, err)
	if got.ByEndpoint == nil || got.Today != today || got.ThisMinute != minute || !slices.Equal(got.ByEndpoint, byEndpoint) {
		t.Errorf("usage of %s at %v: %+v, want %d today, %d this minute, %+v", id, now, got, today, minute, byEndpoint)
	}
}

func checkUsage(t *testing.T, s Stores) {
	ctx := t.Context()
	wantUsage(t, s, "acme", epoch, 0, 0)

	at := func(hour, minute, second int) time.Time {
		return time.Date(year, 3, 14, hour, minute, second, 0, time.UTC)
	}
	mustDo(t, s.Meter.Count(ctx, "acme", "token-intel", 3, at(10, 0, 0)))
	mustDo(t, s.Meter.Count(ctx, "acme", "token-intel", 3, at(10, 0, 59).In(time.FixedZone("behind", -11*60*60))))
	mustDo(t, s.Meter.Count(ctx, "acme", "copy/leaders", 1, at(10, 0, 30)))
	mustDo(t, s.Meter.Count(ctx, "acme", "usage", 0, at(10, 0, 30)))
	leaders, intel := store.EndpointUsage{Endpoint: "copy/leaders", Units: 1}, store.EndpointUsage{Endpoint: "token-intel", Units: 6}
	wantUsage(t, s, "acme", at(10, 0, 59), 7, 7, leaders, intel)
	wantUsage(t, s, "acme", at(10, 1, 0), 7, 0, leaders, intel)
	wantUsage(t, s, "acme", at(9, 59, 59), 7, 0, leaders, intel)

	// The next minute begins at zero; a straggler of the minute before counts for the day.
	mustDo(t, s.Meter.Count(ctx, "acme", "token-intel", 3, at(10, 1, 0)))
	mustDo(t, s.Meter.Count(ctx, "acme", "token-intel", 3, at(10, 0, 58)))
	intel.Units = 12
	wantUsage(t, s, "acme", at(10, 1, 10), 13, 3, leaders, intel)

	// A day ends at midnight UTC, whatever the zone of the clock says.
	midnight := time.Date(year, 3, 15, 0, 0, 0, 0, time.UTC)
	mustDo(t, s.Meter.Count(ctx, "acme", "token-intel", 10_000_000, midnight.In(time.FixedZone("behind", -11*60*60))))
	wantUsage(t, s, "acme", midnight, 10_000_000, 10_000_000, store.EndpointUsage{Endpoint: "token-intel", Units: 10_000_000})
	wantUsage(t, s, "acme", midnight.Add(-1), 13, 0, leaders, intel)

	// Days are kept for as long as is promised, and a day that comes late is kept too.
	for day := range store.KeepUsageDays {
		mustDo(t, s.Meter.Count(ctx, "days", "token-intel", 1+day, midnight.AddDate(0, 0, day)))
	}
	for day := range store.KeepUsageDays {
		units := int64(1 + day)
		wantUsage(t, s, "days", midnight.AddDate(0, 0, day), units, units, store.EndpointUsage{Endpoint: "token-intel", Units: units})
	}
	mustDo(t, s.Meter.Count(ctx, "days", "token-intel", 5, midnight.AddDate(0, 0, 1).Add(12*time.Hour)))
	wantUsage(t, s, "days", midnight.AddDate(0, 0, 1), 7, 0, store.EndpointUsage{Endpoint: "token-intel", Units: 7})
}

func checkSimilarUsage(t *testing.T, s Stores) {
	ctx := t.Context()
	ids := []string{"a", "a-", "a-b", "a/b", "aa", "A"}
	for i, id := range ids {
		mustDo(t, s.Meter.Count(ctx, id, "token-intel", 1+i, epoch))
	}
	for i, id := range ids {
		units := int64(1 + i)
		wantUsage(t, s, id, epoch, units, units, store.EndpointUsage{Endpoint: "token-intel", Units: units})
	}
	wantUsage(t, s, "b", epoch, 0, 0)
}

// checkUsageModel compares random counts with maps in memory.
func checkUsageModel(t *testing.T, s Stores) {
	ctx := t.Context()
	type row struct {
		day, endpoint string
	}
	type minute struct {
		at    time.Time
		units int64
	}
	rapid.Check(t, func(t *rapid.T) {
		id := unique("usage")
		units, minutes := map[row]int64{}, map[row]minute{}
		now := time.Date(year, 3, 14, 23, 50, 0, 0, time.UTC)
		for range rapid.IntRange(1, 25).Draw(t, "counts") {
			now = now.Add(time.Duration(rapid.Int64Range(-int64(time.Minute), int64(3*time.Minute)).Draw(t, "passed")))
			key := row{now.Format(time.DateOnly), rapid.SampledFrom([]string{"boards", "perp-wallet", "token-intel"}).Draw(t, "endpoint")}
			n := rapid.IntRange(0, 19).Draw(t, "units")
			mustDo(t, s.Meter.Count(ctx, id, key.endpoint, n, now))
			if n == 0 {
				continue
			}
			units[key] += int64(n)
			at := now.Truncate(time.Minute)
			if at.After(minutes[key].at) {
				minutes[key] = minute{at: at}
			}
			if at.Equal(minutes[key].at) {
				minutes[key] = minute{at: at, units: minutes[key].units + int64(n)}
			}
		}
		want := store.Usage{}
		for key, n := range units {
			if key.day != now.Format(time.DateOnly) {
				continue
			}
			want.Today += n
			want.ByEndpoint = append(want.ByEndpoint, store.EndpointUsage{Endpoint: key.endpoint, Units: n})
			if minutes[key].at.Equal(now.Truncate(time.Minute)) {
				want.ThisMinute += minutes[key].units
			}
		}
		slices.SortFunc(want.ByEndpoint, func(a, b store.EndpointUsage) int { return strings.Compare(a.Endpoint, b.Endpoint) })
		wantUsage(t, s, id, now, want.Today, want.ThisMinute, want.ByEndpoint...)
	})
}

func checkConcurrentCounts(t *testing.T, s Stores) {
	ctx := t.Context()
	endpoints := []string{"boards", "perp-wallet", "token-intel", "usage-heavy"}
	start := epoch.Truncate(time.Minute)
	atOnce(goroutines, func(i int) {
		for call := range 6 {
			// Half the calls fall into the first minute and half into the next, in every order.
			now := start.Add(time.Duration((i+call)%2) * time.Minute)
			if err := s.Meter.Count(ctx, "acme", endpoints[i%len(endpoints)], 1+call, now); err != nil {
				t.Errorf("Count: %v", err)
			}
		}
	})
	const each = goroutines / 4 * (1 + 2 + 3 + 4 + 5 + 6)
	var want []store.EndpointUsage
	for _, endpoint := range endpoints {
		want = append(want, store.EndpointUsage{Endpoint: endpoint, Units: each})
	}
	// Calls of the later minute: 2+4+6 for an even caller, 1+3+5 for an odd one.
	wantUsage(t, s, "acme", start.Add(time.Minute), 4*each, goroutines/2*(2+4+6)+goroutines/2*(1+3+5), want...)
}

func checkInvalidMetering(t *testing.T, s Stores) {
	ctx := t.Context()
	good := store.Limit{PerMinute: 60, Burst: 10}
	type call struct {
		id    string
		limit store.Limit
		units int
		now   time.Time
	}
	invalid := []call{
		{"", good, 1, epoch}, {"a b", good, 1, epoch}, {"a#b", good, 1, epoch}, {strings.Repeat("x", 129), good, 1, epoch},
		{"acme", good, -1, epoch}, {"acme", good, 10_000_001, epoch}, {"acme", good, 1, time.Time{}},
		{"acme", good, 1, time.Date(2201, 1, 1, 0, 0, 0, 0, time.UTC)}, {"acme", good, 1, time.Date(1969, 12, 31, 0, 0, 0, 0, time.UTC)},
	}
	for _, c := range invalid {
		wantError(t, "Count", s.Meter.Count(ctx, c.id, "token-intel", c.units, c.now), store.ErrInvalid)
		if c.units == 1 {
			_, err := s.Meter.Usage(ctx, c.id, c.now)
			wantError(t, "Usage", err, store.ErrInvalid)
		}
	}
	for _, endpoint := range []string{"", "a b", "a#b", strings.Repeat("x", 129)} {
		wantError(t, "Count", s.Meter.Count(ctx, "acme", endpoint, 1, epoch), store.ErrInvalid)
	}
	for _, limit := range []store.Limit{{}, {PerMinute: 0, Burst: 1}, {PerMinute: 1, Burst: 0}, {PerMinute: -1, Burst: 1}, {PerMinute: 1, Burst: -1},
		{PerMinute: 10_000_001, Burst: 1}, {PerMinute: 1, Burst: 10_000_001}} {
		invalid = append(invalid, call{"acme", limit, 0, epoch})
	}
	for _, c := range invalid {
		grant, err := s.Meter.Take(ctx, c.id, c.limit, c.units, c.now)
		wantError(t, fmt.Sprintf("Take %+v", c), err, store.ErrInvalid)
		if grant != (store.Grant{}) {
			t.Errorf("Take %+v: %+v beside an error", c, grant)
		}
		wantError(t, fmt.Sprintf("Return %+v", c), s.Meter.Return(ctx, c.id, c.limit, c.units, c.now), store.ErrInvalid)
	}
	_, err := s.Meter.Take(ctx, "acme", good, 11, epoch)
	wantError(t, "Take of more than the burst", err, store.ErrExceedsBurst)

	if got := must[store.Grant](t)(s.Meter.Take(ctx, "acme", good, 0, epoch)); got != (store.Grant{Granted: true, Left: 10}) {
		t.Errorf("the bucket after invalid calls: %+v, want it full", got)
	}
	wantUsage(t, s, "acme", epoch, 0, 0)
}
