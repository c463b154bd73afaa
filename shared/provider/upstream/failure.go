package upstream

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// ErrUnreadable is wrapped by a decoder's error when an answer has not the shape it should have. Like malformed JSON,
// unreadable answers in a row open the circuit breaker; a decoder's other errors do not.
var ErrUnreadable = errors.New("unreadable answer")

// ErrTooLarge is wrapped by the error for an answer of more bytes than a Config allows. Asking for less may help.
var ErrTooLarge = errors.New("answer too large")

// Error is a provider that did not answer usefully. It wraps market.ErrUnavailable and names provider and path, never the
// host, the query or a key.
type Error struct {
	Provider, Path string
	// Status is the HTTP status, zero when there was none.
	Status int
	// RetryAfter is how long the provider asked to be left alone, zero when it did not say.
	RetryAfter time.Duration
	Err        error
	// delay is the wait before the next attempt, or never.
	delay time.Duration
	// expired is set when the flight ended because the time of the caller who started it did.
	expired bool
}

const never time.Duration = -1

func (e *Error) Error() string {
	return fmt.Sprintf("%v: %s %s: %v", market.ErrUnavailable, e.Provider, e.Path, e.Err)
}

// Unwrap gives market.ErrUnavailable and the cause.
func (e *Error) Unwrap() []error { return []error{market.ErrUnavailable, e.Err} }

func retryDelay(err error) time.Duration {
	var failure *Error
	if errors.As(err, &failure) {
		return failure.delay
	}
	return never
}

func isUnreadable(err error) bool {
	var semantic *json.SemanticError
	var syntactic *jsontext.SyntacticError
	return errors.Is(err, ErrUnreadable) || errors.As(err, &semantic) || errors.As(err, &syntactic)
}

// withoutAddress takes the URL, which may hold a key, out of an error of package http.
func withoutAddress(err error) error {
	var withURL *url.Error
	if errors.As(err, &withURL) {
		return withURL.Err
	}
	return err
}

// retryAfter reads the header of RFC 9110 section 10.2.3, seconds or a date; zero when it says nothing.
func retryAfter(header string, now time.Time) time.Duration {
	header = strings.TrimSpace(header)
	if seconds, err := strconv.ParseUint(header, 10, 64); err == nil {
		return time.Duration(min(seconds, uint64(maximumPause/time.Second))) * time.Second
	}
	if date, err := http.ParseTime(header); err == nil {
		return max(0, date.Sub(now))
	}
	return 0
}
