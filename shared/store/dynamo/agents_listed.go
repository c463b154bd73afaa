package dynamo

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// firstText and lastText: every sort key of a list lies between these. The second is longer than an ID, of which '~' is the last
// character.
var (
	firstText = "!"
	lastText  = strings.Repeat("~", 256)
)

func (a agents) OwnedBy(ctx context.Context, partner, owner string, before time.Time, beforeID string, limit int) ([]store.Agent, error) {
	if err := errors.Join(ctx.Err(), store.CheckOwned(partner, owner, before, beforeID, limit)); err != nil {
		return nil, err
	}
	after := ownedKey(partner, owner, before, beforeID)
	from := list{partition: after.partition, first: firstText, last: lastText, descending: true}
	if beforeID != "" {
		from.after = after.sort
	}
	return a.list(ctx, from, limit, func(reference, agentRow) bool { return true })
}

func (a agents) Following(ctx context.Context, leader store.FollowedLeader, after store.AgentKey, limit int) ([]store.Agent, error) {
	if err := errors.Join(ctx.Err(), store.CheckFollowing(leader, after, limit)); err != nil {
		return nil, err
	}
	last := followerKey(leader, after)
	from := list{partition: last.partition, first: firstText, last: lastText}
	if after != (store.AgentKey{}) {
		from.after = last.sort
	}
	return a.list(ctx, from, limit, func(_ reference, row agentRow) bool { return row.Following })
}

func (a agents) Due(ctx context.Context, at time.Time, limit int) ([]store.Agent, error) {
	if err := errors.Join(ctx.Err(), store.CheckDueAgents(at, limit)); err != nil {
		return nil, err
	}
	from := list{partition: agentDueKey(at, store.AgentKey{}).partition, first: firstText, last: sortableTime(at) + "$"} // '$' follows '#'
	return a.list(ctx, from, limit, func(listed reference, row agentRow) bool {
		return !row.DueAt.IsZero() && agentDueKey(row.DueAt, row.agent().AgentKey).sort == listed.Sort
	})
}

func (a agents) list(ctx context.Context, from list, limit int, keep func(reference, agentRow) bool) ([]store.Agent, error) {
	rows, _, err := listRows(ctx, a.Store, from, limit, agentRow.key, keep)
	if err != nil {
		return nil, fmt.Errorf("list agents of %s: %w", from.partition, err)
	}
	listed := make([]store.Agent, 0, len(rows))
	for _, row := range rows {
		listed = append(listed, row.agent())
	}
	return listed, nil
}

func (a agents) Followed(ctx context.Context, after store.FollowedLeader, limit int) ([]store.FollowedLeader, error) {
	if err := errors.Join(ctx.Err(), store.CheckFollowed(after, limit)); err != nil {
		return nil, err
	}
	last := followedKey(after)
	query := a.records.Get(partitionKey, last.partition)
	if after != (store.FollowedLeader{}) {
		query = query.Range(sortKey, dynamo.Greater, last.sort)
	}
	var rows []followedRow
	if err := query.Limit(limit).Consistent(true).All(ctx, &rows); err != nil {
		return nil, fmt.Errorf("list followed leaders: %w", err)
	}
	listed := make([]store.FollowedLeader, 0, len(rows))
	for _, row := range rows {
		listed = append(listed, store.FollowedLeader{Group: store.Group{Kind: row.Kind, Place: row.Place}, Leader: row.Leader})
	}
	return listed, nil
}
