package perpvenue

import (
	"math"
	"strings"
	"testing"
)

// recount is the truth of an account by its answers alone.
func recount(t *testing.T, v *Venue, address string) (orders, won, episodes, liquidations int, net float64) {
	t.Helper()
	profit, closing, forced, held := map[int64]float64{}, map[int64]bool{}, map[int64]bool{}, map[string]float64{}
	for _, f := range everyFill(t, v, address) {
		if f.Coin[0] == '@' || strings.Contains(f.Coin, "/") {
			continue
		}
		start, size := number(t, f.StartPosition), number(t, f.Size)
		if f.Side == "A" {
			size = -size
		}
		profit[f.Order] += number(t, f.ClosedPnL) - number(t, f.Fee)
		net += number(t, f.ClosedPnL) - number(t, f.Fee)
		closing[f.Order] = closing[f.Order] || start*size < 0
		forced[f.Order] = forced[f.Order] || f.Liquidation != nil && f.Liquidation.User == address
		if held[f.Coin] = start + size; start*size < 0 && (math.Abs(start+size) < 1e-9 || (start > 0) != (start+size > 0)) {
			episodes++
		}
	}
	for order := range profit {
		if closing[order] {
			orders++
			if profit[order] > 0 {
				won++
			}
		}
		if forced[order] {
			liquidations++
		}
	}
	for _, p := range everyPayment(t, v, address) {
		net += number(t, p.Delta.USD)
	}
	return orders, won, episodes, liquidations, net
}

func TestTruthIsWhatIsServed(t *testing.T) {
	v := young()
	for i, truth := range v.Truth() {
		if i%4 != 0 {
			continue
		}
		orders, won, episodes, liquidations, net := recount(t, v, truth.Address)
		if orders != truth.ClosingOrders || won != truth.ClosingOrderWins || episodes != truth.Episodes || liquidations != truth.Liquidations ||
			math.Abs(net-truth.NetPnL) > 1e-3 {
			t.Errorf("%+v: its answers say %d orders, %d won, %d episodes, %d liquidations, %v", truth, orders, won, episodes, liquidations, net)
		}
	}
}

// Every kind is what it says.
func TestPlanted(t *testing.T) {
	rates, counts := map[string]float64{}, map[string]int{}
	for _, truth := range played().Truth() {
		counts[truth.Kind]++
		rates[truth.Kind] += truth.WinRate
		kind := truth.Kind
		if truth.Skilled != strings.HasPrefix(kind, "skilled") {
			t.Errorf("%+v", truth)
		}
		wanted := "ok"
		switch kind {
		case "open-only", "spot-only", "deposit-only":
			wanted = "open-positions-only"
		case "few-trades":
			wanted = "below-min-closed-trades"
		case kindStranger:
			wanted = "no-venue-history"
		case "new":
			if wanted = truth.Coverage; wanted != "ok" && wanted != "account-too-new" {
				t.Errorf("%+v", truth)
			}
			if wanted == "account-too-new" {
				counts["too new"]++
			}
		}
		if truth.Coverage != wanted {
			t.Errorf("%+v is to be %s", truth, wanted)
		}
		if math.IsNaN(truth.WinRate) != (truth.Coverage != "ok") || truth.Truncated != (kind == "market-making-busy") {
			t.Errorf("%+v", truth)
		}
		switch bias := truth.Bias; {
		case kind == "long-only" && strings.HasPrefix(bias, "short"), kind == "short-only" && strings.HasPrefix(bias, "long"),
			kind == "hedged" && bias != "balanced" && bias != "flat", kind == "dormant" && bias != "flat":
			t.Errorf("%+v", truth)
		}
		if kind == "liquidated" && truth.Liquidations < 3 || kind == "funding-farmer" && truth.FundingPaid >= 0 {
			t.Errorf("%+v", truth)
		}
	}
	mean := func(kind string) float64 { return rates[kind] / float64(counts[kind]) }
	for _, kind := range []string{"skilled-swing", "skilled-intraday", "skilled-position"} {
		if mean(kind) < mean("random")+0.1 {
			t.Errorf("%s wins %v, the random %v", kind, mean(kind), mean("random"))
		}
	}
	if mean("losing") > mean("random")-0.05 || mean("martingale") < 0.8 || counts["too new"] < 2 || len(counts) < 22 {
		t.Errorf("losing %v, martingale %v, %v", mean("losing"), mean("martingale"), counts)
	}
}

// special counts what a fill is that says more than others, and notes the side it was on for the backstop's trades.
func (a *account) special(t *testing.T, f *fill, seen map[string]int, sides map[int64][]string) {
	w := a.fillWire(f)
	seen[w.Direction]++
	if w.TWAP != nil {
		seen["TWAP"]++
		if w.Hash != noHash {
			t.Fatalf("%+v: a slice has no transaction", w)
		}
	}
	if w.Liquidation == nil {
		return
	}
	seen[w.Liquidation.Method]++
	if w.Liquidation.User != a.address {
		seen["other side of "+w.Liquidation.Method]++
	}
	if w.Liquidation.Method == "backstop" && w.Direction != "Auto-Deleveraging" {
		sides[w.Trade] = append(sides[w.Trade], w.Side)
	}
}

