package host

import (
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/lambdacontext"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// lambdaLogger writes JSON lines with the request id of the invocation, at the level that Lambda was configured with.
func lambdaLogger() *slog.Logger { return lambdacontext.NewLogger() }

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

// Count writes one line: a number with its dimensions, pairs of name and value. It is kept by its dimensions and without any, so that
// what is counted apart has a total to set an alarm on. A name that ends in _seconds is of a time.
func (m *EMF) Count(name string, value int, dimensions ...string) {
	names := make([]string, 0, len(dimensions)/2)
	line := map[string]any{name: value}
	unit := "Count"
	if strings.HasSuffix(name, "_seconds") {
		unit = "Seconds"
	}
	for i := 0; i+1 < len(dimensions); i += 2 {
		names = append(names, dimensions[i])
		line[dimensions[i]] = dimensions[i+1]
	}
	kept := [][]string{names}
	if len(names) > 0 {
		kept = append(kept, []string{})
	}
	line["_aws"] = map[string]any{
		"Timestamp": m.clock().UnixMilli(),
		"CloudWatchMetrics": []any{map[string]any{
			"Namespace": metricNamespace, "Dimensions": kept,
			"Metrics": []any{map[string]any{"Name": name, "Unit": unit}},
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

// The metrics of jobs. Those of passes are by job.
const (
	// metricPassesFinished counts passes that were concluded with every part done; metricPassSeconds is how long each took from its
	// beginning. A pass that was concluded without some parts counts those as metricPartsLeft, and not as finished.
	metricPassesFinished = "passes_finished"
	metricPassSeconds    = "pass_seconds"
	metricPartsLeft      = "pass_parts_left"
	// metricWebhookLag is how long what has been due the longest to be delivered has been so, 0 where nothing is due.
	metricWebhookLag = "webhook_lag_seconds"
)

// ObservePasses counts what became of the passes of a job; without metrics it counts nothing.
func ObservePasses(metrics endpoint.Metrics, name string) func(store.Pass, time.Time) {
	if metrics == nil {
		return nil
	}
	return func(pass store.Pass, at time.Time) {
		if !pass.Complete() {
			metrics.Count(metricPartsLeft, pass.Parts-len(pass.Done), "job", name)
			return
		}
		metrics.Count(metricPassesFinished, 1, "job", name)
		metrics.Count(metricPassSeconds, wholeSeconds(at.Sub(pass.At)), "job", name)
	}
}

// ObserveWebhookLag notes how late webhooks are; without metrics it notes nothing.
func ObserveWebhookLag(metrics endpoint.Metrics) func(time.Duration) {
	if metrics == nil {
		return nil
	}
	return func(lag time.Duration) { metrics.Count(metricWebhookLag, wholeSeconds(lag)) }
}

// wholeSeconds is a time in seconds, none where a clock ran backwards.
func wholeSeconds(d time.Duration) int { return int(max(d, 0) / time.Second) }

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
