package chain

import (
	"bytes"
	"encoding/hex"
	"errors"

	"golang.org/x/crypto/sha3"
)

// Address is an account or contract of an EVM chain. It compares with == and prints in lower case.
type Address [20]byte

// Native stands for a chain's own coin where an asset is named by address.
var Native Address

// Burn is where tokens are sent to be lost, besides the zero address.
var Burn = Address{18: 0xde, 19: 0xad}

// ErrAddress is returned for text that is not an address.
var ErrAddress = errors.New("not an address: want 0x and 40 hexadecimal digits, mixed case only with a valid EIP-55 checksum")

// ParseAddress reads 0x and 40 hexadecimal digits. All-lower and all-upper digits are accepted as they are; mixed case
// must carry a valid EIP-55 checksum. Any other text, with spaces or other digits, is ErrAddress.
func ParseAddress(text string) (Address, error) {
	var address Address
	if len(text) != 42 || text[0] != '0' || text[1] != 'x' {
		return Address{}, ErrAddress
	}
	if _, err := hex.Decode(address[:], []byte(text[2:])); err != nil {
		return Address{}, ErrAddress
	}
	lower, upper := false, false
	for i := 2; i < len(text); i++ {
		lower = lower || (text[i] >= 'a' && text[i] <= 'f')
		upper = upper || (text[i] >= 'A' && text[i] <= 'F')
	}
	if lower && upper && text != address.Checksum() {
		return Address{}, ErrAddress
	}
	return address, nil
}

// ParseWireAddress reads an address as providers write it, in any letter case and without judging its checksum.
func ParseWireAddress(text string) (Address, error) {
	var address Address
	if len(text) != 42 || text[0] != '0' || (text[1] != 'x' && text[1] != 'X') {
		return Address{}, ErrAddress
	}
	if _, err := hex.Decode(address[:], []byte(text[2:])); err != nil {
		return Address{}, ErrAddress
	}
	return address, nil
}

func mustAddress(text string) Address {
	address, err := ParseAddress(text)
	if err != nil {
		panic(text + ": " + err.Error())
	}
	return address
}

// String is the lower-case form with 0x.
func (a Address) String() string {
	var text [42]byte
	text[0], text[1] = '0', 'x'
	hex.Encode(text[2:], a[:])
	return string(text[:])
}

// MarshalText is String.
func (a Address) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText is ParseWireAddress.
func (a *Address) UnmarshalText(text []byte) error {
	parsed, err := ParseWireAddress(string(text))
	if err != nil {
		return err
	}
	*a = parsed
	return nil
}

// Short is the form shown to people where a symbol is missing or not to be trusted, like 0x1234..abcd.
func (a Address) Short() string {
	text := a.String()
	return text[:6] + ".." + text[38:]
}

// IsZero tells whether this is the zero address, which stands for the native coin, for minting and for burning.
func (a Address) IsZero() bool { return a == Address{} }

// Checksum is the mixed-case form of EIP-55.
func (a Address) Checksum() string {
	text := []byte(a.String())
	hash := sha3.NewLegacyKeccak256()
	hash.Write(text[2:])
	sum := hash.Sum(nil)
	for i := 2; i < len(text); i++ {
		nibble := sum[(i-2)/2]
		if i%2 == 0 {
			nibble >>= 4
		}
		if text[i] >= 'a' && nibble&0xf >= 8 {
			text[i] -= 'a' - 'A'
		}
	}
	return string(text)
}

// Compare orders addresses by their bytes: -1, 0 or 1.
func (a Address) Compare(b Address) int { return bytes.Compare(a[:], b[:]) }
