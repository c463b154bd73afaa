package copytrade

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
)

// The weights of reasons: what stops a copy first, then what limits its size by how much it does, then what else to know.
const (
	stopWeight    = 100
	limitWeight   = 20 // of a limit that leaves nothing
	touchWeight   = 12
	leverWeight   = 11
	heavyWeight   = 9
	closeWeight   = 10
	crowdedWeight = 8
	assumeWeight  = 7
	thinWeight    = 6
	isolateWeight = 4
	paidWeight    = 3
	openWeight    = 1
)

func because(code string, weight float64, template string, values ...any) reason.Reason {
	return reason.Reason{Code: code, Weight: weight, Text: fmt.Sprintf(template, values...)}
}

func (d *ruling) reasons() []reason.Reason {
	var all []reason.Reason
	for _, some := range [...][]reason.Reason{d.gradeReasons(), d.liquidationReasons(), d.fundingReasons(), d.volatilityReasons(), d.marketReasons()} {
		all = append(all, some...)
	}
	return all
}

// limiting is the weight of one of the size's caps.
func (d *ruling) limiting(of string) float64 {
	for _, c := range d.caps {
		if c.of == of {
			return limitWeight * (1 - min(max(c.at, 0), 1))
		}
	}
	return 0
}

func (d *ruling) gradeReasons() []reason.Reason {
	atMost := gradeCaps[d.grade]
	switch d.grade {
	case "F":
		return []reason.Reason{because("GRADE_F", stopWeight, "The leader's grade is F: no size of its trades is worth copying, against up to %s at grade A.", percentText(1))}
	case "":
		return []reason.Reason{because("GRADE_UNKNOWN", d.limiting(capGrade), "No grade of the leader is known, so a copy is at most %s of full size; at grade A it could be all of it.",
			percentText(atMost))}
	case "A":
		return []reason.Reason{because("GRADE", openWeight, "The leader's grade is A, which allows %s of full size.", percentText(atMost))}
	}
	return []reason.Reason{because("GRADE_CAP", d.limiting(capGrade), "The leader's grade is %s, which allows %s of full size at most.", d.grade, percentText(atMost))}
}

func (d *ruling) liquidationReasons() []reason.Reason {
	var all []reason.Reason
	held := display.DurationText(time.Duration(d.holdTime.value * float64(time.Hour)))
	switch {
	case d.maximum == 0:
	case d.touch > mostTouch:
		all = append(all, because("LIQ_TOUCH", max(touchWeight, d.limiting(capTouch)),
			"Even at %s the chance of touching liquidation within %s is %s, more than the %s that is accepted; the size is cut for it.",
			leverageText(d.follower), held, chanceText(d.touch), percentText(mostTouch)))
	default:
		all = append(all, because("LIQ_TOUCH", touchWeight, "At %s the chance of touching liquidation, %s away, within %s is %s; up to %s is accepted.",
			leverageText(d.follower), percentText(d.distance), held, chanceText(d.touch), percentText(mostTouch)))
	}
	if d.overlevered() {
		all = append(all, because("OVERLEV", leverWeight, "The leader uses %s, more than the %s that %s.", leverageText(d.leverage), leverageText(float64(d.maximum)), d.ceiling(held)))
	}
	switch {
	case d.leaderDistance <= 0:
		all = append(all, because("LIQ_CLOSE", stopWeight, "The price has reached the leader's liquidation price; at least %s of distance is asked for.", percentText(leastDistance)))
	case d.leaderDistance < leastDistance:
		all = append(all, because("LIQ_CLOSE", stopWeight, "The leader's liquidation is %s away, less than the %s below which nothing is copied.",
			percentText(d.leaderDistance), percentText(leastDistance)))
	case d.leaderDistance < closeLiquidation:
		all = append(all, because("LIQ_CLOSE", closeWeight, "The leader's liquidation is %s away, against a typical day's move of %s.",
			percentText(d.leaderDistance), percentText(d.daily())))
	}
	if d.chasing() {
		left := "nothing"
		if d.reward > d.gained {
			left = "only " + percentText(d.reward-d.gained)
		}
		all = append(all, because("CHASING", stopWeight, "Since the leader's entry the price has moved %s its way; of the %s that such a trade is taken to be after, %s is left.",
			percentText(d.gained), percentText(d.reward), left))
	}
	if d.isolated() && !d.onlyIsolated {
		all = append(all, because("ISOLATED", isolateWeight, "With a %s chance of liquidation, margin of its own keeps a loss from the rest of the account.", chanceText(d.touch)))
	}
	return all
}

// ceiling says what sets the maximum leverage.
func (d *ruling) ceiling(held string) string {
	switch {
	case d.maximum >= mostLeverage:
		return "is ever recommended"
	case float64(d.maximum+1) > d.venueMaximum.value && d.venueMaximum.source != byDefault:
		return "the venue allows"
	case float64(d.maximum+1) > d.venueMaximum.value:
		return "is supposed to be the venue's maximum"
	case d.touch > mostTouch:
		return "is the least there is"
	}
	return "keeps the chance of liquidation within " + held + " at " + percentText(mostTouch) + " or less"
}

