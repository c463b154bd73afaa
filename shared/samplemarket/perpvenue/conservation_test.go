package perpvenue

import (
	"math"
	"strconv"
	"testing"
)

func number(t testing.TB, text string) float64 {
	t.Helper()
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// everyFill pages through an account's fills as the venue's documentation says: on from the last time, without doubles.
func everyFill(t testing.TB, v *Venue, address string) []fillWire {
	t.Helper()
	var fills []fillWire
	seen, from := map[int64]bool{}, int64(0)
	for {
		page := told[[]fillWire](t, v, `{"type":"userFillsByTime","user":"%s","startTime":%d}`, address, from)
		for _, f := range page {
			if !seen[f.Trade] {
				seen[f.Trade] = true
				fills = append(fills, f)
			}
		}
		if len(page) < fillsPerAnswer {
			return fills
		}
		from = page[len(page)-1].Time
	}
}

func everyPayment(t testing.TB, v *Venue, address string) (payments []fundingWire) {
	t.Helper()
	seen, from := map[payment]bool{}, int64(0)
	for {
		page := told[[]fundingWire](t, v, `{"type":"userFunding","user":"%s","startTime":%d}`, address, from)
		for _, p := range page {
			if key := (payment{coin: uint8(v.coinNamed(p.Delta.Coin)), time: p.Time}); !seen[key] {
				seen[key] = true
				payments = append(payments, p)
			}
		}
		if len(page) < entriesPerAnswer {
			return payments
		}
		from = page[len(page)-1].Time
	}
}

// An account's answers have to fit together: sizes chain from fill to fill and end at the positions shown, profits follow the average
// entry, fees their rates, and the money is what was paid in, won, charged and paid for funding.
func TestBooksBalance(t *testing.T) {
	v := young()
	kinds := []string{"skilled-swing", "skilled-whale", "losing", "martingale", "liquidated", "hedged", "short-only", "scalper", "multi-exchange",
		"market-making", "funding-farmer", "spot-only", "open-only", "dormant"}
	for _, kind := range kinds {
		for _, address := range of(v, kind)[:1] {
			checkBooks(t, v, kind, address)
		}
	}
	checkBooks(t, v, "liquidator", v.backstop.address)
}

type book struct{ size, cost float64 }

func checkBooks(t *testing.T, v *Venue, kind, address string) {
	t.Helper()
	books, money := map[string]*book{}, 0.0
	for i, f := range everyFill(t, v, address) {
		spot := f.Coin[0] == '@' || f.Coin == "PURR/USDC"
		b := books[f.Coin]
		if b == nil {
			b = &book{}
			books[f.Coin] = b
		}
		size, price, profit, fee := number(t, f.Size), number(t, f.Price), number(t, f.ClosedPnL), number(t, f.Fee)
		if start := number(t, f.StartPosition); math.Abs(start-b.size) > 1e-7 {
			t.Fatalf("%s fill %d: starts at %v after %v", kind, i, start, b.size)
		}
		signed := size
		if f.Side == "A" {
			signed = -size
		}
		if want := b.trade(signed, price); math.Abs(profit-want) > 1e-5+1e-8*size*price {
			t.Fatalf("%s fill %d %s: profit %v, by average entry %v", kind, i, f.Direction, profit, want)
		}
		rate := map[bool]float64{true: 0.00045, false: 0.00015}[f.Crossed]
		if spot {
			rate = map[bool]float64{true: 0.0007, false: 0.0004}[f.Crossed]
		}
		want := rate * size * price
		if spot && signed > 0 {
			want = rate * size
			b.size -= fee
		}
		forced := f.Direction == "Settlement" || f.Direction == "Auto-Deleveraging" || f.Liquidation != nil && f.Liquidation.Method == "backstop"
		if math.Abs(fee-want) > 1e-6 && !(forced && fee == 0) {
			t.Fatalf("%s fill %d: fee %v, want %v", kind, i, fee, want)
		}
		if !spot {
			money += profit - fee
		}
	}
	paid := map[string]float64{}
	for _, p := range everyPayment(t, v, address) {
		money += number(t, p.Delta.USD)
		paid[p.Delta.Coin] -= number(t, p.Delta.USD)
	}
	for _, e := range asked[[]struct {
		Delta struct {
			Type, Usdc, Fee string
			ToPerp          bool
		}
	}](t, v, `{"type":"userNonFundingLedgerUpdates","user":"%s","startTime":0}`, address) {
		switch e.Delta.Type {
		case "deposit":
			money += number(t, e.Delta.Usdc)
		case "withdraw":
			money -= number(t, e.Delta.Usdc) + number(t, e.Delta.Fee)
		case "accountClassTransfer":
			money -= number(t, e.Delta.Usdc)
		}
	}
	for _, exchange := range exchangeNames {
		state := asked[stateWire](t, v, `{"type":"clearinghouseState","user":"%s","dex":"%s"}`, address, exchange)
		money -= number(t, state.Summary.Value)
		net := 0.0
		for _, held := range state.Positions {
			p := held.Position
			size := number(t, p.Size)
			if b := books[p.Coin]; b == nil || math.Abs(b.size-size) > 1e-7 {
				t.Errorf("%s holds %v %s, its fills say %v", kind, size, p.Coin, b)
			} else {
				near(t, kind+" entry of "+p.Coin, number(t, p.Entry), b.cost/math.Abs(size), 1e-3)
			}
			delete(books, p.Coin)
			if all := number(t, p.Funding.AllTime); math.Abs(all-paid[p.Coin]) > 1e-5 {
				t.Errorf("%s paid %v for %s, and shows %v", kind, paid[p.Coin], p.Coin, all)
			}
			money += number(t, p.Unrealized)
			net += math.Copysign(number(t, p.Value), size)
		}
		if raw := number(t, state.Summary.Raw); math.Abs(number(t, state.Summary.Value)-net-raw) > 1e-5 {
			t.Errorf("%s: raw %v", kind, raw)
		}
	}
	if math.Abs(money) > 1e-3 {
		t.Errorf("%s: %v dollars came from nowhere", kind, money)
	}
	for _, held := range asked[balancesWire](t, v, `{"type":"spotClearinghouseState","user":"%s"}`, address).Balances {
		pair := map[string]string{"HYPE": "@107", "PURR": "PURR/USDC"}[held.Coin]
		if b := books[pair]; b != nil && math.Abs(b.size-number(t, held.Total)) > 1e-7 {
			t.Errorf("%s holds %s %s, its fills say %v", kind, held.Total, held.Coin, b.size)
		}
		delete(books, pair)
	}
	for coin, b := range books {
		if math.Abs(b.size) > 1e-7 {
			t.Errorf("%s has %v %s by its fills, and shows none", kind, b.size, coin)
		}
	}
}

// trade books a signed size and says the profit by average entry.
func (b *book) trade(size, price float64) (profit float64) {
	if b.size*size < 0 {
		closed := math.Min(math.Abs(size), math.Abs(b.size))
		entry := b.cost / math.Abs(b.size)
		profit = closed * (price - entry) * math.Copysign(1, b.size)
		b.cost = b.cost - closed*entry + (math.Abs(size)-closed)*price
	} else {
		b.cost += math.Abs(size) * price
	}
	if b.size += size; math.Abs(b.size) < 1e-9 {
		b.size, b.cost = 0, 0
	}
	return profit
}
