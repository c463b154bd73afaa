package evmrpc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

// fakeNode is a chain in memory behind a RoundTripper. Blocks are a second apart.
type fakeNode struct {
	mu           sync.Mutex
	head         uint64
	transactions []fakeTransaction
	// state answers eth_call by "to data", eth_getBalance and eth_getCode by address.
	state map[string]string
	// refuse may turn a call of eth_getLogs down.
	refuse func(from, to uint64, matching int) *fakeFault
	// answer, when set, replaces the body of every answer of a method.
	answer map[string]string
	status int
	calls  map[string]int
	ranges [][2]uint64
	// untimed leaves blockTimestamp out of logs.
	untimed bool
}

type fakeFault struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

type fakeTransaction struct {
	block    uint64
	index    int
	from, to string
	value    string
	input    string
	failed   bool
	logs     []rawLog
}

func (f *fakeTransaction) hash() string { return fmt.Sprintf("0x%062x%02x", f.block, f.index) }

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func blockTimeOf(block uint64) time.Time { return epoch.Add(time.Duration(block) * time.Second) }

func (n *fakeNode) logs(f *fakeTransaction) []map[string]any {
	logs := []map[string]any{}
	for i, log := range f.logs {
		wire := map[string]any{
			"address": log.Address, "topics": log.Topics, "data": log.Data, "removed": false,
			"blockNumber": hexBlock(f.block), "transactionHash": f.hash(), "transactionIndex": hexBlock(uint64(f.index)),
			"logIndex": hexBlock(uint64(f.index*10 + i)),
		}
		if !n.untimed {
			wire["blockTimestamp"] = hexBlock(uint64(blockTimeOf(f.block).Unix()))
		}
		logs = append(logs, wire)
	}
	return logs
}

func (n *fakeNode) RoundTrip(request *http.Request) (*http.Response, error) {
	var call struct {
		ID     json.RawMessage
		Method string
		Params []json.RawMessage
	}
	body, err := io.ReadAll(request.Body)
	if err != nil || json.Unmarshal(body, &call) != nil {
		return nil, fmt.Errorf("unreadable call %s", body)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.calls == nil {
		n.calls = make(map[string]int)
	}
	n.calls[call.Method]++
	status := n.status
	if status == 0 {
		status = http.StatusOK
	}
	text := n.answer[call.Method]
	if text == "" {
		envelope := map[string]any{"jsonrpc": "2.0", "id": call.ID}
		if result, fault := n.do(call.Method, call.Params); fault != nil {
			envelope["error"] = fault
		} else {
			envelope["result"] = result
		}
		encoded, err := json.Marshal(envelope)
		if err != nil {
			return nil, err
		}
		text = string(encoded)
	}
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader([]byte(text))), Request: request}, nil
}

func (n *fakeNode) do(method string, params []json.RawMessage) (any, *fakeFault) {
	text := func(i int) (s string) {
		_ = json.Unmarshal(params[i], &s)
		return strings.ToLower(s)
	}
	switch method {
	case "eth_blockNumber":
		return hexBlock(n.head), nil
	case "eth_getBlockByNumber":
		block, _ := strconv.ParseUint(text(0)[2:], 16, 64)
		return map[string]any{"number": text(0), "timestamp": hexBlock(uint64(blockTimeOf(block).Unix()))}, nil
	case "eth_getLogs":
		return n.getLogs(params[0])
	case "eth_getTransactionByHash", "eth_getTransactionReceipt":
		for i := range n.transactions {
			f := &n.transactions[i]
			if f.hash() != text(0) {
				continue
			}
			if method == "eth_getTransactionByHash" {
				value, _ := new(big.Int).SetString(f.value, 10)
				if value == nil {
					value = new(big.Int)
				}
				return map[string]any{"hash": f.hash(), "from": f.from, "to": f.to, "value": "0x" + value.Text(16), "input": f.input, "gasPrice": "0x1"}, nil
			}
			status := "0x1"
			if f.failed {
				status = "0x0"
			}
			return map[string]any{
				"transactionHash": f.hash(), "blockNumber": hexBlock(f.block), "transactionIndex": hexBlock(uint64(f.index)), "from": f.from, "to": f.to,
				"status": status, "gasUsed": "0x5208", "effectiveGasPrice": "0x3b9aca00", "logs": n.logs(f),
			}, nil
		}
		return nil, nil
	case "eth_getStorageAt":
		if value, found := n.state[method+" "+text(0)+" "+text(1)]; found {
			return value, nil
		}
		return "0x" + word("0"), nil
	case "eth_getBalance", "eth_getCode":
		if value, found := n.state[method+" "+text(0)+" "+text(1)]; found {
			return value, nil
		}
		if value, found := n.state[method+" "+text(0)]; found {
			return value, nil
		}
		return map[string]string{"eth_getBalance": "0x0", "eth_getCode": "0x"}[method], nil
	case "eth_call":
		var message struct{ To, Data string }
		_ = json.Unmarshal(params[0], &message)
		if value, found := n.state[strings.ToLower(message.To+" "+message.Data)]; found {
			return value, nil
		}
		return nil, &fakeFault{3, "execution reverted"}
	}
	return nil, &fakeFault{-32601, "no such method"}
}

