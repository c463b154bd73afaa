package leader_test

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/launchrecord"
	"github.com/mirrorworthy/mirrorworthy/shared/leader"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

func TestALaunchIsListedOnceAndExaminedOnce(t *testing.T) {
	w, m := newWorld(), memoryFor(t)
	spread := leader.DiscoverLeaders(m, w.onlyLaunches(), []*chain.Chain{base})
	made := today.Add(-2 * time.Hour)
	one := w.made(1, made)
	pass(t, spread, today, today, today.Add(day))
	all := ofDay(t, m, made)
	if len(all) != 1 || all[0].Token != one.Token.String() || !all[0].At.Equal(made) || !all[0].ExaminedAt.IsZero() {
		t.Fatalf("%+v", all)
	}
	if asked := w.questions("history"); len(asked) > 0 {
		t.Errorf("examined after two hours: %v", asked)
	}
	// An hour later only what is new is listed, and of a day that is over what was left.
	pass(t, spread, today.Add(time.Hour), today, today.Add(day))
	if asked := w.questions("launches"); !slices.Equal(asked, []string{"11-20T11:50-11-20T12:50"}) {
		t.Errorf("listed: %v", asked)
	}
	pass(t, spread, today.Add(13*time.Hour), today, today.Add(day))
	if asked := w.questions("launches"); !slices.Equal(asked, []string{"11-20T12:50-11-21T00:00", "11-21T00:00-11-21T00:50"}) {
		t.Errorf("listed: %v", asked)
	}
	// A week later it is judged, once.
	due := made.Add(7*day + time.Hour)
	pass(t, spread, due.Add(-time.Minute), today, today.Add(day))
	if asked := w.questions("history"); len(asked) > 0 {
		t.Errorf("examined too early: %v", asked)
	}
	report := pass(t, spread, due, today, today.Add(day))
	if asked := w.questions("history"); !slices.Equal(asked, []string{one.Pool}) || report["launches/base/2026-11-20"].Items != 1 {
		t.Errorf("examined: %v %+v", asked, report)
	}
	outcome, err := launchrecord.Decode(ofDay(t, m, made)[0].Outcome)
	if err != nil || outcome.Status != launchrecord.Eligible || len(outcome.Early) != 20 || outcome.LiquidityUSD != 20_000 || outcome.Rose {
		t.Errorf("%+v %v", outcome, err)
	}
	pass(t, spread, due.Add(time.Hour), today, today.Add(day))
	if asked := w.questions("history"); len(asked) > 0 {
		t.Errorf("examined again: %v", asked)
	}
	// Once the whole day is a week old it is settled and costs nothing any more.
	pass(t, spread, today.Add(8*day), today, today.Add(day))
	w.asked = nil
	plan, err := spread.Plan(t.Context(), today.Add(8*day+time.Hour))
	if err != nil || strings.Contains(string(plan.Data), "2026-11-20") {
		t.Errorf("still planned: %s %v", plan.Data, err)
	}
	if len(w.asked) > 0 {
		t.Errorf("asked for a plan: %v", w.asked)
	}
}

func TestTheFirstPassGoesBackAllOfTheWindow(t *testing.T) {
	w, m := newWorld(), memoryFor(t)
	spread := leader.DiscoverLeaders(m, w.onlyLaunches(), []*chain.Chain{base})
	w.made(1, today.Add(-100*day))
	plan, err := spread.Plan(t.Context(), today)
	if err != nil || plan.Parts != 24*7+9 {
		t.Fatalf("%d parts, %v", plan.Parts, err)
	}
	pass(t, spread, today)
	if all := ofDay(t, m, today.Add(-100*day)); len(all) != 1 || all[0].ExaminedAt.IsZero() {
		t.Errorf("%+v", all)
	}
	// Left are today, the last day that is not wholly a week old, and the one before it by the lag.
	if plan, err = spread.Plan(t.Context(), today.Add(time.Hour)); err != nil || plan.Parts != 2 {
		t.Errorf("%s %v", plan.Data, err)
	}
}

