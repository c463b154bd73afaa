package localwallet_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/mirrorworthy/mirrorworthy/shared/client"
	"github.com/mirrorworthy/mirrorworthy/shared/client/localwallet"
)

// The key and the address of the example of EIP-712: the key is Keccak-256 of "cow".
const (
	cowKey     = "c85ef7d79691fe79573b1a7064c19c1a9819ebdbd1faaab1a8ec92344438aaf4"
	cowAddress = "0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826"
	other      = "0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB"
)

// node is an Ethereum node in memory, as far as a wallet needs one.
type node struct {
	*httptest.Server
	mu      sync.Mutex
	chain   int64
	baseFee *big.Int
	nonce   uint64
	sent    []*types.Transaction
	// unmined is how often a receipt is not there yet, and broken how often it cannot be had. reverts: what is sent does nothing; refuses:
	// it could not succeed.
	unmined, broken  int
	reverts, refuses bool
	// asked, when set, gets a word whenever a receipt is asked for.
	asked chan struct{}
}

func newNode(t *testing.T) *node {
	t.Helper()
	n := &node{chain: 8453, baseFee: big.NewInt(1000), nonce: 7}
	n.Server = httptest.NewServer(n)
	t.Cleanup(n.Close)
	return n
}

func (n *node) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n.mu.Lock()
	defer n.mu.Unlock()
	var asked struct {
		ID     json.RawMessage
		Method string
		Params []json.RawMessage
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		http.Error(w, "unreadable", http.StatusBadRequest)
		return
	}
	result, problem := n.answer(asked.Method, asked.Params)
	answer := map[string]any{"jsonrpc": "2.0", "id": asked.ID, "result": result}
	if problem != "" {
		delete(answer, "result")
		answer["error"] = map[string]any{"code": -32000, "message": problem}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
}

func (n *node) answer(method string, params []json.RawMessage) (result any, problem string) {
	switch method {
	case "eth_chainId":
		return hexutil.Uint64(n.chain), ""
	case "eth_estimateGas":
		if n.refuses {
			return nil, "execution reverted"
		}
		return hexutil.Uint64(50_000), ""
	case "eth_getBlockByNumber":
		header := &types.Header{Number: big.NewInt(100), Difficulty: new(big.Int), BaseFee: n.baseFee, Extra: []byte{}}
		return header, ""
	case "eth_maxPriorityFeePerGas":
		return hexutil.Uint64(50), ""
	case "eth_getTransactionCount":
		return hexutil.Uint64(n.nonce + uint64(len(n.sent))), ""
	case "eth_sendRawTransaction":
		var raw hexutil.Bytes
		var sent types.Transaction
		if err := json.Unmarshal(params[0], &raw); err != nil {
			return nil, err.Error()
		}
		if err := sent.UnmarshalBinary(raw); err != nil {
			return nil, err.Error()
		}
		n.sent = append(n.sent, &sent)
		return sent.Hash(), ""
	case "eth_getTransactionReceipt":
		if n.asked != nil {
			close(n.asked)
			n.asked = nil
		}
		if n.broken > 0 {
			n.broken--
			return nil, "busy"
		}
		if n.unmined > 0 {
			n.unmined--
			return nil, ""
		}
		status := types.ReceiptStatusSuccessful
		if n.reverts {
			status = types.ReceiptStatusFailed
		}
		last := n.sent[len(n.sent)-1]
		return &types.Receipt{Status: status, TxHash: last.Hash(), Logs: []*types.Log{}, BlockNumber: big.NewInt(101), Type: types.DynamicFeeTxType, EffectiveGasPrice: big.NewInt(1)}, ""
	}
	return nil, "unknown method " + method
}

func open(t *testing.T, nodes map[int64]string) *localwallet.Wallet {
	t.Helper()
	w, err := localwallet.New(t.Context(), cowKey, nodes)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	localwallet.Hasten(w)
	return w
}

