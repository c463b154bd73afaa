package perprecord_test

import (
	"math"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/perprecord"
)

// draw makes the fills of a random trader on the grid that venues use.
func draw(t *rapid.T, coins ...string) *ledger {
	l := newLedger()
	for range rapid.IntRange(0, 40).Draw(t, "fills") {
		size := float64(rapid.IntRange(1, 50).Draw(t, "size")) / 100
		coin := rapid.SampledFrom(coins).Draw(t, "coin")
		if held := l.size[coin]; held != 0 && rapid.Bool().Draw(t, "close") {
			size = math.Abs(held)
		}
		if rapid.Bool().Draw(t, "sell") {
			size = -size
		}
		f := l.trade(coin, size, float64(rapid.IntRange(1000, 9000).Draw(t, "price"))/100)
		l.size[coin] = math.Round(l.size[coin]*100) / 100
		if rapid.IntRange(0, 5).Draw(t, "same") == 0 {
			f.Order = 1
		}
	}
	return l
}

// Our accounting agrees with the venue's on every fill, and what a position earned is what was received less what was paid.
func TestAccountingAgreesWithCashFlows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := draw(t, "BTC", "ETH")
		book := perprecord.Reconstruct(l.fills, nil)
		if book.Audit.Close != book.Audit.Checked || book.KnownShare != 1 {
			t.Fatalf("%+v", book.Audit)
		}
		// Each coin's cash so far, with the position valued at the last price.
		flows, fees, closed := 0., 0., 0.
		for _, f := range l.fills {
			sign := -1.
			if !f.Buy {
				sign = 1
			}
			flows += sign * f.Size * f.Price
			closed += f.ClosedPnLUSD
			fees += f.FeeUSD
		}
		if l.size["BTC"] == 0 && l.size["ETH"] == 0 {
			earned, paid, ordered := 0., 0., 0.
			for _, e := range book.Episodes {
				earned += e.PnLUSD
				paid += e.FeesUSD
			}
			for _, o := range book.Orders {
				ordered += o.PnLUSD
			}
			if math.Abs(earned-flows) > 1e-6 || math.Abs(paid-fees) > 1e-6 || math.Abs(ordered-closed) > 1e-6 {
				t.Fatalf("earned %v of %v, paid %v of %v", earned, flows, paid, fees)
			}
		}
	})
}

// What is booked up to an instant does not depend on what comes later.
func TestNothingLaterMatters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := draw(t, "BTC", "ETH")
		cut := rapid.IntRange(0, len(l.fills)).Draw(t, "cut")
		all, part := perprecord.Reconstruct(l.fills, nil), perprecord.Reconstruct(l.fills[:cut], nil)
		for i, e := range part.Episodes {
			if !reflect.DeepEqual(e, all.Episodes[i]) && !math.IsNaN(e.FundingUSD) {
				t.Fatalf("%+v became %+v", e, all.Episodes[i])
			}
		}
		ends := 0
		for _, e := range all.Episodes {
			if cut > 0 && !e.ClosedAt.After(l.fills[cut-1].Time) {
				ends++
			}
		}
		if ends != len(part.Episodes) {
			t.Fatalf("%d of %d", len(part.Episodes), ends)
		}
	})
}

// A fill in two parts at the same price is the same fill, and another coin's fills in between change nothing.
func TestPartsAndOtherCoinsChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := draw(t, "BTC")
		var parts []market.PerpFill
		other := newLedger()
		for _, f := range l.fills {
			first, second := f, f
			// Parts of a fill that turns a position around are the part that closes and the part that opens.
			first.Size = f.Size / 2
			closes := f.Before != 0 && (f.Before > 0) != f.Buy
			if closes && f.Size > math.Abs(f.Before) {
				first.Size = math.Abs(f.Before)
			}
			second.Size = f.Size - first.Size
			change := first.Size
			if !f.Buy {
				change = -change
			}
			second.Before = f.Before + change
			share := first.Size / f.Size
			first.FeeUSD, second.FeeUSD = f.FeeUSD*share, f.FeeUSD*(1-share)
			if closes && f.Size > math.Abs(f.Before) {
				second.ClosedPnLUSD = 0
			} else {
				first.ClosedPnLUSD, second.ClosedPnLUSD = f.ClosedPnLUSD/2, f.ClosedPnLUSD/2
			}
			if second.Size <= 0 {
				parts = append(parts, f)
			} else {
				parts = append(parts, first, second)
			}
			parts = append(parts, *other.trade("ETH", float64(rapid.IntRange(1, 9).Draw(t, "other")), 10))
		}
		whole, split := perprecord.Reconstruct(l.fills, nil), perprecord.Reconstruct(parts, nil)
		if len(whole.Episodes) != len(split.Episodes) || len(whole.Orders) != len(split.Orders) {
			t.Fatalf("%d and %d episodes, %d and %d orders", len(whole.Episodes), len(split.Episodes), len(whole.Orders), len(split.Orders))
		}
		for i := range whole.Episodes {
			a, b := whole.Episodes[i], split.Episodes[i]
			if math.Abs(a.NetUSD()-b.NetUSD()) > 1e-6 || math.Abs(a.PeakCostUSD-b.PeakCostUSD) > 1e-6 || (a.Holding-b.Holding).Abs() > time.Millisecond {
				t.Fatalf("%+v became %+v", a, b)
			}
		}
	})
}

// Fills of noise are left out without a trace in numbers.
func TestHostileFills(t *testing.T) {
	odd := rapid.OneOf(rapid.SampledFrom([]float64{0, -1, math.NaN(), math.Inf(1), 1e308, 5e-324}), rapid.Float64())
	rapid.Check(t, func(t *rapid.T) {
		l := draw(t, "BTC")
		for i := range l.fills {
			if rapid.IntRange(0, 9).Draw(t, "bad") == 0 {
				f := &l.fills[i]
				*rapid.SampledFrom([]*float64{&f.Price, &f.Size, &f.Before, &f.ClosedPnLUSD, &f.FeeUSD}).Draw(t, "which") = odd.Draw(t, "number")
			}
		}
		book := perprecord.Reconstruct(l.fills, nil)
		for _, e := range book.Episodes {
			if net := e.NetUSD(); math.IsNaN(net) || !(e.PeakCostUSD > 0) || e.Holding < 0 || e.ClosedAt.Before(e.OpenedAt) {
				t.Fatalf("%+v", e)
			}
		}
	})
}

func BenchmarkReconstruct(b *testing.B) {
	l := newLedger()
	for i := range 10_000 {
		size := 0.1
		if i%20 >= 10 {
			size = -0.1
		}
		l.trade([]string{"BTC", "ETH", "SOL", "xyz:CL"}[i/20%4], size, 100+float64(i%37)).Order = int64(i / 3)
	}
	b.ReportAllocs()
	for b.Loop() {
		perprecord.Reconstruct(l.fills, nil)
	}
}
