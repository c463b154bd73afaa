package dynamo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Peers returns the peer sets of the tables.
func (s *Store) Peers() store.Peers { return peers{s} }

type peers struct{ *Store }

// peersRow has its time as a text that sorts as the times do, which a condition can compare to the nanosecond.
type peersRow struct {
	Partition string `dynamo:"pk"`
	Sort      string `dynamo:"sk"`
	At        string `dynamo:"at"`
	Data      []byte `dynamo:"data"`
}

func peersKey(chain string) rowKey { return rowKey{"PEERS#" + chain, "PEERS"} }

func (p peers) PutPeers(ctx context.Context, chain string, set store.PeerSet) error {
	if err := errors.Join(ctx.Err(), store.CheckID("chain", chain), set.Validate()); err != nil {
		return err
	}
	key, at := peersKey(chain), sortableTime(set.At)
	err := p.records.Put(peersRow{Partition: key.partition, Sort: key.sort, At: at, Data: set.Data}).
		If("attribute_not_exists(pk) OR $ < ?", "at", at).Run(ctx)
	if err != nil && !dynamo.IsCondCheckFailed(err) {
		return fmt.Errorf("write peers of %s: %w", chain, err)
	}
	return nil
}

func (p peers) PeersOf(ctx context.Context, chain string) (store.PeerSet, error) {
	if err := errors.Join(ctx.Err(), store.CheckID("chain", chain)); err != nil {
		return store.PeerSet{}, err
	}
	var row peersRow
	err := get(p.records, peersKey(chain)).One(ctx, &row)
	switch {
	case errors.Is(err, dynamo.ErrNotFound):
		return store.PeerSet{}, fmt.Errorf("peers of %s: %w", chain, store.ErrNotFound)
	case err != nil:
		return store.PeerSet{}, fmt.Errorf("read peers of %s: %w", chain, err)
	}
	at, err := time.Parse(sortedTime, row.At)
	if err != nil {
		return store.PeerSet{}, fmt.Errorf("read peers of %s: %w", chain, err)
	}
	return store.PeerSet{At: at, Data: row.Data}, nil
}
