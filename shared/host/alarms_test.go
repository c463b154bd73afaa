package host

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// written are the names and dimensions in lines of embedded metrics, one "name dimension dimension" each.
func written(t *testing.T, lines []byte) map[string]bool {
	t.Helper()
	all := make(map[string]bool)
	for line := range bytes.Lines(lines) {
		var metric struct {
			AWS struct {
				CloudWatchMetrics []struct {
					Namespace  string
					Dimensions [][]string
					Metrics    []struct{ Name string }
				}
			} `json:"_aws"`
		}
		if err := json.Unmarshal(line, &metric); err != nil {
			t.Fatal(err)
		}
		for _, directive := range metric.AWS.CloudWatchMetrics {
			for _, dimensions := range directive.Dimensions {
				slices.Sort(dimensions)
				for _, m := range directive.Metrics {
					all[strings.Join(append([]string{directive.Namespace, m.Name}, dimensions...), " ")] = true
				}
			}
		}
	}
	return all
}

// emitted are the metrics that the service writes, each written by what counts it.
func emitted(t *testing.T) map[string]bool {
	t.Helper()
	var out bytes.Buffer
	metrics := NewEMF(&out, time.Now)
	observe := observeCalls(metrics, slog.New(slog.DiscardHandler))
	observe(upstream.Call{Provider: "goplus", Err: errors.New("down")})
	observe(upstream.Call{Provider: "goplus", Dropped: 1})
	tell := ObservePasses(metrics, "grade-leaders")
	tell(store.Pass{}, time.Now())
	tell(store.Pass{Parts: 1}, time.Now())
	ObserveWebhookLag(metrics)(time.Second)
	service := endpoint.Service{Metrics: metrics, Log: slog.New(slog.DiscardHandler), Clock: time.Now, Present: time.Now}
	endpoint.NewHandler(service).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/nowhere", http.NoBody))
	// What package endpoint's own tests hold to these names and dimensions.
	metrics.Count(endpoint.MetricUnits, 1, "endpoint", "e")
	metrics.Count(endpoint.MetricUncounted, 1, "endpoint", "e")
	metrics.Count(endpoint.MetricMeterFallback, 1)
	metrics.Count(endpoint.MetricSlotFailed, 1, "bundle", "b", "slot", "s", "code", "c", "provider", "p")
	return written(t, out.Bytes())
}

// insights finds a query of metrics: what it adds up, its namespace, and the dimensions that it is about.
var insights = regexp.MustCompile(`SELECT \w+\((\w+)\) FROM SCHEMA\("(\w+)", ([\w, ]+)\)`)

// queried are the metrics of a query.
func queried(expression string) (names []string) {
	for _, found := range insights.FindAllStringSubmatch(expression, -1) {
		dimensions := strings.Split(found[3], ", ")
		slices.Sort(dimensions)
		names = append(names, strings.Join(append([]string{found[2], found[1]}, dimensions...), " "))
	}
	return names
}

type alarmMetric struct {
	Expression string `yaml:"Expression"`
	MetricStat struct {
		Metric struct {
			Namespace  string `yaml:"Namespace"`
			MetricName string `yaml:"MetricName"`
			Dimensions []struct {
				Name string `yaml:"Name"`
			} `yaml:"Dimensions"`
		} `yaml:"Metric"`
	} `yaml:"MetricStat"`
}

// name is the metric as written names it.
func (m *alarmMetric) name() string {
	names := []string{m.MetricStat.Metric.Namespace, m.MetricStat.Metric.MetricName}
	var dimensions []string
	for _, d := range m.MetricStat.Metric.Dimensions {
		dimensions = append(dimensions, d.Name)
	}
	slices.Sort(dimensions)
	return strings.Join(append(names, dimensions...), " ")
}

