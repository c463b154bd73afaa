package polymarket

import (
	"math"
	"net/url"
	"testing"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

// Whatever a service answers, what comes of it is possible, and nothing panics.
func FuzzAnswers(f *testing.F) {
	for _, body := range []string{
		array(tradeRow(1, ago(day)), moveRow("REDEEM", 1, ago(day))), array(heldRow(1), closedRow(2, now)), array(marketRow(1), ended(2, `["0.5","0.5"]`)), bookRow(1),
		`{"history":[{"t":1795000000,"p":0.4}]}`, `[{"timestamp":1795000000,"type":"TRADE","price":1e-400,"size":"1e400"}]`, `[{"conditionId":{},"tags":[[]]}]`, `null`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		// What is no JSON would be asked for again, which takes time and tells nothing.
		if _, err := upstream.JSON[any](&upstream.Response{Status: 200, Body: body}); err != nil {
			return
		}
		a, _ := adapter(func(string, url.Values) (int, string) { return 200, string(body) })
		if activity, err := a.PredictionActivity(t.Context(), wallet); err == nil {
			checkActivity(t, activity)
		}
		if positions, err := a.PredictionPositions(t.Context(), wallet); err == nil {
			for _, p := range append(positions.Open, positions.Closed...) {
				if p.Asset == "" || !(p.Shares >= 0) || p.Price < 0 || p.Price > 1 || p.BoughtShares < 0 || p.AveragePrice > 1 || p.ClosedAt.After(now.Add(day)) {
					t.Error(p)
				}
			}
		}
		markets, err := a.PredictionMarkets(t.Context(), []market.Hash{condition(1), condition(2)})
		for hash, m := range markets {
			if err != nil || hash != m.Market || (hash != condition(1) && hash != condition(2)) || m.FeeRate < 0 || m.FeeRate > 1 || m.TickSize <= 0 || m.Spread < 0 || m.ClosedAt.After(now) {
				t.Error(hash, m, err)
			}
			paid := 0.0
			for _, outcome := range m.Outcomes {
				if paid += outcome.Payout; m.Decided == math.IsNaN(outcome.Payout) || outcome.Price < 0 || outcome.Price > 1 {
					t.Error(m)
				}
			}
			if m.Decided && math.Abs(paid-1) > 1e-9 {
				t.Error(m)
			}
		}
		prices, err := a.PredictionPrices(t.Context(), market.PredictionPriceRequest{Asset: asset(1), From: ago(day), To: now})
		for _, p := range prices {
			if err != nil || !(p.USD > 0 && p.USD < 1) || p.Time.Before(ago(day)) || p.Time.After(now) {
				t.Error(p, err)
			}
		}
	})
}

func checkActivity(t *testing.T, activity *market.PredictionActivity) {
	last := activity.Since
	for _, p := range activity.Trades {
		if !(p.Price > 0 && p.Price < 1 && p.Shares > 0 && p.USD >= 0) || math.IsInf(p.USD, 0) || p.Asset == "" || p.Outcome < -1 || p.Time.Before(last) {
			t.Error(p)
		}
		last = p.Time
	}
	for _, m := range activity.Moves {
		if m.Kind == market.OtherMove || m.Shares < 0 || m.USD < 0 || (m.Market == market.Hash{}) && m.Kind != market.Reward {
			t.Error(m)
		}
	}
}
