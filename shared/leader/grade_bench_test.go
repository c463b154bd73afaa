package leader

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/holiman/uint256"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/discovery"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/position"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

const (
	// swapsEach is how many swaps a wallet of the benchmarks has made, walletsAtHand how many different wallets there are: together some
	// 90 MB of facts, more than a core keeps near, and nothing that grading keeps from one wallet to the next.
	swapsEach     = 200
	walletsAtHand = 1_000
	tokensTraded  = 300
)

// bazaar is a market whose facts are all at hand: tokens with a pool and hourly candles each, and wallets that trade them.
type bazaar struct {
	on       *chain.Chain
	tokens   []chain.Address
	about    map[chain.Address]market.Token
	pools    map[chain.Address][]market.Pool
	accounts map[chain.Address]market.Account
	candles  map[string][]market.Candle
	stalls   []*stall
}

// stall is what the ports tell of one wallet.
type stall struct {
	*bazaar
	wallet   chain.Address
	activity *market.Activity
	prices   []market.PriceSeries
	pools    map[chain.Address][]market.Pool
}

// opened is when the first wallet may have begun.
var opened = now.Add(-200 * aDay)

func newBazaar(wallets int) *bazaar {
	on, _ := chain.Parse("base")
	random := rand.New(rand.NewPCG(1, 2))
	z := &bazaar{
		on: on, about: make(map[chain.Address]market.Token), pools: make(map[chain.Address][]market.Pool),
		accounts: map[chain.Address]market.Account{router: {Address: router, Kind: market.DexAccount, Contract: true}},
		candles:  make(map[string][]market.Candle),
	}
	for range tokensTraded {
		z.list(random)
	}
	for i := range wallets {
		z.stalls = append(z.stalls, z.open(i))
	}
	return z
}

var router = chain.Address{0x77, 0x01, 0x02, 19: 0x77}

func randomAddress(random *rand.Rand) chain.Address {
	var a chain.Address
	for i := range a {
		a[i] = byte(random.Uint32())
	}
	return a
}

// list adds a token that has a pool. One in twelve has been drained, and one in twelve is as good as new.
func (z *bazaar) list(random *rand.Rand) {
	token, pool := randomAddress(random), randomAddress(random)
	made, liquidity := opened.Add(-time.Duration(random.IntN(100*24))*time.Hour), 30_000*math.Exp(1.5*random.NormFloat64())
	switch random.IntN(12) {
	case 0:
		liquidity = 50
	case 1:
		made = now.Add(-time.Duration(random.IntN(60*24)) * time.Hour)
	}
	z.tokens = append(z.tokens, token)
	z.about[token] = market.Token{Address: token, Symbol: fmt.Sprint("TKN", len(z.tokens)), Name: "Token", Decimals: 18, Known: true, Holders: 30 + random.IntN(5_000)}
	z.accounts[pool] = market.Account{Address: pool, Kind: market.DexAccount, Contract: true}
	p := market.Pool{
		ID: pool.String(), Token: token, Quote: z.on.WrappedNative.Address, PriceUSD: 0.01 * math.Exp(random.NormFloat64()), LiquidityUSD: liquidity,
		MarketCapUSD: math.NaN(), FullyDilutedUSD: math.NaN(), CreatedAt: made,
	}
	z.pools[token] = []market.Pool{p}
}

// trade fills the hours of every pool with candles.
func (z *bazaar) trade() {
	random := rand.New(rand.NewPCG(5, 6))
	for _, token := range z.tokens {
		p := z.pools[token][0]
		price := p.PriceUSD
		hours := make([]market.Candle, 0, 220*24)
		for at := opened.Add(-10 * aDay).Truncate(time.Hour); at.Before(now); at = at.Add(time.Hour) {
			last := price
			price *= math.Exp(0.02 * random.NormFloat64())
			hours = append(hours, market.Candle{Time: at, Open: last, High: max(last, price), Low: min(last, price), Close: price, VolumeUSD: 1000})
		}
		z.candles[p.ID] = hours
	}
}

// holding is what a wallet holds of a token: what it paid, in USD, and how much it got.
type holding struct {
	token     chain.Address
	cost      float64
	quantity  uint64
	sold, bag bool
}

