// Package mcpserver offers the endpoints as tools to AI agents, by the Model Context Protocol over streamable HTTP.
//
// A tool is made of an endpoint's declaration and nothing else: its name, what it is told it does, its input schema, its hints. A call
// of it becomes the HTTP request that it stands for and goes through the same checks, so that keys, parameters, units, limits and the
// bodies of answers and refusals are those of the HTTP API. The arguments of a tool are its endpoint's parameters, those of the path
// among them, and for operations that take one an idempotency key. What a caller would learn from the headers is in the result's _meta.
//
// There are no sessions and no streams: one request, one JSON answer, as suits a function that lives for a request. There are no
// resources and no prompts. Batches, which the protocol has given up, are refused. The package decides nothing about answers.
package mcpserver

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
)

// The headers of the protocol that are handed on; all others of a request concern its answer as a whole, or what it calls.
var protocolHeaders = []string{versionHeader, "Mcp-Method", "Mcp-Name", "Origin", "Sec-Fetch-Site"}

const versionHeader = "Mcp-Protocol-Version"

// versions of the protocol that are spoken, the newest first: those whose results are structured and whose requests come one by one.
var versions = []string{"2026-07-28", "2025-11-25", "2025-06-18"}

// statusVersion is the first version in which a method that is not there is a 404.
const statusVersion = "2026-07-28"

// methods that can be called.
var methods = []string{"initialize", "ping", "server/discover", "tools/list", "tools/call"}

// listFresh is how long a client may keep the list of tools, which changes with a deployment only.
const listFresh = time.Hour

// Endpoint declares POST /v1/mcp, where the endpoints are tools; those that need no key are for others to read, and are left out.
// Nothing is built before the first request.
func Endpoint(endpoints ...endpoint.Endpoint) endpoint.Endpoint {
	callable := slices.DeleteFunc(slices.Clone(endpoints), func(e endpoint.Endpoint) bool { return e.Open })
	handler := sync.OnceValue(func() http.Handler { return newHandler(callable) })
	return endpoint.Protocol(endpoint.Declaration{
		Name: "mcp", Summary: "Every endpoint as a tool for AI agents, by the Model Context Protocol over streamable HTTP.",
	}, callable, func(ctx context.Context, r *endpoint.Request, calls http.Handler) (endpoint.Spoken, error) {
		return speak(ctx, handler, r, calls)
	})
}

// newHandler makes the protocol's server with its tools.
func newHandler(callable []endpoint.Endpoint) http.Handler {
	server := mcp.NewServer(&mcp.Implementation{Name: "mirrorworthy", Title: "Mirrorworthy", Version: endpoint.MethodVersion}, &mcp.ServerOptions{
		Instructions: instructions, SupportedProtocolVersions: versions,
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) {
			c.TTLMs, c.CacheScope = int(listFresh/time.Millisecond), "private"
		},
	})
	for i := range callable {
		t := tool{&callable[i]}
		server.AddTool(t.describe(), t.call)
	}
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: endpoint.MaximumBody, PropagateRequestCancellation: true,
	})
}

// exchange is a request with what a tool needs to make a call of its own of it.
type exchange struct {
	ctx     context.Context
	request *endpoint.Request
	calls   http.Handler
	// learned are the headers of what was called.
	learned atomic.Pointer[http.Header]
}

type exchangeKey struct{}

// speak answers a request in the protocol.
func speak(ctx context.Context, handler func() http.Handler, r *endpoint.Request, calls http.Handler) (endpoint.Spoken, error) {
	version := r.Header.Get(versionHeader)
	if version != "" && version < versions[0] && !slices.Contains(versions, version) {
		return endpoint.Spoken{}, endpoint.Invalid("MCP-Protocol-Version", "MCP-Protocol-Version must be one of "+strings.Join(versions, ", ")+".")
	}
	message, err := jsonrpc.DecodeMessage(r.Body)
	if err != nil {
		return endpoint.Spoken{}, notAMessage(err)
	}
	if called, ok := message.(*jsonrpc.Request); ok && called.IsCall() && !slices.Contains(methods, called.Method) {
		return noSuchMethod(called.ID, version)
	}
	x := &exchange{ctx: ctx, request: r, calls: calls}
	asked := &http.Request{
		Method: http.MethodPost, URL: &url.URL{Path: "/v1/mcp"}, Host: r.Host, Header: headerOf(r),
		Body: io.NopCloser(bytes.NewReader(r.Body)), ContentLength: int64(len(r.Body)),
	}
	if http.NewCrossOriginProtection().Check(asked) != nil {
		return endpoint.Spoken{}, crossOrigin()
	}
	answer := newRecorder()
	handler().ServeHTTP(answer, asked.WithContext(context.WithValue(ctx, exchangeKey{}, x)))
	if err := answer.refused(); err != nil {
		return endpoint.Spoken{}, err
	}
	spoken := endpoint.Spoken{Status: answer.status, Body: answer.body.Bytes()}
	if learned := x.learned.Load(); learned != nil {
		spoken.Header = *learned
	}
	return spoken, nil
}

// headerOf is what the protocol's server is told of a request's headers. It may always answer in JSON, and does.
func headerOf(r *endpoint.Request) http.Header {
	header := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	for _, name := range protocolHeaders {
		if values := r.Header.Values(name); len(values) > 0 {
			header[name] = values
		}
	}
	return header
}

// noSuchMethod is the protocol's answer to a call of what is not offered.
func noSuchMethod(id jsonrpc.ID, version string) (endpoint.Spoken, error) {
	body, err := jsonrpc.EncodeMessage(&jsonrpc.Response{ID: id, Error: &jsonrpc.Error{
		Code: jsonrpc.CodeMethodNotFound, Message: "This server answers " + strings.Join(methods, ", ") + ".",
	}})
	if err != nil {
		return endpoint.Spoken{}, notAMessage(err)
	}
	if version >= statusVersion {
		return endpoint.Spoken{Status: http.StatusNotFound, Body: body}, nil
	}
	return endpoint.Spoken{Status: http.StatusOK, Body: body}, nil
}

func notAMessage(err error) error {
	return &endpoint.Problem{Status: http.StatusBadRequest, Code: "invalid_json", Message: "This is no JSON-RPC message of the protocol: " + err.Error() + "."}
}

func crossOrigin() error {
	return &endpoint.Problem{
		Status: http.StatusForbidden, Code: "forbidden", Message: "This came from a web page of another origin. Call the service from a program that may hold its key.",
	}
}

// recorder keeps a whole response.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func newRecorder() *recorder { return &recorder{header: make(http.Header), status: http.StatusOK} }

// Header implements http.ResponseWriter.
func (r *recorder) Header() http.Header { return r.header }

// WriteHeader implements http.ResponseWriter.
func (r *recorder) WriteHeader(status int) { r.status = status }

// Write implements http.ResponseWriter.
func (r *recorder) Write(part []byte) (int, error) { return r.body.Write(part) }

// refused is what the protocol's server refused in plain words rather than in the protocol's.
func (r *recorder) refused() error {
	if r.body.Len() == 0 || strings.HasPrefix(r.header.Get("Content-Type"), "application/json") {
		return nil
	}
	said := fmt.Errorf("%s", strings.TrimSpace(r.body.String()))
	switch r.status {
	case http.StatusBadRequest:
		return notAMessage(said)
	case http.StatusForbidden:
		return crossOrigin()
	}
	return said
}
