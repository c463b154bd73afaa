package activation

import (
	"fmt"
	"math/big"
	"strconv"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

// accountSalt tells the accounts of one owner apart; an owner has one.
var accountSalt = big.NewInt(0)

// dollarOf is the chain's dollar that agents spend: its USDC, or the first of its stable coins where it has none.
func dollarOf(on *chain.Chain) chain.Asset {
	for _, stable := range on.Stables {
		if stable.Symbol == "USDC" {
			return stable
		}
	}
	return on.Stables[0]
}

// raw is an amount of millionths of a dollar in the smallest units of a token, rounded down.
func raw(micro int64, decimals int) *big.Int {
	amount := new(big.Int).Mul(big.NewInt(micro), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil))
	return amount.Quo(amount, big.NewInt(1_000_000))
}

// onPaper says what a paper agent does not do.
func onPaper(s Subject) string {
	if s.Live {
		return ""
	}
	return " This agent trades on paper: nothing is bought."
}

func (c Checker) deployment(s Subject) Step {
	return Step{
		Kind:   SendTransaction,
		Title:  "Create your smart account",
		What:   fmt.Sprintf("Your wallet asks a public factory on %s to create the account %s, which belongs to your wallet.", s.Chain.Slug, s.SmartAccount.Checksum()),
		Why:    "Copies of the leader's trades are held by this account, apart from everything else that you own." + onPaper(s),
		Safety: safeDeployment(s), Cost: CostGas,
		WalletShows: fmt.Sprintf("A call of createAccount at %s on %s, with your own address in it and no amount to pay besides the network fee.",
			c.Factory.Checksum(), s.Chain.Slug),
		Transaction: transactionTo(s, c.Factory, callOf("createAccount(address,uint256)", addressWord(s.Owner), wholeWord(accountSalt))),
	}
}

// spending is the approval by which a spender may take up to the agent's cap.
func spending(s Subject, token chain.Asset, spender chain.Address, who string) (Step, error) {
	limit := raw(s.MaxMicroUSD, token.Decimals)
	if limit.Sign() <= 0 || limit.BitLen() > 256 {
		return Step{}, fmt.Errorf("a cap of %d millionths cannot be approved in %s", s.MaxMicroUSD, token.Symbol)
	}
	amount := dollars(s.MaxMicroUSD) + " " + token.Symbol
	return Step{
		Kind:   SendTransaction,
		Title:  "Allow spending up to " + amount,
		What:   fmt.Sprintf("Your wallet allows %s at %s to spend up to %s on %s.", who, spender.Checksum(), amount, s.Chain.Slug),
		Why:    "Copies are paid for with this, and with nothing else." + onPaper(s),
		Safety: safeSpending(amount), Cost: CostGas,
		WalletShows: fmt.Sprintf("A spending cap of exactly %s for %s. If your wallet shows any other amount, say no.", amount, spender.Checksum()),
		Transaction: transactionTo(s, token.Address, callOf("approve(address,uint256)", addressWord(spender), wholeWord(limit))),
	}, nil
}

// session is the permission to trade that lapses by itself.
func session(s Subject, p Progress) (Step, error) {
	token, until := dollarOf(s.Chain), p.CredentialsExpireAt
	amount := dollars(s.MaxMicroUSD) + " " + token.Symbol
	document, err := typedData(domain{Name: "Mirrorworthy", Version: "1", ChainID: s.Chain.ID}, "Session",
		fields("address account", "address executor", "address leader", "address token", "uint256 maxAmount", "uint256 expiresAt", "string agent", "string challenge"),
		struct {
			Account   string `json:"account"`
			Executor  string `json:"executor"`
			Leader    string `json:"leader"`
			Token     string `json:"token"`
			MaxAmount string `json:"maxAmount"`
			ExpiresAt string `json:"expiresAt"`
			Agent     string `json:"agent"`
			Challenge string `json:"challenge"`
		}{
			s.SmartAccount.Checksum(), s.Executor.Checksum(), s.Leader.Checksum(), token.Address.Checksum(),
			raw(s.MaxMicroUSD, token.Decimals).String(), strconv.FormatInt(until.Unix(), 10), s.Agent, p.Challenge,
		})
	return Step{
		Kind:  SignTypedData,
		Title: "Start the copying session",
		What: fmt.Sprintf("You permit us to copy %s for your account %s with at most %s, until %s.",
			s.Leader.Checksum(), s.SmartAccount.Checksum(), amount, until.Format(time.RFC1123)),
		Why:    "So that copies can be made without asking you each time." + onPaper(s),
		Safety: safeSession(amount, until), Cost: CostNone,
		WalletShows: fmt.Sprintf("A message of the kind Session from Mirrorworthy, with your account, maxAmount %s and expiresAt %d.",
			raw(s.MaxMicroUSD, token.Decimals), until.Unix()),
		TypedData: document,
	}, err
}
