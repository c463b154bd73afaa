// Package gateway turns API Gateway HTTP API events (payload format 2.0) into HTTP requests for a handler, and its answers back.
//
// It builds on aws-lambda-go-api-proxy and keeps from it what it would get wrong: paths and queries that do not parse, headers
// with commas, bodies that are not base64, panics. Whatever the event holds, the answer is a response and never a function
// error. It checks no keys and no parameters.
package gateway

import (
	"context"
	"encoding/base64"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"

	"github.com/aws/aws-lambda-go/events"
	"github.com/awslabs/aws-lambda-go-api-proxy/httpadapter"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
)

const (
	// strangePath and strangeMethod stand for whatever is not to be parsed; no endpoint answers them.
	strangePath   = "/strange"
	strangeMethod = "STRANGE"
	// strangeBody stands for a body that is not the base64 it claims to be; it is not JSON either.
	strangeBody = "\xff"
)

// LambdaHandler makes an event handler of an HTTP handler. Its error is always nil; what could not be answered is logged.
func LambdaHandler(h http.Handler, log *slog.Logger) func(context.Context, events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
	adapter := httpadapter.NewV2(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		restore(r, r.Context().Value(eventKey{}).(*events.APIGatewayV2HTTPRequest))
		h.ServeHTTP(w, r)
	}))
	return func(ctx context.Context, event events.APIGatewayV2HTTPRequest) (response events.APIGatewayV2HTTPResponse, _ error) {
		defer func() {
			if cause := recover(); cause != nil {
				log.ErrorContext(ctx, "panic while answering an event", slog.String("cause", fmt.Sprint(cause)), slog.String("stack", string(debug.Stack())))
				response = internalError(&event)
			}
		}()
		response, err := adapter.ProxyWithContext(context.WithValue(ctx, eventKey{}, &event), tame(&event))
		if err != nil {
			log.ErrorContext(ctx, "event could not be answered", slog.String("cause", err.Error()))
			return internalError(&event), nil
		}
		return response, nil
	}
}

// eventKey finds the untouched event in a request's context.
type eventKey struct{}

// tame is the part of an event that the adapter translates faithfully; restore adds the rest.
func tame(event *events.APIGatewayV2HTTPRequest) events.APIGatewayV2HTTPRequest {
	t := events.APIGatewayV2HTTPRequest{RawPath: strangePath, Body: event.Body, RequestContext: event.RequestContext, StageVariables: event.StageVariables}
	if path := rawPath(event); canonical(path) {
		t.RawPath = path
	}
	t.RequestContext.DomainName = "gateway"
	if !isToken(event.RequestContext.HTTP.Method) {
		t.RequestContext.HTTP.Method = strangeMethod
	}
	if event.IsBase64Encoded {
		t.Body = strangeBody
		if decoded, err := base64.StdEncoding.DecodeString(event.Body); err == nil {
			t.Body = string(decoded)
		}
	}
	return t
}

// rawPath is the event's path, without the stage's name if the event came by another stage than the default one.
func rawPath(event *events.APIGatewayV2HTTPRequest) string {
	path := event.RawPath
	if path == "" {
		path = event.RequestContext.HTTP.Path
	}
	if stage := event.RequestContext.Stage; stage != "" && stage != "$default" {
		if rest, found := strings.CutPrefix(path, "/"+stage); found && strings.HasPrefix(rest, "/") {
			return rest
		}
	}
	return path
}

func canonical(path string) bool {
	_, ok := endpoint.CanonicalPath(path)
	return ok
}

// isToken tells whether text is a method that a request may have, in upper case.
func isToken(text string) bool {
	for i := range len(text) {
		if text[i] < 'A' || text[i] > 'Z' {
			return false
		}
	}
	return text != ""
}

// restore gives the request what the adapter would have changed on the way: every header whole, the query as it was sent, the
// caller's address and host.
func restore(r *http.Request, event *events.APIGatewayV2HTTPRequest) {
	r.Header = make(http.Header, len(event.Headers)+1)
	for name, value := range event.Headers {
		r.Header.Add(name, value)
	}
	if len(event.Cookies) > 0 {
		r.Header.Set("Cookie", strings.Join(event.Cookies, "; "))
	}
	r.URL.RawQuery = event.RawQueryString
	if r.URL.RawQuery == "" && len(event.QueryStringParameters) > 0 {
		query := make(url.Values, len(event.QueryStringParameters))
		for name, value := range event.QueryStringParameters {
			query.Set(name, value)
		}
		r.URL.RawQuery = query.Encode()
	}
	r.RequestURI = r.URL.RequestURI()
	r.RemoteAddr = event.RequestContext.HTTP.SourceIP
	r.Host = r.Header.Get("Host")
	if r.Host == "" {
		r.Host = event.RequestContext.DomainName
	}
	r.Header.Del("Host")
}

// internalError is the last resort when the handler itself has failed.
func internalError(event *events.APIGatewayV2HTTPRequest) events.APIGatewayV2HTTPResponse {
	id := event.RequestContext.RequestID
	return events.APIGatewayV2HTTPResponse{
		StatusCode: http.StatusInternalServerError,
		Headers: map[string]string{
			"Content-Type": "application/json", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
			"X-Request-Id": strings.Map(printableASCII, id), "X-Usage-Units": "0",
		},
		Body: fmt.Sprintf(`{"error":"internal","message":"Something went wrong on our side. Report the request id if it happens again.","requestId":%q}`, strings.Map(printableASCII, id)),
	}
}

// printableASCII drops what cannot stand in a header, or in JSON without an escape.
func printableASCII(r rune) rune {
	if r < ' ' || r > '~' || r == '"' || r == '\\' {
		return -1
	}
	return r
}
