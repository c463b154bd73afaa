// Package tokenbucket is the arithmetic of a partner's token bucket, in whole microseconds and so without rounding errors that
// could add up. It keeps nothing and knows no engine. Microseconds since 1970 stay below 2^53 until the year 2255: they are exact
// wherever an engine, a tool or an export reads its numbers as doubles, as nanoseconds would not be.
//
// A bucket is kept as the moment at which it will be full again, which is the generic cell rate algorithm in its virtual
// scheduling form (ITU-T I.371, Annex A; ATM Forum Traffic Management 4.0, section 4.4.3): taking units moves that moment
// further away, and time refills the bucket without a write. An engine can therefore charge units with one conditional addition.
package tokenbucket

import (
	"fmt"
	"math/bits"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

const minute = int64(time.Minute / time.Microsecond)

// maxDebt is how far away from being full the largest bucket can be, in microseconds: 10,000,000 units at one a minute.
const maxDebt = 10_000_000 * minute

// Bucket is the state of one token bucket. The zero Bucket was never touched, and is full.
type Bucket struct {
	// FullAt is when the bucket is full again if nothing more is taken, in microseconds since 1970.
	FullAt int64
	// AsOf is the latest time at which anything was taken or returned, in microseconds since 1970.
	AsOf int64
	// Interval is what UnitInterval was then, in microseconds; 0 in a bucket that was never touched.
	Interval int64
}

// Validate reports a bucket that no sequence of calls can have made, as a damaged row would be.
func (b Bucket) Validate() error {
	if b == (Bucket{}) {
		return nil
	}
	if b.Interval < 1 || b.Interval > minute || b.AsOf < 0 || b.FullAt < b.AsOf || b.FullAt-b.AsOf > maxDebt {
		return fmt.Errorf("damaged token bucket %+v", b)
	}
	return nil
}

// UnitInterval returns how long the bucket takes to regain one unit, in microseconds, rounded up: the rate is never more than
// the limit's, and less by a share of at most limit.PerMinute / 60,000,000; not at all where that many units divide a minute into
// whole microseconds, as 6,000 do.
func UnitInterval(limit store.Limit) int64 {
	perMinute := int64(limit.PerMinute)
	return (minute + perMinute - 1) / perMinute
}

// Window returns how long an empty bucket takes to be full, in microseconds.
func Window(limit store.Limit) int64 { return int64(limit.Burst) * UnitInterval(limit) }

// Cost returns how much further away units move the moment at which the bucket is full, in microseconds.
func Cost(limit store.Limit, units int) int64 { return int64(units) * UnitInterval(limit) }

// seen returns the time that a caller with that clock may count as now: a clock that is behind the bucket's refills nothing.
func (b Bucket) seen(clock int64) int64 { return max(clock, b.AsOf) }

// debt returns how long the bucket is from being full at the time seen. What was charged at another rate stays charged, in
// units, and is regained at the limit's rate.
func (b Bucket) debt(limit store.Limit, seen int64) int64 {
	owed, interval := b.FullAt-b.AsOf, UnitInterval(limit)
	if b.Interval != interval && owed > 0 {
		// owed/b.Interval is at most the largest burst, so the result fits. Rounded up: a change of rate gives nothing away.
		high, low := bits.Mul64(uint64(owed), uint64(interval))
		low, carry := bits.Add64(low, uint64(b.Interval)-1, 0)
		quotient, _ := bits.Div64(high+carry, low, uint64(b.Interval))
		owed = int64(quotient)
	}
	return max(0, owed-(seen-b.AsOf))
}

// Take charges units as of now if the bucket holds them, and returns the bucket after it. A bucket that grants nothing, or is
// asked for 0 units, is returned as it was. The arguments are valid (Limit.Validate, units from 0 to limit.Burst).
func (b Bucket) Take(limit store.Limit, units int, now time.Time) (Bucket, store.Grant) {
	clock, interval, window, cost := now.UnixMicro(), UnitInterval(limit), Window(limit), Cost(limit, units)
	seen := b.seen(clock)
	debt := b.debt(limit, seen)
	grant := store.Grant{Granted: units == 0 || debt+cost <= window}
	if grant.Granted {
		debt += cost
		if units > 0 {
			b = Bucket{FullAt: seen + debt, AsOf: seen, Interval: interval}
		}
	} else {
		grant.RetryAfter = time.Duration(seen+debt+cost-window-clock) * time.Microsecond
	}
	grant.Left = int(max(0, window-debt) / interval)
	if debt > 0 {
		grant.FullIn = time.Duration(seen+debt-clock) * time.Microsecond
	}
	return b, grant
}

// Return gives units back as of now and returns the bucket after it; it never holds more than the burst. The arguments are valid.
func (b Bucket) Return(limit store.Limit, units int, now time.Time) Bucket {
	seen := b.seen(now.UnixMicro())
	debt := max(0, b.debt(limit, seen)-Cost(limit, units))
	return Bucket{FullAt: seen + debt, AsOf: seen, Interval: UnitInterval(limit)}
}
