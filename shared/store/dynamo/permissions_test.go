package dynamo_test

import (
	"context"
	"iter"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2/dynamodbiface"
	"go.yaml.in/yaml/v3"
)

// actionLog notes which of DynamoDB's actions are taken on rows of each kind: those whose partition begins with the same word.
type actionLog struct {
	mu     sync.Mutex
	byKind map[string][]string
}

func (l *actionLog) note(action string, partition types.AttributeValue) {
	text, ok := partition.(*types.AttributeValueMemberS)
	if !ok {
		return
	}
	kind, _, _ := strings.Cut(text.Value, "#")
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Contains(l.byKind[kind], action) {
		l.byKind[kind] = append(l.byKind[kind], action)
	}
}

// noting is a client that notes what it is asked for. Calls that it does not know panic: they need a permission of their own.
type noting struct {
	dynamodbiface.DynamoDBAPI
	inner dynamodbiface.DynamoDBAPI
	log   *actionLog
}

type option = func(*dynamodb.Options)

func (c noting) GetItem(ctx context.Context, in *dynamodb.GetItemInput, options ...option) (*dynamodb.GetItemOutput, error) {
	c.log.note("GetItem", in.Key["pk"])
	return c.inner.GetItem(ctx, in, options...)
}

func (c noting) Query(ctx context.Context, in *dynamodb.QueryInput, options ...option) (*dynamodb.QueryOutput, error) {
	if condition, ok := in.KeyConditions["pk"]; ok {
		c.log.note("Query", condition.AttributeValueList[0])
	}
	return c.inner.Query(ctx, in, options...)
}

func (c noting) PutItem(ctx context.Context, in *dynamodb.PutItemInput, options ...option) (*dynamodb.PutItemOutput, error) {
	c.log.note("PutItem", in.Item["pk"])
	return c.inner.PutItem(ctx, in, options...)
}

func (c noting) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, options ...option) (*dynamodb.UpdateItemOutput, error) {
	c.log.note("UpdateItem", in.Key["pk"])
	return c.inner.UpdateItem(ctx, in, options...)
}

func (c noting) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput, options ...option) (*dynamodb.DeleteItemOutput, error) {
	c.log.note("DeleteItem", in.Key["pk"])
	return c.inner.DeleteItem(ctx, in, options...)
}

func (c noting) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, options ...option) (*dynamodb.BatchGetItemOutput, error) {
	for _, asked := range in.RequestItems {
		for _, key := range asked.Keys {
			c.log.note("BatchGetItem", key["pk"])
		}
	}
	return c.inner.BatchGetItem(ctx, in, options...)
}

func (c noting) BatchWriteItem(ctx context.Context, in *dynamodb.BatchWriteItemInput, options ...option) (*dynamodb.BatchWriteItemOutput, error) {
	for _, writes := range in.RequestItems {
		for _, write := range writes {
			if write.PutRequest != nil {
				c.log.note("BatchWriteItem", write.PutRequest.Item["pk"])
			}
			if write.DeleteRequest != nil {
				c.log.note("BatchWriteItem", write.DeleteRequest.Key["pk"])
			}
		}
	}
	return c.inner.BatchWriteItem(ctx, in, options...)
}

// TransactWriteItems takes the actions of its writes.
func (c noting) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, options ...option) (*dynamodb.TransactWriteItemsOutput, error) {
	for _, write := range in.TransactItems {
		switch {
		case write.Put != nil:
			c.log.note("PutItem", write.Put.Item["pk"])
		case write.Update != nil:
			c.log.note("UpdateItem", write.Update.Key["pk"])
		case write.Delete != nil:
			c.log.note("DeleteItem", write.Delete.Key["pk"])
		case write.ConditionCheck != nil:
			c.log.note("ConditionCheckItem", write.ConditionCheck.Key["pk"])
		}
	}
	return c.inner.TransactWriteItems(ctx, in, options...)
}

// CreateTable and the calls after it are those of the tests.
func (c noting) CreateTable(ctx context.Context, in *dynamodb.CreateTableInput, options ...option) (*dynamodb.CreateTableOutput, error) {
	return c.inner.CreateTable(ctx, in, options...)
}

func (c noting) DescribeTable(ctx context.Context, in *dynamodb.DescribeTableInput, options ...option) (*dynamodb.DescribeTableOutput, error) {
	return c.inner.DescribeTable(ctx, in, options...)
}

func (c noting) DeleteTable(ctx context.Context, in *dynamodb.DeleteTableInput, options ...option) (*dynamodb.DeleteTableOutput, error) {
	return c.inner.DeleteTable(ctx, in, options...)
}

func (c noting) UpdateTimeToLive(ctx context.Context, in *dynamodb.UpdateTimeToLiveInput, options ...option) (*dynamodb.UpdateTimeToLiveOutput, error) {
	return c.inner.UpdateTimeToLive(ctx, in, options...)
}

