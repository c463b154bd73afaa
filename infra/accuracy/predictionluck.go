package accuracy

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/predictionrecord"
)

// The ways in which the markets of one event hang together.
const (
	singleMarket = "single"      // one market
	exclusive    = "exclusive"   // exactly one of five markets ends in yes
	nested       = "nested"      // five thresholds of one number: each that is passed has passed those below it
	independent  = "independent" // five markets that have nothing to do with each other
)

// bettors are prediction wallets whose true edge is known.
type bettors struct {
	name, structure string
	// price draws the price of yes in one market; exclusive events share theirs out.
	price func(*rand.Rand) float64
	// unequal sizes spread over three orders of magnitude.
	unequal bool
	// chases makes the wallet buy again after the price moved, more when it fell.
	chases bool
	// edge is how much likelier a bought outcome is than its price, in dollars a share.
	edge float64
}

func even(random *rand.Rand) float64       { return 0.3 + 0.4*random.Float64() }
func anyPrice(random *rand.Rand) float64   { return 0.03 + 0.94*random.Float64() }
func favourites(random *rand.Rand) float64 { return 0.92 + 0.06*random.Float64() }
func longshots(random *rand.Rand) float64  { return 0.02 + 0.08*random.Float64() }

func fairBettors() []bettors {
	return []bettors{
		{name: "even single markets", structure: singleMarket, price: even},
		{name: "single markets of any price, unequal sizes", structure: singleMarket, price: anyPrice, unequal: true},
		{name: "favourites, single markets", structure: singleMarket, price: favourites, unequal: true},
		{name: "longshots, single markets", structure: singleMarket, price: longshots, unequal: true},
		{name: "exclusive markets", structure: exclusive, unequal: true},
		{name: "exclusive markets, bought again as prices move", structure: exclusive, unequal: true, chases: true},
		{name: "nested markets", structure: nested, price: anyPrice, unequal: true},
		{name: "nested markets, bought again as prices move", structure: nested, price: anyPrice, unequal: true, chases: true},
		{name: "favourites in nested markets", structure: nested, price: favourites, unequal: true, chases: true},
		{name: "independent markets of an event", structure: independent, price: anyPrice, unequal: true},
		{name: "favourites in independent markets", structure: independent, price: favourites, unequal: true},
		{name: "longshots in nested markets", structure: nested, price: longshots, unequal: true, chases: true},
	}
}

// eventPrices draws what yes costs in each market of an event, and what later became of each.
func (p bettors) eventPrices(random *rand.Rand) (prices []float64, yes []bool) {
	markets := 5
	if p.structure == singleMarket {
		markets = 1
	}
	prices, yes = make([]float64, markets), make([]bool, markets)
	common := random.Float64()
	total := 0.0
	for i := range prices {
		if p.structure == exclusive {
			prices[i] = 0.1 + random.ExpFloat64()
			total += prices[i]
			continue
		}
		prices[i] = p.price(random)
		if p.structure == nested {
			yes[i] = common < prices[i]
		} else {
			yes[i] = random.Float64() < prices[i]
		}
	}
	if p.structure == exclusive {
		below := 0.0
		for i := range prices {
			prices[i] /= total
			yes[i] = common >= below && common < below+prices[i]
			below += prices[i]
		}
	}
	return prices, yes
}

// record simulates a wallet that bought into n events, one a day, each decided two days later.
func (p bettors) record(n int, random *rand.Rand) (*predictionrecord.Record, time.Time) {
	r := &predictionrecord.Record{
		Wallet: chain.Address{1}, Activity: &market.PredictionActivity{}, Positions: &market.PredictionPositions{},
		Markets: make(map[market.Hash]market.PredictionMarket),
	}
	binary.BigEndian.PutUint64(r.Wallet[1:], random.Uint64())
	at := newYear()
	for e := range n {
		at = at.Add(24 * time.Hour)
		prices, yes := p.eventPrices(random)
		bets := 1 + random.IntN(len(prices))
		for bet, m := range random.Perm(len(prices))[:bets] {
			p.bet(r, random, event{id: strconv.Itoa(e), number: e, market: m, at: at.Add(time.Duration(bet) * time.Hour)}, prices[m], yes[m])
		}
	}
	return r, at.Add(72 * time.Hour)
}

// event is where and when a simulated bet is placed.
type event struct {
	id             string
	number, market int
	at             time.Time
}

