package embedded

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Idempotency returns the requests of the file.
func (s *Store) Idempotency() store.Idempotency { return idempotency{s} }

type idempotency struct{ store *Store }

type requestRow struct {
	Fingerprint []byte    `json:"fingerprint"`
	Token       string    `json:"token"`
	BegunAt     time.Time `json:"begunAt"`
	LeaseUntil  time.Time `json:"leaseUntil"`
	Status      int       `json:"status,omitempty"`
	Answer      []byte    `json:"answer,omitempty"`
}

// requestMargin is for how long a request is kept that nobody may see any more, because clocks differ.
const requestMargin = 24 * time.Hour

func (r requestRow) request(partner, key string) store.KeyedRequest {
	return store.KeyedRequest{
		Partner: partner, Key: key, Fingerprint: r.Fingerprint, Token: r.Token, BegunAt: r.BegunAt, LeaseUntil: r.LeaseUntil,
		Status: r.Status, Answer: r.Answer,
	}
}

func (i idempotency) Begin(ctx context.Context, request store.KeyedRequest) (kept store.KeyedRequest, mine bool, err error) {
	if err := request.Validate(); err != nil {
		return store.KeyedRequest{}, false, err
	}
	key := joinKey(request.Partner, request.Key)
	err = i.store.write(ctx, func(tx *bbolt.Tx) error {
		rows, order := tx.Bucket(bucketRequests), tx.Bucket(bucketRequestsBegun)
		next := requestRow{
			Fingerprint: request.Fingerprint, Token: request.Token, BegunAt: request.BegunAt.UTC(), LeaseUntil: request.LeaseUntil.UTC(),
		}
		var before requestRow
		found, err := readRow(rows, "request", key, &before)
		if err != nil {
			return err
		}
		if found && !before.BegunAt.Before(next.BegunAt.Add(-store.IdempotencyLife)) {
			if before.Status != 0 || !bytes.Equal(before.Fingerprint, next.Fingerprint) || before.LeaseUntil.After(next.BegunAt) {
				kept, mine = before.request(request.Partner, request.Key), false
				return nil
			}
			next.Token = before.Token
		}
		if found {
			if err := order.Delete(timedKey(before.BegunAt, key)); err != nil {
				return err
			}
		}
		kept, mine = next.request(request.Partner, request.Key), true
		kept.Fingerprint = bytes.Clone(kept.Fingerprint)
		return errors.Join(
			forget(order, rows, next.BegunAt.Add(-store.IdempotencyLife-requestMargin)),
			writeRow(rows, "request", key, next),
			order.Put(timedKey(next.BegunAt, key), nil))
	})
	if err != nil {
		return store.KeyedRequest{}, false, err
	}
	return kept, mine, nil
}

func (i idempotency) Answer(ctx context.Context, partner, key, token string, status int, answer []byte) error {
	if err := store.CheckAnswer(partner, key, token, status, answer); err != nil {
		return err
	}
	at := joinKey(partner, key)
	return i.store.decide(ctx, func(tx *bbolt.Tx) (refusal, err error) {
		var row requestRow
		found, err := readRow(tx.Bucket(bucketRequests), "request", at, &row)
		switch {
		case err != nil:
			return nil, err
		case !found || row.Token != token:
			return fmt.Errorf("request %s: %w", at, store.ErrNotFound), nil
		case row.Status != 0:
			return nil, nil
		}
		row.Status, row.Answer = status, answer
		return nil, writeRow(tx.Bucket(bucketRequests), "request", at, row)
	})
}

func (i idempotency) Release(ctx context.Context, partner, key, token string) error {
	if err := errors.Join(store.CheckID("partner", partner), store.CheckID("key", key), store.CheckID("token", token)); err != nil {
		return err
	}
	at := joinKey(partner, key)
	return i.store.write(ctx, func(tx *bbolt.Tx) error {
		var row requestRow
		found, err := readRow(tx.Bucket(bucketRequests), "request", at, &row)
		if err != nil || !found || row.Token != token || row.Status != 0 {
			return err
		}
		return errors.Join(tx.Bucket(bucketRequests).Delete(at), tx.Bucket(bucketRequestsBegun).Delete(timedKey(row.BegunAt, at)))
	})
}
