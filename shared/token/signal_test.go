package token

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenrisk"
)

var signalOrder = []string{SignalAvoid, SignalHold, SignalAccumulate, SignalBuy}

func TestNoBuyBesideARiskThatIsNotLowOrMediumOverTheWholeProduct(t *testing.T) {
	count, buys := 0, map[string]int{}
	for in := range EverySignalInput() {
		count++
		got := in.Decide()
		buys[got.Signal]++
		if got.Signal != SignalBuy && got.Signal != SignalAccumulate {
			continue
		}
		switch {
		case in.Risk != tokenrisk.Low && in.Risk != tokenrisk.Medium:
			t.Fatalf("%s beside risk %s: %+v", got.Signal, in.Risk, in)
		case got.Signal == SignalBuy && in.Risk != tokenrisk.Low:
			t.Fatalf("BUY beside risk %s: %+v", in.Risk, in)
		case in.ExitRisk != "low" && in.ExitRisk != "medium":
			t.Fatalf("%s beside exit risk %s: %+v", got.Signal, in.ExitRisk, in)
		case in.Structure == "":
			t.Fatalf("%s without a chart: %+v", got.Signal, in)
		case in.Extended:
			t.Fatalf("%s of an extended price: %+v", got.Signal, in)
		}
	}
	product := 1
	for _, size := range signalSizes {
		product *= size
	}
	if count != product {
		t.Errorf("looked at %d inputs of %d", count, product)
	}
	for _, signal := range signalOrder {
		if buys[signal] == 0 {
			t.Errorf("%s is never given", signal)
		}
	}
}

// better lists, for each input, pairs of places of which the second is better than the first. Where nobody can say which of two words
// is better (an unmeasured price beside a sideways one) there is no pair.
func better() [len(signalSizes)][][2]int {
	chain := func(words ...int) [][2]int {
		var pairs [][2]int
		for i := range len(words) - 1 {
			pairs = append(pairs, [2]int{words[i], words[i+1]})
		}
		return pairs
	}
	return [...][][2]int{
		chain(0, 1, 2, 3, 4),
		chain(0, 1, 2, 3, 4),
		// lower-lows, breaking-down, range, expanding, higher-highs, breaking-out; not charted to pointing up
		{{0, 1}, {1, 2}, {1, 3}, {2, 4}, {3, 4}, {4, 5}, {5, 4}, {6, 4}, {6, 5}},
		chain(0, 1, 2, 3),
		chain(0, 1, 2, 3),
		chain(0, 1, 2, 3),
		chain(0, 1, 2, 3),
		chain(0, 1, 2, 3, 4, 5),
		chain(0, 1, 2, 3),
		chain(0, 1),
	}
}

func TestABetterInputNeverMakesAWorseSignal(t *testing.T) {
	var decisions []int8
	for in := range EverySignalInput() {
		decisions = append(decisions, int8(slices.Index(signalOrder, in.Decide().Signal)))
	}
	stride := 1
	pairs := better()
	for digit := len(signalSizes) - 1; digit >= 0; digit-- {
		size := signalSizes[digit]
		for i := range decisions {
			place := i / stride % size
			for _, pair := range pairs[digit] {
				if pair[0] != place {
					continue
				}
				if j := i + (pair[1]-pair[0])*stride; decisions[j] < decisions[i] {
					var places [len(signalSizes)]int
					rest := i
					for k := len(places) - 1; k >= 0; k-- {
						places[k], rest = rest%signalSizes[k], rest/signalSizes[k]
					}
					worse := places
					worse[digit] = pair[1]
					t.Fatalf("%+v is %s, but better is %+v: %s", signalInput(places), signalOrder[decisions[i]], signalInput(worse), signalOrder[decisions[j]])
				}
			}
		}
		stride *= size
	}
}

