// Package upstream is the one way out to data providers: an HTTP client that limits its rate, retries what is worth
// retrying, stops asking a provider that is down, bounds what it reads, and shares one flight between identical questions.
//
// It also holds what checks facts at the door: numbers that arrive as strings or with more digits than a float carries,
// rows of which one is broken, prices and times that cannot be.
//
// It knows no provider's format and keeps no answers but, where told to, for the few seconds in which one page is put together.
package upstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/budget"
	"github.com/failsafe-go/failsafe-go/bulkhead"
	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/sync/singleflight"
	"golang.org/x/time/rate"

	"github.com/mirrorworthy/mirrorworthy/shared/cache"
)

// What a client does where its Config is silent, and the limits that no Config moves.
const (
	defaultTimeout      = 5 * time.Second
	defaultPerMinute    = 60
	defaultMaximumBytes = 5 << 20
	defaultConcurrency  = 8

	// With three of ten calls failing, eight attempts leave one question of 15,000 without an answer; an answer takes up to a
	// hundred. Where more fail, the breaker ends it sooner.
	maximumRetries = 7
	retryShare     = 0.5 // of the executions under way, and as many as may be under way in any case
	firstBackoff   = 150 * time.Millisecond
	longestBackoff = time.Second
	// A provider that asks for a longer pause than this is asked again after it all the same.
	maximumPause = 15 * time.Minute

	// maximumRemembered bounds the bytes of the answers that one client remembers.
	maximumRemembered = 16 << 20

	failuresToOpen = 8
	probeInterval  = time.Second
)

// Config says which provider a client asks and within which limits. Zero fields mean the defaults.
type Config struct {
	// Name stands in errors and observations.
	Name string
	// Base is the address without a trailing slash. It may hold a key and is never shown.
	Base string
	// Timeout ends one attempt, 5 s by default.
	Timeout time.Duration
	// PerMinute is the rate of attempts, 60 by default; Burst is how many may go at once, a tenth of PerMinute by default. Where
	// questions have a Weight, both count that instead.
	PerMinute, Burst int
	// MaximumBytes bounds an answer after decompression, 5 MiB by default.
	MaximumBytes int64
	// Header is sent with every request.
	Header http.Header
	// Concurrency bounds the attempts under way, 8 by default.
	Concurrency int
	// Remember is how long an answer stands for identical questions, so that several facts read for one purpose agree with each
	// other and none is asked for twice; zero for none. It is for a few seconds: facts that last are kept by whoever reads them.
	Remember time.Duration
	// Examine, when set, looks at each answer within its attempt: an error makes the attempt a failure that is retried and
	// counted by the circuit breaker. It is for providers that report overload with status 200.
	Examine func(*Response) error
}

// Shared is what all clients of a process have in common. Zero fields mean the real thing.
type Shared struct {
	Transport http.RoundTripper
	// Clock tells the time, by which pauses that providers ask for are kept.
	Clock func() time.Time
	// Present tells the instant that facts are checked against, where that is not the time: recorded and simulated facts have a
	// present of their own. Nil for Clock.
	Present func() time.Time
	// Observe is told of every attempt, and of rows that were dropped. It must be quick and safe for concurrent use.
	Observe func(Call)
	// Random gives numbers in [0, 1) to spread retries with.
	Random func() float64
}

// Call is one attempt, or, with Dropped above zero, the note that rows of an answer were dropped.
type Call struct {
	Provider, Method, Path string
	// Attempt counts from 1.
	Attempt  int
	Status   int
	Bytes    int
	Duration time.Duration
	Dropped  int
	Err      error
}

// Response is a provider's answer: one with status 2xx whose body is JSON, or one with a 4xx status that is no refusal.
// Concurrent callers share it; nobody modifies it.
type Response struct {
	Status int
	Body   []byte
	// streamed is how many bytes were read of an answer that is not in Body.
	streamed int
}

// Client asks one provider. It is safe for concurrent use.
type Client struct {
	config  Config
	shared  Shared
	http    *http.Client
	retry   failsafe.Executor[*Response]
	breaker circuitbreaker.CircuitBreaker[*Response]
	room    bulkhead.Bulkhead[*Response]
	limiter *rate.Limiter
	flights singleflight.Group
	// remembered holds recent answers by the identity of their question; nil when none are to be remembered.
	remembered *cache.Cache[string, *Response]
	// pausedUntil is the end, in Unix nanoseconds, of a pause the provider asked for.
	pausedUntil atomic.Int64
	// unreadable counts the answers in a row that no decoder could read.
	unreadable atomic.Int64
}

