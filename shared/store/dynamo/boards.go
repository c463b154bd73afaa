package dynamo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/guregu/dynamo/v2"
	"golang.org/x/sync/errgroup"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/store/internal/editions"
)

// Boards returns the boards of the tables.
func (s *Store) Boards() store.Boards { return boards{s} }

type boards struct{ *Store }

// boardRow says where a board's editions lie. Every attempt to publish one writes to a partition of its own, a draft, whose number
// is never used again: no two attempts can mix their rows, and what was not finished is in no list that readers go by.
type boardRow struct {
	Partition string `dynamo:"pk"`
	Sort      string `dynamo:"sk"`
	// Changes counts the writes of this row: each is made on the condition that there was none since it was read.
	Changes   int `dynamo:"changes"`
	LastDraft int `dynamo:"lastDraft"`
	// Published are the editions, oldest first; Unfinished the drafts that are being written, or whose writer is no more.
	Published  []draft `dynamo:"published,omitempty"`
	Unfinished []draft `dynamo:"unfinished,omitempty"`
}

type draft struct {
	Number int       `dynamo:"number"`
	At     time.Time `dynamo:"at"`
	Rows   int       `dynamo:"rows"`
}

type editionRow struct {
	Partition string `dynamo:"pk"`
	Sort      string `dynamo:"sk"`
	Data      []byte `dynamo:"data"`
}

type positionRow struct {
	Partition string `dynamo:"pk"`
	Sort      string `dynamo:"sk"`
	Row       []byte `dynamo:"row"`
}

const (
	boardSort   = "BOARD"
	editionSort = "EDITION"
)

func boardKey(board string) rowKey { return rowKey{"BOARD#" + board, boardSort} }

func draftPartition(board string, number int) string {
	return fmt.Sprintf("BOARD#%s#%d", board, number)
}

func positionSort(position int) string { return fmt.Sprintf("ROW#%06d", position) }

// Publish registers a draft, writes it, and then makes it the current edition in one conditional write. Drafts of editions that are
// gone are deleted before anything else, so that nothing can fail once the edition is published; those that were never finished
// when they are store.EditionLife old, and with them whoever wrote them.
func (b boards) Publish(ctx context.Context, edition store.Edition, rows [][]byte) error {
	if err := errors.Join(ctx.Err(), edition.Validate(rows)); err != nil {
		return err
	}
	number, err := b.register(ctx, edition)
	if err != nil {
		return fmt.Errorf("publish board %s: %w", edition.Board, err)
	}
	if err := b.writeDraft(ctx, edition, number, rows); err != nil {
		return fmt.Errorf("publish board %s: %w", edition.Board, err)
	}
	for {
		board, err := b.board(ctx, edition.Board)
		if err != nil {
			return err
		}
		if i := board.find(edition.At); i >= 0 && board.Published[i].Number == number {
			return nil // the answer to our write was lost
		}
		if err := board.checkNewer(edition); err != nil {
			return err
		}
		i := slices.IndexFunc(board.Unfinished, func(d draft) bool { return d.Number == number })
		if i < 0 {
			return fmt.Errorf("publish board %s: draft %d took so long that it was deleted", edition.Board, number)
		}
		board.Published = append(board.Published, board.Unfinished[i])
		board.Unfinished = slices.Delete(board.Unfinished, i, i+1)
		if written, err := b.writeBoard(ctx, edition.Board, board); err != nil || written {
			return err
		}
	}
}