// open adds a wallet: how often it trades, which tokens, how many at once, and how well, is its own. It buys for the coin, for its
// wrapped form or for dollars, sometimes twice, sells whole or in two parts, and holds on to some losers. Beside its swaps it has been sent
// the money to begin with and tokens that nobody asked for, and some of its transactions failed.
func (z *bazaar) open(number int) *stall {
	random := rand.New(rand.NewPCG(3, uint64(number)))
	s := &stall{bazaar: z, wallet: randomAddress(random), pools: make(map[chain.Address][]market.Pool)}
	s.activity = &market.Activity{
		Transactions: make([]market.Transaction, 0, swapsEach+12),
		Tokens:       make(map[chain.Address]market.Token), Accounts: map[chain.Address]market.Account{router: z.accounts[router]},
	}
	days := 15 + random.Float64()*150
	step := days * float64(aDay) / (swapsEach + 10)
	atOnce, stake := 1+random.IntN(6), 30*math.Exp(1.2*random.Float64()*2)
	drift, spread := 0.12*random.NormFloat64()-0.08, 0.15+0.6*random.Float64()
	favourites := z.tokens[random.IntN(len(z.tokens)/2):][:8+random.IntN(70)]
	keepsLosers := random.IntN(4) == 0
	at := now.Add(-time.Duration((days + float64(random.IntN(20))) * float64(aDay)))
	if at.Before(opened) {
		at = opened
	}
	block, coin := uint64(10_000_000+random.IntN(1000)), 1500+2000*random.Float64()
	s.move(random, at, block, randomAddress(random), market.Movement{Token: chain.Native, Amount: *uint256.NewInt(9e18), In: true, LogIndex: -1})
	var held []holding
	for swaps := 0; swaps < swapsEach; swaps++ {
		at = at.Add(time.Duration(step * random.ExpFloat64()))
		if at.After(now) {
			at = now
		}
		block += 1 + uint64(random.IntN(5_000))
		coin *= math.Exp(0.003 * random.NormFloat64())
		switch random.IntN(40) {
		case 0:
			s.fail(random, at, block)
		case 1:
			lure := randomAddress(random)
			s.activity.Tokens[lure] = market.Token{Address: lure, Symbol: "visit-claim.xyz", Decimals: 18, Known: true}
			s.move(random, at, block, randomAddress(random), market.Movement{Token: lure, Counterparty: randomAddress(random), Amount: *uint256.NewInt(5e18), In: true, LogIndex: 3})
		}
		which := -1
		if len(held) > 0 {
			which = random.IntN(len(held))
		}
		switch {
		case which >= 0 && held[which].bag:
			held = slices.Delete(held, which, which+1) // never sold
			swaps--
		case which < 0 || len(held) < atOnce && random.IntN(3) > 0:
			h := holding{token: favourites[random.IntN(len(favourites))], cost: stake * math.Exp(0.7*random.NormFloat64()), quantity: 1_000 + random.Uint64N(1_000_000)}
			s.swap(random, at, block, h.token, h.cost, h.quantity, true, coin)
			held = append(held, h)
		case random.IntN(6) == 0:
			h := &held[which]
			more, quantity := h.cost*random.Float64(), 1+random.Uint64N(h.quantity)
			s.swap(random, at, block, h.token, more, quantity, true, coin)
			h.cost, h.quantity = h.cost+more, h.quantity+quantity
		default:
			h := &held[which]
			gain := math.Exp(drift + spread*random.NormFloat64())
			if h.bag = gain < 0.8 && (keepsLosers || random.IntN(10) == 0); h.bag {
				swaps--
				continue
			}
			quantity, value := h.quantity, h.cost*gain
			if !h.sold && random.IntN(5) == 0 {
				h.sold, quantity, value = true, quantity/2, value/2
				h.cost, h.quantity = h.cost/2, h.quantity-quantity
				s.swap(random, at, block, h.token, value, quantity, false, coin)
				continue
			}
			s.swap(random, at, block, h.token, value, quantity, false, coin)
			held = slices.Delete(held, which, which+1)
		}
	}
	s.price(random)
	return s
}

