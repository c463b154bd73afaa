package token

import (
	"math"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/priceaction"
	"github.com/mirrorworthy/mirrorworthy/shared/stats"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenfacts"
)

// Bars that a measurement of momentum needs and looks at, in hours.
const (
	momentumHours = 14 * 24
	minimumHours  = 48
	rangeHours    = 20
	atrHours      = 14
	vwapHours     = 24
)

// extendedATR is how many average true ranges above its day's average price a token counts as extended.
const extendedATR = 3

// smallPositionUSD is the position by which the impact of an entry is told.
const smallPositionUSD = 1_000

// stillSD is the hourly standard deviation below which a price does not move enough to be measured by.
const stillSD = 1e-6

// momentum is how a token moves and is traded now. What cannot be measured is NaN.
type momentum struct {
	// return1h, return24h and return7d are fractions; the z are those returns in standard deviations of the token's own hourly returns.
	return1h, return24h, return7d float64
	z1h, z24h, z7d                float64
	// volumeZ is the last day's volume against the days before, in robust standard deviations of its logarithm.
	volumeZ float64
	// volumeRatio is the last day's volume over the median of the seven days before.
	volumeRatio float64
	// rangePosition is 0 at the bottom of the last 20 hours' range and 1 at its top.
	rangePosition float64
	// aboveVWAP is the distance from the last day's volume-weighted price in average true ranges.
	aboveVWAP float64
	// impact is the part of the price that buying a small position costs.
	impact float64
	// buys and sells are those of the last day in all pools, lastHour all trades of the last hour.
	buys, sells, lastHour int
}

// extended tells whether the price has run ahead of the day's average.
func (m momentum) extended() bool { return m.aboveVWAP > extendedATR }

// measureMomentum looks at the chart's last two weeks. Hours without a trade keep the price of the hour before and have no volume.
func measureMomentum(chart *tokenfacts.Chart, pools []market.Pool, asOf time.Time) momentum {
	nan := math.NaN()
	m := momentum{nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, 0, 0, 0}
	for i := range pools {
		m.buys += pools[i].Buys24h
		m.sells += pools[i].Sells24h
		m.lastHour += pools[i].LastHour.Buys + pools[i].LastHour.Sells
	}
	if deepest, found := tokenfacts.Deepest(pools); found {
		m.impact = smallPositionUSD / (deepest.LiquidityUSD/2 + smallPositionUSD)
	}
	bars, traded := everyHour(chart.Hours, asOf)
	if traded < minimumHours {
		return m
	}
	closes := stats.Closes(bars)
	last := closes[len(closes)-1]
	sd := stats.Describe(hourlyReturns(bars)).SD
	past := func(hours int) (change, z float64) {
		if len(closes) <= hours {
			return nan, nan
		}
		change = last/closes[len(closes)-1-hours] - 1
		if sd > stillSD {
			z = math.Log1p(change) / (sd * math.Sqrt(float64(hours)))
		} else {
			z = nan
		}
		return change, z
	}
	m.return1h, m.z1h = past(1)
	m.return24h, m.z24h = past(24)
	m.return7d, m.z7d = past(7 * 24)
	m.volumeZ, m.volumeRatio = volumes(bars)
	m.rangePosition = positionInRange(bars[len(bars)-min(rangeHours, len(bars)):], last)
	m.aboveVWAP = aboveAverage(bars, last)
	return m
}

// everyHour fills the gaps between the candles of the last two weeks and counts those that traded. A candle that
// shows no price, by the rules of priceaction.Liquid, is a gap.
func everyHour(hours []market.Candle, asOf time.Time) (bars []stats.Bar, traded int) {
	from := asOf.Truncate(time.Hour).Add(-momentumHours * time.Hour)
	for _, c := range priceaction.Liquid(hours, asOf) {
		if c.Time.Before(from) {
			continue
		}
		if len(bars) > 0 {
			price := bars[len(bars)-1].Close
			for at := from.Add(time.Duration(len(bars)) * time.Hour); at.Before(c.Time); at = at.Add(time.Hour) {
				bars = append(bars, stats.Bar{Open: price, High: price, Low: price, Close: price})
			}
		} else {
			from = c.Time
		}
		bars = append(bars, stats.Bar{Open: c.Open, High: c.High, Low: c.Low, Close: c.Close, Volume: c.VolumeUSD})
		traded++
	}
	if len(bars) == 0 {
		return nil, 0
	}
	price := bars[len(bars)-1].Close
	for at := from.Add(time.Duration(len(bars)) * time.Hour); !at.Add(time.Hour).After(asOf); at = at.Add(time.Hour) {
		bars = append(bars, stats.Bar{Open: price, High: price, Low: price, Close: price})
	}
	return bars, traded
}

// hourlyReturns are the logarithmic returns from each bar's close to the next.
func hourlyReturns(bars []stats.Bar) []float64 {
	closes := stats.Closes(bars)
	returns := make([]float64, len(closes)-1)
	for i := range returns {
		returns[i] = math.Log(closes[i+1] / closes[i])
	}
	return returns
}

// volumes compares the last 24 bars with the days before, of which there must be three.
func volumes(bars []stats.Bar) (z, ratio float64) {
	var days []float64
	for end := len(bars); end >= 24; end -= 24 {
		sum := 0.0
		for _, b := range bars[end-24 : end] {
			sum += b.Volume
		}
		days = append(days, sum)
	}
	if len(days) < 4 || !(days[0] >= 0) {
		return math.NaN(), math.NaN()
	}
	before := slices.Clone(days[1:min(len(days), 8)])
	logs := make([]float64, len(before))
	for i, day := range before {
		logs[i] = math.Log1p(day)
	}
	median := stats.Median(logs)
	z = stats.RobustZ(math.Log1p(days[0]), median, stats.MedianAbsoluteDeviation(logs))
	if typical := stats.Median(before); typical > 0 {
		return z, days[0] / typical
	}
	return z, math.NaN()
}

func positionInRange(bars []stats.Bar, price float64) float64 {
	low, high := math.Inf(1), 0.0
	for _, b := range bars {
		low, high = min(low, b.Low), max(high, b.High)
	}
	if !(high > low) {
		return math.NaN()
	}
	return (price - low) / (high - low)
}

// aboveAverage is the distance of the price from the volume-weighted price of the last day, in average true ranges.
func aboveAverage(bars []stats.Bar, price float64) float64 {
	ranges := stats.AverageTrueRange(bars, atrHours)
	atr := ranges[len(ranges)-1]
	sum, volume := 0.0, 0.0
	for _, b := range bars[len(bars)-vwapHours:] {
		sum += (b.High + b.Low + b.Close) / 3 * b.Volume
		volume += b.Volume
	}
	if !(volume > 0) || !(atr > 0) {
		return math.NaN()
	}
	return (price - sum/volume) / atr
}
