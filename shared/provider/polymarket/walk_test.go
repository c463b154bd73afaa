package polymarket

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// log is a history as the service keeps it, newest first.
type log struct {
	rows []logged
	// deepest is the last offset that is answered.
	deepest int
	// repeats makes offsets beyond the deepest answer like it, as they once did. exclusive leaves the end itself out. grows adds a row
	// before every answer but the first. deaf ignores the end.
	repeats, exclusive, grows, deaf bool
	answers                         int
}

// logged is a row: two that are equal are two fills of one transaction.
type logged struct{ second, n int }

const logStart = 1_700_000_000

func (l *log) answer(_ string, query url.Values) (int, string) {
	limit, _ := strconv.Atoi(query.Get("limit"))
	offset, _ := strconv.Atoi(query.Get("offset"))
	if offset > l.deepest {
		if !l.repeats {
			return 400, `{"error":"max historical activity offset exceeded"}`
		}
		offset = l.deepest
	}
	l.answers++
	if l.grows && l.answers > 1 {
		l.rows = slices.Insert(l.rows, 0, logged{l.rows[0].second + 10, 1_000_000 + l.answers})
	}
	rows := l.rows
	if end, err := strconv.ParseInt(query.Get("end"), 10, 64); err == nil && !l.deaf {
		rows = slices.DeleteFunc(slices.Clone(rows), func(r logged) bool {
			return int64(r.second+logStart) > end || (l.exclusive && int64(r.second+logStart) == end)
		})
	}
	var written []string
	for _, row := range rows[min(offset, len(rows)):min(offset+limit, len(rows))] {
		written = append(written, fmt.Sprintf(`{"timestamp":%d,"size":%d}`, row.second+logStart, row.n))
	}
	return 200, array(written...)
}

func byTime(a, b logged) int { return cmp.Or(cmp.Compare(b.second, a.second), cmp.Compare(a.n, b.n)) }

// walked reads a log and gives its rows in the order of byTime.
func walked(t interface{ Fatal(...any) }, ctx testing.TB, l *log, far reach) (stretch, []logged) {
	a, s := adapter(nil)
	// One at a time, so that a log that changes with every answer changes alike in every run.
	s.answer = func(path string, query url.Values) (int, string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		return l.answer(path, query)
	}
	h := history{a.data, activityPath, url.Values{}, wallet, far}
	read, err := h.read(ctx.Context())
	if err != nil {
		t.Fatal(err)
	}
	var rows []logged
	for _, entry := range read.entries {
		n, _ := entry.Size.Count()
		rows = append(rows, logged{int(entry.at.Unix() - logStart), n})
	}
	if !slices.IsSortedFunc(rows, func(a, b logged) int { return cmp.Compare(b.second, a.second) }) {
		t.Fatal("not the latest first", rows)
	}
	slices.SortFunc(rows, byTime)
	return read, rows
}

// Whatever the length of a history, how many rows share a second or are alike, and however offsets and ends are understood, every row
// is read as often as it is there.
func TestHistoriesAreReadWholeAndOnce(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		page := rapid.IntRange(3, 6).Draw(r, "page")
		l := &log{
			deepest: page * rapid.IntRange(1, 6).Draw(r, "deepest"), repeats: rapid.Bool().Draw(r, "repeats"), exclusive: rapid.Bool().Draw(r, "exclusive"),
		}
		second := 10_000
		for range rapid.IntRange(0, 60).Draw(r, "rows") {
			// Fewer rows a second than a window has, or no reader gets past that second.
			if len(l.rows) > 0 && (len(l.rows) < page || l.rows[len(l.rows)-page+1].second != second) && rapid.Bool().Draw(r, "same second") {
				l.rows = append(l.rows, logged{second, rapid.IntRange(1, 2).Draw(r, "n")})
				continue
			}
			second -= rapid.IntRange(1, 3).Draw(r, "gap")
			l.rows = append(l.rows, logged{second, rapid.IntRange(1, 2).Draw(r, "n")})
		}
		if l.exclusive && l.deepest+page < len(l.rows) {
			// Who leaves out the end loses the rest of a second that a window cuts in two: each has a second of its own.
			for i := range l.rows {
				l.rows[i].second = 10_000 - i
			}
		}
		read, got := walked(r, t, l, reach{page: page, pages: 7, rows: 1000, windows: 100})
		want := slices.Clone(l.rows)
		slices.SortFunc(want, byTime)
		if !slices.Equal(got, want) || read.truncated || !read.since.IsZero() || read.dropped != 0 {
			r.Fatalf("truncated %v\ngot  %v\nwant %v", read.truncated, got, want)
		}
	})
}

