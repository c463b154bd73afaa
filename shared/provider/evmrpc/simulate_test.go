package evmrpc

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/holiman/uint256"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket/chainstate"
)

var _ market.SimulationPort = (*Adapter)(nil)

// contractCode is the runtime code of the contracts that are there to try assessments out.
func contractCode(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile("../../samplemarket/contracts.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if found, digits, _ := strings.Cut(strings.TrimSpace(line), " "); found == name {
			code, err := hex.DecodeString(digits)
			if err != nil {
				t.Fatal(err)
			}
			return code
		}
	}
	t.Fatal("no contract ", name)
	return nil
}

// evmNode is a node that runs calls on a chain of a few contracts: a token, its quote asset and a pool of the two.
type evmNode struct {
	accounts map[[20]byte]*chainstate.Account
	// refuses lists methods that the node does not know; deaf is set when it knows no overrides.
	refuses map[string]bool
	deaf    bool
	broken  bool
	calls   map[string]int
}

const (
	evmHead = 1000
	evmTime = 1_700_000_000
)

func (n *evmNode) RoundTrip(request *http.Request) (*http.Response, error) {
	var call struct {
		ID     json.RawMessage
		Method string
		Params []json.RawMessage
	}
	body, err := io.ReadAll(request.Body)
	if err != nil || json.Unmarshal(body, &call) != nil {
		return nil, fmt.Errorf("unreadable call %s", body)
	}
	if n.broken {
		return &http.Response{StatusCode: http.StatusForbidden, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("no")), Request: request}, nil
	}
	n.calls[call.Method]++
	var result any
	var fault *chainstate.Fault
	at := chainstate.Block{Number: evmHead, Time: evmTime}
	source := func(address [20]byte) *chainstate.Account { return n.accounts[address] }
	switch {
	case n.refuses[call.Method]:
		fault = &chainstate.Fault{Code: -32601, Message: "the method does not exist"}
	case call.Method == "eth_blockNumber":
		result = hexBlock(evmHead)
	case call.Method == "eth_call":
		if n.deaf {
			call.Params = call.Params[:2]
		}
		result, fault = chainstate.Call(source, at, call.Params)
	case call.Method == "eth_simulateV1":
		result, fault = chainstate.Simulate(source, at, 12, call.Params)
	default:
		return nil, fmt.Errorf("no method %s", call.Method)
	}
	answer := map[string]any{"jsonrpc": "2.0", "id": call.ID, "result": result}
	if fault != nil {
		answer = map[string]any{"jsonrpc": "2.0", "id": call.ID, "error": fault}
	}
	encoded, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(encoded)), Request: request}, nil
}

func slotOf(index uint64) [32]byte { return uint256.NewInt(index).Bytes32() }

func balanceSlot(holder chain.Address, table uint64) [32]byte {
	key, slot := addressWord(holder), Word(slotOf(table))
	return keccakOf(key[:], slot[:])
}

func numbers(n uint64) [32]byte { return uint256.NewInt(n).Bytes32() }

func coins(n uint64) *uint256.Int {
	return new(uint256.Int).Mul(uint256.NewInt(n), uint256.NewInt(1_000_000_000_000_000_000))
}

var (
	evmToken = chain.Address{1: 0x70, 19: 1}
	evmPool  = chain.Address{1: 0x90, 19: 1}
	evmOwner = chain.Address{1: 0x0b, 19: 1}
)

