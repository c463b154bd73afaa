package polymarket

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// marketRow is an open one of two outcomes, that ends tomorrow.
func marketRow(n int, members ...string) string {
	return changed(object("conditionId", quoted(writeHash(condition(n))), "slug", `"a-market"`, "endDate", `"2026-11-21T12:00:00Z"`, "closed", "false",
		"outcomes", `"[\"Yes\", \"No\"]"`, "outcomePrices", `"[\"0.305\", \"0.695\"]"`, "clobTokenIds", fmt.Sprintf(`"[\"%s\", \"%s\"]"`, asset(n), asset(n+1000)),
		"negRisk", "true", "orderPriceMinTickSize", "0.001", "spread", "0.02", "bestBid", "0.3", "bestAsk", "0.31", "liquidity", `"17.5"`, "liquidityNum", "17.25",
		"feesEnabled", "true", "feeType", `"sports_fees_v2"`, "feeSchedule", `{"exponent":1,"rate":0.03,"rebateRate":0.25,"takerOnly":true}`,
		"events", `[{"id":"7","slug":"an-event","title":"An event"}]`), members...)
}

// ended is marketRow closed yesterday at these prices.
func ended(n int, prices string, members ...string) string {
	return marketRow(n, append([]string{"closed", "true", "closedTime", `"2026-11-19 12:00:00+00"`, "outcomePrices", quoted(prices)}, members...)...)
}

func bookRow(n int, members ...string) string {
	token := func(n int, price string, winner bool) string {
		return object("token_id", quoted(asset(n)), "outcome", `"x"`, "price", price, "winner", fmt.Sprint(winner))
	}
	return changed(object("condition_id", quoted(writeHash(condition(n))), "market_slug", `"a-market"`, "end_date_iso", `"2026-11-19T00:00:00Z"`, "closed", "true",
		"neg_risk", "false", "is_50_50_outcome", "false", "minimum_tick_size", "0.01", "tags", `["All","Crypto"]`,
		"tokens", array(token(n+1000, "1", true), token(n, "0", false))), members...)
}

// catalogued answers the catalogue's open and closed lists, and the order book service's single markets by their numbers.
func catalogued(open, closed string, books map[int]string) func(string, url.Values) (int, string) {
	return func(path string, query url.Values) (int, string) {
		if hash, single := strings.CutPrefix(path, marketsPath+"/"); single {
			for n, body := range books {
				if hash == writeHash(condition(n)) {
					return 200, body
				}
			}
			return 404, `{"error":"market not found"}`
		}
		if query.Get("closed") == "true" {
			return 200, closed
		}
		return 200, open
	}
}

func marketsOf(t *testing.T, answer func(string, url.Values) (int, string), numbers ...int) (map[market.Hash]market.PredictionMarket, *service) {
	t.Helper()
	a, s := adapter(answer)
	var wanted []market.Hash
	for _, n := range numbers {
		wanted = append(wanted, condition(n))
	}
	got, err := a.PredictionMarkets(t.Context(), wanted)
	if err != nil {
		t.Fatal(err)
	}
	return got, s
}

// same compares markets, with numbers that are unknown equal to each other.
func same(a, b market.PredictionMarket) bool { return fmt.Sprintf("%+v", a) == fmt.Sprintf("%+v", b) }

func TestAMarketSaysAllThatItsRowSays(t *testing.T) {
	got, s := marketsOf(t, catalogued(array(marketRow(1)), array(ended(2, `["0", "1"]`)), nil), 2, 1, 2)
	open := market.PredictionMarket{
		Market: condition(1), Event: "an-event", Category: "sports", Exclusive: true, FeeRate: 0.03, TickSize: 0.001, Spread: 0.01, LiquidityUSD: 17.25,
		EndsAt:   time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC),
		Outcomes: []market.PredictionOutcome{{Asset: asset(1), Price: 0.305, Payout: math.NaN()}, {Asset: asset(1001), Price: 0.695, Payout: math.NaN()}},
	}
	closed := open
	closed.Market, closed.Decided, closed.ClosedAt = condition(2), true, ago(day)
	closed.Outcomes = []market.PredictionOutcome{{Asset: asset(2), Price: 0, Payout: 0}, {Asset: asset(1002), Price: 1, Payout: 1}}
	if len(got) != 2 || !same(got[condition(1)], open) || !same(got[condition(2)], closed) {
		t.Fatalf("got  %+v\nwant %+v\nand  %+v", got, open, closed)
	}
	if len(s.asked) != 2 {
		t.Fatalf("%d calls", len(s.asked))
	}
	for _, asked := range s.asked {
		query := asked.Query()
		if len(query) != 4 || !slices.Equal(query["condition_ids"], []string{writeHash(condition(1)), writeHash(condition(2))}) || query.Get("limit") != "80" || query.Get("include_tag") != "true" {
			t.Error(asked)
		}
	}
}

