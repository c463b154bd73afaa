package margin

import (
	"fmt"
	"math"
	"sort"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// Schedule is a contract's maintenance margin by the value of a position. Its zero value is no schedule: it measures nothing.
type Schedule struct{ tiers []tier }

type tier struct {
	fromUSD float64
	// rate is the part of the value that is needed; deductionUSD makes the need continuous from tier to tier.
	rate, deductionUSD float64
}

// NewSchedule makes a schedule of a contract's margin tiers, which must begin at 0, ascend, and allow leverages above one half
// that never rise from tier to tier. The maintenance rate of a tier is half its initial rate, 1/(2·leverage); its deduction is that of the tier below plus its lower
// bound times the step of the rate (Hyperliquid, "Margin tiers").
func NewSchedule(tiers []market.MarginTier) (Schedule, error) {
	if len(tiers) == 0 {
		return Schedule{}, fmt.Errorf("margin tiers: none")
	}
	made := make([]tier, len(tiers))
	for i, t := range tiers {
		ascends := i == 0 && t.FromUSD == 0 || i > 0 && t.FromUSD > tiers[i-1].FromUSD && !math.IsInf(t.FromUSD, 1)
		tightens := i == 0 || t.MaximumLeverage <= tiers[i-1].MaximumLeverage
		if !ascends || !tightens || !(t.MaximumLeverage > 0.5) || math.IsInf(t.MaximumLeverage, 1) {
			return Schedule{}, fmt.Errorf("margin tiers: tier %d from %v at leverage %v", i, t.FromUSD, t.MaximumLeverage)
		}
		made[i] = tier{fromUSD: t.FromUSD, rate: 1 / (2 * t.MaximumLeverage)}
		if i > 0 {
			made[i].deductionUSD = made[i-1].deductionUSD + t.FromUSD*(made[i].rate-made[i-1].rate)
		}
	}
	return Schedule{made}, nil
}

// SingleTier is the schedule of a contract with one maximum leverage for positions of every size.
func SingleTier(maximumLeverage float64) (Schedule, error) {
	return NewSchedule([]market.MarginTier{{MaximumLeverage: maximumLeverage}})
}

// Rate is the maintenance rate of the tier of a position worth so much, a fraction; NaN without a schedule or value.
func (s Schedule) Rate(valueUSD float64) float64 {
	t, found := s.at(valueUSD)
	if !found {
		return math.NaN()
	}
	return t.rate
}

// Maintenance is the margin in USD that a position worth so much needs in order not to be liquidated: value·rate − deduction.
// It is NaN without a schedule or value.
func (s Schedule) Maintenance(valueUSD float64) float64 {
	t, found := s.at(valueUSD)
	if !found {
		return math.NaN()
	}
	return valueUSD*t.rate - t.deductionUSD
}

func (s Schedule) at(valueUSD float64) (tier, bool) {
	if len(s.tiers) == 0 || !(valueUSD >= 0) {
		return tier{}, false
	}
	above := sort.Search(len(s.tiers), func(i int) bool { return s.tiers[i].fromUSD > valueUSD })
	return s.tiers[above-1], true
}
