package conformance

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

func compareKeys(a, b store.AgentKey) int {
	return cmp.Or(cmp.Compare(a.Partner, b.Partner), cmp.Compare(a.ID, b.ID))
}

func compareFollowed(a, b store.FollowedLeader) int {
	return cmp.Or(cmp.Compare(a.Group.Kind, b.Group.Kind), cmp.Compare(a.Group.Place, b.Group.Place), cmp.Compare(a.Leader, b.Leader))
}

// newestFirst is the order of OwnedBy.
func newestFirst(a, b store.Agent) int {
	return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.ID, a.ID))
}

// wantOwned, wantFollowers and wantFollowed read a list page by page.
func wantOwned(t tester, s Stores, partner, owner string, limit int, want ...store.Agent) {
	t.Helper()
	before, beforeID, all := time.Time{}, "", []store.Agent{}
	for {
		page := must[[]store.Agent](t)(s.Agents.OwnedBy(t.Context(), partner, owner, before, beforeID, limit))
		if all = append(all, page...); len(page) < limit || len(all) > len(want) {
			break
		}
		before, beforeID = page[limit-1].CreatedAt.In(behind), page[limit-1].ID
	}
	sameList(t, "OwnedBy", sameAgent, all, want...)
}

func wantFollowers(t tester, s Stores, leader store.FollowedLeader, limit int, want ...store.Agent) {
	t.Helper()
	after, all := store.AgentKey{}, []store.Agent{}
	for {
		page := must[[]store.Agent](t)(s.Agents.Following(t.Context(), leader, after, limit))
		if all = append(all, page...); len(page) < limit || len(all) > len(want) {
			break
		}
		after = page[limit-1].AgentKey
	}
	sameList(t, "Following", sameAgent, all, want...)
}

func wantFollowed(t tester, s Stores, after store.FollowedLeader, limit int, want ...store.FollowedLeader) {
	t.Helper()
	all := []store.FollowedLeader{}
	for {
		page := must[[]store.FollowedLeader](t)(s.Agents.Followed(t.Context(), after, limit))
		if all = append(all, page...); len(page) < limit || len(all) > len(want) {
			break
		}
		after = page[limit-1]
	}
	sameList(t, "Followed", same, all, want...)
}

// checkSimilarAgents: partners, agents, owners and leaders whose names begin alike do not see each other, and come in order.
func checkSimilarAgents(t *testing.T, s Stores) {
	ctx := t.Context()
	names := []string{"a", "a!", "a-b", "aa", long}
	var all []store.Agent
	for i, partner := range names {
		for j, id := range names {
			agent := newAgent(partner, id)
			agent.Owner, agent.Leader, agent.Following = names[(i+j)%3], names[(i+2*j)%3], true
			agent.Group = store.Group{Kind: names[j%2], Place: names[i%2]}
			agent.CreatedAt = epoch.Add(time.Duration(j / 2))
			agent.DueAt = epoch.Add(time.Duration((i + j) % 4))
			all = append(all, agent)
		}
	}
	for i := range all {
		mustDo(t, s.Agents.Create(ctx, all[(i*7+3)%len(all)])) // in another order
	}
	for i, agent := range all { // some follow no more, and some are not due any more
		if i%5 == 0 {
			agent = next(agent, "paused", false)
			agent.DueAt = time.Time{}
			mustDo(t, s.Agents.Change(ctx, agent))
			all[i] = agent
		}
		wantAgent(t, s, agent)
	}
	var leaders []store.FollowedLeader
	for _, agent := range all {
		leaders = append(leaders, agent.FollowedLeader)
	}
	slices.SortFunc(leaders, compareFollowed)
	leaders = slices.Compact(leaders)
	slices.SortFunc(all, newestFirst)
	for _, partner := range names {
		for _, owner := range names[:3] {
			var want []store.Agent
			for _, agent := range all {
				if agent.Partner == partner && agent.Owner == owner {
					want = append(want, agent)
				}
			}
			for _, limit := range []int{2, store.MaximumListed} {
				wantOwned(t, s, partner, owner, limit, want...)
			}
		}
	}
	slices.SortFunc(all, func(a, b store.Agent) int { return compareKeys(a.AgentKey, b.AgentKey) })
	for _, leader := range leaders {
		var want []store.Agent
		for _, agent := range all {
			if agent.FollowedLeader == leader && agent.Following {
				want = append(want, agent)
			}
		}
		for _, limit := range []int{2, store.MaximumListed} {
			wantFollowers(t, s, leader, limit, want...)
		}
	}
	for _, limit := range []int{1, 4, store.MaximumListed} {
		wantFollowed(t, s, store.FollowedLeader{}, limit, leaders...)
	}

	// A list goes on after one that is not there, too; a page is as long as it may be.
	for _, after := range []store.FollowedLeader{newFollowed("a", "a", "a!!"), newFollowed("a!", "!", "!"), newFollowed("b", "a", "a")} {
		first, _ := slices.BinarySearchFunc(leaders, after, compareFollowed)
		wantFollowed(t, s, after, 3, leaders[first:]...)
	}
	got, err := s.Agents.OwnedBy(ctx, "a", "nobody", epoch, "1", 1)
	wantAgents(t, "OwnedBy after an agent of nobody", got, err)

	slices.SortFunc(all, func(a, b store.Agent) int {
		return cmp.Or(a.DueAt.Compare(b.DueAt), compareKeys(a.AgentKey, b.AgentKey))
	})
	for at := epoch.Add(-1); at.Before(epoch.Add(5)); at = at.Add(1) {
		var want []store.Agent
		for _, agent := range all {
			if !agent.DueAt.IsZero() && !agent.DueAt.After(at) {
				want = append(want, agent)
			}
		}
		for _, limit := range []int{1, store.MaximumListed} {
			got, err := s.Agents.Due(ctx, at.In(behind), limit)
			wantAgents(t, fmt.Sprint("Due at ", at), got, err, want[:min(limit, len(want))]...)
		}
	}
}
