package leader

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/discovery"
	"github.com/mirrorworthy/mirrorworthy/shared/launchrecord"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

const (
	// vetted is how many of the wallets that a search names are looked into at most, the least likely by chance first.
	vetted = 200
	// checkLife is how long it holds what a wallet's money told.
	checkLife = 7 * day
	// remembered is how long what is left of an earlier finding is still told.
	remembered = 30 * day
)

// chainSearch is a finished search of a chain, with who had a part in each launch.
type chainSearch struct {
	*discovery.Search
	teams map[chain.Address][]chain.Address
	// launchedAt is when each token came to market.
	launchedAt map[chain.Address]time.Time
}

// search looks for early buyers among a chain's examined launches and keeps whom nothing speaks against. It returns how many.
func (d *discoverer) search(ctx context.Context, at time.Time, on *chain.Chain) (int, error) {
	s, err := d.examined(ctx, at, on)
	if err != nil {
		return 0, err
	}
	before, err := d.earlyBuyers(ctx, on)
	if err != nil {
		return 0, err
	}
	named := s.Found()
	slices.SortStableFunc(named, func(a, b discovery.Finding) int {
		return cmp.Or(cmp.Compare(a.AdjustedP, b.AdjustedP), cmp.Compare(a.Older.P, b.Older.P))
	})
	kept, err := d.vet(ctx, at, on, s, named[:min(len(named), vetted)], before)
	if err != nil {
		return 0, err
	}
	for _, f := range kept {
		delete(before, f.Wallet)
	}
	all := slices.Concat(kept, left(at, s, before))
	write := make([]discovered, len(all))
	for i, f := range all {
		data, err := f.data()
		if err != nil {
			return 0, err
		}
		write[i] = discovered{f.Wallet.String(), data}
	}
	return len(kept), d.keepAll(ctx, at, store.Group{Kind: Spot, Place: string(on.Slug)}, EarlyBuyer, write)
}

// examined searches the launches of the window of a time.
func (d *discoverer) examined(ctx context.Context, at time.Time, on *chain.Chain) (*chainSearch, error) {
	from, to := searched(at)
	s := &chainSearch{teams: make(map[chain.Address][]chain.Address), launchedAt: make(map[chain.Address]time.Time)}
	var launches []discovery.Launch
	for of := from; of.Before(to); of = of.Add(day) {
		all, err := d.memory.Launches.OfDay(ctx, string(on.Slug), of)
		if err != nil {
			return nil, err
		}
		for i := range all {
			one := &all[i]
			if one.ExaminedAt.IsZero() {
				continue
			}
			outcome, err := launchrecord.Decode(one.Outcome)
			if err != nil {
				return nil, fmt.Errorf("launch %s on %s: %w", one.Token, on.Slug, err)
			}
			if outcome.Status != launchrecord.Eligible {
				continue
			}
			token, err := chain.ParseAddress(one.Token)
			if err != nil {
				return nil, fmt.Errorf("launch %s on %s: %w", one.Token, on.Slug, err)
			}
			launches = append(launches, discovery.Launch{
				Token: token, At: one.At, LiquidityUSD: outcome.LiquidityUSD, Rose: outcome.Rose, Early: outcome.Early,
			})
			if _, known := s.launchedAt[token]; !known {
				s.teams[token], s.launchedAt[token] = outcome.Team, one.At
			}
		}
	}
	s.Search = discovery.Run(launches, from, to)
	return s, nil
}

// earlyBuyers are the chain's leaders that a search found before. One whose finding cannot be read is as good as new.
func (d *discoverer) earlyBuyers(ctx context.Context, on *chain.Chain) (map[chain.Address]earlyFinding, error) {
	before := make(map[chain.Address]earlyFinding)
	from := ""
	for {
		page, err := d.memory.Leaders.List(ctx, store.Group{Kind: Spot, Place: string(on.Slug)}, from, "", leadersAtOnce)
		if err != nil {
			return nil, err
		}
		for i := range page {
			if f, early, err := earlyFindingOf(&page[i]); err == nil && early {
				before[f.Wallet] = f
			}
		}
		if len(page) < leadersAtOnce {
			return before, nil
		}
		from = page[len(page)-1].Address
	}
}

// left is what is left of earlier findings that the search does not name any more, so that nobody is judged by the luck of an earlier
// month. After a while they are left to be forgotten.
func left(at time.Time, s *chainSearch, before map[chain.Address]earlyFinding) []earlyFinding {
	var all []earlyFinding
	for wallet, f := range before {
		now, tested := s.Of(wallet)
		if !tested || now.Found() || at.Sub(f.StoodOutAt) > remembered {
			continue // what is named and was not kept has something against it, or a better sibling
		}
		if newTokens(f.Tokens, now.Tokens) {
			f.CheckedAt = time.Time{}
		}
		f.Finding = now
		all = append(all, f)
	}
	return all
}
