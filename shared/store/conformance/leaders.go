package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

var spotOnBase = store.Group{Kind: "spot", Place: "base"}

func newFinding(source string, at time.Time) store.Finding {
	return store.Finding{Source: source, At: at, Data: fmt.Appendf(nil, "{%q:%q,\"bytes\":\"\x00\xff\"}", source, at.UTC().Format(time.RFC3339Nano))}
}

func newGrading(at time.Time) store.Grading {
	return store.Grading{At: at, Pass: "pass-1", Grade: "B", Verdict: "mirrorable", Data: fmt.Appendf(nil, "{%q:\"\x00\xff\"}", at.UTC().Format(time.RFC3339Nano))}
}

// found returns a leader as its findings make it, given in order of source; the first of them in time is foundAt.
func found(group store.Group, address string, foundAt time.Time, findings ...store.Finding) store.Leader {
	return store.Leader{Group: group, Address: address, FoundAt: foundAt, Findings: findings}
}

func sameLeader(t tester, got, want store.Leader) {
	t.Helper()
	if got.Group != want.Group || got.Address != want.Address || !got.FoundAt.Equal(want.FoundAt) || got.FoundAt.Location() != time.UTC {
		t.Errorf("leader %v %s found at %v, want %v %s at %v", got.Group, got.Address, got.FoundAt, want.Group, want.Address, want.FoundAt)
	}
	if got.Findings == nil || len(got.Findings) != len(want.Findings) {
		t.Fatalf("leader %s has findings %v, want %d", got.Address, got.Findings, len(want.Findings))
	}
	for i, w := range want.Findings {
		if g := got.Findings[i]; g.Source != w.Source || !g.At.Equal(w.At) || g.At.Location() != time.UTC || !bytes.Equal(g.Data, w.Data) {
			t.Errorf("leader %s, finding %d: %s %v %q, want %s %v %q", got.Address, i, g.Source, g.At, g.Data, w.Source, w.At, w.Data)
		}
	}
	if g, w := got.Grading, want.Grading; g.Pass != w.Pass || g.Grade != w.Grade || g.Verdict != w.Verdict || !g.At.Equal(w.At) ||
		g.At.Location() != time.UTC || !bytes.Equal(g.Data, w.Data) {
		t.Errorf("leader %s is graded %+v, want %+v", got.Address, g, w)
	}
}

func wantLeader(t tester, s Stores, want store.Leader) {
	t.Helper()
	got, err := s.Leaders.Leader(t.Context(), want.Group, want.Address)
	mustDo(t, err)
	sameLeader(t, got, want)
}

func wantLeaders(t tester, s Stores, group store.Group, from, to string, limit int, want ...store.Leader) {
	t.Helper()
	got, err := s.Leaders.List(t.Context(), group, from, to, limit)
	mustDo(t, err)
	if got == nil || len(got) != len(want) {
		t.Fatalf("%d leaders of %v from %q to %q, limit %d; want %d, and never nil", len(got), group, from, to, limit, len(want))
	}
	for i := range want {
		sameLeader(t, got[i], want[i])
	}
}

