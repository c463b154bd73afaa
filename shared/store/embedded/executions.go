package embedded

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Executions returns the executions and books of the file.
func (s *Store) Executions() store.Executions { return executions{s} }

type executions struct{ store *Store }

type bookRow struct {
	Version          int64  `json:"version"`
	ExposureMicroUSD int64  `json:"exposureMicroUsd"`
	LimitMicroUSD    int64  `json:"limitMicroUsd"`
	Data             []byte `json:"data"`
}

type executionRow struct {
	ID      string    `json:"id"`
	At      time.Time `json:"at"`
	Status  string    `json:"status"`
	Version int64     `json:"version"`
	Data    []byte    `json:"data"`
}

func executionKey(agent store.AgentKey, id string) []byte {
	return append(append(agentKey(agent), '#'), id...)
}

func executionsPrefix(agent store.AgentKey) []byte { return append(agentKey(agent), '#') }

func executionAtKey(agent store.AgentKey, at time.Time, id string) []byte {
	return append(executionsPrefix(agent), timedKey(at, []byte(id))...)
}

func (e executions) Book(ctx context.Context, agent store.AgentKey) (store.Book, error) {
	if err := agent.Validate(); err != nil {
		return store.Book{}, err
	}
	var row bookRow
	err := e.store.read(ctx, func(tx *bbolt.Tx) error {
		_, err := readRow(tx.Bucket(bucketBooks), "book", agentKey(agent), &row)
		return err
	})
	if err != nil {
		return store.Book{}, err
	}
	return store.Book{
		Agent: agent, Version: row.Version, ExposureMicroUSD: row.ExposureMicroUSD, LimitMicroUSD: row.LimitMicroUSD, Data: row.Data,
	}, nil
}

func (e executions) Enter(ctx context.Context, book store.Book, executions []store.Execution, events ...store.Event) error {
	if err := store.CheckEntry(book, executions, events); err != nil {
		return err
	}
	return e.store.decide(ctx, func(tx *bbolt.Tx) (refusal, err error) {
		key := agentKey(book.Agent)
		var before bookRow
		if _, err := readRow(tx.Bucket(bucketBooks), "book", key, &before); err != nil {
			return nil, err
		}
		if before.Version != book.Version-1 {
			return fmt.Errorf("version %d of the book of agent %s after %d: %w", book.Version, key, before.Version, store.ErrConflict), nil
		}
		if book.ExposureMicroUSD > book.LimitMicroUSD && book.ExposureMicroUSD > before.ExposureMicroUSD {
			return fmt.Errorf("book of agent %s with %d exposed after %d, of %d at most: %w",
				key, book.ExposureMicroUSD, before.ExposureMicroUSD, book.LimitMicroUSD, store.ErrConflict), nil
		}
		for _, execution := range executions {
			var before executionRow
			if _, err := readRow(tx.Bucket(bucketExecutions), "execution", executionKey(book.Agent, execution.ID), &before); err != nil {
				return nil, err
			}
			if before.Version != execution.Version-1 {
				return fmt.Errorf("version %d of execution %s after %d: %w", execution.Version, execution.ID, before.Version, store.ErrConflict), nil
			}
			if before.Version > 0 && !before.At.Equal(execution.At) {
				return fmt.Errorf("%w: the time of execution %s would change", store.ErrInvalid, execution.ID), nil
			}
		}
		for _, execution := range executions {
			if err := writeExecution(tx, execution); err != nil {
				return nil, err
			}
		}
		row := bookRow{Version: book.Version, ExposureMicroUSD: book.ExposureMicroUSD, LimitMicroUSD: book.LimitMicroUSD, Data: book.Data}
		return nil, errors.Join(writeRow(tx.Bucket(bucketBooks), "book", key, row), say(tx, events))
	})
}

func writeExecution(tx *bbolt.Tx, e store.Execution) error {
	row := executionRow{ID: e.ID, At: e.At.UTC(), Status: e.Status, Version: e.Version, Data: e.Data}
	return errors.Join(
		writeRow(tx.Bucket(bucketExecutions), "execution", executionKey(e.Agent, e.ID), row),
		tx.Bucket(bucketExecutionsAt).Put(executionAtKey(e.Agent, e.At, e.ID), []byte(e.Status)))
}

func readExecution(tx *bbolt.Tx, agent store.AgentKey, id string) (store.Execution, error) {
	var row executionRow
	found, err := readRow(tx.Bucket(bucketExecutions), "execution", executionKey(agent, id), &row)
	if err == nil && !found {
		err = fmt.Errorf("execution %s of agent %s of %s: %w", id, agent.ID, agent.Partner, store.ErrNotFound)
	}
	if err != nil {
		return store.Execution{}, err
	}
	return store.Execution{Agent: agent, ID: row.ID, At: row.At, Status: row.Status, Version: row.Version, Data: row.Data}, nil
}

func (e executions) Execution(ctx context.Context, agent store.AgentKey, id string) (store.Execution, error) {
	if err := errors.Join(agent.Validate(), store.CheckID("execution", id)); err != nil {
		return store.Execution{}, err
	}
	var execution store.Execution
	err := e.store.read(ctx, func(tx *bbolt.Tx) (err error) {
		execution, err = readExecution(tx, agent, id)
		return err
	})
	return execution, err
}

func (e executions) Known(ctx context.Context, agent store.AgentKey, ids []string) (map[string]bool, error) {
	if err := store.CheckKnown(agent, ids); err != nil {
		return nil, err
	}
	known := make(map[string]bool, len(ids))
	err := e.store.read(ctx, func(tx *bbolt.Tx) error {
		for _, id := range ids {
			if tx.Bucket(bucketExecutions).Get(executionKey(agent, id)) != nil {
				known[id] = true
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return known, nil
}

func (e executions) List(
	ctx context.Context, agent store.AgentKey, status string, before time.Time, beforeID string, limit int,
) ([]store.Execution, error) {
	if err := store.CheckExecutions(agent, status, before, beforeID, limit); err != nil {
		return nil, err
	}
	prefix, end := executionsPrefix(agent), []byte(nil)
	if beforeID != "" {
		end = executionAtKey(agent, before, beforeID)
	}
	listed := []store.Execution{}
	err := e.store.read(ctx, func(tx *bbolt.Tx) error {
		for key, word := range descend(tx.Bucket(bucketExecutionsAt), prefix, end) {
			if status != "" && string(word) != status {
				continue
			}
			execution, err := readExecution(tx, agent, string(key[bytes.LastIndexByte(key, '#')+1:]))
			if err != nil {
				return fmt.Errorf("list executions: %w", err)
			}
			if listed = append(listed, execution); len(listed) == limit {
				return nil
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return listed, nil
}
