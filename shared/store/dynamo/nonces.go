package dynamo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Nonces returns the nonces of the tables.
func (s *Store) Nonces() store.Nonces { return nonces{s} }

type nonces struct{ *Store }

type nonceRow struct {
	Partition string `dynamo:"pk"`
	Sort      string `dynamo:"sk"`
	Holder    string `dynamo:"holder"`
	Until     string `dynamo:"until"`
	ExpiresAt int64  `dynamo:"expiresAt"`
}

// Claim is one write on the condition that nobody holds the nonce. A refused write brings back the row that refused it: it can be the
// holder's own, whose answer was lost.
func (n nonces) Claim(ctx context.Context, scope, nonce, holder string, until, now time.Time) error {
	if err := errors.Join(ctx.Err(), store.CheckClaim(scope, nonce, holder, until, now)); err != nil {
		return err
	}
	row := nonceRow{
		Partition: "NONCE#" + scope + "#" + nonce, Sort: "NONCE", Holder: holder, Until: sortableTime(until),
		ExpiresAt: until.Add(store.NonceMargin).Unix() + 1,
	}
	err := retryConflicts(ctx, func() error {
		return n.records.Put(row).If("attribute_not_exists(pk) OR $ <= ?", "until", sortableTime(now)).IncludeItemInCondCheckFail(true).Run(ctx)
	})
	if err == nil {
		return nil
	}
	var kept nonceRow
	if _, err := refused(err, &kept); err != nil {
		return fmt.Errorf("claim nonce %s of %s: %w", nonce, scope, err)
	}
	if kept.Holder != holder {
		return fmt.Errorf("nonce %s of %s: %w", nonce, scope, store.ErrConflict)
	}
	return nil
}
