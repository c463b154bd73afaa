package token

import (
	"context"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
)

// TokenPriceActionAnswer is the structure of the price. Everything is null when it is not available: too new or too thinly traded to
// chart.
type TokenPriceActionAnswer struct {
	Available  bool    `json:"available"`
	Trend      *string `json:"trend"`
	Structure  *string `json:"structure"`
	Breakout   *string `json:"breakout"`
	Volatility *string `json:"volatility"`
	// DistanceFromHighPct is zero or below: how far the price is from its highest close since launch or in 90 days, in percent.
	DistanceFromHighPct *float64 `json:"distanceFromHighPct"`
	// BarMinutes is the length of the bars that were read.
	BarMinutes *int            `json:"barMinutes"`
	Reasons    []reason.Reason `json:"reasons"`
}

func (p page) priceAction(ctx context.Context, r *endpoint.Request) (TokenPriceActionAnswer, error) {
	return once(ctx, r, 0, func(ctx context.Context) (TokenPriceActionAnswer, error) {
		return TokenPriceActionAnswer{Reasons: []reason.Reason{}}, nil
	})
}
