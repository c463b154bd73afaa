package main

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// route is one HTTP route of the template. The catch-all route has neither method nor path.
type route struct {
	Method, Path, Function string
}

// schedule is one timer of the template.
type schedule struct {
	Name, Function string
	Every          time.Duration
}

// consumer is a queue of the template with the one function that it delivers to.
type consumer struct {
	Function string
	// Queue and DeadLetters are resources of the template. A message that failed Receives times gets to DeadLetters.
	Queue, DeadLetters string
	Receives           int
	// Batch is how many messages a call of the function gets at most, Concurrency how many calls there are at a time, 0 for no limit.
	Batch, Concurrency int
	// Partial is whether the function says which messages of a batch failed.
	Partial bool
	// Timeout ends a call; Visibility is after how long a message that was delivered is delivered again.
	Timeout, Visibility time.Duration
	// Settings are the environment variables of the function alone.
	Settings map[string]string
}

// function is how a function of the template is run.
type function struct {
	Timeout  time.Duration
	MemoryMB int
	// Variables are those that the template sets for it.
	Variables map[string]bool
}

// template is what the local gateway needs of template.yaml: which function answers which route, which runs when, and which takes
// what from a queue. A function is named by its folder.
type template struct {
	Functions map[string]function
	Routes    []route
	Schedules []schedule
	Consumers []consumer
}

type templateEvent struct {
	Type       string `yaml:"Type"`
	Properties struct {
		Method             string   `yaml:"Method"`
		Path               string   `yaml:"Path"`
		ScheduleExpression string   `yaml:"ScheduleExpression"`
		State              string   `yaml:"State"`
		Queue              string   `yaml:"Queue"`
		BatchSize          int      `yaml:"BatchSize"`
		Responses          []string `yaml:"FunctionResponseTypes"`
		ScalingConfig      struct {
			MaximumConcurrency int `yaml:"MaximumConcurrency"`
		} `yaml:"ScalingConfig"`
	} `yaml:"Properties"`
}

type templateFunction struct {
	CodeURI     string                   `yaml:"CodeUri"`
	Timeout     int                      `yaml:"Timeout"`
	Memory      int                      `yaml:"MemorySize"`
	Events      map[string]templateEvent `yaml:"Events"`
	Environment struct {
		Variables map[string]string `yaml:"Variables"`
	} `yaml:"Environment"`
}

type templateQueue struct {
	VisibilityTimeout int `yaml:"VisibilityTimeout"`
	RedrivePolicy     struct {
		DeadLetters string `yaml:"deadLetterTargetArn"`
		Receives    int    `yaml:"maxReceiveCount"`
	} `yaml:"RedrivePolicy"`
}

// readTemplate reads routes, schedules and queues. CloudFormation's short tags are tolerated where they are not needed.
func readTemplate(source []byte) (template, error) {
	var parsed struct {
		Globals struct {
			Function struct {
				Timeout     int `yaml:"Timeout"`
				Memory      int `yaml:"MemorySize"`
				Environment struct {
					Variables map[string]string `yaml:"Variables"`
				} `yaml:"Environment"`
			} `yaml:"Function"`
		} `yaml:"Globals"`
		Resources map[string]struct {
			Type       string    `yaml:"Type"`
			Properties yaml.Node `yaml:"Properties"`
		} `yaml:"Resources"`
	}
	if err := yaml.Unmarshal(source, &parsed); err != nil {
		return template{}, fmt.Errorf("template.yaml: %w", err)
	}
	queues := make(map[string]templateQueue)
	for id, resource := range parsed.Resources {
		if resource.Type == "AWS::SQS::Queue" {
			var q templateQueue
			if err := resource.Properties.Decode(&q); err != nil {
				return template{}, fmt.Errorf("template.yaml: %s: %w", id, err)
			}
			queues[id] = q
		}
	}
	t := template{Functions: make(map[string]function)}
	for id, resource := range parsed.Resources {
		if resource.Type != "AWS::Serverless::Function" {
			continue
		}
		declared := templateFunction{Timeout: parsed.Globals.Function.Timeout, Memory: parsed.Globals.Function.Memory}
		if err := resource.Properties.Decode(&declared); err != nil {
			return template{}, fmt.Errorf("template.yaml: %s: %w", id, err)
		}
		name, ok := strings.CutPrefix(strings.TrimSuffix(declared.CodeURI, "/"), "build/")
		if !ok {
			return template{}, fmt.Errorf("template.yaml: %s: CodeUri %q is not build/<function>/", id, declared.CodeURI)
		}
		f := function{Timeout: time.Duration(declared.Timeout) * time.Second, MemoryMB: declared.Memory, Variables: make(map[string]bool)}
		for _, variables := range []map[string]string{parsed.Globals.Function.Environment.Variables, declared.Environment.Variables} {
			for variable, value := range variables {
				f.Variables[variable] = value != "" // an empty one takes away what all are given
			}
		}
		t.Functions[name] = f
		for event, e := range declared.Events {
			if err := t.add(name, id+"."+event, declared, e, queues); err != nil {
				return template{}, err
			}
		}
	}
	sort.Slice(t.Routes, func(i, j int) bool {
		return t.Routes[i].Path+t.Routes[i].Method < t.Routes[j].Path+t.Routes[j].Method
	})
	sort.Slice(t.Schedules, func(i, j int) bool { return t.Schedules[i].Name < t.Schedules[j].Name })
	sort.Slice(t.Consumers, func(i, j int) bool { return t.Consumers[i].Function < t.Consumers[j].Function })
	return t, nil
}

