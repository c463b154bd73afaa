package portfolio

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenfacts"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenrisk"
)

const (
	// answerMargin is kept of a request's time for putting the answer together.
	answerMargin = 150 * time.Millisecond
	// indexPatience is how long the price index is waited for, which confirms prices and is not needed for most.
	indexPatience = 2 * time.Second
	// parallelAssessments bounds how many tokens are assessed at a time.
	parallelAssessments = 10
)

// facts is what a portfolio is judged by.
type facts struct {
	chain *chain.Chain
	depth int
	inventory
	// risks are those of the picked positions, in their order.
	risks []tokenRisk
	// indexFailed is true when the price index did not answer.
	indexFailed bool
}

// tokenRisk is what is known of a position's risk. The assessment is nil for positions that need none, and for those of which it could
// not be had: late tells that the time was up.
type tokenRisk struct {
	assessment *tokenrisk.Assessment
	late       bool
}

func gatherPortfolio(ctx context.Context, r *endpoint.Request) (*facts, error) {
	on := endpoint.Chain.Of(r)
	rows, err := r.Session.Sources.Holdings.Holdings(ctx, on, endpoint.Wallet.Of(r))
	if err != nil {
		return nil, err
	}
	f := &facts{chain: on, depth: Depth.Of(r)}
	if err := f.takeStock(ctx, r, rows); err != nil {
		return nil, err
	}
	return f, f.assessTokens(ctx, r)
}

// takeStock prices the holdings, all in one go, and picks those that are assessed.
func (f *facts) takeStock(ctx context.Context, r *endpoint.Request, rows []market.Holding) error {
	all := mergeHoldings(f.chain, rows)
	own, others, left := candidates(f.chain, all)
	prices, err := f.readPrices(ctx, r, own, others)
	if err != nil {
		return err
	}
	f.holdings = len(all)
	var priced []position
	add := func(h *holding, w worth) {
		switch {
		case !math.IsNaN(w.usd):
			symbol := display.Symbol(f.chain, h.asset, h.token.Symbol)
			priced = append(priced, position{h.asset, symbol, classOf(f.chain, h.asset, w.priceUSD), w})
		default:
			f.unpriced++
		}
	}
	for _, h := range own {
		add(h, worthOfOwn(f.chain, h, prices.indexed(h.asset), prices.pools[h.asset]))
	}
	for _, h := range others {
		indexed := prices.indexed(h.asset)
		if h.advertises() && !isPositive(indexed) && !isPositive(h.listedUSD) {
			f.spam++
			continue
		}
		add(h, worthOf(f.chain, h, indexed, prices.pools[h.asset]))
	}
	f.unpriced += left
	for i := range all {
		if h := &all[i]; !f.chain.IsQuote(h.asset) {
			switch {
			case h.token.Spam:
				f.spam++
			case !h.token.Known:
				f.unpriced++
			}
		}
	}
	f.pick(priced, f.depth)
	return nil
}

// prices is what two sources say.
type prices struct {
	index map[chain.Address]float64
	pools map[chain.Address][]market.Pool
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
func (f *facts) readPrices(ctx context.Context, r *endpoint.Request, own, others []*holding) (*prices, error) {
	var p prices
	var indexErr error
	group, groupCtx := parallel.WithContext(ctx)
	group.Go(func() error {
		p.index, indexErr = readIndex(groupCtx, r, own, others)
		return nil
	})
	group.Go(func() (err error) {
		p.pools, err = readPools(groupCtx, r, others)
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	f.indexFailed = indexErr != nil
	var missing []*holding
	for _, h := range own {
		if !isPositive(p.indexed(h.asset)) {
			missing = append(missing, h)
		}
	}
	pools, err := readPools(ctx, r, missing)
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

func readPools(ctx context.Context, r *endpoint.Request, holdings []*holding) (map[chain.Address][]market.Pool, error) {
	if len(holdings) == 0 {
		return nil, nil
	}
	tokens := make([]chain.Address, len(holdings))
	for i, h := range holdings {
		tokens[i] = h.asset
	}
	return tokenfacts.PoolsOfAll(ctx, r.Session, endpoint.Chain.Of(r), tokens, r.AsOf)
}

// readIndex reads what the price index says of assets at the instant of the answer.
func readIndex(ctx context.Context, r *endpoint.Request, own, others []*holding) (map[chain.Address]float64, error) {
	requests := make([]market.PriceRequest, 0, len(own)+len(others))
	for _, holdings := range [][]*holding{own, others} {
		for _, h := range holdings {
			requests = append(requests, market.PriceRequest{Asset: h.asset, Times: []time.Time{r.AsOf}})
		}
	}
	if len(requests) == 0 {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, indexPatience)
	defer cancel()
	series, err := r.Session.Sources.Prices.Prices(ctx, endpoint.Chain.Of(r), requests)
	if err != nil {
		return nil, err
	}
	index := make(map[chain.Address]float64, len(series))
	for i := range series {
		for _, point := range series[i].Points {
			if !point.Time.After(r.AsOf) {
				index[series[i].Asset] = point.USD
			}
		}
	}
	return index, nil
}

// assessTokens asks for the risk of the picked tokens, the largest first, and stops waiting a little before the request's time is up.
func (f *facts) assessTokens(ctx context.Context, r *endpoint.Request) error {
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-answerMargin))
		defer cancel()
	}
	f.risks = make([]tokenRisk, len(f.picked))
	group := parallel.NewGroup()
	group.SetLimit(parallelAssessments)
	for i := range f.picked {
		if f.picked[i].class != ordinary {
			continue
		}
		subject := tokenfacts.Subject{Chain: f.chain, Token: f.picked[i].asset, AsOf: r.AsOf}
		group.Go(func() error {
			assessment, err := tokenrisk.Of(ctx, r.Session, subject)
			f.risks[i] = tokenRisk{assessment: assessment, late: err != nil && ctx.Err() != nil}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("risks of a portfolio: %w", err)
	}
	return nil
}
