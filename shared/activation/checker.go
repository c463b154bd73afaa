package activation

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/walletsignature"
)

// The steps.
const (
	DeploySmartAccount  = "deploy-smart-account"
	ApproveSpending     = "approve-spending"
	GrantSession        = "grant-session"
	ApproveTradingAgent = "approve-trading-agent"
	AcceptLeverageCap   = "accept-leverage-cap"
	CreateCredentials   = "create-credentials"
)

// rounds are the steps of each venue. What a round asks for can be done at once; the next one depends on it.
var rounds = map[string][][]string{
	"dexvenue-spot":        {{DeploySmartAccount}, {ApproveSpending, GrantSession}},
	"perpvenue-perps":      {{ApproveTradingAgent}, {AcceptLeverageCap}},
	"predictvenue-markets": {{CreateCredentials}, {ApproveSpending}},
}

const (
	// stepsLast is how long the steps can be done, credentialsLast how long what was signed holds.
	stepsLast       = 30 * time.Minute
	credentialsLast = 30 * 24 * time.Hour
)

// Checker knows the steps of an agent and whether they were done. It is safe for concurrent use.
type Checker struct {
	Signatures *walletsignature.Verifier
	Receipts   market.ReceiptPort
	Calls      market.CallPort
	Nonces     store.Nonces
	// Factory makes the smart accounts of spot agents: createAccount(address owner, uint256 salt) and getAddress of the same.
	Factory chain.Address
}

// Begin is a new activation. The challenge must be one that nobody had before.
func Begin(_ Subject, challenge string, at time.Time) Progress {
	at = at.UTC().Truncate(time.Second)
	return Progress{Challenge: challenge, IssuedAt: at, ExpiresAt: at.Add(stepsLast), CredentialsExpireAt: at.Add(credentialsLast)}
}

// did tells whether a step is done.
func (p Progress) did(step string) bool {
	return slices.ContainsFunc(p.Done, func(d DoneStep) bool { return d.Step == step })
}

// Complete tells whether all steps are done. Whether a smart account stands is no step of its own: nothing after it could be done
// without.
func Complete(s Subject, p Progress) bool {
	venue, known := rounds[s.Venue]
	for _, round := range venue {
		for _, step := range round {
			if step != DeploySmartAccount && !p.did(step) {
				return false
			}
		}
	}
	return known
}

