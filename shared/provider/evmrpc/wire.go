package evmrpc

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/holiman/uint256"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// Word is a 32-byte topic, storage word or pool id.
type Word [32]byte

// String is the lower-case form with 0x.
func (w Word) String() string { return "0x" + hex.EncodeToString(w[:]) }

// address reads a word that holds an address. The second result is false when the upper twelve bytes are not zero.
func (w Word) address() (chain.Address, bool) {
	for _, b := range w[:12] {
		if b != 0 {
			return chain.Address{}, false
		}
	}
	return chain.Address(w[12:]), true
}

func addressWord(address chain.Address) Word {
	var w Word
	copy(w[12:], address[:])
	return w
}

func mustWord(text string) Word {
	w, err := parseWord(text)
	if err != nil {
		panic(text + ": " + err.Error())
	}
	return w
}

var errHex = errors.New("not 0x and hexadecimal digits of the right length")

func parseWord(text string) (Word, error) {
	var w Word
	if len(text) != 66 || text[:2] != "0x" {
		return Word{}, errHex
	}
	if _, err := hex.Decode(w[:], []byte(text[2:])); err != nil {
		return Word{}, errHex
	}
	return w, nil
}

func parseBytes(text string) ([]byte, error) {
	if len(text) < 2 || text[:2] != "0x" {
		return nil, errHex
	}
	decoded, err := hex.DecodeString(text[2:])
	if err != nil {
		return nil, errHex
	}
	return decoded, nil
}

// quantity is a JSON-RPC number. Leading zeros and a bare 0x, which some nodes write for zero, are accepted.
type quantity struct {
	value uint256.Int
	known bool
}

// UnmarshalText reads 0x and up to 64 hexadecimal digits.
func (q *quantity) UnmarshalText(text []byte) error {
	if len(text) < 2 || text[0] != '0' || text[1] != 'x' {
		return errHex
	}
	digits := text[2:]
	if len(digits) > 64 {
		return errHex
	}
	var word [32]byte
	var even [64]byte
	for i := range even {
		even[i] = '0'
	}
	copy(even[64-len(digits):], digits)
	if _, err := hex.Decode(word[:], even[:]); err != nil {
		return errHex
	}
	q.value.SetBytes32(word[:])
	q.known = true
	return nil
}

func (q *quantity) index() (int, error) {
	if !q.value.IsUint64() || q.value.Uint64() > math.MaxInt32 {
		return 0, fmt.Errorf("index %s out of range", q.value.Hex())
	}
	return int(q.value.Uint64()), nil
}

func (q *quantity) block() (uint64, error) {
	if !q.value.IsUint64() || q.value.Uint64() > math.MaxInt64 {
		return 0, fmt.Errorf("block %s out of range", q.value.Hex())
	}
	return q.value.Uint64(), nil
}

// latestTime bounds block times to what a Unix second count can mean: the year 9999.
const latestTime = 253402300799

func (q *quantity) time() (time.Time, error) {
	if !q.value.IsUint64() || q.value.Uint64() > latestTime {
		return time.Time{}, fmt.Errorf("time %s out of range", q.value.Hex())
	}
	return time.Unix(int64(q.value.Uint64()), 0).UTC(), nil
}

// lenient accepts what public nodes write: duplicate names and text that is not UTF-8 in fields nobody reads.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

type wireLog struct {
	Address          string   `json:"address"`
	Topics           []string `json:"topics"`
	Data             string   `json:"data"`
	BlockNumber      quantity `json:"blockNumber"`
	BlockTimestamp   quantity `json:"blockTimestamp"`
	TransactionHash  string   `json:"transactionHash"`
	TransactionIndex quantity `json:"transactionIndex"`
	LogIndex         quantity `json:"logIndex"`
	Removed          bool     `json:"removed"`
}

// Log is one event of a contract.
type Log struct {
	Address chain.Address
	Topics  []Word
	Data    []byte
	Block   uint64
	// Time is the block's time, zero when the node does not tell it with the log.
	Time             time.Time
	Transaction      market.Hash
	TransactionIndex int
	// Index is the position within the block.
	Index int
	// Removed is set when a reorganisation took the log off the chain.
	Removed bool
}

