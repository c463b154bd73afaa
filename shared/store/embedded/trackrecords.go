package embedded

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"go.etcd.io/bbolt"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// TrackRecords returns the forecasts of the file and what became of them.
func (s *Store) TrackRecords() store.TrackRecords { return trackRecords{s} }

type trackRecords struct{ store *Store }

// forecastRow and followUpRow have null for NaN, which JSON does not know.
type forecastRow struct {
	Source        string    `json:"source"`
	Chain         string    `json:"chain"`
	Wallet        string    `json:"wallet"`
	GradedAt      time.Time `json:"gradedAt"`
	Mirrorable    bool      `json:"mirrorable"`
	Probability   *float64  `json:"probability"`
	BaseRate      *float64  `json:"baseRate"`
	MethodVersion string    `json:"methodVersion"`
	Data          []byte    `json:"data"`
}

type followUpRow struct {
	ID            string    `json:"id"`
	Source        string    `json:"source"`
	Chain         string    `json:"chain"`
	Wallet        string    `json:"wallet"`
	Token         string    `json:"token"`
	EnteredAt     time.Time `json:"enteredAt"`
	DueAt         time.Time `json:"dueAt"`
	SeenAt        time.Time `json:"seenAt"`
	EntryPriceUSD *float64  `json:"entryPriceUsd"`
	Data          []byte    `json:"data"`
	ResolvedAt    time.Time `json:"resolvedAt,omitzero"`
	Outcome       string    `json:"outcome,omitempty"`
	Net           *float64  `json:"net"`
}

// forecastKey has a space between chain and wallet, which sorts before whatever else they hold, so that the forecasts of a chain
// come before those of any other whose name begins with it.
func forecastKey(source, chain, wallet string) []byte { return joinKey(source, chain+" "+wallet) }

func followUpKey(source, chain, wallet, id string) []byte {
	return joinKey(source, chain+"#"+wallet+"#"+id)
}

func dueKey(source string, at time.Time, id string) []byte {
	return joinKey(source, at.UTC().Format(sortedTime)+"#"+id)
}

func (t trackRecords) Forecast(ctx context.Context, forecast store.Forecast) (store.Forecast, error) {
	if err := forecast.Validate(); err != nil {
		return store.Forecast{}, err
	}
	row, err := json.Marshal(forecastRow{
		Source: forecast.Source, Chain: forecast.Chain, Wallet: forecast.Wallet, GradedAt: forecast.GradedAt.UTC(),
		Mirrorable: forecast.Mirrorable, Probability: orNull(forecast.Probability), BaseRate: orNull(forecast.BaseRate),
		MethodVersion: forecast.MethodVersion, Data: forecast.Data,
	})
	if err != nil {
		return store.Forecast{}, fmt.Errorf("write forecast of %s on %s: %w", forecast.Wallet, forecast.Chain, err)
	}
	key := forecastKey(forecast.Source, forecast.Chain, forecast.Wallet)
	var kept store.Forecast
	err = t.store.write(ctx, func(tx *bbolt.Tx) error {
		bucket := tx.Bucket(bucketForecasts)
		if bucket.Get(key) == nil {
			if err := bucket.Put(key, row); err != nil {
				return err
			}
		}
		var err error
		kept, err = decodeForecast(key, bucket.Get(key))
		return err
	})
	if err != nil {
		return store.Forecast{}, err
	}
	return kept, nil
}

