package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// MaximumEvent is the largest Data of an event, in bytes; MaximumEvents is how many can be said in one step.
	MaximumEvent  = 16 << 10
	MaximumEvents = 20
	// EventLife is how long an event can be listed at least.
	EventLife = 7 * 24 * time.Hour
)

// Event is something that happened and that others are told of.
type Event struct {
	// ID is the same whenever the same thing is said again.
	ID string
	// Type is what happened, like "leader.grade_changed".
	Type string
	// Partner is whom it concerns; empty for all.
	Partner string
	At      time.Time
	Data    []byte
}

// Validate reports ErrInvalid if the event cannot be kept.
func (e Event) Validate() error {
	if err := CheckID("event", e.ID); err != nil {
		return err
	}
	if err := CheckID("type of event", e.Type); err != nil {
		return err
	}
	if err := CheckTime("the time of an event", e.At); err != nil {
		return err
	}
	if e.Partner != "" {
		if err := CheckID("partner", e.Partner); err != nil {
			return err
		}
	}
	if len(e.Data) == 0 || len(e.Data) > MaximumEvent {
		return fmt.Errorf("%w: an event of %d bytes, want 1 to %d", ErrInvalid, len(e.Data), MaximumEvent)
	}
	return nil
}

// CheckEvents reports ErrInvalid unless the events can be said in one step: at most MaximumEvents, each with an ID of its own.
func CheckEvents(events []Event) error {
	if len(events) > MaximumEvents {
		return fmt.Errorf("%w: %d events at once, want at most %d", ErrInvalid, len(events), MaximumEvents)
	}
	ids := make(map[string]bool, len(events))
	for _, event := range events {
		if err := event.Validate(); err != nil {
			return err
		}
		if ids[event.ID] {
			return fmt.Errorf("%w: two events %s at once", ErrInvalid, event.ID)
		}
		ids[event.ID] = true
	}
	return nil
}

// CheckSaid reports ErrInvalid unless these can be arguments of Events.Said.
func CheckSaid(day, after time.Time, afterID string, limit int) error {
	if err := errors.Join(CheckTime("the day of events", day), CheckListed(limit)); err != nil {
		return err
	}
	if !after.IsZero() {
		if err := CheckTime("the time of an event", after); err != nil {
			return err
		}
	}
	if afterID != "" {
		return CheckID("event", afterID)
	}
	return nil
}

// Events is the log of what was said together with the change that it tells of, so that neither is there without the other. It is
// written by the ports that make those changes, and so is Outbox. An event of the same time and ID is kept once, as it was said last.
type Events interface {
	// Said lists at most limit (1 to MaximumListed) events of a UTC day, in order of time and then of ID, that come after the one of
	// the given time and ID, whether that one is there or not (the zero time for the first). An empty ID comes before all of its time.
	Said(ctx context.Context, day, after time.Time, afterID string, limit int) ([]Event, error)
}
