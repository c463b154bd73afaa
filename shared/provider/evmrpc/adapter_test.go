package evmrpc

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/holiman/uint256"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

const wbnb = "0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c"

var (
	wallet  = account("a11ce")
	other   = account("b0b")
	router  = account("4007e4")
	pool    = account("9001")
	manager = account("444")
	token   = account("70ce1")
	second  = account("70ce2")
)

// written is a movement in short: sign, amount, asset, counterparty.
func written(m market.Movement) string {
	sign := "-"
	if m.In {
		sign = "+"
	}
	asset := map[chain.Address]string{chain.Native: "native"}[m.Token]
	if asset == "" {
		asset = strings.TrimLeft(m.Token.String()[2:], "0")
	}
	text := fmt.Sprintf("%s%s %s %s", sign, m.Amount.Dec(), asset, strings.TrimLeft(m.Counterparty.String()[2:], "0"))
	if m.Minted {
		text += "minted"
	}
	if m.Burned {
		text += "burned"
	}
	return text
}

func TestMovements(t *testing.T) {
	weth := wbnb[2:]
	for name, c := range map[string]struct {
		transaction fakeTransaction
		want        []string
	}{
		"plain transfer out": {
			fakeTransaction{from: wallet, to: token, logs: []rawLog{transferLog(token, wallet, other, 5)}},
			[]string{"-5 70ce1 b0b"}},
		"transfer in by somebody else": {
			fakeTransaction{from: other, to: token, value: "9", logs: []rawLog{transferLog(token, other, wallet, 5)}},
			[]string{"+5 70ce1 b0b"}},
		"to itself and of nothing": {
			fakeTransaction{from: wallet, to: token, logs: []rawLog{transferLog(token, wallet, wallet, 5), transferLog(token, wallet, other, 0)}},
			nil},
		"mint and burn": {
			fakeTransaction{from: wallet, to: token, logs: []rawLog{transferLog(token, account("0"), wallet, 5), transferLog(second, wallet, account("0"), 6)}},
			[]string{"+5 70ce1 minted", "-6 70ce2 burned"}},
		"bought for the native coin": {
			fakeTransaction{from: wallet, to: router, value: "1000", logs: []rawLog{
				wrapLog(depositTopic, wbnb, router, 1000), transferLog(wbnb, router, pool, 1000),
				transferLog(token, pool, wallet, 50), v2Log(pool, router, wallet, 1000, 50)}},
			[]string{"-1000 native 4007e4", "+50 70ce1 9001"}},
		"sold for the native coin": {
			fakeTransaction{from: wallet, to: router, logs: []rawLog{
				transferLog(token, wallet, pool, 50), transferLog(wbnb, pool, router, 990), v2Log(pool, router, router, 50, 990), wrapLog(withdrawalTopic, wbnb, router, 990)}},
			[]string{"+990 native 4007e4", "-50 70ce1 9001"}},
		"sold with a refund of the sold token": {
			fakeTransaction{from: wallet, to: router, logs: []rawLog{
				transferLog(token, wallet, router, 60), transferLog(token, router, pool, 50), transferLog(token, router, wallet, 10),
				transferLog(wbnb, pool, router, 990), v2Log(pool, router, router, 50, 990), wrapLog(withdrawalTopic, wbnb, router, 990)}},
			[]string{"+990 native 4007e4", "-60 70ce1 4007e4", "+10 70ce1 4007e4"}},
		"change of a purchase": {
			fakeTransaction{from: wallet, to: router, value: "1000", logs: []rawLog{
				wrapLog(depositTopic, wbnb, router, 1000), transferLog(wbnb, router, pool, 900), transferLog(token, pool, wallet, 50),
				v2Log(pool, router, wallet, 900, 50), wrapLog(withdrawalTopic, wbnb, router, 100)}},
			[]string{"-1000 native 4007e4", "+100 native 4007e4", "+50 70ce1 9001"}},
		"what is paid for and not wrapped never comes back": {
			fakeTransaction{from: wallet, to: router, value: "1000", logs: []rawLog{
				wrapLog(depositTopic, wbnb, router, 990), transferLog(wbnb, router, pool, 990), transferLog(token, pool, wallet, 50), v2Log(pool, router, wallet, 990, 50)}},
			[]string{"-1000 native 4007e4", "+50 70ce1 9001"}},
		"token for token, a fee taken in the coin": {
			fakeTransaction{from: wallet, to: router, logs: []rawLog{
				transferLog(token, wallet, pool, 50), transferLog(second, pool, wallet, 70), v2Log(pool, router, wallet, 50, 70), wrapLog(withdrawalTopic, wbnb, router, 3)}},
			[]string{"-50 70ce1 9001", "+70 70ce2 9001"}},
		"sold with sponsored gas": {
			fakeTransaction{from: other, to: router, logs: []rawLog{
				transferLog(token, wallet, pool, 50), transferLog(wbnb, pool, router, 990), v2Log(pool, router, router, 50, 990), wrapLog(withdrawalTopic, wbnb, router, 990)}},
			[]string{"+990 native 4007e4", "-50 70ce1 9001"}},
		"taken by somebody who unwraps": {
			fakeTransaction{from: other, to: router, logs: []rawLog{transferLog(token, wallet, other, 50), wrapLog(withdrawalTopic, wbnb, router, 990)}},
			[]string{"-50 70ce1 b0b"}},
		"wrapped by hand": {
			fakeTransaction{from: wallet, to: wbnb, value: "7", logs: []rawLog{wrapLog(depositTopic, wbnb, wallet, 7)}},
			[]string{"-7 native " + weth, "+7 " + weth + " minted"}},
		"wrapped where the contract mints as well": {
			fakeTransaction{from: wallet, to: wbnb, value: "7", logs: []rawLog{wrapLog(depositTopic, wbnb, wallet, 7), transferLog(wbnb, account("0"), wallet, 7)}},
			[]string{"-7 native " + weth, "+7 " + weth + " minted"}},
		"sold in a pool of version 4": {
			fakeTransaction{from: wallet, to: router, logs: []rawLog{transferLog(token, wallet, manager, 50), v4Log(manager, router, 50, 990)}},
			[]string{"+990 native 444", "-50 70ce1 444"}},
		"sold over two pools of version 4": {
			fakeTransaction{from: wallet, to: router, logs: []rawLog{transferLog(token, wallet, manager, 50), v4Log(manager, router, 50, 60), v4Log(manager, router, 60, 990)}},
			[]string{"+990 native 444", "-50 70ce1 444"}},
		"sold in version 4 to somebody else's token": {
			fakeTransaction{from: wallet, to: router, logs: []rawLog{transferLog(token, wallet, manager, 50), v4Log(manager, router, 50, 990), transferLog(second, manager, other, 980)}},
			[]string{"-50 70ce1 444"}},
		"bought in a pool of version 4": {
			fakeTransaction{from: wallet, to: router, value: "990", logs: []rawLog{v4Log(manager, router, 990, 50), transferLog(token, manager, wallet, 50)}},
			[]string{"-990 native 4007e4", "+50 70ce1 444"}},
		"unwrapped by hand": {
			fakeTransaction{from: wallet, to: wbnb, logs: []rawLog{wrapLog(withdrawalTopic, wbnb, wallet, 7)}},
			[]string{"+7 native " + weth, "-7 " + weth + " burned"}},
		"wrapped by a smart account": {
			fakeTransaction{from: other, to: wallet, logs: []rawLog{wrapLog(depositTopic, wbnb, wallet, 7)}},
			[]string{"-7 native " + weth, "+7 " + weth + " minted"}},
		"sold with a fee paid on top": {
			fakeTransaction{from: wallet, to: router, value: "5", logs: []rawLog{
				transferLog(token, wallet, pool, 50), transferLog(wbnb, pool, router, 990), v2Log(pool, router, router, 50, 990), wrapLog(withdrawalTopic, wbnb, router, 990)}},
			[]string{"-5 native 4007e4", "+990 native 4007e4", "-50 70ce1 9001"}},
		"claimed where somebody else unwraps": {
			fakeTransaction{from: wallet, to: router, logs: []rawLog{transferLog(token, pool, wallet, 50), wrapLog(withdrawalTopic, wbnb, router, 990)}},
			[]string{"+50 70ce1 9001"}},
		"bought, a fee unwrapped": {
			fakeTransaction{from: wallet, to: router, value: "1000", logs: []rawLog{
				wrapLog(depositTopic, wbnb, router, 990), transferLog(wbnb, router, pool, 985), transferLog(token, pool, wallet, 50),
				v2Log(pool, router, wallet, 985, 50), wrapLog(withdrawalTopic, wbnb, router, 5)}},
			[]string{"-1000 native 4007e4", "+50 70ce1 9001"}},
		"taxed token sold over two pools of version 4": {
			fakeTransaction{from: wallet, to: router, logs: []rawLog{transferLog(token, wallet, manager, 45), v4Log(manager, router, 50, 60), v4Log(manager, router, 60, 990)}},
			[]string{"+990 native 444", "-45 70ce1 444"}},
		"failed": {
			fakeTransaction{from: wallet, to: router, value: "1000", failed: true, logs: []rawLog{transferLog(token, wallet, other, 5)}},
			nil},
	} {
		t.Run(name, func(t *testing.T) {
			node := &fakeNode{head: 100}
			c.transaction.block, c.transaction.index, c.transaction.input = 42, 3, "0x38ed1739"+word("1")
			node.transactions = []fakeTransaction{c.transaction}
			node.describes(token, "ONE", 18)
			node.describes(second, "TWO", 6)
			activity, err := node.on(chain.BSC).Activity(context.Background(), mustChain(t, chain.BSC), mustParse(t, wallet))
			if err != nil {
				t.Fatal(err)
			}
			if len(activity.Transactions) != 1 {
				t.Fatalf("%+v", activity.Transactions)
			}
			got := activity.Transactions[0]
			var movements []string
			for _, m := range got.Movements {
				movements = append(movements, written(m))
				if !activity.Tokens[m.Token].Known {
					t.Errorf("token %v is not described", m.Token)
				}
			}
			if strings.Join(movements, ", ") != strings.Join(c.want, ", ") {
				t.Errorf("got %q, want %q", movements, c.want)
			}
			if got.Block != 42 || got.Index != 3 || !got.Time.Equal(blockTimeOf(42)) || got.Method != "0x38ed1739" || got.Failed != c.transaction.failed ||
				got.Sender.String() != c.transaction.from || got.Target.String() != c.transaction.to {
				t.Errorf("%+v", got)
			}
			fee := uint64(0)
			if c.transaction.from == wallet {
				fee = 21000 * 1e9
			}
			if got.GasFee.Uint64() != fee {
				t.Errorf("gas fee %s, want %d", got.GasFee.Dec(), fee)
			}
			if activity.Truncated || !activity.Since.IsZero() {
				t.Error("truncated")
			}
		})
	}
}

