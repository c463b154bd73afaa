package token

import (
	"context"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenfacts"
)

// chartFacts are a token's chart or, when there is none, why.
type chartFacts struct {
	*tokenfacts.Chart
	missing *reason.Reason
}

// chartNeeds are the ports behind chartFacts.
var chartNeeds = []market.Port{market.PoolFacts, market.CandleFacts, market.ContractFacts}

// gatherChart reads the chart. The contract is asked only where there is no pool, to tell a token without a market from no token.
func gatherChart(ctx context.Context, r *endpoint.Request) (chartFacts, error) {
	s := subjectOf(r)
	chart, err := tokenfacts.ChartOf(ctx, r.Session, s)
	if err != nil || chart.Pool.ID != "" {
		return chartFacts{Chart: chart}, err
	}
	contract, err := tokenfacts.Contract(ctx, r.Session, s)
	if err != nil {
		return chartFacts{}, err
	}
	why := because("NO_POOL", 1, "No pool with a price is known for this token, so there is nothing to chart.")
	if tokenfacts.CheckToken(contract) != nil {
		why = because("NOT_A_TOKEN", 1, "This address is not a token on this chain, so there is nothing to chart.")
	}
	return chartFacts{Chart: chart, missing: &why}, nil
}
