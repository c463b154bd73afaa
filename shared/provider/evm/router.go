// Package evm chooses, for each chain, where a wallet's history and balances are read: from an explorer where one is
// configured, from a node otherwise; and who tries a trade: the node, or a service where it cannot. It reads nothing itself.
package evm

import (
	"context"
	"fmt"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// Source reads wallets on some chains. The adapters of packages blockscout and evmrpc are sources.
type Source interface {
	market.ActivityPort
	market.HoldingsPort
	// Covers tells whether the source is configured for a chain.
	Covers(chain.Slug) bool
}

// Router asks the first of its sources that covers the chain. It implements market.ActivityPort and market.HoldingsPort.
type Router struct{ sources []Source }

// NewRouter makes a router over sources in order of preference.
func NewRouter(sources ...Source) *Router { return &Router{sources} }

func (r *Router) source(on *chain.Chain) (Source, error) {
	for _, source := range r.sources {
		if source.Covers(on.Slug) {
			return source, nil
		}
	}
	return nil, fmt.Errorf("%w: neither an explorer nor a node is configured for %s", market.ErrUnavailable, on.Slug)
}

// Activity reads a wallet's history.
func (r *Router) Activity(ctx context.Context, on *chain.Chain, wallet chain.Address) (*market.Activity, error) {
	source, err := r.source(on)
	if err != nil {
		return nil, err
	}
	return source.Activity(ctx, on, wallet)
}

// Holdings reads a wallet's balances.
func (r *Router) Holdings(ctx context.Context, on *chain.Chain, wallet chain.Address) ([]market.Holding, error) {
	source, err := r.source(on)
	if err != nil {
		return nil, err
	}
	return source.Holdings(ctx, on, wallet)
}
