package client

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/bits"
	"strings"
)

// checksummed writes an address with its checksum (EIP-55), which sign-in messages need. One in mixed case must have the right one.
func checksummed(address string) (string, error) {
	digits, found := strings.CutPrefix(address, "0x")
	if _, err := hex.DecodeString(digits); err != nil || !found || len(digits) != 40 {
		return "", fmt.Errorf("%w: Address must be 0x and 40 hexadecimal digits", ErrOptions)
	}
	lower := strings.ToLower(digits)
	hash := keccak256([]byte(lower))
	text := []byte(lower)
	for i, c := range text {
		if nibble := hash[i/2] >> (4 * (1 - i%2)) & 15; c >= 'a' && nibble >= 8 {
			text[i] = c - 'a' + 'A'
		}
	}
	if mixed := digits != lower && digits != strings.ToUpper(digits); mixed && digits != string(text) {
		return "", fmt.Errorf("%w: the checksum of Address is wrong; a digit of it was changed", ErrOptions)
	}
	return "0x" + string(text), nil
}

// keccak256 is the hash of Ethereum: Keccak as it was submitted, with 256 bits, which is SHA-3 (FIPS 202) but for one byte of padding.
// The standard library has SHA-3 alone.
func keccak256(data []byte) [32]byte {
	const rate = 136
	padded := append([]byte{}, data...)
	padded = append(padded, make([]byte, rate-len(data)%rate)...)
	padded[len(data)] ^= 0x01
	padded[len(padded)-1] ^= 0x80
	var state [25]uint64
	for ; len(padded) > 0; padded = padded[rate:] {
		for i := range rate / 8 {
			state[i] ^= binary.LittleEndian.Uint64(padded[8*i:])
		}
		permute(&state)
	}
	var sum [32]byte
	for i := range 4 {
		binary.LittleEndian.PutUint64(sum[8*i:], state[i])
	}
	return sum
}

// permute is Keccak-f[1600] (FIPS 202, section 3.3). The state's lane (x, y) is at x + 5y. The constants of its last step come from a
// shift register (section 3.2.5), and the rotations and places of its middle steps from walking through the lanes (3.2.2).
func permute(a *[25]uint64) {
	register := byte(1)
	for range 24 {
		var parity, mix [5]uint64
		for x := range 5 {
			parity[x] = a[x] ^ a[x+5] ^ a[x+10] ^ a[x+15] ^ a[x+20]
		}
		for x := range 5 {
			mix[x] = parity[(x+4)%5] ^ bits.RotateLeft64(parity[(x+1)%5], 1)
		}
		for i := range a {
			a[i] ^= mix[i%5]
		}
		x, y, carried := 1, 0, a[1]
		for t := range 24 {
			x, y = y, (2*x+3*y)%5
			a[x+5*y], carried = bits.RotateLeft64(carried, (t+1)*(t+2)/2), a[x+5*y]
		}
		for y := 0; y < 25; y += 5 {
			row := [5]uint64(a[y : y+5])
			for x := range 5 {
				a[y+x] = row[x] ^ ^row[(x+1)%5]&row[(x+2)%5]
			}
		}
		for j := range 7 {
			if register&1 != 0 {
				a[0] ^= 1 << (1<<j - 1)
			}
			if register&0x80 != 0 {
				register = register<<1 ^ 0x71
			} else {
				register <<= 1
			}
		}
	}
}
