package dynamo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

func (o outbox) Postpone(ctx context.Context, was store.Delivery, attempts int, dueAt time.Time) error {
	if err := errors.Join(ctx.Err(), store.CheckPostpone(was, attempts, dueAt)); err != nil {
		return err
	}
	next := was
	next.DueAt = dueAt
	err := o.transact(ctx, func(tx *dynamo.WriteTx) {
		tx.Update(update(o.records, deliveryKey(was.ID, was.Partner)).
			Set("attempts", attempts).Set("dueAt", sortableTime(dueAt)).
			If("attempts = ? AND dueAt = ? AND parked = ?", was.Attempts, sortableTime(was.DueAt), false))
		if !dueAt.Equal(was.DueAt) {
			tx.Put(o.records.Put(dueRowOf(next)))
			o.deleteRow(tx, dueKey(was))
		}
	})
	switch {
	case failedCondition(err) >= 0:
		return fmt.Errorf("delivery %s to %q is not there as it was: %w", was.ID, was.Partner, store.ErrConflict)
	case err != nil:
		return fmt.Errorf("postpone delivery %s to %q: %w", was.ID, was.Partner, err)
	}
	return nil
}

func (o outbox) Done(ctx context.Context, delivery store.Delivery) error {
	return o.take(ctx, delivery, func(tx *dynamo.WriteTx, as store.Delivery) {
		key := deliveryKey(as.ID, as.Partner)
		tx.Delete(o.records.Delete(partitionKey, key.partition).Range(sortKey, key.sort).
			If("attempts = ? AND dueAt = ? AND parked = ?", as.Attempts, sortableTime(as.DueAt), false))
	})
}

func (o outbox) Park(ctx context.Context, delivery store.Delivery) error {
	return o.take(ctx, delivery, func(tx *dynamo.WriteTx, as store.Delivery) {
		key := deliveryKey(as.ID, as.Partner)
		tx.Update(update(o.records, key).Set("parked", true).
			If("attempts = ? AND dueAt = ? AND parked = ?", as.Attempts, sortableTime(as.DueAt), false))
		o.putReference(tx, key, parkedKey(as.Partner, as.ID))
	})
}

// take takes a delivery out of what is due, if it is there, and does with it what then is to be done, on the condition that it is as
// was thought: at first as the caller has it, and then as it is found.
func (o outbox) take(ctx context.Context, delivery store.Delivery, then func(tx *dynamo.WriteTx, as store.Delivery)) error {
	if err := errors.Join(ctx.Err(), delivery.Validate()); err != nil {
		return err
	}
	for as := delivery; ; {
		err := o.transact(ctx, func(tx *dynamo.WriteTx) {
			then(tx, as)
			o.deleteRow(tx, dueKey(as))
		})
		if err == nil {
			return nil
		}
		if failedCondition(err) < 0 {
			return fmt.Errorf("take delivery %s to %q: %w", delivery.ID, delivery.Partner, err)
		}
		var row deliveryRow
		err = get(o.records, deliveryKey(delivery.ID, delivery.Partner)).One(ctx, &row)
		if errors.Is(err, dynamo.ErrNotFound) || err == nil && row.Parked {
			return nil
		}
		if err == nil {
			as, err = row.delivery()
		}
		if err != nil {
			return fmt.Errorf("read delivery %s to %q: %w", delivery.ID, delivery.Partner, err)
		}
	}
}

func (o outbox) Replay(ctx context.Context, partner, id string, dueAt time.Time) error {
	if err := errors.Join(ctx.Err(), store.CheckReplay(partner, id, dueAt)); err != nil {
		return err
	}
	err := o.transact(ctx, func(tx *dynamo.WriteTx) {
		tx.Update(update(o.records, deliveryKey(id, partner)).
			Set("attempts", 0).Set("dueAt", sortableTime(dueAt)).Set("parked", false).If("parked = ?", true))
		tx.Put(o.records.Put(dueRowOf(store.Delivery{ID: id, Partner: partner, DueAt: dueAt})))
		o.deleteRow(tx, parkedKey(partner, id))
	})
	switch {
	case failedCondition(err) >= 0:
		return fmt.Errorf("parked delivery %s to %q: %w", id, partner, store.ErrNotFound)
	case err != nil:
		return fmt.Errorf("replay delivery %s to %q: %w", id, partner, err)
	}
	return nil
}
