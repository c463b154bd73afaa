package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/mirrorworthy/mirrorworthy/infra/runtimeapi"
	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/catalogue"
	"github.com/mirrorworthy/mirrorworthy/shared/host/copying"
	"github.com/mirrorworthy/mirrorworthy/shared/job"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/store/dynamo"
	"github.com/mirrorworthy/mirrorworthy/shared/store/dynamo/engine"
	"github.com/mirrorworthy/mirrorworthy/shared/store/dynamo/tables"
)

// What stands for the account, the region and its tables where none are named.
const (
	localAccount = "123456789012"
	localRegion  = "us-east-1"
	localRecords = "records"
	localMeters  = "meters"
)

// localCredentials are those of the environment, or some for an engine that does not look at them.
func localCredentials() map[string]string {
	given := make(map[string]string)
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"} {
		if value := os.Getenv(name); value != "" {
			given[name] = value
		}
	}
	if given["AWS_ACCESS_KEY_ID"] == "" {
		return map[string]string{"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local"}
	}
	return given
}

// openDynamo opens the store that other processes can use too: at DYNAMODB_ENDPOINT, or in the memory of this one on a loopback port.
// Tables that are not there are made.
func (s *server) openDynamo(config *host.Config) (host.Engine, error) {
	config.Region = cmp.Or(config.Region, localRegion)
	config.RecordsTable, config.MetersTable = cmp.Or(config.RecordsTable, localRecords), cmp.Or(config.MetersTable, localMeters)
	if config.DynamoDBEndpoint == "" {
		address, err := s.serveOnLoopback(engine.New())
		if err != nil {
			return nil, err
		}
		config.DynamoDBEndpoint, s.forgets = address, true
	}
	given := localCredentials()
	client := dynamodb.New(dynamodb.Options{
		Region: config.Region, BaseEndpoint: aws.String(config.DynamoDBEndpoint),
		Credentials: credentials.NewStaticCredentialsProvider(given["AWS_ACCESS_KEY_ID"], given["AWS_SECRET_ACCESS_KEY"], given["AWS_SESSION_TOKEN"]),
	})
	if err := makeTables(client, *config); err != nil {
		return nil, fmt.Errorf("DYNAMODB_ENDPOINT=%s: %w", config.DynamoDBEndpoint, err)
	}
	return dynamo.Open(client, dynamo.Tables{Records: config.RecordsTable, Meters: config.MetersTable}), nil
}

// makeTables makes those tables of the template that are not there.
func makeTables(client *dynamodb.Client, config host.Config) error {
	source, err := os.ReadFile(config.Template)
	if err != nil {
		return err
	}
	all, err := tables.Read(source)
	if err != nil {
		return err
	}
	names := map[string]string{"RecordsTable": config.RecordsTable, "MetersTable": config.MetersTable}
	for _, table := range all {
		name := names[table.LogicalID]
		if name == "" {
			return fmt.Errorf("template.yaml: table %s has no setting", table.LogicalID)
		}
		_, err := client.DescribeTable(context.Background(), &dynamodb.DescribeTableInput{TableName: &name})
		if missing := (*types.ResourceNotFoundException)(nil); errors.As(err, &missing) {
			err = table.Create(context.Background(), client, name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// serveOnLoopback serves a handler on a free port of this machine until the server is shut, and gives its address.
func (s *server) serveOnLoopback(handler http.Handler) (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	// A process that is ended in the middle of a request is no error here.
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second, ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug)}
	go func() { _ = server.Serve(listener) }()
	s.close = append(s.close, server.Close)
	return "http://" + listener.Addr().String(), nil
}

// asBinaries makes the functions of the template as processes of their binaries, which reach the queues over a loopback port.
func (s *server) asBinaries(config host.Config, deployed template, to *queues) (functions, error) {
	s.processes = make(map[string]runtimeapi.Options)
	address, err := s.serveOnLoopback(&queueService{queues: to, log: s.log})
	if err != nil {
		return functions{}, err
	}
	config.SQSEndpoint = address
	for _, c := range deployed.Consumers {
		config.Queues[c.Function] = address + "/" + localAccount + "/" + c.Function
	}
	for _, folder := range []*string{&config.ReplayDir, &config.RecordDir, &config.BinariesDir} {
		if *folder == "" {
			continue
		}
		if *folder, err = filepath.Abs(*folder); err != nil {
			return functions{}, err
		}
	}
	made := functions{
		answering: make(map[string]functionHandler), working: make(map[string]job.Function),
		// They are asked for their names and gaps alone.
		spread: catalogue.Spreads(host.Kept{}, market.Sources{}, copying.Copying{}, chain.All()),
	}
	for name, f := range deployed.Functions {
		s.processes[name] = runtimeapi.Options{
			Name: name, Binary: filepath.Join(config.BinariesDir, name), Timeout: f.Timeout, MemoryMB: f.MemoryMB,
			Environment: environmentOf(f, deployed, config), Output: &functionOutput{name: name, log: s.log},
		}
		one, err := runtimeapi.New(s.processes[name])
		if err != nil {
			return functions{}, fmt.Errorf("BINARIES_DIR=%s: %w; make build-native builds it", config.BinariesDir, err)
		}
		s.close = append(s.close, one.Close)
		made.answering[name] = func(ctx context.Context, event events.APIGatewayV2HTTPRequest) (response events.APIGatewayV2HTTPResponse, err error) {
			payload, err := json.Marshal(event)
			if err != nil {
				return response, err
			}
			answer, err := one.Invoke(ctx, payload)
			if err != nil {
				return response, err
			}
			return response, json.Unmarshal(answer, &response)
		}
		made.working[name] = func(ctx context.Context, payload json.RawMessage) (json.RawMessage, error) {
			answer, err := one.Invoke(ctx, payload)
			if bytes.Equal(answer, []byte("null")) {
				answer = nil // a function that answers nothing
			}
			return answer, err
		}
	}
	return made, nil
}

// environmentOf is what a function finds in its environment: of what the template gives to some functions, only what it gives to this one,
// so that one that lacks a variable fails here too.
func environmentOf(f function, deployed template, config host.Config) map[string]string {
	variables := config.Environment()
	for _, other := range deployed.Functions {
		for name := range other.Variables {
			if !f.Variables[name] {
				delete(variables, name)
			}
		}
	}
	maps.Copy(variables, localCredentials())
	variables["AWS_LAMBDA_LOG_FORMAT"] = "Text"
	variables["AWS_XRAY_CONTEXT_MISSING"] = "IGNORE_ERROR"
	return variables
}

// functionOutput passes on what a function writes: its log as it is, its metrics to the debug log.
type functionOutput struct {
	name string
	log  *slog.Logger
}

// Write takes whole lines.
func (o *functionOutput) Write(lines []byte) (int, error) {
	for line := range bytes.Lines(lines) {
		text := string(bytes.TrimRight(line, "\n"))
		if bytes.HasPrefix(line, []byte("{")) && bytes.Contains(line, []byte(`"_aws"`)) {
			o.log.Debug("metric", "function", o.name, "line", text)
		} else if text != "" {
			o.log.Info("function", "name", o.name, "says", text)
		}
	}
	return len(lines), nil
}

var _ io.Writer = (*functionOutput)(nil)
