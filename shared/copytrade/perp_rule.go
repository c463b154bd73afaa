package copytrade

import (
	"math"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/margin"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
)

const (
	// mostLeverage is the highest that is ever recommended.
	mostLeverage = 20
	// mostTouch is the highest accepted chance of liquidation within the holding time; tailFactor widens the normal distribution for the
	// fat tails of prices.
	mostTouch, tailFactor = 0.05, 1.3
	// targetVolatility is the part of the margin that a typical day may move at full size.
	targetVolatility = 0.20
	// Funding is told by the part of the margin that it costs a day.
	heavyFunding, mostFunding = 0.005, 0.03
	// A leader this near to its liquidation is not copied, and one within closeLiquidation is pointed out.
	leastDistance, closeLiquidation = 0.02, 0.05
	// mostReward is the largest move that a trade is taken to be after, and chasedShare the part of what is left of it that may have
	// passed already.
	mostReward, chasedShare = 0.20, 0.5
	// sizeSteps is how many steps a full size has.
	sizeSteps = 20
)

// gradeCaps are the largest parts of a full size by the leader's grade, the unknown one among them.
var gradeCaps = map[string]float64{"A": 1, "B": 0.75, "C": 0.4, "": 0.25, "D": 0.15, "F": 0}

// ruling is a decision in fractions, before it is rounded.
type ruling struct {
	*perpTerms
	// funding is the part of the position's value that it costs a day, fundingOfMargin that of the margin at the leader's leverage;
	// negative for what is received.
	funding, fundingOfMargin float64
	// maximum is the highest bearable leverage, follower the one that a copy takes, distance and touch how far and how likely its
	// liquidation is. Where maximum is 0 the others are NaN.
	maximum                   int
	follower, distance, touch float64
	// leaderDistance is how far the leader's liquidation is.
	leaderDistance float64
	// gained is the part of the entry price that the price has moved the leader's way, reward the move that the trade is taken to be
	// after. gained is NaN where entry or mark are unknown.
	gained, reward float64
	caps           []sizeCap
	size           float64
}

// sizeCap is one of the limits of the size.
type sizeCap struct {
	of string
	at float64
}

// What limits a size.
const (
	capVolatility = "volatility"
	capTouch      = "touch"
	capGrade      = "grade"
	capFunding    = "funding"
)

// assessPerp decides. Everything that depends on time was read when the terms were gathered.
func assessPerp(t *perpTerms, _ time.Time) PerpCopyDecisionAnswer {
	d := rule(t)
	answer := PerpCopyDecisionAnswer{
		Copy: d.size > 0, MaxLeverage: d.maximum, SizeFactor: d.size, LiqDistancePct: display.Percent(d.distance),
		FundingCostDaily: display.Percent(d.funding), TouchProbability: display.Probability(d.touch), Flags: d.flags(),
		Assumptions: PerpAssumptions{
			MaxLeverage:           assumption(t.venueMaximum, 2),
			MaintenanceMarginRate: assumption(t.maintenance, 5),
			DailyVolPct:           assumption(figure{t.volatility.value * 100, t.volatility.source}, 2),
			HoldHours:             assumption(t.holdTime, 2),
		},
		Reasons: reason.Top(d.reasons()),
	}
	if !math.IsNaN(t.allocation) {
		cents := math.Floor(t.allocation*d.size*100+1e-6) / 100
		answer.AllocationUSD = &cents
	}
	return answer
}

func assumption(f figure, decimals int) Assumption {
	return Assumption{display.Round(f.value, decimals), f.source}
}

