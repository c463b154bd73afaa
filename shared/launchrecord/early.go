package launchrecord

import (
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

// buyer is one of the first accounts that bought.
type buyer struct {
	account    chain.Address
	firstBlock uint64
	earlyUSD   float64
	// bought and sold are the last blocks in which it did; sandwiched is true when they were ever the same.
	bought, sold uint64
	sandwiched   bool
	// held is its balance from trades a largeAfter past the first trade.
	held     float64
	supplied bool
}

// early lists the early buyers and counts who else was among the first accounts that bought.
func (l *record) early() ([]chain.Address, Exclusions) {
	first, until := l.first()
	l.follow(first, until)
	providers := make(map[chain.Address]bool)
	for i := range l.changes {
		if provides(&l.changes[i]) {
			providers[l.changes[i].Provider] = true
		}
	}
	launchBlock := l.launchBlock()
	var early []chain.Address
	var out Exclusions
	for _, b := range first {
		switch {
		case b.account == l.history.MintedTo:
			out.Deployer++
		case providers[b.account]:
			out.Provider++
		case b.supplied:
			out.Supplied++
		case b.firstBlock < launchBlock+launchBlocks:
			out.LaunchBlock++
		case b.sandwiched:
			out.SameBlock++
		case l.history.Supply > 0 && b.held > largeShare*l.history.Supply:
			out.Large++
		case b.earlyUSD < leastEarlyUSD:
			out.Small++
		default:
			early = append(early, b.account)
		}
	}
	return early, out
}

// first lists the first accounts that bought, with what they bought early, and tells when being early ended: at the first trade after
// the reference at twice its price, or with the window.
func (l *record) first() ([]*buyer, time.Time) {
	bound := earlyMultiple * l.trades[referenceTrade-1].price
	var first []*buyer
	known := make(map[chain.Address]*buyer)
	for i, t := range l.trades {
		if i >= referenceTrade && t.price >= bound {
			return first, t.Time
		}
		if !t.Buy || t.Trader.IsZero() {
			continue
		}
		b := known[t.Trader]
		if b == nil {
			if len(first) == firstBuyers {
				continue
			}
			b = &buyer{account: t.Trader, firstBlock: t.Block}
			known[t.Trader] = b
			first = append(first, b)
		}
		if t.price < bound {
			b.earlyUSD += t.valueUSD
		}
	}
	return first, l.trades[len(l.trades)-1].Time
}

// follow notes what the first buyers did and got besides, tokens from elsewhere up to a time.
func (l *record) follow(first []*buyer, until time.Time) {
	known := make(map[chain.Address]*buyer, len(first))
	for _, b := range first {
		known[b.account] = b
	}
	opened := l.all[0].Time.Add(largeAfter)
	for i := range l.all {
		s := &l.all[i]
		b := known[s.Trader]
		if b == nil {
			continue
		}
		amount := s.Tokens
		if s.Buy {
			b.bought = s.Block
		} else {
			b.sold, amount = s.Block, -amount
		}
		b.sandwiched = b.sandwiched || b.bought == b.sold
		if !s.Time.After(opened) {
			b.held += amount
		}
	}
	for i := range l.history.Moves {
		m := &l.history.Moves[i]
		if m.Time.After(until) {
			break
		}
		if b := known[m.To]; b != nil && !(m.Share < leastSuppliedShare) {
			b.supplied = true
		}
	}
}

// launchBlock is the block of the first deposit; where none is known, that of the pool's making.
func (l *record) launchBlock() uint64 {
	for i := range l.changes {
		if provides(&l.changes[i]) {
			return l.changes[i].Block
		}
	}
	return l.launch.Block
}
