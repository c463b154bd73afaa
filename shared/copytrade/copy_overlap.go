package copytrade

import (
	"context"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/tradingrecord"
)

// CopyOverlapAnswer says whether a new leader adds anything to those that a wallet copies already.
type CopyOverlapAnswer struct {
	// Redundant is null where it could not be told.
	Redundant *bool `json:"redundant"`
	// Verdict says what the new leader adds. One of additive, overlapping, redundant or unknown.
	Verdict string `json:"verdict"`
	// OverlapPct is how redundant the new leader is next to the most similar one, 0 to 100; null where it could not be told.
	OverlapPct *float64 `json:"overlapPct"`
	// MostSimilar is that one; null where it could not be told.
	MostSimilar *chain.Address `json:"mostSimilar"`
	// SharedTokens are symbols of tokens that the new leader and another both hold or bought lately, the most similar leader's first.
	SharedTokens []string `json:"sharedTokens"`
	// Leaders are all compared, the most similar first.
	Leaders []LeaderOverlap `json:"leaders"`
	// VarianceChangePct is by how much the daily results of all leaders in equal parts would vary more with the new one, negative for
	// less; null below 20 days with results.
	VarianceChangePct *float64 `json:"varianceChangePct"`
	// WindowDays is how far back trades are compared.
	WindowDays int `json:"windowDays"`
	// Reasons are one to five sentences, the weightiest first.
	Reasons []reason.Reason `json:"reasons"`
}

// LeaderOverlap compares the new leader with one other. What could not be measured is null.
type LeaderOverlap struct {
	// Leader is the other leader's address.
	Leader chain.Address `json:"leader"`
	// Verdict says what the new leader adds next to this one. One of additive, overlapping, redundant or unknown.
	Verdict string `json:"verdict"`
	// OverlapPct is how redundant the new leader is next to this one, 0 to 100.
	OverlapPct *float64 `json:"overlapPct"`
	// SharedHoldingsPct is the part of what each holds, by value, that is in the same tokens, 0 to 100. Tokens that everybody holds
	// count for less.
	SharedHoldingsPct *float64 `json:"sharedHoldingsPct"`
	// HoldingsSimilarity is the cosine of both holdings, 0 to 1. Tokens that everybody holds count for less.
	HoldingsSimilarity *float64 `json:"holdingsSimilarity"`
	// SharedBuysPct is what both bought over what either did, by value, 0 to 100.
	SharedBuysPct *float64 `json:"sharedBuysPct"`
	// MatchedPct is the part of the new leader's entries beside which the other entered the same token within a day, 0 to 100.
	MatchedPct *float64 `json:"matchedPct"`
	// ExpectedPct is what that would be by chance, 0 to 100.
	ExpectedPct *float64 `json:"expectedPct"`
	// ExcessMatchPct is how much it is of what chance leaves.
	ExcessMatchPct *float64 `json:"excessMatchPct"`
	// MedianLagMinutes is how long after the other's the new leader's matched entries came in the middle; negative for before.
	MedianLagMinutes *float64 `json:"medianLagMinutes"`
	// Direction says who enters first: the new leader follows or leads plainly, or neither is plain. One of follows, leads or neither;
	// null where it could not be told.
	Direction *string `json:"direction"`
	// Correlation is that of both leaders' daily results.
	Correlation *ReturnCorrelation `json:"correlation"`
	// AsynchronousCorrelation is that of their results by the times in which these overlap (Hayashi & Yoshida 2005), -1 to 1: for leaders
	// that seldom close on the same day. It has no interval, and is no part of the verdict.
	AsynchronousCorrelation *float64 `json:"asynchronousCorrelation"`
	// SameOperator is true where money went from one wallet to the other, or both had their first from one source at one time.
	SameOperator bool `json:"sameOperator"`
	// SharedTokens are symbols of tokens that both hold or bought lately.
	SharedTokens []string `json:"sharedTokens"`
	// Trades counts the other's trades in the window; null where it could not be read.
	Trades *int `json:"trades"`
}

// ReturnCorrelation is a correlation with its interval at 95 %.
type ReturnCorrelation struct {
	// Value is the correlation, -1 to 1.
	Value float64 `json:"value"`
	// Low is the lower end of its interval, -1 to 1.
	Low float64 `json:"low"`
	// High is the upper end of its interval, -1 to 1.
	High float64 `json:"high"`
	// Days are those on which both leaders closed positions.
	Days int `json:"days"`
}

// mostLeaders is how many leaders are compared.
const mostLeaders = 25

var comparedLeaders = endpoint.AddressList("leaders",
	"The leaders to compare with, at most 25; when left out, those that the wallet copies on the chain.", false, mostLeaders)

// CopyOverlap declares copy-overlap. Running tells what the wallet copies already; nil for nothing.
func CopyOverlap(running Running) endpoint.Endpoint {
	return endpoint.Single(endpoint.Declaration{
		Name: "copy-overlap", Units: 4, Graded: true,
		Summary:    "Says whether a new leader is redundant next to those that a wallet copies already.",
		Parameters: []endpoint.Parameter{endpoint.Wallet, leadWallet, endpoint.Chain, comparedLeaders},
		Needs:      tradingrecord.Needs,
		Check:      checkLeader,
	}, func(ctx context.Context, r *endpoint.Request) (*overlapFacts, error) {
		return gatherOverlap(ctx, running, r)
	},
		func(f *overlapFacts, asOf time.Time) CopyOverlapAnswer { return assessOverlap(f, asOf) })
}
