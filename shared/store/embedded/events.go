package embedded

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Events returns the log of the file.
func (s *Store) Events() store.Events { return events{s} }

type events struct{ store *Store }

type eventRow struct {
	ID      string    `json:"id"`
	Type    string    `json:"type"`
	Partner string    `json:"partner,omitempty"`
	At      time.Time `json:"at"`
	Data    []byte    `json:"data"`
}

func eventRowOf(event store.Event) eventRow {
	return eventRow{ID: event.ID, Type: event.Type, Partner: event.Partner, At: event.At.UTC(), Data: event.Data}
}

func (r eventRow) event() store.Event {
	return store.Event{ID: r.ID, Type: r.Type, Partner: r.Partner, At: r.At, Data: r.Data}
}

// keptEventDays is how many days with events are kept: those that EventLife touches, and one more for a clock that is wrong.
const keptEventDays = int(store.EventLife/(24*time.Hour)) + 2

func eventDay(at time.Time) []byte { return at.UTC().AppendFormat(nil, time.DateOnly) }

func eventKey(at time.Time, id string) []byte { return joinKey(at.UTC().Format(sortedTime), id) }

// say adds events to the log and to the outbox.
func say(tx *bbolt.Tx, events []store.Event) error {
	for _, event := range events {
		row, err := json.Marshal(eventRowOf(event))
		if err != nil {
			return fmt.Errorf("say event %s: %w", event.ID, err)
		}
		day, err := openDay(tx.Bucket(bucketEvents), eventDay(event.At), keptEventDays)
		if err != nil {
			return err
		}
		if err := day.Put(eventKey(event.At, event.ID), row); err != nil {
			return err
		}
		if err := putSaid(tx, event); err != nil {
			return err
		}
	}
	return nil
}

func (e events) Said(ctx context.Context, day, after time.Time, afterID string, limit int) ([]store.Event, error) {
	if err := store.CheckSaid(day, after, afterID, limit); err != nil {
		return nil, err
	}
	said := []store.Event{}
	err := e.store.read(ctx, func(tx *bbolt.Tx) error {
		bucket := tx.Bucket(bucketEvents).Bucket(eventDay(day))
		if bucket == nil {
			return nil
		}
		cursor := bucket.Cursor()
		key, data := cursor.First()
		if !after.IsZero() {
			last := eventKey(after, afterID)
			if key, data = cursor.Seek(last); bytes.Equal(key, last) {
				key, data = cursor.Next()
			}
		}
		for ; key != nil && len(said) < limit; key, data = cursor.Next() {
			var row eventRow
			if err := json.Unmarshal(data, &row); err != nil {
				return fmt.Errorf("read event %s: %w", key, err)
			}
			said = append(said, row.event())
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return said, nil
}
