package dynamo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Idempotency returns the requests of the tables.
func (s *Store) Idempotency() store.Idempotency { return idempotency{s} }

type idempotency struct{ *Store }

// requestRow is without status and answer before it is answered.
type requestRow struct {
	Partition   string `dynamo:"pk"`
	Sort        string `dynamo:"sk"`
	Partner     string `dynamo:"partner"`
	Key         string `dynamo:"key"`
	Fingerprint []byte `dynamo:"fingerprint"`
	Token       string `dynamo:"token"`
	BegunAt     string `dynamo:"begunAt"`
	LeaseUntil  string `dynamo:"leaseUntil"`
	Status      int    `dynamo:"status,omitempty"`
	Answer      []byte `dynamo:"answer,omitempty"`
	ExpiresAt   int64  `dynamo:"expiresAt"`
}

// requestMargin is for how long a request is kept that nobody may see any more, because clocks differ.
const requestMargin = 24 * time.Hour

func requestKey(partner, key string) rowKey {
	return rowKey{"REQUEST#" + partner + "#" + key, "REQUEST"}
}

func requestRowOf(r store.KeyedRequest) requestRow {
	key := requestKey(r.Partner, r.Key)
	return requestRow{
		Partition: key.partition, Sort: key.sort, Partner: r.Partner, Key: r.Key, Fingerprint: r.Fingerprint, Token: r.Token,
		BegunAt: sortableTime(r.BegunAt), LeaseUntil: sortableTime(r.LeaseUntil),
		ExpiresAt: r.BegunAt.Add(store.IdempotencyLife+requestMargin).Unix() + 1,
	}
}

// Begin writes on the condition of what it has read, in transactions of one, so that a write whose answer was lost is not taken for
// somebody else's. At first it expects nothing to be there.
func (i idempotency) Begin(ctx context.Context, request store.KeyedRequest) (kept store.KeyedRequest, mine bool, err error) {
	if err := errors.Join(ctx.Err(), request.Validate()); err != nil {
		return store.KeyedRequest{}, false, err
	}
	key, next := requestKey(request.Partner, request.Key), requestRowOf(request)
	oldest := sortableTime(request.BegunAt.Add(-store.IdempotencyLife))
	condition, arguments := "attribute_not_exists(pk) OR begunAt < ?", []any{oldest}
	for {
		err := i.transact(ctx, func(tx *dynamo.WriteTx) { tx.Put(i.records.Put(next).If(condition, arguments...)) })
		if err == nil {
			next.Fingerprint = slices.Clone(next.Fingerprint)
			kept, err = next.request()
			return kept, err == nil, err
		}
		if failedCondition(err) < 0 {
			return store.KeyedRequest{}, false, fmt.Errorf("begin request %s of %s: %w", request.Key, request.Partner, err)
		}
		var before requestRow
		err = get(i.records, key).One(ctx, &before)
		if errors.Is(err, dynamo.ErrNotFound) || err == nil && before.BegunAt < oldest {
			next.Token, condition, arguments = request.Token, "attribute_not_exists(pk) OR begunAt < ?", []any{oldest}
			continue
		}
		if err != nil {
			return store.KeyedRequest{}, false, fmt.Errorf("read request %s of %s: %w", request.Key, request.Partner, err)
		}
		if before.Status != 0 || !bytes.Equal(before.Fingerprint, request.Fingerprint) || before.LeaseUntil > next.BegunAt {
			kept, err = before.request()
			return kept, false, err
		}
		next.Token, condition = before.Token, "$ = ? AND begunAt = ? AND leaseUntil = ? AND attribute_not_exists($)"
		arguments = []any{"token", before.Token, before.BegunAt, before.LeaseUntil, "status"}
	}
}

// Answer is one write. A refused one brings back the row that refused it: with the token it has been answered.
func (i idempotency) Answer(ctx context.Context, partner, key, token string, status int, answer []byte) error {
	if err := errors.Join(ctx.Err(), store.CheckAnswer(partner, key, token, status, answer)); err != nil {
		return err
	}
	err := retryConflicts(ctx, func() error {
		return update(i.records, requestKey(partner, key)).Set("status", status).Set("answer", answer).
			If("$ = ? AND attribute_not_exists($)", "token", token, "status").IncludeItemInCondCheckFail(true).Run(ctx)
	})
	if err == nil {
		return nil
	}
	var kept requestRow
	if _, err := refused(err, &kept); err != nil {
		return fmt.Errorf("answer request %s of %s: %w", key, partner, err)
	}
	if kept.Token != token {
		return fmt.Errorf("request %s of %s: %w", key, partner, store.ErrNotFound)
	}
	return nil
}

func (i idempotency) Release(ctx context.Context, partner, key, token string) error {
	err := errors.Join(ctx.Err(), store.CheckID("partner", partner), store.CheckID("key", key), store.CheckID("token", token))
	if err != nil {
		return err
	}
	at := requestKey(partner, key)
	err = retryConflicts(ctx, func() error {
		return i.records.Delete(partitionKey, at.partition).Range(sortKey, at.sort).
			If("$ = ? AND attribute_not_exists($)", "token", token, "status").Run(ctx)
	})
	if err != nil && !dynamo.IsCondCheckFailed(err) {
		return fmt.Errorf("release request %s of %s: %w", key, partner, err)
	}
	return nil
}

func (r requestRow) request() (store.KeyedRequest, error) {
	begunAt, err := time.Parse(sortedTime, r.BegunAt)
	leaseUntil, leaseErr := time.Parse(sortedTime, r.LeaseUntil)
	if err := errors.Join(err, leaseErr); err != nil {
		return store.KeyedRequest{}, fmt.Errorf("read request %s of %s: %w", r.Key, r.Partner, err)
	}
	return store.KeyedRequest{
		Partner: r.Partner, Key: r.Key, Fingerprint: r.Fingerprint, Token: r.Token, BegunAt: begunAt, LeaseUntil: leaseUntil,
		Status: r.Status, Answer: r.Answer,
	}, nil
}
