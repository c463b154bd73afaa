package dynamo_test

import (
	"context"
	"maps"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/mirrorworthy/mirrorworthy/shared/store/dynamo/dynamotest"
)

// action is one of DynamoDB's actions on the rows of a kind: those of a table whose partition begins with the same word.
type action struct{ table, kind, name string }

// actionLog notes which actions each method of a port takes.
type actionLog struct {
	mu       sync.Mutex
	byMethod map[string]map[action]bool
	// alone are the kinds of rows whose partition is the word and nothing else.
	alone map[string]bool
}

func (l *actionLog) note(name string, table *string, partition types.AttributeValue) {
	text, ok := partition.(*types.AttributeValueMemberS)
	if !ok || table == nil {
		return
	}
	kind, _, longer := strings.Cut(text.Value, "#")
	method := portMethod()
	// The suite names tables anew in each of its groups, and always by what they hold.
	taken := action{table: "MetersTable", kind: kind, name: name}
	if strings.Contains(strings.ToLower(*table), "record") {
		taken.table = "RecordsTable"
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byMethod[method] == nil {
		l.byMethod[method] = make(map[action]bool)
	}
	l.byMethod[method][taken], l.alone[kind] = true, !longer
}

// methodPattern finds a method of a port in the name of a Go function, like that of dynamo.agents.Change.
var methodPattern = regexp.MustCompile(`/shared/store/dynamo\.([a-z]\w*)\.([A-Z]\w*)`)

// inGoroutines are the methods of which a part runs where the stack does not show them.
var inGoroutines = map[string]string{"/shared/store/dynamo.boards.inBatches": "boards.Publish"}

// portMethod is the method of a port that is running: the outermost one, for one may call others.
func portMethod() string {
	counters := make([]uintptr, 64)
	frames := runtime.CallersFrames(counters[:runtime.Callers(2, counters)])
	found := ""
	for {
		frame, more := frames.Next()
		if method := methodPattern.FindStringSubmatch(frame.Function); method != nil {
			found = method[1] + "." + method[2]
		}
		for part, method := range inGoroutines {
			if found == "" && strings.Contains(frame.Function, part) {
				found = method
			}
		}
		if !more {
			return found
		}
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
	c.log.note("GetItem", in.TableName, in.Key["pk"])
	return c.inner.GetItem(ctx, in, options...)
}

func (c noting) Query(ctx context.Context, in *dynamodb.QueryInput, options ...option) (*dynamodb.QueryOutput, error) {
	if condition, ok := in.KeyConditions["pk"]; ok {
		c.log.note("Query", in.TableName, condition.AttributeValueList[0])
	}
	return c.inner.Query(ctx, in, options...)
}

func (c noting) PutItem(ctx context.Context, in *dynamodb.PutItemInput, options ...option) (*dynamodb.PutItemOutput, error) {
	c.log.note("PutItem", in.TableName, in.Item["pk"])
	return c.inner.PutItem(ctx, in, options...)
}

func (c noting) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, options ...option) (*dynamodb.UpdateItemOutput, error) {
	c.log.note("UpdateItem", in.TableName, in.Key["pk"])
	return c.inner.UpdateItem(ctx, in, options...)
}

func (c noting) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput, options ...option) (*dynamodb.DeleteItemOutput, error) {
	c.log.note("DeleteItem", in.TableName, in.Key["pk"])
	return c.inner.DeleteItem(ctx, in, options...)
}

func (c noting) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, options ...option) (*dynamodb.BatchGetItemOutput, error) {
	for table, asked := range in.RequestItems {
		for _, key := range asked.Keys {
			c.log.note("BatchGetItem", &table, key["pk"])
		}
	}
	return c.inner.BatchGetItem(ctx, in, options...)
}

