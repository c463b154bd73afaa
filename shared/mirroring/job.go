package mirroring

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/mirrorworthy/mirrorworthy/shared/agent"
	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/job"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

const (
	// passGap is less than the minute between two schedules, so that one that fires a little early still begins a pass.
	passGap = 50 * time.Second
	// leadersAPart is how many leaders a part reads where there are few; leadersAtOnce and, of each, agentsAtOnce are done side by side.
	leadersAPart                = 20
	leadersAtOnce, agentsAtOnce = 4, 32
	// maximumParts keeps the plan, of which each part takes some 100 bytes, small enough to be kept.
	maximumParts = 1_000
	// sweepEvery is how often copies are looked at although their leader does nothing.
	sweepEvery = 10 * time.Minute
	// partMargin is how much of a part's time is left for telling how far it came.
	partMargin = 5 * time.Second
)

// Memory is what mirroring keeps and reads.
type Memory struct {
	Agents     store.Agents
	Executions store.Executions
	Readings   store.Readings
	// Leaders hold the gradings by which copies may open.
	Leaders store.Leaders
}

// Needs are the ports behind the job. Those of token risk and Holdings on the prediction venue's chain are used where they are there.
var Needs = []market.Port{
	market.ActivityFacts, market.PriceFacts, market.PoolFacts, market.HoldingFacts, market.TokenSecurityFacts,
	market.PerpFillFacts, market.PerpAccountFacts, market.PerpMarketFacts,
	market.PredictionActivityFacts, market.PredictionPositionFacts, market.PredictionMarketFacts,
}

// mirror is what the job runs on.
type mirror struct {
	memory    Memory
	sources   market.Sources
	executors map[agent.Venue]Executor
	clock     func() time.Time
}

// Job mirrors the new trades of every leader that agents follow. Executors send the orders of live agents, by venue; a live agent of a venue
// without one has its orders fail, saying so. Clock tells when orders are sent.
//
// A part is a stretch of the followed leaders. A leader that cannot be read, or an agent whose turn fails, is counted, and the next pass
// goes on where this one stopped. Sources should be read afresh: what they cache delays copies by as much.
func Job(memory Memory, sources market.Sources, executors map[agent.Venue]Executor, clock func() time.Time) job.Spread {
	m := &mirror{memory, sources, executors, clock}
	return job.Spread{
		Name: "mirror-trades", Counts: "mirrored", Gap: passGap, Plan: m.plan, Part: m.part,
		Conclude: func(context.Context, time.Time, store.Pass) (job.Report, error) { return nil, nil },
	}
}

// planned are the leaders after which each part begins, the first one none. It is the Data of a pass, in JSON.
type planned struct {
	After []store.FollowedLeader `json:"after"`
}

func (m *mirror) plan(ctx context.Context, _ time.Time) (job.Plan, error) {
	var all []store.FollowedLeader
	err := m.eachLeader(ctx, store.FollowedLeader{}, func(l store.FollowedLeader) bool {
		all = append(all, l)
		return true
	})
	if err != nil || len(all) == 0 {
		return job.Plan{}, err
	}
	each := max(leadersAPart, (len(all)+maximumParts-1)/maximumParts)
	p := planned{After: []store.FollowedLeader{{}}}
	for i := each; i < len(all); i += each {
		p.After = append(p.After, all[i-1])
	}
	data, err := json.Marshal(p, json.Deterministic(true))
	return job.Plan{Parts: len(p.After), Data: data}, err
}

// eachLeader goes through the followed leaders after one until do has enough.
func (m *mirror) eachLeader(ctx context.Context, after store.FollowedLeader, do func(store.FollowedLeader) bool) error {
	for {
		page, err := m.memory.Agents.Followed(ctx, after, store.MaximumListed)
		if err != nil {
			return fmt.Errorf("listing followed leaders: %w", err)
		}
		for _, l := range page {
			if !do(l) {
				return nil
			}
		}
		if len(page) < store.MaximumListed {
			return nil
		}
		after = page[len(page)-1]
	}
}

// part does a stretch of leaders. Leaders that came after the plan was made belong to the part that they sort into.
func (m *mirror) part(ctx context.Context, at time.Time, pass store.Pass, part int) (job.Report, error) {
	var p planned
	if err := json.Unmarshal(pass.Data, &p); err != nil || part >= len(p.After) {
		return nil, fmt.Errorf("the plan of the pass has no part %d: %w", part, err)
	}
	var leaders []store.FollowedLeader
	err := m.eachLeader(ctx, p.After[part], func(l store.FollowedLeader) bool {
		leaders = append(leaders, l)
		return part+1 == len(p.After) || l != p.After[part+1]
	})
	if err != nil {
		return nil, err
	}
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-partMargin))
		defer cancel()
	}
	at = at.UTC()
	quotes := &quotes{session: market.NewSession(ctx, m.sources), at: at}
	reports := make([]job.Report, len(leaders))
	group := parallel.NewGroup()
	group.SetLimit(leadersAtOnce)
	for i, l := range leaders {
		group.Go(func() error {
			one := parallel.NewGroup() // a panic is the error of its leader
			one.Go(func() (err error) { reports[i], err = m.lead(ctx, l, quotes, at); return err })
			if err := one.Wait(); err != nil {
				reports[i] = append(reports[i], job.Part{Name: l.Group.Place + " " + l.Leader, Err: err})
			}
			return nil
		})
	}
	_ = group.Wait() // each leader keeps its own error
	var report job.Report
	for _, r := range reports {
		report = append(report, r...)
	}
	return report, ctx.Err()
}

