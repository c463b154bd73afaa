package activation

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/digest"
)

// tradingNetwork is what the perpetuals venue calls its network with real money.
const tradingNetwork = "Mainnet"

// TradingApproval is what the owner signed so that an account of ours may trade at the perpetuals venue, as the venue wants to be told.
type TradingApproval struct {
	// Account signed, Agent may trade.
	Account, Agent chain.Address
	// Name is the agent's at the venue, with the time until when it may trade. Nonce is in Unix milliseconds.
	Name  string
	Nonce uint64
	// ChainID is the chain that the wallet signed for.
	ChainID uint64
	// Signature is of 65 bytes unless the owner is a contract; nil before the step is done.
	Signature []byte
}

// TradingApprovalOf is the approval that an activation asks for, and once that step is done with what the owner signed. The venue knows
// an approval by its name: each agent has one of its own, so that none takes another's place. The nonce stands for the challenge.
func TradingApprovalOf(s Subject, p Progress) TradingApproval {
	approval := TradingApproval{
		Account: s.Owner, Agent: s.TradingAgent, ChainID: uint64(s.Chain.ID),
		// A name has up to 16 characters; the venue takes what follows as the end of the approval.
		Name:  "mw-" + digest.Of(s.Partner, s.Agent)[:13] + " valid_until " + strconv.FormatInt(p.CredentialsExpireAt.UnixMilli(), 10),
		Nonce: uint64(p.IssuedAt.Unix())*1000 + drawn(p.Challenge, 1000),
	}
	for _, done := range p.Done {
		if done.Step == ApproveTradingAgent {
			approval.Signature, _ = hex.DecodeString(strings.TrimPrefix(done.Signature, "0x"))
		}
	}
	return approval
}

func tradingAgent(s Subject, p Progress) (Step, error) {
	approval := TradingApprovalOf(s, p)
	document, err := typedData(domain{Name: "HyperliquidSignTransaction", Version: "1", ChainID: s.Chain.ID, VerifyingContract: chain.Address{}.String()},
		"HyperliquidTransaction:ApproveAgent", fields("string hyperliquidChain", "address agentAddress", "string agentName", "uint64 nonce"),
		struct {
			Chain string `json:"hyperliquidChain"`
			Agent string `json:"agentAddress"`
			Name  string `json:"agentName"`
			Nonce uint64 `json:"nonce"`
		}{tradingNetwork, approval.Agent.String(), approval.Name, approval.Nonce})
	return Step{
		Kind:  SignTypedData,
		Title: "Approve our trading agent",
		What: fmt.Sprintf("You approve the account %s to place and cancel orders for your account at the venue, until %s.",
			s.TradingAgent.Checksum(), p.CredentialsExpireAt.Format(time.RFC1123)),
		Why:    "So that copies can be placed without asking you each time." + onPaper(s),
		Safety: safeTrading(), Cost: CostNone,
		WalletShows: fmt.Sprintf("A message of the kind ApproveAgent from HyperliquidSignTransaction, with agentAddress %s.", s.TradingAgent),
		TypedData:   document,
	}, err
}

func leverageCap(s Subject, p Progress) Step {
	leverage := strconv.FormatFloat(s.MaxLeverage, 'f', -1, 64) + "x"
	return Step{
		Kind:  SignMessage,
		Title: "Accept the leverage cap of " + leverage,
		What: fmt.Sprintf("You confirm the limits of this agent: copies of %s with at most %s of leverage and %s USD in all.",
			s.Leader.Checksum(), leverage, dollars(s.MaxMicroUSD)),
		Why:    "Leverage can lose more quickly than it gains, so the limit is set by you and not by the leader." + onPaper(s),
		Safety: safeLeverage(leverage), Cost: CostNone,
		WalletShows: fmt.Sprintf("A text that begins with Mirrorworthy and names the leverage %s and this agent.", leverage),
		Message: strings.Join([]string{
			"Mirrorworthy: limits of a copying agent", "",
			"Agent: " + s.Agent,
			"Leader: " + s.Leader.Checksum(),
			"Highest leverage: " + leverage,
			"Most money: " + dollars(s.MaxMicroUSD) + " USD",
			"Wallet: " + s.Owner.Checksum(),
			"Holds until: " + p.CredentialsExpireAt.UTC().Format(time.RFC3339),
			"Challenge: " + p.Challenge,
		}, "\n"),
	}
}
