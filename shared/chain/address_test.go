package chain_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

// published are the examples of EIP-55 itself: two that come out in capitals, two in small letters, four mixed.
var published = []string{
	"0x52908400098527886E0F7030069857D2E4169EE7", "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
	"0xde709f2102306220921060314715629080e2fb77", "0x27b1fdb04752bbc536007a920d24acb045561c26",
	"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
	"0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB", "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
}

func TestChecksumOfThePublishedExamples(t *testing.T) {
	for _, text := range published {
		for _, spelling := range []string{text, strings.ToLower(text), "0x" + strings.ToUpper(text[2:])} {
			address, err := chain.ParseAddress(spelling)
			if err != nil {
				t.Errorf("%s: %v", spelling, err)
				continue
			}
			if got := address.Checksum(); got != text {
				t.Errorf("checksum %s, want %s", got, text)
			}
			if got := address.String(); got != strings.ToLower(text) {
				t.Errorf("%s, want %s", got, strings.ToLower(text))
			}
		}
	}
}

const good = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"

func TestWhatIsNoAddress(t *testing.T) {
	lower := strings.ToLower(good)
	for name, text := range map[string]string{
		"empty":                  "",
		"prefix alone":           "0x",
		"no prefix":              good[2:],
		"no prefix, 42 digits":   good[2:] + "00",
		"39 digits":              good[:41],
		"41 digits":              good + "0",
		"39 small digits":        lower[:41],
		"41 small digits":        lower + "0",
		"a key of 64 digits":     "0x" + strings.Repeat("ab", 32),
		"capital prefix":         "0X" + good[2:],
		"capital prefix, small":  "0X" + lower[2:],
		"all in capitals":        strings.ToUpper(good),
		"other prefix":           "1x" + lower[2:],
		"checksum: one letter":   "0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
		"checksum: all swapped":  "0x5AaEB6053f3e94c9B9a09F33669435e7eF1bEaED",
		"space before":           " " + lower,
		"space before, 42 long":  " " + lower[:41],
		"space after":            lower + " ",
		"space after, 42 long":   lower[:41] + " ",
		"space within":           lower[:20] + " " + lower[21:],
		"newline after":          lower + "\n",
		"newline, 42 long":       lower[:41] + "\n",
		"NUL after":              lower + "\x00",
		"NUL, 42 long":           lower[:41] + "\x00",
		"tab":                    "\t" + lower,
		"a letter beyond f":      lower[:41] + "g",
		"underscore":             lower[:41] + "_",
		"full-width digits":      "0x" + strings.Repeat("１", 40),
		"full-width, 42 bytes":   "0x" + strings.Repeat("１", 13) + "1",
		"full-width zero":        "０x" + lower[2:],
		"Cyrillic a, e, c":       "0x" + strings.NewReplacer("a", "а", "e", "е", "c", "с").Replace(lower[2:]),
		"Cyrillic, 42 bytes":     "0x" + strings.Repeat("а", 20),
		"Cyrillic x":             "0х" + lower[2:],
		"Arabic-Indic digits":    "0x" + strings.Repeat("٣", 20),
		"zero-width space":       lower[:10] + "\u200b" + lower[10:],
		"zero-width, 42 bytes":   "\u200b" + lower[:39],
		"byte order mark":        "\ufeff" + lower,
		"right-to-left override": "\u202e" + lower,
		"invalid UTF-8":          lower[:41] + "\xff",
		"an ENS name":            "vitalik.eth",
		"two addresses":          lower + lower,
		"quoted":                 `"` + lower + `"`,
	} {
		address, err := chain.ParseAddress(text)
		if !errors.Is(err, chain.ErrAddress) || address != (chain.Address{}) {
			t.Errorf("%s: %q is %v, %v", name, text, address, err)
		}
	}
}

func TestPlainSpellingsNeedNoChecksum(t *testing.T) {
	for _, text := range []string{
		strings.ToLower(good), "0x" + strings.ToUpper(good[2:]), good, "0x" + strings.Repeat("0", 40), "0x" + strings.Repeat("9", 40),
		"0x" + strings.Repeat("f", 40), "0x" + strings.Repeat("F", 40), "0x000000000000000000000000000000000000dEaD",
	} {
		address, err := chain.ParseAddress(text)
		if err != nil || address.String() != strings.ToLower(text) {
			t.Errorf("%s: %v, %v", text, address, err)
		}
	}
}

