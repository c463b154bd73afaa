package samplemarket

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

var geckoNotFound = map[string]any{"errors": []any{map[string]string{"status": "404", "title": "Not Found"}}}

func geckoBadRequest(title string) (int, any) {
	return http.StatusBadRequest, map[string]any{"errors": []any{map[string]string{"status": "400", "title": title}}}
}

// serveGeckoTerminal answers api/v2/….
func (m *Market) serveGeckoTerminal(r *request) (int, any) {
	if r.part(0) != "api" || r.part(1) != "v2" {
		return http.StatusNotFound, geckoNotFound
	}
	if r.part(2) == "simple" && r.part(3) == "networks" && r.part(5) == "token_price" && len(r.path) == 7 {
		return m.geckoSimple(r)
	}
	if r.part(2) != "networks" {
		return http.StatusNotFound, geckoNotFound
	}
	if len(r.path) == 3 {
		list := []geckoObject{}
		for _, w := range m.worlds {
			list = append(list, geckoObject{ID: w.spec.gecko, Type: "network", Attributes: map[string]any{"name": w.spec.nativeName, "coingecko_asset_platform_id": w.spec.llama}})
		}
		if r.whole("page", 1, 1, 1000) > 1 {
			list = []geckoObject{}
		}
		return http.StatusOK, geckoAnswer{Data: list}
	}
	w := m.worldWhere(func(c *chainSpec) bool { return c.gecko == r.part(3) })
	if w == nil {
		return http.StatusNotFound, geckoNotFound
	}
	switch section, id, sub := r.part(4), r.part(5), r.part(6); {
	case section == "dexes" && len(r.path) == 5:
		return http.StatusOK, geckoAnswer{Data: []geckoObject{w.geckoDex(poolV2), w.geckoDex(poolV3), w.geckoDex(poolV4)}}
	case section == "new_pools" && len(r.path) == 5:
		return http.StatusOK, geckoAnswer{Data: w.geckoNewPools(r)}
	case section == "pools" && len(r.path) == 5:
		return http.StatusOK, geckoAnswer{Data: w.geckoBusiest(r)}
	case section == "trending_pools" && len(r.path) == 5:
		return http.StatusOK, geckoAnswer{Data: w.geckoTrending(r)}
	case section == "tokens" && id == "multi" && len(r.path) == 7:
		list := []geckoObject{}
		addresses := splitList(sub)
		if len(addresses) > 30 {
			return geckoBadRequest("Exceeded maximum number of addresses: 30")
		}
		for _, text := range addresses {
			if assetID, ok := w.assetByAddress(text); ok && assetID != nativeAsset {
				list = append(list, w.geckoTokenObject(assetID))
			}
		}
		return http.StatusOK, geckoAnswer{Data: list}
	case section == "pools" && id == "multi" && len(r.path) == 7:
		list := []geckoObject{}
		for _, text := range splitList(sub) {
			if p := w.poolByAddress(text); p != nil && len(list) < 30 {
				list = append(list, w.geckoPoolObject(p, false))
			}
		}
		return http.StatusOK, geckoAnswer{Data: list, Included: w.geckoIncluded(r, list)}
	case section == "tokens":
		assetID, ok := w.assetByAddress(id)
		if !ok || assetID == nativeAsset {
			return http.StatusNotFound, geckoNotFound
		}
		switch {
		case len(r.path) == 6:
			return http.StatusOK, geckoAnswer{Data: w.geckoTokenObject(assetID)}
		case sub == "info":
			return http.StatusOK, geckoAnswer{Data: w.geckoInfoObject(assetID)}
		case sub == "pools":
			return http.StatusOK, w.geckoTokenPools(r, assetID)
		}
	case section == "pools":
		p := w.poolByAddress(id)
		if p == nil {
			return http.StatusNotFound, geckoNotFound
		}
		switch {
		case len(r.path) == 6:
			object := w.geckoPoolObject(p, true)
			return http.StatusOK, geckoAnswer{Data: object, Included: w.geckoIncluded(r, []geckoObject{object})}
		case sub == "ohlcv" && len(r.path) == 8:
			return w.geckoOHLCV(r, p)
		case sub == "trades":
			return http.StatusOK, geckoAnswer{Data: w.geckoPoolTrades(r, p)}
		}
	}
	return http.StatusNotFound, geckoNotFound
}

