package dynamo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Observations returns the measurements of the tables.
func (s *Store) Observations() store.Observations { return observations{s} }

type observations struct{ *Store }

type observationRow struct {
	Partition string    `dynamo:"pk"`
	Hour      string    `dynamo:"sk"`
	At        time.Time `dynamo:"at"`
	Data      []byte    `dynamo:"data"`
	ExpiresAt int64     `dynamo:"expiresAt"`
}

const hourFormat = "2006-01-02T15"

func observationPartition(chain, token string) string { return "OBSERVATIONS#" + chain + "#" + token }

func (o observations) Observe(ctx context.Context, chain, token string, observation store.Observation) error {
	if err := errors.Join(ctx.Err(), store.CheckToken(chain, token), observation.Validate()); err != nil {
		return err
	}
	at := observation.At.UTC()
	err := o.records.Put(observationRow{
		Partition: observationPartition(chain, token), Hour: at.Format(hourFormat), At: at, Data: observation.Data,
		ExpiresAt: at.Add(store.ObservationLife).Unix() + 1,
	}).If(notThere).Run(ctx)
	if err != nil && !dynamo.IsCondCheckFailed(err) {
		return fmt.Errorf("observe %s on %s: %w", token, chain, err)
	}
	return nil
}

func (o observations) Observed(ctx context.Context, chain, token string, from time.Time) ([]store.Observation, error) {
	if err := errors.Join(ctx.Err(), store.CheckToken(chain, token), store.CheckTime("from", from)); err != nil {
		return nil, err
	}
	var rows []observationRow
	err := o.records.Get(partitionKey, observationPartition(chain, token)).
		Range(sortKey, dynamo.GreaterOrEqual, from.UTC().Format(hourFormat)).Consistent(true).All(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("read observations of %s on %s: %w", token, chain, err)
	}
	observed := make([]store.Observation, 0, len(rows))
	for _, row := range rows {
		oldest := rows[len(rows)-1].At.Add(-store.ObservationLife)
		if !row.At.Before(from) && row.At.After(oldest) {
			observed = append(observed, store.Observation{At: row.At, Data: row.Data})
		}
	}
	return observed, nil
}
