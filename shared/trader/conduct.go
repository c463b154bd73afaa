package trader

import (
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
)

// Conduct is what a wallet's way of trading says besides its results.
type Conduct struct {
	Wash      Wash
	Insider   Insider
	Automated Automation
	// SameBlockShare is the part of trades whose token was bought and sold within one block, 0 to 1.
	SameBlockShare float64
}

// Wash tells whether trading looks like volume or profit made for show.
type Wash struct {
	Suspected bool
	// Signals are ordered by how much they weigh, hard ones first.
	Signals []Signal
	// VolumeShare is the part of traded value that at least one signal touches, 0 to 1.
	VolumeShare float64
	// Thin are tokens whose profits do not count: without a market of their own or controlled by the wallet, in address order.
	Thin []chain.Address
}

// Signal is one sign of wash trading.
type Signal struct {
	// Code is the sign's name, which is its reason's code too.
	Code string
	// Share is the part of the wallet's traded value it touches (of profit for THIN_TOKENS), 0 to 1.
	Share float64
	// Hard signals suffice alone; soft ones only together.
	Hard   bool
	Reason reason.Reason
}

// Insider tells whether supply, or a creator's money, reached the wallet before the public could buy.
type Insider struct {
	Suspected bool
	// Tokens were received before their first pool existed and sold later, or bought soon after launch with their creator's
	// money, in address order.
	Tokens []chain.Address
}

// Surroundings is what is known about the tokens and accounts a wallet dealt with. Every part is optional.
type Surroundings struct {
	// Launched is when a token's first pool was created.
	Launched map[chain.Address]time.Time
	// Creator is who deployed a token.
	Creator map[chain.Address]chain.Address
	// LiquidityUSD is both sides of a token's pools today.
	LiquidityUSD map[chain.Address]float64
	// Holders counts accounts holding a token; zero is unknown.
	Holders map[chain.Address]int
	// Accounts describes counterparties. One that is missing is not taken for a person's account.
	Accounts map[chain.Address]market.Account
	// Funder is where an account's first money came from.
	Funder map[chain.Address]chain.Address
	// Exchanges are trades between other accounts in the wallet's tokens, which make rings visible.
	Exchanges []Exchange
}

// The verdicts on automation.
const (
	AutomationLikely   = "likely"
	AutomationPossible = "possible"
	AutomationUnlikely = "unlikely"
)

// Automation tells whether a program seems to trade for the wallet. It is never certain.
type Automation struct {
	// Verdict is likely, possible or unlikely; unlikely too when there is too little to tell.
	Verdict string
	// Trades is the sample. Below 30 nothing else is measured.
	Trades int
	// QuietHours is the longest stretch of the 24-hour clock (UTC) that holds at most 2 % of trades.
	QuietHours int
	// GapVariation is the coefficient of variation of the time between transactions: near 0 is clockwork, 1 is chance.
	GapVariation float64
	// MedianGap is the median time between transactions.
	MedianGap time.Duration
	// SameSizeShare is the part of buys that have the most common value to 0.1 %, 0 to 1.
	SameSizeShare float64
	// TradesPerActiveDay counts trades on days with a trade.
	TradesPerActiveDay float64
}

func (w *Wash) reasons() []reason.Reason {
	reasons := make([]reason.Reason, len(w.Signals))
	for i := range w.Signals {
		reasons[i] = w.Signals[i].Reason
	}
	return reasons
}
