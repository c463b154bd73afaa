package perprecord

import (
	"math"

	"github.com/mirrorworthy/mirrorworthy/shared/margin"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// holding is the position in one coin while fills are read.
type holding struct {
	// size is signed, NaN before the first fill, and right to within slack. known is true when it was followed since it was flat.
	size, slack float64
	known       bool
	// remnant is true for what is left of a known position that counts as flat. Closing it ends no episode; adding to it begins one
	// at its entry price.
	remnant bool
	// entry is the average entry price, openedAt the average time of opening by size, in seconds after the first.
	entry, openedAt float64
	episode         Episode
	// decimals are those of the coin's sizes, as far as seen.
	decimals int
	// closedSize and heldSeconds, the size times how long it was held, are of what was closed.
	closedSize, heldSeconds float64
	// underwater is the size added while the price stood against the position, base the size held when that began.
	underwater, base float64
}

// against is how far below a long position's average entry, or above a short one's, an addition counts as one to a loser.
const against = 0.01

// open adds to the position.
func (h *holding) open(f *market.PerpFill, side margin.Side, size, fee float64) {
	if !h.known {
		return
	}
	e := &h.episode
	begins := e.OpenedAt.IsZero()
	if begins {
		e.OpenedAt, e.Side = f.Time, side
	}
	held := math.Abs(h.size)
	if !begins && float64(side)*(h.entry-f.Price) >= against*h.entry {
		if h.underwater == 0 {
			h.base = held
		}
		h.underwater += size
		e.Doubled = e.Doubled || h.underwater >= h.base
	}
	h.entry = (held*h.entry + size*f.Price) / (held + size)
	h.openedAt = (held*h.openedAt + size*f.Time.Sub(e.OpenedAt).Seconds()) / (held + size)
	e.FeesUSD += fee
	e.PeakCostUSD = max(e.PeakCostUSD, h.entry*(held+size))
}

// closed takes from the position.
func (h *holding) closed(f *market.PerpFill, size, fee float64) {
	e := &h.episode
	e.PnLUSD += f.ClosedPnLUSD
	e.FeesUSD += fee
	e.Liquidated = e.Liquidated || f.Forced == market.Liquidated
	h.closedSize += size
	h.heldSeconds += size * (f.Time.Sub(e.OpenedAt).Seconds() - h.openedAt)
}

// priceDecimals are how many decimals of a price and of a size the venue has together (Hyperliquid, "Tick and lot size").
const priceDecimals = 6

// decimalsOf counts the decimals of a size, up to those the venue has.
func decimalsOf(size float64) int {
	scale := 1.
	for decimals := range priceDecimals {
		if scaled := size * scale; math.Abs(scaled-math.Round(scaled)) <= 1e-9*max(1, scaled) {
			return decimals
		}
		scale *= 10
	}
	return priceDecimals
}

// misfit is how far, in USD, the venue's profit on closing so much is from ours: by the average entry price, or by that rounded
// down to the coin's step. Where the average lies on a step to within floating point, the venue may have rounded to the one below.
func (h *holding) misfit(f *market.PerpFill, side margin.Side, size float64) float64 {
	steps := h.entry * math.Pow10(priceDecimals-h.decimals)
	down := math.Floor(steps)
	candidates := [...]float64{steps, down, down}
	if nearest := math.Round(steps); math.Abs(steps-nearest) <= 1e-9*nearest {
		candidates[1], candidates[2] = nearest, nearest-1
	}
	misfit := math.Inf(1)
	for _, entry := range candidates {
		ours := float64(side) * (f.Price - entry/math.Pow10(priceDecimals-h.decimals)) * size
		misfit = min(misfit, math.Abs(ours-f.ClosedPnLUSD))
	}
	return misfit
}
