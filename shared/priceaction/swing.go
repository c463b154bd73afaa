package priceaction

import (
	"math"
	"time"
)

// atrBars is the window of the average true range (Wilder 1978).
const atrBars = 14

// reversalATR is how many average true ranges a price must turn for the extreme before to count as a swing.
const reversalATR = 2

// pivot is a confirmed swing high or low.
type pivot struct {
	high bool
	// level is the logarithm of the price.
	level float64
	// bar is where the extreme stands, confirmed the bar that completed the reversal.
	bar, confirmed int
}

// pivots are the confirmed swings of a zigzag with a reversal of two average true ranges, in time order, highs and lows in turn. The
// last leg, whose reversal is not complete, is left out: bars that come later never change what is confirmed.
func (c *chart) pivots(atr []float64) []pivot {
	var all []pivot
	const none = -1
	top, bottom, rising, begun := none, none, false, false
	for i := range c.logs {
		if math.IsNaN(atr[i]) {
			continue
		}
		high, low, turn := c.logs[i].High, c.logs[i].Low, reversalATR*atr[i]
		newTop := top == none || high > c.logs[top].High
		newBottom := bottom == none || low < c.logs[bottom].Low
		if newTop && (!begun || rising) {
			top = i
		}
		if newBottom && (!begun || !rising) {
			bottom = i
		}
		if turn <= 0 || top == none || bottom == none && !begun {
			continue
		}
		// Within one bar nobody knows which extreme came first: a bar that extends a leg does not also end it.
		fell := (!begun || rising) && top < i && c.logs[top].High-low >= turn
		rose := (!begun || !rising) && bottom < i && high-c.logs[bottom].Low >= turn
		if fell && rose {
			fell, rose = top < bottom, bottom < top
		}
		switch {
		case fell:
			all = append(all, pivot{true, c.logs[top].High, top, i})
			bottom = c.lowest(top+1, i)
			rising, begun = false, true
		case rose:
			all = append(all, pivot{false, c.logs[bottom].Low, bottom, i})
			top = c.highest(bottom+1, i)
			rising, begun = true, true
		}
	}
	return all
}

// swings are the latest pivots, measured by the highest close.
func (c *chart) swings(pivots []pivot, high float64, asOf time.Time) []Swing {
	pivots = pivots[max(0, len(pivots)-MaximumSwings):]
	all := make([]Swing, len(pivots))
	for i, p := range pivots {
		end := time.Unix((c.opens[p.bar]+1)*int64(c.size/time.Second), 0)
		all[i] = Swing{High: p.high, Level: math.Exp(p.level)/high - 1, Ago: max(0, asOf.Sub(end))}
	}
	return all
}

func (c *chart) lowest(from, to int) int {
	at := from
	for i := from + 1; i <= to; i++ {
		if c.logs[i].Low < c.logs[at].Low {
			at = i
		}
	}
	return at
}

func (c *chart) highest(from, to int) int {
	at := from
	for i := from + 1; i <= to; i++ {
		if c.logs[i].High > c.logs[at].High {
			at = i
		}
	}
	return at
}

// structureTolerance is how many average true ranges two swings must differ by to count as different.
const structureTolerance = 0.25

// structure compares the last two confirmed highs and lows; empty when there are not two of each.
func structure(swings []pivot, atr float64) string {
	var highs, lows []float64
	for i := len(swings) - 1; i >= 0; i-- {
		if swings[i].high {
			highs = append(highs, swings[i].level)
		} else {
			lows = append(lows, swings[i].level)
		}
	}
	if len(highs) < 2 || len(lows) < 2 || !(atr > 0) {
		return ""
	}
	tolerance := structureTolerance * atr
	top, bottom := highs[0]-highs[1], lows[0]-lows[1]
	switch {
	case top > tolerance && bottom > tolerance:
		return HigherHighs
	case top < -tolerance && bottom < -tolerance:
		return LowerLows
	case top > tolerance && bottom < -tolerance:
		return Expanding
	}
	return Range
}
