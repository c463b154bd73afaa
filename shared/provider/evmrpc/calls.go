package evmrpc

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/holiman/uint256"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

// longestReturn bounds what a contract may answer to a call; ours are asked for a few words.
const longestReturn = 1 << 16

// Call asks a contract at the newest block by eth_call, from no account in particular. A contract that reverts, or runs out of the gas
// that the node allows a call, has refused; any other error of the node is market.ErrUnavailable.
func (a *Adapter) Call(ctx context.Context, on *chain.Chain, to chain.Address, data []byte) (market.CallResult, error) {
	client, err := a.client(on)
	if err != nil {
		return market.CallResult{}, err
	}
	type message struct {
		To   chain.Address `json:"to"`
		Data string        `json:"data"`
	}
	returned, err := ask(ctx, client, call{"eth_call", []any{message{to, "0x" + hex.EncodeToString(data)}, "latest"}}, parseReturn)
	if f, isFault := asFault(err); isFault && (f.reverted() || f.says("out of gas")) {
		return market.CallResult{Returned: f.data, Reverted: true}, nil
	}
	return market.CallResult{Returned: returned}, err
}

func parseReturn(result []byte) ([]byte, error) {
	if len(result) > 2*longestReturn+4 {
		return nil, fmt.Errorf("a contract returned more than %d bytes", longestReturn)
	}
	return parseData(result)
}

// mined is a transaction that is in a block, as its receipt tells it or as the transaction itself does.
type mined struct {
	transaction, block Word
	from, to           chain.Address
	number             uint64
	succeeded          bool
	input              []byte
	value              uint256.Int
}

// Receipt looks a transaction up by eth_getTransactionReceipt, eth_getTransactionByHash, eth_getBlockByNumber and eth_blockNumber. The
// receipt and the transaction must be of the hash that was asked for and agree with each other; where they do not, as while a block
// is being replaced, the answer is market.ErrUnavailable.
func (a *Adapter) Receipt(ctx context.Context, on *chain.Chain, transaction market.Hash) (receipt market.Receipt, found bool, err error) {
	client, err := a.client(on)
	if err != nil {
		return market.Receipt{}, false, err
	}
	hash := Word(transaction).String()
	told, found, err := askFor(ctx, client, call{"eth_getTransactionReceipt", []any{hash}}, parseMinedReceipt)
	if err != nil || !found {
		return market.Receipt{}, false, err
	}
	sent, found, err := askFor(ctx, client, call{"eth_getTransactionByHash", []any{hash}}, parseMinedTransaction)
	if err != nil {
		return market.Receipt{}, false, err
	}
	if !found || told.transaction != Word(transaction) || sent.transaction != told.transaction || sent.block != told.block ||
		sent.number != told.number || sent.from != told.from || sent.to != told.to {
		return market.Receipt{}, false, fmt.Errorf("%w: %s: the receipt and the transaction %s do not agree", market.ErrUnavailable, client.Name(), hash)
	}
	when, err := a.minedAt(ctx, client, told)
	if err != nil {
		return market.Receipt{}, false, err
	}
	head, err := a.head(ctx, client)
	if err != nil {
		return market.Receipt{}, false, err
	}
	// A head that is behind comes of another node at the same address; the block is there all the same.
	confirmations := max(head, told.number) - told.number + 1
	return market.Receipt{
		Transaction: transaction, From: told.from, To: told.to, Input: sent.input, Value: sent.value.Bytes(),
		Succeeded: told.succeeded, Block: int64(told.number), Confirmations: int64(confirmations), Time: when.time,
	}, true, nil
}

// minedAt is the block of a transaction, which must still be the one that the receipt names.
func (a *Adapter) minedAt(ctx context.Context, client *upstream.Client, told mined) (instant, error) {
	type block struct {
		instant
		hash Word
	}
	in, err := ask(ctx, client, call{"eth_getBlockByNumber", []any{hexBlock(told.number), false}}, func(result []byte) (block, error) {
		var wire struct {
			Hash string `json:"hash"`
		}
		if err := json.Unmarshal(result, &wire, lenient); err != nil {
			return block{}, fmt.Errorf("block: %w", err)
		}
		hash, err := parseWord(wire.Hash)
		if err != nil {
			return block{}, fmt.Errorf("block hash: %w", err)
		}
		when, err := parseBlockTime(result)
		return block{instant{told.number, when}, hash}, err
	})
	if err == nil && in.hash != told.block {
		err = fmt.Errorf("%w: %s: block %d was replaced", market.ErrUnavailable, client.Name(), told.number)
	}
	return in.instant, err
}

func parseMinedReceipt(result []byte) (mined, error) {
	var wire struct {
		Hash   string   `json:"transactionHash"`
		Status quantity `json:"status"`
	}
	if err := json.Unmarshal(result, &wire, lenient); err != nil {
		return mined{}, fmt.Errorf("receipt: %w", err)
	}
	if !wire.Status.known || wire.Status.value.GtUint64(1) {
		return mined{}, errors.New("receipt without a status of 0 or 1")
	}
	told, err := parsePlace(result, wire.Hash)
	told.succeeded = !wire.Status.value.IsZero()
	return told, err
}

func parseMinedTransaction(result []byte) (mined, error) {
	var wire struct {
		Hash  string   `json:"hash"`
		Input string   `json:"input"`
		Value quantity `json:"value"`
	}
	if err := json.Unmarshal(result, &wire, lenient); err != nil {
		return mined{}, fmt.Errorf("transaction: %w", err)
	}
	sent, err := parsePlace(result, wire.Hash)
	if err != nil {
		return mined{}, err
	}
	if !wire.Value.known {
		return mined{}, errors.New("transaction without a value")
	}
	sent.value = wire.Value.value
	if sent.input, err = parseBytes(wire.Input); err != nil {
		return mined{}, fmt.Errorf("transaction input: %w", err)
	}
	return sent, nil
}

// parsePlace reads what a receipt and a transaction have in common.
func parsePlace(result []byte, hash string) (m mined, err error) {
	var wire struct {
		BlockHash   string   `json:"blockHash"`
		BlockNumber quantity `json:"blockNumber"`
		From        string   `json:"from"`
		To          *string  `json:"to"`
	}
	if err := json.Unmarshal(result, &wire, lenient); err != nil {
		return mined{}, err
	}
	if m.transaction, err = parseWord(hash); err != nil {
		return mined{}, fmt.Errorf("transaction hash: %w", err)
	}
	if m.block, err = parseWord(wire.BlockHash); err != nil {
		return mined{}, fmt.Errorf("block hash: %w", err)
	}
	if !wire.BlockNumber.known {
		return mined{}, errors.New("no block number")
	}
	if m.number, err = wire.BlockNumber.block(); err != nil {
		return mined{}, err
	}
	if m.from, err = chain.ParseWireAddress(wire.From); err != nil {
		return mined{}, fmt.Errorf("sender: %w", err)
	}
	if wire.To != nil && *wire.To != "" {
		if m.to, err = chain.ParseWireAddress(*wire.To); err != nil {
			return mined{}, fmt.Errorf("target: %w", err)
		}
	}
	return m, nil
}
