package copytrade

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

func amounts(usd ...float64) map[chain.Address]float64 {
	all := make(map[chain.Address]float64)
	for i, x := range usd {
		if x > 0 {
			all[coinAt(i)] = x
		}
	}
	return all
}

func equally(chain.Address) float64 { return 1 }

// Shares of 0.6 and 0.4 beside 0.5 and 0.5, with 0.4 in common: 0.4 of the largest 1.6, and a cosine of 0.2 over sqrt(0.52*0.5).
func TestLikeness(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b map[chain.Address]float64
		want likeness
	}{
		{"partly", amounts(6, 4), amounts(0, 50, 50), likeness{0.4, 0.25, 0.2 / math.Sqrt(0.26)}},
		{"the same", amounts(1, 2, 3), amounts(10, 20, 30), likeness{1, 1, 1}},
		{"nothing in common", amounts(1, 2), amounts(0, 0, 5), likeness{0, 0, 0}},
		{"nothing", amounts(1, 2), amounts(), likeness{nan, nan, nan}},
	} {
		if got := compare(c.a, c.b, equally); !near(got.shared, c.want.shared) || !near(got.jaccard, c.want.jaccard) || !near(got.cosine, c.want.cosine) {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
	// Half of each in a token that everybody holds, half in one of its own: 0.05 of 1.05 is in common.
	weight := func(token chain.Address) float64 {
		if token == coinAt(0) {
			return rarity(2_000_000)
		}
		return rarity(300)
	}
	if got := compare(amounts(1, 1), amounts(1, 0, 1), weight).shared; !near(got, 0.05/1.05) {
		t.Errorf("%v", got)
	}
}

var nan = math.NaN()

func TestRarity(t *testing.T) {
	for holders, want := range map[int]float64{0: 1, 1: 1, 1_000: 1, 10_000: 2. / 3, 100_000: 1. / 3, 1_000_000: 0.05, 100_000_000: 0.05} {
		if got := rarity(holders); !near(got, want) {
			t.Errorf("%d holders: %v, want %v", holders, got, want)
		}
	}
}

// entries begins a purchase of another token every nine hours, so long after a beginning.
func entriesFrom(n int, later time.Duration) (all []entry) {
	for i := range n {
		all = append(all, entry{coinAt(i), now.AddDate(0, 0, -29).Add(time.Duration(9*i)*time.Hour + later)})
	}
	return all
}

func TestTiming(t *testing.T) {
	first, second := entriesFrom(20, 0), entriesFrom(20, 40*time.Minute)
	after := matchEntries(second, first, 1)
	if after.matched != 1 || after.expected != 0 || after.excess != 1 || after.medianLag() != 40 || !(after.sign < 1e-5) {
		t.Errorf("%+v", after)
	}
	before := matchEntries(first, second, 1)
	if before.matched != 1 || before.medianLag() != -40 || before.sign != after.sign {
		t.Errorf("%+v", before)
	}
	if within := matchEntries(entriesFrom(20, 24*time.Hour), first, 1); within.matched != 1 || within.medianLag() != 1440 {
		t.Errorf("%+v", within)
	}
	if beyond := matchEntries(entriesFrom(20, 24*time.Hour+time.Second), first, 1); beyond.matched != 0 || beyond.excess != 0 || !math.IsNaN(beyond.medianLag()) || beyond.sign != 1 {
		t.Errorf("%+v", beyond)
	}
	// Four of twenty entries of one side, all three ways before and once after: 2*(4+1)/16 by the sign test.
	four := []entry{first[3], first[7], first[11], first[15]}
	for i := range four {
		four[i].at = four[i].at.Add(time.Hour)
	}
	four[2].at = four[2].at.Add(-2 * time.Hour)
	if few := matchEntries(first, four, 1); few.matched != 0.2 || !near(few.sign, 0.625) || few.medianLag() != -60 {
		t.Errorf("%+v", few)
	}
	if none := matchEntries(nil, first, 1); !math.IsNaN(none.matched) || !math.IsNaN(none.excess) || !math.IsNaN(none.medianLag()) {
		t.Errorf("%+v", none)
	}
}

// Who buys one token every day for months is beside another such buyer whatever the day: that is chance.
func TestTimingByChance(t *testing.T) {
	var daily, around []entry
	for i := range 30 {
		daily = append(daily, entry{coinAt(0), now.AddDate(0, 0, -i)})
	}
	for i := range 60 {
		around = append(around, entry{coinAt(0), now.AddDate(0, 0, 15-i).Add(5 * time.Hour)})
	}
	if got := matchEntries(daily, around, 7); got.matched != 1 || got.expected < 0.99 || got.excess > 0.5 {
		t.Errorf("%+v", got)
	}
}

// waves are two series of 28 days without a mean and without anything in common, both of size 1.
func waves() (u, v []float64) {
	for i := range 28 {
		u, v = append(u, []float64{1, -1}[i%2]), append(v, []float64{1, 1, -1, -1}[i%4])
	}
	return u, v
}

func byDay(values []float64) map[int64]float64 {
	all := make(map[int64]float64)
	for i, x := range values {
		all[int64(20_000+i)] = x
	}
	return all
}

func mix(u, v []float64, a, b float64) []float64 {
	sum := make([]float64, len(u))
	for i := range u {
		sum[i] = a*u[i] + b*v[i]
	}
	return sum
}

// Of a half, on 28 days: tanh(atanh(0.5) +- 1.96/5).
func TestCorrelation(t *testing.T) {
	u, v := waves()
	half := correlate(byDay(u), byDay(mix(u, v, 0.5, math.Sqrt(0.75))))
	if !near(half.value, 0.5) || math.Abs(half.low-0.1560) > 1e-4 || math.Abs(half.high-0.7358) > 1e-4 || half.days != 28 {
		t.Errorf("%+v", half)
	}
	if same := correlate(byDay(u), byDay(mix(u, v, 3, 0))); !near(same.value, 1) || same.low < 1-1e-6 {
		t.Errorf("%+v", same)
	}
	if opposite := correlate(byDay(u), byDay(mix(u, v, -1, 0))); !near(opposite.value, -1) || opposite.high > -1+1e-6 {
		t.Errorf("%+v", opposite)
	}
	for name, of := range map[string][]float64{"too few": u[:19], "without any change": make([]float64, 28), "none": nil} {
		if got := correlate(byDay(u), byDay(of)); !math.IsNaN(got.value) || !math.IsNaN(got.low) || got.days != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestVarianceChange(t *testing.T) {
	u, v := waves()
	of := func(values []float64) *party { return &party{daily: byDay(values)} }
	for name, c := range map[string]struct {
		sides   []*party
		further *party
		want    float64
	}{
		"the same":           {[]*party{of(u)}, of(u), 0},
		"another":            {[]*party{of(u)}, of(v), -0.5},
		"the opposite":       {[]*party{of(u)}, of(mix(u, v, -1, 0)), -1},
		"a wilder one":       {[]*party{of(u)}, of(mix(u, v, 5, 0)), 8},
		"nobody to begin":    {nil, of(u), nan},
		"too few days":       {[]*party{of(u[:19])}, of(v[:19]), nan},
		"nothing that moves": {[]*party{of(make([]float64, 28))}, of(v), nan},
	} {
		if got := varianceChange(c.sides, c.further); math.Abs(got-c.want) > 1e-9 || math.IsNaN(got) != math.IsNaN(c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// Five results of a week each, beside the same, their opposites, others at other times, and such as overlap by half.
func TestAsynchronousCorrelation(t *testing.T) {
	weeks := func(scale float64, later time.Duration) (all []episode) {
		for i, r := range []float64{0.5, -0.2, 0.3, -0.4, 0.1} {
			from := now.AddDate(0, 0, 7*i).Add(later)
			all = append(all, episode{from, from.AddDate(0, 0, 7), scale * r})
		}
		return all
	}
	a := weeks(1, 0)
	// Less their mean of 0.06 they are 0.44, -0.26, 0.24, -0.46 and 0.04. Moved by half a week, each overlaps the one at its place and the
	// one after: the sum of squares is 0.532, that of neighbours' products -0.3056.
	want := (0.532 - 0.3056) / 0.532
	level := weeks(0, 0)
	for i := range level {
		level[i].result = 0.25
	}
	for name, c := range map[string]struct {
		b    []episode
		want float64
	}{
		"the same": {weeks(2, 0), 1}, "the opposite": {weeks(-1, 0), -1}, "another time": {weeks(1, 365*24*time.Hour), 0},
		"half a week later": {weeks(1, 84*time.Hour), want}, "too few": {a[:4], nan}, "nothing gained or lost": {weeks(0, 0), nan}, "gains of one size": {level, nan},
	} {
		if got := asynchronous(a, c.b); !near(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestPropertiesOfMeasures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := rapid.MapOf(rapid.Custom(func(t *rapid.T) chain.Address { return coinAt(rapid.IntRange(0, 9).Draw(t, "token")) }), rapid.Float64Range(1e-6, 1e9))
		a, b := set.Draw(t, "a"), set.Draw(t, "b")
		weight := func(token chain.Address) float64 { return rarity(int(token[2]) * 200_000) }
		x, y := compare(a, b, weight), compare(b, a, weight)
		if !near(x.shared, y.shared) || !near(x.jaccard, y.jaccard) || !near(x.cosine, y.cosine) || (len(a) == 0 || len(b) == 0) != math.IsNaN(x.shared) {
			t.Fatalf("%+v, %+v", x, y)
		}
		for _, of := range []float64{x.shared, x.jaccard, x.cosine} {
			if of < 0 || of > 1+1e-12 || x.jaccard > x.shared+1e-9 {
				t.Fatalf("%+v", x)
			}
		}
		if self := compare(a, a, weight); len(a) > 0 && (!near(self.shared, 1) || !near(self.jaccard, 1)) {
			t.Fatalf("%+v", self)
		}
		draw := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) entry {
			return entry{coinAt(rapid.IntRange(0, 5).Draw(t, "token")), now.Add(-time.Duration(rapid.IntRange(0, 30*24*60).Draw(t, "minutes")) * time.Minute)}
		}), 1, 12)
		entries, others := draw.Draw(t, "entries"), draw.Draw(t, "others")
		got := matchEntries(entries, others, rapid.Uint64().Draw(t, "seed"))
		if !(got.excess >= 0 && got.excess <= 1) || !(got.matched >= 0 && got.matched <= 1) || !(got.sign > 0 && got.sign <= 1) || len(got.lags) != len(entries) {
			t.Fatalf("%+v", got)
		}
		if self := matchEntries(entries, entries, 1); self.matched != 1 || self.expected < 1 && self.excess != 1 || self.medianLag() != 0 {
			t.Fatalf("%+v", self)
		}
	})
}
