package agent

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/activation"
	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/walletsignature"
)

// Steps are what the wallet must do next for an agent to be active.
type Steps struct {
	// AgentID names the agent.
	AgentID string `json:"agentId"`
	// Status is the agent's state.
	Status Status `json:"status"`
	// Steps of this round, which can be done in any order; none once the agent is active.
	Steps []activation.Step `json:"steps"`
	// ExpiresAt is until when the steps can be done; null without any. A new activation then begins by itself.
	ExpiresAt *string `json:"expiresAt"`
}

var (
	results = endpoint.ObjectList("results", "What the wallet did: for each step its signature, or the hash of its transaction.", 10,
		stepName, signature, transactionHash).Required()
	stepName        = endpoint.Text("step", "The step, as the activation names it.", 1, 64).Required()
	signature       = endpoint.Text("signature", "The signature, 0x and hexadecimal digits.", 4, 40<<10)
	transactionHash = endpoint.Text("txHash", "The transaction's hash, 0x and 64 hexadecimal digits.", 66, 66)
)

// subject is the agent as its activation sees it.
func (d Desk) subject(a *Agent) activation.Subject {
	s := activation.Subject{
		Partner: a.Partner, Agent: a.ID, Venue: string(a.Venue), Live: a.Mode == Live, Chain: a.Chain,
		Owner: a.Owner, SmartAccount: a.SmartAccount, Leader: a.Leader, MaxMicroUSD: int64(a.Risk.MaxUSD), MaxLeverage: a.Risk.LeverageCap(),
		TradingAgent: d.TradingAgent(a.ID, a.Activation.Challenge), Executor: d.Executor(),
	}
	if s.Chain == nil {
		s.Chain, _ = chain.Parse(string(chain.Arbitrum)) // where the perpetuals venue's money lives
	}
	return s
}

func (d Desk) activation() endpoint.Endpoint {
	return endpoint.Operation(endpoint.Declaration{
		Name: "activation", Method: http.MethodGet, Path: "/v1/copy/agents/{agentId}/activation", Units: units,
		Summary:    "Lists what the wallet must do next for an agent to be active, and why each is safe.",
		Parameters: []endpoint.Parameter{IDParameter},
		Headers:    Headers, Refuses: refusesChange,
		Check: d.Check,
	}, func(ctx context.Context, r *endpoint.Request) (Steps, error) {
		agent, err := d.begun(ctx, r)
		if err != nil {
			return Steps{}, err
		}
		return d.open(ctx, agent, r.ReceivedAt)
	})
}

// begun is the agent that a request is about, with an activation under way where it needs one.
func (d Desk) begun(ctx context.Context, r *endpoint.Request) (*Agent, error) {
	for range changeTries {
		agent, err := d.Agent(ctx, r)
		if err != nil {
			return nil, err
		}
		if !agent.activatable(r.ReceivedAt) || underWay(agent, r.ReceivedAt) {
			return agent, nil
		}
		changed, err := agent.begin(activation.Begin(d.subject(agent), r.Operation, r.ReceivedAt), r.ReceivedAt)
		if err != nil {
			return nil, stateProblem(agent, err)
		}
		switch err := d.keep(ctx, changed); {
		case err == nil:
			return &changed.agent, nil
		case !errors.Is(err, store.ErrConflict):
			return nil, unavailable(err)
		}
	}
	return nil, conflict("agent_state_conflict", "The agent is being changed by other requests. Ask again in a moment.")
}

// underWay tells whether steps of the agent's activation can still be done: it was begun, has not run out, and is not the one that
// activated the agent before.
func underWay(a *Agent, at time.Time) bool {
	p := &a.Activation
	return p.Challenge != "" && at.Before(p.ExpiresAt) && p.CredentialsExpireAt.After(a.CredentialsExpireAt)
}

