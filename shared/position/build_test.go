package position_test

import (
	"math"
	"slices"
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

func TestHowPositionsEnd(t *testing.T) {
	mark := func(price, quote float64, past ...market.PricePoint) map[chain.Address]position.Mark {
		return map[chain.Address]position.Mark{tokenA: {PriceUSD: price, QuoteUSD: quote, SellTax: math.NaN(), Past: past}}
	}
	past := func(on, price float64) market.PricePoint { return market.PricePoint{Time: dayTime(on), USD: price} }
	noMarket := mark(math.NaN(), math.NaN())
	unsellable := map[chain.Address]position.Mark{tokenA: {PriceUSD: 50, QuoteUSD: 1e6, Unsellable: true}}
	hold := func(h *history) { h.buy(0, tokenA, 100, 10) }
	for _, c := range []struct {
		name     string
		tell     func(h *history)
		marks    map[chain.Address]position.Mark
		asOf     float64
		status   position.Status
		ending   position.Ending
		closed   float64 // day of closing
		roi      float64
		rateable bool
	}{
		{"sold to 5 % of what was acquired", func(h *history) { hold(h); h.sell(1, tokenA, 95, 20) }, nil, 2, position.Closed, position.SoldOut, 1, 1, true},
		{"sold to just above 5 %", func(h *history) { hold(h); h.sell(1, tokenA, 94.9, 20) }, nil, 2, position.Open, position.NotEnded, 0, 1, false},
		{"a rest worth under 2 USD is nothing", func(h *history) { hold(h); h.sell(1, tokenA, 90, 0.19) }, nil, 2, position.Closed, position.SoldOut, 1, -0.981, true},
		{"a rest worth under 2 USD of what was hardly sold is something", func(h *history) { hold(h); h.sell(1, tokenA, 49, 0.03) }, nil, 2, position.Open, position.NotEnded, 0, -0.997, false},
		{"half sold, idle for 30 days, the rest worthless", func(h *history) { hold(h); h.sell(1, tokenA, 50, 20) }, mark(0.9, 1e12), 31, position.Closed, position.Abandoned, 31, (1000 + 45*0.997 - 1000) / 1000, true},
		{"half sold, idle for less", func(h *history) { hold(h); h.sell(1, tokenA, 50, 20) }, mark(0.9, 1e12), 30.99, position.Open, position.NotEnded, 0, 1, false},
		{"less than half sold", func(h *history) { hold(h); h.sell(1, tokenA, 49, 20) }, mark(0.9, 1e12), 60, position.Open, position.NotEnded, 0, 1, false},
		{"the rest is worth a tenth of its cost", func(h *history) { hold(h); h.sell(1, tokenA, 50, 20) }, mark(1.01, 1e12), 60, position.Open, position.NotEnded, 0, 1, false},
		{"dead", hold, mark(0.4, 1e12, past(0, 10), past(3, 9), past(4, 0.4), past(11, 0.3)), 12, position.Closed, position.Dead, 7, 0.4*0.997/10 - 1, true},
		{"dead since later than a week after the last trade", hold, mark(0.4, 1e12, past(3, 9), past(20, 0.4), past(26, 0.3)), 27, position.Closed, position.Dead, 20, 0.4*0.997/10 - 1, true},
		{"dead for less than a week", hold, mark(0.4, 1e12, past(3, 9), past(20, 0.4)), 26.9, position.Open, position.NotEnded, 0, math.NaN(), false},
		{"alive in between", hold, mark(0.4, 1e12, past(3, 0.1), past(20, 9), past(21, 0.4)), 26, position.Open, position.NotEnded, 0, math.NaN(), false},
		{"not known how long it has been dead", hold, mark(0.4, 1e12), 26, position.Open, position.NotEnded, 0, math.NaN(), false},
		{"the last trade is younger than a week", func(h *history) { hold(h); h.buy(10, tokenA, 1, 10) }, mark(0.4, 1e12, past(1, 0.1)), 16.9, position.Open, position.NotEnded, 0, math.NaN(), false},
		{"a past after asOf does not count", hold, mark(0.4, 1e12, past(1, 0.1), past(30, 10)), 20, position.Closed, position.Dead, 7, 0.4*0.997/10 - 1, true},
		{"a thin pool kills as well as a low price", hold, mark(10, 40, past(1, 10)), 20, position.Closed, position.Dead, 7, 1000.0*40/1040*0.997/1000 - 1, true},
		{"worth more than a twentieth", hold, mark(0.55, 1e12, past(1, 0.5)), 20, position.Open, position.NotEnded, 0, math.NaN(), false},
		{"what came for nothing does not keep the rest alive", func(h *history) {
			hold(h)
			h.transfer(1, tokenA, true, position.TransferUnknown, 100)
		}, mark(0.3, 1e12, past(1, 0.3)), 20, position.Closed, position.Dead, 7, 0.3*0.997/10 - 1, false},
		{"abandoned before it died", func(h *history) { hold(h); h.sell(1, tokenA, 50, 20) }, mark(0.1, 1e12, past(3, 0.9), past(40, 0.1)), 50, position.Closed, position.Abandoned, 31, (50*20 + 50*0.1*0.997 - 1000) / 1000, true},
		{"sending some away is activity", func(h *history) {
			hold(h)
			h.sell(1, tokenA, 50, 20)
			h.transfer(20, tokenA, false, position.TransferUnknown, 10)
		}, mark(0.9, 1e12), 49, position.Open, position.NotEnded, 0, 1, false},
		{"no market", hold, noMarket, 8, position.Closed, position.Dead, 7, -1, true},
		{"no market, for less than a week", hold, noMarket, 6.9, position.Open, position.NotEnded, 0, math.NaN(), false},
		{"no market since a last price", hold, mark(math.NaN(), 0, past(9, 10)), 17, position.Closed, position.Dead, 9, -1, true},
		{"no market since yesterday", hold, mark(math.NaN(), 0, past(16, 10)), 17, position.Open, position.NotEnded, 0, math.NaN(), false},
		{"unsellable", hold, unsellable, 8, position.Closed, position.Dead, 7, -1, true},
		{"a price of unknown depth proves nothing", hold, mark(0.01, math.NaN(), past(1, 0.01)), 20, position.Open, position.NotEnded, 0, math.NaN(), false},
		{"no mark", hold, nil, 2000, position.Open, position.NotEnded, 0, math.NaN(), false},
		{"mostly transferred away", func(h *history) {
			hold(h)
			h.sell(1, tokenA, 40, 20)
			h.transfer(2, tokenA, false, position.TransferUnknown, 51)
		}, nil, 3, position.Transferred, position.NotEnded, 2, 1, false},
		{"mostly sent to an exchange", func(h *history) {
			hold(h)
			h.transfer(2, tokenA, false, position.ExchangeTransfer, 100)
		}, nil, 3, position.Transferred, position.NotEnded, 2, math.NaN(), false},
		{"half transferred, half sold", func(h *history) {
			hold(h)
			h.transfer(1, tokenA, false, position.TransferUnknown, 50)
			h.sell(2, tokenA, 50, 20)
		}, nil, 3, position.Closed, position.SoldOut, 2, 1, true},
		{"lent and returned with interest", func(h *history) {
			hold(h)
			h.transfer(1, tokenA, false, position.TransferKnown, 100)
			h.transfer(2, tokenA, true, position.TransferKnown, 103)
			h.sell(3, tokenA, 103, 20)
		}, nil, 4, position.Closed, position.SoldOut, 3, 1, true},
		{"lent is not gone", func(h *history) {
			hold(h)
			h.transfer(1, tokenA, false, position.TransferKnown, 96)
			h.sell(3, tokenA, 4, 20)
		}, nil, 4, position.Open, position.NotEnded, 0, 1, false},
		{"a rebasing token sells a little more than it bought", func(h *history) { hold(h); h.sell(1, tokenA, 104, 20) }, nil, 2, position.Closed, position.SoldOut, 1, 1.08, true},
		{"a fifth of the proceeds may be of unknown origin", func(h *history) {
			hold(h)
			h.transfer(1, tokenA, true, position.TransferUnknown, 25)
			h.sell(2, tokenA, 125, 20)
		}, nil, 3, position.Closed, position.SoldOut, 2, 1, true},
		{"more than a fifth may not", func(h *history) {
			hold(h)
			h.transfer(1, tokenA, true, position.TransferUnknown, 26)
			h.sell(2, tokenA, 126, 20)
		}, nil, 3, position.Closed, position.SoldOut, 2, 1, false},
		{"most of it sold for nobody knows what", func(h *history) {
			hold(h)
			h.sell(1, tokenA, 50, 20).Priced = false
			h.sell(2, tokenA, 50, 20)
		}, nil, 3, position.Closed, position.SoldOut, 2, 1, false},
		{"sold for nothing", func(h *history) { hold(h); h.sell(1, tokenA, 100, 0) }, nil, 3, position.Closed, position.SoldOut, 1, -1, true},
		{"gas counts on both sides", func(h *history) {
			h.buy(0, tokenA, 100, 10).GasUSD = 20
			h.sell(1, tokenA, 100, 20).GasUSD = 30
		}, nil, 3, position.Closed, position.SoldOut, 1, (1970.0 - 1020) / 1020, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var h history
			c.tell(&h)
			p := only(t, h.at(c.asOf, c.marks))
			near(t, "ROI", p.ROI, c.roi)
			if p.Status != c.status || p.Ending != c.ending || p.Rateable != c.rateable {
				t.Errorf("status %v ending %v rateable %v, want %v %v %v", p.Status, p.Ending, p.Rateable, c.status, c.ending, c.rateable)
			}
			if imputed := c.ending == position.Dead || c.ending == position.Abandoned; p.Imputed != imputed {
				t.Errorf("imputed %v", p.Imputed)
			}
			want := time.Time{}
			if c.status != position.Open {
				want = dayTime(c.closed)
			}
			if !p.ClosedAt.Equal(want) {
				t.Errorf("closed at %v, want %v", p.ClosedAt, want)
			}
		})
	}
}

