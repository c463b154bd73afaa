package agent

import (
	"errors"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestAmounts(t *testing.T) {
	for text, want := range map[string]MicroUSD{
		"0": 0, "1": 1_000_000, "250.5": 250_500_000, "0.000001": 1, "007": 7_000_000, "999999999999.999999": 999_999_999_999_999_999,
	} {
		if got, err := ParseMicroUSD(text); err != nil || got != want {
			t.Errorf("%s: %d %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", " 1", "1 ", "+1", "-1", "1e9", "0x10", "NaN", "Inf", "1.", ".5", "1.0000001", "1234567890123", "1,000", "1_000", "１００", "1\n", "1\x00", "٣", "--1", "1.2.3",
	} {
		if got, err := ParseMicroUSD(text); !errors.Is(err, ErrAmount) {
			t.Errorf("%q was read as %d, %v", text, got, err)
		}
	}
}

// Amounts come back from text as they were, exactly, and as a person would write them.
func TestAmountsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		amount := MicroUSD(rapid.Int64Range(-999_999_999_999_999_999, 999_999_999_999_999_999).Draw(t, "amount"))
		text, err := amount.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var back MicroUSD
		if err := back.UnmarshalText(text); err != nil || back != amount {
			t.Fatalf("%d came back from %s as %d, %v", amount, text, back, err)
		}
		exact, ok := new(big.Rat).SetString(string(text))
		if !ok || exact.Cmp(big.NewRat(int64(amount), 1_000_000)) != 0 {
			t.Fatalf("%d is written %s", amount, text)
		}
		if strings.Contains(string(text), ".") && strings.HasSuffix(string(text), "0") || strings.HasSuffix(string(text), ".") {
			t.Fatalf("%d is written %s", amount, text)
		}
	})
}

func FuzzParseMicroUSD(f *testing.F) {
	for _, seed := range []string{"250.5", "1e9", "999999999999.999999", "１", "-0", "0.0000001"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		amount, err := ParseMicroUSD(text)
		if err != nil {
			return
		}
		if exact, ok := new(big.Rat).SetString(text); amount < 0 || !ok || exact.Cmp(big.NewRat(int64(amount), 1_000_000)) != 0 {
			t.Errorf("%q is read as %d", text, amount)
		}
	})
}
