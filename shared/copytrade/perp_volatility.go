package copytrade

import (
	"context"
	"math"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/stats"
)

const (
	day = 24 * time.Hour
	// volatilityDays is how many days of candles are read, leastDays how many of them must be usable.
	volatilityDays, leastDays = 30, 10
	// leastVolatility is the daily volatility below which nothing on leverage moves, a fraction: a lower figure measures nothing.
	leastVolatility = 0.001
	// medianRange is the median of the range of Brownian motion over a unit of time, in standard deviations, by the distribution of
	// Feller (1951).
	medianRange = 1.5145
	// medianDeviation turns a median absolute deviation of normal values into their standard deviation.
	medianDeviation = 1.4826
)

// volatilityClasses are the daily volatilities assumed where none is known, by the highest leverage that the venue allows: it allows
// more the less a contract moves. They lie above what most contracts of their class have on most days.
var volatilityClasses = []struct{ maximumLeverage, daily float64 }{{40, 0.035}, {20, 0.05}, {10, 0.065}, {5, 0.08}, {0, 0.1}}

// assumedVolatility is the daily volatility of the class of contracts with a maximum leverage, as a fraction.
func assumedVolatility(maximumLeverage float64) float64 {
	for _, class := range volatilityClasses {
		if maximumLeverage >= class.maximumLeverage {
			return class.daily
		}
	}
	return volatilityClasses[len(volatilityClasses)-1].daily
}

type candlesKey market.PerpCandleRequest

// readVolatility measures a contract's daily volatility on the days closed before asOf, and counts them.
func readVolatility(ctx context.Context, s *market.Session, coin string, asOf time.Time) (daily float64, days int, err error) {
	to := asOf.UTC().Truncate(day)
	request := market.PerpCandleRequest{Coin: coin, From: to.Add(-volatilityDays * day), To: to}
	candles, err := market.Once(ctx, s, candlesKey(request), func(ctx context.Context) ([]market.Candle, error) {
		return s.Sources.PerpCandles.PerpCandles(ctx, request)
	})
	if err != nil {
		return math.NaN(), 0, err
	}
	daily, days = dailyVolatility(candles, request.From, request.To)
	return daily, days, nil
}

// dailyVolatility is the standard deviation of a day's log return, as a fraction, from the daily candles that open from from
// (inclusive) to to (exclusive), and the number of candles used. It is the larger of two robust measures, so that neither a market
// whose highs and lows are seldom traded nor one that jumps between closes looks calm: the median range from low to high over that of
// Brownian motion, and the scaled median absolute return from close to close. Medians keep single wicks out. NaN below leastDays
// usable candles or leastVolatility.
func dailyVolatility(candles []market.Candle, from, to time.Time) (daily float64, days int) {
	var ranges, returns []float64
	var before market.Candle
	for _, c := range candles {
		if c.Time.Before(from) || !c.Time.Before(to) || !(c.Low > 0) || !(c.High >= c.Low) || !(c.Close > 0) ||
			math.IsInf(c.High, 1) || math.IsInf(c.Close, 1) {
			continue
		}
		ranges = append(ranges, math.Log(c.High/c.Low))
		if c.Time.Sub(before.Time) == day {
			returns = append(returns, math.Abs(math.Log(c.Close/before.Close)))
		}
		before = c
	}
	if len(ranges) < leastDays {
		return math.NaN(), len(ranges)
	}
	daily = stats.Median(ranges) / medianRange
	if len(returns) >= leastDays {
		daily = max(daily, medianDeviation*stats.Median(returns))
	}
	if !(daily >= leastVolatility) {
		return math.NaN(), len(ranges)
	}
	return daily, len(ranges)
}
