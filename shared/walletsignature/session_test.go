package walletsignature_test

import (
	"context"
	"crypto/ecdsa"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/crypto"
	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/walletsignature"
)

// nonces keep claims as the port says.
type nonces struct {
	mu     sync.Mutex
	claims map[string]claim
	err    error
	asked  int
}

type claim struct {
	holder string
	until  time.Time
}

func (n *nonces) Claim(_ context.Context, scope, nonce, holder string, until, now time.Time) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asked++
	if n.err != nil {
		return n.err
	}
	if err := store.CheckClaim(scope, nonce, holder, until, now); err != nil {
		return err
	}
	key := scope + "#" + nonce
	if held, there := n.claims[key]; there && held.holder != holder && now.Before(held.until) {
		return fmt.Errorf("%w: %s", store.ErrConflict, key)
	} else if !there || !now.Before(held.until) {
		if n.claims == nil {
			n.claims = map[string]claim{}
		}
		n.claims[key] = claim{holder, until}
	}
	return nil
}

// node answers of accounts that have code; all others have none.
type node struct {
	code   map[chain.Address]market.Code
	answer func(to chain.Address, data []byte) (market.CallResult, error)
	err    error
	called int
}

func (n *node) Code(_ context.Context, _ *chain.Chain, account chain.Address) (market.Code, error) {
	code, there := n.code[account]
	code.Empty = !there
	return code, n.err
}

func (n *node) Call(_ context.Context, _ *chain.Chain, to chain.Address, data []byte) (market.CallResult, error) {
	n.called++
	return n.answer(to, data)
}

func verifier() (*walletsignature.Verifier, *node, *nonces) {
	on, kept := &node{}, &nonces{}
	return &walletsignature.Verifier{Code: on, Calls: on, Nonces: kept}, on, kept
}

var now = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

const host = "api.example.org:8443"

// signIn is what a message says.
type signIn struct {
	scheme, domain, uri, chainID, nonce string
	issued, expires, notBefore          time.Time
}

func plain() signIn {
	return signIn{domain: host, uri: "https://" + host + "/v1", chainID: "8453", nonce: "abcdefgh1", issued: now.Add(-time.Hour), expires: now.Add(time.Hour)}
}

func (s signIn) text(address chain.Address) string {
	text := s.scheme + s.domain + " wants you to sign in with your Ethereum account:\n" + address.Checksum() + "\n\n\nURI: " + s.uri +
		"\nVersion: 1\nChain ID: " + s.chainID + "\nNonce: " + s.nonce + "\nIssued At: " + s.issued.Format(time.RFC3339)
	if !s.expires.IsZero() {
		text += "\nExpiration Time: " + s.expires.Format(time.RFC3339)
	}
	if !s.notBefore.IsZero() {
		text += "\nNot Before: " + s.notBefore.Format(time.RFC3339)
	}
	return text
}

