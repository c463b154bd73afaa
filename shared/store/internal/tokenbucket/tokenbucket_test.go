package tokenbucket_test

import (
	"math/big"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/store/internal/tokenbucket"
)

const most = 10_000_000

var (
	epoch = time.Date(2026, 3, 14, 15, 9, 26, 535_897_932, time.UTC)

	// anyLimit favours the ends of the range and rates that do not divide a minute.
	anyLimit = rapid.Custom(func(t *rapid.T) store.Limit {
		number := rapid.OneOf(rapid.IntRange(1, most), rapid.IntRange(1, 10), rapid.SampledFrom([]int{7, 6000, 7001, most - 1, most}))
		return store.Limit{PerMinute: number.Draw(t, "per minute"), Burst: number.Draw(t, "burst")}
	})
)

func TestUnitInterval(t *testing.T) {
	for perMinute, want := range map[int]int64{
		1: 60_000_000, 60: 1_000_000, 6000: 10_000, // even
		7: 8_571_429, 7001: 8_571, 59_999: 1_001, // 8,571,428.57; 8,570.2; 1,000.02
		most: 6, most - 1: 7,
	} {
		if got := tokenbucket.UnitInterval(store.Limit{PerMinute: perMinute, Burst: 1}); got != want {
			t.Errorf("%d a minute: %d microseconds a unit, want %d", perMinute, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		limit := anyLimit.Draw(t, "limit")
		interval := big.NewRat(tokenbucket.UnitInterval(limit), 1)
		rate := new(big.Rat).Quo(big.NewRat(60_000_000, int64(limit.PerMinute)), interval) // as a share of the limit's
		least := new(big.Rat).Sub(big.NewRat(1, 1), big.NewRat(int64(limit.PerMinute), 60_000_000))
		if rate.Cmp(big.NewRat(1, 1)) > 0 || rate.Cmp(least) < 0 {
			t.Fatalf("%d a minute refills at %v of it", limit.PerMinute, rate.FloatString(9))
		}
	})
}

// TestGrantsNeverPassTheLimit: whatever is asked and whichever way the clock goes, no more is granted than the burst, what the
// latest clock refilled, and what was returned.
func TestGrantsNeverPassTheLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := anyLimit.Draw(t, "limit")
		var bucket tokenbucket.Bucket
		clock := epoch
		var first, latest time.Time
		var granted, returned int64
		steps := rapid.OneOf(rapid.Int64Range(0, int64(time.Second)), rapid.Int64Range(-int64(time.Hour), int64(time.Hour)))
		for range rapid.IntRange(1, 60).Draw(t, "calls") {
			clock = clock.Add(time.Duration(steps.Draw(t, "passed")))
			units := rapid.OneOf(rapid.IntRange(0, limit.Burst), rapid.Just(limit.Burst), rapid.Just(min(1, limit.Burst))).Draw(t, "units")
			if rapid.IntRange(0, 5).Draw(t, "return") == 0 {
				returned += int64(units)
				bucket = bucket.Return(limit, units, clock)
			} else {
				before := bucket
				var grant store.Grant
				bucket, grant = bucket.Take(limit, units, clock)
				if grant.Granted {
					granted += int64(units)
				} else if bucket != before {
					t.Fatalf("a refusal changed %+v to %+v", before, bucket)
				}
			}
			if err := bucket.Validate(); err != nil {
				t.Fatal(err)
			}
			if first.IsZero() {
				first, latest = clock, clock
			}
			if clock.Before(first) {
				first = clock
			}
			if clock.After(latest) {
				latest = clock
			}
			bound := new(big.Rat).Mul(big.NewRat(int64(latest.Sub(first))+1000, int64(time.Minute)), big.NewRat(int64(limit.PerMinute), 1))
			bound.Add(bound, big.NewRat(int64(limit.Burst)+returned, 1))
			if big.NewRat(granted, 1).Cmp(bound) > 0 {
				t.Fatalf("%d units granted in %v at %+v with %d returned, bound %v", granted, latest.Sub(first), limit, returned, bound.FloatString(3))
			}
		}
	})
}