// New makes a client.
func New(config Config, shared Shared) *Client {
	if config.Timeout <= 0 {
		config.Timeout = defaultTimeout
	}
	if config.PerMinute <= 0 {
		config.PerMinute = defaultPerMinute
	}
	if config.Burst <= 0 {
		config.Burst = max(1, config.PerMinute/10)
	}
	if config.MaximumBytes <= 0 {
		config.MaximumBytes = defaultMaximumBytes
	}
	if config.Concurrency <= 0 {
		config.Concurrency = defaultConcurrency
	}
	config.Base = strings.TrimSuffix(config.Base, "/")
	if shared.Transport == nil {
		shared.Transport = http.DefaultTransport
	}
	if shared.Clock == nil {
		shared.Clock = time.Now
	}
	if shared.Present == nil {
		shared.Present = shared.Clock
	}
	if shared.Observe == nil {
		shared.Observe = func(Call) {}
	}
	if shared.Random == nil {
		shared.Random = rand.Float64
	}
	retry := retrypolicy.NewBuilder[*Response]().
		WithMaxRetries(maximumRetries).
		HandleIf(func(_ *Response, err error) bool { return retryDelay(err) >= 0 }).
		WithDelayFunc(func(attempt failsafe.ExecutionAttempt[*Response]) time.Duration {
			return retryDelay(attempt.LastError())
		}).
		WithBudget(budget.NewBuilder().WithMaxRate(retryShare).WithMinConcurrency(uint(config.Concurrency)).Build()).
		ReturnLastFailure().
		Build()
	client := &Client{
		config: config,
		shared: shared,
		// A provider that moved is reported, not followed: a redirect must not carry keys elsewhere.
		http: &http.Client{Transport: shared.Transport, CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}},
		retry: failsafe.With[*Response](retry),
		breaker: circuitbreaker.NewBuilder[*Response]().
			WithFailureThreshold(failuresToOpen).
			WithSuccessThreshold(1).
			WithDelay(probeInterval).
			Build(),
		room:    bulkhead.New[*Response](uint(config.Concurrency)),
		limiter: rate.NewLimiter(rate.Limit(float64(config.PerMinute)/60), config.Burst),
	}
	if config.Remember > 0 {
		client.remembered = cache.New(cache.Options[string, *Response]{
			MaximumWeight: maximumRemembered,
			Weigh:         func(key string, r *Response) int { return len(key) + len(r.Body) + 100 },
			Lasts:         func(*Response) time.Duration { return config.Remember },
		})
	}
	return client
}

// Name is the provider's name.
func (c *Client) Name() string { return c.config.Name }

// Now is the instant that facts are checked against.
func (c *Client) Now() time.Time { return c.shared.Present() }

// Drop notes that rows of an answer from path were left out because they could not be true.
func (c *Client) Drop(path string, rows int) {
	if rows > 0 {
		c.shared.Observe(Call{Provider: c.config.Name, Path: path, Dropped: rows})
	}
}

// Get asks for a path under the base address, which starts with a slash and is already escaped, and decodes the answer.
// Failures wrap market.ErrUnavailable, except that a cancelled caller gets its context's cause. Decode sees statuses 2xx,
// with a body of JSON, and those of 4xx that speak of the question and not of the provider, 404 among them; an error
// from it is a failure. Callers who ask the same at the same time share one flight, each decoding by itself.
func Get[T any](ctx context.Context, c *Client, path string, query url.Values, decode func(*Response) (T, error)) (T, error) {
	return ask(ctx, c, question{method: http.MethodGet, path: path, query: query.Encode()}, decode)
}

// Post is Get with a JSON body. What it asks must be safe to repeat.
func Post[T any](ctx context.Context, c *Client, path string, body []byte, decode func(*Response) (T, error)) (T, error) {
	return ask(ctx, c, question{method: http.MethodPost, path: path, body: body}, decode)
}

func ask[T any](ctx context.Context, c *Client, q question, decode func(*Response) (T, error)) (T, error) {
	var zero T
	response, err := c.fetch(ctx, q)
	if err != nil {
		return zero, err
	}
	value, err := decode(response)
	if err == nil {
		c.unreadable.Store(0)
		return value, nil
	}
	if c.remembered != nil {
		c.remembered.Forget(q.identity())
	}
	if isUnreadable(err) && c.unreadable.Add(1) >= failuresToOpen {
		c.breaker.Open()
	}
	failure := &Error{Provider: c.config.Name, Path: q.path, Status: response.Status, Err: err}
	c.shared.Observe(Call{Provider: c.config.Name, Method: q.method, Path: q.path, Status: response.Status, Err: failure})
	return zero, failure
}

