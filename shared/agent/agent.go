package agent

import (
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/mirrorworthy/mirrorworthy/shared/activation"
	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Venue is where an agent trades.
type Venue string

// The venues.
const (
	Spot       Venue = "dexvenue-spot"
	Perps      Venue = "perpvenue-perps"
	Prediction Venue = "predictvenue-markets"
)

// Venues lists them in the order answers name them.
func Venues() []Venue { return []Venue{Spot, Perps, Prediction} }

// Mode is what happens to an agent's orders.
type Mode string

// The modes.
const (
	// Paper fills orders at the market's price with the venue's costs, and moves no money.
	Paper Mode = "paper"
	// Live sends them to the venue.
	Live Mode = "live"
)

// Status is the state of an agent.
type Status string

// The states.
const (
	PendingActivation Status = "pending_activation"
	Active            Status = "active"
	Paused            Status = "paused"
	Expired           Status = "expired"
	Stopped           Status = "stopped"
)

// Agent mirrors a leader's trades for a wallet. What it has open is in its book.
type Agent struct {
	Partner, ID string
	// Owner is the wallet that it belongs to; SmartAccount is the account that trades at the venue.
	Owner, SmartAccount chain.Address
	Venue               Venue
	// Chain is where it trades; nil on perpetuals, which are on no chain of ours.
	Chain  *chain.Chain
	Leader chain.Address
	Mode   Mode
	Status Status
	Risk   RiskConfig
	// Activation is how far the owner's signatures are.
	Activation activation.Progress
	// ActivatedAt is when it was activated last, zero before; the leader's trades before are not mirrored.
	ActivatedAt time.Time
	// CredentialsExpireAt is when its credentials lapse; zero before it was activated.
	CredentialsExpireAt time.Time
	// Warned is how close to that the owner was warned last; zero for not yet.
	Warned time.Duration
	// LastRequest is the token of the request that changed it last, so that one that is repeated after a crash is known again.
	LastRequest          string
	CreatedAt, ChangedAt time.Time
	// Version counts its changes from 1.
	Version int64
}

// kept is what is kept of an agent besides its names and times.
type kept struct {
	SmartAccount        chain.Address       `json:"smartAccount"`
	Venue               Venue               `json:"venue"`
	Chain               chain.Slug          `json:"chain,omitzero"`
	Mode                Mode                `json:"mode"`
	Risk                RiskConfig          `json:"risk"`
	Activation          activation.Progress `json:"activation"`
	ActivatedAt         time.Time           `json:"activatedAt,omitzero"`
	CredentialsExpireAt time.Time           `json:"credentialsExpireAt,omitzero"`
	WarnedHours         int                 `json:"warnedHours,omitzero"`
	LastRequest         string              `json:"lastRequest,omitzero"`
}

// Key names the agent.
func (a *Agent) Key() store.AgentKey { return store.AgentKey{Partner: a.Partner, ID: a.ID} }

// Followed names the leader as the boards do.
func (a *Agent) Followed() store.FollowedLeader {
	return store.FollowedLeader{Group: GroupOf(a.Venue, a.Chain), Leader: a.Leader.String()}
}

// GroupOf is the group that the boards grade a venue's leaders in.
func GroupOf(venue Venue, on *chain.Chain) store.Group {
	switch venue {
	case Perps:
		return store.Group{Kind: "perp", Place: "perpvenue"}
	case Prediction:
		return store.Group{Kind: "prediction", Place: "predictvenue"}
	default:
		return store.Group{Kind: "spot", Place: string(on.Slug)}
	}
}

// Follows tells whether the leader's trades concern the agent: active agents copy them, paused ones still mirror closes.
func (a *Agent) Follows() bool { return a.Status == Active || a.Status == Paused }

// Record is the agent as it is kept.
func (a *Agent) Record() (store.Agent, error) {
	k := kept{
		SmartAccount: a.SmartAccount, Venue: a.Venue, Mode: a.Mode, Risk: a.Risk, Activation: a.Activation,
		ActivatedAt: a.ActivatedAt, CredentialsExpireAt: a.CredentialsExpireAt, WarnedHours: int(a.Warned / time.Hour), LastRequest: a.LastRequest,
	}
	if a.Chain != nil {
		k.Chain = a.Chain.Slug
	}
	data, err := json.Marshal(k)
	if err != nil {
		return store.Agent{}, fmt.Errorf("keep agent %s: %w", a.ID, err)
	}
	return store.Agent{
		AgentKey: a.Key(), Owner: a.Owner.String(), FollowedLeader: a.Followed(), Status: string(a.Status), Following: a.Follows(),
		DueAt: a.dueAt(), Version: a.Version, CreatedAt: a.CreatedAt, ChangedAt: a.ChangedAt, Data: data,
	}, nil
}

// Read is the agent that is kept in a record.
func Read(record store.Agent) (*Agent, error) {
	var k kept
	if err := json.Unmarshal(record.Data, &k); err != nil {
		return nil, fmt.Errorf("read agent %s: %w", record.ID, err)
	}
	owner, err := chain.ParseAddress(record.Owner)
	if err != nil {
		return nil, fmt.Errorf("read agent %s: %w", record.ID, err)
	}
	leader, err := chain.ParseAddress(record.Leader)
	if err != nil {
		return nil, fmt.Errorf("read agent %s: %w", record.ID, err)
	}
	var on *chain.Chain
	if k.Chain != "" {
		parsed, known := chain.Parse(string(k.Chain))
		if on = parsed; !known {
			return nil, fmt.Errorf("read agent %s: chain %q", record.ID, k.Chain)
		}
	}
	if !slices.Contains(Venues(), k.Venue) || k.Venue == Spot && on == nil {
		return nil, fmt.Errorf("read agent %s: venue %q on chain %q", record.ID, k.Venue, k.Chain)
	}
	return &Agent{
		Partner: record.Partner, ID: record.ID, Owner: owner, SmartAccount: k.SmartAccount, Venue: k.Venue, Chain: on, Leader: leader,
		Mode: k.Mode, Status: Status(record.Status), Risk: k.Risk, Activation: k.Activation, ActivatedAt: k.ActivatedAt,
		CredentialsExpireAt: k.CredentialsExpireAt, Warned: time.Duration(k.WarnedHours) * time.Hour, LastRequest: k.LastRequest,
		CreatedAt: record.CreatedAt, ChangedAt: record.ChangedAt, Version: record.Version,
	}, nil
}