func (m *Market) geckoSimple(r *request) (int, any) {
	w := m.worldWhere(func(c *chainSpec) bool { return c.gecko == r.part(4) })
	if w == nil {
		return http.StatusNotFound, geckoNotFound
	}
	prices := map[string]string{}
	for _, text := range splitList(r.part(6)) {
		if assetID, ok := w.assetByAddress(text); ok {
			if price, ok := w.usdNow(assetID); ok {
				prices[lower(text)] = number(price)
			}
		}
	}
	return http.StatusOK, geckoAnswer{Data: geckoObject{ID: "0", Type: "simple_token_price", Attributes: map[string]any{"token_prices": prices}}}
}

func optional(text string) *string { return &text }

func (w *world) assetAddress(assetID int32) string {
	return w.entities[w.assets[assetID].entity].address.String()
}

func (w *world) geckoTokenID(assetID int32) geckoID {
	return geckoID{w.spec.gecko + "_" + w.assetAddress(assetID), "token"}
}

func (w *world) geckoTokenObject(assetID int32) geckoObject {
	a := &w.assets[assetID]
	token := geckoToken{
		Address: w.assetAddress(assetID), Name: a.name, Symbol: a.symbol, Decimals: a.decimals, TotalSupply: a.raw(a.supply) + ".0", NormalizedSupply: a.decimal(a.supply),
	}
	reserve, volume, last := 0.0, 0.0, int32(-1<<31)
	top := []geckoID{}
	for _, p := range w.poolsOf(assetID) {
		reserve += w.reserveUSD(p)
		if len(top) >= 3 {
			continue
		}
		volume += w.windows(p, daySeconds)[0].volume
		top = append(top, geckoID{w.spec.gecko + "_" + w.poolAddress(p), "pool"})
		if n := len(p.swaps); n > 0 {
			last = max(last, w.swapTime(p.swaps[n-1]))
		}
	}
	token.TotalReserveInUSD, token.VolumeUSD = number(reserve), geckoVolume{number(volume)}
	if price, ok := w.usdNow(assetID); ok {
		token.PriceUSD, token.FDVUSD = optional(number(price)), optional(number(price*a.coins(a.supply)))
		if a.token < 0 || w.tokens[a.token].category != "memecoin" {
			token.MarketCapUSD, token.CoingeckoCoinID = optional(number(price*a.coins(w.circulating(assetID)))), optional(lower(a.symbol))
		}
	}
	if last > -1<<31 {
		token.LastTradeTimestamp = optional(strconv.FormatInt(w.start+int64(last), 10))
	}
	id := w.geckoTokenID(assetID)
	return geckoObject{ID: id.ID, Type: id.Type, Attributes: token, Relationships: map[string]any{"top_pools": geckoRefs{top}}}
}

