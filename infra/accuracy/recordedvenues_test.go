package accuracy

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// fill writes a fill of a made-up account.
func fill(order, at int64, side, size, before, profit string) string {
	return fmt.Sprintf(`{"coin":"BTC","px":"100","sz":%q,"side":%q,"time":%d,"startPosition":%q,"dir":"","closedPnl":%q,"oid":%d,"crossed":true,"fee":"1","tid":%d,"feeToken":"USDC","twapId":null}`,
		size, side, 1_780_000_000_000+at, before, profit, order, at)
}

func TestCountFills(t *testing.T) {
	rows := []string{
		fill(1, 1, "A", "1", "3", "5"),                                 // closes what began before
		fill(2, 2, "A", "2", "2", "0.5"),                               // the rest of it, at a loss after the fee
		fill(3, 3, "B", "2", "0", "0"), fill(4, 4, "A", "1", "2", "4"), // one position, in two fills of one order
		fill(4, 5, "A", "1", "1", "-1"), fill(5, 6, "B", "2", "0", "0"), // and another
		fill(6, 7, "A", "4", "2", "0.75"), fill(7, 8, "B", "2", "-2", "1"), // turned around: half of the fee is the old position's
		fill(8, 9, "A", "1", "9", "1"), fill(9, 10, "A", "8", "8", "9"), // fills are missing
	}
	c, err := countFills(rows)
	if err != nil || c.orders != 5 || c.won != 4 || c.positions != 3 || c.fills != 10 {
		t.Fatalf("%+v, %v", c, err)
	}
	if got := c.coverage(time.Hour, 0); got != "account-too-new" {
		t.Error(got)
	}
	if got := c.coverage(8*24*time.Hour, 0); got != "ok" {
		t.Error(got)
	}
	if got := (&fillCount{}).coverage(0, 1); got != "open-positions-only" {
		t.Error(got)
	}
}

func TestRecordedPerpsAreAnsweredInReplay(t *testing.T) {
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "hyperliquid"), 0o700); err != nil {
		t.Fatal(err)
	}
	recorded := `{"queries":[{"slot":"a","fills":[` + fill(3, 3, "B", "2", "0", "0") + "," + fill(4, 4, "A", "2", "2", "4") + `]},{"slot":"b","fills":[]}]}`
	if err := os.WriteFile(filepath.Join(folder, "hyperliquid", "leader_fills_1.json"), []byte(recorded), 0o600); err != nil {
		t.Fatal(err)
	}
	rows, err := RecordedPerps(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if !row.Pass {
			t.Errorf("%+v", row)
		}
	}
	check(t, rows, "answers about 2 accounts, each at two instants", "1.000 of 4", true)
}

func TestWireRowsKeepTheOrderOfATable(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	rows := wireRows([]market.PerpFill{{Coin: "BTC", Time: at, Buy: true, Price: 1, Size: 2}, {Coin: "BTC", Time: at, Price: 1, Size: 2, Before: 2, ClosedPnLUSD: 3}})
	c, err := countFills(rows)
	if err != nil || c.last-c.first != 1 || c.positions != 1 || c.won != 1 {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestRecordedPredictionsAreAnsweredInReplay(t *testing.T) {
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "polymarket"), 0o700); err != nil {
		t.Fatal(err)
	}
	trade := func(asset, side string, size int) string {
		return fmt.Sprintf(`{"timestamp":"2026-01-0%d 10:00:00","asset_id":"%s0000000000","side":%q,"size":%d,"price":0.5,"cost":%d}`, len(asset), asset, side, size, size/2)
	}
	recorded := `[{"canonical_wallet":"0x1111111111111111111111111111111111111111","trades":[` + trade("7", "BUY", 4_000_000) + "," + trade("78", "BUY", 4_000_000) + "," +
		trade("78", "SELL", 4_000_000) + "," + trade("789", "SELL", 9_000_000) + `]}]` // the last was never bought
	if err := os.WriteFile(filepath.Join(folder, "polymarket", "clob_fills_1.json"), []byte(recorded), 0o600); err != nil {
		t.Fatal(err)
	}
	rows, err := RecordedPredictions(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if !row.Pass {
			t.Errorf("%+v", row)
		}
	}
	wallets, _, err := recordedWallets(folder)
	if c := wallets[0].count(); err != nil || c.events != 2 {
		t.Errorf("%+v, %v", c, err)
	}
}
