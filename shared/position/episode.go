package position

import (
	"math"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

const (
	// leftoverShare of what was acquired may stay behind in a position that counts as sold out. It is also how much more than
	// it acquired a wallet may sell before the surplus counts as of unknown origin: rebasing tokens grow on their own.
	leftoverShare = 0.05
	// halfShare must be sold before a rest may be ignored or abandoned, and more than it must leave by transfer before a
	// position counts as transferred.
	halfShare = 0.5
	// flatUSD is the worth under which a rest is nothing. (A hundredth of the peak quantity is nothing too, but that is
	// always within leftoverShare of what was acquired.)
	flatUSD = 2
	// dustUSD is the cost under which a position is not worth judging.
	dustUSD = 5
	// rateableShare of the proceeds must be matched to a known cost before a position is rated.
	rateableShare = 0.8
	// rounding keeps sums of the same amounts in another order from falling on the other side of a threshold.
	rounding = 1e-9
)

// holding is one token's running state: its lots, and the account of the position that is open or ended last.
type holding struct {
	token chain.Address
	// held is in the wallet, parked with a protocol that holds it for the wallet.
	held, parked lotList
	// index is the position's place in the book, negative before the first trade since the last one was sealed. After the
	// position ended, sales of what it left behind still belong to it until something new comes in.
	index int
	ended bool

	acquired, sold, soldUnpriced, soldKnown float64
	transferred, adjusted                   float64
	// known and knownCost are the pool of average-cost accounting.
	known, knownCost               float64
	fifoCost, averageCost          float64
	gross, grossMatched            float64
	boughtQuantity, boughtValueUSD float64
	age, ageQuantity               float64
	unpricedBuys                   int
	lastTrade, lastActivity        time.Time
	// within is true while every trade was one half of a buy and a sell in one block.
	within    bool
	lastBlock uint64
}

func (h *holding) remaining() float64 { return h.held.quantity + h.parked.quantity }

func (h *holding) mostlySold() bool { return h.sold >= halfShare*h.acquired*(1-rounding) }

// open starts a position at the wallet's first trade. What is still there of earlier ones, or was sent, comes along at its
// cost.
func (e *engine) open(h *holding, trade *Trade, now int64) *Position {
	if h.index >= 0 {
		e.seal(h)
	}
	held, parked, token := h.held, h.parked, h.token
	*h = holding{token: token, held: held, parked: parked, index: len(e.positions), within: true}
	h.acquired = h.remaining()
	e.positions = append(e.positions, Position{})
	e.dust = append(e.dust, false)
	p := &e.positions[h.index]
	p.Token, p.OpenedAt, p.RecoverableUSD = token, trade.Time, math.NaN()
	if h.acquired > 0 {
		carried, away := e.lots.sum(held, now), e.lots.sum(parked, now)
		h.known, h.knownCost = carried.known+away.known, carried.cost+away.cost
		p.CostUSD = h.knownCost
	}
	return p
}

func (e *engine) buy(h *holding, trade *Trade) {
	now := trade.Time.UnixNano()
	if h.index >= 0 && !h.ended {
		e.abandonBefore(h, trade)
	}
	if h.index < 0 || h.ended {
		e.open(h, trade, now)
	}
	p := &e.positions[h.index]
	if p.Buys == 0 {
		p.EntryBlock, p.EntryTx = trade.Block, trade.Tx
	}
	p.Buys++
	h.touch(trade)
	h.acquired += trade.Quantity
	value, gas, priced := worth(trade)
	if !priced {
		h.unpricedBuys++
		e.book.UnpricedTrades++
		e.lots.push(&h.held, trade.Quantity, math.NaN(), now)
		return
	}
	cost := value + gas
	p.CostUSD += cost
	p.MaximumBuyUSD = max(p.MaximumBuyUSD, value)
	h.boughtQuantity += trade.Quantity
	h.boughtValueUSD += value
	if cost > 0 {
		h.known += trade.Quantity
		h.knownCost += cost
	}
	e.lots.push(&h.held, trade.Quantity, cost/trade.Quantity, now)
}

func (e *engine) sell(h *holding, trade *Trade) {
	now := trade.Time.UnixNano()
	if h.index < 0 || h.ended && trade.Quantity > h.remaining()*(1+leftoverShare+rounding) {
		e.open(h, trade, now)
	}
	p := &e.positions[h.index]
	p.Sells++
	h.touch(trade)
	if trade.Quantity > h.held.quantity && h.parked.quantity > 0 {
		e.lots.take(&h.parked, trade.Quantity-h.held.quantity, now, &h.held)
	}
	out := e.lots.take(&h.held, trade.Quantity, now, nil)
	e.average(h, out.known)
	if covered := out.known + out.free + out.unknown; covered < trade.Quantity {
		surplus := trade.Quantity - covered
		if covered > 0 && h.adjusted+surplus <= leftoverShare*h.acquired*(1+rounding) {
			h.adjusted += surplus
			grown := trade.Quantity / covered
			out.known, out.free, out.unknown = out.known*grown, out.free*grown, out.unknown*grown
			out.age *= grown
		} else {
			out.unknown += surplus
		}
	}
	h.sold += trade.Quantity
	if out.unknown > rounding*trade.Quantity {
		e.book.UnmatchedSells++
	}
	value, gas, priced := worth(trade)
	price := math.NaN()
	if priced {
		price = value / trade.Quantity
		known, free := out.known/trade.Quantity, out.free/trade.Quantity
		net := value - gas
		h.gross += value
		h.grossMatched += float64(value * known)
		h.soldKnown += out.known
		h.fifoCost += out.cost
		h.averageCost += e.averaged
		h.age += out.age
		h.ageQuantity += out.known
		p.ProceedsUSD += net
		p.MatchedProceedsUSD += float64(net * known)
		p.AirdropUSD += float64(net * free)
		e.book.AirdropUSD += float64(net * free)
		e.gross += value
		e.grossMatched += float64(value * known)
	} else {
		h.soldUnpriced += trade.Quantity
		e.book.UnpricedTrades++
	}
	e.endWhenFlat(h, trade.Time, price)
}

// average takes a known quantity from the pool of average cost; what it had cost is left in e.averaged.
func (e *engine) average(h *holding, quantity float64) {
	if quantity >= h.known*(1-1e-12) {
		e.averaged, h.known, h.knownCost = h.knownCost, 0, 0
		return
	}
	e.averaged = h.knownCost * (quantity / h.known)
	h.known -= quantity
	h.knownCost -= e.averaged
}

func (e *engine) receive(h *holding, transfer *Transfer) {
	now := transfer.Time.UnixNano()
	quantity := transfer.Quantity
	unitCost := math.NaN()
	switch transfer.Origin {
	case Airdrop:
		unitCost = 0
	case TransferKnown:
		back := min(quantity, h.parked.quantity)
		if back > 0 {
			e.lots.take(&h.parked, back, now, &h.held)
			quantity -= back
		}
		// What a pool or a staking contract returns beyond what it was given has a cost that nobody recorded.
		if quantity <= rounding*back {
			return
		}
	}
	if h.ended {
		e.seal(h)
		h.index, h.ended = -1, false
	}
	if h.index >= 0 {
		h.acquired += quantity
	}
	e.lots.push(&h.held, quantity, unitCost, now)
}

func (e *engine) send(h *holding, transfer *Transfer) {
	now := transfer.Time.UnixNano()
	h.lastActivity = transfer.Time
	if transfer.Origin == TransferKnown {
		e.lots.take(&h.held, transfer.Quantity, now, &h.parked)
		return
	}
	gone := min(transfer.Quantity, h.held.quantity)
	out := e.lots.take(&h.held, transfer.Quantity, now, nil)
	if h.index < 0 {
		return
	}
	e.average(h, out.known)
	h.transferred += gone
	if h.ended {
		return
	}
	if h.transferred > halfShare*h.acquired*(1+rounding) {
		p := &e.positions[h.index]
		p.Status, p.ClosedAt = Transferred, transfer.Time
		h.ended = true
		return
	}
	e.endWhenFlat(h, transfer.Time, math.NaN())
}

// endWhenFlat closes the position when next to nothing is left of it.
func (e *engine) endWhenFlat(h *holding, at time.Time, price float64) {
	if h.ended {
		return
	}
	rest := h.remaining()
	flat := rest <= leftoverShare*h.acquired*(1+rounding)
	if !flat && rest*price <= flatUSD {
		flat = h.mostlySold()
	}
	if flat {
		p := &e.positions[h.index]
		p.Status, p.Ending, p.ClosedAt = Closed, SoldOut, at
		h.ended = true
	}
}

// abandonBefore ends a position that had been left alone, mostly sold, when its token is bought again at a price that makes
// the rest next to worthless. The rest goes into the new position at that worth.
func (e *engine) abandonBefore(h *holding, trade *Trade) {
	value, _, priced := worth(trade)
	if !priced || h.parked.quantity > 0 || !h.mostlySold() || trade.Time.Sub(h.lastActivity) < idleFor {
		return
	}
	rest, price := h.remaining(), value/trade.Quantity
	all := e.rest(h, trade.Time.UnixNano())
	if all.known <= 0 || price*all.known >= restShare*all.cost {
		return
	}
	at := h.lastActivity.Add(idleFor)
	e.impute(h, Abandoned, at, rest*price)
	e.lots.take(&h.held, rest, 0, nil)
	e.seal(h)
	e.positions[h.index].RemainingQuantity = rest
	h.index, h.ended = -1, false
	e.lots.push(&h.held, rest, price, at.UnixNano())
}

// rest sums up everything that is left of a holding.
func (e *engine) rest(h *holding, now int64) taken {
	held, parked := e.lots.sum(h.held, now), e.lots.sum(h.parked, now)
	return taken{
		known: held.known + parked.known, free: held.free + parked.free, unknown: held.unknown + parked.unknown,
		cost: held.cost + parked.cost, age: held.age + parked.age,
	}
}

// impute closes a position as if its rest had been sold for value.
func (e *engine) impute(h *holding, ending Ending, at time.Time, value float64) {
	p := &e.positions[h.index]
	all := e.rest(h, at.UnixNano())
	known := all.known / (all.known + all.free + all.unknown)
	p.Status, p.Ending, p.ClosedAt, p.Imputed = Closed, ending, at, true
	p.RecoverableUSD = value
	p.ProceedsUSD += value
	p.MatchedProceedsUSD += float64(value * known)
	h.gross += value
	h.grossMatched += float64(value * known)
	h.fifoCost += all.cost
	h.age += all.age
	h.ageQuantity += all.known
	h.ended = true
}

// mark values what is left of an open position, and closes it when that is as good as nothing.
func (e *engine) mark(h *holding, mark *Mark, asOf time.Time) {
	p := &e.positions[h.index]
	rest := h.remaining()
	p.RecoverableUSD = recoverableAt(rest, mark.PriceUSD, mark)
	all := e.rest(h, asOf.UnixNano())
	if all.known <= 0 || all.cost <= 0 {
		return
	}
	// The part of unknown cost proves nothing about the part that was paid for.
	knownCost := all.cost * rest / all.known
	since, dead := deadSince(rest, knownCost, mark, h.lastTrade, asOf)
	idleSince := h.lastActivity.Add(idleFor)
	abandoned := h.mostlySold() && !idleSince.After(asOf) && p.RecoverableUSD < restShare*knownCost
	switch {
	case dead && !(abandoned && idleSince.Before(since)):
		e.impute(h, Dead, since, p.RecoverableUSD)
	case abandoned:
		e.impute(h, Abandoned, idleSince, p.RecoverableUSD)
	}
}

// touch notes that the wallet traded.
func (h *holding) touch(trade *Trade) {
	h.lastTrade, h.lastActivity = trade.Time, trade.Time
	if !trade.SameBlock {
		h.within = false
	}
	h.lastBlock = trade.Block
}

// seal works out what the account of a position comes to.
func (e *engine) seal(h *holding) {
	p := &e.positions[h.index]
	p.AcquiredQuantity, p.RemainingQuantity = h.acquired, h.remaining()
	if p.RemainingQuantity == 0 && p.Status != Open && !p.Imputed {
		p.RecoverableUSD = 0
	}
	switch {
	case h.acquired > 0:
		p.ClosedShare = min(1, h.sold/h.acquired)
	case h.sold > 0:
		p.ClosedShare = 1
	}
	p.MatchedCostUSD = h.fifoCost
	if p.Status == Open {
		p.MatchedCostUSD = h.averageCost
	}
	switch {
	case h.gross > 0:
		p.MatchedShare = min(1, h.grossMatched/h.gross)
	case h.sold > 0:
		p.MatchedShare = min(1, h.soldKnown/h.sold)
	default:
		p.MatchedShare = 1
	}
	p.PnLUSD = p.MatchedProceedsUSD - p.MatchedCostUSD
	p.ROI = math.NaN()
	if p.MatchedCostUSD > 0 {
		p.ROI = p.PnLUSD / p.MatchedCostUSD
	}
	if h.ageQuantity > 0 {
		p.Holding = time.Duration(h.age / h.ageQuantity)
	}
	p.EntryPriceUSD = math.NaN()
	if h.boughtQuantity > 0 {
		p.EntryPriceUSD = h.boughtValueUSD / h.boughtQuantity
	}
	p.SameBlock = p.Buys > 0 && p.Sells > 0 && (h.within || p.EntryBlock != 0 && h.lastBlock == p.EntryBlock)
	p.Rateable = p.Status == Closed && p.MatchedCostUSD > 0 && p.MatchedShare >= rateableShare*(1-rounding) &&
		h.soldUnpriced <= (1-rateableShare)*h.sold*(1+rounding)
	e.dust[h.index] = h.isDust(p)
}

// isDust tells positions that are too small to say anything: little paid, or nothing paid and little received.
func (h *holding) isDust(p *Position) bool {
	if p.Buys == 0 && p.CostUSD == 0 {
		return p.ProceedsUSD < dustUSD && h.soldUnpriced == 0
	}
	return h.unpricedBuys == 0 && p.CostUSD < dustUSD
}
