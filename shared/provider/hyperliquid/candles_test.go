package hyperliquid

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

const dayMilliseconds = 86_400_000

func candleRequest(coin string, from, to int64) market.PerpCandleRequest {
	return market.PerpCandleRequest{Coin: coin, From: time.UnixMilli(from).UTC(), To: time.UnixMilli(to).UTC()}
}

// day is a candle of the nth day, which closes at a price of its own.
func day(n int) string {
	opened := midnight(n)
	return fmt.Sprintf(`{"t":%d,"T":%d,"s":"SOL","i":"1d","o":"100","c":"%d","h":"120","l":"90","v":"10","n":7}`, opened, opened+dayMilliseconds-1, 100+n)
}

func midnight(n int) int64 {
	return time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC).UnixMilli() + int64(n)*dayMilliseconds
}

func dayCandle(n int) market.Candle {
	last := float64(100 + n)
	return market.Candle{Time: time.UnixMilli(midnight(n)).UTC(), Open: 100, High: 120, Low: 90, Close: last, VolumeUSD: 10 * (120 + 90 + last) / 3}
}

func TestCandles(t *testing.T) {
	v := always(list(day(0), day(1), day(3), day(2), day(2), day(4)))
	// The first day begins before what is asked for, the last is excluded; the days come in order, each once.
	got, err := v.adapter().PerpCandles(t.Context(), candleRequest("SOL", midnight(0)+1, midnight(4)))
	if err != nil || v.dropped != 1 || !reflect.DeepEqual(got, []market.Candle{dayCandle(1), dayCandle(2), dayCandle(3)}) {
		t.Errorf("%+v, %v, %d dropped", got, err, v.dropped)
	}
	if got, err := always(`[]`).adapter().PerpCandles(t.Context(), candleRequest("SOL", midnight(0), midnight(4))); err != nil || len(got) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	v = always(`[]`)
	if got, err := v.adapter().PerpCandles(t.Context(), candleRequest("SOL", midnight(4), midnight(4))); err != nil || len(got) != 0 || len(v.bodies) != 0 {
		t.Errorf("%+v, %v, asked %q", got, err, v.bodies)
	}
}

func TestHostileCandlesAreDropped(t *testing.T) {
	for name, changes := range map[string][]string{
		"high below the close": {"h", `"99"`}, "low above the open": {"l", `"101"`}, "high below low": {"h", `"80"`}, "open zero": {"o", `"0"`},
		"no close": {"c", ""}, "close NaN": {"c", `"NaN"`}, "volume below": {"v", `"-1"`}, "no volume": {"v", ""}, "volume absurd": {"v", `"1e14"`},
		"no time": {"t", ""}, "time to come": {"t", fmt.Sprint(present.Add(time.Hour).UnixMilli())}, "another shape": {"o", `{}`},
	} {
		v := always(list(with(t, day(1), changes...), day(2)))
		got, err := v.adapter().PerpCandles(t.Context(), candleRequest("SOL", midnight(0), midnight(4)))
		if err != nil || v.dropped != 1 || !reflect.DeepEqual(got, []market.Candle{dayCandle(2)}) {
			t.Errorf("%s: %+v, %v, %d dropped", name, got, err, v.dropped)
		}
		if got, err := always(list(with(t, day(1), changes...))).adapter().PerpCandles(t.Context(), candleRequest("SOL", midnight(0), midnight(4))); err == nil {
			t.Errorf("%s alone: %+v", name, got)
		}
	}
}