// Open is the steps that can be done now: those of the first round with any left. None when the activation is complete. ErrLapsed: the
// time is over. A RefusalError: the agent cannot be activated as it is, and its Reason says what would be right. An error that wraps
// market.ErrUnavailable: a node does not answer.
func (c Checker) Open(ctx context.Context, s Subject, p Progress, at time.Time) ([]Step, error) {
	if Complete(s, p) {
		return []Step{}, nil
	}
	if p.Challenge == "" || !at.Before(p.ExpiresAt) {
		return nil, ErrLapsed
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	for _, round := range rounds[s.Venue] {
		open := []Step{}
		for _, name := range round {
			if p.did(name) {
				continue
			}
			if name == DeploySmartAccount {
				if needed, err := c.deploymentNeeded(ctx, s); err != nil {
					return nil, err
				} else if !needed {
					continue
				}
			}
			step, err := c.describe(s, p, name)
			if err != nil {
				return nil, err
			}
			open = append(open, step)
		}
		if len(open) > 0 {
			return open, nil
		}
	}
	return nil, fmt.Errorf("activation at %q has neither steps nor an end", s.Venue)
}

// check reports what no step may be made of.
func (s Subject) check() error {
	if _, known := rounds[s.Venue]; !known {
		return fmt.Errorf("no activation for venue %q", s.Venue)
	}
	if s.Chain == nil || s.Agent == "" || s.Owner.IsZero() || s.MaxMicroUSD <= 0 || s.Executor.IsZero() || s.TradingAgent.IsZero() || !(s.MaxLeverage >= 1) {
		return errors.New("an activation needs a chain, an agent, a wallet, limits, and accounts of ours that act")
	}
	return nil
}

// describe is a step in all its words.
func (c Checker) describe(s Subject, p Progress, name string) (Step, error) {
	step, err := Step{}, error(nil)
	switch {
	case name == DeploySmartAccount:
		step = c.deployment(s)
	case name == ApproveSpending && s.Venue == "dexvenue-spot":
		step, err = spending(s, dollarOf(s.Chain), s.Executor, "our executor")
	case name == ApproveSpending:
		step, err = spending(s, bridgedDollarOf(s.Chain), exchange, "the exchange of the prediction venue")
	case name == GrantSession:
		step, err = session(s, p)
	case name == ApproveTradingAgent:
		step, err = tradingAgent(s, p)
	case name == AcceptLeverageCap:
		step = leverageCap(s, p)
	case name == CreateCredentials:
		step, err = credentials(s, p)
	}
	step.Step, step.ExpiresAt = name, p.ExpiresAt.UTC().Format(time.RFC3339)
	return step, err
}

// deploymentNeeded tells whether the owner has a smart account to make first. An agent on paper buys nothing, and needs none: its owner
// is asked to make the account where the factory can make it, and otherwise not.
func (c Checker) deploymentNeeded(ctx context.Context, s Subject) (bool, error) {
	if s.SmartAccount == s.Owner {
		return false, nil // the wallet trades itself
	}
	owned, answered, err := c.ownerOf(ctx, s)
	switch {
	case err != nil:
		return false, err
	case answered && (owned || !s.Live):
		return false, nil
	case answered:
		return false, refuse(DeploySmartAccount, "The contract at %s does not name your wallet %s as its owner. Make an agent with an account that does.",
			s.SmartAccount.Checksum(), s.Owner.Checksum())
	}
	promised, err := c.promised(ctx, s)
	switch {
	case err != nil:
		return false, err
	case promised == s.SmartAccount:
		return true, nil
	case !s.Live:
		return false, nil
	case promised.IsZero():
		return false, refuse(DeploySmartAccount, "There is no account at %s, and no factory on %s that could make one. "+
			"Make an agent with an account that is there already.",
			s.SmartAccount.Checksum(), s.Chain.Slug)
	}
	return false, refuse(DeploySmartAccount, "There is no account at %s yet, and it is not the one that can be made for your wallet, which is %s. "+
		"Make an agent with that one.",
		s.SmartAccount.Checksum(), promised.Checksum())
}

// ownerOf asks the smart account for its owner. answered is false where nothing stands there.
func (c Checker) ownerOf(ctx context.Context, s Subject) (owned, answered bool, err error) {
	answer, err := c.Calls.Call(ctx, s.Chain, s.SmartAccount, selector("owner()"))
	if err != nil {
		return false, false, unavailable(err)
	}
	want := addressWord(s.Owner)
	return !answer.Reverted && bytes.Equal(answer.Returned, want[:]), answer.Reverted || len(answer.Returned) > 0, nil
}

// promised asks the factory for the account that it makes for the owner, zero where there is no such factory.
func (c Checker) promised(ctx context.Context, s Subject) (chain.Address, error) {
	answer, err := c.Calls.Call(ctx, s.Chain, c.Factory, callOf("getAddress(address,uint256)", addressWord(s.Owner), wholeWord(accountSalt)))
	if err != nil {
		return chain.Address{}, unavailable(err)
	}
	if answer.Reverted || len(answer.Returned) != 32 || !bytes.Equal(answer.Returned[:12], make([]byte, 12)) {
		return chain.Address{}, nil
	}
	return chain.Address(answer.Returned[12:]), nil
}

// unavailable makes sure that an error of a port says what it is.
func unavailable(err error) error {
	if errors.Is(err, market.ErrUnavailable) {
		return err
	}
	return fmt.Errorf("%w: %w", market.ErrUnavailable, err)
}
