package dynamo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Webhooks returns the webhooks of the tables.
func (s *Store) Webhooks() store.Webhooks { return webhooks{s} }

type webhooks struct{ *Store }

type webhookRow struct {
	Partition string    `dynamo:"pk"`
	Partner   string    `dynamo:"sk"`
	Version   int64     `dynamo:"version"`
	ChangedAt time.Time `dynamo:"changedAt"`
	Data      []byte    `dynamo:"data"`
}

func (r webhookRow) webhook() store.Webhook {
	return store.Webhook{Partner: r.Partner, Version: r.Version, ChangedAt: r.ChangedAt, Data: r.Data}
}

const allWebhooks = "WEBHOOKS"

func webhookKey(partner string) rowKey { return rowKey{allWebhooks, partner} }

func (w webhooks) Put(ctx context.Context, webhook store.Webhook) error {
	if err := errors.Join(ctx.Err(), webhook.Validate()); err != nil {
		return err
	}
	err := w.replace(ctx, webhook.Version, webhookRow{
		Partition: allWebhooks, Partner: webhook.Partner, Version: webhook.Version, ChangedAt: webhook.ChangedAt.UTC(), Data: webhook.Data,
	})
	if err != nil {
		return fmt.Errorf("put version %d of the webhook of %s: %w", webhook.Version, webhook.Partner, err)
	}
	return nil
}

func (w webhooks) Webhook(ctx context.Context, partner string) (store.Webhook, error) {
	if err := errors.Join(ctx.Err(), store.CheckID("partner", partner)); err != nil {
		return store.Webhook{}, err
	}
	var row webhookRow
	err := get(w.records, webhookKey(partner)).One(ctx, &row)
	switch {
	case errors.Is(err, dynamo.ErrNotFound):
		return store.Webhook{}, fmt.Errorf("webhook of %s: %w", partner, store.ErrNotFound)
	case err != nil:
		return store.Webhook{}, fmt.Errorf("read webhook of %s: %w", partner, err)
	}
	return row.webhook(), nil
}

func (w webhooks) Delete(ctx context.Context, partner string) error {
	if err := errors.Join(ctx.Err(), store.CheckID("partner", partner)); err != nil {
		return err
	}
	err := retryConflicts(ctx, func() error {
		return w.records.Delete(partitionKey, allWebhooks).Range(sortKey, partner).Run(ctx)
	})
	if err != nil {
		return fmt.Errorf("delete webhook of %s: %w", partner, err)
	}
	return nil
}

func (w webhooks) List(ctx context.Context, after string, limit int) ([]store.Webhook, error) {
	if err := errors.Join(ctx.Err(), store.CheckPartnersAfter(after, limit)); err != nil {
		return nil, err
	}
	query := w.records.Get(partitionKey, allWebhooks)
	if after != "" {
		query = query.Range(sortKey, dynamo.Greater, after)
	}
	var rows []webhookRow
	if err := query.Limit(limit).Consistent(true).All(ctx, &rows); err != nil {
		return nil, fmt.Errorf("list webhooks: %w", err)
	}
	listed := make([]store.Webhook, 0, len(rows))
	for _, row := range rows {
		listed = append(listed, row.webhook())
	}
	return listed, nil
}
