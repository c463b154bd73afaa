package hyperliquid

import (
	"math"
	"reflect"
	"testing"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

const (
	nothingAtAll = `{"marginSummary":{"accountValue":"0.0"},"crossMarginSummary":{"accountValue":"0.0"},"crossMaintenanceMarginUsed":"0.0",
		"withdrawable":"0.0","assetPositions":[],"time":1772452800000}`
	short = `{"coin":"ETH","szi":"-1.5","leverage":{"type":"cross","value":20},"entryPx":"2000.0","positionValue":"3150.0","unrealizedPnl":"-150.0",
		"returnOnEquity":"-1.0","liquidationPx":"2310.5","marginUsed":"157.5","maxLeverage":25,"cumFunding":{"allTime":"-9","sinceOpen":"-2.5","sinceChange":"0"}}`
	bare = `{"coin":"xyz:CL","szi":"10","leverage":{"type":"isolated","value":3,"rawUsd":"-400"},"entryPx":null,"positionValue":"600","unrealizedPnl":"0.0",
		"liquidationPx":null,"marginUsed":"200"}`
)

// holding is the answer for an account with positions.
func holding(t testing.TB, positions ...string) string {
	t.Helper()
	for i := range positions {
		positions[i] = `{"type":"oneWay","position":` + positions[i] + `}`
	}
	return with(t, nothingAtAll, "marginSummary", `{"accountValue":"-20.5"}`, "crossMarginSummary", `{"accountValue":"900"}`,
		"crossMaintenanceMarginUsed", `"63"`, "assetPositions", list(positions...))
}

// accounts answers for an account's margin on any exchange and its balances.
func accounts(main, builder, spot string) *venue {
	return &venue{answer: func(q asked) (int, string) {
		switch {
		case q.Type == "spotClearinghouseState":
			return 200, spot
		case q.Dex != "":
			return 200, builder
		}
		return 200, main
	}}
}

// equal compares with NaN equal to itself.
func equal(a, b any) bool {
	return reflect.DeepEqual(withoutNaN(reflect.ValueOf(a)), withoutNaN(reflect.ValueOf(b)))
}

func withoutNaN(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Float64:
		if math.IsNaN(v.Float()) {
			return "unknown"
		}
	case reflect.Slice:
		all := make([]any, v.Len())
		for i := range all {
			all[i] = withoutNaN(v.Index(i))
		}
		return all
	case reflect.Struct:
		if v.NumField() > 0 && v.Type().Field(0).IsExported() {
			all := make([]any, v.NumField())
			for i := range all {
				all[i] = withoutNaN(v.Field(i))
			}
			return all
		}
	}
	return v.Interface()
}

func TestAccounts(t *testing.T) {
	nan := math.NaN()
	spot := `{"balances":[{"coin":"USDC","token":0,"total":"14.5","hold":"0"},{"coin":"USDC","token":77,"total":"1e6"},{"coin":"HYPE","token":150,"total":"3"},{"coin":"USDH","token":360,"total":"5.5"}]}`
	v := accounts(holding(t, short, with(t, short, "coin", `"OLD"`, "szi", `"0.0"`)), holding(t, bare), spot)
	got, err := v.adapter().PerpAccount(t.Context(), account, []string{"xyz", "xyz", ""})
	want := market.PerpAccount{SpotDollars: 20, Clearinghouses: []market.PerpClearinghouse{
		{ValueUSD: -20.5, CrossMaintenanceUSD: 63, CrossValueUSD: 900, Positions: []market.PerpPosition{{
			Coin: "ETH", Size: -1.5, EntryPrice: 2000, ValueUSD: 3150, UnrealizedUSD: -150, ReturnOnEquity: -1, LiquidationPrice: 2310.5,
			MarginUsedUSD: 157.5, Leverage: 20, MaximumLeverage: 25, FundingUSD: -2.5,
		}}},
		{Exchange: "xyz", ValueUSD: -20.5, CrossMaintenanceUSD: 63, CrossValueUSD: 900, Positions: []market.PerpPosition{{
			Coin: "xyz:CL", Size: 10, EntryPrice: nan, ValueUSD: 600, ReturnOnEquity: nan, LiquidationPrice: nan, MarginUsedUSD: 200,
			Leverage: 3, MaximumLeverage: nan, Isolated: true, FundingUSD: nan,
		}}},
	}}
	if err != nil || v.dropped != 0 || !equal(*got, want) {
		t.Errorf("%+v, %v, %d dropped", got, err, v.dropped)
	}
}

