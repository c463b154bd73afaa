package perp

import (
	"encoding/json"
	"math"
	"net/http"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// whole is an account with something of everything.
func whole() *stage {
	s := newStage()
	s.rounds(60, "BTC", 52, 32, -18, 22, 12).rounds(40, "ETH", -38, 62)
	s.holds("ETH", -500, -0.02)
	s.holds("BTC", 1500, 0.3)
	s.funding.Payments = []market.PerpPayment{{Time: now.Add(-2 * day), Coin: "ETH", USD: -25, Rate: 0.05}, {Time: now.Add(-3 * day), Coin: "BTC", USD: 5, Rate: 0.01}}
	s.ledger.Transfers = append(s.ledger.Transfers, market.PerpTransfer{Time: now.Add(-50 * day), Kind: market.LiquidationTransfer})
	return s
}

func TestTheWholeAnswer(t *testing.T) {
	// Won 5 of 7: five wins of 50+30+20+10+60 after fees, losses of 20 and 40,
	// of BTC 90 and of ETH 20. Long 1,500 and short 500 on 1,000; each with margin of its
	// own is liquidated after 9.09 % and 8.91 %. Funding of 20 on 1,000.
	const want = `{"positions":[` +
		`{"coin":"BTC","side":"long","leverage":10,"leverageType":"isolated","sizeBand":"medium","pnlDirection":"up","returnOnEquityPct":30,"weightPct":75,"liquidationDistancePct":9.09},` +
		`{"coin":"ETH","side":"short","leverage":10,"leverageType":"isolated","sizeBand":"small","pnlDirection":"down","returnOnEquityPct":-2,"weightPct":25,"liquidationDistancePct":8.91}],` +
		`"accountBand":"1k-10k","bias":"long-heavy","effectiveLeverage":2,"winRate":0.714,"winRateInterval":{"low":0.359,"high":0.918},"closedTrades":7,"closedPositions":7,` +
		`"profitFactor":2.83,"fundingPaidPct":2,"liquidations":1,"lastLiquidationDaysAgo":50,"nearestLiquidation":{"coin":"ETH","distancePct":8.91},"stressMovePct":8.91,` +
		`"truncated":false,"coverage":{"reason":"ok","note":"Based on 7 trades that closed 7 positions over 21 days."},"reasons":[` +
		`"Nearest liquidation is 9% away, where less than 10% is close: the short position in ETH, if other prices stay.",` +
		`"Was liquidated 1 time, the last time 50 days ago, where none is usual.",` +
		`"Won 5 of 7 closing trades after their own fees; with only 7 closed positions behind them the true rate could be 36% to 92%.",` +
		`"Closed positions gained 2.83 for every 1 lost after fees, without funding, where 1 is break-even (only 7 positions, so uncertain).",` +
		`"82% of what coins earned on the whole came from BTC, one of 2 traded; the others together brought little (only 7 positions, so uncertain)."]}`
	got := whole().get(t)
	if got.Status != http.StatusOK || got.Body != want {
		t.Errorf("%d\n%s, not\n%s", got.Status, got.Body, want)
	}
	if got.Header.Get("X-Usage-Units") != "3" || got.Header.Get("X-Method-Version") == "" {
		t.Errorf("%v", got.Header)
	}
}

func TestAnUnknownWalletIsAnAnswer(t *testing.T) {
	const want = `{"positions":[],"accountBand":"under-1k","bias":"flat","effectiveLeverage":0,"winRate":null,"winRateInterval":null,"closedTrades":0,"closedPositions":0,` +
		`"profitFactor":null,"fundingPaidPct":null,"liquidations":0,"lastLiquidationDaysAgo":null,"nearestLiquidation":null,"stressMovePct":null,"truncated":false,` +
		`"coverage":{"reason":"no-venue-history","note":"No trade, transfer or position of this wallet was found on the venue."},` +
		`"reasons":["No trade of this wallet is known, where a win rate needs at least 5; that says nothing against it."]}`
	s := newStage()
	s.houses[0], s.ledger.Transfers = market.PerpClearinghouse{}, nil
	if got := s.get(t); got.Status != http.StatusOK || got.Body != want {
		t.Errorf("%d\n%s, not\n%s", got.Status, got.Body, want)
	}
}

func TestCoverage(t *testing.T) {
	truncate := func(s *stage) *stage {
		s.fills.Truncated, s.fills.Since, s.fills.FirstOther = true, now.Add(-90*day), now.Add(-90*day)
		return s
	}
	open := func(s *stage) *stage { s.holds("BTC", 100, 0); return s }
	young := func(s *stage, age time.Duration) *stage { s.ledger.Transfers[0].Time = now.Add(-age); return s }
	unread := func(s *stage) *stage {
		s.broken = map[market.Port]bool{market.PerpLedgerFacts: true}
		return s
	}
	nothing := func() *stage { s := newStage(); s.ledger.Transfers = nil; return s }
	loser := func(s *stage) *stage { // closing trades without any result
		for i := range s.fills.Fills {
			s.fills.Fills[i].FeeUSD, s.fills.Fills[i].ClosedPnLUSD = 0, 0
		}
		return s
	}
	begun := func(n int) *stage { // closing orders of positions that began before what could be read
		s := newStage()
		for i := range n {
			s.fill(market.PerpFill{Coin: "BTC", Time: now.Add(time.Duration(i-20) * day), Price: 100, Size: 1, Before: float64(20 - i), ClosedPnLUSD: 5})
		}
		return s
	}
	for name, c := range map[string]struct {
		stage        *stage
		reason, note string
	}{
		"nothing":             {nothing(), "no-venue-history", "No trade, transfer or position of this wallet was found on the venue."},
		"nothing, unread":     {unread(nothing()), "no-venue-history", "No trade or position of this wallet was found on the venue; its transfers could not be read."},
		"a deposit":           {young(newStage(), 3*day), "account-too-new", "First seen on the venue 3 days ago; results are measured from 7 days on."},
		"new with trades":     {young(newStage().rounds(6, "BTC", 5, 5, 5, 5, 5, 5), 6*day), "account-too-new", "First seen on the venue 6 days ago; results are measured from 7 days on."},
		"just old enough":     {young(newStage().rounds(6, "BTC", 5, 5, 5, 5, 5, 5), 7*day), "ok", "Based on 6 trades that closed 6 positions over 5 days."},
		"older deposit":       {newStage().rounds(6, "BTC", 5, 5, 5, 5, 5, 5), "ok", "Based on 6 trades that closed 6 positions over 5 days."},
		"only a position":     {open(nothing()), "open-positions-only", "Has 1 open position but no closing trade, so there is no result to measure yet."},
		"an old deposit":      {newStage(), "open-positions-only", "Has been on the venue for 200 days without an open position or a closing trade, so there is no result to measure yet."},
		"four trades":         {newStage().rounds(30, "BTC", 5, 5, 5, 5), "below-min-closed-trades", "Only 4 closing trades so far; at least 5 are needed before a win rate means anything."},
		"four and a position": {open(newStage().rounds(30, "BTC", 5, 5, 5, 5)), "below-min-closed-trades", "Only 4 closing trades so far; at least 5 are needed before a win rate means anything."},
		"no results":          {loser(newStage().rounds(30, "BTC", 5, 5, 5, 5, 5)), "below-min-closed-trades", "Only 0 closing trades so far; at least 5 are needed before a win rate means anything."},
		"no beginnings":       {begun(8), "below-min-closed-trades", "Only 0 closed positions from beginning to end; at least 3 are needed before a win rate means anything."},
		"five trades":         {newStage().rounds(30, "BTC", 5, 5, 5, 5, 5), "ok", "Based on 5 trades that closed 5 positions over 4 days."},
		"cut short":           {truncate(newStage().rounds(30, "BTC", 5, 5, 5, 5, 5)), "ok", "Based on the latest 10 fills."},
		"cut and few":         {truncate(newStage().rounds(30, "BTC", 5)), "below-min-closed-trades", "Only 1 closing trade so far in the last 90 days, as far back as fills could be read; at least 5 are needed before a win rate means anything."},
		"cut, age unknown": {func() *stage {
			s := unread(truncate(newStage().rounds(5, "BTC", 5, 5, 5, 5, 5)))
			s.fills.Since = now.Add(-5 * day)
			return s
		}(), "ok", "Based on the latest 10 fills."},
		"spot trades, transfers unread": {func() *stage {
			s := unread(nothing())
			s.fills.FirstOther = now.Add(-40 * day)
			return s
		}(), "open-positions-only", "Has been on the venue for 40 days without an open position or a closing trade, so there is no result to measure yet."},
		"spot trades only": {truncate(nothing()), "open-positions-only", "Has been on the venue for 90 days without an open position or a closing trade in the last 90 days, as far back as fills could be read, so there is no result to measure yet."},
	} {
		answer := c.stage.answer(t)
		if answer.Coverage.Reason != c.reason || answer.Coverage.Note != c.note {
			t.Errorf("%s: %+v", name, answer.Coverage)
		}
		rated := c.reason == "ok"
		if (answer.WinRate != nil) != rated || (answer.WinRateInterval != nil) != rated || !rated && answer.ProfitFactor != nil {
			t.Errorf("%s: a win rate of %v", name, answer.WinRate)
		}
		if n := len(answer.Reasons); n > 5 || n < 1 || rated && n < 2 {
			t.Errorf("%s: %d reasons", name, n)
		}
		body := c.stage.get(t)
		var decoded map[string]any
		if err := json.Unmarshal([]byte(body.Body), &decoded); err != nil || body.Status != http.StatusOK || len(decoded) != 17 {
			t.Errorf("%s: %d, %v, %d keys: %s", name, body.Status, err, len(decoded), body.Body)
		}
	}
}

func TestWithoutTheVenueThereIsNoAnswer(t *testing.T) {
	for _, port := range PerpWallet().Needs {
		s := whole()
		s.broken = map[market.Port]bool{port: true}
		want := http.StatusOK
		if port == market.PerpFillFacts || port == market.PerpAccountFacts {
			want = http.StatusServiceUnavailable
		}
		if got := s.get(t); got.Status != want {
			t.Errorf("without %s: %d %s", port, got.Status, got.Body)
		}
	}
}

func TestBias(t *testing.T) {
	for _, c := range []struct {
		long, short float64
		want        string
	}{
		{0, 0, "flat"}, {10, 0, "long-only"}, {97.5, 2.5, "long-only"}, {97.4, 2.6, "long-heavy"}, {65, 35, "long-heavy"}, {64.9, 35.1, "balanced"},
		{50, 50, "balanced"}, {35.1, 64.9, "balanced"}, {35, 65, "short-heavy"}, {2.6, 97.4, "short-heavy"}, {2.5, 97.5, "short-only"}, {0, 1, "short-only"},
	} {
		s := newStage()
		if c.long > 0 {
			s.holds("BTC", c.long, 0)
		}
		if c.short > 0 {
			s.holds("ETH", -c.short, 0)
		}
		if got := s.answer(t).Bias; got != c.want {
			t.Errorf("%v and %v: %s", c.long, c.short, got)
		}
	}
}

func TestDirectionsAndBands(t *testing.T) {
	for returned, want := range map[float64]string{0.005: "up", 0.0049: "flat", 0: "flat", -0.0049: "flat", -0.005: "down"} {
		s := newStage()
		s.holds("BTC", 100, returned)
		if got := s.answer(t).Positions[0].PnLDirection; got == nil || *got != want {
			t.Errorf("%v: %v", returned, got)
		}
	}
	s := newStage()
	s.holds("BTC", 100, math.NaN())
	if p := s.answer(t).Positions[0]; p.PnLDirection != nil || p.ReturnOnEquityPct != nil {
		t.Errorf("%+v", p)
	}
	for value, want := range map[float64]string{9.99: "dust", 10: "micro", 100: "small", 1_000: "medium", 10_000: "large", 100_000: "whale"} {
		s := newStage()
		s.holds("BTC", value, 0)
		if got := s.answer(t).Positions[0].SizeBand; got != want {
			t.Errorf("%v: %s", value, got)
		}
	}
	for value, want := range map[float64]string{-5: "under-1k", 999.99: "under-1k", 1_000: "1k-10k", 10_000: "10k-100k", 100_000: "100k-1m", 1_000_000: "over-1m"} {
		s := newStage()
		s.houses[0].ValueUSD = value
		if got := s.answer(t).AccountBand; got == nil || *got != want {
			t.Errorf("%v: %v", value, got)
		}
	}
}

func TestLeverageOfTheAccount(t *testing.T) {
	s := newStage()
	s.holds("BTC", 3_210, 0)
	leverage := func(s *stage) float64 {
		if got := s.answer(t).EffectiveLeverage; got != nil {
			return *got
		}
		return math.NaN()
	}
	if got := leverage(s); got != 3.21 {
		t.Error(got)
	}
	s.spot = 10_000 // beside the margin, not behind it
	if got := leverage(s); got != 3.21 || *s.answer(t).AccountBand != "10k-100k" {
		t.Error(got)
	}
	s.houses[0].ValueUSD = 10 // which could not carry this at 50: the dollar coins do
	if got := leverage(s); got != 0.32 {
		t.Error(got)
	}
	s.houses[0].ValueUSD, s.spot = -10, math.NaN()
	if got := leverage(s); !math.IsNaN(got) {
		t.Error(got)
	}
}

func TestFundingPaid(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*stage)
		want   float64
	}{
		"paid":                      {func(*stage) {}, 2},
		"received":                  {func(s *stage) { s.funding.Payments[0].USD = 25 }, -3},
		"none":                      {func(s *stage) { s.funding.Payments = nil }, 0},
		"cut short":                 {func(s *stage) { s.funding.Truncated, s.funding.Until = true, now.Add(-time.Hour) }, math.NaN()},
		"unread":                    {func(s *stage) { s.broken = map[market.Port]bool{market.PerpFundingFacts: true} }, math.NaN()},
		"no margin":                 {func(s *stage) { s.houses[0].ValueUSD = 0 }, math.NaN()},
		"margin that was withdrawn": {func(s *stage) { s.funding.Payments[0].Rate = 0.0004 }, math.NaN()}, // 62,500 on 1,000
	} {
		s := whole()
		c.change(s)
		got := s.answer(t).FundingPaidPct
		if (got == nil) != math.IsNaN(c.want) || got != nil && *got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
