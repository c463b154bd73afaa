package copytrade

import (
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/copysimulation"
	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/leadergate"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/stats"
	"github.com/mirrorworthy/mirrorworthy/shared/trader"
)

// draft is a plan in the making.
type draft struct {
	*planFacts
	sized
	asOf       time.Time
	rating     trader.Rating
	result     copysimulation.Result
	simulation leadergate.Simulation
	stops      []reason.Reason
	excluded   *exclusions
	// investableUSD is the follower's money, NaN when unknown; committedUSD what its running copies may have at stake.
	investableUSD, committedUSD float64
	// position is the largest part of the follower's money for one position; shallow is true where the depth of markets sets it.
	position float64
	shallow  bool
}

// assessPlan makes the plan of its facts, as of an instant.
func assessPlan(f *planFacts, asOf time.Time) CopyPlanAnswer {
	d := draftPlan(f, asOf)
	answer := CopyPlanAnswer{
		Copy: d.capital > 0, RiskProfile: f.profile, Verdict: d.rating.Verdict, Confidence: display.Probability(d.rating.Confidence),
		SampleSize: d.rating.SampleSize, Trial: d.trial && d.capital > 0, Limits: make([]PlanLimit, len(d.limits)), Copier: d.copier(),
		Coverage: f.coverage(), Reasons: reason.Top(d.reasons()), Warnings: d.warnings(),
	}
	if d.rating.Rated {
		answer.Grade = &d.rating.Grade
	}
	for i, l := range d.limits {
		answer.Limits[i] = PlanLimit{Name: l.name, Pct: display.Percent(l.at), Binds: l.name == d.binding.name}
	}
	answer.Plan = d.plan()
	answer.RiskConfig = d.riskConfig(answer.Plan)
	return answer
}

func draftPlan(f *planFacts, asOf time.Time) *draft {
	d := &draft{planFacts: f, asOf: asOf, rating: trader.Rate(f.record.Evidence, f.record.Measures), investableUSD: f.investable()}
	for i := range f.running {
		d.committedUSD += f.running[i].MaximumUSD
	}
	d.result = f.record.Simulate(f.security, asOf)
	d.simulation = leadergate.Judge(leadergate.Facts{Record: f.record, Security: f.security}, asOf).Simulation
	d.stop()
	d.sized = size(d.sizing())
	d.excluded = f.exclude()
	d.setPosition()
	return d
}

// sizing is what the size depends on.
func (d *draft) sizing() sizing {
	s := sizing{
		profile: d.profile, rating: d.rating, independence: 1, withoutBest: d.simulation.WithoutBest, stopped: len(d.stops) > 0,
		investableUSD: d.investableUSD, committedUSD: d.committedUSD, asOf: d.asOf,
	}
	gains := make(map[chain.Address]int)
	count := 0
	for i := range d.result.Trades {
		t := &d.result.Trades[i]
		if t.Status != copysimulation.Resolved && t.Status != copysimulation.Dead {
			continue
		}
		s.copies = append(s.copies, copyResult{t.At, t.Net})
		if t.Net > 0 {
			gains[t.Token]++
			count++
		}
	}
	if count > 0 {
		sizes := make([]int, 0, len(gains))
		for _, n := range gains {
			sizes = append(sizes, n)
		}
		slices.Sort(sizes) // sums of floats depend on their order
		s.independence = stats.EffectiveSize(sizes, clusterCorrelation) / float64(count)
	}
	return s
}

// setPosition sets the largest position, and leaves out the tokens whose markets are too shallow for it.
func (d *draft) setPosition() {
	d.position = d.capital / positionsAtOnce
	if share := d.medianShare(); share < d.position {
		d.position = share
	}
	if d.investableUSD > 0 {
		if usable := exitShare * d.typicalReserve(d.excluded) / d.investableUSD; usable < d.position {
			d.position, d.shallow = usable, true
		}
	}
	d.position = math.Floor(1e4*d.position+1e-9) / 1e4
	if d.capital > 0 && d.position == 0 {
		d.capital = 0
		d.stops = append(d.stops, because("NO_ROOM", stopWeight, "The markets of the leader's tokens are so shallow, or its positions so small, "+
			"that none would be a hundredth of a percent of this wallet's money."))
	}
	if usd := d.position * d.investableUSD; usd > 0 {
		d.excludeShallow(d.excluded, usd)
	}
}

func (d *draft) plan() Plan {
	p := Plan{CapitalPct: display.Round(100*d.capital, 2), PerPositionCapPct: display.Round(100*d.position, 2), Exclusions: []string{}}
	switch {
	case d.capital == 0:
		p.PerPositionCapPct, p.AllocationUSD = 0, new(float64)
	case !math.IsNaN(d.investableUSD):
		usd := downTo(2, d.capital*d.investableUSD)
		p.AllocationUSD = &usd
	}
	for _, x := range d.excluded.list {
		p.Exclusions = append(p.Exclusions, x.text)
	}
	p.Exclusions = append(p.Exclusions, "What the leader does on other chains, in perpetual contracts and in prediction markets: this plan is for its spot trades on "+
		string(d.chain.Slug)+".")
	return p
}

// riskConfig is what an agent needs to keep to a plan. Agents take the largest position in percent of their own money.
func (d *draft) riskConfig(p Plan) *PlanRiskConfig {
	if p.AllocationUSD == nil || !(*p.AllocationUSD > 0) {
		return nil
	}
	return &PlanRiskConfig{
		MaxUSD: strconv.FormatFloat(*p.AllocationUSD, 'f', -1, 64), CopyPercent: 100,
		PerPositionCapPct: max(0.01, math.Floor(1e4*d.position/d.capital+1e-9)/100), ExcludeTokens: d.excluded.tokens(),
	}
}

func (d *draft) copier() Copier {
	c := Copier{SimulatedTrades: d.result.Counted}
	if d.result.Counted >= copysimulation.MinimumTrades {
		c.WinRate, c.MedianReturnPct, c.MeanReturnPct = display.Probability(d.result.WinRate), display.Percent(d.result.Median), display.Percent(d.result.Mean)
		c.KellyPct, c.VolatilityPct = display.Percent(d.kelly), display.Percent(d.volatility)
	}
	return c
}

func (f *planFacts) coverage() PlanCoverage {
	c := PlanCoverage{TokensUnassessed: f.beyond, CopiesUncompared: len(f.running)}
	for i := range f.tokens {
		if f.tokens[i].known() {
			c.TokensAssessed++
		} else {
			c.TokensUnassessed++
		}
	}
	for _, record := range f.compared {
		if record != nil {
			c.CopiesCompared++
			c.CopiesUncompared--
		}
	}
	return c
}
