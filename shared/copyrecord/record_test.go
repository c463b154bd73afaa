package copyrecord_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/holiman/uint256"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/copyrecord"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

var (
	now = time.Date(2026, 6, 1, 12, 30, 0, 0, time.UTC)
	me  = chain.Address{0x11}
)

const day = 24 * time.Hour

// shop stands behind the ports of a record: a wallet that bought so many coins for the native one, the n-th n+1 days ago at noon.
type shop struct {
	mu       sync.Mutex
	activity market.Activity
	pooled   bool
	failing  map[string]bool
	asked    []market.CandleRequest
	security [][]chain.Address
}

func coin(n int) chain.Address { return chain.Address{0xaa, byte(n >> 8), byte(n)} }

func buying(coins int) *shop {
	s := &shop{pooled: true, failing: make(map[string]bool)}
	s.activity.Tokens = make(map[chain.Address]market.Token)
	router, pool := chain.Address{0x77}, chain.Address{0xbb}
	s.activity.Accounts = map[chain.Address]market.Account{
		router: {Address: router, Kind: market.DexAccount, Contract: true}, pool: {Address: pool, Kind: market.DexAccount, Contract: true},
	}
	for n := coins - 1; n >= 0; n-- {
		at := now.Add(-30*time.Minute - time.Duration(n+1)*day)
		s.activity.Tokens[coin(n)] = market.Token{Address: coin(n), Symbol: "COIN", Decimals: 18, Known: true, Holders: 500}
		s.activity.Transactions = append(s.activity.Transactions, market.Transaction{
			Hash: market.Hash{byte(n >> 8), byte(n), 1}, Block: uint64(at.Unix()), Time: at, Sender: me, Target: router,
			Movements: []market.Movement{
				{Token: chain.Native, Counterparty: router, Amount: *uint256.NewInt(1e18), LogIndex: -1},
				{Token: coin(n), Counterparty: pool, Amount: *uint256.NewInt(1e18), In: true, LogIndex: 5},
			},
		})
	}
	return s
}

func (s *shop) sources() market.Sources {
	return market.Sources{Activity: s, Prices: s, Pools: s, Candles: s, TokenSecurity: s}
}

func (s *shop) Activity(context.Context, *chain.Chain, chain.Address) (*market.Activity, error) {
	return &s.activity, nil
}

func (s *shop) Prices(_ context.Context, _ *chain.Chain, requests []market.PriceRequest) ([]market.PriceSeries, error) {
	var all []market.PriceSeries
	for _, r := range requests {
		one := market.PriceSeries{Asset: r.Asset}
		for _, at := range r.Times {
			one.Points = append(one.Points, market.PricePoint{Time: at, USD: 2000})
		}
		all = append(all, one)
	}
	return all, nil
}

func (s *shop) Pools(_ context.Context, on *chain.Chain, tokens []chain.Address) (map[chain.Address][]market.Pool, error) {
	pools := make(map[chain.Address][]market.Pool)
	for _, token := range tokens {
		if s.pooled {
			pools[token] = []market.Pool{{ID: "pool " + token.String(), Token: token, Quote: on.WrappedNative.Address, PriceUSD: 2000, LiquidityUSD: 90_000}}
		}
	}
	return pools, nil
}

func (s *shop) Candles(_ context.Context, _ *chain.Chain, r market.CandleRequest) (*market.Candles, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, r)
	if s.failing[r.Token.String()] {
		return nil, fmt.Errorf("candles: %w", market.ErrUnavailable)
	}
	found := &market.Candles{}
	for at := r.From; at.Before(r.To); at = at.Add(time.Hour) {
		found.Hours = append(found.Hours, market.Candle{Time: at, Open: 2000, High: 2000, Low: 2000, Close: 2000, VolumeUSD: 1})
	}
	return found, nil
}

func (s *shop) TokenSecurity(_ context.Context, _ *chain.Chain, tokens []chain.Address) (map[chain.Address]market.TokenSecurity, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.security = append(s.security, tokens)
	return map[chain.Address]market.TokenSecurity{coin(20): {Token: coin(20), Honeypot: market.Yes, SellTax: math.NaN()}}, nil
}

