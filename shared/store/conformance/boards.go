package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// newEdition returns an edition and its rows, of which no two are alike, in other editions neither.
func newEdition(board string, at time.Time, rows int) (store.Edition, [][]byte) {
	made := make([][]byte, 0, rows)
	for i := range rows {
		made = append(made, fmt.Appendf(nil, "%s \x00\xff row %d", at.UTC().Format(time.RFC3339Nano), i))
	}
	return store.Edition{Board: board, At: at, Rows: rows, Data: fmt.Appendf(nil, "{%q:\"\x00\xff\"}", at.UTC().Format(time.RFC3339Nano))}, made
}

func publish(t tester, s Stores, board string, at time.Time, rows int) {
	t.Helper()
	edition, made := newEdition(board, at, rows)
	mustDo(t, s.Boards.Publish(t.Context(), edition, made))
}

func sameEdition(t tester, got, want store.Edition) {
	t.Helper()
	if got.Board != want.Board || !got.At.Equal(want.At) || got.At.Location() != time.UTC || got.Rows != want.Rows || !bytes.Equal(got.Data, want.Data) {
		t.Errorf("edition %s %v of %d rows, %d bytes; want %s %v of %d, %d", got.Board, got.At, got.Rows, len(got.Data), want.Board, want.At, want.Rows, len(want.Data))
	}
}

func wantRows(t tester, s Stores, board string, at time.Time, from, limit int, want [][]byte) {
	t.Helper()
	got, err := s.Boards.Rows(t.Context(), board, at, from, limit)
	mustDo(t, err)
	if got == nil || len(got) != len(want) {
		t.Fatalf("%d rows of %s from %d, limit %d; want %d, and never nil", len(got), board, from, limit, len(want))
	}
	for i := range want {
		if !bytes.Equal(got[i], want[i]) {
			t.Errorf("row %d of %s: %.60q, want %.60q", from+i, board, got[i], want[i])
		}
	}
}

// wantEdition looks for an edition whole, as newEdition makes it.
func wantEdition(t tester, s Stores, board string, at time.Time, rows int) {
	t.Helper()
	edition, made := newEdition(board, at, rows)
	got, err := s.Boards.Edition(t.Context(), board, at)
	mustDo(t, err)
	sameEdition(t, got, edition)
	wantRows(t, s, board, at, 0, store.MaximumListed, made[:min(rows, store.MaximumListed)])
}

func wantNoEdition(t tester, s Stores, board string, at time.Time) {
	t.Helper()
	_, err := s.Boards.Edition(t.Context(), board, at)
	wantError(t, fmt.Sprintf("the edition of %v", at), err, store.ErrNotFound)
	for _, from := range []int{0, 1_000} {
		_, err = s.Boards.Rows(t.Context(), board, at, from, 1)
		wantError(t, fmt.Sprintf("rows of the edition of %v", at), err, store.ErrNotFound)
	}
}

func wantCurrent(t tester, s Stores, board string, at time.Time, rows int) {
	t.Helper()
	edition, _ := newEdition(board, at, rows)
	got, err := s.Boards.Current(t.Context(), board)
	mustDo(t, err)
	sameEdition(t, got, edition)
	wantEdition(t, s, board, at, rows)
}

