package trader_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/position"
	"github.com/mirrorworthy/mirrorworthy/shared/trader"
)

var (
	wallet = chain.Address{9}
	pool   = chain.Address{3}
)

// history collects a wallet's trades and transfers in order of time.
type history struct {
	ledger position.Ledger
	number uint64
}

func (h *history) hash() (hash market.Hash) {
	h.number++
	binary.BigEndian.PutUint64(hash[:], h.number)
	return hash
}

func (h *history) trade(at time.Duration, of chain.Address, side position.Side, quantity, value float64, with chain.Address) {
	h.ledger.Trades = append(h.ledger.Trades, position.Trade{
		Time: monday.Add(at), Block: uint64(at / (12 * time.Second)), Tx: h.hash(), Order: h.number, Token: of, Side: side,
		Quantity: quantity, ValueUSD: value, Priced: true, Counterparty: with,
	})
}

func (h *history) transfer(at time.Duration, of chain.Address, in bool, quantity, value float64, tx market.Hash) {
	h.ledger.Transfers = append(h.ledger.Transfers, position.Transfer{
		Time: monday.Add(at), Tx: tx, Token: of, In: in, Quantity: quantity, ValueUSD: value, Origin: position.TransferUnknown,
	})
}

// book makes positions of plain round trips: each sale closes the oldest purchase of its token.
func (h *history) book() *position.Book {
	book := &position.Book{Ledger: &h.ledger, MatchedShare: 1, AsOf: monday.AddDate(1, 0, 0)}
	bought := make(map[chain.Address][]position.Trade)
	for _, t := range h.ledger.Trades {
		if t.Side == position.Buy {
			bought[t.Token] = append(bought[t.Token], t)
			continue
		}
		if len(bought[t.Token]) == 0 {
			continue
		}
		buy := bought[t.Token][0]
		bought[t.Token] = bought[t.Token][1:]
		book.Positions = append(book.Positions, position.Position{
			Token: t.Token, Status: position.Closed, Rateable: true, OpenedAt: buy.Time, ClosedAt: t.Time, Holding: t.Time.Sub(buy.Time),
			CostUSD: buy.ValueUSD, MatchedCostUSD: buy.ValueUSD, MatchedProceedsUSD: t.ValueUSD, MatchedShare: 1,
			PnLUSD: t.ValueUSD - buy.ValueUSD, ROI: t.ValueUSD/buy.ValueUSD - 1, SameBlock: t.SameBlock,
		})
	}
	return book
}

// invest makes ordinary trades over days, so that other signs do not fill the whole volume.
func (h *history) invest(n int, random *rand.Rand) {
	for i := range n {
		at := time.Duration(i) * 40 * time.Hour
		value := 100 * math.Exp(random.NormFloat64())
		h.trade(at, token(100+i%50), position.Buy, 10, value, pool)
		h.trade(at+time.Duration(5+random.IntN(30))*time.Hour, token(100+i%50), position.Sell, 10, value*math.Exp(0.5*random.NormFloat64()), pool)
	}
}

func people(accounts ...chain.Address) map[chain.Address]market.Account {
	known := map[chain.Address]market.Account{pool: {Address: pool, Contract: true, Kind: market.DexAccount}}
	for _, a := range accounts {
		known[a] = market.Account{Address: a}
	}
	return known
}

func signal(c trader.Conduct, code string) (trader.Signal, bool) {
	for _, s := range c.Wash.Signals {
		if s.Code == code {
			return s, true
		}
	}
	return trader.Signal{}, false
}

func TestOrdinaryTradingShowsNoSign(t *testing.T) {
	var h history
	h.invest(40, rand.New(rand.NewPCG(1, 1)))
	slices.SortStableFunc(h.ledger.Trades, func(a, b position.Trade) int { return a.Time.Compare(b.Time) })
	c := trader.Inspect(wallet, h.book(), trader.Surroundings{Accounts: people()})
	if c.Wash.Suspected || len(c.Wash.Signals) > 0 || c.Insider.Suspected || c.SameBlockShare != 0 {
		t.Errorf("%+v", c)
	}
	if c.Automated.Verdict == trader.AutomationLikely {
		t.Errorf("automated: %+v", c.Automated)
	}
}

