package position

import (
	"math"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// side is the tokens that a transaction moved one way.
type side struct {
	legs []int
	// own are the legs' values by the tokens' own prices, NaN without one.
	own []float64
	// value is the sum of own, NaN when any is missing; depth the liquidity of the shallowest leg in USD.
	value, depth float64
	// share are the values the trades are given in the end.
	share []float64
}

// writeTrades writes a transaction's sells and buys.
func (w *writer) writeTrades(tx *market.Transaction, f flow) {
	paid, quote := w.quoteLegs(tx)
	if f.quotesIn > 0 && f.quotesOut > 0 && (f.tokensOut == 0 && paid <= 0 || f.tokensIn == 0 && paid >= 0) {
		// The quote assets moved the same way as the tokens: nothing was paid for them.
		for i := range w.legs {
			w.writeTransfer(tx, &w.legs[i], transfers)
		}
		return
	}
	first := len(w.ledger.Trades)
	if f.needsTokenPrices() {
		w.writeSides(tx, f, paid, quote)
	} else {
		w.writeSingle(tx, f, paid, quote)
	}
	shareGas(w.ledger.Trades[first:], w.gasUSD(tx))
}

// writeSingle writes the trade of one token against quote assets.
func (w *writer) writeSingle(tx *market.Transaction, f flow, paid float64, quote int) {
	for i := range w.legs {
		l := &w.legs[i]
		switch {
		case l.quote:
		case l.quantity > 0:
			w.writeTrade(tx, l, Buy, paid, w.assets[quote].address, f)
		default:
			w.writeTrade(tx, l, Sell, -paid, w.assets[quote].address, f)
		}
	}
}

// writeSides writes trades of several tokens.
func (w *writer) writeSides(tx *market.Transaction, f flow, paid float64, quote int) {
	given, got := &w.sides[0], &w.sides[1]
	w.fill(given, tx, -1)
	w.fill(got, tx, 1)
	// What came in was paid for with what went out, tokens and quote assets together: got = given + paid.
	gotValue, givenValue := math.NaN(), math.NaN()
	switch {
	case f.tokensOut == 0:
		gotValue = paid
	case f.tokensIn == 0:
		givenValue = -paid
	case given.depth >= minimumLiquidityUSD && (given.depth >= got.depth || !(got.depth >= minimumLiquidityUSD)):
		givenValue, gotValue = given.value, given.value+paid
	case got.depth >= minimumLiquidityUSD:
		gotValue, givenValue = got.value, got.value-paid
	}
	given.split(givenValue)
	got.split(gotValue)
	w.writeSide(tx, given, Sell, w.opposite(quote, got), f)
	w.writeSide(tx, got, Buy, w.opposite(quote, given), f)
}

// quoteLegs is the USD worth of the quote assets paid less those received, NaN when any has no price, and the quote asset
// that was worth most, or -1 when none moved.
func (w *writer) quoteLegs(tx *market.Transaction) (paid float64, quote int) {
	quote = -1
	largest := -1.0
	for i := range w.legs {
		l := &w.legs[i]
		a := &w.assets[l.asset]
		if !a.quote {
			continue
		}
		usd, priced := w.price(l.asset, tx.Time)
		if !priced {
			usd = math.NaN()
		}
		value := l.quantity * usd
		paid -= value
		if quote < 0 || math.Abs(value) > largest {
			quote, largest = l.asset, math.Abs(value)
		}
	}
	return paid, quote
}

// fill collects the tokens that moved one way, with their own values.
func (w *writer) fill(s *side, tx *market.Transaction, sign float64) {
	s.legs, s.own, s.share = s.legs[:0], s.own[:0], s.share[:0]
	s.value, s.depth = 0, math.Inf(1)
	for i := range w.legs {
		l := &w.legs[i]
		a := &w.assets[l.asset]
		if a.quote || l.quantity*sign <= 0 {
			continue
		}
		own := math.NaN()
		if usd, priced := w.price(l.asset, tx.Time); priced && a.measured {
			own = math.Abs(l.quantity) * usd
		}
		depth := w.prices.Liquidity(a.address)
		if math.IsNaN(depth) || math.IsNaN(own) {
			depth = 0
		}
		s.depth = min(s.depth, depth)
		s.legs = append(s.legs, i)
		s.own = append(s.own, own)
		s.value += own
	}
}

// split shares a side's value among its tokens, by their own values when there are several.
func (s *side) split(value float64) {
	for _, own := range s.own {
		share := value
		if len(s.own) > 1 {
			share = value * (own / s.value)
		}
		s.share = append(s.share, share)
	}
}

// opposite names what a side was exchanged for: the largest quote asset, or else the other side's first token.
func (w *writer) opposite(quote int, other *side) chain.Address {
	if len(other.legs) > 0 {
		return w.assets[w.legs[other.legs[0]].asset].address
	}
	if quote >= 0 {
		return w.assets[quote].address
	}
	return chain.Native
}

func (w *writer) writeSide(tx *market.Transaction, s *side, which Side, quote chain.Address, f flow) {
	for i, at := range s.legs {
		w.writeTrade(tx, &w.legs[at], which, s.share[i], quote, f)
	}
}

// writeTrade writes one trade; a value that is not plausible makes it unpriced.
func (w *writer) writeTrade(tx *market.Transaction, l *leg, which Side, value float64, quote chain.Address, f flow) {
	venue := &tx.Target
	if same(venue, &chain.Native) || same(venue, &w.wallet) {
		venue = &l.counterparty
	}
	a := &w.assets[l.asset]
	w.ledger.Trades = append(w.ledger.Trades, Trade{})
	t := &w.ledger.Trades[len(w.ledger.Trades)-1]
	t.Time, t.Block, t.Order, t.Tx = tx.Time, tx.Block, w.order, tx.Hash
	t.Token, t.Side, t.Quantity = a.address, which, math.Abs(l.quantity)
	if value >= 0 && value <= maximumUSD {
		t.ValueUSD, t.Priced = value, true
	}
	t.Quote, t.Venue, t.Counterparty = quote, *venue, l.counterparty
	t.Swap = f.tokensIn > 0 && f.tokensOut > 0
	w.order++
	w.noteBlock(l.asset, which, tx.Block)
}

// noteBlock marks trades of a token that was bought and sold in one block. The trade is the ledger's last.
func (w *writer) noteBlock(asset int, which Side, block uint64) {
	a := &w.states[asset]
	last := len(w.ledger.Trades) - 1
	if !a.traded || a.block != block {
		a.traded, a.block, a.firstTrade, a.bought, a.sold = true, block, last, false, false
	}
	both := a.bought && a.sold
	a.bought = a.bought || which == Buy
	a.sold = a.sold || which == Sell
	switch {
	case both:
		w.ledger.Trades[last].SameBlock = true
	case a.bought && a.sold:
		for i := a.firstTrade; i <= last; i++ {
			if same(&w.ledger.Trades[i].Token, &w.assets[asset].address) {
				w.ledger.Trades[i].SameBlock = true
			}
		}
	}
}

// shareGas splits a transaction's gas among its trades by value, evenly when a value is missing.
func shareGas(trades []Trade, gas float64) {
	if gas == 0 {
		return
	}
	total := 0.0
	for i := range trades {
		if !trades[i].Priced {
			total = 0
			break
		}
		total += trades[i].ValueUSD
	}
	for i := range trades {
		if total > 0 {
			trades[i].GasUSD = gas * (trades[i].ValueUSD / total)
		} else {
			trades[i].GasUSD = gas / float64(len(trades))
		}
	}
}