// shown are the metrics of the widgets of a dashboard, a dot or three standing for what the row before has.
func shown(t *testing.T, body string) (names []string) {
	t.Helper()
	var dashboard struct {
		Widgets []struct {
			Type       string `json:"type"`
			Properties struct {
				Metrics [][]any `json:"metrics"`
			} `json:"properties"`
		} `json:"widgets"`
	}
	if err := json.Unmarshal([]byte(body), &dashboard); err != nil {
		t.Fatal(err)
	}
	for _, widget := range dashboard.Widgets {
		var before []string
		for _, row := range widget.Properties.Metrics {
			var parts []string
			for _, cell := range row {
				switch value := cell.(type) {
				case string:
					parts = append(parts, value)
				case map[string]any:
					names = append(names, queried(fmt.Sprint(value["expression"]))...)
				}
			}
			if len(parts) == 1 && parts[0] == "..." {
				parts = slices.Clone(before)
			}
			for i, part := range parts {
				if part == "." {
					parts[i] = before[i]
				}
			}
			if len(parts) == 0 {
				continue
			}
			before = parts
			dimensions := []string{}
			for i := 2; i < len(parts); i += 2 {
				dimensions = append(dimensions, parts[i])
			}
			names = append(names, strings.Join(append(slices.Clone(parts[:2]), dimensions...), " "))
		}
	}
	return names
}

// Every metric of ours that an alarm or the dashboard of the template goes by is one that is written, and every alarm is one that can be
// acted on.
func TestAlarmsGoByWhatIsWritten(t *testing.T) {
	source, err := os.ReadFile("../../template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var template struct {
		Resources map[string]struct {
			Type       string `yaml:"Type"`
			Properties struct {
				AlarmDescription string        `yaml:"AlarmDescription"`
				AlarmActions     []string      `yaml:"AlarmActions"`
				TreatMissingData string        `yaml:"TreatMissingData"`
				Metrics          []alarmMetric `yaml:"Metrics"`
				DashboardBody    string        `yaml:"DashboardBody"`
			} `yaml:"Properties"`
		} `yaml:"Resources"`
	}
	if err := yaml.Unmarshal(source, &template); err != nil {
		// Properties of other resources have other forms; what matters here has been read.
		var other *yaml.TypeError
		if !errors.As(err, &other) {
			t.Fatal(err)
		}
	}
	ours := emitted(t)
	used := make(map[string]bool)
	alarms, dashboards := 0, 0
	for id, resource := range template.Resources {
		p := &resource.Properties
		switch resource.Type {
		case "AWS::CloudWatch::Alarm":
			alarms++
			if len(p.AlarmDescription) < 100 || !strings.Contains(p.AlarmDescription, "First ") || len(p.AlarmActions) == 0 || p.TreatMissingData == "" {
				t.Errorf("%s does not say what it means and what to do first, or is told nobody: %+v", id, p)
			}
			if !strings.Contains(string(source), "${"+id+".Arn}") {
				t.Errorf("the dashboard does not show %s", id)
			}
			for i := range p.Metrics {
				used[p.Metrics[i].name()] = true
				for _, name := range queried(p.Metrics[i].Expression) {
					used[name] = true
				}
			}
		case "AWS::CloudWatch::Dashboard":
			dashboards++
			for _, name := range shown(t, p.DashboardBody) {
				used[name] = true
			}
		}
	}
	for name := range used {
		if strings.HasPrefix(name, metricNamespace+" ") && !ours[name] {
			t.Errorf("template.yaml goes by %q, which is not written; what is: %v", name, slices.Sorted(maps.Keys(ours)))
		}
	}
	for _, name := range []string{
		"webhook_lag_seconds", "passes_finished job", "provider_failed", "provider_calls", "provider_failed provider", "requests code endpoint", "meter_fallback",
	} {
		if !used[metricNamespace+" "+name] {
			t.Errorf("nothing in template.yaml goes by %s", name)
		}
	}
	if alarms < 10 || dashboards != 1 {
		t.Errorf("%d alarms, %d dashboards", alarms, dashboards)
	}
}
