package hyperliquid

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// at makes a fill of a coin: so many milliseconds on, from one position to another.
func at(coin string, after int, before, end float64) market.PerpFill {
	f := market.PerpFill{Coin: coin, Time: time.UnixMilli(noon(after)).UTC(), Before: before, Size: end - before, Buy: end > before, Price: 1}
	if !f.Buy {
		f.Size = -f.Size
	}
	return f
}

// tenths is a sum that is not quite what it should be: three tenths are more than 0.3.
func tenths(n int) float64 {
	sum := 0.0
	for range n {
		sum += 0.1
	}
	return sum
}

func TestFillsOfOneInstantChainUp(t *testing.T) {
	for name, test := range map[string]struct{ given, want []market.PerpFill }{
		"as they should be": {
			[]market.PerpFill{at("A", 0, 0, 2), at("A", 0, 2, 3), at("A", 0, 3, 1)},
			[]market.PerpFill{at("A", 0, 0, 2), at("A", 0, 2, 3), at("A", 0, 3, 1)},
		},
		"the other way round": {
			[]market.PerpFill{at("A", 0, 3, 1), at("A", 0, 2, 3), at("A", 0, 0, 2)},
			[]market.PerpFill{at("A", 0, 0, 2), at("A", 0, 2, 3), at("A", 0, 3, 1)},
		},
		"over zero": {
			[]market.PerpFill{at("A", 0, 0.1, -0.3), at("A", 0, 0.3, 0.1)},
			[]market.PerpFill{at("A", 0, 0.3, 0.1), at("A", 0, 0.1, -0.3)},
		},
		"sums that floats get wrong": {
			[]market.PerpFill{at("A", 0, 0.3, 0.7), at("A", 0, 0, tenths(3))},
			[]market.PerpFill{at("A", 0, 0, tenths(3)), at("A", 0, 0.3, 0.7)},
		},
		"coins apart, each in its places": {
			[]market.PerpFill{at("B", 0, 5, 6), at("A", 0, 1, 2), at("B", 0, 4, 5), at("A", 0, 0, 1)},
			[]market.PerpFill{at("B", 0, 4, 5), at("A", 0, 0, 1), at("B", 0, 5, 6), at("A", 0, 1, 2)},
		},
		"a round trip begins with what stood": {
			[]market.PerpFill{at("A", 0, 0, 1), at("A", 1, 2, 1), at("A", 1, 1, 2)},
			[]market.PerpFill{at("A", 0, 0, 1), at("A", 1, 1, 2), at("A", 1, 2, 1)},
		},
		"a first round trip begins with nothing": {
			[]market.PerpFill{at("A", 1, 2, 0), at("A", 1, 0, 2)},
			[]market.PerpFill{at("A", 1, 0, 2), at("A", 1, 2, 0)},
		},
		"a round trip that nothing stood before": {
			[]market.PerpFill{at("A", 1, 2, 1), at("A", 1, 1, 2)},
			[]market.PerpFill{at("A", 1, 2, 1), at("A", 1, 1, 2)},
		},
		"several ways, the given one": {
			[]market.PerpFill{at("A", 0, 0, 1), at("A", 0, 1, 0), at("A", 0, 0, 2), at("A", 0, 2, 0), at("A", 0, 0, 3)},
			[]market.PerpFill{at("A", 0, 0, 1), at("A", 0, 1, 0), at("A", 0, 0, 2), at("A", 0, 2, 0), at("A", 0, 0, 3)},
		},
		"one is missing": {
			[]market.PerpFill{at("A", 0, 3, 1), at("A", 0, 0, 2)},
			[]market.PerpFill{at("A", 0, 3, 1), at("A", 0, 0, 2)},
		},
		"two that do not meet": {
			[]market.PerpFill{at("A", 0, 7, 8), at("A", 0, 8, 7), at("A", 0, 0, 2)},
			[]market.PerpFill{at("A", 0, 7, 8), at("A", 0, 8, 7), at("A", 0, 0, 2)},
		},
		"twice from one position": {
			[]market.PerpFill{at("A", 0, 0, 2), at("A", 0, 0, 3)},
			[]market.PerpFill{at("A", 0, 0, 2), at("A", 0, 0, 3)},
		},
		"other instants stay": {
			[]market.PerpFill{at("A", 0, 1, 2), at("A", 1, 0, 1)},
			[]market.PerpFill{at("A", 0, 1, 2), at("A", 1, 0, 1)},
		},
	} {
		got := slices.Clone(test.given)
		chainUp(got)
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// Whatever an account did, in whatever order the rows of each instant come: each fill begins where the one before it ended.
func TestAnyOrderWithinAnInstantChainsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		position := make(map[string]int)
		var fills []market.PerpFill
		instant, begin := 0, 0
		shuffle := func() {
			copy(fills[begin:], rapid.Permutation(fills[begin:]).Draw(t, "order"))
			begin = len(fills)
		}
		// The venue's steps are hundredths: sums of them are none of floats.
		for range rapid.IntRange(1, 60).Draw(t, "fills") {
			if rapid.IntRange(0, 5).Draw(t, "pause") == 0 {
				shuffle()
				instant++
			}
			coin := rapid.SampledFrom([]string{"A", "B"}).Draw(t, "coin")
			step := rapid.SampledFrom([]int{-3, -2, -1, 1, 2, 3}).Draw(t, "step")
			fills = append(fills, at(coin, instant, float64(position[coin])/100, float64(position[coin]+step)/100))
			position[coin] += step
		}
		shuffle()
		given := slices.Clone(fills)
		chainUp(fills)
		last := make(map[string]float64)
		for i, f := range fills {
			if end, known := last[f.Coin]; known && key(f.Before) != end {
				t.Fatalf("fill %d of %+v", i, fills)
			}
			last[f.Coin] = after(f)
			if f.Coin != given[i].Coin || !f.Time.Equal(given[i].Time) {
				t.Fatalf("fill %d left its place", i)
			}
		}
		for coin, end := range last {
			if end != key(float64(position[coin])/100) {
				t.Fatalf("%s ends with %g and not %d", coin, end, position[coin])
			}
		}
	})
}

func BenchmarkFillsOfOneInstant(b *testing.B) {
	fills := make([]market.PerpFill, 10_000)
	for i := range fills {
		fills[i] = at("A", 0, float64(len(fills)-1-i), float64(len(fills)-i))
	}
	given := slices.Clone(fills)
	for b.Loop() {
		copy(fills, given)
		chainUp(fills)
	}
}
