package mcpserver_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/endpointtest"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// tools lists what an agent is offered.
func (s *service) offered(t *testing.T) map[string]*mcp.Tool {
	t.Helper()
	all := make(map[string]*mcp.Tool)
	for tool, err := range s.connect(t, "").Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		all[tool.Name] = tool
	}
	return all
}

// Every endpoint that needs a key is a tool, and says of itself what its declaration does.
func TestEveryEndpointIsATool(t *testing.T) {
	s := start(t)
	offered := s.offered(t)
	for _, e := range s.endpoints {
		tool := offered[e.Name]
		if e.Open {
			if tool != nil {
				t.Errorf("%s needs no key", e.Name)
			}
			continue
		}
		if tool == nil {
			t.Errorf("%s is no tool", e.Name)
			continue
		}
		if !strings.HasPrefix(tool.Description, e.Summary) || !strings.Contains(tool.Description, ". Costs ") {
			t.Errorf("%s: %s", e.Name, tool.Description)
		}
		source, err := json.Marshal(tool.InputSchema)
		if err != nil {
			t.Fatal(err)
		}
		var input jsonschema.Schema
		if err := json.Unmarshal(source, &input); err != nil {
			t.Fatal(err)
		}
		if _, err := input.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true}); err != nil || input.Type != "object" {
			t.Errorf("%s: %v", e.Name, err)
		}
		want := []string{}
		for _, p := range e.Parameters {
			want = append(want, p.Specification().Name)
		}
		if e.Idempotent {
			want = append(want, "idempotencyKey")
		}
		var got []string
		for name := range input.Properties {
			got = append(got, name)
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) || slices.Contains(input.Required, "idempotencyKey") {
			t.Errorf("%s takes %v, want %v", e.Name, got, want)
		}
	}
	if len(offered) != len(s.endpoints)-1 {
		t.Errorf("%d tools of %d endpoints", len(offered), len(s.endpoints))
	}
}

func TestWhatAgentsAreTold(t *testing.T) {
	s := start(t)
	offered := s.offered(t)
	const (
		unknown = "null means unmeasured, not zero; unknown is not bad. Show the reasons with the verdict."
		buy     = "Never show a BUY without the risk verdict beside it."
		parts   = "A slot that failed holds an error and is named in failed; the others stand."
		signed  = "Needs the headers X-Wallet-Address, X-Wallet-Message and X-Wallet-Signature on the request: a sign-in that the wallet signed."
		changes = "This changes something: call it when the person wants it."
	)
	for name, want := range map[string]struct {
		title, costs                         string
		readOnly, destructive, idempotent    bool
		unknown, buy, parts, signed, changes bool
	}{
		"trader-score":       {"Trader score", "Costs 2 usage units.", true, false, false, true, false, false, false, false},
		"wallet-pnl-quality": {"Wallet PnL quality", "Costs 1 usage unit.", true, false, false, true, false, false, false, false},
		"wallet-trades":      {"Wallet trades", "Costs 2 usage units.", true, false, false, false, false, false, false, false},
		"token-signal":       {"Token signal", "Costs 3 usage units.", true, false, false, true, true, false, false, false},
		"token-overview":     {"Token overview", "Costs 6 usage units.", false, false, false, true, true, true, false, false},
		"wallet-overview":    {"Wallet overview", "Costs 4 usage units.", true, false, false, true, false, true, false, false},
		"trader-board":       {"Trader board", "Costs 1 usage unit.", true, false, true, false, false, false, false, false},
		"trader-leaderboard": {"Trader leaderboard", "Costs usage units by the length of the list.", true, false, false, true, false, false, false, false},
		"usage":              {"Usage", "Costs nothing.", true, false, true, false, false, false, false, false},
		"agent":              {"Agent", "Costs 1 usage unit.", true, false, true, false, false, false, true, false},
		"create-agent":       {"Create agent", "Costs 1 usage unit.", false, false, false, false, false, false, true, true},
		"pause-agent":        {"Pause agent", "Costs 1 usage unit.", false, true, false, false, false, false, true, true},
		"put-webhook":        {"Put webhook", "Costs 1 usage unit.", false, true, true, false, false, false, false, true},
		"delete-webhook":     {"Delete webhook", "Costs 1 usage unit.", false, true, true, false, false, false, false, true},
	} {
		tool := offered[name]
		hints := tool.Annotations
		if tool.Title != want.title || hints.Title != want.title || !strings.Contains(tool.Description, want.costs) {
			t.Errorf("%s: %q %q", name, tool.Title, tool.Description)
		}
		if hints.ReadOnlyHint != want.readOnly || *hints.DestructiveHint != want.destructive || hints.IdempotentHint != want.idempotent || *hints.OpenWorldHint {
			t.Errorf("%s: %+v", name, hints)
		}
		for sentence, said := range map[string]bool{unknown: want.unknown, buy: want.buy, parts: want.parts, signed: want.signed, changes: want.changes} {
			if strings.Contains(tool.Description, sentence) != said {
				t.Errorf("%s: %v for %q: %s", name, !said, sentence, tool.Description)
			}
		}
	}
}

