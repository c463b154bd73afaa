package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

func newHistory() store.History {
	return store.History{Partner: unique("partner"), Chain: "base", Token: "0x4200000000000000000000000000000000000006"}
}

func newSnapshot(version uint64, at time.Time) store.Snapshot {
	return store.Snapshot{Version: version, At: at, Data: fmt.Appendf(nil, "{\"version\":%d,\"bytes\":\"\x00\xff\"}", version)}
}

func sameSnapshots(t tester, got, want []store.Snapshot) {
	t.Helper()
	if got == nil || len(got) != len(want) {
		t.Fatalf("%d snapshots %v, want %d, and never nil", len(got), got, len(want))
	}
	for i := range want {
		if got[i].Version != want[i].Version || !got[i].At.Equal(want[i].At) || got[i].At.Location() != time.UTC || !bytes.Equal(got[i].Data, want[i].Data) {
			t.Errorf("snapshot %d: %+v, want %+v", i, got[i], want[i])
		}
	}
}

func wantLatest(t tester, s Stores, history store.History, want store.Snapshot) {
	t.Helper()
	got, err := s.Snapshots.Latest(t.Context(), history)
	mustDo(t, err)
	sameSnapshots(t, []store.Snapshot{got}, []store.Snapshot{want})
}

func checkSnapshots(t *testing.T, s Stores) {
	ctx, history := t.Context(), newHistory()
	_, err := s.Snapshots.Latest(ctx, history)
	wantError(t, "Latest of an empty history", err, store.ErrNotFound)
	sameSnapshots(t, must[[]store.Snapshot](t)(s.Snapshots.List(ctx, history, 5)), []store.Snapshot{})
	wantError(t, "the second before the first", s.Snapshots.Append(ctx, history, newSnapshot(2, epoch)), store.ErrConflict)

	// More than nine versions, so that an order by text would show.
	var newest []store.Snapshot
	for version := uint64(1); version <= 12; version++ {
		snapshot := newSnapshot(version, epoch.Add(time.Duration(version)*time.Hour).In(time.FixedZone("ahead", 7200)))
		mustDo(t, s.Snapshots.Append(ctx, history, snapshot))
		newest = append([]store.Snapshot{snapshot}, newest...)
		wantLatest(t, s, history, snapshot)
	}
	for _, version := range []uint64{1, 11, 12, 14, 100} {
		wantError(t, "a version out of turn", s.Snapshots.Append(ctx, history, newSnapshot(version, epoch)), store.ErrConflict)
	}
	for _, limit := range []int{1, 2, 11, 12, store.MaximumListed} {
		sameSnapshots(t, must[[]store.Snapshot](t)(s.Snapshots.List(ctx, history, limit)), newest[:min(limit, 12)])
	}

	largest := store.Snapshot{Version: 13, At: epoch.Add(13 * time.Hour), Data: bytes.Repeat([]byte{0xfe}, store.MaximumSnapshot)}
	mustDo(t, s.Snapshots.Append(ctx, history, largest))
	wantLatest(t, s, history, largest)
}

// checkSimilarHistories: histories whose names begin alike do not see each other.
func checkSimilarHistories(t *testing.T, s Stores) {
	ctx := t.Context()
	histories := []store.History{
		{Partner: "a", Chain: "b", Token: "c"}, {Partner: "a", Chain: "b", Token: "cc"}, {Partner: "a", Chain: "b", Token: "c-1"},
		{Partner: "a", Chain: "bb", Token: "c"}, {Partner: "aa", Chain: "b", Token: "c"}, {Partner: "A", Chain: "b", Token: "c"},
	}
	for i, history := range histories {
		for version := uint64(1); version <= uint64(1+i); version++ {
			mustDo(t, s.Snapshots.Append(ctx, history, newSnapshot(version, epoch)))
		}
	}
	for i, history := range histories {
		if got := must[[]store.Snapshot](t)(s.Snapshots.List(ctx, history, 50)); len(got) != 1+i || got[0].Version != uint64(1+i) {
			t.Errorf("history %v has %v, want %d versions", history, got, 1+i)
		}
	}
}

// checkSnapshotLife: what is much older than the latest is listed no more; the latest stays, however old.
func checkSnapshotLife(t *testing.T, s Stores) {
	ctx, history := t.Context(), newHistory()
	for i, at := range []time.Duration{0, time.Nanosecond, time.Hour, store.SnapshotLife} {
		mustDo(t, s.Snapshots.Append(ctx, history, newSnapshot(uint64(1+i), epoch.Add(at))))
	}
	sameSnapshots(t, must[[]store.Snapshot](t)(s.Snapshots.List(ctx, history, 50)), []store.Snapshot{
		newSnapshot(4, epoch.Add(store.SnapshotLife)), newSnapshot(3, epoch.Add(time.Hour)), newSnapshot(2, epoch.Add(1)),
	})
	last := newSnapshot(5, epoch.Add(50*store.SnapshotLife))
	mustDo(t, s.Snapshots.Append(ctx, history, last))
	sameSnapshots(t, must[[]store.Snapshot](t)(s.Snapshots.List(ctx, history, 50)), []store.Snapshot{last})
}

// racers is how many callers add the same version at once.
const racers = 16

