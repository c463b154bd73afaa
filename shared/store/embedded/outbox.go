package embedded

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"go.etcd.io/bbolt"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Outbox returns the outbox of the file.
func (s *Store) Outbox() store.Outbox { return outbox{s} }

type outbox struct{ store *Store }

type deliveryRow struct {
	ID         string    `json:"id"`
	Partner    string    `json:"partner,omitempty"`
	Event      eventRow  `json:"event"`
	DueAt      time.Time `json:"dueAt"`
	FirstDueAt time.Time `json:"firstDueAt"`
	Attempts   int       `json:"attempts"`
	Parked     bool      `json:"parked,omitempty"`
}

func deliveryRowOf(d store.Delivery) deliveryRow {
	return deliveryRow{
		ID: d.ID, Partner: d.Partner, Event: eventRowOf(d.Event), DueAt: d.DueAt.UTC(), FirstDueAt: d.FirstDueAt.UTC(), Attempts: d.Attempts,
	}
}

func (r deliveryRow) delivery() store.Delivery {
	return store.Delivery{
		ID: r.ID, Partner: r.Partner, Event: r.Event.event(), DueAt: r.DueAt, FirstDueAt: r.FirstDueAt, Attempts: r.Attempts,
	}
}

// deliveryKey is unambiguous for a delivery to all, too: only then it ends with '#'.
func deliveryKey(id, partner string) []byte { return joinKey(id, partner) }

func shardPrefix(shard int) []byte { return joinKey(strconv.Itoa(shard), "") }

// dueKey has a space between ID and partner, which sorts before whatever else they hold.
func (r deliveryRow) dueKey() []byte {
	return append(shardPrefix(store.OutboxShard(r.Partner)), timedKey(r.DueAt, []byte(r.ID+" "+r.Partner))...)
}

func parkedKey(partner, id string) []byte { return joinKey(partner, id) }

func readDelivery(tx *bbolt.Tx, id, partner string) (row deliveryRow, found bool, err error) {
	found, err = readRow(tx.Bucket(bucketDeliveries), "delivery", deliveryKey(id, partner), &row)
	return row, found, err
}

// write writes a delivery, and where it is found; the caller has deleted where it was found before.
func (r deliveryRow) write(tx *bbolt.Tx) error {
	order, place := tx.Bucket(bucketDeliveriesDue), r.dueKey()
	if r.Parked {
		order, place = tx.Bucket(bucketParked), parkedKey(r.Partner, r.ID)
	}
	key := deliveryKey(r.ID, r.Partner)
	return errors.Join(writeRow(tx.Bucket(bucketDeliveries), "delivery", key, r), order.Put(place, key))
}

// putSaid puts an event that is said into the outbox.
func putSaid(tx *bbolt.Tx, event store.Event) error {
	before, found, err := readDelivery(tx, event.ID, event.Partner)
	if err != nil || found && before.Parked {
		return err
	}
	if found {
		if err := tx.Bucket(bucketDeliveriesDue).Delete(before.dueKey()); err != nil {
			return err
		}
	}
	return deliveryRowOf(store.Delivery{
		ID: event.ID, Partner: event.Partner, Event: event, DueAt: event.At, FirstDueAt: event.At,
	}).write(tx)
}

func (o outbox) Due(ctx context.Context, shard int, at time.Time, limit int) ([]store.Delivery, error) {
	if err := store.CheckDueDeliveries(shard, at, limit); err != nil {
		return nil, err
	}
	prefix := shardPrefix(shard)
	end := append(bytes.Clone(prefix), timedKey(at.Add(1), nil)...)
	return o.list(ctx, limit, end, bucketDeliveriesDue, prefix, nil)
}

func (o outbox) Parked(ctx context.Context, partner, after string, limit int) ([]store.Delivery, error) {
	if err := store.CheckParked(partner, after, limit); err != nil {
		return nil, err
	}
	prefix := parkedKey(partner, "")
	end := bytes.Clone(prefix)
	end[len(end)-1]++
	return o.list(ctx, limit, end, bucketParked, prefix, parkedKey(partner, after))
}

