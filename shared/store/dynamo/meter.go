package dynamo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/store/internal/tokenbucket"
)

// Meter returns the token buckets and the usage of the tables.
func (s *Store) Meter() store.Meter { return meter{s} }

type meter struct{ *Store }

// bucketRow is a tokenbucket.Bucket as it stands in the table.
type bucketRow struct {
	FullAt   int64 `dynamo:"fullAt"`
	AsOf     int64 `dynamo:"asOf"`
	Interval int64 `dynamo:"unitInterval"`
}

func bucketKey(partnerID string) rowKey { return rowKey{"BUCKET#" + partnerID, "BUCKET"} }

// Take is one write where a bucket is busy: an addition on the condition that the bucket holds the units, which others can make
// at the same time. A refused write brings back the row that refused it, from which the next one is made; only a bucket that is
// full, new, or of another rate is replaced as a whole, on the condition that it did not change.
func (m meter) Take(ctx context.Context, partnerID string, limit store.Limit, units int, now time.Time) (store.Grant, error) {
	if err := errors.Join(ctx.Err(), store.CheckTake(partnerID, limit, units, now)); err != nil {
		return store.Grant{}, err
	}
	if units == 0 {
		before, err := m.bucket(ctx, partnerID)
		if err != nil {
			return store.Grant{}, err
		}
		_, grant := before.Take(limit, 0, now)
		return grant, nil
	}
	interval, cost := tokenbucket.UnitInterval(limit), tokenbucket.Cost(limit, units)
	add := func(seen int64) *dynamo.Update {
		return update(m.meters, bucketKey(partnerID)).Add("fullAt", cost).Set("asOf", seen).
			If("unitInterval = ? AND asOf <= ? AND fullAt BETWEEN ? AND ?",
				interval, seen, seen, seen+tokenbucket.Window(limit)-cost)
	}
	write := add(now.UnixMicro())
	for {
		var row bucketRow
		err := write.IncludeItemInCondCheckFail(true).Value(ctx, &row)
		if err == nil {
			// Others may have taken units as well: what is left is told by the row, not by what we knew before.
			_, grant := row.bucket().Take(limit, 0, now)
			return grant, nil
		}
		before, err := currentBucket(partnerID, err)
		if err != nil {
			return store.Grant{}, err
		}
		after, grant := before.Take(limit, units, now)
		if !grant.Granted {
			return grant, nil
		}
		if before.Interval == interval && before.FullAt >= after.AsOf {
			write = add(after.AsOf)
		} else {
			write = m.replace(partnerID, before, after)
		}
	}
}

func (m meter) Return(ctx context.Context, partnerID string, limit store.Limit, units int, now time.Time) error {
	if err := errors.Join(ctx.Err(), store.CheckCharge(partnerID, limit, units, now)); err != nil {
		return err
	}
	if units == 0 {
		return nil
	}
	interval, cost := tokenbucket.UnitInterval(limit), tokenbucket.Cost(limit, units)
	subtract := func(seen int64) *dynamo.Update {
		return update(m.meters, bucketKey(partnerID)).Add("fullAt", -cost).Set("asOf", seen).
			If("unitInterval = ? AND asOf <= ? AND fullAt >= ?", interval, seen, seen+cost)
	}
	write := subtract(now.UnixMicro())
	for {
		err := write.IncludeItemInCondCheckFail(true).Run(ctx)
		if err == nil {
			return nil
		}
		before, err := currentBucket(partnerID, err)
		if err != nil {
			return err
		}
		if before == (tokenbucket.Bucket{}) {
			return nil // never touched, so full
		}
		after := before.Return(limit, units, now)
		if before.Interval == interval && before.FullAt-cost >= after.AsOf {
			write = subtract(after.AsOf)
		} else {
			write = m.replace(partnerID, before, after)
		}
	}
}

// replace writes a bucket on the condition that it is still as it was before.
func (m meter) replace(partnerID string, before, after tokenbucket.Bucket) *dynamo.Update {
	write := update(m.meters, bucketKey(partnerID)).
		Set("fullAt", after.FullAt).Set("asOf", after.AsOf).Set("unitInterval", after.Interval)
	if before == (tokenbucket.Bucket{}) {
		return write.If(notThere)
	}
	return write.If("fullAt = ? AND asOf = ? AND unitInterval = ?", before.FullAt, before.AsOf, before.Interval)
}

