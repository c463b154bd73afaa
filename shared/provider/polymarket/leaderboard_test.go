package polymarket

import (
	"context"
	"errors"
	"math"
	"net/url"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

func leader(n int) chain.Address { return chain.Address{0xbb, 18: byte(n >> 8), 19: byte(n)} }

// leaderRow is a wallet at a rank, as the service writes it: the rank is a text, the figures are numbers.
func leaderRow(rank, n int, members ...string) string {
	return changed(object("rank", quoted(strconv.Itoa(rank)), "proxyWallet", quoted(leader(n).Checksum()), "userName", `"x"`,
		"vol", "1000.5", "pnl", strconv.Itoa(10_000-rank), "verifiedBadge", "false"), members...)
}

// listOf has so many wallets and gives them in pages as the service does.
func listOf(wallets int, at func(rank int) int) func(string, url.Values) (int, string) {
	return func(_ string, query url.Values) (int, string) {
		limit, _ := strconv.Atoi(query.Get("limit"))
		offset, _ := strconv.Atoi(query.Get("offset"))
		var rows []string
		for rank := offset + 1; rank <= min(offset+limit, wallets); rank++ {
			rows = append(rows, leaderRow(rank, at(rank)))
		}
		return 200, array(rows...)
	}
}

func boardRequest(limit int) market.PredictionLeaderboardRequest {
	return market.PredictionLeaderboardRequest{Window: market.WeekWindow, Limit: limit}
}

func inOrder(rank int) int { return rank }

func TestALeaderboardIsReadInPages(t *testing.T) {
	for _, test := range []struct{ wallets, limit, want, calls int }{
		{200, 200, 200, 4}, {500, 200, 200, 4}, {500, 1, 1, 1}, {500, 50, 50, 1}, {500, 51, 51, 2}, {120, 200, 120, 4}, {49, 200, 49, 1}, {0, 20, 0, 1}, {50, 200, 50, 4},
	} {
		a, s := adapter(listOf(test.wallets, inOrder))
		got, err := a.PredictionLeaderboard(t.Context(), boardRequest(test.limit))
		if err != nil || got == nil || len(got) != test.want || s.calls(leaderboardPath) != test.calls || len(s.dropped) > 0 {
			t.Errorf("%d of %d wallets: %d, %v after %d calls, dropped %v", test.limit, test.wallets, len(got), err, s.calls(leaderboardPath), s.dropped)
		}
		for i, row := range got {
			if row.Rank != i+1 || row.Wallet != leader(i+1) || row.Figures.PnLUSD != float64(10_000-i-1) || row.Figures.VolumeUSD != 1000.5 || !math.IsNaN(row.Figures.Return) {
				t.Fatalf("row %d: %+v", i, row)
			}
		}
	}
}

func TestWhatALeaderboardIsAskedFor(t *testing.T) {
	for window, period := range map[market.LeaderboardWindow]string{
		market.DayWindow: "DAY", market.WeekWindow: "WEEK", market.MonthWindow: "MONTH", market.AllTimeWindow: "ALL",
	} {
		for category, asked := range map[string]string{"": "OVERALL", "POLITICS": "POLITICS"} {
			a, s := adapter(listOf(1, inOrder))
			if _, err := a.PredictionLeaderboard(t.Context(), market.PredictionLeaderboardRequest{Category: category, Window: window, Limit: 20}); err != nil {
				t.Fatal(err)
			}
			want := "https://data-api.polymarket.com/v1/leaderboard?category=" + asked + "&limit=50&offset=0&orderBy=PNL&timePeriod=" + period
			if s.asked[0].String() != want {
				t.Errorf("%s, want %s", s.asked[0], want)
			}
		}
	}
	a, s := adapter(listOf(1, inOrder))
	for _, bad := range []market.PredictionLeaderboardRequest{{Window: "year", Limit: 20}, {Limit: 20}, boardRequest(0), boardRequest(-1), boardRequest(201)} {
		if got, err := a.PredictionLeaderboard(t.Context(), bad); err == nil || s.calls("") > 0 {
			t.Errorf("%+v: %+v, %v after %d calls", bad, got, err, s.calls(""))
		}
	}
}

// A wallet that falls while the pages are read is in two of them, one that rises in none: who is there comes once, at the better place.
func TestAWalletThatMovesComesOnce(t *testing.T) {
	a, s := adapter(listOf(150, func(rank int) int {
		if rank > 50 {
			return rank - 1 // the 50th came again at the head of the second page
		}
		return rank
	}))
	got, err := a.PredictionLeaderboard(t.Context(), boardRequest(150))
	if err != nil || len(got) != 149 || len(s.dropped) > 0 {
		t.Fatal(len(got), err, s.dropped)
	}
	if got[49].Wallet != leader(50) || got[49].Rank != 50 || got[50].Wallet != leader(51) || got[50].Rank != 52 {
		t.Errorf("%+v", got[49:51])
	}
	// A service that repeats its last page has no more.
	first := listOf(50, inOrder)
	a, _ = adapter(func(path string, query url.Values) (int, string) {
		query.Set("offset", "0")
		return first(path, query)
	})
	if got, err := a.PredictionLeaderboard(t.Context(), boardRequest(200)); err != nil || len(got) != 50 {
		t.Errorf("%d, %v", len(got), err)
	}
}

func TestBadRowsOfALeaderboardAreDroppedAndCounted(t *testing.T) {
	bad := []string{`null`, `7`, `[]`, `{}`}
	for _, member := range [][2]string{
		{"rank", `"0"`}, {"rank", `"-1"`}, {"rank", `"first"`}, {"rank", `"1.5"`}, {"rank", `null`}, {"rank", `"99999999999"`},
		{"proxyWallet", `"0xbb"`}, {"proxyWallet", `null`}, {"proxyWallet", quoted(chain.Address{}.String())},
		{"pnl", `"NaN"`}, {"pnl", `null`}, {"pnl", `1e400`}, {"pnl", `-1e16`}, {"vol", `-1`}, {"vol", `null`}, {"vol", `1e16`},
	} {
		bad = append(bad, leaderRow(2, 2, member[0], member[1]))
	}
	a, s := adapter(always(map[string]string{leaderboardPath: array(append(bad, leaderRow(7, 7, "rank", "7", "pnl", `"-12.5"`))...)}))
	got, err := a.PredictionLeaderboard(t.Context(), boardRequest(20))
	if err != nil || len(got) != 1 || got[0].Rank != 7 || got[0].Figures.PnLUSD != -12.5 || s.dropped[leaderboardPath] != len(bad) {
		t.Errorf("%+v, %v, dropped %v of %d", got, err, s.dropped, len(bad))
	}
}

func TestLeaderboardFailuresAreNeverFacts(t *testing.T) {
	for _, answer := range []struct {
		status int
		body   string
	}{
		{200, `null`}, {200, `{}`}, {200, `7`}, {200, `[{}]`}, {200, `[null,7]`}, {200, ``}, {200, `<html></html>`},
		{400, `{"error":"no"}`}, {404, `[]`}, {429, `[]`}, {500, `[]`},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			a, _ := adapter(func(string, url.Values) (int, string) { return answer.status, answer.body })
			if got, err := a.PredictionLeaderboard(ctx, boardRequest(20)); !errors.Is(err, market.ErrUnavailable) {
				t.Errorf("%+v: %+v, %v", answer, got, err)
			}
			time.Sleep(time.Minute)
		})
	}
	// A page that is missing amid the others is a failure too.
	whole := listOf(200, inOrder)
	a, _ := adapter(func(path string, query url.Values) (int, string) {
		if query.Get("offset") == "100" {
			return 404, "no"
		}
		return whole(path, query)
	})
	if got, err := a.PredictionLeaderboard(t.Context(), boardRequest(200)); !errors.Is(err, market.ErrUnavailable) {
		t.Error(len(got), err)
	}
}

