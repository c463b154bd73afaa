package token

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenfacts"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenrisk"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// chartOf makes hourly candles that end before noon, each opening at the close before it.
func chartOf(closes []float64, volume float64) *tokenfacts.Chart {
	chart := &tokenfacts.Chart{Pool: market.Pool{ID: "0x1", PriceUSD: 1, LiquidityUSD: 1e6}}
	before := closes[0]
	for i, c := range closes {
		chart.Hours = append(chart.Hours, market.Candle{
			Time: noon.Add(time.Duration(i-len(closes)) * time.Hour), Open: before, Close: c,
			High: max(before, c) * 1.01, Low: min(before, c) * 0.99, VolumeUSD: volume,
		})
		before = c
	}
	return chart
}

func TestMomentumByHand(t *testing.T) {
	closes := make([]float64, 10*24)
	for i := range closes {
		closes[i] = 100
		if i%2 == 1 {
			closes[i] = 102
		}
	}
	closes[len(closes)-1] = 110
	chart := chartOf(closes, 1000)
	// The seven days before the last traded 21,600 to 26,400, 24,000 in the middle; the last one 96,000.
	for i := range closes {
		day := (len(closes) - 1 - i) / 24
		chart.Hours[i].VolumeUSD = []float64{4000, 1000, 900, 1100, 950, 1050, 1000, 1000, 1000, 1000}[day]
	}
	pools := []market.Pool{{PriceUSD: 110, LiquidityUSD: 198_000, Buys24h: 30, Sells24h: 10, LastHour: market.PoolFlow{Buys: 3, Sells: 1}}, {Buys24h: 2}}
	m := measureMomentum(chart, pools, noon)
	near := func(name string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) < 1e-9) {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	near("return1h", m.return1h, 0.1)
	near("return24h", m.return24h, 110.0/102-1)
	near("volumeRatio", m.volumeRatio, 4)
	near("impact", m.impact, 1000.0/100_000)
	// The 20 hours range from 99 to 111.1.
	near("rangePosition", m.rangePosition, (110-99)/(111.1-99))
	var returns []float64
	for i := 1; i < len(closes); i++ {
		returns = append(returns, math.Log(closes[i]/closes[i-1]))
	}
	mean, square := 0.0, 0.0
	for _, r := range returns {
		mean += r / float64(len(returns))
	}
	for _, r := range returns {
		square += (r - mean) * (r - mean)
	}
	near("z24h", m.z24h, math.Log(110.0/102)/(math.Sqrt(square/float64(len(returns)-1))*math.Sqrt(24)))
	if m.buys != 32 || m.sells != 10 || m.lastHour != 4 {
		t.Errorf("%d buys, %d sells, %d in the last hour", m.buys, m.sells, m.lastHour)
	}
	if !(m.z7d > 0) || !(m.volumeZ > 0) {
		t.Errorf("z7d %v, volumeZ %v", m.z7d, m.volumeZ)
	}
}

func TestAPriceFarAboveItsDayIsExtended(t *testing.T) {
	closes := make([]float64, 100)
	for i := range closes {
		closes[i] = 100
	}
	closes[98], closes[99] = 112, 125
	m := measureMomentum(chartOf(closes, 1000), []market.Pool{{PriceUSD: 125, LiquidityUSD: 1e6}}, noon)
	if !m.extended() || entryOf(&m).Quality != "extended" || intelVerdict(tokenrisk.Low, "up", "extended") != "caution" {
		t.Errorf("%v ranges above the average: %+v", m.aboveVWAP, entryOf(&m))
	}
}

func TestTooLittleTradingIsUnmeasured(t *testing.T) {
	m := measureMomentum(chartOf(make([]float64, 60), 1000), nil, noon) // prices of zero are no candles
	if !math.IsNaN(m.return24h) || !math.IsNaN(m.aboveVWAP) || !math.IsNaN(m.impact) {
		t.Errorf("%+v", m)
	}
	answer := assessIntel(&intelFacts{Risk: &tokenrisk.Assessment{Verdict: tokenrisk.Unknown, Score: math.NaN()}, Momentum: m}, noon)
	if answer.Verdict != "unknown" || answer.Entry.Quality != "unknown" || answer.Momentum.Return24hPct != nil || answer.Activity.Level != nil ||
		answer.Activity.TradesPerHour != nil || answer.Risk.Flags == nil || answer.Risk.Score != nil || len(answer.Reasons) < 1 {
		t.Errorf("%+v", answer)
	}
}

