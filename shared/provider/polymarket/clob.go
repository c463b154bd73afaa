package polymarket

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

// wireBookMarket is a market as the order book service knows it.
type wireBookMarket struct {
	Condition upstream.Text                 `json:"condition_id"`
	EndDate   upstream.Text                 `json:"end_date_iso"`
	Closed    upstream.Flag                 `json:"closed"`
	Exclusive upstream.Flag                 `json:"neg_risk"`
	Halves    upstream.Flag                 `json:"is_50_50_outcome"`
	Tick      upstream.Number               `json:"minimum_tick_size"`
	Tags      loose[upstream.Rows[wireTag]] `json:"tags"`
	Tokens    upstream.Rows[struct {
		Asset  upstream.Text   `json:"token_id"`
		Price  upstream.Number `json:"price"`
		Winner upstream.Flag   `json:"winner"`
	}] `json:"tokens"`
}

// opinion asks the order book service about one market; false is one that it does not know. It names no event.
func (a *Adapter) opinion(ctx context.Context, condition market.Hash) (market.PredictionMarket, bool, error) {
	path := "/markets/" + writeHash(condition)
	answer, err := upstream.Get(ctx, a.clob, path, nil, func(response *upstream.Response) (*wireBookMarket, error) {
		if response.Status == http.StatusNotFound {
			return nil, nil
		}
		answer, err := upstream.JSON[wireBookMarket](response)
		if named, ok := readHash(answer.Condition); err == nil && (!ok || named != condition) {
			err = fmt.Errorf("%w: not the market that was asked for", upstream.ErrUnreadable)
		}
		return &answer, err
	})
	if err != nil || answer == nil {
		return market.PredictionMarket{}, false, err
	}
	read, ok := answer.read(condition)
	if !ok {
		a.clob.Drop(path, 1)
	}
	return read, ok, nil
}

// read checks a market. It has an end where it is closed and one token has won, or where it was halved and none has.
func (w *wireBookMarket) read(condition market.Hash) (market.PredictionMarket, bool) {
	read := market.PredictionMarket{
		Market: condition, Category: tagCategory(w.Tags.value.Good, ""), EndsAt: readDay(w.EndDate),
		Exclusive: market.Tristate(w.Exclusive) == market.Yes, FeeRate: math.NaN(),
		TickSize: orNaN(w.Tick, math.SmallestNonzeroFloat64, 0.5), Spread: math.NaN(), LiquidityUSD: math.NaN(),
		Outcomes: make([]market.PredictionOutcome, len(w.Tokens.Good)),
	}
	winner, winners := 0, 0
	for i, token := range w.Tokens.Good {
		asset, ok := readAsset(token.Asset)
		if !ok || slices.ContainsFunc(read.Outcomes[:i], func(o market.PredictionOutcome) bool { return o.Asset == asset }) {
			return market.PredictionMarket{}, false
		}
		read.Outcomes[i] = market.PredictionOutcome{Asset: asset, Price: orNaN(token.Price, 0, 1), Payout: math.NaN()}
		if market.Tristate(token.Winner) == market.Yes {
			winner = i
			winners++
		}
	}
	halved := market.Tristate(w.Halves) == market.Yes && winners != 1
	if w.Tokens.Dropped > 0 || len(read.Outcomes) < 2 {
		return market.PredictionMarket{}, false
	}
	if market.Tristate(w.Closed) != market.Yes || (winners != 1 && !halved) {
		return read, true
	}
	read.Decided = true
	for i := range read.Outcomes {
		switch {
		case halved:
			read.Outcomes[i].Payout = 1 / float64(len(read.Outcomes))
		case i == winner:
			read.Outcomes[i].Payout = 1
		default:
			read.Outcomes[i].Payout = 0
		}
	}
	return read, true
}
