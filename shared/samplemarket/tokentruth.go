package samplemarket

import (
	"math"
	"time"
)

// TokenTruth is the ground truth of one token. An empty word means that what was planted does not decide it.
type TokenTruth struct {
	Address  string
	Chain    string
	Symbol   string
	Kind     string
	Creator  string
	Pool     string
	Created  time.Time
	Listed   time.Time // zero when it never got a pool
	RuggedAt time.Time // zero while the liquidity is there
	Honeypot bool
	// BuyTax and SellTax are fractions.
	BuyTax, SellTax float64
	Transactions    int

	// Contract names the code that it runs, behind a proxy where Proxy is true. The rest is what that code lets an owner do: create
	// supply, keep holders from selling, take or destroy what others hold, change the fees. Owner is who can; empty for nobody.
	Contract                              string
	Proxy                                 bool
	Mints, LimitsSelling, Leaks, SetsFees bool
	Owner                                 string

	// Trap names how the token takes its buyers' money, now or later: "honeypot", "rug"; empty when it does not.
	Trap string
	// Manner is how a rug is pulled: "withdrawal", "lock-ended" or "mint".
	Manner string
	// Overlooked is true for traps that the security provider misjudges.
	Overlooked bool
	// Launches counts the tokens that its creator has launched so far, this one included.
	Launches int
	// Lock is "burned", "locked" or "open": what happened with the deepest pool's liquidity. LockedShare is the part that nobody can
	// withdraw now, a fraction; LockedUntil is when a lock ends.
	Lock        string
	LockedShare float64
	LockedUntil time.Time
	// Migrated is true when its liquidity has moved from one pool into another.
	Migrated bool
	// CreatorShare is what its creator himself still holds of the supply, a fraction.
	CreatorShare float64
	// Bundled is true for a launch that one hand's accounts bought up in its first block. Origin is who trades it in the last 24
	// hours, "organic" or "bot-driven", where there are enough buyers and it is plain.
	Bundled bool
	Origin  string
	// Trend is where the number of holders has gone in the last seven days, where it is plain and trades agree: "accumulating", "bleeding" or "stable".
	Trend string
	// Squeezes is true for a price that goes quiet now and then before it breaks out of its range, Squeezed while it is quiet and has
	// been throughout the bars by which a range is measured.
	Squeezes, Squeezed bool
	// Buyers are the latest that bought it within the last 24 hours, latestBuyers at most.
	Buyers BuyerTruth
	// Rise24h is how far the price is above that of 24 hours ago, a fraction; NaN without a price then.
	Rise24h float64
	// Pumped is true when a pump's rise is on, or was within the last 24 hours.
	Pumped bool
}

// Where the truth is plain.
const (
	plainBuyers   = 33   // distinct buyers within 24 hours
	plainBots     = 0.75 // share of the trades within 24 hours
	plainTrend    = 0.05 // change of the holders within seven days, in logarithms
	plainStanding = 0.007
)

func (w *world) tokenTruth(t *token) TokenTruth {
	truth := TokenTruth{
		Address: w.entities[t.entity].address.String(), Chain: w.spec.slug, Symbol: w.assets[t.asset].symbol, Kind: tokenKindNames[t.kind],
		Creator: w.entities[t.creator].address.String(), Created: w.time(t.created), Honeypot: t.kind == kindHoneypot,
		BuyTax: float64(t.buyTax) / 100, SellTax: float64(t.sellTax) / 100, Transactions: len(w.entities[t.entity].touch),
		Bundled: t.traits.bots > 0, Launches: w.launchesBy(t.creator), Rise24h: math.NaN(),
		CreatorShare: float64(w.balance(t.creator, t.asset)) / float64(max(w.assets[t.asset].supply, 1)),
	}
	w.contractTruth(t, &truth)
	switch t.kind {
	case kindHoneypot:
		truth.Trap, truth.Overlooked = "honeypot", t.traits.overlooked
	case kindRug:
		truth.Trap, truth.Overlooked = "rug", t.traits.overlooked
		truth.Manner = [...]string{"withdrawal", "lock-ended", "mint"}[t.traits.manner]
	}
	if t.pool < 0 {
		return truth
	}
	p := &w.pools[t.pool]
	truth.Migrated = len(t.pools) > 1
	truth.Listed, truth.Pool = w.time(t.listed), w.poolAddress(p)
	truth.Lock, truth.LockedShare = [...]string{"open", "burned", "locked"}[p.lock], w.lockedShare(p)
	if p.lock == liquidityLocked {
		truth.LockedUntil = w.time(p.lockedUntil)
	}
	if t.ruggedAt != 0 {
		truth.RuggedAt = w.time(t.ruggedAt)
	}
	truth.Origin, truth.Trend, truth.Buyers = w.origin(t), w.holderTrend(t), w.latestBuyersOf(t)
	if last := w.windows(p, daySeconds)[0]; last.change != 0 {
		truth.Rise24h = last.change / 100
	}
	hour := t.ageHours(w.now)
	truth.Squeezes, truth.Squeezed = t.regime.squeezes, w.squeezed(t)
	truth.Pumped = t.kind == kindPump && hour >= t.regime.riseStart+2 && hour <= t.regime.riseEnd+24
	return truth
}

