package tokenfacts

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

var concentrated = chain.Address{0xaa}

func holder(n byte, share float64) market.Holder {
	return market.Holder{Account: market.Account{Address: chain.Address{0x10, n}}, Share: share}
}

func TestInfrastructureIsNoHolder(t *testing.T) {
	pools := []market.Pool{{ID: chain.Address{0x10, 1}.String()}}
	named, locked, itself := holder(2, 0.2), holder(3, 0.2), holder(4, 0.1)
	named.Account.Kind = market.ExchangeAccount
	locked.Locked = true
	itself.Account.Address = concentrated
	contract := holder(5, 0.05)
	contract.Account.Contract = true
	all := &market.TokenHolders{Known: true, Top: []market.Holder{
		holder(1, 0.4), named, locked, itself, {Share: 0.1}, contract, holder(6, 0.03), holder(7, math.NaN()), holder(8, -1),
	}}
	if got := TopShare(all, pools, concentrated); math.Abs(got-0.08) > 1e-12 {
		t.Errorf("top share %v, want 0.08", got)
	}
	if got := IndependentHolders(all, pools, concentrated); len(got) != 2 || got[0].Share != 0.05 {
		t.Errorf("%+v", got)
	}
}

func TestWhoIsNotListedIsUnknown(t *testing.T) {
	for _, holders := range []*market.TokenHolders{{}, {Known: true, Count: 9}, {Top: []market.Holder{holder(1, 0.5)}}} {
		if got := TopShare(holders, nil, concentrated); !math.IsNaN(got) {
			t.Errorf("%+v has a top share of %v", holders, got)
		}
	}
}

func TestTheTopShareIsAShareOfTheTenLargest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shares := rapid.SliceOfN(rapid.Float64Range(0.001, 2), 1, 30).Draw(t, "shares")
		all := &market.TokenHolders{Known: true}
		for i, share := range shares {
			all.Top = append(all.Top, holder(byte(i), share))
		}
		whole := TopShare(all, nil, concentrated)
		if !(whole > 0 && whole <= 1) {
			t.Fatal(whole)
		}
		all.Top = rapid.Permutation(all.Top).Draw(t, "order")
		if again := TopShare(all, nil, concentrated); again != whole {
			t.Fatalf("%v in another order, %v before", again, whole)
		}
	})
}
