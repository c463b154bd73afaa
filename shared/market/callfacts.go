package market

import (
	"context"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

// CallResult is what a contract answered to a call that changes nothing.
type CallResult struct {
	// Returned is what came back; empty where no contract stands.
	Returned []byte
	// Reverted is true when the contract refused; Returned is then its reason, if it gave one.
	Reverted bool
}

// CallPort asks contracts at the newest block. An error means that nobody could be asked, never that the contract refused.
type CallPort interface {
	Call(ctx context.Context, on *chain.Chain, to chain.Address, data []byte) (CallResult, error)
}

// Receipt is what became of a transaction that is in a block.
type Receipt struct {
	Transaction Hash
	// From sent it; To is whom it called, zero where it made a contract. Input and Value are what it carried, Value in wei.
	From, To chain.Address
	Input    []byte
	Value    []byte // big-endian, without leading zeros; empty for none
	// Succeeded is false for one that was undone.
	Succeeded bool
	// Block is its block's number, Time the block's time; Confirmations is how many blocks there are from that one on, 1 for the newest.
	Block         int64
	Confirmations int64
	Time          time.Time
}

// ReceiptPort looks transactions up. found is false for one that is in no block, which may still come into one.
type ReceiptPort interface {
	Receipt(ctx context.Context, on *chain.Chain, transaction Hash) (receipt Receipt, found bool, err error)
}
