package margin

import (
	"math"
)

// Side is the direction of a position.
type Side int8

// The sides. They are the signs of a position's size.
const (
	Long  Side = 1
	Short Side = -1
)

// SideOf is the side of a signed size; zero when there is none.
func SideOf(size float64) Side {
	switch {
	case size > 0:
		return Long
	case size < 0:
		return Short
	}
	return 0
}

func (s Side) sign() float64 { return float64(s) }

func (s Side) valid() bool { return s == Long || s == Short }

// Position is what a position is worth and what it needs.
type Position struct {
	// Size is signed, in coins: negative for a short one. Price is the mark price in USD.
	Size, Price float64
	Schedule    Schedule
}

// ValueUSD is the size at the mark price, never negative.
func (p Position) ValueUSD() float64 { return math.Abs(p.Size) * p.Price }

// MaintenanceUSD is what the position needs at its mark price.
func (p Position) MaintenanceUSD() float64 { return p.Schedule.Maintenance(p.ValueUSD()) }

func (p Position) valid() bool {
	return SideOf(p.Size).valid() && p.Price > 0 && !math.IsInf(p.ValueUSD(), 0) && len(p.Schedule.tiers) > 0
}

// LiquidationPrice is the price in USD at which the equity behind a position falls to what must be maintained, all other prices
// staying as they are. For a position with margin of its own, equityUSD is that margin at the mark price and otherUSD is 0; for one
// that shares margin, equityUSD is the account's equity and otherUSD the maintenance of all its other positions.
//
// It is NaN where there is no such price above zero, where the equity is at or below the maintenance already, and for input that
// is no number. With one tier it is the documented form price − side·(equity − maintenance)/size/(1 − rate·side). With several,
// the rate is that of the tier which the position has at the liquidation price; since the need is continuous and rises more slowly
// than the value, exactly one tier fits.
func LiquidationPrice(p Position, equityUSD, otherUSD float64) float64 {
	if !p.valid() || !finite(equityUSD) || !(otherUSD >= 0) || equityUSD <= otherUSD+p.MaintenanceUSD() {
		return math.NaN()
	}
	side, size := SideOf(p.Size).sign(), math.Abs(p.Size)
	for i, t := range p.Schedule.tiers {
		available := equityUSD - otherUSD - (size*p.Price*t.rate - t.deductionUSD)
		price := p.Price - side*available/size/(1-t.rate*side)
		within := i == len(p.Schedule.tiers)-1 || size*price < p.Schedule.tiers[i+1].fromUSD
		if !within {
			continue
		}
		if price > 0 && finite(price) {
			return price
		}
		break
	}
	return math.NaN()
}

// LegacyLiquidationPrice is the form of early 2023, which ignored that the maintenance margin moves with the price:
// price − side·(equity − maintenance)/size. The maintenance is that of all positions sharing the equity. It exists to be compared
// with recordings of that time.
func LegacyLiquidationPrice(size, price, equityUSD, maintenanceUSD float64) float64 {
	side := SideOf(size)
	liquidation := price - side.sign()*(equityUSD-maintenanceUSD)/math.Abs(size)
	if !side.valid() || !(liquidation > 0) || !finite(liquidation) {
		return math.NaN()
	}
	return liquidation
}

// Distance is how far a price is from a liquidation price on a position's losing side, as a fraction of the price; at or below 0
// where it is past it, NaN for input that is no price.
func Distance(side Side, price, liquidation float64) float64 {
	if !side.valid() || !(price > 0) || !(liquidation > 0) || !finite(price) || !finite(liquidation) {
		return math.NaN()
	}
	return side.sign() * (price - liquidation) / price
}

// FollowerDistance is how far, as a fraction of the price, the price may move against a position that is opened now at a leverage
// with margin of its own: (1/leverage − rate)/(1 − side·rate). It is at or below 0 where the margin does not even cover the
// maintenance, above 1 for a long position that no fall can liquidate, and NaN for a leverage that is not above 0 or a maintenance
// rate outside 0 to 1.
func FollowerDistance(side Side, leverage, maintenanceRate float64) float64 {
	if !side.valid() || !(leverage > 0) || math.IsInf(leverage, 1) || !(maintenanceRate >= 0 && maintenanceRate < 1) {
		return math.NaN()
	}
	return (1/leverage - maintenanceRate) / (1 - side.sign()*maintenanceRate)
}

// TouchProbability is the chance that a price moves against a position by a distance (a fraction of the price) at some time within
// so many days: 2·Φ(−|ln(1 − side·distance)|/(tailFactor·dailyVolatility·√days)), by the reflection principle for a price without
// drift. dailyVolatility is a fraction; a tail factor above 1 widens it for tails fatter than the normal ones. A distance at or
// below 0 is touched already; a long position's distance of 1 and more is out of reach. NaN for input that is no number or
// negative.
func TouchProbability(side Side, distance, dailyVolatility, days, tailFactor float64) float64 {
	width := tailFactor * dailyVolatility * math.Sqrt(days)
	if !side.valid() || !finite(distance) || !(dailyVolatility >= 0) || !(days >= 0) || !(tailFactor >= 0) || !finite(width) {
		return math.NaN()
	}
	switch {
	case distance <= 0:
		return 1
	case side == Long && distance >= 1, width == 0:
		return 0
	}
	return math.Erfc(math.Abs(math.Log1p(-side.sign()*distance)) / width / math.Sqrt2)
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