func checkLeaders(t *testing.T, s Stores) {
	ctx, group, address := t.Context(), spotOnBase, "0xA1"
	_, err := s.Leaders.Leader(ctx, group, address)
	wantError(t, "a leader that nobody found", err, store.ErrNotFound)
	wantError(t, "Grade of a leader that nobody found", s.Leaders.Grade(ctx, group, address, time.Time{}, newGrading(epoch), newEvent("early", epoch)), store.ErrNotFound)
	wantSaid(t, s, epoch, time.Time{}, "", 100)
	wantLeaders(t, s, group, "", "", 10)

	// The first finding says since when it is known; a source keeps its newest, one of the same time being newer.
	early, active := newFinding("early-buyer", epoch.In(time.FixedZone("half", 19_800))), newFinding("active.buyer", epoch.Add(-time.Hour))
	mustDo(t, s.Leaders.Find(ctx, group, address, early))
	wantLeader(t, s, found(group, address, epoch, early))
	mustDo(t, s.Leaders.Find(ctx, group, address, active))
	wantLeader(t, s, found(group, address, epoch, active, early))
	mustDo(t, s.Leaders.Find(ctx, group, address, newFinding("early-buyer", epoch.Add(-1))))
	wantLeader(t, s, found(group, address, epoch, active, early))
	early.Data = nil
	mustDo(t, s.Leaders.Find(ctx, group, address, early))
	wantLeader(t, s, found(group, address, epoch, active, early))
	active = newFinding("active.buyer", epoch.Add(time.Hour))
	mustDo(t, s.Leaders.Find(ctx, group, address, active))
	leader := found(group, address, epoch, active, early)
	wantLeader(t, s, leader)

	// A nanosecond decides which grading is newer, and what is said goes with it.
	leader.Grading = newGrading(epoch.In(time.FixedZone("behind", -7200)))
	wantError(t, "a grading after one that never was", s.Leaders.Grade(ctx, group, address, epoch.Add(-1), leader.Grading, newEvent("c", epoch)), store.ErrConflict)
	wantError(t, "a grading after another of a leader that nobody found", s.Leaders.Grade(ctx, group, "0xA2", epoch.Add(-1), leader.Grading), store.ErrNotFound)
	mustDo(t, s.Leaders.Grade(ctx, group, address, time.Time{}, leader.Grading, newEvent("a", epoch), newEvent("b", epoch)))
	wantLeader(t, s, leader)
	for _, at := range []time.Time{epoch, epoch.Add(-1), epoch.Truncate(time.Second)} {
		wantError(t, "an older grading", s.Leaders.Grade(ctx, group, address, epoch, newGrading(at), newEvent("c", epoch)), store.ErrConflict)
	}
	for _, since := range []time.Time{{}, epoch.Add(-1), epoch.Add(1), epoch.Truncate(time.Second)} {
		wantError(t, "a grading after another than is kept", s.Leaders.Grade(ctx, group, address, since, newGrading(epoch.Add(2)), newEvent("c", epoch)), store.ErrConflict)
	}
	wantLeader(t, s, leader)
	wantSaid(t, s, epoch, time.Time{}, "", 100, newEvent("a", epoch), newEvent("b", epoch))
	leader.Grading = store.Grading{At: epoch.Add(1), Pass: "pass-2", Verdict: "unknown", Data: []byte{0}}
	mustDo(t, s.Leaders.Grade(ctx, group, address, epoch.In(time.FixedZone("ahead", 3600)), leader.Grading))
	early = newFinding("early-buyer", epoch.Add(1))
	mustDo(t, s.Leaders.Find(ctx, group, address, early))
	leader.Findings[1] = early
	wantLeader(t, s, leader)

	// It stays while a source has found it since.
	mustDo(t, s.Leaders.Remove(ctx, group, address, active.At.Add(-1)))
	wantLeader(t, s, leader)
	mustDo(t, s.Leaders.Remove(ctx, group, address, active.At))
	_, err = s.Leaders.Leader(ctx, group, address)
	wantError(t, "a leader that was removed", err, store.ErrNotFound)
	mustDo(t, s.Leaders.Remove(ctx, group, address, epoch))
	mustDo(t, s.Leaders.Find(ctx, group, address, active))
	wantLeader(t, s, found(group, address, active.At, active))

	// The largest of everything fits.
	address = "0xB2"
	leader = found(group, address, epoch)
	for i := range store.MaximumSources {
		leader.Findings = append(leader.Findings, store.Finding{Source: fmt.Sprintf("%d%s", i, strings.Repeat("~", 127)), At: epoch, Data: bytes.Repeat([]byte{0xfe}, store.MaximumFinding)})
		mustDo(t, s.Leaders.Find(ctx, group, address, leader.Findings[i]))
	}
	wantError(t, "a source too many", s.Leaders.Find(ctx, group, address, early), store.ErrInvalid)
	mustDo(t, s.Leaders.Find(ctx, group, address, leader.Findings[3]))
	leader.Grading = newGrading(epoch)
	leader.Grading.Data = bytes.Repeat([]byte{0xfe}, store.MaximumGrading)
	mustDo(t, s.Leaders.Grade(ctx, group, address, time.Time{}, leader.Grading))
	wantLeader(t, s, leader)
}

