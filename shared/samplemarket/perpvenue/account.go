package perpvenue

import (
	"fmt"
	"math"
	"sync"

	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket/seeded"
)

// position is what an account holds of a coin.
type position struct {
	size     int64 // signed, in the contract's units
	basis    int64 // what its size cost at entry, not signed
	margin   int64 // put aside for an isolated position
	leverage int
	isolated bool
	episode  int32 // counts up with every return to flat and every flip
	// Funding paid: ever, since it was opened, since its size last changed.
	funding, fundingOpen, fundingChange int64
}

// payment is one hour's funding of a position.
type payment struct {
	time, size, rate int64 // rate in 10^-10
	usd              int64 // negative was paid
	coin             uint8
}

// entry is one line of the ledger.
type entry struct {
	time  int64
	kind  entryKind
	usd   int64
	value int64 // of a liquidated account
	cross bool
	lost  []holding
}

type holding struct {
	coin  uint8
	value int64
	size  int64
}

type entryKind uint8

const (
	entryDeposit entryKind = iota
	entryWithdrawal
	entryToSpot
	entryToBuilder
	entryLiquidation
)

// snapshot is how the account stood at one time, for its portfolio.
type snapshot struct {
	time                   int64
	perpValue, perpProfit  int64
	spotValue, spotProfit  int64
	perpVolume, spotVolume int64
}

// account plays one planted behaviour. What happens is a queue of tasks in order of time; every full hour is one of its own.
type account struct {
	venue   *Venue
	plan    plan
	index   int
	address string
	key     uint64
	joined  int64

	lock      sync.Mutex // of all below
	stream    seeded.Stream
	queue     []task // by time, then by when they were put in
	nextHour  int64
	lastOrder int64
	watching  bool
	partialAt int64 // when a fifth of a large position was last liquidated
	bets      int   // decisions so far
	refilled  int   // times that it paid in after ruin

	positions []position
	cash      [exchangeCount]int64 // profits realised included, unrealised not
	spotCash  int64
	paidIn    int64 // deposits less withdrawals
	deposited int64 // all deposits
	spotMoved int64 // from perpetuals to spot
	volume    [2]int64

	fills        []fill
	liquidations []liquidation
	payments     []payment
	ledger       []entry
	history      []snapshot
	backstopped  []int // fills that the backstop took over
	taken        []takeover
}

func newAccount(v *Venue, p plan, n, index int) *account {
	key := seeded.MixAll(v.seed, seeded.HashText("perpetuals account"), seeded.HashText(p.kind), uint64(n))
	a := &account{venue: v, plan: p, index: index, key: key, address: addressOf(key), stream: seeded.NewStream(key)}
	a.positions = make([]position, len(v.coins))
	a.joined = v.start + int64(a.stream.Between(0.2, 25)*24)*hourMillis + a.stream.Int64N(hourMillis)
	if p.newcomer {
		a.joined = v.start + newcomerJoins(n)
	}
	a.nextHour = (a.joined/hourMillis + 1) * hourMillis
	a.put(task{at: a.joined, do: doDeposit, size: roundMoney(a.plan.deposit * math.Exp(0.4*a.stream.NormFloat64()))})
	return a
}

func addressOf(key uint64) string {
	return fmt.Sprintf("0x%016x%016x%08x", seeded.MixAll(key, 1), seeded.MixAll(key, 2), uint32(seeded.MixAll(key, 3)))
}

func roundMoney(usd float64) int64 { return int64(math.Round(usd*100)) * (million / 100) }

// run plays everything up to the venue's present. The caller holds the account's lock.
func (a *account) run() {
	for now := a.venue.now; ; {
		hourly := len(a.queue) == 0 || a.nextHour <= a.queue[0].at
		switch {
		case hourly && a.nextHour > now, !hourly && a.queue[0].at > now:
			return
		case hourly:
			at := a.nextHour
			a.nextHour += hourMillis
			a.hour(at)
		default:
			next := a.queue[0]
			a.queue = append(a.queue[:0], a.queue[1:]...)
			a.perform(next)
		}
	}
}

// put queues a task behind those of the same time.
func (a *account) put(t task) {
	i := len(a.queue)
	for i > 0 && a.queue[i-1].at > t.at {
		i--
	}
	a.queue = append(a.queue, task{})
	copy(a.queue[i+1:], a.queue[i:])
	a.queue[i] = t
}

