package dynamo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Agents returns the agents of the tables.
func (s *Store) Agents() store.Agents { return agents{s} }

type agents struct{ *Store }

type agentRow struct {
	Partition string    `dynamo:"pk"`
	Sort      string    `dynamo:"sk"`
	Partner   string    `dynamo:"partner"`
	ID        string    `dynamo:"id"`
	Owner     string    `dynamo:"owner"`
	Kind      string    `dynamo:"kind"`
	Place     string    `dynamo:"place"`
	Leader    string    `dynamo:"leader"`
	Status    string    `dynamo:"status"`
	Following bool      `dynamo:"following"`
	DueAt     time.Time `dynamo:"dueAt,omitempty"`
	Version   int64     `dynamo:"version"`
	CreatedAt time.Time `dynamo:"createdAt"`
	ChangedAt time.Time `dynamo:"changedAt"`
	Data      []byte    `dynamo:"data"`
}

func agentRowOf(a store.Agent) agentRow {
	key := agentKey(a.AgentKey)
	return agentRow{
		Partition: key.partition, Sort: key.sort, Partner: a.Partner, ID: a.ID, Owner: a.Owner,
		Kind: a.Group.Kind, Place: a.Group.Place, Leader: a.Leader,
		Status: a.Status, Following: a.Following, DueAt: a.DueAt.UTC(), Version: a.Version,
		CreatedAt: a.CreatedAt.UTC(), ChangedAt: a.ChangedAt.UTC(), Data: a.Data,
	}
}

func (r agentRow) agent() store.Agent {
	return store.Agent{
		AgentKey: store.AgentKey{Partner: r.Partner, ID: r.ID}, Owner: r.Owner,
		FollowedLeader: store.FollowedLeader{Group: store.Group{Kind: r.Kind, Place: r.Place}, Leader: r.Leader},
		Status:         r.Status, Following: r.Following, DueAt: r.DueAt, Version: r.Version,
		CreatedAt: r.CreatedAt, ChangedAt: r.ChangedAt, Data: r.Data,
	}
}

func (r agentRow) key() rowKey { return rowKey{r.Partition, r.Sort} }

func agentPartition(agent store.AgentKey) string { return "AGENT#" + agent.Partner + "#" + agent.ID }

func agentKey(agent store.AgentKey) rowKey { return rowKey{agentPartition(agent), "AGENT"} }

// spaced is an agent's name with a space, which sorts before whatever else the names hold: in the order of the partner, then of the ID.
func spaced(agent store.AgentKey) string { return agent.Partner + " " + agent.ID }

func ownedKey(partner, owner string, createdAt time.Time, id string) rowKey {
	return rowKey{"AGENTS#" + partner + "#" + owner, sortableTime(createdAt) + "#" + id}
}

func followedKey(leader store.FollowedLeader) rowKey {
	return rowKey{"FOLLOWED", leader.Group.Kind + " " + leader.Group.Place + " " + leader.Leader}
}

func followerKey(leader store.FollowedLeader, agent store.AgentKey) rowKey {
	return rowKey{"FOLLOWERS#" + leader.Group.Kind + "#" + leader.Group.Place + "#" + leader.Leader, spaced(agent)}
}

func agentDueKey(at time.Time, agent store.AgentKey) rowKey {
	return rowKey{"AGENTSDUE", sortableTime(at) + "#" + spaced(agent)}
}

func (s *Store) putReference(tx *dynamo.WriteTx, to, from rowKey) {
	tx.Put(s.records.Put(referTo(to, from)))
}

func (s *Store) deleteRow(tx *dynamo.WriteTx, key rowKey) {
	tx.Delete(s.records.Delete(partitionKey, key.partition).Range(sortKey, key.sort))
}

type followedRow struct {
	Partition string `dynamo:"pk"`
	Sort      string `dynamo:"sk"`
	Kind      string `dynamo:"kind"`
	Place     string `dynamo:"place"`
	Leader    string `dynamo:"leader"`
}

