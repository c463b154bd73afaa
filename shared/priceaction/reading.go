package priceaction

import (
	"math"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/stats"
)

// The words of a trend and of a breakout.
const (
	Up       = "up"
	Down     = "down"
	Sideways = "sideways"
	Failed   = "failed"
	None     = "none"
)

// The words of a structure.
const (
	HigherHighs  = "higher-highs"
	LowerLows    = "lower-lows"
	Range        = "range"
	Expanding    = "expanding"
	BreakingOut  = "breaking-out"
	BreakingDown = "breaking-down"
)

// What a chart needs.
const (
	MinimumHours = 48
	MinimumAge   = 24 * time.Hour
	// StaleAfter is how long after the last trade a chart no longer describes the price.
	StaleAfter = 48 * time.Hour
)

// Reading is the structure of a price. Words are empty and numbers NaN when they cannot be measured.
type Reading struct {
	// Available is false when there are fewer than MinimumHours hours with trades, less than MinimumAge of history, or no trade within
	// StaleAfter. Everything but LiquidHours, Stale and Age is then unmeasured.
	Available   bool
	LiquidHours int
	Stale       bool
	// Age is the time since the first hour with trades that is known.
	Age time.Duration

	BarSize time.Duration
	Bars    int
	Trend   string
	// Strength is "weak", "moderate" or "strong": the average directional index below 20, up to 35, and above.
	Strength  string
	Structure string
	Breakout  string
	// BreakoutVolume is the volume of the bar that broke out over the median of the bars before.
	BreakoutVolume float64
	Volatility     string
	// AnnualVolatility is the Garman-Klass volatility of 20 bars, a fraction a year. VolatilityRank is the share of the chart's own
	// values that are not above it, 0 to 1, VolatilityDays the days they reach back.
	AnnualVolatility, VolatilityRank float64
	VolatilityDays                   int
	// FromHigh is the last close over the highest, less one: zero or below. SinceHigh is the time since that high.
	FromHigh  float64
	SinceHigh time.Duration
	// Swings are the latest turning points that are confirmed, at most MaximumSwings, the oldest first.
	Swings []Swing
	// ChannelTop and ChannelBottom are the highest and the lowest price of the 20 bars before the one that broke out, or before the
	// latest where none did: over the high, less one.
	ChannelTop, ChannelBottom float64
}

// MaximumSwings bounds the swings of a reading.
const MaximumSwings = 12

// Swing is a confirmed turning point. Level is its price over the highest close, less one, which is above zero where a bar reached beyond
// the close that is the high; Ago is the time since its bar ended.
type Swing struct {
	High  bool
	Level float64
	Ago   time.Duration
}

// Read reads hourly candles, in time order, as of an instant.
func Read(hours []market.Candle, asOf time.Time) Reading {
	nan := math.NaN()
	r := Reading{BreakoutVolume: nan, AnnualVolatility: nan, VolatilityRank: nan, FromHigh: nan, ChannelTop: nan, ChannelBottom: nan}
	liquid := Liquid(hours, asOf)
	r.LiquidHours = len(liquid)
	if r.LiquidHours == 0 {
		return r
	}
	last := liquid[len(liquid)-1]
	r.Age = asOf.Sub(liquid[0].Time)
	r.Stale = asOf.Sub(last.Time) > StaleAfter
	if r.LiquidHours < MinimumHours || r.Age < MinimumAge || r.Stale {
		return r
	}
	r.Available = true
	r.BarSize = barSize(liquid, asOf)
	high, when := highest(liquid)
	r.FromHigh, r.SinceHigh = min(0, last.Close/high-1), last.Time.Sub(when)
	c := resample(liquid, r.BarSize, asOf)
	r.Bars = len(c.bars)
	if r.Bars == 0 {
		return r
	}
	atr := stats.AverageTrueRange(c.logs, atrBars)
	r.Trend, r.Strength = c.trend()
	pivots := c.pivots(atr)
	r.Structure = structure(pivots, atr[len(atr)-1])
	r.Swings = c.swings(pivots, high, asOf)
	var before int
	r.Breakout, r.BreakoutVolume, before = c.breakout(atr)
	r.ChannelTop, r.ChannelBottom = c.channel(before, high)
	switch r.Breakout {
	case Up:
		r.Structure = BreakingOut
	case Down:
		r.Structure = BreakingDown
	}
	c.volatility(&r)
	return r
}

// The windows of a trend, in bars.
const (
	fastBars  = 20
	slowBars  = 50
	trendP    = 0.05
	weakADX   = 20
	strongADX = 35
)