func (w *wireLog) log() (Log, error) {
	address, err := chain.ParseWireAddress(w.Address)
	if err != nil {
		return Log{}, fmt.Errorf("log address: %w", err)
	}
	if len(w.Topics) > 4 {
		return Log{}, fmt.Errorf("log with %d topics", len(w.Topics))
	}
	log := Log{Address: address, Topics: make([]Word, len(w.Topics)), Removed: w.Removed}
	for i, topic := range w.Topics {
		if log.Topics[i], err = parseWord(topic); err != nil {
			return Log{}, fmt.Errorf("log topic: %w", err)
		}
	}
	if log.Data, err = parseBytes(w.Data); err != nil {
		return Log{}, fmt.Errorf("log data: %w", err)
	}
	hash, err := parseWord(w.TransactionHash)
	if err != nil {
		return Log{}, fmt.Errorf("log transaction hash: %w", err)
	}
	log.Transaction = market.Hash(hash)
	if log.Block, err = w.BlockNumber.block(); err != nil {
		return Log{}, err
	}
	if log.TransactionIndex, err = w.TransactionIndex.index(); err != nil {
		return Log{}, err
	}
	if log.Index, err = w.LogIndex.index(); err != nil {
		return Log{}, err
	}
	if w.BlockTimestamp.known {
		if log.Time, err = w.BlockTimestamp.time(); err != nil {
			return Log{}, err
		}
	}
	return log, nil
}

// ParseLogs reads the result of eth_getLogs.
func ParseLogs(result []byte) ([]Log, error) {
	var wire []wireLog
	if err := json.Unmarshal(result, &wire, lenient); err != nil {
		return nil, fmt.Errorf("logs: %w", err)
	}
	return convertLogs(wire)
}

func convertLogs(wire []wireLog) ([]Log, error) {
	logs := make([]Log, 0, len(wire))
	for i := range wire {
		log, err := wire[i].log()
		if err != nil {
			return nil, err
		}
		logs = append(logs, log)
	}
	return logs, nil
}

// transaction is what eth_getTransactionByHash adds to a receipt.
type transaction struct {
	sender chain.Address
	// target is zero for a creation.
	target chain.Address
	value  uint256.Int
	// gasPrice stands in where an old receipt has no effective price.
	gasPrice uint256.Int
	// selector is the called function's four bytes, 0x and 8 digits, empty for a plain transfer.
	selector string
}

func parseTransaction(result []byte) (*transaction, error) {
	var wire struct {
		From     string   `json:"from"`
		To       *string  `json:"to"`
		Value    quantity `json:"value"`
		GasPrice quantity `json:"gasPrice"`
		Input    string   `json:"input"`
	}
	if err := json.Unmarshal(result, &wire, lenient); err != nil {
		return nil, fmt.Errorf("transaction: %w", err)
	}
	var parsed transaction
	var err error
	if parsed.sender, err = chain.ParseWireAddress(wire.From); err != nil {
		return nil, fmt.Errorf("transaction sender: %w", err)
	}
	if wire.To != nil {
		if parsed.target, err = chain.ParseWireAddress(*wire.To); err != nil {
			return nil, fmt.Errorf("transaction target: %w", err)
		}
	}
	if !wire.Value.known {
		return nil, errors.New("transaction without a value")
	}
	parsed.value, parsed.gasPrice = wire.Value.value, wire.GasPrice.value
	if len(wire.Input) >= 10 && strings.HasPrefix(wire.Input, "0x") {
		if _, err := parseBytes(wire.Input[:10]); err == nil {
			parsed.selector = strings.ToLower(wire.Input[:10])
		}
	}
	return &parsed, nil
}

func parseBlockTime(result []byte) (time.Time, error) {
	var wire struct {
		Timestamp quantity `json:"timestamp"`
	}
	if err := json.Unmarshal(result, &wire, lenient); err != nil {
		return time.Time{}, fmt.Errorf("block: %w", err)
	}
	if !wire.Timestamp.known {
		return time.Time{}, errors.New("block without a timestamp")
	}
	return wire.Timestamp.time()
}

func parseQuantity(result []byte) (uint256.Int, error) {
	var wire quantity
	if err := json.Unmarshal(result, &wire, lenient); err != nil {
		return uint256.Int{}, fmt.Errorf("quantity: %w", err)
	}
	if !wire.known {
		return uint256.Int{}, errors.New("quantity is null")
	}
	return wire.value, nil
}

func parseData(result []byte) ([]byte, error) {
	var text string
	if err := json.Unmarshal(result, &text, lenient); err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	return parseBytes(text)
}
