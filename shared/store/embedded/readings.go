package embedded

import (
	"context"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Readings returns the readings of the file.
func (s *Store) Readings() store.Readings { return readings{s} }

type readings struct{ store *Store }

type readingRow struct {
	Version int64     `json:"version"`
	At      time.Time `json:"at"`
	Data    []byte    `json:"data"`
}

func (r readings) Reading(ctx context.Context, leader store.FollowedLeader) (store.Reading, error) {
	if err := leader.Validate(); err != nil {
		return store.Reading{}, err
	}
	var row readingRow
	err := r.store.read(ctx, func(tx *bbolt.Tx) error {
		_, err := readRow(tx.Bucket(bucketReadings), "reading", leaderOfKey(leader), &row)
		return err
	})
	if err != nil {
		return store.Reading{}, err
	}
	return store.Reading{Of: leader, Version: row.Version, At: row.At, Data: row.Data}, nil
}

func (r readings) Keep(ctx context.Context, reading store.Reading) error {
	if err := reading.Validate(); err != nil {
		return err
	}
	key := leaderOfKey(reading.Of)
	return r.store.decide(ctx, func(tx *bbolt.Tx) (refusal, err error) {
		var before readingRow
		if _, err := readRow(tx.Bucket(bucketReadings), "reading", key, &before); err != nil {
			return nil, err
		}
		if before.Version != reading.Version-1 {
			return fmt.Errorf("version %d of reading %s after %d: %w", reading.Version, key, before.Version, store.ErrConflict), nil
		}
		row := readingRow{Version: reading.Version, At: reading.At.UTC(), Data: reading.Data}
		return nil, writeRow(tx.Bucket(bucketReadings), "reading", key, row)
	})
}