func (c noting) BatchWriteItem(ctx context.Context, in *dynamodb.BatchWriteItemInput, options ...option) (*dynamodb.BatchWriteItemOutput, error) {
	for table, writes := range in.RequestItems {
		for _, write := range writes {
			if write.PutRequest != nil {
				c.log.note("BatchWriteItem", &table, write.PutRequest.Item["pk"])
			}
			if write.DeleteRequest != nil {
				c.log.note("BatchWriteItem", &table, write.DeleteRequest.Key["pk"])
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
			c.log.note("PutItem", write.Put.TableName, write.Put.Item["pk"])
		case write.Update != nil:
			c.log.note("UpdateItem", write.Update.TableName, write.Update.Key["pk"])
		case write.Delete != nil:
			c.log.note("DeleteItem", write.Delete.TableName, write.Delete.Key["pk"])
		case write.ConditionCheck != nil:
			c.log.note("ConditionCheckItem", write.ConditionCheck.TableName, write.ConditionCheck.Key["pk"])
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

// What functions do with the tables, by the ports' methods that they call.
var (
	asksPartners = []string{"keys.Key", "keys.Partner", "meter.Take"}
	charges      = append([]string{"meter.Return", "meter.Count"}, asksPartners...)
	answersOnce  = []string{"idempotency.Begin", "idempotency.Answer", "idempotency.Release"}
	readsBoards  = []string{"boards.Current", "boards.Edition", "boards.Rows"}
	readsTokens  = []string{"observations.Observed", "observations.Observe", "peers.PeersOf"}
	comparesScan = append([]string{"snapshots.Latest", "snapshots.Append"}, readsTokens...)
	changesAgent = []string{"agents.Agent", "agents.Change", "nonces.Claim"}
	makesPasses  = []string{"passes.Begin", "passes.Latest", "passes.CompletePart", "passes.Finish"}
)

// endpointCalls are the methods that endpoints call besides those by which partners are known and charged; an endpoint that is not here
// calls no others.
var endpointCalls = map[string][]string{
	"token-overview": comparesScan, "token-changes": comparesScan, "token-signal": readsTokens, "token-narrative": readsTokens,
	"exit-risk": readsTokens[:2], "token-holders-insight": readsTokens[:2], "smart-money-flow": readsTokens[2:], "token-valuation": readsTokens[2:],
	"trader-board": readsBoards, "strategies": readsBoards, "top-traders": readsBoards, "spot-leaders": readsBoards, "track-record": readsBoards,
	"copy-leaders": readsBoards, "copy-plan": {"agents.OwnedBy"}, "copy-overlap": {"agents.OwnedBy"},
	"create-agent":   append([]string{"agents.Create", "agents.Agent", "leaders.Leader", "leaders.Find", "nonces.Claim"}, answersOnce...),
	"list-agents":    {"agents.OwnedBy", "nonces.Claim"},
	"agent":          {"agents.Agent", "nonces.Claim"},
	"executions":     {"agents.Agent", "executions.List", "nonces.Claim"},
	"activation":     changesAgent,
	"activate-agent": append(answersOnce[:3:3], changesAgent...),
	"pause-agent":    append(answersOnce[:3:3], changesAgent...),
	"resume-agent":   append(answersOnce[:3:3], changesAgent...),
	"stop-agent":     append(answersOnce[:3:3], changesAgent...),
	"put-webhook":    {"webhooks.Webhook", "webhooks.Put"},
	"delete-webhook": {"webhooks.Webhook", "webhooks.Put"},
	"webhook":        {"webhooks.Webhook"},
	"test-webhook":   append([]string{"webhooks.Webhook"}, answersOnce...),
}

// allCalls are all the methods that functions call which call others than endpoints do.
var allCalls = map[string][]string{
	"not-found": asksPartners, "openapi": nil, "usage": append([]string{"meter.Usage"}, asksPartners...),
	"refresh-peers": {"peers.PeersOf", "peers.PutPeers", "observations.Observe"},
	"expire-agents": {"agents.Due", "agents.Change", "agents.Followed", "agents.Following", "leaders.Find"},
	"discover-leaders": append([]string{
		"launches.Register", "launches.KnownUntil", "launches.OfDay", "launches.Examine", "leaders.Find", "leaders.List",
	}, makesPasses...),
	"grade-leaders": append([]string{
		"leaders.List", "leaders.Leader", "leaders.Grade", "leaders.Remove", "trackRecords.Forecast", "trackRecords.FollowUp", "trackRecords.FollowUps",
		"boards.Publish", "peers.PeersOf", "peers.PutPeers",
	}, makesPasses...),
	"resolve-track-record": append([]string{
		"trackRecords.Forecasts", "trackRecords.FollowUps", "trackRecords.Due", "trackRecords.Resolve", "boards.Publish",
	}, makesPasses...),
	"mirror-trades": append([]string{
		"agents.Agent", "agents.Followed", "agents.Following", "executions.Book", "executions.Enter", "executions.Execution", "executions.Known",
		"readings.Reading", "readings.Keep", "leaders.Leader",
	}, makesPasses...),
	"deliver-webhooks": append([]string{
		"outbox.Due", "outbox.Add", "outbox.Postpone", "outbox.Done", "outbox.Park", "webhooks.Webhook", "webhooks.Put", "webhooks.List",
	}, makesPasses...),
}

// only are the rows of a kind that functions deal with alone among all of that kind.
var only = map[string]map[string]string{
	"PEERS": {"smart-money-flow": "PEERS#active-buyers", "grade-leaders": "PEERS#active-buyers"},
	"PASSES": {
		"discover-leaders": "PASSES#discover-leaders", "grade-leaders": "PASSES#grade-leaders", "resolve-track-record": "PASSES#resolve-track-record",
		"mirror-trades": "PASSES#mirror-trades", "deliver-webhooks": "PASSES#deliver-webhooks",
	},
}

// checkPermissions compares what the methods did that functions call with what the template lets the functions do: neither may be more.
func checkPermissions(t *testing.T, log *actionLog) {
	for method, actions := range log.byMethod {
		if method == "" {
			t.Errorf("no method of a port is known to do %v", actions)
		}
		// Who says an event makes sure that its delivery is not parked, in the rare case that it was said before.
		if actions[action{"RecordsTable", "EVENTS", "PutItem"}] {
			actions[action{"RecordsTable", "OUTBOXIDS", "ConditionCheckItem"}] = true
		}
	}
	policies := dynamotest.Policies(t, templateFile)
	for function := range endpointCalls {
		if _, found := policies[function]; !found {
			t.Errorf("template.yaml has no function %s", function)
		}
	}
	for function, policy := range policies {
		methods, all := allCalls[function]
		switch {
		case function == "mcp":
			// It answers every endpoint itself.
			methods = slices.Concat(slices.Collect(maps.Values(endpointCalls))...)
			methods = append(methods, append([]string{"meter.Usage"}, charges...)...)
		case !all:
			methods = append(charges[:len(charges):len(charges)], endpointCalls[function]...)
		}
		needed := make(map[dynamotest.Right]bool)
		for _, method := range methods {
			if len(log.byMethod[method]) == 0 {
				t.Errorf("%s of %s did nothing", method, function)
			}
			for a := range log.byMethod[method] {
				needed[dynamotest.Right{Table: a.table, Action: a.name, Pattern: log.rows(function, a.kind)}] = true
			}
		}
		granted := make(map[dynamotest.Right]bool)
		for _, right := range policy {
			granted[right] = true
			if !needed[right] {
				t.Errorf("template.yaml: %s may %s rows %s of %s, which it never does", function, right.Action, right.Pattern, right.Table)
			}
		}
		for right := range needed {
			if !granted[right] {
				t.Errorf("template.yaml: %s may not %s rows %s of %s, which it does", function, right.Action, right.Pattern, right.Table)
			}
		}
	}
}

// rows is the pattern of the partition keys of a kind that a function deals with.
func (l *actionLog) rows(function, kind string) string {
	if some := only[kind][function]; some != "" {
		return some
	}
	if l.alone[kind] {
		return kind
	}
	return kind + "#*"
}
