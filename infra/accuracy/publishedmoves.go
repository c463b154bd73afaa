package accuracy

import (
	"fmt"
	"math"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/stats"
)

// What the published table of large moves after tight ranges counts, as far as its figures tell: bars of four hours, hours without a
// trade filled with the last price, from the 120th bar on, every third one. A bar counts when it traded, and at least eight of the
// last 24 hours did. The width of its Bollinger bands stands among its last 90; large is a move, up or down within six bars, of three
// simple average ranges.
const (
	publishedStep     = 4 * time.Hour
	publishedFrom     = 120
	publishedEvery    = 3
	publishedWindow   = 90
	publishedHorizon  = 6
	publishedActive   = 8
	publishedTightest = 0.05
	publishedLarge    = 3
)

// publishedRates are those of the table, of 343 pools, and its tolerance.
const (
	publishedBase, publishedTight, publishedTolerance = 0.325, 0.473, 0.01
)

// publishedMoves counts one pool's observations by that definition.
func publishedMoves(hours []market.Candle) poolMoves {
	var moves poolMoves
	bars, traded := filledBars(hours)
	if len(bars) < publishedFrom {
		return moves
	}
	closes := stats.Closes(bars)
	lower, middle, upper := stats.BollingerBands(closes, 20, 2)
	ranges := stats.SMA(stats.TrueRange(bars), 14)
	for i := publishedFrom - 1; i+publishedHorizon < len(bars); i += publishedEvery {
		active := 0
		for _, n := range traded[i-5 : i+1] {
			active += n
		}
		if traded[i] == 0 || active < publishedActive || !(ranges[i] > 0) {
			continue
		}
		width := func(k int) float64 { return (upper[k] - lower[k]) / middle[k] }
		rank := 0
		for k := i - publishedWindow + 1; k <= i; k++ {
			if width(k) <= width(i) {
				rank++
			}
		}
		excursion := 0.0
		for _, b := range bars[i+1 : i+1+publishedHorizon] {
			excursion = max(excursion, b.High-closes[i], closes[i]-b.Low)
		}
		large := excursion >= publishedLarge*ranges[i]
		moves.count(large, float64(rank)/publishedWindow <= publishedTightest)
	}
	return moves
}

// filledBars are a pool's four-hour bars from its first trade to its last, and how many hours of each traded.
func filledBars(hours []market.Candle) (bars []stats.Bar, traded []int) {
	if len(hours) == 0 {
		return nil, nil
	}
	first := hours[0].Time.Truncate(publishedStep)
	for _, c := range hours {
		k := int(c.Time.Sub(first) / publishedStep)
		for len(bars) < k {
			last := bars[len(bars)-1].Close
			bars, traded = append(bars, stats.Bar{Open: last, High: last, Low: last, Close: last}), append(traded, 0)
		}
		if len(bars) == k {
			bars, traded = append(bars, stats.Bar{Open: c.Open, High: c.High, Low: c.Low, Close: c.Close}), append(traded, 1)
			continue
		}
		b := &bars[k]
		b.High, b.Low, b.Close = max(b.High, c.High), min(b.Low, c.Low), c.Close
		traded[k]++
	}
	return bars, traded
}

// publishedRow compares the rates with the table's. They are of half of its pools: the tolerance grows by what pools of this number
// can differ by chance.
func publishedRow(pools []poolMoves) Row {
	var sum poolMoves
	for _, t := range pools {
		sum.add(t)
	}
	base, tight := float64(sum.moves)/float64(sum.all), float64(sum.tightMoves)/float64(sum.tight)
	// Observations of a pool overlap: the tight ones count as a third of their number.
	chance := 1.96 * math.Sqrt(publishedTight*(1-publishedTight)/(float64(sum.tight)/3))
	return Row{
		Name:     "large moves after the tightest ranges, by the published definition",
		Goal:     fmt.Sprintf("%.3f against %.3f, +- %.2f and sampling error", publishedTight, publishedBase, publishedTolerance),
		Measured: fmt.Sprintf("%.3f of %d against %.3f of %d; what the table leaves open was chosen to fit its other columns", tight, sum.tight, base, sum.all),
		Pass:     math.Abs(tight-publishedTight) <= publishedTolerance+chance && math.Abs(base-publishedBase) <= publishedTolerance,
	}
}
