package accuracy

import (
	"math/big"

	"github.com/holiman/uint256"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/evmrpc"
)

// How an amount of a swap was found among the other logs of its receipt.
const (
	byTransfer  = "by one transfer"
	byTransfers = "by the sum of transfers"
	byNetting   = "netted against another swap"
	byNative    = "in the native coin"
	// Tokens that tax, burn or rebase change balances without a log that says so.
	byAdjustingToken = "within 2 % in a token that changes balances"
	// Version 4 settles a token once for swaps, collected fees and liquidity together.
	byLiquidity = "settled together with liquidity"
)

type leg struct {
	amount uint256.Int
	in     bool
	token  int // 0 or 1
}

func legsOf(swap *evmrpc.Swap) []leg {
	legs := make([]leg, 0, 2)
	for _, l := range []leg{{swap.Amount0In, true, 0}, {swap.Amount0Out, false, 0}, {swap.Amount1In, true, 1}, {swap.Amount1Out, false, 1}} {
		if !l.amount.IsZero() {
			legs = append(legs, l)
		}
	}
	return legs
}

// conserve checks that what the swaps of a receipt report as paid in and out was paid.
func (a *receiptAudit) conserve(receipt *evmrpc.Receipt) {
	for i := range receipt.Swaps {
		swap := &receipt.Swaps[i]
		if a.legs[swap.Version] == nil {
			a.legs[swap.Version] = make(map[string]int)
		}
		right := true
		for _, l := range legsOf(swap) {
			kind := evidence(receipt, swap, l)
			if kind == "" {
				right, kind = false, "not found"
			}
			a.legs[swap.Version][kind]++
		}
		a.conserved[swap.Version].add(right)
	}
}

// evidence tells by what other logs an amount is confirmed, empty when by none.
func evidence(receipt *evmrpc.Receipt, swap *evmrpc.Swap, l leg) string {
	sums := make(map[chain.Address]*uint256.Int)
	for i := range receipt.Transfers {
		t := &receipt.Transfers[i]
		if l.in && t.To != swap.Contract || !l.in && t.From != swap.Contract {
			continue
		}
		if t.Amount == l.amount {
			return byTransfer
		}
		if sums[t.Token] == nil {
			sums[t.Token] = new(uint256.Int)
		}
		sums[t.Token].Add(sums[t.Token], &t.Amount)
	}
	for _, sum := range sums {
		if *sum == l.amount {
			return byTransfers
		}
	}
	if swap.Version < 4 {
		if adjusting(receipt, swap, l.token) {
			return byAdjustingToken
		}
		return ""
	}
	for i := range receipt.Swaps {
		for _, opposite := range legsOf(&receipt.Swaps[i]) {
			if &receipt.Swaps[i] != swap && receipt.Swaps[i].Contract == swap.Contract && opposite.in != l.in && opposite.amount == l.amount {
				return byNetting
			}
		}
	}
	if changesLiquidity(receipt, swap.Contract) {
		return byLiquidity
	}
	// The native coin leaves no log: it is the one side on which the manager moved no token, while the other side is confirmed.
	if len(sums) == 0 {
		for _, opposite := range legsOf(swap) {
			if opposite.in != l.in && evidenceByTransfer(receipt, swap, opposite) {
				return byNative
			}
		}
	}
	return ""
}

func evidenceByTransfer(receipt *evmrpc.Receipt, swap *evmrpc.Swap, l leg) bool {
	for i := range receipt.Transfers {
		t := &receipt.Transfers[i]
		if t.Amount == l.amount && (l.in && t.To == swap.Contract || !l.in && t.From == swap.Contract) {
			return true
		}
	}
	return false
}

// adjusting compares the pool's net flow of one of its tokens by its swaps with that by transfers.
func adjusting(receipt *evmrpc.Receipt, swap *evmrpc.Swap, token int) bool {
	bySwaps := new(big.Int)
	for i := range receipt.Swaps {
		if receipt.Swaps[i].Contract != swap.Contract {
			continue
		}
		for _, l := range legsOf(&receipt.Swaps[i]) {
			if l.token == token {
				addFlow(bySwaps, &l.amount, l.in)
			}
		}
	}
	byTransfers := make(map[chain.Address]*big.Int)
	for i := range receipt.Transfers {
		t := &receipt.Transfers[i]
		if t.From != swap.Contract && t.To != swap.Contract {
			continue
		}
		if byTransfers[t.Token] == nil {
			byTransfers[t.Token] = new(big.Int)
		}
		addFlow(byTransfers[t.Token], &t.Amount, t.To == swap.Contract)
	}
	for _, sum := range byTransfers {
		difference := new(big.Int).Sub(bySwaps, sum)
		difference.Abs(difference).Mul(difference, big.NewInt(50))
		if difference.CmpAbs(bySwaps) <= 0 {
			return true
		}
	}
	return false
}

func addFlow(sum *big.Int, amount *uint256.Int, in bool) {
	if in {
		sum.Add(sum, amount.ToBig())
	} else {
		sum.Sub(sum, amount.ToBig())
	}
}

// changesLiquidity tells whether the manager logged ModifyLiquidity(bytes32,address,int24,int24,int256,bytes32).
func changesLiquidity(receipt *evmrpc.Receipt, manager chain.Address) bool {
	const topic = "0xf208f4912782fd25c7f114ca3723a2d5dd6f3bcc3ac8db5af63baa85f711d5ec"
	for i := range receipt.Logs {
		if log := &receipt.Logs[i]; log.Address == manager && len(log.Topics) > 0 && log.Topics[0].String() == topic {
			return true
		}
	}
	return false
}
