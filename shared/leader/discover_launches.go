package leader

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/job"
	"github.com/mirrorworthy/mirrorworthy/shared/launchrecord"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

const (
	// launchesADay is how many launches of a chain's UTC day are examined at most.
	launchesADay = 200
	// poolsALaunch is how many pools of a token are tried, for the first in which it was traded.
	poolsALaunch = 3
	// finality is how far behind the present launches are listed: blocks can still be replaced before.
	finality = 10 * time.Minute
	// lag is how far nodes may be behind the present for an examination.
	lag = time.Hour
)

// launchDay is a chain's UTC day of launches. What is known of it is noted in the store: up to its end while it is listed, and a week
// further once all of its launches are examined.
type launchDay struct {
	*discoverer
	on  *chain.Chain
	day time.Time
}

// launched is what a launch itself tells. It is the Data of a store.Launch, in JSON.
type launched struct {
	Pools []launchedPool `json:"pools"`
}

type launchedPool struct {
	Pool    string        `json:"pool"`
	Version string        `json:"version"`
	Quote   chain.Address `json:"quote"`
	Block   uint64        `json:"block"`
	At      time.Time     `json:"at"`
}

func (l launchDay) end() time.Time { return l.day.Add(day) }

// settled is what is noted when nothing is left to do.
func (l launchDay) settled() time.Time { return l.end().Add(launchrecord.Window) }

// listable is up to when the day's launches can be listed at a time.
func (l launchDay) listable(at time.Time) time.Time {
	if until := at.Add(-finality); until.Before(l.end()) {
		return until
	}
	return l.end()
}

// due tells whether a launch can be examined at a time.
func due(launchedAt, at time.Time) bool { return !at.Before(launchedAt.Add(launchrecord.Window + lag)) }

// examinable tells whether the day can have launches that are due.
func (l launchDay) examinable(at time.Time) bool { return due(l.day, at) }

// work lists what can be listed of the day and examines what is due.
func (l launchDay) work(ctx context.Context, at time.Time, name string) (job.Report, error) {
	known, err := l.memory.Launches.KnownUntil(ctx, string(l.on.Slug), l.day)
	if err != nil {
		return nil, err
	}
	if !known.Before(l.settled()) {
		return job.Report{{Name: name, Skipped: true}}, nil
	}
	if until := l.listable(at); until.After(known) {
		if known, err = until, l.list(ctx, later(l.day, known), until); err != nil {
			return nil, err
		}
	}
	if !l.examinable(at) {
		return job.Report{{Name: name}}, nil
	}
	all, err := l.memory.Launches.OfDay(ctx, string(l.on.Slug), l.day)
	if err != nil {
		return nil, err
	}
	// More can be registered than are examined: those that were chosen while the day lasted.
	examined, left, failed := l.examine(ctx, at, smallestHashes(all))
	if examined == 0 && failed != nil {
		return nil, failed
	}
	if left == 0 && due(l.end(), at) && !known.Before(l.end()) {
		if err := l.memory.Launches.Register(ctx, string(l.on.Slug), l.day, nil, l.settled()); err != nil {
			return nil, err
		}
	}
	return job.Report{{Name: name, Items: examined, Err: failed}}, nil
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// list registers the launches from a time on, up to another.
func (l launchDay) list(ctx context.Context, from, until time.Time) error {
	var pools []market.PoolLaunch
	if from.Before(until) {
		var err error
		if pools, err = l.sources.Launches.Launches(ctx, l.on, market.LaunchesRequest{From: from, To: until}); err != nil {
			return err
		}
	}
	before, err := l.memory.Launches.OfDay(ctx, string(l.on.Slug), l.day)
	if err != nil {
		return err
	}
	registered := make(map[string]bool, len(before))
	for i := range before {
		registered[before[i].Token] = true
	}
	of := make(map[chain.Address]*launched)
	for _, p := range pools {
		one := of[p.Token]
		if one == nil {
			one = new(launched)
			of[p.Token] = one
		}
		if len(one.Pools) < poolsALaunch {
			one.Pools = append(one.Pools, launchedPool{p.Pool, p.Version, p.Quote, p.Block, p.Time.UTC()})
		}
	}
	all := before
	for token, one := range of {
		if registered[token.String()] {
			continue
		}
		data, err := json.Marshal(one)
		if err != nil {
			return err
		}
		all = append(all, store.Launch{Chain: string(l.on.Slug), Token: token.String(), At: one.Pools[0].At, Data: data})
	}
	added := slices.DeleteFunc(smallestHashes(all), func(one store.Launch) bool { return registered[one.Token] })
	return l.memory.Launches.Register(ctx, string(l.on.Slug), l.day, added, until)
}

// smallestHashes are those of the launches whose tokens have the smallest hashes, launchesADay at most, in that order.
func smallestHashes(all []store.Launch) []store.Launch {
	hash := make(map[string][sha256.Size]byte, len(all))
	for i := range all {
		hash[all[i].Token] = sha256.Sum256([]byte(all[i].Token))
	}
	slices.SortFunc(all, func(a, b store.Launch) int {
		x, y := hash[a.Token], hash[b.Token]
		return cmp.Or(slices.Compare(x[:], y[:]), cmp.Compare(a.Token, b.Token))
	})
	return all[:min(len(all), launchesADay)]
}

// examine judges the launches that are due and not examined, and tells how many are left of all, and why some failed.
func (l launchDay) examine(ctx context.Context, at time.Time, all []store.Launch) (examined, left int, failed error) {
	var open []store.Launch
	for _, one := range all {
		switch {
		case !one.ExaminedAt.IsZero():
		case due(one.At, at):
			open = append(open, one)
		default:
			left++
		}
	}
	if len(open) == 0 {
		return 0, left, nil
	}
	within, cancel := budget(ctx)
	defer cancel()
	quoteUSD, err := l.quotes(within, open)
	if err != nil {
		return 0, left + len(open), err
	}
	var mu sync.Mutex
	failures := 0
	group := parallel.NewGroup()
	group.SetLimit(atOnce)
	for _, one := range open {
		group.Go(func() error {
			err := l.judge(within, ctx, at, one, quoteUSD)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failures++
				if failed == nil {
					failed = err
				}
				return nil
			}
			examined++
			return nil
		})
	}
	if err := group.Wait(); err != nil { // a panic
		return examined, left + len(open) - examined, err
	}
	if failures > 0 {
		failed = fmt.Errorf("%d of %d launches could not be examined, for example: %w", failures, len(open), failed)
	}
	return examined, left + failures, failed
}

