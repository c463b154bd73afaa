package endpoint

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/partnerkey"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Service is what all endpoints of a process share. Fields that say so may be left zero.
type Service struct {
	// Sources stand behind the ports that the endpoints need.
	Sources market.Sources
	// SampleMarket says that the sources are the sample market, the only one that test keys reach.
	SampleMarket bool
	// Keys recognizes partners. Nil only where no endpoint needs a key, and then nobody has one.
	Keys *partnerkey.Keyring
	// Meter charges units. Nil only where no endpoint needs a key.
	Meter store.Meter
	// Idempotency keeps answers under the callers' keys. Nil only where no endpoint is idempotent.
	Idempotency store.Idempotency
	// MeterTimeout is how long an answer waits for the meter; zero for 300 ms.
	MeterTimeout time.Duration
	// Clock tells the time, by which keys and units are accounted for; nil for the computer's.
	Clock func() time.Time
	// Present tells the instant that answers describe, where that is not the time: recorded facts have a present of their own. Nil
	// for Clock.
	Present func() time.Time
	// Log gets one line a request, and what went wrong; nil for none. No line holds a header, a body, a query or a key.
	Log *slog.Logger
	// Metrics counts; nil for not at all.
	Metrics Metrics
	// NewID names requests; nil for UUIDs of version 7.
	NewID func() string
	// NewOperation names operations by 32 unguessable hexadecimal digits; nil for the computer's randomness.
	NewOperation func() string
	// SingleTimeout and BundleTimeout bound the computing of an answer; zero for 4 s and 8 s.
	SingleTimeout, BundleTimeout time.Duration
	// Routes are all routes of the service, those that other processes answer too, so that a wrong method on a right path is
	// told from a wrong path. The endpoints' own need not be listed.
	Routes []Route
	// FreeByKey and FreeByAddress bound the requests that cost no units, for each key and for each source address of requests
	// without one; zero for 1,000 a second with bursts of 20,000, and 200 with bursts of 5,000.
	FreeByKey, FreeByAddress RequestLimit
}

// RequestLimit bounds how often something may be asked.
type RequestLimit struct{ PerSecond, Burst int }

func (s Service) withDefaults() Service {
	if s.Present == nil {
		s.Present = s.Clock
	}
	if s.Log == nil {
		s.Log = slog.New(slog.DiscardHandler)
	}
	if s.Metrics == nil {
		s.Metrics = discard{}
	}
	if s.NewID == nil {
		s.NewID = func() string { return uuid.Must(uuid.NewV7()).String() }
	}
	if s.NewOperation == nil {
		s.NewOperation = func() string {
			var random [16]byte
			_, _ = rand.Read(random[:]) // never fails
			return hex.EncodeToString(random[:])
		}
	}
	if s.SingleTimeout == 0 {
		s.SingleTimeout = 4 * time.Second
	}
	if s.BundleTimeout == 0 {
		s.BundleTimeout = 8 * time.Second
	}
	if s.MeterTimeout == 0 {
		s.MeterTimeout = 300 * time.Millisecond
	}
	if s.FreeByKey == (RequestLimit{}) {
		s.FreeByKey = RequestLimit{PerSecond: 1000, Burst: 20_000}
	}
	if s.FreeByAddress == (RequestLimit{}) {
		s.FreeByAddress = RequestLimit{PerSecond: 200, Burst: 5000}
	}
	return s
}

// validate panics on a service that could not answer one of its endpoints: a mistake in the program, found at its start.
func (s Service) validate(endpoints []Endpoint) {
	if s.Clock == nil {
		panic("endpoint: the service has no clock")
	}
	for i := range endpoints {
		e := &endpoints[i]
		s.validate(e.callable)
		if !e.Open && (s.Keys == nil || s.Meter == nil) {
			panic("endpoint: " + e.Name + " needs a partner's key, and the service has no keys or no meter")
		}
		if e.Idempotent && s.Idempotency == nil {
			panic("endpoint: " + e.Name + " takes idempotency keys, and the service keeps none")
		}
		for _, port := range e.Needs {
			if !s.Sources.Has(port) {
				panic(fmt.Sprintf("endpoint: %s needs %s, and no source stands behind that port", e.Name, port))
			}
		}
		for _, p := range e.Parameters {
			if inPath := p.Specification(); inPath.InPath && !strings.Contains(e.Path, "{"+inPath.Name+"}") {
				panic("endpoint: " + e.Path + " has no place for the value " + inPath.Name)
			}
		}
	}
}