// busy is a node whose blocks from 1 to count each hold one transfer into the wallet.
func busy(count int) *fakeNode {
	node := &fakeNode{head: uint64(count)}
	for block := 1; block <= count; block++ {
		node.transactions = append(node.transactions, fakeTransaction{block: uint64(block), from: other, to: token, logs: []rawLog{transferLog(token, other, wallet, int64(block))}})
	}
	node.describes(token, "ONE", 18)
	return node
}

func TestSpansAdapt(t *testing.T) {
	bsc := mustChain(t, chain.BSC)
	for name, refuse := range map[string]func(from, to uint64, matching int) *fakeFault{
		"range": func(from, to uint64, _ int) *fakeFault {
			return when(to-from+1 > 30, -32701, "exceed maximum block range: 30")
		},
		"invalid": func(from, to uint64, _ int) *fakeFault {
			return when(to-from+1 > 30, -32602, "eth_getLogs is limited to a 30 range")
		},
		"unnamed code": func(from, to uint64, _ int) *fakeFault { return when(to-from+1 > 30, -32614, "block range too large") },
		"results": func(_, _ uint64, n int) *fakeFault {
			return when(n > 20, -32005, "query returned more than 20 results")
		},
	} {
		t.Run(name, func(t *testing.T) {
			node := busy(90)
			node.refuse = refuse
			adapter := node.on(chain.BSC)
			activity, err := adapter.Activity(context.Background(), bsc, mustParse(t, wallet))
			if err != nil {
				t.Fatal(err)
			}
			if len(activity.Transactions) != 90 || activity.Truncated {
				t.Fatal(len(activity.Transactions), activity.Truncated)
			}
			for i, transaction := range activity.Transactions {
				if transaction.Block != uint64(i+1) || transaction.Movements[0].Amount.Uint64() != uint64(i+1) {
					t.Fatalf("%d: %+v", i, transaction)
				}
			}
			first := node.calls["eth_getLogs"]
			node.calls, node.ranges = nil, nil
			if _, err := adapter.Activity(context.Background(), bsc, mustParse(t, wallet)); err != nil {
				t.Fatal(err)
			}
			again := node.calls["eth_getLogs"]
			if name != "results" {
				for _, r := range node.ranges {
					if r[1]-r[0]+1 > 30 {
						t.Errorf("asks for %v again", r)
					}
				}
				if again >= first {
					t.Errorf("%d calls, then %d: nothing was learned", first, again)
				}
			}
		})
	}
}

