package host

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	randv2 "math/rand/v2"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/activation"
	"github.com/mirrorworthy/mirrorworthy/shared/agent"
	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/copytrade"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/leader"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/mirroring"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/hyperliquid"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/walletsignature"
	"github.com/mirrorworthy/mirrorworthy/shared/webhook"
)

// Copying is what copy trading runs on besides a store. The zero value is enough to list endpoints and jobs, and not to run them.
type Copying struct {
	Sources market.Sources
	// Secret is what trading keys are derived from and webhooks' secrets are sealed under.
	Secret []byte
	// Exchange takes live orders; nil where agents trade on paper alone.
	Exchange *hyperliquid.Exchange
	// Loopback lets webhooks go to this machine. It is for a run on one's own machine.
	Loopback bool
	Clock    func() time.Time
	Log      *slog.Logger
}

// executorName names the account that spends for spot and prediction agents among the derived ones. No agent has it.
const executorName = "executor"

// tradingAgent is the account by which an agent's orders are placed at the perpetuals venue; that of no secret is none.
func (c Copying) tradingAgent(name string) chain.Address {
	key, err := hyperliquid.DeriveTradingKey(c.Secret, name)
	if err != nil {
		return chain.Address{}
	}
	return key.Address()
}

// sealingKey is what webhooks' secrets are sealed under.
func (c Copying) sealingKey() [32]byte {
	mac := hmac.New(sha256.New, c.Secret)
	_, _ = mac.Write([]byte("webhook secrets"))
	return [32]byte(mac.Sum(nil))
}

func (k Kept) verifier(c Copying) *walletsignature.Verifier {
	return &walletsignature.Verifier{Code: c.Sources.Code, Calls: c.Sources.Calls, Nonces: k.Nonces}
}

func (k Kept) access(c Copying) agent.Access {
	return agent.Access{Agents: k.Agents, Sessions: k.verifier(c)}
}

func (k Kept) follow(ctx context.Context, of store.FollowedLeader, at time.Time) error {
	return leader.Follow(ctx, k.Leaders, of, at)
}

func (k Kept) desk(c Copying) agent.Desk {
	return agent.Desk{
		Access: k.access(c), Leaders: k.Leaders, Follow: k.follow,
		Checker:      activation.Checker{Signatures: k.verifier(c), Receipts: c.Sources.Receipts, Calls: c.Sources.Calls, Nonces: k.Nonces, Factory: smartAccountFactory},
		TradingAgent: c.tradingAgent, Executor: c.tradingAgent(executorName), LivePerps: c.Exchange != nil, Venue: approver{c.Exchange},
	}
}

// NewCopying puts together what copy trading runs on. The error is about the way to the venue that takes live orders.
func NewCopying(config Config, sources market.Sources, log *slog.Logger) (Copying, error) {
	return Copying{Sources: sources, Secret: config.AgentSecret, Clock: config.Clock(), Log: log}, nil
}