// checkSimilarGroups: groups and addresses whose names begin alike do not see each other, and lists are cut where they should be.
func checkSimilarGroups(t *testing.T, s Stores) {
	ctx := t.Context()
	groups := []store.Group{{Kind: "s", Place: "b"}, {Kind: "s", Place: "bb"}, {Kind: "ss", Place: "b"}, {Kind: "S", Place: "b"}, {Kind: "s", Place: "b-"}}
	addresses := []string{"!", "0x", "0x1", "0x1!", "0x1-", "0x11", "0x2", "A", "a", "~"} // in order
	for i, group := range groups {
		for _, address := range addresses[i:] {
			mustDo(t, s.Leaders.Find(ctx, group, address, newFinding("source", epoch.Add(time.Duration(i)))))
		}
	}
	want := func(group int, addresses ...string) (leaders []store.Leader) {
		at := epoch.Add(time.Duration(group))
		for _, address := range addresses {
			leaders = append(leaders, found(groups[group], address, at, newFinding("source", at)))
		}
		return leaders
	}
	for i, group := range groups {
		wantLeaders(t, s, group, "", "", store.MaximumLeaders, want(i, addresses[i:]...)...)
	}
	group := groups[0]
	wantLeaders(t, s, group, "0x1", "0x2", 10, want(0, "0x1", "0x1!", "0x1-", "0x11")...)
	wantLeaders(t, s, group, "0x1", "0x2", 4, want(0, "0x1", "0x1!", "0x1-", "0x11")...)
	wantLeaders(t, s, group, "0x1", "0x2", 3, want(0, "0x1", "0x1!", "0x1-")...)
	wantLeaders(t, s, group, "0x10", "0x12", 9, want(0, "0x11")...)
	wantLeaders(t, s, group, "", "0x1", 9, want(0, "!", "0x")...)
	wantLeaders(t, s, group, "", "!", 9)
	wantLeaders(t, s, group, "a", "", 9, want(0, "a", "~")...)
	wantLeaders(t, s, group, "a", "a", 9)
	wantLeaders(t, s, group, "b", "a", 9)

	mustDo(t, s.Leaders.Remove(ctx, group, "0x1", epoch))
	wantLeaders(t, s, group, "0x1", "0x1-", 9, want(0, "0x1!")...)
	wantLeader(t, s, want(1, "0x1")[0])
}

// checkConcurrentLeaders: what is done at once is done as if one after the other.
func checkConcurrentLeaders(t *testing.T, s Stores) {
	ctx, address := t.Context(), "0xrush"
	var tooMany, graded atomic.Int64
	atOnce(goroutines, func(i int) {
		// Each of twelve sources several times, of which eight fit.
		switch err := s.Leaders.Find(ctx, spotOnBase, address, newFinding(fmt.Sprint("source-", i%12), epoch.Add(time.Duration(i)))); {
		case errors.Is(err, store.ErrInvalid):
			tooMany.Add(1)
		case err != nil:
			t.Errorf("Find: %v", err)
		}
	})
	leader := must[store.Leader](t)(s.Leaders.Leader(ctx, spotOnBase, address))
	if len(leader.Findings) != store.MaximumSources || tooMany.Load() < 4*5 || tooMany.Load() > 4*6 {
		t.Errorf("%d sources, %d were too many", len(leader.Findings), tooMany.Load())
	}
	for _, finding := range leader.Findings {
		source, last := 0, 0
		fmt.Sscanf(finding.Source, "source-%d", &source)
		for i := source; i < goroutines; i += 12 {
			last = i
		}
		if !finding.At.Equal(epoch.Add(time.Duration(last))) {
			t.Errorf("%s found it at %v, want the newest", finding.Source, finding.At)
		}
	}

	// Of those that grade after the same grading one does, and says so.
	atOnce(goroutines, func(i int) {
		switch err := s.Leaders.Grade(ctx, spotOnBase, address, time.Time{}, newGrading(epoch.Add(time.Duration(i))), newEvent(fmt.Sprint("grader-", i), epoch)); {
		case err == nil:
			graded.Add(1)
		case !errors.Is(err, store.ErrConflict):
			t.Errorf("Grade: %v", err)
		}
	})
	if said := must[[]store.Event](t)(s.Events.Said(ctx, epoch, time.Time{}, "", store.MaximumListed)); graded.Load() != 1 || len(said) != 1 {
		t.Errorf("%d gradings and %d events, want one of each", graded.Load(), len(said))
	}

	// Found again while it is removed: it is there if and only if the finding came last, and whole.
	again := newFinding("again", epoch.Add(time.Hour))
	for n := range 4 {
		address := fmt.Sprint("0xagain", n)
		mustDo(t, s.Leaders.Find(ctx, spotOnBase, address, newFinding("source", epoch)))
		atOnce(2, func(i int) {
			var err error
			if i == 0 {
				err = s.Leaders.Find(ctx, spotOnBase, address, again)
			} else {
				err = s.Leaders.Remove(ctx, spotOnBase, address, epoch)
			}
			if err != nil {
				t.Error(err)
			}
		})
		if got := must[store.Leader](t)(s.Leaders.Leader(ctx, spotOnBase, address)); len(got.Findings) == 1 {
			sameLeader(t, got, found(spotOnBase, address, again.At, again))
		} else {
			sameLeader(t, got, found(spotOnBase, address, epoch, again, newFinding("source", epoch)))
		}
	}
}

