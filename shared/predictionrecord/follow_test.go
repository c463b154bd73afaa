package predictionrecord

import (
	"fmt"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// A follower pays at least a step more than the wallet did, whatever the price did since, and a dollar at most.
func TestAFollowerNeverPaysLess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := entry{quoted: rapid.Float64Range(0.001, 0.999).Draw(t, "quoted")}
		e.price = min(0.9999, e.quoted+rapid.Float64Range(0, 0.02).Draw(t, "fee"))
		facts := market.PredictionMarket{
			TickSize: rapid.SampledFrom([]float64{math.NaN(), 0.001, 0.01}).Draw(t, "tick"),
			Spread:   rapid.SampledFrom([]float64{math.NaN(), 0, 0.02, 0.2, 1}).Draw(t, "spread"),
			FeeRate:  rapid.SampledFrom([]float64{math.NaN(), 0, 0.05}).Draw(t, "rate"),
		}
		tick := facts.TickSize
		if math.IsNaN(tick) {
			tick = usualTick
		}
		later := rapid.Float64Range(0.001, 0.999).Draw(t, "later")
		paid := e.followedAt(later, &facts)
		if paid < min(1, e.price+tick) || paid < min(1, later+tick) || paid > 1 {
			t.Fatalf("a share that cost %v costs a follower %v", e.price, paid)
		}
	})
}

func TestWhatAFollowerPaysByHand(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name                        string
		quoted, price, later        float64
		tick, spread, rate, follows float64
	}{
		{"the price fell", 0.50, 0.50, 0.30, 0.01, 0.02, 0, 0.51},
		{"it stayed", 0.50, 0.50, 0.50, 0.01, 0.02, 0, 0.51},
		{"it rose", 0.50, 0.50, 0.60, 0.01, 0.02, 0, 0.61},
		{"a wide spread", 0.50, 0.50, 0.50, 0.01, 0.20, 0, 0.60},
		{"an empty book has none", 0.50, 0.50, 0.50, 0.01, 1, 0, 0.51},
		{"nothing is known", 0.50, 0.50, 0.50, nan, nan, nan, 0.51},
		{"what the wallet paid as a fee", 0.50, 0.52, 0.50, 0.01, nan, nan, 0.53},
		{"the fee at the follower's price", 0.50, 0.50, 0.59, 0.01, nan, 0.05, 0.60 + 0.05*0.60*0.40},
		{"a fee that falls with the price is no gain", 0.80, 0.81, 0.50, 0.001, nan, 0.05, 0.811},
		{"a fee that grows toward even prices", 0.30, 0.3105, 0.10, 0.01, nan, 0.05, 0.31 + 0.05*0.31*0.69},
		{"nothing costs more than a dollar", 0.995, 0.995, 0.995, 0.01, nan, nan, 1},
	} {
		e := entry{quoted: c.quoted, price: c.price}
		near(t, c.name, e.followedAt(c.later, &market.PredictionMarket{TickSize: c.tick, Spread: c.spread, FeeRate: c.rate}), c.follows)
	}
}

// One price a minute later says nothing of eighty entries.
func TestAFewLaterPricesAreNotEnough(t *testing.T) {
	for _, c := range []struct {
		events, priced int
		enough         bool
	}{{80, 1, false}, {80, 19, false}, {80, 20, true}, {12, 9, false}, {12, 10, true}, {4, 4, true}, {4, 3, false}} {
		s := newStory()
		for i := range c.events {
			s.Bet(i, 0.4, i%3 > 0, time.Duration(c.events-i+2)*day)
			if i < c.events-c.priced {
				delete(s.Prices, outcome(i, 0))
			}
		}
		a := Assess(recordOf(s), now)
		if math.IsNaN(a.CopiedEdge.Mean) == c.enough || !c.enough && a.Mirrorable {
			t.Errorf("%d of %d priced: %+v", c.priced, c.events, a)
		}
	}
}

// The average that stands in for unknown prices makes the follower's edge less certain, the more they spread.
func TestUnknownLaterPricesWidenTheInterval(t *testing.T) {
	widths := make([]float64, 2)
	for spread := range widths {
		s := newStory()
		for i := range 80 {
			s.Bet(i, 0.4, i%3 > 0, time.Duration(82-i)*day)
			s.Follow(0.45 + 0.2*float64(spread)*float64(i%2*2-1)*0.2)
			if i%4 < 2 {
				delete(s.Prices, outcome(i, 0))
			}
		}
		f := examine(recordOf(s), now)
		widths[spread] = f.follower.doubt
		chances := make([]float64, len(f.entries))
		for i := range chances {
			chances[i] = f.entries[i].price
		}
		certain := measureEdge(f.follower.edges, chances, 1)
		wide, _ := f.follower.measureCopied(chances, 1)
		if reach := math.Hypot(certain.Mean-certain.Low, 1.6448536269514722*f.follower.doubt); math.Abs(wide.Mean-wide.Low-reach) > 1e-9 {
			t.Errorf("low %v, want %v below the mean", wide.Mean-wide.Low, reach)
		}
	}
	near(t, "equal slippage", widths[0], 0)
	// 40 prices 4 cents either side stand for 40 others: 0.04*sqrt(40/39)/sqrt(40)/2.
	near(t, "unequal slippage", widths[1], 0.04*math.Sqrt(40.0/39)/math.Sqrt(40)/2)
}