func TestInspectKnowsNothingOfNothing(t *testing.T) {
	for _, book := range []*position.Book{nil, {}, {Ledger: &position.Ledger{}}} {
		c := trader.Inspect(wallet, book, trader.Surroundings{})
		if c.Wash.Suspected || c.Insider.Suspected || c.Automated.Verdict != trader.AutomationUnlikely {
			t.Errorf("%+v", c)
		}
	}
}

// The share of volume that the wallet trades with itself decides: 5 % is hard.
func TestSelfTrading(t *testing.T) {
	for _, c := range []struct {
		own  float64
		hard bool
	}{{6, true}, {4, false}} {
		var h history
		h.trade(0, token(1), position.Buy, 1, 100-c.own, pool)
		h.trade(time.Hour, token(2), position.Buy, 1, c.own, wallet)
		got := trader.Inspect(wallet, h.book(), trader.Surroundings{Accounts: people()})
		s, found := signal(got, "WASH_SELF")
		if !found || s.Hard != c.hard || got.Wash.Suspected != c.hard || math.Abs(s.Share-c.own/100) > 1e-12 {
			t.Errorf("%v %%: %+v", c.own, got.Wash)
		}
	}
	// An account the wallet funded is the wallet's own; a contract it funded is not.
	var h history
	h.trade(0, token(1), position.Buy, 1, 100, account(1))
	s := trader.Surroundings{Accounts: people(account(1)), Funder: map[chain.Address]chain.Address{account(1): wallet}}
	if got := trader.Inspect(wallet, h.book(), s); !got.Wash.Suspected {
		t.Errorf("own cluster: %+v", got.Wash)
	}
	s.Accounts = people()
	if got := trader.Inspect(wallet, h.book(), s); got.Wash.Suspected {
		t.Errorf("unknown account: %+v", got.Wash)
	}
}

func TestRingsAroundAWallet(t *testing.T) {
	// The wallet sells to 1, buys from 2; that 1 sells to 2 is known from the market only.
	ring := func(price func(i int) float64) (history, []trader.Exchange) {
		var h history
		var market []trader.Exchange
		for i := range 10 {
			at := time.Duration(i) * time.Hour
			h.trade(at, token(0), position.Sell, 100, price(2*i), account(1))
			market = append(market, trader.Exchange{
				Token: token(0), Seller: account(1), Buyer: account(2), Quantity: 100, Time: monday.Add(at + 10*time.Minute),
			})
			h.trade(at+20*time.Minute, token(0), position.Buy, 100, price(2*i+1), account(2))
		}
		return h, market
	}
	flat := func(int) float64 { return 50 }
	h, exchanges := ring(flat)
	s := trader.Surroundings{Accounts: people(account(1), account(2)), Exchanges: exchanges}
	got := trader.Inspect(wallet, h.book(), s)
	if w, found := signal(got, "WASH_RING"); !found || !w.Hard || math.Abs(w.Share-1) > 1e-12 {
		t.Errorf("ring: %+v", got.Wash)
	}
	s.Exchanges = nil
	if _, found := signal(trader.Inspect(wallet, h.book(), s), "WASH_RING"); found {
		t.Error("a ring without its other half")
	}
	// Pools are not people.
	if _, found := signal(trader.Inspect(wallet, h.book(), trader.Surroundings{Exchanges: exchanges}), "WASH_RING"); found {
		t.Error("a ring of accounts nobody knows")
	}
	// Whoever bears price changes takes a risk.
	h, exchanges = ring(func(i int) float64 { return 50 * (1 + 0.1*float64(i%2)) })
	s.Exchanges = exchanges
	if got := trader.Inspect(wallet, h.book(), s); got.Wash.Suspected {
		t.Errorf("at a risk: %+v", got.Wash)
	}
}

