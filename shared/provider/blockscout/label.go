package blockscout

import (
	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

// describe tells what the explorer knows of an account; false when that is nothing.
func (w *wireAddress) describe() (market.Account, bool) {
	address, ok := w.address()
	if w == nil || !ok {
		return market.Account{}, false
	}
	account := market.Account{Address: address, Contract: w.contract()}
	if address.IsZero() || address == chain.Burn {
		account.Kind = market.BurnAccount
		return account, true
	}
	account.Label = w.label()
	account.Kind = w.kind()
	return account, account.Contract || account.Label != "" || account.Kind != market.UnknownAccount
}

// contract is false for an externally owned account that delegated (EIP-7702), which some instances call a contract.
func (w *wireAddress) contract() bool {
	return market.Tristate(w.IsContract) == market.Yes && w.ProxyType != "eip7702"
}

// label prefers what curators wrote to what a contract calls itself.
func (w *wireAddress) label() string {
	if w.Metadata != nil {
		best, bestOrdinal := "", int64(-1)
		for _, tag := range w.Metadata.Tags.Good {
			if ordinal, _ := tag.Ordinal.Int(); tag.Type == "name" && tag.Name != "" && ordinal > bestOrdinal {
				best, bestOrdinal = string(tag.Name), ordinal
			}
		}
		if best != "" {
			return best
		}
	}
	for _, tag := range w.PublicTags.Good {
		if name := either(tag.DisplayName, tag.Label); name != "" {
			return string(name)
		}
	}
	if w.Name != "" {
		return string(w.Name)
	}
	if len(w.Implementations.Good) > 0 {
		return string(w.Implementations.Good[0].Name)
	}
	return ""
}

// kind classifies by curators' tags first. The name a contract gives itself is believed only where the source is verified,
// and never to be an exchange or a bridge, which anybody could claim.
func (w *wireAddress) kind() market.AccountKind {
	if w.Metadata != nil {
		// A tag on what the account is says more than one on whose it is.
		for _, generic := range []bool{true, false} {
			for _, tag := range w.Metadata.Tags.Good {
				if (tag.Type == "generic") == generic {
					if kind := upstream.AccountKind(string(tag.Slug) + " " + string(tag.Name)); kind != market.UnknownAccount {
						return kind
					}
				}
			}
		}
	}
	for _, tag := range w.PublicTags.Good {
		if kind := upstream.AccountKind(string(tag.Label) + " " + string(tag.DisplayName)); kind != market.UnknownAccount {
			return kind
		}
	}
	if !w.contract() || market.Tristate(w.IsVerified) != market.Yes {
		return market.UnknownAccount
	}
	names := []string{string(w.Name)}
	for _, implementation := range w.Implementations.Good {
		names = append(names, string(implementation.Name))
	}
	for _, name := range names {
		switch kind := upstream.AccountKind(name); kind {
		case market.UnknownAccount, market.ExchangeAccount, market.BridgeAccount:
		default:
			return kind
		}
	}
	return market.UnknownAccount
}
