// Command report measures how right the answers are, prints goal, measured value and verdict of every measure, and fails if
// one falls short.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/mirrorworthy/mirrorworthy/infra/accuracy"
)

// The numbers of simulated wallets for each cell of an operating table.
const (
	skillWallets = 4_000
	gradeWallets = 1_500
	launchDraws  = 40
	// trackRecords is the number of simulated track records for each cell.
	trackRecords = 300
)

func main() {
	data := flag.String("data", "", "a folder of real recorded inputs; without it only what needs none is measured")
	only := flag.String("only", "", "measure only what has this in its name")
	flag.Parse()
	if short := run(*data, *only); short > 0 {
		fmt.Fprintf(os.Stderr, "accuracy: %d measures fall short\n", short)
		os.Exit(1)
	}
}

// run prints every measure as it is done and returns how many fall short.
func run(data, only string) int {
	out := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', 0)
	short := 0
	for _, m := range measures(data) {
		if !strings.Contains(m.name, only) {
			continue
		}
		began := time.Now()
		rows, err := m.measure()
		if err != nil {
			rows = append(rows, accuracy.Row{Name: m.name, Goal: "measured", Measured: err.Error()})
		}
		for _, row := range rows {
			verdict := "ok"
			if !row.Pass {
				verdict = "SHORT"
				short++
			}
			fmt.Fprintf(out, "%s\t%s\t%s\t%s\n", verdict, row.Name, row.Goal, row.Measured)
		}
		_ = out.Flush()
		fmt.Fprintf(os.Stderr, "%s: %.1f s\n", m.name, time.Since(began).Seconds())
	}
	return short
}

type measure struct {
	name    string
	measure func() ([]accuracy.Row, error)
}

func measures(data string) []measure {
	plain := func(rows func() []accuracy.Row) func() ([]accuracy.Row, error) {
		return func() ([]accuracy.Row, error) { return rows(), nil }
	}
	one := func(row func() (accuracy.Row, error)) func() ([]accuracy.Row, error) {
		return func() ([]accuracy.Row, error) {
			r, err := row()
			return []accuracy.Row{r}, err
		}
	}
	all := []measure{
		{"signal safety", plain(accuracy.SignalSafety)},
		{"statistics", func() ([]accuracy.Row, error) { return accuracy.StatisticsGolden(data) }},
		{"intervals", plain(accuracy.IntervalCoverage)},
		{"skill verdict", plain(func() []accuracy.Row { return accuracy.SkillVerdict(skillWallets) })},
		{"trader grades", plain(func() []accuracy.Row { return accuracy.TraderGrades(gradeWallets) })},
		{"prediction luck", plain(func() []accuracy.Row { return accuracy.PredictionLuck(skillWallets) })},
		{"wash economy", plain(accuracy.WashEconomy)},
		{"discovery", func() ([]accuracy.Row, error) { return accuracy.Discovery(launchDraws) }},
		{"track record", func() ([]accuracy.Row, error) { return accuracy.TrackRecord(trackRecords) }},
		{"sample market", accuracy.SampleLabels},
		{"sample tokens", func() ([]accuracy.Row, error) { return accuracy.SampleTokens(accuracy.TokenSeed) }},
		{"sample perps", func() ([]accuracy.Row, error) { return accuracy.SamplePerps(accuracy.VenueSeed) }},
		{"sample predictions", func() ([]accuracy.Row, error) { return accuracy.SamplePredictions(accuracy.VenueSeed) }},
		{"sample portfolios", func() ([]accuracy.Row, error) { return accuracy.SamplePortfolios(accuracy.VenueSeed) }},
		{"sample leaders", func() ([]accuracy.Row, error) { return accuracy.SampleLeaders(accuracy.VenueSeed) }},
		{"code classes", accuracy.BytecodeClasses},
		{"liquidation", func() ([]accuracy.Row, error) { return accuracy.Liquidation(data) }},
		{"determinism", one(accuracy.Determinism)},
		{"as-of purity", one(accuracy.Purity)},
	}
	if data != "" {
		all = append(all,
			measure{"recorded receipts", func() ([]accuracy.Row, error) { return accuracy.Receipts(data) }},
			measure{"recorded trades", func() ([]accuracy.Row, error) { return accuracy.RealTrades(data) }},
			measure{"prediction accounts", func() ([]accuracy.Row, error) { return accuracy.PredictionAccounts(data) }},
			measure{"recorded perpetuals", func() ([]accuracy.Row, error) { return accuracy.PerpAccounting(data) }},
			measure{"venue replays of perps", func() ([]accuracy.Row, error) { return accuracy.RecordedPerps(data) }},
			measure{"venue replays of predictions", func() ([]accuracy.Row, error) { return accuracy.RecordedPredictions(data) }},
			measure{"opcodes", func() ([]accuracy.Row, error) { return accuracy.Opcodes(data) }},
			measure{"rug scorecard", func() ([]accuracy.Row, error) { return accuracy.Scorecard(data) }},
			measure{"delayed copier", one(func() (accuracy.Row, error) { return accuracy.CopyBase(data) })},
			measure{"inflection", func() ([]accuracy.Row, error) { return accuracy.Inflection(data) }},
		)
	}
	return all
}
