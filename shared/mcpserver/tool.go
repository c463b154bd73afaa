package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/schema"
)

// instructions say how the tools are used together.
const instructions = `Mirrorworthy grades on-chain wallets and tokens, and mirrors the traders worth mirroring. Work in this order: vet, size, copy.

Vet. Find leaders with trader-board, spot-leaders or copy-leaders. Look at one with wallet-overview, perp-wallet or prediction-wallet, and at a token with token-overview. One overview costs what its parts cost, and is one call.
Size. Ask copy-plan for a spot leader and perp-copy-decision for a perpetuals trade; copy-overlap says whether a leader adds anything to those copied already.
Copy. create-agent, then activation; the person's wallet does the steps, and activate-agent takes the results until no step is left. executions tells what was done, and what was skipped and why: show both. Let the person decide before anything that changes an agent or a webhook.

Reading answers. null is unmeasured, never zero. Unknown is not bad: unrated, unknown, insufficient-data, accruing, available false and the like say that too little is known. Show the reasons with every verdict, and a disclosure next to its numbers. Never show a BUY without the risk verdict beside it. Keys that end in Pct are percent, other rates and shares are fractions of 1, scores are 0 to 100. When a slot of an overview failed, the others stand.
Results. structuredContent is the answer, the same as over HTTP; of a refused call it is the error with what to do next. _meta holds requestId, usageUnits, methodVersion of graded answers, the state of the limit, and retryAfterSeconds where waiting helps. usage tells what is left.`

// agentPaths begin the paths of what a wallet has to sign in for.
const agentPaths = "/v1/copy/agents"

// idempotencyKey is the argument by which an operation that is called again does nothing twice.
const idempotencyKey = "idempotencyKey"

// tool is an endpoint as a tool.
type tool struct{ *endpoint.Endpoint }

// describe is what agents are told of the tool.
func (t tool) describe() *mcp.Tool {
	input := schema.Object(t.Parameters)
	if t.Idempotent {
		least, most := 1, 255
		input.Properties[idempotencyKey] = &jsonschema.Schema{
			Type: "string", MinLength: &least, MaxLength: &most, Pattern: `^[!#-\[\]-~]+$`,
			Description: "A name of your choice for this one operation, like a UUID: called again with it, the operation is not done twice.",
		}
		input.PropertyOrder = append(input.PropertyOrder, idempotencyKey)
	}
	return &mcp.Tool{Name: t.Name, Title: t.title(), Description: t.description(), InputSchema: input, Annotations: t.annotations()}
}

// title is the name in words.
func (t tool) title() string {
	words := strings.Split(t.Name, "-")
	words[0] = strings.ToUpper(words[0][:1]) + words[0][1:]
	return strings.ReplaceAll(strings.Join(words, " "), "pnl", "PnL")
}

// description is the summary and what an agent must know before it calls, or shows what it got.
func (t tool) description() string {
	sentences := []string{t.Summary}
	switch {
	case t.UnitsFor != nil:
		sentences = append(sentences, "Costs usage units by the length of the list.")
	case t.Units == 0:
		sentences = append(sentences, "Costs nothing.")
	case t.Units == 1:
		sentences = append(sentences, "Costs 1 usage unit.")
	default:
		sentences = append(sentences, "Costs "+strconv.Itoa(t.Units)+" usage units.")
	}
	if t.Graded {
		sentences = append(sentences, "null means unmeasured, not zero; unknown is not bad. Show the reasons with the verdict.")
	}
	if t.isOrHolds("token-signal") {
		sentences = append(sentences, "Never show a BUY without the risk verdict beside it.")
	}
	if len(t.Components) > 0 {
		sentences = append(sentences, "A slot that failed holds an error and is named in failed; the others stand.")
	}
	if strings.HasPrefix(t.Path, agentPaths) {
		sentences = append(sentences, "Needs the headers X-Wallet-Address, X-Wallet-Message and X-Wallet-Signature on the request: a sign-in that the wallet signed.")
	}
	if !t.readOnly() {
		sentences = append(sentences, "This changes something: call it when the person wants it.")
	}
	return strings.Join(sentences, " ")
}

