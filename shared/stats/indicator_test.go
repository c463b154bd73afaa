package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/stats"
)

// indicators are all of them, with windows of n bars.
var indicators = map[string]func(bars []stats.Bar, n int) [][]float64{
	"SMA": func(b []stats.Bar, n int) [][]float64 { return [][]float64{stats.SMA(stats.Closes(b), n)} },
	"EMA": func(b []stats.Bar, n int) [][]float64 { return [][]float64{stats.EMA(stats.Closes(b), n)} },
	"BollingerBands": func(b []stats.Bar, n int) [][]float64 {
		lower, middle, upper := stats.BollingerBands(stats.Closes(b), n, 2)
		return [][]float64{lower, middle, upper}
	},
	"TrueRange":               func(b []stats.Bar, _ int) [][]float64 { return [][]float64{stats.TrueRange(b)} },
	"AverageTrueRange":        func(b []stats.Bar, n int) [][]float64 { return [][]float64{stats.AverageTrueRange(b, n)} },
	"AverageDirectionalIndex": func(b []stats.Bar, n int) [][]float64 { return [][]float64{stats.AverageDirectionalIndex(b, n)} },
	"RelativeStrengthIndex": func(b []stats.Bar, n int) [][]float64 {
		return [][]float64{stats.RelativeStrengthIndex(stats.Closes(b), n)}
	},
	"Donchian": func(b []stats.Bar, n int) [][]float64 {
		high, low := stats.Donchian(b, n)
		return [][]float64{high, low}
	},
	"OnBalanceVolume": func(b []stats.Bar, _ int) [][]float64 { return [][]float64{stats.OnBalanceVolume(b)} },
	"YangZhang":       func(b []stats.Bar, n int) [][]float64 { return [][]float64{stats.YangZhang(b, n)} },
	"GarmanKlass":     func(b []stats.Bar, n int) [][]float64 { return [][]float64{stats.GarmanKlass(b, n)} },
	"Parkinson":       func(b []stats.Bar, n int) [][]float64 { return [][]float64{stats.Parkinson(b, n)} },
	"CloseToClose":    func(b []stats.Bar, n int) [][]float64 { return [][]float64{stats.CloseToClose(b, n)} },
}

func randomBars(n int, seed uint64) []stats.Bar {
	random := rand.New(rand.NewPCG(seed, 3))
	bars := make([]stats.Bar, n)
	price := 1.0
	for i := range bars {
		open := price
		price *= math.Exp(0.1 * random.NormFloat64())
		bars[i] = stats.Bar{
			Open: open, Close: price, Volume: float64(random.IntN(1000)),
			High: max(open, price) * (1 + 0.05*random.Float64()), Low: min(open, price) * (1 - 0.05*random.Float64()),
		}
	}
	return bars
}

// What stands at a bar must not depend on later bars.
func TestIndicatorsDoNotLookAhead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bars := randomBars(rapid.IntRange(0, 80).Draw(t, "bars"), rapid.Uint64().Draw(t, "seed"))
		cut := rapid.IntRange(0, len(bars)).Draw(t, "cut")
		n := rapid.IntRange(1, 25).Draw(t, "window")
		for name, compute := range indicators {
			all, until := compute(bars, n), compute(bars[:cut], n)
			for series := range all {
				if len(all[series]) != len(bars) || len(until[series]) != cut {
					t.Fatalf("%s: %d values for %d bars", name, len(all[series]), len(bars))
				}
				for i, v := range until[series] {
					if !same(v, all[series][i]) {
						t.Fatalf("%s at %d: %v, with later bars %v", name, i, v, all[series][i])
					}
				}
			}
		}
	})
}

func TestWarmUpEndsWhereItShould(t *testing.T) {
	const n = 5
	bars := randomBars(40, 1)
	for name, first := range map[string]int{
		"SMA": n - 1, "EMA": n - 1, "BollingerBands": n - 1, "TrueRange": 1, "AverageTrueRange": n, "AverageDirectionalIndex": 2*n - 1,
		"RelativeStrengthIndex": n, "Donchian": n - 1, "OnBalanceVolume": 0, "YangZhang": n, "GarmanKlass": n - 1, "Parkinson": n - 1,
		"CloseToClose": n - 1,
	} {
		for _, series := range indicators[name](bars, n) {
			for i, v := range series {
				if math.IsNaN(v) != (i < first) {
					t.Errorf("%s at bar %d: %v", name, i, v)
				}
			}
		}
	}
}

func TestIndicatorsOfImpossibleWindows(t *testing.T) {
	bars := randomBars(10, 2)
	for name, compute := range indicators {
		for _, n := range []int{-1, 0, 11} {
			for _, series := range compute(bars, n) {
				for i, v := range series {
					if name != "TrueRange" && name != "OnBalanceVolume" && !math.IsNaN(v) {
						t.Errorf("%s with a window of %d at bar %d: %v", name, n, i, v)
					}
				}
			}
		}
	}
}

// Prices in another unit change prices and ranges in proportion, and indices and volatilities not at all.
func TestIndicatorsUnderAnotherUnit(t *testing.T) {
	bars := randomBars(60, 4)
	dearer := make([]stats.Bar, len(bars))
	for i, b := range bars {
		dearer[i] = stats.Bar{Open: 8 * b.Open, High: 8 * b.High, Low: 8 * b.Low, Close: 8 * b.Close, Volume: b.Volume}
	}
	inPrice := map[string]bool{"SMA": true, "EMA": true, "BollingerBands": true, "TrueRange": true, "AverageTrueRange": true, "Donchian": true}
	for name, compute := range indicators {
		factor := 1.0
		if inPrice[name] {
			factor = 8
		}
		before, after := compute(bars, 7), compute(dearer, 7)
		for series := range before {
			for i := range before[series] {
				if !same(after[series][i], factor*before[series][i]) {
					t.Errorf("%s at %d: %v became %v", name, i, before[series][i], after[series][i])
				}
			}
		}
	}
}