// quietBars is how many of the latest bars of four hours with trades, of the twenty by which a range is measured, lie within a quiet
// time where it is plain.
const quietBars = 18

// squeezed tells whether a token is in the quiet before an outbreak and anybody can see it in its trades.
func (w *world) squeezed(t *token) bool {
	quiet := t.regime.quietSince(t.ageHours(w.now))
	if quiet < 0 {
		return false
	}
	began, bars, last := t.listed+int32(quiet)*hourSeconds, 0, int64(-1)
	p := &w.pools[t.pool]
	for i := len(p.swaps) - 1; i >= 0 && w.swapTime(p.swaps[i]) >= began && bars < quietBars; i-- {
		if bar := floorDiv(w.start+int64(w.swapTime(p.swaps[i])), 4*hourSeconds); bar != last {
			last = bar
			bars++
		}
	}
	return bars == quietBars
}

// launchesBy counts the tokens of a creator.
func (w *world) launchesBy(creator int32) int {
	count := 0
	for i := range w.tokens {
		if w.tokens[i].creator == creator {
			count++
		}
	}
	return count
}

// origin is who did the trading in a token's main pool within the last 24 hours.
func (w *world) origin(t *token) string {
	p := &w.pools[t.pool]
	bots := make(map[int32]bool, len(t.bots))
	for _, bot := range t.bots {
		bots[bot] = true
	}
	buyers := map[int32]bool{}
	trades, byBots := 0, 0
	for i := len(p.swaps) - 1; i >= 0 && w.now-w.swapTime(p.swaps[i]) <= daySeconds; i-- {
		s := &w.swaps[p.swaps[i]]
		trades++
		if bots[s.trader] {
			byBots++
		}
		if s.tokenOut > 0 {
			buyers[w.txs[s.transaction].from] = true // as anybody sees it: who signed
		}
	}
	switch {
	case len(buyers) < plainBuyers || t.kind == kindThin:
		return ""
	case byBots == 0:
		return "organic"
	case float64(byBots) >= plainBots*float64(trades):
		return "bot-driven"
	}
	return ""
}

// takeCensus notes how many hold each token.
func (w *world) takeCensus(at int32) {
	w.queue.push(event{at: at + daySeconds, kind: eventCensus})
	for i := range w.tokens {
		t := &w.tokens[i]
		t.census = append(t.census, int32(w.assets[t.asset].holding))
	}
}

// holderTrend is where the number of a token's holders has gone within seven days: plain when it went there on nearly every day and
// the last day's trades did not go the other way.
func (w *world) holderTrend(t *token) string {
	const week = 7
	days := len(t.census)
	if t.kind == kindThin || t.kind == kindSpam || w.now-t.listed < (week+1)*daySeconds || days < week {
		return ""
	}
	count := math.Log(float64(w.assets[t.asset].holding) + t.outsiders(w.now))
	last, low, high, up, down := count, count, count, 0, 0
	for day := 1; day <= week; day++ {
		before := math.Log(float64(t.census[days-day]) + t.outsiders(w.now-int32(day)*daySeconds))
		if before < last {
			up++
		} else if before > last {
			down++
		}
		last, low, high = before, min(low, before), max(high, before)
	}
	bought := int64(0)
	p := &w.pools[t.pool]
	for i := len(p.swaps) - 1; i >= 0 && w.now-w.swapTime(p.swaps[i]) <= daySeconds; i-- {
		bought += w.swaps[p.swaps[i]].tokenOut
	}
	switch change := count - last; {
	case change > plainTrend && up >= week-1 && bought >= 0:
		return "accumulating"
	case change < -plainTrend && down >= week-1 && bought <= 0:
		return "bleeding"
	case high-low < plainStanding:
		return "stable"
	}
	return ""
}
