package mcpserver_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/endpointtest"
	"github.com/mirrorworthy/mirrorworthy/shared/mcpserver"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/store/embedded"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	wallet      = "0xd8da6bf26964af9d7eed9e03e53415d37aa96045"
	otherWallet = "0x00000000219ab540356cbb839cbe05303d7705fa"
	good        = `{"wallet":"` + wallet + `","chain":"base"}`
)

var (
	tradesLimit = endpoint.Integer("tradesLimit", "How many trades.", 1, 100, 20)
	wallets     = endpoint.AddressList("wallets", "The wallets.", true, 25)
	agentID     = endpoint.PathValue("agentId", "The agent.")
	step        = endpoint.Choice("step", "The step.", "sign", "send").Required()
	results     = endpoint.ObjectList("results", "What was done.", 5, step, endpoint.Text("signature", "The signature.", 0, 400))
	share       = endpoint.Number("copyPercent", "The share.", endpoint.Range{Maximum: 100, AboveMinimum: true})
	risk        = endpoint.Object("riskConfig", "The limits.", endpoint.Text("maxUsd", "The most.", 1, 19).Required(), share).Required()
	boardOf     = []endpoint.Parameter{
		endpoint.Chain.Optional(), endpoint.ChainID, endpoint.Integer("limit", "How many rows.", 1, 100, 20),
		endpoint.Boolean("mirrorableOnly", "Only those."), endpoint.Choice("source", "Which record.", "spot-leader-gate"),
	}
)

// kinds are endpoints of every kind. Each tells what it was given, and counts in done.
func kinds(done *atomic.Int64, usage endpoint.Endpoint) []endpoint.Endpoint {
	type told struct {
		Path   string            `json:"path"`
		Body   string            `json:"body"`
		Times  int64             `json:"times,omitzero"`
		Header map[string]string `json:"header"`
		Text   string            `json:"text"`
	}
	tells := func(d endpoint.Declaration) endpoint.Endpoint {
		return endpoint.Operation(d, func(_ context.Context, r *endpoint.Request) (told, error) {
			t := told{Body: string(r.Body), Header: make(map[string]string), Text: "<b> & \u2028 \U0001f600"}
			if d.Idempotent {
				t.Times = done.Add(1)
			}
			if strings.Contains(d.Path, "{agentId}") {
				t.Path = agentID.Of(r)
			}
			for name := range r.Header {
				if name != "Authorization" {
					t.Header[name] = strings.Join(r.Header[name], "|")
				}
			}
			return t, nil
		})
	}
	asked := []endpoint.Parameter{endpoint.Wallet, endpoint.Chain}
	score := tells(endpoint.Declaration{Name: "trader-score", Units: 2, Graded: true, Summary: "Grades a wallet's trading.", Parameters: asked})
	trades := tells(endpoint.Declaration{Name: "wallet-trades", Units: 2, Summary: "Lists trades.", Parameters: append(asked, tradesLimit)})
	signal := tells(endpoint.Declaration{Name: "token-signal", Units: 3, Graded: true, Summary: "Says what all amounts to.", Parameters: asked})
	scan := tells(endpoint.Declaration{Name: "token-changes", Units: 1, Graded: true, Summary: "Says what changed.", Parameters: asked})
	return []endpoint.Endpoint{
		score, trades, signal,
		endpoint.Bundle(endpoint.Declaration{Name: "wallet-overview", Summary: "The whole page."}, endpoint.Wallet, score, trades),
		endpoint.Bundle(endpoint.Declaration{Name: "token-overview", Summary: "The whole page."}, endpoint.Wallet, signal, scan, failing()),
		tells(endpoint.Declaration{Name: "wallet-pnl-quality", Units: 1, Graded: true, Summary: "Skill or luck.", Parameters: asked}),
		tells(endpoint.Declaration{Name: "trader-board", Method: http.MethodGet, Units: 1, Summary: "Ranks.", Parameters: boardOf}),
		tells(endpoint.Declaration{
			Name: "trader-leaderboard", Graded: true, Summary: "Grades many.", Parameters: []endpoint.Parameter{wallets, endpoint.Chain},
			UnitsFor: func(r *endpoint.Request) int { return 2 * len(wallets.Of(r)) },
		}),
		tells(endpoint.Declaration{Name: "agent", Method: http.MethodGet, Path: "/v1/copy/agents/{agentId}", Units: 1, Summary: "Shows an agent.", Parameters: []endpoint.Parameter{agentID}}),
		tells(endpoint.Declaration{
			Name: "create-agent", Path: "/v1/copy/agents", Units: 1, Status: http.StatusCreated, Idempotent: true, Summary: "Makes an agent.",
			Parameters: []endpoint.Parameter{endpoint.Address("leader", "Whom."), risk},
		}),
		tells(endpoint.Declaration{Name: "pause-agent", Path: "/v1/copy/agents/{agentId}/pause", Units: 1, Idempotent: true, Summary: "Pauses.", Parameters: []endpoint.Parameter{agentID}}),
		tells(endpoint.Declaration{
			Name: "activate-agent", Path: "/v1/copy/agents/{agentId}/activate", Units: 1, Idempotent: true, Summary: "Activates.",
			Parameters: []endpoint.Parameter{agentID, results},
		}),
		tells(endpoint.Declaration{Name: "put-webhook", Method: http.MethodPut, Path: "/v1/webhooks", Units: 1, Summary: "Puts.", Parameters: []endpoint.Parameter{endpoint.TextList("events", "Which.", 3, "a", "b")}}),
		tells(endpoint.Declaration{Name: "delete-webhook", Method: http.MethodDelete, Path: "/v1/webhooks", Units: 1, Summary: "Deletes."}),
		usage, failing(),
		endpoint.Document(endpoint.Declaration{Name: "openapi", Method: http.MethodGet, Path: "/v1/openapi.json", Open: true},
			func(context.Context, *endpoint.Request) ([]byte, error) { return []byte(`{"openapi": "3.1.0"}`), nil }),
	}
}