var requestID = regexp.MustCompile(`request-\d+`)

// over sends the HTTP request that a call stands for.
func (s *service) over(t endpointtest.T, method, path, body string, header ...string) endpointtest.Answer {
	t.Helper()
	call := endpointtest.Call{Method: method, Path: path, Key: s.Key, Body: body, Header: make(http.Header)}
	for i := 0; i+1 < len(header); i += 2 {
		call.Header.Set(header[i], header[i+1])
	}
	return call.Do(t, s.direct)
}

// same holds a result against the answer to the HTTP request that it stands for.
func same(t endpointtest.T, about string, got result, whole, want endpointtest.Answer) {
	t.Helper()
	text, wanted := requestID.ReplaceAllString(got.body(t), "request"), requestID.ReplaceAllString(want.Body, "request")
	if text != wanted {
		t.Errorf("%s:\n%s, over HTTP\n%s", about, text, wanted)
	}
	var structured, body any
	if json.Unmarshal(got.Structured, &structured) != nil || json.Unmarshal([]byte(got.body(t)), &body) != nil {
		t.Errorf("%s: %s", about, got.Structured)
	}
	again, _ := json.Marshal(structured)
	once, _ := json.Marshal(body)
	if string(again) != string(once) {
		t.Errorf("%s: structured %s, text %s", about, again, once)
	}
	units := "-"
	if got.Meta.UsageUnits != nil {
		encoded, _ := json.Marshal(got.Meta.UsageUnits)
		units = string(encoded)
	}
	if got.IsError != (want.Status >= 400) || units != want.Header.Get("X-Usage-Units") || whole.Header.Get("X-Usage-Units") != units ||
		got.Meta.MethodVersion != want.Header.Get("X-Method-Version") || whole.Header.Get("X-Method-Version") != got.Meta.MethodVersion {
		t.Errorf("%s: %d error %v, %s units, over HTTP %v, headers %v", about, want.Status, got.IsError, units, want.Header, whole.Header)
	}
	if id := whole.Header.Get("X-Request-Id"); got.Meta.RequestID != id || (got.IsError && !strings.Contains(got.body(t), `"requestId":"`+id+`"`)) {
		t.Errorf("%s: request %q, in _meta %q: %s", about, id, got.Meta.RequestID, got.body(t))
	}
	endpointtest.CheckRateLimit(t, whole)
	if got.Meta.RateLimit != "" && (got.Meta.RateLimit != whole.Header.Get("RateLimit") || got.Meta.RateLimitPolicy != whole.Header.Get("RateLimit-Policy")) {
		t.Errorf("%s: %+v, headers %v", about, got.Meta, whole.Header)
	}
}

