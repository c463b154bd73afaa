package perp

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"sync"

	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/margin"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/perprecord"
)

// exposure is what the open positions come to.
type exposure struct {
	positions []held
	// longUSD and shortUSD are the values of both sides.
	longUSD, shortUSD float64
	// marginUSD is what carries the positions; NaN when unknown. accountUSD is that with dollar coins beside it.
	marginUSD, accountUSD float64
	// stress is the smallest move of all prices that liquidates a position, a signed fraction; NaN for none and for unknown.
	stress float64
	// differing is a position whose liquidation price by our own arithmetic is not the venue's; nil for none.
	differing *held
}

// held is one open position.
type held struct {
	market.PerpPosition
	name string
	side margin.Side
	// distance is how far the venue's liquidation price is, a fraction, at least 0; NaN without one.
	distance float64
	// difference is how far our own liquidation price is from the venue's, as a part of it; NaN where one is missing.
	difference float64
}

// markPrice is the price in USD behind the venue's value of a position.
func markPrice(p market.PerpPosition) float64 { return p.ValueUSD / math.Abs(p.Size) }

// tolerance is how far our liquidation price may be from the venue's, as a part of it.
const tolerance = 0.005

func expose(record *perprecord.Record) exposure {
	e := exposure{}
	highest := 0.
	stresses := make([]float64, 0, len(record.Standing.Clearinghouses))
	unknown := record.MarketsUnread
	for _, house := range record.Standing.Clearinghouses {
		e.marginUSD += amount(house.ValueUSD)
		from := len(e.positions)
		positions := slices.SortedFunc(slices.Values(house.Positions), func(a, b market.PerpPosition) int { return larger(&a, &b) })
		for _, p := range positions {
			if !sound(p) {
				continue
			}
			h := held{PerpPosition: p, name: coinName(p.Coin), side: margin.SideOf(p.Size), difference: math.NaN()}
			h.distance = max(0, margin.Distance(h.side, markPrice(p), p.LiquidationPrice))
			if h.side == margin.Long {
				e.longUSD += p.ValueUSD
			} else {
				e.shortUSD += p.ValueUSD
			}
			highest = max(highest, p.MaximumLeverage)
			e.positions = append(e.positions, h)
		}
		moves, known := houseStress(house, e.positions[from:], record.Markets)
		stresses = append(stresses, moves...)
		unknown = unknown || !known
	}
	// Dollar coins that could not be read may be most of the account: its size is unknown then, and not that of the margin.
	spot := amount(record.Standing.SpotDollars)
	e.accountUSD = e.marginUSD + max(0, spot)
	if spot > 0 {
		// Where the margin could not carry the positions at any leverage the venue allows, the dollar coins beside it do.
		if highest > 0 && e.grossUSD() > e.marginUSD*highest {
			e.marginUSD = e.accountUSD
		}
	}
	e.stress = nearestMove(stresses)
	if unknown {
		e.stress = math.NaN()
	}
	slices.SortStableFunc(e.positions, func(a, b held) int { return larger(&a.PerpPosition, &b.PerpPosition) })
	for i := range e.positions {
		if h := &e.positions[i]; h.difference > tolerance && (e.differing == nil || h.difference > e.differing.difference) {
			e.differing = h
		}
	}
	return e
}

// larger orders positions by value, the largest first, and then by name.
func larger(a, b *market.PerpPosition) int {
	return cmp.Or(cmp.Compare(b.ValueUSD, a.ValueUSD), cmp.Compare(a.Coin, b.Coin), cmp.Compare(a.Size, b.Size))
}

// sound tells whether a position has a size and a value.
func sound(p market.PerpPosition) bool {
	return margin.SideOf(p.Size) != 0 && !math.IsInf(p.Size, 0) && amount(p.ValueUSD) > 0
}

// largestAmount is more than there is: an amount beyond it is an error.
const largestAmount = 1e15

// amount is an amount in USD, NaN for what is none.
func amount(usd float64) float64 {
	if !(math.Abs(usd) <= largestAmount) {
		return math.NaN()
	}
	return usd
}

