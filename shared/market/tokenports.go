package market

import (
	"context"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

// HolderPort reads who holds a token. Where nobody lists a chain's holders, Known is false and there is no error.
type HolderPort interface {
	Holders(ctx context.Context, on *chain.Chain, token chain.Address) (*TokenHolders, error)
}

// TradePort reads a token's latest trades in one pool.
type TradePort interface {
	Trades(ctx context.Context, on *chain.Chain, request TradesRequest) (*TokenTrades, error)
}

// ContractPort reads a contract's code and how it answers as a token.
type ContractPort interface {
	Contract(ctx context.Context, on *chain.Chain, account chain.Address) (*Contract, error)
}

// SimulationPort tries trades without making them. Where no pool or node allows it the simulation says so, without an error.
type SimulationPort interface {
	Simulate(ctx context.Context, on *chain.Chain, request SimulationRequest) (*Simulation, error)
}

// ListingPort lists tokens that are traded on a chain now, the most traded and the newest, each once, sorted by address.
type ListingPort interface {
	Listed(ctx context.Context, on *chain.Chain) ([]ListedToken, error)
}
