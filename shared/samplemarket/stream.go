package samplemarket

import (
	"encoding/binary"

	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket/seeded"
)

// address is an account or contract.
type address [20]byte

func derivedAddress(key uint64) address {
	var a address
	binary.BigEndian.PutUint64(a[0:], seeded.MixAll(key, 1))
	binary.BigEndian.PutUint64(a[8:], seeded.MixAll(key, 2))
	binary.BigEndian.PutUint32(a[16:], uint32(seeded.MixAll(key, 3)))
	return a
}