func (s *shop) record(t *testing.T) *copyrecord.Record {
	t.Helper()
	on, _ := chain.Parse("base")
	session := market.NewSession(t.Context(), s.sources())
	record, err := copyrecord.Of(t.Context(), session, on, me, now)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := copyrecord.Of(t.Context(), session, on, me, now); err != nil || again != record {
		t.Errorf("a second asker gets %p (%v), not %p", again, err, record)
	}
	return record
}

// One stretch of candles a token, from a week before its first entry to where the last copy's random neighbours are sold.
func TestCandlesOfTheLatestTokensAreRead(t *testing.T) {
	s := buying(45)
	record := s.record(t)
	if len(s.asked) != copyrecord.MaximumTokens || record.Beyond != 5 || record.Unreached != 0 || len(record.Series) != copyrecord.MaximumTokens {
		t.Errorf("%d stretches, %d beyond, %d unreached", len(s.asked), record.Beyond, record.Unreached)
	}
	for _, r := range s.asked {
		n := int(r.Token[1])<<8 | int(r.Token[2])
		if n >= 40 || r.Pool != "pool "+r.Token.String() {
			t.Errorf("%+v", r)
		}
		entry := now.Add(-30*time.Minute - time.Duration(n+1)*day)
		to := entry.Add(10*day + time.Hour)
		if to.After(now) {
			to = now.Truncate(time.Hour)
		}
		if !r.From.Equal(entry.Add(-7*day)) || !r.To.Equal(to) {
			t.Errorf("coin %d: %v to %v", n, r.From, r.To)
		}
	}
	entries, sameBlock := record.Entries()
	if len(entries) != 40 || sameBlock {
		t.Errorf("%d entries", len(entries))
	}
}

// What cannot be read is left out and counted, and too much of that is a failure.
func TestCandlesThatCannotBeRead(t *testing.T) {
	s := buying(10)
	s.failing[coin(3).String()], s.failing[coin(4).String()] = true, true
	record := s.record(t)
	if entries, _ := record.Entries(); record.Unreached != 2 || len(entries) != 8 {
		t.Errorf("%d unreached, %d entries", record.Unreached, len(entries))
	}
	s.failing[coin(5).String()] = true
	on, _ := chain.Parse("base")
	if _, err := copyrecord.Of(t.Context(), market.NewSession(t.Context(), s.sources()), on, me, now); !errors.Is(err, market.ErrUnavailable) {
		t.Errorf("three of ten: %v", err)
	}
	s.pooled = false // coins without a pool have no market, which is known
	record = s.record(t)
	if entries, _ := record.Entries(); record.Unreached != 0 || len(entries) != 10 {
		t.Errorf("%d unreached, %d entries", record.Unreached, len(entries))
	}
}

func TestSimulationKnowsWhatCanBeSold(t *testing.T) {
	s := buying(30)
	record := s.record(t)
	before := len(s.security)
	security, err := record.Security(t.Context(), s)
	if err != nil || len(s.security) != before+1 || len(s.security[before]) != 30 || !slices.IsSortedFunc(s.security[before], chain.Address.Compare) {
		t.Fatalf("%v, asked for %v", err, s.security[before:])
	}
	if r := record.Simulate(security, now); r.Dead != 1 || r.Counted != 23 || r.Pending != 7 || r.Trades[9].Token != coin(20) || r.Trades[9].Net != -1 {
		t.Errorf("%d dead of %d, %d pending", r.Dead, r.Counted, r.Pending)
	}
	if r := record.Simulate(nil, now); r.Dead != 0 || math.Abs(r.Median+0.04) > 1e-12 {
		t.Errorf("without it: %d dead, median %v", r.Dead, r.Median)
	}
	none := buying(0)
	if security, err := none.record(t).Security(t.Context(), none); security != nil || err != nil || len(none.security) != 0 {
		t.Errorf("of nothing: %v %v, asked %v", security, err, none.security)
	}
}