func key(t interface{ Fatal(...any) }, name string) *ecdsa.PrivateKey {
	made, err := crypto.ToECDSA(crypto.Keccak256([]byte(name)))
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func signText(t interface{ Fatal(...any) }, key *ecdsa.PrivateKey, text string) []byte {
	digest := walletsignature.PersonalDigest([]byte(text))
	signature, err := crypto.Sign(digest[:], key)
	if err != nil {
		t.Fatal(err)
	}
	signature[64] += 27
	return signature
}

func headers(address, text string, signature []byte) http.Header {
	return http.Header{
		"X-Wallet-Address": {address}, "X-Wallet-Message": {base64.RawURLEncoding.EncodeToString([]byte(text))}, "X-Wallet-Signature": {hexText(signature)},
	}
}

func signed(t interface{ Fatal(...any) }, by *ecdsa.PrivateKey, s signIn) http.Header {
	text := s.text(accountOf(by))
	return headers(accountOf(by).String(), text, signText(t, by, text))
}

func TestSessionOfAWalletThatSignedIn(t *testing.T) {
	by := key(t, "owner")
	local := plain()
	local.domain, local.uri = "localhost:3000", "http://localhost:3000"
	local6 := plain()
	local6.domain, local6.uri = "[::1]:3000", "http://[::1]:3000/x"
	named := plain()
	named.scheme, named.notBefore = "https://", now
	shouting := plain()
	shouting.domain, shouting.uri = strings.ToUpper(host), "HTTPS://"+strings.ToUpper(host)
	ahead := plain()
	ahead.issued = now.Add(time.Minute)
	longest := plain()
	longest.expires = longest.issued.Add(24 * time.Hour)
	for name, c := range map[string]struct {
		said signIn
		host string
	}{
		"https": {plain(), host}, "http on this machine": {local, "localhost:3000"}, "the same by its IPv6 address": {local6, "[::1]:3000"}, "a scheme": {named, host},
		"a host in capitals": {shouting, host}, "a clock a minute ahead": {ahead, host}, "a day": {longest, host},
	} {
		v, _, _ := verifier()
		if got, err := v.Session(t.Context(), signed(t, by, c.said), c.host, "partner", now); err != nil || got != accountOf(by) {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	v, _, _ := verifier()
	header := signed(t, by, plain())
	padded := plain().text(accountOf(by))
	header["X-Wallet-Message"] = []string{base64.URLEncoding.EncodeToString([]byte(padded))}
	header["X-Wallet-Address"] = []string{accountOf(by).Checksum()}
	if got, err := v.Session(t.Context(), header, host, "partner", now); err != nil || got != accountOf(by) {
		t.Errorf("with padding: %s, %v", got, err)
	}
}

func TestSessionRefuses(t *testing.T) {
	by, other := key(t, "owner"), key(t, "other")
	for name, change := range map[string]func(*signIn){
		"another domain":           func(s *signIn) { s.domain = "evil.org" },
		"no port":                  func(s *signIn) { s.domain = "api.example.org" },
		"somebody at the domain":   func(s *signIn) { s.domain = "me@" + host },
		"a domain below":           func(s *signIn) { s.domain = "x." + host },
		"a URI elsewhere":          func(s *signIn) { s.uri = "https://evil.org/" + host },
		"a URI that looks alike":   func(s *signIn) { s.uri = "https://" + host + ".evil.org" },
		"a URI with somebody":      func(s *signIn) { s.uri = "https://" + host + "@evil.org" },
		"a URI without protection": func(s *signIn) { s.uri = "http://" + host },
		"a URI of another scheme":  func(s *signIn) { s.uri = "ftp://" + host },
		"a URI without a host":     func(s *signIn) { s.uri = "urn:" + host },
		"a scheme that is open":    func(s *signIn) { s.scheme = "http://" },
		"a chain that is not ours": func(s *signIn) { s.chainID = "5" },
		"a chain beyond numbers":   func(s *signIn) { s.chainID = strings.Repeat("9", 40) },
		"the future":               func(s *signIn) { s.issued = now.Add(61 * time.Second) },
		"no end":                   func(s *signIn) { s.expires = time.Time{} },
		"an end that is past":      func(s *signIn) { s.expires = now },
		"more than a day":          func(s *signIn) { s.expires = s.issued.Add(24*time.Hour + time.Second) },
		"an end before its issue":  func(s *signIn) { s.issued, s.expires = now.Add(30*time.Second), now.Add(20*time.Second) },
		"not yet":                  func(s *signIn) { s.notBefore = now.Add(time.Second) },
		"an endless nonce":         func(s *signIn) { s.nonce = strings.Repeat("a", 129) },
	} {
		said := plain()
		change(&said)
		v, _, kept := verifier()
		if _, err := v.Session(t.Context(), signed(t, by, said), host, "partner", now); !errors.Is(err, walletsignature.ErrSignature) || kept.asked > 0 {
			t.Errorf("%s: %v, with %d claims", name, err, kept.asked)
		}
	}
	text := plain().text(accountOf(by))
	for name, change := range map[string]func(http.Header){
		"no address":            func(h http.Header) { h.Del("X-Wallet-Address") },
		"no message":            func(h http.Header) { h.Del("X-Wallet-Message") },
		"no signature":          func(h http.Header) { h.Del("X-Wallet-Signature") },
		"two addresses":         func(h http.Header) { h.Add("X-Wallet-Address", h.Get("X-Wallet-Address")) },
		"two signatures":        func(h http.Header) { h.Add("X-Wallet-Signature", h.Get("X-Wallet-Signature")) },
		"another's address":     func(h http.Header) { h.Set("X-Wallet-Address", accountOf(other).String()) },
		"no address at all":     func(h http.Header) { h.Set("X-Wallet-Address", "0x12") },
		"plain text":            func(h http.Header) { h.Set("X-Wallet-Message", text) },
		"the other base64":      func(h http.Header) { h.Set("X-Wallet-Message", "/+"+h.Get("X-Wallet-Message")) },
		"too much padding":      func(h http.Header) { h.Set("X-Wallet-Message", h.Get("X-Wallet-Message")+"====") },
		"a long message":        func(h http.Header) { h.Set("X-Wallet-Message", strings.Repeat("AAAA", 2000)) },
		"a signature of no hex": func(h http.Header) { h.Set("X-Wallet-Signature", "0xzz") },
		"a signature without 0x": func(h http.Header) {
			h.Set("X-Wallet-Signature", h.Get("X-Wallet-Signature")[2:])
		},
		"a long signature": func(h http.Header) { h.Set("X-Wallet-Signature", "0x"+strings.Repeat("00", 4097)) },
		"another's message, signed by the header's wallet": func(h http.Header) {
			h.Set("X-Wallet-Address", accountOf(other).String())
			h.Set("X-Wallet-Signature", hexText(signText(t, other, text)))
		},
		"another's signature": func(h http.Header) { h.Set("X-Wallet-Signature", hexText(signText(t, other, text))) },
		"a signature of something else": func(h http.Header) {
			h.Set("X-Wallet-Signature", hexText(signText(t, by, text+"\n")))
		},
	} {
		header := signed(t, by, plain())
		change(header)
		v, _, kept := verifier()
		if _, err := v.Session(t.Context(), header, host, "partner", now); !errors.Is(err, walletsignature.ErrSignature) || kept.asked > 0 {
			t.Errorf("%s: %v, with %d claims", name, err, kept.asked)
		}
	}
}

func TestANonceBelongsToOneWalletOfOnePartner(t *testing.T) {
	by, other := key(t, "owner"), key(t, "other")
	v, _, _ := verifier()
	session := func(signer *ecdsa.PrivateKey, s signIn, partner string, at time.Time) error {
		_, err := v.Session(t.Context(), signed(t, signer, s), host, partner, at)
		return err
	}
	for range 3 {
		if err := session(by, plain(), "partner", now); err != nil {
			t.Fatal(err)
		}
	}
	longer := plain()
	longer.expires = longer.expires.Add(time.Hour)
	for name, err := range map[string]error{
		"another partner": session(by, plain(), "rival", now), "another wallet": session(other, plain(), "partner", now), "another expiry": session(by, longer, "partner", now),
	} {
		if !errors.Is(err, walletsignature.ErrSignature) {
			t.Errorf("%s: %v", name, err)
		}
	}
	next := plain()
	next.nonce = "ABCDEFGH1"
	if err := session(other, next, "rival", now); err != nil {
		t.Error("a nonce in other letters:", err)
	}
	if err := session(by, plain(), "partner", now.Add(time.Hour)); !errors.Is(err, walletsignature.ErrSignature) {
		t.Error("after its end:", err)
	}
}

func TestAStoreOrANodeThatFailsIsNoVerdict(t *testing.T) {
	by := key(t, "owner")
	v, on, kept := verifier()
	kept.err = errors.New("down")
	_, err := v.Session(t.Context(), signed(t, by, plain()), host, "partner", now)
	if !errors.Is(err, market.ErrUnavailable) || !errors.Is(err, walletsignature.ErrUnavailable) || errors.Is(err, walletsignature.ErrSignature) {
		t.Error(err)
	}
	kept.err, on.err = nil, market.ErrUnavailable
	if _, err := v.Session(t.Context(), signed(t, by, plain()), host, "partner", now); !errors.Is(err, walletsignature.ErrUnavailable) || kept.asked != 1 {
		t.Error(err, kept.asked)
	}
}

func TestNobodyTakesANonceByAForgery(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		by := keys().Draw(t, "key")
		v, _, kept := verifier()
		said := plain()
		header := signed(t, by, said)
		flipped := signText(t, by, said.text(accountOf(by)))
		flipped[rapid.IntRange(0, 64).Draw(t, "byte")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		forged := header.Clone()
		forged.Set("X-Wallet-Signature", hexText(flipped))
		if _, err := v.Session(t.Context(), forged, host, "thief", now); !errors.Is(err, walletsignature.ErrSignature) || kept.asked > 0 {
			t.Fatal(err)
		}
		if _, err := v.Session(t.Context(), header, host, "partner", now); err != nil {
			t.Fatal(err)
		}
	})
}
