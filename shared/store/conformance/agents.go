package conformance

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

var (
	behind = time.FixedZone("behind", -7200)
	long   = strings.Repeat("~", 128)
)

func newFollowed(kind, place, leader string) store.FollowedLeader {
	return store.FollowedLeader{Group: store.Group{Kind: kind, Place: place}, Leader: leader}
}

func newAgent(partner, id string) store.Agent {
	return store.Agent{
		AgentKey: store.AgentKey{Partner: partner, ID: id}, Owner: "0xowner", FollowedLeader: newFollowed("spot", "base", "0xleader"),
		Status: "pending_activation", Version: 1, CreatedAt: epoch, ChangedAt: epoch.Add(1), Data: fmt.Appendf(nil, "{%q:\"\x00\xff\"}", id),
	}
}

// next is an agent's next version with a status, which follows its leader or does not.
func next(agent store.Agent, status string, following bool) store.Agent {
	agent.Status, agent.Following = status, following
	agent.Version++
	agent.ChangedAt = agent.ChangedAt.Add(time.Second)
	agent.Data = fmt.Append(nil, status, agent.Version)
	return agent
}

func sameAgent(got, want store.Agent) bool {
	for _, at := range []time.Time{got.DueAt, got.CreatedAt, got.ChangedAt} {
		if at.Location() != time.UTC {
			return false
		}
	}
	return got.AgentKey == want.AgentKey && got.Owner == want.Owner && got.FollowedLeader == want.FollowedLeader &&
		got.Status == want.Status && got.Following == want.Following && got.Version == want.Version && bytes.Equal(got.Data, want.Data) &&
		got.DueAt.Equal(want.DueAt) && got.CreatedAt.Equal(want.CreatedAt) && got.ChangedAt.Equal(want.ChangedAt)
}

// sameList compares a list, which is never nil, with what it must hold.
func sameList[T any](t tester, what string, same func(got, want T) bool, got []T, want ...T) {
	t.Helper()
	if got == nil || len(got) != len(want) {
		t.Fatalf("%s: %d %+v, want %d %+v, and never nil", what, len(got), got, len(want), want)
	}
	for i := range want {
		if !same(got[i], want[i]) {
			t.Errorf("%s: at place %d %+v, want %+v", what, i, got[i], want[i])
		}
	}
}

func wantAgents(t tester, what string, got []store.Agent, err error, want ...store.Agent) {
	t.Helper()
	mustDo(t, err)
	sameList(t, what, sameAgent, got, want...)
}

func wantAgent(t tester, s Stores, want store.Agent) {
	t.Helper()
	got, err := s.Agents.Agent(t.Context(), want.AgentKey)
	mustDo(t, err)
	if !sameAgent(got, want) {
		t.Errorf("agent %+v, want %+v", got, want)
	}
}

// wantTold looks for events of one day in the log and for their deliveries in the outbox, where there may be others.
func wantTold(t tester, s Stores, told bool, events ...store.Event) {
	t.Helper()
	for _, event := range events {
		said := must[[]store.Event](t)(s.Events.Said(t.Context(), event.At, event.At, "", store.MaximumListed))
		due := must[[]store.Delivery](t)(s.Outbox.Due(t.Context(), store.OutboxShard(event.Partner), event.At, store.MaximumListed))
		wasSaid, isDue := false, false
		for _, one := range said {
			wasSaid = wasSaid || one.ID == event.ID && one.Partner == event.Partner && one.At.Equal(event.At)
		}
		for _, one := range due {
			isDue = isDue || sameDelivery(one, deliveryOf(event))
		}
		if wasSaid != told || isDue != told {
			t.Errorf("event %s: said %v, due %v, want %v", event.ID, wasSaid, isDue, told)
		}
	}
}