func TestRoundTrips(t *testing.T) {
	trips := func(n int, loss func(i int) float64, gap time.Duration, sameBlock bool) trader.Conduct {
		var h history
		for i := range n {
			at := time.Duration(i) * 3 * time.Hour
			h.trade(at, token(i%3), position.Buy, 100, 100, pool)
			h.trade(at+gap, token(i%3), position.Sell, 100, 100*(1-loss(i)), pool)
			if sameBlock {
				last := len(h.ledger.Trades)
				h.ledger.Trades[last-1].SameBlock, h.ledger.Trades[last-2].SameBlock = true, true
			}
		}
		return trader.Inspect(wallet, h.book(), trader.Surroundings{Accounts: people()})
	}
	fees := func(int) float64 { return 0.006 }
	for _, c := range []struct {
		name string
		got  trader.Conduct
		want bool
	}{
		{"thirty at the cost of fees", trips(30, fees, 30*time.Minute, false), true},
		{"five", trips(5, fees, 30*time.Minute, false), true},
		{"four", trips(4, fees, 30*time.Minute, false), false},
		{"over two hours", trips(30, fees, 2*time.Hour, false), false},
		{"at a gain", trips(30, func(int) float64 { return -0.02 }, 30*time.Minute, false), false},
		{"at a heavy loss", trips(30, func(int) float64 { return 0.2 }, 30*time.Minute, false), false},
		{"now a gain, now a loss", trips(30, func(i int) float64 { return 0.006 + 0.04*float64(i%3-1) }, 30*time.Minute, false), false},
		{"within a block", trips(30, fees, 0, true), false},
	} {
		if _, found := signal(c.got, "WASH_ROUNDTRIP"); found != c.want || c.got.Wash.Suspected != c.want {
			t.Errorf("%s: %+v", c.name, c.got.Wash)
		}
	}
}

func TestChurnAloneIsNotEnough(t *testing.T) {
	var h history
	for i := range 200 { // two hundred turns of one stake a day, over an hour each in different tokens, for nothing
		at := time.Duration(i) * 5 * time.Minute
		h.trade(at, token(i%20), position.Buy, 100, 100, pool)
		h.trade(at+2*time.Minute, token(i%20), position.Sell, 90, 99.9, pool)
	}
	got := trader.Inspect(wallet, h.book(), trader.Surroundings{Accounts: people()})
	if _, found := signal(got, "WASH_CHURN"); !found {
		t.Errorf("churn is not seen: %+v", got.Wash)
	}
	if got.Wash.Suspected {
		t.Errorf("one soft sign suffices: %+v", got.Wash)
	}
}

func TestArbitrageIsNotChurn(t *testing.T) {
	var h history
	for i := range 200 {
		at := time.Duration(i) * 5 * time.Minute
		h.trade(at, token(i%20), position.Buy, 100, 100, pool)
		h.trade(at, token(i%20), position.Sell, 100, 100.1, pool)
	}
	for i := range h.ledger.Trades {
		h.ledger.Trades[i].SameBlock = true
	}
	if got := trader.Inspect(wallet, h.book(), trader.Surroundings{}); len(got.Wash.Signals) != 0 {
		t.Errorf("%+v", got.Wash)
	}
}

// A client that sells back to its only market maker looks like a pair that circles, but for the maker's other clients.
func TestClientsOfMarketMakersAreNoRing(t *testing.T) {
	var h history
	for i := range 10 {
		at := time.Duration(i) * time.Hour
		h.trade(at, token(0), position.Buy, 100, 50, account(1))
		h.trade(at+20*time.Minute, token(0), position.Sell, 100, 50, account(1))
	}
	s := trader.Surroundings{Accounts: people(account(1))}
	if _, found := signal(trader.Inspect(wallet, h.book(), s), "WASH_RING"); !found {
		t.Error("a pair that circles is no ring")
	}
	for i := range 400 {
		s.Exchanges = append(s.Exchanges, trader.Exchange{
			Token: token(0), Seller: account(1), Buyer: account(2 + i%40), Quantity: 5, Time: monday.Add(time.Duration(i) * time.Hour),
		})
	}
	if _, found := signal(trader.Inspect(wallet, h.book(), s), "WASH_RING"); found {
		t.Error("a client of a market maker is a ring")
	}
}

