package accuracy

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/position"
	"github.com/mirrorworthy/mirrorworthy/shared/trader"
)

// role is what an account of the economy really does.
type role string

// The roles of the economy's accounts.
const (
	honest      role = "honest"
	scalping    role = "scalper"
	loyal       role = "client of one market maker"
	marketMaker role = "market maker"
	arbitrageur role = "arbitrageur"
	ringMember  role = "ring member"
	roundTrip   role = "round-tripper"
	printer     role = "thin-token printer"
)

// economy is a simulated market of accounts that trade with pools and with each other.
type economy struct {
	random    *rand.Rand
	roles     map[chain.Address]role
	accounts  []chain.Address
	trades    map[chain.Address][]position.Trade
	exchanges map[chain.Address][]trader.Exchange
	known     map[chain.Address]market.Account
	prices    [][]float64
	holders   map[chain.Address]int
	makers    []chain.Address
	minted    uint64
	traded    uint64
}

const (
	economyTokens = 40
	economyHours  = 60 * 24
)

func (e *economy) address(contract bool) chain.Address {
	var a chain.Address
	e.minted++
	binary.BigEndian.PutUint64(a[4:], e.minted*0x9E3779B97F4A7C15)
	binary.BigEndian.PutUint64(a[12:], e.minted)
	e.known[a] = market.Account{Address: a, Contract: contract}
	return a
}

func (e *economy) account(as role) chain.Address {
	a := e.address(false)
	e.roles[a] = as
	e.accounts = append(e.accounts, a)
	return a
}

func (e *economy) token(i int) chain.Address { return chain.Address{0xEE, byte(i)} }

func (e *economy) pool(i int) chain.Address { return chain.Address{0xAA, byte(i)} }

// price is the token's market price, which moves every minute.
func (e *economy) price(token int, at time.Duration) float64 {
	return e.prices[token][max(0, min(len(e.prices[token])-1, int(at/time.Minute)))]
}

func (e *economy) when(at time.Duration) time.Time { return newYear().Add(at.Truncate(time.Second)) }

// trade books one account's side of a trade. premium is what it pays above, or gets below, the market price.
func (e *economy) trade(account, counterparty chain.Address, token int, side position.Side, quantity, premium float64, at time.Duration) {
	e.traded++
	price := e.price(token, at)
	if side == position.Buy {
		price *= 1 + premium
	} else {
		price *= 1 - premium
	}
	t := position.Trade{
		Time: e.when(at), Block: uint64(e.when(at).Unix() / 12), Order: e.traded, Token: e.token(token), Side: side,
		Quantity: quantity, ValueUSD: quantity * price, Priced: true, Counterparty: counterparty,
	}
	binary.BigEndian.PutUint64(t.Tx[:], e.traded)
	e.trades[account] = append(e.trades[account], t)
}

// exchange lets a quantity change hands between two accounts. The seller gets less than the market price by premium.
func (e *economy) exchange(seller, buyer chain.Address, token int, quantity, premium float64, at time.Duration) {
	e.trade(seller, buyer, token, position.Sell, quantity, premium, at)
	if buyer != seller {
		e.trade(buyer, seller, token, position.Buy, quantity, -premium, at)
	}
	e.exchanges[e.token(token)] = append(e.exchanges[e.token(token)], trader.Exchange{
		Token: e.token(token), Seller: seller, Buyer: buyer, Quantity: quantity, Time: e.when(at),
	})
}

// deal trades with a pool, or with a market maker at its spread.
func (e *economy) deal(account, counterparty chain.Address, token int, side position.Side, quantity float64, at time.Duration) {
	switch {
	case e.known[counterparty].Contract:
		e.trade(account, counterparty, token, side, quantity, 0.003, at)
	case side == position.Buy:
		e.exchange(counterparty, account, token, quantity, -0.0015, at)
	default:
		e.exchange(account, counterparty, token, quantity, 0.0015, at)
	}
}

func (e *economy) size() float64 { return 300 * math.Exp(1.2*e.random.NormFloat64()) }

func (e *economy) start() time.Duration {
	return time.Duration(e.random.Float64() * 0.8 * economyHours * float64(time.Hour))
}

func (e *economy) span(typical time.Duration) time.Duration {
	return time.Duration(float64(typical) * math.Exp(0.8*e.random.NormFloat64()))
}

// invest opens and closes positions as people do, mostly all at once, now and then in two parts.
func (e *economy) invest(account chain.Address, episodes int, holding time.Duration, counterparty func(token int) chain.Address) {
	for range episodes {
		token, at := e.random.IntN(economyTokens), e.start()
		quantity := e.size() / e.price(token, at)
		other := counterparty(token)
		e.deal(account, other, token, position.Buy, quantity, at)
		end := min(at+e.span(holding), economyHours*time.Hour)
		if e.random.Float64() < 0.3 {
			part := quantity * (0.3 + 0.4*e.random.Float64())
			e.deal(account, counterparty(token), token, position.Sell, part, at+(end-at)/2)
			quantity -= part
		}
		e.deal(account, counterparty(token), token, position.Sell, quantity, end)
	}
}

