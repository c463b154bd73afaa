package trader_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/trader"
)

func TestEdgeThresholds(t *testing.T) {
	for _, c := range []struct {
		effective, evidence, bound float64
		want                       string
	}{
		{4.9, 0.99, 0.5, trader.InsufficientData},
		{5, 0.95, 0.051, trader.StrongEdge},
		{50, 0.95, 0.05, trader.ModerateEdge},
		{50, 0.949, 0.5, trader.ModerateEdge},
		{50, 0.85, 0.001, trader.ModerateEdge},
		{50, 0.85, 0, trader.ThinEdge},
		{50, 0.65, -0.1, trader.ThinEdge},
		{50, 0.649, -0.1, trader.NoEdge},
		{50, 0.35, -0.1, trader.NoEdge},
		{10, 0.349, -0.1, trader.NegativeEdge},
		{9.9, 0.349, -0.1, trader.NoEdge},
	} {
		m := trader.Measures{N: int(c.effective) + 1, EffectiveN: c.effective, PSRStarStrict: c.evidence, ExpectancyLow: c.bound}
		if got := trader.JudgeEdge(m).Edge; got != c.want {
			t.Errorf("n_eff %v, PSR* %v, bound %v: %s, want %s", c.effective, c.evidence, c.bound, got, c.want)
		}
	}
}

func TestHoldStyle(t *testing.T) {
	hold := func(holdings ...time.Duration) []trader.Result {
		results := make([]trader.Result, len(holdings))
		for i, h := range holdings {
			results[i].Holding = h
		}
		return results
	}
	const day = 24 * time.Hour
	for _, c := range []struct {
		results []trader.Result
		want    string
	}{
		{hold(time.Hour, time.Hour), "insufficient-data"},
		{hold(0, time.Minute, 59*time.Minute), "scalp"},
		{hold(time.Hour, time.Hour, 23*time.Hour), "intraday"},
		{hold(day, 13*day, 13*day), "swing"},
		{hold(14*day, 14*day, 89*day), "position"},
		{hold(90*day, 400*day, 400*day), "long-hold"},
		{hold(time.Minute, 2*time.Hour, 2*day, 20*day, 100*day), "mixed"},
		{hold(time.Minute, time.Minute, 2*time.Hour, 2*day), "intraday"}, // half are one style; the median decides
	} {
		if got := trader.HoldStyle(c.results); got != c.want {
			t.Errorf("%v: %s, want %s", c.results, got, c.want)
		}
	}
}

func TestQuality(t *testing.T) {
	skilled := repeat(15, 0.6, 0.3, -0.2)
	p := func(x float64) *float64 { return &x }
	lucky := append(repeat(12, -0.3, 0.2), 40)
	for _, c := range []struct {
		name    string
		returns []float64
		change  func(*trader.Evidence)
		timing  *float64
		want    string
		first   string
	}{
		{"skilled", skilled, nil, nil, trader.Skill, "SKILL"},
		{"skilled and timed", skilled, nil, p(0.03), trader.Skill, "SKILL"},
		{"skilled but not by timing", skilled, nil, p(0.4), trader.Luck, "NO_TIMING"},
		{"short", []float64{0.5, 0.4, 0.6, 0.5}, nil, nil, trader.Unrated, "THIN"},
		{"nine good trades", repeat(3, 0.6, 0.5, 0.4), nil, nil, trader.Luck, "LUCK"},
		{"one lucky trade", lucky, nil, nil, trader.Luck, ""},
		{"losing", repeat(20, -0.4, 0.1), nil, nil, trader.Luck, "NEGATIVE_EDGE"},
		{"nothing but total losses", repeat(12, -1), nil, nil, trader.Luck, "NEGATIVE_EDGE"},
		{"breaking even", repeat(20, -0.1, 0.1), nil, nil, trader.Luck, "LUCK"},
		{"losing money on big positions", skilled, func(e *trader.Evidence) {
			for i := range e.Results {
				if r := &e.Results[i]; r.Return < 0 {
					r.CostUSD *= 20
					r.PnLUSD *= 20
				}
			}
		}, nil, trader.Luck, "SIZE_MISMATCH"},
		{"washing", skilled, func(e *trader.Evidence) {
			e.Conduct.Wash = trader.Wash{Suspected: true, Signals: []trader.Signal{{Reason: reason.Reason{Code: "WASH_RING", Text: "x"}}}}
		}, nil, trader.WashSuspected, "WASH_RING"},
		{"washing with a short record", []float64{0.1}, func(e *trader.Evidence) {
			e.Conduct.Wash = trader.Wash{Suspected: true, Signals: []trader.Signal{{Reason: reason.Reason{Code: "WASH_RING", Text: "x"}}}}
		}, nil, trader.WashSuspected, "WASH_RING"},
	} {
		e := record(c.returns...)
		if c.change != nil {
			c.change(&e)
		}
		quality := trader.JudgeQuality(e, trader.Measure(e), c.timing)
		if quality.Verdict != c.want {
			t.Errorf("%s: %s, want %s (%v)", c.name, quality.Verdict, c.want, quality.Reasons)
		}
		if c.first != "" && quality.Reasons[0].Code != c.first {
			t.Errorf("%s: first reason %s, want %s", c.name, quality.Reasons[0].Code, c.first)
		}
	}
	e := record(lucky...)
	codes := reason.Codes(trader.JudgeQuality(e, trader.Measure(e), nil).Reasons)
	if !slices.Contains(codes, "ONE_TRADE") || !slices.Contains(codes, "TOP_TRADE") {
		t.Errorf("one lucky trade is not named: %v", codes)
	}
}

