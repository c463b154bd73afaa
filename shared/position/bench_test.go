package position_test

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/holiman/uint256"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/position"
)

// account is an address that looks as random as a real one.
func account(name string, number int) chain.Address {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", name, number))
	return chain.Address(sum[:20])
}

// swaps is the activity of a wallet that buys and sells n times, a new token every twenty trades, always three at once.
func swaps(n int) (*market.Activity, *position.PriceBook) {
	wallet := chain.Address{1}
	on, _ := chain.Parse("eth")
	router := account("router", 0)
	activity := &market.Activity{
		Transactions: make([]market.Transaction, 0, n),
		Tokens:       map[chain.Address]market.Token{},
		Accounts:     map[chain.Address]market.Account{router: {Address: router, Kind: market.DexAccount}},
	}
	points := make([]market.PricePoint, 0, n)
	movements := make([]market.Movement, 2*n)
	gas := *uint256.NewInt(2_000_000_000_000_000)
	for i := range n {
		token, pool := account("token", i/60*3+i%3), account("pool", i/60*3+i%3)
		if _, known := activity.Tokens[token]; !known {
			activity.Tokens[token] = market.Token{Address: token, Symbol: "TKN", Decimals: 18, Known: true}
			activity.Accounts[pool] = market.Account{Address: pool, Kind: market.DexAccount}
		}
		at := start.Add(time.Duration(i) * 7 * time.Minute)
		points = append(points, market.PricePoint{Time: at, USD: 2000 + float64(i%500)})
		buys := i/3%2 == 0
		quantity := *uint256.MustFromDecimal("123456789012345678901")
		value := *uint256.NewInt(1_000_000_000_000_000_000 + uint64(i%97)*10_000_000_000_000_000)
		moves := movements[2*i : 2*i+2]
		moves[0] = market.Movement{Token: chain.Native, Counterparty: router, Amount: value, In: !buys, LogIndex: -1}
		moves[1] = market.Movement{Token: token, Counterparty: pool, Amount: quantity, In: buys, LogIndex: 5}
		var hash market.Hash
		binary.BigEndian.PutUint64(hash[:], uint64(i))
		activity.Transactions = append(activity.Transactions, market.Transaction{
			Hash: hash, Block: uint64(1000 + i), Index: i % 200, Time: at, Sender: wallet, Target: router, GasFee: gas, Movements: moves,
		})
	}
	return activity, position.NewPriceBook([]market.PriceSeries{{Asset: on.WrappedNative.Address, Points: points}}, nil)
}

var sizes = []int{1_000, 10_000, 100_000, 1_000_000}

func BenchmarkReconstruct(b *testing.B) {
	on, _ := chain.Parse("eth")
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			activity, prices := swaps(n)
			b.ReportAllocs()
			for b.Loop() {
				position.Read(on, chain.Address{1}, activity).Ledger(prices)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/swap")
		})
	}
}

func BenchmarkBuild(b *testing.B) {
	on, _ := chain.Parse("eth")
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			activity, prices := swaps(n)
			ledger := position.Read(on, chain.Address{1}, activity).Ledger(prices)
			asOf := activity.Transactions[n-1].Time
			marks := map[chain.Address]position.Mark{}
			for _, token := range position.Settle(ledger, asOf).Open() {
				marks[token] = position.Mark{PriceUSD: 17, QuoteUSD: 1e6, SellTax: math.NaN()}
			}
			b.ReportAllocs()
			for b.Loop() {
				position.Build(ledger, marks, asOf)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/swap")
		})
	}
}

func BenchmarkWanted(b *testing.B) {
	on, _ := chain.Parse("eth")
	activity, _ := swaps(10_000)
	b.ReportAllocs()
	for b.Loop() {
		position.Read(on, chain.Address{1}, activity).Wanted()
	}
}