// Create says that the leader is followed before anything else, in a write of its own: in the transaction, the many agents of one leader
// that are created at once would all wait for that row.
func (a agents) Create(ctx context.Context, agent store.Agent, events ...store.Event) error {
	if err := errors.Join(ctx.Err(), store.CheckCreate(agent, events)); err != nil {
		return err
	}
	key, taken := agentKey(agent.AgentKey), fmt.Errorf("agent %s of %s: %w", agent.ID, agent.Partner, store.ErrConflict)
	if _, err := a.Agent(ctx, agent.AgentKey); !errors.Is(err, store.ErrNotFound) {
		if err == nil {
			err = taken
		}
		return err
	}
	followed := followedKey(agent.FollowedLeader)
	err := retryConflicts(ctx, func() error {
		return a.records.Put(followedRow{
			Partition: followed.partition, Sort: followed.sort, Kind: agent.Group.Kind, Place: agent.Group.Place, Leader: agent.Leader,
		}).Run(ctx)
	})
	if err == nil {
		err = a.say(ctx, events, func(tx *dynamo.WriteTx) {
			tx.Put(a.records.Put(agentRowOf(agent)).If(notThere))
			a.putReference(tx, key, ownedKey(agent.Partner, agent.Owner, agent.CreatedAt, agent.ID))
			if !agent.DueAt.IsZero() {
				a.putReference(tx, key, agentDueKey(agent.DueAt, agent.AgentKey))
			}
			if agent.Following {
				a.putReference(tx, key, followerKey(agent.FollowedLeader, agent.AgentKey))
			}
		})
	}
	switch {
	case failedCondition(err) >= 0:
		return taken
	case err != nil:
		return fmt.Errorf("create agent %s of %s: %w", agent.ID, agent.Partner, err)
	}
	return nil
}

func (a agents) Agent(ctx context.Context, key store.AgentKey) (store.Agent, error) {
	if err := errors.Join(ctx.Err(), key.Validate()); err != nil {
		return store.Agent{}, err
	}
	var row agentRow
	err := get(a.records, agentKey(key)).One(ctx, &row)
	switch {
	case errors.Is(err, dynamo.ErrNotFound):
		return store.Agent{}, fmt.Errorf("agent %s of %s: %w", key.ID, key.Partner, store.ErrNotFound)
	case err != nil:
		return store.Agent{}, fmt.Errorf("read agent %s of %s: %w", key.ID, key.Partner, err)
	}
	return row.agent(), nil
}

// Change moves an agent in its lists by what it was before, which its version vouches for.
func (a agents) Change(ctx context.Context, agent store.Agent, events ...store.Event) error {
	if err := errors.Join(ctx.Err(), store.CheckChange(agent, events)); err != nil {
		return err
	}
	changed := fmt.Errorf("version %d of agent %s of %s: %w", agent.Version, agent.ID, agent.Partner, store.ErrConflict)
	before, err := a.Agent(ctx, agent.AgentKey)
	switch {
	case err != nil:
		return err
	case before.Version != agent.Version-1:
		return changed
	}
	if err := agent.CheckReplaced(before); err != nil {
		return err
	}
	key := agentKey(agent.AgentKey)
	err = a.say(ctx, events, func(tx *dynamo.WriteTx) {
		tx.Put(a.records.Put(agentRowOf(agent)).If("version = ?", before.Version))
		if !agent.DueAt.Equal(before.DueAt) {
			if !before.DueAt.IsZero() {
				a.deleteRow(tx, agentDueKey(before.DueAt, agent.AgentKey))
			}
			if !agent.DueAt.IsZero() {
				a.putReference(tx, key, agentDueKey(agent.DueAt, agent.AgentKey))
			}
		}
		follower := followerKey(agent.FollowedLeader, agent.AgentKey)
		switch {
		case before.Following && !agent.Following:
			a.deleteRow(tx, follower)
		case agent.Following && !before.Following:
			a.putReference(tx, key, follower)
		}
	})
	switch {
	case failedCondition(err) >= 0:
		return changed
	case err != nil:
		return fmt.Errorf("change agent %s of %s: %w", agent.ID, agent.Partner, err)
	}
	return nil
}
