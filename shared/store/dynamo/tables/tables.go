// Package tables reads the DynamoDB tables out of a CloudFormation template, so that a local engine gets the very tables that
// are deployed and no second list of them exists.
//
// It reads what decides how a table behaves (keys, indexes, expiry, stream). What only protects or pays for a deployed table
// (backups, encryption, deletion protection, alarms) is left out.
package tables

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"go.yaml.in/yaml/v3"
)

// Table is one table of a template.
type Table struct {
	// LogicalID is its name in the template.
	LogicalID string
	// TimeToLiveAttribute is the attribute that says when an item expires; empty: items do not expire.
	TimeToLiveAttribute string

	properties properties
}

type properties struct {
	AttributeDefinitions []struct {
		AttributeName string `yaml:"AttributeName"`
		AttributeType string `yaml:"AttributeType"`
	} `yaml:"AttributeDefinitions"`
	KeySchema               []keyElement `yaml:"KeySchema"`
	GlobalSecondaryIndexes  []index      `yaml:"GlobalSecondaryIndexes"`
	LocalSecondaryIndexes   []index      `yaml:"LocalSecondaryIndexes"`
	BillingMode             string       `yaml:"BillingMode"`
	TimeToLiveSpecification struct {
		AttributeName string `yaml:"AttributeName"`
		Enabled       bool   `yaml:"Enabled"`
	} `yaml:"TimeToLiveSpecification"`
	StreamSpecification struct {
		StreamViewType string `yaml:"StreamViewType"`
	} `yaml:"StreamSpecification"`
}

type keyElement struct {
	AttributeName string `yaml:"AttributeName"`
	KeyType       string `yaml:"KeyType"`
}

type index struct {
	IndexName  string       `yaml:"IndexName"`
	KeySchema  []keyElement `yaml:"KeySchema"`
	Projection struct {
		ProjectionType   string   `yaml:"ProjectionType"`
		NonKeyAttributes []string `yaml:"NonKeyAttributes"`
	} `yaml:"Projection"`
}

const tableType = "AWS::DynamoDB::Table"

// Read returns the tables of a template in YAML or JSON, by logical id. CloudFormation's short tags (!Ref, !Sub, …) may stand
// anywhere but in the properties that are read, where a table that needs them is refused.
func Read(template []byte) ([]Table, error) {
	var parsed struct {
		Resources map[string]struct {
			Type       string    `yaml:"Type"`
			Properties yaml.Node `yaml:"Properties"`
		} `yaml:"Resources"`
	}
	if err := yaml.Unmarshal(template, &parsed); err != nil {
		return nil, fmt.Errorf("read template: %w", err)
	}
	var tables []Table
	for id, resource := range parsed.Resources {
		if resource.Type != tableType {
			continue
		}
		table := Table{LogicalID: id}
		if err := table.read(&resource.Properties); err != nil {
			return nil, fmt.Errorf("read template: table %s: %w", id, err)
		}
		tables = append(tables, table)
	}
	slices.SortFunc(tables, func(a, b Table) int { return cmp.Compare(a.LogicalID, b.LogicalID) })
	return tables, nil
}

func (t *Table) read(node *yaml.Node) error {
	if err := checkLiteral(node); err != nil {
		return err
	}
	if err := node.Decode(&t.properties); err != nil {
		return err
	}
	if mode := t.properties.BillingMode; mode != string(types.BillingModePayPerRequest) {
		return fmt.Errorf("BillingMode is %q, only %s is supported", mode, types.BillingModePayPerRequest)
	}
	if len(t.properties.KeySchema) == 0 {
		return fmt.Errorf("no KeySchema")
	}
	if t.properties.TimeToLiveSpecification.Enabled {
		t.TimeToLiveAttribute = t.properties.TimeToLiveSpecification.AttributeName
	}
	return nil
}

// readProperties are the properties whose values must be literal.
var readProperties = map[string]bool{
	"AttributeDefinitions": true, "KeySchema": true, "GlobalSecondaryIndexes": true, "LocalSecondaryIndexes": true,
	"BillingMode": true, "TimeToLiveSpecification": true, "StreamSpecification": true,
}

