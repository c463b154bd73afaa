package mirroring

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/agent"
	"github.com/mirrorworthy/mirrorworthy/shared/margin"
)

const (
	// existingWindow is how long after an activation what the leader held then is still opened.
	existingWindow = time.Hour
	// deadAfter is how long after a token was bought a copy that is to be closed counts as worthless when there is no pool left.
	deadAfter = 7 * 24 * time.Hour
)

// existing are the openings for what the leader held when the agent was activated and still holds, in the order of assets.
func existing(of *agent.Agent, facts *leaderFacts, at time.Time) []LeaderTrade {
	if !of.Risk.CopyExisting || of.ActivatedAt.IsZero() || at.Sub(of.ActivatedAt) > existingWindow {
		return nil
	}
	then, now := facts.heldAt(of.ActivatedAt), facts.heldAt(at)
	var trades []LeaderTrade
	for key, h := range then {
		still := now[key].quantity
		if !(h.quantity*still > 0) { // gone, turned around, or unknown
			continue
		}
		quantity := min(math.Abs(h.quantity), math.Abs(still))
		part, found := facts.Shares[key]
		if !found {
			part = math.NaN()
		}
		trades = append(trades, LeaderTrade{
			ID: "existing " + key + " " + strconv.FormatInt(of.ActivatedAt.UnixNano(), 10), Venue: of.Venue, Asset: *h.asset, Leg: Open,
			Side: sideOf(h.quantity), Price: math.NaN(), Quantity: quantity, ValueUSD: math.NaN(), Share: part * quantity / math.Abs(still),
			Leverage: facts.leverages[key], At: of.ActivatedAt, Existing: true,
		})
	}
	slices.SortFunc(trades, func(a, b LeaderTrade) int { return strings.Compare(a.Asset.Key, b.Asset.Key) })
	return trades
}

// settlement is a close that no trade of the leader asks for, at a quote of its own.
type settlement struct {
	trade LeaderTrade
	quote Quote
}

// settlements are the closes of copies whose market is over, whose margin is used up, which the leader left, or which are owed. Copies
// whose market cannot be read keep nobody else's from being closed: failed says why they could not.
func (t *turn) settlements(ctx context.Context) (due []settlement, failed error) {
	now := t.round.facts.heldAt(t.round.at)
	for i := range t.account.Copies {
		c := &t.account.Copies[i]
		quote, err := t.round.quotes.of(ctx, t.agent.Venue, &c.Asset, Close)
		if err != nil {
			failed = err
			continue
		}
		s := settlement{quote: *quote, trade: LeaderTrade{
			Venue: t.agent.Venue, Asset: c.Asset, Leg: Close, Side: c.Side, Price: math.NaN(), Quantity: math.NaN(), ValueUSD: math.NaN(), Share: 1,
			Flat: true, Leverage: c.Leverage, At: t.round.at, Own: true,
		}}
		kind, cause := t.due(c, &s.quote, now)
		if kind == "" {
			continue
		}
		// The book's version tells one attempt from the next, and is the same for all who make this one.
		s.trade.ID = strings.Join([]string{kind, c.Asset.Key, c.OpenedBy, strconv.FormatInt(t.book.Version, 10)}, " ")
		s.trade.Cause = cause
		due = append(due, s)
	}
	return due, failed
}

// due tells why a copy must be closed, in a word and in a sentence; nothing when it need not be. Where the close has a price of its own, the
// quote becomes that.
func (t *turn) due(c *Copy, q *Quote, now map[string]held) (kind, cause string) {
	leader, followed := now[c.Asset.Key]
	left := followed && !t.round.facts.Waiting && t.round.at.Sub(leader.since) >= settledFor &&
		!math.IsNaN(leader.quantity) && !(leader.quantity*c.Side.sign() > 0)
	noPool := t.agent.Venue == agent.Spot && q.DepthUSD == 0 && !known(q.Price)
	switch {
	case q.Closed && q.Payout >= 0 && t.agent.Venue == agent.Prediction:
		return "decided", "The market was decided, and a share of " + c.Asset.Name + " is worth " + usdText(q.Payout) + "."
	case q.Closed && q.Payout > 0:
		return "delisted", c.Asset.Name + " is not traded any more, and the copy ends at its last price."
	case t.agent.Venue == agent.Perps && t.agent.Mode == agent.Paper && usedUp(c, q):
		q.Closed, q.Payout = true, max(0, c.Price*(1-c.Side.sign()/c.Leverage))
		return "liquidated", "The price moved so far against the copy of " + c.Asset.Name + " that its margin is used up; it was liquidated."
	case noPool && (left || c.Owed >= 1) && t.round.at.Sub(c.OpenedAt) > deadAfter:
		q.Closed, q.Payout = true, 0
		return "dead", c.Asset.Name + " has no pool any more, and the copy ends without worth."
	case !known(q.Price):
		return "", ""
	case left:
		return "left", "The leader has nothing left of " + c.Asset.Name + ", and the copy is closed."
	case c.Owed >= 1:
		return "owed", "The close of " + c.Asset.Name + " that could not be made before is made."
	}
	return "", ""
}

// usedUp tells whether the price stands where a position with margin of its own is liquidated.
func usedUp(c *Copy, q *Quote) bool {
	if !known(q.Price) || !known(c.Price) {
		return false
	}
	side := margin.Long
	if c.Side == Short {
		side = margin.Short
	}
	against := -c.Side.sign() * (q.Price/c.Price - 1)
	return against >= margin.FollowerDistance(side, c.Leverage, q.maintenance())
}
