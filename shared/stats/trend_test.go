package stats

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Beyond pairsInMemory the median slope is found by counting. It must be the one that listing finds.
func TestCountedSlopesEqualListedOnes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 40).Draw(t, "n")
		points := make([]point, n)
		for i := range points {
			points[i] = point{float64(rapid.IntRange(0, 20).Draw(t, "x")), float64(rapid.IntRange(-50, 50).Draw(t, "y")) / 8}
		}
		slices.SortFunc(points, func(a, b point) int { return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(a.y, b.y)) })
		listed, counted := medianInPlace(slopes(points)), medianSlope(points)
		if !(math.IsNaN(listed) && math.IsNaN(counted)) && !(math.Abs(listed-counted) <= 1e-9) {
			t.Fatalf("listed %v, counted %v", listed, counted)
		}
		pairs, low, high := slopeRange(points)
		all := slopes(points)
		if pairs != len(all) || pairs > 0 && (low != slices.Min(all) || high != slices.Max(all)) {
			t.Fatalf("%d pairs from %v to %v, listed %d", pairs, low, high, len(all))
		}
	})
}

func TestSelectionEqualsSorting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(-3, 3), rapid.SampledFrom([]float64{0, 1, math.Inf(1), math.Inf(-1)})), 1, 300).Draw(t, "x")
		n := rapid.IntRange(0, len(x)-1).Draw(t, "n")
		sorted := slices.Sorted(slices.Values(x))
		got := selectNth(x, n)
		if got != sorted[n] || x[n] != got || slices.ContainsFunc(x[:n], func(v float64) bool { return v > got }) ||
			slices.ContainsFunc(x[n:], func(v float64) bool { return v < got }) {
			t.Fatalf("got %v, sorted %v", got, sorted[n])
		}
		slices.Sort(x)
		if !slices.Equal(x, sorted) {
			t.Fatal("values were lost")
		}
	})
}

func BenchmarkTheilSen(b *testing.B) {
	for _, n := range []int{50, 256, 5_000} {
		y := make([]float64, n)
		random := rand.New(rand.NewPCG(1, 2))
		for i := range y {
			y[i] = random.NormFloat64()
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				TheilSen(y)
			}
		})
	}
}
