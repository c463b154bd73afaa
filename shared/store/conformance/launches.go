package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// midnight begins the day of epoch.
var midnight = epoch.Truncate(24 * time.Hour)

func newLaunch(chain, token string, at time.Time) store.Launch {
	return store.Launch{Chain: chain, Token: token, At: at, Data: fmt.Appendf(nil, "{\"token\":%q,\"bytes\":\"\x00\xff\"}", token)}
}

func examined(launch store.Launch, at time.Time, outcome string) store.Launch {
	launch.ExaminedAt, launch.Outcome = at, []byte(outcome)
	return launch
}

func wantLaunches(t tester, s Stores, chain string, day time.Time, want ...store.Launch) {
	t.Helper()
	got, err := s.Launches.OfDay(t.Context(), chain, day)
	mustDo(t, err)
	if got == nil || len(got) != len(want) {
		t.Fatalf("%d launches of %s on %v, want %d, and never nil", len(got), chain, day, len(want))
	}
	for i := range want {
		if got[i].Chain != want[i].Chain || got[i].Token != want[i].Token || !sameTime(got[i].At, want[i].At) || !sameTime(got[i].ExaminedAt, want[i].ExaminedAt) ||
			!bytes.Equal(got[i].Data, want[i].Data) || !bytes.Equal(got[i].Outcome, want[i].Outcome) {
			t.Errorf("launch %d of %s: %+v, want %+v", i, chain, got[i], want[i])
		}
	}
}

func wantKnownUntil(t tester, s Stores, chain string, day, want time.Time) {
	t.Helper()
	got, err := s.Launches.KnownUntil(t.Context(), chain, day)
	mustDo(t, err)
	if !sameTime(got, want) {
		t.Errorf("launches of %s on %v are known until %v, want %v in UTC", chain, day, got, want)
	}
}

func checkLaunches(t *testing.T, s Stores) {
	ctx := t.Context()
	end := midnight.Add(24 * time.Hour)
	wantLaunches(t, s, "base", epoch)
	wantKnownUntil(t, s, "base", epoch, time.Time{})
	wantError(t, "Examine before Register", s.Launches.Examine(ctx, examined(newLaunch("base", "0x2", epoch), epoch, "{}")), store.ErrNotFound)

	// The first and the last instant of the day, whatever the zone of the clock says; they come by token.
	first := newLaunch("base", "0x3", midnight.In(time.FixedZone("ahead", 7200)))
	last := newLaunch("base", "0x1", end.Add(-1).In(time.FixedZone("behind", -7200)))
	mustDo(t, s.Launches.Register(ctx, "base", last.At, []store.Launch{first, last}, epoch.In(time.FixedZone("far", 3600))))
	wantLaunches(t, s, "base", midnight, last, first)
	wantKnownUntil(t, s, "base", end.Add(-1), epoch)
	wantLaunches(t, s, "base", midnight.Add(-1))
	wantLaunches(t, s, "base", end)
	wantKnownUntil(t, s, "base", end, time.Time{})

	// A token's first launch of the day is kept, within a call too, and the note never goes back.
	again := newLaunch("base", "0x3", epoch)
	again.Data = []byte("again")
	second := newLaunch("base", "0x2", epoch)
	other := second
	other.Data = []byte("other")
	mustDo(t, s.Launches.Register(ctx, "base", midnight, []store.Launch{again, second, other}, epoch.Add(-1)))
	wantLaunches(t, s, "base", midnight, last, second, first)
	wantKnownUntil(t, s, "base", midnight, epoch)
	mustDo(t, s.Launches.Register(ctx, "base", midnight, nil, epoch.Add(1)))
	wantKnownUntil(t, s, "base", midnight, epoch.Add(1))
	mustDo(t, s.Launches.Register(ctx, "base", midnight, nil, end.Add(30*24*time.Hour)))
	wantKnownUntil(t, s, "base", midnight, end.Add(30*24*time.Hour))

	// The first outcome is kept, registering again does not touch it, and nothing else of the launch changes with it.
	mustDo(t, s.Launches.Examine(ctx, examined(other, epoch.Add(time.Hour), "pumped")))
	second = examined(second, epoch.Add(time.Hour), "pumped")
	wantError(t, "Examine again", s.Launches.Examine(ctx, examined(second, epoch.Add(2*time.Hour), "dead")), store.ErrConflict)
	mustDo(t, s.Launches.Register(ctx, "base", midnight, []store.Launch{other}, epoch))
	wantLaunches(t, s, "base", midnight, last, second, first)

	// A day that is known and had nothing is not one that nobody looked at.
	mustDo(t, s.Launches.Register(ctx, "base", end, nil, end.Add(time.Minute)))
	wantLaunches(t, s, "base", end)
	wantKnownUntil(t, s, "base", end, end.Add(time.Minute))

	// The largest are kept, and more than any engine reads or writes in one piece.
	var many []store.Launch
	for i := range 40 {
		launch := newLaunch("many", fmt.Sprintf("0x%04d", i), epoch.Add(time.Duration(i)))
		launch.Data = bytes.Repeat([]byte{0xfe, byte(i)}, store.MaximumLaunch/2)
		many = append(many, launch)
	}
	mustDo(t, s.Launches.Register(ctx, "many", midnight, many[20:30], epoch))
	mustDo(t, s.Launches.Register(ctx, "many", midnight, many, epoch))
	many[7] = examined(many[7], epoch, strings.Repeat("x", store.MaximumLaunch))
	mustDo(t, s.Launches.Examine(ctx, many[7]))
	wantLaunches(t, s, "many", midnight, many...)
}

