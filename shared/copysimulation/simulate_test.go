package copysimulation_test

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/copysimulation"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

var (
	launch = time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	token  = chain.Address{1}
	never  = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
)

// hours makes one candle an hour from launch with these closes; NaN leaves the hour out.
func hours(closes ...float64) []market.Candle {
	var candles []market.Candle
	for i, c := range closes {
		if !math.IsNaN(c) {
			candles = append(candles, market.Candle{Time: launch.Add(time.Duration(i) * time.Hour), Open: c, High: c, Low: c, Close: c, VolumeUSD: 1})
		}
	}
	return candles
}

// path is flat at from up to the horizon of an entry in the first hour, and at to from then on.
func path(from, to float64) []float64 {
	closes := make([]float64, 300)
	for i := range closes {
		closes[i] = from
		if i >= 168 {
			closes[i] = to
		}
	}
	return closes
}

func run(asOf time.Time, closes []float64, terms copysimulation.Terms, entries ...time.Time) copysimulation.Result {
	var list []copysimulation.Entry
	for _, at := range entries {
		list = append(list, copysimulation.Entry{Token: token, At: at})
	}
	return copysimulation.Run(list,
		map[chain.Address]*copysimulation.Series{token: copysimulation.NewSeries(hours(closes...), asOf)},
		map[chain.Address]copysimulation.Terms{token: terms}, asOf)
}

var known = copysimulation.Terms{SellTax: math.NaN(), QuoteUSD: math.NaN()}

func TestNetOfAHaircut(t *testing.T) {
	at := launch.Add(20 * time.Minute)
	for _, c := range []struct {
		name     string
		from, to float64
		terms    copysimulation.Terms
		want     float64
	}{
		{"unchanged", 1, 1, known, -0.04},
		{"up by half", 1, 1.5, known, 0.44},
		{"halved", 2, 1, known, -0.52},
		{"gone to nothing", 1, 0, known, -1},
		{"sell tax of a tenth", 1, 1.5, copysimulation.Terms{SellTax: 0.10, QuoteUSD: math.NaN()}, 1.5*0.96*0.9 - 1},
		{"cannot be sold", 1, 10, copysimulation.Terms{SellTax: math.NaN(), Unsellable: true, QuoteUSD: math.NaN()}, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := run(never, path(c.from, c.to), c.terms, at)
			if r.Counted != 1 || math.Abs(r.Trades[0].Net-c.want) > 1e-12 {
				t.Fatalf("net %v of %d counted, want %v", r.Trades[0].Net, r.Counted, c.want)
			}
		})
	}
}

func TestEntryIsPricedAtTheCloseOfItsHour(t *testing.T) {
	closes := path(1, 2)
	closes[0], closes[1] = 4, 1
	r := run(never, closes, known, launch.Add(59*time.Minute), launch.Add(60*time.Minute))
	if got := r.Trades[0].Net; math.Abs(got-(2.0/4*0.96-1)) > 1e-12 {
		t.Errorf("entry in the first hour nets %v", got)
	}
	if got := r.Trades[1].Net; math.Abs(got-(2.0/1*0.96-1)) > 1e-12 {
		t.Errorf("entry on the second hour's first instant nets %v", got)
	}
}

func TestPricesAreCarriedOnlySoFar(t *testing.T) {
	nan := math.NaN()
	closes := path(1, 1)
	for i := 1; i <= 7; i++ {
		closes[i] = nan
	}
	if r := run(never, closes, known, launch.Add(6*time.Hour)); r.Counted != 1 {
		t.Error("a price six hours old is not used for an entry")
	}
	if r := run(never, closes, known, launch.Add(7*time.Hour)); r.Skipped != 1 {
		t.Error("a price seven hours old is used for an entry")
	}
	closes = path(1, 1)
	for i := 121; i < len(closes); i++ {
		closes[i] = nan // last trade in hour 120: 48 hours before the horizon in hour 168
	}
	if r := run(never, closes, known, launch); r.Dead != 0 {
		t.Error("a pool that traded 48 hours before the horizon counts as dead")
	}
	closes[120] = nan
	if r := run(never, closes, known, launch); r.Dead != 1 || r.Trades[0].Net != -1 {
		t.Error("a pool without a trade for 49 hours before the horizon does not count as dead")
	}
}

func TestHorizonMustBeOver(t *testing.T) {
	horizon := launch.Add(copysimulation.Horizon)
	if r := run(horizon.Add(59*time.Minute), path(1, 2), known, launch); r.Pending != 1 || r.Counted != 0 {
		t.Errorf("within the horizon's hour: %+v", r)
	}
	if r := run(horizon.Add(60*time.Minute), path(1, 2), known, launch); r.Counted != 1 {
		t.Errorf("after the horizon's hour: %+v", r)
	}
}