func TestManyMarketsAreAskedForInCallsOfBoundedLength(t *testing.T) {
	var numbers []int
	for n := range 200 {
		numbers = append(numbers, n)
	}
	answer := func(path string, query url.Values) (int, string) {
		if path != marketsPath {
			return 404, "{}"
		}
		var rows []string
		for n := range 200 {
			if query.Get("closed") == "true" && slices.Contains(query["condition_ids"], writeHash(condition(n))) {
				rows = append(rows, ended(n, `["1","0"]`))
			}
		}
		return 200, array(rows...)
	}
	got, s := marketsOf(t, answer, numbers...)
	if len(got) != 200 || len(s.asked) != 6 || len(s.dropped) != 0 {
		t.Error(len(got), len(s.asked), s.dropped)
	}
	for _, asked := range s.asked {
		if length := len(asked.String()); length > 7000 {
			t.Errorf("%d characters", length)
		}
	}
}

func TestHowMarketsEnd(t *testing.T) {
	for name, test := range map[string]struct {
		row  string
		paid []float64 // nil for undecided
	}{
		"yes":                                 {ended(1, `["1", "0"]`), []float64{1, 0}},
		"as numbers, in a list":               {ended(1, "", "outcomePrices", "[0, 1]"), []float64{0, 1}},
		"called off":                          {ended(1, `["0.5", "0.5"]`), []float64{0.5, 0.5}},
		"resolved, so it says":                {ended(1, `["1", "0"]`, "umaResolutionStatus", `"resolved"`), []float64{1, 0}},
		"a pool that came close":              {ended(1, `["0.0000004113679809846114013590098187297978", "0.9999995886320190153885986409901812702022"]`), []float64{0, 1}},
		"of four outcomes":                    {ended(1, `["0","0","1","0"]`, "clobTokenIds", `"[\"1\",\"2\",\"3\",\"4\"]"`), []float64{0, 0, 1, 0}},
		"without tokens":                      {ended(1, `["0","1"]`, "clobTokenIds", "null"), []float64{0, 1}},
		"still open at one":                   {marketRow(1, "outcomePrices", `"[\"1\",\"0\"]"`), nil},
		"open or not is unknown":              {ended(1, `["1","0"]`, "closed", "null"), nil},
		"nobody was paid":                     {ended(1, `["0", "0"]`), nil},
		"everybody won":                       {ended(1, `["1", "1"]`), nil},
		"a scale":                             {ended(1, `["0.5843311669077693146635344445446077281", "0.4156688330922306853364554553922719"]`), nil},
		"a book's last price":                 {ended(1, `["0.9995", "0.0005"]`), nil},
		"the finest book's last price":        {ended(1, `["0.99995", "0.00005"]`), nil},
		"proposed":                            {ended(1, `["1", "0"]`, "umaResolutionStatus", `"proposed"`), nil},
		"disputed":                            {ended(1, `["0.5", "0.5"]`, "umaResolutionStatus", `"disputed"`), nil},
		"more prices than tokens":             {ended(1, `["1", "0", "0"]`), nil},
		"a price that is none":                {ended(1, `["1", "x"]`), nil},
		"one outcome":                         {ended(1, `["1"]`, "clobTokenIds", `"[\"5\"]"`), nil},
		"no prices":                           {ended(1, `[]`), nil},
		"prices that are no list":             {ended(1, `{"yes":1}`), nil},
		"prices that are no text and no list": {ended(1, "", "outcomePrices", "7"), nil},
	} {
		closed, open := array(test.row), "[]"
		if strings.Contains(name, "open") {
			closed, open = open, closed
		}
		got, s := marketsOf(t, catalogued(open, closed, nil), 1)
		read, found := got[condition(1)]
		if !found || len(s.dropped) != 0 || read.Decided != (test.paid != nil) {
			t.Errorf("%s: %+v, %v", name, read, s.dropped)
			continue
		}
		for i, outcome := range read.Outcomes {
			if test.paid == nil && !math.IsNaN(outcome.Payout) || test.paid != nil && outcome.Payout != test.paid[i] {
				t.Errorf("%s: %+v", name, read.Outcomes)
			}
		}
	}
}

