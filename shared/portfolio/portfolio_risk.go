package portfolio

import (
	"cmp"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/holdings"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenrisk"
)

// PortfolioRiskAnswer says how risky and how concentrated a wallet's holdings are.
type PortfolioRiskAnswer struct {
	// Grade sums up the portfolio. One of healthy, watch, exposed or no-holdings; with the last, what follows is null up to
	// worstOffender.
	Grade string `json:"grade"`
	// WeightedRisk is the risk of the positions, 0 to 100, weighted by their value.
	WeightedRisk *float64 `json:"weightedRisk"`
	// Concentration is by all holdings but dust, whatever the depth, stablecoins left out. One of diversified, concentrated or all-in;
	// null without holdings.
	Concentration *string `json:"concentration"`
	// RiskyPositions are the positions whose tokens are rated high or critical, the largest contributions to the risk first.
	RiskyPositions []RiskyPosition `json:"riskyPositions"`
	// Positions are all that were looked at, the largest first; none without holdings.
	Positions []Position `json:"positions"`
	// WorstOffender is the symbol of the position that contributes most to the weighted risk.
	WorstOffender *string `json:"worstOffender"`
	// Summary is one sentence, for display.
	Summary string `json:"summary"`
	// EffectivePositions is how many equal positions are as concentrated as all but dust, stablecoins left out; null without any.
	EffectivePositions *float64 `json:"effectivePositions"`
	// CashSharePct is the stablecoins' part of all value but dust, 0 to 100.
	CashSharePct *float64 `json:"cashSharePct"`
	// Coverage counts what became of the wallet's holdings.
	Coverage Coverage `json:"coverage"`
	// Reasons are one to five sentences, the weightiest first.
	Reasons []reason.Reason `json:"reasons"`
}

// RiskyPosition is a position whose token is rated high or critical, the largest contributions to the risk first.
type RiskyPosition struct {
	// Symbol is the token's.
	Symbol string `json:"symbol"`
	// Risk is the verdict of token-risk. One of high or critical.
	Risk string `json:"risk"`
	// WeightPct is the position's part of the value assessed, 0 to 100.
	WeightPct *float64 `json:"weightPct"`
	// Reason is the weightiest finding about the token.
	Reason string `json:"reason"`
}

// Position is a holding that counts with its weight and its risk.
type Position struct {
	// Symbol is the token's.
	Symbol string `json:"symbol"`
	// WeightPct is the position's part of the value assessed, 0 to 100.
	WeightPct *float64 `json:"weightPct"`
	// Kind says how it is rated: a token by token-risk, all others by what they are. One of token, stablecoin, off-peg or own-coin.
	// Off-peg is a stablecoin away from its dollar, own-coin the chain's own with its wrapped and staked forms.
	Kind string `json:"kind"`
	// Risk is the verdict of token-risk. One of low, medium, high, critical or unknown; null for what is rated by its kind.
	Risk *string `json:"risk"`
	// RiskScore is 0 to 100; null where the risk is unknown, which counts as 50.
	RiskScore *float64 `json:"riskScore"`
}

// Coverage counts what became of the wallet's holdings, each in one of the counts that follow the first; the native coin and its
// wrapped form are one.
type Coverage struct {
	// Holdings counts all that the wallet holds.
	Holdings int `json:"holdings"`
	// Assessed counts the positions that have a risk of their own.
	Assessed int `json:"assessed"`
	// Unassessed counts the positions that count with the risk of the unknown.
	Unassessed int `json:"unassessed"`
	// Dust counts those that are too small to count.
	Dust int `json:"dust"`
	// BeyondDepth counts those that are not among the largest.
	BeyondDepth int `json:"beyondDepth"`
	// Spam counts those without a value that can be believed, sent by somebody who wants to be seen.
	Spam int `json:"spam"`
	// Unpriced counts those without a price that can be believed.
	Unpriced int `json:"unpriced"`
	// AssessedSharePct is the assessed positions' part of all value found; null where there is none to speak of.
	AssessedSharePct *float64 `json:"assessedSharePct"`
}

// The grades and the words for concentration.
const (
	healthy    = "healthy"
	watch      = "watch"
	exposed    = "exposed"
	noHoldings = "no-holdings"

	diversified  = "diversified"
	concentrated = "concentrated"
	allIn        = "all-in"
)

// usualDepth is how many holdings are assessed where a request does not say.
const usualDepth = 10

// Depth is how many holdings are assessed.
var Depth = endpoint.Integer("depth", "How many of the largest holdings are assessed.", 1, 50, usualDepth)

// PortfolioRisk declares portfolio-risk.
func PortfolioRisk() endpoint.Endpoint {
	needs := []market.Port{market.HoldingFacts, market.PriceFacts}
	return endpoint.Single(endpoint.Declaration{
		Name: "portfolio-risk", Units: 2, Graded: true,
		Summary:    "Says how risky and how concentrated a wallet's holdings are.",
		Parameters: []endpoint.Parameter{endpoint.Wallet, endpoint.Chain, Depth},
		Needs:      append(needs, tokenrisk.Needs...),
	}, gatherPortfolio, assessPortfolio)
}

