package predictionrecord

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/stats"
)

// even makes entries at one price, the first so many of which won.
func even(n, won int, price float64) []entry {
	entries := make([]entry, n)
	for i := range entries {
		entries[i] = entry{price: price, shares: 10, at: now, decidedAt: now}
		if i < won {
			entries[i].payout = 1
		}
	}
	return entries
}

func TestChanceAgainstTheBinomialDistribution(t *testing.T) {
	for _, c := range []struct {
		n, won int
		price  float64
	}{{10, 8, 0.5}, {40, 38, 0.93}, {40, 40, 0.95}, {25, 3, 0.05}, {100, 50, 0.5}, {61, 20, 0.2}} {
		got, want := chance(even(c.n, c.won, c.price), 1), stats.BinomialTail(c.won, c.n, c.price)
		if math.Abs(got-want) > 4*math.Sqrt(want*(1-want)/redraws)+1.0/redraws {
			t.Errorf("%d of %d at %.2f: %.4f, want %.4f", c.won, c.n, c.price, got, want)
		}
	}
	if p := chance(nil, 1); !math.IsNaN(p) {
		t.Errorf("%v of nothing", p)
	}
	void := even(1, 0, 0.4)
	void[0].payout = 0.5
	if p := chance(void, 1); !math.IsNaN(p) {
		t.Errorf("%v of a market called off", p)
	}
}

// No single entry weighs more than three of median size.
func TestOneHugeWinProvesLittle(t *testing.T) {
	entries := even(21, 10, 0.5)
	entries[0].shares = 1e6
	if p := chance(entries, 1); p < 0.3 {
		t.Errorf("a record of 10 wins of 21 at even prices has %.3f", p)
	}
}

// Fair entries reach 5 % in 5 % of cases, whatever their prices and sizes.
func TestFairLuckIsCalibrated(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const records = 500
	reached := 0
	for range records {
		entries := make([]entry, 40)
		for i := range entries {
			entries[i] = entry{price: random.Float64(), shares: math.Exp(random.NormFloat64())}
			if random.Float64() < entries[i].price {
				entries[i].payout = 1
			}
		}
		if chance(entries, random.Uint64()) <= 0.05 {
			reached++
		}
	}
	if share := float64(reached) / records; math.Abs(share-0.05) > 4*math.Sqrt(0.05*0.95/records) {
		t.Errorf("%.4f of fair records are below 0.05", share)
	}
}

func TestEdgeByHand(t *testing.T) {
	// Five wins and five losses at 0.4: the mean edge is 0.1, fair prices imply an error of sqrt(0.24/10).
	edges, chances := make([]float64, 10), make([]float64, 10)
	for i := range edges {
		chances[i], edges[i] = 0.4, float64(i%2)-0.4
	}
	e := measureEdge(edges, chances, 1)
	near(t, "mean", e.Mean, 0.1)
	implied := 1.6448536269514722 * math.Sqrt(0.24/10)
	if e.Low > 0.1-implied || e.High < 0.1+implied || e.Low < -0.3 || e.High > 0.5 {
		t.Errorf("%+v", e)
	}
	if d := detectable(edges, chances); math.Abs(d-(1.6448536269514722+0.8416212335729143)*stats.Describe(edges).SD/math.Sqrt(10)) > 1e-9 {
		t.Errorf("detectable %v", d)
	}
	// 618 even bets show five cents with 80 % power, as do 223 of favourites.
	for _, c := range []struct {
		n  int
		sd float64
	}{{618, 0.5}, {223, 0.3}} {
		fair, none := make([]float64, c.n), make([]float64, c.n)
		for i := range fair {
			fair[i] = (1 - math.Sqrt(1-4*c.sd*c.sd)) / 2
		}
		if d := detectable(none, fair); math.Abs(d-0.05) > 1e-4 {
			t.Errorf("%d bets show %v", c.n, d)
		}
	}
	if one := measureEdge(edges[:1], chances[:1], 1); !math.IsNaN(one.Mean) || one.Events != 1 {
		t.Errorf("%+v", one)
	}
}

// Favourites that all won have no spread, and still no proof.
func TestWinnersAloneAreUncertain(t *testing.T) {
	edges, chances := make([]float64, 20), make([]float64, 20)
	for i := range edges {
		edges[i], chances[i] = 0.05, 0.95
	}
	if e := measureEdge(edges, chances, 1); e.Low >= 0 || e.Mean != 0.05 {
		t.Errorf("%+v", e)
	}
}

func TestFollowerPaysTheLaterPriceAStepAndTheFee(t *testing.T) {
	s := newStory()
	for i := range 3 {
		s.Bet(i, 0.5, true, time.Duration(30-i)*day)
	}
	m := s.Markets[condition(0)]
	m.FeeRate, m.TickSize = 0.04, 0.02
	s.Markets[condition(0)] = m
	at := s.Activity.Trades[0].Time
	s.Prices[outcome(0, 0)] = []market.PricePoint{{Time: at, USD: 0.5}, {Time: at.Add(time.Minute), USD: 0.53}, {Time: at.Add(2 * time.Minute), USD: 0.6}}
	delete(s.Prices, outcome(1, 0))
	m = s.Markets[condition(2)]
	m.TickSize = math.NaN()
	s.Markets[condition(2)] = m
	b := reckon(recordOf(s), now)
	c := b.follow(b.decided())
	first := 0.53 + 0.02 + 0.04*0.55*0.45
	near(t, "first", c.edges[0], 1-first)
	near(t, "third, the usual step", c.edges[2], 1-0.51)
	near(t, "slippage", c.slippage, (first-0.5+0.01)/2)
	near(t, "second, without a price", c.edges[1], 0.5-c.slippage)
	if c.measured != 2 {
		t.Errorf("%d measured", c.measured)
	}
	for name, at := range map[string]time.Time{"too early": at.Add(time.Minute - 1), "too late": at.Add(time.Hour + time.Minute + 1)} {
		s.Prices = map[string][]market.PricePoint{outcome(0, 0): {{Time: at, USD: 0.53}}}
		b = reckon(recordOf(s), now)
		if c = b.follow(b.decided()); c.measured != 0 || !math.IsNaN(c.slippage) {
			t.Errorf("a price %s counts", name)
		}
	}
}

func TestOnlyTheLatestEntriesAreFollowed(t *testing.T) {
	s := newStory()
	for i := range 50 {
		s.Bet(i, 0.5, i%2 == 0, time.Duration(80-i)*day)
	}
	entries := reckon(recordOf(s), now).toFollow()
	if len(entries) != followed || entries[0].asset != outcome(10, 0) || entries[len(entries)-1].asset != outcome(49, 0) {
		t.Errorf("%d from %s", len(entries), entries[0].asset)
	}
}
