package gateway_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/endpointtest"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/gateway"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

const good = `{"wallet":"0xd8da6bf26964af9d7eed9e03e53415d37aa96045","chain":"base"}`

type event = events.APIGatewayV2HTTPRequest

// sends makes an event of an HTTP request, as API Gateway does.
func sends(method, path, body string, headers map[string]string) event {
	e := event{Version: "2.0", RouteKey: "$default", RawPath: path, Body: body, Headers: headers}
	e.RawPath, e.RawQueryString, _ = strings.Cut(path, "?")
	e.RequestContext.HTTP = events.APIGatewayV2HTTPRequestContextHTTPDescription{Method: method, Path: e.RawPath, Protocol: "HTTP/1.1", SourceIP: "192.0.2.7"}
	e.RequestContext.DomainName, e.RequestContext.Stage, e.RequestContext.RequestID = "api.example.com", "$default", "gateway-id"
	return e
}

// invoked is a Lambda function seen as an HTTP handler.
type invoked struct {
	t      endpointtest.T
	invoke func(context.Context, event) (events.APIGatewayV2HTTPResponse, error)
}

func (i invoked) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	headers := make(map[string]string)
	for name, values := range r.Header {
		headers[strings.ToLower(name)] = strings.Join(values, ",")
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		i.t.Fatal(err)
	}
	e := sends(r.Method, r.RequestURI, base64.StdEncoding.EncodeToString(body), headers)
	e.IsBase64Encoded = true
	response, err := i.invoke(r.Context(), e)
	if err != nil {
		i.t.Fatalf("a function error: %v", err)
	}
	for name, value := range response.Headers {
		w.Header().Set(name, value)
	}
	w.WriteHeader(response.StatusCode)
	_, _ = w.Write([]byte(response.Body))
}

func wallet() endpoint.Endpoint {
	return endpoint.Operation(endpoint.Declaration{Name: "trader-score", Units: 2, Graded: true, Parameters: []endpoint.Parameter{endpoint.Wallet, endpoint.Chain}},
		func(_ context.Context, r *endpoint.Request) (map[string]any, error) {
			return map[string]any{
				"wallet": endpoint.Wallet.Of(r), "message": r.Header.Get("X-Wallet-Message"), "host": r.Host, "cookie": r.Header.Get("Cookie"), "text": "<&\u2028\U0001f600>",
			}, nil
		})
}

func board() endpoint.Endpoint {
	limit := endpoint.Integer("limit", "", 1, 100, 20)
	cursor := endpoint.Text("cursor", "", 1, 100)
	return endpoint.Operation(endpoint.Declaration{Name: "trader-board", Method: "GET", Units: 1, Parameters: []endpoint.Parameter{limit, cursor, endpoint.Chain.Optional()}},
		func(_ context.Context, r *endpoint.Request) (string, error) {
			return fmt.Sprint(limit.Of(r), " ", cursor.Of(r)), nil
		})
}

func agent() endpoint.Endpoint {
	id := endpoint.PathValue("agentId", "")
	return endpoint.Operation(endpoint.Declaration{Name: "agent-stop", Path: "/v1/copy/agents/{agentId}/stop", Units: 1, Parameters: []endpoint.Parameter{id}},
		func(_ context.Context, r *endpoint.Request) (string, error) { return id.Of(r), nil })
}

func start(t endpointtest.T) (func(context.Context, event) (events.APIGatewayV2HTTPResponse, error), *endpointtest.Fixture, http.Handler) {
	f := endpointtest.New(t)
	handler := endpointtest.Undocumented{Handler: endpoint.NewHandler(f.Service, wallet(), board(), agent())}
	return gateway.LambdaHandler(handler, slog.New(slog.DiscardHandler)), f, handler
}

func TestRefusalsThroughEvents(t *testing.T) {
	invoke, f, _ := start(t)
	endpointtest.Refusals(t, endpointtest.Undocumented{Handler: invoked{t, invoke}}, []endpoint.Endpoint{wallet(), board(), agent()}, f.Key, func() int { return 0 })
}

