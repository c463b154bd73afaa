package perp

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
)

// repeat is so many results alike.
func repeat(n int, profit float64) []float64 {
	all := make([]float64, n)
	for i := range all {
		all[i] = profit
	}
	return all
}

// doubling adds a position that doubles a loser and still ends in profit.
func (s *stage) doubling(ago time.Duration) *stage {
	at := now.Add(-ago)
	s.fill(market.PerpFill{Coin: "SOL", Time: at, Buy: true, Price: 100, Size: 1})
	s.fill(market.PerpFill{Coin: "SOL", Time: at.Add(time.Hour), Buy: true, Price: 90, Size: 2, Before: 1})
	s.fill(market.PerpFill{Coin: "SOL", Time: at.Add(2 * time.Hour), Price: 97, Size: 3, Before: 3, ClosedPnLUSD: 11})
	return s
}

func TestEveryReason(t *testing.T) {
	for name, c := range map[string]struct {
		stage      func() *stage
		code, text string
	}{
		"no history": {func() *stage { s := newStage(); s.ledger.Transfers = nil; return s }, "NO_HISTORY",
			"No trade of this wallet is known, where a win rate needs at least 5; that says nothing against it."},
		"thin": {func() *stage { return newStage().rounds(20, "BTC", 5, 5) }, "THIN",
			"A win rate needs 5 closing trades and 3 positions followed from beginning to end over at least 7 days; there are 2 and 2 so far."},
		"few positions": {func() *stage { return newStage().rounds(20, "BTC", 5, 5, 5, -5, -5) }, "WIN_RATE",
			"Won 3 of 5 closing trades after their own fees; with only 5 closed positions behind them the true rate could be 23% to 88%."},
		"many positions": {func() *stage { return newStage().rounds(60, "BTC", append(repeat(30, 5), repeat(10, -5)...)...) }, "WIN_RATE",
			"Won 30 of 40 closing trades after their own fees; on the 40 closed positions behind them the true rate is likely 60% to 86%."},
		"profit factor": {func() *stage { return newStage().rounds(60, "BTC", append(repeat(20, 8), repeat(20, -1)...)...) }, "PF",
			"Closed positions gained 2.00 for every 1 lost after fees, without the funding of 30 of 40, where 1 is break-even."},
		"profit factor without funding": {func() *stage {
			s := newStage().rounds(20, "BTC", 5, 5, 5, -5, -5)
			s.broken = map[market.Port]bool{market.PerpFundingFacts: true}
			return s
		}, "PF", "Closed positions gained 0.64 for every 1 lost after fees, without funding, where 1 is break-even (only 5 positions, so uncertain)."},
		"funding matters": {func() *stage {
			s := newStage().rounds(60, "BTC", append(repeat(20, 8), repeat(20, -1)...)...)
			s.funding.Payments = []market.PerpPayment{{Time: now.Add(-day), Coin: "ETH", USD: 60, Rate: 0.1}}
			return s
		}, "PF_UNKNOWN", "What positions gained over what they lost is not told: funding is much of it here, and not known for 30 of 40 closed positions."},
		"funding mattered to the positions": {func() *stage {
			s := newStage().rounds(60, "BTC", repeat(40, 8)...)
			for i := range 10 { // 1.3 of 6 each
				s.funding.Payments = append(s.funding.Payments, market.PerpPayment{Time: now.Add(time.Duration(i-30)*day + time.Hour), Coin: "BTC", USD: -1.3, Rate: 0.1})
			}
			return s
		}, "PF_UNKNOWN", "What positions gained over what they lost is not told: funding is much of it here, and not known for 30 of 40 closed positions."},
		"wins often, loses more": {func() *stage { return newStage().rounds(60, "BTC", append(repeat(30, 4), repeat(10, -30)...)...) }, "PF",
			"Wins more often than it loses, but positions gained only 0.19 for every 1 lost after fees, without the funding of 30 of 40, where 1 is break-even."},
		"wins often by chance": {func() *stage { return newStage().rounds(20, "BTC", 4, 4, 4, 4, -30) }, "PF",
			"Closed positions gained 0.25 for every 1 lost after fees and funding, where 1 is break-even (only 5 positions, so uncertain)."},
		"no loss yet": {func() *stage { return newStage().rounds(20, "BTC", repeat(5, 5)...) }, "PF_NONE",
			"No losing position yet, which on 5 closed positions proves little."},
		"no loss at all": {func() *stage { return newStage().rounds(50, "BTC", repeat(35, 5)...) }, "PF_NONE",
			"No losing position among 35, which can also mean that losers are kept open."},
		"one coin": {func() *stage { return newStage().rounds(20, "BTC", 50, 50, 50).rounds(10, "ETH", -5, -5, 4) }, "ONE_COIN",
			"Only BTC of 2 coins traded made money on the whole; the others together lost (only 6 positions, so uncertain)."},
		"nearly one coin": {func() *stage { return newStage().rounds(20, "BTC", 500, 500, 500).rounds(10, "ETH", 3, 3, 3) }, "ONE_COIN",
			"Nearly all that coins earned on the whole came from BTC, one of 2 traded; the others together brought little (only 6 positions, so uncertain)."},
		"one coin, others little": {func() *stage { return newStage().rounds(20, "BTC", 50, 50, 50).rounds(10, "ETH", 5, 5, 4) }, "ONE_COIN",
			"95% of what coins earned on the whole came from BTC, one of 2 traded; the others together brought little (only 6 positions, so uncertain)."},
		"leverage": {func() *stage { s := newStage(); s.holds("BTC", 12_000, 0); return s }, "LEV",
			"Positions total 12 times the account's margin, where up to 1 needs nothing borrowed."},
		"a little leverage": {func() *stage { s := newStage(); s.holds("BTC", 100, 0); return s }, "LEV",
			"Positions total 0.1 times the account's margin, where up to 1 needs nothing borrowed."},
		"hedged": {func() *stage { s := newStage(); s.holds("BTC", 1_650, 0); s.holds("ETH", -1_350, 0); return s }, "HEDGED",
			"Longs and shorts nearly cancel: 3.0 times the margin in all, but 0.3 times net."},
		"near liquidation": {func() *stage {
			s := newStage()
			s.holds("BTC", -500, 0)
			s.holds("ETH", 100, 0).LiquidationPrice = 97
			return s
		}, "LIQ",
			"Nearest liquidation is 3% away, where less than 10% is close: the long position in ETH, if other prices stay."},
		"past liquidation": {func() *stage { s := newStage(); s.holds("ETH", -100, 0).LiquidationPrice = 97; return s }, "LIQ",
			"Nearest liquidation is 0% away, where less than 10% is close: the short position in ETH, if other prices stay."},
		"stress by a rise": {func() *stage { s := newStage(); s.holds("BTC", -500, 0); s.holds("ETH", 100, 0); return s }, "STRESS",
			"A rise of all prices together by 9% would liquidate at least one of 2 positions."},
		"stress by a fall": {func() *stage { s := newStage(); s.holds("BTC", 500, 0); s.holds("ETH", 100, 0); return s }, "STRESS",
			"A fall of all prices together by 9% would liquidate at least one of 2 positions."},
		"liquidated": {func() *stage {
			s := newStage().rounds(20, "BTC", 5, -50)
			s.fills.Fills[3].Forced = market.Liquidated
			s.ledger.Transfers = append(s.ledger.Transfers, market.PerpTransfer{Time: now.Add(-100 * day), Kind: market.LiquidationTransfer})
			return s
		}, "LIQUIDATED", "Was liquidated 2 times, the last time 18 days ago, where none is usual."},
		"funding paid": {func() *stage {
			s := newStage()
			s.funding.Payments = []market.PerpPayment{{Time: now.Add(-day), Coin: "BTC", USD: -20, Rate: 0.1}}
			return s
		}, "FUNDING", "Paid 2% of margin in funding in 30 days, which is 24% a year at that pace."},
		"funding of a young account": {func() *stage {
			s := newStage()
			s.ledger.Transfers[0].Time = now.Add(-10 * day)
			s.funding.Payments = []market.PerpPayment{{Time: now.Add(-day), Coin: "BTC", USD: -20, Rate: 0.1}}
			return s
		}, "FUNDING", "Paid 2% of margin in funding in 10 days, which is 73% a year at that pace."},
		"funding received": {func() *stage {
			s := newStage()
			s.funding.Payments = []market.PerpPayment{{Time: now.Add(-day), Coin: "BTC", USD: 30, Rate: -0.1}}
			return s
		}, "FUNDING", "Received 3% of margin in funding in 30 days, which is 37% a year at that pace."},
		"hidden losses": {func() *stage {
			s := newStage().rounds(20, "BTC", 12, 12, 12, 12, 12) // 50 after fees
			s.holds("ETH", 1_000, -0.5)
			return s
		}, "HIDDEN_LOSSES", "1 open position stands at a loss that is 100% of everything its 5 winning positions gained and no win rate shows."},
		"more hidden losses": {func() *stage {
			s := newStage().rounds(20, "BTC", 12, 12, 12, 12, 12)
			s.holds("ETH", 100, -0.5)
			s.holds("BTC", 160, -0.5)
			s.holds("SOL", 900, 0.5)
			return s
		}, "HIDDEN_LOSSES", "2 open positions stand at a loss that is 26% of everything its 5 winning positions gained and no win rate shows."},
		"doubling down": {func() *stage {
			return newStage().rounds(20, "BTC", 5, 5).doubling(15 * day).doubling(14 * day).doubling(13 * day)
		}, "DOUBLING_DOWN",
			"At least doubled a losing position in 3 of 5 closed positions; such records look good until one loss is larger than all gains."},
		"stale": {func() *stage { return newStage().rounds(100, "BTC", 5, 5, 5, 5, -5) }, "STALE",
			"Last trade 95 days ago; results older than 30 days say less of today."},
		"no funding": {func() *stage {
			s := newStage()
			s.broken = map[market.Port]bool{market.PerpFundingFacts: true}
			return s
		}, "UNREAD", "Funding payments of the last 30 days could not be read this time; what was paid is left out."},
		"some funding": {func() *stage { s := newStage(); s.funding.Truncated = true; return s }, "UNREAD",
			"Some funding payments of the last 30 days could not be read this time; what was paid is left out."},
		"no ledger": {func() *stage {
			s := newStage().rounds(20, "BTC", 5)
			s.broken = map[market.Port]bool{market.PerpLedgerFacts: true}
			return s
		}, "UNREAD", "Transfers could not be read this time; the account's age and liquidations before its first fill are left out."},
		"some of the ledger": {func() *stage { s := newStage(); s.ledger.Truncated = true; return s }, "UNREAD",
			"The latest transfers could not be read this time; liquidations that only they tell of are left out."},
		"no markets": {func() *stage {
			s := newStage()
			s.holds("BTC", 100, 0)
			s.broken = map[market.Port]bool{market.PerpMarketFacts: true}
			return s
		}, "UNREAD", "Margin tiers could not be read this time; the stress move is left out."},
		"many exchanges": {func() *stage {
			s := newStage()
			for i := range 11 {
				s.round(string(rune('a'+i))+":X", time.Duration(40-i)*day, 5)
			}
			return s
		}, "UNREAD", "Positions on 1 builder's exchange that it traded on earliest could not be read this time; those are left out."},
		"another liquidation price": {func() *stage { s := newStage(); s.holds("BTC", 100, 0).LiquidationPrice = 95; return s }, "LIQ_DIFFERS",
			"By the documented formula BTC is liquidated at a price 4% off the venue's own, which is the one shown; the stress move is left out."},
		"another profit": {func() *stage { s := newStage().rounds(20, "BTC", 5, 5); s.fills.Fills[1].ClosedPnLUSD = 50; return s }, "PNL_DIFFERS",
			"Average-entry accounting does not reproduce the venue's profit on 1 of 2 closing fills; its results are uncertain."},
		"cut short": {func() *stage {
			s := newStage().rounds(20, "BTC", 5)
			s.fills.Truncated, s.fills.Since = true, now.Add(-25*day)
			return s
		}, "TRUNCATED", "Only fills back to 25 days ago could be read, 2 fills of contracts among them; older trades are not in this answer."},
		"unknown beginnings": {func() *stage {
			s := newStage().rounds(20, "BTC", 5)
			s.fill(market.PerpFill{Coin: "ETH", Time: now.Add(-30 * day), Price: 100, Size: 1, Before: 1, ClosedPnLUSD: 3})
			return s
		}, "UNKNOWN_START", "1 of 2 closing trades closed positions that began before what could be read; they count in the win rate, not as positions."},
	} {
		t.Run(name, func(t *testing.T) { wantText(t, c.stage().answer(t), c.code, c.text) })
	}
}