func when(refused bool, code int, message string) *fakeFault {
	if !refused {
		return nil
	}
	return &fakeFault{code, message}
}

func TestTruncation(t *testing.T) {
	bsc := mustChain(t, chain.BSC)
	read := func(t *testing.T, adapter *Adapter, from, to int) {
		t.Helper()
		activity, err := adapter.Activity(context.Background(), bsc, mustParse(t, wallet))
		if err != nil {
			t.Fatal(err)
		}
		if len(activity.Transactions) != to-from+1 {
			t.Fatal(len(activity.Transactions))
		}
		for i := range activity.Transactions {
			if activity.Transactions[i].Block != uint64(from+i) {
				t.Fatal(activity.Transactions[i].Block)
			}
		}
		if !activity.Truncated || !activity.Since.Equal(blockTimeOf(uint64(from))) {
			t.Fatal(activity.Truncated, activity.Since)
		}
	}
	t.Run("transactions", func(t *testing.T) {
		adapter := busy(100).on(chain.BSC)
		adapter.limits.transactions = 60
		read(t, adapter, 41, 100)
	})
	t.Run("calls", func(t *testing.T) {
		adapter := busy(100).on(chain.BSC)
		adapter.limits.firstSpan, adapter.limits.logCalls = 10, 6 // three windows of two filters
		read(t, adapter, 71, 100)
	})
	t.Run("pruned node", func(t *testing.T) {
		node := busy(100)
		node.refuse = func(from, _ uint64, _ int) *fakeFault {
			return when(from < 50, -32000, "History has been pruned for this block")
		}
		adapter := node.on(chain.BSC)
		adapter.limits.firstSpan = 10
		read(t, adapter, 51, 100)
	})
	t.Run("nothing in what was read", func(t *testing.T) {
		node := &fakeNode{head: 100}
		adapter := node.on(chain.BSC)
		adapter.limits.firstSpan, adapter.limits.logCalls = 10, 2
		activity, err := adapter.Activity(context.Background(), bsc, mustParse(t, wallet))
		if err != nil || !activity.Truncated || !activity.Since.Equal(blockTimeOf(91)) || len(activity.Transactions) != 0 {
			t.Fatal(activity, err)
		}
	})
}

