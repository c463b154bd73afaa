package perpvenue

import (
	"math"

	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket/seeded"
)

// direction is what the venue calls a fill.
type direction uint8

const (
	dirOpenLong direction = iota
	dirCloseLong
	dirOpenShort
	dirCloseShort
	dirLongToShort
	dirShortToLong
	dirBuy
	dirSell
	dirSettlement
	dirDeleveraging
	dirLiquidatedCross
	dirLiquidatedIsolated
)

var directionNames = [...]string{"Open Long", "Close Long", "Open Short", "Close Short", "Long > Short", "Short > Long", "Buy", "Sell",
	"Settlement", "Auto-Deleveraging", "Liquidated Cross ", "Liquidated Isolated "}

// fill is one fill of an order. Sizes are in the contract's units, money in millionths; the fee of a spot purchase is in the coin.
type fill struct {
	time                int64
	price, size, before int64 // size is signed, negative sold
	profit, fee         int64
	order, trade        int64
	schedule            int32 // of a TWAP, 0 for none
	liquidation         int32 // one more than its place in the account's list, 0 for none
	coin                uint8
	direction           direction
	taker, quiet        bool // quiet has no transaction of its own
}

// liquidation is what a fill says about the liquidation that it was part of.
type liquidation struct {
	user     string
	mark     int64
	backstop bool
}

// trade is what is to be filled.
type trade struct {
	coin     int
	at       int64
	size     int64
	price    int64
	order    int64
	maker    bool
	schedule int32
	forced   direction // other than zero where the account did not trade of its own accord
	of       *liquidation
	id       int64 // of the other side's fill where that is an account of the venue
}

// The fees of the lowest tier, in millionths of what is traded.
const (
	takerFee, makerFee         = 450, 150
	spotTakerFee, spotMakerFee = 700, 400
)

func feeRate(spot, maker bool) int64 {
	switch {
	case spot && maker:
		return spotMakerFee
	case spot:
		return spotTakerFee
	case maker:
		return makerFee
	}
	return takerFee
}

// fill books one fill: the position's cost by average entry, the profit realised before fees, the fee.
func (a *account) fill(t trade) {
	c, p := &a.venue.coins[t.coin], &a.positions[t.coin]
	before, size := p.size, t.size
	if size == 0 {
		return
	}
	value := c.value(absolute(size), t.price)
	f := fill{time: t.at, price: t.price, size: size, before: before, order: t.order, coin: uint8(t.coin), taker: !t.maker,
		schedule: t.schedule, quiet: t.schedule != 0 || t.forced != 0 || t.of != nil}
	f.trade = int64(seeded.MixAll(a.key, uint64(len(a.fills)), 7) >> 14)
	if t.id != 0 {
		f.trade = t.id
	}
	f.direction = directionOf(c.spot, before, size)
	if t.forced != 0 {
		f.direction = t.forced
	}
	if t.of != nil {
		a.liquidations = append(a.liquidations, *t.of)
		f.liquidation = int32(len(a.liquidations))
	}
	if t.forced == 0 && t.id == 0 {
		f.fee = int64(math.Round(float64(value) * float64(feeRate(c.spot, t.maker)) / million))
	}
	f.profit = p.book(size, value)
	if c.spot {
		a.bookSpot(&f, p, value, t.maker)
	} else {
		a.cash[c.exchange] += f.profit - f.fee
		a.volume[0] += value
	}
	a.fills = append(a.fills, f)
}

// book changes a position by a signed size of a value, and says what profit that realised.
func (p *position) book(size, value int64) int64 {
	before, profit := p.size, int64(0)
	after := before + size
	p.fundingChange = 0
	closed := int64(0)
	if before != 0 && (before > 0) != (size > 0) {
		closed = min(absolute(before), absolute(size))
	}
	if closed > 0 {
		basis := proportion(p.basis, closed, absolute(before))
		proceeds := proportion(value, closed, absolute(size))
		profit = proceeds - basis
		if before < 0 {
			profit = -profit
		}
		p.margin -= proportion(p.margin, closed, absolute(before))
		p.basis += value - proceeds - basis
	} else {
		p.basis += value
	}
	p.size = after
	if after == 0 || (before != 0 && (before > 0) != (after > 0)) {
		p.episode++
		p.fundingOpen = 0
	}
	return profit
}

// proportion is whole·part/of without overflow.
func proportion(whole, part, of int64) int64 {
	if part == of {
		return whole
	}
	return int64(math.Round(float64(whole) * (float64(part) / float64(of))))
}

// bookSpot moves the dollars of a spot trade. A purchase is charged in the coin bought.
func (a *account) bookSpot(f *fill, p *position, value int64, maker bool) {
	a.volume[1] += value
	if f.size < 0 {
		a.spotCash += value - f.fee
		return
	}
	f.fee = int64(math.Round(float64(f.size) * float64(feeRate(true, maker)) / million))
	a.spotCash -= value
	p.size -= f.fee
}

func directionOf(spot bool, before, size int64) direction {
	after := before + size
	switch {
	case spot && size > 0:
		return dirBuy
	case spot:
		return dirSell
	case before > 0 && after < 0:
		return dirLongToShort
	case before < 0 && after > 0:
		return dirShortToLong
	case before > 0 && size < 0:
		return dirCloseLong
	case before < 0 && size > 0:
		return dirCloseShort
	case size > 0:
		return dirOpenLong
	}
	return dirOpenShort
}

// sweep fills an order at once against the book: in one millisecond, in one to six parts at ever worse prices.
func (a *account) sweep(t trade) {
	c := &a.venue.coins[t.coin]
	lot := powersOfTen[c.unit-c.szDecimals]
	mark, parts := a.venue.markFloat(t.coin, t.at), int64(1+min(a.stream.IntN(4), a.stream.IntN(7)))
	worse := 0.0001 + 0.0002*a.stream.Float64()
	left := t.size
	for n := range parts {
		share := left
		if n < parts-1 {
			share = int64(float64(left)*a.stream.Between(0.2, 0.7)) / lot * lot
		}
		side := 1.0
		if t.size < 0 {
			side = -1
		}
		t.price = c.tick(mark * (1 + side*worse))
		t.size = share
		a.fill(t)
		left -= share
		worse += 0.00008 * a.stream.Float64()
	}
}

// rest puts an order into the book a little better than the mark price; it fills in parts within minutes.
func (a *account) rest(t trade, closing bool) {
	side := 1.0
	if t.size < 0 {
		side = -1
	}
	c := &a.venue.coins[t.coin]
	lot := powersOfTen[c.unit-c.szDecimals]
	t.price = c.tick(a.venue.markFloat(t.coin, t.at) * (1 - side*0.0002))
	parts, left, at := int64(1+a.stream.IntN(4)), t.size, t.at
	for n := range parts {
		share := left
		if n < parts-1 {
			share = left / (parts - n) / lot * lot
		}
		left -= share
		at += 40 + int64(a.stream.ExpFloat64()*25_000)
		a.put(task{at: at, do: doRest, coin: t.coin, size: share, price: t.price, order: t.order, closing: closing,
			episode: a.positions[t.coin].episode})
	}
}