func (d *ruling) fundingReasons() []reason.Reason {
	at := leverageText(d.leastLeverage())
	switch {
	case d.fundingOfMargin > mostFunding:
		return []reason.Reason{because("FUNDING_BLOCKED", stopWeight, "Funding costs %s of the margin a day at %s, more than the %s above which nothing is copied.",
			percentText(d.fundingOfMargin), at, percentText(mostFunding))}
	case d.fundingOfMargin > heavyFunding:
		return []reason.Reason{because("FUNDING_HEAVY", max(heavyWeight, d.limiting(capFunding)), "Funding costs %s of the margin a day at %s; more than %s is heavy.",
			percentText(d.fundingOfMargin), at, percentText(heavyFunding))}
	case d.paid():
		return []reason.Reason{because("FUNDING_PAYS", paidWeight, "Funding pays this side %s of the position a day at present, and can turn within the hour.", percentText(-d.funding))}
	}
	return []reason.Reason{because("FUNDING_LIGHT", openWeight, "Funding costs %s of the margin a day at %s; up to %s is light.",
		percentText(max(0, d.fundingOfMargin)), at, percentText(heavyFunding))}
}

func (d *ruling) volatilityReasons() []reason.Reason {
	var all []reason.Reason
	move := d.daily() * d.leastLeverage()
	source := ""
	if d.volatility.source == fromVenue {
		source = fmt.Sprintf(", measured on %s,", display.Count(d.volatilityDays, "day"))
	}
	if move > targetVolatility {
		all = append(all, because("VOLATILITY_CAP", max(openWeight, d.limiting(capVolatility)), "A typical day's move of %s%s is %s of the margin at %s; full size is for %s at most.",
			percentText(d.daily()), source, percentText(move), leverageText(d.leastLeverage()), percentText(targetVolatility)))
	} else {
		all = append(all, because("VOLATILITY", openWeight, "A typical day's move of %s%s is %s of the margin at %s, within the %s of a full size.",
			percentText(d.daily()), source, percentText(move), leverageText(d.leastLeverage()), percentText(targetVolatility)))
	}
	if d.volatility.source == byDefault {
		known := "No volatility is known"
		if d.coin && d.listed {
			known = fmt.Sprintf("Only %s of prices can be used, against the %d needed", display.Count(d.volatilityDays, "day"), leastDays)
			if d.volatilityDays >= leastDays {
				known = fmt.Sprintf("On %s the price hardly moved, which measures nothing", display.Count(d.volatilityDays, "day"))
			}
		}
		all = append(all, because("VOL_ASSUMED", assumeWeight, "%s: %s a day is assumed, as for contracts with up to %s.",
			known, percentText(d.volatility.value), leverageText(d.venueMaximum.value)))
	}
	return all
}

func (d *ruling) marketReasons() []reason.Reason {
	var all []reason.Reason
	if d.crowded() {
		all = append(all, because("CROWDED", crowdedWeight, "This side pays more funding than %s of %s; the crowd is on it.",
			percentText(d.crowding), display.Count(d.contracts, "other contract")))
	}
	switch share := d.shareOfMarket(); {
	case math.IsInf(share, 1):
		all = append(all, because("THIN_MARKET", thinWeight, "Nothing of the contract was traded in a day, or nobody holds it; a copy may find no way out."))
	case share > thinShare:
		all = append(all, because("THIN_MARKET", thinWeight, "A full copy would be %s of what is traded of the contract in a day or held open; above %s it moves the price against itself.",
			percentText(share), percentText(thinShare)))
	}
	if math.IsNaN(d.crowding) {
		switch {
		case !d.coin:
			all = append(all, because("UNCHECKED", openWeight, "No coin was named, so nothing tells whether this side is crowded or the market thin."))
		case !d.listed:
			all = append(all, because("UNCHECKED", openWeight, "The venue's contracts could not be read, so nothing tells whether this side is crowded or the market thin."))
		default:
			all = append(all, because("UNCHECKED", openWeight, "With %s to compare with, where %d are needed, nothing tells whether this side is crowded.",
				display.Count(d.contracts, "other contract"), leastContracts))
		}
	}
	return all
}

// leverageText writes a leverage, like "10x".
func leverageText(leverage float64) string {
	return strconv.FormatFloat(display.Round(leverage, 2), 'f', -1, 64) + "x"
}

// percentText writes a fraction as the fields do, with two decimals at most.
func percentText(fraction float64) string {
	return strconv.FormatFloat(display.Round(fraction*100, 2), 'f', -1, 64) + "%"
}

// chanceText writes a probability.
func chanceText(p float64) string {
	if p < 0.001 {
		return "less than 0.1%"
	}
	return strconv.FormatFloat(display.Round(p*100, 1), 'f', -1, 64) + "%"
}
