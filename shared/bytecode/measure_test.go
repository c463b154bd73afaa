package bytecode_test

import (
	"encoding/hex"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/mirrorworthy/mirrorworthy/shared/bytecode"
)

// TestMarks holds the classes to their marks on contracts that the analysis does not get all right.
func TestMarks(t *testing.T) {
	type counts struct{ both, found, expected float64 }
	marks := map[string]float64{
		"fresh mints": 0.923, "fresh limits": 0.915, "fresh leaks": 0.824,
	}
	seen := make(map[string]counts)
	for _, s := range samples(t) {
		r := bytecode.Analyze(s.code)
		for class, found := range map[string]bool{"mints": r.Mints, "limits": r.LimitsSelling, "leaks": r.Leaks} {
			expected := slices.Contains(s.expect, class)
			n := seen[s.file+" "+class]
			if found {
				n.found++
			}
			if expected {
				n.expected++
			}
			if found && expected {
				n.both++
			}
			seen[s.file+" "+class] = n
		}
	}
	for of, mark := range marks {
		n := seen[of]
		if f1 := 2 * n.both / (n.found + n.expected); !(f1 >= mark) {
			t.Errorf("%s: F1 %.3f, want %.3f", of, f1, mark)
		}
	}
}

func TestSampleMarket(t *testing.T) {
	text, err := os.ReadFile("../samplemarket/contracts.txt")
	if err != nil {
		t.Fatal(err)
	}
	expect := map[string]string{
		"Fixed": "", "FixedBurnable": "", "Wrapped": "", "Mintable": "mints", "MintableCapped": "mints", "HiddenMint": "mints",
		"HiddenMintMany": "mints leaks", "Listing": "limits", "Leaky": "leaks", "LeakyBurn": "leaks", "TaxedBounded": "fees", "TaxedUnbounded": "fees",
		"SwapBack": "", "TrapByWhitelist": "limits", "TrapByMark": "limits", "TrapBySilence": "limits", "TrapByAllowance": "limits",
		"Issued": "mints limits", "OldIssued": "mints limits leaks",
	}
	for line := range strings.Lines(string(text)) {
		name, digits, _ := strings.Cut(strings.TrimSpace(line), " ")
		want, ok := expect[strings.TrimSuffix(name, "/ir")]
		if !ok {
			continue
		}
		code, err := hex.DecodeString(digits)
		if err != nil {
			t.Fatal(err)
		}
		r := bytecode.Analyze(code)
		var found []string
		for _, class := range []struct {
			name string
			is   bool
		}{{"mints", r.Mints}, {"limits", r.LimitsSelling}, {"leaks", r.Leaks}, {"fees", r.SetsFees}} {
			if class.is {
				found = append(found, class.name)
			}
		}
		if got := strings.Join(found, " "); got != want || !r.Understood {
			t.Errorf("%s: found %q, want %q; understood %t", name, got, want, r.Understood)
		}
	}
}

func TestMinimalProxy(t *testing.T) {
	target := strings.Repeat("ab", 20)
	code, _ := hex.DecodeString("363d3d373d3d3d363d73" + target + "5af43d82803e903d91602b57fd5bf3")
	r := bytecode.Analyze(code)
	if !r.MinimalProxy || hex.EncodeToString(r.Target[:]) != target || r.Delegates || r.Understood {
		t.Errorf("got %+v", r)
	}
}

func TestDelegates(t *testing.T) {
	// Copies the call's data, delegates to the address in slot 0 and returns what came back.
	code, _ := hex.DecodeString("365f5f375f5f365f5f545af43d5f5f3e3d5ff3")
	if r := bytecode.Analyze(code); !r.Delegates || r.MinimalProxy || r.Understood {
		t.Errorf("got %+v", r)
	}
}
