package client

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

const (
	usualRetries = 4
	usualWait    = 30 * time.Second
	usualTimeout = 60 * time.Second
)

// Options say how a client reaches the service. BaseURL and APIKey are needed.
type Options struct {
	// BaseURL is the address of the API, ending in /v1: https, or http on this machine.
	BaseURL string
	// APIKey is the partner's key.
	APIKey string
	// AuthHeaders gives the headers by which a wallet is signed in, for what concerns agents; see AuthHeadersFor. Nil where no agents are
	// dealt with.
	AuthHeaders func(context.Context) (http.Header, error)
	// HTTPClient sends the requests; nil for one that gives each a minute. Redirects are not followed in any case: they would carry keys
	// elsewhere.
	HTTPClient *http.Client
	// Retries is how often a request is repeated that failed for a while; zero for 4, negative for never.
	Retries int
	// MaximumWait is the longest wait before a repetition. What asks for more is returned as it is. Zero for 30 s.
	MaximumWait time.Duration
	// Clock tells the time; nil for the computer's.
	Clock func() time.Time
	// Random is what idempotency keys are made of and repetitions are spread by, safe for concurrent use; nil for crypto/rand.
	Random io.Reader
}

// Client asks the service. Its methods may be called from any number of goroutines.
type Client struct {
	base        *url.URL
	key         string
	authHeaders func(context.Context) (http.Header, error)
	http        *http.Client
	retries     int
	maximumWait time.Duration
	clock       func() time.Time
	random      io.Reader
}

// ErrOptions is returned for options that no client can be made of.
var ErrOptions = errors.New("client: bad options")

// ErrNoWallet is returned where a wallet must be signed in and Options.AuthHeaders is nil.
var ErrNoWallet = errors.New("client: this needs a signed-in wallet: set Options.AuthHeaders")

// New makes a client. ErrOptions says what is wrong with the options.
func New(options Options) (*Client, error) {
	base, err := parseBase(options.BaseURL)
	if err != nil {
		return nil, err
	}
	if options.APIKey == "" || strings.ContainsFunc(options.APIKey, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return nil, fmt.Errorf("%w: APIKey is empty, or holds what no key does", ErrOptions)
	}
	c := &Client{
		base: base, key: options.APIKey, authHeaders: options.AuthHeaders, http: &http.Client{Timeout: usualTimeout},
		retries: options.Retries, maximumWait: options.MaximumWait, clock: clockOr(options.Clock), random: randomOr(options.Random),
	}
	if options.HTTPClient != nil {
		own := *options.HTTPClient
		c.http = &own
	}
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if c.retries == 0 {
		c.retries = usualRetries
	}
	if c.maximumWait == 0 {
		c.maximumWait = usualWait
	}
	return c, nil
}

// parseBase reads the address of the API.
func parseBase(text string) (*url.URL, error) {
	base, err := url.Parse(text)
	switch {
	case err != nil || base.Host == "" || base.Opaque != "":
		return nil, fmt.Errorf("%w: BaseURL is no URL", ErrOptions)
	case base.Scheme != "https" && (base.Scheme != "http" || !isLoopback(base.Hostname())):
		return nil, fmt.Errorf("%w: BaseURL must begin with https://", ErrOptions)
	case base.User != nil || base.RawQuery != "" || base.ForceQuery || strings.Contains(text, "#"):
		return nil, fmt.Errorf("%w: BaseURL must hold no user, query or fragment", ErrOptions)
	}
	base.Path = strings.TrimSuffix(base.Path, "/")
	if !strings.HasSuffix(base.Path, "/v1") || base.RawPath != "" {
		return nil, fmt.Errorf("%w: BaseURL must end in /v1", ErrOptions)
	}
	return base, nil
}

func isLoopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}

// request is one call of the API.
type request struct {
	method, path string
	query        url.Values
	// body is encoded as JSON; nil for none.
	body any
	// wallet says that a wallet must be signed in.
	wallet bool
}

// maximumAnswer bounds what is read of an answer, in bytes.
const maximumAnswer = 16 << 20

// ErrAnswer is returned for an answer that is not what the service answers.
var ErrAnswer = errors.New("client: not an answer of this service")

