package market

import (
	"context"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

// PoolLaunch is a pool that was made for a token against one of the chain's quote assets.
type PoolLaunch struct {
	Token chain.Address
	// Pool is the pool's address, or its id in a manager of pools, as in Pool.ID. Version is "v2", "v3" or "v4": constant product,
	// concentrated liquidity, or concentrated liquidity in a manager.
	Pool, Version string
	// Quote is one of the chain's quote assets, chain.Native where the pool holds the coin itself.
	Quote chain.Address
	Block uint64
	Time  time.Time
}

// LaunchesRequest asks for the pools made from an instant (inclusive) to another (exclusive).
type LaunchesRequest struct{ From, To time.Time }

// PoolHistoryRequest asks for what happened in a pool, and with its token, from a while before the pool was made up to an instant.
type PoolHistoryRequest struct {
	Launch PoolLaunch
	Until  time.Time
}

// PoolSwap is one trade in a pool.
type PoolSwap struct {
	Block       uint64
	Transaction Hash
	LogIndex    int
	Time        time.Time
	// Trader is whose balance of the token the transaction changed; zero when nobody's or several accounts', and where the token's
	// own contract sold what it had kept as tax. An account that got less than half of what another got in a purchase is the
	// collector of a tax or a fee, not a second trader.
	Trader chain.Address
	// Buy is true when the token left the pool.
	Buy bool
	// Tokens and Quote are what the pool sent and got, in units, above zero: in a purchase, tokens that a tax kept from arriving
	// count; in a sale, tokens that a tax kept from reaching the pool do not.
	Tokens, Quote float64
	// QuoteReserve is how much of the quote asset the pool held afterwards, in units; NaN when unknown. Where a pool does not tell
	// its reserves, it is what was put in and not taken out since it was made.
	QuoteReserve float64
}

// LiquidityChange is a deposit into a pool or, negative, a withdrawal.
type LiquidityChange struct {
	Block       uint64
	Transaction Hash
	LogIndex    int
	Time        time.Time
	// Provider is who put it in or took it out: whose are the pool's shares, or else whose the tokens; zero when unknown.
	Provider chain.Address
	// Tokens and Quote are in units, NaN when unknown.
	Tokens, Quote float64
	// QuoteReserve is as in PoolSwap.
	QuoteReserve float64
}

// TokenMove is a transfer of a token outside of trades in the pool, into and out of the pool as liquidity too, or what was minted
// in the same transaction as a trade. A trade in another pool is one.
type TokenMove struct {
	Block       uint64
	Transaction Hash
	LogIndex    int
	Time        time.Time
	// From is zero for what was minted.
	From, To chain.Address
	// Share is the part of all that had been minted by then, 0 to 1; of a token that is not new, of PoolHistory.Supply, NaN when
	// that is unknown.
	Share float64
}

// PoolHistory is how a token came to market.
type PoolHistory struct {
	// Swaps, Changes and Moves are in chain order. Moves begin a while before the pool.
	Swaps   []PoolSwap
	Changes []LiquidityChange
	Moves   []TokenMove
	// Decimals are the token's, zero where it tells none; Supply is what had been minted by the end, in units. Of a token that is
	// not new it is what there is of it when it is read; NaN when unknown.
	Decimals int
	Supply   float64
	// MintedAt is when the first of the supply was minted, and MintedTo to whom; zero when that was earlier than what was read, or
	// untold, and the token so not known to be new.
	MintedAt time.Time
	MintedTo chain.Address
	// Until is up to when the history is complete, and not at it: the request's end, or earlier, and Truncated, where there was more
	// than is read or the chain has not come as far.
	Until     time.Time
	Truncated bool
}

// LaunchPort lists the pools that were made on a chain, in chain order, whatever became of them. A token can be in it more than once.
// What the chain has not come to is not in it.
type LaunchPort interface {
	Launches(ctx context.Context, on *chain.Chain, request LaunchesRequest) ([]PoolLaunch, error)
}

// PoolHistoryPort reads the beginning of a pool's life.
type PoolHistoryPort interface {
	PoolHistory(ctx context.Context, on *chain.Chain, request PoolHistoryRequest) (*PoolHistory, error)
}
