package token

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenrisk"
)

// TokenSignalAnswer is what all signals together amount to. It always carries the risk verdict.
type TokenSignalAnswer struct {
	// Signal is what to do. It is never to be shown without riskVerdict beside it. One of BUY, ACCUMULATE, HOLD or AVOID.
	Signal string `json:"signal"`
	// Conviction is 0 to 100: below 35 low, above 65 high; null when unknown.
	Conviction *float64 `json:"conviction"`
	// RiskVerdict is the verdict of token-risk. One of low, medium, high, critical or unknown.
	RiskVerdict string `json:"riskVerdict"`
	// Rationale is one sentence: what speaks for the signal and what most against it.
	Rationale string `json:"rationale"`
	// Reasons are one to five sentences, the weightiest first.
	Reasons []reason.Reason `json:"reasons"`
}

func (p page) tokenSignal() endpoint.Endpoint {
	return endpoint.Single(endpoint.Declaration{
		Name: "token-signal", Units: 3, Graded: true, Refuses: []string{"not_a_token"},
		Summary:    "Says what risk, exit, price, holders, proven traders and valuation together amount to.",
		Parameters: parameters, Needs: readingNeeds,
	}, func(ctx context.Context, r *endpoint.Request) (*readings, error) {
		all, err := p.read(ctx, r)
		return all, refusal(err)
	}, assessSignal)
}

// signal is the answer of token-signal, for those that build on it. It fails with a tokenfacts.NotAToken for an address that is no
// token.
func (p page) signal(ctx context.Context, r *endpoint.Request) (TokenSignalAnswer, error) {
	all, err := p.read(ctx, r)
	if err != nil {
		return TokenSignalAnswer{}, err
	}
	return assessSignal(all, r.AsOf), nil
}

// signalInputsOf are the words of the readings that a signal hangs on.
func signalInputsOf(all *readings) SignalInputs {
	in := SignalInputs{
		Risk: all.Risk.Verdict, ExitRisk: all.ExitRisk.ExitRisk, HoldersTrend: all.Holders.Trend, Origin: all.Holders.Origin,
		Valuation: all.Valuation.Valuation, Momentum: MomentumUnknown, Extended: all.Momentum.extended(),
	}
	if all.PriceAction.Available {
		in.Structure, in.Breakout = word(all.PriceAction.Structure), word(all.PriceAction.Breakout)
	}
	switch buying := all.SmartMoney.SmartMoneyBuying; {
	case buying == nil:
		in.SmartMoney = SmartMoneyUnknown
	case *buying:
		in.SmartMoney = SmartMoneyBuying
	case all.SmartMoney.MirrorWorthyBuyers > 0 && word(all.SmartMoney.NetFlow) == "selling":
		in.SmartMoney = SmartMoneySelling
	default:
		in.SmartMoney = SmartMoneyAbsent
	}
	switch z := all.Momentum.z24h; {
	case z > 0:
		in.Momentum = MomentumUp
	case z < fallingZ:
		in.Momentum = MomentumDown
	case !math.IsNaN(z):
		in.Momentum = MomentumFlat
	}
	return in
}

// fallingZ is the last day's return, in standard deviations, below which momentum speaks against a token.
const fallingZ = -1

