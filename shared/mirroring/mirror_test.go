package mirroring

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/agent"
)

func TestACopyIsOpenedReducedAndClosedAsTheLeaderDoes(t *testing.T) {
	w := newWorld(t)
	w.grade(true)
	a := w.follower("a", nil)
	w.now = w.now.Add(time.Minute)
	w.venue.trade(w.now, "BTC", 20) // 2,000 dollars with a leverage of 2, of an equity of 10,000: a tenth
	w.now = w.now.Add(30 * time.Second)
	w.mustPass()
	got := w.account(a)
	if len(got.Copies) != 1 || got.Copies[0].Cost != 100*agent.Dollar || got.Copies[0].Leverage != 2 {
		t.Fatalf("%+v", got.Copies)
	}
	// 200 dollars at 100 and half a spread of a basis point and 4 % of the root of 200 in a thousand million.
	price := 100 * (1 + 0.0001 + 0.04*math.Sqrt(200/1e9))
	if c := got.Copies[0]; math.Abs(c.Price-price) > 1e-9 || math.Abs(c.Quantity-200/price) > 1e-9 || c.Fees != 90_000 {
		t.Errorf("%v coins at %v with fees of %v; want %v at %v, 0.09", c.Quantity, c.Price, c.Fees, 200/price, price)
	}
	first := w.executions(a)[0]
	if first.Status != Executed || *first.LatencyMs != 30_000 || *first.LeaderPrice != 100 || *first.SlippageBps != 1.2 ||
		math.Abs(*first.CopyRatio-200/price/20) > 1e-9 || *first.CostUSD != 100*agent.Dollar || first.Side != "long" || first.SkipReason != nil {
		t.Errorf("%+v", first)
	}

	w.venue.prices["BTC"] = 110
	w.now = w.now.Add(time.Minute)
	w.venue.trade(w.now, "BTC", -5)
	w.mustPass()
	if c := w.account(a).Copies[0]; math.Abs(c.Quantity-0.75*200/price) > 1e-9 || c.Cost != 75*agent.Dollar {
		t.Errorf("after a quarter was closed: %+v", c)
	}
	w.now = w.now.Add(time.Minute)
	w.venue.trade(w.now, "BTC", -15)
	w.mustPass()
	if got := w.account(a); len(got.Copies) != 0 || got.exposure() != 0 {
		t.Errorf("%+v", got)
	}
	all := w.executions(a)
	if got := words(all); !slices.Equal(got, []string{"open executed", "close executed", "close executed"}) {
		t.Fatalf("%v", got)
	}
	if worse := *all[1].SlippageBps; worse != 1.1 { // a basis point, and 0.04·√(0.25·220/1e9)
		t.Errorf("sold %v basis points worse than the leader", worse)
	}
	// The copy gains a tenth of 200 less spreads, impacts and fees of both ways.
	sum := (*all[1].RealizedUSD + *all[2].RealizedUSD).USD()
	sold := func(value float64) float64 { return 110 * (1 - 0.0001 - 0.04*math.Sqrt(value/1e9)) }
	n := 200 / price
	want := 0.25*n*sold(0.25*n*110)*(1-0.00045) + 0.75*n*sold(0.75*n*110)*(1-0.00045) - 200 - 0.09
	if math.Abs(sum-want) > 1e-5 {
		t.Errorf("realised %v, by hand %v", sum, want)
	}
	w.mustPass()
	if again := w.executions(a); len(again) != 3 {
		t.Errorf("another pass made executions: %v", words(again))
	}
}

func TestAFlipIsACloseAndAnOpening(t *testing.T) {
	w := newWorld(t)
	w.grade(true)
	a := w.follower("a", nil)
	w.now = w.now.Add(time.Minute)
	w.venue.trade(w.now, "ETH", 200)
	w.mustPass()
	w.now = w.now.Add(time.Minute)
	w.venue.trade(w.now, "ETH", -500)
	w.mustPass()
	if got := words(w.executions(a)); !slices.Equal(got, []string{"open executed", "close executed", "open executed"}) {
		t.Fatalf("%v", got)
	}
	if c := w.account(a).Copies; len(c) != 1 || c[0].Side != Short || c[0].Cost != 150*agent.Dollar {
		t.Errorf("%+v", c)
	}
}

