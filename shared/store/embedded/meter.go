package embedded

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/store/internal/tokenbucket"
)

// Meter returns the token buckets and the usage of the file.
func (s *Store) Meter() store.Meter { return meter{s} }

type meter struct{ store *Store }

func (m meter) Take(ctx context.Context, partnerID string, limit store.Limit, units int, now time.Time) (store.Grant, error) {
	if err := store.CheckTake(partnerID, limit, units, now); err != nil {
		return store.Grant{}, err
	}
	var grant store.Grant
	take := func(tx *bbolt.Tx) error {
		tokens := tx.Bucket(bucketTokens)
		before, err := decodeTokens(partnerID, tokens.Get([]byte(partnerID)))
		if err != nil {
			return err
		}
		var after tokenbucket.Bucket
		after, grant = before.Take(limit, units, now)
		if after == before {
			return nil
		}
		return tokens.Put([]byte(partnerID), encodeTokens(after))
	}
	run := m.store.write
	if units == 0 {
		run = m.store.read
	}
	if err := run(ctx, take); err != nil {
		return store.Grant{}, err
	}
	return grant, nil
}

func (m meter) Return(ctx context.Context, partnerID string, limit store.Limit, units int, now time.Time) error {
	if err := store.CheckCharge(partnerID, limit, units, now); err != nil {
		return err
	}
	if units == 0 {
		return ctx.Err()
	}
	return m.store.write(ctx, func(tx *bbolt.Tx) error {
		tokens := tx.Bucket(bucketTokens)
		row := tokens.Get([]byte(partnerID))
		if row == nil {
			return nil
		}
		bucket, err := decodeTokens(partnerID, row)
		if err != nil {
			return err
		}
		return tokens.Put([]byte(partnerID), encodeTokens(bucket.Return(limit, units, now)))
	})
}

// tokensSize is the size of a token bucket's row: three big-endian numbers in the order of tokenbucket.Bucket.
const tokensSize = 24

func encodeTokens(b tokenbucket.Bucket) []byte {
	row := make([]byte, 0, tokensSize)
	row = binary.BigEndian.AppendUint64(row, uint64(b.FullAt))
	row = binary.BigEndian.AppendUint64(row, uint64(b.AsOf))
	return binary.BigEndian.AppendUint64(row, uint64(b.Interval))
}

func decodeTokens(partnerID string, row []byte) (tokenbucket.Bucket, error) {
	if row == nil {
		return tokenbucket.Bucket{}, nil
	}
	if len(row) != tokensSize {
		return tokenbucket.Bucket{}, fmt.Errorf("token bucket of partner %s: row of %d bytes, want %d", partnerID, len(row), tokensSize)
	}
	bucket := tokenbucket.Bucket{
		FullAt:   int64(binary.BigEndian.Uint64(row)),
		AsOf:     int64(binary.BigEndian.Uint64(row[8:])),
		Interval: int64(binary.BigEndian.Uint64(row[16:])),
	}
	if err := bucket.Validate(); err != nil {
		return tokenbucket.Bucket{}, fmt.Errorf("token bucket of partner %s: %w", partnerID, err)
	}
	return bucket, nil
}

// usageRow is what a partner used of an endpoint on a UTC day, and in the latest minute of it.
type usageRow struct {
	units       int64
	minute      int64 // minutes since 1970
	minuteUnits int64
}

// usageSize is the size of a usageRow in the file: its three numbers, big-endian.
const usageSize = 24

func (m meter) Count(ctx context.Context, partnerID, endpoint string, units int, now time.Time) error {
	if err := store.CheckCount(partnerID, endpoint, units, now); err != nil {
		return err
	}
	if units == 0 {
		return ctx.Err()
	}
	key, name, minute := joinKey(partnerID, endpoint), usageDay(now), usageMinute(now)
	return m.store.write(ctx, func(tx *bbolt.Tx) error {
		day, err := openDay(tx.Bucket(bucketUsage), name, store.KeepUsageDays)
		if err != nil {
			return err
		}
		row, err := decodeUsage(key, day.Get(key))
		if err != nil {
			return err
		}
		row.units += int64(units)
		if minute > row.minute {
			row.minute, row.minuteUnits = minute, 0
		}
		if minute == row.minute {
			row.minuteUnits += int64(units)
		}
		return day.Put(key, encodeUsage(row))
	})
}

func (m meter) Usage(ctx context.Context, partnerID string, now time.Time) (store.Usage, error) {
	if err := store.CheckCount(partnerID, "any", 0, now); err != nil {
		return store.Usage{}, err
	}
	usage := store.Usage{ByEndpoint: []store.EndpointUsage{}}
	prefix, minute := joinKey(partnerID, ""), usageMinute(now)
	err := m.store.read(ctx, func(tx *bbolt.Tx) error {
		day := tx.Bucket(bucketUsage).Bucket(usageDay(now))
		if day == nil {
			return nil
		}
		cursor := day.Cursor()
		for key, data := cursor.Seek(prefix); bytes.HasPrefix(key, prefix); key, data = cursor.Next() {
			row, err := decodeUsage(key, data)
			if err != nil {
				return err
			}
			usage.Today += row.units
			if row.minute == minute {
				usage.ThisMinute += row.minuteUnits
			}
			usage.ByEndpoint = append(usage.ByEndpoint, store.EndpointUsage{Endpoint: string(key[len(prefix):]), Units: row.units})
		}
		return nil
	})
	if err != nil {
		return store.Usage{}, err
	}
	return usage, nil
}

func usageDay(now time.Time) []byte   { return now.UTC().AppendFormat(nil, time.DateOnly) }
func usageMinute(now time.Time) int64 { return now.Unix() / 60 }

// openDay returns the bucket of a day. To make a new one it deletes the oldest, so that no more than keep are kept: by number and
// not by age, because one wrong clock could otherwise delete them all.
func openDay(parent *bbolt.Bucket, name []byte, keep int) (*bbolt.Bucket, error) {
	if day := parent.Bucket(name); day != nil {
		return day, nil
	}
	var days [][]byte
	err := parent.ForEachBucket(func(day []byte) error {
		days = append(days, bytes.Clone(day))
		return nil
	})
	if err != nil {
		return nil, err
	}
	for len(days) >= keep && bytes.Compare(days[0], name) < 0 {
		if err := parent.DeleteBucket(days[0]); err != nil {
			return nil, fmt.Errorf("delete the day %s: %w", days[0], err)
		}
		days = days[1:]
	}
	return parent.CreateBucket(name)
}

func encodeUsage(u usageRow) []byte {
	row := make([]byte, 0, usageSize)
	row = binary.BigEndian.AppendUint64(row, uint64(u.units))
	row = binary.BigEndian.AppendUint64(row, uint64(u.minute))
	return binary.BigEndian.AppendUint64(row, uint64(u.minuteUnits))
}

func decodeUsage(key, row []byte) (usageRow, error) {
	if row == nil {
		return usageRow{}, nil
	}
	if len(row) != usageSize {
		return usageRow{}, fmt.Errorf("usage %s: row of %d bytes, want %d", key, len(row), usageSize)
	}
	return usageRow{
		units:       int64(binary.BigEndian.Uint64(row)),
		minute:      int64(binary.BigEndian.Uint64(row[8:])),
		minuteUnits: int64(binary.BigEndian.Uint64(row[16:])),
	}, nil
}
