package stats

import (
	"cmp"
	"math"
	"slices"
)

// pairsInMemory is the number of points up to which all pairs are held at once; beyond it slopes are counted, not listed.
const pairsInMemory = 256

// TheilSen is the median slope over all pairs of a series at unit spacing, in units of y per step (Theil 1950; Sen 1968). Fewer
// than two values, or a NaN among them, give NaN.
func TheilSen(y []float64) float64 {
	x := make([]float64, len(y))
	for i := range x {
		x[i] = float64(i)
	}
	return TheilSenAt(x, y)
}

// TheilSenAt is TheilSen at the places x, in any order. Pairs at the same place have no slope and do not count. Slices of
// different length, fewer than two different places, or a NaN or an infinity give NaN.
func TheilSenAt(x, y []float64) float64 {
	if len(x) != len(y) || len(x) < 2 {
		return math.NaN()
	}
	points := make([]point, len(x))
	for i := range x {
		if math.IsNaN(x[i]-x[i]) || math.IsNaN(y[i]-y[i]) {
			return math.NaN()
		}
		points[i] = point{x[i], y[i]}
	}
	slices.SortFunc(points, func(a, b point) int { return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(a.y, b.y)) })
	if len(points) <= pairsInMemory {
		return medianInPlace(slopes(points))
	}
	return medianSlope(points)
}

type point struct{ x, y float64 }

func slopes(sorted []point) []float64 {
	all := make([]float64, 0, len(sorted)*(len(sorted)-1)/2)
	for i, a := range sorted {
		for _, b := range sorted[i+1:] {
			if b.x > a.x {
				all = append(all, (b.y-a.y)/(b.x-a.x))
			}
		}
	}
	return all
}

// medianSlope finds the median slope by bisection on the number of pairs that are less steep, each count one merge sort: the
// pairs themselves would not fit. The count compares y-slope*x, so the result is exact to the rounding of that product.
func medianSlope(sorted []point) float64 {
	pairs, low, high := slopeRange(sorted)
	if pairs == 0 {
		return math.NaN()
	}
	residual, scratch := make([]float64, len(sorted)), make([]float64, len(sorted))
	// Points at the same place come in ascending order, so they never count as a descent.
	lessSteep := func(slope float64) int {
		for i, p := range sorted {
			residual[i] = p.y - float64(slope*p.x)
		}
		return inversions(residual, scratch)
	}
	find := func(rank int) float64 { // the largest slope below which lie at most rank pairs
		a, b := low, high
		for range 100 {
			middle := a + (b-a)/2
			if middle <= a || middle >= b {
				break
			}
			if lessSteep(middle) <= rank {
				a = middle
			} else {
				b = middle
			}
		}
		if lessSteep(b) <= rank {
			return b
		}
		return a
	}
	upper := find(pairs / 2)
	if pairs%2 == 1 {
		return upper
	}
	lower := find(pairs/2 - 1)
	return lower + (upper-lower)/2
}

// slopeRange counts the pairs at different places and bounds their slopes: the extremes lie between neighbouring places.
func slopeRange(sorted []point) (pairs int, low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	n := len(sorted)
	pairs = n * (n - 1) / 2
	previous := -1 // start of the place before
	for start := 0; start < n; {
		end := start + 1
		for end < n && sorted[end].x == sorted[start].x {
			end++
		}
		pairs -= (end - start) * (end - start - 1) / 2
		if previous >= 0 {
			apart := sorted[start].x - sorted[previous].x
			low = min(low, (sorted[start].y-sorted[start-1].y)/apart)
			high = max(high, (sorted[end-1].y-sorted[previous].y)/apart)
		}
		previous, start = start, end
	}
	return pairs, low, high
}

// inversions sorts x by merging and counts the pairs that stood in strictly descending order. scratch has the length of x.
func inversions(x, scratch []float64) int {
	count := 0
	for width := 1; width < len(x); width *= 2 {
		for start := 0; start < len(x); start += 2 * width {
			middle, end := min(start+width, len(x)), min(start+2*width, len(x))
			i, j := start, middle
			for k := start; k < end; k++ {
				if j >= end || (i < middle && x[i] <= x[j]) {
					scratch[k] = x[i]
					i++
				} else {
					scratch[k] = x[j]
					count += middle - i
					j++
				}
			}
		}
		copy(x, scratch)
	}
	return count
}

// MannKendall tests a series for a monotone trend (Mann 1945; Kendall 1975). s is the number of ascending pairs less that of
// descending ones; p is the two-sided p-value by the normal approximation with the corrections for continuity and ties, fair
// from about ten values on. Fewer than two values, or all equal, give 0, 1; a NaN among them gives 0, NaN.
func MannKendall(y []float64) (s int, p float64) {
	n := len(y)
	if slices.ContainsFunc(y, math.IsNaN) {
		return 0, math.NaN()
	}
	sorted := slices.Clone(y)
	descending := inversions(sorted, make([]float64, n))
	tied, spread := 0, float64(n)*float64(n-1)*float64(2*n+5)
	for start := 0; start < n; {
		end := start + 1
		for end < n && sorted[end] == sorted[start] {
			end++
		}
		t := end - start
		tied += t * (t - 1) / 2
		spread -= float64(t) * float64(t-1) * float64(2*t+5)
		start = end
	}
	s = n*(n-1)/2 - tied - 2*descending
	if spread <= 0 || s == 0 {
		return s, 1
	}
	z := (math.Abs(float64(s)) - 1) / math.Sqrt(spread/18)
	return s, min(1, 2*NormalCDF(-z))
}
