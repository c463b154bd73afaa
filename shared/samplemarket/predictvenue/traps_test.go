package predictvenue

import (
	"math"
	"net/url"
	"slices"
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
