package mirroring

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/holiman/uint256"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// wallet is a chain with one wallet, whose coin costs 2,000 dollars.
type wallet struct {
	on       *chain.Chain
	activity market.Activity
	holdings []market.Holding
	block    uint64
}

var (
	tokenA = chain.Address{0xaa}
	pool   = chain.Address{0xbb}
	owner  = leaderWallet
)

func newWallet() *wallet {
	on, _ := chain.Parse("base")
	return &wallet{on: on, activity: market.Activity{Tokens: map[chain.Address]market.Token{
		tokenA:                {Address: tokenA, Symbol: "AAA", Name: "A", Decimals: 18, Known: true},
		on.Stables[0].Address: {Address: on.Stables[0].Address, Symbol: "USDC", Decimals: 6, Known: true},
	}}}
}

func units(x float64, decimals int) (amount market.Amount) {
	v, _ := uint256.FromDecimal(new(uint256.Int).Mul(uint256.NewInt(uint64(math.Round(x*1e6))), new(uint256.Int).Exp(uint256.NewInt(10), uint256.NewInt(uint64(decimals-6)))).Dec())
	return *v
}

// swap adds a transaction that trades tokens for dollars: above zero it buys.
func (w *wallet) swap(at time.Time, tokens, dollars float64) {
	w.block++
	stable := w.on.Stables[0].Address
	w.activity.Transactions = append(w.activity.Transactions, market.Transaction{
		Hash: market.Hash{byte(w.block)}, Block: w.block, Time: at, Sender: owner, Target: pool,
		Movements: []market.Movement{
			{Token: tokenA, Counterparty: pool, Amount: units(math.Abs(tokens), 18), In: tokens > 0, LogIndex: 1},
			{Token: stable, Counterparty: pool, Amount: units(dollars, 6), In: tokens < 0, LogIndex: 2},
		},
	})
}

// give adds a transaction that sends tokens away for nothing.
func (w *wallet) give(at time.Time, tokens float64) {
	w.block++
	w.activity.Transactions = append(w.activity.Transactions, market.Transaction{
		Hash: market.Hash{byte(w.block)}, Block: w.block, Time: at, Sender: owner, Target: tokenA,
		Movements: []market.Movement{{Token: tokenA, Counterparty: chain.Address{0xcc}, Amount: units(tokens, 18), LogIndex: 1}},
	})
}

func (w *wallet) Activity(context.Context, *chain.Chain, chain.Address) (*market.Activity, error) {
	return &w.activity, nil
}

func (w *wallet) Holdings(context.Context, *chain.Chain, chain.Address) ([]market.Holding, error) {
	return w.holdings, nil
}

func (w *wallet) Pools(context.Context, *chain.Chain, []chain.Address) (map[chain.Address][]market.Pool, error) {
	return nil, nil
}

func (w *wallet) Prices(_ context.Context, _ *chain.Chain, requests []market.PriceRequest) ([]market.PriceSeries, error) {
	var all []market.PriceSeries
	for _, request := range requests {
		series := market.PriceSeries{Asset: request.Asset}
		for _, at := range request.Times {
			price := 1.0
			if request.Asset == chain.Native {
				price = 2000
			}
			series.Points = append(series.Points, market.PricePoint{Time: at, USD: price})
		}
		all = append(all, series)
	}
	return all, nil
}

func (w *wallet) read(t *testing.T, since time.Time) *leaderFacts {
	t.Helper()
	facts, err := spotReader{market.Sources{Activity: w, Holdings: w, Pools: w, Prices: w}, w.on}.read(context.Background(), owner, since, start.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	return facts
}

func TestSpotTradesByHand(t *testing.T) {
	w := newWallet()
	w.holdings = []market.Holding{
		{Token: market.Token{Address: w.on.Stables[0].Address, Decimals: 6}, Amount: units(700, 6), PriceUSD: math.NaN()},
		{Token: market.Token{Address: chain.Native, Decimals: 18}, Amount: units(0.1, 18), PriceUSD: 2000},
		{Token: market.Token{Address: chain.Address{0xdd}, Decimals: 18}, Amount: units(1e6, 18), PriceUSD: 1000}, // spam
	}
	w.swap(start.Add(-24*time.Hour), 1000, 100)
	w.swap(start.Add(time.Minute), 3000, 600)
	w.give(start.Add(2*time.Minute), 2000)
	w.swap(start.Add(3*time.Minute), -500, 200)
	w.swap(start.Add(4*time.Minute), -1500, 300)
	facts := w.read(t, start)
	if len(facts.Trades) != 3 {
		t.Fatalf("%+v", facts.Trades)
	}
	// 900 dollars are there now; 500 came in since the purchase, so that it took 600 of 1,000.
	buy, sale, last := facts.Trades[0], facts.Trades[1], facts.Trades[2]
	if buy.Leg != Open || math.Abs(buy.Price-0.2) > 1e-9 || math.Abs(buy.Share-0.6) > 1e-9 || buy.Asset.Name != "AAA" || buy.Asset.Key != tokenA.String() || buy.Asset.Chain != "base" {
		t.Errorf("%+v", buy)
	}
	// Of 4,000 tokens 2,000 were given away, so that 500 are a quarter of what was left.
	if sale.Leg != Close || math.Abs(sale.Share-0.25) > 1e-9 || sale.Flat || math.Abs(sale.Price-0.4) > 1e-9 {
		t.Errorf("%+v", sale)
	}
	if last.Share != 1 || !last.Flat {
		t.Errorf("%+v", last)
	}
	names := map[string]bool{buy.ID: true, sale.ID: true, last.ID: true}
	for _, trade := range w.read(t, start.Add(2*time.Minute)).Trades {
		if !names[trade.ID] {
			t.Errorf("%s is new", trade.ID)
		}
	}
	w.activity.Truncated = true
	if facts := w.read(t, start); !math.IsNaN(facts.Trades[1].Share) || facts.Trades[1].Flat {
		t.Errorf("of a history that is cut short %+v", facts.Trades[1])
	}
}
