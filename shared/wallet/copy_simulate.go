package wallet

import (
	"context"
	"math"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/copyrecord"
	"github.com/mirrorworthy/mirrorworthy/shared/copysimulation"
	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/tradingrecord"
)

// CopySimulateAnswer is what a delayed copier of the wallet's entries would have made. Aggregates are null unless rated.
type CopySimulateAnswer struct {
	// Simulated is true when at least one entry could be simulated.
	Simulated bool `json:"simulated"`
	// Reason says why nothing could be simulated; null when something was.
	Reason *string `json:"reason"`
	// Rated is true with three closed positions and three results or more; below that every aggregate is null.
	Rated bool `json:"rated"`
	// WinRate is the share of simulated trades that gained after costs, 0 to 1.
	WinRate *float64 `json:"winRate"`
	// MedianReturnPct is the median result of a copy after costs.
	MedianReturnPct *float64 `json:"medianReturnPct"`
	// CompoundedReturnPct is what copying every entry would have made, each with a stake of 10 % of equity.
	CompoundedReturnPct *float64 `json:"compoundedReturnPct"`
	// BaseWinRate is the win rate of random entries in the same tokens within three days of the wallet's, 0 to 1.
	BaseWinRate *float64 `json:"baseWinRate"`
	// Best is the best simulated trade.
	Best *SimulatedExtreme `json:"best"`
	// Worst is the worst simulated trade.
	Worst *SimulatedExtreme `json:"worst"`
	// Form compares the latest results with the earlier ones. One of hot, cold, steady or unknown; null when not rated.
	Form *string `json:"form"`
	// ClosedPositions counts the wallet's own closed positions.
	ClosedPositions int `json:"closedPositions"`
	// SimulatedTrades counts the copies whose horizon is over.
	SimulatedTrades int `json:"simulatedTrades"`
	// PendingTrades counts the copies whose horizon is not over.
	PendingTrades int `json:"pendingTrades"`
	// SkippedTrades counts the entries without a known price.
	SkippedTrades int `json:"skippedTrades"`
	// PerTrade lists the simulated copies, rated or not.
	PerTrade []SimulatedTrade `json:"perTrade"`
	// Terms are the constants of the simulation.
	Terms SimulationTerms `json:"terms"`
	// Reasons are one to five sentences, the weightiest first.
	Reasons []reason.Reason `json:"reasons"`
	// Note says how the numbers are to be read, and is shown next to them.
	Note string `json:"note"`
}

// SimulatedExtreme is the best or the worst simulated trade.
type SimulatedExtreme struct {
	// Symbol is the token's.
	Symbol string `json:"symbol"`
	// NetPct is the result after costs.
	NetPct *float64 `json:"netPct"`
}

// SimulatedTrade is one simulated copy. NetPct is null while pending and when skipped.
type SimulatedTrade struct {
	// Symbol is the token's.
	Symbol string `json:"symbol"`
	// EntryMinsAgo is the age of the entry in whole minutes.
	EntryMinsAgo int `json:"entryMinsAgo"`
	// NetPct is the result after costs; null while pending and when skipped.
	NetPct *float64 `json:"netPct"`
	// Status is what became of it. One of resolved, dead, pending or skipped; dead could not be sold at the horizon, skipped has no
	// known entry price.
	Status string `json:"status"`
}

// SimulationTerms are the constants of the simulation.
type SimulationTerms struct {
	// Entry says at which price a copy enters.
	Entry string `json:"entry"`
	// HorizonDays is for how many days a copy is held.
	HorizonDays int `json:"horizonDays"`
	// RoundTripHaircutPct is what entering and leaving cost together.
	RoundTripHaircutPct float64 `json:"roundTripHaircutPct"`
	// StakePct is the part of the equity that each copy takes when results are compounded.
	StakePct float64 `json:"stakePct"`
}

// maximumPerTrade bounds the list of single copies, the latest first.
const maximumPerTrade = 200

// copyFacts are a record and what is known about selling its tokens.
type copyFacts struct {
	*copyrecord.Record
	security map[chain.Address]market.TokenSecurity
}

