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
	closeWeight   = 10
	heavyWeight   = 9
	crowdedWeight = 8
	assumeWeight  = 7
	thinWeight    = 6
	isolateWeight = 4
	paidWeight    = 3
	openWeight    = 1
)

// explanation collects the reasons of a decision.
type explanation struct {
	*ruling
	said []reason.Reason
}

// add makes a reason of a template and its numbers.
func (e *explanation) add(code string, weight float64, template string, values ...any) {
	e.said = append(e.said, reason.Reason{Code: code, Weight: weight, Text: fmt.Sprintf(template, values...)})
}

func (d *ruling) reasons() []reason.Reason {
	e := &explanation{ruling: d}
	e.explainGrade()
	e.explainLiquidation()
	e.explainLeader()
	e.explainFunding()
	e.explainVolatility()
	e.explainMarket()
	e.explainNothingLeft()
	return e.said
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

func (e *explanation) explainGrade() {
	atMost := percentText(gradeCaps[e.grade])
	switch e.grade {
	case "F":
		e.add("GRADE_F", stopWeight, "The leader's grade is F: no size of its trades is worth copying, against up to %s at grade A.", percentText(1))
	case "":
		e.add("GRADE_UNKNOWN", e.limiting(capGrade),
			"No grade of the leader is known, so a copy is at most %s of full size; at grade A it could be all of it.", atMost)
	case "A":
		e.add("GRADE", openWeight, "The leader's grade is A, which allows %s of full size.", atMost)
	default:
		e.add("GRADE_CAP", e.limiting(capGrade), "The leader's grade is %s, which allows %s of full size at most.", e.grade, atMost)
	}
}

// explainLiquidation says how likely the copy is to be liquidated.
func (e *explanation) explainLiquidation() {
	held := display.DurationText(time.Duration(e.holdTime.value * float64(time.Hour)))
	switch {
	case e.maximum == 0:
	case e.touch > mostTouch:
		e.add("LIQ_TOUCH", max(touchWeight, e.limiting(capTouch)),
			"Even at %s the chance of touching liquidation within %s is %s, more than the %s that is accepted; the size is cut for it.",
			leverageText(e.follower), held, chanceText(e.touch), percentText(mostTouch))
	default:
		e.add("LIQ_TOUCH", touchWeight, "At %s the chance of touching liquidation, %s away, within %s is %s; up to %s is accepted.",
			leverageText(e.follower), percentText(e.distance), held, chanceText(e.touch), percentText(mostTouch))
	}
	if e.overlevered() {
		e.add("OVERLEV", leverWeight, "The leader uses %s, more than the %s that %s.",
			leverageText(e.leverage), leverageText(float64(e.maximum)), e.ceiling(held))
	}
	if e.isolated() && !e.onlyIsolated {
		e.add("ISOLATED", isolateWeight, "At a chance of liquidation of %s, margin of its own keeps a loss from the rest of the account.",
			chanceText(e.touch))
	}
}

// ceiling says what sets the maximum leverage.
func (d *ruling) ceiling(held string) string {
	switch {
	case d.maximum >= mostLeverage:
		return "is ever recommended"
	case float64(d.maximum+1) > d.venueMaximum.value && d.venueMaximum.source == byDefault:
		return "is supposed to be the venue's maximum"
	case float64(d.maximum+1) > d.venueMaximum.value:
		return "the venue allows"
	case d.touch > mostTouch:
		return "is the least there is"
	}
	return "keeps the chance of liquidation within " + held + " at " + percentText(mostTouch) + " or less"
}

// explainLeader says how the leader's own position stands.
func (e *explanation) explainLeader() {
	distance := "The leader's liquidation is " + percentText(e.leaderDistance)
	if math.IsNaN(e.liquidation) {
		distance = "At " + leverageText(e.leastLeverage()) + ", with margin of its own, the leader's liquidation is " + percentText(e.leaderDistance)
	}
	switch {
	case e.leaderDistance <= 0:
		e.add("LIQ_CLOSE", stopWeight, "The price has reached the leader's liquidation price; at least %s of distance is asked for.",
			percentText(leastDistance))
	case e.leaderDistance < leastDistance:
		e.add("LIQ_CLOSE", stopWeight, "%s away, less than the %s below which nothing is copied.", distance, percentText(leastDistance))
	case e.leaderDistance < closeLiquidation:
		e.add("LIQ_CLOSE", closeWeight, "%s away, against a typical day's move of %s.", distance, percentText(e.daily()))
	}
	if e.chasing() {
		left := "nothing"
		if e.reward > e.gained {
			left = "only " + percentText(e.reward-e.gained)
		}
		e.add("CHASING", stopWeight,
			"Since the leader's entry the price has moved %s its way; of the %s that such a trade is taken to be after, %s is left.",
			percentText(e.gained), percentText(e.reward), left)
	}
}

func (e *explanation) explainFunding() {
	at := leverageText(e.leastLeverage())
	switch {
	case e.fundingOfMargin > mostFunding:
		e.add("FUNDING_BLOCKED", stopWeight, "Funding costs %s of the margin a day at %s, more than the %s above which nothing is copied.",
			percentText(e.fundingOfMargin), at, percentText(mostFunding))
	case e.fundingOfMargin > heavyFunding:
		e.add("FUNDING_HEAVY", max(heavyWeight, e.limiting(capFunding)), "Funding costs %s of the margin a day at %s; more than %s is heavy.",
			percentText(e.fundingOfMargin), at, percentText(heavyFunding))
	case e.paid():
		e.add("FUNDING_PAYS", paidWeight, "Funding pays this side %s of the position a day at present, and can turn within the hour.",
			percentText(-e.funding))
	default:
		e.add("FUNDING_LIGHT", openWeight, "Funding costs %s of the margin a day at %s; up to %s is light.",
			percentText(max(0, e.fundingOfMargin)), at, percentText(heavyFunding))
	}
}

func (e *explanation) explainVolatility() {
	daily, move, at := percentText(e.daily()), e.daily()*e.leastLeverage(), leverageText(e.leastLeverage())
	if e.volatility.source == fromVenue {
		daily += ", measured on " + display.Count(e.volatilityDays, "day") + ","
	}
	if move > targetVolatility {
		e.add("VOLATILITY_CAP", max(openWeight, e.limiting(capVolatility)),
			"A typical day's move of %s is %s of the margin at %s; full size is for %s at most.", daily, percentText(move), at, percentText(targetVolatility))
	} else {
		e.add("VOLATILITY", openWeight,
			"A typical day's move of %s is %s of the margin at %s, within the %s of a full size.", daily, percentText(move), at, percentText(targetVolatility))
	}
	if e.volatility.source != byDefault {
		return
	}
	known := "No volatility is known"
	switch days := display.Count(e.volatilityDays, "day"); {
	case e.coin && e.listed && e.volatilityDays >= leastDays:
		known = "On " + days + " the price hardly moved, which measures nothing"
	case e.coin && e.listed:
		known = fmt.Sprintf("Only %s of prices can be used, against the %d needed", days, leastDays)
	}
	e.add("VOL_ASSUMED", assumeWeight, "%s: %s a day is assumed, as for contracts with up to %s.",
		known, percentText(e.volatility.value), leverageText(e.venueMaximum.value))
}

// explainMarket says what the contract's market tells, or why it tells nothing.
func (e *explanation) explainMarket() {
	if e.crowded() {
		e.add("CROWDED", crowdedWeight, "This side pays more funding than %s of %s; the crowd is on it.",
			percentText(e.crowding), display.Count(e.contracts, "other contract"))
	}
	switch share := e.shareOfMarket(); {
	case math.IsInf(share, 1):
		e.add("THIN_MARKET", thinWeight, "Nothing of the contract was traded in a day, or nobody holds it; a copy may find no way out.")
	case share > thinShare:
		full := "A full copy"
		if math.IsNaN(e.allocation) {
			full = "As no allocation is given, a full copy of modest size"
		}
		e.add("THIN_MARKET", thinWeight, "%s would be %s of what is traded of the contract in a day or held open; above %s it moves the price against itself.",
			full, percentText(share), percentText(thinShare))
	}
	switch {
	case !e.coin:
		e.add("UNCHECKED", openWeight, "No coin was named, so nothing tells whether this side is crowded or the market thin.")
	case !e.listed:
		e.add("UNCHECKED", openWeight, "The venue's contracts could not be read, so nothing tells whether this side is crowded or the market thin.")
	case math.IsNaN(e.crowding):
		e.add("UNCHECKED", openWeight, "With %s to compare with, where %d are needed, nothing tells whether this side is crowded.",
			display.Count(e.contracts, "other contract"), leastContracts)
	}
}

// explainNothingLeft says that the limits together leave too little to copy, where none of them forbids it by itself.
func (e *explanation) explainNothingLeft() {
	if e.size > 0 || e.stopped() || e.grade == "F" {
		return
	}
	left := 1.0
	for _, c := range e.caps {
		left = min(left, c.at)
	}
	e.add("NOTHING_LEFT", stopWeight, "The tightest limit leaves %s of full size, less than the %s that is the smallest copy, so nothing is copied.",
		percentText(max(0, left)), percentText(1./sizeSteps))
}

// leverageText writes a leverage, like "10x".
func leverageText(leverage float64) string {
	return strconv.FormatFloat(display.Round(leverage, 2), 'f', -1, 64) + "x"
}

// percentText writes a fraction as the fields do, with two decimals at most.
func percentText(fraction float64) string {
	return strconv.FormatFloat(display.Round(fraction*100, 2), 'f', -1, 64) + "%"
}

// chanceText writes a probability. Real prices jump more than the model's: what is tiny by the model is only said to be small.
func chanceText(p float64) string {
	if p < 0.01 {
		return "less than 1%"
	}
	return strconv.FormatFloat(display.Round(p*100, 1), 'f', -1, 64) + "%"
}
