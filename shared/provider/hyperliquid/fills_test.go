package hyperliquid

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// opening is a fill of today's schema, oldOpening the same of 2023's.
const (
	opening = `{"coin":"SOL","px":"150.5","sz":"2.0","side":"B","time":1772452800000,"startPosition":"-0.5","dir":"Short > Long","closedPnl":"-1.25",
		"hash":"0xabc","oid":7001,"crossed":true,"fee":"0.135","tid":1100000000000001,"feeToken":"USDC","twapId":null}`
	oldOpening = `{"coin":"SOL","px":"150.5","sz":"2.0","side":"B","time":1772452800000,"startPosition":"-0.5","dir":"Short > Long","closedPnl":"-1.25",
		"hash":"0xabc","oid":7001,"crossed":true,"fee":"0.135"}`
)

func opened() market.PerpFill {
	return market.PerpFill{
		Coin: "SOL", Time: time.UnixMilli(1772452800000).UTC(), Buy: true, Price: 150.5, Size: 2, Before: -0.5, ClosedPnLUSD: -1.25,
		FeeUSD: 0.135, Order: 7001, Trade: 1100000000000001,
	}
}

func TestFillsOfEveryKind(t *testing.T) {
	victim, stranger := `{"liquidatedUser":"0xAB000000000000000000000000000000000000CD","markPx":"150","method":"market"}`, `{"liquidatedUser":"`+other.String()+`","markPx":"150","method":"backstop"}`
	value := opened().Price * opened().Size
	for name, test := range map[string]struct {
		changes []string
		want    func(*market.PerpFill)
	}{
		"taker":                           {nil, func(*market.PerpFill) {}},
		"maker with a rebate":             {[]string{"crossed", "false", "fee", `"-0.01"`}, func(f *market.PerpFill) { f.Maker, f.FeeUSD = true, -0.01 }},
		"unknown side of the book":        {[]string{"crossed", ""}, func(*market.PerpFill) {}},
		"sale":                            {[]string{"side", `"A"`}, func(f *market.PerpFill) { f.Buy = false }},
		"slice of a schedule":             {[]string{"twapId", "812", "hash", `"0x00"`}, func(f *market.PerpFill) { f.TWAP = 812 }},
		"builder's exchange":              {[]string{"coin", `"xyz:CL"`, "feeToken", `"USDH"`}, func(f *market.PerpFill) { f.Coin = "xyz:CL" }},
		"direction never seen":            {[]string{"dir", `"Net Child Vaults"`}, func(*market.PerpFill) {}},
		"no direction":                    {[]string{"dir", ""}, func(*market.PerpFill) {}},
		"numbers as numbers":              {[]string{"px", "150.5", "sz", "2", "oid", `"7001"`}, func(*market.PerpFill) {}},
		"numbers of nothing":              {[]string{"oid", "null", "tid", "-4"}, func(f *market.PerpFill) { f.Order, f.Trade = 0, 0 }},
		"liquidated at the market":        {[]string{"dir", `"Close Short"`, "liquidation", victim}, func(f *market.PerpFill) { f.Forced = market.Liquidated }},
		"other side of a liquidation":     {[]string{"liquidation", stranger}, func(*market.PerpFill) {}},
		"backstop":                        {[]string{"dir", `"Liquidated Cross Short"`, "liquidation", victim}, func(f *market.PerpFill) { f.Forced = market.Liquidated }},
		"isolated, without a note":        {[]string{"dir", `"Liquidated Isolated Short"`}, func(f *market.PerpFill) { f.Forced = market.Liquidated }},
		"somebody else was liquidated":    {[]string{"dir", `"Liquidated Cross Long"`, "liquidation", stranger}, func(*market.PerpFill) {}},
		"auto-deleveraged":                {[]string{"dir", `"Auto-Deleveraging"`, "liquidation", stranger}, func(f *market.PerpFill) { f.Forced = market.AutoDeleveraged }},
		"deleveraged as the one who lost": {[]string{"dir", `"Auto-Deleveraging"`, "liquidation", victim}, func(f *market.PerpFill) { f.Forced = market.Liquidated }},
		"settled":                         {[]string{"dir", `"Settlement"`}, func(f *market.PerpFill) { f.Forced = market.Settled }},
		"no liquidation":                  {[]string{"liquidation", "null"}, func(*market.PerpFill) {}},
		"fee in another coin":             {[]string{"feeToken", `"HYPE"`}, func(f *market.PerpFill) { f.FeeUSD = 0.00045 * value }},
		"maker's fee in another coin":     {[]string{"feeToken", `"HYPE"`, "crossed", "false"}, func(f *market.PerpFill) { f.Maker, f.FeeUSD = true, 0.00015*value }},
		"no fee in another coin":          {[]string{"feeToken", `"HYPE"`, "fee", `"0.0"`}, func(f *market.PerpFill) { f.FeeUSD = 0 }},
		"rebate in another coin":          {[]string{"feeToken", `"HYPE"`, "fee", `"-3"`}, func(f *market.PerpFill) { f.FeeUSD = 0 }},
	} {
		want := opened()
		test.want(&want)
		v := always(list(with(t, opening, test.changes...)))
		got, err := v.adapter().PerpFills(t.Context(), account)
		if err != nil || v.dropped != 0 || got.Truncated || !got.FirstOther.IsZero() || !reflect.DeepEqual(got.Fills, []market.PerpFill{want}) {
			t.Errorf("%s: %+v, %v, %d dropped", name, got, err, v.dropped)
		}
	}
	old := opened()
	old.Trade = 0
	got, err := always(list(oldOpening)).adapter().PerpFills(t.Context(), account)
	if err != nil || !reflect.DeepEqual(got.Fills, []market.PerpFill{old}) {
		t.Errorf("2023: %+v, %v", got, err)
	}
}

