package openapitest_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mirrorworthy/mirrorworthy/shared/openapi/openapitest"
)

const (
	removed = `{"removed":true}`
	usage   = `{"today":1,"thisMinute":1,"byEndpoint":[],"limit":{"perMinute":60,"burst":10},"left":9}`
	missing = `{"error":"not_found","message":"None.","requestId":"r"}`
)

func TestExchangesAreHeldAgainstTheDocument(t *testing.T) {
	document, err := openapitest.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, method, path, body string
		status                   int
		answer                   string
		header                   http.Header
		wrong                    string
	}{
		{name: "as described", method: "GET", path: "/v1/usage", status: 200, answer: usage},
		{name: "at the older address", method: "GET", path: "/api/v1/usage", status: 200, answer: usage},
		{name: "a member too many", method: "GET", path: "/v1/usage", status: 200, answer: strings.Replace(usage, "{", `{"more":1,`, 1), wrong: "more"},
		{name: "a member too many inside", method: "GET", path: "/v1/usage", status: 200, answer: strings.Replace(usage, `"burst":10`, `"burst":10,"more":1`, 1), wrong: "more"},
		{name: "a member too few", method: "GET", path: "/v1/usage", status: 200, answer: strings.Replace(usage, `,"left":9`, "", 1), wrong: "left"},
		{name: "another type", method: "DELETE", path: "/v1/webhooks", status: 200, answer: `{"removed":"yes"}`, wrong: "removed"},
		{name: "null", method: "DELETE", path: "/v1/webhooks", status: 200, answer: `{"removed":null}`, wrong: "removed"},
		{name: "a status that is not described", method: "DELETE", path: "/v1/webhooks", status: 404, answer: missing, wrong: "status"},
		{name: "one that is", method: "GET", path: "/v1/webhooks", status: 404, answer: missing},
		{name: "an error of another shape", method: "GET", path: "/v1/webhooks", status: 404, answer: `{"message":"None."}`, wrong: "error"},
		{name: "a code that is not known", method: "GET", path: "/v1/webhooks", status: 404, answer: strings.Replace(missing, "not_found", "gone", 1), wrong: "error"},
		{name: "a header that is not described", method: "DELETE", path: "/v1/webhooks", status: 200, answer: removed, header: http.Header{"Allow": {"GET"}}, wrong: "Allow"},
		{name: "a header of another shape", method: "DELETE", path: "/v1/webhooks", status: 200, answer: removed, header: http.Header{"X-Usage-Units": {"many"}}, wrong: "X-Usage-Units"},
		{name: "a parameter that is not described", method: "PUT", path: "/v1/webhooks", body: `{"url":"https://a.example","more":1}`, status: 200, answer: removed, wrong: "more"},
		{name: "a refusal of it", method: "PUT", path: "/v1/webhooks", body: `{"url":"https://a.example","more":1}`, status: 400, answer: strings.Replace(missing, "not_found", "unknown_param", 1)},
		{name: "a query out of range", method: "GET", path: "/v1/copy/venues?limit=1000", status: 200, answer: `{"venues":[]}`},
		{name: "an unknown path", method: "GET", path: "/v1/nothing", status: 299, answer: `?`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var reported []string
			handler := document.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set("X-Request-Id", "r")
				for name, values := range c.header {
					w.Header()[name] = values
				}
				w.WriteHeader(c.status)
				_, _ = w.Write([]byte(c.answer))
			}), func(err error) { reported = append(reported, err.Error()) })
			request := httptest.NewRequest(c.method, c.path, strings.NewReader(c.body))
			if c.body != "" {
				request.Header.Set("Content-Type", "application/json")
			}
			answer := httptest.NewRecorder()
			handler.ServeHTTP(answer, request)
			if answer.Code != c.status || answer.Body.String() != c.answer || answer.Header().Get("X-Request-Id") != "r" {
				t.Errorf("the answer is changed: %d %s", answer.Code, answer.Body)
			}
			if c.wrong == "" && len(reported) > 0 || c.wrong != "" && (len(reported) != 1 || !strings.Contains(reported[0], c.wrong)) {
				t.Errorf("reported %q", reported)
			}
		})
	}
}
