package accuracy

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/stats"
	"github.com/mirrorworthy/mirrorworthy/shared/trader"
)

// population is a kind of trader whose true mean return per trade is known.
type population struct {
	name string
	// edge is the true mean return: 0 is a fair game.
	edge float64
	draw func(random *rand.Rand, edge float64) float64
	// repeated gives wallets unequal stakes, and tokens they come back to, whose results resemble each other.
	repeated bool
}

// lognormal has mean 1+edge.
func lognormal(sigma, z, edge float64) float64 {
	return math.Exp(sigma*z-sigma*sigma/2)*(1+edge) - 1
}

func swing(random *rand.Rand, edge float64) float64 {
	return lognormal(0.25, random.NormFloat64(), edge)
}

func meme(random *rand.Rand, edge float64) float64 { return lognormal(1, random.NormFloat64(), edge) }

// degen loses everything in 15 of 100 trades.
func degen(random *rand.Rand, edge float64) float64 {
	if random.Float64() < 0.15 {
		return -1
	}
	return lognormal(1.4, random.NormFloat64(), (1+edge)/0.85-1)
}

// hider wins a little nearly always, and rarely loses nearly everything.
func hider(win, loss, chance float64) func(*rand.Rand, float64) float64 {
	return func(random *rand.Rand, edge float64) float64 {
		if random.Float64() < chance {
			return -loss + edge
		}
		return win + edge
	}
}

func fairPopulations() []population {
	return []population{
		{name: "swing", draw: swing},
		{name: "meme", draw: meme},
		{name: "degen", draw: degen},
		{name: "neg90", draw: hider(0.10, 0.90, 0.10)},
		{name: "neg97", draw: hider(0.03, 0.97, 0.03)},
		{name: "unequal", repeated: true},
	}
}

// newYear is when all simulated records begin.
func newYear() time.Time { return time.Date(2025, 1, 6, 0, 0, 0, 0, time.UTC) }

// record simulates a wallet with n trades, three a week, all matched and recent.
func (p population) record(n int, random *rand.Rand) trader.Evidence {
	results := make([]trader.Result, n)
	shocks := make(map[uint64]float64)
	for i := range results {
		r := trader.Result{CostUSD: 100, Cluster: uint64(i)}
		if p.repeated {
			r.CostUSD = 100 * math.Exp(1.2*random.NormFloat64())
			r.Cluster = uint64(random.IntN(max(2, n/2)))
			shock, known := shocks[r.Cluster]
			if !known {
				shock = random.NormFloat64()
				shocks[r.Cluster] = shock
			}
			r.Return = lognormal(1, math.Sqrt(0.3)*shock+math.Sqrt(0.7)*random.NormFloat64(), p.edge)
		} else {
			r.Return = p.draw(random, p.edge)
		}
		r.PnLUSD = r.Return * r.CostUSD
		r.ClosedAt = newYear().AddDate(0, 0, 7*(i/3)+i%3)
		r.OpenedAt = r.ClosedAt.Add(-time.Hour)
		r.Holding = time.Hour
		results[i] = r
	}
	return trader.Evidence{
		Results: results, MatchedShare: 1, Seed: random.Uint64(), AsOf: results[n-1].ClosedAt.Add(time.Hour),
	}
}

// shares simulates wallets with random numbers of their own, side by side, and returns how large a part of them got each label.
func shares(wallets int, seed uint64, label func(random *rand.Rand) []string) map[string]float64 {
	result := make(map[string]float64)
	for name, count := range tally(wallets, func(wallet int) []string {
		return label(rand.New(rand.NewPCG(seed, uint64(wallet))))
	}) {
		result[name] = float64(count) / float64(wallets)
	}
	return result
}

// tally counts labels over numbered wallets, on all cores. The counts do not depend on how many there are.
func tally(wallets int, label func(wallet int) []string) map[string]int {
	counts := make(map[string]int)
	var mu sync.Mutex
	var group sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for worker := range workers {
		group.Go(func() {
			own := make(map[string]int)
			for wallet := worker; wallet < wallets; wallet += workers {
				for _, name := range label(wallet) {
					own[name]++
				}
			}
			mu.Lock()
			defer mu.Unlock()
			for name, count := range own {
				counts[name] += count
			}
		})
	}
	group.Wait()
	return counts
}

func cellSeed(name string, n int) uint64 {
	return stats.Seed([]byte(name), []byte{byte(n), byte(n >> 8)})
}

// skilled measures how often PSR* alone speaks for skill, and how often the whole verdict does.
func (p population) skilled(wallets, n int) (evidence, verdict float64) {
	labels := shares(wallets, cellSeed("skill "+p.name+fmt.Sprint(p.edge), n), func(random *rand.Rand) []string {
		e := p.record(n, random)
		m := trader.Measure(e)
		labels := []string{trader.JudgeQuality(e, m, nil).Verdict}
		if m.PSRStar >= 0.95 {
			labels = append(labels, "evidence")
		}
		return labels
	})
	return labels["evidence"], labels[trader.Skill]
}

// SkillVerdict measures how often the verdict skill falls on fair traders, and how often it finds skilled ones. Fair traders must
// pass at most 5 % of the time, but for sampling: 0.7 points with 4,000 wallets a cell. The power to reach, less 3 points, is that of PSR* at 95 %, of
// which the verdict's further conditions, above all that no single trade makes half of all gains, take something on short
// records: the verdict's own power stands beside it.
func SkillVerdict(wallets int) []Row {
	sampling := 1.96 * math.Sqrt(0.05*0.95/float64(wallets))
	var rows []Row
	for _, p := range fairPopulations() {
		for _, n := range []int{5, 10, 20, 50, 100, 200} {
			evidence, verdict := p.skilled(wallets, n)
			rows = append(rows, Row{
				Name:     fmt.Sprintf("skill verdict on fair %s traders, n=%d", p.name, n),
				Goal:     fmt.Sprintf("<= 0.05, sampling +- %.4f", sampling),
				Measured: fmt.Sprintf("%.4f (PSR* alone %.4f)", verdict, evidence), Pass: verdict <= 0.05+sampling,
			})
		}
	}
	power := []struct {
		population
		goals map[int]float64
	}{
		{population{name: "swing", edge: 0.1, draw: swing}, map[int]float64{10: 0, 20: 0.013, 50: 0.497, 100: 0.944}},
		{population{name: "meme", edge: 0.5, draw: meme}, map[int]float64{10: 0.162, 20: 0.398, 50: 0.787, 100: 0.965}},
		{population{name: "degen", edge: 1, draw: degen}, map[int]float64{10: 0.210, 20: 0.437, 50: 0.794, 100: 0.959}},
	}
	for _, p := range power {
		for _, n := range []int{10, 20, 50, 100} {
			evidence, verdict := p.skilled(wallets, n)
			goal := max(0, p.goals[n]-0.03)
			rows = append(rows, Row{
				Name:     fmt.Sprintf("evidence of skill of %s traders with %+.0f%% a trade, n=%d", p.name, 100*p.edge, n),
				Goal:     fmt.Sprintf("PSR* power >= %.3f", goal),
				Measured: fmt.Sprintf("%.3f (whole verdict %.3f)", evidence, verdict), Pass: evidence >= goal,
			})
		}
	}
	return rows
}