// register adds a draft to the board's row and returns its number. It deletes the drafts that nobody can read any more.
func (b boards) register(ctx context.Context, edition store.Edition) (number int, err error) {
	deleted := map[int]bool{}
	for {
		board, err := b.board(ctx, edition.Board)
		if err != nil {
			return 0, err
		}
		if err := board.checkNewer(edition); err != nil {
			return 0, err
		}
		for _, old := range board.forgotten(edition.At) {
			if deleted[old.Number] {
				continue
			}
			if err := b.deleteDraft(ctx, edition.Board, old); err != nil {
				return 0, err
			}
			deleted[old.Number] = true
		}
		isDeleted := func(d draft) bool { return deleted[d.Number] }
		board.Published = slices.DeleteFunc(board.Published, isDeleted)
		board.LastDraft++
		board.Unfinished = append(slices.DeleteFunc(board.Unfinished, isDeleted),
			draft{Number: board.LastDraft, At: edition.At.UTC(), Rows: edition.Rows})
		if written, err := b.writeBoard(ctx, edition.Board, board); err != nil || written {
			return board.LastDraft, err
		}
	}
}

// board reads a board's row as it stands now; one without editions if there is none.
func (b boards) board(ctx context.Context, name string) (boardRow, error) {
	var board boardRow
	err := get(b.records, boardKey(name)).One(ctx, &board)
	if err != nil && !errors.Is(err, dynamo.ErrNotFound) {
		return boardRow{}, fmt.Errorf("read board %s: %w", name, err)
	}
	return board, nil
}

// writeBoard writes a board's row unless it was changed since it was read.
func (b boards) writeBoard(ctx context.Context, name string, board boardRow) (written bool, err error) {
	key := boardKey(name)
	board.Partition, board.Sort = key.partition, key.sort
	board.Changes++
	put := b.records.Put(board)
	if board.Changes == 1 {
		put = put.If(notThere)
	} else {
		put = put.If("changes = ?", board.Changes-1)
	}
	// As a transaction, a write whose answer is lost and that is sent again is known for the same.
	err = retryConflicts(ctx, func() error { return b.db.WriteTx().Put(put).Run(ctx) })
	if failedCondition(err) >= 0 {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("write board %s: %w", name, err)
	}
	return true, nil
}

// Batches of rows: what DynamoDB takes at once, and how many are under way at a time.
const (
	batchRows       = 25
	parallelBatches = 8
)

func (b boards) writeDraft(ctx context.Context, edition store.Edition, number int, rows [][]byte) error {
	partition := draftPartition(edition.Board, number)
	err := b.records.Put(editionRow{Partition: partition, Sort: editionSort, Data: edition.Data}).Run(ctx)
	if err != nil {
		return fmt.Errorf("write draft %d: %w", number, err)
	}
	return b.inBatches(ctx, len(rows), func(batch *dynamo.BatchWrite, position int) {
		batch.Put(positionRow{Partition: partition, Sort: positionSort(position), Row: rows[position]})
	})
}

func (b boards) deleteDraft(ctx context.Context, board string, old draft) error {
	partition := draftPartition(board, old.Number)
	return b.inBatches(ctx, old.Rows+1, func(batch *dynamo.BatchWrite, position int) {
		sort := editionSort
		if position < old.Rows {
			sort = positionSort(position)
		}
		batch.Delete(rowKey{partition, sort})
	})
}

