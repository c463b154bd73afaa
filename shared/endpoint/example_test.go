package endpoint_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

const (
	wallet = "0xd8da6bf26964af9d7eed9e03e53415d37aa96045"
	good   = `{"wallet":"` + wallet + `","chain":"base"}`
)

// codeCounter is a provider that counts its calls.
type codeCounter struct{ calls atomic.Int64 }

func (c *codeCounter) Code(context.Context, *chain.Chain, chain.Address) (market.Code, error) {
	c.calls.Add(1)
	return market.Code{}, nil
}

func (c *codeCounter) count() int { return int(c.calls.Load()) }

// scoreAnswer stands for any answer.
type scoreAnswer struct {
	Grade   string   `json:"grade"`
	Score   *float64 `json:"score"`
	Reasons []string `json:"reasons"`
}

type codeKey struct{ account chain.Address }

// gatherCode asks the one provider, once a request.
func gatherCode(ctx context.Context, r *endpoint.Request) (market.Code, error) {
	account := endpoint.Wallet.Of(r)
	return market.Once(ctx, r.Session, codeKey{account}, func(ctx context.Context) (market.Code, error) {
		return r.Session.Sources.Code.Code(ctx, endpoint.Chain.Of(r), account)
	})
}

var (
	tradesLimit = endpoint.Integer("tradesLimit", "How many trades.", 1, 100, 20)
	sample      = endpoint.ClampedInteger("sample", "How many buyers.", 4, 20, 12)
	wallets     = endpoint.AddressList("wallets", "The wallets.", true, 25)
	agentID     = endpoint.PathValue("agentId", "The agent.")
	maxUSD      = endpoint.Text("maxUsd", "The most to spend.", 1, 19).Required()
	copyPercent = endpoint.Number("copyPercent", "The share to copy.", endpoint.Range{Maximum: 100, AboveMinimum: true}).Required()
	exclude     = endpoint.AddressList("excludeTokens", "What not to buy.", false, 25)
	riskConfig  = endpoint.Object("riskConfig", "The limits.", maxUSD, copyPercent, exclude).Required()
	step        = endpoint.Choice("step", "The step.", "sign", "send").Required()
	results     = endpoint.ObjectList("results", "What was done.", 5, step, endpoint.Text("signature", "The signature.", 0, 400))
)

func scoreOf(float64, time.Time) scoreAnswer {
	half := 62.5
	return scoreAnswer{Grade: "B", Score: &half, Reasons: []string{"Wins <often> & \u2028 calmly \U0001f600."}}
}

func score() endpoint.Endpoint {
	return endpoint.Single(endpoint.Declaration{
		Name: "trader-score", Units: 2, Graded: true, Needs: []market.Port{market.CodeFacts},
		Parameters: []endpoint.Parameter{endpoint.Wallet, endpoint.Chain},
	}, func(ctx context.Context, r *endpoint.Request) (float64, error) {
		_, err := gatherCode(ctx, r)
		return 0, err
	}, scoreOf)
}

func trades() endpoint.Endpoint {
	return endpoint.Single(endpoint.Declaration{
		Name: "wallet-trades", Units: 2, Needs: []market.Port{market.CodeFacts},
		Parameters: []endpoint.Parameter{endpoint.Wallet, endpoint.Chain, tradesLimit, sample},
	}, func(ctx context.Context, r *endpoint.Request) (string, error) {
		_, err := gatherCode(ctx, r)
		return fmt.Sprintf("%d of %d", tradesLimit.Of(r), sample.Of(r)), err
	}, func(told string, _ time.Time) map[string]string { return map[string]string{"told": told} })
}

