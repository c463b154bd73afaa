package main

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/job"
)

// timer runs one function by its schedule.
type timer struct {
	every time.Duration
	// fire runs the function once, as the scheduler would.
	fire func(context.Context)
}

// newTimers finds the function of each schedule. Clock tells the time that events are due; unfinished gives the event that a
// function is to go on with when it first runs, if there is one.
func newTimers(
	schedules []schedule, functions map[string]job.Function, unfinished func(ctx context.Context, function string) (job.Event, bool),
	clock func() time.Time, log *slog.Logger,
) ([]timer, error) {
	var timers []timer
	for _, s := range schedules {
		function := functions[s.Function]
		if function == nil {
			return nil, fmt.Errorf("template.yaml: %s: there is no job %s", s.Name, s.Function)
		}
		first := true
		timers = append(timers, timer{every: s.Every, fire: func(ctx context.Context) {
			event := job.Event{ID: uuid.Must(uuid.NewV7()).String(), Due: clock()}
			if first {
				if begun, ok := unfinished(ctx, s.Function); ok {
					event = begun
				}
			}
			first = false
			payload, err := job.WriteEvent(event)
			if err == nil {
				_, err = function(ctx, payload)
			}
			if err != nil && ctx.Err() == nil {
				log.Error("schedule failed", "schedule", s.Name, "error", err)
			}
		}})
	}
	return timers, nil
}

// scheduled are the schedules that the configuration wants to run. The error names a job that has none.
func scheduled(all []schedule, config host.Config) ([]schedule, error) {
	for _, name := range config.Jobs {
		if !slices.ContainsFunc(all, func(s schedule) bool { return s.Function == name }) {
			return nil, fmt.Errorf("JOBS: there is no job %q that runs by a schedule; want all, none, or names with commas between them", name)
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(s schedule) bool { return !config.Scheduled(s.Function) }), nil
}

// runTimers fires every timer now and then at its rate, never while its last run is under way; a time that comes meanwhile is left
// out. Settled is closed when all have run once; stop ends them and waits for what they run.
func runTimers(ctx context.Context, timers []timer) (settled <-chan struct{}, stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running, first sync.WaitGroup
	first.Add(len(timers))
	for _, t := range timers {
		running.Go(func() {
			ticker := time.NewTicker(t.every)
			defer ticker.Stop()
			for ran := false; ; ran = true {
				t.fire(ctx)
				if !ran {
					first.Done()
				}
				select {
				case <-ticker.C: // it came while the job ran
				default:
				}
				select {
				case <-ctx.Done():
					return
				case <-ticker.C:
				}
			}
		})
	}
	all := make(chan struct{})
	running.Go(func() {
		first.Wait()
		close(all)
	})
	return all, func() {
		cancel()
		running.Wait()
	}
}
