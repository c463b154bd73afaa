package mcpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/endpointtest"
	"github.com/mirrorworthy/mirrorworthy/shared/mcpserver"
)

// Agents of every version that is spoken find the tools and call them.
func TestSessions(t *testing.T) {
	s := start(t)
	for _, version := range []string{"", "2026-07-28", "2025-11-25", "2025-06-18"} {
		session := s.connect(t, version)
		begun := session.InitializeResult()
		if version != "" && begun.ProtocolVersion != version {
			t.Errorf("%s is answered with %s", version, begun.ProtocolVersion)
		}
		if begun.ServerInfo.Name != "mirrorworthy" || begun.ServerInfo.Version != endpoint.MethodVersion || !strings.Contains(begun.Instructions, "vet, size, copy") {
			t.Errorf("%+v", begun)
		}
		if offered, err := json.Marshal(begun.Capabilities); err != nil || string(offered) != `{"tools":{}}` {
			t.Errorf("%s: capabilities %s %v", version, offered, err)
		}
		listed, err := session.ListTools(t.Context(), nil)
		if err != nil || len(listed.Tools) != len(s.endpoints)-1 || listed.NextCursor != "" {
			t.Fatalf("%s: %v %v", version, listed, err)
		}
		called, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "trader-score", Arguments: json.RawMessage(good)})
		if err != nil || called.IsError || called.Meta["usageUnits"] != 2.0 {
			t.Errorf("%s: %+v %v", version, called, err)
		}
		if version != "" && version < "2026-07-28" {
			if err := session.Ping(t.Context(), nil); err != nil {
				t.Error(err)
			}
		}
	}
}

// A version that is not spoken is answered with one that is.
func TestOlderVersions(t *testing.T) {
	s := start(t)
	for _, version := range []string{"2025-03-26", "2024-11-05", "1.0", "2099-01-01"} {
		answer := s.say(t, message("initialize", `{"protocolVersion":"`+version+`","capabilities":{},"clientInfo":{"name":"x","version":"1"}}`))
		if answer.Status != http.StatusOK || !strings.Contains(answer.Body, `"protocolVersion":"2025-11-25"`) {
			t.Errorf("%s: %d %s", version, answer.Status, answer.Body)
		}
	}
	for version, status := range map[string]int{"2025-03-26": 400, "2024-11-05": 400, "x": 400, "2025-06-18": 200, "2025-11-25": 200, "": 200} {
		answer := s.say(t, message("tools/list", "{}"), "Mcp-Protocol-Version", version)
		if version == "x" { // later than all that are known, and therefore refused in the protocol's words
			if answer.Status != status || !strings.Contains(answer.Body, `"jsonrpc"`) {
				t.Errorf("%s: %d %s", version, answer.Status, answer.Body)
			}
			continue
		}
		if answer.Status != status {
			t.Errorf("%s: %d %s", version, answer.Status, answer.Body)
		}
		if status == 400 {
			call := endpointtest.Call{Method: "POST", Path: "/v1/mcp"}
			if problem := endpointtest.CheckRefusal(t, call, answer, 400, "invalid_param"); problem.Parameter != "MCP-Protocol-Version" || !strings.Contains(problem.Message, "2025-11-25") {
				t.Errorf("%+v", problem)
			}
		}
	}
}

// What is wrong with a request as such is refused as anywhere else, whichever method of the protocol it is about; nothing is charged.
func TestRefusals(t *testing.T) {
	s := start(t)
	endpointtest.ProtocolRefusals(t, s.tools, mcpserver.Endpoint(s.endpoints...), s.Key)
	for _, body := range []string{message("initialize", "{}"), message("tools/list", "{}"), message("ping", "{}"), toolCall("trader-score", good), `{"jsonrpc":"2.0","method":"notifications/initialized"}`} {
		for _, key := range []string{"", "mw_live_nobody", s.Key[:len(s.Key)-1]} {
			call := endpointtest.Call{Method: http.MethodPost, Path: "/v1/mcp", Key: key, Body: body}
			answer := call.Do(t, s.tools)
			endpointtest.CheckRefusal(t, call, answer, http.StatusUnauthorized, "unauthorized")
			if answer.Header.Get("WWW-Authenticate") != "Bearer" {
				t.Errorf("%v", answer.Header)
			}
		}
	}
	for _, method := range []string{http.MethodGet, http.MethodDelete, http.MethodPut} {
		call := endpointtest.Call{Method: method, Path: "/v1/mcp", Key: s.Key, Header: http.Header{"Accept": {"text/event-stream"}, "Mcp-Session-Id": {"x"}}}
		answer := call.Do(t, s.tools)
		endpointtest.CheckRefusal(t, call, answer, http.StatusMethodNotAllowed, "method_not_allowed")
		if answer.Header.Get("Allow") != "POST" {
			t.Errorf("%v", answer.Header)
		}
	}
	for _, body := range []string{
		"[]", "[" + toolCall("trader-score", good) + "]", "{}", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":{},"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"method":5}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"trader-score"}}`, `{"jsonrpc":"2.0","method":"nothing/known"}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping","method":"ping"}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"trader-score","arguments":{"wallet":1,"wallet":2}}}`,
		`{"JSONRPC":"2.0","ID":1,"METHOD":"ping"}`,
	} {
		call := endpointtest.Call{Method: http.MethodPost, Path: "/v1/mcp", Key: s.Key, Body: body}
		endpointtest.CheckRefusal(t, call, call.Do(t, s.tools), http.StatusBadRequest, "invalid_json")
	}
	if s.Metrics.Total("units") != 0 {
		t.Errorf("%d units were charged", s.Metrics.Total("units"))
	}
}

