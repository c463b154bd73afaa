package token

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenrisk"
)

func TestNarrativesByHand(t *testing.T) {
	bad := goodReadings()
	bad.Risk = &tokenrisk.Assessment{Verdict: tokenrisk.Critical, Flags: []reason.Reason{{Code: "SELL_FAILS", Text: "Selling failed in a test trade; you may not be able to exit."}}}
	bad.ExitRisk = ExitRiskAnswer{ExitRisk: "extreme", Direction: "rising"}
	bad.SmartMoney = SmartMoneyFlowAnswer{BuyersAnalyzed: 2}
	bad.Valuation.Valuation = "unknown"
	blank := &readings{Risk: &tokenrisk.Assessment{Verdict: tokenrisk.Unknown}, ExitRisk: ExitRiskAnswer{ExitRisk: "unknown"},
		Holders: TokenHoldersInsightAnswer{Trend: "unknown", Origin: "unknown"}, Valuation: TokenValuationAnswer{Valuation: "unknown"}}
	for name, c := range map[string]struct {
		all        *readings
		want, tone string
	}{
		"good": {goodReadings(), "No sign of a scam was found in what could be checked, and exit risk is low. " +
			"Holders are gathering and look like people, with 23% held by the ten largest, and proven traders are buying (3 of 11 graded buyers). " +
			"The price makes higher highs, 13% below its high; it is valued like its peers.", "positive"},
		"bad": {bad, "The risk of a scam is critical (selling failed in a test trade; you may not be able to exit), and exit risk is extreme and getting worse. " +
			"Holders are gathering and look like people, with 23% held by the ten largest, and the price makes higher highs, 13% below its high. " +
			"Too few recent buyers could be graded, and its valuation could not be compared.", "negative"},
		"blank": {blank, "Too little could be checked to rate the risk of a scam, and how hard it is to get out could not be measured. " +
			"Too little is known of its holders, and too few recent buyers could be graded. " +
			"There is too little trading to chart, and its valuation could not be compared.", "unknown"},
	} {
		answer := assessNarrative(c.all, time.Time{})
		if !answer.Available || *answer.Narrative != c.want || *answer.Tone != c.tone {
			t.Errorf("%s: %s\n%s\nwant %s\n%s", name, *answer.Tone, *answer.Narrative, c.tone, c.want)
		}
	}
	if answer := assessNarrative(nil, time.Time{}); answer.Available || answer.Narrative != nil || answer.Tone != nil || len(answer.Reasons) != 1 {
		t.Errorf("no token: %+v", answer)
	}
}

func TestClausesThatAreEasilyWrong(t *testing.T) {
	down := -6.77
	none := "none"
	for want, c := range map[string]clause{
		"the price has turned too rarely to read its structure": priceClause(TokenPriceActionAnswer{Available: true, Breakout: &none, DistanceFromHighPct: &down}),
		"only 1 of 11 graded buyers has a proven record":        smartMoneyClause(SmartMoneyFlowAnswer{SmartMoneyBuying: new(bool), MirrorWorthyBuyers: 1, BuyersAnalyzed: 11}),
		"only 2 of 11 graded buyers have a proven record":       smartMoneyClause(SmartMoneyFlowAnswer{SmartMoneyBuying: new(bool), MirrorWorthyBuyers: 2, BuyersAnalyzed: 11}),
		"exit risk is medium and easing":                        exitClause(ExitRiskAnswer{ExitRisk: ExitMedium, Direction: DirectionFalling}),
		"exit risk is low, though getting worse":                exitClause(ExitRiskAnswer{ExitRisk: ExitLow, Direction: DirectionRising}),
		"it trades at its peg":                                  valuationClause(TokenValuationAnswer{Valuation: inLine, Compared: []string{peg}}),
		"it trades above its peg":                               valuationClause(TokenValuationAnswer{Valuation: rich, Compared: []string{peg}}),
		"it trades below its peg":                               valuationClause(TokenValuationAnswer{Valuation: underExtended, Compared: []string{peg}}),
	} {
		if c.text != want {
			t.Errorf("%q, want %q", c.text, want)
		}
	}
	if c := priceClause(TokenPriceActionAnswer{Available: true, DistanceFromHighPct: &down}); c.stance != stanceUnknown {
		t.Errorf("a price without a structure leans %d", c.stance)
	}
}

var numbers = regexp.MustCompile(`\d+(\.\d+)?`)

// praise and blame are the words that a clause may not use for the other side's readings.
var (
	praise = []string{"is easy", "no sign of", "gathering", "are buying", "higher highs", "breaking out", "risk is low", "valued below", "valued far below"}
	blame  = []string{"critical", "is high", "extreme", "leaving", "bots", "are selling", "lower lows", "breaking down", "far above"}
)

