package predictvenue

import (
	"math"
	"testing"

	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket/seeded"
	"pgregory.net/rapid"
)

// manyEvents are events without anybody trading in them.
func manyEvents(seed uint64, count int32) (*Venue, []*event) {
	v := New(Config{Seed: seed, Start: testStart})
	list := make([]*event, 0, count)
	for index := range count {
		list = append(list, v.openEvent(1_000+index, 1+index%300))
	}
	return v, list
}

// A price at any time is the mean of what it comes to: in every range of prices, outcomes occur as often as they cost. One market at one
// time is taken of every event, so that the draws are independent.
func TestPricesAreCalibrated(t *testing.T) {
	_, events := manyEvents(1, 4000)
	s := seeded.NewStream(99)
	var sum, variance, prices [10]float64
	var count [10]int
	for _, e := range events {
		m, outcome := e.markets[s.IntN(len(e.markets))], uint8(s.IntN(2))
		at := e.open + int32(s.Float64()*float64(e.decided-e.open))
		p := m.price(outcome, at)
		bucket := min(int(p*10), 9)
		sum[bucket] += m.price(outcome, e.closed) - p
		variance[bucket] += p * (1 - p)
		prices[bucket] += p
		count[bucket]++
	}
	for i := range sum {
		z := sum[i] / math.Sqrt(variance[i])
		t.Logf("prices near %.3f: %d, off by %+.4f (z %+.2f)", prices[i]/float64(count[i]), count[i], sum[i]/float64(count[i]), z)
		if count[i] < 100 || math.Abs(z) > 3.5 {
			t.Errorf("bucket %d: %d prices, z %.2f", i, count[i], z)
		}
	}
}

// Whether an event is called off is in the price until it is known: what the price then comes to is what it was, in the mean.
func TestCallingOffIsInThePrice(t *testing.T) {
	_, events := manyEvents(12, 2500)
	sum, squares, count := 0.0, 0.0, 0
	for _, e := range events {
		if e.voidRisk > 0 {
			step := e.markets[0].price(0, e.voidAt) - e.markets[0].price(0, e.voidAt-1)
			sum, squares, count = sum+step, squares+step*step, count+1
		}
	}
	if z := sum / math.Sqrt(squares); math.Abs(z) > 3.5 || count < 500 {
		t.Errorf("%d events, z %.2f", count, z)
	}
}

// Steps of the price have mean zero whatever came before: what follows a rise is no different from what follows a fall.
func TestPricesHaveNoMomentum(t *testing.T) {
	_, events := manyEvents(4, 2000)
	product, squares := 0.0, 0.0
	for _, e := range events {
		third := (e.decided - e.open) / 3
		m := e.markets[0]
		a, b, c := m.price(0, e.open), m.price(0, e.open+third), m.price(0, e.open+2*third)
		product += (b - a) * (c - b)
		squares += (b - a) * (b - a) * (c - b) * (c - b)
	}
	if z := product / math.Sqrt(squares); math.Abs(z) > 3.5 {
		t.Errorf("one step tells the next: z %.2f", z)
	}
}

func TestEventsHangTogether(t *testing.T) {
	v, events := manyEvents(2, 800)
	s := seeded.NewStream(5)
	forms, void := map[form]int{}, 0
	for _, e := range events {
		forms[e.form]++
		if e.void {
			void++
		}
		for _, at := range []int32{e.open, e.open + int32(s.Float64()*float64(e.decided-e.open)), e.decided, e.closed} {
			sum := 0.0
			for i, m := range e.markets {
				p := m.price(0, at)
				sum += p
				if p < 0 || p > 1 || math.Abs(p+m.price(1, at)-1) > 1e-12 {
					t.Fatalf("prices %v and %v", p, m.price(1, at))
				}
				if e.form == ladder && i > 0 && p > e.markets[i-1].price(0, at) {
					t.Fatal("a higher threshold is likelier")
				}
			}
			if e.form == exclusive && math.Abs(sum-1) > 1e-9 {
				t.Fatalf("exclusive prices come to %v", sum)
			}
		}
		for _, m := range e.markets {
			end := m.price(0, e.closed)
			if end != 0 && end != 1 && (end != 0.5 || !e.void) {
				t.Fatalf("a market ends at %v", end)
			}
		}
		if e.closed <= e.decided || e.decided <= e.open || v.bySlug[e.markets[0].slug] != e.markets[0] {
			t.Fatal("an event is out of order")
		}
	}
	if forms[binary] < 200 || forms[ladder] < 60 || forms[exclusive] < 100 || void < 6 || void > 50 {
		t.Errorf("forms %v, %d called off", forms, void)
	}
}

