package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/job"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// jobs are the functions that run by schedules and queues.
type jobs struct {
	functions map[string]job.Function
	queues    *queues
	timers    []timer
}

// inProcess are the functions of jobs that run in this process and send to queues.
func inProcess(plain []job.Job, spread []job.Spread, passes store.Passes, to *queues, clock func() time.Time, log *slog.Logger) map[string]job.Function {
	functions := make(map[string]job.Function)
	for _, p := range plain {
		functions[p.Name] = job.Handler(p, clock, log)
	}
	for _, s := range spread {
		functions[s.Name] = job.SpreadHandler(s, passes, to, clock, log)
	}
	return functions
}

// newJobs puts functions together with the schedules and queues that the template gives them. Spread are the jobs that take from queues.
func newJobs(t template, queues *queues, functions map[string]job.Function, spread []job.Spread, passes store.Passes, clock func() time.Time, log *slog.Logger) (*jobs, error) {
	j := &jobs{functions: functions, queues: queues}
	spreads := make(map[string]job.Spread)
	for _, s := range spread {
		if j.queues.byName[s.Name] == nil {
			return nil, fmt.Errorf("template.yaml: %s has no queue", s.Name)
		}
		spreads[s.Name] = s
	}
	for _, c := range t.Consumers {
		if _, ok := spreads[c.Function]; !ok {
			return nil, fmt.Errorf("template.yaml: %s: there is no job %s that takes from a queue", c.Queue, c.Function)
		}
	}
	unfinished := func(ctx context.Context, name string) (job.Event, bool) {
		s, ok := spreads[name]
		if !ok {
			return job.Event{}, false
		}
		event, ok, err := job.Unfinished(ctx, s, passes, clock())
		if err != nil {
			log.Error("cannot tell whether a pass is unfinished", "job", name, "error", err)
		}
		return event, ok
	}
	var err error
	j.timers, err = newTimers(t.Schedules, j.functions, unfinished, clock, log)
	return j, err
}

// run runs them until ctx ends or it is stopped; stop ends them and waits for what they do. Settled is closed when every schedule
// has fired once.
func (j *jobs) run(ctx context.Context) (settled <-chan struct{}, stop func()) {
	closeQueues := j.queues.run(ctx, j.functions)
	settled, stopTimers := runTimers(ctx, j.timers)
	return settled, func() {
		stopTimers()
		closeQueues()
	}
}
