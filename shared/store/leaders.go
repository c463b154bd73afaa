package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Group is the leaders that are graded by one method in one place: spot traders of a chain, or traders of a venue.
type Group struct {
	// Kind is the method, like "spot"; Place is a chain's slug or a venue's name.
	Kind, Place string
}

// Validate reports ErrInvalid if a part of the name cannot be a part of a key.
func (g Group) Validate() error {
	if err := CheckID("kind", g.Kind); err != nil {
		return err
	}
	return CheckID("place", g.Place)
}

// MaximumFinding and MaximumGrading bound the Data of findings and gradings, in bytes; MaximumSources is how many sources can have
// found a leader, MaximumLeaders how many leaders can be listed at once.
const (
	MaximumFinding = 16 << 10
	MaximumGrading = 32 << 10
	MaximumSources = 8
	MaximumLeaders = 1_000
)

// Finding says that a source found a leader, and how.
type Finding struct {
	// Source names the way in which it was found, like "early-buyer".
	Source string
	At     time.Time
	Data   []byte
}

// Validate reports ErrInvalid if the finding cannot be kept.
func (f Finding) Validate() error {
	if err := CheckID("source", f.Source); err != nil {
		return err
	}
	if err := CheckTime("the time of a finding", f.At); err != nil {
		return err
	}
	if len(f.Data) > MaximumFinding {
		return fmt.Errorf("%w: a finding of %d bytes, want at most %d", ErrInvalid, len(f.Data), MaximumFinding)
	}
	return nil
}

// Grading is what was made of a leader at one time.
type Grading struct {
	At time.Time
	// Pass is the pass in which it was graded.
	Pass string
	// Grade and Verdict are short words; Grade is empty when unrated.
	Grade, Verdict string
	Data           []byte
}

// Validate reports ErrInvalid if the grading cannot be kept.
func (g Grading) Validate() error {
	if err := CheckTime("the time of a grading", g.At); err != nil {
		return err
	}
	if err := CheckID("pass", g.Pass); err != nil {
		return err
	}
	switch {
	case len(g.Grade) > 16 || len(g.Verdict) == 0 || len(g.Verdict) > 32:
		return fmt.Errorf("%w: grade %q, verdict %q", ErrInvalid, g.Grade, g.Verdict)
	case len(g.Data) == 0 || len(g.Data) > MaximumGrading:
		return fmt.Errorf("%w: a grading of %d bytes, want 1 to %d", ErrInvalid, len(g.Data), MaximumGrading)
	}
	return nil
}

// Leader is a trader that is graded again and again.
type Leader struct {
	Group   Group
	Address string
	// FoundAt is when it was first found; Findings has the newest of each source, by the source's name.
	FoundAt  time.Time
	Findings []Finding
	// Grading is the newest; its time is zero before the first.
	Grading Grading
}

// CheckLeader reports ErrInvalid unless both can name a leader.
func CheckLeader(group Group, address string) error {
	return errors.Join(group.Validate(), CheckID("address", address))
}

// CheckGrade reports ErrInvalid unless these can be arguments of Leaders.Grade.
func CheckGrade(group Group, address string, since time.Time, grading Grading, events []Event) error {
	var err error
	if !since.IsZero() {
		err = CheckTime("since when a grading is kept", since)
	}
	return errors.Join(err, CheckLeader(group, address), grading.Validate(), CheckEvents(events))
}

// CheckLeaders reports ErrInvalid unless these can be arguments of Leaders.List.
func CheckLeaders(group Group, from, to string, limit int) error {
	if limit < 1 || limit > MaximumLeaders {
		return fmt.Errorf("%w: list of %d leaders, want 1 to %d", ErrInvalid, limit, MaximumLeaders)
	}
	for _, end := range []string{from, to} {
		if end != "" {
			if err := CheckID("address", end); err != nil {
				return err
			}
		}
	}
	return group.Validate()
}

// Leaders keeps the traders that boards are made of.
type Leaders interface {
	// Find adds a leader, or replaces what its source found of it before; an older finding of the same source changes nothing (one of
	// the same time replaces it), and none ever touches FoundAt of a known leader (the time of its first finding here) or its
	// grading. ErrInvalid: a leader would have more than MaximumSources.
	Find(ctx context.Context, group Group, address string, finding Finding) error
	// Leader returns one. ErrNotFound: nobody found it.
	Leader(ctx context.Context, group Group, address string) (Leader, error)
	// List gives at most limit (1 to MaximumLeaders) leaders of a group with addresses from one (inclusive; empty for the first) up to
	// another (exclusive; empty for no end), in the order of their bytes.
	List(ctx context.Context, group Group, from, to string, limit int) ([]Leader, error)
	// Grade replaces the grading that a leader has had since a time (the zero time for none) by a newer one, and adds the events
	// (CheckEvents) to the outbox in the same step: they tell of the change from the one to the other. ErrNotFound: there is no such
	// leader. ErrConflict: the grading that is kept is of another time than since, or as new as the new one or newer; nothing is changed
	// then, and no event is added.
	Grade(ctx context.Context, group Group, address string, since time.Time, grading Grading, events ...Event) error
	// Remove forgets a leader and its grading, unless a source has found it after a time. Removing one that is not there is no error,
	// and neither is keeping one.
	Remove(ctx context.Context, group Group, address string, notFoundSince time.Time) error
}
