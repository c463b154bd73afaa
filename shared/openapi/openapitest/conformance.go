// Package openapitest holds a service to its API document, exchange by exchange: whatever is answered must be described, and what succeeds
// must have been asked as described.
//
// It is imported by tests only. It says nothing about paths that the document does not have.
package openapitest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/openapi"
)

// Document is an API document that exchanges are held against. It is safe for concurrent use.
type Document struct{ router routers.Router }

// Load reads the service's own document. Its answers are taken strictly: a member that is not described is an error.
func Load() (*Document, error) {
	document, err := strict(openapi.Document())
	if err != nil {
		return nil, err
	}
	parsed, err := openapi3.NewLoader().LoadFromData(document)
	if err != nil {
		return nil, err
	}
	parsed.Servers = openapi3.Servers{{URL: "/"}}
	router, err := legacy.NewRouter(parsed, openapi3.DisableExamplesValidation())
	if err != nil {
		return nil, err
	}
	return &Document{router}, nil
}

// strict lets the objects of answers have no other members than those described.
func strict(document []byte) ([]byte, error) {
	var whole map[string]any
	if err := json.Unmarshal(document, &whole); err != nil {
		return nil, err
	}
	components, _ := whole["components"].(map[string]any)
	named, _ := components["schemas"].(map[string]any)
	for _, each := range named {
		if schema, ok := each.(map[string]any); ok && schema["properties"] != nil {
			schema["additionalProperties"] = false
		}
	}
	return json.Marshal(whole)
}

// Handler answers as next does, and reports every exchange that the document does not allow.
func (d *Document) Handler(next http.Handler, report func(error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body []byte
		if r.Body != nil {
			read, err := io.ReadAll(r.Body)
			body = read
			r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(read), failing{err}))
		}
		answer := httptest.NewRecorder()
		next.ServeHTTP(answer, r)
		if err := d.check(r, body, answer.Code, answer.Header(), answer.Body.Bytes()); err != nil {
			report(fmt.Errorf("%s %s %.300q: %d %.600q: %w", r.Method, r.URL, body, answer.Code, answer.Body, err))
		}
		for name, values := range answer.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	})
}

// failing ends as a body that could not be read did.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) {
	if f.err == nil {
		return 0, io.EOF
	}
	return 0, f.err
}

// check holds an exchange against the document. One on a path or with a method that the document does not have is none of its business.
func (d *Document) check(r *http.Request, body []byte, status int, header http.Header, answer []byte) error {
	asked := r.Clone(context.WithoutCancel(r.Context()))
	asked.Body = io.NopCloser(bytes.NewReader(body))
	asked.ContentLength = int64(len(body))
	// The older address serves the same document, and the host is anybody's.
	path, canonical := endpoint.CanonicalPath(r.URL.EscapedPath())
	if !canonical {
		return nil
	}
	asked.URL = &url.URL{Path: path, RawQuery: r.URL.RawQuery}
	if len(body) > 0 && asked.Header.Get("Content-Type") == "" {
		asked.Header.Set("Content-Type", "application/json") // which is what none at all is taken for
	}
	route, values, err := d.router.FindRoute(asked)
	if err != nil {
		return nil
	}
	options := &openapi3filter.Options{
		AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, IncludeResponseStatus: true, SkipSettingDefaults: true, RejectWhenRequestBodyNotSpecified: true,
	}
	input := &openapi3filter.RequestValidationInput{Request: asked, PathParams: values, Route: route, Options: options}
	var wrong []error
	if status >= 200 && status < 300 {
		if err := openapi3filter.ValidateRequest(asked.Context(), input); err != nil && !emptyObject(err, body) {
			wrong = append(wrong, fmt.Errorf("the request succeeds and is not as described: %w", err))
		}
	}
	output := &openapi3filter.ResponseValidationInput{RequestValidationInput: input, Status: status, Header: header, Options: options}
	output.SetBodyBytes(answer)
	if err := openapi3filter.ValidateResponse(asked.Context(), output); err != nil {
		wrong = append(wrong, fmt.Errorf("the answer is not as described: %w", err))
	}
	return errors.Join(append(wrong, undescribed(route.Operation, status, header)...)...)
}

// emptyObject tells whether all that is wrong is a body of {} where none is described: it is accepted for the sake of clients that always
// send one.
func emptyObject(err error, body []byte) bool {
	var request *openapi3filter.RequestError
	return errors.As(err, &request) && string(bytes.TrimSpace(body)) == "{}"
}

// described are the headers that are ours, each of which a response must describe to send.
var described = []string{
	"X-Request-Id", "X-Usage-Units", "RateLimit", "RateLimit-Policy", "X-Method-Version", "Retry-After", "WWW-Authenticate", "Allow", "Idempotent-Replayed", "ETag",
}

// undescribed lists the headers that a response has and its description has not.
func undescribed(operation *openapi3.Operation, status int, header http.Header) []error {
	response := operation.Responses.Status(status)
	if response == nil {
		return nil // which was said already
	}
	known := make(map[string]bool)
	for name := range response.Value.Headers {
		known[http.CanonicalHeaderKey(name)] = true
	}
	var wrong []error
	for _, name := range described {
		if header.Get(name) != "" && !known[http.CanonicalHeaderKey(name)] {
			wrong = append(wrong, fmt.Errorf("the answer of status %d has the header %s, which is not described", status, name))
		}
	}
	return wrong
}