// trend is up when the close stands above its fast and that above its slow exponential average while the closes rise by the
// Mann-Kendall test at 5 %, down in the mirror image, else sideways; empty with fewer than 50 bars.
func (c *chart) trend() (trend, strength string) {
	closes := stats.Closes(c.logs)
	n := len(closes)
	if n < slowBars {
		return "", ""
	}
	fast, slow := stats.EMA(closes, fastBars)[n-1], stats.EMA(closes, slowBars)[n-1]
	recent := closes[n-slowBars:]
	steps, p := stats.MannKendall(steady(recent))
	trend = Sideways
	if p < trendP {
		switch {
		case steps > 0 && closes[n-1] > fast && fast > slow:
			trend = Up
		case steps < 0 && closes[n-1] < fast && fast < slow:
			trend = Down
		}
	}
	switch adx := stats.AverageDirectionalIndex(c.logs, atrBars)[n-1]; {
	case math.IsNaN(adx):
		return trend, ""
	case adx < weakADX:
		return trend, "weak"
	case adx <= strongADX:
		return trend, "moderate"
	}
	return trend, "strong"
}

// steady rounds logarithms to a billionth, so that equal prices stay equal in whatever unit they are quoted.
func steady(logs []float64) []float64 {
	out := make([]float64, len(logs))
	for i, x := range logs {
		out[i] = math.Round((x-logs[0])*1e9) / 1e9
	}
	return out
}

// How a breakout is recognised, in bars and average true ranges.
const (
	channelBars    = 20
	beyondATR      = 0.25
	breakoutVolume = 1.5
	// recentBars is how many bars back a breakout is news, failBars within how many it can fail.
	recentBars = 6
	failBars   = 3
)

// breakout is the latest close beyond the channel of the 20 bars before it by a quarter of the average true range, on one and a half
// times their median volume, that the next bar held; failed when a close was back inside within three bars. At is the bar that broke out,
// or the latest.
func (c *chart) breakout(atr []float64) (word string, volume float64, at int) {
	n := len(c.logs)
	if n < channelBars+2 {
		return "", math.NaN(), n - 1
	}
	highs, lows := stats.Donchian(c.logs, channelBars)
	for k := n - 2; k >= max(channelBars, n-1-recentBars); k-- {
		margin := beyondATR * atr[k-1]
		ratio := c.bars[k].Volume / medianVolume(c.bars[k-channelBars:k])
		if !(margin > 0) || !(ratio >= breakoutVolume) {
			continue
		}
		close := c.logs[k].Close
		up, down := close > highs[k-1]+margin, close < lows[k-1]-margin
		if !up && !down {
			continue
		}
		for i := k + 1; i <= min(k+failBars, n-1); i++ {
			if up && c.logs[i].Close <= highs[k-1] || down && c.logs[i].Close >= lows[k-1] {
				return Failed, ratio, k
			}
		}
		switch last := c.logs[n-1].Close; {
		case up && last > highs[k-1]:
			return Up, ratio, k
		case down && last < lows[k-1]:
			return Down, ratio, k
		}
		return None, math.NaN(), n - 1
	}
	return None, math.NaN(), n - 1
}

// channel is the range of the bars before one of them, over the highest close, less one.
func (c *chart) channel(before int, high float64) (top, bottom float64) {
	if before < channelBars {
		return math.NaN(), math.NaN()
	}
	top, bottom = math.Inf(-1), math.Inf(1)
	for _, b := range c.bars[before-channelBars : before] {
		top, bottom = max(top, b.High), min(bottom, b.Low)
	}
	return top/high - 1, bottom/high - 1
}

// The bands of volatility. Annual volatility alone says calm, normal, elevated or extreme; a value among the highest or lowest tenth of
// the token's own moves one band.
const (
	volatilityBars = 20
	calmBelow      = 0.3
	normalBelow    = 1.5
	elevatedBelow  = 4.0
	ownHigh        = 0.9
	ownLow         = 0.1
	ownMinimum     = 30
	hoursPerDay    = 24
)

var volatilityWords = [...]string{"calm", "normal", "elevated", "extreme"}

func (c *chart) volatility(r *Reading) {
	n := len(c.bars)
	if n < volatilityBars {
		return
	}
	series := stats.GarmanKlass(c.bars, volatilityBars)
	// The estimator takes bars for days.
	r.AnnualVolatility = series[n-1] * math.Sqrt(hoursPerDay/c.size.Hours())
	band := 0
	for _, limit := range [...]float64{calmBelow, normalBelow, elevatedBelow} {
		if r.AnnualVolatility >= limit {
			band++
		}
	}
	values := series[volatilityBars-1:]
	if len(values) >= ownMinimum {
		notAbove := 0
		for _, v := range values {
			if v <= series[n-1]*(1+1e-9) {
				notAbove++
			}
		}
		r.VolatilityRank = float64(notAbove) / float64(len(values))
		r.VolatilityDays = int(time.Duration(c.opens[n-1]-c.opens[volatilityBars-1]+1) * c.size / (hoursPerDay * time.Hour))
		switch {
		case r.VolatilityRank >= ownHigh && r.AnnualVolatility >= calmBelow/2:
			band = min(band+1, len(volatilityWords)-1)
		case r.VolatilityRank <= ownLow:
			band = max(band-1, 0)
		}
	}
	r.Volatility = volatilityWords[band]
}
