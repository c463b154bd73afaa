package token

import (
	"context"
	"errors"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenfacts"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenrisk"
)

// Memory is what the page keeps between requests.
type Memory struct {
	Snapshots    store.Snapshots
	Observations store.Observations
	Peers        store.Peers
}

// page answers about tokens. Its methods named after an answer make that answer, once a request.
type page struct{ memory Memory }

// parameters are what every single accepts.
var parameters = []endpoint.Parameter{endpoint.Token, endpoint.Chain}

// subjectOf is the token a request is about.
func subjectOf(r *endpoint.Request) tokenfacts.Subject {
	return tokenfacts.Subject{Chain: endpoint.Chain.Of(r), Token: endpoint.Token.Of(r), AsOf: r.AsOf}
}

// answerKey names an answer about a token: sample is 0 for answers that take none.
type answerKey struct {
	on     chain.Slug
	token  chain.Address
	asOf   int64
	sample int
}

// once makes an answer at most once a request, whoever builds on it. The answer's type tells answers apart.
func once[A any](ctx context.Context, r *endpoint.Request, sample int, answer func(context.Context) (A, error)) (A, error) {
	s := subjectOf(r)
	return market.Once(ctx, r.Session, answerKey{s.Chain.Slug, s.Token, s.AsOf.Unix(), sample}, answer)
}

// asItIs is the assessment of what was assessed while it was gathered.
func asItIs[A any](answer A, _ time.Time) A { return answer }

// risk is the token's risk, from the one assessor of it.
func (p page) risk(ctx context.Context, r *endpoint.Request) (*tokenrisk.Assessment, error) {
	return once(ctx, r, 0, func(ctx context.Context) (*tokenrisk.Assessment, error) {
		return tokenrisk.Of(ctx, r.Session, subjectOf(r))
	})
}

// refusal turns an address that is no token into the error that partners see; other errors stay as they are.
func refusal(err error) error {
	var not *tokenfacts.NotAToken
	if errors.As(err, &not) {
		return endpoint.NotAToken(not.Message)
	}
	return err
}

// isNotAToken tells an address that is no token from a provider that failed.
func isNotAToken(err error) bool { return errors.Is(err, tokenfacts.ErrNotAToken) }