func word(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// signalWeights is how much each support counts towards conviction, in the order of SignalInputs.supports.
var signalWeights = [supportCount]float64{0.25, 0.2, 0.25, 0.1, 0.2}

// Limits of conviction: with a medium risk, and where anything could not be measured.
const (
	mediumRiskConviction = 35
	unknownConviction    = 50
	// exitConviction is that of an AVOID because nobody could get out.
	exitConviction = 90
)

// decide applies the rules, and gives no signal to buy what is meant to keep its price.
func decide(all *readings) SignalDecision {
	decision := signalInputsOf(all).Decide()
	if all.Valuation.pegged() && (decision.Signal == SignalBuy || decision.Signal == SignalAccumulate || decision.Rule == RuleHold) {
		return SignalDecision{SignalHold, RulePeg}
	}
	return decision
}

func assessSignal(all *readings, _ time.Time) TokenSignalAnswer {
	in, decision := signalInputsOf(all), decide(all)
	answer := TokenSignalAnswer{Signal: decision.Signal, RiskVerdict: in.Risk}
	answer.Conviction = display.Score(conviction(in, decision, all.Risk))
	supports, objections := arguments(all, in)
	switch decision.Rule {
	case RuleRisk, RuleExit:
		// What speaks for a trap is part of the trap.
		supports = nil
	case RulePeg:
		supports, objections = nil, nil
	}
	answer.Rationale = rationale(supports, objections)
	var reasons []reason.Reason
	if blocked, why := blocker(decision, all); blocked {
		answer.Rationale = why.Text
		reasons = append(reasons, why)
		if decision.Rule == RuleRisk && len(all.Risk.Flags) > 0 {
			flag := all.Risk.Flags[0]
			flag.Weight = why.Weight - 0.5
			reasons = append(reasons, flag)
		}
	}
	for _, o := range objections {
		reasons = append(reasons, because("AGAINST", 2+o.weight, "Against it: %s.", o.text))
	}
	for _, s := range supports {
		reasons = append(reasons, because("FOR", 1+s.weight, "For it: %s.", s.text))
	}
	answer.Reasons = reason.Top(append(reasons, measuredReason(in)))
	return answer
}

// measuredReason says how much of the evidence there is. Where something is missing it stands before the arguments.
func measuredReason(in SignalInputs) reason.Reason {
	missing := in.unmeasured()
	if len(missing) == 0 {
		return because("MEASURED", 0, "Risk, exit and all %d kinds of evidence for or against could be measured.", supportCount)
	}
	return because("UNMEASURED", 3.2, "Not measured, and counted neither way: %s.", enumeration(missing))
}

// conviction is how much stands behind the signal: for a buy the weight of what agrees with it, less what disagrees, times the part
// of the evidence that could be measured, times the chance that the token is no scam. An AVOID because of the risk is as sure as
// the risk is.
func conviction(in SignalInputs, decision SignalDecision, risk *tokenrisk.Assessment) float64 {
	scam := risk.Probability
	if math.IsNaN(scam) {
		scam = 0.5
	}
	switch decision.Rule {
	case RuleRisk:
		if !math.IsNaN(risk.Score) {
			return risk.Score
		}
		return 100 * scam
	case RuleExit:
		return exitConviction
	}
	agree, disagree, measured := 0.0, 0.0, 0.0
	for i, s := range in.supports() {
		if s == stanceUnknown {
			continue
		}
		measured += signalWeights[i]
		switch {
		case s == stanceFor:
			agree += signalWeights[i]
		case s == stanceAgainst:
			disagree += signalWeights[i]
		}
	}
	if measured == 0 {
		return 0
	}
	var agreement float64
	switch decision.Signal {
	case SignalAvoid:
		agreement = disagree / measured
	case SignalHold:
		agreement = 1 - math.Abs(agree-disagree)/measured
	default:
		agreement = max(0, agree-disagree) / measured
	}
	score := 100 * agreement * measured
	if decision.Signal != SignalAvoid {
		score *= 1 - scam
	}
	if len(in.unmeasured()) > 0 {
		score = min(score, unknownConviction)
	}
	if in.Risk == tokenrisk.Medium {
		score = min(score, mediumRiskConviction)
	}
	return score
}

// blocker says why no buy signal is given, whatever else speaks for one.
func blocker(decision SignalDecision, all *readings) (bool, reason.Reason) {
	const weight = 4
	switch decision.Rule {
	case RuleRisk:
		return true, because("BLOCKED_BY_RISK", weight, "No buy signal is given because the risk is %s.", all.Risk.Verdict)
	case RuleExit:
		return true, because("BLOCKED_BY_EXIT", weight, "No buy signal is given because a holder could hardly get out: exit risk is %s.", all.ExitRisk.ExitRisk)
	case RuleUnknownRisk:
		return true, because("BLOCKED_BY_UNKNOWN_RISK", weight, "No buy signal is given because too little of the token could be checked.")
	case RuleNoChart:
		return true, because("BLOCKED_BY_NO_CHART", weight, "No buy signal is given because there is too little trading to chart.")
	case RuleNoExit:
		return true, because("BLOCKED_BY_EXIT", weight, "No buy signal is given while exit risk is %s.", all.ExitRisk.ExitRisk)
	case RulePeg:
		return true, because("PEGGED", weight, "No buy signal is given because the token is meant to keep its price.")
	case RuleFlight:
		return true, because("FLIGHT", weight, "Holders and proven traders are leaving while the price makes lower lows.")
	}
	return false, reason.Reason{}
}

// argument is something that speaks for a token or against it.
type argument struct {
	text   string
	weight float64
}

// arguments say what the readings speak for and against, strongest first.
func arguments(all *readings, in SignalInputs) (supports, objections []argument) {
	if in.Risk == tokenrisk.Medium {
		objections = append(objections, argument{"a medium risk of a scam", 1})
	}
	if in.ExitRisk == "high" {
		objections = append(objections, argument{"a high exit risk", 0.9})
	}
	for i, s := range in.supports() {
		text := argumentText(all, in, i, s)
		switch s {
		case stanceFor:
			supports = append(supports, argument{text, signalWeights[i]})
		case stanceAgainst:
			objections = append(objections, argument{text, signalWeights[i]})
		}
	}
	strongest := func(a, b argument) int { return cmp.Compare(b.weight, a.weight) }
	slices.SortStableFunc(supports, strongest)
	slices.SortStableFunc(objections, strongest)
	return supports, objections
}

// argumentText says what a support found.
func argumentText(all *readings, in SignalInputs, support int, s stance) string {
	against := s == stanceAgainst
	switch support {
	case supportSmartMoney:
		switch {
		case against:
			return "proven traders are selling"
		case all.SmartMoney.MirrorWorthyBuyers == 1:
			return "1 recent buyer with a proven record"
		}
		return display.Count(all.SmartMoney.MirrorWorthyBuyers, "recent buyer") + " with proven records"
	case supportHolders:
		switch {
		case against && in.Origin == OriginBots && in.HoldersTrend == HoldersBleeding:
			return "holders leave, and trading looks driven by bots"
		case against && in.Origin == OriginBots:
			return "trading looks driven by bots"
		case against:
			return "holders leave"
		}
		return "holders gather and look like people"
	case supportStructure:
		return structureArgument(in.Structure, in.Breakout, against)
	case supportValuation:
		if against {
			return "it is dear beside tokens like it"
		}
		return "it is not dear beside tokens like it"
	}
	switch {
	case in.Extended:
		return "the price has run far above its day's average"
	case against:
		return "the price fell unusually far in the last day"
	}
	return "the price rose in the last day without running ahead"
}

// structureArgument names the swings or the breakout that turned the scale.
func structureArgument(structure, breakout string, against bool) string {
	switch {
	case structure == "breaking-out":
		return "the price is breaking out"
	case structure == "breaking-down":
		return "the price is breaking down"
	case against && structure == "lower-lows":
		return "the price makes lower highs and lows"
	case !against && structure == "higher-highs":
		return "the price makes higher highs and lows"
	case against && breakout == "failed":
		return "a breakout of the price has failed"
	case against:
		return "the price broke below its range"
	}
	return "the price broke above its range"
}

// rationale is one sentence with the two strongest supports and the strongest objection.
func rationale(supports, objections []argument) string {
	text := "Nothing measured speaks for it"
	switch {
	case len(supports) > 1:
		text = "For it: " + supports[0].text + " and " + supports[1].text
	case len(supports) == 1:
		text = "For it: " + supports[0].text
	}
	if len(objections) > 0 {
		return text + "; the strongest objection: " + objections[0].text + "."
	}
	return text + "; nothing measured speaks against it."
}

// enumeration joins words for a sentence.
func enumeration(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
