package token

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenrisk"
)

// TokenNarrativeAnswer is the thesis in one paragraph, made of the computed signals alone.
type TokenNarrativeAnswer struct {
	// Available is false for an address that is no token.
	Available bool `json:"available"`
	// Narrative is the paragraph; null when it is not available.
	Narrative *string `json:"narrative"`
	// Tone is where the clauses lean together. One of positive, mixed, negative or unknown; null when there is no narrative.
	Tone *string `json:"tone"`
	// Reasons are one to five sentences, the weightiest first.
	Reasons []reason.Reason `json:"reasons"`
}

// maximumWords is the length of a narrative.
const maximumWords = 90

func (p page) tokenNarrative() endpoint.Endpoint {
	return endpoint.Single(endpoint.Declaration{
		Name: "token-narrative", Units: 1, Graded: true,
		Summary:    "A one-paragraph thesis over the computed signals.",
		Parameters: parameters, Needs: readingNeeds,
	}, func(ctx context.Context, r *endpoint.Request) (*readings, error) {
		all, err := p.read(ctx, r)
		if isNotAToken(err) {
			return nil, nil
		}
		return all, err
	}, assessNarrative)
}

// clause is one half sentence of a narrative.
type clause struct {
	code, text string
	stance     stance
}

func assessNarrative(all *readings, _ time.Time) TokenNarrativeAnswer {
	if all == nil {
		return TokenNarrativeAnswer{Reasons: []reason.Reason{because("NOT_A_TOKEN", 1, "This address is not a token on this chain, so there is nothing to tell.")}}
	}
	clauses := clausesOf(all)
	text, tone := narrate(clauses), toneOf(clauses, decide(all).Signal)
	answer := TokenNarrativeAnswer{Available: true, Narrative: &text, Tone: &tone}
	for _, c := range clauses {
		if c.stance != stanceUnknown {
			answer.Reasons = append(answer.Reasons, because(c.code, stanceWeight(c.stance), "%s.", capital(c.text)))
		}
	}
	answer.Reasons = append(answer.Reasons, because("SOURCE", 0, "Written from the computed signals alone: no outside text and no forecast."))
	answer.Reasons = reason.Top(answer.Reasons)
	return answer
}

func stanceWeight(s stance) float64 {
	if s == stanceAgainst {
		return 2
	}
	return 1
}

// clausesOf tells the topics in their fixed order. A clause's numbers are those of the readings, as they stand in their answers.
func clausesOf(all *readings) []clause {
	return []clause{
		riskClause(all.Risk), exitClause(all.ExitRisk), holdersClause(all.Holders), smartMoneyClause(all.SmartMoney),
		priceClause(all.PriceAction), valuationClause(all.Valuation),
	}
}

func riskClause(risk *tokenrisk.Assessment) clause {
	switch {
	case risk.Verdict == tokenrisk.Critical && len(risk.Flags) > 0 && len(strings.Fields(risk.Flags[0].Text)) <= 24:
		return clause{"RISK", "the risk of a scam is critical (" + uncapital(strings.TrimSuffix(risk.Flags[0].Text, ".")) + ")", stanceAgainst}
	case risk.Verdict == tokenrisk.Critical || risk.Verdict == tokenrisk.High:
		return clause{"RISK", "the risk of a scam is " + risk.Verdict, stanceAgainst}
	case risk.Verdict == tokenrisk.Medium:
		return clause{"RISK", "the risk of a scam is medium", stanceNeutral}
	case risk.Verdict == tokenrisk.Low && risk.IssuerControlled:
		return clause{"RISK", "no sign of a scam was found, though its issuer can freeze or mint it", stanceFor}
	case risk.Verdict == tokenrisk.Low:
		return clause{"RISK", "no sign of a scam was found in what could be checked", stanceFor}
	}
	return clause{"RISK", "too little could be checked to rate the risk of a scam", stanceUnknown}
}

