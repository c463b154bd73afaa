package predictvenue

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket/seeded"
)

var testStart = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func after(days float64) time.Time {
	return testStart.Add(time.Duration(days * 24 * float64(time.Hour)))
}

func venueAt(seed uint64, days float64) *Venue {
	v := New(Config{Seed: seed, Start: testStart})
	v.Advance(after(days))
	return v
}

// shared is a venue after 200 days, which no test may let go on.
var shared = sync.OnceValue(func() *Venue { return venueAt(1, 200) })

func encoded(t testing.TB, answer any) string {
	t.Helper()
	raw, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// wallets are the wallets of a kind that have done anything.
func wallets(v *Venue, kind string) []*wallet {
	var list []*wallet
	for _, w := range v.wallets {
		if w.kind.name == kind && len(w.entries) > 0 {
			list = append(list, w)
		}
	}
	return list
}

// digest is a fingerprint of what the venue answers to a cross-section of queries.
func digest(t testing.TB, v *Venue) string {
	t.Helper()
	sum := sha256.New()
	ask := func(_ int, answer any) { sum.Write([]byte(encoded(t, answer))) }
	for i, w := range v.wallets {
		if i%5 != 0 {
			continue
		}
		user := url.Values{"user": {w.address}, "limit": {"30"}}
		ask(v.Data([]string{"positions"}, user))
		ask(v.Data([]string{"closed-positions"}, user))
		ask(v.Data([]string{"activity"}, user))
		ask(v.Data([]string{"trades"}, user))
	}
	ask(v.Data([]string{"v1", "leaderboard"}, url.Values{"timePeriod": {"WEEK"}}))
	ask(v.Gamma([]string{"markets"}, url.Values{"limit": {"30"}}))
	ask(v.Gamma([]string{"markets"}, url.Values{"limit": {"30"}, "closed": {"true"}}))
	ask(v.CLOB([]string{"markets"}, nil))
	ask(200, v.Truth())
	ask(200, v.Samples())
	return hex.EncodeToString(sum.Sum(nil))
}

// The venue does not depend on the steps in which time arrives, and going back changes nothing.
func TestStepIndependence(t *testing.T) {
	const days = 9
	want := digest(t, venueAt(3, days))
	s := seeded.NewStream(17)
	for range 6 {
		v := New(Config{Seed: 3, Start: testStart})
		for range s.IntN(40) {
			v.Advance(after(s.Between(-1, days)))
		}
		v.Advance(after(days))
		v.Advance(after(days / 2))
		if digest(t, v) != want {
			t.Fatal("the venue depends on the steps")
		}
	}
	v := New(Config{Seed: 3, Start: testStart})
	for at := testStart; at.Before(after(days)); at = at.Add(797 * time.Second) {
		v.Advance(at)
	}
	v.Advance(after(days))
	if digest(t, v) != want {
		t.Error("the venue depends on being watched all the time")
	}
}

// What was true at a time stays as it was: later trades are added at the end, and nothing earlier changes.
func TestTheFutureAddsAndChangesNothing(t *testing.T) {
	v := New(Config{Seed: 5, Start: testStart})
	v.Advance(after(20))
	before := make([]entry, v.lines)
	for i := range v.lines {
		before[i] = *v.line(i)
	}
	closed := 0
	for _, e := range v.events {
		if v.isClosed(e) {
			closed++
		}
	}
	v.Advance(after(30))
	for i := range before {
		if *v.line(int32(i)) != before[i] {
			t.Fatalf("line %d changed", i)
		}
	}
	later := 0
	for _, e := range v.events {
		if v.isClosed(e) {
			later++
		}
	}
	if int(v.lines) < len(before)*5/4 || later <= closed || later == len(v.events) {
		t.Errorf("ten days brought %d lines to %d and %d outcomes to %d", v.lines, len(before), later, closed)
	}
	for i := int32(1); i < v.lines; i++ {
		if v.line(i).at < v.line(i-1).at {
			t.Fatal("lines are out of order")
		}
		if v.line(i).at > v.now {
			t.Fatal("a line is from the future")
		}
	}
}

func TestSeedsDiffer(t *testing.T) {
	if digest(t, venueAt(1, 3)) == digest(t, venueAt(2, 3)) {
		t.Error("two seeds make one venue")
	}
}

// The golden fingerprint of a small venue: it changes when anything about the venue does, which is then to be meant.
func TestGolden(t *testing.T) {
	const want = "02487d0d484c70482e5d9ab2c7c1ec64fbeaa10324923a96127998bb30920b71"
	if got := digest(t, venueAt(7, 15)); got != want {
		t.Errorf("fingerprint %s, want %s", got, want)
	}
}

// Everything that answers may do so side by side.
func TestAnswersRunSideBySide(t *testing.T) {
	v := venueAt(2, 12)
	want := digest(t, v)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			if got := digest(t, v); got != want {
				t.Error("an answer changed beside others")
			}
		})
	}
	group.Wait()
}

// Every dollar that was paid in is with a wallet, behind the shares of an event, or kept as a fee; and what stands behind an event's
// shares is what they are going to be worth, whichever way it ends.
func TestConservation(t *testing.T) {
	v := New(Config{Seed: 11, Start: testStart})
	seen := map[entryKind]int{}
	for _, days := range []float64{5, 13.3, 40, 75} {
		v.Advance(after(days))
		cash, deposits := v.fees, int64(0)
		for _, w := range v.wallets {
			if w.cash < 0 {
				t.Errorf("day %v: %s owes money", days, w.kind.name)
			}
			cash, deposits = cash+w.cash, deposits+w.deposits
		}
		for _, e := range v.events {
			cash += e.collateral
			checkBacking(t, v, e)
		}
		if cash != deposits {
			t.Errorf("day %v: %d there, %d paid in", days, cash, deposits)
		}
	}
	for i := range v.lines {
		seen[v.line(i).kind]++
	}
	for kind, word := range entryWords {
		if seen[entryKind(kind)] < 3 {
			t.Errorf("only %d lines of %s: the test shows little", seen[entryKind(kind)], word)
		}
	}
}

func checkBacking(t *testing.T, v *Venue, e *event) {
	t.Helper()
	outstanding := make([][2]int64, len(e.markets))
	for i, m := range e.markets {
		for outcome := range uint8(2) {
			for _, w := range v.wallets {
				held := w.shares(m, outcome)
				if held < 0 {
					t.Errorf("%s holds %d shares", w.kind.name, held)
				}
				outstanding[i][outcome] += held
			}
		}
	}
	if v.isClosed(e) {
		worth := int64(0)
		for i, m := range e.markets {
			for outcome := range uint8(2) {
				worth += m.worth(outcome, outstanding[i][outcome])
			}
		}
		if worth != e.collateral {
			t.Errorf("event %d: %d stand behind shares worth %d", e.index, e.collateral, worth)
		}
		return
	}
	ends := len(e.markets)
	if e.form != exclusive {
		ends = 2 // all yes and all no are the furthest apart
	}
	for end := range ends {
		worth := int64(0)
		for i := range outstanding {
			yes := i == end
			if e.form != exclusive {
				yes = end == 0
			}
			if yes {
				worth += outstanding[i][0]
			} else {
				worth += outstanding[i][1]
			}
		}
		if worth != e.collateral {
			t.Errorf("event %d (form %d) ending in %d: %d stand behind shares worth %d", e.index, e.form, end, e.collateral, worth)
		}
	}
}

func BenchmarkNewAndAdvance(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		venueAt(1, 200)
	}
}