func TestIndicatorsOfAStillMarket(t *testing.T) {
	still := make([]stats.Bar, 40)
	for i := range still {
		still[i] = stats.Bar{Open: 2, High: 2, Low: 2, Close: 2, Volume: 3}
	}
	for name, want := range map[string]float64{
		"SMA": 2, "EMA": 2, "BollingerBands": 2, "TrueRange": 0, "AverageTrueRange": 0, "AverageDirectionalIndex": 0, "RelativeStrengthIndex": 50,
		"Donchian": 2, "OnBalanceVolume": 3, "YangZhang": 0, "GarmanKlass": 0, "Parkinson": 0, "CloseToClose": 0,
	} {
		for _, series := range indicators[name](still, 10) {
			if got := series[len(series)-1]; !same(got, want) {
				t.Errorf("%s: %v, want %v", name, got, want)
			}
		}
	}
}

func TestAGapSpoilsOnlyItsWindows(t *testing.T) {
	x := []float64{1, 2, math.NaN(), 4, 5, 6, 7}
	got := stats.SMA(x, 2)
	for i, want := range []float64{nan, 1.5, nan, nan, 4.5, 5.5, 6.5} {
		if !same(got[i], want) {
			t.Errorf("at %d: %v, want %v", i, got[i], want)
		}
	}
}

// Under the null the score exceeds 20 at any time with probability at most 1/20, however often one looks.
func TestTheMartingaleMayBeWatched(t *testing.T) {
	for _, p0 := range []float64{0.05, 0.24, 0.5, 0.9} {
		const runs, length = 600, 120
		random := rand.New(rand.NewPCG(20, uint64(1000*p0)))
		crossed, ended := 0, 0.0
		for range runs {
			var outcomes []bool
			top := 0.0
			for range length {
				outcomes = append(outcomes, random.Float64() < p0)
				top = max(top, stats.TestMartingale(outcomes, p0))
			}
			if top >= 20 {
				crossed++
			}
			ended += stats.TestMartingale(outcomes, p0)
		}
		// 1/20 and three standard deviations of the simulation.
		if share := float64(crossed) / runs; share > 0.05+3*math.Sqrt(0.05*0.95/runs) {
			t.Errorf("p0 %v: %v of the fair runs crossed 20", p0, share)
		}
	}
}

func TestTheMartingaleIsFairAndLearns(t *testing.T) {
	// Summed over every course of ten outcomes, each with its probability, a fair bet earns nothing.
	for _, p0 := range []float64{0.1, 0.5, 0.8} {
		expected := 0.0
		for course := range 1 << 10 {
			outcomes, probability := make([]bool, 10), 1.0
			for i := range outcomes {
				if outcomes[i] = course>>i&1 == 1; outcomes[i] {
					probability *= p0
				} else {
					probability *= 1 - p0
				}
			}
			expected += probability * stats.TestMartingale(outcomes, p0)
		}
		if !same(math.Round(expected*1e9)/1e9, 1) {
			t.Errorf("p0 %v: one unit is expected to become %v", p0, expected)
		}
	}
	won := make([]bool, 61)
	for i := range 22 {
		won[i] = true
	}
	if e := stats.TestMartingale(won, 0.24); e < 3 || e > 20 {
		t.Errorf("22 of 61 against 24 %%: %v, want moderate evidence", e)
	}
	if e := stats.TestMartingale(won, 0.36); e > 1 {
		t.Errorf("22 of 61 against 36 %%: %v, want none", e)
	}
	if e := stats.TestMartingale(make([]bool, 100_000), 0.5); e != 0 && !(e < 1e-9) {
		t.Errorf("losing always: %v", e)
	}
	for i := range won {
		won[i] = true
	}
	if e := stats.TestMartingale(append(won, make([]bool, 0)...), 1e-9); math.IsInf(e, 1) || e < 1e100 {
		t.Errorf("winning always against nothing: %v", e)
	}
}

func TestBenfordSeesUniformDigits(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	natural, uniform := make([]float64, 2000), make([]float64, 2000)
	for i := range natural {
		natural[i] = math.Exp(4 * random.NormFloat64())
		uniform[i] = 1 + 9*random.Float64()
	}
	if _, p, n := stats.BenfordChiSquare(natural); p < 0.001 || n != 2000 {
		t.Errorf("lognormal sizes: p %v of %d", p, n)
	}
	if _, p, _ := stats.BenfordChiSquare(uniform); p > 1e-9 {
		t.Errorf("uniform digits: p %v", p)
	}
	// Of these, three have a first digit, and 0.3 has a 3.
	if statistic, _, n := stats.BenfordChiSquare([]float64{0, nan, inf, -0.3, 3e-320, 3e300}); n != 3 || math.Abs(statistic-3*(1/stats.BenfordProbability(3)-1)) > 1e-9 {
		t.Errorf("statistic %v of %d", statistic, n)
	}
}

func BenchmarkIndicators(b *testing.B) {
	bars := randomBars(2000, 1)
	for name, compute := range indicators {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				compute(bars, 20)
			}
		})
	}
}
