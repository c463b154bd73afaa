package market

import (
	"math"
	"time"

	"github.com/holiman/uint256"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

// Hash is a transaction hash.
type Hash [32]byte

// Token is what is known of a token by its address alone. A chain's own coin has the address chain.Native.
type Token struct {
	Address chain.Address
	// Symbol and Name are whatever the deployer wrote: never to be shown as they are.
	Symbol, Name string
	// Decimals scale raw amounts. Known is false when the provider did not tell them.
	Decimals int
	Known    bool
	// Spam is set when the provider lists the token as a scam or as spam.
	Spam bool
	// TotalSupply is raw; zero when unknown.
	TotalSupply uint256.Int
	// Holders counts accounts that hold the token; zero when unknown.
	Holders int
}

// NativeToken describes a chain's own coin, as far as it is the same on every chain: EVM coins have 18 decimals.
func NativeToken(on *chain.Chain) Token {
	return Token{Address: chain.Native, Symbol: on.NativeSymbol, Name: on.NativeSymbol, Decimals: 18, Known: true}
}

// Amount is a raw token quantity.
type Amount = uint256.Int

// Units converts a raw amount to token units.
func Units(raw *Amount, decimals int) float64 {
	if raw.IsUint64() {
		return float64(raw.Uint64()) / math.Pow10(decimals)
	}
	return raw.Float64() / math.Pow10(decimals)
}

// Account is a counterparty as far as a provider describes it.
type Account struct {
	Address  chain.Address
	Contract bool
	// Label is the provider's public name of the account, empty when it has none.
	Label string
	// Kind classifies the account where the provider's public tags tell it.
	Kind AccountKind
}

// AccountKind is what an account is publicly known to be.
type AccountKind uint8

// The kinds of accounts that matter to an assessment.
const (
	UnknownAccount  AccountKind = iota
	DexAccount                  // router, aggregator or pool
	ExchangeAccount             // centralised exchange
	BridgeAccount
	DistributorAccount // airdrop or reward contract
	ProtocolAccount    // lending, staking, vault
	BurnAccount
)

// Movement is one transfer of one asset into or out of the wallet whose history it belongs to.
type Movement struct {
	Token        chain.Address
	Counterparty chain.Address
	Amount       Amount
	// In is true when the wallet received. A transfer from the wallet to itself is not a movement.
	In bool
	// Minted is true when the token came from, or burned when it went to, the zero address.
	Minted, Burned bool
	// LogIndex orders movements within a transaction; negative for native and internal transfers.
	LogIndex int
}

// Transaction is one transaction of a wallet's history, with every movement that touched the wallet.
type Transaction struct {
	Hash  Hash
	Block uint64
	// Index is the position within the block; -1 when the provider does not tell it.
	Index int
	Time  time.Time
	// Sender signed the transaction and paid its gas; it differs from the wallet when somebody else acted.
	Sender chain.Address
	// Target is the contract or account that was called; zero for a creation or when unknown.
	Target chain.Address
	// Method is the called function's name or selector as the provider wrote it; may be empty.
	Method string
	Failed bool
	// GasFee is what the wallet itself paid, in the native coin's raw units; zero when somebody else paid.
	GasFee Amount
	// Movements are ordered by LogIndex.
	Movements []Movement
}

// Activity is a wallet's transaction history on one chain.
type Activity struct {
	// Transactions are in chain order, oldest first, each once.
	Transactions []Transaction
	// Tokens describes every token that moves in Transactions.
	Tokens map[chain.Address]Token
	// Accounts describes those counterparties and targets of which something is known.
	Accounts map[chain.Address]Account
	// Truncated is true when older history exists that was not read; Since is then the time of the oldest transaction read.
	Truncated bool
	Since     time.Time
}

// PricePoint is a USD price at a time.
type PricePoint struct {
	Time time.Time
	USD  float64
}

// PriceRequest names the times at which one asset's price is wanted.
type PriceRequest struct {
	Asset chain.Address
	Times []time.Time
}

// PriceSeries holds the prices that were found for one asset, in time order. A wanted time without a trustworthy price near
// it is missing.
type PriceSeries struct {
	Asset  chain.Address
	Points []PricePoint
}

// Pool is a liquidity pool of a token, as it stands now.
type Pool struct {
	// ID is the pool's address or, for pools without an address of their own, its 32-byte id, in lower-case hex.
	ID string
	// Token is the asset the pool was asked for, Quote the other side.
	Token, Quote chain.Address
	QuoteSymbol  string
	Exchange     string
	// PriceUSD is the token's price in this pool, NaN when unknown.
	PriceUSD float64
	// LiquidityUSD is both sides together, NaN when unknown.
	LiquidityUSD float64
	// VolumeUSD24h and Trades24h are the last day's; zero means no trade.
	VolumeUSD24h float64
	Trades24h    int
	// Buys24h and Sells24h are the parts of Trades24h.
	Buys24h, Sells24h int
	// LastHour is the same for the last hour.
	LastHour PoolFlow
	// MarketCapUSD and FullyDilutedUSD are of the token, at this pool's price; NaN when unknown.
	MarketCapUSD, FullyDilutedUSD float64
	// Version is the kind of pool where the provider tells it.
	Version PoolVersion
	// CreatedAt is zero when unknown.
	CreatedAt time.Time
}

// PoolFlow is what was traded in a pool within some time.
type PoolFlow struct {
	VolumeUSD   float64
	Buys, Sells int
}

// PoolVersion is the way a pool keeps and prices its reserves.
type PoolVersion uint8

// The versions of pools, named for the designs they follow.
const (
	UnknownPool      PoolVersion = iota
	ConstantPool                 // x*y=k over the whole range, like Uniswap v2
	ConcentratedPool             // liquidity in price ranges, like Uniswap v3
	SingletonPool                // a pool inside one contract for all, like Uniswap v4
)

// Candle is one hour (or other step) of a token's price in one pool, in USD.
type Candle struct {
	// Time is the opening instant.
	Time                              time.Time
	Open, High, Low, Close, VolumeUSD float64
}

// CandleRequest asks for a token's hourly candles in one pool with opening times from From (inclusive) to To (exclusive).
type CandleRequest struct {
	Pool     string
	Token    chain.Address
	From, To time.Time
}

// Candles are hourly bars in time order. Hours without a trade are missing.
type Candles struct {
	Hours []Candle
	// Truncated is true when the provider's history ends later than the request's From.
	Truncated bool
}

// Holding is a balance of the wallet now.
type Holding struct {
	Token  Token
	Amount Amount
	// PriceUSD is the provider's current price, NaN when it has none.
	PriceUSD float64
}

// Approval is a permission the wallet gave over one of its tokens, as it stands now on chain.
type Approval struct {
	Token   Token
	Spender Spender
	// Amount is the allowance re-read from the contract.
	Amount Amount
	// Unlimited is true for amounts of 2^255 and more or at least the total supply.
	Unlimited bool
	// Kind tells by which mechanism the spender may take tokens.
	Kind ApprovalKind
	// GrantedAt is the time of the latest grant; zero when unknown.
	GrantedAt time.Time
	// ExpiresAt ends the permission; zero when it never ends.
	ExpiresAt time.Time
}

// ApprovalKind is the mechanism of an approval.
type ApprovalKind uint8

// The mechanisms by which a wallet lets others move its tokens.
const (
	AllowanceApproval ApprovalKind = iota // ERC-20 approve
	Permit2Approval                       // nested allowance inside the Permit2 contract
	OperatorApproval                      // ERC-721/1155 setApprovalForAll
)

// Tristate is an answer that a provider may not know.
type Tristate uint8

// The three answers.
const (
	Unknown Tristate = iota
	No
	Yes
)

// Spender is who holds an approval, as far as providers describe it.
type Spender struct {
	Address chain.Address
	Name    string
	// Contract is No for an externally owned account.
	Contract, Verified, Trusted Tristate
	// Malicious is Yes when the spender is on a scam list.
	Malicious Tristate
	// UpgradeableByAccount is Yes when one externally owned account can replace the spender's code.
	UpgradeableByAccount Tristate
	// DeployedAt is zero when unknown.
	DeployedAt time.Time
}

// Approvals is what was found of a wallet's open permissions.
type Approvals struct {
	Open []Approval
	// Unread counts listed approvals that could not be re-read on chain; they are not in Open.
	Unread int
}

// Code is the code at an account.
type Code struct {
	// Empty is true for an externally owned account that never delegated.
	Empty bool
	// Delegate is where an EIP-7702 delegation points; zero without one.
	Delegate chain.Address
}

// AddressSecurity is what a security provider says of an account.
type AddressSecurity struct {
	Address chain.Address
	// Malicious is Yes when any list names the account for theft, phishing, or the like; Reasons are the lists' words.
	Malicious Tristate
	Reasons   []string
}

// Until is the history up to and including an instant. It shares everything with the original.
func (a *Activity) Until(asOf time.Time) *Activity {
	n := len(a.Transactions)
	for n > 0 && a.Transactions[n-1].Time.After(asOf) {
		n--
	}
	if n == len(a.Transactions) {
		return a
	}
	cut := *a
	cut.Transactions = a.Transactions[:n:n]
	return &cut
}
