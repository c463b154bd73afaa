package mirroring

import (
	"math"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/agent"
	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

// SkipReason says in a word why nothing was done. It is an open list: more may come.
type SkipReason string

// The reasons.
const (
	SlippageExceeded      SkipReason = "slippage_exceeded"
	EdgeExhausted         SkipReason = "edge_exhausted"
	SignalStale           SkipReason = "signal_stale"
	BelowMinOrder         SkipReason = "below_min_order"
	InsufficientBalance   SkipReason = "insufficient_balance"
	MaxExposure           SkipReason = "max_exposure"
	DailyLossLimit        SkipReason = "daily_loss_limit"
	PositionConflict      SkipReason = "position_conflict"
	NoPositionToClose     SkipReason = "no_position_to_close"
	InsufficientLiquidity SkipReason = "insufficient_liquidity"
	MarketClosed          SkipReason = "market_closed"
	AssetExcluded         SkipReason = "asset_excluded"
	TokenRisk             SkipReason = "token_risk"
	LeverageExceeded      SkipReason = "leverage_exceeded"
	Duplicate             SkipReason = "duplicate"
	LeaderGateFailed      SkipReason = "leader_gate_failed"
	AgentPaused           SkipReason = "agent_paused"
	AgentExpired          SkipReason = "agent_expired"
)

const (
	// unknownShare stands for the part of its means that a leader put in where that is not known.
	unknownShare = 1.0 / 20
	// leastDistance is how far the price must be able to move against a copy before it is liquidated, as a part of it.
	leastDistance = 0.02
	// maximumCopies is how many copies an agent can have open: its book must stay small enough to be kept.
	maximumCopies = 200
	// remainingEdge is the part of the leader's usual gain, or of what is left to be won, that must not be gone.
	remainingEdge = 0.5
	// closingSlippage is how much worse than the quoted price a close may fill at in one go; what is left is owed.
	closingSlippage = 0.05
	// outcomeShares is the fewest shares that the prediction venue takes an order for.
	outcomeShares = 5
)

// limits are what applies at a venue where an owner set nothing else.
type limits struct {
	// stale is how old a leader's opening may be.
	stale time.Duration
	// slippage is how much worse than the leader's the price may be, impact how far the copy may move it: parts of the price.
	slippage, impact float64
	// leastUSD is the smallest order.
	leastUSD float64
}

// limitsOf are a venue's. Chains that charge for gas what a small order could earn have a higher minimum.
func limitsOf(venue agent.Venue, on chain.Slug) limits {
	switch venue {
	case agent.Perps:
		return limits{stale: 5 * time.Minute, slippage: 0.01, impact: 0.01, leastUSD: 10}
	case agent.Prediction:
		return limits{stale: 10 * time.Minute, slippage: 0.05, impact: 0.10, leastUSD: 1}
	}
	l := limits{stale: 10 * time.Minute, slippage: 0.03, impact: 0.02, leastUSD: 5}
	if on == chain.Ethereum {
		l.leastUSD = 50
	}
	return l
}

// Gate is what is known of the leader when its trades are looked at.
type Gate struct {
	// Mirrorable is false too where nobody graded the leader, or not lately. Why is then a sentence.
	Mirrorable bool
	Why        string
	// MedianGain is what the leader's positions usually gain, as a part of the price, NaN when unknown or nothing.
	MedianGain float64
}

// Input is everything that a decision depends on.
type Input struct {
	Venue  agent.Venue
	Mode   agent.Mode
	Status agent.Status
	// ExpiresAt is when the agent's credentials lapse; zero for never.
	ExpiresAt time.Time
	Risk      *agent.RiskConfig
	Gate      Gate
	Trade     *LeaderTrade
	Quote     *Quote
	// Copy is what is open of the asset, Against a copy that bets on the contrary; nil for none.
	Copy, Against *Copy
	// Copies is how many are open. Exposure is what they cost and orders under way may cost; LostToday what was lost this UTC day.
	Copies              int
	Exposure, LostToday agent.MicroUSD
	// BalanceUSD is what the account can spend, NaN when unknown or where no money moves.
	BalanceUSD float64
	Now        time.Time
}

// Decision is what becomes of a leader's leg: an order, or a reason for none.
type Decision struct {
	// Skip is empty for an order. Reason is a sentence in either case.
	Skip   SkipReason
	Reason string
	// Cost is what an opening takes of the agent's limit; SizeUSD is its value, which on perpetuals is the cost times the leverage. A close
	// has a SizeUSD by the quoted price, and no cost.
	Cost     agent.MicroUSD
	SizeUSD  float64
	Leverage float64
	// Quantity is in coins, tokens or shares by the quoted price.
	Quantity float64
	// Part is the part of the copy that a close closes; of a close that is skipped, the part that is owed from now on. 0 to 1.
	Part float64
	// WorstPrice is the worst price that the order may fill at; 0 for any.
	WorstPrice float64
	// Reduced is true when less is opened than the leader's size asks for.
	Reduced bool
}

// Decide says what an agent does with one leg of a leader's trade. It is pure: the same input has the same decision, and there always is
// exactly one. The higher the copy percentage and the limits, the larger the size.
func Decide(in *Input) Decision {
	if in.Trade.Leg == Close {
		return decideClose(in)
	}
	return decideOpen(in)
}

func skip(why SkipReason, reason string) Decision { return Decision{Skip: why, Reason: reason} }

// expired tells whether the agent's credentials hold no longer.
func (in *Input) expired() bool {
	return in.Status == agent.Expired || !in.ExpiresAt.IsZero() && !in.Now.Before(in.ExpiresAt)
}

// micro rounds dollars down to millionths; what is no number is nothing.
func micro(usd float64) agent.MicroUSD {
	const most = 9e18
	x := math.Floor(usd * float64(agent.Dollar))
	switch {
	case !(x > 0):
		return 0
	case x > most:
		return most
	}
	return agent.MicroUSD(x)
}

// signedMicro rounds dollars of either sign to the nearest millionth.
func signedMicro(usd float64) agent.MicroUSD {
	const most = 9e18
	x := math.Round(usd * float64(agent.Dollar))
	if math.IsNaN(x) {
		return 0
	}
	return agent.MicroUSD(max(-most, min(most, x)))
}
