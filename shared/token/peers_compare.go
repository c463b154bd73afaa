package token

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/stats"
)

// peerGroup is the tokens that a token is compared with.
type peerGroup struct {
	name  string
	peers []peer
}

type ageGroup struct {
	days float64
	name string
}

// ageGroups are the bounds between ages, in days: in its first week, in its first quarter, and older, a token is another thing. The
// figures are conventions of this service.
var ageGroups = []ageGroup{
	{7, "tokens under 7 days old"},
	{90, "tokens of 7 to 90 days"},
	{math.Inf(1), "tokens over 90 days old"},
}

// ageGroupOf is the index of an age, -1 when it is unknown.
func ageGroupOf(days float64) int {
	return slices.IndexFunc(ageGroups, func(g ageGroup) bool { return days < g.days })
}

// group is the narrowest group with enough members: of the token's age on its chain, of all ages on its chain, of its age on all
// chains, of all. The token itself is in none.
func (f *valuationFacts) group(own measure) (*peerGroup, bool) {
	age := ageGroupOf(own.AgeDays)
	here := f.without(f.peers, -1)
	everywhere := append(slices.Clone(here), f.without(f.others, -1)...)
	candidates := []peerGroup{
		{"tokens of all ages on " + string(f.on.Slug), here},
		{"tokens of all ages on all chains", everywhere},
	}
	if age >= 0 {
		candidates = append([]peerGroup{{ageGroups[age].name + " on " + string(f.on.Slug), f.without(f.peers, age)}}, candidates...)
	}
	for i := range candidates {
		if len(candidates[i].peers) >= minimumPeers {
			return &candidates[i], true
		}
	}
	return nil, false
}

// without gives the peers of an age, all of them for -1, but not the token itself.
func (f *valuationFacts) without(peers []peer, age int) []peer {
	var kept []peer
	for i := range peers {
		if peers[i].Token != f.token && (age < 0 || ageGroupOf(peers[i].AgeDays) == age) {
			kept = append(kept, peers[i])
		}
	}
	return kept
}

// ratio is one comparison.
type ratio struct {
	name string
	// z is how far the token stands above its peers, in robust standard deviations; times is its ratio over the median's; above the
	// share of the peers that it stands above, equals counting half; below and peers how many it stands above and how many there are
	// with this ratio; weight how much the ratio counts.
	z, times, above float64
	below, peers    int
	weight          float64
}

// ratioKinds are the ratios in the order in which answers name them, with their weights: what a token without cash flows is worth
// shows best in what could be sold, then in what is traded, then in who holds it. The weights are conventions of this service.
var ratioKinds = []struct {
	name   string
	weight float64
	of     func(*measure) float64
}{
	{"liquidity", 0.4, func(m *measure) float64 { return m.Liquidity }},
	{"volume", 0.35, func(m *measure) float64 { return m.Volume }},
	{"holders", 0.25, func(m *measure) float64 { return m.Holders }},
}

// compare compares a token with the group, ratio by ratio. One that too few peers have, or in which they do not differ, is left out.
func (g *peerGroup) compare(own measure) []ratio {
	var ratios []ratio
	for _, kind := range ratioKinds {
		x := kind.of(&own)
		var all []float64
		below, equal := 0, 0
		for i := range g.peers {
			if y := kind.of(&g.peers[i].measure); !math.IsNaN(y) {
				all = append(all, y)
				switch {
				case y < x:
					below++
				case y == x:
					equal++
				}
			}
		}
		if math.IsNaN(x) || len(all) < minimumPeers {
			continue
		}
		median := stats.Median(all)
		z := stats.RobustZ(x, median, stats.MedianAbsoluteDeviation(all))
		if math.IsNaN(z) {
			continue
		}
		ratios = append(ratios, ratio{
			name: kind.name, z: z, times: math.Exp(x - median), above: (float64(below) + float64(equal)/2) / float64(len(all)),
			below: below, peers: len(all), weight: kind.weight,
		})
	}
	return ratios
}

func names(ratios []ratio) []string {
	all := make([]string, 0, len(ratios))
	for i := range ratios {
		all = append(all, ratios[i].name)
	}
	return all
}

// composite is the distance and the share of all ratios together: their weighted medians, which one stray ratio does not move, or
// their weighted means where there are fewer than three ratios, of which a median would only pick the heavier one.
func composite(ratios []ratio) (z, above float64) {
	middle := weightedMedian
	if len(ratios) < 3 {
		middle = weightedMean
	}
	return middle(ratios, func(r *ratio) float64 { return r.z }), middle(ratios, func(r *ratio) float64 { return r.above })
}

func weightedMean(ratios []ratio, of func(*ratio) float64) float64 {
	sum, total := 0.0, 0.0
	for i := range ratios {
		sum += ratios[i].weight * of(&ratios[i])
		total += ratios[i].weight
	}
	return sum / total
}

// weightedMedian is the value at which half of the weight lies on either side; the mean of two where the half falls between them.
func weightedMedian(ratios []ratio, of func(*ratio) float64) float64 {
	sorted := slices.Clone(ratios)
	slices.SortStableFunc(sorted, func(a, b ratio) int { return cmp.Compare(of(&a), of(&b)) })
	total := 0.0
	for i := range sorted {
		total += sorted[i].weight
	}
	below := 0.0
	for i := range sorted {
		below += sorted[i].weight
		switch {
		case math.Abs(below-total/2) < 1e-9 && i+1 < len(sorted):
			return (of(&sorted[i]) + of(&sorted[i+1])) / 2
		case below > total/2:
			return of(&sorted[i])
		}
	}
	return math.NaN()
}

// ratioReasons say how the token compares by each ratio, the most unusual first.
func ratioReasons(ratios []ratio, g *peerGroup) []reason.Reason {
	var why []reason.Reason
	for _, r := range ratios {
		code := map[string]string{overExtended: "RICH", rich: "RICH", cheap: "CHEAP", underExtended: "CHEAP"}[standing(r.z, r.above)]
		if code == "" {
			code = "IN_LINE"
		}
		// Above every caveat, and the stranger the further.
		why = append(why, because(code, 3+min(math.Abs(r.z), 10)*r.weight, "Valued at %s times the typical peer by %s, %s.",
			timesText(r.times), r.name, aboveText(r.below, r.peers, g.name)))
	}
	return why
}

// aboveText says how many of the peers a token stands above.
func aboveText(below, peers int, group string) string {
	switch below {
	case 0:
		return fmt.Sprintf("above none of %d %s", peers, group)
	case peers:
		return fmt.Sprintf("above all of %d %s", peers, group)
	}
	return fmt.Sprintf("above %s of %d %s", display.PercentText(float64(below)/float64(peers)), peers, group)
}

// timesText writes a factor with as many digits as matter.
func timesText(x float64) string {
	switch {
	case x >= 1000:
		return "over 1000"
	case x < 0.01:
		return "under 0.01"
	case x >= 10:
		return strconv.FormatFloat(x, 'f', 0, 64)
	case x >= 1:
		return strconv.FormatFloat(x, 'f', 1, 64)
	}
	return strconv.FormatFloat(x, 'f', 2, 64)
}
