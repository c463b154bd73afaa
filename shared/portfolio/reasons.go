package portfolio

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/holdings"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
)

// because makes a reason of a template and its numbers.
func because(code string, weight float64, template string, values ...any) reason.Reason {
	return reason.Reason{Code: code, Weight: weight, Text: fmt.Sprintf(template, values...)}
}

// oneDecimal writes a number for a sentence.
func oneDecimal(x float64) string { return strconv.FormatFloat(display.Round(x, 1), 'f', -1, 64) }

// Parts of the value from which something is worth a sentence.
const (
	noticeable = 0.10
	// reducedTo is how far below its listed value a position counts before that is said.
	reducedTo = 0.8
)

const emptySummary = "Nothing is held here whose value could be assessed: the wallet is empty, passes on what it gets, or holds only tokens without a price that can be believed."

func (f *facts) emptyReasons() []reason.Reason {
	first := because("NO_HOLDINGS", 7, "No balance of the native coin or of any token was found.")
	switch {
	case f.dust > 0:
		first.Text = fmt.Sprintf("All that could be priced, %s, is worth less than the ten dollars from which a portfolio is assessed.", display.Count(f.dust, "holding"))
	case f.holdings > 0:
		first.Text = fmt.Sprintf("Of %s none has a price that can be believed.", display.Count(f.holdings, "holding"))
	}
	return reason.Top(append(f.sourceReasons(), first))
}

// sourceReasons say what was left out for want of a price.
func (f *facts) sourceReasons() []reason.Reason {
	var reasons []reason.Reason
	var left []string
	if f.spam > 0 {
		left = append(left, display.Count(f.spam, "spam token"))
	}
	if f.unpriced > 0 {
		left = append(left, display.Count(f.unpriced, "holding")+" without a price that can be believed")
	}
	if len(left) > 0 {
		weight := 3.0
		if f.unpriced > 0 {
			weight = 5
		}
		reasons = append(reasons, because("LEFT_OUT", weight, "Left out: %s.", enumerate(left)))
	}
	if f.indexFailed {
		reasons = append(reasons, because("ONE_SOURCE", 6, "One of the sources of prices did not answer, so that fewer of %s could be priced.",
			display.Count(f.holdings, "holding")))
	}
	return reasons
}

