package mirroring

import (
	"math"

	"github.com/mirrorworthy/mirrorworthy/shared/agent"
)

// Quote is what an asset's market is like now, read once for all who trade it. What nobody told is NaN.
type Quote struct {
	// Price is the middle of the market in USD per coin, token or share.
	Price float64
	// Closed markets are not traded any more. Payout is then what a share of a decided outcome is worth, NaN for none.
	Closed bool
	Payout float64
	// Spread is the best offer less the best bid as a part of the price.
	Spread float64
	// DepthUSD is what impact is measured by: on spot the quote side of the deepest pool, on perpetuals the volume of a day, on
	// prediction markets what rests in the book.
	DepthUSD float64
	// FeeRate is a part of what is traded; on prediction markets it is multiplied by price·(1 − price) a share.
	FeeRate float64
	// BuyTax and SellTax are what a token's contract keeps, fractions.
	BuyTax, SellTax float64
	// Danger says why a token must not be bought, empty for no such reason.
	Danger string
	// FundingHourly is the rate of the hour, positive when longs pay. MaximumLeverage is the venue's, MaintenanceRate the part of a
	// position's value that it wants as margin.
	FundingHourly, MaximumLeverage, MaintenanceRate float64
	// TickSize is the smallest step of an outcome's price.
	TickSize float64
}

// What stands in for facts that nobody told: on the dear side of what is usual.
const (
	// perpFee is what takers without discounts pay (Hyperliquid docs, "Fees").
	perpFee = 0.00045
	// poolFee is that of the most usual pools (Adams et al. 2020, Uniswap v2 Core).
	poolFee = 0.003
	// outcomeFee is the highest rate that the prediction venue asks for in any of its categories.
	outcomeFee = 0.07
	// usualTick is the step of most outcomes' prices.
	usualTick = 0.01
	// unknownVolumeUSD is a day's volume of a thin contract, unknownBookUSD a thin book of an outcome.
	unknownVolumeUSD, unknownBookUSD = 1_000_000, 1_000
	// dailyVolatility stands for every contract's in the square-root law.
	dailyVolatility = 0.04
	// unknownRoundLoss is what selling a token costs whose pool's depth nobody knows.
	unknownExitLoss = 0.10
	// unknownMaintenance is the maintenance rate of a contract with a maximum leverage of 20.
	unknownMaintenance = 0.025
)

// halfSpread is what crossing to the other side of the book costs, as a part of the price. On perpetuals it goes by a day's volume where
// the venue tells no spread: 1, 2.5 or 10 basis points from 100 and 10 million dollars on, and below. On prediction markets it is at least
// one step of the price. A pool has none.
func (q *Quote) halfSpread(venue agent.Venue) float64 {
	switch venue {
	case agent.Perps:
		if q.Spread >= 0 {
			return q.Spread / 2
		}
		switch volume := q.depth(venue); {
		case volume >= 100e6:
			return 0.0001
		case volume >= 10e6:
			return 0.00025
		}
		return 0.001
	case agent.Prediction:
		tick := q.TickSize
		if !known(tick) {
			tick = usualTick
		}
		half := tick / q.Price
		if q.Spread >= 0 {
			half = max(half, q.Spread/2)
		}
		return half
	}
	return 0
}

// depth is DepthUSD or what stands in for it; 0 on spot where it is unknown.
func (q *Quote) depth(venue agent.Venue) float64 {
	switch {
	case known(q.DepthUSD):
		return q.DepthUSD
	case math.IsNaN(q.DepthUSD) && venue == agent.Perps:
		return unknownVolumeUSD
	case math.IsNaN(q.DepthUSD) && venue == agent.Prediction:
		return unknownBookUSD
	}
	return 0
}

// impact is how far an order of so many USD moves its own mean price against itself, as a part of the price, beside the spread; infinite
// where there is nothing to trade against.
//
//   - Spot: size/quote side, which is exact for a purchase from a constant-product pool (Adams et al. 2020).
//   - Perpetuals: the square-root law, volatility·√(size/volume of a day) (Almgren et al. 2005; Tóth et al. 2011).
//   - Prediction markets: size/book, as if what rests in the book were spread evenly over the prices.
func (q *Quote) impact(venue agent.Venue, sizeUSD float64) float64 {
	depth := q.depth(venue)
	if !(depth > 0) {
		return math.Inf(1)
	}
	if venue == agent.Perps {
		return dailyVolatility * math.Sqrt(max(0, sizeUSD)/depth)
	}
	return max(0, sizeUSD) / depth
}

// sizeWithin is the largest order in USD whose impact stays within a part of the price: the inverse of impact.
func (q *Quote) sizeWithin(venue agent.Venue, impact float64) float64 {
	depth := q.depth(venue)
	if !(impact > 0) || !(depth > 0) {
		return 0
	}
	if venue == agent.Perps {
		return depth * (impact / dailyVolatility) * (impact / dailyVolatility)
	}
	return depth * impact
}

// feeRate is FeeRate or what stands in for it.
func (q *Quote) feeRate(venue agent.Venue) float64 {
	if q.FeeRate >= 0 && q.FeeRate < 1 {
		return q.FeeRate
	}
	switch venue {
	case agent.Perps:
		return perpFee
	case agent.Prediction:
		return outcomeFee
	}
	return poolFee
}

// maintenance is MaintenanceRate or what stands in for it.
func (q *Quote) maintenance() float64 {
	if q.MaintenanceRate > 0 && q.MaintenanceRate < 1 {
		return q.MaintenanceRate
	}
	return unknownMaintenance
}

// tax is a token's tax where it is known, and nothing otherwise.
func tax(x float64) float64 {
	if x > 0 {
		return min(1, x)
	}
	return 0
}
