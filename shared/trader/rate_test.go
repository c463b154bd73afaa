package trader_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/trader"
)

// monday is the beginning of a week.
var monday = time.Date(2025, 1, 6, 0, 0, 0, 0, time.UTC)

// closed makes a result that was closed so many hours after monday, on a market of its own.
func closed(hour int, returned, cost float64) trader.Result {
	at := monday.Add(time.Duration(hour) * time.Hour)
	return trader.Result{
		Return: returned, CostUSD: cost, PnLUSD: returned * cost,
		OpenedAt: at.Add(-time.Hour), ClosedAt: at, Holding: time.Hour, Cluster: uint64(hour) + 1,
	}
}

// record closes one result of 100 USD every eight hours.
func record(returns ...float64) trader.Evidence {
	results := make([]trader.Result, len(returns))
	for i, r := range returns {
		results[i] = closed(8*i, r, 100)
	}
	return trader.Evidence{Results: results, MatchedShare: 1, Seed: 1, AsOf: monday.Add(time.Duration(8*len(returns)) * time.Hour)}
}

// repeat repeats a pattern of returns.
func repeat(times int, pattern ...float64) []float64 { return slices.Repeat(pattern, times) }

func near(t *testing.T, name string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %.12g, want %.12g", name, got, want)
	}
}

// handWorked is a record small enough to measure by hand: 60 days old, in three weeks, with a tenth of proceeds unmatched.
func handWorked() trader.Evidence {
	return trader.Evidence{
		Results: []trader.Result{
			closed(24, 0.5, 100), closed(48, -0.2, 100), closed(8*24, 0.1, 200), closed(15*24, -0.1, 100),
		},
		MatchedShare: 0.9, Seed: 1, AsOf: monday.AddDate(0, 0, 15+60),
	}
}

func TestMeasureAgainstHandWorkedRecord(t *testing.T) {
	m := trader.Measure(handWorked())
	if m.N != 4 || m.Wins != 2 || m.Weeks != 3 || m.WeeksPositive != 2 || m.Clusters != 4 {
		t.Errorf("counts: %+v", m)
	}
	near(t, "WinRate", m.WinRate, 6.0/14, 1e-12)
	near(t, "EffectiveN", m.EffectiveN, 4, 1e-12)
	near(t, "ProfitFactor", m.ProfitFactor, 70.0/30, 1e-12)
	near(t, "ProfitShare", m.ProfitShare, 70.0/(70+30+100), 1e-12)
	near(t, "TopTradeShare", m.TopTradeShare, 50.0/70, 1e-12)
	near(t, "TopTradeExcess", m.TopTradeExcess, (50.0/70-0.5)/0.5, 1e-12)
	near(t, "Drawdown", m.Drawdown, 1-0.98*1.01*0.99, 1e-12)
	near(t, "CostWeightedReturn", m.CostWeightedReturn, 40.0/500, 1e-12)
	near(t, "MeanReturn", m.MeanReturn, 0.075, 1e-12)
	near(t, "LeaveBestOutMean", m.LeaveBestOutMean, -0.2/3, 1e-12)
	near(t, "DaysSinceLastClose", m.DaysSinceLastClose, 60, 1e-12)
	near(t, "PSRStar", m.PSRStar, 0.29273560781480384, 1e-9)
	near(t, "PSRStarStrict", m.PSRStarStrict, m.PSRStar, 0)
	near(t, "Confidence", m.Confidence, 4.0/14*0.9*math.Exp(-30.0/180), 1e-12)
	if !(m.ExpectancyLow < m.MeanReturn && m.ExpectancyLow >= -1) {
		t.Errorf("ExpectancyLow = %v, mean %v", m.ExpectancyLow, m.MeanReturn)
	}
}

