package upstream

import "testing"

func TestSeparate(t *testing.T) {
	for text, want := range map[string]string{
		"": " ", "DEX": " dex ", "uniswap-v3-pool": " uniswap v3 pool ", "MerkleDistributor": " merkle distributor ", "  a..B ": " a b ", "Gate.io": " gate io ",
	} {
		if got := separate(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
