package embedded

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Observations returns the measurements of the file.
func (s *Store) Observations() store.Observations { return observations{s} }

type observations struct{ store *Store }

type observationRow struct {
	At   time.Time `json:"at"`
	Data []byte    `json:"data"`
}

const hourFormat = "2006-01-02T15"

func observationPrefix(chain, token string) []byte { return joinKey(chain, token+"#") }

func observationKey(prefix []byte, at time.Time) []byte {
	return append(bytes.Clone(prefix), at.UTC().Format(hourFormat)...)
}

func (o observations) Observe(ctx context.Context, chain, token string, observation store.Observation) error {
	if err := errors.Join(store.CheckToken(chain, token), observation.Validate()); err != nil {
		return err
	}
	row, err := json.Marshal(observationRow{At: observation.At.UTC(), Data: observation.Data})
	if err != nil {
		return fmt.Errorf("observe %s on %s: %w", token, chain, err)
	}
	prefix := observationPrefix(chain, token)
	key := observationKey(prefix, observation.At)
	oldest := observationKey(prefix, observation.At.Add(-store.ObservationLife))
	return o.store.write(ctx, func(tx *bbolt.Tx) error {
		bucket := tx.Bucket(bucketObservations)
		if bucket.Get(key) != nil {
			return nil
		}
		cursor := bucket.Cursor()
		for at, _ := cursor.Seek(prefix); bytes.HasPrefix(at, prefix) && bytes.Compare(at, oldest) < 0; at, _ = cursor.Seek(prefix) {
			if err := cursor.Delete(); err != nil {
				return err
			}
		}
		return bucket.Put(key, row)
	})
}

func (o observations) Observed(ctx context.Context, chain, token string, from time.Time) ([]store.Observation, error) {
	if err := errors.Join(store.CheckToken(chain, token), store.CheckTime("from", from)); err != nil {
		return nil, err
	}
	observed := []store.Observation{}
	err := o.store.read(ctx, func(tx *bbolt.Tx) error {
		prefix := observationPrefix(chain, token)
		cursor := tx.Bucket(bucketObservations).Cursor()
		for at, data := cursor.Seek(observationKey(prefix, from)); bytes.HasPrefix(at, prefix); at, data = cursor.Next() {
			var row observationRow
			if err := json.Unmarshal(data, &row); err != nil {
				return fmt.Errorf("read observation of %s on %s: %w", token, chain, err)
			}
			if !row.At.Before(from) {
				observed = append(observed, store.Observation{At: row.At, Data: row.Data})
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	first := 0
	for first < len(observed) && !observed[first].At.After(observed[len(observed)-1].At.Add(-store.ObservationLife)) {
		first++
	}
	return observed[first:], nil
}
