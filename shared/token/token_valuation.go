package token

import (
	"context"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
)

// TokenValuationAnswer compares what the token is valued at with tokens like it.
type TokenValuationAnswer struct {
	Valuation string `json:"valuation"`
	// Zscore is how far the token stands from its peers, in robust standard deviations, above zero for dear; null when unknown.
	Zscore *float64 `json:"zScore"`
	// Compared names the ratios that could be compared, PeerGroup the tokens it was compared with and PeerCount how many they are.
	Compared  []string        `json:"compared"`
	PeerGroup *string         `json:"peerGroup"`
	PeerCount int             `json:"peerCount"`
	Reasons   []reason.Reason `json:"reasons"`
}

func (p page) valuation(ctx context.Context, r *endpoint.Request) (TokenValuationAnswer, error) {
	return once(ctx, r, 0, func(ctx context.Context) (TokenValuationAnswer, error) {
		return TokenValuationAnswer{Valuation: "unknown", Compared: []string{}, Reasons: []reason.Reason{}}, nil
	})
}
