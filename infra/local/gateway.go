package main

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/aws/aws-lambda-go/events"

	"github.com/mirrorworthy/mirrorworthy/infra/runtimeapi"
)

// The limits of an API Gateway HTTP API.
const (
	maximumPayload     = 10 << 20
	integrationTimeout = 30 * time.Second
	maximumHeaders     = 10_240
)

// functionHandler is a Lambda function behind an HTTP API.
type functionHandler func(context.Context, events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error)

// apiGateway stands in for API Gateway: it finds the function of a route and hands it the request as an HTTP API event of payload
// version 2.0.
type apiGateway struct {
	routes    map[string]map[string]string // method, then path, to function
	patterns  []route                      // routes with {parameters}
	otherwise string                       // the catch-all route's function
	functions map[string]functionHandler
	now       func() time.Time
	newID     func() string
	log       *slog.Logger
}

func newAPIGateway(t template, functions map[string]functionHandler, now func() time.Time, newID func() string, log *slog.Logger) *apiGateway {
	g := &apiGateway{routes: make(map[string]map[string]string), functions: functions, now: now, newID: newID, log: log}
	for _, r := range t.Routes {
		switch {
		case r.Path == "":
			g.otherwise = r.Function
		case strings.Contains(r.Path, "{"):
			g.patterns = append(g.patterns, r)
		default:
			if g.routes[r.Method] == nil {
				g.routes[r.Method] = make(map[string]string)
			}
			g.routes[r.Method][r.Path] = r.Function
		}
	}
	return g
}

// match finds the function and the route key of a request.
func (g *apiGateway) match(method, path string) (function, key string, parameters map[string]string) {
	if function, found := g.routes[method][path]; found {
		return function, method + " " + path, nil
	}
	for _, r := range g.patterns {
		if parameters, ok := matchPattern(r.Path, path); ok && r.Method == method {
			return r.Function, method + " " + r.Path, parameters
		}
	}
	return g.otherwise, "$default", nil
}

// matchPattern compares a path with a pattern whose segments in braces stand for one segment each.
func matchPattern(pattern, path string) (map[string]string, bool) {
	want, got := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return nil, false
	}
	parameters := make(map[string]string)
	for i := range want {
		if strings.HasPrefix(want[i], "{") && strings.HasSuffix(want[i], "}") && got[i] != "" {
			parameters[want[i][1:len(want[i])-1]] = got[i]
		} else if want[i] != got[i] {
			return nil, false
		}
	}
	return parameters, true
}

// ServeHTTP answers one request through its function.
func (g *apiGateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maximumPayload))
	if err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			gatewayError(w, http.StatusRequestEntityTooLarge, "Request Entity Too Large")
		}
		return // the client went away in the middle of its body
	}
	path := r.URL.EscapedPath()
	function, key, parameters := g.match(r.Method, path)
	handler := g.functions[function]
	if handler == nil {
		gatewayError(w, http.StatusInternalServerError, "Internal Server Error")
		g.log.Error("no such function", "function", function)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), integrationTimeout)
	defer cancel()
	response, err := handler(ctx, g.event(r, path, key, parameters, body))
	if errors.Is(err, runtimeapi.ErrPayloadTooLarge) {
		gatewayError(w, http.StatusRequestEntityTooLarge, "Request Entity Too Large")
		return
	}
	if err != nil {
		g.log.Error("function failed", "function", function, "error", err)
		gatewayError(w, http.StatusInternalServerError, "Internal Server Error")
		return
	}
	writeResponse(w, response)
}

func (g *apiGateway) event(r *http.Request, path, key string, parameters map[string]string, body []byte) events.APIGatewayV2HTTPRequest {
	headers := make(map[string]string, len(r.Header)+1)
	for name, values := range r.Header {
		if name != "Cookie" {
			headers[strings.ToLower(name)] = strings.Join(values, ",")
		}
	}
	headers["host"] = r.Host
	query := make(map[string]string)
	for name, values := range r.URL.Query() {
		query[name] = strings.Join(values, ",")
	}
	now := g.now()
	event := events.APIGatewayV2HTTPRequest{
		Version: "2.0", RouteKey: key, RawPath: path, RawQueryString: r.URL.RawQuery,
		Headers: headers, QueryStringParameters: query, PathParameters: parameters,
		RequestContext: events.APIGatewayV2HTTPRequestContext{
			RouteKey: key, Stage: "$default", RequestID: g.newID(), DomainName: hostOnly(r.Host),
			Time: now.UTC().Format("02/Jan/2006:15:04:05 -0700"), TimeEpoch: now.UnixMilli(),
			HTTP: events.APIGatewayV2HTTPRequestContextHTTPDescription{
				Method: r.Method, Path: path, Protocol: r.Proto, SourceIP: hostOnly(r.RemoteAddr), UserAgent: r.UserAgent(),
			},
		},
	}
	for _, cookie := range r.Cookies() {
		event.Cookies = append(event.Cookies, cookie.String())
	}
	if utf8.Valid(body) {
		event.Body = string(body)
	} else {
		event.Body, event.IsBase64Encoded = base64.StdEncoding.EncodeToString(body), true
	}
	return event
}

func hostOnly(address string) string {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return address
	}
	return host
}

func writeResponse(w http.ResponseWriter, response events.APIGatewayV2HTTPResponse) {
	body := []byte(response.Body)
	if response.IsBase64Encoded {
		decoded, err := base64.StdEncoding.DecodeString(response.Body)
		if err != nil {
			gatewayError(w, http.StatusInternalServerError, "Internal Server Error")
			return
		}
		body = decoded
	}
	for name, value := range response.Headers {
		w.Header().Set(name, value)
	}
	for name, values := range response.MultiValueHeaders {
		if w.Header().Get(name) == "" && len(values) > 0 {
			w.Header().Set(name, strings.Join(values, ","))
		}
	}
	for _, cookie := range response.Cookies {
		w.Header().Add("Set-Cookie", cookie)
	}
	status := response.StatusCode
	if status == 0 {
		status = http.StatusOK
	}
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// gatewayError writes what API Gateway itself says; its bodies have another shape than the service's.
func gatewayError(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, `{"message":"`+message+`"}`)
}
