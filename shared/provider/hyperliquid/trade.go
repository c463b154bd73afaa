package hyperliquid

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

// ClientID names an order: chosen by whoever places it, and how it is found again where the answer is lost. No two orders of an account
// have the same.
type ClientID [16]byte

func (id ClientID) String() string { return hexBytes(id[:]).String() }

// immediateOrCancel drops what nobody takes at once.
const immediateOrCancel = "Ioc"

// OrderRequest is an order at a limit. What is not filled at once is dropped.
type OrderRequest struct {
	// Coin is a perpetual contract, such as BTC, or xyz:GOLD on a builder's exchange.
	Coin string
	Buy  bool
	// Limit is the worst price in USD; it is made a multiple of the venue's least step in the account's favour.
	Limit float64
	// Size is in coins, above zero, and rounded down to what the venue trades.
	Size float64
	// ReduceOnly orders can make a position smaller and nothing else.
	ReduceOnly bool
	ClientID   ClientID
	// PlaceBy is until when the venue may place it, at most the Lifetime of the ExchangeConfig from now, which it is where it is zero.
	// Whoever writes it down before ordering knows after any failure from when on an order that is not found was never placed.
	PlaceBy time.Time
}

// OrderStatus is what became of an order.
type OrderStatus string

// The states.
const (
	// Filled: all of it or a part was traded, and the rest dropped.
	Filled OrderStatus = "filled"
	// Resting: it stands in the book, of which a part may be filled.
	Resting OrderStatus = "resting"
	// Rejected: nothing of it was traded, nor will be.
	Rejected OrderStatus = "rejected"
	// NotFound: the venue knows of no such order.
	NotFound OrderStatus = "not_found"
)

// OrderResult is what the venue says of an order.
type OrderResult struct {
	Status OrderStatus
	// FilledSize is in coins, zero where nothing was traded. AveragePrice is in USD, NaN where nothing was.
	FilledSize, AveragePrice float64
	// FeeUSD is what the venue charged, negative for what it paid; NaN where it is not known, as by Order.
	FeeUSD float64
	// OrderID is the venue's number, zero for none.
	OrderID int64
	// Reason is why it was rejected, and Text what the venue said, for logs alone; both empty otherwise.
	Reason Reason
	Text   string
}

func rejected(r *Refusal) OrderResult {
	return OrderResult{Status: Rejected, AveragePrice: math.NaN(), FeeUSD: math.NaN(), Reason: r.Reason, Text: r.Text}
}

// Order places an order for the account that approved the key. It is sent once. With an error that wraps UnknownOutcome it may have
// been placed; with any other one (ErrInvalid, ErrNoContract, ErrTooLate, market.ErrUnavailable) it was not.
func (x *Exchange) Order(ctx context.Context, key TradingKey, request OrderRequest) (OrderResult, error) {
	if request.ClientID == (ClientID{}) {
		return OrderResult{}, fmt.Errorf("%w: an order without a client id", ErrInvalid)
	}
	contract, err := x.Contract(ctx, request.Coin)
	if err != nil {
		return OrderResult{}, err
	}
	if contract.Delisted {
		return rejected(&Refusal{ReasonHalted, "delisted"}), nil
	}
	price := wirePrice(request.Limit, contract.SizeDecimals, request.Buy)
	if price == "" || request.Limit > upstream.MaximumUSD {
		return OrderResult{}, fmt.Errorf("%w: a limit of %g", ErrInvalid, request.Limit)
	}
	if !(request.Size > 0) || request.Size*request.Limit > upstream.MaximumUSD {
		return OrderResult{}, fmt.Errorf("%w: a size of %g", ErrInvalid, request.Size)
	}
	size := wireSize(request.Size, contract.SizeDecimals)
	if size == "" {
		return rejected(&Refusal{ReasonSize, "less than the least size"}), nil
	}
	said, err := trade(ctx, x, key, request.PlaceBy, orderAction{
		Type: "order", Grouping: "na",
		Orders: []orderWire{{
			Asset: contract.Asset, Buy: request.Buy, Price: price, Size: size, ReduceOnly: request.ReduceOnly,
			Kind: orderKind{limitKind{immediateOrCancel}}, ClientID: request.ClientID.String(),
		}},
	})
	if err != nil {
		return OrderResult{}, err
	}
	result, err := said.order(request.Size)
	if err != nil {
		return OrderResult{}, &UnknownOutcome{ExpiresAt: said.expires, Err: err}
	}
	return result, nil
}

