package token

import (
	"iter"

	"github.com/mirrorworthy/mirrorworthy/shared/tokenrisk"
)

// The signals, from worst to best.
const (
	SignalAvoid      = "AVOID"
	SignalHold       = "HOLD"
	SignalAccumulate = "ACCUMULATE"
	SignalBuy        = "BUY"
)

// SignalInputs are the words that a signal hangs on. Structure and Breakout are empty when the price could not be charted.
type SignalInputs struct {
	Risk, ExitRisk       string
	Structure, Breakout  string
	SmartMoney           SmartMoneyState
	HoldersTrend, Origin string
	Valuation            string
	Momentum             MomentumState
	// Extended is true when the price has run far ahead of its day's average.
	Extended bool
}

// SmartMoneyState is what proven traders do with a token.
type SmartMoneyState string

// The states of proven traders. Absent means that enough buyers were graded and too few are proven.
const (
	SmartMoneyBuying  SmartMoneyState = "buying"
	SmartMoneySelling SmartMoneyState = "selling"
	SmartMoneyAbsent  SmartMoneyState = "absent"
	SmartMoneyUnknown SmartMoneyState = "unknown"
)

// MomentumState is the direction of the last day.
type MomentumState string

// The states of momentum.
const (
	MomentumUp      MomentumState = "up"
	MomentumFlat    MomentumState = "flat"
	MomentumDown    MomentumState = "down"
	MomentumUnknown MomentumState = "unknown"
)

// SignalRule names the rule that decided a signal.
type SignalRule string

// The rules, in the order in which they are tried.
const (
	RuleRisk        SignalRule = "risk"         // the risk is high or critical
	RuleExit        SignalRule = "exit"         // nobody could get out
	RuleFlight      SignalRule = "flight"       // holders and proven traders leave a falling token
	RuleUnknownRisk SignalRule = "unknown-risk" // too little could be checked
	RuleNoChart     SignalRule = "no-chart"     // too little trading to chart
	RuleBuy         SignalRule = "buy"
	RuleNoExit      SignalRule = "no-exit" // what would be a buy, but getting out is hard or unknown
	RuleAccumulate  SignalRule = "accumulate"
	RuleHold        SignalRule = "hold"
	RulePeg         SignalRule = "peg" // a stablecoin: nothing is to be gained but its way back to the peg
)

// SignalDecision is a signal and the rule behind it.
type SignalDecision struct {
	Signal string
	Rule   SignalRule
}

type stance int8

const (
	stanceAgainst stance = iota - 1
	stanceNeutral
	stanceFor
	stanceUnknown
)

// The supports of a buy.
const (
	supportSmartMoney = iota
	supportHolders
	supportStructure
	supportValuation
	supportMomentum
	supportCount
)

// Decide applies the rules in order. It never says BUY or ACCUMULATE beside a risk other than low and medium, beside an exit risk
// other than low and medium, or without a chart; a better input never makes a worse signal.
func (in SignalInputs) Decide() SignalDecision {
	charted := in.Structure != ""
	switch {
	case in.Risk == tokenrisk.High || in.Risk == tokenrisk.Critical:
		return SignalDecision{SignalAvoid, RuleRisk}
	case in.ExitRisk == "extreme":
		return SignalDecision{SignalAvoid, RuleExit}
	case in.HoldersTrend == "bleeding" && in.SmartMoney == SmartMoneySelling && in.Structure == "lower-lows":
		return SignalDecision{SignalAvoid, RuleFlight}
	case in.Risk != tokenrisk.Low && in.Risk != tokenrisk.Medium:
		if in.ExitRisk == "high" {
			return SignalDecision{SignalAvoid, RuleExit}
		}
		return SignalDecision{SignalHold, RuleUnknownRisk}
	case !charted:
		if in.ExitRisk == "high" {
			return SignalDecision{SignalAvoid, RuleExit}
		}
		return SignalDecision{SignalHold, RuleNoChart}
	}
	positives, negatives := 0, 0
	supports := in.supports()
	for _, s := range supports {
		switch s {
		case stanceFor:
			positives++
		case stanceAgainst:
			negatives++
		}
	}
	exit := in.ExitRisk == "low" || in.ExitRisk == "medium"
	// Momentum and valuation alone say that the price rose and is not dear: that is no reason to follow it.
	backed := supports[supportSmartMoney] == stanceFor || supports[supportHolders] == stanceFor || supports[supportStructure] == stanceFor
	switch {
	case positives < 2 || positives <= negatives || !backed || in.Extended:
		return SignalDecision{SignalHold, RuleHold}
	case !exit:
		return SignalDecision{SignalHold, RuleNoExit}
	case in.Risk == tokenrisk.Low && positives >= 3 && negatives == 0:
		return SignalDecision{SignalBuy, RuleBuy}
	}
	return SignalDecision{SignalAccumulate, RuleAccumulate}
}

