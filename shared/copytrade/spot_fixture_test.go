package copytrade

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/holiman/uint256"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/endpointtest"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// bazaar is a small spot market on Base: wallets that trade tokens for the native coin at 2,000 USD, and everything that is known of
// both. Every token has one pool against the wrapped coin; its price moves from 1 in a straight line within a week of when it is told to.
type bazaar struct {
	on *chain.Chain

	mu         sync.Mutex
	activities map[chain.Address]*market.Activity
	holdings   map[chain.Address][]market.Holding
	moves      map[chain.Address]move
	liquidity  map[chain.Address]float64
	creators   map[chain.Address]chain.Address
	holders    map[chain.Address]int
	traps      map[chain.Address]bool
	// failing are errors by port, or by "activity" and a wallet.
	failing map[string]error
	asked   map[string]int
	nonce   int
}

// move is a token's price from when it leaves 1 until a week later, when it has moved by so much.
type move struct {
	at time.Time
	by float64
}

var router, usdc = chain.Address{0x77}, chain.Address{}

func newBazaar() *bazaar {
	on, _ := chain.Parse("base")
	usdc = on.Stables[0].Address
	return &bazaar{
		on: on, activities: make(map[chain.Address]*market.Activity), holdings: make(map[chain.Address][]market.Holding), moves: make(map[chain.Address]move),
		liquidity: make(map[chain.Address]float64), creators: make(map[chain.Address]chain.Address), holders: make(map[chain.Address]int),
		traps: make(map[chain.Address]bool), failing: make(map[string]error), asked: make(map[string]int),
	}
}

// account and coin name the n-th wallet and token.
func account(n int) chain.Address { return chain.Address{byte(37 * n), byte(n), 0x11} }

func coinAt(n int) chain.Address { return chain.Address{0xaa, byte(n >> 8), byte(n)} }

func (b *bazaar) ask(what ...string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	name := strings.Join(what, " ")
	b.asked[name]++
	if err := b.failing[what[0]]; err != nil {
		return err
	}
	return b.failing[name]
}

// fail has a question fail from now on; one under way may be left over from a request that went on without it.
func (b *bazaar) fail(what string, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failing[what] = err
}

func (b *bazaar) calls() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	total := 0
	for _, n := range b.asked {
		total += n
	}
	return total
}

func (b *bazaar) price(token chain.Address, at time.Time) float64 {
	m, found := b.moves[token]
	if !found {
		return 1
	}
	return 1 + m.by*min(1, max(0, at.Sub(m.at).Hours()/(7*24)))
}

// rawUnits is so many units of a token with 18 decimals.
func rawUnits(units float64) market.Amount {
	return *new(uint256.Int).Mul(uint256.NewInt(uint64(units*1e9)), uint256.NewInt(1e9))
}

// trade buys (positive) or sells a token for so many dollars.
func (b *bazaar) trade(wallet, token chain.Address, usd float64, ago time.Duration) {
	activity := b.of(wallet)
	at := now.Add(-ago)
	b.nonce++
	activity.Tokens[token] = market.Token{Address: token, Symbol: fmt.Sprintf("T%d", int(token[1])<<8|int(token[2])), Decimals: 18, Known: true, Holders: b.holders[token]}
	coins, units := rawUnits(math.Abs(usd)/2000), rawUnits(math.Abs(usd)/b.price(token, at))
	buys := usd > 0
	activity.Transactions = append(activity.Transactions, market.Transaction{
		Hash: market.Hash{byte(b.nonce >> 8), byte(b.nonce), 1}, Block: uint64(at.Unix()), Time: at, Sender: wallet, Target: router,
		Movements: []market.Movement{
			{Token: chain.Native, Counterparty: router, Amount: coins, In: !buys, LogIndex: -1},
			{Token: token, Counterparty: router, Amount: units, In: buys, LogIndex: 5},
		},
	})
	slices.SortStableFunc(activity.Transactions, func(x, y market.Transaction) int { return x.Time.Compare(y.Time) })
}

// send moves so many dollars' worth of the native coin from one wallet to another.
func (b *bazaar) send(from, to chain.Address, usd float64, ago time.Duration) {
	b.nonce++
	for _, in := range []bool{false, true} {
		wallet, other := from, to
		if in {
			wallet, other = to, from
		}
		activity := b.of(wallet)
		activity.Accounts[other] = market.Account{Address: other}
		activity.Transactions = append(activity.Transactions, market.Transaction{
			Hash: market.Hash{byte(b.nonce >> 8), byte(b.nonce), 2}, Block: uint64(now.Add(-ago).Unix()), Time: now.Add(-ago), Sender: from, Target: to,
			Movements: []market.Movement{{Token: chain.Native, Counterparty: other, Amount: rawUnits(usd / 2000), In: in, LogIndex: -1}},
		})
		slices.SortStableFunc(activity.Transactions, func(x, y market.Transaction) int { return x.Time.Compare(y.Time) })
	}
}

