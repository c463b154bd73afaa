package accuracy

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/mirrorworthy/mirrorworthy/shared/stats"
	"github.com/mirrorworthy/mirrorworthy/shared/stats/golden"
)

// What a golden number may be off by.
const (
	statisticsTolerance = 1e-9
	indicatorTolerance  = 1e-8
)

// StatisticsGolden measures the statistics and indicators against recorded answers of other implementations, and the Sharpe-ratio
// methods against their authors' printed examples. The recorded answers are dir/golden/golden.json and dir/golden/ta_golden.csv;
// without a dir, the project's own.
func StatisticsGolden(dir string) ([]Row, error) {
	statistics, indicators := golden.OwnStatistics(), golden.OwnIndicators()
	if dir != "" {
		var err error
		if statistics, err = os.ReadFile(filepath.Join(dir, "golden", "golden.json")); err != nil {
			return nil, err
		}
		if indicators, err = os.ReadFile(filepath.Join(dir, "golden", "ta_golden.csv")); err != nil {
			return nil, err
		}
	}
	sections, err := golden.Statistics(statistics)
	if err != nil {
		return nil, err
	}
	columns, err := golden.Indicators(bytes.NewReader(indicators))
	if err != nil {
		return nil, err
	}
	return []Row{
		goldenRow("statistics against golden numbers", "section", sections, statisticsTolerance),
		goldenRow("indicators against golden bars", "column", columns, indicatorTolerance),
		printedExamples(),
	}, nil
}

func goldenRow(name, part string, sections []golden.Section, tolerance float64) Row {
	compared, worst := 0, golden.Section{}
	for _, s := range sections {
		compared += s.Compared
		if s.Worst >= worst.Worst {
			worst = s
		}
	}
	return Row{
		Name:     name,
		Goal:     fmt.Sprintf("all within %g", tolerance),
		Measured: fmt.Sprintf("%d numbers in %d %ss, worst %.2g (%s)", compared, len(sections), part, worst.Worst, worst.Name),
		Pass:     worst.Worst <= tolerance,
	}
}

// printedExamples reproduces the examples of Bailey & Lopez de Prado (2012, 2014) to the digits they print. Years are monthly
// observations over twelve.
func printedExamples() Row {
	monthly := func(sharpe, skew, kurtosis float64) stats.Moments {
		return stats.Moments{N: 24, Mean: sharpe, SD: 1, Skew: skew, Kurtosis: kurtosis}
	}
	_, deflated := stats.DeflatedSharpe(
		stats.Moments{N: 1250, Mean: 2.5 / math.Sqrt(250), SD: 1, Skew: -3, Kurtosis: 10}, 100, 0.5/250)
	row := Row{Name: "published examples of PSR, MinTRL and DSR", Goal: "every printed digit", Pass: true}
	for _, e := range []struct {
		name, printed, format string
		got                   float64
	}{
		{"PSR normal", "0.982", "%.3f", stats.ProbabilisticSharpe(monthly(0.458, 0, 3), 0)},
		{"PSR skewed", "0.913", "%.3f", stats.ProbabilisticSharpe(monthly(0.458, -2.448, 10.164), 0)},
		{"MinTRL", "0.7152", "%.4f", stats.MinimumTrackRecord(0.7079, -0.2250, 2.9570, 0.95) / 12},
		{"MinTRL skewed", "1.1593", "%.4f", stats.MinimumTrackRecord(0.8183, -1.4455, 7.0497, 0.95) / 12},
		{"DSR", "0.9004", "%.4f", deflated},
	} {
		got := fmt.Sprintf(e.format, e.got)
		if row.Measured != "" {
			row.Measured += ", "
		}
		row.Measured += e.name + " " + got
		row.Pass = row.Pass && got == e.printed
	}
	return row
}

// The band that the coverage of a nominal 95 % interval must keep. Fewer than twenty skewed values cannot hold it by any method that
// does not know their law, so that they have a wider one.
const (
	nominalCoverage           = 0.95
	coverageLow, coverageHigh = 0.93, 0.97
	smallSample               = 20
	smallLow, smallHigh       = 0.92, 0.99

	coverageTrials        = 4000
	coverageRounds        = 399
	coverageSeed   uint64 = 16
)

// IntervalCoverage measures how often nominal 95 % intervals hold the truth, in simulations with fixed seeds. It takes seconds.
func IntervalCoverage() []Row { return intervalCoverage(coverageTrials, 0) }

