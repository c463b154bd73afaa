package webhook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Service is what webhooks run on. Every field is needed that is not said to be optional.
type Service struct {
	Webhooks store.Webhooks
	// Sealer encrypts secrets before they are stored.
	Sealer Sealer
	Sender *Sender
	// Random is what secrets are made of. It must be safe for concurrent use and fit for keys.
	Random io.Reader
	// Jitter gives numbers in [0, 1) to spread retries with. It must be safe for concurrent use.
	Jitter func() float64
	Clock  func() time.Time
	// Log gets what became of attempts. No line holds a URL, a secret, or anything that a receiver said.
	Log *slog.Logger
	// Lag is told by every run of the job how long the delivery that has been due the longest has been so, 0 where nothing is due.
	// It is optional.
	Lag func(time.Duration)
}

// Reasons why a webhook is disabled.
const (
	// reasonGone: the receiver answered 410.
	reasonGone = "gone"
	// reasonFailing: nothing reached the receiver for failingLife.
	reasonFailing = "failing"
)

// failingLife is how long a receiver can fail before its webhook is disabled.
const failingLife = 120 * time.Hour

// registration is where a partner wants to be told of events.
type registration struct {
	partner string
	version int64
	kept
}

// kept is what is kept of it.
type kept struct {
	// Removed says that there is none anymore, and then all else is empty. The record stays so that its version never begins again:
	// whoever read what was there before cannot put it back.
	Removed bool   `json:"removed,omitzero"`
	URL     string `json:"url,omitzero"`
	// Events are the types that are subscribed to; none for all, those that are still to come among them.
	Events    []string     `json:"events,omitzero"`
	Secrets   []keptSecret `json:"secrets,omitzero"`
	CreatedAt time.Time    `json:"createdAt,omitzero"`
	ChangedAt time.Time    `json:"changedAt,omitzero"`
	// Disabled is why nothing is sent; empty while it is.
	Disabled string `json:"disabled,omitzero"`
	// FailingSince is when the first of the failures was that no success came after; zero for none.
	FailingSince time.Time `json:"failingSince,omitzero"`
}

// readRegistration reads a record.
func readRegistration(record store.Webhook) (*registration, error) {
	r := &registration{partner: record.Partner, version: record.Version}
	if err := json.Unmarshal(record.Data, &r.kept); err != nil {
		return nil, fmt.Errorf("read the webhook of %s: %w", record.Partner, err)
	}
	return r, nil
}

// read gives a partner's registration, one of version 0 that is Removed where there was never one.
func (s Service) read(ctx context.Context, partner string) (*registration, error) {
	record, err := s.Webhooks.Webhook(ctx, partner)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return &registration{partner: partner, kept: kept{Removed: true}}, nil
	case err != nil:
		return nil, fmt.Errorf("the webhook of %s: %w", partner, err)
	}
	return readRegistration(record)
}

// write replaces the version that was read. store.ErrConflict: somebody else was faster.
func (s Service) write(ctx context.Context, r *registration, at time.Time) error {
	data, err := json.Marshal(r.kept)
	if err != nil {
		return fmt.Errorf("keep the webhook of %s: %w", r.partner, err)
	}
	if err := s.Webhooks.Put(ctx, store.Webhook{Partner: r.partner, Version: r.version + 1, ChangedAt: at, Data: data}); err != nil {
		return fmt.Errorf("keep the webhook of %s: %w", r.partner, err)
	}
	r.version++
	return nil
}

// maximumWrites is how often a change is tried that others get in the way of.
const maximumWrites = 8

// change reads a partner's registration, changes it and writes it, again and again until nobody else did so meanwhile. With nothing to
// change the function says so, and nothing is written.
func (s Service) change(ctx context.Context, partner string, at time.Time, change func(*registration) (changed bool, err error)) (*registration, error) {
	var err error
	for range maximumWrites {
		var r *registration
		if r, err = s.read(ctx, partner); err != nil {
			return nil, err
		}
		var changed bool
		if changed, err = change(r); err != nil || !changed {
			return r, err
		}
		if err = s.write(ctx, r, at); err == nil {
			return r, nil
		}
		if !errors.Is(err, store.ErrConflict) {
			return nil, err
		}
	}
	return nil, err
}

// wants tells whether the partner is to be told of a type of events.
func (r *registration) wants(kind string) bool {
	return !r.Removed && (len(r.Events) == 0 || slices.Contains(r.Events, kind))
}
