package hyperliquid

import (
	"context"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

// daily is the venue's word for candles of a day.
const daily = "1d"

// candleRange is the venue's way to ask for candles; times are in Unix milliseconds, both inclusive.
type candleRange struct {
	Coin      string `json:"coin"`
	Interval  string `json:"interval"`
	StartTime int64  `json:"startTime"`
	EndTime   int64  `json:"endTime"`
}

type candle struct {
	Time   upstream.Number `json:"t"`
	Open   upstream.Number `json:"o"`
	High   upstream.Number `json:"h"`
	Low    upstream.Number `json:"l"`
	Close  upstream.Number `json:"c"`
	Volume upstream.Number `json:"v"`
}

// PerpCandles reads daily candles. The day that is under way has one as well. The venue tells volumes in coins: in USD they are taken at
// the mean of a day's high, low and close.
func (a *Adapter) PerpCandles(ctx context.Context, request market.PerpCandleRequest) ([]market.Candle, error) {
	if !request.From.Before(request.To) {
		return nil, nil
	}
	q := question{Type: "candleSnapshot", Request: &candleRange{
		Coin: request.Coin, Interval: daily, StartTime: milliseconds(request.From), EndTime: milliseconds(request.To.Add(-time.Millisecond)),
	}}
	return info(ctx, a, q, weighed(candlesAWeight), func(r *upstream.Response) ([]market.Candle, error) {
		read, dropped, err := readCandles(r, request, a.client.Now())
		a.client.Drop(path, dropped)
		return read, err
	})
}

// readCandles leaves out candles that were not asked for, among them the one within which the request's first day begins.
func readCandles(r *upstream.Response, request market.PerpCandleRequest, now time.Time) ([]market.Candle, int, error) {
	rows, err := rowsOf[candle](r)
	if err != nil {
		return nil, 0, err
	}
	read, dropped := make([]market.Candle, 0, len(rows.Good)), rows.Dropped
	for _, row := range rows.Good {
		checked, ok := row.check(now)
		if !ok {
			dropped++
			continue
		}
		read = append(read, checked)
	}
	if dropped > 0 && len(read) == 0 {
		return nil, 0, noneLegible(dropped)
	}
	slices.SortStableFunc(read, func(a, b market.Candle) int { return a.Time.Compare(b.Time) })
	legible := len(read)
	read = slices.CompactFunc(read, func(a, b market.Candle) bool { return a.Time.Equal(b.Time) })
	dropped += legible - len(read)
	first, _ := slices.BinarySearchFunc(read, request.From, from)
	end, _ := slices.BinarySearchFunc(read, request.To, from)
	return read[first:end], dropped, nil
}

func from(c market.Candle, at time.Time) int { return c.Time.Compare(at) }

func (c candle) check(now time.Time) (market.Candle, bool) {
	at, timed := c.Time.Milliseconds(now)
	open, opened := c.Open.Price()
	high, rose := c.High.Price()
	low, fell := c.Low.Price()
	last, closed := c.Close.Price()
	volume, traded := c.Volume.USD()
	volume *= (high + low + last) / 3
	if !timed || !opened || !rose || !fell || !closed || !traded || volume > upstream.MaximumUSD ||
		high < max(open, last) || low > min(open, last) {
		return market.Candle{}, false
	}
	return market.Candle{Time: at, Open: open, High: high, Low: low, Close: last, VolumeUSD: volume}, true
}
