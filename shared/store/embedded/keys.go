package embedded

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Keys returns the partners and keys of the file.
func (s *Store) Keys() store.Keys { return keys{s} }

type keys struct{ store *Store }

// partnerRow and keyRow are the rows as they stand in the file; the names in it never change.
type partnerRow struct {
	Name      string    `json:"name"`
	PerMinute int       `json:"perMinute"`
	Burst     int       `json:"burst"`
	CreatedAt time.Time `json:"createdAt"`
}

type keyRow struct {
	PartnerID string    `json:"partner"`
	Mode      string    `json:"mode"`
	Hash      []byte    `json:"hash"`
	Label     string    `json:"label,omitempty"`
	CreatedAt time.Time `json:"createdAt"`
	RevokedAt time.Time `json:"revokedAt,omitzero"`
}

func (k keys) CreatePartner(ctx context.Context, partner store.Partner) error {
	if err := partner.Validate(); err != nil {
		return err
	}
	return k.store.write(ctx, func(tx *bbolt.Tx) error {
		if tx.Bucket(bucketPartners).Get([]byte(partner.ID)) != nil {
			return fmt.Errorf("partner %s: %w", partner.ID, store.ErrConflict)
		}
		return putPartner(tx, partner)
	})
}

func (k keys) Partner(ctx context.Context, id string) (store.Partner, error) {
	var partner store.Partner
	if err := store.CheckID("partner id", id); err != nil {
		return partner, err
	}
	err := k.store.read(ctx, func(tx *bbolt.Tx) (err error) {
		partner, err = getPartner(tx, id)
		return err
	})
	return partner, err
}