type question struct {
	method, path, query string
	body                []byte
	// weight is no part of the question's identity: it follows from the rest.
	weight Weight
	// read, when set, reads the answer while it arrives, at most so many bytes.
	read func(*jsontext.Decoder) error
	most int64
}

// identity is the same for the same question only: neither a path nor an encoded query holds a NUL.
func (q question) identity() string {
	return q.method + "\x00" + q.path + "\x00" + q.query + "\x00" + string(q.body)
}

// fetch joins or starts the flight of a question. A flight outlives the callers that give up and ends with the deadline
// of the one who started it; who has more time left then asks again.
func (c *Client) fetch(ctx context.Context, q question) (*Response, error) {
	key := q.identity()
	if response, found := c.recall(key); found {
		return response, nil
	}
	for {
		if ctx.Err() != nil {
			return nil, c.gaveUp(ctx, q)
		}
		started := false
		results := c.flights.DoChan(key, func() (any, error) {
			started = true
			flight, cancel := c.flightContext(ctx)
			defer cancel()
			// A flight may have ended since the caller looked.
			if response, found := c.recall(key); found {
				return response, nil
			}
			response, err := c.attempts(flight, q)
			if err == nil && c.remembered != nil {
				c.remembered.Set(key, response)
			}
			return response, err
		})
		select {
		case <-ctx.Done():
			return nil, c.gaveUp(ctx, q)
		case result := <-results:
			if result.Err == nil {
				return result.Val.(*Response), nil
			}
			var failure *Error
			if !started && errors.As(result.Err, &failure) && failure.expired && ctx.Err() == nil {
				continue
			}
			return nil, result.Err
		}
	}
}

// recall finds an answer that still stands.
func (c *Client) recall(key string) (*Response, bool) {
	if c.remembered == nil {
		return nil, false
	}
	return c.remembered.Get(key)
}

func (c *Client) flightContext(ctx context.Context) (context.Context, context.CancelFunc) {
	detached := context.WithoutCancel(ctx)
	if deadline, ok := ctx.Deadline(); ok {
		return context.WithDeadline(detached, deadline)
	}
	return context.WithTimeout(detached, (maximumRetries+1)*c.config.Timeout+maximumRetries*2*longestBackoff)
}

func (c *Client) gaveUp(ctx context.Context, q question) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &Error{Provider: c.config.Name, Path: q.path, Err: context.Cause(ctx)}
	}
	return fmt.Errorf("asking %s %s: %w", c.config.Name, q.path, context.Cause(ctx))
}

// attempts asks until there is an answer, a failure not worth repeating, or no retry left.
func (c *Client) attempts(ctx context.Context, q question) (*Response, error) {
	var last error
	response, err := c.retry.WithContext(ctx).GetWithExecution(func(execution failsafe.Execution[*Response]) (*Response, error) {
		var response *Response
		response, last = c.attempt(ctx, q, execution.Attempts())
		return response, last
	})
	if err == nil {
		return response, nil
	}
	var failure *Error
	if !errors.As(last, &failure) {
		failure = &Error{Provider: c.config.Name, Path: q.path, Err: err}
	}
	failure.expired = ctx.Err() != nil
	return nil, failure
}

// attempt asks once, when the provider's pause, the rate limit, the room and the breaker let it.
func (c *Client) attempt(ctx context.Context, q question, number int) (*Response, error) {
	if err := c.admit(ctx, q.weight.Asking); err != nil {
		return nil, &Error{Provider: c.config.Name, Path: q.path, Err: err, delay: never}
	}
	defer c.room.ReleasePermit()
	if !c.breaker.TryAcquirePermit() {
		return nil, &Error{Provider: c.config.Name, Path: q.path, Err: circuitbreaker.ErrOpen, delay: never}
	}
	begun := time.Now()
	response, failure := c.exchange(ctx, q)
	call := Call{Provider: c.config.Name, Method: q.method, Path: q.path, Attempt: number, Duration: time.Since(begun)}
	if failure == nil {
		c.breaker.RecordSuccess()
		call.Status, call.Bytes = response.Status, len(response.Body)+response.streamed
		c.shared.Observe(call)
		return response, nil
	}
	if errors.Is(failure.Err, ErrTooLarge) {
		c.breaker.RecordSuccess() // the provider is well: it was asked for too much
	} else {
		c.breaker.RecordFailure()
	}
	failure.Provider, failure.Path = c.config.Name, q.path
	if failure.delay != never {
		failure.delay = max(failure.RetryAfter, c.backoff(number))
		if deadline, ok := ctx.Deadline(); c.breaker.IsOpen() || ok && time.Until(deadline) <= failure.delay {
			failure.delay = never
		}
	}
	if failure.RetryAfter > 0 {
		c.pause(failure.RetryAfter)
	}
	call.Status, call.Err = failure.Status, failure
	c.shared.Observe(call)
	return nil, failure
}

