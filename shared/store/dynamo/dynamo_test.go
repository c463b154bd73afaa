package dynamo_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2/dynamodbiface"
	fake "github.com/truora/minidyn/server"

	"github.com/mirrorworthy/mirrorworthy/shared/store/conformance"
	"github.com/mirrorworthy/mirrorworthy/shared/store/dynamo"
	"github.com/mirrorworthy/mirrorworthy/shared/store/dynamo/tables"
)

const templateFile = "../../../template.yaml"

// newClient returns a client of the engine at a URL.
func newClient(url string) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		BaseEndpoint: aws.String(url),
		Region:       "eu-central-1",
		Credentials:  credentials.NewStaticCredentialsProvider("local", "local", ""),
	})
}

// newFake returns a client of an engine inside this process.
func newFake(t testing.TB) dynamodbiface.DynamoDBAPI {
	server := httptest.NewServer(fake.NewServer())
	t.Cleanup(server.Close)
	return fakeClient{newClient(server.URL)}
}

// fakeClient makes up for what the engine inside this process cannot do: it reads key conditions as expressions only, and does
// not know expiry.
type fakeClient struct{ dynamodbiface.DynamoDBAPI }

func (c fakeClient) Query(ctx context.Context, in *dynamodb.QueryInput, options ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	rewritten := *in
	rewritten.KeyConditions = nil
	rewritten.ExpressionAttributeNames = map[string]string{}
	rewritten.ExpressionAttributeValues = map[string]types.AttributeValue{}
	maps.Copy(rewritten.ExpressionAttributeNames, in.ExpressionAttributeNames)
	maps.Copy(rewritten.ExpressionAttributeValues, in.ExpressionAttributeValues)
	var parts []string
	for i, name := range slices.Sorted(maps.Keys(in.KeyConditions)) {
		condition := in.KeyConditions[name]
		alias := fmt.Sprintf("#key%d", i)
		rewritten.ExpressionAttributeNames[alias] = name
		var values []string
		for j, value := range condition.AttributeValueList {
			placeholder := fmt.Sprintf(":key%dvalue%d", i, j)
			rewritten.ExpressionAttributeValues[placeholder] = value
			values = append(values, placeholder)
		}
		switch condition.ComparisonOperator {
		case types.ComparisonOperatorEq:
			parts = append(parts, alias+" = "+values[0])
		case types.ComparisonOperatorGe:
			parts = append(parts, alias+" >= "+values[0])
		case types.ComparisonOperatorBetween:
			parts = append(parts, alias+" BETWEEN "+values[0]+" AND "+values[1])
		case types.ComparisonOperatorBeginsWith:
			parts = append(parts, "begins_with("+alias+", "+values[0]+")")
		default:
			return nil, fmt.Errorf("key condition %s is not rewritten yet", condition.ComparisonOperator)
		}
	}
	rewritten.KeyConditionExpression = aws.String(strings.Join(parts, " AND "))
	return c.DynamoDBAPI.Query(ctx, &rewritten, options...)
}

func (c fakeClient) UpdateTimeToLive(context.Context, *dynamodb.UpdateTimeToLiveInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateTimeToLiveOutput, error) {
	return &dynamodb.UpdateTimeToLiveOutput{}, nil
}

var tableNumber atomic.Int64

// newTables creates the tables of the template under names of their own, and drops them when the test ends.
func newTables(t testing.TB, client dynamodbiface.DynamoDBAPI) dynamo.Tables {
	t.Helper()
	template, err := os.ReadFile(templateFile)
	if err != nil {
		t.Fatal(err)
	}
	all, err := tables.Read(template)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{}
	for _, table := range all {
		name := fmt.Sprintf("%s-%d-%d", table.LogicalID, os.Getpid(), tableNumber.Add(1))
		if err := table.Create(t.Context(), client, name); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if _, err := client.DeleteTable(context.Background(), &dynamodb.DeleteTableInput{TableName: aws.String(name)}); err != nil {
				t.Errorf("drop table %s: %v", name, err)
			}
		})
		names[table.LogicalID] = name
	}
	return dynamo.Tables{
		Records: cmp.Or(names["RecordsTable"], "missing in template"), Meters: cmp.Or(names["MetersTable"], "missing in template"),
	}
}

func runConformance(t *testing.T, newClient func(t *testing.T) dynamodbiface.DynamoDBAPI) {
	conformance.Run(t, func(t *testing.T) conformance.Stores {
		client := newClient(t)
		opened := dynamo.Open(client, newTables(t, client))
		return conformance.Stores{
			Keys: opened.Keys(), Meter: opened.Meter(),
			Snapshots: opened.Snapshots(), Observations: opened.Observations(), Peers: opened.Peers(),
		}
	})
}

// TestConformance runs the suite on engines inside this process: one for each group of checks, because they cannot create a table
// while another is used.
func TestConformance(t *testing.T) {
	runConformance(t, func(t *testing.T) dynamodbiface.DynamoDBAPI { return newFake(t) })
}

// TestConformanceOnEndpoint runs the suite on a real engine: go run ./infra/dynamodblocal -- go test ./shared/store/...
func TestConformanceOnEndpoint(t *testing.T) {
	const variable = "DYNAMODB_ENDPOINT"
	url := os.Getenv(variable)
	if url == "" {
		t.Skip(variable + " is not set; the same suite ran on the engine inside this process")
	}
	runConformance(t, func(*testing.T) dynamodbiface.DynamoDBAPI { return newClient(url) })
	t.Run("lost answers", func(t *testing.T) { checkLostAnswers(t, newClient(url), newClient(url), false) })
}
