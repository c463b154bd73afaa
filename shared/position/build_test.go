package position_test

import (
	"math"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/position"
)

const day = 24 * time.Hour

var (
	start  = time.Date(2024, 3, 1, 12, 0, 0, 0, time.UTC)
	tokenA = chain.Address{0xa}
	tokenB = chain.Address{0xb}
)

// history writes a ledger down as a list of days.
type history struct {
	ledger position.Ledger
	order  uint64
}

func (h *history) trade(side position.Side, on float64, token chain.Address, quantity, price float64) *position.Trade {
	h.order++
	at := start.Add(time.Duration(on * float64(day)))
	h.ledger.Trades = append(h.ledger.Trades, position.Trade{
		Time: at, Block: uint64(at.Unix()), Order: h.order, Tx: market.Hash{byte(h.order)}, Token: token, Side: side,
		Quantity: quantity, ValueUSD: quantity * price, Priced: true,
	})
	return &h.ledger.Trades[len(h.ledger.Trades)-1]
}

func (h *history) buy(on float64, token chain.Address, quantity, price float64) *position.Trade {
	return h.trade(position.Buy, on, token, quantity, price)
}

func (h *history) sell(on float64, token chain.Address, quantity, price float64) *position.Trade {
	return h.trade(position.Sell, on, token, quantity, price)
}

func (h *history) transfer(on float64, token chain.Address, in bool, origin position.Origin, quantity float64) {
	h.order++
	at := start.Add(time.Duration(on * float64(day)))
	h.ledger.Transfers = append(h.ledger.Transfers, position.Transfer{
		Time: at, Block: uint64(at.Unix()), Order: h.order, Token: token, Quantity: quantity, In: in, Origin: origin,
	})
}

func (h *history) at(day float64, marks map[chain.Address]position.Mark) *position.Book {
	return position.Build(&h.ledger, marks, dayTime(day))
}

func dayTime(on float64) time.Time { return start.Add(time.Duration(on * float64(day))) }

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.IsNaN(want) != math.IsNaN(got) || math.Abs(got-want) > 1e-9*math.Max(1, math.Abs(want)) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func only(t *testing.T, book *position.Book) *position.Position {
	t.Helper()
	if len(book.Positions) != 1 {
		t.Fatalf("got %d positions, want 1: %+v", len(book.Positions), book.Positions)
	}
	return &book.Positions[0]
}

// The example of the Beancount manual's booking methods: buy 10 at 2, buy 10 at 4, sell 15 at 5, sell 5 at 1.
// First-in first-out gains 15*5-(10*2+5*4) = 35, then loses 5*1-5*4 = -15. Average cost 3: 15*(5-3) = 30, then 5*(1-3) = -10.
func TestLotsAgainstBeancount(t *testing.T) {
	var h history
	h.buy(0, tokenA, 10, 2)
	h.buy(1, tokenA, 10, 4)
	h.sell(2, tokenA, 15, 5)
	h.sell(3, tokenA, 5, 1)
	part := only(t, h.at(2.5, nil))
	near(t, "average PnL of the open position", part.PnLUSD, 30)
	near(t, "matched cost", part.MatchedCostUSD, 45)
	near(t, "closed share", part.ClosedShare, 0.75)
	if part.Status != position.Open || part.Rateable {
		t.Errorf("three quarters sold: %+v", part)
	}
	whole := only(t, h.at(4, nil))
	near(t, "PnL", whole.PnLUSD, 20)
	near(t, "ROI", whole.ROI, 20.0/60)
	// 10 for 2 days, 5 for 1 day, 5 for 2 days.
	if want := time.Duration(35.0 / 20 * float64(day)); whole.Holding != want {
		t.Errorf("holding %v, want %v", whole.Holding, want)
	}
	if !whole.Rateable || whole.Ending != position.SoldOut || !whole.ClosedAt.Equal(dayTime(3)) || !whole.OpenedAt.Equal(dayTime(0)) {
		t.Errorf("closed: %+v", whole)
	}
}

// Selling 15 of lots 10 at 2 and 10 at 4 first-in first-out leaves 5 at 4: seen when the rest is imputed.
func TestFirstInFirstOutOfAClosedPosition(t *testing.T) {
	var h history
	h.buy(0, tokenA, 100, 2)
	h.buy(1, tokenA, 100, 4)
	h.sell(2, tokenA, 192, 5)
	p := only(t, h.at(3, nil))
	near(t, "matched cost", p.MatchedCostUSD, 100*2+92*4)
	near(t, "PnL", p.PnLUSD, 192*5-568)
	near(t, "remaining", p.RemainingQuantity, 8)
}
