package conformance

import (
	"bytes"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

func newPass(job string, at time.Time, parts int) store.Pass {
	return store.Pass{Job: job, ID: at.UTC().Format(time.RFC3339Nano), At: at, Parts: parts, Data: []byte("{\"bytes\":\"\x00\xff\"}"), Done: []int{}}
}

func samePass(t tester, got, want store.Pass) {
	t.Helper()
	switch {
	case got.Job != want.Job || got.ID != want.ID || got.Parts != want.Parts || !bytes.Equal(got.Data, want.Data):
		t.Errorf("pass %s %s of %d parts, %d bytes; want %s %s of %d, %d", got.Job, got.ID, got.Parts, len(got.Data), want.Job, want.ID, want.Parts, len(want.Data))
	case !got.At.Equal(want.At) || got.At.Location() != time.UTC || !got.FinishedAt.Equal(want.FinishedAt) || got.FinishedAt.Location() != time.UTC:
		t.Errorf("pass %s from %v to %v, want %v to %v", got.ID, got.At, got.FinishedAt, want.At, want.FinishedAt)
	case got.Done == nil || !slices.Equal(got.Done, want.Done) || got.Items != want.Items || got.Failed != want.Failed:
		t.Errorf("pass %s has done %v, %d items, %d failed; want %v (never nil), %d, %d", got.ID, got.Done, got.Items, got.Failed, want.Done, want.Items, want.Failed)
	}
}

func wantPass(t tester, s Stores, want store.Pass) {
	t.Helper()
	got, err := s.Passes.Latest(t.Context(), want.Job)
	mustDo(t, err)
	samePass(t, got, want)
}

// begin begins a pass and checks whether it did, and what is current then.
func begin(t tester, s Stores, pass store.Pass, gap time.Duration, wantBegun bool, want store.Pass) {
	t.Helper()
	current, begun, err := s.Passes.Begin(t.Context(), pass, gap)
	mustDo(t, err)
	if begun != wantBegun {
		t.Errorf("pass %s with gap %v: begun %v, want %v", pass.ID, gap, begun, wantBegun)
	}
	samePass(t, current, want)
	wantPass(t, s, want)
}

func checkPasses(t *testing.T, s Stores) {
	ctx, job := t.Context(), unique("job")
	_, err := s.Passes.Latest(ctx, job)
	wantError(t, "Latest before the first", err, store.ErrNotFound)
	_, err = s.Passes.CompletePart(ctx, job, "none", 0, 1, 1)
	wantError(t, "CompletePart before the first", err, store.ErrNotFound)
	wantError(t, "Finish before the first", s.Passes.Finish(ctx, job, "none", epoch), store.ErrNotFound)

	first := newPass(job, epoch.In(time.FixedZone("behind", -7200)), 10)
	begin(t, s, first, time.Hour, true, first)
	begin(t, s, first, 0, false, first)

	// Parts are done once, in any order; the counts of a repetition do not matter.
	first.Done, first.Items, first.Failed = []int{9}, 5, 1
	samePass(t, must[store.Pass](t)(s.Passes.CompletePart(ctx, job, first.ID, 9, 5, 1)), first)
	samePass(t, must[store.Pass](t)(s.Passes.CompletePart(ctx, job, first.ID, 9, 7, 7)), first)
	first.Done = []int{0, 9}
	samePass(t, must[store.Pass](t)(s.Passes.CompletePart(ctx, job, first.ID, 0, 0, 0)), first)
	_, err = s.Passes.CompletePart(ctx, job, first.ID, 10, 1, 1)
	wantError(t, "a part that the pass does not have", err, store.ErrNotFound)
	wantPass(t, s, first)

	// It finishes once, with parts missing, and those may still come.
	first.FinishedAt = epoch.Add(time.Minute + 1)
	mustDo(t, s.Passes.Finish(ctx, job, first.ID, first.FinishedAt.In(time.FixedZone("ahead", 3600))))
	mustDo(t, s.Passes.Finish(ctx, job, first.ID, epoch.Add(time.Hour)))
	wantPass(t, s, first)
	first.Done, first.Items = []int{0, 4, 9}, 8
	samePass(t, must[store.Pass](t)(s.Passes.CompletePart(ctx, job, first.ID, 4, 3, 0)), first)

	// The next begins after the gap, to the nanosecond, and not before the latest whatever the gap.
	next := newPass(job, epoch.Add(time.Hour), 0)
	next.Data = nil
	begin(t, s, next, time.Hour+1, false, first)
	begin(t, s, newPass(job, epoch.Add(-1), 3), 0, false, first)
	sameTime := newPass(job, epoch, 3)
	sameTime.ID = "another"
	begin(t, s, sameTime, 0, false, first)
	sameID := newPass(job, epoch.Add(2*time.Hour), 3)
	sameID.ID = first.ID
	begin(t, s, sameID, time.Hour, false, first)
	begin(t, s, next, time.Hour, true, next)
	if first.Complete() || !next.Complete() {
		t.Error("a pass is complete when no part is missing")
	}

	// Nobody can do anything to a pass that is not the latest.
	_, err = s.Passes.CompletePart(ctx, job, first.ID, 1, 1, 1)
	wantError(t, "a part of the pass before", err, store.ErrConflict)
	wantError(t, "Finish of the pass before", s.Passes.Finish(ctx, job, first.ID, epoch), store.ErrConflict)
	wantPass(t, s, next)

	// What goes in and what comes out is the caller's, and the largest fits.
	largest := newPass(job, epoch.Add(2*time.Hour), store.MaximumParts)
	largest.Data = bytes.Repeat([]byte{0xfe}, store.MaximumPlan)
	passed := largest
	passed.Data = bytes.Clone(largest.Data)
	got, _, err := s.Passes.Begin(ctx, passed, 0)
	mustDo(t, err)
	clear(passed.Data)
	clear(got.Data)
	got = must[store.Pass](t)(s.Passes.Latest(ctx, job))
	clear(got.Data)
	largest.Done = []int{store.MaximumParts - 1}
	samePass(t, must[store.Pass](t)(s.Passes.CompletePart(ctx, job, largest.ID, store.MaximumParts-1, 0, 0)), largest)
}

// checkSimilarJobs: jobs whose names begin alike do not see each other.
func checkSimilarJobs(t *testing.T, s Stores) {
	jobs := []string{"grade", "grade-leaders", "grade-", "Grade"}
	for i, job := range jobs {
		pass := newPass(job, epoch.Add(time.Duration(i)), 1)
		begin(t, s, pass, time.Hour, true, pass)
	}
	for i, job := range jobs {
		wantPass(t, s, newPass(job, epoch.Add(time.Duration(i)), 1))
	}
}

// checkConcurrentPasses: of those that begin at once one does; of those that complete a part at once all are told, and one counts.
func checkConcurrentPasses(t *testing.T, s Stores) {
	ctx, job := t.Context(), unique("rush")
	var begun, last atomic.Int64
	atOnce(goroutines, func(i int) {
		pass := newPass(job, epoch, goroutines/2)
		pass.ID = unique("pass")
		current, first, err := s.Passes.Begin(ctx, pass, time.Hour)
		if err != nil || first != (current.ID == pass.ID) {
			t.Errorf("Begin: %v, begun %v, current %s, ours %s", err, first, current.ID, pass.ID)
		}
		if first {
			begun.Add(1)
		}
	})
	if begun.Load() != 1 {
		t.Fatalf("%d passes began, want 1", begun.Load())
	}
	pass := must[store.Pass](t)(s.Passes.Latest(ctx, job))
	atOnce(goroutines, func(i int) {
		got, err := s.Passes.CompletePart(ctx, job, pass.ID, i/2, 1, 2)
		if err != nil || !slices.Contains(got.Done, i/2) || got.Items != len(got.Done) {
			t.Errorf("CompletePart: %v, %v after part %d", err, got.Done, i/2)
		}
		if got.Complete() {
			last.Add(1)
		}
	})
	if last.Load() == 0 {
		t.Error("nobody was told that the last part is done")
	}
	got := must[store.Pass](t)(s.Passes.Latest(ctx, job))
	if !got.Complete() || got.Items != pass.Parts || got.Failed != 2*pass.Parts {
		t.Errorf("done %v, %d items, %d failed; want each of %d parts once", got.Done, got.Items, got.Failed, pass.Parts)
	}
}

// checkPassModel compares random calls on one job with a value.
func checkPassModel(t *testing.T, s Stores) {
	ctx := t.Context()
	rapid.Check(t, func(t *rapid.T) {
		job := unique("job")
		at := epoch
		want := newPass(job, at, 4)
		begin(t, s, want, 0, true, want)
		for range rapid.IntRange(1, 10).Draw(t, "calls") {
			switch rapid.IntRange(0, 5).Draw(t, "call") {
			case 0:
				passed := time.Duration(rapid.IntRange(-1, 3).Draw(t, "passed"))
				gap := time.Duration(rapid.IntRange(0, 3).Draw(t, "gap"))
				next := newPass(job, want.At.Add(passed), rapid.IntRange(0, 4).Draw(t, "parts"))
				begun := passed > 0 && passed >= gap
				if begun {
					want = next
				}
				begin(t, s, next, gap, begun, want)
			case 1:
				mustDo(t, s.Passes.Finish(ctx, job, want.ID, at))
				if want.FinishedAt.IsZero() {
					want.FinishedAt = at
				}
				at = at.Add(time.Minute)
			default:
				part := rapid.IntRange(0, 4).Draw(t, "part")
				items, failed := rapid.IntRange(0, 3).Draw(t, "items"), rapid.IntRange(0, 3).Draw(t, "failed")
				got, err := s.Passes.CompletePart(ctx, job, want.ID, part, items, failed)
				if part >= want.Parts {
					wantError(t, "a part too many", err, store.ErrNotFound)
					continue
				}
				mustDo(t, err)
				if i, done := slices.BinarySearch(want.Done, part); !done {
					want.Done = slices.Insert(slices.Clone(want.Done), i, part)
					want.Items += items
					want.Failed += failed
				}
				samePass(t, got, want)
			}
		}
		wantPass(t, s, want)
	})
}

func checkInvalidPasses(t *testing.T, s Stores) {
	ctx := t.Context()
	for _, id := range []string{"", "a b", "a#b", strings.Repeat("x", 129)} {
		_, _, err := s.Passes.Begin(ctx, newPass(id, epoch, 1), 0)
		wantError(t, "Begin", err, store.ErrInvalid)
		_, err = s.Passes.Latest(ctx, id)
		wantError(t, "Latest", err, store.ErrInvalid)
		for _, names := range [][2]string{{id, "pass"}, {"invalid", id}} {
			_, err = s.Passes.CompletePart(ctx, names[0], names[1], 0, 0, 0)
			wantError(t, "CompletePart", err, store.ErrInvalid)
			wantError(t, "Finish", s.Passes.Finish(ctx, names[0], names[1], epoch), store.ErrInvalid)
		}
	}
	for what, change := range map[string]func(*store.Pass){
		"no id": func(p *store.Pass) { p.ID = "" }, "no time": func(p *store.Pass) { p.At = time.Time{} },
		"less than no parts": func(p *store.Pass) { p.Parts = -1 }, "too many parts": func(p *store.Pass) { p.Parts = store.MaximumParts + 1 },
		"too much data": func(p *store.Pass) { p.Data = make([]byte, store.MaximumPlan+1) }, "done parts": func(p *store.Pass) { p.Done = []int{0} },
		"items": func(p *store.Pass) { p.Items = 1 }, "failed": func(p *store.Pass) { p.Failed = 1 }, "an end": func(p *store.Pass) { p.FinishedAt = epoch },
	} {
		bad := newPass("invalid", epoch, 1)
		change(&bad)
		_, _, err := s.Passes.Begin(ctx, bad, 0)
		wantError(t, "a pass with "+what, err, store.ErrInvalid)
	}
	_, _, err := s.Passes.Begin(ctx, newPass("invalid", epoch, 1), -1)
	wantError(t, "a negative gap", err, store.ErrInvalid)
	for _, bad := range [][3]int{{-1, 0, 0}, {store.MaximumParts, 0, 0}, {0, -1, 0}, {0, 0, -1}} {
		_, err := s.Passes.CompletePart(ctx, "invalid", "pass", bad[0], bad[1], bad[2])
		wantError(t, "CompletePart", err, store.ErrInvalid)
	}
	wantError(t, "Finish", s.Passes.Finish(ctx, "invalid", "pass", time.Time{}), store.ErrInvalid)
	_, err = s.Passes.Latest(ctx, "invalid")
	wantError(t, "Latest after invalid passes", err, store.ErrNotFound)
}