func TestWhatComesAfterAPosition(t *testing.T) {
	t.Run("re-entry is a new position, and takes the leftover along at its cost", func(t *testing.T) {
		var h history
		h.buy(0, tokenA, 100, 10)
		h.sell(1, tokenA, 96, 20)
		h.buy(2, tokenA, 100, 30)
		h.sell(3, tokenA, 104, 40)
		book := h.at(4, nil)
		if len(book.Positions) != 2 || len(book.Closed()) != 2 {
			t.Fatalf("%+v", book.Positions)
		}
		first, second := book.Positions[0], book.Positions[1]
		near(t, "first PnL", first.PnLUSD, 96*10)
		near(t, "second cost", second.CostUSD, 3040)
		near(t, "second PnL", second.PnLUSD, 104*40-3000-40)
		near(t, "left in the first", first.RemainingQuantity, 4)
		near(t, "acquired in the second", second.AcquiredQuantity, 104)
	})
	t.Run("the leftover sold alone belongs to the position that left it", func(t *testing.T) {
		var h history
		h.buy(0, tokenA, 100, 10)
		h.sell(1, tokenA, 96, 20)
		h.sell(2, tokenA, 4, 20)
		p := only(t, h.at(4, nil))
		near(t, "PnL", p.PnLUSD, 1000)
		if p.Sells != 2 || !p.ClosedAt.Equal(dayTime(1)) {
			t.Errorf("%+v", p)
		}
	})
	t.Run("what is sent afterwards and sold is not the position's", func(t *testing.T) {
		var h history
		h.buy(0, tokenA, 100, 10)
		h.sell(1, tokenA, 100, 20)
		h.transfer(2, tokenA, true, position.TransferUnknown, 500)
		h.sell(3, tokenA, 500, 20)
		book := h.at(4, nil)
		if len(book.Positions) != 2 || book.UnmatchedSells != 1 || book.Positions[0].Sells != 1 {
			t.Fatalf("%+v", book)
		}
		near(t, "matched share of all proceeds", book.MatchedShare, 2000.0/12000)
		if last := book.Positions[1]; last.Rateable || !math.IsNaN(last.ROI) || !math.IsNaN(last.EntryPriceUSD) || last.ProceedsUSD != 10000 {
			t.Errorf("%+v", last)
		}
	})
	t.Run("bought again after it was abandoned", func(t *testing.T) {
		var h history
		h.buy(0, tokenA, 100, 10)
		h.sell(1, tokenA, 60, 20)
		h.buy(40, tokenA, 1000, 0.5)
		h.sell(41, tokenA, 1040, 1)
		book := h.at(50, nil)
		if len(book.Positions) != 2 {
			t.Fatalf("%+v", book.Positions)
		}
		first, second := book.Positions[0], book.Positions[1]
		if first.Ending != position.Abandoned || !first.ClosedAt.Equal(dayTime(31)) {
			t.Errorf("%+v", first)
		}
		near(t, "first PnL", first.PnLUSD, 1200+20-1000)
		near(t, "second PnL", second.PnLUSD, 1040-520)
		near(t, "both", first.PnLUSD+second.PnLUSD, 1200+1040-1000-500)
	})
	t.Run("what is lent cannot be abandoned", func(t *testing.T) {
		var h history
		h.buy(0, tokenA, 100, 10)
		h.transfer(0, tokenA, false, position.TransferKnown, 20)
		h.sell(1, tokenA, 60, 20)
		h.buy(40, tokenA, 1000, 0.5)
		if p := only(t, h.at(50, nil)); p.Buys != 2 {
			t.Errorf("%+v", p)
		}
	})
	t.Run("rounded sums leave nothing behind", func(t *testing.T) {
		var h history
		h.buy(0, tokenA, 0.1, 1000)
		h.buy(0, tokenA, 0.2, 1000)
		h.sell(1, tokenA, 0.3, 1000)
		if p := only(t, h.at(2, nil)); p.RemainingQuantity != 0 || p.RecoverableUSD != 0 {
			t.Errorf("%v left", p.RemainingQuantity)
		}
	})
	t.Run("what arrives at one place with a sale arrives first", func(t *testing.T) {
		var h history
		h.sell(1, tokenA, 100, 20)
		h.transfer(1, tokenA, true, position.Airdrop, 100)
		h.ledger.Transfers[0].Order = h.ledger.Trades[0].Order
		if book := h.at(2, nil); book.UnmatchedSells != 0 || book.AirdropUSD != 2000 {
			t.Errorf("%+v", book)
		}
	})
	t.Run("positions of one instant are in the order of their tokens", func(t *testing.T) {
		var h history
		h.buy(0, tokenB, 100, 10)
		h.buy(0, tokenA, 100, 10)
		h.buy(0, tokenC, 100, 10)
		h.buy(0, scam, 100, 10)
		got := h.at(2, nil).Positions
		if got[0].Token != tokenA || got[1].Token != tokenB || got[2].Token != tokenC || got[3].Token != scam {
			t.Errorf("%+v", got)
		}
	})
	t.Run("add-ons belong to the position", func(t *testing.T) {
		var h history
		h.buy(0, tokenA, 100, 10)
		h.sell(1, tokenA, 90, 20)
		h.buy(2, tokenA, 50, 30)
		p := only(t, h.at(4, nil))
		near(t, "entry price", p.EntryPriceUSD, 2500.0/150)
		near(t, "largest buy", p.MaximumBuyUSD, 1500)
		if p.Buys != 2 || p.Sells != 1 {
			t.Errorf("%+v", p)
		}
	})
}