// Everything that can happen to a position does happen to somebody.
func TestEverythingHappens(t *testing.T) {
	v := played()
	v.Truth()
	seen, sides := map[string]int{}, map[int64][]string{}
	accounts := append([]*account{v.backstop.played}, v.accounts...)
	for _, a := range accounts {
		orders := map[int64]int{}
		for i := range a.fills {
			f := &a.fills[i]
			if f.schedule == 0 && f.liquidation == 0 {
				seen[directionNames[f.direction]]++
			} else {
				a.special(t, f, seen, sides)
			}
			if i > 0 && a.fills[i-1].order == f.order && a.fills[i-1].time == f.time {
				orders[f.order]++
			}
			if i > 0 && a.fills[i-1].time > f.time {
				t.Fatalf("%s: fills out of order", a.plan.kind)
			}
		}
		if len(orders) > 0 {
			seen["many fills of an order in one instant"]++
		}
		for coin := range a.positions {
			if a.positions[coin].isolated && a.positions[coin].size != 0 {
				seen["isolated"]++
			}
		}
	}
	for _, what := range []string{"Open Long", "Close Long", "Open Short", "Close Short", "Long > Short", "Short > Long", "Buy", "Sell", "Settlement",
		"Auto-Deleveraging", "Liquidated Cross Long", "TWAP", "market", "backstop", "other side of market", "other side of backstop",
		"many fills of an order in one instant", "isolated"} {
		if seen[what] == 0 {
			t.Errorf("%s never happened: %v", what, seen)
		}
	}
	for trade, both := range sides {
		if len(both) != 2 || both[0] == both[1] {
			t.Errorf("trade %d has the sides %v", trade, both)
		}
	}
}

func TestAggregated(t *testing.T) {
	v := played()
	address := of(v, "losing")[0]
	const question = `{"type":"userFillsByTime","user":"%s","startTime":0,"endTime":%d,"aggregateByTime":%t}`
	until := testStart.AddDate(0, 0, 100).UnixMilli()
	single, merged := asked[[]fillWire](t, v, question, address, until, false), asked[[]fillWire](t, v, question, address, until, true)
	sum := func(fills []fillWire) (size, profit, fee float64) {
		for _, f := range fills {
			size, profit, fee = size+number(t, f.Size), profit+number(t, f.ClosedPnL), fee+number(t, f.Fee)
		}
		return size, profit, fee
	}
	size, profit, fee := sum(single)
	size2, profit2, fee2 := sum(merged)
	if len(merged) >= len(single) || math.Abs(size-size2) > 1e-6*size || math.Abs(profit-profit2) > 1e-4 || math.Abs(fee-fee2) > 1e-4 {
		t.Errorf("%d fills became %d: %v %v %v, %v %v %v", len(single), len(merged), size, profit, fee, size2, profit2, fee2)
	}
	seen := map[[2]int64]bool{}
	for _, f := range merged {
		if key := [2]int64{f.Order, f.Time}; f.Crossed && seen[key] {
			t.Errorf("order %d is in two at one time", f.Order)
		} else {
			seen[key] = true
		}
	}
}

// A portfolio ends at the account's value, begins its profits at nothing and has every time once.
func TestPortfolio(t *testing.T) {
	v := played()
	for _, address := range []string{of(v, "skilled-swing")[1], of(v, "multi-exchange")[0], of(v, "spot-only")[0]} {
		value := 0.0
		for _, exchange := range exchangeNames {
			value += number(t, asked[stateWire](t, v, `{"type":"clearinghouseState","user":"%s","dex":"%s"}`, address, exchange).Summary.Value)
		}
		for _, pair := range told[[]any](t, v, `{"type":"portfolio","user":"%s"}`, address) {
			name, window := pair.([]any)[0].(string), pair.([]any)[1].(windowWire)
			last := window.Values[len(window.Values)-1].([]any)
			if strings.HasPrefix(name, "perp") && math.Abs(number(t, last[1].(string))-value) > 1e-5 || last[0] != v.now {
				t.Errorf("%s ends at %v, the account is worth %v", name, last, value)
			}
			if window.Profits[0].([]any)[1] != "0.0" || len(window.Profits) != len(window.Values) {
				t.Errorf("%s begins with %v", name, window.Profits[0])
			}
			for i := range window.Values[1:] {
				if window.Values[i].([]any)[0].(int64) >= window.Values[i+1].([]any)[0].(int64) {
					t.Errorf("%s: %v is followed by %v", name, window.Values[i], window.Values[i+1])
				}
			}
		}
	}
}

func TestSamples(t *testing.T) {
	v := played()
	kinds := map[string]bool{}
	for _, sample := range v.Samples() {
		kinds[sample.Kind] = true
		if !isAddress(sample.Address) || sample.About == "" || sample.Address != strings.ToLower(sample.Address) {
			t.Errorf("%+v", sample)
		}
	}
	coverage := map[string]string{}
	for _, truth := range v.Truth() {
		if coverage[truth.Address] = truth.Coverage; !kinds[truth.Kind] {
			t.Errorf("no sample of %s", truth.Kind)
		}
	}
	for _, sample := range v.Samples() {
		if sample.Kind == "new" && coverage[sample.Address] != "account-too-new" {
			t.Errorf("%+v is %s", sample, coverage[sample.Address])
		}
	}
}