// checkSimilarLaunches: chains, days and tokens whose names begin alike do not see each other.
func checkSimilarLaunches(t *testing.T, s Stores) {
	ctx := t.Context()
	chains := []string{"b", "bb", "b-1", "B", "b!", strings.Repeat("b", 128)}
	tokens := []string{"!", "0x1", "0x10", "0x1-", "0X1", "KNOWNUNTIL", "known", strings.Repeat("t", 128)}
	for i, chain := range chains {
		for d := range 3 {
			day := midnight.Add(time.Duration(d) * 24 * time.Hour)
			var launches []store.Launch
			for j, token := range tokens {
				if (i+d+j)%2 == 0 {
					launches = append(launches, newLaunch(chain, token, day.Add(time.Duration(j))))
				}
			}
			mustDo(t, s.Launches.Register(ctx, chain, day, launches, day.Add(time.Duration(i))))
		}
	}
	for i, chain := range chains {
		for d := range 3 {
			day := midnight.Add(time.Duration(d) * 24 * time.Hour)
			var want []store.Launch
			for j, token := range tokens {
				launch := newLaunch(chain, token, day.Add(time.Duration(j)))
				if (i+d+j)%2 == 0 {
					want = append(want, launch)
				} else {
					wantError(t, "Examine of a neighbour's", s.Launches.Examine(ctx, examined(launch, epoch, "{}")), store.ErrNotFound)
				}
			}
			slices.SortFunc(want, byToken)
			wantLaunches(t, s, chain, day, want...)
			wantKnownUntil(t, s, chain, day, day.Add(time.Duration(i)))
		}
	}
}

func byToken(a, b store.Launch) int { return strings.Compare(a.Token, b.Token) }

// checkConcurrentLaunches: of those that register one token at once one is kept, none of the others is lost, and of those that
// examine it one does, whoever registers it again meanwhile.
func checkConcurrentLaunches(t *testing.T, s Stores) {
	ctx := t.Context()
	launch := func(token string, by int) store.Launch {
		launch := newLaunch("rush", token, epoch.Add(time.Duration(by)))
		launch.Data = fmt.Append(nil, by)
		return launch
	}
	atOnce(racers, func(i int) {
		own := launch(fmt.Sprintf("own-%02d", i), i)
		if err := s.Launches.Register(ctx, "rush", midnight, []store.Launch{launch("shared", i), own}, epoch.Add(time.Duration(i))); err != nil {
			t.Errorf("Register: %v", err)
		}
	})
	kept := must[[]store.Launch](t)(s.Launches.OfDay(ctx, "rush", midnight))
	var by int
	if _, err := fmt.Sscan(string(kept[len(kept)-1].Data), &by); err != nil {
		t.Fatal(err)
	}
	var want []store.Launch
	for i := range racers {
		want = append(want, launch(fmt.Sprintf("own-%02d", i), i))
	}
	wantLaunches(t, s, "rush", midnight, append(slices.Clone(want), launch("shared", by))...)
	wantKnownUntil(t, s, "rush", midnight, epoch.Add(racers-1))

	var winner, written atomic.Int64
	atOnce(racers, func(i int) {
		if i%2 == 0 {
			if err := s.Launches.Register(ctx, "rush", midnight, []store.Launch{launch("shared", i)}, epoch); err != nil {
				t.Errorf("Register: %v", err)
			}
			return
		}
		switch err := s.Launches.Examine(ctx, examined(launch("shared", i), epoch.Add(time.Duration(i)), fmt.Sprint(i))); {
		case err == nil:
			written.Add(1)
			winner.Store(int64(i))
		case !errors.Is(err, store.ErrConflict):
			t.Errorf("Examine: %v", err)
		}
	})
	if written.Load() != 1 {
		t.Errorf("%d outcomes of one launch were written, want 1", written.Load())
	}
	outcome := examined(launch("shared", by), epoch.Add(time.Duration(winner.Load())), fmt.Sprint(winner.Load()))
	wantLaunches(t, s, "rush", midnight, append(want, outcome)...)
}

