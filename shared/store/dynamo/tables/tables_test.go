package tables_test

import (
	"context"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/mirrorworthy/mirrorworthy/shared/store/dynamo/tables"
)

const template = `
AWSTemplateFormatVersion: '2010-09-09'
Parameters:
  Stage: { Type: String }
Globals:
  Function:
    Environment: { Variables: { TABLE: !Ref Orders } }
Conditions:
  IsProduction: !Equals [!Ref Stage, production]
Resources:
  Worker:
    Type: AWS::Serverless::Function
    Properties:
      Policies: [!Sub 'arn:${AWS::Partition}:x', !GetAtt Orders.Arn]
  Orders:
    Type: AWS::DynamoDB::Table
    Condition: IsProduction
    Properties:
      TableName: !Sub '${Stage}-orders'
      BillingMode: PAY_PER_REQUEST
      DeletionProtectionEnabled: !If [IsProduction, true, false]
      AttributeDefinitions:
        - { AttributeName: id, AttributeType: S }
        - { AttributeName: at, AttributeType: N }
        - { AttributeName: image, AttributeType: B }
      KeySchema:
        - { AttributeName: id, KeyType: HASH }
        - { AttributeName: at, KeyType: RANGE }
      GlobalSecondaryIndexes:
        - IndexName: byImage
          KeySchema: [{ AttributeName: image, KeyType: HASH }]
          Projection: { ProjectionType: INCLUDE, NonKeyAttributes: [price] }
      LocalSecondaryIndexes:
        - IndexName: local
          KeySchema: [{ AttributeName: id, KeyType: HASH }, { AttributeName: image, KeyType: RANGE }]
          Projection: { ProjectionType: KEYS_ONLY }
      StreamSpecification: { StreamViewType: NEW_IMAGE }
      TimeToLiveSpecification: { AttributeName: ends, Enabled: false }
  Audit:
    Type: AWS::DynamoDB::Table
    Properties:
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions: [{ AttributeName: id, AttributeType: S }]
      KeySchema: [{ AttributeName: id, KeyType: HASH }]
      TimeToLiveSpecification: { AttributeName: ends, Enabled: true }
Outputs:
  Name: { Value: !Ref Orders }
`

func key(name string, kind types.KeyType) types.KeySchemaElement {
	return types.KeySchemaElement{AttributeName: aws.String(name), KeyType: kind}
}

func attribute(name string, kind types.ScalarAttributeType) types.AttributeDefinition {
	return types.AttributeDefinition{AttributeName: aws.String(name), AttributeType: kind}
}

func TestRead(t *testing.T) {
	got, err := tables.Read([]byte(template))
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0].LogicalID != "Audit" || got[1].LogicalID != "Orders" {
		t.Fatalf("tables %+v", got)
	}
	if got[0].TimeToLiveAttribute != "ends" || got[1].TimeToLiveAttribute != "" {
		t.Errorf("expiry %q and %q, want ends and nothing, which is switched off", got[0].TimeToLiveAttribute, got[1].TimeToLiveAttribute)
	}
	want := &dynamodb.CreateTableInput{
		TableName:   aws.String("orders-1"),
		BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			attribute("id", types.ScalarAttributeTypeS), attribute("at", types.ScalarAttributeTypeN), attribute("image", types.ScalarAttributeTypeB),
		},
		KeySchema: []types.KeySchemaElement{key("id", types.KeyTypeHash), key("at", types.KeyTypeRange)},
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{{
			IndexName: aws.String("byImage"), KeySchema: []types.KeySchemaElement{key("image", types.KeyTypeHash)},
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeInclude, NonKeyAttributes: []string{"price"}},
		}},
		LocalSecondaryIndexes: []types.LocalSecondaryIndex{{
			IndexName: aws.String("local"), KeySchema: []types.KeySchemaElement{key("id", types.KeyTypeHash), key("image", types.KeyTypeRange)},
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly},
		}},
		StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewImage},
	}
	if input := got[1].CreateTableInput("orders-1"); !reflect.DeepEqual(input, want) {
		t.Errorf("input %+v, want %+v", input, want)
	}
}