// admit waits for the provider's pause, the rate limit and room, and fails at once where the wait would pass the deadline.
// Room is held when it returns nil.
func (c *Client) admit(ctx context.Context, weight int) error {
	if c.breaker.IsOpen() && c.breaker.RemainingDelay() > 0 {
		return circuitbreaker.ErrOpen
	}
	if wait := time.Unix(0, c.pausedUntil.Load()).Sub(c.shared.Clock()); wait > 0 {
		if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= wait {
			return fmt.Errorf("the provider asked for a pause of %v more", wait.Round(time.Second))
		}
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	// The limiter lets nothing wait for more than a burst: of a heavier question the rest is owed.
	weight = max(1, weight)
	waited := min(weight, c.config.Burst)
	if err := c.limiter.WaitN(ctx, waited); err != nil {
		return fmt.Errorf("our own rate limit: %w", err)
	}
	c.charge(weight - waited)
	return c.room.AcquirePermit(ctx)
}

// charge takes a weight from the rate without waiting for it.
func (c *Client) charge(weight int) {
	for weight > 0 {
		part := min(weight, c.config.Burst)
		c.limiter.ReserveN(time.Now(), part)
		weight -= part
	}
}

func (c *Client) pause(wait time.Duration) {
	until := c.shared.Clock().Add(min(wait, maximumPause)).UnixNano()
	for {
		known := c.pausedUntil.Load()
		if until <= known || c.pausedUntil.CompareAndSwap(known, until) {
			return
		}
	}
}

// backoff doubles with every attempt up to longestBackoff and is spread over half to one and a half of itself.
func (c *Client) backoff(attempt int) time.Duration {
	return time.Duration(float64(min(longestBackoff, firstBackoff<<(attempt-1))) * (0.5 + c.shared.Random()))
}

// exchange sends the request and reads the answer within the time of one attempt. It runs in nobody's request, where a panic over
// what a provider sent would end the process: it is a failure instead.
func (c *Client) exchange(ctx context.Context, q question) (_ *Response, failed *Error) {
	defer func() {
		if cause := recover(); cause != nil {
			failed = &Error{Err: fmt.Errorf("panic: %v\n%s", cause, debug.Stack()), delay: never}
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, c.config.Timeout)
	defer cancel()
	address := c.config.Base + q.path
	if q.query != "" {
		address += "?" + q.query
	}
	request, err := http.NewRequestWithContext(ctx, q.method, address, bytes.NewReader(q.body))
	if err != nil {
		return nil, &Error{Err: errors.New("the address cannot be asked"), delay: never}
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "mirrorworthy")
	if len(q.body) > 0 {
		request.Header.Set("Content-Type", "application/json")
	}
	for name, values := range c.config.Header {
		request.Header[http.CanonicalHeaderKey(name)] = values
	}
	answer, err := c.http.Do(request)
	if err != nil {
		return nil, &Error{Err: withoutAddress(err)}
	}
	defer answer.Body.Close()
	if q.read != nil && answer.StatusCode/100 == 2 {
		return stream(q, answer)
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, c.config.MaximumBytes+1))
	response := &Response{Status: answer.StatusCode, Body: body}
	failure := &Error{Status: answer.StatusCode, Err: err}
	switch {
	case answer.StatusCode == http.StatusTooManyRequests, answer.StatusCode == http.StatusRequestTimeout, answer.StatusCode >= 500:
		failure.Err = fmt.Errorf("status %d", answer.StatusCode)
		failure.RetryAfter = min(retryAfter(answer.Header.Get("Retry-After"), c.shared.Clock()), maximumPause)
	case answer.StatusCode < 200, answer.StatusCode >= 300 && answer.StatusCode < 400, q.read != nil:
		failure.Err, failure.delay = fmt.Errorf("unexpected status %d", answer.StatusCode), never
	case err != nil:
		failure.Err = fmt.Errorf("reading the answer: %w", withoutAddress(err))
	case int64(len(body)) > c.config.MaximumBytes:
		failure.Err, failure.delay = fmt.Errorf("%w: more than %d bytes", ErrTooLarge, c.config.MaximumBytes), never
	case answer.StatusCode < 300 && !jsontext.Value(body).IsValid(wireSyntax...):
		failure.Err = errors.New("not JSON")
	case c.config.Examine != nil:
		if failure.Err = c.config.Examine(response); failure.Err == nil {
			c.charge(q.weight.of(response))
			return response, nil
		}
	default:
		c.charge(q.weight.of(response))
		return response, nil
	}
	return nil, failure
}
