package samplemarket

import (
	"net/http"
	"sort"
	"strings"
)

type dexToken struct {
	Address string `json:"address"`
	Name    string `json:"name"`
	Symbol  string `json:"symbol"`
}

type dexTrades struct {
	Buys  int `json:"buys"`
	Sells int `json:"sells"`
}

type dexTxns struct {
	M5  dexTrades `json:"m5"`
	H1  dexTrades `json:"h1"`
	H6  dexTrades `json:"h6"`
	H24 dexTrades `json:"h24"`
}

type dexVolume struct {
	H24 float64 `json:"h24"`
	H6  float64 `json:"h6"`
	H1  float64 `json:"h1"`
	M5  float64 `json:"m5"`
}

type dexChange struct {
	M5  *float64 `json:"m5,omitempty"`
	H1  *float64 `json:"h1,omitempty"`
	H6  *float64 `json:"h6,omitempty"`
	H24 *float64 `json:"h24,omitempty"`
}

type dexLiquidity struct {
	USD   float64 `json:"usd"`
	Base  float64 `json:"base"`
	Quote float64 `json:"quote"`
}

type dexLink struct {
	Label string `json:"label"`
	URL   string `json:"url"`
}

type dexInfo struct {
	ImageURL  string    `json:"imageUrl"`
	OpenGraph string    `json:"openGraph"`
	Websites  []dexLink `json:"websites"`
	Socials   []dexLink `json:"socials"`
}

type dexPair struct {
	ChainID       string        `json:"chainId"`
	DexID         string        `json:"dexId"`
	URL           string        `json:"url"`
	PairAddress   string        `json:"pairAddress"`
	Labels        []string      `json:"labels,omitempty"`
	BaseToken     dexToken      `json:"baseToken"`
	QuoteToken    dexToken      `json:"quoteToken"`
	PriceNative   string        `json:"priceNative"`
	PriceUSD      string        `json:"priceUsd,omitempty"`
	Txns          dexTxns       `json:"txns"`
	Volume        dexVolume     `json:"volume"`
	PriceChange   dexChange     `json:"priceChange"`
	Liquidity     *dexLiquidity `json:"liquidity,omitempty"`
	FDV           float64       `json:"fdv,omitempty"`
	MarketCap     float64       `json:"marketCap,omitempty"`
	PairCreatedAt int64         `json:"pairCreatedAt"`
	Info          *dexInfo      `json:"info,omitempty"`
}

type dexPairs struct {
	SchemaVersion string    `json:"schemaVersion"`
	Pairs         []dexPair `json:"pairs"`
	Pair          *dexPair  `json:"pair,omitempty"`
}

const dexLimit = 30

// serveDexScreener answers the public API. Unknown addresses are no error: the list is empty, or null.
func (m *Market) serveDexScreener(r *request) (int, any) {
	switch {
	case r.part(0) == "tokens" && r.part(1) == "v1" && len(r.path) == 4, r.part(0) == "token-pairs" && r.part(1) == "v1" && len(r.path) == 4:
		w := m.worldWhere(func(c *chainSpec) bool { return c.dexscreener == r.part(2) })
		asked := splitList(r.part(3))
		if len(asked) > dexLimit {
			return http.StatusBadRequest, map[string]string{"message": "too many addresses"}
		}
		pairs := []dexPair{}
		if w != nil {
			pairs = w.dexPairsOf(asked)
		}
		return http.StatusOK, pairs[:min(len(pairs), dexLimit)]
	case r.part(0) == "latest" && r.part(1) == "dex" && r.part(2) == "tokens" && len(r.path) == 4:
		asked := splitList(r.part(3))
		var pairs []dexPair
		for _, w := range m.worlds {
			pairs = append(pairs, w.dexPairsOf(asked[:min(len(asked), dexLimit)])...)
		}
		return http.StatusOK, dexPairs{SchemaVersion: "1.0.0", Pairs: pairs[:min(len(pairs), dexLimit)]}
	case r.part(0) == "latest" && r.part(1) == "dex" && r.part(2) == "pairs" && len(r.path) == 5:
		answer := dexPairs{SchemaVersion: "1.0.0"}
		if w := m.worldWhere(func(c *chainSpec) bool { return c.dexscreener == r.part(3) }); w != nil {
			for _, text := range splitList(r.part(4)) {
				if p := w.poolByAddress(text); p != nil {
					answer.Pairs = append(answer.Pairs, w.dexPair(p))
				}
			}
		}
		if len(answer.Pairs) > 0 {
			answer.Pair = &answer.Pairs[0]
		}
		return http.StatusOK, answer
	case r.part(0) == "latest" && r.part(1) == "dex" && r.part(2) == "search" && len(r.path) == 3:
		return http.StatusOK, dexPairs{SchemaVersion: "1.0.0", Pairs: m.dexSearch(r.query.Get("q"))}
	}
	return http.StatusNotFound, map[string]string{"message": "Not found"}
}

