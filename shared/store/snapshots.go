package store

import (
	"context"
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

// SnapshotLife is how long a snapshot that is no longer the latest can be listed. The latest of a history is kept for good.
const SnapshotLife = 30 * 24 * time.Hour

// Snapshots keeps histories.
type Snapshots interface {
	// Latest is a history's newest snapshot; ErrNotFound when it has none.
	Latest(ctx context.Context, history History) (Snapshot, error)
	// Append adds a snapshot whose Version must be one more than the latest's, 1 for the first: ErrConflict when another one was
	// added meanwhile, and nothing is changed. Of any number of callers at once, exactly one adds a version.
	Append(ctx context.Context, history History, snapshot Snapshot) error
	// List gives at most limit snapshots, newest first.
	List(ctx context.Context, history History, limit int) ([]Snapshot, error)
}
