package copytrade

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/stats"
)

// The verdicts on an overlap.
const (
	additive       = "additive"
	overlapping    = "overlapping"
	redundant      = "redundant"
	unknownOverlap = "unknown"
)

// The directions of copying.
const (
	follows = "follows"
	leads   = "leads"
	neither = "neither"
)

const (
	// From overlapFrom on leaders overlap, from redundantFrom on one of them adds nothing.
	overlapFrom, redundantFrom = 0.3, 0.6
	// mostShared is how many tokens are named.
	mostShared = 10
)

// pair is the comparison of the new leader with another.
type pair struct {
	leader chain.Address
	// other is nil where the other's record could not be had.
	other *party
	// holdings are of what both hold, bought of what both bought lately.
	holdings, bought likeness
	timing           timing
	correlation      correlation
	asynchronous     float64
	link             link
	same             bool // the new leader itself
	shared           []chain.Address
	// redundancy is 0 to 1, NaN where it could not be told.
	redundancy float64
}

// comparison is a new leader beside others.
type comparison struct {
	*overlapFacts
	asOf time.Time
	lead *party
	// pairs are sorted: the most similar first, those that could not be told last.
	pairs []*pair
	// read are the others whose records could be had, the new leader aside.
	read []*party
}

func compareLeaders(f *overlapFacts, asOf time.Time) *comparison {
	c := &comparison{overlapFacts: f, asOf: asOf, lead: partyOf(f.lead)}
	for i, other := range f.others {
		p := &pair{leader: other, redundancy: math.NaN(), same: other == f.lead.Wallet}
		switch {
		case p.same:
			p.other, p.redundancy = c.lead, 1
		case f.records[i] != nil:
			p.other = partyOf(f.records[i])
			c.read = append(c.read, p.other)
		}
		if p.other != nil {
			p.measure(c.lead, f.chain)
		}
		c.pairs = append(c.pairs, p)
	}
	slices.SortStableFunc(c.pairs, func(a, b *pair) int {
		if x, y := math.IsNaN(a.redundancy), math.IsNaN(b.redundancy); x != y {
			if x {
				return 1
			}
			return -1
		}
		return cmp.Or(cmp.Compare(b.redundancy, a.redundancy), a.leader.Compare(b.leader))
	})
	return c
}

// measure compares the two.
func (p *pair) measure(lead *party, on *chain.Chain) {
	weight := func(token chain.Address) float64 {
		return rarity(max(lead.record.Book.Ledger.Tokens[token].Holders, p.other.record.Book.Ledger.Tokens[token].Holders))
	}
	p.holdings, p.bought = compare(lead.holdings, p.other.holdings, weight), compare(lead.bought, p.other.bought, weight)
	a, b := lead.record.Wallet, p.other.record.Wallet
	p.timing = matchEntries(lead.entries, p.other.around, stats.Seed([]byte(on.Slug), a[:], b[:]))
	p.correlation = correlate(lead.daily, p.other.daily)
	p.asynchronous = asynchronous(lead.episodes, p.other.episodes)
	p.shared = sharedTokens(lead, p.other)
	if p.same {
		return
	}
	p.link = linkOf(lead.record, p.other.record)
	p.redundancy = p.redundant(lead)
}

// redundant is how redundant the new leader is: by what both hold and when both enter, by how alike their results are, and by who they
// are, whichever says most. Where one of them holds nothing at the moment, what both bought stands for what they hold. Few trades say
// nothing, but for who the two are.
func (p *pair) redundant(lead *party) float64 {
	if p.link != notLinked {
		return 1
	}
	if lead.trades < leastTrades || p.other.trades < leastTrades {
		return math.NaN()
	}
	held := p.holdings.shared
	if math.IsNaN(held) {
		held = p.bought.jaccard
	}
	if math.IsNaN(held) {
		held = 0
	}
	excess := p.timing.excess
	if math.IsNaN(excess) {
		excess = 0
	}
	of := held/2 + excess/2
	if p.correlation.low > of {
		of = p.correlation.low
	}
	return min(1, of)
}

