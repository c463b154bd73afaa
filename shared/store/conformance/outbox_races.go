package conformance

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// checkConcurrentOutbox: of those that work on a delivery at once one goes on with it, and it is never in two places.
func checkConcurrentOutbox(t *testing.T, s Stores) {
	ctx, far := t.Context(), epoch.Add(24*time.Hour)
	was := newDelivery("acme", "rush", epoch)
	atOnce(racers, func(i int) {
		mine := was
		mine.Event.Data = fmt.Append(nil, i)
		if err := s.Outbox.Add(ctx, mine); err != nil {
			t.Errorf("Add: %v", err)
		}
	})
	due := must[[]store.Delivery](t)(s.Outbox.Due(ctx, store.OutboxShard("acme"), far, 10))
	if len(due) != 1 {
		t.Fatalf("%d deliveries of one name", len(due))
	}
	was.Event.Data = due[0].Event.Data
	var postponed, replayed atomic.Int64
	atOnce(racers, func(i int) {
		switch err := s.Outbox.Postpone(ctx, was, was.Attempts+1, epoch.Add(time.Duration(i))); {
		case err == nil:
			postponed.Add(1)
		case !isConflict(err):
			t.Errorf("Postpone: %v", err)
		}
	})
	if postponed.Load() != 1 {
		t.Errorf("%d have it, want 1", postponed.Load())
	}
	atOnce(racers, func(int) {
		if err := s.Outbox.Park(ctx, was); err != nil {
			t.Errorf("Park: %v", err)
		}
	})
	wantDueDeliveries(t, s, "acme", far)
	atOnce(racers, func(i int) {
		switch err := s.Outbox.Replay(ctx, "acme", "rush", epoch.Add(time.Duration(i))); {
		case err == nil:
			replayed.Add(1)
		case !isNotFound(err):
			t.Errorf("Replay: %v", err)
		}
	})
	if replayed.Load() != 1 {
		t.Errorf("replayed %d times, want once", replayed.Load())
	}
	wantParked(t, s, "acme")

	// Whatever happens to it at once, it is due, parked or gone, and not two of these.
	say := newEventOf("acme", "rush", epoch.Add(-time.Hour))
	agents := make([]store.Agent, racers)
	for i := range agents {
		agents[i] = newAgent("rushers", fmt.Sprint(i))
		mustDo(t, s.Agents.Create(ctx, agents[i]))
	}
	atOnce(racers, func(i int) {
		var err error
		switch i % 4 {
		case 0:
			err = s.Outbox.Park(ctx, was)
		case 1:
			err = s.Agents.Change(ctx, next(agents[i], "said", true), say)
		case 2:
			if err = s.Outbox.Replay(ctx, "acme", "rush", epoch); isNotFound(err) {
				err = nil
			}
		default:
			err = s.Outbox.Add(ctx, was)
		}
		if err != nil {
			t.Errorf("call %d: %v", i%4, err)
		}
	})
	due = must[[]store.Delivery](t)(s.Outbox.Due(ctx, store.OutboxShard("acme"), far, 10))
	parked := must[[]store.Delivery](t)(s.Outbox.Parked(ctx, "acme", "", 10))
	if len(due)+len(parked) != 1 {
		t.Errorf("it is due %d times and parked %d times, want one of these once: %+v %+v", len(due), len(parked), due, parked)
	}
	mustDo(t, s.Outbox.Done(ctx, was))
	wantDueDeliveries(t, s, "acme", far)
}

func checkInvalidOutbox(t *testing.T, s Stores) {
	ctx := t.Context()
	good := newDelivery("acme", "a", epoch)
	mustDo(t, s.Outbox.Add(ctx, good))
	refused := func(what string, err error) {
		t.Helper()
		wantError(t, what, err, store.ErrInvalid)
	}
	var bad []store.Delivery
	spoil := func(how func(*store.Delivery)) {
		delivery := newDelivery("acme", "b", epoch)
		how(&delivery)
		bad = append(bad, delivery)
	}
	for _, id := range []string{"", "a b", "a#b", "ü", strings.Repeat("x", 129)} {
		spoil(func(d *store.Delivery) { d.ID = id })
		spoil(func(d *store.Delivery) { d.Event.ID = id })
		refused("Replay", s.Outbox.Replay(ctx, "acme", id, epoch))
		_, err := s.Outbox.Parked(ctx, id, "", 1)
		refused("Parked", err)
		if id != "" {
			spoil(func(d *store.Delivery) { d.Partner = id })
			refused("Replay", s.Outbox.Replay(ctx, id, "a", epoch))
			_, err := s.Outbox.Parked(ctx, "acme", id, 1)
			refused("Parked", err)
		}
	}
	spoil(func(d *store.Delivery) { d.DueAt = time.Time{} })
	spoil(func(d *store.Delivery) { d.FirstDueAt = time.Time{} })
	spoil(func(d *store.Delivery) { d.Event.Data = nil })
	spoil(func(d *store.Delivery) { d.Attempts = -1 })
	spoil(func(d *store.Delivery) { d.Attempts = store.MaximumAttempts + 1 })
	for _, delivery := range bad {
		refused("Add", s.Outbox.Add(ctx, delivery))
		refused("Postpone", s.Outbox.Postpone(ctx, delivery, store.MaximumAttempts, epoch.Add(1)))
		refused("Done", s.Outbox.Done(ctx, delivery))
		refused("Park", s.Outbox.Park(ctx, delivery))
	}
	for what, to := range map[string]store.Delivery{
		"nothing new": {Attempts: 2, DueAt: epoch}, "fewer attempts": {Attempts: 1, DueAt: epoch.Add(1)}, "an earlier time": {Attempts: 3, DueAt: epoch.Add(-1)},
		"too many attempts": {Attempts: store.MaximumAttempts + 1, DueAt: epoch}, "no time": {Attempts: 3},
	} {
		refused("Postpone to "+what, s.Outbox.Postpone(ctx, good, to.Attempts, to.DueAt))
	}
	refused("Replay at no time", s.Outbox.Replay(ctx, "acme", "a", time.Time{}))
	for _, limit := range []int{-1, 0, store.MaximumListed + 1} {
		_, err := s.Outbox.Due(ctx, 0, epoch, limit)
		refused("Due", err)
		_, err = s.Outbox.Parked(ctx, "acme", "", limit)
		refused("Parked", err)
	}
	for _, shard := range []int{-1, store.OutboxShards} {
		_, err := s.Outbox.Due(ctx, shard, epoch, 1)
		refused("Due of no shard", err)
	}
	_, err := s.Outbox.Due(ctx, 0, time.Time{}, 1)
	refused("Due at no time", err)
	wantDueDeliveries(t, s, "acme", epoch, good)

	// Memory is not shared.
	mine := newDelivery("acme", "mine", epoch.Add(1))
	mustDo(t, s.Outbox.Add(ctx, mine))
	kept := newDelivery("acme", "mine", epoch.Add(1))
	mine.Event.Data[0] = '!'
	due := must[[]store.Delivery](t)(s.Outbox.Due(ctx, store.OutboxShard("acme"), epoch.Add(1), 2))
	due[1].Event.Data[0] = '?'
	wantDueDeliveries(t, s, "acme", epoch.Add(1), good, kept)
}
