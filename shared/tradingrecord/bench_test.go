package tradingrecord

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/holiman/uint256"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/position"
	"github.com/mirrorworthy/mirrorworthy/shared/stats"
	"github.com/mirrorworthy/mirrorworthy/shared/trader"
)

var (
	now = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	me  = chain.Address{0x11}
)

const day = 24 * time.Hour

// swapHistory is what providers tell of one wallet.
type swapHistory struct {
	activity *market.Activity
	prices   []market.PriceSeries
	pools    map[chain.Address][]market.Pool
	holders  map[chain.Address]int
	tokens   []chain.Address
	asOf     time.Time
}

// swapping is the history of a wallet with so many swaps: it moves on to a new token after twenty swaps in one, holds three
// tokens at a time, buys with the native coin what it sells whole a few hours later at prices that go both ways, and pays the
// network each time. Every tenth sell is in two parts.
func swapping(swaps int) swapHistory {
	const atOnce, perToken = 3, 20
	random := rand.New(rand.NewPCG(1, uint64(swaps)))
	on, _ := chain.Parse("eth")
	router := chain.Address{0x77}
	h := swapHistory{
		activity: &market.Activity{
			Transactions: make([]market.Transaction, 0, swaps),
			Tokens:       map[chain.Address]market.Token{},
			Accounts:     map[chain.Address]market.Account{router: {Address: router, Kind: market.DexAccount, Contract: true}},
		},
		pools: make(map[chain.Address][]market.Pool), holders: make(map[chain.Address]int),
	}
	points := make([]market.PricePoint, 0, swaps)
	movements := make([]market.Movement, 2*swaps)
	held := make(map[chain.Address]float64) // in units of the native coin, at cost
	at, native := now.Add(-time.Duration(swaps)*40*time.Minute), 2000.0
	for i := range swaps {
		round := i / (atOnce * perToken)
		number := round*atOnce + i%atOnce
		token := chain.Address{0xaa, byte(number >> 16), byte(number >> 8), byte(number)}
		pool := chain.Address{0xbb, byte(number >> 16), byte(number >> 8), byte(number)}
		if _, known := h.activity.Tokens[token]; !known {
			h.activity.Tokens[token] = market.Token{Address: token, Symbol: "TKN", Decimals: 18, Known: true, Holders: 900}
			h.holders[token] = 900
			h.activity.Accounts[pool] = market.Account{Address: pool, Kind: market.DexAccount, Contract: true}
			h.pools[token] = []market.Pool{{
				ID: pool.String(), Token: token, Quote: on.WrappedNative.Address, PriceUSD: 0.01, LiquidityUSD: 250_000,
				MarketCapUSD: math.NaN(), FullyDilutedUSD: math.NaN(), CreatedAt: at.Add(-30 * day),
			}}
		}
		at = at.Add(time.Duration(5+random.IntN(70)) * time.Minute)
		native *= math.Exp(0.002 * random.NormFloat64())
		points = append(points, market.PricePoint{Time: at, USD: native})
		cost, holding := held[token]
		value, quantity := 0.2+random.Float64(), 1e6
		switch {
		case !holding:
			held[token] = value
		case i%10 == 0 && cost > 0.1:
			held[token], value, quantity = cost/2, cost/2*math.Exp(0.3*random.NormFloat64()), quantity/2
		default:
			delete(held, token)
			value = cost * math.Exp(0.02+0.4*random.NormFloat64())
			if cost < 0.2 {
				quantity /= 2
			}
		}
		moves := movements[2*i : 2*i+2]
		moves[0] = market.Movement{Token: chain.Native, Counterparty: router, Amount: *uint256.NewInt(uint64(value * 1e18)), In: holding, LogIndex: -1}
		moves[1] = market.Movement{Token: token, Counterparty: pool, In: !holding, LogIndex: 5}
		moves[1].Amount.Mul(uint256.NewInt(uint64(quantity)), uint256.NewInt(1e18))
		var hash market.Hash
		binary.BigEndian.PutUint64(hash[:], uint64(i)*0x9e3779b97f4a7c15)
		h.activity.Transactions = append(h.activity.Transactions, market.Transaction{
			Hash: hash, Block: uint64(1000 + i), Index: i % 200, Time: at, Sender: me, Target: router,
			GasFee: *uint256.NewInt(1_000_000_000_000_000), Movements: moves,
		})
	}
	h.prices = []market.PriceSeries{{Asset: chain.Native, Points: points}}
	for token := range h.pools {
		h.tokens = append(h.tokens, token)
	}
	h.asOf = at.Add(time.Hour)
	return h
}

// score is the computing behind trader-score, from facts to grade.
func (h swapHistory) score() trader.Rating {
	on, _ := chain.Parse("eth")
	ledger := position.Read(on, me, h.activity).Ledger(position.NewPriceBook(h.prices, h.pools))
	book := position.Build(ledger, Marks(h.tokens, h.pools), h.asOf)
	conduct := trader.Inspect(me, book, trader.Surroundings{
		Launched: launches(h.pools), LiquidityUSD: LiquidityUSD(h.pools), Holders: h.holders, Accounts: h.activity.Accounts,
	})
	evidence := trader.FromBook(book, conduct, stats.Seed(me[:]))
	return trader.Rate(evidence, trader.Measure(evidence))
}

// BenchmarkScore is to take less than a millisecond for a thousand swaps, and the same for each swap however many there are.
func BenchmarkScore(b *testing.B) {
	for _, swaps := range []int{1_000, 10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("swaps=%d", swaps), func(b *testing.B) {
			history := swapping(swaps)
			if rating := history.score(); rating.SampleSize < swaps/4 || rating.Grade == "" {
				b.Fatalf("%+v", rating)
			}
			b.ReportAllocs()
			for b.Loop() {
				history.score()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(swaps), "ns/swap")
		})
	}
}
