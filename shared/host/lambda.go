package host

import (
	"fmt"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/gateway"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/partnerkey"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/store/dynamo"
)

// Serve runs a Lambda function that answers these endpoints. It does not return.
func Serve(endpoints ...endpoint.Endpoint) {
	serve(func(store.Meter) ([]endpoint.Endpoint, []endpoint.Route) { return endpoints, nil })
}

// ServeUsage runs the Lambda function that tells a partner its usage. It does not return.
func ServeUsage() {
	serve(func(meter store.Meter) ([]endpoint.Endpoint, []endpoint.Route) {
		return []endpoint.Endpoint{endpoint.Usage(meter)}, nil
	})
}

// ServeNotFound runs the Lambda function behind the catch-all route. It does not return.
func ServeNotFound() {
	serve(func(meter store.Meter) ([]endpoint.Endpoint, []endpoint.Route) {
		return nil, endpoint.RoutesOf(Endpoints(meter)...)
	})
}

func serve(choose func(store.Meter) ([]endpoint.Endpoint, []endpoint.Route)) {
	log := lambdaLogger()
	config, err := ReadConfig(os.Getenv)
	if err == nil && config.Mode == Sample {
		err = fmt.Errorf("PROVIDERS=%s: want live or replay:DIR on Lambda", config.Mode)
	}
	var pepper []byte
	if err == nil {
		pepper, err = partnerkey.ParsePepper(config.Pepper.Reveal())
	}
	if err == nil && (config.RecordsTable == "" || config.MetersTable == "") {
		err = fmt.Errorf("RECORDS_TABLE and METERS_TABLE must name the tables")
	}
	if err != nil {
		log.Error("cannot start", "error", err)
		os.Exit(1)
	}
	kept := OpenDynamo(config, os.Getenv)
	endpoints, routes := choose(kept.Meter())
	service, err := NewService(config, Parts{
		Keys: kept.Keys(), Meter: kept.Meter(), Log: log, Metrics: NewEMF(standardOut(), time.Now), Pepper: pepper, Routes: routes,
	})
	if err != nil {
		log.Error("cannot start", "error", err)
		os.Exit(1)
	}
	lambda.Start(gateway.LambdaHandler(endpoint.NewHandler(service, endpoints...), log))
}

// OpenDynamo opens the store in the configured tables with the credentials of the environment: those that Lambda gives a
// function, or those of an administrator's shell. Reading only the environment keeps cold starts short.
func OpenDynamo(config Config, getenv func(string) string) *dynamo.Store {
	client := dynamodb.New(dynamodb.Options{
		Region: config.Region,
		Credentials: aws.NewCredentialsCache(credentials.NewStaticCredentialsProvider(
			getenv("AWS_ACCESS_KEY_ID"), getenv("AWS_SECRET_ACCESS_KEY"), getenv("AWS_SESSION_TOKEN"))),
	}, func(o *dynamodb.Options) {
		if config.DynamoDBEndpoint != "" {
			o.BaseEndpoint = aws.String(config.DynamoDBEndpoint)
		}
	})
	return dynamo.Open(client, dynamo.Tables{Records: config.RecordsTable, Meters: config.MetersTable})
}
