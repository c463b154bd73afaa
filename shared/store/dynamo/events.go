package dynamo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Events returns the outbox of the tables.
func (s *Store) Events() store.Events { return events{s} }

type events struct{ *Store }

type eventRow struct {
	Partition string    `dynamo:"pk"`
	Sort      string    `dynamo:"sk"`
	ID        string    `dynamo:"id"`
	Type      string    `dynamo:"type"`
	At        time.Time `dynamo:"at"`
	Data      []byte    `dynamo:"data"`
	ExpiresAt int64     `dynamo:"expiresAt"`
}

func eventPartition(day time.Time) string { return "EVENTS#" + day.UTC().Format(time.DateOnly) }

func eventSort(at time.Time, id string) string { return sortableTime(at) + "#" + id }

// say adds events to the outbox in a transaction.
func (s *Store) say(tx *dynamo.WriteTx, events []store.Event) {
	for _, event := range events {
		tx.Put(s.records.Put(eventRow{
			Partition: eventPartition(event.At), Sort: eventSort(event.At, event.ID),
			ID: event.ID, Type: event.Type, At: event.At.UTC(), Data: event.Data, ExpiresAt: event.At.Add(store.EventLife).Unix() + 1,
		}))
	}
}

func (e events) Said(ctx context.Context, day, after time.Time, afterID string, limit int) ([]store.Event, error) {
	if err := errors.Join(ctx.Err(), store.CheckSaid(day, after, afterID, limit)); err != nil {
		return nil, err
	}
	query := e.records.Get(partitionKey, eventPartition(day)).Limit(limit).Consistent(true)
	last := ""
	if !after.IsZero() {
		// One more, because the condition has the one after which we list.
		last = eventSort(after, afterID)
		query = query.Range(sortKey, dynamo.GreaterOrEqual, last).Limit(limit + 1)
	}
	var rows []eventRow
	if err := query.All(ctx, &rows); err != nil {
		return nil, fmt.Errorf("read events of %s: %w", day.UTC().Format(time.DateOnly), err)
	}
	if len(rows) > 0 && rows[0].Sort == last {
		rows = rows[1:]
	}
	said := make([]store.Event, 0, len(rows))
	for _, row := range rows[:min(len(rows), limit)] {
		said = append(said, store.Event{ID: row.ID, Type: row.Type, At: row.At, Data: row.Data})
	}
	return said, nil
}
