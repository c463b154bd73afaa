// Package geckoterminal reads hourly candles and latest trades of pools, tokens' pools, and which tokens trade on a chain, from
// GeckoTerminal's public service (https://apiguide.geckoterminal.com).
//
// It asks GET /networks/{network}/pools/{pool}/ohlcv/hour, a thousand candles a page, newest page first, always in USD and
// always naming the token, GET /networks/{network}/pools/{pool}/trades, /networks/{network}/tokens/{token}/pools,
// /networks/{network}/pools and /networks/{network}/new_pools. It stays under the 30 calls a minute the service allows one
// address. The free history reaches back about six months, and trades one day or 300.
package geckoterminal

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

const (
	candlesPerPage = 1000
	// maximumPages bounds one request: more than a year of hours.
	maximumPages = 10
	// freeHistory is how far back the service answers without a key. An older gap means that it does not know, a younger
	// one that nobody traded.
	freeHistory = 180 * 24 * time.Hour
	// rounding is how far, relatively, an opening or closing price may lie outside of high and low by the service's rounding.
	rounding = 1e-6
)

// Adapter implements market.CandlePort, market.PoolPort, market.TradePort and market.ListingPort.
type Adapter struct{ client *upstream.Client }

var (
	_ market.CandlePort = (*Adapter)(nil)
	_ market.PoolPort   = (*Adapter)(nil)
)

// Defaults is the public service within its limits.
func Defaults() upstream.Config {
	return upstream.Config{
		Name: "geckoterminal", Base: "https://api.geckoterminal.com/api/v2", PerMinute: 28, Burst: 10, Timeout: 6 * time.Second,
		Header: http.Header{"Accept": {"application/json;version=20230302"}},
	}
}

// New reads through a client whose base is the service's /api/v2.
func New(client *upstream.Client) *Adapter { return &Adapter{client: client} }

var networks = map[chain.Slug]string{
	chain.Ethereum: "eth", chain.Base: "base", chain.BSC: "bsc",
	chain.Arbitrum: "arbitrum", chain.Polygon: "polygon_pos", chain.Optimism: "optimism",
}

func network(on *chain.Chain) (string, error) {
	name, supported := networks[on.Slug]
	if !supported {
		return "", fmt.Errorf("%w: geckoterminal does not cover %s", market.ErrUnavailable, on.Slug)
	}
	return name, nil
}

// Candles reads a pool's hours. A pool the service does not know has none. Truncated is set when older candles exist, or
// may exist beyond the free history, that were not read.
func (a *Adapter) Candles(ctx context.Context, on *chain.Chain, request market.CandleRequest) (*market.Candles, error) {
	name, err := network(on)
	if err != nil {
		return nil, err
	}
	id, ok := upstream.PoolID(request.Pool)
	if !ok {
		return nil, errNotAPool
	}
	if !request.From.Before(request.To) {
		return &market.Candles{}, nil
	}
	read := reading{
		adapter: a, path: "/networks/" + name + "/pools/" + id + "/ohlcv/hour",
		token: on.ERC20(request.Token), request: request, now: a.client.Now(),
	}
	return read.pages(ctx)
}

// reading is one request for candles under way.
type reading struct {
	adapter *Adapter
	path    string
	token   chain.Address
	request market.CandleRequest
	now     time.Time
	hours   []market.Candle
}

func (r *reading) pages(ctx context.Context) (*market.Candles, error) {
	// The newest page is asked for without a border: it is the one that is free of charge in any case.
	before := r.request.To
	if before.After(r.now.Add(-time.Hour)) {
		before = time.Time{}
	}
	exhausted := false
	for range maximumPages {
		page, err := r.page(ctx, before)
		if err != nil {
			return nil, err
		}
		if page.refused {
			if len(r.hours) > 0 || before.IsZero() {
				break
			}
			before = time.Time{}
			if page, err = r.page(ctx, before); err != nil {
				return nil, err
			}
			if page.refused {
				break
			}
		}
		r.hours = append(r.hours, page.hours...)
		if page.rows < candlesPerPage || page.oldest.IsZero() {
			exhausted = true
			break
		}
		if !page.oldest.After(r.request.From) || (!before.IsZero() && !page.oldest.Before(before)) {
			break
		}
		before = page.oldest
	}
	return r.finish(exhausted), nil
}

