package client

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	// signInLife is how long a sign-in holds, and renewBefore how long before its end another is made.
	signInLife, renewBefore = 12 * time.Hour, 5 * time.Minute
	// signInStatement is what the wallet shows.
	signInStatement = "Sign in to Mirrorworthy to manage your copy agents. This moves no money."
)

// SignIn says who signs in, and how. BaseURL, Address, ChainID and SignMessage are needed.
type SignIn struct {
	// BaseURL is the client's.
	BaseURL string
	// Address is the wallet's, 0x and 40 hexadecimal digits in any case.
	Address string
	// ChainID is the EIP-155 number of a supported chain, like 8453. Where the wallet is a contract, it is the chain that it is on.
	ChainID int64
	// SignMessage signs a text as EIP-191 says; Signer's method of that name will do.
	SignMessage func(ctx context.Context, text string) (signature string, err error)
	// Clock tells the time; nil for the computer's.
	Clock func() time.Time
	// Random is what nonces are made of; nil for crypto/rand.
	Random io.Reader
}

// AuthHeadersFor makes the function that Options.AuthHeaders takes. It has the wallet sign a message of EIP-4361 for the service, which
// holds for 12 hours, and gives the same headers until shortly before its end; where the service refuses them, whoever wants others makes
// another function. Calls at the same time ask the wallet once. ErrOptions
// says what is wrong with what was given.
func AuthHeadersFor(who SignIn) (func(context.Context) (http.Header, error), error) {
	base, err := parseBase(who.BaseURL)
	if err != nil {
		return nil, err
	}
	address, err := checksummed(who.Address)
	if err != nil {
		return nil, err
	}
	if who.ChainID <= 0 || who.SignMessage == nil {
		return nil, fmt.Errorf("%w: ChainID and SignMessage are needed", ErrOptions)
	}
	s := &signIn{base: base, address: address, SignIn: who, turn: make(chan struct{}, 1)}
	s.Clock, s.Random = clockOr(who.Clock), randomOr(who.Random)
	return s.headers, nil
}

// signIn remembers the headers that were signed last.
type signIn struct {
	SignIn
	base    *url.URL
	address string
	// turn is held by the one who looks at the rest.
	turn    chan struct{}
	kept    http.Header
	renewAt time.Time
}

func (s *signIn) headers(ctx context.Context) (http.Header, error) {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	now := s.Clock().UTC()
	if s.kept != nil && now.Before(s.renewAt) && now.After(s.renewAt.Add(-signInLife)) {
		return s.kept.Clone(), nil
	}
	nonce, err := randomWord(s.Random)
	if err != nil {
		return nil, err
	}
	text := s.message(nonce, now)
	signature, err := s.SignMessage(ctx, text)
	if err != nil {
		return nil, fmt.Errorf("sign in: %w", err)
	}
	s.kept = http.Header{
		"X-Wallet-Address":   {s.address},
		"X-Wallet-Message":   {base64.RawURLEncoding.EncodeToString([]byte(text))},
		"X-Wallet-Signature": {signature},
	}
	s.renewAt = now.Add(signInLife - renewBefore)
	return s.kept.Clone(), nil
}

// message is the text that is signed.
func (s *signIn) message(nonce string, now time.Time) string {
	return strings.Join([]string{
		s.base.Host + " wants you to sign in with your Ethereum account:", s.address, "", signInStatement, "",
		"URI: " + s.base.String(), "Version: 1", "Chain ID: " + strconv.FormatInt(s.ChainID, 10), "Nonce: " + nonce,
		"Issued At: " + now.Format(time.RFC3339), "Expiration Time: " + now.Add(signInLife).Format(time.RFC3339),
	}, "\n")
}
