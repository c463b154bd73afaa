package store

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"time"
)

// OutboxShards is into how many parts the outbox is split, so that several can work on it.
const OutboxShards = 8

// MaximumAttempts bounds the attempts of a delivery.
const MaximumAttempts = 1_000

// Delivery is an event on its way to a partner, or to all while Partner is empty.
type Delivery struct {
	// ID is the event's when it was said, and names the delivery for as long as it lasts.
	ID      string
	Partner string
	Event   Event
	// DueAt is when it is to be tried; FirstDueAt when it was to be tried first, which never changes. Attempts is how often it was.
	DueAt, FirstDueAt time.Time
	Attempts          int
}

// Validate reports ErrInvalid if the delivery cannot be kept.
func (d Delivery) Validate() error {
	err := errors.Join(CheckID("delivery", d.ID), d.Event.Validate(), CheckTime("when a delivery is due", d.DueAt),
		CheckTime("when a delivery was first due", d.FirstDueAt))
	if d.Partner != "" {
		err = errors.Join(err, CheckID("partner", d.Partner))
	}
	if err == nil && (d.Attempts < 0 || d.Attempts > MaximumAttempts) {
		return fmt.Errorf("%w: %d attempts", ErrInvalid, d.Attempts)
	}
	return err
}

// OutboxShard is the part of the outbox that holds what goes to a partner; what goes to all is in that of the empty name.
func OutboxShard(partner string) int {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(partner))
	return int(hash.Sum32() % OutboxShards)
}

// CheckDueDeliveries reports ErrInvalid unless these can be arguments of Outbox.Due.
func CheckDueDeliveries(shard int, at time.Time, limit int) error {
	if shard < 0 || shard >= OutboxShards {
		return fmt.Errorf("%w: shard %d", ErrInvalid, shard)
	}
	return errors.Join(CheckTime("when deliveries are due", at), CheckListed(limit))
}

// CheckParked reports ErrInvalid unless these can be arguments of Outbox.Parked.
func CheckParked(partner, after string, limit int) error {
	err := errors.Join(CheckID("partner", partner), CheckListed(limit))
	if after != "" {
		err = errors.Join(err, CheckID("delivery", after))
	}
	return err
}

// CheckPostpone reports ErrInvalid unless these can be arguments of Outbox.Postpone: neither the attempts nor the due time go back, and
// one of them goes on.
func CheckPostpone(was Delivery, attempts int, dueAt time.Time) error {
	next := was
	next.Attempts, next.DueAt = attempts, dueAt
	if err := errors.Join(was.Validate(), next.Validate()); err != nil {
		return err
	}
	if attempts < was.Attempts || dueAt.Before(was.DueAt) || attempts == was.Attempts && dueAt.Equal(was.DueAt) {
		return fmt.Errorf("%w: from %d attempts, due %v, to %d, due %v", ErrInvalid, was.Attempts, was.DueAt, attempts, dueAt)
	}
	return nil
}

// CheckReplay reports ErrInvalid unless these can be arguments of Outbox.Replay.
func CheckReplay(partner, id string, dueAt time.Time) error {
	err := errors.Join(CheckID("delivery", id), CheckTime("when a delivery is due", dueAt))
	if partner != "" {
		err = errors.Join(err, CheckID("partner", partner))
	}
	return err
}

// Outbox keeps what must still be delivered. Every event that is said is put into it in the same step, as a delivery of the event's ID
// and partner, due at once (DueAt is the event's At), replacing one of the same ID and partner that is still there. One that is parked
// stays as it is: only Replay makes it due.
type Outbox interface {
	// Due lists at most limit (1 to MaximumListed) deliveries of a shard that are due at or before a time, the longest due first, and
	// by ID and partner then.
	Due(ctx context.Context, shard int, at time.Time, limit int) ([]Delivery, error)
	// Add adds a delivery unless one of its ID and partner is there or parked.
	Add(ctx context.Context, delivery Delivery) error
	// Postpone replaces a delivery that is there with these Attempts and this DueAt by one of later Attempts and DueAt (CheckPostpone).
	// ErrConflict: it is not there as it was, because somebody else works on it or is done with it.
	Postpone(ctx context.Context, was Delivery, attempts int, dueAt time.Time) error
	// Done forgets a delivery, whoever worked on it since. None is no error, and one that is parked stays so.
	Done(ctx context.Context, delivery Delivery) error
	// Park takes a delivery out of what is due, as it is there now, and keeps it until it is replayed. None is no error.
	Park(ctx context.Context, delivery Delivery) error
	// Parked lists at most limit (1 to MaximumListed) of a partner's parked deliveries by ID, after one (empty for the first).
	Parked(ctx context.Context, partner, after string, limit int) ([]Delivery, error)
	// Replay makes a parked delivery due at a time, with no attempts made. ErrNotFound: it is not parked.
	Replay(ctx context.Context, partner, id string, dueAt time.Time) error
}
