package accuracy

import (
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/copysimulation"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/priceaction"
	"github.com/mirrorworthy/mirrorworthy/shared/stats"
)

// poolBars are the recorded hourly bars of dir/dex/univ2_hourly_bars.csv.gz by pool, each in time order, pools sorted by name.
func poolBars(dir string) ([][]market.Candle, error) {
	f, err := os.Open(filepath.Join(dir, "dex", "univ2_hourly_bars.csv.gz"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	unpacked, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	rows, err := csv.NewReader(unpacked).ReadAll()
	if err != nil {
		return nil, err
	}
	byPool := map[string][]market.Candle{}
	for i, row := range rows[min(1, len(rows)):] {
		var x [6]float64 // hour, open, high, low, close, volume
		for k := range x {
			if x[k], err = strconv.ParseFloat(row[k+1], 64); err != nil {
				return nil, fmt.Errorf("bar %d: %w", i+1, err)
			}
		}
		byPool[row[0]] = append(byPool[row[0]], market.Candle{Time: time.Unix(int64(x[0])*3600, 0).UTC(), Open: x[1], High: x[2], Low: x[3], Close: x[4], VolumeUSD: x[5]})
	}
	names := make([]string, 0, len(byPool))
	for name := range byPool {
		names = append(names, name)
	}
	slices.Sort(names)
	pools := make([][]market.Candle, len(names))
	for i, name := range names {
		pools[i] = byPool[name]
		slices.SortFunc(pools[i], func(a, b market.Candle) int { return a.Time.Compare(b.Time) })
	}
	return pools, nil
}

// CopyBase measures what a delayed copier of every recorded hour would have made: 24.5 % wins and a median of -16.8 % over the whole
// set of pools, 24.1 % and -17.3 % over the half of it.
func CopyBase(dir string) (Row, error) {
	row := Row{Name: "delayed copier of every recorded hour", Goal: "win 0.245 +- 0.005 and median -0.168 +- 0.005 of all pools, or 0.241 and -0.173 of half"}
	pools, err := poolBars(dir)
	if err != nil {
		return row, err
	}
	var nets []float64
	wins := 0
	for _, hours := range pools {
		// Horizons that the recording does not reach count as elapsed: nothing traded in them.
		asOf := hours[len(hours)-1].Time.Add(copysimulation.Horizon + 72*time.Hour)
		series := map[chain.Address]*copysimulation.Series{{}: copysimulation.NewSeries(hours, asOf)}
		entries := make([]copysimulation.Entry, len(hours))
		for i, c := range hours {
			entries[i].At = c.Time
		}
		r := copysimulation.Run(entries, series, map[chain.Address]copysimulation.Terms{{}: {SellTax: math.NaN(), QuoteUSD: math.NaN()}}, asOf)
		for i := range r.Trades {
			if net := r.Trades[i].Net; !math.IsNaN(net) {
				nets = append(nets, net)
				if net > 0 {
					wins++
				}
			}
		}
	}
	win, median := float64(wins)/float64(len(nets)), stats.Median(nets)
	near := func(w, m float64) bool { return math.Abs(win-w) <= 0.005 && math.Abs(median-m) <= 0.005 }
	row.Measured = fmt.Sprintf("win %.4f, median %.4f over %d entries in %d pools", win, median, len(nets), len(pools))
	row.Pass = near(0.245, -0.168) || near(0.241, -0.173)
	return row, nil
}

// Inflection measures the calibration of the published probability of a large move on the newest three tenths of recorded observations,
// and how much more often such a move follows the tightest ranges than any.
func Inflection(dir string) ([]Row, error) {
	row := Row{Name: "probability of a large move, newer observations", Goal: "calibration error <= 0.05, Brier skill > 0"}
	pools, err := poolBars(dir)
	if err != nil {
		return nil, err
	}
	type observation struct {
		at       time.Time
		forecast float64
		moved    bool
	}
	byPool := make([]poolMoves, len(pools))
	var all []observation
	for i, hours := range pools {
		t := &byPool[i]
		for _, o := range priceaction.Observe(hours) {
			all = append(all, observation{o.At, o.Probability, o.Moved})
			t.count(o.Moved, o.State == priceaction.Coiled)
		}
	}
	slices.SortStableFunc(all, func(a, b observation) int { return a.at.Compare(b.at) })
	newer := all[len(all)*7/10:]
	forecasts, outcomes := make([]float64, len(newer)), make([]bool, len(newer))
	for i, o := range newer {
		forecasts[i], outcomes[i] = o.forecast, o.moved
	}
	calibration, skill := stats.ExpectedCalibrationError(stats.Calibration(forecasts, outcomes, 10)), stats.BrierSkill(forecasts, outcomes)
	row.Measured = fmt.Sprintf("error %.4f, skill %.4f over %d of %d observations", calibration, skill, len(newer), len(all))
	row.Pass = calibration <= 0.05 && skill > 0
	var sum poolMoves
	for _, t := range byPool {
		sum.add(t)
	}
	base, coiled := float64(sum.moves)/float64(sum.all), float64(sum.tightMoves)/float64(sum.tight)
	low, high := liftInterval(byPool, 2000, rand.New(rand.NewPCG(1, 14)))
	published := make([]poolMoves, len(pools))
	for i, hours := range pools {
		published[i] = publishedMoves(hours)
	}
	return []Row{row, publishedRow(published), {
		Name: "large moves after the tightest ranges, as the answer reads them", Goal: "lift above 1 at 95 %",
		Measured: fmt.Sprintf("%.3f of %d against %.3f of %d, lift %.2f (%.2f to %.2f, by pool)", coiled, sum.tight, base, sum.all, coiled/base, low, high),
		Pass:     low > 1,
	}}, nil
}

// poolMoves counts one pool's observations and those that large moves followed, of any range and of the tightest.
type poolMoves struct{ all, moves, tight, tightMoves int }

func (t *poolMoves) count(large, tight bool) {
	t.all++
	if tight {
		t.tight++
	}
	if large {
		t.moves++
		if tight {
			t.tightMoves++
		}
	}
}

func (t *poolMoves) add(o poolMoves) {
	t.all += o.all
	t.moves += o.moves
	t.tight += o.tight
	t.tightMoves += o.tightMoves
}

// liftInterval is the 95 % interval, from a bootstrap over pools, of the rate of large moves after the tightest ranges over that after any.
// Observations of one pool overlap in time, so that only pools count as independent.
func liftInterval(pools []poolMoves, rounds int, random *rand.Rand) (low, high float64) {
	lifts := make([]float64, 0, rounds)
	for range rounds {
		var sum poolMoves
		for range pools {
			sum.add(pools[random.IntN(len(pools))])
		}
		if sum.tight > 0 && sum.moves > 0 {
			lifts = append(lifts, float64(sum.tightMoves)*float64(sum.all)/(float64(sum.tight)*float64(sum.moves)))
		}
	}
	slices.Sort(lifts)
	return stats.Quantile(lifts, 0.025), stats.Quantile(lifts, 0.975)
}