func TestWithin(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct{ low, high, level, remaining, want float64 }{
		{0, inf, 0, 1, 0.5}, {-inf, 0, 0, 1, 0.5}, {-1, 1, 0, 1, 0.6826894921370859}, {1.959963984540054, inf, 0, 1, 0.025},
		{0, inf, 1, 0.25, 0.9772498680518208}, {0, 1, 0.5, 0, 1}, {0, 1, 0, 0, 0}, {0, 1, 1, 0, 1}, {-inf, inf, 3, 0.1, 1},
	} {
		if got := within(c.low, c.high, c.level, c.remaining); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("within %v: %v", c, got)
		}
	}
	rapid.Check(t, func(r *rapid.T) {
		p := rapid.Float64Range(0.001, 0.999).Draw(r, "p")
		if got := within(-inf, quantile(p), 0, 1); math.Abs(got-p) > 1e-9 {
			r.Fatalf("the quantile of %v has %v below it", p, got)
		}
	})
}

func TestAheadIsWhereTheVarianceHasHappened(t *testing.T) {
	_, events := manyEvents(6, 60)
	rapid.Check(t, func(r *rapid.T) {
		e := rapid.SampledFrom(events).Draw(r, "event")
		at := e.open + int32(rapid.Float64Range(0, 0.9).Draw(r, "when")*float64(e.ends-e.open))
		seen := e.ahead(at, 0.1)
		_, now := e.at(at)
		_, then := e.at(seen)
		if seen < at || seen >= e.ends {
			r.Fatalf("looks from %d to %d of %d", at, seen, e.ends)
		}
		if seen < e.ends-1 && then > now*0.9+1e-12 {
			r.Fatalf("only %v of %v has happened", now-then, now)
		}
		if seen > at {
			if _, before := e.at(seen - 1); before <= now*0.9 {
				r.Fatal("an earlier time would do")
			}
		}
	})
}

// Quotes bracket the price in whole ticks, and the two outcomes mirror each other.
func TestQuotes(t *testing.T) {
	_, events := manyEvents(8, 300)
	rapid.Check(t, func(r *rapid.T) {
		e := rapid.SampledFrom(events).Draw(r, "event")
		m := rapid.SampledFrom(e.markets).Draw(r, "market")
		at := rapid.Int32Range(e.open, e.closed).Draw(r, "time")
		bid, ask := m.quote(0, at)
		otherBid, otherAsk := m.quote(1, at)
		if otherBid != whole-ask || otherAsk != whole-bid {
			r.Fatal("the outcomes do not mirror each other")
		}
		p := m.price(0, at) * whole
		if bid%m.tick != 0 || ask%m.tick != 0 || bid >= ask || bid < 0 || ask > whole {
			r.Fatalf("quote %d to %d in ticks of %d", bid, ask, m.tick)
		}
		if float64(bid) > p+1 && bid != 0 || float64(ask) < p-1 && ask != whole {
			if !(p <= float64(m.tick) || p >= float64(whole-m.tick)) {
				r.Fatalf("quote %d to %d around %v", bid, ask, p)
			}
		}
	})
}

func TestFee(t *testing.T) {
	m := &market{event: &event{category: &category{feeRate: 0.03}}}
	// 71.905 shares at 0.50 and 3 %: 71.905 × 0.03 × 0.25.
	if got := m.fee(5000, 71_905_000); got != 539_288 {
		t.Errorf("fee %d", got)
	}
	if m.fee(9000, 100*micro) != m.fee(1000, 100*micro) || m.fee(9000, 100*micro) != 270_000 {
		t.Error("the fee is to be the same for both outcomes")
	}
}
