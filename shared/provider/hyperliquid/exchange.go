package hyperliquid

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

// exchangePath is where everything is done.
const exchangePath = "/exchange"

// What an Exchange does where its ExchangeConfig is silent, and the most that it reads of an answer.
const (
	defaultExchangeTimeout = 5 * time.Second
	defaultLifetime        = 10 * time.Second
	longestAnswer          = 1 << 20
)

// ErrNoContract is wrapped where the venue has no contract of a name.
var ErrNoContract = errors.New("no such contract")

// ErrInvalid is wrapped where a request cannot be meant. Nothing was sent.
var ErrInvalid = errors.New("invalid request")

// ErrTooLate is wrapped where the time until which something was to be done is over. Nothing was sent.
var ErrTooLate = errors.New("too late")

// UnknownOutcome is the error for a request that was sent and whose answer is lost or cannot be read: the venue may have done what was
// asked, or not. It must not be sent again. OrderStatus and ApprovedAgents tell what became of it.
type UnknownOutcome struct {
	// ExpiresAt is from when on the venue refuses the request, if it did not arrive before. An order that the venue does not know some
	// seconds after was not placed and never will be. It is zero for approvals, which do not expire that way.
	ExpiresAt time.Time
	Err       error
}

func (e *UnknownOutcome) Error() string { return fmt.Sprintf("the outcome is not known: %v", e.Err) }

// Unwrap gives the cause.
func (e *UnknownOutcome) Unwrap() error { return e.Err }

// ExchangeConfig says which venue orders go to. Zero fields mean the defaults.
type ExchangeConfig struct {
	// Base is the venue's root without a trailing slash, the public one of Network by default.
	Base string
	// Network is Mainnet by default. What is signed for one means nothing to the other.
	Network Network
	// Timeout is how long an answer is waited for, 5 s by default.
	Timeout time.Duration
	// Lifetime is how long after it was signed the venue may still carry out a request, 10 s by default.
	Lifetime time.Duration
}

// Exchange trades for accounts that approved an agent of ours. It is safe for concurrent use.
//
// Every request is sent once and never repeated: an error that wraps UnknownOutcome says that it may have been carried out, every other
// error that it was not.
type Exchange struct {
	adapter   *Adapter
	config    ExchangeConfig
	http      *http.Client
	observe   func(upstream.Call)
	clock     func() time.Time
	nonces    nonces
	contracts contracts
}

// NewExchange trades at the venue that an adapter reads, whose present it takes the time of nonces from. Of what is shared it uses the
// transport, the clock and the observer. The transport should not keep connections open for long: one that is broken when a request goes
// out leaves its outcome unknown.
func NewExchange(adapter *Adapter, config ExchangeConfig, shared upstream.Shared) *Exchange {
	if config.Network == "" {
		config.Network = Mainnet
	}
	if config.Base == "" {
		config.Base = "https://api.hyperliquid.xyz"
		if config.Network == Testnet {
			config.Base = "https://api.hyperliquid-testnet.xyz"
		}
	}
	config.Base = strings.TrimSuffix(config.Base, "/")
	if config.Timeout <= 0 {
		config.Timeout = defaultExchangeTimeout
	}
	if config.Lifetime <= 0 {
		config.Lifetime = defaultLifetime
	}
	if shared.Clock == nil {
		shared.Clock = adapter.client.Now
	}
	if shared.Observe == nil {
		shared.Observe = func(upstream.Call) {}
	}
	return &Exchange{
		adapter: adapter, config: config, observe: shared.Observe, clock: shared.Clock,
		nonces:    nonces{now: adapter.client.Now},
		contracts: contracts{lists: make(map[string]contractList)},
		http: &http.Client{Transport: shared.Transport, CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}},
	}
}

// envelope is a request as the venue reads it.
type envelope[A any] struct {
	Action    A         `json:"action"`
	Nonce     uint64    `json:"nonce"`
	Signature signature `json:"signature"`
	// Vault is null: agents trade for nobody but the account that approved them.
	Vault        *chain.Address `json:"vaultAddress"`
	ExpiresAfter *uint64        `json:"expiresAfter,omitzero"`
}

// trade signs an action, sends it once and reads the answer. The venue carries it out until a time, or for its lifetime where that is
// sooner or none is given.
func trade[A tradingAction](ctx context.Context, x *Exchange, key TradingKey, until time.Time, action A) (answer, error) {
	if err := ctx.Err(); err != nil {
		return answer{}, fmt.Errorf("nothing was sent: %w", err)
	}
	packed, err := pack(action)
	if err != nil {
		return answer{}, err
	}
	nonce, err := x.nonces.next()
	if err != nil {
		return answer{}, fmt.Errorf("no nonce: %w", err)
	}
	now := x.adapter.client.Now()
	end := now.Add(x.config.Lifetime)
	if !until.IsZero() && until.Before(end) {
		end = until
	}
	if !now.Before(end) {
		return answer{}, fmt.Errorf("%w: it was to be done until %v", ErrTooLate, end)
	}
	expires := uint64(end.UnixMilli())
	signed, err := key.sign(actionDigest(x.config.Network, actionHash(packed, nonce, nil, &expires)))
	if err != nil {
		return answer{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	read, err := send(ctx, x, envelope[A]{Action: action, Nonce: nonce, Signature: signed, ExpiresAfter: &expires})
	read.expires = end
	return read, err
}

// send posts a request once. What comes back with an error that is no UnknownOutcome was not carried out.
func send[A any](ctx context.Context, x *Exchange, e envelope[A]) (answer, error) {
	body, err := json.Marshal(e)
	if err != nil {
		return answer{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	ctx, cancel := context.WithTimeout(ctx, x.config.Timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, x.config.Base+exchangePath, bytes.NewReader(body))
	if err != nil {
		return answer{}, errors.New("the venue's address cannot be asked")
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "mirrorworthy")
	unknown := func(err error) error {
		failure := &UnknownOutcome{Err: err}
		if e.ExpiresAfter != nil {
			failure.ExpiresAt = time.UnixMilli(int64(*e.ExpiresAfter)).UTC()
		}
		return failure
	}
	begun := x.clock()
	read, status, size, err := x.exchange(request)
	call := upstream.Call{
		Provider: x.adapter.client.Name(), Method: http.MethodPost, Path: exchangePath, Attempt: 1, Status: status, Bytes: size,
		Duration: x.clock().Sub(begun), Err: err,
	}
	x.observe(call)
	var dial *net.OpError
	switch {
	case err == nil:
		return read, nil
	case errors.As(err, &dial) && dial.Op == "dial":
		return answer{}, fmt.Errorf("%w: %s %s: nothing was sent: %w", market.ErrUnavailable, call.Provider, exchangePath, err)
	}
	return answer{}, unknown(fmt.Errorf("%s %s: %w", call.Provider, exchangePath, err))
}

// exchange sends a request and reads what comes back, with its status and size.
func (x *Exchange) exchange(request *http.Request) (read answer, status, size int, err error) {
	response, err := x.http.Do(request)
	if err != nil {
		return answer{}, 0, 0, withoutURL(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, longestAnswer+1))
	if err != nil {
		return answer{}, response.StatusCode, len(body), fmt.Errorf("reading the answer: %w", err)
	}
	if len(body) > longestAnswer {
		return answer{}, response.StatusCode, len(body), upstream.ErrTooLarge
	}
	read, err = readAnswer(response.StatusCode, body)
	return read, response.StatusCode, len(body), err
}