// open lists the steps that are open.
func (d Desk) open(ctx context.Context, a *Agent, at time.Time) (Steps, error) {
	answer := Steps{AgentID: a.ID, Status: a.Status, Steps: []activation.Step{}}
	if !a.activatable(at) || !underWay(a, at) {
		return answer, nil
	}
	steps, err := d.Checker.Open(ctx, d.subject(a), a.Activation, at)
	if refused := (*activation.RefusalError)(nil); errors.As(err, &refused) {
		return Steps{}, conflict("agent_state_conflict", refused.Reason)
	}
	if err != nil {
		return Steps{}, err
	}
	answer.Steps, answer.ExpiresAt = append(answer.Steps, steps...), timeText(a.Activation.ExpiresAt)
	return answer, nil
}

func (d Desk) activate() endpoint.Endpoint {
	return endpoint.Operation(endpoint.Declaration{
		Name: "activate-agent", Path: "/v1/copy/agents/{agentId}/activate", Units: units, Idempotent: true,
		Summary:    "Takes what the wallet did for a round of steps, checks it, and answers what is next; the last round activates the agent.",
		Parameters: []endpoint.Parameter{IDParameter, results},
		Headers:    Headers, Refuses: refusesChange,
		Check: d.Check,
	}, func(ctx context.Context, r *endpoint.Request) (Steps, error) {
		agent, err := d.accept(ctx, r)
		if err != nil {
			return Steps{}, err
		}
		return d.open(ctx, agent, r.ReceivedAt)
	})
}

// accept takes the results of a round.
func (d Desk) accept(ctx context.Context, r *endpoint.Request) (*Agent, error) {
	agent, err := d.begun(ctx, r)
	switch {
	case err != nil:
		return nil, err
	case agent.LastRequest == r.Operation:
		return agent, nil
	case !agent.activatable(r.ReceivedAt):
		return nil, stateProblem(agent, ErrState)
	}
	given := make([]activation.Result, 0, len(results.Of(r)))
	for _, result := range results.Of(r) {
		given = append(given, activation.Result{Step: stepName.Of(result), Signature: signature.Of(result), TxHash: transactionHash.Of(result)})
	}
	if len(given) == 0 {
		return agent, nil
	}
	subject := d.subject(agent)
	progress, err := d.Checker.Accept(ctx, subject, agent.Activation, given, r.ReceivedAt)
	if err != nil {
		return nil, resultProblem(err)
	}
	open, err := d.Checker.Open(ctx, subject, progress, r.ReceivedAt)
	if err != nil {
		return nil, err
	}
	if agent.Mode == Live {
		if err := d.Venue.Approve(ctx, subject, progress); err != nil {
			return nil, err
		}
	}
	changed, err := agent.advance(progress, len(open) == 0, r.ReceivedAt)
	if err != nil {
		return nil, stateProblem(agent, err)
	}
	changed.agent.LastRequest = r.Operation
	switch err := d.keep(ctx, changed); {
	case errors.Is(err, store.ErrConflict):
		return nil, conflict("agent_state_conflict", "Another request changed the agent meanwhile. Read its activation, and do what is still open.")
	case err != nil:
		return nil, unavailable(err)
	}
	return &changed.agent, nil
}

// resultProblem says what is wrong with the results of a round.
func resultProblem(err error) error {
	refused := (*activation.RefusalError)(nil)
	switch {
	case errors.Is(err, activation.ErrPending):
		return &endpoint.Problem{
			Status: http.StatusConflict, Code: "agent_state_conflict", RetryAfter: 3 * time.Second,
			Message: "The transaction is in no block yet. Send the same results again in a moment.",
		}
	case errors.Is(err, activation.ErrLapsed):
		return conflict("agent_state_conflict", "The time for these steps is over. Read the activation again: it has begun anew.")
	case errors.Is(err, walletsignature.ErrSignature):
		return signatureProblem(err)
	case errors.As(err, &refused):
		return endpoint.Invalid("results", refused.Error())
	}
	return err
}
