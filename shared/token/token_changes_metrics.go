package token

import (
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenfacts"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenrisk"
)

// The severities of a change.
const (
	severityCritical = "critical"
	severityHigh     = "high"
	severityMedium   = "medium"
	severityInfo     = "info"
)

func severityRank(severity string) int {
	return slices.Index([]string{severityInfo, severityMedium, severityHigh, severityCritical}, severity)
}

// scanned is everything that one scan measured: of each metric a number or a word. What was not measured is missing.
type scanned struct {
	numbers map[string]float64
	words   map[string]string
	// dailyDeviation is the standard deviation of a day's return, zero when unknown.
	dailyDeviation float64
}

func (s scanned) has(metric string) bool {
	_, number := s.numbers[metric]
	return number || s.words[metric] != ""
}

// metric is one thing that is watched.
type metric struct {
	name, label string
	// order lists a word metric's words from the lowest to the highest; empty where they have none.
	order []string
	// band is how far a number must move to be a change: a difference or, where relative is true, a fraction of what it was.
	// lasting bands grow with the square root of the days that passed, as a random walk does.
	band              float64
	relative, lasting bool
	// show writes a number; nil where no number is to be shown, only by how much it moved.
	show func(float64) string
	// weigh tells the severity of a move. For numbers by is the difference, or the fraction where relative is true; for words it is
	// the number of steps up in the order.
	weigh func(from, to string, by float64) string
}

// lowestBand is the least that a price must move, and deviations how many of a day's standard deviations.
const (
	lowestPriceBand = 0.10
	priceDeviations = 2
)

// metrics are watched by every scan. The bands and severities follow one line: what takes a holder's way out is critical, what makes
// it narrower high.
var metrics = []metric{
	{name: "riskVerdict", label: "risk verdict", order: []string{tokenrisk.Low, tokenrisk.Medium, tokenrisk.High, tokenrisk.Critical}, weigh: func(_, to string, by float64) string {
		switch {
		case by > 0 && to == tokenrisk.Critical:
			return severityCritical
		case by > 0:
			return severityHigh
		}
		return severityInfo
	}},
	{name: "scamProbability", label: "scam probability", band: 0.10, show: display.PercentText, weigh: worseUp(severityMedium)},
	{name: "selling", label: "selling", weigh: func(_, to string, _ float64) string {
		if to == sellingBlocked {
			return severityCritical
		}
		return severityInfo
	}},
	{name: "buyTax", label: "buy tax", band: 0.01, show: display.PercentText, weigh: weighTax},
	{name: "sellTax", label: "sell tax", band: 0.01, show: display.PercentText, weigh: weighTax},
	{name: "owner", label: "owner", weigh: func(_, to string, _ float64) string {
		if to == ownerNobody {
			return severityInfo
		}
		return severityCritical
	}},
	{name: "implementation", label: "implementation", weigh: func(string, string, float64) string { return severityCritical }},
	{name: "lockedLiquidity", label: "locked liquidity", band: 0.05, show: display.PercentText, weigh: worseDown(severityMedium)},
	{name: "liquidity", label: "liquidity", band: 0.15, relative: true, show: display.SizeBand, weigh: func(_, _ string, by float64) string {
		switch {
		case by <= -0.5:
			return severityCritical
		case by < 0:
			return severityHigh
		}
		return severityInfo
	}},
	{name: "price", label: "price", band: lowestPriceBand, relative: true, lasting: true, weigh: worseDown(severityMedium)},
	{name: "holders", label: "holders", band: 0.05, relative: true, lasting: true, show: func(x float64) string { return strconv.FormatFloat(x, 'f', 0, 64) }, weigh: worseDown(severityMedium)},
	{name: "topHolders", label: "share of the ten largest holders", band: 0.03, show: display.PercentText, weigh: worseUp(severityMedium)},
	{name: "smartMoney", label: "proven traders", order: []string{"not buying", "buying"}, weigh: worseDown(severityMedium)},
	{name: "structure", label: "price structure", weigh: func(_, to string, _ float64) string {
		if to == "lower-lows" || to == "breaking-down" {
			return severityMedium
		}
		return severityInfo
	}},
	{name: "exitRisk", label: "exit risk", order: []string{"low", "medium", "high", "extreme"}, weigh: func(_, to string, by float64) string {
		switch {
		case by > 0 && to == "extreme":
			return severityHigh
		case by > 0:
			return severityMedium
		}
		return severityInfo
	}},
	{name: "valuation", label: "valuation", order: []string{underExtended, cheap, inLine, rich, overExtended}, weigh: func(string, string, float64) string { return severityInfo }},
	{name: "signal", label: "signal", order: []string{"AVOID", "HOLD", "ACCUMULATE", "BUY"}, weigh: worseDown(severityMedium)},
}

