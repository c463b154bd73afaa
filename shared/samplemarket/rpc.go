package samplemarket

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket/seeded"
)

type rpcCall struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    string `json:"data,omitempty"`
}

type rpcResult struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result"`
}

type rpcFailure struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Error   *rpcError       `json:"error"`
}

// serveRPC answers one JSON-RPC call of /rpc/{chain}. Batches are refused, as some public nodes do.
func (m *Market) serveRPC(r *request) (int, any) {
	w := m.worldBySlug(r.part(0))
	if w == nil || len(r.path) != 1 {
		return http.StatusNotFound, map[string]string{"message": "Not found"}
	}
	var call rpcCall
	if err := json.Unmarshal(r.body, &call); err != nil || call.Method == "" {
		code, message := -32700, "parse error"
		if len(r.body) > 0 && r.body[0] == '[' {
			code, message = -32600, "batch requests are not supported"
		}
		return http.StatusOK, rpcFailure{"2.0", json.RawMessage("null"), &rpcError{Code: code, Message: message}}
	}
	if len(call.ID) == 0 {
		call.ID = json.RawMessage("null")
	}
	var params []json.RawMessage
	if len(call.Params) > 0 && json.Unmarshal(call.Params, &params) != nil {
		return http.StatusOK, rpcFailure{"2.0", call.ID, &rpcError{Code: -32602, Message: "invalid params"}}
	}
	result, failure := w.rpc(call.Method, params)
	if failure != nil {
		return http.StatusOK, rpcFailure{"2.0", call.ID, failure}
	}
	return http.StatusOK, rpcResult{"2.0", call.ID, result}
}

func quantity[T int | int32 | int64 | uint32](n T) string {
	return "0x" + strconv.FormatInt(int64(n), 16)
}

var errParams = &rpcError{Code: -32602, Message: "invalid argument"}

func (w *world) head() int64 { return w.spec.blockAt(w.start + int64(w.now)) }

func (w *world) rpc(name string, params []json.RawMessage) (any, *rpcError) {
	text := func(i int) string {
		var s string
		if i < len(params) {
			_ = json.Unmarshal(params[i], &s)
		}
		return s
	}
	switch name {
	case "eth_chainId":
		return quantity(w.spec.id), nil
	case "net_version":
		return strconv.FormatInt(w.spec.id, 10), nil
	case "web3_clientVersion":
		return "Geth/v1.16.7-stable/linux-amd64/go1.26", nil
	case "eth_blockNumber":
		return quantity(w.head()), nil
	case "eth_gasPrice":
		return quantity(w.spec.gasMilliGwei * 1_000_000), nil
	case "eth_getBlockByNumber":
		number, ok := w.blockTag(text(0))
		if !ok {
			return nil, errParams
		}
		if number > w.head() || number < 0 {
			return nil, nil
		}
		full := len(params) > 1 && string(params[1]) == "true"
		return w.rpcBlock(number, full), nil
	case "eth_getLogs":
		if len(params) != 1 {
			return nil, errParams
		}
		return w.getLogs(params[0])
	case "eth_getTransactionByHash", "eth_getTransactionReceipt":
		hash, ok := parseHash(text(0))
		if !ok {
			return nil, errParams
		}
		id, known := w.txByHash(hash)
		if sent := w.sent.byHash(hash); sent != nil {
			if name == "eth_getTransactionReceipt" {
				return w.sentReceipt(sent), nil
			}
			return w.sentTransaction(sent), nil
		}
		switch {
		case !known:
			return nil, nil
		case name == "eth_getTransactionReceipt":
			return w.rpcReceipt(id), nil
		}
		return w.rpcTransaction(id), nil
	case "eth_getCode", "eth_getBalance", "eth_getTransactionCount", "eth_getStorageAt":
		a, ok := parseAddress(text(0))
		if !ok {
			return nil, errParams
		}
		entity, known := w.byAddress[a]
		switch {
		case name == "eth_getStorageAt":
			return w.storageAt(a, text(1))
		case name == "eth_getCode":
			number, ok := w.blockTag(text(1))
			if !ok {
				return nil, errParams
			}
			return w.codeAt(a, number), nil
		case name == "eth_getTransactionCount":
			return quantity(int64(w.nextNonce(a))), nil
		case !known:
			return "0x0", nil
		}
		return "0x" + w.assets[nativeAsset].rawBig(max(0, w.balance(entity, nativeAsset))).Text(16), nil
	case "eth_call":
		if len(params) == 0 {
			return nil, errParams
		}
		return w.ethCall(params)
	case "eth_simulateV1":
		return w.simulate(params)
	case "eth_sendRawTransaction":
		return w.sendRaw(text(0))
	case "eth_estimateGas":
		return w.estimateGas(params)
	case "eth_maxPriorityFeePerGas":
		return quantity(int64(tipWei)), nil
	case "eth_feeHistory":
		return w.feeHistory(params)
	}
	return nil, &rpcError{Code: -32601, Message: "the method " + name + " does not exist/is not available"}
}

