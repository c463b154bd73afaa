package trackrecord_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/trackrecord"
)

var start = time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)

const day = 24 * time.Hour

func leader(wallet string, mirrorable bool, p, base float64) trackrecord.Forecast {
	return trackrecord.Forecast{Chain: "base", Wallet: wallet, GradedAt: start, Mirrorable: mirrorable, Probability: p, BaseRate: base, MedianGap: 2 * day}
}

// followed is an entry so long after the start, seen an hour later and resolved, where net is a number, an hour after it was due.
func followed(wallet, token string, after time.Duration, net float64) trackrecord.FollowUp {
	at := start.Add(after)
	f := trackrecord.FollowUp{
		ID: fmt.Sprintf("%s-%s-%d", wallet, token, after), Chain: "base", Wallet: wallet, Token: token,
		EnteredAt: at, DueAt: at.Add(trackrecord.Horizon), SeenAt: at.Add(time.Hour), Net: net,
	}
	if !math.IsNaN(net) {
		f.ResolvedAt = f.DueAt.Add(time.Hour)
	}
	return f
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// Three of four won, each on a token of its own; the control group won one of two.
func handRecord() trackrecord.Record {
	return trackrecord.Judge(
		[]trackrecord.Forecast{leader("a", true, 0.5, 0.25), leader("b", true, 0.4, 0.2), leader("c", false, 0.3, 0.25)},
		[]trackrecord.FollowUp{
			followed("a", "t1", day, 0.5), followed("a", "t2", 2*day, -0.2), followed("a", "t3", 3*day, 0.1), followed("b", "t4", 4*day, 1),
			followed("c", "t5", 5*day, -1), followed("c", "t6", 6*day, 0.3),
		}, start.Add(30*day))
}

func TestMeasuresByHand(t *testing.T) {
	r := handRecord()
	m := r.Mirrorable
	if m.Leaders != 2 || m.FollowUps != 4 || m.Resolved != 4 || m.Hits != 3 || m.Open != 0 || m.Late != 0 || m.Tokens != 4 || m.Lost != 0 || m.Independent != 4 || m.Forecasts != 4 {
		t.Errorf("%+v", m)
	}
	near(t, "hit rate", m.HitRate, 0.75)
	near(t, "low", m.HitLow, 0.3006418423465814) // Wilson of 3 of 4
	near(t, "high", m.HitHigh, 0.9544127391902995)
	near(t, "base rate", m.BaseRate, (3*0.25+0.2)/4)
	near(t, "lift", m.Lift, 0.75/((3*0.25+0.2)/4))
	near(t, "mean", m.MeanNet, 0.35)
	near(t, "median", m.MedianNet, 0.3)
	near(t, "Brier", m.Brier, (0.25+0.25+0.25+0.36)/4)
	near(t, "Brier of the base", m.BrierBase, (0.5625+0.0625+0.5625+0.64)/4)
	near(t, "skill", m.BrierSkill, 1-1.11/1.8275)
	// Fair odds: three to one on a's entries, four to one on b's.
	want := 0.0
	for i := range 32 {
		c := (float64(i) + 0.5) / 64
		want += (1 + 3*c) * (1 - c) * (1 + 3*c) * (1 + 4*c) / 32
	}
	near(t, "E", m.E, want)
	if m.Evidence != trackrecord.Moderate || m.Calibration != nil || r.Status != trackrecord.Accruing {
		t.Errorf("%s %v %s", m.Evidence, m.Calibration, r.Status)
	}
	c := r.Control
	if c.Leaders != 1 || c.Resolved != 2 || c.Hits != 1 || c.Lost != 1 {
		t.Errorf("%+v", c)
	}
	near(t, "gate value", r.GateValue.Mean, 0.25)
	// Newcombe's hybrid of Wilson's 0.3006..0.9544 around 0.75 and 0.0945..0.9055 around 0.5.
	near(t, "its low", r.GateValue.Low, 0.25-math.Hypot(0.75-0.3006418423465814, 0.9054687942657693-0.5))
	near(t, "its high", r.GateValue.High, 0.25+math.Hypot(0.9544127391902995-0.75, 0.5-0.09453120573423074))
	for _, code := range []string{"HITS", "EVIDENCE", "ACCRUING", "GATE_VALUE", "BRIER"} {
		if !slices.Contains(reason.Codes(r.Reasons), code) {
			t.Errorf("no %s in %v", code, reason.Codes(r.Reasons))
		}
	}
}

// Two tokens that both groups bought, one of which everybody lost on and one of which everybody won on, tell of no difference, however
// the groups' shares of them differ.
func TestFewTokensTellLittleOfADifference(t *testing.T) {
	forecasts := []trackrecord.Forecast{leader("c", false, 0.5, 0.5), leader("d", false, 0.5, 0.5)}
	followUps := []trackrecord.FollowUp{
		followed("c", "t1", day, -0.5), followed("d", "t1", day, -0.5), followed("c", "t2", 9*day, 2), followed("d", "t2", 9*day, 2),
	}
	for i := range 6 {
		wallet := fmt.Sprint("m", i)
		forecasts, followUps = append(forecasts, leader(wallet, true, 0.5, 0.5)), append(followUps, followed(wallet, "t2", 9*day, 2))
		if i > 0 {
			followUps = append(followUps, followed(wallet, "t1", day, -0.5))
		}
	}
	r := trackrecord.Judge(forecasts, followUps, start.Add(40*day))
	if d := r.GateValue; !(d.Mean > 0 && d.Low < -0.3 && d.High > 0.3) {
		t.Errorf("%+v", d)
	}
	for _, said := range r.Reasons {
		if said.Code == "GATE_VALUE" && !strings.Contains(said.Text, "which chance alone can give") {
			t.Errorf("%q", said.Text)
		}
	}
}

// A lift compares the same entries on both sides.
func TestLiftIsOfTheEntriesWithABaseRate(t *testing.T) {
	r := trackrecord.Judge([]trackrecord.Forecast{leader("a", true, 0.5, 0.25), leader("b", true, math.NaN(), math.NaN())},
		[]trackrecord.FollowUp{followed("a", "t1", day, 1), followed("a", "t2", 2*day, -1), followed("b", "t3", 3*day, -1), followed("b", "t4", 4*day, -1)}, start.Add(30*day))
	near(t, "hit rate", r.Mirrorable.HitRate, 0.25)
	near(t, "lift", r.Mirrorable.Lift, 2)
}

func TestNothingIsKnownOfNothing(t *testing.T) {
	nan := math.NaN()
	none := trackrecord.Judge(nil, nil, start)
	if none.Status != trackrecord.Accruing || !math.IsNaN(none.Mirrorable.HitRate) || len(none.Reasons) != 1 || !none.FirstResolutionExpected.IsZero() {
		t.Errorf("%+v", none)
	}
	r := trackrecord.Judge([]trackrecord.Forecast{leader("a", true, nan, nan)}, []trackrecord.FollowUp{followed("a", "t", day, 1)}, start.Add(20*day))
	m := r.Mirrorable
	if m.Resolved != 1 || m.Hits != 1 || m.Forecasts != 0 || m.Evidence != "" || !math.IsNaN(m.Brier) || !math.IsNaN(m.E) || !math.IsNaN(m.BaseRate) || !math.IsNaN(m.Lift) {
		t.Errorf("%+v", m)
	}
	raw, err := json.Marshal(r.Summary())
	if err != nil || !strings.Contains(string(raw), `"baseRate":null`) || !strings.Contains(string(raw), `"calibration":[]`) {
		t.Errorf("%s %v", raw, err)
	}
}

func TestFirstResolutionExpected(t *testing.T) {
	forecasts := []trackrecord.Forecast{leader("a", true, 0.5, 0.25)}
	expected := func(followUps []trackrecord.FollowUp, asOf time.Time) time.Time {
		r := trackrecord.Judge(forecasts, followUps, asOf)
		if got := r.Leaders[0].FirstResolutionExpected; !got.Equal(r.FirstResolutionExpected) {
			t.Errorf("the leader expects %v, the record %v", got, r.FirstResolutionExpected)
		}
		return r.FirstResolutionExpected
	}
	for _, c := range []struct {
		name      string
		followUps []trackrecord.FollowUp
		after     time.Duration
		want      time.Duration
	}{
		{"none yet: a usual gap and the horizon", nil, time.Hour, 2*day + 7*day},
		{"longer silent than usual: nothing entered before now is known", nil, 10 * day, 17 * day},
		{"the first open one", []trackrecord.FollowUp{followed("a", "t2", 4*day, math.NaN()), followed("a", "t", 3*day, math.NaN())}, 5 * day, 10 * day},
	} {
		if got := expected(c.followUps, start.Add(c.after)); !got.Equal(start.Add(c.want)) {
			t.Errorf("%s: %v, want %v", c.name, got.Sub(start), c.want)
		}
	}
	if got := expected([]trackrecord.FollowUp{followed("a", "t", day, 1), followed("a", "t2", 9*day, math.NaN())}, start.Add(10*day)); !got.IsZero() {
		t.Errorf("after the first resolution: %v", got)
	}
	forecasts[0].MedianGap = 0
	if got := expected(nil, start.Add(day)); !got.IsZero() {
		t.Errorf("without a usual gap: %v", got)
	}
}

func TestTenResolutionsMakeARecord(t *testing.T) {
	var followUps []trackrecord.FollowUp
	for i := range 10 {
		followUps = append(followUps, followed("a", fmt.Sprint("t", i), time.Duration(i+1)*day, 1))
	}
	forecasts := []trackrecord.Forecast{leader("a", true, 0.5, 0.25)}
	for n, want := range map[int]string{9: trackrecord.Accruing, 10: trackrecord.Tracked} {
		r := trackrecord.Judge(forecasts, followUps[:n], start.Add(40*day))
		if r.Status != want || r.Leaders[0].Status != want || (r.Leaders[0].Entry().HitRate != nil) != (want == trackrecord.Tracked) {
			t.Errorf("%d resolutions are %s, the leader's %s", n, r.Status, r.Leaders[0].Status)
		}
	}
}

// What was first seen when its outcome could be known proves nothing: it is counted and changes no measure.
func TestLateFollowUps(t *testing.T) {
	forecasts := []trackrecord.Forecast{leader("a", true, 0.5, 0.25)}
	on := followed("a", "t", day, -0.5)
	late := followed("a", "t2", 2*day, 9)
	late.SeenAt = late.DueAt.Add(time.Second)
	with := trackrecord.Judge(forecasts, []trackrecord.FollowUp{on, late}, start.Add(20*day))
	if with.Mirrorable.Late != 1 || with.Mirrorable.FollowUps != 2 || !slices.Contains(reason.Codes(with.Reasons), "LATE") {
		t.Errorf("%+v", with.Mirrorable)
	}
	without := trackrecord.Judge(forecasts, []trackrecord.FollowUp{on}, start.Add(20*day))
	with.Mirrorable.Late, with.Mirrorable.FollowUps = 0, 1
	if !reflect.DeepEqual(comparable(with.Mirrorable), comparable(without.Mirrorable)) {
		t.Errorf("%+v\n%+v", with.Mirrorable, without.Mirrorable)
	}
	late.SeenAt = late.DueAt
	if r := trackrecord.Judge(forecasts, []trackrecord.FollowUp{on, late}, start.Add(20*day)); r.Mirrorable.Late != 0 || r.Mirrorable.Hits != 1 {
		t.Errorf("seen when due is not late: %+v", r.Mirrorable)
	}
}

// comparable writes measures so that NaN equals NaN.
func comparable(m trackrecord.Measures) string { return fmt.Sprintf("%+v", m) }

// Of a token's entries the evidence counts the first, whoever made it, and the next one after that one's copier sold.
func TestWhatSharesAFateIsEvidenceOnce(t *testing.T) {
	forecasts := []trackrecord.Forecast{leader("a", true, 0.5, 0.25), leader("b", true, 0.5, 0.25)}
	independent := func(followUps ...trackrecord.FollowUp) int {
		return trackrecord.Judge(forecasts, followUps, start.Add(60*day)).Mirrorable.Independent
	}
	first := followed("a", "t", day, 1)
	for _, c := range []struct {
		name string
		more trackrecord.FollowUp
		want int
	}{
		{"the same hour", followed("b", "t", day+time.Minute, 1), 1},
		{"within the horizon", followed("b", "t", 8*day-time.Second, 1), 1},
		{"after the horizon", followed("b", "t", 8*day, 1), 2},
		{"another token", followed("b", "t2", day, 1), 2},
	} {
		if got := independent(first, c.more); got != c.want {
			t.Errorf("%s: %d independent entries, want %d", c.name, got, c.want)
		}
	}
	elsewhere := followed("b", "t", day, 1)
	elsewhere.Chain = "eth"
	moved := leader("b", true, 0.5, 0.25)
	moved.Chain = "eth"
	forecasts = append(forecasts, moved)
	if got := independent(first, elsewhere); got != 2 {
		t.Errorf("the same address on another chain is another token: %d", got)
	}
}

func TestCalibrationTakesFifty(t *testing.T) {
	var followUps []trackrecord.FollowUp
	for i := range 50 {
		followUps = append(followUps, followed("a", fmt.Sprint("t", i), time.Duration(i+1)*time.Hour, float64(i%2)-0.5))
	}
	forecasts := []trackrecord.Forecast{leader("a", true, 0.55, 0.25)}
	if r := trackrecord.Judge(forecasts, followUps[:49], start.Add(60*day)); r.Mirrorable.Calibration != nil {
		t.Error("49 make a table")
	}
	r := trackrecord.Judge(forecasts, followUps, start.Add(60*day))
	rows := r.Summary().Calibration
	if len(rows) != 1 || rows[0].From != 0.5 || rows[0].To != 0.6 || rows[0].Forecasts != 50 || *rows[0].HitRate != 0.5 || *rows[0].MeanForecast != 0.55 {
		t.Errorf("%+v", rows)
	}
}

type drawnRecord struct {
	forecasts []trackrecord.Forecast
	followUps []trackrecord.FollowUp
	asOf      time.Time
}

func drawRecord(t *rapid.T) drawnRecord {
	var d drawnRecord
	for i := range rapid.IntRange(0, 5).Draw(t, "leaders") {
		f := leader(fmt.Sprint("w", i), rapid.Bool().Draw(t, "mirrorable"), rapid.Float64Range(0, 1).Draw(t, "p"), rapid.Float64Range(0, 1).Draw(t, "base"))
		if rapid.IntRange(0, 9).Draw(t, "unmeasured") == 0 {
			f.Probability, f.BaseRate = math.NaN(), math.NaN()
		}
		f.GradedAt = start.Add(time.Duration(rapid.IntRange(0, 20).Draw(t, "graded")) * day)
		d.forecasts = append(d.forecasts, f)
	}
	for i := range rapid.IntRange(0, 40).Draw(t, "follow-ups") {
		net := rapid.SampledFrom([]float64{-1, -0.4, 0, 0.3, 2, math.NaN()}).Draw(t, "net")
		f := followed(fmt.Sprint("w", rapid.IntRange(0, 5).Draw(t, "leader")), fmt.Sprint("t", rapid.IntRange(0, 8).Draw(t, "token")),
			time.Duration(rapid.IntRange(0, 60*24).Draw(t, "entered"))*time.Hour, net)
		f.ID = fmt.Sprint(i)
		f.SeenAt = f.EnteredAt.Add(time.Duration(rapid.IntRange(1, 200).Draw(t, "seen")) * time.Hour)
		if !f.ResolvedAt.IsZero() {
			f.ResolvedAt = f.DueAt.Add(time.Duration(rapid.IntRange(0, 90).Draw(t, "resolved")) * time.Hour)
		}
		d.followUps = append(d.followUps, f)
	}
	d.asOf = start.Add(time.Duration(rapid.IntRange(0, 70*24).Draw(t, "as of")) * time.Hour)
	return d
}

func TestOrderAndTheFutureDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawRecord(t)
		want := fmt.Sprintf("%+v", trackrecord.Judge(d.forecasts, d.followUps, d.asOf))
		forecasts, followUps := slices.Clone(d.forecasts), slices.Clone(d.followUps)
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		random.Shuffle(len(forecasts), func(i, j int) { forecasts[i], forecasts[j] = forecasts[j], forecasts[i] })
		random.Shuffle(len(followUps), func(i, j int) { followUps[i], followUps[j] = followUps[j], followUps[i] })
		if got := fmt.Sprintf("%+v", trackrecord.Judge(forecasts, followUps, d.asOf)); got != want {
			t.Fatalf("in another order:\n%s\n%s", got, want)
		}
		forecasts = slices.DeleteFunc(forecasts, func(f trackrecord.Forecast) bool { return f.GradedAt.After(d.asOf) })
		followUps = slices.DeleteFunc(followUps, func(f trackrecord.FollowUp) bool { return f.SeenAt.After(d.asOf) })
		for i := range followUps {
			if followUps[i].ResolvedAt.After(d.asOf) {
				followUps[i].ResolvedAt, followUps[i].Net = time.Time{}, math.NaN()
			}
		}
		if got := fmt.Sprintf("%+v", trackrecord.Judge(forecasts, followUps, d.asOf)); got != want {
			t.Fatalf("without what came later:\n%s\n%s", got, want)
		}
	})
}

