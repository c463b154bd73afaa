package hyperliquid

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// paid is a payment of three dollars for a long position.
const paid = `{"coin":"SOL","fundingRate":"0.0001","nSamples":null,"szi":"200.0","type":"funding","usdc":"-3.0"}`

func entry(at int64, delta string) string {
	return fmt.Sprintf(`{"time":%d,"hash":"0x00","delta":%s}`, at, delta)
}

func TestFundingPayments(t *testing.T) {
	v := always(list(
		entry(noon(0), paid),
		entry(noon(0), with(t, paid, "coin", `"xyz:CL"`, "usdc", `"0.25"`, "szi", `"-4"`, "fundingRate", `"0.0004"`, "nSamples", "24")),
		entry(noon(0), with(t, paid, "fundingRate", `"1.5"`)), entry(noon(0), with(t, paid, "szi", `"x"`)), entry(noon(0), with(t, paid, "usdc", "")),
		entry(noon(0), with(t, paid, "type", `"deposit"`)), entry(noon(0), with(t, paid, "coin", `""`)), entry(1, paid), `{"time":5}`, `8`,
	))
	got, err := v.adapter().PerpFunding(t.Context(), account, time.Time{})
	at := time.UnixMilli(noon(0)).UTC()
	want := &market.PerpFunding{Payments: []market.PerpPayment{
		{Time: at, Coin: "SOL", USD: -3, Size: 200, Rate: 0.0001}, {Time: at, Coin: "xyz:CL", USD: 0.25, Size: -4, Rate: 0.0004},
	}}
	if err != nil || v.dropped != 8 || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, %d dropped", got, err, v.dropped)
	}
	if got, err := always(`[]`).adapter().PerpFunding(t.Context(), account, at); err != nil || len(got.Payments) != 0 || got.Truncated {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := always(list(entry(noon(0), with(t, paid, "coin", "")))).adapter().PerpFunding(t.Context(), account, at); err == nil {
		t.Errorf("%+v", got)
	}
}

// hours is each hour's funding of so many positions.
func hours(n, positions int) []recorded {
	rows := make([]recorded, n)
	for i := range rows {
		at := noon(i / positions * 3_600_000)
		delta := fmt.Sprintf(`{"coin":"C%d","fundingRate":"0.0001","szi":"1","type":"funding","usdc":"-1"}`, i%positions)
		rows[i] = recorded{at, entry(at, delta)}
	}
	return rows
}

func TestLongFundingIsCutAtAnInstant(t *testing.T) {
	for name, test := range map[string]struct {
		rows, positions, pages, read int
		truncated                    bool
	}{
		"less than a page":       {499, 1, 1, 499, false},
		"two pages":              {900, 7, 2, 900, false},
		"as much as is read":     {2990, 1, 6, 2990, false},
		"more than is read":      {4000, 1, 6, 6*500 - 5 - 1, true},
		"positions side by side": {4000, 3, 6, 2988, true},
	} {
		v := keeper(hours(test.rows, test.positions), 500, math.MaxInt)
		got, err := v.adapter().PerpFunding(t.Context(), account, time.UnixMilli(noon(0)))
		if err != nil || len(v.bodies) != test.pages || len(got.Payments) != test.read || got.Truncated != test.truncated {
			t.Fatalf("%s: %d payments, truncated %v, %d questions, %v", name, len(got.Payments), got.Truncated, len(v.bodies), err)
		}
		if !test.truncated {
			if !got.Until.IsZero() {
				t.Errorf("%s: until %v", name, got.Until)
			}
			continue
		}
		if end := got.Payments[len(got.Payments)-1]; !got.Until.Equal(end.Time) || test.read%test.positions != 0 {
			t.Errorf("%s: until %v, the last is of %v", name, got.Until, end.Time)
		}
	}
}

