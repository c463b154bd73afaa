package predictionrecord

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mirrorworthy/mirrorworthy/shared/stats"
)

const (
	// edgeLevel is that of each side of an edge's interval: 90 % two-sided. copyLevel is that of the bound copying rests on.
	edgeLevel, copyLevel = 0.95, 0.80
	bootstrapRounds      = 2000
	// redraws is how often outcomes are drawn anew; largestTested how many entries at most, the latest.
	redraws, largestTested = 2000, 2500
	// leastChance is the least that so many redraws can show.
	leastChance = 0.001
	// sizeCap is how many times the median size one entry may weigh, so that no single one decides.
	sizeCap = 3
	// detectPower is that of the detectable edge, at a one-sided 5 %.
	detectPower = 0.80
)

// Edge is what first entries were worth more than they cost, in dollars a share: the mean over events and its 90 % interval.
type Edge struct {
	Mean, Low, High float64
	// Events is how many events it rests on. With fewer than two nothing is measured, and the rest is NaN.
	Events int
}

// measureEdge bounds the mean of edges whose chances were p.
func measureEdge(edges, chances []float64, seed uint64) Edge {
	n := len(edges)
	if n < 2 {
		nan := math.NaN()
		return Edge{nan, nan, nan, n}
	}
	mirrored := make([]float64, n)
	for i, edge := range edges {
		mirrored[i] = -edge
	}
	return Edge{
		Mean: stats.Describe(edges).Mean, Low: lowerBound(edges, chances, edgeLevel, seed), High: -lowerBound(mirrored, chances, edgeLevel, seed), Events: n,
	}
}

// lowerBound is a one-sided lower bound of the mean edge: the studentised bootstrap's over events, within two others. It is never above
// what fair prices imply: favourites that all won have no spread and yet are uncertain. And it is never below the normal bound
// with the worst result once more: resamples of a few losers and many winners often hold no loser, and then have no bound at all.
func lowerBound(edges, chances []float64, level float64, seed uint64) float64 {
	m, z := stats.Describe(edges), stats.NormalQuantile(level)
	repeated := stats.Describe(append(slices.Clone(edges), slices.Min(edges)))
	repeatedLow := repeated.Mean - z*repeated.SD/math.Sqrt(float64(repeated.N))
	low := max(repeatedLow, stats.BootstrapTLowerBound(edges, level, bootstrapRounds, seed))
	return max(-1, min(low, m.Mean-z*impliedError(chances)))
}

// impliedError is the standard error of a mean edge when prices are fair.
func impliedError(chances []float64) float64 {
	variance := 0.0
	for _, p := range chances {
		variance += p * (1 - p)
	}
	return math.Sqrt(variance) / float64(len(chances))
}

// detectable is the smallest edge a share that this many entries would show with 80 % power at a one-sided 5 %:
// (1.645 + 0.842) standard errors.
func detectable(edges, chances []float64) float64 {
	if len(edges) < 2 {
		return math.NaN()
	}
	spread := max(stats.Describe(edges).SD/math.Sqrt(float64(len(edges))), impliedError(chances))
	return (stats.NormalQuantile(0.95) + stats.NormalQuantile(detectPower)) * spread
}

// chance is the probability that fair luck does at least as well: markets, prices and sizes stay, each entry's outcome is drawn anew
// with its price as the chance, 2,000 times. Draws that equal the record count as reaching it, so that a short list of possible
// results errs against the wallet. NaN without entries. Entries in markets that were called off say nothing of luck.
//
// There is one entry an event, so draws are independent, as outcomes of different events are. With all entries of an event drawn
// together one has to know how its markets hang together, which only exclusive ones tell. Simulated over 50 events, fair buyers
// of favourites among nested thresholds reach 5 % in 16 % of cases when markets are drawn apart, and in 11 % when drawn as one with
// sums divided by their own size; those of favourites in independent markets then do in 1 %. First entries hold 5 % in all.
func chance(entries []entry, seed uint64) float64 {
	tested := make([]entry, 0, len(entries))
	for _, e := range entries {
		if e.payout == 0 || e.payout == 1 {
			tested = append(tested, e)
		}
	}
	tested = tested[max(0, len(tested)-largestTested):]
	if len(tested) == 0 {
		return math.NaN()
	}
	coins := make([]coin, len(tested))
	observed := 0.0
	for i, size := range cappedSizes(tested) {
		coins[i] = coin{limit: uint64(tested[i].price * (1 << 32)), worth: [2]float64{0, size}}
		observed += coins[i].worth[int(tested[i].payout)]
	}
	source := rand.NewPCG(seed, redrawStream)
	reached := 0
	for range redraws {
		if drawWins(coins, source) >= observed*(1-1e-12) {
			reached++
		}
	}
	return max(leastChance, float64(reached+1)/float64(redraws+1))
}

// redrawStream sets the redraws apart from other draws with a wallet's seed.
const redrawStream = 0x6a09e667f3bcc909

// coin is one entry to be drawn: it wins when 32 random bits are below limit, and is worth the second value then.
type coin struct {
	limit uint64
	worth [2]float64
}

// drawWins draws every outcome once and adds up what the winners weigh. One random word serves two entries. Which way a draw falls
// cannot be predicted, so it chooses a value and not a branch: the difference to the limit has its top bit set when it is negative.
func drawWins(coins []coin, source *rand.PCG) float64 {
	won, pairs := 0.0, len(coins)&^1
	for i := 0; i < pairs; i += 2 {
		word := source.Uint64()
		a, b := &coins[i], &coins[i+1]
		won += a.worth[(word&math.MaxUint32-a.limit)>>63] + b.worth[(word>>32-b.limit)>>63]
	}
	if pairs < len(coins) {
		last := &coins[pairs]
		won += last.worth[(source.Uint64()>>32-last.limit)>>63]
	}
	return won
}

// cappedSizes are shares of at most so many times the median.
func cappedSizes(entries []entry) []float64 {
	sizes := make([]float64, len(entries))
	for i := range entries {
		sizes[i] = entries[i].shares
	}
	most := sizeCap * stats.Median(sizes)
	for i := range sizes {
		sizes[i] = min(sizes[i], most)
	}
	return sizes
}