func verdictOf(redundancy float64) string {
	const rounding = 1e-9
	switch {
	case math.IsNaN(redundancy):
		return unknownOverlap
	case redundancy >= redundantFrom-rounding:
		return redundant
	case redundancy >= overlapFrom-rounding:
		return overlapping
	}
	return additive
}

// direction says who enters first; empty where nothing matched.
func (p *pair) direction() string {
	lag := p.timing.medianLag()
	switch {
	case math.IsNaN(lag):
		return ""
	case p.timing.sign <= plainSign && lag > 0:
		return follows
	case p.timing.sign <= plainSign && lag < 0:
		return leads
	}
	return neither
}

// assessOverlap compares the new leader with the others.
func assessOverlap(f *overlapFacts, asOf time.Time) CopyOverlapAnswer {
	c := compareLeaders(f, asOf)
	answer := CopyOverlapAnswer{
		Verdict: unknownOverlap, SharedTokens: []string{}, Leaders: make([]LeaderOverlap, len(c.pairs)), WindowDays: overlapDays,
		VarianceChangePct: display.Percent(varianceChange(c.read, c.lead)),
	}
	var shared []chain.Address
	for i, p := range c.pairs {
		answer.Leaders[i] = p.answer(c)
		for _, token := range p.shared {
			if !slices.Contains(shared, token) {
				shared = append(shared, token)
			}
		}
	}
	for _, token := range shared[:min(len(shared), mostShared)] {
		answer.SharedTokens = append(answer.SharedTokens, c.symbol(token))
	}
	if first := c.first(); first != nil {
		answer.Verdict = verdictOf(first.redundancy)
		is := answer.Verdict == redundant
		answer.Redundant, answer.OverlapPct, answer.MostSimilar = &is, display.Percent(first.redundancy), &first.leader
	}
	answer.Reasons = reason.Top(c.reasons())
	return answer
}

// first is the most similar leader, nil where nothing could be told.
func (c *comparison) first() *pair {
	if len(c.pairs) == 0 || math.IsNaN(c.pairs[0].redundancy) {
		return nil
	}
	return c.pairs[0]
}

func (c *comparison) symbol(token chain.Address) string {
	return display.Symbol(c.chain, token, c.lead.record.Book.Ledger.Tokens[token].Symbol)
}

func (p *pair) answer(c *comparison) LeaderOverlap {
	row := LeaderOverlap{Leader: p.leader, Verdict: verdictOf(p.redundancy), OverlapPct: display.Percent(p.redundancy), SharedTokens: []string{}}
	if p.other == nil {
		return row
	}
	row.SharedHoldingsPct, row.HoldingsSimilarity = display.Percent(p.holdings.shared), display.Probability(p.holdings.cosine)
	row.SharedBuysPct = display.Percent(p.bought.jaccard)
	row.MatchedPct, row.ExpectedPct, row.ExcessMatchPct = display.Percent(p.timing.matched), display.Percent(p.timing.expected), display.Percent(p.timing.excess)
	if direction := p.direction(); direction != "" {
		lag := display.Round(p.timing.medianLag(), 0)
		row.MedianLagMinutes, row.Direction = &lag, &direction
	}
	if p.correlation.days > 0 {
		row.Correlation = &ReturnCorrelation{
			Value: display.Round(p.correlation.value, 3), Low: display.Round(p.correlation.low, 3), High: display.Round(p.correlation.high, 3), Days: p.correlation.days,
		}
	}
	if !math.IsNaN(p.asynchronous) {
		value := display.Round(p.asynchronous, 3)
		row.AsynchronousCorrelation = &value
	}
	row.SameOperator = p.same || p.link != notLinked
	for _, token := range p.shared[:min(len(p.shared), mostShared)] {
		row.SharedTokens = append(row.SharedTokens, c.symbol(token))
	}
	row.Trades = &p.other.trades
	return row
}
