package perpvenue

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// The names are those of the venue's list, rows and windows come in no order that could be counted on, and nobody is there who has not
// come yet.
func TestLeaderboardNames(t *testing.T) {
	v := young()
	text := jsonOf(v.Leaderboard())
	var decoded any
	if err := json.Unmarshal([]byte(text), &decoded); err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	keys(decoded, "", found)
	for _, name := range strings.Fields(`.leaderboardRows .leaderboardRows.ethAddress .leaderboardRows.accountValue .leaderboardRows.prize .leaderboardRows.displayName
		.leaderboardRows.windowPerformances .leaderboardRows.windowPerformances.pnl .leaderboardRows.windowPerformances.roi .leaderboardRows.windowPerformances.vlm`) {
		if !found[name] {
			t.Errorf("no %s", name)
		}
		delete(found, name)
	}
	if len(found) > 0 {
		t.Errorf("%v is not of the venue", found)
	}
	orders, named, rows := map[string]bool{}, 0, v.Leaderboard().(leaderboardWire).Rows
	for _, row := range rows {
		order := ""
		for _, window := range row.Windows {
			order += " " + window.([]any)[0].(string)
		}
		orders[order] = true
		if row.Name != nil {
			named++
		}
	}
	if len(orders) < 3 || named == 0 || named == len(rows) {
		t.Errorf("windows in the orders %v, %d of %d have a name", orders, named, len(rows))
	}
	here := 0
	for _, a := range v.accounts {
		if a.joined <= v.now {
			here++
		}
	}
	if len(rows) != here || here < 50 {
		t.Errorf("%d rows, %d accounts", len(rows), here)
	}
	if empty := New(Config{Seed: 1, Start: testStart}).Leaderboard(); jsonOf(empty) != `{"leaderboardRows":[]}` {
		t.Errorf("before anybody came: %s", jsonOf(empty))
	}
}

// The list says of everybody what the account's own portfolio says.
func TestLeaderboardAgreesWithPortfolios(t *testing.T) {
	v := young()
	gained := false
	for _, row := range v.Leaderboard().(leaderboardWire).Rows {
		windows := map[string]windowWire{}
		for _, pair := range told[[]any](t, v, `{"type":"portfolio","user":"%s"}`, row.Account) {
			windows[pair.([]any)[0].(string)] = pair.([]any)[1].(windowWire)
		}
		for _, pair := range row.Windows {
			name, got := pair.([]any)[0].(string), pair.([]any)[1].(performanceWire)
			want := windows[name]
			delete(windows, name)
			last := len(want.Profits) - 1
			if last < 0 || got.Profit != want.Profits[last].([]any)[1] || got.Volume != want.Volume || row.Value != want.Values[last].([]any)[1] {
				t.Fatalf("%s %s: %+v, worth %s; the portfolio says %+v", row.Account, name, got, row.Value, want)
			}
			profit, share := number(t, got.Profit), number(t, got.Return)
			if (profit > 0.01) && !(share > 0) || (profit < -0.01) && !(share < 0) || math.Abs(share) > math.Abs(profit)/100+1e-9 {
				t.Errorf("%s %s: a profit of %g is a return of %g", row.Account, name, profit, share)
			}
			gained = gained || profit > 0
		}
		if len(windows) != 4 { // those without spot
			t.Errorf("%s has not the windows %v", row.Account, windows)
		}
	}
	if !gained {
		t.Error("nobody gained")
	}
}

func TestPerformance(t *testing.T) {
	usd := func(dollars int64) int64 { return dollars * million }
	history := []snapshot{
		{time: 1, perpValue: usd(900), perpProfit: usd(-100), spotValue: usd(50), spotProfit: usd(50), perpVolume: usd(5), spotVolume: usd(1)},
		{time: 2, perpValue: usd(1900), perpProfit: usd(-100), spotValue: usd(50), spotProfit: usd(50), perpVolume: usd(5), spotVolume: usd(1)},  // 1,000 came
		{time: 3, perpValue: usd(1000), perpProfit: usd(300), spotValue: usd(50), spotProfit: usd(50), perpVolume: usd(505), spotVolume: usd(2)}, // 1,300 went
	}
	for _, test := range []struct {
		from int64
		want performanceWire
	}{
		{0, performanceWire{"400.0", "0.2051282051", "501.0"}}, // 400 of 950 and 1,000
		{2, performanceWire{"400.0", "0.2051282051", "501.0"}}, // 400 of 1,950
		{3, performanceWire{"0.0", "0.0", "0.0"}},
		{4, performanceWire{"0.0", "0.0", "0.0"}},
	} {
		if got := performance(since(history, test.from)); got != test.want {
			t.Errorf("from %d: %+v, want %+v", test.from, got, test.want)
		}
	}
	poor := []snapshot{{}, {perpValue: usd(3), perpProfit: usd(-7)}}
	if got := performance(poor); got.Return != "-0.07" {
		t.Errorf("7 lost of 10: %+v, want the return on 100", got)
	}
}

// Nothing that comes later changes what the list said: a day later the day before is the difference.
func TestLeaderboardMovesWithTime(t *testing.T) {
	v := New(Config{Seed: 3, Start: testStart})
	profits := func() map[string]float64 {
		of := map[string]float64{}
		for _, row := range v.Leaderboard().(leaderboardWire).Rows {
			i := slices.IndexFunc(row.Windows, func(pair any) bool { return pair.([]any)[0] == "allTime" })
			of[row.Account] = number(t, row.Windows[i].([]any)[1].(performanceWire).Profit)
		}
		return of
	}
	v.Advance(testStart.Add(5 * 24 * time.Hour))
	before := profits()
	v.Advance(testStart.Add(6 * 24 * time.Hour))
	after := profits()
	if len(before) == 0 || len(after) <= len(before) {
		t.Fatalf("%d accounts, then %d", len(before), len(after))
	}
	for _, row := range v.Leaderboard().(leaderboardWire).Rows {
		i := slices.IndexFunc(row.Windows, func(pair any) bool { return pair.([]any)[0] == "day" })
		day := number(t, row.Windows[i].([]any)[1].(performanceWire).Profit)
		if was, there := before[row.Account]; there && math.Abs(after[row.Account]-was-day) > 1e-5 {
			t.Errorf("%s: %g and then %g, and a day of %g", row.Account, was, after[row.Account], day)
		}
	}
}
