package conformance

import (
	"cmp"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// ownTime is a time before all that were given before: what is due then is one check's alone.
func ownTime() time.Time { return epoch.Add(-time.Duration(serial.Add(1)) * time.Hour) }

// checkAgentModel compares random calls with a map.
func checkAgentModel(t *testing.T, s Stores) {
	ctx := t.Context()
	rapid.Check(t, func(t *rapid.T) {
		base, kind, partners := ownTime(), unique("kind"), []string{unique("p"), unique("p-b")}
		agents := map[store.AgentKey]store.Agent{}
		keys := rapid.Custom(func(t *rapid.T) store.AgentKey {
			return store.AgentKey{Partner: rapid.SampledFrom(partners).Draw(t, "partner"), ID: rapid.SampledFrom([]string{"a", "a!", "aa"}).Draw(t, "id")}
		})
		written := func(t *rapid.T, agent store.Agent) store.Agent {
			agent.Status = rapid.SampledFrom([]string{"active", "paused"}).Draw(t, "status")
			agent.Following = rapid.Bool().Draw(t, "following")
			agent.DueAt = map[bool]time.Time{true: base.Add(time.Duration(rapid.IntRange(0, 3).Draw(t, "due")))}[rapid.Bool().Draw(t, "is due")]
			agent.ChangedAt = base.Add(time.Duration(rapid.IntRange(0, 9).Draw(t, "changed")))
			agent.Data = rapid.SliceOfN(rapid.Byte(), 1, 4).Draw(t, "data")
			return agent
		}
		for range rapid.IntRange(1, 6).Draw(t, "calls") {
			key := keys.Draw(t, "key")
			kept, found := agents[key]
			if rapid.Bool().Draw(t, "create") {
				agent := written(t, newAgent(key.Partner, key.ID))
				agent.FollowedLeader = newFollowed(kind, "base", rapid.SampledFrom([]string{"l", "l!"}).Draw(t, "leader"))
				agent.Owner = rapid.SampledFrom([]string{"o", "o!"}).Draw(t, "owner")
				agent.CreatedAt = base.Add(time.Duration(rapid.IntRange(0, 2).Draw(t, "created")))
				err := s.Agents.Create(ctx, agent)
				if found {
					wantError(t, "Create", err, store.ErrConflict)
					continue
				}
				mustDo(t, err)
				agents[key] = agent
				continue
			}
			agent := written(t, kept)
			if !found {
				agent = written(t, newAgent(key.Partner, key.ID))
			}
			agent.Version = max(1, kept.Version+rapid.SampledFrom([]int64{1, 1, 1, 0, 2}).Draw(t, "version"))
			switch err := s.Agents.Change(ctx, agent); {
			case !found:
				wantError(t, "Change", err, store.ErrNotFound)
			case agent.Version != kept.Version+1:
				wantError(t, "Change", err, store.ErrConflict)
			default:
				mustDo(t, err)
				agents[key] = agent
			}
		}

		limit := rapid.IntRange(1, 3).Draw(t, "limit")
		all := slices.Collect(maps.Values(agents))
		selected := func(order func(a, b store.Agent) int, is func(store.Agent) bool) []store.Agent {
			chosen := slices.DeleteFunc(slices.Clone(all), func(a store.Agent) bool { return !is(a) })
			slices.SortFunc(chosen, order)
			return chosen
		}
		for _, agent := range all {
			wantAgent(t, s, agent)
		}
		slices.SortFunc(all, func(a, b store.Agent) int { return compareKeys(a.AgentKey, b.AgentKey) })
		if len(all) > 0 {
			agent := rapid.SampledFrom(all).Draw(t, "listed")
			wantOwned(t, s, agent.Partner, agent.Owner, limit, selected(newestFirst, func(a store.Agent) bool {
				return a.Partner == agent.Partner && a.Owner == agent.Owner
			})...)
			byKey := func(a, b store.Agent) int { return compareKeys(a.AgentKey, b.AgentKey) }
			wantFollowers(t, s, agent.FollowedLeader, limit, selected(byKey, func(a store.Agent) bool {
				return a.FollowedLeader == agent.FollowedLeader && a.Following
			})...)
		}
		at := base.Add(time.Duration(rapid.IntRange(-1, 4).Draw(t, "at")))
		due := selected(func(a, b store.Agent) int {
			return cmp.Or(a.DueAt.Compare(b.DueAt), compareKeys(a.AgentKey, b.AgentKey))
		},
			func(a store.Agent) bool { return !a.DueAt.IsZero() && !a.DueAt.After(at) })
		got, err := s.Agents.Due(ctx, at, limit)
		wantAgents(t, "Due", got, err, due[:min(limit, len(due))]...)
	})
}

// checkExecutionModel compares random entries into one book with maps, and never finds more exposed than may be.
func checkExecutionModel(t *testing.T, s Stores) {
	ctx := t.Context()
	rapid.Check(t, func(t *rapid.T) {
		agent := store.AgentKey{Partner: unique("model"), ID: "1"}
		book, executions := store.Book{Agent: agent}, map[string]store.Execution{}
		for range rapid.IntRange(1, 6).Draw(t, "calls") {
			next := store.Book{
				Agent: agent, Version: max(1, book.Version+rapid.SampledFrom([]int64{1, 1, 1, 1, 0, 2}).Draw(t, "version")),
				ExposureMicroUSD: rapid.Int64Range(0, 6).Draw(t, "exposure"), LimitMicroUSD: rapid.Int64Range(0, 6).Draw(t, "limit"),
				Data: rapid.SliceOfN(rapid.Byte(), 1, 4).Draw(t, "data"),
			}
			refusal := error(nil)
			if next.Version != book.Version+1 || next.ExposureMicroUSD > max(next.LimitMicroUSD, book.ExposureMicroUSD) {
				refusal = store.ErrConflict
			}
			var entered []store.Execution
			for _, id := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "a!", "b", "c"}), 1, 3, rapid.ID[string]).Draw(t, "ids") {
				kept := executions[id]
				execution := newExecution(agent, id, kept.At, rapid.SampledFrom([]string{"planned", "filled"}).Draw(t, "status"), 0)
				execution.Version = max(1, kept.Version+rapid.SampledFrom([]int64{1, 1, 1, 1, 1, 0, 2}).Draw(t, "execution's version"))
				if kept.Version == 0 || rapid.IntRange(0, 9).Draw(t, "at another time") == 0 {
					execution.At = epoch.Add(time.Duration(rapid.IntRange(0, 2).Draw(t, "at")))
				}
				entered = append(entered, execution)
				switch {
				case refusal != nil:
				case execution.Version != kept.Version+1:
					refusal = store.ErrConflict
				case kept.Version > 0 && !execution.At.Equal(kept.At):
					refusal = store.ErrInvalid
				}
			}
			err := s.Executions.Enter(ctx, next, entered)
			if refusal != nil {
				wantError(t, "Enter", err, refusal)
				continue
			}
			mustDo(t, err)
			book = next
			for _, execution := range entered {
				executions[execution.ID] = execution
			}
		}
		wantBook(t, s, book)
		wantExecutions(t, s, agent, rapid.IntRange(2, 3).Draw(t, "limit"), slices.Collect(maps.Values(executions))...)
	})
}

