package market

import (
	"context"
	"errors"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

// ErrUnavailable is wrapped by every error that means a provider did not answer usefully: it is down, slow, refusing, or
// sending what cannot be read. It never means that the asked-for thing does not exist; that is an empty fact.
var ErrUnavailable = errors.New("provider unavailable")

// ActivityPort reads a wallet's transaction history, newest part first where it must be cut short.
type ActivityPort interface {
	Activity(ctx context.Context, on *chain.Chain, wallet chain.Address) (*Activity, error)
}

// HoldingsPort reads a wallet's current balances, the native coin included, those worth nothing too.
type HoldingsPort interface {
	Holdings(ctx context.Context, on *chain.Chain, wallet chain.Address) ([]Holding, error)
}

// PricePort reads historical USD prices, all in as few calls as the provider allows.
type PricePort interface {
	Prices(ctx context.Context, on *chain.Chain, requests []PriceRequest) ([]PriceSeries, error)
}

// PoolPort reads the current pools of several tokens at once. A token without pools has none in the answer; each token's
// pools are sorted by liquidity, deepest first.
type PoolPort interface {
	Pools(ctx context.Context, on *chain.Chain, tokens []chain.Address) (map[chain.Address][]Pool, error)
}

// CandlePort reads hourly candles.
type CandlePort interface {
	Candles(ctx context.Context, on *chain.Chain, request CandleRequest) (*Candles, error)
}

// ApprovalPort lists a wallet's approvals and re-reads each on chain.
type ApprovalPort interface {
	Approvals(ctx context.Context, on *chain.Chain, wallet chain.Address) (*Approvals, error)
}

// CodePort reads the code at an account.
type CodePort interface {
	Code(ctx context.Context, on *chain.Chain, account chain.Address) (Code, error)
}

// TokenSecurityPort reads security findings of several tokens. A token the provider does not know is missing.
type TokenSecurityPort interface {
	TokenSecurity(ctx context.Context, on *chain.Chain, tokens []chain.Address) (map[chain.Address]TokenSecurity, error)
}

// AddressSecurityPort reads security findings of several accounts.
type AddressSecurityPort interface {
	AddressSecurity(ctx context.Context, on *chain.Chain, accounts []chain.Address) (map[chain.Address]AddressSecurity, error)
}

// Sources names what stands behind each port. An endpoint that declares a port it needs is only started with one behind it.
type Sources struct {
	Activity            ActivityPort
	Holdings            HoldingsPort
	Prices              PricePort
	Pools               PoolPort
	Candles             CandlePort
	Approvals           ApprovalPort
	Code                CodePort
	TokenSecurity       TokenSecurityPort
	AddressSecurity     AddressSecurityPort
	Holders             HolderPort
	Trades              TradePort
	Contracts           ContractPort
	Simulation          SimulationPort
	Listings            ListingPort
	PerpFills           PerpFillPort
	PerpAccounts        PerpAccountPort
	PerpFunding         PerpFundingPort
	PerpLedgers         PerpLedgerPort
	PerpMarkets         PerpMarketPort
	PerpCandles         PerpCandlePort
	PredictionActivity  PredictionActivityPort
	PredictionPositions PredictionPositionPort
	PredictionMarkets   PredictionMarketPort
	PredictionPrices    PredictionPricePort
	// Launches, PoolHistories and the leaderboards are for jobs, which read each once a run: they are not cached.
	Launches              LaunchPort
	PoolHistories         PoolHistoryPort
	PerpLeaderboard       PerpLeaderboardPort
	PredictionLeaderboard PredictionLeaderboardPort
	// Calls and Receipts check what wallets signed and sent: they are never cached.
	Calls    CallPort
	Receipts ReceiptPort
	// memory is behind Remember; nil for none.
	memory *memory
}

// Port names a port in an endpoint's declaration.
type Port string

// The ports by name.
const (
	ActivityFacts           Port = "activity"
	HoldingFacts            Port = "holdings"
	PriceFacts              Port = "prices"
	PoolFacts               Port = "pools"
	CandleFacts             Port = "candles"
	ApprovalFacts           Port = "approvals"
	CodeFacts               Port = "code"
	TokenSecurityFacts      Port = "token-security"
	AddressSecurityFacts    Port = "address-security"
	HolderFacts             Port = "holders"
	TradeFacts              Port = "trades"
	ContractFacts           Port = "contracts"
	SimulationFacts         Port = "simulation"
	ListingFacts            Port = "listings"
	PerpFillFacts           Port = "perp-fills"
	PerpAccountFacts        Port = "perp-accounts"
	PerpFundingFacts        Port = "perp-funding"
	PerpLedgerFacts         Port = "perp-ledgers"
	PerpMarketFacts         Port = "perp-markets"
	PerpCandleFacts         Port = "perp-candles"
	PredictionActivityFacts Port = "prediction-activity"
	PredictionPositionFacts Port = "prediction-positions"
	PredictionMarketFacts   Port = "prediction-markets"
	PredictionPriceFacts    Port = "prediction-prices"

	LaunchFacts                Port = "launches"
	PoolHistoryFacts           Port = "pool-histories"
	PerpLeaderboardFacts       Port = "perp-leaderboard"
	PredictionLeaderboardFacts Port = "prediction-leaderboard"

	CallFacts    Port = "calls"
	ReceiptFacts Port = "receipts"
)

// Has tells whether something stands behind a port.
func (s Sources) Has(port Port) bool {
	switch port {
	case ActivityFacts:
		return s.Activity != nil
	case HoldingFacts:
		return s.Holdings != nil
	case PriceFacts:
		return s.Prices != nil
	case PoolFacts:
		return s.Pools != nil
	case CandleFacts:
		return s.Candles != nil
	case ApprovalFacts:
		return s.Approvals != nil
	case CodeFacts:
		return s.Code != nil
	case TokenSecurityFacts:
		return s.TokenSecurity != nil
	case AddressSecurityFacts:
		return s.AddressSecurity != nil
	case HolderFacts:
		return s.Holders != nil
	case TradeFacts:
		return s.Trades != nil
	case ContractFacts:
		return s.Contracts != nil
	case SimulationFacts:
		return s.Simulation != nil
	case ListingFacts:
		return s.Listings != nil
	case PerpFillFacts:
		return s.PerpFills != nil
	case PerpAccountFacts:
		return s.PerpAccounts != nil
	case PerpFundingFacts:
		return s.PerpFunding != nil
	case PerpLedgerFacts:
		return s.PerpLedgers != nil
	case PerpMarketFacts:
		return s.PerpMarkets != nil
	case PerpCandleFacts:
		return s.PerpCandles != nil
	case PredictionActivityFacts:
		return s.PredictionActivity != nil
	case PredictionPositionFacts:
		return s.PredictionPositions != nil
	case PredictionMarketFacts:
		return s.PredictionMarkets != nil
	case PredictionPriceFacts:
		return s.PredictionPrices != nil
	case LaunchFacts:
		return s.Launches != nil
	case PoolHistoryFacts:
		return s.PoolHistories != nil
	case PerpLeaderboardFacts:
		return s.PerpLeaderboard != nil
	case PredictionLeaderboardFacts:
		return s.PredictionLeaderboard != nil
	case CallFacts:
		return s.Calls != nil
	case ReceiptFacts:
		return s.Receipts != nil
	}
	return false
}
