package predictvenue

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Gamma answers a call of the market interface, the path in segments after the host. The answer is ready to be encoded as JSON.
func (v *Venue) Gamma(path []string, query url.Values) (status int, answer any) {
	a := &arguments{Values: query}
	switch call := strings.Join(path, "/"); {
	case call == "markets":
		answer = v.gammaMarkets(a)
	case call == "events":
		answer = v.gammaEvents(a)
	case call == "markets/keyset" || call == "events/keyset":
		return v.keyset(a, path[0])
	case len(path) == 2 && path[0] == "markets", len(path) == 3 && path[0] == "markets" && path[1] == "slug":
		for _, m := range v.markets {
			if v.isOpen(m.event) && (len(path) == 2 && m.id == path[1] || len(path) == 3 && m.slug == path[2]) {
				return http.StatusOK, v.gammaMarket(m, true)
			}
		}
		return notFound("market not found")
	case len(path) == 2 && path[0] == "events", len(path) == 3 && path[0] == "events" && path[1] == "slug":
		for _, e := range v.events {
			if v.isOpen(e) && (len(path) == 2 && e.id == path[1] || len(path) == 3 && e.slug == path[2]) {
				return http.StatusOK, v.gammaEvent(e, true)
			}
		}
		return notFound("event not found")
	default:
		return notFound("not found")
	}
	if a.wrong != "" {
		return refused(http.StatusUnprocessableEntity, a.wrong)
	}
	return http.StatusOK, answer
}