func (b *bazaar) of(wallet chain.Address) *market.Activity {
	if b.activities[wallet] == nil {
		b.activities[wallet] = &market.Activity{
			Tokens:   make(map[chain.Address]market.Token),
			Accounts: map[chain.Address]market.Account{router: {Address: router, Kind: market.DexAccount, Contract: true}},
		}
	}
	return b.activities[wallet]
}

// round buys a token for so many dollars so long ago, which moves by so much within the week after which it is sold.
func (b *bazaar) round(wallet, token chain.Address, usd, by float64, ago time.Duration) {
	b.moves[token] = move{now.Add(-ago), by}
	b.trade(wallet, token, usd, ago)
	b.trade(wallet, token, -usd*(1+by), ago-7*24*time.Hour)
}

// trader gives a wallet as many rounds as there are returns, each in a token of its own from the first on, some days apart and at
// no clock's hours.
func (b *bazaar) trader(wallet chain.Address, first int, usd float64, returns ...float64) {
	days := 8
	for i, by := range returns {
		ago := time.Duration(days)*24*time.Hour + time.Duration(i*i*7%9)*time.Hour + time.Duration(i*i*37%59)*time.Minute
		b.round(wallet, coinAt(first+i), usd*(1+0.1*float64(i*i*13%7)), by, ago)
		days += []int{1, 9, 2, 12, 3, 4, 1}[i%7]
	}
}

// skilled and losing are what a trader with an edge, and one without, makes of its rounds.
func skilled() (returns []float64) {
	for range 4 {
		returns = append(returns, 0.8, 0.5, -0.25, 0.9, 0.35, 0.6, -0.15, 0.7)
	}
	return returns
}

func losing() (returns []float64) {
	for _, r := range skilled() {
		returns = append(returns, -r)
	}
	return returns
}

// hold gives a wallet a balance in units.
func (b *bazaar) hold(wallet, token chain.Address, symbol string, units float64) {
	decimals, raw := 18, rawUnits(units)
	if token == usdc {
		decimals, raw = 6, *uint256.NewInt(uint64(units * 1e6))
	}
	b.holdings[wallet] = append(b.holdings[wallet], market.Holding{
		Token: market.Token{Address: token, Symbol: symbol, Name: symbol, Decimals: decimals, Known: true}, Amount: raw, PriceUSD: math.NaN(),
	})
}

// copies are what a wallet of the tests copies.
type copies struct {
	running []RunningCopy
	err     error
	asked   []string
}

func (c *copies) RunningCopies(_ context.Context, partner string, wallet chain.Address, on *chain.Chain) ([]RunningCopy, error) {
	c.asked = append(c.asked, fmt.Sprint(partner, " ", wallet, " ", on.Slug))
	return c.running, c.err
}

func (b *bazaar) handler(running Running) http.Handler {
	endpoints := []endpoint.Endpoint{CopyPlan(running), CopyOverlap(running)}
	for i := range endpoints {
		endpoints[i].Open = true
	}
	return endpoint.NewHandler(endpoint.Service{
		Sources: b.sources(), Clock: func() time.Time { return now }, SingleTimeout: 30 * time.Second,
	}, endpoints...)
}

var me, lead = account(1), account(2)

// request asks one of the two endpoints for the wallet me; more continues the body.
func (b *bazaar) request(t endpointtest.T, name string, running Running, more string) endpointtest.Answer {
	t.Helper()
	body := fmt.Sprintf(`{"wallet":"%s","leadWallet":"%s","chain":"base"%s}`, me, lead, more)
	return endpointtest.Call{Method: http.MethodPost, Path: "/v1/" + name, Body: body}.Do(t, b.handler(running))
}

func answerOf[A any](t *testing.T, a endpointtest.Answer) (A, string) {
	t.Helper()
	var answer A
	if a.Status != http.StatusOK {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	if err := json.Unmarshal([]byte(a.Body), &answer); err != nil {
		t.Fatalf("%v: %s", err, a.Body)
	}
	return answer, a.Body
}

func (b *bazaar) plan(t *testing.T, running Running, more string) (CopyPlanAnswer, string) {
	t.Helper()
	return answerOf[CopyPlanAnswer](t, b.request(t, "copy-plan", running, more))
}

func (b *bazaar) overlap(t *testing.T, running Running, more string) (CopyOverlapAnswer, string) {
	t.Helper()
	return answerOf[CopyOverlapAnswer](t, b.request(t, "copy-overlap", running, more))
}
