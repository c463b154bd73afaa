package chain_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

func TestChainsAreKnownBySlugAliasAndID(t *testing.T) {
	want := []struct {
		slug    chain.Slug
		id      int64
		aliases []string
		native  string
	}{
		{chain.Ethereum, 1, []string{"ethereum"}, "ETH"},
		{chain.Base, 8453, nil, "ETH"},
		{chain.BSC, 56, []string{"bnb", "binance"}, "BNB"},
		{chain.Arbitrum, 42161, []string{"arbitrum-one"}, "ETH"},
		{chain.Polygon, 137, []string{"matic"}, "POL"},
		{chain.Optimism, 10, nil, "ETH"},
	}
	if got := chain.Slugs(); !slices.Equal(got, []string{"eth", "base", "bsc", "arbitrum", "polygon", "optimism"}) {
		t.Fatal(got)
	}
	all := chain.All()
	if len(all) != len(want) {
		t.Fatal(len(all))
	}
	for i, w := range want {
		c := all[i]
		if c.Slug != w.slug || c.ID != w.id || c.NativeSymbol != w.native || !slices.Equal(c.Aliases, w.aliases) {
			t.Errorf("%+v, want %+v", c, w)
		}
		for _, text := range append([]string{string(w.slug)}, w.aliases...) {
			if got, ok := chain.Parse(text); !ok || got != c {
				t.Errorf("%q is %v", text, got)
			}
			for _, other := range []string{strings.ToUpper(text), strings.ToUpper(text[:1]) + text[1:], " " + text, text + " ", text + "\n", text + "\x00", text[1:], text + "s"} {
				if got, ok := chain.Parse(other); ok {
					t.Errorf("%q is taken for %s", other, got.Slug)
				}
			}
		}
		if got, ok := chain.ByID(w.id); !ok || got != c {
			t.Errorf("%d is %v", w.id, got)
		}
	}
	for _, text := range []string{"", "mainnet", "bnb-chain", "polygon_pos", "op", "1", "еth", "solana", "ｅｔｈ"} {
		if got, ok := chain.Parse(text); ok || got != nil {
			t.Errorf("%q is taken for %v", text, got)
		}
	}
	for _, id := range []int64{0, -1, 5, 11155111, 43114, 1 << 62} {
		if got, ok := chain.ByID(id); ok || got != nil {
			t.Errorf("%d is taken for %v", id, got)
		}
	}
}

func TestNamesOfChainsDoNotOverlap(t *testing.T) {
	names, ids := make(map[string]chain.Slug), make(map[int64]chain.Slug)
	for _, c := range chain.All() {
		for _, name := range append([]string{string(c.Slug)}, c.Aliases...) {
			if other, taken := names[name]; taken {
				t.Errorf("%q is both %s and %s", name, other, c.Slug)
			}
			names[name] = c.Slug
		}
		if other, taken := ids[c.ID]; taken {
			t.Errorf("%d is both %s and %s", c.ID, other, c.Slug)
		}
		ids[c.ID] = c.Slug
	}
}

func TestCallersCannotChangeTheLists(t *testing.T) {
	chain.All()[0] = nil
	chain.Slugs()[0] = "other"
	c, _ := chain.Parse("eth")
	c.Quotes()[0] = chain.Asset{}
	if chain.All()[0] == nil || chain.Slugs()[0] != "eth" || c.Quotes()[0].Symbol != "WETH" {
		t.Error("a list is shared")
	}
}

func TestQuoteAssets(t *testing.T) {
	outsider := chain.Address{1, 2, 3}
	for _, c := range chain.All() {
		addresses, symbols := make(map[chain.Address]bool), make(map[string]bool)
		stables := 0
		for _, quote := range c.Quotes() {
			if quote.Address.IsZero() || addresses[quote.Address] || quote.Symbol == "" || symbols[quote.Symbol] {
				t.Errorf("%s: %s %s is there twice or empty", c.Slug, quote.Symbol, quote.Address)
			}
			addresses[quote.Address], symbols[quote.Symbol] = true, true
			if !c.IsQuote(quote.Address) {
				t.Errorf("%s: %s is no quote", c.Slug, quote.Symbol)
			}
			// Dollar tokens have 6 decimals or, as DAI and those of Binance, 18; what follows the native coin has its 18.
			if stable := c.IsStable(quote.Address); stable {
				stables++
				if quote.Decimals != 6 && quote.Decimals != 18 {
					t.Errorf("%s: %s has %d decimals", c.Slug, quote.Symbol, quote.Decimals)
				}
			} else if quote.Decimals != 18 {
				t.Errorf("%s: %s has %d decimals", c.Slug, quote.Symbol, quote.Decimals)
			}
		}
		if stables != len(c.Stables) || stables < 2 {
			t.Errorf("%s: %d stables", c.Slug, stables)
		}
		if c.WrappedNative.Symbol != "W"+c.NativeSymbol || c.IsStable(c.WrappedNative.Address) || c.IsStable(chain.Native) {
			t.Errorf("%s: %+v", c.Slug, c.WrappedNative)
		}
		if !c.IsQuote(chain.Native) || c.IsQuote(outsider) || c.IsStable(outsider) {
			t.Errorf("%s: what is a quote and what is not", c.Slug)
		}
	}
	// The one address that two chains share is the predeployed wrapped ether of the OP stack.
	base, _ := chain.Parse("base")
	optimism, _ := chain.Parse("optimism")
	seen := make(map[chain.Address]chain.Slug)
	for _, c := range chain.All() {
		for _, quote := range c.Quotes() {
			other, taken := seen[quote.Address]
			if taken && !(quote.Address == base.WrappedNative.Address && other == base.Slug && c == optimism) {
				t.Errorf("%s is on %s and %s", quote.Address, other, c.Slug)
			}
			seen[quote.Address] = c.Slug
		}
	}
}
