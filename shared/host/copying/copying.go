// Package copying puts copy trading together: what decides on copies, agents, mirroring and webhooks, with the keys that agents trade by and
// the way to the venue that takes their orders. What any of them does is in packages copytrade, agent, activation, mirroring and webhook.
package copying

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	randv2 "math/rand/v2"
	"net/http"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/activation"
	"github.com/mirrorworthy/mirrorworthy/shared/agent"
	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/copytrade"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/job"
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
	// Random is what webhooks' secrets are made of; nil for the computer's randomness.
	Random io.Reader
	Clock  func() time.Time
	Log    *slog.Logger
	// Metrics count what the jobs do; nil for not at all.
	Metrics endpoint.Metrics
}

// executorName names the account that spends for spot and prediction agents among the derived ones. No agent has it.
const executorName = "executor"

// tradingKey signs an agent's orders at the perpetuals venue. Each activation has a key of its own: the venue forgets which nonces a key
// used once it is approved no longer.
func (c Copying) tradingKey(agentID, challenge string) (hyperliquid.TradingKey, error) {
	return hyperliquid.DeriveTradingKey(c.Secret, agentID+"/"+challenge)
}

// tradingAgent is the account of such a key; the zero address where there is no secret.
func (c Copying) tradingAgent(agentID, challenge string) chain.Address {
	key, err := c.tradingKey(agentID, challenge)
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

func verifier(k host.Kept, c Copying) *walletsignature.Verifier {
	return &walletsignature.Verifier{Code: c.Sources.Code, Calls: c.Sources.Calls, Nonces: k.Nonces}
}

func access(k host.Kept, c Copying) agent.Access {
	return agent.Access{Agents: k.Agents, Sessions: verifier(k, c)}
}

// keptLeaders lets agents say whom they follow.
type keptLeaders struct{ leaders store.Leaders }

func (k keptLeaders) follow(ctx context.Context, of store.FollowedLeader, at time.Time) error {
	return leader.Follow(ctx, k.leaders, of, at)
}

func desk(k host.Kept, c Copying) agent.Desk {
	return agent.Desk{
		Access: access(k, c), Leaders: k.Leaders, Follow: keptLeaders{k.Leaders}.follow,
		Checker:      activation.Checker{Signatures: verifier(k, c), Receipts: c.Sources.Receipts, Calls: c.Sources.Calls, Nonces: k.Nonces, Factory: smartAccountFactory},
		TradingAgent: c.tradingAgent, Executor: func() chain.Address { return c.tradingAgent(executorName, "") }, LivePerps: c.Exchange != nil, Venue: approver{c.Exchange},
	}
}

// New puts together what copy trading runs on, with provider clients of its own whose answers are never old: money hangs on them.
// The errors are those of host.NewService.
func New(config host.Config, parts host.Parts) (Copying, error) {
	sources, exchange, err := host.NewUncachedSources(config, parts)
	if !config.LiveTrading {
		exchange = nil
	}
	var secret []byte
	if config.AgentSecret != "" && err == nil {
		secret, err = host.DecodeSecret(config.AgentSecret)
	}
	return Copying{
		Sources: sources, Secret: secret, Exchange: exchange, Clock: config.Running(), Log: parts.Log, Metrics: parts.Metrics,
		// Webhooks may go to this machine as long as no real money is about.
		Loopback: config.Mode == host.Sample,
	}, err
}

// smartAccountFactory makes the smart accounts of spot agents, on every chain at the same address.
var smartAccountFactory = chain.Address{0x00, 0x00, 0x00, 0x00, 0x00, 0x40, 0x0c, 0xdf, 0xef, 0x5e, 0x27, 0x14, 0xe6, 0x3d, 0x80, 0x40, 0xb7, 0x00, 0xbc, 0x24}

// approver tells the perpetuals venue of trading agents.
type approver struct{ exchange *hyperliquid.Exchange }

// Approve implements agent.Approver. What the venue knows already is not told again.
func (a approver) Approve(ctx context.Context, s activation.Subject, p activation.Progress) error {
	if s.Venue != string(agent.Perps) || a.exchange == nil {
		return nil
	}
	approval := activation.TradingApprovalOf(s, p)
	if len(approval.Signature) == 0 {
		return nil // the step is still open
	}
	approved, err := a.exchange.ApprovedAgents(ctx, approval.Account)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(approved, func(known hyperliquid.ApprovedAgent) bool { return known.Address == approval.Agent }) {
		return nil
	}
	err = a.exchange.ApproveAgent(ctx, hyperliquid.Approval{
		Account: approval.Account, Agent: approval.Agent, Name: approval.Name, Nonce: approval.Nonce, SignatureChainID: approval.ChainID, Signature: approval.Signature,
	})
	if refusal := (*hyperliquid.Refusal)(nil); errors.As(err, &refusal) {
		return &endpoint.Problem{
			Status: http.StatusConflict, Code: "agent_state_conflict",
			Message: "The venue does not take the approval of the trading agent: the account must have been used there before. Deposit to it, and send the results again.",
		}
	}
	if err != nil {
		return fmt.Errorf("%w: the venue was not reached: %w", market.ErrUnavailable, err)
	}
	return nil
}

// deciding are the endpoints that say what to copy and how much of it.
func deciding(k host.Kept) []endpoint.Endpoint {
	return []endpoint.Endpoint{copytrade.CopyPlan(running{k.Agents}), copytrade.PerpCopyDecision(), copytrade.CopyOverlap(running{k.Agents})}
}

// agentEndpoints are the endpoints of agents and of what they did.
func agentEndpoints(k host.Kept, c Copying) []endpoint.Endpoint {
	return append(desk(k, c).Endpoints(), mirroring.Executions(access(k, c), k.Executions))
}

// All are all endpoints of copy trading, in the order of the API document.
func All(k host.Kept, c Copying) []endpoint.Endpoint {
	return slices.Concat(deciding(k), agentEndpoints(k, c), webhook.Endpoints(webhooks(k, c)))
}

// webhooks is what webhooks run on.
func webhooks(k host.Kept, c Copying) webhook.Service {
	clock := c.Clock
	if clock == nil {
		clock = time.Now
	}
	log := c.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	random := c.Random
	if random == nil {
		random = rand.Reader
	}
	return webhook.Service{
		Webhooks: k.Webhooks, Sealer: webhook.NewSealer(c.sealingKey(), random), Random: random, Jitter: randv2.Float64, Clock: clock, Log: log,
		Sender: webhook.NewSender(clock, webhook.SenderOptions{AllowLoopback: c.Loopback}),
		Lag:    host.ObserveWebhookLag(c.Metrics),
	}
}

// deliverWebhooks is the job that works on the outbox.
func deliverWebhooks(k host.Kept, c Copying) job.Spread {
	return webhook.Deliver(webhooks(k, c), k.Outbox)
}

// mirrorTrades is the job that mirrors leaders' trades; what it says is delivered at once.
func mirrorTrades(k host.Kept, c Copying) job.Spread {
	executors := make(map[agent.Venue]mirroring.Executor)
	if c.Exchange != nil {
		executors[agent.Perps] = mirroring.PerpExecutor(perpExchange{c, k.Agents}, c.Clock)
	}
	mirror := mirroring.Job(mirroring.Memory{Agents: k.Agents, Executions: k.Executions, Readings: k.Readings, Leaders: k.Leaders}, c.Sources, executors, c.Clock)
	mirror.Then = []string{webhook.DeliverJob}
	return mirror
}

// running tells which leaders a wallet's agents copy.
type running struct{ agents store.Agents }

// RunningCopies implements copytrade.Running.
func (r running) RunningCopies(ctx context.Context, partner string, wallet chain.Address, on *chain.Chain) ([]copytrade.RunningCopy, error) {
	if r.agents == nil {
		return nil, nil
	}
	var copies []copytrade.RunningCopy
	var before time.Time
	beforeID := ""
	for {
		page, err := r.agents.OwnedBy(ctx, partner, wallet.String(), before, beforeID, store.MaximumListed)
		if err != nil {
			return nil, fmt.Errorf("%w: the store of agents: %w", market.ErrUnavailable, err)
		}
		for _, record := range page {
			a, err := agent.Read(record)
			if err != nil {
				return nil, err
			}
			if !a.Follows() || a.Venue != agent.Spot || a.Chain != on {
				continue
			}
			stake := 0.0
			if a.Mode == agent.Live {
				stake = a.Risk.MaxUSD.USD()
			}
			if at := slices.IndexFunc(copies, func(c copytrade.RunningCopy) bool { return c.Leader == a.Leader }); at >= 0 {
				copies[at].MaximumUSD += stake
			} else {
				copies = append(copies, copytrade.RunningCopy{Leader: a.Leader, MaximumUSD: stake})
			}
		}
		if len(page) < store.MaximumListed {
			return copies, nil
		}
		last := page[len(page)-1]
		before, beforeID = last.CreatedAt, last.ID
	}
}

// perpExchange places agents' orders at the perpetuals venue, each with the key that its owner approved.
type perpExchange struct {
	copying Copying
	agents  store.Agents
}

// key is the one by which the agent of an order trades.
func (x perpExchange) key(ctx context.Context, order mirroring.PerpOrder) (hyperliquid.TradingKey, error) {
	record, err := x.agents.Agent(ctx, store.AgentKey{Partner: order.Partner, ID: order.Agent})
	if err != nil {
		return hyperliquid.TradingKey{}, fmt.Errorf("%w: the agent cannot be read", mirroring.ErrRefused)
	}
	a, err := agent.Read(record)
	if err != nil {
		return hyperliquid.TradingKey{}, fmt.Errorf("%w: the agent cannot be read", mirroring.ErrRefused)
	}
	return x.copying.tradingKey(a.ID, a.Activation.Challenge)
}

// SetLeverage implements mirroring.PerpExchange.
func (x perpExchange) SetLeverage(ctx context.Context, order mirroring.PerpOrder, leverage int) error {
	key, err := x.key(ctx, order)
	if err != nil {
		return err
	}
	if err := x.copying.Exchange.UpdateLeverage(ctx, key, order.Coin, leverage, false); err != nil {
		return fmt.Errorf("%w: %s", mirroring.ErrRefused, plainly(err))
	}
	return nil
}

// plainly says why something was not done at the venue, in words that can be shown: those of errors are for logs.
func plainly(err error) string {
	refusal := (*hyperliquid.Refusal)(nil)
	switch {
	case errors.As(err, &refusal) && refusals[refusal.Reason].sentence != "":
		return refusals[refusal.Reason].sentence
	case errors.As(err, &refusal):
		return "The venue said no."
	case errors.Is(err, hyperliquid.ErrNoContract):
		return "The venue has no such contract."
	case errors.Is(err, market.ErrUnavailable):
		return "The venue could not be asked."
	}
	return "The venue did not confirm it."
}

// Place implements mirroring.PerpExchange.
func (x perpExchange) Place(ctx context.Context, order mirroring.PerpOrder) (mirroring.PerpResult, error) {
	key, err := x.key(ctx, order)
	if err != nil {
		return mirroring.PerpResult{}, err
	}
	result, err := x.copying.Exchange.Order(ctx, key, hyperliquid.OrderRequest{
		Coin: order.Coin, Buy: order.Buy, Limit: order.Limit, Size: order.Size, ReduceOnly: order.ReduceOnly, ClientID: order.ClientID,
	})
	if err != nil {
		if _, unknown := hyperliquid.IsUnknown(err); unknown {
			return mirroring.PerpResult{}, err
		}
		return mirroring.PerpResult{}, fmt.Errorf("%w: %s", mirroring.ErrRefused, plainly(err))
	}
	return resultOf(result), nil
}

// Find implements mirroring.PerpExchange.
func (x perpExchange) Find(ctx context.Context, order mirroring.PerpOrder) (mirroring.PerpResult, bool, error) {
	result, err := x.copying.Exchange.OrderStatus(ctx, order.Account, order.ClientID)
	if err != nil || result.Status == hyperliquid.NotFound {
		return mirroring.PerpResult{}, false, err
	}
	return resultOf(result), true, nil
}

// resultOf is what the venue says of an order in the words of mirroring.
func resultOf(r hyperliquid.OrderResult) mirroring.PerpResult {
	why := refusals[r.Reason]
	if r.Reason != "" && why.sentence == "" {
		why.sentence = "The venue refused the order."
	}
	result := mirroring.PerpResult{Size: r.FilledSize, FeeUSD: r.FeeUSD, Resting: r.Status == hyperliquid.Resting, Reason: why.sentence, Skip: why.skip}
	if r.FilledSize > 0 {
		result.Price = r.AveragePrice
	}
	return result
}

// refusals says what the venue's reasons for not filling an order mean to a follower.
var refusals = map[hyperliquid.Reason]struct {
	skip     mirroring.SkipReason
	sentence string
}{
	hyperliquid.ReasonNoMatch:      {mirroring.SlippageExceeded, "Nobody traded at the price limit of the copy."},
	hyperliquid.ReasonNoLiquidity:  {mirroring.InsufficientLiquidity, "The venue had nobody to trade with."},
	hyperliquid.ReasonMargin:       {mirroring.InsufficientBalance, "The account at the venue has too little free margin."},
	hyperliquid.ReasonLeverage:     {mirroring.LeverageExceeded, "The venue does not allow this leverage."},
	hyperliquid.ReasonMinimum:      {mirroring.BelowMinOrder, "The order is below the venue's minimum."},
	hyperliquid.ReasonSize:         {mirroring.BelowMinOrder, "The order is below the least size that the venue trades."},
	hyperliquid.ReasonReduceOnly:   {mirroring.NoPositionToClose, "The account at the venue has no such position to close."},
	hyperliquid.ReasonHalted:       {mirroring.MarketClosed, "The venue does not trade this contract now."},
	hyperliquid.ReasonOpenInterest: {mirroring.InsufficientLiquidity, "The venue takes no more positions in this contract now."},
	hyperliquid.ReasonDuplicate:    {mirroring.Duplicate, "The venue has an order of this name already."},
	hyperliquid.ReasonAgent:        {mirroring.AgentExpired, "The venue does not know our trading agent for this account anymore."},
	hyperliquid.ReasonAccount:      {mirroring.InsufficientBalance, "The venue does not know the account: deposit to it first."},
	hyperliquid.ReasonExpired:      {mirroring.SignalStale, "The order reached the venue too late."},
	hyperliquid.ReasonRate:         {"", "The venue takes no more orders of this account at the moment."},
}
