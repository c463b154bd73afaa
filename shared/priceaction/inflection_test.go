package priceaction_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/priceaction"
)

func TestInflectionEqualsTheFittingScript(t *testing.T) {
	raw, err := os.ReadFile("testdata/inflection.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Hours                                                       [][6]float64
		Percentile, LogVolumeRatio, Distance, Activity, Probability float64
	}
	if err := json.Unmarshal(raw, &cases); err != nil || len(cases) < 3 {
		t.Fatal(len(cases), err)
	}
	for i, c := range cases {
		var hours []market.Candle
		for _, h := range c.Hours {
			hours = append(hours, market.Candle{Time: time.Unix(int64(h[0])*3600, 0), Open: h[1], High: h[2], Low: h[3], Close: h[4], VolumeUSD: h[5]})
		}
		got := priceaction.ReadInflection(hours, hours[len(hours)-1].Time.Add(4*time.Hour))
		for name, pair := range map[string][2]float64{
			"percentile": {got.Percentile, c.Percentile}, "volume": {math.Log(got.VolumeRatio), c.LogVolumeRatio},
			"distance": {got.Distance, c.Distance}, "activity": {got.Activity, c.Activity}, "probability": {got.Probability, c.Probability},
		} {
			if !(math.Abs(pair[0]-pair[1]) <= 1e-9) {
				t.Errorf("case %d: %s is %v, the script says %v", i, name, pair[0], pair[1])
			}
		}
	}
}

// walk is a random walk of n hours with gaps; sd is its hourly volatility.
func walk(n int, sd float64, seed uint64) []market.Candle {
	random := rand.New(rand.NewPCG(seed, 5))
	level, drift := 0.0, sd*(random.Float64()-0.5)
	var hours []market.Candle
	for h := range n {
		open := level
		level += drift + sd*random.NormFloat64()
		if h%97 == 0 {
			drift = sd * (random.Float64() - 0.5)
		}
		if random.Float64() < 0.1 && h > 0 {
			continue
		}
		hours = append(hours, market.Candle{
			Time: launch.Add(time.Duration(h) * time.Hour), Open: math.Exp(open), Close: math.Exp(level),
			High: math.Exp(max(open, level) + sd*random.Float64()), Low: math.Exp(min(open, level) - sd*random.Float64()),
			VolumeUSD: 1000 * math.Exp(random.NormFloat64()),
		})
	}
	return hours
}

var launch = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)

// mirrored is the price of the other side of the pool: every rise is a fall.
func mirrored(hours []market.Candle) []market.Candle {
	out := make([]market.Candle, len(hours))
	for i, c := range hours {
		out[i] = market.Candle{Time: c.Time, Open: 1 / c.Open, High: 1 / c.Low, Low: 1 / c.High, Close: 1 / c.Close, VolumeUSD: c.VolumeUSD}
	}
	return out
}

func scaled(hours []market.Candle, by float64) []market.Candle {
	out := make([]market.Candle, len(hours))
	for i, c := range hours {
		out[i] = market.Candle{Time: c.Time, Open: by * c.Open, High: by * c.High, Low: by * c.Low, Close: by * c.Close, VolumeUSD: c.VolumeUSD}
	}
	return out
}

func drawWalk(t *rapid.T) []market.Candle {
	return walk(rapid.IntRange(480, 1200).Draw(t, "hours"), rapid.SampledFrom([]float64{0.0005, 0.005, 0.03}).Draw(t, "sd"), rapid.Uint64().Draw(t, "seed"))
}

func end(hours []market.Candle) time.Time { return hours[len(hours)-1].Time.Add(4 * time.Hour) }

func near(a, b float64) bool { return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= 1e-9 }

func TestInflectionTellsNoDirectionAndNoUnit(t *testing.T) {
	states := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		hours := drawWalk(t)
		want := priceaction.ReadInflection(hours, end(hours))
		states[want.State]++
		for name, other := range map[string][]market.Candle{"mirror": mirrored(hours), "scale": scaled(hours, 1e-7)} {
			got := priceaction.ReadInflection(other, end(hours))
			if got.State != want.State || !near(got.Probability, want.Probability) {
				t.Fatalf("%s: %+v, want %+v", name, got, want)
			}
		}
	})
	if len(states) < 4 {
		t.Errorf("only these states were seen: %v", states)
	}
}

func TestInflectionLooksAtNoLaterCandle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hours := drawWalk(t)
		cut := rapid.IntRange(1, len(hours)-1).Draw(t, "cut")
		asOf := hours[cut].Time
		want, got := priceaction.ReadInflection(hours[:cut], asOf), priceaction.ReadInflection(hours, asOf)
		if got.State != want.State || !near(got.Probability, want.Probability) {
			t.Fatalf("%+v with later candles, %+v without", got, want)
		}
	})
}

func TestInflectionStates(t *testing.T) {
	calm := func(from int, factor float64) []market.Candle {
		hours := walk(800, 0.02, 3)
		center := hours[from].Close
		for i := from; i < len(hours); i++ {
			c := &hours[i]
			envelope := math.Pow(float64(1000-i)/1000, 4)
			swing := center * math.Exp(factor*math.Sin(float64(i)*0.4)*0.02*envelope)
			c.Open, c.Close = swing, swing
			c.High, c.Low = max(c.Open, c.Close)*(1+0.001*factor), min(c.Open, c.Close)/(1+0.001*factor)
		}
		return hours
	}
	tight := calm(620, 0.05)
	if got := priceaction.ReadInflection(tight, end(tight)); got.State != priceaction.Coiled || got.Percentile > 0.05 {
		t.Errorf("a price that stopped moving: %+v", got)
	}
	wide := walk(800, 0.02, 3)
	for i := len(wide) - 40; i < len(wide); i++ {
		price := math.Exp(0.5 * float64(i%8))
		wide[i].Open, wide[i].Close, wide[i].High, wide[i].Low = price, price, price, price
	}
	if got := priceaction.ReadInflection(wide, end(wide)); got.State != priceaction.Widening {
		t.Errorf("a price that swings: %+v", got)
	}
	still := calm(0, 0)
	if got := priceaction.ReadInflection(still, end(still)); got.State != priceaction.InsufficientData || !got.Still || !math.IsNaN(got.Probability) {
		t.Errorf("a price that never moved: %+v", got)
	}
	if got := priceaction.ReadInflection(tight, end(tight).Add(48*time.Hour)); got.State != priceaction.InsufficientData {
		t.Errorf("two days after the last trade: %+v", got)
	}
	if got := priceaction.ReadInflection(tight[:400], end(tight[:400])); got.State != priceaction.InsufficientData || got.Bars >= priceaction.InflectionMinimum {
		t.Errorf("too few bars: %+v", got)
	}
}

func BenchmarkReadInflection(b *testing.B) {
	hours := walk(2160, 0.02, 1)
	for b.Loop() {
		priceaction.ReadInflection(hours, end(hours))
	}
}