func (w *world) geckoInfoObject(assetID int32) geckoObject {
	a := &w.assets[assetID]
	info := geckoInfo{
		Address: w.assetAddress(assetID), Name: a.name, Symbol: a.symbol, Decimals: a.decimals, Websites: []string{}, Categories: []string{}, GTCategoryIDs: []string{}, IsHoneypot: "unknown",
	}
	holdings := w.holdings(assetID)
	shares := [4]float64{}
	for i, h := range holdings {
		bucket := 3
		switch {
		case i < 10:
			bucket = 0
		case i < 30:
			bucket = 1
		case i < 50:
			bucket = 2
		}
		shares[bucket] += float64(h.units) / float64(max(a.supply, 1)) * 100
	}
	text := func(i int) string { return strconv.FormatFloat(shares[i], 'f', 4, 64) }
	info.Holders = &geckoHolders{
		Count: w.holdersOf(assetID), DistributionPercentage: geckoDistribution{Top10: text(0), From11To30: text(1), From31To50: text(2), Rest: text(3)},
		LastUpdated: w.time(w.now).Format(time.RFC3339),
	}
	info.GTScoreDetails = geckoScores{Pool: 50, Transaction: 50, Creation: 50, Info: 10, Holders: 50}
	if a.token >= 0 {
		t := &w.tokens[a.token]
		info.GTVerified = t.category != "memecoin"
		mint := "no"
		if t.mintable {
			mint = "yes"
		}
		info.MintAuthority, info.FreezeAuthority = &mint, optional(map[bool]string{true: "yes", false: "no"}[t.blacklists])
		info.DeveloperAddress = optional(w.entities[t.creator].address.String())
		info.DeveloperHoldingPercentage = optional(strconv.FormatFloat(float64(w.balance(t.creator, assetID))/float64(a.supply)*100, 'f', 4, 64))
		switch {
		case t.kind == kindHoneypot && t.ageHours(w.now) > 6:
			info.IsHoneypot = true
		case t.pool >= 0 && t.ageHours(w.now) > 6:
			info.IsHoneypot = false
		}
		info.Categories = append(info.Categories, map[bool]string{true: "Meme", false: "Decentralized Finance (DeFi)"}[t.category == "memecoin"])
		if t.category != "memecoin" {
			info.Websites = append(info.Websites, "https://token.example")
			info.GTScoreDetails = geckoScores{Pool: 95, Transaction: 90, Creation: 100, Info: 100, Holders: 90}
		}
	} else {
		info.IsHoneypot, info.GTVerified = false, true
		info.GTScoreDetails = geckoScores{Pool: 99, Transaction: 99, Creation: 100, Info: 100, Holders: 100}
	}
	d := info.GTScoreDetails
	info.GTScore = round((d.Pool+d.Transaction+d.Creation+d.Info+d.Holders)/5, 2)
	id := w.geckoTokenID(assetID)
	return geckoObject{ID: id.ID, Type: id.Type, Attributes: info}
}

func (w *world) geckoDex(version poolVersion) geckoObject {
	id := [...]string{w.spec.v2Gecko, "uniswap-v3-" + w.spec.gecko, "uniswap-v4-" + w.spec.gecko}[version]
	if w.spec.slug == "eth" && version == poolV3 {
		id = "uniswap_v3"
	}
	return geckoObject{ID: id, Type: "dex", Attributes: map[string]string{"name": [...]string{w.spec.v2Name, "Uniswap V3", "Uniswap V4"}[version]}}
}

// feeName is how a pool's fee stands in its name; constant-product pools show none.
func (p *pool) feeName() string {
	if p.version == poolV2 {
		return ""
	}
	return " " + strconv.FormatFloat(float64(p.feeHundredth)/10000, 'f', -1, 64) + "%"
}

