package copytrade

import (
	"context"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/copyrecord"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/holdings"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenrisk"
)

// CopyPlanAnswer says whether to copy a leader, with how much of the follower's money, and what to leave out.
type CopyPlanAnswer struct {
	// Copy is true where there is something to copy with.
	Copy bool `json:"copy"`
	// Plan is how much to copy with. It is always there; where copy is false its amounts are 0.
	Plan Plan `json:"plan"`
	// Warnings are sentences for whoever confirms the plan.
	Warnings []string `json:"warnings"`
	// RiskProfile is the one that was applied. One of conservative, moderate or aggressive.
	RiskProfile string `json:"riskProfile"`
	// Grade is the leader's, as in trader-score. One of A, B, C, D or F; null when unrated.
	Grade *string `json:"grade"`
	// Verdict is the leader's, as in trader-score. One of mirror-worthy, watch, avoid or unrated.
	Verdict string `json:"verdict"`
	// Confidence is the leader's, as in trader-score, 0 to 1.
	Confidence *float64 `json:"confidence"`
	// SampleSize is the leader's, as in trader-score.
	SampleSize int `json:"sampleSize"`
	// Trial is true where the plan is for a trial, since too little is known of the leader for more.
	Trial bool `json:"trial"`
	// Limits are what capitalPct is the smallest of.
	Limits []PlanLimit `json:"limits"`
	// Copier is how a delayed copier of the leader's entries would have fared.
	Copier Copier `json:"copier"`
	// RiskConfig is what an agent needs to keep to the plan; null where there is nothing to copy, or no money is known to copy with.
	RiskConfig *PlanRiskConfig `json:"riskConfig"`
	// Coverage counts what the plan rests on.
	Coverage PlanCoverage `json:"coverage"`
	// Reasons are one to five sentences, the weightiest first.
	Reasons []reason.Reason `json:"reasons"`
}

// Plan is how much to copy with, and what to leave out.
type Plan struct {
	// CapitalPct is the part of the follower's dollar coins and native coin on the chain that goes to the leader, 0 to 100.
	CapitalPct float64 `json:"capitalPct"`
	// AllocationUSD is that in USD, down to two significant digits; null where the follower's money could not be valued.
	AllocationUSD *float64 `json:"allocationUsd"`
	// PerPositionCapPct is the largest part of the same money that one position may take, 0 to 100.
	PerPositionCapPct float64 `json:"perPositionCapPct"`
	// Exclusions are sentences, one for each token or kind of market that is to be left out.
	Exclusions []string `json:"exclusions"`
}

// PlanLimit is one of the limits that CapitalPct is the smallest of.
type PlanLimit struct {
	// Name is what limits. One of kelly, volatility, grade, trial, maximum or running-copies.
	Name string `json:"name"`
	// Pct is in percent of the follower's money, with the risk profile applied; null where it could not be measured and does not limit.
	Pct *float64 `json:"pct"`
	// Binds is true for the one that is smallest.
	Binds bool `json:"binds"`
}

// Copier is how a delayed copier of the leader's entries would have fared, as in copy-simulate. Null below three results.
type Copier struct {
	// SimulatedTrades counts the copies whose horizon is over.
	SimulatedTrades int `json:"simulatedTrades"`
	// WinRate is the share of them that gained after costs, 0 to 1.
	WinRate *float64 `json:"winRate"`
	// MedianReturnPct is the median result of a copy after costs.
	MedianReturnPct *float64 `json:"medianReturnPct"`
	// MeanReturnPct is the mean result of a copy after costs.
	MeanReturnPct *float64 `json:"meanReturnPct"`
	// KellyPct is the part of one's capital in each copy at which that record would have grown fastest, a total loss added to it. The
	// plan takes a quarter of it at most.
	KellyPct *float64 `json:"kellyPct"`
	// VolatilityPct is the annual volatility of the money that copies the leader, a third of it in each position.
	VolatilityPct *float64 `json:"volatilityPct"`
}

// PlanRiskConfig is the part of an agent's riskConfig that the plan decides.
type PlanRiskConfig struct {
	// MaxUSD is the most that open copies may cost together, a decimal number in text.
	MaxUSD string `json:"maxUsd"`
	// CopyPercent keeps the leader's own proportions.
	CopyPercent float64 `json:"copyPercent"`
	// PerPositionCapPct is in percent of MaxUSD, as agents take it.
	PerPositionCapPct float64 `json:"perPositionCapPct"`
	// ExcludeTokens are never opened.
	ExcludeTokens []chain.Address `json:"excludeTokens"`
}

// PlanCoverage counts what the plan rests on.
type PlanCoverage struct {
	// TokensAssessed counts the leader's current and recent tokens whose risk was looked at.
	TokensAssessed int `json:"tokensAssessed"`
	// TokensUnassessed counts those beyond.
	TokensUnassessed int `json:"tokensUnassessed"`
	// CopiesCompared counts the wallet's running copies that the leader was compared with.
	CopiesCompared int `json:"copiesCompared"`
	// CopiesUncompared counts those beyond.
	CopiesUncompared int `json:"copiesUncompared"`
}

// The risk profiles.
const (
	conservative = "conservative"
	moderate     = "moderate"
	aggressive   = "aggressive"
)

var riskProfile = endpoint.Choice("riskProfile", "How much risk the follower takes: conservative halves the plan, aggressive adds half where "+
	"no cap is in the way; moderate when left out.", conservative, moderate, aggressive)

// CopyPlan declares copy-plan. Running tells what the wallet copies already; nil for nothing.
func CopyPlan(running Running) endpoint.Endpoint {
	needs := append([]market.Port{}, copyrecord.Needs...)
	needs = append(append(needs, holdings.Needs...), tokenrisk.Needs...)
	return endpoint.Single(endpoint.Declaration{
		Name: "copy-plan", Units: 4, Graded: true,
		Summary:    "Plans a copy: whether to copy a leader, with how much of the follower's money, and what to leave out.",
		Parameters: []endpoint.Parameter{endpoint.Wallet, leadWallet, endpoint.Chain, riskProfile},
		Needs:      needs,
		Check:      checkLeader,
	}, func(ctx context.Context, r *endpoint.Request) (*planFacts, error) { return gatherPlan(ctx, running, r) },
		func(f *planFacts, asOf time.Time) CopyPlanAnswer { return assessPlan(f, asOf) })
}