func TestProvidersAddressesAreReadInAnyCase(t *testing.T) {
	want, _ := chain.ParseAddress(good)
	for _, text := range []string{good, strings.ToLower(good), strings.ToUpper(good), "0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed"} {
		if got, err := chain.ParseWireAddress(text); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "0x", good[2:], good + "0", good[:41], " " + good, good[:41] + "g", "1x" + good[2:]} {
		if got, err := chain.ParseWireAddress(text); !errors.Is(err, chain.ErrAddress) || got != (chain.Address{}) {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
}

func drawAddress(t *rapid.T) (address chain.Address) {
	copy(address[:], rapid.SliceOfN(rapid.Byte(), 20, 20).Draw(t, "address"))
	return address
}

func TestEverySpellingLeadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		address := drawAddress(t)
		for _, text := range []string{address.String(), address.Checksum(), "0x" + strings.ToUpper(address.String()[2:])} {
			if got, err := chain.ParseAddress(text); err != nil || got != address {
				t.Fatalf("%s: %v, %v", text, got, err)
			}
		}
		if got := fmt.Sprint(address); got != address.String() {
			t.Fatalf("prints as %s", got)
		}
		if short := address.Short(); len(short) != 12 || !strings.HasPrefix(address.String(), short[:6]) || !strings.HasSuffix(address.String(), short[8:]) || short[6:8] != ".." {
			t.Fatalf("short form %s of %s", short, address)
		}
		encoded, err := json.Marshal(map[chain.Address]chain.Address{address: address})
		if want := fmt.Sprintf(`{"%[1]s":"%[1]s"}`, address); err != nil || string(encoded) != want {
			t.Fatalf("%s, %v", encoded, err)
		}
		var decoded map[chain.Address]chain.Address
		if err := json.Unmarshal(encoded, &decoded); err != nil || decoded[address] != address {
			t.Fatalf("%v, %v", decoded, err)
		}
	})
}

// Changing the case of any one letter of a mixed spelling breaks its checksum.
func TestAChecksumSeesEveryLetter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(drawAddress(t).Checksum())
		for i := 2; i < len(text); i++ {
			if text[i] < 'A' {
				continue
			}
			text[i] ^= 0x20
			changed := string(text)
			plain := changed == strings.ToLower(changed) || changed[2:] == strings.ToUpper(changed[2:])
			if _, err := chain.ParseAddress(changed); (err == nil) != plain {
				t.Fatalf("%s: %v", changed, err)
			}
			text[i] ^= 0x20
		}
	})
}

func TestAddressesAreOrderedAsTheirText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawAddress(t), drawAddress(t)
		if keep := rapid.IntRange(0, 20).Draw(t, "shared"); keep > 0 {
			copy(b[:keep], a[:keep])
		}
		if a.Compare(b) != strings.Compare(a.String(), b.String()) || a.Compare(b) != -b.Compare(a) || a.Compare(a) != 0 {
			t.Fatalf("%s and %s", a, b)
		}
		if a.IsZero() != (a == chain.Native) {
			t.Fatal(a)
		}
	})
	if !chain.Native.IsZero() || (chain.Address{19: 1}).IsZero() {
		t.Error("zero")
	}
}

func TestABadAddressLeavesTheVariableAlone(t *testing.T) {
	address := chain.Address{1}
	if err := address.UnmarshalText([]byte("0x12")); !errors.Is(err, chain.ErrAddress) || address != (chain.Address{1}) {
		t.Errorf("%v, %v", address, err)
	}
}

var plainAddress = regexp.MustCompile(`^0x[0-9a-fA-F]{40}$`)

func FuzzParseAddress(f *testing.F) {
	for _, text := range append(slices.Clone(published), "", "0x", strings.ToUpper(good), good+"\n", "０x"+good[2:], "0x"+strings.Repeat("а", 20), good[:41]+"\x00") {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		address, err := chain.ParseAddress(text)
		wire, wireErr := chain.ParseWireAddress(text)
		if err != nil {
			if !errors.Is(err, chain.ErrAddress) || address != (chain.Address{}) {
				t.Fatalf("%q: %v, %v", text, address, err)
			}
			return
		}
		if !plainAddress.MatchString(text) || address.String() != strings.ToLower(text) || wireErr != nil || wire != address {
			t.Fatalf("%q is accepted as %v", text, address)
		}
		digits := text[2:]
		if digits != strings.ToLower(digits) && digits != strings.ToUpper(digits) && text != address.Checksum() {
			t.Fatalf("%q is accepted without its checksum", text)
		}
	})
}

func BenchmarkParseAddress(b *testing.B) {
	for name, text := range map[string]string{"lower": strings.ToLower(good), "mixed": good} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := chain.ParseAddress(text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
