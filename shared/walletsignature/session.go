package walletsignature

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

// Session ...
func (v *Verifier) Session(ctx context.Context, header http.Header, host, partner string, at time.Time) (chain.Address, error) {
	return chain.Address{}, ErrSignature
}

func isRefusal(err error) bool { return errors.Is(err, ErrSignature) }
