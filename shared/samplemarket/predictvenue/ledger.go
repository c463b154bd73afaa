package predictvenue

import "math"

// wallet is an account of the venue.
type wallet struct {
	id      int16
	kind    *kind
	number  int // among those of its kind
	key     uint64
	address string
	name    string
	stake   float64 // dollars of an ordinary purchase

	cash     int64 // millionths of a dollar
	deposits int64
	rebate   int64 // due for its resting orders
	entries  []int32
	holdings map[int32]*holding
	order    []*holding // in the order in which they were first had

	// What its purchases were truly worth: the sum of (probability - price) × shares, and of the shares.
	edge, edgeShares float64
}

// holding is what a wallet has of one outcome, or had. Shares and dollars are millionths.
type holding struct {
	token
	shares, bought   int64
	cost, boughtCost int64 // of what is held, and of all that was ever bought
	fees             int64
	realized         int64
	touched          int32
}

func (w *wallet) holding(t token) *holding {
	key := t.key()
	h := w.holdings[key]
	if h == nil {
		h = &holding{token: t}
		w.holdings[key] = h
		w.order = append(w.order, h)
	}
	return h
}

// key is the outcome's place among all outcomes of the venue.
func (t token) key() int32 { return t.market.index*2 + int32(t.outcome) }

func (w *wallet) shares(m *market, outcome uint8) int64 {
	if h := w.holdings[token{m, outcome}.key()]; h != nil {
		return h.shares
	}
	return 0
}

func (h *holding) add(at int32, shares, cost int64) {
	h.shares, h.bought, h.cost, h.boughtCost, h.touched = h.shares+shares, h.bought+shares, h.cost+cost, h.boughtCost+cost, at
}

// remove takes shares out at what they brought and returns what they had cost on average.
func (h *holding) remove(at int32, shares, brought int64) (cost int64) {
	cost = h.cost
	if shares < h.shares {
		cost = int64(math.Round(float64(h.cost) * float64(shares) / float64(h.shares)))
	}
	h.shares, h.cost, h.realized, h.touched = h.shares-shares, h.cost-cost, h.realized+brought-cost, at
	return cost
}

// entryKind is what an entry of the ledger is.
type entryKind uint8

const (
	traded entryKind = iota
	split
	merged
	redeemed
	converted
	rebated
	deposited
)

var entryWords = [...]string{"TRADE", "SPLIT", "MERGE", "REDEEM", "CONVERSION", "MAKER_REBATE", "DEPOSIT"}

// entry is a line of the ledger: a trade of two wallets, or something that one of them did with the venue. A trade's outcome, price and
// direction are the taker's; the maker either passed the same shares on, or was on the other side with the other outcome (a purchase
// of both outcomes makes a pair of shares, a sale of both unmakes one).
type entry struct {
	at      int32
	market  int32 // -1 for none
	order   uint32
	wallet  int16
	maker   int16
	price   int32
	kind    entryKind
	outcome uint8
	sell    bool
	crossed bool // the maker's outcome is the other one
	size    int64
	cash    int64 // what the taker paid or got without fee, or what the wallet paid or got
}

// side is a wallet's own view of a trade.
type side struct {
	outcome uint8
	sell    bool
	taker   bool
	price   int32
	cash    int64 // with the fee
}

// sideOf is how a wallet sees a trade of its own.
func (v *Venue) sideOf(n *entry, wallet int16) side {
	if wallet == n.wallet {
		s := side{outcome: n.outcome, sell: n.sell, taker: true, price: n.price, cash: n.cash}
		if !n.sell {
			s.cash += v.markets[n.market].fee(n.price, n.size)
		}
		return s
	}
	if n.crossed {
		return side{outcome: 1 - n.outcome, sell: n.sell, price: whole - n.price, cash: n.size - n.cash}
	}
	return side{outcome: n.outcome, sell: !n.sell, price: n.price, cash: n.cash}
}

