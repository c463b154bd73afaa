package main

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/job"
)

func nothingUnfinished(context.Context, string) (job.Event, bool) { return job.Event{}, false }

func timersOf(t *testing.T, run func(context.Context, time.Time) (job.Report, error)) []timer {
	t.Helper()
	functions := map[string]job.Function{"f": job.Handler(job.Job{Name: "f", Run: run}, time.Now, discardLog())}
	timers, err := newTimers([]schedule{{Name: "F.Hourly", Function: "f", Every: time.Hour}}, functions, nothingUnfinished, time.Now, discardLog())
	if err != nil {
		t.Fatal(err)
	}
	return timers
}

func TestSchedulesRunAtTheStartAndThenAtTheirRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var runs []time.Duration
		_, stop := runTimers(t.Context(), timersOf(t, func(_ context.Context, at time.Time) (job.Report, error) {
			runs = append(runs, at.Sub(start))
			if len(runs) == 2 {
				return nil, errors.New("one failure ends nothing")
			}
			return nil, nil
		}))
		time.Sleep(150 * time.Minute)
		stop()
		if len(runs) != 3 || runs[0] != 0 || runs[1] != time.Hour || runs[2] != 2*time.Hour {
			t.Errorf("runs at %v", runs)
		}
	})
}

func TestRunsOfAScheduleDoNotOverlap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var under atomic.Int64
		var runs []time.Duration
		_, stop := runTimers(t.Context(), timersOf(t, func(_ context.Context, at time.Time) (job.Report, error) {
			runs = append(runs, at.Sub(start))
			if under.Add(1) != 1 {
				t.Error("two runs at once")
			}
			time.Sleep(210 * time.Minute)
			under.Add(-1)
			return nil, nil
		}))
		time.Sleep(11 * time.Hour)
		stop()
		// The times that come during a run are left out, not made up for.
		if want := []time.Duration{0, 4 * time.Hour, 8 * time.Hour}; !slices.Equal(runs, want) {
			t.Errorf("runs at %v, want %v", runs, want)
		}
	})
}

func TestTheEndWaitsForARunAndCutsItShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := false
		_, stop := runTimers(t.Context(), timersOf(t, func(ctx context.Context, _ time.Time) (job.Report, error) {
			<-ctx.Done()
			time.Sleep(time.Second)
			ended = true
			return nil, ctx.Err()
		}))
		time.Sleep(time.Minute)
		stop()
		if !ended {
			t.Error("a job was left behind")
		}
	})
}

func TestTheScheduleHasSettledAfterItsFirstRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		settled, stop := runTimers(t.Context(), timersOf(t, func(context.Context, time.Time) (job.Report, error) {
			time.Sleep(time.Minute)
			return nil, nil
		}))
		<-settled
		if took := time.Since(start); took != time.Minute {
			t.Errorf("settled after %v", took)
		}
		stop()
		none, stop := runTimers(t.Context(), nil)
		<-none
		stop()
	})
}

// The first event of a schedule is the one that began what is unfinished; those after it are new.
func TestTheFirstEventGoesOnWithWhatIsUnfinished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := job.Event{ID: "begun", Due: time.Now().Add(-time.Minute).UTC()}
		var got []job.Event
		functions := map[string]job.Function{"f": func(_ context.Context, payload json.RawMessage) (json.RawMessage, error) {
			event, err := job.ReadEvent(payload)
			got = append(got, event)
			return nil, err
		}}
		timers, err := newTimers([]schedule{{Function: "f", Every: time.Hour}}, functions, func(_ context.Context, name string) (job.Event, bool) {
			return begun, name == "f"
		}, time.Now, discardLog())
		if err != nil {
			t.Fatal(err)
		}
		_, stop := runTimers(t.Context(), timers)
		time.Sleep(90 * time.Minute)
		stop()
		if len(got) != 2 || got[0] != begun || got[1].ID == "begun" || got[1].ID == "" {
			t.Errorf("events %+v", got)
		}
	})
}

func TestAScheduleOfNoJobIsRefused(t *testing.T) {
	_, err := newTimers([]schedule{{Name: "F.Hourly", Function: "missing", Every: time.Hour}}, nil, nothingUnfinished, time.Now, discardLog())
	if err == nil || !strings.Contains(err.Error(), "missing") {
		t.Error(err)
	}
}
