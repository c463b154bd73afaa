package leadergate

import (
	"math"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/copyrecord"
	"github.com/mirrorworthy/mirrorworthy/shared/copysimulation"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/position"
	"github.com/mirrorworthy/mirrorworthy/shared/stats"
	"github.com/mirrorworthy/mirrorworthy/shared/tradingrecord"
)

// Simulation is how a delayed copier of the wallet's entries would have fared. Fractions, NaN where unmeasured.
type Simulation struct {
	// Rated is true from three simulated trades and three closed positions of the wallet's own on.
	Rated bool
	// Trades are those whose horizon is over, Wins of them gained after costs, Tokens is how many tokens they were in.
	Trades, Wins, Tokens         int
	WinRate, BaseWinRate         float64
	Median, Compounded           float64
	MedianRunUp, CopierImpact    float64
	GainProbability, WithoutBest float64
	// Evidence is the probability that the copier's average return is above zero, a total loss added (PSR*).
	Evidence float64
}

const (
	// clusterCorrelation is how much the results of entries in one token are assumed to resemble each other.
	clusterCorrelation = 0.3
	// priorStrength is how many entries the expectation weighs that the wallet is no better than chance.
	priorStrength = 10
	// The base rate stays off the ends, where a prior says nothing.
	lowestBase, highestBase = 0.02, 0.98
	// copierUSD is what the copier is taken to buy for.
	copierUSD = 1_000
)

// copies are the simulated copies and what is measured on them.
type copies struct {
	simulation Simulation
	trades     []copysimulation.Trade // those that count
	nets       []float64
	effective  float64 // how many independent trades they are worth
	medianGap  time.Duration
}

func examine(facts Facts, asOf time.Time) *copies {
	record := facts.Record
	result := record.Simulate(facts.Security, asOf)
	c := &copies{medianGap: medianGap(record)}
	sizes := make(map[chain.Address]int)
	dead := make(map[copysimulation.Entry]bool)
	for i := range result.Trades {
		t := &result.Trades[i]
		if t.Status != copysimulation.Resolved && t.Status != copysimulation.Dead {
			continue
		}
		c.trades = append(c.trades, *t)
		c.nets = append(c.nets, t.Net)
		sizes[t.Token]++
		if t.Status == copysimulation.Dead {
			dead[copysimulation.Entry{Token: t.Token, At: t.At}] = true
		}
	}
	c.effective = effectiveSize(sizes)
	c.simulation = Simulation{
		Rated:  record.Measures.N >= copysimulation.MinimumTrades && result.Counted >= copysimulation.MinimumTrades,
		Trades: result.Counted, Wins: result.Wins, Tokens: len(sizes),
		WinRate: result.WinRate, BaseWinRate: result.BaseWinRate, Median: result.Median, Compounded: result.Compounded,
		GainProbability: math.NaN(), WithoutBest: math.NaN(), Evidence: c.evidence(),
	}
	if base := result.BaseWinRate; result.Counted > 0 && !math.IsNaN(base) {
		base = min(max(base, lowestBase), highestBase)
		c.simulation.GainProbability = 1 - posterior(base, result.Wins, result.Counted, c.effective).CDF(base)
	}
	if result.Counted > 1 {
		n := float64(result.Counted)
		c.simulation.WithoutBest = (result.Mean*n - result.Best) / (n - 1)
	}
	c.simulation.MedianRunUp, c.simulation.CopierImpact = copyability(record, dead, asOf)
	return c
}

func effectiveSize(sizes map[chain.Address]int) float64 {
	all := make([]int, 0, len(sizes))
	for _, size := range sizes {
		all = append(all, size)
	}
	slices.Sort(all) // sums of floats depend on their order
	return stats.EffectiveSize(all, clusterCorrelation)
}