func TestSignalRulesByHand(t *testing.T) {
	good := SignalInputs{
		Risk: "low", ExitRisk: "low", Structure: "higher-highs", Breakout: "none", SmartMoney: SmartMoneyBuying,
		HoldersTrend: "accumulating", Origin: "organic", Valuation: "in-line", Momentum: MomentumUp,
	}
	with := func(change func(*SignalInputs)) SignalInputs {
		in := good
		change(&in)
		return in
	}
	for name, c := range map[string]struct {
		in   SignalInputs
		want SignalDecision
	}{
		"everything good":             {good, SignalDecision{SignalBuy, RuleBuy}},
		"medium risk":                 {with(func(in *SignalInputs) { in.Risk = "medium" }), SignalDecision{SignalAccumulate, RuleAccumulate}},
		"high risk":                   {with(func(in *SignalInputs) { in.Risk = "high" }), SignalDecision{SignalAvoid, RuleRisk}},
		"unknown risk":                {with(func(in *SignalInputs) { in.Risk = "unknown" }), SignalDecision{SignalHold, RuleUnknownRisk}},
		"unknown risk, hard to leave": {with(func(in *SignalInputs) { in.Risk, in.ExitRisk = "unknown", "high" }), SignalDecision{SignalAvoid, RuleExit}},
		"a risk word nobody knows":    {with(func(in *SignalInputs) { in.Risk = "" }), SignalDecision{SignalHold, RuleUnknownRisk}},
		"nobody gets out":             {with(func(in *SignalInputs) { in.ExitRisk = "extreme" }), SignalDecision{SignalAvoid, RuleExit}},
		"hard to leave":               {with(func(in *SignalInputs) { in.ExitRisk = "high" }), SignalDecision{SignalHold, RuleNoExit}},
		"leaving not measured":        {with(func(in *SignalInputs) { in.ExitRisk = "unknown" }), SignalDecision{SignalHold, RuleNoExit}},
		"no chart":                    {with(func(in *SignalInputs) { in.Structure, in.Breakout = "", "" }), SignalDecision{SignalHold, RuleNoChart}},
		"flight": {with(func(in *SignalInputs) {
			in.HoldersTrend, in.SmartMoney, in.Structure = "bleeding", SmartMoneySelling, "lower-lows"
		}), SignalDecision{SignalAvoid, RuleFlight}},
		"extended":                      {with(func(in *SignalInputs) { in.Extended = true }), SignalDecision{SignalHold, RuleHold}},
		"one objection":                 {with(func(in *SignalInputs) { in.Origin = "bot-driven" }), SignalDecision{SignalAccumulate, RuleAccumulate}},
		"failed breakout against swing": {with(func(in *SignalInputs) { in.Breakout = "failed" }), SignalDecision{SignalBuy, RuleBuy}},
		"two supports": {SignalInputs{Risk: "low", ExitRisk: "low", Structure: "higher-highs", Breakout: "none", SmartMoney: SmartMoneyUnknown,
			HoldersTrend: "unknown", Origin: "unknown", Valuation: "rich", Momentum: MomentumUp}, SignalDecision{SignalAccumulate, RuleAccumulate}},
		"risen and not dear, nothing else": {SignalInputs{Risk: "low", ExitRisk: "low", Structure: "range", Breakout: "none", SmartMoney: SmartMoneyUnknown,
			HoldersTrend: "unknown", Origin: "unknown", Valuation: "cheap", Momentum: MomentumUp}, SignalDecision{SignalHold, RuleHold}},
		"one support": {SignalInputs{Risk: "low", ExitRisk: "low", Structure: "range", Breakout: "none", SmartMoney: SmartMoneyUnknown,
			HoldersTrend: "unknown", Origin: "unknown", Valuation: "cheap", Momentum: MomentumFlat}, SignalDecision{SignalHold, RuleHold}},
	} {
		if got := c.in.Decide(); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func goodReadings() *readings {
	buying, net := true, "buying"
	up, structure, breakout, calm := "up", "higher-highs", "none", "calm"
	fromHigh, top := -12.5, 23.4
	return &readings{
		Risk:        &tokenrisk.Assessment{Verdict: tokenrisk.Low, Score: 4, Probability: 0.04},
		ExitRisk:    ExitRiskAnswer{ExitRisk: "low", Direction: "stable"},
		PriceAction: TokenPriceActionAnswer{Available: true, Trend: &up, Structure: &structure, Breakout: &breakout, Volatility: &calm, DistanceFromHighPct: &fromHigh},
		Holders:     TokenHoldersInsightAnswer{Trend: "accumulating", Origin: "organic", TopHoldersPct: &top},
		SmartMoney:  SmartMoneyFlowAnswer{SmartMoneyBuying: &buying, MirrorWorthyBuyers: 3, BuyersAnalyzed: 11, NetFlow: &net},
		Valuation:   TokenValuationAnswer{Valuation: "in-line"},
		Momentum:    momentum{z24h: 0.8, return24h: 0.03},
	}
}

func TestConvictionByHand(t *testing.T) {
	signal := func(change func(*readings)) TokenSignalAnswer {
		all := goodReadings()
		if change != nil {
			change(all)
		}
		return assessSignal(all, time.Time{})
	}
	near := func(name string, answer TokenSignalAnswer, signal string, want float64) {
		t.Helper()
		if answer.Signal != signal || answer.Conviction == nil || math.Abs(*answer.Conviction-want) > 0.051 {
			t.Errorf("%s: %s %v, want %s %v", name, answer.Signal, *answer.Conviction, signal, want)
		}
		if answer.RiskVerdict == "" || len(answer.Reasons) < 2 || len(answer.Reasons) > reason.Maximum {
			t.Errorf("%s: %+v", name, answer)
		}
	}
	near("all five agree, scam chance 4 %", signal(nil), SignalBuy, 96)
	// 0.25+0.25+0.1+0.2 = 0.8 agree, 0.2 against, everything measured: (0.8-0.2) * 0.96.
	near("holders leave", signal(func(r *readings) { r.Holders.Trend = "bleeding" }), SignalAccumulate, 57.6)
	near("medium risk is capped", signal(func(r *readings) { r.Risk.Verdict, r.Risk.Probability = tokenrisk.Medium, 0.3 }), SignalAccumulate, 35)
	near("what is not measured caps", signal(func(r *readings) { r.SmartMoney.SmartMoneyBuying = nil }), SignalBuy, 50)
	near("an AVOID is as sure as the risk", signal(func(r *readings) { r.Risk.Verdict, r.Risk.Score, r.Risk.Probability = tokenrisk.Critical, 97, 0.97 }), SignalAvoid, 97)
	near("nobody gets out", signal(func(r *readings) { r.ExitRisk.ExitRisk = "extreme" }), SignalAvoid, 90)
	// Unknown risk: agreement is all, HOLD agrees with nothing: 1-1 = 0.
	near("unknown risk", signal(func(r *readings) {
		r.Risk.Verdict, r.Risk.Probability, r.Risk.Score = tokenrisk.Unknown, math.NaN(), math.NaN()
	}), SignalHold, 0)
}

func TestRationaleNamesSupportsAndTheStrongestObjection(t *testing.T) {
	all := goodReadings()
	all.Valuation.Valuation = "over-extended"
	want := "For it: 3 recent buyers with proven records and the price makes higher highs and lows; the strongest objection: it is dear beside tokens like it."
	if got := assessSignal(all, time.Time{}).Rationale; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	all.Risk.Verdict = tokenrisk.High
	all.Risk.Flags = []reason.Reason{{Code: "SELL_TAX", Text: "Selling costs 30% of the amount."}}
	answer := assessSignal(all, time.Time{})
	if answer.Rationale != "No buy signal is given because the risk is high." || answer.Reasons[1].Code != "SELL_TAX" {
		t.Errorf("%+v", answer)
	}
}

// What is meant to keep its price is no buy, whatever speaks for it, and its risks come before that.
func TestAStablecoinIsHeldAtMost(t *testing.T) {
	all := goodReadings()
	all.Valuation.Compared = []string{peg}
	answer := assessSignal(all, time.Time{})
	if answer.Signal != SignalHold || answer.Rationale != "No buy signal is given because the token is meant to keep its price." || len(answer.Reasons) < 2 {
		t.Errorf("%+v", answer)
	}
	if slices.Contains(reason.Codes(answer.Reasons), "FOR") {
		t.Errorf("%v", answer.Reasons)
	}
	all.Risk.Verdict = tokenrisk.Critical
	if got := decide(all); got != (SignalDecision{SignalAvoid, RuleRisk}) {
		t.Errorf("%+v", got)
	}
}

func TestNothingSpeaksForATrap(t *testing.T) {
	all := goodReadings()
	for rule, change := range map[SignalRule]func(){RuleExit: func() { all.ExitRisk.ExitRisk = ExitExtreme }, RuleRisk: func() { all.Risk.Verdict = tokenrisk.High }} {
		change()
		answer := assessSignal(all, time.Time{})
		if codes := reason.Codes(answer.Reasons); decide(all).Rule != rule || slices.Contains(codes, "FOR") || len(codes) < 2 {
			t.Errorf("%s: %v", rule, answer.Reasons)
		}
		all = goodReadings()
	}
}

// Each argument names what was found, and only that.
func TestArgumentsNameWhatWasFound(t *testing.T) {
	for want, c := range map[string]struct {
		in      SignalInputs
		support int
	}{
		"trading looks driven by bots":                         {SignalInputs{HoldersTrend: HoldersUnknown, Origin: OriginBots}, supportHolders},
		"holders leave":                                        {SignalInputs{HoldersTrend: HoldersBleeding, Origin: OriginOrganic}, supportHolders},
		"holders leave, and trading looks driven by bots":      {SignalInputs{HoldersTrend: HoldersBleeding, Origin: OriginBots}, supportHolders},
		"holders gather and look like people":                  {SignalInputs{HoldersTrend: HoldersAccumulating, Origin: OriginOrganic}, supportHolders},
		"a breakout of the price has failed":                   {SignalInputs{Structure: "expanding", Breakout: "failed"}, supportStructure},
		"the price makes lower highs and lows":                 {SignalInputs{Structure: "lower-lows", Breakout: "none"}, supportStructure},
		"the price broke below its range":                      {SignalInputs{Structure: "range", Breakout: "down"}, supportStructure},
		"the price broke above its range":                      {SignalInputs{Structure: "range", Breakout: "up"}, supportStructure},
		"the price is breaking out":                            {SignalInputs{Structure: "breaking-out", Breakout: "up"}, supportStructure},
		"the price is breaking down":                           {SignalInputs{Structure: "breaking-down", Breakout: "down"}, supportStructure},
		"the price has run far above its day's average":        {SignalInputs{Momentum: MomentumUp, Extended: true}, supportMomentum},
		"the price fell unusually far in the last day":         {SignalInputs{Momentum: MomentumDown}, supportMomentum},
		"the price rose in the last day without running ahead": {SignalInputs{Momentum: MomentumUp}, supportMomentum},
	} {
		if got := argumentText(goodReadings(), c.in, c.support, c.in.supports()[c.support]); got != want {
			t.Errorf("%+v: %q, want %q", c.in, got, want)
		}
	}
	one := goodReadings()
	one.SmartMoney.MirrorWorthyBuyers = 1
	if got := argumentText(one, signalInputsOf(one), supportSmartMoney, stanceFor); got != "1 recent buyer with a proven record" {
		t.Error(got)
	}
}