// hour is what happens at a full hour.
func (a *account) hour(at int64) {
	if a.open() > 0 {
		a.payFunding(at)
		a.checkMargin(at)
		a.deleverage(at)
		a.settle(at)
	}
	if a.venue.hour(at)%6 == 0 {
		a.history = append(a.history, a.snapshot(at))
	}
	a.decide(at)
}

// payFunding pays for every open position: its size at the oracle's price times the rate of the hour that ends.
func (a *account) payFunding(at int64) {
	for coin := range a.positions {
		p, c := &a.positions[coin], &a.venue.coins[coin]
		hour := a.venue.hour(at)
		if p.size == 0 || c.spot || c.delistedAt(hour) {
			continue
		}
		rate := fundingTenths(a.venue.pathOf(coin).premium[hour])
		usd := -int64(math.Round(float64(c.value(p.size, a.venue.oracle(coin, at))) * float64(rate) / fundingScale))
		a.payments = append(a.payments, payment{time: at, size: p.size, rate: rate, usd: usd, coin: uint8(coin)})
		a.cash[c.exchange] += usd
		p.funding -= usd
		p.fundingOpen -= usd
		p.fundingChange -= usd
		if p.isolated {
			p.margin += usd
		}
	}
}

// fundingScale is what a served funding rate, a whole number, is divided by.
const fundingScale = 1e10

func fundingTenths(premium float64) int64 {
	return int64(math.Round(fundingRate(premium) * fundingScale))
}

// settle closes what is left of a coin that is delisted at this hour.
func (a *account) settle(at int64) {
	for coin := range a.positions {
		c, p := &a.venue.coins[coin], &a.positions[coin]
		if p.size != 0 && c.delisted > 0 && a.venue.hour(at) == c.delisted {
			a.fill(trade{coin: coin, at: at, size: -p.size, price: a.venue.oracle(coin, at), order: a.order(at), forced: dirSettlement})
		}
	}
}

// order is the number of a new order. They grow with time and no two are alike.
func (a *account) order(at int64) int64 {
	a.lastOrder = max(at, a.lastOrder+1)
	return 180_000_000_000 + (a.lastOrder-a.venue.start)*128 + int64(a.index%128)
}

// oracle and mark are the coin's prices at a time, in millionths of a dollar. A delisted coin's stays what it was.
func (v *Venue) oracle(coin int, at int64) int64 {
	if since := v.tradedUntil(coin, at) - v.start; since%hourMillis == 0 && v.coins[coin].follows < 0 {
		return v.market.paths[coin].oracles[since/hourMillis]
	}
	return v.coins[coin].tick(v.oracleFloat(coin, at))
}

func (v *Venue) oracleFloat(coin int, at int64) float64 {
	return math.Exp(v.pathOf(coin).logAt(v.tradedUntil(coin, at) - v.start))
}

func (v *Venue) mark(coin int, at int64) int64 {
	if since := v.tradedUntil(coin, at) - v.start; since%hourMillis == 0 && v.coins[coin].follows < 0 {
		return v.market.paths[coin].marks[since/hourMillis]
	}
	return v.coins[coin].tick(v.markFloat(coin, at))
}

func (v *Venue) markFloat(coin int, at int64) float64 {
	at = v.tradedUntil(coin, at)
	price := v.oracleFloat(coin, at)
	if v.coins[coin].follows < 0 {
		price *= 1 + v.pathOf(coin).premiumAt(at-v.start)
	}
	return price
}

func (v *Venue) tradedUntil(coin int, at int64) int64 {
	if end := int64(v.coins[coin].delisted) * hourMillis; end > 0 {
		return min(at, v.start+end)
	}
	return at
}

// unrealized is the profit of a position at the mark price; positive and negative sizes alike.
func (p *position) unrealized(value int64) int64 {
	if p.size < 0 {
		return p.basis - value
	}
	return value - p.basis
}

func absolute(n int64) int64 { return max(n, -n) }

func (a *account) snapshot(at int64) snapshot {
	s := snapshot{time: at, perpVolume: a.volume[0], spotVolume: a.volume[1], spotValue: a.spotCash}
	for exchange := range int8(exchangeCount) {
		s.perpValue += a.standing(exchange, at).value
	}
	for coin := range a.positions {
		if c := &a.venue.coins[coin]; c.spot && a.positions[coin].size > 0 {
			s.spotValue += c.value(a.positions[coin].size, a.venue.mark(coin, at))
		}
	}
	s.perpProfit = s.perpValue - a.paidIn + a.spotMoved
	s.spotProfit = s.spotValue - a.spotMoved
	return s
}
