package predictvenue

import (
	"encoding/base64"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// CLOB answers a call of the order-book interface, the path in segments after the host. The answer is ready to be encoded as JSON.
func (v *Venue) CLOB(path []string, query url.Values) (status int, answer any) {
	a := &arguments{Values: query}
	call := strings.Join(path, "/")
	switch {
	case call == "markets":
		return v.clobMarkets(a)
	case len(path) == 2 && (path[0] == "markets" || path[0] == "clob-markets"):
		m := v.marketOf(path[1])
		if m == nil {
			return notFound("market not found")
		}
		if path[0] == "markets" {
			return http.StatusOK, v.clobMarket(m)
		}
		return http.StatusOK, compactOf(m, v.isClosed(m.event))
	case call == "prices-history":
		return v.pricesHistory(a)
	case call != "book" && call != "midpoint" && call != "price":
		return notFound("not found")
	}
	id := a.Get("token_id")
	if id == "" {
		return refused(http.StatusBadRequest, "Invalid token id")
	}
	t, known := v.tokenOf(id)
	if !known || v.isClosed(t.market.event) {
		return notFound("No orderbook exists for the requested token id")
	}
	bid, ask := t.market.quote(t.outcome, v.now)
	switch call {
	case "book":
		return http.StatusOK, v.book(t)
	case "midpoint":
		return http.StatusOK, map[string]string{"mid": decimal(float64(bid+ask) / (2 * whole))}
	}
	switch a.Get("side") {
	case "BUY":
		return http.StatusOK, map[string]string{"price": decimal(float64(bid) / whole)}
	case "SELL":
		return http.StatusOK, map[string]string{"price": decimal(float64(ask) / whole)}
	}
	return refused(http.StatusBadRequest, "Invalid side")
}

type clobMarket struct {
	EnableOrderBook  bool        `json:"enable_order_book"`
	Active           bool        `json:"active"`
	Closed           bool        `json:"closed"`
	Archived         bool        `json:"archived"`
	AcceptingOrders  bool        `json:"accepting_orders"`
	MinimumOrderSize int         `json:"minimum_order_size"`
	MinimumTickSize  float64     `json:"minimum_tick_size"`
	ConditionID      string      `json:"condition_id"`
	Question         string      `json:"question"`
	MarketSlug       string      `json:"market_slug"`
	EndDateISO       string      `json:"end_date_iso"`
	MakerBaseFee     int         `json:"maker_base_fee"`
	TakerBaseFee     int         `json:"taker_base_fee"`
	NegRisk          bool        `json:"neg_risk"`
	NegRiskMarketID  string      `json:"neg_risk_market_id"`
	Is5050Outcome    bool        `json:"is_50_50_outcome"`
	Tokens           []clobToken `json:"tokens"`
	Tags             []string    `json:"tags"`
}

type clobToken struct {
	TokenID string  `json:"token_id"`
	Outcome string  `json:"outcome"`
	Price   float64 `json:"price"`
	Winner  bool    `json:"winner"`
}

func (v *Venue) clobMarket(m *market) clobMarket {
	e, closed := m.event, v.isClosed(m.event)
	row := clobMarket{
		EnableOrderBook: !closed, Active: true, Closed: closed, AcceptingOrders: !closed, MinimumOrderSize: 5,
		MinimumTickSize: float64(m.tick) / whole,
		ConditionID:     m.condition, Question: m.question, MarketSlug: m.slug, EndDateISO: e.endDay + "T00:00:00Z", NegRisk: e.form == exclusive,
		NegRiskMarketID: v.negRiskID(e), Is5050Outcome: closed && e.void, Tags: []string{e.category.label},
	}
	if e.category.feeRate > 0 {
		row.MakerBaseFee, row.TakerBaseFee = 1000, 1000
	}
	for outcome := range uint8(2) {
		price := v.priceNow(token{m, outcome})
		row.Tokens = append(row.Tokens, clobToken{TokenID: m.tokens[outcome], Outcome: m.outcomes[outcome], Price: price, Winner: closed && price == 1})
	}
	return row
}

// The cursors of the first page and of the end.
const (
	firstCursor = "MA=="
	lastCursor  = "LTE="
)

const clobPage = 1000

func (v *Venue) clobMarkets(a *arguments) (int, any) {
	from := 0
	if cursor := a.Get("next_cursor"); cursor != "" && cursor != firstCursor {
		raw, err := base64.StdEncoding.DecodeString(cursor)
		if from, _ = strconv.Atoi(string(raw)); err != nil || from <= 0 {
			return refused(http.StatusBadRequest, "Next item should be greater than or equal to 0")
		}
	}
	rows, total := []clobMarket{}, 0
	for _, m := range v.markets {
		if !v.isOpen(m.event) {
			continue
		}
		if total++; total > from && len(rows) < clobPage {
			rows = append(rows, v.clobMarket(m))
		}
	}
	next := lastCursor
	if from+clobPage < total {
		next = base64.StdEncoding.EncodeToString([]byte(strconv.Itoa(from + clobPage)))
	}
	return http.StatusOK, map[string]any{"limit": clobPage, "count": len(rows), "next_cursor": next, "data": rows}
}

type compactMarket struct {
	Condition string         `json:"c"`
	Tokens    []compactToken `json:"t"`
	MinSize   int            `json:"mos"`
	TickSize  float64        `json:"mts"`
	Accepting bool           `json:"ao"`
	NegRisk   bool           `json:"nr"`
	Fee       *compactFee    `json:"fd,omitempty"`
}

type compactToken struct {
	Token   string `json:"t"`
	Outcome string `json:"o"`
}

type compactFee struct {
	Rate      float64 `json:"r"`
	Exponent  int     `json:"e"`
	TakerOnly bool    `json:"to"`
}

func compactOf(m *market, closed bool) compactMarket {
	row := compactMarket{Condition: m.condition, MinSize: 5, TickSize: float64(m.tick) / whole, Accepting: !closed, NegRisk: m.event.form == exclusive}
	for i := range m.tokens {
		row.Tokens = append(row.Tokens, compactToken{m.tokens[i], m.outcomes[i]})
	}
	if rate := m.event.category.feeRate; rate > 0 {
		row.Fee = &compactFee{Rate: rate, Exponent: 1, TakerOnly: true}
	}
	return row
}

type book struct {
	Market       string  `json:"market"`
	AssetID      string  `json:"asset_id"`
	Timestamp    string  `json:"timestamp"`
	Hash         string  `json:"hash"`
	Bids         []level `json:"bids"`
	Asks         []level `json:"asks"`
	MinOrderSize string  `json:"min_order_size"`
	TickSize     string  `json:"tick_size"`
	NegRisk      bool    `json:"neg_risk"`
	LastPrice    string  `json:"last_trade_price"`
}

type level struct {
	Price string `json:"price"`
	Size  string `json:"size"`
}

// bookDepth is how many levels either side has, each a tick apart and half as deep again in dollars as the one nearer.
const bookDepth = 8

// book is an outcome's book; the best level of either side is the last.
func (v *Venue) book(t token) book {
	m := t.market
	bid, ask := m.quote(t.outcome, v.now)
	b := book{
		Market: m.condition, AssetID: m.tokens[t.outcome], Timestamp: strconv.FormatInt(v.unix(v.now)*1000, 10),
		Hash: v.hex("book", uint64(t.key())<<32|uint64(v.now), 20),
		Bids: []level{}, Asks: []level{}, MinOrderSize: "5", TickSize: decimal(float64(m.tick) / whole), NegRisk: m.event.form == exclusive,
	}
	last := m.last
	if t.outcome == 1 {
		last = whole - last
	}
	b.LastPrice = decimal(float64(last) / whole)
	for n := bookDepth - 1; n >= 0; n-- {
		usd := m.liquidity / 60 * math.Pow(1.4, float64(n))
		if price := bid - int32(n)*m.tick; price > 0 {
			b.Bids = append(b.Bids, levelAt(price, usd))
		}
		if price := ask + int32(n)*m.tick; price < whole {
			b.Asks = append(b.Asks, levelAt(price, usd))
		}
	}
	return b
}

func levelAt(price int32, usd float64) level {
	return level{Price: decimal(float64(price) / whole), Size: fmt.Sprintf("%.2f", usd*whole/float64(price))}
}

type historyPoint struct {
	Time  int64   `json:"t"`
	Price float64 `json:"p"`
}

// intervals are how far back the named intervals reach, and the least fidelity in minutes that they can be had in.
var intervals = map[string]struct {
	reach    time.Duration
	fidelity int
}{
	"1h": {time.Hour, 1}, "6h": {6 * time.Hour, 1}, "1d": {24 * time.Hour, 1}, "1w": {7 * 24 * time.Hour, 5},
	"1m": {30 * 24 * time.Hour, 10}, "max": {100 * 365 * 24 * time.Hour, 1},
}

// coarsest is the fidelity, in minutes, below which the whole history of a closed market cannot be had at once: that answer is empty.
const coarsest = 12 * 60

func (v *Venue) pricesHistory(a *arguments) (int, any) {
	id, interval := a.Get("market"), a.Get("interval")
	if id == "" {
		return refused(http.StatusBadRequest, "invalid filters: 'market' is required")
	}
	from, to, fidelity := int64(a.whole("startTs", 0)), int64(a.whole("endTs", 0)), a.whole("fidelity", 1)
	points := map[string][]historyPoint{"history": {}}
	t, known := v.tokenOf(id)
	last := v.now
	if known {
		last = min(last, t.market.event.closed)
	}
	switch span, named := intervals[interval]; {
	case a.wrong != "" || fidelity == 0:
		return refused(http.StatusBadRequest, "invalid filters: "+a.wrong)
	case interval != "" && (from > 0 || to > 0):
		return refused(http.StatusBadRequest, "invalid filters: 'interval' and 'startTs'/'endTs' are mutually exclusive")
	case interval == "" && from == 0 && to == 0:
		return refused(http.StatusBadRequest, "invalid filters: 'interval' or 'startTs' and 'endTs' are required")
	case interval == "":
	case !named:
		return refused(http.StatusBadRequest, "invalid filters: unknown 'interval'")
	case fidelity < span.fidelity && a.Get("fidelity") != "":
		return refused(http.StatusBadRequest, fmt.Sprintf("invalid filters: minimum 'fidelity' for '%s' range is %d", interval, span.fidelity))
	default:
		fidelity = max(fidelity, span.fidelity)
		from = max(v.unix(last)-int64(span.reach.Seconds()), 0)
		if known && interval == "max" && v.isClosed(t.market.event) && fidelity < coarsest {
			return http.StatusOK, points
		}
	}
	if !known {
		return http.StatusOK, points
	}
	if to == 0 || to > v.unix(last) {
		to = v.unix(last)
	}
	step := int64(fidelity) * 60
	for at := (max(from, v.unix(t.market.event.open)) + step - 1) / step * step; at <= to; at += step {
		points["history"] = append(points["history"], historyPoint{Time: at, Price: rounded(t.market.middle(t.outcome, int32(at-v.start)), 4)})
	}
	return http.StatusOK, points
}
