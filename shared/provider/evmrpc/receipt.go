package evmrpc

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/holiman/uint256"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// Receipt is what a transaction did, with its logs decoded.
type Receipt struct {
	Hash   market.Hash
	Block  uint64
	Index  int
	Sender chain.Address
	// Target is zero for a creation.
	Target chain.Address
	// Failed is false for the receipts of before Byzantium, which do not tell.
	Failed  bool
	GasUsed uint64
	// GasPrice is the effective price of one unit of gas in wei; Priced is false in receipts that do not tell it.
	GasPrice uint256.Int
	Priced   bool
	// L1Fee is what a rollup of the OP stack charges on top for posting data, in wei.
	L1Fee uint256.Int
	Logs  []Log
	Events
}

// Fee is what the sender paid in wei: gas at the effective price, and the data fee of a rollup. It saturates.
func (r *Receipt) Fee() uint256.Int {
	gas := uint256.NewInt(r.GasUsed)
	fee, overflow := new(uint256.Int).MulOverflow(gas, &r.GasPrice)
	if !overflow {
		_, overflow = fee.AddOverflow(fee, &r.L1Fee)
	}
	if overflow {
		fee.SetAllOne()
	}
	return *fee
}

// errNoReceipt is returned for the null that a node answers when it does not know a transaction.
var errNoReceipt = errors.New("no receipt for this transaction")

// ParseReceipt reads the result of eth_getTransactionReceipt. A receipt that cannot be read whole is an error.
func ParseReceipt(result []byte) (*Receipt, error) {
	var wire *struct {
		TransactionHash   string    `json:"transactionHash"`
		BlockNumber       quantity  `json:"blockNumber"`
		TransactionIndex  quantity  `json:"transactionIndex"`
		From              string    `json:"from"`
		To                string    `json:"to"`
		Status            quantity  `json:"status"`
		GasUsed           quantity  `json:"gasUsed"`
		EffectiveGasPrice quantity  `json:"effectiveGasPrice"`
		L1Fee             quantity  `json:"l1Fee"`
		Logs              []wireLog `json:"logs"`
	}
	if err := json.Unmarshal(result, &wire, lenient); err != nil {
		return nil, fmt.Errorf("receipt: %w", err)
	}
	if wire == nil {
		return nil, errNoReceipt
	}
	hash, err := parseWord(wire.TransactionHash)
	if err != nil {
		return nil, fmt.Errorf("receipt hash: %w", err)
	}
	receipt := &Receipt{
		Hash:     market.Hash(hash),
		Failed:   wire.Status.known && wire.Status.value.IsZero(),
		GasPrice: wire.EffectiveGasPrice.value, Priced: wire.EffectiveGasPrice.known,
		L1Fee: wire.L1Fee.value,
	}
	if receipt.Sender, err = chain.ParseWireAddress(wire.From); err != nil {
		return nil, fmt.Errorf("receipt sender: %w", err)
	}
	if wire.To != "" {
		if receipt.Target, err = chain.ParseWireAddress(wire.To); err != nil {
			return nil, fmt.Errorf("receipt target: %w", err)
		}
	}
	if !wire.BlockNumber.known || !wire.GasUsed.known {
		return nil, errors.New("receipt without a block or gas used")
	}
	if receipt.Block, err = wire.BlockNumber.block(); err != nil {
		return nil, err
	}
	if receipt.Index, err = wire.TransactionIndex.index(); err != nil {
		return nil, err
	}
	if !wire.GasUsed.value.IsUint64() {
		return nil, errors.New("gas used out of range")
	}
	receipt.GasUsed = wire.GasUsed.value.Uint64()
	if receipt.Logs, err = convertLogs(wire.Logs); err != nil {
		return nil, err
	}
	receipt.Events = DecodeLogs(receipt.Logs)
	return receipt, nil
}