func enumerate(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

func (p *portfolio) reasons() []reason.Reason {
	reasons := append([]reason.Reason{p.headlineReason(), p.spreadReason()}, p.riskReasons()...)
	reasons = append(reasons, p.coverageReasons()...)
	return reason.Top(append(reasons, p.sourceReasons()...))
}

func (p *portfolio) headlineReason() reason.Reason {
	if oneDecimal(p.headline) == oneDecimal(p.weighted) {
		return because("WEIGHTED", 9, "Weighted by value the risk is %s of 100; watch starts at %d and exposed at %d.",
			oneDecimal(p.weighted), watchRisk, exposedRisk)
	}
	return because("WEIGHTED", 9, "Weighted by value the risk is %s of 100, and %s with the riskiest sizeable position counted extra; watch starts at %d and exposed at %d.",
		oneDecimal(p.weighted), oneDecimal(p.headline), watchRisk, exposedRisk)
}

func (p *portfolio) riskReasons() []reason.Reason {
	var reasons []reason.Reason
	risky, judged := 0, 0
	for i := range p.positions {
		g := &p.positions[i]
		if g.risky() {
			risky++
		}
		if g.verdict != "" && !g.unassessed() {
			judged++
		}
		if g.Class == holdings.Unpegged {
			reasons = append(reasons, because("OFF_PEG", 9.5, "%s trades %s below its dollar and is not counted as cash.", g.Symbol, display.PercentText(1-g.PriceUSD)))
		}
	}
	switch {
	case risky > 0:
		reasons = append(reasons, because("RISKY", 10, "%s of %s is in %s rated high or critical; watch starts at %s and exposed at %s.",
			display.PercentText(p.risky), p.value(), display.Count(risky, "token"), display.PercentText(watchShare), display.PercentText(exposedShare)))
	case judged > 0:
		reasons = append(reasons, because("NONE_RISKY", 4, "No token is rated high or critical among %d assessed.", judged))
	}
	if len(p.positions) > 1 && p.weighted > 0 {
		reasons = append(reasons, because("WORST", 7, "%s contributes %s of the total risk with %s of %s.",
			p.worst.Symbol, display.PercentText(p.worst.weight*p.worst.risk/p.weighted), display.PercentText(p.worst.weight), p.value()))
	}
	for i := range p.positions {
		if g := &p.positions[i]; g.USD < reducedTo*g.NominalUSD && g.weight >= noticeable {
			reasons = append(reasons, because("RECOVERABLE", 5.5, "%s counts for %s of its listed value: its pools could pay no more.",
				g.Symbol, display.PercentText(g.USD/g.NominalUSD)))
			break
		}
	}
	return reasons
}

// spreadReason says how the value that is not cash is spread.
func (p *portfolio) spreadReason() reason.Reason {
	if p.top == nil {
		return because("ALL_CASH", 8, "All of the value is in %s, so that nothing is concentrated.", display.Count(len(p.counted), "stablecoin"))
	}
	weight := 4.5
	if p.concentration() != diversified {
		weight = 8
	}
	aside, rest := "", "the value"
	if p.cash > 0 {
		aside, rest = "Stablecoins, "+display.PercentText(p.cash)+" of the value, aside, ", "the rest"
	}
	symbols, share := p.together()
	if len(symbols) > 1 && share >= noticeable {
		return because("CLUSTER", weight, "%s%s is %s of %s; %s, which move together, make up %s of it.",
			aside, p.top.Symbol, display.PercentText(p.largest), rest, enumerate(symbols), display.PercentText(share))
	}
	return because("CONC", weight, "%s%s is %s of %s; concentrated starts at %s, all-in at %s.",
		aside, p.top.Symbol, display.PercentText(p.largest), rest, display.PercentText(concentratedShare), display.PercentText(allInShare))
}

func (p *portfolio) coverageReasons() []reason.Reason {
	var reasons []reason.Reason
	unassessed := 0
	for i := range p.positions {
		if p.positions[i].unassessed() {
			unassessed++
		}
	}
	if unassessed > 0 {
		weight, late := 6.5, ""
		if p.unassessed >= noticeable {
			weight = 8.5
		}
		if p.late > 0 {
			late = fmt.Sprintf(", %d of them for want of time", p.late)
		}
		reasons = append(reasons, because("COVERAGE", weight, "%s with %s of %s could not be assessed%s; each counts as %d of 100, which is no verdict.",
			display.Count(unassessed, "token"), display.PercentText(p.unassessed), p.value(), late, riskUnknown))
	}
	if p.beyond > 0 {
		weight := 3.5
		if p.beyondUSD >= noticeable*p.totalUSD {
			weight = 8.2
		}
		reasons = append(reasons, because("BEYOND_DEPTH", weight, "Only %s assessed; %s beyond %s %s of the value.",
			largestAre(p.depth), display.Count(p.beyond, "holding"), holdOrHolds(p.beyond), display.PercentText(p.beyondUSD/p.totalUSD)))
	}
	return reasons
}

func holdOrHolds(n int) string {
	if n == 1 {
		return "has"
	}
	return "have"
}

func largestAre(n int) string {
	if n == 1 {
		return "the largest holding is"
	}
	return fmt.Sprintf("the %d largest holdings are", n)
}

// value is what parts of the picked value are parts of: all there is, unless holdings are left beyond the depth.
func (p *portfolio) value() string {
	if p.beyond > 0 {
		return "the value assessed"
	}
	return "the value"
}

// summary is the sentence for display.
func (p *portfolio) summary(grade string) string {
	risk := "weighted by value the risk is " + oneDecimal(p.weighted) + " of 100"
	spread := ", all of it in stablecoins"
	if p.top != nil {
		spread = ", spread like " + equalPositions(1/p.index)
	}
	unassessed := ""
	if p.unassessed >= noticeable {
		of := "it"
		if p.beyond > 0 {
			of = p.value()
		}
		unassessed = "; " + display.PercentText(p.unassessed) + " of " + of + " could not be assessed"
	}
	switch grade {
	case healthy:
		return "Healthy: " + risk + spread + unassessed + "."
	case watch:
		return "Worth watching: " + risk + p.riskyText() + spread + unassessed + "."
	}
	return "Exposed: " + risk + p.riskyText() + spread + unassessed + "."
}

func (p *portfolio) riskyText() string {
	if p.risky == 0 {
		return ""
	}
	of := ""
	if p.beyond > 0 {
		of = " of " + p.value()
	}
	return " with " + display.PercentText(p.risky) + of + " in tokens rated high or critical"
}

func equalPositions(n float64) string {
	if text := oneDecimal(n); text != "1" {
		return text + " equal positions"
	}
	return "a single position"
}
