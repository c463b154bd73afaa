package position_test

import (
	"encoding/binary"
	"math"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/position"
)

// tape deals out fuzzed bytes, zeros at the end.
type tape struct{ data []byte }

func (t *tape) next() byte {
	if len(t.data) == 0 {
		return 0
	}
	b := t.data[0]
	t.data = t.data[1:]
	return b
}

func (t *tape) float() float64 {
	odd := []float64{0, 1, -1, 1e-300, 1e300, 1e15, 2e15, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, 5e-324, 1e-18, 3}
	if b := t.next(); int(b) < len(odd) {
		return odd[b]
	}
	var bits [8]byte
	for i := range bits {
		bits[i] = t.next()
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(bits[:]))
}

func (t *tape) address() chain.Address {
	all := []chain.Address{
		chain.Native, weth, usdc, stETH, wallet, stranger, router, pool, lender, exchange, distributor, tokenA, tokenB, raw, scam, lpToken,
	}
	return all[int(t.next())%len(all)]
}

func (t *tape) amount() market.Amount {
	var raw [32]byte
	for i := int(t.next()) % 33; i > 0; i-- {
		raw[32-i] = t.next()
	}
	var amount market.Amount
	amount.SetBytes(raw[:])
	return amount
}

// At and Liquidity make a tape Prices of anything.
func (t *tape) At(chain.Address, time.Time) (float64, bool) { return t.float(), t.next()%4 != 0 }
func (t *tape) Liquidity(chain.Address) float64             { return t.float() }

func (t *tape) activity() *market.Activity {
	activity := activityOf()
	for address, token := range activity.Tokens {
		if address == tokenB {
			token.Decimals = int(int8(t.next()))
			activity.Tokens[address] = token
		}
	}
	at := start.Unix()
	for i := 0; len(t.data) > 0 && i < 100; i++ {
		shape := t.next()
		at += int64(int8(t.next())) * 40_000
		tx := market.Transaction{
			Block: uint64(i / 2), Index: int(int8(t.next())), Time: time.Unix(at, 0).UTC(), Sender: wallet,
			Target: t.address(), Failed: shape%16 == 1, GasFee: t.amount(),
		}
		if shape&32 != 0 {
			tx.Sender = stranger
		}
		for range shape % 5 {
			movement := market.Movement{Token: t.address(), Counterparty: t.address(), Amount: t.amount(), In: t.next()%2 == 0}
			movement.Minted = movement.In && movement.Counterparty.IsZero()
			movement.Burned = !movement.In && movement.Counterparty.IsZero()
			tx.Movements = append(tx.Movements, movement)
		}
		activity.Transactions = append(activity.Transactions, tx)
	}
	return activity
}

func (t *tape) marks() map[chain.Address]position.Mark {
	marks := map[chain.Address]position.Mark{}
	for range t.next() % 4 {
		mark := position.Mark{PriceUSD: t.float(), QuoteUSD: t.float(), SellTax: t.float(), Unsellable: t.next()%8 == 0}
		for range t.next() % 4 {
			mark.Past = append(mark.Past, market.PricePoint{Time: start.Add(time.Duration(int8(t.next())) * day), USD: t.float()})
		}
		marks[t.address()] = mark
	}
	return marks
}

func (t *tape) ledger() *position.Ledger {
	ledger := &position.Ledger{}
	for i := 0; len(t.data) > 0 && i < 200; i++ {
		shape := t.next()
		at := start.Add(time.Duration(int8(t.next())) * 20 * time.Hour)
		if shape%3 == 0 {
			ledger.Transfers = append(ledger.Transfers, position.Transfer{
				Time: at, Order: uint64(i), Token: t.address(), Quantity: t.float(), In: shape&8 != 0, Origin: position.Origin(shape >> 4 % 5),
			})
			continue
		}
		ledger.Trades = append(ledger.Trades, position.Trade{
			Time: at, Order: uint64(i), Token: t.address(), Side: position.Side(shape >> 3 % 2), Quantity: t.float(), ValueUSD: t.float(),
			GasUSD: t.float(), Priced: shape&64 == 0, SameBlock: shape&128 != 0,
		})
	}
	return ledger
}

func finite(t *testing.T, what string, value float64) {
	t.Helper()
	if math.IsNaN(value) || math.IsInf(value, 0) {
		t.Fatalf("%s is %v", what, value)
	}
}

