package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// NonceMargin is for how long a claim that has ended is kept at least, because clocks differ.
const NonceMargin = 24 * time.Hour

// Nonces keeps who used which nonce.
type Nonces interface {
	// Claim binds a nonce of a scope to a holder until a time. The first claim stands: it is repeated at will by the same holder, and is
	// ErrConflict for any other as long as now is before the time that the first one named. Time that goes backwards frees nothing,
	// as long as it does by less than NonceMargin.
	Claim(ctx context.Context, scope, nonce, holder string, until, now time.Time) error
}

// CheckClaim reports ErrInvalid unless these can be arguments of Nonces.Claim.
func CheckClaim(scope, nonce, holder string, until, now time.Time) error {
	if err := errors.Join(CheckID("scope", scope), CheckID("nonce", nonce), CheckID("holder", holder),
		CheckTime("the end of a claim", until), CheckTime("the time of a claim", now)); err != nil {
		return err
	}
	if !until.After(now) {
		return fmt.Errorf("%w: a claim that has ended", ErrInvalid)
	}
	return nil
}