func TestReasonsThatDoNotHold(t *testing.T) {
	for code, s := range map[string]*stage{
		"ONE_COIN":            newStage().rounds(20, "BTC", 50, 50, 50).rounds(10, "ETH", 20, 20, 20),
		"ONE_COIN of a loser": newStage().rounds(20, "BTC", 50, 50, 50).rounds(10, "ETH", -80, -80, 4),
		"HEDGED":              func() *stage { s := newStage(); s.holds("BTC", 900, 0); s.holds("ETH", -900, 0); return s }(),
		"STRESS":              func() *stage { s := newStage(); s.holds("BTC", 900, 0); return s }(),
		"HIDDEN_LOSSES": func() *stage {
			s := newStage().rounds(20, "BTC", 12, 12, 12, 12, 12)
			s.holds("ETH", 200, -0.5)
			return s
		}(),
		"DOUBLING_DOWN": newStage().rounds(20, "BTC", 5, 5, 5).doubling(15 * day).doubling(14 * day),
		"STALE":         newStage().rounds(34, "BTC", 5, 5, 5, 5, -5),
		"LIQ_DIFFERS":   func() *stage { s := newStage(); s.holds("BTC", 100, 0).LiquidationPrice *= 1.004; return s }(),
		"LIQUIDATED":    whole().rounds(3, "BTC", -50),
		"UNREAD":        whole(),
		"PNL_DIFFERS":   whole(),
		"TRUNCATED":     whole(),
		"UNKNOWN_START": whole(),
		"FUNDING":       func() *stage { s := whole(); s.funding.Payments[0].USD = -14; return s }(),
		"PF_NONE":       whole(),
		"NO_HISTORY":    newStage(),
		"WIN_RATE":      newStage().rounds(20, "BTC", 5, 5),
		"LEV":           func() *stage { s := newStage(); s.holds("BTC", 99, 0); return s }(),
		"LIQ":           func() *stage { s := newStage(); s.holds("BTC", -100, 0).LiquidationPrice = 201; return s }(),
		"THIN":          whole(),
		"PF_UNKNOWN of known funding": func() *stage {
			s := newStage().rounds(20, "BTC", 5, 5, 5, -5, -5)
			s.funding.Payments = []market.PerpPayment{{Time: now.Add(-day), Coin: "ETH", USD: 60, Rate: 0.1}}
			return s
		}(),
		"PF_UNKNOWN": func() *stage { s := whole(); s.funding.Payments[0].USD = -54; return s }(),
	} {
		if code == "LIQUIDATED" {
			s.ledger.Transfers = s.ledger.Transfers[:1]
		}
		answer := s.answer(t)
		code, _, _ = strings.Cut(code, " ")
		if r, found := find(answer.Reasons, code); found {
			t.Errorf("%s: %q", code, r.Text)
		}
	}
}

