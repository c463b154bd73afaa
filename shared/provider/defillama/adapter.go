// Package defillama reads past and current USD prices from DefiLlama's coins service (https://api-docs.defillama.com).
//
// It asks GET /batchHistorical and GET /prices/current on https://coins.llama.fi and stays under 300 calls a minute, as the
// service publishes no limit. It gives one point for each wanted time that has a price within four hours of it, and believes
// no price that the service itself gives a confidence below 0.8.
package defillama

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

const (
	searchWidth = 4 * time.Hour
	// leastConfidence is where the service's own documents put the border of a trustworthy price.
	leastConfidence = 0.8
	// queryLength bounds the escaped list of coins and times of one call, well below the 8 kB that servers take.
	queryLength = 4000
	// assetsPerCall bounds the coins of one call for current prices.
	assetsPerCall = 60
	parallelCalls = 4
)

// Adapter implements market.PricePort.
type Adapter struct{ client *upstream.Client }

var _ market.PricePort = (*Adapter)(nil)

// Defaults is the public service within its limits.
func Defaults() upstream.Config {
	return upstream.Config{Name: "defillama", Base: "https://coins.llama.fi", PerMinute: 300, Burst: 30, Timeout: 6 * time.Second}
}

// New reads through a client whose base is the service's root.
func New(client *upstream.Client) *Adapter { return &Adapter{client: client} }

var chainNames = map[chain.Slug]string{
	chain.Ethereum: "ethereum", chain.Base: "base", chain.BSC: "bsc",
	chain.Arbitrum: "arbitrum", chain.Polygon: "polygon", chain.Optimism: "optimism",
}

func coin(chainName string, asset chain.Address) string { return chainName + ":" + asset.String() }

type point struct {
	Timestamp  upstream.Number `json:"timestamp"`
	Price      upstream.Number `json:"price"`
	Confidence upstream.Number `json:"confidence"`
}

// read checks a point: a price without a word on its confidence is believed, one with a bad word is not.
func (p point) read(now time.Time) (market.PricePoint, bool) {
	at, validTime := p.Timestamp.Seconds(now)
	price, validPrice := p.Price.Price()
	if !validTime || !validPrice {
		return market.PricePoint{}, false
	}
	if p.Confidence != "" {
		if confidence, ok := p.Confidence.Float(); !ok || confidence < leastConfidence {
			return market.PricePoint{}, false
		}
	}
	return market.PricePoint{Time: at, USD: price}, true
}

// answer holds what the service says of each coin, decoded coin by coin so that one bad coin costs no other.
type answer struct {
	Coins map[string]jsontext.Value `json:"coins"`
}

type history struct {
	// Prices is nil where the answer has none, which is not the same as an empty list.
	Prices *upstream.Rows[point] `json:"prices"`
}

func (h history) legible() bool {
	return h.Prices != nil && (len(h.Prices.Good)+h.Prices.Dropped == 0 || slices.ContainsFunc(h.Prices.Good, point.legible))
}

// legible tells a point that can be read, whether or not it is believed.
func (p point) legible() bool {
	_, priced := p.Price.Float()
	_, timed := p.Timestamp.Float()
	return priced && timed
}

// readAnswer refuses an answer without coins, or of whose coins none can be understood: it says nothing, which is not the same
// as no prices.
func readAnswer[T interface{ legible() bool }](response *upstream.Response) (answer, error) {
	read, err := upstream.JSON[answer](response)
	switch {
	case err != nil:
		return read, err
	case read.Coins == nil:
		return read, fmt.Errorf("%w: no coins", upstream.ErrUnreadable)
	case len(read.Coins) == 0:
		return read, nil
	}
	for _, coin := range read.Coins {
		var value T
		if upstream.Unmarshal(coin, &value) == nil && value.legible() {
			return read, nil
		}
	}
	return read, fmt.Errorf("%w: none of %d coins has a price", upstream.ErrUnreadable, len(read.Coins))
}

