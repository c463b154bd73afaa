package store

import (
	"context"
	"fmt"
	"time"
)

// MaxLiveKeys is how many keys of one mode a partner may have live at once: two, so that a key can be rotated.
const MaxLiveKeys = 2

// The largest limit. It keeps the time that an empty bucket takes to fill within a few decades.
const (
	maxPerMinute = 10_000_000
	maxBurst     = 10_000_000
)

// Limit is a partner's token bucket: it holds at most Burst units and gains PerMinute units a minute.
type Limit struct {
	PerMinute int // units, 1 to 10,000,000
	Burst     int // units, 1 to 10,000,000
}

// Validate reports ErrInvalid if a number is out of its range.
func (l Limit) Validate() error {
	if l.PerMinute < 1 || l.PerMinute > maxPerMinute {
		return fmt.Errorf("%w: limit of %d units a minute, want 1 to %d", ErrInvalid, l.PerMinute, maxPerMinute)
	}
	if l.Burst < 1 || l.Burst > maxBurst {
		return fmt.Errorf("%w: burst of %d units, want 1 to %d", ErrInvalid, l.Burst, maxBurst)
	}
	return nil
}

// Partner is a company that calls the API.
type Partner struct {
	ID        string
	Name      string
	Limit     Limit
	CreatedAt time.Time
}

// Validate reports ErrInvalid if the partner cannot be kept.
func (p Partner) Validate() error {
	if err := CheckID("partner id", p.ID); err != nil {
		return err
	}
	if err := p.Limit.Validate(); err != nil {
		return err
	}
	return CheckTime("creation of partner "+p.ID, p.CreatedAt)
}

// Modes of a key.
const (
	ModeLive = "live" // real providers
	ModeTest = "test" // the sample market only
)

// Key is what is known of a partner's API key: enough to check one that is presented, not enough to make it.
type Key struct {
	ID        string // the 8 public characters of the key
	PartnerID string
	Mode      string // ModeLive or ModeTest
	Hash      []byte // HMAC-SHA256 of the whole key
	Label     string
	CreatedAt time.Time
	RevokedAt time.Time // zero: live
}

// Live reports whether the key has not been revoked.
func (k Key) Live() bool { return k.RevokedAt.IsZero() }

// Validate reports ErrInvalid if the key cannot be added.
func (k Key) Validate() error {
	if err := CheckID("key id", k.ID); err != nil {
		return err
	}
	if err := CheckID("partner id", k.PartnerID); err != nil {
		return err
	}
	switch {
	case k.Mode != ModeLive && k.Mode != ModeTest:
		return fmt.Errorf("%w: key %s has mode %q, want %s or %s", ErrInvalid, k.ID, k.Mode, ModeLive, ModeTest)
	case len(k.Hash) == 0:
		return fmt.Errorf("%w: key %s has no hash", ErrInvalid, k.ID)
	case !k.Live():
		return fmt.Errorf("%w: key %s is revoked already", ErrInvalid, k.ID)
	}
	return CheckTime("creation of key "+k.ID, k.CreatedAt)
}

// Keys keeps partners and their API keys. Every method sees what every earlier one did.
type Keys interface {
	// CreatePartner adds a partner. ErrConflict: the id is taken.
	CreatePartner(ctx context.Context, partner Partner) error
	// Partner returns a partner. ErrNotFound: there is none of that id.
	Partner(ctx context.Context, id string) (Partner, error)
	// Partners returns all partners, by id.
	Partners(ctx context.Context) ([]Partner, error)
	// SetLimit changes a partner's limit. ErrNotFound: there is no such partner.
	SetLimit(ctx context.Context, id string, limit Limit) error

	// AddKey adds a live key to a partner. The checks and the write are one atomic step, and the first of these wins:
	// ErrNotFound: there is no such partner; ErrConflict: the key's id is taken, by a revoked key too; ErrTooManyKeys: the
	// partner has MaxLiveKeys live keys of that mode.
	AddKey(ctx context.Context, key Key) error
	// Key returns a key, live or revoked. ErrNotFound: there is none of that id.
	Key(ctx context.Context, id string) (Key, error)
	// KeysOf returns a partner's keys, live and revoked, by id. ErrNotFound: there is no such partner.
	KeysOf(ctx context.Context, partnerID string) ([]Key, error)
	// RevokeKey ends a key for good. The first revocation is kept, a later one changes nothing and is no error.
	// ErrNotFound: there is no such key.
	RevokeKey(ctx context.Context, id string, at time.Time) error
}