// The stress move counts the positions that share margin together and every other alone.
func TestStressOfSharedMargin(t *testing.T) {
	s := newStage()
	share := func(p *market.PerpPosition, liquidation float64) {
		p.Isolated, p.LiquidationPrice = false, liquidation
	}
	// 200 behind 10 BTC and −4 ETH at 100, maintained at 1 %: 10 and 4. BTC goes at 100−186/10/.99, ETH at 100+186/4/1.01; together at a
	// fall of 186/586.
	s.houses[0].CrossValueUSD, s.houses[0].CrossMaintenanceUSD = 200, 14
	share(s.holds("BTC", 1_000, 0), 100-18.6/0.99)
	share(s.holds("ETH", -400, 0), 100+46.5/1.01)
	answer := s.answer(t)
	if answer.StressMovePct == nil || *answer.StressMovePct != -31.74 {
		t.Errorf("%v", answer.StressMovePct)
	}
	if p := answer.Positions[0]; p.LeverageType != "cross" || *p.LiquidationDistancePct != 18.79 || answer.NearestLiquidation.Coin != "BTC" {
		t.Errorf("%+v", answer)
	}
	s.holds("SOL", 100, 0) // on its own it goes first
	if got := s.answer(t).StressMovePct; got == nil || *got != -9.09 {
		t.Errorf("%v", got)
	}
	s.houses[0].CrossValueUSD = 500 // not what the venue's prices say
	if got := s.answer(t); got.StressMovePct != nil {
		t.Errorf("%v", *got.StressMovePct)
	}
	s.markets = nil
	if got := s.answer(t); got.StressMovePct != nil || got.NearestLiquidation == nil {
		t.Error("without tiers there is no stress, but the venue's own prices")
	}
}

