package token

import (
	"context"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenrisk"
)

// TokenRiskAnswer says how likely the token is to trap or rob its holders.
type TokenRiskAnswer struct {
	// Verdict says how risky the token is. One of low, medium, high, critical or unknown.
	Verdict string `json:"verdict"`
	// Score is 100 times the probability of a scam, raised by hard evidence, 0 to 100; null when unknown.
	Score *float64 `json:"score"`
	// Flags say what was found and what could not be checked, weightiest first, at most twelve.
	Flags []string `json:"flags"`
	// Reasons are the weightiest flags and what the verdict rests on.
	Reasons []reason.Reason `json:"reasons"`
}

func (p page) tokenRisk() endpoint.Endpoint {
	return endpoint.Single(endpoint.Declaration{
		Name: "token-risk", Units: 2, Graded: true, Refuses: []string{"not_a_token"},
		Summary:    "Says how likely a token is to trap or rob its holders.",
		Parameters: parameters, Needs: tokenrisk.Needs,
	}, func(ctx context.Context, r *endpoint.Request) (*tokenrisk.Assessment, error) {
		risk, err := p.risk(ctx, r)
		return risk, refusal(err)
	}, assessRisk)
}

func assessRisk(risk *tokenrisk.Assessment, _ time.Time) TokenRiskAnswer {
	return TokenRiskAnswer{Verdict: risk.Verdict, Score: display.Score(risk.Score), Flags: flagTexts(risk), Reasons: risk.Reasons}
}
