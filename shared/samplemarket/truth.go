package samplemarket

import "time"

// Truth is what was planted, and what became of it. The answers of the service are measured against it; nothing serves it.
type Truth struct {
	Wallets []WalletTruth
	Tokens  []TokenTruth
}

// WalletTruth is the ground truth of one wallet. An empty word means that the planted behaviour does not decide it.
type WalletTruth struct {
	Address string
	Chain   string
	// Group names the planted behaviour, finer than Archetype.
	Group     string
	Archetype string
	Skilled   bool
	Wash      bool
	Automated bool
	HoldStyle string
	Tempo     string
	Posture   string
	Health    string
	// Approvals names the planted state of the wallet's approvals.
	Approvals string
	// Entries counts the purchases the agent made on purpose, Closed the positions it has closed.
	Entries int
	Closed  int
	// Edge is the mean return of the closed positions, a fraction of cost before gas, and WinRate the share above zero.
	Edge    float64
	WinRate float64
	// MedianHold is over closed positions.
	MedianHold time.Duration
	FirstEntry time.Time
	LastEntry  time.Time
}

// TokenTruth is the ground truth of one token.
type TokenTruth struct {
	Address  string
	Chain    string
	Symbol   string
	Kind     string
	Creator  string
	Pool     string
	Created  time.Time
	Listed   time.Time // zero when it never got a pool
	RuggedAt time.Time // zero while the liquidity is there
	Honeypot bool
	// BuyTax and SellTax are fractions.
	BuyTax, SellTax float64
	Transactions    int
}

// Samples are addresses worth trying, a cross-section of what the market holds.
type Samples struct {
	Wallets []Sample `json:"wallets"`
	Tokens  []Sample `json:"tokens"`
	Traders []Sample `json:"traders"`
}

// Sample is one address to try.
type Sample struct {
	Address string `json:"address"`
	Chain   string `json:"chain"`
	Kind    string `json:"kind"`
	About   string `json:"about"`
}