func TestMeasuresHoldTogether(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawRecord(t)
		r := trackrecord.Judge(d.forecasts, d.followUps, d.asOf)
		if n := len(r.Reasons); n < 1 || n > reason.Maximum {
			t.Fatalf("%d reasons", n)
		}
		for _, said := range r.Reasons {
			if strings.Contains(said.Text, "NaN") || strings.Contains(said.Text, "unknown share") || strings.Contains(said.Text, "%!") {
				t.Fatalf("%q", said.Text)
			}
		}
		sum := 0
		for _, l := range r.Leaders {
			sum += l.Measures.FollowUps
		}
		if sum != r.Mirrorable.FollowUps+r.Control.FollowUps || len(r.Leaders) != r.Mirrorable.Leaders+r.Control.Leaders {
			t.Fatalf("%d follow-ups of %d leaders: %+v %+v", sum, len(r.Leaders), r.Mirrorable, r.Control)
		}
		for _, m := range []trackrecord.Measures{r.Mirrorable, r.Control} {
			if m.Resolved+m.Open+m.Late != m.FollowUps || m.Hits > m.Resolved || m.Independent > m.Resolved || m.EffectiveSize > float64(m.Resolved) {
				t.Fatalf("%+v", m)
			}
			if m.Resolved > 0 && !(m.HitLow <= m.HitRate && m.HitRate <= m.HitHigh) {
				t.Fatalf("%v in %v to %v", m.HitRate, m.HitLow, m.HitHigh)
			}
		}
		if d := r.GateValue; !math.IsNaN(d.Mean) && !(d.Low >= -1 && d.High <= 1 && d.Low <= d.High) {
			t.Fatalf("%+v", d)
		}
		if _, err := json.Marshal(r.Summary()); err != nil {
			t.Fatal(err)
		}
	})
}

