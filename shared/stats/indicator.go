package stats

import "math"

// Bar is the trading of one period: prices in any one currency, positive, and the volume in any one unit.
type Bar struct{ Open, High, Low, Close, Volume float64 }

// Every indicator gives one value a bar. The first values, for which the window is not full yet, are NaN. Windows are counted in
// bars and must be positive; a window longer than the series gives NaN throughout. A NaN in the input makes the windows that
// hold it NaN, and everything after it in the exponential averages.

func warmUp(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = math.NaN()
	}
	return out
}

// Closes lists the closing prices.
func Closes(bars []Bar) []float64 {
	out := make([]float64, len(bars))
	for i, b := range bars {
		out[i] = b.Close
	}
	return out
}

// SMA is the simple moving average over n values.
func SMA(x []float64, n int) []float64 {
	out := warmUp(len(x))
	eachWindow(len(x), n, func(from, to int) { out[to-1] = mean(x[from:to]) })
	return out
}

// eachWindow visits every full window of n among total values. The windows are summed anew each time: a running sum would carry
// the rounding of a large value on after it has left.
func eachWindow(total, n int, visit func(from, to int)) {
	if n < 1 {
		return
	}
	for to := n; to <= total; to++ {
		visit(to-n, to)
	}
}

// EMA is the exponential moving average with weight 2/(n+1), begun with the mean of the first n values.
func EMA(x []float64, n int) []float64 { return exponential(x, n, 2/(float64(n)+1)) }

// wilder is the exponential moving average with weight 1/n (Wilder 1978), begun with the mean of the first n values.
func wilder(x []float64, n int) []float64 { return exponential(x, n, 1/float64(n)) }

// exponential starts after the NaNs that x begins with, which are another indicator's warm-up.
func exponential(x []float64, n int, weight float64) []float64 {
	out := warmUp(len(x))
	first := 0
	for first < len(x) && math.IsNaN(x[first]) {
		first++
	}
	if n < 1 || len(x)-first < n {
		return out
	}
	at := first + n - 1
	out[at] = mean(x[first : at+1])
	for i := at + 1; i < len(x); i++ {
		out[i] = float64(x[i]*weight) + float64(out[i-1]*(1-weight))
	}
	return out
}

// BollingerBands are the simple moving average over n values and the lines k population standard deviations below and above it
// (Bollinger 2001).
func BollingerBands(x []float64, n int, k float64) (lower, middle, upper []float64) {
	lower, middle, upper = warmUp(len(x)), SMA(x, n), warmUp(len(x))
	eachWindow(len(x), n, func(from, to int) {
		centre, sum := middle[to-1], 0.0
		for _, v := range x[from:to] {
			d := v - centre
			sum += float64(d * d)
		}
		width := float64(k * math.Sqrt(sum/float64(n)))
		lower[to-1], upper[to-1] = centre-width, centre+width
	})
	return lower, middle, upper
}

// TrueRange is the range of each bar, extended to the close before it (Wilder 1978). The first bar has none: NaN.
func TrueRange(bars []Bar) []float64 {
	out := warmUp(len(bars))
	for i := 1; i < len(bars); i++ {
		before := bars[i-1].Close
		out[i] = max(bars[i].High, before) - min(bars[i].Low, before)
	}
	return out
}

// AverageTrueRange is Wilder's average of the true range over n bars, begun with the mean of the first n.
func AverageTrueRange(bars []Bar, n int) []float64 { return wilder(TrueRange(bars), n) }

// AverageDirectionalIndex is the strength of a trend of either direction, 0..100, over n bars (Wilder 1978). The directional movements
// and true ranges are Wilder's running sums, which lose 1/n of themselves with each bar from the n-th on (as in R's TTR; others
// start to lose one bar later), and the index of their directions is smoothed once more, so that the first value stands at bar 2n.
func AverageDirectionalIndex(bars []Bar, n int) []float64 {
	if n < 1 || len(bars) <= n {
		return warmUp(len(bars))
	}
	ranges := TrueRange(bars)
	keep := 1 - 1/float64(n)
	direction := warmUp(len(bars))
	plus, minus, total := 0.0, 0.0, 0.0
	for i := 1; i < len(bars); i++ {
		up, down := bars[i].High-bars[i-1].High, bars[i-1].Low-bars[i].Low
		if i >= n {
			plus, minus, total = float64(plus*keep), float64(minus*keep), float64(total*keep)
		}
		if up > down && up > 0 {
			plus += up
		}
		if down > up && down > 0 {
			minus += down
		}
		total += ranges[i]
		if i >= n {
			direction[i] = directionalIndex(plus, minus, total)
		}
	}
	return wilder(direction, n)
}

// directionalIndex is 100*|plus-minus|/(plus+minus); 0 where nothing moved.
func directionalIndex(plus, minus, trueRange float64) float64 {
	switch {
	case math.IsNaN(trueRange):
		return math.NaN()
	case plus+minus == 0:
		return 0
	}
	return 100 * math.Abs(plus-minus) / (plus + minus)
}

// RelativeStrengthIndex is 100*up/(up+down) of Wilder's averages over n changes (Wilder 1978), 0..100. Where nothing changed it is
// 50, neither strong nor weak.
func RelativeStrengthIndex(x []float64, n int) []float64 {
	up, down := warmUp(len(x)), warmUp(len(x))
	for i := 1; i < len(x); i++ {
		change := x[i] - x[i-1]
		if !math.IsNaN(change) {
			up[i], down[i] = max(change, 0), max(-change, 0)
		}
	}
	gains, losses := wilder(up, n), wilder(down, n)
	out := gains
	for i, gain := range gains {
		if sum := gain + losses[i]; sum == 0 {
			out[i] = 50
		} else {
			out[i] = 100 * gain / sum
		}
	}
	return out
}

// Donchian is the channel of the highest high and the lowest low of the last n bars, the current one included.
func Donchian(bars []Bar, n int) (high, low []float64) {
	high, low = warmUp(len(bars)), warmUp(len(bars))
	eachWindow(len(bars), n, func(from, to int) {
		top, bottom := bars[from].High, bars[from].Low
		for _, b := range bars[from+1 : to] {
			top, bottom = max(top, b.High), min(bottom, b.Low)
		}
		high[to-1], low[to-1] = top, bottom
	})
	return high, low
}

// OnBalanceVolume adds up volume, a bar that closes above the one before counting positive and one below negative (Granville 1963).
// It begins with the first bar's volume and has no warm-up.
func OnBalanceVolume(bars []Bar) []float64 {
	out := make([]float64, len(bars))
	total := 0.0
	for i, b := range bars {
		switch {
		case i == 0 || b.Close > bars[i-1].Close:
			total += b.Volume
		case b.Close < bars[i-1].Close:
			total -= b.Volume
		}
		out[i] = total
	}
	return out
}