// TestGrantKeepsItsWord: RetryAfter and FullIn are true to the microsecond, at any limit and after any change of it.
func TestGrantKeepsItsWord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var bucket tokenbucket.Bucket
		clock := epoch
		for range rapid.IntRange(1, 8).Draw(t, "calls before") {
			limit := anyLimit.Draw(t, "limit")
			clock = clock.Add(time.Duration(rapid.Int64Range(-int64(time.Minute), int64(10*time.Minute)).Draw(t, "passed")))
			bucket, _ = bucket.Take(limit, rapid.IntRange(0, limit.Burst).Draw(t, "units"), clock)
			if err := bucket.Validate(); err != nil {
				t.Fatal(err)
			}
		}
		limit := anyLimit.Draw(t, "limit at last")
		units := rapid.IntRange(0, limit.Burst).Draw(t, "units at last")
		after, grant := bucket.Take(limit, units, clock)
		if !grant.Granted {
			if grant.RetryAfter <= 0 || grant.Left >= units {
				t.Fatalf("refused %d units: %+v", units, grant)
			}
			if _, early := bucket.Take(limit, units, clock.Add(grant.RetryAfter-time.Microsecond)); early.Granted {
				t.Fatalf("granted before RetryAfter: %+v", grant)
			}
			if _, onTime := bucket.Take(limit, units, clock.Add(grant.RetryAfter)); !onTime.Granted {
				t.Fatalf("refused after RetryAfter: %+v, %+v", grant, onTime)
			}
		}
		_, now := after.Take(limit, 0, clock)
		if now.Left != grant.Left || now.FullIn != grant.FullIn {
			t.Fatalf("%+v was told, but the bucket is %+v", grant, now)
		}
		_, full := after.Take(limit, 0, clock.Add(grant.FullIn))
		if full.Left != limit.Burst || full.FullIn != 0 {
			t.Fatalf("not full after FullIn: %+v, %+v", grant, full)
		}
		if grant.FullIn > 0 {
			if _, early := after.Take(limit, 0, clock.Add(grant.FullIn-time.Microsecond)); early.Left == limit.Burst || early.FullIn == 0 {
				t.Fatalf("full before FullIn: %+v, %+v", grant, early)
			}
		}
	})
}

// TestChangedRateGivesNothingAway: what was charged and not regained stays charged, in units, through any changes of the rate.
func TestChangedRateGivesNothingAway(t *testing.T) {
	owed := func(b tokenbucket.Bucket) *big.Rat { return big.NewRat(b.FullAt-b.AsOf, b.Interval) }
	rapid.Check(t, func(t *rapid.T) {
		limit := store.Limit{PerMinute: rapid.IntRange(1, most).Draw(t, "per minute at first"), Burst: most}
		bucket, _ := tokenbucket.Bucket{}.Take(limit, rapid.IntRange(2, most).Draw(t, "units"), epoch)
		now := epoch.Add(time.Duration(rapid.Int64Range(0, tokenbucket.UnitInterval(limit)).Draw(t, "passed")) * time.Microsecond)
		bucket = bucket.Return(limit, 0, now)
		for range rapid.IntRange(1, 10).Draw(t, "changes") {
			before := owed(bucket)
			limit.PerMinute = rapid.IntRange(1, most).Draw(t, "per minute")
			bucket = bucket.Return(limit, 0, now)
			most := new(big.Rat).Add(before, big.NewRat(1, bucket.Interval))
			if got := owed(bucket); got.Cmp(before) < 0 || got.Cmp(most) >= 0 {
				t.Fatalf("%v units were owed, and %v after a change to %+v", before.FloatString(9), got.FloatString(9), limit)
			}
		}
	})
}

func TestValidate(t *testing.T) {
	good := tokenbucket.Bucket{FullAt: 2_000_000, AsOf: 1_000_000, Interval: 10_000}
	for what, bucket := range map[string]tokenbucket.Bucket{
		"no interval":           {FullAt: 2_000_000, AsOf: 1_000_000},
		"negative interval":     {FullAt: 2_000_000, AsOf: 1_000_000, Interval: -1},
		"interval too long":     {FullAt: 2_000_000, AsOf: 1_000_000, Interval: 60_000_001},
		"before 1970":           {FullAt: 2_000_000, AsOf: -1, Interval: 10_000},
		"full before it was so": {FullAt: 999_999, AsOf: 1_000_000, Interval: 10_000},
		"owes too much":         {FullAt: 1_000_001 + most*60_000_000, AsOf: 1_000_000, Interval: 10_000},
	} {
		if bucket.Validate() == nil {
			t.Errorf("%s: %+v is taken", what, bucket)
		}
	}
	for _, bucket := range []tokenbucket.Bucket{{}, good} {
		if err := bucket.Validate(); err != nil {
			t.Error(err)
		}
	}
}
