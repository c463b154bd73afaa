package predictvenue

import (
	"encoding/hex"
	"math"
	"math/big"
	"strconv"

	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket/seeded"
)

const (
	hourSeconds = 3600
	daySeconds  = 24 * hourSeconds
	// whole is a price of one dollar. Prices are whole numbers of ten-thousandths.
	whole = 10_000
	// micro is one share, or one dollar. Both are counted in millionths.
	micro = 1_000_000
)

// form is how an event's markets hang together.
type form uint8

const (
	binary    form = iota
	ladder         // nested thresholds: the higher one implies the lower
	exclusive      // exactly one of the markets ends in yes
)

// event is what is decided at once. Times are seconds after the start of the venue.
type event struct {
	index    int32
	form     form
	category *category
	latent
	// decided is when the outcome is known, closed when the markets are resolved.
	decided, closed int32
	// An event may be called off at voidAt, with a probability that prices know of; it is then resolved at half and half.
	voidRisk float64
	voidAt   int32
	void     bool

	id, slug, title string
	endDay          string // of the announced end, YYYY-MM-DD
	markets         []*market
	collateral      int64 // millionths of a dollar that stand behind the shares of all its markets
}

// market is one question with two outcomes, the first of which comes true when the event's motion ends above low and up to high.
type market struct {
	event     *event
	index     int32
	low, high float64
	tick      int32 // in ten-thousandths
	halfGap   float64
	liquidity float64 // dollars resting in the book

	id, condition, slug, question string
	outcomes                      [2]string
	tokens                        [2]string

	trades []int32 // of the ledger
	volume int64   // millionths of a dollar
	last   int32   // price of the first outcome in the latest trade
}

// price is the probability of an outcome given everything that everybody knows at t.
func (m *market) price(outcome uint8, t int32) float64 { return m.foreseen(outcome, t, t) }

// foreseen is the probability of an outcome at t for somebody who knows what everybody else will know at seen. Nobody foresees that an
// event is called off.
func (m *market) foreseen(outcome uint8, t, seen int32) float64 {
	e := m.event
	if e.void && t >= e.voidAt {
		return 0.5
	}
	level, remaining := e.at(seen)
	p := within(m.low, m.high, level, remaining)
	if t < e.voidAt {
		p = (1-e.voidRisk)*p + e.voidRisk/2
	}
	if outcome == 1 {
		return 1 - p
	}
	return p
}

// quote is the best bid and offer for an outcome; a bid of 0 and an offer of one dollar are none.
func (m *market) quote(outcome uint8, t int32) (bid, ask int32) {
	p, tick := m.price(0, t)*whole, float64(m.tick)
	bid = int32(max(math.Floor((p-m.halfGap)/tick+1e-9), 0)) * m.tick
	ask = int32(math.Ceil((p+m.halfGap)/tick-1e-9)) * m.tick
	bid, ask = min(bid, whole-m.tick), max(min(ask, whole), m.tick)
	if outcome == 1 {
		return whole - ask, whole - bid
	}
	return bid, ask
}

// middle is the mean of bid and offer, in dollars: what the venue calls the price.
func (m *market) middle(outcome uint8, t int32) float64 {
	bid, ask := m.quote(outcome, t)
	return float64(bid+ask) / (2 * whole)
}

// mark is what a share is worth by the venue's books: its payout once the market is closed, the middle before.
func (m *market) mark(outcome uint8, t int32) float64 {
	if t >= m.event.closed {
		return m.price(outcome, t)
	}
	return m.middle(outcome, t)
}

// fee is what a buyer who crosses the book pays, in millionths: size × rate × p × (1-p).
func (m *market) fee(price int32, size int64) int64 {
	p := float64(price) / whole
	return int64(math.Round(float64(size) * m.event.category.feeRate * p * (1 - p)))
}

