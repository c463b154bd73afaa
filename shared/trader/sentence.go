package trader

import (
	"fmt"
	"math"

	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
)

// The codes of all sentences about traders.
const (
	codeWinRate       = "WIN_RATE_CI"
	codeProfitFactor  = "PF"
	codeNoLoss        = "PF_NONE"
	codeExpectancy    = "EDGE_LB"
	codeTopTrade      = "TOP_TRADE"
	codeDrawdown      = "DRAWDOWN"
	codeWeeks         = "WEEKS_POSITIVE"
	codeBags          = "BAG"
	codeOpenLosses    = "OPEN_LOSSES"
	codeImputed       = "IMPUTED"
	codeStale         = "STALE"
	codeThin          = "THIN"
	codeSizeMismatch  = "SIZE_MISMATCH"
	codeUnmatched     = "UNMATCHED_SELLS"
	codeRepeated      = "REPEATED_BETS"
	codeSkill         = "SKILL"
	codeLuck          = "LUCK"
	codeNegativeEdge  = "NEGATIVE_EDGE"
	codeOneTrade      = "ONE_TRADE"
	codeTiming        = "TIMING"
	codeNoTiming      = "NO_TIMING"
	codeSegment       = "SEGMENT"
	codeNoSegment     = "NO_SEGMENT"
	codeInsider       = "INSIDER"
	codeAutomated     = "AUTOMATED"
	codeWashSelf      = "WASH_SELF"
	codeWashRing      = "WASH_RING"
	codeWashRoundTrip = "WASH_ROUNDTRIP"
	codeWashChurn     = "WASH_CHURN"
	codeWashCluster   = "WASH_CLUSTER"
	codeWashSizes     = "WASH_SIZES"
	codeThinTokens    = "THIN_TOKENS"
	codeThinVolume    = "THIN_VOLUME"
)

// smallSample is the number of results below which a sentence says how unsure its number is.
const smallSample = 30

// parameters fill a sentence: counts n and k, fractions x, low and high, days, a subject, and what a result is called.
type parameters struct {
	n, k         int
	x, low, high float64
	days         int
	subject      string
	noun         Noun
}

// fact is a measured thing worth saying, and how much it moved the answer.
type fact struct {
	code   string
	weight float64
	parameters
}

func (f fact) reason() reason.Reason {
	return reason.Reason{Code: f.code, Text: sentence(f.code, f.parameters), Weight: f.weight}
}

// explain writes the weightiest facts as reasons, of trades and closed positions.
func explain(facts []fact) []reason.Reason { return explainAs(Noun{}, facts) }

// explainAs is explain for results that are called something else.
func explainAs(noun Noun, facts []fact) []reason.Reason {
	reasons := make([]reason.Reason, len(facts))
	for i, f := range facts {
		f.noun = noun
		reasons[i] = f.reason()
	}
	return reason.Top(reasons)
}

