package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
)

// Kinds of steps.
const (
	StepSignMessage     = "sign_message"
	StepSignTypedData   = "sign_typed_data"
	StepSendTransaction = "send_transaction"
)

// Step is one thing that a wallet is asked to do for an agent to be active. ExplainStep says what to show of it. Of Message, TypedData and
// Transaction the one of its kind is there.
type Step struct {
	Step        string          `json:"step"`
	Kind        string          `json:"kind"`
	Title       string          `json:"title"`
	What        string          `json:"what"`
	Why         string          `json:"why"`
	Safety      string          `json:"safety"`
	Cost        string          `json:"cost"`
	WalletShows string          `json:"walletShows"`
	Message     string          `json:"message,omitempty"`
	TypedData   json.RawMessage `json:"typedData,omitempty"`
	Transaction *Transaction    `json:"transaction,omitempty"`
	ExpiresAt   string          `json:"expiresAt"`
}

// Transaction is one that a wallet is asked to send. Data and Value are hexadecimal with 0x, Value in wei.
type Transaction struct {
	ChainID int64  `json:"chainId"`
	From    string `json:"from"`
	To      string `json:"to"`
	Data    string `json:"data"`
	Value   string `json:"value"`
}

// Activation is how far an agent's activation is.
type Activation struct {
	AgentID string `json:"agentId"`
	Status  string `json:"status"`
	// Steps are those of this round; none once the agent is active.
	Steps []Step `json:"steps"`
	// ExpiresAt is until when they can be done; nil without any.
	ExpiresAt *string `json:"expiresAt"`
}

// Signer is a wallet: a browser's, a phone's, or a key in memory. Signatures are hexadecimal with 0x, 65 bytes for a plain account.
type Signer interface {
	// SignMessage signs a text as EIP-191 says (personal_sign).
	SignMessage(ctx context.Context, text string) (signature string, err error)
	// SignTypedData signs typed data of EIP-712, as eth_signTypedData_v4 takes it.
	SignTypedData(ctx context.Context, typedData json.RawMessage) (signature string, err error)
	// SendTransaction sends a transaction, and returns its hash, 0x and 64 digits, once it is in a block.
	SendTransaction(ctx context.Context, transaction Transaction) (hash string, err error)
}

// ActivateOptions are what else an activation takes.
type ActivateOptions struct {
	// OnRound is called with the steps of each round before the first of them is done. An error ends the activation before anything of
	// the round is signed: it is where a person says no. Nil for nothing.
	OnRound func(steps []Step) error
}

const (
	// mostRounds bounds the rounds of an activation, and mostPending how often the results of one are sent while a transaction is on its
	// way.
	mostRounds, mostPending = 20, 100
)

// Reasons why an activation ends early.
var (
	// ErrUnknownStep: the service asks for a kind of step that this version does not know, and that it does not have signed.
	ErrUnknownStep = errors.New("client: a kind of step that this version does not know")
	// ErrNotActivated: the agent is not active, and there is nothing to do about it.
	ErrNotActivated = errors.New("client: the agent is not active")
)

type result struct {
	Step      string `json:"step"`
	Signature string `json:"signature,omitempty"`
	TxHash    string `json:"txHash,omitempty"`
}

// GetActivation lists what the wallet must do next for an agent to be active. It begins an activation where none is under way.
func (c *Client) GetActivation(ctx context.Context, agentID string) (Activation, error) {
	var answer Activation
	err := c.call(ctx, request{method: http.MethodGet, path: agentPath(agentID) + "/activation", wallet: true}, &answer)
	return answer, err
}

// Activate has a wallet do all steps of an agent's activation, round after round, until the agent is active. It can be called again after
// an error, and goes on where the service saw it last; a transaction whose hash did not get there is sent again then. A result that the
// service refused is an *Error.
func (c *Client) Activate(ctx context.Context, agentID string, signer Signer, options ActivateOptions) (Activation, error) {
	// A key that is meant for one POST is not for the several of this.
	ctx = WithIdempotencyKey(ctx, "")
	at, err := c.GetActivation(ctx, agentID)
	for round := 0; err == nil && len(at.Steps) > 0; round++ {
		if round == mostRounds {
			return at, fmt.Errorf("%w after %d rounds", ErrNotActivated, round)
		}
		at, err = c.round(ctx, agentID, at, signer, options)
	}
	if err == nil && at.Status != StatusActive {
		err = fmt.Errorf("%w: it is %s", ErrNotActivated, at.Status)
	}
	return at, err
}

// round does the steps of a round and sends what came of them.
func (c *Client) round(ctx context.Context, agentID string, at Activation, signer Signer, options ActivateOptions) (Activation, error) {
	for _, step := range at.Steps {
		if err := step.check(); err != nil {
			return at, err
		}
	}
	if options.OnRound != nil {
		if err := options.OnRound(slices.Clone(at.Steps)); err != nil {
			return at, err
		}
	}
	results := make([]result, len(at.Steps))
	for i, step := range at.Steps {
		done, err := do(ctx, signer, step)
		if err != nil {
			return at, fmt.Errorf("client: step %s: %w", step.Step, err)
		}
		results[i] = done
	}
	asked := request{method: http.MethodPost, path: agentPath(agentID) + "/activate", wallet: true, body: map[string]any{"results": results}}
	for tried := 1; ; tried++ {
		var next Activation
		err := c.call(ctx, asked, &next)
		if err == nil {
			return next, nil
		}
		// A transaction that is in no block yet may take longer than a request is repeated for.
		var refused *Error
		if !errors.As(err, &refused) || refused.Status != http.StatusConflict || refused.RetryAfter == 0 || refused.RetryAfter > c.maximumWait || tried == mostPending {
			return at, err
		}
		if pause(ctx, refused.RetryAfter) != nil {
			return at, err
		}
	}
}

// check tells whether this version knows the kind of step, and its content is there.
func (s *Step) check() error {
	switch {
	case s.Kind == StepSignMessage && s.Message != "", s.Kind == StepSignTypedData && len(s.TypedData) > 0, s.Kind == StepSendTransaction && s.Transaction != nil:
		return nil
	case s.Kind == StepSignMessage, s.Kind == StepSignTypedData, s.Kind == StepSendTransaction:
		return fmt.Errorf("%w: step %s has nothing to sign", ErrAnswer, s.Step)
	}
	return fmt.Errorf("%w: %s of step %s", ErrUnknownStep, s.Kind, s.Step)
}

// do has the wallet do a step.
func do(ctx context.Context, signer Signer, step Step) (done result, err error) {
	done.Step = step.Step
	switch step.Kind {
	case StepSignMessage:
		done.Signature, err = signer.SignMessage(ctx, step.Message)
	case StepSignTypedData:
		done.Signature, err = signer.SignTypedData(ctx, step.TypedData)
	default:
		done.TxHash, err = signer.SendTransaction(ctx, *step.Transaction)
	}
	return done, err
}
