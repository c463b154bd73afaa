package predictvenue

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// ask is a call that has to be answered, as it reads from outside.
func ask[T any](t testing.TB, door func([]string, url.Values) (int, any), path string, query url.Values) (decoded T) {
	t.Helper()
	status, answer := door(strings.Split(path, "/"), query)
	if status != http.StatusOK {
		t.Fatalf("%s?%s: %d %v", path, query.Encode(), status, answer)
	}
	if err := json.Unmarshal([]byte(encoded(t, answer)), &decoded); err != nil {
		t.Fatal(err)
	}
	return decoded
}

// readActivity reads a wallet's whole history: pages within the offsets that are allowed.
func readActivity(t testing.TB, v *Venue, user string) []activityRow {
	t.Helper()
	var all []activityRow
	for offset := 0; offset <= 5000; offset += 500 {
		rows := ask[[]activityRow](t, v.Data, "activity", url.Values{"user": {user}, "limit": {"500"}, "start": {"1"}, "offset": {strconv.Itoa(offset)}})
		all = append(all, rows...)
		if len(rows) < 500 {
			return all
		}
	}
	t.Fatalf("%s has more history than can be read", user)
	return nil
}

func keys(t testing.TB, answer any) []string {
	t.Helper()
	var decoded any
	if err := json.Unmarshal([]byte(encoded(t, answer)), &decoded); err != nil {
		t.Fatal(err)
	}
	if list, many := decoded.([]any); many {
		if len(list) == 0 {
			t.Fatal("no row to look at")
		}
		decoded = list[0]
	}
	var names []string
	for name := range decoded.(map[string]any) {
		names = append(names, name)
	}
	return names
}

