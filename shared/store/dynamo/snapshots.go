package dynamo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Snapshots returns the histories of the tables.
func (s *Store) Snapshots() store.Snapshots { return snapshots{s} }

type snapshots struct{ *Store }

type snapshotRow struct {
	Partition string    `dynamo:"pk"`
	Sort      string    `dynamo:"sk"`
	Version   uint64    `dynamo:"version"`
	At        time.Time `dynamo:"at"`
	Data      []byte    `dynamo:"data"`
	ExpiresAt int64     `dynamo:"expiresAt,omitempty"`
}

const latestSort = "LATEST"

func historyPartition(h store.History) string {
	return "SNAPSHOTS#" + h.Partner + "#" + h.Chain + "#" + h.Token
}

func versionSort(version uint64) string { return fmt.Sprintf("VERSION#%020d", version) }

func (s snapshots) Latest(ctx context.Context, history store.History) (store.Snapshot, error) {
	if err := errors.Join(ctx.Err(), history.Validate()); err != nil {
		return store.Snapshot{}, err
	}
	var row snapshotRow
	err := get(s.records, rowKey{historyPartition(history), latestSort}).One(ctx, &row)
	switch {
	case errors.Is(err, dynamo.ErrNotFound):
		return store.Snapshot{}, fmt.Errorf("history %v: %w", history, store.ErrNotFound)
	case err != nil:
		return store.Snapshot{}, fmt.Errorf("read latest snapshot of %v: %w", history, err)
	}
	return row.snapshot(), nil
}

// Append writes both rows in one transaction. The condition on the latest row is what lets only one caller add a version.
func (s snapshots) Append(ctx context.Context, history store.History, snapshot store.Snapshot) error {
	if err := errors.Join(ctx.Err(), history.Validate(), snapshot.Validate()); err != nil {
		return err
	}
	row := snapshotRow{
		Partition: historyPartition(history), Sort: latestSort, Version: snapshot.Version, At: snapshot.At.UTC(), Data: snapshot.Data,
	}
	version := row
	version.Sort, version.ExpiresAt = versionSort(snapshot.Version), snapshot.At.Add(store.SnapshotLife).Unix()+1
	err := retryConflicts(ctx, func() error {
		latest := s.records.Put(row)
		if snapshot.Version == 1 {
			latest = latest.If(notThere)
		} else {
			latest = latest.If("version = ?", snapshot.Version-1)
		}
		return s.db.WriteTx().Put(latest).Put(s.records.Put(version)).Run(ctx)
	})
	switch {
	case failedCondition(err) >= 0:
		return fmt.Errorf("version %d of history %v: %w", snapshot.Version, history, store.ErrConflict)
	case err != nil:
		return fmt.Errorf("append version %d to history %v: %w", snapshot.Version, history, err)
	}
	return nil
}

func (s snapshots) List(ctx context.Context, history store.History, limit int) ([]store.Snapshot, error) {
	if err := store.CheckListed(limit); err != nil {
		return nil, err
	}
	latest, err := s.Latest(ctx, history)
	if errors.Is(err, store.ErrNotFound) {
		return []store.Snapshot{}, nil
	}
	if err != nil {
		return nil, err
	}
	listed := []store.Snapshot{latest}
	if latest.Version == 1 || limit == 1 {
		return listed, nil
	}
	var rows []snapshotRow
	err = s.records.Get(partitionKey, historyPartition(history)).
		Range(sortKey, dynamo.Between, versionSort(1), versionSort(latest.Version-1)).
		Order(dynamo.Descending).Limit(limit-1).Consistent(true).All(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("list snapshots of %v: %w", history, err)
	}
	for _, row := range rows {
		if row.At.After(latest.At.Add(-store.SnapshotLife)) {
			listed = append(listed, row.snapshot())
		}
	}
	return listed, nil
}

func (r snapshotRow) snapshot() store.Snapshot {
	return store.Snapshot{Version: r.Version, At: r.At, Data: r.Data}
}
