package endpoint

import (
	"context"
	"fmt"
	"net/http"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// UsageAnswer tells a partner what it has used.
type UsageAnswer struct {
	// Today is the units of the current UTC day.
	Today int64 `json:"today"`
	// ThisMinute is the units of the current minute.
	ThisMinute int64 `json:"thisMinute"`
	// ByEndpoint is today's, by endpoint.
	ByEndpoint []EndpointUsage `json:"byEndpoint"`
	// Limit is the partner's fair-use limit.
	Limit UsageLimit `json:"limit"`
	// Left is how many units could be used at this moment.
	Left int `json:"left"`
}

// EndpointUsage is what a partner has used of one endpoint today, in units.
type EndpointUsage struct {
	// Endpoint is the endpoint's name.
	Endpoint string `json:"endpoint"`
	// Units are those used today.
	Units int64 `json:"units"`
}

// UsageLimit is a partner's fair-use limit, in units.
type UsageLimit struct {
	// PerMinute is how many units a minute may be used.
	PerMinute int `json:"perMinute"`
	// Burst is how many units may be used at once.
	Burst int `json:"burst"`
}

// Usage declares GET /v1/usage, which costs nothing.
func Usage(meter store.Meter) Endpoint {
	return Operation(Declaration{
		Name: "usage", Method: http.MethodGet,
		Summary: "What your key's partner has used today and this minute, by endpoint, and what is left of its limit.",
	}, func(ctx context.Context, r *Request) (UsageAnswer, error) {
		usage, err := meter.Usage(ctx, r.Partner, r.ReceivedAt)
		if err != nil {
			return UsageAnswer{}, fmt.Errorf("%w: reading usage: %w", market.ErrUnavailable, err)
		}
		answer := UsageAnswer{
			Today: usage.Today, ThisMinute: usage.ThisMinute, ByEndpoint: make([]EndpointUsage, len(usage.ByEndpoint)),
			Limit: UsageLimit{PerMinute: r.Limit.PerMinute, Burst: r.Limit.Burst}, Left: r.Left,
		}
		for i, used := range usage.ByEndpoint {
			answer.ByEndpoint[i] = EndpointUsage{Endpoint: used.Endpoint, Units: used.Units}
		}
		return answer, nil
	})
}
