package token

import (
	"context"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
)

// TokenSignalAnswer is what all signals together amount to. It always carries the risk verdict.
type TokenSignalAnswer struct {
	Signal string `json:"signal"`
	// Conviction is 0 to 100: below 35 low, above 65 high.
	Conviction  float64         `json:"conviction"`
	RiskVerdict string          `json:"riskVerdict"`
	Rationale   string          `json:"rationale"`
	Reasons     []reason.Reason `json:"reasons"`
}

// signal fails with a tokenfacts.NotAToken for an address that is no token.
func (p page) signal(ctx context.Context, r *endpoint.Request) (TokenSignalAnswer, error) {
	return once(ctx, r, 0, func(ctx context.Context) (TokenSignalAnswer, error) {
		return TokenSignalAnswer{Signal: "HOLD", RiskVerdict: "unknown", Reasons: []reason.Reason{}}, nil
	})
}
