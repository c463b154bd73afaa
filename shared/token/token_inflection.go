package token

import (
	"context"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
)

// TokenInflectionAnswer tells whether the price range has become unusually tight. It says nothing about direction.
type TokenInflectionAnswer struct {
	State string `json:"state"`
	// MoveProbability is that of a move of three times the usual range within a day, BaseRate how often that happens to all tokens.
	MoveProbability *float64        `json:"moveProbability"`
	BaseRate        *float64        `json:"baseRate"`
	Reasons         []reason.Reason `json:"reasons"`
}

func (p page) inflection(ctx context.Context, r *endpoint.Request) (TokenInflectionAnswer, error) {
	return once(ctx, r, 0, func(ctx context.Context) (TokenInflectionAnswer, error) {
		return TokenInflectionAnswer{State: "insufficient-data", Reasons: []reason.Reason{}}, nil
	})
}
