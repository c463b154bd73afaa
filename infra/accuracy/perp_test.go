package accuracy

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/perprecord"
)

// recordPerps writes the files that PerpAccounting reads: a long position bought at 100 and 110 and sold at 125, with this profit.
func recordPerps(t *testing.T, profit string) string {
	t.Helper()
	const heading = "Account,Coin,Execution Price,Size Tokens,Size USD,Side,Timestamp IST,Start Position,Direction,Closed PnL,Transaction Hash,Order ID,Crossed,Fee,Trade ID,Timestamp\n"
	rows := heading +
		"0xaa,BTC,100,2,200,BUY,09-12-2024 21:24,0,Open Long,0,0x1,1,TRUE,0.1,1,1\n" +
		"0xaa,@107,5,1,5,BUY,09-12-2024 21:24,0,Buy,0,0x1,7,TRUE,0.1,1,1\n" +
		"0xaa,BTC,110,2,220,BUY,09-12-2024 21:24,2,Open Long,0,0x1,1,TRUE,0.1,1,1\n" +
		"0xaa,BTC,125,4,500,SELL,09-12-2024 21:25,4,Close Long," + profit + ",0x1,2,TRUE,0.1,1,1\n"
	answers := `{"queries":[{"slot":"one","fills":[` +
		`{"coin":"xyz:CL","side":"A","time":1,"oid":1,"twapId":null,"px":"70","sz":"1","startPosition":"0.0","closedPnl":"0.0","fee":"0"},` +
		`{"coin":"xyz:CL","side":"B","time":2,"oid":2,"twapId":9,"px":"60","sz":"1","startPosition":"-1.0","closedPnl":"10.0","fee":"0"}]}]}`
	dir := t.TempDir()
	folder := filepath.Join(dir, "hyperliquid")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"fills_1.csv": rows, "leader_fills_1.json": answers} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestRecordedFillsAreHeldAgainstTheVenue(t *testing.T) {
	for profit, want := range map[string]string{"80": "2 of 2, worst 0.0e+00", "81": "1 of 2, worst 2.0e-03"} {
		rows, err := PerpAccounting(recordPerps(t, profit))
		if err != nil || len(rows) != 2 {
			t.Fatal(rows, err)
		}
		if rows[1].Measured != want || rows[0].Pass != (profit == "80") || rows[1].Pass != (profit == "80") {
			t.Errorf("%+v", rows)
		}
	}
	if rows, err := PerpAccounting(t.TempDir()); err == nil {
		t.Errorf("measured nothing: %+v", rows)
	}
	for _, broken := range []string{"eighty", "1,2"} {
		if rows, err := PerpAccounting(recordPerps(t, broken)); err == nil || !strings.Contains(err.Error(), "fills_1.csv") {
			t.Errorf("%q: %+v, %v", broken, rows, err)
		}
	}
}

func TestLiquidationMeasures(t *testing.T) {
	rows, err := Liquidation("")
	if err != nil || len(rows) != 2 || !rows[0].Pass || !rows[1].Pass {
		t.Errorf("%+v, %v", rows, err)
	}
	dir := t.TempDir()
	if rows, err := Liquidation(dir); err != nil || len(rows) != 2 {
		t.Errorf("a folder without recordings: %+v, %v", rows, err)
	}
	folder := filepath.Join(dir, "hyperliquid", "cassettes")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	const position = `{"position":{"szi":"-1","positionValue":"100","liquidationPx":"149"}}`
	state := "    body:\n      string: '" + `{"assetPositions":[` + strings.Repeat(position+",", 4) + position + `,{"position":{"szi":"1","positionValue":"10","liquidationPx":null}}],` +
		`"crossMarginSummary":{"accountValue":"50","totalNtlPos":"100"}}` + "'\n"
	for text, pass := range map[string]bool{state: true, strings.Replace(state, "149", "149.1", 1): false} {
		if err := os.WriteFile(filepath.Join(folder, "2023_test_get_user_state.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		rows, err := Liquidation(dir)
		if err != nil || len(rows) != 3 || rows[2].Pass != pass {
			t.Errorf("%+v, %v", rows, err)
		}
	}
}

func TestPositionsThatTurnAroundAreOne(t *testing.T) {
	at := func(hour int) time.Time { return time.Date(2026, 5, 1, hour, 0, 0, 0, time.UTC) }
	unknown := math.NaN()
	part := func(coin string, from, until int, profit float64, fromFlip, intoFlip bool) perprecord.Episode {
		return perprecord.Episode{
			Coin: coin, OpenedAt: at(from), ClosedAt: at(until), PnLUSD: profit, FeesUSD: 1, FundingUSD: unknown, FromFlip: fromFlip, IntoFlip: intoFlip,
		}
	}
	remnant := part("DOGE", 1, 2, 50, false, false)
	remnant.FromRemnant = true
	got := flatToFlat([]perprecord.Episode{
		remnant,
		part("BTC", 1, 2, 10, false, true),
		part("ETH", 1, 2, 5, false, false),
		part("BTC", 2, 3, 20, true, true),
		part("BTC", 3, 4, -7, true, false), // 23 less 3 in fees
		part("BTC", 5, 6, 9, true, false),  // what it turned around is not known
		part("ETH", 7, 8, 1, false, true),  // and here what became of it is not
		part("ETH", 10, 11, 2, true, false),
		part("SOL", 1, 2, 3, true, true), // nor the beginning of these two
		part("SOL", 2, 3, 4, true, false),
		part("ETH", 12, 13, 8, false, false),
	})
	if want := []float64{4, 20, 7}; !slices.Equal(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
}
