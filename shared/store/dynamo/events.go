package dynamo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Events returns the log of the tables.
func (s *Store) Events() store.Events { return events{s} }

type events struct{ *Store }

type eventRow struct {
	Partition string    `dynamo:"pk"`
	Sort      string    `dynamo:"sk"`
	ID        string    `dynamo:"id"`
	Type      string    `dynamo:"type"`
	Partner   string    `dynamo:"partner,omitempty"`
	At        time.Time `dynamo:"at"`
	Data      []byte    `dynamo:"data"`
	ExpiresAt int64     `dynamo:"expiresAt"`
}

func eventPartition(day time.Time) string { return "EVENTS#" + day.UTC().Format(time.DateOnly) }

func eventSort(at time.Time, id string) string { return sortableTime(at) + "#" + id }

// say runs a transaction that also adds events to the log and to the outbox. fill gives the transaction its other writes.
//
// An event whose delivery is parked goes into the log alone. Whether it is parked is found out by the transaction, which expects that it
// is not; so where nothing is parked, as nearly always, nothing needs to be read.
func (s *Store) say(ctx context.Context, events []store.Event, fill func(tx *dynamo.WriteTx)) error {
	parked := make([]bool, len(events))
	for {
		err := s.transact(ctx, func(tx *dynamo.WriteTx) {
			fill(tx)
			for i, event := range events { // first, so that they are the last that have conditions
				s.expectParked(tx, deliveryOf(event), parked[i])
			}
			for i, event := range events {
				tx.Put(s.records.Put(eventRow{
					Partition: eventPartition(event.At), Sort: eventSort(event.At, event.ID),
					ID: event.ID, Type: event.Type, Partner: event.Partner, At: event.At.UTC(), Data: event.Data,
					ExpiresAt: event.At.Add(store.EventLife).Unix() + 1,
				}))
				if !parked[i] {
					tx.Put(s.records.Put(dueRowOf(deliveryOf(event))))
				}
			}
		})
		reasons := cancellationReasons(err)
		written := len(reasons) - 2*len(events) // by fill
		for _, is := range parked {
			if !is {
				written--
			}
		}
		if written < 0 || slices.Contains(reasons[:written], reasonCondition) || !slices.Contains(reasons, reasonCondition) {
			return err
		}
		for i := range events {
			if reasons[written+i] == reasonCondition {
				parked[i] = !parked[i]
			}
		}
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
		said = append(said, row.event())
	}
	return said, nil
}

func (r eventRow) event() store.Event {
	return store.Event{ID: r.ID, Type: r.Type, Partner: r.Partner, At: r.At, Data: r.Data}
}