// rule applies the rules. Each of its results moves one way only with volatility, leverage, funding, holding time, maintenance rate,
// venue maximum and grade; that is why sizes are told by the leader's leverage and not by the one that a copy takes, which falls in
// steps as volatility rises.
func rule(t *perpTerms) *ruling {
	d := &ruling{perpTerms: t, distance: math.NaN(), touch: math.NaN(), follower: math.NaN()}
	leverage := t.leastLeverage()
	d.funding = sign(t.side) * t.fundingHourly * 24
	d.fundingOfMargin = d.funding * leverage
	d.maximum = d.bearable()
	if d.maximum > 0 {
		d.follower = min(leverage, float64(d.maximum))
		d.distance, d.touch = d.liquidationAt(d.follower)
	}
	d.leaderDistance = d.distanceOfLeader()
	d.measureChase()
	d.caps = []sizeCap{
		{capVolatility, targetVolatility / (d.daily() * leverage)},
		{capGrade, gradeCaps[t.grade]},
		{capFunding, 1 - d.fundingOfMargin/mostFunding},
	}
	if d.maximum > 0 {
		d.caps = append(d.caps, sizeCap{capTouch, mostTouch / d.touch})
	}
	d.size = d.sized()
	return d
}

// sign is 1 for a long position, which pays funding where the rate is above 0, and -1 for a short one.
func sign(side margin.Side) float64 { return float64(side) }

// daily is the daily volatility, kept off zero.
func (d *ruling) daily() float64 { return max(d.volatility.value, leastVolatility) }

// liquidationAt is how far a copy at a leverage is from liquidation, and the chance that the price gets there while it is held.
func (d *ruling) liquidationAt(leverage float64) (distance, touch float64) {
	distance = margin.FollowerDistance(d.side, leverage, d.maintenance.value)
	return distance, margin.TouchProbability(d.side, distance, d.daily(), d.holdTime.value/24, tailFactor)
}

// bearable is the highest whole leverage, at most the venue's and mostLeverage, at which liquidation is unlikely enough. It is 1 where
// none is, since venues offer no less, and 0 where funding would cost too much of the margin even then.
func (d *ruling) bearable() int {
	if d.funding > mostFunding {
		return 0
	}
	for leverage := int(min(d.venueMaximum.value, mostLeverage)); leverage > 1; leverage-- {
		if _, touch := d.liquidationAt(float64(leverage)); touch <= mostTouch {
			return leverage
		}
	}
	return 1
}

// distanceOfLeader is that of the leader's liquidation price, or of a position with margin of its own where none is given.
func (d *ruling) distanceOfLeader() float64 {
	if !math.IsNaN(d.liquidation) {
		return margin.Distance(d.side, d.markPrice, d.liquidation)
	}
	return d.isolatedDistance()
}

// isolatedDistance is how far a position at the leader's leverage is from liquidation when it is opened with margin of its own. A
// leverage that the leader has is one that the venue allows, or allowed: a maintenance rate that is only supposed cannot be above half
// the initial rate.
func (d *ruling) isolatedDistance() float64 {
	rate := d.maintenance.value
	if d.maintenance.source != fromRequest {
		rate = min(rate, maintenanceOf(d.leastLeverage()))
	}
	return margin.FollowerDistance(d.side, d.leastLeverage(), rate)
}

// measureChase tells how much of the leader's trade has happened. The trade is taken to be after what its margin risks, the distance
// to liquidation at its leverage, and after mostReward at the most. That measure does not grow with volatility or holding time, so that
// neither makes a late copy look timely.
func (d *ruling) measureChase() {
	d.gained = sign(d.side) * (d.markPrice - d.entryPrice) / d.entryPrice
	d.reward = min(mostReward, d.isolatedDistance())
}

// chasing is true when the price has moved further from the leader's entry than half of the reward that is left.
func (d *ruling) chasing() bool { return d.gained > chasedShare*(d.reward-d.gained) }

// stopped is true when the trade is not worth a copy of any size, whoever the leader is.
func (d *ruling) stopped() bool {
	return d.maximum == 0 || d.fundingOfMargin > mostFunding || d.leaderDistance < leastDistance || d.chasing()
}

// sized is the smallest of the caps, down to a whole step, and 0 where the copy is stopped.
func (d *ruling) sized() float64 {
	if d.stopped() {
		return 0
	}
	size := 1.0
	for _, c := range d.caps {
		size = min(size, c.at)
	}
	const rounding = 1e-9 // 0.15 is three steps of 0.05, whatever its last bit
	return max(0, math.Floor(size*sizeSteps+rounding)) / sizeSteps
}
