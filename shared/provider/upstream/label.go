package upstream

import (
	"strings"
	"unicode"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// kindWords are what tags and names say of an account's kind, most telling first: a bridge of an exchange is a bridge.
var kindWords = []struct {
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

// AccountKind finds the kind of account that a tag or name speaks of, by whole words, so that an index is no dex. It believes the text:
// whose it is, is for the caller to judge.
func AccountKind(text string) market.AccountKind {
	spaced := separate(text)
	if strings.TrimSpace(spaced) == "" {
		return market.UnknownAccount
	}
	for _, group := range kindWords {
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
