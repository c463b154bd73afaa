package market

import (
	"context"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

// PerpFill is one fill of an order of an account on a perpetuals venue.
type PerpFill struct {
	// Coin is the venue's name of the contract, like "BTC" or "kPEPE" (a thousand PEPE). A contract of a builder's exchange has
	// that exchange's name before a colon, like "xyz:CL".
	Coin string
	Time time.Time
	Buy  bool
	// Price is in USD, Size in coins; both are above zero.
	Price, Size float64
	// Before is the signed position before the fill in coins, negative for a short one.
	Before float64
	// ClosedPnLUSD is the profit that the venue realised with the fill, before fees; 0 where it closed nothing.
	ClosedPnLUSD float64
	// FeeUSD is what was paid for the fill, negative for a rebate.
	FeeUSD float64
	// Order is the venue's number of the order, Trade that of the fill, TWAP that of the schedule which the order was a slice of.
	// Zero means unknown, or no schedule.
	Order, Trade, TWAP int64
	// Maker is true when the account's order was resting in the book.
	Maker bool
	// Forced tells who closed the position where the account did not.
	Forced ForcedClose
}

// ForcedClose is why a position was closed by somebody other than the account.
type ForcedClose uint8

// The ways in which a venue closes positions.
const (
	NotForced       ForcedClose = iota
	Liquidated                  // for want of margin
	AutoDeleveraged             // to cover somebody else's loss
	Settled                     // with the end of the contract
)

// PerpFills are an account's fills of perpetual contracts.
type PerpFills struct {
	// Fills are in the venue's order, oldest first, each once.
	Fills []PerpFill
	// FirstOther is the time of the first fill that is none of a perpetual contract: of a spot pair, or a conversion of dust. It is zero
	// without any.
	FirstOther time.Time
	// Truncated is true when older fills exist that the venue does not give; Since is then the time of the oldest fill read, of
	// whatever kind.
	Truncated bool
	Since     time.Time
}

// PerpPosition is an open position.
type PerpPosition struct {
	Coin string
	// Size is signed, in coins, never zero.
	Size float64
	// EntryPrice is the mean price paid, NaN when unknown. ValueUSD is the size at the mark price, above zero.
	EntryPrice, ValueUSD float64
	// UnrealizedUSD is the profit at the mark price; ReturnOnEquity is that over the margin, a fraction, NaN when unknown.
	UnrealizedUSD, ReturnOnEquity float64
	// LiquidationPrice is the venue's own, NaN when it gives none.
	LiquidationPrice float64
	// MarginUsedUSD is what the position ties up. Leverage is what the account set, MaximumLeverage what the
	// venue allows, NaN when unknown.
	MarginUsedUSD             float64
	Leverage, MaximumLeverage float64
	// Isolated is true when only the position's own margin answers for it.
	Isolated bool
	// FundingUSD is what the position paid in funding since it was opened, negative for what it received; NaN when unknown.
	FundingUSD float64
}

// PerpClearinghouse is an account's margin on one exchange of the venue: its main one, or one that a builder runs.
type PerpClearinghouse struct {
	// Exchange is empty for the main one.
	Exchange string
	// ValueUSD is the account's equity, profits and losses at the mark price included. It may be negative.
	ValueUSD float64
	// CrossMaintenanceUSD is what the positions that share margin need in order not to be liquidated, NaN when unknown.
	CrossMaintenanceUSD float64
	// CrossValueUSD is the equity that answers for those positions.
	CrossValueUSD float64
	Positions     []PerpPosition
}

// PerpAccount is how an account stands now.
type PerpAccount struct {
	// Clearinghouses has the main one first.
	Clearinghouses []PerpClearinghouse
	// SpotDollars is what the account holds in dollar coins beside its margin, which some accounts use as margin too; NaN when it
	// could not be read.
	SpotDollars float64
}

// PerpPayment is one hour's funding of one position.
type PerpPayment struct {
	Time time.Time
	Coin string
	// USD is negative for what was paid. Size is the signed position in coins, Rate the hour's rate as a fraction of its value.
	USD, Size, Rate float64
}

// PerpFunding are an account's funding payments, oldest first.
type PerpFunding struct {
	Payments []PerpPayment
	// Truncated is true when payments after Until were not read.
	Truncated bool
	Until     time.Time
}

// PerpTransferKind is what moved an account's money besides trading.
type PerpTransferKind uint8

// The kinds of transfers.
const (
	OtherTransfer PerpTransferKind = iota
	Deposit
	Withdrawal
	// InternalTransfer is between accounts of the venue, or between an account's own parts.
	InternalTransfer
	VaultTransfer
	LiquidationTransfer
)

// PerpTransfer is one entry of an account's ledger.
type PerpTransfer struct {
	Time time.Time
	Kind PerpTransferKind
	// USD is what was moved, NaN when the venue does not say.
	USD float64
}

// PerpLedger is what moved an account's money besides trading and funding, oldest first.
type PerpLedger struct {
	Transfers []PerpTransfer
	// Truncated is true when later entries were not read.
	Truncated bool
}

// PerpMarket is a contract as it is traded now.
type PerpMarket struct {
	Coin string
	// MarkPrice and OraclePrice are in USD, NaN when unknown.
	MarkPrice, OraclePrice float64
	// FundingHourly is the rate of the current hour as a fraction of a position's value: positive when longs pay. NaN when unknown.
	FundingHourly float64
	// OpenInterestUSD and VolumeUSD24h are NaN when unknown.
	OpenInterestUSD, VolumeUSD24h float64
	// Tiers are the margin tiers, the first from 0 on, in ascending order; there is at least one.
	Tiers []MarginTier
	// OnlyIsolated is true where positions cannot share margin. Delisted contracts are not traded any more.
	OnlyIsolated, Delisted bool
}

// MarginTier is the highest leverage that a position of at least so much value may have.
type MarginTier struct {
	FromUSD         float64
	MaximumLeverage float64
}

// PerpCandleRequest asks for daily candles with opening times from From (inclusive) to To (exclusive).
type PerpCandleRequest struct {
	Coin     string
	From, To time.Time
}

// PerpFillPort reads an account's fills. An account that the venue does not know has none.
type PerpFillPort interface {
	PerpFills(ctx context.Context, account chain.Address) (*PerpFills, error)
}

// PerpAccountPort reads how an account stands, on the venue's main exchange and on those of builders that are named.
type PerpAccountPort interface {
	PerpAccount(ctx context.Context, account chain.Address, builders []string) (*PerpAccount, error)
}

// PerpFundingPort reads an account's funding payments from an instant on.
type PerpFundingPort interface {
	PerpFunding(ctx context.Context, account chain.Address, since time.Time) (*PerpFunding, error)
}

// PerpLedgerPort reads an account's ledger from its beginning.
type PerpLedgerPort interface {
	PerpLedger(ctx context.Context, account chain.Address) (*PerpLedger, error)
}

// PerpMarketPort reads all contracts of one exchange, the main one by the empty name. An exchange that does not exist has none.
type PerpMarketPort interface {
	PerpMarkets(ctx context.Context, exchange string) ([]PerpMarket, error)
}

// PerpCandlePort reads a contract's daily candles, in USD, in time order.
type PerpCandlePort interface {
	PerpCandles(ctx context.Context, request PerpCandleRequest) ([]Candle, error)
}