func FuzzLeaderboard(f *testing.F) {
	for _, body := range []string{
		array(leaderRow(1, 1), leaderRow(2, 2, "rank", "2")), array(leaderRow(1, 1), leaderRow(3, 1)), `[{"rank":1e2,"proxyWallet":"` + leader(1).String() + `","vol":"1e-400","pnl":-0}]`, `[7]`, `null`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		// What is no JSON would be asked for again, which takes time and tells nothing.
		if _, err := upstream.JSON[any](&upstream.Response{Status: 200, Body: body}); err != nil {
			return
		}
		a, _ := adapter(func(string, url.Values) (int, string) { return 200, string(body) })
		leaders, err := a.PredictionLeaderboard(t.Context(), boardRequest(120))
		if err != nil {
			return
		}
		var seen []chain.Address
		for i, row := range leaders {
			f := row.Figures
			if row.Rank < 1 || i > 0 && row.Rank < leaders[i-1].Rank || row.Wallet == (chain.Address{}) || slices.Contains(seen, row.Wallet) || i >= 120 ||
				!(math.Abs(f.PnLUSD) <= upstream.MaximumUSD) || !(f.VolumeUSD >= 0) || f.VolumeUSD > upstream.MaximumUSD || !math.IsNaN(f.Return) {
				t.Fatalf("%+v", leaders)
			}
			seen = append(seen, row.Wallet)
		}
	})
}