// supports is what each of the five supports of a buy says.
func (in SignalInputs) supports() [supportCount]stance {
	var all [supportCount]stance
	switch in.SmartMoney {
	case SmartMoneyBuying:
		all[supportSmartMoney] = stanceFor
	case SmartMoneySelling:
		all[supportSmartMoney] = stanceAgainst
	case SmartMoneyUnknown:
		all[supportSmartMoney] = stanceUnknown
	}
	switch {
	case in.HoldersTrend == "bleeding" || in.Origin == "bot-driven":
		all[supportHolders] = stanceAgainst
	case in.HoldersTrend == "accumulating" && in.Origin == "organic":
		all[supportHolders] = stanceFor
	case in.HoldersTrend == "unknown" || in.Origin == "unknown":
		all[supportHolders] = stanceUnknown
	}
	all[supportStructure] = structureStance(in.Structure, in.Breakout)
	switch in.Valuation {
	case "in-line", "cheap", "under-extended":
		all[supportValuation] = stanceFor
	case "over-extended":
		all[supportValuation] = stanceAgainst
	case "unknown":
		all[supportValuation] = stanceUnknown
	}
	switch {
	case in.Extended || in.Momentum == MomentumDown:
		all[supportMomentum] = stanceAgainst
	case in.Momentum == MomentumUp:
		all[supportMomentum] = stanceFor
	case in.Momentum == MomentumUnknown:
		all[supportMomentum] = stanceUnknown
	}
	return all
}

// structureStance lets swings and breakout speak together: where they contradict each other, neither counts.
func structureStance(structure, breakout string) stance {
	if structure == "" {
		return stanceUnknown
	}
	sum := stanceNeutral
	switch structure {
	case "higher-highs", "breaking-out":
		sum++
	case "lower-lows", "breaking-down":
		sum--
	}
	switch breakout {
	case "up":
		sum++
	case "down", "failed":
		sum--
	}
	return max(stanceAgainst, min(stanceFor, sum))
}

// unmeasured names the inputs that could not be measured.
func (in SignalInputs) unmeasured() []string {
	var names []string
	if in.Risk == tokenrisk.Unknown {
		names = append(names, "risk")
	}
	if in.ExitRisk == "unknown" {
		names = append(names, "exit risk")
	}
	for i, s := range in.supports() {
		if s == stanceUnknown {
			names = append(names, supportNames[i])
		}
	}
	return names
}

var supportNames = [supportCount]string{"proven traders", "holders", "price structure", "valuation", "momentum"}

// The words of each input, each list from worst to best as far as they can be ordered.
var (
	signalRisks       = []string{tokenrisk.Critical, tokenrisk.High, tokenrisk.Unknown, tokenrisk.Medium, tokenrisk.Low}
	signalExits       = []string{"extreme", "high", "unknown", "medium", "low"}
	signalStructures  = []string{"lower-lows", "breaking-down", "range", "expanding", "higher-highs", "breaking-out", ""}
	signalBreakouts   = []string{"down", "failed", "none", "up"}
	signalSmartMoneys = []SmartMoneyState{SmartMoneySelling, SmartMoneyAbsent, SmartMoneyUnknown, SmartMoneyBuying}
	signalTrends      = []string{"bleeding", "unknown", "stable", "accumulating"}
	signalOrigins     = []string{"bot-driven", "unknown", "mixed", "organic"}
	signalValuations  = []string{"over-extended", "rich", "unknown", "in-line", "cheap", "under-extended"}
	signalMomentums   = []MomentumState{MomentumDown, MomentumFlat, MomentumUnknown, MomentumUp}
)

// signalSizes is how many words each input has, in the order of SignalInputs.
var signalSizes = [...]int{
	len(signalRisks), len(signalExits), len(signalStructures), len(signalBreakouts), len(signalSmartMoneys), len(signalTrends),
	len(signalOrigins), len(signalValuations), len(signalMomentums), 2,
}

// signalInput is one element of the product of all inputs, told by the place of each word in its list.
func signalInput(places [len(signalSizes)]int) SignalInputs {
	in := SignalInputs{
		Risk: signalRisks[places[0]], ExitRisk: signalExits[places[1]], Structure: signalStructures[places[2]], Breakout: signalBreakouts[places[3]],
		SmartMoney: signalSmartMoneys[places[4]], HoldersTrend: signalTrends[places[5]], Origin: signalOrigins[places[6]],
		Valuation: signalValuations[places[7]], Momentum: signalMomentums[places[8]], Extended: places[9] == 0,
	}
	if in.Structure == "" {
		in.Breakout = ""
	}
	return in
}

// EverySignalInput is the whole product of inputs.
func EverySignalInput() iter.Seq[SignalInputs] {
	return func(yield func(SignalInputs) bool) {
		var places [len(signalSizes)]int
		for {
			if !yield(signalInput(places)) {
				return
			}
			digit := len(places) - 1
			for ; digit >= 0; digit-- {
				if places[digit]++; places[digit] < signalSizes[digit] {
					break
				}
				places[digit] = 0
			}
			if digit < 0 {
				return
			}
		}
	}
}
