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

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/gateway"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/partnerkey"
	"github.com/mirrorworthy/mirrorworthy/shared/job"
	"github.com/mirrorworthy/mirrorworthy/shared/leader"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/store/dynamo"
	"github.com/mirrorworthy/mirrorworthy/shared/token"
	"github.com/mirrorworthy/mirrorworthy/shared/webhook"
)

// Serve runs a Lambda function that answers these endpoints, which keep nothing. It does not return.
func Serve(endpoints ...endpoint.Endpoint) {
	serve(func(Kept) ([]endpoint.Endpoint, []endpoint.Route) { return endpoints, nil })
}

// ServeToken runs the Lambda function of an endpoint of the token page, given by its name. It does not return.
func ServeToken(name string) {
	serve(func(kept Kept) ([]endpoint.Endpoint, []endpoint.Route) {
		return named(name, token.Endpoints(kept.tokenMemory())), nil
	})
}

// ServeLeader runs the Lambda function of a board, given by its name. It does not return.
func ServeLeader(name string) {
	serve(func(kept Kept) ([]endpoint.Endpoint, []endpoint.Route) {
		return named(name, leader.Endpoints(kept.leaderMemory())), nil
	})
}

// ServeCopyTrading runs the Lambda function of an endpoint that decides on copies, given by its name. It does not return.
func ServeCopyTrading(name string) {
	serve(func(kept Kept) ([]endpoint.Endpoint, []endpoint.Route) { return named(name, kept.deciding()), nil })
}

// ServeAgent runs the Lambda function of an endpoint of agents, given by its name. It does not return.
func ServeAgent(name string) {
	serveCopying(func(kept Kept, copying Copying) []endpoint.Endpoint { return named(name, kept.agentEndpoints(copying)) })
}

// ServeWebhook runs the Lambda function of an endpoint of webhooks, given by its name. It does not return.
func ServeWebhook(name string) {
	serveCopying(func(kept Kept, copying Copying) []endpoint.Endpoint {
		return named(name, webhook.Endpoints(kept.webhooks(copying)))
	})
}

// named gives the endpoint of a name, none where there is none.
func named(name string, all []endpoint.Endpoint) []endpoint.Endpoint {
	return slices.DeleteFunc(all, func(e endpoint.Endpoint) bool { return e.Name != name })
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
		return nil, endpoint.RoutesOf(Endpoints(kept, Copying{})...)
	})
}

// serve puts the service together for what choose names: endpoints to answer, or all routes for the catch-all.
func serve(choose func(Kept) ([]endpoint.Endpoint, []endpoint.Route)) {
	start(false, func(kept Kept, _ Copying) ([]endpoint.Endpoint, []endpoint.Route) { return choose(kept) })
}

// serveCopying is serve for endpoints that need the secret of agents.
func serveCopying(choose func(Kept, Copying) []endpoint.Endpoint) {
	start(true, func(kept Kept, copying Copying) ([]endpoint.Endpoint, []endpoint.Route) {
		return choose(kept, copying), nil
	})
}

func start(copies bool, choose func(Kept, Copying) ([]endpoint.Endpoint, []endpoint.Route)) {
	log := lambdaLogger()
	config, err := readLambdaConfig()
	var pepper []byte
	if err == nil {
		pepper, err = partnerkey.ParsePepper(config.Pepper.Reveal())
	}
	if err == nil && copies && config.AgentSecret == "" {
		err = errAgentSecret
	}
	if err != nil {
		cannotStart(log, err)
	}
	kept := KeptIn(OpenDynamo(config, os.Getenv))
	parts := Parts{
		Keys: kept.Keys, Meter: kept.Meter, Idempotency: kept.Idempotency, Log: log, Metrics: NewEMF(standardOut(), time.Now), Pepper: pepper,
	}
	service, err := NewService(config, parts)
	if err != nil {
		cannotStart(log, err)
	}
	var copying Copying
	if copies {
		if copying, err = NewCopying(config, parts); err != nil {
			cannotStart(log, err)
		}
	}
	endpoints, routes := choose(kept, copying)
	if len(endpoints) == 0 && len(routes) == 0 {
		cannotStart(log, errors.New("the function names no endpoint of the service"))
	}
	service.Routes = routes
	lambda.Start(gateway.LambdaHandler(endpoint.NewHandler(service, endpoints...), log))
}

