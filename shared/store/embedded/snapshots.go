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

// Snapshots returns the histories of the file.
func (s *Store) Snapshots() store.Snapshots { return snapshots{s} }

type snapshots struct{ store *Store }

type snapshotRow struct {
	Version uint64    `json:"version"`
	At      time.Time `json:"at"`
	Data    []byte    `json:"data"`
}

func historyKey(h store.History) []byte { return joinKey(h.Partner, h.Chain+"#"+h.Token) }

func versionKey(history []byte, version uint64) []byte {
	return fmt.Appendf(bytes.Clone(history), "#%020d", version)
}

func (s snapshots) Latest(ctx context.Context, history store.History) (store.Snapshot, error) {
	var latest store.Snapshot
	if err := history.Validate(); err != nil {
		return latest, err
	}
	err := s.store.read(ctx, func(tx *bbolt.Tx) (err error) {
		latest, err = latestOf(tx, history)
		return err
	})
	return latest, err
}

func (s snapshots) Append(ctx context.Context, history store.History, snapshot store.Snapshot) error {
	if err := errors.Join(history.Validate(), snapshot.Validate()); err != nil {
		return err
	}
	row, err := json.Marshal(snapshotRow{Version: snapshot.Version, At: snapshot.At.UTC(), Data: snapshot.Data})
	if err != nil {
		return fmt.Errorf("write snapshot of %v: %w", history, err)
	}
	key := historyKey(history)
	return s.store.write(ctx, func(tx *bbolt.Tx) error {
		latest, err := latestOf(tx, history)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		if snapshot.Version != latest.Version+1 {
			return fmt.Errorf("version %d of history %v: %w", snapshot.Version, history, store.ErrConflict)
		}
		if err := forgetVersions(tx, key, snapshot.At.Add(-store.SnapshotLife)); err != nil {
			return err
		}
		return errors.Join(
			tx.Bucket(bucketLatest).Put(key, row), tx.Bucket(bucketSnapshots).Put(versionKey(key, snapshot.Version), row))
	})
}

func (s snapshots) List(ctx context.Context, history store.History, limit int) ([]store.Snapshot, error) {
	if err := errors.Join(history.Validate(), store.CheckListed(limit)); err != nil {
		return nil, err
	}
	listed := []store.Snapshot{}
	err := s.store.read(ctx, func(tx *bbolt.Tx) error {
		latest, err := latestOf(tx, history)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		listed = append(listed, latest)
		key := historyKey(history)
		cursor := tx.Bucket(bucketSnapshots).Cursor()
		cursor.Seek(versionKey(key, latest.Version))
		for at, data := cursor.Prev(); bytes.HasPrefix(at, append(bytes.Clone(key), '#')) && len(listed) < limit; at, data = cursor.Prev() {
			snapshot, err := decodeSnapshot(data)
			if err != nil {
				return fmt.Errorf("read snapshot of %v: %w", history, err)
			}
			if snapshot.At.After(latest.At.Add(-store.SnapshotLife)) {
				listed = append(listed, snapshot)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return listed, nil
}

func latestOf(tx *bbolt.Tx, history store.History) (store.Snapshot, error) {
	data := tx.Bucket(bucketLatest).Get(historyKey(history))
	if data == nil {
		return store.Snapshot{}, fmt.Errorf("history %v: %w", history, store.ErrNotFound)
	}
	snapshot, err := decodeSnapshot(data)
	if err != nil {
		return store.Snapshot{}, fmt.Errorf("read latest snapshot of %v: %w", history, err)
	}
	return snapshot, nil
}

func decodeSnapshot(data []byte) (store.Snapshot, error) {
	var row snapshotRow
	if err := json.Unmarshal(data, &row); err != nil {
		return store.Snapshot{}, err
	}
	return store.Snapshot{Version: row.Version, At: row.At, Data: row.Data}, nil
}

// forgetVersions removes a history's oldest versions up to a time.
func forgetVersions(tx *bbolt.Tx, history []byte, until time.Time) error {
	prefix := append(bytes.Clone(history), '#')
	cursor := tx.Bucket(bucketSnapshots).Cursor()
	for at, data := cursor.Seek(prefix); bytes.HasPrefix(at, prefix); at, data = cursor.Seek(prefix) {
		snapshot, err := decodeSnapshot(data)
		if err != nil || snapshot.At.After(until) {
			return err
		}
		if err := cursor.Delete(); err != nil {
			return err
		}
	}
	return nil
}
