package mirroring

import (
	"context"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/agent"
	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/perprecord"
	"github.com/mirrorworthy/mirrorworthy/shared/stats"
)

// perpReader reads accounts of the perpetuals venue.
type perpReader struct{ sources market.Sources }

// flat is the part of a position within which what is left of it is nothing.
const flat = 1e-6

// gainsLooked is over how many of a leader's last positions its usual gain is taken, fewestGains how many it takes.
const gainsLooked, fewestGains = 100, 5

func (r perpReader) read(ctx context.Context, leader chain.Address, since, at time.Time) (*leaderFacts, error) {
	fills, err := r.sources.PerpFills.PerpFills(ctx, leader)
	if err != nil {
		return nil, err
	}
	facts := &leaderFacts{MedianGain: math.NaN(), Shares: make(map[string]float64)}
	b := perpBuilder{facts: facts, at: at, assets: make(map[string]*Asset), places: make(map[string]int)}
	for i := range fills.Fills {
		if f := &fills.Fills[i]; !f.Time.After(at) {
			b.fill(f)
		}
	}
	b.finish(since)
	if len(facts.Trades) == 0 && len(facts.steps) == 0 {
		return facts, nil
	}
	if slices.ContainsFunc(facts.Trades, func(t LeaderTrade) bool { return t.Leg == Open }) {
		facts.MedianGain = usualGain(fills.Fills)
	}
	return facts, r.addMeans(ctx, leader, facts)
}

// perpBuilder makes trades of fills. What an order took from the book in one instant is a trade; what it filled while resting in the book is
// one for each minute, once that minute is over. A fill that turns a position around is two legs.
type perpBuilder struct {
	facts  *leaderFacts
	at     time.Time
	assets map[string]*Asset
	trades []perpTrade
	places map[string]int
}

// perpTrade is a trade with what it takes to go on with it.
type perpTrade struct {
	LeaderTrade
	// left is the part of the position that is left.
	left float64
	// until is when nothing is added any more.
	until time.Time
}

func (b *perpBuilder) asset(coin string) *Asset {
	a := b.assets[coin]
	if a == nil {
		a = &Asset{Key: coin, Name: coinName(coin)}
		b.assets[coin] = a
	}
	return a
}

func (b *perpBuilder) fill(f *market.PerpFill) {
	if !known(f.Price) || !known(f.Size) || math.IsNaN(f.Before) || math.IsInf(f.Before, 0) {
		return
	}
	change := f.Size
	if !f.Buy {
		change = -change
	}
	before, after := f.Before, f.Before+change
	if math.Abs(before) <= flat*f.Size {
		before = 0
	}
	if math.Abs(after) <= flat*max(math.Abs(before), f.Size) {
		after = 0
	}
	b.facts.steps = append(b.facts.steps, step{b.asset(f.Coin), f.Time, after})
	closing := 0.0
	if before != 0 && (before > 0) != (change > 0) {
		closing = min(f.Size, math.Abs(before))
		b.add(f, Close, sideOf(before), closing, max(0, 1-closing/math.Abs(before)), after == 0 || closing < f.Size)
	}
	if opening := f.Size - closing; after != 0 && opening > flat*f.Size && (closing == 0 || before*after < 0) {
		b.add(f, Open, sideOf(after), opening, 1, false)
	}
}

// add adds a part of a fill to its trade.
func (b *perpBuilder) add(f *market.PerpFill, leg Leg, side Side, quantity, left float64, isFlat bool) {
	id := "perp " + f.Coin + " " + string(side) + " "
	switch {
	case f.Order != 0:
		id += "order " + strconv.FormatInt(f.Order, 10)
	case f.Trade != 0:
		id += "trade " + strconv.FormatInt(f.Trade, 10)
	default:
		id += "fill " + strconv.FormatFloat(f.Before, 'g', -1, 64) + " " + strconv.FormatFloat(f.Size, 'g', -1, 64)
	}
	until := f.Time
	if f.Maker {
		minute := f.Time.Truncate(time.Minute)
		until = minute.Add(time.Minute)
		id += " within " + strconv.FormatInt(minute.Unix(), 10)
	} else {
		id += " at " + strconv.FormatInt(f.Time.UnixMilli(), 10)
	}
	i, found := b.places[id+string(leg)]
	if !found {
		i = len(b.trades)
		b.places[id+string(leg)] = i
		b.trades = append(b.trades, perpTrade{left: 1, until: until, LeaderTrade: LeaderTrade{
			ID: id, Venue: agent.Perps, Asset: *b.asset(f.Coin), Leg: leg, Side: side, Leverage: math.NaN(), Share: math.NaN(),
		}})
	}
	t := &b.trades[i]
	t.ValueUSD += f.Price * quantity
	t.Quantity += quantity
	t.Price = t.ValueUSD / t.Quantity
	t.left *= left
	t.At, t.Flat = f.Time, isFlat
	if leg == Close {
		t.Share = 1 - t.left
	}
}

