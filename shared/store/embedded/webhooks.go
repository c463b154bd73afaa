package embedded

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Webhooks returns the webhooks of the file.
func (s *Store) Webhooks() store.Webhooks { return webhooks{s} }

type webhooks struct{ store *Store }

type webhookRow struct {
	Version   int64     `json:"version"`
	ChangedAt time.Time `json:"changedAt"`
	Data      []byte    `json:"data"`
}

func (r webhookRow) webhook(partner string) store.Webhook {
	return store.Webhook{Partner: partner, Version: r.Version, ChangedAt: r.ChangedAt, Data: r.Data}
}

func (w webhooks) Put(ctx context.Context, webhook store.Webhook) error {
	if err := webhook.Validate(); err != nil {
		return err
	}
	key := []byte(webhook.Partner)
	return w.store.decide(ctx, func(tx *bbolt.Tx) (refusal, err error) {
		var before webhookRow
		if _, err := readRow(tx.Bucket(bucketWebhooks), "webhook", key, &before); err != nil {
			return nil, err
		}
		if before.Version != webhook.Version-1 {
			return fmt.Errorf("version %d of the webhook of %s after %d: %w", webhook.Version, key, before.Version, store.ErrConflict), nil
		}
		row := webhookRow{Version: webhook.Version, ChangedAt: webhook.ChangedAt.UTC(), Data: webhook.Data}
		return nil, writeRow(tx.Bucket(bucketWebhooks), "webhook", key, row)
	})
}

func (w webhooks) Webhook(ctx context.Context, partner string) (store.Webhook, error) {
	if err := store.CheckID("partner", partner); err != nil {
		return store.Webhook{}, err
	}
	var row webhookRow
	err := w.store.read(ctx, func(tx *bbolt.Tx) error {
		found, err := readRow(tx.Bucket(bucketWebhooks), "webhook", []byte(partner), &row)
		if err == nil && !found {
			return fmt.Errorf("webhook of %s: %w", partner, store.ErrNotFound)
		}
		return err
	})
	if err != nil {
		return store.Webhook{}, err
	}
	return row.webhook(partner), nil
}

func (w webhooks) Delete(ctx context.Context, partner string) error {
	if err := store.CheckID("partner", partner); err != nil {
		return err
	}
	return w.store.write(ctx, func(tx *bbolt.Tx) error { return tx.Bucket(bucketWebhooks).Delete([]byte(partner)) })
}

func (w webhooks) List(ctx context.Context, after string, limit int) ([]store.Webhook, error) {
	if err := store.CheckPartnersAfter(after, limit); err != nil {
		return nil, err
	}
	listed := []store.Webhook{}
	err := w.store.read(ctx, func(tx *bbolt.Tx) error {
		for key, data := range ascend(tx.Bucket(bucketWebhooks), nil, []byte(after)) {
			var row webhookRow
			if err := json.Unmarshal(data, &row); err != nil {
				return fmt.Errorf("read webhook of %s: %w", key, err)
			}
			if listed = append(listed, row.webhook(string(key))); len(listed) == limit {
				return nil
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return listed, nil
}
