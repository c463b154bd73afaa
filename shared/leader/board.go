package leader

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Board is a page of a board.
type Board[R any] struct {
	// Rows are in the order of the board.
	Rows []R `json:"rows"`
	// NextCursor continues behind the last row, in the same edition of the board; null at the end.
	NextCursor *string `json:"nextCursor"`
	// PublishedAt is when the edition was made; null before the first.
	PublishedAt *string `json:"publishedAt"`
	// Total counts the rows of all pages.
	Total int `json:"total"`
	// Examined is how many wallets those that are called mirror-worthy were selected from.
	Examined int `json:"examined"`
	// MirrorWorthy is how many of the board are mirror-worthy among all that were looked at.
	MirrorWorthy int `json:"mirrorWorthy"`
	// Note says why the board is empty, or what to know of it; null for nothing.
	Note *string `json:"note"`
}

// Parameters of the boards.
var (
	limit = endpoint.Integer("limit", "How many rows to give.", 1, store.MaximumListed, 20)
	after = endpoint.Text("cursor", "The nextCursor of the page before.", 1, 300)
	// onChain and onChainID leave a board to one chain.
	onChain   = endpoint.Chain.Optional()
	onChainID = endpoint.ChainID
)

// view is what a request reads: a board as it is kept, and the part of it that the request asks for, empty for all.
type view struct{ board, part string }

// page is a page of an edition.
type page struct {
	edition store.Edition
	view    view
	// total is how many rows the view has.
	total int
	rows  []jsontext.Value
	next  *string
}

// boardEndpoint declares an endpoint that reads a board. view tells what a request reads, and answer makes the answer of a page, nil
// before the first edition; document is a zero answer.
func boardEndpoint[A any](d endpoint.Declaration, boards store.Boards, of func(*endpoint.Request) view, length func(store.Edition, view) (int, error),
	document any, answer func(*endpoint.Request, *page) (A, error),
) endpoint.Endpoint {
	d.Method, d.Units, d.Graded = http.MethodGet, 1, true
	d.Parameters = append(d.Parameters, limit, after)
	d.Check = func(_ context.Context, r *endpoint.Request) error {
		if !after.Has(r) {
			return nil
		}
		_, err := readCursor(after.Of(r), of(r))
		return err
	}
	e := endpoint.Operation(d, func(ctx context.Context, r *endpoint.Request) (A, error) {
		read, err := readPage(ctx, boards, r, of(r), length)
		if err != nil {
			var none A
			return none, err
		}
		return answer(r, read)
	})
	e.Answer = document
	return e
}

// readPage reads the page that a request asks for; nil when the board has no edition yet. length tells how many rows of an edition
// belong to a view.
func readPage(ctx context.Context, boards store.Boards, r *endpoint.Request, v view, length func(store.Edition, view) (int, error)) (*page, error) {
	read := page{view: v}
	position := 0
	var err error
	if after.Has(r) {
		c, problem := readCursor(after.Of(r), v)
		if problem != nil {
			return nil, problem
		}
		position = c.position
		read.edition, err = boards.Edition(ctx, v.board, c.at)
	} else if read.edition, err = boards.Current(ctx, v.board); errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	var rows [][]byte
	if err == nil {
		if read.total, err = length(read.edition, v); err != nil {
			return nil, fmt.Errorf("the edition of board %s: %w", v.board, err)
		}
		if position > 0 && position >= read.total {
			return nil, endpoint.Invalid("cursor", "cursor points behind the end of the board. Leave it out to start again.")
		}
		rows, err = boards.Rows(ctx, v.board, read.edition.At, position, limit.Of(r))
	}
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, endpoint.Invalid("cursor", "The edition of the board that this cursor continues is gone; newer ones took its place. Leave cursor out to start again.")
	case err != nil:
		return nil, fmt.Errorf("%w: reading board %s: %w", market.ErrUnavailable, v.board, err)
	}
	rows = rows[:min(len(rows), read.total-position)]
	read.rows = make([]jsontext.Value, len(rows))
	for i, row := range rows {
		read.rows[i] = row
	}
	if position += len(rows); position < read.total {
		text := cursor{view: v, at: read.edition.At, position: position}.text()
		read.next = &text
	}
	return &read, nil
}

// summaryOf reads what an edition says of its board.
func summaryOf(edition store.Edition) (summary, error) {
	var s summary
	err := json.Unmarshal(edition.Data, &s)
	return s, err
}

// allRows is the length of a view of the whole board.
func allRows(edition store.Edition, _ view) (int, error) { return edition.Rows, nil }

// leaderBoard makes the answer of a board of leaders. note says what to know of the board; it gets an empty summary before the first
// edition.
func leaderBoard(read *page, note func(s summary, rows int) string) (Board[jsontext.Value], error) {
	b := Board[jsontext.Value]{Rows: []jsontext.Value{}}
	var s summary
	if read != nil {
		var err error
		if s, err = summaryOf(read.edition); err != nil {
			return b, fmt.Errorf("the edition of board %s: %w", read.edition.Board, err)
		}
		b.Rows, b.NextCursor, b.Total, b.PublishedAt = read.rows, read.next, read.total, timeText(read.edition.At)
		b.Examined, b.MirrorWorthy = s.Examined, s.MirrorWorthy
		if read.view.part == mirrorablePart {
			b.MirrorWorthy = s.MirrorableWorthy
		}
	}
	text := ""
	switch {
	case read == nil:
		text = "Nothing has been graded yet: the board fills once the first leaders are found and graded, which is tried every hour."
	case s.Found == 0:
		text = "No leaders have been found yet; new ones are looked for every hour."
	case s.Found == s.Waiting:
		text = "All leaders found so far wait for their first grade."
	default:
		text = note(s, read.total)
	}
	if text != "" {
		b.Note = &text
	}
	return b, nil
}