func TestFillsOfOtherThingsTellWhenTheFirstWas(t *testing.T) {
	v := always(list(
		with(t, opening, "coin", `"@107"`, "tid", "1", "dir", `"Buy"`, "feeToken", `"HYPE"`),
		with(t, opening, "coin", `"PURR/USDC"`, "tid", "2", "dir", `"Sell"`),
		with(t, opening, "coin", `"#7501"`, "tid", "3", "dir", `"Settlement"`),
		with(t, opening, "coin", `"@142"`, "tid", "0", "dir", `"Spot Dust Conversion"`, "sz", `"0.0000086"`),
		with(t, opening, "coin", `"@143"`, "tid", "0", "dir", `"Spot Dust Conversion"`, "sz", `"0.0000014"`),
		with(t, opening, "coin", `"HYPE"`, "tid", "0", "dir", `"Spot Dust Conversion"`),
		opening,
	))
	got, err := v.adapter().PerpFills(t.Context(), account)
	if err != nil || !got.FirstOther.Equal(got.Fills[0].Time) || len(got.Fills) != 1 || v.dropped != 0 {
		t.Errorf("%+v, %v, %d dropped", got, err, v.dropped)
	}
}

func TestHostileFillsAreDropped(t *testing.T) {
	for name, changes := range map[string][]string{
		"no price": {"px", ""}, "price null": {"px", "null"}, "price zero": {"px", `"0"`}, "price below": {"px", `"-3"`}, "price NaN": {"px", `"NaN"`},
		"price infinite": {"px", `"1e999"`}, "price absurd": {"px", `"1e13"`}, "price in words": {"px", `"cheap"`}, "price an object": {"px", `{}`},
		"no size": {"sz", `""`}, "size zero": {"sz", `"0.0"`}, "size below": {"sz", `"-2"`}, "size absurd": {"sz", `"1e16"`},
		"value absurd": {"px", `"1e10"`, "sz", `"1e10"`}, "side": {"side", `"C"`}, "no side": {"side", ""}, "position": {"startPosition", `"many"`},
		"position absurd": {"startPosition", `"-1e17"`}, "profit": {"closedPnl", `"Infinity"`}, "profit absurd": {"closedPnl", `"-1e16"`},
		"no profit": {"closedPnl", ""}, "fee": {"fee", `true`}, "no coin": {"coin", `""`}, "coin a number": {"coin", `7`},
		"coin endless": {"coin", `"` + strings.Repeat("A", 65) + `"`}, "note of another shape": {"liquidation", `"yes"`},
		"no time": {"time", ""}, "time before": {"time", "1"}, "time in seconds": {"time", "1772452800"}, "time to come": {"time", fmt.Sprint(present.Add(time.Hour).UnixMilli())},
		"time with a fraction": {"time", "1772452800000.5"},
	} {
		v := always(list(with(t, opening, append(changes, "tid", "9")...), opening))
		got, err := v.adapter().PerpFills(t.Context(), account)
		if err != nil || v.dropped != 1 || !reflect.DeepEqual(got.Fills, []market.PerpFill{opened()}) {
			t.Errorf("%s: %+v, %v, %d dropped", name, got, err, v.dropped)
		}
		// Where there is nothing else, the answer is not one.
		if got, err := always(list(with(t, opening, changes...))).adapter().PerpFills(t.Context(), account); err == nil {
			t.Errorf("%s alone: %+v", name, got)
		}
	}
	v := always(list(`null`, `7`, `[]`, opening))
	if got, err := v.adapter().PerpFills(t.Context(), account); err != nil || v.dropped != 3 || len(got.Fills) != 1 {
		t.Errorf("%+v, %v, %d dropped", got, err, v.dropped)
	}
}

// busy makes n fills of one coin, each of one coin more, so many of each millisecond.
func busy(n, eachMillisecond int) []recorded {
	rows := make([]recorded, n)
	for i := range rows {
		at := noon(i / eachMillisecond)
		rows[i] = recorded{at, fmt.Sprintf(`{"coin":"BTC","px":"60000","sz":"1","side":"B","time":%d,"startPosition":"%d","dir":"Open Long",`+
			`"closedPnl":"0.0","hash":"0x00","oid":%d,"crossed":true,"fee":"1","tid":%d,"feeToken":"USDC","twapId":null}`, at, i, i+1, i+1)}
	}
	return rows
}

