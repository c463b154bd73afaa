package dynamo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Keys returns the partners and keys of the tables.
func (s *Store) Keys() store.Keys { return keys{s} }

type keys struct{ *Store }

type partnerRow struct {
	Partition string    `dynamo:"pk"`
	ID        string    `dynamo:"sk"`
	Name      string    `dynamo:"name,allowempty"`
	PerMinute int       `dynamo:"perMinute"`
	Burst     int       `dynamo:"burst"`
	CreatedAt time.Time `dynamo:"createdAt"`
}

type keyRow struct {
	Partition string    `dynamo:"pk"`
	Sort      string    `dynamo:"sk"`
	ID        string    `dynamo:"id"`
	PartnerID string    `dynamo:"partner"`
	Mode      string    `dynamo:"mode"`
	Hash      []byte    `dynamo:"hash"`
	Label     string    `dynamo:"label,allowempty"`
	CreatedAt time.Time `dynamo:"createdAt"`
	RevokedAt time.Time `dynamo:"revokedAt,omitempty"`
}

// keyOfRow says that a key is a partner's.
type keyOfRow struct {
	Partition string `dynamo:"pk"`
	Sort      string `dynamo:"sk"`
}

const (
	allPartners = "PARTNERS"
	keySort     = "KEY"
	keyOfPrefix = "KEY#"
)

func partnerKey(id string) rowKey       { return rowKey{allPartners, id} }
func keyKey(id string) rowKey           { return rowKey{"KEY#" + id, keySort} }
func partnerPartition(id string) string { return "PARTNER#" + id }
func liveKeysKey(partnerID string) rowKey {
	return rowKey{partnerPartition(partnerID), "LIVEKEYS"}
}

// A partner is written in a transaction of one, although a conditional put would do: DynamoDB knows a repeated transaction by its
// token, so that one whose answer was lost is not taken for a second partner of that id.
func (k keys) CreatePartner(ctx context.Context, partner store.Partner) error {
	if err := errors.Join(ctx.Err(), partner.Validate()); err != nil {
		return err
	}
	err := retryConflicts(ctx, func() error {
		return k.db.WriteTx().Put(k.records.Put(partnerRow{
			Partition: allPartners, ID: partner.ID, Name: partner.Name,
			PerMinute: partner.Limit.PerMinute, Burst: partner.Limit.Burst, CreatedAt: partner.CreatedAt.UTC(),
		}).If(notThere)).Run(ctx)
	})
	switch {
	case failedCondition(err) >= 0:
		return fmt.Errorf("partner %s: %w", partner.ID, store.ErrConflict)
	case err != nil:
		return fmt.Errorf("create partner %s: %w", partner.ID, err)
	}
	return nil
}

func (k keys) Partner(ctx context.Context, id string) (store.Partner, error) {
	if err := errors.Join(ctx.Err(), store.CheckID("partner id", id)); err != nil {
		return store.Partner{}, err
	}
	var row partnerRow
	err := get(k.records, partnerKey(id)).One(ctx, &row)
	switch {
	case errors.Is(err, dynamo.ErrNotFound):
		return store.Partner{}, fmt.Errorf("partner %s: %w", id, store.ErrNotFound)
	case err != nil:
		return store.Partner{}, fmt.Errorf("read partner %s: %w", id, err)
	}
	return row.partner(), nil
}

func (k keys) Partners(ctx context.Context) ([]store.Partner, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var rows []partnerRow
	if err := k.records.Get(partitionKey, allPartners).Consistent(true).All(ctx, &rows); err != nil {
		return nil, fmt.Errorf("read partners: %w", err)
	}
	partners := make([]store.Partner, 0, len(rows))
	for _, row := range rows {
		partners = append(partners, row.partner())
	}
	return partners, nil
}

func (k keys) SetLimit(ctx context.Context, id string, limit store.Limit) error {
	if err := errors.Join(ctx.Err(), store.CheckID("partner id", id), limit.Validate()); err != nil {
		return err
	}
	err := retryConflicts(ctx, func() error {
		return update(k.records, partnerKey(id)).Set("perMinute", limit.PerMinute).Set("burst", limit.Burst).
			If("attribute_exists(pk)").Run(ctx)
	})
	switch {
	case dynamo.IsCondCheckFailed(err):
		return fmt.Errorf("partner %s: %w", id, store.ErrNotFound)
	case err != nil:
		return fmt.Errorf("set limit of partner %s: %w", id, err)
	}
	return nil
}