// Payouts of one share of every outcome make a dollar, and no price moves them by more than the tolerance.
func TestPayoutsMakeADollar(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		prices := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom([]float64{0, 1, 0.5, 1.0 / 3, 0.999999, 1e-6, math.NaN()}), rapid.Float64Range(0, 1)), 0, 5).Draw(r, "prices")
		paid, final := payouts(prices)
		if !final {
			return
		}
		sum := 0.0
		for i, share := range paid {
			sum += share
			if !(math.Abs(share-prices[i]) <= 1e-5) {
				r.Fatal(prices, paid)
			}
		}
		if math.Abs(sum-1) > 1e-12 || len(paid) != len(prices) {
			r.Fatal(prices, paid)
		}
	})
}

func TestWhatIsToldOfAMarketBesides(t *testing.T) {
	for name, test := range map[string]struct {
		members []string
		fits    func(m market.PredictionMarket) bool
	}{
		"no fees":                  {[]string{"feeSchedule", "null", "feesEnabled", "false"}, func(m market.PredictionMarket) bool { return m.FeeRate == 0 }},
		"fees of an unknown rate":  {[]string{"feeSchedule", "null"}, func(m market.PredictionMarket) bool { return math.IsNaN(m.FeeRate) }},
		"fees of no shape":         {[]string{"feeSchedule", "[0.1]"}, func(m market.PredictionMarket) bool { return math.IsNaN(m.FeeRate) }},
		"nothing said of fees":     {[]string{"feeSchedule", "null", "feesEnabled", "null"}, func(m market.PredictionMarket) bool { return math.IsNaN(m.FeeRate) }},
		"fees above all":           {[]string{"feeSchedule", `{"rate":1.5,"exponent":1}`}, func(m market.PredictionMarket) bool { return math.IsNaN(m.FeeRate) }},
		"fees by the square":       {[]string{"feeSchedule", `{"rate":0.24,"exponent":2}`}, func(m market.PredictionMarket) bool { return math.Abs(m.FeeRate-0.06) < 1e-15 }},
		"no best prices":           {[]string{"bestBid", "null"}, func(m market.PredictionMarket) bool { return m.Spread == 0.02 }},
		"crossed best prices":      {[]string{"bestBid", "0.5"}, func(m market.PredictionMarket) bool { return m.Spread == 0.02 }},
		"no spread":                {[]string{"bestBid", "null", "spread", "-1"}, func(m market.PredictionMarket) bool { return math.IsNaN(m.Spread) }},
		"an impossible tick":       {[]string{"orderPriceMinTickSize", "0"}, func(m market.PredictionMarket) bool { return math.IsNaN(m.TickSize) }},
		"liquidity as a text":      {[]string{"liquidityNum", "null"}, func(m market.PredictionMarket) bool { return m.LiquidityUSD == 17.5 }},
		"no liquidity":             {[]string{"liquidityNum", "null", "liquidity", "null"}, func(m market.PredictionMarket) bool { return math.IsNaN(m.LiquidityUSD) }},
		"a category":               {[]string{"category", `"US-current-affairs"`}, func(m market.PredictionMarket) bool { return m.Category == "us-current-affairs" }},
		"a category of the event":  {[]string{"events", `[{"slug":"x","category":"Tech"}]`}, func(m market.PredictionMarket) bool { return m.Category == "tech" && m.Event == "x" }},
		"tags":                     {[]string{"tags", `[{"label":"Fed"},{"label":"Politics"},{"label":"Economy"}]`}, func(m market.PredictionMarket) bool { return m.Category == "economy" }},
		"tags of the event":        {[]string{"events", `[{"slug":"x","tags":[{"label":"NBA"},{"label":"Crypto"}]}]`}, func(m market.PredictionMarket) bool { return m.Category == "crypto" }},
		"tags that say little":     {[]string{"tags", `[{"label":"All"}]`}, func(m market.PredictionMarket) bool { return m.Category == "sports" }},
		"tags alone":               {[]string{"tags", `["", "Moon"]`, "feeType", "null"}, func(m market.PredictionMarket) bool { return m.Category == "moon" }},
		"nothing of a category":    {[]string{"feeType", "null", "tags", "7"}, func(m market.PredictionMarket) bool { return m.Category == "" }},
		"no event":                 {[]string{"events", "null"}, func(m market.PredictionMarket) bool { return m.Event == "" }},
		"events of no shape":       {[]string{"events", `{"slug":"x"}`}, func(m market.PredictionMarket) bool { return m.Event == "" }},
		"a day as its end":         {[]string{"endDate", "null", "endDateIso", `"2026-12-24"`}, func(m market.PredictionMarket) bool { return m.EndsAt.Day() == 24 }},
		"no end":                   {[]string{"endDate", `"0001-01-01T00:00:00Z"`}, func(m market.PredictionMarket) bool { return m.EndsAt.IsZero() }},
		"exclusiveness is unknown": {[]string{"negRisk", "null"}, func(m market.PredictionMarket) bool { return !m.Exclusive }},
		"prices of another length": {[]string{"outcomePrices", `"[\"0.5\"]"`}, func(m market.PredictionMarket) bool { return len(m.Outcomes) == 2 && math.IsNaN(m.Outcomes[0].Price) }},
	} {
		got, s := marketsOf(t, catalogued(array(marketRow(1, test.members...)), "[]", nil), 1)
		if read, found := got[condition(1)]; !found || !test.fits(read) || len(s.dropped) != 0 {
			t.Errorf("%s: %+v, %v", name, read, s.dropped)
		}
	}
}

