package predictvenue

import (
	"encoding/json"
	"math"
	"net/url"
	"slices"
	"strconv"
	"testing"
)

// Open and closed markets are two sets, closed ones come only when asked for, ids are repeated and never joined by commas.
func TestMarketsByFilter(t *testing.T) {
	v := shared()
	var conditions []string
	for _, m := range v.markets[len(v.markets)-60:] {
		conditions = append(conditions, m.condition)
	}
	seen := map[string]int{}
	for _, closed := range []string{"", "true"} {
		query := url.Values{"condition_ids": conditions, "limit": {"500"}}
		if closed != "" {
			query.Set("closed", closed)
		}
		for _, row := range ask[[]gammaMarket](t, v.Gamma, "markets", query) {
			seen[row.ConditionID]++
			if row.Closed != (closed == "true") {
				t.Errorf("closed %v when asked for %q", row.Closed, closed)
			}
			var outcomes, prices, tokens []string
			for text, list := range map[string]*[]string{row.Outcomes: &outcomes, row.OutcomePrices: &prices, row.ClobTokenIDs: &tokens} {
				if json.Unmarshal([]byte(text), list) != nil || len(*list) != 2 {
					t.Fatalf("%q is no list of two", text)
				}
			}
			if m := v.byCondition[row.ConditionID]; row.Closed && !m.event.void && !(prices[0] == "1" && prices[1] == "0" || prices[0] == "0" && prices[1] == "1") {
				t.Errorf("a closed market at %v", prices)
			}
			byToken := ask[[]gammaMarket](t, v.Gamma, "markets", url.Values{"clob_token_ids": {tokens[1]}, "closed": {strconv.FormatBool(row.Closed)}})
			if len(byToken) != 1 || byToken[0].ID != row.ID {
				t.Errorf("by token: %d", len(byToken))
			}
		}
	}
	for _, condition := range conditions {
		if open := v.marketOf(condition) != nil; open && seen[condition] != 1 || !open && seen[condition] != 0 {
			t.Errorf("%s came %d times", condition, seen[condition])
		}
	}
	if rows := ask[[]gammaMarket](t, v.Gamma, "markets", url.Values{"condition_ids": {conditions[0] + "," + conditions[1]}, "closed": {"true"}}); len(rows) != 0 {
		t.Error("commas are no separators")
	}
}

func TestCalledOffEventsPayHalf(t *testing.T) {
	v := shared()
	found := 0
	for _, e := range v.events {
		if !e.void || !v.isClosed(e) {
			continue
		}
		found++
		row := ask[clobMarket](t, v.CLOB, "markets/"+e.markets[0].condition, nil)
		gamma := ask[[]gammaMarket](t, v.Gamma, "markets", url.Values{"slug": {e.markets[0].slug}, "closed": {"true"}})
		if !row.Is5050Outcome || row.Tokens[0].Winner || row.Tokens[1].Winner || row.Tokens[0].Price != 0.5 || gamma[0].OutcomePrices != `["0.5", "0.5"]` {
			t.Errorf("%+v %s", row, gamma[0].OutcomePrices)
		}
	}
	if found < 2 {
		t.Errorf("%d events were called off", found)
	}
}

// The order-book interface names the winner, and exactly one market of an exclusive event has it.
func TestExclusiveEventsHaveOneWinner(t *testing.T) {
	v := shared()
	for _, e := range v.events {
		if e.form != exclusive || !v.isClosed(e) {
			continue
		}
		winners := 0
		for _, m := range e.markets {
			row := ask[clobMarket](t, v.CLOB, "markets/"+m.condition, nil)
			if row.Tokens[0].Winner == row.Tokens[1].Winner || !row.NegRisk {
				t.Errorf("%+v", row)
			}
			if row.Tokens[0].Winner {
				winners++
			}
		}
		if winners != 1 {
			t.Errorf("%d winners", winners)
		}
	}
}