// finish takes the trades after an instant that are complete.
func (b *perpBuilder) finish(since time.Time) {
	for i := range b.trades {
		t := &b.trades[i]
		switch {
		case !t.At.After(since):
		case t.until.After(b.at):
			b.facts.Waiting = true
		default:
			b.facts.Trades = append(b.facts.Trades, t.LeaderTrade)
		}
	}
	sortTrades(b.facts.Trades)
}

// addMeans tells what part of its means the leader put into each opening: the margin over the equity of the account now. The leverage is
// that of the position as it is set now; of one that is gone it is unknown, and all of the value counts.
func (r perpReader) addMeans(ctx context.Context, leader chain.Address, facts *leaderFacts) error {
	var builders []string
	for i := range facts.steps {
		if exchange, _, of := strings.Cut(facts.steps[i].asset.Key, ":"); of && !slices.Contains(builders, exchange) {
			builders = append(builders, exchange)
		}
	}
	slices.Sort(builders)
	if len(builders) > 10 {
		builders = builders[:10]
	}
	standing, err := r.sources.PerpAccounts.PerpAccount(ctx, leader, builders)
	if err != nil {
		return err
	}
	equity, leverages := 0.0, make(map[string]float64)
	facts.leverages = leverages
	if standing.SpotDollars > 0 {
		equity = standing.SpotDollars
	}
	for i := range standing.Clearinghouses {
		equity += standing.Clearinghouses[i].ValueUSD
	}
	for i := range standing.Clearinghouses {
		for _, p := range standing.Clearinghouses[i].Positions {
			leverages[p.Coin] = p.Leverage
			if known(equity) && known(p.Leverage) {
				facts.Shares[p.Coin] = p.ValueUSD / p.Leverage / equity
			}
		}
	}
	for i := range facts.Trades {
		t := &facts.Trades[i]
		leverage, open := leverages[t.Asset.Key]
		if open && known(leverage) {
			t.Leverage = leverage
		}
		if t.Leg != Open || !known(equity) {
			continue
		}
		t.Share = min(1, t.ValueUSD/equity)
		if known(t.Leverage) {
			t.Share = min(1, t.ValueUSD/t.Leverage/equity)
		}
	}
	return nil
}

// usualGain is the median gain of the last positions that gained something, over what they cost at their average entry.
func usualGain(fills []market.PerpFill) float64 {
	episodes := perprecord.Reconstruct(fills, nil).Episodes
	if len(episodes) > gainsLooked {
		episodes = episodes[len(episodes)-gainsLooked:]
	}
	var gains []float64
	for i := range episodes {
		if gain := episodes[i].PnLUSD / episodes[i].PeakCostUSD; known(gain) {
			gains = append(gains, gain)
		}
	}
	if len(gains) < fewestGains {
		return math.NaN()
	}
	return stats.Median(gains)
}

var harmlessCoin = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:[A-Za-z0-9]{1,12}:)?[A-Za-z0-9]{0,15}[A-Za-z][A-Za-z0-9]{0,15}$`)
})

// coinName is the venue's name of a contract if it is harmless, and "unnamed" otherwise.
func coinName(coin string) string {
	if len(coin) > 32 || !harmlessCoin().MatchString(coin) || strings.HasPrefix(strings.ToLower(coin), "0x") {
		return "unnamed"
	}
	return coin
}
