package evmrpc

import (
	"fmt"
	"math"
	"time"

	"github.com/holiman/uint256"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// mostQuote is more units of a quote asset than there are of any.
const mostQuote = 1e13

// poolReader turns the logs of a pool and of its token, in chain order, into the pool's history.
type poolReader struct {
	launch   *market.PoolLaunch
	contract chain.Address // the pool itself, for version 4 the manager of pools
	poolID   Word          // in version 4
	// leftOut are accounts that are nobody's: no trader and no provider.
	leftOut                 map[chain.Address]bool
	tokenFirst              bool
	decimals, quoteDecimals int

	history market.PoolHistory
	dropped int
	// minted is in units; mintedThen is its value at each of the history's moves, whose share is still their amount in units.
	minted     float64
	mintedThen []float64
	// isNew is true while all of the token that moved had been minted within the logs, which is looked at until trading begins.
	isNew, trading bool
	balances       map[chain.Address]*uint256.Int

	reserve float64 // of the quote asset, in units
	root    float64 // square root of the price in version 4, zero before it is known
	owed    map[[3]Word]float64

	tx transactionState
}

// newPoolReader makes a reader for a launch, and the filters of the logs that it reads.
//
// What logs cannot tell, it does not: who traded where several accounts' balances changed; whose money a position manager put in,
// beyond whose tokens it took; reserves of versions 3 and 4, which are counted from what was put in and taken out, for version 3
// with the fees that were not collected yet, for version 4 without fees. Another pool of the token looks like a trader where
// somebody trades one against the other, and a trade there like a transfer.
func newPoolReader(on *chain.Chain, launch *market.PoolLaunch) (*poolReader, []logFilter, error) {
	refuse := func(why string) (*poolReader, []logFilter, error) {
		return nil, nil, fmt.Errorf("the history of pool %q of %s on %s: %s", launch.Pool, launch.Token, on.Slug, why)
	}
	if on.IsQuote(launch.Token) || !on.IsQuote(launch.Quote) {
		return refuse("one side must be a quote asset and the other not")
	}
	r := &poolReader{launch: launch, isNew: true, balances: make(map[chain.Address]*uint256.Int), owed: make(map[[3]Word]float64)}
	r.tokenFirst = launch.Token.Compare(launch.Quote) < 0
	r.quoteDecimals = on.WrappedNative.Decimals
	for _, quote := range on.Quotes() {
		if quote.Address == launch.Quote {
			r.quoteDecimals = quote.Decimals
		}
	}
	manager, managed := managerOf(on)
	transfers := logFilter{[]chain.Address{launch.Token}, topics{{transferTopic}}}
	var filters []logFilter
	switch launch.Version {
	case "v2", "v3":
		pool, err := chain.ParseWireAddress(launch.Pool)
		if err != nil {
			return refuse(err.Error())
		}
		r.contract = pool
		filters = []logFilter{{[]chain.Address{launch.Token, pool}, topics{append([]Word{transferTopic}, poolTopics[launch.Version]...)}}}
	case "v4":
		id, err := parseWord(launch.Pool)
		if err != nil || !managed {
			return refuse("no id of a pool, or no manager of pools on the chain")
		}
		r.contract, r.poolID = manager, id
		filters = []logFilter{transfers, {[]chain.Address{manager}, topics{poolTopics["v4"], {id}}}}
	default:
		return refuse("unknown version " + launch.Version)
	}
	r.leftOut = map[chain.Address]bool{{}: true, chain.Burn: true, launch.Token: true, r.contract: true, manager: true}
	r.history = market.PoolHistory{Swaps: []market.PoolSwap{}, Changes: []market.LiquidityChange{}, Moves: []market.TokenMove{}}
	return r, filters, nil
}

// read takes the logs, in order and with their times.
func (r *poolReader) read(logs []Log) {
	for begin := 0; begin < len(logs); {
		end := begin + 1
		for end < len(logs) && logs[end].Transaction == logs[begin].Transaction && logs[end].Block == logs[begin].Block {
			end++
		}
		r.transaction(logs[begin:end])
		begin = end
	}
	r.isNew = r.isNew && !r.history.MintedAt.IsZero()
}

// finish gives the history, with all there is of the token, in units; NaN when unknown.
func (r *poolReader) finish(supply float64) *market.PoolHistory {
	h := &r.history
	h.Decimals, h.Supply = r.decimals, supply
	if !r.isNew {
		h.MintedAt, h.MintedTo = time.Time{}, chain.Address{}
	}
	for i := range h.Moves {
		all := supply
		if r.isNew {
			all = r.mintedThen[i]
		}
		h.Moves[i].Share = min(1, h.Moves[i].Share/all)
	}
	return h
}

// transferred takes a transfer of the token.
func (r *poolReader) transferred(log *Log, t *Transfer) {
	amount := market.Units(&t.Amount, r.decimals)
	if t.From.IsZero() && !t.To.IsZero() {
		if r.history.MintedAt.IsZero() {
			r.history.MintedAt, r.history.MintedTo = log.Time, t.To
		}
		r.minted += amount
	}
	if !r.trading {
		r.hold(t)
	}
	r.tx.transferred(r, t)
	r.tx.moves = append(r.tx.moves, market.TokenMove{
		Block: log.Block, Transaction: log.Transaction, LogIndex: log.Index, Time: log.Time, From: t.From, To: t.To, Share: amount,
	})
	r.tx.mintedThen = append(r.tx.mintedThen, r.minted)
}

// hold keeps balances: whoever gives more than it got had some before.
func (r *poolReader) hold(t *Transfer) {
	if t.Amount.IsZero() {
		return
	}
	if !t.From.IsZero() {
		held := r.balances[t.From]
		if held == nil || held.Lt(&t.Amount) {
			r.isNew = false
			return
		}
		held.Sub(held, &t.Amount)
	}
	if held := r.balances[t.To]; held != nil {
		held.Add(held, &t.Amount)
	} else {
		r.balances[t.To] = t.Amount.Clone()
	}
}

// sides puts raw amounts of token 0 and token 1 in units of the token and of the quote asset.
func (r *poolReader) sides(amount0, amount1 *uint256.Int) (tokens, quote float64) {
	if !r.tokenFirst {
		amount0, amount1 = amount1, amount0
	}
	return market.Units(amount0, r.decimals), market.Units(amount1, r.quoteDecimals)
}

// net is what went out of a pool less what came in, of which at most one is above zero in anything but odd swaps.
func net(out, in *uint256.Int) (left, came uint256.Int) {
	if out.Lt(in) {
		came.Sub(in, out)
	} else {
		left.Sub(out, in)
	}
	return left, came
}

// swapped takes a swap in the pool.
func (r *poolReader) swapped(log *Log, s *Swap) {
	left0, came0 := net(&s.Amount0Out, &s.Amount0In)
	left1, came1 := net(&s.Amount1Out, &s.Amount1In)
	tokensLeft, quoteLeft := r.sides(&left0, &left1)
	tokensCame, quoteCame := r.sides(&came0, &came1)
	fee := 0.0
	if s.Version == 4 {
		if fee = log.word(5).Float64() / 1e6; fee > 1 {
			r.dropped++
			return
		}
		r.root = log.word(2).Float64() / twoTo96
	}
	if s.Version > 2 {
		r.reserve += quoteCame*(1-fee) - quoteLeft
	}
	buy, sale := tokensLeft > 0 && quoteCame > 0, tokensCame > 0 && quoteLeft > 0
	back := r.tx.inflowOf(s.Version, buy)
	tokens, quote := tokensLeft+tokensCame, quoteLeft+quoteCame
	if !buy && !sale || quote > mostQuote || math.IsInf(tokens, 0) {
		// Nothing changed hands, or what no trade can be: a loan that was paid back at once, a hook's own accounting.
		r.dropped++
		return
	}
	r.trading = true
	r.tx.swaps = append(r.tx.swaps, back)
	r.history.Swaps = append(r.history.Swaps, market.PoolSwap{
		Block: log.Block, Transaction: log.Transaction, LogIndex: log.Index, Time: log.Time,
		Buy: buy, Tokens: tokens, Quote: quote, QuoteReserve: r.quoteReserve(),
	})
}

// quoteReserve is the reserve as it is told: rounding leaves an emptied pool of version 3 or 4 a hair beside zero.
func (r *poolReader) quoteReserve() float64 {
	if r.reserve > mostQuote {
		return math.NaN()
	}
	return max(0, r.reserve)
}

// changed takes a deposit or, negative, a withdrawal, in units.
func (r *poolReader) changed(log *Log, provider chain.Address, tokens, quote float64) {
	if r.launch.Version != "v2" {
		r.reserve += quote
	}
	if tokens == 0 && quote == 0 {
		return
	}
	if math.Abs(quote) > mostQuote || math.IsInf(tokens, 0) {
		tokens, quote = math.NaN(), math.NaN()
	}
	r.tx.changes++
	r.history.Changes = append(r.history.Changes, market.LiquidityChange{
		Block: log.Block, Transaction: log.Transaction, LogIndex: log.Index, Time: log.Time,
		Provider: provider, Tokens: tokens, Quote: quote, QuoteReserve: r.quoteReserve(),
	})
}
