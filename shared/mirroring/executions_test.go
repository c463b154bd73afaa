package mirroring

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/mirrorworthy/mirrorworthy/shared/agent"
	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/endpointtest"
	"github.com/mirrorworthy/mirrorworthy/shared/walletsignature"
)

// named tells the wallet that signed a test's request by a header alone.
type named struct{}

func (named) Session(_ context.Context, header http.Header, _, _ string, _ time.Time) (chain.Address, error) {
	wallet, err := chain.ParseAddress(header.Get("Test-Wallet"))
	if err != nil {
		return chain.Address{}, fmt.Errorf("%w: no wallet signed this", walletsignature.ErrSignature)
	}
	return wallet, nil
}

// counter is the endpoint over a world in which an agent has 45 executions, of which 30 were skipped.
type counter struct {
	*endpointtest.Fixture
	handler http.Handler
	of      *agent.Agent
	world   *world
}

func newCounter(t *testing.T) *counter {
	t.Helper()
	w := newWorld(t)
	w.memory.Executions = newShelf()
	w.mirror.memory = w.memory
	w.venue.prices = map[string]float64{"BTC": 100, "ETH": 100, "SOL": 100}
	c := &counter{Fixture: endpointtest.New(t), world: w}
	c.of = w.follower("ag_1", func(a *agent.Agent) { a.Partner = endpointtest.Partner })
	w.now = w.now.Add(time.Minute)
	trades := legs(45, w.now.Add(-time.Second))
	for i := range trades {
		if i%3 > 0 {
			trades[i].At = trades[i].At.Add(-time.Hour)
		}
	}
	c.of.ActivatedAt = time.Time{}
	if _, _, err := w.mirror.follow(t.Context(), w.roundOf(trades), c.of); err != nil {
		t.Fatal(err)
	}
	access := agent.Access{Agents: w.memory.Agents, Sessions: named{}}
	c.handler = endpoint.NewHandler(c.Service, Executions(access, w.memory.Executions))
	return c
}

func (c *counter) get(t *testing.T, wallet chain.Address, id, query string) endpointtest.Answer {
	t.Helper()
	return endpointtest.Call{
		Method: http.MethodGet, Path: "/v1/copy/agents/" + id + "/executions" + query, Key: c.Key, Header: http.Header{"Test-Wallet": {wallet.String()}},
	}.Do(t, c.handler)
}

// pages reads all pages of a list.
func (c *counter) pages(t *testing.T, query string) (all []Execution, pages int) {
	t.Helper()
	more := ""
	for {
		got := c.get(t, c.of.Owner, "ag_1", "?"+query+more)
		var page ExecutionsAnswer
		if err := json.Unmarshal([]byte(got.Body), &page); err != nil || got.Status != http.StatusOK {
			t.Fatalf("%d %s: %v", got.Status, got.Body, err)
		}
		all = append(all, page.Executions...)
		pages++
		if page.NextCursor == nil {
			return all, pages
		}
		more = "&cursor=" + url.QueryEscape(*page.NextCursor)
	}
}

func TestExecutionsArePagedWithoutLossOrRepetition(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	want := c.world.executions(c.of)
	for limit, pages := range map[int]int{1: 45, 7: 7, 20: 3, 44: 2, 45: 1, 100: 1} {
		all, n := c.pages(t, fmt.Sprintf("limit=%d", limit))
		if len(all) != len(want) || n != pages {
			t.Fatalf("limit %d: %d executions on %d pages, want %d on %d", limit, len(all), n, len(want), pages)
		}
		for i := range all {
			if all[i].ExecutionID != want[len(want)-1-i].ExecutionID {
				t.Fatalf("limit %d: execution %d is %s", limit, i, all[i].ExecutionID)
			}
		}
	}
	if all, _ := c.pages(t, ""); len(all) != 45 {
		t.Errorf("%d", len(all))
	}
	counted := 0
	for _, status := range Statuses() {
		all, _ := c.pages(t, "limit=4&status="+string(status))
		counted += len(all)
		for _, e := range all {
			if e.Status != status || (e.SkipReason != nil) != (status == Skipped) || e.Reason == "" {
				t.Errorf("%+v among %s", e, status)
			}
		}
	}
	if counted != 45 {
		t.Errorf("%d by status", counted)
	}
}

