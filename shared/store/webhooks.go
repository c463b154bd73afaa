package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// MaximumWebhook is the largest Data of a webhook, in bytes.
const MaximumWebhook = 16 << 10

// Webhook is where a partner wants to be told of events. A partner has one at most.
type Webhook struct {
	Partner string
	// Version counts what was written of it, from 1.
	Version   int64
	ChangedAt time.Time
	Data      []byte
}

// Validate reports ErrInvalid if the webhook cannot be kept.
func (w Webhook) Validate() error {
	if err := errors.Join(CheckID("partner", w.Partner), CheckTime("the time of a webhook's change", w.ChangedAt),
		checkData("a webhook", w.Data, MaximumWebhook)); err != nil {
		return err
	}
	if w.Version < 1 {
		return fmt.Errorf("%w: version %d of a webhook, want 1 or more", ErrInvalid, w.Version)
	}
	return nil
}

// CheckPartnersAfter reports ErrInvalid unless what is kept by partner can be listed after one, empty for the first.
func CheckPartnersAfter(after string, limit int) error {
	err := CheckListed(limit)
	if after != "" {
		err = errors.Join(err, CheckID("partner", after))
	}
	return err
}

// Webhooks keeps where partners are told of events.
type Webhooks interface {
	// Put adds a partner's webhook as version 1, or replaces the version before. ErrConflict: what is kept is of another version.
	Put(ctx context.Context, webhook Webhook) error
	// Webhook returns a partner's. ErrNotFound: it has none.
	Webhook(ctx context.Context, partner string) (Webhook, error)
	// Delete forgets a partner's webhook; none is no error.
	Delete(ctx context.Context, partner string) error
	// List gives at most limit (1 to MaximumListed) webhooks by partner, after one (empty for the first).
	List(ctx context.Context, after string, limit int) ([]Webhook, error)
}
