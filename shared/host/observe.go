package host

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/lambdacontext"
	"github.com/aws/aws-xray-sdk-go/v2/xray"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

// lambdaLogger writes JSON lines with the request id of the invocation, at the level that Lambda was configured with.
func lambdaLogger() *slog.Logger { return lambdacontext.NewLogger() }

// traced wraps a transport so that every provider call is an X-Ray subsegment of the invocation. It is quiet outside of one.
// A trace tells of an address only scheme and host: the rest names wallets and may hold a key.
func traced(transport http.RoundTripper) http.RoundTripper {
	type wholeAddress struct{}
	observed := xray.RoundTripper(roundTrip(func(r *http.Request) (*http.Response, error) {
		whole := r.Clone(r.Context())
		whole.URL = r.Context().Value(wholeAddress{}).(*url.URL)
		return transport.RoundTrip(whole)
	}))
	return roundTrip(func(r *http.Request) (*http.Response, error) {
		part := r.Clone(context.WithValue(r.Context(), wholeAddress{}, r.URL))
		part.URL = &url.URL{Scheme: r.URL.Scheme, Host: r.URL.Host}
		return observed.RoundTrip(part)
	})
}

// EMF writes metrics as lines in CloudWatch's embedded metric format, which cost no call.
type EMF struct {
	mu    sync.Mutex
	out   io.Writer
	clock func() time.Time
}

// NewEMF makes metrics that are written to out.
func NewEMF(out io.Writer, clock func() time.Time) *EMF { return &EMF{out: out, clock: clock} }

// metricNamespace is where CloudWatch keeps the metrics.
const metricNamespace = "Mirrorworthy"

// Count writes one line: a count with its dimensions, pairs of name and value.
func (m *EMF) Count(name string, value int, dimensions ...string) {
	names := make([]string, 0, len(dimensions)/2)
	line := map[string]any{name: value}
	for i := 0; i+1 < len(dimensions); i += 2 {
		names = append(names, dimensions[i])
		line[dimensions[i]] = dimensions[i+1]
	}
	line["_aws"] = map[string]any{
		"Timestamp": m.clock().UnixMilli(),
		"CloudWatchMetrics": []any{map[string]any{
			"Namespace": metricNamespace, "Dimensions": [][]string{names},
			"Metrics": []any{map[string]any{"Name": name, "Unit": "Count"}},
		}},
	}
	text, err := json.Marshal(line, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	_, _ = m.out.Write(append(text, '\n'))
}

// The metrics of provider calls.
const (
	metricProviderCalls   = "provider_calls"
	metricProviderFailed  = "provider_failed"
	metricProviderDropped = "provider_rows_dropped"
)

// observeCalls counts provider calls and logs those that failed.
func observeCalls(metrics endpoint.Metrics, log *slog.Logger) func(upstream.Call) {
	return func(call upstream.Call) {
		if call.Dropped > 0 {
			metrics.Count(metricProviderDropped, call.Dropped, "provider", call.Provider)
			return
		}
		metrics.Count(metricProviderCalls, 1, "provider", call.Provider)
		if call.Err != nil {
			metrics.Count(metricProviderFailed, 1, "provider", call.Provider)
			log.Warn("provider call failed", "provider", call.Provider, "method", call.Method, "path", call.Path,
				"attempt", call.Attempt, "status", call.Status, "milliseconds", call.Duration.Milliseconds(), "error", call.Err)
		}
	}
}

var _ endpoint.Metrics = (*EMF)(nil)

// standardOut is where Lambda reads metrics from.
func standardOut() io.Writer { return os.Stdout }