// intervalCoverage widens the bands by slack, for the noise of fewer trials.
func intervalCoverage(trials int, slack float64) []Row {
	rows := []Row{wilsonCoverage()}
	for _, population := range []struct {
		name string
		draw func(*rand.Rand) float64
	}{
		{"normal", func(r *rand.Rand) float64 { return r.NormFloat64() }},
		{"swing trader", func(r *rand.Rand) float64 { return swing(r, 0) }},
		{"memecoin lottery", func(r *rand.Rand) float64 { return meme(r, 0) }},
	} {
		rows = append(rows, boundCoverage(population.name, population.draw, trials, slack))
	}
	return append(rows, clusterCoverage(trials, slack))
}

// wilsonCoverage judges the mean over true rates, since the coverage of any interval of a count jumps about its level from rate to
// rate. It is summed over all outcomes rather than simulated.
func wilsonCoverage() Row {
	row := Row{Name: "coverage of the Wilson interval, nominal 95 %", Goal: "93 % to 97 %, mean over rates 0.05 to 0.95", Pass: true}
	z := stats.NormalQuantile((1 + nominalCoverage) / 2)
	for _, n := range []int{5, 10, 20, 50, 100, 500} {
		sum, worst, rates := 0.0, 1.0, 0
		for rate := 0.05; rate < 0.951; rate += 0.01 {
			held := 0.0
			for k := range n + 1 {
				if low, high := stats.Wilson(k, n, z); low <= rate && rate <= high {
					held += stats.BinomialTail(k, n, rate) - stats.BinomialTail(k+1, n, rate)
				}
			}
			sum, worst, rates = sum+held, min(worst, held), rates+1
		}
		addCoverage(&row, fmt.Sprintf("n=%d", n), sum/float64(rates), coverageLow, coverageHigh)
		row.Measured += fmt.Sprintf(" (single rates from %.1f %%)", 100*worst)
	}
	return row
}

// addCoverage reports one coverage and fails the row when it is outside the band.
func addCoverage(r *Row, label string, coverage, low, high float64) {
	if r.Measured != "" {
		r.Measured += ", "
	}
	r.Measured += fmt.Sprintf("%s %.1f %%", label, 100*coverage)
	r.Pass = r.Pass && coverage >= low && coverage <= high
}

// addBand is addCoverage with the band that belongs to the size.
func addBand(r *Row, label string, size int, coverage, slack float64) {
	low, high := coverageLow, coverageHigh
	if size < smallSample {
		low, high = smallLow, smallHigh
	}
	addCoverage(r, fmt.Sprintf(label, size), coverage, low-slack, high+slack)
}

const coverageGoal = "93 % to 97 % from size 20 on, 92 % to 99 % below"

// boundCoverage judges the one-sided bound of the mean of populations whose true mean is 0.
func boundCoverage(name string, draw func(*rand.Rand) float64, trials int, slack float64) Row {
	row := Row{Name: "coverage of the bootstrap-t lower bound, nominal 95 %: " + name, Goal: coverageGoal, Pass: true}
	for _, n := range []int{10, 20, 50, 100, 200, 500} {
		random := rand.New(rand.NewPCG(coverageSeed, uint64(n)))
		x := make([]float64, n)
		held := 0
		for trial := range trials {
			for i := range x {
				x[i] = draw(random)
			}
			if stats.BootstrapTLowerBound(x, nominalCoverage, coverageRounds, uint64(trial)) <= 0 {
				held++
			}
		}
		addBand(&row, "n=%d", n, float64(held)/float64(trials), slack)
	}
	return row
}

// clusterCoverage judges the two-sided interval of the mean of values that share half of their variance within a cluster.
func clusterCoverage(trials int, slack float64) Row {
	row := Row{Name: "coverage of the cluster bootstrap, nominal 95 %", Goal: coverageGoal, Pass: true}
	for _, clusters := range []int{10, 20, 50} {
		random := rand.New(rand.NewPCG(coverageSeed, uint64(1000+clusters)))
		held := 0
		var values []float64
		var names []int
		for trial := range trials {
			values, names = values[:0], names[:0]
			for c := range clusters {
				shared := random.ExpFloat64() - 1
				for range 1 + random.IntN(8) {
					values, names = append(values, shared+random.NormFloat64()), append(names, c)
				}
			}
			if low, high := stats.ClusterBootstrapMean(values, names, nominalCoverage, coverageRounds, uint64(trial)); low <= 0 && 0 <= high {
				held++
			}
		}
		addBand(&row, "%d clusters", clusters, float64(held)/float64(trials), slack)
	}
	return row
}
