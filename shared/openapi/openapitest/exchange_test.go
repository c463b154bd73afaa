package openapitest

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/mirrorworthy/mirrorworthy/shared/openapi"
)

// described is the document as its examples need it.
type described struct {
	Paths map[string]map[string]struct {
		Responses map[string]struct {
			Content map[string]struct {
				Examples map[string]struct {
					Value json.RawMessage `json:"value"`
				} `json:"examples"`
			} `json:"content"`
		} `json:"responses"`
	} `json:"paths"`
}

func target(t testing.TB, text string) *url.URL {
	t.Helper()
	parsed, err := url.ParseRequestURI(text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// headers are those of a graded answer; pairs of names and values add to them, an empty value takes one away.
func headers(pairs ...string) http.Header {
	header := http.Header{}
	all := append([]string{
		"Content-Type", "application/json", "X-Request-Id", "r-1", "X-Usage-Units", "2", "X-Method-Version", "2026-11-2", "Cache-Control", "no-store",
		"X-Content-Type-Options", "nosniff", "RateLimit-Policy", `"fair-use";q=6000;w=60`, "RateLimit", `"fair-use";r=1198;t=1`,
	}, pairs...)
	for i := 0; i < len(all); i += 2 {
		if header.Set(all[i], all[i+1]); all[i+1] == "" {
			header.Del(all[i])
		}
	}
	return header
}

// Every answer that the document shows is one that it describes.
func TestTheDocumentsOwnExamplesFit(t *testing.T) {
	var all described
	if err := json.Unmarshal(openapi.Document(), &all); err != nil {
		t.Fatal(err)
	}
	d, err := load()
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for path, item := range all.Paths {
		for method, o := range item {
			for status, r := range o.Responses {
				for name, example := range r.Content["application/json"].Examples {
					if status[0] != '2' || len(example.Value) == 0 {
						continue
					}
					shown++
					e := Exchange{Header: headers(), Body: example.Value}
					if found := e.body(d, pointer("paths", path, method, "responses", status, "content", "application/json", "schema")); len(found) > 0 {
						t.Errorf("%s %s: %s: %v", method, path, name, found)
					}
				}
			}
		}
	}
	if shown < len(all.Paths) {
		t.Errorf("%d examples for %d paths", shown, len(all.Paths))
	}
}

const (
	wallet  = "0xd8da6bf26964af9d7eed9e03e53415d37aa96045"
	asked   = `{"wallet":"` + wallet + `","chain":"base"}`
	refused = `{"error":"invalid_param","message":"No.","requestId":"r-1"}`
)

func usage(change func(*Exchange)) Exchange {
	e := Exchange{
		Method: "GET", URL: &url.URL{Path: "/v1/usage"}, RequestHeader: http.Header{"Authorization": {"Bearer k"}}, Status: 200,
		Header: headers("X-Method-Version", "", "X-Usage-Units", "0"),
		Body:   usageBody,
	}
	change(&e)
	return e
}

// usageBody is what the document shows for GET /v1/usage.
var usageBody = sync.OnceValue(func() []byte {
	var all described
	if err := json.Unmarshal(openapi.Document(), &all); err != nil {
		panic(err)
	}
	for _, example := range all.Paths["/v1/usage"]["get"].Responses["200"].Content["application/json"].Examples {
		return example.Value
	}
	panic("no example")
})()

func TestWhatDoesNotFitIsFound(t *testing.T) {
	refusal := func(e *Exchange, status int, body string) {
		e.Status, e.Body = status, []byte(body)
	}
	board := func(e *Exchange, query string) { e.URL = target(t, "/v1/trader-board?"+query) }
	for name, c := range map[string]struct {
		change func(*Exchange)
		want   string // empty: it fits
	}{
		"as documented":     {func(*Exchange) {}, ""},
		"the older address": {func(e *Exchange) { e.URL.Path = "/api/v1/usage" }, ""},
		"HEAD":              {func(e *Exchange) { e.Method, e.Body = "HEAD", nil }, ""},
		"OPTIONS": {func(e *Exchange) {
			e.Method, e.Status, e.Body = "OPTIONS", 204, nil
			e.Header.Set("Allow", "GET, HEAD")
		}, ""},
		"a documented refusal": {func(e *Exchange) { refusal(e, 400, refused) }, ""},
		"another path": {func(e *Exchange) {
			e.URL.Path = "/v1/nothing"
			refusal(e, 404, strings.Replace(refused, "invalid_param", "not_found", 1))
		}, ""},
		"an undocumented status":       {func(e *Exchange) { e.Status = 202 }, "status is not documented"},
		"an undocumented code":         {func(e *Exchange) { refusal(e, 400, strings.Replace(refused, "invalid_param", "invalid_chain", 1)) }, `"invalid_chain" is not documented`},
		"a code of no kind":            {func(e *Exchange) { refusal(e, 400, strings.Replace(refused, "invalid_param", "oops", 1)) }, "value must be one of"},
		"a refusal without its ID":     {func(e *Exchange) { refusal(e, 400, `{"error":"invalid_param","message":"No."}`) }, "requestId"},
		"a path that is answered":      {func(e *Exchange) { e.URL.Path = "/v1/nothing" }, "no such operation"},
		"a body of another shape":      {func(e *Exchange) { e.Body = []byte(`{"partner":1}`) }, "body"},
		"no body":                      {func(e *Exchange) { e.Body = nil }, "body"},
		"a member that nothing names":  {func(e *Exchange) { e.Body = []byte(strings.Replace(string(e.Body), "{", `{"new":1,`, 1)) }, "'new'"},
		"another type of content":      {func(e *Exchange) { e.Header.Set("Content-Type", "text/plain") }, "text/plain"},
		"an undocumented header":       {func(e *Exchange) { e.Header.Set("X-Debug", "1") }, "X-Debug is not documented"},
		"a header of another form":     {func(e *Exchange) { e.Header.Set("RateLimit", "5") }, "Ratelimit"},
		"a header that is missing":     {func(e *Exchange) { e.Header.Del("X-Request-Id") }, "X-Request-Id is missing"},
		"a header twice":               {func(e *Exchange) { e.Header.Add("X-Request-Id", "r-2") }, "sent 2 times"},
		"an answer without a key":      {func(e *Exchange) { e.RequestHeader = http.Header{} }, "there is no key"},
		"an undocumented parameter":    {func(e *Exchange) { e.URL.RawQuery = "x=1" }, `"x" is not documented`},
		"an undocumented body":         {func(e *Exchange) { e.RequestBody = []byte(`{"x":1}`) }, "no body is documented"},
		"a number out of its range":    {func(e *Exchange) { board(e, "limit=101") }, "limit"},
		"a number that is none":        {func(e *Exchange) { board(e, "limit=many") }, "limit"},
		"a parameter twice":            {func(e *Exchange) { board(e, "limit=1&limit=2") }, "given 2 times"},
		"a required parameter":         {func(e *Exchange) { e.URL = target(t, "/v1/copy/leaders") }, "venue is missing"},
		"a required header":            {func(e *Exchange) { e.URL = target(t, "/v1/copy/agents") }, "X-Wallet-Message is missing"},
		"a path value of another form": {func(e *Exchange) { e.URL = target(t, "/v1/copy/agents/A%20B") }, "agentId"},
		"a body with a wrong chain": {func(e *Exchange) {
			e.Method, e.URL, e.RequestBody = "POST", target(t, "/v1/wallet-trades"), []byte(strings.Replace(asked, "base", "solana", 1))
		}, "an invalid request was not refused: the body"},
		"a body with a name too many": {func(e *Exchange) {
			e.Method, e.URL, e.RequestBody = "POST", target(t, "/v1/wallet-trades"), []byte(strings.Replace(asked, "{", `{"asOf":1,`, 1))
		}, "asOf"},
		"a required body": {func(e *Exchange) { e.Method, e.URL = "POST", target(t, "/v1/wallet-trades") }, "an invalid request was not refused: the body"},
	} {
		err := usage(c.change).Check()
		if c.want == "" && err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// Who is trusted needs no key and no wallet's headers; everything else of the request is looked at.
func TestTrustedRequests(t *testing.T) {
	agents := func(query string) string {
		err := usage(func(e *Exchange) { e.URL, e.RequestHeader, e.Trusted = target(t, "/v1/copy/agents?"+query), nil, true }).Check()
		if err == nil {
			t.Fatal("an answer of another shape fits")
		}
		return err.Error()
	}
	if text := agents("limit=1"); strings.Contains(text, "invalid request") {
		t.Error(text)
	}
	if text := agents("limit=0"); !strings.Contains(text, "limit") {
		t.Error(text)
	}
}

func TestHandlerReports(t *testing.T) {
	var reported []error
	handler := Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(w, r.Body); err != nil {
			t.Error(err)
		}
	}), func(err error) { reported = append(reported, err) }, "/elsewhere")
	for path, want := range map[string]int{"/v1/wallet-trades": 1, "/nowhere": 1, "/elsewhere": 0} {
		reported = nil
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, httptest.NewRequest(http.MethodPost, path, strings.NewReader(`{"echo":1}`)))
		if answer.Code != http.StatusOK || answer.Body.String() != `{"echo":1}` || len(reported) != want {
			t.Errorf("%s: %d %s, %v", path, answer.Code, answer.Body, errors.Join(reported...))
		}
	}
}

// BenchmarkExchange is what a test pays for each call of the largest answer, after the first.
func BenchmarkExchange(b *testing.B) {
	var all described
	if err := json.Unmarshal(openapi.Document(), &all); err != nil {
		b.Fatal(err)
	}
	e := Exchange{
		Method: "POST", URL: target(b, "/v1/wallet-overview"), RequestHeader: http.Header{"Authorization": {"Bearer k"}}, RequestBody: []byte(asked),
		Status: 200, Header: headers(),
	}
	for _, example := range all.Paths["/v1/wallet-overview"]["post"].Responses["200"].Content["application/json"].Examples {
		if len(example.Value) > len(e.Body) {
			e.Body = example.Value
		}
	}
	for b.Loop() {
		if err := e.Check(); err != nil {
			b.Fatal(err)
		}
	}
}