func TestWhenMarketsClosed(t *testing.T) {
	for want, members := range map[time.Time][]string{
		ago(day):         nil,
		ago(2 * day):     {"closedTime", `"2026-11-18T12:00:00Z"`},
		ago(3 * day):     {"closedTime", "null", "umaEndDate", `"2026-11-17T12:00:00Z"`},
		ago(4 * day):     {"closedTime", `"2027-01-01 00:00:00+00"`, "umaEndDate", `"2026-11-16 12:00:00+00"`},
		{}:               {"closedTime", `"yesterday"`},
		ago(5 * day / 2): {"closedTime", `"2026-11-18 02:00:00+02"`},
	} {
		got, _ := marketsOf(t, catalogued("[]", array(ended(1, `["1","0"]`, members...)), nil), 1)
		if closed := got[condition(1)].ClosedAt; !closed.Equal(want) {
			t.Errorf("%v: closed %v, want %v", members, closed, want)
		}
	}
}

func TestMarketsThatCannotBeToldApartAreDropped(t *testing.T) {
	bad := []string{
		marketRow(1, "conditionId", `"0x1"`), marketRow(1, "clobTokenIds", `"[\"5\", \"5\"]"`), marketRow(1, "clobTokenIds", `"[\"0x5\", \"6\"]"`),
		marketRow(7), marketRow(1, "outcomePrices", quoted("["+strings.Repeat("0,", 300)+"0]")), "7",
	}
	got, s := marketsOf(t, catalogued(array(append(bad, marketRow(2))...), "[]", nil), 1, 2)
	if len(got) != 1 || s.dropped[marketsPath] != len(bad) || len(got[condition(2)].Outcomes) != 2 {
		t.Error(got, s.dropped)
	}
}

