package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json"
	"go.yaml.in/yaml/v3"

	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/catalogue"
	"github.com/mirrorworthy/mirrorworthy/shared/host/copying"
	routing "github.com/mirrorworthy/mirrorworthy/shared/host/routes"
	"github.com/mirrorworthy/mirrorworthy/shared/job"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/mcpserver"
	"github.com/mirrorworthy/mirrorworthy/shared/openapi"
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
	for _, j := range catalogue.Jobs(host.Kept{}, market.Sources{}) {
		all = append(all, j.Name)
	}
	for _, s := range catalogue.Spreads(host.Kept{}, market.Sources{}, copying.Copying{}, nil) {
		all = append(all, s.Name)
	}
	slices.Sort(all)
	return all
}

// The template, the functions' folders, the sample events and the declarations name the same endpoints and jobs.
func TestNothingDrifts(t *testing.T) {
	want := append(jobNames(), catalogue.NotFound)
	routes, functions := []string{" "}, make(map[string]string)
	endpoints := catalogue.Endpoints(host.Kept{}, copying.Copying{})
	for _, e := range append(endpoints, mcpserver.Endpoint(endpoints...)) {
		want = append(want, e.Name)
		for _, path := range []string{e.Path, "/api" + e.Path} {
			routes = append(routes, e.Method+" "+path)
			functions[e.Method+" "+path] = e.Name
		}
	}
	if got := routing.All(); !slices.Equal(got, catalogue.Routes()) {
		t.Errorf("shared/host/routes lists %v, the declarations %v", got, catalogue.Routes())
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
		if name := functions[r.Method+" "+r.Path]; r.Path != "" && r.Function != name {
			t.Errorf("%s %s is answered by %s, not by %s", r.Method, r.Path, r.Function, name)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, routes) {
		t.Errorf("template.yaml has the routes %v, the declarations %v", got, routes)
	}
	known := []string{" "}
	for _, r := range catalogue.Routes() {
		known = append(known, r.Method+" "+r.Path, r.Method+" /api"+r.Path)
	}
	slices.Sort(known)
	if !slices.Equal(known, routes) {
		t.Errorf("the catch-all knows the routes %v, the declarations %v", known, routes)
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

// The API document describes the same endpoints, no more and no fewer, with their parameters and every status that they answer with.
func TestTheDocumentDescribesWhatIsDeclared(t *testing.T) {
	document, err := openapi3.NewLoader().LoadFromData(openapi.Document())
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, e := range catalogue.Endpoints(host.Kept{}, copying.Copying{}) {
		inBody := e.Method == http.MethodPost || e.Method == http.MethodPut
		about := e.Method + " " + e.Path + " " + e.Name
		for _, p := range e.Parameters {
			s := p.Specification()
			place := map[bool]string{true: "body", false: "query"}[inBody]
			if s.InPath {
				place = "path"
			}
			want = append(want, fmt.Sprintf("%s: %s %s, required %t", about, place, s.Name, s.Required))
		}
		for _, h := range e.Headers {
			want = append(want, fmt.Sprintf("%s: header %s, required %t", about, h.Name, h.Required))
		}
		if e.Idempotent {
			want = append(want, about+": header Idempotency-Key, required false")
		}
		statuses := []int{e.Status}
		if e.KeptFor > 0 {
			statuses = append(statuses, http.StatusNotModified)
		}
		for _, r := range e.Refusals() {
			statuses = append(statuses, r.Status)
		}
		slices.Sort(statuses)
		for _, status := range slices.Compact(statuses) {
			want = append(want, fmt.Sprintf("%s: %d", about, status))
		}
	}
	for path, item := range document.Paths.Map() {
		for method, operation := range item.Operations() {
			about := method + " " + path + " " + operation.OperationID
			for _, p := range operation.Parameters {
				got = append(got, fmt.Sprintf("%s: %s %s, required %t", about, p.Value.In, p.Value.Name, p.Value.Required))
			}
			if operation.RequestBody != nil {
				schema := operation.RequestBody.Value.Content.Get("application/json").Schema.Value
				for name := range schema.Properties {
					got = append(got, fmt.Sprintf("%s: body %s, required %t", about, name, slices.Contains(schema.Required, name)))
				}
			}
			for status := range operation.Responses.Map() {
				got = append(got, about+": "+status)
			}
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("declared and not in the document: %s", line)
		}
	}
	for _, line := range got {
		if !slices.Contains(want, line) {
			t.Errorf("in the document and not declared: %s", line)
		}
	}
	if len(got) != len(want) || len(want) == 0 {
		t.Errorf("%d facts in the document, %d declared", len(got), len(want))
	}
}

// Every spread job has a queue that gives a message up in the end, and never delivers it while a call may still be at it; it knows
// the address of each queue that it sends to.
func TestSpreadJobsHaveTheirQueues(t *testing.T) {
	consumers := make(map[string]consumer)
	for _, c := range deployment(t).Consumers {
		consumers[c.Function] = c
	}
	spreads := catalogue.Spreads(host.Kept{}, market.Sources{}, copying.Copying{}, nil)
	for _, s := range spreads {
		if !slices.ContainsFunc(host.Settings(), func(known host.Setting) bool { return known.Name == host.QueueSetting(s.Name) }) {
			t.Errorf("%s is no setting", host.QueueSetting(s.Name))
		}
		c, ok := consumers[s.Name]
		if !ok {
			t.Errorf("template.yaml: %s has no queue", s.Name)
			continue
		}
		if c.Receives != 5 || !c.Partial || c.Visibility < 6*c.Timeout || c.DeadLetters == c.Queue || c.Concurrency < 2 {
			t.Errorf("template.yaml: the queue of %s: %+v", s.Name, c)
		}
		for _, to := range append([]string{s.Name}, s.Then...) {
			if setting := host.QueueSetting(to); c.Settings[setting] != consumers[to].Queue || consumers[to].Queue == "" {
				t.Errorf("template.yaml: %s=%s of %s is not the queue of %s", setting, c.Settings[setting], s.Name, to)
			}
		}
	}
	if len(consumers) != len(spreads) {
		t.Errorf("template.yaml: %d functions take from queues, %d jobs are spread", len(consumers), len(spreads))
	}
}

// A firing that its job never got, or failed at as often as it is tried, is kept where somebody can see it.
func TestNoFiringOfAScheduleIsLost(t *testing.T) {
	source, err := os.ReadFile(filepath.Join(root, "template.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var parsed struct {
		Resources map[string]struct {
			Type       string    `yaml:"Type"`
			Properties yaml.Node `yaml:"Properties"`
		} `yaml:"Resources"`
	}
	if err := yaml.Unmarshal(source, &parsed); err != nil {
		t.Fatal(err)
	}
	isQueue := func(arn string) bool {
		name, attribute, _ := strings.Cut(arn, ".")
		return attribute == "Arn" && parsed.Resources[name].Type == "AWS::SQS::Queue"
	}
	schedules := 0
	for id, resource := range parsed.Resources {
		if resource.Type != "AWS::Serverless::Function" {
			continue
		}
		var function struct {
			Invoke struct {
				Retries     *int `yaml:"MaximumRetryAttempts"`
				Destination struct {
					OnFailure struct {
						Type        string `yaml:"Type"`
						Destination string `yaml:"Destination"`
					} `yaml:"OnFailure"`
				} `yaml:"DestinationConfig"`
			} `yaml:"EventInvokeConfig"`
			Events map[string]struct {
				Type       string `yaml:"Type"`
				Properties struct {
					Retry struct {
						Attempts int `yaml:"MaximumRetryAttempts"`
						Age      int `yaml:"MaximumEventAgeInSeconds"`
					} `yaml:"RetryPolicy"`
					Dead struct {
						Arn string `yaml:"Arn"`
					} `yaml:"DeadLetterConfig"`
				} `yaml:"Properties"`
			} `yaml:"Events"`
		}
		if err := resource.Properties.Decode(&function); err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		for name, e := range function.Events {
			if e.Type != "ScheduleV2" {
				continue
			}
			schedules++
			failure := function.Invoke.Destination.OnFailure
			if e.Properties.Retry.Attempts < 1 || e.Properties.Retry.Age < 60 || !isQueue(e.Properties.Dead.Arn) ||
				function.Invoke.Retries == nil || failure.Type != "SQS" || !isQueue(failure.Destination) {
				t.Errorf("template.yaml: %s.%s: %+v %+v", id, name, e.Properties, function.Invoke)
			}
		}
	}
	if schedules != len(jobNames()) {
		t.Errorf("template.yaml: %d schedules for the jobs %v", schedules, jobNames())
	}
}

// Each function's main names the endpoint or job of its folder.
func TestFunctionsServeTheirOwnEndpoint(t *testing.T) {
	for _, name := range names(t, "functions") {
		source, err := os.ReadFile(filepath.Join(root, "functions", name, "main.go"))
		if err != nil {
			t.Fatal(err)
		}
		_, served, found := strings.Cut(string(source), ".Serve")
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

const queueTemplate = `
Globals:
  Function: { Timeout: 15 }
Resources:
  F:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: build/job/
      Environment: { Variables: { QUEUE_JOB: !Ref Work, QUEUE_OTHER: !Ref Others } }
      Events:
        Messages:
          Type: SQS
          Properties:
            Queue: !GetAtt Work.Arn
            BatchSize: 1
            FunctionResponseTypes: [ ReportBatchItemFailures ]
            ScalingConfig: { MaximumConcurrency: 4 }
  Work:
    Type: AWS::SQS::Queue
    Properties:
      VisibilityTimeout: 90
      RedrivePolicy: { deadLetterTargetArn: !GetAtt Dead.Arn, maxReceiveCount: 5 }
  Dead: { Type: AWS::SQS::Queue }
`

func TestQueuesAreReadFromTheTemplate(t *testing.T) {
	read, err := readTemplate([]byte(queueTemplate))
	if err != nil {
		t.Fatal(err)
	}
	want := consumer{
		Function: "job", Queue: "Work", DeadLetters: "Dead", Receives: 5, Batch: 1, Concurrency: 4, Partial: true,
		Timeout: 15 * time.Second, Visibility: 90 * time.Second, Settings: map[string]string{"QUEUE_JOB": "Work", "QUEUE_OTHER": "Others"},
	}
	if !reflect.DeepEqual(read.Consumers, []consumer{want}) {
		t.Errorf("%+v", read.Consumers)
	}
	plain := strings.NewReplacer("            BatchSize: 1\n", "", "            FunctionResponseTypes: [ ReportBatchItemFailures ]\n", "",
		"            ScalingConfig: { MaximumConcurrency: 4 }\n", "", "      CodeUri: build/job/\n", "      CodeUri: build/job/\n      Timeout: 900\n")
	read, err = readTemplate([]byte(plain.Replace(queueTemplate)))
	if err != nil || len(read.Consumers) != 1 || read.Consumers[0].Batch != 10 || read.Consumers[0].Partial || read.Consumers[0].Concurrency != 0 ||
		read.Consumers[0].Timeout != 15*time.Minute {
		t.Errorf("%+v %v", read.Consumers, err)
	}
	for what, change := range map[string][2]string{
		"want !GetAtt":           {"!GetAtt Work.Arn", "arn:aws:sqs:eu-central-1:1:work"},
		"has no time-out":        {"Timeout: 15", "Timeout: 0"},
		"want a RedrivePolicy":   {"maxReceiveCount: 5", "maxReceiveCount: 0"},
		"is no queue":            {"!GetAtt Dead.Arn", "!GetAtt Gone.Arn"},
		"takes from Work":        {"          Type: SQS\n", "          Type: SQS\n          Properties: { Queue: !GetAtt Work.Arn }\n        Again:\n          Type: SQS\n"},
		"cannot be run here":     {"Type: SQS", "Type: Kinesis"},
		"cannot unmarshal !!str": {"BatchSize: 1", "BatchSize: one"},
	} {
		if _, err := readTemplate([]byte(strings.Replace(queueTemplate, change[0], change[1], 1))); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%v, want %q", err, what)
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
