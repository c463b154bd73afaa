package token

import (
	"context"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenfacts"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenrisk"
)

// readings are the assessments that answers about the whole token build on.
type readings struct {
	Risk        *tokenrisk.Assessment
	ExitRisk    ExitRiskAnswer
	PriceAction TokenPriceActionAnswer
	Holders     TokenHoldersInsightAnswer
	SmartMoney  SmartMoneyFlowAnswer
	Valuation   TokenValuationAnswer
	Momentum    momentum
}

// read makes all readings side by side. It fails with a tokenfacts.NotAToken for an address that is no token, before anything else is
// asked, and with the first provider that fails: a reading that is missing by accident must not look like one that says nothing.
func (p page) read(ctx context.Context, r *endpoint.Request) (*readings, error) {
	return once(ctx, r, 0, func(ctx context.Context) (*readings, error) {
		if _, err := tokenContract(ctx, r); err != nil {
			return nil, err
		}
		var all readings
		group, ctx := parallel.WithContext(ctx)
		group.Go(func() (err error) { all.Risk, err = p.risk(ctx, r); return err })
		group.Go(func() (err error) { all.ExitRisk, err = p.exitRisk(ctx, r); return err })
		group.Go(func() (err error) { all.PriceAction, err = p.priceAction(ctx, r); return err })
		group.Go(func() (err error) { all.Holders, err = p.holdersInsight(ctx, r); return err })
		group.Go(func() (err error) { all.SmartMoney, err = p.smartMoney(ctx, r, defaultSample); return err })
		group.Go(func() (err error) { all.Valuation, err = p.valuation(ctx, r); return err })
		group.Go(func() (err error) { all.Momentum, err = momentumOf(ctx, r); return err })
		if err := group.Wait(); err != nil {
			return nil, err
		}
		return &all, nil
	})
}

// momentumOf measures momentum from the token's chart and pools.
func momentumOf(ctx context.Context, r *endpoint.Request) (momentum, error) {
	s := subjectOf(r)
	chart, err := tokenfacts.ChartOf(ctx, r.Session, s)
	if err != nil {
		return momentum{}, err
	}
	pools, err := tokenfacts.Pools(ctx, r.Session, s)
	if err != nil {
		return momentum{}, err
	}
	return measureMomentum(chart, pools, s.AsOf), nil
}

// readingNeeds are the ports behind all readings together.
var readingNeeds = []market.Port{
	market.ContractFacts, market.TokenSecurityFacts, market.SimulationFacts, market.PoolFacts, market.HolderFacts, market.CandleFacts,
	market.TradeFacts, market.ActivityFacts, market.PriceFacts,
}
