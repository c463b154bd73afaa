package store

import (
	"context"
	"errors"
	"time"
)

// Observation is what was measured of a token at one time, whoever asked.
type Observation struct {
	At   time.Time
	Data []byte
}

// MaximumObservation is the largest Data of an observation, in bytes. ObservationLife is how long it can be read: those that are
// this much older than the token's newest cannot.
const (
	MaximumObservation = 4 << 10
	ObservationLife    = 30 * 24 * time.Hour
)

// Validate reports ErrInvalid if the observation cannot be kept.
func (o Observation) Validate() error {
	return errors.Join(CheckTime("observation", o.At), checkData("observation", o.Data, MaximumObservation))
}

// CheckToken reports ErrInvalid unless both can be parts of a key.
func CheckToken(chain, token string) error {
	return errors.Join(CheckID("chain", chain), CheckID("token", token))
}

// Observations keeps a series of measurements for each token, one for each hour of the clock.
type Observations interface {
	// Observe keeps the first observation of a token in its hour (UTC). Later ones of the same hour change nothing.
	Observe(ctx context.Context, chain, token string, observation Observation) error
	// Observed lists a token's observations from a time (inclusive) on, oldest first.
	Observed(ctx context.Context, chain, token string, from time.Time) ([]Observation, error)
}