// statement is a policy statement of the template.
type statement struct {
	Action    []string `yaml:"Action"`
	Resource  any      `yaml:"Resource"`
	Condition struct {
		Like struct {
			LeadingKeys []string `yaml:"dynamodb:LeadingKeys"`
		} `yaml:"ForAllValues:StringLike"`
	} `yaml:"Condition"`
}

// allows reports whether the statement lets an action be taken on rows of a kind.
func (s statement) allows(action, kind string) bool {
	keys := s.Condition.Like.LeadingKeys
	return s.Resource == "RecordsTable.Arn" && slices.Contains(s.Action, "dynamodb:"+action) &&
		(len(keys) == 0 || slices.ContainsFunc(keys, func(key string) bool { return key == kind || strings.HasPrefix(key, kind+"#") }))
}

// deployedPolicies are the statements of the template's functions by their folders.
func deployedPolicies(t *testing.T) map[string][]statement {
	t.Helper()
	source, err := os.ReadFile(templateFile)
	if err != nil {
		t.Fatal(err)
	}
	var template struct {
		Resources map[string]struct {
			Properties yaml.Node `yaml:"Properties"`
		} `yaml:"Resources"`
	}
	if err := yaml.Unmarshal(source, &template); err != nil {
		t.Fatal(err)
	}
	policies := make(map[string][]statement)
	for id, resource := range template.Resources {
		if !strings.HasSuffix(id, "Function") {
			continue
		}
		var function struct {
			CodeURI  string `yaml:"CodeUri"`
			Policies []struct {
				Statement []statement `yaml:"Statement"`
			} `yaml:"Policies"`
		}
		if err := resource.Properties.Decode(&function); err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		name := strings.TrimSuffix(strings.TrimPrefix(function.CodeURI, "build/"), "/")
		for _, p := range function.Policies {
			policies[name] = append(policies[name], p.Statement...)
		}
	}
	return policies
}

// needed are the actions on the rows of agents and of what they do, by the port whose functions must be allowed to take them.
var needed = map[string][]string{
	"AGENT":     {"GetItem", "PutItem", "Query", "BatchGetItem"},    // Agents, Executions
	"AGENTS":    {"PutItem", "Query"},                               // Agents
	"AGENTSDUE": {"PutItem", "DeleteItem", "Query"},                 // Agents
	"FOLLOWED":  {"PutItem", "Query"},                               // Agents
	"FOLLOWERS": {"PutItem", "DeleteItem", "Query"},                 // Agents
	"READING":   {"GetItem", "PutItem"},                             // Readings
	"REQUEST":   {"GetItem", "PutItem", "DeleteItem", "UpdateItem"}, // Idempotency
	"NONCE":     {"UpdateItem"},                                     // Nonces
	"WEBHOOKS":  {"GetItem", "PutItem", "DeleteItem", "Query"},      // Webhooks
	"OUTBOX":    {"PutItem", "DeleteItem", "Query"},                 // Outbox; PutItem for whoever says events
	// Outbox; PutItem and ConditionCheckItem for whoever says events
	"OUTBOXIDS": {"GetItem", "PutItem", "DeleteItem", "UpdateItem", "BatchGetItem", "ConditionCheckItem"},
	"PARKED":    {"PutItem", "DeleteItem", "Query"}, // Outbox
}

