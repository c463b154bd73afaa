package conformance

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// deliveryOf is what saying an event puts into the outbox.
func deliveryOf(event store.Event) store.Delivery {
	return store.Delivery{ID: event.ID, Partner: event.Partner, Event: event, DueAt: event.At, FirstDueAt: event.At}
}

// newDelivery is of an event to all, on its way to a partner.
func newDelivery(partner, id string, dueAt time.Time) store.Delivery {
	return store.Delivery{ID: id, Partner: partner, Event: newEvent("event-"+id, epoch), DueAt: dueAt, FirstDueAt: epoch.Add(-1), Attempts: 2}
}

func sameDelivery(got, want store.Delivery) bool {
	for _, at := range []time.Time{got.DueAt, got.FirstDueAt, got.Event.At} {
		if at.Location() != time.UTC {
			return false
		}
	}
	g, w := got.Event, want.Event
	return got.ID == want.ID && got.Partner == want.Partner && got.DueAt.Equal(want.DueAt) && got.FirstDueAt.Equal(want.FirstDueAt) &&
		got.Attempts == want.Attempts && g.ID == w.ID && g.Type == w.Type && g.Partner == w.Partner && g.At.Equal(w.At) && bytes.Equal(g.Data, w.Data)
}

// wantDueDeliveries compares what is due to a partner, or to all, at a time with what must be. The partner's shard is its own.
func wantDueDeliveries(t tester, s Stores, partner string, at time.Time, want ...store.Delivery) {
	t.Helper()
	got, err := s.Outbox.Due(t.Context(), store.OutboxShard(partner), at, store.MaximumListed)
	mustDo(t, err)
	sameList(t, fmt.Sprint("due at ", at), sameDelivery, got, want...)
}

func wantParked(t tester, s Stores, partner string, want ...store.Delivery) {
	t.Helper()
	got, err := s.Outbox.Parked(t.Context(), partner, "", store.MaximumListed)
	mustDo(t, err)
	sameList(t, "parked", sameDelivery, got, want...)
}

// sayer says events: each time with one more execution of an agent of its own.
func sayer(t tester, s Stores) func(events ...store.Event) error {
	agent, said := store.AgentKey{Partner: unique("sayer"), ID: "1"}, int64(0)
	return func(events ...store.Event) error {
		said++
		execution := newExecution(agent, fmt.Sprint(said), epoch, "said", 1)
		return s.Executions.Enter(t.Context(), newBook(agent, said, 0, 0), []store.Execution{execution}, events...)
	}
}

