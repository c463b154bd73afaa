package hyperliquid

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

// row is a row of a history as the venue writes it.
type row[R any] interface {
	comparable
	when() upstream.Number
	// same is equal for rows that are the same.
	same() R
}

// dated is a row whose time can be believed.
type dated[R any] struct {
	row  R
	time time.Time
}

// history is one of an account's histories, which the venue gives in pages.
type history[R row[R]] struct {
	kind string
	// page is how many rows the venue gives at once, pages how often it is asked at most.
	page, pages int
}

// read reads a history from an instant on, oldest first, each row once; rows of one instant stay in the venue's order. The second result
// is true when later rows were not read, because there were more pages than are asked for.
//
// Each page begins with the instant at which the last one ended, and not after it: a page can end amid the rows of an instant.
func (h history[R]) read(ctx context.Context, a *Adapter, account chain.Address, since time.Time) ([]dated[R], bool, error) {
	var all []dated[R]
	known := make(map[R]struct{})
	start := milliseconds(since)
	for range h.pages {
		q := question{Type: h.kind, User: account.String(), StartTime: &start}
		page, err := info(ctx, a, q, weighed(rowsAWeight), func(r *upstream.Response) (page[R], error) {
			return h.readPage(r, a.client.Now())
		})
		if err != nil {
			return nil, false, err
		}
		a.client.Drop(path, page.dropped)
		before := len(all)
		for _, row := range page.rows {
			same := row.row.same()
			if _, found := known[same]; !found {
				known[same] = struct{}{}
				all = append(all, row)
			}
		}
		switch {
		case !page.full:
			return sorted(all), false, nil
		case page.first == page.last:
			// More rows of this instant cannot be had: the same question would be answered the same.
			start = page.last + 1
		case len(all) == before:
			return sorted(all), false, nil
		default:
			start = page.last
		}
	}
	return sorted(all), true, nil
}

// page is a page's rows in the venue's order, with the earliest and the latest of their times in Unix milliseconds.
type page[R any] struct {
	rows        []dated[R]
	dropped     int
	first, last int64
	// full is true where there may be more.
	full bool
}

func (h history[R]) readPage(r *upstream.Response, now time.Time) (page[R], error) {
	rows, err := rowsOf[R](r)
	if err != nil {
		return page[R]{}, err
	}
	count := len(rows.Good) + rows.Dropped
	read := page[R]{dropped: rows.Dropped, full: count >= h.page, rows: make([]dated[R], 0, len(rows.Good))}
	for _, row := range rows.Good {
		at, ok := row.when().Milliseconds(now)
		if !ok {
			read.dropped++
			continue
		}
		if len(read.rows) == 0 {
			read.first, read.last = at.UnixMilli(), at.UnixMilli()
		}
		read.first, read.last = min(read.first, at.UnixMilli()), max(read.last, at.UnixMilli())
		read.rows = append(read.rows, dated[R]{row, at})
	}
	switch n := len(read.rows); {
	case count > 0 && n == 0:
		return page[R]{}, noneLegible(count)
	case read.full && read.rows[0].time.After(read.rows[n-1].time):
		// What a page leaves out then is older and not later, and would never be asked for.
		return page[R]{}, fmt.Errorf("%w: a page of %s with the newest first", upstream.ErrUnreadable, h.kind)
	}
	return read, nil
}

func sorted[R any](rows []dated[R]) []dated[R] {
	slices.SortStableFunc(rows, func(a, b dated[R]) int { return cmp.Compare(a.time.UnixMilli(), b.time.UnixMilli()) })
	return rows
}
