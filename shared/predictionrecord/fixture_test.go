package predictionrecord

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// now is the instant that the tests' answers describe.
var now = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// story builds a wallet's history step by step.
type story struct {
	Record
	transactions uint32
}

func newStory() *story {
	return &story{Record: Record{
		Wallet: chain.Address{0x11}, Activity: &market.PredictionActivity{}, Positions: &market.PredictionPositions{},
		Markets: make(map[market.Hash]market.PredictionMarket), Prices: make(map[string][]market.PricePoint),
	}}
}

// condition is the market of a number.
func condition(n int) market.Hash {
	var id market.Hash
	id[0] = 0xcc
	binary.BigEndian.PutUint32(id[1:], uint32(n))
	return id
}

// outcome is the token of one side of a market: 0 is yes, 1 is no.
func outcome(n, side int) string { return fmt.Sprintf("%d%d", 1000+n, side) }

// market adds market n of an event, open, at a price of yes.
func (s *story) market(n int, event string, price float64) *story {
	s.Markets[condition(n)] = market.PredictionMarket{
		Market: condition(n), Event: event, FeeRate: math.NaN(), TickSize: 0.01, Spread: 0.02, LiquidityUSD: 50_000,
		EndsAt: now.Add(100 * day),
		Outcomes: []market.PredictionOutcome{
			{Asset: outcome(n, 0), Price: price, Payout: math.NaN()}, {Asset: outcome(n, 1), Price: 1 - price, Payout: math.NaN()},
		},
	}
	return s
}

// decide ends market n so long ago with a payout of yes.
func (s *story) decide(n int, ago time.Duration, payout float64) *story {
	m := s.Markets[condition(n)]
	m.Decided, m.ClosedAt = true, now.Add(-ago)
	m.Outcomes = []market.PredictionOutcome{
		{Asset: outcome(n, 0), Price: payout, Payout: payout}, {Asset: outcome(n, 1), Price: 1 - payout, Payout: 1 - payout},
	}
	s.Markets[condition(n)] = m
	return s
}

// buy and sell deal in one side of market n, so long ago, in a transaction of its own.
func (s *story) buy(n, side int, shares, price float64, ago time.Duration) *story {
	return s.trade(n, side, shares, price, ago, true)
}

func (s *story) sell(n, side int, shares, price float64, ago time.Duration) *story {
	return s.trade(n, side, shares, price, ago, false)
}

func (s *story) trade(n, side int, shares, price float64, ago time.Duration, buy bool) *story {
	s.transactions++
	t := market.PredictionTrade{
		Time: now.Add(-ago), Market: condition(n), Event: s.Markets[condition(n)].Event, Asset: outcome(n, side), Outcome: side,
		Buy: buy, Price: price, Shares: shares, USD: price * shares, Role: market.Taker,
	}
	binary.BigEndian.PutUint32(t.Transaction[1:], s.transactions)
	s.Activity.Trades = append(s.Activity.Trades, t)
	return s
}

// last is the trade added last.
func (s *story) last() *market.PredictionTrade { return &s.Activity.Trades[len(s.Activity.Trades)-1] }

func (s *story) move(kind market.PredictionMoveKind, n int, shares, usd float64, ago time.Duration) *story {
	s.Activity.Moves = append(s.Activity.Moves, market.PredictionMove{
		Time: now.Add(-ago), Kind: kind, Market: condition(n), Event: s.Markets[condition(n)].Event, Shares: shares, USD: usd,
	})
	return s
}

// follow says what an outcome cost a minute after its last trade.
func (s *story) follow(price float64) *story {
	t := s.last()
	s.Prices[t.Asset] = []market.PricePoint{{Time: t.Time.Add(time.Minute), USD: price}}
	return s
}

// bet adds an event of its own with one purchase of yes, decided after a day.
func (s *story) bet(n int, price float64, won bool, ago time.Duration) *story {
	payout := 0.0
	if won {
		payout = 1
	}
	return s.market(n, fmt.Sprint("event-", n), price).buy(n, 0, 100/price, price, ago).follow(price).decide(n, ago-day, payout)
}

// sorted puts the history in order of time, as ports do.
func (s *story) sorted() *Record {
	slices.SortStableFunc(s.Activity.Trades, func(a, b market.PredictionTrade) int { return a.Time.Compare(b.Time) })
	slices.SortStableFunc(s.Activity.Moves, func(a, b market.PredictionMove) int { return a.Time.Compare(b.Time) })
	return &s.Record
}

func near(t *testing.T, name string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9) {
		t.Errorf("%s = %.12g, want %.12g", name, got, want)
	}
}
