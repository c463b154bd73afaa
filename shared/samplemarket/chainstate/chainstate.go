// Package chainstate runs calls on the state of a chain as a node does for eth_call and eth_simulateV1, by a real EVM, with the state
// and block overrides that those take, and transactions as one does for a block, of which it tells what they would change. The state is
// asked for account by account, and nothing that is run is kept.
//
// It keeps no chain, mines no block and knows no token.
package chainstate

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"math/big"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/core/vm/runtime"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"
)

// Account is what a chain holds at an address. It is only read.
type Account struct {
	Code    []byte
	Balance *uint256.Int
	Storage map[[32]byte][32]byte
	// Nonce counts what the account sent, or made.
	Nonce uint64
	// Written gives a word of storage that was written since, before Storage is looked at; nil for none.
	Written func(slot [32]byte) (word [32]byte, found bool)
}

// Word is a word of the account's storage.
func (a *Account) Word(slot [32]byte) [32]byte {
	if a.Written != nil {
		if word, found := a.Written(slot); found {
			return word
		}
	}
	return a.Storage[slot]
}

// Source looks an account up; nil for one that does not exist.
type Source func(address [20]byte) *Account

// Block is the block that a call sees.
type Block struct {
	Number uint64
	// Time is in seconds since 1970.
	Time uint64
}

// Fault is how a node says that a call failed, in the words of go-ethereum.
type Fault struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    string `json:"data,omitempty"`
}

const (
	gasLimit = 50_000_000
	// longestGap is how far apart two blocks of a simulation may be.
	longestGap = 256
)

var errArgument = &Fault{Code: -32602, Message: "invalid argument"}

type message struct {
	From  common.Address `json:"from"`
	To    common.Address `json:"to"`
	Data  hexData        `json:"data"`
	Input hexData        `json:"input"`
	Value hexNumber      `json:"value"`
}

func (m *message) input() []byte {
	if len(m.Input) > 0 {
		return m.Input
	}
	return m.Data
}

type override struct {
	Balance   *hexNumber                  `json:"balance"`
	Code      *hexData                    `json:"code"`
	State     map[common.Hash]common.Hash `json:"state"`
	StateDiff map[common.Hash]common.Hash `json:"stateDiff"`
}

type blockOverride struct {
	Number *hexNumber `json:"number"`
	Time   *hexNumber `json:"time"`
}

type hexData []byte

// UnmarshalText reads 0x and pairs of hexadecimal digits.
func (d *hexData) UnmarshalText(text []byte) (err error) {
	digits, found := strings.CutPrefix(string(text), "0x")
	if !found {
		return errors.New("hex string without 0x prefix")
	}
	*d, err = hex.DecodeString(digits)
	return err
}

type hexNumber uint256.Int

// UnmarshalText reads 0x and up to 64 hexadecimal digits.
func (n *hexNumber) UnmarshalText(text []byte) error {
	digits, found := strings.CutPrefix(string(text), "0x")
	value, ok := new(big.Int).SetString(digits, 16)
	if !found || !ok || value.Sign() < 0 || value.BitLen() > 256 {
		return errors.New("not a hexadecimal number")
	}
	(*uint256.Int)(n).SetFromBig(value)
	return nil
}

func (n *hexNumber) uint64() uint64 { return (*uint256.Int)(n).Uint64() }

// Call runs the parameters of an eth_call: the message, the block (which the caller has chosen), state overrides, block overrides.
func Call(source Source, at Block, parameters []json.RawMessage) (string, *Fault) {
	var call message
	var overrides map[common.Address]override
	var block blockOverride
	if len(parameters) == 0 || json.Unmarshal(parameters[0], &call) != nil || len(parameters) > 4 {
		return "", errArgument
	}
	if len(parameters) > 2 && json.Unmarshal(parameters[2], &overrides) != nil || len(parameters) > 3 && json.Unmarshal(parameters[3], &block) != nil {
		return "", errArgument
	}
	m, err := newMachine(source)
	if err != nil {
		return "", &Fault{Code: -32603, Message: err.Error()}
	}
	m.override(overrides)
	at = block.on(at)
	output, fault := m.run(&call, at)
	if fault != nil {
		return "", fault
	}
	return "0x" + hex.EncodeToString(output), nil
}

// SimulatedCall is the outcome of one call of eth_simulateV1.
type SimulatedCall struct {
	ReturnData string   `json:"returnData"`
	Logs       []string `json:"logs"`
	GasUsed    string   `json:"gasUsed"`
	Status     string   `json:"status"`
	Error      *Fault   `json:"error,omitempty"`
}

// SimulatedBlock is one block of the answer.
type SimulatedBlock struct {
	Number    string          `json:"number"`
	Timestamp string          `json:"timestamp"`
	Calls     []SimulatedCall `json:"calls"`
}