func TestRateAgainstHandWorkedRecord(t *testing.T) {
	e := handWorked()
	m := trader.Measure(e)
	m.ExpectancyLow = 0.05 // the bootstrap cannot be worked by hand
	rating := trader.Rate(e, m)
	near(t, "win rate", rating.Subscores.WinRate, 42.857142857142854, 1e-9)
	near(t, "profitability", rating.Subscores.Profitability, 47.4343830056226, 1e-9)
	near(t, "consistency", rating.Subscores.Consistency, 55.15611198780383, 1e-7)
	near(t, "score", rating.Score, 49.8, 1e-12)
	if !rating.Rated || rating.Grade != "C" || rating.Verdict != trader.Watch || rating.SampleSize != 4 {
		t.Errorf("rating: %+v", rating)
	}
}

func TestRepeatedBetsAreWorthLess(t *testing.T) {
	e := record(repeat(20, 0.3, -0.1)...)
	for i := range e.Results {
		e.Results[i].Cluster = uint64(i / 10) // four tokens, ten positions each: 10/(1+9*0.3) each
	}
	m := trader.Measure(e)
	near(t, "EffectiveN", m.EffectiveN, 40/3.7, 1e-12)
	if !(m.PSRStarStrict < m.PSRStar) {
		t.Errorf("strict PSR* %v is not below %v", m.PSRStarStrict, m.PSRStar)
	}
	if !slices.Contains(reason.Codes(trader.JudgeEdge(m).Reasons), "REPEATED_BETS") {
		t.Errorf("no reason says that bets repeat: %v", trader.JudgeEdge(m).Reasons)
	}
}

func TestOpenBagsWeighAgainstSkill(t *testing.T) {
	e := record(repeat(15, 0.4, -0.1)...)
	without := trader.Measure(e)
	e.Open = []trader.OpenResult{{RecoverableUSD: 5, CostUSD: 100}, {RecoverableUSD: 90, CostUSD: 100}, {RecoverableUSD: 0, CostUSD: 50}}
	with := trader.Measure(e)
	if with.Open != 3 || with.Bags != 2 {
		t.Errorf("open %d, bags %d", with.Open, with.Bags)
	}
	if !(with.PSRStarStrict < without.PSRStarStrict) || with.PSRStar != without.PSRStar {
		t.Errorf("strict PSR* %v with bags, %v without", with.PSRStarStrict, without.PSRStarStrict)
	}
}

func TestFewerThanThreeAreUnrated(t *testing.T) {
	for n, returns := range [][]float64{{}, {0.5}, {0.5, 0.4}} {
		e := record(returns...)
		rating := trader.Rate(e, trader.Measure(e))
		if rating.Rated || rating.Grade != "" || rating.Verdict != trader.Unrated || !math.IsNaN(rating.Score) ||
			!math.IsNaN(rating.Subscores.Consistency) || rating.SampleSize != n {
			t.Errorf("%d results: %+v", n, rating)
		}
		if len(rating.Reasons) < 1 || len(rating.Reasons) > 5 || rating.Reasons[0].Code != "THIN" {
			t.Errorf("%d results: reasons %v", n, rating.Reasons)
		}
		if quality := trader.JudgeQuality(e, trader.Measure(e), nil); quality.Verdict != trader.Unrated || len(quality.Reasons) == 0 {
			t.Errorf("%d results: quality %+v", n, quality)
		}
		if edge := trader.JudgeEdge(trader.Measure(e)); edge.Edge != trader.InsufficientData || len(edge.Reasons) == 0 {
			t.Errorf("%d results: edge %+v", n, edge)
		}
	}
}

func TestThreeWinsAreNeitherGoodNorBad(t *testing.T) {
	e := record(0.5, 0.4, 0.6)
	rating := trader.Rate(e, trader.Measure(e))
	if rating.Grade != "C" || rating.Verdict != trader.Watch || rating.Confidence > 0.24 {
		t.Errorf("rating: %+v", rating)
	}
	if !slices.Contains(reason.Codes(rating.Reasons), "PF_NONE") {
		t.Errorf("no reason says that no loss is known: %v", rating.Reasons)
	}
}

