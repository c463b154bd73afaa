package predictionrecord

import (
	"math"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/stats"
	"github.com/mirrorworthy/mirrorworthy/shared/trader"
)

const (
	// minimumEvents is how many decided events a rating takes.
	minimumEvents = 10
	// unprovenScore is the most that a wallet without an edge gets: no A and no B.
	unprovenScore = 57.9
	// evidenceNeeded is the probability of luck above which an edge is not taken for one, so that no more than one fair wallet in ten
	// gets an A or a B.
	evidenceNeeded = 0.10
	// timeNeeded is how long before the end half of the entries must be made for a follower to join in.
	timeNeeded = 6 * time.Hour
	// bookNeededUSD is what rests in a book in which a small follower's order, 500 USD, finds its counterpart within two steps: those
	// hold about a tenth of the whole.
	bookNeededUSD = 5000
	// unchangedShare of the cost is no gain and no loss.
	unchangedShare = 0.001
)

// Assessment is what a record says of a prediction wallet.
type Assessment struct {
	// Active is true when the wallet traded within Window. When it did not, the verdict is unrated, all signals are empty, and all
	// numbers are NaN.
	Active     bool
	Mirrorable bool
	// Grade is A to F, empty when unrated; Score is NaN then.
	Grade, Verdict    string
	Score, Confidence float64
	// SampleSize is how many decided events the grade rests on.
	SampleSize int
	Signals    Signals
	// WinRate is the part of decided events that ended in profit.
	WinRate float64
	// Edge is the wallet's own, CopiedEdge a follower's, who buys a minute later.
	Edge, CopiedEdge Edge
	// ChanceProbability is how often fair luck does as well with the same entries.
	ChanceProbability float64
	// Truncated is true when older history exists that was not read.
	Truncated bool
	// Reasons are 1 to 5, 2 or more when rated, the weightiest first.
	Reasons []reason.Reason
}

// findings are what an assessment's words and sentences are made of.
type findings struct {
	book         *book
	evidence     trader.Evidence
	measures     trader.Measures
	rating       trader.Rating
	hedged       int
	signals      Signals
	entries      []entry
	edge, copied Edge
	// copiedLow is the one-sided 80 % lower bound of the copied edge, NaN when unmeasured.
	copiedLow       float64
	follower        copying
	chance          float64
	detectable      float64
	meanPrice       float64
	wash            trader.Wash
	foresight       foresight
	maker           float64
	paid            bought
	pace            pace
	effectiveEvents float64
	// timeToEnd is the median over timed entries.
	timeToEnd  time.Duration
	timed      int
	unredeemed int
	// unchanged counts results of neither gain nor loss.
	unchanged int
	// Of open markets, booked are those whose book is known, thinBooks those too thin.
	openMarkets, booked, thinBooks int
	categoryShare                  float64
}

// Assess judges a record as it stood at an instant. It is pure: nothing later than asOf matters.
func Assess(record *Record, asOf time.Time) Assessment {
	nan := math.NaN()
	unmeasured := Edge{Mean: nan, Low: nan, High: nan}
	a := Assessment{
		Verdict: trader.Unrated, Score: nan, Confidence: nan, WinRate: nan, Edge: unmeasured, CopiedEdge: unmeasured, ChanceProbability: nan,
		Truncated: record.Activity.Truncated, Active: active(record.Activity, asOf),
	}
	if !a.Active {
		a.Reasons = []reason.Reason{inactiveReason(record.Activity, asOf)}
		return a
	}
	f := examine(record, asOf)
	m := f.measures
	a.SampleSize, a.Signals, a.Confidence = m.N, f.signals, m.Confidence
	a.Edge, a.CopiedEdge, a.ChanceProbability = f.edge, f.copied, f.chance
	if m.N > 0 {
		a.WinRate = float64(m.Wins) / float64(m.N)
	}
	if m.N < minimumEvents {
		a.Reasons = reason.Top(f.thinReasons())
		return a
	}
	a.Grade, a.Verdict, a.Score = f.rating.Grade, f.rating.Verdict, f.rating.Score
	if !f.edgeShown() && a.Score > unprovenScore {
		a.Grade, a.Score = "C", unprovenScore
		if a.Verdict == trader.MirrorWorthy {
			a.Verdict = trader.Watch
		}
	}
	blockers := f.blockers(a.Grade, a.Score)
	a.Mirrorable = len(blockers) == 0
	if !a.Mirrorable && a.Verdict == trader.MirrorWorthy {
		a.Verdict = trader.Watch
	}
	a.Reasons = reason.Top(f.ratedReasons(blockers))
	return a
}

