package market

import (
	"context"
	"slices"
	"strings"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

// Rough sizes in bytes, for the weight of what is cached.
const (
	holderBytes     = 130
	tradeBytes      = 130
	contractBytes   = 500
	simulationBytes = 250
)

func weightOf(holders []Holder) int {
	bytes := len(holders) * holderBytes
	for i := range holders {
		bytes += len(holders[i].Account.Label)
	}
	return bytes
}

type cachedHolders struct {
	next  HolderPort
	fresh Freshness
	shelf *shelf[accountKey, *TokenHolders]
}

func (c *cachedHolders) Holders(ctx context.Context, on *chain.Chain, token chain.Address) (*TokenHolders, error) {
	return c.shelf.get(ctx, accountKey{on.Slug, token}, func(ctx context.Context) (kept[*TokenHolders], error) {
		holders, err := c.next.Holders(ctx, on, token)
		if err != nil {
			return kept[*TokenHolders]{}, err
		}
		return kept[*TokenHolders]{holders, c.fresh.lasting(c.fresh.Holders, holders.Known), weightOf(holders.Top)}, nil
	})
}

type cachedTrades struct {
	next  TradePort
	fresh Freshness
	shelf *shelf[poolKey, *TokenTrades]
}

func (c *cachedTrades) Trades(ctx context.Context, on *chain.Chain, request TradesRequest) (*TokenTrades, error) {
	return c.shelf.get(ctx, poolKey{on.Slug, request.Pool, request.Token}, func(ctx context.Context) (kept[*TokenTrades], error) {
		trades, err := c.next.Trades(ctx, on, request)
		if err != nil {
			return kept[*TokenTrades]{}, err
		}
		return kept[*TokenTrades]{trades, c.fresh.lasting(c.fresh.Trades, len(trades.Trades) > 0), len(trades.Trades) * tradeBytes}, nil
	})
}

type cachedContracts struct {
	next  ContractPort
	fresh Freshness
	shelf *shelf[accountKey, *Contract]
}

func (c *cachedContracts) Contract(ctx context.Context, on *chain.Chain, account chain.Address) (*Contract, error) {
	return c.shelf.get(ctx, accountKey{on.Slug, account}, func(ctx context.Context) (kept[*Contract], error) {
		contract, err := c.next.Contract(ctx, on, account)
		if err != nil {
			return kept[*Contract]{}, err
		}
		bytes := contractBytes + len(contract.Code)
		if contract.Proxy != nil {
			bytes += contractBytes + len(contract.Proxy.Code)
		}
		return kept[*Contract]{contract, c.fresh.lasting(c.fresh.Contracts, len(contract.Code) > 0), bytes}, nil
	})
}

// simulationKey names a token and the pools to try it in, in their order: trades in other pools may end otherwise.
type simulationKey struct {
	accountKey
	pools string
}

type cachedSimulation struct {
	next  SimulationPort
	fresh Freshness
	shelf *shelf[simulationKey, *Simulation]
}

func (c *cachedSimulation) Simulate(ctx context.Context, on *chain.Chain, request SimulationRequest) (*Simulation, error) {
	ids := make([]string, len(request.Pools))
	for i := range request.Pools {
		ids[i] = request.Pools[i].ID
	}
	key := simulationKey{accountKey{on.Slug, request.Token}, strings.Join(ids, " ")}
	// The fetch may outlive its asker, whose pools are its own.
	request.Pools = slices.Clone(request.Pools)
	return c.shelf.get(ctx, key, func(ctx context.Context) (kept[*Simulation], error) {
		simulation, err := c.next.Simulate(ctx, on, request)
		if err != nil {
			return kept[*Simulation]{}, err
		}
		return kept[*Simulation]{simulation, c.fresh.lasting(c.fresh.Simulation, simulation.Source != ""), simulationBytes + len(key.pools)}, nil
	})
}

type cachedListings struct {
	next  ListingPort
	fresh Freshness
	shelf *shelf[chain.Slug, []ListedToken]
}

func (c *cachedListings) Listed(ctx context.Context, on *chain.Chain) ([]ListedToken, error) {
	return c.shelf.get(ctx, on.Slug, func(ctx context.Context) (kept[[]ListedToken], error) {
		listed, err := c.next.Listed(ctx, on)
		return kept[[]ListedToken]{listed, c.fresh.lasting(c.fresh.Listings, len(listed) > 0), len(listed) * poolBytes}, err
	})
}
