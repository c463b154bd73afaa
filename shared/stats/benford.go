package stats

import (
	"math"
	"strconv"

	"gonum.org/v1/gonum/stat/distuv"
)

// BenfordProbability is the probability of a first significant digit 1..9 under Benford's law, log10(1+1/digit) (Benford 1938).
// Other digits give 0.
func BenfordProbability(digit int) float64 {
	if digit < 1 || digit > 9 {
		return 0
	}
	return math.Log1p(1/float64(digit)) / math.Ln10
}

// BenfordChiSquare compares the first significant digits of values with Benford's law: Pearson's statistic, its p-value with eight
// degrees of freedom, and the number of values that have such a digit. Zeros, infinities and NaNs have none; signs do not
// matter. Below about 500 values the p-value means little. No values give 0, 1, 0.
func BenfordChiSquare(values []float64) (statistic, p float64, counted int) {
	var observed [10]int
	var digits [32]byte
	for _, v := range values {
		v = math.Abs(v)
		if v == 0 || math.IsNaN(v) || math.IsInf(v, 1) {
			continue
		}
		// The shortest decimal form has the digit that was written; powers of ten would round 0.3 to a leading 2.
		observed[strconv.AppendFloat(digits[:0], v, 'e', -1, 64)[0]-'0']++
		counted++
	}
	if counted == 0 {
		return 0, 1, 0
	}
	for digit := 1; digit <= 9; digit++ {
		expected := float64(counted) * BenfordProbability(digit)
		miss := float64(observed[digit]) - expected
		statistic += float64(miss * miss / expected)
	}
	return statistic, distuv.ChiSquared{K: 8}.Survival(statistic), counted
}
