package walletsignature

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/digest"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// The headers by which a wallet signs in.
const (
	// HeaderAddress is the wallet's address, HeaderMessage the sign-in message in base64url with or without padding, HeaderSignature the
	// signature of it in hexadecimal digits with 0x.
	HeaderAddress   = "X-Wallet-Address"
	HeaderMessage   = "X-Wallet-Message"
	HeaderSignature = "X-Wallet-Signature"
)

// How large they may be, in bytes once they are decoded. All headers of a request have to fit into about 10,000; a signature that comes in
// a body has more room, as one of a contract may need.
const (
	maxMessage         = 4096
	maxHeaderSignature = 4096
	maxSignature       = 16 << 10
)

// nonceScope names sign-in nonces in the store.
const nonceScope = "siwe"

// Session gives the wallet that signed in to a host, for a request of a partner. The message is a session: the first use binds its
// nonce to the partner, the wallet and the expiry, after which those three may use it until then and nobody else ever. A signature that
// does not hold binds nothing. ErrSignature: the headers do not prove that wallet. ErrUnavailable: nobody can tell now.
func (v *Verifier) Session(ctx context.Context, header http.Header, host, partner string, at time.Time) (chain.Address, error) {
	values := make(map[string]string, 3)
	for _, name := range []string{HeaderAddress, HeaderMessage, HeaderSignature} {
		list := header.Values(name)
		if len(list) != 1 {
			return chain.Address{}, refuse("the header %s is there %d times, want once", name, len(list))
		}
		values[name] = list[0]
	}
	address, err := chain.ParseAddress(values[HeaderAddress])
	if err != nil {
		return chain.Address{}, refuse("%s: %w", HeaderAddress, err)
	}
	text, err := decodeMessage(values[HeaderMessage])
	if err != nil {
		return chain.Address{}, err
	}
	signature, err := ParseSignature(values[HeaderSignature])
	if err != nil {
		return chain.Address{}, err
	}
	if len(signature) > maxHeaderSignature {
		return chain.Address{}, refuse("%s is longer than %d bytes", HeaderSignature, maxHeaderSignature)
	}
	message, err := ParseMessage(text)
	if err != nil {
		return chain.Address{}, refuse("%w", err)
	}
	if message.Address != address {
		return chain.Address{}, refuse("the message is of another wallet than %s names", HeaderAddress)
	}
	on, err := message.Check(host, at)
	if err != nil {
		return chain.Address{}, err
	}
	if err := v.VerifyMessage(ctx, on, address, []byte(text), signature); err != nil {
		return chain.Address{}, err
	}
	return address, v.claim(ctx, message, partner, at)
}

// claim binds the nonce of a message.
func (v *Verifier) claim(ctx context.Context, m *Message, partner string, at time.Time) error {
	holder := digest.Of(partner, m.Address.String(), m.ExpirationTime.UTC().Format(time.RFC3339Nano))
	switch err := v.Nonces.Claim(ctx, nonceScope, m.Nonce, holder, m.ExpirationTime, at); {
	case err == nil:
		return nil
	case errors.Is(err, store.ErrConflict):
		return refuse("its nonce was used before, by another: sign in with a new one")
	case errors.Is(err, store.ErrInvalid):
		return fmt.Errorf("claim a sign-in nonce: %w", err)
	default:
		return unavailable(err)
	}
}

func decodeMessage(encoded string) (string, error) {
	if len(encoded) > base64.URLEncoding.EncodedLen(maxMessage) {
		return "", refuse("%s is longer than %d bytes", HeaderMessage, maxMessage)
	}
	encoding := base64.RawURLEncoding
	if strings.HasSuffix(encoded, "=") {
		encoding = base64.URLEncoding
	}
	decoded, err := encoding.Strict().DecodeString(encoded)
	if err != nil || strings.ContainsAny(encoded, "\r\n") {
		return "", refuse("%s is not base64url", HeaderMessage)
	}
	return string(decoded), nil
}

// ParseSignature reads a signature of a wallet or a contract: 0x and pairs of hexadecimal digits, at most 16 KiB. Any other text is
// ErrSignature.
func ParseSignature(text string) ([]byte, error) {
	digits, found := strings.CutPrefix(text, "0x")
	if !found || len(digits) > 2*maxSignature || digits == "" {
		return nil, refuse("want 0x and hexadecimal digits, at most %d bytes", maxSignature)
	}
	signature, err := hex.DecodeString(digits)
	if err != nil {
		return nil, refuse("want 0x and hexadecimal digits, at most %d bytes", maxSignature)
	}
	return signature, nil
}
