package agent

import (
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

// Answer is an agent as its owner sees it.
type Answer struct {
	AgentID string `json:"agentId"`
	Venue   Venue  `json:"venue"`
	// Chain is null on perpetuals.
	Chain               *chain.Slug   `json:"chain"`
	Status              Status        `json:"status"`
	Mode                Mode          `json:"mode"`
	WalletAddress       chain.Address `json:"walletAddress"`
	SmartAccountAddress chain.Address `json:"smartAccountAddress"`
	LeaderWalletAddress chain.Address `json:"leaderWalletAddress"`
	RiskConfig          RiskConfig    `json:"riskConfig"`
	CreatedAt           string        `json:"createdAt"`
	ChangedAt           string        `json:"changedAt"`
	// ActivatedAt and CredentialsExpireAt are null before it was activated.
	ActivatedAt         *string `json:"activatedAt"`
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
