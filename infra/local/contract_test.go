package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/go-json-experiment/json"

	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/job"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

const root = "../.."

func deployment(t *testing.T) template {
	t.Helper()
	source, err := os.ReadFile(filepath.Join(root, "template.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	read, err := readTemplate(source)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

func names(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(root, folder))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, entry := range entries {
		all = append(all, strings.TrimSuffix(entry.Name(), ".json"))
	}
	slices.Sort(all)
	return all
}

// jobNames lists the jobs.
func jobNames() []string {
	var all []string
	for _, j := range host.Jobs(host.Kept{}, market.Sources{}) {
		all = append(all, j.Name)
	}
	slices.Sort(all)
	return all
}

// The template, the functions' folders, the sample events and the declarations name the same endpoints and jobs.
func TestNothingDrifts(t *testing.T) {
	want := append(jobNames(), host.NotFound)
	routes := []string{" "}
	for _, e := range host.Endpoints(host.Kept{}) {
		want = append(want, e.Name)
		routes = append(routes, e.Method+" "+e.Path, e.Method+" /api"+e.Path)
	}
	slices.Sort(want)
	slices.Sort(routes)
	for _, folder := range []string{"functions", "events"} {
		if got := names(t, folder); !slices.Equal(got, want) {
			t.Errorf("%s has %v, the declarations %v", folder, got, want)
		}
	}
	var got []string
	for _, r := range deployment(t).Routes {
		got = append(got, r.Method+" "+r.Path)
		if r.Path != "" && r.Function != r.Path[strings.LastIndex(r.Path, "/")+1:] {
			t.Errorf("%s is answered by %s", r.Path, r.Function)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, routes) {
		t.Errorf("template.yaml has the routes %v, the declarations %v", got, routes)
	}
	var scheduled []string
	for _, s := range deployment(t).Schedules {
		scheduled = append(scheduled, s.Function)
	}
	slices.Sort(scheduled)
	if !slices.Equal(scheduled, jobNames()) {
		t.Errorf("template.yaml schedules %v, the jobs are %v", scheduled, jobNames())
	}
}

// Each function's main names the endpoint or job of its folder.
func TestFunctionsServeTheirOwnEndpoint(t *testing.T) {
	for _, name := range names(t, "functions") {
		source, err := os.ReadFile(filepath.Join(root, "functions", name, "main.go"))
		if err != nil {
			t.Fatal(err)
		}
		_, served, found := strings.Cut(string(source), "host.Serve")
		spelled := strings.ToLower(strings.ReplaceAll(name, "-", ""))
		if !found || !strings.Contains(strings.ToLower(strings.ReplaceAll(served, "-", "")), spelled) {
			t.Errorf("functions/%s/main.go serves %q", name, served)
		}
	}
}

func TestEventsAreEvents(t *testing.T) {
	for _, name := range names(t, "events") {
		text, err := os.ReadFile(filepath.Join(root, "events", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(jobNames(), name) {
			if _, err := job.ReadEvent(text); err != nil {
				t.Errorf("events/%s.json: %v", name, err)
			}
			continue
		}
		var event events.APIGatewayV2HTTPRequest
		if err := json.Unmarshal(text, &event); err != nil || event.Version != "2.0" || event.RequestContext.HTTP.Path != event.RawPath {
			t.Errorf("events/%s.json: %v", name, err)
		}
	}
}

func TestTemplateReader(t *testing.T) {
	function := func(event string) string {
		return "Resources:\n  F:\n    Type: AWS::Serverless::Function\n    Properties:\n      CodeUri: build/job/\n      Role: !GetAtt R.Arn\n      Events:\n        E: " + event + "\n"
	}
	read, err := readTemplate([]byte(function("{ Type: ScheduleV2, Properties: { ScheduleExpression: rate(5 minutes) } }")))
	if err != nil || len(read.Schedules) != 1 || read.Schedules[0].Every.Minutes() != 5 || read.Schedules[0].Function != "job" {
		t.Errorf("%+v %v", read, err)
	}
	for _, bad := range []string{
		"{ Type: ScheduleV2, Properties: { ScheduleExpression: 'cron(0 0 * * ? *)' } }",
		"{ Type: ScheduleV2, Properties: { ScheduleExpression: rate(0 minutes) } }",
		"{ Type: Kinesis }",
	} {
		if _, err := readTemplate([]byte(function(bad))); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
	if _, err := readTemplate([]byte(strings.Replace(function("{ Type: HttpApi }"), "build/job/", "elsewhere/", 1))); err == nil {
		t.Error("a function outside build/ was read")
	}
}