func (t *template) add(name, event string, function templateFunction, e templateEvent, queues map[string]templateQueue) error {
	switch e.Type {
	case "HttpApi":
		t.Routes = append(t.Routes, route{Method: strings.ToUpper(e.Properties.Method), Path: e.Properties.Path, Function: name})
	case "SQS":
		c, err := readConsumer(name, function, e, queues)
		if err != nil {
			return fmt.Errorf("template.yaml: %s: %w", event, err)
		}
		for _, other := range t.Consumers {
			if other.Function == name || other.Queue == c.Queue {
				return fmt.Errorf("template.yaml: %s: %s takes from %s already: only one function a queue and one queue a function can be run here", event, other.Function, other.Queue)
			}
		}
		t.Consumers = append(t.Consumers, c)
	case "ScheduleV2":
		if e.Properties.State == "DISABLED" {
			return nil
		}
		every, err := readRate(e.Properties.ScheduleExpression)
		if err != nil {
			return fmt.Errorf("template.yaml: %s: %w", event, err)
		}
		t.Schedules = append(t.Schedules, schedule{Name: event, Function: name, Every: every})
	default:
		return fmt.Errorf("template.yaml: %s: events of type %s cannot be run here", event, e.Type)
	}
	return nil
}

// defaultBatch is how many messages SAM hands over at a time when it is told nothing.
const defaultBatch = 10

// readConsumer reads the queue behind an event.
func readConsumer(name string, function templateFunction, e templateEvent, queues map[string]templateQueue) (consumer, error) {
	id := strings.TrimSuffix(e.Properties.Queue, ".Arn")
	q, ok := queues[id]
	switch {
	case !ok || id == e.Properties.Queue:
		return consumer{}, fmt.Errorf("queue %q: want !GetAtt Name.Arn of a queue of the template", e.Properties.Queue)
	case function.Timeout <= 0:
		return consumer{}, fmt.Errorf("%s has no time-out", name)
	case q.RedrivePolicy.Receives <= 0:
		return consumer{}, fmt.Errorf("queue %s: want a RedrivePolicy with a maxReceiveCount", id)
	}
	dead := strings.TrimSuffix(q.RedrivePolicy.DeadLetters, ".Arn")
	if _, ok := queues[dead]; !ok {
		return consumer{}, fmt.Errorf("queue %s: its deadLetterTargetArn %q is no queue of the template", id, q.RedrivePolicy.DeadLetters)
	}
	c := consumer{
		Function: name, Queue: id, DeadLetters: dead, Receives: q.RedrivePolicy.Receives,
		Batch: e.Properties.BatchSize, Concurrency: e.Properties.ScalingConfig.MaximumConcurrency,
		Partial: slices.Contains(e.Properties.Responses, "ReportBatchItemFailures"),
		Timeout: time.Duration(function.Timeout) * time.Second, Visibility: time.Duration(q.VisibilityTimeout) * time.Second,
		Settings: function.Environment.Variables,
	}
	if c.Batch == 0 {
		c.Batch = defaultBatch
	}
	return c, nil
}

// readRate reads EventBridge Scheduler's rate expressions, like rate(5 minutes).
func readRate(expression string) (time.Duration, error) {
	inner, ok := strings.CutPrefix(expression, "rate(")
	inner, closed := strings.CutSuffix(inner, ")")
	fields := strings.Fields(inner)
	if ok && closed && len(fields) == 2 {
		unit := map[string]time.Duration{"minute": time.Minute, "hour": time.Hour, "day": 24 * time.Hour}[strings.TrimSuffix(fields[1], "s")]
		if n, err := strconv.Atoi(fields[0]); err == nil && n > 0 && unit > 0 {
			return time.Duration(n) * unit, nil
		}
	}
	return 0, fmt.Errorf("schedule %q: only rate(N minutes|hours|days) can be run here", expression)
}
