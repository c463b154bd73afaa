package trader

import (
	"math"

	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
)

// The verdicts on a trader.
const (
	MirrorWorthy = "mirror-worthy"
	Watch        = "watch"
	Avoid        = "avoid"
	Unrated      = "unrated"
)

const (
	// minimumRated is how many closed results a rating takes.
	minimumRated = 3
	// evidenceNeeded is the strict PSR* below which neither A nor B is given.
	evidenceNeeded = 0.80
	// confidenceNeeded is the confidence below which no trader is mirror-worthy.
	confidenceNeeded = 0.5
	// neutral is the score of somebody of whom nothing is known.
	neutral = 50.0
	// The highest scores without evidence, and with conduct that rules following out.
	unprovenScore  = 57.9
	conductedScore = 44.9
	// ruinousDrawdown leaves nothing of the drawdown part of the score.
	ruinousDrawdown = 0.5
	// expectancyScale is the bound of the mean return that moves its part of the score by tanh(1).
	expectancyScale = 0.25
	// openLosing open positions under water are worth saying where together they would lose the part openLoss of their cost: a record
	// of closed positions alone hides them.
	openLosing = 3
	openLoss   = 0.10
	// disqualifying is the weight of reasons that settle an answer alone.
	disqualifying = 1000.0
)

// Subscores are the parts of a score, each 0 to 100, before confidence is applied.
type Subscores struct {
	WinRate, Profitability, Consistency float64
}

// Rating is the grade of a trader.
type Rating struct {
	// Rated is false below three closed results. Grade is then empty, Verdict unrated, and Score and Subscores NaN.
	Rated bool
	// Grade is A to F.
	Grade   string
	Verdict string
	// Score is 0 to 100 with one decimal; 50 is the neutral middle.
	Score     float64
	Subscores Subscores
	// Confidence is 0 to 1.
	Confidence float64
	SampleSize int
	// Reasons are 2 to 5, or 1 to 5 when unrated, the weightiest first.
	Reasons []reason.Reason
}

// Rate grades a trader. The raw score is a quarter win rate, two fifths profitability and the rest consistency; confidence
// pulls it toward the neutral middle, so that a thin history is neither good nor bad. Without evidence (strict PSR* below
// 0.80), and where nearly all losers are still held, the score stays below B, which stops traders that hide their losses. Mirror-worthy takes a B, confidence of 0.5, a gain
// also without the best trade, and no sign of a robot. Suspected wash trading or insider supply caps the grade at D and makes
// the verdict avoid.
func Rate(e Evidence, m Measures) Rating {
	rating := Rating{Confidence: m.Confidence, SampleSize: m.N, Verdict: Unrated, Score: math.NaN()}
	if m.N < minimumRated {
		rating.Subscores = Subscores{math.NaN(), math.NaN(), math.NaN()}
		rating.Reasons = unratedReasons(e, m, minimumRated-m.N)
		return rating
	}
	rating.Rated = true
	parts := weigh(m)
	rating.Subscores = parts.subscores()
	raw := parts.raw()
	score := neutral + m.Confidence*(raw-neutral)
	if m.PSRStarStrict < evidenceNeeded || m.keepsLosers() {
		score = min(score, unprovenScore)
	}
	disqualified := e.Conduct.Wash.Suspected || e.Conduct.Insider.Suspected
	if disqualified {
		score = min(score, conductedScore)
	}
	rating.Score = display.Round(max(0, min(100, score)), 1)
	rating.Grade = gradeOf(rating.Score)
	rating.Verdict = Watch
	switch {
	case disqualified || rating.Grade == "F":
		rating.Verdict = Avoid
	case rating.Score >= 58 && m.Confidence >= confidenceNeeded && m.PSRStarStrict >= evidenceNeeded &&
		m.LeaveBestOutMean > 0 && e.Conduct.Automated.Verdict != AutomationLikely:
		rating.Verdict = MirrorWorthy
	}
	rating.Reasons = ratedReasons(e, m, parts)
	return rating
}

// gradeOf grades the score as it is shown.
func gradeOf(score float64) string {
	switch {
	case score >= 70:
		return "A"
	case score >= 58:
		return "B"
	case score >= 45:
		return "C"
	case score >= 32:
		return "D"
	}
	return "F"
}

// parts are the terms of the raw score, each 0 to 100.
type parts struct {
	winRate, profitFactor, expectancy, evidence, weeks, spread, drawdown float64
}