func TestGiftsAndDust(t *testing.T) {
	var h history
	h.transfer(0, tokenA, true, position.Airdrop, 1000)
	h.sell(1, tokenA, 1000, 3)
	h.buy(2, tokenB, 10, 0.4)
	h.sell(3, tokenB, 10, 400)
	h.transfer(4, tokenC, true, position.TransferUnknown, 1000)
	book := h.at(9, nil)
	p := only(t, book)
	if book.DustSkipped != 1 || book.UnmatchedSells != 0 || p.Rateable || !math.IsNaN(p.ROI) || p.CostUSD != 0 {
		t.Errorf("%+v", book)
	}
	near(t, "position's airdrop", p.AirdropUSD, 3000)
	near(t, "airdrops", book.AirdropUSD, 3000)
	if !p.OpenedAt.Equal(dayTime(1)) {
		t.Errorf("opened at %v", p.OpenedAt)
	}
	// 4.99 is dust, 5 is not.
	for cost, count := range map[float64]int{4.99: 0, 5: 1} {
		var h history
		h.buy(0, tokenA, 1, cost)
		if book := h.at(1, nil); len(book.Positions) != count {
			t.Errorf("cost %v: %d positions", cost, len(book.Positions))
		}
	}
}

func TestSameBlock(t *testing.T) {
	var h history
	h.buy(0, tokenA, 100, 10)
	h.sell(0, tokenA, 100, 11)
	h.buy(0, tokenB, 100, 10)
	h.sell(1, tokenB, 100, 11)
	book := h.at(2, nil)
	if len(book.Positions) != 2 || !book.Positions[0].SameBlock || book.Positions[1].SameBlock {
		t.Fatalf("%+v", book.Positions)
	}
	if closed := book.Closed(); len(closed) != 1 || closed[0].Token != tokenB {
		t.Errorf("record %+v", closed)
	}
}

