package priceaction

import (
	"math"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/stats"
)

// What a candle can hold. The bounds on prices are wide, since the unit is the caller's; jumps are judged by the candles before.
const (
	lowestPrice   = 1e-60
	highestPrice  = 1e60
	highestVolume = 1e18
	// longestWick is how many times a candle's body, or the close before it, its extremes may reach.
	longestWick = 4
	// jump is the change between two closes that a candle with less than the usual volume does not prove.
	jump = 10
	// provenAfter is how many candles in a row prove a jump whatever their volume.
	provenAfter = 3
	usualWindow = 24
)

// Liquid keeps the hours of which prices can be read, up to an instant, each once and in time order: a candle counts when it traded, its
// prices are positive, finite and in order, and its hour was over. A candle ten times away from the close before it counts only with
// at least the median volume of the day's trading hours before, or as the third in a row of such. Extremes that reach beyond four
// times the body and the close before it are cut to that. No candle is judged by a later one.
func Liquid(hours []market.Candle, asOf time.Time) []market.Candle {
	var kept []market.Candle
	away := 0
	for _, c := range hours {
		if !plausible(c) || c.Time.Add(time.Hour).After(asOf) {
			continue
		}
		if len(kept) == 0 {
			kept = append(kept, trimmed(c, c.Open))
			continue
		}
		last := kept[len(kept)-1]
		if !c.Time.After(last.Time) {
			continue
		}
		if change := c.Close / last.Close; change > jump || change < 1.0/jump {
			if away++; away < provenAfter && c.VolumeUSD < usualVolume(kept) {
				continue
			}
		}
		away = 0
		kept = append(kept, trimmed(c, last.Close))
	}
	return kept
}

func plausible(c market.Candle) bool {
	for _, price := range [...]float64{c.Open, c.High, c.Low, c.Close} {
		if !(price >= lowestPrice && price <= highestPrice) {
			return false
		}
	}
	return c.VolumeUSD > 0 && c.VolumeUSD <= highestVolume && c.High >= max(c.Open, c.Close) && c.Low <= min(c.Open, c.Close)
}

func trimmed(c market.Candle, before float64) market.Candle {
	c.High = min(c.High, longestWick*max(c.Open, c.Close, before))
	c.Low = max(c.Low, min(c.Open, c.Close, before)/longestWick)
	// An open far from the close before it would be a wick by another name.
	c.Open = min(max(c.Open, c.Low), c.High)
	return c
}

func usualVolume(kept []market.Candle) float64 {
	recent := kept[max(0, len(kept)-usualWindow):]
	volumes := make([]float64, len(recent))
	for i, c := range recent {
		volumes[i] = c.VolumeUSD
	}
	return stats.Median(volumes)
}

// chart is a series of bars of one length, those without a trade left out.
type chart struct {
	size time.Duration
	// opens are the bars' places on the grid: the opening instant in lengths since the Unix epoch.
	opens []int64
	// bars hold prices as they are, logs their natural logarithms, in which rises and falls measure alike.
	bars, logs []stats.Bar
}

// barSizes are the lengths a bar may have; hours are the finest candles that are read.
var barSizes = [...]time.Duration{time.Hour, 4 * time.Hour, 24 * time.Hour}

// enoughTraded is the share of bars that must have trades.
const enoughTraded = 0.8

// barSize is the smallest length of which four in five bars have trades between the first candle and the instant, else a day.
func barSize(liquid []market.Candle, asOf time.Time) time.Duration {
	for _, size := range barSizes {
		first, end := place(liquid[0].Time, size), place(asOf, size)
		traded, previous := 0, int64(math.MinInt64)
		for _, c := range liquid {
			if at := place(c.Time, size); at != previous && at < end {
				traded++
				previous = at
			}
		}
		if end > first && float64(traded) >= enoughTraded*float64(end-first) {
			return size
		}
	}
	return barSizes[len(barSizes)-1]
}

func place(t time.Time, size time.Duration) int64 {
	seconds, length := t.Unix(), int64(size/time.Second)
	at := seconds / length
	if seconds%length < 0 {
		at--
	}
	return at
}

// resample makes bars of one length, on the UTC grid, of those that are over by the instant.
func resample(liquid []market.Candle, size time.Duration, asOf time.Time) chart {
	c := chart{size: size}
	end := place(asOf, size)
	for _, hour := range liquid {
		at := place(hour.Time, size)
		if at >= end {
			break
		}
		if n := len(c.bars); n > 0 && c.opens[n-1] == at {
			b := &c.bars[n-1]
			b.High, b.Low, b.Close, b.Volume = max(b.High, hour.High), min(b.Low, hour.Low), hour.Close, b.Volume+hour.VolumeUSD
			continue
		}
		c.opens = append(c.opens, at)
		c.bars = append(c.bars, stats.Bar{Open: hour.Open, High: hour.High, Low: hour.Low, Close: hour.Close, Volume: hour.VolumeUSD})
	}
	c.logs = make([]stats.Bar, len(c.bars))
	for i, b := range c.bars {
		c.logs[i] = stats.Bar{Open: math.Log(b.Open), High: math.Log(b.High), Low: math.Log(b.Low), Close: math.Log(b.Close), Volume: b.Volume}
	}
	return c
}

func medianVolume(bars []stats.Bar) float64 {
	volumes := make([]float64, len(bars))
	for i, b := range bars {
		volumes[i] = b.Volume
	}
	return stats.Median(volumes)
}

// highest is the highest close, and when, of the candles with at least a tenth of the median volume; the last one always counts.
func highest(liquid []market.Candle) (price float64, at time.Time) {
	volumes := make([]float64, len(liquid))
	for i, c := range liquid {
		volumes[i] = c.VolumeUSD
	}
	slices.Sort(volumes)
	enough := stats.Quantile(volumes, 0.5) / 10
	for i, c := range liquid {
		if (c.VolumeUSD >= enough || i == len(liquid)-1) && c.Close >= price {
			price, at = c.Close, c.Time
		}
	}
	return price, at
}
