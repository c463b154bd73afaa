package main

import (
	"fmt"
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

// template is what the local gateway needs of template.yaml: which function answers which route, and which runs when. A
// function is named by its folder.
type template struct {
	Routes    []route
	Schedules []schedule
}

type templateEvent struct {
	Type       string `yaml:"Type"`
	Properties struct {
		Method             string `yaml:"Method"`
		Path               string `yaml:"Path"`
		ScheduleExpression string `yaml:"ScheduleExpression"`
		State              string `yaml:"State"`
	} `yaml:"Properties"`
}

// readTemplate reads routes and schedules. CloudFormation's short tags are tolerated where they are not needed.
func readTemplate(source []byte) (template, error) {
	var parsed struct {
		Resources map[string]struct {
			Type       string    `yaml:"Type"`
			Properties yaml.Node `yaml:"Properties"`
		} `yaml:"Resources"`
	}
	if err := yaml.Unmarshal(source, &parsed); err != nil {
		return template{}, fmt.Errorf("template.yaml: %w", err)
	}
	var t template
	for id, resource := range parsed.Resources {
		if resource.Type != "AWS::Serverless::Function" {
			continue
		}
		var function struct {
			CodeURI string                   `yaml:"CodeUri"`
			Events  map[string]templateEvent `yaml:"Events"`
		}
		if err := resource.Properties.Decode(&function); err != nil {
			return template{}, fmt.Errorf("template.yaml: %s: %w", id, err)
		}
		name, ok := strings.CutPrefix(strings.TrimSuffix(function.CodeURI, "/"), "build/")
		if !ok {
			return template{}, fmt.Errorf("template.yaml: %s: CodeUri %q is not build/<function>/", id, function.CodeURI)
		}
		for event, e := range function.Events {
			if err := t.add(name, id+"."+event, e); err != nil {
				return template{}, err
			}
		}
	}
	sort.Slice(t.Routes, func(i, j int) bool {
		return t.Routes[i].Path+t.Routes[i].Method < t.Routes[j].Path+t.Routes[j].Method
	})
	sort.Slice(t.Schedules, func(i, j int) bool { return t.Schedules[i].Name < t.Schedules[j].Name })
	return t, nil
}

func (t *template) add(function, event string, e templateEvent) error {
	switch e.Type {
	case "HttpApi":
		t.Routes = append(t.Routes, route{Method: strings.ToUpper(e.Properties.Method), Path: e.Properties.Path, Function: function})
	case "ScheduleV2":
		if e.Properties.State == "DISABLED" {
			return nil
		}
		every, err := readRate(e.Properties.ScheduleExpression)
		if err != nil {
			return fmt.Errorf("template.yaml: %s: %w", event, err)
		}
		t.Schedules = append(t.Schedules, schedule{Name: event, Function: function, Every: every})
	default:
		return fmt.Errorf("template.yaml: %s: events of type %s cannot be run here", event, e.Type)
	}
	return nil
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
