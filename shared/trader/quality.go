package trader

import (
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
)

// The qualities of a trader's profit.
const (
	Skill         = "skill"
	Luck          = "luck"
	WashSuspected = "wash-suspected"
)

// skillNeeded is the strict PSR* from which results count as skill: one fair trader in twenty passes at most.
const skillNeeded = 0.95

// Quality tells where a trader's results come from.
type Quality struct {
	// Verdict is skill, luck (not distinguishable from chance, or losing), wash-suspected or unrated.
	Verdict string
	Reasons []reason.Reason
}

// JudgeQuality tells skill from luck. timingP is the probability that random entry hours do as well, nil when unknown.
//
// Suspected wash trading comes first; below five independent results nothing is said. Skill takes ten independent results, a
// strict PSR* of 0.95, a gain that survives without the best trade, at most half of all gains from one trade, a gain in total,
// and a timing probability of at most 0.10 where it is known. All else is luck, losing traders included.
func JudgeQuality(e Evidence, m Measures, timingP *float64) Quality {
	if e.Conduct.Wash.Suspected {
		reasons := conductReasons(e.Conduct)
		if m.N > 0 {
			reasons = append(reasons, winRateFact(m, 1).reason())
		}
		return Quality{Verdict: WashSuspected, Reasons: reason.Top(reasons)}
	}
	if m.EffectiveN < minimumJudged {
		return Quality{Verdict: Unrated, Reasons: thinReasons(m)}
	}
	facts := []fact{chanceFact(m, 50), expectancyFact(m, 20), winRateFact(m, 10)}
	verdict := Skill
	if m.EffectiveN < priorStrength || m.PSRStarStrict < skillNeeded || m.CostWeightedReturn <= 0 || m.keepsLosers() || e.Conduct.Insider.Suspected {
		verdict = Luck
	}
	if m.TopTradeShare > 0.5 {
		verdict = Luck
		facts = append(facts, fact{codeTopTrade, 45, parameters{k: m.Wins, x: m.TopTradeShare}})
	}
	if !plainlyLosing(m) {
		weight := 15.0
		if !(m.LeaveBestOutMean > 0) {
			verdict, weight = Luck, 48
		}
		facts = append(facts, fact{codeOneTrade, weight, parameters{n: m.N, x: m.LeaveBestOutMean}})
	}
	if timingP != nil && finite(*timingP) {
		timed := fact{codeTiming, 30, parameters{n: m.N, x: oddsOf(*timingP)}}
		if *timingP > 0.10 {
			verdict = Luck
			timed = fact{codeNoTiming, 47, parameters{n: m.N, x: *timingP}}
		}
		facts = append(facts, timed)
	}
	for _, weakness := range shortcomings(m, neutral) {
		weakness.weight = min(weakness.weight, 40)
		if (weakness.code == codeThin && m.EffectiveN < priorStrength) || (weakness.code == codeSizeMismatch && m.CostWeightedReturn <= 0) {
			weakness.weight = 49
		}
		facts = append(facts, weakness)
	}
	if verdict == Luck && facts[0].code == codeSkill {
		facts[0].weight = 35 // something else decides, and is said first
	}
	return Quality{Verdict: verdict, Reasons: explain(facts)}
}

// plainlyLosing tells whether results are worse than chance, also without the added total loss, which alone would condemn
// careful traders with small steady results.
func plainlyLosing(m Measures) bool {
	return m.PSRStarStrict <= 0.05 && m.Moments.Mean < 0 && (m.PSR <= 0.05 || m.Moments.SD < 1e-12)
}
