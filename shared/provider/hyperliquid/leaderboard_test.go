package hyperliquid

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

// board is a host of statistics that answers everything with one body.
type board struct {
	status  int
	body    string
	asked   []string
	dropped int
}

func (b *board) RoundTrip(r *http.Request) (*http.Response, error) {
	b.asked = append(b.asked, r.Method+" "+r.URL.String())
	return &http.Response{StatusCode: cmp.Or(b.status, 200), Header: http.Header{}, Body: io.NopCloser(strings.NewReader(b.body))}, nil
}

func (b *board) adapter() *Leaderboard {
	config := LeaderboardDefaults()
	config.PerMinute, config.Burst = 1e9, 1e9
	return NewLeaderboard(upstream.New(config, upstream.Shared{
		Transport: b,
		Random:    func() float64 { return 0 },
		Observe:   func(c upstream.Call) { b.dropped += c.Dropped },
	}))
}

func boardOf(rows ...string) *board {
	return &board{body: `{"updated":{"at":[1]},"leaderboardRows":` + list(rows...) + `,"more":null}`}
}

// leaderRow is a row whose windows come in no order.
func leaderRow(account, value string, windows ...string) string {
	return fmt.Sprintf(`{"ethAddress":%q,"accountValue":%q,"windowPerformances":%s,"prize":0,"displayName":null}`, account, value, list(windows...))
}

func windowPair(name, pnl, roi, vlm string) string {
	return fmt.Sprintf(`[%q,{"pnl":%q,"roi":%q,"vlm":%q}]`, name, pnl, roi, vlm)
}

func TestALeaderboardIsRead(t *testing.T) {
	b := boardOf(
		leaderRow("0xBB000000000000000000000000000000000000cd", "1500000.25",
			windowPair("allTime", "900000.5", "1.5", "123456789.0"), windowPair("week", "-20.0", "-0.0222", "1000.0"),
			windowPair("day", "0.0", "0.0", "0.0"), windowPair("month", "7.5", "0.1", "2.0"), windowPair("year", "x", "y", "z")),
		leaderRow("0xaa000000000000000000000000000000000000cd", "-3.0", `["day",{"pnl":"1.0","vlm":5,"roi":null}]`),
	)
	got, err := b.adapter().PerpLeaderboard(t.Context(), 5)
	if err != nil || len(got) != 2 || b.dropped != 0 {
		t.Fatal(got, err, b.dropped)
	}
	if !slices.Equal(b.asked, []string{"GET https://stats-data.hyperliquid.xyz/Mainnet/leaderboard"}) {
		t.Error(b.asked)
	}
	first := got[0].Windows[market.DayWindow]
	if got[0].Account != (chain.Address{0xaa, 19: 0xcd}) || got[0].ValueUSD != -3 || len(got[0].Windows) != 1 || first.PnLUSD != 1 || first.VolumeUSD != 5 ||
		!math.IsNaN(first.Return) {
		t.Errorf("%+v", got[0])
	}
	want := market.PerpLeader{Account: chain.Address{0xbb, 19: 0xcd}, ValueUSD: 1500000.25, Windows: map[market.LeaderboardWindow]market.VenueFigures{
		market.DayWindow: {}, market.WeekWindow: {PnLUSD: -20, VolumeUSD: 1000, Return: -0.0222},
		market.MonthWindow: {PnLUSD: 7.5, VolumeUSD: 2, Return: 0.1}, market.AllTimeWindow: {PnLUSD: 900000.5, VolumeUSD: 123456789, Return: 1.5},
	}}
	if !reflect.DeepEqual(got[1], want) {
		t.Errorf("%+v, want %+v", got[1], want)
	}
}

