package conformance

import (
	"context"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// checkEndedCopying: a call whose context had ended says so and changes nothing.
func checkEndedCopying(t *testing.T, s Stores) {
	ctx := t.Context()
	agent, other := newAgent("acme", "1"), newAgent("acme", "2")
	other.FollowedLeader = newFollowed("spot", "base", "0xnobody")
	mustDo(t, s.Agents.Create(ctx, agent))
	execution := newExecution(agent.AgentKey, "a", epoch, "planned", 1)
	mustDo(t, s.Executions.Enter(ctx, newBook(agent.AgentKey, 1, 1, 1), []store.Execution{execution}))
	reading, webhook := newReading(agent.FollowedLeader, 1), newWebhook("acme", 1)
	mustDo(t, s.Readings.Keep(ctx, reading))
	mustDo(t, s.Webhooks.Put(ctx, webhook))
	request := newRequest("acme", "key", "token", epoch)
	beginRequest(t, s, request, true, request)
	due, parked := newDelivery("acme", "due", epoch), newDelivery("acme", "parked", epoch)
	mustDo(t, s.Outbox.Add(ctx, due))
	mustDo(t, s.Outbox.Add(ctx, parked))
	mustDo(t, s.Outbox.Park(ctx, parked))

	ended, cancel := context.WithCancel(ctx)
	cancel()
	event := newEventOf("acme", "never", epoch)
	second := []store.Execution{newExecution(agent.AgentKey, "b", epoch, "planned", 1)}
	for name, call := range map[string]func() error{
		"Create":   func() error { return s.Agents.Create(ended, other, event) },
		"Agent":    func() error { _, err := s.Agents.Agent(ended, agent.AgentKey); return err },
		"Change":   func() error { return s.Agents.Change(ended, next(agent, "active", true), event) },
		"OwnedBy":  func() error { _, err := s.Agents.OwnedBy(ended, "acme", "0xowner", time.Time{}, "", 1); return err },
		"Followed": func() error { _, err := s.Agents.Followed(ended, store.FollowedLeader{}, 1); return err },
		"Following": func() error {
			_, err := s.Agents.Following(ended, agent.FollowedLeader, store.AgentKey{}, 1)
			return err
		},
		"Due agents": func() error {
			_, err := s.Agents.Due(ended, epoch, 1)
			return err
		},
		"Book":      func() error { _, err := s.Executions.Book(ended, agent.AgentKey); return err },
		"Enter":     func() error { return s.Executions.Enter(ended, newBook(agent.AgentKey, 2, 1, 1), second, event) },
		"Execution": func() error { _, err := s.Executions.Execution(ended, agent.AgentKey, "a"); return err },
		"Known":     func() error { _, err := s.Executions.Known(ended, agent.AgentKey, []string{"a"}); return err },
		"List of executions": func() error {
			_, err := s.Executions.List(ended, agent.AgentKey, "", time.Time{}, "", 1)
			return err
		},
		"Reading":          func() error { _, err := s.Readings.Reading(ended, agent.FollowedLeader); return err },
		"Keep":             func() error { return s.Readings.Keep(ended, newReading(agent.FollowedLeader, 2)) },
		"Put":              func() error { return s.Webhooks.Put(ended, newWebhook("acme", 2)) },
		"Webhook":          func() error { _, err := s.Webhooks.Webhook(ended, "acme"); return err },
		"Delete":           func() error { return s.Webhooks.Delete(ended, "acme") },
		"List of webhooks": func() error { _, err := s.Webhooks.List(ended, "", 1); return err },
		"Begin": func() error {
			_, _, err := s.Idempotency.Begin(ended, newRequest("acme", "new", "token", epoch))
			return err
		},
		"Answer":   func() error { return s.Idempotency.Answer(ended, "acme", "key", "token", 200, []byte("{}")) },
		"Release":  func() error { return s.Idempotency.Release(ended, "acme", "key", "token") },
		"Claim":    func() error { return s.Nonces.Claim(ended, "scope", "nonce", "first", epoch.Add(1), epoch) },
		"Due":      func() error { _, err := s.Outbox.Due(ended, store.OutboxShard("acme"), epoch, 1); return err },
		"Add":      func() error { return s.Outbox.Add(ended, newDelivery("acme", "new", epoch)) },
		"Postpone": func() error { return s.Outbox.Postpone(ended, due, 3, epoch.Add(1)) },
		"Done":     func() error { return s.Outbox.Done(ended, due) },
		"Park":     func() error { return s.Outbox.Park(ended, due) },
		"Parked":   func() error { _, err := s.Outbox.Parked(ended, "acme", "", 1); return err },
		"Replay":   func() error { return s.Outbox.Replay(ended, "acme", "parked", epoch) },
	} {
		wantError(t, name, call(), context.Canceled)
	}

	wantAgent(t, s, agent)
	_, err := s.Agents.Agent(ctx, other.AgentKey)
	wantError(t, "an agent created after the end", err, store.ErrNotFound)
	wantFollowed(t, s, store.FollowedLeader{}, 10, agent.FollowedLeader)
	wantBook(t, s, newBook(agent.AgentKey, 1, 1, 1))
	wantExecutions(t, s, agent.AgentKey, 10, execution)
	wantReading(t, s, reading)
	wantWebhook(t, s, webhook)
	beginRequest(t, s, newRequest("acme", "key", "other", epoch), false, request)
	fresh := newRequest("acme", "new", "other", epoch)
	beginRequest(t, s, fresh, true, fresh)
	mustDo(t, s.Nonces.Claim(ctx, "scope", "nonce", "second", epoch.Add(1), epoch))
	wantDueDeliveries(t, s, "acme", epoch.Add(time.Hour), due)
	wantParked(t, s, "acme", parked)
	wantTold(t, s, false, event)
}
