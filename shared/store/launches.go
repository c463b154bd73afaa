package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// MaximumLaunch is the largest Data of a launch, in bytes.
	MaximumLaunch = 32 << 10
	// LaunchLife is how long a launch can be listed at least, from its time on.
	LaunchLife = 200 * 24 * time.Hour
)

// Launch is a token that came to market: first only that it did, later also what became of it.
type Launch struct {
	Chain, Token string
	// At is when its first pool was made.
	At time.Time
	// Data is what is known from the launch itself.
	Data []byte
	// ExaminedAt is when its outcome was written, zero before; Outcome is what became of it.
	ExaminedAt time.Time
	Outcome    []byte
}

// Validate reports ErrInvalid if the launch cannot be kept.
func (l Launch) Validate() error {
	if err := CheckToken(l.Chain, l.Token); err != nil {
		return err
	}
	if err := CheckTime("the time of a launch", l.At); err != nil {
		return err
	}
	switch {
	case len(l.Data) == 0 || len(l.Data) > MaximumLaunch || len(l.Outcome) > MaximumLaunch:
		return fmt.Errorf("%w: a launch of %d and %d bytes, want 1 to %d", ErrInvalid, len(l.Data), len(l.Outcome), MaximumLaunch)
	case l.ExaminedAt.IsZero() != (len(l.Outcome) == 0):
		return fmt.Errorf("%w: a launch is examined when it has an outcome", ErrInvalid)
	}
	return nil
}

// CheckLaunches reports ErrInvalid unless the launches can be registered for a UTC day of a chain, and the note be written.
func CheckLaunches(chain string, day time.Time, launches []Launch, knownUntil time.Time) error {
	if err := errors.Join(CheckLaunchDay(chain, day), CheckTime("up to when launches are known", knownUntil)); err != nil {
		return err
	}
	for _, launch := range launches {
		if err := launch.Validate(); err != nil {
			return err
		}
		switch {
		case launch.Chain != chain || !sameDay(launch.At, day):
			return fmt.Errorf("%w: a launch on %s at %v among those of %s on %s",
				ErrInvalid, launch.Chain, launch.At, chain, day.UTC().Format(time.DateOnly))
		case !launch.ExaminedAt.IsZero():
			return fmt.Errorf("%w: launch %s on %s is registered with an outcome", ErrInvalid, launch.Token, chain)
		}
	}
	return nil
}

// CheckExamined reports ErrInvalid unless the launch can be kept and has an outcome.
func CheckExamined(launch Launch) error {
	if err := launch.Validate(); err != nil {
		return err
	}
	if launch.ExaminedAt.IsZero() {
		return fmt.Errorf("%w: launch %s on %s is examined without an outcome", ErrInvalid, launch.Token, launch.Chain)
	}
	return CheckTime("the time of an examination", launch.ExaminedAt)
}

// CheckLaunchDay reports ErrInvalid unless both can name a day of launches.
func CheckLaunchDay(chain string, day time.Time) error {
	return errors.Join(CheckID("chain", chain), CheckTime("the day of launches", day))
}

func sameDay(a, b time.Time) bool {
	return a.UTC().Format(time.DateOnly) == b.UTC().Format(time.DateOnly)
}

// Launches keeps the launches of each chain by the UTC day. Any time of a day names it.
type Launches interface {
	// Register adds launches of one UTC day that have no outcome yet, each unless the day has one of that token, and then notes up to
	// when what is known of the day's launches reaches. The note never goes back. A call that was cut short can be repeated.
	Register(ctx context.Context, chain string, day time.Time, launches []Launch, knownUntil time.Time) error
	// KnownUntil is what Register noted last of a day; the zero time when nobody looked.
	KnownUntil(ctx context.Context, chain string, day time.Time) (time.Time, error)
	// OfDay lists the launches of a UTC day by token.
	OfDay(ctx context.Context, chain string, day time.Time) ([]Launch, error)
	// Examine writes the outcome of a launch that is registered for the day of its time, the first time only; what is known from
	// the launch itself stays. ErrNotFound: it is not registered. ErrConflict: its outcome is known.
	Examine(ctx context.Context, launch Launch) error
}
