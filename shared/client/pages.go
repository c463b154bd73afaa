package client

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"net/url"
)

// page is a page of any list.
type page struct {
	Rows       []json.RawMessage `json:"rows"`
	Agents     []json.RawMessage `json:"agents"`
	Executions []json.RawMessage `json:"executions"`
	NextCursor *string           `json:"nextCursor"`
}

// walk goes through a list, page after page as they are needed. It ends with the first error, which comes with a zero value.
func walk[T any](ctx context.Context, c *Client, asked request, rows func(*page) []json.RawMessage, keep func(*T, json.RawMessage)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		query, cursor := maps.Clone(asked.query), ""
		if query == nil {
			query = url.Values{}
		}
		for {
			asked.method, asked.query = http.MethodGet, query
			var p page
			if err := c.call(ctx, asked, &p); err != nil {
				yield(none, err)
				return
			}
			for _, raw := range rows(&p) {
				var row T
				if err := json.Unmarshal(raw, &row); err != nil {
					yield(none, fmt.Errorf("%w: %w", ErrAnswer, err))
					return
				}
				if keep != nil {
					keep(&row, raw)
				}
				if !yield(row, nil) {
					return
				}
			}
			switch {
			case p.NextCursor == nil || *p.NextCursor == "":
				return
			case *p.NextCursor == cursor:
				yield(none, fmt.Errorf("%w: a page is its own next", ErrAnswer))
				return
			}
			cursor = *p.NextCursor
			query = maps.Clone(query)
			query.Set("cursor", cursor)
		}
	}
}

// set sets a parameter of a query, unless it is left out.
func set(query url.Values, name, value string) {
	if value != "" {
		query.Set(name, value)
	}
}
