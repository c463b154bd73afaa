package priceaction_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/priceaction"
)

// path makes an hourly candle of each close, each opening at the close before.
func path(volume func(int) float64, closes ...float64) []market.Candle {
	hours := make([]market.Candle, len(closes))
	before := closes[0]
	for i, c := range closes {
		hours[i] = market.Candle{Time: launch.Add(time.Duration(i) * time.Hour), Open: before, Close: c, High: max(before, c) * 1.002, Low: min(before, c) / 1.002, VolumeUSD: volume(i)}
		before = c
	}
	return hours
}

func even(int) float64 { return 100 }

// zigzag has ten-hour legs of a tenth, on a trend of so much an hour.
func zigzag(n int, trend float64) []float64 {
	closes := make([]float64, n)
	for i := range closes {
		leg := float64(i%20) / 10
		if leg > 1 {
			leg = 2 - leg
		}
		closes[i] = math.Exp(0.2*leg + trend*float64(i))
	}
	return closes
}

func after(hours []market.Candle) time.Time { return hours[len(hours)-1].Time.Add(time.Hour) }

func TestReadsHandMadeCharts(t *testing.T) {
	quiet := make([]float64, 100)
	for i := range quiet {
		quiet[i] = 1 + 0.01*math.Sin(float64(i))
	}
	loudAt := func(at int) func(int) float64 {
		return func(i int) float64 {
			if i == at {
				return 300
			}
			return 100
		}
	}
	with := func(tail ...float64) []float64 { return append(append([]float64{}, quiet...), tail...) }
	for name, c := range map[string]struct {
		hours                      []market.Candle
		trend, structure, breakout string
	}{
		"rising":                      {path(even, zigzag(191, 0.004)...), priceaction.Up, priceaction.HigherHighs, priceaction.None},
		"falling":                     {mirrored(path(even, zigzag(191, 0.004)...)), priceaction.Down, priceaction.LowerLows, priceaction.None},
		"going nowhere":               {path(even, zigzag(200, 0)...), priceaction.Sideways, priceaction.Range, priceaction.None},
		"breaking out":                {path(loudAt(100), with(1.1, 1.11)...), "", priceaction.BreakingOut, priceaction.Up},
		"breaking down":               {mirrored(path(loudAt(100), with(1.1, 1.11)...)), "", priceaction.BreakingDown, priceaction.Down},
		"not held yet":                {path(loudAt(100), with(1.1)...), "", "", priceaction.None},
		"on usual volume":             {path(even, with(1.1, 1.11)...), "", "", priceaction.None},
		"back inside at once":         {path(loudAt(100), with(1.1, 1)...), "", "", priceaction.Failed},
		"back inside within three":    {path(loudAt(100), with(1.1, 1.1, 1.1, 1)...), "", "", priceaction.Failed},
		"back inside after four bars": {path(loudAt(100), with(1.1, 1.1, 1.1, 1.1, 1)...), "", "", priceaction.None},
	} {
		got := priceaction.Read(c.hours, after(c.hours))
		if !got.Available || got.BarSize != time.Hour {
			t.Errorf("%s: not read: %+v", name, got)
		}
		if c.trend != "" && got.Trend != c.trend || c.structure != "" && got.Structure != c.structure || got.Breakout != c.breakout {
			t.Errorf("%s: trend %s, structure %s, breakout %s", name, got.Trend, got.Structure, got.Breakout)
		}
	}
}

