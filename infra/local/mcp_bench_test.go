package main

import (
	"net/http"
	"testing"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/endpointtest"
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/catalogue"
	"github.com/mirrorworthy/mirrorworthy/shared/host/copying"
	"github.com/mirrorworthy/mirrorworthy/shared/mcpserver"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// toolsHandler is the handler that the function of the tools makes when it starts, for a partner of a store in memory.
func toolsHandler(b *testing.B, f *endpointtest.Fixture) http.Handler {
	b.Helper()
	config, err := host.ReadConfig(environment(b, "PROVIDERS", "live"))
	if err != nil {
		b.Fatal(err)
	}
	parts := host.Parts{Log: discardLog(), Metrics: f.Metrics}
	sources, err := host.NewSources(config, parts)
	if err != nil {
		b.Fatal(err)
	}
	f.Service.Sources, f.Service.Idempotency, f.Service.Log = sources, struct{ store.Idempotency }{}, nil
	return endpoint.NewHandler(f.Service, mcpserver.Endpoint(catalogue.Endpoints(host.Kept{}, copying.Copying{})...))
}

// ask sends a message of the protocol.
func ask(b *testing.B, f *endpointtest.Fixture, handler http.Handler, body string) endpointtest.Answer {
	b.Helper()
	answer := endpointtest.Call{Method: http.MethodPost, Path: "/v1/mcp", Key: f.Key, Body: body}.Do(b, handler)
	if answer.Status != http.StatusOK {
		b.Fatal(answer.Status, answer.Body)
	}
	return answer
}

const listTools = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`

// What the function of the tools does before it can be asked.
func BenchmarkToolsStart(b *testing.B) {
	f := endpointtest.New(b)
	for b.Loop() {
		toolsHandler(b, f)
	}
}

// The first answer of a new function, and those after it.
func BenchmarkToolsList(b *testing.B) {
	b.Run("first", func(b *testing.B) {
		f := endpointtest.New(b)
		for b.Loop() {
			b.StopTimer()
			handler := toolsHandler(b, f)
			b.StartTimer()
			b.ReportMetric(float64(len(ask(b, f, handler, listTools).Body)), "bytes")
		}
	})
	b.Run("later", func(b *testing.B) {
		f := endpointtest.New(b)
		f.Service.FreeByKey = endpoint.RequestLimit{PerSecond: 1 << 40, Burst: 1 << 40}
		handler := toolsHandler(b, f)
		for b.Loop() {
			ask(b, f, handler, listTools)
		}
	})
}

// A call of the cheapest tool: what the protocol costs.
func BenchmarkToolCall(b *testing.B) {
	f := endpointtest.New(b)
	f.Service.FreeByKey = endpoint.RequestLimit{PerSecond: 1 << 40, Burst: 1 << 40}
	handler := toolsHandler(b, f)
	for b.Loop() {
		ask(b, f, handler, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"trader-score","arguments":{}}}`)
	}
}