// checkSnapshotRaces: of those that add a version at once exactly one does, again and again.
func checkSnapshotRaces(t *testing.T, s Stores) {
	ctx, history := t.Context(), newHistory()
	for version := uint64(1); version <= 4; version++ {
		var added, refused atomic.Int64
		var winner atomic.Int64
		atOnce(racers, func(i int) {
			snapshot := store.Snapshot{Version: version, At: epoch, Data: fmt.Append(nil, i)}
			switch err := s.Snapshots.Append(ctx, history, snapshot); {
			case err == nil:
				added.Add(1)
				winner.Store(int64(i))
			case errors.Is(err, store.ErrConflict):
				refused.Add(1)
			default:
				t.Errorf("Append: %v", err)
			}
		})
		if added.Load() != 1 || refused.Load() != racers-1 {
			t.Errorf("version %d was added %d times and refused %d times; want 1 and %d", version, added.Load(), refused.Load(), racers-1)
		}
		want := store.Snapshot{Version: version, At: epoch, Data: fmt.Append(nil, winner.Load())}
		wantLatest(t, s, history, want)
		sameSnapshots(t, must[[]store.Snapshot](t)(s.Snapshots.List(ctx, history, 1)), []store.Snapshot{want})
	}
	if got := must[[]store.Snapshot](t)(s.Snapshots.List(ctx, history, 50)); len(got) != 4 {
		t.Errorf("%d versions, want 4", len(got))
	}
}

// checkSnapshotModel compares random appends, in turn and out of turn, with a slice.
func checkSnapshotModel(t *testing.T, s Stores) {
	ctx := t.Context()
	rapid.Check(t, func(t *rapid.T) {
		history := newHistory()
		var want []store.Snapshot // newest first
		at := epoch
		for range rapid.IntRange(1, 12).Draw(t, "appends") {
			at = at.Add(time.Duration(rapid.Int64Range(0, int64(store.SnapshotLife)/2).Draw(t, "passed")))
			version := uint64(len(want) + rapid.SampledFrom([]int{1, 1, 1, 0, 2}).Draw(t, "turn"))
			if version == 0 {
				continue
			}
			snapshot := newSnapshot(version, at)
			err := s.Snapshots.Append(ctx, history, snapshot)
			if version != uint64(len(want)+1) {
				wantError(t, "a version out of turn", err, store.ErrConflict)
				continue
			}
			mustDo(t, err)
			want = append([]store.Snapshot{snapshot}, want...)
		}
		listed := []store.Snapshot{}
		limit := rapid.IntRange(1, 15).Draw(t, "limit")
		for _, snapshot := range want {
			if snapshot.At.After(want[0].At.Add(-store.SnapshotLife)) && len(listed) < limit {
				listed = append(listed, snapshot)
			}
		}
		sameSnapshots(t, must[[]store.Snapshot](t)(s.Snapshots.List(ctx, history, limit)), listed)
	})
}

func checkInvalidSnapshots(t *testing.T, s Stores) {
	ctx, good := t.Context(), newHistory()
	for _, id := range []string{"", "a b", "a#b", strings.Repeat("x", 129)} {
		for _, bad := range []store.History{{Partner: id, Chain: "base", Token: "t"}, {Partner: "p", Chain: id, Token: "t"}, {Partner: "p", Chain: "base", Token: id}} {
			wantError(t, "Append", s.Snapshots.Append(ctx, bad, newSnapshot(1, epoch)), store.ErrInvalid)
			_, err := s.Snapshots.Latest(ctx, bad)
			wantError(t, "Latest", err, store.ErrInvalid)
			_, err = s.Snapshots.List(ctx, bad, 1)
			wantError(t, "List", err, store.ErrInvalid)
		}
	}
	for what, bad := range map[string]store.Snapshot{
		"version 0": newSnapshot(0, epoch), "no time": newSnapshot(1, time.Time{}), "no data": {Version: 1, At: epoch},
		"too much data": {Version: 1, At: epoch, Data: make([]byte, store.MaximumSnapshot+1)},
	} {
		wantError(t, what, s.Snapshots.Append(ctx, good, bad), store.ErrInvalid)
	}
	for _, limit := range []int{-1, 0, store.MaximumListed + 1} {
		_, err := s.Snapshots.List(ctx, good, limit)
		wantError(t, "List", err, store.ErrInvalid)
	}
	_, err := s.Snapshots.Latest(ctx, good)
	wantError(t, "Latest after invalid appends", err, store.ErrNotFound)
}

// checkSnapshotMemory: neither what goes in nor what comes out shares bytes with the store.
func checkSnapshotMemory(t *testing.T, s Stores) {
	ctx, history := t.Context(), newHistory()
	want, passed := newSnapshot(1, epoch), newSnapshot(1, epoch)
	mustDo(t, s.Snapshots.Append(ctx, history, passed))
	clear(passed.Data)
	got := must[store.Snapshot](t)(s.Snapshots.Latest(ctx, history))
	sameSnapshots(t, []store.Snapshot{got}, []store.Snapshot{want})
	clear(got.Data)
	list := must[[]store.Snapshot](t)(s.Snapshots.List(ctx, history, 1))
	sameSnapshots(t, list, []store.Snapshot{want})
	clear(list[0].Data)
	wantLatest(t, s, history, want)
}
