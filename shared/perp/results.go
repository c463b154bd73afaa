package perp

import (
	"fmt"
	"math"

	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/perprecord"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
)

// resultReasons says how closed trades and positions went.
func resultReasons(record *perprecord.Record, h history) []reason.Reason {
	positions := len(record.Book.Episodes)
	template := "Won %d of %s after their own fees; on the %s behind them the true rate is likely %s to %s."
	if positions < smallSample {
		template = "Won %d of %s after their own fees; with only %s behind them the true rate could be %s to %s."
	}
	reasons := []reason.Reason{because("WIN_RATE", 64, template, h.won, display.Count(h.orders, "closing trade"),
		display.Count(positions, "closed position"), display.PercentText(h.low), display.PercentText(h.high))}
	switch {
	case h.fundingMatters:
		reasons = append(reasons, because("PF_UNKNOWN", 60,
			"What positions gained over what they lost is not told: funding is much of it here, and not known for %d of %s.",
			h.fundingUnknown, display.Count(positions, "closed position")))
	case math.IsNaN(h.profitFactor) && positions < smallSample:
		reasons = append(reasons, because("PF_NONE", 60, "No losing position yet, which on %s proves little.", display.Count(positions, "closed position")))
	case math.IsNaN(h.profitFactor):
		reasons = append(reasons, because("PF_NONE", 60, "No losing position among %d, which can also mean that losers are kept open.", positions))
	case h.profitFactor < 1 && h.low > 0.5:
		reasons = append(reasons, because("PF", 63, "Wins more often than it loses, but positions gained only %s for every 1 lost after fees%s, where 1 is break-even%s.",
			factorText(h.profitFactor), h.fundingText(positions), sample(positions)))
	default:
		reasons = append(reasons, because("PF", 60, "Closed positions gained %s for every 1 lost after fees%s, where 1 is break-even%s.",
			factorText(h.profitFactor), h.fundingText(positions), sample(positions)))
	}
	return append(reasons, oneCoinReasons(record)...)
}

// fundingText says of how many positions a result is without funding.
func (h history) fundingText(positions int) string {
	switch h.fundingUnknown {
	case 0:
		return " and funding"
	case positions:
		return ", without funding"
	}
	return fmt.Sprintf(", without the funding of %d of %d", h.fundingUnknown, positions)
}

func factorText(factor float64) string {
	if factor > 1000 {
		return "more than 1000"
	}
	return fmt.Sprintf("%.2f", factor)
}

func sample(positions int) string {
	if positions >= smallSample {
		return ""
	}
	return fmt.Sprintf(" (only %s, so uncertain)", display.Count(positions, "position"))
}

// oneCoinShare is the part of what coins earned on the whole from which on one of them is said to have earned it.
const oneCoinShare = 0.8

// oneCoinReasons says where an account earned on the whole, and nearly all of it on a single one of several coins.
func oneCoinReasons(record *perprecord.Record) []reason.Reason {
	var coins []string
	sums := make(map[string]float64)
	for i := range record.Book.Episodes {
		e := &record.Book.Episodes[i]
		if _, seen := sums[e.Coin]; !seen {
			coins = append(coins, e.Coin)
		}
		sums[e.Coin] += e.NetUSD()
	}
	best, gains, total := "", 0., 0.
	for _, coin := range coins {
		total += sums[coin]
		gains += max(0, sums[coin])
		if best == "" || sums[coin] > sums[best] {
			best = coin
		}
	}
	if len(coins) < 2 || !(sums[best] >= oneCoinShare*gains) || !(total > 0) {
		return nil
	}
	without := "brought little"
	if total < sums[best] {
		without = "lost"
	}
	switch share := sums[best] / gains; {
	case share == 1:
		return []reason.Reason{because("ONE_COIN", 42, "Only %s of %d coins traded made money on the whole; the others together %s%s.",
			coinName(best), len(coins), without, sample(len(record.Book.Episodes)))}
	case share >= 0.995:
		return []reason.Reason{because("ONE_COIN", 42, "Nearly all that coins earned on the whole came from %s, one of %d traded; the others together %s%s.",
			coinName(best), len(coins), without, sample(len(record.Book.Episodes)))}
	}
	return []reason.Reason{because("ONE_COIN", 42, "%s of what coins earned on the whole came from %s, one of %d traded; the others together %s%s.",
		display.PercentText(sums[best]/gains), coinName(best), len(coins), without, sample(len(record.Book.Episodes)))}
}
