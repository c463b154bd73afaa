package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/mirrorworthy/mirrorworthy/shared/client/localwallet"
	"github.com/mirrorworthy/mirrorworthy/shared/host"
)

func deployed(t *testing.T) []byte {
	t.Helper()
	source, err := os.ReadFile("../../template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return source
}

func TestEveryFunctionIsTriedAndMakersComeFirst(t *testing.T) {
	functions, err := readFunctions(deployed(t))
	if err != nil {
		t.Fatal(err)
	}
	folders, err := os.ReadDir("../../functions")
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, folder := range folders {
		want = append(want, folder.Name())
	}
	for _, f := range functions {
		got = append(got, f.folder)
		if f.folder == "agent" && (len(f.routes) != 2 || f.routes[0] != route{"GET", "/v1/copy/agents/{agentId}"} || f.id != "AgentFunction") {
			t.Errorf("%+v", f)
		}
	}
	if !slices.Equal(got[:len(makers)], makers) || !slices.IsSorted(got[len(makers):]) {
		t.Errorf("in the order %v", got)
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// What the template is turned into names nothing outside of the world of a trial, and sets only what there is to set.
func TestTheTemplateIsOfThisWorld(t *testing.T) {
	w := &world{settings: map[string]string{"TRACING": "off", "DYNAMODB_ENDPOINT": "http://192.0.2.1:8000", "SQS_ENDPOINT": "http://192.0.2.1:1"}}
	settings := make(map[string]bool)
	for _, s := range host.Settings() {
		settings[s.Name] = true
	}
	for name, address := range host.SampleAddresses("http://192.0.2.1:2") {
		w.settings[settingOf(name)] = address
	}
	for name := range w.settings {
		if !settings[name] {
			t.Errorf("%s is no setting", name)
		}
	}
	text := w.template(deployed(t), "/folder")
	var template struct {
		Globals struct {
			Function struct {
				Environment struct {
					Variables map[string]string `yaml:"Variables"`
				} `yaml:"Environment"`
			} `yaml:"Function"`
		} `yaml:"Globals"`
	}
	if err := yaml.Unmarshal(text, &template); err != nil {
		t.Fatal(err)
	}
	variables := template.Globals.Function.Environment.Variables
	for name, value := range w.settings {
		if variables[name] != value {
			t.Errorf("%s is %q, want %q", name, variables[name], value)
		}
	}
	if variables["RECORDS_TABLE"] != "RecordsTable" || variables["PROVIDERS"] != "live" {
		t.Errorf("%v", variables)
	}
	for _, left := range []string{"CodeUri: build/", "QUEUE_DISCOVER_LEADERS: !Ref", "QUEUE_GRADE_LEADERS: !Ref", "QUEUE_RESOLVE_TRACK_RECORD: !Ref", "QUEUE_MIRROR_TRADES: !Ref", "QUEUE_DELIVER_WEBHOOKS: !Ref"} {
		if strings.Contains(string(text), left) {
			t.Errorf("the template still has %q", left)
		}
	}
}

// Nothing in an event that stands for something else is left.
func TestEventsAreFilled(t *testing.T) {
	t.Chdir("../..")
	signer, err := localwallet.New(t.Context(), strings.Repeat("17", 32), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer signer.Close()
	w := &world{key: "mw_live_key", signer: signer, created: "ag_made"}
	text, asked, err := w.event(t.Context(), "agent")
	if err != nil || strings.Contains(string(text), "replace_with") || asked.path != "/v1/copy/agents/ag_made" || asked.method != http.MethodGet {
		t.Errorf("%s %+v %v", text, asked, err)
	}
	if asked.header.Get("Authorization") != "Bearer mw_live_key" || asked.header.Get("X-Wallet-Address") != signer.Address() || asked.header.Get("X-Wallet-Signature") == "" {
		t.Errorf("%v", asked.header)
	}
	if _, _, err := w.event(t.Context(), "nobody"); err == nil {
		t.Error("an event that is not there was read")
	}
}

func TestAnswersAreJudged(t *testing.T) {
	endpoint, job := function{folder: "venues", routes: []route{{"GET", "/v1/copy/venues"}}}, function{folder: "grade-leaders"}
	for answer, of := range map[string]struct {
		function
		good bool
	}{
		`{"statusCode":200,"body":"{}"}`:                {endpoint, true},
		`{"statusCode":409,"body":"{\"error\":\"x\"}"}`: {endpoint, true},
		`{"statusCode":401,"body":"{}"}`:                {endpoint, false},
		`{"statusCode":503,"body":"{}"}`:                {endpoint, false},
		`{"statusCode":503,"body":"{\"error\":\"provider_unavailable\",\"message\":\"A data provider did not answer in time. Wait.\"}"}`: {endpoint, true},
		`{"statusCode":503,"body":"{\"error\":\"provider_unavailable\",\"message\":\"Keys cannot be checked.\"}"}`:                       {endpoint, false},
		`{"statusCode":200,"body":"<html>"}`: {endpoint, false},
		`{}`:                                 {endpoint, false},
		``:                                   {endpoint, false},
		`null`:                               {job, true},
		`{"batchItemFailures":[]}`:           {job, true},
		`{"errorMessage":"cannot start","errorType":"exit"}`:     {job, false},
		`{"errorMessage":"timed out","statusCode":0,"body":"x"}`: {endpoint, false},
	} {
		if err := (&runner{world: &world{}}).judge("invoke", of.function, 0, []byte(answer), ""); (err == nil) != of.good {
			t.Errorf("%s of %s: %v", answer, of.folder, err)
		}
	}
}

func TestMessagesAreTaken(t *testing.T) {
	for body, want := range map[string]string{
		`{"QueueUrl":"q","Entries":[{"Id":"0","MessageBody":"a"},{"Id":"1","MessageBody":"b"}]}`: `{"Successful":[{"Id":"0","MessageId":"m0"},{"Id":"1","MessageId":"m1"}]}`,
		`nonsense`: "no batch of messages",
	} {
		answer := httptest.NewRecorder()
		takeMessages(answer, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body)))
		if got := strings.TrimSpace(answer.Body.String()); got != want {
			t.Errorf("%s: %s", body, got)
		}
	}
	if _, err := reachable("", "192.0.2.1"); err == nil {
		t.Error("no address is reachable")
	}
	if got, err := reachable("http://127.0.0.1:8000", "192.0.2.1"); err != nil || got != "http://192.0.2.1:8000" {
		t.Error(got, err)
	}
}