func finiteOrNaN(t *testing.T, what string, value float64) {
	t.Helper()
	if math.IsInf(value, 0) {
		t.Fatalf("%s is %v", what, value)
	}
}

func checkBook(t *testing.T, book *position.Book) {
	t.Helper()
	finite(t, "airdrops", book.AirdropUSD)
	share(t, "matched share of the book", book.MatchedShare)
	for i := range book.Positions {
		p := &book.Positions[i]
		for what, value := range map[string]float64{
			"acquired": p.AcquiredQuantity, "remaining": p.RemainingQuantity, "cost": p.CostUSD, "matched cost": p.MatchedCostUSD,
			"matched proceeds": p.MatchedProceedsUSD, "proceeds": p.ProceedsUSD, "PnL": p.PnLUSD, "airdrop": p.AirdropUSD,
			"largest buy": p.MaximumBuyUSD,
		} {
			finite(t, what, value)
		}
		finiteOrNaN(t, "ROI", p.ROI)
		finiteOrNaN(t, "recoverable", p.RecoverableUSD)
		finiteOrNaN(t, "entry price", p.EntryPriceUSD)
		share(t, "matched share", p.MatchedShare)
		share(t, "closed share", p.ClosedShare)
		if p.RemainingQuantity < 0 || p.CostUSD < 0 || p.MatchedCostUSD < 0 || p.Holding < 0 {
			t.Fatalf("negative: %+v", p)
		}
		if p.Rateable && (math.IsNaN(p.ROI) || p.Status != position.Closed || p.ClosedAt.IsZero()) {
			t.Fatalf("rateable: %+v", p)
		}
		if math.IsNaN(p.ROI) != (p.MatchedCostUSD == 0) {
			t.Fatalf("ROI %v of cost %v", p.ROI, p.MatchedCostUSD)
		}
		if i > 0 && p.OpenedAt.Before(book.Positions[i-1].OpenedAt) {
			t.Fatal("positions are out of order")
		}
	}
}

func share(t *testing.T, what string, value float64) {
	t.Helper()
	if !(value >= 0 && value <= 1) {
		t.Fatalf("%s is %v", what, value)
	}
}

func FuzzReconstruct(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{2, 9, 1, 6, 1, 5, 0, 6, 8, 13, 224, 182, 179, 167, 100, 0, 0, 1, 11, 7, 9, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0})
	f.Add([]byte{34, 1, 2, 3, 4, 11, 5, 32, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 0, 2, 6, 1, 9, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		from := &tape{data: data}
		activity := from.activity()
		prices := &tape{data: append([]byte{14, 3, 200, 1, 2}, data...)}
		ledger := position.Read(ethereum, wallet, activity).Ledger(prices)
		finite(t, "wasted gas", ledger.WastedGasUSD)
		for i := range ledger.Trades {
			trade := &ledger.Trades[i]
			finite(t, "quantity", trade.Quantity)
			finite(t, "value", trade.ValueUSD)
			finite(t, "gas", trade.GasUSD)
			if trade.Quantity <= 0 || trade.ValueUSD < 0 || trade.GasUSD < 0 {
				t.Fatalf("%+v", trade)
			}
		}
		for i := range ledger.Transfers {
			finite(t, "quantity", ledger.Transfers[i].Quantity)
			finite(t, "value", ledger.Transfers[i].ValueUSD)
		}
		position.Read(ethereum, wallet, activity).Wanted()
		checkBook(t, position.Build(ledger, (&tape{data: data}).marks(), start.Add(300*day)))
	})
}

func FuzzBuild(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, int16(100))
	f.Add([]byte{1, 0, 11, 13, 13, 0, 9, 1, 11, 1, 5, 0}, int16(60))
	f.Add([]byte{2, 1, 11, 1, 4, 0, 2, 2, 11, 1, 4, 0, 10, 3, 11, 4, 8, 1}, int16(2000))
	f.Fuzz(func(t *testing.T, data []byte, days int16) {
		ledger := (&tape{data: data}).ledger()
		asOf := start.Add(time.Duration(days) * day)
		checkBook(t, position.Build(ledger, (&tape{data: data}).marks(), asOf))
		position.Settle(ledger, asOf).Open()
	})
}
