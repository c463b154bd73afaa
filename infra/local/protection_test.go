package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// resources are those of the template, by name.
func resources(t *testing.T) map[string]resource {
	t.Helper()
	source, err := os.ReadFile(filepath.Join(root, "template.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var template struct {
		Resources map[string]resource `yaml:"Resources"`
	}
	if err := yaml.Unmarshal(source, &template); err != nil {
		t.Fatal(err)
	}
	return template.Resources
}

type resource struct {
	Type       string    `yaml:"Type"`
	Deletion   string    `yaml:"DeletionPolicy"`
	Replace    string    `yaml:"UpdateReplacePolicy"`
	Properties yaml.Node `yaml:"Properties"`
}

func (r *resource) read(t *testing.T, into any) {
	t.Helper()
	if err := r.Properties.Decode(into); err != nil {
		t.Fatal(err)
	}
}

// What is kept for good survives mistakes, and what waits is encrypted and given up to where it can come back from.
func TestWhatIsKeptIsProtected(t *testing.T) {
	all := resources(t)
	tables, queues := 0, 0
	for id, r := range all {
		switch r.Type {
		case "AWS::DynamoDB::Table":
			tables++
			var p struct {
				Recovery struct {
					Enabled bool `yaml:"PointInTimeRecoveryEnabled"`
				} `yaml:"PointInTimeRecoverySpecification"`
				Encryption struct {
					Enabled bool `yaml:"SSEEnabled"`
				} `yaml:"SSESpecification"`
				Expiry struct {
					Attribute string `yaml:"AttributeName"`
					Enabled   bool   `yaml:"Enabled"`
				} `yaml:"TimeToLiveSpecification"`
				Protected bool `yaml:"DeletionProtectionEnabled"`
			}
			r.read(t, &p)
			if !p.Recovery.Enabled || !p.Encryption.Enabled || !p.Protected || p.Expiry.Attribute != "expiresAt" || !p.Expiry.Enabled || r.Deletion != "Retain" || r.Replace != "Retain" {
				t.Errorf("%s: %+v", id, p)
			}
		case "AWS::SQS::Queue":
			queues++
			checkQueue(t, all, id)
		case "AWS::Logs::LogGroup":
			var p struct {
				Retention string `yaml:"RetentionInDays"`
			}
			r.read(t, &p)
			if p.Retention == "" {
				t.Errorf("%s is kept for ever", id)
			}
		}
	}
	if tables != 2 || queues < 11 {
		t.Errorf("%d tables, %d queues", tables, queues)
	}
}

type queueProperties struct {
	Name      string `yaml:"QueueName"`
	Retention int    `yaml:"MessageRetentionPeriod"`
	Encrypted bool   `yaml:"SqsManagedSseEnabled"`
	Redrive   struct {
		Target string `yaml:"deadLetterTargetArn"`
	} `yaml:"RedrivePolicy"`
	Allow struct {
		Permission string   `yaml:"redrivePermission"`
		Sources    []string `yaml:"sourceQueueArns"`
	} `yaml:"RedriveAllowPolicy"`
}

// checkQueue holds that a queue is encrypted, and that a queue of dead letters keeps them two weeks and takes those of its own queue only.
func checkQueue(t *testing.T, all map[string]resource, id string) {
	t.Helper()
	r := all[id]
	var p queueProperties
	r.read(t, &p)
	if !p.Encrypted || !strings.HasPrefix(p.Name, "${AWS::StackName}-") {
		t.Errorf("%s: %+v", id, p)
	}
	if strings.HasSuffix(id, "DeadLetters") {
		if p.Retention != 1209600 || p.Redrive.Target != "" || !strings.HasSuffix(p.Name, "-dead-letters") {
			t.Errorf("%s: %+v", id, p)
		}
		if id == "ScheduleDeadLetters" && p.Allow.Permission != "denyAll" {
			t.Errorf("%s takes the dead letters of queues", id)
		}
		return
	}
	var dead queueProperties
	letters := all[strings.TrimSuffix(p.Redrive.Target, ".Arn")]
	letters.read(t, &dead)
	if dead.Name != p.Name+"-dead-letters" || dead.Allow.Permission != "byQueue" || len(dead.Allow.Sources) != 1 || !strings.HasSuffix(dead.Allow.Sources[0], ":"+p.Name) {
		t.Errorf("%s gives up to %s, which takes from %+v", id, dead.Name, dead.Allow)
	}
}

// Every schedule has a name of its own in each stack, and every function room to start quickly.
func TestStacksLiveSideBySide(t *testing.T) {
	for id, r := range resources(t) {
		if r.Type != "AWS::Serverless::Function" {
			continue
		}
		var f struct {
			Memory int    `yaml:"MemorySize"`
			Name   string `yaml:"FunctionName"`
			Events map[string]struct {
				Type       string `yaml:"Type"`
				Properties struct {
					OmitName bool   `yaml:"OmitName"`
					Name     string `yaml:"Name"`
				} `yaml:"Properties"`
			} `yaml:"Events"`
		}
		r.read(t, &f)
		if f.Memory != 0 && f.Memory < 512 || f.Name != "" {
			t.Errorf("%s: %+v", id, f)
		}
		for name, e := range f.Events {
			if e.Type == "ScheduleV2" && (!e.Properties.OmitName || e.Properties.Name != "") {
				t.Errorf("%s.%s has the same name in every stack", id, name)
			}
		}
	}
}

// The gateway limits what comes in, and its log holds nothing that a caller sent but where it came from.
func TestTheGatewayLogsNoSecrets(t *testing.T) {
	api := resources(t)["Api"]
	var p struct {
		Routes struct {
			Rate  string `yaml:"ThrottlingRateLimit"`
			Burst string `yaml:"ThrottlingBurstLimit"`
		} `yaml:"DefaultRouteSettings"`
		Log struct {
			Destination string `yaml:"DestinationArn"`
			Format      string `yaml:"Format"`
		} `yaml:"AccessLogSettings"`
	}
	api.read(t, &p)
	if p.Routes.Rate == "" || p.Routes.Burst == "" || p.Log.Destination != "AccessLogs.Arn" {
		t.Errorf("%+v", p)
	}
	allowed := map[string]bool{
		"requestTime": true, "requestId": true, "domainName": true, "routeKey": true, "status": true, "responseLength": true, "responseLatency": true,
		"integrationLatency": true, "identity.sourceIp": true, "error.responseType": true, "integrationErrorMessage": true,
	}
	found := regexp.MustCompile(`\$context\.([A-Za-z.]+)`).FindAllStringSubmatch(p.Log.Format, -1)
	for _, variable := range found {
		if !allowed[variable[1]] {
			t.Errorf("the access log holds %s", variable[1])
		}
	}
	if len(found) < 8 {
		t.Errorf("the access log holds %d things", len(found))
	}
}
