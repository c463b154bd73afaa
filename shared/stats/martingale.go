package stats

import (
	"math"
	"slices"
)

// So many factors from 1/2 to half of largestMultiplied, and one of any size, multiply without leaving the range of numbers.
const (
	mostMultiplied    = 32
	largestMultiplied = 1e6
)

// TestMartingaleGains is TestMartingale for outcomes that each have a probability of their own: gains[i] is what one unit staked on
// the i-th success won at fair odds, -1 for a miss and 1/p0-1 for a hit, or the mean of several such gains that depend on each other.
// The score of gains whose expectations, given all earlier ones, are not above zero exceeds 20 at any time, watched continually, with
// probability at most 1/20 (Ville 1939). The stake is spread evenly over fractions from 0 to one half, so that the order does not
// matter. No gains give 1, a gain below -1 NaN. The score stops at the largest number.
func TestMartingaleGains(gains []float64) float64 {
	var logs, products [martingaleBets]float64
	multiplied := 0
	settle := func() { // before a product leaves the range of numbers
		for i := range products {
			if multiplied > 0 {
				logs[i] += math.Log(products[i])
			}
			products[i] = 1
		}
		multiplied = 0
	}
	settle()
	for _, gain := range gains {
		if !(gain >= -1) || math.IsInf(gain, 1) {
			return math.NaN()
		}
		for i := range products {
			products[i] *= 1 + float64((float64(i)+0.5)/martingaleBets*0.5*gain)
		}
		if multiplied++; multiplied == mostMultiplied || gain > largestMultiplied {
			settle()
		}
	}
	settle()
	largest := slices.Max(logs[:])
	sum := 0.0
	for _, v := range logs {
		sum += math.Exp(v - largest)
	}
	return min(math.Exp(largest+math.Log(sum/martingaleBets)), math.MaxFloat64)
}
