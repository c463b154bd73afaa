package agent

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/walletsignature"
)

// IDParameter is the agent that a path names.
var IDParameter = endpoint.PathValue("agentId", "The agent's ID, as its creation answered.")

// Headers are those by which a wallet signs a request. Every endpoint about agents reads them.
var Headers = []endpoint.Header{
	{Name: walletsignature.HeaderAddress, Required: true, Description: "The wallet that signed: 0x and 40 hexadecimal digits."},
	{Name: walletsignature.HeaderMessage, Required: true, Description: "A Sign-In-with-Ethereum message (EIP-4361) in base64url, with or without padding: for the host that is called, " +
		"on a supported chain, with an expiration at most 24 hours ahead. It may be sent again until it expires, by the same partner alone."},
	{Name: walletsignature.HeaderSignature, Required: true, Description: "The wallet's signature of the message (EIP-191): 0x and 130 hexadecimal digits, or what the contract of a smart account accepts (ERC-1271)."},
}

// SignatureInvalid is the code that requests are refused with whose wallet headers cannot be accepted.
const SignatureInvalid = "wallet_signature_invalid"

// Sessions tells which wallet signed a request's headers. An error that wraps walletsignature.ErrSignature says what is wrong with them,
// one that wraps market.ErrUnavailable that nobody could be asked.
type Sessions interface {
	Session(ctx context.Context, header http.Header, host, partner string, at time.Time) (chain.Address, error)
}

// Access finds out whose agents a request is about, and which of them.
type Access struct {
	Agents   store.Agents
	Sessions Sessions
}

// Check sets the request's wallet to the one that signed its headers. It is the Check of every endpoint about agents.
func (a Access) Check(ctx context.Context, r *endpoint.Request) error {
	wallet, err := a.Sessions.Session(ctx, r.Header, r.Host, r.Partner, r.ReceivedAt)
	if err != nil {
		return signatureProblem(err)
	}
	r.Wallet = wallet
	return nil
}

// Agent reads the agent that the path names. One of another partner or of another wallet is not found, as one that never was.
func (a Access) Agent(ctx context.Context, r *endpoint.Request) (*Agent, error) {
	return a.read(ctx, r, store.AgentKey{Partner: r.Partner, ID: IDParameter.Of(r)})
}

func (a Access) read(ctx context.Context, r *endpoint.Request, key store.AgentKey) (*Agent, error) {
	record, err := a.Agents.Agent(ctx, key)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, notFound()
	case err != nil:
		return nil, unavailable(err)
	}
	agent, err := Read(record)
	if err != nil {
		return nil, err
	}
	if agent.Owner != r.Wallet {
		return nil, notFound()
	}
	return agent, nil
}

func notFound() error {
	return endpoint.NotFound("This wallet has no agent of that ID with this partner key.")
}

// unavailable is a store that does not answer.
func unavailable(err error) error {
	return fmt.Errorf("%w: the store of agents: %w", market.ErrUnavailable, err)
}

// signatureProblem is what a partner is told of a signature that cannot be accepted.
func signatureProblem(err error) error {
	if errors.Is(err, walletsignature.ErrSignature) {
		return &endpoint.Problem{Status: http.StatusUnauthorized, Code: SignatureInvalid, Message: err.Error()}
	}
	return err
}

func conflict(code, message string) *endpoint.Problem {
	return &endpoint.Problem{Status: http.StatusConflict, Code: code, Message: message}
}
