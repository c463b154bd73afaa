package engine_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/mirrorworthy/mirrorworthy/shared/store/dynamo/engine"
	"github.com/mirrorworthy/mirrorworthy/shared/store/dynamo/tables"
)

// open returns a client of a new engine with a table of rows a1, a2, … a9 and b1.
func open(t *testing.T) *dynamodb.Client {
	t.Helper()
	server := httptest.NewServer(engine.New())
	t.Cleanup(server.Close)
	client := dynamodb.New(dynamodb.Options{
		BaseEndpoint: aws.String(server.URL), Region: "eu-central-1", Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
	})
	create(t, client, "rows")
	for _, id := range []string{"a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9", "b1"} {
		row := map[string]types.AttributeValue{"pk": text(id[:1]), "sk": text(id), "shade": text("light")}
		if id > "a5" {
			row["shade"] = text("dark")
		}
		if _, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("rows"), Item: row}); err != nil {
			t.Fatal(err)
		}
	}
	return client
}

// create makes the template's table of records under a name.
func create(t *testing.T, client *dynamodb.Client, name string) {
	t.Helper()
	template, err := os.ReadFile("../../../../template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	all, err := tables.Read(template)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range all {
		if table.LogicalID == "RecordsTable" {
			if err := table.Create(t.Context(), client, name); err != nil {
				t.Error(err)
			}
		}
	}
}

func text(value string) types.AttributeValue { return &types.AttributeValueMemberS{Value: value} }

func condition(operator types.ComparisonOperator, values ...string) types.Condition {
	c := types.Condition{ComparisonOperator: operator}
	for _, value := range values {
		c.AttributeValueList = append(c.AttributeValueList, text(value))
	}
	return c
}

func TestKeyConditions(t *testing.T) {
	client := open(t)
	for want, keys := range map[string]types.Condition{
		"a3":                         condition(types.ComparisonOperatorEq, "a3"),
		"a8 a9":                      condition(types.ComparisonOperatorGe, "a8"),
		"a9":                         condition(types.ComparisonOperatorGt, "a8"),
		"a1 a2":                      condition(types.ComparisonOperatorLe, "a2"),
		"a1":                         condition(types.ComparisonOperatorLt, "a2"),
		"a4 a5 a6 a7":                condition(types.ComparisonOperatorBetween, "a4", "a7"),
		"a1 a2 a3 a4 a5 a6 a7 a8 a9": condition(types.ComparisonOperatorBeginsWith, "a"),
		"":                           condition(types.ComparisonOperatorBeginsWith, "b"),
	} {
		out, err := client.Query(t.Context(), &dynamodb.QueryInput{
			TableName: aws.String("rows"), KeyConditions: map[string]types.Condition{"pk": condition(types.ComparisonOperatorEq, "a"), "sk": keys},
		})
		if err != nil {
			t.Errorf("%v: %v", keys, err)
			continue
		}
		if got := ids(out.Items); got != want {
			t.Errorf("%v: got %q, want %q", keys, got, want)
		}
	}
	filtered, err := client.Query(t.Context(), &dynamodb.QueryInput{
		TableName: aws.String("rows"), KeyConditions: map[string]types.Condition{"pk": condition(types.ComparisonOperatorEq, "a")},
		FilterExpression: aws.String("#s = :s"), ExpressionAttributeNames: map[string]string{"#s": "shade"}, ExpressionAttributeValues: map[string]types.AttributeValue{":s": text("dark")},
		ScanIndexForward: aws.Bool(false), Limit: aws.Int32(6),
	})
	if err != nil || ids(filtered.Items) != "a9 a8 a7 a6" {
		t.Errorf("a filter over the last six: %q, %v", ids(filtered.Items), err)
	}
	expressed, err := client.Query(t.Context(), &dynamodb.QueryInput{
		TableName: aws.String("rows"), KeyConditionExpression: aws.String("pk = :p"), ExpressionAttributeValues: map[string]types.AttributeValue{":p": text("b")},
	})
	if err != nil || ids(expressed.Items) != "b1" {
		t.Errorf("an expression: %q, %v", ids(expressed.Items), err)
	}
	if _, err := client.Query(t.Context(), &dynamodb.QueryInput{
		TableName: aws.String("rows"), KeyConditions: map[string]types.Condition{"pk": condition(types.ComparisonOperatorContains, "a")},
	}); err == nil || !strings.Contains(err.Error(), "ValidationException") {
		t.Errorf("a condition that keys cannot have: %v", err)
	}
}

func ids(rows []map[string]types.AttributeValue) string {
	var all []string
	for _, row := range rows {
		all = append(all, row["sk"].(*types.AttributeValueMemberS).Value)
	}
	return strings.Join(all, " ")
}

func TestConditionOnASetOfNoRowDoesNotHold(t *testing.T) {
	_, err := open(t).UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: aws.String("rows"), Key: map[string]types.AttributeValue{"pk": text("c"), "sk": text("c1")},
		UpdateExpression: aws.String("SET shade = :s"), ConditionExpression: aws.String("contains(parts, :p)"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":s": text("dark"), ":p": text("one")},
	})
	if failed := (*types.ConditionalCheckFailedException)(nil); !errors.As(err, &failed) {
		t.Errorf("error %v", err)
	}
}

func TestRowsAreAskedForOnce(t *testing.T) {
	client := open(t)
	read := func(names ...string) (int, error) {
		var keys []map[string]types.AttributeValue
		for _, id := range names {
			keys = append(keys, map[string]types.AttributeValue{"pk": text(id[:1]), "sk": text(id)})
		}
		out, err := client.BatchGetItem(t.Context(), &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{"rows": {Keys: keys}}})
		if err != nil {
			return 0, err
		}
		return len(out.Responses["rows"]), nil
	}
	if n, err := read("a1", "b1", "a2"); n != 3 || err != nil {
		t.Errorf("%d rows, %v", n, err)
	}
	if _, err := read("a1", "b1", "a1"); err == nil || !strings.Contains(err.Error(), "duplicates") {
		t.Errorf("error %v", err)
	}
}

// Tables can be made while others are used, which the race detector watches.
func TestTablesAreMadeBesideUse(t *testing.T) {
	client := open(t)
	var all sync.WaitGroup
	for _, name := range []string{"second", "third"} {
		all.Go(func() { create(t, client, name) })
		all.Go(func() {
			for range 20 {
				if _, err := client.GetItem(context.Background(), &dynamodb.GetItemInput{
					TableName: aws.String("rows"), Key: map[string]types.AttributeValue{"pk": text("a"), "sk": text("a1")},
				}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for _, name := range []string{"second", "third"} {
		out, err := client.Query(t.Context(), &dynamodb.QueryInput{
			TableName: aws.String(name), KeyConditions: map[string]types.Condition{"pk": condition(types.ComparisonOperatorEq, "a")},
		})
		if err != nil || len(out.Items) != 0 {
			t.Errorf("%s: %v, %v", name, out, err)
		}
	}
}