// ordinary are endpoints of every kind.
func ordinary() []endpoint.Endpoint {
	echo := func(what ...endpoint.Parameter) func(context.Context, *endpoint.Request) (map[string]any, error) {
		return func(context.Context, *endpoint.Request) (map[string]any, error) {
			return map[string]any{"accepts": len(what)}, nil
		}
	}
	board := []endpoint.Parameter{
		endpoint.Chain.Optional(), endpoint.ChainID, endpoint.Integer("limit", "How many rows.", 1, 100, 20),
		endpoint.Boolean("mirrorableOnly", "Only those."), endpoint.Text("cursor", "Where to go on.", 1, 200),
		endpoint.Choice("source", "Which record.", "spot-leader-gate"),
	}
	agent := []endpoint.Parameter{endpoint.Choice("venue", "Where.", "dexvenue-spot").Required(), endpoint.Address("leader", "Whom."), riskConfig}
	decision := []endpoint.Parameter{endpoint.Choice("side", "The side.", "long", "short").Required(), copyPercent, endpoint.TextList("events", "Which.", 3, "a", "b"), endpoint.Boolean("copyExisting", "Also those open.")}
	all := []endpoint.Endpoint{
		score(), trades(),
		endpoint.Bundle(endpoint.Declaration{Name: "wallet-overview"}, endpoint.Wallet, score(), trades()),
		endpoint.Operation(endpoint.Declaration{Name: "trader-board", Method: http.MethodGet, Units: 1, Parameters: board}, echo(board...)),
		endpoint.Operation(endpoint.Declaration{
			Name: "trader-leaderboard", Parameters: []endpoint.Parameter{endpoint.Chain, wallets},
			UnitsFor: func(r *endpoint.Request) int { return 2 * len(wallets.Of(r)) },
		}, echo(endpoint.Chain, wallets)),
		endpoint.Operation(endpoint.Declaration{Name: "agent", Method: http.MethodGet, Path: "/v1/copy/agents/{agentId}", Units: 1, Parameters: []endpoint.Parameter{agentID}},
			func(_ context.Context, r *endpoint.Request) (map[string]string, error) {
				return map[string]string{"agentId": agentID.Of(r)}, nil
			}),
		endpoint.Operation(endpoint.Declaration{Name: "agent-pause", Path: "/v1/copy/agents/{agentId}/pause", Units: 1, Parameters: []endpoint.Parameter{agentID}}, echo(agentID)),
		endpoint.Operation(endpoint.Declaration{Name: "agent-activate", Path: "/v1/copy/agents/{agentId}/activate", Units: 1, Parameters: []endpoint.Parameter{agentID, results}},
			func(_ context.Context, r *endpoint.Request) ([]string, error) {
				steps := []string{}
				for _, result := range results.Of(r) {
					steps = append(steps, step.Of(result))
				}
				return steps, nil
			}),
		endpoint.Operation(endpoint.Declaration{Name: "agent-create", Path: "/v1/copy/agents", Units: 1, Status: http.StatusCreated, Parameters: agent},
			func(_ context.Context, r *endpoint.Request) (map[string]any, error) {
				risk := riskConfig.Of(r)
				return map[string]any{"maxUsd": maxUSD.Of(risk), "copyPercent": copyPercent.Of(risk), "excluded": len(exclude.Of(risk)), "chosen": exclude.Has(risk)}, nil
			}),
		endpoint.Operation(endpoint.Declaration{Name: "webhook-delete", Method: http.MethodDelete, Path: "/v1/webhooks", Units: 1}, echo()),
		endpoint.Operation(endpoint.Declaration{Name: "webhook-put", Method: http.MethodPut, Path: "/v1/webhooks", Units: 1, Parameters: decision}, echo(decision...)),
		endpoint.Document(endpoint.Declaration{Name: "openapi", Method: http.MethodGet, Path: "/v1/openapi.json", Open: true},
			func(context.Context, *endpoint.Request) ([]byte, error) { return []byte(`{"openapi": "3.1.0"}`), nil }),
	}
	return all
}

var errSecret = errors.New("secret detail")

// failing is an endpoint that answers with an error.
func failing(name string, fail func(context.Context) error) endpoint.Endpoint {
	return endpoint.Operation(endpoint.Declaration{Name: name, Units: 3, Parameters: []endpoint.Parameter{endpoint.Wallet, endpoint.Chain}},
		func(ctx context.Context, _ *endpoint.Request) (string, error) { return "", fail(ctx) })
}
