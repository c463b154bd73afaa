package evm

import (
	"context"
	"math"
	"slices"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// CurrentPrices reads what assets are worth now, in USD; one without a trustworthy price is missing.
type CurrentPrices interface {
	CurrentPrices(ctx context.Context, on *chain.Chain, assets []chain.Address) (map[chain.Address]float64, error)
}

// Priced reads balances and prices those of the chain's own quote assets that came without a price, as a node's do. It implements
// market.HoldingsPort.
type Priced struct {
	holdings market.HoldingsPort
	prices   CurrentPrices
}

// NewPriced prices what holdings reads.
func NewPriced(holdings market.HoldingsPort, prices CurrentPrices) *Priced {
	return &Priced{holdings: holdings, prices: prices}
}

// Holdings reads a wallet's balances. Prices are only asked for where some are missing.
func (p *Priced) Holdings(ctx context.Context, on *chain.Chain, wallet chain.Address) ([]market.Holding, error) {
	holdings, err := p.holdings.Holdings(ctx, on, wallet)
	if err != nil {
		return nil, err
	}
	var missing []chain.Address
	for i := range holdings {
		if h := &holdings[i]; on.IsQuote(h.Token.Address) && math.IsNaN(h.PriceUSD) && !h.Amount.IsZero() {
			missing = append(missing, h.Token.Address)
		}
	}
	if len(missing) == 0 {
		return holdings, nil
	}
	slices.SortFunc(missing, chain.Address.Compare)
	prices, err := p.prices.CurrentPrices(ctx, on, missing)
	if err != nil {
		return nil, err
	}
	priced := slices.Clone(holdings)
	for i := range priced {
		if usd, found := prices[priced[i].Token.Address]; found && math.IsNaN(priced[i].PriceUSD) {
			priced[i].PriceUSD = usd
		}
	}
	return priced, nil
}