func TestBookHasTheBestLast(t *testing.T) {
	v := shared()
	looked := 0
	for _, m := range v.markets {
		if !v.isOpen(m.event) || v.isClosed(m.event) {
			continue
		}
		looked++
		b := ask[book](t, v.CLOB, "book", url.Values{"token_id": {m.tokens[0]}})
		number := func(text string) float64 { x, _ := strconv.ParseFloat(text, 64); return x }
		rising := slices.IsSortedFunc(b.Bids, func(x, y level) int { return int(1e6 * (number(x.Price) - number(y.Price))) })
		falling := slices.IsSortedFunc(b.Asks, func(x, y level) int { return int(1e6 * (number(y.Price) - number(x.Price))) })
		if !rising || !falling {
			t.Errorf("%+v", b)
		}
		at := func(text string) int32 { return int32(math.Round(number(text) * whole)) }
		bid, offer := m.quote(0, v.now)
		if len(b.Bids) > 0 && at(b.Bids[len(b.Bids)-1].Price) != bid || len(b.Asks) > 0 && at(b.Asks[len(b.Asks)-1].Price) != offer {
			t.Errorf("the best is %d to %d: %+v", bid, offer, b)
		}
	}
	if looked < 10 {
		t.Errorf("%d books", looked)
	}
}

func TestPriceHistory(t *testing.T) {
	v := shared()
	type history struct{ History []historyPoint }
	m := v.markets[20]
	get := func(pairs ...string) []historyPoint {
		query := url.Values{"market": {m.tokens[0]}}
		for i := 0; i < len(pairs); i += 2 {
			query.Set(pairs[i], pairs[i+1])
		}
		return ask[history](t, v.CLOB, "prices-history", query).History
	}
	from := v.unix(m.event.open) + 3600
	points := get("startTs", strconv.FormatInt(from, 10), "endTs", strconv.FormatInt(from+600, 10), "fidelity", "1")
	if len(points) < 10 || len(points) > 11 {
		t.Errorf("%d points in ten minutes", len(points))
	}
	for i, p := range points {
		if p.Time < from || p.Time > from+600 || i > 0 && p.Time-points[i-1].Time != 60 || p.Price != rounded(m.middle(0, int32(p.Time-v.start)), 4) {
			t.Errorf("%+v", p)
		}
	}
	if len(get("interval", "max", "fidelity", "60")) != 0 || len(get("interval", "max", "fidelity", "720")) == 0 {
		t.Error("the whole history of a closed market comes in steps of half a day alone")
	}
}

// A day's profit on the board is what the wallet's shares and cash are worth more than the day before, less what it paid in.
func TestLeaderboardProfit(t *testing.T) {
	v := venueAt(9, 40)
	worth := func() map[string]float64 {
		all := map[string]float64{}
		for _, w := range v.wallets {
			sum := coins(w.cash - w.deposits)
			for _, h := range w.order {
				sum += coins(h.shares) * h.market.mark(h.outcome, v.now)
			}
			all[w.address] = sum
		}
		return all
	}
	before := worth()
	v.Advance(after(47))
	now, compared := worth(), 0
	for offset := 0; offset < 150; offset += 50 {
		rows := ask[[]leaderRow](t, v.Data, "v1/leaderboard", url.Values{"timePeriod": {"WEEK"}, "limit": {"50"}, "offset": {strconv.Itoa(offset)}})
		for i, row := range rows {
			kind := v.byAddress[row.ProxyWallet].kind.name
			if kind == "skilled-maker" || kind == "arbitrageur" {
				continue // rebates belong to no market
			}
			compared++
			if want := now[row.ProxyWallet] - before[row.ProxyWallet]; math.Abs(row.Profit-want) > 1e-3 {
				t.Errorf("%s: %v, want %v", kind, row.Profit, want)
			}
			if row.Rank != strconv.Itoa(offset+i+1) || i > 0 && row.Profit > rows[i-1].Profit {
				t.Errorf("rank %s at place %d", row.Rank, offset+i+1)
			}
		}
	}
	if compared < 60 {
		t.Errorf("%d compared", compared)
	}
}
