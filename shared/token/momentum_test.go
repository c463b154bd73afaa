package token

import (
	"math"
	"testing"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

func TestMomentumReadsNoPriceThatNobodyTradedAt(t *testing.T) {
	closes := make([]float64, 100)
	for i := range closes {
		closes[i] = 100 + float64(i%2)
	}
	clean := measureMomentum(chartOf(closes, 1000), nil, noon)

	jumped := chartOf(closes, 1000)
	jump := &jumped.Hours[90]
	*jump = market.Candle{Time: jump.Time, Open: 5000, High: 5000, Low: 5000, Close: 5000, VolumeUSD: 1}
	if m := measureMomentum(jumped, nil, noon); math.Abs(m.z24h-clean.z24h) > 0.1 || m.rangePosition != clean.rangePosition {
		t.Errorf("a jump that one dollar made counts: z %v, was %v; range %v, was %v", m.z24h, clean.z24h, m.rangePosition, clean.rangePosition)
	}

	wicked := chartOf(closes, 1000)
	wicked.Hours[90].High = 1e5
	if m := measureMomentum(wicked, nil, noon); !(m.rangePosition > 0.001) {
		t.Errorf("a wick stretches the range: the price stands at %v of it", m.rangePosition)
	}
	if bars, _ := everyHour(wicked.Hours, noon); len(bars) != len(closes) {
		t.Errorf("%d bars of %d hours", len(bars), len(closes))
	}
	if bars, traded := everyHour(jumped.Hours, noon); len(bars) != len(closes) || traded != len(closes)-1 || bars[90].Volume != 0 || bars[90].Close != bars[89].Close {
		t.Errorf("the hour of the jump is no gap: %d bars, %d traded, %+v", len(bars), traded, bars[90])
	}
}
