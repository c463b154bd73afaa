package blockscout

import (
	"strings"
	"unicode"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// describe tells what the explorer knows of an account; false when that is nothing.
func (w *wireAddress) describe() (market.Account, bool) {
	address, ok := w.address()
	if w == nil || !ok {
		return market.Account{}, false
	}
	account := market.Account{Address: address, Contract: market.Tristate(w.IsContract) == market.Yes}
	if address.IsZero() || address == chain.Burn {
		account.Kind = market.BurnAccount
		return account, true
	}
	account.Label = w.label()
	account.Kind = w.kind()
	return account, account.Contract || account.Label != "" || account.Kind != market.UnknownAccount
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
					if kind := classify(string(tag.Slug) + " " + string(tag.Name)); kind != market.UnknownAccount {
						return kind
					}
				}
			}
		}
	}
	for _, tag := range w.PublicTags.Good {
		if kind := classify(string(tag.Label) + " " + string(tag.DisplayName)); kind != market.UnknownAccount {
			return kind
		}
	}
	if market.Tristate(w.IsContract) != market.Yes || market.Tristate(w.IsVerified) != market.Yes {
		return market.UnknownAccount
	}
	names := []string{string(w.Name)}
	for _, implementation := range w.Implementations.Good {
		names = append(names, string(implementation.Name))
	}
	for _, name := range names {
		switch kind := classify(name); kind {
		case market.UnknownAccount, market.ExchangeAccount, market.BridgeAccount:
		default:
			return kind
		}
	}
	return market.UnknownAccount
}

// words are what tags and names say of an account's kind, most telling first: a bridge of an exchange is a bridge.
var words = []struct {
	kind  market.AccountKind
	words []string
}{
	{market.BurnAccount, []string{"burn", "burned", "null"}},
	{market.DistributorAccount, []string{"airdrop", "airdrops", "distributor", "merkle", "claim", "claims", "rewards", "merkl", "faucet"}},
	{market.BridgeAccount, []string{"bridge", "bridges", "stargate", "across", "hop", "synapse", "wormhole", "layerzero", "celer", "gaszip", "relay", "debridge", "orbiter", "socket", "bungee", "connext", "axelar", "squid"}},
	{market.ProtocolAccount, []string{"lending", "lend", "staking", "stake", "vault", "vaults", "aave", "compound", "lido", "maker", "makerdao", "morpho", "spark", "eigenlayer", "rocketpool", "yearn", "convex", "pendle", "ethena", "venus", "beefy", "euler", "moonwell", "gauge"}},
	{market.DexAccount, []string{"dex", "amm", "decentralized exchange", "decentralised exchange", "router", "router02", "router2", "swap", "swaps", "swapper", "aggregator", "liquidity pool", "liquidity pools", "pair", "uniswap", "sushiswap", "pancakeswap", "pancake", "1inch", "0x protocol", "exchange proxy", "paraswap", "velora", "cow protocol", "cowswap", "kyberswap", "kyber", "odos", "openocean", "curve", "balancer", "aerodrome", "velodrome", "camelot", "traderjoe", "trader joe", "quickswap", "matcha", "dodo", "bancor", "maverick", "permit2 proxy", "banana gun", "maestro", "solver"}},
	{market.ExchangeAccount, []string{"cex", "exchange", "centralized exchange", "centralised exchange", "hot wallet", "binance", "coinbase", "kraken", "okx", "okex", "bybit", "kucoin", "gate io", "bitfinex", "huobi", "htx", "crypto com", "mexc", "bitget", "gemini", "upbit", "bithumb", "bitstamp", "poloniex", "bittrex"}},
}

// classify finds the kind a text speaks of by whole words, so that an index is no dex.
func classify(text string) market.AccountKind {
	spaced := separate(text)
	if strings.TrimSpace(spaced) == "" {
		return market.UnknownAccount
	}
	for _, group := range words {
		for _, word := range group.words {
			if strings.Contains(spaced, " "+word+" ") {
				return group.kind
			}
		}
	}
	// Names of pool and router contracts run together with their protocol's version.
	for _, prefix := range []string{" uniswap", " pancake", " sushiswap"} {
		if strings.Contains(spaced, prefix) {
			return market.DexAccount
		}
	}
	return market.UnknownAccount
}

// separate writes a text in lower-case words between single spaces, parting CamelCase and everything that is no letter or
// digit.
func separate(text string) string {
	const longest = 512
	var spaced strings.Builder
	spaced.WriteByte(' ')
	lastLower, lastSpace := false, true
	for i, r := range text {
		if i > longest {
			break
		}
		letter := unicode.IsLetter(r) || unicode.IsDigit(r)
		if !lastSpace && (!letter || lastLower && unicode.IsUpper(r)) {
			spaced.WriteByte(' ')
			lastSpace = true
		}
		if letter {
			spaced.WriteRune(unicode.ToLower(r))
			lastSpace = false
		}
		lastLower = unicode.IsLower(r) || unicode.IsDigit(r)
	}
	if !lastSpace {
		spaced.WriteByte(' ')
	}
	return spaced.String()
}