// Leaders who do no better than their base rate, in tokens that they share, must not look strong in more than one record of twenty,
// however often one looks.
func TestChanceHardlyEverLooksStrong(t *testing.T) {
	const records = 100
	passed := 0
	for seed := range uint64(records) {
		random := rand.New(rand.NewPCG(seed, 7))
		forecasts := []trackrecord.Forecast{leader("a", true, 0.5, 0.25), leader("b", true, 0.5, 0.25), leader("c", true, 0.5, 0.25)}
		var followUps []trackrecord.FollowUp
		for i := range 60 { // sixty tokens, each bought by all three within the day, all of whom share its fate
			net := -0.5
			if random.Float64() < 0.25 {
				net = 1
			}
			for j, wallet := range []string{"a", "b", "c"} {
				followUps = append(followUps, followed(wallet, fmt.Sprint("t", i), time.Duration(i)*12*time.Hour+time.Duration(j)*5*time.Hour, net))
			}
		}
		for days := 8; days <= 40; days += 4 {
			if trackrecord.Judge(forecasts, followUps, start.Add(time.Duration(days)*day)).Mirrorable.Evidence == trackrecord.Strong {
				passed++
				break
			}
		}
	}
	if passed > records/20 {
		t.Errorf("%d of %d records of chance looked strong", passed, records)
	}
}
