package predictvenue

import (
	"encoding/json"
	"math"
	"net/url"
	"slices"
	"strconv"
	"testing"
)

func user(w *wallet, pairs ...string) url.Values {
	values := url.Values{"user": {w.address}}
	for i := 0; i < len(pairs); i += 2 {
		values.Set(pairs[i], pairs[i+1])
	}
	return values
}

// Losers that nobody redeemed are among the open positions, worth nothing and redeemable; what is closed looks like winners alone.
func TestLosersStayOpen(t *testing.T) {
	v := shared()
	for _, w := range wallets(v, "never-redeemer") {
		lost := 0
		for _, row := range ask[[]positionRow](t, v.Data, "positions", user(w, "limit", "500", "redeemable", "true")) {
			if row.Redeemable && row.CurPrice == 0 && row.Size > 0 && row.CashPnl == -row.InitialValue && row.PercentPnl == -100 {
				lost++
			}
		}
		won := 0
		closed := ask[[]closedRow](t, v.Data, "closed-positions", user(w, "limit", "50", "sortBy", "TIMESTAMP"))
		for _, row := range closed {
			if row.CurPrice > 0 {
				won++
			}
		}
		if lost < 30 || won != len(closed) || won == 0 {
			t.Errorf("%d open losers, %d of %d closed won", lost, won, len(closed))
		}
	}
	for _, w := range wallets(v, "redeemer") {
		for _, row := range ask[[]positionRow](t, v.Data, "positions", user(w, "limit", "500", "redeemable", "true")) {
			if e := v.eventBySlug[row.EventSlug]; v.now-e.closed > daySeconds {
				t.Errorf("%s has been redeemable for %d s", row.Slug, v.now-e.closed)
			}
		}
		zero := slices.ContainsFunc(readActivity(t, v, w.address), func(row activityRow) bool { return row.Type == "REDEEM" && row.USDCSize == 0 })
		if !zero {
			t.Error("no worthless share was redeemed")
		}
	}
}

func TestClosedPositionsComeBestFirst(t *testing.T) {
	v := shared()
	w := wallets(v, "redeemer")[0]
	rows := ask[[]closedRow](t, v.Data, "closed-positions", user(w, "limit", "50"))
	if !slices.IsSortedFunc(rows, func(a, b closedRow) int { return int(math.Copysign(1, b.RealizedPnl-a.RealizedPnl)) }) || len(rows) < 50 {
		t.Error("the best profit is to come first")
	}
	latest := ask[[]closedRow](t, v.Data, "closed-positions", user(w, "limit", "50", "sortBy", "TIMESTAMP", "sortDirection", "DESC"))
	if !slices.IsSortedFunc(latest, func(a, b closedRow) int { return int(b.Timestamp - a.Timestamp) }) {
		t.Error("the latest is to come first")
	}
}

func TestDustIsHidden(t *testing.T) {
	v := venueAt(1, 2)
	m := v.markets[0]
	var w *wallet
	for _, candidate := range v.wallets {
		if candidate.holdings[token{m, 0}.key()] == nil && candidate.holdings[token{m, 1}.key()] == nil && len(candidate.entries) > 0 {
			w = candidate
		}
	}
	w.holding(token{m, 0}).add(1, micro/2, micro/4)
	shown := ask[[]positionRow](t, v.Data, "positions", user(w, "market", m.condition))
	all := ask[[]positionRow](t, v.Data, "positions", user(w, "market", m.condition, "sizeThreshold", "0"))
	if len(all) != 1 || len(shown) != 0 {
		t.Errorf("%d shown of %d", len(shown), len(all))
	}
}

// Trades of takers alone and trades of everybody differ by the resting orders; a maker's row has the price of its own outcome.
func TestTakersAloneByDefault(t *testing.T) {
	v := shared()
	w := wallets(v, "skilled-maker")[0]
	taken := ask[[]tradeRow](t, v.Data, "trades", user(w, "limit", "10000"))
	all := ask[[]tradeRow](t, v.Data, "trades", user(w, "limit", "10000", "takerOnly", "false"))
	if len(taken) != 0 || len(all) < 100 {
		t.Errorf("%d taken of %d", len(taken), len(all))
	}
	m := v.markets[len(v.markets)/2]
	byHash := map[string][]tradeRow{}
	for _, row := range ask[[]tradeRow](t, v.Data, "trades", url.Values{"market": {m.condition}, "limit": {"10000"}, "takerOnly": {"false"}}) {
		byHash[row.TransactionHash] = append(byHash[row.TransactionHash], row)
	}
	crossed := 0
	for hash, rows := range byHash {
		if len(rows) != 2 || rows[0].Size != rows[1].Size {
			t.Fatalf("%s has rows %+v", hash, rows)
		}
		a, b := rows[0], rows[1]
		switch {
		case a.Asset == b.Asset && a.Side != b.Side && a.Price == b.Price:
		case a.Asset != b.Asset && a.Side == b.Side && math.Abs(a.Price+b.Price-1) < 1e-12:
			crossed++
		default:
			t.Errorf("two sides that do not match: %+v %+v", a, b)
		}
	}
	if crossed == 0 {
		t.Error("no pair of shares was made")
	}
}