// A call of a tool is answered, refused and charged as the HTTP request that it stands for.
func TestCallsAreRequests(t *testing.T) {
	s := start(t)
	agent := `{"leader":"` + wallet + `","riskConfig":{"maxUsd":"100.50","copyPercent":12.5}}`
	for _, c := range []struct{ tool, arguments, method, path, body string }{
		{"trader-score", good, "POST", "/v1/trader-score", good},
		{"trader-score", `{"chain":"matic","wallet":"0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"}`, "POST", "/v1/trader-score", `{"chain":"matic","wallet":"0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"}`},
		{"wallet-overview", good[:len(good)-1] + `,"tradesLimit":7}`, "POST", "/v1/wallet-overview", good[:len(good)-1] + `,"tradesLimit":7}`},
		{"token-overview", good, "POST", "/v1/token-overview", good}, // a part of it fails
		{"exit-risk", good, "POST", "/v1/exit-risk", good},
		{"trader-leaderboard", `{"wallets":["` + wallet + `","` + otherWallet + `"],"chain":"eth"}`, "POST", "/v1/trader-leaderboard", `{"wallets":["` + wallet + `","` + otherWallet + `"],"chain":"eth"}`},
		{"trader-board", `{}`, "GET", "/v1/trader-board", ""},
		{"trader-board", `{"chain":"base","limit":5,"mirrorableOnly":true,"chainId":8453,"source":"spot-leader-gate"}`, "GET", "/v1/trader-board?chain=base&limit=5&mirrorableOnly=true&chainId=8453&source=spot-leader-gate", ""},
		{"trader-board", `{"limit":5.0,"mirrorableOnly":false}`, "GET", "/v1/trader-board?limit=5.0&mirrorableOnly=false", ""},
		{"trader-board", `{"limit":500}`, "GET", "/v1/trader-board?limit=500", ""},
		{"trader-board", `{"chain":"a&limit=5"}`, "GET", "/v1/trader-board?chain=a%26limit%3D5", ""},
		{"trader-board", `{"a b&c":"\u0000"}`, "GET", "/v1/trader-board?a+b%26c=%00", ""},
		{"agent", `{"agentId":"ag_7-x"}`, "GET", "/v1/copy/agents/ag_7-x", ""},
		{"agent", `{"agentId":"ag_7-x","limit":1}`, "GET", "/v1/copy/agents/ag_7-x?limit=1", ""},
		{"activate-agent", `{"results":[{"step":"sign","signature":"0x"},{"step":"send"}],"agentId":"a"}`, "POST", "/v1/copy/agents/a/activate", `{"results":[{"step":"sign","signature":"0x"},{"step":"send"}]}`},
		{"activate-agent", `{"agentId":"a","results":[{"step":"leap"}]}`, "POST", "/v1/copy/agents/a/activate", `{"results":[{"step":"leap"}]}`},
		{"put-webhook", `{"events":["a"]}`, "PUT", "/v1/webhooks", `{"events":["a"]}`},
		{"put-webhook", ``, "PUT", "/v1/webhooks", `{}`},
		{"delete-webhook", `{}`, "DELETE", "/v1/webhooks", ""},
		{"delete-webhook", `{"all":true}`, "DELETE", "/v1/webhooks?all=true", ""},
		{"create-agent", agent, "POST", "/v1/copy/agents", agent},
		{"create-agent", `{}`, "POST", "/v1/copy/agents", `{}`},
		{"trader-score", ``, "POST", "/v1/trader-score", `{}`},
		{"trader-score", `null`, "POST", "/v1/trader-score", `{}`},
		{"trader-score", good[:len(good)-1] + `,"asOf":"2026-01-01"}`, "POST", "/v1/trader-score", good[:len(good)-1] + `,"asOf":"2026-01-01"}`},
		{"trader-score", good[:len(good)-1] + `,"idempotencyKey":"k"}`, "POST", "/v1/trader-score", good[:len(good)-1] + `,"idempotencyKey":"k"}`},
		{"trader-score", `{"Wallet":"x"}`, "POST", "/v1/trader-score", `{"Wallet":"x"}`},
		{"trader-score", `{"wallet":"0x","chain":"base"}`, "POST", "/v1/trader-score", `{"wallet":"0x","chain":"base"}`},
		{"trader-score", `{"wallet":null,"chain":"base"}`, "POST", "/v1/trader-score", `{"wallet":null,"chain":"base"}`},
		{"trader-score", `{"wallet":"` + wallet + `","chain":"moon"}`, "POST", "/v1/trader-score", `{"wallet":"` + wallet + `","chain":"moon"}`},
		{"wallet-trades", good[:len(good)-1] + `,"tradesLimit":1e9}`, "POST", "/v1/wallet-trades", good[:len(good)-1] + `,"tradesLimit":1e9}`},
	} {
		before := s.Metrics.Total("units")
		want := s.over(t, c.method, c.path, c.body)
		charged := s.Metrics.Total("units") - before
		s.done.Store(0)
		arguments := c.arguments
		if arguments == "" {
			arguments = "null"
		}
		got, whole := s.call(t, c.tool, arguments)
		s.done.Store(0)
		// What the endpoint was given is the same but for white space, order and the headers.
		want.Body = strings.Replace(want.Body, `,"times":2`, `,"times":1`, 1)
		same(t, c.tool+" "+c.arguments, got, whole, want)
		if also := s.Metrics.Total("units") - before - charged; also != charged {
			t.Errorf("%s %s: charged %d, over HTTP %d", c.tool, c.arguments, also, charged)
		}
	}
	usage, err := s.Store.Usage(t.Context(), endpointtest.Partner, s.Clock.Now())
	if err != nil || slices.ContainsFunc(usage.ByEndpoint, func(u store.EndpointUsage) bool { return u.Endpoint == "mcp" }) || usage.Today != int64(s.Metrics.Total("units")) {
		t.Errorf("%+v %v", usage, err)
	}
	told, _ := s.call(t, "usage", "{}")
	var answer endpoint.UsageAnswer
	if err := json.Unmarshal(told.Structured, &answer); err != nil || answer.Today != usage.Today || *told.Meta.UsageUnits != 0 {
		t.Errorf("%s %v", told.Structured, err)
	}
}