// checkLiteral refuses a short tag in a property that is read: its value is known to CloudFormation only.
func checkLiteral(properties *yaml.Node) error {
	for i := 0; i+1 < len(properties.Content); i += 2 {
		if name := properties.Content[i].Value; readProperties[name] {
			if tag := shortTag(properties.Content[i+1]); tag != "" {
				return fmt.Errorf("%s: %s is not supported here", name, tag)
			}
		}
	}
	return nil
}

// shortTag returns the first tag in a node that is not YAML's own, or nothing.
func shortTag(node *yaml.Node) string {
	if len(node.Tag) > 1 && node.Tag[0] == '!' && node.Tag[1] != '!' {
		return node.Tag
	}
	for _, child := range node.Content {
		if tag := shortTag(child); tag != "" {
			return tag
		}
	}
	return ""
}

// CreateTableInput returns the request that creates the table under a name.
func (t Table) CreateTableInput(name string) *dynamodb.CreateTableInput {
	input := &dynamodb.CreateTableInput{
		TableName:   aws.String(name),
		BillingMode: types.BillingModePayPerRequest,
		KeySchema:   keySchema(t.properties.KeySchema),
	}
	for _, attribute := range t.properties.AttributeDefinitions {
		input.AttributeDefinitions = append(input.AttributeDefinitions, types.AttributeDefinition{
			AttributeName: aws.String(attribute.AttributeName), AttributeType: types.ScalarAttributeType(attribute.AttributeType),
		})
	}
	for _, index := range t.properties.GlobalSecondaryIndexes {
		input.GlobalSecondaryIndexes = append(input.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
			IndexName: aws.String(index.IndexName), KeySchema: keySchema(index.KeySchema), Projection: index.projection(),
		})
	}
	for _, index := range t.properties.LocalSecondaryIndexes {
		input.LocalSecondaryIndexes = append(input.LocalSecondaryIndexes, types.LocalSecondaryIndex{
			IndexName: aws.String(index.IndexName), KeySchema: keySchema(index.KeySchema), Projection: index.projection(),
		})
	}
	if view := t.properties.StreamSpecification.StreamViewType; view != "" {
		input.StreamSpecification = &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewType(view)}
	}
	return input
}

func keySchema(elements []keyElement) []types.KeySchemaElement {
	schema := make([]types.KeySchemaElement, 0, len(elements))
	for _, element := range elements {
		schema = append(schema, types.KeySchemaElement{AttributeName: aws.String(element.AttributeName), KeyType: types.KeyType(element.KeyType)})
	}
	return schema
}

func (i index) projection() *types.Projection {
	return &types.Projection{
		ProjectionType: types.ProjectionType(i.Projection.ProjectionType), NonKeyAttributes: i.Projection.NonKeyAttributes,
	}
}

// Client is what Create needs of a DynamoDB client.
type Client interface {
	CreateTable(context.Context, *dynamodb.CreateTableInput, ...func(*dynamodb.Options)) (*dynamodb.CreateTableOutput, error)
	UpdateTimeToLive(context.Context, *dynamodb.UpdateTimeToLiveInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateTimeToLiveOutput, error)
}

// Create creates the table under a name, in an engine in which a table is ready at once, as the local ones are.
func (t Table) Create(ctx context.Context, client Client, name string) error {
	if _, err := client.CreateTable(ctx, t.CreateTableInput(name)); err != nil {
		return fmt.Errorf("create table %s: %w", name, err)
	}
	if t.TimeToLiveAttribute == "" {
		return nil
	}
	_, err := client.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{
		TableName: aws.String(name),
		TimeToLiveSpecification: &types.TimeToLiveSpecification{
			AttributeName: aws.String(t.TimeToLiveAttribute), Enabled: aws.Bool(true),
		},
	})
	if err != nil {
		return fmt.Errorf("set time to live of table %s: %w", name, err)
	}
	return nil
}
