package client

import (
	"bytes"
	"testing"

	"golang.org/x/crypto/sha3"
	"pgregory.net/rapid"
)

func TestKeccakIsThatOfOthers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOfN(rapid.Byte(), 0, 600).Draw(t, "data")
		reference := sha3.NewLegacyKeccak256()
		reference.Write(data)
		if got := keccak256(data); !bytes.Equal(got[:], reference.Sum(nil)) {
			t.Errorf("%d bytes: %x", len(data), got)
		}
	})
	for _, length := range []int{0, 135, 136, 137, 271, 272, 273} {
		reference := sha3.NewLegacyKeccak256()
		reference.Write(make([]byte, length))
		if got := keccak256(make([]byte, length)); !bytes.Equal(got[:], reference.Sum(nil)) {
			t.Errorf("%d bytes: %x", length, got)
		}
	}
}
