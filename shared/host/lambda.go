package host

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"slices"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/gateway"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/partnerkey"
	"github.com/mirrorworthy/mirrorworthy/shared/job"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/store/dynamo"
)

// Process is what a function is put together from once its configuration is read.
type Process struct {
	Config Config
	Parts  Parts
	Kept   Kept
	// Sources are for jobs; endpoints have those of their requests.
	Sources market.Sources
}

// Jobs are the jobs of a part of the service: those done in one run, and those whose work is spread over a queue.
type Jobs struct {
	Single []job.Job
	Spread []job.Spread
}

// Serve runs a Lambda function that answers these endpoints, which keep nothing. It does not return.
func Serve(endpoints ...endpoint.Endpoint) {
	serve(func(Process) ([]endpoint.Endpoint, []endpoint.Route, error) { return endpoints, nil, nil })
}

// ServeOne runs the Lambda function of one endpoint of a part of the service, given by its name. It does not return.
func ServeOne(name string, part func(Process) ([]endpoint.Endpoint, error)) {
	serve(func(p Process) ([]endpoint.Endpoint, []endpoint.Route, error) {
		all, err := part(p)
		return slices.DeleteFunc(all, func(e endpoint.Endpoint) bool { return e.Name != name }), nil, err
	})
}

// ServeUsage runs the Lambda function that tells a partner its usage. It does not return.
func ServeUsage() {
	serve(func(p Process) ([]endpoint.Endpoint, []endpoint.Route, error) {
		return []endpoint.Endpoint{endpoint.Usage(p.Kept.Meter)}, nil, nil
	})
}

// ServeOpen runs a Lambda function that answers these endpoints, which need neither a key nor a store nor a provider. It does not return.
func ServeOpen(endpoints ...endpoint.Endpoint) {
	log := lambdaLogger()
	service := endpoint.Service{Clock: time.Now, Log: log, Metrics: NewEMF(standardOut(), time.Now)}
	lambda.Start(gateway.LambdaHandler(endpoint.NewHandler(service, endpoints...), log))
}

// ServeNotFound runs the Lambda function behind the catch-all route, which answers no endpoint, but knows all routes. It does not return.
func ServeNotFound(routes func() []endpoint.Route) {
	serve(func(Process) ([]endpoint.Endpoint, []endpoint.Route, error) { return nil, routes(), nil })
}

// serve puts the service together for what choose names: endpoints to answer, or all routes for the catch-all.
func serve(choose func(Process) ([]endpoint.Endpoint, []endpoint.Route, error)) {
	p, err := begin()
	if err != nil {
		CannotStart(p.Parts.Log, err)
	}
	p.Parts.Keys, p.Parts.Meter, p.Parts.Idempotency = p.Kept.Keys, p.Kept.Meter, p.Kept.Idempotency
	if p.Parts.Pepper, err = partnerkey.ParsePepper(p.Config.Pepper.Reveal()); err != nil {
		CannotStart(p.Parts.Log, err)
	}
	service, err := NewService(p.Config, p.Parts)
	if err != nil {
		CannotStart(p.Parts.Log, err)
	}
	endpoints, routes, err := choose(p)
	if err == nil && len(endpoints) == 0 && len(routes) == 0 {
		err = errors.New("the function names no endpoint of the service")
	}
	if err != nil {
		CannotStart(p.Parts.Log, err)
	}
	service.Routes = routes
	lambda.Start(gateway.LambdaHandler(endpoint.NewHandler(service, endpoints...), p.Parts.Log))
}

// BeginJob reads the configuration of a job's function and gives it provider clients and the store.
func BeginJob() (Process, error) {
	p, err := begin()
	if err == nil {
		p.Sources, err = NewSources(p.Config, p.Parts)
	}
	return p, err
}

// begin reads the configuration that every function needs, and opens the store. The log is there in any case.
func begin() (Process, error) {
	p := Process{Parts: Parts{Log: lambdaLogger(), Metrics: NewEMF(standardOut(), time.Now)}}
	var err error
	if p.Config, err = readLambdaConfig(); err != nil {
		return p, err
	}
	p.Kept = KeptIn(OpenDynamo(p.Config, os.Getenv))
	return p, nil
}

// readLambdaConfig reads the configuration that every Lambda function needs.
func readLambdaConfig() (Config, error) {
	config, err := ReadConfig(os.Getenv)
	switch {
	case err != nil:
		return config, err
	case config.RecordsTable == "" || config.MetersTable == "":
		return config, errors.New("RECORDS_TABLE and METERS_TABLE must name the tables")
	}
	return config, config.checkSample()
}

// checkSample refuses the sample market where it is not beside the function on this machine: test keys would reach real providers, and
// webhooks the inside of a real network.
func (c Config) checkSample() error {
	if c.Mode != Sample {
		return nil
	}
	for _, p := range providers() {
		u, err := url.Parse(c.Addresses[p.name])
		if err != nil || !net.ParseIP(u.Hostname()).IsLoopback() {
			return fmt.Errorf("PROVIDERS=%s: want live or replay:DIR on Lambda, or %s_URL and all others on 127.0.0.1", c.Mode, p.variable)
		}
	}
	return nil
}

// CannotStart logs why a function cannot run, and ends it.
func CannotStart(log *slog.Logger, err error) {
	log.Error("cannot start", "error", err)
	os.Exit(1)
}

// OpenDynamo opens the store in the configured tables with the credentials of the environment: those that Lambda gives a
// function, or those of an administrator's shell. Reading only the environment keeps cold starts short.
func OpenDynamo(config Config, getenv func(string) string) *dynamo.Store {
	client := dynamodb.New(dynamodb.Options{Region: config.Region, Credentials: EnvironmentCredentials(getenv)}, func(o *dynamodb.Options) {
		if config.DynamoDBEndpoint != "" {
			o.BaseEndpoint = aws.String(config.DynamoDBEndpoint)
		}
	})
	return dynamo.Open(client, dynamo.Tables{Records: config.RecordsTable, Meters: config.MetersTable})
}

// EnvironmentCredentials are those of the environment.
func EnvironmentCredentials(getenv func(string) string) aws.CredentialsProvider {
	return aws.NewCredentialsCache(credentials.NewStaticCredentialsProvider(
		getenv("AWS_ACCESS_KEY_ID"), getenv("AWS_SECRET_ACCESS_KEY"), getenv("AWS_SESSION_TOKEN")))
}