// The weights of the terms in the raw score; they add up to 1.
const (
	winRateWeight       = 0.25
	profitabilityWeight = 0.40
	consistencyWeight   = 0.35
	halfWeight          = 0.5
	evidenceWeight      = 0.35
	weeksWeight         = 0.25
	spreadWeight        = 0.20
	drawdownWeight      = 0.20
)

func weigh(m Measures) parts {
	return parts{
		winRate:      100 * m.WinRate,
		profitFactor: 100 * m.ProfitShare,
		expectancy:   100 * (0.5 + 0.5*math.Tanh(m.ExpectancyLow/expectancyScale)),
		evidence:     100 * m.PSRStar,
		weeks:        100 * float64(m.WeeksPositive+2) / float64(m.Weeks+4),
		spread:       100 * (1 - m.TopTradeExcess),
		drawdown:     100 * (1 - min(1, m.Drawdown/ruinousDrawdown)),
	}
}

func (p parts) subscores() Subscores {
	return Subscores{
		WinRate:       p.winRate,
		Profitability: halfWeight*p.profitFactor + halfWeight*p.expectancy,
		Consistency:   evidenceWeight*p.evidence + weeksWeight*p.weeks + spreadWeight*p.spread + drawdownWeight*p.drawdown,
	}
}

func (p parts) raw() float64 {
	s := p.subscores()
	return winRateWeight*s.WinRate + profitabilityWeight*s.Profitability + consistencyWeight*s.Consistency
}

// ratedReasons says first what rules a trader out, then what moved the score most.
func ratedReasons(e Evidence, m Measures, p parts) []reason.Reason {
	moved := func(weight, part float64) float64 { return weight * math.Abs(part-neutral) * m.Confidence }
	facts := []fact{
		winRateFact(m, moved(winRateWeight, p.winRate)),
		profitFactorFact(m, moved(profitabilityWeight*halfWeight, p.profitFactor)),
		expectancyFact(m, moved(profitabilityWeight*halfWeight, p.expectancy)),
		weeksFact(m, moved(consistencyWeight*weeksWeight, p.weeks)),
	}
	if m.TopTradeExcess >= 0.3 && !math.IsNaN(m.TopTradeShare) {
		facts = append(facts, fact{codeTopTrade, moved(consistencyWeight*spreadWeight, p.spread), parameters{k: m.Wins, x: m.TopTradeShare}})
	}
	if m.Drawdown >= 0.1 {
		facts = append(facts, fact{codeDrawdown, moved(consistencyWeight*drawdownWeight, p.drawdown), parameters{n: m.N, x: m.Drawdown}})
	}
	raw := p.raw()
	if neutral+m.Confidence*(raw-neutral) > unprovenScore && m.PSRStarStrict < evidenceNeeded {
		facts = append(facts, chanceFact(m, 50))
	} else {
		facts = append(facts, chanceFact(m, moved(consistencyWeight*evidenceWeight, p.evidence)))
	}
	if raw > neutral && m.LeaveBestOutMean <= 0 {
		facts = append(facts, fact{codeOneTrade, 60, parameters{n: m.N, x: m.LeaveBestOutMean}})
	}
	facts = append(facts, shortcomings(m, math.Abs(raw-neutral))...)
	if e.Conduct.Automated.Verdict == AutomationLikely {
		facts = append(facts, fact{codeAutomated, 100, parameters{n: e.Conduct.Automated.Trades}})
	}
	return reason.Top(append(conductReasons(e.Conduct), explainAs(e.Noun, facts)...))
}