func (s *stall) move(random *rand.Rand, at time.Time, block uint64, sender chain.Address, movements ...market.Movement) *market.Transaction {
	var hash market.Hash
	binary.BigEndian.PutUint64(hash[:], random.Uint64())
	binary.BigEndian.PutUint64(hash[8:], random.Uint64())
	s.activity.Transactions = append(s.activity.Transactions, market.Transaction{
		Hash: hash, Block: block, Index: random.IntN(200), Time: at, Sender: sender, Target: router, Movements: movements,
	})
	return &s.activity.Transactions[len(s.activity.Transactions)-1]
}

func (s *stall) fail(random *rand.Rand, at time.Time, block uint64) {
	tx := s.move(random, at, block, s.wallet)
	tx.Failed, tx.GasFee = true, *uint256.NewInt(100_000_000_000_000)
}

// swap trades so many whole tokens for so many USD, in one of the quote assets.
func (s *stall) swap(random *rand.Rand, at time.Time, block uint64, token chain.Address, usd float64, quantity uint64, buy bool, coin float64) {
	pool := s.bazaar.pools[token][0]
	counterparty, _ := chain.ParseAddress(pool.ID)
	s.activity.Tokens[token] = s.about[token]
	s.activity.Accounts[counterparty] = s.accounts[counterparty]
	s.pools[token] = s.bazaar.pools[token]
	paid := market.Movement{Token: chain.Native, Counterparty: router, Amount: *uint256.NewInt(uint64(usd / coin * 1e18)), In: !buy, LogIndex: -1}
	switch random.IntN(8) {
	case 0, 1:
		paid.Token, paid.Counterparty, paid.LogIndex = s.on.WrappedNative.Address, counterparty, 4
	case 2:
		paid.Token, paid.Counterparty, paid.LogIndex = s.on.Stables[0].Address, counterparty, 4
		paid.Amount = *uint256.NewInt(uint64(usd * 1e6))
		s.activity.Tokens[paid.Token] = market.Token{Address: paid.Token, Symbol: "USDC", Decimals: 6, Known: true}
	}
	got := market.Movement{Token: token, Counterparty: counterparty, In: buy, LogIndex: 5}
	got.Amount.Mul(uint256.NewInt(quantity), uint256.NewInt(1e18))
	tx := s.move(random, at, block, s.wallet, paid, got)
	tx.GasFee = *uint256.NewInt(20_000_000_000_000 + random.Uint64N(1e15))
}

// price finds a price for every minute in which one is wanted.
func (s *stall) price(random *rand.Rand) {
	usd := 1500 + 2000*random.Float64()
	for _, wanted := range position.Read(s.on, s.wallet, s.activity).Wanted() {
		series := market.PriceSeries{Asset: wanted.Asset}
		for _, at := range wanted.Times {
			usd *= math.Exp(0.003 * random.NormFloat64())
			if s.on.IsStable(wanted.Asset) {
				usd = 1
			}
			series.Points = append(series.Points, market.PricePoint{Time: at, USD: usd})
		}
		s.prices = append(s.prices, series)
	}
}

func (s *stall) Activity(context.Context, *chain.Chain, chain.Address) (*market.Activity, error) {
	return s.activity, nil
}

// Prices are the wallet's, or, where somebody asks how long a token has been worth nothing, prices of nothing.
func (s *stall) Prices(_ context.Context, on *chain.Chain, requests []market.PriceRequest) ([]market.PriceSeries, error) {
	if on.IsQuote(requests[0].Asset) {
		return s.prices, nil
	}
	past := make([]market.PriceSeries, len(requests))
	for i, r := range requests {
		past[i].Asset = r.Asset
		for _, at := range r.Times {
			past[i].Points = append(past[i].Points, market.PricePoint{Time: at, USD: 1e-9})
		}
	}
	return past, nil
}

func (s *stall) Pools(context.Context, *chain.Chain, []chain.Address) (map[chain.Address][]market.Pool, error) {
	return s.pools, nil
}

func (s *stall) Candles(_ context.Context, _ *chain.Chain, r market.CandleRequest) (*market.Candles, error) {
	hours := s.candles[r.Pool]
	place := func(at time.Time) int {
		return min(max(int(at.Sub(hours[0].Time)/time.Hour), 0), len(hours))
	}
	return &market.Candles{Hours: hours[place(r.From):place(r.To)]}, nil
}

