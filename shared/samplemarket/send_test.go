package samplemarket

import (
	"crypto/ecdsa"
	"encoding/hex"
	"encoding/json"
	"math/big"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
)

// sendingMarket is two chains with a day of history, and a clock that stands.
func sendingMarket() *Market {
	return New(Config{Seed: testSeed, Start: testStart, Clock: clockAt(testStart.Add(24 * time.Hour)), Chains: []string{"base", "polygon"}})
}

// asked is the result of a call, whose error is a failure of the test.
func asked(t failing, m *Market, chain, method string, params ...any) json.RawMessage {
	t.Helper()
	result, failure := tried(t, m, chain, method, params...)
	if failure != nil {
		t.Fatal(method, failure.Message)
	}
	return result
}

func tried(t failing, m *Market, chain, method string, params ...any) (json.RawMessage, *rpcError) {
	t.Helper()
	if params == nil {
		params = []any{}
	}
	encoded, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Result json.RawMessage
		Error  *rpcError
	}
	if err := json.Unmarshal([]byte(rpc(t, m, chain, string(encoded))), &answer); err != nil {
		t.Fatal(err)
	}
	return answer.Result, answer.Error
}

func textOf(t failing, raw json.RawMessage) (text string) {
	t.Helper()
	if err := json.Unmarshal(raw, &text); err != nil {
		t.Fatal(string(raw), err)
	}
	return text
}