// A value of the wrong type is refused in a query as in a body, and blamed on its parameter.
func TestMistypedValuesAreRefused(t *testing.T) {
	s := start(t)
	values := []string{`null`, `"5"`, `"true"`, `"null"`, `""`, `5`, `1.5`, `true`, `[]`, `["base"]`, `{}`, `"base"`, `8453`, `"8453"`, `1`}
	accepted := map[string][]string{
		"chain": {`"base"`}, "chainId": {`8453`, `1`}, "limit": {`5`, `1`}, "mirrorableOnly": {`true`, `1`}, "source": {},
	}
	for _, p := range boardOf {
		name := p.Specification().Name
		for _, value := range values {
			got, _ := s.call(t, "trader-board", `{"`+name+`":`+value+`}`)
			ok := slices.Contains(accepted[name], value)
			if got.IsError == ok || (!ok && !strings.Contains(got.body(t), `"param":"`+name+`"`)) {
				t.Errorf("%s=%s: error %v: %s", name, value, got.IsError, got.body(t))
			}
		}
	}
}

// What would be another path, or none, is a parameter that is missing or wrong; nothing is called.
func TestValuesOfThePath(t *testing.T) {
	s := start(t)
	for arguments, code := range map[string]string{
		`{}`: "missing_param", `{"agentId":null}`: "missing_param", `{"agentId":5}`: "invalid_param", `{"agentId":""}`: "invalid_param", `{"agentId":"A"}`: "invalid_param", `{"agentId":".."}`: "invalid_param",
		`{"agentId":"a/pause"}`: "invalid_param", `{"agentId":"a%2fpause"}`: "invalid_param", `{"agentId":"a?b"}`: "invalid_param", `{"agentId":"a#"}`: "invalid_param", `{"agentId":["a"]}`: "invalid_param",
		`{"agentId":"` + strings.Repeat("a", 65) + `"}`: "invalid_param", `{"agentId":"{agentId}"}`: "invalid_param", `{"agentId":"a\u0000"}`: "invalid_param",
	} {
		for _, tool := range []string{"agent", "pause-agent", "activate-agent"} {
			got, whole := s.call(t, tool, arguments)
			var problem endpointtest.Problem
			if err := json.Unmarshal(got.Structured, &problem); err != nil || !got.IsError || problem.Error != code || problem.Parameter != "agentId" ||
				problem.RequestID != got.Meta.RequestID || problem.RequestID != whole.Header.Get("X-Request-Id") || *got.Meta.UsageUnits != 0 || problem.Message == "" {
				t.Errorf("%s %s: %s", tool, arguments, got.body(t))
			}
			endpointtest.CheckRateLimit(t, whole)
		}
	}
	for _, arguments := range []string{`[]`, `"x"`, `5`, `true`} {
		got, _ := s.call(t, "pause-agent", arguments)
		if !got.IsError || !strings.Contains(got.body(t), `"error":"invalid_json"`) {
			t.Errorf("%s: %s", arguments, got.body(t))
		}
	}
	if s.done.Load() != 0 || s.Metrics.Total("units") != 0 {
		t.Errorf("%d done, %d units", s.done.Load(), s.Metrics.Total("units"))
	}
	longest := strings.Repeat("a", 64)
	if got, _ := s.call(t, "agent", `{"agentId":"`+longest+`"}`); got.IsError || !strings.Contains(got.body(t), `"path":"`+longest+`"`) {
		t.Errorf("%s", got.body(t))
	}
}