func (s *stall) TokenSecurity(context.Context, *chain.Chain, []chain.Address) (map[chain.Address]market.TokenSecurity, error) {
	return nil, nil
}

func (s *stall) sources() market.Sources {
	return market.Sources{Activity: s, Prices: s, Pools: s, Candles: s, TokenSecurity: s}
}

// leader is the wallet as one that was graded an hour ago.
func (s *stall) leader(findings ...store.Finding) store.Leader {
	return store.Leader{
		Group: store.Group{Kind: Spot, Place: string(s.on.Slug)}, Address: s.wallet.String(), FoundAt: now.Add(-aDay), Findings: findings,
		Grading: store.Grading{At: now.Add(-time.Hour), Pass: "before", Grade: "C", Verdict: "watch"},
	}
}

// forgetful takes gradings and forecasts, and keeps how much of them there was.
type forgetful struct {
	store.Leaders
	store.TrackRecords
	gradings, bytes int
	verdicts        map[string]int
}

func (f *forgetful) Grade(_ context.Context, _ store.Group, _ string, _ time.Time, grading store.Grading, _ ...store.Event) error {
	f.gradings++
	f.bytes += len(grading.Data)
	f.verdicts[grading.Verdict]++
	return nil
}

func (f *forgetful) Forecast(_ context.Context, forecast store.Forecast) (store.Forecast, error) {
	return forecast, nil
}

// liveHeap is how much of the heap is in use, in bytes.
func liveHeap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// looks is how often the benchmarks of many wallets look at the heap while they grade.
const looks = 10

// Grading wallets of 200 swaps with all facts at hand, on one core: all that the job does for a leader between asking for facts and handing
// the grade to the store. More wallets than there are facts of come round again; nothing is kept of a wallet once it is graded, which the live
// heap shows. live-KB is how much of it there was more than before, at most.
func BenchmarkGrade(b *testing.B) {
	facts := newBazaar(walletsAtHand)
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("wallets=%d", n), func(b *testing.B) {
			facts.grade(b, n, store.Finding{Source: ActiveBuyer, At: now})
		})
	}
}

// Grading early buyers, which are few: their entries are simulated and go through the gate too, with every hour of their tokens at hand.
func BenchmarkGradeEarlyBuyers(b *testing.B) {
	facts := newBazaar(50)
	facts.trade()
	data, err := json.Marshal(discovery.Finding{Older: discovery.Evidence{Launches: 20, Rose: 6, Expected: 2.4, P: 0.001}, AdjustedP: 0.02, Tested: 400})
	if err != nil {
		b.Fatal(err)
	}
	facts.grade(b, 500, store.Finding{Source: EarlyBuyer, At: now, Data: data})
}

// grade grades so many wallets on one core.
func (z *bazaar) grade(b *testing.B, n int, finding store.Finding) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	kept := &forgetful{verdicts: make(map[string]int)}
	graders, leaders := make([]*grader, len(z.stalls)), make([]store.Leader, len(z.stalls))
	for i, s := range z.stalls {
		graders[i] = &grader{memory: Memory{Leaders: kept, TrackRecords: kept}, sources: s.sources(), chains: []*chain.Chain{z.on}}
		leaders[i] = s.leader(finding)
	}
	before := liveHeap()
	most := before
	b.ReportAllocs()
	for b.Loop() {
		for i := range n {
			at := i % len(leaders)
			if became, err := graders[at].grade(b.Context(), &leaders[at], "pass", now); err != nil || became != wasGraded {
				b.Fatal(became, err)
			}
			if (i+1)%(n/looks) == 0 {
				b.StopTimer()
				most = max(most, liveHeap())
				b.StartTimer()
			}
		}
	}
	if kept.gradings != n*b.N || len(kept.verdicts) < 3 {
		b.Fatalf("%d gradings: %v", kept.gradings, kept.verdicts)
	}
	graded := float64(n) * float64(b.N)
	b.ReportMetric(graded/b.Elapsed().Seconds(), "wallets/s")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/graded, "ns/wallet")
	b.ReportMetric(float64(most-before)/1024, "live-KB")
}