// codeOf is a stand-in for a contract's code: plausible in length and telling contracts from accounts. It holds the selectors the
// contract answers to.
func (w *world) codeOf(entity int32) string {
	e := &w.entities[entity]
	if len(e.code) > 0 {
		return "0x" + hexBytes(e.code)
	}
	if !w.isContract(entity) {
		return "0x"
	}
	code := "0x608060405234801561001057600080fd5b50600436106100365760003560e01c"
	for _, selector := range []string{"06fdde03", "095ea7b3", "18160ddd", "23b872dd", "313ce567", "70a08231", "95d89b41", "a9059cbb", "dd62ed3e"} {
		code += "8063" + selector + "14610050575b"
	}
	return code + hexHash(hash32(firstWord([32]byte(append(e.address[:], make([]byte, 12)...))), 1, 2, 3))[2:]
}

func (w *world) blockTag(tag string) (int64, bool) {
	switch tag {
	case "latest", "pending", "safe", "finalized", "":
		return w.head(), true
	case "earliest":
		return 0, true
	}
	digits, found := strings.CutPrefix(tag, "0x")
	number, err := strconv.ParseInt(digits, 16, 64)
	return number, found && err == nil
}

type rpcBlock struct {
	BaseFeePerGas    string `json:"baseFeePerGas"`
	Difficulty       string `json:"difficulty"`
	ExtraData        string `json:"extraData"`
	GasLimit         string `json:"gasLimit"`
	GasUsed          string `json:"gasUsed"`
	Hash             string `json:"hash"`
	LogsBloom        string `json:"logsBloom"`
	Miner            string `json:"miner"`
	MixHash          string `json:"mixHash"`
	Nonce            string `json:"nonce"`
	Number           string `json:"number"`
	ParentHash       string `json:"parentHash"`
	ReceiptsRoot     string `json:"receiptsRoot"`
	Sha3Uncles       string `json:"sha3Uncles"`
	Size             string `json:"size"`
	StateRoot        string `json:"stateRoot"`
	Timestamp        string `json:"timestamp"`
	Transactions     []any  `json:"transactions"`
	TransactionsRoot string `json:"transactionsRoot"`
	Uncles           []any  `json:"uncles"`
}

var emptyBloom = "0x" + strings.Repeat("0", 512)

func (w *world) rpcBlock(number int64, full bool) rpcBlock {
	hash := w.blockHash(number)
	block := rpcBlock{
		BaseFeePerGas: quantity(w.spec.gasMilliGwei * 1_000_000), Difficulty: "0x0", ExtraData: "0x", GasLimit: "0x2255100", Hash: hexHash(hash), LogsBloom: emptyBloom,
		Miner: w.entities[w.validator].address.String(), MixHash: hexHash(hash32(seeded.Mix(firstWord(hash)), 1, 2, 3)), Nonce: "0x0000000000000000", Number: quantity(number),
		ParentHash: hexHash(w.blockHash(number - 1)), ReceiptsRoot: hexHash(hash32(seeded.Mix(firstWord(hash)+1), 1, 2, 3)), Size: "0x21c", Timestamp: quantity(w.spec.timeOfBlock(number)),
		Sha3Uncles: "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347", StateRoot: hexHash(hash32(seeded.Mix(firstWord(hash)+2), 1, 2, 3)),
		TransactionsRoot: hexHash(hash32(seeded.Mix(firstWord(hash)+3), 1, 2, 3)), Transactions: []any{}, Uncles: []any{},
	}
	gas := int64(0)
	at := w.spec.timeOfBlock(number) - w.start
	for id := w.txsSince(int32(at)); id < len(w.txs) && int64(w.txs[id].time) == at; id++ {
		gas += int64(w.txs[id].gasUsed)
		if full {
			block.Transactions = append(block.Transactions, w.rpcTransaction(int32(id)))
		} else {
			block.Transactions = append(block.Transactions, hexHash(w.txHash(int32(id))))
		}
	}
	for _, sent := range w.sent.between(number, number) {
		gas += int64(sent.gasUsed)
		if full {
			block.Transactions = append(block.Transactions, w.sentTransaction(sent))
		} else {
			block.Transactions = append(block.Transactions, sent.tx.Hash().Hex())
		}
	}
	block.GasUsed = quantity(gas)
	return block
}

