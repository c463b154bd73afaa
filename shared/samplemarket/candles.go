package samplemarket

import (
	"math"
	"sort"
)

// candle is a bar of prices with its USD volume.
type candle struct {
	time                   int64 // Unix time of its opening
	open, high, low, close float64
	volume                 float64
}

// priceBasis says in what a pool's prices are told.
type priceBasis struct {
	ofQuote bool // of the quote asset instead of the token
	inOther bool // in the pool's other asset instead of USD
}

// swapPrice is the price a swap left behind, in USD or in the other asset.
func (w *world) swapPrice(s *swap, basis priceBasis) float64 {
	p := &w.pools[s.pool]
	ratio := w.assets[p.quote].coins(s.quoteReserve) / w.assets[p.token].coins(s.tokenReserve)
	quoteUSD := w.swapQuoteUSD(s)
	switch {
	case basis.inOther && basis.ofQuote:
		return 1 / ratio
	case basis.inOther:
		return ratio
	case basis.ofQuote:
		return quoteUSD
	}
	return ratio * quoteUSD
}

// swapQuoteUSD is what the quote asset cost when the swap happened.
func (w *world) swapQuoteUSD(s *swap) float64 {
	quote := s.quoteOut
	if quote < 0 {
		quote = -quote
	}
	if quote == 0 {
		return w.quoteUSD(w.pools[s.pool].quote, w.txs[s.transaction].time)
	}
	return s.usd / w.assets[w.pools[s.pool].quote].coins(quote)
}

// candles are the newest bars before a Unix time, newest first. Bars without trades are left out, or repeated flat when empty is set.
func (w *world) candles(p *pool, seconds, before int64, limit int, basis priceBasis, empty bool) []candle {
	end := sort.Search(len(p.swaps), func(i int) bool { return w.start+int64(w.swapTime(p.swaps[i])) >= before })
	var out []candle
	for i := end - 1; i >= 0 && len(out) <= limit; i-- {
		s := &w.swaps[p.swaps[i]]
		price := w.swapPrice(s, basis)
		bucket := floorDiv(w.start+int64(w.swapTime(p.swaps[i])), seconds) * seconds
		if n := len(out); n > 0 && out[n-1].time == bucket {
			c := &out[n-1]
			c.open = price
			c.high, c.low = math.Max(c.high, price), math.Min(c.low, price)
			c.volume += s.usd
			continue
		}
		if n := len(out); n > 0 {
			// A bar opens where the one before it closed, as the price had stood there.
			c := &out[n-1]
			c.open = price
			c.high, c.low = math.Max(c.high, price), math.Min(c.low, price)
			if empty {
				for gap := c.time - seconds; gap > bucket && len(out) <= limit; gap -= seconds {
					out = append(out, candle{time: gap, open: price, high: price, low: price, close: price})
				}
			}
		}
		out = append(out, candle{time: bucket, open: price, high: price, low: price, close: price, volume: s.usd})
	}
	return out[:min(len(out), limit)]
}

func (w *world) swapTime(id int32) int32 { return w.txs[w.swaps[id].transaction].time }

// window is what happened in a pool over its last seconds.
type window struct {
	seconds         int64
	buys, sells     int
	buyers, sellers int
	volume          float64
	buyVolume       float64
	change          float64 // percent, when traded
	traded          bool
}

