package conformance

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

func newBook(agent store.AgentKey, version, exposure, limit int64) store.Book {
	return store.Book{
		Agent: agent, Version: version, ExposureMicroUSD: exposure, LimitMicroUSD: limit, Data: fmt.Appendf(nil, "{\"version\":%d,\"\x00\xff\"}", version),
	}
}

func newExecution(agent store.AgentKey, id string, at time.Time, status string, version int64) store.Execution {
	return store.Execution{Agent: agent, ID: id, At: at, Status: status, Version: version, Data: fmt.Appendf(nil, "{%q:%d,\"\x00\xff\"}", id, version)}
}

func sameExecution(got, want store.Execution) bool {
	return got.Agent == want.Agent && got.ID == want.ID && got.At.Equal(want.At) && got.At.Location() == time.UTC &&
		got.Status == want.Status && got.Version == want.Version && bytes.Equal(got.Data, want.Data)
}

// newestExecutionFirst is the order of List.
func newestExecutionFirst(a, b store.Execution) int {
	return cmp.Or(b.At.Compare(a.At), cmp.Compare(b.ID, a.ID))
}

func wantBook(t tester, s Stores, want store.Book) {
	t.Helper()
	got, err := s.Executions.Book(t.Context(), want.Agent)
	mustDo(t, err)
	if got.Agent != want.Agent || got.Version != want.Version || got.ExposureMicroUSD != want.ExposureMicroUSD ||
		got.LimitMicroUSD != want.LimitMicroUSD || !bytes.Equal(got.Data, want.Data) {
		t.Errorf("book %+v, want %+v", got, want)
	}
}

// wantExecutions compares all executions of an agent, in whatever order they are given, with what each of the ways to them gives.
func wantExecutions(t tester, s Stores, agent store.AgentKey, limit int, want ...store.Execution) {
	t.Helper()
	slices.SortFunc(want, newestExecutionFirst)
	statuses := map[string][]store.Execution{"": want, "none-has-it": {}}
	ids := []string{"unknown"}
	for _, execution := range want {
		got, err := s.Executions.Execution(t.Context(), agent, execution.ID)
		mustDo(t, err)
		if !sameExecution(got, execution) {
			t.Errorf("execution %+v, want %+v", got, execution)
		}
		statuses[execution.Status] = append(statuses[execution.Status], execution)
		ids = append(ids, execution.ID, execution.ID)
	}
	for status, of := range statuses {
		before, beforeID, all := time.Time{}, "", []store.Execution{}
		for {
			page := must[[]store.Execution](t)(s.Executions.List(t.Context(), agent, status, before, beforeID, limit))
			if all = append(all, page...); len(page) < limit || len(all) > len(of) {
				break
			}
			before, beforeID = page[limit-1].At.In(behind), page[limit-1].ID
		}
		sameList(t, "List of status "+status, sameExecution, all, of...)
	}
	for part := range slices.Chunk(ids, store.MaximumListed) {
		known := must[map[string]bool](t)(s.Executions.Known(t.Context(), agent, part))
		for _, id := range part {
			if _, found := known[id]; found != (id != "unknown") || known[id] != found {
				t.Errorf("execution %s is known: %v", id, known[id])
			}
		}
	}
}

