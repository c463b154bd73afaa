package activation

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/big"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/crypto/sha3"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

// selector is how a contract knows a function by its signature.
func selector(signature string) []byte {
	hash := sha3.NewLegacyKeccak256()
	hash.Write([]byte(signature))
	return hash.Sum(nil)[:4]
}

// callOf is the data of a call of a function whose arguments are a word each.
func callOf(signature string, arguments ...[32]byte) []byte {
	call := selector(signature)
	for _, argument := range arguments {
		call = append(call, argument[:]...)
	}
	return call
}

func addressWord(a chain.Address) (word [32]byte) {
	copy(word[12:], a[:])
	return word
}

func wholeWord(n *big.Int) (word [32]byte) {
	n.FillBytes(word[:])
	return word
}

func hexText(data []byte) string { return "0x" + hex.EncodeToString(data) }

// transactionTo is a call of a contract by the owner, without value.
func transactionTo(s Subject, to chain.Address, data []byte) *Transaction {
	return &Transaction{ChainID: s.Chain.ID, From: s.Owner, To: to, Data: hexText(data), Value: "0x0"}
}

// field is one of a type of typed data.
type field struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

func fields(list ...string) []field {
	var made []field
	for _, one := range list {
		typ, name, _ := strings.Cut(one, " ")
		made = append(made, field{name, typ})
	}
	return made
}

// domain is that of typed data; VerifyingContract is empty for none.
type domain struct {
	Name              string `json:"name"`
	Version           string `json:"version"`
	ChainID           int64  `json:"chainId"`
	VerifyingContract string `json:"verifyingContract,omitzero"`
}

// typedData is the document that a wallet signs.
func typedData(in domain, primary string, of []field, message any) (jsontext.Value, error) {
	domainFields := fields("string name", "string version", "uint256 chainId")
	if in.VerifyingContract != "" {
		domainFields = append(domainFields, field{"verifyingContract", "address"})
	}
	encoded, err := json.Marshal(struct {
		Types       map[string][]field `json:"types"`
		PrimaryType string             `json:"primaryType"`
		Domain      domain             `json:"domain"`
		Message     any                `json:"message"`
	}{map[string][]field{"EIP712Domain": domainFields, primary: of}, primary, in, message}, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("typed data %s: %w", primary, err)
	}
	return encoded, nil
}

// drawn is a number below a bound that a text stands for, always the same.
func drawn(text string, below uint64) uint64 {
	sum := sha256.Sum256([]byte(text))
	return binary.BigEndian.Uint64(sum[:8]) % below
}

// dollars writes an amount of millionths of a dollar, like 250 or 250.5.
func dollars(micro int64) string {
	text := fmt.Sprintf("%d.%06d", micro/1_000_000, micro%1_000_000)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}