// posterior is the belief about the chance that a copy gains. Before any result it is that of a random entry, held as firmly as ten
// results; results count for what they are worth.
//
// The base rate has no sampling error in this comparison: it is the share of all comparable hours in the very tokens and days of the
// entries, and whoever enters those at random wins that share on average, with a spread that is at most the binomial one. What is
// uncertain about other tokens matters to the forecast, and is allowed for there.
func posterior(base float64, wins, trials int, effective float64) stats.Beta {
	weight := 0.0
	if trials > 0 {
		weight = effective / float64(trials)
	}
	return stats.Beta{
		A: priorStrength*base + weight*float64(wins),
		B: priorStrength*(1-base) + weight*float64(trials-wins),
	}
}

// evidence is PSR* of the net returns for what they are worth, as a trader's own results are judged.
func (c *copies) evidence() float64 {
	n := len(c.nets)
	if n < 2 {
		return math.NaN()
	}
	p := stats.ProbabilisticSharpeWithLoss(c.nets)
	if m := stats.Describe(c.nets); m.SD == 0 && m.Mean == -1 {
		return 0 // nothing but total losses has no spread, yet leaves no doubt
	}
	if c.effective < float64(n) && p > 0 && p < 1 {
		p = stats.NormalCDF(stats.NormalQuantile(p) * math.Sqrt(c.effective/float64(n)))
	}
	return p
}

func medianGap(record *copyrecord.Record) time.Duration {
	entries, _ := record.Entries()
	if len(entries) < 2 {
		return 0
	}
	times := make([]time.Time, len(entries))
	for i := range entries {
		times[i] = entries[i].At
	}
	slices.SortFunc(times, time.Time.Compare)
	gaps := make([]float64, len(times)-1)
	for i := range gaps {
		gaps[i] = times[i+1].Sub(times[i]).Seconds()
	}
	return time.Duration(stats.Median(gaps) * float64(time.Second))
}

// copyability measures how far the price had moved, in the middle, between the wallet's buy and the copier's, and what a copier's own
// purchase costs as a part of what it buys: usd/(reserve+usd), the constant-product rule, on the quote side of the token's deepest pool.
//
// What lay in the pool at the entry is not recorded. It is taken from what lies there now, moved with the square root of the price, as
// in a pool that nobody added to or took from. Tokens whose copy could not be sold are left out of the impact: their emptied pools tell
// nothing of the time of the entry.
func copyability(record *copyrecord.Record, dead map[copysimulation.Entry]bool, asOf time.Time) (runUp, impact float64) {
	fills := entryFills(record)
	var runUps, impacts []float64
	for i := range record.Book.Positions {
		p := &record.Book.Positions[i]
		if p.Buys == 0 || p.SameBlock || p.OpenedAt.Truncate(time.Hour).Equal(asOf.Truncate(time.Hour)) {
			continue
		}
		price, _ := record.Series[p.Token].EntryPrice(p.OpenedAt)
		if !(price > 0) {
			continue
		}
		if fill := fills[fillKey{p.EntryTx, p.Token}]; fill.quantity > 0 && fill.usd > 0 {
			runUps = append(runUps, price/(fill.usd/fill.quantity)-1)
		}
		pool, found := tradingrecord.DeepestPool(record.Pools[p.Token])
		if !found || !(pool.LiquidityUSD > 0) || dead[copysimulation.Entry{Token: p.Token, At: p.OpenedAt}] {
			continue
		}
		reserve := pool.LiquidityUSD / 2
		if pool.PriceUSD > 0 {
			reserve *= math.Sqrt(price / pool.PriceUSD)
		}
		impacts = append(impacts, copierUSD/(reserve+copierUSD))
	}
	return stats.Median(runUps), stats.Median(impacts)
}

type fillKey struct {
	transaction market.Hash
	token       chain.Address
}

type fill struct{ quantity, usd float64 }

// entryFills sums up the priced buys of each transaction and token.
func entryFills(record *copyrecord.Record) map[fillKey]fill {
	fills := make(map[fillKey]fill)
	for i := range record.Book.Ledger.Trades {
		t := &record.Book.Ledger.Trades[i]
		if t.Side != position.Buy || !t.Priced {
			continue
		}
		key := fillKey{t.Tx, t.Token}
		f := fills[key]
		fills[key] = fill{f.quantity + t.Quantity, f.usd + t.ValueUSD}
	}
	return fills
}
