package priceaction

import (
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/stats"
)

// Observation is a past reading and what followed it, to check the published probability by.
type Observation struct {
	Inflection
	At time.Time
	// Moved is true when the range of the InflectionHorizon after reached LargeMove average true ranges.
	Moved bool
}

// Observe reads every third bar of a finished history whose horizon lies within it.
func Observe(hours []market.Candle) []Observation {
	const step, horizon = 3, int64(InflectionHorizon / InflectionBar)
	if len(hours) == 0 {
		return nil
	}
	after := hours[len(hours)-1].Time.Add(InflectionBar)
	c := resample(Liquid(hours, after), InflectionBar, after)
	atr := stats.AverageTrueRange(c.logs, atrBars)
	var all []Observation
	for i := InflectionMinimum - 1; i < len(c.bars) && c.opens[i]+horizon <= c.opens[len(c.opens)-1]; i += step {
		in := c.inflectionAt(i)
		if in.Still {
			continue
		}
		j := i + 1
		for j < len(c.bars) && c.opens[j] <= c.opens[i]+horizon {
			j++
		}
		moved := false
		if j > i+1 {
			high, low := stats.Donchian(c.logs[i+1:j], j-i-1)
			moved = high[j-i-2]-low[j-i-2] >= LargeMove*atr[i]
		}
		all = append(all, Observation{in, time.Unix(c.opens[i]*int64(InflectionBar/time.Second), 0).UTC(), moved})
	}
	return all
}
