package leader

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

const (
	// activePools are the most traded pools of a chain whose buyers are looked at, activeBuyers how many of these are kept of a pass.
	activePools  = 20
	activeBuyers = 60
	// activeWithin is how long ago a purchase may be.
	activeWithin = day
)

// activeFinding is what a finding by ActiveBuyer says. It is the Data of the finding, in JSON.
type activeFinding struct {
	// Token is what was bought latest, BoughtAt when.
	Token    chain.Address `json:"token"`
	BoughtAt time.Time     `json:"boughtAt"`
}

// active finds who bought lately in a chain's most traded pools: the latest buyers, without contracts and accounts that are publicly
// known to serve many. It returns how many.
func (d *discoverer) active(ctx context.Context, at time.Time, on *chain.Chain) (int, error) {
	listed, err := d.sources.Listings.Listed(ctx, on)
	if err != nil {
		return 0, err
	}
	pools := slices.DeleteFunc(slices.Clone(listed), func(l market.ListedToken) bool { return on.IsQuote(l.Token) || !(l.Pool.VolumeUSD24h > 0) })
	slices.SortStableFunc(pools, func(a, b market.ListedToken) int {
		return cmp.Or(cmp.Compare(b.Pool.VolumeUSD24h, a.Pool.VolumeUSD24h), a.Token.Compare(b.Token))
	})
	pools = pools[:min(len(pools), activePools)]
	buyers, public, err := d.buyers(ctx, at, on, pools)
	if err != nil {
		return 0, err
	}
	wallets := make([]chain.Address, 0, len(buyers))
	for wallet := range buyers {
		if !public[wallet] {
			wallets = append(wallets, wallet)
		}
	}
	slices.SortFunc(wallets, func(a, b chain.Address) int {
		return cmp.Or(buyers[b].BoughtAt.Compare(buyers[a].BoughtAt), a.Compare(b))
	})
	return d.keepPersons(ctx, at, on, wallets[:min(len(wallets), activeBuyers)], buyers)
}

// buyers are who bought lately in some of these pools, and which of a pool's holders serve many. A pool that cannot be read is passed
// over; when none can, that is an error.
func (d *discoverer) buyers(
	ctx context.Context, at time.Time, on *chain.Chain, pools []market.ListedToken,
) (buyers map[chain.Address]activeFinding, public map[chain.Address]bool, err error) {
	buyers, public = make(map[chain.Address]activeFinding), make(map[chain.Address]bool)
	failures, failed := 0, error(nil)
	var mu sync.Mutex
	group := parallel.NewGroup()
	group.SetLimit(atOnce)
	for _, pool := range pools {
		group.Go(func() error {
			trades, err := d.sources.Trades.Trades(ctx, on, market.TradesRequest{Pool: pool.Pool.ID, Token: pool.Token})
			var holders *market.TokenHolders
			if err == nil && d.sources.Has(market.HolderFacts) {
				holders, _ = d.sources.Holders.Holders(ctx, on, pool.Token) // without it fewer are known to serve many
			}
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failures++
				failed = err
				return nil
			}
			for _, t := range trades.Trades {
				known, seen := buyers[t.Trader]
				if !t.Buy || t.Trader.IsZero() || t.Time.After(at) || at.Sub(t.Time) > activeWithin || seen && !newer(t.Time, pool.Token, known) {
					continue
				}
				buyers[t.Trader] = activeFinding{pool.Token, t.Time.UTC()}
			}
			if holders != nil {
				for _, h := range holders.Top {
					if h.Account.Contract || h.Account.Kind != market.UnknownAccount {
						public[h.Account.Address] = true
					}
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil { // a panic
		return nil, nil, err
	}
	if failures > 0 && failures == len(pools) {
		return nil, nil, failed
	}
	return buyers, public, nil
}

// newer orders purchases by time and then by token, so that the order in which pools answer does not matter.
func newer(boughtAt time.Time, token chain.Address, than activeFinding) bool {
	return cmp.Or(boughtAt.Compare(than.BoughtAt), token.Compare(than.Token)) > 0
}

// keepPersons writes down those of the wallets that are no contracts.
func (d *discoverer) keepPersons(
	ctx context.Context, at time.Time, on *chain.Chain, wallets []chain.Address, buyers map[chain.Address]activeFinding,
) (int, error) {
	persons := make([]bool, len(wallets))
	failures := make([]error, len(wallets))
	group := parallel.NewGroup()
	group.SetLimit(atOnce)
	for i, wallet := range wallets {
		group.Go(func() error {
			code, err := d.sources.Code.Code(ctx, on, wallet)
			persons[i], failures[i] = err == nil && (code.Empty || !code.Delegate.IsZero()), err
			return nil
		})
	}
	if err := group.Wait(); err != nil { // a panic
		return 0, err
	}
	if len(wallets) > 0 && !slices.Contains(failures, nil) {
		return 0, failures[0]
	}
	var kept []discovered
	for i, wallet := range wallets {
		if !persons[i] {
			continue
		}
		data, err := json.Marshal(buyers[wallet])
		if err != nil {
			return 0, err
		}
		kept = append(kept, discovered{wallet.String(), data})
	}
	return len(kept), d.keepAll(ctx, at, store.Group{Kind: Spot, Place: string(on.Slug)}, ActiveBuyer, kept)
}