func TestBadLeadersAreDroppedAndCounted(t *testing.T) {
	good, day := "0xaa00000000000000000000000000000000000000", windowPair("day", "1.0", "0.1", "2.0")
	bad := []string{
		`null`, `7`, `"row"`, `[]`, `{}`, leaderRow(good, "1.0", day), // the account is there already
		leaderRow("0xaa", "1.0", day), leaderRow("", "1.0", day), leaderRow("0x0000000000000000000000000000000000000000", "1.0", day),
		leaderRow("0xbb00000000000000000000000000000000000000", "NaN", day), leaderRow("0xbb00000000000000000000000000000000000000", "", day),
		leaderRow("0xbb00000000000000000000000000000000000000", "1e16", day),
	}
	for _, window := range []string{
		`7`, `["day"]`, `["day",{},{}]`, `["day",null]`, `["day",{"pnl":"1.0","roi":"0.1"}]`, `["day",{"roi":"0.1","vlm":"1.0"}]`, day + "," + day,
		windowPair("day", "1e400", "0.1", "2.0"), windowPair("day", "1.0", "much", "2.0"), windowPair("day", "1.0", "0.1", "-2.0"), windowPair("day", "Infinity", "0.1", "2.0"),
	} {
		bad = append(bad, leaderRow("0xcc00000000000000000000000000000000000000", "1.0", window))
	}
	b := boardOf(append([]string{leaderRow(good, "5.0", day)}, bad...)...)
	got, err := b.adapter().PerpLeaderboard(t.Context(), 100)
	if err != nil || len(got) != 1 || got[0].ValueUSD != 5 || b.dropped != len(bad) {
		t.Errorf("%+v, %v, %d dropped of %d", got, err, b.dropped, len(bad))
	}
}

// Whatever the list and its order, what is kept are the best of each window, as sorting the whole list gives them.
func TestTheBestOfEachWindowAreKept(t *testing.T) {
	names := []string{"day", "week", "month", "allTime"}
	rapid.Check(t, func(t *rapid.T) {
		ofEach := rapid.IntRange(1, 6).Draw(t, "of each")
		type entry struct {
			account chain.Address
			profit  [4]int
			told    [4]bool
		}
		entries := make([]entry, rapid.IntRange(0, 25).Draw(t, "rows"))
		rows := make([]string, len(entries))
		for i := range entries {
			e := &entries[i]
			e.account = chain.Address{byte(i*37 + 1), byte(i)}
			var windows []string
			for w, name := range names {
				// Few profits, so that many are equal.
				e.profit[w], e.told[w] = rapid.IntRange(-3, 3).Draw(t, "profit"), rapid.IntRange(0, 9).Draw(t, "told") > 0
				if e.told[w] {
					windows = append(windows, windowPair(name, fmt.Sprint(e.profit[w]), "0.0", "1.0"))
				}
			}
			rows[i] = leaderRow(e.account.String(), "1.0", windows...)
		}
		kept := map[chain.Address]bool{}
		for w := range names {
			ranked := slices.DeleteFunc(slices.Clone(entries), func(e entry) bool { return !e.told[w] })
			slices.SortFunc(ranked, func(a, b entry) int {
				return cmp.Or(cmp.Compare(b.profit[w], a.profit[w]), bytes.Compare(a.account[:], b.account[:]))
			})
			for _, e := range ranked[:min(ofEach, len(ranked))] {
				kept[e.account] = true
			}
		}
		got, err := boardOf(rapid.Permutation(rows).Draw(t, "order")...).adapter().PerpLeaderboard(t.Context(), ofEach)
		if err != nil || got == nil || len(got) != len(kept) {
			t.Fatalf("%d leaders, %v; want %d", len(got), err, len(kept))
		}
		for i, leader := range got {
			if !kept[leader.Account] || i > 0 && bytes.Compare(got[i-1].Account[:], leader.Account[:]) >= 0 {
				t.Fatalf("leader %d of %+v", i, got)
			}
		}
	})
}

