package leader

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/copyrecord"
	"github.com/mirrorworthy/mirrorworthy/shared/discovery"
	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/leadergate"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// judgeEarlyBuyer applies the gate, and writes down what it expects and what became of that.
func (g *grader) judgeEarlyBuyer(ctx context.Context, session *market.Session, leader *store.Leader, on *chain.Chain, address chain.Address, asOf time.Time) (*Assessment, error) {
	found, err := earlyBuyerFinding(leader)
	if err != nil {
		return nil, err
	}
	record, err := copyrecord.Of(ctx, session, on, address, asOf)
	if err != nil {
		return nil, err
	}
	security, err := record.Security(ctx, session.Sources.TokenSecurity)
	if err != nil {
		return nil, err
	}
	gate := leadergate.Judge(leadergate.Facts{Record: record, Security: security, Discovery: discoveryOf(found)}, asOf)
	if err := g.follow(ctx, session, leader, record, gate, asOf); err != nil {
		return nil, fmt.Errorf("following its entries: %w", err)
	}
	return assessmentOf(found, gate), nil
}

// earlyBuyerFinding reads what discovery found of a leader. It is the Data of a finding by EarlyBuyer, in JSON.
func earlyBuyerFinding(leader *store.Leader) (*discovery.Finding, error) {
	finding, _ := findingBy(leader, EarlyBuyer)
	found := new(discovery.Finding)
	if err := json.Unmarshal(finding.Data, found); err != nil {
		return nil, fmt.Errorf("how %s was found: %w", leader.Address, err)
	}
	return found, nil
}

func discoveryOf(found *discovery.Finding) leadergate.Discovery {
	d := leadergate.Discovery{
		Launches: found.Older.Launches, Rose: found.Older.Rose, Expected: found.Older.Expected, AdjustedP: found.AdjustedP,
		ConfirmedP: math.NaN(), Confirmed: found.Confirmed, Tokens: make(map[chain.Address]bool, len(found.Tokens)),
	}
	if found.Newer.Launches > 0 {
		d.ConfirmedP = found.Newer.P
	}
	for _, token := range found.Tokens {
		d.Tokens[token] = true
	}
	return d
}

// assessmentOf shows a gate's judgement.
func assessmentOf(found *discovery.Finding, gate leadergate.Gate) *Assessment {
	s := gate.Simulation
	simulated := &Simulated{Rated: s.Rated, Trades: s.Trades, Tokens: s.Tokens, MedianRunUpPct: display.Percent(s.MedianRunUp)}
	if s.Rated {
		simulated.WinRate, simulated.BaseWinRate = display.Probability(s.WinRate), display.Probability(s.BaseWinRate)
		simulated.MedianReturnPct, simulated.CompoundedReturnPct = display.Percent(s.Median), display.Percent(s.Compounded)
	}
	d := discoveryOf(found)
	return &Assessment{
		Mirrorable: gate.Mirrorable, Evidence: closedTrades, Reasons: gate.Reasons, Simulation: simulated,
		Discovery: &Found{
			Launches: d.Launches, Rose: d.Rose, Expected: finite(display.Round(d.Expected, 1)), AdjustedP: luck(d.AdjustedP),
			ConfirmedP: luck(d.ConfirmedP), HitRate: display.Probability(found.HitRate), BaseRate: display.Probability(found.BaseRate),
			Siblings: len(found.Siblings),
		},
		Forecast: &Expected{WinProbability: display.Probability(gate.Forecast.Probability), BaseProbability: display.Probability(gate.Forecast.BaseRate)},
	}
}
