package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// MaximumAnswer is the largest answer that is kept for a repeated request, in bytes.
	MaximumAnswer = 128 << 10
	// IdempotencyLife is how long an answer is kept at least.
	IdempotencyLife = 48 * time.Hour
)

// KeyedRequest is a request that its caller gave a key, so that repeating it does nothing twice.
type KeyedRequest struct {
	Partner string
	// Key is the caller's key in a form that can be a part of a key of the store, such as a digest.
	Key string
	// Fingerprint is of all that was asked: a request with the same key and another fingerprint is another request.
	Fingerprint []byte
	// Token is made by who asks first, and the same for whoever goes on: what is derived from it is not made twice.
	Token string
	// BegunAt is when it was begun last; LeaseUntil is until when nobody else may go on with it.
	BegunAt, LeaseUntil time.Time
	// Status and Answer are what was answered; zero before.
	Status int
	Answer []byte
}

// Validate reports ErrInvalid if the request cannot be begun.
func (r KeyedRequest) Validate() error {
	err := errors.Join(CheckID("partner", r.Partner), CheckID("key", r.Key), CheckID("token", r.Token),
		CheckTime("the time of a request", r.BegunAt), CheckTime("the lease of a request", r.LeaseUntil),
		checkData("a fingerprint", r.Fingerprint, 64))
	if err == nil && (r.Status != 0 || len(r.Answer) > 0 || !r.LeaseUntil.After(r.BegunAt)) {
		return fmt.Errorf("%w: a request that begins has an answer, or no lease", ErrInvalid)
	}
	return err
}

// CheckAnswer reports ErrInvalid unless these can be arguments of Idempotency.Answer.
func CheckAnswer(partner, key, token string, status int, answer []byte) error {
	if err := errors.Join(CheckID("partner", partner), CheckID("key", key), CheckID("token", token), checkData("an answer", answer, MaximumAnswer)); err != nil {
		return err
	}
	if status < 100 || status > 599 {
		return fmt.Errorf("%w: status %d", ErrInvalid, status)
	}
	return nil
}

// Idempotency keeps what was answered to requests with keys.
type Idempotency interface {
	// Begin adds a request, or gives the one that the partner began under the same key no longer than IdempotencyLife before BegunAt.
	// mine says that the caller is the one to do the work: it is the first, or the request that is kept has the same fingerprint, no
	// answer, and a lease that ended at or before BegunAt, which is then prolonged; its Token is the first's. Otherwise kept is what
	// others do or did under the key.
	Begin(ctx context.Context, request KeyedRequest) (kept KeyedRequest, mine bool, err error)
	// Answer keeps the answer of a request. The first answer stays: a later one changes nothing. ErrNotFound: there is no such request
	// with that token.
	Answer(ctx context.Context, partner, key, token string, status int, answer []byte) error
	// Release forgets a request that was begun with a token and has no answer, because it changed nothing. None such is no error.
	Release(ctx context.Context, partner, key, token string) error
}
