package perp

import (
	"math"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// Nine small wins of ten orders are won thirty times over on three positions, which is worth three results: the roots of
// (0.9 − p)² = 1.96²·p(1 − p)/3.
func TestTheIntervalCountsPositions(t *testing.T) {
	s := newStage()
	for i := range 3 {
		at := now.Add(time.Duration(i-30) * day)
		s.fill(market.PerpFill{Coin: "BTC", Time: at, Buy: true, Price: 100, Size: 10})
		for j := range 9 {
			s.fill(market.PerpFill{Coin: "BTC", Time: at.Add(time.Duration(j+1) * time.Minute), Price: 101, Size: 1, Before: float64(10 - j), ClosedPnLUSD: 1})
		}
		s.fill(market.PerpFill{Coin: "BTC", Time: at.Add(time.Hour), Price: 50, Size: 1, Before: 1, ClosedPnLUSD: -50})
	}
	answer := s.answer(t)
	if *answer.WinRate != 0.9 || answer.ClosedTrades != 30 || answer.ClosedPositions != 3 || *answer.WinRateInterval.Low != 0.358 || *answer.WinRateInterval.High != 0.993 {
		t.Errorf("%v of %d, %d positions, %v to %v", *answer.WinRate, answer.ClosedTrades, answer.ClosedPositions, *answer.WinRateInterval.Low, *answer.WinRateInterval.High)
	}
}

func TestALiquidatedPositionIsNoWin(t *testing.T) {
	s := newStage().rounds(30, "BTC", 5, 5, 5, 5, 5)
	s.fills.Fills[1].Forced = market.Liquidated
	h := measure(s.record(t, now), math.NaN())
	if h.won != 4 || h.episodeWins != 4 || h.orders != 5 {
		t.Errorf("%+v", h)
	}
}

// Positions that came out at nothing are in no rate, and make none surer.
func TestTheIntervalCountsNoMoreThanTrades(t *testing.T) {
	s := newStage().rounds(60, "BTC", 5, 5, 5, 5, -5)
	want := *s.answer(t).WinRateInterval.Low
	s.rounds(30, "ETH", 0, 0, 0, 0, 0)
	for i := range s.fills.Fills {
		if f := &s.fills.Fills[i]; f.Coin == "ETH" {
			f.FeeUSD = 0
		}
	}
	if answer := s.answer(t); answer.ClosedTrades != 5 || answer.ClosedPositions != 10 || *answer.WinRateInterval.Low != want {
		t.Errorf("%d trades, %d positions, from %v, not %v", answer.ClosedTrades, answer.ClosedPositions, *answer.WinRateInterval.Low, want)
	}
}
