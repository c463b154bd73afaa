package mirroring

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

// PerpOrder is an order as a perpetuals venue takes it: at a limit, and what is not filled at once is dropped.
type PerpOrder struct {
	// Partner and Agent tell with whose key it is signed, Account for whom it trades.
	Partner, Agent string
	Account        chain.Address
	Coin           string
	Buy            bool
	// Limit is the worst price in USD, Size is in coins; the venue's steps are the exchange's business.
	Limit, Size float64
	// ReduceOnly orders make a position smaller and nothing else.
	ReduceOnly bool
	ClientID   [16]byte
}

// PerpResult is what became of an order.
type PerpResult struct {
	// Size was filled at the mean Price; both are zero for nothing. FeeUSD is NaN when unknown.
	Size, Price, FeeUSD float64
	// Resting is true while more may be filled.
	Resting bool
	// Reason says in a sentence why nothing was filled, or less than all; empty for no reason. Skip is the word for it where it is a
	// reason to skip; empty otherwise.
	Reason string
	Skip   SkipReason
}

// PerpExchange is what trades at a perpetuals venue. Errors that wrap ErrRefused mean that nothing was done and nothing will be, all others
// that nobody knows.
type PerpExchange interface {
	// SetLeverage sets the leverage of a position, held or to come, with margin of its own.
	SetLeverage(ctx context.Context, order PerpOrder, leverage int) error
	// Place sends an order once.
	Place(ctx context.Context, order PerpOrder) (PerpResult, error)
	// Find looks an order up by its client ID; found is false where the venue knows no such order.
	Find(ctx context.Context, order PerpOrder) (result PerpResult, found bool, err error)
}

// PerpExecutor trades at a perpetuals venue. Clock tells when orders were filled.
func PerpExecutor(exchange PerpExchange, clock func() time.Time) Executor {
	return perpExecutor{exchange, clock}
}

type perpExecutor struct {
	exchange PerpExchange
	clock    func() time.Time
}

func perpOrderOf(o *Order) PerpOrder {
	return PerpOrder{
		Partner: o.Partner, Agent: o.Agent, Account: o.Account, Coin: o.Asset.Key, Buy: o.Buys(), Limit: o.WorstPrice, Size: o.Quantity,
		ReduceOnly: o.Leg == Close, ClientID: ClientID(o.Execution),
	}
}

// Submit sets the leverage of an opening and places the order. A leverage that may or may not have been set is no order: nothing was placed.
func (e perpExecutor) Submit(ctx context.Context, o Order) (Fill, error) {
	order := perpOrderOf(&o)
	if o.Leg == Open {
		if err := e.exchange.SetLeverage(ctx, order, int(o.Leverage)); err != nil {
			return Fill{}, fmt.Errorf("%w: the leverage could not be set: %w", ErrRefused, err)
		}
	}
	result, err := e.exchange.Place(ctx, order)
	switch {
	case err != nil:
		return Fill{}, err
	case result.Resting:
		return Fill{}, fmt.Errorf("order %s rests in the book", o.Execution)
	}
	return e.fill(&o, &result), nil
}

// Find looks up what became of an order.
func (e perpExecutor) Find(ctx context.Context, o Order) (Fill, bool, error) {
	result, found, err := e.exchange.Find(ctx, perpOrderOf(&o))
	switch {
	case err != nil || !found:
		return Fill{}, false, err
	case result.Resting:
		return Fill{}, false, fmt.Errorf("order %s rests in the book", o.Execution)
	}
	return e.fill(&o, &result), true, nil
}

// filledWhole is the part of an order that must be filled for it to count as filled: the venue rounds sizes down to its steps.
const filledWhole = 0.98

func (e perpExecutor) fill(o *Order, r *PerpResult) Fill {
	fill := Fill{At: e.clock().UTC(), Why: r.Reason, Skip: r.Skip}
	if !known(r.Size) || !known(r.Price) {
		return fill
	}
	fee := r.FeeUSD
	if math.IsNaN(fee) || math.IsInf(fee, 0) {
		fee = r.Size * r.Price * perpFee
	}
	fill.Quantity, fill.Price, fill.Fee = r.Size, r.Price, signedMicro(fee)
	if o.Leg == Open {
		fill.Cost = signedMicro(r.Size * r.Price / o.Leverage)
	}
	if r.Size >= filledWhole*o.Quantity {
		fill.Why = ""
	} else if fill.Why == "" {
		fill.Why = "Only " + fineText(r.Size/o.Quantity) + " of the order was filled within the limit."
	}
	return fill
}