func TestEmptyHistory(t *testing.T) {
	entries := []copysimulation.Entry{{Token: token, At: launch}, {Token: chain.Address{2}, At: launch, AlreadyDead: true}}
	r := copysimulation.Run(entries, nil, nil, never)
	if r.Skipped != 1 || r.Dead != 1 || r.Counted != 1 || r.Worst != -1 {
		t.Fatalf("%+v", r)
	}
	if r := copysimulation.Run(nil, nil, nil, never); r.Counted != 0 || !math.IsNaN(r.WinRate) || r.Form() != "unknown" || !math.IsNaN(r.TimingP(1)) {
		t.Fatalf("%+v", r)
	}
}

func TestAggregates(t *testing.T) {
	// Three entries an hour apart: +44 %, -4 %, -52 %.
	closes := path(1, 1)
	closes[168], closes[169], closes[170] = 1.5, 1, 0.5
	r := run(never, closes, known, launch, launch.Add(time.Hour), launch.Add(2*time.Hour))
	if r.Counted != 3 || r.Wins != 1 || math.Abs(r.Median-(-0.04)) > 1e-12 || math.Abs(r.Best-0.44) > 1e-12 || math.Abs(r.Worst-(-0.52)) > 1e-12 {
		t.Fatalf("%+v", r)
	}
	if want := 1.044*0.996*0.948 - 1; math.Abs(r.Compounded-want) > 1e-12 {
		t.Errorf("compounded %v, want %v", r.Compounded, want)
	}
}

func TestFormComparesTheLastFiveWithTheRest(t *testing.T) {
	wins := func(pattern string) copysimulation.Result {
		closes := path(1, 1)
		var entries []time.Time
		for i, c := range pattern {
			closes[168+i] = map[rune]float64{'w': 2, 'l': 0.5}[c]
			entries = append(entries, launch.Add(time.Duration(i)*time.Hour))
		}
		return run(never, closes, known, entries...)
	}
	for pattern, want := range map[string]string{
		"llllllwwwww": "hot", "wwwwwwlllll": "cold", "wlwlwlwlwlw": "steady", "wwwwwww": "unknown",
	} {
		r := wins(pattern)
		if got := r.Form(); got != want {
			t.Errorf("%s: %s, want %s", pattern, got, want)
		}
	}
}

func TestTimingOfAnEntryAtTheLowIsUnlikelyChance(t *testing.T) {
	closes := make([]float64, 800)
	for i := range closes {
		closes[i] = 2
	}
	var lows []time.Time
	for _, h := range []int{100, 250, 400} {
		closes[h] = 1
		lows = append(lows, launch.Add(time.Duration(h)*time.Hour))
	}
	r := run(never, closes, known, lows...)
	if p := r.TimingP(7); p > 0.01 {
		t.Errorf("buying the only low of a week three times has p=%v", p)
	}
	if a, b := r.TimingP(7), r.TimingP(7); a != b {
		t.Error("the same seed gives two answers")
	}
	flat := run(never, path(1, 1), known, launch.Add(time.Hour), launch.Add(2*time.Hour), launch.Add(3*time.Hour))
	if p := flat.TimingP(7); p != 1 {
		t.Errorf("entries no better than any other have p=%v", p)
	}
}

// Nothing known only after an instant may change what was said at that instant.
func TestTruncation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		closes := rapid.SliceOfN(rapid.Float64Range(0.1, 10), 200, 500).Draw(t, "closes")
		var entries []time.Time
		for range rapid.IntRange(1, 10).Draw(t, "entries") {
			entries = append(entries, launch.Add(time.Duration(rapid.IntRange(0, 400*60).Draw(t, "minute"))*time.Minute))
		}
		cut := rapid.IntRange(1, len(closes)).Draw(t, "cut")
		asOf := launch.Add(time.Duration(cut)*time.Hour + time.Duration(rapid.IntRange(0, 59).Draw(t, "rest"))*time.Minute)
		whole, known := run(asOf, closes, known, entries...), run(asOf, closes[:min(len(closes), cut)], known, entries...)
		if whole.Counted != known.Counted || whole.Pending != known.Pending || whole.Skipped != known.Skipped || !same(whole.Compounded, known.Compounded) || !same(whole.BaseWinRate, known.BaseWinRate) {
			t.Fatalf("later candles changed the answer: %+v and %+v", whole, known)
		}
	})
}