// Signatures known from elsewhere: of EIP-712's own example, and of web3.js's documentation for a message.
func TestSignaturesAreThoseOfOthers(t *testing.T) {
	w := open(t, nil)
	if w.Address() != cowAddress {
		t.Errorf("%s", w.Address())
	}
	const mail = `{"types":{"EIP712Domain":[{"name":"name","type":"string"},{"name":"version","type":"string"},{"name":"chainId","type":"uint256"},{"name":"verifyingContract","type":"address"}],
		"Person":[{"name":"name","type":"string"},{"name":"wallet","type":"address"}],"Mail":[{"name":"from","type":"Person"},{"name":"to","type":"Person"},{"name":"contents","type":"string"}]},
		"primaryType":"Mail","domain":{"name":"Ether Mail","version":"1","chainId":1,"verifyingContract":"0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC"},
		"message":{"from":{"name":"Cow","wallet":"0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826"},"to":{"name":"Bob","wallet":"0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB"},"contents":"Hello, Bob!"}}`
	const want = "0x4355c47d63924e8a72e509b65029052eb6c299d53a04e167c5775fd466751c9d07299936d304c153f6443dfa05f40ff007d72911b6f72307f996231605b915621c"
	if got, err := w.SignTypedData(t.Context(), json.RawMessage(mail)); err != nil || got != want {
		t.Errorf("%s, %v", got, err)
	}
	some, err := localwallet.New(t.Context(), "0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318", nil)
	if err != nil {
		t.Fatal(err)
	}
	const message = "0xb91467e570a6466aa9e9876cbcd013baba02900b8979d43fe208a4a4f339f5fd6007e74cd82e037b800186422fc2da167c747ef045e5d18a5f5d4300f8e1a0291c"
	if got, err := some.SignMessage(t.Context(), "Some data"); err != nil || got != message {
		t.Errorf("%s, %v", got, err)
	}
	for _, bad := range []string{"", "{}", "[]", `{"primaryType":"Mail"}`, strings.Replace(mail, `"Mail":[`, `"Other":[`, 1), strings.Replace(mail, `"Hello, Bob!"`, `5`, 1)} {
		if got, err := w.SignTypedData(t.Context(), json.RawMessage(bad)); !errors.Is(err, localwallet.ErrTypedData) || got != "" {
			t.Errorf("%.60s: %s %v", bad, got, err)
		}
	}
}

func TestAKeyIsNeverTold(t *testing.T) {
	w := open(t, nil)
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("wallet", "wallet", w)
	printed := fmt.Sprintf("%v %+v %#v %s %x %d", w, w, w, w, w, w) + log.String()
	if strings.Contains(strings.ToLower(printed), cowKey) || strings.Count(printed, cowAddress) != 7 {
		t.Error(printed)
	}
	for _, key := range []string{"", "0x", cowKey[1:], cowKey + "00", strings.Repeat("0", 64), strings.Repeat("f", 64), "zz" + cowKey[2:]} {
		if _, err := localwallet.New(t.Context(), key, nil); !errors.Is(err, localwallet.ErrKey) || len(key) > 10 && strings.Contains(err.Error(), key) {
			t.Errorf("%v", err)
		}
	}
}

func TestATransactionIsSentAndWaitedFor(t *testing.T) {
	n := newNode(t)
	n.unmined, n.broken = 1, 1
	w := open(t, map[int64]string{8453: n.URL})
	hash, err := w.SendTransaction(t.Context(), client.Transaction{ChainID: 8453, From: strings.ToLower(cowAddress), To: other, Data: "0x095ea7b3", Value: "0x10"})
	if err != nil || len(n.sent) != 1 {
		t.Fatal(hash, err)
	}
	sent := n.sent[0]
	from, err := types.Sender(types.LatestSignerForChainID(big.NewInt(8453)), sent)
	if err != nil || from != common.HexToAddress(cowAddress) || sent.Hash().Hex() != hash || sent.Type() != types.DynamicFeeTxType || sent.ChainId().Int64() != 8453 {
		t.Errorf("%+v from %v, %v", sent, from, err)
	}
	// 50,000 and a fifth; the tip of 50, and twice the base fee of 1,000.
	if sent.Nonce() != 7 || sent.Gas() != 60_000 || sent.GasTipCap().Int64() != 50 || sent.GasFeeCap().Int64() != 2050 || sent.Value().Int64() != 16 ||
		*sent.To() != common.HexToAddress(other) || hexutil.Encode(sent.Data()) != "0x095ea7b3" {
		t.Errorf("%+v", sent)
	}
	if hash, err = w.SendTransaction(t.Context(), client.Transaction{ChainID: 8453, From: cowAddress, To: other}); err != nil || n.sent[1].Nonce() != 8 || n.sent[1].Value().Sign() != 0 {
		t.Error(hash, err)
	}
}

