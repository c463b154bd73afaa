package client

import (
	"context"
	"net/http"
)

// CopyPlanRequest asks how much of a wallet's money to copy a leader with.
type CopyPlanRequest struct {
	// Wallet is the follower's, LeadWallet the leader's, Chain the chain of both.
	Wallet     string `json:"wallet"`
	LeadWallet string `json:"leadWallet"`
	Chain      string `json:"chain"`
	// RiskProfile is conservative, moderate or aggressive; empty for moderate.
	RiskProfile string `json:"riskProfile,omitempty"`
}

// CopyPlan is whether to copy a leader, and how.
type CopyPlan struct {
	Copy bool `json:"copy"`
	// Plan is always there; where Copy is false its amounts are 0.
	Plan struct {
		CapitalPct float64 `json:"capitalPct"`
		// AllocationUSD is nil where the follower's money could not be valued.
		AllocationUSD     *float64 `json:"allocationUsd"`
		PerPositionCapPct float64  `json:"perPositionCapPct"`
		// Exclusions are sentences for whoever confirms the plan.
		Exclusions []string `json:"exclusions"`
	} `json:"plan"`
	// Warnings are sentences for whoever confirms the plan.
	Warnings []string `json:"warnings"`
	// RiskConfig is what an agent needs to keep to the plan; nil where there is nothing to copy.
	RiskConfig *RiskConfig `json:"riskConfig"`
	Reasons    []string    `json:"reasons"`
}

// CopyPlan asks whether to copy a leader, with how much, and what to leave out.
func (c *Client) CopyPlan(ctx context.Context, asked CopyPlanRequest) (CopyPlan, error) {
	var answer CopyPlan
	err := c.call(ctx, request{method: http.MethodPost, path: "/copy-plan", body: asked}, &answer)
	return answer, err
}

// PerpCopyDecisionRequest asks about a trade of a leader on perpetuals. What is nil or empty is left out.
type PerpCopyDecisionRequest struct {
	// Side is long or short.
	Side     string  `json:"side"`
	Leverage float64 `json:"leverage"`
	// FundingRateHourly is a fraction of the position's value, positive when longs pay.
	FundingRateHourly     float64  `json:"fundingRateHourly"`
	Coin                  string   `json:"coin,omitempty"`
	EntryPrice            *float64 `json:"entryPrice,omitempty"`
	MarkPrice             *float64 `json:"markPrice,omitempty"`
	LiquidationPrice      *float64 `json:"liquidationPrice,omitempty"`
	MaintenanceMarginRate *float64 `json:"maintenanceMarginRate,omitempty"`
	MaxLeverage           *float64 `json:"maxLeverage,omitempty"`
	DailyVolPct           *float64 `json:"dailyVolPct,omitempty"`
	LeaderGrade           string   `json:"leaderGrade,omitempty"`
	AllocationUSD         *float64 `json:"allocationUsd,omitempty"`
	HoldHours             *float64 `json:"holdHours,omitempty"`
}

// PerpCopyDecision is whether a leader's trade on perpetuals is worth copying now.
type PerpCopyDecision struct {
	Copy bool `json:"copy"`
	// MaxLeverage is the highest whole leverage that is safe enough; 0 for none.
	MaxLeverage int `json:"maxLeverage"`
	// SizeFactor is the part of a full copy to take, 0 to 1.
	SizeFactor float64 `json:"sizeFactor"`
	// LiqDistancePct is how far the price may move against the copy, in percent.
	LiqDistancePct *float64 `json:"liqDistancePct"`
	// FundingCostDaily is in percent of the position's value a day.
	FundingCostDaily *float64 `json:"fundingCostDaily"`
	AllocationUSD    *float64 `json:"allocationUsd"`
	Flags            []string `json:"flags"`
	Reasons          []string `json:"reasons"`
}

// PerpCopyDecision asks whether a leader's trade on perpetuals is worth copying now, at which leverage and how large.
func (c *Client) PerpCopyDecision(ctx context.Context, asked PerpCopyDecisionRequest) (PerpCopyDecision, error) {
	var answer PerpCopyDecision
	err := c.call(ctx, request{method: http.MethodPost, path: "/perp-copy-decision", body: asked}, &answer)
	return answer, err
}

// CopyOverlapRequest asks whether a leader adds anything to others.
type CopyOverlapRequest struct {
	Wallet     string `json:"wallet"`
	LeadWallet string `json:"leadWallet"`
	Chain      string `json:"chain"`
	// Leaders are compared with, at most 25; none for those that the wallet's running agents follow.
	Leaders []string `json:"leaders,omitempty"`
}

// CopyOverlap is whether a leader adds anything.
type CopyOverlap struct {
	// Redundant is nil where it could not be told.
	Redundant *bool `json:"redundant"`
	// Verdict is additive, overlapping, redundant or unknown.
	Verdict      string   `json:"verdict"`
	OverlapPct   *float64 `json:"overlapPct"`
	MostSimilar  *string  `json:"mostSimilar"`
	SharedTokens []string `json:"sharedTokens"`
	Reasons      []string `json:"reasons"`
}

// CopyOverlap asks whether a new leader adds anything to those that a wallet copies already.
func (c *Client) CopyOverlap(ctx context.Context, asked CopyOverlapRequest) (CopyOverlap, error) {
	var answer CopyOverlap
	err := c.call(ctx, request{method: http.MethodPost, path: "/copy-overlap", body: asked}, &answer)
	return answer, err
}