// Simulate runs the parameters of an eth_simulateV1 on top of a block. Blocks that are left out are in the answer, without calls.
func Simulate(source Source, head Block, blockSeconds uint64, parameters []json.RawMessage) ([]SimulatedBlock, *Fault) {
	var request struct {
		Blocks []struct {
			Block blockOverride               `json:"blockOverrides"`
			State map[common.Address]override `json:"stateOverrides"`
			Calls []message                   `json:"calls"`
		} `json:"blockStateCalls"`
	}
	if len(parameters) == 0 || json.Unmarshal(parameters[0], &request) != nil || len(request.Blocks) == 0 {
		return nil, errArgument
	}
	m, err := newMachine(source)
	if err != nil {
		return nil, &Fault{Code: -32603, Message: err.Error()}
	}
	var blocks []SimulatedBlock
	add := func(b Block) *SimulatedBlock {
		blocks = append(blocks, SimulatedBlock{Number: hexText(b.Number), Timestamp: hexText(b.Time), Calls: []SimulatedCall{}})
		return &blocks[len(blocks)-1]
	}
	last := head
	for i := range request.Blocks {
		wanted := &request.Blocks[i]
		next := Block{last.Number + 1, last.Time + blockSeconds}
		if number := wanted.Block.Number; number != nil {
			if number.uint64() <= last.Number || number.uint64() > head.Number+longestGap {
				return nil, &Fault{Code: -38020, Message: "block numbers must be in order"}
			}
			for ; next.Number < number.uint64(); next = (Block{next.Number + 1, next.Time + blockSeconds}) {
				add(next)
				last = next
			}
		}
		if wanted.Block.Time != nil {
			if wanted.Block.Time.uint64() <= last.Time {
				return nil, &Fault{Code: -38021, Message: "block timestamps must be in order"}
			}
			next.Time = wanted.Block.Time.uint64()
		}
		block := add(next)
		m.override(wanted.State)
		for j := range wanted.Calls {
			block.Calls = append(block.Calls, m.simulated(&wanted.Calls[j], next))
		}
		last = next
	}
	return blocks, nil
}

func hexText(n uint64) string { return "0x" + strconv.FormatUint(n, 16) }

func (o *blockOverride) on(b Block) Block {
	if o.Number != nil {
		b.Number = o.Number.uint64()
	}
	if o.Time != nil {
		b.Time = o.Time.uint64()
	}
	return b
}

// machine is an EVM over a state that is read from a source and written to memory.
type machine struct{ state *state.StateDB }

func newMachine(source Source) (*machine, error) {
	db, err := state.NewWithReader(types.EmptyRootHash, state.NewDatabaseForTesting(), reader{source})
	return &machine{db}, err
}

func (m *machine) override(overrides map[common.Address]override) {
	for address, o := range overrides {
		if o.Code != nil {
			m.state.SetCode(address, *o.Code, tracing.CodeChangeUnspecified)
		}
		if o.Balance != nil {
			m.state.SetBalance(address, (*uint256.Int)(o.Balance), tracing.BalanceChangeUnspecified)
		}
		if o.State != nil {
			m.state.SetStorage(address, o.State)
		}
		for slot, value := range o.StateDiff {
			m.state.SetState(address, slot, value)
		}
	}
	m.state.Finalise(params.Rules{})
}

func (m *machine) run(call *message, at Block) ([]byte, *Fault) {
	value := (*uint256.Int)(&call.Value)
	config := &runtime.Config{
		Origin: call.From, BlockNumber: new(big.Int).SetUint64(at.Number), Time: at.Time, GasLimit: gasLimit, Value: value.ToBig(), BaseFee: new(big.Int), State: m.state,
	}
	output, _, err := runtime.Call(call.To, call.input(), config)
	m.state.Finalise(params.Rules{})
	switch {
	case errors.Is(err, vm.ErrExecutionReverted):
		return nil, &Fault{Code: 3, Message: "execution reverted", Data: "0x" + hex.EncodeToString(output)}
	case err != nil:
		return nil, &Fault{Code: -32000, Message: err.Error()}
	}
	return output, nil
}

func (m *machine) simulated(call *message, at Block) SimulatedCall {
	output, fault := m.run(call, at)
	outcome := SimulatedCall{ReturnData: "0x" + hex.EncodeToString(output), Logs: []string{}, GasUsed: "0x5208", Status: "0x1"}
	if fault != nil {
		outcome.Status, outcome.Error = "0x0", fault
	}
	return outcome
}

// reader lets the state be read from a source.
type reader struct{ source Source }

// Account is the account's balance and code hash.
func (r reader) Account(address common.Address) (*types.StateAccount, error) {
	found := r.source(address)
	if found == nil {
		return nil, nil
	}
	account := types.NewEmptyStateAccount()
	account.Nonce = found.Nonce
	if found.Balance != nil {
		account.Balance = found.Balance.Clone()
	}
	if len(found.Code) > 0 {
		account.CodeHash = crypto.Keccak256(found.Code)
	}
	return account, nil
}

// Storage is one word of an account's storage.
func (r reader) Storage(address common.Address, slot common.Hash) (common.Hash, error) {
	if found := r.source(address); found != nil {
		return found.Word(slot), nil
	}
	return common.Hash{}, nil
}

// Has tells whether an account has code.
func (r reader) Has(address common.Address, _ common.Hash) bool {
	return len(r.Code(address, common.Hash{})) > 0
}

// Code is an account's code.
func (r reader) Code(address common.Address, _ common.Hash) []byte {
	if found := r.source(address); found != nil {
		return found.Code
	}
	return nil
}

// CodeSize is the length of an account's code.
func (r reader) CodeSize(address common.Address, _ common.Hash) int {
	return len(r.Code(address, common.Hash{}))
}