func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

func TestBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		closes := rapid.SliceOfN(rapid.Float64Range(1e-9, 1e9), 180, 400).Draw(t, "closes")
		tax := rapid.Float64Range(0, 2).Draw(t, "tax")
		r := run(never, closes, copysimulation.Terms{SellTax: tax, QuoteUSD: math.NaN()}, launch, launch.Add(5*time.Hour))
		for _, trade := range r.Trades {
			if trade.Status == copysimulation.Resolved && !(trade.Net >= -1) {
				t.Fatalf("net %v", trade.Net)
			}
		}
		if r.WinRate < 0 || r.WinRate > 1 || r.BaseWinRate < 0 || r.BaseWinRate > 1 || r.Compounded < -1 {
			t.Fatalf("%+v", r)
		}
	})
}

func BenchmarkRun(b *testing.B) {
	closes := make([]float64, 2000)
	for i := range closes {
		closes[i] = 1 + math.Abs(math.Sin(float64(i)))
	}
	series := map[chain.Address]*copysimulation.Series{token: copysimulation.NewSeries(hours(closes...), never)}
	var entries []copysimulation.Entry
	for i := range 50 {
		entries = append(entries, copysimulation.Entry{Token: token, At: launch.Add(time.Duration(i*30) * time.Hour)})
	}
	b.ReportAllocs()
	for b.Loop() {
		r := copysimulation.Run(entries, series, nil, never)
		r.TimingP(1)
	}
}

// A copy whose price was written down ends like a simulated one.
func TestOutcomeOfAKnownPrice(t *testing.T) {
	nan := math.NaN()
	closes := path(2, 3)
	series := copysimulation.NewSeries(hours(closes...), never)
	at := launch.Add(20 * time.Minute)
	if price, traded := series.EntryPrice(at); price != 2 || !traded {
		t.Errorf("%v %v", price, traded)
	}
	simulated := run(never, closes, known, at).Trades[0]
	if status, net := series.Outcome(at, 2, known, never); status != simulated.Status || net != simulated.Net || math.Abs(net-0.44) > 1e-12 {
		t.Errorf("%s %v, simulated %s %v", status, net, simulated.Status, simulated.Net)
	}
	if _, net := series.Outcome(at, 4, known, never); math.Abs(net-(0.72-1)) > 1e-12 {
		t.Errorf("bought at twice the price: %v", net)
	}
	due := launch.Add(copysimulation.Horizon)
	for _, c := range []struct {
		name  string
		price float64
		terms copysimulation.Terms
		asOf  time.Time
		want  copysimulation.Status
	}{
		{"in the hour it is sold", 2, known, due.Add(59 * time.Minute), copysimulation.Pending},
		{"once that hour is over", 2, known, due.Add(time.Hour), copysimulation.Resolved},
		{"a pool that is drained now", 2, copysimulation.Terms{SellTax: nan, QuoteUSD: 4999}, due.Add(time.Hour), copysimulation.Dead},
		{"that pool, long after", 2, copysimulation.Terms{SellTax: nan, QuoteUSD: 4999}, due.Add(72 * time.Hour), copysimulation.Resolved},
		{"nobody can sell", 2, copysimulation.Terms{SellTax: nan, Unsellable: true, QuoteUSD: nan}, never, copysimulation.Dead},
		{"no price", nan, known, never, copysimulation.Skipped},
		{"a price of nothing", 0, known, never, copysimulation.Skipped},
	} {
		if got, net := series.Outcome(at, c.price, c.terms, c.asOf); got != c.want || (got == copysimulation.Dead) != (net == -1) {
			t.Errorf("%s: %s %v, want %s", c.name, got, net, c.want)
		}
	}
	for i := 121; i < len(closes); i++ {
		closes[i] = nan
	}
	series = copysimulation.NewSeries(hours(closes...), never)
	if status, _ := series.Outcome(at, 2, known, never); status != copysimulation.Resolved {
		t.Error("a price 48 hours old is not used for the exit")
	}
	if status, _ := series.Outcome(at.Add(time.Hour), 2, known, never); status != copysimulation.Dead {
		t.Error("a price 49 hours old is used for the exit")
	}
	if price, traded := series.EntryPrice(launch.Add(123 * time.Hour)); price != 2 || traded {
		t.Errorf("carried: %v %v", price, traded)
	}
	if price, _ := series.EntryPrice(launch.Add(130 * time.Hour)); !math.IsNaN(price) {
		t.Errorf("carried too far: %v", price)
	}
}
