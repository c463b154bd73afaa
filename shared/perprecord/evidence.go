package perprecord

import (
	"math"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/stats"
	"github.com/mirrorworthy/mirrorworthy/shared/trader"
)

// referenceLeverage is the leverage at which results are compared. The venue does not tell the margin of past positions, so that
// every episode is taken to have been opened with a fifth of its largest cost as margin: where a coin moves 4 % a day, that margin
// moves 20 %. A trader's own setting is no measure, since it can be changed without trading.
const referenceLeverage = 5

// Evidence is what the one assessor of traders judges the account by. Results are episodes; their cost is the margin at the
// reference leverage, more than which nobody who follows with that margin can lose, so that no return is below -1. Bets on one coin
// are one cluster. Open are the positions of now at the same leverage.
func (r *Record) Evidence() trader.Evidence {
	evidence := trader.Evidence{
		Results: make([]trader.Result, 0, len(r.Book.Episodes)), MatchedShare: r.Book.KnownShare, UnmatchedSells: r.Book.Unknown,
		Seed: stats.Seed([]byte("perpetuals"), r.Account[:]), AsOf: r.AsOf,
	}
	for i := range r.Book.Episodes {
		e := &r.Book.Episodes[i]
		cost := e.PeakCostUSD / referenceLeverage
		net := e.NetUSD()
		evidence.Results = append(evidence.Results, trader.Result{
			Return: max(-1, net/cost), CostUSD: cost, PnLUSD: net, OpenedAt: e.OpenedAt, ClosedAt: e.ClosedAt, Holding: e.Holding,
			Cluster: stats.Seed([]byte(e.Coin)),
		})
	}
	for _, house := range r.Standing.Clearinghouses {
		for _, p := range house.Positions {
			if open, known := openResult(p); known {
				evidence.Open = append(evidence.Open, open)
			}
		}
	}
	return evidence
}

func openResult(p market.PerpPosition) (trader.OpenResult, bool) {
	cost := math.Abs(p.Size) * p.EntryPrice / referenceLeverage
	recoverable := max(0, cost+p.UnrealizedUSD)
	if !(cost > 0) || math.IsInf(cost, 0) || math.IsNaN(recoverable) || math.IsInf(recoverable, 0) {
		return trader.OpenResult{}, false
	}
	return trader.OpenResult{RecoverableUSD: recoverable, CostUSD: cost}, true
}