// inBatches adds a write for each position to batches, and runs some at a time.
func (b boards) inBatches(ctx context.Context, count int, add func(batch *dynamo.BatchWrite, position int)) error {
	group, groupContext := errgroup.WithContext(ctx)
	group.SetLimit(parallelBatches)
	for from := 0; from < count && groupContext.Err() == nil; from += batchRows {
		group.Go(func() error {
			batch := b.records.Batch(partitionKey, sortKey).Write()
			for position := from; position < min(from+batchRows, count); position++ {
				add(batch, position)
			}
			_, err := batch.Run(groupContext)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("write rows: %w", err)
	}
	return ctx.Err() // the caller may have given up between two batches
}

func (b boards) Current(ctx context.Context, name string) (store.Edition, error) {
	if err := errors.Join(ctx.Err(), store.CheckID("board", name)); err != nil {
		return store.Edition{}, err
	}
	board, err := b.board(ctx, name)
	if err != nil {
		return store.Edition{}, err
	}
	return b.edition(ctx, name, board, len(board.Published)-1)
}

func (b boards) Edition(ctx context.Context, name string, at time.Time) (store.Edition, error) {
	if err := errors.Join(ctx.Err(), store.CheckEdition(name, at)); err != nil {
		return store.Edition{}, err
	}
	board, err := b.board(ctx, name)
	if err != nil {
		return store.Edition{}, err
	}
	return b.edition(ctx, name, board, board.find(at))
}

// edition reads one of a board's editions; ErrNotFound if it is -1.
func (b boards) edition(ctx context.Context, name string, board boardRow, i int) (store.Edition, error) {
	if i < 0 {
		return store.Edition{}, fmt.Errorf("edition of board %s: %w", name, store.ErrNotFound)
	}
	published := board.Published[i]
	var row editionRow
	err := get(b.records, rowKey{draftPartition(name, published.Number), editionSort}).One(ctx, &row)
	switch {
	case errors.Is(err, dynamo.ErrNotFound): // gone since the board was read
		return store.Edition{}, fmt.Errorf("edition of board %s: %w", name, store.ErrNotFound)
	case err != nil:
		return store.Edition{}, fmt.Errorf("read edition of board %s: %w", name, err)
	}
	return store.Edition{Board: name, At: published.At, Rows: published.Rows, Data: row.Data}, nil
}

func (b boards) Rows(ctx context.Context, name string, at time.Time, from, limit int) ([][]byte, error) {
	if err := errors.Join(ctx.Err(), store.CheckRows(name, at, from, limit)); err != nil {
		return nil, err
	}
	board, err := b.board(ctx, name)
	if err != nil {
		return nil, err
	}
	i := board.find(at)
	if i < 0 {
		return nil, fmt.Errorf("edition of board %s of %v: %w", name, at, store.ErrNotFound)
	}
	published := board.Published[i]
	listed := [][]byte{}
	if from >= published.Rows {
		return listed, nil
	}
	until := min(from+limit, published.Rows)
	var rows []positionRow
	err = b.records.Get(partitionKey, draftPartition(name, published.Number)).
		Range(sortKey, dynamo.Between, positionSort(from), positionSort(until-1)).Consistent(true).All(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("read rows of board %s: %w", name, err)
	}
	if len(rows) != until-from { // gone since the board was read
		return nil, fmt.Errorf("edition of board %s of %v: %w", name, at, store.ErrNotFound)
	}
	for _, row := range rows {
		listed = append(listed, row.Row)
	}
	return listed, nil
}

// checkNewer reports ErrConflict if the board's current edition is as new as another or newer.
func (r boardRow) checkNewer(edition store.Edition) error {
	if last := len(r.Published) - 1; last >= 0 && !r.Published[last].At.Before(edition.At) {
		return fmt.Errorf("edition of board %s of %v: %w", edition.Board, edition.At, store.ErrConflict)
	}
	return nil
}

// gone returns how many of the editions are gone.
func (r boardRow) gone() int {
	times := make([]time.Time, 0, len(r.Published))
	for _, published := range r.Published {
		times = append(times, published.At)
	}
	return editions.Gone(times)
}

// find returns the index of the edition of a time; -1 if there is none, or none any more.
func (r boardRow) find(at time.Time) int {
	gone := r.gone()
	i := slices.IndexFunc(r.Published[gone:], func(d draft) bool { return d.At.Equal(at) })
	if i < 0 {
		return -1
	}
	return gone + i
}

// forgotten returns the drafts that nobody can read any more, nor go on with, as of the time of the next edition.
func (r boardRow) forgotten(at time.Time) []draft {
	forgotten := slices.Clone(r.Published[:r.gone()])
	for _, unfinished := range r.Unfinished {
		if at.Sub(unfinished.At) >= store.EditionLife {
			forgotten = append(forgotten, unfinished)
		}
	}
	return forgotten
}
