package copytrade

import (
	"context"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
)

// PerpCopyDecisionAnswer says whether a leader's perpetuals trade is worth copying now, at which leverage and how large.
type PerpCopyDecisionAnswer struct {
	// Copy is true when SizeFactor is above 0.
	Copy bool `json:"copy"`
	// MaxLeverage is the highest whole leverage that keeps the chance of liquidation within 5 %, at least 1; 0 when funding rules out
	// any.
	MaxLeverage int `json:"maxLeverage"`
	// SizeFactor is the part of a full copy to take, 0 to 1 in steps of 0.05.
	SizeFactor float64 `json:"sizeFactor"`
	// LiqDistancePct is how far the price may move against a copy that is opened now with margin of its own, at the leader's leverage or
	// MaxLeverage, whichever is lower, and at 1x at least; null when MaxLeverage is 0.
	LiqDistancePct *float64 `json:"liqDistancePct"`
	// FundingCostDaily is in percent of the position's value a day, negative for what is received.
	FundingCostDaily *float64 `json:"fundingCostDaily"`
	// TouchProbability is the chance, 0 to 1, that the price moves by liqDistancePct within the holding time, by a random walk of 1.3
	// times the daily volatility: a measure to set leverage by, and no observed frequency. It overstates middling chances and
	// understates tiny ones.
	TouchProbability *float64 `json:"touchProbability"`
	// AllocationUSD is the follower's own money times SizeFactor, null unless it was given.
	AllocationUSD *float64 `json:"allocationUsd"`
	// Flags are what to look at, in words for programs: leader-overlevered, liq-close, funding-heavy, volatility-assumed and others.
	// More may come.
	Flags []string `json:"flags"`
	// Assumptions are the figures that the decision used and that the request may leave out.
	Assumptions PerpAssumptions `json:"assumptions"`
	// Reasons are one to five sentences, the weightiest first.
	Reasons []reason.Reason `json:"reasons"`
}

// PerpAssumptions are the figures that the decision used and that a request may leave out.
type PerpAssumptions struct {
	// MaxLeverage is the venue's maximum.
	MaxLeverage Assumption `json:"maxLeverage"`
	// MaintenanceMarginRate is a fraction of the position's value.
	MaintenanceMarginRate Assumption `json:"maintenanceMarginRate"`
	// DailyVolPct is the contract's daily volatility in percent.
	DailyVolPct Assumption `json:"dailyVolPct"`
	// HoldHours is for how many hours the position is meant to be held.
	HoldHours Assumption `json:"holdHours"`
}

// Assumption is a figure and where it came from: the request, the venue, another figure that it was derived from, or a default.
type Assumption struct {
	// Value is the figure.
	Value float64 `json:"value"`
	// Source is where it came from, like request or venue.
	Source string `json:"source"`
}

// The sources of figures.
const (
	fromRequest = "request"
	fromVenue   = "venue"
	derived     = "derived"
	byDefault   = "default"
)

// The parameters of the decision on a perpetuals trade. Leverages begin above 0 because an account's effective leverage may lie below
// 1; a funding rate of 4 % an hour is the most that venues charge.
var (
	side     = endpoint.Choice("side", "The leader's side: long or short.", "long", "short").Required()
	leverage = endpoint.Number("leverage", "The leverage of the leader's position, above 0 to 200.",
		endpoint.Range{Minimum: 0, Maximum: highestLeverage, AboveMinimum: true}).Required()
	fundingRateHourly = endpoint.Number("fundingRateHourly",
		"The funding rate of an hour as a fraction of the position's value, like 0.0000125; positive when longs pay, at most 0.04 either way.",
		endpoint.Range{Minimum: -0.04, Maximum: 0.04}).Required()
	coin = endpoint.Text("coin",
		"The contract, like BTC, kPEPE or, of a builder's exchange, xyz:CL. What is left out below is then read from the venue.", 1, 40)
	entryPrice            = endpoint.Number("entryPrice", "The leader's mean entry price.", prices)
	markPrice             = endpoint.Number("markPrice", "The contract's mark price.", prices)
	liquidationPrice      = endpoint.Number("liquidationPrice", "The leader's liquidation price.", prices)
	maintenanceMarginRate = endpoint.Number("maintenanceMarginRate",
		"The maintenance margin as a fraction of the position's value, above 0 to 0.5 and below 1/leverage.",
		endpoint.Range{Minimum: 0, Maximum: 0.5, AboveMinimum: true})
	maxLeverage = endpoint.Number("maxLeverage", "The highest leverage that the venue allows for the contract, 1 to 200.",
		endpoint.Range{Minimum: 1, Maximum: highestLeverage})
	dailyVolPct = endpoint.Number("dailyVolPct", "The contract's daily volatility in percent, 0.1 to 300.",
		endpoint.Range{Minimum: 100 * leastVolatility, Maximum: 300})
	leaderGrade   = endpoint.Choice("leaderGrade", "The leader's grade, A to F; left out when unrated.", "A", "B", "C", "D", "F")
	allocationUSD = endpoint.Number("allocationUsd", "What the follower would put up as margin for a full copy, in USD.",
		endpoint.Range{Minimum: 0, Maximum: 1e9, AboveMinimum: true})
	holdHours = endpoint.Number("holdHours", "For how many hours the position is meant to be held, 0.25 to 720; 24 when left out.",
		endpoint.Range{Minimum: 0.25, Maximum: 720})

	prices = endpoint.Range{Minimum: 0, Maximum: 1e9, AboveMinimum: true}
)

// PerpCopyDecision declares perp-copy-decision.
func PerpCopyDecision() endpoint.Endpoint {
	return endpoint.Single(endpoint.Declaration{
		Name: "perp-copy-decision", Units: 1, Graded: true,
		Summary: "Decides whether a leader's perpetuals trade is worth copying, at which leverage and how large.",
		Parameters: []endpoint.Parameter{
			side, leverage, fundingRateHourly, coin, entryPrice, markPrice, liquidationPrice, maintenanceMarginRate, maxLeverage, dailyVolPct,
			leaderGrade, allocationUSD, holdHours,
		},
		Needs: []market.Port{market.PerpMarketFacts, market.PerpCandleFacts},
		Check: func(_ context.Context, r *endpoint.Request) error { return checkPerp(r) },
	}, gatherPerp, assessPerp)
}
