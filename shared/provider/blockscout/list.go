package blockscout

import (
	"context"
	"fmt"
	"maps"
	"net/url"
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
func list[T any](ctx context.Context, client *upstream.Client, path string, query url.Values, pages int, shared *horizon, blockOf func(*T) (uint64, bool)) ([]T, error) {
	var rows []T
	dropped := 0
	asked := query
	oldest := int64(-1)
	for page := 1; ; page++ {
		answer, err := upstream.Get(ctx, client, path, asked, orEmpty[wirePage[T]])
		if err != nil {
			return nil, err
		}
		rows = append(rows, answer.Items.Good...)
		dropped += answer.Items.Dropped
		for i := len(answer.Items.Good) - 1; i >= 0; i-- {
			if block, ok := blockOf(&answer.Items.Good[i]); ok {
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