// An operation that is called again under its key is not done twice, whichever way it is called.
func TestIdempotency(t *testing.T) {
	s := start(t)
	arguments := func(key, agent string) string { return `{"agentId":"` + agent + `","idempotencyKey":` + key + `}` }
	first, _ := s.call(t, "pause-agent", arguments(`"k-1"`, "a"))
	again, whole := s.call(t, "pause-agent", `{"idempotencyKey":"k-1","agentId":"a"}`)
	if first.IsError || first.Meta.Replayed || !again.Meta.Replayed || first.body(t) != again.body(t) || *again.Meta.UsageUnits != 1 || whole.Header.Get("X-Usage-Units") != "1" {
		t.Errorf("%+v, again %+v", first, again)
	}
	over := s.over(t, http.MethodPost, "/v1/copy/agents/a/pause", "{}", "Idempotency-Key", "k-1")
	if over.Body != first.body(t) || over.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("%v %s", over.Header, over.Body)
	}
	if other, _ := s.call(t, "pause-agent", arguments(`"k-1"`, "b")); !other.IsError || !strings.Contains(other.body(t), `"error":"idempotency_conflict"`) {
		t.Errorf("%s", other.body(t))
	}
	if s.done.Load() != 1 {
		t.Errorf("done %d times", s.done.Load())
	}
	for _, key := range []string{`""`, `null`, `5`, `true`, `{}`, `["k"]`, `"a b"`, `"a\nb"`, `"ä"`, `"` + strings.Repeat("k", 256) + `"`} {
		got, _ := s.call(t, "pause-agent", arguments(key, "a"))
		if !got.IsError || !strings.Contains(got.body(t), `"error":"invalid_param"`) || !strings.Contains(got.body(t), `"param":"Idempotency-Key"`) {
			t.Errorf("%s: %s", key, got.body(t))
		}
	}
	// A key in the headers is about the request and not about any call in it.
	one, _ := s.call(t, "pause-agent", `{"agentId":"c"}`, "Idempotency-Key", "k-2")
	two, _ := s.call(t, "pause-agent", `{"agentId":"c"}`, "Idempotency-Key", "k-2")
	if one.IsError || two.IsError || two.Meta.Replayed || s.done.Load() != 3 {
		t.Errorf("%s %s", one.body(t), two.body(t))
	}
}

// A call inherits whose key it is and which wallet signed in, and no other header.
func TestHeadersOfCalls(t *testing.T) {
	s := start(t)
	got, _ := s.call(t, "agent", `{"agentId":"a"}`, "X-Wallet-Address", wallet, "X-Wallet-Message", "m", "X-Wallet-Signature", "0xs", "Cookie", "c=1", "X-Forwarded-For", "192.0.2.1", "Content-Length", "5", "Mcp-Session-Id", "x")
	want := `"header":{"X-Wallet-Address":"` + wallet + `","X-Wallet-Message":"m","X-Wallet-Signature":"0xs"}`
	if !strings.Contains(got.body(t), want) {
		t.Errorf("%s", got.body(t))
	}
}

