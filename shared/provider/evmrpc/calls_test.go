package evmrpc

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

var (
	_ market.CallPort    = (*Adapter)(nil)
	_ market.ReceiptPort = (*Adapter)(nil)
)

func TestCallTellsARefusalFromAFailure(t *testing.T) {
	to := chain.Address{5}
	const unavailable = "unavailable"
	for name, c := range map[string]struct {
		answer   string
		want     string
		reverted bool
	}{
		"data":              {`{"result":"0x010203"}`, "\x01\x02\x03", false},
		"no code":           {`{"result":"0x"}`, "", false},
		"a revert":          {`{"error":{"code":3,"message":"execution reverted","data":"0x08c379a0"}}`, "\x08\xc3\x79\xa0", true},
		"a revert, no more": {`{"error":{"code":-32000,"message":"VM execution error."}}`, "", true},
		"an object as data": {`{"error":{"code":-32015,"message":"execution reverted","data":{"x":1}}}`, "", true},
		"out of gas":        {`{"error":{"code":-32000,"message":"out of gas"}}`, "", true},
		"an invalid opcode": {`{"error":{"code":-32000,"message":"invalid opcode: INVALID"}}`, "", true},
		"a failing node":    {`{"error":{"code":-32603,"message":"internal error"}}`, unavailable, false},
		"an unsynced node":  {`{"error":{"code":-32000,"message":"header not found"}}`, unavailable, false},
		"null":              {`{"result":null}`, unavailable, false},
		"half a byte":       {`{"result":"0x1"}`, unavailable, false},
		"no hexadecimal":    {`{"result":"hello"}`, unavailable, false},
		"far too much":      {`{"result":"0x` + strings.Repeat("00", 1<<16+9) + `"}`, unavailable, false},
	} {
		t.Run(name, func(t *testing.T) {
			adapter := (&fakeNode{answer: map[string]string{"eth_call": c.answer}}).on(chain.Ethereum)
			got, err := adapter.Call(t.Context(), mustChain(t, chain.Ethereum), to, []byte{1})
			switch {
			case c.want == unavailable:
				if !errors.Is(err, market.ErrUnavailable) || got.Reverted {
					t.Errorf("%+v, %v", got, err)
				}
			case err != nil || string(got.Returned) != c.want || got.Reverted != c.reverted:
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
	adapter := (&fakeNode{state: map[string]string{to.String() + " 0xabcd": "0x07"}}).on(chain.Ethereum)
	if got, err := adapter.Call(t.Context(), mustChain(t, chain.Ethereum), to, []byte{0xab, 0xcd}); err != nil || !bytes.Equal(got.Returned, []byte{7}) {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := adapter.Call(t.Context(), mustChain(t, chain.BSC), to, nil); !errors.Is(err, market.ErrUnavailable) {
		t.Error(err)
	}
}

const (
	minedHash = "0x00000000000000000000000000000000000000000000000000000000000000aa"
	minedIn   = "0x00000000000000000000000000000000000000000000000000000000000000bb"
)

// minedNode answers for one transaction in block 0x64, with a head three blocks later.
func minedNode() map[string]string {
	place := `"blockHash":"` + minedIn + `","blockNumber":"0x64","from":"0x1111111111111111111111111111111111111111","to":"0x2222222222222222222222222222222222222222"`
	return map[string]string{
		"eth_getTransactionReceipt": `{"result":{"transactionHash":"` + minedHash + `","status":"0x1",` + place + `}}`,
		"eth_getTransactionByHash":  `{"result":{"hash":"` + minedHash + `","input":"0xdeadbeef","value":"0x100",` + place + `}}`,
		"eth_getBlockByNumber":      `{"result":{"hash":"` + minedIn + `","number":"0x64","timestamp":"0x6a000000"}}`,
		"eth_blockNumber":           `{"result":"0x67"}`,
	}
}

func TestReceipt(t *testing.T) {
	hash, err := parseWord(minedHash)
	if err != nil {
		t.Fatal(err)
	}
	adapter := (&fakeNode{answer: minedNode()}).on(chain.Ethereum)
	got, found, err := adapter.Receipt(t.Context(), mustChain(t, chain.Ethereum), market.Hash(hash))
	if err != nil || !found || got.Transaction != market.Hash(hash) || got.From != (chain.Address(bytes.Repeat([]byte{0x11}, 20))) ||
		got.To != (chain.Address(bytes.Repeat([]byte{0x22}, 20))) || !bytes.Equal(got.Input, []byte{0xde, 0xad, 0xbe, 0xef}) || !bytes.Equal(got.Value, []byte{1, 0}) ||
		!got.Succeeded || got.Block != 100 || got.Confirmations != 4 || !got.Time.Equal(time.Unix(0x6a000000, 0)) {
		t.Errorf("%+v, %v, %v", got, found, err)
	}
	for name, c := range map[string]struct {
		method, old, replacement string
		check                    func(market.Receipt) bool
	}{
		"failed":         {"eth_getTransactionReceipt", `"status":"0x1"`, `"status":"0x0"`, func(r market.Receipt) bool { return !r.Succeeded }},
		"newest":         {"eth_blockNumber", "0x67", "0x64", func(r market.Receipt) bool { return r.Confirmations == 1 }},
		"a head behind":  {"eth_blockNumber", "0x67", "0x10", func(r market.Receipt) bool { return r.Confirmations == 1 }},
		"no value":       {"eth_getTransactionByHash", `"value":"0x100"`, `"value":"0x0"`, func(r market.Receipt) bool { return len(r.Value) == 0 }},
		"without a call": {"eth_getTransactionByHash", "0xdeadbeef", "0x", func(r market.Receipt) bool { return len(r.Input) == 0 }},
	} {
		answers := minedNode()
		answers[c.method] = strings.Replace(answers[c.method], c.old, c.replacement, 1)
		adapter := (&fakeNode{answer: answers}).on(chain.Ethereum)
		if got, found, err := adapter.Receipt(t.Context(), mustChain(t, chain.Ethereum), market.Hash(hash)); err != nil || !found || !c.check(got) {
			t.Errorf("%s: %+v, %v, %v", name, got, found, err)
		}
	}
}

func TestAReceiptThatIsNotThere(t *testing.T) {
	answers := minedNode()
	answers["eth_getTransactionReceipt"] = `{"result":null}`
	node := &fakeNode{answer: answers}
	adapter := node.on(chain.Ethereum)
	for range 20 {
		if _, found, err := adapter.Receipt(t.Context(), mustChain(t, chain.Ethereum), market.Hash{0xaa}); found || err != nil {
			t.Fatal(found, err)
		}
	}
	// That there is none yet is an answer, which is neither tried again nor held against the node.
	if node.calls["eth_getTransactionReceipt"] != 20 {
		t.Errorf("asked %d times", node.calls["eth_getTransactionReceipt"])
	}
}

func TestAReceiptThatCannotBeIsNone(t *testing.T) {
	hash, _ := parseWord(minedHash)
	for name, c := range map[string][3]string{
		"another transaction's receipt": {"eth_getTransactionReceipt", minedHash, minedIn},
		"another transaction":           {"eth_getTransactionByHash", minedHash, minedIn},
		"no transaction":                {"eth_getTransactionByHash", `{"result":{`, `{"result":null,"x":{`},
		"another sender":                {"eth_getTransactionByHash", "0x1111", "0x1112"},
		"another target":                {"eth_getTransactionByHash", "0x2222", "0x2223"},
		"another block":                 {"eth_getTransactionByHash", `"0x64"`, `"0x65"`},
		"another block's hash":          {"eth_getTransactionByHash", minedIn, minedHash},
		"a block that was replaced":     {"eth_getBlockByNumber", minedIn, minedHash},
		"a block without a time":        {"eth_getBlockByNumber", "timestamp", "time"},
		"no status":                     {"eth_getTransactionReceipt", `"status":"0x1",`, ""},
		"another status":                {"eth_getTransactionReceipt", `"0x1"`, `"0x2"`},
		"no block number":               {"eth_getTransactionReceipt", `"blockNumber":"0x64",`, ""},
		"an endless block number":       {"eth_getTransactionReceipt", `"0x64"`, `"0x` + strings.Repeat("f", 64) + `"`},
		"a transaction still pending":   {"eth_getTransactionByHash", `"blockHash":"` + minedIn + `","blockNumber":"0x64"`, `"blockHash":null,"blockNumber":null`},
		"no input":                      {"eth_getTransactionByHash", `"input":"0xdeadbeef",`, ""},
		"half an input":                 {"eth_getTransactionByHash", "0xdeadbeef", "0xdeadbee"},
		"no value":                      {"eth_getTransactionByHash", `"value":"0x100",`, ""},
		"no head":                       {"eth_blockNumber", `"0x67"`, "null"},
		"a fault":                       {"eth_getTransactionReceipt", `"result"`, `"error":{"code":-32000,"message":"busy"},"x"`},
	} {
		answers := minedNode()
		changed := strings.ReplaceAll(answers[c[0]], c[1], c[2])
		if changed == answers[c[0]] {
			t.Fatal(name)
		}
		answers[c[0]] = changed
		adapter := (&fakeNode{answer: answers}).on(chain.Ethereum)
		if got, found, err := adapter.Receipt(t.Context(), mustChain(t, chain.Ethereum), market.Hash(hash)); !errors.Is(err, market.ErrUnavailable) || found {
			t.Errorf("%s: %+v, %v, %v", name, got, found, err)
		}
	}
}
