package leader

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/job"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

const (
	gradeJob   = "grade-leaders"
	resolveJob = "resolve-track-record"

	// gradeGap is less than the hour between two schedules, so that one that fires a little early still begins a pass.
	gradeGap = 50 * time.Minute
	// gradedAtOnce is how many leaders a part grades side by side.
	gradedAtOnce = 8
	// partMargin is how much of a part's time is left for telling how far it came.
	partMargin = 20 * time.Second
	// forgottenAfter is how long a leader stays that no source finds any more. Early buyers stay: there are forecasts of them, and
	// whoever had bad ones would be gone first.
	forgottenAfter = 30 * 24 * time.Hour
)

// grader grades leaders.
type grader struct {
	memory  Memory
	sources market.Sources
	chains  []*chain.Chain
}

// GradeLeaders grades every leader of the chains, and those of the venues, with the assessors of the pages, and publishes the boards
// when all are graded. A leader is graded once a pass, however often its part is delivered: what marks it as done is written last, and
// everything before can be written again. A leader that cannot be graded is counted, and keeps the grade it had.
func GradeLeaders(memory Memory, sources market.Sources, chains []*chain.Chain) job.Spread {
	g := &grader{memory: memory, sources: sources, chains: chains}
	return job.Spread{
		Name: gradeJob, Counts: "graded", Gap: gradeGap, Plan: g.plan, Part: g.part, Then: []string{resolveJob},
		Conclude: func(ctx context.Context, at time.Time, _ store.Pass) (job.Report, error) {
			return publish(ctx, memory, chains, at.UTC())
		},
	}
}

// minuteOf is the instant that answers describe: requests within a minute share it, and a board says what the pages said.
func minuteOf(at time.Time) time.Time { return at.UTC().Truncate(time.Minute) }

func (g *grader) groups() []store.Group {
	groups := make([]store.Group, 0, len(g.chains)+2)
	for _, on := range g.chains {
		groups = append(groups, store.Group{Kind: Spot, Place: string(on.Slug)})
	}
	return append(groups, store.Group{Kind: Perp, Place: PerpVenue}, store.Group{Kind: Prediction, Place: PredictionVenue})
}

// plan counts the leaders of every group.
func (g *grader) plan(ctx context.Context, _ time.Time) (job.Plan, error) {
	groups := g.groups()
	counts := make([]int, len(groups))
	for i, group := range groups {
		err := g.each(ctx, shard{group: group}, leadersAtOnce, func(page []store.Leader) error {
			counts[i] += len(page)
			return nil
		})
		if err != nil {
			return job.Plan{}, err
		}
	}
	plan := plannedFor(groups, counts)
	data, err := json.Marshal(plan, json.Deterministic(true))
	return job.Plan{Parts: plan.parts(), Data: data}, err
}

// each reads the leaders of a shard page by page, each leader once.
func (g *grader) each(ctx context.Context, s shard, pageSize int, do func([]store.Leader) error) error {
	from := s.from
	for {
		page, err := g.memory.Leaders.List(ctx, s.group, from, s.to, pageSize)
		if err != nil {
			return fmt.Errorf("listing leaders of %s: %w", s.group.Place, err)
		}
		more := len(page) == pageSize
		if len(page) > 0 {
			from = page[len(page)-1].Address + "0" // the first address that sorts after it
			if err := do(page); err != nil {
				return err
			}
		}
		if !more {
			return nil
		}
	}
}