func checkBoards(t *testing.T, s Stores) {
	ctx, board := t.Context(), unique("board")
	_, err := s.Boards.Current(ctx, board)
	wantError(t, "Current before the first", err, store.ErrNotFound)
	wantNoEdition(t, s, board, epoch)

	publish(t, s, board, epoch.In(time.FixedZone("behind", -7200)), 130)
	wantCurrent(t, s, board, epoch, 130)
	_, made := newEdition(board, epoch, 130)
	wantRows(t, s, board, epoch.In(time.FixedZone("ahead", 3600)), 0, 1, made[:1])
	wantRows(t, s, board, epoch, 9, 2, made[9:11])
	wantRows(t, s, board, epoch, 29, 100, made[29:129])
	wantRows(t, s, board, epoch, 100, 100, made[100:])
	wantRows(t, s, board, epoch, 129, 100, made[129:])
	wantRows(t, s, board, epoch, 130, 1, nil)
	wantRows(t, s, board, epoch, 1<<40, 100, nil)
	wantNoEdition(t, s, board, epoch.Add(1))

	// A nanosecond decides which is newer. The one before can be read on, with its own rows.
	for _, at := range []time.Time{epoch, epoch.Add(-1), epoch.Truncate(time.Second)} {
		edition, made := newEdition(board, at, 1)
		wantError(t, "an edition that is not newer", s.Boards.Publish(ctx, edition, made), store.ErrConflict)
	}
	wantCurrent(t, s, board, epoch, 130)
	publish(t, s, board, epoch.Add(1), 0)
	wantCurrent(t, s, board, epoch.Add(1), 0)
	wantEdition(t, s, board, epoch, 130)

	// The largest is kept; what goes in and what comes out is the caller's.
	at := epoch.Add(time.Hour)
	edition := store.Edition{Board: board, At: at, Rows: 2, Data: bytes.Repeat([]byte{0xfe}, store.MaximumBoardData)}
	largest := bytes.Repeat([]byte{0xfd}, store.MaximumBoardRow)
	passed, rows := edition, [][]byte{bytes.Clone(largest), bytes.Clone(largest)}
	passed.Data = bytes.Clone(edition.Data)
	mustDo(t, s.Boards.Publish(ctx, passed, rows))
	clear(passed.Data)
	clear(rows[0])
	for range 2 {
		got := must[store.Edition](t)(s.Boards.Current(ctx, board))
		sameEdition(t, got, edition)
		clear(got.Data)
		got = must[store.Edition](t)(s.Boards.Edition(ctx, board, at))
		sameEdition(t, got, edition)
		clear(got.Data)
		wantRows(t, s, board, at, 0, 2, [][]byte{largest, largest})
		clear(must[[][]byte](t)(s.Boards.Rows(ctx, board, at, 0, 1))[0])
	}
}

// checkSimilarBoards: boards whose names begin alike do not see each other.
func checkSimilarBoards(t *testing.T, s Stores) {
	boards := []string{"spot", "spot-base", "spot-", "Spot", "spo"}
	for i, board := range boards {
		publish(t, s, board, epoch.Add(time.Duration(i)), i)
	}
	for i, board := range boards {
		wantCurrent(t, s, board, epoch.Add(time.Duration(i)), i)
		wantNoEdition(t, s, board, epoch.Add(time.Duration(i+1)))
	}
}

// checkEditionLife: an edition is gone when another has had its place for long enough, and only then.
func checkEditionLife(t *testing.T, s Stores) {
	const life = store.EditionLife
	board := unique("board")
	second, third := epoch.Add(50*life), epoch.Add(50*life+time.Minute)
	publish(t, s, board, epoch, 3)
	publish(t, s, board, second, 30)
	wantEdition(t, s, board, epoch, 3)
	publish(t, s, board, third, 3)
	publish(t, s, board, second.Add(life-1), 1)
	wantEdition(t, s, board, epoch, 3)
	publish(t, s, board, second.Add(life), 2)
	wantNoEdition(t, s, board, epoch)
	wantEdition(t, s, board, second, 30)
	publish(t, s, board, third.Add(life), 1)
	wantNoEdition(t, s, board, second)
	wantEdition(t, s, board, third, 3)
	wantCurrent(t, s, board, third.Add(life), 1)
	publish(t, s, board, third.Add(9*life), 1)
	publish(t, s, board, third.Add(10*life), 1)
	for _, at := range []time.Time{epoch, second, third, second.Add(life - 1), second.Add(life)} {
		wantNoEdition(t, s, board, at)
	}
	wantEdition(t, s, board, third.Add(9*life), 1)
}

