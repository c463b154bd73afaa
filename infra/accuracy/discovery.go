package accuracy

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/discovery"
	"github.com/mirrorworthy/mirrorworthy/shared/stats"
)

// What is simulated of a chain's launches: the bars are for 20,000 wallets without skill beside 50 that hit three times as often.
const (
	launchWeeks    = 24
	launchesAWeek  = 250
	nullWallets    = 20_000
	skilledWallets = 50
	skillMultiple  = 3
)

// launchWorld is a population of launches and early buyers.
type launchWorld struct {
	name string
	// base is the share of launches that rise; the skilled wallets are there or not.
	base    float64
	skilled bool
	// crowd is how much likelier an unskilled wallet picks a launch that rises: rises draw a crowd.
	crowd float64
}

// found counts what a search names in a draw, before and after confirmation on newer launches.
type found struct{ null, skilled, confirmedNull, confirmedSkilled int }

// Discovery measures how many of the wallets that a search over launches names have no skill, and how many of the skilled it names.
func Discovery(draws int) ([]Row, error) {
	var rows []Row
	for _, w := range []launchWorld{
		{name: "base 12.5 %", base: 0.125, skilled: true},
		{name: "base 18.5 %", base: 0.185, skilled: true},
		{name: "base 25 %", base: 0.25, skilled: true},
		{name: "rises draw crowds", base: 0.185, skilled: true, crowd: 2},
		{name: "nobody skilled", base: 0.185},
		{name: "nobody skilled, crowds", base: 0.185, crowd: 2},
	} {
		results := make([]found, draws)
		var group errgroup.Group
		group.SetLimit(runtime.GOMAXPROCS(0))
		for i := range results {
			group.Go(func() error {
				results[i] = w.draw(rand.New(rand.NewPCG(stats.Seed([]byte(w.name)), uint64(i))))
				return nil
			})
		}
		if err := group.Wait(); err != nil {
			return nil, err
		}
		rows = append(rows, w.rows(results)...)
	}
	return rows, nil
}

// powerBase is the share of rises from which on power is promised: the middle of what two cohorts of real launches showed.
const powerBase = 0.185

func (w launchWorld) rows(results []found) []Row {
	rate := func(of func(found) (int, int)) (mean, deviation float64) {
		shares := make([]float64, len(results))
		for i, r := range results {
			if part, all := of(r); all > 0 {
				shares[i] = float64(part) / float64(all)
			}
		}
		m := stats.Describe(shares)
		return m.Mean, m.SD / math.Sqrt(float64(len(results)))
	}
	var rows []Row
	fdr := func(name string, of func(found) (int, int)) {
		mean, deviation := rate(of)
		rows = append(rows, Row{
			Name: "discovery: " + w.name + ", " + name, Goal: "wrongly named <= 5 %",
			Measured: fmt.Sprintf("%.2f %% +- %.2f of %d draws", 100*mean, 100*deviation, len(results)), Pass: mean <= 0.05,
		})
	}
	power := func(name string, of func(found) int) {
		mean, deviation := rate(func(f found) (int, int) { return of(f), skilledWallets })
		row := Row{
			Name: "discovery: " + w.name + ", " + name, Goal: "skilled found >= 70 %",
			Measured: fmt.Sprintf("%.1f %% +- %.1f", 100*mean, 100*deviation), Pass: mean >= 0.70,
		}
		if w.base < powerBase || w.crowd > 0 { // among a crowd three times the base is less than twice what others hit
			row.Goal, row.Pass = "reported", true
		}
		rows = append(rows, row)
	}
	fdr("found", func(f found) (int, int) { return f.null, f.null + f.skilled })
	fdr("confirmed", func(f found) (int, int) { return f.confirmedNull, f.confirmedNull + f.confirmedSkilled })
	if w.skilled {
		power("found", func(f found) int { return f.skilled })
		power("confirmed", func(f found) int { return f.confirmedSkilled })
	}
	return rows
}

func launchWallet(i int) chain.Address {
	var a chain.Address
	binary.BigEndian.PutUint32(a[16:], uint32(i+1))
	return a
}

// simulatedLaunch is a launch with the truth about it.
type simulatedLaunch struct {
	discovery.Launch
	stratum int
	chance  float64
}

