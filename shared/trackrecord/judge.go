package trackrecord

import (
	"cmp"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/reason"
)

// The states of a record.
const (
	// Accruing records have too few resolutions to be read as a rate.
	Accruing = "accruing"
	Tracked  = "tracked"
)

// minimumTracked is how many resolutions a record takes to count as tracked.
const minimumTracked = 10

// Record is a whole track record as of an instant.
type Record struct {
	// Status is that of the mirrorable group.
	Status string
	// FirstResolutionExpected is when the first outcome can be known; zero once one is, and when nothing tells.
	FirstResolutionExpected time.Time
	Mirrorable, Control     Measures
	// GateValue is the hit rate of the mirrorable group less that of the control group.
	GateValue Difference
	// Leaders are in order of grading, the newest first; ties by chain and wallet.
	Leaders []Leader
	// Reasons are 1 to 5.
	Reasons []reason.Reason
}

// Leader is one leader's part of the record.
type Leader struct {
	Forecast
	Status string
	// FirstResolutionExpected is as in Record.
	FirstResolutionExpected time.Time
	Measures                Measures
}

// Judge measures the record as of an instant. Forecasts made, follow-ups seen and outcomes written later do not matter, nor does the
// order of either list.
func Judge(forecasts []Forecast, followUps []FollowUp, asOf time.Time) Record {
	leaders := make([]Leader, 0, len(forecasts))
	for _, f := range forecasts {
		if !f.GradedAt.After(asOf) {
			leaders = append(leaders, Leader{Forecast: f})
		}
	}
	slices.SortFunc(leaders, func(a, b Leader) int {
		return cmp.Or(b.GradedAt.Compare(a.GradedAt), cmp.Compare(a.Chain, b.Chain), cmp.Compare(a.Wallet, b.Wallet))
	})
	index := make(map[leaderKey]int, len(leaders))
	for i := range leaders {
		index[leaderKey{leaders[i].Chain, leaders[i].Wallet}] = i
	}
	own := make([][]entry, len(leaders))
	var groups [2][]entry // mirrorable, control
	for i := range followUps {
		f := &followUps[i]
		at, known := index[leaderKey{f.Chain, f.Wallet}]
		if !known || f.SeenAt.After(asOf) {
			continue
		}
		own[at] = append(own[at], entry{FollowUp: *f, forecast: &leaders[at].Forecast})
	}
	r := Record{Leaders: leaders}
	counts := [2]int{}
	for i := range leaders {
		l := &leaders[i]
		inOrder(own[i])
		l.Measures = measure(own[i], 1, asOf)
		l.Status = statusOf(l.Measures)
		l.FirstResolutionExpected = firstExpected(l, own[i], asOf)
		group := 1
		if l.Mirrorable {
			group = 0
		}
		counts[group]++
		groups[group] = append(groups[group], own[i]...)
	}
	for _, g := range groups {
		inOrder(g)
	}
	r.Mirrorable, r.Control = measure(groups[0], counts[0], asOf), measure(groups[1], counts[1], asOf)
	r.Status = statusOf(r.Mirrorable)
	r.GateValue = difference(groups[0], groups[1], r.Mirrorable, r.Control, asOf)
	r.FirstResolutionExpected = earliestExpected(leaders, r.Mirrorable)
	r.Reasons = r.explain()
	return r
}

// entry is a follow-up beside the forecast that it tests.
type entry struct {
	FollowUp
	forecast *Forecast
}

// inOrder sorts by entry; the ID, which no two follow-ups of a leader share, breaks ties.
func inOrder(entries []entry) {
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(a.EnteredAt.Compare(b.EnteredAt), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Chain, b.Chain), cmp.Compare(a.Wallet, b.Wallet))
	})
}

func statusOf(m Measures) string {
	if m.Resolved < minimumTracked {
		return Accruing
	}
	return Tracked
}

// firstExpected is when a leader's first outcome can be known: when its first open follow-up is due or, without one, a usual gap after
// its grading, or after now if that has passed, and the horizon later.
func firstExpected(l *Leader, entries []entry, asOf time.Time) time.Time {
	var first time.Time
	for i := range entries {
		switch e := &entries[i]; {
		case e.late():
		case e.resolved(asOf):
			return time.Time{}
		case first.IsZero() || e.DueAt.Before(first):
			first = e.DueAt
		}
	}
	if !first.IsZero() || l.MedianGap <= 0 {
		return first
	}
	entered := l.GradedAt.Add(l.MedianGap)
	if entered.Before(asOf) {
		entered = asOf
	}
	return entered.Add(Horizon)
}

// earliestExpected is the earliest of the mirrorable leaders' first outcomes, none once there is one.
func earliestExpected(leaders []Leader, m Measures) time.Time {
	var first time.Time
	if m.Resolved > 0 {
		return first
	}
	for i := range leaders {
		expected := leaders[i].FirstResolutionExpected
		if leaders[i].Mirrorable && !expected.IsZero() && (first.IsZero() || expected.Before(first)) {
			first = expected
		}
	}
	return first
}
