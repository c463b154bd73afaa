package walletsignature_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/walletsignature"
)

const example = `https://user@example.org:8443 wants you to sign in with your Ethereum account:
0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed

I accept the terms: https://example.org/tos?a=[b]&c#d (v1.0)!

URI: https://example.org/login?x=%20y#z
Version: 1
Chain ID: 8453
Nonce: abcDEF123
Issued At: 2026-05-01T10:00:00.123456789+02:00
Expiration Time: 2026-05-01T09:00:00Z
Not Before: 2026-05-01t08:30:00z
Request ID: a/b
Resources:
- ipfs://Qme7ss3ARVgxv6rXqVPiikMJ8u2NLgmgszg13pYrDKEoiu
- urn:x`

func TestParseMessageReadsEveryLine(t *testing.T) {
	text := strings.Replace(example, "a/b", "a@b:c%20", 1)
	m, err := walletsignature.ParseMessage(text)
	if err != nil {
		t.Fatal(err)
	}
	issued := time.Date(2026, 5, 1, 8, 0, 0, 123456789, time.UTC)
	if m.Scheme != "https" || m.Domain != "user@example.org:8443" || m.Address.Checksum() != "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed" ||
		m.Statement != "I accept the terms: https://example.org/tos?a=[b]&c#d (v1.0)!" || m.URI != "https://example.org/login?x=%20y#z" || m.ChainID != "8453" ||
		m.Nonce != "abcDEF123" || !m.IssuedAt.Equal(issued) || !m.ExpirationTime.Equal(time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC)) ||
		!m.NotBefore.Equal(time.Date(2026, 5, 1, 8, 30, 0, 0, time.UTC)) || m.RequestID != "a@b:c%20" ||
		!slices.Equal(m.Resources, []string{"ipfs://Qme7ss3ARVgxv6rXqVPiikMJ8u2NLgmgszg13pYrDKEoiu", "urn:x"}) {
		t.Errorf("%+v", m)
	}
}