// each decodes every coin, in the order of their names, in lower case, and counts what is bad: those that have not the shape
// of T, and what use finds bad in the others.
func each[T any](a answer, use func(coin string, value T) (bad int)) (bad int) {
	for _, name := range slices.Sorted(maps.Keys(a.Coins)) {
		var value T
		if upstream.Unmarshal(a.Coins[name], &value) != nil {
			bad++
			continue
		}
		bad += use(strings.ToLower(name), value)
	}
	return bad
}

// Prices gives, for each request, in its order, one point for every wanted time at which there is a price: the one nearest
// in time, at most four hours away. Where the native coin has none, its wrapped form's is taken.
func (a *Adapter) Prices(ctx context.Context, on *chain.Chain, requests []market.PriceRequest) ([]market.PriceSeries, error) {
	name, supported := chainNames[on.Slug]
	if !supported {
		return nil, fmt.Errorf("%w: defillama does not cover %s", market.ErrUnavailable, on.Slug)
	}
	found, err := a.histories(ctx, plan(on, name, requests, a.client.Now()))
	if err != nil {
		return nil, err
	}
	series := make([]market.PriceSeries, len(requests))
	for i, request := range requests {
		series[i].Asset = request.Asset
		own, wrapped := found[coin(name, request.Asset)], []market.PricePoint(nil)
		if request.Asset == chain.Native {
			wrapped = found[coin(name, on.WrappedNative.Address)]
		}
		for _, at := range sortedTimes(request.Times) {
			usd, ok := nearest(own, at)
			if !ok {
				usd, ok = nearest(wrapped, at)
			}
			if ok {
				series[i].Points = append(series[i].Points, market.PricePoint{Time: at, USD: usd})
			}
		}
	}
	return series, nil
}

// wish is one coin and the Unix seconds at which its price is wanted, ascending.
type wish struct {
	coin  string
	times []int64
}

// plan merges requests into wishes, in the order of their coins, and cuts them into queries of bounded length.
func plan(on *chain.Chain, chainName string, requests []market.PriceRequest, now time.Time) []string {
	times := make(map[string][]int64)
	for _, request := range requests {
		coins := []string{coin(chainName, request.Asset)}
		if request.Asset == chain.Native {
			coins = append(coins, coin(chainName, on.WrappedNative.Address))
		}
		for _, name := range coins {
			for _, at := range request.Times {
				if at.Unix() > 0 && !at.After(now) {
					times[name] = append(times[name], at.Unix())
				}
			}
		}
	}
	wishes := make([]wish, 0, len(times))
	for name, wanted := range times {
		slices.Sort(wanted)
		wishes = append(wishes, wish{name, slices.Compact(wanted)})
	}
	slices.SortFunc(wishes, func(a, b wish) int { return cmp.Compare(a.coin, b.coin) })
	return queries(wishes)
}

// queries writes wishes as the JSON objects the service takes. What escaping makes of a text is bounded by counting three
// characters for each that is no letter or digit.
func queries(wishes []wish) []string {
	const timeLength = len("1700000000") + len("%2C")
	var all []string
	var query strings.Builder
	length := 0
	finish := func() {
		if query.Len() > 0 {
			query.WriteString("]}")
			all = append(all, query.String())
			query.Reset()
			length = 0
		}
	}
	for _, wish := range wishes {
		opened := false
		for _, at := range wish.times {
			opening := len(wish.coin) + 24
			if length > 0 && length+timeLength+opening > queryLength {
				finish()
				opened = false
			}
			switch {
			case opened:
				query.WriteByte(',')
			case query.Len() == 0:
				query.WriteString(`{"` + wish.coin + `":[`)
			default:
				query.WriteString(`],"` + wish.coin + `":[`)
			}
			if !opened {
				length += opening
			}
			opened = true
			query.WriteString(strconv.FormatInt(at, 10))
			length += timeLength
		}
	}
	finish()
	return all
}