func checkAgents(t *testing.T, s Stores) {
	ctx := t.Context()
	agent := newAgent("acme", "1")
	_, err := s.Agents.Agent(ctx, agent.AgentKey)
	wantError(t, "Agent before it is created", err, store.ErrNotFound)
	wantError(t, "Change before it is created", s.Agents.Change(ctx, next(agent, "active", true), newEventOf("acme", "never", epoch)), store.ErrNotFound)

	created := agent
	created.CreatedAt, created.ChangedAt, created.DueAt = agent.CreatedAt.In(behind), agent.ChangedAt.In(behind), epoch.Add(time.Hour).In(behind)
	agent.DueAt = created.DueAt
	event := newEventOf("acme", "created", epoch)
	mustDo(t, s.Agents.Create(ctx, created, event))
	wantAgent(t, s, agent)

	// It is created once, and a refusal changes nothing and says nothing.
	again := newAgent("acme", "1")
	again.Owner, again.FollowedLeader = "0xother", newFollowed("spot", "base", "0xnobody")
	for _, other := range []store.Agent{again, agent} {
		wantError(t, "Create again", s.Agents.Create(ctx, other, newEventOf("acme", "never", epoch)), store.ErrConflict)
	}
	wantAgent(t, s, agent)

	// It changes from version to version, in everything but what never changes.
	first := agent
	for _, following := range []bool{true, true, false, true, false, false} {
		changed := next(agent, fmt.Sprint("status-", agent.Version), following)
		changed.DueAt = map[bool]time.Time{true: epoch.Add(time.Duration(agent.Version))}[agent.Version%2 == 0]
		event := newEventOf("acme", fmt.Sprint("changed-", agent.Version), epoch)
		mustDo(t, s.Agents.Change(ctx, changed, event))
		wantAgent(t, s, changed)
		wantTold(t, s, true, event)
		for _, version := range []int64{1, agent.Version, changed.Version, changed.Version + 2} {
			stale := changed
			stale.Version, stale.Status = version, "stale"
			wantError(t, "Change of another version", s.Agents.Change(ctx, stale, newEventOf("acme", "never", epoch)), store.ErrConflict)
		}
		for what, spoil := range map[string]func(*store.Agent){
			"owner": func(a *store.Agent) { a.Owner = "0xother" }, "kind": func(a *store.Agent) { a.Group.Kind = "perp" },
			"leader": func(a *store.Agent) { a.Leader = "0xother" }, "creation": func(a *store.Agent) { a.CreatedAt = epoch.Add(1) },
		} {
			bad := next(changed, "bad", true)
			spoil(&bad)
			wantError(t, "another "+what, s.Agents.Change(ctx, bad, newEventOf("acme", "never", epoch)), store.ErrInvalid)
		}
		wantAgent(t, s, changed)
		got, err := s.Agents.Following(ctx, agent.FollowedLeader, store.AgentKey{}, 10)
		wantAgents(t, "Following", got, err, map[bool][]store.Agent{true: {changed}}[following]...)
		got, err = s.Agents.Due(ctx, epoch.Add(2*time.Hour), 10)
		wantAgents(t, "Due", got, err, map[bool][]store.Agent{true: {changed}}[!changed.DueAt.IsZero()]...)
		got, err = s.Agents.OwnedBy(ctx, "acme", agent.Owner, time.Time{}, "", 10)
		wantAgents(t, "OwnedBy", got, err, changed)
		agent = changed
	}
	wantTold(t, s, true, event)
	wantTold(t, s, false, newEventOf("acme", "never", epoch))
	got, err := s.Agents.OwnedBy(ctx, "acme", "0xother", time.Time{}, "", 10)
	wantAgents(t, "OwnedBy of another", got, err)
	followed := must[[]store.FollowedLeader](t)(s.Agents.Followed(ctx, store.FollowedLeader{}, 10))
	sameList(t, "Followed", same, followed, first.FollowedLeader)

	// The largest, with the most and the largest events.
	large := newAgent(long, long)
	large.Owner, large.FollowedLeader, large.Status = long, newFollowed(long, long, long), long
	large.Data, large.Following, large.DueAt = bytes.Repeat([]byte{0xfe}, store.MaximumAgent), true, epoch
	mustDo(t, s.Agents.Create(ctx, large, largestEvents(long)...))
	wantAgent(t, s, large)
	large = next(large, "stopped", false)
	large.DueAt = epoch.Add(1)
	mustDo(t, s.Agents.Change(ctx, large, largestEvents(long)...))
	wantAgent(t, s, large)
}

func same[T comparable](got, want T) bool { return got == want }

func largestEvents(partner string) []store.Event {
	var events []store.Event
	for i := range store.MaximumEvents {
		event := newEventOf(partner, fmt.Sprintf("%s%02d", long[2:], i), epoch)
		event.Type, event.Data = long, bytes.Repeat([]byte{0xfe}, store.MaximumEvent)
		events = append(events, event)
	}
	return events
}

