package conformance

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/anishathalye/porcupine"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// agentCall is a call on an agent, and agentAnswer what came of it.
type agentCall struct {
	call    string // create, change or read
	id      string
	version int64 // of a change
	status  string
}

type agentAnswer struct {
	refusal error // ErrNotFound, ErrConflict or nothing
	version int64 // of a read, as is the status
	status  string
}

// agentState is an agent as one who makes one call after the other would find it; version 0 before it is created.
type agentState struct {
	version int64
	status  string
}

// oneByOne says what a call on an agent must answer, and how the agent stands then.
func oneByOne(state agentState, call agentCall) (agentAnswer, agentState) {
	switch {
	case call.call == "create" && state.version == 0:
		return agentAnswer{}, agentState{1, call.status}
	case call.call == "create":
		return agentAnswer{refusal: store.ErrConflict}, state
	case state.version == 0:
		return agentAnswer{refusal: store.ErrNotFound}, state
	case call.call == "read":
		return agentAnswer{version: state.version, status: state.status}, state
	case call.version != state.version+1:
		return agentAnswer{refusal: store.ErrConflict}, state
	}
	return agentAnswer{}, agentState{call.version, call.status}
}

// checkLinearizableAgents: calls on agents at the same time answer as if each had been made at one moment while it was under way.
func checkLinearizableAgents(t *testing.T, s Stores) {
	const callers, calls = 16, 50
	ids := []string{"a", "b", "c"}
	var clock atomic.Int64 // counts what begins and what ends
	var mu sync.Mutex
	var history []porcupine.Operation
	atOnce(callers, func(caller int) {
		random := rand.New(rand.NewPCG(1, uint64(caller)))
		known := map[string]int64{} // the version that the caller saw last
		for n := range calls {
			call := agentCall{
				call: []string{"create", "read", "change", "change"}[random.IntN(4)], id: ids[random.IntN(len(ids))],
				status: fmt.Sprintf("%d-%d", caller, n),
			}
			call.version = known[call.id] + 1
			begun := clock.Add(1)
			answer, err := callAgent(t.Context(), s, call)
			ended := clock.Add(1)
			if err != nil {
				t.Errorf("%s: %v", call.call, err)
				return
			}
			switch {
			case answer.refusal != nil:
			case call.call == "create":
				known[call.id] = 1
			case call.call == "change":
				known[call.id] = call.version
			default:
				known[call.id] = answer.version
			}
			mu.Lock()
			history = append(history, porcupine.Operation{ClientId: caller, Input: call, Call: begun, Output: answer, Return: ended})
			mu.Unlock()
		}
	})
	model := porcupine.Model{
		Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
			parts := make([][]porcupine.Operation, len(ids))
			for _, operation := range history {
				i := slices.Index(ids, operation.Input.(agentCall).id)
				parts[i] = append(parts[i], operation)
			}
			return parts
		},
		Init: func() any { return agentState{} },
		Step: func(state, input, output any) (bool, any) {
			answer, after := oneByOne(state.(agentState), input.(agentCall))
			return answer == output.(agentAnswer), after
		},
	}
	if !porcupine.CheckOperations(model, history) {
		t.Errorf("no order of the calls explains their answers: %+v", history)
	}
	changed := 0
	for _, operation := range history {
		if operation.Input.(agentCall).call == "change" && operation.Output.(agentAnswer).refusal == nil {
			changed++
		}
	}
	if changed < callers {
		t.Errorf("only %d changes were made", changed)
	}
}

// callAgent makes a call.
func callAgent(ctx context.Context, s Stores, call agentCall) (answer agentAnswer, err error) {
	agent := newAgent("linear", call.id)
	agent.Status, agent.Data = call.status, []byte(call.status)
	switch call.call {
	case "create":
		err = s.Agents.Create(ctx, agent)
	case "change":
		agent.Version = call.version
		err = s.Agents.Change(ctx, agent)
	default:
		agent, err = s.Agents.Agent(ctx, agent.AgentKey)
		answer.version, answer.status = agent.Version, agent.Status
		if err == nil && string(agent.Data) != agent.Status {
			return answer, fmt.Errorf("agent %+v is of two versions", agent)
		}
	}
	for _, refusal := range []error{store.ErrNotFound, store.ErrConflict} {
		if errors.Is(err, refusal) {
			return agentAnswer{refusal: refusal}, nil
		}
	}
	return answer, err
}