// checkConcurrentBoards: of those that publish as of one time at once one does, with its own rows; of others the newest stays; and
// whoever reads meanwhile reads one edition whole.
func checkConcurrentBoards(t *testing.T, s Stores) {
	ctx, board := t.Context(), unique("rush")
	publish(t, s, board, epoch, 30)
	at := epoch.Add(time.Minute)
	var published, winner atomic.Int64
	atOnce(racers+2, func(i int) {
		if i >= racers {
			current, err := s.Boards.Current(ctx, board)
			if err != nil {
				t.Errorf("Current: %v", err)
				return
			}
			rows, err := s.Boards.Rows(ctx, board, current.At, 0, 100)
			if err != nil || len(rows) != current.Rows || !bytes.HasPrefix(rows[len(rows)-1], fmt.Append(nil, current.At.Format(time.RFC3339Nano))) {
				t.Errorf("%d rows of %d, %v", len(rows), current.Rows, err)
			}
			return
		}
		edition, rows := newEdition(board, at, 30+i)
		edition.Data = fmt.Append(nil, i)
		for n := range rows {
			rows[n] = fmt.Appendf(rows[n], " by %d", i)
		}
		switch err := s.Boards.Publish(ctx, edition, rows); {
		case err == nil:
			published.Add(1)
			winner.Store(int64(i))
		case !errors.Is(err, store.ErrConflict):
			t.Errorf("Publish: %v", err)
		}
	})
	current := must[store.Edition](t)(s.Boards.Current(ctx, board))
	rows := must[[][]byte](t)(s.Boards.Rows(ctx, board, at, 0, 100))
	if i := winner.Load(); published.Load() != 1 || string(current.Data) != fmt.Sprint(i) || len(rows) != int(30+i) {
		t.Errorf("%d editions were published; %d won, the current one is by %s and has %d rows", published.Load(), i, current.Data, len(rows))
	}
	for n, row := range rows {
		if !bytes.HasSuffix(row, fmt.Appendf(nil, "row %d by %s", n, current.Data)) {
			t.Errorf("row %d by %s: %q", n, current.Data, row)
		}
	}

	atOnce(racers, func(i int) {
		edition, rows := newEdition(board, at.Add(time.Duration(i+1)), i)
		if err := s.Boards.Publish(ctx, edition, rows); err != nil && !errors.Is(err, store.ErrConflict) {
			t.Errorf("Publish: %v", err)
		}
	})
	wantCurrent(t, s, board, at.Add(racers), racers-1)
}

// checkBoardModel compares random editions, in turn and out of turn, with a slice.
func checkBoardModel(t *testing.T, s Stores) {
	rapid.Check(t, func(t *rapid.T) {
		board, at := unique("board"), epoch
		type published struct {
			at   time.Time
			rows int
		}
		var all []published
		for range rapid.IntRange(1, 6).Draw(t, "editions") {
			at = at.Add(store.EditionLife / 4 * time.Duration(rapid.IntRange(-1, 6).Draw(t, "passed")))
			edition, rows := newEdition(board, at, rapid.IntRange(0, 3).Draw(t, "rows"))
			err := s.Boards.Publish(t.Context(), edition, rows)
			if len(all) > 0 && !at.After(all[len(all)-1].at) {
				wantError(t, "an edition that is not newer", err, store.ErrConflict)
				at = all[len(all)-1].at
				continue
			}
			mustDo(t, err)
			all = append(all, published{at, len(rows)})
		}
		current := all[len(all)-1]
		wantCurrent(t, s, board, current.at, current.rows)
		for i, edition := range all[:len(all)-1] {
			if current.at.Sub(all[i+1].at) < store.EditionLife {
				wantEdition(t, s, board, edition.at, edition.rows)
			} else {
				wantNoEdition(t, s, board, edition.at)
			}
		}
	})
}

