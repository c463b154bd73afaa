package chainstate

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"
)

// ErrGas is returned for a message that has not even the gas that any message takes.
var ErrGas = errors.New("intrinsic gas too low")

// Message is a transaction as an EVM sees it.
type Message struct {
	From [20]byte
	// To is nil for one that makes a contract.
	To    *[20]byte
	Input []byte
	Value uint256.Int // wei
	Gas   uint64
	Nonce uint64
}

// Log is one event of a contract.
type Log struct {
	Address [20]byte
	Topics  [][32]byte
	Data    []byte
}

// Change is what an account is after a message, as far as the message touched it.
type Change struct {
	// Code is nil where it is what it was.
	Code    []byte
	Nonce   uint64
	Storage map[[32]byte][32]byte
}

// Outcome is what a message did. One that failed changed nothing but its sender's nonce.
type Outcome struct {
	// Fault is nil for a message that succeeded.
	Fault    *Fault
	Returned []byte
	// GasUsed is in units of gas, without refunds.
	GasUsed uint64
	// Created is the contract that a message without To made.
	Created [20]byte
	Logs    []Log
	Changes map[[20]byte]Change
}

// Apply runs a message on top of a source, and says what it would change. Gas costs nothing.
func Apply(source Source, chainID int64, at Block, m Message) (*Outcome, error) {
	machine, err := newMachine(source)
	if err != nil {
		return nil, err
	}
	config := *params.MergedTestChainConfig
	config.ChainID = big.NewInt(chainID)
	db := &recorder{StateDB: machine.state, slots: map[common.Address]map[common.Hash]bool{}, codes: map[common.Address]bool{}}
	evm := vm.NewEVM(vm.BlockContext{
		CanTransfer: core.CanTransfer, Transfer: core.Transfer, GetHash: func(n uint64) common.Hash { return crypto.Keccak256Hash(new(big.Int).SetUint64(n).Bytes()) },
		BlockNumber: new(big.Int).SetUint64(at.Number), Time: at.Time, Difficulty: new(big.Int), GasLimit: gasLimit, BaseFee: new(big.Int), BlobBaseFee: new(big.Int),
		Random: &common.Hash{}, CostPerStateByte: params.CostPerStateByte,
	}, db, &config, vm.Config{})
	evm.SetTxContext(vm.TxContext{Origin: m.From, GasPrice: new(uint256.Int)})
	rules := config.Rules(evm.Context.BlockNumber, true, at.Time)
	var to *common.Address
	if m.To != nil {
		to = (*common.Address)(m.To)
	}
	intrinsic, err := core.IntrinsicGas(m.Input, nil, nil, m.From, to, &m.Value, rules)
	if err != nil || m.Gas < intrinsic {
		return nil, ErrGas
	}
	db.Prepare(rules, m.From, common.Address{}, to, vm.ActivePrecompiles(rules), nil)
	db.SetNonce(m.From, m.Nonce, tracing.NonceChangeUnspecified)
	outcome := &Outcome{}
	var left vm.GasBudget
	budget := vm.NewGasBudget(min(m.Gas, gasLimit)-intrinsic, 0)
	if to == nil {
		var made common.Address
		outcome.Returned, made, left, err = evm.Create(m.From, m.Input, budget, &m.Value)
		outcome.Created = made
	} else {
		db.SetNonce(m.From, m.Nonce+1, tracing.NonceChangeUnspecified)
		outcome.Returned, left, err = evm.Call(m.From, *to, m.Input, budget, &m.Value)
	}
	outcome.GasUsed = min(m.Gas, gasLimit) - left.ExecutionGas
	outcome.Fault = asFault(outcome.Returned, err)
	machine.state.Finalise(params.Rules{})
	if outcome.Fault == nil {
		for _, log := range db.Logs() {
			one := Log{Address: log.Address, Data: log.Data}
			for _, topic := range log.Topics {
				one.Topics = append(one.Topics, topic)
			}
			outcome.Logs = append(outcome.Logs, one)
		}
	}
	outcome.Changes = db.changes(m.From)
	return outcome, nil
}

// Estimate runs the parameters of an eth_estimateGas, and gives the gas that a transaction like that should be sent with.
func Estimate(source Source, chainID int64, at Block, parameters []json.RawMessage) (uint64, *Fault) {
	var call struct {
		message
		To *common.Address `json:"to"`
	}
	if len(parameters) == 0 || json.Unmarshal(parameters[0], &call) != nil {
		return 0, errArgument
	}
	m := Message{From: call.From, To: (*[20]byte)(call.To), Input: call.input(), Value: uint256.Int(call.Value), Gas: gasLimit}
	if sender := source(m.From); sender != nil {
		m.Nonce = sender.Nonce
	}
	outcome, err := Apply(source, chainID, at, m)
	switch {
	case err != nil:
		return 0, &Fault{Code: -32000, Message: err.Error()}
	case outcome.Fault != nil:
		return 0, outcome.Fault
	}
	// A call keeps a part of its gas back from those that it makes, so that exactly what was used would not do.
	return outcome.GasUsed * 5 / 4, nil
}

// asFault is how a node tells that a message failed; nil for one that did not.
func asFault(output []byte, err error) *Fault {
	switch {
	case errors.Is(err, vm.ErrExecutionReverted):
		return &Fault{Code: 3, Message: "execution reverted", Data: "0x" + hex.EncodeToString(output)}
	case err != nil:
		return &Fault{Code: -32000, Message: err.Error()}
	}
	return nil
}

// recorder notes what a message touches.
type recorder struct {
	*state.StateDB
	slots map[common.Address]map[common.Hash]bool
	codes map[common.Address]bool
}

// SetState notes the slot.
func (r *recorder) SetState(address common.Address, slot, value common.Hash) common.Hash {
	if r.slots[address] == nil {
		r.slots[address] = map[common.Hash]bool{}
	}
	r.slots[address][slot] = true
	return r.StateDB.SetState(address, slot, value)
}

// SetCode notes the account.
func (r *recorder) SetCode(address common.Address, code []byte, reason tracing.CodeChangeReason) []byte {
	r.codes[address] = true
	return r.StateDB.SetCode(address, code, reason)
}

// changes are the accounts that were touched, as they are now, the sender among them.
func (r *recorder) changes(sender common.Address) map[[20]byte]Change {
	touched := map[common.Address]bool{sender: true}
	for address := range r.slots {
		touched[address] = true
	}
	for address := range r.codes {
		touched[address] = true
	}
	changes := make(map[[20]byte]Change, len(touched))
	for address := range touched {
		change := Change{Nonce: r.GetNonce(address), Storage: map[[32]byte][32]byte{}}
		if r.codes[address] {
			change.Code = r.GetCode(address)
		}
		for slot := range r.slots[address] {
			change.Storage[slot] = r.GetState(address, slot)
		}
		changes[address] = change
	}
	return changes
}

var _ vm.StateDB = (*recorder)(nil)
