package dynamo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Executions returns the executions and books of the tables.
func (s *Store) Executions() store.Executions { return executions{s} }

type executions struct{ *Store }

type bookRow struct {
	Partition        string `dynamo:"pk"`
	Sort             string `dynamo:"sk"`
	Version          int64  `dynamo:"version"`
	ExposureMicroUSD int64  `dynamo:"exposureMicroUsd"`
	LimitMicroUSD    int64  `dynamo:"limitMicroUsd"`
	Data             []byte `dynamo:"data"`
}

type executionRow struct {
	Partition string `dynamo:"pk"`
	Sort      string `dynamo:"sk"`
	ID        string `dynamo:"id"`
	At        string `dynamo:"at"`
	Status    string `dynamo:"status"`
	Version   int64  `dynamo:"version"`
	Data      []byte `dynamo:"data"`
}

func (r executionRow) key() rowKey { return rowKey{r.Partition, r.Sort} }

func bookKey(agent store.AgentKey) rowKey { return rowKey{agentPartition(agent), "BOOK"} }

func executionKey(agent store.AgentKey, id string) rowKey {
	return rowKey{agentPartition(agent), "EXECUTION#" + id}
}

// listedPrefix begins the keys of an agent's list of executions.
const listedPrefix = "LISTED#"

func executionListedKey(agent store.AgentKey, at time.Time, id string) rowKey {
	return rowKey{agentPartition(agent), listedPrefix + sortableTime(at) + "#" + id}
}

func (e executions) Book(ctx context.Context, agent store.AgentKey) (store.Book, error) {
	if err := errors.Join(ctx.Err(), agent.Validate()); err != nil {
		return store.Book{}, err
	}
	var row bookRow
	if err := get(e.records, bookKey(agent)).One(ctx, &row); err != nil && !errors.Is(err, dynamo.ErrNotFound) {
		return store.Book{}, fmt.Errorf("read book of agent %s of %s: %w", agent.ID, agent.Partner, err)
	}
	return store.Book{
		Agent: agent, Version: row.Version, ExposureMicroUSD: row.ExposureMicroUSD, LimitMicroUSD: row.LimitMicroUSD, Data: row.Data,
	}, nil
}

// Enter is one transaction and reads nothing: what must hold of the book and of the executions are its conditions.
func (e executions) Enter(ctx context.Context, book store.Book, executions []store.Execution, events ...store.Event) error {
	if err := errors.Join(ctx.Err(), store.CheckEntry(book, executions, events)); err != nil {
		return err
	}
	overLimit := book.ExposureMicroUSD > book.LimitMicroUSD
	if overLimit && book.Version == 1 { // of a book that begins nothing is exposed
		return e.refusedBook(book)
	}
	key := bookKey(book.Agent)
	err := e.say(ctx, events, func(tx *dynamo.WriteTx) {
		row := e.records.Put(bookRow{
			Partition: key.partition, Sort: key.sort, Version: book.Version,
			ExposureMicroUSD: book.ExposureMicroUSD, LimitMicroUSD: book.LimitMicroUSD, Data: book.Data,
		})
		if book.Version == 1 {
			row = row.If(notThere)
		} else {
			row = row.If("version = ?", book.Version-1)
		}
		if overLimit {
			row = row.If("exposureMicroUsd >= ?", book.ExposureMicroUSD)
		}
		tx.Put(row)
		for _, execution := range executions {
			tx.Put(e.put(execution))
		}
		for _, execution := range executions {
			listed := referTo(executionKey(book.Agent, execution.ID), executionListedKey(book.Agent, execution.At, execution.ID))
			listed.Status = execution.Status
			tx.Put(e.records.Put(listed))
		}
	})
	switch failed := failedCondition(err); {
	case err == nil:
		return nil
	case failed == 0:
		return e.refusedBook(book)
	case failed > 0 && failed <= len(executions):
		return e.refusedExecution(ctx, executions[failed-1])
	}
	return fmt.Errorf("enter executions of agent %s of %s: %w", book.Agent.ID, book.Agent.Partner, err)
}

// put writes an execution on the condition that it is new, or replaces the version before.
func (e executions) put(execution store.Execution) *dynamo.Put {
	key, at := executionKey(execution.Agent, execution.ID), sortableTime(execution.At)
	row := e.records.Put(executionRow{
		Partition: key.partition, Sort: key.sort, ID: execution.ID, At: at,
		Status: execution.Status, Version: execution.Version, Data: execution.Data,
	})
	if execution.Version == 1 {
		return row.If(notThere)
	}
	return row.If("version = ? AND $ = ?", execution.Version-1, "at", at)
}

