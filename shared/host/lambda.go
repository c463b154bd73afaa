package host

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/gateway"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/partnerkey"
	"github.com/mirrorworthy/mirrorworthy/shared/job"
	"github.com/mirrorworthy/mirrorworthy/shared/store/dynamo"
	"github.com/mirrorworthy/mirrorworthy/shared/token"
)

// Serve runs a Lambda function that answers these endpoints, which keep nothing. It does not return.
func Serve(endpoints ...endpoint.Endpoint) {
	serve(func(Kept) ([]endpoint.Endpoint, []endpoint.Route) { return endpoints, nil })
}

// ServeToken runs the Lambda function of an endpoint of the token page, given by its name. It does not return.
func ServeToken(name string) {
	serve(func(kept Kept) ([]endpoint.Endpoint, []endpoint.Route) {
		for _, e := range token.Endpoints(kept.tokenMemory()) {
			if e.Name == name {
				return []endpoint.Endpoint{e}, nil
			}
		}
		return nil, nil
	})
}

// ServeUsage runs the Lambda function that tells a partner its usage. It does not return.
func ServeUsage() {
	serve(func(kept Kept) ([]endpoint.Endpoint, []endpoint.Route) {
		return []endpoint.Endpoint{endpoint.Usage(kept.Meter)}, nil
	})
}

// ServeNotFound runs the Lambda function behind the catch-all route. It does not return.
func ServeNotFound() {
	serve(func(kept Kept) ([]endpoint.Endpoint, []endpoint.Route) {
		return nil, endpoint.RoutesOf(Endpoints(kept)...)
	})
}

// serve puts the service together for what choose names: endpoints to answer, or all routes for the catch-all.
func serve(choose func(Kept) ([]endpoint.Endpoint, []endpoint.Route)) {
	log := lambdaLogger()
	config, err := readLambdaConfig()
	var pepper []byte
	if err == nil {
		pepper, err = partnerkey.ParsePepper(config.Pepper.Reveal())
	}
	if err != nil {
		cannotStart(log, err)
	}
	kept := KeptIn(OpenDynamo(config, os.Getenv))
	endpoints, routes := choose(kept)
	if len(endpoints) == 0 && len(routes) == 0 {
		cannotStart(log, errors.New("the function names no endpoint of the service"))
	}
	service, err := NewService(config, Parts{
		Keys: kept.Keys, Meter: kept.Meter, Log: log, Metrics: NewEMF(standardOut(), time.Now), Pepper: pepper, Routes: routes,
	})
	if err != nil {
		cannotStart(log, err)
	}
	lambda.Start(gateway.LambdaHandler(endpoint.NewHandler(service, endpoints...), log))
}

// ServeJob runs the Lambda function of a job, given by its name. It does not return.
func ServeJob(name string) {
	log := lambdaLogger()
	config, err := readLambdaConfig()
	if err != nil {
		cannotStart(log, err)
	}
	sources, err := NewSources(config, Parts{Log: log, Metrics: NewEMF(standardOut(), time.Now)})
	if err != nil {
		cannotStart(log, err)
	}
	for _, j := range Jobs(KeptIn(OpenDynamo(config, os.Getenv)), sources) {
		if j.Name == name {
			lambda.Start(job.Handler(j, config.Clock(), log))
		}
	}
	cannotStart(log, fmt.Errorf("there is no job %s", name))
}

// readLambdaConfig reads the configuration that every Lambda function needs.
func readLambdaConfig() (Config, error) {
	config, err := ReadConfig(os.Getenv)
	switch {
	case err != nil:
		return config, err
	case config.Mode == Sample:
		return config, fmt.Errorf("PROVIDERS=%s: want live or replay:DIR on Lambda", config.Mode)
	case config.RecordsTable == "" || config.MetersTable == "":
		return config, errors.New("RECORDS_TABLE and METERS_TABLE must name the tables")
	}
	return config, nil
}

// cannotStart logs why a function cannot run, and ends it.
func cannotStart(log *slog.Logger, err error) {
	log.Error("cannot start", "error", err)
	os.Exit(1)
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
