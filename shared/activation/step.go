package activation

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

// Kinds of steps.
const (
	SignMessage     = "sign_message"
	SignTypedData   = "sign_typed_data"
	SendTransaction = "send_transaction"
)

// What a step costs whoever does it.
const (
	CostNone         = "none"
	CostGas          = "gas"
	CostGasSponsored = "gas-sponsored"
)

// Step is one thing that the owner's wallet is asked to do, in words for the person who decides. Message, TypedData and Transaction are
// what a wallet is given; the one of its kind is there.
type Step struct {
	// Step names the step, as the results of it do. Steps may be added.
	Step string `json:"step"`
	// Kind is what the wallet is asked to do. One of sign_message, sign_typed_data or send_transaction.
	Kind string `json:"kind"`
	// Title names the step for display.
	Title string `json:"title"`
	// What says what is done.
	What string `json:"what"`
	// Why says what for.
	Why string `json:"why"`
	// Safety says what it can never lead to. It is shown verbatim.
	Safety string `json:"safety"`
	// Cost is what it costs whoever does it. One of none, gas or gas-sponsored; to be shown as no gas, network fee, and network fee
	// (may be covered).
	Cost string `json:"cost"`
	// WalletShows says what to look for in the wallet before saying yes.
	WalletShows string `json:"walletShows"`
	// Message is the text to sign, in a step of kind sign_message.
	Message string `json:"message,omitzero"`
	// TypedData is what to sign (EIP-712), in a step of kind sign_typed_data.
	TypedData jsontext.Value `json:"typedData,omitzero"`
	// Transaction is what to send, in a step of kind send_transaction.
	Transaction *Transaction `json:"transaction,omitzero"`
	// ExpiresAt is until when it can be done, RFC 3339.
	ExpiresAt string `json:"expiresAt"`
}

// Transaction is one that the owner is asked to send. Data and Value are hexadecimal with 0x, Value in wei.
type Transaction struct {
	// ChainID is the chain's EIP-155 number.
	ChainID int64 `json:"chainId"`
	// From is the account that sends it.
	From chain.Address `json:"from"`
	// To is the contract that it goes to.
	To chain.Address `json:"to"`
	// Data is hexadecimal with 0x.
	Data string `json:"data"`
	// Value is in wei, hexadecimal with 0x.
	Value string `json:"value"`
}

// Result is what came of a step: the signature of one that is signed, the hash of the transaction of one that is sent.
type Result struct {
	Step      string `json:"step"`
	Signature string `json:"signature,omitzero"`
	TxHash    string `json:"txHash,omitzero"`
}

// Why steps cannot go on.
var (
	// ErrPending: the transaction is in no block yet. The same result can be sent again in a moment.
	ErrPending = errors.New("the transaction is not in a block yet")
	// ErrLapsed: the time for the steps is over. A new activation begins them anew.
	ErrLapsed = errors.New("the time for these steps is over")
)

// RefusalError is why a result is not taken, or why a step cannot be offered. It wraps walletsignature.ErrSignature for a signature that
// does not hold, ErrPending for a transaction that is in no block yet, and neither for a result that is not what was asked for.
type RefusalError struct {
	// Step is the step concerned, Reason a sentence for a person.
	Step, Reason string
	cause        error
}

// Error names the step and says why.
func (e *RefusalError) Error() string { return e.Step + ": " + e.Reason }

// Unwrap gives the kind of refusal.
func (e *RefusalError) Unwrap() error { return e.cause }

func refuse(step, format string, arguments ...any) error {
	return &RefusalError{Step: step, Reason: fmt.Sprintf(format, arguments...)}
}