// ring sells one token around among its accounts: in a circle, or back and forth between random pairs that settle at the end.
// Sizes differ by noise, and as large a part of its trading is with others.
func (e *economy) ring(size int) {
	noise := 0.02 * e.random.Float64()
	members := make([]chain.Address, size)
	for i := range members {
		members[i] = e.account(ringMember)
	}
	token, at := e.random.IntN(economyTokens), e.start()
	base := e.size() / e.price(token, at)
	loops := 20 + e.random.IntN(40)
	for range loops {
		for i, seller := range members {
			quantity := base * (1 + noise*(2*e.random.Float64()-1))
			e.exchange(seller, members[(i+1)%size], token, quantity, 0, at)
			at += time.Duration(1+e.random.IntN(10)) * time.Minute
			if e.random.Float64() < noise {
				e.deal(seller, e.makers[e.random.IntN(len(e.makers))], token, position.Buy, base, at)
			}
		}
	}
}

// newEconomy simulates a market in which so many people trade honestly.
func newEconomy(seed uint64, people int) *economy {
	e := &economy{
		random: rand.New(rand.NewPCG(seed, 10)), roles: make(map[chain.Address]role),
		trades: make(map[chain.Address][]position.Trade), exchanges: make(map[chain.Address][]trader.Exchange),
		known: make(map[chain.Address]market.Account), holders: make(map[chain.Address]int),
	}
	for i := range economyTokens {
		path := make([]float64, economyHours*60+1)
		volatility := (0.005 + 0.025*e.random.Float64()) / math.Sqrt(60)
		path[0] = math.Exp(2 * e.random.NormFloat64())
		for minute := 1; minute < len(path); minute++ {
			path[minute] = path[minute-1] * math.Exp(volatility*e.random.NormFloat64()-volatility*volatility/2)
		}
		e.prices = append(e.prices, path)
		e.known[e.pool(i)] = market.Account{Address: e.pool(i), Contract: true, Kind: market.DexAccount}
		e.holders[e.token(i)] = 200 + e.random.IntN(5000)
	}
	for range 20 {
		e.makers = append(e.makers, e.account(marketMaker))
	}
	anyMaker := func(int) chain.Address { return e.makers[e.random.IntN(len(e.makers))] }
	for i := range people {
		as := honest
		switch {
		case i%20 == 1:
			as = scalping
		case i%20 == 2:
			as = loyal
		}
		account := e.account(as)
		own := anyMaker(0)
		episodes := 5 + e.random.IntN(25)
		switch {
		case as == scalping:
			e.invest(account, 2*episodes, 20*time.Minute, e.pool)
		case as == loyal:
			e.invest(account, 2*episodes, 5*time.Hour, func(int) chain.Address { return own })
		case i%2 == 0:
			e.invest(account, episodes, 48*time.Hour, e.pool)
		default:
			e.invest(account, episodes, 48*time.Hour, anyMaker)
		}
	}
	for _, maker := range e.makers {
		for range 200 { // makers level their inventories among themselves
			if other := anyMaker(0); other != maker {
				token, at := e.random.IntN(economyTokens), e.start()
				e.exchange(maker, other, token, e.size()/e.price(token, at), 0, at)
			}
		}
	}
	for range 10 {
		account := e.account(arbitrageur)
		for range 300 {
			token, at := e.random.IntN(economyTokens), e.start()
			quantity := 10 * e.size() / e.price(token, at)
			e.trade(account, e.pool(token), token, position.Buy, quantity, 0.003, at)
			e.trade(account, e.pool(token), token, position.Sell, quantity, -0.004-0.01*e.random.Float64(), at)
			own := e.trades[account]
			own[len(own)-1].SameBlock, own[len(own)-2].SameBlock = true, true
		}
	}
	for i := range 50 {
		e.ring(1 + i%6)
	}
	for range 20 {
		account := e.account(roundTrip)
		token, at := e.random.IntN(economyTokens), e.start()
		quantity := e.size() / e.price(token, at)
		for range 30 {
			e.trade(account, e.pool(token), token, position.Buy, quantity, 0.003, at)
			at += time.Duration(1+e.random.IntN(4)) * time.Minute
			e.trade(account, e.pool(token), token, position.Sell, quantity, 0.003, at)
			at += time.Duration(1+e.random.IntN(30)) * time.Minute
		}
		e.invest(account, 3, 24*time.Hour, e.pool)
	}
	for i := range 20 {
		account := e.account(printer)
		for j := range 8 { // tokens of its own that it sells to itself at whatever price it likes
			own := chain.Address{0xDD, byte(i), byte(j)}
			e.holders[own] = 2 + e.random.IntN(15)
			at := e.start()
			quantity := 300 / e.price(0, at)
			e.trade(account, e.pool(0), 0, position.Buy, quantity, 0, at)
			e.trade(account, e.pool(0), 0, position.Sell, quantity, -2, at+time.Hour)
			trades := e.trades[account]
			trades[len(trades)-1].Token, trades[len(trades)-2].Token = own, own
		}
		e.invest(account, 3, 24*time.Hour, e.pool)
	}
	return e
}

