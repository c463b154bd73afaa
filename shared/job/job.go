package job

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"
)

// Job is work that runs by a schedule.
type Job struct {
	// Name is the name of the Lambda function and of its folder, like "refresh-peers".
	Name string
	// Run does the work as of a time. The report tells of every part that was tried, also beside an error.
	Run func(ctx context.Context, at time.Time) (Report, error)
}

// Report says what a run did, part by part.
type Report []Part

// Part is a piece of the work that can fail without the others.
type Part struct {
	Name string
	// Items is how many things the part dealt with.
	Items int
	// Skipped is true when there was nothing to do, because it had been done a moment before.
	Skipped bool
	// Err is why the part failed; nil when it did not.
	Err error
}

// Failed joins the errors of the parts that failed, each with its part's name; nil when none did.
func (r Report) Failed() error {
	var failed []error
	for _, part := range r {
		if part.Err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", part.Name, part.Err))
		}
	}
	return errors.Join(failed...)
}

// Event is one firing of a schedule.
type Event struct {
	// ID is the scheduler's name for the firing; one that is delivered again has the same.
	ID string
	// Due is when the schedule fired, which may be long ago.
	Due time.Time
}

// What Amazon EventBridge Scheduler sends to a target that names no input of its own.
const (
	eventSource = "aws.scheduler"
	eventType   = "Scheduled Event"
)

type wireEvent struct {
	ID     string    `json:"id"`
	Source string    `json:"source"`
	Type   string    `json:"detail-type"`
	Time   time.Time `json:"time"`
}

// ReadEvent reads an event of EventBridge Scheduler. The error says what else it is.
func ReadEvent(payload []byte) (Event, error) {
	var wire wireEvent
	if err := json.Unmarshal(payload, &wire); err != nil {
		return Event{}, fmt.Errorf("not an event of a schedule: %w", err)
	}
	switch {
	case wire.Source != eventSource || wire.Type != eventType:
		return Event{}, fmt.Errorf("not an event of a schedule: source %q, type %q; want %q, %q", wire.Source, wire.Type, eventSource, eventType)
	case wire.ID == "" || wire.Time.IsZero():
		return Event{}, errors.New("not an event of a schedule: it has no id or no time")
	}
	return Event{ID: wire.ID, Due: wire.Time.UTC()}, nil
}

// WriteEvent writes an event as EventBridge Scheduler does.
func WriteEvent(event Event) ([]byte, error) {
	return json.Marshal(wireEvent{ID: event.ID, Source: eventSource, Type: eventType, Time: event.Due.UTC()})
}

// Function is a job as Lambda runs it: an event or a batch of messages in JSON, and what is answered to it, nil for nothing.
type Function func(ctx context.Context, payload json.RawMessage) (json.RawMessage, error)

// Handler runs a job for each event that it is given. Clock tells the time that the work is done as of.
func Handler(j Job, clock func() time.Time, log *slog.Logger) Function {
	return func(ctx context.Context, payload json.RawMessage) (json.RawMessage, error) {
		event, err := ReadEvent(payload)
		if err != nil {
			log.Error("job refused", "job", j.Name, "error", err)
			return nil, err
		}
		at := clock().UTC()
		log := log.With("job", j.Name, "event", event.ID)
		log.Info("job started", "due", event.Due, "late", at.Sub(event.Due).Round(time.Second).String())
		var report Report
		err = whole(func() (err error) {
			report, err = j.Run(ctx, at)
			return err
		})
		for _, part := range report {
			switch {
			case part.Err != nil:
				log.Warn("job part failed", "part", part.Name, "items", part.Items, "error", part.Err)
			default:
				log.Info("job part done", "part", part.Name, "items", part.Items, "skipped", part.Skipped)
			}
		}
		if err = errors.Join(err, report.Failed()); err != nil {
			log.Error("job failed", "error", err)
			return nil, fmt.Errorf("%s: %w", j.Name, err)
		}
		log.Info("job done", "parts", len(report))
		return nil, nil
	}
}

// whole does some work and turns a panic into an error.
func whole(work func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
		}
	}()
	return work()
}
