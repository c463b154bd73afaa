package perprecord

import (
	"math"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/margin"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// Book is what an account's fills amount to.
type Book struct {
	// Orders are the decisions that closed something, in order of their first closing fill.
	Orders []Order
	// Episodes are positions from flat to flat whose beginning is among the fills, in order of closing. What is left of a position
	// within a millionth of it is none. A fill that turns a position around ends one and begins another.
	Episodes []Episode
	// Unknown counts closing orders that closed, at least in part, a position whose beginning is not among the fills.
	Unknown int
	// KnownShare is the part of the closed value whose position's beginning is known, 0 to 1; 1 when nothing was closed.
	KnownShare float64
	// Audit compares our realised profits with the venue's.
	Audit Audit
	// First and Last are the times of the first and last fill; zero without any.
	First, Last time.Time
	// LiquidatedAt are the times of fills by which the venue liquidated the account, in order.
	LiquidatedAt []time.Time
}

// Order is one decision to close: an order, or a schedule of orders (TWAP), with all its fills that closed something.
type Order struct {
	Coin string
	// At is the time of its first closing fill.
	At time.Time
	// PnLUSD is the venue's realised profit before fees; FeesUSD is what was paid for the closing, negative for a rebate.
	PnLUSD, FeesUSD float64
	// Forced tells who decided, where the account did not.
	Forced market.ForcedClose
	// unknown is true when it closed a position whose beginning is not known.
	unknown bool
}

// NetUSD is the order's profit after fees.
func (o Order) NetUSD() float64 { return o.PnLUSD - o.FeesUSD }

// Won tells whether the order made money after fees. A liquidation never did.
func (o Order) Won() bool { return o.Forced != market.Liquidated && o.NetUSD() > 0 }

// Episode is one position from flat to flat.
type Episode struct {
	Coin               string
	Side               margin.Side
	OpenedAt, ClosedAt time.Time
	// Holding is the mean time between opening and closing, by size.
	Holding time.Duration
	// PnLUSD is the venue's realised profit before fees and funding. FeesUSD is what was paid, negative for rebates.
	PnLUSD, FeesUSD float64
	// FundingUSD is what was received, negative for what was paid; NaN where the payments of its whole life are not known.
	FundingUSD float64
	// PeakCostUSD is the most that was held at once, at its average entry price.
	PeakCostUSD float64
	// Doubled is true when the position was at least doubled while the price stood against it.
	Doubled bool
	// Liquidated is true when the venue closed it, or a part of it, for want of margin.
	Liquidated bool
	// FromFlip is true when it began with a fill that turned an opposite position around, IntoFlip when such a fill ended it.
	// FromRemnant is true when it began on top of what was left of a position that counted as flat.
	FromFlip, IntoFlip, FromRemnant bool
}

// NetUSD is the episode's profit after fees, and after funding where that is known.
func (e Episode) NetUSD() float64 {
	net := e.PnLUSD - e.FeesUSD
	if !math.IsNaN(e.FundingUSD) {
		net += e.FundingUSD
	}
	return net
}

// Audit counts how well average-entry accounting reproduces the venue's realised profits. The venue rounds its average down to the
// step of the coin's prices before it takes the difference; a profit that follows from either is reproduced.
type Audit struct {
	// Checked are closing fills whose position's beginning is known. Close are those within 1e-5 of the fill's value, Near those
	// within 1e-4.
	Checked, Close, Near int
	// Worst is the largest difference as a part of the fill's value.
	Worst float64
}

func (a *Audit) add(misfitUSD, valueUSD float64) {
	difference := misfitUSD / valueUSD
	a.Checked++
	if difference <= 1e-5 {
		a.Close++
	}
	if difference <= 1e-4 {
		a.Near++
	}
	a.Worst = max(a.Worst, difference)
}

// orderKey names a decision: a schedule, or an order of one coin.
type orderKey struct {
	coin        string
	order, twap int64
}

// Reconstruct makes a book of fills in the venue's order. Fills whose numbers are none are left out, and what they changed is
// unknown.
func Reconstruct(fills []market.PerpFill, funding *Funding) *Book {
	r := reconstruction{book: &Book{}, holdings: make(map[string]*holding), orders: make(map[orderKey]int), funding: funding}
	for i := range fills {
		r.fill(&fills[i])
	}
	if len(fills) > 0 {
		r.book.First, r.book.Last = fills[0].Time, fills[len(fills)-1].Time
	}
	r.book.KnownShare = 1
	if r.closedUSD > 0 {
		r.book.KnownShare = r.knownUSD / r.closedUSD
	}
	return r.book
}

type reconstruction struct {
	book                *Book
	holdings            map[string]*holding
	orders              map[orderKey]int
	funding             *Funding
	closedUSD, knownUSD float64
}

const (
	// same is how far apart two sizes may be, as a part of them, and still be the same: what is left within it is flat, and a position
	// and its continuation differ by no more.
	same = 1e-6
	// rounding is the part of the sizes that went into a sum below which what is left of it is an error of floating point.
	rounding = 1e-12
)

func (r *reconstruction) fill(f *market.PerpFill) {
	h := r.holdings[f.Coin]
	if h == nil {
		h = &holding{size: math.NaN()}
		r.holdings[f.Coin] = h
	}
	if !usable(f) {
		*h = holding{size: math.NaN(), decimals: h.decimals}
		return
	}
	h.decimals = max(h.decimals, decimalsOf(f.Size))
	change := f.Size
	if !f.Buy {
		change = -change
	}
	before, left := f.Before, f.Before+change
	if math.Abs(before) <= same*f.Size {
		before = 0
	}
	after := left
	if math.Abs(left) <= same*max(math.Abs(f.Before), f.Size) {
		after = 0
	}
	closing := 0.
	if before != 0 && (before > 0) != (change > 0) {
		closing = min(f.Size, math.Abs(before))
	}
	switch {
	case before == 0:
		*h = holding{known: true, decimals: h.decimals}
	case !(math.Abs(h.size-before) <= same*math.Abs(before)+h.slack):
		*h = holding{decimals: h.decimals} // fills are missing before this one
	case h.remnant && closing == 0:
		h.known, h.remnant, h.episode.FromRemnant = true, false, true
	}
	closingFee := f.FeeUSD * closing / f.Size
	if closing > 0 {
		flip := after != 0 && (after > 0) != (before > 0)
		if !h.remnant || !flip { // the order that turns a remnant around is one to open
			r.close(h, f, before, closing, closingFee)
		}
		if flip || after == 0 {
			r.end(h, f, flip)
			next := holding{known: flip, decimals: h.decimals, episode: Episode{FromFlip: flip && !h.remnant}}
			if !flip && h.known {
				next.remnant, next.entry = true, h.entry
			}
			*h = next
		}
	}
	if opening := f.Size - closing; opening > 0 && after != 0 {
		h.open(f, margin.SideOf(after), opening, f.FeeUSD-closingFee)
	}
	h.size, h.slack = left, rounding*(math.Abs(f.Before)+f.Size)
	if f.Forced == market.Liquidated {
		r.book.LiquidatedAt = append(r.book.LiquidatedAt, f.Time)
	}
}

// largestNumber is more than there is of anything in USD or coins: a number beyond it is an error.
const largestNumber = 1e15

// usable tells whether a fill's numbers are numbers.
func usable(f *market.PerpFill) bool {
	for _, x := range [...]float64{f.Price, f.Size, f.Price * f.Size, f.Before, f.Before * f.Price, f.ClosedPnLUSD, f.FeeUSD} {
		if !(math.Abs(x) <= largestNumber) {
			return false
		}
	}
	return f.Price > 0 && f.Size > 0 && f.Price*f.Size > 0
}

// close books the closing part of a fill.
func (r *reconstruction) close(h *holding, f *market.PerpFill, before, size, fee float64) {
	key := orderKey{f.Coin, f.Order, f.TWAP}
	if f.TWAP != 0 {
		key.order = 0
	}
	at, found := r.orders[key]
	if !found || key.order == 0 && key.twap == 0 { // an order without a number stands for itself
		at = len(r.book.Orders)
		r.orders[key] = at
		r.book.Orders = append(r.book.Orders, Order{Coin: f.Coin, At: f.Time})
	}
	order := &r.book.Orders[at]
	order.PnLUSD += f.ClosedPnLUSD
	order.FeesUSD += fee
	if f.Forced != market.NotForced {
		order.Forced = f.Forced
	}
	if h.remnant {
		return
	}
	value := f.Price * size
	r.closedUSD += value
	if !h.known {
		if !order.unknown {
			order.unknown = true
			r.book.Unknown++
		}
		return
	}
	r.knownUSD += value
	r.book.Audit.add(h.misfit(f, margin.SideOf(before), size), value)
	h.closed(f, size, fee)
}

// end books the episode that a fill ended, perhaps by turning the position around.
func (r *reconstruction) end(h *holding, f *market.PerpFill, flip bool) {
	if !h.known {
		return
	}
	e := h.episode
	e.Coin, e.ClosedAt, e.IntoFlip = f.Coin, f.Time, flip
	if h.closedSize > 0 {
		e.Holding = time.Duration(h.heldSeconds / h.closedSize * float64(time.Second))
	}
	e.FundingUSD = r.funding.between(e.Coin, e.OpenedAt, e.ClosedAt)
	r.book.Episodes = append(r.book.Episodes, e)
}