// inspect judges one account by what can be known of it.
func (e *economy) inspect(account chain.Address) (trader.Conduct, trader.Rating) {
	trades := e.trades[account]
	slices.SortFunc(trades, func(a, b position.Trade) int {
		return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Order, b.Order))
	})
	ledger := &position.Ledger{Trades: trades, Tokens: make(map[chain.Address]market.Token)}
	asOf := e.when((economyHours + 1) * time.Hour)
	surroundings := trader.Surroundings{Holders: e.holders, Accounts: e.known}
	var around [][]trader.Exchange
	for i := range trades {
		if _, seen := ledger.Tokens[trades[i].Token]; !seen {
			ledger.Tokens[trades[i].Token] = market.Token{Address: trades[i].Token, Decimals: 18, Known: true}
			around = append(around, e.exchanges[trades[i].Token])
		}
	}
	surroundings.Exchanges = slices.Concat(around...)
	book := position.Build(ledger, nil, asOf)
	conduct := trader.Inspect(account, book, surroundings)
	evidence := trader.FromBook(book, conduct, 1)
	return conduct, trader.Rate(evidence, trader.Measure(evidence))
}

// WashEconomy measures the detection of wash trading in an economy of 2,000 honest traders (scalpers and clients of a single
// market maker among them), 20 market makers, 10 arbitrageurs, and 50 rings of one to six accounts whose sizes differ by up to
// 2 %, besides accounts that trade back and forth with pools and such that make their profits in tokens of their own.
func WashEconomy() []Row { return washEconomy(2021, 2000) }

func washEconomy(seed uint64, people int) []Row {
	e := newEconomy(seed, people)
	counts := make(map[role]int)
	for _, account := range e.accounts {
		counts[e.roles[account]]++
	}
	labels := tally(len(e.accounts), func(i int) []string {
		account := e.accounts[i]
		conduct, rating := e.inspect(account)
		as := string(e.roles[account])
		var labels []string
		if conduct.Wash.Suspected {
			labels = append(labels, as)
		}
		if rating.Grade >= "A" && rating.Grade <= "C" {
			labels = append(labels, as+" graded C or better")
		}
		return labels
	})
	planted := counts[ringMember] + counts[roundTrip] + counts[printer]
	found, all := labels[string(ringMember)]+labels[string(roundTrip)]+labels[string(printer)], 0
	for as := range counts {
		all += labels[string(as)]
	}
	rows := []Row{
		atLeast("wash trading: recall", found, planted, 0.95),
		atLeast("wash trading: precision", found, all, 0.95),
		atLeast("wash trading: recall of ring members", labels[string(ringMember)], counts[ringMember], 0.95),
	}
	for _, as := range []role{marketMaker, arbitrageur} {
		rows = append(rows, Row{
			Name: fmt.Sprintf("wash trading: flagged of %ss", as), Goal: "0",
			Measured: fmt.Sprintf("%d of %d", labels[string(as)], counts[as]), Pass: labels[string(as)] == 0,
		})
	}
	for _, as := range []role{honest, scalping, loyal} {
		rows = append(rows, Row{
			Name: fmt.Sprintf("wash trading: flagged, %s", as), Goal: "<= 1%",
			Measured: fmt.Sprintf("%d of %d", labels[string(as)], counts[as]), Pass: 100*labels[string(as)] <= counts[as],
		})
	}
	for _, as := range []role{roundTrip, printer} {
		graded := labels[string(as)+" graded C or better"]
		rows = append(rows, atLeast(fmt.Sprintf("wash trading: recall of %ss", as), labels[string(as)], counts[as], 0.95), Row{
			Name: fmt.Sprintf("wash trading: %ss graded C or better", as), Goal: "<= 5%",
			Measured: fmt.Sprintf("%d of %d", graded, counts[as]), Pass: 20*graded <= counts[as],
		})
	}
	return rows
}

func atLeast(name string, part, whole int, goal float64) Row {
	share := float64(part) / float64(whole)
	return Row{
		Name: name, Goal: fmt.Sprintf(">= %.2f", goal),
		Measured: fmt.Sprintf("%.3f (%d of %d)", share, part, whole), Pass: share >= goal,
	}
}