func TestWhoIsPausedStillCloses(t *testing.T) {
	w := newWorld(t)
	w.grade(true)
	a := w.follower("a", nil)
	w.now = w.now.Add(time.Minute)
	w.venue.trade(w.now, "ETH", 200)
	w.mustPass()
	a.Status, a.Version = agent.Paused, 2
	record, _ := a.Record()
	if err := w.memory.Agents.Change(t.Context(), record); err != nil {
		t.Fatal(err)
	}
	w.now = w.now.Add(time.Minute)
	w.venue.trade(w.now, "BTC", 10)
	w.venue.trade(w.now, "ETH", -200)
	w.mustPass()
	if got := words(w.executions(a)); !slices.Equal(got, []string{"open executed", "open skipped agent_paused", "close executed"}) {
		t.Fatalf("%v", got)
	}
}

func TestNobodyWhoFailsTheGateIsOpenedAfter(t *testing.T) {
	w := newWorld(t)
	a := w.follower("a", nil)
	w.now = w.now.Add(time.Minute)
	w.venue.trade(w.now, "ETH", 200)
	w.mustPass() // nobody graded the leader
	w.grade(false)
	w.now = w.now.Add(time.Minute)
	w.venue.trade(w.now, "ETH", 200)
	w.mustPass()
	w.now = w.now.Add(time.Minute)
	w.grade(true)
	w.venue.trade(w.now, "ETH", 100)
	w.mustPass()
	w.now = w.now.Add(time.Minute)
	w.grade(false)
	w.venue.trade(w.now, "ETH", -500)
	w.mustPass()
	want := []string{"open skipped leader_gate_failed", "open skipped leader_gate_failed", "open executed", "close executed"}
	all := w.executions(a)
	if got := words(all); !slices.Equal(got, want) {
		t.Fatalf("%v", got)
	}
	if all[1].Reason != "The leader does not pass the gate now: It loses." {
		t.Error(all[1].Reason)
	}
}

func TestALeaderIsReadOnceForAllFollowers(t *testing.T) {
	w := newWorld(t)
	w.grade(true)
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		w.follower(id, nil)
	}
	w.now = w.now.Add(time.Minute)
	w.venue.trade(w.now, "ETH", 200)
	w.venue.trade(w.now, "BTC", 20)
	w.mustPass()
	if w.venue.reads != 1 || w.venue.marketReads != 1 {
		t.Errorf("%d readings of the leader, %d of the markets", w.venue.reads, w.venue.marketReads)
	}
	// How far it was read is kept, and what was handled is nobody's business any more.
	reading, err := w.memory.Readings.Reading(t.Context(), perpLeader)
	if err != nil {
		t.Fatal(err)
	}
	if p, err := readProgress(&reading); err != nil || len(p.Handled) != 2 || !p.Through.Equal(w.now) || !p.SweptAt.Equal(w.now) {
		t.Fatalf("%+v %v", p, err)
	}
	w.now = w.now.Add(time.Minute)
	w.mustPass()
	if again, err := w.memory.Readings.Reading(t.Context(), perpLeader); err != nil || again.Version != reading.Version || w.venue.marketReads != 1 {
		t.Errorf("a quiet minute was written down: version %d, %v", again.Version, err)
	}
}

func TestAGradingHoldsForAWeek(t *testing.T) {
	w := newWorld(t)
	w.grade(true)
	graded := w.now
	for after, want := range map[time.Duration]bool{gradeHolds: true, gradeHolds + time.Second: false} {
		gate, err := gateOf(t.Context(), w.memory.Leaders, perpLeader, graded.Add(after))
		if err != nil || gate.Mirrorable != want || (gate.Why == "") != want {
			t.Errorf("after %v: %+v %v", after, gate, err)
		}
	}
}

func TestACopyLosesNoMoreThanItsMargin(t *testing.T) {
	a := &account{Copies: []Copy{{
		Asset: Asset{Key: "BTC"}, Side: Short, Quantity: 1, Price: 100, Cost: 10 * agent.Dollar, Fees: 45_000, Leverage: 10, OpenedAt: start, FundedAt: start,
	}}}
	o := &Order{Venue: agent.Perps, Mode: agent.Paper, Asset: Asset{Key: "BTC"}, Leg: Close, Side: Short, Quantity: 1, Part: 1}
	if lost := a.closed(o, &Fill{Quantity: 1, Price: 150, Fee: 67_500, At: start}); lost != -10_045_000 {
		t.Errorf("%v", lost)
	}
}

