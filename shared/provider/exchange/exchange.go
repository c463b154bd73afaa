// Package exchange records what providers answered and answers from such recordings, as an http.RoundTripper either way.
//
// A recording is a folder of .jsonl and .jsonl.gz files with one exchange a line:
//
//	{"method":"GET","url":"https://…","body":"","status":200,"response":"…"}
//
// Keys and other secrets are never written. The package knows no provider's format beyond JSON and JSON-RPC, and it never
// asks the network itself.
package exchange

import (
	"bytes"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// line is one recorded exchange.
type line struct {
	Method   string `json:"method"`
	URL      string `json:"url"`
	Body     string `json:"body"`
	Status   int    `json:"status"`
	Response string `json:"response"`
}

// wildcard as a query value, path segment or JSON value in a recorded request stands for anything.
const wildcard = "*"

// secretNames are the query parameters and JSON members that carry credentials.
var secretNames = map[string]bool{
	"apikey": true, "api_key": true, "api-key": true, "key": true, "access_token": true, "auth": true, "authorization": true,
	"secret": true, "app_key": true, "app_secret": true, "sign": true, "x_cg_pro_api_key": true, "x_cg_demo_api_key": true,
}

func isSecretName(name string) bool { return secretNames[strings.ToLower(name)] }

// request is what identifies a request to the replayer.
type request struct {
	method, host string
	segments     []string
	query        map[string][]string
	// body is the decoded JSON without JSON-RPC ids, or the text where it is no JSON; nil without a body.
	body any
}

func parseRequest(method string, address *url.URL, body []byte) request {
	r := request{
		method:   strings.ToUpper(method),
		host:     strings.ToLower(address.Scheme + "://" + address.Host),
		segments: strings.Split(foldHex(strings.Trim(address.Path, "/")), "/"),
		query:    make(map[string][]string),
	}
	for name, values := range address.Query() {
		if isSecretName(name) {
			continue
		}
		folded := make([]string, len(values))
		for i := range values {
			folded[i] = foldHex(values[i])
		}
		r.query[name] = folded
	}
	if body = bytes.TrimSpace(body); len(body) > 0 {
		if json.Unmarshal(body, &r.body, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) != nil {
			r.body = string(body)
		}
		r.body = normalise(r.body)
	}
	return r
}

// normalise folds hexadecimal digits and takes ids out of JSON-RPC calls.
func normalise(value any) any {
	switch value := value.(type) {
	case string:
		return foldHex(value)
	case []any:
		for i := range value {
			value[i] = normalise(value[i])
		}
	case map[string]any:
		if _, call := value["method"]; call {
			delete(value, "id")
		}
		for name, member := range value {
			value[name] = normalise(member)
		}
	}
	return value
}

// foldHex lower-cases hexadecimal numbers in a text, so that an address matches in any letter case.
func foldHex(text string) string {
	if !strings.Contains(text, "0x") && !strings.Contains(text, "0X") {
		return text
	}
	folded := []byte(text)
	for i := 0; i+1 < len(folded); i++ {
		if folded[i] != '0' || folded[i+1]|0x20 != 'x' {
			continue
		}
		folded[i+1] = 'x'
		for i += 2; i < len(folded) && isHexDigit(folded[i]); i++ {
			if folded[i] <= 'F' && folded[i] >= 'A' {
				folded[i] |= 0x20
			}
		}
		i--
	}
	return string(folded)
}

func isHexDigit(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// identity is equal for requests that are the same; the second result tells whether the request holds a wildcard.
func (r request) identity() (string, bool) {
	text, err := json.Marshal([]any{r.method, r.host, r.segments, r.query, r.body}, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return "", false
	}
	return string(text), bytes.Contains(text, []byte(`"`+wildcard+`"`))
}

// answers tells whether a recorded request, which may hold wildcards, stands for an asked one.
func (r request) answers(asked request) bool {
	if r.method != asked.method || r.host != asked.host || len(r.segments) != len(asked.segments) || len(r.query) != len(asked.query) {
		return false
	}
	for i, segment := range r.segments {
		if segment != wildcard && segment != asked.segments[i] {
			return false
		}
	}
	for name, values := range r.query {
		others, found := asked.query[name]
		if !found || len(values) != len(others) {
			return false
		}
		for i := range values {
			if values[i] != wildcard && values[i] != others[i] {
				return false
			}
		}
	}
	return valueAnswers(r.body, asked.body)
}

func valueAnswers(recorded, asked any) bool {
	switch recorded := recorded.(type) {
	case string:
		return recorded == wildcard || recorded == asked
	case []any:
		others, ok := asked.([]any)
		if !ok || len(recorded) != len(others) {
			return false
		}
		for i := range recorded {
			if !valueAnswers(recorded[i], others[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		others, ok := asked.(map[string]any)
		if !ok || len(recorded) != len(others) {
			return false
		}
		for name := range recorded {
			other, found := others[name]
			if !found || !valueAnswers(recorded[name], other) {
				return false
			}
		}
		return true
	}
	return recorded == asked
}