// windows adds up a pool's trades over several spans at once; the spans ascend.
func (w *world) windows(p *pool, spans ...int64) []window {
	out := make([]window, len(spans))
	type side struct {
		trader int32
		buy    bool
	}
	seen := map[side]int{}
	for i := range spans {
		out[i].seconds = spans[i]
	}
	last := 0.0
	if n := len(p.swaps); n > 0 {
		last = w.swapPrice(&w.swaps[p.swaps[n-1]], priceBasis{})
	}
	span := 0
	settle := func(price float64) {
		out[span].traded = out[span].buys+out[span].sells > 0
		if price > 0 {
			out[span].change = (last/price - 1) * 100
		}
	}
	for i := len(p.swaps) - 1; i >= 0 && span < len(spans); i-- {
		s := &w.swaps[p.swaps[i]]
		age := int64(w.now - w.swapTime(p.swaps[i]))
		for span < len(spans) && age > spans[span] {
			settle(w.swapPrice(s, priceBasis{}))
			span++
		}
		if span == len(spans) {
			break
		}
		key := side{s.trader, s.tokenOut > 0}
		first, known := seen[key]
		if !known {
			first = span
			seen[key] = span
		}
		for j := span; j < len(spans); j++ {
			o := &out[j]
			o.volume += s.usd
			if key.buy {
				o.buys++
				o.buyVolume += s.usd
			} else {
				o.sells++
			}
			if !known && j >= first {
				if key.buy {
					o.buyers++
				} else {
					o.sellers++
				}
			}
		}
	}
	for ; span < len(spans); span++ {
		opening := 0.0
		if len(p.swaps) > 0 {
			opening = w.swapPrice(&w.swaps[p.swaps[0]], priceBasis{})
		}
		settle(opening)
	}
	return out
}

// poolAddress is a pool's address, or the pool id of version 4.
func (w *world) poolAddress(p *pool) string {
	if p.version == poolV4 {
		return hexHash(p.id)
	}
	return w.entities[p.entity].address.String()
}

// poolByAddress finds a pool by its address or id.
func (w *world) poolByAddress(text string) *pool {
	if h, ok := parseHash(lower(text)); ok {
		for i := range w.pools {
			if p := &w.pools[i]; p.version == poolV4 && p.id == h {
				return p
			}
		}
		return nil
	}
	a, ok := parseAddress(text)
	if !ok {
		return nil
	}
	entity, known := w.byAddress[a]
	if !known || w.entities[entity].kind != kindPool || w.entities[entity].ref < 0 {
		return nil
	}
	return &w.pools[w.entities[entity].ref]
}

// poolsOf lists the pools an asset stands in, deepest first.
func (w *world) poolsOf(assetID int32) []*pool {
	var list []*pool
	if t := w.assets[assetID].token; t >= 0 {
		for _, id := range w.tokens[t].pools {
			list = append(list, &w.pools[id])
		}
		return list
	}
	for i := range w.pools {
		if p := &w.pools[i]; p.token == assetID || p.quote == assetID {
			list = append(list, p)
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return w.reserveUSD(list[i]) > w.reserveUSD(list[j]) })
	return list
}

// reserveUSD is the value of both sides of a pool.
func (w *world) reserveUSD(p *pool) float64 {
	return 2 * w.assets[p.quote].coins(p.quoteReserve) * w.quoteUSD(p.quote, w.now)
}

// assetByAddress finds a coin or token; the zero address is the native coin.
func (w *world) assetByAddress(text string) (int32, bool) {
	a, ok := parseAddress(text)
	if !ok {
		return 0, false
	}
	if a == zeroAddress {
		return nativeAsset, true
	}
	entity, known := w.byAddress[a]
	if !known || w.entities[entity].kind != kindAsset || w.assets[w.entities[entity].ref].kind == assetCollectible {
		return 0, false
	}
	return w.entities[entity].ref, true
}

// usdNow is an asset's USD price now, false when no pool with liquidity prices it.
func (w *world) usdNow(assetID int32) (float64, bool) {
	a := &w.assets[assetID]
	if a.token < 0 {
		return w.quoteUSD(assetID, w.now), a.kind <= assetStaked
	}
	t := &w.tokens[a.token]
	if t.pool < 0 || w.pools[t.pool].drainedAt != 0 {
		return 0, false
	}
	return w.priceUSD(t), true
}

func lower(text string) string {
	b := []byte(text)
	for i := range b {
		if b[i] >= 'A' && b[i] <= 'Z' {
			b[i] += 'a' - 'A'
		}
	}
	return string(b)
}