func TestSameFunder(t *testing.T) {
	source := chain.Address{7}
	var h history
	h.trade(0, token(1), position.Buy, 1, 60, account(1))
	h.trade(time.Hour, token(2), position.Buy, 1, 40, account(2))
	s := trader.Surroundings{
		Accounts: people(account(1), account(2), source),
		Funder:   map[chain.Address]chain.Address{wallet: source, account(1): source},
	}
	got := trader.Inspect(wallet, h.book(), s)
	if w, found := signal(got, "WASH_CLUSTER"); !found || !w.Hard || math.Abs(w.Share-0.6) > 1e-12 {
		t.Errorf("%+v", got.Wash)
	}
	s.Accounts[source] = market.Account{Address: source, Kind: market.ExchangeAccount}
	if got := trader.Inspect(wallet, h.book(), s); len(got.Wash.Signals) != 0 {
		t.Errorf("an exchange funds everybody: %+v", got.Wash)
	}
}

func TestThinTokens(t *testing.T) {
	var h history
	for i := range 6 { // tokens 0 to 2 are thin
		at := time.Duration(i) * 24 * time.Hour
		h.trade(at, token(i), position.Buy, 1, 100, pool)
		h.trade(at+5*time.Hour, token(i), position.Sell, 1, 150, pool)
	}
	h.trade(200*time.Hour, token(0), position.Buy, 1, 100, pool)
	h.trade(210*time.Hour, token(0), position.Sell, 1, 50, pool)
	holders := map[chain.Address]int{token(0): 19, token(1): 5, token(2): 2, token(3): 20, token(4): 0}
	book := h.book()
	got := trader.Inspect(wallet, book, trader.Surroundings{Holders: holders})
	s, found := signal(got, "THIN_TOKENS")
	if !found || !s.Hard || math.Abs(s.Share-0.5) > 1e-12 || len(got.Wash.Thin) != 3 {
		t.Fatalf("%+v", got.Wash)
	}
	e := trader.FromBook(book, got, 1)
	if len(e.Results) != 4 { // the three gains on thin tokens are out, the loss on one stays
		t.Errorf("%d results", len(e.Results))
	}
	rating := trader.Rate(e, trader.Measure(e))
	if rating.Verdict != trader.Avoid || rating.Grade < "D" || rating.Reasons[0].Code != "THIN_TOKENS" {
		t.Errorf("a printer of profits keeps its grade: %+v", rating)
	}
	// A single thin gain proves no pattern, not even if it is all the profit.
	var single history
	single.trade(0, token(1), position.Buy, 1, 100, pool)
	single.trade(5*time.Hour, token(1), position.Sell, 1, 150, pool)
	if got := trader.Inspect(wallet, single.book(), trader.Surroundings{Holders: holders}); got.Wash.Suspected || len(got.Wash.Signals) != 1 {
		t.Errorf("%+v", got.Wash)
	}
	if got := trader.Inspect(wallet, book, trader.Surroundings{Holders: map[chain.Address]int{token(1): 5}}); got.Wash.Suspected {
		t.Errorf("%+v", got.Wash)
	}
}

