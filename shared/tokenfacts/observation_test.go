package tokenfacts

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var observedAt = time.Date(2026, 9, 1, 12, 0, 0, 1, time.UTC)

func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

func TestObservationsComeBack(t *testing.T) {
	value := rapid.OneOf(rapid.Float64Range(0, math.MaxFloat64), rapid.Just(math.NaN()), rapid.Just(0.0))
	rapid.Check(t, func(t *rapid.T) {
		want := Observation{
			At: observedAt, Holders: rapid.IntRange(0, math.MaxInt).Draw(t, "holders"),
			TopShare: value.Draw(t, "top"), LiquidityUSD: value.Draw(t, "liquidity"), PriceUSD: value.Draw(t, "price"),
		}
		data, err := want.Encode()
		if err != nil || len(data) > 200 {
			t.Fatal(len(data), err)
		}
		got, err := DecodeObservation(observedAt, data)
		if err != nil || !got.At.Equal(want.At) || got.Holders != want.Holders ||
			!same(got.TopShare, want.TopShare) || !same(got.LiquidityUSD, want.LiquidityUSD) || !same(got.PriceUSD, want.PriceUSD) {
			t.Fatalf("%+v %v, want %+v", got, err, want)
		}
	})
}

func TestWhatWasNotMeasuredIsNotZero(t *testing.T) {
	for _, unknown := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1} {
		data, err := Observation{At: observedAt, Holders: -1, TopShare: unknown, LiquidityUSD: unknown, PriceUSD: unknown}.Encode()
		if err != nil {
			t.Fatal(err)
		}
		got, err := DecodeObservation(observedAt, data)
		if err != nil || got.Holders != 0 || !math.IsNaN(got.TopShare) || !math.IsNaN(got.LiquidityUSD) || !math.IsNaN(got.PriceUSD) {
			t.Errorf("%v is kept as %+v %v", unknown, got, err)
		}
	}
}

// A format written by this version can be read by every later one.
func TestTheFormatStays(t *testing.T) {
	got, err := DecodeObservation(observedAt, []byte(`{"v":1,"holders":12,"topShare":0.25,"liquidityUsd":1000.5,"priceUsd":0.001}`))
	if err != nil || got != (Observation{At: observedAt, Holders: 12, TopShare: 0.25, LiquidityUSD: 1000.5, PriceUSD: 0.001}) {
		t.Errorf("%+v %v", got, err)
	}
	for _, bad := range []string{``, `[]`, `{}`, `{"v":2}`, `{"v":1,"holders":-1}`, `{"v":1,"priceUsd":-1}`, `{"v":1,"topShare":"x"}`} {
		if _, err := DecodeObservation(observedAt, []byte(bad)); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
}

func FuzzDecodeObservation(f *testing.F) {
	f.Add([]byte(`{"v":1,"holders":12,"topShare":0.25}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		o, err := DecodeObservation(observedAt, data)
		if err == nil && (o.Holders < 0 || o.TopShare < 0 || o.LiquidityUSD < 0 || math.IsInf(o.PriceUSD, 0)) {
			t.Errorf("%q was read as %+v", data, o)
		}
	})
}
