package blockscout

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

// horizon is the block below or at which some list of several is incomplete; it only rises.
type horizon struct{ block atomic.Int64 }

func (h *horizon) raise(block int64) {
	for {
		known := h.block.Load()
		if block <= known || h.block.CompareAndSwap(known, block) {
			return
		}
	}
}

// list reads a list newest first until its end, the limit of pages, or the horizon of the lists read beside it. When it
// stops for the limit, it raises the horizon to the block it stopped in.
func list[T any, Row legible[T]](ctx context.Context, client *upstream.Client, path string, query url.Values, pages int, shared *horizon) ([]T, error) {
	var rows []T
	dropped := 0
	asked := query
	oldest := int64(-1)
	for page := 1; ; page++ {
		answer, err := upstream.Get(ctx, client, path, asked, readPage[T, Row])
		if err != nil {
			return nil, err
		}
		rows = append(rows, answer.Items.Good...)
		dropped += answer.Items.Dropped
		for i := len(answer.Items.Good) - 1; i >= 0; i-- {
			if block, ok := Row(&answer.Items.Good[i]).block(); ok {
				oldest = int64(block)
				break
			}
		}
		if len(answer.Next) == 0 || (oldest >= 0 && oldest < shared.block.Load()) {
			break
		}
		if page >= pages {
			if oldest < 0 {
				return nil, fmt.Errorf("%w: %d pages of %s without one readable row", upstream.ErrUnreadable, page, path)
			}
			shared.raise(oldest)
			break
		}
		asked = nextQuery(query, answer.Next)
	}
	client.Drop(path, dropped)
	return rows, nil
}

// legible is a row of a list.
type legible[T any] interface {
	*T
	legible() bool
	block() (uint64, bool)
}

// readPage refuses a page without a list, or of whose rows none can be understood: it says nothing, which is not the same as no
// rows. The 404 of an address never seen is an empty page.
func readPage[T any, Row legible[T]](response *upstream.Response) (wirePage[T], error) {
	page, err := orEmpty[wirePage[T]](response)
	switch {
	case err != nil:
	case page.Items == nil && response.Status == http.StatusNotFound:
		page.Items = &upstream.Rows[T]{}
	case page.Items == nil:
		err = fmt.Errorf("%w: no list of items", upstream.ErrUnreadable)
	default:
		count := len(page.Items.Good) + page.Items.Dropped
		if count > 0 && !slices.ContainsFunc(page.Items.Good, func(row T) bool { return Row(&row).legible() }) {
			err = fmt.Errorf("%w: none of %d rows says what it is of", upstream.ErrUnreadable, count)
		}
	}
	return page, err
}

// nextQuery repeats the query with the parameters the last page gave, as they were written: some are wider than a float64.
func nextQuery(query url.Values, next map[string]jsontext.Value) url.Values {
	merged := maps.Clone(query)
	if merged == nil {
		merged = make(url.Values, len(next))
	}
	for name, value := range next {
		switch value.Kind() {
		case '"':
			if text, err := jsontext.AppendUnquote(nil, value); err == nil {
				merged.Set(name, string(text))
			}
		case '0', 't', 'f':
			merged.Set(name, string(value))
		}
	}
	return merged
}