func checkExecutions(t *testing.T, s Stores) {
	ctx, agent := t.Context(), store.AgentKey{Partner: "acme", ID: "1"}
	wantBook(t, s, store.Book{Agent: agent})
	wantExecutions(t, s, agent, 1)
	_, err := s.Executions.Execution(ctx, agent, "a")
	wantError(t, "Execution before the first", err, store.ErrNotFound)

	never := newEventOf("acme", "never", epoch)
	conflict := func(what string, book store.Book, executions ...store.Execution) {
		t.Helper()
		wantError(t, what, s.Executions.Enter(ctx, book, executions, never), store.ErrConflict)
	}
	a := newExecution(agent, "a", epoch.In(behind), "planned", 1)
	conflict("a book of version 2 before the first", newBook(agent, 2, 0, 10), a)
	conflict("a new execution of version 2", newBook(agent, 1, 0, 10), newExecution(agent, "a", epoch, "planned", 2))
	conflict("above the limit from the start", newBook(agent, 1, 11, 10), a)
	wantBook(t, s, store.Book{Agent: agent})
	wantExecutions(t, s, agent, 1)

	event := newEventOf("acme", "entered", epoch)
	book := newBook(agent, 1, 10, 10)
	mustDo(t, s.Executions.Enter(ctx, book, []store.Execution{a}, event))
	wantBook(t, s, book)
	wantExecutions(t, s, agent, 1, a)
	wantTold(t, s, true, event)

	// Of another version, or new and there already, nothing is written: not the book, not those executions that could be.
	b, later := newExecution(agent, "b", epoch, "planned", 1), a
	later.Version, later.Status, later.Data = 2, "filled", []byte("filled")
	for _, version := range []int64{1, 3, math.MaxInt64} {
		conflict("a book of another version", newBook(agent, version, 0, 10), b)
		stale := later
		stale.Version = version
		conflict("an execution of another version", newBook(agent, 2, 0, 10), b, stale)
	}
	moved := later
	moved.At = epoch.Add(1)
	wantError(t, "another time", s.Executions.Enter(ctx, newBook(agent, 2, 0, 10), []store.Execution{b, moved}, never), store.ErrInvalid)
	conflict("another time and another version of the book", newBook(agent, 3, 0, 10), moved)

	// The exposure may be what the limit is, and no more; above the limit it may stay or shrink, and not grow.
	conflict("above the limit", newBook(agent, 2, 11, 10), b)
	conflict("above a lower limit", newBook(agent, 2, 11, 5), b)
	conflict("above no limit", newBook(agent, 2, 11, 0), b)
	wantBook(t, s, book)
	wantExecutions(t, s, agent, 1, a)
	mustDo(t, s.Executions.Enter(ctx, newBook(agent, 2, 10, 5), []store.Execution{b, later}))
	wantExecutions(t, s, agent, 1, later, b)
	conflict("above the lowered limit and more than before", newBook(agent, 3, 11, 5), newExecution(agent, "c", epoch, "planned", 1))
	c := newExecution(agent, "c", epoch.Add(-1), "planned", 1)
	mustDo(t, s.Executions.Enter(ctx, newBook(agent, 3, 9, 5), []store.Execution{c}))
	conflict("as much as once, and more than before", newBook(agent, 4, 10, 5), newExecution(agent, "d", epoch, "planned", 1))
	book = newBook(agent, 4, store.MaximumLimitMicroUSD, store.MaximumLimitMicroUSD)
	d := newExecution(agent, "d", epoch.Add(1), "filled", 1)
	mustDo(t, s.Executions.Enter(ctx, book, []store.Execution{d}))
	wantBook(t, s, book)
	for limit := range 5 {
		wantExecutions(t, s, agent, limit+1, later, b, c, d)
	}
	wantTold(t, s, false, never)

	// The most and the largest at once, which are also more than a page of a list.
	large := store.AgentKey{Partner: long, ID: long}
	var all []store.Execution
	for version := range int64(3) {
		var some []store.Execution
		for i := range store.MaximumEntered {
			execution := newExecution(large, fmt.Sprintf("%s%d-%d", long[8:], version, i), epoch.Add(time.Duration(i%7)), long, 1)
			execution.Data = bytes.Repeat([]byte{0xfe}, store.MaximumExecution)
			some = append(some, execution)
		}
		book := newBook(large, version+1, 0, 0)
		book.Data = bytes.Repeat([]byte{0xfe}, store.MaximumBook)
		mustDo(t, s.Executions.Enter(ctx, book, some, largestEvents(long)...))
		wantBook(t, s, book)
		all = append(all, some...)
	}
	wantExecutions(t, s, large, store.MaximumListed, all...)
}