// list gives at most limit deliveries that an order has under keys with a prefix, after one and before an end.
func (o outbox) list(ctx context.Context, limit int, end, order, prefix, after []byte) ([]store.Delivery, error) {
	listed := []store.Delivery{}
	err := o.store.read(ctx, func(tx *bbolt.Tx) error {
		for _, key := range until(ascend(tx.Bucket(order), prefix, after), end) {
			var row deliveryRow
			found, err := readRow(tx.Bucket(bucketDeliveries), "delivery", key, &row)
			if err == nil && !found {
				err = fmt.Errorf("delivery %s is listed and is not there", key)
			}
			if err != nil {
				return err
			}
			if listed = append(listed, row.delivery()); len(listed) == limit {
				return nil
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return listed, nil
}

func (o outbox) Add(ctx context.Context, delivery store.Delivery) error {
	if err := delivery.Validate(); err != nil {
		return err
	}
	return o.store.write(ctx, func(tx *bbolt.Tx) error {
		if tx.Bucket(bucketDeliveries).Get(deliveryKey(delivery.ID, delivery.Partner)) != nil {
			return nil
		}
		return deliveryRowOf(delivery).write(tx)
	})
}

func (o outbox) Postpone(ctx context.Context, was store.Delivery, attempts int, dueAt time.Time) error {
	if err := store.CheckPostpone(was, attempts, dueAt); err != nil {
		return err
	}
	return o.store.decide(ctx, func(tx *bbolt.Tx) (refusal, err error) {
		row, found, err := readDelivery(tx, was.ID, was.Partner)
		if err != nil {
			return nil, err
		}
		if !found || row.Parked || row.Attempts != was.Attempts || !row.DueAt.Equal(was.DueAt) {
			return fmt.Errorf("delivery %s to %q is not there as it was: %w", was.ID, was.Partner, store.ErrConflict), nil
		}
		before := row.dueKey()
		row.Attempts, row.DueAt = attempts, dueAt.UTC()
		return nil, errors.Join(tx.Bucket(bucketDeliveriesDue).Delete(before), row.write(tx))
	})
}

func (o outbox) Done(ctx context.Context, delivery store.Delivery) error {
	return o.take(ctx, delivery, func(tx *bbolt.Tx, row deliveryRow) error {
		return tx.Bucket(bucketDeliveries).Delete(deliveryKey(row.ID, row.Partner))
	})
}

func (o outbox) Park(ctx context.Context, delivery store.Delivery) error {
	return o.take(ctx, delivery, func(tx *bbolt.Tx, row deliveryRow) error {
		row.Parked = true
		return row.write(tx)
	})
}

// take takes a delivery out of what is due, if it is there, and does with it what then is to be done.
func (o outbox) take(ctx context.Context, delivery store.Delivery, then func(tx *bbolt.Tx, row deliveryRow) error) error {
	if err := delivery.Validate(); err != nil {
		return err
	}
	return o.store.write(ctx, func(tx *bbolt.Tx) error {
		row, found, err := readDelivery(tx, delivery.ID, delivery.Partner)
		if err != nil || !found || row.Parked {
			return err
		}
		return errors.Join(tx.Bucket(bucketDeliveriesDue).Delete(row.dueKey()), then(tx, row))
	})
}

func (o outbox) Replay(ctx context.Context, partner, id string, dueAt time.Time) error {
	if err := store.CheckReplay(partner, id, dueAt); err != nil {
		return err
	}
	return o.store.decide(ctx, func(tx *bbolt.Tx) (refusal, err error) {
		row, found, err := readDelivery(tx, id, partner)
		if err != nil {
			return nil, err
		}
		if !found || !row.Parked {
			return fmt.Errorf("parked delivery %s to %q: %w", id, partner, store.ErrNotFound), nil
		}
		row.Parked, row.Attempts, row.DueAt = false, 0, dueAt.UTC()
		return nil, errors.Join(tx.Bucket(bucketParked).Delete(parkedKey(partner, id)), row.write(tx))
	})
}