// newEVMNode has a pool of a million tokens and a thousand of the quote asset.
func newEVMNode(t testing.TB, tokenName string, concentrated bool, quote chain.Asset, special map[uint64][32]byte) *evmNode {
	t.Helper()
	on := mustChain(t, chain.Ethereum)
	tokens, paid := coins(1_000_000), coins(1000)
	token := &chainstate.Account{Code: contractCode(t, tokenName), Storage: map[[32]byte][32]byte{
		balanceSlot(evmPool, 0): tokens.Bytes32(), slotOf(2): tokens.Bytes32(), slotOf(3): addressWord(evmOwner), slotOf(4): addressWord(evmPool), slotOf(5): numbers(18),
	}}
	for slot, value := range special {
		token.Storage[slotOf(slot)] = value
	}
	n := &evmNode{accounts: map[[20]byte]*chainstate.Account{evmToken: token}, refuses: map[string]bool{}, calls: map[string]int{}}
	money := &chainstate.Account{Code: contractCode(t, "Wrapped"), Balance: coins(5000), Storage: map[[32]byte][32]byte{balanceSlot(evmPool, 0): paid.Bytes32()}}
	if quote.Address != on.WrappedNative.Address {
		money = &chainstate.Account{Code: contractCode(t, "OldIssued"), Storage: map[[32]byte][32]byte{balanceSlot(evmPool, 0): paid.Bytes32()}}
	}
	n.accounts[quote.Address] = money
	first, second, reserve0, reserve1 := evmToken, quote.Address, tokens, paid
	if evmToken.Compare(quote.Address) > 0 {
		first, second, reserve0, reserve1 = second, first, paid, tokens
	}
	if concentrated {
		// The square root of the price as a multiple of 2^96, and of the product.
		root := new(uint256.Int).Sqrt(new(uint256.Int).Div(new(uint256.Int).Lsh(reserve1, 128), reserve0))
		root.Lsh(root, 32)
		n.accounts[evmPool] = &chainstate.Account{Code: contractCode(t, "RangePool"), Storage: map[[32]byte][32]byte{
			slotOf(0): addressWord(first), slotOf(1): packedFee(second, 3000), slotOf(2): root.Bytes32(), slotOf(3): new(uint256.Int).Sqrt(new(uint256.Int).Mul(reserve0, reserve1)).Bytes32(),
		}}
		return n
	}
	reserves := new(uint256.Int).Or(reserve0, new(uint256.Int).Lsh(reserve1, 112))
	n.accounts[evmPool] = &chainstate.Account{Code: contractCode(t, "Pair"), Storage: map[[32]byte][32]byte{
		slotOf(8): addressWord(first), slotOf(9): addressWord(second), slotOf(10): reserves.Bytes32(),
	}}
	return n
}

// packedFee is an address with a fee in the bits above it.
func packedFee(address chain.Address, fee uint64) [32]byte {
	word := new(uint256.Int).SetBytes(address[:])
	return word.Or(word, new(uint256.Int).Lsh(uint256.NewInt(fee), 160)).Bytes32()
}

func (n *evmNode) simulate(t testing.TB, quote chain.Address) (*market.Simulation, error) {
	t.Helper()
	client := upstream.New(upstream.Config{Name: "node", Base: "http://node.test", PerMinute: 1e9, Burst: 1e6, Concurrency: 64, Examine: Examine},
		upstream.Shared{Transport: n, Clock: func() time.Time { return time.Unix(evmTime, 0) }})
	adapter := New(map[chain.Slug]*upstream.Client{chain.Ethereum: client})
	pool := market.Pool{ID: evmPool.String(), Token: evmToken, Quote: quote, LiquidityUSD: 4e6}
	return adapter.Simulate(context.Background(), mustChain(t, chain.Ethereum), market.SimulationRequest{Token: evmToken, Pools: []market.Pool{pool}})
}

// written is a simulation in short: + with the tax in percent, - for a revert, ? for untried.
func (tr trialText) String() string {
	switch tr.Done {
	case market.Yes:
		return fmt.Sprintf("+%.0f", tr.Tax*100)
	case market.No:
		return "-"
	}
	return "?"
}

type trialText market.Trial

func inShort(s *market.Simulation) string {
	var words []string
	for _, trial := range []market.Trial{s.Buy, s.SellAll, s.SellHalves, s.SellElsewhere, s.SellLater, s.SellLarge} {
		words = append(words, trialText(trial).String())
	}
	return strings.Join(words, " ")
}

