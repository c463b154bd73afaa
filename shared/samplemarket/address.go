package samplemarket

import (
	"encoding/hex"

	"golang.org/x/crypto/sha3"
)

func mustAddress(text string) address {
	a, ok := parseAddress(text)
	if !ok {
		panic("not an address: " + text)
	}
	return a
}

// parseAddress reads 0x and 40 hexadecimal digits of any letter case.
func parseAddress(text string) (address, bool) {
	var a address
	if len(text) != 42 || text[0] != '0' || (text[1] != 'x' && text[1] != 'X') {
		return a, false
	}
	_, err := hex.Decode(a[:], []byte(text[2:]))
	return a, err == nil
}

func (a address) String() string { return "0x" + hex.EncodeToString(a[:]) }

// checksum is the mixed-case form of EIP-55.
func (a address) checksum() string {
	text := []byte(a.String())
	digest := sha3.NewLegacyKeccak256()
	digest.Write(text[2:])
	sum := digest.Sum(nil)
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

func (a address) less(b address) bool {
	for i := range a {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}