func TestAnExecutionOnTheWire(t *testing.T) {
	c := newCounter(t)
	got := c.get(t, c.of.Owner, "ag_1", "?limit=100")
	if got.Header.Get("X-Usage-Units") != "1" {
		t.Errorf("units %q", got.Header.Get("X-Usage-Units"))
	}
	var page struct {
		Executions []map[string]any `json:"executions"`
	}
	if err := json.Unmarshal([]byte(got.Body), &page); err != nil {
		t.Fatal(err)
	}
	executed, skipped := page.Executions[len(page.Executions)-1], map[string]any{}
	for _, e := range page.Executions {
		if e["status"] == "skipped" {
			skipped = e
		}
		if len(e) != len(executed) {
			t.Errorf("%d keys, want %d", len(e), len(executed))
		}
	}
	for key, want := range map[string]any{
		"agentId": "ag_1", "status": "executed", "skipReason": nil, "venue": "perpvenue-perps", "mode": "paper", "leg": "open", "side": "long",
		"detectedAt": "2026-06-01T12:01:00Z", "executedAt": "2026-06-01T12:01:00Z", "submittedAt": nil, "leaderPrice": 100.0, "costUsd": "50",
		"realizedUsd": nil, "fundingUsd": nil, "leverage": 2.0, "latencyMs": 1000.0, "leaderTradeAt": "2026-06-01T12:00:59Z",
	} {
		if value, there := executed[key]; value != want || !there {
			t.Errorf("%s is %v, want %v", key, value, want)
		}
	}
	for _, key := range []string{"price", "sizeUsd", "quantity", "feeUsd", "costUsd", "executedAt", "slippageBps", "latencyMs", "copyRatio", "leverage"} {
		if value, there := skipped[key]; value != nil || !there {
			t.Errorf("of what was skipped %s is %v", key, value)
		}
	}
	if asset := executed["asset"].(map[string]any); asset["coin"] != "BTC" || asset["address"] != nil || asset["market"] != nil {
		t.Errorf("%v", asset)
	}
}

func TestExecutionsOfOthersAndBadQuestionsAreRefused(t *testing.T) {
	c := newCounter(t)
	got := c.get(t, c.of.Owner, "ag_1", "?limit=10")
	var page ExecutionsAnswer
	if err := json.Unmarshal([]byte(got.Body), &page); err != nil {
		t.Fatal(err)
	}
	next := *page.NextCursor
	for name, r := range map[string]struct {
		wallet    chain.Address
		id, query string
		status    int
		code      string
	}{
		"another wallet's":             {chain.Address{7}, "ag_1", "", 404, "not_found"},
		"an agent that is not":         {c.of.Owner, "ag_2", "", 404, "not_found"},
		"limit 0":                      {c.of.Owner, "ag_1", "?limit=0", 400, "invalid_param"},
		"limit 101":                    {c.of.Owner, "ag_1", "?limit=101", 400, "invalid_param"},
		"a status that is none":        {c.of.Owner, "ag_1", "?status=done", 400, "invalid_param"},
		"a cursor that is none":        {c.of.Owner, "ag_1", "?cursor=abc", 400, "invalid_param"},
		"an empty cursor":              {c.of.Owner, "ag_1", "?cursor=", 400, "invalid_param"},
		"a cursor of another list":     {c.of.Owner, "ag_1", "?status=skipped&cursor=" + next, 400, "invalid_param"},
		"a cursor with something more": {c.of.Owner, "ag_1", "?cursor=" + next + "A", 400, "invalid_param"},
		"a key that is none":           {c.of.Owner, "ag_1", "?page=1", 400, "unknown_param"},
	} {
		got := c.get(t, r.wallet, r.id, r.query)
		if got.Status != r.status || got.Problem(t).Error != r.code {
			t.Errorf("%s: %d %s", name, got.Status, got.Body)
		}
	}
	unsigned := endpointtest.Call{Method: http.MethodGet, Path: "/v1/copy/agents/ag_1/executions", Key: c.Key}.Do(t, c.handler)
	if unsigned.Status != http.StatusUnauthorized || !strings.Contains(unsigned.Body, "wallet_signature_invalid") {
		t.Errorf("%d %s", unsigned.Status, unsigned.Body)
	}
}

func FuzzCursor(f *testing.F) {
	c := cursor{start, "ex_0123456789abcdef0123456789abcdef"}
	f.Add(c.text("ag_1", ""))
	f.Add("abc")
	f.Fuzz(func(t *testing.T, text string) {
		read, err := readCursor(text, "ag_1", "")
		if err == nil && read.text("ag_1", "") != text {
			t.Errorf("%q reads as %+v", text, read)
		}
	})
}
