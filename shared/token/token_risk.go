package token

import (
	"context"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenrisk"
)

// TokenRiskAnswer says how likely the token is to trap or rob its holders.
type TokenRiskAnswer struct {
	Verdict string `json:"verdict"`
	// Score is 100 times the probability of a scam, raised by hard evidence; null when unknown.
	Score *float64 `json:"score"`
	Flags []string `json:"flags"`
}

func (p page) tokenRisk() endpoint.Endpoint {
	return endpoint.Single(endpoint.Declaration{
		Name: "token-risk", Units: 2, Graded: true,
		Summary:    "Says how likely a token is to trap or rob its holders.",
		Parameters: parameters, Needs: tokenrisk.Needs,
	}, func(ctx context.Context, r *endpoint.Request) (TokenRiskAnswer, error) {
		_, err := p.risk(ctx, r)
		return TokenRiskAnswer{Flags: []string{}}, refusal(err)
	}, asItIs)
}
