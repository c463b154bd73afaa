package leader

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/job"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

func (s *scene) forecasts(t *testing.T) []store.Forecast {
	t.Helper()
	found, err := s.memory.TrackRecords.Forecasts(t.Context(), spotLeaderGate, "", "", 100)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func (s *scene) followUps(t *testing.T, wallet chain.Address) []store.FollowUp {
	t.Helper()
	found, err := s.memory.TrackRecords.FollowUps(t.Context(), spotLeaderGate, string(s.on.Slug), wallet.String(), "", 100)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(found, func(a, b store.FollowUp) int { return a.EnteredAt.Compare(b.EnteredAt) })
	return found
}

// gradedEarlyBuyer is a scene with an early buyer of a past that was graded at the opening.
func gradedEarlyBuyer(t *testing.T) (*scene, chain.Address) {
	t.Helper()
	s := newScene(t)
	me := walletNumber(1)
	s.trades(me, 10)
	s.find(t, me, EarlyBuyer, opening, early(me))
	s.pass(t, "first", opening, s.sources())
	return s, me
}

func TestAForecastIsWrittenOnce(t *testing.T) {
	s, me := gradedEarlyBuyer(t)
	first := s.forecasts(t)
	if len(first) != 1 {
		t.Fatalf("%+v", first)
	}
	f := first[0]
	leader := s.leader(t, me)
	graded, err := readGraded(&leader)
	if err != nil {
		t.Fatal(err)
	}
	read, err := readForecast(f)
	if err != nil || read.MedianGap != 3*aDay {
		t.Errorf("%+v %v", read, err)
	}
	if f.Wallet != me.String() || f.Chain != "base" || !f.GradedAt.Equal(opening) || f.MethodVersion != endpoint.MethodVersion || f.Mirrorable != graded.Assessment.Mirrorable ||
		math.Abs(f.Probability-*graded.Assessment.Forecast.WinProbability) > 0.0005 || math.Abs(f.BaseRate-*graded.Assessment.Forecast.BaseProbability) > 0.0005 {
		t.Errorf("%+v of %+v", f, graded.Assessment.Forecast)
	}
	if a := graded.Assessment; a.Evidence != closedTrades || a.Discovery.Launches != 20 || *a.Discovery.AdjustedP != 0.02 || *a.Discovery.ConfirmedP != 0.08 || a.Simulation.Trades == 0 || len(a.Reasons) < 2 {
		t.Errorf("%+v", a)
	}
	// A past that looks quite different later changes the grade, and not what was said.
	for i := range 10 {
		s.trade(me, 300+i, opening.Add(-time.Duration(20+i)*aDay), 0.7)
		s.trade(me, 300+i, opening.Add(-time.Duration(19+i)*aDay), -0.01)
	}
	s.pass(t, "second", opening.Add(time.Hour), s.sources())
	if again := s.forecasts(t); len(again) != 1 || fmt.Sprint(again[0]) != fmt.Sprint(f) {
		t.Errorf("%+v became %+v", f, again)
	}
	if len(s.followUps(t, me)) != 0 {
		t.Error("entries before the forecast are followed")
	}
	if other := walletNumber(2); len(s.followUps(t, other)) != 0 {
		t.Error("nobody forecast it")
	}
}

// Followed are entries after the hour of the forecast, once their own hour is over, at the close of that hour.
func TestEntriesAfterTheForecastAreFollowed(t *testing.T) {
	s, me := gradedEarlyBuyer(t)
	s.trade(me, 201, opening.Add(5*time.Minute), 0.5)   // within the hour of the forecast
	s.trade(me, 202, opening.Add(40*time.Minute), 0.5)  // at 13:00
	s.trade(me, 203, opening.Add(100*time.Minute), 0.5) // at 14:00
	s.price("pool-202", opening.Add(40*time.Minute), 1.25)
	s.pass(t, "second", opening.Add(99*time.Minute), s.sources()) // 13:59
	if got := s.followUps(t, me); len(got) != 0 {
		t.Errorf("the hour of its entry is not over: %+v", got)
	}
	s.pass(t, "third", opening.Add(100*time.Minute), s.sources()) // 14:00
	got := s.followUps(t, me)
	if len(got) != 1 {
		t.Fatalf("%+v", got)
	}
	f, at := got[0], opening.Add(40*time.Minute)
	if f.Token != coin(202).String() || !f.EnteredAt.Equal(at) || !f.DueAt.Equal(at.Add(7*aDay)) || !f.SeenAt.Equal(opening.Add(100*time.Minute)) || f.EntryPriceUSD != 1.25 ||
		string(f.Data) != `{"pool":"pool-202"}` || !f.ResolvedAt.IsZero() || !strings.Contains(digits, f.ID[:1]) {
		t.Errorf("%+v", f)
	}
	// What was written stays, though the provider tells another price now; the next entry comes beside it.
	s.price("pool-202", at, 9)
	s.pass(t, "fourth", opening.Add(161*time.Minute), s.sources())
	if again := s.followUps(t, me); len(again) != 2 || fmt.Sprint(again[0]) != fmt.Sprint(f) || again[1].Token != coin(203).String() {
		t.Errorf("%+v", again)
	}
}

// A price that is not there yet is waited for; one that never comes is none, and is written too.
func TestPricesOfEntriesThatComeLate(t *testing.T) {
	s, me := gradedEarlyBuyer(t)
	at := opening.Add(2 * time.Hour)
	s.trade(me, 201, at, 0.5)
	s.trade(me, 202, at.Add(time.Minute), 0.5)
	s.trade(me, 203, at.Add(2*time.Minute), 0.5)
	for h := range 10 {
		s.price("pool-202", at.Add(-time.Duration(h)*time.Hour), math.NaN())
		s.price("pool-203", at.Add(-time.Duration(h)*time.Hour), math.NaN())
	}
	s.price("pool-201", at, math.NaN())
	s.price("pool-201", at.Add(-time.Hour), 1.5)
	s.pool(203, "older")
	s.price("older", at, 3)
	s.pass(t, "second", hourAfter(at), s.sources())
	if got := s.followUps(t, me); len(got) != 0 {
		t.Errorf("without a trade in the hour: %+v", got)
	}
	s.failing["older"] = market.ErrUnavailable
	s.pass(t, "third", hourAfter(at).Add(6*time.Hour), s.sources())
	got := s.followUps(t, me)
	if len(got) != 2 || got[0].EntryPriceUSD != 1.5 || !math.IsNaN(got[1].EntryPriceUSD) || string(got[1].Data) != `{}` {
		t.Fatalf("six hours later: %+v", got)
	}
	delete(s.failing, "older")
	s.pass(t, "fourth", hourAfter(at).Add(7*time.Hour), s.sources())
	got = s.followUps(t, me)
	if len(got) != 3 || got[2].EntryPriceUSD != 3 || string(got[2].Data) != `{"pool":"older"}` {
		t.Fatalf("in another pool: %+v", got)
	}
}

// A pool that cannot be read for a day counts as one without a price: nothing is left out for ever.
func TestPoolsThatCannotBeRead(t *testing.T) {
	s, me := gradedEarlyBuyer(t)
	at := opening.Add(2 * time.Hour)
	s.trade(me, 203, at, 0.5)
	for h := range 10 {
		s.price("pool-203", at.Add(-time.Duration(h)*time.Hour), math.NaN())
	}
	s.pool(203, "older")
	s.failing["older"] = market.ErrUnavailable
	s.pass(t, "second", hourAfter(at).Add(23*time.Hour), s.sources())
	if got := s.followUps(t, me); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	s.pass(t, "third", hourAfter(at).Add(24*time.Hour), s.sources())
	if got := s.followUps(t, me); len(got) != 1 || !math.IsNaN(got[0].EntryPriceUSD) {
		t.Errorf("%+v", got)
	}
}

// Entries are followed for ninety days from the newest grading on.
func TestFollowedForNinetyDays(t *testing.T) {
	s, me := gradedEarlyBuyer(t)
	s.trade(me, 201, opening.Add(90*aDay), 0.5)
	s.trade(me, 202, opening.Add(90*aDay+time.Minute), 0.5)
	s.pass(t, "second", opening.Add(92*aDay), s.sources())
	if got := s.followUps(t, me); len(got) != 1 || got[0].Token != coin(201).String() {
		t.Errorf("%+v", got)
	}
	s.trade(me, 203, opening.Add(95*aDay), 0.5)
	s.pass(t, "third", opening.Add(96*aDay), s.sources())
	if got := s.followUps(t, me); len(got) != 3 {
		t.Errorf("the grading after them counts anew: %+v", got)
	}
}

// resolveAll runs a whole pass of resolve-track-record as of an instant.
func (s *scene) resolveAll(t *testing.T, at time.Time) (job.Report, error) {
	t.Helper()
	spread := ResolveTrackRecord(s.memory, s.sources())
	plan, err := spread.Plan(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	pass := store.Pass{Job: spread.Name, ID: "p", At: at, Parts: plan.Parts, Data: plan.Data}
	var all job.Report
	var failed error
	for part := range plan.Parts {
		report, err := spread.Part(t.Context(), at, pass, part)
		all, failed = append(all, report...), errors.Join(failed, err)
	}
	if plan.Parts > 0 {
		if _, err := spread.Conclude(t.Context(), at, pass); err != nil {
			t.Fatal(err)
		}
	}
	return all, failed
}

// Each entry is resolved once, by the price that was written and the close of the hour seven days later.
func TestEntriesAreResolvedWhenDue(t *testing.T) {
	s, me := gradedEarlyBuyer(t)
	entry := opening.Add(40 * time.Minute) // 13:00
	due := entry.Add(7 * aDay)
	for n := 201; n <= 206; n++ {
		s.trade(me, n, entry.Add(time.Duration(n-201)*time.Minute), 0.5)
	}
	s.price("pool-201", entry, 2)
	s.price("pool-201", due, 3)
	for h := range 60 { // the pool of 202 is gone before it could be sold, that of 203 too, but the coin moved on
		s.price("pool-202", due.Add(-time.Duration(h)*time.Hour), math.NaN())
		s.price("pool-203", due.Add(-time.Duration(h)*time.Hour), math.NaN())
	}
	s.pass(t, "second", entry.Add(time.Hour), s.sources())
	s.pools[coin(203)] = append([]market.Pool{{ID: "new", Token: coin(203), Quote: s.on.WrappedNative.Address, PriceUSD: 4, LiquidityUSD: 9e6}}, s.pools[coin(203)]...)
	s.price("new", due, 4)
	s.security[coin(204)] = market.TokenSecurity{Token: coin(204), Honeypot: market.Yes, SellTax: math.NaN()}
	s.security[coin(205)] = market.TokenSecurity{Token: coin(205), SellTax: 0.25}
	s.failing["pool-206"] = market.ErrUnavailable

	if report, err := s.resolveAll(t, due.Add(2*time.Hour-time.Minute)); err != nil {
		t.Error(err)
	} else if n, _ := itemsOf(report); n != 0 {
		t.Errorf("%d are resolved before the provider can know the hour's close", n)
	}
	at := due.Add(3 * time.Hour)
	report, _ := s.resolveAll(t, at)
	if n, failed := itemsOf(report); n != 5 || failed != 1 {
		t.Errorf("%d resolved, %d failed", n, failed)
	}
	want := []struct {
		word string
		net  float64
	}{{"resolved", 1.5*0.96 - 1}, {"dead", -1}, {"resolved", 4*0.96 - 1}, {"dead", -1}, {"resolved", 0.96*0.75 - 1}, {"", math.NaN()}}
	check := func() {
		t.Helper()
		for i, f := range s.followUps(t, me) {
			if f.Outcome != want[i].word || math.Abs(f.Net-want[i].net) > 1e-12 || f.ResolvedAt.IsZero() != (want[i].word == "") || math.IsNaN(f.Net) != math.IsNaN(want[i].net) {
				t.Errorf("%d: %s %v, want %s %v", i, f.Outcome, f.Net, want[i].word, want[i].net)
			}
		}
	}
	check()
	// What is written stays, whatever prices say later.
	s.price("pool-201", due, 30)
	delete(s.failing, "pool-206")
	want[5].word, want[5].net = "resolved", -0.04
	if report, err := s.resolveAll(t, at.Add(time.Hour)); err != nil {
		t.Error(err)
	} else if n, failed := itemsOf(report); n != 1 || failed != 0 {
		t.Errorf("%d resolved, %d failed", n, failed)
	}
	check()
	edition, err := s.memory.Boards.Current(t.Context(), trackRecordBoard(spotLeaderGate))
	if err != nil || edition.Rows != 1 || !strings.Contains(string(edition.Data), `"resolved":6`) {
		t.Errorf("%+v %v", edition, err)
	}
}

// What never had a price, and what cannot be asked for two weeks, is lost: nothing is void.
func TestGapsAreLosses(t *testing.T) {
	s, me := gradedEarlyBuyer(t)
	entry := opening.Add(40 * time.Minute)
	due := entry.Add(7 * aDay)
	s.trade(me, 201, entry, 0.5)
	s.trade(me, 202, entry.Add(time.Minute), 0.5)
	for h := range 10 {
		s.price("pool-201", entry.Add(-time.Duration(h)*time.Hour), math.NaN())
	}
	s.pass(t, "second", entry.Add(8*time.Hour), s.sources())
	s.failing["pool-202"] = market.ErrUnavailable
	if _, err := s.resolveAll(t, due.Add(14*aDay)); !errors.Is(err, market.ErrUnavailable) {
		t.Errorf("a part of which nothing could be resolved: %v", err)
	}
	if got := s.followUps(t, me); got[0].Outcome != noPrice || got[0].Net != -1 || got[1].Outcome != "" {
		t.Errorf("%+v", got)
	}
	if _, err := s.resolveAll(t, due.Add(14*aDay+2*time.Minute)); err != nil {
		t.Error(err)
	}
	if got := s.followUps(t, me); got[1].Outcome != noPrice || got[1].Net != -1 {
		t.Errorf("%+v", got)
	}
}

func TestNothingIsResolvedOfNothing(t *testing.T) {
	s := newScene(t)
	if plan, err := ResolveTrackRecord(s.memory, s.sources()).Plan(t.Context(), opening); err != nil || plan.Parts != 0 {
		t.Errorf("%+v %v", plan, err)
	}
	for _, part := range []int{-1, resolveParts} {
		if _, err := ResolveTrackRecord(s.memory, s.sources()).Part(t.Context(), opening, store.Pass{}, part); err == nil {
			t.Errorf("part %d is done", part)
		}
	}
}

// Whichever step of a pass it is cut short at, doing it again leaves what a pass that was never cut short leaves.
func TestAPassThatIsCutShortIsDoneAgain(t *testing.T) {
	play := func(cut int) (string, int) {
		s := newScene(t)
		me := walletNumber(1)
		s.trades(me, 6)
		s.find(t, me, EarlyBuyer, opening, early(me))
		s.trade(me, 201, opening.Add(40*time.Minute), 0.5)
		s.trade(me, 202, opening.Add(50*time.Minute), 0.5)
		kept := s.memory
		steps := &cutter{left: cut}
		s.memory.TrackRecords, s.memory.Leaders = cutRecords{kept.TrackRecords, steps}, cutLeaders{kept.Leaders, steps}
		for range 2 {
			_, _ = s.tryPass(t.Context(), "first", opening, s.sources())
		}
		for range 2 {
			_, _ = s.tryPass(t.Context(), "second", opening.Add(2*time.Hour), s.sources())
		}
		for range 2 {
			_, _ = s.resolveAll(t, opening.Add(8*aDay))
		}
		s.memory = kept
		leader := s.leader(t, me)
		return fmt.Sprintf("%+v\n%+v\n%+v\n%+v", s.forecasts(t), s.followUps(t, me), leader.Grading, s.said(t)), cut - steps.left
	}
	want, steps := play(1 << 20)
	if steps < 8 || !strings.Contains(want, "resolved") {
		t.Fatalf("%d steps leave %s", steps, want)
	}
	for cut := range steps {
		if got, _ := play(cut); got != want {
			t.Errorf("cut short before step %d:\n%s\nwant\n%s", cut, got, want)
		}
	}
}
