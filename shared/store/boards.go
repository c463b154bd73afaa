package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// MaximumBoardRow is the largest row of a board, MaximumBoardData the largest Data of an edition, in bytes.
	MaximumBoardRow  = 16 << 10
	MaximumBoardData = 64 << 10
	// MaximumBoardRows is how many rows an edition may have.
	MaximumBoardRows = 10_000
	// EditionLife is how long an edition can still be read after a newer one took its place.
	EditionLife = 2 * time.Hour
)

// Edition is a board as it was published at one time.
type Edition struct {
	Board string
	At    time.Time
	// Rows is how many rows it has; Data is what is said of the board as a whole.
	Rows int
	Data []byte
}

// Validate reports ErrInvalid if the edition cannot be published with these rows.
func (e Edition) Validate(rows [][]byte) error {
	if err := CheckID("board", e.Board); err != nil {
		return err
	}
	if err := CheckTime("the time of an edition", e.At); err != nil {
		return err
	}
	switch {
	case e.Rows != len(rows) || e.Rows > MaximumBoardRows:
		return fmt.Errorf("%w: an edition of %d rows comes with %d, at most %d", ErrInvalid, e.Rows, len(rows), MaximumBoardRows)
	case len(e.Data) == 0 || len(e.Data) > MaximumBoardData:
		return fmt.Errorf("%w: an edition's data of %d bytes, want 1 to %d", ErrInvalid, len(e.Data), MaximumBoardData)
	}
	for i, row := range rows {
		if len(row) == 0 || len(row) > MaximumBoardRow {
			return fmt.Errorf("%w: row %d of %d bytes, want 1 to %d", ErrInvalid, i, len(row), MaximumBoardRow)
		}
	}
	return nil
}

// CheckEdition reports ErrInvalid unless these can name an edition.
func CheckEdition(board string, at time.Time) error {
	return errors.Join(CheckID("board", board), CheckTime("the time of an edition", at))
}

// CheckRows reports ErrInvalid unless these can be arguments of Boards.Rows.
func CheckRows(board string, at time.Time, from, limit int) error {
	if from < 0 {
		return fmt.Errorf("%w: rows from position %d", ErrInvalid, from)
	}
	return errors.Join(CheckEdition(board, at), CheckListed(limit))
}

// Boards keeps ranked lists that are read by the page. Who began to read an edition can go on in it while newer ones are published.
type Boards interface {
	// Publish makes an edition the current one once all of it is kept; until then readers see the one before. ErrConflict: the
	// current edition is as new or newer, and stays. A call that was cut short can be repeated, with other rows too; of several at
	// once with the same time, one is published, with its own rows alone. An edition is gone when the current one is EditionLife or
	// more younger than the one that took its place.
	Publish(ctx context.Context, edition Edition, rows [][]byte) error
	// Current is the board's newest edition; ErrNotFound before the first.
	Current(ctx context.Context, board string) (Edition, error)
	// Edition is the edition of a time; ErrNotFound when there is none, or none any more.
	Edition(ctx context.Context, board string, at time.Time) (Edition, error)
	// Rows gives at most limit (1 to MaximumListed) rows of an edition from a position (0 or more) on, in order; none beyond the last.
	// ErrNotFound when the edition is none, or none any more.
	Rows(ctx context.Context, board string, at time.Time, from, limit int) ([][]byte, error)
}
