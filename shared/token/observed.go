package token

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/stats"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenfacts"
)

// tokenContract is the contract that a request is about. The error wraps tokenfacts.ErrNotAToken for an address that is no token.
func tokenContract(ctx context.Context, r *endpoint.Request) (*market.Contract, error) {
	contract, err := tokenfacts.Contract(ctx, r.Session, subjectOf(r))
	if err != nil {
		return nil, err
	}
	return contract, tokenfacts.CheckToken(contract)
}

// observedWindow is how far back the observations reach by which a direction is told.
const observedWindow = 7 * 24 * time.Hour

// observedNeeds are the ports behind observed.
var observedNeeds = []market.Port{market.ContractFacts, market.PoolFacts, market.HolderFacts, market.TokenSecurityFacts}

// observed is what was measured of the token in the last week, oldest first, one measurement an hour, and last what is measured now,
// which is kept for later answers. A measurement that cannot be kept is a measurement less, not a failed answer. The error wraps
// tokenfacts.ErrNotAToken for an address that is no token.
func (p page) observed(ctx context.Context, r *endpoint.Request) ([]tokenfacts.Observation, error) {
	return once(ctx, r, 0, func(ctx context.Context) ([]tokenfacts.Observation, error) {
		s := subjectOf(r)
		if _, err := tokenContract(ctx, r); err != nil {
			return nil, err
		}
		var pools []market.Pool
		var holders *market.TokenHolders
		var kept []store.Observation
		group, groupCtx := parallel.WithContext(ctx)
		group.Go(func() (err error) { pools, err = tokenfacts.Pools(groupCtx, r.Session, s); return err })
		group.Go(func() (err error) { holders, err = tokenfacts.Holders(groupCtx, r.Session, s); return err })
		group.Go(func() error {
			var err error
			kept, err = p.memory.Observations.Observed(groupCtx, string(s.Chain.Slug), s.Token.String(), s.AsOf.Add(-observedWindow))
			if err != nil {
				return fmt.Errorf("%w: reading observations: %w", market.ErrUnavailable, err)
			}
			return nil
		})
		if err := group.Wait(); err != nil {
			return nil, err
		}
		current := tokenfacts.Observation{
			At: s.AsOf, Holders: holders.Count, TopShare: tokenfacts.TopShare(holders, pools, s.Token),
			LiquidityUSD: tokenfacts.LiquidityUSD(pools), PriceUSD: math.NaN(),
		}
		if deepest, found := tokenfacts.Deepest(pools); found {
			current.PriceUSD = deepest.PriceUSD
		}
		if current.Holders > 0 || current.LiquidityUSD > 0 {
			if data, err := current.Encode(); err == nil {
				_ = p.memory.Observations.Observe(ctx, string(s.Chain.Slug), s.Token.String(), store.Observation{At: current.At, Data: data})
			}
		}
		return upTo(kept, current), nil
	})
}

// upTo reads the observations of the hours before the current one and adds it. One that another version of the service wrote in a
// way that cannot be read is left out.
func upTo(kept []store.Observation, current tokenfacts.Observation) []tokenfacts.Observation {
	series := make([]tokenfacts.Observation, 0, len(kept)+1)
	for _, k := range kept {
		if !k.At.Before(current.At.Truncate(time.Hour)) {
			continue
		}
		if o, err := tokenfacts.DecodeObservation(k.At, k.Data); err == nil {
			series = append(series, o)
		}
	}
	return append(series, current)
}

// A direction takes three measurements over six hours.
const (
	minimumObservations = 3
	minimumSpan         = 6 * time.Hour
)

// trendSignificance is the p-value of the Mann-Kendall test up to which a direction is called one.
const trendSignificance = 0.1

// drift is how a positive quantity moved.
type drift struct {
	// observations and span are what it is told by; known is false when that is too little, and the rest is then zero.
	observations int
	span         time.Duration
	known        bool
	// change is the fitted change over the span, a fraction: the median slope of the logarithm (Theil-Sen) times the span.
	change float64
	// p is that of the Mann-Kendall test.
	p float64
}

// driftOf measures a quantity since a time; values that are not positive were not measured.
func driftOf(series []tokenfacts.Observation, since time.Time, quantity func(tokenfacts.Observation) float64) drift {
	var days, logs []float64
	var first, last time.Time
	for _, o := range series {
		value := quantity(o)
		if o.At.Before(since) || !(value > 0) || math.IsInf(value, 0) {
			continue
		}
		if first.IsZero() {
			first = o.At
		}
		last = o.At
		days = append(days, o.At.Sub(first).Hours()/24)
		logs = append(logs, math.Log(value))
	}
	d := drift{observations: len(logs), span: last.Sub(first)}
	if d.observations < minimumObservations || d.span < minimumSpan {
		return d
	}
	d.known = true
	d.change = math.Expm1(stats.TheilSenAt(days, logs) * d.span.Hours() / 24)
	_, d.p = stats.MannKendall(logs)
	return d
}

// direction is 1 or -1 for a change of at least so much, a fraction, that is hardly chance, and 0 for none.
func (d drift) direction(least float64) int {
	switch {
	case !d.known || !(d.p < trendSignificance):
		return 0
	case d.change >= least:
		return 1
	case d.change <= -least:
		return -1
	}
	return 0
}

// inChainOrder sorts trades so that the order in which a provider lists them changes nothing, sums included.
func inChainOrder(trades []market.TokenTrade) []market.TokenTrade {
	sorted := slices.Clone(trades)
	slices.SortFunc(sorted, func(a, b market.TokenTrade) int {
		return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Block, b.Block), cmp.Compare(a.LogIndex, b.LogIndex),
			bytes.Compare(a.Transaction[:], b.Transaction[:]), a.Trader.Compare(b.Trader), cmp.Compare(a.ValueUSD, b.ValueUSD), cmp.Compare(a.Amount, b.Amount))
	})
	return sorted
}

// flow is what the listed trades amount to.
type flow struct {
	trades          int
	buyUSD, sellUSD float64
}

// flowOf adds up the trades of those for whom counts tells so; nil counts everybody.
func flowOf(trades []market.TokenTrade, counts func(*market.TokenTrade) bool) flow {
	var f flow
	for _, trade := range inChainOrder(trades) {
		t := &trade
		if !(t.ValueUSD > 0) || math.IsInf(t.ValueUSD, 0) || counts != nil && !counts(t) {
			continue
		}
		f.trades++
		if t.Buy {
			f.buyUSD += t.ValueUSD
		} else {
			f.sellUSD += t.ValueUSD
		}
	}
	return f
}

// net is what was bought less what was sold, as a fraction of both, -1 to 1; NaN without trades.
func (f flow) net() float64 { return (f.buyUSD - f.sellUSD) / (f.buyUSD + f.sellUSD) }
