package leader

import (
	"cmp"
	"container/heap"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/stats"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/trader"
)

const (
	// falseDiscoveries is the most that may be expected of luck among the wallets that boards call mirror-worthy, 0 to 1.
	falseDiscoveries = 0.10
	// unknownScore is where a wallet ranks of whose skill nothing is known: in the middle, with no confidence.
	unknownScore = 50.0
)

// candidate is what is kept of a graded leader while boards are made.
type candidate struct {
	group   store.Group
	address string
	// found is how it was found.
	found  []FoundBy
	venue  venueStanding
	graded *Graded
	// score and confidence are those that it ranks by.
	score, confidence float64
	// chance is the index of its chance among those of its kind, -1 without one.
	chance int
	// worthy is true when the leader stays mirror-worthy although it is one of many that were looked at; adjustedP is what that rests
	// on, nil without a chance.
	worthy    bool
	adjustedP *float64
}

// candidateOf reads a graded leader.
func candidateOf(leader *store.Leader) (*candidate, error) {
	graded, err := readGraded(leader)
	if err != nil {
		return nil, err
	}
	c := &candidate{
		group: leader.Group, address: leader.Address, graded: graded, chance: -1,
		found: make([]FoundBy, 0, len(leader.Findings)),
	}
	for _, f := range leader.Findings {
		if f.Source != Followed {
			c.found = append(c.found, FoundBy{Source: f.Source, FoundAt: *timeText(f.At)})
		}
	}
	c.score, c.confidence = rankedBy(graded.Score.Score, graded.Score.Confidence)
	return c, nil
}

// rankedBy are the score and the confidence that a wallet ranks by: its own, or those of the unknown.
func rankedBy(score, confidence *float64) (float64, float64) {
	if score == nil || confidence == nil {
		return unknownScore, 0
	}
	return *score, *confidence
}

func (c *candidate) mirrorable() bool {
	return c.graded.Assessment != nil && c.graded.Assessment.Mirrorable
}

func (c *candidate) calledWorthy() bool { return c.graded.Score.Verdict == trader.MirrorWorthy }

func (c *candidate) earlyBuyer() bool {
	return slices.ContainsFunc(c.found, func(f FoundBy) bool { return f.Source == EarlyBuyer })
}

// order ranks candidates: those that stay mirror-worthy first, then by score, confidence, address and place. It is total.
func order(a, b *candidate) int {
	return cmp.Or(worthyFirst(a.worthy, b.worthy), cmp.Compare(b.score, a.score), cmp.Compare(b.confidence, a.confidence),
		strings.Compare(a.address, b.address), strings.Compare(a.group.Place, b.group.Place))
}

// mirrorableFirst ranks mirrorable candidates before others, and otherwise by order.
func mirrorableFirst(a, b *candidate) int {
	return cmp.Or(worthyFirst(a.mirrorable(), b.mirrorable()), order(a, b))
}

// worthyFirst ranks what is true before what is not.
func worthyFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// shortlist holds, of any number of candidates, those that can be among the first so many on a board whatever the correction for
// their number turns out to be: all that a board lists in any case, the best of those whose page says mirror-worthy, for every
// correction that there can be, and the best of the others.
type shortlist struct {
	length         int
	always         []*candidate
	called, others []*candidate
	// calledUpTo is how many of those that are called mirror-worthy there may be before the superfluous ones are dropped.
	calledUpTo int
}

// add takes a candidate in. listed is true for those that a board lists in any case.
func (s *shortlist) add(c *candidate, listed bool) {
	switch {
	case listed:
		s.always = append(s.always, c)
	case c.calledWorthy():
		s.called = append(s.called, c)
		if len(s.called) > max(s.calledUpTo, s.length) {
			s.called = best(s.called, s.length)
			s.calledUpTo = len(s.called) + s.length/4 + 1
		}
	default:
		s.others = append(s.others, c)
		if len(s.others) >= s.length+s.length/4+1 {
			slices.SortFunc(s.others, order)
			s.others = cut(s.others, min(len(s.others), s.length))
		}
	}
}

