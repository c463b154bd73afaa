package leadergate

import (
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/copyrecord"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/trader"
)

// Facts are what a wallet is judged by.
type Facts struct {
	// Record is the wallet's, as of the instant of judgement; Security is what is known about selling its tokens now.
	Record    *copyrecord.Record
	Security  map[chain.Address]market.TokenSecurity
	Discovery Discovery
}

// Discovery says how the wallet was found among the first buyers of launches.
type Discovery struct {
	// Launches were eligible and bought early, Rose of them rose, Expected is how many chance alone would give.
	Launches, Rose int
	Expected       float64
	// AdjustedP is the probability of that by chance, adjusted for all wallets looked at; NaN when nobody tested it.
	AdjustedP float64
	// ConfirmedP is the same for newer launches alone, not adjusted; NaN when there were none. Confirmed is true when newer launches
	// bear out what was found on older ones.
	ConfirmedP float64
	Confirmed  bool
	// Tokens are the launches behind it: results in them were known when the wallet was chosen.
	Tokens map[chain.Address]bool
}

// The rules by their codes, which are those of their reasons too.
const (
	SampleRule     = "GATE_SAMPLE"
	DiscoveryRule  = "GATE_DISCOVERY"
	SimulationRule = "GATE_SIMULATION"
	WithoutBest    = "GATE_WITHOUT_BEST"
	TraderRule     = "GATE_TRADER"
	CopyableRule   = "GATE_COPYABLE"
)

// Gate is the judgement.
type Gate struct {
	// Mirrorable wallets passed every rule.
	Mirrorable bool
	// Failed are the codes of the rules that were not passed, in the order of the rules. Where the sample is too small, the rules on the
	// simulation's results are not tried.
	Failed []string
	// Reasons are 2 to 5: every rule that failed, then the weightiest of those that were passed.
	Reasons    []reason.Reason
	Simulation Simulation
	// Forecast is what is expected of the wallet's next entries.
	Forecast Forecast
	// MedianGap is the usual time between entries; 0 below two.
	MedianGap time.Duration
}

// Judge applies the rules as of an instant. It is pure: nothing later than asOf matters, as long as the record is of that instant.
func Judge(facts Facts, asOf time.Time) Gate {
	c := examine(facts, asOf)
	rating := trader.Rate(facts.Record.Evidence, facts.Record.Measures)
	outcomes := []outcome{c.sample(facts.Record.Measures.N)}
	outcomes = append(outcomes, facts.Discovery.judge())
	if outcomes[0].passed {
		outcomes = append(outcomes, c.gains(), c.withoutBest())
	}
	outcomes = append(outcomes, c.trader(facts, rating), c.copyable())
	gate := Gate{Mirrorable: true, Failed: []string{}, Simulation: c.simulation, Forecast: c.forecast(facts.Discovery), MedianGap: c.medianGap}
	reasons := make([]reason.Reason, len(outcomes))
	for i, o := range outcomes {
		reasons[i] = reason.Reason{Code: o.code, Text: o.text, Weight: passedWeight[o.code]}
		if !o.passed {
			gate.Mirrorable = false
			gate.Failed = append(gate.Failed, o.code)
			reasons[i].Weight = failedWeight - float64(i)
		}
	}
	gate.Reasons = reason.Top(reasons)
	return gate
}

// Failures come first, in the order of the rules. There are never more than an answer can give: where the first rule fails, two others
// are not tried.
const failedWeight = 100

var passedWeight = map[string]float64{
	SimulationRule: 50, DiscoveryRule: 40, CopyableRule: 30, WithoutBest: 20, SampleRule: 15, TraderRule: 10,
}

// outcome is what a rule said.
type outcome struct {
	code   string
	passed bool
	text   string
}