func (m meter) bucket(ctx context.Context, partnerID string) (tokenbucket.Bucket, error) {
	var row bucketRow
	err := get(m.meters, bucketKey(partnerID)).One(ctx, &row)
	switch {
	case errors.Is(err, dynamo.ErrNotFound):
		return tokenbucket.Bucket{}, nil
	case err != nil:
		return tokenbucket.Bucket{}, fmt.Errorf("read token bucket of partner %s: %w", partnerID, err)
	}
	return checkedBucket(partnerID, row)
}

// currentBucket returns the bucket that refused a write, or what else went wrong with it.
func currentBucket(partnerID string, failure error) (tokenbucket.Bucket, error) {
	var row bucketRow
	if _, err := refused(failure, &row); err != nil {
		return tokenbucket.Bucket{}, fmt.Errorf("write token bucket of partner %s: %w", partnerID, err)
	}
	return checkedBucket(partnerID, row)
}

func checkedBucket(partnerID string, row bucketRow) (tokenbucket.Bucket, error) {
	bucket := row.bucket()
	if err := bucket.Validate(); err != nil {
		return tokenbucket.Bucket{}, fmt.Errorf("token bucket of partner %s: %w", partnerID, err)
	}
	return bucket, nil
}

func (r bucketRow) bucket() tokenbucket.Bucket {
	return tokenbucket.Bucket{FullAt: r.FullAt, AsOf: r.AsOf, Interval: r.Interval}
}

// usageRow is what a partner used of an endpoint on a UTC day, and in the latest minute of it.
type usageRow struct {
	Endpoint    string `dynamo:"sk"`
	Units       int64  `dynamo:"units"`
	Minute      int64  `dynamo:"latestMinute"` // minutes since 1970
	MinuteUnits int64  `dynamo:"minuteUnits"`
}

func usagePartition(partnerID string, now time.Time) string {
	return "USAGE#" + partnerID + "#" + now.UTC().Format(time.DateOnly)
}

func usageMinute(now time.Time) int64 { return now.Unix() / 60 }

// usageExpiry returns when the usage of a day may be deleted, in Unix seconds.
func usageExpiry(now time.Time) int64 {
	return now.UTC().Truncate(24*time.Hour).AddDate(0, 0, store.KeepUsageDays+1).Unix()
}

// Count is one write in all calls but the first of a minute: additions on the condition that the row is at that minute.
func (m meter) Count(ctx context.Context, partnerID, endpoint string, units int, now time.Time) error {
	if err := errors.Join(ctx.Err(), store.CheckCount(partnerID, endpoint, units, now)); err != nil {
		return err
	}
	if units == 0 {
		return nil
	}
	minute := usageMinute(now)
	add := func() *dynamo.Update {
		return update(m.meters, rowKey{usagePartition(partnerID, now), endpoint}).Add("units", units).IncludeItemInCondCheckFail(true)
	}
	write := add().Add("minuteUnits", units).If("latestMinute = ?", minute)
	for {
		err := write.Run(ctx)
		if err == nil {
			return nil
		}
		var row usageRow
		if _, err := refused(err, &row); err != nil {
			return fmt.Errorf("count usage of partner %s: %w", partnerID, err)
		}
		switch {
		case row.Minute == minute:
			write = add().Add("minuteUnits", units).If("latestMinute = ?", minute)
		case row.Minute > minute:
			write = add().If("latestMinute > ?", minute)
		default:
			write = add().Set("latestMinute", minute).Set("minuteUnits", units).Set("expiresAt", usageExpiry(now)).
				If("attribute_not_exists(latestMinute) OR latestMinute < ?", minute)
		}
	}
}

func (m meter) Usage(ctx context.Context, partnerID string, now time.Time) (store.Usage, error) {
	if err := errors.Join(ctx.Err(), store.CheckID("partner id", partnerID), store.CheckTime("now", now)); err != nil {
		return store.Usage{}, err
	}
	var rows []usageRow
	if err := m.meters.Get(partitionKey, usagePartition(partnerID, now)).Consistent(true).All(ctx, &rows); err != nil {
		return store.Usage{}, fmt.Errorf("read usage of partner %s: %w", partnerID, err)
	}
	usage := store.Usage{ByEndpoint: make([]store.EndpointUsage, 0, len(rows))}
	for _, row := range rows {
		usage.Today += row.Units
		if row.Minute == usageMinute(now) {
			usage.ThisMinute += row.MinuteUnits
		}
		usage.ByEndpoint = append(usage.ByEndpoint, store.EndpointUsage{Endpoint: row.Endpoint, Units: row.Units})
	}
	return usage, nil
}
