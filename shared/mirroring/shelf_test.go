package mirroring

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// shelf keeps executions in memory by the rules of the port, for tests that write more than a disk likes.
type shelf struct {
	mu    sync.Mutex
	books map[store.AgentKey]store.Book
	rows  map[store.AgentKey]map[string]store.Execution
}

func newShelf() *shelf {
	return &shelf{books: make(map[store.AgentKey]store.Book), rows: make(map[store.AgentKey]map[string]store.Execution)}
}

func (s *shelf) Book(ctx context.Context, key store.AgentKey) (store.Book, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	book := s.books[key]
	book.Agent, book.Data = key, slices.Clone(book.Data)
	return book, ctx.Err()
}

func (s *shelf) Enter(ctx context.Context, book store.Book, rows []store.Execution, events ...store.Event) error {
	if err := store.CheckEntry(book, rows, events); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if before := s.books[book.Agent]; before.Version+1 != book.Version || book.ExposureMicroUSD > max(book.LimitMicroUSD, before.ExposureMicroUSD) {
		return fmt.Errorf("book: %w", store.ErrConflict)
	}
	kept := s.rows[book.Agent]
	for _, row := range rows {
		if kept[row.ID].Version+1 != row.Version {
			return fmt.Errorf("execution %s: %w", row.ID, store.ErrConflict)
		}
	}
	if kept == nil {
		kept = make(map[string]store.Execution)
		s.rows[book.Agent] = kept
	}
	for _, row := range rows {
		row.Data = slices.Clone(row.Data)
		kept[row.ID] = row
	}
	book.Data = slices.Clone(book.Data)
	s.books[book.Agent] = book
	return ctx.Err()
}

func (s *shelf) Execution(_ context.Context, key store.AgentKey, id string) (store.Execution, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	row, found := s.rows[key][id]
	if !found {
		return row, store.ErrNotFound
	}
	return row, nil
}

func (s *shelf) Known(_ context.Context, key store.AgentKey, ids []string) (map[string]bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := make(map[string]bool)
	for _, id := range ids {
		if _, found := s.rows[key][id]; found {
			known[id] = true
		}
	}
	return known, nil
}

func (s *shelf) List(_ context.Context, key store.AgentKey, status string, before time.Time, beforeID string, limit int) ([]store.Execution, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	order := func(a, b store.Execution) int { return cmp.Or(b.At.Compare(a.At), cmp.Compare(b.ID, a.ID)) }
	rows := []store.Execution{}
	for _, row := range s.rows[key] {
		last := store.Execution{At: before, ID: beforeID}
		if (status == "" || row.Status == status) && (before.IsZero() || order(row, last) > 0) {
			rows = append(rows, row)
		}
	}
	slices.SortFunc(rows, order)
	return rows[:min(len(rows), limit)], nil
}
