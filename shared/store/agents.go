package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// MaximumAgent is the largest Data of an agent, in bytes.
	MaximumAgent = 32 << 10
	// MaximumLimitMicroUSD is the highest limit of an agent: a million million dollars.
	MaximumLimitMicroUSD = 1_000_000_000_000 * 1_000_000
)

// AgentKey names an agent of a partner.
type AgentKey struct{ Partner, ID string }

// Validate reports ErrInvalid if a part of the name cannot be a part of a key.
func (k AgentKey) Validate() error {
	return errors.Join(CheckID("partner", k.Partner), CheckID("agent", k.ID))
}

// FollowedLeader names a leader that agents follow.
type FollowedLeader struct {
	Group  Group
	Leader string
}

// Validate reports ErrInvalid if a part of the name cannot be a part of a key.
func (l FollowedLeader) Validate() error {
	return errors.Join(l.Group.Validate(), CheckID("leader", l.Leader))
}

// Agent mirrors a leader's trades for a wallet. Key, Owner, Followed and CreatedAt never change.
type Agent struct {
	AgentKey
	// Owner is the wallet that it belongs to.
	Owner string
	FollowedLeader
	// Status is a word. Following says that the leader's trades concern the agent.
	Status    string
	Following bool
	// DueAt is when it must be looked at although nothing happens to it; zero for never.
	DueAt time.Time
	// Version counts what was written of it, from 1.
	Version              int64
	CreatedAt, ChangedAt time.Time
	Data                 []byte
}

// Validate reports ErrInvalid if the agent cannot be kept.
func (a Agent) Validate() error {
	if err := errors.Join(a.AgentKey.Validate(), CheckID("owner", a.Owner), a.FollowedLeader.Validate(), CheckID("status", a.Status),
		CheckTime("the time of an agent's creation", a.CreatedAt), CheckTime("the time of an agent's change", a.ChangedAt),
		checkData("an agent", a.Data, MaximumAgent)); err != nil {
		return err
	}
	if a.Version < 1 {
		return fmt.Errorf("%w: version %d of an agent, want 1 or more", ErrInvalid, a.Version)
	}
	if !a.DueAt.IsZero() {
		return CheckTime("when an agent is due", a.DueAt)
	}
	return nil
}

// CheckChange reports ErrInvalid unless an agent can be written with these events.
func CheckChange(agent Agent, events []Event) error {
	return errors.Join(agent.Validate(), CheckEvents(events))
}

// CheckCreate reports ErrInvalid unless an agent can be created with these events.
func CheckCreate(agent Agent, events []Event) error {
	if agent.Version != 1 {
		return fmt.Errorf("%w: a new agent of version %d, want 1", ErrInvalid, agent.Version)
	}
	return CheckChange(agent, events)
}

// CheckReplaced reports ErrInvalid unless the agent can replace one: what never changes is the same.
func (a Agent) CheckReplaced(before Agent) error {
	if a.AgentKey != before.AgentKey || a.Owner != before.Owner || a.FollowedLeader != before.FollowedLeader ||
		!a.CreatedAt.Equal(before.CreatedAt) {
		return fmt.Errorf("%w: the owner, the leader or the creation of agent %s would change", ErrInvalid, a.ID)
	}
	return nil
}

// CheckFollowed reports ErrInvalid unless these can be arguments of Agents.Followed.
func CheckFollowed(after FollowedLeader, limit int) error {
	if after == (FollowedLeader{}) {
		return CheckListed(limit)
	}
	return errors.Join(after.Validate(), CheckListed(limit))
}

// CheckFollowing reports ErrInvalid unless these can be arguments of Agents.Following.
func CheckFollowing(leader FollowedLeader, after AgentKey, limit int) error {
	err := errors.Join(leader.Validate(), CheckListed(limit))
	if after == (AgentKey{}) {
		return err
	}
	return errors.Join(err, after.Validate())
}

// CheckDueAgents reports ErrInvalid unless these can be arguments of Agents.Due.
func CheckDueAgents(at time.Time, limit int) error {
	return errors.Join(CheckTime("when agents are due", at), CheckListed(limit))
}

// CheckOwned reports ErrInvalid unless these can be arguments of Agents.OwnedBy.
func CheckOwned(partner, owner string, before time.Time, beforeID string, limit int) error {
	err := errors.Join(CheckID("partner", partner), CheckID("owner", owner), CheckListed(limit))
	if before.IsZero() && beforeID == "" {
		return err
	}
	return errors.Join(err, CheckTime("the time of an agent's creation", before), CheckID("agent", beforeID))
}

// Agents keeps agents. Every write also says its events (CheckEvents) in the same step.
type Agents interface {
	// Create adds an agent of version 1. ErrConflict: the partner has one of that ID.
	Create(ctx context.Context, agent Agent, events ...Event) error
	// Agent returns one. ErrNotFound: there is none.
	Agent(ctx context.Context, key AgentKey) (Agent, error)
	// Change replaces an agent whose version is one lower. ErrNotFound: there is none. ErrConflict: its version is another. ErrInvalid:
	// what never changes would. Nothing is changed then, and no event is said.
	Change(ctx context.Context, agent Agent, events ...Event) error
	// OwnedBy lists at most limit (1 to MaximumListed) agents of a partner's wallet, the newest first and by ID where two are as new
	// (the greater first), that come after the one created at before with the ID beforeID (both zero for the first).
	OwnedBy(ctx context.Context, partner, owner string, before time.Time, beforeID string, limit int) ([]Agent, error)
	// Followed lists at most limit (1 to MaximumListed) leaders that an agent follows or once followed, in the order of kind, place and
	// address, after one (the zero value for the first).
	Followed(ctx context.Context, after FollowedLeader, limit int) ([]FollowedLeader, error)
	// Following lists at most limit (1 to MaximumListed) agents that follow a leader, in the order of partner and ID, after one (the zero
	// value for the first).
	Following(ctx context.Context, leader FollowedLeader, after AgentKey, limit int) ([]Agent, error)
	// Due lists at most limit (1 to MaximumListed) agents whose DueAt is at or before a time, the earliest first, and by partner and ID
	// then. Those that are due longest are dealt with by changing their DueAt.
	Due(ctx context.Context, at time.Time, limit int) ([]Agent, error)
}
