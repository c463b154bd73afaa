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
	// edge is how much likelier a bought outcome is than its price, in dollars a share; known is how often the outcome is simply known.
	edge, known float64
	// left is the time from an event's first bets to its end, two days when zero.
	left time.Duration
}

func even(random *rand.Rand) float64       { return 0.3 + 0.4*random.Float64() }
func anyPrice(random *rand.Rand) float64   { return 0.03 + 0.94*random.Float64() }
func favourites(random *rand.Rand) float64 { return 0.92 + 0.06*random.Float64() }
func longshots(random *rand.Rand) float64  { return 0.02 + 0.08*random.Float64() }

// fairBettors differ in what can make luck look like skill: how prices lie, how markets of an event hang together, and buying again
// after the price moved.
func fairBettors() []bettors {
	return []bettors{
		{name: "even single markets", structure: singleMarket, price: even},
		{name: "independent markets of an event", structure: independent, price: anyPrice, unequal: true},
		{name: "exclusive markets, bought again as prices move", structure: exclusive, unequal: true, chases: true},
		{name: "nested markets, bought again as prices move", structure: nested, price: anyPrice, unequal: true, chases: true},
		{name: "favourites in nested markets", structure: nested, price: favourites, unequal: true, chases: true},
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

func (p bettors) timeLeft() time.Duration {
	if p.left > 0 {
		return p.left
	}
	return 48 * time.Hour
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
	if !won && random.Float64() < p.known {
		won = true
	}
	size := 100.0
	if p.unequal {
		size = 10 * math.Exp(1.5*random.NormFloat64())
	}
	id := market.Hash{1}
	binary.BigEndian.PutUint32(id[1:], uint32(e.number))
	id[5] = byte(e.market)
	prefix := e.id + "-" + strconv.Itoa(e.market) + "-"
	asset := func(outcome int) string { return prefix + strconv.Itoa(outcome) }
	payouts := [2]float64{0, 1}
	if won {
		payouts = [2]float64{1, 0}
	}
	facts := market.PredictionMarket{
		Market: id, Event: e.id, Decided: true, ClosedAt: e.at.Add(p.timeLeft()), Exclusive: p.structure == exclusive,
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

// lengths are how many events the records of a cell hold, and which part of the wallets are simulated there: long records cost more.
var lengths = []struct {
	events int
	part   float64
}{{10, 0.75}, {50, 0.3}, {200, 0.3}}

// samplingError is the sampling error of a share in n wallets, 95 %.
func samplingError(share float64, n int) float64 { return 1.96 * math.Sqrt(share*(1-share)/float64(n)) }

// PredictionLuck measures how often fair prediction wallets beat luck at 5 %, in cells of at most so many wallets and over all cells of
// a length, and, for information, how often skilled ones do. Where a record has few possible results (ten favourites, of which none
// or one loses) the test cannot reach 5 % and stays below it: there only the upper bound is a goal.
func PredictionLuck(wallets int) []Row {
	var rows []Row
	for _, length := range lengths {
		n, count := length.events, max(1, int(length.part*float64(wallets)))
		lucky, cells := 0.0, 0
		for _, p := range fairBettors() {
			found := p.judged(count, n)
			rows = append(rows, p.luckRow(n, count, found))
			if !p.rare(n) {
				lucky, cells = lucky+found["beats luck"], cells+1
			}
		}
		lucky /= float64(cells)
		allowed := samplingError(0.05, cells*count)
		rows = append(rows, Row{
			Name: fmt.Sprintf("prediction luck, all fair, %d events", n), Goal: fmt.Sprintf("0.05 +- 0.01, sampling +- %.4f", allowed),
			Measured: fmt.Sprintf("%.4f of %d wallets", lucky, cells*count), Pass: math.Abs(lucky-0.05) <= 0.01+allowed,
		})
	}
	rows = append(rows, foresight(wallets)...)
	for _, p := range []bettors{
		{name: "+5 cents, any price, unequal sizes", structure: singleMarket, price: anyPrice, unequal: true, edge: 0.05},
		{name: "+10 cents, even single markets", structure: singleMarket, price: even, edge: 0.10},
		{name: "+2 cents, favourites", structure: singleMarket, price: favourites, unequal: true, edge: 0.02},
	} {
		for _, n := range []int{30, 200, 500} {
			found := p.judged(max(1, wallets/40), n)
			rows = append(rows, Row{
				Name: fmt.Sprintf("prediction skill, %s, %d events", p.name, n), Goal: "for information",
				Measured: fmt.Sprintf("beats luck %.3f, A or B %.3f", found["beats luck"], found["A or B"]), Pass: true,
			})
		}
	}
	return rows
}

// luckRow is a cell of fair wallets.
func (p bettors) luckRow(n, wallets int, found map[string]float64) Row {
	lucky, top, covered := found["beats luck"], found["A or B"], found["interval holds"]
	luckError, topError, coveredError := samplingError(0.05, wallets), samplingError(0.10, wallets), samplingError(0.90, wallets)
	goal, pass := "0.05 +- 0.01", math.Abs(lucky-0.05) <= 0.01+luckError
	if p.rare(n) {
		goal, pass = "<= 0.06, few results possible", lucky <= 0.06+luckError
	}
	return Row{
		Name: fmt.Sprintf("prediction luck, fair %s, %d events", p.name, n),
		Goal: fmt.Sprintf("%s; 90 %% interval holds 0 in >= 0.88; A or B <= 0.10; sampling +- %.4f, %.4f, %.4f of %d wallets",
			goal, luckError, coveredError, topError, wallets),
		Measured: fmt.Sprintf("%.4f; %.3f; %.3f", lucky, covered, top),
		Pass:     pass && covered >= 0.88-coveredError && top <= 0.10+topError,
	}
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