func TestNodeFailures(t *testing.T) {
	bsc := mustChain(t, chain.BSC)
	for name, prepare := range map[string]func(*fakeNode){
		"every range refused": func(n *fakeNode) {
			n.refuse = func(uint64, uint64, int) *fakeFault { return &fakeFault{-32000, "header not found"} }
		},
		"everything pruned": func(n *fakeNode) {
			n.refuse = func(uint64, uint64, int) *fakeFault { return &fakeFault{-32000, "pruned"} }
		},
		"overloaded": func(n *fakeNode) {
			n.refuse = func(uint64, uint64, int) *fakeFault { return &fakeFault{-32005, "rate limit exceeded"} }
		},
		"bare string": func(n *fakeNode) {
			n.answer = map[string]string{"eth_getLogs": `{"jsonrpc":"2.0","error":"no way","id":0}`}
		},
		"null head": func(n *fakeNode) {
			n.answer = map[string]string{"eth_blockNumber": `{"jsonrpc":"2.0","id":1,"result":null}`}
		},
		"neither":          func(n *fakeNode) { n.answer = map[string]string{"eth_blockNumber": `{"jsonrpc":"2.0","id":1}`} },
		"null transaction": func(n *fakeNode) { n.answer = map[string]string{"eth_getTransactionByHash": `{"id":1,"result":null}`} },
		"null receipt":     func(n *fakeNode) { n.answer = map[string]string{"eth_getTransactionReceipt": `{"id":1,"result":null}`} },
		"wrong receipt": func(n *fakeNode) {
			n.answer = map[string]string{"eth_getTransactionReceipt": `{"id":1,"result":{"transactionHash":"0x1"}}`}
		},
		"logs out of range": func(n *fakeNode) { n.transactions[0].block, n.head = 5, 3 },
		"token does not answer": func(n *fakeNode) {
			n.answer = map[string]string{"eth_call": `{"id":1,"error":{"code":3,"message":"RPC Request failed."}}`}
		},
		"status 403": func(n *fakeNode) { n.status, n.answer = 403, map[string]string{"eth_blockNumber": `forbidden`} },
		"refused with status 400": func(n *fakeNode) {
			n.status, n.answer = 400, map[string]string{"eth_getLogs": `{"id":1,"error":{"code":-32600,"message":"invalid request"}}`}
		},
	} {
		t.Run(name, func(t *testing.T) {
			node := busy(3)
			prepare(node)
			if name == "logs out of range" {
				node.answer = map[string]string{"eth_getLogs": `{"id":1,"result":[{"address":"` + token + `","topics":["` + transferTopic.String() + `"],"data":"0x","blockNumber":"0x99","transactionHash":"` + someHash + `","transactionIndex":"0x0","logIndex":"0x0"}]}`}
			}
			activity, err := node.on(chain.BSC).Activity(context.Background(), bsc, mustParse(t, wallet))
			if !errors.Is(err, market.ErrUnavailable) {
				t.Fatal(activity, err)
			}
			if name == "logs out of range" && !strings.Contains(err.Error(), "outside") {
				t.Error(err)
			}
		})
	}
	if _, err := busy(1).on(chain.Base).Activity(context.Background(), bsc, mustParse(t, wallet)); !errors.Is(err, market.ErrUnavailable) {
		t.Fatal("a chain without a node", err)
	}
}