// order is the outcome of an order of a size. An error says that the answer cannot be.
func (a answer) order(size float64) (OrderResult, error) {
	if a.refused != nil {
		return rejected(a.refused), nil
	}
	said, err := a.one()
	if err != nil {
		return OrderResult{}, err
	}
	switch {
	case said.Error != nil && *said.Error != "" && said.Filled == nil && said.Resting == nil:
		return rejected(refusal(string(*said.Error))), nil
	case said.Error != nil:
	case said.Filled != nil && said.Resting == nil:
		filled, counted := coins(said.Filled.Size)
		price, priced := said.Filled.Price.Price()
		if counted && priced && filled > 0 && filled <= size*(1+rounding) {
			return OrderResult{
				Status: Filled, FilledSize: filled, AveragePrice: price, FeeUSD: math.NaN(), OrderID: number(said.Filled.Order),
			}, nil
		}
	case said.Resting != nil && said.Filled == nil:
		return OrderResult{Status: Resting, AveragePrice: math.NaN(), FeeUSD: math.NaN(), OrderID: number(said.Resting.Order)}, nil
	}
	return OrderResult{}, fmt.Errorf("%w: an order neither filled, resting nor refused", upstream.ErrUnreadable)
}

// rounding is by what share sums of sizes may differ.
const rounding = 1e-9

// Cancel takes an order out of the book. A Refusal with ReasonMissing: it is not there any more, or never was.
func (x *Exchange) Cancel(ctx context.Context, key TradingKey, coin string, id ClientID) error {
	contract, err := x.Contract(ctx, coin)
	if err != nil {
		return err
	}
	said, err := trade(ctx, x, key, time.Time{}, cancelAction{Type: "cancelByCloid", Cancels: []cancelWire{{contract.Asset, id.String()}}})
	if err != nil {
		return err
	}
	if said.refused != nil {
		return said.refused
	}
	one, err := said.one()
	switch {
	case err == nil && one.word == "success":
		return nil
	case err == nil && one.Error != nil && *one.Error != "":
		return refusal(string(*one.Error))
	case err == nil:
		err = fmt.Errorf("%w: neither cancelled nor refused", upstream.ErrUnreadable)
	}
	return &UnknownOutcome{ExpiresAt: said.expires, Err: err}
}

// UpdateLeverage sets the leverage of an account's position in a coin, held or to come, and whether it shares margin with others. A
// Refusal says why the venue would not. Setting it twice is the same as once.
func (x *Exchange) UpdateLeverage(ctx context.Context, key TradingKey, coin string, leverage int, cross bool) error {
	contract, err := x.Contract(ctx, coin)
	if err != nil {
		return err
	}
	if leverage < 1 || leverage > contract.MaximumLeverage || cross && contract.OnlyIsolated {
		return fmt.Errorf("%w: a leverage of %d, shared %t", ErrInvalid, leverage, cross)
	}
	said, err := trade(ctx, x, key, time.Time{}, leverageAction{Type: "updateLeverage", Asset: contract.Asset, Cross: cross, Leverage: leverage})
	if err != nil {
		return err
	}
	if said.refused != nil {
		return said.refused
	}
	return nil
}

// IsUnknown tells whether an error leaves open what the venue did, and gives it.
func IsUnknown(err error) (*UnknownOutcome, bool) {
	var unknown *UnknownOutcome
	return unknown, errors.As(err, &unknown)
}