func TestOwnLiquidity(t *testing.T) {
	launched := monday.Add(time.Hour)
	provide := func(at time.Duration, worth float64, liquidity map[chain.Address]float64) trader.Conduct {
		var h history
		tx := h.hash()
		h.transfer(at, token(1), false, 1000, 0, tx)
		h.transfer(at, chain.Native, false, 1, worth, tx)
		h.trade(50*time.Hour, token(1), position.Buy, 1, 100, pool)
		h.trade(60*time.Hour, token(1), position.Sell, 1, 300, pool)
		return trader.Inspect(wallet, h.book(), trader.Surroundings{
			Launched: map[chain.Address]time.Time{token(1): launched}, LiquidityUSD: liquidity,
		})
	}
	if got := provide(time.Hour+5*time.Minute, 500, nil); len(got.Wash.Thin) != 1 {
		t.Errorf("the first liquidity: %+v", got.Wash)
	}
	if got := provide(9*time.Hour, 500, nil); len(got.Wash.Thin) != 0 {
		t.Errorf("later liquidity: %+v", got.Wash)
	}
	if got := provide(9*time.Hour, 500, map[chain.Address]float64{token(1): 5000}); len(got.Wash.Thin) != 1 {
		t.Errorf("a fifth of liquidity: %+v", got.Wash)
	}
	if got := provide(9*time.Hour, 500, map[chain.Address]float64{token(1): 5100}); len(got.Wash.Thin) != 0 {
		t.Errorf("less than a fifth: %+v", got.Wash)
	}
}