// lead mirrors what one leader did since it was read last.
func (m *mirror) lead(ctx context.Context, of store.FollowedLeader, quotes *quotes, at time.Time) (job.Report, error) {
	followers, err := m.memory.Agents.Following(ctx, of, store.AgentKey{}, 1)
	if err != nil || len(followers) == 0 {
		return nil, err
	}
	reading, err := m.memory.Readings.Reading(ctx, of)
	if err != nil {
		return nil, err
	}
	progress, err := readProgress(&reading)
	if err != nil {
		return nil, err
	}
	address, err := chain.ParseAddress(of.Leader)
	if err != nil {
		return nil, err
	}
	reader, err := m.readerOf(of.Group)
	if err != nil {
		return nil, err
	}
	facts, err := reader.read(ctx, address, progress.since(at), at)
	if err != nil {
		return nil, err
	}
	r := &round{at: at, facts: facts, fresh: progress.fresh(facts.Trades), quotes: quotes, settle: at.Sub(progress.SweptAt) >= sweepEvery}
	if len(r.fresh) == 0 && !r.settle && !progress.Unfinished {
		return nil, nil
	}
	if r.gate, err = gateOf(ctx, m.memory.Leaders, of, at); err != nil {
		return nil, err
	}
	if math.IsNaN(r.gate.MedianGain) {
		r.gate.MedianGain = facts.MedianGain
	}
	mirrored := job.Part{Name: of.Group.Place + " " + of.Leader}
	waiting, failed := false, job.Report(nil)
	err = m.eachFollower(ctx, of, func(page []*agent.Agent) {
		for i, done := range m.turns(ctx, r, page) {
			mirrored.Items += done.entered
			waiting = waiting || done.waiting
			if done.err != nil {
				failed = append(failed, job.Part{Name: mirrored.Name + " agent " + page[i].ID, Err: done.err})
			}
		}
	})
	if err != nil || len(failed) > 0 {
		return append(job.Report{mirrored}, failed...), err
	}
	progress.Unfinished = waiting
	if !waiting {
		progress.handle(r.fresh, at)
		if r.settle {
			progress.SweptAt = at
		}
	}
	return job.Report{mirrored}, m.keep(ctx, reading, progress, at)
}

// keep writes how far a leader was read. Where another worker has written meanwhile, that is as good.
func (m *mirror) keep(ctx context.Context, reading store.Reading, progress *progress, at time.Time) error {
	data, err := json.Marshal(progress, json.Deterministic(true))
	if err != nil {
		return err
	}
	reading.Version, reading.At, reading.Data = reading.Version+1, at, data
	if err := m.memory.Readings.Keep(ctx, reading); err != nil && !errors.Is(err, store.ErrConflict) {
		return err
	}
	return nil
}

// readerOf is what reads the leaders of a group.
func (m *mirror) readerOf(group store.Group) (reader, error) {
	switch group.Kind {
	case agent.GroupOf(agent.Perps, nil).Kind:
		return perpReader{m.sources}, nil
	case agent.GroupOf(agent.Prediction, nil).Kind:
		on, _ := chain.Parse(string(chain.Polygon))
		return predictionReader{m.sources, on}, nil
	}
	on, found := chain.Parse(group.Place)
	if !found {
		return nil, fmt.Errorf("leaders of kind %q on %q", group.Kind, group.Place)
	}
	return spotReader{m.sources, on}, nil
}

// eachFollower goes through a leader's followers page by page.
func (m *mirror) eachFollower(ctx context.Context, of store.FollowedLeader, do func([]*agent.Agent)) error {
	var after store.AgentKey
	for {
		records, err := m.memory.Agents.Following(ctx, of, after, store.MaximumListed)
		if err != nil {
			return err
		}
		page := make([]*agent.Agent, 0, len(records))
		for _, record := range records {
			after = record.AgentKey
			read, err := agent.Read(record)
			if err != nil {
				return err
			}
			page = append(page, read)
		}
		do(page)
		if len(records) < store.MaximumListed {
			return nil
		}
	}
}

// turnDone is what became of an agent's turn.
type turnDone struct {
	entered int
	waiting bool
	err     error
}

// turns does the turns of a page of followers, some side by side.
func (m *mirror) turns(ctx context.Context, r *round, page []*agent.Agent) []turnDone {
	done := make([]turnDone, len(page))
	group := parallel.NewGroup()
	group.SetLimit(agentsAtOnce)
	for i, of := range page {
		group.Go(func() error {
			one := parallel.NewGroup()
			one.Go(func() (err error) {
				done[i].entered, done[i].waiting, err = m.follow(ctx, r, of)
				return err
			})
			done[i].err = one.Wait()
			return nil
		})
	}
	_ = group.Wait() // each agent keeps its own error
	return done
}
