package hyperliquid

import (
	"math"
	"testing"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

const (
	solana = `{"szDecimals":2,"name":"SOL","maxLeverage":20,"marginTableId":54}`
	traded = `{"funding":"-0.0000125","openInterest":"1000.5","prevDayPx":"149","dayNtlVlm":"2000000.5","premium":null,"oraclePx":"151.0","markPx":"150.0","midPx":null,"impactPxs":null}`
	tables = `[[50,{"description":"","marginTiers":[{"lowerBound":"0.0","maxLeverage":50}]}],
		[54,{"description":"two","marginTiers":[{"lowerBound":"0.0","maxLeverage":20},{"lowerBound":"70000000.0","maxLeverage":10}]}]]`
)

// exchange is the answer for contracts with what is traded of each.
func exchange(contracts, trades string) string {
	return `[{"universe":` + contracts + `,"marginTables":` + tables + `,"collateralToken":0},` + trades + `]`
}

func TestMarkets(t *testing.T) {
	nan := math.NaN()
	deep := []market.MarginTier{{MaximumLeverage: 20}, {FromUSD: 70e6, MaximumLeverage: 10}}
	flat := func(most float64) []market.MarginTier { return []market.MarginTier{{MaximumLeverage: most}} }
	for name, test := range map[string]struct {
		contract, trade []string
		want            func(*market.PerpMarket)
	}{
		"tiered":                    {nil, nil, func(*market.PerpMarket) {}},
		"one tier by number":        {[]string{"marginTableId", "3", "maxLeverage", "3"}, nil, func(m *market.PerpMarket) { m.Tiers = flat(3) }},
		"number before the maximum": {[]string{"marginTableId", "5", "maxLeverage", "10"}, nil, func(m *market.PerpMarket) { m.Tiers = flat(5) }},
		"table of one tier":         {[]string{"marginTableId", "50", "maxLeverage", "50"}, nil, func(m *market.PerpMarket) { m.Tiers = flat(50) }},
		"table that is not there":   {[]string{"marginTableId", "99"}, nil, func(m *market.PerpMarket) { m.Tiers = flat(20) }},
		"no table":                  {[]string{"marginTableId", ""}, nil, func(m *market.PerpMarket) { m.Tiers = flat(20) }},
		"table zero":                {[]string{"marginTableId", "0"}, nil, func(m *market.PerpMarket) { m.Tiers = flat(20) }},
		"delisted":                  {[]string{"isDelisted", "true"}, nil, func(m *market.PerpMarket) { m.Delisted = true }},
		"listed":                    {[]string{"isDelisted", "null", "onlyIsolated", "null"}, nil, func(*market.PerpMarket) {}},
		"isolated":                  {[]string{"onlyIsolated", "true"}, nil, func(m *market.PerpMarket) { m.OnlyIsolated = true }},
		"isolated by mode":          {[]string{"marginMode", `"strictIsolated"`}, nil, func(m *market.PerpMarket) { m.OnlyIsolated = true }},
		"never shared":              {[]string{"marginMode", `"noCross"`}, nil, func(m *market.PerpMarket) { m.OnlyIsolated = true }},
		"builder's":                 {[]string{"name", `"xyz:CL"`}, nil, func(m *market.PerpMarket) { m.Coin = "xyz:CL" }},
		"no mark":                   {nil, []string{"markPx", "null"}, func(m *market.PerpMarket) { m.MarkPrice, m.OpenInterestUSD = nan, 1000.5*151 }},
		"no price": {nil, []string{"markPx", `"0"`, "oraclePx", ""}, func(m *market.PerpMarket) {
			m.MarkPrice, m.OraclePrice, m.OpenInterestUSD = nan, nan, nan
		}},
		"absurd numbers": {nil, []string{"funding", `"2"`, "openInterest", `"1e14"`, "dayNtlVlm", `"-1"`}, func(m *market.PerpMarket) {
			m.FundingHourly, m.OpenInterestUSD, m.VolumeUSD24h = nan, nan, nan
		}},
	} {
		want := market.PerpMarket{
			Coin: "SOL", MarkPrice: 150, OraclePrice: 151, FundingHourly: -0.0000125, OpenInterestUSD: 150075, VolumeUSD24h: 2000000.5, Tiers: deep,
		}
		test.want(&want)
		v := always(exchange(list(with(t, solana, test.contract...)), list(with(t, traded, test.trade...))))
		got, err := v.adapter().PerpMarkets(t.Context(), "")
		if err != nil || v.dropped != 0 || len(got) != 1 || !equal(got[0], want) {
			t.Errorf("%s: %+v, %v, %d dropped", name, got, err, v.dropped)
		}
	}
}

func TestHostileContractsAreDroppedAndTheOthersKeepTheirPlaces(t *testing.T) {
	other := func(name string) string { return with(t, solana, "name", `"`+name+`"`) }
	v := always(exchange(
		list(`null`, other("A"), `7`, with(t, solana, "name", ""), with(t, solana, "maxLeverage", `"none"`), other("B"), other("A"), other("C"), other("D")),
		list(`{"markPx":"1"}`, `{"markPx":"2"}`, `{"markPx":"3"}`, `{"markPx":"4"}`, `{"markPx":"5"}`, `{"markPx":"6"}`, `{"markPx":"7"}`, `"gone"`, `{"markPx":"9"}`)))
	got, err := v.adapter().PerpMarkets(t.Context(), "")
	if err != nil || v.dropped != 5 || len(got) != 4 {
		t.Fatalf("%+v, %v, %d dropped", got, err, v.dropped)
	}
	for i, want := range []struct {
		coin string
		mark float64
	}{{"A", 2}, {"B", 6}, {"C", math.NaN()}, {"D", 9}} {
		if got[i].Coin != want.coin || !equal(got[i].MarkPrice, want.mark) {
			t.Errorf("%d: %+v", i, got[i])
		}
	}
}

func TestTablesThatCannotBeAreNotUsed(t *testing.T) {
	for _, table := range []string{
		`[60]`, `7`, `[60,7]`, `["sixty",{"marginTiers":[{"lowerBound":"0","maxLeverage":9}]}]`, `[60,{"marginTiers":[]}]`, `[60,{}]`,
		`[60,{"marginTiers":[{"lowerBound":"5","maxLeverage":9}]}]`,
		`[60,{"marginTiers":[{"lowerBound":"0","maxLeverage":0}]}]`,
		`[60,{"marginTiers":[{"lowerBound":"0","maxLeverage":9},{"lowerBound":"0","maxLeverage":8}]}]`,
		`[60,{"marginTiers":[{"lowerBound":"0","maxLeverage":9},{"lowerBound":"9","maxLeverage":8},{"lowerBound":"8","maxLeverage":7}]}]`,
		`[60,{"marginTiers":[{"lowerBound":"0","maxLeverage":9},{"lowerBound":"9","maxLeverage":10}]}]`,
	} {
		body := `[{"universe":[` + with(t, solana, "marginTableId", "60") + `],"marginTables":[` + table + `]},[` + traded + `]]`
		got, err := always(body).adapter().PerpMarkets(t.Context(), "")
		if err != nil || len(got) != 1 || !equal(got[0].Tiers, []market.MarginTier{{MaximumLeverage: 20}}) {
			t.Errorf("%s: %+v, %v", table, got, err)
		}
	}
}

func TestUnreadableMarkets(t *testing.T) {
	for _, body := range []string{
		`{}`, `[]`, `[{"universe":[]}]`, `[{},[]]`, `[[],[]]`, `[{"universe":[]},{}]`, exchange(list(solana), `[]`), exchange(`[]`, list(traded)),
		exchange(`[7]`, list(traded)),
	} {
		for _, name := range []string{"", "xyz"} {
			if got, err := always(body).adapter().PerpMarkets(t.Context(), name); err == nil {
				t.Errorf("%s: %+v", body, got)
			}
		}
	}
}

func TestAnExchangeThatDoesNotExistHasNoMarkets(t *testing.T) {
	for _, answer := range []struct {
		status int
		body   string
	}{{200, "null"}, {200, exchange(`[]`, `[]`)}, {422, "Failed to deserialize the JSON body"}, {404, ""}} {
		v := &venue{answer: func(asked) (int, string) { return answer.status, answer.body }}
		if got, err := v.adapter().PerpMarkets(t.Context(), "nowhere"); err != nil || len(got) != 0 {
			t.Errorf("%+v: %+v, %v", answer, got, err)
		}
		// The main one exists.
		if got, err := v.adapter().PerpMarkets(t.Context(), ""); err == nil && answer.body[0] != '[' {
			t.Errorf("%+v: %+v", answer, got)
		}
	}
}
