package dynamo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Readings returns the readings of the tables.
func (s *Store) Readings() store.Readings { return readings{s} }

type readings struct{ *Store }

type readingRow struct {
	Partition string    `dynamo:"pk"`
	Sort      string    `dynamo:"sk"`
	Version   int64     `dynamo:"version"`
	At        time.Time `dynamo:"at"`
	Data      []byte    `dynamo:"data"`
}

func readingKey(leader store.FollowedLeader) rowKey {
	return rowKey{"READING#" + leader.Group.Kind + "#" + leader.Group.Place + "#" + leader.Leader, "READING"}
}

func (r readings) Reading(ctx context.Context, leader store.FollowedLeader) (store.Reading, error) {
	if err := errors.Join(ctx.Err(), leader.Validate()); err != nil {
		return store.Reading{}, err
	}
	var row readingRow
	if err := get(r.records, readingKey(leader)).One(ctx, &row); err != nil && !errors.Is(err, dynamo.ErrNotFound) {
		return store.Reading{}, fmt.Errorf("read reading of %v: %w", leader, err)
	}
	return store.Reading{Of: leader, Version: row.Version, At: row.At, Data: row.Data}, nil
}

func (r readings) Keep(ctx context.Context, reading store.Reading) error {
	if err := errors.Join(ctx.Err(), reading.Validate()); err != nil {
		return err
	}
	key := readingKey(reading.Of)
	err := r.replace(ctx, reading.Version, readingRow{
		Partition: key.partition, Sort: key.sort, Version: reading.Version, At: reading.At.UTC(), Data: reading.Data,
	})
	if err != nil {
		return fmt.Errorf("keep version %d of the reading of %v: %w", reading.Version, reading.Of, err)
	}
	return nil
}

// replace writes a row of a version in the place of the version before. ErrConflict: that is not there. It is a transaction of one,
// although a conditional put would do, so that a write whose answer was lost is not taken for somebody else's.
func (s *Store) replace(ctx context.Context, version int64, row any) error {
	err := s.transact(ctx, func(tx *dynamo.WriteTx) {
		put := s.records.Put(row)
		if version == 1 {
			put = put.If(notThere)
		} else {
			put = put.If("version = ?", version-1)
		}
		tx.Put(put)
	})
	if failedCondition(err) >= 0 {
		return store.ErrConflict
	}
	return err
}
