package market

import (
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

// TokenSecurity is what a security provider says of a token contract. What it does not say is Unknown, NaN or empty.
type TokenSecurity struct {
	Token chain.Address
	// Honeypot is Yes when holders cannot sell.
	Honeypot, CannotSellAll, CannotBuy Tristate
	// BuyTax, SellTax and TransferTax are fractions of the amount, 0 to 1, NaN when unknown.
	BuyTax, SellTax, TransferTax float64

	// OpenSource is Yes when the contract's source is published and matches.
	OpenSource, Proxy Tristate
	// Mintable and the following are Yes when somebody privileged can do it.
	Mintable, OwnerChangesBalance, HiddenOwner, TakesBackOwnership, SelfDestructs, ExternalCall Tristate
	TaxModifiable, PersonalTaxModifiable, TransferPausable, Blacklists, Whitelists              Tristate
	AntiWhale, AntiWhaleModifiable, TradingCooldown                                             Tristate

	// Owner is zero both when ownership was renounced and when nobody is known: Renounced tells them apart.
	Owner     chain.Address
	Renounced Tristate
	Creator   chain.Address
	// CreatorShare and OwnerShare are fractions of the supply, 0 to 1, NaN when unknown.
	CreatorShare, OwnerShare float64
	// CreatorMadeHoneypots is Yes when the creator deployed another token that could not be sold.
	CreatorMadeHoneypots Tristate

	// Trusted is Yes for tokens on the provider's list of well-known ones, Scam for those on its lists of frauds, fakes and
	// airdrop scams.
	Trusted, Scam Tristate
	// Listed is Yes when the provider found the token on an exchange it reads.
	Listed Tristate

	Holders int
	// Top are the largest holders the provider lists, largest first; empty when it lists none.
	Top []Holder
	// LiquidityProviders hold the deepest pool's liquidity; empty when unknown.
	LiquidityProviders []Holder
}

// Holder is an account with a part of a token's supply, or of a pool's liquidity.
type Holder struct {
	Account Account
	// Share is the fraction of all, 0 to 1.
	Share float64
	// Locked is true for what its holder cannot move: in a known lock, or burned. LockedUntil is when the earliest part is free
	// again; zero for never and for unknown.
	Locked      bool
	LockedUntil time.Time
}

// TokenHolders is who holds a token now.
type TokenHolders struct {
	// Known is false where no provider lists the chain's holders; everything else is then empty.
	Known bool
	// Count is the number of accounts with a balance; zero when unknown.
	Count int
	// Top are the largest holders, largest first, at most 100.
	Top []Holder
}

// TokenTrade is one trade of a token in one pool.
type TokenTrade struct {
	Time        time.Time
	Transaction Hash
	Block       uint64
	LogIndex    int
	// Trader signed the transaction.
	Trader chain.Address
	// Buy is true when the token left the pool.
	Buy bool
	// Amount is in token units; ValueUSD is what was paid or received.
	Amount, ValueUSD float64
	// QuoteAmount is what was paid or received in units of the pool's other token; zero when unknown.
	QuoteAmount float64
}

// TokenTrades are the latest trades of a token in one pool.
type TokenTrades struct {
	// Trades are in chain order, oldest first.
	Trades []TokenTrade
	// Truncated is true when there were more within the window than the provider lists.
	Truncated bool
	// Since is how far back the list reaches: the window's start or, where it was cut, the oldest trade.
	Since time.Time
}

// TradesRequest asks for a token's latest trades in one pool.
type TradesRequest struct {
	Pool  string
	Token chain.Address
}

// Contract is what a node says of an account as a token.
type Contract struct {
	// Code is the account's code; empty for an externally owned account, one that delegated (EIP-7702) included. It is shared and
	// must not be modified.
	Code []byte
	// AnswersSupply, AnswersDecimals and AnswersBalance are Yes when totalSupply(), decimals() and balanceOf() answer with one
	// number, No when they revert or answer with something else.
	AnswersSupply, AnswersDecimals, AnswersBalance Tristate
	// NonFungible is Yes when the contract says that it is an ERC-721 or ERC-1155 collection.
	NonFungible Tristate
	// PoolShare is Yes when the contract is a liquidity pool's own share token: it answers token0(), token1() and getReserves().
	PoolShare   Tristate
	TotalSupply Amount
	Decimals    int
	// Owner is what owner() or getOwner() answers. Owned is No when it is the zero or the burn address, Unknown when neither answers.
	Owner chain.Address
	Owned Tristate
	// OwnerContract is Yes when the owner has code of its own.
	OwnerContract Tristate
	Proxy         *Proxy
}

// Proxy is how a contract hands its calls to another.
type Proxy struct {
	// Standard is "EIP-1967", "EIP-1967 beacon", "EIP-1167", "EIP-1822" or "zeppelinos".
	Standard string
	// Implementation is the contract whose code runs; Code is its code, shared and not to be modified.
	Implementation chain.Address
	Code           []byte
	// Upgradeable is No for proxies whose implementation is fixed in their code.
	Upgradeable Tristate
	// Admin may replace the implementation; zero when unknown. AdminContract is Yes when it has code of its own.
	Admin         chain.Address
	AdminContract Tristate
	// ChangedRecently is Yes when the implementation was replaced in the last seven days.
	ChangedRecently Tristate
}

// SimulationRequest asks for a test trade of a token in one of its pools.
type SimulationRequest struct {
	Token chain.Address
	// Pools are candidates, best first.
	Pools []Pool
}

// Simulation is the outcome of test trades that nobody made: a fresh account buys and sells at the head of the chain.
type Simulation struct {
	// Source names who simulated: "node" or another provider; empty when nobody could, and Reason then says why.
	Source, Reason string
	// Buy buys a small amount; the others sell what was bought.
	Buy, SellAll Trial
	// SellHalves sells in two parts, SellElsewhere after a transfer to a second fresh account, SellLater some blocks and an hour later.
	SellHalves, SellElsewhere, SellLater Trial
	// SellLarge sells ten times the small amount.
	SellLarge Trial
}

// Trial is one simulated trade.
type Trial struct {
	// Done is Yes when the trade went through, No when it reverted, Unknown when it was not tried.
	Done Tristate
	// Tax is the part of the amount that did not arrive, 0 to 1; NaN unless Done is Yes.
	Tax float64
}

// ListedToken is a token that a provider lists among a chain's traded or new ones.
type ListedToken struct {
	Token chain.Address
	Pool  Pool
}
