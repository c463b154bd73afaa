package token

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenfacts"
)

// RefreshedChain says what became of one chain's peers.
type RefreshedChain struct {
	Chain chain.Slug
	// Tokens is how many were measured.
	Tokens int
	// Fresh is true when the set that is kept was made a moment ago, and nothing was asked.
	Fresh bool
	// Err is why the chain's set could not be made anew; the old one then stays.
	Err error
}

// Bounds of a refresh.
const (
	// peersFresh is how old a set must be before it is made anew, so that a run that comes twice asks nobody twice.
	peersFresh = 30 * time.Minute
	// listedAtMost bounds how many of the listed tokens are measured on a chain.
	listedAtMost = 200
	// holdersAtMost is how many tokens of a chain are asked for their holders in one run, those first whose count is oldest.
	holdersAtMost, holdersAtOnce = 30, 4
	// holdersLast is how long a count of holders is used.
	holdersLast    = 24 * time.Hour
	chainsAtOnce   = 2
	observedAtOnce = 8
)

// RefreshPeers measures the tokens that are traded on every chain now, keeps an observation of each, and keeps them as the chain's
// peers. A chain that fails leaves its old peers as they are and the others to themselves. The peers are written last: a run that
// was cut short is made up for by the next.
func RefreshPeers(ctx context.Context, memory Memory, sources market.Sources, at time.Time) []RefreshedChain {
	chains := chain.All()
	refreshed := make([]RefreshedChain, len(chains))
	group := parallel.NewGroup()
	group.SetLimit(chainsAtOnce)
	for i, on := range chains {
		refreshed[i].Chain = on.Slug
		group.Go(func() error {
			// A group of one makes a panic the error of its chain.
			one := parallel.NewGroup()
			one.Go(func() (err error) {
				refreshed[i].Tokens, refreshed[i].Fresh, err = refreshChain(ctx, memory, sources, on, at)
				return err
			})
			refreshed[i].Err = one.Wait()
			return nil
		})
	}
	_ = group.Wait() // every chain has its own error
	return refreshed
}

func refreshChain(ctx context.Context, memory Memory, sources market.Sources, on *chain.Chain, at time.Time) (tokens int, fresh bool, err error) {
	kept, err := memory.Peers.PeersOf(ctx, string(on.Slug))
	switch {
	case errors.Is(err, store.ErrNotFound):
	case err != nil:
		return 0, false, err
	case at.Sub(kept.At) < peersFresh:
		return 0, true, nil
	}
	// A set that cannot be read any more has nothing to carry over.
	before, _ := decodePeers(kept.Data)
	listed, err := listedTokens(ctx, sources, on)
	if err != nil {
		return 0, false, err
	}
	pools, err := sources.Pools.Pools(ctx, on, listed)
	if err != nil {
		return 0, false, err
	}
	counts := carriedHolders(before, at)
	asked := countHolders(ctx, sources, on, askForHolders(listed, pools, counts), at)
	for token, holders := range asked {
		counts[token] = holderCount{holders.Count, at}
	}
	var peers []peer
	for _, token := range listed {
		if tokenfacts.LiquidityUSD(quotedPools(on, pools[token])) < thinPools {
			continue
		}
		if m := measureOf(on, pools[token], counts[token].holders, at); !math.IsNaN(m.Liquidity) {
			peers = append(peers, peer{Token: token, measure: m, HoldersAt: counts[token].at})
		}
	}
	if len(peers) == 0 {
		return 0, false, fmt.Errorf("none of %d listed tokens has a valuation", len(listed))
	}
	if err := observe(ctx, memory.Observations, on, listed, pools, asked, at); err != nil {
		return 0, false, err
	}
	data, err := encodePeers(peers)
	if err != nil {
		return 0, false, err
	}
	return len(peers), false, memory.Peers.PutPeers(ctx, string(on.Slug), store.PeerSet{At: at, Data: data})
}

