package agent

import (
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

// Answer is an agent as its owner sees it.
type Answer struct {
	// AgentID names the agent.
	AgentID string `json:"agentId"`
	// Venue is where the agent trades.
	Venue Venue `json:"venue"`
	// Chain is the chain's slug; null on perpetuals.
	Chain *chain.Slug `json:"chain"`
	// Status is the agent's state.
	Status Status `json:"status"`
	// Mode says whether its orders move money.
	Mode Mode `json:"mode"`
	// WalletAddress is the wallet that owns the agent.
	WalletAddress chain.Address `json:"walletAddress"`
	// SmartAccountAddress is the account that trades.
	SmartAccountAddress chain.Address `json:"smartAccountAddress"`
	// LeaderWalletAddress is the wallet whose trades are mirrored.
	LeaderWalletAddress chain.Address `json:"leaderWalletAddress"`
	// RiskConfig is what the agent may do.
	RiskConfig RiskConfig `json:"riskConfig"`
	// CreatedAt is when the agent was made.
	CreatedAt string `json:"createdAt"`
	// ChangedAt is when the agent was last changed.
	ChangedAt string `json:"changedAt"`
	// ActivatedAt is when the agent was last activated; null before the first time.
	ActivatedAt *string `json:"activatedAt"`
	// CredentialsExpireAt is when its credentials lapse unless it is activated again; null before the first activation.
	CredentialsExpireAt *string `json:"credentialsExpireAt"`
}

func (a *Agent) answer() Answer {
	answer := Answer{
		AgentID: a.ID, Venue: a.Venue, Status: a.Status, Mode: a.Mode, WalletAddress: a.Owner, SmartAccountAddress: a.SmartAccount,
		LeaderWalletAddress: a.Leader, RiskConfig: a.Risk, CreatedAt: *timeText(a.CreatedAt), ChangedAt: *timeText(a.ChangedAt),
		ActivatedAt: timeText(a.ActivatedAt), CredentialsExpireAt: timeText(a.CredentialsExpireAt),
	}
	if a.Chain != nil {
		answer.Chain = &a.Chain.Slug
	}
	if answer.RiskConfig.ExcludeTokens == nil {
		answer.RiskConfig.ExcludeTokens = []string{}
	}
	return answer
}

// timeText writes a time in UTC with seconds; nil for none.
func timeText(at time.Time) *string {
	if at.IsZero() {
		return nil
	}
	text := at.UTC().Format(time.RFC3339)
	return &text
}
