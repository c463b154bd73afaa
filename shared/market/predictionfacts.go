package market

import (
	"context"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

// PredictionRole is which side of a trade a wallet's order was.
type PredictionRole uint8

// The roles.
const (
	UnknownRole PredictionRole = iota
	Taker                      // the order that crossed
	Maker                      // the order that was resting
)

// PredictionTrade is one trade of a wallet on a prediction market.
type PredictionTrade struct {
	Time time.Time
	// Market is the condition that is decided, Event what it belongs to: markets of one event are decided together. Asset is the
	// outcome's token, a decimal number.
	Market Hash
	Event  string
	Asset  string
	// Outcome is the index of the outcome within the market, -1 when unknown.
	Outcome int
	Buy     bool
	// Price is in dollars a share, above 0 and below 1. Shares is above zero.
	Price, Shares float64
	// USD is what changed hands, the fee included where the provider includes it.
	USD  float64
	Role PredictionRole
	// Transaction is zero when unknown.
	Transaction Hash
}

// PredictionMoveKind is how shares come and go without a trade.
type PredictionMoveKind uint8

// The kinds of moves.
const (
	OtherMove  PredictionMoveKind = iota
	Split                         // a dollar became a share of every outcome
	Merge                         // a share of every outcome became a dollar
	Redemption                    // shares of a decided market were paid out, or found worthless
	Conversion                    // shares against several outcomes of one event became shares for the others, and dollars
	Reward                        // a payment for being in the market
)

// PredictionMove is one such change of a wallet.
type PredictionMove struct {
	Time   time.Time
	Kind   PredictionMoveKind
	Market Hash
	Event  string
	// Shares is the quantity, of each outcome concerned; USD is what was paid in or out. Both are zero or more, NaN when unknown.
	Shares, USD float64
	Transaction Hash
}

// PredictionActivity is a wallet's history on the venue.
type PredictionActivity struct {
	// Trades and Moves are oldest first, each once.
	Trades []PredictionTrade
	Moves  []PredictionMove
	// Truncated is true when older history exists that was not read; Since is then the time of the oldest entry read.
	Truncated bool
	Since     time.Time
}

// PredictionPosition is what the venue says of a wallet's shares in one outcome, by its own accounts.
type PredictionPosition struct {
	Market         Hash
	Event          string
	Asset, Against string // the outcome's token, and that of the opposite outcome where there are two
	Outcome        int
	// Shares is what is held, zero for a closed position. BoughtShares is all that ever came in by buying.
	Shares, BoughtShares float64
	// AveragePrice is in dollars a share; RealizedUSD is the profit of what was sold or paid out. NaN when unknown.
	AveragePrice, RealizedUSD float64
	// Price is the outcome's price now, or what a share was worth at the end; NaN when unknown.
	Price float64
	// Decided is true when the market's outcome is known.
	Decided bool
	// ClosedAt is when the position was closed, zero for an open one or when unknown; EndsAt is the day the market is meant to end.
	ClosedAt, EndsAt time.Time
}

// PredictionPositions are a wallet's positions.
type PredictionPositions struct {
	// Open are all that are still held: those of decided markets that were never redeemed too, which is where most losers are.
	Open []PredictionPosition
	// Closed are those of which nothing is held, the latest first.
	Closed []PredictionPosition
	// Truncated is true when there are more than were read.
	Truncated bool
}

// PredictionOutcome is one outcome of a market.
type PredictionOutcome struct {
	Asset string
	// Price is in dollars a share now, NaN when unknown. Payout is what a share is worth once the market is decided: 1, 0, or
	// something between where the market was called off; NaN before.
	Price, Payout float64
}

// PredictionMarket is a market as it stands.
type PredictionMarket struct {
	Market   Hash
	Event    string
	Category string // the provider's word, empty when it has none
	Outcomes []PredictionOutcome
	Decided  bool
	// EndsAt is when it is meant to end, ClosedAt when it did; zero when unknown.
	EndsAt, ClosedAt time.Time
	// Exclusive is true when exactly one of the event's markets ends in yes.
	Exclusive bool
	// FeeRate makes the fee of a taker who buys: FeeRate*price*(1-price) a share; NaN when unknown.
	FeeRate float64
	// TickSize is the smallest step of a price, Spread the best offer less the best bid; NaN when unknown.
	TickSize, Spread float64
	// LiquidityUSD is what rests in the book, NaN when unknown.
	LiquidityUSD float64
}

// PredictionPriceRequest asks for an outcome's prices within a time.
type PredictionPriceRequest struct {
	Asset    string
	From, To time.Time
}

// PredictionActivityPort reads a wallet's history, newest part first where it must be cut short. A wallet that the venue does not
// know has none.
type PredictionActivityPort interface {
	PredictionActivity(ctx context.Context, wallet chain.Address) (*PredictionActivity, error)
}

// PredictionPositionPort reads a wallet's positions.
type PredictionPositionPort interface {
	PredictionPositions(ctx context.Context, wallet chain.Address) (*PredictionPositions, error)
}

// PredictionMarketPort reads markets, as many in one call as the provider allows. One that is not known is missing.
type PredictionMarketPort interface {
	PredictionMarkets(ctx context.Context, markets []Hash) (map[Hash]PredictionMarket, error)
}

// PredictionPricePort reads what an outcome cost, in dollars a share and in time order.
type PredictionPricePort interface {
	PredictionPrices(ctx context.Context, request PredictionPriceRequest) ([]PricePoint, error)
}