// part grades the leaders of a shard. Its report counts those that are graded in this pass, and has a part for each that could not be.
// It fails when the time was too short for all, when leaders cannot be read, and when none of the shard's could be graded.
func (g *grader) part(ctx context.Context, at time.Time, pass store.Pass, part int) (job.Report, error) {
	s, err := shardOf(pass.Data, part)
	if err != nil {
		return nil, err
	}
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-partMargin))
		defer cancel()
	}
	asOf := minuteOf(at)
	graded := job.Part{Name: s.group.Kind + " " + s.group.Place}
	forgotten := job.Part{Name: graded.Name + ": forgotten", Skipped: true}
	var failed job.Report
	err = g.each(ctx, s, leadersAPart*4, func(page []store.Leader) error {
		done := make([]whatBecame, len(page))
		failures := sideBySide(len(page), gradedAtOnce, func(i int) (err error) {
			done[i], err = g.grade(ctx, &page[i], pass.ID, asOf)
			return err
		})
		for i, err := range failures {
			switch {
			case err != nil:
				failed = append(failed, job.Part{Name: graded.Name + " " + page[i].Address, Err: err})
			case done[i] == wasForgotten:
				forgotten.Items++
			default:
				graded.Items++
			}
		}
		return ctx.Err()
	})
	if err == nil && graded.Items == 0 && len(failed) > 0 {
		err = fmt.Errorf("none of %d leaders could be graded: %w", len(failed), failed[0].Err)
	}
	report := append(job.Report{graded}, failed...)
	if forgotten.Items > 0 {
		report = append(report, job.Part{Name: fmt.Sprintf("%s (%d)", forgotten.Name, forgotten.Items), Skipped: true})
	}
	return report, err
}

// sideBySide runs a function for each index, so many at a time, and gives the error of each. A panic is the error of its index.
func sideBySide(n, atOnce int, do func(i int) error) []error {
	failures := make([]error, n)
	group := parallel.NewGroup()
	group.SetLimit(atOnce)
	for i := range n {
		group.Go(func() error {
			one := parallel.NewGroup()
			one.Go(func() error { return do(i) })
			failures[i] = one.Wait()
			return nil
		})
	}
	_ = group.Wait() // each index keeps its own error
	return failures
}

// whatBecame is what a pass did with a leader.
type whatBecame int

const (
	wasGraded whatBecame = iota
	wasForgotten
)

// grade grades a leader unless this pass did already.
func (g *grader) grade(ctx context.Context, leader *store.Leader, pass string, asOf time.Time) (whatBecame, error) {
	if leader.Grading.Pass == pass {
		return wasGraded, nil
	}
	if err := ctx.Err(); err != nil {
		return wasGraded, err
	}
	if since := asOf.Add(-forgottenAfter); abandoned(leader, since) {
		return wasForgotten, g.memory.Leaders.Remove(ctx, leader.Group, leader.Address, since)
	}
	graded, err := g.assess(ctx, leader, asOf)
	if err != nil {
		return wasGraded, err
	}
	data, err := json.Marshal(graded, json.Deterministic(true))
	if err != nil {
		return wasGraded, err
	}
	grading := store.Grading{At: asOf, Pass: pass, Grade: wordOf(graded.Score.Grade), Verdict: graded.Score.Verdict, Data: data}
	return g.keep(ctx, leader, grading)
}

// keep writes a leader's grading, and what it changes, unless somebody else has graded it in this pass meanwhile, or as of the same
// time or later. Whatever else was made of it meanwhile is what the grading is a change of.
func (g *grader) keep(ctx context.Context, leader *store.Leader, grading store.Grading) (whatBecame, error) {
	current := *leader
	for current.Grading.Pass != grading.Pass && grading.At.After(current.Grading.At) {
		events, err := changes(&current, grading)
		if err != nil {
			return wasGraded, err
		}
		err = g.memory.Leaders.Grade(ctx, leader.Group, leader.Address, current.Grading.At, grading, events...)
		if errors.Is(err, store.ErrConflict) {
			current, err = g.memory.Leaders.Leader(ctx, leader.Group, leader.Address)
			if err == nil {
				continue
			}
		}
		if errors.Is(err, store.ErrNotFound) { // somebody removed it
			return wasForgotten, nil
		}
		return wasGraded, err
	}
	return wasGraded, nil
}

// abandoned tells whether every source of a leader saw it last before an instant, and no forecast was made of it.
func abandoned(leader *store.Leader, since time.Time) bool {
	for _, f := range leader.Findings {
		if f.Source == EarlyBuyer || f.At.After(since) {
			return false
		}
	}
	return true
}

func wordOf(grade *string) string {
	if grade == nil {
		return ""
	}
	return *grade
}