// An event is answered as the request is that it was made of.
func TestEventsAreTheirRequests(t *testing.T) {
	invoke, f, handler := start(t)
	for _, c := range []endpointtest.Call{
		{Method: "POST", Path: "/v1/trader-score", Key: f.Key, Body: good},
		{Method: "POST", Path: "/api/v1/trader-score", Key: f.Key, Body: good, Header: http.Header{"X-Wallet-Message": {`{"a":1, "b":"x,y"}`}, "Cookie": {"a=1; b=2"}}},
		{Method: "GET", Path: "/v1/trader-board?limit=7&cursor=a%2Fb%3F%23+c", Key: f.Key},
		{Method: "HEAD", Path: "/v1/trader-board", Key: f.Key},
		{Method: "OPTIONS", Path: "/v1/trader-board"},
		{Method: "POST", Path: "/v1/copy/agents/x-1/stop", Key: f.Key},
		{Method: "POST", Path: "/v1/trader-score", Key: f.Key, Body: "{\xff}"},
		{Method: "POST", Path: "/v1/trader-score", Key: f.Key, Body: "\xef\xbb\xbf{}"},
		{Method: "DELETE", Path: "/v1/trader-score", Key: f.Key},
		{Method: "POST", Path: "/v1/nowhere"},
	} {
		direct, through := c.Do(t, handler), c.Do(t, endpointtest.Undocumented{Handler: invoked{t, invoke}})
		id := direct.Header.Get("X-Request-Id")
		through.Body = strings.ReplaceAll(through.Body, through.Header.Get("X-Request-Id"), id)
		through.Header.Set("X-Request-Id", id)
		for _, header := range []http.Header{direct.Header, through.Header} {
			header.Del("RateLimit")
			header.Del("Content-Length")
		}
		through.Body, direct.Body = strings.ReplaceAll(through.Body, "api.example.com", "example.com"), strings.ReplaceAll(direct.Body, "api.example.com", "example.com")
		if direct.Status != through.Status || direct.Body != through.Body || fmt.Sprint(direct.Header) != fmt.Sprint(through.Header) {
			t.Errorf("%s %s:\n%d %v %q\nthrough an event:\n%d %v %q", c.Method, c.Path, direct.Status, direct.Header, direct.Body, through.Status, through.Header, through.Body)
		}
	}
}

func TestStrangeEvents(t *testing.T) {
	invoke, f, _ := start(t)
	headers := map[string]string{"authorization": "Bearer " + f.Key, "content-type": "application/json"}
	for _, c := range []struct {
		name   string
		event  event
		change func(*event)
		status int
		code   string
	}{
		{"bad escape in the path", sends("POST", "/v1/x%zz", good, headers), nil, 404, "not_found"},
		{"question mark in a decoded path", sends("POST", "/v1/trader-score", good, headers), func(e *event) { e.RawPath = "/v1/trader-score?x=1" }, 404, "not_found"},
		{"hash in a decoded path", sends("POST", "/v1/trader-score", good, headers), func(e *event) { e.RawPath = "/v1/trader-score#x" }, 404, "not_found"},
		{"control character in the path", sends("POST", "/v1/trader-score\n", good, headers), nil, 404, "not_found"},
		{"two slashes", sends("POST", "//v1/trader-score", good, headers), nil, 404, "not_found"},
		{"host in the path", sends("POST", "http://evil.example/v1/trader-score", good, headers), nil, 404, "not_found"},
		{"no path at all", sends("POST", "", good, headers), nil, 404, "not_found"},
		{"bad escape in the query", sends("GET", "/v1/trader-board?limit=%zz", "", headers), nil, 400, "invalid_param"},
		{"control character in the query", sends("GET", "/v1/trader-board?limit=\x01", "", headers), nil, 400, "invalid_param"},
		{"hash in the query", sends("GET", "/v1/trader-board?limit=5#x", "", headers), nil, 400, "invalid_param"},
		{"no method", sends("", "/v1/trader-score", good, headers), nil, 405, "method_not_allowed"},
		{"method that is none", sends("GET /", "/v1/trader-score", good, headers), nil, 405, "method_not_allowed"},
		{"not base64", sends("POST", "/v1/trader-score", good, headers), func(e *event) { e.IsBase64Encoded = true }, 400, "invalid_json"},
		{"not base64 but empty object", sends("POST", "/v1/trader-score", "{}", headers), func(e *event) { e.IsBase64Encoded = true }, 400, "invalid_json"},
		{"no headers", sends("POST", "/v1/trader-score", good, nil), nil, 401, "unauthorized"},
		{"other domain", sends("POST", "/v1/trader-score", "", headers), func(e *event) { e.RequestContext.DomainName = "a b\x00%zz/?" }, 400, "invalid_json"},
		{"stage is not a path", sends("POST", "/prod/v1/trader-score", "", headers), nil, 404, "not_found"},
		{"stage is cut off", sends("POST", "/prod/v1/trader-score", "", headers), func(e *event) { e.RequestContext.Stage = "prod" }, 400, "invalid_json"},
		{"stage at a boundary only", sends("POST", "/production/v1/trader-score", "", headers), func(e *event) { e.RequestContext.Stage = "prod" }, 404, "not_found"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.change != nil {
				c.change(&c.event)
			}
			response, err := invoke(t.Context(), c.event)
			if err != nil {
				t.Fatalf("a function error: %v", err)
			}
			header := make(http.Header)
			for name, value := range response.Headers {
				header.Set(name, value)
			}
			endpointtest.CheckRefusal(t, endpointtest.Call{Path: c.name}, endpointtest.Answer{Status: response.StatusCode, Header: header, Body: response.Body}, c.status, c.code)
		})
	}
	// Emulators may send the query as a map only.
	e := sends("GET", "/v1/trader-board", "", headers)
	e.QueryStringParameters = map[string]string{"cursor": "a&b=c", "limit": "3"}
	if response, err := invoke(t.Context(), e); err != nil || response.Body != `"3 a&b=c"` {
		t.Errorf("%d %s, %v", response.StatusCode, response.Body, err)
	}
}