// checkLaunchModel compares random calls with maps.
func checkLaunchModel(t *testing.T, s Stores) {
	ctx := t.Context()
	rapid.Check(t, func(t *rapid.T) {
		chain := unique("chain")
		kept, known := [2]map[string]store.Launch{{}, {}}, [2]time.Time{}
		token := rapid.SampledFrom([]string{"a", "b", "a-b", "ab"})
		moment := rapid.Map(rapid.Int64Range(0, int64(24*time.Hour)-1), func(n int64) time.Duration { return time.Duration(n) })
		for range rapid.IntRange(1, 4).Draw(t, "calls") {
			d := rapid.IntRange(0, 1).Draw(t, "day")
			day := midnight.Add(time.Duration(d) * 24 * time.Hour)
			if rapid.Bool().Draw(t, "register") {
				var launches []store.Launch
				for range rapid.IntRange(0, 3).Draw(t, "launches") {
					launch := newLaunch(chain, token.Draw(t, "token"), day.Add(moment.Draw(t, "at")))
					launch.Data = rapid.SliceOfN(rapid.Byte(), 1, 8).Draw(t, "data")
					launches = append(launches, launch)
					if _, taken := kept[d][launch.Token]; !taken {
						kept[d][launch.Token] = launch
					}
				}
				until := day.Add(2 * moment.Draw(t, "until"))
				if until.After(known[d]) {
					known[d] = until
				}
				mustDo(t, s.Launches.Register(ctx, chain, day.Add(moment.Draw(t, "of day")), launches, until))
				continue
			}
			launch := newLaunch(chain, token.Draw(t, "token"), day.Add(moment.Draw(t, "at")))
			launch = examined(launch, epoch.Add(moment.Draw(t, "examined")), rapid.StringMatching(`[a-z]{1,4}`).Draw(t, "outcome"))
			registered, found := kept[d][launch.Token]
			switch err := s.Launches.Examine(ctx, launch); {
			case !found:
				wantError(t, "Examine", err, store.ErrNotFound)
			case !registered.ExaminedAt.IsZero():
				wantError(t, "Examine", err, store.ErrConflict)
			default:
				mustDo(t, err)
				kept[d][launch.Token] = examined(registered, launch.ExaminedAt, string(launch.Outcome))
			}
		}
		for d := range kept {
			day := midnight.Add(time.Duration(d) * 24 * time.Hour)
			wantLaunches(t, s, chain, day, slices.SortedFunc(maps.Values(kept[d]), byToken)...)
			wantKnownUntil(t, s, chain, day, known[d])
		}
	})
}