func walletKey(t failing, name string) *ecdsa.PrivateKey {
	t.Helper()
	key, err := crypto.ToECDSA(crypto.Keccak256([]byte(name)))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func accountOf(key *ecdsa.PrivateKey) string {
	return strings.ToLower(crypto.PubkeyToAddress(key.PublicKey).Hex())
}

// raw is a signed transaction of a chain, with the changes that a test makes to it.
func raw(t failing, key *ecdsa.PrivateKey, chainID int64, nonce uint64, to, data string, change func(*types.DynamicFeeTx)) string {
	t.Helper()
	input, err := hex.DecodeString(data)
	if err != nil {
		t.Fatal(err)
	}
	target := common.HexToAddress(to)
	body := &types.DynamicFeeTx{ChainID: big.NewInt(chainID), Nonce: nonce, To: &target, Data: input, Gas: 3_000_000, GasFeeCap: big.NewInt(1e12), GasTipCap: big.NewInt(1)}
	if change != nil {
		change(body)
	}
	return signedRaw(t, key, chainID, body)
}

func signedRaw(t failing, key *ecdsa.PrivateKey, chainID int64, body types.TxData) string {
	t.Helper()
	tx, err := types.SignNewTx(key, types.LatestSignerForChainID(big.NewInt(chainID)), body)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := tx.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return "0x" + hex.EncodeToString(encoded)
}

func padded(address string) string {
	return strings.Repeat("0", 24) + strings.ToLower(strings.TrimPrefix(address, "0x"))
}
func numeral(n int64) string { return hexWord(word(0, uint64(n)))[2:] }
func toCall(to, data string) map[string]string {
	return map[string]string{"to": to, "data": "0x" + data}
}

const (
	baseUSDC  = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
	spenderOf = "0x1111111111111111111111111111111111111111"
)

func TestAnApprovalThatIsSentIsSeen(t *testing.T) {
	m := sendingMarket()
	key := walletKey(t, "stranger")
	me := accountOf(key)
	for _, c := range []struct {
		chain, token string
		id           int64
	}{{"base", baseUSDC, 8453}, {"polygon", "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359", 137}, {"polygon", bridgedDollar, 137}, {"base", "0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA", 8453}} {
		allowance := func() string {
			return textOf(t, asked(t, m, c.chain, "eth_call", toCall(c.token, "dd62ed3e"+padded(me)+padded(spenderOf)), "latest"))
		}
		if got := allowance(); got != "0x"+numeral(0) {
			t.Fatal(c, got)
		}
		data := "095ea7b3" + padded(spenderOf) + numeral(250_000_000)
		var gas, nonce string
		gas = textOf(t, asked(t, m, c.chain, "eth_estimateGas", map[string]string{"from": me, "to": c.token, "data": "0x" + data}))
		nonce = textOf(t, asked(t, m, c.chain, "eth_getTransactionCount", me, "pending"))
		sent := raw(t, key, c.id, uint64(parseQuantity(nonce)), c.token, data, func(tx *types.DynamicFeeTx) { tx.Gas = uint64(parseQuantity(gas)) })
		hash := textOf(t, asked(t, m, c.chain, "eth_sendRawTransaction", sent))
		if got := allowance(); got != "0x"+numeral(250_000_000) {
			t.Errorf("%v: allowance %s", c, got)
		}
		if got := textOf(t, asked(t, m, c.chain, "eth_getTransactionCount", me, "latest")); parseQuantity(got) != parseQuantity(nonce)+1 {
			t.Error("nonce", got, "after", nonce)
		}
		var receipt rpcReceipt
		var tx rpcTransaction
		var block rpcBlock
		for method, into := range map[string]any{"eth_getTransactionReceipt": &receipt, "eth_getTransactionByHash": &tx} {
			if err := json.Unmarshal(asked(t, m, c.chain, method, hash), into); err != nil {
				t.Fatal(err)
			}
		}
		if err := json.Unmarshal(asked(t, m, c.chain, "eth_getBlockByNumber", receipt.BlockNumber, false), &block); err != nil {
			t.Fatal(err)
		}
		head := textOf(t, asked(t, m, c.chain, "eth_blockNumber"))
		if receipt.Status != "0x1" || receipt.From != me || *receipt.To != strings.ToLower(c.token) || receipt.BlockNumber != head || receipt.BlockHash != block.Hash ||
			tx.Hash != hash || tx.Input != "0x"+data || tx.From != me || *tx.To != strings.ToLower(c.token) || tx.Value != "0x0" || tx.BlockHash != block.Hash || tx.TransactionIndex != receipt.TransactionIndex {
			t.Errorf("%+v %+v", receipt, tx)
		}
		if last := block.Transactions[len(block.Transactions)-1]; last != hash || parseQuantity(tx.TransactionIndex) != int64(len(block.Transactions)-1) {
			t.Errorf("%v is not the last of %v", hash, block.Transactions)
		}
		var logs []rpcLog
		filter := map[string]any{"fromBlock": head, "toBlock": head, "address": c.token, "topics": []any{nil, "0x" + padded(me), "0x" + padded(spenderOf)}}
		if err := json.Unmarshal(asked(t, m, c.chain, "eth_getLogs", filter), &logs); err != nil {
			t.Fatal(err)
		}
		if len(logs) != 1 || len(receipt.Logs) != 1 || logs[0].TransactionHash != hash || logs[0].Data != "0x"+numeral(250_000_000) || logs[0].LogIndex != receipt.Logs[0].LogIndex {
			t.Errorf("%+v %+v", logs, receipt.Logs)
		}
	}
	if got := textOf(t, asked(t, m, "polygon", "eth_call", toCall(bridgedDollar, "95d89b41"), "latest")); !strings.Contains(got, hex.EncodeToString([]byte("USDC.e"))) {
		t.Error(got)
	}
}

func TestASmartAccountIsMadeAndAnswersForItsOwner(t *testing.T) {
	m := sendingMarket()
	owner, other := walletKey(t, "owner"), walletKey(t, "other")
	arguments := padded(accountOf(owner)) + numeral(3)
	promised := textOf(t, asked(t, m, "base", "eth_call", toCall(AccountFactory, "8cb84e18"+arguments), "latest"))
	account := "0x" + promised[26:]
	if code := textOf(t, asked(t, m, "base", "eth_getCode", account, "latest")); code != "0x" {
		t.Fatal("there before it was made:", code)
	}
	if answer := textOf(t, asked(t, m, "base", "eth_call", toCall(account, "8da5cb5b"), "latest")); answer != "0x" {
		t.Fatal(answer)
	}
	hash := textOf(t, asked(t, m, "base", "eth_sendRawTransaction", raw(t, other, 8453, 0, AccountFactory, "5fbfb9cf"+arguments, nil)))
	if code := textOf(t, asked(t, m, "base", "eth_getCode", account, "latest")); len(code) < 100 {
		t.Fatal("no code:", code)
	}
	if code := textOf(t, asked(t, m, "base", "eth_getCode", account, "0x1")); code != "0x" {
		t.Error("there long before:", code)
	}
	if answer := textOf(t, asked(t, m, "base", "eth_call", toCall(account, "8da5cb5b"), "latest")); answer != "0x"+padded(accountOf(owner)) {
		t.Error("owner", answer)
	}
	digest := crypto.Keccak256([]byte("hello"))
	question := func(key *ecdsa.PrivateKey, of []byte) string {
		signature, err := crypto.Sign(digest, key)
		if err != nil {
			t.Fatal(err)
		}
		signature[64] += 27
		data := "1626ba7e" + hex.EncodeToString(of) + numeral(64) + numeral(65) + hex.EncodeToString(signature) + strings.Repeat("0", 62)
		return textOf(t, asked(t, m, "base", "eth_call", toCall(account, data), "latest"))
	}
	if got := question(owner, digest); got != "0x1626ba7e"+strings.Repeat("0", 56) {
		t.Error("the owner's signature:", got)
	}
	for name, got := range map[string]string{"another's": question(other, digest), "of something else": question(owner, crypto.Keccak256([]byte("x")))} {
		if got != "0xffffffff"+strings.Repeat("0", 56) {
			t.Error(name, got)
		}
	}
	// Making it again gives the one that is there.
	asked(t, m, "base", "eth_sendRawTransaction", raw(t, owner, 8453, 0, AccountFactory, "5fbfb9cf"+arguments, nil))
	var receipt rpcReceipt
	if err := json.Unmarshal(asked(t, m, "base", "eth_getTransactionReceipt", hash), &receipt); err != nil || receipt.Status != "0x1" || len(receipt.Logs) != 1 || receipt.Logs[0].Topics[1] != "0x"+padded(account) {
		t.Errorf("%+v, %v", receipt, err)
	}
	if code := textOf(t, asked(t, m, "polygon", "eth_getCode", account, "latest")); code != "0x" {
		t.Error("on another chain too")
	}
}

func TestTransactionsThatAreNotInOrderAreRefused(t *testing.T) {
	m := sendingMarket()
	key := walletKey(t, "stranger")
	approve := "095ea7b3" + padded(spenderOf) + numeral(5)
	first := raw(t, key, 8453, 0, baseUSDC, approve, nil)
	legacy := func(chainID int64) string {
		to := common.HexToAddress(baseUSDC)
		return signedRaw(t, key, chainID, &types.LegacyTx{Nonce: 0, To: &to, Gas: 100_000, GasPrice: big.NewInt(1e12)})
	}
	unprotected, err := types.SignNewTx(key, types.HomesteadSigner{}, &types.LegacyTx{Gas: 100_000, GasPrice: big.NewInt(1e12), To: &common.Address{}})
	if err != nil {
		t.Fatal(err)
	}
	open, err := unprotected.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ raw, words string }{
		"another chain":           {raw(t, key, 1, 0, baseUSDC, approve, nil), "invalid chain id"},
		"another chain, old":      {legacy(137), "invalid chain id"},
		"any chain":               {"0x" + hex.EncodeToString(open), "replay-protected"},
		"a nonce too high":        {raw(t, key, 8453, 1, baseUSDC, approve, nil), "nonce too high"},
		"no gas":                  {raw(t, key, 8453, 0, baseUSDC, approve, func(tx *types.DynamicFeeTx) { tx.Gas = 21_000 }), "intrinsic gas too low"},
		"more gas than a block":   {raw(t, key, 8453, 0, baseUSDC, approve, func(tx *types.DynamicFeeTx) { tx.Gas = 1e9 }), "block gas limit"},
		"too low a fee":           {raw(t, key, 8453, 0, baseUSDC, approve, func(tx *types.DynamicFeeTx) { tx.GasFeeCap = big.NewInt(1) }), "base fee"},
		"a tip above the fee":     {raw(t, key, 8453, 0, baseUSDC, approve, func(tx *types.DynamicFeeTx) { tx.GasTipCap = big.NewInt(1e13) }), "priority fee"},
		"coin that it has not":    {raw(t, key, 8453, 0, baseUSDC, approve, func(tx *types.DynamicFeeTx) { tx.Value = big.NewInt(1) }), "insufficient funds"},
		"half a transaction":      {first[:len(first)-20], ""},
		"a signature of nobody":   {first[:len(first)-64] + strings.Repeat("f", 64), "invalid"},
		"nothing":                 {"0x", ""},
		"no hexadecimal digits":   {"hello", "invalid argument"},
		"half a byte":             {"0x0", "invalid argument"},
		"far too much of nothing": {"0x" + strings.Repeat("00", maxRawTransaction+1), "oversized"},
	} {
		if result, failure := tried(t, m, "base", "eth_sendRawTransaction", c.raw); failure == nil || !strings.Contains(failure.Message, c.words) {
			t.Errorf("%s: %s, %+v", name, result, failure)
		}
	}
	if got := textOf(t, asked(t, m, "base", "eth_getTransactionCount", accountOf(key), "latest")); got != "0x0" {
		t.Fatal("a refused transaction counted:", got)
	}
	asked(t, m, "base", "eth_sendRawTransaction", first)
	if _, failure := tried(t, m, "base", "eth_sendRawTransaction", first); failure == nil || failure.Message != "already known" {
		t.Errorf("the same again: %+v", failure)
	}
	if _, failure := tried(t, m, "base", "eth_sendRawTransaction", raw(t, key, 8453, 0, baseUSDC, approve+"00", nil)); failure == nil || !strings.Contains(failure.Message, "nonce too low") {
		t.Errorf("the same nonce again: %+v", failure)
	}
	if got := asked(t, m, "base", "eth_getTransactionReceipt", "0x"+strings.Repeat("12", 32)); string(got) != "null" {
		t.Errorf("a receipt of nothing: %s", got)
	}
}

