package mirroring

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/agent"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

const usualPage, maximumPage = 20, 100

var (
	limit      = endpoint.Integer("limit", "How many executions to list.", 1, maximumPage, usualPage)
	cursorText = endpoint.Text("cursor", "The nextCursor of the page before.", 1, 512)
	status     = endpoint.Choice("status", "Lists the executions of one status alone.", statusWords()...)
)

func statusWords() []string {
	var words []string
	for _, s := range Statuses() {
		words = append(words, string(s))
	}
	return words
}

// ExecutionsAnswer is a page of an agent's executions.
type ExecutionsAnswer struct {
	// Executions are the newest first.
	Executions []Execution `json:"executions"`
	// NextCursor continues behind the last row; null at the end.
	NextCursor *string `json:"nextCursor"`
}

// Executions declares the list of what an agent did with its leader's trades, and of what it did not do and why.
func Executions(access agent.Access, executions store.Executions) endpoint.Endpoint {
	return endpoint.Operation(endpoint.Declaration{
		Name: "executions", Method: http.MethodGet, Path: "/v1/copy/agents/{agentId}/executions", Units: 1,
		Summary:    "Lists what an agent did with each of its leader's trades, the newest first, and why it did nothing.",
		Parameters: []endpoint.Parameter{agent.IDParameter, cursorText, limit, status},
		Headers:    agent.Headers, Refuses: []string{agent.SignatureInvalid},
		Check: func(ctx context.Context, r *endpoint.Request) error {
			if _, err := cursorOf(r); err != nil {
				return err
			}
			return access.Check(ctx, r)
		},
	}, func(ctx context.Context, r *endpoint.Request) (ExecutionsAnswer, error) {
		of, err := access.Agent(ctx, r)
		if err != nil {
			return ExecutionsAnswer{}, err
		}
		from, err := cursorOf(r)
		if err != nil {
			return ExecutionsAnswer{}, err
		}
		return list(ctx, executions, of, status.Of(r), from, limit.Of(r))
	})
}

// list reads a page. One row more than the page shows, where the store allows it, tells whether there is another page.
func list(ctx context.Context, executions store.Executions, of *agent.Agent, status string, from cursor, limit int) (ExecutionsAnswer, error) {
	rows, err := executions.List(ctx, of.Key(), status, from.at, from.id, min(limit+1, store.MaximumListed))
	if err != nil {
		return ExecutionsAnswer{}, fmt.Errorf("%w: the store of executions: %w", market.ErrUnavailable, err)
	}
	more := len(rows) > limit
	if limit == store.MaximumListed && len(rows) == limit {
		last := rows[limit-1]
		next, err := executions.List(ctx, of.Key(), status, last.At, last.ID, 1)
		if err != nil {
			return ExecutionsAnswer{}, fmt.Errorf("%w: the store of executions: %w", market.ErrUnavailable, err)
		}
		more = len(next) > 0
	}
	rows = rows[:min(len(rows), limit)]
	answer := ExecutionsAnswer{Executions: make([]Execution, len(rows))}
	for i := range rows {
		k, err := readKept(&rows[i])
		if err != nil {
			return ExecutionsAnswer{}, err
		}
		answer.Executions[i] = k.Answer
	}
	if more {
		last := rows[len(rows)-1]
		text := cursor{last.At, last.ID}.text(of.ID, status)
		answer.NextCursor = &text
	}
	return answer, nil
}

// cursor is the last row of a page.
type cursor struct {
	at time.Time
	id string
}

// cursorOf is where a request's page begins, the zero value for the first.
func cursorOf(r *endpoint.Request) (cursor, error) {
	if !cursorText.Has(r) {
		return cursor{}, nil
	}
	return readCursor(cursorText.Of(r), agent.IDParameter.Of(r), status.Of(r))
}

// executionName is what executions are called.
var executionName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^ex_[0-9a-f]{32}$`) })

// text writes a cursor of an agent's list. A cursor of one list is none of another.
func (c cursor) text(agentID, status string) string {
	parts := []string{agentID, status, strconv.FormatInt(c.at.UnixNano(), 10), c.id}
	return base64.RawURLEncoding.EncodeToString([]byte(strings.Join(parts, "#")))
}

// readCursor reads a cursor of a list. The error is for the partner who sent it.
func readCursor(text, agentID, status string) (cursor, error) {
	invalid := endpoint.Invalid("cursor", "cursor must be the nextCursor of an answer to this same request, or left out to start again.")
	decoded, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return cursor{}, invalid
	}
	parts := strings.Split(string(decoded), "#")
	if len(parts) != 4 || !executionName().MatchString(parts[3]) {
		return cursor{}, invalid
	}
	nanoseconds, err := strconv.ParseInt(parts[2], 10, 64)
	c := cursor{time.Unix(0, nanoseconds).UTC(), parts[3]}
	if err != nil || store.CheckTime("cursor", c.at) != nil || c.text(agentID, status) != text {
		return cursor{}, invalid
	}
	return c, nil
}