func (t trackRecords) Forecasts(ctx context.Context, source, afterChain, afterWallet string, limit int) ([]store.Forecast, error) {
	if err := errors.Join(store.CheckAfterForecast(source, afterChain, afterWallet), store.CheckTracked(limit)); err != nil {
		return nil, err
	}
	forecasts := []store.Forecast{}
	err := t.store.read(ctx, func(tx *bbolt.Tx) error {
		prefix, after := joinKey(source, ""), forecastKey(source, afterChain, afterWallet)
		cursor := tx.Bucket(bucketForecasts).Cursor()
		for key, data := cursor.Seek(after); bytes.HasPrefix(key, prefix) && len(forecasts) < limit; key, data = cursor.Next() {
			if bytes.Equal(key, after) {
				continue
			}
			forecast, err := decodeForecast(key, data)
			if err != nil {
				return err
			}
			forecasts = append(forecasts, forecast)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return forecasts, nil
}

func (t trackRecords) FollowUp(ctx context.Context, followUp store.FollowUp) error {
	if err := followUp.Validate(); err != nil {
		return err
	}
	row, err := json.Marshal(followUpRow{
		ID: followUp.ID, Source: followUp.Source, Chain: followUp.Chain, Wallet: followUp.Wallet, Token: followUp.Token,
		EnteredAt: followUp.EnteredAt.UTC(), DueAt: followUp.DueAt.UTC(), SeenAt: followUp.SeenAt.UTC(),
		EntryPriceUSD: orNull(followUp.EntryPriceUSD), Data: followUp.Data,
	})
	if err != nil {
		return fmt.Errorf("write follow-up %s: %w", followUp.ID, err)
	}
	forecast := forecastKey(followUp.Source, followUp.Chain, followUp.Wallet)
	key := followUpKey(followUp.Source, followUp.Chain, followUp.Wallet, followUp.ID)
	due := dueKey(followUp.Source, followUp.DueAt, followUp.ID)
	return t.store.write(ctx, func(tx *bbolt.Tx) error {
		switch {
		case tx.Bucket(bucketForecasts).Get(forecast) == nil:
			return fmt.Errorf("forecast of %s on %s: %w", followUp.Wallet, followUp.Chain, store.ErrNotFound)
		case tx.Bucket(bucketFollowUps).Get(key) != nil:
			return nil
		case tx.Bucket(bucketDue).Get(due) != nil:
			return fmt.Errorf("follow-up %s of another leader: %w", followUp.ID, store.ErrConflict)
		}
		return errors.Join(tx.Bucket(bucketFollowUps).Put(key, row), tx.Bucket(bucketDue).Put(due, key))
	})
}

func (t trackRecords) FollowUps(ctx context.Context, source, chain, wallet, after string, limit int) ([]store.FollowUp, error) {
	err := errors.Join(store.CheckTrackedLeader(source, chain, wallet), store.CheckTracked(limit))
	if after != "" {
		err = errors.Join(err, store.CheckID("follow-up", after))
	}
	if err != nil {
		return nil, err
	}
	followUps := []store.FollowUp{}
	err = t.store.read(ctx, func(tx *bbolt.Tx) error {
		prefix, last := followUpKey(source, chain, wallet, ""), followUpKey(source, chain, wallet, after)
		cursor := tx.Bucket(bucketFollowUps).Cursor()
		for key, data := cursor.Seek(last); bytes.HasPrefix(key, prefix) && len(followUps) < limit; key, data = cursor.Next() {
			if bytes.Equal(key, last) {
				continue
			}
			row, err := decodeFollowUp(key, data)
			if err != nil {
				return err
			}
			followUps = append(followUps, row.followUp())
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return followUps, nil
}

func (t trackRecords) Due(ctx context.Context, source string, at, after time.Time, afterID string, limit int) ([]store.FollowUp, error) {
	if err := errors.Join(store.CheckDue(source, at, after, afterID), store.CheckTracked(limit)); err != nil {
		return nil, err
	}
	first, end := joinKey(source, ""), dueKey(source, at.Add(1), "")
	if !after.IsZero() {
		first = append(dueKey(source, after, afterID), '!') // the first that an ID can go on with
	}
	followUps := []store.FollowUp{}
	err := t.store.read(ctx, func(tx *bbolt.Tx) error {
		rows, cursor := tx.Bucket(bucketFollowUps), tx.Bucket(bucketDue).Cursor()
		for due, key := cursor.Seek(first); due != nil && bytes.Compare(due, end) < 0 && len(followUps) < limit; due, key = cursor.Next() {
			row, err := decodeFollowUp(key, rows.Get(key))
			if err != nil {
				return err
			}
			followUps = append(followUps, row.followUp())
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return followUps, nil
}

func (t trackRecords) Resolve(ctx context.Context, source, chain, wallet, id string, outcome store.Outcome) error {
	err := errors.Join(store.CheckTrackedLeader(source, chain, wallet), store.CheckID("follow-up", id), outcome.Validate())
	if err != nil {
		return err
	}
	key := followUpKey(source, chain, wallet, id)
	return t.store.write(ctx, func(tx *bbolt.Tx) error {
		rows := tx.Bucket(bucketFollowUps)
		data := rows.Get(key)
		if data == nil {
			return fmt.Errorf("follow-up %s: %w", id, store.ErrNotFound)
		}
		row, err := decodeFollowUp(key, data)
		if err != nil {
			return err
		}
		if !row.ResolvedAt.IsZero() {
			return fmt.Errorf("outcome of follow-up %s: %w", id, store.ErrConflict)
		}
		row.ResolvedAt, row.Outcome, row.Net = outcome.At.UTC(), outcome.Word, orNull(outcome.Net)
		resolved, err := json.Marshal(row)
		if err != nil {
			return fmt.Errorf("resolve follow-up %s: %w", id, err)
		}
		return errors.Join(rows.Put(key, resolved), tx.Bucket(bucketDue).Delete(dueKey(source, row.DueAt, id)))
	})
}

func decodeForecast(key, data []byte) (store.Forecast, error) {
	var row forecastRow
	if err := json.Unmarshal(data, &row); err != nil {
		return store.Forecast{}, fmt.Errorf("read forecast %s: %w", key, err)
	}
	return store.Forecast{
		Source: row.Source, Chain: row.Chain, Wallet: row.Wallet, GradedAt: row.GradedAt, Mirrorable: row.Mirrorable,
		Probability: orNaN(row.Probability), BaseRate: orNaN(row.BaseRate), MethodVersion: row.MethodVersion, Data: row.Data,
	}, nil
}

func decodeFollowUp(key, data []byte) (followUpRow, error) {
	var row followUpRow
	if err := json.Unmarshal(data, &row); err != nil {
		return followUpRow{}, fmt.Errorf("read follow-up %s: %w", key, err)
	}
	return row, nil
}

func (r followUpRow) followUp() store.FollowUp {
	return store.FollowUp{
		ID: r.ID, Source: r.Source, Chain: r.Chain, Wallet: r.Wallet, Token: r.Token,
		EnteredAt: r.EnteredAt, DueAt: r.DueAt, SeenAt: r.SeenAt, EntryPriceUSD: orNaN(r.EntryPriceUSD), Data: r.Data,
		ResolvedAt: r.ResolvedAt, Outcome: r.Outcome, Net: orNaN(r.Net),
	}
}

func orNull(value float64) *float64 {
	if math.IsNaN(value) {
		return nil
	}
	return &value
}

func orNaN(value *float64) float64 {
	if value == nil {
		return math.NaN()
	}
	return *value
}
