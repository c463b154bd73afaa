package hyperliquid

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

// settled is how old an order's state is when all of its fills can be read.
const settled = time.Minute

// orderState is an order as the venue knows it. The size is what is left of the original one.
type orderState struct {
	Status upstream.Text `json:"status"`
	Order  struct {
		Order struct {
			ID       upstream.Number `json:"oid"`
			ClientID upstream.Text   `json:"cloid"`
			Size     upstream.Number `json:"sz"`
			Original upstream.Number `json:"origSz"`
			Placed   upstream.Number `json:"timestamp"`
		} `json:"order"`
		Status upstream.Text   `json:"status"`
		Since  upstream.Number `json:"statusTimestamp"`
	} `json:"order"`
}

// OrderStatus finds an account's order by its client id and reads what was filled of it, and at what price, from the account's fills. Of
// an order that the venue does not know it is NotFound: it was not placed, and will not be once its time is over, for which see
// UnknownOutcome. ErrUnavailable as well where the fills do not add up yet.
func (x *Exchange) OrderStatus(ctx context.Context, account chain.Address, id ClientID) (OrderResult, error) {
	now := x.adapter.client.Now()
	q := question{Type: "orderStatus", User: account.String(), Order: id.String()}
	state, err := info(ctx, x.adapter, q, upstream.Weight{Asking: stateWeight}, func(r *upstream.Response) (*orderState, error) {
		return readOrderState(r, id)
	})
	if err != nil {
		return OrderResult{}, err
	}
	if state == nil {
		return OrderResult{Status: NotFound, AveragePrice: math.NaN(), FeeUSD: math.NaN()}, nil
	}
	order, result := state.Order.Order, OrderResult{OrderID: number(state.Order.Order.ID), AveragePrice: math.NaN(), FeeUSD: math.NaN()}
	original, _ := coins(order.Original)
	left, _ := coins(order.Size)
	status := string(state.Order.Status)
	traded := original - left
	if status != "filled" && left == 0 {
		// What was cancelled may have nothing left without having been filled.
		traded = 0
	}
	placed, _ := order.Placed.Milliseconds(now)
	if err := x.addFills(ctx, account, placed, &result); err != nil {
		return OrderResult{}, err
	}
	since, dated := state.Order.Since.Milliseconds(now)
	if final := dated && now.Sub(since) > settled && result.FilledSize > 0; !final && result.FilledSize < traded*(1-rounding) {
		return OrderResult{}, fmt.Errorf("%w: the fills of order %d do not add up yet", market.ErrUnavailable, result.OrderID)
	}
	if result.FilledSize > original*(1+rounding) {
		return OrderResult{}, fmt.Errorf("%w: more was filled of order %d than was asked for", market.ErrUnavailable, result.OrderID)
	}
	switch {
	case status == "open" || status == "triggered":
		result.Status = Resting
	case result.FilledSize > 0:
		result.Status = Filled
	default:
		result.Status, result.Reason, result.Text = Rejected, reasonOf(status), refusal(status).Text
	}
	return result, nil
}

// readOrderState is nil for an order that the venue does not know.
func readOrderState(r *upstream.Response, id ClientID) (*orderState, error) {
	found, err := upstream.JSON[orderState](r)
	if err != nil {
		return nil, err
	}
	if found.Status == "unknownOid" {
		return nil, nil
	}
	order := found.Order.Order
	original, sized := coins(order.Original)
	left, counted := coins(order.Size)
	if found.Status != "order" || found.Order.Status == "" || number(order.ID) == 0 || !strings.EqualFold(string(order.ClientID), id.String()) ||
		!sized || !counted || original <= 0 || left < 0 || left > original {
		return nil, fmt.Errorf("%w: neither an order nor that there is none", upstream.ErrUnreadable)
	}
	return &found, nil
}

// addFills adds up the fills of the order that a result is of.
func (x *Exchange) addFills(ctx context.Context, account chain.Address, placed time.Time, result *OrderResult) error {
	fills := history[fill]{"userFillsByTime", fillsAPage, fillPages}
	rows, _, err := fills.read(ctx, x.adapter, account, placed)
	if err != nil {
		return err
	}
	value, fee := 0.0, 0.0
	for _, row := range rows {
		if number(row.row.Order) != result.OrderID {
			continue
		}
		read, ok := row.row.check(row.time, account)
		if !ok {
			return fmt.Errorf("%w: a fill of order %d cannot be read", market.ErrUnavailable, result.OrderID)
		}
		result.FilledSize += read.Size
		value += read.Size * read.Price
		fee += read.FeeUSD
	}
	if result.FilledSize > 0 {
		result.AveragePrice, result.FeeUSD = value/result.FilledSize, fee
	}
	return nil
}