func TestNarrativesKeepToTheirInputs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := anyReadings(t)
		answer := assessNarrative(all, time.Time{})
		text := *answer.Narrative
		if again := assessNarrative(all, time.Time{}); *again.Narrative != text {
			t.Fatalf("two texts for the same readings:\n%s\n%s", text, *again.Narrative)
		}
		if n := len(strings.Fields(text)); n > maximumWords || n < 10 {
			t.Fatalf("%d words: %s", n, text)
		}
		given, err := json.Marshal([]any{all.ExitRisk, all.PriceAction, all.Holders, all.SmartMoney, all.Valuation, flagTexts(all.Risk)})
		if err != nil {
			t.Fatal(err)
		}
		// As they stand, and as sentences write percentages: whole from 1 on, else with one decimal.
		known := make(map[string]bool)
		for _, n := range numbers.FindAllString(string(given), -1) {
			known[n] = true
			x, err := strconv.ParseFloat(n, 64)
			if err != nil {
				t.Fatal(err)
			}
			known[strconv.FormatFloat(math.Floor(x+0.5), 'f', -1, 64)] = true
			if x < 1 {
				known[strconv.FormatFloat(math.Floor(x*10+0.5)/10, 'f', -1, 64)] = true
			}
		}
		for _, n := range numbers.FindAllString(text, -1) {
			if !known[n] {
				t.Fatalf("%s is no number of the inputs: %s\n%s", n, text, given)
			}
		}
		if strings.ContainsAny(text, "<>\"`$&") {
			t.Fatal(text)
		}
		for _, c := range clausesOf(all) {
			for _, word := range praise {
				if c.stance == stanceAgainst && strings.Contains(c.text, word) {
					t.Fatalf("praise in a clause against: %s", c.text)
				}
			}
			for _, word := range blame {
				if c.stance == stanceFor && strings.Contains(c.text, word) {
					t.Fatalf("blame in a clause for: %s", c.text)
				}
			}
		}
		signal := assessSignal(all, time.Time{}).Signal
		if *answer.Tone == "positive" && (signal == SignalAvoid || signal == SignalHold) || (signal == SignalAvoid) && *answer.Tone != "negative" {
			t.Fatalf("tone %s beside %s", *answer.Tone, signal)
		}
		if strings.Contains(text, " ,") || strings.Contains(text, "  ") {
			t.Fatalf("a gap: %s", text)
		}
		if *answer.Tone == "positive" && all.Risk.Verdict != tokenrisk.Low {
			t.Fatalf("a positive tone beside risk %s", all.Risk.Verdict)
		}
	})
}

func anyReadings(t *rapid.T) *readings {
	choose := func(name string, words ...string) string { return rapid.SampledFrom(words).Draw(t, name) }
	maybe := func(name string, words ...string) *string {
		if chosen := choose(name, append(words, "")...); chosen != "" {
			return &chosen
		}
		return nil
	}
	percent := func(name string, low, high int) *float64 {
		if rapid.Bool().Draw(t, name+"?") {
			x := float64(rapid.IntRange(low*100, high*100).Draw(t, name)) / 100
			return &x
		}
		return nil
	}
	var flags []reason.Reason
	if rapid.Bool().Draw(t, "flag?") {
		flags = []reason.Reason{{Code: "SELL_TAX", Text: "Selling costs 62% of the amount."}}
	}
	all := &readings{
		Risk:       &tokenrisk.Assessment{Verdict: choose("risk", signalRisks...), Flags: flags, IssuerControlled: rapid.Bool().Draw(t, "issuer")},
		ExitRisk:   ExitRiskAnswer{ExitRisk: choose("exit", signalExits...), Direction: choose("direction", "rising", "falling", "stable", "unknown")},
		Holders:    TokenHoldersInsightAnswer{Trend: choose("trend", signalTrends...), Origin: choose("origin", signalOrigins...), TopHoldersPct: percent("top", 0, 100)},
		SmartMoney: SmartMoneyFlowAnswer{BuyersAnalyzed: rapid.IntRange(0, 20).Draw(t, "analyzed"), NetFlow: maybe("net", "buying", "selling", "balanced")},
		Valuation:  TokenValuationAnswer{Valuation: choose("valuation", signalValuations...)},
		Momentum:   momentum{z24h: rapid.Float64Range(-3, 3).Draw(t, "z"), aboveVWAP: rapid.Float64Range(-5, 5).Draw(t, "vwap")},
	}
	if rapid.Bool().Draw(t, "pegged") {
		all.Valuation.Compared = []string{peg}
	}
	all.SmartMoney.MirrorWorthyBuyers = rapid.IntRange(0, all.SmartMoney.BuyersAnalyzed).Draw(t, "worthy")
	if rapid.Bool().Draw(t, "graded") {
		buying := rapid.Bool().Draw(t, "buying")
		all.SmartMoney.SmartMoneyBuying = &buying
	}
	if rapid.Bool().Draw(t, "charted") {
		breakout := choose("breakout", signalBreakouts...)
		all.PriceAction = TokenPriceActionAnswer{Available: true, Structure: maybe("structure", signalStructures[:6]...), Breakout: &breakout, DistanceFromHighPct: percent("high", -100, 0)}
	}
	return all
}

func TestEverySignalCarriesItsRiskAndIsSafe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := anyReadings(t)
		answer := assessSignal(all, time.Time{})
		if answer.RiskVerdict != all.Risk.Verdict {
			t.Fatalf("risk %s is told as %s", all.Risk.Verdict, answer.RiskVerdict)
		}
		if answer.Conviction == nil || !(*answer.Conviction >= 0 && *answer.Conviction <= 100) {
			t.Fatalf("conviction %v", answer.Conviction)
		}
		if n := len(answer.Reasons); n < 2 || n > reason.Maximum || answer.Rationale == "" || strings.Count(answer.Rationale, ". ") > 0 {
			t.Fatalf("%d reasons, rationale %q", n, answer.Rationale)
		}
		buy := answer.Signal == SignalBuy || answer.Signal == SignalAccumulate
		if buy && (all.Risk.Verdict != tokenrisk.Low && all.Risk.Verdict != tokenrisk.Medium || all.ExitRisk.ExitRisk == "extreme") {
			t.Fatalf("%s beside %s and %s", answer.Signal, all.Risk.Verdict, all.ExitRisk.ExitRisk)
		}
		if buy && all.Valuation.pegged() {
			t.Fatalf("%s of a stablecoin", answer.Signal)
		}
		codes := reason.Codes(answer.Reasons)
		if all.Risk.Verdict == tokenrisk.Critical && slices.Contains(codes, "FOR") {
			t.Fatalf("something speaks for a trap: %v", answer.Reasons)
		}
	})
}
