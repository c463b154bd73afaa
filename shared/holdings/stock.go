package holdings

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenfacts"
)

// Stock is what a wallet holds on one chain.
type Stock struct {
	// Positions are the holdings whose price is believed, the chain's own assets first.
	Positions []Position
	// Holdings counts all that is held, the native coin and its wrapped form as one; Spam and Unpriced are without a price to believe.
	// Holdings is the sum of these and of the positions.
	Holdings, Spam, Unpriced int
	// UnpricedOwn counts those of Unpriced that are the chain's own assets, which are worth something.
	UnpricedOwn int
	// IndexFailed is true when the price index did not answer, and others told all prices.
	IndexFailed bool
}

// Needs are the ports behind a stock.
var Needs = []market.Port{market.HoldingFacts, market.PriceFacts, market.PoolFacts}

// indexPatience is how long the price index is waited for, which confirms prices and is not needed for most.
const indexPatience = 2 * time.Second

// question is what is asked for.
type question struct {
	session *market.Session
	on      *chain.Chain
	asOf    time.Time
}

type stockKey struct {
	chain  chain.Slug
	wallet chain.Address
	asOf   int64
}

// Of takes stock of a wallet at an instant, once a session whoever asks. The error wraps market.ErrUnavailable when balances could not
// be had, or the prices of what is held. The stock is shared and must not be modified.
func Of(ctx context.Context, session *market.Session, on *chain.Chain, wallet chain.Address, asOf time.Time) (*Stock, error) {
	return market.Once(ctx, session, stockKey{on.Slug, wallet, asOf.Unix()}, func(ctx context.Context) (*Stock, error) {
		rows, err := session.Sources.Holdings.Holdings(ctx, on, wallet)
		if err != nil {
			return nil, err
		}
		return (&question{session, on, asOf}).takeStock(ctx, rows)
	})
}

// takeStock prices the holdings, all in one go.
func (q *question) takeStock(ctx context.Context, rows []market.Holding) (*Stock, error) {
	all := mergeHoldings(q.on, rows)
	own, others, left := candidates(q.on, all)
	prices, err := q.readPrices(ctx, own, others)
	if err != nil {
		return nil, err
	}
	f := &Stock{Holdings: len(all), IndexFailed: prices.indexFailed}
	add := func(h *holding, w worth) {
		switch {
		case !math.IsNaN(w.usd):
			symbol := display.Symbol(q.on, h.asset, h.token.Symbol)
			f.Positions = append(f.Positions, Position{h.asset, symbol, classOf(q.on, h.asset, w.priceUSD), w.usd, w.nominalUSD, w.priceUSD})
		default:
			f.Unpriced++
		}
	}
	for _, h := range own {
		add(h, worthOfOwn(q.on, h, prices.indexed(h.asset), prices.pools[h.asset]))
	}
	f.UnpricedOwn = f.Unpriced
	for _, h := range others {
		indexed := prices.indexed(h.asset)
		if h.advertises() && !isPositive(indexed) && !isPositive(h.listedUSD) {
			f.Spam++
			continue
		}
		add(h, worthOf(q.on, h, indexed, prices.pools[h.asset]))
	}
	f.Unpriced += left
	for i := range all {
		if h := &all[i]; !q.on.IsQuote(h.asset) {
			switch {
			case h.token.Spam:
				f.Spam++
			case !h.token.Known:
				f.Unpriced++
			}
		}
	}
	return f, nil
}

// prices is what two sources say.
type prices struct {
	index map[chain.Address]float64
	pools map[chain.Address][]market.Pool
	// indexFailed is true when the index did not answer.
	indexFailed bool
}

// indexed is the index's price, NaN for none.
func (p *prices) indexed(asset chain.Address) float64 {
	if usd, found := p.index[asset]; found {
		return usd
	}
	return math.NaN()
}

// readPrices asks the pools of all tokens and the index's prices of everything, one call each, side by side. The pools of the chain's own
// assets are only asked for where the index has no price: there are hundreds of them.
func (q *question) readPrices(ctx context.Context, own, others []*holding) (*prices, error) {
	var p prices
	var indexErr error
	group, groupCtx := parallel.WithContext(ctx)
	group.Go(func() error {
		p.index, indexErr = q.readIndex(groupCtx, own, others)
		return nil
	})
	group.Go(func() (err error) {
		p.pools, err = q.readPools(groupCtx, others)
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	p.indexFailed = indexErr != nil
	var missing []*holding
	for _, h := range own {
		if !isPositive(p.indexed(h.asset)) {
			missing = append(missing, h)
		}
	}
	pools, err := q.readPools(ctx, missing)
	if err != nil {
		return nil, errors.Join(err, indexErr)
	}
	if p.pools == nil {
		p.pools = make(map[chain.Address][]market.Pool, len(pools))
	}
	for asset := range pools {
		p.pools[asset] = pools[asset]
	}
	return &p, nil
}

func (q *question) readPools(ctx context.Context, holdings []*holding) (map[chain.Address][]market.Pool, error) {
	if len(holdings) == 0 {
		return nil, nil
	}
	tokens := make([]chain.Address, len(holdings))
	for i, h := range holdings {
		tokens[i] = h.asset
	}
	return tokenfacts.PoolsOfAll(ctx, q.session, q.on, tokens, q.asOf)
}

// readIndex reads what the price index says of assets at the instant of the answer.
func (q *question) readIndex(ctx context.Context, own, others []*holding) (map[chain.Address]float64, error) {
	requests := make([]market.PriceRequest, 0, len(own)+len(others))
	for _, holdings := range [][]*holding{own, others} {
		for _, h := range holdings {
			requests = append(requests, market.PriceRequest{Asset: h.asset, Times: []time.Time{q.asOf}})
		}
	}
	if len(requests) == 0 {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, indexPatience)
	defer cancel()
	series, err := q.session.Sources.Prices.Prices(ctx, q.on, requests)
	if err != nil {
		return nil, err
	}
	index := make(map[chain.Address]float64, len(series))
	for i := range series {
		for _, point := range series[i].Points {
			if !point.Time.After(q.asOf) {
				index[series[i].Asset] = point.USD
			}
		}
	}
	return index, nil
}