// checkOutboxModel compares random calls on a few deliveries with a map.
func checkOutboxModel(t *testing.T, s Stores) {
	ctx := t.Context()
	type name struct{ id, partner string }
	rapid.Check(t, func(t *rapid.T) {
		base, prefix := ownTime(), unique("d")
		partners := []string{unique("p"), ""}
		say := sayer(t, s)
		due, parked := map[name]store.Delivery{}, map[name]store.Delivery{}
		for range rapid.IntRange(1, 8).Draw(t, "calls") {
			of := name{prefix + rapid.SampledFrom([]string{"", "!"}).Draw(t, "id"), rapid.SampledFrom(partners).Draw(t, "partner")}
			at := base.Add(time.Duration(rapid.IntRange(0, 4).Draw(t, "at")))
			kept, isDue := due[of]
			_, isParked := parked[of]
			was := kept
			if !isDue || rapid.IntRange(0, 3).Draw(t, "stale") == 0 {
				was = newDelivery(of.partner, of.id, at)
				was.Attempts = rapid.IntRange(0, 2).Draw(t, "attempts")
			}
			switch rapid.SampledFrom([]string{"say", "add", "postpone", "done", "park", "replay"}).Draw(t, "call") {
			case "say":
				event := newEventOf(of.partner, of.id, at)
				event.Data = rapid.SliceOfN(rapid.Byte(), 1, 4).Draw(t, "data")
				mustDo(t, say(event))
				if !isParked {
					due[of] = deliveryOf(event)
				}
			case "add":
				mustDo(t, s.Outbox.Add(ctx, was))
				if !isDue && !isParked {
					due[of] = was
				}
			case "postpone":
				attempts, dueAt := was.Attempts+1, was.DueAt.Add(time.Duration(rapid.IntRange(0, 2).Draw(t, "later")))
				err := s.Outbox.Postpone(ctx, was, attempts, dueAt)
				if !isDue || kept.Attempts != was.Attempts || !kept.DueAt.Equal(was.DueAt) {
					wantError(t, "Postpone", err, store.ErrConflict)
					continue
				}
				mustDo(t, err)
				kept.Attempts, kept.DueAt = attempts, dueAt
				due[of] = kept
			case "done":
				mustDo(t, s.Outbox.Done(ctx, was))
				delete(due, of)
			case "park":
				mustDo(t, s.Outbox.Park(ctx, was))
				if isDue {
					parked[of] = kept
					delete(due, of)
				}
			case "replay":
				err := s.Outbox.Replay(ctx, of.partner, of.id, at)
				if !isParked {
					wantError(t, "Replay", err, store.ErrNotFound)
					continue
				}
				mustDo(t, err)
				replayed := parked[of]
				replayed.Attempts, replayed.DueAt = 0, at
				due[of] = replayed
				delete(parked, of)
			}
		}

		at, limit := base.Add(time.Duration(rapid.IntRange(0, 8).Draw(t, "due at"))), rapid.IntRange(1, 3).Draw(t, "limit")
		for _, partner := range partners {
			shard := store.OutboxShard(partner)
			var want []store.Delivery
			for of, delivery := range due {
				if store.OutboxShard(of.partner) == shard && !delivery.DueAt.After(at) {
					want = append(want, delivery)
				}
			}
			slices.SortFunc(want, func(a, b store.Delivery) int {
				return cmp.Or(a.DueAt.Compare(b.DueAt), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Partner, b.Partner))
			})
			got := must[[]store.Delivery](t)(s.Outbox.Due(ctx, shard, at, limit))
			sameList(t, "Due", sameDelivery, got, want[:min(limit, len(want))]...)
		}
		var want []store.Delivery
		for of, delivery := range parked {
			if of.partner == partners[0] {
				want = append(want, delivery)
			}
		}
		slices.SortFunc(want, func(a, b store.Delivery) int { return cmp.Compare(a.ID, b.ID) })
		wantParked(t, s, partners[0], want...)

	})
}