func (e executions) refusedBook(book store.Book) error {
	return fmt.Errorf("version %d of the book of agent %s of %s with %d exposed of %d at most: %w",
		book.Version, book.Agent.ID, book.Agent.Partner, book.ExposureMicroUSD, book.LimitMicroUSD, store.ErrConflict)
}

// refusedExecution tells why an execution was refused.
func (e executions) refusedExecution(ctx context.Context, execution store.Execution) error {
	kept, err := e.Execution(ctx, execution.Agent, execution.ID)
	switch {
	case err != nil && !errors.Is(err, store.ErrNotFound):
		return err
	case err == nil && kept.Version == execution.Version-1 && !kept.At.Equal(execution.At):
		return fmt.Errorf("%w: the time of execution %s would change", store.ErrInvalid, execution.ID)
	}
	return fmt.Errorf("version %d of execution %s after %d: %w", execution.Version, execution.ID, kept.Version, store.ErrConflict)
}

func (e executions) Execution(ctx context.Context, agent store.AgentKey, id string) (store.Execution, error) {
	if err := errors.Join(ctx.Err(), agent.Validate(), store.CheckID("execution", id)); err != nil {
		return store.Execution{}, err
	}
	var row executionRow
	err := get(e.records, executionKey(agent, id)).One(ctx, &row)
	switch {
	case errors.Is(err, dynamo.ErrNotFound):
		return store.Execution{}, fmt.Errorf("execution %s of agent %s of %s: %w", id, agent.ID, agent.Partner, store.ErrNotFound)
	case err != nil:
		return store.Execution{}, fmt.Errorf("read execution %s of agent %s of %s: %w", id, agent.ID, agent.Partner, err)
	}
	return row.execution(agent)
}

func (e executions) Known(ctx context.Context, agent store.AgentKey, ids []string) (map[string]bool, error) {
	if err := errors.Join(ctx.Err(), store.CheckKnown(agent, ids)); err != nil {
		return nil, err
	}
	wanted := make([]dynamo.Keyed, 0, len(ids))
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		wanted = append(wanted, executionKey(agent, id))
	}
	var rows []struct {
		ID string `dynamo:"id"`
	}
	err := e.records.Batch(partitionKey, sortKey).Get(wanted...).Project("id").Consistent(true).All(ctx, &rows)
	if err != nil && !errors.Is(err, dynamo.ErrNotFound) {
		return nil, fmt.Errorf("read executions of agent %s of %s: %w", agent.ID, agent.Partner, err)
	}
	known := make(map[string]bool, len(rows))
	for _, row := range rows {
		known[row.ID] = true
	}
	return known, nil
}

func (e executions) List(
	ctx context.Context, agent store.AgentKey, status string, before time.Time, beforeID string, limit int,
) ([]store.Execution, error) {
	if err := errors.Join(ctx.Err(), store.CheckExecutions(agent, status, before, beforeID, limit)); err != nil {
		return nil, err
	}
	from := list{
		partition: agentPartition(agent), first: listedPrefix, last: listedPrefix + lastText, descending: true, status: status,
	}
	if beforeID != "" {
		from.after = executionListedKey(agent, before, beforeID).sort
	}
	rows, _, err := listRows(ctx, e.Store, from, limit, executionRow.key, func(_ reference, row executionRow) bool {
		return status == "" || row.Status == status
	})
	if err != nil {
		return nil, fmt.Errorf("list executions of agent %s of %s: %w", agent.ID, agent.Partner, err)
	}
	listed := make([]store.Execution, 0, len(rows))
	for _, row := range rows {
		execution, err := row.execution(agent)
		if err != nil {
			return nil, err
		}
		listed = append(listed, execution)
	}
	return listed, nil
}

func (r executionRow) execution(agent store.AgentKey) (store.Execution, error) {
	at, err := time.Parse(sortedTime, r.At)
	if err != nil {
		return store.Execution{}, fmt.Errorf("read execution %s of agent %s of %s: %w", r.ID, agent.ID, agent.Partner, err)
	}
	return store.Execution{Agent: agent, ID: r.ID, At: at, Status: r.Status, Version: r.Version, Data: r.Data}, nil
}
