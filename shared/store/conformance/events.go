package conformance

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

func newEvent(id string, at time.Time) store.Event {
	return store.Event{ID: id, Type: "leader.grade_changed", At: at, Data: fmt.Appendf(nil, "{%q:\"\x00\xff\"}", id)}
}

// newEventOf is an event that concerns a partner.
func newEventOf(partner, id string, at time.Time) store.Event {
	event := newEvent(id, at)
	event.Type, event.Partner = "agent.paused", partner
	return event
}

func sameEvents(t tester, got []store.Event, want ...store.Event) {
	t.Helper()
	if got == nil || len(got) != len(want) {
		t.Fatalf("%d events %v, want %d, and never nil", len(got), got, len(want))
	}
	for i, w := range want {
		if g := got[i]; g.ID != w.ID || g.Type != w.Type || g.Partner != w.Partner || !g.At.Equal(w.At) || g.At.Location() != time.UTC || !bytes.Equal(g.Data, w.Data) {
			t.Errorf("event %d: %+v, want %+v", i, g, w)
		}
	}
}

func wantSaid(t tester, s Stores, day, after time.Time, afterID string, limit int, want ...store.Event) {
	t.Helper()
	got, err := s.Events.Said(t.Context(), day, after, afterID, limit)
	mustDo(t, err)
	sameEvents(t, got, want...)
}

func checkEvents(t *testing.T, s Stores) {
	ctx, graded, since := t.Context(), epoch, time.Time{}
	mustDo(t, s.Leaders.Find(ctx, spotOnBase, "0x1", newFinding("source", epoch)))
	say := func(events ...store.Event) {
		t.Helper()
		graded = graded.Add(1)
		mustDo(t, s.Leaders.Grade(ctx, spotOnBase, "0x1", since, newGrading(graded), events...))
		since = graded
	}
	midnight := epoch.Truncate(24 * time.Hour)
	last, first := newEvent("last", midnight.Add(-1)), newEvent("first", midnight.In(time.FixedZone("behind", -7200)))
	a, b, aLater := newEvent("a", epoch), newEventOf("acme", "b", epoch), newEvent("a", epoch.Add(1))
	whole := newEvent("whole", epoch.Truncate(time.Second).Add(time.Second))
	say(aLater, b)
	say(whole)
	say(last, first, a)

	// In order of time, then of ID, each in its UTC day, whatever the zone of the clock that asks.
	for _, day := range []time.Time{midnight, epoch, midnight.Add(24*time.Hour - 1), midnight.In(time.FixedZone("behind", -7200))} {
		wantSaid(t, s, day, time.Time{}, "", 100, first, a, b, aLater, whole)
	}
	wantSaid(t, s, midnight.Add(-1), time.Time{}, "", 100, last)
	wantSaid(t, s, midnight.Add(24*time.Hour), time.Time{}, "", 100)

	// A list goes on after any event, one that is not there too.
	wantSaid(t, s, epoch, time.Time{}, "ignored", 2, first, a)
	wantSaid(t, s, epoch, a.At, a.ID, 2, b, aLater)
	wantSaid(t, s, epoch, a.At, "aa", 2, b, aLater)
	wantSaid(t, s, epoch, a.At, "", 1, a)
	wantSaid(t, s, epoch, aLater.At, aLater.ID, 1, whole)
	wantSaid(t, s, epoch, whole.At, whole.ID, 1)
	wantSaid(t, s, epoch, midnight.Add(-time.Hour), "z", 1, first)
	wantSaid(t, s, epoch, midnight.Add(24*time.Hour), "z", 1)

	// Said again it is there once; the most and the largest at once are kept; a list is as long as it may be.
	again := a
	again.Data = []byte("again")
	say(again)
	wantSaid(t, s, epoch, first.At, first.ID, 2, again, b)
	var many []store.Event
	for i := range store.MaximumEvents {
		event := newEvent(fmt.Sprintf("many-%02d", i), midnight.AddDate(0, 0, 1))
		event.Data = bytes.Repeat([]byte{0xfe}, store.MaximumEvent)
		many = append(many, event)
	}
	say(many...)
	wantSaid(t, s, many[0].At, time.Time{}, "", store.MaximumListed, many...)

	// It can be listed for as long as was promised, although others come, and although a clock was wrong.
	for _, after := range []time.Duration{24 * time.Hour, store.EventLife / 2, store.EventLife} {
		say(newEvent("later", epoch.Add(after)))
	}
	say(newEvent("wrong", epoch.AddDate(50, 0, 0)))
	for day := range int(store.EventLife / (24 * time.Hour)) {
		say(newEvent("daily", epoch.AddDate(0, 0, day+1)))
	}
	wantSaid(t, s, epoch, time.Time{}, "", 1, first)

	// What cannot be said together is refused, and the grading with it.
	before := must[store.Leader](t)(s.Leaders.Leader(ctx, spotOnBase, "0x1"))
	bad := map[string][]store.Event{
		"two of one ID": {newEvent("x", epoch), newEvent("x", epoch.Add(1))}, "a partner that is none": {newEventOf("a b", "x", epoch)}, "too many": append(many, newEvent("x", epoch)),
		"no time": {newEvent("x", time.Time{})}, "no data": {{ID: "x", Type: "type", At: epoch}}, "no type": {{ID: "x", At: epoch, Data: []byte{1}}},
		"too much data": {{ID: "x", Type: "type", At: epoch, Data: make([]byte, store.MaximumEvent+1)}},
	}
	for _, id := range []string{"", "a b", "a#b", strings.Repeat("x", 129)} {
		bad["the ID "+id] = []store.Event{newEvent("x", epoch), newEvent(id, epoch)}
	}
	for what, events := range bad {
		wantError(t, what, s.Leaders.Grade(ctx, spotOnBase, "0x1", since, newGrading(graded.Add(1)), events...), store.ErrInvalid)
	}
	wantLeader(t, s, before)
	for _, limit := range []int{-1, 0, store.MaximumListed + 1} {
		_, err := s.Events.Said(ctx, epoch, time.Time{}, "", limit)
		wantError(t, "Said", err, store.ErrInvalid)
	}
	for _, arguments := range []struct {
		day, after time.Time
		id         string
	}{{}, {day: epoch, after: epoch, id: "a#b"}, {day: epoch, after: time.Date(2300, 1, 1, 0, 0, 0, 0, time.UTC)}} {
		_, err := s.Events.Said(ctx, arguments.day, arguments.after, arguments.id, 1)
		wantError(t, "Said", err, store.ErrInvalid)
	}
}