// Without units left, a call is refused with how long to wait; with them it goes through again.
func TestUnitsUsedUp(t *testing.T) {
	s := start(t)
	if err := s.Store.SetLimit(t.Context(), endpointtest.Partner, store.Limit{PerMinute: 60, Burst: 3}); err != nil {
		t.Fatal(err)
	}
	if got, _ := s.call(t, "trader-score", good); got.IsError {
		t.Fatal(got.body(t))
	}
	got, whole := s.call(t, "trader-score", good)
	var problem endpointtest.Problem
	if err := json.Unmarshal(got.Structured, &problem); err != nil || !got.IsError || problem.Error != "rate_limited" || problem.RetryAfterSeconds != 1 || got.Meta.RetryAfter != 1 ||
		*got.Meta.UsageUnits != 0 || whole.Header.Get("X-Usage-Units") != "0" || !strings.HasPrefix(got.Meta.RateLimit, `"fair-use";r=1;`) {
		t.Errorf("%s %+v", got.body(t), got.Meta)
	}
	s.Clock.Advance(1_000_000_000)
	if got, _ := s.call(t, "trader-score", good); got.IsError {
		t.Error(got.body(t))
	}
}

// A tool that is not there is the protocol's own error, and costs nothing.
func TestUnknownTools(t *testing.T) {
	s := start(t)
	for _, name := range []string{"openapi", "mcp", "Trader-Score", "", "trader_score", "/v1/trader-score"} {
		answer := s.say(t, toolCall(name, good))
		if answer.Status != http.StatusOK || !strings.Contains(answer.Body, `"error":{"code":-32602,"message":"unknown tool`) || answer.Header.Get("X-Usage-Units") != "0" {
			t.Errorf("%s: %d %s", name, answer.Status, answer.Body)
		}
	}
}

// Whatever the arguments, a tool says what its endpoint says.
func FuzzArguments(f *testing.F) {
	s := boundless(f)
	posts := slices.DeleteFunc(slices.Clone(s.endpoints), func(e endpoint.Endpoint) bool {
		return e.Method != http.MethodPost || e.Idempotent || strings.Contains(e.Path, "{")
	})
	for i, arguments := range []string{
		good, `{}`, `{"wallet":null}`, `{"wallet":"x","asOf":1}`, good[:len(good)-1] + `,"tradesLimit":5e0}`, `{"wallets":["` + wallet + `"],"chain":"eth"}`, ` { "wallet" : "\u0030x" , "chain" : [ ] } `, `{"\u0077allet":"` + wallet + `","chain":"base"}`,
	} {
		f.Add([]byte(arguments), uint8(i))
	}
	f.Fuzz(func(t *testing.T, arguments []byte, which uint8) {
		s.Clock.Advance(time.Minute)
		e := posts[int(which)%len(posts)]
		if !json.Valid(arguments) || !strings.HasPrefix(strings.TrimSpace(string(arguments)), "{") || len(arguments) > 60_000 {
			return
		}
		want := s.over(t, e.Method, e.Path, string(arguments))
		whole := s.say(t, toolCall(e.Name, string(arguments)))
		if whole.Status != http.StatusOK { // not strict JSON
			if problem := want.Problem(t); problem.Error != "invalid_json" || whole.Problem(t).Error != "invalid_json" {
				t.Errorf("%s %s: %s, over HTTP %s", e.Name, arguments, whole.Body, want.Body)
			}
			return
		}
		var said struct {
			Result result `json:"result"`
		}
		if err := json.Unmarshal([]byte(whole.Body), &said); err != nil {
			t.Fatal(err)
		}
		if want.Status == http.StatusOK { // it tells the bytes that it was given
			want.Body, said.Result.Content[0].Text, said.Result.Structured = `{}`, `{}`, json.RawMessage(`{}`)
		}
		same(t, e.Name+" "+string(arguments), said.Result, whole, want)
	})
}