// launches draws the launches of a half of the window. Weeks differ, and pools with more liquidity rise less often.
func (w launchWorld) launches(random *rand.Rand, begin time.Time) []simulatedLaunch {
	base := math.Log(w.base / (1 - w.base))
	var all []simulatedLaunch
	for week := range launchWeeks / 2 {
		effect := 0.4 * random.NormFloat64()
		for range launchesAWeek {
			third := random.IntN(3)
			chance := 1 / (1 + math.Exp(-(base + effect - 0.5*float64(third-1))))
			l := simulatedLaunch{stratum: 3*week + third, chance: chance}
			binary.BigEndian.PutUint64(l.Token[:], random.Uint64())
			l.At = begin.Add(time.Duration(week)*7*24*time.Hour + time.Duration(random.Int64N(int64(7*24*time.Hour))))
			l.LiquidityUSD = 5_000 * math.Exp(float64(third)+random.Float64())
			l.Rose = random.Float64() < chance
			all = append(all, l)
		}
	}
	return all
}

// draw simulates a window and searches it. Each wallet is early in as many launches of either half, on average.
func (w launchWorld) draw(random *rand.Rand) found {
	begin := newYear()
	end := begin.Add(launchWeeks * 7 * 24 * time.Hour)
	var launches []discovery.Launch
	counts := make([]int, nullWallets)
	for i := range counts {
		counts[i] = min(300, 3+int(math.Exp(math.Log(3)+random.NormFloat64())))
	}
	for half := range 2 {
		all := w.launches(random, begin.Add(time.Duration(half)*end.Sub(begin)/2))
		w.unskilled(random, all, counts)
		if w.skilled {
			withSkill(random, all)
		}
		for _, l := range all {
			launches = append(launches, l.Launch)
		}
	}
	search := discovery.Run(launches, begin, end)
	var f found
	for _, finding := range search.Found() {
		skilled := int(binary.BigEndian.Uint32(finding.Wallet[16:]))-1 >= nullWallets
		switch {
		case skilled:
			f.skilled++
		default:
			f.null++
		}
		switch {
		case !finding.Confirmed:
		case skilled:
			f.confirmedSkilled++
		default:
			f.confirmedNull++
		}
	}
	return f
}

// unskilled lets the wallets without skill buy: most anywhere, some in a few strata only, some in herds of twenty that buy much the
// same launches.
func (w launchWorld) unskilled(random *rand.Rand, all []simulatedLaunch, counts []int) {
	byStratum := make(map[int][]int)
	for i, l := range all {
		byStratum[l.stratum] = append(byStratum[l.stratum], i)
	}
	pick := func(from []int) int {
		for {
			i := random.IntN(len(all))
			if from != nil {
				i = from[random.IntN(len(from))]
			}
			if w.crowd == 0 || all[i].Rose || random.Float64() < 1/w.crowd {
				return i
			}
		}
	}
	var herd []int
	for wallet, n := range counts {
		switch kind := wallet % 10; {
		case wallet%200 == 0:
			herd = nil
			for range n + 20 {
				herd = append(herd, pick(nil))
			}
			fallthrough
		case wallet%200 < 20:
			for range n {
				i := herd[random.IntN(len(herd))]
				if random.Float64() < 0.2 {
					i = pick(nil)
				}
				all[i].Early = append(all[i].Early, launchWallet(wallet))
			}
		case kind < 2:
			strata := byStratum[random.IntN(3*launchWeeks/2)]
			for range n {
				i := pick(strata)
				all[i].Early = append(all[i].Early, launchWallet(wallet))
			}
		default:
			for range n {
				i := pick(nil)
				all[i].Early = append(all[i].Early, launchWallet(wallet))
			}
		}
	}
}

// withSkill lets the skilled wallets buy 20 to 40 launches each, of which three times as many rise as by chance.
func withSkill(random *rand.Rand, all []simulatedLaunch) {
	outcomes := make(map[int][2][]int)
	for i, l := range all {
		lists := outcomes[l.stratum]
		if l.Rose {
			lists[1] = append(lists[1], i)
		} else {
			lists[0] = append(lists[0], i)
		}
		outcomes[l.stratum] = lists
	}
	for wallet := nullWallets; wallet < nullWallets+skilledWallets; wallet++ {
		bought := make(map[int]bool)
		for n := 20 + random.IntN(21); len(bought) < n; {
			like := &all[random.IntN(len(all))]
			from := outcomes[like.stratum][0]
			if random.Float64() < skillMultiple*like.chance {
				from = outcomes[like.stratum][1]
			}
			if len(from) == 0 {
				continue
			}
			i := from[random.IntN(len(from))]
			if !bought[i] {
				bought[i] = true
				all[i].Early = append(all[i].Early, launchWallet(wallet))
			}
		}
	}
}