// ledgerPage is how many entries a page of the ledger has: pages are never moved, however long it gets.
const ledgerPage = 2048

// line is an entry of the ledger by its number.
func (v *Venue) line(id int32) *entry { return &v.ledger[id/ledgerPage][id%ledgerPage] }

func (v *Venue) record(n entry) {
	id := v.lines
	if id%ledgerPage == 0 {
		v.ledger = append(v.ledger, make([]entry, 0, ledgerPage))
	}
	page := &v.ledger[id/ledgerPage]
	*page, v.lines = append(*page, n), id+1
	w := v.wallets[n.wallet]
	w.entries = append(w.entries, id)
	if n.kind == traded {
		maker := v.wallets[n.maker]
		maker.entries = append(maker.entries, id)
		v.markets[n.market].trades = append(v.markets[n.market].trades, id)
	}
}

// spend takes dollars from a wallet, which first pays more in when it has too few.
func (v *Venue) spend(w *wallet, at int32, amount int64) {
	if w.cash < amount {
		const round = 1000 * micro
		more := (2*amount + int64(w.stake*20*micro) + round - 1) / round * round
		w.cash, w.deposits = w.cash+more, w.deposits+more
		v.orders++
		v.record(entry{at: at, market: -1, order: v.orders, wallet: w.id, kind: deposited, size: more, cash: more})
	}
	w.cash -= amount
}

// trade carries out an order of the taker against a resting order of the maker.
func (v *Venue) trade(a *action) {
	m, taker, maker := a.market, v.wallets[a.wallet], v.wallets[a.maker]
	size := a.size
	if a.sell {
		held := taker.shares(m, a.outcome)
		if size == 0 || size > held {
			size = held
		}
	}
	if size <= 0 {
		return
	}
	cash := int64(math.Round(float64(size) * float64(a.price) / whole))
	n := entry{
		at: a.at, market: m.index, wallet: taker.id, maker: maker.id, price: a.price, outcome: a.outcome, sell: a.sell, size: size, cash: cash,
	}
	mine, other := token{m, a.outcome}, token{m, 1 - a.outcome}
	switch {
	case !a.sell && !a.pairs && maker.shares(m, a.outcome) >= size:
		v.buy(taker, mine, a, size, cash, true)
		maker.holding(mine).remove(a.at, size, cash)
		maker.cash += cash
	case !a.sell:
		n.crossed = true
		v.buy(taker, mine, a, size, cash, true)
		v.buy(maker, other, a, size, size-cash, false)
		m.event.collateral += size
	case a.direct || maker.shares(m, 1-a.outcome) < size:
		v.buy(maker, mine, a, size, cash, false)
		taker.holding(mine).remove(a.at, size, cash)
		taker.cash += cash
	default:
		n.crossed = true
		taker.holding(mine).remove(a.at, size, cash)
		maker.holding(other).remove(a.at, size, size-cash)
		taker.cash, maker.cash = taker.cash+cash, maker.cash+size-cash
		m.event.collateral -= size
	}
	v.orders++
	n.order = v.orders
	v.record(n)
	m.volume += cash
	if m.last = a.price; a.outcome == 1 {
		m.last = whole - a.price
	}
	if !a.sell && maker.kind.plan != nil {
		maker.rebate += m.fee(a.price, size) / 4
	}
}

func (v *Venue) buy(w *wallet, t token, a *action, size, cash int64, crosses bool) {
	fee, truth := int64(0), float64(a.truth)
	if crosses {
		fee = t.market.fee(a.price, size)
	}
	if t.outcome != a.outcome {
		truth = 1 - truth
	}
	v.spend(w, a.at, cash+fee)
	v.fees += fee
	h := w.holding(t)
	h.add(a.at, size, cash)
	h.fees += fee
	w.edge += truth*float64(size) - float64(cash)
	w.edgeShares += float64(size)
}
