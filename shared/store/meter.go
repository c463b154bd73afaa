package store

import (
	"context"
	"fmt"
	"time"
)

// KeepUsageDays is how many UTC days of usage are kept at least, the latest included.
const KeepUsageDays = 8

// maxUnits bounds one call, so that no sum of a day comes near the end of an int64.
const maxUnits = 10_000_000

// checkUnits reports ErrInvalid unless units is 0 to 10,000,000.
func checkUnits(units int) error {
	if units < 0 || units > maxUnits {
		return fmt.Errorf("%w: %d units, want 0 to %d", ErrInvalid, units, maxUnits)
	}
	return nil
}

// Grant is the answer of a token bucket, as the caller's clock sees it.
type Grant struct {
	// Granted says whether the units were charged.
	Granted bool
	// Left is how many whole units the bucket holds now.
	Left int
	// FullIn is how long the bucket takes to be full again if nothing more is taken; 0 when it is full.
	FullIn time.Duration
	// RetryAfter is how long until the same units would be granted if nobody else took any; 0 when they were granted.
	RetryAfter time.Duration
}

// Usage is what a partner has used.
type Usage struct {
	Today      int64           // units of this UTC day
	ThisMinute int64           // units of this UTC minute
	ByEndpoint []EndpointUsage // of this UTC day, by name; endpoints that used nothing are not listed
}

// EndpointUsage is what a partner has used of one endpoint.
type EndpointUsage struct {
	Endpoint string
	Units    int64
}

// Meter charges units to partners and counts what they use. It does not know partners: it meters whatever id it is given, and
// the limit comes with every call.
type Meter interface {
	// Take charges units to the partner's token bucket as of now, or charges nothing if it holds fewer. A bucket that was never
	// touched is full. A clock behind the latest one that changed the bucket counts as that latest one, so time that goes backwards
	// refills nothing; clocks are read to the microsecond. Whatever the concurrency, any run of calls is granted at most limit.Burst
	// units, and limit.PerMinute more for each minute that passes on the latest clock meanwhile, and what is returned meanwhile.
	// 0 units are always granted, charge nothing and tell the state. When the limit changes, what has been charged and not yet
	// refilled stays charged.
	// A call that is repeated because its answer was lost may charge twice.
	// ErrExceedsBurst: units is more than limit.Burst.
	Take(ctx context.Context, partnerID string, limit Limit, units int, now time.Time) (Grant, error)
	// Return gives units back after a failure that costs nothing. The bucket never holds more than limit.Burst.
	Return(ctx context.Context, partnerID string, limit Limit, units int, now time.Time) error
	// Count adds units to the partner's usage of the UTC day and minute of now, under the endpoint's name. Only the latest minute
	// of an endpoint and day is kept: units of an earlier one that come late count for their day alone. 0 units count nothing.
	// A call that is repeated because its answer was lost may count twice.
	Count(ctx context.Context, partnerID, endpoint string, units int, now time.Time) error
	// Usage tells the partner's usage of the UTC day and minute of now. Days are kept for KeepUsageDays days.
	Usage(ctx context.Context, partnerID string, now time.Time) (Usage, error)
}

// CheckCharge reports what is wrong with the arguments of Take and Return, as ErrInvalid.
func CheckCharge(partnerID string, limit Limit, units int, now time.Time) error {
	if err := CheckID("partner id", partnerID); err != nil {
		return err
	}
	if err := limit.Validate(); err != nil {
		return err
	}
	if err := checkUnits(units); err != nil {
		return err
	}
	return CheckTime("now", now)
}

// CheckTake reports what is wrong with the arguments of Take: what CheckCharge does, and ErrExceedsBurst.
func CheckTake(partnerID string, limit Limit, units int, now time.Time) error {
	if err := CheckCharge(partnerID, limit, units, now); err != nil {
		return err
	}
	if units > limit.Burst {
		return fmt.Errorf("%w: %d units, burst %d", ErrExceedsBurst, units, limit.Burst)
	}
	return nil
}

// CheckCount reports what is wrong with the arguments of Count, as ErrInvalid.
func CheckCount(partnerID, endpoint string, units int, now time.Time) error {
	if err := CheckID("partner id", partnerID); err != nil {
		return err
	}
	if err := CheckID("endpoint", endpoint); err != nil {
		return err
	}
	if err := checkUnits(units); err != nil {
		return err
	}
	return CheckTime("now", now)
}
