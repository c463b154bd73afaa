package host_test

import (
	"bytes"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/mirrorworthy/mirrorworthy/shared/host"
)

// metricLine is the shape that CloudWatch's embedded metric format documents.
type metricLine struct {
	AWS struct {
		Timestamp         int64
		CloudWatchMetrics []struct {
			Namespace  string
			Dimensions [][]string
			Metrics    []struct{ Name, Unit string }
		}
	} `json:"_aws"`
}

func TestMetricsAreLinesInEmbeddedMetricFormat(t *testing.T) {
	var out bytes.Buffer
	now := time.Date(2026, 11, 21, 1, 2, 3, 4e6, time.UTC)
	metrics := host.NewEMF(&out, func() time.Time { return now })
	metrics.Count("provider_calls", 3, "provider", "goplus", "status", "2\n00\xff")
	metrics.Count("alone", 0)
	metrics.Count("odd", 1, "left over")
	metrics.Count("webhook_lag_seconds", 75)
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != 4 {
		t.Fatalf("%q", lines)
	}
	for i, want := range []struct {
		name       string
		value      float64
		unit       string
		dimensions map[string]string
	}{
		{"provider_calls", 3, "Count", map[string]string{"provider": "goplus", "status": "2\n00\ufffd"}}, {"alone", 0, "Count", nil}, {"odd", 1, "Count", nil},
		{"webhook_lag_seconds", 75, "Seconds", nil},
	} {
		var line metricLine
		var fields map[string]any
		if err := errors.Join(json.Unmarshal([]byte(lines[i]), &line), json.Unmarshal([]byte(lines[i]), &fields)); err != nil {
			t.Fatalf("%s: %v", lines[i], err)
		}
		if line.AWS.Timestamp != now.UnixMilli() || len(line.AWS.CloudWatchMetrics) != 1 {
			t.Fatal(lines[i])
		}
		directive := line.AWS.CloudWatchMetrics[0]
		if directive.Namespace != "Mirrorworthy" || len(directive.Metrics) != 1 || directive.Metrics[0].Name != want.name || directive.Metrics[0].Unit != want.unit {
			t.Error(lines[i])
		}
		if fields[want.name] != want.value {
			t.Errorf("%s: %v", want.name, fields[want.name])
		}
		if len(directive.Dimensions[0]) != len(want.dimensions) || len(fields) != 2+len(want.dimensions) {
			t.Error(lines[i])
		}
		// What has dimensions is kept without them too.
		if total := len(directive.Dimensions) == 2 && len(directive.Dimensions[1]) == 0; total != (len(want.dimensions) > 0) || !total && len(directive.Dimensions) != 1 {
			t.Error(lines[i])
		}
		for _, name := range directive.Dimensions[0] {
			if fields[name] != want.dimensions[name] {
				t.Errorf("%s is %v", name, fields[name])
			}
		}
	}
}

func TestMetricLinesOfManyGoroutinesStayWhole(t *testing.T) {
	var out bytes.Buffer
	metrics := host.NewEMF(&out, time.Now)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			for range 20 {
				metrics.Count("calls", 1, "provider", strings.Repeat("p", 100))
			}
		})
	}
	all.Wait()
	lines := 0
	for line := range strings.Lines(out.String()) {
		lines++
		if err := json.Unmarshal([]byte(line), new(metricLine)); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	if lines != 400 {
		t.Errorf("%d lines", lines)
	}
}
