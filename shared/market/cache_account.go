package market

import (
	"context"
	"slices"
	"sync"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
)

// Rough sizes in bytes, for the weight of what is cached.
const (
	transactionBytes = 200
	movementBytes    = 100
	tokenBytes       = 160
	accountBytes     = 80
	holdingBytes     = 200
	poolBytes        = 320
	approvalBytes    = 400
	findingBytes     = 200
)

type cachedActivity struct {
	next  ActivityPort
	fresh Freshness
	shelf *shelf[accountKey, *Activity]
}

func (c *cachedActivity) Activity(ctx context.Context, on *chain.Chain, wallet chain.Address) (*Activity, error) {
	return c.shelf.get(ctx, accountKey{on.Slug, wallet}, func(ctx context.Context) (kept[*Activity], error) {
		activity, err := c.next.Activity(ctx, on, wallet)
		if err != nil {
			return kept[*Activity]{}, err
		}
		bytes := len(activity.Tokens)*tokenBytes + len(activity.Accounts)*accountBytes
		for i := range activity.Transactions {
			bytes += transactionBytes + len(activity.Transactions[i].Movements)*movementBytes
		}
		return kept[*Activity]{activity, c.fresh.lasting(c.fresh.Activity, len(activity.Transactions) > 0), bytes}, nil
	})
}

type cachedHoldings struct {
	next  HoldingsPort
	fresh Freshness
	shelf *shelf[accountKey, []Holding]
}

func (c *cachedHoldings) Holdings(ctx context.Context, on *chain.Chain, wallet chain.Address) ([]Holding, error) {
	return c.shelf.get(ctx, accountKey{on.Slug, wallet}, func(ctx context.Context) (kept[[]Holding], error) {
		holdings, err := c.next.Holdings(ctx, on, wallet)
		return kept[[]Holding]{holdings, c.fresh.lasting(c.fresh.Holdings, len(holdings) > 0), len(holdings) * holdingBytes}, err
	})
}

type cachedPools struct {
	next  PoolPort
	fresh Freshness
	shelf *shelf[accountKey, []Pool]
}

func (c *cachedPools) Pools(ctx context.Context, on *chain.Chain, tokens []chain.Address) (map[chain.Address][]Pool, error) {
	found, err := c.shelf.getAll(ctx, accountKeys(on, tokens), func(ctx context.Context, keys []accountKey) (map[accountKey]kept[[]Pool], error) {
		pools, err := c.next.Pools(ctx, on, addresses(keys))
		if err != nil {
			return nil, err
		}
		loaded := make(map[accountKey]kept[[]Pool], len(keys))
		for _, key := range keys {
			of := pools[key.address]
			loaded[key] = kept[[]Pool]{of, c.fresh.lasting(c.fresh.Pools, len(of) > 0), len(of) * poolBytes}
		}
		return loaded, nil
	})
	if err != nil {
		return nil, err
	}
	answer := make(map[chain.Address][]Pool, len(found))
	for key, pools := range found {
		if len(pools) > 0 {
			answer[key.address] = pools
		}
	}
	return answer, nil
}

func accountKeys(on *chain.Chain, addresses []chain.Address) []accountKey {
	keys := make([]accountKey, len(addresses))
	for i := range addresses {
		keys[i] = accountKey{on.Slug, addresses[i]}
	}
	return keys
}

func addresses(keys []accountKey) []chain.Address {
	all := make([]chain.Address, len(keys))
	for i := range keys {
		all[i] = keys[i].address
	}
	slices.SortFunc(all, chain.Address.Compare)
	return all
}

type cachedApprovals struct {
	next  ApprovalPort
	fresh Freshness
	shelf *shelf[accountKey, *Approvals]
}

func (c *cachedApprovals) Approvals(ctx context.Context, on *chain.Chain, wallet chain.Address) (*Approvals, error) {
	return c.shelf.get(ctx, accountKey{on.Slug, wallet}, func(ctx context.Context) (kept[*Approvals], error) {
		approvals, err := c.next.Approvals(ctx, on, wallet)
		if err != nil {
			return kept[*Approvals]{}, err
		}
		return kept[*Approvals]{approvals, c.fresh.lasting(c.fresh.Approvals, len(approvals.Open) > 0), len(approvals.Open) * approvalBytes}, nil
	})
}

type cachedCode struct {
	next  CodePort
	fresh Freshness
	shelf *shelf[accountKey, Code]
}

func (c *cachedCode) Code(ctx context.Context, on *chain.Chain, account chain.Address) (Code, error) {
	return c.shelf.get(ctx, accountKey{on.Slug, account}, func(ctx context.Context) (kept[Code], error) {
		code, err := c.next.Code(ctx, on, account)
		return kept[Code]{code, c.fresh.Code, 0}, err
	})
}

// finding is what a security provider says of one thing, if it knows it.
type finding[V any] struct {
	value V
	known bool
}

// findings asks for each address by itself, so that one that fails does not take the others out of the cache.
func findings[V any](
	ctx context.Context, shelf *shelf[accountKey, finding[V]], f Freshness, on *chain.Chain, addresses []chain.Address,
	ask func(context.Context, *chain.Chain, []chain.Address) (map[chain.Address]V, error), weigh func(V) int,
) (map[chain.Address]V, error) {
	var mu sync.Mutex
	answer := make(map[chain.Address]V, len(addresses))
	calls := parallel.NewGroup()
	for _, address := range addresses {
		calls.Go(func() error {
			found, err := shelf.get(ctx, accountKey{on.Slug, address}, func(ctx context.Context) (kept[finding[V]], error) {
				values, err := ask(ctx, on, []chain.Address{address})
				value, known := values[address]
				return kept[finding[V]]{finding[V]{value, known}, f.lasting(f.Security, known), findingBytes + weigh(value)}, err
			})
			if err == nil && found.known {
				mu.Lock()
				answer[address] = found.value
				mu.Unlock()
			}
			return err
		})
	}
	if err := calls.Wait(); err != nil {
		return nil, err
	}
	return answer, nil
}

type cachedTokenSecurity struct {
	next  TokenSecurityPort
	fresh Freshness
	shelf *shelf[accountKey, finding[TokenSecurity]]
}

func (c *cachedTokenSecurity) TokenSecurity(ctx context.Context, on *chain.Chain, tokens []chain.Address) (map[chain.Address]TokenSecurity, error) {
	return findings(ctx, c.shelf, c.fresh, on, tokens, c.next.TokenSecurity, func(s TokenSecurity) int { return weightOf(s.Top) + weightOf(s.LiquidityProviders) })
}

type cachedAddressSecurity struct {
	next  AddressSecurityPort
	fresh Freshness
	shelf *shelf[accountKey, finding[AddressSecurity]]
}

func (c *cachedAddressSecurity) AddressSecurity(ctx context.Context, on *chain.Chain, accounts []chain.Address) (map[chain.Address]AddressSecurity, error) {
	return findings(ctx, c.shelf, c.fresh, on, accounts, c.next.AddressSecurity, func(AddressSecurity) int { return 0 })
}