func TestTestTrades(t *testing.T) {
	weth := mustChain(t, chain.Ethereum).WrappedNative
	// In the order buy, sell all, halves, elsewhere, later, large.
	for name, c := range map[string]struct {
		token   string
		special map[uint64][32]byte
		want    string
	}{
		"clean":                       {"Fixed", nil, "+0 +0 +0 +0 +0 +0"},
		"mintable":                    {"Mintable", nil, "+0 +0 +0 +0 +0 +0"},
		"fee of 5 and 20":             {"TaxedUnbounded", map[uint64][32]byte{8: numbers(5), 9: numbers(20)}, "+5 +20 +20 +20 +20 +20"},
		"fee of 60 on sales":          {"TaxedUnbounded", map[uint64][32]byte{9: numbers(60)}, "+0 +60 +60 +60 +60 +60"},
		"fee of 100 on sales":         {"TaxedUnbounded", map[uint64][32]byte{9: numbers(100)}, "+0 - - - - -"},
		"fee of 100 on purchases":     {"TaxedUnbounded", map[uint64][32]byte{8: numbers(100)}, "+100 ? ? ? ? ?"},
		"fee of 5 on transfers":       {"TaxedTransfer", map[uint64][32]byte{9: numbers(5)}, "+5 +5 +5 +10 +5 +5"},
		"sells what it has collected": {"SwapBack", map[uint64][32]byte{8: numbers(5), 9: numbers(5), 12: addressWord(evmOwner)}, "+5 +5 +5 +5 +5 +5"},
		"paused":                      {"Listing", map[uint64][32]byte{8: numbers(1)}, "- ? ? ? ? ?"},
		"open":                        {"Listing", nil, "+0 +0 +0 +0 +0 +0"},
		"trap by whitelist":           {"TrapByWhitelist", nil, "+0 - - - - -"},
		"trap by marking buyers":      {"TrapByMark", nil, "+0 - - - - -"},
		"trap by silence":             {"TrapBySilence", nil, "+0 - - - - -"},
		"trap by allowance":           {"TrapByAllowance", nil, "+0 - - - - -"},
		"cooldown of a block":         {"Cooldown", nil, "+0 - - - +0 -"},
		"cooldown of a day":           {"Cooldown", map[uint64][32]byte{9: numbers(86400)}, "+0 - - - - -"},
		"largest sale":                {"MaxSale", map[uint64][32]byte{8: coins(100).Bytes32()}, "+0 +0 +0 +0 +0 -"},
		"largest sale under the half": {"MaxSale", map[uint64][32]byte{8: coins(10).Bytes32()}, "+0 - - - +0 -"},
		"largest sale over the half":  {"MaxSale", map[uint64][32]byte{8: coins(20).Bytes32()}, "+0 - +0 - +0 -"},
		"to nobody but the pair":      {"PairOnly", nil, "+0 +0 +0 - +0 +0"},
		"answers nothing":             {"OldIssued", nil, "+0 +0 +0 +0 +0 +0"},
		"leaky":                       {"Leaky", nil, "+0 +0 +0 +0 +0 +0"},
	} {
		node := newEVMNode(t, c.token, false, weth, c.special)
		if c.token == "OldIssued" {
			delete(node.accounts[evmToken].Storage, slotOf(4))
			delete(node.accounts[evmToken].Storage, slotOf(5))
		}
		got, err := node.simulate(t, weth.Address)
		if err != nil || got.Source != nodeSource || inShort(got) != c.want {
			t.Errorf("%s: %v, want %s: %+v %v", name, inShort(got), c.want, got, err)
		}
	}
}

func TestTestTradesInOtherPoolsAndForOtherMoney(t *testing.T) {
	on := mustChain(t, chain.Ethereum)
	for name, c := range map[string]struct {
		token        string
		concentrated bool
		quote        chain.Asset
		want         string
	}{
		"a concentrated pool":                    {"Fixed", true, on.WrappedNative, "+0 +0 +0 +0 +0 +0"},
		"a concentrated pool and a trap":         {"TrapByWhitelist", true, on.WrappedNative, "+0 - - - - -"},
		"a concentrated pool and a fee":          {"TaxedTransfer", true, on.WrappedNative, "+5 - - - - -"},
		"a concentrated pool for a stable coin":  {"Fixed", true, on.Stables[1], "+0 +0 +0 +0 +0 +0"},
		"a pair for a stable coin":               {"Fixed", false, on.Stables[1], "+0 +0 +0 +0 +0 +0"},
		"a pair for a coin listed before it":     {"Fixed", false, on.Stables[2], "+0 +0 +0 +0 +0 +0"},
		"a pair for a stable coin, and a trap":   {"TrapByMark", false, on.Stables[1], "+0 - - - - -"},
		"the tokens of a pair in the other turn": {"Fixed", false, on.WrappedNative, "+0 +0 +0 +0 +0 +0"},
	} {
		var special map[uint64][32]byte
		if c.token == "TaxedTransfer" {
			special = map[uint64][32]byte{9: numbers(5)}
		}
		got, err := newEVMNode(t, c.token, c.concentrated, c.quote, special).simulate(t, c.quote.Address)
		if err != nil || inShort(got) != c.want {
			t.Errorf("%s: %v, want %s: %+v %v", name, inShort(got), c.want, got, err)
		}
	}
}