func TestATransactionThatFailsChangesTheNonceAlone(t *testing.T) {
	m := sendingMarket()
	key := walletKey(t, "poor")
	transfer := "a9059cbb" + padded(spenderOf) + numeral(5)
	if _, failure := tried(t, m, "base", "eth_estimateGas", map[string]string{"from": accountOf(key), "to": baseUSDC, "data": "0x" + transfer}); failure == nil || failure.Code != 3 {
		t.Errorf("%+v", failure)
	}
	hash := textOf(t, asked(t, m, "base", "eth_sendRawTransaction", raw(t, key, 8453, 0, baseUSDC, transfer, nil)))
	var receipt rpcReceipt
	if err := json.Unmarshal(asked(t, m, "base", "eth_getTransactionReceipt", hash), &receipt); err != nil || receipt.Status != "0x0" || len(receipt.Logs) != 0 {
		t.Errorf("%+v, %v", receipt, err)
	}
	if got := textOf(t, asked(t, m, "base", "eth_getTransactionCount", accountOf(key), "latest")); got != "0x1" {
		t.Error(got)
	}
	if got := textOf(t, asked(t, m, "base", "eth_call", toCall(baseUSDC, "70a08231"+padded(spenderOf)), "latest")); got != "0x"+numeral(0) {
		t.Error(got)
	}
	// What makes a contract of nothing but STOP leaves that contract at the address of its sender and nonce.
	made := textOf(t, asked(t, m, "base", "eth_sendRawTransaction", raw(t, key, 8453, 1, baseUSDC, "600160005360016000f3", func(tx *types.DynamicFeeTx) { tx.To = nil })))
	if err := json.Unmarshal(asked(t, m, "base", "eth_getTransactionReceipt", made), &receipt); err != nil {
		t.Fatal(err)
	}
	want := strings.ToLower(crypto.CreateAddress(crypto.PubkeyToAddress(key.PublicKey), 1).Hex())
	if receipt.ContractAddress == nil || *receipt.ContractAddress != want || textOf(t, asked(t, m, "base", "eth_getCode", want, "latest")) != "0x01" {
		t.Errorf("%+v, want %s", receipt, want)
	}
}

