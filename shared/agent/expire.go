package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/job"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// agentsAtOnce is how many agents are read at a time.
const agentsAtOnce = store.MaximumListed

// ExpireAgents is the job that warns owners 72 and 24 hours before an agent's credentials lapse, lets lapsed agents expire, and keeps
// the leaders that agents follow among those that are graded. Runs that overlap say everything once.
func ExpireAgents(agents store.Agents, follow Follow) job.Job {
	return job.Job{Name: "expire-agents", Run: func(ctx context.Context, at time.Time) (job.Report, error) {
		return job.Report{expireDue(ctx, agents, at), followAll(ctx, agents, follow, at)}, nil
	}}
}

// expireDue deals with the agents that are due, the longest due first. An agent that cannot be dealt with does not hold up the others of
// its page; a page of nothing else ends the run.
func expireDue(ctx context.Context, agents store.Agents, at time.Time) job.Part {
	part := job.Part{Name: "due"}
	for {
		due, err := agents.Due(ctx, at, agentsAtOnce)
		if err != nil {
			part.Err = errors.Join(part.Err, err)
			return part
		}
		moved := 0
		for _, record := range due {
			switch err := settle(ctx, agents, record, at); {
			case err == nil:
				moved++
			case errors.Is(err, store.ErrConflict): // somebody else changed it: it is looked at again while it is due
			default:
				part.Err = errors.Join(part.Err, fmt.Errorf("agent %s: %w", record.ID, err))
			}
		}
		part.Items += moved
		if len(due) < agentsAtOnce || moved == 0 {
			return part
		}
	}
}

// settle warns the owner of an agent that is due, or lets it expire.
func settle(ctx context.Context, agents store.Agents, record store.Agent, at time.Time) error {
	agent, err := Read(record)
	if err != nil {
		return err
	}
	next, err := agent.expire(at)
	if errors.Is(err, ErrState) {
		next, err = agent.warn(at)
	}
	if errors.Is(err, ErrState) {
		// It is due for nothing: what is kept of when it is due is of an older rule, and is written anew.
		next, err = change{agent: *agent}, nil
		next.agent.Version++
	}
	if err != nil {
		return err
	}
	changed, err := next.agent.Record()
	if err != nil {
		return err
	}
	return agents.Change(ctx, changed, next.events...)
}

// followAll has all leaders that agents follow graded further on.
func followAll(ctx context.Context, agents store.Agents, follow Follow, at time.Time) job.Part {
	part := job.Part{Name: "followed leaders"}
	var after store.FollowedLeader
	for {
		followed, err := agents.Followed(ctx, after, agentsAtOnce)
		if err != nil {
			part.Err = err
			return part
		}
		for _, leader := range followed {
			following, err := agents.Following(ctx, leader, store.AgentKey{}, 1)
			if err == nil && len(following) > 0 {
				err = follow(ctx, leader, at)
				part.Items++
			}
			part.Err = errors.Join(part.Err, err)
		}
		if len(followed) < agentsAtOnce {
			return part
		}
		after = followed[len(followed)-1]
	}
}
