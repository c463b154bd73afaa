package evmrpc

import (
	"github.com/holiman/uint256"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// nativeReceived derives what a wallet got of the native coin inside a transaction, which leaves no log of its own.
//
// The rule keeps the books of the contracts in between. The coin reaches them by the transaction's value, by unwrapping
// (Withdrawal) and from pools of Uniswap v4, which pay it without a log; it leaves them by wrapping (Deposit) and into
// pools of v4. What is left over went to the wallet, under these conditions:
//   - the wallet gave tokens and got none but those it gave: a sale for the native coin, a redemption, an unstaking; or it
//     gave the coin alone, all of it was wrapped, and some was unwrapped again: change of a purchase;
//   - of the transaction's value only what was seen to be wrapped or swapped counts as having reached the contracts: what
//     was not is a payment or a fee, and never comes back by this rule;
//   - where somebody else signed, as with sponsored gas, one of the wallet's outgoing transfers must have gone into a swap of
//     this transaction.
//
// Fees that a router takes from the coin on its way are counted as received, because no log tells them.
func nativeReceived(on *chain.Chain, wallet chain.Address, f *foundTransaction, tokens []market.Movement) (amount uint256.Int, from chain.Address, ok bool) {
	receipt := f.receipt
	gave, got := false, false
	for i := range tokens {
		gave = gave || !tokens[i].In
		got = got || tokens[i].In && !gives(tokens, tokens[i].Token)
	}
	if gave == got || (f.body.sender != wallet && !(gave && swapped(receipt, tokens))) {
		return uint256.Int{}, chain.Address{}, false
	}
	var released, absorbed uint256.Int
	for _, wrap := range receipt.Wraps {
		if wrap.Token != on.WrappedNative.Address || wrap.Account == wallet {
			continue
		}
		if wrap.Unwrap {
			released.Add(&released, &wrap.Amount)
			from = wrap.Account
		} else {
			absorbed.Add(&absorbed, &wrap.Amount)
		}
	}
	paid, paidBy, taken := managerNative(receipt)
	released.Add(&released, &paid)
	absorbed.Add(&absorbed, &taken)
	if !paid.IsZero() {
		from = paidBy
	}
	if got && (f.body.value.IsZero() || f.body.value != absorbed) {
		return uint256.Int{}, chain.Address{}, false
	}
	value := f.body.value
	if absorbed.Lt(&value) {
		value = absorbed
	}
	released.Add(&released, &value)
	if !released.Gt(&absorbed) {
		return uint256.Int{}, chain.Address{}, false
	}
	return *released.Sub(&released, &absorbed), from, true
}

func gives(tokens []market.Movement, token chain.Address) bool {
	for i := range tokens {
		if !tokens[i].In && tokens[i].Token == token {
			return true
		}
	}
	return false
}

// swapped tells whether something the wallet gave went into a swap: to the pool itself, or in the very amount.
func swapped(receipt *Receipt, tokens []market.Movement) bool {
	for i := range tokens {
		for j := range receipt.Swaps {
			swap := &receipt.Swaps[j]
			if !tokens[i].In && (tokens[i].Counterparty == swap.Contract ||
				tokens[i].Amount == swap.Amount0In || tokens[i].Amount == swap.Amount1In) {
				return true
			}
		}
	}
	return false
}

// managerNative tells what Uniswap v4 pools paid out and took in of the native coin. The pool manager settles each token
// once for all its pools, so legs of equal amounts that one swap pays and another takes never leave it; legs that match an
// ERC-20 transfer from or to the manager are tokens. What then remains is the native coin, unless a transfer remains as
// well, whose amount a hook changed.
func managerNative(receipt *Receipt) (paid uint256.Int, manager chain.Address, taken uint256.Int) {
	var outs, ins []uint256.Int
	for i := range receipt.Swaps {
		swap := &receipt.Swaps[i]
		if swap.Version != 4 {
			continue
		}
		manager = swap.Contract
		for _, in := range []uint256.Int{swap.Amount0In, swap.Amount1In} {
			if !in.IsZero() && !take(&outs, in) {
				ins = append(ins, in)
			}
		}
		for _, out := range []uint256.Int{swap.Amount0Out, swap.Amount1Out} {
			if !out.IsZero() && !take(&ins, out) {
				outs = append(outs, out)
			}
		}
	}
	if manager.IsZero() {
		return
	}
	unmatchedOut, unmatchedIn := false, false
	for _, transfer := range receipt.Transfers {
		if transfer.From == manager && !take(&outs, transfer.Amount) {
			unmatchedOut = true
		}
		if transfer.To == manager && !take(&ins, transfer.Amount) {
			unmatchedIn = true
		}
	}
	if !unmatchedOut {
		for i := range outs {
			paid.Add(&paid, &outs[i])
		}
	}
	if !unmatchedIn {
		for i := range ins {
			taken.Add(&taken, &ins[i])
		}
	}
	return paid, manager, taken
}

// take removes one element of the given amount.
func take(amounts *[]uint256.Int, amount uint256.Int) bool {
	for i, candidate := range *amounts {
		if candidate == amount {
			*amounts = append((*amounts)[:i], (*amounts)[i+1:]...)
			return true
		}
	}
	return false
}
