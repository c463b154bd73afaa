package evmrpc

import (
	"context"
	"fmt"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// maximumLaunchCalls bounds the calls of eth_getLogs for one list of launches: a day of a chain with two blocks a second, from a
// node that accepts ranges of 500 blocks.
const maximumLaunchCalls = 512

// Launches lists the pools that known factories made of a token against one of the chain's quote assets, as factoriesOf tells. It
// covers what the chain has come to: where the request ends later, the rest is yet to be asked for. Where a node does not tell a
// log's time, it is exact for the first and last launch and some between, and interpolated for the others; which launches are
// within the request is exact in any case.
func (a *Adapter) Launches(ctx context.Context, on *chain.Chain, request market.LaunchesRequest) ([]market.PoolLaunch, error) {
	client, err := a.client(on)
	if err != nil {
		return nil, err
	}
	if !request.From.Before(request.To) {
		return nil, fmt.Errorf("launches from %s to %s: the end is not after the beginning", request.From.Format(time.RFC3339), request.To.Format(time.RFC3339))
	}
	newest, err := a.newest(ctx, client, on)
	if err != nil {
		return nil, err
	}
	from, err := a.blockAt(ctx, client, on, newest, request.From)
	if err != nil {
		return nil, err
	}
	end, err := a.blockAt(ctx, client, on, newest, request.To)
	if err != nil {
		return nil, err
	}
	launches := []market.PoolLaunch{}
	if from >= end {
		return launches, nil
	}
	speaks := make(map[chain.Address]*dialect)
	filter := logFilter{topics: topics{nil}}
	heard := make(map[Word]bool)
	for _, one := range factoriesOf[on.Slug] {
		speaks[one.address] = one.dialect
		filter.contracts = append(filter.contracts, one.address)
		if !heard[one.dialect.topic] {
			heard[one.dialect.topic] = true
			filter.topics[0] = append(filter.topics[0], one.dialect.topic)
		}
	}
	scan := &logScan{adapter: a, client: client, on: on, filters: []logFilter{filter}, from: from, to: end - 1, ascending: true}
	scan.callsLeft.Store(int64(a.limits.launchCalls))
	logs, read, err := scan.run(ctx)
	if err != nil {
		return nil, err
	}
	if read < end-from {
		return nil, fmt.Errorf("%w: %s gave the launches of %d of %d blocks", market.ErrUnavailable, client.Name(), read, end-from)
	}
	logs = inOrder(logs)
	if err := a.timed(ctx, client, on, logs); err != nil {
		return nil, err
	}
	for i := range logs {
		log := &logs[i]
		if log.Time.Before(request.From) || !log.Time.Before(request.To) {
			return nil, fmt.Errorf("%w: %s: the log of block %d has another time than its block", market.ErrUnavailable, client.Name(), log.Block)
		}
		if by := speaks[log.Address]; by != nil {
			if launch, ok := by.launch(on, log); ok {
				launches = append(launches, launch)
			}
		}
	}
	return launches, nil
}

// launch reads a factory's event. The second result is false for other events, malformed ones, pools of a stable curve, and pools
// of two quote assets or none.
func (d *dialect) launch(on *chain.Chain, log *Log) (market.PoolLaunch, bool) {
	if len(log.Topics) != d.topics || len(log.Data) != 32*d.words || log.Topics[0] != d.topic {
		return market.PoolLaunch{}, false
	}
	first := 1
	launch := market.PoolLaunch{Version: d.version, Block: log.Block, Time: log.Time}
	if d == &managed {
		first, launch.Pool = 2, log.Topics[1].String()
	} else {
		pool, ok := Word(log.Data[32*d.word : 32*d.word+32]).address()
		if !ok || pool.IsZero() {
			return market.PoolLaunch{}, false
		}
		launch.Pool = pool.String()
	}
	token0, ok0 := log.Topics[first].address()
	token1, ok1 := log.Topics[first+1].address()
	stable := d == &velodromePools && log.Topics[3] != Word{}
	if !ok0 || !ok1 || token0.Compare(token1) >= 0 || on.IsQuote(token0) == on.IsQuote(token1) || stable {
		return market.PoolLaunch{}, false
	}
	launch.Token, launch.Quote = token0, token1
	if on.IsQuote(token0) {
		launch.Token, launch.Quote = token1, token0
	}
	return launch, true
}
