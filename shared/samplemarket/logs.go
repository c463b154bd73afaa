package samplemarket

import (
	"encoding/hex"
	"math"
	"math/big"
)

const (
	topicTransfer       = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
	topicApproval       = "0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925"
	topicApprovalForAll = "0x17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31"
	topicPermit2        = "0xda9fa7c1b00402c17d0161b249b1ab8bbec047c5a52207b9c112deffd817036b"
	topicSwapV2         = "0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822"
	topicSync           = "0x1c411e9a96e071241c2f21f7726b17ae89e3cab4c78be50e062b03a9fffbbad1"
	topicSwapV3         = "0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67"
	topicSwapV4         = "0x40e9cecb9f5f1f1c5b9c97dec2917b7ee92e57ba5563708daca94dd84ad7112f"
	topicDeposit        = "0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c"
	topicWithdrawal     = "0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65"
)

// eventLog is one log of a transaction.
type eventLog struct {
	index   int   // in the block
	address int32 // the emitting contract
	topics  []string
	data    string
}

// logStride keeps the log indexes of one block's transactions apart.
const logStride = 128

// logsOf renders the logs of a transaction in the order they were emitted.
func (w *world) logsOf(id int32) []eventLog {
	t := &w.txs[id]
	logs := make([]eventLog, 0, int(t.legCount)+2*int(t.swapped)+1)
	emit := func(address int32, data string, topics ...string) {
		logs = append(logs, eventLog{index: int(t.index)*logStride + len(logs), address: address, topics: topics, data: data})
	}
	wrapper := w.assets[wrappedAsset].entity
	next, changes := t.swaps, w.changesOf(id)
	for j := t.legs; j < t.legs+int32(t.legCount); j++ {
		l := &w.legs[j]
		if len(changes) > 0 && changes[0].first == j {
			w.openingLogs(&changes[0], emit)
		}
		switch {
		case l.asset != nativeAsset:
			emit(w.assets[l.asset].entity, hexWord(w.assets[l.asset].rawWord(l.amount)), topicTransfer, w.addressTopic(l.from), w.addressTopic(l.to))
		case l.to == wrapper:
			emit(wrapper, hexWord(w.assets[wrappedAsset].rawWord(l.amount)), topicDeposit, w.addressTopic(l.from))
		case l.from == wrapper:
			emit(wrapper, hexWord(w.assets[wrappedAsset].rawWord(l.amount)), topicWithdrawal, w.addressTopic(l.to))
		}
		for ; next < t.swaps+int32(t.swapped) && w.swaps[next].after == j; next++ {
			w.swapLogs(&w.swaps[next], emit)
		}
		if len(changes) > 0 && changes[0].after == j {
			w.closingLogs(&changes[0], emit)
			changes = changes[1:]
		}
	}
	if t.approval >= 0 {
		a := &w.approvals[t.approval]
		asset := &w.assets[a.asset]
		switch {
		case asset.kind == assetCollectible:
			emit(asset.entity, hexWord(word(0, 1)), topicApprovalForAll, w.addressTopic(a.owner), w.addressTopic(a.spender))
		case a.permit2:
			emit(w.permit2, hexWord(allowanceWord(asset, a.amount, 160))+hexWord(word(0, uint64(a.expires)))[2:], topicPermit2,
				w.addressTopic(a.owner), w.addressTopic(asset.entity), w.addressTopic(a.spender))
		default:
			emit(asset.entity, hexWord(allowanceWord(asset, a.amount, 256)), topicApproval, w.addressTopic(a.owner), w.addressTopic(a.spender))
		}
	}
	return logs
}

// swapLogs emits what a pool says about a swap, in its version's terms.
func (w *world) swapLogs(s *swap, emit func(address int32, data string, topics ...string)) {
	p := &w.pools[s.pool]
	token, quote := &w.assets[p.token], &w.assets[p.quote]
	tokenFirst := w.tokenIsFirst(p)
	router := w.addressTopic(s.router)
	trader := w.addressTopic(s.trader)
	pair := func(a, b [32]byte) string {
		if !tokenFirst {
			a, b = b, a
		}
		return hexWord(a)[2:] + hexWord(b)[2:]
	}
	switch p.version {
	case poolV2:
		emit(p.entity, "0x"+pair(token.rawWord(s.tokenReserve), quote.rawWord(s.quoteReserve)), topicSync)
		in := pair(token.rawWord(max(0, -s.tokenOut)), quote.rawWord(max(0, -s.quoteOut)))
		out := pair(token.rawWord(max(0, s.tokenOut)), quote.rawWord(max(0, s.quoteOut)))
		emit(p.entity, "0x"+in+out, topicSwapV2, router, trader)
	default:
		price, liquidity, tick := w.curve(p, s.tokenReserve, s.quoteReserve)
		state := bigWord(price) + bigWord(liquidity) + bigWord(big.NewInt(tick))
		if p.version == poolV3 {
			emit(p.entity, "0x"+pair(token.rawWord(-s.tokenOut), quote.rawWord(-s.quoteOut))+state, topicSwapV3, router, trader)
			return
		}
		emit(p.entity, "0x"+pair(token.rawWord(s.tokenOut), quote.rawWord(s.quoteOut))+state+hexWord(word(0, uint64(p.feeHundredth)))[2:],
			topicSwapV4, hexHash(p.id), router)
	}
}