// ServeJob runs the Lambda function of a job, plain or spread, given by its name. It does not return.
func ServeJob(name string) {
	log := lambdaLogger()
	config, err := readLambdaConfig()
	if err != nil {
		cannotStart(log, err)
	}
	parts := Parts{Log: log, Metrics: NewEMF(standardOut(), time.Now)}
	sources, err := NewSources(config, parts)
	if err != nil {
		cannotStart(log, err)
	}
	var copying Copying
	if name == mirrorTrades || name == deliverWebhooks {
		if copying, err = NewCopying(config, parts); err != nil {
			cannotStart(log, err)
		}
	}
	function, err := jobFunction(name, config, KeptIn(OpenDynamo(config, os.Getenv)), sources, copying, log)
	if err != nil {
		cannotStart(log, err)
	}
	lambda.Start(function)
}

// jobFunction is what the function of a job runs: a plain job for its schedule's events, a spread one for its queue's messages too.
func jobFunction(name string, config Config, kept Kept, sources market.Sources, copying Copying, log *slog.Logger) (job.Function, error) {
	for _, j := range Jobs(kept, sources) {
		if j.Name == name {
			return job.Handler(j, config.Clock(), log), nil
		}
	}
	for _, s := range Spreads(kept, sources, copying, chain.All()) {
		if s.Name == name {
			if (name == mirrorTrades || name == deliverWebhooks) && config.AgentSecret == "" {
				return nil, errAgentSecret
			}
			return spreadFunction(s, config, kept.Passes, OpenQueue(config, os.Getenv, log), log)
		}
	}
	return nil, fmt.Errorf("there is no job %s", name)
}

// spreadFunction is the function of a spread job, which needs to know the queues that it sends to.
func spreadFunction(s job.Spread, config Config, passes store.Passes, queue *Queue, log *slog.Logger) (job.Function, error) {
	for _, to := range append([]string{s.Name}, s.Then...) {
		if config.Queues[to] == "" {
			return nil, fmt.Errorf("%s must be the address of the queue of %s", QueueSetting(to), to)
		}
	}
	return queue.retrying(s.Name, job.SpreadHandler(s, passes, queue, config.Clock(), log)), nil
}

// errAgentSecret is a function that needs the secret of agents and has none.
var errAgentSecret = errors.New("AGENT_SECRET must be set")

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

// cannotStart logs why a function cannot run, and ends it.
func cannotStart(log *slog.Logger, err error) {
	log.Error("cannot start", "error", err)
	os.Exit(1)
}

// OpenDynamo opens the store in the configured tables with the credentials of the environment: those that Lambda gives a
// function, or those of an administrator's shell. Reading only the environment keeps cold starts short.
func OpenDynamo(config Config, getenv func(string) string) *dynamo.Store {
	client := dynamodb.New(dynamodb.Options{Region: config.Region, Credentials: environmentCredentials(getenv)}, func(o *dynamodb.Options) {
		if config.DynamoDBEndpoint != "" {
			o.BaseEndpoint = aws.String(config.DynamoDBEndpoint)
		}
	})
	return dynamo.Open(client, dynamo.Tables{Records: config.RecordsTable, Meters: config.MetersTable})
}

func environmentCredentials(getenv func(string) string) aws.CredentialsProvider {
	return aws.NewCredentialsCache(credentials.NewStaticCredentialsProvider(
		getenv("AWS_ACCESS_KEY_ID"), getenv("AWS_SECRET_ACCESS_KEY"), getenv("AWS_SESSION_TOKEN")))
}