func TestTheOrderBookServiceSettlesDoubts(t *testing.T) {
	overdue := []string{"endDate", `"2026-11-20T11:00:00Z"`}
	books := map[int]string{
		1: bookRow(1), 2: bookRow(2), 3: bookRow(3), 4: bookRow(4, "closed", "false"), 5: bookRow(5, "is_50_50_outcome", "true", "tokens", `[{"token_id":"51"},{"token_id":"52"}]`),
		6: bookRow(6), 8: bookRow(8, "tokens", `[{"token_id":"81"},{"token_id":"82"}]`), 9: bookRow(9, "tokens", `[{"token_id":"91","winner":true},{"token_id":"92"}]`), 10: bookRow(10),
	}
	got, s := marketsOf(t, catalogued(array(marketRow(2, overdue...), marketRow(4, overdue...), marketRow(6), marketRow(9, overdue...)),
		array(ended(1, `["0","0"]`), ended(8, `["0","0"]`), ended(10, `["0","0"]`, "clobTokenIds", "null")), books), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
	settledAt := func(n int) bool {
		m := got[condition(n)]
		return m.Decided && len(m.Outcomes) == 2 && m.Outcomes[0].Asset == asset(n) && m.Outcomes[0].Payout == 0 && m.Outcomes[1].Payout == 1
	}
	if !settledAt(1) || got[condition(1)].Event != "an-event" {
		t.Error("closed without an end:", got[condition(1)])
	}
	if !settledAt(2) {
		t.Error("overdue:", got[condition(2)])
	}
	if m := got[condition(3)]; !m.Decided || m.Outcomes[0].Payout != 1 || m.Outcomes[0].Asset != asset(1003) || m.Event != "" || m.Category != "crypto" || m.TickSize != 0.01 || !math.IsNaN(m.FeeRate) {
		t.Error("not in the catalogue:", m)
	}
	if m := got[condition(4)]; m.Decided || !math.IsNaN(m.Outcomes[0].Payout) || m.Event != "an-event" {
		t.Error("overdue and still open:", m)
	}
	if m := got[condition(5)]; !m.Decided || m.Outcomes[0].Payout != 0.5 || m.Outcomes[1].Payout != 0.5 {
		t.Error("halved:", m)
	}
	if m := got[condition(6)]; m.Decided {
		t.Error("not in doubt:", m)
	}
	if _, found := got[condition(7)]; found {
		t.Error("known to nobody")
	}
	if m := got[condition(8)]; m.Decided {
		t.Error("without a winner:", m)
	}
	if m := got[condition(9)]; m.Decided || !math.IsNaN(m.Outcomes[0].Payout) {
		t.Error("tokens of another market:", m)
	}
	if m := got[condition(10)]; !m.Decided || m.Outcomes[0].Asset != asset(1010) || m.Outcomes[0].Payout != 1 {
		t.Error("without tokens in the catalogue:", m)
	}
	if calls := s.calls(marketsPath + "/"); calls != 9 {
		t.Errorf("%d second opinions", calls)
	}
}

func TestSecondOpinionsAreBoundedAndNotNeeded(t *testing.T) {
	var numbers []int
	for n := range 60 {
		numbers = append(numbers, n)
	}
	closed := array(ended(59, `["0","0"]`))
	got, s := marketsOf(t, catalogued("[]", closed, map[int]string{59: bookRow(59)}), numbers...)
	if calls := s.calls(marketsPath + "/"); calls != maximumOpinions || !got[condition(59)].Decided {
		t.Errorf("%d second opinions, %v", calls, got)
	}
	for _, body := range []string{"{}", `[]`, bookRow(3), bookRow(59, "tokens", `[{"token_id":"x"},{"token_id":"y"}]`), bookRow(59, "tokens", `[{"token_id":"5"},7]`), bookRow(59, "tokens", `[{"token_id":"5","winner":true}]`),
		bookRow(59, "tokens", array(object("token_id", quoted(asset(59)), "winner", "true"), object("token_id", quoted(asset(1059)), "winner", "true")))} {
		got, _ := marketsOf(t, catalogued("[]", closed, map[int]string{59: body}), 59)
		if m, found := got[condition(59)]; !found || m.Decided || m.Event != "an-event" {
			t.Error(body, m)
		}
	}
}

func TestCataloguesThatSayNothingAreFailures(t *testing.T) {
	for _, body := range []string{`{}`, `{"type":"validation error","error":"no"}`, `[{}]`, `[7]`, `"x"`} {
		a, _ := adapter(always(map[string]string{marketsPath: body}))
		if got, err := a.PredictionMarkets(t.Context(), []market.Hash{condition(1)}); !errors.Is(err, market.ErrUnavailable) {
			t.Error(body, got, err)
		}
	}
	a, s := adapter(nil)
	if got, err := a.PredictionMarkets(t.Context(), nil); err != nil || len(got) != 0 || len(s.asked) != 0 {
		t.Error(got, err)
	}
}
