package predictionrecord

import (
	"bytes"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
)

// Window is how long ago a wallet may have traded last and still count as active.
const Window = 90 * day

const day = 24 * time.Hour

const (
	// followerDelay is how long after a wallet's fill a follower's own order reaches the book.
	followerDelay = time.Minute
	// followerWindow is how long after that a price still says what the follower paid.
	followerWindow = time.Hour
	// followed bounds the entries whose later prices are read, the latest first; pricesAtATime how many at once.
	followed      = 40
	pricesAtATime = 10
)

// Record is the facts behind a wallet's assessment. It is shared and never changed.
type Record struct {
	Wallet    chain.Address
	Activity  *market.PredictionActivity
	Positions *market.PredictionPositions
	Markets   map[market.Hash]market.PredictionMarket
	// Prices are of the outcomes first entered in the latest events, from a minute after the entry on.
	Prices map[string][]market.PricePoint
}

// Needs are the ports behind a record.
var Needs = []market.Port{
	market.PredictionActivityFacts, market.PredictionPositionFacts, market.PredictionMarketFacts, market.PredictionPriceFacts,
}

// recordKey names a record at an instant, in Unix seconds.
type recordKey struct {
	wallet chain.Address
	asOf   int64
}

// Of gathers a wallet's record at an instant through a session, once a session whoever asks, and once for all sessions that ask
// within moments. The error wraps market.ErrUnavailable when a provider failed. A wallet that the venue does not know has an empty
// record; of one that has not traded within Window no markets and prices are read.
func Of(ctx context.Context, session *market.Session, wallet chain.Address, asOf time.Time) (*Record, error) {
	return market.Remember(ctx, session, recordKey{wallet, asOf.Unix()}, (*Record).bytes, func(ctx context.Context) (*Record, error) {
		return read(ctx, session.Sources, wallet, asOf)
	})
}

// bytes is roughly what a record takes besides the facts it shares.
func (r *Record) bytes() int {
	const record, entry, point = 1000, 150, 32
	size := record + len(r.Markets)*entry
	for _, points := range r.Prices {
		size += entry + len(points)*point
	}
	return size
}

func read(ctx context.Context, sources market.Sources, wallet chain.Address, asOf time.Time) (*Record, error) {
	record := &Record{Wallet: wallet}
	group, groupCtx := parallel.WithContext(ctx)
	group.Go(func() (err error) {
		record.Activity, err = sources.PredictionActivity.PredictionActivity(groupCtx, wallet)
		return err
	})
	group.Go(func() (err error) {
		record.Positions, err = sources.PredictionPositions.PredictionPositions(groupCtx, wallet)
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	if !active(record.Activity, asOf) {
		return record, nil
	}
	var err error
	if record.Markets, err = sources.PredictionMarkets.PredictionMarkets(ctx, record.conditions()); err != nil {
		return nil, err
	}
	record.Prices, err = followerPrices(ctx, sources.PredictionPrices, reckon(record, asOf).toFollow())
	if err != nil {
		return nil, err
	}
	return record, nil
}

// active tells whether there is a trade within the window before an instant.
func active(activity *market.PredictionActivity, asOf time.Time) bool {
	for i := len(activity.Trades) - 1; i >= 0; i-- {
		if at := activity.Trades[i].Time; !at.After(asOf) {
			return asOf.Sub(at) <= Window
		}
	}
	return false
}

// conditions lists all markets of the record, each once, in order of their hashes.
func (r *Record) conditions() []market.Hash {
	var all []market.Hash
	for i := range r.Activity.Trades {
		all = append(all, r.Activity.Trades[i].Market)
	}
	for i := range r.Activity.Moves {
		all = append(all, r.Activity.Moves[i].Market)
	}
	if r.Activity.Truncated {
		for i := range r.Positions.Open {
			all = append(all, r.Positions.Open[i].Market)
		}
		for i := range r.Positions.Closed {
			all = append(all, r.Positions.Closed[i].Market)
		}
	}
	slices.SortFunc(all, func(a, b market.Hash) int { return bytes.Compare(a[:], b[:]) })
	all = slices.Compact(all)
	if len(all) > 0 && all[0] == (market.Hash{}) {
		all = all[1:]
	}
	return all
}

func followerPrices(ctx context.Context, port market.PredictionPricePort, entries []entry) (map[string][]market.PricePoint, error) {
	prices := make(map[string][]market.PricePoint, len(entries))
	var mu sync.Mutex
	group, groupCtx := parallel.WithContext(ctx)
	group.SetLimit(pricesAtATime)
	for _, e := range entries {
		group.Go(func() error {
			from := e.at.Add(followerDelay)
			points, err := port.PredictionPrices(groupCtx, market.PredictionPriceRequest{Asset: e.asset, From: from, To: from.Add(followerWindow)})
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			prices[e.asset] = points
			return nil
		})
	}
	return prices, group.Wait()
}