// checkLeaderModel compares random calls on a group with a map.
func checkLeaderModel(t *testing.T, s Stores) {
	ctx := t.Context()
	addresses := []string{"0x0", "0x1", "0x2", "0x3"}
	rapid.Check(t, func(t *rapid.T) {
		group := store.Group{Kind: "spot", Place: unique("place")}
		want := map[string]*store.Leader{}
		for range rapid.IntRange(1, 12).Draw(t, "calls") {
			address := rapid.SampledFrom(addresses).Draw(t, "address")
			at := epoch.Add(time.Duration(rapid.IntRange(0, 5).Draw(t, "at")))
			leader := want[address]
			switch rapid.IntRange(0, 4).Draw(t, "call") {
			case 0:
				mustDo(t, s.Leaders.Remove(ctx, group, address, at))
				if leader != nil && !slices.ContainsFunc(leader.Findings, func(f store.Finding) bool { return f.At.After(at) }) {
					delete(want, address)
				}
			case 1:
				since := time.Time{}
				if leader != nil {
					since = rapid.SampledFrom([]time.Time{leader.Grading.At, leader.Grading.At, {}, epoch}).Draw(t, "since")
				}
				err := s.Leaders.Grade(ctx, group, address, since, newGrading(at))
				switch {
				case leader == nil:
					wantError(t, "Grade", err, store.ErrNotFound)
				case !since.Equal(leader.Grading.At) || !at.After(since):
					wantError(t, "Grade", err, store.ErrConflict)
				default:
					mustDo(t, err)
					leader.Grading = newGrading(at)
				}
			default:
				finding := newFinding(rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "source"), at)
				mustDo(t, s.Leaders.Find(ctx, group, address, finding))
				if leader == nil {
					leader = &store.Leader{Group: group, Address: address, FoundAt: at}
					want[address] = leader
				}
				i, known := slices.BinarySearchFunc(leader.Findings, finding.Source, func(f store.Finding, source string) int { return strings.Compare(f.Source, source) })
				switch {
				case !known:
					leader.Findings = slices.Insert(leader.Findings, i, finding)
				case !at.Before(leader.Findings[i].At):
					leader.Findings[i] = finding
				}
			}
		}
		from, limit := rapid.SampledFrom(addresses).Draw(t, "from"), rapid.IntRange(1, 5).Draw(t, "limit")
		to := rapid.SampledFrom(append(addresses, "")).Draw(t, "to")
		var listed []store.Leader
		for _, address := range slices.Sorted(maps.Keys(want)) {
			if address >= from && (to == "" || address < to) && len(listed) < limit {
				listed = append(listed, *want[address])
			}
		}
		wantLeaders(t, s, group, from, to, limit, listed...)
	})
}