func TestTokens(t *testing.T) {
	node := busy(2)
	node.untimed = true
	mute, bytes32 := account("dead1"), account("70ce3")
	node.transactions[0].logs = append(node.transactions[0].logs, transferLog(mute, other, wallet, 9), transferLog(bytes32, other, wallet, 8))
	node.state[bytes32+" "+callData(decimalsSelector)] = "0x" + word("12")
	node.state[bytes32+" "+callData(symbolSelector)] = "0x4d4b52" + strings.Repeat("0", 58)
	bsc := mustChain(t, chain.BSC)
	adapter := node.on(chain.BSC)
	activity, err := adapter.Activity(context.Background(), bsc, mustParse(t, wallet))
	if err != nil {
		t.Fatal(err)
	}
	if _, found := activity.Tokens[mustParse(t, mute)]; found || len(activity.Transactions[0].Movements) != 2 {
		t.Errorf("a token without decimals counts: %+v", activity.Transactions[0].Movements)
	}
	if got := activity.Tokens[mustParse(t, bytes32)]; got.Symbol != "MKR" || got.Decimals != 18 || !got.Known {
		t.Errorf("%+v", got)
	}
	if !activity.Transactions[1].Time.Equal(blockTimeOf(2)) {
		t.Error("time of a block without timestamps in logs", activity.Transactions[1].Time)
	}
	node.calls = nil
	if _, err := adapter.Activity(context.Background(), bsc, mustParse(t, wallet)); err != nil {
		t.Fatal(err)
	}
	if node.calls["eth_call"] != 0 || node.calls["eth_getBlockByNumber"] != 0 {
		t.Errorf("asks again what never changes: %v", node.calls)
	}
}