func checkOutbox(t *testing.T, s Stores) {
	ctx, far := t.Context(), epoch.Add(24*time.Hour)
	say := sayer(t, s)

	// What is said is due at once, to whom it concerns, in the order of time and then of ID; an event of the past is due longest.
	all, b, a, early := newEvent("all", epoch), newEventOf("acme", "b", epoch), newEventOf("acme", "a", epoch), newEventOf("acme", "c", epoch.Add(-1).In(behind))
	bang := newEventOf("acme", "a!", epoch)
	mustDo(t, say(all, b, a, early, bang))
	wantDueDeliveries(t, s, "", far, deliveryOf(all))
	ordered := []store.Delivery{deliveryOf(early), deliveryOf(a), deliveryOf(bang), deliveryOf(b)}
	wantDueDeliveries(t, s, "acme", epoch.In(behind), ordered...)
	wantDueDeliveries(t, s, "acme", epoch.Add(-1), ordered[0])
	wantDueDeliveries(t, s, "acme", epoch.Add(-2))
	got, err := s.Outbox.Due(ctx, store.OutboxShard("acme"), far, 2)
	mustDo(t, err)
	sameList(t, "the first two", sameDelivery, got, ordered[:2]...)
	for shard := range store.OutboxShards {
		got := must[[]store.Delivery](t)(s.Outbox.Due(ctx, shard, far, store.MaximumListed))
		if want := map[int]int{store.OutboxShard("acme"): 4, store.OutboxShard(""): 1}[shard]; len(got) != want {
			t.Errorf("%d deliveries in shard %d, want %d", len(got), shard, want)
		}
	}

	// Postponed it is due later and not before, has been tried, and was first due when it was.
	first := deliveryOf(a)
	tried := first
	tried.Attempts, tried.DueAt = 1, epoch.Add(time.Hour)
	mustDo(t, s.Outbox.Postpone(ctx, first, 1, tried.DueAt.In(behind)))
	wantDueDeliveries(t, s, "acme", tried.DueAt.Add(-1), ordered[0], ordered[2], ordered[3])
	wantDueDeliveries(t, s, "acme", tried.DueAt, ordered[0], ordered[2], ordered[3], tried)
	// Whoever had it before comes too late, and so does whoever has half of it right, or another one.
	for what, stale := range map[string]store.Delivery{
		"first": first, "attempts": {ID: "a", Partner: "acme", Event: a, DueAt: tried.DueAt, FirstDueAt: epoch, Attempts: 0},
		"due":     {ID: "a", Partner: "acme", Event: a, DueAt: epoch, FirstDueAt: epoch, Attempts: 1},
		"partner": {ID: "a", Partner: "acme-b", Event: a, DueAt: tried.DueAt, FirstDueAt: epoch, Attempts: 1},
		"to all":  {ID: "a", Event: a, DueAt: tried.DueAt, FirstDueAt: epoch, Attempts: 1},
		"id":      {ID: "aa", Partner: "acme", Event: a, DueAt: tried.DueAt, FirstDueAt: epoch, Attempts: 1},
	} {
		wantError(t, "Postpone by another "+what, s.Outbox.Postpone(ctx, stale, 5, far), store.ErrConflict)
	}
	wantDueDeliveries(t, s, "acme", far, ordered[0], ordered[2], ordered[3], tried)
	// What else the caller has of it does not matter: it stays as it is. Attempts may grow alone, the due time as well.
	loose := tried
	loose.Event, loose.FirstDueAt = newEvent("other", epoch), far
	tried.Attempts = 7
	mustDo(t, s.Outbox.Postpone(ctx, loose, 7, loose.DueAt))
	wantDueDeliveries(t, s, "acme", far, ordered[0], ordered[2], ordered[3], tried)
	mustDo(t, s.Outbox.Postpone(ctx, tried, 7, tried.DueAt.Add(1)))
	tried.DueAt = tried.DueAt.Add(1)

	// Said again while it is there it is due at once again; when it was said with another time, then too, and once.
	mustDo(t, say(a))
	wantDueDeliveries(t, s, "acme", far, ordered...)
	again := a
	again.At, again.Data, again.Type = epoch.Add(-time.Hour), []byte("again"), "other"
	mustDo(t, say(again))
	wantDueDeliveries(t, s, "acme", far, deliveryOf(again), ordered[0], ordered[2], ordered[3])
	wantError(t, "Postpone of what was said again", s.Outbox.Postpone(ctx, first, 1, far), store.ErrConflict)
	mustDo(t, say(a))
	wantDueDeliveries(t, s, "acme", far, ordered...)
	mustDo(t, say(again))
	mustDo(t, say(a))
	mustDo(t, s.Outbox.Done(ctx, first)) // what is left of the other time counts for nothing
	wantDueDeliveries(t, s, "acme", far, ordered[0], ordered[2], ordered[3])
	mustDo(t, say(again))
	wantDueDeliveries(t, s, "acme", far, deliveryOf(again), ordered[0], ordered[2], ordered[3])

	// Done it is gone, however it stands by now, and stays so; a delivery of its name to others is not touched.
	mustDo(t, s.Outbox.Add(ctx, newDelivery("", "c", epoch)))
	mustDo(t, s.Outbox.Add(ctx, newDelivery("acme-b", "c", epoch)))
	mustDo(t, s.Outbox.Postpone(ctx, ordered[0], 3, far))
	for range 2 {
		mustDo(t, s.Outbox.Done(ctx, ordered[0]))
		mustDo(t, s.Outbox.Done(ctx, first))
	}
	wantDueDeliveries(t, s, "acme", far, ordered[2], ordered[3])
	wantDueDeliveries(t, s, "", far, deliveryOf(all), newDelivery("", "c", epoch))
	mustDo(t, s.Outbox.Done(ctx, newDelivery("", "c", epoch)))
	wantDueDeliveries(t, s, "acme-b", far, newDelivery("acme-b", "c", epoch))
	wantError(t, "Postpone of what is done", s.Outbox.Postpone(ctx, first, 1, far), store.ErrConflict)
	mustDo(t, say(a))
	wantDueDeliveries(t, s, "acme", far, ordered[1:]...)

	// Refused with what it tells of, it is not there.
	bad := next(newAgent("nobody", "1"), "active", true)
	wantError(t, "Change", s.Agents.Change(ctx, bad, newEventOf("acme", "never", epoch)), store.ErrNotFound)
	wantDueDeliveries(t, s, "acme", far, ordered[1:]...)
}