// inString is a list of texts as JSON inside a text.
func inString(texts ...string) string {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		raw, _ := json.Marshal(text)
		quoted[i] = string(raw)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

func (v *Venue) instant(at int32) string { return v.time(at).Format(time.RFC3339) }

// gammaMarket is a market as the interface shows it. Some keys are missing from some markets, as they are there.
func (v *Venue) gammaMarket(m *market, withEvent bool) gammaMarket {
	e, closed := m.event, v.isClosed(m.event)
	at := min(v.now, e.closed)
	bid, ask := m.quote(0, at)
	prices := inString(decimal(rounded(m.mark(0, at), 4)), decimal(rounded(m.mark(1, at), 4)))
	row := gammaMarket{
		ID: m.id, Question: m.question, ConditionID: m.condition, Slug: m.slug, EndDate: v.instant(e.ends),
		StartDate: v.instant(e.open), Image: icon(m), Icon: icon(m),
		Description: "This market resolves by what is announced.", Outcomes: inString(m.outcomes[:]...),
		OutcomePrices: prices, Active: true, Closed: closed, Restricted: true,
		CreatedAt: v.instant(e.open), UMAResolutionStatuses: "[]", EnableOrderBook: true, TickSize: float64(m.tick) / whole, MinSize: 5,
		EndDateISO: e.endDay, StartDateISO: v.time(e.open).Format("2006-01-02"),
		ClobTokenIDs: inString(m.tokens[:]...), AcceptingOrders: !closed,
		NegRisk: e.form == exclusive, NegRiskMarketID: v.negRiskID(e), LastTradePrice: float64(m.last) / whole,
		BestBid: float64(bid) / whole, BestAsk: float64(ask) / whole,
		Spread: rounded(float64(ask-bid)/whole, 4), FeesEnabled: e.category.feeRate > 0,
	}
	if m.index%5 != 3 {
		row.Category = e.category.label
	}
	if e.category.feeRate > 0 {
		row.FeeType = &e.category.feeType
		row.FeeSchedule = &feeSchedule{Exponent: 1, Rate: e.category.feeRate, TakerOnly: true, RebateRate: 0.25}
	}
	if m.volume > 0 && (closed || m.index%7 != 5) {
		row.VolumeNum = coins(m.volume)
		row.Volume = decimal(row.VolumeNum)
	}
	switch {
	case closed:
		row.UMAResolutionStatus, row.UMAResolutionStatuses, row.AutomaticallyResolved = "resolved", inString("proposed"), true
		row.UMAEndDate = v.instant(e.closed)
		if m.index%11 != 7 {
			row.ClosedTime = v.time(e.closed).Format("2006-01-02 15:04:05+00")
		}
	default:
		if at >= e.decided {
			row.UMAResolutionStatus, row.UMAResolutionStatuses = "proposed", inString("proposed")
		}
		row.LiquidityNum = rounded(m.liquidity, 2)
		row.Liquidity = decimal(row.LiquidityNum)
	}
	if withEvent {
		row.Events = []gammaEvent{v.gammaEvent(e, false)}
	}
	return row
}

func (v *Venue) negRiskID(e *event) string {
	if e.form != exclusive {
		return ""
	}
	return "0x" + v.hex("exclusive", uint64(e.index), 32)
}

// gammaEvent is an event, with its markets and tags when it is asked for by itself.
func (v *Venue) gammaEvent(e *event, whole bool) gammaEvent {
	row := gammaEvent{
		ID: e.id, Ticker: e.slug, Slug: e.slug, Title: e.title,
		Description: "This event is decided by what is announced.", StartDate: v.instant(e.open),
		EndDate: v.instant(e.ends), Icon: icon(e.markets[0]), Active: true, Closed: v.isClosed(e), Restricted: true, EnableOrderBook: true,
		NegRisk: e.form == exclusive, NegRiskMarketID: v.negRiskID(e),
	}
	for _, m := range e.markets {
		row.Volume += coins(m.volume)
		if whole {
			row.Markets = append(row.Markets, v.gammaMarket(m, false))
		}
	}
	row.Volume = rounded(row.Volume, 6)
	if whole {
		for i := range categories {
			if &categories[i] == e.category {
				row.Tags = []gammaTag{{ID: strconv.Itoa(100 + i), Label: e.category.label, Slug: slugOf(e.category.label)}}
			}
		}
	}
	return row
}

// among reports whether a text is one of a repeated parameter's, or whether there are none. Commas are no separators.
func (a *arguments) among(key, text string) bool {
	values := a.Values[key]
	return len(values) == 0 || slices.ContainsFunc(values, func(value string) bool { return strings.EqualFold(value, text) })
}

// filtered are the markets that a query asks for: open ones alone, unless it says closed=true.
func (v *Venue) filtered(a *arguments) []*market {
	closed := a.truth("closed", false)
	candidates := v.markets
	if conditions := a.Values["condition_ids"]; len(conditions) > 0 {
		candidates = nil
		for _, condition := range conditions {
			if m := v.marketOf(condition); m != nil && !slices.Contains(candidates, m) {
				candidates = append(candidates, m)
			}
		}
		slices.SortFunc(candidates, func(x, y *market) int { return cmp.Compare(x.index, y.index) })
	}
	var found []*market
	for _, m := range candidates {
		if !v.isOpen(m.event) || v.isClosed(m.event) != closed {
			continue
		}
		byToken := a.among("clob_token_ids", m.tokens[0]) || a.among("clob_token_ids", m.tokens[1])
		if byToken && a.among("id", m.id) && a.among("slug", m.slug) {
			found = append(found, m)
		}
	}
	return found
}

func (v *Venue) gammaMarkets(a *arguments) any {
	limit, offset := min(a.whole("limit", 20), 500), a.whole("offset", 0)
	rows := []gammaMarket{}
	for _, m := range paged(v.filtered(a), limit, offset) {
		rows = append(rows, v.gammaMarket(m, true))
	}
	return rows
}

func (v *Venue) filteredEvents(a *arguments) []*event {
	closed, tag := a.truth("closed", false), a.Get("tag_slug")
	var found []*event
	for _, e := range v.events {
		if v.isOpen(e) && v.isClosed(e) == closed && a.among("id", e.id) && a.among("slug", e.slug) && (tag == "" || tag == slugOf(e.category.label)) {
			found = append(found, e)
		}
	}
	return found
}

func (v *Venue) gammaEvents(a *arguments) any {
	limit, offset := min(a.whole("limit", 20), 500), a.whole("offset", 0)
	rows := []gammaEvent{}
	for _, e := range paged(v.filteredEvents(a), limit, offset) {
		rows = append(rows, v.gammaEvent(e, true))
	}
	return rows
}

// keyset pages through markets or events by a cursor; the last page has an empty one.
func (v *Venue) keyset(a *arguments, what string) (int, any) {
	if a.Has("offset") {
		return http.StatusUnprocessableEntity, map[string]string{"type": "validation error", "error": "offset is not allowed on keyset endpoints"}
	}
	limit, from := min(a.whole("limit", 20), 1000), a.whole("after_cursor", 0)
	next := func(total int) string {
		if from+limit < total {
			return strconv.Itoa(from + limit)
		}
		return ""
	}
	var answer any
	if what == "markets" {
		found, rows := v.filtered(a), []gammaMarket{}
		for _, m := range paged(found, limit, from) {
			rows = append(rows, v.gammaMarket(m, true))
		}
		answer = map[string]any{"markets": rows, "next_cursor": next(len(found))}
	} else {
		found, rows := v.filteredEvents(a), []gammaEvent{}
		for _, e := range paged(found, limit, from) {
			rows = append(rows, v.gammaEvent(e, true))
		}
		answer = map[string]any{"events": rows, "next_cursor": next(len(found))}
	}
	if a.wrong != "" {
		return http.StatusUnprocessableEntity, map[string]string{"type": "validation error", "error": a.wrong}
	}
	return http.StatusOK, answer
}
