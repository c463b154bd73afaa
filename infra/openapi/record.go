package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
)

// host is where the examples are asked.
const exampleHost = "api.mirrorworthy.example"

// ask is a request that is to be recorded.
type ask struct {
	// Name and Summary tell the example from others of the same endpoint.
	Name, Summary string
	Endpoint      string
	// Path holds the values in the path, Query and Body the parameters, of which the one that the method takes is used. RawBody is sent
	// in place of Body.
	Path    map[string]string
	Query   url.Values
	Body    any
	RawBody string
	Header  http.Header
	// Key is the partner's key; empty for none.
	Key string
	// Method replaces the endpoint's own.
	Method string
	// Hidden requests are made and not shown.
	Hidden bool
}

// recorder asks a service and keeps what it answers.
type recorder struct {
	endpoints map[string]*endpoint.Endpoint
	shown     illustrations
}

func newRecorder(endpoints []endpoint.Endpoint) *recorder {
	r := &recorder{endpoints: make(map[string]*endpoint.Endpoint), shown: newIllustrations()}
	for i := range endpoints {
		r.endpoints[endpoints[i].Name] = &endpoints[i]
	}
	return r
}

func newIllustrations() illustrations {
	return illustrations{
		Parameters: make(map[string]map[string]jsontext.Value), Bodies: make(map[string][]illustration),
		Answers: make(map[string][]illustration), Refusals: make(map[string]jsontext.Value),
	}
}

// send asks, and gives the status and the answer.
func (r *recorder) send(handler http.Handler, a ask) (*httptest.ResponseRecorder, []byte, error) {
	e := r.endpoints[a.Endpoint]
	if e == nil {
		return nil, nil, fmt.Errorf("there is no endpoint %s", a.Endpoint)
	}
	path, method := e.Path, e.Method
	if a.Method != "" {
		method = a.Method
	}
	for name, value := range a.Path {
		path = strings.ReplaceAll(path, "{"+name+"}", value)
	}
	if len(a.Query) > 0 {
		path += "?" + a.Query.Encode()
	}
	body := []byte(a.RawBody)
	if a.Body != nil {
		var err error
		if body, err = json.Marshal(a.Body); err != nil {
			return nil, nil, err
		}
	}
	request := httptest.NewRequest(method, "https://"+exampleHost+path, bytes.NewReader(body))
	if len(body) > 0 {
		request.Header.Set("Content-Type", "application/json")
	}
	for name, values := range a.Header {
		request.Header[name] = values
	}
	if a.Key != "" {
		request.Header.Set("Authorization", "Bearer "+a.Key)
	}
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, request)
	return answer, body, nil
}

// success records a request that succeeds, and gives its answer.
func (r *recorder) success(handler http.Handler, a ask) (jsontext.Value, error) {
	answer, body, err := r.send(handler, a)
	if err != nil {
		return nil, err
	}
	if answer.Code < 200 || answer.Code > 299 {
		return nil, fmt.Errorf("%s (%s): %d %s", a.Endpoint, a.Name, answer.Code, answer.Body)
	}
	value := jsontext.Value(answer.Body.Bytes())
	if a.Hidden {
		return value, nil
	}
	if len(body) > 0 {
		r.shown.Bodies[a.Endpoint] = append(r.shown.Bodies[a.Endpoint], illustration{a.Name, a.Summary, body})
	}
	r.shown.Answers[a.Endpoint] = append(r.shown.Answers[a.Endpoint], illustration{a.Name, a.Summary, value})
	return value, r.parameters(a)
}

// parameters keeps the values in the path, the query and the headers, the first of each.
func (r *recorder) parameters(a ask) error {
	kept := r.shown.Parameters[a.Endpoint]
	if kept == nil {
		kept = make(map[string]jsontext.Value)
		r.shown.Parameters[a.Endpoint] = kept
	}
	e := r.endpoints[a.Endpoint]
	for _, p := range e.Parameters {
		s := p.Specification()
		if value, ok := a.Path[s.Name]; ok && kept[s.Name] == nil {
			kept[s.Name] = quoted(value)
		}
		if value := a.Query.Get(s.Name); value != "" && kept[s.Name] == nil {
			switch s.Kind {
			case endpoint.IntegerKind, endpoint.NumberKind, endpoint.ChainIDKind:
				kept[s.Name] = jsontext.Value(value)
			default:
				kept[s.Name] = quoted(value)
			}
		}
	}
	for name := range a.Header {
		if kept[name] == nil {
			kept[name] = quoted(a.Header.Get(name))
		}
	}
	return nil
}

func quoted(text string) jsontext.Value {
	value, err := jsontext.AppendQuote(nil, text)
	if err != nil {
		panic(err) // only what is no UTF-8 cannot be quoted
	}
	return value
}

// refusal records a request that is refused with the code.
func (r *recorder) refusal(handler http.Handler, code string, a ask) error {
	answer, _, err := r.send(handler, a)
	if err != nil {
		return err
	}
	var said struct {
		Error string `json:"error"`
	}
	if err := json.Unmarshal(answer.Body.Bytes(), &said); err != nil || said.Error != code {
		return fmt.Errorf("%s: %d %s, want %s", a.Endpoint, answer.Code, answer.Body, code)
	}
	r.shown.Refusals[code] = jsontext.Value(answer.Body.Bytes())
	return nil
}