// What is not offered is said not to be there, and no call opens a stream.
func TestMethodsThatAreNotOffered(t *testing.T) {
	s := start(t)
	for _, method := range []string{
		"resources/list", "resources/read", "resources/templates/list", "resources/subscribe", "prompts/list", "prompts/get", "completion/complete", "logging/setLevel", "subscriptions/listen", "nothing", "",
	} {
		for version, status := range map[string]int{"": 200, "2025-06-18": 200, "2025-11-25": 200, "2026-07-28": 404} {
			meta := `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}},"uri":"x","name":"x"}`
			answer := s.say(t, message(method, meta), "Mcp-Protocol-Version", version, "Mcp-Method", method)
			if answer.Status != status || !strings.Contains(answer.Body, `"code":-32601`) || !strings.Contains(answer.Body, `"id":7`) || answer.Header.Get("Content-Type") != "application/json" {
				t.Errorf("%s in %s: %d %v %s", method, version, answer.Status, answer.Header, answer.Body)
			}
		}
	}
}

// What asks for no answer gets none.
func TestNotifications(t *testing.T) {
	s := start(t)
	for _, body := range []string{
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`, `{"jsonrpc":"2.0","id":1,"result":{}}`,
	} {
		answer := s.say(t, body, "Mcp-Protocol-Version", "2025-11-25")
		if answer.Status != http.StatusAccepted || answer.Body != "" || answer.Header.Get("X-Usage-Units") != "0" || answer.Header.Get("Content-Type") != "" {
			t.Errorf("%s: %d %v %q", body, answer.Status, answer.Header, answer.Body)
		}
	}
}

// The answer is JSON in one piece, whatever would be accepted; nobody is given a session.
func TestAnswersAreJSON(t *testing.T) {
	s := start(t)
	for _, accept := range []string{"", "application/json", "text/event-stream", "*/*", "text/html"} {
		for _, body := range []string{message("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}`), message("tools/list", "{}"), toolCall("trader-score", good)} {
			answer := s.say(t, body, "Accept", accept, "Mcp-Session-Id", "mine", "Last-Event-Id", "3_4")
			header := answer.Header
			if answer.Status != http.StatusOK || header.Get("Content-Type") != "application/json" || header.Get("Mcp-Session-Id") != "" || header.Get("Cache-Control") != "no-store" || !json.Valid([]byte(answer.Body)) {
				t.Errorf("%q %.60s: %d %v", accept, body, answer.Status, header)
			}
			endpointtest.CheckRateLimit(t, answer)
		}
	}
}

