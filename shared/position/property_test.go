package position_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/position"
)

// drawHistory makes a history of some tokens whose sizes stay clear of the thresholds that are in dollars.
func drawHistory(t *rapid.T, withTransfers bool) *history {
	h := &history{}
	tokens := []chain.Address{tokenA, tokenB, tokenC}[:rapid.IntRange(1, 3).Draw(t, "tokens")]
	on := 0.0
	held := map[chain.Address]float64{}
	for range rapid.IntRange(1, 40).Draw(t, "events") {
		on += rapid.SampledFrom([]float64{0, 0.01, 1, 5, 40}).Draw(t, "pause")
		token := rapid.SampledFrom(tokens).Draw(t, "token")
		price := rapid.Float64Range(1000, 10_000).Draw(t, "price")
		quantity := rapid.Float64Range(100, 1000).Draw(t, "quantity")
		part := rapid.SampledFrom([]float64{0.1, 0.5, 0.97, 1, 1.02, 1.5}).Draw(t, "part")
		kind := rapid.IntRange(0, 9).Draw(t, "kind")
		switch {
		case kind < 4 || held[token] == 0 && kind < 8:
			buy := h.buy(on, token, quantity, price)
			buy.GasUSD = rapid.Float64Range(0, 3).Draw(t, "gas")
			buy.Priced = rapid.IntRange(0, 9).Draw(t, "priced") > 0
			held[token] += quantity
		case kind < 8:
			sell := h.sell(on, token, held[token]*part, price)
			sell.GasUSD = rapid.Float64Range(0, 0.5).Draw(t, "gas")
			sell.Priced = rapid.IntRange(0, 9).Draw(t, "priced") > 0
			held[token] = max(0, held[token]*(1-part))
		case withTransfers:
			in := rapid.Bool().Draw(t, "in")
			origin := rapid.SampledFrom([]position.Origin{
				position.Airdrop, position.TransferKnown, position.TransferUnknown, position.ExchangeTransfer,
			}).Draw(t, "origin")
			h.transfer(on, token, in, origin, quantity)
			if in {
				held[token] += quantity
			} else {
				held[token] = max(0, held[token]-quantity)
			}
		}
	}
	return h
}

func drawMarks(t *rapid.T) map[chain.Address]position.Mark {
	marks := map[chain.Address]position.Mark{}
	for _, token := range []chain.Address{tokenA, tokenB} {
		if !rapid.Bool().Draw(t, "marked") {
			continue
		}
		mark := position.Mark{
			PriceUSD:   rapid.SampledFrom([]float64{math.NaN(), 0.01, 1, 20}).Draw(t, "mark"),
			QuoteUSD:   rapid.SampledFrom([]float64{0, 10, 1e6}).Draw(t, "depth"),
			SellTax:    rapid.SampledFrom([]float64{math.NaN(), 0, 0.2}).Draw(t, "tax"),
			Unsellable: rapid.IntRange(0, 4).Draw(t, "unsellable") == 0,
		}
		for on := 0.0; on < 600; on += 30 {
			mark.Past = append(mark.Past, market.PricePoint{Time: dayTime(on), USD: rapid.SampledFrom([]float64{0.01, 5}).Draw(t, "past")})
		}
		marks[token] = mark
	}
	return marks
}

const farFuture = 10_000

// describe writes positions down to the last bit, NaN included.
func describe(book *position.Book) string {
	return fmt.Sprintf("%v %v %v %v %v %v", book.Positions, book.DustSkipped, book.UnmatchedSells, book.UnpricedTrades, book.AirdropUSD, book.MatchedShare)
}