// checkPermissions compares what was done to rows of each kind with what the functions may do that deal with them.
func checkPermissions(t *testing.T, done map[string][]string) {
	for kind, actions := range needed {
		if got, want := slices.Sorted(slices.Values(done[kind])), slices.Sorted(slices.Values(actions)); !slices.Equal(got, want) {
			t.Errorf("on rows of kind %s the stores do %v, want %v", kind, got, want)
		}
	}
	reads := []string{"GetItem", "Query", "BatchGetItem", "Scan"}
	policies := deployedPolicies(t)
	check := func(function, kind string, matters func(action string) bool) {
		t.Helper()
		if len(done[kind]) == 0 {
			t.Errorf("nothing was done to rows of kind %s", kind)
		}
		for _, action := range done[kind] {
			if matters(action) && !slices.ContainsFunc(policies[function], func(s statement) bool { return s.allows(action, kind) }) {
				t.Errorf("template.yaml: %s may not %s rows of kind %s, which its store does", function, action, kind)
			}
		}
	}
	// Who changes something that is told of writes the log of events and the outbox, which only the one who delivers reads.
	told := []string{"EVENTS", "OUTBOX", "OUTBOXIDS"}
	agents := append([]string{"NONCE", "AGENT", "AGENTS", "AGENTSDUE", "FOLLOWED", "FOLLOWERS"}, told...)
	for function, kinds := range map[string][]string{
		"discover-leaders":     {"PASSES", "LAUNCHES", "LEADERS"},
		"grade-leaders":        append([]string{"PASSES", "LEADERS", "FORECASTS", "FOLLOWUPS", "DUE", "BOARD"}, told...),
		"resolve-track-record": {"PASSES", "FORECASTS", "FOLLOWUPS", "DUE", "BOARD"},
		"create-agent":         append([]string{"REQUEST"}, agents...), "activation": agents, "activate-agent": append([]string{"REQUEST"}, agents...),
		"pause-agent": append([]string{"REQUEST"}, agents...), "resume-agent": append([]string{"REQUEST"}, agents...), "stop-agent": append([]string{"REQUEST"}, agents...),
		"list-agents": {"NONCE"}, "agent": {"NONCE"}, "executions": {"NONCE"},
		"expire-agents":    append([]string{"AGENT", "AGENTS", "AGENTSDUE", "FOLLOWED", "FOLLOWERS"}, told...),
		"mirror-trades":    append([]string{"PASSES", "AGENT", "FOLLOWED", "FOLLOWERS", "READING"}, told...),
		"deliver-webhooks": {"PASSES", "WEBHOOKS", "OUTBOX", "OUTBOXIDS", "PARKED"},
		"mcp":              append([]string{"REQUEST", "WEBHOOKS", "SNAPSHOTS", "OBSERVATIONS"}, agents...),
		"put-webhook":      {"WEBHOOKS"}, "webhook": {"WEBHOOKS"}, "delete-webhook": {"WEBHOOKS"}, "test-webhook": {"WEBHOOKS", "REQUEST"},
	} {
		for _, kind := range kinds {
			deliver := function == "deliver-webhooks"
			check(function, kind, func(action string) bool {
				return deliver || !slices.Contains(told, kind) || action == "PutItem" || action == "ConditionCheckItem"
			})
		}
	}
	for function, kinds := range map[string][]string{
		"trader-board": {"BOARD"}, "spot-leaders": {"BOARD"}, "top-traders": {"BOARD"}, "strategies": {"BOARD"}, "track-record": {"BOARD"},
		"copy-leaders": {"BOARD"}, "copy-plan": {"AGENT", "AGENTS"}, "copy-overlap": {"AGENT", "AGENTS"}, "list-agents": {"AGENT", "AGENTS"},
		"agent": {"AGENT"}, "executions": {"AGENT"}, "mirror-trades": {"LEADERS"}, "create-agent": {"LEADERS"},
	} {
		for _, kind := range kinds {
			check(function, kind, func(action string) bool { return slices.Contains(reads, action) })
		}
	}
	for _, kind := range []string{"PARTNER", "KEY", "BOARD", "AGENT", "AGENTS", "LEADERS", "PEERS", "SNAPSHOTS", "OBSERVATIONS"} {
		check("mcp", kind, func(action string) bool { return slices.Contains(reads, action) })
	}
	// It answers every endpoint, so it may do what each of their functions may, and no more.
	for _, job := range []string{"discover-leaders", "grade-leaders", "resolve-track-record", "refresh-peers", "expire-agents", "mirror-trades", "deliver-webhooks"} {
		delete(policies, job)
	}
	for function, statements := range policies {
		for _, s := range statements {
			for action, kind := range s.grants() {
				if !slices.ContainsFunc(policies["mcp"], func(own statement) bool { return own.allows(action, kind) }) {
					t.Errorf("template.yaml: mcp may not %s rows of kind %s, which %s may", action, kind, function)
				}
			}
		}
	}
	for _, s := range policies["mcp"] {
		for action, kind := range s.grants() {
			found := false
			for function, statements := range policies {
				found = found || (function != "mcp" && slices.ContainsFunc(statements, func(other statement) bool { return other.allows(action, kind) }))
			}
			if !found {
				t.Errorf("template.yaml: mcp may %s rows of kind %s, which no other function may", action, kind)
			}
		}
	}
}

// grants yields the actions of a statement on the table of records with the kinds of rows that they are granted for. What is granted to
// write without a condition is for what token endpoints remember.
func (s statement) grants() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		keys := s.Condition.Like.LeadingKeys
		if s.Resource != "RecordsTable.Arn" {
			return
		}
		for _, action := range s.Action {
			action = strings.TrimPrefix(action, "dynamodb:")
			kinds := keys
			switch {
			case len(keys) > 0:
			case action == "PutItem":
				kinds = []string{"SNAPSHOTS", "OBSERVATIONS"}
			default:
				kinds = []string{"ANY"}
			}
			for _, kind := range kinds {
				if !yield(action, strings.TrimSuffix(kind, "#*")) {
					return
				}
			}
		}
	}
}
