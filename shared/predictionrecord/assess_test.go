package predictionrecord

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/predictionrecord/predictiontest"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/trader"
)

// anyStory is a history of whatever can happen, over up to thirty markets.
func anyStory(t *rapid.T) *story {
	s := newStory()
	for n := range rapid.IntRange(0, 30).Draw(t, "markets") {
		price := rapid.Float64Range(0.02, 0.98).Draw(t, "price")
		event := fmt.Sprint("e", n)
		if n > 0 && rapid.IntRange(0, 3).Draw(t, "same event") == 0 {
			event = s.Markets[condition(n-1)].Event
		}
		s.Market(n, event, price)
		ago := time.Duration(rapid.IntRange(1, 120*24).Draw(t, "hours ago")) * time.Hour
		for range rapid.IntRange(1, 4).Draw(t, "dealings") {
			side, shares := rapid.IntRange(0, 1).Draw(t, "side"), rapid.Float64Range(1, 500).Draw(t, "shares")
			s.Role = rapid.SampledFrom([]market.PredictionRole{market.UnknownRole, market.Taker, market.Taker, market.Maker}).Draw(t, "role")
			switch rapid.IntRange(0, 5).Draw(t, "kind") {
			case 0:
				s.Sell(n, side, shares, price, ago)
			case 1:
				s.Move(market.Split, n, shares, shares, ago)
			case 2:
				s.Move(market.Merge, n, shares, shares, ago)
			case 3:
				s.Move(market.Redemption, n, shares, shares, ago)
			default:
				s.Buy(n, side, shares, price, ago)
				s.Prices[outcome(n, side)] = []market.PricePoint{{Time: now.Add(-ago + 2*time.Minute), USD: min(0.99, price+0.01)}}
			}
			ago = max(time.Minute, ago-time.Duration(rapid.IntRange(0, 72).Draw(t, "later"))*time.Hour)
		}
		if rapid.IntRange(0, 4).Draw(t, "decided") > 0 {
			s.Decide(n, min(ago, time.Duration(rapid.IntRange(0, 100*24).Draw(t, "decided hours ago"))*time.Hour),
				float64(rapid.IntRange(0, 2).Draw(t, "payout"))/2)
		}
	}
	return s
}

// cut is what was known of a record at an instant.
func cut(r *Record, at time.Time) *Record {
	past := &Record{
		Wallet: r.Wallet, Activity: &market.PredictionActivity{Truncated: r.Activity.Truncated, Since: r.Activity.Since}, Positions: r.Positions,
		Markets: make(map[market.Hash]market.PredictionMarket), Prices: make(map[string][]market.PricePoint),
	}
	for _, t := range r.Activity.Trades {
		if !t.Time.After(at) {
			past.Activity.Trades = append(past.Activity.Trades, t)
		}
	}
	for _, m := range r.Activity.Moves {
		if !m.Time.After(at) {
			past.Activity.Moves = append(past.Activity.Moves, m)
		}
	}
	for id, m := range r.Markets {
		if m.Decided && m.ClosedAt.After(at) {
			// What it cost then, and what rested in its book, are not known any more.
			m.Decided, m.ClosedAt, m.LiquidityUSD = false, time.Time{}, math.NaN()
			m.Outcomes = slices.Clone(m.Outcomes)
			for i := range m.Outcomes {
				m.Outcomes[i].Price, m.Outcomes[i].Payout = math.NaN(), math.NaN()
			}
		}
		past.Markets[id] = m
	}
	for asset, points := range r.Prices {
		for _, p := range points {
			if !p.Time.After(at) {
				past.Prices[asset] = append(past.Prices[asset], p)
			}
		}
	}
	return past
}

func TestNothingLaterMatters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		record := recordOf(anyStory(t))
		at := now.Add(-time.Duration(rapid.IntRange(0, 60*24).Draw(t, "as of hours ago")) * time.Hour)
		all, past := fmt.Sprintf("%+v", Assess(record, at)), fmt.Sprintf("%+v", Assess(cut(record, at), at))
		if all != past {
			t.Fatalf("with all that came later\n%s\nwithout\n%s", all, past)
		}
	})
}

func TestWhateverHappensTheAnswerIsSound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		record := recordOf(anyStory(t))
		a := Assess(record, now)
		rated := a.Verdict != trader.Unrated
		switch {
		case rated != (a.Grade != "") || rated == math.IsNaN(a.Score) || rated && !a.Active || rated != (a.Active && a.SampleSize >= minimumEvents):
			t.Fatalf("%+v", a)
		case a.Mirrorable && (!rated || a.Signals.Execution == makerExecution), a.Verdict == trader.MirrorWorthy && !a.Mirrorable:
			t.Fatalf("%+v", a)
		case len(a.Reasons) == 0 || rated && len(a.Reasons) < 2 || len(a.Reasons) > reason.Maximum:
			t.Fatalf("%+v", a.Reasons)
		case a.ChanceProbability < leastChance || a.ChanceProbability > 1:
			t.Fatalf("chance %v", a.ChanceProbability)
		}
		for _, e := range []Edge{a.Edge, a.CopiedEdge} {
			if !math.IsNaN(e.Mean) && !(e.Low <= e.Mean && e.Mean <= e.High && e.Low >= -1 && e.High <= 1) {
				t.Fatalf("%+v", e)
			}
		}
	})
}

