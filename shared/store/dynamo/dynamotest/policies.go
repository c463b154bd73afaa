package dynamotest

import (
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// Right is leave to take an action, like GetItem, on those rows of a table of the template whose partition key is like a pattern.
type Right struct{ Table, Action, Pattern string }

// Policy is what a function of the template may do with the tables.
type Policy []Right

// Allows reports whether an action may be taken on the rows of a partition.
func (p Policy) Allows(table, action, partition string) bool {
	return slices.ContainsFunc(p, func(r Right) bool {
		return r.Table == table && r.Action == action && like(r.Pattern, partition)
	})
}

// like is IAM's StringLike for patterns whose only wildcard is a star at the end.
func like(pattern, text string) bool {
	prefix, open := strings.CutSuffix(pattern, "*")
	return text == pattern || open && strings.HasPrefix(text, prefix)
}

// policyStatement is one of a policy of the template.
type policyStatement struct {
	Effect    string              `yaml:"Effect"`
	Action    []string            `yaml:"Action"`
	Resource  yaml.Node           `yaml:"Resource"`
	Condition map[string]rowsOnly `yaml:"Condition"`
}

// rowsOnly is a condition on the rows of a table.
type rowsOnly struct {
	LeadingKeys []string `yaml:"dynamodb:LeadingKeys"`
}

// Policies reads what each function of a template may do with the tables, by the functions' folders. A statement about a table that does
// not name its rows, or that reads differently than these do, fails the test.
func Policies(t testing.TB, templateFile string) map[string]Policy {
	t.Helper()
	source, err := os.ReadFile(templateFile)
	if err != nil {
		t.Fatal(err)
	}
	var template struct {
		Resources map[string]struct {
			Type       string    `yaml:"Type"`
			Properties yaml.Node `yaml:"Properties"`
		} `yaml:"Resources"`
	}
	if err := yaml.Unmarshal(source, &template); err != nil {
		t.Fatal(err)
	}
	shared := make(map[string]Policy)
	for id, resource := range template.Resources {
		if resource.Type != "AWS::IAM::ManagedPolicy" {
			continue
		}
		var policy struct {
			Document struct {
				Statement []policyStatement `yaml:"Statement"`
			} `yaml:"PolicyDocument"`
		}
		if err := resource.Properties.Decode(&policy); err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		shared[id] = rightsIn(t, id, policy.Document.Statement)
	}
	policies := make(map[string]Policy)
	for id, resource := range template.Resources {
		if resource.Type != "AWS::Serverless::Function" {
			continue
		}
		var function struct {
			CodeURI  string      `yaml:"CodeUri"`
			Policies []yaml.Node `yaml:"Policies"`
		}
		if err := resource.Properties.Decode(&function); err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		name := path.Base(function.CodeURI)
		policies[name] = Policy{}
		for i := range function.Policies {
			node := &function.Policies[i]
			if node.Kind == yaml.ScalarNode {
				if _, found := shared[node.Value]; !found {
					t.Fatalf("%s: the policy %s is not one of the template", id, node.Value)
				}
				policies[name] = append(policies[name], shared[node.Value]...)
				continue
			}
			var inline struct {
				Statement []policyStatement `yaml:"Statement"`
			}
			if err := node.Decode(&inline); err != nil {
				t.Fatalf("%s: %v", id, err)
			}
			policies[name] = append(policies[name], rightsIn(t, id, inline.Statement)...)
		}
	}
	return policies
}

// rightsIn are the rights to tables that statements give.
func rightsIn(t testing.TB, id string, statements []policyStatement) Policy {
	t.Helper()
	var rights Policy
	for i := range statements {
		s := &statements[i]
		if !slices.ContainsFunc(s.Action, func(action string) bool { return strings.HasPrefix(action, "dynamodb:") }) {
			continue
		}
		table, isArn := strings.CutSuffix(s.Resource.Value, ".Arn")
		rows := s.Condition["ForAllValues:StringLike"].LeadingKeys
		if s.Effect != "Allow" || !isArn || len(rows) == 0 || len(s.Condition) != 1 {
			t.Fatalf("%s: a statement on a table wants to allow, to name one table by !GetAtt, and to name its rows by ForAllValues:StringLike: %+v", id, s)
		}
		for _, action := range s.Action {
			name, isDynamo := strings.CutPrefix(action, "dynamodb:")
			for _, pattern := range rows {
				if !isDynamo || strings.Contains(name, "*") || strings.Contains(strings.TrimSuffix(pattern, "*"), "*") || strings.Contains(pattern, "?") {
					t.Fatalf("%s: %s on %s: want actions of the tables by name, and a star at the end of the rows' keys at most", id, action, pattern)
				}
				rights = append(rights, Right{Table: table, Action: name, Pattern: pattern})
			}
		}
	}
	return rights
}