// A robot that leaves some over in each block is a robot all the same, until it holds something on.
func TestSameBlockOverSeveralBlocks(t *testing.T) {
	for _, patient := range []bool{false, true} {
		var h history
		h.buy(0, tokenA, 100, 10)
		h.sell(0, tokenA, 90, 11)
		h.buy(1, tokenA, 10, 10)
		h.sell(1, tokenA, 20, 11)
		for i := range h.ledger.Trades {
			h.ledger.Trades[i].SameBlock = !patient || i > 1
		}
		if p := only(t, h.at(2, nil)); p.SameBlock == patient {
			t.Errorf("patient %v: same block %v", patient, p.SameBlock)
		}
	}
}

func TestOpenTokens(t *testing.T) {
	var h history
	h.buy(0, tokenC, 100, 10)
	h.buy(1, tokenA, 100, 10)
	h.buy(2, tokenB, 100, 10)
	h.sell(3, tokenB, 100, 10)
	h.buy(3, scam, 1, 1)
	h.transfer(3, lpToken, true, position.TransferUnknown, 7)
	if tokens := position.Settle(&h.ledger, dayTime(9)).Open(); !slices.Equal(tokens, []chain.Address{tokenA, tokenC}) {
		t.Errorf("%v", tokens)
	}
	if tokens := position.Settle(&h.ledger, dayTime(2.5)).Open(); !slices.Equal(tokens, []chain.Address{tokenA, tokenB, tokenC}) {
		t.Errorf("before the sale: %v", tokens)
	}
	if tokens := position.Settle(&position.Ledger{}, dayTime(9)).Open(); len(tokens) != 0 {
		t.Errorf("of nothing: %v", tokens)
	}
}

