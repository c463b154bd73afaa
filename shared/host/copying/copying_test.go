package copying

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mirrorworthy/mirrorworthy/shared/agent"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/mirroring"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/hyperliquid"
	"github.com/mirrorworthy/mirrorworthy/shared/webhook"
)

// Whatever the venue says, a follower reads a sentence of ours, and where there is a word for it the word.
func TestWhatTheVenueSaysIsToldPlainly(t *testing.T) {
	for reason, want := range map[hyperliquid.Reason]mirroring.SkipReason{
		hyperliquid.ReasonNoMatch: "slippage_exceeded", hyperliquid.ReasonNoLiquidity: "insufficient_liquidity", hyperliquid.ReasonMargin: "insufficient_balance",
		hyperliquid.ReasonLeverage: "leverage_exceeded", hyperliquid.ReasonMinimum: "below_min_order", hyperliquid.ReasonReduceOnly: "no_position_to_close",
		hyperliquid.ReasonHalted: "market_closed", hyperliquid.ReasonAgent: "agent_expired", hyperliquid.ReasonOther: "", hyperliquid.ReasonRate: "", "something new": "",
	} {
		got := resultOf(hyperliquid.OrderResult{Status: hyperliquid.Rejected, Reason: reason, Text: "<b>https://venue.example</b>"})
		if got.Skip != want || !strings.HasSuffix(got.Reason, ".") || strings.Contains(got.Reason, "venue.example") || got.Size != 0 {
			t.Errorf("%s: %+v, want %s", reason, got, want)
		}
	}
	if got := resultOf(hyperliquid.OrderResult{Status: hyperliquid.Filled, FilledSize: 2, AveragePrice: 10}); got.Reason != "" || got.Skip != "" || got.Size != 2 || got.Price != 10 {
		t.Errorf("%+v", got)
	}
	for err, want := range map[error]string{
		&hyperliquid.Refusal{Reason: hyperliquid.ReasonMargin, Text: "secret"}:       "The account at the venue has too little free margin.",
		&hyperliquid.Refusal{Reason: "something new", Text: "secret"}:                "The venue said no.",
		fmt.Errorf("secret: %w", hyperliquid.ErrNoContract):                          "The venue has no such contract.",
		fmt.Errorf("https://secret: %w", market.ErrUnavailable):                      "The venue could not be asked.",
		&hyperliquid.UnknownOutcome{Err: errors.New("https://venue.example/secret")}: "The venue did not confirm it.",
	} {
		if got := plainly(err); got != want {
			t.Errorf("%v: %s, want %s", err, got, want)
		}
	}
}

// Partners can subscribe to every event that is said.
func TestEveryEventCanBeSubscribedTo(t *testing.T) {
	for _, kind := range []string{
		agent.EventActivated, agent.EventPaused, agent.EventResumed, agent.EventSessionExpiring, agent.EventExpired, agent.EventStopped,
		agent.EventExecutionExecuted, agent.EventExecutionPartial, agent.EventExecutionSkipped, agent.EventExecutionFailed,
	} {
		if !slices.Contains(webhook.Types(), kind) {
			t.Errorf("nobody can be told of %s", kind)
		}
	}
}

// Trading keys are another for each agent and each activation, and there are none without a secret.
func TestTradingAgents(t *testing.T) {
	c := Copying{Secret: []byte(strings.Repeat("s", 32))}
	seen := make(map[string]bool)
	for _, name := range []string{"ag_1", "ag_2", executorName} {
		for _, challenge := range []string{"", "a", "b"} {
			address := c.tradingAgent(name, challenge)
			if address.IsZero() || seen[address.String()] || c.tradingAgent(name, challenge) != address {
				t.Errorf("%s %s: %s", name, challenge, address)
			}
			seen[address.String()] = true
		}
	}
	if !(Copying{}).tradingAgent("ag_1", "a").IsZero() {
		t.Error("an account without a secret")
	}
	if other := (Copying{Secret: []byte(strings.Repeat("t", 32))}); other.sealingKey() == c.sealingKey() || other.tradingAgent("ag_1", "a") == c.tradingAgent("ag_1", "a") {
		t.Error("another secret makes the same keys")
	}
}