// checkSimilarExecutions: agents and executions whose names begin alike do not see each other, and come in order.
func checkSimilarExecutions(t *testing.T, s Stores) {
	names := []string{"a", "a!", "a-b", "aa", "b", long}
	want := map[store.AgentKey][]store.Execution{}
	for i, partner := range names[:4] {
		for j, id := range names[:4] {
			agent := store.AgentKey{Partner: partner, ID: id}
			for k, name := range names {
				want[agent] = append(want[agent], newExecution(agent, name, epoch.Add(time.Duration(k/2)), names[(i+j+k)%2], 1))
			}
			mustDo(t, s.Executions.Enter(t.Context(), newBook(agent, 1, int64(i), int64(i+j)), want[agent]))
		}
	}
	for agent, executions := range want {
		wantExecutions(t, s, agent, 2, executions...)
	}
	// A list goes on after one that is not there, too.
	agent := store.AgentKey{Partner: "a", ID: "a"}
	slices.SortFunc(want[agent], newestExecutionFirst)
	for _, after := range []store.Execution{{ID: "a\"", At: epoch}, {ID: "z", At: epoch.Add(1)}, {ID: "!", At: epoch}, {ID: "a", At: epoch.Add(time.Hour)}} {
		first, _ := slices.BinarySearchFunc(want[agent], after, newestExecutionFirst)
		got := must[[]store.Execution](t)(s.Executions.List(t.Context(), agent, "", after.At, after.ID, 10))
		sameList(t, "List after "+after.ID, sameExecution, got, want[agent][first:]...)
	}
}

// checkConcurrentExecutions: of those that write the next version of a book at once exactly one does, although they write the same; and
// agents do not wait for each other.
func checkConcurrentExecutions(t *testing.T, s Stores) {
	ctx, agent := t.Context(), store.AgentKey{Partner: "acme", ID: "rush"}
	var all []store.Execution
	for version := range int64(2) {
		var entered atomic.Int64
		id := fmt.Sprint("leg-", version)
		atOnce(goroutines, func(i int) {
			book := newBook(agent, version+1, 1, 1)
			event := newEventOf("acme", id, epoch)
			switch err := s.Executions.Enter(ctx, book, []store.Execution{newExecution(agent, id, epoch, "planned", 1)}, event); {
			case err == nil:
				entered.Add(1)
			case !isConflict(err):
				t.Errorf("Enter: %v", err)
			}
		})
		if entered.Load() != 1 {
			t.Errorf("%d entered version %d of one book, want 1", entered.Load(), version+1)
		}
		all = append(all, newExecution(agent, id, epoch, "planned", 1))
		wantBook(t, s, newBook(agent, version+1, 1, 1))
		wantExecutions(t, s, agent, 10, all...)
	}
	atOnce(goroutines, func(i int) {
		own := store.AgentKey{Partner: "acme", ID: fmt.Sprint("own-", i)}
		for version := range int64(2) {
			execution := newExecution(own, fmt.Sprint(version), epoch, "planned", 1)
			if err := s.Executions.Enter(ctx, newBook(own, version+1, version, 5), []store.Execution{execution}); err != nil {
				t.Errorf("Enter: %v", err)
			}
		}
	})

	// Whoever tries again with what it has read gets everything in, and the limit holds.
	const limit = 5
	counted := store.AgentKey{Partner: "acme", ID: "counted"}
	var entered, full atomic.Int64
	atOnce(racers/2, func(i int) {
		for {
			book := must[store.Book](t)(s.Executions.Book(ctx, counted))
			next := newBook(counted, book.Version+1, book.ExposureMicroUSD+1, limit)
			execution := newExecution(counted, fmt.Sprint(i), epoch, "planned", 1)
			err := s.Executions.Enter(ctx, next, []store.Execution{execution})
			if isConflict(err) && book.ExposureMicroUSD < limit {
				continue
			}
			if err == nil {
				entered.Add(1)
			} else {
				full.Add(1)
			}
			return
		}
	})
	if entered.Load() != limit || full.Load() != racers/2-limit {
		t.Errorf("%d entered and %d found it full, want %d and %d", entered.Load(), full.Load(), limit, racers/2-limit)
	}
	wantBook(t, s, newBook(counted, limit, limit, limit))
}
