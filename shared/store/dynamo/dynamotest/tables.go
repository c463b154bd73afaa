// Package dynamotest makes the tables of the template for a test.
package dynamotest

import (
	"cmp"
	"context"
	"crypto/rand"
	"os"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/mirrorworthy/mirrorworthy/shared/store/dynamo"
	"github.com/mirrorworthy/mirrorworthy/shared/store/dynamo/tables"
)

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
