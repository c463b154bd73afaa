package copysimulation

import (
	"math"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// Series is a token's hourly closes, ready for look-ups by hour.
type Series struct {
	first int64 // the hour number of closes[0]
	// closes holds one close an hour; hours without a trade hold the last close before them.
	closes []float64
	// traded holds, for each hour, the index of the last hour up to it that had a trade; -1 when there is none yet.
	traded []int32
}

const hour = int64(time.Hour / time.Second)

func hourOf(t time.Time) int64 { return t.Unix() / hour }

// NewSeries indexes candles, which are in time order. Candles that open at asOf or later, and the one whose hour is not over by
// asOf, are left out: nobody could have known their close.
func NewSeries(candles []market.Candle, asOf time.Time) *Series {
	known := candles
	for len(known) > 0 && hourOf(known[len(known)-1].Time) >= hourOf(asOf) {
		known = known[:len(known)-1]
	}
	if len(known) == 0 {
		return &Series{}
	}
	first := hourOf(known[0].Time)
	length := hourOf(known[len(known)-1].Time) - first + 1
	s := &Series{first: first, closes: make([]float64, length), traded: make([]int32, length)}
	next := 0
	last, lastClose := int32(-1), math.NaN()
	for i := range s.closes {
		for next < len(known) && hourOf(known[next].Time)-first <= int64(i) {
			last, lastClose = int32(i), known[next].Close
			next++
		}
		s.closes[i], s.traded[i] = lastClose, last
	}
	return s
}

// Empty tells whether the series holds no candle at all.
func (s *Series) Empty() bool { return s == nil || len(s.closes) == 0 }

// closeAt is the close of an hour, carried forward from at most so many hours before; NaN when there was no trade in them.
func (s *Series) closeAt(h int64, carry int64) float64 {
	if s.Empty() || h < s.first {
		return math.NaN()
	}
	i := h - s.first
	if last := int64(len(s.closes)) - 1; i > last {
		if i-int64(s.traded[last]) > carry {
			return math.NaN()
		}
		return s.closes[last]
	}
	if s.traded[i] < 0 || i-int64(s.traded[i]) > carry {
		return math.NaN()
	}
	return s.closes[i]
}

// EntryPrice is what a copier pays who follows an entry at an instant: the close of that hour, carried forward from at most six hours
// before; NaN when there was no trade in them. Traded is true when the hour itself had a trade.
func (s *Series) EntryPrice(at time.Time) (price float64, traded bool) {
	h := hourOf(at)
	return s.closeAt(h, entryCarry), !math.IsNaN(s.closeAt(h, 0))
}

// HighSince is the highest close in the hours before h that lie within the span; NaN without a trade in it.
func (s *Series) HighSince(h time.Time, span time.Duration) float64 {
	high := math.NaN()
	if s.Empty() {
		return high
	}
	to := hourOf(h) - s.first
	from := max(0, to-int64(span/time.Hour))
	for i := from; i < min(to, int64(len(s.closes))); i++ {
		if int64(s.traded[i]) == i && (math.IsNaN(high) || s.closes[i] > high) {
			high = s.closes[i]
		}
	}
	return high
}
