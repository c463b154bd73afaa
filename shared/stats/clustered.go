package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// ClusteredSize is the number of independent observations that the mean of values is worth when those of one cluster depend on each
// other: as measured by the spread between clusters, and with the degrees of freedom that so many clusters leave (Korn & Graubard
// 1998). With it, Wilson's interval keeps its level for clustered proportions (Dean & Pagano 2015). It is len(values) for clusters of
// one, never more, and never less than if all values of a cluster were the same one (Kish's size of the clusters' sizes). cluster[i] names the cluster of values[i]. No values
// give 0, slices of different length and what is no number NaN.
func ClusteredSize(values []float64, cluster []int) float64 {
	if len(values) != len(cluster) {
		return math.NaN()
	}
	n := float64(len(values))
	m := Describe(values)
	if n == 0 {
		return 0
	}
	if math.IsNaN(m.Mean) || math.IsInf(m.Mean, 0) {
		return math.NaN()
	}
	position := make(map[int]int)
	var sums, sizes []float64
	for i, name := range cluster {
		at, seen := position[name]
		if !seen {
			at = len(sums)
			position[name] = at
			sums, sizes = append(sums, 0), append(sizes, 0)
		}
		sizes[at]++
		sums[at] += values[i] - m.Mean
	}
	clusters := float64(len(sums))
	if clusters == n {
		return n
	}
	least := KishSize(sizes)
	between := 0.0
	for _, s := range sums {
		between += float64(s * s)
	}
	variance := m.SD * m.SD * n // of the sum, were the values independent
	if clusters == 1 || !(variance > roundingResidue) {
		return least
	}
	effective := min(n, n*variance/(between*clusters/(clusters-1)))
	freedom := studentQuantile(n-1) / studentQuantile(clusters-1)
	return min(n, max(least, effective*freedom*freedom))
}

// studentQuantile is the two-sided 95 % quantile of Student's t.
func studentQuantile(freedom float64) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Quantile(0.975)
}