func TestEveryConditionOfSkill(t *testing.T) {
	skilled := trader.Measures{
		N: 40, EffectiveN: 40, PSR: 0.99, PSRStar: 0.95, PSRStarStrict: 0.95, CostWeightedReturn: 0.1, TopTradeShare: 0.5,
		LeaveBestOutMean: 0.01, ProfitFactor: 2, ProfitFactorDefined: true,
	}
	for _, c := range []struct {
		name   string
		change func(*trader.Measures)
		want   string
	}{
		{"all", func(*trader.Measures) {}, trader.Skill},
		{"ten independent results", func(m *trader.Measures) { m.EffectiveN = 9.9 }, trader.Luck},
		{"five independent results", func(m *trader.Measures) { m.EffectiveN = 4.9 }, trader.Unrated},
		{"PSR*", func(m *trader.Measures) { m.PSRStarStrict = 0.949 }, trader.Luck},
		{"a gain", func(m *trader.Measures) { m.CostWeightedReturn = 0 }, trader.Luck},
		{"more than one trade", func(m *trader.Measures) { m.TopTradeShare = 0.51 }, trader.Luck},
		{"a gain without the best", func(m *trader.Measures) { m.LeaveBestOutMean = 0 }, trader.Luck},
	} {
		m := skilled
		c.change(&m)
		if got := trader.JudgeQuality(trader.Evidence{}, m, nil).Verdict; got != c.want {
			t.Errorf("without %s: %s, want %s", c.name, got, c.want)
		}
	}
}

// planted makes a record in three segments of a dimension; entries of the first return more by edge.
func planted(random *rand.Rand, perSegment int, edge float64) ([]trader.Result, []trader.Segment) {
	segments := []trader.Segment{
		{Dimension: "age", Name: "new", Subject: "Entries within a day of launch"},
		{Dimension: "age", Name: "young", Subject: "Entries within a week of launch"},
		{Dimension: "age", Name: "old", Subject: "Entries later than a week after launch"},
		{Dimension: "parity", Name: "even", Subject: "Even entries"},
		{Dimension: "parity", Name: "odd", Subject: "Odd entries"},
	}
	var results []trader.Result
	for i := range 3 * perSegment {
		mean := 1.0
		if i%3 == 0 {
			mean += edge
		}
		r := closed(8*i, math.Exp(0.8*random.NormFloat64()-0.32)*mean-1, 100)
		segments[i%3].Members = append(segments[i%3].Members, i)
		segments[3+i%2].Members = append(segments[3+i%2].Members, i)
		results = append(results, r)
	}
	return results, segments
}

func TestBestAtFindsPlantedEdges(t *testing.T) {
	found := 0
	const wallets = 60
	for i := range wallets {
		results, segments := planted(rand.New(rand.NewPCG(1, uint64(i))), 30, 1)
		best := trader.BestAt(results, segments, 1)
		if len(best) > 3 {
			t.Fatalf("%d segments", len(best))
		}
		if len(best) > 0 && best[0].Name == "new" {
			found++
		}
	}
	if found < wallets*8/10 {
		t.Errorf("found %d of %d planted edges", found, wallets)
	}
}

func TestBestAtFindsNothingWhereNothingIs(t *testing.T) {
	empty := 0
	const wallets = 200
	for i := range wallets {
		results, segments := planted(rand.New(rand.NewPCG(2, uint64(i))), 20, 0)
		best := trader.BestAt(results, segments, 1)
		if len(best) == 0 {
			empty++
		}
		if reasons := trader.SegmentReasons(best); len(reasons) == 0 || (len(best) == 0) != (reasons[0].Code == "NO_SEGMENT") {
			t.Fatalf("reasons %v for %v", reasons, best)
		}
	}
	if empty < wallets*9/10 {
		t.Errorf("%d of %d are empty", empty, wallets)
	}
}

func TestBestAtNeedsEnough(t *testing.T) {
	results := make([]trader.Result, 40)
	for i := range results {
		results[i] = closed(8*i, -0.2-0.001*float64(i), 100)
		if i < 10 {
			results[i].Return = 2 + 0.01*float64(i)
		}
	}
	members := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	good := trader.Segment{Dimension: "d", Name: "n", Subject: "S", Members: members}
	if best := trader.BestAt(results, []trader.Segment{good}, 1); len(best) != 1 || best[0].N != 10 || !(best[0].Q <= 0.1) {
		t.Errorf("plain edge: %+v", best)
	}
	few := good
	few.Members = append([]int{-1, 99, 0, 0, 0}, members[:4]...)
	if best := trader.BestAt(results, []trader.Segment{few}, 1); len(best) != 0 {
		t.Errorf("four results: %+v", best)
	}
	for i := range members {
		results[i].Cluster = uint64(i % 2)
	}
	if best := trader.BestAt(results, []trader.Segment{good}, 1); len(best) != 0 {
		t.Errorf("two tokens: %+v", best)
	}
	if best := trader.BestAt(nil, []trader.Segment{good}, 1); best == nil || len(best) != 0 {
		t.Errorf("no results: %+v", best)
	}
}