func checkParking(t *testing.T, s Stores) {
	ctx, far := t.Context(), epoch.Add(24*time.Hour)
	say := sayer(t, s)
	a, b := newEventOf("acme", "a", epoch), newEventOf("acme", "b", epoch)
	mustDo(t, say(a, b))
	first, other := deliveryOf(a), deliveryOf(b)
	mustDo(t, s.Outbox.Park(ctx, newDelivery("acme", "none", epoch)))
	mustDo(t, s.Outbox.Park(ctx, newDelivery("acme-b", "a", epoch)))
	mustDo(t, s.Outbox.Park(ctx, newDelivery("", "a", epoch)))
	wantParked(t, s, "acme")
	wantDueDeliveries(t, s, "acme", far, first, other)
	wantError(t, "Replay of what is due", s.Outbox.Replay(ctx, "acme", "a", epoch), store.ErrNotFound)

	// It is parked as it is there now, not as whoever parks it has it.
	parked := first
	parked.Attempts, parked.DueAt = 9, epoch.Add(time.Hour)
	mustDo(t, s.Outbox.Postpone(ctx, first, 9, parked.DueAt))
	mustDo(t, s.Outbox.Park(ctx, first))
	mustDo(t, s.Outbox.Park(ctx, first))
	wantParked(t, s, "acme", parked)
	wantDueDeliveries(t, s, "acme", far, other)

	// Nothing makes it due but a replay: not what is said, not what is added, and nobody who still works on it.
	again := newEventOf("acme", "a", epoch.Add(-time.Minute))
	third := newEventOf("acme", "third", epoch)
	mustDo(t, say(again, third))
	wantTold(t, s, true, third)
	mustDo(t, s.Outbox.Add(ctx, newDelivery("acme", "a", epoch)))
	mustDo(t, s.Outbox.Done(ctx, parked))
	for _, was := range []store.Delivery{first, parked} {
		wantError(t, "Postpone of what is parked", s.Outbox.Postpone(ctx, was, 10, far), store.ErrConflict)
	}
	wantParked(t, s, "acme", parked)
	wantDueDeliveries(t, s, "acme", far, other, deliveryOf(third))
	said := must[[]store.Event](t)(s.Events.Said(ctx, again.At, again.At, "", 1))
	sameEvents(t, said, again) // what is said is in the log all the same

	// Replayed it is due when it should be, as if it had not been tried, and was first due when it was.
	replayed := parked
	replayed.Attempts, replayed.DueAt = 0, epoch.Add(2*time.Hour)
	mustDo(t, s.Outbox.Replay(ctx, "acme", "a", replayed.DueAt.In(behind)))
	wantParked(t, s, "acme")
	wantDueDeliveries(t, s, "acme", replayed.DueAt, other, deliveryOf(third), replayed)
	wantDueDeliveries(t, s, "acme", replayed.DueAt.Add(-1), other, deliveryOf(third))
	for _, name := range [][2]string{{"acme", "a"}, {"acme", "none"}, {"acme-b", "a"}, {"", "a"}} {
		wantError(t, "Replay of what is not parked", s.Outbox.Replay(ctx, name[0], name[1], epoch), store.ErrNotFound)
	}
	mustDo(t, say(a)) // it is due at once again
	wantDueDeliveries(t, s, "acme", far, first, other, deliveryOf(third))

	// They are listed by ID, each partner's alone, page by page.
	var want []store.Delivery
	for _, id := range []string{"a", "a!", "a-b", "aa", "b", long[6:]} {
		for _, partner := range []string{"acme-b", "acme!", ""} {
			delivery := newDelivery(partner, id, epoch.Add(-time.Duration(len(want))))
			mustDo(t, s.Outbox.Add(ctx, delivery))
			mustDo(t, s.Outbox.Park(ctx, delivery))
			if partner == "acme-b" {
				want = append(want, delivery)
			}
		}
	}
	wantParked(t, s, "acme-b", want...)
	wantParked(t, s, "acme")
	for i, after := range want {
		page := must[[]store.Delivery](t)(s.Outbox.Parked(ctx, "acme-b", after.ID, 2))
		sameList(t, "parked after one", sameDelivery, page, want[i+1:min(i+3, len(want))]...)
	}
	page := must[[]store.Delivery](t)(s.Outbox.Parked(ctx, "acme-b", "a\"", 1))
	sameList(t, "parked after one that is not there", sameDelivery, page, want[2])
	mustDo(t, s.Outbox.Replay(ctx, "", "a!", epoch))
}