func TestParseMessageTakesWhatTheGrammarTakes(t *testing.T) {
	base := strings.Replace(example, "a/b", "a", 1)
	for name, change := range map[string][2]string{
		"no statement":          {"I accept the terms: https://example.org/tos?a=[b]&c#d (v1.0)!\n\nURI", "\nURI"},
		"an empty statement":    {"I accept the terms: https://example.org/tos?a=[b]&c#d (v1.0)!", ""},
		"no scheme":             {"https://user@", "user@"},
		"an IPv6 domain":        {"user@example.org:8443", "[::1]:80"},
		"a future IP domain":    {"user@example.org:8443", "[v1.a:b]"},
		"an empty port":         {"example.org:8443", "example.org:"},
		"no expiration":         {"Expiration Time: 2026-05-01T09:00:00Z\n", ""},
		"no not-before":         {"Not Before: 2026-05-01t08:30:00z\n", ""},
		"no request id":         {"Request ID: a\n", ""},
		"an empty request id":   {"Request ID: a\n", "Request ID: \n"},
		"no resource":           {"\n- ipfs://Qme7ss3ARVgxv6rXqVPiikMJ8u2NLgmgszg13pYrDKEoiu\n- urn:x", ""},
		"no resources":          {"\nResources:\n- ipfs://Qme7ss3ARVgxv6rXqVPiikMJ8u2NLgmgszg13pYrDKEoiu\n- urn:x", ""},
		"a URI of a path alone": {"https://example.org/login?x=%20y#z", "mailto:a@b"},
		"a URI of an authority": {"https://example.org/login?x=%20y#z", "https://[::1]:80?q"},
		"a long nonce":          {"abcDEF123", strings.Repeat("a1", 500)},
	} {
		text := strings.Replace(base, change[0], change[1], 1)
		if text == base {
			t.Fatal(name)
		}
		if _, err := walletsignature.ParseMessage(text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestParseMessageRefusesWhatTheGrammarDoesNotTake(t *testing.T) {
	base := strings.Replace(example, "a/b", "a", 1)
	for name, change := range map[string][2]string{
		"another greeting":         {"wants you to sign in", "wants you to log in"},
		"no domain":                {"https://user@example.org:8443 wants", " wants"},
		"an empty domain":          {"user@example.org:8443", ""},
		"a domain with a path":     {"example.org:8443", "example.org/x"},
		"a domain with a space":    {"example.org:8443", "example org"},
		"a port of letters":        {":8443", ":http"},
		"a zone":                   {"user@example.org:8443", "[fe80::1%251]"},
		"an open bracket":          {"user@example.org:8443", "[::1"},
		"an IPv4 in brackets":      {"user@example.org:8443", "[127.0.0.1]"},
		"a scheme of digits":       {"https://user", "1https://user"},
		"an address in lower case": {"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"},
		"an address in upper case": {"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED"},
		"a wrong checksum":         {"0x5aAeb", "0x5AAeb"},
		"a space behind":           {"E7Ef1BeAed\n", "E7Ef1BeAed \n"},
		"a carriage return":        {"E7Ef1BeAed\n", "E7Ef1BeAed\r\n"},
		"no empty line":            {"E7Ef1BeAed\n\n", "E7Ef1BeAed\n"},
		"a statement in quotes":    {"I accept", `"I" accept`},
		"a statement of two lines": {"I accept", "I\naccept"},
		"a statement with a tab":   {"I accept", "I\taccept"},
		"a percent sign in it":     {"I accept", "I %20 accept"},
		"other letters":            {"I accept", "I åccept"},
		"a URI without a scheme":   {"URI: https://", "URI: //"},
		"a URI with a space":       {"/login?", "/log in?"},
		"a bad percent sign":       {"%20y", "%2y"},
		"a percent sign at an end": {"#z", "#%2"},
		"two fragments":            {"#z", "#z#"},
		"version 2":                {"Version: 1", "Version: 2"},
		"version 01":               {"Version: 1", "Version: 01"},
		"a lower-case label":       {"Version: 1", "version: 1"},
		"two spaces":               {"Chain ID: ", "Chain ID:  "},
		"a chain of letters":       {"8453", "eth"},
		"a negative chain":         {"8453", "-1"},
		"no chain":                 {"8453", ""},
		"a short nonce":            {"abcDEF123", "abcDEF1"},
		"a nonce with a dash":      {"abcDEF123", "abcDEF-123"},
		"a date alone":             {"2026-05-01T09:00:00Z", "2026-05-01"},
		"no zone":                  {"2026-05-01T09:00:00Z", "2026-05-01T09:00:00"},
		"a space for T":            {"2026-05-01T09:00:00Z", "2026-05-01 09:00:00Z"},
		"a comma in a time":        {"2026-05-01T09:00:00Z", "2026-05-01T09:00:00,5Z"},
		"no such day":              {"2026-05-01T09:00:00Z", "2026-02-31T09:00:00Z"},
		"an hour of one digit":     {"2026-05-01T09:00:00Z", "2026-05-01T9:00:00Z"},
		"an unquoted request id":   {"Request ID: a", "Request ID: a b"},
		"resources out of place":   {"Request ID: a\nResources:", "Resources:\nRequest ID: a"},
		"a resource that is none":  {"urn:x", "x"},
		"a resource with no dash":  {"- urn:x", "urn:x"},
		"a line at the end":        {"urn:x", "urn:x\n"},
		"a line twice":             {"Version: 1\n", "Version: 1\nVersion: 1\n"},
		"a byte order mark":        {"https://user@", "\ufeffhttps://user@"},
	} {
		text := strings.Replace(base, change[0], change[1], 1)
		if text == base {
			t.Fatal(name)
		}
		if m, err := walletsignature.ParseMessage(text); !errors.Is(err, walletsignature.ErrMessage) {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
	}
}

func TestEveryLineOfAMessageHasItsPlace(t *testing.T) {
	lines := strings.Split(strings.Replace(example, "a/b", "a", 1), "\n")
	rapid.Check(t, func(t *rapid.T) {
		i, j := rapid.IntRange(0, len(lines)-3).Draw(t, "one"), rapid.IntRange(0, len(lines)-3).Draw(t, "other")
		moved := slices.Clone(lines)
		moved[i], moved[j] = moved[j], moved[i]
		same := slices.Equal(moved, lines)
		_, err := walletsignature.ParseMessage(strings.Join(moved, "\n"))
		if same != (err == nil) && moved[3] != "" { // with the statement gone, an empty line may stand for one
			t.Errorf("lines %d and %d: %v", i, j, err)
		}
	})
}

// FuzzParseMessage checks that what is read of a message is what it says: written again, it is the same text.
func FuzzParseMessage(f *testing.F) {
	f.Add(strings.Replace(example, "a/b", "a", 1))
	f.Add("localhost wants you to sign in with your Ethereum account:\n0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed\n\n\nURI: http://localhost\nVersion: 1\nChain ID: 1\nNonce: 12345678\nIssued At: 2026-05-01T00:00:00Z")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := walletsignature.ParseMessage(text)
		if err != nil {
			return
		}
		scheme := ""
		if m.Scheme != "" {
			scheme = m.Scheme + "://"
		}
		head := scheme + m.Domain + " wants you to sign in with your Ethereum account:\n" + m.Address.Checksum() + "\n\n"
		if m.Statement != "" || strings.HasPrefix(text, head+"\n\n") {
			head += m.Statement + "\n"
		}
		head += "\nURI: " + m.URI + "\nVersion: 1\nChain ID: " + m.ChainID + "\nNonce: " + m.Nonce + "\nIssued At: "
		if !strings.HasPrefix(text, head) {
			t.Errorf("%q does not begin with %q", text, head)
		}
		if strings.ContainsAny(text, "\r\t\"<>\x00") {
			t.Errorf("%q is taken", text)
		}
	})
}