func TestTradesBeforeTheActivationAreNotMirrored(t *testing.T) {
	w := newWorld(t)
	w.grade(true)
	w.venue.trade(w.now.Add(-time.Minute), "ETH", 200)
	w.venue.trade(w.now.Add(-time.Minute), "BTC", -20)
	w.venue.trade(w.now.Add(-time.Second), "BTC", 20)
	plain := w.follower("plain", nil)
	existing := w.follower("existing", func(a *agent.Agent) { a.Risk.CopyExisting = true })
	w.now = w.now.Add(time.Minute)
	w.mustPass()
	w.now = w.now.Add(11 * time.Minute)
	w.mustPass()
	if got := w.executions(plain); len(got) != 0 {
		t.Errorf("%v", words(got))
	}
	all := w.executions(existing)
	if got := words(all); !slices.Equal(got, []string{"open executed"}) || *all[0].Asset.Coin != "ETH" || all[0].LeaderPrice != nil || all[0].SlippageBps != nil ||
		all[0].LeaderTradeAt != nil || all[0].LatencyMs != nil {
		t.Fatalf("%v %+v", got, all)
	}
	// 2,000 dollars with a leverage of 2 are a tenth of the leader's means.
	if c := w.account(existing).Copies; c[0].Cost != 100*agent.Dollar {
		t.Errorf("%+v", c)
	}
}

func TestACopyIsClosedWhenItsMarketOrItsMarginEnds(t *testing.T) {
	w := newWorld(t)
	w.grade(true)
	w.venue.leverage = 10
	a := w.follower("a", nil)
	w.now = w.now.Add(time.Minute)
	w.venue.trade(w.now, "BTC", 20)
	w.venue.trade(w.now, "ETH", 200)
	w.mustPass()
	w.venue.mu.Lock()
	w.venue.prices["BTC"] = 80 // a fifth at a leverage of ten
	w.venue.delisted["ETH"] = true
	w.venue.mu.Unlock()
	w.now = w.now.Add(11 * time.Minute)
	w.mustPass()
	all := w.executions(a)
	if got := words(all); !slices.Equal(got, []string{"open executed", "open executed", "close executed", "close executed"}) {
		t.Fatalf("%v", got)
	}
	if lost := -*all[2].RealizedUSD; *all[2].Asset.Coin != "BTC" || lost < 20*agent.Dollar || lost > 20*agent.Dollar+200_000 {
		t.Errorf("liquidated: lost %v of a margin of 20; %s", lost, all[2].Reason)
	}
	if all[3].LeaderTradeAt != nil || len(w.account(a).Copies) != 0 {
		t.Errorf("%+v", all[3])
	}
}

func TestACloseThatHasNoPriceIsOwed(t *testing.T) {
	w := newWorld(t)
	w.grade(true)
	a := w.follower("a", nil)
	w.now = w.now.Add(time.Minute)
	w.venue.trade(w.now, "BTC", 20)
	w.mustPass()
	w.now = w.now.Add(time.Minute)
	w.venue.trade(w.now, "BTC", -20)
	w.venue.broken = true
	if err := w.pass(); err == nil {
		t.Fatal("a pass without prices counts as done")
	}
	w.now = w.now.Add(6 * time.Minute)
	if err := w.pass(); err == nil {
		t.Fatal("the copy could not be looked at, and nobody says so")
	}
	if got := words(w.executions(a)); !slices.Equal(got, []string{"open executed", "close skipped market_closed"}) {
		t.Fatalf("%v", got)
	}
	w.venue.broken = false
	w.now = w.now.Add(time.Minute)
	w.mustPass()
	if got := words(w.executions(a)); !slices.Equal(got, []string{"open executed", "close skipped market_closed", "close executed"}) {
		t.Fatalf("%v", got)
	}
	if got := w.account(a); len(got.Copies) != 0 {
		t.Errorf("%+v", got)
	}
}

func TestWhatALeaderLeftUnseenIsClosed(t *testing.T) {
	w := newWorld(t)
	w.grade(true)
	a := w.follower("a", nil)
	w.now = w.now.Add(time.Minute)
	w.venue.trade(w.now, "BTC", 20)
	w.mustPass()
	w.now = w.now.Add(time.Minute)
	w.venue.trade(w.now, "BTC", -20)
	// The agent was activated anew after that, so that the trade itself is not mirrored.
	w.now = w.now.Add(time.Minute)
	a.ActivatedAt, a.Version = w.now, 2
	record, _ := a.Record()
	if err := w.memory.Agents.Change(t.Context(), record); err != nil {
		t.Fatal(err)
	}
	w.now = w.now.Add(12 * time.Minute)
	w.mustPass()
	all := w.executions(a)
	if got := words(all); !slices.Equal(got, []string{"open executed", "close executed"}) || all[1].Reason != "The leader has nothing left of BTC, and the copy is closed." {
		t.Fatalf("%v %s", got, all[len(all)-1].Reason)
	}
}