// call asks, again where that helps, and decodes the answer into a pointer; nil for an answer that nobody needs.
func (c *Client) call(ctx context.Context, asked request, answer any) error {
	if asked.wallet && c.authHeaders == nil {
		return ErrNoWallet
	}
	body, err := encodeBody(asked.body)
	if err != nil {
		return err
	}
	key := ""
	if asked.method == http.MethodPost {
		if key, err = c.idempotencyKey(ctx); err != nil {
			return err
		}
	}
	for attempt := 0; ; attempt++ {
		text, err := c.attempt(ctx, asked, body, key)
		if err == nil {
			return decode(text, answer)
		}
		wait, again := c.waitFor(err, attempt)
		if !again || ctx.Err() != nil {
			return err
		}
		if deadline, ok := ctx.Deadline(); ok && c.clock().Add(wait).After(deadline) {
			return err
		}
		if pause(ctx, wait) != nil {
			return err
		}
	}
}

func encodeBody(body any) ([]byte, error) {
	if body == nil {
		return nil, nil
	}
	encoded, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("client: encode a request: %w", err)
	}
	return encoded, nil
}

func decode(text []byte, answer any) error {
	if raw, ok := answer.(*json.RawMessage); ok {
		if !json.Valid(text) {
			return fmt.Errorf("%w: not JSON", ErrAnswer)
		}
		*raw = text
		return nil
	}
	if answer == nil {
		return nil
	}
	if err := json.Unmarshal(text, answer); err != nil {
		return fmt.Errorf("%w: %w", ErrAnswer, err)
	}
	return nil
}

// attempt asks once.
func (c *Client) attempt(ctx context.Context, asked request, body []byte, key string) ([]byte, error) {
	address := *c.base
	unescaped, err := url.PathUnescape(asked.path)
	if err != nil {
		return nil, fmt.Errorf("client: path %s: %w", asked.path, err)
	}
	address.RawPath, address.Path = address.Path+asked.path, address.Path+unescaped
	address.RawQuery = asked.query.Encode()
	var content io.Reader
	if body != nil {
		content = strings.NewReader(string(body))
	}
	r, err := http.NewRequestWithContext(ctx, asked.method, address.String(), content)
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	if asked.wallet {
		headers, err := c.authHeaders(ctx)
		if err != nil {
			return nil, &signInError{err}
		}
		for name, values := range headers {
			r.Header[http.CanonicalHeaderKey(name)] = values
		}
	}
	r.Header.Set("Authorization", "Bearer "+c.key)
	r.Header.Set("Accept", "application/json")
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	answer, err := c.http.Do(r)
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maximumAnswer+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("client: the answer broke off: %w", err)
	case answer.StatusCode >= 200 && answer.StatusCode <= 299 && len(text) > maximumAnswer:
		return nil, fmt.Errorf("%w: longer than %d bytes", ErrAnswer, maximumAnswer)
	case answer.StatusCode >= 200 && answer.StatusCode <= 299:
		return text, nil
	}
	return nil, readError(answer, text, c.clock())
}

// signInError is why the headers of a wallet could not be had. To ask the same again is the user's business.
type signInError struct{ cause error }

func (e *signInError) Error() string {
	return "client: the wallet is not signed in: " + e.cause.Error()
}
func (e *signInError) Unwrap() error { return e.cause }

type idempotencyKeyOf struct{}

// WithIdempotencyKey has the one POST that is made with the context carry this key instead of one that the client makes. Kept before the
// call, it makes a call that a crash interrupted safe to repeat within two days. It is 1 to 255 printable ASCII characters without
// spaces, quotes and backslashes.
func WithIdempotencyKey(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, idempotencyKeyOf{}, key)
}

func (c *Client) idempotencyKey(ctx context.Context) (string, error) {
	if key, _ := ctx.Value(idempotencyKeyOf{}).(string); key != "" {
		return key, nil
	}
	return randomWord(c.random)
}

// randomWord is 32 random hexadecimal digits.
func randomWord(random io.Reader) (string, error) {
	word := make([]byte, 16)
	if _, err := io.ReadFull(random, word); err != nil {
		return "", fmt.Errorf("client: randomness: %w", err)
	}
	return hex.EncodeToString(word), nil
}

// isTransport tells whether an error is of the connection, and may pass.
func isTransport(err error) bool {
	var wrapped *url.Error
	var broken net.Error
	return errors.As(err, &wrapped) || errors.As(err, &broken) || errors.Is(err, io.ErrUnexpectedEOF)
}
