// Package openapitest holds what is asked and answered over HTTP to the API's document: every answer has a documented status, documented
// headers and a body of the documented shape, with nothing in it that the document does not name; and nothing is done for a request that
// the document calls invalid.
//
// It is imported by tests only. It judges the form of answers and not whether they are right, and does not know the endpoints: the
// document is all that it reads.
package openapitest

import (
	"bytes"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Exchange is a request, and what was answered.
type Exchange struct {
	Method string
	// URL is that of the request line.
	URL           *url.URL
	RequestHeader http.Header
	RequestBody   []byte
	// Trusted says that whoever asks is believed, without the key and the headers by which the document has them prove who they are.
	Trusted bool

	Status int
	Header http.Header
	Body   []byte
}

// ordinary headers are no part of the contract and stand in no document.
var ordinary = []string{"Content-Type", "Content-Length", "X-Content-Type-Options", "Cache-Control", "Date"}

// nowhere are the statuses with which a path or a method that the API does not have is answered.
var nowhere = []int{http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusTooManyRequests}

// Check holds the exchange to the document. The error tells everything that does not fit.
func (e Exchange) Check() error {
	d, err := load()
	if err != nil {
		return err
	}
	return e.against(d)
}

func (e Exchange) against(d *document) error {
	item, values := d.find(e.URL.EscapedPath())
	method := strings.ToLower(e.Method)
	if method == "head" {
		method = "get"
	}
	o := item[method]
	var found []error
	switch {
	case o != nil:
		found = e.operation(d, o, values)
	case e.Method == http.MethodOptions && e.Status == http.StatusNoContent && item != nil:
		// Every path tells its methods; the document says so once, in its overview.
		found = e.headers(d, nil)
	default:
		found = e.refusedPath(d)
	}
	if len(found) == 0 {
		return nil
	}
	return fmt.Errorf("%s %s answered with %d, against the document:\n%w\nthe request: %.600s\nthe answer: %.1500s",
		e.Method, e.URL, e.Status, errors.Join(found...), e.RequestBody, e.Body)
}

// refusedPath checks the answer to a path, or a method of a path, that the API does not have.
func (e Exchange) refusedPath(d *document) []error {
	if !slices.Contains(nowhere, e.Status) {
		return []error{fmt.Errorf("the document has no such operation, and the answer is none of %v", nowhere)}
	}
	found := e.headers(d, nil)
	if e.Method == http.MethodHead {
		return found
	}
	return append(found, e.body(d, pointer("components", "schemas", "Error"))...)
}

// operation checks an exchange of a documented operation.
func (e Exchange) operation(d *document, o *operation, values map[string]string) (found []error) {
	documented := o.Responses[strconv.Itoa(e.Status)]
	if documented == nil {
		return []error{errors.New("the status is not documented")}
	}
	found = e.headers(d, documented)
	if e.Method != http.MethodHead {
		for media := range documented.Content {
			found = append(found, e.body(d, documented.pointer+pointer("content", media, "schema"))...)
		}
		if len(documented.Content) == 0 && len(e.Body) > 0 {
			found = append(found, errors.New("a body is documented nowhere"))
		}
		if code := e.code(); e.Status >= http.StatusBadRequest && !strings.Contains(documented.Description, "`"+code+"`") {
			found = append(found, fmt.Errorf("the code %q is not documented", code))
		}
	}
	if e.Status < http.StatusBadRequest {
		for _, problem := range e.request(d, o, values) {
			found = append(found, fmt.Errorf("an invalid request was not refused: %w", problem))
		}
	}
	return found
}

// code is the word of a refusal.
func (e Exchange) code() string {
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(e.Body))
	if err != nil {
		return ""
	}
	members, _ := parsed.(map[string]any)
	code, _ := members["error"].(string)
	return code
}