func TestLedger(t *testing.T) {
	nan := math.NaN()
	entries := []struct {
		delta string
		kind  market.PerpTransferKind
		usd   float64
	}{
		{`{"type":"deposit","usdc":"1500.25"}`, market.Deposit, 1500.25},
		{`{"type":"withdraw","usdc":"99","nonce":17,"fee":"1"}`, market.Withdrawal, 99},
		{`{"type":"accountClassTransfer","usdc":"12","toPerp":false}`, market.InternalTransfer, 12},
		{`{"type":"internalTransfer","usdc":"4","user":"0x1","destination":"0x2","fee":"1"}`, market.InternalTransfer, 4},
		{`{"type":"subAccountTransfer","usdc":"8","user":"0x1","destination":"0x2"}`, market.InternalTransfer, 8},
		{`{"type":"spotTransfer","token":"PURR","amount":"100","usdcValue":"20.5","fee":"1","nonce":null}`, market.InternalTransfer, 20.5},
		{`{"type":"send","token":"HYPE","amount":"2","usdcValue":"70","sourceDex":"","destinationDex":"xyz"}`, market.InternalTransfer, 70},
		{`{"type":"send","token":"USDC","amount":"31"}`, market.InternalTransfer, 31},
		{`{"type":"send","token":"HYPE","amount":"31"}`, market.InternalTransfer, nan},
		{`{"type":"vaultCreate","vault":"0x3","usdc":"100","fee":"100"}`, market.VaultTransfer, 100},
		{`{"type":"vaultDeposit","vault":"0x3","usdc":"55"}`, market.VaultTransfer, 55},
		{`{"type":"vaultWithdraw","vault":"0x3","requestedUsd":"60","commission":"1","closingCost":"0","basis":"50","netWithdrawnUsd":"59"}`, market.VaultTransfer, 59},
		{`{"type":"vaultDistribution","vault":"0x3","usdc":"7"}`, market.VaultTransfer, 7},
		{`{"type":"vaultLeaderCommission","usdc":"2"}`, market.VaultTransfer, 2},
		{`{"type":"liquidation","liquidatedNtlPos":"900","accountValue":"30","leverageType":"Cross","liquidatedPositions":[{"coin":"BTC","szi":"0.1"}]}`, market.LiquidationTransfer, nan},
		{`{"type":"rewardsClaim","amount":"3.5","token":"USDC"}`, market.OtherTransfer, 3.5},
		{`{"type":"never seen before","of":{"any":["shape"]}}`, market.OtherTransfer, nan},
		{`{"type":"deposit","usdc":"-5"}`, market.Deposit, nan},
		{`{"type":"deposit","usdc":"1e40"}`, market.Deposit, nan},
		{`{"type":"deposit"}`, market.Deposit, nan},
	}
	rows := []string{entry(noon(0), `{"usdc":"3"}`), entry(5, `{"type":"deposit"}`), `{"time":"then"}`, `"row"`}
	want := market.PerpLedger{}
	for i, e := range entries {
		rows = append(rows, entry(noon(i), e.delta))
		want.Transfers = append(want.Transfers, market.PerpTransfer{Time: time.UnixMilli(noon(i)).UTC(), Kind: e.kind, USD: e.usd})
	}
	v := always(list(rows...))
	got, err := v.adapter().PerpLedger(t.Context(), account)
	if err != nil || v.dropped != 4 || !equal(*got, want) {
		t.Errorf("%+v, %v, %d dropped", got, err, v.dropped)
	}
	if got, err := always(list(rows[0])).adapter().PerpLedger(t.Context(), account); err == nil {
		t.Errorf("%+v", got)
	}
}

func TestALongLedgerIsTruncated(t *testing.T) {
	rows := make([]recorded, 3100)
	for i := range rows {
		rows[i] = recorded{noon(i), entry(noon(i), `{"type":"deposit","usdc":"1"}`)}
	}
	v := keeper(rows, 500, math.MaxInt)
	got, err := v.adapter().PerpLedger(t.Context(), account)
	if err != nil || !got.Truncated || len(got.Transfers) != 6*500-5 || len(v.bodies) != 6 {
		t.Errorf("%d transfers, truncated %v, %d questions, %v", len(got.Transfers), got.Truncated, len(v.bodies), err)
	}
	if got, err := keeper(rows[:1234], 500, math.MaxInt).adapter().PerpLedger(t.Context(), account); err != nil || got.Truncated || len(got.Transfers) != 1234 {
		t.Errorf("%d transfers, truncated %v, %v", len(got.Transfers), got.Truncated, err)
	}
}

// Whatever shares an instant, as long as no instant fills a page: every row is read, once, oldest first.
func TestPagesLoseNothing(t *testing.T) {
	const page = 5
	rapid.Check(t, func(t *rapid.T) {
		var rows []recorded
		for instant := range rapid.IntRange(0, 30).Draw(t, "instants") {
			for range rapid.IntRange(1, page-1).Draw(t, "rows") {
				at := noon(instant)
				rows = append(rows, recorded{at, entry(at, fmt.Sprintf(`{"type":"deposit","usdc":"%d"}`, len(rows)))})
			}
		}
		since := rapid.IntRange(-1, 30).Draw(t, "since")
		v := keeper(rows, page, math.MaxInt)
		got, more, err := history[update]{"any", page, 1000}.read(t.Context(), v.adapter(), account, time.UnixMilli(noon(since)))
		if err != nil || more || v.dropped != 0 {
			t.Fatal(err, more)
		}
		rows = slices.DeleteFunc(rows, func(r recorded) bool { return r.at < noon(since) })
		if len(got) != len(rows) {
			t.Fatalf("%d rows of %d", len(got), len(rows))
		}
		for i := range rows {
			if read := entry(got[i].time.UnixMilli(), fmt.Sprintf(`{"type":"deposit","usdc":"%s"}`, got[i].row.Delta.USD)); read != rows[i].text {
				t.Fatalf("row %d: %s, want %s", i, read, rows[i].text)
			}
		}
	})
}
