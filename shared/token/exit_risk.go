package token

import (
	"context"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
)

// ExitRiskAnswer says whether a holder can get out, and whether that is getting worse.
type ExitRiskAnswer struct {
	ExitRisk  string `json:"exitRisk"`
	Direction string `json:"direction"`
	// Score is 0 to 100, the higher the harder to leave; null when unknown.
	Score *float64 `json:"score"`
	// SellableBand is the size band of what can be sold at a tenth below the price; null when unknown.
	SellableBand *string         `json:"sellableBand"`
	Reasons      []reason.Reason `json:"reasons"`
}

func (p page) exitRisk(ctx context.Context, r *endpoint.Request) (ExitRiskAnswer, error) {
	return once(ctx, r, 0, func(ctx context.Context) (ExitRiskAnswer, error) {
		return ExitRiskAnswer{ExitRisk: "unknown", Direction: "unknown", Reasons: []reason.Reason{}}, nil
	})
}
