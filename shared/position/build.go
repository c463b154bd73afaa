package position

import (
	"bytes"
	"math"
	"slices"
	"sort"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

// Figures beyond these bounds are no trade's: a provider or a hostile token made them up. They keep all sums finite.
const (
	maximumUSD      = 1e15
	minimumQuantity = 1e-36
	maximumQuantity = 1e80
)

// Build makes positions of everything in the ledger up to asOf, and values what is left by the marks. It depends on nothing
// later than asOf, so that a book can be made of any instant of the past, and the book's own ledger ends there (but for its
// counts of transactions, which carry no times). Tokens without a mark stay open without a value.
//
// Sells consume lots first-in first-out. The realised part of a position that is still open is accounted by average cost;
// once a position is sold to the last token, both methods come to the same.
//
// A position that is sold out (95 %) ignores the rest and leaves it, at its cost, to the next one. A position that is
// abandoned or dead counts the rest as sold for what is still recoverable, so that unsold losers cost what they cost.
func Build(ledger *Ledger, marks map[chain.Address]Mark, asOf time.Time) *Book {
	return Settle(ledger, asOf).Book(marks)
}

// Accounts are the positions of a ledger up to an instant, before anybody has valued what is left of them. They can be valued any
// number of times.
type Accounts struct{ engine *engine }

// Settle books everything in the ledger up to asOf.
func Settle(ledger *Ledger, asOf time.Time) *Accounts { return &Accounts{run(ledger, asOf)} }

// Book values what is left by the marks: it is what Build makes of the same ledger.
func (a *Accounts) Book(marks map[chain.Address]Mark) *Book {
	e := *a.engine
	e.positions, e.dust = slices.Clone(e.positions), slices.Clone(e.dust)
	for i := range e.holdings {
		h := e.holdings[i]
		if h.index < 0 {
			continue
		}
		if !h.ended && len(marks) > 0 {
			if mark, marked := marks[h.token]; marked {
				e.mark(&h, &mark, e.book.AsOf)
			}
		}
		e.seal(&h)
	}
	book := e.book
	book.Positions = e.worthJudging(&book)
	book.MatchedShare = 1
	if e.gross > 0 {
		book.MatchedShare = min(1, e.grossMatched/e.gross)
	}
	return &book
}

// Open lists the tokens of positions that are still open, in the order of their addresses: those that Book wants marks for. Positions
// too small to count are left out.
func (a *Accounts) Open() []chain.Address {
	e := a.engine
	var tokens []chain.Address
	for i := range e.holdings {
		h := &e.holdings[i]
		if h.index >= 0 && !h.ended && !h.isDust(&e.positions[h.index]) {
			tokens = append(tokens, h.token)
		}
	}
	slices.SortFunc(tokens, chain.Address.Compare)
	return tokens
}

// engine is one pass over a ledger.
type engine struct {
	book      Book
	positions []Position
	// dust marks the positions that do not count.
	dust     []bool
	holdings []holding
	byToken  map[chain.Address]int
	// recent remembers places in holdings by a part of the address.
	recent [remembered]int
	lots   lotStore
	// averaged is what the quantity last taken by average had cost.
	averaged float64
	// gross and grossMatched are proceeds before gas, of all sells.
	gross, grossMatched float64
}

func run(ledger *Ledger, asOf time.Time) *engine {
	ledger = upTo(ledger, asOf)
	trades, transfers := ledger.Trades, ledger.Transfers
	tokens := min(len(ledger.Tokens), len(trades)+len(transfers))
	e := &engine{
		book:      Book{Ledger: ledger, AsOf: asOf},
		positions: make([]Position, 0, len(trades)/2+1),
		dust:      make([]bool, 0, len(trades)/2+1),
		holdings:  make([]holding, 0, tokens),
		byToken:   make(map[chain.Address]int, tokens),
		lots:      newLotStore(min(len(trades)/2+len(transfers), 4096)),
	}
	for len(trades) > 0 || len(transfers) > 0 {
		if len(trades) == 0 || len(transfers) > 0 && transferFirst(&transfers[0], &trades[0]) {
			if transfer := &transfers[0]; plausible(transfer.Quantity) {
				h := e.holding(&transfer.Token)
				if transfer.In {
					e.receive(h, transfer)
				} else {
					e.send(h, transfer)
				}
			}
			transfers = transfers[1:]
			continue
		}
		if trade := &trades[0]; plausible(trade.Quantity) {
			h := e.holding(&trade.Token)
			if trade.Side == Buy {
				e.buy(h, trade)
			} else {
				e.sell(h, trade)
			}
		}
		trades = trades[1:]
	}
	return e
}

// holding finds a token's state. The pointer is good until the next call.
func (e *engine) holding(token *chain.Address) *holding {
	recent := &e.recent[(token[19]^token[7])%remembered]
	if *recent < len(e.holdings) && same(&e.holdings[*recent].token, token) {
		return &e.holdings[*recent]
	}
	at, found := e.byToken[*token]
	if !found {
		at = len(e.holdings)
		e.byToken[*token] = at
		e.holdings = append(e.holdings, holding{token: *token, held: emptyLots, parked: emptyLots, index: -1})
	}
	*recent = at
	return &e.holdings[at]
}

// worthJudging drops dust, and orders positions of one instant by token.
func (e *engine) worthJudging(book *Book) []Position {
	all, kept := e.positions, 0
	for i := range all {
		if e.dust[i] {
			book.DustSkipped++
			continue
		}
		if kept != i {
			all[kept] = all[i]
		}
		for j := kept; j > 0 && all[j].OpenedAt.Equal(all[j-1].OpenedAt) &&
			bytes.Compare(all[j].Token[:], all[j-1].Token[:]) < 0; j-- {
			all[j], all[j-1] = all[j-1], all[j]
		}
		kept++
	}
	return all[:kept]
}

// upTo cuts a ledger after asOf, sharing its contents. A ledger that is not in chain order is put in order.
func upTo(ledger *Ledger, asOf time.Time) *Ledger {
	cut := Ledger{}
	if ledger != nil {
		cut = *ledger
	}
	if !inOrder(len(cut.Trades), func(i int) int { return compareTrades(&cut.Trades[i], &cut.Trades[i+1]) }) {
		cut.Trades = slices.Clone(cut.Trades)
		slices.SortStableFunc(cut.Trades, func(a, b Trade) int { return compareTrades(&a, &b) })
	}
	if !inOrder(len(cut.Transfers), func(i int) int { return compareTransfers(&cut.Transfers[i], &cut.Transfers[i+1]) }) {
		cut.Transfers = slices.Clone(cut.Transfers)
		slices.SortStableFunc(cut.Transfers, func(a, b Transfer) int { return compareTransfers(&a, &b) })
	}
	cut.Trades = cut.Trades[:sort.Search(len(cut.Trades), func(i int) bool { return cut.Trades[i].Time.After(asOf) })]
	cut.Transfers = cut.Transfers[:sort.Search(len(cut.Transfers), func(i int) bool {
		return cut.Transfers[i].Time.After(asOf)
	})]
	return &cut
}

func inOrder(length int, compare func(i int) int) bool {
	for i := range length - 1 {
		if compare(i) > 0 {
			return false
		}
	}
	return true
}

func compareTrades(a, b *Trade) int {
	return comparePlaces(a.Time, b.Time, a.Block, b.Block, a.Order, b.Order)
}

func compareTransfers(a, b *Transfer) int {
	return comparePlaces(a.Time, b.Time, a.Block, b.Block, a.Order, b.Order)
}

// transferFirst tells whether a transfer comes before a trade; at one place, what comes in does and what goes out does not.
func transferFirst(transfer *Transfer, trade *Trade) bool {
	order := comparePlaces(transfer.Time, trade.Time, transfer.Block, trade.Block, transfer.Order, trade.Order)
	return order < 0 || order == 0 && transfer.In
}

func comparePlaces(timeA, timeB time.Time, blockA, blockB, orderA, orderB uint64) int {
	if order := timeA.Compare(timeB); order != 0 {
		return order
	}
	switch {
	case blockA < blockB, blockA == blockB && orderA < orderB:
		return -1
	case blockA == blockB && orderA == orderB:
		return 0
	}
	return 1
}

func plausible(quantity float64) bool {
	return quantity >= minimumQuantity && quantity <= maximumQuantity
}

// worth is a trade's value and gas in USD, as far as both can be believed.
func worth(trade *Trade) (value, gas float64, priced bool) {
	value, gas = trade.ValueUSD, trade.GasUSD
	if !(gas >= 0 && gas <= maximumUSD) {
		gas = 0
	}
	if !trade.Priced || !(value >= 0 && value <= maximumUSD) || math.IsNaN(value) {
		return 0, 0, false
	}
	return value, gas, true
}