// openEvent makes an event and its markets.
func (v *Venue) openEvent(index, day int32) *event {
	s := seeded.NewStream(seeded.MixAll(v.seed, seeded.HashText("event"), uint64(index)))
	e := &event{index: index, category: pickCategory(s), id: strconv.Itoa(610_000 + 7*int(index))}
	open := day*daySeconds + int32(s.IntN(daySeconds))
	life := s.Spread(e.category.shortest, e.category.longest) * daySeconds
	ends := (open + int32(life)) / hourSeconds * hourSeconds
	e.latent = newLatent(s, open, ends, 1+s.IntN(3), s.Between(0.15, 0.3))
	e.decided, e.voidAt = ends, open
	switch draw := s.Float64(); {
	case draw < e.category.exclusive:
		e.form = exclusive
	case draw < e.category.exclusive+e.category.ladder:
		e.form = ladder
	case e.category.voidable:
		e.voidRisk, e.voidAt = 0.08, open+int32(s.Between(0.4, 0.7)*float64(ends-open))
		if e.void = s.Chance(e.voidRisk); e.void {
			e.decided = e.voidAt
		}
	}
	e.closed = e.decided + int32(s.Between(1.5, 9)*hourSeconds)
	e.endDay = v.time(ends).Format("2006-01-02")
	for i, b := range e.bounds(s) {
		e.markets = append(e.markets, v.newMarket(s, e, i, b))
	}
	e.name(s, v.time(ends))
	v.listMarkets(e)
	return e
}

// bounds are the intervals of the motion's end that the event's markets stand for.
func (e *event) bounds(s seeded.Stream) [][2]float64 {
	switch e.form {
	case ladder:
		list := make([][2]float64, 3+s.IntN(3))
		for i := range list {
			list[i] = [2]float64{-1.2 + 2.4*(float64(i)+s.Between(0.2, 0.8))/float64(len(list)), math.Inf(1)}
		}
		return list
	case exclusive:
		weights, sum := make([]float64, 3+s.IntN(4)), 0.0
		for i := range weights {
			weights[i] = 0.12 + s.ExpFloat64()
			sum += weights[i]
		}
		list, below, low := make([][2]float64, len(weights)), 0.0, math.Inf(-1)
		for i := range list {
			below += weights[i] / sum
			high := math.Inf(1)
			if i < len(list)-1 {
				high = quantile(below)
			}
			list[i], low = [2]float64{low, high}, high
		}
		return list
	}
	first := s.Between(0.2, 0.8)
	if s.Chance(0.25) {
		first = s.Between(0.05, 0.95)
	}
	return [][2]float64{{quantile(1 - first), math.Inf(1)}}
}

func (v *Venue) newMarket(s seeded.Stream, e *event, place int, bounds [2]float64) *market {
	m := &market{event: e, low: bounds[0], high: bounds[1], tick: 100, halfGap: s.Spread(15, 110), liquidity: s.Around(24_000, 1.2)}
	m.index = int32(len(v.markets) + place)
	if e.form == exclusive {
		if p := m.price(0, e.open); p < 0.08 {
			m.tick, m.halfGap = 10, s.Spread(5, 30)
		}
	}
	m.id = strconv.Itoa(1_240_000 + 3*int(m.index))
	m.condition = "0x" + v.hex("condition", uint64(m.index), 32)
	for i := range m.tokens {
		raw, _ := hex.DecodeString(v.hex("token", uint64(m.index)*2+uint64(i), 32))
		m.tokens[i] = new(big.Int).SetBytes(raw).String()
	}
	bid, ask := m.quote(0, e.open)
	m.last = (bid + ask) / 2 / m.tick * m.tick
	return m
}

// hex is a fixed text of so many bytes for a thing of the venue.
func (v *Venue) hex(what string, id uint64, bytes int) string {
	raw, key := make([]byte, 0, 32), seeded.MixAll(v.seed, seeded.HashText(what), id)
	for len(raw) < bytes {
		key = seeded.Mix(key)
		raw = append(raw, byte(key>>56), byte(key>>48), byte(key>>40), byte(key>>32), byte(key>>24), byte(key>>16), byte(key>>8), byte(key))
	}
	return hex.EncodeToString(raw[:bytes])
}
