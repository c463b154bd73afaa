package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/activation"
	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Desk is what the endpoints of agents work with.
type Desk struct {
	Access
	// Leaders tells on which chains a leader is known.
	Leaders store.Leaders
	// Follow has a leader graded.
	Follow Follow
	// Checker knows the steps of activations.
	Checker activation.Checker
	// TradingAgent is the account by which orders of an agent are placed at the perpetuals venue, another for each activation; Executor the one that spends within the
	// limits that owners set elsewhere.
	TradingAgent func(agentID, challenge string) chain.Address
	Executor     func() chain.Address
	// LivePerps says that agents on perpetuals can trade with real money.
	LivePerps bool
	// Venue is told of trading agents that owners approve for live trading; nil where LivePerps is false.
	Venue Approver
}

// Follow has a leader that agents follow graded from a time on. It can be told twice.
type Follow func(ctx context.Context, leader store.FollowedLeader, at time.Time) error

// Approver tells the perpetuals venue of a trading agent that an owner approved. It can be told twice.
type Approver interface {
	Approve(ctx context.Context, s activation.Subject, p activation.Progress) error
}

// Endpoints lists the endpoints of agents, in the order of the API document.
func (d Desk) Endpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		d.venues(), d.create(), d.list(), d.show(), d.activation(), d.activate(), d.pause(), d.resume(), d.stop(),
	}
}

// Units of every endpoint about agents.
const units = 1

// refusesChange are the codes that changes of an agent are refused with.
var refusesChange = []string{SignatureInvalid, "agent_expired", "agent_state_conflict"}

// changeTries is how often a change is tried while others change the same agent.
const changeTries = 10

// change makes a change to the agent that a request is about and keeps it. A request that did so before and was cut short finds the agent
// as it left it.
func (d Desk) change(ctx context.Context, r *endpoint.Request, by func(*Agent, time.Time) (change, error)) (*Agent, error) {
	for range changeTries {
		agent, err := d.Agent(ctx, r)
		if err != nil {
			return nil, err
		}
		if agent.LastRequest == r.Operation {
			return agent, nil
		}
		changed, err := by(agent, r.ReceivedAt)
		if err != nil {
			return nil, stateProblem(agent, err)
		}
		changed.agent.LastRequest = r.Operation
		switch err := d.keep(ctx, changed); {
		case err == nil:
			return &changed.agent, nil
		case !errors.Is(err, store.ErrConflict):
			return nil, unavailable(err)
		}
	}
	return nil, conflict("agent_state_conflict", "The agent is being changed by other requests. Read it, and try again if it is still needed.")
}

// keep writes a changed agent with its events.
func (d Desk) keep(ctx context.Context, c change) error {
	record, err := c.agent.Record()
	if err != nil {
		return err
	}
	return d.Agents.Change(ctx, record, c.events...)
}

// stateProblem says why an agent cannot go where it is sent.
func stateProblem(a *Agent, err error) error {
	switch {
	case errors.Is(err, ErrExpired):
		return conflict("agent_expired", "The agent's credentials have lapsed. Activate it again: read its activation and do the steps.")
	case errors.Is(err, ErrState):
		return conflict("agent_state_conflict", fmt.Sprintf("The agent is %s, and cannot do that from there.", a.Status))
	}
	return err
}