// worseUp and worseDown give a severity to moves in one direction, and information to those in the other.
func worseUp(severity string) func(string, string, float64) string {
	return func(_, _ string, by float64) string {
		if by > 0 {
			return severity
		}
		return severityInfo
	}
}

func worseDown(severity string) func(string, string, float64) string {
	return func(_, _ string, by float64) string {
		if by < 0 {
			return severity
		}
		return severityInfo
	}
}

// steepTax is the rise of a tax from which it is of high severity.
const steepTax = 0.05

func weighTax(_, _ string, by float64) string {
	switch {
	case by >= steepTax-rounding:
		return severityHigh
	case by > 0:
		return severityMedium
	}
	return severityInfo
}

// The words of selling, and of owners and implementations that are none.
const (
	sellingWorks       = "possible"
	sellingBlocked     = "blocked"
	ownerNobody        = "nobody"
	implementationNone = "none"
)

// metricsOf reads every metric from the assessments that one scan made.
func metricsOf(all *readings, pools []market.Pool, holders *market.TokenHolders, signal string) scanned {
	risk := all.Risk
	s := scanned{numbers: make(map[string]float64), words: make(map[string]string)}
	for name, x := range map[string]float64{
		"scamProbability": risk.Probability, "buyTax": risk.BuyTax, "sellTax": risk.SellTax,
		"lockedLiquidity": risk.LockedShare, "topHolders": risk.TopShare, "liquidity": tokenfacts.LiquidityUSD(pools),
	} {
		if x >= 0 && !math.IsInf(x, 0) {
			s.numbers[name] = x
		}
	}
	if deepest, found := tokenfacts.Deepest(pools); found && !math.IsInf(deepest.PriceUSD, 0) {
		s.numbers["price"] = deepest.PriceUSD
	}
	if holders.Known && holders.Count > 0 {
		s.numbers["holders"] = float64(holders.Count)
	}
	for name, word := range map[string]string{
		"riskVerdict": risk.Verdict, "exitRisk": all.ExitRisk.ExitRisk, "valuation": all.Valuation.Valuation, "signal": signal,
	} {
		if word != tokenrisk.Unknown {
			s.words[name] = word
		}
	}
	if all.PriceAction.Available {
		s.words["structure"] = word(all.PriceAction.Structure)
	}
	if buying := all.SmartMoney.SmartMoneyBuying; buying != nil {
		s.words["smartMoney"] = map[bool]string{true: "buying", false: "not buying"}[*buying]
	}
	switch risk.SellBlocked {
	case market.Yes:
		s.words["selling"] = sellingBlocked
	case market.No:
		s.words["selling"] = sellingWorks
	}
	switch {
	case risk.Owned == market.No:
		s.words["owner"] = ownerNobody
	case risk.Owned == market.Yes && !risk.Owner.IsZero():
		s.words["owner"] = risk.Owner.String()
	}
	s.words["implementation"] = implementationNone
	if risk.Implementation != (chain.Address{}) {
		s.words["implementation"] = risk.Implementation.String()
	}
	return s
}

// bandFor is how far a number must move for a change, and how far it must come back for the change to be over. The first grows with
// the time since the number was last where it was, where the metric is of that kind; the second does not.
func (m *metric) bandFor(dailyDeviation float64, passed time.Duration) (enter, leave float64) {
	band := m.band
	if m.name == "price" {
		band = max(band, priceDeviations*dailyDeviation)
	}
	leave = leaveShare * band
	if m.lasting {
		band *= math.Sqrt(max(1, passed.Hours()/24))
	}
	return band, leave
}

// leaveShare is the part of a band within which a number must come back for its change to be taken back.
const leaveShare = 0.6
