package stats

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// BinomialTail is the probability of at least k successes in n independent trials that each succeed with probability p.
func BinomialTail(k, n int, p float64) float64 {
	switch {
	case n < 0 || !(p >= 0 && p <= 1):
		return math.NaN()
	case k <= 0:
		return 1
	case k > n:
		return 0
	case p == 0 || p == 1:
		return p
	}
	return mathext.RegIncBeta(float64(k), float64(n-k+1), p)
}

// BetaBinomialTail is the probability of at least k successes in n trials that share one unknown probability of success, of which b is
// what is believed. Its time grows with k*n.
func BetaBinomialTail(k, n int, b Beta) float64 {
	switch {
	case n < 0 || !b.valid():
		return math.NaN()
	case k <= 0:
		return 1
	case k > n:
		return 0
	}
	// What is believed after i trials of which j succeeded gives the chance of the next, as in the urn of Eggenberger and Pólya (1923).
	// exactly[j] is the probability of j successes so far; those that reach k stay there, which keeps the digits of tiny tails.
	exactly := make([]float64, k)
	exactly[0] = 1
	reached := 0.0
	for i := range n {
		weight := b.A + b.B + float64(i)
		if i >= k-1 {
			reached += float64(exactly[k-1] * ((b.A + float64(k-1)) / weight))
		}
		for j := min(i+1, k-1); j >= 1; j-- {
			exactly[j] = float64(exactly[j]*((b.B+float64(i-j))/weight)) + float64(exactly[j-1]*((b.A+float64(j-1))/weight))
		}
		exactly[0] *= (b.B + float64(i)) / weight
	}
	return min(1, reached)
}

// HypergeometricTail is the probability that at least k of the draws, taken without replacement from a population of which
// some are marked, are marked.
func HypergeometricTail(k, population, marked, draws int) float64 {
	if population < 0 || marked < 0 || marked > population || draws < 0 || draws > population {
		return math.NaN()
	}
	low, high := max(0, draws-(population-marked)), min(draws, marked)
	switch {
	case k <= low:
		return 1
	case k > high:
		return 0
	}
	// Probabilities relative to the mode's, by the ratio of neighbours, need no factorials and keep every digit.
	ratio := func(i int) float64 { // of the probability of i+1 to that of i
		return float64(marked-i) / float64(i+1) * float64(draws-i) / float64(population-marked-draws+i+1)
	}
	mode := int(float64(draws+1) * (float64(marked+1) / float64(population+2)))
	mode = min(max(mode, low), high)
	above, below := 0.0, 0.0
	add := func(i int, weight float64) {
		if i >= k {
			above += weight
		} else {
			below += weight
		}
	}
	add(mode, 1)
	for i, weight := mode, 1.0; i < high && weight > 0; i++ {
		weight = float64(weight * ratio(i))
		add(i+1, weight)
	}
	for i, weight := mode, 1.0; i > low && weight > 0; i-- {
		weight /= ratio(i - 1)
		add(i-1, weight)
	}
	return above / (above + below)
}

// PoissonBinomialTail is the probability of at least k successes when trial i succeeds with probability p[i], independently.
// Its time grows with k*len(p).
func PoissonBinomialTail(k int, p []float64) float64 {
	for _, v := range p {
		if !(v >= 0 && v <= 1) {
			return math.NaN()
		}
	}
	switch {
	case k <= 0:
		return 1
	case k > len(p):
		return 0
	}
	// exactly[j] is the probability of j successes so far; those that reach k stay there, which keeps the digits of tiny tails.
	exactly := make([]float64, k)
	exactly[0] = 1
	reached := 0.0
	for i, v := range p {
		top := min(i, k-1)
		if top == k-1 {
			reached += float64(exactly[top] * v)
		}
		for j := min(i+1, k-1); j >= 1; j-- {
			exactly[j] = float64(exactly[j]*(1-v)) + float64(exactly[j-1]*v)
		}
		exactly[0] *= 1 - v
	}
	return min(1, reached)
}
