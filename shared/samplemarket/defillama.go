package samplemarket

import (
	"encoding/json"
	"net/http"
	"sort"
	"strconv"
	"strings"
	"time"
)

type llamaCoin struct {
	Decimals   int     `json:"decimals"`
	Symbol     string  `json:"symbol"`
	Price      float64 `json:"price"`
	Timestamp  int64   `json:"timestamp"`
	Confidence float64 `json:"confidence"`
}

type llamaPoint struct {
	Timestamp  int64   `json:"timestamp"`
	Price      float64 `json:"price"`
	Confidence float64 `json:"confidence,omitempty"`
}

type llamaSeries struct {
	Decimals   int          `json:"decimals"`
	Symbol     string       `json:"symbol"`
	Confidence float64      `json:"confidence,omitempty"`
	Prices     []llamaPoint `json:"prices"`
}

const llamaConfidence = 0.99

// serveDefiLlama answers the coins API.
func (m *Market) serveDefiLlama(r *request) (int, any) {
	switch {
	case r.part(0) == "prices" && r.part(1) == "current" && len(r.path) == 3:
		return http.StatusOK, m.llamaCoins(splitList(r.part(2)), r.now, r.searchWidth(6*time.Hour), r.now)
	case r.part(0) == "prices" && r.part(1) == "historical" && len(r.path) == 4:
		at, err := strconv.ParseInt(r.part(2), 10, 64)
		if err != nil {
			return http.StatusBadRequest, map[string]string{"message": "Invalid timestamp"}
		}
		return http.StatusOK, m.llamaCoins(splitList(r.part(3)), at, r.searchWidth(6*time.Hour), r.now)
	case r.part(0) == "batchHistorical":
		return m.llamaBatch(r)
	case r.part(0) == "chart" && len(r.path) == 2:
		return m.llamaChart(r)
	case r.part(0) == "block" && len(r.path) == 3:
		w := m.worldWhere(func(c *chainSpec) bool { return c.llama == r.part(1) })
		at, err := strconv.ParseInt(r.part(2), 10, 64)
		if w == nil || err != nil {
			return http.StatusBadRequest, map[string]string{"message": "Invalid chain or timestamp"}
		}
		number := w.spec.blockAt(min(at, r.now))
		return http.StatusOK, map[string]int64{"height": number, "timestamp": w.spec.timeOfBlock(number)}
	}
	return http.StatusNotFound, map[string]string{"message": "Not found"}
}

func splitList(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}

// searchWidth is how far from a time a price may lie: seconds, or a number with s, m, h, d or w.
func (r *request) searchWidth(fallback time.Duration) int64 {
	return parseSpan(r.query.Get("searchWidth"), int64(fallback/time.Second))
}

func parseSpan(text string, fallback int64) int64 {
	if text == "" {
		return fallback
	}
	unit := int64(1)
	switch text[len(text)-1] {
	case 's':
	case 'm':
		unit = 60
	case 'h':
		unit = hourSeconds
	case 'd':
		unit = daySeconds
	case 'w', 'W':
		unit = 7 * daySeconds
	default:
		if n, err := strconv.ParseInt(text, 10, 64); err == nil && n > 0 {
			return n
		}
		return fallback
	}
	n, err := strconv.ParseInt(text[:len(text)-1], 10, 64)
	if err != nil || n <= 0 {
		return fallback
	}
	return n * unit
}

// llamaAsset finds {chain}:{address}.
func (m *Market) llamaAsset(key string) (*world, int32, bool) {
	chain, text, _ := strings.Cut(key, ":")
	if chain == "coingecko" {
		slug := map[string]string{"ethereum": "eth", "binancecoin": "bsc", "polygon-ecosystem-token": "polygon"}[text]
		w := m.worldBySlug(slug)
		return w, nativeAsset, w != nil
	}
	w := m.worldWhere(func(c *chainSpec) bool { return c.llama == chain })
	if w == nil {
		return nil, 0, false
	}
	assetID, ok := w.assetByAddress(text)
	return w, assetID, ok
}

// priceNear is an asset's USD price at a Unix time: that of the last trade before it or, when there was none, of the first one no more
// than width seconds later.
func (w *world) priceNear(assetID int32, unix, width, now int64) (price float64, at int64, ok bool) {
	unix = min(unix, now)
	a := &w.assets[assetID]
	if a.token < 0 {
		return w.quoteUSD(assetID, int32(unix-w.start)), unix, unix >= w.start-400*daySeconds
	}
	t := &w.tokens[a.token]
	if t.pool < 0 {
		return 0, 0, false
	}
	p := &w.pools[w.poolAt(t, unix)]
	if p.drainedAt != 0 && unix >= w.start+int64(p.drainedAt) {
		return 0, 0, false
	}
	i := sort.Search(len(p.swaps), func(i int) bool { return w.start+int64(w.swapTime(p.swaps[i])) > unix })
	if i > 0 { // while the pool has liquidity the price of its last trade stands, and is read off it every ten minutes
		s := &w.swaps[p.swaps[i-1]]
		return w.swapPrice(s, priceBasis{}), max(w.start+int64(w.swapTime(p.swaps[i-1])), unix-unix%600), true
	}
	if i == len(p.swaps) || w.start+int64(w.swapTime(p.swaps[i]))-unix > width {
		return 0, 0, false
	}
	return w.swapPrice(&w.swaps[p.swaps[i]], priceBasis{}), w.start + int64(w.swapTime(p.swaps[i])), true
}

