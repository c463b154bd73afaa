package stats

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// NormalCDF is the probability that a standard normal variable is at most x.
func NormalCDF(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }

// NormalQuantile is the x with NormalCDF(x) = p. It is -Inf at p = 0, +Inf at p = 1 and NaN outside 0..1.
func NormalQuantile(p float64) float64 {
	switch {
	case p == 0:
		return math.Inf(-1)
	case p == 1:
		return math.Inf(1)
	case p > 0 && p < 1:
		return mathext.NormalQuantile(p)
	}
	return math.NaN()
}