func TestAnUnknownAccountHasNothing(t *testing.T) {
	got, err := accounts(nothingAtAll, nothingAtAll, `{"balances":[]}`).adapter().PerpAccount(t.Context(), other, []string{"xyz"})
	want := &market.PerpAccount{Clearinghouses: []market.PerpClearinghouse{{}, {Exchange: "xyz"}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestAccountsOfOlderAnswers(t *testing.T) {
	old := with(t, holding(t, with(t, short, "maxLeverage", "", "cumFunding", "")), "crossMaintenanceMarginUsed", "")
	got, err := accounts(old, "", `{"balances":[]}`).adapter().PerpAccount(t.Context(), account, nil)
	if err != nil {
		t.Fatal(err)
	}
	house := got.Clearinghouses[0]
	if !math.IsNaN(house.CrossMaintenanceUSD) || !math.IsNaN(house.Positions[0].MaximumLeverage) || !math.IsNaN(house.Positions[0].FundingUSD) {
		t.Errorf("%+v", house)
	}
	// Without a sum of all, the shared margin is all there is, unless a position has its own.
	got, err = accounts(with(t, holding(t, short), "marginSummary", ""), "", `{}`).adapter().PerpAccount(t.Context(), account, nil)
	if err != nil || got.Clearinghouses[0].ValueUSD != 900 {
		t.Errorf("%+v, %v", got, err)
	}
	for _, position := range []string{bare, with(t, short, "szi", `"?"`)} {
		if got, err := accounts(with(t, holding(t, position), "marginSummary", ""), "", `{}`).adapter().PerpAccount(t.Context(), account, nil); err == nil {
			t.Errorf("%+v", got)
		}
	}
}

func TestHostilePositionsAreDropped(t *testing.T) {
	for name, changes := range map[string][]string{
		"no coin": {"coin", ""}, "size": {"szi", `"NaN"`}, "no size": {"szi", "null"}, "size absurd": {"szi", `"1e18"`},
		"no value": {"positionValue", ""}, "value zero": {"positionValue", `"0"`}, "value below": {"positionValue", `"-5"`},
		"value absurd": {"positionValue", `"1e16"`}, "profit": {"unrealizedPnl", `"lots"`}, "margin below": {"marginUsed", `"-1"`},
		"no leverage": {"leverage", `{"type":"cross"}`}, "leverage zero": {"leverage", `{"type":"cross","value":0}`},
		"leverage endless": {"leverage", `{"type":"cross","value":1e9}`}, "kind of margin": {"leverage", `{"type":"portfolio","value":3}`},
		"another shape": {"leverage", `7`},
	} {
		v := accounts(holding(t, with(t, short, changes...), short), "", `{"balances":[]}`)
		got, err := v.adapter().PerpAccount(t.Context(), account, nil)
		if err != nil || v.dropped != 1 || len(got.Clearinghouses[0].Positions) != 1 {
			t.Errorf("%s: %+v, %v, %d dropped", name, got, err, v.dropped)
		}
	}
	// What is beside the point may be wrong: it is unknown then.
	v := accounts(holding(t, with(t, short, "entryPx", `"-1"`, "liquidationPx", `"0.0"`, "returnOnEquity", `"1e99"`, "maxLeverage", `0`)), "", `{"balances":[]}`)
	got, err := v.adapter().PerpAccount(t.Context(), account, nil)
	if err != nil || v.dropped != 0 {
		t.Fatal(err, v.dropped)
	}
	if p := got.Clearinghouses[0].Positions[0]; !math.IsNaN(p.EntryPrice) || !math.IsNaN(p.LiquidationPrice) || !math.IsNaN(p.ReturnOnEquity) || !math.IsNaN(p.MaximumLeverage) {
		t.Errorf("%+v", p)
	}
}

func TestAnAccountWithoutItsValueIsUnavailable(t *testing.T) {
	for _, body := range []string{
		`null`, `{}`, `[]`, with(t, nothingAtAll, "assetPositions", ""), with(t, nothingAtAll, "assetPositions", "{}"),
		with(t, nothingAtAll, "crossMarginSummary", ""), with(t, nothingAtAll, "marginSummary", `{"accountValue":"?"}`),
		with(t, nothingAtAll, "marginSummary", `{}`), with(t, nothingAtAll, "crossMarginSummary", `{"accountValue":"1e16"}`),
		with(t, nothingAtAll, "crossMaintenanceMarginUsed", `"-3"`),
	} {
		if got, err := accounts(body, "", `{}`).adapter().PerpAccount(t.Context(), account, nil); err == nil {
			t.Errorf("%s: %+v", body, got)
		}
		if got, err := accounts(nothingAtAll, body, `{}`).adapter().PerpAccount(t.Context(), account, []string{"xyz"}); err == nil {
			t.Errorf("builder %s: %+v", body, got)
		}
	}
}

func TestSpotDollarsMayFailAlone(t *testing.T) {
	for _, spot := range []string{
		`null`, `[]`, `{}`, `{"balances":null}`, `{"balances":[7,{"coin":"USDC","token":0,"total":"3"}]}`,
		`{"balances":[{"coin":"USDC","token":0,"total":"-3"}]}`, `{"balances":[{"coin":"USDC","token":0}]}`,
	} {
		got, err := accounts(nothingAtAll, "", spot).adapter().PerpAccount(t.Context(), account, nil)
		if err != nil || !math.IsNaN(got.SpotDollars) || len(got.Clearinghouses) != 1 {
			t.Errorf("%s: %+v, %v", spot, got, err)
		}
	}
}
