package trader

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/position"
	"github.com/mirrorworthy/mirrorworthy/shared/stats"
)

// Result is one closed decision of a trader: a spot position, a perpetual episode, a prediction event.
type Result struct {
	// Return is the net result as a fraction of what was put in: -1 is a total loss.
	Return float64
	// CostUSD is what was put in, PnLUSD what came of it, both net of fees.
	CostUSD, PnLUSD    float64
	OpenedAt, ClosedAt time.Time
	// Holding is the mean time between buying and selling.
	Holding time.Duration
	// Cluster is shared by results on the same token, coin or event: they are repeated bets on one thing.
	Cluster uint64
	// Imputed is true when the result was not traded but valued at what could still be recovered.
	Imputed bool
}

// OpenResult is a position that is still open and whose worth is known.
type OpenResult struct {
	// RecoverableUSD is what selling it now would bring, CostUSD what it cost.
	RecoverableUSD, CostUSD float64
}

// Evidence is everything a trader is judged by.
type Evidence struct {
	// Results are closed and rateable, in order of closing.
	Results []Result
	Open    []OpenResult
	// MatchedShare is the part of all proceeds whose cost is known, 0 to 1.
	MatchedShare float64
	// UnmatchedSells counts sales of something whose cost is unknown.
	UnmatchedSells int
	Conduct        Conduct
	// Seed makes resampling repeatable: stats.Seed of the trader's identity.
	Seed uint64
	// AsOf is the instant of judgement. Results closed later are ignored.
	AsOf time.Time
	// Prior is the win rate expected of an unknown trader; its zero value stands for DefaultPrior.
	Prior stats.Beta
	// Noun is what a rating's sentences call a result; its zero value stands for trades and closed positions.
	Noun Noun
}

// Noun names a result in the singular: One in running text, like trade, and Closed where it matters that it is over, like closed
// position.
type Noun struct{ One, Closed string }

func (n Noun) one() string {
	if n.One == "" {
		return "trade"
	}
	return n.One
}

// many is what running text calls several results.
func (n Noun) many() string {
	_, several, _ := strings.Cut(display.Count(2, n.one()), " ")
	return several
}

func (n Noun) closedOne() string {
	if n.Closed == "" {
		return "closed position"
	}
	return n.Closed
}

func (n Noun) closed(count int) string { return display.Count(count, n.closedOne()) }

// DefaultPrior expects an unknown trader to win 40 % of positions, held as firmly as ten positions of its own.
func DefaultPrior() stats.Beta { return stats.Beta{A: 4, B: 6} }

// FromBook makes evidence of a spot wallet's book. Profits on tokens that the conduct found to be the wallet's own or too thin
// to have a market are left out; losses on them stay.
func FromBook(book *position.Book, conduct Conduct, seed uint64) Evidence {
	closed := book.Closed()
	evidence := Evidence{
		Results:        make([]Result, 0, len(closed)),
		MatchedShare:   book.MatchedShare,
		UnmatchedSells: book.UnmatchedSells,
		Conduct:        conduct,
		Seed:           seed,
		AsOf:           book.AsOf,
	}
	for _, p := range closed {
		if p.PnLUSD > 0 && containsAddress(conduct.Wash.Thin, p.Token) {
			continue
		}
		evidence.Results = append(evidence.Results, Result{
			Return: p.ROI, CostUSD: p.MatchedCostUSD, PnLUSD: p.PnLUSD,
			OpenedAt: p.OpenedAt, ClosedAt: p.ClosedAt, Holding: p.Holding,
			Cluster: stats.Seed(p.Token[:]), Imputed: p.Imputed,
		})
	}
	for i := range book.Positions {
		p := &book.Positions[i]
		left := p.CostUSD - p.MatchedCostUSD
		if p.Status == position.Open && left > 0 && !math.IsNaN(p.RecoverableUSD) {
			evidence.Open = append(evidence.Open, OpenResult{RecoverableUSD: p.RecoverableUSD, CostUSD: left})
		}
	}
	return evidence
}

// usable returns the measurable results closed by the instant of judgement, in one order whatever order they came in. It copies
// only where something has to change.
func (e *Evidence) usable() []Result {
	keep := true
	for i := range e.Results {
		if !e.counts(&e.Results[i]) || (i > 0 && byClosing(e.Results[i-1], e.Results[i]) > 0) {
			keep = false
			break
		}
	}
	if keep {
		return e.Results
	}
	results := make([]Result, 0, len(e.Results))
	for i := range e.Results {
		if e.counts(&e.Results[i]) {
			results = append(results, e.Results[i])
		}
	}
	slices.SortFunc(results, byClosing)
	return results
}

func (e *Evidence) counts(r *Result) bool {
	return finite(r.Return) && finite(r.CostUSD) && finite(r.PnLUSD) && (e.AsOf.IsZero() || !r.ClosedAt.After(e.AsOf))
}

// byClosing is a total order, so that the same results give the same sums in whatever order they arrive.
func byClosing(a, b Result) int {
	if order := a.ClosedAt.Compare(b.ClosedAt); order != 0 {
		return order
	}
	if order := a.OpenedAt.Compare(b.OpenedAt); order != 0 {
		return order
	}
	return cmp.Or(cmp.Compare(a.Cluster, b.Cluster), cmp.Compare(a.Return, b.Return),
		cmp.Compare(a.CostUSD, b.CostUSD), cmp.Compare(a.PnLUSD, b.PnLUSD), cmp.Compare(a.Holding, b.Holding))
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
