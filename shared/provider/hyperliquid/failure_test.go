package hyperliquid

import (
	"context"
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

// ports are all that is read, by name.
func ports(a *Adapter) map[string]func(context.Context) (any, error) {
	return map[string]func(context.Context) (any, error){
		"fills":   func(ctx context.Context) (any, error) { return a.PerpFills(ctx, account) },
		"account": func(ctx context.Context) (any, error) { return a.PerpAccount(ctx, account, []string{"xyz"}) },
		"funding": func(ctx context.Context) (any, error) { return a.PerpFunding(ctx, account, time.UnixMilli(noon(0))) },
		"ledger":  func(ctx context.Context) (any, error) { return a.PerpLedger(ctx, account) },
		"markets": func(ctx context.Context) (any, error) { return a.PerpMarkets(ctx, "") },
		"candles": func(ctx context.Context) (any, error) {
			return a.PerpCandles(ctx, candleRequest("SOL", midnight(0), midnight(4)))
		},
	}
}

func TestFailuresAreNeverFacts(t *testing.T) {
	for _, answer := range []struct {
		status int
		body   string
	}{
		{200, `null`}, {200, `{}`}, {200, `"overloaded"`}, {200, `7`}, {200, `[7,"x"]`}, {200, `[[]]`}, {200, `<html></html>`}, {200, ``}, {200, `[{"time":1`},
		{422, `Failed to deserialize the JSON body into the target type`}, {400, `{"error":"no"}`}, {429, `null`}, {500, `null`}, {502, `<html>`},
	} {
		for name := range ports(nil) {
			synctest.Test(t, func(t *testing.T) {
				v := &venue{answer: func(asked) (int, string) { return answer.status, answer.body }}
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				got, err := ports(v.adapter())[name](ctx)
				if !errors.Is(err, market.ErrUnavailable) {
					t.Errorf("%s of %+v: %+v, %v", name, answer, got, err)
				}
				// What was asked side by side ends by itself.
				time.Sleep(time.Minute)
			})
		}
	}
}

func TestARefusalThatPassesIsNotNoticed(t *testing.T) {
	for _, status := range []int{429, 500} {
		synctest.Test(t, func(t *testing.T) {
			rows, calls := busy(2100, 3), 0
			kept := keeper(rows, 2000, 10_000)
			v := &venue{answer: func(q asked) (int, string) {
				if calls++; calls%2 == 1 {
					return status, `null`
				}
				return kept.answer(q)
			}}
			if got, err := v.adapter().PerpFills(t.Context(), account); err != nil || len(got.Fills) != 2100 || got.Truncated || calls != 4 {
				t.Errorf("%d: %v after %d calls", status, err, calls)
			}
		})
	}
}

func TestAFailureAmidThePagesIsOne(t *testing.T) {
	rows, calls := busy(2100, 3), 0
	kept := keeper(rows, 2000, 10_000)
	v := &venue{answer: func(q asked) (int, string) {
		if calls++; calls == 2 {
			return 422, "no"
		}
		return kept.answer(q)
	}}
	if got, err := v.adapter().PerpFills(t.Context(), account); !errors.Is(err, market.ErrUnavailable) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestSpotAndBuildersMayDifferInTheirFailures(t *testing.T) {
	for failing, fails := range map[string]bool{"": false, "spotClearinghouseState": false, "clearinghouseState": true, "clearinghouseStatexyz": true} {
		v := &venue{answer: func(q asked) (int, string) {
			switch {
			case q.Type+q.Dex == failing:
				return 422, "no"
			case q.Type == "spotClearinghouseState":
				return 200, `{"balances":[{"coin":"USDC","token":0,"total":"3"}]}`
			}
			return 200, nothingAtAll
		}}
		got, err := v.adapter().PerpAccount(t.Context(), account, []string{"xyz"})
		if fails != (err != nil) {
			t.Errorf("%q fails: %+v, %v", failing, got, err)
		}
		if err == nil && math.IsNaN(got.SpotDollars) != (failing == "spotClearinghouseState") {
			t.Errorf("%q fails: %+v", failing, got)
		}
	}
}

// A page of fills takes 20, and 100 for its rows: what is over the limit waits, and what cannot wait is refused.
func TestTheVenuesLimitIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := keeper(busy(3000, 1), 2000, 10_000)
		a := v.adapterWith(upstream.Config{Name: "venue", Base: "http://venue.invalid", PerMinute: 60, Burst: 90})
		begun := time.Now()
		patient, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if _, err := a.PerpFills(patient, account); err != nil {
			t.Fatal(err)
		}
		// Two questions, and a full answer before the second; its own 50 are owed.
		if waited := time.Since(begun).Round(time.Second); waited != (2*20+100-90)*time.Second {
			t.Errorf("waited %v", waited)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := a.PerpLedger(ctx, account); !errors.Is(err, market.ErrUnavailable) {
			t.Error(err)
		}
	})
}

