package conformance

import (
	"bytes"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

func newReading(of store.FollowedLeader, version int64) store.Reading {
	return store.Reading{Of: of, Version: version, At: epoch.Add(time.Duration(version)), Data: fmt.Appendf(nil, "{\"version\":%d,\"\x00\xff\"}", version)}
}

func wantReading(t tester, s Stores, want store.Reading) {
	t.Helper()
	got, err := s.Readings.Reading(t.Context(), want.Of)
	mustDo(t, err)
	if got.Of != want.Of || got.Version != want.Version || !got.At.Equal(want.At) || got.At.Location() != time.UTC || !bytes.Equal(got.Data, want.Data) {
		t.Errorf("reading %+v, want %+v", got, want)
	}
}

func checkReadings(t *testing.T, s Stores) {
	ctx, names := t.Context(), []string{"a", "a!", "a-b", "aa"}
	var leaders []store.FollowedLeader
	for _, kind := range names {
		for _, place := range names[:2] {
			for _, leader := range names {
				leaders = append(leaders, newFollowed(kind, place, leader))
			}
		}
	}
	for i, of := range leaders {
		wantReading(t, s, store.Reading{Of: of})
		wantError(t, "version 2 before the first", s.Readings.Keep(ctx, newReading(of, 2)), store.ErrConflict)
		for version := range int64(i%3 + 1) {
			reading := newReading(of, version+1)
			reading.At = reading.At.In(behind)
			mustDo(t, s.Readings.Keep(ctx, reading))
			for _, other := range []int64{1, version + 1, version + 3} {
				wantError(t, "Keep of another version", s.Readings.Keep(ctx, newReading(of, other)), store.ErrConflict)
			}
		}
	}
	for i, of := range leaders {
		wantReading(t, s, newReading(of, int64(i%3+1)))
	}
	large := newReading(newFollowed(long, long, long), 1)
	large.Data = bytes.Repeat([]byte{0xfe}, store.MaximumReading)
	mustDo(t, s.Readings.Keep(ctx, large))
	wantReading(t, s, large)

	// Of those that go on at once one does, although they write the same.
	rush := newFollowed("spot", "base", "rush")
	var kept atomic.Int64
	atOnce(racers, func(int) {
		switch err := s.Readings.Keep(ctx, newReading(rush, 1)); {
		case err == nil:
			kept.Add(1)
		case !isConflict(err):
			t.Errorf("Keep: %v", err)
		}
	})
	if kept.Load() != 1 {
		t.Errorf("%d kept version 1 of one reading, want 1", kept.Load())
	}

	// Bad ones are refused; memory is not shared.
	for _, id := range []string{"", "a b", "a#b", strings.Repeat("x", 129)} {
		for _, of := range []store.FollowedLeader{newFollowed(id, "a", "a"), newFollowed("a", id, "a"), newFollowed("a", "a", id)} {
			wantError(t, "Keep", s.Readings.Keep(ctx, newReading(of, 1)), store.ErrInvalid)
			_, err := s.Readings.Reading(ctx, of)
			wantError(t, "Reading", err, store.ErrInvalid)
		}
	}
	for what, spoil := range map[string]func(*store.Reading){
		"version 0": func(r *store.Reading) { r.Version = 0 }, "no time": func(r *store.Reading) { r.At = time.Time{} },
		"no data": func(r *store.Reading) { r.Data = nil }, "too much data": func(r *store.Reading) { r.Data = make([]byte, store.MaximumReading+1) },
	} {
		bad := newReading(rush, 2)
		spoil(&bad)
		wantError(t, what, s.Readings.Keep(ctx, bad), store.ErrInvalid)
	}
	mine := newReading(rush, 2)
	mustDo(t, s.Readings.Keep(ctx, mine))
	mine.Data[0] = '!'
	must[store.Reading](t)(s.Readings.Reading(ctx, rush)).Data[0] = '?'
	wantReading(t, s, newReading(rush, 2))
}

func newWebhook(partner string, version int64) store.Webhook {
	return store.Webhook{Partner: partner, Version: version, ChangedAt: epoch.Add(time.Duration(version)), Data: fmt.Appendf(nil, "{%q:%d,\"\x00\xff\"}", partner, version)}
}

func sameWebhook(got, want store.Webhook) bool {
	return got.Partner == want.Partner && got.Version == want.Version && got.ChangedAt.Equal(want.ChangedAt) &&
		got.ChangedAt.Location() == time.UTC && bytes.Equal(got.Data, want.Data)
}

func wantWebhook(t tester, s Stores, want store.Webhook) {
	t.Helper()
	got, err := s.Webhooks.Webhook(t.Context(), want.Partner)
	mustDo(t, err)
	if !sameWebhook(got, want) {
		t.Errorf("webhook %+v, want %+v", got, want)
	}
}

func checkWebhooks(t *testing.T, s Stores) {
	ctx, partners := t.Context(), []string{"a", "a!", "a-b", "aa", "b", long}
	var want []store.Webhook
	for i, partner := range partners {
		_, err := s.Webhooks.Webhook(ctx, partner)
		wantError(t, "Webhook before it is put", err, store.ErrNotFound)
		wantError(t, "version 2 before the first", s.Webhooks.Put(ctx, newWebhook(partner, 2)), store.ErrConflict)
		for version := range int64(i%3 + 1) {
			webhook := newWebhook(partner, version+1)
			webhook.ChangedAt = webhook.ChangedAt.In(behind)
			mustDo(t, s.Webhooks.Put(ctx, webhook))
			for _, other := range []int64{1, version + 1, version + 3} {
				wantError(t, "Put of another version", s.Webhooks.Put(ctx, newWebhook(partner, other)), store.ErrConflict)
			}
		}
		want = append(want, newWebhook(partner, int64(i%3+1)))
	}
	wantAll := func(want ...store.Webhook) {
		t.Helper()
		for _, limit := range []int{1, 4, store.MaximumListed} {
			after, all := "", []store.Webhook{}
			for {
				page := must[[]store.Webhook](t)(s.Webhooks.List(ctx, after, limit))
				if all = append(all, page...); len(page) < limit || len(all) > len(want) {
					break
				}
				after = page[limit-1].Partner
			}
			sameList(t, "List", sameWebhook, all, want...)
		}
	}
	for _, webhook := range want {
		wantWebhook(t, s, webhook)
	}
	wantAll(want...)
	page := must[[]store.Webhook](t)(s.Webhooks.List(ctx, "a\"", 2))
	sameList(t, "List after one that is not there", sameWebhook, page, want[2:4]...)

	// A deleted one is gone, and begins anew.
	for range 2 {
		mustDo(t, s.Webhooks.Delete(ctx, "a-b"))
		mustDo(t, s.Webhooks.Delete(ctx, "nobody"))
	}
	_, err := s.Webhooks.Webhook(ctx, "a-b")
	wantError(t, "Webhook after Delete", err, store.ErrNotFound)
	wantAll(append(append([]store.Webhook{}, want[:2]...), want[3:]...)...)
	wantError(t, "Put of the next version of one that is gone", s.Webhooks.Put(ctx, newWebhook("a-b", 4)), store.ErrConflict)
	want[2] = newWebhook("a-b", 1)
	want[2].Data = bytes.Repeat([]byte{0xfe}, store.MaximumWebhook)
	mustDo(t, s.Webhooks.Put(ctx, want[2]))
	wantAll(want...)

	var put atomic.Int64
	atOnce(racers, func(int) {
		switch err := s.Webhooks.Put(ctx, newWebhook("rush", 1)); {
		case err == nil:
			put.Add(1)
		case !isConflict(err):
			t.Errorf("Put: %v", err)
		}
	})
	if put.Load() != 1 {
		t.Errorf("%d put version 1 of one webhook, want 1", put.Load())
	}

	for _, id := range []string{"", "a b", "a#b", strings.Repeat("x", 129)} {
		wantError(t, "Put", s.Webhooks.Put(ctx, newWebhook(id, 1)), store.ErrInvalid)
		_, err := s.Webhooks.Webhook(ctx, id)
		wantError(t, "Webhook", err, store.ErrInvalid)
		wantError(t, "Delete", s.Webhooks.Delete(ctx, id), store.ErrInvalid)
		if id != "" {
			_, err = s.Webhooks.List(ctx, id, 1)
			wantError(t, "List", err, store.ErrInvalid)
		}
	}
	for what, spoil := range map[string]func(*store.Webhook){
		"version 0": func(w *store.Webhook) { w.Version = 0 }, "no time": func(w *store.Webhook) { w.ChangedAt = time.Time{} },
		"no data": func(w *store.Webhook) { w.Data = nil }, "too much data": func(w *store.Webhook) { w.Data = make([]byte, store.MaximumWebhook+1) },
	} {
		bad := newWebhook("rush", 2)
		spoil(&bad)
		wantError(t, what, s.Webhooks.Put(ctx, bad), store.ErrInvalid)
	}
	for _, limit := range []int{-1, 0, store.MaximumListed + 1} {
		_, err := s.Webhooks.List(ctx, "", limit)
		wantError(t, "List", err, store.ErrInvalid)
	}
	mine := newWebhook("rush", 2)
	mustDo(t, s.Webhooks.Put(ctx, mine))
	mine.Data[0] = '!'
	must[store.Webhook](t)(s.Webhooks.Webhook(ctx, "rush")).Data[0] = '?'
	wantWebhook(t, s, newWebhook("rush", 2))
}
