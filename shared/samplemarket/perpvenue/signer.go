package perpvenue

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
	"golang.org/x/crypto/sha3"
)

// This file tells who signed a request, in a way of its own: it shares nothing with whoever signs.

// chainLetter and chainName say which of the venue's networks this is.
const (
	chainLetter = "a"
	chainName   = "Mainnet"
)

var errSignature = errors.New("invalid signature")

type signatureWire struct {
	R string `json:"r"`
	S string `json:"s"`
	V int    `json:"v"`
}

func keccak256(data ...string) string {
	hash := sha3.NewLegacyKeccak256()
	for _, d := range data {
		hash.Write([]byte(d))
	}
	return string(hash.Sum(nil))
}

// word is a number or an address in 32 bytes, big-endian.
func word(hexDigits string) string {
	padded := strings.Repeat("0", max(0, 64-len(hexDigits))) + hexDigits
	bytes, err := hex.DecodeString(padded)
	if err != nil {
		return ""
	}
	return string(bytes)
}

func numberWord(n uint64) string { return word(strconv.FormatUint(n, 16)) }

// typedDigest is what is signed of a message of EIP-712, given the hash of its struct, under a domain's name and chain.
func typedDigest(domain string, chainID uint64, structHash string) string {
	separator := keccak256(keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
		keccak256(domain), keccak256("1"), numberWord(chainID), numberWord(0))
	return keccak256("\x19\x01", separator, structHash)
}

// signer is the address whose key signed a digest.
func signer(digest string, s signatureWire) (string, error) {
	r, okR := strings.CutPrefix(s.R, "0x")
	t, okS := strings.CutPrefix(s.S, "0x")
	compact := string(rune(s.V)) + word(r) + word(t)
	if !okR || !okS || s.V != 27 && s.V != 28 || len(compact) != 65 {
		return "", errSignature
	}
	public, _, err := ecdsa.RecoverCompact([]byte(compact), []byte(digest))
	if err != nil {
		return "", errSignature
	}
	return "0x" + hex.EncodeToString([]byte(keccak256(string(public.SerializeUncompressed()[1:]))[12:])), nil
}

// actionDigest is what an agent signs of a packed action.
func actionDigest(packed string, r *exchangeRequest) string {
	data := packed + numberWord(r.Nonce)[24:]
	if r.Vault == nil {
		data += "\x00"
	} else {
		data += "\x01" + word(strings.TrimPrefix(*r.Vault, "0x"))[12:]
	}
	if r.ExpiresAfter != nil {
		data += "\x00" + numberWord(*r.ExpiresAfter)[24:]
	}
	return typedDigest("Exchange", 1337, keccak256(keccak256("Agent(string source,bytes32 connectionId)"), keccak256(chainLetter), keccak256(data)))
}

// userSigner is the account that signed a message of the kind that wallets show to their owners.
func userSigner(chainID, kind string, words string, s signatureWire) (string, error) {
	id, err := strconv.ParseUint(strings.TrimPrefix(chainID, "0x"), 16, 64)
	if err != nil || !strings.HasPrefix(chainID, "0x") {
		return "", errSignature
	}
	return signer(typedDigest("HyperliquidSignTransaction", id, keccak256(keccak256("HyperliquidTransaction:"+kind), words)), s)
}

// packed is MessagePack, written member by member in the order in which the venue keeps an action.
type packed struct{ strings.Builder }

func (p *packed) table(members int) *packed { return p.raw(byte(0x80 + members)) }

func (p *packed) list(elements int) *packed {
	if elements < 16 {
		return p.raw(byte(0x90 + elements))
	}
	return p.raw(0xdc, byte(elements>>8), byte(elements))
}

func (p *packed) text(s string) *packed {
	switch n := len(s); {
	case n < 32:
		p.raw(byte(0xa0 + n))
	case n < 256:
		p.raw(0xd9, byte(n))
	default:
		p.raw(0xda, byte(n>>8), byte(n))
	}
	p.WriteString(s)
	return p
}

func (p *packed) truth(b bool) *packed {
	if b {
		return p.raw(0xc3)
	}
	return p.raw(0xc2)
}

func (p *packed) number(n uint32) *packed {
	switch {
	case n < 128:
		return p.raw(byte(n))
	case n < 256:
		return p.raw(0xcc, byte(n))
	case n < 65_536:
		return p.raw(0xcd, byte(n>>8), byte(n))
	}
	return p.raw(0xce, byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
}

func (p *packed) raw(bytes ...byte) *packed {
	p.Write(bytes)
	return p
}

// plainDecimal is a decimal as the venue writes it into what is signed, without zeros that say nothing; false for what is none.
func plainDecimal(text string) (string, bool) {
	whole, decimals, pointed := strings.Cut(text, ".")
	digits := func(s string) bool { return s != "" && len(s) <= 20 && strings.Trim(s, "0123456789") == "" }
	if !digits(whole) || pointed && !digits(decimals) {
		return "", false
	}
	whole, decimals = strings.TrimLeft(whole, "0"), strings.TrimRight(decimals, "0")
	if whole == "" {
		whole = "0"
	}
	if decimals == "" {
		return whole, true
	}
	return whole + "." + decimals, true
}

// decimalUnits is a plain decimal in units of 10^-decimals; false where it has more decimals or is too large.
func decimalUnits(plain string, decimals int) (int64, bool) {
	whole, rest, _ := strings.Cut(plain, ".")
	if len(rest) > decimals || len(whole)+decimals > 18 {
		return 0, false
	}
	n, err := strconv.ParseInt(whole+rest+strings.Repeat("0", decimals-len(rest)), 10, 64)
	return n, err == nil
}

func noAgent(address string) string {
	return fmt.Sprintf("User or API Wallet %s does not exist.", address)
}
