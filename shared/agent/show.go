package agent

import (
	"context"
	"encoding/base64"
	"net/http"
	"strings"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// List is a page of a wallet's agents, the newest first.
type List struct {
	// Agents are the page's, the newest first.
	Agents []Answer `json:"agents"`
	// NextCursor continues behind the last; null at the end.
	NextCursor *string `json:"nextCursor"`
}

var (
	limit  = endpoint.Integer("limit", "How many agents to give.", 1, store.MaximumListed, 20)
	cursor = endpoint.Text("cursor", "The nextCursor of the page before.", 1, 300)
)

func (d Desk) list() endpoint.Endpoint {
	return endpoint.Operation(endpoint.Declaration{
		Name: "list-agents", Method: http.MethodGet, Path: "/v1/copy/agents", Units: units,
		Summary:    "Lists the agents of the wallet that signed, the newest first.",
		Parameters: []endpoint.Parameter{limit, cursor},
		Headers:    Headers, Refuses: []string{SignatureInvalid},
		Check: func(ctx context.Context, r *endpoint.Request) error {
			if _, _, err := readCursor(r); err != nil {
				return err
			}
			return d.Check(ctx, r)
		},
	}, func(ctx context.Context, r *endpoint.Request) (List, error) {
		before, beforeID, err := readCursor(r)
		if err != nil {
			return List{}, err
		}
		records, err := d.Agents.OwnedBy(ctx, r.Partner, r.Wallet.String(), before, beforeID, limit.Of(r))
		if err != nil {
			return List{}, unavailable(err)
		}
		page := List{Agents: make([]Answer, 0, len(records))}
		for _, record := range records {
			agent, err := Read(record)
			if err != nil {
				return List{}, err
			}
			page.Agents = append(page.Agents, agent.answer())
		}
		if len(records) == limit.Of(r) {
			last := records[len(records)-1]
			text := base64.RawURLEncoding.EncodeToString([]byte(last.CreatedAt.UTC().Format(time.RFC3339Nano) + " " + last.ID))
			page.NextCursor = &text
		}
		return page, nil
	})
}

// readCursor reads where a list goes on; zero at its beginning.
func readCursor(r *endpoint.Request) (time.Time, string, error) {
	if !cursor.Has(r) {
		return time.Time{}, "", nil
	}
	text, err := base64.RawURLEncoding.DecodeString(cursor.Of(r))
	at, id, found := strings.Cut(string(text), " ")
	before, timeErr := time.Parse(time.RFC3339Nano, at)
	if err != nil || !found || timeErr != nil || store.CheckTime("a cursor", before) != nil || store.CheckID("agent", id) != nil {
		return time.Time{}, "", endpoint.Invalid("cursor", "cursor is none that this endpoint gave. Leave it out to start again.")
	}
	return before, id, nil
}

func (d Desk) show() endpoint.Endpoint {
	return endpoint.Operation(endpoint.Declaration{
		Name: "agent", Method: http.MethodGet, Path: "/v1/copy/agents/{agentId}", Units: units,
		Summary:    "Shows an agent of the wallet that signed.",
		Parameters: []endpoint.Parameter{IDParameter},
		Headers:    Headers, Refuses: []string{SignatureInvalid},
		Check: d.Check,
	}, func(ctx context.Context, r *endpoint.Request) (Answer, error) {
		agent, err := d.Agent(ctx, r)
		if err != nil {
			return Answer{}, err
		}
		return agent.answer(), nil
	})
}

func (d Desk) pause() endpoint.Endpoint {
	return d.transition("pause", "Has an agent open nothing more; it still mirrors the leader's closes.", (*Agent).pause)
}

func (d Desk) resume() endpoint.Endpoint {
	return d.transition("resume", "Has a paused agent open copies again. An expired one is activated instead.", (*Agent).resume)
}

func (d Desk) stop() endpoint.Endpoint {
	return d.transition("stop", "Ends an agent for good. What it has open stays open, and is closed at the venue.", (*Agent).stop)
}

func (d Desk) transition(verb, summary string, by func(*Agent, time.Time) (change, error)) endpoint.Endpoint {
	return endpoint.Operation(endpoint.Declaration{
		Name: verb + "-agent", Path: "/v1/copy/agents/{agentId}/" + verb, Units: units, Idempotent: true, Summary: summary,
		Parameters: []endpoint.Parameter{IDParameter},
		Headers:    Headers, Refuses: refusesChange,
		Check: d.Check,
	}, func(ctx context.Context, r *endpoint.Request) (Answer, error) {
		agent, err := d.change(ctx, r, by)
		if err != nil {
			return Answer{}, err
		}
		return agent.answer(), nil
	})
}
