package evmrpc

import (
	"github.com/holiman/uint256"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

// The first topics of the events that are decoded: Keccak-256 of their signatures.
var (
	transferTopic        = mustWord("0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef")
	approvalTopic        = mustWord("0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925")
	approvalForAllTopic  = mustWord("0x17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31")
	depositTopic         = mustWord("0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c")
	withdrawalTopic      = mustWord("0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65")
	uniswapV2SwapTopic   = mustWord("0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822")
	velodromeSwapTopic   = mustWord("0xb3e2773606abfd36b5bd91394b3a54d1398336c65005baf7bf7a05efeffaf75b")
	uniswapV3SwapTopic   = mustWord("0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67")
	pancakeV3SwapTopic   = mustWord("0x19b47279256b2a23a1665c810c8d55a1758940ee09377d4f8d26497a3577dc83")
	uniswapV4SwapTopic   = mustWord("0x40e9cecb9f5f1f1c5b9c97dec2917b7ee92e57ba5563708daca94dd84ad7112f")
	permit2ApprovalTopic = mustWord("0xda9fa7c1b00402c17d0161b249b1ab8bbec047c5a52207b9c112deffd817036b")
	permit2PermitTopic   = mustWord("0xc6a377bfc4eb120024a8ac08eef205be16b817020812c73223e81d1bdb9708ec")
)

// Transfer is one movement of an ERC-20 token.
type Transfer struct {
	Token, From, To chain.Address
	Amount          uint256.Int
	LogIndex        int
}

// NonFungibleTransfer is one movement of an ERC-721 token.
type NonFungibleTransfer struct {
	Token, From, To chain.Address
	ID              uint256.Int
	LogIndex        int
}

// Swap is one exchange in one pool. In is what the swapper paid into the pool, Out what it got from it, in raw units of the
// pool's token 0 and token 1. Amounts are as the event has them: in version 2 before a token's own transfer tax on the way
// out, in version 4 before what a hook takes.
type Swap struct {
	// Version is that of the protocol the event follows: 2 (also Velodrome v2 and Aerodrome pools), 3 (also PancakeSwap v3
	// and concentrated-liquidity pools with the same event) or 4.
	Version int
	// Contract is the pool itself, for version 4 the pool manager.
	Contract chain.Address
	// PoolID names the pool within the manager in version 4, zero otherwise.
	PoolID Word
	// Sender called the pool. Recipient got the output; version 4 does not tell it and leaves it zero.
	Sender, Recipient                            chain.Address
	Amount0In, Amount0Out, Amount1In, Amount1Out uint256.Int
	LogIndex                                     int
}

// Pool is the pool's id in lower-case hex: its address or, in version 4, its 32-byte id.
func (s *Swap) Pool() string {
	if s.Version == 4 {
		return s.PoolID.String()
	}
	return s.Contract.String()
}

// Wrap is a Deposit or Withdrawal event in the form of WETH9. Other contracts emit the same events with other meanings:
// compare Token with the chain's wrapped native coin.
type Wrap struct {
	Token chain.Address
	// Account holds the wrapped coin after a deposit, or held it before a withdrawal.
	Account chain.Address
	Amount  uint256.Int
	// Unwrap is true for a withdrawal.
	Unwrap   bool
	LogIndex int
}

// Approval is an ERC-20 allowance as it was set.
type Approval struct {
	Token, Owner, Spender chain.Address
	Amount                uint256.Int
	LogIndex              int
}

// OperatorApproval is a permission over all of an owner's tokens of an ERC-721 or ERC-1155 collection.
type OperatorApproval struct {
	Collection, Owner, Operator chain.Address
	Approved                    bool
	LogIndex                    int
}

// Events are the logs of a transaction that move value or permissions, each kind in log order.
type Events struct {
	Transfers         []Transfer
	NonFungible       []NonFungibleTransfer
	Swaps             []Swap
	Wraps             []Wrap
	Approvals         []Approval
	OperatorApprovals []OperatorApproval
}

// DecodeLogs reads the logs it knows. A log with an unknown first topic, without topics, removed by a reorganisation, or
// with other topics or data than its event has, is left out.
func DecodeLogs(logs []Log) Events {
	var events Events
	for i := range logs {
		log := &logs[i]
		if len(log.Topics) == 0 || log.Removed {
			continue
		}
		switch log.Topics[0] {
		case transferTopic:
			events.addTransfer(log)
		case approvalTopic:
			events.addApproval(log)
		case approvalForAllTopic:
			events.addOperatorApproval(log)
		case depositTopic, withdrawalTopic:
			events.addWrap(log)
		case uniswapV2SwapTopic, velodromeSwapTopic:
			events.addSwapV2(log)
		case uniswapV3SwapTopic:
			events.addSwapV3(log, 5)
		case pancakeV3SwapTopic:
			events.addSwapV3(log, 7)
		case uniswapV4SwapTopic:
			events.addSwapV4(log)
		}
	}
	return events
}

// parties reads two indexed addresses.
func (l *Log) parties() (first, second chain.Address, ok bool) {
	first, ok1 := l.Topics[1].address()
	second, ok2 := l.Topics[2].address()
	return first, second, ok1 && ok2
}

// word is the n-th 32-byte word of the data, which must be long enough.
func (l *Log) word(n int) *uint256.Int {
	return new(uint256.Int).SetBytes32(l.Data[32*n : 32*n+32])
}

func (e *Events) addTransfer(log *Log) {
	switch {
	case len(log.Topics) == 3 && len(log.Data) == 32:
		if from, to, ok := log.parties(); ok {
			e.Transfers = append(e.Transfers, Transfer{log.Address, from, to, *log.word(0), log.Index})
		}
	case len(log.Topics) == 4 && len(log.Data) == 0:
		if from, to, ok := log.parties(); ok {
			id := new(uint256.Int).SetBytes32(log.Topics[3][:])
			e.NonFungible = append(e.NonFungible, NonFungibleTransfer{log.Address, from, to, *id, log.Index})
		}
	}
}

func (e *Events) addApproval(log *Log) {
	// Four topics are an ERC-721 approval of one item.
	if len(log.Topics) != 3 || len(log.Data) != 32 {
		return
	}
	if owner, spender, ok := log.parties(); ok {
		e.Approvals = append(e.Approvals, Approval{log.Address, owner, spender, *log.word(0), log.Index})
	}
}

func (e *Events) addOperatorApproval(log *Log) {
	if len(log.Topics) != 3 || len(log.Data) != 32 {
		return
	}
	if owner, operator, ok := log.parties(); ok {
		approved := !log.word(0).IsZero()
		e.OperatorApprovals = append(e.OperatorApprovals, OperatorApproval{log.Address, owner, operator, approved, log.Index})
	}
}

func (e *Events) addWrap(log *Log) {
	if len(log.Topics) != 2 || len(log.Data) != 32 {
		return
	}
	if account, ok := log.Topics[1].address(); ok {
		unwrap := log.Topics[0] == withdrawalTopic
		e.Wraps = append(e.Wraps, Wrap{log.Address, account, *log.word(0), unwrap, log.Index})
	}
}

// addSwapV2 reads Swap(sender, amount0In, amount1In, amount0Out, amount1Out, to); sender and to are the topics.
func (e *Events) addSwapV2(log *Log) {
	if len(log.Topics) != 3 || len(log.Data) != 4*32 {
		return
	}
	sender, recipient, ok := log.parties()
	if !ok {
		return
	}
	e.Swaps = append(e.Swaps, Swap{
		Version: 2, Contract: log.Address, Sender: sender, Recipient: recipient, LogIndex: log.Index,
		Amount0In: *log.word(0), Amount1In: *log.word(1), Amount0Out: *log.word(2), Amount1Out: *log.word(3),
	})
}

// addSwapV3 reads Swap(sender, recipient, amount0, amount1, …), whose amounts are signed from the pool's view.
func (e *Events) addSwapV3(log *Log, words int) {
	if len(log.Topics) != 3 || len(log.Data) != words*32 {
		return
	}
	sender, recipient, ok := log.parties()
	if !ok {
		return
	}
	swap := Swap{Version: 3, Contract: log.Address, Sender: sender, Recipient: recipient, LogIndex: log.Index}
	swap.Amount0In, swap.Amount0Out = split(log.word(0))
	swap.Amount1In, swap.Amount1Out = split(log.word(1))
	e.Swaps = append(e.Swaps, swap)
}

// addSwapV4 reads Swap(id, sender, amount0, amount1, …), whose amounts are signed from the swapper's view.
func (e *Events) addSwapV4(log *Log) {
	if len(log.Topics) != 3 || len(log.Data) != 6*32 {
		return
	}
	sender, ok := log.Topics[2].address()
	if !ok {
		return
	}
	swap := Swap{Version: 4, Contract: log.Address, PoolID: log.Topics[1], Sender: sender, LogIndex: log.Index}
	swap.Amount0Out, swap.Amount0In = split(log.word(0))
	swap.Amount1Out, swap.Amount1In = split(log.word(1))
	e.Swaps = append(e.Swaps, swap)
}

// split parts a two's-complement number into its positive and its negative magnitude, one of which is zero.
func split(signed *uint256.Int) (positive, negative uint256.Int) {
	if signed.Sign() < 0 {
		return uint256.Int{}, *new(uint256.Int).Neg(signed)
	}
	return *signed, uint256.Int{}
}
