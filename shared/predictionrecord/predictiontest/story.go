package predictiontest

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// Now is the instant that the stories are told at.
var Now = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// Day is a day.
const Day = 24 * time.Hour

// Wallet is whose history a story tells.
var Wallet = chain.Address{0x11}

// Story builds a wallet's history step by step, and stands behind all ports of the venue.
type Story struct {
	Activity  *market.PredictionActivity
	Positions *market.PredictionPositions
	Markets   map[market.Hash]market.PredictionMarket
	Prices    map[string][]market.PricePoint
	// Role is that of the trades to come.
	Role         market.PredictionRole
	transactions uint32
	// Failing is what the port of that name answers with.
	Failing map[market.Port]error
	calls   calls
}

// New begins a story.
func New() *Story {
	return &Story{
		Activity: &market.PredictionActivity{}, Positions: &market.PredictionPositions{}, Role: market.Taker,
		Markets: make(map[market.Hash]market.PredictionMarket), Prices: make(map[string][]market.PricePoint), Failing: make(map[market.Port]error),
	}
}

// Condition is the market of a number.
func Condition(n int) market.Hash {
	var id market.Hash
	id[0] = 0xcc
	binary.BigEndian.PutUint32(id[1:], uint32(n))
	return id
}

// Outcome is the token of one side of a market: 0 is yes, 1 is no.
func Outcome(n, side int) string { return fmt.Sprintf("%d%d", 1000+n, side) }

// Market adds market n of an event, open, at a price of yes.
func (s *Story) Market(n int, event string, price float64) *Story {
	s.Markets[Condition(n)] = market.PredictionMarket{
		Market: Condition(n), Event: event, FeeRate: math.NaN(), TickSize: 0.01, Spread: 0.02, LiquidityUSD: 50_000,
		EndsAt: Now.Add(100 * Day),
		Outcomes: []market.PredictionOutcome{
			{Asset: Outcome(n, 0), Price: price, Payout: math.NaN()}, {Asset: Outcome(n, 1), Price: 1 - price, Payout: math.NaN()},
		},
	}
	return s
}

// Decide ends market n so long ago with a payout of yes.
func (s *Story) Decide(n int, ago time.Duration, payout float64) *Story {
	m := s.Markets[Condition(n)]
	m.Decided, m.ClosedAt = true, Now.Add(-ago)
	m.Outcomes = []market.PredictionOutcome{
		{Asset: Outcome(n, 0), Price: payout, Payout: payout}, {Asset: Outcome(n, 1), Price: 1 - payout, Payout: 1 - payout},
	}
	s.Markets[Condition(n)] = m
	return s
}

// Buy buys one side of market n, so long ago, in a transaction of its own.
func (s *Story) Buy(n, side int, shares, price float64, ago time.Duration) *Story {
	return s.trade(n, side, shares, price, ago, true)
}

// Sell is Buy the other way round.
func (s *Story) Sell(n, side int, shares, price float64, ago time.Duration) *Story {
	return s.trade(n, side, shares, price, ago, false)
}

func (s *Story) trade(n, side int, shares, price float64, ago time.Duration, buy bool) *Story {
	s.transactions++
	t := market.PredictionTrade{
		Time: Now.Add(-ago), Market: Condition(n), Event: s.Markets[Condition(n)].Event, Asset: Outcome(n, side), Outcome: side,
		Buy: buy, Price: price, Shares: shares, USD: price * shares, Role: s.Role,
	}
	binary.BigEndian.PutUint32(t.Transaction[1:], s.transactions)
	s.Activity.Trades = append(s.Activity.Trades, t)
	return s
}

// Last is the trade added last.
func (s *Story) Last() *market.PredictionTrade { return &s.Activity.Trades[len(s.Activity.Trades)-1] }

// Move adds a split, a merge and the like of market n.
func (s *Story) Move(kind market.PredictionMoveKind, n int, shares, usd float64, ago time.Duration) *Story {
	s.Activity.Moves = append(s.Activity.Moves, market.PredictionMove{
		Time: Now.Add(-ago), Kind: kind, Market: Condition(n), Event: s.Markets[Condition(n)].Event, Shares: shares, USD: usd,
	})
	return s
}

// Follow says what an outcome cost a minute after its last trade.
func (s *Story) Follow(price float64) *Story {
	t := s.Last()
	s.Prices[t.Asset] = []market.PricePoint{{Time: t.Time.Add(time.Minute), USD: price}}
	return s
}

// Bet adds an event of its own with one purchase of yes, decided after a day.
func (s *Story) Bet(n int, price float64, won bool, ago time.Duration) *Story {
	payout := 0.0
	if won {
		payout = 1
	}
	return s.Market(n, fmt.Sprint("event-", n), price).Buy(n, 0, 100/price, price, ago).Follow(price).Decide(n, ago-Day, payout)
}

// Ordered puts the history in order of time, as ports do.
func (s *Story) Ordered() *Story {
	slices.SortStableFunc(s.Activity.Trades, func(a, b market.PredictionTrade) int { return a.Time.Compare(b.Time) })
	slices.SortStableFunc(s.Activity.Moves, func(a, b market.PredictionMove) int { return a.Time.Compare(b.Time) })
	return s
}

// Sources are the ports of the venue, with the story behind them.
func (s *Story) Sources() market.Sources {
	s.Ordered()
	return market.Sources{PredictionActivity: s, PredictionPositions: s, PredictionMarkets: s, PredictionPrices: s}
}

// calls counts what was asked for.
type calls struct {
	mu     sync.Mutex
	counts map[market.Port]int
}

func (s *Story) asked(port market.Port) error {
	s.calls.mu.Lock()
	defer s.calls.mu.Unlock()
	if s.calls.counts == nil {
		s.calls.counts = make(map[market.Port]int)
	}
	s.calls.counts[port]++
	return s.Failing[port]
}

// Calls is how often a port was asked.
func (s *Story) Calls(port market.Port) int {
	s.calls.mu.Lock()
	defer s.calls.mu.Unlock()
	return s.calls.counts[port]
}

// PredictionActivity implements the port: only Wallet is known.
func (s *Story) PredictionActivity(_ context.Context, wallet chain.Address) (*market.PredictionActivity, error) {
	if err := s.asked(market.PredictionActivityFacts); err != nil || wallet != Wallet {
		return &market.PredictionActivity{}, err
	}
	return s.Activity, nil
}

// PredictionPositions implements the port: only Wallet is known.
func (s *Story) PredictionPositions(_ context.Context, wallet chain.Address) (*market.PredictionPositions, error) {
	if err := s.asked(market.PredictionPositionFacts); err != nil || wallet != Wallet {
		return &market.PredictionPositions{}, err
	}
	return s.Positions, nil
}

// PredictionMarkets implements the port.
func (s *Story) PredictionMarkets(_ context.Context, markets []market.Hash) (map[market.Hash]market.PredictionMarket, error) {
	found := make(map[market.Hash]market.PredictionMarket)
	for _, id := range markets {
		if m, known := s.Markets[id]; known {
			found[id] = m
		}
	}
	return found, s.asked(market.PredictionMarketFacts)
}

// PredictionPrices implements the port.
func (s *Story) PredictionPrices(_ context.Context, request market.PredictionPriceRequest) ([]market.PricePoint, error) {
	var points []market.PricePoint
	for _, p := range s.Prices[request.Asset] {
		if !p.Time.Before(request.From) && !p.Time.After(request.To) {
			points = append(points, p)
		}
	}
	return points, s.asked(market.PredictionPriceFacts)
}
