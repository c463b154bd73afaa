package priceaction

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/stats"
)

func TestLaterBarsNeverChangeConfirmedSwings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		c := chart{logs: make([]stats.Bar, rapid.IntRange(30, 300).Draw(t, "bars"))}
		level := 0.0
		for i := range c.logs {
			open := level
			level += random.NormFloat64()
			c.logs[i] = stats.Bar{Open: open, Close: level, High: max(open, level) + random.Float64(), Low: min(open, level) - random.Float64(), Volume: 1}
		}
		all := c.pivots(stats.AverageTrueRange(c.logs, atrBars))
		cut := rapid.IntRange(1, len(c.logs)).Draw(t, "cut")
		early := chart{logs: c.logs[:cut]}
		before := early.pivots(stats.AverageTrueRange(early.logs, atrBars))
		known := slices.IndexFunc(all, func(p pivot) bool { return p.confirmed >= cut })
		if known < 0 {
			known = len(all)
		}
		if !slices.Equal(before, all[:known]) {
			t.Fatalf("at bar %d the swings were %v, later %v", cut, before, all[:known])
		}
		for i, p := range all {
			if p.confirmed <= p.bar || i > 0 && (p.high == all[i-1].high || p.bar <= all[i-1].bar || p.high != (p.level > all[i-1].level)) {
				t.Fatalf("swing %d of %v", i, all)
			}
		}
	})
}

func TestStructure(t *testing.T) {
	const atr = 1
	swings := func(levels ...float64) []pivot { // high, low, high, low
		var all []pivot
		for i, level := range levels {
			all = append(all, pivot{high: i%2 == 0, level: level})
		}
		return all
	}
	for want, all := range map[string][]pivot{
		HigherHighs: swings(10, 5, 10.26, 5.26), LowerLows: swings(10, 5, 9.74, 4.74), Expanding: swings(10, 5, 10.26, 4.74),
		Range: swings(10, 5, 10.24, 5.26), "": swings(10, 5, 11),
	} {
		if got := structure(all, atr); got != want {
			t.Errorf("%v reads %q, want %q", all, got, want)
		}
	}
}
