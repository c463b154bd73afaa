package polymarket

import (
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

const day = 24 * time.Hour

func TestATradeSaysAllThatItsRowSays(t *testing.T) {
	row := tradeRow(1, ago(day))
	got, s := activityOf(t, array(row), array(row))
	want := market.PredictionTrade{
		Time: ago(day), Market: condition(1), Event: "an-event", Asset: asset(1), Outcome: 1, Buy: true, Price: 0.4, Shares: 100, USD: 40.5,
		Role: market.Taker, Transaction: transaction(1),
	}
	if len(got.Trades) != 1 || got.Trades[0] != want || len(got.Moves) != 0 || got.Truncated || !got.Since.IsZero() {
		t.Fatalf("got %+v\nwant %+v", got, want)
	}
	for _, asked := range s.asked {
		query := asked.Query()
		common := query.Get("user") == wallet.String() && query.Get("limit") == "500" && query.Get("offset") == "0" && query.Get("start") == "1"
		switch {
		case !common:
			t.Error(asked)
		case asked.Path == activityPath && (len(query) != 6 || query.Get("sortBy") != "TIMESTAMP" || query.Get("sortDirection") != "DESC"):
			t.Error(asked)
		case asked.Path == tradesPath && (len(query) != 5 || query.Get("takerOnly") != "true"):
			t.Error(asked)
		}
	}
	if len(s.asked) != 2 {
		t.Errorf("%d calls", len(s.asked))
	}
}

func TestRowsThatMayDiffer(t *testing.T) {
	base := tradeRow(1, ago(day))
	for name, test := range map[string]struct {
		row  string
		fits func(market.PredictionTrade) bool
	}{
		"numbers as texts": {changed(base, "size", `"100"`, "price", `"0.4"`), func(p market.PredictionTrade) bool { return p.Shares == 100 && p.Price == 0.4 }},
		"a sale":           {changed(base, "side", `"SELL"`), func(p market.PredictionTrade) bool { return !p.Buy }},
		"no outcome":       {changed(base, "outcomeIndex", "999"), func(p market.PredictionTrade) bool { return p.Outcome == -1 }},
		"no USD":           {changed(base, "usdcSize", "null"), func(p market.PredictionTrade) bool { return p.USD == 40 }},
		"no event":         {changed(base, "eventSlug", `""`), func(p market.PredictionTrade) bool { return p.Event == "a-market" }},
		"no transaction": {changed(base, "transactionHash", "null"), func(p market.PredictionTrade) bool {
			return p.Transaction == market.Hash{} && p.Role == market.UnknownRole
		}},
		"no wallet":              {changed(base, "proxyWallet", "null"), func(p market.PredictionTrade) bool { return p.Role == market.Maker }},
		"dust whose USD rounds":  {changed(base, "size", "0.01", "usdcSize", "0.01"), func(p market.PredictionTrade) bool { return p.USD == 0.01 }},
		"the longest token":      {changed(base, "asset", quoted(string(slices.Repeat([]byte("9"), 78)))), func(p market.PredictionTrade) bool { return len(p.Asset) == 78 }},
		"upper-case hexadecimal": {changed(base, "conditionId", `"0xC0000000000000000000000000000000000000000000000000000000000000AB"`), func(p market.PredictionTrade) bool { return p.Market == condition(0xab) }},
	} {
		got, s := activityOf(t, array(test.row), "[]")
		if len(got.Trades) != 1 || !test.fits(got.Trades[0]) || len(s.dropped) != 0 {
			t.Errorf("%s: %+v, %v dropped", name, got.Trades, s.dropped)
		}
	}
}

func TestRowsThatCannotBeTrueAreDropped(t *testing.T) {
	good, split := tradeRow(1, ago(day)), moveRow("SPLIT", 1, ago(day))
	var rows []string
	for _, members := range [][]string{
		{"price", "0"}, {"price", "1"}, {"price", "-0.4"}, {"price", "1.2"}, {"price", `"NaN"`}, {"price", "null"}, {"price", "1e400"}, {"size", "0"}, {"size", "-100"},
		{"size", `"Infinity"`}, {"size", "1e13"}, {"size", "{}"}, {"usdcSize", "-40.5"}, {"usdcSize", "140"}, {"usdcSize", "4"}, {"usdcSize", `"x"`}, {"side", `"HOLD"`},
		{"side", `""`}, {"side", "7"}, {"asset", `""`}, {"asset", `"0x12"`}, {"asset", `"-12"`}, {"asset", "12"}, {"asset", quoted(string(slices.Repeat([]byte("9"), 79)))},
		{"conditionId", `""`}, {"conditionId", `"0xc0"`}, {"conditionId", quoted(writeHash(condition(1)) + "00")}, {"conditionId", `"0xzz00000000000000000000000000000000000000000000000000000000000000"`},
		{"transactionHash", `"0x1"`}, {"timestamp", "null"}, {"timestamp", "0"}, {"timestamp", "1e99"}, {"timestamp", "1795000000000"}, {"timestamp", `"then"`},
		{"proxyWallet", `"0x00000000000000000000000000000000000000bb"`},
	} {
		rows = append(rows, changed(good, members...))
	}
	for _, members := range [][]string{{"conditionId", `""`}, {"size", "-1"}, {"usdcSize", `"?"`}, {"transactionHash", `"0x"`}} {
		rows = append(rows, changed(split, members...))
	}
	rows = append(rows, "7", "null", `"x"`, "[]")
	got, s := activityOf(t, array(append(rows, good)...), "[]")
	if len(got.Trades) != 1 || len(got.Moves) != 0 || s.dropped[activityPath] != len(rows) {
		t.Errorf("%d trades, %d moves; %d of %d dropped", len(got.Trades), len(got.Moves), s.dropped[activityPath], len(rows))
	}
}

func TestMoves(t *testing.T) {
	rows := []string{
		moveRow("SPLIT", 1, ago(9*day), "size", "50", "usdcSize", "50"), moveRow("MERGE", 2, ago(8*day), "size", "20", "usdcSize", "20"),
		moveRow("REDEEM", 3, ago(7*day), "size", "null", "usdcSize", "0"), moveRow("CONVERSION", 4, ago(6*day), "size", "10", "usdcSize", "5"),
		moveRow("REWARD", 5, ago(5*day), "conditionId", `""`, "size", "3", "usdcSize", "3", "transactionHash", `""`), moveRow("MAKER_REBATE", 6, ago(4*day)),
		moveRow("TAKER_REBATE", 7, ago(4*day)), moveRow("YIELD", 8, ago(4*day)),
		moveRow("DEPOSIT", 9, ago(3*day)), moveRow("WITHDRAWAL", 9, ago(3*day)), moveRow("MIGRATION", 9, ago(3*day)), moveRow("NEWS", 9, ago(3*day)), moveRow("", 9, ago(3*day)),
	}
	slices.Reverse(rows)
	got, s := activityOf(t, array(rows...), "[]")
	kinds := []market.PredictionMoveKind{market.Split, market.Merge, market.Redemption, market.Conversion, market.Reward, market.Reward, market.Reward, market.Reward}
	if len(got.Moves) != len(kinds) || len(got.Trades) != 0 || len(s.dropped) != 0 {
		t.Fatalf("%+v, %v", got, s.dropped)
	}
	for i, kind := range kinds {
		if got.Moves[i].Kind != kind {
			t.Errorf("move %d is of kind %d", i, got.Moves[i].Kind)
		}
	}
	if want := (market.PredictionMove{Time: ago(9 * day), Kind: market.Split, Market: condition(1), Event: "an-event", Shares: 50, USD: 50, Transaction: transaction(1)}); got.Moves[0] != want {
		t.Errorf("got %+v, want %+v", got.Moves[0], want)
	}
	if redeemed := got.Moves[2]; !math.IsNaN(redeemed.Shares) || redeemed.USD != 0 {
		t.Errorf("%+v", redeemed)
	}
	if reward := got.Moves[4]; reward.Market != (market.Hash{}) || reward.Transaction != (market.Hash{}) || reward.USD != 3 {
		t.Errorf("%+v", reward)
	}
}

func TestTradesComeOldestFirstAndThoseOfOneSecondAsTheyHappened(t *testing.T) {
	got, _ := activityOf(t, array(tradeRow(4, ago(time.Hour)), tradeRow(3, ago(day)), tradeRow(2, ago(day)), tradeRow(1, ago(2*day))), "[]")
	for i, trade := range got.Trades {
		if trade.Market != condition(i+1) {
			t.Errorf("trade %d is %x", i, trade.Market)
		}
	}
}

func TestRoles(t *testing.T) {
	at := ago(day)
	of := func(n int, members ...string) string { return changed(tradeRow(n, at), members...) }
	for name, test := range map[string]struct {
		rows, crossed []string
		want          []market.PredictionRole
	}{
		"crossed and resting":                     {[]string{of(1), of(2)}, []string{of(2)}, []market.PredictionRole{market.Taker, market.Maker}},
		"of two alike one crossed":                {[]string{of(1), of(1)}, []string{of(1)}, []market.PredictionRole{market.Taker, market.Maker}},
		"of two alike both crossed":               {[]string{of(1), of(1)}, []string{of(1), of(1)}, []market.PredictionRole{market.Taker, market.Taker}},
		"the same transaction, another outcome":   {[]string{of(1)}, []string{of(1, "asset", `"77"`)}, []market.PredictionRole{market.Maker}},
		"the same transaction, the other side":    {[]string{of(1)}, []string{of(1, "side", `"SELL"`)}, []market.PredictionRole{market.Maker}},
		"other shares at the same place":          {[]string{of(1)}, []string{of(1, "size", "99")}, []market.PredictionRole{market.UnknownRole}},
		"a number written otherwise":              {[]string{of(1)}, []string{of(1, "size", `"100.00"`)}, []market.PredictionRole{market.Taker}},
		"a row that cannot be read":               {[]string{of(1), of(2)}, []string{of(1, "size", "null")}, []market.PredictionRole{market.Maker, market.UnknownRole}},
		"of the last minute, maybe not yet there": {[]string{changed(of(1), "timestamp", "1795175985")}, nil, []market.PredictionRole{market.UnknownRole}},
	} {
		got, _ := activityOf(t, array(test.rows...), array(test.crossed...))
		var roles []market.PredictionRole
		for _, trade := range got.Trades {
			roles = append(roles, trade.Role)
		}
		// The order in which alike trades have their roles does not matter.
		slices.Sort(roles)
		slices.Sort(test.want)
		if !slices.Equal(roles, test.want) {
			t.Errorf("%s: roles %v, want %v", name, roles, test.want)
		}
	}
}

func TestTradesOlderThanTheListOfTakersHaveNoRole(t *testing.T) {
	trades := []market.PredictionTrade{{Time: ago(3 * day), Transaction: transaction(1)}, {Time: ago(2 * day), Transaction: transaction(2)}, {Time: ago(day), Transaction: transaction(3)}}
	assignRoles(trades, stretch{truncated: true, since: ago(2 * day)}, now)
	if trades[0].Role != market.UnknownRole || trades[1].Role != market.UnknownRole || trades[2].Role != market.Maker {
		t.Error(trades)
	}
}

func TestAWalletThatIsNotKnownHasNoHistory(t *testing.T) {
	for _, body := range []string{"[]", "null"} {
		got, s := activityOf(t, body, body)
		if len(got.Trades) != 0 || len(got.Moves) != 0 || got.Truncated || len(s.asked) != 2 {
			t.Error(body, got)
		}
	}
}

func TestAnswersThatSayNothingAreFailures(t *testing.T) {
	other := changed(tradeRow(1, ago(day)), "proxyWallet", `"0x00000000000000000000000000000000000000bb"`)
	for _, test := range []struct {
		path, body string
	}{
		{activityPath, `{"error":"no"}`}, {activityPath, `{}`}, {activityPath, `[7]`}, {activityPath, array(other)}, {tradesPath, `"x"`}, {tradesPath, `[{}]`},
	} {
		a, _ := adapter(always(map[string]string{test.path: test.body}))
		if got, err := a.PredictionActivity(t.Context(), wallet); !errors.Is(err, market.ErrUnavailable) {
			t.Error(test, got, err)
		}
	}
}
