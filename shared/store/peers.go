package store

import (
	"context"
	"errors"
	"time"
)

// PeerSet is the statistics of the tokens of one chain that others are compared with, or of the buyers of all chains.
type PeerSet struct {
	At   time.Time
	Data []byte
}

// MaximumPeerSet is the largest Data of a peer set, in bytes.
const MaximumPeerSet = 256 << 10

// Validate reports ErrInvalid if the set cannot be kept.
func (p PeerSet) Validate() error {
	return errors.Join(CheckTime("peer set", p.At), checkData("peer set", p.Data, MaximumPeerSet))
}

// Peers keeps the latest peer set of each chain, and of what else has one, under a name that is no chain's.
type Peers interface {
	// PutPeers replaces a chain's set, unless the one that is kept is of the same time or newer: then nothing changes.
	PutPeers(ctx context.Context, chain string, set PeerSet) error
	// PeersOf is a chain's set; ErrNotFound before the first.
	PeersOf(ctx context.Context, chain string) (PeerSet, error)
}