func TestGradesOfPlainCases(t *testing.T) {
	washed := trader.Conduct{Wash: trader.Wash{Suspected: true, Signals: []trader.Signal{{
		Code: "WASH_ROUNDTRIP", Share: 0.8, Hard: true, Reason: reason.Reason{Code: "WASH_ROUNDTRIP", Text: "x"},
	}}}}
	insider := trader.Conduct{Insider: trader.Insider{Suspected: true, Tokens: make([]chain.Address, 2)}}
	robot := trader.Conduct{Automated: trader.Automation{Verdict: trader.AutomationLikely, Trades: 500}}
	winner, loser := repeat(15, 0.6, 0.3, -0.2), repeat(15, -0.5, -0.3, 0.1)
	hider := append(repeat(29, 0.05), repeat(11, 0.06)...)
	for _, c := range []struct {
		name    string
		returns []float64
		conduct trader.Conduct
		grades  string
		verdict string
		first   string
	}{
		{"winner", winner, trader.Conduct{}, "A", trader.MirrorWorthy, ""},
		{"loser", loser, trader.Conduct{}, "F", trader.Avoid, ""},
		{"robot", winner, robot, "A", trader.Watch, "AUTOMATED"},
		{"washing winner", winner, washed, "D", trader.Avoid, "WASH_ROUNDTRIP"},
		{"insider", winner, insider, "D", trader.Avoid, "INSIDER"},
		{"washing loser", loser, washed, "F", trader.Avoid, "WASH_ROUNDTRIP"},
		{"many small wins that one wipe-out would undo", hider, trader.Conduct{}, "C", trader.Watch, ""},
		{"few small wins that one wipe-out would undo", hider[:12], trader.Conduct{}, "C", trader.Watch, ""},
	} {
		e := record(c.returns...)
		e.Conduct = c.conduct
		rating := trader.Rate(e, trader.Measure(e))
		if rating.Grade != c.grades || rating.Verdict != c.verdict {
			t.Errorf("%s: grade %s, verdict %s, score %v, want %s, %s", c.name, rating.Grade, rating.Verdict, rating.Score, c.grades, c.verdict)
		}
		if c.first != "" && rating.Reasons[0].Code != c.first {
			t.Errorf("%s: first reason is %s", c.name, rating.Reasons[0].Code)
		}
		if len(rating.Reasons) < 2 || len(rating.Reasons) > 5 {
			t.Errorf("%s: %d reasons", c.name, len(rating.Reasons))
		}
	}
}

func TestStaleRecordsCountLess(t *testing.T) {
	e := record(repeat(15, 0.6, 0.3, -0.2)...)
	fresh := trader.Rate(e, trader.Measure(e))
	e.AsOf = e.AsOf.AddDate(1, 0, 0)
	stale := trader.Rate(e, trader.Measure(e))
	near(t, "confidence", stale.Confidence, fresh.Confidence*math.Exp(-(365+1.0/3-30)/180), 1e-9)
	if stale.Verdict != trader.Watch || stale.Score >= fresh.Score || !slices.Contains(reason.Codes(stale.Reasons), "STALE") {
		t.Errorf("stale: %+v", stale)
	}
}

func TestConfidenceIsNeededToBeMirrored(t *testing.T) {
	e := record(repeat(3, 0.9, 0.8, 1.0)...)
	rating := trader.Rate(e, trader.Measure(e))
	if rating.Score < 58 || rating.Confidence >= 0.5 || rating.Verdict != trader.Watch {
		t.Errorf("nine wins: %+v", rating)
	}
	e = record(repeat(4, 0.9, 0.8, 1.0)...)
	if rating = trader.Rate(e, trader.Measure(e)); rating.Verdict != trader.MirrorWorthy {
		t.Errorf("twelve wins: %+v", rating)
	}
}

func TestOneLuckyTradeIsNotMirrored(t *testing.T) {
	e := record(append(repeat(12, -0.3, 0.2), 40)...)
	if rating := trader.Rate(e, trader.Measure(e)); rating.Score < 58 || rating.Verdict != trader.Watch || rating.Reasons[0].Code != "ONE_TRADE" {
		t.Errorf("%+v", rating)
	}
}

