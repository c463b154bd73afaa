package token

import (
	"context"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
)

// defaultSample is how many buyers are looked at where nobody says.
const defaultSample = 12

// Sample is how many of the latest buyers are graded.
var Sample = endpoint.ClampedInteger("sample", "How many of the latest buyers are graded.", 4, 20, defaultSample)

// SmartMoneyFlowAnswer tells whether proven traders are buying now.
type SmartMoneyFlowAnswer struct {
	// SmartMoneyBuying is null when too few buyers could be graded.
	SmartMoneyBuying   *bool `json:"smartMoneyBuying"`
	MirrorWorthyBuyers int   `json:"mirrorWorthyBuyers"`
	// BuyersAnalyzed is how many buyers were really graded.
	BuyersAnalyzed int `json:"buyersAnalyzed"`
	// NetFlow is what the proven traders among them did on balance: "buying", "selling" or "balanced"; null when unknown.
	NetFlow *string         `json:"netFlow"`
	Reasons []reason.Reason `json:"reasons"`
}

func (p page) smartMoney(ctx context.Context, r *endpoint.Request, sample int) (SmartMoneyFlowAnswer, error) {
	return once(ctx, r, sample, func(ctx context.Context) (SmartMoneyFlowAnswer, error) {
		return SmartMoneyFlowAnswer{Reasons: []reason.Reason{}}, nil
	})
}
