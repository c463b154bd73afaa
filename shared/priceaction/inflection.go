package priceaction

import (
	"math"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/stats"
)

// The states of a price range.
const (
	Coiled           = "coiled"
	Coiling          = "coiling"
	Widening         = "expanding"
	Neutral          = "neutral"
	InsufficientData = "insufficient-data"
)

// The bars an inflection is read from.
const (
	// InflectionBar is their length, InflectionMinimum how many with trades there must be.
	InflectionBar     = 4 * time.Hour
	InflectionMinimum = 120
	// LargeMove is the multiple of the average true range that counts as a large move within InflectionHorizon.
	LargeMove         = 3
	InflectionHorizon = 24 * time.Hour

	widthBars = 20
	rankBars  = 90
	slopeBars = 10

	coiledBelow, coilingBelow, wideningFrom = 0.05, 0.15, 0.85
	// still is the width, as a fraction of the price, below which a price does not move at all.
	still = 1e-9
)

// Inflection is how tight the price range has become. It says nothing about direction: rising and falling prices read alike.
type Inflection struct {
	// State is InsufficientData with fewer than InflectionMinimum bars, without a trade within the last day, or when the price does not
	// move. All else is then NaN, but for Bars and Still.
	State string
	Bars  int
	// Still is true when there was trading but no movement to measure by.
	Still bool
	// Percentile is the share of the last 90 band widths that are not above the present one, 0 to 1; Days how far they reach back.
	Percentile float64
	Days       int
	// VolumeRatio is the mean volume of the last 6 bars over that of the last 60.
	VolumeRatio float64
	// Distance is 0 in the middle and 1 at either end of the range of the last 20 bars.
	Distance float64
	// Activity is the share of the hours' bars that had trades, 0 to 1.
	Activity float64
	// Probability is that of a range of LargeMove average true ranges within InflectionHorizon, 0 to 1.
	Probability float64
}

// ReadInflection reads hourly candles, in time order, as of an instant.
func ReadInflection(hours []market.Candle, asOf time.Time) Inflection {
	c := resample(Liquid(hours, asOf), InflectionBar, asOf)
	n := len(c.bars)
	if n < InflectionMinimum || time.Duration(place(asOf, InflectionBar)-1-c.opens[n-1])*InflectionBar > InflectionHorizon {
		return Inflection{State: InsufficientData, Bars: n, Percentile: math.NaN(), VolumeRatio: math.NaN(), Distance: math.NaN(), Activity: math.NaN(), Probability: math.NaN()}
	}
	return c.inflectionAt(n - 1)
}

// inflectionAt reads the bars up to one of them, which must have InflectionMinimum with it.
func (c *chart) inflectionAt(at int) Inflection {
	nan := math.NaN()
	in := Inflection{State: InsufficientData, Bars: at + 1, Percentile: nan, VolumeRatio: nan, Distance: nan, Activity: nan, Probability: nan}
	logs := c.logs[:at+1]
	lower, _, upper := stats.BollingerBands(stats.Closes(logs), widthBars, 2)
	widths := make([]float64, rankBars)
	lowest, highest := math.Inf(1), 0.0
	for i := range widths {
		from := at + 1 - rankBars + i
		widths[i] = upper[from] - lower[from]
		lowest, highest = min(lowest, widths[i]), max(highest, widths[i])
	}
	if highest-lowest <= still || !(stats.AverageTrueRange(logs, atrBars)[at] > still) {
		in.Still = true
		return in
	}
	present := widths[rankBars-1]
	notAbove := 0
	for _, w := range widths {
		if w <= present*(1+1e-9) {
			notAbove++
		}
	}
	in.Percentile = float64(notAbove) / rankBars
	span := c.opens[at] - c.opens[at+1-rankBars] + 1
	in.Days = int(time.Duration(span) * InflectionBar / (hoursPerDay * time.Hour))
	in.Activity = rankBars / float64(span)
	in.VolumeRatio = meanVolume(c.bars[at-5:at+1]) / meanVolume(c.bars[at-59:at+1])
	high, low := stats.Donchian(logs[at+1-widthBars:], widthBars)
	top, bottom := high[widthBars-1], low[widthBars-1]
	if top > bottom {
		in.Distance = math.Abs(2*(logs[at].Close-bottom)/(top-bottom) - 1)
	} else {
		in.Distance = 0
	}
	in.Probability = largeMove(in.Percentile, in.VolumeRatio, in.Distance, in.Activity)
	switch slope := stats.TheilSen(widths[rankBars-slopeBars:]); {
	case in.Percentile <= coiledBelow:
		in.State = Coiled
	case in.Percentile <= coilingBelow && slope < -still*present:
		in.State = Coiling
	case in.Percentile >= wideningFrom:
		in.State = Widening
	default:
		in.State = Neutral
	}
	return in
}

func meanVolume(bars []stats.Bar) float64 {
	sum := 0.0
	for _, b := range bars {
		sum += b.Volume
	}
	return sum / float64(len(bars))
}

// largeMove is the fitted logistic model. The percentile enters twice, since the odds rise steeply in the tightest tail alone.
func largeMove(percentile, volumeRatio, distance, activity float64) float64 {
	const tail, leastRatio, mostRatio = 0.15, 0.05, 20
	x := weightIntercept
	x += float64(weightPercentile * percentile)
	x += float64(weightTightness * max(0, tail-percentile) / tail)
	x += float64(weightVolume * math.Log(min(mostRatio, max(leastRatio, volumeRatio))))
	x += float64(weightDistance * distance)
	x += float64(weightActivity * activity)
	return 1 / (1 + math.Exp(-x))
}