func (m *Market) dexSearch(text string) []dexPair {
	pairs := []dexPair{}
	for _, w := range m.worlds {
		if _, ok := parseAddress(text); ok {
			pairs = append(pairs, w.dexPairsOf([]string{text})...)
			continue
		}
		for i := range w.tokens {
			t := &w.tokens[i]
			if a := &w.assets[t.asset]; t.pool >= 0 && text != "" && (strings.EqualFold(a.symbol, text) || strings.Contains(lower(a.name), lower(text))) && len(pairs) < dexLimit {
				pairs = append(pairs, w.dexPair(&w.pools[t.pool]))
			}
		}
	}
	return pairs[:min(len(pairs), dexLimit)]
}

// dexPairsOf lists the pairs of tokens, as base or as quote, deepest first.
func (w *world) dexPairsOf(addresses []string) []dexPair {
	pairs := []dexPair{}
	seen := map[*pool]bool{}
	for _, text := range addresses {
		assetID, ok := w.assetByAddress(text)
		if !ok || assetID == nativeAsset {
			continue
		}
		for _, p := range w.poolsOf(assetID) {
			if !seen[p] && len(pairs) < 4*dexLimit {
				seen[p] = true
				pairs = append(pairs, w.dexPair(p))
			}
		}
	}
	sort.SliceStable(pairs, func(i, j int) bool { return pairs[i].depth() > pairs[j].depth() })
	return pairs
}

func (p *dexPair) depth() float64 {
	if p.Liquidity == nil {
		return 0
	}
	return p.Liquidity.USD
}

func (w *world) dexToken(assetID int32) dexToken {
	a := &w.assets[assetID]
	return dexToken{Address: w.entities[a.entity].sum, Name: a.name, Symbol: a.symbol}
}

func (w *world) dexPair(p *pool) dexPair {
	base, quote := &w.assets[p.token], &w.assets[p.quote]
	address := w.poolAddress(p)
	out := dexPair{
		ChainID: w.spec.dexscreener, DexID: "uniswap", URL: "https://dexscreener.com/" + w.spec.dexscreener + "/" + address, PairAddress: address,
		BaseToken: w.dexToken(p.token), QuoteToken: w.dexToken(p.quote), PairCreatedAt: (w.start + int64(p.created)) * 1000,
		Labels: []string{[...]string{"v2", "v3", "v4"}[p.version]},
	}
	if p.version != poolV4 {
		out.PairAddress = w.entities[p.entity].sum
	}
	if p.version == poolV2 {
		out.DexID = w.spec.v2Dexscreen
	}
	price := w.poolPriceUSD(p)
	out.PriceNative = "0"
	if p.tokenReserve > 0 {
		out.PriceNative = number(quote.coins(p.quoteReserve) / base.coins(p.tokenReserve))
		out.PriceUSD = number(price)
	}
	spans := w.windows(p, 300, hourSeconds, 6*hourSeconds, daySeconds)
	trades := func(i int) dexTrades { return dexTrades{spans[i].buys, spans[i].sells} }
	out.Txns = dexTxns{M5: trades(0), H1: trades(1), H6: trades(2), H24: trades(3)}
	out.Volume = dexVolume{M5: round(spans[0].volume, 2), H1: round(spans[1].volume, 2), H6: round(spans[2].volume, 2), H24: round(spans[3].volume, 2)}
	change := func(i int) *float64 {
		if !spans[i].traded {
			return nil
		}
		percent := round(spans[i].change, 2)
		return &percent
	}
	out.PriceChange = dexChange{M5: change(0), H1: change(1), H6: change(2), H24: change(3)}
	out.Liquidity = &dexLiquidity{USD: round(w.reserveUSD(p), 2), Base: base.coins(p.tokenReserve), Quote: quote.coins(p.quoteReserve)}
	if p.tokenID >= 0 {
		out.FDV = round(price*base.coins(base.supply), 0)
		out.MarketCap = round(price*base.coins(w.circulating(p.token)), 0)
		if w.tokens[p.tokenID].category != "memecoin" {
			out.Info = &dexInfo{ImageURL: "https://cdn.dexscreener.com/cms/images/" + address[2:18], Websites: []dexLink{{"Website", "https://token.example"}}, Socials: []dexLink{}}
		}
	}
	return out
}