func TestWhatCannotBeExaminedIsTriedInTheNextPass(t *testing.T) {
	w, m := newWorld(), memoryFor(t)
	spread := leader.DiscoverLeaders(m, w.onlyLaunches(), []*chain.Chain{base})
	made := today.Add(-20 * day)
	for i := range 3 {
		w.made(i, made)
	}
	w.down["0xpool1"] = true
	name := "launches/base/" + made.Format(time.DateOnly)
	report := pass(t, spread, today, made)
	if p := report[name]; p.Items != 2 || p.Err == nil || !strings.Contains(p.Err.Error(), "1 of 3 launches could not be examined") {
		t.Errorf("%+v", p)
	}
	delete(w.down, "0xpool1")
	w.asked = nil
	report = pass(t, spread, today.Add(time.Hour), made)
	if p := report[name]; p.Items != 1 || p.Err != nil {
		t.Errorf("%+v", p)
	}
	if asked := w.questions("history"); !slices.Equal(asked, []string{"0xpool1"}) {
		t.Errorf("asked again: %v", asked)
	}
	if _, still := pass(t, spread, today.Add(2*time.Hour), made)[name]; still {
		t.Error("the day is not settled")
	}
}

func TestAPartOfWhichNothingSucceedsFails(t *testing.T) {
	for _, what := range []string{"launches", "history", "prices"} {
		w, m := newWorld(), memoryFor(t)
		spread := leader.DiscoverLeaders(m, w.onlyLaunches(), []*chain.Chain{base})
		w.made(1, today.Add(-20*day))
		w.down[what] = true
		of, part := planned(t, spread, today)
		begin := today.Add(-20 * day).Format(time.DateOnly)
		number := slices.Index(strings.Split(strings.Trim(string(of.Data), `[]`), ","), `"launches/base/`+begin+`"`)
		if p := part(number)[fmt.Sprintf("part %d", number)]; p.Err == nil {
			t.Errorf("%s: part %d did not fail", what, number)
		}
		delete(w.down, what)
		if p := part(number)["launches/base/"+begin]; p.Items != 1 || p.Err != nil {
			t.Errorf("%s: %+v", what, p)
		}
	}
}

func TestTwoHundredLaunchesOfADayAreExaminedWhoeverTheyAre(t *testing.T) {
	w, m := newWorld(), memoryFor(t)
	spread := leader.DiscoverLeaders(m, w.onlyLaunches(), []*chain.Chain{base})
	begin := today.Truncate(day)
	var tokens []string
	for i := range 300 {
		l := w.made(i, begin.Add(time.Duration(i)*4*time.Minute))
		delete(w.histories, l.Pool) // never traded
		tokens = append(tokens, l.Token.String())
	}
	for _, at := range []time.Duration{6 * time.Hour, 15 * time.Hour, 30 * time.Hour} {
		pass(t, spread, begin.Add(at), begin)
	}
	pass(t, spread, begin.Add(9*day), begin)
	slices.SortFunc(tokens, func(a, b string) int {
		x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
		return slices.Compare(x[:], y[:])
	})
	want := slices.Sorted(slices.Values(tokens[:200]))
	var got []string
	for _, l := range ofDay(t, m, begin) {
		if !l.ExaminedAt.IsZero() {
			got = append(got, l.Token)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%d examined, want the 200 with the smallest hashes", len(got))
	}
}

func TestOfSeveralPoolsTheFirstThatWasTradedCounts(t *testing.T) {
	w, m := newWorld(), memoryFor(t)
	spread := leader.DiscoverLeaders(m, w.onlyLaunches(), []*chain.Chain{base})
	made := today.Add(-20 * day)
	l := w.made(1, made.Add(time.Minute))
	idle := l
	idle.Pool, idle.Time, idle.Version = "0xidle", made, "v3"
	w.launches = append([]market.PoolLaunch{idle}, w.launches...)
	pass(t, spread, today, made)
	all := ofDay(t, m, made)
	if asked := w.questions("history"); !slices.Equal(asked, []string{"0xidle", "0xpool1"}) || len(all) != 1 || !all[0].At.Equal(made) {
		t.Errorf("%v %+v", asked, all)
	}
	if o, err := launchrecord.Decode(all[0].Outcome); err != nil || o.Status != launchrecord.Eligible {
		t.Errorf("%+v %v", o, err)
	}
}

func TestPartsThatNobodyPlannedAreRefused(t *testing.T) {
	spread := leader.DiscoverLeaders(memoryFor(t), newWorld().onlyLaunches(), []*chain.Chain{base})
	for _, data := range []string{"", "{}", "[]", `["perps/base"]`, `["launches/base"]`, `["launches/moon/2026-11-20"]`, `["launches/base/friday"]`, `["active/base/1"]`, `["other/base"]`} {
		if _, err := spread.Part(t.Context(), today, store.Pass{ID: "1", Data: []byte(data)}, 0); err == nil {
			t.Errorf("%s was done", data)
		}
	}
}