// shortcomings says what weakens the record; pull is how far the raw score is from neutral.
func shortcomings(m Measures, pull float64) []fact {
	var facts []fact
	if needed := moreNeeded(m); needed > 0 {
		facts = append(facts, fact{codeThin, pull * (1 - m.EffectiveN/(m.EffectiveN+priorStrength)), parameters{n: m.N, k: needed}})
	}
	if m.EffectiveN < 0.7*float64(m.N) {
		facts = append(facts, fact{codeRepeated, pull * (1 - m.EffectiveN/float64(m.N)), parameters{n: m.N, k: m.Clusters, x: m.EffectiveN}})
	}
	if m.DaysSinceLastClose >= 30 {
		facts = append(facts, fact{codeStale, pull * (1 - m.recency()), parameters{days: int(m.DaysSinceLastClose)}})
	}
	if m.Bags > 0 {
		facts = append(facts, fact{codeBags, 20 * float64(m.Bags) / float64(m.Bags+m.N), parameters{k: m.Bags, x: bagShare}})
	}
	if m.OpenLosing >= openLosing && m.OpenLosingReturn < -openLoss {
		weight := 20.0
		if m.keepsLosers() {
			weight = 200
		}
		facts = append(facts, fact{codeOpenLosses, weight * float64(m.OpenLosing) / float64(m.OpenLosing+m.N), parameters{n: m.Open, k: m.OpenLosing, x: 1 + m.OpenLosingReturn}})
	}
	if m.Imputed > 0 {
		facts = append(facts, fact{codeImputed, 10 * float64(m.Imputed) / float64(m.N), parameters{n: m.N, k: m.Imputed}})
	}
	if m.UnmatchedSells > 0 && m.MatchedShare < 0.95 {
		facts = append(facts, unmatchedFact(m, 20*(1-m.MatchedShare)))
	}
	if m.CostWeightedReturn*m.Moments.Mean < 0 {
		facts = append(facts, fact{codeSizeMismatch, 10, parameters{n: m.N, x: m.CostWeightedReturn}})
	}
	return facts
}

// moreNeeded is how many further results a judgement takes: ten independent ones, or what makes the average credible.
func moreNeeded(m Measures) int {
	needed := math.Ceil(priorStrength - m.EffectiveN)
	if m.PSRStarStrict < 0.95 {
		needed = max(needed, m.MoreNeeded)
	}
	if needed > 200 {
		needed = math.Ceil(priorStrength - m.EffectiveN)
	}
	return max(0, int(needed))
}

func unratedReasons(e Evidence, m Measures, missing int) []reason.Reason {
	facts := []fact{{codeThin, 100, parameters{n: m.N, k: missing}}}
	if m.N > 0 {
		facts = append(facts, winRateFact(m, 50))
	}
	if m.UnmatchedSells > 0 {
		facts = append(facts, unmatchedFact(m, 40))
	}
	if m.Bags > 0 {
		facts = append(facts, fact{codeBags, 30, parameters{k: m.Bags, x: bagShare}})
	}
	if m.N > 0 && m.DaysSinceLastClose >= 30 {
		facts = append(facts, fact{codeStale, 20, parameters{days: int(m.DaysSinceLastClose)}})
	}
	return reason.Top(append(conductReasons(e.Conduct), explainAs(e.Noun, facts)...))
}

// conductReasons outweigh all others.
func conductReasons(c Conduct) []reason.Reason {
	var reasons []reason.Reason
	if c.Wash.Suspected {
		for i, r := range c.Wash.reasons() {
			r.Weight = 2*disqualifying - float64(i)
			reasons = append(reasons, r)
		}
	}
	if c.Insider.Suspected {
		reasons = append(reasons, fact{codeInsider, disqualifying, parameters{k: len(c.Insider.Tokens)}}.reason())
	}
	return reasons
}

func winRateFact(m Measures, weight float64) fact {
	return fact{codeWinRate, weight, parameters{n: m.N, k: m.Wins, low: m.WinLow, high: m.WinHigh, x: m.PriorWinRate}}
}

func profitFactorFact(m Measures, weight float64) fact {
	if !m.ProfitFactorDefined {
		return fact{codeNoLoss, weight, parameters{n: m.N}}
	}
	return fact{codeProfitFactor, weight, parameters{n: m.N, x: m.ProfitFactor}}
}

func expectancyFact(m Measures, weight float64) fact {
	return fact{codeExpectancy, weight, parameters{n: m.N, x: m.ExpectancyLow}}
}

func weeksFact(m Measures, weight float64) fact {
	low, high := wilson(m.WeeksPositive, m.Weeks)
	return fact{codeWeeks, weight, parameters{n: m.Weeks, k: m.WeeksPositive, low: low, high: high}}
}

func unmatchedFact(m Measures, weight float64) fact {
	return fact{codeUnmatched, weight, parameters{k: m.UnmatchedSells, x: m.MatchedShare}}
}

// chanceFact says how likely the results are by chance.
func chanceFact(m Measures, weight float64) fact {
	chance := 1 - m.PSRStarStrict
	switch {
	case plainlyLosing(m):
		return fact{codeNegativeEdge, weight, parameters{n: m.N}}
	case chance <= 0.05:
		return fact{codeSkill, weight, parameters{n: m.N, x: oddsOf(chance)}}
	}
	return fact{codeLuck, weight, parameters{n: m.N, x: chance}}
}