// bet buys yes, or no in two of five, of a market. A favourite stays one: no is never bought of favourites or longshots.
func (p bettors) bet(r *predictionrecord.Record, random *rand.Rand, e event, price float64, yes bool) {
	outcome, won := 0, yes
	if price > 0.15 && price < 0.85 && random.Float64() < 0.4 {
		outcome, price, won = 1, 1-price, !yes
	}
	if p.edge != 0 && !won && random.Float64() < p.edge/(1-price) {
		won = true
	}
	size := 100.0
	if p.unequal {
		size = 10 * math.Exp(1.5*random.NormFloat64())
	}
	id := market.Hash{1}
	binary.BigEndian.PutUint32(id[1:], uint32(e.number))
	id[5] = byte(e.market)
	asset := func(outcome int) string { return fmt.Sprint(e.number, "-", e.market, "-", outcome) }
	payouts := [2]float64{0, 1}
	if won {
		payouts = [2]float64{1, 0}
	}
	facts := market.PredictionMarket{
		Market: id, Event: e.id, Decided: true, ClosedAt: e.at.Add(48 * time.Hour), Exclusive: p.structure == exclusive,
		FeeRate: math.NaN(), TickSize: 0.01, Spread: math.NaN(), LiquidityUSD: math.NaN(), Outcomes: make([]market.PredictionOutcome, 2),
	}
	for i, payout := range payouts {
		facts.Outcomes[(outcome+i)%2] = market.PredictionOutcome{Asset: asset((outcome + i) % 2), Price: payout, Payout: payout}
	}
	r.Markets[id] = facts
	buy := func(at time.Time, price, shares float64) {
		r.Activity.Trades = append(r.Activity.Trades, market.PredictionTrade{
			Time: at, Market: id, Event: e.id, Asset: asset(outcome), Outcome: outcome, Buy: true, Price: price, Shares: shares,
			USD: price * shares, Role: market.Taker,
		})
	}
	buy(e.at, price, size/price)
	if !p.chases {
		return
	}
	// Soon the price is another, and fair again: it rises with the chance of the price itself, by Bayes the more the likelier it is
	// that the outcome came true.
	low, high := price/2, (1+price)/2
	chanceHigh := low
	if won {
		chanceHigh = high
	}
	if random.Float64() < chanceHigh {
		buy(e.at.Add(30*time.Minute), high, size/4/high)
	} else {
		buy(e.at.Add(30*time.Minute), low, 3*size/low)
	}
}

// PredictionLuck measures how often fair prediction wallets beat luck at 5 %, and, for information, how often skilled ones do. Where a
// record has few possible results (ten favourites, of which none or one loses) the test cannot reach 5 % and stays below it: there
// only the upper bound is a goal.
func PredictionLuck(wallets int) []Row {
	sampling := 1.96 * math.Sqrt(0.05*0.95/float64(wallets))
	var rows []Row
	for _, p := range fairBettors() {
		for _, n := range []int{10, 50, 200} {
			found := p.judged(wallets, n)
			lucky, top, covered := found["beats luck"], found["A or B"], found["interval holds"]
			goal, pass := "0.05 +- 0.01", lucky >= 0.04-sampling && lucky <= 0.06+sampling
			if few := p.rare(n); few {
				goal, pass = "<= 0.06, few results possible", lucky <= 0.06+sampling
			}
			rows = append(rows, Row{
				Name:     fmt.Sprintf("prediction luck, fair %s, %d events", p.name, n),
				Goal:     fmt.Sprintf("%s, sampling +- %.4f; 90 %% interval holds 0 in >= 0.87; A or B <= 0.10", goal, sampling),
				Measured: fmt.Sprintf("%.4f; %.3f (A or B %.3f)", lucky, covered, top), Pass: pass && covered >= 0.87 && top <= 0.10+sampling,
			})
		}
	}
	for _, p := range []bettors{
		{name: "+5 cents, even single markets", structure: singleMarket, price: even, edge: 0.05},
		{name: "+5 cents, any price, unequal sizes", structure: singleMarket, price: anyPrice, unequal: true, edge: 0.05},
		{name: "+10 cents, even single markets", structure: singleMarket, price: even, edge: 0.10},
		{name: "+2 cents, favourites", structure: singleMarket, price: favourites, unequal: true, edge: 0.02},
	} {
		for _, n := range []int{30, 100, 200, 600} {
			found := p.judged(wallets/4, n)
			rows = append(rows, Row{
				Name: fmt.Sprintf("prediction skill, %s, %d events", p.name, n), Goal: "for information",
				Measured: fmt.Sprintf("beats luck %.3f, A or B %.3f", found["beats luck"], found["A or B"]), Pass: true,
			})
		}
	}
	return rows
}

// rare tells whether so few losses (or wins) are expected that the test has hardly any results to choose from.
func (p bettors) rare(n int) bool {
	random := rand.New(rand.NewPCG(1, 1))
	expected := 0.0
	const draws = 200
	for range draws {
		prices, _ := p.eventPrices(random)
		expected += min(prices[0], 1-prices[0]) / draws
	}
	return expected*float64(n) < 3
}

// judged is the part of wallets whose results luck explains in at most 5 % of cases, of those graded A or B, and of those whose edge's
// interval holds the true edge of fair wallets, none.
func (p bettors) judged(wallets, n int) map[string]float64 {
	return shares(wallets, cellSeed("prediction "+p.name, n), func(random *rand.Rand) []string {
		a := predictionrecord.Assess(p.record(n, random))
		var labels []string
		if a.ChanceProbability <= 0.05 {
			labels = append(labels, "beats luck")
		}
		if a.Grade == "A" || a.Grade == "B" {
			labels = append(labels, "A or B")
		}
		if a.Edge.Low <= 0 && a.Edge.High >= 0 {
			labels = append(labels, "interval holds")
		}
		return labels
	})
}