func TestTheEarliestSignOfTheEndCounts(t *testing.T) {
	entered := 5 * day
	for _, c := range []struct {
		name         string
		ends, closed time.Duration
		price        float64
		priced       time.Duration
		want         time.Duration
	}{
		{"settled after the end", 2 * time.Hour, 9 * time.Hour, 0.5, time.Minute, 2 * time.Hour},
		{"decided before the announced end", 300 * day, 3 * time.Hour, 0.5, time.Minute, 3 * time.Hour},
		{"entered after the announced end", -time.Hour, 3 * time.Hour, 0.5, time.Minute, 3 * time.Hour},
		{"the price left no doubt", 4 * day, 4 * day, 0.99, 40 * time.Minute, 40 * time.Minute},
	} {
		s := newStory().Bet(1, 0.5, true, entered)
		m := s.Markets[condition(1)]
		m.EndsAt, m.ClosedAt = now.Add(-entered+c.ends), now.Add(-entered+c.closed)
		s.Markets[condition(1)] = m
		s.Prices[outcome(1, 0)] = []market.PricePoint{{Time: now.Add(-entered + c.priced), USD: c.price}}
		got, n := medianTimeToEnd(reckon(recordOf(s), now).decided())
		if got != c.want || n != 1 {
			t.Errorf("%s: %v over %d, want %v", c.name, got, n, c.want)
		}
	}
	s := newStory().Bet(1, 0.5, true, entered)
	m := s.Markets[condition(1)]
	m.EndsAt, m.ClosedAt = time.Time{}, time.Time{}
	s.Markets[condition(1)] = m
	if _, n := medianTimeToEnd(reckon(recordOf(s), now).decided()); n != 0 {
		t.Error("an unknown end is known")
	}
}

func TestForesight(t *testing.T) {
	type bets struct {
		n, right int
		price    float64
		left     time.Duration
		kinds    int
		early    float64 // dollars put into an early bet besides
	}
	suspected := func(c bets) bool {
		s := newStory()
		for i := range c.n {
			ago := time.Duration(80-i) * day
			s.Market(i, fmt.Sprint("e", i), c.price).Buy(i, 0, 100/c.price, c.price, ago)
			payout := 0.0
			if i < c.right {
				payout = 1
			}
			s.Decide(i, ago-c.left, payout)
			m := s.Markets[condition(i)]
			m.Category = fmt.Sprint("kind ", i%max(1, c.kinds))
			s.Markets[condition(i)] = m
		}
		if c.early > 0 {
			s.Market(900, "early", 0.5).Buy(900, 0, 2*c.early, 0.5, 85*day).Decide(900, 60*day, 1)
		}
		return examine(recordOf(s), now).foresight.suspected
	}
	usual := bets{n: 20, right: 19, price: 0.5, left: 3 * time.Hour, kinds: 1}
	for _, c := range []struct {
		name  string
		spoil func(*bets)
		want  bool
	}{
		{"nearly always right, hours before the end", func(*bets) {}, true},
		{"right in 85 %", func(b *bets) { b.right = 17 }, true},
		{"right in 80 %", func(b *bets) { b.right = 16 }, false},
		{"just within a day", func(b *bets) { b.left = day - time.Second }, true},
		{"a day before", func(b *bets) { b.left = day }, false},
		{"favourites", func(b *bets) { b.price = 0.9 }, false},
		{"prices that said so nearly", func(b *bets) { b.right, b.price = 20, 0.81 }, false},
		{"seven at even prices", func(b *bets) { b.n, b.right = 7, 7 }, true},
		{"six, of which luck makes one of 64", func(b *bets) { b.n, b.right = 6, 6 }, false},
		{"four", func(b *bets) { b.n, b.right, b.price = 4, 4, 0.1 }, false},
		{"three kinds of markets", func(b *bets) { b.n, b.right, b.kinds = 21, 20, 3 }, true},
		{"four kinds of markets", func(b *bets) { b.kinds = 4 }, false},
		{"half of the money", func(b *bets) { b.early = 2000 }, true},
		{"less than half", func(b *bets) { b.early = 2001 }, false},
	} {
		b := usual
		c.spoil(&b)
		if got := suspected(b); got != c.want {
			t.Errorf("%s: suspected %v", c.name, got)
		}
	}
}
