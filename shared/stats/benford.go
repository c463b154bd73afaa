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

// firstDigit is the first significant digit of a finite value above zero, as it is written in decimal.
func firstDigit(v float64) int {
	// Nothing near a border is decided by powers of ten: they would make a leading 2 of 0.3.
	const border, least = 1e-9, 1e-300 // powers of ten lose digits below
	if scaled := v / math.Pow10(int(math.Floor(math.Log10(v)))); v > least && scaled > 1+border && scaled < 10-border {
		if digit := math.Floor(scaled); scaled-digit > border && digit+1-scaled > border {
			return int(digit)
		}
	}
	// The shortest decimal form has the digit that was written.
	var digits [32]byte
	return int(strconv.AppendFloat(digits[:0], v, 'e', -1, 64)[0] - '0')
}

// BenfordChiSquare compares the first significant digits of values with Benford's law: Pearson's statistic, its p-value with eight
// degrees of freedom, and the number of values that have such a digit. Zeros, infinities and NaNs have none; signs do not
// matter. Below about 500 values the p-value means little. No values give 0, 1, 0.
func BenfordChiSquare(values []float64) (statistic, p float64, counted int) {
	var observed [10]int
	for _, v := range values {
		v = math.Abs(v)
		if v == 0 || math.IsNaN(v) || math.IsInf(v, 1) {
			continue
		}
		observed[firstDigit(v)]++
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