func (k keys) Partners(ctx context.Context) ([]store.Partner, error) {
	partners := []store.Partner{}
	err := k.store.read(ctx, func(tx *bbolt.Tx) error {
		return tx.Bucket(bucketPartners).ForEach(func(id, row []byte) error {
			partner, err := decodePartner(string(id), row)
			partners = append(partners, partner)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	return partners, nil
}

func (k keys) SetLimit(ctx context.Context, id string, limit store.Limit) error {
	if err := store.CheckID("partner id", id); err != nil {
		return err
	}
	if err := limit.Validate(); err != nil {
		return err
	}
	return k.store.write(ctx, func(tx *bbolt.Tx) error {
		partner, err := getPartner(tx, id)
		if err != nil {
			return err
		}
		partner.Limit = limit
		return putPartner(tx, partner)
	})
}

func (k keys) AddKey(ctx context.Context, key store.Key) error {
	if err := key.Validate(); err != nil {
		return err
	}
	return k.store.write(ctx, func(tx *bbolt.Tx) error {
		of, err := keysOf(tx, key.PartnerID)
		if err != nil {
			return err
		}
		if tx.Bucket(bucketKeys).Get([]byte(key.ID)) != nil {
			return fmt.Errorf("key %s: %w", key.ID, store.ErrConflict)
		}
		live := 0
		for _, other := range of {
			if other.Mode == key.Mode && other.Live() {
				live++
			}
		}
		if live >= store.MaxLiveKeys {
			return fmt.Errorf("partner %s, mode %s: %w", key.PartnerID, key.Mode, store.ErrTooManyKeys)
		}
		if err := putKey(tx, key); err != nil {
			return err
		}
		return tx.Bucket(bucketKeysOf).Put(joinKey(key.PartnerID, key.ID), []byte(key.Mode))
	})
}

func (k keys) Key(ctx context.Context, id string) (store.Key, error) {
	var key store.Key
	if err := store.CheckID("key id", id); err != nil {
		return key, err
	}
	err := k.store.read(ctx, func(tx *bbolt.Tx) (err error) {
		key, err = getKey(tx, id)
		return err
	})
	return key, err
}

func (k keys) KeysOf(ctx context.Context, partnerID string) ([]store.Key, error) {
	if err := store.CheckID("partner id", partnerID); err != nil {
		return nil, err
	}
	var of []store.Key
	err := k.store.read(ctx, func(tx *bbolt.Tx) (err error) {
		of, err = keysOf(tx, partnerID)
		return err
	})
	return of, err
}

func (k keys) RevokeKey(ctx context.Context, id string, at time.Time) error {
	if err := store.CheckID("key id", id); err != nil {
		return err
	}
	if err := store.CheckTime("revocation of key "+id, at); err != nil {
		return err
	}
	return k.store.write(ctx, func(tx *bbolt.Tx) error {
		key, err := getKey(tx, id)
		if err != nil || !key.Live() {
			return err
		}
		key.RevokedAt = at
		return putKey(tx, key)
	})
}

func getPartner(tx *bbolt.Tx, id string) (store.Partner, error) {
	row := tx.Bucket(bucketPartners).Get([]byte(id))
	if row == nil {
		return store.Partner{}, fmt.Errorf("partner %s: %w", id, store.ErrNotFound)
	}
	return decodePartner(id, row)
}

func decodePartner(id string, data []byte) (store.Partner, error) {
	var row partnerRow
	if err := json.Unmarshal(data, &row); err != nil {
		return store.Partner{}, fmt.Errorf("read partner %s: %w", id, err)
	}
	return store.Partner{
		ID: id, Name: row.Name, Limit: store.Limit{PerMinute: row.PerMinute, Burst: row.Burst}, CreatedAt: row.CreatedAt,
	}, nil
}

func putPartner(tx *bbolt.Tx, partner store.Partner) error {
	row, err := json.Marshal(partnerRow{
		Name: partner.Name, PerMinute: partner.Limit.PerMinute, Burst: partner.Limit.Burst, CreatedAt: partner.CreatedAt.UTC(),
	})
	if err != nil {
		return fmt.Errorf("write partner %s: %w", partner.ID, err)
	}
	return tx.Bucket(bucketPartners).Put([]byte(partner.ID), row)
}

func getKey(tx *bbolt.Tx, id string) (store.Key, error) {
	data := tx.Bucket(bucketKeys).Get([]byte(id))
	if data == nil {
		return store.Key{}, fmt.Errorf("key %s: %w", id, store.ErrNotFound)
	}
	var row keyRow
	if err := json.Unmarshal(data, &row); err != nil {
		return store.Key{}, fmt.Errorf("read key %s: %w", id, err)
	}
	return store.Key{
		ID: id, PartnerID: row.PartnerID, Mode: row.Mode, Hash: row.Hash, Label: row.Label,
		CreatedAt: row.CreatedAt, RevokedAt: row.RevokedAt,
	}, nil
}

func putKey(tx *bbolt.Tx, key store.Key) error {
	row, err := json.Marshal(keyRow{
		PartnerID: key.PartnerID, Mode: key.Mode, Hash: key.Hash, Label: key.Label,
		CreatedAt: key.CreatedAt.UTC(), RevokedAt: key.RevokedAt.UTC(),
	})
	if err != nil {
		return fmt.Errorf("write key %s: %w", key.ID, err)
	}
	return tx.Bucket(bucketKeys).Put([]byte(key.ID), row)
}

// keysOf returns a partner's keys by id, or ErrNotFound if there is no such partner.
func keysOf(tx *bbolt.Tx, partnerID string) ([]store.Key, error) {
	if tx.Bucket(bucketPartners).Get([]byte(partnerID)) == nil {
		return nil, fmt.Errorf("partner %s: %w", partnerID, store.ErrNotFound)
	}
	of := []store.Key{}
	prefix := joinKey(partnerID, "")
	cursor := tx.Bucket(bucketKeysOf).Cursor()
	for at, _ := cursor.Seek(prefix); bytes.HasPrefix(at, prefix); at, _ = cursor.Next() {
		key, err := getKey(tx, string(at[len(prefix):]))
		if err != nil {
			return nil, err
		}
		of = append(of, key)
	}
	return of, nil
}