// listedTokens are the tokens that trade on a chain now, by address, but for what trades are quoted in, which has no peers.
func listedTokens(ctx context.Context, sources market.Sources, on *chain.Chain) ([]chain.Address, error) {
	listing, err := sources.Listings.Listed(ctx, on)
	if err != nil {
		return nil, err
	}
	// Where the list is too long the deepest pools are kept. The list itself is shared by all who ask for it.
	listing = slices.Clone(listing)
	slices.SortStableFunc(listing, func(a, b market.ListedToken) int {
		return cmp.Compare(depth(b.Pool), depth(a.Pool))
	})
	var tokens []chain.Address
	for i := range listing {
		if token := listing[i].Token; !on.IsQuote(token) && !slices.Contains(tokens, token) && len(tokens) < listedAtMost {
			tokens = append(tokens, token)
		}
	}
	slices.SortFunc(tokens, chain.Address.Compare)
	return tokens, nil
}

// depth is a pool's liquidity, nothing when unknown.
func depth(pool market.Pool) float64 {
	if math.IsNaN(pool.LiquidityUSD) {
		return 0
	}
	return pool.LiquidityUSD
}

// holderCount is how many held a token when.
type holderCount struct {
	holders int
	at      time.Time
}

// carriedHolders are the counts of an earlier run that are still of use.
func carriedHolders(before []peer, at time.Time) map[chain.Address]holderCount {
	counts := make(map[chain.Address]holderCount)
	for i := range before {
		if p := &before[i]; !math.IsNaN(p.logHolders) && at.Sub(p.HoldersAt) < holdersLast {
			counts[p.Token] = holderCount{int(math.Round(math.Exp(p.logHolders))), p.HoldersAt}
		}
	}
	return counts
}

// askForHolders chooses the tokens whose holders are counted anew: those that were never counted first, the deepest of them first,
// then those whose count is oldest.
func askForHolders(listed []chain.Address, pools map[chain.Address][]market.Pool, counts map[chain.Address]holderCount) []chain.Address {
	var candidates []chain.Address
	for _, token := range listed {
		if _, traded := tokenfacts.Deepest(pools[token]); traded {
			candidates = append(candidates, token)
		}
	}
	slices.SortStableFunc(candidates, func(a, b chain.Address) int {
		deepestA, _ := tokenfacts.Deepest(pools[a])
		deepestB, _ := tokenfacts.Deepest(pools[b])
		return cmp.Or(counts[a].at.Compare(counts[b].at), cmp.Compare(deepestB.LiquidityUSD, deepestA.LiquidityUSD))
	})
	return candidates[:min(len(candidates), holdersAtMost)]
}

// countHolders asks for the holders of several tokens. A token for which that fails stays as it was: the rest of its measure is
// still good.
func countHolders(ctx context.Context, sources market.Sources, on *chain.Chain, tokens []chain.Address, at time.Time) map[chain.Address]*market.TokenHolders {
	session := market.NewSession(ctx, sources)
	found := make([]*market.TokenHolders, len(tokens))
	group := parallel.NewGroup()
	group.SetLimit(holdersAtOnce)
	for i, token := range tokens {
		group.Go(func() error {
			holders, err := tokenfacts.Holders(ctx, session, tokenfacts.Subject{Chain: on, Token: token, AsOf: at})
			if err == nil && holders.Known && holders.Count > 0 {
				found[i] = holders
			}
			return nil
		})
	}
	_ = group.Wait() // a count that panicked was not found
	counted := make(map[chain.Address]*market.TokenHolders)
	for i, token := range tokens {
		if found[i] != nil {
			counted[token] = found[i]
		}
	}
	return counted
}

// observe keeps an observation of every token that is traded.
func observe(ctx context.Context, observations store.Observations, on *chain.Chain, listed []chain.Address,
	pools map[chain.Address][]market.Pool, counted map[chain.Address]*market.TokenHolders, at time.Time) error {
	group, ctx := parallel.WithContext(ctx)
	group.SetLimit(observedAtOnce)
	for _, token := range listed {
		deepest, traded := tokenfacts.Deepest(pools[token])
		if !traded {
			continue
		}
		group.Go(func() error {
			o := tokenfacts.Observation{
				At: at, TopShare: math.NaN(), LiquidityUSD: tokenfacts.LiquidityUSD(pools[token]), PriceUSD: deepest.PriceUSD,
			}
			if holders := counted[token]; holders != nil {
				o.Holders, o.TopShare = holders.Count, tokenfacts.TopShare(holders, pools[token], token)
			}
			data, err := o.Encode()
			if err != nil {
				return err
			}
			return observations.Observe(ctx, string(on.Slug), token.String(), store.Observation{At: at, Data: data})
		})
	}
	return group.Wait()
}
