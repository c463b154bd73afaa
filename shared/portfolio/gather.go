package portfolio

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/holdings"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenfacts"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenrisk"
)

const (
	// answerMargin is kept of a request's time for putting the answer together.
	answerMargin = 150 * time.Millisecond
	// parallelAssessments bounds how many tokens are assessed at a time.
	parallelAssessments = 10
)

// facts is what a portfolio is judged by.
type facts struct {
	chain *chain.Chain
	depth int
	inventory
	// risks are those of the picked positions, in their order.
	risks []tokenRisk
	// indexFailed is true when the price index did not answer.
	indexFailed bool
}

// tokenRisk is what is known of a position's risk. The assessment is nil for positions that need none, and for those of which it could
// not be had: late tells that the time was up.
type tokenRisk struct {
	assessment *tokenrisk.Assessment
	late       bool
}

func gatherPortfolio(ctx context.Context, r *endpoint.Request) (*facts, error) {
	on := endpoint.Chain.Of(r)
	stock, err := holdings.Of(ctx, r.Session, on, endpoint.Wallet.Of(r), r.AsOf)
	if err != nil {
		return nil, err
	}
	f := &facts{chain: on, depth: Depth.Of(r), indexFailed: stock.IndexFailed}
	f.holdings, f.spam, f.unpriced = stock.Holdings, stock.Spam, stock.Unpriced
	f.pick(slices.Clone(stock.Positions), f.depth)
	return f, f.assessTokens(ctx, r)
}

// assessTokens asks for the risk of the picked tokens, the largest first, and stops waiting a little before the request's time is up.
func (f *facts) assessTokens(ctx context.Context, r *endpoint.Request) error {
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-answerMargin))
		defer cancel()
	}
	f.risks = make([]tokenRisk, len(f.picked))
	group := parallel.NewGroup()
	group.SetLimit(parallelAssessments)
	for i := range f.picked {
		if f.picked[i].Class != holdings.Ordinary {
			continue
		}
		subject := tokenfacts.Subject{Chain: f.chain, Token: f.picked[i].Asset, AsOf: r.AsOf}
		group.Go(func() error {
			assessment, err := tokenrisk.Of(ctx, r.Session, subject)
			f.risks[i] = tokenRisk{assessment: assessment, late: err != nil && ctx.Err() != nil}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("risks of a portfolio: %w", err)
	}
	return nil
}