func checkInvalidBoards(t *testing.T, s Stores) {
	ctx := t.Context()
	for _, id := range []string{"", "a b", "a#b", strings.Repeat("x", 129)} {
		edition, rows := newEdition(id, epoch, 1)
		wantError(t, "Publish", s.Boards.Publish(ctx, edition, rows), store.ErrInvalid)
		_, err := s.Boards.Current(ctx, id)
		wantError(t, "Current", err, store.ErrInvalid)
		_, err = s.Boards.Edition(ctx, id, epoch)
		wantError(t, "Edition", err, store.ErrInvalid)
		_, err = s.Boards.Rows(ctx, id, epoch, 0, 1)
		wantError(t, "Rows", err, store.ErrInvalid)
	}
	for what, change := range map[string]func(*store.Edition, *[][]byte){
		"no time": func(e *store.Edition, _ *[][]byte) { e.At = time.Time{} }, "no data": func(e *store.Edition, _ *[][]byte) { e.Data = nil },
		"too much data": func(e *store.Edition, _ *[][]byte) { e.Data = make([]byte, store.MaximumBoardData+1) },
		"a row more":    func(e *store.Edition, _ *[][]byte) { e.Rows++ }, "a row less": func(e *store.Edition, _ *[][]byte) { e.Rows-- },
		"an empty row":   func(_ *store.Edition, rows *[][]byte) { (*rows)[1] = nil },
		"a row too long": func(_ *store.Edition, rows *[][]byte) { (*rows)[1] = make([]byte, store.MaximumBoardRow+1) },
		"too many rows": func(e *store.Edition, rows *[][]byte) {
			e.Rows, *rows = store.MaximumBoardRows+1, make([][]byte, store.MaximumBoardRows+1)
		},
	} {
		edition, rows := newEdition("invalid", epoch, 2)
		change(&edition, &rows)
		wantError(t, what, s.Boards.Publish(ctx, edition, rows), store.ErrInvalid)
	}
	_, err := s.Boards.Current(ctx, "invalid")
	wantError(t, "Current after invalid editions", err, store.ErrNotFound)
	publish(t, s, "valid", epoch, 1)
	_, err = s.Boards.Edition(ctx, "valid", time.Time{})
	wantError(t, "Edition", err, store.ErrInvalid)
	for _, bad := range [][2]int{{-1, 1}, {0, 0}, {0, -1}, {0, store.MaximumListed + 1}} {
		_, err := s.Boards.Rows(ctx, "valid", epoch, bad[0], bad[1])
		wantError(t, "Rows", err, store.ErrInvalid)
	}
	_, err = s.Boards.Rows(ctx, "valid", time.Time{}, 0, 1)
	wantError(t, "Rows", err, store.ErrInvalid)
}

// checkEndedLeaders: a call whose context had ended says so and changes nothing.
func checkEndedLeaders(t *testing.T, s Stores) {
	ctx, job, board, address := t.Context(), unique("job"), unique("board"), "0xended"
	pass, finding := newPass(job, epoch, 2), newFinding("source", epoch)
	begin(t, s, pass, 0, true, pass)
	mustDo(t, s.Leaders.Find(ctx, spotOnBase, address, finding))
	publish(t, s, board, epoch, 1)

	ended, cancel := context.WithCancel(ctx)
	cancel()
	later := epoch.Add(time.Hour)
	edition, rows := newEdition(board, later, 2)
	for name, call := range map[string]func() error{
		"Begin":        func() error { _, _, err := s.Passes.Begin(ended, newPass(job, later, 1), 0); return err },
		"Latest":       func() error { _, err := s.Passes.Latest(ended, job); return err },
		"CompletePart": func() error { _, err := s.Passes.CompletePart(ended, job, pass.ID, 0, 1, 1); return err },
		"Finish":       func() error { return s.Passes.Finish(ended, job, pass.ID, later) },
		"Find":         func() error { return s.Leaders.Find(ended, spotOnBase, address, newFinding("source", later)) },
		"Leader":       func() error { _, err := s.Leaders.Leader(ended, spotOnBase, address); return err },
		"List":         func() error { _, err := s.Leaders.List(ended, spotOnBase, "", "", 1); return err },
		"Grade": func() error {
			return s.Leaders.Grade(ended, spotOnBase, address, time.Time{}, newGrading(later), newEvent("ended", epoch))
		},
		"Remove":  func() error { return s.Leaders.Remove(ended, spotOnBase, address, later) },
		"Said":    func() error { _, err := s.Events.Said(ended, epoch, time.Time{}, "", 1); return err },
		"Publish": func() error { return s.Boards.Publish(ended, edition, rows) },
		"Current": func() error { _, err := s.Boards.Current(ended, board); return err },
		"Edition": func() error { _, err := s.Boards.Edition(ended, board, epoch); return err },
		"Rows":    func() error { _, err := s.Boards.Rows(ended, board, epoch, 0, 1); return err },
	} {
		wantError(t, name, call(), context.Canceled)
	}
	wantPass(t, s, pass)
	wantLeader(t, s, found(spotOnBase, address, epoch, finding))
	wantSaid(t, s, epoch, time.Time{}, "", 10)
	wantCurrent(t, s, board, epoch, 1)
}
