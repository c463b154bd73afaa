package copyrecord

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/copysimulation"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/position"
	"github.com/mirrorworthy/mirrorworthy/shared/tradingrecord"
)

// Record is a wallet's trading record together with the hourly prices of the tokens that it entered.
type Record struct {
	*tradingrecord.Record
	Series map[chain.Address]*copysimulation.Series
	// Unreached counts tokens whose prices could not be had this time, though others could.
	Unreached int
	// Beyond counts tokens left out because only the latest so many are looked up.
	Beyond int
}

// Needs are the ports behind a record.
var Needs = append([]market.Port{market.CandleFacts}, tradingrecord.Needs...)

// MaximumTokens bounds how many tokens' candles are read, those entered last first.
const MaximumTokens = 40

const (
	// unreachedShare is the part of the tokens whose candles may be missing.
	unreachedShare = 0.2
	// lead and tail are how much more than the entries themselves the candles cover: the random copier enters up
	// to three days earlier or later, and prices are carried forward up to two days.
	lead            = 7 * 24 * time.Hour
	tail            = 3*24*time.Hour + copysimulation.Horizon + time.Hour
	parallelCandles = 8
)

type recordKey struct {
	chain  chain.Slug
	wallet chain.Address
}

// Of gathers a wallet's record through a session, once a session whoever asks. Tokens whose candles could not be
// had are counted; it fails with market.ErrUnavailable when that is more than a fifth of them: too much is missing to judge by.
func Of(ctx context.Context, session *market.Session, on *chain.Chain, wallet chain.Address, asOf time.Time) (*Record, error) {
	key := recordKey{on.Slug, wallet}
	return market.Once(ctx, session, key, func(ctx context.Context) (*Record, error) {
		record, err := tradingrecord.Of(ctx, session, on, wallet, asOf)
		if err != nil {
			return nil, err
		}
		return read(ctx, session.Sources.Candles, record, asOf)
	})
}

func read(ctx context.Context, candles market.CandlePort, record *tradingrecord.Record, asOf time.Time) (*Record, error) {
	requests, beyond := candleRequests(record, asOf)
	copied := &Record{Record: record, Series: make(map[chain.Address]*copysimulation.Series, len(requests)), Beyond: beyond}
	series := make([]*copysimulation.Series, len(requests))
	failures := make([]error, len(requests))
	group := parallel.NewGroup()
	group.SetLimit(parallelCandles)
	for i := range requests {
		group.Go(func() error {
			series[i], failures[i] = readSeries(ctx, candles, record.Chain, requests[i], asOf)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for i := range requests {
		if failures[i] != nil {
			copied.Unreached++
			continue
		}
		copied.Series[requests[i].Token] = series[i]
	}
	if float64(copied.Unreached) > unreachedShare*float64(len(requests)) {
		return nil, errors.Join(failures...)
	}
	return copied, nil
}

func readSeries(ctx context.Context, candles market.CandlePort, on *chain.Chain, request market.CandleRequest, asOf time.Time) (*copysimulation.Series, error) {
	found, err := candles.Candles(ctx, on, request)
	if err != nil {
		return nil, err
	}
	return copysimulation.NewSeries(found.Hours, asOf), nil
}

// candleRequests asks for one stretch of candles for each token entered, in the pool that is deepest now.
func candleRequests(record *tradingrecord.Record, asOf time.Time) (requests []market.CandleRequest, beyond int) {
	type span struct{ first, last time.Time }
	spans := make(map[chain.Address]span)
	for i := range record.Book.Positions {
		p := &record.Book.Positions[i]
		if p.Buys == 0 {
			continue
		}
		s, found := spans[p.Token]
		if !found || p.OpenedAt.Before(s.first) {
			s.first = p.OpenedAt
		}
		if !found || p.OpenedAt.After(s.last) {
			s.last = p.OpenedAt
		}
		spans[p.Token] = s
	}
	for token, s := range spans {
		pool, found := tradingrecord.DeepestPool(record.Pools[token])
		if !found {
			continue
		}
		to := s.last.Add(tail)
		if to.After(asOf) {
			to = asOf
		}
		requests = append(requests, market.CandleRequest{
			Pool: pool.ID, Token: token,
			From: s.first.Add(-lead).Truncate(time.Hour), To: to.Truncate(time.Hour),
		})
	}
	slices.SortFunc(requests, func(a, b market.CandleRequest) int {
		if c := spans[b.Token].last.Compare(spans[a.Token].last); c != 0 {
			return c
		}
		return bytes.Compare(a.Token[:], b.Token[:])
	})
	if len(requests) > MaximumTokens {
		beyond = len(requests) - MaximumTokens
		requests = requests[:MaximumTokens]
	}
	return requests, beyond
}

// Entries lists the trader's entries that a copier could have followed, of tokens within the record's reach. SameBlockOnly is true
// when there were entries and every one was over within its block.
func (r *Record) Entries() (entries []copysimulation.Entry, sameBlockOnly bool) {
	copyable, sameBlock := 0, 0
	for i := range r.Book.Positions {
		p := &r.Book.Positions[i]
		if p.Buys == 0 {
			continue
		}
		if p.SameBlock {
			sameBlock++
			continue
		}
		copyable++
		_, read := r.Series[p.Token]
		if !read && len(r.Pools[p.Token]) > 0 {
			continue // beyond reach: not a token without a market
		}
		entries = append(entries, copysimulation.Entry{Token: p.Token, At: p.OpenedAt, AlreadyDead: p.Ending == position.Dead})
	}
	return entries, copyable == 0 && sameBlock > 0
}

// Security asks what is known about selling the tokens of the entries.
func (r *Record) Security(ctx context.Context, port market.TokenSecurityPort) (map[chain.Address]market.TokenSecurity, error) {
	entries, _ := r.Entries()
	seen := make(map[chain.Address]bool, len(entries))
	var tokens []chain.Address
	for _, e := range entries {
		if !seen[e.Token] {
			seen[e.Token] = true
			tokens = append(tokens, e.Token)
		}
	}
	if len(tokens) == 0 {
		return nil, nil
	}
	slices.SortFunc(tokens, func(a, b chain.Address) int { return bytes.Compare(a[:], b[:]) })
	return port.TokenSecurity(ctx, r.Chain, tokens)
}

// Simulate runs the delayed copier over the entries. Without security every token counts as one that can be sold untaxed.
func (r *Record) Simulate(security map[chain.Address]market.TokenSecurity, asOf time.Time) copysimulation.Result {
	entries, _ := r.Entries()
	terms := make(map[chain.Address]copysimulation.Terms, len(entries))
	for _, e := range entries {
		t := copysimulation.Terms{SellTax: math.NaN(), QuoteUSD: math.NaN()}
		if pool, found := tradingrecord.DeepestPool(r.Pools[e.Token]); found {
			t.QuoteUSD = pool.LiquidityUSD / 2
		}
		if s, found := security[e.Token]; found {
			t.SellTax = s.SellTax
			t.Unsellable = s.Honeypot == market.Yes
		}
		terms[e.Token] = t
	}
	return copysimulation.Run(entries, r.Series, terms, asOf)
}
