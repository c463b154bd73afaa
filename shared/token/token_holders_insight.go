package token

import (
	"context"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
)

// TokenHoldersInsightAnswer tells whether holders gather or leave, and whether they are people.
type TokenHoldersInsightAnswer struct {
	Trend  string `json:"trend"`
	Origin string `json:"origin"`
	// TopHoldersPct is what the ten largest holders hold, infrastructure left out; null when unknown.
	TopHoldersPct *float64        `json:"topHoldersPct"`
	Reasons       []reason.Reason `json:"reasons"`
}

func (p page) holdersInsight(ctx context.Context, r *endpoint.Request) (TokenHoldersInsightAnswer, error) {
	return once(ctx, r, 0, func(ctx context.Context) (TokenHoldersInsightAnswer, error) {
		return TokenHoldersInsightAnswer{Trend: "unknown", Origin: "unknown", Reasons: []reason.Reason{}}, nil
	})
}