// judge examines a launch: by the first of its pools in which it was traded.
func (l launchDay) judge(ctx, writing context.Context, at time.Time, one store.Launch, quoteUSD func(chain.Address, time.Time) float64) error {
	token, pools, err := read(one)
	if err != nil {
		return err
	}
	var outcome launchrecord.Outcome
	for _, p := range pools {
		launch := market.PoolLaunch{Token: token, Pool: p.Pool, Version: p.Version, Quote: p.Quote, Block: p.Block, Time: p.At}
		history, err := l.sources.PoolHistories.PoolHistory(ctx, l.on, market.PoolHistoryRequest{Launch: launch, Until: p.At.Add(launchrecord.Window)})
		if err != nil {
			return err
		}
		outcome = launchrecord.Judge(history, launch, func(when time.Time) float64 { return quoteUSD(p.Quote, when) }, at)
		if outcome.Status != launchrecord.FewTrades {
			break
		}
	}
	if outcome.Status == launchrecord.Pending { // a later pool of the token, of less than a week
		outcome = launchrecord.Outcome{Status: launchrecord.FewTrades}
	}
	if one.Outcome, err = launchrecord.Encode(outcome); err != nil {
		return err
	}
	one.ExaminedAt = at
	if err := l.memory.Launches.Examine(writing, one); err != nil && !errors.Is(err, store.ErrConflict) {
		return err
	}
	return nil
}

// read is what a launch itself tells.
func read(one store.Launch) (token chain.Address, pools []launchedPool, err error) {
	if token, err = chain.ParseAddress(one.Token); err != nil {
		return token, nil, fmt.Errorf("launch %s: %w", one.Token, err)
	}
	var l launched
	if err := json.Unmarshal(one.Data, &l); err != nil {
		return token, nil, fmt.Errorf("launch %s: %w", one.Token, err)
	}
	if len(l.Pools) == 0 {
		return token, nil, fmt.Errorf("launch %s: no pool", one.Token)
	}
	return token, l.Pools, nil
}

// priceStep is how often the quote assets are priced, priceReach how far a price is good for.
const (
	priceStep  = 4 * time.Hour
	priceReach = 8 * time.Hour
)

// quotes prices the quote assets of launches over the time that these are judged by: the last price at a time or, at the beginning,
// the first after it, a few hours away at most; NaN where there is none. A dollar stablecoin is a dollar.
func (l launchDay) quotes(ctx context.Context, launches []store.Launch) (func(chain.Address, time.Time) float64, error) {
	var times []time.Time
	for when := l.day; !when.After(l.settled()); when = when.Add(priceStep) {
		times = append(times, when)
	}
	var requests []market.PriceRequest
	asked := make(map[chain.Address]bool)
	for _, one := range launches {
		_, pools, err := read(one)
		if err != nil {
			continue // said when it is judged
		}
		for _, p := range pools {
			if asset := l.on.ERC20(p.Quote); !asked[asset] && !l.on.IsStable(asset) {
				asked[asset] = true
				requests = append(requests, market.PriceRequest{Asset: asset, Times: times})
			}
		}
	}
	known := make(map[chain.Address][]market.PricePoint, len(requests))
	if len(requests) > 0 {
		slices.SortFunc(requests, func(a, b market.PriceRequest) int { return a.Asset.Compare(b.Asset) })
		series, err := l.sources.Prices.Prices(ctx, l.on, requests)
		if err != nil {
			return nil, err
		}
		for _, s := range series {
			known[s.Asset] = s.Points
		}
	}
	return func(asset chain.Address, when time.Time) float64 {
		asset = l.on.ERC20(asset)
		if l.on.IsStable(asset) {
			return 1
		}
		points := known[asset]
		next, _ := slices.BinarySearchFunc(points, when, func(p market.PricePoint, when time.Time) int { return p.Time.Compare(when.Add(1)) })
		for _, i := range []int{next - 1, next} {
			if i >= 0 && i < len(points) && points[i].Time.Sub(when).Abs() <= priceReach {
				return points[i].USD
			}
		}
		return math.NaN()
	}, nil
}
