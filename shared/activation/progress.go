package activation

import (
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

// Subject is the agent that is to be activated, as far as the steps depend on it.
type Subject struct {
	// Partner and Agent are the names of both; Venue is dexvenue-spot, perpvenue-perps or predictvenue-markets; Live says that orders
	// will go to the venue rather than be filled on paper.
	Partner, Agent, Venue string
	Live                  bool
	// Chain is the chain that signatures and transactions are for: the agent's, or the one of the venue's money.
	Chain *chain.Chain
	// Owner signs and sends; SmartAccount trades.
	Owner, SmartAccount, Leader chain.Address
	// MaxMicroUSD is the most that open copies may cost together, in millionths of a dollar. MaxLeverage is the cap on leverage.
	MaxMicroUSD int64
	MaxLeverage float64
	// TradingAgent is the account by which we place orders at the perpetuals venue, and Executor the one that spends within the limits
	// that the owner sets elsewhere. Both are ours.
	TradingAgent, Executor chain.Address
}

// Progress is what is kept of an activation: the challenge that its signatures are for, and what is done. The zero value is one that
// nobody began.
type Progress struct {
	// Challenge is a random word in all that is signed, so that no signature of another activation fits. IssuedAt is when it was made and
	// what is signed by; ExpiresAt is until when the steps can be done, CredentialsExpireAt until when what was signed holds.
	Challenge           string    `json:"challenge,omitzero"`
	IssuedAt            time.Time `json:"issuedAt,omitzero"`
	ExpiresAt           time.Time `json:"expiresAt,omitzero"`
	CredentialsExpireAt time.Time `json:"credentialsExpireAt,omitzero"`
	// Done are the steps that are done, in the order in which they were.
	Done []DoneStep `json:"done,omitzero"`
}

// DoneStep is a step that is done: by a signature, which is kept where it is needed later, or by a transaction.
type DoneStep struct {
	Step        string    `json:"step"`
	At          time.Time `json:"at"`
	Signature   string    `json:"signature,omitzero"`
	Transaction string    `json:"transaction,omitzero"`
}