func TestHoldings(t *testing.T) {
	node := busy(2)
	node.transactions[0].logs = append(node.transactions[0].logs, transferLog(second, other, wallet, 9))
	node.state["eth_getBalance "+wallet] = "0xde0b6b3a7640000"
	node.state[token+" "+callData(balanceOfSelector, mustParse(t, wallet))] = "0x" + word("64")
	node.state[second+" "+callData(balanceOfSelector, mustParse(t, wallet))] = "0x" + word("0")
	holdings, err := node.on(chain.BSC).Holdings(context.Background(), mustChain(t, chain.BSC), mustParse(t, wallet))
	if err != nil {
		t.Fatal(err)
	}
	if len(holdings) != 2 || holdings[0].Token.Symbol != "BNB" || holdings[0].Amount.Dec() != "1000000000000000000" ||
		holdings[1].Token.Symbol != "ONE" || holdings[1].Amount.Uint64() != 100 || !math.IsNaN(holdings[1].PriceUSD) {
		t.Fatalf("%+v", holdings)
	}
}

func TestCode(t *testing.T) {
	node := &fakeNode{head: 1, state: map[string]string{
		"eth_getCode " + router: "0x6080",
		"eth_getCode " + other:  "0xef0100" + pool[2:],
		"eth_getCode " + token:  "0xef0100" + pool[2:] + "00",
	}}
	adapter := node.on(chain.BSC)
	for address, want := range map[string]market.Code{
		wallet: {Empty: true}, router: {}, other: {Delegate: mustParse(t, pool)}, token: {},
	} {
		code, err := adapter.Code(context.Background(), mustChain(t, chain.BSC), mustParse(t, address))
		if err != nil || code != want {
			t.Errorf("%s: %+v %v", address, code, err)
		}
	}
}

func TestAllowances(t *testing.T) {
	owner, spender := mustParse(t, wallet), mustParse(t, router)
	node := &fakeNode{head: 1, state: map[string]string{
		token + " " + callData(allowanceSelector, owner, spender): "0x" + word("7"),
		other + " " + callData(allowanceSelector, owner, spender): "0x",
	}}
	queries := []AllowanceQuery{{mustParse(t, token), spender}, {mustParse(t, second), spender}, {mustParse(t, other), spender}}
	allowances, err := node.on(chain.BSC).Allowances(context.Background(), mustChain(t, chain.BSC), owner, queries)
	if err != nil {
		t.Fatal(err)
	}
	if allowances[0] != (Allowance{*uint256.NewInt(7), true}) || allowances[1].Known || allowances[2].Known {
		t.Errorf("%+v", allowances)
	}
	node.state[token+" "+callData(isApprovedForAllSelector, owner, spender)] = "0x" + word("1")
	operators, err := node.on(chain.BSC).Operators(context.Background(), mustChain(t, chain.BSC), owner, queries[:2])
	if err != nil || operators[0] != (Allowance{*uint256.NewInt(1), true}) || operators[1].Known {
		t.Errorf("%+v %v", operators, err)
	}
	node.answer = map[string]string{"eth_call": `{"id":1,"error":{"code":-32000,"message":"internal"}}`}
	if _, err := node.on(chain.BSC).Allowances(context.Background(), mustChain(t, chain.BSC), owner, queries); !errors.Is(err, market.ErrUnavailable) {
		t.Error(err)
	}
}

