package partnerkey

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// DefaultLimit is the fair-use limit of a partner for whom nothing else was agreed.
var DefaultLimit = store.Limit{PerMinute: 6000, Burst: 1200}

// issueAttempts is how often a new key is made when its id happens to be taken.
const issueAttempts = 5

// Administration creates partners and issues, rotates and revokes their keys.
type Administration struct {
	keys   store.Keys
	pepper []byte
	clock  func() time.Time
	random io.Reader
}

// NewAdministration works on the store's keys, with the pepper of the service that will check them.
func NewAdministration(keys store.Keys, pepper []byte, clock func() time.Time, random io.Reader) *Administration {
	return &Administration{keys: keys, pepper: pepper, clock: clock, random: random}
}

// PartnerKeys is a partner with its keys, live and revoked, by id.
type PartnerKeys struct {
	Partner store.Partner
	Keys    []store.Key
}

// Create adds a partner. store.ErrConflict: the id is taken.
func (a *Administration) Create(ctx context.Context, id, name string, limit store.Limit) (store.Partner, error) {
	partner := store.Partner{ID: id, Name: name, Limit: limit, CreatedAt: a.clock().UTC()}
	if err := a.keys.CreatePartner(ctx, partner); err != nil {
		return store.Partner{}, fmt.Errorf("creating partner %q: %w", id, err)
	}
	return partner, nil
}

// Issue makes a key for a partner; this is the only time that its text can be seen. store.ErrTooManyKeys: two keys of that mode
// are live, so one must be revoked first.
func (a *Administration) Issue(ctx context.Context, partnerID, mode, label string) (Key, error) {
	for attempt := 1; ; attempt++ {
		key, err := Generate(mode, a.random)
		if err != nil {
			return Key{}, err
		}
		err = a.keys.AddKey(ctx, store.Key{
			ID: key.ID, PartnerID: partnerID, Mode: mode, Hash: Hash(a.pepper, key), Label: label, CreatedAt: a.clock().UTC(),
		})
		if err == nil {
			return key, nil
		}
		if !errors.Is(err, store.ErrConflict) || attempt == issueAttempts {
			return Key{}, fmt.Errorf("issuing a %s key to partner %q: %w", mode, partnerID, err)
		}
	}
}

// Rotate issues a successor to a live key, of its partner, mode and label. The old key goes on working until it is revoked, which
// revokeOld does at once: after the successor is stored or, where two keys live already, just before.
func (a *Administration) Rotate(ctx context.Context, keyID string, revokeOld bool) (Key, error) {
	old, err := a.keys.Key(ctx, keyID)
	if err != nil {
		return Key{}, fmt.Errorf("rotating key %q: %w", keyID, err)
	}
	if !old.Live() {
		return Key{}, fmt.Errorf("rotating key %q: it was revoked at %s; issue a new one instead", keyID, old.RevokedAt.Format(time.RFC3339))
	}
	successor, err := a.Issue(ctx, old.PartnerID, old.Mode, old.Label)
	if errors.Is(err, store.ErrTooManyKeys) && revokeOld {
		if err := a.Revoke(ctx, keyID); err != nil {
			return Key{}, err
		}
		return a.Issue(ctx, old.PartnerID, old.Mode, old.Label)
	}
	if err != nil {
		return Key{}, err
	}
	if revokeOld {
		if err := a.Revoke(ctx, keyID); err != nil {
			// The successor is stored and must reach its owner all the same.
			return successor, err
		}
	}
	return successor, nil
}

// Revoke ends a key for good. Servers that know it refuse it within 30 seconds. store.ErrNotFound: there is no such key.
func (a *Administration) Revoke(ctx context.Context, keyID string) error {
	if err := a.keys.RevokeKey(ctx, keyID, a.clock().UTC()); err != nil {
		return fmt.Errorf("revoking key %q: %w", keyID, err)
	}
	return nil
}

// SetLimit changes a partner's fair-use limit, within 30 seconds everywhere.
func (a *Administration) SetLimit(ctx context.Context, partnerID string, limit store.Limit) error {
	if err := a.keys.SetLimit(ctx, partnerID, limit); err != nil {
		return fmt.Errorf("setting the limit of partner %q: %w", partnerID, err)
	}
	return nil
}

// List gives all partners, by id, with their keys.
func (a *Administration) List(ctx context.Context) ([]PartnerKeys, error) {
	partners, err := a.keys.Partners(ctx)
	if err != nil {
		return nil, fmt.Errorf("listing partners: %w", err)
	}
	all := make([]PartnerKeys, len(partners))
	for i := range partners {
		all[i].Partner = partners[i]
		if all[i].Keys, err = a.keys.KeysOf(ctx, partners[i].ID); err != nil {
			return nil, fmt.Errorf("listing keys of partner %q: %w", partners[i].ID, err)
		}
	}
	return all, nil
}