func TestInsiderSupply(t *testing.T) {
	launch := func(tokens int, received, traded time.Duration, origin position.Origin) trader.Insider {
		var h history
		s := trader.Surroundings{Launched: make(map[chain.Address]time.Time)}
		for i := range tokens {
			s.Launched[token(i)] = monday.Add(10 * time.Hour)
			h.transfer(received, token(i), true, 100, 0, h.hash())
			h.ledger.Transfers[i].Origin = origin
			h.trade(traded, token(i), position.Sell, 100, 500, pool)
		}
		return trader.Inspect(wallet, h.book(), s).Insider
	}
	for _, c := range []struct {
		name             string
		tokens           int
		received, traded time.Duration
		origin           position.Origin
		found            int
		want             bool
	}{
		{"twice before launch", 2, 9 * time.Hour, 12 * time.Hour, position.TransferUnknown, 2, true},
		{"minted to it", 2, 9 * time.Hour, 12 * time.Hour, position.Airdrop, 2, true},
		{"once", 1, 9 * time.Hour, 12 * time.Hour, position.TransferUnknown, 1, false},
		{"at launch", 2, 10 * time.Hour, 12 * time.Hour, position.TransferUnknown, 0, false},
		{"from an exchange", 2, 9 * time.Hour, 12 * time.Hour, position.ExchangeTransfer, 0, false},
		{"traded before the launch that is known", 2, 8 * time.Hour, 9 * time.Hour, position.TransferUnknown, 0, false},
	} {
		got := launch(c.tokens, c.received, c.traded, c.origin)
		if got.Suspected != c.want || len(got.Tokens) != c.found {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

func TestAutomation(t *testing.T) {
	judge := func(n int, gap func(i int) time.Duration, size func(i int) float64) trader.Automation {
		var h history
		at := time.Duration(0)
		for i := range n {
			h.trade(at, token(i%20), position.Buy, 10, size(i), pool)
			at += gap(i)
		}
		return trader.Inspect(wallet, h.book(), trader.Surroundings{}).Automated
	}
	random := rand.New(rand.NewPCG(3, 3))
	varied := func(int) float64 { return 100 * math.Exp(random.NormFloat64()) }
	person := func(i int) time.Duration { // six trades a day between nine and five
		if i%6 == 5 {
			return 24*time.Hour - 5*80*time.Minute
		}
		return 80 * time.Minute
	}
	for _, c := range []struct {
		name string
		got  trader.Automation
		want string
	}{
		{"a person", judge(300, person, varied), trader.AutomationUnlikely},
		{"too little to tell", judge(29, func(int) time.Duration { return time.Second }, func(int) float64 { return 50 }), trader.AutomationUnlikely},
		{"clockwork", judge(300, func(int) time.Duration { return time.Hour }, varied), trader.AutomationLikely},
		{"every few seconds", judge(2000, func(int) time.Duration { return time.Duration(random.ExpFloat64() * float64(20*time.Second)) }, varied), trader.AutomationLikely},
		{"always the same size", judge(300, person, func(int) float64 { return 50 }), trader.AutomationPossible},
		{"around the clock", judge(300, func(int) time.Duration { return time.Duration(random.ExpFloat64() * float64(2*time.Hour)) }, varied), trader.AutomationPossible},
	} {
		if c.got.Verdict != c.want {
			t.Errorf("%s: %+v, want %s", c.name, c.got, c.want)
		}
	}
}

func TestBothHalvesOfASwapAreOneTransaction(t *testing.T) {
	var h history
	for i := range 40 {
		at := time.Duration(i) * 7 * time.Hour
		h.trade(at, token(i), position.Sell, 10, 100, pool)
		h.trade(at, token(i+1), position.Buy, 10, 100, pool)
		h.ledger.Trades[2*i+1].Tx = h.ledger.Trades[2*i].Tx
	}
	if got := trader.Inspect(wallet, h.book(), trader.Surroundings{}).Automated; got.Trades != 40 || got.MedianGap != 7*time.Hour {
		t.Errorf("%+v", got)
	}
}

func TestSameBlockTraders(t *testing.T) {
	var h history
	for i := range 40 {
		h.trade(time.Duration(i)*7*time.Hour, token(i), position.Buy, 10, 100, pool)
		h.ledger.Trades[i].SameBlock = i%2 == 0
	}
	got := trader.Inspect(wallet, h.book(), trader.Surroundings{})
	if got.SameBlockShare != 0.5 || got.Automated.Verdict != trader.AutomationLikely {
		t.Errorf("%+v", got)
	}
}

func TestInspectSeesNothingLater(t *testing.T) {
	var h history
	h.trade(0, token(1), position.Buy, 1, 100, pool)
	h.trade(48*time.Hour, token(2), position.Buy, 1, 100, wallet)
	book := h.book()
	book.AsOf = monday.Add(24 * time.Hour)
	if got := trader.Inspect(wallet, book, trader.Surroundings{}); len(got.Wash.Signals) != 0 {
		t.Errorf("%+v", got.Wash)
	}
}

func TestFromBook(t *testing.T) {
	at := monday
	book := &position.Book{
		AsOf: monday.AddDate(0, 1, 0), MatchedShare: 0.9, UnmatchedSells: 3,
		Positions: []position.Position{
			{Token: token(1), Status: position.Closed, Rateable: true, OpenedAt: at, ClosedAt: at.Add(9 * time.Hour), ROI: 0.5, MatchedCostUSD: 10, PnLUSD: 5, Holding: time.Hour},
			{Token: token(1), Status: position.Closed, Rateable: true, OpenedAt: at, ClosedAt: at.Add(2 * time.Hour), ROI: -1, MatchedCostUSD: 10, PnLUSD: -10, Imputed: true},
			{Token: token(2), Status: position.Closed, Rateable: true, SameBlock: true, ROI: 9},
			{Token: token(3), Status: position.Closed, ROI: 9},
			{Token: token(4), Status: position.Open, CostUSD: 100, MatchedCostUSD: 40, RecoverableUSD: 6},
			{Token: token(5), Status: position.Open, CostUSD: 100, RecoverableUSD: math.NaN()},
			{Token: token(6), Status: position.Transferred, Rateable: true, ROI: 9},
		},
	}
	e := trader.FromBook(book, trader.Conduct{}, 7)
	if len(e.Results) != 2 || e.Results[0].Return != -1 || !e.Results[0].Imputed || e.Results[1].PnLUSD != 5 || e.Results[0].Cluster != e.Results[1].Cluster {
		t.Errorf("results: %+v", e.Results)
	}
	if len(e.Open) != 1 || e.Open[0] != (trader.OpenResult{RecoverableUSD: 6, CostUSD: 60}) {
		t.Errorf("open: %+v", e.Open)
	}
	if e.MatchedShare != 0.9 || e.UnmatchedSells != 3 || e.Seed != 7 || !e.AsOf.Equal(book.AsOf) {
		t.Errorf("evidence: %+v", e)
	}
}
