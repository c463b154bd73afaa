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
	Active     bool `json:"active"`
	WindowDays int  `json:"windowDays"`
	// Mirrorable is true when a follower could have done it too, and would have gained.
	Mirrorable bool `json:"mirrorable"`
	// Grade is A to F, null when unrated, and left out when the wallet is not active.
	Grade   **string `json:"grade,omitzero"`
	Verdict string   `json:"verdict"`
	// Score is 0 to 100, null when unrated. Confidence is 0 to 1, null when not active.
	Score      *float64 `json:"score"`
	Confidence *float64 `json:"confidence"`
	// SampleSize counts decided events.
	SampleSize int `json:"sampleSize"`
	// The six signals are null when they cannot be told.
	Execution       *string `json:"execution"`
	Entries         *string `json:"entries"`
	Consistency     *string `json:"consistency"`
	Diversification *string `json:"diversification"`
	Cadence         *string `json:"cadence"`
	Activity        *string `json:"activity"`
	// WinRate is the part of decided events that ended in profit.
	WinRate *float64 `json:"winRate"`
	// EdgeCents is how much less than it was worth a share cost, CopiedEdgeCents the same for a follower a minute later.
	EdgeCents       *Interval `json:"edgeCents"`
	CopiedEdgeCents *Interval `json:"copiedEdgeCents"`
	// ChanceProbability is how often fair luck does as well with the same prices and sizes.
	ChanceProbability *float64 `json:"chanceProbability"`
	// Truncated is true when older history exists that was not read.
	Truncated bool            `json:"truncated"`
	Reasons   []reason.Reason `json:"reasons"`
}

// Interval is a mean and its 90 % interval, in cents a share.
type Interval struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
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