// poolAt is the pool that had a token's liquidity at a Unix time.
func (w *world) poolAt(t *token, unix int64) int32 {
	for _, id := range t.pools[:len(t.pools)-1] {
		if w.start+int64(w.pools[id].created) <= unix {
			return id
		}
	}
	return t.pools[len(t.pools)-1]
}

func (w *world) confidence(assetID int32) float64 {
	a := &w.assets[assetID]
	if a.token < 0 {
		return llamaConfidence
	}
	switch liquidity := w.liquidityUSD(&w.tokens[a.token]); {
	case liquidity > 100_000:
		return llamaConfidence
	case liquidity > 10_000:
		return 0.9
	}
	return 0.5
}

type llamaAnswer[T any] struct {
	Coins map[string]T `json:"coins"`
}

func (m *Market) llamaCoins(keys []string, at, width, now int64) any {
	coins := map[string]llamaCoin{}
	for _, key := range keys {
		w, assetID, ok := m.llamaAsset(key)
		if !ok {
			continue
		}
		if price, stamp, ok := w.priceNear(assetID, at, width, now); ok {
			a := &w.assets[assetID]
			coins[key] = llamaCoin{Decimals: a.decimals, Symbol: a.symbol, Price: price, Timestamp: stamp, Confidence: w.confidence(assetID)}
		}
	}
	return llamaAnswer[llamaCoin]{coins}
}

func (m *Market) llamaBatch(r *request) (int, any) {
	var asked map[string][]int64
	if json.Unmarshal([]byte(r.query.Get("coins")), &asked) != nil {
		return http.StatusBadRequest, map[string]string{"message": "Invalid coins"}
	}
	width := r.searchWidth(6 * time.Hour)
	coins := map[string]llamaSeries{}
	for key, times := range asked {
		w, assetID, ok := m.llamaAsset(key)
		if !ok {
			continue
		}
		series := llamaSeries{Symbol: w.assets[assetID].symbol, Decimals: w.assets[assetID].decimals, Prices: []llamaPoint{}}
		for _, at := range times {
			if price, stamp, ok := w.priceNear(assetID, at, width, r.now); ok {
				series.Prices = append(series.Prices, llamaPoint{Timestamp: stamp, Price: price, Confidence: w.confidence(assetID)})
			}
		}
		if len(series.Prices) > 0 {
			coins[key] = series
		}
	}
	return http.StatusOK, llamaAnswer[llamaSeries]{coins}
}

func (m *Market) llamaChart(r *request) (int, any) {
	period := parseSpan(r.query.Get("period"), daySeconds)
	span := int64(r.whole("span", 0, 0, 5000))
	start, _ := strconv.ParseInt(r.query.Get("start"), 10, 64)
	end, _ := strconv.ParseInt(r.query.Get("end"), 10, 64)
	switch {
	case span == 0 && start > 0:
		if end == 0 {
			end = r.now
		}
		span = min((end-start)/period+1, 5000)
	case span == 0:
		span = 1
	}
	if start == 0 {
		if end == 0 {
			end = r.now
		}
		start = end - (span-1)*period
	}
	width := r.searchWidth(time.Duration(period/10+1) * time.Second)
	coins := map[string]llamaSeries{}
	for _, key := range splitList(r.part(1)) {
		w, assetID, ok := m.llamaAsset(key)
		if !ok {
			continue
		}
		series := llamaSeries{Symbol: w.assets[assetID].symbol, Decimals: w.assets[assetID].decimals, Confidence: w.confidence(assetID), Prices: []llamaPoint{}}
		for i := range span {
			at := start + i*period
			if at > r.now {
				break
			}
			if price, stamp, ok := w.priceNear(assetID, at, width, r.now); ok {
				if n := len(series.Prices); n == 0 || series.Prices[n-1].Timestamp != stamp {
					series.Prices = append(series.Prices, llamaPoint{Timestamp: stamp, Price: price})
				}
			}
		}
		if len(series.Prices) > 0 {
			coins[key] = series
		}
	}
	return http.StatusOK, llamaAnswer[llamaSeries]{coins}
}
