package trader

import (
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/stats"
)

// The sizes of an edge.
const (
	StrongEdge       = "strong"
	ModerateEdge     = "moderate"
	ThinEdge         = "thin"
	NoEdge           = "none"
	NegativeEdge     = "negative"
	InsufficientData = "insufficient-data"
)

// minimumJudged is how many independent results a statement about edge or quality takes.
const minimumJudged = 5

// Edge is the size of a trader's advantage.
type Edge struct {
	// Edge is strong, moderate, thin, none, negative or insufficient-data.
	Edge    string
	Reasons []reason.Reason
}

// JudgeEdge reads the edge off strict PSR* and the lower bound of the mean return. It needs five independent results.
func JudgeEdge(m Measures) Edge {
	if m.EffectiveN < minimumJudged {
		return Edge{Edge: InsufficientData, Reasons: thinReasons(m)}
	}
	facts := []fact{expectancyFact(m, 40), chanceFact(m, 30), winRateFact(m, 20), profitFactorFact(m, 10)}
	return Edge{Edge: edgeOf(m), Reasons: explain(append(facts, shortcomings(m, neutral)...))}
}

func edgeOf(m Measures) string {
	evidence := m.PSRStarStrict
	switch {
	case evidence >= 0.95 && m.ExpectancyLow > 0.05:
		return StrongEdge
	case evidence >= 0.85 && m.ExpectancyLow > 0:
		return ModerateEdge
	case evidence >= 0.65:
		return ThinEdge
	case evidence < 0.35 && m.EffectiveN >= priorStrength:
		return NegativeEdge
	}
	return NoEdge
}

// thinReasons says what is missing of five independent results.
func thinReasons(m Measures) []reason.Reason {
	missing := 1
	for float64(missing)+m.EffectiveN < minimumJudged {
		missing++
	}
	facts := []fact{{codeThin, 100, parameters{n: m.N, k: max(missing, minimumRated-m.N), subject: "tell skill from chance"}}}
	if m.N > 0 {
		facts = append(facts, winRateFact(m, 50))
	}
	if m.EffectiveN < 0.7*float64(m.N) {
		facts = append(facts, fact{codeRepeated, 60, parameters{n: m.N, k: m.Clusters, x: m.EffectiveN}})
	}
	if m.UnmatchedSells > 0 {
		facts = append(facts, unmatchedFact(m, 40))
	}
	return explain(facts)
}

// holdStyles are the buckets of typical holding times by their upper bounds.
var holdStyles = [...]struct {
	under time.Duration
	name  string
}{
	{time.Hour, "scalp"},
	{day, "intraday"},
	{14 * day, "swing"},
	{90 * day, "position"},
}

func holdStyleOf(holding time.Duration) int {
	for i := range holdStyles {
		if holding < holdStyles[i].under {
			return i
		}
	}
	return len(holdStyles)
}

// HoldStyle names the typical holding time: scalp below an hour, intraday below a day, swing below 14 days, position below 90
// days, long-hold from there on; mixed when no bucket holds half of the results, insufficient-data below three.
func HoldStyle(results []Result) string {
	if len(results) < minimumRated {
		return InsufficientData
	}
	var counts [len(holdStyles) + 1]int
	holdings := make([]float64, len(results))
	for i := range results {
		counts[holdStyleOf(results[i].Holding)]++
		holdings[i] = float64(results[i].Holding)
	}
	dominant := false
	for _, count := range counts {
		dominant = dominant || 2*count >= len(results)
	}
	if !dominant {
		return "mixed"
	}
	if at := holdStyleOf(time.Duration(stats.Median(holdings))); at < len(holdStyles) {
		return holdStyles[at].name
	}
	return "long-hold"
}

func wilson(successes, trials int) (low, high float64) {
	return stats.Wilson(successes, trials, wilsonZ)
}
