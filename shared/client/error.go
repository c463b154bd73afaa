package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Error is a request that the service refused or could not answer.
type Error struct {
	// Status is the HTTP status.
	Status int
	// Code is the machine's word for it, like invalid_address; empty where what answered was not the service.
	Code string
	// Message tells a person what to do next.
	Message string
	// RequestID names the request in the service's logs.
	RequestID string
	// Parameter is the parameter concerned; empty for none.
	Parameter string
	// Accepted lists the parameters that are accepted, Supported the chains that are supported, where that is what was wrong.
	Accepted, Supported []string
	// RetryAfter is how long to wait before the same request can succeed; zero when the service did not say.
	RetryAfter time.Duration
}

// Error says what is wrong, and names the request.
func (e *Error) Error() string {
	text := fmt.Sprintf("mirrorworthy: %d %s: %s", e.Status, e.Code, e.Message)
	if e.RequestID != "" {
		text += " (request " + e.RequestID + ")"
	}
	return text
}

// readError reads a refusal. What is no refusal of the service has no code.
func readError(answer *http.Response, text []byte, now time.Time) *Error {
	var body struct {
		Error      string   `json:"error"`
		Message    string   `json:"message"`
		RequestID  string   `json:"requestId"`
		Parameter  string   `json:"param"`
		Accepted   []string `json:"accepted"`
		Supported  []string `json:"supported"`
		RetryAfter float64  `json:"retryAfterSeconds"`
	}
	e := &Error{Status: answer.StatusCode, RequestID: answer.Header.Get("X-Request-Id"), RetryAfter: retryAfter(answer.Header.Get("Retry-After"), now)}
	if err := json.Unmarshal(text, &body); err != nil || body.Error == "" {
		e.Message = "what answered is not the service: " + http.StatusText(answer.StatusCode)
		return e
	}
	e.Code, e.Message, e.Parameter, e.Accepted, e.Supported = body.Error, body.Message, body.Parameter, body.Accepted, body.Supported
	if body.RequestID != "" {
		e.RequestID = body.RequestID
	}
	if e.RetryAfter == 0 && body.RetryAfter > 0 {
		e.RetryAfter = time.Duration(min(body.RetryAfter, 1e6) * float64(time.Second))
	}
	return e
}

// retryAfter reads the header (RFC 9110, section 10.2.3): seconds or a date; 0 for anything else.
func retryAfter(text string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(text, 10, 20); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if until, err := http.ParseTime(text); err == nil {
		return max(until.Sub(now), 0)
	}
	return 0
}

const (
	firstBackoff   = 250 * time.Millisecond
	longestBackoff = 8 * time.Second
)

// waitFor tells how long to wait before an attempt is repeated, and whether it is. What failed for a while is: too many requests, a
// service or a connection that broke down, and a conflict that says when it is over.
func (c *Client) waitFor(err error, attempt int) (time.Duration, bool) {
	if attempt >= c.retries {
		return 0, false
	}
	asked := time.Duration(0)
	var refused *Error
	var signIn *signInError
	switch {
	case errors.As(err, &signIn):
		return 0, false
	case errors.As(err, &refused):
		switch refused.Status {
		case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		case http.StatusConflict:
			if refused.RetryAfter == 0 {
				return 0, false
			}
		default:
			return 0, false
		}
		asked = refused.RetryAfter
	case !isTransport(err):
		return 0, false
	}
	spread, randomErr := fraction(c.random)
	if randomErr != nil || asked > c.maximumWait {
		return 0, false
	}
	backoff := min(firstBackoff<<min(attempt, 10), longestBackoff)
	// What was asked for is the least: to it comes what keeps many from coming back at once.
	return min(asked+time.Duration(float64(backoff)*(0.5+spread/2)), max(asked, c.maximumWait)), true
}

// pause waits, or ends with the context.
func pause(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
