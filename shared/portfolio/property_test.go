package portfolio

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/endpointtest"
	"github.com/mirrorworthy/mirrorworthy/shared/holdings"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenrisk"
)

// portfolios draws positions of every class.
func portfolios(t *rapid.T) []planted {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) planted {
		p := planted{symbol: rapid.StringMatching(`[A-Z]{3}`).Draw(t, "symbol"), usd: math.Exp(rapid.Float64Range(0, 12).Draw(t, "log value"))}
		p.class = rapid.SampledFrom([]holdings.Class{holdings.Ordinary, holdings.Ordinary, holdings.Ordinary, holdings.Cash, holdings.Unpegged, holdings.Major}).Draw(t, "class")
		if p.class == holdings.Ordinary && rapid.IntRange(0, 4).Draw(t, "assessed") > 0 {
			p.rate(rapid.Float64Range(0, 100).Draw(t, "score"))
		}
		return p
	}), 1, 30).Draw(t, "positions")
}

// rate gives a position a score and its verdict.
func (p *planted) rate(score float64) {
	p.score = score
	switch {
	case score < 20:
		p.verdict = tokenrisk.Low
	case score < 50:
		p.verdict = tokenrisk.Medium
	case score < 80:
		p.verdict = tokenrisk.High
	default:
		p.verdict = tokenrisk.Critical
	}
}

var rank = map[string]int{noHoldings: 0, healthy: 0, watch: 1, exposed: 2}

func TestPropertiesOfAPortfolio(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := portfolios(t)
		depth := rapid.IntRange(1, 50).Draw(t, "depth")
		f := portfolioOf(depth, all...)
		answer := assessPortfolio(f, time.Time{})
		checkAnswer(t, &answer)
		if answer.Grade == noHoldings {
			return
		}
		p := measure(f)
		weights, highest, unknown := 0.0, 0.0, 0.0
		for i := range p.positions {
			g := &p.positions[i]
			weights += g.weight
			highest = max(highest, g.weight*g.risk)
			if g.unassessed() {
				unknown += g.weight
			}
			if g.weight < dustShare-rounding {
				t.Fatalf("dust of %v is assessed", g.weight)
			}
		}
		if math.Abs(weights-1) > 1e-9 || p.weighted < 0 || p.weighted > 100 || p.headline < p.weighted-1e-9 {
			t.Fatalf("weights %v, risk %v, with the tail %v", weights, p.weighted, p.headline)
		}
		if p.worst.weight*p.worst.risk != highest {
			t.Fatalf("the worst contributes %v of %v", p.worst.weight*p.worst.risk, highest)
		}
		if p.weighted < riskUnknown*unknown-1e-9 {
			t.Fatalf("%v with %v unknown", p.weighted, unknown)
		}

		scaled := slices.Clone(all)
		for i := range scaled {
			scaled[i].usd *= 1024
		}
		if again := measure(portfolioOf(depth, scaled...)); again.worst.Symbol != p.worst.Symbol || again.weighted != p.weighted || again.grade() != p.grade() {
			t.Fatalf("at another scale %v, %v", again.worst, p.worst)
		}
	})
}

// More risk never makes a better grade, and what becomes unknown counts as the unknown does.
func TestMoreRiskIsNeverBetter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := portfolios(t)
		i := rapid.IntRange(0, len(all)-1).Draw(t, "which")
		all[i].class = holdings.Ordinary
		all[i].rate(rapid.Float64Range(0, 100).Draw(t, "score"))
		before := portfolioOf(10, all...)
		riskier := slices.Clone(all)
		riskier[i].rate(rapid.Float64Range(all[i].score, 100).Draw(t, "more"))
		after := portfolioOf(10, riskier...)
		a, b := assessPortfolio(before, time.Time{}), assessPortfolio(after, time.Time{})
		if rank[b.Grade] < rank[a.Grade] {
			t.Fatalf("%s became %s", a.Grade, b.Grade)
		}
		if len(before.picked) == 0 {
			return
		}
		unknown := slices.Clone(all)
		unknown[i].verdict = ""
		p, q := measure(before), measure(portfolioOf(10, unknown...))
		if all[i].score <= riskUnknown && q.weighted < p.weighted-1e-9 || all[i].score >= riskUnknown && q.weighted > p.weighted+1e-9 {
			t.Fatalf("unknown took the risk from %v to %v, of a token at %v", p.weighted, q.weighted, all[i].score)
		}
	})
}

var grades = []string{healthy, watch, exposed, noHoldings}

// checkAnswer holds an answer to what is promised of all.
func checkAnswer(t endpointtest.T, a *PortfolioRiskAnswer) {
	t.Helper()
	c := a.Coverage
	if c.Holdings != c.Assessed+c.Unassessed+c.Dust+c.BeyondDepth+c.Spam+c.Unpriced || min(c.Assessed, c.Unassessed, c.Dust, c.BeyondDepth, c.Spam, c.Unpriced) < 0 {
		t.Fatalf("coverage does not add up: %+v", c)
	}
	none := a.Grade == noHoldings
	if !slices.Contains(grades, a.Grade) || none != (a.WeightedRisk == nil) || none != (a.Concentration == nil) || none != (a.WorstOffender == nil) ||
		none != (a.CashSharePct == nil) || none != (c.AssessedSharePct == nil) || none && a.EffectivePositions != nil || a.RiskyPositions == nil {
		t.Fatalf("%+v", a)
	}
	if len(a.Reasons) > reason.Maximum || len(a.Reasons) < 1 || !none && len(a.Reasons) < 2 {
		t.Fatalf("%d reasons", len(a.Reasons))
	}
	texts := []string{a.Summary}
	for _, r := range a.Reasons {
		texts = append(texts, r.Text)
	}
	for _, text := range texts {
		lower := strings.ToLower(text)
		if !strings.HasSuffix(text, ".") || strings.ContainsAny(text, "$%!") && strings.Contains(text, "%!") || strings.Contains(text, "$") ||
			strings.Contains(text, "NaN") || strings.Contains(text, "Inf") || strings.Contains(text, "unknown share") ||
			strings.Contains(lower, "guaranteed") || strings.Contains(lower, " safe") || strings.Contains(lower, " will ") {
			t.Fatalf("%q", text)
		}
	}
	if none {
		return
	}
	if *a.WeightedRisk < 0 || *a.WeightedRisk > 100 || *a.CashSharePct < 0 || *a.CashSharePct > 100 || *c.AssessedSharePct < 0 || *c.AssessedSharePct > 100 {
		t.Fatalf("%+v", a)
	}
}
