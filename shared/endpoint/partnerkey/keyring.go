package partnerkey

import (
	"context"
	"crypto/hmac"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/mirrorworthy/mirrorworthy/shared/cache"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

const (
	// freshFor is how long what was read of a key is believed, and so the longest that a revoked key still works.
	freshFor = 30 * time.Second
	// staleFor is how much longer it is believed while the store cannot be read.
	staleFor = 5 * time.Minute
	// lookupTimeout bounds one reading of a key and its partner.
	lookupTimeout = 2 * time.Second
	// remembered bounds how many keys are remembered, unknown ones among them.
	remembered = 10_000
)

// ErrUnauthorized is the one answer to a key that is malformed, unknown or revoked.
var ErrUnauthorized = errors.New("no valid partner key")

// Identity is whose key was presented.
type Identity struct {
	KeyID, PartnerID string
	// Mode is store.ModeLive or store.ModeTest.
	Mode string
	// Limit is the partner's fair-use limit.
	Limit store.Limit
}

// Keyring recognizes keys. What it reads of a key it believes for 30 seconds.
type Keyring struct {
	keys   store.Keys
	pepper []byte
	clock  func() time.Time
	seen   *cache.Cache[string, record]
	flight singleflight.Group
}

// record is what the store said of a key id at a time.
type record struct {
	identity Identity
	hash     []byte // nil: no such key, or not live
	readAt   time.Time
}

// NewKeyring makes a keyring over the store's keys.
func NewKeyring(keys store.Keys, pepper []byte, clock func() time.Time) *Keyring {
	return &Keyring{
		keys: keys, pepper: pepper, clock: clock,
		seen: cache.New(cache.Options[string, record]{MaximumEntries: remembered}),
	}
}

// Authenticate tells whose key the text is. ErrUnauthorized: nobody's, or not anymore. Any other error means that the store could
// not be asked.
func (k *Keyring) Authenticate(ctx context.Context, text string) (Identity, error) {
	key, err := Parse(text)
	if err != nil {
		return Identity{}, ErrUnauthorized
	}
	known, err := k.lookup(ctx, key.ID)
	if err != nil {
		return Identity{}, err
	}
	// The HMAC is computed for unknown ids too, so that the time taken does not tell which ids exist.
	if !hmac.Equal(Hash(k.pepper, key), known.hash) {
		return Identity{}, ErrUnauthorized
	}
	return known.identity, nil
}

// lookup gives what is known of a key id, from memory while it is fresh. Many askers at once share one reading, which one of
// them giving up does not end.
func (k *Keyring) lookup(ctx context.Context, id string) (record, error) {
	remembered, found := k.seen.Get(id)
	age := k.clock().Sub(remembered.readAt)
	if found && age >= 0 && age < freshFor {
		return remembered, nil
	}
	patience, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	reading := k.flight.DoChan(id, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookupTimeout)
		defer cancel()
		return k.read(ctx, id)
	})
	var err error
	select {
	case result := <-reading:
		if result.Err == nil {
			return result.Val.(record), nil
		}
		err = result.Err
	case <-patience.Done():
		err = context.Cause(patience)
	}
	if found && age >= 0 && age < staleFor {
		return remembered, nil
	}
	return record{}, fmt.Errorf("reading key %s: %w", id, err)
}

// read asks the store, in a goroutine that belongs to no request: a panic there would end the process.
func (k *Keyring) read(ctx context.Context, id string) (fresh record, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			fresh, err = record{}, fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
		}
	}()
	fresh.readAt = k.clock()
	key, err := k.keys.Key(ctx, id)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return record{}, err
	}
	if err == nil && key.Live() {
		partner, err := k.keys.Partner(ctx, key.PartnerID)
		switch {
		case err == nil:
			fresh.hash = key.Hash
			fresh.identity = Identity{KeyID: key.ID, PartnerID: partner.ID, Mode: key.Mode, Limit: partner.Limit}
		case !errors.Is(err, store.ErrNotFound):
			return record{}, err
		}
	}
	k.seen.Set(id, fresh)
	return fresh, nil
}
