package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/mirrorworthy/mirrorworthy/infra/runtimeapi"
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket"
)

// List prices in us-east-1 in dollars, the first tier of each, without the free tier.
const (
	pricePerGBSecond     = 0.0000133334 // Lambda on Arm
	pricePerInvocation   = 0.20 / 1e6
	pricePerAPICall      = 1.00 / 1e6  // HTTP API
	pricePerWriteRequest = 0.625 / 1e6 // DynamoDB on demand
	pricePerReadRequest  = 0.125 / 1e6
	pricePerLogGB        = 0.50
)

// costs measures what a call of each endpoint that asks about a sample costs: the time that Lambda would bill, the units of the tables, and
// what it logs, and makes dollars for a million calls of that.
//
// Each function's binary is a warm process, and every call is about another subject, so that its facts are fetched: a subject that is asked
// for again within a minute costs less. Providers are the sample market, each call of it delayed; the tables are at DYNAMODB_ENDPOINT,
// which must tell the capacity that requests consume. Billed is wall time in whole milliseconds at the template's memory, on this machine's
// processors: at 1,024 MB Lambda gives less than one, so that what is computed rather than waited for takes longer there.
func costs(ctx context.Context, arguments []string, getenv func(string) string, out, logs io.Writer) error {
	flags := flag.NewFlagSet("cost", flag.ContinueOnError)
	flags.SetOutput(logs)
	calls := flags.Int("calls", 8, "how many subjects each function is asked about")
	latency := flags.Duration("latency", 100*time.Millisecond, "how long a provider takes to answer")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	config, err := host.ReadConfig(getenv)
	if err != nil {
		return err
	}
	if config.DynamoDBEndpoint == "" {
		return errors.New("DYNAMODB_ENDPOINT must be that of an engine that tells consumed capacity; run this by go run ./infra/dynamodblocal")
	}
	if config.DataDir, err = os.MkdirTemp("", "mirrorworthy-cost"); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(config.DataDir) }()
	config.Mode, config.Port, config.FixedClock, config.Jobs, config.Runtime = host.Sample, 0, checkedAt, []string{}, host.Binaries
	log := slog.New(slog.NewTextHandler(logs, &slog.HandlerOptions{Level: slog.LevelError}))
	used := &capacity{}
	tables, err := serveBetween(config.DynamoDBEndpoint, used.count, used.read)
	if err != nil {
		return err
	}
	defer func() { _ = tables.Close() }()
	config.DynamoDBEndpoint = tables.address
	server, err := newServer(config, log)
	if err != nil {
		return err
	}
	defer server.shut()
	market, _, _ := strings.Cut(server.nodes["base"], "/rpc/")
	slow, err := serveBetween(market, func(*http.Request) error { time.Sleep(*latency); return nil }, nil)
	if err != nil {
		return err
	}
	defer func() { _ = slow.Close() }()
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "endpoint\tbilled ms\tMB\tGB-s\tread units\twrite units\tlog bytes\tunanswered\t$ a million\t")
	for _, name := range slices.Sorted(maps.Keys(server.processes)) {
		source, err := os.ReadFile(filepath.Join(filepath.Dir(config.Template), eventsFolder, name+".json"))
		if err != nil {
			return err
		}
		var event events.APIGatewayV2HTTPRequest
		if err := json.Unmarshal(source, &event); err != nil {
			return err
		}
		if asksAboutSample(event.Body) == "" {
			continue // jobs, and what is about the service's own state
		}
		options := server.processes[name]
		for setting, value := range options.Environment {
			options.Environment[setting] = strings.Replace(value, market, slow.address, 1)
		}
		event.Headers["authorization"] = "Bearer " + server.key
		one, err := costOf(ctx, options, event, subjects(name, event.Body, server.samples), *calls, used)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Fprintf(w, "%s\t%.0f\t%d\t%.3f\t%.1f\t%.1f\t%.0f\t%d\t%.2f\t\n", name, one.milliseconds, options.MemoryMB, one.gigabyteSeconds(options.MemoryMB),
			one.reads, one.writes, one.logged, one.unanswered, 1e6*one.dollars(options.MemoryMB))
	}
	return w.Flush()
}

// cost is that of one call, on average.
type cost struct {
	milliseconds, reads, writes, logged float64
	// unanswered are the calls that got no answer in time, which are charged like others.
	unanswered int
}

func (c cost) gigabyteSeconds(memoryMB int) float64 {
	return c.milliseconds / 1000 * float64(memoryMB) / 1024
}

func (c cost) dollars(memoryMB int) float64 {
	return pricePerAPICall + pricePerInvocation + c.gigabyteSeconds(memoryMB)*pricePerGBSecond +
		c.reads*pricePerReadRequest + c.writes*pricePerWriteRequest + c.logged/1e9*pricePerLogGB
}

// asksAboutSample is the member of a body that names a wallet or a token; empty where there is none.
func asksAboutSample(body string) string {
	var values map[string]any
	if json.Unmarshal([]byte(body), &values) != nil {
		return ""
	}
	for _, name := range []string{"wallet", "token"} {
		if _, has := values[name]; has {
			return name
		}
	}
	return ""
}

