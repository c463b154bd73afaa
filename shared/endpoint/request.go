package endpoint

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Request is a request that passed every check. Parameters are read with their own Of method.
type Request struct {
	// ID names the request in logs and in the X-Request-Id header.
	ID string
	// Partner is who asks; empty on endpoints that need no key.
	Partner string
	// Limit is the partner's fair-use limit, and Left what it had left of it after this request was charged, in units.
	Limit store.Limit
	Left  int
	// AsOf is the instant the answer describes: the time of arrival in UTC, down to the whole minute, so that a slot and its
	// single agree whenever both are asked within a minute.
	AsOf time.Time
	// ReceivedAt is the exact time of arrival in UTC, for what is recorded rather than assessed.
	ReceivedAt time.Time
	// Session fetches facts, each once.
	Session *market.Session
	// Host is the host, and port where there was one, that the caller asked.
	Host string
	// Header holds the request's headers. They hold secrets: they are never logged.
	Header http.Header
	// Wallet is who signed the request; zero where no signature is needed. The declaration's Check sets it.
	Wallet chain.Address
	// Operation names what the request does, in 32 hexadecimal digits: another for each request, and the same for one that is repeated
	// under the same idempotency key because the first was cut short. What is made by the request is named after it.
	Operation string
	// Body is the body as it was sent, by which a repeated request is told from another under the same idempotency key.
	Body []byte

	values  map[string]any
	log     *slog.Logger
	metrics Metrics
	// margin is how long before its deadline a bundle stops waiting for its components.
	margin time.Duration
}

// NewRequest makes a checked request for calls from inside the service, jobs among them. Parameters are set with their own
// Set method; those not set have their default.
func NewRequest(id, partner string, asOf time.Time, session *market.Session) *Request {
	asOf = asOf.UTC()
	return &Request{
		ID: id, Partner: partner, AsOf: asOf.Truncate(time.Minute), ReceivedAt: asOf, Session: session,
		Header: make(http.Header), values: make(map[string]any), log: slog.New(slog.DiscardHandler), metrics: discard{}, margin: slotMargin,
	}
}

func (r *Request) value(name string) (any, bool) { value, found := r.values[name]; return value, found }

func (r *Request) set(name string, value any) { r.values[name] = value }
