package webhook

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Replay makes all that was given up for a partner due again at a time, as if it had never been tried, and counts it. What is due goes
// out when the job runs next; while the webhook is disabled, it is given up once more. It can be called again after an error.
func Replay(ctx context.Context, outbox store.Outbox, partner string, at time.Time) (int, error) {
	replayed, after := 0, ""
	for {
		parked, err := outbox.Parked(ctx, partner, after, store.MaximumListed)
		if err != nil {
			return replayed, fmt.Errorf("what is parked for %s: %w", partner, err)
		}
		for _, delivery := range parked {
			err := outbox.Replay(ctx, partner, delivery.ID, at)
			switch {
			case errors.Is(err, store.ErrNotFound):
			case err != nil:
				return replayed, fmt.Errorf("replay %s for %s: %w", delivery.ID, partner, err)
			default:
				replayed++
			}
			after = delivery.ID
		}
		if len(parked) < store.MaximumListed {
			return replayed, nil
		}
	}
}