func TestSentencesAreSentences(t *testing.T) {
	for _, s := range []*stage{whole(), newStage(), newStage().rounds(20, "BTC", 5, 5, 5, -5, -5)} {
		for _, r := range s.answer(t).Reasons {
			if !strings.HasSuffix(r.Text, ".") || strings.Contains(r.Text, "%!") {
				t.Errorf("%s: %q", r.Code, r.Text)
			}
			for _, word := range []string{"guaranteed", "safe", " will "} {
				if strings.Contains(r.Text, word) {
					t.Errorf("%s says %q", r.Code, word)
				}
			}
		}
	}
	if codes := reason.Codes(whole().answer(t).Reasons); !slices.Equal(codes, []string{"LIQ", "LIQUIDATED", "WIN_RATE", "PF", "ONE_COIN"}) {
		t.Error(codes)
	}
}

func TestCoinNames(t *testing.T) {
	for coin, want := range map[string]string{
		"BTC": "BTC", "kPEPE": "kPEPE", "xyz:CL": "xyz:CL", "xyz:SMSN": "xyz:SMSN", "0G": "0G", "1000": "unnamed", "": "unnamed", "0xabc": "unnamed",
		"BTC USD": "unnamed", "a.io": "unnamed", "<b>": "unnamed", "$9": "unnamed", "a:b:c": "unnamed", ":CL": "unnamed", "АBC": "unnamed",
		"ABCDEFGHIJKLMNOPQ": "unnamed", "BTC\n": "unnamed", "x\u202e": "unnamed",
	} {
		if got := coinName(coin); got != want {
			t.Errorf("%q: %q", coin, got)
		}
	}
}