func checkInvalidLeaders(t *testing.T, s Stores) {
	ctx, good := t.Context(), spotOnBase
	for _, id := range []string{"", "a b", "a#b", strings.Repeat("x", 129)} {
		for _, bad := range []store.Leader{
			{Group: store.Group{Kind: id, Place: "base"}, Address: "0x1"}, {Group: store.Group{Kind: "spot", Place: id}, Address: "0x1"}, {Group: good, Address: id},
		} {
			wantError(t, "Find", s.Leaders.Find(ctx, bad.Group, bad.Address, newFinding("source", epoch)), store.ErrInvalid)
			_, err := s.Leaders.Leader(ctx, bad.Group, bad.Address)
			wantError(t, "Leader", err, store.ErrInvalid)
			wantError(t, "Grade", s.Leaders.Grade(ctx, bad.Group, bad.Address, time.Time{}, newGrading(epoch)), store.ErrInvalid)
			wantError(t, "Remove", s.Leaders.Remove(ctx, bad.Group, bad.Address, epoch), store.ErrInvalid)
			if bad.Group != good || bad.Address != "" { // no address is no end of a list
				_, err = s.Leaders.List(ctx, bad.Group, bad.Address, "", 1)
				wantError(t, "List from", err, store.ErrInvalid)
				_, err = s.Leaders.List(ctx, bad.Group, "", bad.Address, 1)
				wantError(t, "List to", err, store.ErrInvalid)
			}
		}
		wantError(t, "a source", s.Leaders.Find(ctx, good, "invalid", newFinding(id, epoch)), store.ErrInvalid)
	}
	mustDo(t, s.Leaders.Find(ctx, good, "0xgood", newFinding("source", epoch)))
	for what, bad := range map[string]store.Finding{
		"no time": newFinding("source", time.Time{}), "too much data": {Source: "source", At: epoch, Data: make([]byte, store.MaximumFinding+1)},
	} {
		wantError(t, what, s.Leaders.Find(ctx, good, "invalid", bad), store.ErrInvalid)
	}
	for what, change := range map[string]func(*store.Grading){
		"no time": func(g *store.Grading) { g.At = time.Time{} }, "no pass": func(g *store.Grading) { g.Pass = "" }, "no verdict": func(g *store.Grading) { g.Verdict = "" },
		"no data": func(g *store.Grading) { g.Data = nil }, "too much data": func(g *store.Grading) { g.Data = make([]byte, store.MaximumGrading+1) },
		"a long grade": func(g *store.Grading) { g.Grade = strings.Repeat("x", 17) }, "a long verdict": func(g *store.Grading) { g.Verdict = strings.Repeat("x", 33) },
	} {
		bad := newGrading(epoch)
		change(&bad)
		wantError(t, what, s.Leaders.Grade(ctx, good, "0xgood", time.Time{}, bad), store.ErrInvalid)
	}
	wantError(t, "Grade since no time that can be", s.Leaders.Grade(ctx, good, "0xgood", time.Time{}.Add(1), newGrading(epoch)), store.ErrInvalid)
	for _, limit := range []int{-1, 0, store.MaximumLeaders + 1} {
		_, err := s.Leaders.List(ctx, good, "", "", limit)
		wantError(t, "List", err, store.ErrInvalid)
	}
	wantError(t, "Remove since no time", s.Leaders.Remove(ctx, good, "0xgood", time.Time{}), store.ErrInvalid)
	wantLeaders(t, s, good, "", "", 10, found(good, "0xgood", epoch, newFinding("source", epoch)))
}

// checkLeaderMemory: neither what goes in nor what comes out shares bytes with the store.
func checkLeaderMemory(t *testing.T, s Stores) {
	ctx, address := t.Context(), "0xmemory"
	finding, grading, event := newFinding("source", epoch), newGrading(epoch), newEvent("memory", epoch)
	mustDo(t, s.Leaders.Find(ctx, spotOnBase, address, finding))
	mustDo(t, s.Leaders.Grade(ctx, spotOnBase, address, time.Time{}, grading, event))
	clear(finding.Data)
	clear(grading.Data)
	clear(event.Data)
	want := found(spotOnBase, address, epoch, newFinding("source", epoch))
	want.Grading = newGrading(epoch)
	for range 2 {
		got := must[store.Leader](t)(s.Leaders.Leader(ctx, spotOnBase, address))
		sameLeader(t, got, want)
		clear(got.Findings[0].Data)
		clear(got.Grading.Data)
		list := must[[]store.Leader](t)(s.Leaders.List(ctx, spotOnBase, "", "", 1))
		sameLeader(t, list[0], want)
		clear(list[0].Findings[0].Data)
		clear(list[0].Grading.Data)
		said := must[[]store.Event](t)(s.Events.Said(ctx, epoch, time.Time{}, "", 1))
		sameEvents(t, said, newEvent("memory", epoch))
		clear(said[0].Data)
	}
}