// headers checks the headers of the answer. Without a documented response they need only be documented at all.
func (e Exchange) headers(d *document, documented *response) (found []error) {
	known := d.Components.Headers
	if documented != nil {
		known = documented.Headers
		for name, h := range known {
			if h.Required && e.Header.Get(name) == "" {
				found = append(found, fmt.Errorf("the header %s is missing", name))
			}
		}
	}
	for name, sent := range e.Header {
		at := ""
		for each, h := range known {
			if http.CanonicalHeaderKey(each) == http.CanonicalHeaderKey(name) {
				at = h.pointer
			}
		}
		switch {
		case at == "" && slices.Contains(ordinary, http.CanonicalHeaderKey(name)):
		case at == "":
			found = append(found, fmt.Errorf("the header %s is not documented", name))
		case len(sent) != 1:
			found = append(found, fmt.Errorf("the header %s is sent %d times", name, len(sent)))
		case documented == nil && name == "Cache-Control":
		default:
			if err := d.validate(at+"/schema", valueOf(sent[0])); err != nil {
				// Texts of digits, like an ID, are no numbers.
				if err := d.validate(at+"/schema", sent[0]); err != nil {
					found = append(found, fmt.Errorf("the header %s: %w", name, err))
				}
			}
		}
	}
	return found
}

// body checks the answer's body against the schema at a pointer.
func (e Exchange) body(d *document, at string) []error {
	media, _, err := mime.ParseMediaType(e.Header.Get("Content-Type"))
	if err != nil || media != "application/json" {
		return []error{fmt.Errorf("the answer is of the type %q", e.Header.Get("Content-Type"))}
	}
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(e.Body))
	if err == nil {
		err = d.validate(at, parsed)
	}
	if err != nil {
		return []error{fmt.Errorf("the answer's body: %w", err)}
	}
	return nil
}

// request tells what the document calls invalid in the request.
func (e Exchange) request(d *document, o *operation, values map[string]string) (found []error) {
	if !e.Trusted && (o.Security == nil || len(o.Security) > 0) && e.RequestHeader.Get("Authorization") == "" {
		found = append(found, errors.New("there is no key"))
	}
	query, err := url.ParseQuery(e.URL.RawQuery)
	if err != nil {
		found = append(found, err)
	}
	given := map[string]map[string][]string{"query": query, "header": e.RequestHeader, "path": make(map[string][]string)}
	for name, value := range values {
		given["path"][name] = []string{value}
	}
	for i, p := range o.Parameters {
		name := p.Name
		if p.In == "header" {
			name = http.CanonicalHeaderKey(name)
		}
		sent, isThere := given[p.In][name]
		switch {
		case !isThere && p.Required && e.Trusted && p.In == "header":
		case !isThere && p.Required:
			found = append(found, fmt.Errorf("%s is missing", p.Name))
		case isThere && len(sent) != 1:
			found = append(found, fmt.Errorf("%s is given %d times", p.Name, len(sent)))
		case isThere:
			var value any = sent[0]
			if p.Schema.Type != "string" {
				value = valueOf(sent[0])
			}
			if err := d.validate(o.pointer+pointer("parameters", strconv.Itoa(i), "schema"), value); err != nil {
				found = append(found, fmt.Errorf("%s: %w", p.Name, err))
			}
		}
	}
	for name := range query {
		known := false
		for _, p := range o.Parameters {
			known = known || (p.In == "query" && p.Name == name)
		}
		if !known {
			found = append(found, fmt.Errorf("the parameter %q is not documented", name))
		}
	}
	return append(found, e.requestBody(d, o)...)
}

func (e Exchange) requestBody(d *document, o *operation) []error {
	switch {
	case o.RequestBody == nil:
		// Where no parameter is in the body, an empty object is as good as none.
		if body := strings.TrimSpace(string(e.RequestBody)); body != "" && body != "{}" {
			return []error{errors.New("no body is documented")}
		}
		return nil
	case len(e.RequestBody) == 0 && !o.RequestBody.Required:
		return nil
	}
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(e.RequestBody))
	if err == nil {
		err = d.validate(o.pointer+pointer("requestBody", "content", "application/json", "schema"), parsed)
	}
	if err != nil {
		return []error{fmt.Errorf("the body: %w", err)}
	}
	return nil
}

// validate holds a value to the schema at a pointer.
func (d *document) validate(at string, value any) error {
	schema, err := d.schema(at)
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

// valueOf is the value of a text in a query, a path or a header: the number that it spells, or the text.
func valueOf(text string) any {
	if value, err := jsonschema.UnmarshalJSON(strings.NewReader(text)); err == nil {
		return value
	}
	return text
}
