package samplemarket

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/core/types"
)

// sentTransaction is the answer of eth_getTransactionByHash for one that was sent.
func (w *world) sentTransaction(t *sentTransaction) rpcTransaction {
	v, r, s := t.tx.RawSignatureValues()
	out := rpcTransaction{
		AccessList: []any{}, BlockHash: hexHash(w.blockHash(t.block)), BlockNumber: quantity(t.block), ChainID: quantity(w.spec.id), From: t.from.String(),
		Gas: quantity(int64(t.tx.Gas())), GasPrice: "0x" + t.tx.GasPrice().Text(16), MaxFeePerGas: "0x" + t.tx.GasFeeCap().Text(16), MaxPriorityFeePerGas: "0x" + t.tx.GasTipCap().Text(16),
		Hash: t.tx.Hash().Hex(), Input: "0x" + hexBytes(t.tx.Data()), Nonce: quantity(int64(t.tx.Nonce())), R: "0x" + r.Text(16), S: "0x" + s.Text(16),
		TransactionIndex: quantity(t.index), Type: quantity(int(t.tx.Type())), V: "0x" + v.Text(16), YParity: "0x" + v.Text(16), Value: "0x" + t.tx.Value().Text(16),
	}
	if t.tx.Type() == types.LegacyTxType {
		out.YParity = quantity(int64(1 - v.Bit(0))) // v is 35 and twice the chain's number, plus the parity
	}
	if to := t.tx.To(); to != nil {
		text := address(*to).String()
		out.To = &text
	}
	return out
}

// sentReceipt is the answer of eth_getTransactionReceipt for one that was sent.
func (w *world) sentReceipt(t *sentTransaction) rpcReceipt {
	used := int64(t.gasUsed)
	for _, earlier := range w.sent.between(t.block, t.block) {
		if earlier.index < t.index {
			used += int64(earlier.gasUsed)
		}
	}
	out := rpcReceipt{
		BlockHash: hexHash(w.blockHash(t.block)), BlockNumber: quantity(t.block), CumulativeGasUsed: quantity(used), EffectiveGasPrice: quantity(w.spec.gasMilliGwei * 1_000_000),
		From: t.from.String(), GasUsed: quantity(int64(t.gasUsed)), Logs: w.sentLogs(t), LogsBloom: emptyBloom, Status: "0x1", TransactionHash: t.tx.Hash().Hex(),
		TransactionIndex: quantity(t.index), Type: quantity(int(t.tx.Type())),
	}
	if t.failed {
		out.Status = "0x0"
	}
	if to := t.tx.To(); to != nil {
		text := address(*to).String()
		out.To = &text
	} else if t.created != nil && !t.failed {
		text := t.created.String()
		out.ContractAddress = &text
	}
	return out
}

func (w *world) sentLogs(t *sentTransaction) []rpcLog {
	logs := []rpcLog{}
	for i, log := range t.logs {
		topics := make([]string, len(log.Topics))
		for j, topic := range log.Topics {
			topics[j] = hexWord(topic)
		}
		logs = append(logs, rpcLog{
			Address: address(log.Address).String(), Topics: topics, Data: "0x" + hexBytes(log.Data), BlockNumber: quantity(t.block),
			BlockTimestamp: quantity(w.spec.timeOfBlock(t.block)), TransactionHash: t.tx.Hash().Hex(), TransactionIndex: quantity(t.index),
			BlockHash: hexHash(w.blockHash(t.block)), LogIndex: quantity(t.logBase + i),
		})
	}
	return logs
}

// withSentLogs adds the matching logs of transactions that were sent, in the order of blocks.
func (w *world) withSentLogs(logs []rpcLog, from, to int64, addresses []string, topics [][]string) []rpcLog {
	before := len(logs)
	for _, t := range w.sent.between(from, to) {
		for _, log := range w.sentLogs(t) {
			if (len(addresses) == 0 || slices.Contains(addresses, log.Address)) && matches(log.Topics, topics) {
				logs = append(logs, log)
			}
		}
	}
	if len(logs) > before {
		slices.SortStableFunc(logs, func(a, b rpcLog) int {
			return cmp.Or(cmp.Compare(parseQuantity(a.BlockNumber), parseQuantity(b.BlockNumber)), cmp.Compare(parseQuantity(a.LogIndex), parseQuantity(b.LogIndex)))
		})
	}
	return logs
}

// parseQuantity reads what quantity wrote.
func parseQuantity(text string) int64 {
	n, _ := strconv.ParseInt(strings.TrimPrefix(text, "0x"), 16, 64)
	return n
}
