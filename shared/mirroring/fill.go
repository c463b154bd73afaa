package mirroring

import (
	"math"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/agent"
	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

// Order is exactly what is sent to a venue, or filled on paper. It is kept before it is sent.
type Order struct {
	// Execution names it; its client ID at the venue follows from that alone.
	Execution string      `json:"execution"`
	Venue     agent.Venue `json:"venue"`
	Mode      agent.Mode  `json:"mode"`
	// Agent and Partner are whose it is, Account is what trades.
	Partner string        `json:"partner"`
	Agent   string        `json:"agent"`
	Account chain.Address `json:"account"`
	Asset   Asset         `json:"asset"`
	Leg     Leg           `json:"leg"`
	Side    Side          `json:"side"`
	// Quantity is in coins, tokens or shares; Cost is the most that an opening may cost of the agent's limit, 0 for a close.
	Quantity float64        `json:"quantity"`
	Cost     agent.MicroUSD `json:"cost"`
	Leverage float64        `json:"leverage"`
	// Part is the part of the copy that a close closes.
	Part float64 `json:"part,omitzero"`
	// WorstPrice is the limit; 0 for any price.
	WorstPrice float64   `json:"worstPrice,omitzero"`
	At         time.Time `json:"at"`
}

// Buys tells whether the order buys at the venue: it opens long or closes short.
func (o *Order) Buys() bool { return (o.Leg == Open) == (o.Side == Long) }

// Fill is what became of an order.
type Fill struct {
	// Quantity was filled at the mean Price, of a purchase with everything that the token's contract kept; zero for nothing.
	Quantity, Price float64
	// Cost is what an opening took of the agent's limit. Fee was paid to the venue; on perpetuals it is not in the cost, elsewhere it is.
	Cost, Fee agent.MicroUSD
	// Funding was received, negative for what was paid.
	Funding agent.MicroUSD
	At      time.Time
	// Why says why less was filled than was ordered; empty when all was.
	Why string
	// Skip is the word for why nothing was filled, where what stood in the way is a reason to skip; empty otherwise.
	Skip SkipReason
}

// paper fills an order at the quoted price with what the venue would take. Copy is what a close closes.
//
//   - Perpetuals: the mark price and half the spread and the impact against the order, a taker's fee of the value, and for a close the
//     rate of funding now for all hours held, on the value at the mark price (Hyperliquid docs, "Funding", "Fees").
//   - Spot: x·y = k against the deepest pool less its fee, and what the token's contract keeps.
//   - Prediction markets: the price and half the spread or a step, the impact, and a fee of rate·price·(1 − price) a share.
func paper(o *Order, q *Quote, held *Copy) Fill {
	switch {
	case o.Leg == Open && o.Venue == agent.Perps:
		return paperPerpOpen(o, q)
	case o.Leg == Open && o.Venue == agent.Prediction:
		return paperOutcomeOpen(o, q)
	case o.Leg == Open:
		return paperSpotOpen(o, q)
	case q.Closed && q.Payout >= 0:
		return Fill{Quantity: o.Quantity, Price: q.Payout, At: o.At}
	case o.Venue == agent.Perps:
		return paperPerpClose(o, q, held)
	case o.Venue == agent.Prediction:
		price := max(0, q.Price*(1-q.halfSpread(o.Venue)-q.impact(o.Venue, o.Quantity*q.Price)))
		fee := o.Quantity * q.feeRate(o.Venue) * price * (1 - price)
		return Fill{Quantity: o.Quantity, Price: price, Fee: signedMicro(fee), At: o.At}
	}
	return paperSpotClose(o, q)
}

func paperPerpOpen(o *Order, q *Quote) Fill {
	size := o.Cost.USD() * o.Leverage
	price := q.Price * (1 + o.Side.sign()*(q.halfSpread(o.Venue)+q.impact(o.Venue, size)))
	return Fill{Quantity: size / price, Price: price, Cost: o.Cost, Fee: signedMicro(size * q.feeRate(o.Venue)), At: o.At}
}

func paperPerpClose(o *Order, q *Quote, held *Copy) Fill {
	value := o.Quantity * q.Price
	against := q.halfSpread(o.Venue) + q.impact(o.Venue, value)
	price := max(0, q.Price*(1-o.Side.sign()*against))
	fill := Fill{Quantity: o.Quantity, Price: price, Fee: signedMicro(o.Quantity * price * q.feeRate(o.Venue)), At: o.At}
	if hours := o.At.Sub(held.FundedAt).Hours(); hours > 0 && !math.IsNaN(q.FundingHourly) && !math.IsInf(q.FundingHourly, 0) {
		fill.Funding = signedMicro(-o.Side.sign() * q.FundingHourly * hours * value)
	}
	return fill
}

// paperOutcomeOpen spends the cost on shares and their fee.
func paperOutcomeOpen(o *Order, q *Quote) Fill {
	tick := q.TickSize
	if !known(tick) {
		tick = usualTick
	}
	price := min(1-tick, q.Price*(1+q.halfSpread(o.Venue)+q.impact(o.Venue, o.Cost.USD())))
	price = max(price, min(1, q.Price)) // an outcome within a step of a dollar is not cheaper than its price
	fee := q.feeRate(o.Venue) * price * (1 - price)
	shares := o.Cost.USD() / (price + fee)
	return Fill{Quantity: shares, Price: price, Cost: o.Cost, Fee: signedMicro(shares * fee), At: o.At}
}

// paperSpotOpen swaps the cost for tokens.
func paperSpotOpen(o *Order, q *Quote) Fill {
	fee := o.Cost.USD() * q.feeRate(o.Venue)
	in := o.Cost.USD() - fee
	tokens := in / (q.Price * (1 + q.impact(o.Venue, in))) * (1 - tax(q.BuyTax))
	if !(tokens > 0) {
		return Fill{At: o.At, Why: "The token's contract keeps everything that is bought."}
	}
	return Fill{Quantity: tokens, Price: in / tokens, Cost: o.Cost, Fee: signedMicro(fee), At: o.At}
}

// paperSpotClose swaps tokens back: v·Y/(v+Y) of a value v from a quote side Y. Where nobody knows the depth a tenth is taken to be
// lost, and without any pool everything is.
func paperSpotClose(o *Order, q *Quote) Fill {
	value := o.Quantity * q.Price * (1 - tax(q.SellTax))
	rate := q.feeRate(o.Venue)
	in := value * (1 - rate)
	var out float64
	switch depth := q.depth(o.Venue); {
	case math.IsNaN(q.DepthUSD):
		out = in * (1 - unknownExitLoss)
	case depth > 0:
		out = in * depth / (in + depth)
	}
	fee := value * rate
	if out == 0 {
		fee = 0
	}
	return Fill{Quantity: o.Quantity, Price: (out + fee) / o.Quantity, Fee: signedMicro(fee), At: o.At}
}