// A web page that is not ours cannot call, not even from the machine that the service runs on under a name of its choice.
func TestOtherOriginsAreRefused(t *testing.T) {
	s := start(t)
	local := strings.TrimPrefix(s.url, "http://")
	for _, c := range []struct {
		host, origin, site string
		status             int
	}{
		{"", "", "", 200}, {"", "http://" + local, "", 200}, {"", "http://" + local, "same-origin", 200}, {"", "", "none", 200},
		{"", "https://evil.example", "", 403}, {"", "null", "", 403}, {"", "http://" + local, "cross-site", 403}, {"", "http://" + local, "same-site", 403},
		{"evil.example", "http://evil.example", "", 403}, {"evil.example:80", "", "", 403}, {"localhost", "http://localhost", "", 200}, {"[::1]:9", "", "", 200},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/v1/mcp", strings.NewReader(message("tools/list", "{}")))
		if err != nil {
			t.Fatal(err)
		}
		r.Host = c.host
		r.Header.Set("Authorization", "Bearer "+s.Key)
		r.Header.Set("Content-Type", "application/json")
		for name, value := range map[string]string{"Origin": c.origin, "Sec-Fetch-Site": c.site} {
			if value != "" {
				r.Header.Set(name, value)
			}
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		var body struct {
			Error string `json:"error"`
		}
		_ = json.NewDecoder(answer.Body).Decode(&body)
		_ = answer.Body.Close()
		if answer.StatusCode != c.status || (c.status == 403) != (body.Error == "forbidden") {
			t.Errorf("%+v: %d %+v", c, answer.StatusCode, body)
		}
	}
	http.DefaultClient.CloseIdleConnections()
}

// Whoever asks too often for what costs nothing has to wait, in whichever method.
func TestFreeRequestsAreBounded(t *testing.T) {
	s := start(t, func(service *endpoint.Service) { service.FreeByKey = endpoint.RequestLimit{PerSecond: 1, Burst: 3} })
	for range 3 {
		if answer := s.say(t, message("tools/list", "{}")); answer.Status != http.StatusOK {
			t.Fatalf("%d %s", answer.Status, answer.Body)
		}
	}
	for _, body := range []string{message("tools/list", "{}"), message("ping", "{}"), toolCall("trader-score", good), "[]"} {
		call := endpointtest.Call{Method: http.MethodPost, Path: "/v1/mcp", Body: body}
		endpointtest.CheckRefusal(t, call, s.say(t, body), http.StatusTooManyRequests, "rate_limited")
	}
}

// An agent that hangs up ends what it called, in every version, and leaves nothing running.
func TestHangingUp(t *testing.T) {
	f := endpointtest.New(t)
	begun, ended := make(chan struct{}), make(chan error)
	slow := endpoint.Operation(endpoint.Declaration{Name: "slow", Units: 1}, func(ctx context.Context, _ *endpoint.Request) (string, error) {
		begun <- struct{}{}
		<-ctx.Done()
		ended <- ctx.Err()
		return "", ctx.Err()
	})
	tools := endpoint.NewHandler(f.Service, mcpserver.Endpoint(slow))
	for _, version := range []string{"", "2025-11-25"} {
		ctx, hangUp := context.WithCancel(t.Context())
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/v1/mcp", strings.NewReader(toolCall("slow", "{}")))
		r.Header.Set("Authorization", "Bearer "+f.Key)
		r.Header.Set("Mcp-Protocol-Version", version)
		done := make(chan struct{})
		go func() {
			tools.ServeHTTP(httptest.NewRecorder(), r)
			close(done)
		}()
		<-begun
		hangUp()
		if err := <-ended; !errors.Is(err, context.Canceled) { // and not because its time was up
			t.Errorf("%q: %v", version, err)
		}
		<-done
	}
}

// Many agents call at once, each with what is its own.
func TestManyAtOnce(t *testing.T) {
	s := start(t)
	session := s.connect(t, "")
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			id := "ag_" + string(rune('a'+i%26)) + string(rune('a'+i/26))
			called, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "agent", Arguments: map[string]any{"agentId": id}})
			if err != nil || called.IsError || called.StructuredContent.(map[string]any)["path"] != id {
				t.Errorf("%s: %+v %v", id, called, err)
			}
		})
	}
	all.Wait()
	if got := s.Metrics.Total("units{endpoint,agent}"); got != 40 {
		t.Errorf("%d units", got)
	}
}

// Whatever is sent is answered in JSON, and nothing of it is our fault.
func FuzzRequest(f *testing.F) {
	s := boundless(f)
	for _, body := range []string{
		toolCall("trader-score", good), toolCall("agent", `{"agentId":"ag_1"}`), toolCall("pause-agent", `{"agentId":"x","idempotencyKey":"k"}`), toolCall("trader-board", `{"limit":5,"chain":"eth"}`),
		message("initialize", `{"protocolVersion":"2025-11-25","capabilities":{"roots":{"listChanged":true}},"clientInfo":{"name":"x","version":"1"}}`), message("tools/list", `{"cursor":"x"}`), message("ping", "null"),
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`, "[" + toolCall("trader-score", good) + "]", `{"jsonrpc":"2.0","id":1.5,"method":"tools/call","params":[]}`,
		message("server/discover", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":5}}`), `{"jsonrpc":"2.0","id":null,"method":"tools/call","params":null}`,
		`{"jsonrpc":"2.0","id":"a","error":{"code":1,"message":"x"}}`, toolCall("trader-score", `null`), toolCall("trader-score", `[1]`), `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"trader-score","requestState":"x","inputResponses":{"a":{}}}}`,
	} {
		for version := range 5 {
			f.Add([]byte(body), uint8(version))
		}
	}
	versions := []string{"", "2025-06-18", "2025-11-25", "2026-07-28", "2027-01-01"}
	f.Fuzz(func(t *testing.T, body []byte, version uint8) {
		s.Clock.Advance(time.Minute)
		header := []string{"Mcp-Protocol-Version", versions[int(version)%len(versions)]}
		if slices.Contains(versions[3:], header[1]) {
			header = append(header, "Mcp-Method", "tools/call", "Mcp-Name", "trader-score")
		}
		answer := s.say(t, string(body), header...)
		switch {
		case answer.Status >= 429 || (answer.Status == http.StatusAccepted) != (answer.Body == ""):
			t.Errorf("%d %s", answer.Status, answer.Body)
		case answer.Body != "" && (!json.Valid([]byte(answer.Body)) || answer.Header.Get("Content-Type") != "application/json"):
			t.Errorf("%d %v %s", answer.Status, answer.Header, answer.Body)
		}
	})
}
