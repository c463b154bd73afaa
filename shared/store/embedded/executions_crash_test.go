package embedded_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/store/embedded"
)

func crashAgent(writer string) store.AgentKey { return store.AgentKey{Partner: "crash", ID: writer} }

// Entries are said on a day of their own. All of an agent's have one name, so that one delivery stands for the latest.
const writerEvent = "entered-"

var entriesFrom = epoch.AddDate(0, 0, 1)

// enterNext takes an agent's next step: it enters one new execution into the book, and says so.
func enterNext(opened *embedded.Store, writer int) error {
	ctx, agent := context.Background(), crashAgent(fmt.Sprint(writer))
	book, err := opened.Executions().Book(ctx, agent)
	if err != nil {
		return err
	}
	book.Version++
	step := fmt.Sprintf("%s-%09d", agent.ID, book.Version)
	book.ExposureMicroUSD, book.LimitMicroUSD, book.Data = book.Version, store.MaximumLimitMicroUSD, []byte(step)
	execution := store.Execution{Agent: agent, ID: step, At: epoch, Status: "planned", Version: 1, Data: []byte(step)}
	return opened.Executions().Enter(ctx, book, []store.Execution{execution}, store.Event{
		ID: writerEvent + agent.ID, Type: "agent.entered", Partner: agent.Partner, At: entriesFrom.Add(time.Duration(book.Version)), Data: []byte(step),
	})
}

// checkEntered looks for all of an agent's steps: each version of the book has its execution and its event, and the latest its
// delivery.
func checkEntered(t *testing.T, opened *embedded.Store, writer string, acknowledged, unsaid int) {
	t.Helper()
	agent := crashAgent(writer)
	book, err := opened.Executions().Book(t.Context(), agent)
	if err != nil {
		t.Fatal(err)
	}
	steps := int(book.Version)
	if steps < acknowledged || steps > acknowledged+unsaid || int(book.ExposureMicroUSD) != steps {
		t.Errorf("agent %s: book of version %d with %d exposed; %d were acknowledged", writer, steps, book.ExposureMicroUSD, acknowledged)
	}
	entered, before := 0, store.Execution{}
	for {
		listed, err := opened.Executions().List(t.Context(), agent, "planned", before.At, before.ID, store.MaximumListed)
		if err != nil {
			t.Fatal(err)
		}
		for _, execution := range listed {
			if want := fmt.Sprintf("%s-%09d", writer, steps-entered); execution.ID != want || string(execution.Data) != want {
				t.Errorf("agent %s: execution %s with %q, want %s", writer, execution.ID, execution.Data, want)
			}
			entered++
			before = execution
		}
		if len(listed) < store.MaximumListed {
			break
		}
	}
	if entered != steps {
		t.Errorf("agent %s: %d executions and a book of version %d", writer, entered, steps)
	}
	said, last := 0, store.Event{}
	for {
		events, err := opened.Events().Said(t.Context(), entriesFrom, last.At, last.ID, store.MaximumListed)
		if err != nil {
			t.Fatal(err)
		}
		if len(events) == 0 {
			break
		}
		for _, event := range events {
			if event.ID == writerEvent+writer {
				said++
			}
		}
		last = events[len(events)-1]
	}
	due, err := opened.Outbox().Due(t.Context(), store.OutboxShard(agent.Partner), entriesFrom.Add(time.Hour), store.MaximumListed)
	if err != nil {
		t.Fatal(err)
	}
	delivered := ""
	for _, delivery := range due {
		if delivery.ID == writerEvent+writer {
			delivered += string(delivery.Event.Data)
		}
	}
	if said != steps || delivered != string(book.Data) {
		t.Errorf("agent %s: %d events and %q to deliver, of %d steps up to %q", writer, said, delivered, steps, book.Data)
	}
}