// CopySimulate declares copy-simulate.
func CopySimulate() endpoint.Endpoint {
	return endpoint.Single(endpoint.Declaration{
		Name: "copy-simulate", Units: 2, Graded: true,
		Summary:    "Simulates a follower who copied the wallet's entries with a delay, costs included.",
		Parameters: []endpoint.Parameter{endpoint.Wallet, endpoint.Chain},
		Needs:      copyrecord.Needs,
	}, gatherCopyFacts, assessCopySimulate)
}

func gatherCopyFacts(ctx context.Context, r *endpoint.Request) (copyFacts, error) {
	record, err := gatherCopies(ctx, r)
	if err != nil {
		return copyFacts{}, err
	}
	security, err := record.Security(ctx, r.Session.Sources.TokenSecurity)
	return copyFacts{Record: record, security: security}, err
}

func assessCopySimulate(facts copyFacts, asOf time.Time) CopySimulateAnswer {
	result := facts.Simulate(facts.security, asOf)
	answer := CopySimulateAnswer{
		Simulated: result.Counted > 0, ClosedPositions: facts.Measures.N,
		SimulatedTrades: result.Counted, PendingTrades: result.Pending, SkippedTrades: result.Skipped,
		PerTrade: facts.perTrade(result, asOf),
		Terms: SimulationTerms{
			Entry: "close of the hour of the wallet's first buy", HorizonDays: int(copysimulation.Horizon / (24 * time.Hour)),
			RoundTripHaircutPct: copysimulation.Haircut * 100, StakePct: copysimulation.Stake * 100,
		},
		Note: "Simulated, not traded: every copy is held for seven days whatever the wallet did, and compounding stakes 10% of equity a trade.",
	}
	answer.Rated = facts.Measures.N >= copysimulation.MinimumTrades && result.Counted >= copysimulation.MinimumTrades
	var reasons []reason.Reason
	if !answer.Simulated {
		code, why := facts.whyNotSimulated(result, asOf)
		answer.Reason = &code
		reasons = append(reasons, why)
	}
	if answer.Rated {
		form := result.Form()
		answer.Form = &form
		answer.WinRate = display.Probability(result.WinRate)
		answer.MedianReturnPct = display.Percent(result.Median)
		answer.CompoundedReturnPct = display.Percent(result.Compounded)
		answer.BaseWinRate = display.Probability(result.BaseWinRate)
		answer.Best, answer.Worst = facts.extremes(result)
		reasons = append(reasons, ratedSimulationReasons(result, form)...)
	} else if answer.Simulated {
		reasons = append(reasons, because("THIN", 1,
			"%s could be simulated, and the wallet has %s of its own; at least %d of each are needed before a win rate says anything.",
			display.Count(result.Counted, "copy"), display.Count(facts.Measures.N, "closed position"), copysimulation.MinimumTrades))
	}
	reasons = append(reasons, facts.simulationCoverage(result)...)
	answer.Reasons = reason.Top(append(reasons, pricesCoverageReasons(facts.Record, asOf)...))
	return answer
}

// perTrade lists the copies, latest entry first.
func (f copyFacts) perTrade(result copysimulation.Result, asOf time.Time) []SimulatedTrade {
	rows := make([]SimulatedTrade, 0, min(len(result.Trades), maximumPerTrade))
	for i := len(result.Trades) - 1; i >= 0 && len(rows) < maximumPerTrade; i-- {
		t := &result.Trades[i]
		rows = append(rows, SimulatedTrade{
			Symbol: symbolIn(f.Record.Record, t.Token), EntryMinsAgo: display.MinutesAgo(t.At, asOf),
			NetPct: display.Percent(t.Net), Status: string(t.Status),
		})
	}
	return rows
}

func (f copyFacts) extremes(result copysimulation.Result) (best, worst *SimulatedExtreme) {
	for i := range result.Trades {
		t := &result.Trades[i]
		if math.IsNaN(t.Net) {
			continue
		}
		if best == nil && t.Net == result.Best {
			best = &SimulatedExtreme{Symbol: symbolIn(f.Record.Record, t.Token), NetPct: display.Percent(t.Net)}
		}
		if worst == nil && t.Net == result.Worst {
			worst = &SimulatedExtreme{Symbol: symbolIn(f.Record.Record, t.Token), NetPct: display.Percent(t.Net)}
		}
	}
	return best, worst
}