func exitClause(exit ExitRiskAnswer) clause {
	worse := ""
	switch exit.Direction {
	case "rising":
		worse = " and getting worse"
	case "falling":
		worse = " and easing"
	}
	text := "exit risk is " + exit.ExitRisk + worse
	switch exit.ExitRisk {
	case ExitLow:
		if exit.Direction == DirectionRising {
			return clause{"EXIT", "exit risk is low, though getting worse", stanceNeutral}
		}
		return clause{"EXIT", "exit risk is low", stanceFor}
	case ExitMedium:
		return clause{"EXIT", text, stanceNeutral}
	case ExitHigh, ExitExtreme:
		return clause{"EXIT", text, stanceAgainst}
	}
	return clause{"EXIT", "how hard it is to get out could not be measured", stanceUnknown}
}

func holdersClause(h TokenHoldersInsightAnswer) clause {
	share := ""
	if h.TopHoldersPct != nil {
		share = ", with " + display.PercentText(*h.TopHoldersPct/100) + " held by the ten largest"
	}
	switch {
	case h.Origin == "bot-driven":
		return clause{"HOLDERS", "trading looks driven by bots" + share, stanceAgainst}
	case h.Trend == "bleeding":
		return clause{"HOLDERS", "holders are leaving" + share, stanceAgainst}
	case h.Trend == "accumulating" && h.Origin == "organic":
		return clause{"HOLDERS", "holders are gathering and look like people" + share, stanceFor}
	case h.Trend == "accumulating":
		return clause{"HOLDERS", "holders are gathering" + share, stanceNeutral}
	case h.Trend == "stable":
		return clause{"HOLDERS", "the number of holders is stable" + share, stanceNeutral}
	case h.Origin == "organic":
		return clause{"HOLDERS", "buyers look like people" + share, stanceNeutral}
	}
	return clause{"HOLDERS", "too little is known of its holders" + share, stanceUnknown}
}

func smartMoneyClause(s SmartMoneyFlowAnswer) clause {
	switch {
	case s.SmartMoneyBuying == nil:
		return clause{"SMART", "too few recent buyers could be graded", stanceUnknown}
	case *s.SmartMoneyBuying:
		return clause{"SMART", fmt.Sprintf("proven traders are buying (%d of %d graded buyers)", s.MirrorWorthyBuyers, s.BuyersAnalyzed), stanceFor}
	case s.MirrorWorthyBuyers > 0 && word(s.NetFlow) == "selling":
		return clause{"SMART", "proven traders are selling", stanceAgainst}
	case s.MirrorWorthyBuyers == 1:
		return clause{"SMART", fmt.Sprintf("only 1 of %d graded buyers has a proven record", s.BuyersAnalyzed), stanceNeutral}
	case s.MirrorWorthyBuyers > 0:
		return clause{"SMART", fmt.Sprintf("only %d of %d graded buyers have a proven record", s.MirrorWorthyBuyers, s.BuyersAnalyzed), stanceNeutral}
	}
	return clause{"SMART", fmt.Sprintf("none of %d graded buyers has a proven record", s.BuyersAnalyzed), stanceNeutral}
}

func priceClause(p TokenPriceActionAnswer) clause {
	if !p.Available {
		return clause{"PRICE", "there is too little trading to chart", stanceUnknown}
	}
	structure, breakout := word(p.Structure), word(p.Breakout)
	if structure == "" {
		return clause{"PRICE", "the price has turned too rarely to read its structure", stanceUnknown}
	}
	text := "the price " + structureTexts[structure]
	if breakout == "failed" && structure != "breaking-out" {
		text += " after a failed breakout"
	}
	if p.DistanceFromHighPct != nil && *p.DistanceFromHighPct < 0 {
		text += ", " + display.PercentText(-*p.DistanceFromHighPct/100) + " below its high"
	}
	return clause{"PRICE", text, structureStance(structure, breakout)}
}