func TestLeaderboardFailuresAreNeverFacts(t *testing.T) {
	for _, answer := range []board{
		{body: `null`}, {body: `{}`}, {body: `[]`}, {body: `7`}, {body: ``}, {body: `<html></html>`}, {body: `{"leaderboardRows":null}`},
		{body: `{"leaderboardRows":{}}`}, {body: `{"leaderboardRows":[{}]}`}, {body: `{"leaderboardRows":[`}, {body: `{"leaderboardRows":[]}{}`},
		{status: 404, body: `{"leaderboardRows":[]}`}, {status: 429}, {status: 500, body: `null`},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if got, err := answer.adapter().PerpLeaderboard(ctx, 3); !errors.Is(err, market.ErrUnavailable) {
				t.Errorf("%d %q: %+v, %v", answer.status, answer.body, got, err)
			}
		})
	}
	if got, err := boardOf().adapter().PerpLeaderboard(t.Context(), 3); err != nil || len(got) != 0 {
		t.Errorf("an empty list: %+v, %v", got, err)
	}
	nobody := boardOf()
	if _, err := nobody.adapter().PerpLeaderboard(t.Context(), 0); err == nil || len(nobody.asked) > 0 {
		t.Errorf("none of each: %v after %d calls", err, len(nobody.asked))
	}
}

func FuzzLeaderboard(f *testing.F) {
	row := leaderRow("0xBB000000000000000000000000000000000000cd", "1.0", windowPair("day", "1e3", "-0.5", "3"), windowPair("allTime", "-2", "", "1"))
	for _, body := range []string{boardOf(row, `{}`).body, boardOf(row, row).body, `{"leaderboardRows":[7,null],"leaderboardRows":[]}`, `{"leaderboardRows":`, `[]`} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		board := newLeaderboard(2)
		if board.read(jsontext.NewDecoder(bytes.NewReader(body), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))) != nil {
			return
		}
		leaders := board.leaders()
		if len(leaders) > 8 || board.dropped > board.rows || board.rows > 0 && board.dropped == board.rows {
			t.Fatalf("%d leaders, %d dropped of %d", len(leaders), board.dropped, board.rows)
		}
		for i, leader := range leaders {
			plausible(t, leader.ValueUSD)
			if leader.Account == (chain.Address{}) || i > 0 && bytes.Compare(leaders[i-1].Account[:], leader.Account[:]) >= 0 || len(leader.Windows) == 0 {
				t.Fatalf("%+v", leaders)
			}
			for window, figures := range leader.Windows {
				plausible(t, figures.PnLUSD, figures.VolumeUSD, figures.Return)
				if math.IsNaN(figures.PnLUSD) || !(figures.VolumeUSD >= 0) || !slices.Contains([]market.LeaderboardWindow{
					market.DayWindow, market.WeekWindow, market.MonthWindow, market.AllTimeWindow}, window) {
					t.Fatalf("%s: %+v", window, figures)
				}
			}
		}
	})
}

// manyLeaders writes a list of so many rows while it is read.
type manyLeaders struct {
	rows, next int
	left       []byte
}

func (m *manyLeaders) Read(into []byte) (int, error) {
	for len(m.left) == 0 {
		switch {
		case m.next > m.rows:
			return 0, io.EOF
		case m.next == m.rows:
			m.left = []byte(`]}`)
		default:
			windows := make([]string, 0, 4)
			for i, name := range []string{"day", "week", "month", "allTime"} {
				windows = append(windows, windowPair(name, fmt.Sprint((m.next*7919+i)%m.rows)+".123456", "-0.0212345678901", "123456789.0123456789"))
			}
			begin := `,`
			if m.next == 0 {
				begin = `{"leaderboardRows":[`
			}
			m.left = []byte(begin + leaderRow(chain.Address{byte(m.next), byte(m.next >> 8), byte(m.next >> 16), 1}.String(), "12345678.901234", windows...))
		}
		m.next++
	}
	n := copy(into, m.left)
	m.left = m.left[n:]
	return n, nil
}

// BenchmarkLeaderboard reads a list as long as the venue's. Per row it takes what it takes to read one; it holds the leaders alone.
func BenchmarkLeaderboard(b *testing.B) {
	for _, rows := range []int{3_000, 30_000} {
		b.Run(fmt.Sprint(rows, " rows"), func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				board := newLeaderboard(200)
				if err := board.read(jsontext.NewDecoder(&manyLeaders{rows: rows}, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))); err != nil {
					b.Fatal(err)
				}
				if leaders := board.leaders(); len(leaders) < 200 || len(leaders) > 800 || board.dropped > 0 {
					b.Fatal(len(leaders), board.dropped)
				}
			}
		})
	}
}
