package tokenrisk

import (
	"math"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenfacts"
)

// Limits of a collapse. A pool that is sold into until the price has lost nineteen parts of twenty keeps about a fifth of its money.
const (
	collapseWindow  = 6 * time.Hour
	collapsedPrice  = 0.05 // of the price before
	drainedFraction = 0.05 // of the best day's trading
	removedFraction = 0.01 // of the best day's trading
	thinUSD         = 1_000
	realTradingUSD  = 10_000
)

// judgeDepth judges whether the liquidity was taken out: next to nothing is left in all pools together, where the chart shows that there
// was real trading. One drained pool is no sign while another is deep: well-known tokens move between pools.
func (j *judgement) judgeDepth(f *Facts) {
	depth := tokenfacts.LiquidityUSD(f.Pools)
	if math.IsNaN(depth) || depth >= thinUSD {
		return
	}
	if best := bestDayUSD(f.Chart); best >= realTradingUSD && depth <= removedFraction*best {
		j.find(floorCritical, "LP_REMOVED", "Next to nothing is left of the liquidity that the token was traded with.")
		return
	}
	j.find(floorMedium, "THIN", "There is next to no liquidity to sell into.")
}

// bestDayUSD is the largest volume of a day in the chart.
func bestDayUSD(chart *tokenfacts.Chart) float64 {
	if chart == nil {
		return 0
	}
	best, sum, day := 0.0, 0.0, time.Time{}
	for i := range chart.Hours {
		candle := &chart.Hours[i]
		if at := candle.Time.Truncate(24 * time.Hour); !at.Equal(day) {
			day, sum = at, 0
		}
		if candle.VolumeUSD > 0 && !math.IsInf(candle.VolumeUSD, 1) {
			sum += candle.VolumeUSD
		}
		best = max(best, sum)
	}
	return best
}

// judgeCollapse judges whether the token was sold out: the price lost nearly all of itself within hours and has not come back, and the
// liquidity is a small part of what the trading says it was. Neither alone is a sign: prices of sound tokens fall, and liquidity moves.
// Whoever could create tokens or take them may have done it.
func (j *judgement) judgeCollapse(f *Facts) {
	depth, best := tokenfacts.LiquidityUSD(f.Pools), bestDayUSD(f.Chart)
	if !(depth <= drainedFraction*best) || best < realTradingUSD || !collapsed(f.Chart.Hours) {
		return
	}
	const text = "The price fell by 95%% or more within hours and has not come back, and the liquidity is small against what was traded"
	switch powerful := f.couldSellOut(); {
	case powerful && depth < thinUSD:
		j.find(floorCritical, "DUMPED", text+"; somebody had, or could create or take, many tokens to sell.")
	case powerful:
		j.find(floorHigh, "DUMPED", text+"; somebody had, or could create or take, many tokens to sell.")
	default:
		j.find(floorMedium, "DUMPED", text+".")
	}
}

// collapsed tells whether the price fell to a twentieth within a few hours and is still there. Candles are in time order.
func collapsed(hours []market.Candle) bool {
	if len(hours) == 0 {
		return false
	}
	last := hours[len(hours)-1].Close
	for i := range hours {
		before := hours[i].Open
		if !(before > 0 && last <= collapsedPrice*before) || math.IsInf(before, 1) {
			continue
		}
		for _, later := range hours[i:] {
			if later.Time.Sub(hours[i].Time) >= collapseWindow {
				break
			}
			if later.Close <= collapsedPrice*before {
				return true
			}
		}
	}
	return false
}

// couldSellOut tells whether somebody can, or until lately could, get hold of tokens that nobody had: by creating or taking them, or by
// what the creator kept. Ownership that is given up after the deed is no excuse.
func (f *Facts) couldSellOut() bool {
	if f.Code.Mints || f.Code.Leaks || f.replaceable() {
		return true
	}
	s := &f.Security
	return s.Known && (s.Mintable == market.Yes || s.OwnerChangesBalance == market.Yes || s.HiddenOwner == market.Yes ||
		s.TakesBackOwnership == market.Yes || s.CreatorShare > creatorMedium)
}
