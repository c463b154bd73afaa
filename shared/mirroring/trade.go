package mirroring

import (
	"crypto/sha256"
	"math"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/agent"
	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/digest"
)

// Leg tells whether a trade adds to a position or takes from one.
type Leg string

// The legs.
const (
	Open  Leg = "open"
	Close Leg = "close"
)

// Side is the direction of the position that a leg belongs to. Spot tokens and outcomes are only ever held long.
type Side string

// The sides.
const (
	Long  Side = "long"
	Short Side = "short"
)

// sign is 1 for long positions and -1 for short ones.
func (s Side) sign() float64 {
	if s == Short {
		return -1
	}
	return 1
}

// sideOf is the side of a signed size.
func sideOf(size float64) Side {
	if size < 0 {
		return Short
	}
	return Long
}

// Asset is what is traded. Within an agent the Key alone tells assets apart.
type Asset struct {
	// Key is a token's address, a contract's coin, or the token of an outcome.
	Key string `json:"key"`
	// Chain is where a token is; empty elsewhere.
	Chain chain.Slug `json:"chain,omitzero"`
	// Market is the condition that an outcome belongs to, in hexadecimal digits, and Outcome its index there, -1 when unknown.
	Market  string `json:"market,omitzero"`
	Outcome int    `json:"outcome,omitzero"`
	// Name is what people may be shown: a symbol or coin that display lets pass.
	Name string `json:"name"`
}

// against tells whether holding one asset is a bet against the other: two outcomes of one market.
func (a Asset) against(b Asset) bool { return a.Market != "" && a.Market == b.Market && a.Key != b.Key }

// LeaderTrade is one leg of what a leader did, as all of its followers see it.
type LeaderTrade struct {
	// ID tells the trade from every other of the leader, and is the same however and whenever it is read.
	ID    string
	Venue agent.Venue
	Asset Asset
	Leg   Leg
	Side  Side
	// Price is the mean price in USD per coin, token or share, NaN when unknown.
	Price float64
	// Quantity is in coins, tokens or shares. ValueUSD is the two multiplied, NaN when unknown.
	Quantity, ValueUSD float64
	// Share is, of an opening, the part of its own means that the leader put in, and of a close, the part of its position that it
	// closed: 0 to 1, NaN when unknown.
	Share float64
	// Flat is true for closes after which nothing is left.
	Flat bool
	// Leverage is the leader's on perpetuals, 1 elsewhere, NaN when unknown.
	Leverage float64
	// At is when it was made.
	At time.Time
	// Existing is true for what the leader held already when the agent was activated: it has no price of its own.
	Existing bool
	// Own is true for closes that follow from the market rather than from a trade of the leader: a market that is decided, a copy without
	// margin left, a close that is owed. Cause says which, in a sentence.
	Own   bool
	Cause string
	// Liquidated is true where the copy's own margin is used up.
	Liquidated bool
}

// executionID names what an agent does with a leg of a trade. It is the same whenever the agent sees the same leg.
func executionID(of *agent.Agent, trade *LeaderTrade) string {
	return "ex_" + digest.Of(of.Partner, of.ID, trade.ID, string(trade.Leg))[:32]
}

// ClientID is the name that an order has at its venue: 16 bytes that follow from the execution's ID alone.
func ClientID(execution string) [16]byte {
	sum := sha256.Sum256([]byte("order of " + execution))
	return [16]byte(sum[:16])
}

// known tells whether a number is one that a price, a quantity or a value can have.
func known(x float64) bool {
	const least, most = 1e-30, 1e30
	return x > least && x < most
}

// share is a part of something, 0 to 1; otherwise the part that stands in for what is unknown.
func share(x, unknown float64) float64 {
	if math.IsNaN(x) {
		return unknown
	}
	return min(1, max(0, x))
}
