package position

import (
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// Side tells which way a trade moved the token.
type Side uint8

// The sides of a trade.
const (
	Buy Side = iota
	Sell
)

// Origin tells how a quantity came into the wallet, or left it, when it was not traded.
type Origin uint8

// The origins of untraded quantities.
const (
	// Airdrop arrived from a distributor or by minting, at no cost.
	Airdrop Origin = iota
	// TransferKnown arrived from, or went to, an account known to belong to the same owner or a protocol that holds it for
	// the owner; the cost carries over.
	TransferKnown
	// TransferUnknown arrived from, or went to, somebody else; the cost is unknown.
	TransferUnknown
	// ExchangeTransfer went to, or came from, a centralised exchange.
	ExchangeTransfer
)

// Trade is one buy or sell of one token.
type Trade struct {
	Time  time.Time
	Block uint64
	// Order breaks ties within a block: transaction index, then position within the transaction.
	Order uint64
	Tx    market.Hash
	Token chain.Address
	Side  Side
	// Quantity is in token units, always positive and net of transfer taxes: what the wallet really received or gave.
	Quantity float64
	// ValueUSD is the worth of the quote leg at the time, without gas. It means nothing when Priced is false.
	ValueUSD float64
	Priced   bool
	// GasUSD is the trade's share of the transaction's gas.
	GasUSD float64
	// Quote is the asset that was paid or received; for a token-to-token swap the other token.
	Quote chain.Address
	// Venue is what was called to trade: a router or pool; zero when unknown.
	Venue chain.Address
	// Counterparty is the account the token itself came from or went to.
	Counterparty chain.Address
	// Swap is true when both legs of the transaction were tokens outside the quote set.
	Swap bool
	// SameBlock is true when the wallet bought and sold the token in one block.
	SameBlock bool
}

// Transfer is a quantity that came or went without being traded.
type Transfer struct {
	Time         time.Time
	Block        uint64
	Order        uint64
	Tx           market.Hash
	Token        chain.Address
	Quantity     float64
	In           bool
	Origin       Origin
	Counterparty chain.Address
	// ValueUSD is known for quote assets only, and zero otherwise.
	ValueUSD float64
}

// Ledger is a wallet's history as trades and transfers, each in chain order.
type Ledger struct {
	Trades    []Trade
	Transfers []Transfer
	// Tokens describes every token traded or transferred.
	Tokens map[chain.Address]market.Token
	// Treasury counts conversions between quote assets; they are not trades.
	Treasury int
	// WastedGasUSD is gas of failed transactions.
	WastedGasUSD float64
	// FailedTransactions counts them.
	FailedTransactions int
	// Transactions counts all transactions that the wallet itself sent.
	Transactions int
	// SpamDropped counts movements of unsolicited spam tokens that were ignored.
	SpamDropped int
	// Truncated and Since say how far back the history reaches.
	Truncated bool
	Since     time.Time
}

// Status is the state of a position.
type Status uint8

// The states of a position.
const (
	Open Status = iota
	// Closed positions ended by selling, or were given up as dead; only these are rated.
	Closed
	// Transferred positions left the wallet for the greater part without being sold.
	Transferred
)

// Ending tells what closed a position.
type Ending uint8

// The ways a position closes.
const (
	NotEnded  Ending = iota
	SoldOut          // at most 5 % of what was acquired is left
	Abandoned        // at least half sold, nothing for 30 days, the rest worth under 10 % of its cost
	Dead             // could not be sold for 5 % of its cost for at least seven days
)

// Mark is a token's current market, by which what is left of a position is valued.
type Mark struct {
	// PriceUSD is the current price; NaN when there is no market at all.
	PriceUSD float64
	// QuoteUSD is the quote side of the deepest pool: how much can be taken out at most.
	QuoteUSD float64
	// SellTax is a fraction, NaN when unknown.
	SellTax float64
	// Unsellable is true when holders cannot sell.
	Unsellable bool
	// Past are earlier prices, in time order, that tell since when a position has been worth nothing.
	Past []market.PricePoint
}

// Position is one episode of holding a token.
type Position struct {
	Token  chain.Address
	Status Status
	Ending Ending
	// OpenedAt is the time of the first trade: a gift or a transfer alone opens nothing.
	OpenedAt time.Time
	// ClosedAt is zero while the position is open.
	ClosedAt time.Time
	// EntryBlock and EntryTx are the first buy's.
	EntryBlock uint64
	EntryTx    market.Hash
	// Buys and Sells count trades.
	Buys, Sells int
	// AcquiredQuantity and RemainingQuantity are in token units.
	AcquiredQuantity, RemainingQuantity float64
	// CostUSD is the cost of everything bought, gas included.
	CostUSD float64
	// MatchedCostUSD and MatchedProceedsUSD belong to the part that was sold and has a known cost. Gas is in both: it adds to
	// cost and lowers proceeds.
	MatchedCostUSD, MatchedProceedsUSD float64
	// ProceedsUSD is everything received for the token, matched or not, net of gas.
	ProceedsUSD float64
	// MatchedShare is the part of the proceeds that was matched to a known cost, 0 to 1; 1 when nothing was sold.
	MatchedShare float64
	// ClosedShare is the part of the acquired quantity that was sold, 0 to 1.
	ClosedShare float64
	// ROI is (matched proceeds - matched cost)/matched cost as a fraction. For open positions it covers the sold part by average
	// cost. NaN when there is no known cost.
	ROI float64
	// PnLUSD is matched proceeds less matched cost.
	PnLUSD float64
	// RecoverableUSD is what selling the rest now would bring, by constant-product impact; NaN when not marked.
	RecoverableUSD float64
	// Holding is the quantity-weighted mean time between buying and selling.
	Holding time.Duration
	// Rateable is true for closed positions whose result is known well enough to count.
	Rateable bool
	// SameBlock is true when the position was bought and sold within one block: nobody could have followed it.
	SameBlock bool
	// Imputed is true when the result was not traded but valued at what could still be recovered.
	Imputed bool
	// AirdropUSD is what was received for quantities that had cost nothing.
	AirdropUSD float64
	// EntryPriceUSD is the mean price of the buys, gas excluded; NaN without a priced buy.
	EntryPriceUSD float64
	// MaximumBuyUSD is the largest single buy.
	MaximumBuyUSD float64
}

// Book is everything the engine made of a ledger.
type Book struct {
	Ledger *Ledger
	// Positions are in order of opening; those of one instant by token address.
	Positions []Position
	// DustSkipped counts positions with a total cost under 5 USD: they are not in Positions.
	DustSkipped int
	// UnmatchedSells counts sells of quantities whose cost is unknown.
	UnmatchedSells int
	// UnpricedTrades counts trades without a value.
	UnpricedTrades int
	// AirdropUSD is the total received for quantities that had cost nothing.
	AirdropUSD float64
	// MatchedShare is the part of all proceeds that was matched to a known cost, 0 to 1; 1 when nothing was sold.
	MatchedShare float64
	// AsOf is the instant the book describes: nothing later is in it.
	AsOf time.Time
}

// Closed returns the closed, rateable positions that a follower could have copied, in order of closing; ties by opening
// time and token. These alone make a trader's record. They are the book's own and must not be modified.
func (b *Book) Closed() []*Position {
	return closedRateable(b.Positions)
}