// Risks, 0 to 100, of what needs no assessment and of what could not be assessed.
const (
	riskCash    = 5
	riskMajor   = 10
	riskUnknown = 50
)

// The thresholds of a grade: of the risk with its tail, and of the part of the value that is rated high or critical.
const (
	watchRisk, exposedRisk   = 35, 60
	watchShare, exposedShare = 0.10, 0.25
	// tailWeight is how much the riskiest position of at least sizeable counts beside all positions together.
	tailWeight = 0.3
	sizeable   = 0.05
	// riskyShare is the part of the value from which a risky position is named.
	riskyShare = 0.01
)

// The thresholds of concentration: of the largest position's share and of the Herfindahl index, above whose threshold the United States
// Department of Justice called markets highly concentrated in its guidelines of 2010.
const (
	allInShare, concentratedShare = 0.80, 0.40
	concentratedIndex             = 0.25
)

// rounding is how far below a threshold a number may be that adding up and dividing took there.
const rounding = 1e-9

func reaches(x, threshold float64) bool { return x >= threshold-rounding }

func (p *portfolio) grade() string {
	switch {
	case reaches(p.headline, exposedRisk) || reaches(p.risky, exposedShare):
		return exposed
	case reaches(p.headline, watchRisk) || reaches(p.risky, watchShare):
		return watch
	}
	return healthy
}

func (p *portfolio) concentration() string {
	switch {
	case p.top == nil:
		return diversified
	case reaches(p.largest, allInShare):
		return allIn
	case reaches(p.largest, concentratedShare) || reaches(p.index, concentratedIndex):
		return concentrated
	}
	return diversified
}

// riskyPositions lists the positions rated high or critical, those that contribute most first.
func (p *portfolio) riskyPositions() []RiskyPosition {
	var risky []*graded
	for i := range p.positions {
		if g := &p.positions[i]; g.risky() && reaches(g.weight, riskyShare) {
			risky = append(risky, g)
		}
	}
	slices.SortStableFunc(risky, func(a, b *graded) int { return cmp.Compare(b.weight*b.risk, a.weight*a.risk) })
	list := make([]RiskyPosition, len(risky))
	for i, g := range risky {
		list[i] = RiskyPosition{Symbol: g.Symbol, Risk: g.verdict, WeightPct: display.Percent(g.weight), Reason: g.why}
	}
	return list
}

// kind is the word for how a position is rated.
func (g *graded) kind() string {
	switch g.Class {
	case holdings.Cash:
		return "stablecoin"
	case holdings.Unpegged:
		return "off-peg"
	case holdings.Major:
		return "own-coin"
	}
	return "token"
}

// shown lists all positions, the largest first.
func (p *portfolio) shown() []Position {
	list := make([]Position, len(p.positions))
	for i := range p.positions {
		g := &p.positions[i]
		list[i] = Position{Symbol: g.Symbol, WeightPct: display.Percent(g.weight), Kind: g.kind()}
		if g.verdict != "" {
			list[i].Risk = &g.verdict
		}
		if !g.unassessed() {
			list[i].RiskScore = display.Score(g.risk)
		}
	}
	slices.SortStableFunc(list, func(a, b Position) int { return cmp.Compare(*b.WeightPct, *a.WeightPct) })
	return list
}

func (f *facts) coverage() Coverage {
	return Coverage{Holdings: f.holdings, Dust: f.dust, BeyondDepth: f.beyond, Spam: f.spam, Unpriced: f.unpriced}
}

// assessPortfolio judges a portfolio by its facts, which are all of the answer's instant.
func assessPortfolio(f *facts, _ time.Time) PortfolioRiskAnswer {
	if len(f.picked) == 0 {
		return PortfolioRiskAnswer{
			Grade: noHoldings, RiskyPositions: []RiskyPosition{}, Positions: []Position{}, Summary: emptySummary, Coverage: f.coverage(), Reasons: f.emptyReasons(),
		}
	}
	p := measure(f)
	spread := p.concentration()
	answer := PortfolioRiskAnswer{
		Grade: p.grade(), WeightedRisk: display.Score(p.weighted), Concentration: &spread, RiskyPositions: p.riskyPositions(), Positions: p.shown(),
		WorstOffender: &p.worst.Symbol, CashSharePct: display.Percent(p.cash), Coverage: f.coverage(), Reasons: p.reasons(),
	}
	answer.Summary = p.summary(answer.Grade)
	assessed := 0.0
	for i := range p.positions {
		if g := &p.positions[i]; g.unassessed() {
			answer.Coverage.Unassessed++
		} else {
			answer.Coverage.Assessed++
			assessed += g.USD
		}
	}
	answer.Coverage.AssessedSharePct = display.Percent(assessed / f.totalUSD)
	if p.top != nil {
		answer.EffectivePositions = display.Score(1 / p.index)
	}
	return answer
}