func TestManyTransactionsAtOnceHaveNoncesOfTheirOwn(t *testing.T) {
	n := newNode(t)
	w := open(t, map[int64]string{8453: n.URL})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := w.SendTransaction(t.Context(), client.Transaction{ChainID: 8453, From: cowAddress, To: other}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	nonces := make(map[uint64]bool)
	for _, sent := range n.sent {
		nonces[sent.Nonce()] = true
	}
	if len(nonces) != 8 {
		t.Errorf("%v", nonces)
	}
}

func TestWhatIsNotTheWalletsIsNotSigned(t *testing.T) {
	n := newNode(t)
	w := open(t, map[int64]string{8453: n.URL, 1: n.URL})
	good := client.Transaction{ChainID: 8453, From: cowAddress, To: other, Data: "0x", Value: "0x0"}
	for what, change := range map[string]func(*client.Transaction){
		"another chain":      func(c *client.Transaction) { c.ChainID = 10 },
		"a node of another":  func(c *client.Transaction) { c.ChainID = 1 },
		"another account":    func(c *client.Transaction) { c.From = other },
		"no account":         func(c *client.Transaction) { c.From = "" },
		"to nobody":          func(c *client.Transaction) { c.To = "" },
		"to no address":      func(c *client.Transaction) { c.To = "vitalik.eth" },
		"data in no digits":  func(c *client.Transaction) { c.Data = "zz" },
		"value in decimals":  func(c *client.Transaction) { c.Value = "1000" },
		"a value below zero": func(c *client.Transaction) { c.Value = "-0x1" },
	} {
		asked := good
		change(&asked)
		if hash, err := w.SendTransaction(t.Context(), asked); !errors.Is(err, localwallet.ErrTransaction) || hash != "" {
			t.Errorf("%s: %s %v", what, hash, err)
		}
	}
	n.refuses = true
	if hash, err := w.SendTransaction(t.Context(), good); err == nil || hash != "" {
		t.Errorf("what could not succeed is sent: %s", hash)
	}
	n.refuses, n.baseFee = false, nil
	if hash, err := w.SendTransaction(t.Context(), good); !errors.Is(err, localwallet.ErrTransaction) || hash != "" {
		t.Errorf("%s %v", hash, err)
	}
	if len(n.sent) != 0 {
		t.Errorf("%d were sent", len(n.sent))
	}
}

func TestWhatWasSentIsToldEvenWhereItFailed(t *testing.T) {
	n := newNode(t)
	w := open(t, map[int64]string{8453: n.URL})
	good := client.Transaction{ChainID: 8453, From: cowAddress, To: other}
	n.reverts = true
	if hash, err := w.SendTransaction(t.Context(), good); !errors.Is(err, localwallet.ErrReverted) || hash != n.sent[0].Hash().Hex() {
		t.Errorf("%s %v", hash, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	asked := make(chan struct{})
	n.unmined, n.asked = 1_000_000, asked
	done := make(chan struct{})
	go func() {
		defer close(done)
		if hash, err := w.SendTransaction(ctx, good); !errors.Is(err, context.Canceled) || hash == "" {
			t.Errorf("%s %v", hash, err)
		}
	}()
	<-asked
	cancel()
	<-done
}
