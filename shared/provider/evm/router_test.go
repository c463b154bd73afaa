package evm

import (
	"context"
	"errors"
	"testing"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/blockscout"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/evmrpc"
)

var (
	_ Source              = (*blockscout.Adapter)(nil)
	_ Source              = (*evmrpc.Adapter)(nil)
	_ market.CodePort     = (*evmrpc.Adapter)(nil)
	_ market.ActivityPort = (*Router)(nil)
	_ market.HoldingsPort = (*Router)(nil)
)

type source struct {
	covers map[chain.Slug]bool
	block  uint64
	err    error
}

func (s source) Covers(slug chain.Slug) bool { return s.covers[slug] }

func (s source) Activity(context.Context, *chain.Chain, chain.Address) (*market.Activity, error) {
	return &market.Activity{Transactions: []market.Transaction{{Block: s.block}}}, s.err
}

func (s source) Holdings(context.Context, *chain.Chain, chain.Address) ([]market.Holding, error) {
	return make([]market.Holding, s.block), s.err
}

func TestRouter(t *testing.T) {
	down := errors.New("down")
	explorer := source{map[chain.Slug]bool{chain.Ethereum: true, chain.Base: true}, 1, nil}
	node := source{map[chain.Slug]bool{chain.Ethereum: true, chain.BSC: true}, 2, down}
	router := NewRouter(explorer, node)
	for slug, want := range map[chain.Slug]struct {
		block uint64
		err   error
	}{chain.Ethereum: {1, nil}, chain.Base: {1, nil}, chain.BSC: {2, down}, chain.Polygon: {0, market.ErrUnavailable}} {
		on, _ := chain.Parse(string(slug))
		activity, err := router.Activity(context.Background(), on, chain.Address{})
		if !errors.Is(err, want.err) || want.err == nil && activity.Transactions[0].Block != want.block {
			t.Error(slug, activity, err)
		}
		holdings, err := router.Holdings(context.Background(), on, chain.Address{})
		if !errors.Is(err, want.err) || want.err == nil && len(holdings) != int(want.block) {
			t.Error(slug, len(holdings), err)
		}
	}
}