// whyNotSimulated names what is missing, most telling first.
func (f copyFacts) whyNotSimulated(result copysimulation.Result, asOf time.Time) (string, reason.Reason) {
	entries, sameBlockOnly := f.Entries()
	switch {
	case sameBlockOnly:
		return "mev-only", because("MEV_ONLY", 1, "Every position was opened and closed within one block; nobody could have copied it.")
	case len(entries) == 0 && len(f.Book.Positions) > 0 && f.Unreached+f.Beyond == 0:
		return "only-airdrops-or-transfers", because("NO_ENTRIES", 1, "The wallet's tokens came by airdrop or transfer; there is no buy to copy.")
	case len(f.Book.Positions) == 0 && len(f.Book.Ledger.Transfers) > 0 && len(f.Book.Ledger.Trades) == 0:
		return "only-airdrops-or-transfers", because("NO_ENTRIES", 1, "The wallet's tokens came by airdrop or transfer; there is no buy to copy.")
	case result.Pending > 0:
		next := result.Trades[0].ResolvesAt
		for i := range result.Trades {
			if t := &result.Trades[i]; t.Status == copysimulation.Pending {
				next = t.ResolvesAt
				break
			}
		}
		return "all-entries-too-recent", because("PENDING", 1, "All entries are less than seven days old; the first result is due on %s.", next.Format("2006-01-02"))
	case result.Skipped > 0:
		return "no-price-history", because("NO_PRICES", 1, "No hourly prices are known for the hours of %s.", display.Count(result.Skipped, "entry"))
	}
	return "no-closed-positions", because("THIN", 1, "The wallet has no position to copy; at least %d are needed.", copysimulation.MinimumTrades)
}

func ratedSimulationReasons(result copysimulation.Result, form string) []reason.Reason {
	var reasons []reason.Reason
	if math.IsNaN(result.BaseWinRate) {
		reasons = append(reasons, because("SIM", 1, "A delayed copier won %d of %d; there were no comparable hours to tell what chance would give.", result.Wins, result.Counted))
	} else if result.WinRate <= result.BaseWinRate {
		reasons = append(reasons, because("SIM_NO_BETTER", 1, "A delayed copier won %d of %d, no more often than random entries in the same tokens (%s).",
			result.Wins, result.Counted, display.PercentText(result.BaseWinRate)))
	} else {
		reasons = append(reasons, because("SIM_VS_BASE", 1, "A delayed copier won %d of %d; random entries in the same tokens won %s.",
			result.Wins, result.Counted, display.PercentText(result.BaseWinRate)))
	}
	reasons = append(reasons, because("MEDIAN", 0.9, "The middle result was %s after a %s round trip.", display.PercentText(result.Median), display.PercentText(copysimulation.Haircut)))
	if result.Dead > 0 {
		reasons = append(reasons, because("DEAD", 0.8, "%s could not have been sold a week later, at a total loss.", display.Count(result.Dead, "entry")))
	}
	switch form {
	case "hot":
		reasons = append(reasons, because("FORM", 0.5, "The last five copies did better than those before."))
	case "cold":
		reasons = append(reasons, because("FORM", 0.7, "The last five copies did worse than those before."))
	}
	return reasons
}

func (f copyFacts) simulationCoverage(result copysimulation.Result) []reason.Reason {
	var reasons []reason.Reason
	if result.Pending > 0 && result.Counted > 0 {
		reasons = append(reasons, because("PENDING_SOME", 0.2, "Still open and not counted: %s.", display.Count(result.Pending, "copy")))
	}
	return reasons
}

// symbol is how a token is shown.
func symbolIn(r *tradingrecord.Record, token chain.Address) string {
	return display.Symbol(r.Chain, token, r.Book.Ledger.Tokens[token].Symbol)
}
