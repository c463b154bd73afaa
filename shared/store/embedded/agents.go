package embedded

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Agents returns the agents of the file.
func (s *Store) Agents() store.Agents { return agents{s} }

type agents struct{ store *Store }

type agentRow struct {
	Partner   string    `json:"partner"`
	ID        string    `json:"id"`
	Owner     string    `json:"owner"`
	Kind      string    `json:"kind"`
	Place     string    `json:"place"`
	Leader    string    `json:"leader"`
	Status    string    `json:"status"`
	Following bool      `json:"following"`
	DueAt     time.Time `json:"dueAt,omitzero"`
	Version   int64     `json:"version"`
	CreatedAt time.Time `json:"createdAt"`
	ChangedAt time.Time `json:"changedAt"`
	Data      []byte    `json:"data"`
}

func agentRowOf(a store.Agent) agentRow {
	return agentRow{
		Partner: a.Partner, ID: a.ID, Owner: a.Owner, Kind: a.Group.Kind, Place: a.Group.Place, Leader: a.Leader,
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

func agentKey(key store.AgentKey) []byte { return joinKey(key.Partner, key.ID) }

// spaced is an agent's name with a space, which sorts before whatever else the names hold: in the order of the partner, then of the ID.
func spaced(key store.AgentKey) string { return key.Partner + " " + key.ID }

func ownedPrefix(partner, owner string) []byte { return joinKey(partner, owner+"#") }

func ownedKey(partner, owner string, createdAt time.Time, id string) []byte {
	return append(ownedPrefix(partner, owner), timedKey(createdAt, []byte(id))...)
}

func followedKey(leader store.FollowedLeader) []byte {
	return []byte(leader.Group.Kind + " " + leader.Group.Place + " " + leader.Leader)
}

func leaderOfKey(leader store.FollowedLeader) []byte { return leaderKey(leader.Group, leader.Leader) }

func followersPrefix(leader store.FollowedLeader) []byte { return append(leaderOfKey(leader), '#') }

func followerKey(leader store.FollowedLeader, agent store.AgentKey) []byte {
	return append(followersPrefix(leader), spaced(agent)...)
}

func agentDueKey(at time.Time, agent store.AgentKey) []byte {
	return timedKey(at, []byte(spaced(agent)))
}

func (a agents) Create(ctx context.Context, agent store.Agent, events ...store.Event) error {
	if err := store.CheckCreate(agent, events); err != nil {
		return err
	}
	return a.store.decide(ctx, func(tx *bbolt.Tx) (refusal, err error) {
		if tx.Bucket(bucketAgents).Get(agentKey(agent.AgentKey)) != nil {
			return fmt.Errorf("agent %s of %s: %w", agent.ID, agent.Partner, store.ErrConflict), nil
		}
		return nil, errors.Join(
			tx.Bucket(bucketAgentsOf).Put(ownedKey(agent.Partner, agent.Owner, agent.CreatedAt, agent.ID), nil),
			tx.Bucket(bucketFollowed).Put(followedKey(agent.FollowedLeader), nil),
			writeAgent(tx, agent), say(tx, events))
	})
}

func (a agents) Agent(ctx context.Context, key store.AgentKey) (store.Agent, error) {
	if err := key.Validate(); err != nil {
		return store.Agent{}, err
	}
	var agent store.Agent
	err := a.store.read(ctx, func(tx *bbolt.Tx) (err error) {
		agent, err = readAgent(tx, agentKey(key))
		return err
	})
	return agent, err
}

func (a agents) Change(ctx context.Context, agent store.Agent, events ...store.Event) error {
	if err := store.CheckChange(agent, events); err != nil {
		return err
	}
	return a.store.decide(ctx, func(tx *bbolt.Tx) (refusal, err error) {
		before, err := readAgent(tx, agentKey(agent.AgentKey))
		switch {
		case errors.Is(err, store.ErrNotFound):
			return err, nil
		case err != nil:
			return nil, err
		case before.Version != agent.Version-1:
			return fmt.Errorf("version %d of agent %s of %s after %d: %w", agent.Version, agent.ID, agent.Partner, before.Version, store.ErrConflict), nil
		}
		if err := agent.CheckReplaced(before); err != nil {
			return err, nil
		}
		if !before.DueAt.IsZero() {
			if err := tx.Bucket(bucketAgentsDue).Delete(agentDueKey(before.DueAt, agent.AgentKey)); err != nil {
				return nil, err
			}
		}
		if before.Following && !agent.Following {
			if err := tx.Bucket(bucketFollowers).Delete(followerKey(agent.FollowedLeader, agent.AgentKey)); err != nil {
				return nil, err
			}
		}
		return nil, errors.Join(writeAgent(tx, agent), say(tx, events))
	})
}

// writeAgent writes an agent's row, and where it is found while it is due and while it follows.
func writeAgent(tx *bbolt.Tx, agent store.Agent) error {
	key := agentKey(agent.AgentKey)
	if !agent.DueAt.IsZero() {
		if err := tx.Bucket(bucketAgentsDue).Put(agentDueKey(agent.DueAt, agent.AgentKey), key); err != nil {
			return err
		}
	}
	if agent.Following {
		if err := tx.Bucket(bucketFollowers).Put(followerKey(agent.FollowedLeader, agent.AgentKey), key); err != nil {
			return err
		}
	}
	return writeRow(tx.Bucket(bucketAgents), "agent", key, agentRowOf(agent))
}

func readAgent(tx *bbolt.Tx, key []byte) (store.Agent, error) {
	var row agentRow
	found, err := readRow(tx.Bucket(bucketAgents), "agent", key, &row)
	if err == nil && !found {
		err = fmt.Errorf("agent %s: %w", key, store.ErrNotFound)
	}
	if err != nil {
		return store.Agent{}, err
	}
	return row.agent(), nil
}
