package trader

import (
	"cmp"
	"slices"

	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/stats"
)

const (
	segmentMinimum      = 5
	segmentClusters     = 3
	segmentDiscovery    = 0.10
	segmentsShown       = 3
	segmentShrinkWeight = 10
)

// Segment is a part of a trader's results that have something in common.
type Segment struct {
	// Dimension is what divides the results, like token age; Name is this part's value.
	Dimension, Name string
	// Subject begins a sentence about the segment, like "Entries within a day of launch".
	Subject string
	// Members are indices into the results.
	Members []int
}

// Best is a segment in which a trader does better than elsewhere.
type Best struct {
	Dimension, Name string
	// N counts its results.
	N int
	// Return is its mean winsorised return, shrunk toward that of all results.
	Return float64
	// Q is the false-discovery rate at which it still counts (Benjamini & Hochberg 1995).
	Q      float64
	Reason reason.Reason
}

// BestAt finds segments that return more than the rest, at most three, the largest return first. A segment needs five results
// on three different tokens or events, and five results outside it. The search allows for the number of segments tried: the
// false-discovery rate is at most 10 %. None is the normal finding.
func BestAt(results []Result, segments []Segment, seed uint64) []Best {
	returns := make([]float64, len(results))
	overall := 0.0
	for i := range results {
		returns[i] = max(returnFloor, min(returnCap, results[i].Return))
		overall += returns[i]
	}
	if len(results) > 0 {
		overall /= float64(len(results))
	}
	var tried []Best
	var chance []float64
	var subjects []string
	inside := make([]bool, len(results))
	for _, segment := range segments {
		clear(inside)
		clusters := make(map[uint64]struct{})
		var members, rest []float64
		for _, i := range segment.Members {
			if i >= 0 && i < len(results) && !inside[i] {
				inside[i] = true
				clusters[results[i].Cluster] = struct{}{}
				members = append(members, returns[i])
			}
		}
		for i, in := range inside {
			if !in {
				rest = append(rest, returns[i])
			}
		}
		if len(members) < segmentMinimum || len(clusters) < segmentClusters || len(rest) < segmentMinimum {
			continue
		}
		mean := 0.0
		for _, r := range members {
			mean += r
		}
		n := float64(len(members))
		mean /= n
		weight := n / (n + segmentShrinkWeight)
		tried = append(tried, Best{
			Dimension: segment.Dimension, Name: segment.Name, N: len(members), Return: weight*mean + (1-weight)*overall,
		})
		subjects = append(subjects, segment.Subject)
		own := stats.Seed([]byte(segment.Dimension), []byte{0}, []byte(segment.Name))
		chance = append(chance, stats.BootstrapMeanDifferencePValue(members, rest, bootstrapRounds, seed^own))
	}
	best := make([]Best, 0, segmentsShown)
	for i, q := range stats.BenjaminiHochberg(chance) {
		if q <= segmentDiscovery && tried[i].Return > 0 && tried[i].Return > overall {
			tried[i].Q = q
			tried[i].Reason = fact{codeSegment, tried[i].Return, parameters{n: tried[i].N, k: len(tried), subject: subjects[i]}}.reason()
			best = append(best, tried[i])
		}
	}
	slices.SortStableFunc(best, func(a, b Best) int { return cmp.Compare(b.Return, a.Return) })
	return best[:min(len(best), segmentsShown)]
}

// SegmentReasons explains what BestAt found, and that nothing was found.
func SegmentReasons(best []Best) []reason.Reason {
	if len(best) == 0 {
		return []reason.Reason{fact{code: codeNoSegment}.reason()}
	}
	reasons := make([]reason.Reason, len(best))
	for i := range best {
		reasons[i] = best[i].Reason
	}
	return reasons
}