func TestFillsAreReadPageByPage(t *testing.T) {
	for name, test := range map[string]struct {
		fills, eachMillisecond, pages, first int
		truncated                            bool
	}{
		"none":                           {0, 1, 1, 0, false},
		"not a page":                     {1999, 1, 1, 0, false},
		"pages that end amid an instant": {3003, 7, 2, 0, false},
		"more than can be had":           {10_700, 11, 6, 700, true},
		"a page of one instant":          {2000, 2000, 2, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			rows := busy(test.fills, test.eachMillisecond)
			v := keeper(rows, 2000, 10_000)
			got, err := v.adapter().PerpFills(t.Context(), account)
			if err != nil || v.dropped != 0 {
				t.Fatal(err, v.dropped)
			}
			if len(v.bodies) != test.pages {
				t.Errorf("%d questions, want %d", len(v.bodies), test.pages)
			}
			if len(got.Fills) != test.fills-test.first || got.Truncated != test.truncated {
				t.Fatalf("%d fills, truncated %v", len(got.Fills), got.Truncated)
			}
			for i, f := range got.Fills {
				if f.Before != float64(test.first+i) {
					t.Fatalf("fill %d begins with %g", i, f.Before)
				}
			}
			if test.truncated && got.Since.UnixMilli() != rows[test.first].at || !test.truncated && !got.Since.IsZero() {
				t.Errorf("since %v", got.Since)
			}
		})
	}
}

func TestOldFillsAreToldApartByAllTheyHave(t *testing.T) {
	rows := busy(2100, 5)
	for i := range rows {
		rows[i].text = with(t, rows[i].text, "tid", "", "feeToken", "", "twapId", "")
	}
	got, err := keeper(rows, 2000, 10_000).adapter().PerpFills(t.Context(), account)
	if err != nil || len(got.Fills) != 2100 {
		t.Fatal(err, len(got.Fills))
	}
	// Both sides of a trade with oneself have one number.
	sides := list(with(t, opening, "side", `"A"`), opening, opening)
	if got, err := always(sides).adapter().PerpFills(t.Context(), account); err != nil || len(got.Fills) != 2 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestTenThousandFillsOfWhateverKindAreAllThatCanBeHad(t *testing.T) {
	rows := make([]dated[fill], 10_000)
	for i := range rows {
		rows[i] = dated[fill]{fill{Coin: "SOL", Price: "150", Size: "1", Side: "B", Before: "0", ClosedPnL: "0", Fee: "0"}, time.UnixMilli(noon(i))}
	}
	rows[0].row.Coin = "@4"
	got, dropped := readFills(rows, account)
	if !got.Truncated || got.Since.UnixMilli() != noon(0) || got.FirstOther.UnixMilli() != noon(0) || len(got.Fills) != 9999 || dropped != 0 {
		t.Errorf("%d and others since %v, truncated %v since %v, %d dropped", len(got.Fills), got.FirstOther, got.Truncated, got.Since, dropped)
	}
	if got, _ := readFills(rows[1:], account); got.Truncated || !got.Since.IsZero() {
		t.Errorf("truncated %v since %v", got.Truncated, got.Since)
	}
}

func TestPagesThatLeadNowhereEnd(t *testing.T) {
	// The same full page whatever is asked: nothing new comes.
	page := make([]string, 2000)
	for i, row := range busy(2000, 2) {
		page[i] = row.text
	}
	v := always(list(page...))
	if got, err := v.adapter().PerpFills(t.Context(), account); err != nil || len(got.Fills) != 2000 || len(v.bodies) != 2 {
		t.Errorf("%d questions, %v", len(v.bodies), err)
	}
	// A full page with the newest first leaves out what is older, which no other question gets at.
	for i, j := 0, len(page)-1; i < j; i, j = i+1, j-1 {
		page[i], page[j] = page[j], page[i]
	}
	if got, err := always(list(page...)).adapter().PerpFills(t.Context(), account); err == nil {
		t.Errorf("%d fills", len(got.Fills))
	}
	if got, err := always(list(page[:1999]...)).adapter().PerpFills(t.Context(), account); err != nil || got.Fills[0].Before != 1 || got.Fills[1].Before != 2 {
		t.Errorf("%v", err)
	}
	// New fills without an end: the latest are out of reach, and older ones are not taken for them.
	v = &venue{}
	v.answer = func(q asked) (int, string) {
		at := max(q.StartTime, noon(0))
		later := func(after int64) string {
			return with(t, opening, "time", fmt.Sprint(at+after), "tid", fmt.Sprint(at+after))
		}
		return 200, "[" + strings.Repeat("null,", 1998) + later(0) + "," + later(1) + "]"
	}
	if got, err := v.adapter().PerpFills(t.Context(), account); err == nil || len(v.bodies) != fillPages {
		t.Errorf("%d fills after %d questions", len(got.Fills), len(v.bodies))
	}
}
