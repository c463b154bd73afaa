package polymarket

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

const (
	pricesPath = "/prices-history"
	// windowLength is less than the fortnight or so above which the service refuses a call.
	windowLength = 14 * 24 * time.Hour
	priceCalls   = 8
	// coarse is the finest step, in minutes, that the service keeps of markets that ended.
	coarse = 720
)

// venueStart is before the first market.
var venueStart = time.Date(2020, 6, 1, 0, 0, 0, 0, time.UTC)

// PredictionPrices reads what an outcome cost, in steps of a minute for a time of up to a day, of ten minutes for up to a fortnight, and of
// an hour beyond; of markets that ended long ago half days are all there is.
func (a *Adapter) PredictionPrices(ctx context.Context, request market.PredictionPriceRequest) ([]market.PricePoint, error) {
	asset, ok := readAsset(upstream.Text(request.Asset))
	if !ok {
		return nil, fmt.Errorf("not the token of an outcome: %q", request.Asset)
	}
	from, to, now := request.From, request.To, a.clob.Now()
	if from.Before(venueStart) {
		from = venueStart
	}
	if to.After(now) {
		to = now
	}
	if from.After(to) {
		return nil, nil
	}
	var windows []url.Values
	for start, last := from.Unix(), to.Unix(); start <= last; start += int64(windowLength / time.Second) {
		windows = append(windows, url.Values{
			"market": {asset}, "fidelity": {strconv.Itoa(fidelity(to.Sub(from)))},
			"startTs": {strconv.FormatInt(start, 10)}, "endTs": {strconv.FormatInt(min(start+int64(windowLength/time.Second)-1, last), 10)},
		})
	}
	answers := make([][]wirePoint, len(windows))
	calls, callsContext := parallel.WithContext(ctx)
	calls.SetLimit(priceCalls)
	for i, query := range windows {
		calls.Go(func() (err error) {
			answers[i], err = a.prices(callsContext, query)
			return err
		})
	}
	if err := calls.Wait(); err != nil {
		return nil, err
	}
	rows := slices.Concat(answers...)
	if len(rows) == 0 {
		var err error
		if rows, err = a.prices(ctx, url.Values{"market": {asset}, "interval": {"max"}, "fidelity": {strconv.Itoa(coarse)}}); err != nil {
			return nil, err
		}
	}
	return a.points(rows, from, to), nil
}

// fidelity is the step of prices, in minutes, for a length of time.
func fidelity(length time.Duration) int {
	switch {
	case length <= 24*time.Hour:
		return 1
	case length <= windowLength:
		return 10
	}
	return 60
}

type wirePoint struct {
	Time  upstream.Number `json:"t"`
	Price upstream.Number `json:"p"`
}

func (a *Adapter) prices(ctx context.Context, query url.Values) ([]wirePoint, error) {
	return upstream.Get(ctx, a.clob, pricesPath, query, func(response *upstream.Response) ([]wirePoint, error) {
		answer, err := upstream.JSON[struct {
			History jsontext.Value `json:"history"`
		}](response)
		if err != nil {
			return nil, err
		}
		if answer.History == nil {
			return nil, fmt.Errorf("%w: no history", upstream.ErrUnreadable)
		}
		var rows upstream.Rows[wirePoint]
		if err := upstream.Unmarshal(answer.History, &rows); err != nil {
			return nil, err
		}
		legible := func(row wirePoint) bool {
			_, timed := row.Time.Float()
			_, priced := row.Price.Float()
			return timed && priced
		}
		if count := len(rows.Good) + rows.Dropped; count > 0 && !slices.ContainsFunc(rows.Good, legible) {
			return nil, fmt.Errorf("%w: none of %d points has a time and a price", upstream.ErrUnreadable, count)
		}
		a.clob.Drop(pricesPath, rows.Dropped)
		return rows.Good, nil
	})
}

// points checks prices and puts those from one instant to another in the order of time, one an instant. Zero and one are what a market ended
// at, at which nobody could buy: they are no prices, nor are they wrong.
func (a *Adapter) points(rows []wirePoint, from, to time.Time) []market.PricePoint {
	points, now, dropped := make([]market.PricePoint, 0, len(rows)), a.clob.Now(), 0
	for _, row := range rows {
		at, ok1 := row.Time.Seconds(now)
		price, ok2 := within(row.Price, 0, 1)
		switch {
		case !ok1 || !ok2:
			dropped++
		case price > 0 && price < 1 && !at.Before(from) && !at.After(to):
			points = append(points, market.PricePoint{Time: at, USD: price})
		}
	}
	a.clob.Drop(pricesPath, dropped)
	slices.SortStableFunc(points, func(x, y market.PricePoint) int { return x.Time.Compare(y.Time) })
	return slices.CompactFunc(points, func(x, y market.PricePoint) bool { return x.Time.Equal(y.Time) })
}
