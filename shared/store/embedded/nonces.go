package embedded

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Nonces returns the nonces of the file.
func (s *Store) Nonces() store.Nonces { return nonces{s} }

type nonces struct{ store *Store }

type nonceRow struct {
	Holder string    `json:"holder"`
	Until  time.Time `json:"until"`
}

func (n nonces) Claim(ctx context.Context, scope, nonce, holder string, until, now time.Time) error {
	if err := store.CheckClaim(scope, nonce, holder, until, now); err != nil {
		return err
	}
	key := joinKey(scope, nonce)
	return n.store.decide(ctx, func(tx *bbolt.Tx) (refusal, err error) {
		rows, order := tx.Bucket(bucketNonces), tx.Bucket(bucketNoncesUntil)
		var kept nonceRow
		found, err := readRow(rows, "nonce", key, &kept)
		switch {
		case err != nil:
			return nil, err
		case found && now.Before(kept.Until) && kept.Holder == holder:
			return nil, nil
		case found && now.Before(kept.Until):
			return fmt.Errorf("nonce %s of %s: %w", nonce, scope, store.ErrConflict), nil
		case found:
			if err := order.Delete(timedKey(kept.Until, key)); err != nil {
				return nil, err
			}
		}
		return nil, errors.Join(
			forget(order, rows, now.Add(-store.NonceMargin)),
			writeRow(rows, "nonce", key, nonceRow{Holder: holder, Until: until.UTC()}),
			order.Put(timedKey(until, key), nil))
	})
}
