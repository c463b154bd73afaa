package endpointtest

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Store keeps partners, keys and usage in memory, and can be told to fail or to hang.
type Store struct {
	mu       sync.Mutex
	partners map[string]store.Partner
	keys     map[string]store.Key
	buckets  map[string]bucket
	usage    map[usageKey]int64
	trouble  func(context.Context) error
	calls    int
}

type bucket struct {
	units float64
	asOf  time.Time
}

type usageKey struct{ partner, period, endpoint string }

// NewStore makes an empty store.
func NewStore() *Store {
	return &Store{
		partners: make(map[string]store.Partner), keys: make(map[string]store.Key),
		buckets: make(map[string]bucket), usage: make(map[usageKey]int64),
	}
}

// Trouble sets what happens before every call: an error fails it; nil ends the trouble.
func (s *Store) Trouble(before func(context.Context) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trouble = before
}

// Calls tells how many calls the store got.
func (s *Store) Calls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls
}

// lock starts a call; the caller unlocks unless there is an error.
func (s *Store) lock(ctx context.Context) error {
	s.mu.Lock()
	trouble := s.trouble
	s.calls++
	s.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if trouble != nil {
		if err := trouble(ctx); err != nil {
			return err
		}
	}
	s.mu.Lock()
	return nil
}

func notFound(what, id string) error { return fmt.Errorf("%s %q: %w", what, id, store.ErrNotFound) }

