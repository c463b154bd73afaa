package predictionrecord

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/stats"
)

const (
	// usualTick is the price step where the market's own is unknown.
	usualTick = 0.01
	// leastPriced is how many entries' later prices have to be known, and at least half of those asked for, before a follower's edge
	// is measured.
	leastPriced = 10
	// plainPrice is how near to nothing or to a dollar an outcome costs once everybody knows it; doubtfulPrice is how far from there an
	// entry has to be for that to be news.
	plainPrice, doubtfulPrice = 0.02, 0.05
)

// copying is what a follower's entries would have cost.
type copying struct {
	// edges are by entry. Where no later price was read, the follower pays what followers pay more on average.
	edges []float64
	// asked is how many later prices were looked up, measured how many of them are known; slippage is how much more a share cost then, on
	// average, fees included.
	asked, measured int
	slippage        float64
	// doubt is the standard error that the average slippage brings into the mean edge.
	doubt float64
}

// enough tells whether enough later prices are known to speak of followers at all.
func (c *copying) enough() bool {
	return c.measured > 0 && c.measured >= min(leastPriced, len(c.edges)) && 2*c.measured >= c.asked
}

// follow prices a follower's taking order a minute after each entry.
func (b *book) follow(entries []entry) copying {
	c := copying{edges: make([]float64, len(entries)), asked: min(followed, len(entries))}
	extra, known := make([]float64, len(entries)), make([]float64, 0, followed)
	for i := range entries {
		e := &entries[i]
		extra[i] = math.NaN()
		from := e.at.Add(followerDelay)
		later, found := firstPrice(b.record.Prices[e.asset], from, b.asOf)
		if !found || e.decidedAt.Before(from) {
			continue
		}
		extra[i] = e.followedAt(later, &b.byStake[e.market].facts) - e.price
		known = append(known, extra[i])
	}
	c.measured = len(known)
	if c.measured == 0 {
		c.slippage = math.NaN()
		return c
	}
	m := stats.Describe(known)
	c.slippage = m.Mean
	c.doubt = m.SD / math.Sqrt(float64(m.N)) * float64(len(entries)-m.N) / float64(len(entries))
	for i := range entries {
		worse := extra[i]
		if math.IsNaN(worse) {
			worse = c.slippage
		}
		c.edges[i] = max(-1, entries[i].payout-entries[i].price-worse)
	}
	return c
}

// followedAt is what a share costs a follower, fees included, when the middle of the market is at a later price: that and the greater of
// one step and half the spread where that is known (one dollar is the spread of an empty book), and in no case less than a step more than
// the wallet itself paid. Nothing costs more than a dollar.
func (e *entry) followedAt(later float64, facts *market.PredictionMarket) float64 {
	tick, worse := facts.TickSize, 0.0
	if !(tick > 0) {
		tick = usualTick
	}
	if facts.Spread > 0 && facts.Spread < 1 {
		worse = facts.Spread / 2
	}
	price := min(1, max(e.quoted+tick, later+max(tick, worse)))
	fee := max(0, e.price-e.quoted)
	if facts.FeeRate >= 0 {
		fee = facts.FeeRate * price * (1 - price)
	}
	return min(1, max(price+fee, e.price+tick))
}

// measureCopied bounds what a follower is left with, and gives the one-sided lower bound that copying rests on. The average that stands in
// for later prices that are not known is itself uncertain, which both bounds allow for.
func (c *copying) measureCopied(chances []float64, seed uint64) (edge Edge, low float64) {
	if !c.enough() || len(c.edges) < 2 {
		nan := math.NaN()
		return Edge{nan, nan, nan, 0}, nan
	}
	edge = measureEdge(c.edges, chances, seed)
	widened := func(bound, level float64) float64 {
		return math.Hypot(bound-edge.Mean, stats.NormalQuantile(level)*c.doubt)
	}
	low = max(-1, edge.Mean-widened(lowerBound(c.edges, chances, copyLevel, seed), copyLevel))
	edge.Low, edge.High = max(-1, edge.Mean-widened(edge.Low, edgeLevel)), min(1, edge.Mean+widened(edge.High, edgeLevel))
	return edge, low
}

// firstPrice is the first price from an instant on, within the time that a follower's order may take.
func firstPrice(points []market.PricePoint, from, asOf time.Time) (float64, bool) {
	at, _ := slices.BinarySearchFunc(points, from, func(p market.PricePoint, t time.Time) int { return p.Time.Compare(t) })
	if at == len(points) || points[at].Time.After(from.Add(followerWindow)) || points[at].Time.After(asOf) {
		return 0, false
	}
	price := points[at].USD
	return price, price > 0 && price <= 1
}

// knownBy is the earliest sign after an entry that its outcome was known: when the market was meant to end, when it did, or when its
// price left no doubt. Settlement comes hours after the end, in which nobody can follow any more. Zero when none of these is known.
func (b *book) knownBy(e *entry) time.Time {
	earliest := time.Time{}
	sign := func(at time.Time) {
		if at.After(e.at) && (earliest.IsZero() || at.Before(earliest)) {
			earliest = at
		}
	}
	if s := b.byStake[e.market]; s.known {
		sign(s.facts.EndsAt)
		sign(s.facts.ClosedAt)
	} else {
		for _, row := range b.rows[e.market] {
			sign(row.EndsAt)
			sign(row.ClosedAt)
		}
	}
	if e.quoted < doubtfulPrice || e.quoted > 1-doubtfulPrice {
		return earliest
	}
	for _, p := range b.record.Prices[e.asset] {
		if p.Time.After(b.asOf) {
			break
		}
		if p.USD <= plainPrice || p.USD >= 1-plainPrice {
			sign(p.Time)
		}
	}
	return earliest
}

// medianTimeToEnd is the median time between entries and the moment when their outcome was known, and over how many it is.
func medianTimeToEnd(entries []entry) (time.Duration, int) {
	lengths := make([]time.Duration, 0, len(entries))
	for i := range entries {
		if e := &entries[i]; !e.knownBy.IsZero() {
			lengths = append(lengths, e.knownBy.Sub(e.at))
		}
	}
	if len(lengths) == 0 {
		return 0, 0
	}
	slices.SortFunc(lengths, cmp.Compare[time.Duration])
	return lengths[len(lengths)/2], len(lengths)
}
