// Package dynamotest has an engine of DynamoDB inside the process of a test, with the tables of the template.
package dynamotest

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2/dynamodbiface"
	fake "github.com/truora/minidyn/server"

	"github.com/mirrorworthy/mirrorworthy/shared/store/dynamo"
	"github.com/mirrorworthy/mirrorworthy/shared/store/dynamo/tables"
)

// NewEngine returns an engine without tables. It cannot create a table while another is used.
func NewEngine() http.Handler { return fake.NewServer() }

// NewClient returns a client of an engine by one that is connected to it.
func NewClient(connected dynamodbiface.DynamoDBAPI) Client { return Client{connected} }

// Client makes up for what the engine cannot do: it reads key conditions as expressions only, takes a
// condition on a set of a row that is not there for a mistake, reads a row twice, and does not know expiry.
type Client struct{ dynamodbiface.DynamoDBAPI }

// Query writes key conditions as expressions.
func (c Client) Query(ctx context.Context, in *dynamodb.QueryInput, options ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
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
		case types.ComparisonOperatorGt:
			parts = append(parts, alias+" > "+values[0])
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

// UpdateItem takes a condition on a set of a row that is not there for one that does not hold.
func (c Client) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, options ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	out, err := c.DynamoDBAPI.UpdateItem(ctx, in, options...)
	if err != nil && strings.Contains(err.Error(), "contains is not supported for path=NULL") {
		return nil, &types.ConditionalCheckFailedException{}
	}
	return out, err
}

// BatchGetItem refuses, like DynamoDB, to be asked twice for one row.
func (c Client) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, options ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	for table, asked := range in.RequestItems {
		seen := make(map[string]bool, len(asked.Keys))
		for _, key := range asked.Keys {
			var name strings.Builder
			for _, attribute := range slices.Sorted(maps.Keys(key)) {
				if text, ok := key[attribute].(*types.AttributeValueMemberS); ok {
					fmt.Fprintf(&name, "%q", text.Value)
				}
			}
			if seen[name.String()] {
				return nil, fmt.Errorf("table %s: keys contain %s twice", table, name.String())
			}
			seen[name.String()] = true
		}
	}
	return c.DynamoDBAPI.BatchGetItem(ctx, in, options...)
}

// UpdateTimeToLive does nothing.
func (c Client) UpdateTimeToLive(context.Context, *dynamodb.UpdateTimeToLiveInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateTimeToLiveOutput, error) {
	return &dynamodb.UpdateTimeToLiveOutput{}, nil
}

// CreateTables creates the tables of a template's file under names of their own, and drops them when the test ends.
func CreateTables(t testing.TB, client dynamodbiface.DynamoDBAPI, templateFile string) dynamo.Tables {
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
		name := table.LogicalID + "-" + rand.Text()
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