// best drops candidates that so many others are ahead of under every correction: those who rank before them and whose chance is no
// larger. Whatever the correction is, it accepts chances up to some limit.
func best(candidates []*candidate, length int) []*candidate {
	slices.SortFunc(candidates, order)
	var smallest largestFirst // of the chances so far, as many as length
	kept := 0
	for _, c := range candidates {
		chance := math.Inf(1)
		if c.graded.Chance != nil {
			chance = *c.graded.Chance
		}
		if len(smallest) == length {
			if smallest[0] <= chance {
				continue
			}
			heap.Pop(&smallest)
		}
		heap.Push(&smallest, chance)
		candidates[kept] = c
		kept++
	}
	return cut(candidates, kept)
}

// cut shortens a list and lets go of the rest.
func cut(candidates []*candidate, length int) []*candidate {
	clear(candidates[length:])
	return candidates[:length]
}

// largestFirst is a heap of numbers.
type largestFirst []float64

func (h largestFirst) Len() int           { return len(h) }
func (h largestFirst) Less(i, j int) bool { return h[i] > h[j] }
func (h largestFirst) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *largestFirst) Push(x any)        { *h = append(*h, x.(float64)) }
func (h *largestFirst) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}

// all gives the candidates, unordered.
func (s *shortlist) all() []*candidate { return slices.Concat(s.always, s.called, s.others) }

// selection is the correction of one kind of leaders for how many of them were looked at.
type selection struct {
	// chances are those of every leader that has one, whether or not it is shown.
	chances []float64
}

// examine notes a candidate's chance.
func (s *selection) examine(c *candidate) {
	if chance := c.graded.Chance; chance != nil {
		c.chance = len(s.chances)
		s.chances = append(s.chances, *chance)
	}
}

// correct decides which candidates stay mirror-worthy: those that their page calls so and whose Benjamini-Hochberg adjusted
// probability of chance, over all leaders of the kind that have one, is at most falseDiscoveries. Leaders too thin to be rated
// have none: they could not be named, so they are no attempt at naming one.
func (s *selection) correct(candidates []*candidate) {
	adjusted := stats.BenjaminiHochberg(s.chances)
	for _, c := range candidates {
		if c.chance < 0 {
			continue
		}
		c.adjustedP = &adjusted[c.chance]
		c.worthy = c.calledWorthy() && *c.adjustedP <= falseDiscoveries
	}
}

// reasons are the page's reasons, and for a wallet that the page calls mirror-worthy what is left of that among so many, within
// the number of reasons that an answer gives.
func (s *selection) reasons(c *candidate) []reason.Reason {
	ofPage := c.graded.Score.Reasons
	if !c.calledWorthy() || c.adjustedP == nil {
		return ofPage
	}
	kept := ofPage[:min(len(ofPage), reason.Maximum-1)]
	if c.worthy {
		return append(kept[:len(kept):len(kept)], s.reason(c))
	}
	return append([]reason.Reason{s.reason(c)}, kept...)
}

func (s *selection) reason(c *candidate) reason.Reason {
	start := fmt.Sprintf("Of %s looked at, some look this good by luck; allowing for that, the adjusted probability of luck is %s",
		display.Count(len(s.chances), "wallet"), probabilityText(*c.adjustedP))
	if c.worthy {
		return reason.Reason{Code: "SELECTED", Text: start + fmt.Sprintf(", where a board accepts up to %v.", falseDiscoveries)}
	}
	return reason.Reason{Code: "NOT_SELECTED", Text: start + fmt.Sprintf(", above the %v that a board accepts: mirror-worthy by its own record alone, not as one of so many.", falseDiscoveries)}
}

// probabilityText writes a probability for a sentence.
func probabilityText(p float64) string {
	if p < leastLuck {
		return "below 0.001"
	}
	return strconv.FormatFloat(display.Round(p, 3), 'f', -1, 64)
}