func (w *world) geckoPoolObject(p *pool, single bool) geckoObject {
	base, quote := &w.assets[p.token], &w.assets[p.quote]
	price, quotePrice, native := w.poolPriceUSD(p), w.quoteUSD(p.quote, w.now), w.nativeUSD.at(w.now)
	name := base.symbol + " / " + quote.symbol
	out := geckoPool{
		BaseTokenPriceUSD: number(price), BaseTokenPriceNative: number(price / native), QuoteTokenPriceUSD: number(quotePrice), QuoteTokenPriceNative: number(quotePrice / native),
		BaseTokenPriceQuoteToken: number(price / quotePrice), QuoteTokenPriceBaseToken: "0", Address: w.poolAddress(p), Name: name + p.feeName(), PoolName: name,
		PoolCreatedAt: w.time(p.created).Format(time.RFC3339), ReserveInUSD: number(w.reserveUSD(p)),
	}
	if price > 0 {
		out.QuoteTokenPriceBaseToken = number(quotePrice / price)
	}
	if p.version != poolV2 {
		out.PoolFeePercentage = optional(strconv.FormatFloat(float64(p.feeHundredth)/10000, 'f', -1, 64))
	}
	if p.tokenID >= 0 {
		out.FDVUSD = optional(number(price * base.coins(base.supply)))
		if w.tokens[p.tokenID].category != "memecoin" {
			out.MarketCapUSD = optional(number(price * base.coins(w.circulating(p.token))))
		}
	}
	switch {
	case p.version == poolV2 && p.lock == liquidityOpen && p.receipt >= 0:
		out.LockedLiquidityPercentage = optional("0.0")
	case p.version == poolV2:
		out.LockedLiquidityPercentage = optional("100.0")
	}
	if single {
		out.BaseTokenBalance, out.QuoteTokenBalance = optional(base.decimal(p.tokenReserve)), optional(quote.decimal(p.quoteReserve))
		out.BaseTokenLiquidityUSD, out.QuoteTokenLiquidityUSD = optional(number(w.reserveUSD(p)/2)), optional(number(w.reserveUSD(p)/2))
	}
	spans := w.windows(p, 300, 900, 1800, hourSeconds, 6*hourSeconds, daySeconds)
	change := func(i int) string { return strconv.FormatFloat(round(spans[i].change, 3), 'f', -1, 64) }
	trades := func(i int) geckoTrades {
		return geckoTrades{spans[i].buys, spans[i].sells, spans[i].buyers, spans[i].sellers}
	}
	volume := func(i int) string { return number(spans[i].volume) }
	out.PriceChangePercentage = geckoWindows[string]{change(0), change(1), change(2), change(3), change(4), change(5)}
	out.Transactions = geckoWindows[geckoTrades]{trades(0), trades(1), trades(2), trades(3), trades(4), trades(5)}
	out.VolumeUSD = geckoWindows[string]{volume(0), volume(1), volume(2), volume(3), volume(4), volume(5)}
	return geckoObject{
		ID: w.spec.gecko + "_" + out.Address, Type: "pool", Attributes: out,
		Relationships: map[string]any{
			"base_token": geckoRef{w.geckoTokenID(p.token)}, "quote_token": geckoRef{w.geckoTokenID(p.quote)}, "dex": geckoRef{geckoID{w.geckoDex(p.version).ID, "dex"}},
		},
	}
}

// geckoIncluded adds the tokens and exchanges that include= asks for.
func (w *world) geckoIncluded(r *request, objects []geckoObject) []geckoObject {
	var out []geckoObject
	seen := map[string]bool{}
	for _, wanted := range splitList(r.query.Get("include")) {
		for i := range objects {
			ref, ok := objects[i].Relationships[wanted].(geckoRef)
			if !ok || seen[ref.Data.ID] {
				continue
			}
			seen[ref.Data.ID] = true
			if wanted == "dex" {
				for _, version := range []poolVersion{poolV2, poolV3, poolV4} {
					if dex := w.geckoDex(version); dex.ID == ref.Data.ID {
						out = append(out, dex)
					}
				}
				continue
			}
			if assetID, ok := w.assetByAddress(ref.Data.ID[strings.LastIndexByte(ref.Data.ID, '_')+1:]); ok {
				object := w.geckoTokenObject(assetID)
				object.Relationships = nil
				out = append(out, object)
			}
		}
	}
	return out
}

// geckoSide finds which of a pool's assets token= means: base, quote, or an address.
func (w *world) geckoSide(r *request, p *pool) (ofQuote, ok bool) {
	switch text := r.query.Get("token"); text {
	case "", "base":
		return false, true
	case "quote":
		return true, true
	default:
		assetID, known := w.assetByAddress(text)
		return assetID == p.quote, known && (assetID == p.quote || assetID == p.token)
	}
}

