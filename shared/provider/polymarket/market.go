package polymarket

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

const (
	marketsPath = "/markets"
	// marketsPerCall keeps a call's address, 81 characters a market, well below the 8 kB above which the catalogue refuses it.
	marketsPerCall = 80
	marketCalls    = 8
	// maximumOpinions bounds the markets for whose end the order book service is asked, one by one.
	maximumOpinions = 40
)

// PredictionMarkets reads markets from the catalogue, which keeps open and closed ones apart. Those it does not know, and those that are
// over by its account without an end that can be read, are asked of the order book service, which knows winners: 40 at most, the
// likeliest to be over first. Without that second word such a market is undecided, or missing.
func (a *Adapter) PredictionMarkets(ctx context.Context, markets []market.Hash) (map[market.Hash]market.PredictionMarket, error) {
	wanted := slices.Clone(markets)
	slices.SortFunc(wanted, compareHashes)
	wanted = slices.Compact(wanted)
	chunks := slices.Collect(slices.Chunk(wanted, marketsPerCall))
	answers := make([]catalogue, 2*len(chunks))
	calls, callsContext := parallel.WithContext(ctx)
	calls.SetLimit(marketCalls)
	for i := range answers {
		calls.Go(func() (err error) {
			answers[i], err = a.catalogue(callsContext, chunks[i/2], i%2 == 1)
			return err
		})
	}
	if err := calls.Wait(); err != nil {
		return nil, err
	}
	found := make(map[market.Hash]market.PredictionMarket, len(wanted))
	doubts, now, dropped := make(map[market.Hash]doubt), a.gamma.Now(), 0
	for _, answer := range answers {
		dropped += answer.dropped
		for i := range answer.markets {
			read, doubt, ok := answer.markets[i].read(now)
			_, asked := slices.BinarySearchFunc(wanted, read.Market, compareHashes)
			if !ok || !asked {
				dropped++
				continue
			}
			// The closed are read after the open: what is in both has closed.
			found[read.Market], doubts[read.Market] = read, doubt
		}
	}
	a.gamma.Drop(marketsPath, dropped)
	if err := a.settleDoubts(ctx, wanted, found, doubts); err != nil {
		return nil, err
	}
	return found, nil
}

func compareHashes(a, b market.Hash) int { return bytes.Compare(a[:], b[:]) }

type catalogue struct {
	markets []wireMarket
	dropped int
}

// catalogue asks for markets that are open, or closed. Tags, the only word on the category of markets of the last years, come when asked for.
func (a *Adapter) catalogue(ctx context.Context, markets []market.Hash, closed bool) (catalogue, error) {
	query := url.Values{
		"closed": {strconv.FormatBool(closed)}, "limit": {strconv.Itoa(marketsPerCall)}, "include_tag": {"true"},
		"condition_ids": make([]string, len(markets)),
	}
	for i, condition := range markets {
		query["condition_ids"][i] = writeHash(condition)
	}
	return upstream.Get(ctx, a.gamma, marketsPath, query, func(response *upstream.Response) (catalogue, error) {
		rows, err := upstream.JSON[upstream.Rows[wireMarket]](response)
		if err != nil {
			return catalogue{}, err
		}
		count := len(rows.Good) + rows.Dropped
		legible := func(row wireMarket) bool { _, ok := readHash(row.Condition); return ok }
		if count > 0 && !slices.ContainsFunc(rows.Good, legible) {
			return catalogue{}, fmt.Errorf("%w: none of %d markets names its condition", upstream.ErrUnreadable, count)
		}
		return catalogue{rows.Good, rows.Dropped}, nil
	})
}

// doubt is how much the catalogue's word on a market calls for a second one.
type doubt uint8

const (
	noDoubt       doubt = iota
	overdue             // still open though its end has passed: it may be that nobody noted the end yet
	unknown             // not in the catalogue
	unreadableEnd       // closed, without an end that can be read
)

// settleDoubts asks the order book service about markets, the most doubtful first. That it does not answer is no failure: the catalogue's
// word stands then.
func (a *Adapter) settleDoubts(
	ctx context.Context, wanted []market.Hash, found map[market.Hash]market.PredictionMarket, doubts map[market.Hash]doubt,
) error {
	var doubtful []market.Hash
	for _, condition := range wanted {
		if _, known := found[condition]; !known {
			doubts[condition] = unknown
		}
		if doubts[condition] != noDoubt {
			doubtful = append(doubtful, condition)
		}
	}
	slices.SortStableFunc(doubtful, func(x, y market.Hash) int { return cmp.Compare(doubts[y], doubts[x]) })
	doubtful = doubtful[:min(len(doubtful), maximumOpinions)]
	opinions := make([]market.PredictionMarket, len(doubtful))
	given := make([]bool, len(doubtful))
	calls := parallel.NewGroup()
	calls.SetLimit(marketCalls)
	for i, condition := range doubtful {
		calls.Go(func() error {
			var err error
			opinions[i], given[i], err = a.opinion(ctx, condition)
			given[i] = given[i] && err == nil
			return nil
		})
	}
	if err := calls.Wait(); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for i, condition := range doubtful {
		known, listed := found[condition]
		switch {
		case !given[i]:
		case !listed:
			found[condition] = opinions[i]
		case opinions[i].Decided:
			found[condition] = settled(known, opinions[i])
		}
	}
	return nil
}

// settled is a market of the catalogue with the end that the order book service gives. Outcomes are told apart by their tokens: the two
// services need not list them in one order. Where the catalogue has no tokens, it has nothing that the other has not.
func settled(known, opinion market.PredictionMarket) market.PredictionMarket {
	if !slices.ContainsFunc(known.Outcomes, func(o market.PredictionOutcome) bool { return o.Asset != "" }) {
		known.Outcomes, known.Decided = opinion.Outcomes, true
		return known
	}
	outcomes := slices.Clone(known.Outcomes)
	for i := range outcomes {
		at := slices.IndexFunc(opinion.Outcomes, func(o market.PredictionOutcome) bool { return o.Asset == outcomes[i].Asset })
		if at < 0 || len(opinion.Outcomes) != len(outcomes) {
			return known
		}
		outcomes[i].Payout = opinion.Outcomes[at].Payout
	}
	known.Outcomes, known.Decided = outcomes, true
	return known
}

// payouts are what shares of a market's outcomes are worth at its end, where these prices are an end: one outcome takes all, or all
// have the same part of a market that was called off. Prices that are a hundred-thousandth away are those of the venue's first
// years, when a pool set them and traders could not bring them all the way; no order book has ticks that fine.
//
// Anything else is no end. Of closed markets of those years some have a price of zero for every outcome, which would pay nobody, and
// some pay by a scale and keep the pool's last price, which may or may not be what was paid.
func payouts(prices []float64) ([]float64, bool) {
	const tolerance = 1e-5
	if len(prices) < 2 {
		return nil, false
	}
	paid, winners := make([]float64, len(prices)), 0
	share, equal := 1/float64(len(prices)), true
	for i, price := range prices {
		switch {
		case math.Abs(price-1) <= tolerance:
			paid[i] = 1
			winners++
		case !(math.Abs(price) <= tolerance):
			winners = len(prices) + 1
		}
		equal = equal && math.Abs(price-share) <= tolerance
	}
	if equal {
		return slices.Repeat([]float64{share}, len(prices)), true
	}
	return paid, winners == 1
}

// past tells whether an instant that is known lies before now.
func past(at, now time.Time) bool { return !at.IsZero() && at.Before(now) }
