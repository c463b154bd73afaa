package market

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

// priceKey names the price of an asset at a time, in nanoseconds since 1970.
type priceKey struct {
	on    chain.Slug
	asset chain.Address
	at    int64
}

type priceOrNothing struct {
	usd   float64
	known bool
}

type cachedPrices struct {
	next  PricePort
	fresh Freshness
	clock func() time.Time
	shelf *shelf[priceKey, priceOrNothing]
}

func (c *cachedPrices) Prices(ctx context.Context, on *chain.Chain, requests []PriceRequest) ([]PriceSeries, error) {
	var keys []priceKey
	for _, request := range requests {
		for _, at := range request.Times {
			keys = append(keys, priceKey{on.Slug, request.Asset, at.UnixNano()})
		}
	}
	found, err := c.shelf.getAll(ctx, keys, func(ctx context.Context, keys []priceKey) (map[priceKey]kept[priceOrNothing], error) {
		return c.load(ctx, on, keys)
	})
	if err != nil {
		return nil, err
	}
	answer := make([]PriceSeries, len(requests))
	for i, request := range requests {
		answer[i].Asset = request.Asset
		times := slices.Clone(request.Times)
		slices.SortFunc(times, time.Time.Compare)
		for _, at := range slices.CompactFunc(times, time.Time.Equal) {
			if price := found[priceKey{on.Slug, request.Asset, at.UnixNano()}]; price.known {
				answer[i].Points = append(answer[i].Points, PricePoint{at, price.usd})
			}
		}
	}
	return answer, nil
}

// load asks for the missing prices, one request an asset.
func (c *cachedPrices) load(ctx context.Context, on *chain.Chain, keys []priceKey) (map[priceKey]kept[priceOrNothing], error) {
	missing := slices.Clone(keys)
	slices.SortFunc(missing, func(a, b priceKey) int {
		return cmp.Or(a.asset.Compare(b.asset), cmp.Compare(a.at, b.at))
	})
	var requests []PriceRequest
	for _, key := range missing {
		if len(requests) == 0 || requests[len(requests)-1].Asset != key.asset {
			requests = append(requests, PriceRequest{Asset: key.asset})
		}
		last := &requests[len(requests)-1]
		last.Times = append(last.Times, time.Unix(0, key.at).UTC())
	}
	series, err := c.next.Prices(ctx, on, requests)
	if err != nil {
		return nil, err
	}
	known := make(map[priceKey]float64, len(missing))
	for _, one := range series {
		for _, point := range one.Points {
			known[priceKey{on.Slug, one.Asset, point.Time.UnixNano()}] = point.USD
		}
	}
	now := c.clock()
	loaded := make(map[priceKey]kept[priceOrNothing], len(missing))
	for _, key := range missing {
		usd, ok := known[key]
		fresh := c.fresh.PastPrices
		if now.Sub(time.Unix(0, key.at)) < time.Hour {
			fresh = c.fresh.RecentPrices
		}
		loaded[key] = kept[priceOrNothing]{value: priceOrNothing{usd, ok}, lasts: c.fresh.lasting(fresh, ok)}
	}
	return loaded, nil
}

// poolKey names a token's price in a pool.
type poolKey struct {
	on    chain.Slug
	pool  string
	token chain.Address
}

// candleKey is a request for whole hours, in Unix seconds.
type candleKey struct {
	poolKey
	from, to int64
}

// span holds the closed hours with opening times from from (inclusive) to until (exclusive).
type span struct {
	from, until time.Time
	hours       []Candle
	truncated   bool
}

// closing is how long after its end an hour's candle may still change.
const closing = 5 * time.Minute

const candleBytes = 64

// cachedCandles keeps answers to whole requests for a short time and closed hours for a long one, so that a later request
// asks only for what came after them.
type cachedCandles struct {
	next    CandlePort
	fresh   Freshness
	clock   func() time.Time
	answers *shelf[candleKey, *Candles]
	spans   *shelf[poolKey, span]
}

func (c *cachedCandles) Candles(ctx context.Context, on *chain.Chain, request CandleRequest) (*Candles, error) {
	// Opening times are whole hours: a border within an hour is as good as the next whole one.
	request.From, request.To = nextHour(request.From), nextHour(request.To)
	key := candleKey{poolKey{on.Slug, request.Pool, request.Token}, request.From.Unix(), request.To.Unix()}
	return c.answers.get(ctx, key, func(ctx context.Context) (kept[*Candles], error) {
		candles, err := c.load(ctx, on, key.poolKey, request)
		if err != nil {
			return kept[*Candles]{}, err
		}
		fresh := c.fresh.NewestCandles
		if !request.To.After(c.closed()) {
			fresh = c.fresh.ClosedCandles
		}
		return kept[*Candles]{candles, c.fresh.lasting(fresh, len(candles.Hours) > 0), len(candles.Hours) * candleBytes}, nil
	})
}

func nextHour(at time.Time) time.Time {
	hour := at.UTC().Truncate(time.Hour)
	if hour.Before(at) {
		return hour.Add(time.Hour)
	}
	return hour
}

// closed is the end of the last hour that does not change any more.
func (c *cachedCandles) closed() time.Time { return c.clock().Add(-closing).UTC().Truncate(time.Hour) }

func (c *cachedCandles) load(ctx context.Context, on *chain.Chain, key poolKey, request CandleRequest) (*Candles, error) {
	closed := c.closed()
	known, found := c.spans.cache.Get(key)
	if old := known.value; found && !request.From.Before(old.from) && !request.From.After(old.until) {
		if !request.To.After(old.until) {
			return old.cut(request), nil
		}
		rest := request
		rest.From = old.until
		fetched, err := c.next.Candles(ctx, on, rest)
		if err != nil {
			return nil, err
		}
		if !fetched.Truncated {
			joined := span{old.from, request.To, slices.Concat(old.hours, fetched.Hours), old.truncated}
			c.keep(key, joined, closed)
			return joined.cut(request), nil
		}
	}
	fetched, err := c.next.Candles(ctx, on, request)
	if err != nil {
		return nil, err
	}
	c.keep(key, span{request.From, request.To, fetched.Hours, fetched.Truncated}, closed)
	return fetched, nil
}

// keep puts the closed part of a span away, unless it is empty or would push out one that reaches as far and further back.
func (c *cachedCandles) keep(key poolKey, s span, closed time.Time) {
	if s.until.After(closed) {
		s.until = closed
	}
	s.hours = s.hours[:firstFrom(s.hours, s.until)]
	if len(s.hours) == 0 || !s.from.Before(s.until) {
		return
	}
	s.hours = slices.Clip(s.hours)
	if old, found := c.spans.cache.Get(key); found && !old.value.until.Before(s.until) && !old.value.from.After(s.from) {
		return
	}
	c.spans.cache.Set(key, kept[span]{s, c.fresh.ClosedCandles, len(s.hours) * candleBytes})
}

// cut is the part of a span that a request asks for. It shares the span's hours.
func (s span) cut(request CandleRequest) *Candles {
	hours := s.hours[firstFrom(s.hours, request.From):firstFrom(s.hours, request.To)]
	begins := len(s.hours) > 0 && !s.hours[0].Time.After(request.From)
	return &Candles{Hours: slices.Clip(hours), Truncated: s.truncated && !begins}
}

// firstFrom is the index of the first candle that opens at a time or later.
func firstFrom(hours []Candle, at time.Time) int {
	i, _ := slices.BinarySearchFunc(hours, at, func(c Candle, at time.Time) int { return c.Time.Compare(at) })
	return i
}
