package mcpserver

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
)

// callerHeaders are those that a call inherits from the request that it came in: whose key it is, and which wallet signed in.
var callerHeaders = []string{"Authorization", "X-Wallet-Address", "X-Wallet-Message", "X-Wallet-Signature"}

// member is a name in the arguments with its value as it was sent.
type member struct {
	name  string
	value jsontext.Value
}

// request makes the HTTP request that a call with these arguments stands for. It refuses only what no such request can say.
func (t tool) request(x *exchange, arguments []byte) (*http.Request, *endpoint.Problem) {
	members, problem := membersOf(arguments)
	if problem != nil {
		return nil, problem
	}
	header := make(http.Header)
	for _, name := range callerHeaders {
		if values := x.request.Header.Values(name); len(values) > 0 {
			header[name] = values
		}
	}
	if t.Idempotent {
		if key, found := take(&members, idempotencyKey); found {
			// What is no text becomes no key at all, which is refused.
			key, _ := textOf(key)
			header.Set("Idempotency-Key", key)
		}
	}
	path := t.Path
	for _, p := range t.Parameters {
		if s := p.Specification(); s.InPath {
			value, problem := pathValue(s, &members)
			if problem != nil {
				return nil, problem
			}
			path = strings.Replace(path, "{"+s.Name+"}", value, 1)
		}
	}
	asked := &http.Request{Method: t.Method, URL: &url.URL{Path: path}, Host: x.request.Host, Header: header, Body: http.NoBody}
	if t.Method == http.MethodGet || t.Method == http.MethodDelete {
		asked.URL.RawQuery = t.query(members)
	} else {
		body := bodyOf(members)
		header.Set("Content-Type", "application/json")
		asked.Body, asked.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	}
	return asked.WithContext(x.ctx), nil
}

// membersOf reads the arguments, which are valid JSON without duplicate names. None at all are the empty object.
func membersOf(arguments []byte) ([]member, *endpoint.Problem) {
	if len(arguments) == 0 || jsontext.Value(arguments).Kind() == jsontext.KindNull {
		return nil, nil
	}
	notAnObject := &endpoint.Problem{Status: http.StatusBadRequest, Code: "invalid_json", Message: "Send the arguments as one JSON object."}
	decoder := jsontext.NewDecoder(bytes.NewReader(arguments))
	if decoder.PeekKind() != jsontext.KindBeginObject {
		return nil, notAnObject
	}
	if _, err := decoder.ReadToken(); err != nil {
		return nil, notAnObject
	}
	var members []member
	for decoder.PeekKind() != jsontext.KindEndObject {
		name, err := decoder.ReadToken()
		if err != nil {
			return nil, notAnObject
		}
		read := member{name: name.String()}
		value, err := decoder.ReadValue()
		if err != nil {
			return nil, notAnObject
		}
		read.value = value.Clone()
		members = append(members, read)
	}
	return members, nil
}

// take removes a member and gives its value.
func take(members *[]member, name string) (jsontext.Value, bool) {
	for i, m := range *members {
		if m.name == name {
			*members = append((*members)[:i:i], (*members)[i+1:]...)
			return m.value, true
		}
	}
	return nil, false
}

// textOf gives the text of a JSON string.
func textOf(value jsontext.Value) (string, bool) {
	if value.Kind() != jsontext.KindString {
		return "", false
	}
	text, err := jsontext.AppendUnquote(nil, value)
	return string(text), err == nil
}

// pathValue takes a part of the path from the arguments. Over HTTP a path without it is another path, or none: here it is a parameter
// that is missing, or not what the path takes.
func pathValue(s endpoint.Specification, members *[]member) (string, *endpoint.Problem) {
	value, found := take(members, s.Name)
	if !found || value.Kind() == jsontext.KindNull {
		return "", &endpoint.Problem{Status: http.StatusBadRequest, Code: "missing_param", Parameter: s.Name, Message: "Add " + s.Name + ". " + s.Description}
	}
	text, ok := textOf(value)
	if !ok || len(text) < s.Minimum || len(text) > s.Maximum || strings.Trim(text, "abcdefghijklmnopqrstuvwxyz0123456789_-") != "" {
		return "", endpoint.Invalid(s.Name, s.Name+" must be a string of lower-case letters, digits, '_' and '-', as it was given to you.")
	}
	return text, nil
}

// query writes the members as the query string that they stand for. A text stands for itself where text is wanted; everything else
// stands there as JSON writes it, which the endpoint takes for a number or for yes and no, and refuses for anything it is not.
func (t tool) query(members []member) string {
	values := make([]string, len(members))
	for i, m := range members {
		said := string(m.value)
		if text, ok := textOf(m.value); ok && t.wantsText(m.name) {
			said = text
		}
		values[i] = url.QueryEscape(m.name) + "=" + url.QueryEscape(said)
	}
	return strings.Join(values, "&")
}

// wantsText tells whether a parameter's value is a JSON string.
func (t tool) wantsText(name string) bool {
	for _, p := range t.Parameters {
		if s := p.Specification(); s.Name == name {
			return s.Kind == endpoint.AddressKind || s.Kind == endpoint.ChainKind || s.Kind == endpoint.TextKind
		}
	}
	return false
}

// bodyOf writes the members as one JSON object, with their values as they came.
func bodyOf(members []member) []byte {
	var body bytes.Buffer
	body.WriteByte('{')
	for i, m := range members {
		if i > 0 {
			body.WriteByte(',')
		}
		// The name was read from valid JSON.
		name, _ := jsontext.AppendQuote(nil, m.name)
		body.Write(name)
		body.WriteByte(':')
		body.Write(m.value)
	}
	body.WriteByte('}')
	return body.Bytes()
}