func TestUnknownCostsLowerConfidenceByHalfAtMost(t *testing.T) {
	e := record(repeat(10, 0.3, -0.1)...)
	for matched, want := range map[float64]float64{1: 20.0 / 30, 0.7: 0.7 * 20 / 30, 0.5: 10.0 / 30, 0.1: 10.0 / 30} {
		e.MatchedShare = matched
		near(t, "Confidence", trader.Measure(e).Confidence, want, 1e-12)
	}
}

func TestWeeksBeginOnMonday(t *testing.T) {
	e := record(0.1, 0.1, 0.1, -0.1)
	for i, hour := range []int{3*24 - 1, 3 * 24, 7*24 - 1, 7 * 24} { // around Thursday, Sunday's and Monday's midnight
		e.Results[i].ClosedAt = monday.Add(time.Duration(hour) * time.Hour)
	}
	e.AsOf = monday.AddDate(0, 1, 0)
	if m := trader.Measure(e); m.Weeks != 2 || m.WeeksPositive != 1 {
		t.Errorf("%d of %d weeks", m.WeeksPositive, m.Weeks)
	}
}

func TestUnmeasurableResultsAreIgnored(t *testing.T) {
	e := record(0.5, 0.2, -0.1, 0.3)
	want := trader.Measure(e)
	odd := closed(7, math.NaN(), 100)
	late := closed(1000, 5, 100)
	e.Results = append([]trader.Result{late, odd}, e.Results...)
	e.AsOf = monday.Add(32 * time.Hour)
	if got := trader.Measure(e); got != want {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

// A record without a loss is no record where the losers are merely not sold: the grade's reasons say so.
func TestUnsoldLosersAreTold(t *testing.T) {
	told := func(worth float64, open int) bool {
		e := trader.Evidence{MatchedShare: 1}
		for i := range 40 {
			at := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC).AddDate(0, 0, 3*i)
			e.Results = append(e.Results, trader.Result{Return: 0.08, CostUSD: 100, PnLUSD: 8, OpenedAt: at, ClosedAt: at.AddDate(0, 0, 1), Cluster: uint64(i)})
		}
		for range open {
			e.Open = append(e.Open, trader.OpenResult{CostUSD: 100, RecoverableUSD: worth})
		}
		return slices.ContainsFunc(trader.Rate(e, trader.Measure(e)).Reasons, func(r reason.Reason) bool { return r.Code == "OPEN_LOSSES" })
	}
	if !told(60, 30) {
		t.Error("thirty open positions at three fifths of their cost are not mentioned")
	}
	if told(60, 2) || told(99, 30) || told(120, 30) {
		t.Error("a few small open losses, or open gains, are told as open losses")
	}
}

// A record of nothing but winners proves nothing while the losers are still held.
func TestWhoKeepsLosersIsNotMirrored(t *testing.T) {
	evidence := trader.Evidence{MatchedShare: 1, AsOf: time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)}
	for i := range 45 {
		closed := evidence.AsOf.Add(-time.Duration(45-i) * 48 * time.Hour)
		evidence.Results = append(evidence.Results, trader.Result{
			Return: 0.2 + float64(i%5)/100, CostUSD: 100, PnLUSD: 20, OpenedAt: closed.Add(-24 * time.Hour), ClosedAt: closed, Holding: 24 * time.Hour, Cluster: uint64(i),
		})
	}
	if rating := trader.Rate(evidence, trader.Measure(evidence)); rating.Verdict != trader.MirrorWorthy {
		t.Fatalf("without open losers: %+v", rating)
	}
	for range 5 {
		evidence.Open = append(evidence.Open, trader.OpenResult{RecoverableUSD: 70, CostUSD: 100})
	}
	measures := trader.Measure(evidence)
	rating := trader.Rate(evidence, measures)
	if rating.Verdict != trader.Watch || rating.Score > 57.9 || rating.Reasons[0].Code != "OPEN_LOSSES" {
		t.Errorf("with five losers still held: %s %s %v %v", rating.Verdict, rating.Grade, rating.Score, rating.Reasons)
	}
	if quality := trader.JudgeQuality(evidence, measures, nil); quality.Verdict != trader.Luck {
		t.Errorf("quality %s", quality.Verdict)
	}
}
