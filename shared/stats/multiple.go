package stats

import "math"

// BenjaminiHochberg gives the q-value of each p-value, in the order given: the smallest false-discovery rate at which the
// hypothesis would be rejected, for independent or positively dependent tests (Benjamini & Hochberg 1995). A p-value outside
// 0..1 makes every q-value NaN, since the number of tests is then unknown.
func BenjaminiHochberg(p []float64) []float64 { return stepUp(p, 1) }

// BenjaminiYekutieli is BenjaminiHochberg for tests that depend on each other in any way (Benjamini & Yekutieli 2001).
func BenjaminiYekutieli(p []float64) []float64 {
	harmonic := 0.0
	for i := len(p); i >= 1; i-- {
		harmonic += 1 / float64(i)
	}
	return stepUp(p, harmonic)
}

func stepUp(p []float64, factor float64) []float64 {
	q := make([]float64, len(p))
	for _, v := range p {
		if !(v >= 0 && v <= 1) {
			for i := range q {
				q[i] = math.NaN()
			}
			return q
		}
	}
	order := ascending(p)
	smallest := 1.0
	for rank := len(order); rank >= 1; rank-- {
		i := order[rank-1]
		smallest = min(smallest, p[i]*(factor*float64(len(p))/float64(rank)))
		q[i] = smallest
	}
	return q
}