func (k keys) AddKey(ctx context.Context, key store.Key) error {
	if err := errors.Join(ctx.Err(), key.Validate()); err != nil {
		return err
	}
	partner, row, live := partnerKey(key.PartnerID), keyKey(key.ID), liveKeysKey(key.PartnerID)
	err := retryConflicts(ctx, func() error {
		return k.db.WriteTx(). // in the order in which the port lists what refuses a key
					Check(k.records.Check(partitionKey, partner.partition).Range(sortKey, partner.sort).IfExists()).
					Put(k.records.Put(keyRow{
				Partition: row.partition, Sort: row.sort, ID: key.ID, PartnerID: key.PartnerID, Mode: key.Mode,
				Hash: key.Hash, Label: key.Label, CreatedAt: key.CreatedAt.UTC(),
			}).If(notThere)).
			Update(update(k.records, live).Add(key.Mode, 1).
				If("attribute_not_exists($) OR $ < ?", key.Mode, key.Mode, store.MaxLiveKeys)).
			Put(k.records.Put(keyOfRow{Partition: partnerPartition(key.PartnerID), Sort: keyOfPrefix + key.ID})).
			Run(ctx)
	})
	if err == nil {
		return nil
	}
	switch failedCondition(err) {
	case 0:
		return fmt.Errorf("partner %s: %w", key.PartnerID, store.ErrNotFound)
	case 1:
		return fmt.Errorf("key %s: %w", key.ID, store.ErrConflict)
	case 2:
		return fmt.Errorf("partner %s, mode %s: %w", key.PartnerID, key.Mode, store.ErrTooManyKeys)
	}
	return fmt.Errorf("add key %s: %w", key.ID, err)
}

func (k keys) Key(ctx context.Context, id string) (store.Key, error) {
	if err := errors.Join(ctx.Err(), store.CheckID("key id", id)); err != nil {
		return store.Key{}, err
	}
	var row keyRow
	err := get(k.records, keyKey(id)).One(ctx, &row)
	switch {
	case errors.Is(err, dynamo.ErrNotFound):
		return store.Key{}, fmt.Errorf("key %s: %w", id, store.ErrNotFound)
	case err != nil:
		return store.Key{}, fmt.Errorf("read key %s: %w", id, err)
	}
	return row.key(), nil
}

func (k keys) KeysOf(ctx context.Context, partnerID string) ([]store.Key, error) {
	if _, err := k.Partner(ctx, partnerID); err != nil {
		return nil, err
	}
	var of []keyOfRow
	err := k.records.Get(partitionKey, partnerPartition(partnerID)).Range(sortKey, dynamo.BeginsWith, keyOfPrefix).
		Consistent(true).All(ctx, &of)
	if err != nil {
		return nil, fmt.Errorf("read keys of partner %s: %w", partnerID, err)
	}
	wanted := make([]dynamo.Keyed, 0, len(of))
	for _, row := range of {
		wanted = append(wanted, keyKey(strings.TrimPrefix(row.Sort, keyOfPrefix)))
	}
	keys := make([]store.Key, 0, len(of))
	if len(wanted) == 0 {
		return keys, nil
	}
	var rows []keyRow
	if err := k.records.Batch(partitionKey, sortKey).Get(wanted...).Consistent(true).All(ctx, &rows); err != nil {
		return nil, fmt.Errorf("read keys of partner %s: %w", partnerID, err)
	}
	for _, row := range rows {
		keys = append(keys, row.key())
	}
	slices.SortFunc(keys, func(a, b store.Key) int { return strings.Compare(a.ID, b.ID) })
	return keys, nil
}

func (k keys) RevokeKey(ctx context.Context, id string, at time.Time) error {
	if err := store.CheckTime("revocation of key "+id, at); err != nil {
		return err
	}
	key, err := k.Key(ctx, id)
	if err != nil || !key.Live() {
		return err
	}
	err = retryConflicts(ctx, func() error {
		return k.db.WriteTx().
			Update(update(k.records, keyKey(id)).Set("revokedAt", at.UTC()).If("attribute_not_exists(revokedAt)")).
			Update(update(k.records, liveKeysKey(key.PartnerID)).Add(key.Mode, -1)).
			Run(ctx)
	})
	if failedCondition(err) >= 0 {
		return nil // somebody else was first
	}
	if err != nil {
		return fmt.Errorf("revoke key %s: %w", id, err)
	}
	return nil
}

func (r partnerRow) partner() store.Partner {
	return store.Partner{
		ID: r.ID, Name: r.Name, Limit: store.Limit{PerMinute: r.PerMinute, Burst: r.Burst}, CreatedAt: r.CreatedAt,
	}
}

func (r keyRow) key() store.Key {
	return store.Key{
		ID: r.ID, PartnerID: r.PartnerID, Mode: r.Mode, Hash: r.Hash, Label: r.Label, CreatedAt: r.CreatedAt, RevokedAt: r.RevokedAt,
	}
}