func TestBookOfNothing(t *testing.T) {
	book := position.Build(nil, nil, start)
	if len(book.Positions) != 0 || book.MatchedShare != 1 || book.Ledger == nil || !book.AsOf.Equal(start) {
		t.Errorf("%+v", book)
	}
}

func TestLedgerOutOfOrder(t *testing.T) {
	var h history
	h.buy(0, tokenA, 100, 10)
	h.sell(1, tokenA, 100, 20)
	h.ledger.Trades[0], h.ledger.Trades[1] = h.ledger.Trades[1], h.ledger.Trades[0]
	near(t, "ROI", only(t, h.at(2, nil)).ROI, 1)
	if h.ledger.Trades[0].Side != position.Sell {
		t.Error("the caller's ledger was put in order")
	}
}

func TestRecoverable(t *testing.T) {
	mark := position.Mark{PriceUSD: 2, QuoteUSD: 1000, SellTax: 0.1}
	// 500 tokens are worth 1000: half of the quote side comes out, less 0.3 % and the tax.
	near(t, "with tax", position.Recoverable(500, mark), 500*0.997*0.9)
	mark.SellTax = math.NaN()
	near(t, "unknown tax", position.Recoverable(500, mark), 500*0.997)
	// The constant-product swap itself: 500 in against 500 tokens and 1000 USD gives 1000*500/(500+500).
	near(t, "never more than the pool", position.Recoverable(1e30, mark), 997)
	for name, none := range map[string]position.Mark{
		"unsellable":  {PriceUSD: 2, QuoteUSD: 1000, Unsellable: true},
		"no market":   {PriceUSD: math.NaN(), QuoteUSD: math.NaN()},
		"empty pool":  {PriceUSD: 2},
		"all taxed":   {PriceUSD: 2, QuoteUSD: 1000, SellTax: 1},
		"no price":    {QuoteUSD: 1000},
		"minus price": {PriceUSD: -1, QuoteUSD: 1000},
	} {
		if value := position.Recoverable(500, none); value != 0 {
			t.Errorf("%s: %v", name, value)
		}
	}
	if value := position.Recoverable(0, mark); value != 0 {
		t.Errorf("nothing is worth %v", value)
	}
	if value := position.Recoverable(5, position.Mark{PriceUSD: 2, QuoteUSD: math.NaN()}); !math.IsNaN(value) {
		t.Errorf("unknown depth: %v", value)
	}
}
