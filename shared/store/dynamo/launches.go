package dynamo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Launches returns the launches of the tables.
func (s *Store) Launches() store.Launches { return launches{s} }

type launches struct{ *Store }

type launchRow struct {
	Partition  string    `dynamo:"pk"`
	Sort       string    `dynamo:"sk"`
	At         time.Time `dynamo:"at"`
	Data       []byte    `dynamo:"data"`
	ExaminedAt time.Time `dynamo:"examinedAt,omitempty"`
	Outcome    []byte    `dynamo:"outcome,omitempty"`
	ExpiresAt  int64     `dynamo:"expiresAt"`
}

// launchesKnownRow has its time as a text that sorts as the times do, which a condition can compare to the nanosecond.
type launchesKnownRow struct {
	Partition  string `dynamo:"pk"`
	Sort       string `dynamo:"sk"`
	KnownUntil string `dynamo:"knownUntil"`
	ExpiresAt  int64  `dynamo:"expiresAt"`
}

const (
	launchPrefix      = "TOKEN#"
	launchesKnownSort = "KNOWNUNTIL"

	// launchesAtOnce is how many rows DynamoDB takes in one transaction. As many of the largest are below its 4 MB.
	launchesAtOnce = 100
)

func launchPartition(chain string, day time.Time) string {
	return "LAUNCHES#" + chain + "#" + day.UTC().Format(time.DateOnly)
}

// Register writes in transactions, each of which is repeated without harm when its answer was lost, and the note last, so that it
// never promises what a call that was cut short did not write.
func (l launches) Register(ctx context.Context, chain string, day time.Time, launches []store.Launch, knownUntil time.Time) error {
	if err := errors.Join(ctx.Err(), store.CheckLaunches(chain, day, launches, knownUntil)); err != nil {
		return err
	}
	partition := launchPartition(chain, day)
	for missing := launches; len(missing) > 0; {
		var err error
		if missing, err = l.unregistered(ctx, partition, missing); err != nil {
			return fmt.Errorf("register launches of %s: %w", partition, err)
		}
		for chunk := range slices.Chunk(missing, launchesAtOnce) {
			if err = l.add(ctx, partition, chunk); err != nil {
				break
			}
		}
		switch {
		case failedCondition(err) >= 0: // somebody else registered one of them since we looked
		case err != nil:
			return fmt.Errorf("register launches of %s: %w", partition, err)
		default:
			missing = nil
		}
	}
	return l.note(ctx, partition, day, knownUntil)
}

// unregistered are those of the launches that the day does not have, the first of each token.
func (l launches) unregistered(ctx context.Context, partition string, launches []store.Launch) ([]store.Launch, error) {
	rows, err := l.rows(ctx, partition)
	if err != nil {
		return nil, err
	}
	registered := make(map[string]bool, len(rows)+len(launches))
	for _, row := range rows {
		registered[row.token()] = true
	}
	var missing []store.Launch
	for _, launch := range launches {
		if !registered[launch.Token] {
			registered[launch.Token] = true
			missing = append(missing, launch)
		}
	}
	return missing, nil
}

func (l launches) add(ctx context.Context, partition string, launches []store.Launch) error {
	return retryConflicts(ctx, func() error {
		write := l.db.WriteTx()
		for _, launch := range launches {
			write.Put(l.records.Put(launchRow{
				Partition: partition, Sort: launchPrefix + launch.Token, At: launch.At.UTC(), Data: launch.Data,
				ExpiresAt: launch.At.Add(store.LaunchLife).Unix() + 1,
			}).If(notThere))
		}
		return write.Run(ctx)
	})
}

func (l launches) note(ctx context.Context, partition string, day, knownUntil time.Time) error {
	until := knownUntil.UTC().Format(sortedTime)
	err := l.records.Put(launchesKnownRow{
		Partition: partition, Sort: launchesKnownSort, KnownUntil: until,
		ExpiresAt: day.UTC().Truncate(24 * time.Hour).Add(24*time.Hour + store.LaunchLife).Unix(),
	}).If("attribute_not_exists(pk) OR $ < ?", "knownUntil", until).Run(ctx)
	if err != nil && !dynamo.IsCondCheckFailed(err) {
		return fmt.Errorf("note what is known of %s: %w", partition, err)
	}
	return nil
}

func (l launches) KnownUntil(ctx context.Context, chain string, day time.Time) (time.Time, error) {
	if err := errors.Join(ctx.Err(), store.CheckLaunchDay(chain, day)); err != nil {
		return time.Time{}, err
	}
	var row launchesKnownRow
	err := get(l.records, rowKey{launchPartition(chain, day), launchesKnownSort}).One(ctx, &row)
	if errors.Is(err, dynamo.ErrNotFound) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("read what is known of %s: %w", launchPartition(chain, day), err)
	}
	until, err := time.Parse(sortedTime, row.KnownUntil)
	if err != nil {
		return time.Time{}, fmt.Errorf("read what is known of %s: %w", launchPartition(chain, day), err)
	}
	return until, nil
}

func (l launches) OfDay(ctx context.Context, chain string, day time.Time) ([]store.Launch, error) {
	if err := errors.Join(ctx.Err(), store.CheckLaunchDay(chain, day)); err != nil {
		return nil, err
	}
	rows, err := l.rows(ctx, launchPartition(chain, day))
	if err != nil {
		return nil, fmt.Errorf("read launches of %s: %w", launchPartition(chain, day), err)
	}
	of := make([]store.Launch, 0, len(rows))
	for _, row := range rows {
		of = append(of, store.Launch{
			Chain: chain, Token: row.token(), At: row.At, Data: row.Data, ExaminedAt: row.ExaminedAt, Outcome: row.Outcome,
		})
	}
	return of, nil
}

func (l launches) rows(ctx context.Context, partition string) (rows []launchRow, err error) {
	err = l.records.Get(partitionKey, partition).Range(sortKey, dynamo.BeginsWith, launchPrefix).Consistent(true).All(ctx, &rows)
	return rows, err
}

// Examine is a transaction of one, so that one whose answer was lost is not taken for somebody else's.
func (l launches) Examine(ctx context.Context, launch store.Launch) error {
	if err := errors.Join(ctx.Err(), store.CheckExamined(launch)); err != nil {
		return err
	}
	key := rowKey{launchPartition(launch.Chain, launch.At), launchPrefix + launch.Token}
	err := retryConflicts(ctx, func() error {
		return l.db.WriteTx().Update(update(l.records, key).
			Set("examinedAt", launch.ExaminedAt.UTC()).Set("outcome", launch.Outcome).
			If("attribute_exists(pk) AND attribute_not_exists(examinedAt)")).Run(ctx)
	})
	if failedCondition(err) < 0 {
		if err != nil {
			return fmt.Errorf("examine launch %s on %s: %w", launch.Token, launch.Chain, err)
		}
		return nil
	}
	var row launchRow
	switch err := get(l.records, key).One(ctx, &row); {
	case errors.Is(err, dynamo.ErrNotFound):
		return fmt.Errorf("launch %s on %s: %w", launch.Token, launch.Chain, store.ErrNotFound)
	case err != nil:
		return fmt.Errorf("read launch %s on %s: %w", launch.Token, launch.Chain, err)
	}
	return fmt.Errorf("outcome of launch %s on %s: %w", launch.Token, launch.Chain, store.ErrConflict)
}

func (r launchRow) token() string { return strings.TrimPrefix(r.Sort, launchPrefix) }
