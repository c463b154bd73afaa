package copytrade

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/endpointtest"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
)

// now is the instant that the tests' answers describe.
var now = time.Date(2026, 6, 1, 12, 34, 0, 0, time.UTC)

// venue is a perpetuals venue that counts what it is asked.
type venue struct {
	mu      sync.Mutex
	markets map[string][]market.PerpMarket
	candles map[string][]market.Candle
	asked   []string
	// failing and silent are the errors of the list of contracts and of candles.
	failing, silent error
}

func (v *venue) PerpMarkets(_ context.Context, exchange string) ([]market.PerpMarket, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.asked = append(v.asked, "markets "+exchange)
	return v.markets[exchange], v.failing
}

func (v *venue) PerpCandles(_ context.Context, r market.PerpCandleRequest) ([]market.Candle, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.asked = append(v.asked, fmt.Sprintf("candles %s %s %s", r.Coin, r.From.Format(time.DateOnly), r.To.Format(time.DateOnly)))
	return v.candles[r.Coin], v.silent
}

func (v *venue) calls() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.asked)
}

// contract is one of the venue's, with the funding that contracts have when nobody crowds a side.
func contract(coin string, mark, maximum float64) market.PerpMarket {
	return market.PerpMarket{
		Coin: coin, MarkPrice: mark, OraclePrice: mark, FundingHourly: 0.0000125, VolumeUSD24h: 5e7, OpenInterestUSD: 2e7,
		Tiers: []market.MarginTier{{MaximumLeverage: maximum}},
	}
}

// newVenue lists BTC, DOGE with two tiers, kPEPE, a thin one, a delisted one and as many others as are needed to compare funding with.
func newVenue() *venue {
	doge := contract("DOGE", 0.25, 10)
	doge.Tiers = append(doge.Tiers, market.MarginTier{FromUSD: 3e6, MaximumLeverage: 5})
	thin, gone := contract("THIN", 2, 3), contract("GONE", 1, 3)
	thin.VolumeUSD24h, thin.OpenInterestUSD = 50_000, 900_000
	gone.Delisted = true
	all := []market.PerpMarket{contract("BTC", 60_000, 40), doge, contract("kPEPE", 0.012, 10), thin, gone}
	for i := range 26 {
		all = append(all, contract("C"+string(rune('A'+i)), 1, 5))
	}
	return &venue{
		markets: map[string][]market.PerpMarket{"": all, "xyz": {contract("xyz:CL", 70, 20)}},
		candles: map[string][]market.Candle{"BTC": steadyDays(30, 0.04), "DOGE": steadyDays(30, 0.05), "xyz:CL": steadyDays(12, 0.02), "THIN": steadyDays(4, 0.1), "kPEPE": steadyDays(30, 0)},
	}
}

// steadyDays are so many daily candles before now whose measured volatility is daily: each closes where it opened.
func steadyDays(days int, daily float64) []market.Candle {
	var candles []market.Candle
	for i := range days {
		high := math.Exp(medianRange * daily / 2)
		candles = append(candles, market.Candle{Time: now.Truncate(day).Add(time.Duration(i-days) * day), Open: 1, High: high, Low: 1 / high, Close: 1})
	}
	return candles
}

func (v *venue) handler() http.Handler {
	e := PerpCopyDecision()
	e.Open = true
	return endpoint.NewHandler(endpoint.Service{
		Sources: market.Sources{PerpMarkets: v, PerpCandles: v}, Clock: func() time.Time { return now },
	}, e)
}

// body is a request's, of pairs of a name and a value over the required parameters.
func body(t endpointtest.T, pairs ...any) string {
	t.Helper()
	values := map[string]any{"side": "long", "leverage": 5, "fundingRateHourly": 0.0000125}
	for i := 0; i < len(pairs); i += 2 {
		values[pairs[i].(string)] = pairs[i+1]
	}
	text, err := json.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func post(t endpointtest.T, handler http.Handler, body string) endpointtest.Answer {
	t.Helper()
	return endpointtest.Call{Method: http.MethodPost, Path: "/v1/perp-copy-decision", Body: body}.Do(t, handler)
}

// decision is an answer as a partner reads it.
type decision struct {
	Copy             bool            `json:"copy"`
	MaxLeverage      float64         `json:"maxLeverage"`
	SizeFactor       float64         `json:"sizeFactor"`
	LiqDistancePct   *float64        `json:"liqDistancePct"`
	FundingCostDaily *float64        `json:"fundingCostDaily"`
	TouchProbability *float64        `json:"touchProbability"`
	AllocationUSD    *float64        `json:"allocationUsd"`
	Flags            []string        `json:"flags"`
	Assumptions      PerpAssumptions `json:"assumptions"`
	Reasons          []string        `json:"reasons"`
}

// decide posts a request that must be answered.
func decide(t endpointtest.T, handler http.Handler, pairs ...any) decision {
	t.Helper()
	sent := body(t, pairs...)
	answer := post(t, handler, sent)
	if answer.Status != http.StatusOK {
		t.Fatalf("%s: status %d: %s", sent, answer.Status, answer.Body)
	}
	decoder := json.NewDecoder(strings.NewReader(answer.Body))
	decoder.DisallowUnknownFields()
	var d decision
	if err := decoder.Decode(&d); err != nil {
		t.Fatalf("%v: %s", err, answer.Body)
	}
	return d
}

// terms are those of a long position on a contract that is known as well as can be.
func terms(change func(*perpTerms)) *perpTerms {
	t := &perpTerms{
		side: 1, leverage: 5, fundingHourly: 0.0000125, entryPrice: math.NaN(), markPrice: math.NaN(), liquidation: math.NaN(),
		venueMaximum: figure{40, fromRequest}, maintenance: figure{0.0125, fromRequest}, holdTime: figure{24, byDefault},
		volatility: figure{0.03, fromRequest}, grade: "A", allocation: math.NaN(), coin: true, listed: true, crowding: 0.5, contracts: 100,
		dayVolume: 1e8, openInterest: 1e8,
	}
	if change != nil {
		change(t)
	}
	return t
}

// textOf is the sentence of a reason.
func textOf(t *testing.T, answer PerpCopyDecisionAnswer, code string) string {
	t.Helper()
	i := slices.IndexFunc(answer.Reasons, func(r reason.Reason) bool { return r.Code == code })
	if i < 0 {
		t.Fatalf("no reason %s in %v", code, reason.Codes(answer.Reasons))
	}
	return answer.Reasons[i].Text
}
