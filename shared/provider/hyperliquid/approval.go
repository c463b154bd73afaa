package hyperliquid

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

// Approval is what an account signed so that an agent may trade for it.
type Approval struct {
	// Account signed it, Agent is who may trade.
	Account, Agent chain.Address
	// Name is the agent's as it was signed: at most 16 characters, which may be followed by " valid_until " and a time in Unix milliseconds
	// at most 180 days ahead. A second agent of the same name takes the place of the first.
	Name string
	// Nonce is the time in Unix milliseconds at which it was signed.
	Nonce uint64
	// SignatureChainID is the chain that the wallet signed for, of whatever number.
	SignatureChainID uint64
	// Signature is r, s and v.
	Signature []byte
}

// ApproveAgent tells the venue what an account signed. ErrInvalid: the signature is not the account's for this network, or too old. A
// Refusal says why the venue would not. Whether it did can be seen by ApprovedAgents.
func (x *Exchange) ApproveAgent(ctx context.Context, approval Approval) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("nothing was sent: %w", err)
	}
	signer, err := recoverSigner(approval.digest(x.config.Network), approval.Signature)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if signer != approval.Account || approval.Agent.IsZero() || approval.Agent == approval.Account {
		return fmt.Errorf("%w: the account did not sign that this agent may trade", ErrInvalid)
	}
	now := x.adapter.client.Now()
	if signed := time.UnixMilli(int64(approval.Nonce)); approval.Nonce > 1<<62 || signed.Before(now.Add(-nonceAge)) ||
		signed.After(now.Add(nonceAhead)) {
		return fmt.Errorf("%w: signed at a time that the venue does not accept", ErrInvalid)
	}
	v := approval.Signature[64]
	if v < 27 {
		v += 27
	}
	said, err := send(ctx, x, envelope[approvalAction]{
		Action: approvalAction{
			Type: "approveAgent", SignatureChainID: "0x" + strconv.FormatUint(approval.SignatureChainID, 16), Network: x.config.Network,
			Agent: approval.Agent.String(), Name: approval.Name, Nonce: approval.Nonce,
		},
		Nonce:     approval.Nonce,
		Signature: signature{R: approval.Signature[:32], S: approval.Signature[32:64], V: v},
	})
	if err != nil {
		return err
	}
	if said.refused != nil {
		return said.refused
	}
	return nil
}

// digest is what the account signed.
func (a Approval) digest(network Network) [32]byte {
	return typedDigest(userDomain, a.SignatureChainID, "HyperliquidTransaction:ApproveAgent", []field{
		textField("hyperliquidChain", string(network)), addressField("agentAddress", a.Agent), textField("agentName", a.Name),
		numberField("uint64", "nonce", a.Nonce),
	})
}

// ApprovedAgent may trade for an account.
type ApprovedAgent struct {
	Name    string
	Address chain.Address
	// ValidUntil is when that ends.
	ValidUntil time.Time
}

// ApprovedAgents reads the agents that an account approved by name. Such whose time is over may be among them.
func (x *Exchange) ApprovedAgents(ctx context.Context, account chain.Address) ([]ApprovedAgent, error) {
	q := question{Type: "extraAgents", User: account.String()}
	return info(ctx, x.adapter, q, upstream.Weight{Asking: questionWeight}, func(r *upstream.Response) ([]ApprovedAgent, error) {
		agents, dropped, err := readAgents(r)
		x.adapter.client.Drop(path, dropped)
		return agents, err
	})
}

func readAgents(r *upstream.Response) ([]ApprovedAgent, int, error) {
	rows, err := rowsOf[struct {
		Name       upstream.Text   `json:"name"`
		Address    upstream.Text   `json:"address"`
		ValidUntil upstream.Number `json:"validUntil"`
	}](r)
	if err != nil {
		return nil, 0, err
	}
	agents, dropped := make([]ApprovedAgent, 0, len(rows.Good)), rows.Dropped
	for _, row := range rows.Good {
		address, err := chain.ParseWireAddress(string(row.Address))
		until, ok := row.ValidUntil.Int()
		if err != nil || !ok || until <= 0 || until > 1<<52 {
			dropped++
			continue
		}
		agents = append(agents, ApprovedAgent{string(row.Name), address, time.UnixMilli(until).UTC()})
	}
	if dropped > 0 && len(agents) == 0 {
		return nil, dropped, noneLegible(dropped)
	}
	return agents, dropped, nil
}