func TestAvailability(t *testing.T) {
	every := func(n, step int) []market.Candle {
		var hours []market.Candle
		for i, c := range path(even, zigzag(n*step, 0)...) {
			if i%step == 0 {
				hours = append(hours, c)
			}
		}
		return hours
	}
	for name, c := range map[string]struct {
		hours     []market.Candle
		later     time.Duration
		available bool
		size      time.Duration
	}{
		"nothing":             {nil, 0, false, 0},
		"47 hours":            {every(47, 1), 0, false, 0},
		"48 hours":            {every(48, 1), 0, true, time.Hour},
		"every second hour":   {every(60, 2), 0, true, 4 * time.Hour},
		"every eighth hour":   {every(60, 8), 0, true, 24 * time.Hour},
		"not traded in weeks": {every(60, 1), 500 * time.Hour, false, 0},
	} {
		asOf := launch
		if len(c.hours) > 0 {
			asOf = after(c.hours).Add(c.later)
		}
		if got := priceaction.Read(c.hours, asOf); got.Available != c.available || got.BarSize != c.size {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestHostileCandlesCountForNothing(t *testing.T) {
	good := path(even, zigzag(200, 0.001)...)
	want := priceaction.Read(good, after(good))
	nan, inf := math.NaN(), math.Inf(1)
	for name, bad := range map[string]market.Candle{
		"zero": {Open: 0, High: 1, Low: 0, Close: 1, VolumeUSD: 1e6}, "negative": {Open: -1, High: 1, Low: -1, Close: 1, VolumeUSD: 1e6},
		"not a number": {Open: 1, High: nan, Low: 1, Close: 1, VolumeUSD: 1e6}, "infinite": {Open: 1, High: inf, Low: 1, Close: 1, VolumeUSD: 1e6},
		"high below low": {Open: 1, High: 0.5, Low: 2, Close: 1, VolumeUSD: 1e6}, "close outside": {Open: 1, High: 2, Low: 1, Close: 3, VolumeUSD: 1e6},
		"absurd": {Open: 1, High: 1e300, Low: 1, Close: 1e300, VolumeUSD: 1e6}, "no volume": {Open: 1, High: 1, Low: 1, Close: 1},
		"volume not a number": {Open: 1, High: 1, Low: 1, Close: 1, VolumeUSD: nan}, "infinite volume": {Open: 1, High: 1, Low: 1, Close: 1, VolumeUSD: inf},
		"a print far away on little volume": {Open: 1, High: 1000, Low: 1, Close: 1000, VolumeUSD: 1},
	} {
		bad.Time = good[100].Time.Add(time.Minute)
		hours := append(append(append([]market.Candle{}, good[:101]...), bad), good[101:]...)
		if got := priceaction.Read(hours, after(good)); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	wick := append([]market.Candle{}, good...)
	wick[150].High, wick[150].VolumeUSD = 1e9, 1
	if got := priceaction.Read(wick, after(good)); got.FromHigh != want.FromHigh {
		t.Errorf("a wick moves the distance from the high from %v to %v", want.FromHigh, got.FromHigh)
	}
	for _, c := range priceaction.Liquid(wick, after(good)) {
		if c.High > 4*max(c.Open, c.Close) {
			t.Errorf("a wick of %v beside a body of %v to %v is left", c.High, c.Open, c.Close)
		}
	}
}

var opposite = map[string]string{
	priceaction.Up: priceaction.Down, priceaction.Down: priceaction.Up, priceaction.HigherHighs: priceaction.LowerLows,
	priceaction.LowerLows: priceaction.HigherHighs, priceaction.BreakingOut: priceaction.BreakingDown, priceaction.BreakingDown: priceaction.BreakingOut,
}

// withoutNaN is a reading that can be compared.
func withoutNaN(r priceaction.Reading) priceaction.Reading {
	if math.IsNaN(r.ChannelTop) && math.IsNaN(r.ChannelBottom) {
		r.ChannelTop, r.ChannelBottom = 0, 0
	}
	return r
}

// A hundred hours of ten-hour legs between 100 and 110, which end in the middle of a rise: the turning points and the range are known.
func TestSwingsAndTheRangeOfAHandMadeChart(t *testing.T) {
	closes := make([]float64, 116)
	for i := range closes {
		leg := i % 20
		if leg > 10 {
			leg = 20 - leg
		}
		closes[i] = 100 + float64(leg)
	}
	hours := path(even, closes...)
	got := priceaction.Read(hours, after(hours))
	// Bar 110 was the last high and bar 100 the low before it; at 115 the price stands at 105, five hours after its bar 110.
	if len(got.Swings) < 4 || len(got.Swings) > priceaction.MaximumSwings {
		t.Fatalf("%+v", got.Swings)
	}
	const wick = 1.002
	for i := range 4 {
		s := got.Swings[len(got.Swings)-1-i]
		want := priceaction.Swing{High: true, Level: wick - 1, Ago: time.Duration(5+10*i) * time.Hour}
		if i%2 == 1 {
			want.High, want.Level = false, 100/wick/110-1
		}
		if s.High != want.High || math.Abs(s.Level-want.Level) > 1e-12 || s.Ago != want.Ago {
			t.Errorf("%d from the end: %+v, want %+v", i, s, want)
		}
	}
	if math.Abs(got.ChannelTop-(wick-1)) > 1e-12 || math.Abs(got.ChannelBottom-(100/wick/110-1)) > 1e-12 {
		t.Errorf("range %v to %v", got.ChannelBottom, got.ChannelTop)
	}
	if math.Abs(got.FromHigh-(105.0/110-1)) > 1e-12 || got.SinceHigh != 5*time.Hour {
		t.Errorf("%v, %v", got.FromHigh, got.SinceHigh)
	}
}

// The range of a breakout is that of the bars before it, which the breakout itself is outside of.
func TestTheRangeOfABreakoutEndsBeforeIt(t *testing.T) {
	closes := make([]float64, 102)
	for i := range closes {
		closes[i] = 1 + 0.01*math.Sin(float64(i))
	}
	closes[100], closes[101] = 1.1, 1.11
	hours := path(func(i int) float64 {
		if i == 100 {
			return 300
		}
		return 100
	}, closes...)
	got := priceaction.Read(hours, after(hours))
	top := 0.0
	for _, c := range hours[80:100] {
		top = max(top, c.High)
	}
	if got.Breakout != priceaction.Up || math.Abs(got.ChannelTop-(top/1.11-1)) > 1e-12 {
		t.Errorf("%+v, want a range up to %v", got, top/1.11-1)
	}
}

func TestTheMirrorImageFlipsUpAndDown(t *testing.T) {
	flip := func(word string) string {
		if other, found := opposite[word]; found {
			return other
		}
		return word
	}
	seen := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		hours := drawWalk(t)
		asOf := after(hours)
		want := priceaction.Read(hours, asOf)
		seen[want.Trend]++
		seen[want.Structure]++
		seen[want.Breakout]++
		got := priceaction.Read(mirrored(hours), asOf)
		if got.Trend != flip(want.Trend) || got.Structure != flip(want.Structure) || got.Breakout != flip(want.Breakout) || got.Volatility != want.Volatility || got.Strength != want.Strength {
			t.Fatalf("mirror image of %+v reads %+v", want, got)
		}
		got = priceaction.Read(scaled(hours, 1e-7), asOf)
		if got.Trend != want.Trend || got.Structure != want.Structure || got.Breakout != want.Breakout || got.Volatility != want.Volatility || !near(got.FromHigh, want.FromHigh) {
			t.Fatalf("%+v in another unit reads %+v", want, got)
		}
		if !(want.FromHigh <= 0 && want.FromHigh >= -1) {
			t.Fatalf("distance from the high %v", want.FromHigh)
		}
	})
	for _, word := range []string{priceaction.Up, priceaction.Down, priceaction.Sideways, priceaction.HigherHighs, priceaction.LowerLows, priceaction.Range} {
		if seen[word] == 0 {
			t.Errorf("%s was never seen: %v", word, seen)
		}
	}
}

func TestNoReadingLooksAtALaterCandle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hours := drawWalk(t)
		cut := rapid.IntRange(1, len(hours)-1).Draw(t, "cut")
		asOf := hours[cut].Time
		want, got := priceaction.Read(hours[:cut], asOf), priceaction.Read(hours, asOf)
		same := near(got.AnnualVolatility, want.AnnualVolatility) && near(got.VolatilityRank, want.VolatilityRank) && near(got.BreakoutVolume, want.BreakoutVolume) && near(got.FromHigh, want.FromHigh)
		for _, r := range []*priceaction.Reading{&want, &got} {
			r.AnnualVolatility, r.VolatilityRank, r.BreakoutVolume, r.FromHigh = 0, 0, 0, 0
		}
		if !same || !reflect.DeepEqual(withoutNaN(got), withoutNaN(want)) {
			t.Fatalf("%+v with later candles, %+v without", got, want)
		}
	})
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("any bytes make candles, eight to a number and five numbers to a candle"), uint8(60))
	f.Fuzz(func(t *testing.T, raw []byte, good uint8) {
		hours := path(even, zigzag(int(good)+1, 0.002)...)
		for len(raw) >= 40 {
			var x [5]float64
			for i := range x {
				x[i] = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
			}
			hours = append(hours, market.Candle{Time: launch.Add(time.Duration(len(hours)) * time.Hour), Open: x[0], High: x[1], Low: x[2], Close: x[3], VolumeUSD: x[4]})
			raw = raw[40:]
		}
		asOf := after(hours)
		read := priceaction.Read(hours, asOf)
		if read.Available && !(read.FromHigh <= 0 && read.FromHigh >= -1) {
			t.Errorf("%+v", read)
		}
		if p := priceaction.ReadInflection(hours, asOf).Probability; !math.IsNaN(p) && !(p >= 0 && p <= 1) {
			t.Errorf("probability %v", p)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	hours := walk(2160, 0.02, 1)
	for b.Loop() {
		priceaction.Read(hours, after(hours))
	}
}