// subjects are what a function can be asked about.
func subjects(name, body string, samples samplemarket.Samples) []samplemarket.Sample {
	switch {
	case asksAboutSample(body) == "token":
		return samples.Tokens
	case name == "perp-wallet":
		return samples.Perps
	case name == "prediction-wallet":
		return samples.Predictions
	}
	return samples.Wallets
}

// costOf asks a warm function about one subject after the other.
func costOf(ctx context.Context, options runtimeapi.Options, event events.APIGatewayV2HTTPRequest, of []samplemarket.Sample, calls int, used *capacity) (cost, error) {
	var sum cost
	var taken time.Duration
	written := &loggedBytes{}
	options.Output = written
	options.Report = func(r runtimeapi.Report) { taken = r.Answered.Sub(r.Received) }
	function, err := runtimeapi.New(options)
	if err != nil {
		return sum, err
	}
	defer func() { _ = function.Close() }()
	template := event.Body
	n := min(calls+1, len(of))
	for i, subject := range of[:n] {
		if event.Body, err = about(template, subject); err != nil {
			return sum, err
		}
		payload, err := json.Marshal(event)
		if err != nil {
			return sum, err
		}
		used.take()
		written.take()
		answer, err := function.Invoke(ctx, payload)
		if err != nil {
			return sum, err
		}
		var response events.APIGatewayV2HTTPResponse
		if err := json.Unmarshal(answer, &response); err != nil {
			return sum, err
		}
		reads, writes := used.take()
		if i == 0 {
			continue // it starts the process
		}
		if response.StatusCode >= http.StatusInternalServerError {
			sum.unanswered++
		}
		sum.milliseconds += math.Ceil(float64(taken) / float64(time.Millisecond))
		sum.reads, sum.writes, sum.logged = sum.reads+reads, sum.writes+writes, sum.logged+written.take()
	}
	per := float64(max(1, n-1))
	return cost{sum.milliseconds / per, sum.reads / per, sum.writes / per, sum.logged / per, sum.unanswered}, nil
}

// about puts a subject into a body.
func about(body string, subject samplemarket.Sample) (string, error) {
	var values map[string]any
	if err := json.Unmarshal([]byte(body), &values); err != nil {
		return "", err
	}
	values[asksAboutSample(body)] = subject.Address
	if _, has := values["chain"]; has {
		values["chain"] = cmp.Or(subject.Chain, "base")
	}
	text, err := json.Marshal(values)
	return string(text), err
}

// loggedBytes counts what is written.
type loggedBytes struct {
	mu    sync.Mutex
	bytes int
}

// Write implements io.Writer.
func (c *loggedBytes) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bytes += len(p)
	return len(p), nil
}

// take gives what was counted since it was last asked.
func (c *loggedBytes) take() float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.bytes
	c.bytes = 0
	return float64(n)
}

// capacity counts the units that requests to DynamoDB consume.
type capacity struct {
	mu            sync.Mutex
	reads, writes float64
}

// take gives what was consumed since it was last asked.
func (c *capacity) take() (reads, writes float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	reads, writes = c.reads, c.writes
	c.reads, c.writes = 0, 0
	return reads, writes
}

// count has a request tell what it consumes.
func (c *capacity) count(r *http.Request) error {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	if body, found := bytes.CutPrefix(text, []byte("{")); found && metered(r.Header.Get("X-Amz-Target")) != 0 {
		text = append([]byte(`{"ReturnConsumedCapacity":"TOTAL",`), body...)
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	return nil
}

// metered is 'r' for the actions that read, 'w' for those that write, 0 for others.
func metered(target string) byte {
	_, action, _ := strings.Cut(target, ".")
	switch action {
	case "GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems":
		return 'r'
	case "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems":
		return 'w'
	}
	return 0
}

// read adds up what a response says.
func (c *capacity) read(response *http.Response) error {
	kind := metered(response.Request.Header.Get("X-Amz-Target"))
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	response.Body = io.NopCloser(bytes.NewReader(text))
	type consumed struct{ CapacityUnits float64 }
	var one struct{ ConsumedCapacity consumed }
	var several struct{ ConsumedCapacity []consumed }
	if json.Unmarshal(text, &one) != nil {
		_ = json.Unmarshal(text, &several)
	}
	units := one.ConsumedCapacity.CapacityUnits
	for _, each := range several.ConsumedCapacity {
		units += each.CapacityUnits
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch kind {
	case 'r':
		c.reads += units
	case 'w':
		c.writes += units
	}
	return nil
}

// between is a server that passes requests on.
type between struct {
	*http.Server
	address string
}

// serveBetween serves on loopback what another address does, with something done before and after.
func serveBetween(target string, before func(*http.Request) error, after func(*http.Response) error) (*between, error) {
	to, err := url.Parse(target)
	if err != nil {
		return nil, err
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }, ModifyResponse: after, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug)}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := before(r); err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		proxy.ServeHTTP(w, r)
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	b := &between{Server: &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second}, address: "http://" + listener.Addr().String()}
	go func() { _ = b.Serve(listener) }()
	return b, nil
}
