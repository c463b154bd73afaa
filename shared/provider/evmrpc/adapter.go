package evmrpc

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mirrorworthy/mirrorworthy/shared/cache"
	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

// How much one wallet may cost. A client's own rate limit and concurrency bound it further.
const (
	// firstSpan is the log range in blocks that is tried on a node of which nothing is known yet.
	firstSpan = 1 << 20
	// maximumLogCalls bounds the calls of eth_getLogs for one question.
	maximumLogCalls = 96
	// maximumTransactions bounds the transactions that are read for one wallet, newest first.
	maximumTransactions = 400
	parallelCalls       = 8
	parallelWindows     = 4
	cachedTokens        = 20_000
	cachedBlockTimes    = 50_000
	cachedBorders       = 10_000
)

// Adapter reads facts from the nodes of one or more chains. It is safe for concurrent use.
type Adapter struct {
	clients map[chain.Slug]*upstream.Client
	limits  limits
	// tokens, blockTimes and borders hold what never changes on a chain; only definite answers are kept.
	tokens     *cache.Cache[tokenKey, market.Token]
	blockTimes *cache.Cache[blockKey, time.Time]
	borders    *cache.Cache[borderKey, uint64]
	mu         sync.Mutex
	spans      map[chain.Slug]uint64
}

type limits struct {
	firstSpan    uint64
	logCalls     int
	transactions int
	launchCalls  int
	historyCalls int
	historyLogs  int
}

type tokenKey struct {
	on    chain.Slug
	token chain.Address
}

type blockKey struct {
	on    chain.Slug
	block uint64
}

// New makes an adapter that asks one node a chain.
func New(clients map[chain.Slug]*upstream.Client) *Adapter {
	return &Adapter{
		clients: clients,
		limits: limits{
			firstSpan: firstSpan, logCalls: maximumLogCalls, transactions: maximumTransactions,
			launchCalls: maximumLaunchCalls, historyCalls: maximumHistoryCalls, historyLogs: maximumHistoryLogs,
		},
		tokens:     cache.New(cache.Options[tokenKey, market.Token]{MaximumEntries: cachedTokens}),
		blockTimes: cache.New(cache.Options[blockKey, time.Time]{MaximumEntries: cachedBlockTimes}),
		borders:    cache.New(cache.Options[borderKey, uint64]{MaximumEntries: cachedBorders}),
		spans:      make(map[chain.Slug]uint64),
	}
}

// Covers tells whether a node is configured for a chain.
func (a *Adapter) Covers(slug chain.Slug) bool { return a.clients[slug] != nil }

func (a *Adapter) client(on *chain.Chain) (*upstream.Client, error) {
	if client := a.clients[on.Slug]; client != nil {
		return client, nil
	}
	return nil, fmt.Errorf("%w: no node is configured for %s", market.ErrUnavailable, on.Slug)
}

// fault is the error a node answered with.
type fault struct {
	method  string
	code    int64
	message string
	// data is the reason that a contract gave for refusing, where the node hands it on.
	data []byte
}

func (f *fault) Error() string {
	return fmt.Sprintf("%s: node error %d: %.200q", f.method, f.code, f.message)
}

func (f *fault) says(any ...string) bool {
	message := strings.ToLower(f.message)
	for _, part := range any {
		if strings.Contains(message, part) {
			return true
		}
	}
	return false
}

// reverted tells an answer of the called contract from a failure of the node. Nodes agree on no code for it.
func (f *fault) reverted() bool {
	return f.says("revert", "invalid opcode", "invalid jump", "bad jump destination", "stack underflow", "vm execution error", "bad instruction")
}

func (f *fault) overloaded() bool {
	return f.says("rate limit", "rate-limit", "ratelimit", "too many requests", "request count", "per second", "request limit", "compute units", "capacity exceeded")
}

// pruned tells that the node keeps no history as old as was asked for.
func (f *fault) pruned() bool {
	return f.says("pruned", "missing trie node", "history not available", "no historical", "before the oldest")
}

// tooManyResults tells a refusal for the size of the answer from one for the length of the range.
func (f *fault) tooManyResults() bool {
	return f.says("results", "response size", "too many logs", "too large response")
}

// refused tells whether a shorter log range may be accepted.
func (f *fault) refused() bool {
	if f.overloaded() || f.pruned() {
		return false
	}
	switch f.code {
	case -32005, -32602, -32000, -32701:
		return true
	}
	return f.tooManyResults() || f.says("range", "limit", "timeout", "timed out", "too large", "too many")
}