func checkInvalidAgents(t *testing.T, s Stores) {
	ctx := t.Context()
	agent := newAgent("acme", "1")
	mustDo(t, s.Agents.Create(ctx, agent))
	try := func(what string, bad store.Agent, events ...store.Event) {
		t.Helper()
		wantError(t, "Create: "+what, s.Agents.Create(ctx, bad, events...), store.ErrInvalid)
		bad.Version++
		wantError(t, "Change: "+what, s.Agents.Change(ctx, bad, events...), store.ErrInvalid)
	}
	leader := agent.FollowedLeader
	refused := func(what string, err error) {
		t.Helper()
		wantError(t, what, err, store.ErrInvalid)
	}
	for _, id := range []string{"", "a b", "a#b", "ü", strings.Repeat("x", 129)} {
		for what, spoil := range map[string]func(*store.Agent){
			"partner": func(a *store.Agent) { a.Partner = id }, "id": func(a *store.Agent) { a.ID = id }, "owner": func(a *store.Agent) { a.Owner = id },
			"kind": func(a *store.Agent) { a.Group.Kind = id }, "place": func(a *store.Agent) { a.Group.Place = id },
			"leader": func(a *store.Agent) { a.Leader = id }, "status": func(a *store.Agent) { a.Status = id },
		} {
			bad := newAgent("acme", "2")
			spoil(&bad)
			try(what+" "+id, bad)
		}
		_, err := s.Agents.Agent(ctx, store.AgentKey{Partner: id, ID: "1"})
		refused("Agent", err)
		_, err = s.Agents.Agent(ctx, store.AgentKey{Partner: "acme", ID: id})
		refused("Agent", err)
		_, err = s.Agents.OwnedBy(ctx, id, "0xowner", time.Time{}, "", 1)
		refused("OwnedBy", err)
		_, err = s.Agents.OwnedBy(ctx, "acme", id, time.Time{}, "", 1)
		refused("OwnedBy", err)
		_, err = s.Agents.OwnedBy(ctx, "acme", "0xowner", epoch, id, 1)
		refused("OwnedBy after an ID", err)
		_, err = s.Agents.Followed(ctx, newFollowed("spot", "base", id+" "), 1)
		refused("Followed", err)
		_, err = s.Agents.Following(ctx, newFollowed("spot", "base", id), store.AgentKey{}, 1)
		refused("Following", err)
		_, err = s.Agents.Following(ctx, leader, store.AgentKey{Partner: "acme", ID: id}, 1)
		refused("Following after an ID", err)
	}
	for what, spoil := range map[string]func(*store.Agent){
		"no data": func(a *store.Agent) { a.Data = nil }, "too much data": func(a *store.Agent) { a.Data = make([]byte, store.MaximumAgent+1) },
		"no creation": func(a *store.Agent) { a.CreatedAt = time.Time{} }, "no change": func(a *store.Agent) { a.ChangedAt = time.Time{} },
		"a due time out of range": func(a *store.Agent) { a.DueAt = time.Date(2201, 1, 1, 0, 0, 0, 0, time.UTC) },
		"version 0":               func(a *store.Agent) { a.Version = -1 },
	} {
		bad := newAgent("acme", "2")
		spoil(&bad)
		try(what, bad)
	}
	try("bad events", newAgent("acme", "2"), newEvent("x", epoch), newEvent("x", epoch))
	later := newAgent("acme", "2")
	later.Version = 2
	refused("Create of version 2", s.Agents.Create(ctx, later))
	_, err := s.Agents.OwnedBy(ctx, "acme", "0xowner", time.Time{}, "1", 1)
	refused("OwnedBy after an ID of no time", err)
	_, err = s.Agents.Due(ctx, time.Time{}, 1)
	refused("Due at no time", err)
	for _, limit := range []int{-1, 0, store.MaximumListed + 1} {
		_, err := s.Agents.OwnedBy(ctx, "acme", "0xowner", time.Time{}, "", limit)
		refused("OwnedBy", err)
		_, err = s.Agents.Followed(ctx, store.FollowedLeader{}, limit)
		refused("Followed", err)
		_, err = s.Agents.Following(ctx, leader, store.AgentKey{}, limit)
		refused("Following", err)
		_, err = s.Agents.Due(ctx, epoch, limit)
		refused("Due", err)
	}
	wantAgent(t, s, agent)
	_, err = s.Agents.Agent(ctx, store.AgentKey{Partner: "acme", ID: "2"})
	wantError(t, "an agent that was refused", err, store.ErrNotFound)

	// Memory is not shared.
	mine := newAgent("acme", "3")
	mustDo(t, s.Agents.Create(ctx, mine))
	kept := bytes.Clone(mine.Data)
	mine.Data[0] = '!'
	got := must[store.Agent](t)(s.Agents.Agent(ctx, mine.AgentKey))
	got.Data[0] = '?'
	mine.Data = kept
	wantAgent(t, s, mine)
}
