package endpoint

import (
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// Request is a request that passed every check. Parameters are read with their own Of method.
type Request struct {
	// ID names the request in logs and in the X-Request-Id header.
	ID string
	// Partner is who asks; empty on endpoints that need no key.
	Partner string
	// AsOf is the instant the answer describes: the time of arrival in UTC, down to the whole minute, so that a slot and its
	// single agree whenever both are asked within a minute.
	AsOf time.Time
	// Session fetches facts, each once.
	Session *market.Session
	// values holds one decoded value for each accepted parameter.
	values map[string]any
}

// NewRequest makes a checked request for calls from inside the service, jobs among them. Parameters are set with their own
// Set method; those not set have their default.
func NewRequest(id, partner string, asOf time.Time, session *market.Session) *Request {
	return &Request{ID: id, Partner: partner, AsOf: asOf, Session: session, values: make(map[string]any)}
}
