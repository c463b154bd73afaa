package endpointtest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/mirrorworthy/mirrorworthy/shared/openapi/openapitest"
)

// Call is a request to a handler, and what was answered.
type Call struct {
	Method, Path, Key, Body string
	// Header holds more headers. Without a Content-Type of its own, a request with a body is sent as application/json.
	Header http.Header
}

// Answer is a whole response.
type Answer struct {
	Status int
	Header http.Header
	Body   string
}

// Undocumented is a handler of endpoints that a test made up, which the API's document does not describe.
type Undocumented struct{ http.Handler }

// Do sends the call. The path is taken as it is, whatever it holds. What is asked and answered is held to the API's document, unless the
// handler is Undocumented or time is measured.
func (c Call) Do(t T, handler http.Handler) Answer {
	t.Helper()
	var body io.Reader
	if c.Body != "" {
		body = strings.NewReader(c.Body)
	}
	request := httptest.NewRequest(c.Method, "/", body)
	target, err := url.ParseRequestURI(c.Path)
	if err != nil {
		t.Fatalf("no server would take the path %q: %v", c.Path, err)
	}
	request.URL, request.RequestURI = target, c.Path
	if c.Body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.Key != "" {
		request.Header.Set("Authorization", "Bearer "+c.Key)
	}
	for name, values := range c.Header {
		request.Header[name] = values
	}
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	answer := Answer{Status: recorder.Code, Header: recorder.Header(), Body: recorder.Body.String()}
	_, undocumented := handler.(Undocumented)
	if _, timed := t.(*testing.B); !undocumented && !timed {
		c.hold(t, request, answer)
	}
	return answer
}

// hold holds a call and its answer to the API's document. Tests of single endpoints leave out keys and wallets' signatures as they like.
func (c Call) hold(t T, request *http.Request, answer Answer) {
	t.Helper()
	exchange := openapitest.Exchange{
		Method: c.Method, URL: request.URL, RequestHeader: request.Header, RequestBody: []byte(c.Body), Trusted: true,
		Status: answer.Status, Header: answer.Header, Body: []byte(answer.Body),
	}
	if err := exchange.Check(); err != nil {
		t.Errorf("%v", err)
	}
}

// Problem is the body of a refusal.
type Problem struct {
	Error             string   `json:"error"`
	Message           string   `json:"message"`
	RequestID         string   `json:"requestId"`
	Parameter         string   `json:"param"`
	Accepted          []string `json:"accepted"`
	Supported         []string `json:"supported"`
	RetryAfterSeconds int      `json:"retryAfterSeconds"`
}

// Problem reads the body of a refusal.
func (a Answer) Problem(t T) Problem {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(a.Body))
	decoder.DisallowUnknownFields()
	var problem Problem
	if err := decoder.Decode(&problem); err != nil {
		t.Fatalf("status %d, not the body of a refusal: %v: %q", a.Status, err, a.Body)
	}
	return problem
}