// A trap has no good moment to enter, and a fall is told as one.
func TestIntelSentences(t *testing.T) {
	m := momentum{return24h: -0.06, z24h: -0.5, rangePosition: 0.2, impact: 0.001, aboveVWAP: 0}
	answer := assessIntel(&intelFacts{Risk: &tokenrisk.Assessment{Verdict: tokenrisk.High, Score: 70}, Momentum: m}, noon)
	if answer.Entry.Quality != "poor" || answer.Reasons[2].Text != "No moment is a good one to enter while the risk is high." {
		t.Errorf("%s %v", answer.Entry.Quality, answer.Reasons)
	}
	if answer := assessIntel(&intelFacts{Risk: &tokenrisk.Assessment{Verdict: tokenrisk.Medium, Score: 30}, Momentum: m}, noon); answer.Entry.Quality != "good" {
		t.Errorf("%+v", answer.Entry)
	}
	for want, m := range map[string]momentum{
		"The price fell 6% in a day, no more than it usually moves.": m,
		"The price rose 38% in a day, more than it usually moves.":   {return24h: 0.38, z24h: 1.2},
		"The price fell 22% in a day, more than it usually moves.":   {return24h: -0.22, z24h: -2.2},
		"The price rose 2% in a day.":                                {return24h: 0.02, z24h: math.NaN()},
		"The price is about where it was a day ago.":                 {return24h: -0.0001, z24h: 0},
	} {
		if got := dayText(&m); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestIntelVerdicts(t *testing.T) {
	for _, c := range []struct{ risk, trend, entry, want string }{
		{"critical", "up", "good", "avoid"}, {"high", "up", "good", "avoid"}, {"unknown", "up", "good", "unknown"}, {"", "up", "good", "neutral"},
		{"medium", "up", "good", "caution"}, {"low", "up", "good", "favourable"}, {"low", "up", "fair", "favourable"},
		{"low", "up", "poor", "caution"}, {"low", "down", "good", "caution"}, {"low", "sideways", "good", "neutral"},
		{"low", "", "unknown", "neutral"}, {"low", "up", "unknown", "neutral"},
	} {
		if got := intelVerdict(c.risk, c.trend, c.entry); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

func TestMomentumLooksAtNoLaterBarAndStandsAnything(t *testing.T) {
	hostile := []float64{0, -1, math.NaN(), math.Inf(1), 1e308, 1e-308}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 400).Draw(t, "hours")
		closes := make([]float64, n)
		price := 1.0
		for i := range closes {
			price *= math.Exp(rapid.Float64Range(-0.2, 0.2).Draw(t, "step"))
			closes[i] = price
		}
		chart := chartOf(closes, 500)
		for i := range chart.Hours {
			if rapid.IntRange(0, 9).Draw(t, "hostile") == 0 {
				chart.Hours[i].High = rapid.SampledFrom(hostile).Draw(t, "value")
			}
		}
		cut := rapid.IntRange(0, n).Draw(t, "cut")
		asOf := noon.Add(-time.Duration(cut) * time.Hour)
		whole := measureMomentum(chart, nil, asOf)
		truncated := *chart
		truncated.Hours = chart.Hours[:n-cut]
		part := measureMomentum(&truncated, nil, asOf)
		if a, b := assessIntel(intelOf(whole), asOf), assessIntel(intelOf(part), asOf); !sameText(a.Reasons, b.Reasons) || a.Entry.Quality != b.Entry.Quality {
			t.Fatalf("%+v\n%+v", a, b)
		}
		for _, x := range []float64{whole.return1h, whole.return24h, whole.z24h, whole.volumeZ, whole.aboveVWAP} {
			if math.IsInf(x, 0) {
				t.Fatalf("infinite: %+v", whole)
			}
		}
	})
}

func intelOf(m momentum) *intelFacts {
	return &intelFacts{Risk: &tokenrisk.Assessment{Verdict: tokenrisk.Low, Score: 3}, Momentum: m}
}

func sameText(a, b []reason.Reason) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Text != b[i].Text {
			return false
		}
	}
	return true
}
