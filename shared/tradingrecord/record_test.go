package tradingrecord

import (
	"slices"
	"testing"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

func TestOnlyTheWalletsOwnTokensAreLookedUp(t *testing.T) {
	on, _ := chain.Parse("eth")
	in := func(token int) market.Movement { return market.Movement{Token: chain.Address{byte(token)}, In: true} }
	out := func(token int) market.Movement { return market.Movement{Token: chain.Address{byte(token)}} }
	activity := &market.Activity{Transactions: []market.Transaction{
		{Sender: me, Movements: []market.Movement{in(1), {Token: chain.Native}}},
		{Sender: chain.Address{5}, Movements: []market.Movement{in(2)}},
		{Sender: chain.Address{5}, Movements: []market.Movement{out(3)}},
	}}
	got := handledTokens(on, me, activity)
	if !slices.Equal(got, []chain.Address{{1}, {3}}) {
		t.Errorf("%v", got)
	}
}