func TestSendersDoNotGetInEachOthersWay(t *testing.T) {
	m := sendingMarket()
	const senders, each = 8, 10
	var group sync.WaitGroup
	for i := range senders {
		group.Go(func() {
			key := walletKey(t, "sender"+numeral(int64(i)))
			for n := range each {
				asked(t, m, "base", "eth_sendRawTransaction", raw(t, key, 8453, uint64(n), baseUSDC, "095ea7b3"+padded(spenderOf)+numeral(int64(n)), nil))
			}
			if got := textOf(t, asked(t, m, "base", "eth_call", toCall(baseUSDC, "dd62ed3e"+padded(accountOf(key))+padded(spenderOf)), "latest")); got != "0x"+numeral(each-1) {
				t.Error(i, got)
			}
		})
	}
	group.Wait()
	var block rpcBlock
	if err := json.Unmarshal(asked(t, m, "base", "eth_getBlockByNumber", "latest", true), &block); err != nil {
		t.Fatal(err)
	}
	places := map[string]bool{}
	for _, tx := range block.Transactions {
		places[tx.(map[string]any)["transactionIndex"].(string)] = true
	}
	if len(places) != len(block.Transactions) || len(places) < senders*each {
		t.Errorf("%d places of %d transactions", len(places), len(block.Transactions))
	}
}

