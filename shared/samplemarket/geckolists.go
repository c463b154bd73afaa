package samplemarket

import "sort"

const geckoPage = 20

func (w *world) geckoPage(r *request, pools []*pool) []geckoObject {
	from := (r.whole("page", 1, 1, 10) - 1) * geckoPage
	list := []geckoObject{}
	for _, p := range pools[min(from, len(pools)):min(from+geckoPage, len(pools))] {
		list = append(list, w.geckoPoolObject(p, false))
	}
	return list
}

func (w *world) geckoTokenPools(r *request, assetID int32) geckoAnswer {
	list := w.geckoPage(r, w.poolsOf(assetID))
	for i := range list {
		attributes := list[i].Attributes.(geckoPool)
		if price, ok := w.usdNow(assetID); ok {
			attributes.TokenPriceUSD = optional(number(price))
		}
		list[i].Attributes = attributes
	}
	return geckoAnswer{Data: list, Included: w.geckoIncluded(r, list)}
}

func (w *world) geckoNewPools(r *request) []geckoObject {
	var list []*pool
	for i := len(w.pools) - 1; i >= 0 && len(list) < 10*geckoPage; i-- {
		if p := &w.pools[i]; w.now-p.created < 90*daySeconds {
			list = append(list, p)
		}
	}
	return w.geckoPage(r, list)
}

// geckoTrending ranks pools by the number of their trades in the span asked for, 24 h if none is.
func (w *world) geckoTrending(r *request) []geckoObject {
	span := parseSpan(r.query.Get("duration"), daySeconds)
	type ranked struct {
		pool   *pool
		trades int
	}
	var list []ranked
	for i := range w.pools {
		p := &w.pools[i]
		first := sort.Search(len(p.swaps), func(j int) bool { return int64(w.now-w.swapTime(p.swaps[j])) <= span })
		if trades := len(p.swaps) - first; trades > 0 && p.tokenID >= 0 && p.drainedAt == 0 {
			list = append(list, ranked{p, trades})
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].trades > list[j].trades })
	pools := make([]*pool, len(list))
	for i := range list {
		pools[i] = list[i].pool
	}
	return w.geckoPage(r, pools)
}

// geckoBusiest ranks pools by the last day's trades or, by default and by any order that names it, by their volume.
func (w *world) geckoBusiest(r *request) []geckoObject {
	byTrades := r.query.Get("sort") == "h24_tx_count_desc"
	type ranked struct {
		pool *pool
		by   float64
	}
	var list []ranked
	for i := range w.pools {
		p := &w.pools[i]
		if n := len(p.swaps); n == 0 || w.now-w.swapTime(p.swaps[n-1]) > daySeconds {
			continue
		}
		last := w.windows(p, daySeconds)[0]
		by := last.volume
		if byTrades {
			by = float64(last.buys + last.sells)
		}
		list = append(list, ranked{p, by})
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].by > list[j].by })
	pools := make([]*pool, len(list))
	for i := range list {
		pools[i] = list[i].pool
	}
	return w.geckoPage(r, pools)
}