// Nothing later than asOf is in the book: a book of the whole history is that of the history cut at asOf.
func TestTruncationInvariance(t *testing.T) {
	for round := range 10 {
		t.Run(fmt.Sprint(round), rapid.MakeCheck(func(t *rapid.T) {
			h := drawHistory(t, true)
			marks := drawMarks(t)
			asOf := dayTime(rapid.Float64Range(-1, 600).Draw(t, "asOf"))
			cut := h.ledger
			cut.Trades = slices.DeleteFunc(slices.Clone(cut.Trades), func(t position.Trade) bool { return t.Time.After(asOf) })
			cut.Transfers = slices.DeleteFunc(slices.Clone(cut.Transfers), func(t position.Transfer) bool { return t.Time.After(asOf) })
			whole, past := position.Build(&h.ledger, marks, asOf), position.Build(&cut, marks, asOf)
			if describe(whole) != describe(past) {
				t.Fatalf("with the future\n%s\nwithout\n%s", describe(whole), describe(past))
			}
			if len(whole.Ledger.Trades) != len(cut.Trades) || len(whole.Ledger.Transfers) != len(cut.Transfers) {
				t.Fatal("the book's ledger reaches beyond asOf")
			}
			for _, p := range whole.Positions {
				if p.ClosedAt.After(asOf) || p.OpenedAt.After(asOf) {
					t.Fatalf("closed at %v, opened at %v, after %v", p.ClosedAt, p.OpenedAt, asOf)
				}
			}
			if !slices.Equal(position.Settle(&h.ledger, asOf).Open(), position.Settle(&cut, asOf).Open()) {
				t.Fatal("open tokens differ")
			}
		}))
	}
}

// What came in is what went out and what is left, in every position; and what is left of a token is what a plain count says.
func TestQuantityIsConserved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t, false)
		held := map[chain.Address]float64{}
		for _, trade := range h.ledger.Trades {
			if trade.Side == position.Buy {
				held[trade.Token] += trade.Quantity
			} else {
				held[trade.Token] = max(0, held[trade.Token]-trade.Quantity)
			}
		}
		book := h.at(farFuture, nil)
		left := map[chain.Address]float64{}
		for _, p := range book.Positions {
			left[p.Token] = p.RemainingQuantity
			if sum := p.ClosedShare*p.AcquiredQuantity + p.RemainingQuantity; p.ClosedShare < 1 && math.Abs(sum-p.AcquiredQuantity) > 1e-9*p.AcquiredQuantity {
				t.Fatalf("acquired %v, sold and left %v: %+v", p.AcquiredQuantity, sum, p)
			}
		}
		for token, want := range held {
			if math.Abs(left[token]-want) > 1e-6 {
				t.Fatalf("%v of %v left, want %v", left[token], token, want)
			}
		}
	})
}

// fill is one side of a flat-to-flat history, for the reference accounts below.
type fill struct{ quantity, value float64 }

// profit is what an account that sells lots in the order pick chooses makes in all: the sum over sales of proceeds less the
// cost of what was sold.
func profit(trades []position.Trade, pick func(lots []fill) int) float64 {
	var lots []fill
	total := 0.0
	for _, trade := range trades {
		if trade.Side == position.Buy {
			lots = append(lots, fill{trade.Quantity, trade.ValueUSD + trade.GasUSD})
			continue
		}
		total += trade.ValueUSD - trade.GasUSD
		for left := trade.Quantity; left > 1e-9 && len(lots) > 0; {
			at := pick(lots)
			used := min(left, lots[at].quantity)
			cost := lots[at].value * used / lots[at].quantity
			total -= cost
			left -= used
			lots[at].quantity -= used
			lots[at].value -= cost
			if lots[at].quantity <= 1e-9 {
				lots = slices.Delete(lots, at, at+1)
			}
		}
	}
	return total
}

func averageProfit(trades []position.Trade) float64 {
	var quantity, cost, total float64
	for _, trade := range trades {
		if trade.Side == position.Buy {
			quantity += trade.Quantity
			cost += trade.ValueUSD + trade.GasUSD
			continue
		}
		used := cost * trade.Quantity / quantity
		total += trade.ValueUSD - trade.GasUSD - used
		quantity -= trade.Quantity
		cost -= used
	}
	return total
}

// Sold to the last token, first-in first-out, last-in first-out and average cost come to the same, and to what Build says.
func TestLotMethodsAgreeOnClosedPositions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h history
		held := 0.0
		for i := range rapid.IntRange(1, 20).Draw(t, "trades") {
			price := rapid.Float64Range(1, 10).Draw(t, "price")
			if held == 0 || rapid.Bool().Draw(t, "buys") {
				quantity := rapid.Float64Range(100, 1000).Draw(t, "quantity")
				h.buy(float64(i), tokenA, quantity, price).GasUSD = rapid.Float64Range(0, 3).Draw(t, "gas")
				held += quantity
				continue
			}
			part := held * rapid.Float64Range(0.1, 0.9).Draw(t, "part")
			h.sell(float64(i), tokenA, part, price).GasUSD = rapid.Float64Range(0, 3).Draw(t, "gas")
			held -= part
		}
		h.sell(30, tokenA, held, 3)
		first := profit(h.ledger.Trades, func([]fill) int { return 0 })
		last := profit(h.ledger.Trades, func(lots []fill) int { return len(lots) - 1 })
		average := averageProfit(h.ledger.Trades)
		built := 0.0
		for _, p := range h.at(40, nil).Positions {
			built += p.PnLUSD
		}
		for _, other := range []float64{last, average, built} {
			if math.Abs(other-first) > 1e-6 {
				t.Fatalf("FIFO %v LIFO %v average %v built %v", first, last, average, built)
			}
		}
	})
}

