package evm_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/holiman/uint256"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/evm"
)

type balances []market.Holding

func (b balances) Holdings(context.Context, *chain.Chain, chain.Address) ([]market.Holding, error) {
	return b, nil
}

type prices struct {
	usd   map[chain.Address]float64
	asked []chain.Address
	err   error
}

func (p *prices) CurrentPrices(_ context.Context, _ *chain.Chain, assets []chain.Address) (map[chain.Address]float64, error) {
	p.asked = append(p.asked, assets...)
	return p.usd, p.err
}

func TestOnlyQuoteAssetsWithoutAPriceAreAskedFor(t *testing.T) {
	on, _ := chain.Parse("bsc")
	token := chain.Address{1}
	held := func(asset chain.Address, usd float64) market.Holding {
		return market.Holding{Token: market.Token{Address: asset, Known: true}, Amount: *uint256.NewInt(5), PriceUSD: usd}
	}
	empty := held(on.Stables[1].Address, math.NaN())
	empty.Amount.Clear()
	read := balances{held(chain.Native, math.NaN()), held(on.Stables[0].Address, 1), held(token, math.NaN()), empty}
	asked := &prices{usd: map[chain.Address]float64{chain.Native: 600, token: 3}}
	got, err := evm.NewPriced(read, asked).Holdings(t.Context(), on, chain.Address{9})
	if err != nil || len(asked.asked) != 1 || asked.asked[0] != chain.Native {
		t.Fatalf("asked for %v: %v", asked.asked, err)
	}
	if got[0].PriceUSD != 600 || got[1].PriceUSD != 1 || !math.IsNaN(read[0].PriceUSD) {
		t.Errorf("%v", got)
	}
	if _, err := evm.NewPriced(read, &prices{err: market.ErrUnavailable}).Holdings(t.Context(), on, chain.Address{9}); !errors.Is(err, market.ErrUnavailable) {
		t.Errorf("a failing price source gives %v", err)
	}
	silent := &prices{}
	if _, err := evm.NewPriced(read[1:2], silent).Holdings(t.Context(), on, chain.Address{9}); err != nil || silent.asked != nil {
		t.Errorf("prices are asked for without need: %v", silent.asked)
	}
}
