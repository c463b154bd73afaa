package client

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"net/url"
)

// The states of an agent.
const (
	StatusPendingActivation = "pending_activation"
	StatusActive            = "active"
	StatusPaused            = "paused"
	StatusExpired           = "expired"
	StatusStopped           = "stopped"
)

// RiskConfig is what an agent may do. MaxUSD and CopyPercent are needed; what else is nil or empty is not limited.
type RiskConfig struct {
	// MaxUSD is the most that open copies may cost together, a decimal number in text like "250".
	MaxUSD string `json:"maxUsd"`
	// CopyPercent is how much of the leader's size is copied, above 0 to 100.
	CopyPercent float64 `json:"copyPercent"`
	// MaxLeverage is for perpetuals alone.
	MaxLeverage       *float64 `json:"maxLeverage,omitempty"`
	MaxSlippageBps    *int     `json:"maxSlippageBps,omitempty"`
	DailyLossUSD      *string  `json:"dailyLossUsd,omitempty"`
	PerPositionCapPct *float64 `json:"perPositionCapPct,omitempty"`
	ExcludeTokens     []string `json:"excludeTokens,omitempty"`
	// CopyExisting also opens what the leader holds already.
	CopyExisting bool `json:"copyExisting,omitempty"`
}

// CreateAgentRequest asks for an agent of the wallet that is signed in.
type CreateAgentRequest struct {
	Venue               string     `json:"venue"`
	SmartAccountAddress string     `json:"smartAccountAddress"`
	LeaderWalletAddress string     `json:"leaderWalletAddress"`
	RiskConfig          RiskConfig `json:"riskConfig"`
	// Mode is paper or live; empty for paper.
	Mode string `json:"mode,omitempty"`
	// Chain is a chain's slug at the spot venue; empty for the leader's own.
	Chain string `json:"chain,omitempty"`
}

// Agent mirrors a leader for a wallet.
type Agent struct {
	AgentID             string     `json:"agentId"`
	Venue               string     `json:"venue"`
	Chain               *string    `json:"chain"`
	Status              string     `json:"status"`
	Mode                string     `json:"mode"`
	WalletAddress       string     `json:"walletAddress"`
	SmartAccountAddress string     `json:"smartAccountAddress"`
	LeaderWalletAddress string     `json:"leaderWalletAddress"`
	RiskConfig          RiskConfig `json:"riskConfig"`
	CreatedAt           string     `json:"createdAt"`
	ChangedAt           string     `json:"changedAt"`
	// ActivatedAt and CredentialsExpireAt are nil before it was activated.
	ActivatedAt         *string `json:"activatedAt"`
	CredentialsExpireAt *string `json:"credentialsExpireAt"`
}

const agentsPath = "/copy/agents"

func agentPath(agentID string) string { return agentsPath + "/" + url.PathEscape(agentID) }

// CreateAgent makes an agent. It does nothing before it is activated.
func (c *Client) CreateAgent(ctx context.Context, asked CreateAgentRequest) (Agent, error) {
	return c.agent(ctx, request{method: http.MethodPost, path: agentsPath, body: asked, wallet: true})
}

// GetAgent shows an agent.
func (c *Client) GetAgent(ctx context.Context, agentID string) (Agent, error) {
	return c.agent(ctx, request{method: http.MethodGet, path: agentPath(agentID), wallet: true})
}

// Pause has an agent open nothing more; it still mirrors the leader's closes.
func (c *Client) Pause(ctx context.Context, agentID string) (Agent, error) {
	return c.move(ctx, agentID, "/pause")
}

// Resume has a paused agent open copies again. An expired one is activated instead.
func (c *Client) Resume(ctx context.Context, agentID string) (Agent, error) {
	return c.move(ctx, agentID, "/resume")
}

// Stop ends an agent for good. What it has open stays open, and is closed at the venue.
func (c *Client) Stop(ctx context.Context, agentID string) (Agent, error) {
	return c.move(ctx, agentID, "/stop")
}

func (c *Client) move(ctx context.Context, agentID, verb string) (Agent, error) {
	return c.agent(ctx, request{method: http.MethodPost, path: agentPath(agentID) + verb, body: struct{}{}, wallet: true})
}

func (c *Client) agent(ctx context.Context, asked request) (Agent, error) {
	var answer Agent
	err := c.call(ctx, asked, &answer)
	return answer, err
}

// ListAgents lists the agents of the wallet that is signed in, the newest first.
func (c *Client) ListAgents(ctx context.Context) iter.Seq2[Agent, error] {
	return walk[Agent](ctx, c, request{path: agentsPath, wallet: true}, func(p *page) []json.RawMessage { return p.Agents }, nil)
}

// Execution is what an agent did with one leg of a leader's trade, or why it did nothing. What was not measured is nil.
type Execution struct {
	ExecutionID string `json:"executionId"`
	AgentID     string `json:"agentId"`
	// Status is detected, submitted, executed, partial, skipped or failed.
	Status string `json:"status"`
	// SkipReason is a word, like slippage_exceeded; more may come.
	SkipReason *string `json:"skipReason"`
	// Reason is a sentence.
	Reason string         `json:"reason"`
	Venue  string         `json:"venue"`
	Mode   string         `json:"mode"`
	Leg    string         `json:"leg"`
	Side   string         `json:"side"`
	Asset  ExecutionAsset `json:"asset"`

	LeaderTradeAt *string `json:"leaderTradeAt"`
	DetectedAt    string  `json:"detectedAt"`
	SubmittedAt   *string `json:"submittedAt"`
	ExecutedAt    *string `json:"executedAt"`
	// LeaderPrice and Price are in USD.
	LeaderPrice *float64 `json:"leaderPrice"`
	Price       *float64 `json:"price"`
	SlippageBps *float64 `json:"slippageBps"`
	LatencyMs   *int64   `json:"latencyMs"`
	CopyRatio   *float64 `json:"copyRatio"`
	Leverage    *float64 `json:"leverage"`
	Quantity    *float64 `json:"quantity"`
	// The amounts are decimal numbers in text.
	SizeUSD     *string `json:"sizeUsd"`
	CostUSD     *string `json:"costUsd"`
	FeeUSD      *string `json:"feeUsd"`
	RealizedUSD *string `json:"realizedUsd"`
	FundingUSD  *string `json:"fundingUsd"`
}

// ExecutionAsset is what was traded: a token by chain and address, a contract by coin, an outcome by market and number.
type ExecutionAsset struct {
	Name         string  `json:"name"`
	Chain        *string `json:"chain"`
	Address      *string `json:"address"`
	Coin         *string `json:"coin"`
	Market       *string `json:"market"`
	Outcome      *int    `json:"outcome"`
	OutcomeToken *string `json:"outcomeToken"`
}

// ListExecutions lists what an agent did, the newest first, with what it skipped and why. Status leaves those of one status; empty for
// all.
func (c *Client) ListExecutions(ctx context.Context, agentID, status string) iter.Seq2[Execution, error] {
	query := url.Values{}
	set(query, "status", status)
	return walk[Execution](ctx, c, request{path: agentPath(agentID) + "/executions", query: query, wallet: true},
		func(p *page) []json.RawMessage { return p.Executions }, nil)
}