func TestPermit2(t *testing.T) {
	owner := mustParse(t, wallet)
	node := &fakeNode{head: 1000}
	node.describes(token, "ONE", 18)
	node.describes(second, "TWO", 18)
	// Every grant is in its own block; the allowance the contract reports is beside it.
	nested := func(block uint64, topic Word, token, spender, amount, expiration string) {
		node.transactions = append(node.transactions, fakeTransaction{block: block, from: wallet, to: Permit2.String(), logs: []rawLog{{
			Address: Permit2.String(), Topics: []string{topic.String(), topicOf(wallet[2:]), topicOf(token[2:]), topicOf(spender[2:])}, Data: "0x" + word("1") + word("1"),
		}}})
		key := Permit2.String() + " " + callData(permit2AllowanceSelector, owner, mustParse(t, token), mustParse(t, spender))
		node.state[key] = "0x" + word(amount) + word(expiration) + word("0")
	}
	at := func(block uint64) string { return hexBlock(uint64(blockTimeOf(block).Unix()))[2:] }
	nested(10, permit2ApprovalTopic, token, router, strings.Repeat("f", 40), at(5000))
	nested(20, permit2PermitTopic, token, router, strings.Repeat("f", 40), at(5000))
	nested(30, permit2ApprovalTopic, token, pool, "64", "ffffffffffff")
	nested(40, permit2ApprovalTopic, token, other, "64", at(999)) // expired
	nested(50, permit2ApprovalTopic, token, manager, "0", at(5000))
	nested(60, permit2ApprovalTopic, second, router, "64", at(5000)) // Permit2 may not take this token
	third := account("70ce3")
	node.describes(third, "THREE", 18)
	nested(70, permit2ApprovalTopic, third, router, "64", at(5000)) // Permit2 may take less than it allows on
	node.state[third+" "+callData(allowanceSelector, owner, Permit2)] = "0x" + word("28")
	node.state[third+" "+callData(totalSupplySelector)] = "0x" + word("28")
	node.state[token+" "+callData(allowanceSelector, owner, Permit2)] = "0x" + strings.Repeat("f", 64)
	node.state[second+" "+callData(allowanceSelector, owner, Permit2)] = "0x" + word("0")
	approvals, err := node.on(chain.BSC).Permit2(context.Background(), mustChain(t, chain.BSC), owner)
	if err != nil {
		t.Fatal(err)
	}
	if len(approvals) != 3 {
		t.Fatalf("%+v", approvals)
	}
	if capped := approvals[2]; capped.Amount.Uint64() != 40 || !capped.Unlimited {
		t.Errorf("%+v", capped)
	}
	first, second := approvals[0], approvals[1]
	if first.Spender.Address.String() != router || !first.Unlimited || !first.GrantedAt.Equal(blockTimeOf(20)) || !first.ExpiresAt.Equal(blockTimeOf(5000)) ||
		first.Kind != market.Permit2Approval || first.Token.Symbol != "ONE" {
		t.Errorf("%+v", first)
	}
	if second.Spender.Address.String() != pool || second.Unlimited || second.Amount.Uint64() != 100 || !second.ExpiresAt.IsZero() {
		t.Errorf("%+v", second)
	}
}

func TestFaults(t *testing.T) {
	for _, c := range []struct {
		code                        int64
		message                     string
		refused, reverted, overload bool
	}{
		{-32005, "query returned more than 10000 results", true, false, false},
		{-32005, "daily request count exceeded, request rate limited", false, false, true},
		{-32000, "missing trie node 0x1 (path )", false, false, false},
		{-32000, "exceed maximum block range: 50000", true, false, false},
		{-32614, "eth_getLogs is limited to a 10,000 range", true, false, false},
		{3, "execution reverted: ERC20", false, true, false},
		{3, "RPC Request failed.", false, false, false},
		{-32015, "VM execution error.", false, true, false},
		{-32000, "invalid opcode: INVALID", true, true, false}, // refused is asked for logs only
		{0, "Missed `to` address", false, false, false},
	} {
		f := &fault{code: c.code, message: c.message}
		if f.refused() != c.refused || f.reverted() != c.reverted || f.overloaded() != c.overload {
			t.Errorf("%s: %v %v %v", c.message, f.refused(), f.reverted(), f.overloaded())
		}
	}
}
