package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/mirrorworthy/mirrorworthy/shared/job"
)

// timer runs one function by its schedule.
type timer struct {
	every time.Duration
	// fire runs the function once, as the scheduler would.
	fire func(context.Context)
}

// newTimers finds the job of each schedule. Clock tells the time that jobs are done as of.
func newTimers(schedules []schedule, jobs []job.Job, clock func() time.Time, log *slog.Logger) ([]timer, error) {
	handlers := make(map[string]func(context.Context, json.RawMessage) error)
	for _, j := range jobs {
		handlers[j.Name] = job.Handler(j, clock, log)
	}
	var timers []timer
	for _, s := range schedules {
		handle := handlers[s.Function]
		if handle == nil {
			return nil, fmt.Errorf("template.yaml: %s: there is no job %s", s.Name, s.Function)
		}
		timers = append(timers, timer{every: s.Every, fire: func(ctx context.Context) {
			event, err := job.WriteEvent(job.Event{ID: uuid.Must(uuid.NewV7()).String(), Due: clock()})
			if err == nil {
				err = handle(ctx, event)
			}
			if err != nil && ctx.Err() == nil {
				log.Error("schedule failed", "schedule", s.Name, "error", err)
			}
		}})
	}
	return timers, nil
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