// parseAnswer takes a JSON-RPC envelope apart, whatever the HTTP status. Exactly one of result and fault is set.
func parseAnswer(body []byte) (jsontext.Value, *fault, error) {
	var envelope struct {
		Result jsontext.Value `json:"result"`
		Error  jsontext.Value `json:"error"`
	}
	if err := json.Unmarshal(body, &envelope, lenient); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", upstream.ErrUnreadable, err)
	}
	switch envelope.Error.Kind() {
	case '{':
		var wire struct {
			Code    upstream.Number `json:"code"`
			Message upstream.Text   `json:"message"`
			Data    jsontext.Value  `json:"data"`
		}
		if err := json.Unmarshal(envelope.Error, &wire, lenient); err != nil {
			return nil, nil, fmt.Errorf("%w: %w", upstream.ErrUnreadable, err)
		}
		code, _ := wire.Code.Int()
		failure := &fault{code: code, message: string(wire.Message)}
		if data, err := parseData(wire.Data); err == nil {
			failure.data = data
		}
		return nil, failure, nil
	case '"':
		var message upstream.Text
		if err := json.Unmarshal(envelope.Error, &message, lenient); err != nil {
			return nil, nil, fmt.Errorf("%w: %w", upstream.ErrUnreadable, err)
		}
		return nil, &fault{message: string(message)}, nil
	}
	if len(envelope.Result) == 0 {
		return nil, nil, fmt.Errorf("%w: neither a result nor an error", upstream.ErrUnreadable)
	}
	return envelope.Result, nil, nil
}

// Examine reports a node's overload that arrives with status 200, for upstream.Config.
func Examine(response *upstream.Response) error {
	const longestError = 4096
	if len(response.Body) > longestError {
		return nil
	}
	if _, f, err := parseAnswer(response.Body); err == nil && f != nil && f.overloaded() {
		return f
	}
	return nil
}

type call struct {
	method string
	params []any
}

var errNull = errors.New("the node answered null")

// ask makes one call. A node's error is a *fault in the chain of an error that wraps market.ErrUnavailable.
func ask[T any](ctx context.Context, client *upstream.Client, c call, parse func(result []byte) (T, error)) (T, error) {
	value, _, err := exchange(ctx, client, c, false, parse)
	return value, err
}

// askFor is ask for a thing that need not be there, of which a node answers null: found is then false.
func askFor[T any](ctx context.Context, client *upstream.Client, c call, parse func(result []byte) (T, error)) (value T, found bool, err error) {
	return exchange(ctx, client, c, true, parse)
}

func exchange[T any](ctx context.Context, client *upstream.Client, c call, optional bool, parse func(result []byte) (T, error)) (_ T, found bool, _ error) {
	type outcome struct {
		value T
		found bool
		fault *fault
	}
	var zero T
	if c.params == nil {
		c.params = []any{}
	}
	body, err := json.Marshal(struct {
		Version string `json:"jsonrpc"`
		ID      int    `json:"id"`
		Method  string `json:"method"`
		Params  []any  `json:"params"`
	}{"2.0", 1, c.method, c.params})
	if err != nil {
		return zero, false, fmt.Errorf("encoding a call of %s: %w", c.method, err)
	}
	answer, err := upstream.Post(ctx, client, "", body, func(response *upstream.Response) (outcome, error) {
		result, fault, err := parseAnswer(response.Body)
		if err != nil {
			return outcome{}, fmt.Errorf("%s: status %d: %w", c.method, response.Status, err)
		}
		if fault != nil {
			fault.method = c.method
			return outcome{fault: fault}, nil
		}
		switch {
		case result.Kind() == 'n' && optional:
			return outcome{}, nil
		case result.Kind() == 'n':
			return outcome{}, fmt.Errorf("%s: %w", c.method, errNull)
		}
		value, err := parse(result)
		if err != nil {
			return outcome{}, fmt.Errorf("%w: %s: %w", upstream.ErrUnreadable, c.method, err)
		}
		return outcome{value: value, found: true}, nil
	})
	if err != nil {
		return zero, false, err
	}
	if answer.fault != nil {
		return zero, false, fmt.Errorf("%w: %s: %w", market.ErrUnavailable, client.Name(), answer.fault)
	}
	return answer.value, answer.found, nil
}

// asFault finds the node's own error in an error of ask.
func asFault(err error) (*fault, bool) {
	var f *fault
	return f, errors.As(err, &f)
}