func TestWhatWasSentChangesNothingOfTheMarket(t *testing.T) {
	now := testStart.Add(24 * time.Hour)
	made := func() *Market {
		return New(Config{Seed: testSeed, Start: testStart, Clock: func() time.Time { return now }, Chains: []string{"base"}})
	}
	quiet, busy := made(), made()
	asked(t, busy, "base", "eth_sendRawTransaction", raw(t, walletKey(t, "stranger"), 8453, 0, baseUSDC, "095ea7b3"+padded(spenderOf)+numeral(5), nil))
	block := textOf(t, asked(t, busy, "base", "eth_blockNumber"))
	now = now.Add(6 * time.Hour)
	for _, method := range []string{"eth_blockNumber", "eth_gasPrice"} {
		if a, b := string(asked(t, quiet, "base", method)), string(asked(t, busy, "base", method)); a != b {
			t.Error(method, a, b)
		}
	}
	filter := map[string]any{"fromBlock": "0x" + "0", "toBlock": "latest"}
	filter["fromBlock"] = quantity(parseQuantity(block) + 1)
	if a, b := string(asked(t, quiet, "base", "eth_getLogs", filter)), string(asked(t, busy, "base", "eth_getLogs", filter)); a != b {
		t.Error("the market went another way")
	}
}

func TestFeesOfASimpleWallet(t *testing.T) {
	m := sendingMarket()
	var history struct {
		OldestBlock   string
		BaseFeePerGas []string
		GasUsedRatio  []float64
		Reward        [][]string
	}
	if err := json.Unmarshal(asked(t, m, "base", "eth_feeHistory", "0x4", "latest", []float64{10, 50}), &history); err != nil {
		t.Fatal(err)
	}
	if len(history.BaseFeePerGas) != 5 || len(history.GasUsedRatio) != 4 || len(history.Reward) != 4 || len(history.Reward[0]) != 2 ||
		history.BaseFeePerGas[0] != textOf(t, asked(t, m, "base", "eth_gasPrice")) || parseQuantity(history.OldestBlock)+3 != parseQuantity(textOf(t, asked(t, m, "base", "eth_blockNumber"))) {
		t.Errorf("%+v", history)
	}
	asked(t, m, "base", "eth_feeHistory", 4, "latest", nil)
	if _, failure := tried(t, m, "base", "eth_feeHistory", "0x0", "latest"); failure == nil {
		t.Error("a history of no block")
	}
	if tip := textOf(t, asked(t, m, "base", "eth_maxPriorityFeePerGas")); parseQuantity(tip) < 1 {
		t.Error(tip)
	}
}