func (w *world) geckoOHLCV(r *request, p *pool) (int, any) {
	aggregate := int64(r.whole("aggregate", 1, 1, 100))
	var unit int64
	var allowed []int64
	switch r.part(7) {
	case "day":
		unit, allowed = daySeconds, []int64{1}
	case "hour":
		unit, allowed = hourSeconds, []int64{1, 4, 12}
	case "minute":
		unit, allowed = 60, []int64{1, 5, 15}
	default:
		return geckoBadRequest("Invalid timeframe")
	}
	ok := false
	for _, a := range allowed {
		ok = ok || a == aggregate
	}
	if !ok {
		return geckoBadRequest("Invalid aggregate")
	}
	ofQuote, ok := w.geckoSide(r, p)
	if !ok {
		return geckoBadRequest("Invalid token")
	}
	before := r.now + 1
	if text := r.query.Get("before_timestamp"); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return geckoBadRequest("Invalid before_timestamp")
		}
		before = min(n, before)
	}
	basis := priceBasis{ofQuote: ofQuote, inOther: r.query.Get("currency") == "token"}
	bars := w.candles(p, unit*aggregate, before, r.whole("limit", 100, 1, 1000), basis, r.query.Get("include_empty_intervals") == "true")
	list := make([][6]float64, 0, len(bars))
	for i := range bars {
		b := &bars[i]
		list = append(list, [6]float64{float64(b.time), b.open, b.high, b.low, b.close, b.volume})
	}
	meta := func(assetID int32) map[string]any {
		a := &w.assets[assetID]
		return map[string]any{"name": a.name, "symbol": a.symbol, "address": w.assetAddress(assetID), "coingecko_coin_id": nil}
	}
	return http.StatusOK, geckoAnswer{
		Data: geckoObject{ID: "ohlcv_" + w.poolAddress(p), Type: "ohlcv_request_response", Attributes: map[string]any{"ohlcv_list": list}},
		Meta: map[string]any{"base": meta(p.token), "quote": meta(p.quote)},
	}
}

const geckoTradeLimit = 300

func (w *world) geckoPoolTrades(r *request, p *pool) []geckoObject {
	ofQuote, _ := w.geckoSide(r, p)
	least, _ := strconv.ParseFloat(r.query.Get("trade_volume_in_usd_greater_than"), 64)
	list := []geckoObject{}
	for i := len(p.swaps) - 1; i >= 0 && len(list) < geckoTradeLimit; i-- {
		s := &w.swaps[p.swaps[i]]
		t := &w.txs[s.transaction]
		if w.now-t.time > daySeconds {
			break
		}
		if s.usd <= least {
			continue
		}
		list = append(list, w.geckoTradeObject(p, s, t, p.swaps[i], ofQuote))
	}
	return list
}

func (w *world) geckoTradeObject(p *pool, s *swap, t *transaction, id int32, ofQuote bool) geckoObject {
	token, quote := &w.assets[p.token], &w.assets[p.quote]
	quoteUSD := w.swapQuoteUSD(s)
	tokenAmount, quoteAmount := token.coins(max(s.tokenOut, -s.tokenOut)), quote.coins(max(s.quoteOut, -s.quoteOut))
	ratio := quoteAmount / tokenAmount
	number64 := w.blockNumber(t)
	trade := geckoTrade{
		BlockNumber: number64, TxHash: hexHash(w.txHash(s.transaction)), TxFromAddress: w.entities[t.from].address.String(),
		BlockTimestamp: w.time(t.time).Format(time.RFC3339), VolumeInUSD: number(s.usd),
	}
	buy := s.tokenOut > 0
	if buy {
		trade.FromTokenAddress, trade.ToTokenAddress = w.assetAddress(p.quote), w.assetAddress(p.token)
		trade.FromTokenAmount, trade.ToTokenAmount = quote.decimal(-s.quoteOut), token.decimal(s.tokenOut)
		trade.PriceFromInCurrencyToken, trade.PriceToInCurrencyToken = "1.0", number(ratio)
		trade.PriceFromInUSD, trade.PriceToInUSD = number(quoteUSD), number(ratio*quoteUSD)
	} else {
		trade.FromTokenAddress, trade.ToTokenAddress = w.assetAddress(p.token), w.assetAddress(p.quote)
		trade.FromTokenAmount, trade.ToTokenAmount = token.decimal(-s.tokenOut), quote.decimal(s.quoteOut)
		trade.PriceFromInCurrencyToken, trade.PriceToInCurrencyToken = number(ratio), "1.0"
		trade.PriceFromInUSD, trade.PriceToInUSD = number(ratio*quoteUSD), number(quoteUSD)
	}
	trade.Kind = map[bool]string{true: "buy", false: "sell"}[buy != ofQuote]
	logIndex := int(t.index)*logStride + int(id-t.swaps)
	return geckoObject{
		ID:   w.spec.gecko + "_" + strconv.FormatInt(number64, 10) + "_" + trade.TxHash + "_" + strconv.Itoa(logIndex) + "_" + strconv.FormatInt(w.start+int64(t.time), 10),
		Type: "trade", Attributes: trade,
	}
}