var structureTexts = map[string]string{
	"higher-highs": "makes higher highs", "lower-lows": "makes lower lows", "range": "moves sideways",
	"expanding": "swings more and more widely", "breaking-out": "is breaking out", "breaking-down": "is breaking down",
}

func valuationClause(v TokenValuationAnswer) clause {
	if v.pegged() {
		return pegClause(v)
	}
	switch v.Valuation {
	case "over-extended":
		return clause{"VALUATION", "it is valued far above tokens like it", stanceAgainst}
	case "rich":
		return clause{"VALUATION", "it is valued above tokens like it", stanceNeutral}
	case "in-line":
		return clause{"VALUATION", "it is valued like its peers", stanceNeutral}
	case "cheap":
		return clause{"VALUATION", "it is valued below tokens like it", stanceFor}
	case "under-extended":
		return clause{"VALUATION", "it is valued far below tokens like it", stanceFor}
	}
	return clause{"VALUATION", "its valuation could not be compared", stanceUnknown}
}

func pegClause(v TokenValuationAnswer) clause {
	switch v.Valuation {
	case inLine:
		return clause{"VALUATION", "it trades at its peg", stanceNeutral}
	case rich, overExtended:
		return clause{"VALUATION", "it trades above its peg", stanceAgainst}
	}
	return clause{"VALUATION", "it trades below its peg", stanceAgainst}
}

// narrate joins clauses two by two: with "and" where both lean the same way, with "but" where they contradict each other, with a
// semicolon otherwise. What was not measured comes last, and goes first when the paragraph would be too long.
func narrate(clauses []clause) string {
	var told, untold []clause
	for _, c := range clauses {
		if c.stance == stanceUnknown {
			untold = append(untold, c)
		} else {
			told = append(told, c)
		}
	}
	sentences := make([]string, 0, len(clauses))
	for _, list := range [][]clause{told, untold} {
		for i := 0; i < len(list); i += 2 {
			sentence := list[i].text
			if i+1 < len(list) {
				sentence += connective(list[i].stance, list[i+1].stance) + list[i+1].text
			}
			sentences = append(sentences, capital(sentence)+".")
		}
	}
	for len(sentences) > 1 && words(sentences) > maximumWords {
		sentences = sentences[:len(sentences)-1]
	}
	return strings.Join(sentences, " ")
}

func connective(a, b stance) string {
	switch {
	case a == b && a != stanceNeutral:
		return ", and "
	case a == stanceFor && b == stanceAgainst, a == stanceAgainst && b == stanceFor:
		return ", but "
	}
	return "; "
}

func words(sentences []string) int {
	count := 0
	for _, s := range sentences {
		count += len(strings.Fields(s))
	}
	return count
}

// toneOf is where the measured clauses lean, as far as the signal leans there as well: what is to be avoided is negative, and nothing
// is positive without a signal to buy or beside a risk that is not.
func toneOf(clauses []clause, signal string) string {
	positives, negatives, unknown := 0, 0, 0
	for _, c := range clauses {
		switch c.stance {
		case stanceFor:
			positives++
		case stanceAgainst:
			negatives++
		case stanceUnknown:
			unknown++
		}
	}
	risk := clauses[0].stance
	switch {
	case signal == SignalAvoid || negatives > positives:
		return "negative"
	case risk == stanceUnknown || unknown > len(clauses)/2:
		return "unknown"
	case (signal == SignalBuy || signal == SignalAccumulate) && risk == stanceFor && negatives == 0 && positives > 1:
		return "positive"
	}
	return "mixed"
}

// uncapital lets a sentence that begins with a plain word follow within another.
func uncapital(text string) string {
	if len(text) > 1 && (text[1] == ' ' || text[1] >= 'a' && text[1] <= 'z') {
		return strings.ToLower(text[:1]) + text[1:]
	}
	return text
}

func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
