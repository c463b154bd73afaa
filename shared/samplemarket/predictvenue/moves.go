package predictvenue

// action is something that a wallet is going to do.
type action struct {
	at       int32
	number   int32 // among those of the event
	event    *event
	market   *market
	kind     entryKind
	wallet   int16
	maker    int16
	outcome  uint8
	sell     bool
	direct   bool // shares change hands: a sale unmakes none
	pairs    bool // the maker buys the other outcome, whatever it could sell: a purchase makes a pair of shares
	losers   bool // worthless shares are redeemed too
	price    int32
	truth    float32 // the probability of the outcome that the best informed of the two knows
	size     int64   // of a sale 0 for all
	excluded uint32  // of a conversion: the markets, as bits, whose second outcomes are given away
}

// do carries out an action as far as the wallet's shares allow.
func (v *Venue) do(a *action) {
	w := v.wallets[a.wallet]
	switch a.kind {
	case traded:
		v.trade(a)
	case split:
		v.spend(w, a.at, a.size)
		for outcome := range uint8(2) {
			w.holding(token{a.market, outcome}).add(a.at, a.size, a.size/2)
		}
		a.event.collateral += a.size
		v.move(w, a, a.market, a.size, a.size)
	case merged:
		size := min(w.shares(a.market, 0), w.shares(a.market, 1))
		if size == 0 {
			return
		}
		w.holding(token{a.market, 0}).remove(a.at, size, size/2)
		w.holding(token{a.market, 1}).remove(a.at, size, size-size/2)
		w.cash += size
		a.event.collateral -= size
		v.move(w, a, a.market, size, size)
	case redeemed:
		for _, m := range a.event.markets {
			v.redeem(w, a, m)
		}
	case converted:
		v.convert(w, a)
	case rebated:
		if due := min(w.rebate, v.fees); due >= micro/100 {
			w.rebate, w.cash, v.fees = 0, w.cash+due, v.fees-due
			v.orders++
			v.record(entry{at: a.at, market: -1, order: v.orders, wallet: w.id, kind: rebated, size: due, cash: due})
		}
	}
}

// move writes down what a wallet did with the venue.
func (v *Venue) move(w *wallet, a *action, m *market, size, cash int64) {
	v.orders++
	v.record(entry{at: a.at, market: m.index, order: v.orders, wallet: w.id, kind: a.kind, size: size, cash: cash})
}

// worth is what shares of a closed market are paid out at, in millionths of a dollar.
func (m *market) worth(outcome uint8, shares int64) int64 {
	payout := int64(m.price(outcome, m.event.closed) * micro)
	return shares/micro*payout + shares%micro*payout/micro
}

func (v *Venue) redeem(w *wallet, a *action, m *market) {
	paid, held := int64(0), int64(0)
	for outcome := range uint8(2) {
		shares := w.shares(m, outcome)
		held += shares
		paid += m.worth(outcome, shares)
	}
	if held == 0 || paid == 0 && !a.losers {
		return
	}
	for outcome := range uint8(2) {
		if shares := w.shares(m, outcome); shares > 0 {
			w.holding(token{m, outcome}).remove(a.at, shares, m.worth(outcome, shares))
		}
	}
	w.cash += paid
	m.event.collateral -= paid
	v.move(w, a, m, paid, paid)
}

// convert gives away a number of "No" shares of m of an exclusive event's markets for "Yes" shares of the others and m-1 dollars each:
// at most one of the m can lose. The ledger has a line for each market given away.
func (v *Venue) convert(w *wallet, a *action) {
	count, size := int64(0), int64(1)<<62
	for i, m := range a.event.markets {
		if a.excluded&(1<<i) != 0 {
			count++
			size = min(size, w.shares(m, 1))
		}
	}
	if size <= 0 || count < 2 || count == int64(len(a.event.markets)) {
		return
	}
	v.orders++
	cost, cash := int64(0), size*(count-1)
	rest := cash
	for i, m := range a.event.markets {
		if a.excluded&(1<<i) == 0 {
			continue
		}
		part := cash / count
		if rest < 2*part {
			part = rest
		}
		rest -= part
		h := w.holding(token{m, 1})
		gone := h.remove(a.at, size, 0)
		h.realized += gone // what it cost moves on to what came for it
		cost += gone
		v.record(entry{at: a.at, market: m.index, order: v.orders, wallet: w.id, kind: converted, size: size, cash: part})
	}
	w.cash += cash
	a.event.collateral -= cash
	others := int64(len(a.event.markets)) - count
	left := max(cost-cash, 0)
	gain := cash - (cost - left)
	for i, m := range a.event.markets {
		if a.excluded&(1<<i) == 0 {
			w.holding(token{m, 0}).add(a.at, size, left/others)
			continue
		}
		w.holding(token{m, 1}).realized += gain / count
	}
}