// A liquidation that takes all prices to double is no news.
func TestAFarStressIsNotSaid(t *testing.T) {
	s := newStage()
	s.houses[0].CrossValueUSD, s.houses[0].CrossMaintenanceUSD = 500, 3
	for _, coin := range []string{"BTC", "ETH"} {
		p := s.holds(coin, -150, 0)
		p.Isolated, p.LiquidationPrice = false, 100+(500-3)/1.5/1.01
	}
	answer := s.answer(t)
	if answer.StressMovePct == nil || *answer.StressMovePct < 100 || answer.NearestLiquidation == nil {
		t.Errorf("%+v", answer)
	}
	for _, code := range []string{"STRESS", "LIQ"} {
		if r, found := find(answer.Reasons, code); found {
			t.Errorf("%q", r.Text)
		}
	}
}

// What a follower loses money by comes before what the leader earned.
func TestTheOrderOfReasons(t *testing.T) {
	s := newStage().rounds(40, "BTC", 12, 12).doubling(15 * day).doubling(14 * day).doubling(13 * day)
	s.holds("ETH", 900, -0.9).LiquidationPrice = 98
	s.ledger.Transfers = append(s.ledger.Transfers, market.PerpTransfer{Time: now.Add(-50 * day), Kind: market.LiquidationTransfer})
	if codes := reason.Codes(s.answer(t).Reasons); !slices.Equal(codes, []string{"LIQ", "LIQUIDATED", "HIDDEN_LOSSES", "DOUBLING_DOWN", "WIN_RATE"}) {
		t.Error(codes)
	}
}