// CreatePartner implements store.Keys.
func (s *Store) CreatePartner(ctx context.Context, partner store.Partner) error {
	if err := partner.Validate(); err != nil {
		return err
	}
	if err := s.lock(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	if _, taken := s.partners[partner.ID]; taken {
		return fmt.Errorf("partner %q: %w", partner.ID, store.ErrConflict)
	}
	partner.CreatedAt = partner.CreatedAt.UTC()
	s.partners[partner.ID] = partner
	return nil
}

// Partner implements store.Keys.
func (s *Store) Partner(ctx context.Context, id string) (store.Partner, error) {
	if err := store.CheckID("partner id", id); err != nil {
		return store.Partner{}, err
	}
	if err := s.lock(ctx); err != nil {
		return store.Partner{}, err
	}
	defer s.mu.Unlock()
	partner, found := s.partners[id]
	if !found {
		return store.Partner{}, notFound("partner", id)
	}
	return partner, nil
}

// Partners implements store.Keys.
func (s *Store) Partners(ctx context.Context) ([]store.Partner, error) {
	if err := s.lock(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	all := make([]store.Partner, 0, len(s.partners))
	for _, id := range slices.Sorted(maps.Keys(s.partners)) {
		all = append(all, s.partners[id])
	}
	return all, nil
}

// SetLimit implements store.Keys.
func (s *Store) SetLimit(ctx context.Context, id string, limit store.Limit) error {
	if err := limit.Validate(); err != nil {
		return err
	}
	if err := s.lock(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	partner, found := s.partners[id]
	if !found {
		return notFound("partner", id)
	}
	partner.Limit = limit
	s.partners[id] = partner
	return nil
}

// AddKey implements store.Keys.
func (s *Store) AddKey(ctx context.Context, key store.Key) error {
	if err := key.Validate(); err != nil {
		return err
	}
	if err := s.lock(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	if _, found := s.partners[key.PartnerID]; !found {
		return notFound("partner", key.PartnerID)
	}
	if _, taken := s.keys[key.ID]; taken {
		return fmt.Errorf("key %q: %w", key.ID, store.ErrConflict)
	}
	live := 0
	for _, other := range s.keys {
		if other.PartnerID == key.PartnerID && other.Mode == key.Mode && other.Live() {
			live++
		}
	}
	if live >= store.MaxLiveKeys {
		return fmt.Errorf("partner %q: %w", key.PartnerID, store.ErrTooManyKeys)
	}
	key.Hash, key.CreatedAt = bytes.Clone(key.Hash), key.CreatedAt.UTC()
	s.keys[key.ID] = key
	return nil
}

// Key implements store.Keys.
func (s *Store) Key(ctx context.Context, id string) (store.Key, error) {
	if err := store.CheckID("key id", id); err != nil {
		return store.Key{}, err
	}
	if err := s.lock(ctx); err != nil {
		return store.Key{}, err
	}
	defer s.mu.Unlock()
	key, found := s.keys[id]
	if !found {
		return store.Key{}, notFound("key", id)
	}
	key.Hash = bytes.Clone(key.Hash)
	return key, nil
}

// KeysOf implements store.Keys.
func (s *Store) KeysOf(ctx context.Context, partnerID string) ([]store.Key, error) {
	if err := s.lock(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	if _, found := s.partners[partnerID]; !found {
		return nil, notFound("partner", partnerID)
	}
	all := make([]store.Key, 0, 2*store.MaxLiveKeys)
	for _, id := range slices.Sorted(maps.Keys(s.keys)) {
		if key := s.keys[id]; key.PartnerID == partnerID {
			key.Hash = bytes.Clone(key.Hash)
			all = append(all, key)
		}
	}
	return all, nil
}

// RevokeKey implements store.Keys.
func (s *Store) RevokeKey(ctx context.Context, id string, at time.Time) error {
	if err := s.lock(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	key, found := s.keys[id]
	if !found {
		return notFound("key", id)
	}
	if key.Live() {
		key.RevokedAt = at.UTC()
		s.keys[id] = key
	}
	return nil
}

// refilled is a partner's bucket as of now.
func (s *Store) refilled(partnerID string, limit store.Limit, now time.Time) bucket {
	b, found := s.buckets[partnerID]
	if !found {
		return bucket{units: float64(limit.Burst), asOf: now}
	}
	if gone := now.Sub(b.asOf); gone > 0 {
		b.units, b.asOf = min(b.units+gone.Minutes()*float64(limit.PerMinute), float64(limit.Burst)), now
	}
	return b
}

// Take implements store.Meter.
func (s *Store) Take(ctx context.Context, partnerID string, limit store.Limit, units int, now time.Time) (store.Grant, error) {
	if units > limit.Burst {
		return store.Grant{}, store.ErrExceedsBurst
	}
	if err := s.lock(ctx); err != nil {
		return store.Grant{}, err
	}
	defer s.mu.Unlock()
	b := s.refilled(partnerID, limit, now)
	until := func(units float64) time.Duration {
		return time.Duration(max(units-b.units, 0) / float64(limit.PerMinute) * float64(time.Minute))
	}
	grant := store.Grant{Granted: units == 0 || b.units >= float64(units)}
	if grant.Granted {
		b.units -= float64(units)
		s.buckets[partnerID] = b
	} else {
		grant.RetryAfter = until(float64(units))
	}
	grant.Left, grant.FullIn = int(b.units), until(float64(limit.Burst))
	return grant, nil
}

// Return implements store.Meter.
func (s *Store) Return(ctx context.Context, partnerID string, limit store.Limit, units int, now time.Time) error {
	if err := s.lock(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	b := s.refilled(partnerID, limit, now)
	b.units = min(b.units+float64(units), float64(limit.Burst))
	s.buckets[partnerID] = b
	return nil
}

// Count implements store.Meter.
func (s *Store) Count(ctx context.Context, partnerID, endpoint string, units int, now time.Time) error {
	if err := s.lock(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	for _, layout := range []string{time.DateOnly, "2006-01-02T15:04"} {
		s.usage[usageKey{partnerID, now.UTC().Format(layout), endpoint}] += int64(units)
	}
	return nil
}

// Usage implements store.Meter.
func (s *Store) Usage(ctx context.Context, partnerID string, now time.Time) (store.Usage, error) {
	if err := s.lock(ctx); err != nil {
		return store.Usage{}, err
	}
	defer s.mu.Unlock()
	usage := store.Usage{ByEndpoint: []store.EndpointUsage{}}
	for key, units := range s.usage {
		switch {
		case key.partner != partnerID:
		case key.period == now.UTC().Format(time.DateOnly):
			usage.Today += units
			usage.ByEndpoint = append(usage.ByEndpoint, store.EndpointUsage{Endpoint: key.endpoint, Units: units})
		case key.period == now.UTC().Format("2006-01-02T15:04"):
			usage.ThisMinute += units
		}
	}
	slices.SortFunc(usage.ByEndpoint, func(a, b store.EndpointUsage) int { return strings.Compare(a.Endpoint, b.Endpoint) })
	return usage, nil
}