func (n *fakeNode) getLogs(param json.RawMessage) (any, *fakeFault) {
	var filter struct {
		FromBlock, ToBlock string
		Address            json.RawMessage
		Topics             [][]string
	}
	if json.Unmarshal(param, &filter) != nil {
		return nil, &fakeFault{-32602, "invalid argument"}
	}
	var addresses []string
	if len(filter.Address) > 0 && json.Unmarshal(filter.Address, &addresses) != nil {
		addresses = []string{strings.Trim(string(filter.Address), `"`)}
	}
	from, _ := strconv.ParseUint(filter.FromBlock[2:], 16, 64)
	to, _ := strconv.ParseUint(filter.ToBlock[2:], 16, 64)
	n.ranges = append(n.ranges, [2]uint64{from, to})
	found := []map[string]any{}
	for i := range n.transactions {
		f := &n.transactions[i]
		if f.block < from || f.block > to {
			continue
		}
		for _, log := range n.logs(f) {
			topics := log["topics"].([]string)
			matches := len(filter.Topics) <= len(topics) && (len(addresses) == 0 || slices.Contains(addresses, log["address"].(string)))
			for j := 0; matches && j < len(filter.Topics); j++ {
				matches = len(filter.Topics[j]) == 0 || slices.Contains(filter.Topics[j], topics[j])
			}
			if matches {
				found = append(found, log)
			}
		}
	}
	if n.refuse != nil {
		if fault := n.refuse(from, to, len(found)); fault != nil {
			return nil, fault
		}
	}
	return found, nil
}

// on makes an adapter that asks the node for the chain.
func (n *fakeNode) on(slug chain.Slug) *Adapter {
	client := upstream.New(upstream.Config{Name: "node", Base: "http://node.test", PerMinute: 1e9, Burst: 1e6, Concurrency: 64, Examine: Examine},
		upstream.Shared{Transport: n, Clock: func() time.Time { return blockTimeOf(n.head) }})
	return New(map[chain.Slug]*upstream.Client{slug: client})
}

func mustChain(t testing.TB, slug chain.Slug) *chain.Chain {
	t.Helper()
	on, ok := chain.Parse(string(slug))
	if !ok {
		t.Fatal(slug)
	}
	return on
}

func account(digits string) string { return "0x" + strings.Repeat("0", 40-len(digits)) + digits }

func mustParse(t testing.TB, text string) chain.Address {
	t.Helper()
	address, err := chain.ParseWireAddress(text)
	if err != nil {
		t.Fatal(err)
	}
	return address
}

func transferLog(token, from, to string, amount int64) rawLog {
	return rawLog{Address: token, Topics: []string{transferTopic.String(), topicOf(from[2:]), topicOf(to[2:])}, Data: "0x" + word(strconv.FormatInt(amount, 16))}
}

func wrapLog(topic Word, token, holder string, amount int64) rawLog {
	return rawLog{Address: token, Topics: []string{topic.String(), topicOf(holder[2:])}, Data: "0x" + word(strconv.FormatInt(amount, 16))}
}

// v2Log is a swap of in of token 0 for out of token 1.
func v2Log(pool, router, to string, in, out int64) rawLog {
	data := "0x" + word(strconv.FormatInt(in, 16)) + word("0") + word("0") + word(strconv.FormatInt(out, 16))
	return rawLog{Address: pool, Topics: []string{uniswapV2SwapTopic.String(), topicOf(router[2:]), topicOf(to[2:])}, Data: data}
}

// v4Log is a swap of in of token 0 for out of token 1.
func v4Log(manager, router string, in, out int64) rawLog {
	paid := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 256), big.NewInt(in))
	data := "0x" + paid.Text(16) + word(strconv.FormatInt(out, 16)) + strings.Repeat(word("0"), 4)
	return rawLog{Address: manager, Topics: []string{uniswapV4SwapTopic.String(), topicOf("77"), topicOf(router[2:])}, Data: data}
}

// describes adds what a token tells of itself.
func (n *fakeNode) describes(token, symbol string, decimals int) {
	if n.state == nil {
		n.state = make(map[string]string)
	}
	n.state[token+" "+callData(decimalsSelector)] = "0x" + word(strconv.FormatInt(int64(decimals), 16))
	padded := fmt.Sprintf("%x", symbol)
	n.state[token+" "+callData(symbolSelector)] = "0x" + word("20") + word(strconv.FormatInt(int64(len(symbol)), 16)) + padded + strings.Repeat("0", 64-len(padded))
}
