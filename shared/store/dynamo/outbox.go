package dynamo

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Outbox returns the outbox of the tables.
func (s *Store) Outbox() store.Outbox { return outbox{s} }

type outbox struct{ *Store }

// deliveryRow is a delivery, due or parked. It says when it is due: a reference to it in the list of what is due that says otherwise is
// left over from an event that was said again, and counts for nothing.
type deliveryRow struct {
	Partition  string    `dynamo:"pk"`
	Sort       string    `dynamo:"sk"`
	ID         string    `dynamo:"id"`
	Partner    string    `dynamo:"partner,omitempty"`
	Event      saidEvent `dynamo:"event"`
	DueAt      string    `dynamo:"dueAt"`
	FirstDueAt time.Time `dynamo:"firstDueAt"`
	Attempts   int       `dynamo:"attempts"`
	Parked     bool      `dynamo:"parked"`
}

type saidEvent struct {
	ID      string    `dynamo:"id"`
	Type    string    `dynamo:"type"`
	Partner string    `dynamo:"partner,omitempty"`
	At      time.Time `dynamo:"at"`
	Data    []byte    `dynamo:"data"`
}

func deliveryKey(id, partner string) rowKey { return rowKey{"OUTBOXIDS#" + id, "PARTNER#" + partner} }

// dueKey has a space between ID and partner, which sorts before whatever else they hold.
func dueKey(d store.Delivery) rowKey {
	return rowKey{outboxPartition(store.OutboxShard(d.Partner)), sortableTime(d.DueAt) + "#" + d.ID + " " + d.Partner}
}

func outboxPartition(shard int) string { return fmt.Sprintf("OUTBOX#%d", shard) }

func parkedKey(partner, id string) rowKey { return rowKey{"PARKED#" + partner, id} }

func dueRowOf(d store.Delivery) reference { return referTo(deliveryKey(d.ID, d.Partner), dueKey(d)) }

// deliveryOf is what is put into the outbox when an event is said.
func deliveryOf(event store.Event) store.Delivery {
	return store.Delivery{ID: event.ID, Partner: event.Partner, Event: event, DueAt: event.At, FirstDueAt: event.At}
}

func deliveryRowOf(d store.Delivery) deliveryRow {
	key := deliveryKey(d.ID, d.Partner)
	return deliveryRow{
		Partition: key.partition, Sort: key.sort, ID: d.ID, Partner: d.Partner,
		Event: saidEvent{ID: d.Event.ID, Type: d.Event.Type, Partner: d.Event.Partner, At: d.Event.At.UTC(), Data: d.Event.Data},
		DueAt: sortableTime(d.DueAt), FirstDueAt: d.FirstDueAt.UTC(), Attempts: d.Attempts,
	}
}

func (r deliveryRow) key() rowKey { return rowKey{r.Partition, r.Sort} }

func (r deliveryRow) delivery() (store.Delivery, error) {
	dueAt, err := time.Parse(sortedTime, r.DueAt)
	if err != nil {
		return store.Delivery{}, fmt.Errorf("read delivery %s to %q: %w", r.ID, r.Partner, err)
	}
	return store.Delivery{
		ID: r.ID, Partner: r.Partner, DueAt: dueAt, FirstDueAt: r.FirstDueAt, Attempts: r.Attempts,
		Event: store.Event{ID: r.Event.ID, Type: r.Event.Type, Partner: r.Event.Partner, At: r.Event.At, Data: r.Event.Data},
	}, nil
}

// expectParked adds to a transaction that says an event the write of its delivery on the condition that none is parked, or else the
// condition that one is.
func (s *Store) expectParked(tx *dynamo.WriteTx, delivery store.Delivery, parked bool) {
	if key := deliveryKey(delivery.ID, delivery.Partner); parked {
		tx.Check(s.records.Check(partitionKey, key.partition).Range(sortKey, key.sort).If("parked = ?", true))
		return
	}
	tx.Put(s.records.Put(deliveryRowOf(delivery)).If("attribute_not_exists(pk) OR parked = ?", false))
}

func (o outbox) Due(ctx context.Context, shard int, at time.Time, limit int) ([]store.Delivery, error) {
	if err := errors.Join(ctx.Err(), store.CheckDueDeliveries(shard, at, limit)); err != nil {
		return nil, err
	}
	from := list{partition: outboxPartition(shard), first: firstText, last: sortableTime(at) + "$"} // '$' follows '#'
	rows, leftOver, err := listRows(ctx, o.Store, from, limit, deliveryRow.key, func(listed reference, row deliveryRow) bool {
		return !row.Parked && strings.HasPrefix(listed.Sort, row.DueAt+"#")
	})
	if err != nil {
		return nil, fmt.Errorf("list due deliveries: %w", err)
	}
	for _, listed := range leftOver {
		if err := o.sweep(ctx, listed); err != nil {
			return nil, fmt.Errorf("list due deliveries: %w", err)
		}
	}
	return deliveries(rows)
}

// sweep deletes a reference that is left over, unless the delivery has become due then in the meantime.
func (o outbox) sweep(ctx context.Context, listed reference) error {
	due, _, _ := strings.Cut(listed.Sort, "#")
	to := listed.to()
	err := o.transact(ctx, func(tx *dynamo.WriteTx) {
		tx.Check(o.records.Check(partitionKey, to.partition).Range(sortKey, to.sort).
			If("attribute_not_exists(pk) OR parked = ? OR dueAt <> ?", true, due))
		o.deleteRow(tx, rowKey{listed.Partition, listed.Sort})
	})
	if failedCondition(err) >= 0 {
		return nil
	}
	return err
}

func (o outbox) Parked(ctx context.Context, partner, after string, limit int) ([]store.Delivery, error) {
	if err := errors.Join(ctx.Err(), store.CheckParked(partner, after, limit)); err != nil {
		return nil, err
	}
	from := list{partition: parkedKey(partner, "").partition, first: firstText, last: lastText, after: after}
	rows, _, err := listRows(ctx, o.Store, from, limit, deliveryRow.key, func(_ reference, row deliveryRow) bool { return row.Parked })
	if err != nil {
		return nil, fmt.Errorf("list parked deliveries of %s: %w", partner, err)
	}
	return deliveries(rows)
}

func deliveries(rows []deliveryRow) ([]store.Delivery, error) {
	listed := make([]store.Delivery, 0, len(rows))
	for _, row := range rows {
		delivery, err := row.delivery()
		if err != nil {
			return nil, err
		}
		listed = append(listed, delivery)
	}
	return listed, nil
}

func (o outbox) Add(ctx context.Context, delivery store.Delivery) error {
	if err := errors.Join(ctx.Err(), delivery.Validate()); err != nil {
		return err
	}
	err := o.transact(ctx, func(tx *dynamo.WriteTx) {
		tx.Put(o.records.Put(deliveryRowOf(delivery)).If(notThere))
		tx.Put(o.records.Put(dueRowOf(delivery)))
	})
	if err != nil && failedCondition(err) < 0 {
		return fmt.Errorf("add delivery %s to %q: %w", delivery.ID, delivery.Partner, err)
	}
	return nil
}