// edgeShown tells whether first entries beat their prices by more than luck does in one case of ten.
func (f *findings) edgeShown() bool {
	return f.edge.Mean > 0 && f.chance <= evidenceNeeded && !f.tooDear()
}

// tooDear tells whether a buyer of favourites may have no more of an edge than one step of the price, which is all that the next best
// fill takes.
func (f *findings) tooDear() bool {
	return f.signals.Entries == favouriteEntries && !(f.edge.Low > usualTick)
}

func examine(record *Record, asOf time.Time) *findings {
	b := reckon(record, asOf)
	seed := stats.Seed([]byte("prediction"), record.Wallet[:])
	f := &findings{book: b, entries: b.decided()}
	var results []trader.Result
	results, f.hedged = b.results()
	f.wash = inspectWash(b.trades, b.byStake)
	matched := 1.0
	if b.proceedsUSD > 0 {
		matched = max(0, min(1, b.matchedUSD/b.proceedsUSD))
	}
	f.foresight = b.inspectForesight(f.entries)
	f.evidence = trader.Evidence{
		Results: results, Open: b.open, MatchedShare: matched, Seed: seed, AsOf: asOf,
		Conduct: trader.Conduct{Wash: f.wash, Insider: trader.Insider{Suspected: f.foresight.suspected}},
		Noun:    trader.Noun{One: "event", Closed: "decided event"},
	}
	for i := range results {
		if math.Abs(results[i].PnLUSD) <= unchangedShare*results[i].CostUSD {
			f.unchanged++
		}
	}
	f.measures = trader.Measure(f.evidence)
	f.rating = trader.Rate(f.evidence, f.measures)

	edges, chances := make([]float64, len(f.entries)), make([]float64, len(f.entries))
	for i := range f.entries {
		edges[i] = f.entries[i].payout - f.entries[i].price
		chances[i] = f.entries[i].price
		f.meanPrice += f.entries[i].price / float64(len(f.entries))
	}
	f.edge = measureEdge(edges, chances, seed)
	f.chance = chance(f.entries, seed)
	f.detectable = detectable(edges, chances)
	f.follower = b.follow(f.entries)
	f.copied, f.copiedLow = f.follower.measureCopied(chances, seed)
	f.timeToEnd, f.timed = medianTimeToEnd(f.entries)
	f.maker = makerShare(b.trades)
	f.paid = pricesPaid(b.trades)
	f.pace = paceOf(b.trades, asOf.Add(-Window))
	f.spread()
	f.books()
	for i := range b.events {
		if e := &b.events[i]; e.unredeemed && e.counts() {
			f.unredeemed++
		}
	}
	f.signals = f.judgeSignals()
	return f
}

// spread measures how cost spreads over events and over kinds of markets.
func (f *findings) spread() {
	costs := make([]float64, 0, len(f.book.events))
	byCategory := make(map[string]int)
	var categories []float64
	total, known := 0.0, 0.0
	for i := range f.book.events {
		e := &f.book.events[i]
		cost := max(e.bought, e.cost)
		if !(cost > 0) {
			continue
		}
		costs = append(costs, cost)
		total += cost
		if e.category == "" {
			continue
		}
		known += cost
		at, seen := byCategory[e.category]
		if !seen {
			at = len(categories)
			byCategory[e.category] = at
			categories = append(categories, 0)
		}
		categories[at] += cost
	}
	f.effectiveEvents = math.NaN()
	if total > 0 {
		f.effectiveEvents = 1 / stats.Herfindahl(costs)
	}
	f.categoryShare = math.NaN()
	if known >= 0.9*total && total > 0 {
		f.categoryShare = 0
		for _, cost := range categories {
			f.categoryShare = max(f.categoryShare, cost/known)
		}
	}
}

// books counts the open markets entered within the window, those whose book is known, and those too thin for a follower.
func (f *findings) books() {
	since := f.book.asOf.Add(-Window)
	for _, s := range f.book.stakes {
		if !s.known || s.facts.Decided || !s.last.After(since) {
			continue
		}
		f.openMarkets++
		if s.facts.LiquidityUSD >= 0 {
			f.booked++
		}
		if s.facts.LiquidityUSD >= 0 && s.facts.LiquidityUSD < bookNeededUSD {
			f.thinBooks++
		}
	}
}