type rpcTransaction struct {
	AccessList           []any   `json:"accessList"`
	BlockHash            string  `json:"blockHash"`
	BlockNumber          string  `json:"blockNumber"`
	ChainID              string  `json:"chainId"`
	From                 string  `json:"from"`
	Gas                  string  `json:"gas"`
	GasPrice             string  `json:"gasPrice"`
	Hash                 string  `json:"hash"`
	Input                string  `json:"input"`
	MaxFeePerGas         string  `json:"maxFeePerGas"`
	MaxPriorityFeePerGas string  `json:"maxPriorityFeePerGas"`
	Nonce                string  `json:"nonce"`
	R                    string  `json:"r"`
	S                    string  `json:"s"`
	To                   *string `json:"to"`
	TransactionIndex     string  `json:"transactionIndex"`
	Type                 string  `json:"type"`
	V                    string  `json:"v"`
	Value                string  `json:"value"`
	YParity              string  `json:"yParity"`
}

func (w *world) rpcTransaction(id int32) rpcTransaction {
	t := &w.txs[id]
	number := w.blockNumber(t)
	hash := w.txHash(id)
	price := quantity(int64(t.gasPrice) * 1_000_000)
	out := rpcTransaction{
		AccessList: []any{}, BlockHash: hexHash(w.blockHash(number)), BlockNumber: quantity(number), ChainID: quantity(w.spec.id), From: w.entities[t.from].address.String(),
		Gas: quantity(int64(t.gasUsed) * 3 / 2), GasPrice: price, MaxFeePerGas: price, MaxPriorityFeePerGas: "0x0", Hash: hexHash(hash), Input: w.input(t), Nonce: quantity(t.nonce),
		R: hexHash(hash32(seeded.Mix(firstWord(hash)), 1, 2, 3)), S: hexHash(hash32(seeded.Mix(firstWord(hash)+1)>>1, 1, 2, 3)), TransactionIndex: quantity(int(t.index)), Type: "0x2", V: "0x1", YParity: "0x1",
		Value: "0x" + w.assets[nativeAsset].rawBig(t.value).Text(16),
	}
	if t.to >= 0 {
		to := w.entities[t.to].address.String()
		out.To = &to
	}
	return out
}

type rpcReceipt struct {
	BlockHash         string   `json:"blockHash"`
	BlockNumber       string   `json:"blockNumber"`
	ContractAddress   *string  `json:"contractAddress"`
	CumulativeGasUsed string   `json:"cumulativeGasUsed"`
	EffectiveGasPrice string   `json:"effectiveGasPrice"`
	From              string   `json:"from"`
	GasUsed           string   `json:"gasUsed"`
	Logs              []rpcLog `json:"logs"`
	LogsBloom         string   `json:"logsBloom"`
	Status            string   `json:"status"`
	To                *string  `json:"to"`
	TransactionHash   string   `json:"transactionHash"`
	TransactionIndex  string   `json:"transactionIndex"`
	Type              string   `json:"type"`
}

func (w *world) rpcReceipt(id int32) rpcReceipt {
	t := &w.txs[id]
	number := w.blockNumber(t)
	out := rpcReceipt{
		BlockHash: hexHash(w.blockHash(number)), BlockNumber: quantity(number), CumulativeGasUsed: quantity(int64(t.gasUsed) * int64(t.index+1)),
		EffectiveGasPrice: quantity(int64(t.gasPrice) * 1_000_000), From: w.entities[t.from].address.String(), GasUsed: quantity(t.gasUsed), Logs: w.rpcLogs(id),
		LogsBloom: emptyBloom, Status: "0x1", TransactionHash: hexHash(w.txHash(id)), TransactionIndex: quantity(int(t.index)), Type: "0x2",
	}
	if t.failed {
		out.Status = "0x0"
	}
	if t.to >= 0 {
		to := w.entities[t.to].address.String()
		out.To = &to
	} else if t.made >= 0 {
		made := w.entities[t.made].address.String()
		out.ContractAddress = &made
	}
	return out
}
