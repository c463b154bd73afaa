package tokenfacts_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenfacts"
)

// poolProvider answers with one pool for every token whose last digit is even, and remembers what it was asked.
type poolProvider struct {
	asked [][]chain.Address
	err   error
}

func (p *poolProvider) Pools(_ context.Context, _ *chain.Chain, tokens []chain.Address) (map[chain.Address][]market.Pool, error) {
	p.asked = append(p.asked, slices.Clone(tokens))
	found := make(map[chain.Address][]market.Pool)
	for _, token := range tokens {
		if token[19]%2 == 0 {
			found[token] = []market.Pool{{ID: fmt.Sprint("pool ", len(p.asked)), Token: token}}
		}
	}
	return found, p.err
}

func TestPoolsReadInOneGoAreNotAskedForAgain(t *testing.T) {
	on, _ := chain.Parse("base")
	asOf := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	provider := &poolProvider{}
	session := market.NewSession(t.Context(), market.Sources{Pools: provider})
	subject := func(n byte) tokenfacts.Subject {
		return tokenfacts.Subject{Chain: on, Token: chain.Address{19: n}, AsOf: asOf}
	}
	if _, err := tokenfacts.Pools(t.Context(), session, subject(2)); err != nil {
		t.Fatal(err)
	}
	tokens := []chain.Address{{19: 1}, {19: 2}, {19: 4}}
	all, err := tokenfacts.PoolsOfAll(t.Context(), session, on, tokens, asOf)
	if err != nil || len(all) != 2 || all[tokens[1]][0].ID != "pool 1" || all[tokens[2]][0].ID != "pool 2" {
		t.Fatalf("%v, %v", all, err)
	}
	for n, want := range map[byte]string{1: "", 2: "pool 1", 4: "pool 2"} {
		pools, err := tokenfacts.Pools(t.Context(), session, subject(n))
		if err != nil || len(pools) != min(len(want), 1) || len(pools) == 1 && pools[0].ID != want {
			t.Errorf("%d: %v, %v", n, pools, err)
		}
	}
	if len(provider.asked) != 2 || !slices.Equal(provider.asked[1], tokens) {
		t.Errorf("asked %v", provider.asked)
	}
}

func TestPoolsThatCannotBeReadPrimeNothing(t *testing.T) {
	on, _ := chain.Parse("base")
	provider := &poolProvider{err: market.ErrUnavailable}
	session := market.NewSession(t.Context(), market.Sources{Pools: provider})
	if _, err := tokenfacts.PoolsOfAll(t.Context(), session, on, []chain.Address{{19: 2}}, time.Time{}); err == nil {
		t.Error("no error")
	}
	provider.err = nil
	if pools, err := tokenfacts.Pools(t.Context(), session, tokenfacts.Subject{Chain: on, Token: chain.Address{19: 2}}); err != nil || len(pools) != 1 {
		t.Errorf("%v, %v", pools, err)
	}
}
