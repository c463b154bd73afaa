package embedded

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Peers returns the peer sets of the file.
func (s *Store) Peers() store.Peers { return peers{s} }

type peers struct{ store *Store }

type peersRow struct {
	At   time.Time `json:"at"`
	Data []byte    `json:"data"`
}

func (p peers) PutPeers(ctx context.Context, chain string, set store.PeerSet) error {
	if err := errors.Join(store.CheckID("chain", chain), set.Validate()); err != nil {
		return err
	}
	row, err := json.Marshal(peersRow{At: set.At.UTC(), Data: set.Data})
	if err != nil {
		return fmt.Errorf("write peers of %s: %w", chain, err)
	}
	return p.store.write(ctx, func(tx *bbolt.Tx) error {
		kept, err := peersOf(tx, chain)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		if err == nil && !set.At.After(kept.At) {
			return nil
		}
		return tx.Bucket(bucketPeers).Put([]byte(chain), row)
	})
}

func (p peers) PeersOf(ctx context.Context, chain string) (store.PeerSet, error) {
	var set store.PeerSet
	if err := store.CheckID("chain", chain); err != nil {
		return set, err
	}
	err := p.store.read(ctx, func(tx *bbolt.Tx) (err error) {
		set, err = peersOf(tx, chain)
		return err
	})
	return set, err
}

func peersOf(tx *bbolt.Tx, chain string) (store.PeerSet, error) {
	data := tx.Bucket(bucketPeers).Get([]byte(chain))
	if data == nil {
		return store.PeerSet{}, fmt.Errorf("peers of %s: %w", chain, store.ErrNotFound)
	}
	var row peersRow
	if err := json.Unmarshal(data, &row); err != nil {
		return store.PeerSet{}, fmt.Errorf("read peers of %s: %w", chain, err)
	}
	return store.PeerSet{At: row.At, Data: row.Data}, nil
}
