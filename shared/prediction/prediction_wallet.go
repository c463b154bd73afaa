package prediction

import (
	"context"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/predictionrecord"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
)

// WalletAnswer is the profile of a prediction wallet.
type WalletAnswer struct {
	// Active is false for a wallet without a trade in the last WindowDays.
	Active bool `json:"active"`
	// WindowDays is how far back the wallet's trades are looked at.
	WindowDays int `json:"windowDays"`
	// Mirrorable is true when a follower could have done it too, and would have gained.
	Mirrorable bool `json:"mirrorable"`
	// Grade is the one-glance answer. One of A, B, C, D or F; null when unrated, and left out when the wallet is not active.
	Grade **string `json:"grade,omitzero"`
	// Verdict says whether the wallet is worth mirroring. One of mirror-worthy, watch, avoid or unrated.
	Verdict string `json:"verdict"`
	// Score is 0 to 100; null when unrated.
	Score *float64 `json:"score"`
	// Confidence is 0 to 1; null when not active.
	Confidence *float64 `json:"confidence"`
	// SampleSize counts decided events.
	SampleSize int `json:"sampleSize"`
	// Execution is how orders are filled; maker fills cannot be reproduced by a follower. One of taker, mixed or maker; null when it
	// cannot be told.
	Execution *string `json:"execution"`
	// Entries are the prices at which the wallet buys. One of value, balanced or favourites; null when it cannot be told.
	Entries *string `json:"entries"`
	// Consistency is how evenly results come. One of steady, mixed, streaky or unproven; null when it cannot be told.
	Consistency *string `json:"consistency"`
	// Diversification is over how many events the wallet spreads. One of concentrated, moderate or broad; null when it cannot be told.
	Diversification *string `json:"diversification"`
	// Cadence is how often the wallet trades. One of occasional, regular, busy or machine; null when it cannot be told.
	Cadence *string `json:"cadence"`
	// Activity is whether the wallet still trades as it did. One of active, slowing or dormant; null when it cannot be told.
	Activity *string `json:"activity"`
	// WinRate is the part of decided events that ended in profit, 0 to 1.
	WinRate *float64 `json:"winRate"`
	// EdgeCents is how much less than it was worth a share cost.
	EdgeCents *Interval `json:"edgeCents"`
	// CopiedEdgeCents is the same for a follower a minute later.
	CopiedEdgeCents *Interval `json:"copiedEdgeCents"`
	// ChanceProbability is how often fair luck does as well with the same prices and sizes, 0 to 1.
	ChanceProbability *float64 `json:"chanceProbability"`
	// Truncated is true when older history exists that was not read.
	Truncated bool `json:"truncated"`
	// Reasons are one to five sentences, the weightiest first.
	Reasons []reason.Reason `json:"reasons"`
}

// Interval is a mean and its 90 % interval, in cents a share.
type Interval struct {
	// Mean is the mean, in cents a share.
	Mean float64 `json:"mean"`
	// Low is the lower end, in cents a share.
	Low float64 `json:"low"`
	// High is the upper end, in cents a share.
	High float64 `json:"high"`
}

// PredictionWallet declares prediction-wallet.
func PredictionWallet() endpoint.Endpoint {
	return endpoint.Single(endpoint.Declaration{
		Name: "prediction-wallet", Units: 3, Graded: true,
		Summary:    "Grades a prediction-market wallet and says whether it can be mirrored.",
		Parameters: []endpoint.Parameter{endpoint.Wallet},
		Needs:      predictionrecord.Needs,
	}, gatherRecord, assessPredictionWallet)
}

func gatherRecord(ctx context.Context, r *endpoint.Request) (*predictionrecord.Record, error) {
	return predictionrecord.Of(ctx, r.Session, endpoint.Wallet.Of(r), r.AsOf)
}

func assessPredictionWallet(record *predictionrecord.Record, asOf time.Time) WalletAnswer {
	a := predictionrecord.Assess(record, asOf)
	answer := WalletAnswer{
		Active: a.Active, WindowDays: int(predictionrecord.Window / (24 * time.Hour)), Mirrorable: a.Mirrorable, Verdict: a.Verdict,
		Score: display.Score(a.Score), Confidence: display.Probability(a.Confidence), SampleSize: a.SampleSize,
		Execution: word(a.Signals.Execution), Entries: word(a.Signals.Entries), Consistency: word(a.Signals.Consistency),
		Diversification: word(a.Signals.Diversification), Cadence: word(a.Signals.Cadence), Activity: word(a.Signals.Activity),
		WinRate: display.Probability(a.WinRate), EdgeCents: inCents(a.Edge), CopiedEdgeCents: inCents(a.CopiedEdge),
		ChanceProbability: display.Probability(a.ChanceProbability), Truncated: a.Truncated, Reasons: a.Reasons,
	}
	if a.Active {
		grade := word(a.Grade)
		answer.Grade = &grade
	}
	return answer
}

// word is nil for what cannot be told.
func word(value string) *string {
	if value == "" {
		return nil
	}
	return &value
}

// inCents is nil for an edge that was not measured.
func inCents(e predictionrecord.Edge) *Interval {
	mean, low, high := display.Percent(e.Mean), display.Percent(e.Low), display.Percent(e.High)
	if mean == nil || low == nil || high == nil {
		return nil
	}
	return &Interval{Mean: *mean, Low: *low, High: *high}
}
