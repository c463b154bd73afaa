package conformance

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

func checkInvalidExecutions(t *testing.T, s Stores) {
	ctx, agent := t.Context(), store.AgentKey{Partner: "acme", ID: "1"}
	kept := newExecution(agent, "a", epoch, "planned", 1)
	mustDo(t, s.Executions.Enter(ctx, newBook(agent, 1, 1, 2), []store.Execution{kept}))
	refused := func(what string, err error) {
		t.Helper()
		wantError(t, what, err, store.ErrInvalid)
	}
	book, good := newBook(agent, 2, 1, 2), newExecution(agent, "b", epoch, "planned", 1)
	enter := func(what string, book store.Book, executions ...store.Execution) {
		t.Helper()
		refused(what, s.Executions.Enter(ctx, book, executions))
	}
	for what, spoil := range map[string]func(*store.Book){
		"version 0": func(b *store.Book) { b.Version = 0 }, "exposed less than nothing": func(b *store.Book) { b.ExposureMicroUSD = -1 },
		"a limit below 0":    func(b *store.Book) { b.LimitMicroUSD = -1 },
		"a limit that high":  func(b *store.Book) { b.LimitMicroUSD = store.MaximumLimitMicroUSD + 1 },
		"a book of no data":  func(b *store.Book) { b.Data = nil },
		"a book of too much": func(b *store.Book) { b.Data = make([]byte, store.MaximumBook+1) },
	} {
		bad := book
		spoil(&bad)
		enter(what, bad, good)
	}
	var many []store.Execution
	for i := range store.MaximumEntered + 1 {
		many = append(many, newExecution(agent, fmt.Sprint(i), epoch, "planned", 1))
	}
	enter("no execution", book)
	enter("too many executions", book, many...)
	enter("one twice", book, good, good)
	refused("bad events", s.Executions.Enter(ctx, book, []store.Execution{good}, newEvent("x", epoch), newEvent("x", epoch)))
	try := func(what string, spoil func(*store.Execution)) {
		t.Helper()
		bad := newExecution(agent, "c", epoch, "planned", 1)
		spoil(&bad)
		enter(what, book, good, bad)
	}
	for _, id := range []string{"", "a b", "a#b", "ü", strings.Repeat("x", 129)} {
		try("the ID "+id, func(e *store.Execution) { e.ID = id })
		try("the status "+id, func(e *store.Execution) { e.Status = id })
		for _, name := range []store.AgentKey{{Partner: id, ID: "1"}, {Partner: "acme", ID: id}} {
			enter("an agent's name", newBook(name, 1, 1, 2), newExecution(name, "a", epoch, "planned", 1))
			_, err := s.Executions.Book(ctx, name)
			refused("Book", err)
			_, err = s.Executions.Execution(ctx, name, "a")
			refused("Execution", err)
			_, err = s.Executions.Known(ctx, name, []string{"a"})
			refused("Known", err)
			_, err = s.Executions.List(ctx, name, "", time.Time{}, "", 1)
			refused("List", err)
		}
		_, err := s.Executions.Execution(ctx, agent, id)
		refused("Execution", err)
		_, err = s.Executions.Known(ctx, agent, []string{"a", id})
		refused("Known", err)
		_, err = s.Executions.List(ctx, agent, "", epoch, id, 1)
		refused("List after an ID", err)
		if id != "" {
			_, err = s.Executions.List(ctx, agent, id, time.Time{}, "", 1)
			refused("List of a status", err)
		}
	}
	try("no data", func(e *store.Execution) { e.Data = nil })
	try("too much data", func(e *store.Execution) { e.Data = make([]byte, store.MaximumExecution+1) })
	try("no time", func(e *store.Execution) { e.At = time.Time{} })
	try("version 0", func(e *store.Execution) { e.Version = 0 })
	try("another agent", func(e *store.Execution) { e.Agent.ID = "2" })
	_, err := s.Executions.List(ctx, agent, "", time.Time{}, "a", 1)
	refused("List after an ID of no time", err)
	for _, limit := range []int{-1, 0, store.MaximumListed + 1} {
		_, err := s.Executions.List(ctx, agent, "", time.Time{}, "", limit)
		refused("List", err)
		_, err = s.Executions.Known(ctx, agent, make([]string, max(limit, 0)))
		refused("Known", err)
	}
	wantBook(t, s, newBook(agent, 1, 1, 2))
	wantExecutions(t, s, agent, 5, kept)

	// Memory is not shared.
	mine := []store.Execution{newExecution(agent, "mine", epoch, "planned", 1)}
	mustDo(t, s.Executions.Enter(ctx, book, mine))
	book.Data[0], mine[0].Data[0] = '!', '!'
	gotBook := must[store.Book](t)(s.Executions.Book(ctx, agent))
	got := must[store.Execution](t)(s.Executions.Execution(ctx, agent, "mine"))
	gotBook.Data[0], got.Data[0] = '?', '?'
	wantBook(t, s, newBook(agent, 2, 1, 2))
	wantExecutions(t, s, agent, 5, kept, newExecution(agent, "mine", epoch, "planned", 1))
}
