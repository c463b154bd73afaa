package host

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/partnerkey"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Parts are what a service is put together from besides its configuration.
type Parts struct {
	Keys  store.Keys
	Meter store.Meter
	// Idempotency keeps answers under callers' keys; nil where no endpoint takes any.
	Idempotency store.Idempotency
	Log         *slog.Logger
	Metrics     endpoint.Metrics
	// Transport carries provider calls; nil for the network.
	Transport http.RoundTripper
	// Pepper keys the hashes of partner keys.
	Pepper []byte
	// Routes are all routes of the service.
	Routes []endpoint.Route
}

// NewService puts a service together. The error is about recorded exchanges that cannot be read or written.
func NewService(config Config, parts Parts) (endpoint.Service, error) {
	sources, err := newSources(config, parts, config.Clock())
	if err != nil {
		return endpoint.Service{}, err
	}
	return endpoint.Service{
		Sources: sources, SampleMarket: config.Mode == Sample,
		Keys: partnerkey.NewKeyring(parts.Keys, parts.Pepper, config.Running()), Meter: parts.Meter, Idempotency: parts.Idempotency,
		Clock: config.Running(), Present: config.Clock(), Log: parts.Log, Metrics: parts.Metrics, Routes: parts.Routes,
		SingleTimeout: config.SingleTimeout, BundleTimeout: config.BundleTimeout,
	}, nil
}

// NewSources makes provider clients of their own, for jobs: what a job meets with must not open a circuit breaker before the
// answers. The errors are those of NewService.
func NewSources(config Config, parts Parts) (market.Sources, error) {
	return newSources(config, parts, config.Clock())
}

// Clock is the clock that answers go by: the computer's, or the instant at which it was stopped.
func (c Config) Clock() func() time.Time {
	if c.FixedClock.IsZero() {
		return c.Running()
	}
	return func() time.Time { return c.FixedClock }
}

// Running is the clock that goes on whatever answers go by: keys, units and agents are accounted for by it.
func (c Config) Running() func() time.Time {
	if c.Now != nil {
		return c.Now
	}
	return time.Now
}
