package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.yaml.in/yaml/v3"

	"github.com/mirrorworthy/mirrorworthy/shared/client"
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/catalogue"
	"github.com/mirrorworthy/mirrorworthy/shared/host/copying"
)

// agentHeaders sends an agent's headers with each of its requests.
type agentHeaders http.Header

func (h agentHeaders) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, values := range h {
		r.Header[name] = values
	}
	return http.DefaultTransport.RoundTrip(r)
}

// connectAgent connects an agent to the tools at an address, with a key and more headers.
func connectAgent(t *testing.T, address, key string, more http.Header) (*mcp.ClientSession, error) {
	t.Helper()
	header := http.Header{"Authorization": {"Bearer " + key}}
	for name, values := range more {
		header[name] = values
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: address, HTTPClient: &http.Client{Transport: agentHeaders(header)}, MaxRetries: -1,
	}, nil)
	if err == nil {
		t.Cleanup(func() { _ = session.Close() })
	}
	return session, err
}

// callTool calls a tool and gives its text.
func callTool(t *testing.T, session *mcp.ClientSession, name, arguments string) (*mcp.CallToolResult, string) {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatalf("%s %s: %v", name, arguments, err)
	}
	return result, result.Content[0].(*mcp.TextContent).Text
}

// Every endpoint of the service that needs a key is a tool at both addresses, and its input is described in JSON Schema.
func TestToolsAreTheEndpoints(t *testing.T) {
	s := sampled()
	var want []string
	for _, e := range catalogue.Endpoints(host.Kept{}, copying.Copying{}) {
		if !e.Open {
			want = append(want, e.Name)
		}
	}
	slices.Sort(want)
	for _, path := range []string{"/v1/mcp", "/api/v1/mcp"} {
		session, err := connectAgent(t, s.address()+path, s.key, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for tool, err := range session.Tools(t.Context(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, tool.Name)
			source, err := json.Marshal(tool.InputSchema)
			if err != nil {
				t.Fatal(err)
			}
			var input jsonschema.Schema
			if err := json.Unmarshal(source, &input); err != nil {
				t.Fatal(err)
			}
			resolved, err := input.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
			if err != nil {
				t.Errorf("%s: %v", tool.Name, err)
			} else if resolved.Validate(map[string]any{"asOf": "2026-01-01"}) == nil {
				t.Errorf("%s accepts what no endpoint does", tool.Name)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: tools %v, want %v", path, got, want)
		}
	}
	if _, err := connectAgent(t, s.address()+"/v1/mcp", "mw_test_nobody", nil); err == nil || !strings.Contains(err.Error(), "Unauthorized") {
		t.Errorf("connected without a key: %v", err)
	}
}

// What a tool answers, refuses and costs is what its endpoint does over HTTP, on every page.
func TestToolsAnswerAsOverHTTP(t *testing.T) {
	s := sampled()
	session, err := connectAgent(t, s.address()+"/v1/mcp", s.key, nil)
	if err != nil {
		t.Fatal(err)
	}
	sample, token := s.samples.Wallets[0], s.samples.Tokens[0]
	onWallet := `"wallet":"` + sample.Address + `","chain":"` + sample.Chain + `"`
	onToken := `"token":"` + token.Address + `","chain":"` + token.Chain + `"`
	for _, c := range []struct{ tool, arguments, query string }{
		{"trader-score", "{" + onWallet + "}", ""}, {"wallet-overview", "{" + onWallet + `,"tradesLimit":3}`, ""}, {"portfolio-overview", "{" + onWallet + `,"depth":2}`, ""},
		{"token-risk", "{" + onToken + "}", ""}, {"token-signal", "{" + onToken + "}", ""}, {"smart-money-flow", "{" + onToken + `,"sample":99}`, ""},
		{"perp-wallet", `{"wallet":"` + s.samples.Perps[0].Address + `"}`, ""}, {"prediction-wallet", `{"wallet":"` + s.samples.Predictions[0].Address + `"}`, ""},
		{"trader-board", `{"chain":"base","limit":3}`, "?chain=base&limit=3"}, {"spot-leaders", `{"mirrorableOnly":true}`, "?mirrorableOnly=true"}, {"strategies", `{"chainId":8453}`, "?chainId=8453"},
		{"top-traders", `{}`, ""}, {"track-record", `{"source":"spot-leader-gate"}`, "?source=spot-leader-gate"}, {"copy-leaders", `{"venue":"perpvenue-perps"}`, "?venue=perpvenue-perps"},
		{"venues", `{}`, ""}, {"trader-leaderboard", `{"chain":"` + sample.Chain + `","wallets":["` + sample.Address + `"]}`, ""},
		{"perp-copy-decision", `{"side":"long","leverage":3,"fundingRateHourly":0.0001}`, ""},
		// Refused:
		{"trader-score", "{" + onWallet + `,"date":"2026-01-01"}`, ""}, {"trader-score", `{"wallet":"0x12","chain":"base"}`, ""}, {"token-signal", strings.Replace("{"+onToken+"}", token.Chain, "moon", 1), ""},
		{"token-intel", `{"token":"` + sample.Address + `","chain":"` + sample.Chain + `"}`, ""}, {"trader-board", `{"limit":0}`, "?limit=0"}, {"trader-leaderboard", `{"chain":"eth","wallets":[]}`, ""},
		{"copy-leaders", `{"venue":"moon"}`, "?venue=moon"}, {"create-agent", `{}`, ""},
	} {
		var method, path string
		for _, e := range catalogue.Endpoints(host.Kept{}, copying.Copying{}) {
			if e.Name == c.tool {
				method, path = e.Method, e.Path+c.query
			}
		}
		body := c.arguments
		if method == http.MethodGet {
			body = ""
		}
		status, header, want := s.call(t, method, path, s.key, body)
		result, text := callTool(t, session, c.tool, c.arguments)
		id, _ := result.Meta["requestId"].(string)
		if status >= 400 {
			want = strings.Replace(want, header.Get("X-Request-Id"), id, 1)
		}
		if text != want || result.IsError != (status >= 400) {
			t.Errorf("%s %s: error %v %.400s\nover HTTP %d %.400s", c.tool, c.arguments, result.IsError, text, status, want)
		}
		if units, _ := json.Marshal(result.Meta["usageUnits"]); string(units) != header.Get("X-Usage-Units") || result.Meta["rateLimitPolicy"] != header.Get("RateLimit-Policy") {
			t.Errorf("%s %s: %v, headers %v", c.tool, c.arguments, result.Meta, header)
		}
		if version, _ := result.Meta["methodVersion"].(string); version != header.Get("X-Method-Version") {
			t.Errorf("%s: method version %q, over HTTP %q", c.tool, version, header.Get("X-Method-Version"))
		}
		if _, object := result.StructuredContent.(map[string]any); !object {
			t.Errorf("%s: structured content %T", c.tool, result.StructuredContent)
		}
	}
}

// A tool says that a wallet must have signed in where the endpoint asks for it, and nowhere else.
func TestToolsSayWhatAWalletMustSign(t *testing.T) {
	s := sampled()
	session, err := connectAgent(t, s.address()+"/v1/mcp", s.key, nil)
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	for tool, err := range session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		arguments := "{}"
		switch required := tool.InputSchema.(map[string]any)["required"]; {
		case tool.Name == "create-agent":
			arguments = `{"venue":"perpvenue-perps","smartAccountAddress":"0x1111111111111111111111111111111111111111","leaderWalletAddress":"0x2222222222222222222222222222222222222222","riskConfig":{"maxUsd":"250","copyPercent":50}}`
		case tool.Name == "activate-agent":
			arguments = `{"agentId":"ag_0","results":[]}`
		case required != nil && slices.Contains(required.([]any), any("agentId")):
			arguments = `{"agentId":"ag_0"}`
		case tool.Name == "delete-webhook" || tool.Name == "test-webhook":
			continue // they need no parameters, and change what other tests look at
		}
		_, text := callTool(t, session, tool.Name, arguments)
		refused, told := strings.Contains(text, `"error":"wallet_signature_invalid"`), strings.Contains(tool.Description, "X-Wallet-Signature")
		if refused != told {
			t.Errorf("%s: says so %v: %s", tool.Name, told, text)
		}
		if told {
			asked++
		}
	}
	if asked < 8 {
		t.Errorf("only %d tools ask for a signature", asked)
	}
}

// An agent that was given a wallet's sign-in makes, shows and ends a copy agent, and makes it once however often it asks.
func TestAgentsMakeCopyAgents(t *testing.T) {
	c := newCopying(t)
	signedIn, err := client.AuthHeadersFor(client.SignIn{BaseURL: c.url + "/v1", Address: c.wallet.Address(), ChainID: 8453, SignMessage: c.wallet.SignMessage, Clock: c.server.clock.now})
	if err != nil {
		t.Fatal(err)
	}
	header, err := signedIn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	session, err := connectAgent(t, c.url+"/v1/mcp", c.keys[copyingPartner], header)
	if err != nil {
		t.Fatal(err)
	}
	wanted := func(maximum string) string {
		return `{"venue":"perpvenue-perps","smartAccountAddress":"` + c.wallet.Address() + `","leaderWalletAddress":"` + c.trader(t) + `","riskConfig":{"maxUsd":"` + maximum + `","copyPercent":50},"idempotencyKey":"make-1"}`
	}
	made, text := callTool(t, session, "create-agent", wanted("300"))
	var agent struct {
		ID     string `json:"agentId"`
		Status string `json:"status"`
	}
	if err := json.Unmarshal([]byte(text), &agent); err != nil || made.IsError || agent.ID == "" || agent.Status != "pending_activation" {
		t.Fatal(text, err)
	}
	again, repeated := callTool(t, session, "create-agent", wanted("300"))
	if repeated != text || again.Meta["idempotentReplayed"] != true {
		t.Errorf("%s %v", repeated, again.Meta)
	}
	if other, text := callTool(t, session, "create-agent", wanted("301")); !other.IsError || !strings.Contains(text, "idempotency_conflict") {
		t.Error(text)
	}
	if _, listed := callTool(t, session, "list-agents", "{}"); strings.Count(listed, `"agentId"`) != 1 {
		t.Error(listed)
	}
	// The same agent over HTTP, and for another partner's key, which it is no agent of.
	shown, err := c.as(t, copyingPartner, c.wallet).GetAgent(t.Context(), agent.ID)
	if err != nil || shown.AgentID != agent.ID {
		t.Error(shown, err)
	}
	stranger, err := connectAgent(t, c.url+"/v1/mcp", c.keys[otherPartner], nil)
	if err != nil {
		t.Fatal(err)
	}
	if result, text := callTool(t, stranger, "agent", `{"agentId":"`+agent.ID+`"}`); !result.IsError || !strings.Contains(text, "wallet_signature_invalid") {
		t.Error(text)
	}
	if _, text := callTool(t, session, "activation", `{"agentId":"`+agent.ID+`"}`); !strings.Contains(text, `"steps":[{`) {
		t.Error(text)
	}
	if _, text := callTool(t, session, "stop-agent", `{"agentId":"`+agent.ID+`"}`); !strings.Contains(text, `"status":"stopped"`) {
		t.Error(text)
	}
	if result, text := callTool(t, session, "resume-agent", `{"agentId":"`+agent.ID+`"}`); !result.IsError || !strings.Contains(text, "agent_state_conflict") {
		t.Error(text)
	}
	if result, text := callTool(t, session, "agent", `{"agentId":"ag_00000000000000000000000000000000"}`); !result.IsError || !strings.Contains(text, `"error":"not_found"`) {
		t.Error(text)
	}
}

// The function of the tools has the settings of every function that it answers for, and as much time as the slowest.
func TestTheToolsFunctionCanAnswerAll(t *testing.T) {
	source, err := os.ReadFile(filepath.Join(root, "template.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var parsed struct {
		Globals struct {
			Function templateFunction `yaml:"Function"`
		} `yaml:"Globals"`
		Resources map[string]struct {
			Type       string    `yaml:"Type"`
			Properties yaml.Node `yaml:"Properties"`
		} `yaml:"Resources"`
	}
	if err := yaml.Unmarshal(source, &parsed); err != nil {
		t.Fatal(err)
	}
	functions := make(map[string]templateFunction)
	for id, resource := range parsed.Resources {
		if resource.Type != "AWS::Serverless::Function" {
			continue
		}
		f := templateFunction{Timeout: parsed.Globals.Function.Timeout}
		if err := resource.Properties.Decode(&f); err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		functions[strings.Trim(strings.TrimPrefix(f.CodeURI, "build/"), "/")] = f
	}
	own, found := functions[catalogue.MCP]
	if !found {
		t.Fatal("template.yaml has no function for tools")
	}
	for _, e := range catalogue.Endpoints(host.Kept{}, copying.Copying{}) {
		f := functions[e.Name]
		for name, value := range f.Environment.Variables {
			if own.Environment.Variables[name] != value {
				t.Errorf("template.yaml: %s of %s is %s, of the tools %q", name, e.Name, value, own.Environment.Variables[name])
			}
		}
		if f.Timeout > own.Timeout {
			t.Errorf("template.yaml: %s may take %d s, the tools %d", e.Name, f.Timeout, own.Timeout)
		}
	}
}

// There are no streams and no sessions to end.
func TestToolsAreCalledByPost(t *testing.T) {
	s := sampled()
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		status, header, body := s.call(t, method, "/v1/mcp", s.key, "")
		if status != http.StatusMethodNotAllowed || header.Get("Allow") != "POST" || !strings.Contains(body, `"error":"method_not_allowed"`) {
			t.Errorf("%s: %d %v %s", method, status, header, body)
		}
	}
}