func TestScalingDollarsLeavesROI(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t, true)
		by := rapid.Float64Range(1, 1000).Draw(t, "by")
		before := h.at(farFuture, nil)
		var scaled history
		scaled.ledger.Transfers = h.ledger.Transfers
		for _, trade := range h.ledger.Trades {
			trade.ValueUSD *= by
			trade.GasUSD *= by
			scaled.ledger.Trades = append(scaled.ledger.Trades, trade)
		}
		after := scaled.at(farFuture, nil)
		// What is too small for a dollar threshold before may not be afterwards.
		if before.DustSkipped == 0 {
			sameResults(t, before, after, by)
		}
	})
}

type failer interface {
	Fatalf(format string, arguments ...any)
}

func sameResults(t failer, before, after *position.Book, by float64) {
	if len(before.Positions) != len(after.Positions) {
		t.Fatalf("%d positions, then %d", len(before.Positions), len(after.Positions))
	}
	differs := func(a, b, size float64) bool {
		return math.IsNaN(a) != math.IsNaN(b) || math.Abs(a-b) > 1e-9*max(1, math.Abs(size))
	}
	for i := range before.Positions {
		a, b := before.Positions[i], after.Positions[i]
		if differs(a.ROI, b.ROI, 1+a.ROI) || differs(a.PnLUSD*by, b.PnLUSD, (a.CostUSD+a.ProceedsUSD)*by) ||
			differs(a.RemainingQuantity, b.RemainingQuantity, a.AcquiredQuantity) ||
			a.Status != b.Status || a.Rateable != b.Rateable || !a.ClosedAt.Equal(b.ClosedAt) || (a.Holding-b.Holding).Abs() > time.Microsecond {
			t.Fatalf("before %+v\nafter %+v", a, b)
		}
	}
}

func TestSplittingABuyChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t, true)
		at := rapid.IntRange(0, max(0, len(h.ledger.Trades)-1)).Draw(t, "at")
		if len(h.ledger.Trades) == 0 || h.ledger.Trades[at].Side != position.Buy {
			t.Skip("no buy there")
		}
		half := h.ledger.Trades[at]
		half.Quantity /= 2
		half.ValueUSD /= 2
		half.GasUSD /= 2
		split := h.ledger
		split.Trades = slices.Concat(h.ledger.Trades[:at], []position.Trade{half, half}, h.ledger.Trades[at+1:])
		sameResults(t, h.at(farFuture, nil), position.Build(&split, nil, dayTime(farFuture)), 1)
	})
}

func TestUnrelatedTokenChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t, true)
		marks := drawMarks(t)
		other := drawHistory(t, true)
		before := h.at(farFuture, marks)
		mixed := h.ledger
		mixed.Trades, mixed.Transfers = slices.Clone(mixed.Trades), slices.Clone(mixed.Transfers)
		for _, trade := range other.ledger.Trades {
			trade.Token = scam
			mixed.Trades = append(mixed.Trades, trade)
		}
		for _, transfer := range other.ledger.Transfers {
			transfer.Token = scam
			mixed.Transfers = append(mixed.Transfers, transfer)
		}
		after := position.Build(&mixed, marks, dayTime(farFuture))
		after.Positions = slices.DeleteFunc(after.Positions, func(p position.Position) bool { return p.Token == scam })
		if fmt.Sprint(before.Positions) != fmt.Sprint(after.Positions) {
			t.Fatalf("before %+v\nafter %+v", before.Positions, after.Positions)
		}
	})
}

