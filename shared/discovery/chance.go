package discovery

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/stats"
)

// Bounds of the number of launches that an expectation weighs as much as.
const (
	leastStrength = 5
	mostStrength  = 100
)

// clearly is how many standard deviations (of a sum of squared normal errors, two for each) a spread must exceed that of chance.
const clearly = 1.645

const week = 7 * 24 * time.Hour

// group counts launches and those that rose.
type group struct{ launches, rose int }

func (g *group) add(l *Launch) {
	g.launches++
	if l.Rose {
		g.rose++
	}
}

// stratum is a week and a third of initial liquidity.
type stratum struct {
	week  int64
	third int
}

// chances gives each launch its probability of having risen by chance, between 0 and 1 and neither.
func chances(launches []Launch) []float64 {
	if len(launches) == 0 {
		return nil
	}
	first, second := thirds(launches)
	var all group
	weeks, liquidity, cells := make(map[int64]*group), make(map[int]*group), make(map[stratum]*group)
	strata := make([]stratum, len(launches))
	for i := range launches {
		l := &launches[i]
		s := stratum{week: l.At.Truncate(week).Unix()}
		if l.LiquidityUSD > first {
			s.third++
		}
		if l.LiquidityUSD > second {
			s.third++
		}
		strata[i] = s
		all.add(l)
		grown(weeks, s.week).add(l)
		grown(liquidity, s.third).add(l)
		grown(cells, s).add(l)
	}
	overall := (float64(all.rose) + 0.5) / (float64(all.launches) + 1) // neither 0 nor 1
	byWeek := shrunk(weeks, func(int64) float64 { return overall })
	byLiquidity := shrunk(liquidity, func(int) float64 { return overall })
	byStratum := shrunk(cells, func(s stratum) float64 {
		return fromLogOdds(logOdds(byWeek[s.week]) + logOdds(byLiquidity[s.third]) - logOdds(overall))
	})
	result := make([]float64, len(launches))
	for i, s := range strata {
		result[i] = byStratum[s]
	}
	return result
}

func grown[K comparable](groups map[K]*group, key K) *group {
	g := groups[key]
	if g == nil {
		g = new(group)
		groups[key] = g
	}
	return g
}

// thirds are the bounds of the thirds of initial liquidity: the first third reaches up to the first bound, which belongs to it.
func thirds(launches []Launch) (first, second float64) {
	sorted := make([]float64, len(launches))
	for i := range launches {
		sorted[i] = launches[i].LiquidityUSD
	}
	slices.Sort(sorted)
	return stats.Quantile(sorted, 1.0/3), stats.Quantile(sorted, 2.0/3)
}

// shrunk draws each group's share to what is expected of it. The strength follows from the spread of the shares: with an intra-class
// correlation r the squared error of a group of n, over its variance by chance, is 1+(n-1)r on average, and the expectation weighs as
// much as 1/r-1 launches.
func shrunk[K comparable](groups map[K]*group, expected func(K) float64) map[K]float64 {
	// Terms are summed in order of size, since maps have no order.
	var excess []float64
	pairs := 0
	for key, g := range groups {
		e, n := expected(key), float64(g.launches)
		miss := float64(g.rose) - n*e
		excess = append(excess, miss*miss/(n*e*(1-e))-1)
		pairs += g.launches - 1
	}
	slices.Sort(excess)
	total := 0.0
	for _, x := range excess {
		total += x
	}
	// Only what is more than chance gives in 19 of 20 samples is a difference: it would be made of the very launches that rose.
	total -= clearly * math.Sqrt(2*float64(len(groups)))
	strength := float64(mostStrength)
	if total > 0 && pairs > 0 {
		strength = min(max(float64(pairs)/total-1, leastStrength), mostStrength)
	}
	rates := make(map[K]float64, len(groups))
	for key, g := range groups {
		rates[key] = (float64(g.rose) + strength*expected(key)) / (float64(g.launches) + strength)
	}
	return rates
}

// trimmed is the part of the wallets, at either end of their order by p-value, whose luck or skill says nothing of the crowd.
const trimmed = 0.1

// crowding is the logarithm of the odds that an early purchase hits over the odds by the launches' chances, at least 0. It is that of the
// wallets in the middle, so that a few with skill do not make the measure that they are held against.
func crowding(wallets []Evidence) float64 {
	byP := slices.Clone(wallets)
	slices.SortStableFunc(byP, func(a, b Evidence) int { return cmp.Compare(a.P, b.P) })
	cut := int(math.Ceil(trimmed * float64(len(byP))))
	if len(byP) <= 2*cut {
		return 0
	}
	purchases, hits, expected := 0, 0, 0.0
	for _, e := range byP[cut : len(byP)-cut] {
		purchases += e.Launches
		hits += e.Rose
		expected += e.Expected
	}
	if purchases == 0 || hits == 0 || hits == purchases {
		return 0
	}
	return math.Max(0, logOdds(float64(hits)/float64(purchases))-logOdds(expected/float64(purchases)))
}

// crowded raises the odds of launches by what any early buyer gets.
func crowded(chances []float64, crowd float64) {
	for i, p := range chances {
		chances[i] = fromLogOdds(logOdds(p) + crowd)
	}
}

func logOdds(p float64) float64     { return math.Log(p / (1 - p)) }
func fromLogOdds(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