func (w *world) tokenIsFirst(p *pool) bool {
	return w.entities[w.assets[p.token].entity].address.less(w.entities[w.assets[p.quote].entity].address)
}

// curve is a pool's state in the terms of concentrated liquidity: sqrtPriceX96, liquidity and tick (Uniswap v3 white paper, 2021).
func (w *world) curve(p *pool, tokenReserve, quoteReserve int64) (sqrtPriceX96, liquidity *big.Int, tick int64) {
	first := new(big.Float).SetInt(w.assets[p.token].rawBig(tokenReserve))
	second := new(big.Float).SetInt(w.assets[p.quote].rawBig(quoteReserve))
	if !w.tokenIsFirst(p) {
		first, second = second, first
	}
	if first.Sign() == 0 || second.Sign() == 0 {
		return new(big.Int), new(big.Int), 0
	}
	ratio := new(big.Float).Quo(second, first)
	root := new(big.Float).Sqrt(ratio)
	sqrtPriceX96, _ = new(big.Float).SetMantExp(root, 96).Int(nil)
	liquidity, _ = new(big.Float).Sqrt(new(big.Float).Mul(first, second)).Int(nil)
	price, _ := ratio.Float64()
	return sqrtPriceX96, liquidity, int64(math.Floor(math.Log(price) / math.Log(1.0001)))
}

func (a *asset) rawBig(units int64) *big.Int {
	return new(big.Int).Mul(big.NewInt(units), new(big.Int).SetUint64(powersOfTen[a.decimals-a.digits]))
}

// allowanceWord is an allowance of so many bits; unlimited is all of them set.
func allowanceWord(a *asset, units int64, bits int) [32]byte {
	if units != unlimitedAmount {
		return a.rawWord(units)
	}
	var w [32]byte
	for i := 32 - bits/8; i < 32; i++ {
		w[i] = 0xff
	}
	return w
}

func hexHash(h [32]byte) string { return "0x" + hex.EncodeToString(h[:]) }

func hexWord(w [32]byte) string { return "0x" + hex.EncodeToString(w[:]) }

// bigWord is a number as a 32-byte word in two's complement, without 0x.
func bigWord(n *big.Int) string {
	if n.Sign() < 0 {
		n = new(big.Int).Add(n, new(big.Int).Lsh(big.NewInt(1), 256))
	}
	var w [32]byte
	n.FillBytes(w[:])
	return hex.EncodeToString(w[:])
}

func (w *world) addressTopic(entity int32) string {
	return "0x000000000000000000000000" + hex.EncodeToString(w.entities[entity].address[:])
}

func parseHash(text string) (h [32]byte, ok bool) {
	if len(text) != 66 || text[:2] != "0x" {
		return h, false
	}
	_, err := hex.Decode(h[:], []byte(text[2:]))
	return h, err == nil
}

// input is the calldata of a transaction: its selector and, for the plain ERC-20 calls, its arguments.
func (w *world) input(t *transaction) string {
	spec := &methods[t.method]
	if spec.selector == "" {
		return "0x"
	}
	data := "0x" + spec.selector
	switch {
	case t.method == methodTransfer && t.legCount == 1:
		l := &w.legs[t.legs]
		data += w.addressTopic(l.to)[2:] + hexWord(w.assets[l.asset].rawWord(l.amount))[2:]
	case t.method == methodApprove && t.approval >= 0:
		a := &w.approvals[t.approval]
		data += w.addressTopic(a.spender)[2:] + hexWord(allowanceWord(&w.assets[a.asset], a.amount, 256))[2:]
	case t.method == methodApproveAll && t.approval >= 0:
		data += w.addressTopic(w.approvals[t.approval].spender)[2:] + hexWord(word(0, 1))[2:]
	}
	return data
}
