package predictionrecord

import (
	"math"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/trader"
)

// entryWindow is how long further purchases of the same outcome belong to the first entry: orders fill in pieces.
const entryWindow = 10 * time.Minute

// entry is the first purchase in an event.
type entry struct {
	at     time.Time
	market market.Hash
	event  int
	asset  string
	// price is what a share cost, fees included, quoted the same without them; shares how many were bought.
	price, quoted, shares float64
	// payout is what a share was worth in the end, NaN while that is open; decidedAt when that was settled. knownBy is the earliest sign
	// that the outcome was known, zero when there is none.
	payout             float64
	decidedAt, knownBy time.Time
}

// event is a wallet's dealing in one event, as far as its markets are over.
type event struct {
	id                 string
	cost, pnl, paired  float64
	openedAt, closedAt time.Time
	over               bool
	// blind is true when the first entry is not in the history.
	blind bool
	first *entry
	// bought is all that was put into the event, over or not; category is the provider's.
	bought   float64
	category string
	// unredeemed is true when shares that lost were never redeemed, converted when shares were converted.
	unredeemed, converted bool
}

// book is a wallet's dealing reckoned up at an instant.
type book struct {
	asOf   time.Time
	record *Record
	events []event
	// trades are those up to the instant.
	trades []market.PredictionTrade
	stakes []*stake
	open   []trader.OpenResult
	// fromVenue counts markets taken from the venue's own accounts, unknown those whose end or origin cannot be told.
	fromVenue, unknown int
	// Of all proceeds in markets that are over, those that stand against a known purchase.
	matchedUSD, proceedsUSD float64

	byEvent map[string]int
	byStake map[market.Hash]*stake
	rows    map[market.Hash][]*market.PredictionPosition
}

// reckon does a wallet's accounts, in time linear in its history. Nothing that happened after the instant matters.
func reckon(r *Record, asOf time.Time) *book {
	b := &book{
		asOf: asOf, record: r, byEvent: make(map[string]int), byStake: make(map[market.Hash]*stake),
		rows: make(map[market.Hash][]*market.PredictionPosition),
	}
	for _, rows := range [][]market.PredictionPosition{r.Positions.Open, r.Positions.Closed} {
		for i := range rows {
			b.rows[rows[i].Market] = append(b.rows[rows[i].Market], &rows[i])
		}
	}
	b.replay(r.Activity)
	for _, s := range b.stakes {
		b.settle(s)
	}
	if r.Activity.Truncated {
		b.addUnseen()
	}
	for i := range b.events {
		if first := b.events[i].first; first != nil {
			if b.events[i].blind {
				b.events[i].first = nil
				continue
			}
			first.payout, first.decidedAt = b.payout(b.byStake[first.market], first.asset)
			first.knownBy = b.knownBy(first)
		}
	}
	return b
}

// replay goes through the history in order of time, splits and the like before trades of the same moment.
func (b *book) replay(activity *market.PredictionActivity) {
	moves := activity.Moves
	next := 0
	moveUntil := func(at time.Time) {
		for ; next < len(moves) && !moves[next].Time.After(at); next++ {
			if m := &moves[next]; m.Market != (market.Hash{}) && !m.Time.After(b.asOf) {
				b.stake(m.Market, m.Event).move(m)
			}
			if m := &moves[next]; m.Kind == market.Conversion && !m.Time.After(b.asOf) {
				b.events[b.event(m.Event, m.Market)].converted = true
			}
		}
	}
	for i := range activity.Trades {
		t := &activity.Trades[i]
		if t.Time.After(b.asOf) {
			b.trades = activity.Trades[:i:i]
			break
		}
		moveUntil(t.Time)
		s := b.stake(t.Market, t.Event)
		b.enter(s, t)
		s.trade(t)
	}
	if b.trades == nil {
		b.trades = activity.Trades
	}
	moveUntil(b.asOf)
}

// enter keeps the first entry of an event.
func (b *book) enter(s *stake, t *market.PredictionTrade) {
	e := &b.events[s.event]
	if !(t.Shares > 0) {
		return
	}
	price := paid(t) / t.Shares
	switch {
	case e.blind:
	case e.first != nil:
		if f := e.first; t.Buy && t.Asset == f.asset && t.Time.Sub(f.at) <= entryWindow {
			f.price = (f.price*f.shares + price*t.Shares) / (f.shares + t.Shares)
			f.quoted = (f.quoted*f.shares + t.Price*t.Shares) / (f.shares + t.Shares)
			f.shares += t.Shares
		}
	case t.Buy:
		e.first = &entry{at: t.Time, market: t.Market, event: s.event, asset: t.Asset, price: price, quoted: t.Price, shares: t.Shares}
	case s.split > 0 && s.opposite(t.Asset) != "":
		e.first = &entry{
			at: t.Time, market: t.Market, event: s.event, asset: s.opposite(t.Asset), price: 1 - price, quoted: 1 - t.Price, shares: t.Shares,
		}
	default:
		e.blind = true
	}
}

func (b *book) event(id string, condition market.Hash) int {
	if id == "" {
		id = b.record.Markets[condition].Event
	}
	if id == "" {
		id = string(condition[:])
	}
	at, known := b.byEvent[id]
	if !known {
		at = len(b.events)
		b.byEvent[id] = at
		b.events = append(b.events, event{id: id})
	}
	return at
}

func (b *book) stake(id market.Hash, eventID string) *stake {
	s, known := b.byStake[id]
	if !known {
		s = newStake(id, b.event(eventID, id), b.record.Markets)
		b.byStake[id] = s
		b.stakes = append(b.stakes, s)
	}
	return s
}

// payout is what a share of an outcome was worth in the end and when that was known: by the market, or by the venue's accounts
// where the market is not known. NaN while it is open at the instant.
func (b *book) payout(s *stake, asset string) (float64, time.Time) {
	if s.known {
		if b.undecided(s) {
			return math.NaN(), time.Time{}
		}
		decided := s.facts.ClosedAt
		if decided.IsZero() {
			decided = s.last
		}
		for i := range s.facts.Outcomes {
			if s.facts.Outcomes[i].Asset == asset {
				return s.facts.Outcomes[i].Payout, decided
			}
		}
		return math.NaN(), time.Time{}
	}
	for _, row := range b.rows[s.id] {
		decided := row.ClosedAt
		if decided.IsZero() {
			decided = row.EndsAt
		}
		if !row.Decided || decided.After(b.asOf) {
			continue
		}
		switch asset {
		case row.Asset:
			return settled(row.Price), decided
		case row.Against:
			return 1 - settled(row.Price), decided
		}
	}
	return math.NaN(), time.Time{}
}

// undecided tells whether a known market's outcome was open at the instant.
func (b *book) undecided(s *stake) bool { return !s.facts.Decided || s.facts.ClosedAt.After(b.asOf) }

// settled reads the last price of a decided outcome as what it paid; NaN when that is not plain.
func settled(price float64) float64 {
	const near = 0.02
	for _, payout := range [...]float64{0, 0.5, 1} {
		if math.Abs(price-payout) <= near {
			return payout
		}
	}
	return math.NaN()
}

// price is what a share of an open market is worth at the middle of the market now. It is unknown, NaN, once the market has been
// decided after the instant.
func (b *book) price(s *stake, asset string) float64 {
	if s.facts.Decided {
		return math.NaN()
	}
	for i := range s.facts.Outcomes {
		if s.facts.Outcomes[i].Asset == asset {
			return s.facts.Outcomes[i].Price
		}
	}
	for _, row := range b.rows[s.id] {
		if row.Asset == asset {
			return row.Price
		}
	}
	return math.NaN()
}