func checkInvalidLaunches(t *testing.T, s Stores) {
	ctx := t.Context()
	good := newLaunch("invalid", "good", epoch)
	for _, id := range []string{"", "a b", "a#b", strings.Repeat("x", 129)} {
		wantError(t, "Register", s.Launches.Register(ctx, id, epoch, nil, epoch), store.ErrInvalid)
		wantError(t, "Register", s.Launches.Register(ctx, "invalid", epoch, []store.Launch{good, newLaunch("invalid", id, epoch)}, epoch), store.ErrInvalid)
		wantError(t, "Examine", s.Launches.Examine(ctx, examined(newLaunch(id, "good", epoch), epoch, "{}")), store.ErrInvalid)
		wantError(t, "Examine", s.Launches.Examine(ctx, examined(newLaunch("invalid", id, epoch), epoch, "{}")), store.ErrInvalid)
		_, err := s.Launches.KnownUntil(ctx, id, epoch)
		wantError(t, "KnownUntil", err, store.ErrInvalid)
		_, err = s.Launches.OfDay(ctx, id, epoch)
		wantError(t, "OfDay", err, store.ErrInvalid)
	}
	wantError(t, "Register for no day", s.Launches.Register(ctx, "invalid", time.Time{}, nil, epoch), store.ErrInvalid)
	wantError(t, "Register until no time", s.Launches.Register(ctx, "invalid", epoch, nil, time.Time{}), store.ErrInvalid)
	_, err := s.Launches.KnownUntil(ctx, "invalid", time.Time{})
	wantError(t, "KnownUntil of no day", err, store.ErrInvalid)
	_, err = s.Launches.OfDay(ctx, "invalid", time.Time{})
	wantError(t, "OfDay of no day", err, store.ErrInvalid)

	large := make([]byte, store.MaximumLaunch+1)
	for what, bad := range map[string]store.Launch{
		"another chain": newLaunch("base", "bad", epoch), "no time": newLaunch("invalid", "bad", time.Time{}),
		"the day before": newLaunch("invalid", "bad", midnight.Add(-1)), "the day after": newLaunch("invalid", "bad", midnight.Add(24*time.Hour)),
		"no data": {Chain: "invalid", Token: "bad", At: epoch}, "too much data": {Chain: "invalid", Token: "bad", At: epoch, Data: large},
		"an outcome": examined(newLaunch("invalid", "bad", epoch), epoch, "{}"),
	} {
		wantError(t, what, s.Launches.Register(ctx, "invalid", epoch, []store.Launch{good, bad}, epoch), store.ErrInvalid)
	}
	wantLaunches(t, s, "invalid", epoch)
	wantKnownUntil(t, s, "invalid", epoch, time.Time{})

	mustDo(t, s.Launches.Register(ctx, "invalid", epoch, []store.Launch{good}, epoch))
	for what, bad := range map[string]store.Launch{
		"no outcome": good, "an outcome of no time": {Chain: good.Chain, Token: good.Token, At: epoch, Data: good.Data, Outcome: []byte("{}")},
		"a time without outcome": {Chain: good.Chain, Token: good.Token, At: epoch, Data: good.Data, ExaminedAt: epoch},
		"too large an outcome":   examined(good, epoch, string(large)), "a year too early": examined(good, time.Date(1969, 1, 1, 0, 0, 0, 0, time.UTC), "{}"),
	} {
		wantError(t, what, s.Launches.Examine(ctx, bad), store.ErrInvalid)
	}
	wantLaunches(t, s, "invalid", epoch, good)
}

// checkLaunchMemory: neither what goes in nor what comes out shares bytes with the store.
func checkLaunchMemory(t *testing.T, s Stores) {
	ctx := t.Context()
	want := examined(newLaunch("memory", "0x1", epoch), epoch, "outcome")
	passed, outcome := newLaunch("memory", "0x1", epoch), examined(newLaunch("memory", "0x1", epoch), epoch, "outcome")
	mustDo(t, s.Launches.Register(ctx, "memory", epoch, []store.Launch{passed}, epoch))
	clear(passed.Data)
	mustDo(t, s.Launches.Examine(ctx, outcome))
	clear(outcome.Outcome)
	got := must[[]store.Launch](t)(s.Launches.OfDay(ctx, "memory", epoch))
	clear(got[0].Data)
	clear(got[0].Outcome)
	wantLaunches(t, s, "memory", epoch, want)
}

func checkEndedLaunches(t *testing.T, s Stores) {
	ctx := t.Context()
	launch := newLaunch("ended", "0x1", epoch)
	mustDo(t, s.Launches.Register(ctx, "ended", epoch, []store.Launch{launch}, epoch))
	ended, cancel := context.WithCancel(ctx)
	cancel()
	for name, call := range map[string]func() error{
		"Register": func() error {
			return s.Launches.Register(ended, "ended", epoch, []store.Launch{newLaunch("ended", "0x2", epoch)}, epoch.Add(1))
		},
		"KnownUntil": func() error { _, err := s.Launches.KnownUntil(ended, "ended", epoch); return err },
		"OfDay":      func() error { _, err := s.Launches.OfDay(ended, "ended", epoch); return err },
		"Examine":    func() error { return s.Launches.Examine(ended, examined(launch, epoch, "{}")) },
	} {
		wantError(t, name, call(), context.Canceled)
	}
	wantLaunches(t, s, "ended", epoch, launch)
	wantKnownUntil(t, s, "ended", epoch, epoch)
}
