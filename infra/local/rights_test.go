package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/catalogue"
	"github.com/mirrorworthy/mirrorworthy/shared/host/copying"
	"github.com/mirrorworthy/mirrorworthy/shared/job"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/store/dynamo"
	"github.com/mirrorworthy/mirrorworthy/shared/store/dynamo/dynamotest"
	"github.com/mirrorworthy/mirrorworthy/shared/store/dynamo/engine"
)

// guard is a client of DynamoDB that gives each function what its policy in the template gives it, and nothing else. What is asked for
// outside of any function is allowed. Calls that it does not know panic: they need a permission of their own.
type guard struct {
	dynamodbiface.DynamoDBAPI
	inner    dynamodbiface.DynamoDBAPI
	tables   dynamo.Tables
	policies map[string]dynamotest.Policy

	mu      sync.Mutex
	refused map[string]bool
	acted   map[string]bool
}

// asFunction is the key of a context's function.
type asFunction struct{}

func (g *guard) check(ctx context.Context, action, table string, partition types.AttributeValue) error {
	function, ok := ctx.Value(asFunction{}).(string)
	key, isText := partition.(*types.AttributeValueMemberS)
	if !ok {
		return nil
	}
	name := map[string]string{g.tables.Records: "RecordsTable", g.tables.Meters: "MetersTable"}[table]
	g.mu.Lock()
	defer g.mu.Unlock()
	if isText && g.policies[function].Allows(name, action, key.Value) {
		g.acted[function] = true
		return nil
	}
	var row string
	if isText {
		row, _, _ = strings.Cut(key.Value, "#")
	}
	g.refused[fmt.Sprintf("%s may not %s rows %s of %s", function, action, row, name)] = true
	return fmt.Errorf("AccessDeniedException: %s, %s, %s", function, action, row)
}

type option = func(*dynamodb.Options)

func (g *guard) GetItem(ctx context.Context, in *dynamodb.GetItemInput, options ...option) (*dynamodb.GetItemOutput, error) {
	if err := g.check(ctx, "GetItem", *in.TableName, in.Key["pk"]); err != nil {
		return nil, err
	}
	return g.inner.GetItem(ctx, in, options...)
}

func (g *guard) Query(ctx context.Context, in *dynamodb.QueryInput, options ...option) (*dynamodb.QueryOutput, error) {
	if err := g.check(ctx, "Query", *in.TableName, in.KeyConditions["pk"].AttributeValueList[0]); err != nil {
		return nil, err
	}
	return g.inner.Query(ctx, in, options...)
}

func (g *guard) PutItem(ctx context.Context, in *dynamodb.PutItemInput, options ...option) (*dynamodb.PutItemOutput, error) {
	if err := g.check(ctx, "PutItem", *in.TableName, in.Item["pk"]); err != nil {
		return nil, err
	}
	return g.inner.PutItem(ctx, in, options...)
}

func (g *guard) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, options ...option) (*dynamodb.UpdateItemOutput, error) {
	if err := g.check(ctx, "UpdateItem", *in.TableName, in.Key["pk"]); err != nil {
		return nil, err
	}
	return g.inner.UpdateItem(ctx, in, options...)
}

func (g *guard) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput, options ...option) (*dynamodb.DeleteItemOutput, error) {
	if err := g.check(ctx, "DeleteItem", *in.TableName, in.Key["pk"]); err != nil {
		return nil, err
	}
	return g.inner.DeleteItem(ctx, in, options...)
}

func (g *guard) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, options ...option) (*dynamodb.BatchGetItemOutput, error) {
	for table, asked := range in.RequestItems {
		for _, key := range asked.Keys {
			if err := g.check(ctx, "BatchGetItem", table, key["pk"]); err != nil {
				return nil, err
			}
		}
	}
	return g.inner.BatchGetItem(ctx, in, options...)
}

func (g *guard) BatchWriteItem(ctx context.Context, in *dynamodb.BatchWriteItemInput, options ...option) (*dynamodb.BatchWriteItemOutput, error) {
	for table, writes := range in.RequestItems {
		for _, write := range writes {
			var partition types.AttributeValue
			if write.PutRequest != nil {
				partition = write.PutRequest.Item["pk"]
			} else {
				partition = write.DeleteRequest.Key["pk"]
			}
			if err := g.check(ctx, "BatchWriteItem", table, partition); err != nil {
				return nil, err
			}
		}
	}
	return g.inner.BatchWriteItem(ctx, in, options...)
}

// TransactWriteItems takes the actions of its writes.
func (g *guard) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, options ...option) (*dynamodb.TransactWriteItemsOutput, error) {
	for _, write := range in.TransactItems {
		var err error
		switch {
		case write.Put != nil:
			err = g.check(ctx, "PutItem", *write.Put.TableName, write.Put.Item["pk"])
		case write.Update != nil:
			err = g.check(ctx, "UpdateItem", *write.Update.TableName, write.Update.Key["pk"])
		case write.Delete != nil:
			err = g.check(ctx, "DeleteItem", *write.Delete.TableName, write.Delete.Key["pk"])
		case write.ConditionCheck != nil:
			err = g.check(ctx, "ConditionCheckItem", *write.ConditionCheck.TableName, write.ConditionCheck.Key["pk"])
		}
		if err != nil {
			return nil, err
		}
	}
	return g.inner.TransactWriteItems(ctx, in, options...)
}

