package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// History names a sequence of snapshots: what one partner has seen of one token on one chain.
type History struct{ Partner, Chain, Token string }

// Snapshot is what was seen at one scan. Versions of a history count from 1 without gaps.
type Snapshot struct {
	Version uint64
	At      time.Time
	Data    []byte
}

// MaximumSnapshot is the largest Data of a snapshot, in bytes.
const MaximumSnapshot = 16 << 10

// SnapshotLife is how long a snapshot can be listed: those that are this much older than the latest are not. The latest of a
// history is kept for good.
const SnapshotLife = 30 * 24 * time.Hour

// MaximumListed is the largest limit of a list, where a port says nothing else.
const MaximumListed = 100

// Validate reports ErrInvalid if a part of the name cannot be a part of a key.
func (h History) Validate() error {
	return errors.Join(CheckID("partner id", h.Partner), CheckID("chain", h.Chain), CheckID("token", h.Token))
}

// Validate reports ErrInvalid if the snapshot cannot be kept.
func (s Snapshot) Validate() error {
	if s.Version == 0 {
		return fmt.Errorf("%w: snapshot of version 0, versions count from 1", ErrInvalid)
	}
	return errors.Join(CheckTime("snapshot", s.At), checkData("snapshot", s.Data, MaximumSnapshot))
}

// CheckListed reports ErrInvalid unless limit is 1 to MaximumListed.
func CheckListed(limit int) error {
	if limit < 1 || limit > MaximumListed {
		return fmt.Errorf("%w: list of %d, want 1 to %d", ErrInvalid, limit, MaximumListed)
	}
	return nil
}

// Snapshots keeps histories.
type Snapshots interface {
	// Latest is a history's newest snapshot; ErrNotFound when it has none.
	Latest(ctx context.Context, history History) (Snapshot, error)
	// Append adds a snapshot whose Version must be one more than the latest's, 1 for the first: ErrConflict when another one was
	// added meanwhile, and nothing is changed. Of any number of callers at once, exactly one adds a version.
	Append(ctx context.Context, history History, snapshot Snapshot) error
	// List gives at most limit snapshots (1 to MaximumListed), newest first; none for a history that has none.
	List(ctx context.Context, history History, limit int) ([]Snapshot, error)
}
