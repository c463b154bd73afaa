package evmrpc

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

const (
	// historyBefore is how long before its pool a token's transfers are read, at least: up to a day more, so that the histories of
	// one day's pools begin with the same block.
	historyBefore = 3 * 24 * time.Hour
	// maximumHistoryCalls bounds the calls of eth_getLogs for one history, maximumHistoryLogs the logs. A trade is four logs or so.
	maximumHistoryCalls = 1000
	maximumHistoryLogs  = 40_000
)

// PoolHistory reads a pool and its token's transfers from three to four days before the pool was made. What it cannot tell is in the
// documentation of newPoolReader. It is cut short at the end of a block where there is more than the limits allow, and where the
// chain has not yet come to the request's end.
func (a *Adapter) PoolHistory(ctx context.Context, on *chain.Chain, request market.PoolHistoryRequest) (*market.PoolHistory, error) {
	client, err := a.client(on)
	if err != nil {
		return nil, err
	}
	launch := &request.Launch
	if !launch.Time.Before(request.Until) {
		return nil, fmt.Errorf("the history of a pool of %s until %s: the end is not after the beginning", launch.Time.Format(time.RFC3339), request.Until.Format(time.RFC3339))
	}
	reader, filters, err := newPoolReader(on, launch)
	if err != nil {
		return nil, err
	}
	newest, err := a.newest(ctx, client, on)
	if err != nil {
		return nil, err
	}
	from, err := a.blockAt(ctx, client, on, newest, launch.Time.Add(-historyBefore).Truncate(24*time.Hour))
	if err != nil {
		return nil, err
	}
	// Up to a whole hour, whose block many histories share; what is later than asked for is left out below.
	end, err := a.blockAt(ctx, client, on, newest, request.Until.Add(time.Hour-time.Nanosecond).Truncate(time.Hour))
	if err != nil {
		return nil, err
	}
	if launch.Block < from || launch.Block >= end {
		return nil, fmt.Errorf("%w: %s has no block %d between %d and %d, where the pool was made", market.ErrUnavailable, client.Name(), launch.Block, from, end)
	}
	scan := &logScan{
		adapter: a, client: client, on: on, filters: filters, from: from, to: end - 1, ascending: true,
		enough: func(found []Log) bool { return len(found) > a.limits.historyLogs },
	}
	scan.callsLeft.Store(int64(a.limits.historyCalls))
	group, groupContext := parallel.WithContext(ctx)
	var logs []Log
	group.Go(func() error {
		found, read, err := scan.run(groupContext)
		if err != nil {
			return err
		}
		logs = inOrder(found)
		missing := from + read
		if len(logs) > a.limits.historyLogs {
			missing = min(missing, logs[a.limits.historyLogs].Block)
		}
		logs, err = a.cut(groupContext, client, on, logs, &reader.history, missing, newest, request.Until)
		return err
	})
	group.Go(func() (err error) {
		reader.decimals, err = a.decimals(groupContext, client, on, launch.Token)
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	reader.read(logs)
	client.Drop("eth_getLogs", reader.dropped)
	if reader.isNew {
		return reader.finish(reader.minted), nil
	}
	supply, known, err := readAmount(ctx, client, launch.Token, callData(totalSupplySelector))
	if err != nil {
		return nil, err
	}
	if !known || supply.IsZero() {
		return reader.finish(math.NaN()), nil
	}
	return reader.finish(market.Units(&supply, reader.decimals)), nil
}

// cut gives the logs their times and leaves out those from the first missing block on and those that are not before the end. It sets
// up to when the history is complete.
func (a *Adapter) cut(
	ctx context.Context, client *upstream.Client, on *chain.Chain, logs []Log, history *market.PoolHistory, missing uint64, newest instant, until time.Time,
) ([]Log, error) {
	logs = slices.DeleteFunc(logs, func(log Log) bool { return log.Block >= missing })
	if err := a.timed(ctx, client, on, logs); err != nil {
		return nil, err
	}
	history.Until = until
	complete := newest.time
	if missing <= newest.block {
		var err error
		if complete, err = a.blockTime(ctx, client, on, missing); err != nil {
			return nil, err
		}
	}
	if complete.Before(until) {
		history.Until, history.Truncated = complete, true
	}
	return slices.DeleteFunc(logs, func(log Log) bool { return !log.Time.Before(history.Until) }), nil
}

// decimals are a token's, or none where it does not tell them: what it then counts are whole units.
func (a *Adapter) decimals(ctx context.Context, client *upstream.Client, on *chain.Chain, token chain.Address) (int, error) {
	if described, found := a.tokens.Get(tokenKey{on.Slug, token}); found && described.Known {
		return described.Decimals, nil
	}
	decimals, ok, err := readAmount(ctx, client, token, callData(decimalsSelector))
	if err != nil || !ok || !decimals.IsUint64() || decimals.Uint64() > upstream.MaximumDecimals {
		return 0, err
	}
	return int(decimals.Uint64()), nil
}