func TestRowsHaveTheKeysOfTheVenue(t *testing.T) {
	v := shared()
	user := wallets(v, "skilled-taker")[0].address
	var open *market
	for _, m := range v.markets {
		if v.isOpen(m.event) && !v.isClosed(m.event) {
			open = m
		}
	}
	q := func(pairs ...string) url.Values {
		values := url.Values{}
		for i := 0; i < len(pairs); i += 2 {
			values.Add(pairs[i], pairs[i+1])
		}
		return values
	}
	const trade = "proxyWallet side asset conditionId size price timestamp title slug icon eventSlug outcome outcomeIndex name pseudonym bio profileImage transactionHash"
	for _, c := range []struct {
		door  func([]string, url.Values) (int, any)
		path  string
		query url.Values
		want  string
	}{
		{v.Data, "positions", q("user", user), "proxyWallet asset conditionId size avgPrice initialValue currentValue cashPnl percentPnl totalBought realizedPnl " +
			"percentRealizedPnl curPrice redeemable mergeable title slug icon eventId eventSlug outcome outcomeIndex oppositeOutcome oppositeAsset endDate negativeRisk"},
		{v.Data, "closed-positions", q("user", user), "proxyWallet asset conditionId avgPrice totalBought realizedPnl curPrice timestamp title slug icon eventSlug outcome " +
			"outcomeIndex oppositeOutcome oppositeAsset endDate"},
		{v.Data, "trades", q("user", user), trade},
		{v.Data, "activity", q("user", user), trade + " type usdcSize"},
		{v.Data, "value", q("user", user), "user value"},
		{v.Data, "traded", q("user", user), "user traded"},
		{v.Data, "holders", q("market", v.markets[0].condition), "token holders"},
		{v.Data, "v1/leaderboard", q("timePeriod", "ALL"), "rank proxyWallet userName vol pnl profileImage xUsername verifiedBadge"},
		{v.Gamma, "markets", q("closed", "true"), "id question conditionId slug endDate outcomes outcomePrices clobTokenIds active closed archived umaResolutionStatus " +
			"umaResolutionStatuses negRisk lastTradePrice spread events feeType orderPriceMinTickSize"},
		{v.Gamma, "events", q("closed", "true"), "id ticker slug title markets tags negRisk closed endDate"},
		{v.CLOB, "markets/" + open.condition, nil, "condition_id question market_slug end_date_iso active closed accepting_orders minimum_tick_size neg_risk maker_base_fee " +
			"taker_base_fee is_50_50_outcome tokens"},
		{v.CLOB, "book", q("token_id", open.tokens[1]), "market asset_id timestamp hash bids asks min_order_size tick_size neg_risk last_trade_price"},
		{v.CLOB, "midpoint", q("token_id", open.tokens[0]), "mid"},
		{v.CLOB, "price", q("token_id", open.tokens[0], "side", "BUY"), "price"},
		{v.CLOB, "prices-history", q("market", open.tokens[0], "interval", "1d", "fidelity", "60"), "history"},
		{v.CLOB, "clob-markets/" + open.condition, nil, "c t mos mts nr"},
	} {
		status, answer := c.door(strings.Split(c.path, "/"), c.query)
		if status != http.StatusOK {
			t.Fatalf("%s: %d %v", c.path, status, answer)
		}
		have := keys(t, answer)
		for _, key := range strings.Fields(c.want) {
			if !slices.Contains(have, key) {
				t.Errorf("%s has no %s", c.path, key)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	v := shared()
	user := wallets(v, "bot")[0].address
	token := v.markets[0].tokens[0]
	doors := map[string]func([]string, url.Values) (int, any){"data": v.Data, "gamma": v.Gamma, "clob": v.CLOB}
	for call, want := range map[string]int{
		"data/positions":                                          400,
		"data/positions?user=0x12":                                400,
		"data/positions?user=" + user + "&limit=x":                400,
		"data/positions?user=" + user + "&limit=-1":               400,
		"data/positions?user=" + user + "&sortBy=SIZE":            400,
		"data/positions?user=" + user + "&offset=10001":           400,
		"data/positions?user=" + user + "&offset=10000":           200,
		"data/positions?user=" + user + "&market=0x1&eventId=1":   400,
		"data/closed-positions?user=" + user + "&offset=100001":   400,
		"data/activity?user=" + user + "&offset=5001":             400,
		"data/activity?user=" + user + "&offset=5000":             200,
		"data/activity?user=" + user + "&type=TRADE,SPLIT,REWARD": 200,
		"data/activity?user=" + user + "&type=BET":                400,
		"data/trades?user=" + user + "&offset=10001":              400,
		"data/trades?start=5":                                     400,
		"data/trades?filterType=CASH":                             400,
		"data/trades?filterType=CASH&filterAmount=10":             200,
		"data/holders":                            400,
		"data/v1/leaderboard?timePeriod=YEAR":     400,
		"data/v1/leaderboard?offset=1001":         400,
		"data/v2/positions":                       404,
		"gamma/markets?limit=x":                   422,
		"gamma/markets/keyset?offset=0":           422,
		"gamma/markets/1":                         404,
		"gamma/markets/" + v.markets[0].id:        200,
		"gamma/markets/slug/" + v.markets[0].slug: 200,
		"gamma/events/slug/" + v.events[0].slug:   200,
		"gamma/events/keyset?limit=3":             200,
		"gamma/nothing":                           404,
		"clob/markets/0x12":                       404,
		"clob/markets?next_cursor=x":              400,
		"clob/book":                               400,
		"clob/book?token_id=1":                    404,
		"clob/book?token_id=" + token:             404, // closed
		"clob/prices-history":                     400,
		"clob/prices-history?market=" + token:     400,
		"clob/prices-history?market=" + token + "&interval=1m&fidelity=5":  400,
		"clob/prices-history?market=" + token + "&interval=1m&fidelity=10": 200,
		"clob/prices-history?market=" + token + "&interval=1y":             400,
		"clob/prices-history?market=" + token + "&interval=1d&startTs=5":   400,
		"clob/prices-history?market=" + token + "&startTs=1767300000":      200,
		"clob/nothing": 404,
	} {
		path, query, _ := strings.Cut(call, "?")
		provider, rest, _ := strings.Cut(path, "/")
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		status, answer := doors[provider](strings.Split(rest, "/"), values)
		if status != want {
			t.Errorf("%s: %d, want %d", call, status, want)
		}
		if body := encoded(t, answer); status >= 400 && !strings.Contains(body, `"error":"`) {
			t.Errorf("%s: %s", call, body)
		}
	}
}

func TestTheUnknownHaveNothing(t *testing.T) {
	v := shared()
	nobody := url.Values{"user": {"0x00000000000000000000000000000000000000ff"}}
	for path, want := range map[string]string{
		"positions": "[]", "closed-positions": "[]", "trades": "[]", "activity": "[]",
		"value":  `[{"user":"0x00000000000000000000000000000000000000ff","value":0}]`,
		"traded": `{"user":"0x00000000000000000000000000000000000000ff","traded":0}`,
	} {
		if status, answer := v.Data([]string{path}, nobody); status != 200 || encoded(t, answer) != want {
			t.Errorf("%s: %d %s", path, status, encoded(t, answer))
		}
	}
}

func TestPagesAreCapped(t *testing.T) {
	v := shared()
	bot := wallets(v, "bot")[0].address
	for _, c := range []struct {
		path, limit string
		want        int
	}{
		{"positions", "", 100}, {"positions", "9999", 500}, {"closed-positions", "", 10}, {"closed-positions", "9999", 50},
		{"activity", "", 100}, {"activity", "9999", 500}, {"trades", "", 100}, {"trades", "3000", 3000},
	} {
		query := url.Values{"user": {bot}}
		if c.limit != "" {
			query.Set("limit", c.limit)
		}
		if rows := ask[[]json.RawMessage](t, v.Data, c.path, query); len(rows) != c.want && (c.path != "positions" || len(rows) < 100) {
			t.Errorf("%s with limit %q has %d rows", c.path, c.limit, len(rows))
		}
	}
	if rows := ask[[]json.RawMessage](t, v.Data, "v1/leaderboard", url.Values{"limit": {"99"}}); len(rows) != 50 {
		t.Errorf("%d leaders", len(rows))
	}
	for query, want := range map[string]int{"closed=true": 20, "closed=true&limit=900": 500, "closed=true&limit=7&offset=3": 7} {
		values, _ := url.ParseQuery(query)
		if rows := ask[[]json.RawMessage](t, v.Gamma, "markets", values); len(rows) != want {
			t.Errorf("%s: %d markets", query, len(rows))
		}
	}
}

// Whatever is asked is answered, and everything that is answered can be encoded.
func FuzzCalls(f *testing.F) {
	f.Add("data", "positions", "user=0x00000000000000000000000000000000000000ff&limit=3")
	f.Add("data", "trades", "takerOnly=false&filterType=CASH&filterAmount=1e3")
	f.Add("gamma", "markets", "closed=true&condition_ids=0x1&condition_ids=0x2")
	f.Add("clob", "prices-history", "market=1&startTs=1&endTs=99999999999999&fidelity=1")
	f.Add("clob", "markets", "next_cursor=LTE=")
	v := venueAt(1, 3)
	token := v.markets[0].tokens[0]
	f.Add("clob", "prices-history", "market="+token+"&startTs=1&endTs=99999999999999&fidelity=9223372036854775807")
	doors := map[string]func([]string, url.Values) (int, any){"data": v.Data, "gamma": v.Gamma, "clob": v.CLOB}
	f.Fuzz(func(t *testing.T, provider, path, query string) {
		door := doors[provider]
		values, err := url.ParseQuery(query)
		if door == nil || err != nil {
			return
		}
		status, answer := door(strings.Split(path, "/"), values)
		if body := encoded(t, answer); status != 200 && (status < 400 || status >= 500 || !strings.Contains(body, "error")) {
			t.Errorf("%d %s", status, body)
		}
	})
}
