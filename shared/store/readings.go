package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// MaximumReading is the largest Data of a reading, in bytes.
const MaximumReading = 128 << 10

// Reading is how far a leader's trades have been read, and what must be known to go on.
type Reading struct {
	Of FollowedLeader
	// Version counts what was written of it, from 1; 0 before anything was.
	Version int64
	At      time.Time
	Data    []byte
}

// Validate reports ErrInvalid if the reading cannot be kept.
func (r Reading) Validate() error {
	if err := errors.Join(r.Of.Validate(), CheckTime("the time of a reading", r.At), checkData("a reading", r.Data, MaximumReading)); err != nil {
		return err
	}
	if r.Version < 1 {
		return fmt.Errorf("%w: version %d of a reading, want 1 or more", ErrInvalid, r.Version)
	}
	return nil
}

// Readings keeps how far each followed leader's trades have been read.
type Readings interface {
	// Reading returns that of a leader; one of version 0 before the first.
	Reading(ctx context.Context, leader FollowedLeader) (Reading, error)
	// Keep replaces the reading of the version before. ErrConflict: what is kept is of another version.
	Keep(ctx context.Context, reading Reading) error
}
