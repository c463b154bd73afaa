package predictionrecord

import (
	"math"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/trader"
)

func TestWordsAtTheirBounds(t *testing.T) {
	below, above := func(x float64) float64 { return math.Nextafter(x, 0) }, func(x float64) float64 { return math.Nextafter(x, 1e9) }
	for _, c := range []struct {
		name, got, want string
	}{
		{"no maker", executionOf(0), "taker"}, {"30 % maker", executionOf(0.30), "taker"}, {"more", executionOf(above(0.30)), "mixed"},
		{"less than 70 %", executionOf(below(0.70)), "mixed"}, {"70 % maker", executionOf(0.70), "maker"}, {"unknown", executionOf(math.NaN()), ""},

		{"60 % at 0.80", entriesOf(bought{favourites: 0.6}), "favourites"}, {"less", entriesOf(bought{favourites: below(0.6)}), "balanced"},
		{"60 % at 0.50", entriesOf(bought{value: 0.6}), "value"}, {"less", entriesOf(bought{value: below(0.6)}), "balanced"},
		{"nothing bought", entriesOf(pricesPaid(nil)), ""},

		{"nine events", consistencyOf(9, 1, 0.1, 1), "unproven"}, {"ten", consistencyOf(10, 1, 0.1, 1), "steady"},
		{"PSR* 0.9", consistencyOf(10, 0.9, 0.1, 0.5), "steady"}, {"less", consistencyOf(10, below(0.9), 0.1, 0.5), "mixed"},
		{"months", consistencyOf(10, 0.9, 0.1, below(0.5)), "mixed"}, {"PSR* 0.6", consistencyOf(10, 0.6, 0.1, 1), "mixed"},
		{"less", consistencyOf(10, below(0.6), 0.1, 1), "streaky"}, {"half of all gains", consistencyOf(10, 0.95, 0.5, 1), "streaky"},
		{"less of them", consistencyOf(10, 0.95, below(0.5), 1), "steady"}, {"no gains", consistencyOf(10, 0.1, math.NaN(), 0), "streaky"},

		{"ten", diversificationOf(10), "broad"}, {"less", diversificationOf(9.99), "moderate"}, {"four", diversificationOf(4), "moderate"},
		{"less", diversificationOf(3.99), "concentrated"}, {"unknown", diversificationOf(math.NaN()), ""},

		{"below two", cadenceOf(pace{perWeek: below(2)}), "occasional"}, {"two", cadenceOf(pace{perWeek: 2}), "regular"},
		{"below twenty", cadenceOf(pace{perWeek: below(20)}), "regular"}, {"twenty", cadenceOf(pace{perWeek: 20}), "busy"},
		{"two hundred", cadenceOf(pace{perWeek: 200}), "busy"}, {"more", cadenceOf(pace{perWeek: above(200)}), "machine"},
		{"bursts", cadenceOf(pace{perWeek: 5, bursts: true}), "machine"},

		{"a week", activityOf(7 * day), "active"}, {"more", activityOf(7*day + 1), "slowing"}, {"30 days", activityOf(30 * day), "slowing"},
		{"more", activityOf(30*day + 1), "dormant"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
}

func TestMakerShareNeedsKnownRoles(t *testing.T) {
	s := newStory().Market(1, "e", 0.5)
	s.Role = market.Maker
	s.Buy(1, 0, 100, 0.5, 3*day)
	s.Role = market.Taker
	s.Buy(1, 0, 300, 0.5, 2*day)
	near(t, "maker share", makerShare(s.Activity.Trades), 0.25)
	s.Role = market.UnknownRole
	s.Buy(1, 0, 400, 0.5, day)
	near(t, "half of the roles known", makerShare(s.Activity.Trades), 0.25)
	s.Buy(1, 0, 1, 0.5, day)
	if share := makerShare(s.Activity.Trades); !math.IsNaN(share) {
		t.Errorf("%v of mostly unknown roles", share)
	}
}

func TestPace(t *testing.T) {
	s := newStory().Market(1, "e", 0.5).Market(2, "e", 0.5)
	// Two weeks: three entries in the first, one of them in pieces; one in the second. Sales and what is older do not count.
	s.Buy(1, 0, 1, 0.5, 100*day).Buy(1, 0, 1, 0.5, 20*day).Buy(1, 0, 1, 0.5, 20*day-time.Minute).Buy(2, 0, 1, 0.5, 19*day).
		Buy(1, 0, 1, 0.5, 18*day+time.Hour).Sell(1, 0, 1, 0.5, 12*day).Buy(1, 0, 1, 0.5, 10*day)
	p := paceOf(s.Activity.Trades, now.Add(-Window))
	if p.entries != 4 || p.perWeek != 2 || p.bursts || !p.lastEntry.Equal(now.Add(-10*day)) {
		t.Errorf("%+v", p)
	}
	burst := newStory()
	for i := range 30 {
		burst.Market(i, "e", 0.5).Buy(i, 0, 1, 0.5, time.Duration(60-min(i, 27))*day)
	}
	if p := paceOf(burst.Activity.Trades, now.Add(-Window)); p.bursts {
		t.Error("2 of 30 entries at once are no bursts")
	}
	for i := range 30 {
		burst.Activity.Trades[i].Time = now.Add(-time.Duration(60-min(i, 26)) * day)
	}
	if p := paceOf(burst.Activity.Trades, now.Add(-Window)); !p.bursts {
		t.Error("3 of 30 entries at once are bursts")
	}
	// Orders of one second are a burst in one outcome too, and pieces of one order are none.
	clips, pieces := newStory().Market(1, "e", 0.5), newStory().Market(1, "e", 0.5)
	for i := range 30 {
		clips.Buy(1, 0, 1, 0.5, time.Duration(60-i/3)*day)
		pieces.Buy(1, 0, 1, 0.5, time.Duration(60-i/3)*day)
		pieces.Last().Transaction = market.Hash{byte(1 + i/3)}
	}
	if p := paceOf(clips.Activity.Trades, now.Add(-Window)); !p.bursts || p.entries != 10 {
		t.Errorf("three orders a second, ten times: %+v", p)
	}
	if p := paceOf(pieces.Activity.Trades, now.Add(-Window)); p.bursts || p.entries != 10 {
		t.Errorf("ten orders in three pieces: %+v", p)
	}
}

func TestProfitableMonths(t *testing.T) {
	results := []trader.Result{{PnLUSD: 5, ClosedAt: now}, {PnLUSD: -6, ClosedAt: now.AddDate(0, 0, 20)}, {PnLUSD: 1, ClosedAt: now.AddDate(1, 0, 0)}}
	near(t, "months", profitableMonths(results), 0.5)
	if share := profitableMonths(nil); !math.IsNaN(share) {
		t.Errorf("%v of no months", share)
	}
}

func TestWash(t *testing.T) {
	honest := newStory()
	for i := range 20 {
		honest.Bet(i, 0.5, true, time.Duration(40-i)*day).Sell(i, 0, 100, 0.6, time.Duration(40-i)*day-2*time.Hour)
	}
	if w := inspectWash(honest.Activity.Trades, nil); w.Suspected || w.VolumeShare != 0 {
		t.Errorf("%+v", w)
	}
	// 100 USD of 2,000 on each side of one transaction: 200 of 2,200 and more than a twentieth.
	self := newStory().Market(1, "e", 0.5).Buy(1, 0, 4000, 0.5, 9*day).Buy(1, 0, 200, 0.5, 8*day).Sell(1, 0, 200, 0.5, 8*day)
	self.Last().Transaction = self.Activity.Trades[1].Transaction
	w := inspectWash(self.Activity.Trades, nil)
	if !w.Suspected || w.Signals[0].Code != "WASH_SELF" {
		t.Errorf("%+v", w)
	}
	near(t, "share with itself", w.Signals[0].Share, 200.0/2200)
	// Both outcomes bought in one transaction were sold to each other.
	paired := newStory().Market(1, "e", 0.5).Buy(1, 0, 100, 0.6, 8*day).Buy(1, 1, 100, 0.4, 8*day)
	paired.Last().Transaction = paired.Activity.Trades[0].Transaction
	w = inspectWash(paired.Activity.Trades, reckon(recordOf(paired), now).byStake)
	if !w.Suspected || w.Signals[0].Share != 1 {
		t.Errorf("%+v", w)
	}
	trips := func(n int, price float64, after time.Duration, role market.PredictionRole) bool {
		s := newStory().Market(0, "e", 0.5).Buy(0, 1, 1200, 0.5, 60*day)
		s.Role = role
		for i := range n {
			s.Market(i, "e", 0.5).Buy(i, 0, 100, 0.5, time.Duration(50-i)*day).Sell(i, 0, 100, price, time.Duration(50-i)*day-after)
		}
		return inspectWash(s.Activity.Trades, nil).Suspected
	}
	// What crosses on the way there rests on the way back.
	passed := func(n int) bool {
		s := newStory()
		for i := range n {
			ago := time.Duration(50-i) * day
			s.Market(i, "e", 0.5).Role = market.Taker
			s.Sell(i, 0, 100, 0.5, ago).Role = market.Maker
			s.Buy(i, 0, 100, 0.5, ago-20*time.Minute)
		}
		return inspectWash(s.Activity.Trades, nil).Suspected
	}
	for _, c := range []struct {
		name string
		got  bool
		want bool
	}{
		{"five round trips, 45 % of volume", trips(5, 0.5, time.Hour, market.Taker), true},
		{"four", trips(4, 0.5, time.Hour, market.Taker), false},
		{"at a percent more", trips(5, 0.505, time.Hour, market.Taker), true},
		{"at two percent more", trips(5, 0.51, time.Hour, market.Taker), false},
		{"over an hour apart", trips(5, 0.5, time.Hour+time.Second, market.Taker), false},
		{"resting orders", trips(5, 0.5, time.Hour, market.Maker), false},
		{"shares passed to and fro", passed(5), true},
		{"four times", passed(4), false},
	} {
		if c.got != c.want {
			t.Errorf("%s: suspected %v", c.name, c.got)
		}
	}
}