// Once nothing is dust, however much more money makes no other wallet.
func TestScaleDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyStory(t)
		s.Activity.Moves = nil
		record := recordOf(s)
		large := cut(record, now)
		for i := range large.Activity.Trades {
			large.Activity.Trades[i].Shares *= 1 << 17
			large.Activity.Trades[i].USD *= 1 << 17
		}
		small := cut(record, now)
		for i := range small.Activity.Trades {
			small.Activity.Trades[i].Shares *= 1 << 12
			small.Activity.Trades[i].USD *= 1 << 12
		}
		if a, b := fmt.Sprintf("%+v", Assess(large, now)), fmt.Sprintf("%+v", Assess(small, now)); a != b {
			t.Fatalf("%s\n%s", a, b)
		}
	})
}

func TestTheSameAnswerForWhoeverAsks(t *testing.T) {
	s := newStory()
	for i := range 16 {
		s.Bet(i, 0.3+0.02*float64(i), i%3 > 0, time.Duration(60-i)*day)
	}
	var group sync.WaitGroup
	answers := make([]string, 100)
	for i := range answers {
		group.Go(func() {
			session := market.NewSession(context.Background(), s.Sources())
			record, err := Of(context.Background(), session, predictiontest.Wallet, now)
			if err != nil {
				t.Error(err)
				return
			}
			again, _ := Of(context.Background(), session, predictiontest.Wallet, now)
			if again != record {
				t.Error("a session gathers a record twice")
			}
			answers[i] = fmt.Sprintf("%+v", Assess(record, now))
		})
		if i == 0 {
			group.Wait()
		}
	}
	group.Wait()
	if all := slices.Compact(answers); len(all) != 1 {
		t.Errorf("%d different answers", len(all))
	}
}

func TestAnEdgeIsShownFromTenPercentOn(t *testing.T) {
	f := &findings{edge: Edge{Mean: 0.01}, chance: evidenceNeeded}
	if !f.edgeShown() {
		t.Error("10 % is enough")
	}
	f.chance = math.Nextafter(evidenceNeeded, 1)
	if f.edgeShown() {
		t.Error("more than 10 % is too much")
	}
	f.chance, f.edge.Mean = 0.01, 0
	if f.edgeShown() {
		t.Error("no edge is none")
	}
	f.chance = math.NaN()
	if f.edgeShown() {
		t.Error("what is unmeasured is not shown")
	}
}

func TestBlockersAtTheirBounds(t *testing.T) {
	fits := func() *findings {
		return &findings{
			book: &book{asOf: now, trades: []market.PredictionTrade{{Time: now}}}, signals: Signals{Execution: "taker", Activity: "active"},
			edge: Edge{Mean: 0.05, Low: 0.02, Events: 40}, chance: evidenceNeeded, copied: Edge{Mean: 0.02, Low: -0.01, Events: 40}, copiedLow: 0.01,
			follower: copying{slippage: 0.0249},
			entries:  make([]entry, 40), timeToEnd: timeNeeded, timed: 20, booked: 2, thinBooks: 1,
		}
	}
	if blockers := fits().blockers("C", followScore); len(blockers) != 0 {
		t.Fatalf("%v", blockers)
	}
	shown := fits()
	shown.follower.slippage, shown.copied.Low = 0.04, math.SmallestNonzeroFloat64
	if blockers := shown.blockers("C", followScore); len(blockers) != 0 {
		t.Errorf("what is left is shown: %v", blockers)
	}
	for _, grade := range []string{"D", "F"} {
		if codes := reason.Codes(fits().blockers(grade, 44.9)); !slices.Equal(codes, []string{"POOR_RECORD"}) {
			t.Errorf("grade %s: %v", grade, codes)
		}
	}
	for code, spoil := range map[string]func(*findings){
		"COPY_UNPROVEN":    func(f *findings) { f.copiedLow = 0 },
		"NEGATIVE_AT_COPY": func(f *findings) { f.copiedLow, f.copied.Mean = -0.1, 0 },
		"EDGE_FADES":       func(f *findings) { f.follower.slippage = 0.025 },
		"COPY_UNMEASURED":  func(f *findings) { f.copiedLow = math.NaN() },
		"TOO_LATE":         func(f *findings) { f.timeToEnd = timeNeeded - 1 },
		"TIME_UNKNOWN":     func(f *findings) { f.timed = 19 },
		"CHANCE":           func(f *findings) { f.chance = math.Nextafter(evidenceNeeded, 1) },
		"INSIDER":          func(f *findings) { f.foresight.suspected = true },
		"DEAR_FAVOURITES":  func(f *findings) { f.signals.Entries, f.edge.Low = favouriteEntries, usualTick },
		"SHALLOW":          func(f *findings) { f.booked, f.thinBooks = 1, 1 },
		"DORMANT":          func(f *findings) { f.signals.Activity = dormant },
		"MAKER":            func(f *findings) { f.signals.Execution = makerExecution },
		"ROLES_UNKNOWN":    func(f *findings) { f.signals.Execution = "" },
		"WASH_SELF": func(f *findings) {
			f.wash = trader.Wash{Suspected: true, Signals: []trader.Signal{washSignal("WASH_SELF", 1, true, "All.")}}
		},
	} {
		f := fits()
		spoil(f)
		if codes := reason.Codes(f.blockers("C", followScore)); !slices.Equal(codes, []string{code}) {
			t.Errorf("%s: %v", code, codes)
		}
	}
}