func TestWhatHappensMeanwhileShiftsNothing(t *testing.T) {
	l := &log{deepest: 20, grows: true}
	for i := range 57 {
		l.rows = append(l.rows, logged{1000 - i/2, 1 + i%2*(i%4)})
	}
	want := slices.Clone(l.rows)
	slices.SortFunc(want, byTime)
	if read, got := walked(t, t, l, reach{page: 4, pages: 6, rows: 1000, windows: 100}); !slices.Equal(got, want) || read.truncated {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	if len(l.rows) < len(want)+10 {
		t.Error("the history did not grow")
	}
}

func TestLongHistoriesAreCutAndSaySo(t *testing.T) {
	rows := make([]logged, 100)
	for i := range rows {
		rows[i] = logged{1000 - i, i}
	}
	oneSecond := make([]logged, len(rows))
	for i := range oneSecond {
		oneSecond[i] = logged{1000, i}
	}
	for name, test := range map[string]struct {
		log   *log
		reach reach
		want  int
	}{
		"the bound of rows":                  {&log{rows: rows, deepest: 1000}, reach{page: 10, pages: 20, rows: 40, windows: 10}, 40},
		"the bound within the second window": {&log{rows: rows, deepest: 10}, reach{page: 10, pages: 20, rows: 30, windows: 10}, 30},
		"the bound of windows":               {&log{rows: rows, deepest: 10}, reach{page: 10, pages: 20, rows: 1000, windows: 2}, 39},
		"a second fuller than a window":      {&log{rows: oneSecond, deepest: 10}, reach{page: 10, pages: 20, rows: 1000, windows: 10}, 20},
		"a service that ignores the end":     {&log{rows: rows, deepest: 10, deaf: true}, reach{page: 10, pages: 20, rows: 1000, windows: 10}, 20},
	} {
		read, got := walked(t, t, test.log, test.reach)
		// The second in which windows meet is read twice and counted once, so that a bound of rows may be missed by a few.
		if !read.truncated || len(got) < test.want-1 || len(got) > test.want+test.reach.page || read.since.Unix()-logStart != int64(got[len(got)-1].second) {
			t.Errorf("%s: truncated %v, %d rows since %v, want %d", name, read.truncated, len(got), read.since.Unix()-logStart, test.want)
		}
		if limit := 2 * (1 + waves[0]); name == "a second fuller than a window" && test.log.answers > limit {
			t.Errorf("%s: %d calls", name, test.log.answers)
		}
		if slices.Equal(test.log.rows, rows) && len(slices.Compact(slices.Clone(got))) != len(got) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestShortHistoriesCostOneCall(t *testing.T) {
	for rows, calls := range map[int]int{0: 1, 9: 1, 10: 4, 39: 4, 40: 11} {
		l := &log{deepest: 1000}
		for i := range rows {
			l.rows = append(l.rows, logged{1000 - i, i})
		}
		walked(t, t, l, reach{page: 10, pages: 11, rows: 1000, windows: 10})
		if l.answers != calls {
			t.Errorf("%d rows cost %d calls, want %d", rows, l.answers, calls)
		}
	}
}

func TestARefusedFirstPageIsAFailure(t *testing.T) {
	a, _ := adapter(func(string, url.Values) (int, string) { return 400, `{"error":"user is required"}` })
	if got, err := a.PredictionActivity(t.Context(), wallet); err == nil {
		t.Error(got)
	}
	if got, err := a.PredictionPositions(t.Context(), wallet); err == nil {
		t.Error(got)
	}
}

// The whole way at its real size: 6,200 rows, of which the offsets reach 5,500 and a window the rest.
func TestAWalletOfManyTrades(t *testing.T) {
	var all []string
	for i := range 6200 {
		at := ago(time.Duration(i+100) * time.Minute).Unix()
		all = append(all, fmt.Sprintf(`{"timestamp":%d,"type":"TRADE","conditionId":%q,"transactionHash":%[2]q,"asset":"7","side":"BUY","price":0.5,"size":9}`, at, writeHash(transaction(i))))
	}
	a, s := adapter(func(path string, query url.Values) (int, string) {
		offset, _ := strconv.Atoi(query.Get("offset"))
		if offset > 5000 {
			return 400, `{"error":"max historical activity offset of 5000 exceeded"}`
		}
		rows := all
		if end, err := strconv.ParseInt(query.Get("end"), 10, 64); err == nil {
			rows = rows[max(0, (now.Unix()-end)/60-100):]
		}
		if path == tradesPath {
			rows = nil
		}
		return 200, array(rows[min(offset, len(rows)):min(offset+500, len(rows))]...)
	})
	got, err := a.PredictionActivity(t.Context(), wallet)
	if err != nil || len(got.Trades) != 6200 || got.Truncated || len(s.dropped) != 0 {
		t.Fatal(len(got.Trades), got.Truncated, s.dropped, err)
	}
	for i, trade := range got.Trades {
		if trade.Transaction != transaction(6199-i) {
			t.Fatalf("trade %d is %x", i, trade.Transaction)
		}
	}
	if calls := s.calls(activityPath); calls != 11+4 {
		t.Errorf("%d calls", calls)
	}
}