// isOrHolds tells whether the tool is the endpoint of that name, or a bundle with it.
func (t tool) isOrHolds(name string) bool {
	return t.Name == name || slices.ContainsFunc(t.Components, func(e endpoint.Endpoint) bool { return e.Name == name })
}

// readOnly tells whether the tool is there to look. Operations by POST that change something take an idempotency key.
func (t tool) readOnly() bool {
	return t.Method == http.MethodGet || (t.Method == http.MethodPost && !t.Idempotent)
}

// annotations hint at what a call does. What changes something that is there already may destroy what it was; what makes something
// new does not; a scan of a token is remembered, and is what the next one is compared with. Facts come from the world outside, the state of
// agents, webhooks and usage from the service.
func (t tool) annotations() *mcp.ToolAnnotations {
	ofOneThing := slices.ContainsFunc(t.Parameters, func(p endpoint.Parameter) bool { return p.Specification().InPath })
	destructive := !t.readOnly() && (t.Method != http.MethodPost || ofOneThing)
	open := len(t.Needs) > 0
	return &mcp.ToolAnnotations{
		Title: t.title(), ReadOnlyHint: t.readOnly() && !t.isOrHolds("token-changes"), DestructiveHint: &destructive, OpenWorldHint: &open,
		IdempotentHint: t.Method != http.MethodPost,
	}
}

// call answers a call of the tool. What it refuses is a result with the error, which the agent sees and can mend.
func (t tool) call(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	x, ok := ctx.Value(exchangeKey{}).(*exchange)
	if !ok {
		return nil, fmt.Errorf("%s was called outside of a request", t.Name)
	}
	asked, problem := t.request(x, r.Params.Arguments)
	if problem != nil {
		return &mcp.CallToolResult{
			Meta: mcp.Meta{"requestId": x.request.ID, "usageUnits": 0}, IsError: true,
			StructuredContent: json.RawMessage(problem.Body(x.request.ID)), Content: text(problem.Body(x.request.ID)),
		}, nil
	}
	answer := newRecorder()
	x.calls.ServeHTTP(answer, asked)
	learned := make(http.Header)
	for _, name := range []string{"X-Usage-Units", "X-Method-Version", "RateLimit", "RateLimit-Policy"} {
		if values := answer.header.Values(name); len(values) > 0 {
			learned[http.CanonicalHeaderKey(name)] = values
		}
	}
	x.learned.Store(&learned)
	return &mcp.CallToolResult{
		Meta: answer.meta(), IsError: answer.status >= http.StatusBadRequest,
		StructuredContent: json.RawMessage(answer.body.Bytes()), Content: text(answer.body.Bytes()),
	}, nil
}

// text is the same answer for agents that read text.
func text(body []byte) []mcp.Content { return []mcp.Content{&mcp.TextContent{Text: string(body)}} }

// meta is what the headers of an answer say.
func (r *recorder) meta() mcp.Meta {
	meta := make(mcp.Meta)
	for _, of := range []struct {
		header, key string
		number      bool
	}{
		{"X-Request-Id", "requestId", false}, {"X-Usage-Units", "usageUnits", true}, {"X-Method-Version", "methodVersion", false},
		{"RateLimit", "rateLimit", false}, {"RateLimit-Policy", "rateLimitPolicy", false}, {"Retry-After", "retryAfterSeconds", true},
	} {
		value := r.header.Get(of.header)
		switch number, err := strconv.Atoi(value); {
		case value == "":
		case of.number && err == nil:
			meta[of.key] = number
		default:
			meta[of.key] = value
		}
	}
	if r.header.Get("Idempotent-Replayed") == "true" {
		meta["idempotentReplayed"] = true
	}
	return meta
}