// A taker's purchase costs size × price and the fee; nobody else pays one.
func TestTheFeeIsInWhatWasPaid(t *testing.T) {
	v := shared()
	taken := map[string]bool{}
	w := wallets(v, "hedger")[0]
	for _, row := range ask[[]tradeRow](t, v.Data, "trades", user(w, "limit", "10000")) {
		taken[row.TransactionHash] = true
	}
	fees := 0
	for _, row := range readActivity(t, v, w.address) {
		if row.Type != "TRADE" {
			if row.OutcomeIndex != 999 || row.Asset != "" || row.Side != "" || row.Price != 0 || row.Outcome != "" {
				t.Errorf("%+v", row)
			}
			continue
		}
		want := row.Size * row.Price
		if row.Side == "BUY" && taken[row.TransactionHash] {
			want += row.Size * v.byToken[row.Asset].market.event.category.feeRate * row.Price * (1 - row.Price)
		}
		if math.Abs(row.USDCSize-want) > 2e-6 {
			t.Errorf("%+v, want %v", row, want)
		}
		if row.USDCSize > row.Size*row.Price+1e-4 {
			fees++
		}
	}
	if fees < 20 {
		t.Errorf("%d trades with a fee", fees)
	}
}

// A maker is paid back a quarter of the fees of those who bought from its resting orders.
func TestRebatesAreAQuarterOfTheFees(t *testing.T) {
	v := shared()
	for _, w := range append(wallets(v, "skilled-maker"), wallets(v, "arbitrageur")...) {
		fees, paid, buys := int64(0), w.rebate, int64(0)
		for _, id := range w.entries {
			switch n := v.line(id); {
			case n.kind == rebated:
				paid += n.cash
			case n.kind == traded && n.maker == w.id && !n.sell:
				fees += v.markets[n.market].fee(n.price, n.size)
				buys++
			}
		}
		if paid == 0 || paid > fees/4 || paid < fees/4-buys {
			t.Errorf("%s: %d paid back of fees of %d", w.kind.name, paid, fees)
		}
	}
}

func TestSplitsMergesAndConversionsShow(t *testing.T) {
	v := shared()
	for kind, types := range map[string][]string{"washer": {"SPLIT", "MERGE"}, "arbitrageur": {"SPLIT", "MERGE", "MAKER_REBATE"}, "converter": {"CONVERSION"}} {
		rows := readActivity(t, v, wallets(v, kind)[0].address)
		for _, want := range types {
			if !slices.ContainsFunc(rows, func(row activityRow) bool { return row.Type == want && row.USDCSize > 0 }) {
				t.Errorf("%s never shows %s", kind, want)
			}
		}
	}
	// Deposits show when they are asked for.
	w := wallets(v, "converter")[0]
	hidden := ask[[]activityRow](t, v.Data, "activity", user(w, "type", "DEPOSIT"))
	shown := ask[[]activityRow](t, v.Data, "activity", user(w, "type", "DEPOSIT", "excludeDepositsWithdrawals", "false"))
	if len(hidden) != 0 || len(shown) == 0 {
		t.Errorf("%d deposits hidden, %d shown", len(hidden), len(shown))
	}
	// All rows of a conversion have one transaction, and bring one dollar a share less than there are of them.
	cash, count, size := map[string]float64{}, map[string]float64{}, map[string]float64{}
	for _, row := range readActivity(t, v, w.address) {
		if row.Type == "CONVERSION" {
			cash[row.TransactionHash] += row.USDCSize
			count[row.TransactionHash]++
			size[row.TransactionHash] = row.Size
		}
	}
	for hash := range cash {
		if math.Abs(cash[hash]-size[hash]*(count[hash]-1)) > 1e-6 || count[hash] < 2 {
			t.Errorf("%v markets of %v shares brought %v", count[hash], size[hash], cash[hash])
		}
	}
}

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
