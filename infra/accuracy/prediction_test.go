package accuracy

import (
	"math"
	"strings"
	"testing"
)

func TestRecordedAccountsByHand(t *testing.T) {
	// Bought 10 for 4 and sold 5 for 3, which is 1 above their cost. Then 10 are sold for 6 of which 5 are held: each costs 0.4 on
	// average, so the gain is 2. What is sold without having been bought is gain whole: 0.5.
	const wallet = `[{"canonical_wallet": "0x1", "trades": [
		{"asset_id": "1", "side": "BUY", "size": 10, "cost": 4}, {"asset_id": "1", "side": "SELL", "size": 5, "cost": 3},
		{"asset_id": "1", "side": "SELL", "size": 10, "cost": 6}, {"asset_id": "2", "side": "SELL", "size": 1, "cost": 0.5}],
		"summary": {"total_trades": 4, "buy_trades": 1, "sell_trades": 3, "total_volume": 13.5, "realized_pnl": REALIZED}}]`
	for realized, pass := range map[string]bool{"3.5": true, "3.51": false} {
		row, err := predictionAccounts("file", []byte(strings.Replace(wallet, "REALIZED", realized, 1)))
		if err != nil || row.Pass != pass {
			t.Errorf("realized %s: %+v, %v", realized, row, err)
		}
	}
	if row, err := predictionAccounts("file", []byte("[]")); err != nil || row.Pass {
		t.Errorf("no wallets: %+v, %v", row, err)
	}
	if _, err := predictionAccounts("file", []byte("{")); err == nil {
		t.Error("what is no JSON is read")
	}
	if d := (recordedSummary{Buys: 1}).difference(recordedSummary{}); !math.IsInf(d, 1) {
		t.Errorf("another count is %v apart", d)
	}
	if _, err := PredictionAccounts(t.TempDir()); err == nil {
		t.Error("a folder without a recording passes")
	}
}

// On few wallets: fair ones seldom beat luck, however the markets of an event hang together, and skilled ones do.
func TestPredictionLuckOnFewWallets(t *testing.T) {
	t.Parallel()
	bound := 0.06 + 4*math.Sqrt(0.05*0.95/fewWallets)
	for _, p := range fairBettors() {
		if !p.chases {
			continue // what the others have, these have too
		}
		found := p.judged(fewWallets, 40)
		if found["beats luck"] > bound || found["interval holds"] < 0.87-4*math.Sqrt(0.1*0.9/fewWallets) {
			t.Errorf("fair %s: %v", p.name, found)
		}
	}
	skilled := bettors{name: "skilled", structure: singleMarket, price: even, edge: 0.2}
	if found := skilled.judged(fewWallets, 100); found["beats luck"] < 0.9 || found["A or B"] < 0.9 {
		t.Errorf("skilled: %v", found)
	}
}

// Whoever knows outcomes hours before the end is suspected of it, and next to nobody else.
func TestForesightOnFewWallets(t *testing.T) {
	t.Parallel()
	for _, row := range foresight(10 * fewWallets) {
		if !row.Pass {
			t.Errorf("%+v", row)
		}
	}
}
