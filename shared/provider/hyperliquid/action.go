package hyperliquid

import (
	"bytes"
	"fmt"

	"github.com/vmihailenco/msgpack/v5"
)

// The actions that there are. What is signed is their packed form, so the order of their members is the venue's and never changes. There
// is none that moves money: trading keys sign these and no others.
type (
	orderAction struct {
		Type     string      `json:"type" msgpack:"type"`
		Orders   []orderWire `json:"orders" msgpack:"orders"`
		Grouping string      `json:"grouping" msgpack:"grouping"`
	}
	orderWire struct {
		Asset      int       `json:"a" msgpack:"a"`
		Buy        bool      `json:"b" msgpack:"b"`
		Price      string    `json:"p" msgpack:"p"`
		Size       string    `json:"s" msgpack:"s"`
		ReduceOnly bool      `json:"r" msgpack:"r"`
		Kind       orderKind `json:"t" msgpack:"t"`
		ClientID   string    `json:"c" msgpack:"c"`
	}
	orderKind struct {
		Limit limitKind `json:"limit" msgpack:"limit"`
	}
	limitKind struct {
		TimeInForce string `json:"tif" msgpack:"tif"`
	}

	cancelAction struct {
		Type    string       `json:"type" msgpack:"type"`
		Cancels []cancelWire `json:"cancels" msgpack:"cancels"`
	}
	cancelWire struct {
		Asset    int    `json:"asset" msgpack:"asset"`
		ClientID string `json:"cloid" msgpack:"cloid"`
	}

	leverageAction struct {
		Type     string `json:"type" msgpack:"type"`
		Asset    int    `json:"asset" msgpack:"asset"`
		Cross    bool   `json:"isCross" msgpack:"isCross"`
		Leverage int    `json:"leverage" msgpack:"leverage"`
	}
)

// tradingAction is an action that a trading key may sign.
type tradingAction interface {
	orderAction | cancelAction | leverageAction
}

// pack is an action's MessagePack as the venue packs it: members in their order, numbers as short as they can be.
func pack[A tradingAction](action A) ([]byte, error) {
	var packed bytes.Buffer
	encoder := msgpack.NewEncoder(&packed)
	encoder.UseCompactInts(true)
	if err := encoder.Encode(action); err != nil {
		return nil, fmt.Errorf("pack an action: %w", err)
	}
	return packed.Bytes(), nil
}

// approvalAction carries an account's approval of an agent. The account signed it; no key of ours does.
type approvalAction struct {
	Type             string  `json:"type"`
	SignatureChainID string  `json:"signatureChainId"`
	Network          Network `json:"hyperliquidChain"`
	Agent            string  `json:"agentAddress"`
	Name             string  `json:"agentName"`
	Nonce            uint64  `json:"nonce"`
}