func TestSelectorsOfTheTestTrade(t *testing.T) {
	const trade = "(address,address,address,address,uint256,bool)"
	for signature, function := range map[string]selector{"trials(" + trade + ")": trialsSelector, "buy(" + trade + ",uint256)": buySelector, "sellShare(" + trade + ",uint256)": sellShareSelector} {
		if hash := keccak(signature); selector(hash[:4]) != function {
			t.Errorf("%s: %x, want %x", signature, function, hash[:4])
		}
		if !strings.Contains(testTradeCode, hex.EncodeToString(function[:])) {
			t.Errorf("the test trade's code has no %s", signature)
		}
	}
}

func TestOutcomesOfAnotherShapeAreNoOutcomes(t *testing.T) {
	for _, size := range []int{0, 31, 7*32 - 1, 7*32 + 1, 8 * 32} {
		if _, err := parseOutcomes(make([]byte, size), 1); err == nil {
			t.Errorf("%d bytes are read as an outcome", size)
		}
	}
}

// FuzzSimulatedCalls looks for answers of a node that end the process, or make a tax out of range.
func FuzzSimulatedCalls(f *testing.F) {
	f.Add([]byte(`[{"calls":[{"status":"0x1","returnData":"0x` + strings.Repeat("00", 31) + "06" + strings.Repeat("ff", 6*32) + `"}]}]`))
	f.Add([]byte(`[{"calls":[{"status":"0x0","returnData":"0x"}]},{}]`))
	f.Fuzz(func(t *testing.T, body []byte) {
		outcomes, err := parseSimulatedCalls(body)
		if err != nil {
			return
		}
		for _, o := range outcomes {
			for _, trial := range []market.Trial{o.buy(), o.sell(), o.sellElsewhere()} {
				if known := trial.Done == market.Yes; known != (trial.Tax >= 0 && trial.Tax <= 1) || !known && !math.IsNaN(trial.Tax) {
					t.Errorf("%+v of %+v", trial, o)
				}
			}
		}
	})
}

func TestWithoutATestTradeThereIsAReason(t *testing.T) {
	weth := mustChain(t, chain.Ethereum).WrappedNative.Address
	for name, prepare := range map[string]func(n *evmNode){
		"overrides are ignored":      func(n *evmNode) { n.deaf = true },
		"eth_call is refused":        func(n *evmNode) { n.refuses["eth_call"] = true },
		"the pool has no code":       func(n *evmNode) { delete(n.accounts, evmPool) },
		"the pool is something else": func(n *evmNode) { n.accounts[evmPool] = n.accounts[evmToken] },
		"the pool is empty":          func(n *evmNode) { clear(n.accounts[weth].Storage) },
	} {
		node := newEVMNode(t, "Fixed", false, mustChain(t, chain.Ethereum).WrappedNative, nil)
		prepare(node)
		got, err := node.simulate(t, weth)
		if err != nil || got.Source != "" || got.Reason == "" || inShort(got) != "? ? ? ? ? ?" || !math.IsNaN(got.Buy.Tax) {
			t.Errorf("%s: %+v %v", name, got, err)
		}
	}
	node := newEVMNode(t, "Fixed", false, mustChain(t, chain.Ethereum).WrappedNative, nil)
	node.refuses["eth_simulateV1"] = true
	if got, err := node.simulate(t, weth); err != nil || inShort(got) != "+0 +0 +0 +0 ? +0" {
		t.Errorf("without later sales: %+v %v", got, err)
	}
	node.broken = true
	if _, err := node.simulate(t, weth); !errors.Is(err, market.ErrUnavailable) {
		t.Errorf("a node that lets nobody in gives %v", err)
	}
	adapter := (&fakeNode{}).on(chain.Ethereum)
	got, err := adapter.Simulate(context.Background(), mustChain(t, chain.Ethereum), market.SimulationRequest{Token: evmToken, Pools: []market.Pool{{ID: "0x" + strings.Repeat("ab", 32)}}})
	if err != nil || got.Source != "" || got.Reason == "" {
		t.Errorf("a pool without an address: %+v %v", got, err)
	}
}