func TestReadRefuses(t *testing.T) {
	for what, change := range map[string][2]string{
		"a tag in the keys":         {"KeySchema: [{ AttributeName: id, KeyType: HASH }]\n      TimeToLive", "KeySchema: [{ AttributeName: !Ref Stage, KeyType: HASH }]\n      TimeToLive"},
		"a tag for the expiry":      {"{ AttributeName: ends, Enabled: true }", "!If [IsProduction, { AttributeName: ends, Enabled: true }, !Ref AWS::NoValue]"},
		"a function for the mode":   {"BillingMode: PAY_PER_REQUEST\n      AttributeDefinitions", "BillingMode: { Ref: Mode }\n      AttributeDefinitions"},
		"provisioned throughput":    {"BillingMode: PAY_PER_REQUEST\n      AttributeDefinitions", "BillingMode: PROVISIONED\n      AttributeDefinitions"},
		"no billing mode":           {"BillingMode: PAY_PER_REQUEST\n      AttributeDefinitions", "AttributeDefinitions"},
		"no keys":                   {"KeySchema: [{ AttributeName: id, KeyType: HASH }]\n      TimeToLive", "TimeToLive"},
		"resources that are a list": {"Resources:", "Resources: [1]\nOther:"},
		"no YAML":                   {"Resources:", "Resources: ["},
	} {
		changed := strings.Replace(template, change[0], change[1], 1)
		if changed == template {
			t.Fatalf("%s: nothing to replace", what)
		}
		if got, err := tables.Read([]byte(changed)); err == nil {
			t.Errorf("%s: read as %+v", what, got)
		}
	}
	if got, err := tables.Read([]byte(`{"Resources": {}}`)); err != nil || len(got) != 0 {
		t.Errorf("a template without tables: %+v, %v", got, err)
	}
	json := `{"Resources": {"T": {"Type": "AWS::DynamoDB::Table", "Properties": {"BillingMode": "PAY_PER_REQUEST", "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}]}}}}`
	if got, err := tables.Read([]byte(json)); err != nil || len(got) != 1 {
		t.Errorf("a template in JSON: %+v, %v", got, err)
	}
}

// client notes what it is asked to do, and fails one of the calls.
type client struct {
	calls []string
	fail  string
}

func (c *client) call(name, table string) error {
	c.calls = append(c.calls, name+" "+table)
	if name == c.fail {
		return errors.New("down")
	}
	return nil
}

func (c *client) CreateTable(_ context.Context, in *dynamodb.CreateTableInput, _ ...func(*dynamodb.Options)) (*dynamodb.CreateTableOutput, error) {
	return nil, c.call("create", *in.TableName)
}

func (c *client) UpdateTimeToLive(_ context.Context, in *dynamodb.UpdateTimeToLiveInput, _ ...func(*dynamodb.Options)) (*dynamodb.UpdateTimeToLiveOutput, error) {
	return nil, c.call("expire "+*in.TimeToLiveSpecification.AttributeName, *in.TableName)
}

func TestCreate(t *testing.T) {
	all, err := tables.Read([]byte(template))
	if err != nil {
		t.Fatal(err)
	}
	for fail, want := range map[string][]string{
		"":            {"create a", "expire ends a", "create b"},
		"create":      {"create a", "create b"},
		"expire ends": {"create a", "expire ends a", "create b"},
	} {
		c := &client{fail: fail}
		auditErr, ordersErr := all[0].Create(t.Context(), c, "a"), all[1].Create(t.Context(), c, "b")
		if !reflect.DeepEqual(c.calls, want) || (auditErr != nil) != (fail != "") || (ordersErr != nil) != (fail == "create") {
			t.Errorf("failing %q: calls %q, %v, %v", fail, c.calls, auditErr, ordersErr)
		}
	}
}

// TestDeployedTables: the tables of this project's template have what the store counts on, and what protects them.
func TestDeployedTables(t *testing.T) {
	text, err := os.ReadFile("../../../../template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	all, err := tables.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	byID := map[string]tables.Table{}
	for _, table := range all {
		byID[table.LogicalID] = table
	}
	for _, id := range []string{"RecordsTable", "MetersTable"} {
		table := byID[id]
		want := []types.KeySchemaElement{key("pk", types.KeyTypeHash), key("sk", types.KeyTypeRange)}
		if got := table.CreateTableInput(id).KeySchema; !reflect.DeepEqual(got, want) || table.TimeToLiveAttribute != "expiresAt" {
			t.Errorf("%s: keys %+v, expiry %q", id, got, table.TimeToLiveAttribute)
		}
	}
	indexes := byID["RecordsTable"].CreateTableInput("").GlobalSecondaryIndexes
	want := []types.GlobalSecondaryIndex{{
		IndexName: aws.String("byOwner"), KeySchema: []types.KeySchemaElement{key("ownerPk", types.KeyTypeHash), key("ownerSk", types.KeyTypeRange)},
		Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
	}}
	if !reflect.DeepEqual(indexes, want) {
		t.Errorf("indexes %+v, want %+v", indexes, want)
	}
	for _, protection := range []string{"PointInTimeRecoveryEnabled: true", "DeletionProtectionEnabled: true", "SSEEnabled: true", "DeletionPolicy: Retain"} {
		if strings.Count(string(text), protection) < 2 {
			t.Errorf("template lacks %q for one of the tables", protection)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(template))
	f.Add([]byte(`{"Resources": {"T": {"Type": "AWS::DynamoDB::Table", "Properties": []}}}`))
	f.Add([]byte("Resources:\n  T: &a\n    Type: AWS::DynamoDB::Table\n    Properties: *a\n"))
	f.Add([]byte("Resources:\n  T:\n    Type: AWS::DynamoDB::Table\n    Properties: {KeySchema}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		all, err := tables.Read(text)
		if err != nil {
			return
		}
		for _, table := range all {
			if input := table.CreateTableInput("t"); table.LogicalID == "" && len(input.KeySchema) == 0 {
				t.Errorf("a table without keys was read from %q", text)
			}
		}
	})
}