// failing is an endpoint that never answers.
func failing() endpoint.Endpoint {
	return endpoint.Operation(endpoint.Declaration{Name: "exit-risk", Units: 2, Graded: true, Summary: "Fails.", Parameters: []endpoint.Parameter{endpoint.Wallet, endpoint.Chain}},
		func(context.Context, *endpoint.Request) (string, error) { return "", context.DeadlineExceeded })
}

// service is a service of every kind of endpoint with its tools, over HTTP.
type service struct {
	*endpointtest.Fixture
	endpoints []endpoint.Endpoint
	// handler answers both; tools answers the tools alone, as their function does.
	direct, tools http.Handler
	url           string
	done          atomic.Int64
}

func start(t testing.TB, change ...func(*endpoint.Service)) *service {
	t.Helper()
	s := &service{Fixture: endpointtest.New(t)}
	kept, err := embedded.Open(filepath.Join(t.TempDir(), "store.db"))
	if err != nil {
		t.Fatal(err)
	}
	s.Service.Idempotency = kept.Idempotency()
	for _, c := range change {
		c(&s.Service)
	}
	s.endpoints = kinds(&s.done, endpoint.Usage(s.Store))
	s.direct = endpointtest.Undocumented{Handler: endpoint.NewHandler(s.Service, s.endpoints...)}
	s.tools = endpointtest.Undocumented{Handler: endpoint.NewHandler(s.Service, mcpserver.Endpoint(s.endpoints...))}
	server := httptest.NewServer(s.tools)
	s.url = server.URL
	t.Cleanup(func() {
		server.Close()
		_ = kept.Close()
	})
	return s
}

// boundless is a service that refuses nobody for asking too often, as long as its clock goes on.
func boundless(t testing.TB) *service {
	t.Helper()
	s := start(t, func(service *endpoint.Service) {
		service.FreeByKey, service.Log = endpoint.RequestLimit{PerSecond: 1 << 40, Burst: 1 << 40}, nil
	})
	if err := s.Store.SetLimit(t.Context(), endpointtest.Partner, store.Limit{PerMinute: 10_000_000, Burst: 10_000_000}); err != nil {
		t.Fatal(err)
	}
	return s
}

// carrying sends requests with more headers.
type carrying struct {
	header http.Header
	next   http.RoundTripper
}

func (c carrying) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, values := range c.header {
		r.Header[name] = values
	}
	return c.next.RoundTrip(r)
}

// connect is an agent's session in a version of the protocol; none is the newest. Pairs of names and values add to its headers.
func (s *service) connect(t testing.TB, version string, header ...string) *mcp.ClientSession {
	t.Helper()
	all := http.Header{"Authorization": {"Bearer " + s.Key}}
	for i := 0; i+1 < len(header); i += 2 {
		all.Set(header[i], header[i+1])
	}
	transport := &http.Transport{}
	client := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: s.url + "/v1/mcp", HTTPClient: &http.Client{Transport: carrying{all, transport}}, MaxRetries: -1,
	}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = session.Close()
		transport.CloseIdleConnections()
	})
	return session
}

// result is a tool's result on the wire.
type result struct {
	Meta struct {
		RequestID       string `json:"requestId"`
		UsageUnits      *int   `json:"usageUnits"`
		MethodVersion   string `json:"methodVersion"`
		RateLimit       string `json:"rateLimit"`
		RateLimitPolicy string `json:"rateLimitPolicy"`
		RetryAfter      int    `json:"retryAfterSeconds"`
		Replayed        bool   `json:"idempotentReplayed"`
	} `json:"_meta"`
	Content []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
	Structured json.RawMessage `json:"structuredContent"`
	IsError    bool            `json:"isError"`
}

// body is the answer's text.
func (r result) body(t endpointtest.T) string {
	t.Helper()
	if len(r.Content) != 1 || r.Content[0].Type != "text" {
		t.Fatalf("%+v", r)
	}
	return r.Content[0].Text
}

// message makes a call of a method of the protocol.
func message(method, parameters string) string {
	return `{"jsonrpc":"2.0","id":7,"method":"` + method + `","params":` + parameters + `}`
}

// toolCall is a call of a tool.
func toolCall(name, arguments string) string {
	return message("tools/call", `{"name":"`+name+`","arguments":`+arguments+`}`)
}

// say sends a message as a partner without a library would.
func (s *service) say(t endpointtest.T, body string, header ...string) endpointtest.Answer {
	t.Helper()
	call := endpointtest.Call{Method: http.MethodPost, Path: "/v1/mcp", Key: s.Key, Body: body, Header: make(http.Header)}
	for i := 0; i+1 < len(header); i += 2 {
		call.Header.Set(header[i], header[i+1])
	}
	return call.Do(t, s.tools)
}

// call calls a tool, and reads the result.
func (s *service) call(t endpointtest.T, name, arguments string, header ...string) (result, endpointtest.Answer) {
	t.Helper()
	answer := s.say(t, toolCall(name, arguments), header...)
	var said struct {
		ID     int    `json:"id"`
		Result result `json:"result"`
		Error  any    `json:"error"`
	}
	if err := json.Unmarshal([]byte(answer.Body), &said); err != nil || answer.Status != http.StatusOK || said.ID != 7 || said.Error != nil {
		t.Fatalf("%s %.300s: %d %v %s", name, arguments, answer.Status, err, answer.Body)
	}
	return said.Result, answer
}
