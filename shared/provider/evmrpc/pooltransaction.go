package evmrpc

import (
	"math"

	"github.com/holiman/uint256"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// swapBack marks a swap in which the token's own contract sold what it had kept as tax, on the occasion of somebody's transfer.
type swapBack bool

// transactionState is what is known of one transaction while its logs are read.
type transactionState struct {
	// accounts are in the order they were first seen in, with what each got and gave of the token.
	accounts []chain.Address
	flows    map[chain.Address]flow
	moves    []market.TokenMove
	// mintedThen is beside moves.
	mintedThen []float64
	// fromToken and fromOthers tell whose tokens came into the pool, since its last swap in versions 2 and 3.
	fromToken, fromOthers bool
	swaps                 []swapBack
	changes               int
	// minter and burner are who got and gave the pool's own shares last.
	minter, burner chain.Address
}

type flow struct{ got, gave uint256.Int }

func (t *transactionState) reset() {
	flows := t.flows
	if flows == nil {
		flows = make(map[chain.Address]flow)
	}
	clear(flows)
	*t = transactionState{
		accounts: t.accounts[:0], flows: flows, moves: t.moves[:0], mintedThen: t.mintedThen[:0], swaps: t.swaps[:0],
	}
}

func (t *transactionState) transferred(r *poolReader, transfer *Transfer) {
	for _, account := range []chain.Address{transfer.From, transfer.To} {
		if r.leftOut[account] {
			continue
		}
		of, seen := t.flows[account]
		if !seen {
			t.accounts = append(t.accounts, account)
		}
		if account == transfer.From {
			of.gave.Add(&of.gave, &transfer.Amount)
		}
		if account == transfer.To {
			of.got.Add(&of.got, &transfer.Amount)
		}
		t.flows[account] = of
		if transfer.From == transfer.To {
			break
		}
	}
	if transfer.To == r.contract && transfer.From != r.contract {
		t.fromToken = t.fromToken || transfer.From == r.launch.Token
		t.fromOthers = t.fromOthers || transfer.From != r.launch.Token
	}
}

// inflowOf tells whether what a swap took in was the token contract's own, and starts anew for the next swap. Pools of version 4
// settle at the end, so that theirs is looked at then.
func (t *transactionState) inflowOf(version int, buy bool) swapBack {
	if version == 4 {
		return false
	}
	own := t.fromToken && !t.fromOthers && !buy
	t.fromToken, t.fromOthers = false, false
	return swapBack(own)
}

// buyer is the account that got most of the tokens that accounts were left with; zero when it is not clear whose they were. Beside
// it an account that got less than half as much is taken for the collector of a tax or a fee.
func (t *transactionState) buyer() chain.Address {
	var top chain.Address
	most, all := 0.0, 0.0
	for _, account := range t.accounts {
		if of := t.flows[account]; of.got.Gt(&of.gave) {
			gained := new(uint256.Int).Sub(&of.got, &of.gave).Float64()
			all += gained
			if gained > most {
				most, top = gained, account
			}
		}
	}
	if 3*most < 2*all {
		return chain.Address{}
	}
	return top
}

// seller is the account that was left with fewer tokens; zero for none or several.
func (t *transactionState) seller() chain.Address {
	var only chain.Address
	for _, account := range t.accounts {
		if of := t.flows[account]; of.got.Lt(&of.gave) {
			if !only.IsZero() {
				return chain.Address{}
			}
			only = account
		}
	}
	return only
}

// transaction reads the logs of one transaction.
func (r *poolReader) transaction(logs []Log) {
	r.tx.reset()
	for i := range logs {
		r.log(&logs[i])
	}
	t := &r.tx
	traded := false
	swaps := r.history.Swaps[len(r.history.Swaps)-len(t.swaps):]
	for i := range swaps {
		back := bool(t.swaps[i])
		if r.launch.Version == "v4" {
			back = !swaps[i].Buy && t.fromToken && !t.fromOthers
		}
		switch {
		case back:
			continue
		case swaps[i].Buy:
			swaps[i].Trader = t.buyer()
		default:
			swaps[i].Trader = t.seller()
		}
		traded = true
	}
	changes := r.history.Changes[len(r.history.Changes)-t.changes:]
	for i := range changes {
		if c := &changes[i]; r.leftOut[c.Provider] {
			c.Provider = chain.Address{}
			switch {
			case traded:
			case c.Tokens > 0:
				c.Provider = t.seller()
			case c.Tokens < 0:
				c.Provider = t.buyer()
			}
		}
	}
	for i := range t.moves {
		move := &t.moves[i]
		minted := move.From.IsZero() && !move.To.IsZero()
		ofSwap := len(swaps) > 0 && (traded || move.From == r.contract || move.To == r.contract)
		if move.Share > 0 && move.From != move.To && (minted || !ofSwap) {
			r.history.Moves = append(r.history.Moves, *move)
			r.mintedThen = append(r.mintedThen, t.mintedThen[i])
		}
	}
}

// log takes one log. Those of other contracts, other pools and with other topics or data than their event has are left out.
func (r *poolReader) log(log *Log) {
	if len(log.Topics) == 0 || log.Address != r.launch.Token && log.Address != r.contract {
		return
	}
	if log.Topics[0] == transferTopic {
		events := DecodeLogs([]Log{*log})
		switch {
		case len(events.Transfers) == 0:
		case log.Address == r.launch.Token:
			r.transferred(log, &events.Transfers[0])
		case r.launch.Version == "v2":
			r.shares(&events.Transfers[0])
		}
		return
	}
	if log.Address != r.contract || r.launch.Version == "v4" && (len(log.Topics) < 2 || log.Topics[1] != r.poolID) {
		return
	}
	switch log.Topics[0] {
	case uniswapV2SwapTopic, velodromeSwapTopic, uniswapV3SwapTopic, pancakeV3SwapTopic, uniswapV4SwapTopic:
		if events := DecodeLogs([]Log{*log}); len(events.Swaps) == 1 && r.launch.Version == "v"+string(rune('0'+events.Swaps[0].Version)) {
			r.swapped(log, &events.Swaps[0])
		}
	case uniswapV4InitializeTopic:
		if len(log.Topics) == managed.topics && len(log.Data) == 32*managed.words {
			r.root = log.word(3).Float64() / twoTo96
		}
	case modifyLiquidityTopic:
		if change, ok := parseRangeChange(log); ok {
			tokens, quote := change.amounts(r.root)
			if !r.tokenFirst {
				tokens, quote = quote, tokens
			}
			r.changed(log, chain.Address{}, tokens/math.Pow10(r.decimals), quote/math.Pow10(r.quoteDecimals))
		}
	default:
		if amount0, amount1, ok := log.amounts(); ok {
			tokens, quote := r.sides(amount0, amount1)
			r.paid(log, tokens, quote)
		}
	}
}

// shares takes a transfer of the pool's own shares.
func (r *poolReader) shares(t *Transfer) {
	switch {
	case t.From.IsZero() && !t.To.IsZero():
		r.tx.minter = t.To
	case !t.From.IsZero() && t.From != r.contract && (t.To == r.contract || t.To.IsZero()):
		r.tx.burner = t.From
	}
}

// paid takes an event that has amounts of both assets beside each other, in units.
func (r *poolReader) paid(log *Log, tokens, quote float64) {
	switch log.Topics[0] {
	case syncTopic, velodromeSyncTopic:
		r.reserve = quote
	case mintV2Topic:
		r.changed(log, r.tx.minter, tokens, quote)
		r.tx.fromToken, r.tx.fromOthers = false, false
	case burnV2Topic, velodromeBurnTopic:
		r.changed(log, r.tx.burner, -tokens, -quote)
	case mintV3Topic:
		r.changed(log, chain.Address{}, tokens, quote)
		r.tx.fromToken, r.tx.fromOthers = false, false
	case burnV3Topic:
		r.owed[[3]Word(log.Topics[1:4])] += quote
		r.changed(log, chain.Address{}, -tokens, -quote)
	case collectTopic:
		// What a withdrawal left to be collected is out of the reserve already; the rest are fees.
		position := [3]Word(log.Topics[1:4])
		owed := min(quote, r.owed[position])
		r.owed[position] -= owed
		r.reserve -= quote - owed
	case collectProtocolTopic:
		r.reserve -= quote
	case flashTopic:
		r.reserve += quote
	}
}
