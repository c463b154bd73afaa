package dynamo_test

import (
	"net/http/httptest"
	"os"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/mirrorworthy/mirrorworthy/shared/store/conformance"
	"github.com/mirrorworthy/mirrorworthy/shared/store/dynamo"
	"github.com/mirrorworthy/mirrorworthy/shared/store/dynamo/dynamotest"
	"github.com/mirrorworthy/mirrorworthy/shared/store/dynamo/engine"
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
	server := httptest.NewServer(engine.New())
	t.Cleanup(server.Close)
	return newClient(server.URL)
}

func newTables(t testing.TB, client dynamodbiface.DynamoDBAPI) dynamo.Tables {
	t.Helper()
	return dynamotest.CreateTables(t, client, templateFile)
}

func runConformance(t *testing.T, newClient func(t *testing.T) dynamodbiface.DynamoDBAPI) {
	conformance.Run(t, func(t *testing.T) conformance.Stores {
		client := newClient(t)
		opened := dynamo.Open(client, newTables(t, client))
		return conformance.Stores{
			Keys: opened.Keys(), Meter: opened.Meter(),
			Snapshots: opened.Snapshots(), Observations: opened.Observations(), Peers: opened.Peers(),
			Passes: opened.Passes(), Leaders: opened.Leaders(), Events: opened.Events(), Boards: opened.Boards(),
			Launches: opened.Launches(), TrackRecords: opened.TrackRecords(),
			Agents: opened.Agents(), Executions: opened.Executions(), Readings: opened.Readings(), Idempotency: opened.Idempotency(),
			Nonces: opened.Nonces(), Webhooks: opened.Webhooks(), Outbox: opened.Outbox(),
		}
	})
}

// TestConformance runs the suite on engines inside this process: one for each group of checks, because they cannot create a table
// while another is used. What it asks the engines for, the deployed functions must be allowed to.
func TestConformance(t *testing.T) {
	log := &actionLog{byMethod: make(map[string]map[action]bool), alone: make(map[string]bool)}
	t.Cleanup(func() { // after the groups, which may run side by side
		if !t.Failed() {
			checkPermissions(t, log)
		}
	})
	runConformance(t, func(t *testing.T) dynamodbiface.DynamoDBAPI { return noting{inner: newFake(t), log: log} })
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
