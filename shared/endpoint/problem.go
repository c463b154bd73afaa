package endpoint

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// Problem is a refused or failed request as a partner sees it.
type Problem struct {
	// Status is the HTTP status; it is not in the body.
	Status int
	// Code is the machine's word for it, Message a person's next step.
	Code, Message string
	// Parameter names the offending parameter, where there is one.
	Parameter string
	// Accepted lists the parameters the endpoint accepts.
	Accepted []string
	// Supported lists the supported chains.
	Supported []string
	// RetryAfter is how long to wait before the same request can succeed; zero when waiting does not help.
	RetryAfter time.Duration
	// Allow lists the methods of the path, for 405.
	Allow []string
	// cause is logged and never leaves the service.
	cause error
}

// Error makes a Problem an error; the text is for logs.
func (p *Problem) Error() string {
	text := p.Code + ": " + p.Message
	if p.cause != nil {
		text += " (" + p.cause.Error() + ")"
	}
	return text
}

// Unwrap gives the cause.
func (p *Problem) Unwrap() error { return p.cause }

// NotFound is a 404 with the message.
func NotFound(message string) *Problem {
	return &Problem{Status: http.StatusNotFound, Code: "not_found", Message: message}
}

// NotAToken is the 404 of token endpoints for an address that is no token.
func NotAToken(message string) *Problem {
	return &Problem{Status: http.StatusNotFound, Code: "not_a_token", Message: message}
}

// Invalid is a 400 for one parameter, saying what would be accepted.
func Invalid(parameter, message string) *Problem {
	return &Problem{Status: http.StatusBadRequest, Code: "invalid_param", Message: message, Parameter: parameter}
}

// refuse is a Problem that is fully told by its code and its message.
func refuse(status int, code, message string) *Problem {
	return &Problem{Status: status, Code: code, Message: message}
}

// providerRetry is how long a partner is asked to wait for a provider to come back.
const providerRetry = 10 * time.Second

// problemOf turns any error into a Problem. Providers that fail, and answers that outlive their time, are
// provider_unavailable; what nobody foresaw is internal and tells nothing but the request's id.
func problemOf(err error) *Problem {
	var problem *Problem
	if errors.As(err, &problem) {
		return problem
	}
	if errors.Is(err, market.ErrUnavailable) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return &Problem{
			Status: http.StatusServiceUnavailable, Code: "provider_unavailable",
			Message:    "A data provider did not answer in time. Nothing is known about this address from this call; try again shortly.",
			RetryAfter: providerRetry, cause: err,
		}
	}
	return &Problem{
		Status: http.StatusInternalServerError, Code: "internal",
		Message: "Something went wrong on our side. Report the request id if it happens again.", cause: err,
	}
}