func TestGasOnlyLowersROI(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t, true)
		before := h.at(farFuture, nil)
		at := rapid.IntRange(0, max(0, len(h.ledger.Trades)-1)).Draw(t, "at")
		if len(h.ledger.Trades) == 0 {
			t.Skip("no trades")
		}
		dearer := h.ledger
		dearer.Trades = slices.Clone(dearer.Trades)
		dearer.Trades[at].GasUSD += rapid.Float64Range(0, 1).Draw(t, "gas")
		after := position.Build(&dearer, nil, dayTime(farFuture))
		if len(before.Positions) != len(after.Positions) {
			t.Fatalf("%d positions, then %d", len(before.Positions), len(after.Positions))
		}
		for i := range after.Positions {
			a, b := before.Positions[i], after.Positions[i]
			if a.MatchedProceedsUSD > 0 && b.ROI > a.ROI+1e-12 {
				t.Fatalf("ROI rose from %v to %v", a.ROI, b.ROI)
			}
		}
	})
}

// drawActivity makes transactions of every kind the rules know, at rising times.
func drawActivity(t *rapid.T) *market.Activity {
	var transactions []market.Transaction
	at := start
	for block := range rapid.IntRange(1, 25).Draw(t, "transactions") {
		tx := rapid.SampledFrom(rules).Draw(t, "rule").transactions[0]
		tx.Movements = slices.Clone(tx.Movements)
		if rapid.IntRange(0, 5).Draw(t, "odd") == 0 {
			tx.Movements = append(tx.Movements, rapid.SampledFrom(rules).Draw(t, "more").transactions[0].Movements...)
		}
		at = at.Add(time.Duration(rapid.IntRange(1, 900_000).Draw(t, "seconds")) * time.Second)
		tx.Time, tx.Block, tx.Hash = at, uint64(100+block), market.Hash{byte(block)}
		transactions = append(transactions, tx)
	}
	return activityOf(transactions...)
}

func TestOrderWithinATransactionChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		activity := drawActivity(t)
		before := position.Read(ethereum, wallet, activity).Ledger(standardPrices())
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		for i := range activity.Transactions {
			movements := activity.Transactions[i].Movements
			random.Shuffle(len(movements), func(a, b int) { movements[a], movements[b] = movements[b], movements[a] })
		}
		after := position.Read(ethereum, wallet, activity).Ledger(standardPrices())
		if fmt.Sprintf("%+v", before) != fmt.Sprintf("%+v", after) {
			t.Fatalf("before\n%safter\n%s", lines(before), lines(after))
		}
	})
}

// The past as read from the whole history is the past as it was read then.
func TestReconstructionHasNoFuture(t *testing.T) {
	for round := range 10 {
		t.Run(fmt.Sprint(round), rapid.MakeCheck(func(t *rapid.T) {
			activity := drawActivity(t)
			length := rapid.IntRange(0, len(activity.Transactions)-1).Draw(t, "length")
			asOf := activity.Transactions[length].Time
			whole := position.Read(ethereum, wallet, activity).Ledger(standardPrices())
			cut := *activity
			cut.Transactions = cut.Transactions[:length+1]
			past := position.Read(ethereum, wallet, &cut).Ledger(standardPrices())
			a, b := position.Build(whole, nil, asOf), position.Build(past, nil, asOf)
			if describe(a) != describe(b) {
				t.Fatalf("with the future\n%s\nwithout\n%s", describe(a), describe(b))
			}
		}))
	}
}

func TestDeterminism(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		activity := drawActivity(t)
		marks := drawMarks(t)
		first := ""
		for range 5 {
			book := position.Build(position.Read(ethereum, wallet, activity).Ledger(standardPrices()), marks, start.Add(farFuture*day))
			if text := describe(book); first == "" {
				first = text
			} else if text != first {
				t.Fatalf("first\n%s\nthen\n%s", first, text)
			}
		}
	})
}

// Accounts are valued anew each time: no valuation leaves anything behind in the next.
func TestAccountsAreValuedAnyNumberOfTimes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t, true)
		asOf := dayTime(rapid.Float64Range(-1, 600).Draw(t, "asOf"))
		accounts := position.Settle(&h.ledger, asOf)
		open := accounts.Open()
		for range 3 {
			marks := drawMarks(t)
			if got, want := accounts.Book(marks), position.Build(&h.ledger, marks, asOf); describe(got) != describe(want) {
				t.Fatalf("valued again\n%s\nvalued first\n%s", describe(got), describe(want))
			}
		}
		if again := accounts.Open(); !slices.Equal(again, open) {
			t.Fatalf("open were %v, now %v", open, again)
		}
	})
}