// finish sorts, takes out doubles and what was not asked for, and tells whether the beginning is missing.
func (r *reading) finish(exhausted bool) *market.Candles {
	slices.SortStableFunc(r.hours, func(a, b market.Candle) int { return a.Time.Compare(b.Time) })
	hours := slices.CompactFunc(r.hours, func(a, b market.Candle) bool { return a.Time.Equal(b.Time) })
	covered := len(hours) > 0 && !hours[0].Time.After(r.request.From)
	first, _ := slices.BinarySearchFunc(hours, r.request.From, compareTime)
	last, _ := slices.BinarySearchFunc(hours, r.request.To, compareTime)
	return &market.Candles{
		Hours:     slices.Clip(hours[first:last]),
		Truncated: !covered && (!exhausted || r.request.From.Before(r.now.Add(-freeHistory))),
	}
}

func compareTime(candle market.Candle, at time.Time) int { return candle.Time.Compare(at) }

// page is one answer: how many rows it had, good and bad, and the oldest time in it.
type page struct {
	hours   []market.Candle
	rows    int
	oldest  time.Time
	refused bool
}

type candleAnswer struct {
	Data struct {
		Attributes struct {
			// List is nil where the answer has none, which is not the same as an empty one.
			List *upstream.Rows[[]upstream.Number] `json:"ohlcv_list"`
		} `json:"attributes"`
	} `json:"data"`
}

func (r *reading) page(ctx context.Context, before time.Time) (page, error) {
	query := url.Values{"limit": {strconv.Itoa(candlesPerPage)}, "currency": {"usd"}, "token": {r.token.String()}}
	if !before.IsZero() {
		query.Set("before_timestamp", strconv.FormatInt(before.Unix(), 10))
	}
	return upstream.Get(ctx, r.adapter.client, r.path, query, func(response *upstream.Response) (page, error) {
		switch response.Status {
		case http.StatusNotFound:
			return page{}, nil
		case http.StatusUnauthorized:
			return page{refused: true}, nil
		}
		answer, err := upstream.JSON[candleAnswer](response)
		if err != nil {
			return page{}, err
		}
		list := answer.Data.Attributes.List
		if list == nil {
			return page{}, fmt.Errorf("%w: no list of candles", upstream.ErrUnreadable)
		}
		read, dropped := readPage(list, r.now)
		if read.rows > 0 && len(read.hours) == 0 {
			return page{}, fmt.Errorf("%w: none of %d candles can be true", upstream.ErrUnreadable, read.rows)
		}
		r.adapter.client.Drop(r.path, dropped)
		return read, nil
	})
}

// readPage checks candles: a time on the hour that has begun, four plausible prices, in order with each other. A volume
// that the service does not give counts as none.
func readPage(list *upstream.Rows[[]upstream.Number], now time.Time) (page, int) {
	read := page{rows: len(list.Good) + list.Dropped, hours: make([]market.Candle, 0, len(list.Good))}
	dropped := list.Dropped
	for _, row := range list.Good {
		candle, ok := readCandle(row, now)
		if !ok {
			dropped++
			continue
		}
		read.hours = append(read.hours, candle)
		if read.oldest.IsZero() || candle.Time.Before(read.oldest) {
			read.oldest = candle.Time
		}
	}
	return read, dropped
}

func readCandle(row []upstream.Number, now time.Time) (market.Candle, bool) {
	if len(row) != 6 {
		return market.Candle{}, false
	}
	at, ok := row[0].Seconds(now)
	if !ok || at.Unix()%3600 != 0 {
		return market.Candle{}, false
	}
	candle := market.Candle{Time: at}
	for i, price := range []*float64{&candle.Open, &candle.High, &candle.Low, &candle.Close} {
		if *price, ok = row[i+1].Price(); !ok {
			return market.Candle{}, false
		}
	}
	if row[5] != "" {
		if candle.VolumeUSD, ok = row[5].USD(); !ok {
			return market.Candle{}, false
		}
	}
	highest, lowest := max(candle.Open, candle.Close), min(candle.Open, candle.Close)
	if candle.High < highest*(1-rounding) || candle.Low > lowest*(1+rounding) {
		return market.Candle{}, false
	}
	candle.High, candle.Low = max(candle.High, highest), min(candle.Low, lowest)
	return candle, true
}