func TestPanicsAreAnswered(t *testing.T) {
	invoke := gateway.LambdaHandler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("secret") }), slog.New(slog.DiscardHandler))
	silent := gateway.LambdaHandler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), slog.New(slog.DiscardHandler))
	for _, invoke := range []func(context.Context, event) (events.APIGatewayV2HTTPResponse, error){invoke, silent} {
		e := sends("GET", "/v1/x", "", nil)
		e.RequestContext.RequestID = "id\"\n\x00\u00e9-7"
		response, err := invoke(t.Context(), e)
		if err != nil || response.StatusCode != 500 {
			t.Fatalf("%d, %v", response.StatusCode, err)
		}
		var problem map[string]string
		if err := json.Unmarshal([]byte(response.Body), &problem); err != nil || problem["error"] != "internal" || problem["requestId"] != "id-7" || response.Headers["X-Request-Id"] != "id-7" {
			t.Errorf("%s %v", response.Body, err)
		}
		if strings.Contains(response.Body, "secret") {
			t.Errorf("leaks: %s", response.Body)
		}
	}
}

func FuzzEvent(f *testing.F) {
	invoke, fixture, _ := start(f)
	f.Add("POST", "/v1/trader-score", "", good, "application/json", false)
	f.Add("POST", "/api/v1/trader-score", "a=1", base64.StdEncoding.EncodeToString([]byte(good)), "application/json; charset=utf-8", true)
	f.Add("GET", "/v1/trader-board", "limit=5&cursor=%2F", "", "", false)
	f.Add("get", "/v1/x%zz", "%", "\xff", ";", true)
	f.Add("", "//?#", "#", "{", "\x00", false)
	f.Add("CONNECT", "host:443", "", "", "", false)
	f.Fuzz(func(t *testing.T, method, path, query, body, contentType string, encoded bool) {
		e := sends(method, "", body, map[string]string{"authorization": "Bearer " + fixture.Key, "content-type": contentType})
		e.RawPath, e.RawQueryString, e.IsBase64Encoded = path, query, encoded
		fixture.Clock.Advance(1e9)
		response, err := invoke(t.Context(), e)
		if err != nil || response.StatusCode < 200 || response.StatusCode >= 500 {
			t.Fatalf("%d %s, %v", response.StatusCode, response.Body, err)
		}
		if response.StatusCode != http.StatusNoContent && method != "HEAD" && method != "head" && !json.Valid([]byte(response.Body)) {
			t.Errorf("not JSON: %q", response.Body)
		}
		if response.Headers["X-Usage-Units"] == "" || response.Headers["X-Request-Id"] == "" {
			t.Errorf("headers %v", response.Headers)
		}
	})
}

func BenchmarkRequest(b *testing.B) {
	invoke, f, handler := start(b)
	f.Service.Log = nil
	if err := f.Administration.SetLimit(b.Context(), endpointtest.Partner, generous); err != nil {
		b.Fatal(err)
	}
	b.Run("handler", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			request := httptest.NewRequest(http.MethodPost, "/v1/trader-score", strings.NewReader(good))
			request.Header.Set("Authorization", "Bearer "+f.Key)
			recorder := httptest.NewRecorder()
			if handler.ServeHTTP(recorder, request); recorder.Code != http.StatusOK {
				b.Fatal(recorder.Body)
			}
		}
	})
	b.Run("event", func(b *testing.B) {
		b.ReportAllocs()
		e := sends("POST", "/v1/trader-score", good, map[string]string{"authorization": "Bearer " + f.Key, "content-type": "application/json"})
		for b.Loop() {
			if response, err := invoke(b.Context(), e); err != nil || response.StatusCode != http.StatusOK {
				b.Fatal(response.Body)
			}
		}
	})
}

// generous never runs out in a benchmark.
var generous = store.Limit{PerMinute: 10_000_000, Burst: 10_000_000}