// sentence is the one place where sentences about traders are written.
func sentence(code string, p parameters) string {
	few := p.n < smallSample
	switch code {
	case codeWinRate:
		if few {
			return fmt.Sprintf("Won %d of %s; with so few the true rate could be %s to %s, where about %s is usual.",
				p.k, p.noun.closed(p.n), percent(p.low), percent(p.high), percent(p.x))
		}
		return fmt.Sprintf("Won %d of %s; the true rate is likely %s to %s, where about %s is usual.",
			p.k, p.noun.closed(p.n), percent(p.low), percent(p.high), percent(p.x))
	case codeProfitFactor:
		return fmt.Sprintf("Gained %.2f for every 1 lost, where 1 is break-even%s.", p.x, p.sample())
	case codeNoLoss:
		if few {
			return fmt.Sprintf("No losing %s yet, which on %s proves little.", p.noun.one(), display.Count(p.n, p.noun.one()))
		}
		return fmt.Sprintf("No losing %s in %s, which can also mean that losers are not sold.", p.noun.one(), display.Count(p.n, p.noun.one()))
	case codeExpectancy:
		if p.x < 0 {
			return fmt.Sprintf("The true average result could be as low as %s with 80%% confidence, so a gain is not established%s.",
				percent(p.x), p.sample())
		}
		return fmt.Sprintf("Average result is at least %s with 80%% confidence%s.", percent(p.x), p.sample())
	case codeTopTrade:
		return fmt.Sprintf("%s of all gains came from one %s%s.", percent(p.x), p.noun.one(), ofWinners(p.k))
	case codeDrawdown:
		return fmt.Sprintf("Worst run lost %s at 10%% stakes, where 50%% counts as ruinous%s.", percent(p.x), p.sample())
	case codeWeeks:
		text := fmt.Sprintf("%d of %s ended in profit", p.k, display.Count(p.n, "active week"))
		if few {
			return fmt.Sprintf("%s; with so few weeks the true share could be %s to %s.", text, percent(p.low), percent(p.high))
		}
		return text + ", where half is break-even."
	case codeBags:
		return fmt.Sprintf("%s can no longer be sold for more than %s of cost.", display.Count(p.k, "open position"), percent(p.x))
	case codeOpenLosses:
		return fmt.Sprintf("%d of %s would lose money if sold now; together those would bring %s of their cost.",
			p.k, display.Count(p.n, "open position"), percent(p.x))
	case codeImputed:
		return fmt.Sprintf("%d of %s could no longer be sold and count at what was left of them.", p.k, p.noun.closed(p.n))
	case codeStale:
		return fmt.Sprintf("Last closed %s %s ago; the record counts less from a month on.", p.noun.one(), display.Count(p.days, "day"))
	case codeThin:
		switch {
		case p.subject != "":
			return fmt.Sprintf("%s; at least %d more %s needed to %s.", p.noun.closed(p.n), p.k, areOrIs(p.k), p.subject)
		case p.n == 0:
			return fmt.Sprintf("No %s can be rated yet; at least %d %s needed.", p.noun.closedOne(), p.k, areOrIs(p.k))
		case p.n < minimumRated:
			return fmt.Sprintf("%s can be rated; at least %d more %s needed for a rating.", p.noun.closed(p.n), p.k, areOrIs(p.k))
		}
		return fmt.Sprintf("%s; about %d more like them %s needed for a firm judgement.", p.noun.closed(p.n), p.k, areOrIs(p.k))
	case codeSizeMismatch:
		if p.x < 0 {
			return fmt.Sprintf("Bigger positions did worse than small ones: weighted by size the result is a loss of %s%s.", percent(-p.x), p.sample())
		}
		return fmt.Sprintf("Bigger positions did better than small ones: the average %s lost, but weighted by size the result is a gain of %s%s.",
			p.noun.one(), percent(p.x), p.sample())
	case codeUnmatched:
		return fmt.Sprintf("%s had no known purchase; %s of proceeds can be matched to a cost.", display.Count(p.k, "sale"), percent(p.x))
	case codeRepeated:
		return fmt.Sprintf("%s in %d different markets are worth about %.0f independent ones.", p.noun.closed(p.n), p.k, p.x)
	case codeSkill:
		return fmt.Sprintf("Chance alone does this well in under %s of cases, even with a total loss added to the record%s.", percent(p.x), p.sample())
	case codeLuck:
		if p.x >= 0.5 {
			return fmt.Sprintf("Results are no better than chance gives a trader with this many %s%s.", p.noun.many(), p.sample())
		}
		return fmt.Sprintf("Results of this size appear by chance in about %s of traders with this many %s%s.", percent(p.x), p.noun.many(), p.sample())
	case codeNegativeEdge:
		return fmt.Sprintf("Results are worse than chance; no evidence of skill%s.", p.sample())
	case codeOneTrade:
		return fmt.Sprintf("Without its best %s the average result is %s%s.", p.noun.one(), percent(p.x), p.sample())
	case codeTiming:
		return fmt.Sprintf("Entries beat random hours around them; chance alone does so %s of the time%s.", percent(p.x), p.sample())
	case codeNoTiming:
		return fmt.Sprintf("Entries did not clearly beat random hours around them; chance alone does as well %s of the time%s.", percent(p.x), p.sample())
	case codeSegment:
		return fmt.Sprintf("%s returned far more than the rest (%s; unlikely to be chance after checking %s).",
			p.subject, display.Count(p.n, p.noun.one()), display.Count(p.k, "segment"))
	case codeNoSegment:
		return "No part of its trading stands out once chance is allowed for."
	case codeInsider:
		return fmt.Sprintf("Received tokens before public trading in %s and sold them later.", launches(p.k))
	case codeAutomated:
		return fmt.Sprintf("Timing, sizes or speed over %s suggest automation, which a person can hardly follow.", display.Count(p.n, p.noun.one()))
	case codeWashSelf:
		return fmt.Sprintf("%s of its volume was traded with itself or accounts it funds.", percent(p.x))
	case codeWashRing:
		return fmt.Sprintf("%s of its volume went round a closed group of %d accounts at no net change.", percent(p.x), p.k)
	case codeWashRoundTrip:
		return fmt.Sprintf("%s of its volume is buying and selling the same token back within an hour at no net change (%s).",
			percent(p.x), display.Count(p.k, "round trip"))
	case codeWashChurn:
		return fmt.Sprintf("Turns its money over %.0f times a day for a net result of %s of volume.", p.x, percent(p.low))
	case codeWashCluster:
		return fmt.Sprintf("%s of its volume was traded with %s funded from the same source.", percent(p.x), display.Count(p.k, "account"))
	case codeWashSizes:
		return fmt.Sprintf("Trade sizes over %s do not spread as natural ones do.", display.Count(p.n, p.noun.one()))
	case codeThinVolume:
		return fmt.Sprintf("%s of its trading is in %s with fewer than 20 holders or under its own control (%s).", percent(p.x), display.Count(p.k, "token"), display.Count(p.n, p.noun.one()))
	case codeThinTokens:
		return fmt.Sprintf("%s of its profit comes from %s with fewer than 20 holders or under its own control.", percent(p.x), display.Count(p.k, "token"))
	}
	return ""
}

// sample tells how small a small sample is; a large one goes without saying.
func (p parameters) sample() string {
	if p.n >= smallSample {
		return ""
	}
	return fmt.Sprintf(" (only %s, so uncertain)", display.Count(p.n, p.noun.one()))
}

func ofWinners(winners int) string {
	switch {
	case winners >= smallSample:
		return fmt.Sprintf(", where an even split over its winners is %s", percent(1/float64(winners)))
	case winners > 1:
		return fmt.Sprintf("; an even split over its %d winners is %s, and so few make this uncertain", winners, percent(1/float64(winners)))
	}
	return ", its only winner, which says little"
}

func launches(n int) string {
	if n == 1 {
		return "1 launch"
	}
	return fmt.Sprintf("%d launches", n)
}

func areOrIs(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

func percent(x float64) string { return display.PercentText(x) }

// oddsOf rounds a probability of chance up, to a tenth of a percent below one percent, so that "under" stays true.
func oddsOf(p float64) float64 {
	step := 0.01
	if p < 0.009 {
		step = 0.001
	}
	return (math.Floor(p/step) + 1) * step
}