// newGuarded is a service whose functions have their rights alone.
func newGuarded(t *testing.T) (*copyService, *guard) {
	t.Helper()
	served := httptest.NewServer(engine.New())
	t.Cleanup(served.Close)
	client := dynamodb.New(dynamodb.Options{
		BaseEndpoint: aws.String(served.URL), Region: "eu-central-1", Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
	})
	file := filepath.Join(root, "template.yaml")
	g := &guard{
		inner: client, tables: dynamotest.CreateTables(t, client, file), policies: dynamotest.Policies(t, file),
		refused: make(map[string]bool), acted: make(map[string]bool),
	}
	routes := newAPIGateway(deployment(t), nil, nil, nil, nil)
	c := newCopyingOn(t, discardLog(), func(host.Config) host.Engine { return dynamo.Open(g, g.tables) }, func(handler http.Handler, jobs map[string]job.Function) http.Handler {
		for name, run := range jobs {
			jobs[name] = func(ctx context.Context, payload json.RawMessage) (json.RawMessage, error) {
				return run(context.WithValue(ctx, asFunction{}, name), payload)
			}
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if function, _, _ := routes.match(r.Method, r.URL.EscapedPath()); !strings.HasPrefix(r.URL.Path, "/sample") {
				r = r.WithContext(context.WithValue(r.Context(), asFunction{}, function))
			}
			handler.ServeHTTP(w, r)
		})
	})
	return c, g
}

// passOfBoards runs the jobs of the boards once, for one chain.
func passOfBoards(t *testing.T, c *copyService) {
	t.Helper()
	sources, err := host.NewSources(c.config, host.Parts{Log: discardLog(), Metrics: &logMetrics{discardLog()}})
	if err != nil {
		t.Fatal(err)
	}
	on, _ := chain.Parse("base")
	passes, at := c.kept.Passes(), c.server.clock.now().UTC()
	for _, s := range catalogue.Spreads(host.KeptIn(c.kept), sources, copying.Copying{}, []*chain.Chain{on}) {
		if !slices.Contains([]string{"discover-leaders", "grade-leaders", "resolve-track-record"}, s.Name) {
			continue
		}
		ctx := context.WithValue(t.Context(), asFunction{}, s.Name)
		plan, err := s.Plan(ctx, at)
		if err != nil {
			t.Fatal(s.Name, err)
		}
		pass, _, err := passes.Begin(ctx, store.Pass{Job: s.Name, ID: "by-hand", At: at, Parts: plan.Parts, Data: plan.Data}, s.Gap)
		if err != nil {
			t.Fatal(s.Name, err)
		}
		for part := range min(pass.Parts, 6) { // some are as good as all: they do the same
			if _, err := s.Part(ctx, at, pass, part); err != nil {
				t.Error(s.Name, part, err)
			}
			if pass, err = passes.CompletePart(ctx, s.Name, pass.ID, part, 1, 0); err != nil {
				t.Fatal(s.Name, err)
			}
		}
		if _, err := s.Conclude(ctx, at, pass); err != nil {
			t.Error(s.Name, err)
		}
		if err := passes.Finish(ctx, s.Name, pass.ID, at); err != nil {
			t.Error(s.Name, err)
		}
	}
}

// Every function gets by with what its policy lets it do to the tables.
func TestFunctionsGetByWithTheirRights(t *testing.T) {
	c, g := newGuarded(t)
	t.Cleanup(func() { // also when the way ends early
		for _, refused := range slices.Sorted(maps.Keys(g.refused)) {
			t.Error(refused)
		}
	})
	wholeWayOfACopy(t, c)
	// The market has some of the chains only, so the jobs of boards are run for one of them, and that of peers fails for the others.
	_ = c.server.jobs.once(t.Context(), c.server.clock.now, "refresh-peers")
	passOfBoards(t, c)
	samples := c.server.sample.Samples()
	ask := func(method, path, body string) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), method, c.url+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+c.keys[copyingPartner])
		if method == http.MethodPost {
			request.Header.Set("Accept", "application/json, text/event-stream")
			request.Header.Set("Content-Type", "application/json")
			request.Header.Set("Idempotency-Key", "once")
		}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		if answer.StatusCode >= http.StatusInternalServerError {
			t.Errorf("%s %s: %d", method, path, answer.StatusCode)
		}
	}
	for _, e := range catalogue.Endpoints(host.Kept{}, copying.Copying{}) {
		bodies := []string{""}
		if e.Method == http.MethodPost {
			wallet, token := samples.Wallets[0], samples.Tokens[0]
			bodies = []string{
				fmt.Sprintf(`{"wallet":%q}`, samples.Perps[0].Address),
				fmt.Sprintf(`{"wallet":%q,"chain":%q}`, wallet.Address, wallet.Chain),
				fmt.Sprintf(`{"token":%q,"chain":%q}`, token.Address, token.Chain),
				fmt.Sprintf(`{"wallet":%q,"leadWallet":%q,"chain":%q,"riskProfile":"moderate"}`, samples.Leaders[0].Address, wallet.Address, wallet.Chain),
				fmt.Sprintf(`{"wallet":%q,"leadWallet":%q,"chain":%q}`, samples.Leaders[0].Address, wallet.Address, wallet.Chain),
			}
		}
		for _, body := range bodies {
			ask(e.Method, e.Path, body)
		}
		if e.Name == "token-overview" || e.Name == "copy-plan" {
			ask(http.MethodPost, "/v1/mcp", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, e.Name, bodies[len(bodies)/2]))
		}
	}
	for _, query := range []string{"/v1/copy/leaders?venue=perpvenue-perps", "/v1/trader-board?chain=base", "/v1/traders/track-record?source=spot-leader-gate", "/v1/nowhere"} {
		ask(http.MethodGet, query, "")
	}
	// Only what never got that far may have asked for nothing.
	for function := range g.policies {
		if !g.acted[function] && len(g.policies[function]) > 0 {
			t.Errorf("%s did nothing to the tables: nothing is known of its rights", function)
		}
	}
}