// histories asks all queries and gathers each coin's believable points in time order. Coins are named as they were asked.
func (a *Adapter) histories(ctx context.Context, queries []string) (map[string][]market.PricePoint, error) {
	const path = "/batchHistorical"
	answers := make([]answer, len(queries))
	calls, ctx := parallel.WithContext(ctx)
	calls.SetLimit(parallelCalls)
	for i, query := range queries {
		calls.Go(func() (err error) {
			values := url.Values{"coins": {query}, "searchWidth": {width()}}
			answers[i], err = upstream.Get(ctx, a.client, path, values, readAnswer[history])
			return err
		})
	}
	if err := calls.Wait(); err != nil {
		return nil, err
	}
	now := a.client.Now()
	found := make(map[string][]market.PricePoint)
	dropped := 0
	for _, answer := range answers {
		dropped += each(answer, func(name string, series history) int {
			if series.Prices == nil {
				return 1
			}
			bad := series.Prices.Dropped
			for _, row := range series.Prices.Good {
				if read, ok := row.read(now); ok {
					found[name] = append(found[name], read)
				} else {
					bad++
				}
			}
			return bad
		})
	}
	a.client.Drop(path, dropped)
	for name := range found {
		slices.SortFunc(found[name], func(a, b market.PricePoint) int {
			return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.USD, b.USD))
		})
	}
	return found, nil
}

func width() string { return strconv.Itoa(int(searchWidth/time.Hour)) + "h" }

func sortedTimes(times []time.Time) []time.Time {
	sorted := slices.Clone(times)
	slices.SortFunc(sorted, time.Time.Compare)
	return slices.CompactFunc(sorted, time.Time.Equal)
}

// nearest finds the price closest to a time in points of ascending time, within the search width; of two equally close the
// earlier, which was known at the time.
func nearest(points []market.PricePoint, at time.Time) (float64, bool) {
	next, _ := slices.BinarySearchFunc(points, at, func(p market.PricePoint, at time.Time) int { return p.Time.Compare(at) })
	best, distance := math.NaN(), searchWidth+1
	for _, i := range []int{next - 1, next} {
		if i < 0 || i >= len(points) {
			continue
		}
		if d := points[i].Time.Sub(at).Abs(); d < distance {
			best, distance = points[i].USD, d
		}
	}
	return best, distance <= searchWidth
}

// CurrentPrices gives the latest prices not older than four hours. An asset without one is missing; the native coin without
// one has its wrapped form's.
func (a *Adapter) CurrentPrices(ctx context.Context, on *chain.Chain, assets []chain.Address) (map[chain.Address]float64, error) {
	name, supported := chainNames[on.Slug]
	if !supported {
		return nil, fmt.Errorf("%w: defillama does not cover %s", market.ErrUnavailable, on.Slug)
	}
	var coins []string
	for _, asset := range assets {
		coins = append(coins, coin(name, asset))
		if asset == chain.Native {
			coins = append(coins, coin(name, on.WrappedNative.Address))
		}
	}
	slices.Sort(coins)
	coins = slices.Compact(coins)
	groups := slices.Collect(slices.Chunk(coins, assetsPerCall))
	answers := make([]answer, len(groups))
	calls, ctx := parallel.WithContext(ctx)
	calls.SetLimit(parallelCalls)
	for i, group := range groups {
		calls.Go(func() (err error) {
			path := "/prices/current/" + strings.Join(group, ",")
			answers[i], err = upstream.Get(ctx, a.client, path, nil, readAnswer[point])
			return err
		})
	}
	if err := calls.Wait(); err != nil {
		return nil, err
	}
	now := a.client.Now()
	found := make(map[string]float64)
	dropped := 0
	for _, answer := range answers {
		dropped += each(answer, func(name string, row point) int {
			read, ok := row.read(now)
			if !ok {
				return 1
			}
			if now.Sub(read.Time) <= searchWidth {
				found[name] = read.USD
			}
			return 0
		})
	}
	a.client.Drop("/prices/current", dropped)
	prices := make(map[chain.Address]float64, len(assets))
	for _, asset := range assets {
		price, ok := found[coin(name, asset)]
		if !ok && asset == chain.Native {
			price, ok = found[coin(name, on.WrappedNative.Address)]
		}
		if ok {
			prices[asset] = price
		}
	}
	return prices, nil
}