// plausible fails for a fact that is none.
func plausible(t *testing.T, numbers ...float64) {
	t.Helper()
	for _, n := range numbers {
		if math.IsInf(n, 0) || math.Abs(n) > upstream.MaximumUSD {
			t.Fatalf("%g among %v", n, numbers)
		}
	}
}

func FuzzAnswers(f *testing.F) {
	f.Add([]byte(list(opening, oldOpening)))
	f.Add([]byte(list(with(f, opening, "px", `1e400`, "coin", `"\ud800"`, "liquidation", `{"liquidatedUser":7}`))))
	f.Add([]byte(holding(f, short, bare)))
	f.Add([]byte(list(entry(noon(0), paid), entry(noon(1), `{"type":"deposit","usdc":"1"}`))))
	f.Add([]byte(exchange(list(solana), list(traded))))
	f.Add([]byte(list(day(1), day(2))))
	f.Add([]byte(`{"balances":[{"coin":"USDC","token":0,"total":"14.5"}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		r := &upstream.Response{Status: 200, Body: body}
		if n := countRows(body); n < 0 || n > len(body) {
			t.Fatal(n)
		}
		if page, err := (history[fill]{"fills", 3, 1}).readPage(r, present); err == nil {
			fills, _ := readFills(sorted(page.rows), account)
			for i, x := range fills.Fills {
				plausible(t, x.Price, x.Size, x.Before, x.ClosedPnLUSD, x.FeeUSD, x.Price*x.Size)
				if !(x.Price > 0) || !(x.Size > 0) || x.Coin == "" || x.Before != x.Before || x.Order < 0 || x.Trade < 0 || x.TWAP < 0 ||
					i > 0 && x.Time.Before(fills.Fills[i-1].Time) || x.Time.After(present.Add(time.Hour)) {
					t.Fatalf("%+v", x)
				}
			}
		}
		if state, _, err := readState(r); err == nil {
			plausible(t, state.ValueUSD, state.CrossValueUSD, state.CrossMaintenanceUSD)
			for _, p := range state.Positions {
				plausible(t, p.Size, p.ValueUSD, p.UnrealizedUSD, p.MarginUsedUSD, p.EntryPrice, p.LiquidationPrice, p.FundingUSD, p.ReturnOnEquity)
				if p.Size == 0 || !(p.ValueUSD > 0) || !(p.Leverage >= 1) || p.Coin == "" {
					t.Fatalf("%+v", p)
				}
			}
		}
		if markets, _, err := readMarkets(r); err == nil {
			for _, m := range markets {
				plausible(t, m.MarkPrice, m.OraclePrice, m.OpenInterestUSD, m.VolumeUSD24h, m.FundingHourly)
				if len(m.Tiers) == 0 || m.Tiers[0].FromUSD != 0 || !(m.Tiers[0].MaximumLeverage >= 1) {
					t.Fatalf("%+v", m)
				}
			}
		}
		request := candleRequest("SOL", 0, midnight(400))
		if candles, _, err := readCandles(r, request, present); err == nil {
			for i, c := range candles {
				plausible(t, c.Open, c.High, c.Low, c.Close, c.VolumeUSD)
				if !(c.Low > 0) || c.High < c.Low || i > 0 && !c.Time.After(candles[i-1].Time) {
					t.Fatalf("%+v", c)
				}
			}
		}
		if page, err := (history[payment]{"funding", 3, 1}).readPage(r, present); err == nil {
			for _, row := range page.rows {
				if p, ok := row.row.check(row.time); ok {
					plausible(t, p.USD, p.Size, p.Rate)
				}
			}
		}
		if page, err := (history[update]{"ledger", 3, 1}).readPage(r, present); err == nil {
			for _, row := range page.rows {
				plausible(t, row.row.usd())
			}
		}
		if dollars, err := always("").adapter().readBalances(r); err == nil && !(math.IsNaN(dollars) || dollars >= 0) {
			t.Fatal(dollars)
		}
	})
}
