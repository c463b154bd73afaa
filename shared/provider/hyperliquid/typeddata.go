package hyperliquid

import (
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"

	"golang.org/x/crypto/sha3"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

// Network is one of the venue's two.
type Network string

// The networks, as the venue names them.
const (
	Mainnet Network = "Mainnet"
	Testnet Network = "Testnet"
)

// What the venue's signatures are for: actions have a domain of their own chain, whatever the user signs himself that of his wallet's.
const (
	actionDomain = "Exchange"
	actionChain  = 1337
	userDomain   = "HyperliquidSignTransaction"
)

func keccak(parts ...[]byte) [32]byte {
	hash := sha3.NewLegacyKeccak256()
	for _, part := range parts {
		hash.Write(part)
	}
	return [32]byte(hash.Sum(nil))
}

// field is a member of a struct of EIP-712 with its value encoded.
type field struct {
	kind, name string
	word       [32]byte
}

func textField(name, value string) field { return field{"string", name, keccak([]byte(value))} }

func numberField(kind, name string, value uint64) field {
	f := field{kind: kind, name: name}
	binary.BigEndian.PutUint64(f.word[24:], value)
	return f
}

func addressField(name string, value chain.Address) field {
	f := field{kind: "address", name: name}
	copy(f.word[12:], value[:])
	return f
}

func hashField(name string, value [32]byte) field { return field{"bytes32", name, value} }

// structHash is hashStruct of EIP-712 for a struct without members that are structs themselves.
func structHash(name string, fields []field) [32]byte {
	members, words := make([]string, len(fields)), make([][]byte, 1, 1+len(fields))
	for i := range fields {
		members[i] = fields[i].kind + " " + fields[i].name
		words = append(words, fields[i].word[:])
	}
	kind := keccak([]byte(name + "(" + strings.Join(members, ",") + ")"))
	words[0] = kind[:]
	return keccak(words...)
}

// typedDigest is what is signed of a message in a domain (https://eips.ethereum.org/EIPS/eip-712).
func typedDigest(domain string, chainID uint64, name string, fields []field) [32]byte {
	separator := structHash("EIP712Domain", []field{
		textField("name", domain), textField("version", "1"), numberField("uint256", "chainId", chainID),
		addressField("verifyingContract", chain.Address{}),
	})
	message := structHash(name, fields)
	return keccak([]byte{0x19, 0x01}, separator[:], message[:])
}

// actionHash is the hash of a packed action with its nonce, the account that it is for where that is not the signer's own, and the time
// in Unix milliseconds from which on the venue refuses it.
func actionHash(packed []byte, nonce uint64, vault *chain.Address, expiresAfter *uint64) [32]byte {
	data := binary.BigEndian.AppendUint64(slices.Clone(packed), nonce)
	if vault == nil {
		data = append(data, 0)
	} else {
		data = append(append(data, 1), vault[:]...)
	}
	if expiresAfter != nil {
		data = binary.BigEndian.AppendUint64(append(data, 0), *expiresAfter)
	}
	return keccak(data)
}

// actionDigest is what an agent signs of an action's hash: a message that stands for it, with a letter for the network.
func actionDigest(network Network, hash [32]byte) [32]byte {
	source := "a"
	if network != Mainnet {
		source = "b"
	}
	return typedDigest(actionDomain, actionChain, "Agent", []field{textField("source", source), hashField("connectionId", hash)})
}

// hexBytes are bytes as the venue writes them: 0x and two digits for each.
type hexBytes []byte

// MarshalText writes 0x and lower-case digits.
func (b hexBytes) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

func (b hexBytes) String() string { return "0x" + hex.EncodeToString(b) }