// houseStress finds the moves of all prices at which positions of one exchange are liquidated: those that share margin together,
// each of the others alone. It compares our liquidation price of each position with the venue's, and known is false where the
// margin tiers are not known or a comparison fails: this account's margin is then not what the arithmetic takes it for.
func houseStress(house market.PerpClearinghouse, positions []held, markets map[string]market.PerpMarket) (moves []float64, known bool) {
	known = true
	var shared []margin.Position
	for i := range positions {
		h := &positions[i]
		schedule, err := margin.NewSchedule(markets[h.Coin].Tiers)
		if err != nil {
			known = false
			continue
		}
		p := margin.Position{Size: h.Size, Price: markPrice(h.PerpPosition), Schedule: schedule}
		equity, others := h.MarginUsedUSD, 0.
		if !h.Isolated {
			equity, others = house.CrossValueUSD, max(0, house.CrossMaintenanceUSD-p.MaintenanceUSD())
			shared = append(shared, p)
		} else {
			moves = append(moves, margin.StressMove(equity, []margin.Position{p}))
		}
		ours := margin.LiquidationPrice(p, equity, others)
		h.difference = math.Abs(ours-h.LiquidationPrice) / h.LiquidationPrice
		if h.difference > tolerance || math.IsNaN(ours) != math.IsNaN(h.LiquidationPrice) {
			known = false
		}
	}
	if len(shared) > 0 {
		moves = append(moves, margin.StressMove(house.CrossValueUSD, shared))
	}
	return moves, known
}

// nearestMove is the smallest of signed moves, the fall of a fall and a rise alike; NaN without any.
func nearestMove(moves []float64) float64 {
	nearest := math.NaN()
	for _, m := range moves {
		if math.IsNaN(nearest) || math.Abs(m) < math.Abs(nearest) || math.Abs(m) == math.Abs(nearest) && m < nearest {
			nearest = m
		}
	}
	return nearest
}

func (e *exposure) grossUSD() float64 { return e.longUSD + e.shortUSD }

// net is the long value less the short one, as a part of both; 0 without positions.
func (e *exposure) net() float64 {
	if e.grossUSD() == 0 {
		return 0
	}
	return (e.longUSD - e.shortUSD) / e.grossUSD()
}

// largestLeverage is more than margin can carry for longer than a moment.
const largestLeverage = 10_000

// leverage is the value of all positions over the margin: 0 without positions, NaN without margin worth comparing.
func (e *exposure) leverage() float64 {
	switch {
	case e.grossUSD() == 0:
		return 0
	case !(e.marginUSD*largestLeverage >= e.grossUSD()):
		return math.NaN()
	}
	return e.grossUSD() / e.marginUSD
}

func (e *exposure) bias() string {
	net := e.net()
	switch {
	case len(e.positions) == 0:
		return "flat"
	case net >= 0.95:
		return "long-only"
	case net >= 0.3:
		return "long-heavy"
	case net <= -0.95:
		return "short-only"
	case net <= -0.3:
		return "short-heavy"
	}
	return "balanced"
}

// nearest is the position with the shortest distance to its liquidation; of two alike the larger.
func (e *exposure) nearest() (held, bool) {
	found := -1
	for i := range e.positions {
		if !math.IsNaN(e.positions[i].distance) && (found < 0 || e.positions[i].distance < e.positions[found].distance) {
			found = i
		}
	}
	if found < 0 {
		return held{}, false
	}
	return e.positions[found], true
}

func (e *exposure) rows() []Position {
	rows := make([]Position, 0, len(e.positions))
	for i := range e.positions {
		h := &e.positions[i]
		row := Position{
			Coin: h.name, Side: "long", Leverage: pointer(display.Round(h.Leverage, 2)), LeverageType: "cross",
			SizeBand: display.SizeBand(h.ValueUSD), PnLDirection: h.direction(), ReturnOnEquityPct: display.Percent(h.ReturnOnEquity),
			WeightPct: display.Percent(h.ValueUSD / e.grossUSD()), LiquidationDistancePct: display.Percent(h.distance),
		}
		if h.side == margin.Short {
			row.Side = "short"
		}
		if h.Isolated {
			row.LeverageType = "isolated"
		}
		rows = append(rows, row)
	}
	return rows
}

// flatReturn is the return on margin below which a position is neither up nor down.
const flatReturn = 0.005

func (h *held) direction() *string {
	direction := "flat"
	switch {
	case math.IsNaN(h.ReturnOnEquity):
		return nil
	case h.ReturnOnEquity >= flatReturn:
		direction = "up"
	case h.ReturnOnEquity <= -flatReturn:
		direction = "down"
	}
	return &direction
}

// harmlessCoin matches the names that venues give: letters and digits, a builder's exchange before a colon.
var (
	harmlessCoin = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:[A-Za-z0-9]{1,12}:)?[A-Za-z0-9]{1,16}$`) })
	letter       = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[A-Za-z]`) })
	looksLikeHex = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^0[xX]`) })
)

// coinName is the venue's name of a contract if it is harmless, and "unnamed" otherwise: whoever lists a contract on an exchange of
// its own chooses the name.
func coinName(coin string) string {
	if !harmlessCoin().MatchString(coin) || !letter().MatchString(coin) || looksLikeHex().MatchString(coin) || display.LooksLikeLink(coin) {
		return "unnamed"
	}
	return coin
}
